// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/point_to_file.hpp>

#include <condense/layer/record.hpp>
#include <condense/store/memory_journal.hpp>

#include "core/toy.hpp"
#include "shorten/around.hpp"
#include "shorten/texts.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::any_tool, condense::point_to_file, condense::tools, fakes::contains, laws::replaced;
namespace json = condense::detail::json;

static_assert(condense::shortener<point_to_file<>>);

constexpr std::string call(auto const& shorten, std::string_view arguments, condense::cut how = {},
                           std::string_view tool = "write_file") {
    return shorten({.kind = part_kind::tool_call, .text = arguments, .tool = tool, .call = "1"}, how).value_or("");
}

constexpr std::string result(auto const& shorten, std::string_view text, part_status status = part_status::ok,
                             std::string_view tool = "write_file") {
    return shorten({.kind = part_kind::tool_result, .text = text, .tool = tool, .call = "1", .status = status}, {})
        .value_or("");
}

constexpr bool the_content_becomes_a_preview_and_a_pointer() {
    auto const arguments = R"({"mode": 0644e0, "path": "src/a.cpp", "content": ")" + letters(2'200) + "\"}";
    // Octal is no JSON.
    if (!call(point_to_file{}, arguments).empty()) return false;
    auto const valid = R"({"path": "src/a.cpp", "content": ")" + letters(2'200) + R"(", "mode": 6.440})";
    return call(point_to_file{}, valid) ==
           R"({"path": "src/a.cpp", "content": ")" + letters(100) +
               R"([... 2,100 of 2,200 characters omitted; read src/a.cpp to see what it holds ...]", "mode": 6.440})";
}
static_assert(toy::run_time_only || the_content_becomes_a_preview_and_a_pointer());

auto const text = letters(1'000);
auto const left = letters(100) + "[... 900 of 1,000 characters omitted; read a.txt to see what it holds ...]";

}  // namespace

TEST_CASE("point_to_file: the named arguments of a call that names its file") {
    for (auto const* const shape :
         {R"({"path":"a.txt","content":"LONG"})", R"({"content":"LONG","path":"a.txt"})",
          R"({"file_path":"a.txt","new_text":"LONG"})", R"({"filename":"a.txt","path":"b","content":"LONG"})",
          R"({"path":"","file":"a.txt","content":"LONG"})", R"({"path":"a.txt","path":"b.txt","content":"LONG"})",
          R"({"path":7,"file":"a.txt","content":"LONG"})",
          R"({"path":"a.txt","content":"LONG","content":"LONG","new_text":"LONG"})"}) {
        CAPTURE(shape);
        CHECK(call(point_to_file{}, replaced(shape, "LONG", text)) == replaced(shape, "LONG", left));
    }
    for (auto const* const shape :
         {R"({"content":"LONG"})", R"({"path":null,"content":"LONG"})", R"({"path":"","content":"LONG"})",
          R"({"path":{"path":"a.txt"},"content":"LONG"})", R"({"path":"a.txt","old_text":"LONG"})",
          R"({"path":"a.txt","edits":[{"content":"LONG"}]})", R"({"path":"a.txt","content":["LONG"]})",
          R"(["path","a.txt","content","LONG"])", R"("LONG")", R"({"path":"a.txt","content":"LONG")",
          R"({"path":"a.txt","content":"LONG\u12"})", R"({"path":"a.txt","LONG":"content"})",
          R"({"path":"LONG","content":"short"})"}) {
        CAPTURE(shape);
        CHECK(call(point_to_file{}, replaced(shape, "LONG", text)).empty());
    }
}

TEST_CASE("point_to_file: whatever the path holds, the arguments stay JSON and the path stays whole") {
    auto const pointer = [&](std::string_view path) {
        auto const out = call(point_to_file{}, "{\"path\":\"" + std::string{path} + "\",\"content\":\"" + text + "\"}");
        CHECK(json::valid(out));
        CHECK(out.starts_with("{\"path\":\"" + std::string{path} + "\",\"content\":\"xxx"));
        auto const begin = out.find("omitted; ") + 9;
        return out.substr(begin, out.find(" to see what", begin) - begin);
    };
    CHECK(pointer(R"(C:\\dir\\\"a\".txt)") == R"(read C:\\dir\\\"a\".txt)");
    CHECK(pointer("\xC3\xA9\xF0\x9F\x98\x80") == "read \xC3\xA9\xF0\x9F\x98\x80");
    CHECK(pointer(R"(\n\u0000\u001b)") == R"(read \n\u0000\u001b)");
    for (auto const* const path : {R"(\ud83d)", R"(\ud83d\ude00)", R"(a\/b)", R"(\u001B)"})
        CHECK(pointer(path) == "read the file");
    CHECK(pointer(letters(80, 'p')) == "read " + letters(80, 'p'));
    CHECK(pointer(letters(81, 'p')) == "read the file");
    CHECK(pointer(letters(1'000'000, 'p')) == "read the file");
}

