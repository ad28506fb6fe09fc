// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <condense/condense.hpp>
#include <condense/core/outline.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/shorteners.hpp>

#include "adapt/json_fixtures.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using adapt_tests::dump;
using adapt_tests::list;
using adapt_tests::read;
using adapt_tests::spelt;
using nlohmann::json;
using nlohmann::ordered_json;

static_assert(condense::shortenable<json> && condense::shortenable<ordered_json>);
static_assert(condense::composable<json> && condense::composable<ordered_json>);
static_assert(condense::detail::part_removable<json> && condense::detail::markable<json>);
static_assert(condense::detail::part_removable<ordered_json> && condense::detail::markable<ordered_json>);
static_assert(condense::answerable<json> && condense::storable<json> && condense::answerable<ordered_json> &&
              condense::storable<ordered_json>);
static_assert(!condense::message<std::vector<json>>);

template <class Json>
list parts(Json const& m) {
    list out;
    condense::each_part(m, [&](condense::part_view const& part) { out.push_back(spelt(part)); });
    return out;
}

/// Whether all other parts are of no known kind, so that this one has to stay.
template <class Json>
bool removes_the_last_known(Json const& m, std::size_t index) {
    std::size_t at = 0;
    std::size_t known = 0;
    condense::each_part(
        m, [&](condense::part_view const& part) { known += at++ != index && part.kind != condense::part_kind::other; });
    return known == 0;
}

/// What with_edits has to give.
template <class Json>
Json edited_one_by_one(Json m, std::vector<condense::part_edit> const& edits, std::vector<bool> const& result) {
    for (auto const& edit : edits)
        if (!edit.removed) m = condense::with_part(m, edit.index, std::string{edit.text});
    std::vector<std::size_t> gone;
    for (bool const results : {false, true})
        for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
            if (!edit->removed || result[edit->index] != results) continue;
            auto const before = [&](std::size_t index) { return index < edit->index; };
            auto const shift = results ? std::count_if(gone.begin(), gone.end(), before) : 0;
            m = condense::without_part(m, edit->index - static_cast<std::size_t>(shift));
            if (!results) gone.push_back(edit->index);
        }
    return m;
}

/// Edits of some of so many parts, removals of a third of them.
std::vector<condense::part_edit> some_edits(std::size_t parts, std::uint32_t& state) {
    std::vector<condense::part_edit> edits;
    for (std::size_t index = 0; index < parts; ++index) {
        state = state * 1'664'525u + 1'013'904'223u;
        auto const choice = (state >> 16) % 3;
        if (choice != 0) edits.push_back({index, choice == 1, choice == 1 ? "" : "null"});
    }
    return edits;
}

/// What an adapter owes for any message at all; says which promise is broken, or nothing.
template <class Json>
std::string broken(Json const& m) try {
    if (auto const wrong = condense::shape_error_of(m)) {
        try {
            parts(m);
        } catch (condense::unknown_shape const& thrown) {
            return thrown.error().text() == wrong.text() ? "" : "another error is thrown";
        }
        return "a message that is not understood is read";
    }
    auto const whole = dump(m);
    auto const before = parts(m);
    condense::role_of(m);
    condense::name_of(m);
    list texts;
    std::vector<bool> fixed;
    std::vector<bool> result;
    std::vector<bool> media;
    condense::each_part(m, [&](condense::part_view const& part) {
        texts.emplace_back(part.text);
        fixed.push_back(part.sealed);
        result.push_back(part.kind == condense::part_kind::tool_result);
        media.push_back(part.kind == condense::part_kind::media);
    });
    for (std::size_t at = 0; at < before.size(); ++at) {
        if (dump(condense::with_part(m, at, texts[at])) != whole) return "the same text changes the message";
        auto const after = parts(condense::with_part(m, at, "null"));
        auto wanted = before;
        if (media[at]) {
            if (after.size() != before.size()) return "a text in place of media changes what is shown";
            if (after[at] != before[at] && !after[at].ends_with(": null")) return "media become something else";
            wanted[at] = after[at];
        }
        if (!fixed[at]) wanted[at] = before[at].substr(0, before[at].size() - texts[at].size()) + "null";
        if (after != wanted) return "a new text lands elsewhere";
        auto const thinner = condense::without_part(m, at);
        if (thinner == m && removes_the_last_known(m, at)) continue;
        auto const less = parts(thinner);
        wanted = before;
        wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(at));
        if (!result[at] && less != wanted) return "removal takes something else";
    }
    for (std::uint32_t number = 0, state = static_cast<std::uint32_t>(whole.size()); number < 6; ++number) {
        auto const edits = some_edits(before.size(), state);
        auto together = m;
        condense::with_edits(together, edits);
        if (dump(together) != dump(edited_one_by_one(m, edits, result))) return "edits together differ from one by one";
    }
    if (dump(condense::with_part(m, before.size(), "null")) != whole)
        return "an index past the end changes the message";
    if (dump(condense::without_part(m, before.size())) != whole) return "an index past the end removes something";
    auto marked = m;
    condense::set_mark(marked, "short.0");
    if (condense::mark_of(marked) != (m.is_object() ? "short.0" : "")) return "the mark is lost";
    if (parts(marked) != before) return "the mark is a part";
    auto unmarked = marked;
    condense::without_marks(unmarked);
    condense::set_mark(marked, "");
    if (dump(marked) != dump(unmarked)) return "the mark stays";
    if (!m.contains("condense") && dump(marked) != whole) return "taking the mark back changes the message";
    return {};
} catch (std::exception const& failure) { return failure.what(); }

