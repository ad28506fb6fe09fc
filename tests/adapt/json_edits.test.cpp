// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json_edits.hpp>

#include <map>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>
#include <condense/shorteners.hpp>

#include "support/catch.hpp"

// That several edits at once give what they give one by one is required in json.test.cpp, of any message.

namespace {

using namespace condense::literals;

std::uint64_t touched = 0;  ///< members looked up, and objects copied

/// The object of a JSON value that counts what is done with it.
template <class Key, class Value, class Less, class Allocator>
struct counted_object : std::map<Key, Value, Less, Allocator> {
    using base = std::map<Key, Value, Less, Allocator>;
    using base::base;

    counted_object(counted_object const& other) : base(other) { ++touched; }
    counted_object(counted_object&&) = default;
    counted_object& operator=(counted_object const&) = default;
    counted_object& operator=(counted_object&&) = default;
    auto find(auto const& key) {
        ++touched;
        return base::find(key);
    }
    auto find(auto const& key) const {
        ++touched;
        return base::find(key);
    }
};
using json = nlohmann::basic_json<counted_object>;

json user(std::string text) { return {{"role", "user"}, {"content", std::move(text)}}; }
json assistant(std::string text) { return {{"role", "assistant"}, {"content", std::move(text)}}; }
/// A message of so many blocks, in which ID stands for the number.
json blocks(char const* speaker, std::size_t count, std::string const& block) {
    auto content = json::array();
    for (std::size_t number = 0; number < count; ++number) {
        auto numbered = block;
        if (auto const at = numbered.find("ID"); at != block.npos) numbered.replace(at, 2, std::to_string(number));
        content.push_back(json::parse(numbered));
    }
    return {{"role", speaker}, {"content", std::move(content)}};
}
json calls(std::size_t count) {
    return blocks("assistant", count, R"({"type":"tool_use","id":"call_ID","name":"read","input":{}})");
}
/// Results with a text and an image each.
json results(std::size_t count) {
    return blocks("user", count,
                  R"({"type":"tool_result","tool_use_id":"call_ID","content":[{"type":"text","text":")" +
                      std::string(300, 'a') + R"("},{"type":"image","source":{"type":"base64","data":"AAAA"}}]})");
}
json images(std::size_t count) {
    auto m =
        blocks("user", count, R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}})");
    m["content"].push_back({{"type", "text"}, {"text", "see"}});
    return m;
}

auto const mix = condense::pipeline{
    condense::compress{.when = condense::always, .over = 100_chars, .with = condense::head{50_chars}},
    condense::compress{.when = condense::always, .with = condense::media_note{}}, condense::repair{}};

/// The parts touched where the messages have so many.
std::uint64_t touched_by(std::vector<json> history) {
    history.push_back(assistant("ok"));
    history.push_back(user("go on"));
    touched = 0;
    CHECK(condense::reduce(history, mix, {.window = 1'000'000'000_tokens}).changed());
    return touched;
}

}  // namespace

TEST_CASE("json_editor: parts of one message cost their number", "[adapt][json]") {
    using history = std::vector<json>;
    using maker = history (*)(std::size_t);
    for (auto const& [name, make] : std::initializer_list<std::pair<char const*, maker>>{
             {"results", [](std::size_t n) { return history{user("go"), calls(n), results(n)}; }},
             {"images", [](std::size_t n) { return history{user("go"), assistant("what?"), images(n)}; }},
             {"results without a call",
              [](std::size_t n) { return history{user("go"), calls(1), results(1), results(n)}; }},
             {"repeated results", [](std::size_t n) { return history{user("go"), calls(n), results(n), results(n)}; }},
             {"calls without a result", [](std::size_t n) { return history{user("go"), calls(n), user("leave it")}; }},
         }) {
        auto const few = touched_by(make(50));
        auto const many = touched_by(make(400));
        CAPTURE(name, few, many);
        CHECK(many <= few * 8);
    }
}

TEST_CASE("json_editor: a text that becomes a block of its own moves no other part", "[adapt][json]") {
    auto m = json::parse(R"({"role":"tool","tool_call_id":"c","content":[{"type":"image"},{"type":"image"}]})");
    // The part behind the media has no place yet; those written after it have one that the new block may have moved.
    condense::with_edits(m, {{.index = 2, .text = "note"}});
    CHECK(m["content"].size() == 3);
    CHECK(m["content"][2]["text"] == "note");
    condense::detail::json_editor<json> editor{m};
    editor.write(2, "notes");
    editor.write(0, "a cat");
    editor.write(7, "nothing");
    CHECK(m["content"][2]["text"] == "notes");
    CHECK(m["content"][0]["text"] == "a cat");
}