TEST_CASE("point_to_file: for calls and results of the tools that are named") {
    auto const arguments = R"({"path":"a.txt","content":")" + text + "\"}";
    CHECK_FALSE(call(point_to_file{}, arguments, {}, "edit_file").empty());
    for (auto const* const tool : {"read_file", "", "write_files"}) {
        CHECK(call(point_to_file{}, arguments, {}, tool).empty());
        CHECK(result(point_to_file{}, text, part_status::ok, tool).empty());
    }
    point_to_file const other{.tools = tools("apply_*"), .keys = {"patch"}, .paths = {"target"}, .preview = 5_chars};
    CHECK(
        call(other, R"({"target":"a.txt","patch":")" + text + "\"}", {}, "apply_patch") ==
        R"({"target":"a.txt","patch":"xxxxx[... 995 of 1,000 characters omitted; read a.txt to see what it holds ...]"})");
    CHECK_FALSE(call(point_to_file{.tools = any_tool}, arguments, {}, "").empty());
    for (auto const kind : {part_kind::text, part_kind::reasoning, part_kind::media, part_kind::other})
        CHECK_FALSE(point_to_file{}({.kind = kind, .text = arguments, .tool = "write_file"}, {}));
    CHECK_FALSE(
        point_to_file{}({.kind = part_kind::tool_call, .text = arguments, .tool = "write_file", .sealed = true}, {}));
}

TEST_CASE("point_to_file: long results become a preview that claims nothing, errors stay; limits are checked") {
    CHECK(result(point_to_file{}, letters(500, 'r')).empty());
    CHECK(result(point_to_file{}, letters(501, 'r')) ==
          letters(100, 'r') + "\n[... 401 of 501 characters omitted; read the file to see what it holds ...]");
    for (auto const status : {part_status::error, part_status::pending, part_status::cancelled})
        CHECK(result(point_to_file{}, letters(5'000, 'r'), status).empty());
    CHECK(the_content_becomes_a_preview_and_a_pointer());
    CHECK_NOTHROW(point_to_file{}.validate());
    for (auto const& bad : {point_to_file{.keys = {}}, point_to_file{.paths = {}}, point_to_file{.preview = 500_chars}})
        CHECK_THROWS_AS(bad.validate(), condense::invalid_configuration);
    CHECK_THROWS_AS((condense::member_names{"1", "2", "3", "4", "5", "6", "7", "8", "9"}),
                    condense::invalid_configuration);
}

TEST_CASE("point_to_file: every halving keeps less, and its own output is left alone") {
    auto const arguments = R"({"path":"a.txt","content":")" + text + "\"}";
    auto last = arguments.size();
    for (unsigned halvings = 0; halvings < 7; ++halvings) {
        auto const out = call(point_to_file{}, arguments, {.halvings = halvings});
        CHECK(json::valid(out));
        CHECK(out.size() < last);
        CHECK(call(point_to_file{}, out, {.halvings = halvings}).empty());
        last = out.size();
    }
    CHECK(
        contains(call(point_to_file{}, arguments, {.halvings = ~0u}), R"("content":"[... 1,000 of 1,000 characters)"));
    CHECK(contains(call(point_to_file{}, arguments, {.how = {{{0xAB}}}}),
                   "omitted; the whole is stored as ab0000000000000000000000 ...]"));
    // What is hardly longer than a preview with its pointer is left.
    std::size_t shortest = 0;
    for (std::size_t size = 0; size < 400 && shortest == 0; ++size) {
        auto const small = R"({"path":"a.txt","content":")" + letters(size) + "\"}";
        auto const out = call(point_to_file{}, small);
        if (!out.empty()) shortest = size;
        CHECK(out.size() < small.size());
    }
    CHECK(shortest > 100);
    CHECK(shortest < 300);
}

TEST_CASE("point_to_file: arguments of any depth and size are read once") {
    auto const nested = [&](std::size_t depth) {
        return "{\"path\":\"a.txt\",\"x\":" + letters(depth, '[') + letters(depth, ']') + ",\"content\":\"" + text +
               "\"}";
    };
    CHECK_FALSE(call(point_to_file{}, nested(127)).empty());
    CHECK(call(point_to_file{}, nested(128)).empty());
    auto const many = "{\"path\":\"a.txt\"" + fakes::repeated(",\"content\":\"" + text + "\"", 1'000) + "}";
    auto const out = call(point_to_file{}, many);
    CHECK(json::valid(out));
    CHECK(out.size() < many.size() / 4);
}

TEST_CASE("point_to_file: what was not written is not said to be in the file") {
    auto const arguments = R"({"path":"src/a.cpp","content":")" + letters(5'000) + "\"}";
    auto const after = [&](conversation const& messages, unsigned pressure = 0, bool record = false) {
        condense::compress const layer{.when = condense::always, .with = point_to_file{}};
        toy::press const press{.pressure = pressure};
        condense::pipeline const recording{condense::record{.to = condense::memory_journal{}}, layer, press};
        return text_of(
            (record ? fakes::after(messages, recording) : fakes::after(messages, condense::pipeline{layer, press}))[1]);
    };
    auto const written = [&](auto... results) {
        return conversation{U("u"), C("1", "write_file", arguments), results..., A("a"), U("v")};
    };
    auto const ok = R("1", "ok");
    auto const refused = R("1", "Permission denied", part_status::error);
    for (bool const record : {false, true})
        CHECK(contains(after(written(ok), 0, record), "read src/a.cpp to see what it holds"));
    for (auto const& failed : {written(refused), written(), written(ok, refused)}) {
        CHECK(after(failed) == arguments);
        CHECK(contains(after(failed, 1), "[... 4,950 of 5,000 characters omitted ...]"));
        CHECK(contains(after(failed, 1, true),
                       "[... 4,950 of 5,000 characters omitted; the journal holds the whole ...]"));
    }
}