/// One value of every JSON type, and some that nearly have a meaning.
template <class Json>
std::vector<Json> any_values() {
    std::vector<Json> out;
    for (auto const* const text : {"null",
                                   "true",
                                   "false",
                                   "0",
                                   "-1",
                                   "18446744073709551615",
                                   "1.5",
                                   R"("")",
                                   R"("text")",
                                   "[]",
                                   "{}",
                                   "[null]",
                                   R"(["a"])",
                                   R"([1,"a",{},[]])",
                                   R"({"a":{"b":[1]}})",
                                   R"([[["deep"]]])",
                                   R"([{"type":"text"}])",
                                   R"([{"type":"text","text":"x"}])",
                                   R"([{"type":"image"}])",
                                   R"([{"type":"tool_result","content":[{}]}])",
                                   R"({"type":"text","text":"x"})",
                                   R"({"name":"f","arguments":{"a":1}})",
                                   R"([{"function":{"arguments":7}}])"})
        out.push_back(read<Json>(text));
    out.push_back(Json(std::string{"\xFF\xC0 bytes"}));
    out.push_back(Json(std::numeric_limits<double>::quiet_NaN()));
    out.push_back(Json::binary({0, 255}));
    return out;
}

constexpr auto roles = {"user", "assistant", "system", "tool", "function", "toolResult", "narrator"};
constexpr auto block_types = {"text",         "thinking",    "redacted_thinking",      "tool_use", "server_tool_use",
                              "mcp_tool_use", "tool_result", "web_search_tool_result", "image",    "document",
                              "toolCall",     "_tool_result"};

std::string slurp(std::filesystem::path const& path) {
    std::ifstream file{path, std::ios::binary};
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::vector<std::filesystem::path> transcripts() {
    std::vector<std::filesystem::path> found;
#ifdef CONDENSE_TRANSCRIPTS
    std::error_code failed;
    for (auto const& entry : std::filesystem::directory_iterator{CONDENSE_TRANSCRIPTS, failed})
        if (entry.path().extension() == ".json") found.push_back(entry.path());
    std::sort(found.begin(), found.end());
#endif
    return found;
}

}  // namespace

TEMPLATE_TEST_CASE("json: roles by their spelling", "[adapt][json]", json, ordered_json) {
    using condense::role;
    auto const role_in = [](std::string_view text) { return condense::role_of(read<TestType>(text)); };
    CHECK(role_in(R"({"role":"system"})") == role::system);
    CHECK(role_in(R"({"role":"developer"})") == role::system);
    CHECK(role_in(R"({"role":"user"})") == role::user);
    CHECK(role_in(R"({"role":"assistant"})") == role::assistant);
    CHECK(role_in(R"({"role":"tool"})") == role::tool);
    CHECK(role_in(R"({"role":"function"})") == role::tool);
    CHECK(role_in(R"({"role":"narrator"})") == role::other);
    CHECK(role_in(R"({"role":7})") == role::other);
    CHECK(role_in(R"({})") == role::other);
    CHECK(role_in(R"(["role","user"])") == role::other);
    CHECK(role_in("null") == role::other);
}

TEMPLATE_TEST_CASE("json: media have a flat cost, whatever their bytes", "[adapt][json]", json, ordered_json) {
    auto const of = [](std::string_view block) {
        return parts(read<TestType>(R"({"role":"assistant","content":[)" + std::string{block} + "]}"));
    };
    for (auto const* const type : {"image", "image_url", "input_image", "input_audio", "audio", "document", "file",
                                   "input_file", "video", "video_url"}) {
        CAPTURE(type);
        auto const shown = of(R"({"data":"AAAAAAAAAAAAAAAAAAAA","type":")" + std::string{type} + "\"}");
        REQUIRE(shown.size() == 1);
        CHECK(shown[0].starts_with("media sealed =1600: "));
        CHECK(shown[0].ends_with(", 15 bytes"));
    }
}

TEMPLATE_TEST_CASE("json: what stands beside the content", "[adapt][json]", json, ordered_json) {
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
    CHECK(of(R"("tool_calls":[{"id":"c1"},{"id":"c2","function":{}}])") ==
          list{"text: hi", R"(tool call #c1 sealed: {"id":"c1"})", "tool call #c2: "});
    CHECK(of(R"("tool_calls":[],"function_call":null)") == list{"text: hi"});
    CHECK(of(R"("tool_calls":null,"function_call":{"name":"ls","arguments":"{}"})") ==
          list{"text: hi", "tool call ls: {}"});
    CHECK(
        of(R"("tool_calls":[{"id":"c1","function":{"name":"a"}}],"function_call":{"name":"b"},"refusal":"r","reasoning_content":"q")") ==
        list{"text: hi", "reasoning: q", "text: r", "tool call a #c1: ", "tool call b: "});
}

TEMPLATE_TEST_CASE("json: strings are shown where they are", "[adapt][json]", json, ordered_json) {
    auto const m = read<TestType>(R"({"role":"assistant","content":[{"type":"text","text":"a text"}],
                                      "tool_calls":[{"id":"c1","function":{"name":"ls","arguments":"{}"}}]})");
    std::vector<char const*> seen;
    condense::each_part(m, [&](condense::part_view const& part) { seen.push_back(part.text.data()); });
    auto const& text = m.at("content").at(0).at("text").template get_ref<std::string const&>();
    auto const& arguments =
        m.at("tool_calls").at(0).at("function").at("arguments").template get_ref<std::string const&>();
    CHECK(seen == std::vector<char const*>{text.data(), arguments.data()});
}

