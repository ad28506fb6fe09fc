// SPDX-License-Identifier: BSL-1.0

// How does the agent read a result again that was offloaded? With a tool that looks its reference up in the store.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/store/memory.hpp>

#include "check.hpp"

using namespace condense::literals;
using condense::chat_message;

/// The tool `read_artifact`: `spelt` is the reference named in the preview. Returns the text from byte `from` on, at
/// most 8,000 bytes, so that the piece is no large result itself.
static std::string read_artifact(condense::memory_store const& store, std::string_view spelt, std::size_t from) {
    auto const name = condense::reference::of(spelt);  // nothing where this is not a reference
    auto const content = name ? store.get(*name) : std::nullopt;
    if (!content) return "error: there is no such artifact";
    return content->substr(std::min(from, content->size()), 8'000);
}

int main() {
    condense::memory_store const store;
    condense::pipeline const mix{condense::offload{
        .protect = condense::tools("read_artifact"),  // else what the agent reads back would be stored again
        .over = 10'000_chars,
        .into = store,
        .words = {.stored = "call read_artifact with"}}};
    condense::session session{std::vector<chat_message>{}, mix, condense::budget{.window = 32'000_tokens}};

    session.push(chat_message::user("Read the log."));
    session.push(chat_message::call("1", "read_log", "{}"));
    session.push(chat_message::result("1", std::string(12'000, '.') + "disk full" + std::string(12'000, '.')));

    std::string shown;  // what the model sees of the result
    for (auto const& m : session.request()) shown = m.parts[0].text;
    auto const words = shown.find("call read_artifact with ");
    check(words != std::string::npos && shown.find("disk full") == std::string::npos);

    auto const spelt = shown.substr(words + 24, 24);
    session.push(chat_message::call("2", "read_artifact", R"({"name":")" + spelt + R"(","from":8000})"));
    session.push(chat_message::result("2", read_artifact(store, spelt, 8'000)));
    for (auto const& m : session.request()) shown = m.parts[0].text;
    check(shown.size() == 8'000 && shown.find("disk full") != std::string::npos);
    check(read_artifact(store, "../../etc/passwd", 0) == "error: there is no such artifact");
}
