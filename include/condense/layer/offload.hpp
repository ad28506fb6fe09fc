// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <condense/core/layer.hpp>
#include <condense/core/recovery_names.hpp>
#include <condense/detail/unset.hpp>
#include <condense/layer/arrival_memory.hpp>
#include <condense/layer/slots.hpp>
#include <condense/policy/worth.hpp>
#include <condense/shorten/head_tail.hpp>

// Stores large tool results and leaves a preview with a reference: offload{.over = 10'000_chars,
// .into = condense::memory_store{}}.

namespace condense {
inline namespace v1 {

namespace detail {

/// False if a text over the limit could fit whole into a preview that keeps at most `preview`. Compares characters and
/// bytes with each other, since a character is at least one byte; lines, tokens and shares of unknown length only with
/// their own kind.
constexpr bool fits_below(text_limit const& preview, part_limit const& limit) noexcept {
    auto const& over = limit.text;
    auto const bounded = [](std::uint64_t count) { return count != u64_limit; };
    auto const least_bytes = preview.bytes.count < preview.chars.count ? preview.bytes.count : preview.chars.count;
    if (bounded(over.chars.count) && bounded(preview.chars.count) && preview.chars >= over.chars) return false;
    if (bounded(over.bytes.count) && bounded(least_bytes) && least_bytes >= over.bytes.count) return false;
    if (over.by_share() && preview.by_share() && preview.share >= over.share) return false;
    return !bounded(over.lines.count) || !bounded(preview.lines.count) || preview.lines < over.lines;
}

/// Up to which message no large result is left to store, so that a run need not look for one there. Forgetting it costs
/// time only.
class stored_results {
public:
    /// The first message at which to look for parts that are `large`.
    template <class Draft>
    constexpr std::uint64_t end(Draft const& draft, large_parts const& large) const noexcept {
        bool const same = restorations_ == draft.edits().restorations() && least_size_ == large.least_size &&
                          most_cost_ == large.most_cost;
        return same ? end_ : 0;
    }
    template <class Draft>
    constexpr void note(Draft const& draft, large_parts const& large, std::uint64_t end) noexcept {
        *this = {};
        end_ = end;
        restorations_ = draft.edits().restorations();
        least_size_ = large.least_size;
        most_cost_ = large.most_cost;
    }
    constexpr void rewind(std::uint64_t first) noexcept { end_ = first < end_ ? first : end_; }

private:
    std::uint64_t end_ = 0;
    std::uint64_t restorations_ = 0;
    std::uint64_t least_size_ = 0;
    cost most_cost_ = {};
};

/// The memory of `offload`: that of its arrivals, which is saved, and what is stored, which is not.
template <class When>
struct offload_memory {
    arrival_memory<When> arrivals = {};
    stored_results stored = {};

    std::string save() const {
        if constexpr (requires { arrivals.save(); }) return arrivals.save();
        else return {};
    }
    bool load(std::string_view text, std::size_t message_count) {
        stored = {};
        if constexpr (requires { arrivals.load(text, message_count); }) return arrivals.load(text, message_count);
        else return text.empty();
    }
    void rewind(std::uint64_t first) noexcept {
        stored.rewind(first);
        if constexpr (requires { arrivals.rewind(first); }) arrivals.rewind(first);
    }
};

}  // namespace detail

/// Loses nothing that the store keeps; costs one pass over each result that is over the limit, and one put. A result
/// that the store refuses stays whole. Acts on arrival and in reduce, in open groups too, because the original can be
/// read back. Each step of pressure halves the preview, the last one `over`, too. With `.when = always` a session
/// returns to results that a tail protected on arrival. Results of the tools of `recovery_tools` are left alone, up to
/// `most_recovered`, so that what the agent reads back is not stored again; protect tools of your own that do the same.
template <condition When = trigger, protection Protect = nothing_t, class Worth = least_gain, class Preview = head_tail,
          class Store = detail::unset>
struct offload {
    When when = detail::slot_default<When>(always);
    target until = {};
    Protect protect = detail::slot_default<Protect>();
    Worth worth = detail::slot_default<Worth>();
    /// Exclusive; the default is that of the preset `cascade`. With `40_pct`, and a preview of `18_pct` of the window
    /// at either end, no result is too large for a request.
    part_limit over = chars{10'000};
    /// What stays; by default 2,000 characters of either end. Must keep less than `over`.
    Preview preview = detail::slot_default<Preview>(head_tail{chars{2'000}, chars{2'000}, {}});
    Store into = detail::slot_default<Store>();
    wording words = {};  ///< of the preview's marker, before the reference
    std::string_view label = {};  ///< the layer's name in reports, which it must outlive

    static_assert(detail::check_shortener<Preview>());
    static_assert(!std::is_same_v<Store, detail::unset>,
                  "condense: offload: `into` must name a store, such as condense::memory_store{} (see artifact_store)");
    static_assert(std::is_same_v<Store, detail::unset> || detail::check_store<Store>());

    static constexpr effect effects = externalizes | keeps;
    /// True if the store's content outlives the process.
    static constexpr bool durable = requires { requires Store::durable; };
    /// With `always` also messages that it was not free to edit when they arrived.
    using memory = detail::offload_memory<When>;

    constexpr void validate() const {
        detail::check_target(when, until);
        if constexpr (requires { preview.validate(); }) preview.validate();
        words.validate();
        if constexpr (requires { preview.most(); })
            detail::reject_unless(detail::fits_below(preview.most(), over),
                                  "condense: offload: the preview must be smaller than `over` (see offload)");
    }

    void arrive(auto& draft, sequence arrived, auto& pass) const {
        auto const protected_set = detail::bind_protection(protect, draft, pass);
        auto const large = detail::large_parts::of(over, draft);
        auto const act = [&](sequence number) {
            bool deferred = false;
            draft.each_part_of(number, [&](part_ref part) {
                static_cast<void>(store(draft, part, protected_set, large, pass));
                deferred = deferred || is_deferred(draft, part, protected_set, large);
            });
            return deferred;
        };
        detail::each_arrived(when, pass.memory.arrivals, draft, protected_set, arrived, true, act);
        if (pass.memory.stored.end(draft, large) == arrived.number && none_from(draft, arrived.number, 0, large))
            pass.memory.stored.note(draft, large, arrived.number + 1);
    }

    void reduce(auto& draft, auto& pass) const {
        // First, because it reads no text and binds no protection: the usual case in a session.
        auto const large = detail::large_parts::of(limit_in(pass), draft);
        auto const first = pass.pressure() == 0 ? pass.memory.stored.end(draft, large) : 0;
        if (none_from(draft, first, pass.pressure(), large)) {
            if (pass.pressure() == 0) pass.memory.stored.note(draft, large, draft.outline().size());
            return pass.idle_as(none_left);
        }
        if (pass.enough()) return pass.idle_as(detail::target_reached);
        auto const protected_set = detail::bind_protection(protect, draft, pass);
        bool beyond_tail = false;  // protected otherwise than as one of the newest messages
        bool spared = false;
        for (auto const which : draft.groups()) {
            if (pass.enough()) return;
            draft.each_part_of(which, [&](part_ref part) {
                if (pass.enough() || !store(draft, part, protected_set, large, pass)) return;
                spared = true;
                beyond_tail = beyond_tail || !protected_set.holds_for_now(part.message_index);
            });
        }
        if (!spared) pass.idle_as(none_left);
        else if (beyond_tail) pass.idle_as(detail::all_protected);
        else pass.idle_as(detail::all_newest, protected_set.newest());
    }

    friend bool operator==(offload const&, offload const&) = default;

private:
    /// At the top of pressure halved as the preview is: a result in the open round, which no layer may drop, has to
    /// become shorter there even if it is within `over`.
    constexpr part_limit limit_in(auto const& pass) const noexcept {
        return pass.top() ? over.halved(detail::halvings_of(pass)) : over;
    }

    /// True if each large part of messages from `first` on has been stored already, as it has where results are stored
    /// on arrival. Under pressure previews may get shorter, so then only if no part is large.
    static bool none_from(auto const& draft, std::uint64_t first, unsigned pressure,
                          detail::large_parts const& large) noexcept {
        auto const& facts = draft.outline();
        auto const end = static_cast<std::uint32_t>(2 * facts.size());
        for (auto place = draft.next_sent(static_cast<std::uint32_t>(2 * first)); place < end;
             place = draft.next_sent(place + 1)) {
            if (place % 2 == 0) continue;  // a summary
            for (auto const part_id : facts.message_at(place / 2).parts())
                if (large.may_hold(facts.part_at(part_id)) && !is_done(draft, draft.part_at(part_id), pressure))
                    return false;
        }
        return true;
    }

    /// For a large part: it is stored, or not there any more. A function of its own, as few parts are large.
    [[gnu::noinline]] static bool is_done(auto const& draft, part_ref part, unsigned pressure) noexcept {
        return draft.is_removed(part) || (pressure == 0 && draft.about(part).externalized);
    }

    /// True if the part is large, not stored, and will be free once the conversation has gone on.
    static bool is_deferred(auto const& draft, part_ref part, auto const& protected_set,
                            detail::large_parts const& large) noexcept {
        if (!large.may_hold(draft.outline().part_at(part.part_id)) || draft.about(part).externalized) return false;
        return protected_set.holds_for_now(part.message_index) || part.message_index == draft.outline().latest_user();
    }

    /// True for what an agent has read back.
    static constexpr bool is_recovered(part_view const& result) noexcept {
        return is_recovery_tool(result.tool) && detail::utf8::count(result.text) <= most_recovered.count;
    }

    static constexpr std::string_view none_left = "nothing to do: no result over `over` is left";

    /// Stores one part if it is a result over the limit. True if only `protect` prevents it.
    bool store(auto& draft, part_ref part, auto const& protected_set, detail::large_parts const& large,
               auto& pass) const {
        if (!large.may_hold(draft.outline().part_at(part.part_id))) return false;
        auto const facts = draft.about(part);
        if (facts.kind != part_kind::tool_result || facts.sealed || facts.status == part_status::cancelled)
            return false;
        // Of what an earlier run stored only the preview is here. What this one stored may get a shorter preview, made
        // from the original.
        if (facts.stored_earlier || (facts.externalized && pass.pressure() == 0)) return false;
        if (protected_set.holds(part.message_index)) return true;
        bool spared = false;
        draft.original(part, [&](part_view const& original) {
            if (large.over.of_text(facts.original_cost, draft).holds(original.text) || is_recovered(original)) return;
            if (spared = protected_set.holds(original); spared) return;
            auto const name = pass.reference_of(into, original.text);
            auto shorter = preview(original, {.halvings = detail::halvings_of(pass),
                                              .how = {name, false, false, words},
                                              .window = detail::window_of(draft, facts)});
            if (!shorter) return;
            // The reference is a hash of the content, so the marker can name it before the put, which is made only if
            // the edit stands.
            auto const refused = draft.externalize(part, std::move(*shorter), name);
            if (refused) pass.note(refused);
            else pass.keep(into, name, part);
        });
        return spared;
    }
};

}  // namespace v1
}  // namespace condense
