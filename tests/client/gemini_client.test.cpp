// SPDX-License-Identifier: BSL-1.0
#include <condense/client/gemini_client.hpp>

#include "client/server.hpp"

using client_tests::fresh_server;
using condense::gemini_client;

TEST_CASE("the name of a model cannot lead elsewhere", "[client]") {
    auto const& local = fresh_server();
    for (auto const* const name : {"a?key=b", "a#b", "a b", "a\r\nX: b"}) {
        static_cast<void>(gemini_client{{.model = name, .base_url = local.url("ok")}}({.data = "text"}));
        for (auto const& sent : local.seen())
            CHECK(sent["path"].get<std::string>().find_first_of("?# \r") == std::string::npos);
    }
}

TEST_CASE("a prompt that the provider blocks is an error that says why", "[client]") {
    gemini_client const client{{.model = "tiny", .base_url = fresh_server().url("ok-refuses")}};
    CHECK(client({.data = "text"}).error.text == "the provider blocks the prompt: SAFETY");
}