TEMPLATE_TEST_CASE("json: a new text goes to its place and nothing else changes", "[adapt][json]", json, ordered_json) {
    // The place is named by its text, TARGET; the expected message is the old one's dump with that replaced.
    for (
        auto const* const text : {
            R"({"zeta":[1.50,null],"role":"user","content":"TARGET","cache_control":{"type":"ephemeral"}})",
            R"({"role":"tool","tool_call_id":"c1","content":"TARGET","extra":{"b":1,"a":2}})",
            R"({"role":"user","content":["one","TARGET",{"type":"later","x":[]}],"id":18446744073709551615})",
            R"({"role":"user","content":[{"type":"image","source":{"data":"AAAA"}},{"type":"text","text":"TARGET","citations":[{"n":1}]}]})",
            R"({"role":"assistant","content":[{"type":"thinking","thinking":"TARGET","extra":1},{"type":"later","id":"x"}]})",
            R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"TARGET","cache_control":{}}]})",
            R"({"role":"user","content":[{"type":"tool_result","content":[{"type":"image"},{"type":"text","text":"TARGET","x":0}]}]})",
            R"({"role":"assistant","content":null,"reasoning_content":"TARGET","annotations":[]})",
            R"({"role":"assistant","content":"","refusal":"TARGET","audio":null})",
            R"({"role":"assistant","tool_calls":[{"id":"c0"},{"id":"c1","function":{"name":"ls","arguments":"TARGET","strict":true},"index":0}]})",
            R"({"role":"assistant","tool_calls":[{"type":"custom","custom":{"name":"sh","input":"TARGET"}}]})",
            R"({"role":"assistant","function_call":{"name":"ls","arguments":"TARGET","x":[[]]}})",
        }) {
        CAPTURE(text);
        auto const m = read<TestType>(text);
        std::size_t index = 0;
        std::size_t found = 0;
        condense::each_part(m, [&](condense::part_view const& part) {
            if (part.text == "TARGET") found = index + 1;
            ++index;
        });
        REQUIRE(found != 0);
        auto wanted = m.dump();
        wanted.replace(wanted.find("TARGET"), 6, "short");
        CHECK(condense::with_part(m, found - 1, "short").dump() == wanted);
    }
}

TEMPLATE_TEST_CASE("json: arguments that are JSON stay JSON", "[adapt][json]", json, ordered_json) {
    auto const use = read<TestType>(
        R"({"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"w","input":{"a":"long","b":1}}]})");
    auto const call = read<TestType>(
        R"({"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"w","arguments":{"a":"long"}}}]})");
    CHECK(condense::with_part(use, 0, R"({"b":2})").at("content").at(0).at("input").dump() == R"({"b":2})");
    CHECK(condense::with_part(call, 0, "[ 1 ]").at("tool_calls").at(0).at("function").at("arguments").dump() == "[1]");
    for (auto const* const text : {"", "{", "not json", "{} {}", "\xFF"}) {
        CAPTURE(text);
        CHECK(condense::with_part(use, 0, text) == use);
        CHECK(condense::with_part(call, 0, text) == call);
    }
    auto const bare = read<TestType>(R"({"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"w"}]})");
    CHECK(parts(condense::with_part(bare, 0, "{}")) == list{"tool call w #c1: {}"});
    auto const no_arguments =
        read<TestType>(R"({"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"w"}}]})");
    CHECK(parts(condense::with_part(no_arguments, 0, "{}")) == list{"tool call w #c1: {}"});
}

TEMPLATE_TEST_CASE("json: an empty result takes a text", "[adapt][json]", json, ordered_json) {
    for (auto const* const text :
         {R"({"role":"tool","tool_call_id":"c1"})", R"({"role":"tool","tool_call_id":"c1","content":null})",
          R"({"role":"tool","tool_call_id":"c1","content":""})", R"({"role":"tool","tool_call_id":"c1","content":[]})",
          R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"}]})",
          R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[]}]})"}) {
        CAPTURE(text);
        auto const m = read<TestType>(text);
        CHECK(condense::with_part(m, 0, "") == m);
        CHECK(parts(condense::with_part(m, 0, "cancelled")) == list{"tool result #c1: cancelled"});
    }
    auto const picture = read<TestType>(
        R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"image"}]}]})");
    CHECK(condense::with_part(picture, 1, "").dump() == picture.dump());
    CHECK(condense::with_part(picture, 1, "gone").at("content").at(0).at("content").at(1) ==
          read<TestType>(R"({"type":"text","text":"gone"})"));
}

TEMPLATE_TEST_CASE("json: sealed parts but media are never edited", "[adapt][json]", json, ordered_json) {
    auto const m =
        read<TestType>(R"({"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"EqQB"},
        {"type":"redacted_thinking","data":"x"},{"type":"image"},{"type":"later"},
        {"type":"web_search_tool_result","tool_use_id":"c1","content":[]}]})");
    REQUIRE(parts(m).size() == 5);
    for (std::size_t at = 0; at < 5; ++at) CHECK((condense::with_part(m, at, "{}") == m) == (at != 2));
}

