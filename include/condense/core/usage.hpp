// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <condense/core/quantity.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/text.hpp>

// The budget that a user gives, the usage that is measured against it, and the scale that corrects token counts.

namespace condense {
inline namespace v1 {

/// How much room there is: {.window = 200'000_tokens, .output = 20'000_tokens}.
struct budget {
    tokens window = {};    ///< the model's context window
    tokens output = {};    ///< reserved for the answer
    tokens overhead = {};  ///< counts as used: a system prompt and tool schemas that are not among the messages
    /// How many media, and bytes of texts and media, a request may hold; without a limit unless given. A run begins
    /// with notes in the place of the oldest media above it.
    v1::images images = {detail::u64_limit};
    v1::bytes bytes = {detail::u64_limit};

    /// What a request may hold: the window less the output. Every percentage is of this.
    constexpr tokens input() const noexcept { return window - output; }

    /// The output leaves room for an input. Where it does not, a run changes nothing, and its report says
    /// `budget_refused`.
    constexpr bool is_possible() const noexcept { return input() != tokens{}; }

    friend constexpr bool operator==(budget const&, budget const&) = default;
};

/// What reports say of a budget that leaves nothing for the input.
inline constexpr std::string_view budget_refused = "condense: budget: the output must be below the window (see budget)";

/// The source of a usage figure: a provider's report where there is one, else the estimate.
enum class usage_source : std::uint8_t {
    estimated,  ///< by the estimator, corrected where it learns
    reported,  ///< by the provider, plus an estimate of what was added since
    none,  ///< unknown: there are messages, but neither gives a figure for them
};

constexpr std::string_view name(usage_source which) noexcept {
    switch (which) {
        case usage_source::estimated: return "estimated";
        case usage_source::reported: return "reported";
        case usage_source::none: break;
    }
    return "unknown";
}

/// What a request holds. Tokens are rounded upward, once, on the sum.
struct usage {
    v1::tokens tokens = {};  ///< overhead included
    v1::tokens input = {};  ///< what the request may hold
    v1::messages messages = {};
    v1::turns turns = {};
    v1::images images = {};  ///< media of all kinds
    v1::bytes bytes = {};  ///< of texts and of the data of media, without the JSON around them
    v1::tokens cached = {};  ///< read from the provider's cache by the latest request; 0 where that is not known
    usage_source source = usage_source::estimated;
    bool begins_turn = false;  ///< the newest message is a plain one of the user

    constexpr v1::tokens headroom() const noexcept { return input - tokens; }
    constexpr bool fits() const noexcept { return tokens <= input; }
    /// True if there are more media or bytes than may be sent, and media to leave out.
    constexpr bool over_media(budget const& limits) const noexcept {
        return images != v1::images{} && (images > limits.images || bytes > limits.bytes);
    }

    friend constexpr bool operator==(usage const&, usage const&) = default;
};

/// A set of the measures that triggers read. The edits of a layer must lower one of those that made it due.
enum class measure : std::uint8_t {
    none = 0,
    token_count = 1,
    message_count = 2,
    turn_count = 4,
    image_count = 8,
    byte_count = 16,
    any = 31
};

constexpr measure operator|(measure left, measure right) noexcept {
    return static_cast<measure>(static_cast<unsigned>(left) | static_cast<unsigned>(right));
}
constexpr bool operator&(measure left, measure right) noexcept {
    return (static_cast<unsigned>(left) & static_cast<unsigned>(right)) != 0;
}

namespace detail {

/// floor(value * share / total) for any figures but a total of 0. Where the exact figure needs more than 64 bits, a
/// smaller one.
constexpr std::uint64_t share_of(std::uint64_t value, std::uint64_t share, std::uint64_t total) noexcept {
    return add_capped(mul_capped(value / total, share), mul_capped(value % total, share) / total);
}

/// A number of tenths as decimal text: 68 is "6.8".
inline std::string tenths(std::uint64_t count) { return grouped(count / 10) + "." + std::to_string(count % 10); }

}  // namespace detail

/// Usage in one line, for a status bar: `12,345 of 180,000 tokens (6.8 %), reduces at 117,000, about 40 turns left`.
/// Leaves out what is not given: the threshold, the turns that are left (see turn_tracker), why a due reduction waits.
/// `usage_line(session.used(), 117'000_tokens, tracker.turns_left(session.used()))`.
inline std::string usage_line(usage const& current, tokens threshold = {}, std::optional<std::uint64_t> turns_left = {},
                              std::string_view waits = {}) {
    bool const is_known = current.source != usage_source::none;
    auto out = (is_known ? detail::grouped(current.tokens.count) : std::string{name(current.source)}) + " of " +
               detail::grouped(current.input.count) + " tokens";
    if (is_known && current.input != tokens{})
        out += " (" + detail::tenths(detail::share_of(current.tokens.count, 1'000, current.input.count)) + " %)";
    if (threshold != tokens{}) out += ", reduces at " + detail::grouped(threshold.count);
    if (turns_left) {
        if (*turns_left == 0) out += ", less than a turn left";
        else out += ", about " + detail::grouped(*turns_left) + (*turns_left == 1 ? " turn left" : " turns left");
    }
    if (!waits.empty()) out.append("; a reduction is due and waits: ").append(waits);
    return out;
}

namespace detail {

/// Converts the estimator's counts into tokens that are compared with limits, where the provider's report or what was
/// learnt shows that the sum is off: all messages in proportion, and overhead, which is known exactly, one for one.
/// A default-constructed scale changes nothing. Integer arithmetic only.
class token_scale {
public:
    constexpr token_scale() = default;

    /// The scale by which `estimated` tokens come to `actual`. Both include `apart`, which counts one for one; if
    /// either is not larger than that, everything is scaled.
    static constexpr token_scale of(tokens estimated, tokens actual, tokens apart = {}) noexcept {
        token_scale scale;
        if (actual == estimated || actual.count == 0) return scale;
        if (apart >= estimated || apart >= actual) apart = {};
        auto from = estimated - apart;
        auto to = actual - apart;
        while (from.count >> 31 != 0 || to.count >> 31 != 0) from.count >>= 1, to.count >>= 1;
        if (from.count == 0 || to.count == 0) return scale;
        scale.estimated_ = from;
        scale.actual_ = to;
        scale.apart_ = apart;
        return scale;
    }

    /// Scales a sum that includes `apart`; rounded upward, once.
    constexpr tokens operator()(cost sum) const noexcept {
        auto const total = sum.tokens();
        if (estimated_ == actual_) return total;
        return apart_ + tokens{scale_up((total - apart_).count, actual_.count, estimated_.count)};
    }
    /// Scales the cost of messages, without `apart`.
    constexpr cost of_messages(cost sum) const noexcept {
        return estimated_ == actual_ ? sum : cost{scale_up(sum.steps, actual_.count, estimated_.count)};
    }
    /// The inverse of of_messages: the largest count of messages that scales to no more than `limit`.
    constexpr cost within(tokens limit) const noexcept {
        auto const limit_cost = cost::of(limit);
        return estimated_ == actual_ ? limit_cost : cost{scale_down(limit_cost.steps, estimated_.count, actual_.count)};
    }

    /// The inverse of operator(): the largest sum that scales to no more than `limit`; nothing where even none does.
    constexpr std::optional<cost> most(tokens limit) const noexcept {
        if (estimated_ == actual_) return cost::of(limit);
        if (limit < apart_) return {};
        return cost::of(apart_ + tokens{scale_down((limit - apart_).count, estimated_.count, actual_.count)});
    }

private:
    // Below 2^31, so that the products in scale_up and scale_down stay below 2^64.
    tokens estimated_ = {};
    tokens actual_ = {};
    tokens apart_ = {};
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
