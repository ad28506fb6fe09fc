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
#include <condense/core/render.hpp>
#include <condense/core/time_limit.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/unset.hpp>
#include <condense/layer/slots.hpp>
#include <condense/layer/summary_reader.hpp>
#include <condense/layer/summary_selection.hpp>
#include <condense/llm/answer.hpp>
#include <condense/llm/departures.hpp>
#include <condense/llm/extract.hpp>
#include <condense/llm/fence.hpp>
#include <condense/llm/model_call.hpp>
#include <condense/llm/on_prefix.hpp>
#include <condense/llm/prompt.hpp>
#include <condense/llm/summary_reply.hpp>
#include <condense/policy/worth.hpp>

// Replaces the oldest groups by one summary: summarize{.when = used >= 80_pct, .with = my_model}. Without `with` the
// summary is extracted by rule, and no model is called.

namespace condense {
inline namespace v1 {
namespace detail {

/// A summarizer without a model. `open()` starts a summary, `see(role, part, is_summary)` adds a part to it, and
/// `text(limit)` returns it.
template <class Summarizer>
concept rule_based = requires(Summarizer const& rule, part_view const& part, chars limit) {
    rule.open().see(role::user, part, false);
    { rule.open().text(limit) } -> std::convertible_to<std::string>;
};

/// A type that a model may return.
template <class Answer>
concept summary_answer =
    std::convertible_to<Answer, std::string> || std::same_as<std::remove_cvref_t<Answer>, reply<std::string>>;
template <class Summarizer, class... Arguments>
concept answers_with_summary = requires(Summarizer const& model, Arguments... arguments) {
    { model(arguments...) } -> summary_answer;
};

/// The memory of a summarize: that of its index with what has left, and how much of a conversation the model reads,
/// learnt from its overflows. The latter is not saved, so a restored session, which may use another model, learns it
/// anew.
template <class Names>
struct summary_memory {
    static constexpr std::string_view format = "parts";
    static constexpr bool saves = requires(Names const& names) { names.save(); };

    cost most = {u64_limit};
    departures gone = {};
    Names names = {};

    std::string save() const {
        std::string out;
        if constexpr (saves) {
            put_field(out, format);
            gone.save(out);
            out.append(names.save());
        }
        return out;
    }
    /// Of an earlier format nothing is remembered: the lists are read from the text of the summary.
    bool load(std::string_view text, std::size_t message_count) {
        if constexpr (saves) {
            summary_memory loaded;
            field_reader reader{text};
            if (reader.text() == format &&
                (!loaded.gone.load(reader, message_count) || !loaded.names.load(reader.rest(), message_count)))
                return false;
            gone = std::move(loaded.gone);
            names = std::move(loaded.names);
            return true;
        } else return text.empty();
    }
    void rewind(std::uint64_t first) {
        gone.rewind(first);
        if constexpr (requires { names.rewind(first); }) names.rewind(first);
    }
};

/// Half of a limit for each step of pressure.
constexpr std::uint64_t halved(std::uint64_t limit, unsigned pressure) noexcept {
    return limit >> (pressure < 63 ? pressure : 63);
}

/// The input without what is always sent: system messages, and the task up to a quarter of the rest.
template <class Draft>
tokens free_room(Draft const& draft) noexcept {
    cost fixed, task;
    for (auto const which : draft.groups())
        if (draft.is_system(which) || draft.holds_task(which))
            (draft.is_system(which) ? fixed : task) += draft.about(which).cost;
    auto const room = draft.limits().input() - draft.limits().overhead - draft.measured(fixed);
    auto const of_task = draft.measured(task);
    return room - (of_task.count < room.count / 4 ? of_task : tokens{room.count / 4});
}

/// The most that a list may take, of `share`: it leaves the request smaller than it was, and such that it `fits`. Where
/// there is little room a quarter of it is taken, although the layer may be due again at once.
template <class Draft>
tokens room_for_index(Draft const& draft, std::vector<group> const& groups, std::string_view summary, tokens share,
                      callable_ref<bool(usage const&)> fits) {
    cost replaced;
    cost earlier_cost;  // of that the summaries
    messages count;
    for (auto const which : groups) {
        auto const facts = draft.about(which);
        replaced += facts.cost;
        if (which.is_summary() || facts.summary) earlier_cost += facts.cost;
        count = count + messages{facts.count};
    }
    auto after = draft.used();
    after.tokens = after.tokens - draft.measured(replaced) +
                   draft.measured(part_cost(draft.estimator(), part_view{.text = summary}) +
                                  frame_cost(draft.estimator(), role::user));
    after.messages = after.messages - count + messages{1};
    auto const gain = draft.measured(replaced - earlier_cost).count / 2 + draft.measured(earlier_cost).count;
    auto room = share.count < gain ? share.count : gain;
    auto const spare = percent{9'700}.of(draft.limits().input()) - after.tokens;
    auto const least = spare.count / 4 < room ? spare.count / 4 : room;
    for (; room > least; room = room / 4 * 3) {
        auto with_list = after;
        with_list.tokens = with_list.tokens + tokens{room};
        if (fits(with_list)) return {room};
    }
    constexpr std::uint64_t list_least = 32;  // tokens: less is but the words around a list
    return {least < list_least ? 0 : least};
}

}  // namespace detail

/// No index: the default of `summarize::leaves`.
struct no_index {
    using memory = detail::no_memory;
    friend constexpr bool operator==(no_index const&, no_index const&) = default;
};

/// A rule such as `extract`, or a model: a const callable that takes a prompt (model_prompt const&, std::string_view or
/// std::string const&) and optionally ask_limits. Returns text, or a reply<std::string> with the provider's error and
/// stop reason.
template <class Summarizer>
concept summarizer = detail::rule_based<Summarizer> || detail::asks_behind_request<Summarizer> ||
                     detail::answers_with_summary<Summarizer, model_prompt const&, ask_limits> ||
                     detail::answers_with_summary<Summarizer, model_prompt const&> ||
                     detail::answers_with_summary<Summarizer, std::string_view, ask_limits> ||
                     detail::answers_with_summary<Summarizer, std::string_view> ||
                     detail::answers_with_summary<Summarizer, std::string const&, ask_limits> ||
                     detail::answers_with_summary<Summarizer, std::string const&>;

/// Loses the messages that it summarises. Costs one model call, or none by rule; up to eight where the model cannot
/// read all at once. There is one live summary: an earlier one is read and replaced. It has role user and is fenced, so
/// that the model does not take it for the user's words. The newest message and its group are never summarised.
///
/// Fails, and edits nothing, if the model's answer is blank, a refusal, an error, incomplete by its stop reason, or not
/// smaller than what it replaces. A longer answer than `size` is cut. A prompt that overflows the model's own window is
/// made smaller, at most eight times.
template <condition When = trigger, protection Protect = either<either<task_t, last_of<percent>>, unanswered_t>,
          class Worth = least_gain, class Summarizer = extract, class Index = no_index, class Input = unshortened>
struct summarize {
    When when = detail::slot_default<When>(used >= percent{8'000});
    target until = {};
    /// By default a tail of 20 % of the input stays, and user messages without an answer are not summarised.
    Protect protect = detail::slot_default<Protect>(task | last(percent{2'000}) | unanswered);
    Worth worth = detail::slot_default<Worth>();
    tokens size = {2'000};  ///< longest summary; never more than a tenth of the input that is free
    /// The most of the conversation that a model is given at once; 0 for what the input holds beside instructions and
    /// answer.
    tokens reads = {};
    /// The form that a model is told to write: words, or sections such as four_sections; empty for six_sections.
    summary_form asks_for = {};
    Summarizer with = detail::slot_default<Summarizer>();
    /// The list of the names in the messages that it replaces, behind the summary and on top of `size` and `until`.
    Index leaves = detail::slot_default<Index>();
    /// A sentence in the label of the summary that says where the whole conversation is, such as `tool_sentence`; on
    /// one line, at most 200 bytes. It must outlive the layer.
    std::string_view source_hint = {};
    time_limit within = instant{120'000'000'000};  ///< for one answer; a later one is refused
    earlier_summary earlier = earlier_summary::update;  ///< what a model reads where there is one
    /// Shortens what a model reads, such as first_of(json_sample{}, head_tail{}): arguments and results above
    /// `input_over`, if the shortener has no limit of its own.
    Input input = detail::slot_default<Input>();
    chars input_over = {2'000};
    std::string_view label = {};  ///< the layer's name in reports, which it must outlive

    static_assert(summarizer<Summarizer>,
                  "condense: summarize: `with` must be a rule, or have a const operator()(std::string_view prompt) "
                  "that returns a text (see summarizer)");

    static constexpr bool by_rule = detail::rule_based<Summarizer>;
    static constexpr bool has_index = !std::same_as<Index, no_index>;
    using memory =
        std::conditional_t<by_rule && !has_index, detail::no_memory, detail::summary_memory<typename Index::memory>>;
    static constexpr effect effects = by_rule ? summarizes : summarizes | asks;

    constexpr void validate() const {
        detail::check_target(when, until);
        detail::reject_unless(size.count > 0,
                              "condense: summarize: the size of the summary must be above 0 (see summarize)");
        detail::reject_unless(detail::is_label_text(source_hint),
                              "condense: summarize: `source_hint` must be UTF-8 on one line of at most 200 bytes "
                              "without `<` (see summarize)");
        if constexpr (has_index) leaves.validate();
    }

    // A session may have the summary written elsewhere, such as on another thread: `plan` says what to ask, `conclude`
    // puts the answer in place.
    static constexpr bool plans_summaries = !detail::asks_behind_request<Summarizer>;

    /// The groups that would be summarised next, and the prompt for them; no prompt if there is nothing to do. After an
    /// overflow, `reported`, of a prompt whose conversation had the size `too_large`, a smaller one.
    summary_plan plan(auto& draft, auto& pass, cost too_large = {detail::u64_limit},
                      overflow const* reported = nullptr) const {
        auto most = room_of(draft, pass);
        if (reported != nullptr)
            if (auto const less = shrunk(too_large, *reported, limit_of(draft, pass, too_large)); less < most)
                most = less;
        auto next = next_request(draft, pass, most);
        if (next.prompt.empty() || (reported != nullptr && next.size >= too_large)) return {};
        pass.count_redactions(next.redactions);
        return {.groups = std::move(next.from.groups),
                .prompt = std::move(next.prompt),
                .limit = next.limit,
                .size = next.size};
    }
    /// Replaces the planned groups by the summary that was written for them. Fails as reduce does.
    failed conclude(auto& draft, auto& pass, std::vector<group> const& groups, std::string text, tokens limit) const {
        cost replaced;
        for (auto const which : groups) replaced += draft.about(which).cost;
        if (auto const problem = detail::wording::no_summary(text); !problem.empty()) return {problem};
        if (!detail::utf8::valid(text)) return {"the summary is not valid UTF-8"};
        if (draft.estimator()(text) >= replaced) return {"the summary is not smaller"};
        fit(draft, pass, text, limit);
        if (detail::wording::says_nothing(text)) return {"empty summary"};
        add_index(draft, pass, groups, text);
        auto const before = draft.used().tokens;
        auto const refused = draft.summarize(groups, detail::fenced_summary(text, source_hint));
        pass.note(refused);
        if (!refused && draft.used().tokens >= before) return {"the summary is not smaller"};
        return {};
    }

    failed reduce(auto& draft, auto& pass) const {
        if constexpr (by_rule) {
            auto const from = select(draft, pass, cost{detail::u64_limit});
            if (from.groups.empty()) {
                note_idle(draft, pass);
                return {};
            }
            auto const limit = limit_of(draft, pass, from.cost);
            bool is_smaller = false;
            return {replace_groups(draft, pass, from, write(draft, from.groups, limit), limit, is_smaller)};
        } else if constexpr (detail::asks_behind_request<Summarizer>) return ask_behind_request(draft, pass);
        else return ask_all(draft, pass);
    }

    friend bool operator==(summarize const&, summarize const&) = default;

private:
    static constexpr unsigned call_limit = 8;  // of the model, in one call of reduce
    static constexpr chars whole_parts = {detail::u64_limit};
    static constexpr unsigned shrink_limit = 8;  // of prompts that were too large for the model

    using selection = detail::summary_selection;

    /// Selects every earlier summary, and the oldest free groups until the target would be reached; nothing if only a
    /// summary would be replaced. `cost_limit` is what a model reads at once, though at least one new group is
    /// selected. At the top of pressure the task goes only where that is enough.
    selection select(auto& draft, auto& pass, cost cost_limit) const {
        bool const may_spare = detail::includes_task<detail::policy_of<Protect>> && pass.top();
        auto spared = select(draft, pass, cost_limit, may_spare);
        if (!may_spare || pass.enough(spared.after)) return spared;
        auto all = select(draft, pass, cost_limit, false);
        bool const helps = pass.may_be_sent(all.after) && !pass.may_be_sent(spared.after);
        return helps || pass.enough(all.after) ? all : spared;
    }
    selection select(auto& draft, auto& pass, cost cost_limit, bool spares_task) const {
        auto const protected_set = detail::bind_protection(protect, draft, pass);
        auto const fence = draft.measured(
            detail::part_cost(draft.estimator(), part_view{.text = detail::fenced_summary(" ", source_hint)}) +
            detail::frame_cost(draft.estimator(), role::user));
        auto const is_protected = [&](group which) { return protected_set.holds(which); };
        auto const enough = [&](usage const& after) { return pass.enough(after); };
        using reader_type = typename std::remove_cvref_t<decltype(draft)>::reader_type;
        return detail::select_groups<reader_type>(
            draft, {.limit = cost_limit,
                    .summary = limit_of(draft, pass, draft.within(draft.limits().input())) + fence,
                    .spares_task = spares_task,
                    .is_protected = is_protected,
                    .enough = enough});
    }

    void note_idle(auto& draft, auto& pass) const {
        detail::note_why_idle(draft, pass, detail::bind_protection(protect, draft, pass),
                              "nothing to do: only a summary and the newest message are left");
    }

    /// The longest summary: `size` halved with each step of pressure, at most a tenth of what is free and a third of
    /// what it replaces, so that it is always a gain.
    tokens limit_of(auto const& draft, auto const& pass, cost replaced) const noexcept {
        auto limit = detail::halved(size.count, pass.pressure());
        for (auto const other : {detail::free_room(draft).count / 10, draft.measured(replaced).count / 3})
            limit = other < limit ? other : limit;
        return {limit == 0 ? 1 : limit};
    }

    /// Cuts the text to its share of `limit`, in proportion to its tokens; says so in the report.
    static void fit(auto const& draft, auto& pass, std::string& text, tokens limit) {
        auto const measured = draft.measured(draft.estimator()(text));
        if (measured <= limit) return;
        auto const points = detail::scale_down(detail::utf8::count(text), limit.count, measured.count);
        text.resize(detail::utf8::prefix(text, points));
        pass.note("the summary was cut to its size");
    }

    /// Shows the first user message to a rule, unless it is among the groups and so is read with them.
    static void read_task(auto& draft, std::vector<group> const& groups, auto& notes) {
        for (auto const which : draft.groups()) {
            if (!draft.holds_task(which)) continue;
            for (auto const selected : groups)
                if (selected == which) return;
            draft.each_part(which, [&](part_ref ref, part_view const& part) {
                if (draft.outline().message_at(ref.message_index).plain_user) notes.see_task(part);
            });
            return;
        }
    }

    /// The summary by rule.
    std::string write(auto& draft, std::vector<group> const& groups, tokens limit) const {
        auto notes = with.open();
        if constexpr (requires(part_view const& part) { notes.see_task(part); }) read_task(draft, groups, notes);
        if constexpr (!requires { decltype(notes)::reads_nothing; }) {
            detail::rule_reader<decltype(notes)> reader{notes};
            detail::read_groups(draft, groups, reader);
        }
        return notes.text({detail::mul_capped(limit.count, 3)});  // characters; what is too long is cut later
    }

    /// Replaces the groups by the summary. Returns why if it cannot, else nothing; `is_smaller` tells whether the
    /// request has become smaller.
    std::string_view replace_groups(auto& draft, auto& pass, selection const& from, std::string text, tokens limit,
                                    bool& is_smaller) const {
        fit(draft, pass, text, limit);
        add_index(draft, pass, from.groups, text);
        if (detail::wording::says_nothing(text)) return "empty summary";
        auto const before = draft.used().tokens;
        for (auto const which : from.groups)
            if (detail::includes_task<detail::policy_of<Protect>> && draft.holds_task(which)) draft.note_task_taken();
        pass.note(draft.summarize(from.groups, detail::fenced_summary(text, source_hint)));
        is_smaller = draft.used().tokens < before;
        return {};
    }

    /// Appends the list of the index, as far as it leaves the request smaller than it was and the layer not due; but
    /// not less than a quarter of the room that there is.
    void add_index([[maybe_unused]] auto& draft, [[maybe_unused]] auto& pass,
                   [[maybe_unused]] std::vector<group> const& groups, [[maybe_unused]] std::string& text) const {
        if constexpr (has_index) {
            auto const room = room_for_index(draft, pass, groups, text);
            std::string list;
            using reader_type = typename std::remove_cvref_t<decltype(draft)>::reader_type;
            auto const write = [&](memory& known) {
                return detail::write_index<reader_type>(draft, leaves, known.gone, known.names, groups, room, text);
            };
            if constexpr (requires { pass.memory.names; }) list = write(pass.memory);
            else {
                memory forgotten;
                list = write(forgotten);
            }
            if (list.empty() && detail::wording::says_nothing(text)) list = "Earlier messages have left.";
            if (!text.empty() && text.back() != '\n') text.push_back('\n');
            text.append(list);
        }
    }
    /// The longest list.
    tokens index_share(auto const& draft) const noexcept {
        if constexpr (!has_index) return {};
        else if constexpr (requires { leaves.total_share(); }) return leaves.total_share().of(detail::free_room(draft));
        else return percent{leaves.share}.of(detail::free_room(draft));
    }
    tokens room_for_index(auto const& draft, auto const& pass, std::vector<group> const& groups,
                          std::string_view text) const {
        auto const fits = [&](usage const& now) {
            return !when.due(now) && (pass.pressure() == 0 || pass.enough(now));
        };
        using reader_type = typename std::remove_cvref_t<decltype(draft)>::reader_type;
        return detail::room_for_index<reader_type>(draft, groups, detail::fenced_summary(text, source_hint),
                                                   {detail::halved(index_share(draft).count, pass.pressure())}, fits);
    }

    /// One question to the model.
    struct prompt_request {
        selection from = {};
        tokens limit = {};  ///< of the answer
        model_prompt prompt = {};  ///< empty if there is nothing to summarise, or it cannot be made to fit
        cost size = {};  ///< of the prompt without the instructions
        std::size_t redactions = 0;  ///< secrets that were replaced in the prompt
    };

    /// The cost of the prompt without a conversation.
    cost instructions(auto const& draft, auto const& pass) const {
        return draft.estimator()(summary_prompt{}.write({1'000}, asks_for, pass.request()).text());
    }

    /// As much of the conversation as a model may read at once. A ninth of what remains of its window is left for the
    /// labels that the prompt puts before each part.
    cost room_of(auto const& draft, auto const& pass) const {
        if (reads.count != 0) return draft.within(reads);
        auto const most = draft.limits().input();
        auto const room = draft.within(most - limit_of(draft, pass, draft.within(most)));
        return {(room - instructions(draft, pass)).steps / 9 * 8};
    }

    /// The next question, whose prompt is at most `most` of conversation, an eighth of that for labels, and the
    /// instructions. If the groups do not fit, fewer are read and `most` is lowered; of a single group that does not
    /// fit only the ends of its parts are read, which are halved until they do.
    prompt_request next_request(auto& draft, auto& pass, cost& most) const {
        prompt_request next;
        for (bool originals = earlier == earlier_summary::reread;; originals = false) {
            next.from = select(draft, pass, most);
            next.prompt = {};
            if (next.from.groups.empty()) return next;
            next.limit = limit_of(draft, pass, next.from.cost);
            auto const room = most + cost{most.steps / 8};
            if (originals && read_within(draft, pass, next, whole_parts, room, true)) return next;
            if (read_within(draft, pass, next, whole_parts, room)) return next;
            if (next.from.new_groups > 1 && most != cost{}) {
                most = {detail::scale_down(most.steps, 3, 4)};
                continue;
            }
            for (auto part_size = chars{1u << 22}; part_size.count >= 16; part_size.count /= 2)
                if (read_within(draft, pass, next, part_size, room)) return next;
            next.prompt = {};
            return next;
        }
    }
    /// Writes the prompt with at most `part_size` of each part; false if it exceeds `room`, or if originals are wanted
    /// and there are none.
    bool read_within(auto& draft, auto const& pass, prompt_request& next, chars part_size, cost room,
                     bool originals = false) const {
        detail::prompt_reader reader{draft, pass, input, input_over, part_size};
        if (!originals) detail::read_groups(draft, next.from.groups, reader);
        else if (!detail::read_originals(draft, next.from.groups, reader)) return false;
        next.redactions = reader.redactions();
        next.prompt = reader.prompt().write(next.limit, asks_for, pass.request());
        next.size = draft.estimator()(next.prompt.text()) - instructions(draft, pass);
        return next.size <= room;
    }

    /// Asks the model until all is summarised that may be, a summary at a time where it cannot read all at once. What a
    /// later call fails to do leaves the summaries of the earlier ones.
    failed ask_all(auto& draft, auto& pass) const {
        auto const room = room_of(draft, pass);
        auto most = pass.memory.most < room ? pass.memory.most : room;
        unsigned shrinks = 0;
        auto const fail = [&](unsigned calls, std::string_view problem) -> failed {
            if (calls == 0) return {problem};
            pass.note(problem);
            return {};
        };
        for (unsigned calls = 0; calls < call_limit;) {
            if (!pass.may_ask()) {
                if (!select(draft, pass, most).groups.empty()) pass.wait_for_model();
                break;
            }
            auto const next = next_request(draft, pass, most);
            if (next.from.groups.empty()) {
                if (calls == 0) note_idle(draft, pass);
                break;
            }
            if (next.prompt.empty()) return fail(calls, too_much);
            pass.count_redactions(pass.dry() ? 0 : next.redactions);
            auto reply = ask_once(pass, with, next.prompt, next.limit, calls != 0);
            if (pass.dry()) {
                pass.note("a model would be asked");
                break;
            }
            if (reply.too_large) {
                if (++shrinks > shrink_limit || next.size == cost{}) return fail(calls, too_much);
                most = shrunk(next.size < most ? next.size : most, *reply.too_large, next.limit);
                continue;
            }
            bool is_smaller = false;
            if (auto const problem = place(draft, pass, next.from, std::move(reply), next.limit, is_smaller);
                !problem.empty())
                return fail(calls, problem);
            // Remembered once it has helped, so that later runs do not meet the same overflow again, and a wrong figure
            // ends with its run.
            if (shrinks != 0) pass.memory.most = most;
            if (!is_smaller || !next.from.more) break;
            ++calls;
        }
        return {};
    }

    /// Asks behind the agent's own request, which the provider has in its cache.
    failed ask_behind_request(auto& draft, auto& pass) const {
        auto const from = select(draft, pass, cost{detail::u64_limit});
        if (from.groups.empty()) {
            note_idle(draft, pass);
            return {};
        }
        if (!pass.may_ask()) {
            pass.wait_for_model();
            return {};
        }
        if (pass.alternates()) return {"a request that alternates is not the conversation that on_prefix reads"};
        auto const limit = limit_of(draft, pass, from.cost);
        std::uint64_t rest = draft.used().messages.count;
        for (auto const which : from.groups) rest = detail::sub_capped(rest, draft.about(which).count);
        model_prompt prompt{.instructions = detail::summary_instructions("above", limit, asks_for, pass.request())};
        prompt.instructions.append(" Of its messages ").append(detail::grouped(rest)).append(" stay word for word.");
        auto const request = detail::rendered_request(draft);
        auto const model = [&](model_prompt const& asked, ask_limits limits) {
            return with.client.ask_after(request, std::string_view{asked.instructions}, limits);
        };
        auto reply = ask_once(pass, model, prompt, limit, false);
        if (pass.dry()) {
            pass.note("a model would be asked");
            return {};
        }
        bool is_smaller = false;
        return {place(draft, pass, from, std::move(reply), limit, is_smaller)};
    }

    /// Puts the answer in place of the groups; returns why if it cannot.
    detail::small_text<96> place(auto& draft, auto& pass, selection const& from, detail::summary_reply reply,
                                 tokens limit, bool& is_smaller) const {
        if (!reply.problem.empty()) return reply.problem;
        if (draft.estimator()(reply.text) >= from.cost) return std::string_view{"the summary is not smaller"};
        return replace_groups(draft, pass, from, std::move(reply.text), limit, is_smaller);
    }

    /// The next size to try after an overflow: in proportion to the provider's figures if it names both, else half.
    /// Leaves room for the answer, which many a server has in the same window and cuts where that ends. Less an eighth,
    /// which the room for labels would give back.
    static cost shrunk(cost most, overflow const& reported, tokens answer) noexcept {
        auto const limit = reported.limit.count;
        bool const has_figures = limit != 0 && reported.limit < reported.requested;
        auto const room = limit - (answer.count < limit / 2 ? answer.count : limit / 2);
        auto const next = has_figures ? detail::scale_down(most.steps, room, reported.requested.count) : most.steps / 2;
        return {detail::scale_down(next, 7, 8)};
    }

    /// Asks once. An overflow, which some clients throw as an exception, is returned as a value, since it can be
    /// mended; so is any exception where `lenient`, but a cancellation. Otherwise it is the layer's failure.
    detail::summary_reply ask_once(auto& pass, auto const& model, model_prompt const& prompt, tokens limit,
                                   [[maybe_unused]] bool lenient) const {
        ask_limits const limits{.answer = limit, .within = within.span};
#if defined(__cpp_exceptions)
        try {
            return in_time(pass, detail::summary_reply_of(pass.ask(model, prompt, limits)));
        } catch (cancelled const&) { throw; } catch (std::exception const& problem) {
            auto const too_large = overflow_of(0, problem.what());
            if (!(too_large || lenient) || pass.stop_requested() || detail::wraps_cancellation(problem)) throw;
            return {.problem = problem.what(), .too_large = too_large};
        } catch (...) {
            if (!lenient || pass.stop_requested()) throw;
            return {.problem = std::string_view{"the model threw"}};
        }
#else
        return in_time(pass, detail::summary_reply_of(pass.ask(model, prompt, limits)));
#endif
    }
    static detail::summary_reply in_time(auto const& pass, detail::summary_reply reply) {
        if (pass.is_late() && reply.problem.empty()) reply.problem = "the summary came too late";
        return reply;
    }

    static constexpr std::string_view too_much = "the model can not read what is to be summarised";
};

}  // namespace v1
}  // namespace condense