TEMPLATE_TEST_CASE("json: what media are", "[adapt][json]", json, ordered_json) {
    auto const of = [](std::string const& block) {
        auto const shown = parts(read<TestType>(R"({"role":"user","content":[)" + block + "]}"));
        return shown.size() == 1 && shown[0].starts_with("media sealed =1600: ") ? shown[0].substr(20) : "not media";
    };
    std::string const digits(120'164, 'A');
    CHECK(of(R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":")" + digits + "\"}}") ==
          "image/png, 90,123 bytes");
    CHECK(of(R"({"type":"image","source":{"type":"url","url":"https://host/cat.png"}})") ==
          "image at https://host/cat.png");
    CHECK(of(R"({"type":"image","source":{"type":"file","file_id":"file_011"}})") == "image, file_011");
    CHECK(of(R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AAA="}})") ==
          "application/pdf, 2 bytes");
    CHECK(of(R"({"type":"document","source":{"type":"content","content":[]}})") == "not media");  // blocks of text
    CHECK(of(R"({"type":"image_url","image_url":{"url":"data:image/jpeg;base64,AAAAAA=="}})") == "image/jpeg, 4 bytes");
    CHECK(of(R"({"type":"image_url","image_url":{"url":"https://host/cat.png","detail":"low"}})") ==
          "image at https://host/cat.png");
    CHECK(of(R"({"type":"image_url","image_url":"https://host/cat.png"})") == "image at https://host/cat.png");
    CHECK(of(R"({"type":"image_url","image_url":"data:image/gif;base64,AAAA"})") == "image/gif, 3 bytes");
    CHECK(of(R"({"type":"input_audio","input_audio":{"data":"AAAAAAAA","format":"wav"}})") == "audio/wav, 6 bytes");
    CHECK(of(R"({"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AAAA"}})") ==
          "application/pdf, 3 bytes, a.pdf");
    CHECK(of(R"({"type":"file","file":{"file_id":"file-1"}})") == "file, file-1");
    CHECK(of(R"({"type":"input_image","image_url":"data:image/png;base64,AA"})") == "image/png, 1 bytes");
    CHECK(of(R"({"type":"video_url","video_url":{"url":"https://host/a.mp4"}})") == "video at https://host/a.mp4");
    CHECK(of(R"({"type":"image_url","image_url":{"url":"data:image/svg+xml,<svg/>"}})") == "image/svg+xml, 6 bytes");

    // What is long, or could not be printed, is left out.
    std::string const many(1'000'000, 'm');
    CHECK(of(R"({"type":"image_url","image_url":{"url":"https://)" + many + "\"}}") == "image at a link");
    CHECK(of(R"({"type":"image_url","image_url":{"url":"https://h/a b"}})") == "image at a link");
    CHECK(of(R"({"type":"image_url","image_url":{"url":"data:)" + many + "\"}}") == "image");
    CHECK(of(R"({"type":"image_url","image_url":{"url":"data:)" + many + ";base64,AAAA\"}}") == "image, 3 bytes");
    CHECK(of(R"({"type":"image","source":{"media_type":")" + many + R"(","data":"AAAA","file_id":")" + many + "\"}}") ==
          "image, 3 bytes");
    CHECK(of(R"({"type":"image","source":{"media_type":"a\u0000b\nc","data":"===="}})") == "image, 1 bytes");
    CHECK(of(R"({"type":"input_audio","input_audio":{"data":[],"format":"\u001b[2J"}})") == "audio");
    std::string nested;
    for (int level = 0; level < 200'000; ++level) nested += "data:,";
    CHECK(of(R"({"type":"image_url","image_url":")" + nested + "\"}") == "image, 1,199,994 bytes");
    for (auto const* const value :
         {"null", "7", "[]", "{}", "[[]]", R"({"url":{}})", R"({"data":7,"media_type":[]})", "\"\""})
        for (auto const* const field : {"source", "image", "url", "data", "media_type", "filename"})
            CHECK(of(R"({"type":"image",")" + std::string{field} + "\":" + value + "}") == "image");
}

TEMPLATE_TEST_CASE("json: a text in place of media", "[adapt][json]", json, ordered_json) {
    auto const with = [](std::string_view text, std::size_t index) {
        return condense::with_part(read<TestType>(text), index, "[a cat]");
    };
    auto const same = [](std::string_view text) { return read<TestType>(text); };
    CHECK(
        with(
            R"({"role":"user","content":["a",{"type":"image","source":{"data":"AAAA"},"cache_control":{"type":"e"}},"b"],"x":1})",
            1) ==
        same(
            R"({"role":"user","content":["a",{"type":"text","text":"[a cat]","cache_control":{"type":"e"}},"b"],"x":1})"));
    CHECK(with(R"({"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]})", 0) ==
          same(R"({"role":"user","content":[{"type":"text","text":"[a cat]"}]})"));

    SECTION("in an answer it is part of the answer") {
        auto const noted = with(
            R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":["a",{"type":"image"}]}]})",
            1);
        CHECK(
            noted ==
            same(
                R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":["a",{"type":"text","text":"[a cat]"}]}]})"));
        CHECK(parts(noted) == list{"tool result #c1: a", "tool result #c1: [a cat]"});
        CHECK(parts(with(R"({"role":"tool","tool_call_id":"c1","content":[{"type":"image"},"a"]})", 0)) ==
              list{"tool result #c1: [a cat]", "tool result #c1: a"});
    }
    SECTION("in an answer without a text it is a document, or nothing changes") {
        auto const noted = with(
            R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"image"}]}]})", 0);
        CHECK(noted["content"][0]["content"][0] ==
              same(R"({"type":"document","source":{"type":"text","media_type":"text/plain","data":"[a cat]"}})"));
        CHECK(parts(noted) == list{"text #c1: [a cat]", "tool result #c1: "});
        CHECK(parts(condense::with_part(noted, 0, "[dog]")) == list{"text #c1: [dog]", "tool result #c1: "});
        auto const* const answer = R"({"role":"tool","tool_call_id":"c1","content":[{"type":"image"}]})";
        CHECK(with(answer, 0) == same(answer));
        // Without an id its text would be no word of the user's any more.
        CHECK(parts(with(R"({"role":"user","content":[{"type":"tool_result","content":["a",{"type":"image"}]}]})",
                         1)) == list{"tool result: a", "text: [a cat]"});
        auto const* const legacy = R"({"role":"function","name":"f","content":["a",{"type":"image"}]})";
        CHECK(with(legacy, 1) == same(legacy));
    }
    SECTION("in the form of its neighbours, and not where there are no blocks") {
        CHECK(with(R"({"role":"user","content":[{"type":"input_image","image_url":"u"}]})", 0) ==
              same(R"({"role":"user","content":[{"type":"input_text","text":"[a cat]"}]})"));
        CHECK(with(R"({"role":"user","parts":[{"inlineData":{"data":"u"}}]})", 0) ==
              same(R"({"role":"user","parts":[{"text":"[a cat]"}]})"));
        auto const* const other = R"({"role":"user","content":"look","images":["iVBO"]})";
        CHECK(with(other, 1) == same(other));
    }
}

