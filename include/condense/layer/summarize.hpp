// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/layer.hpp>
#include <condense/detail/unset.hpp>
#include <condense/layer/slots.hpp>
#include <condense/llm/answer.hpp>
#include <condense/llm/extract.hpp>
#include <condense/llm/fence.hpp>
#include <condense/llm/model_call.hpp>
#include <condense/llm/prompt.hpp>
#include <condense/llm/summary_reply.hpp>
#include <condense/policy/worth.hpp>

// One summary in place of the groups that are not protected: summarize{.when = used >= 80_pct, .with =
// my_model}. Without `with` it is written by rule, without a model.

namespace condense {
inline namespace v1 {
namespace detail {

/// Writes by rule: sees the parts, then gives the text.
template <class Summarizer>
concept rule_based = requires(Summarizer const& rule, part_view const& part, chars limit) {
    rule.open().see(role::user, part, false);
    { rule.open().text(limit) } -> std::convertible_to<std::string>;
};

template <class Answer>
concept summary_answer =
    std::convertible_to<Answer, std::string> || std::same_as<std::remove_cvref_t<Answer>, reply<std::string>>;
template <class Summarizer, class... Arguments>
concept answers_with_summary = requires(Summarizer const& model, Arguments... given) {
    { model(given...) } -> summary_answer;
};

/// What an overflow has told of how much the summary's model reads; a saved session finds it out anew.
struct model_room {
    cost most = {u64_limit};

    std::string save() const { return {}; }
    bool load(std::string_view text, std::size_t) const noexcept { return text.empty(); }
    void rewind(std::uint64_t) const noexcept {}
};

}  // namespace detail

/// A rule such as `extract`, or a model: a callable from a prompt (std::string_view or std::string const&), optionally
/// with ask_limits, to text or to a reply<std::string>, which may hold the provider's error and stop reason.
template <class Summarizer>
concept summarizer =
    detail::rule_based<Summarizer> || detail::answers_with_summary<Summarizer, std::string_view, ask_limits> ||
    detail::answers_with_summary<Summarizer, std::string_view> ||
    detail::answers_with_summary<Summarizer, std::string const&, ask_limits> ||
    detail::answers_with_summary<Summarizer, std::string const&>;

/// Loses the messages it summarises; costs one model call, or none by rule. There is one live summary:
/// an earlier one is read and replaced. The summary has role user and is fenced. The newest message is never
/// summarised, nor is its group. A model's answer that is blank, a refusal, an error, or not complete by its
/// stop reason fails; one that is too long is cut. A prompt that overflows the model's own window is made
/// smaller, at most eight times.
template <condition When = trigger, protection Protect = either<either<task_t, last_of<percent>>, unanswered_t>,
          class Worth = least_gain, class Summarizer = extract>
struct summarize {
    When when = detail::slot_default<When>(used >= percent{8'000});
    target until = {};
    Protect protect = detail::slot_default<Protect>(task | last(percent{2'000}) |
                                                    unanswered);  ///< V3: a tail of 20 % of the window; and L16
    Worth worth = detail::slot_default<Worth>();
    tokens size = {2'000};  ///< longest summary; never more than a tenth of the input
    tokens reads = {};  ///< most of the conversation that a model is given at once; 0 is what the input holds beside
                        ///< prompt and answer
    std::string_view asks_for =
        {};  ///< what a model is told to write; empty for six sections from intent to details (V3)
    Summarizer with = detail::slot_default<Summarizer>();
    std::string_view label = {};  ///< in reports, in place of its type's name; must outlive them

    static_assert(summarizer<Summarizer>,
                  "condense: summarize: `with` must be a rule, or have a const operator()(std::string_view prompt) "
                  "that returns a text (see summarizer)");

    static constexpr bool by_rule = detail::rule_based<Summarizer>;
    using memory = std::conditional_t<by_rule, detail::no_memory, detail::model_room>;
    static constexpr effect effects = by_rule ? summarizes : summarizes | asks;

    constexpr void validate() const {
        detail::check_target(when, until);
        detail::reject_unless(size.count > 0,
                              "condense: summarize: the size of the summary must be above 0 (see summarize)");
    }

    static constexpr bool plans_summaries = true;

    /// What it would summarise next, and what it would ask a model, for a summary that is made elsewhere. After an
    /// overflow of a prompt whose conversation had the size `too_large`, with less.
    summary_plan plan(auto& draft, auto& pass, cost too_large = {detail::u64_limit},
                      overflow const* said = nullptr) const {
        auto most = room_of(draft, pass);
        if (said != nullptr)
            if (auto const less = shrunk(too_large, *said); less < most) most = less;
        auto next = ask_next(draft, pass, most);
        if (next.prompt.empty() || (said != nullptr && next.size >= too_large)) return {};
        return {.groups = std::move(next.from.groups),
                .prompt = std::move(next.prompt),
                .limit = next.limit,
                .size = next.size};
    }
    /// Puts the text that was made elsewhere in the place of the groups.
    failed conclude(auto& draft, auto& pass, std::vector<group> const& groups, std::string text, tokens limit) const {
        cost replaced;
        for (auto const which : groups) replaced += draft.about(which).cost;
        if (auto const problem = detail::wording::no_summary(text); !problem.empty()) return {problem};
        if (draft.estimator()(text) >= replaced) return {"the summary is not smaller"};
        fit(draft, pass, text, limit);
        if (detail::wording::says_nothing(text)) return {"empty summary"};
        auto const before = draft.used().tokens;
        auto const refused = draft.summarize(groups, detail::fenced_summary(text));
        pass.note(refused);
        if (!refused && draft.used().tokens >= before) return {"the summary is not smaller"};
        return {};
    }

    failed reduce(auto& draft, auto& pass) const {
        if constexpr (by_rule) {
            auto const from = choose(draft, pass, cost{detail::u64_limit});
            if (from.groups.empty()) {
                note_idle(draft, pass);
                return {};
            }
            auto const limit = limit_of(draft, pass, from.cost);
            bool stood = false;
            return {put(draft, pass, from, write(draft, from.groups, limit), limit, stood)};
        } else return ask_all(draft, pass);
    }

    friend bool operator==(summarize const&, summarize const&) = default;

private:
    static constexpr unsigned most_calls = 8;  // of a model, for one hook
    static constexpr unsigned most_shrinks = 8;  // of a prompt that was too large for it

    struct chosen {
        std::vector<group> groups;
        v1::cost cost = {};
        std::optional<group> before = {};  ///< where the summary stands, if that is older than all of them
        unsigned fresh = 0;  ///< groups that are no summaries
        bool more = false;  ///< the model could not read all at once
    };

    /// Every earlier summary, and the oldest groups that may go until enough would be gone; none when
    /// only summaries may.
    chosen choose(auto& draft, auto& pass, cost most) const {
        auto const kept = detail::bind_protection(protect, draft, pass);
        auto newest = group{};  // L16: the tail is never empty
        for (auto const which : draft.groups())
            if (!draft.is_system(which)) newest = which;
        auto left = draft.used();
        auto const fence =
            draft.measured(detail::part_cost(draft.estimator(), part_view{.text = detail::fenced_summary(" ")}) +
                           detail::frame_cost(draft.estimator(), role::user));
        auto const written = limit_of(draft, pass, draft.within(draft.limits().input())) + fence;
        auto const whole = left.tokens + written;
        left.tokens = whole;
        left.messages = left.messages + messages{1};
        // A summary that will be taken for a user message may not become the first one.
        auto first = group{};
        for (auto const which : draft.groups())
            if (draft.holds_task(which) && !draft.edits().knows_summaries() &&
                (draft.undroppable(which) || kept.holds(which)))
                first = which;
        chosen found;
        bool fresh = false;
        bool beside = false;  // the group before it is taken
        unsigned summaries = 0;
        for (auto const which : draft.groups()) {
            auto const facts = draft.about(which);
            // A result whose call is nowhere goes with its neighbours: it would stand behind the summary (L17).
            bool const stray = std::exchange(beside, false) && !which.is_summary() && !facts.has_calls &&
                               !facts.plain_user && draft.outline().group_at(which.id()).orphan;
            bool const summary = facts.summary || which.is_summary();
            // Nor may it be the turn that makes an earlier call, which still waits, a dead one.
            if (facts.open && found.groups.empty() && !draft.edits().knows_summaries()) break;
            // Nor the latest one, else the user's own latest words would be free to go in a later run.
            bool const kept_as_task = draft.holds_task(which) && !facts.has_calls && kept.holds(which);
            if (facts.latest_user && !kept_as_task && found.groups.empty() && !draft.edits().knows_summaries()) {
                if (facts.has_calls) break;
                found.before = which;
            }
            if (draft.undroppable(which)) continue;
            if (!summary && !stray && (which.id() < first.id() || kept.holds(which) || pass.enough(left))) continue;
            if (!summary && which == newest) continue;
            if (fresh && found.cost + facts.cost > most) {
                found.more = true;
                break;
            }
            beside = true;
            found.groups.push_back(which);
            found.cost += facts.cost;
            left.tokens = whole - draft.measured(found.cost);
            left.messages = left.messages - messages{facts.count};
            left.turns = left.turns - turns{facts.plain_user ? 1u : 0u};
            summaries += summary ? 1u : 0u;  // two of them, where a model could not read all at once, become one
            found.fresh += summary ? 0u : 1u;
            fresh = fresh || !summary || summaries > 1;
        }
        // One message no larger than a summary may be one of an earlier run, at less pressure and not known any more,
        // and a rule has nothing to add.
        auto const lone = by_rule && found.groups.size() == 1 && !draft.edits().knows_summaries() &&
                          draft.about(found.groups[0]).starts_turn;
        if (!fresh ||
            (lone && draft.measured(found.cost) <= limit_at(draft, 0, draft.within(draft.limits().input())) + fence))
            found.groups.clear();
        return found;
    }

    void note_idle(auto& draft, auto& pass) const {
        detail::note_why_idle(draft, pass, detail::bind_protection(protect, draft, pass),
                              "nothing to do: only a summary and the newest message are left");
    }

    constexpr tokens limit_of(auto const& draft, auto const& pass, cost replaced) const noexcept {
        return limit_at(draft, pass.pressure(), replaced);
    }
    constexpr tokens limit_at(auto const& draft, unsigned pressure, cost replaced) const noexcept {
        auto most = size.count >> (pressure < 63 ? pressure : 63);
        for (auto const other : {draft.limits().input().count / 10, draft.measured(replaced).count / 3})
            most = other < most ? other : most;
        return {most == 0 ? 1 : most};
    }

    static void fit(auto const& draft, auto& pass, std::string& text, tokens limit) {
        auto const whole = draft.measured(draft.estimator()(text));
        if (whole <= limit) return;
        auto const points = detail::scale_down(detail::utf8::count(text), limit.count, whole.count);
        text.resize(detail::utf8::prefix(text, points));
        pass.note("the summary was cut to its size");
    }

    static void tell(auto& draft, std::vector<group> const& groups, auto& reader) {
        for (auto const which : groups) {
            auto const facts = draft.about(which);
            draft.each_part(which, [&](part_ref part, part_view const& seen) {
                auto const speaker = facts.summary || which.is_summary()
                                         ? role::user
                                         : draft.outline().message_at(part.message_index).speaker;
                reader.see(speaker, seen, facts.summary);
            });
        }
    }

    /// The task, where it is none of the groups.
    static void tell_task(auto& draft, std::vector<group> const& groups, auto& notes) {
        for (auto const which : draft.groups()) {
            if (!draft.holds_task(which)) continue;
            for (auto const each : groups)
                if (each == which) return;
            draft.each_part(which, [&](part_ref part, part_view const& seen) {
                if (draft.outline().message_at(part.message_index).plain_user) notes.see_task(seen);
            });
            return;
        }
    }

    std::string write(auto& draft, std::vector<group> const& groups, tokens limit) const {
        auto notes = with.open();
        if constexpr (requires(part_view const& part) { notes.see_task(part); }) tell_task(draft, groups, notes);
        tell(draft, groups, notes);
        return notes.text({detail::mul_capped(limit.count, 3)});
    }

    /// Puts a summary in the place of the groups; says why where it can not. `stood` says whether that made
    /// the request smaller.
    static std::string_view put(auto& draft, auto& pass, chosen const& from, std::string text, tokens limit,
                                bool& stood) {
        fit(draft, pass, text, limit);
        if (detail::wording::says_nothing(text)) return "empty summary";
        auto const before = draft.used().tokens;
        pass.note(draft.summarize(from.groups, detail::fenced_summary(text), from.before));
        stood = draft.used().tokens < before;
        return {};
    }

    struct asked {
        chosen from = {};
        tokens limit = {};
        std::string prompt = {};  ///< none where nothing is left, or what is left can not be told within the room
        cost size = {};  ///< of the prompt without the instructions
    };

    cost instructions(auto const& draft, auto const& pass) const {
        return draft.estimator()(summary_prompt{}.text({1'000}, asks_for, pass.request().focus));
    }

    /// What a model may read of the conversation at once: a ninth of the room is for the labels of its parts.
    cost room_of(auto const& draft, auto const& pass) const {
        if (reads.count != 0) return draft.within(reads);
        auto const input = draft.limits().input();
        auto const room = draft.within(input - limit_of(draft, pass, draft.within(input)));
        return {(room - instructions(draft, pass)).steps / 9 * 8};
    }

    /// The prompt is no larger than `most`, an eighth for labels, and the instructions: fewer groups are read,
    /// and of a group that is too large on its own the ends of its parts. `most` becomes smaller where needed.
    asked ask_next(auto& draft, auto& pass, cost& most) const {
        asked next;
        for (;;) {
            next.from = choose(draft, pass, most);
            next.prompt.clear();
            if (next.from.groups.empty()) return next;
            next.limit = limit_of(draft, pass, next.from.cost);
            auto const room = most + cost{most.steps / 8};
            if (tell_within(draft, pass, next, {detail::u64_limit}, room)) return next;
            if (next.from.fresh > 1 && most != cost{}) {
                most = {detail::scale_down(most.steps, 3, 4)};
                continue;
            }
            for (auto each = chars{1u << 22}; each.count >= 16; each.count /= 2)
                if (tell_within(draft, pass, next, each, room)) return next;
            next.prompt.clear();
            return next;
        }
    }
    bool tell_within(auto& draft, auto const& pass, asked& next, chars each, cost room) const {
        summary_prompt prompt{each};
        tell(draft, next.from.groups, prompt);
        next.prompt = prompt.text(next.limit, asks_for, pass.request().focus);
        next.size = draft.estimator()(next.prompt) - instructions(draft, pass);
        return next.size <= room;
    }

    failed ask_all(auto& draft, auto& pass) const {
        auto const room = room_of(draft, pass);
        auto most = pass.memory.most < room ? pass.memory.most : room;
        unsigned shrinks = 0;
        for (unsigned calls = 0; calls < most_calls;) {
            if (!pass.may_ask()) {
                if (!choose(draft, pass, most).groups.empty()) pass.wait_for_model();
                break;
            }
            auto const next = ask_next(draft, pass, most);
            if (next.from.groups.empty()) {
                if (calls == 0) note_idle(draft, pass);
                break;
            }
            if (next.prompt.empty()) return {too_much};
            auto said = ask_once(pass, next);
            if (pass.dry()) {
                pass.note("a model would be asked");
                break;
            }
            if (said.too_large) {
                if (++shrinks > most_shrinks || next.size == cost{}) return {too_much};
                pass.memory.most = most = shrunk(next.size < most ? next.size : most, *said.too_large);
                continue;
            }
            if (!said.problem.empty()) return {said.problem};
            if (draft.estimator()(said.text) >= next.from.cost) return {"the summary is not smaller"};
            bool stood = false;
            if (auto const problem = put(draft, pass, next.from, std::move(said.text), next.limit, stood);
                !problem.empty())
                return {problem};
            if (!stood || !next.from.more) break;
            ++calls;
        }
        return {};
    }

    /// By as much as the provider says, where it names both numbers, else by half; the ninth for labels does not
    /// make up for it.
    static cost shrunk(cost most, overflow const& said) noexcept {
        bool const told = said.limit.count != 0 && said.limit < said.requested;
        auto const next =
            told ? detail::scale_down(most.steps, said.limit.count, said.requested.count) : most.steps / 2;
        return {detail::scale_down(next, 7, 8)};
    }

    detail::summary_reply ask_once(auto& pass, asked const& next) const {
#if defined(__cpp_exceptions)
        try {
            return detail::summary_reply_of(pass.ask(with, next.prompt, {.answer = next.limit}));
        } catch (std::exception const& problem) {
            auto const too_large = overflow_of(0, problem.what());
            if (!too_large || pass.stop_requested() || detail::wraps_cancellation(problem)) throw;
            return {.problem = problem.what(), .too_large = too_large};
        }
#else
        return detail::summary_reply_of(pass.ask(with, next.prompt, {.answer = next.limit}));
#endif
    }

    static constexpr std::string_view too_much = "the model can not read what is to be summarised";
};

}  // namespace v1
}  // namespace condense
