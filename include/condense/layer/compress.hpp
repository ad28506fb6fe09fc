// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/layer.hpp>
#include <condense/core/pass.hpp>
#include <condense/detail/unset.hpp>
#include <condense/layer/arrival_memory.hpp>
#include <condense/layer/exhausted_parts.hpp>
#include <condense/layer/slots.hpp>
#include <condense/policy/order.hpp>
#include <condense/policy/worth.hpp>
#include <condense/shorten/head_tail.hpp>
#include <condense/shorten/shortener.hpp>

// Shortens parts in place: compress{.when = used >= 65_pct, .with = first_of(json_sample{}, head_tail{})}.
// The shortener declares the kinds of parts it applies to, by default tool results.

namespace condense {
inline namespace v1 {

/// Replaces parts by shorter texts. Loses what the shortener leaves out; costs one pass over each part that is over the
/// limit, in a session only while it gives something. Acts on arrival, unless the shortener needs the whole
/// conversation, and in reduce in the order given. With `.when = always` a session returns to parts that were protected
/// or open on arrival as soon as they may be edited.
///
/// Starts from the text that the layers before it have left, so two of them compose. Each step of pressure halves what
/// is kept, and starts again from the text that this layer started from, so that cuts do not pile up.
template <condition When = trigger, protection Protect = task_t, class Worth = least_gain, class Shortener = head_tail>
struct compress {
    When when = detail::slot_default<When>(used >= percent{6'500});
    target until = {};
    Protect protect = detail::slot_default<Protect>();
    Worth worth = detail::slot_default<Worth>();
    candidate_order order = oldest_first;
    part_limit over = chars{10'000};  ///< for shorteners without their own limit; the default is that of `cascade`
    Shortener with = detail::slot_default<Shortener>();
    wording words = {};  ///< what markers say about where the original is
    std::string_view label = {};  ///< the layer's name in reports, which it must outlive

    static_assert(detail::check_shortener<Shortener>());

    static constexpr effect effects = shortens;
    /// With `always` messages that it was not free to edit when they arrived; and parts that give nothing more.
    using memory = detail::compress_memory<When>;

    constexpr void validate() const {
        detail::check_target(when, until);
        if constexpr (requires { with.validate(); }) with.validate();
        words.validate();
    }

    /// Only for shorteners that compare messages: they could not act on arrival, so `always` makes reduce due in every
    /// run. Without this member a layer that acts on arrival would be due only if the request does not fit.
    constexpr bool due(usage const& current) const noexcept
        requires(detail::sees_others<Shortener>())
    {
        return when.due(current);
    }

    void arrive(auto& draft, sequence arrived, auto& pass) const {
        auto const protected_set = detail::bind_protection(protect, draft, pass);
        auto const shorten_part = detail::bind_shortener(with, detail::no_conversation{});
        auto const act = [&](sequence number) {
            bool deferred = false;
            draft.each_part_of(number, [&](part_ref part) {
                auto const reason = shorten(draft, part, protected_set, shorten_part, pass, nullptr);
                deferred = deferred || reason == skip_reason::bound ||
                           (reason == skip_reason::spared && protected_set.holds_for_now(part.message_index));
            });
            return deferred;
        };
        detail::each_arrived(when, pass.memory.arrivals, draft, protected_set, arrived, draft.open_allowed(), act);
    }

    void reduce(auto& draft, auto& pass) const {
        if (pass.enough()) return pass.idle_as(detail::target_reached);
        auto const protected_set = detail::bind_protection(protect, draft, pass);
        auto const shorten_part = detail::bind_shortener(with, draft);
        // Why parts were passed over, for the report; the first of these that is true is the reason given.
        bool beyond_tail = false;  // protected otherwise than as one of the newest messages
        bool spared = false;
        bool within = false;
        std::vector<detail::exhausted_parts::entry> exhausted;
        for (auto const& candidate : candidates(draft, order)) {
            if (pass.enough()) break;
            auto const reason = shorten(draft, candidate.part, protected_set, shorten_part, pass, &exhausted);
            spared = spared || reason == skip_reason::spared;
            beyond_tail = beyond_tail ||
                          (reason == skip_reason::spared && !protected_set.holds_for_now(candidate.part.message_index));
            within = within || reason == skip_reason::within;
        }
        pass.memory.exhausted.replace(detail::halvings_of(pass), std::move(exhausted));
        if (beyond_tail) pass.idle_as(detail::all_protected);
        else if (spared) pass.idle_as(detail::all_newest, protected_set.newest());
        else if (within) pass.idle_as(detail::all_within_over);
        else pass.idle_as("nothing to do: no part is one that it shortens any further");
    }

    friend bool operator==(compress const&, compress const&) = default;

private:
    /// `tried` stands for a part that was shortened, too; `bound` for one that this run may not edit, but a later may.
    enum class skip_reason { tried, spared, within, bound };

    /// Shortens one part as far as this pass may; returns why it is as it was, if it is. Adds to `exhausted`, if any, a
    /// part that gives nothing more, and does not read one that gave nothing in the run before.
    skip_reason shorten(auto& draft, part_ref part, auto const& protected_set, auto const& shorten_part, auto& pass,
                        std::vector<detail::exhausted_parts::entry>* exhausted) const {
        auto const facts = draft.about(part);
        auto const halvings = detail::halvings_of(pass);
        auto const context_of = [&](auto const& about) {
            return cut{halvings,
                       {about.stored, pass.recorded(), false, words},
                       over.halved(halvings).of_text(about.cost, draft),
                       detail::window_of(draft, about)};
        };
        auto context = context_of(facts);
        if (facts.stored_earlier) return skip_reason::tried;  // already a preview: its reference must not be cut off
        // First by size and kind alone, which reads no text; then as if it were huge, to tell "too short" from "wrong
        // kind" in the report.
        if (!detail::may_apply(with, facts.kind, facts.sealed, facts.original_size, context))
            return detail::may_apply(with, facts.kind, facts.sealed, bytes{detail::u64_limit}, context)
                       ? skip_reason::within
                       : skip_reason::tried;
        if (protected_set.holds(part.message_index)) return skip_reason::spared;
        if (detail::sees_others<Shortener>()) exhausted = nullptr;  // its result may change with other parts
        detail::part_attempt attempt;
        detail::exhausted_parts::entry const* known = nullptr;
        if (exhausted != nullptr) {
            attempt = detail::part_attempt::of(draft, part, facts.cost, context);
            known = draft.unshortenable(part) ? nullptr : pass.memory.exhausted.find(attempt);
            if (known != nullptr && !known->written) {
                if (known->tried) pass.note(known->refused);
                exhausted->push_back(*known);
                return skip_reason::tried;
            }
        }
        bool spared = false;
        std::optional<std::string> shorter;
        // Leaves in `shorter` a text that the shortener would not shorten again: a later run may see only that.
        auto const settle = [&](part_view const& current) {
            shorter.reset();
            spared = protected_set.holds(current);
            if (spared) return;
            shorter = settled(current, [&](part_view const& text) {
                auto result = shorten_part(part, text, context);
                context.how.shortened = context.how.shortened || result;
                return result;
            });
        };
        auto const edit = [&]() -> refusal {
            if (!shorter) return refusal::not_smaller;
            if constexpr (detail::removes_parts<Shortener>())
                if (shorter->empty()) return draft.remove(part);
            return draft.shorten(part, std::move(*shorter));
        };
        // So that the marker of a second cut can say how much of the original is left; unknown after an earlier run.
        auto const count_original = [&] {
            if (draft.outline().part_at(part.part_id).earlier == detail::earlier_edit::none)
                draft.original(part, [&](part_view const& original) {
                    context.how.original = detail::utf8::count(original.text);
                });
        };
        // What is known of it now: the present text is cut from its input.
        if (known == nullptr)
            draft.layer_input(part, [&](part_view const& current, bool cut_before) {
                context.how.shortened = cut_before;
                if (cut_before) count_original();
                settle(current);
            });
        bool const was_shorter = known != nullptr || shorter.has_value();
        auto refused = known != nullptr ? known->refused : edit();
        bool const is_new = !refused;
        // The original gives nothing smaller than what an earlier turn left of the part. Try that text: a later process
        // may see no more than it, and must not find something to shorten there.
        if (refused == refusal::not_smaller && halvings == 0 && draft.edits().edit_at(part.part_id) != 0) {
            context.how.shortened = true;
            count_original();
            draft.present_part(part, [&](part_view const& current) {
                settle(current.kind == part_kind::media
                           ? part_view{.text = current.text, .tool = current.tool, .call = current.call}
                           : current);
            });
            if (shorter) refused = edit();
        }
        if (was_shorter || !refused) pass.note(refused);
        if (exhausted != nullptr && refused == refusal::not_smaller && !spared)
            exhausted->push_back({attempt, refused, was_shorter});
        // Another sweep of this run would cut the same from the same text, if all else is as it was.
        if (exhausted != nullptr && is_new && !draft.is_removed(part)) {
            auto const now = draft.about(part);
            auto const next = detail::part_attempt::of(draft, part, now.cost, context_of(now));
            attempt.present = next.present;
            attempt.cost = next.cost;
            if (next == attempt) exhausted->push_back({next, refusal{now.cost, now.cost}, true, true});
        }
        if (refused == refusal::open || refused == refusal::latest_user) return skip_reason::bound;
        return spared ? skip_reason::spared : skip_reason::tried;
    }
};

}  // namespace v1
}  // namespace condense