/// Outside of the template below, in which clang 19 takes the default of `when`.
constexpr auto noting = condense::compress{.when = condense::always, .with = condense::media_note{}};

TEMPLATE_TEST_CASE("json: media become notes in a conversation, and no cost is wrong", "[adapt][json]", json,
                   ordered_json) {
    using namespace condense::literals;
    std::vector<TestType> messages;
    for (
        auto const* const text :
        {R"({"role":"user","content":"look"})",
         R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"shot","arguments":"{}"}}]})",
         R"({"role":"tool","tool_call_id":"c1","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]})",
         R"({"role":"assistant","content":[{"type":"tool_use","id":"c2","name":"shot","input":{}},{"type":"tool_use","id":"c3","name":"shot","input":{}}]})",
         R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c2","content":[{"type":"image"},{"type":"image"}]},
                                          {"type":"tool_result","tool_use_id":"c3","content":[{"type":"image"},"two",{"type":"image"}]},{"type":"image"}]})",
         R"({"role":"assistant","content":"cats"})", R"({"role":"user","content":"thanks"})"})
        messages.push_back(read<TestType>(text));
    auto const before = messages;
    condense::pipeline const mix{noting};
    condense::char_ratio<condense::family::claude> const count;
    auto const report = condense::reduce(messages, mix, {.window = 100'000_tokens}, count);
    CHECK(report.layers[0].parts_shortened == 5);
    CHECK(report.layers[0].refused == 1);
    REQUIRE(messages.size() == before.size());
    CHECK(messages[2] == before[2]);  // the image is all that answers the call
    auto const note = [](std::string const& how) { return how + "[image, omitted; ask for it again if it is needed]"; };
    CHECK(parts(messages[4]) == list{note("text #c2: "), note("text #c2: "),
                                     "tool result #c2: ", note("tool result #c3: "), "tool result #c3: two",
                                     note("tool result #c3: "), note("text: ")});
    condense::cost sum;
    for (auto const& m : messages) {
        sum += count.frame(condense::role_of(m));
        condense::each_part(m,
                            [&](condense::part_view const& part) { sum += condense::detail::part_cost(count, part); });
    }
    CHECK(sum.tokens() == report.after.tokens);
    auto const once = messages;
    CHECK_FALSE(condense::reduce(messages, mix, {.window = 100'000_tokens}, count).changed());
    CHECK(messages == once);
}

TEMPLATE_TEST_CASE("json: removing a part", "[adapt][json]", json, ordered_json) {
    auto const without = [](std::string_view text, std::size_t index) {
        return condense::without_part(read<TestType>(text), index);
    };
    auto const same = [](std::string_view text) { return read<TestType>(text); };
    CHECK(without(R"({"role":"user","content":"a","x":1})", 0) == same(R"({"role":"user","content":"","x":1})"));
    CHECK(without(R"({"role":"user","content":{"a":1}})", 0) == same(R"({"role":"user","content":""})"));
    CHECK(without(R"({"content":[{"type":"thinking","thinking":"a"},{"type":"text","text":"b"}]})", 0) ==
          same(R"({"content":[{"type":"text","text":"b"}]})"));
    CHECK(without(R"({"content":[{"type":"image"}]})", 0) == same(R"({"content":[]})"));
    CHECK(without(R"({"content":["a","b"]})", 1) == same(R"({"content":["a"]})"));
    CHECK(without(R"({"content":[{"type":"tool_result","content":[{"type":"text","text":"a"},{"type":"image"}]}]})",
                  1) == same(R"({"content":[{"type":"tool_result","content":[{"type":"text","text":"a"}]}]})"));
    CHECK(without(R"({"content":"a","reasoning_content":"b","refusal":"c"})", 1) ==
          same(R"({"content":"a","refusal":"c"})"));
    CHECK(without(R"({"content":"a","reasoning_content":"b","refusal":"c"})", 2) ==
          same(R"({"content":"a","reasoning_content":"b"})"));
    auto const* const picture = R"({"role":"tool","tool_call_id":"c1","content":[{"type":"image"}]})";
    CHECK(without(picture, 0) == same(R"({"role":"tool","tool_call_id":"c1","content":[]})"));
    CHECK(without(picture, 1) == same(picture));
    CHECK(without(R"({"tool_calls":[7,{"id":"c1"}]})", 0) == same(R"({"tool_calls":[{"id":"c1"}]})"));
}

TEMPLATE_TEST_CASE("json: any value in any field", "[adapt][json]", json, ordered_json) {
    list failures;
    std::size_t tried = 0;
    auto const check = [&](TestType const& m) {
        if (tried++ % stride() != 0) return;
        if (auto const what = broken(m); !what.empty() && failures.size() < 5)
            failures.push_back(what + " in " + dump(m));
    };
    auto const values = any_values<TestType>();
    auto const fields = {"role",          "content",           "name",    "tool_call_id", "tool_call_ids", "tool_calls",
                         "function_call", "reasoning_content", "refusal", "condense"};
    auto const rich = read<TestType>(R"({"content":[{"type":"text","text":"a"},{"type":"image"},"b"],"name":"n",
        "tool_call_id":"c1","reasoning_content":"r","refusal":"f","tool_calls":[{"id":"c2","function":{"name":"g","arguments":"{}"}}],
        "function_call":{"name":"h","arguments":{"k":1}}})");

    for (auto const& value : values) check(value);
    for (auto const* const speaker : roles)
        for (auto const* const field : fields)
            for (auto const& value : values) {
                auto m = TestType::object();
                m["role"] = speaker;
                m[field] = value;
                check(m);
                m = rich;
                m["role"] = speaker;
                m[field] = value;
                check(m);
            }
    for (auto const* const speaker : {"assistant", "tool"})
        for (auto const* const type : block_types)
            for (auto const* const field : {"type", "text", "thinking", "signature", "data", "id", "name", "input",
                                            "tool_use_id", "content", "is_error"})
                for (auto const& value : values) {
                    auto block = TestType::object();
                    block["type"] = type;
                    block[field] = value;
                    auto m = TestType::object();
                    m["role"] = speaker;
                    m["content"] = TestType::array();
                    m["content"].push_back(block);
                    auto nesting = TestType::object();
                    nesting["type"] = "tool_result";
                    nesting["content"] = TestType::array();
                    nesting["content"].push_back(block);
                    m["content"].push_back(nesting);
                    check(m);
                }
    for (auto const* const field : {"id", "type", "function", "custom"})
        for (auto const* const inner : {"name", "arguments", "input"})
            for (auto const& value : values) {
                auto call = TestType::object();
                call[field] = value;
                auto m = TestType::object();
                m["role"] = "assistant";
                m["tool_calls"] = TestType::array();
                m["tool_calls"].push_back(call);
                check(m);
                call[field] = TestType::object();
                call[field][inner] = value;
                m["tool_calls"].push_back(call);
                m["function_call"] = call[field];
                check(m);
            }
    CHECK(failures == list{});
    CHECK(tried > 10'000);
}

TEMPLATE_TEST_CASE("json: ill-formed UTF-8", "[adapt][json]", json, ordered_json) {
    std::string const bytes{"a\xFF\xED\xA0\x80z"};
    auto m = read<TestType>(
        R"({"role":"assistant","content":[{"type":"text"},{"type":"tool_use","id":"c1","name":"w","input":{}}]})");
    m["content"][0]["text"] = bytes;
    m["content"][1]["input"]["q"] = bytes;
    auto const seen = parts(m);
    REQUIRE(seen.size() == 2);
    CHECK(seen[0] == "text: " + bytes);
    CHECK(condense::detail::utf8::valid(seen[1]));
    auto const same = condense::with_part(m, 1, seen[1].substr(seen[1].find('{')));
    CHECK(same["content"][1]["input"]["q"].template get<std::string>() == bytes);
}

TEMPLATE_TEST_CASE("json: marks", "[adapt][json]", json, ordered_json) {
    auto m = read<TestType>(R"({"role":"user","content":"a"})");
    auto const plain = m;
    CHECK(condense::mark_of(m).empty());
    condense::set_mark(m, "short.0");
    CHECK(m.at("condense") == "short.0");
    CHECK(condense::mark_of(m) == "short.0");
    condense::set_mark(m, "summary");
    CHECK(condense::mark_of(m) == "summary");
    CHECK(m.size() == 3);
    condense::set_mark(m, "");
    CHECK(m == plain);
    condense::set_mark(m, "");
    CHECK(m == plain);
    CHECK(condense::mark_of(read<TestType>(R"({"condense":["short.0"]})")).empty());

    SECTION("without_marks takes them from a message, an array and a container") {
        condense::set_mark(m, "short.0");
        auto one = m;
        condense::without_marks(one);
        CHECK(one == plain);
        auto array = TestType::array();
        array.push_back(m);
        array.push_back(7);
        array.push_back(m);
        condense::without_marks(array);
        CHECK(array.size() == 3);
        CHECK(array[0] == plain);
        CHECK(array[1] == 7);
        CHECK(array[2] == plain);
        std::vector<TestType> history(2, m);
        condense::without_marks(history);
        CHECK(history == std::vector<TestType>(2, plain));
    }
}

TEMPLATE_TEST_CASE("json: messages that the library writes", "[adapt][json]", json, ordered_json) {
    using condense::detail::make_fn;
    auto const made = make_fn::make<TestType>(condense::role::user, "a summary");
    CHECK(made == read<TestType>(R"({"role":"user","content":"a summary"})"));
    CHECK(parts(made) == list{"text: a summary"});
    for (auto const speaker : {condense::role::system, condense::role::user, condense::role::assistant,
                               condense::role::tool, condense::role::other})
        CHECK(condense::role_of(make_fn::make<TestType>(speaker, "x")) == speaker);
}

TEMPLATE_TEST_CASE("json: names", "[adapt][json]", json, ordered_json) {
    CHECK(condense::name_of(read<TestType>(R"({"role":"user","name":"ann"})")) == "ann");
    CHECK(condense::name_of(read<TestType>(R"({"role":"tool","name":"ls"})")).empty());
    CHECK(condense::name_of(read<TestType>(R"({"role":"user","name":["ann"]})")).empty());
}

TEMPLATE_TEST_CASE("json: the messages of a document", "[adapt][json]", json, ordered_json) {
    auto array = read<TestType>(R"([{"role":"user","content":"a"},{"role":"assistant","content":null}])");
    REQUIRE(condense::messages_of(array));
    CHECK(&*condense::messages_of(array) == array.template get_ptr<typename TestType::array_t*>());
    auto body = read<TestType>(
        R"({"model":"m","messages":[{"role":"user"},{"role":"user","content":[]},{"role":"user","content":""}]})");
    REQUIRE(condense::messages_of(body));
    CHECK(condense::messages_of(body)->size() == 3);
    condense::messages_of(body)->pop_back();
    CHECK(body.at("messages").size() == 2);
    for (auto const* const text : {"{}", R"({"messages":{}})", R"({"messages":"x"})", R"("messages")", "null", "1"}) {
        auto other = read<TestType>(text);
        CHECK_FALSE(condense::messages_of(other));
        CHECK(condense::messages_of(other).list == nullptr);
        CHECK(condense::messages_of(other).error.text() ==
              "condense: json: an array of messages is wanted, or a request body that holds one as 'messages', "
              "'input', 'contents' or 'prompt'");
        CHECK_THROWS_AS(*condense::messages_of(other), condense::unknown_shape);
    }
    auto foreign = read<TestType>(R"({"messages":[{"role":"user","content":"a"},{"from":"human","value":"hi"}]})");
    auto const found = condense::messages_of(foreign);
    CHECK_FALSE(found);
    CHECK(found.list != nullptr);
    CHECK(found.error.message == 1);
    CHECK_THROWS_AS(*found, condense::unknown_shape);
}

TEMPLATE_TEST_CASE("json: a system prompt outside the messages costs what it says", "", nlohmann::json,
                   nlohmann::ordered_json) {
    auto const count = condense::chars_per_token{1'000};
    auto const cost_of = [&](char const* text) { return condense::overhead_of(TestType::parse(text), count).count; };
    CHECK(cost_of(R"({"system": "You are terse.", "messages": []})") == count("You are terse.").tokens().count);
    CHECK(cost_of(R"({"system": [{"type": "text", "text": "You are"}, {"type": "text", "text": " terse."}]})") ==
          (count("You are") + count(" terse.")).tokens().count);
    CHECK(cost_of(R"({"messages": []})") == 0);
    CHECK(cost_of(R"({"system": null})") == 0);
    CHECK(cost_of("[]") == 0);
    CHECK(cost_of("7") == 0);
}

TEST_CASE("json: a result that is only an image answers its call", "[adapt][json]") {
    auto const count = [](std::string_view text) { return condense::cost{256 * text.size()}; };
    condense::outline facts;
    auto const add = [&](std::string_view text) { facts.append(read<json>(text), count); };
    add(R"({"role":"user","content":"look"})");
    add(R"({"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"shot","input":{}}]})");
    add(R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"image"}]}]})");
    CHECK(facts.group_of(2) == facts.group_of(1));
    CHECK(facts.open(facts.group_of(1)));
    add(R"({"role":"assistant","content":"a cat"})");
    CHECK_FALSE(facts.open(facts.group_of(1)));
}

