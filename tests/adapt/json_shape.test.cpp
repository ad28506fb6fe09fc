// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json_shape.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include <condense/adapt/json_edits.hpp>

#include "adapt/json_fixtures.hpp"
#include "support/catch.hpp"

namespace {

using adapt_tests::dump;
using adapt_tests::list;
using adapt_tests::read;
using condense::detail::each_piece;
using condense::detail::json_piece;
using condense::detail::piece_at;
using condense::detail::text_form;
using nlohmann::json;
using nlohmann::ordered_json;

/// The parts of a message, with the dump where that is the text.
template <class Json>
list parts(Json const& m) {
    list out;
    each_piece(m, [&](json_piece<Json const> const& piece) {
        auto part = piece.part;
        auto const* const value = piece.text.find();
        auto const text = piece.is_dump && value != nullptr ? dump(*value) : std::string{part.text};
        part.text = text;
        out.push_back(adapt_tests::spelt(part));
    });
    return out;
}

/// The value at a place; "none" where it is not there yet, or the place is none.
template <class Json>
std::string value_at(condense::detail::json_place<Json> const& place) {
    auto const* const found = place.find();
    return found == nullptr ? "none" : dump(*found);
}

/// What each part's text is, and what goes with the part.
template <class Json>
list places(std::string_view text) {
    auto const m = read<Json>(text);
    list out;
    each_piece(m, [&](json_piece<Json const> const& piece) {
        out.push_back(value_at(piece.text) + " in " + value_at(piece.removable));
    });
    return out;
}

/// The message where the part's text was replaced by NEW.
template <class Json>
std::string replaced(std::string_view text, std::size_t index) {
    auto m = read<Json>(text);
    auto const piece = piece_at(m, index);
    REQUIRE(piece.text.parent != nullptr);
    condense::detail::json_editor<Json>{m}.write(index, piece.form == text_form::json ? R"("NEW")" : "NEW");
    return m.dump();
}

}  // namespace

TEMPLATE_TEST_CASE("json_shape: content that is no array", "[adapt][json]", json, ordered_json) {
    auto const of = [](std::string_view text) { return parts(read<TestType>(text)); };
    CHECK(of(R"({"role":"user","content":"hello"})") == list{"text: hello"});
    CHECK(of(R"({"role":"user","content":""})") == list{});
    CHECK(of(R"({"role":"assistant","content":null})") == list{});
    CHECK(of(R"({"role":"assistant"})") == list{});
    CHECK(of(R"({"role":"user","content":{"a":[1,2]}})") == list{R"(other sealed: {"a":[1,2]})"});
    CHECK(of(R"({"role":"user","content":5})") == list{"other sealed: 5"});
    CHECK(of(R"({"role":"user","content":true})") == list{"other sealed: true"});
    CHECK(of("[1,2]") == list{});
}

TEMPLATE_TEST_CASE("json_shape: a message of role tool is the result of a call", "[adapt][json]", json, ordered_json) {
    auto const of = [](std::string_view text) { return parts(read<TestType>(text)); };
    CHECK(of(R"({"role":"tool","tool_call_id":"c1","name":"ls","content":"out"})") == list{"tool result ls #c1: out"});
    CHECK(of(R"({"role":"tool","tool_call_ids":[3,"c1","c2"],"content":"out"})") == list{"tool result #c1: out"});
    CHECK(of(R"({"role":"tool","tool_call_id":"","tool_call_ids":["c1"],"content":"out"})") ==
          list{"tool result #c1: out"});
    CHECK(of(R"({"role":"function","name":"ls","content":"out"})") == list{"tool result ls: out"});

    SECTION("and stays one when there is nothing to show") {
        for (auto const* const content : {"", R"(,"content":null)", R"(,"content":"")", R"(,"content":[])"}) {
            CAPTURE(content);
            CHECK(of(R"({"role":"tool","tool_call_id":"c1")" + std::string{content} + "}") ==
                  list{"tool result #c1: "});
        }
    }
    SECTION("with blocks") {
        CHECK(
            of(R"({"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"a"},"b",{"type":"image"},{"x":1}]})") ==
            list{"tool result #c1: a", "tool result #c1: b",
                 "media #c1 sealed =1600: ", R"(other #c1 sealed: {"x":1})"});
    }
    SECTION("with media alone there is an empty result beside it") {
        CHECK(
            of(R"({"role":"tool","tool_call_id":"c1","content":[{"type":"image_url","image_url":{"url":"data:"}}]})") ==
            list{"media #c1 sealed =1600: ", "tool result #c1: "});
    }
    SECTION("with a value of another type") {
        CHECK(of(R"({"role":"tool","tool_call_id":"c1","content":{"ok":true}})") ==
              list{R"(tool result #c1 sealed: {"ok":true})"});
    }
}

