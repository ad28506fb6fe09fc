// SPDX-License-Identifier: BSL-1.0
#if __has_include(<curl/curl.h>)

#include <array>
#include <csignal>

#include <condense/adapt/json.hpp>
#include <condense/client/anthropic_client.hpp>
#include <condense/client/gemini_client.hpp>
#include <condense/client/openai_client.hpp>

#include "client/server.hpp"
#include "faults/harness.hpp"

// Each allocation of a client of a model fails in turn, also amid an answer: the call throws, or returns an error or
// the whole answer. Inside the JSON library a failure may end the program (see .docs/security.md), so each call of a
// client runs in a process of its own.

namespace {

using client_tests::json;

std::string url_of(std::string const& mode) { return client_tests::fresh_server().url(mode); }

enum class ending { whole, error, thrown, part, aborted };
constexpr int first_status = 100;  ///< the sanitizers' own are lower

/// How a call ends whose n-th allocation fails.
ending end_of(auto const& call, auto const& whole, std::uint64_t failing) {
    auto const id = ::fork();
    REQUIRE(id >= 0);
    if (id == 0) {
        auto const aborts = [](int) { ::_exit(first_status + static_cast<int>(ending::aborted)); };
        std::signal(SIGABRT, aborts);
        std::set_terminate([] { std::abort(); });
        auto end = ending::thrown;
        std::optional<std::remove_cvref_t<decltype(whole)>> got;
        {
            faults::watch const on{failing};
            try {
                got.emplace(call());
            } catch (std::bad_alloc const&) {}
        }
        if (got) end = !got->good ? ending::error : *got == whole ? ending::whole : ending::part;
        ::_exit(first_status + static_cast<int>(end));
    }
    int status = 0;
    REQUIRE(::waitpid(id, &status, 0) == id);
    REQUIRE(WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) >= first_status);
    return static_cast<ending>(WEXITSTATUS(status) - first_status);
}

/// What a client makes of a conversation and of a prompt.
struct answer {
    std::optional<json> message;
    std::optional<std::string> text;
    std::string stop;
    bool good = false;
    friend bool operator==(answer const&, answer const&) = default;
};

template <class Client>
void check(bool stream, std::string const& mode) {
    condense::client_settings settings{.model = "tiny"};
    settings.base_url = url_of(mode);
    settings.stream = stream;
    Client const client{settings};
    json const history = {{{"role", "user"}, {"content", "Read it, and say in a line what it is about."}}};
    auto const ask = [&] {
        condense::delivery nowhere{nullptr, nullptr};
        auto reply = client(history, nowhere);
        auto summary = client(condense::model_prompt{"Summarise in a line.", "A conversation of some words."});
        return answer{std::move(reply.message), std::move(summary.message), std::move(reply.stop),
                      !reply.error && !summary.error};
    };
    std::uint64_t points = 0;
    answer whole;
    {
        faults::watch const on{0};
        whole = ask();
        points = faults::passed;
    }
    REQUIRE(whole.good);
    REQUIRE((whole.message && whole.text));
    std::array<std::uint64_t, 5> ends = {};
    for (std::uint64_t failing = 1; failing <= points; failing += stride())
        ++ends[static_cast<std::size_t>(end_of(ask, whole, failing))];
    auto const [whole_ones, errors, thrown, parts, aborted] = ends;
    CAPTURE(points, whole_ones, errors, thrown, aborted);
    CHECK(parts == 0);
    CHECK(thrown > 5 * aborted);  // about a tenth of the allocations are in destructors of JSON
}

template <class Client>
void check_all() {
    for (bool const stream : {false, true}) check<Client>(stream, "ok-calls");
}

}  // namespace

TEST_CASE("faults: send_request, with a failure in each place, and of what it calls", "[client][law-7]") {
    for (std::string const mode : {"ok", "error-500-sorry"}) {
        condense::http_request const request{.url = url_of(mode) + "/chat/completions",
                                             .headers = {"Content-Type: application/json"},
                                             .body = R"({"stream":true,"messages":[]})"};
        std::string whole;
        std::uint64_t thrown = 0;
        for (std::uint64_t failing = 0;; ++failing) {
            std::string got;
            got.reserve(4'000);
            condense::http_response response;
            bool threw = false;
            auto const points = faults::points_of(failing, [&] {
                threw = faults::throws([&] {
                    response = condense::send_request(
                        request,
                        [&](std::string_view piece) {
                            faults::point();
                            got += piece;
                            return true;
                        },
                        [&] {
                            faults::point();
                            return false;
                        });
                });
            });
            if (failing == 0) whole = got + response.body;
            INFO("point " << failing);
            REQUIRE((threw || (response.problem == condense::http_problem::none && got + response.body == whole)));
            thrown += threw ? 1u : 0u;
            if (points < failing) break;
        }
        CHECK_FALSE(whole.empty());
        CHECK(thrown > 8);
    }
}

TEST_CASE("faults: openai_client", "[client][law-7]") { check_all<condense::openai_client>(); }
TEST_CASE("faults: anthropic_client", "[client][law-7]") { check_all<condense::anthropic_client>(); }
TEST_CASE("faults: gemini_client", "[client][law-7]") { check_all<condense::gemini_client>(); }

#else

TEST_CASE("faults: no client of a model without libcurl") { SUCCEED(); }
#endif