TEMPLATE_TEST_CASE("json: every part of the recorded conversations", "[adapt][json][transcripts]", json, ordered_json) {
    auto const files = transcripts();
    if (files.empty()) {
        WARN("SKIPPED: no transcripts; set CONDENSE_TRANSCRIPTS to their folder");
        SUCCEED("a test without assertions counts as failed");
        return;
    }
    // Calls, results and characters of text, by the transcripts' own README; less the URL of an image,
    // and counting compact JSON and both blocks of a result of two.
    struct totals {
        std::size_t calls, results;
        std::uint64_t chars;
    };
    std::map<std::string, totals> const known{
        {"claude-code-share-wording.json", {31, 32, 100'980}}, {"deepseek-api-reasoning-parallel.json", {4, 4, 934}},
        {"mistral-api-image-url.json", {1, 1, 124}},           {"openhands-ponyc-4595.json", {23, 22, 89'430}},
        {"openhands-sdk-fncall-claude.json", {5, 5, 13'737}},  {"pi-large-session.json", {391, 373, 495'726}},
        {"swe-function-calling-simple.json", {5, 5, 7'247}},   {"tau-airline-cjk-fragment.json", {6, 6, 12'651}},
        {"tau-airline-long-62.json", {27, 27, 30'286}},        {"tau-airline-long-dense.json", {20, 20, 24'860}},
        {"tau-retail-long-62.json", {23, 23, 38'561}},
    };
    std::size_t parts_seen = 0;
    std::size_t checked = 0;
    for (auto const& path : files) {
        CAPTURE(path.filename().string());
        auto document = condense::parse_json<TestType>(slurp(path));
        REQUIRE(document.error == "");
        auto const messages = condense::messages_of(document.value);
        CHECK(messages.error.text() == condense::shape_error{}.text());
        REQUIRE(messages);
        REQUIRE_FALSE(messages->empty());
        totals sum{};
        for (auto const& m : *messages) {
            CHECK(broken(m) == "");
            CHECK(condense::role_of(m) != condense::role::other);
            condense::each_part(m, [&](condense::part_view const& part) {
                ++parts_seen;
                sum.calls += part.kind == condense::part_kind::tool_call;
                sum.results += part.kind == condense::part_kind::tool_result;
                if (part.kind != condense::part_kind::media) sum.chars += condense::detail::utf8::count(part.text);
            });
        }
        if (auto const found = known.find(path.filename().string()); found != known.end()) {
            ++checked;
            CHECK(sum.calls == found->second.calls);
            CHECK(sum.results == found->second.results);
            CHECK(sum.chars == found->second.chars);
        }
    }
    CHECK(checked == known.size());
    CHECK(parts_seen > 500);
}

TEMPLATE_TEST_CASE("json: bytes hold all of a message, as text where text can hold it", "", json, ordered_json) {
    auto const back = [](TestType const& m) {
        auto const held = condense::to_bytes(m);
        auto const found = condense::from_bytes<TestType>(held);
        return found && *found == m && condense::to_bytes(*found) == held;
    };
    for (std::string_view const text :
         {R"({"role":"user","content":"hi"})", R"({"z":1,"a":{"b":[1,2.5,-3,true,null,"\u0000\ud83d\ude00"]}})",
          R"([])", R"({})", R"("")", "null", "1", "18446744073709551615", "-9223372036854775808", "0.1", "1e300",
          "-0.0", R"({"n":1.0})"}) {
        auto const m = read<TestType>(text);
        INFO(text);
        CHECK(back(m));
        CHECK(condense::to_bytes(m).find('\n') == std::string::npos);
        CHECK(condense::to_bytes(m)[0] != '\xD9');
    }
    // What text can not hold.
    TestType broken{{"role", "user"}, {"content", "a\xFF\xC3"}};
    CHECK(condense::to_bytes(broken).substr(0, 3) == "\xD9\xD9\xF7");
    CHECK(back(broken));
    TestType far{{"n", std::numeric_limits<double>::infinity()}};
    CHECK(back(far));
    TestType binary{{"b", TestType::binary({1, 2, 255})}};
    CHECK(back(binary));
    TestType deep = 1;
    TestType far_down = std::numeric_limits<double>::infinity();
    for (int level = 0; level < 128; ++level) {
        deep = TestType::array({deep});
        far_down = TestType::array({far_down});
    }
    CHECK(back(deep));
    CHECK(condense::to_bytes(far_down)[0] == '\xD9');
    CHECK(back(far_down));
}

TEMPLATE_TEST_CASE("json: bytes that were cut, changed or made up give nothing, or another message", "", json,
                   ordered_json) {
    TestType const text =
        read<TestType>(R"({"role":"assistant","content":[{"type":"text","text":"so \u00e9"}],"n":[1,2.5,null]})");
    TestType binary = text;
    binary["content"][0]["text"] = "ill-formed \xFF";
    for (auto const& m : {text, binary}) {
        auto const whole = condense::to_bytes(m);
        REQUIRE(condense::from_bytes<TestType>(whole) == m);
        for (std::size_t size = 0; size < whole.size(); ++size)
            CHECK_FALSE(condense::from_bytes<TestType>(std::string{whole.substr(0, size)}));
        std::size_t refused = 0;
        for (std::size_t at = 0; at < whole.size(); ++at)
            for (unsigned flip = 1; flip < 256; flip *= 2) {
                auto changed = whole;
                changed[at] = static_cast<char>(static_cast<unsigned>(changed[at]) ^ flip);
                if (auto const found = condense::from_bytes<TestType>(changed))
                    static_cast<void>(condense::to_bytes(*found));
                else ++refused;
            }
        CHECK(refused > 100);
        CHECK_FALSE(condense::from_bytes<TestType>(whole + "x"));
    }
    CHECK_FALSE(condense::from_bytes<TestType>(""));
    CHECK_FALSE(condense::from_bytes<TestType>("\xD9\xD9\xF7"));
    // Text and binary each go by a parser with a limit on depth.
    CHECK_FALSE(condense::from_bytes<TestType>(std::string(129, '[') + std::string(129, ']')));
    CHECK_FALSE(condense::from_bytes<TestType>("\xD9\xD9\xF7" + std::string(129, '\x81') + '\x01'));
}

TEMPLATE_TEST_CASE("json: an answer to a call has the shape of the call", "", json, ordered_json) {
    auto const answer = [](std::string_view text) {
        auto const m = read<TestType>(text);
        std::vector<TestType> out;
        condense::each_part(m, [&](condense::part_view const& part) {
            if (part.kind == condense::part_kind::tool_call) out.push_back(condense::make_result(m, part, "none"));
        });
        return out;
    };
    auto const openai = answer(
        R"({"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}},{"id":"2","function":{"name":"g","arguments":"{}"}}]})");
    REQUIRE(openai.size() == 2);
    CHECK(openai[1] == read<TestType>(R"({"role":"tool","tool_call_id":"2","content":"none"})"));
    auto const anthropic = answer(
        R"({"role":"assistant","content":["words",{"type":"tool_use","id":"1","name":"f","input":{}},{"type":"tool_use","id":"2","name":"g","input":{}}]})");
    REQUIRE(anthropic.size() == 2);
    CHECK(
        anthropic[1] ==
        read<TestType>(
            R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"2","is_error":true,"content":"none"}]})"));
    auto const both = answer(
        R"({"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}],"tool_calls":[{"id":"2","function":{"name":"g","arguments":"{}"}}]})");
    REQUIRE(both.size() == 2);
    CHECK(both[0]["role"] == "user");
    CHECK(both[1]["role"] == "tool");
    for (auto const& m : {openai[0], anthropic[0], both[1]}) {
        list const found = parts(m);
        CHECK(found.size() == 1);
        CHECK(found[0].find("tool result") == 0);
    }
    // What the provider runs itself is not for us to answer.
    CHECK(parts(answer(
                    R"({"role":"assistant","content":[{"type":"server_tool_use","id":"1","name":"f","input":{}}]})")[0])
              .empty());
    // Hostile: every field of another type.
    for (std::string_view const odd :
         {R"({"role":"assistant","content":[{"type":"tool_use","id":7,"name":[],"input":3}]})",
          R"({"role":"assistant","content":[{"type":"tool_use"}]})",
          R"({"role":"assistant","tool_calls":[{"id":{},"function":{}}]})"})
        CHECK(answer(odd).size() == 1);
}