TEMPLATE_TEST_CASE("json_shape: content blocks", "[adapt][json]", json, ordered_json) {
    auto const of = [](std::string_view block) {
        return parts(read<TestType>(R"({"role":"assistant","content":[)" + std::string{block} + "]}"));
    };
    CHECK(of("") == list{});
    CHECK(of(R"({"type":"text","text":"a"},{"type":"text","text":""})") == list{"text: a", "text: "});
    CHECK(of(R"("plain")") == list{"text: plain"});

    SECTION("reasoning") {
        CHECK(of(R"({"type":"thinking","thinking":"hm"})") == list{"reasoning: hm"});
        CHECK(of(R"({"type":"thinking","thinking":"hm","signature":null})") == list{"reasoning: hm"});
        CHECK(of(R"({"type":"thinking","thinking":"hm","signature":"EqQB"})") == list{"reasoning sealed: hm"});
        CHECK(of(R"({"type":"redacted_thinking","data":"12345"})") == list{"reasoning sealed =2: "});
        CHECK(of(R"({"type":"redacted_thinking","data":"12345678"})") == list{"reasoning sealed =2: "});
        CHECK(of(R"({"type":"redacted_thinking"})") == list{"reasoning sealed =0: "});
        CHECK(of(R"({"summary":"s","type":"reasoning"})") ==
              list{R"(other sealed: {"summary":"s","type":"reasoning"})"});
    }
    SECTION("calls") {
        for (auto const* const type : {"tool_use", "server_tool_use", "mcp_tool_use"}) {
            CAPTURE(type);
            CHECK(of(R"({"id":"c1","input":{"a":[1]},"name":"ls","type":")" + std::string{type} + "\"}") ==
                  list{R"(tool call ls #c1: {"a":[1]})"});
        }
        CHECK(of(R"({"type":"tool_use","id":"c1","name":"ls"})") == list{"tool call ls #c1: "});
        CHECK(of(R"({"type":"tool_use","id":"c1","name":"ls","input":"raw"})") == list{R"(tool call ls #c1: "raw")"});
    }
    SECTION("results") {
        CHECK(of(R"({"type":"tool_result","tool_use_id":"c1","content":"out"})") == list{"tool result #c1: out"});
        CHECK(of(R"({"type":"tool_result","tool_use_id":"c1","content":"no","is_error":true})") ==
              list{"tool result #c1 error: no"});
        CHECK(of(R"({"type":"tool_result","tool_use_id":"c1","content":"no","is_error":1})") ==
              list{"tool result #c1: no"});
        CHECK(of(R"({"type":"tool_result","tool_use_id":"c1"})") == list{"tool result #c1: "});
        CHECK(of(R"({"type":"tool_result","tool_use_id":"c1","content":null})") == list{"tool result #c1: "});
        CHECK(of(R"({"type":"tool_result","tool_use_id":"c1","content":""})") == list{"tool result #c1: "});
        CHECK(of(R"({"type":"tool_result","tool_use_id":"c1","content":[]})") == list{"tool result #c1: "});
        CHECK(
            of(R"({"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"a"},{"type":"document"},"b"]})") ==
            list{"tool result #c1: a", "media #c1 sealed =1600: ", "tool result #c1: b"});
        CHECK(of(R"({"type":"tool_result","tool_use_id":"c1","content":[{"type":"image"}],"is_error":true})") ==
              list{"media #c1 error sealed =1600: ", "tool result #c1 error: "});
        CHECK(of(R"({"type":"tool_result","tool_use_id":"c1","content":7})") == list{"tool result #c1 sealed: 7"});
        CHECK(of(R"({"type":"tool_result","tool_use_id":"c1","content":[{"type":"tool_use"}]})") ==
              list{R"(other #c1 sealed: {"type":"tool_use"})", "tool result #c1: "});
        CHECK(of(R"({"type":"web_search_tool_result","tool_use_id":"c1","content":[{"url":"u"}]})") ==
              list{R"(tool result #c1 sealed: [{"url":"u"}])"});
        CHECK(of(R"({"type":"mcp_tool_result","tool_use_id":"c1","is_error":true})") ==
              list{"tool result #c1 error sealed: "});
    }
    SECTION("media, by a flat cost and never by its bytes") {
        for (auto const* const type : {"image", "image_url", "input_image", "input_audio", "audio", "document", "file",
                                       "input_file", "video", "video_url"}) {
            CAPTURE(type);
            CHECK(of(R"({"data":"AAAAAAAAAAAAAAAAAAAA","type":")" + std::string{type} + "\"}") ==
                  list{"media sealed =1600: "});
        }
    }
    SECTION("anything else") {
        CHECK(of(R"(5,null,[1],{"type":"later"},{"type":4},{"type":"text","text":9},{"type":"thinking"})") ==
              list{"other sealed: 5", "other sealed: null", "other sealed: [1]", R"(other sealed: {"type":"later"})",
                   R"(other sealed: {"type":4})",
                   "other sealed: " + dump(read<TestType>(R"({"type":"text","text":9})")),
                   R"(other sealed: {"type":"thinking"})"});
    }
}

