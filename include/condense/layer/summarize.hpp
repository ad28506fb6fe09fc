// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/layer.hpp>
#include <condense/core/summary_job.hpp>
#include <condense/detail/unset.hpp>
#include <condense/llm/extract.hpp>
#include <condense/llm/fence.hpp>
#include <condense/llm/prompt.hpp>
#include <condense/policy/slots.hpp>
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

template <class Summarizer>
concept asks_with_limits = requires(Summarizer const& model, std::string_view prompt, ask_limits limits) {
    { model(prompt, limits) } -> std::convertible_to<std::string>;
};
template <class Summarizer>
concept asks_plainly = requires(Summarizer const& model, std::string_view prompt) {
    { model(prompt) } -> std::convertible_to<std::string>;
};

/// Nothing but spaces and control characters.
inline bool says_nothing(std::string_view text) noexcept {
    for (char const byte : text)
        if (static_cast<unsigned char>(byte) > 0x20 && byte != 0x7F) return false;
    return true;
}

}  // namespace detail

/// A rule such as `extract`, or a model: a callable from a prompt, optionally with ask_limits, to text.
template <class Summarizer>
concept summarizer = detail::rule_based<Summarizer> || detail::asks_with_limits<Summarizer> ||
                     detail::asks_plainly<Summarizer>;

/// Loses the messages it summarises; costs one model call, or none by rule. There is one live summary:
/// an earlier one is read and replaced. The summary has role user and is fenced. A model's answer that
/// is blank fails; one that is too long is cut.
template <trigger When = decltype(used >= percent{}), class Until = from_when,
          protection Protect = either<task_t, last_of<percent>>, class Worth = any_gain, summarizer Summarizer = extract>
