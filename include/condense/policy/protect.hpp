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
// tools("read_file", "memory_*") | errors | unanswered. Positions are halved with every step of pressure and
// lifted at the top; what predicates protect binds in routine runs only.

namespace condense {
inline namespace v1 {

/// A policy that marks places; each may add content it recognises (`holds`).
template <class Policy>
concept protection = requires { typename Policy::is_protection; } || std::predicate<Policy const&, part_view const&>;

/// The first plain user message.
struct task_t {
    using is_protection = void;
    template <class Reader>
    constexpr detail::zone zone_in(Reader const&, detail::pressure_level) const noexcept {
        return {};
    }
    friend constexpr bool operator==(task_t, task_t) = default;
};

/// All since the newest message of the assistant's: what the user wrote and no answer has followed. It binds
/// under pressure, and is lifted at the top, where nothing else is left (L16).
struct unanswered_t {
    using is_protection = void;
    template <class Reader>
    constexpr detail::zone zone_in(Reader const& seen, detail::pressure_level how) const noexcept {
        if (how.top) return {};
        auto const answer = seen.outline().latest_answer();
        return {.tail = answer == detail::none32 ? 0 : detail::place_of(answer) + 1};
    }
    friend constexpr bool operator==(unanswered_t, unanswered_t) = default;
};

/// Nothing beyond what the laws protect.
struct nothing_t {
    using is_protection = void;
    template <class Reader>
    constexpr detail::zone zone_in(Reader const&, detail::pressure_level) const noexcept {
        return {};
    }
    friend constexpr bool operator==(nothing_t, nothing_t) = default;
};

struct first_messages {
    using is_protection = void;
    messages count = {};
    template <class Reader>
    constexpr detail::zone zone_in(Reader const& seen, detail::pressure_level how) const noexcept {
        return {.head = detail::after_first(seen, how.eased(count.count))};
    }
    friend constexpr bool operator==(first_messages, first_messages) = default;
};

/// The last messages: a count, a share of the message limit or of the input, whole turns, or those from
/// the last results on, where results that the same policy protects by their tool are not counted.
template <class Quantity>
struct last_of {
    using is_protection = void;
    Quantity count = {};

    template <class Reader>
    constexpr detail::zone zone_in(Reader const& seen, detail::pressure_level how) const
        noexcept(!std::same_as<Quantity, results>) {
        if constexpr (std::same_as<Quantity, messages>)
            return {.tail = detail::last_messages(seen, how.eased_to_one(count.count))};
        else if constexpr (std::same_as<Quantity, percent>) {
            if (how.message_limit.count != 0)
                return {.tail = detail::last_messages(seen, how.eased_to_one(count.of(how.message_limit).count))};
            return {.tail =
                        detail::newest_within(seen, seen.within({how.eased(count.of(seen.limits().input()).count)}))};
        } else if constexpr (std::same_as<Quantity, results>) {
            auto left = how.eased_to_one(count.count);
            auto begin = detail::places(seen);
            for (auto place = begin; left != 0 && place-- > 0;) {
                auto const found =
                    place % 2 == 0 || !detail::is_there(seen, place) ? 0 : detail::results_in(seen, place / 2, how);
                if (found != 0) begin = place;
                left -= found < left ? found : left;
            }
            return {.tail = begin};
        } else {
            auto left = how.eased_to_one(count.count);
            auto begin = detail::places(seen);
            for (auto place = begin; left != 0 && place-- > 0;) {
                if (!detail::is_there(seen, place) || !begins_turn(seen, place)) continue;
                begin = place;
                --left;
            }
            return {.tail = begin};
        }
    }

private:
    template <class Reader>
    static constexpr bool begins_turn(Reader const& seen, std::uint32_t place) noexcept {
        if (place % 2 == 0) return seen.about(group{place / 2}.summary()).starts_turn;
        return seen.outline().message_at(place / 2).plain_user;
    }

public:
    friend constexpr bool operator==(last_of const&, last_of const&) = default;
};

/// The newest messages that fit a count of tokens; with Cover, the fewest that reach it.
template <bool Cover>
struct newest_tokens {
    using is_protection = void;
    tokens count = {};

    template <class Reader>
    constexpr detail::zone zone_in(Reader const& seen, detail::pressure_level how) const noexcept {
        auto const limit = seen.within({how.eased(count.count)});
        if constexpr (!Cover) return {.tail = detail::newest_within(seen, limit)};
        else {
            cost sum;
            return {.tail = detail::before_last(seen, [&](std::uint32_t place) {
                        if (sum >= limit) return false;
                        sum += detail::cost_at(seen, place);
                        return true;
                    })};
        }
    }
    friend constexpr bool operator==(newest_tokens, newest_tokens) = default;
};

/// Calls and results of the tools with these names; `*` and `?` match as in file names.
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

/// Parts for which a callable on part_view says so.
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
/// A policy as it is, a bare predicate as the policy that asks it.
template <class Policy>
using policy_of = typename policy_type<Policy>::type;

}  // namespace detail

/// What another policy marks by position, but no more of it than a share. In messages the head is
/// served first and the tail has the rest. In tokens the share limits the tail alone: what a head
/// costs changes when messages go, and a limit that moves would never come to rest.
template <protection Policy>
struct at_most_of {
    using is_protection = void;
    percent share = {};
    Policy policy = detail::slot_default<Policy>();