TEMPLATE_TEST_CASE("json_shape: what stands beside the content", "[adapt][json]", json, ordered_json) {
    auto const of = [](std::string_view fields) {
        return parts(read<TestType>(R"({"role":"assistant","content":"hi",)" + std::string{fields} + "}"));
    };
    CHECK(of(R"("reasoning_content":"hm","refusal":"no")") == list{"text: hi", "reasoning: hm", "text: no"});
    CHECK(of(R"("reasoning_content":"","refusal":null)") == list{"text: hi"});
    CHECK(of(R"("tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{ }"}},
                              {"id":"c2","function":{"name":"cd","arguments":{"to":1.0}}}])") ==
          list{"text: hi", "tool call ls #c1: { }", R"(tool call cd #c2: {"to":1.0})"});
    CHECK(of(R"("tool_calls":[{"id":"c1","type":"custom","custom":{"name":"sh","input":"ls -l"}}])") ==
          list{"text: hi", "tool call sh #c1: ls -l"});
    CHECK(of(R"("tool_calls":[7,{"id":"c1"},{"id":"c2","function":{}}])") ==
          list{"text: hi", "other sealed: 7", R"(tool call #c1 sealed: {"id":"c1"})", "tool call #c2: "});
    CHECK(of(R"("tool_calls":[],"function_call":null)") == list{"text: hi"});
    CHECK(of(R"("tool_calls":{"id":"c1"},"function_call":{"name":"ls","arguments":"{}"})") ==
          list{"text: hi", "tool call ls: {}"});
    CHECK(
        of(R"("tool_calls":[{"id":"c1","function":{"name":"a"}}],"function_call":{"name":"b"},"refusal":"r","reasoning_content":"q")") ==
        list{"text: hi", "reasoning: q", "text: r", "tool call a #c1: ", "tool call b: "});
}

TEMPLATE_TEST_CASE("json_shape: a call of a remote server and its result are one item", "[adapt][json]", json,
                   ordered_json) {
    auto const of = [](std::string_view fields) {
        return parts(read<TestType>(R"({"type":"mcp_call","id":"c1","server_label":"docs","name":"ls",)" +
                                    std::string{fields} + "}"));
    };
    CHECK(of(R"("arguments":"{ }","output":"out","error":null)") ==
          list{"tool call ls #c1: { }", "tool result ls #c1: out"});
    CHECK(of(R"("arguments":"{ }","output":null,"error":"no")") ==
          list{"tool call ls #c1: { }", "tool result ls #c1 error: no"});
    CHECK(of(R"("arguments":"{ }","output":null,"error":null)") == list{"tool call ls #c1: { }"});
    CHECK(of(R"("arguments":"{ }")") == list{"tool call ls #c1: { }"});
}

TEMPLATE_TEST_CASE("json_shape: only a dump is left to the reader", "[adapt][json]", json, ordered_json) {
    auto const m = read<TestType>(R"({"role":"assistant","content":["a",{"type":"tool_use","id":"c1","input":"{}"},5],
        "tool_calls":[{"function":{"arguments":"{}"}},{"function":{"arguments":{}}},{"function":{}}]})");
    std::string seen;
    each_piece(m, [&](json_piece<TestType const> const& piece) {
        seen += piece.is_dump ? 'd' : 's';
        if (piece.is_dump) CHECK(piece.part.text.empty());
    });
    CHECK(seen == "sddsds");
}

TEMPLATE_TEST_CASE("json_shape: with a part goes its block, or its member", "[adapt][json]", json, ordered_json) {
    auto const of = places<TestType>;
    CHECK(of(R"({"content":"a"})") == list{R"("a" in "a")"});
    CHECK(of(R"({"content":["a",{"text":"b","type":"text"}]})") ==
          list{R"("a" in "a")", R"("b" in {"text":"b","type":"text"})"});
    CHECK(
        of(R"({"content":[{"thinking":"a","type":"thinking"},{"data":"a","type":"redacted_thinking"},{"type":"image"}]})") ==
        list{R"("a" in {"thinking":"a","type":"thinking"})", R"(none in {"data":"a","type":"redacted_thinking"})",
             R"(none in {"type":"image"})"});
    CHECK(of(R"({"content":[{"input":{"a":1},"type":"tool_use"},{"type":"later"}]})") ==
          list{R"({"a":1} in {"input":{"a":1},"type":"tool_use"})", R"({"type":"later"} in {"type":"later"})"});
    CHECK(of(R"({"reasoning_content":"a","refusal":"b"})") == list{R"("a" in "a")", R"("b" in "b")"});
    CHECK(
        of(R"({"tool_calls":[{"function":{"arguments":"a"}},{"custom":{"input":"b"}},{"id":"c"}],"function_call":{"arguments":"d"}})") ==
        list{R"("a" in {"function":{"arguments":"a"}})", R"("b" in {"custom":{"input":"b"}})",
             R"({"id":"c"} in {"id":"c"})", R"("d" in {"arguments":"d"})"});
}

