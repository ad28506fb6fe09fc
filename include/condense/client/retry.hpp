// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include <curl/curl.h>

#include <condense/client/http_client.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/run_options.hpp>
#include <condense/detail/calendar.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/llm/overflow.hpp>

// When a request that failed is sent again: after what passes by itself, and not before the server wants it.

namespace condense {
inline namespace v1 {

/// The waits double, each is cut at random by up to a half, and the server's own wish comes first.
struct retry_policy {
    unsigned most = 2;                     ///< further requests
    instant first = {500'000'000};         ///< the wait before the first of them
    instant longest = {60'000'000'000};    ///< no wait is longer; a server that wants one is not asked again

    friend constexpr bool operator==(retry_policy const&, retry_policy const&) = default;
};

/// True of a failure that may be gone in a moment: no connection, a broken one, a rate limit (429), and 500, 502, 503,
/// 504 and 529, unless the text says that the request is too long.
inline bool is_transient(http_response const& response) {
    if (response.problem != http_problem::none)
        return response.problem == http_problem::unreachable || response.problem == http_problem::broken;
    for (int const status : {429, 500, 502, 503, 504, 529})
        if (response.status == status) return !overflow_of(status, response.body);
    return false;
}

namespace detail {

/// The number at the beginning, rounded up; nothing if there is none.
inline std::optional<std::uint64_t> leading_number(std::string_view text) noexcept {
    std::uint64_t value = 0;
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem == std::errc::result_out_of_range) return u64_limit;
    if (problem != std::errc{}) return std::nullopt;
    return add_capped(value, end != text.data() + text.size() && *end == '.' ? 1 : 0);
}

/// The wait that the server asks for: `retry-after-ms`, else `Retry-After` in seconds or as a date, compared with
/// `today` in seconds since 1970.
inline std::optional<instant> demanded_wait(http_response const& response, std::uint64_t today) {
    if (auto const milliseconds = leading_number(response.retry_after_ms))
        return instant{mul_capped(*milliseconds, 1'000'000)};
    if (auto const seconds = leading_number(response.retry_after)) return instant{mul_capped(*seconds, 1'000'000'000)};
    if (response.retry_after.empty()) return std::nullopt;
    auto const date = curl_getdate(response.retry_after.c_str(), nullptr);
    if (date < 0) return std::nullopt;
    return instant{mul_capped(sub_capped(static_cast<std::uint64_t>(date), today), 1'000'000'000)};
}

/// The wait before the further request `number`, from 0; nothing if it is not to be sent. `random` is any number.
inline std::optional<instant> wait_before(retry_policy const& policy, unsigned number, http_response const& response,
                                          std::uint64_t random, std::uint64_t today = calendar_seconds()) {
    if (number >= policy.most || !is_transient(response)) return std::nullopt;
    if (auto const demanded = demanded_wait(response, today))
        return *demanded <= policy.longest ? demanded : std::nullopt;
    auto wait = policy.first;
    for (unsigned doubled = 0; doubled < number && wait < policy.longest; ++doubled) wait = wait + wait;
    if (policy.longest < wait) wait = policy.longest;
    return instant{wait.count - (wait.count < 2 ? 0 : random % (wait.count / 2))};
}

/// Sends until there is an answer, or a failure that is not to be repeated. `send` makes one attempt, `shown` tells
/// whether a person has seen a part of it, after which nothing is repeated. No wait ends behind `deadline`.
template <class Send, class Shown>
http_response send_with_retries(retry_policy const& policy, instant deadline, std::function<bool()> const& stop,
                                Send const& send, Shown const& shown) {
    for (unsigned number = 0;; ++number) {
        auto response = send();
        auto const now = steady_clock{}();
        // The clock differs by some bits from thread to thread and machine to machine.
        auto const random = (now.count ^ reinterpret_cast<std::uintptr_t>(&response)) * 0x9E37'79B9'7F4A'7C15u >> 16;
        auto const wait = wait_before(policy, number, response, random);
        if (!wait || shown() || deadline <= now + *wait) return response;
        for (auto const end = now + *wait; steady_clock{}() < end;) {
            if (stop && stop()) return {.problem = http_problem::cancelled, .text = "cancelled"};
            auto const rest = std::chrono::nanoseconds{static_cast<std::int64_t>((end - steady_clock{}()).count)};
            std::this_thread::sleep_for((std::min)(rest, std::chrono::nanoseconds{50'000'000}));
        }
    }
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