struct summarize {
    When when = detail::slot_default<When>(used >= percent{8'000});
    Until until = detail::slot_default<Until>();
    Protect protect = detail::slot_default<Protect>(task | last(percent{2'000}));  ///< V3: a tail of 20 % of the window
    Worth worth = detail::slot_default<Worth>();
    tokens size = {2'000};  ///< longest summary; never more than a tenth of the input
    tokens reads = {};      ///< most that is given to a model at once; 0 is the whole input
    Summarizer with = detail::slot_default<Summarizer>();

    static constexpr bool by_rule = detail::rule_based<Summarizer>;
    static constexpr effect effects = by_rule ? summarizes : summarizes | asks;

    constexpr void validate() const {
        detail::check_target(when, until);
        detail::reject_unless(size.count > 0, "condense: summarize: the size of the summary must be above 0 (see summarize)");
    }

    static constexpr bool plans_summaries = true;

    /// What it would summarise next, and what it would ask a model, for a summary that is made elsewhere.
    summary_plan plan(auto& draft, auto& pass) const {
        auto const from = choose(draft, pass);
        if (from.groups.empty()) return {};
        auto const limit = limit_of(draft, pass, from.cost);
        summary_prompt prompt;
        tell(draft, from.groups, prompt);
        return {.groups = from.groups, .prompt = prompt.text(limit, pass.request().focus), .limit = limit};
    }
    /// Puts the text that was made elsewhere in the place of the groups.
    failed conclude(auto& draft, auto& pass, std::vector<group> const& groups, std::string text, tokens limit) const {
        cost replaced;
        for (auto const which : groups) replaced += draft.about(which).cost;
        if (detail::says_nothing(text)) return {"empty summary"};
        if (draft.estimator()(text) >= replaced) return {"the summary is not smaller"};
        fit(draft, pass, text, limit);
        if (detail::says_nothing(text)) return {"empty summary"};
        auto const before = draft.used().tokens;
        auto const refused = draft.summarize(groups, detail::fenced_summary(text));
        pass.note(refused);
        if (!refused && draft.used().tokens >= before) return {"the summary is not smaller"};
        return {};
    }

    failed reduce(auto& draft, auto& pass) const {
        chosen from;
        unsigned calls = 0;
        do {
            from = choose(draft, pass);
            if (from.groups.empty()) break;
            auto const limit = limit_of(draft, pass, from.cost);
            if (!by_rule && !pass.may_ask()) {
                pass.wait_for_model();
                return {};
            }
            auto text = write(draft, pass, from.groups, limit);
            if (pass.dry() && !by_rule) {
                pass.note("a model would be asked");
                break;
            }
            if (detail::says_nothing(text)) return {"empty summary"};
            if (!by_rule && draft.estimator()(text) >= from.cost) return {"the summary is not smaller"};
            fit(draft, pass, text, limit);
            if (detail::says_nothing(text)) return {"empty summary"};
            auto const before = draft.used().tokens;
            if (auto const refused = draft.summarize(from.groups, detail::fenced_summary(text))) pass.note(refused);
            if (draft.used().tokens >= before) break;
        } while (from.more && ++calls < most_calls);
        return {};
    }

    friend bool operator==(summarize const&, summarize const&) = default;

private:
    static constexpr unsigned most_calls = 8;  // of a model, for one hook

    constexpr tokens input_for(auto const& draft) const noexcept {
        return reads.count == 0 ? draft.limits().input() : reads;
    }

    struct chosen {
        std::vector<group> groups;
        v1::cost cost = {};
        bool more = false;  ///< the model could not read all at once
    };

    /// Every earlier summary, and the oldest groups that may go until enough would be gone; none when
    /// only summaries may.
    chosen choose(auto& draft, auto& pass) const {
        auto const kept = detail::bind_protection(protect, draft, pass);
        auto const most = draft.within(input_for(draft));
        auto left = draft.used();
        auto const whole = left.tokens + limit_of(draft, pass, most) + draft.measured(draft.estimator()(detail::fenced_summary(" ")));
        left.tokens = whole;
        left.messages = left.messages + messages{1};
        // A summary that will be taken for a user message may not become the first one.
        auto first = group{};
        for (auto const which : draft.groups())
            if (draft.holds_task(which) && !draft.edits().knows_summaries() && (draft.undroppable(which) || kept.holds(which)))
                first = which;
        chosen found;
        bool fresh = false;
        unsigned summaries = 0;
        for (auto const which : draft.groups()) {
            auto const facts = draft.about(which);
            // A rule reads a summary that later runs will not know as they will read it: as a message.
            auto const summary = facts.summary || (!by_rule && which.is_summary());
            // Nor may it be the turn that makes an earlier call, which still waits, a dead one.
            if (facts.open && found.groups.empty() && !draft.edits().knows_summaries()) break;
            // Nor the latest one: the user's own latest words would be free to go in a later run.
            bool const kept_as_task = draft.holds_task(which) && !facts.has_calls && kept.holds(which);
            if (facts.latest_user && !kept_as_task && found.groups.empty() && !draft.edits().knows_summaries()) break;
            if (draft.undroppable(which)) continue;
            bool const earlier = summary || which.is_summary();
            if (!earlier && (which.slot() < first.slot() || kept.holds(which) || pass.enough(left))) continue;
            if (!by_rule && !found.groups.empty() && found.cost + facts.cost > most) {
                found.more = true;
                break;
            }
            found.groups.push_back(which);
            found.cost += facts.cost;
            left.tokens = whole - draft.measured(found.cost);
            left.messages = left.messages - messages{facts.count};
            left.turns = left.turns - turns{facts.plain_user ? 1u : 0u};
            summaries += earlier ? 1u : 0u;  // two of them, where a model could not read all at once, become one
            fresh = fresh || !summary || summaries > 1;
        }
        if (!fresh) found.groups.clear();
        return found;
    }

    constexpr tokens limit_of(auto const& draft, auto const& pass, cost replaced) const noexcept {
        auto most = size.count >> (pass.pressure() < 63 ? pass.pressure() : 63);
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
                auto const speaker =
                    facts.summary || which.is_summary() ? role::user : draft.outline().message_at(part.message_index).speaker;
                reader.see(speaker, seen, facts.summary);
            });
        }
    }

    std::string write(auto& draft, auto& pass, std::vector<group> const& groups, tokens limit) const {
        if constexpr (by_rule) {
            auto notes = with.open();
            tell(draft, groups, notes);
            return notes.text({detail::mul_capped(limit.count, 3)});
        } else {
            summary_prompt prompt;
            tell(draft, groups, prompt);
            return pass.ask(with, prompt.text(limit, pass.request().focus), {.answer = limit});
        }
    }
};

}  // namespace v1
}  // namespace condense