    template <class Reader>
    constexpr detail::zone zone_in(Reader const& seen, detail::pressure_level how) const {
        auto found = policy.zone_in(seen, how);
        if (how.message_limit.count == 0) {
            auto const most = detail::newest_within(seen, seen.within(share.of(seen.limits().input())));
            return {found.head, found.tail > most ? found.tail : most};
        }
        auto left = share.of(how.message_limit).count;
        std::uint32_t head = 0;
        for (; left != 0 && head < found.head && head < detail::places(seen); ++head)
            if (detail::is_there(seen, head)) --left;
        auto const tail = detail::before_last(seen, [&](std::uint32_t place) {
            return left != 0 && place >= found.tail && place >= head && left-- != 0;
        });
        return {head, tail};
    }
    constexpr bool holds(part_view const& part) const {
        if constexpr (requires { policy.holds(part); }) return policy.holds(part);
        else return false;
    }
    friend bool operator==(at_most_of const&, at_most_of const&) = default;
};

template <protection Left, protection Right>
struct either {
    using is_protection = void;
    Left left = detail::slot_default<Left>();
    Right right = detail::slot_default<Right>();

    template <class Reader>
    constexpr detail::zone zone_in(Reader const& seen, detail::pressure_level how) const {
        return left.zone_in(seen, how).joined(right.zone_in(seen, how));
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

template <class Policy>
inline constexpr bool includes_task = std::same_as<Policy, task_t>;
template <class Left, class Right>
inline constexpr bool includes_task<either<Left, Right>> = includes_task<Left> || includes_task<Right>;
template <class Policy>
inline constexpr bool includes_task<at_most_of<Policy>> = includes_task<Policy>;

template <class Policy>
inline constexpr bool reads_parts = requires(Policy const& policy, part_view const& part) { policy.holds(part); };
template <class Left, class Right>
inline constexpr bool reads_parts<either<Left, Right>> = reads_parts<Left> || reads_parts<Right>;
template <class Policy>
inline constexpr bool reads_parts<at_most_of<Policy>> = reads_parts<Policy>;

/// A protection bound to one draft for the time of one layer's run.
template <class Policy, class Reader>
class bound_protection {
public:
    constexpr bound_protection(Policy policy, Reader const& seen, pressure_level how)
        : policy_{std::move(policy)}, seen_{address_of(seen)}, zone_{policy_.zone_in(seen, with_exempt(how))},
          routine_{how.pressure == 0}, top_{how.top} {}

    constexpr bool holds(std::uint32_t index) const noexcept {
        return zone_.holds(place_of(index)) || (includes_task<Policy> && !top_ && index == seen_->outline().task());
    }
    /// By its distance from the end alone, which grows as messages come.
    constexpr bool holds_for_now(std::uint32_t index) const noexcept {
        return place_of(index) >= zone_.head && place_of(index) >= zone_.tail && holds(index);
    }
    constexpr bool holds_for_now(group which) const {
        return place_of(which.id()) >= zone_.head && place_of(which.id()) >= zone_.tail && holds(which);
    }
    /// How many messages it holds by that: those that are there.
    constexpr std::uint64_t newest() const noexcept {
        std::uint64_t count = 0;
        for (auto place = places(*seen_); place-- > 0 && place >= zone_.tail && place >= zone_.head;)
            count += is_there(*seen_, place) ? 1u : 0u;
        return count;
    }
    constexpr bool holds(part_view const& part) const {
        if constexpr (reads_parts<Policy>) return routine_ && policy_.holds(part);
        else return false;
    }
    constexpr bool holds(group which) const {
        if constexpr (!reads_parts<Policy>)
            if (zone_ == zone{}) return includes_task<Policy> && !top_ && seen_->holds_task(which);
        return which.is_summary() ? zone_.holds(2 * which.id()) : holds_some_of(which);
    }

private:
    constexpr bool holds_some_of(group which) const {
        bool found = false;
        seen_->each_member(which, [&](std::uint32_t index) { found = found || holds(index); });
        if constexpr (reads_parts<Policy>)
            if (routine_ && !found)
                seen_->each_part(which, [&](part_ref, part_view const& part) { found = found || policy_.holds(part); });
        return found;
    }

    constexpr pressure_level with_exempt(pressure_level how) const noexcept {
        if constexpr (reads_parts<Policy>) {
            how.policy = address_of(policy_);
            how.exempt = [](void const* policy, part_view const& part) {
                return static_cast<Policy const*>(policy)->holds(part);
            };
        }
        return how;
    }

    Policy policy_;
    Reader const* seen_;
    zone zone_;
    bool routine_;
    bool top_;
};

}  // namespace detail

inline constexpr task_t task{};
inline constexpr unanswered_t unanswered{};
inline constexpr nothing_t nothing{};
inline constexpr errors_t errors{};
/// Pins bind by law, whatever a layer protects; the word is there so that a policy can say so.
inline constexpr nothing_t pinned{};

constexpr first_messages first(messages count) noexcept { return {count}; }
template <class Quantity>
    requires std::same_as<Quantity, messages> || std::same_as<Quantity, percent> || std::same_as<Quantity, turns> ||
             std::same_as<Quantity, results>
constexpr last_of<Quantity> last(Quantity count) noexcept {
    return {count};
}
/// Contiguous from the end; stops at the first message that does not fit, and equality fits.
constexpr newest_tokens<false> newest(tokens count) noexcept { return {count}; }
/// Contiguous from the end; the message with which the count is reached belongs to it.
constexpr newest_tokens<true> covering(tokens count) noexcept { return {count}; }

template <std::convertible_to<std::string_view>... Patterns>
constexpr tools_named<sizeof...(Patterns)> tools(Patterns const&... patterns) noexcept {
    return {{std::string_view{patterns}...}};
}

/// The share is of the message limit in `when` where it has one, else of the input.
template <protection Policy>
constexpr at_most_of<Policy> at_most(percent share, Policy policy) {
    detail::reject_unless(share.basis_points <= percent::whole,
                          "condense: at_most: a share must be at most 100 % of the window (see protection)");
    return {share, std::move(policy)};
}

template <protection Left, protection Right>
constexpr auto operator|(Left left, Right right) {
    using left_type = detail::policy_of<Left>;
    using right_type = detail::policy_of<Right>;
    return either<left_type, right_type>{left_type{std::move(left)}, right_type{std::move(right)}};
}

}  // namespace v1
}  // namespace condense
