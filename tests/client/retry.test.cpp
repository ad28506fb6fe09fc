// SPDX-License-Identifier: BSL-1.0
#include <condense/client/retry.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <condense/core/run_options.hpp>

#include "support/catch.hpp"

namespace {

using condense::http_problem;
using condense::http_response;
using condense::instant;
using condense::is_transient;
using condense::retry_policy;
using condense::detail::send_with_retries;
using condense::detail::wait_before;

constexpr std::uint64_t millisecond = 1'000'000;
constexpr std::uint64_t second = 1'000'000'000;
constexpr std::uint64_t today = 784'111'777;  // Sun, 06 Nov 1994 08:49:37 GMT
constexpr auto never = condense::instant{~std::uint64_t{0}};

std::optional<std::uint64_t> wait_after(http_response const& response, unsigned number = 0, std::uint64_t random = 0) {
    auto const wait = wait_before({}, number, response, random, today);
    return wait ? std::optional{wait->count} : std::nullopt;
}

/// How often it is sent where all attempts end like this.
int sends(http_response const& response, retry_policy const& policy = {.most = 2, .first = {millisecond}},
          instant deadline = never, bool shown = false) {
    int count = 0;
    auto const last = send_with_retries(policy, deadline, {}, [&] { return ++count, response; }, [&] { return shown; });
    CHECK(last.status == response.status);
    CHECK(last.problem == response.problem);
    return count;
}

}  // namespace

TEST_CASE("what may pass is repeated, nothing else", "[client]") {
    for (int status = 0; status < 600; ++status) {
        bool const passes =
            status == 429 || status == 500 || status == 502 || status == 503 || status == 504 || status == 529;
        CHECK(is_transient({.status = status}) == passes);
    }
    CHECK_FALSE(is_transient({.status = 500, .body = "the request exceeds the available context size"}));
    for (auto const problem :
         {http_problem::refused, http_problem::untrusted, http_problem::late, http_problem::too_large,
          http_problem::redirect, http_problem::unwanted, http_problem::cancelled})
        CHECK_FALSE(is_transient({.status = 503, .problem = problem}));
    CHECK(is_transient({.problem = http_problem::unreachable}));
    CHECK(is_transient({.status = 200, .problem = http_problem::broken}));
}

TEST_CASE("waits double, and are cut at random", "[client]") {
    http_response const busy{.status = 503};
    retry_policy const many{.most = 100};
    for (unsigned number = 0; number < 100; ++number) {
        auto const full = number < 7 ? (second / 2) << number : 60 * second;
        CHECK(wait_before(many, number, busy, 0, today) == instant{full});
        std::uint64_t least = never.count, most = 0;
        for (std::uint64_t random = 0; random < 1'000; ++random) {
            auto const wait = wait_before(many, number, busy, random * 0x9E37'79B9'7F4A'7C15u, today)->count;
            least = std::min(least, wait);
            most = std::max(most, wait);
        }
        CHECK(least > full / 2);
        CHECK(least < full * 11 / 20);
        CHECK(most <= full);
        CHECK(most > full * 19 / 20);
    }
    CHECK_FALSE(wait_after(busy, 2));
    CHECK_FALSE(wait_after({.status = 400}));
}

TEST_CASE("the server's wish comes first", "[client]") {
    CHECK(wait_after({.status = 429, .retry_after = "7"}) == 7 * second);
    CHECK(wait_after({.status = 429, .retry_after = "7", .retry_after_ms = "1500"}) == 1'500 * millisecond);
    CHECK(wait_after({.status = 429, .retry_after = "0"}) == 0);
    CHECK(wait_after({.status = 429, .retry_after = "1.5"}) == 2 * second);
    CHECK(wait_after({.status = 429, .retry_after = "60"}) == 60 * second);
    CHECK(wait_after({.status = 429, .retry_after = "Sun, 06 Nov 1994 08:49:57 GMT"}) == 20 * second);
    CHECK(wait_after({.status = 429, .retry_after = "Sun, 06 Nov 1994 08:49:07 GMT"}) == 0);
    // Too long to wait, and nothing that can be read.
    for (auto const* const text : {"61", "99999999999999999999999", "Sun, 06 Nov 2094 08:49:07 GMT"})
        CHECK_FALSE(wait_after({.status = 429, .retry_after = text}));
    for (auto const* const text : {"soon", "-5", "\xFF", "Sun, 99 Nov"})
        CHECK(wait_after({.status = 429, .retry_after = text}) == second / 2);
}

TEST_CASE("requests are repeated some times, and not behind the deadline", "[client]") {
    CHECK(sends({.status = 200}) == 1);
    CHECK(sends({.status = 503}) == 3);
    CHECK(sends({.status = 503}, {.most = 0}) == 1);
    CHECK(sends({.status = 503}, {.most = 5, .first = {millisecond}}) == 6);
    CHECK(sends({.status = 503}, {.most = 2, .first = {millisecond}}, never, true) == 1);
    auto const start = condense::steady_clock{}();
    CHECK(sends({.status = 503, .retry_after = "30"}, {}, start + instant{2 * second}) == 1);
    CHECK(sends({.status = 503}, {}, start + instant{100 * millisecond}) == 1);
    CHECK(sends({.status = 503, .retry_after_ms = "50"}, {}, start + instant{90 * millisecond}) <= 2);
    CHECK((condense::steady_clock{}() - start).count < 2 * second);
}

TEST_CASE("a wait can be given up", "[client]") {
    int count = 0;
    auto const start = condense::steady_clock{}();
    auto const last = send_with_retries(
        {}, never, [&] { return start + instant{100 * millisecond} < condense::steady_clock{}(); },
        [&] { return ++count, http_response{.status = 429, .retry_after = "30"}; }, [] { return false; });
    CHECK(last.problem == http_problem::cancelled);
    CHECK(count == 1);
    CHECK((condense::steady_clock{}() - start).count < 2 * second);
}