TEMPLATE_TEST_CASE("json_shape: with the last text of a tool_result goes its block", "[adapt][json]", json,
                   ordered_json) {
    auto const of = [](std::string_view content) {
        return places<TestType>(R"({"content":[{"content":)" + std::string{content} + R"(,"type":"tool_result"}]})");
    };
    CHECK(of(R"("a")") == list{R"("a" in {"content":"a","type":"tool_result"})"});
    CHECK(of(R"(["a"])") == list{R"("a" in {"content":["a"],"type":"tool_result"})"});
    CHECK(of(R"([{"text":"a","type":"text"}])") ==
          list{R"("a" in {"content":[{"text":"a","type":"text"}],"type":"tool_result"})"});
    CHECK(of(R"(["a","b"])") == list{R"("a" in "a")", R"("b" in "b")"});
    CHECK(of("7") == list{R"(7 in {"content":7,"type":"tool_result"})"});
    CHECK(of(R"("")") == list{R"("" in {"content":"","type":"tool_result"})"});
    CHECK(of("[]") == list{R"(none in {"content":[],"type":"tool_result"})"});
    CHECK(of(R"([{"type":"image"}])") == list{R"(none in {"type":"image"})", "none in none"});
    CHECK(places<TestType>(R"({"content":[{"type":"tool_result"}]})") == list{R"(none in {"type":"tool_result"})"});
    // The content of a message of role tool stays an array.
    CHECK(places<TestType>(R"({"role":"tool","content":["a"]})") == list{R"("a" in "a")"});
    CHECK(places<TestType>(R"({"role":"tool","content":[{"type":"image"}]})") ==
          list{R"(none in {"type":"image"})", "none in none"});
}

TEMPLATE_TEST_CASE("json_shape: a text that is put lands where the part is", "[adapt][json]", json, ordered_json) {
    auto const same = [](std::string_view text) { return read<TestType>(text).dump(); };
    CHECK(replaced<TestType>(R"({"role":"tool"})", 0) == same(R"({"role":"tool","content":"NEW"})"));
    CHECK(replaced<TestType>(R"({"role":"tool","content":[]})", 0) ==
          same(R"({"role":"tool","content":[{"type":"text","text":"NEW"}]})"));
    CHECK(replaced<TestType>(R"({"content":["a",{"type":"tool_result","content":["b",{"type":"text","text":"c"}]}]})",
                             2) ==
          same(R"({"content":["a",{"type":"tool_result","content":["b",{"type":"text","text":"NEW"}]}]})"));
    CHECK(replaced<TestType>(R"({"content":[{"type":"tool_result","content":[{"type":"image"}]}]})", 1) ==
          same(R"({"content":[{"type":"tool_result","content":[{"type":"image"},{"type":"text","text":"NEW"}]}]})"));
    CHECK(replaced<TestType>(R"({"tool_calls":[{"function":{"name":"f"}}]})", 0) ==
          same(R"({"tool_calls":[{"function":{"name":"f","arguments":"NEW"}}]})"));
    CHECK(replaced<TestType>(R"({"content":[{"type":"tool_use"}]})", 0) ==
          same(R"({"content":[{"type":"tool_use","input":"NEW"}]})"));
}

TEMPLATE_TEST_CASE("json_shape: a piece has the index at which it is enumerated", "[adapt][json]", json, ordered_json) {
    auto m = read<TestType>(R"({"content":["a",{"type":"image"},{"type":"tool_result","content":["b","c"]}],
        "refusal":"d","reasoning_content":"e","tool_calls":[{"id":"c1","function":{"arguments":"f"}}]})");
    std::size_t index = 0;
    std::string texts;
    each_piece(m, [&](json_piece<TestType> const& piece) {
        auto const found = piece_at(m, index++);
        texts += found.part.text;
        CHECK(found.part.kind == piece.part.kind);
        CHECK(found.text.find() == piece.text.find());
        CHECK(found.removable.find() == piece.removable.find());
        CHECK(found.removable.find() != nullptr);
    });
    CHECK(index == 7);
    CHECK(texts == "abcedf");
    auto const none = piece_at(m, 7);
    CHECK(none.text.parent == nullptr);
    CHECK(none.removable.parent == nullptr);
    auto nothing = read<TestType>("[1]");
    CHECK(piece_at(nothing, 0).removable.parent == nullptr);
}
