// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <condense/core/edit.hpp>  // before `task` and `pinned` below, which its enumerators would shadow
#include <condense/core/handles.hpp>
#include <condense/core/usage.hpp>
#include <condense/detail/address.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/unset.hpp>
#include <condense/policy/zone.hpp>

// What a layer leaves alone: task | first(1_messages) | last(15_pct) | newest(40'000_tokens) |
// tools("read_file", "memory_*") | errors | unanswered. Each step of pressure halves protections by position, and the
// top lifts them; protections by content bind in routine runs only.

namespace condense {
inline namespace v1 {

/// A policy of what to leave alone. Either a predicate on part_view, which protects by content; or a type that declares
/// `using is_protection = void` and
///
///     detail::zone zone_in(reader, detail::pressure_level) const     the positions that it protects (policy/zone.hpp)
///     bool holds(part_view const&) const                             optional: content that it protects besides
///
/// It should compare, so that the layer with it does. zone_in is called once for each hook of a layer, before it edits;
/// a group is protected if any of its messages or parts is. Shares must not be of the present number of messages or
/// tokens: what is protected would shrink with each run, and no run would be the last.
template <class Policy>
concept protection = requires { typename Policy::is_protection; } || std::predicate<Policy const&, part_view const&>;

/// The first plain user message but greetings and commands, or the one that a session names. Has no zone: it is found
/// by the outline, wherever it stands.
struct task_t {
    using is_protection = void;
    template <class Reader>
    constexpr detail::zone zone_in(Reader const&, detail::pressure_level) const noexcept {
        return {};
    }
    friend constexpr bool operator==(task_t, task_t) = default;
};

/// Everything after the assistant's newest message, which is what no answer has followed; a call whose result it has
/// yet to read is none. Binds under pressure, too; the top lifts it, because there nothing else may be left to drop.
struct unanswered_t {
    using is_protection = void;
    template <class Reader>
    constexpr detail::zone zone_in(Reader const& reader, detail::pressure_level level) const noexcept {
        if (level.top) return {};
        auto const& facts = reader.outline();
        auto const answer = facts.latest_answer();
        if (answer == detail::none32) return {.tail = 0};
        auto first = detail::place_of(answer) + 1;
        if (!facts.open(facts.group_of(answer))) return {.tail = first};
        // Then the user's messages before it wait as well, back to what the assistant has said before.
        for (auto index = answer; index-- > 0;) {
            auto const& message = facts.message_at(index);
            if (message.speaker == role::assistant && !facts.open(facts.group_of(index))) break;
            if (message.plain_user) first = detail::place_of(index);
        }
        return {.tail = first};
    }
    friend constexpr bool operator==(unanswered_t, unanswered_t) = default;
};

/// Nothing but what is always protected: system messages, pins, open groups and the latest user message.
struct nothing_t {
    using is_protection = void;
    template <class Reader>
    constexpr detail::zone zone_in(Reader const&, detail::pressure_level) const noexcept {
        return {};
    }
    friend constexpr bool operator==(nothing_t, nothing_t) = default;
};

/// The first messages that are present.
struct first_messages {
    using is_protection = void;
    messages count = {};
    template <class Reader>
    constexpr detail::zone zone_in(Reader const& reader, detail::pressure_level level) const noexcept {
        return {.head = detail::after_first(reader, level.eased(count.count))};
    }
    friend constexpr bool operator==(first_messages, first_messages) = default;
};

/// The last messages: a count of them; a share of the message limit in `when`, or else of the input in tokens; whole
/// turns; or everything from the last few results on, not counting results that the same policy protects by content.
/// Counts of messages, turns and results do not fall below one until the top.
template <class Quantity>
struct last_of {
    using is_protection = void;
    Quantity count = {};

    template <class Reader>
    constexpr detail::zone zone_in(Reader const& reader, detail::pressure_level level) const
        noexcept(!std::same_as<Quantity, results>) {
        if constexpr (std::same_as<Quantity, messages>)
            return {.tail = detail::last_messages(reader, level.eased_to_one(count.count))};
        else if constexpr (std::same_as<Quantity, percent>) {
            if (level.message_limit.count != 0)
                return {.tail = detail::last_messages(reader, level.eased_to_one(count.of(level.message_limit).count))};
            return {.tail = detail::newest_within(
                        reader, reader.within({level.eased(count.of(reader.limits().input()).count)}))};
        } else if constexpr (std::same_as<Quantity, results>) {
            auto remaining = level.eased_to_one(count.count);
            auto begin = detail::place_count(reader);
            for (auto place = begin; remaining != 0 && (place = reader.previous_sent(place)) != detail::none32;) {
                auto const result_count = place % 2 == 0 ? 0 : detail::results_in(reader, place / 2, level);
                if (result_count != 0) begin = place;
                remaining -= result_count < remaining ? result_count : remaining;
            }
            return {.tail = begin};
        } else {
            auto remaining = level.eased_to_one(count.count);
            auto begin = detail::place_count(reader);
            for (auto place = begin; remaining != 0 && (place = reader.previous_sent(place)) != detail::none32;) {
                if (!begins_turn(reader, place)) continue;
                begin = place;
                --remaining;
            }
            return {.tail = begin};
        }
    }

private:
    /// A summary begins a turn if later readers will take it for a user message.
    template <class Reader>
    static constexpr bool begins_turn(Reader const& reader, std::uint32_t place) noexcept {
        if (place % 2 == 0) return reader.about(group{place / 2}.summary()).starts_turn;
        return reader.outline().message_at(place / 2).plain_user;
    }

public:
    friend constexpr bool operator==(last_of const&, last_of const&) = default;
};

/// The newest messages that fit a count of tokens; with Cover, the fewest that reach it. Counts as used() does, with
/// the scale of reported usage.
template <bool Cover>
struct newest_tokens {
    using is_protection = void;
    tokens count = {};

    template <class Reader>
    constexpr detail::zone zone_in(Reader const& reader, detail::pressure_level level) const noexcept {
        auto const limit = reader.within({level.eased(count.count)});
        if constexpr (!Cover) return {.tail = detail::newest_within(reader, limit)};
        else {
            cost sum;
            return {.tail = detail::before_last(reader, [&](std::uint32_t place) {
                        if (sum >= limit) return false;
                        sum += detail::cost_at(reader, place);
                        return true;
                    })};
        }
    }
    friend constexpr bool operator==(newest_tokens, newest_tokens) = default;
};

/// Calls and results of the tools with these names; `*` matches any characters, `?` one. The names must outlive it.
template <std::size_t Count>
struct tools_named {
    using is_protection = void;
    std::array<std::string_view, Count> patterns = {};

    template <class Reader>
    constexpr detail::zone zone_in(Reader const&, detail::pressure_level) const noexcept {
        return {};
    }
    constexpr bool holds(part_view const& part) const noexcept {
        for (auto const pattern : patterns)
            if (!part.tool.empty() && detail::matches_glob(part.tool, pattern)) return true;
        return false;
    }
    friend constexpr bool operator==(tools_named const&, tools_named const&) = default;
};

/// Parts with status error.
struct errors_t {
    using is_protection = void;
    template <class Reader>
    constexpr detail::zone zone_in(Reader const&, detail::pressure_level) const noexcept {
        return {};
    }
    constexpr bool holds(part_view const& part) const noexcept { return part.status == part_status::error; }
    friend constexpr bool operator==(errors_t, errors_t) = default;
};

/// Parts for which a predicate on part_view is true; a bare predicate becomes this where a policy is needed.
template <class Predicate>
struct parts_where {
    using is_protection = void;
    Predicate predicate;

    template <class Reader>
    constexpr detail::zone zone_in(Reader const&, detail::pressure_level) const noexcept {
        return {};
    }
    constexpr bool holds(part_view const& part) const { return predicate(part); }
    friend bool operator==(parts_where const&, parts_where const&) = default;
};

namespace detail {

template <class Policy>
struct policy_type {
    using type = parts_where<Policy>;
};
template <class Policy>
    requires requires { typename Policy::is_protection; }
struct policy_type<Policy> {
    using type = Policy;
};
/// Policy itself, or parts_where if it is a bare predicate.
template <class Policy>
using policy_of = typename policy_type<Policy>::type;

}  // namespace detail

/// What another policy protects by position, but no more of it than a share. Of a message limit the head takes its part
/// first and the tail the rest. Of the input in tokens the share limits the tail alone: the cost of a head changes as
/// messages are dropped, and a limit that moves with each run would never come to rest.
template <protection Policy>
struct at_most_of {
    using is_protection = void;
    percent share = {};
    Policy policy = detail::slot_default<Policy>();

    template <class Reader>
    constexpr detail::zone zone_in(Reader const& reader, detail::pressure_level level) const {
        auto zone = policy.zone_in(reader, level);
        if (level.message_limit.count == 0) {
            auto const token_tail = detail::newest_within(reader, reader.within(share.of(reader.limits().input())));
            return {zone.head, zone.tail > token_tail ? zone.tail : token_tail};
        }
        auto remaining = share.of(level.message_limit).count;
        std::uint32_t head = 0;
        auto const end = zone.head < detail::place_count(reader) ? zone.head : detail::place_count(reader);
        for (; remaining != 0 && head < end; --remaining) {
            head = reader.next_sent(head);
            head = head < end ? head + 1 : end;
        }
        auto const tail = detail::before_last(reader, [&](std::uint32_t place) {
            return remaining != 0 && place >= zone.tail && place >= head && remaining-- != 0;
        });
        return {head, tail};
    }
    constexpr bool holds(part_view const& part) const {
        if constexpr (requires { policy.holds(part); }) return policy.holds(part);
        else return false;
    }
    friend bool operator==(at_most_of const&, at_most_of const&) = default;
};

/// What `left` or `right` protects, made by `left | right`.
template <protection Left, protection Right>
struct either {
    using is_protection = void;
    Left left = detail::slot_default<Left>();
    Right right = detail::slot_default<Right>();

    template <class Reader>
    constexpr detail::zone zone_in(Reader const& reader, detail::pressure_level level) const {
        return left.zone_in(reader, level).joined(right.zone_in(reader, level));
    }
    constexpr bool holds(part_view const& part) const {
        if constexpr (requires { left.holds(part); })
            if (left.holds(part)) return true;
        if constexpr (requires { right.holds(part); }) return right.holds(part);
        else return false;
    }
    friend bool operator==(either const&, either const&) = default;
};

namespace detail {

/// True if the policy protects the task: known at compile time, so that others do not look for it.
template <class Policy>
inline constexpr bool includes_task = std::same_as<Policy, task_t>;
template <class Left, class Right>
inline constexpr bool includes_task<either<Left, Right>> = includes_task<Left> || includes_task<Right>;
template <class Policy>
inline constexpr bool includes_task<at_most_of<Policy>> = includes_task<Policy>;

/// True if the policy protects by content, so that texts have to be read.
template <class Policy>
inline constexpr bool reads_parts = requires(Policy const& policy, part_view const& part) { policy.holds(part); };
template <class Left, class Right>
inline constexpr bool reads_parts<either<Left, Right>> = reads_parts<Left> || reads_parts<Right>;
template <class Policy>
inline constexpr bool reads_parts<at_most_of<Policy>> = reads_parts<Policy>;

/// A protection bound to one draft for one hook of a layer. Positions are computed once, here; messages that the layer
/// drops afterwards do not move them. Refers to the reader.
template <class Policy, class Reader>
class bound_protection {
public:
    constexpr bound_protection(Policy policy, Reader const& reader, pressure_level level)
        : policy_{std::move(policy)}, reader_{address_of(reader)},
          zone_{policy_.zone_in(reader, with_exemption(level))}, routine_{level.pressure == 0},
          task_{includes_task<Policy> && !level.top ? reader.outline().task() : none32},
          task_group_{task_ != none32 ? reader.outline().group_of(task_) : none32}, by_zone_{zone_ != zone{}} {}

    /// By position, of the message with this index.
    constexpr bool holds(std::uint32_t index) const noexcept {
        return zone_.holds(place_of(index)) || (includes_task<Policy> && index == task_);
    }
    /// True if only a tail protects it, which it will leave as messages arrive; false also if nothing protects it.
    constexpr bool holds_for_now(std::uint32_t index) const noexcept {
        return place_of(index) >= zone_.head && place_of(index) >= zone_.tail && holds(index);
    }
    constexpr bool holds_for_now(group which) const {
        return place_of(which.id()) >= zone_.head && place_of(which.id()) >= zone_.tail && holds(which);
    }
    /// How many present messages and summaries the tail protects, for the report. Costs a walk over them.
    constexpr std::uint64_t newest() const noexcept {
        std::uint64_t count = 0;
        auto const begin = zone_.tail > zone_.head ? zone_.tail : zone_.head;
        for (auto place = reader_->next_sent(begin < place_count(*reader_) ? begin : place_count(*reader_));
             place < place_count(*reader_); place = reader_->next_sent(place + 1))
            ++count;
        return count;
    }
    /// By content, which binds in routine runs only.
    constexpr bool holds(part_view const& part) const {
        if constexpr (reads_parts<Policy>) return routine_ && policy_.holds(part);
        else return false;
    }
    /// By position or content of any member. Reads the texts of the group only if the policy protects by content.
    constexpr bool holds(group which) const {
        // Without positions, and without content, only the task can be protected: no walk over the members.
        if constexpr (!reads_parts<Policy>)
            if (!by_zone_) return includes_task<Policy> && which.index == task_group_;
        return which.is_summary() ? zone_.holds(2 * which.id()) : holds_member_of(which);
    }

private:
    constexpr bool holds_member_of(group which) const {
        bool is_held = false;
        reader_->each_member(which, [&](std::uint32_t index) { is_held = is_held || holds(index); });
        if constexpr (reads_parts<Policy>)
            if (routine_ && !is_held)
                reader_->each_part(which,
                                   [&](part_ref, part_view const& part) { is_held = is_held || policy_.holds(part); });
        return is_held;
    }

    /// Lets last(n_results) skip what another part of the same policy protects. Type-erased because either<> passes the
    /// level on to policies that do not know the whole.
    constexpr pressure_level with_exemption(pressure_level level) const noexcept {
        if constexpr (reads_parts<Policy>) {
            level.policy = address_of(policy_);
            level.exempt = [](void const* policy, part_view const& part) {
                return static_cast<Policy const*>(policy)->holds(part);
            };
        }
        return level;
    }

    Policy policy_;
    Reader const* reader_;
    zone zone_;
    bool routine_;
    std::uint32_t task_;  ///< the message that is protected as the task, and its group; none32 where none is
    std::uint32_t task_group_;
    bool by_zone_;  ///< some position is protected
};

}  // namespace detail

inline constexpr task_t task{};
inline constexpr unanswered_t unanswered{};
inline constexpr nothing_t nothing{};
inline constexpr errors_t errors{};
/// Pins always bind, whatever a layer protects; this lets a policy say so.
inline constexpr nothing_t pinned{};

/// `first(1_messages)`.
constexpr first_messages first(messages count) noexcept { return {count}; }
/// `last(8_messages)`, `last(15_pct)`, `last(1_turns)`, `last(6_results)`.
template <class Quantity>
    requires std::same_as<Quantity, messages> || std::same_as<Quantity, percent> || std::same_as<Quantity, turns> ||
             std::same_as<Quantity, results>
constexpr last_of<Quantity> last(Quantity count) noexcept {
    return {count};
}
/// The newest messages that together cost at most `count`; ends at the first that does not fit.
constexpr newest_tokens<false> newest(tokens count) noexcept { return {count}; }
/// The fewest newest messages that together cost at least `count`.
constexpr newest_tokens<true> covering(tokens count) noexcept { return {count}; }

/// `tools("read_file", "memory_*")`.
template <std::convertible_to<std::string_view>... Patterns>
constexpr tools_named<sizeof...(Patterns)> tools(Patterns const&... patterns) noexcept {
    return {{std::string_view{patterns}...}};
}

/// `at_most(50_pct, last(20_messages))`: a share of the message limit in `when` if it has one, else of the input.
template <protection Policy>
constexpr at_most_of<Policy> at_most(percent share, Policy policy) {
    detail::reject_unless(share.basis_points <= percent::one_hundred,
                          "condense: at_most: a share must be at most 100 % of the window (see protection)");
    return {share, std::move(policy)};
}

/// Protects what either protects.
template <protection Left, protection Right>
constexpr auto operator|(Left left, Right right) {
    using left_type = detail::policy_of<Left>;
    using right_type = detail::policy_of<Right>;
    return either<left_type, right_type>{left_type{std::move(left)}, right_type{std::move(right)}};
}

}  // namespace v1
}  // namespace condense
