// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json_shape.hpp>

#include <condense/adapt/json_text.hpp>
#include <condense/condense.hpp>
#include <condense/detail/base64.hpp>

#include "adapt/json_fixtures.hpp"
#include "support/catch.hpp"

// Also of what reads a shape: its places, its texts, and whether it is understood.

namespace {

using namespace condense::literals;
using adapt_tests::dump, adapt_tests::list, adapt_tests::read, adapt_tests::table;
using condense::json_shape, condense::shape_error_of;
namespace detail = condense::detail;
using json = nlohmann::ordered_json;
using place = detail::json_place<json>;
using piece = detail::json_piece<json const>;

/// All pieces of a message.
std::vector<piece> pieces_of(json const& m) {
    std::vector<piece> out;
    detail::each_piece(m, [&](piece const& each) { out.push_back(each); });
    return out;
}

constexpr bool types_of_media_are_known() {
    for (std::string_view const key : {"inlineData", "file_data", "image", "document"})
        if (!detail::is_media_key(key)) return false;
    for (std::string_view const key : {"", "text", "images", "toolUse", "cachePoint"})
        if (detail::is_media_key(key)) return false;
    return detail::media_name("image_url") == "image" && detail::media_name("input_image") == "image" &&
           detail::media_name("image-data") == "image" && detail::media_name("fileData") == "file" &&
           detail::media_name("inline_data") == "media" && detail::media_name("input_audio") == "audio" &&
           detail::media_name("document") == "document" && detail::media_name("").empty() &&
           detail::media_name("input_").empty();
}
static_assert(types_of_media_are_known());
static_assert(detail::decoded_size("") == 0 && detail::decoded_size("=") == 0 && detail::decoded_size("====") == 1);

std::string words(std::string_view block) { return detail::media_text(read(block)); }

/// The words of a block of a message, where that is one of media and nothing else.
std::string shown(std::string const& block) {
    auto const all = adapt_tests::parts(read(R"({"role":"user","content":[)" + block + "]}"));
    return all.size() == 1 && all[0].starts_with("media sealed =1600: ") ? all[0].substr(20) : "not media";
}

static_assert(std::same_as<decltype(detail::member_of(std::declval<json&>(), "a")), json*>);
static_assert(std::same_as<decltype(detail::member_of(std::declval<json const&>(), "a")), json const*>);
static_assert(std::same_as<decltype(detail::object_member(std::declval<json const&>(), "a")), json const*>);
static_assert(std::same_as<decltype(std::declval<detail::json_place<json const>>().find()), json const*>);

/// The text of a value, where a text can hold it.
std::string text_of(json const& value) {
    std::string text;
    return detail::append_text(text, value) ? text : std::string{"none"};
}

/// A part's view of a value, and the value with a text in its place.
std::string shown_of(json const& value) {
    detail::json_text_part const held{{}, value};
    condense::part_view const part = held;
    return std::string{part.text};
}
json written(json value, std::string text, bool any_text) {
    detail::write_json(value, std::move(text), any_text);
    return value;
}

static_assert(detail::names_call("toolUse", false) && detail::names_call("FunctionResponse", false));
static_assert(!detail::names_call("custom_tool_call", false) && detail::names_call("custom_tool_call", true));
static_assert(!detail::names_call("too", true) && !detail::names_call("", true));

}  // namespace

TEST_CASE("json_shape: each message has the parts that it should", "[adapt][json]") {
    for (auto const* const rows : {"parts", "odd"})
        for (auto const& row : table(rows)) {
            CAPTURE(row.dump());
            list out;
            for (auto each : pieces_of(row[0])) {
                auto const* const value = each.text.find();
                auto const text = each.is_dump && value != nullptr ? dump(*value) : std::string{each.part.text};
                each.part.text = text;
                out.push_back(adapt_tests::spelt(each.part));
            }
            CHECK(out == adapt_tests::rest_of(row));
        }
    for (auto const& row : table("parts")) {
        CAPTURE(row.dump());
        auto out = adapt_tests::parts(row[0]);
        for (auto& part : out)  // the words of media are not of the piece
            if (part.starts_with("media ")) part.resize(part.find(": ") + 2);
        CHECK(out == adapt_tests::rest_of(row));
    }
}

TEST_CASE("json_shape: words under a name that nobody knows are counted, in messages of all shapes", "[adapt][json]") {
    std::string const names[] = {"zq_words", "reasoningLog", "output"};
    std::string text;
    while (text.size() < 10'000) text += "some words ";
    auto const cost_of = [](json const& m) {
        condense::cost sum;
        adapt_tests::each_part(m, [&](condense::part_view const& part) {
            sum += condense::detail::part_cost(condense::chars_per_token{40}, part);
        });
        return sum.tokens().count;
    };
    std::size_t count = 0, in_blocks = 0;
    for (auto const* const rows : {"parts", "understood"})
        for (auto const& row : table(rows)) {
            json const m = row.is_array() ? row[0] : row;
            if (shape_error_of(m) || m.value("role", "") == "toolResult") continue;
            for (auto const& name : names) {
                auto more = m;
                more[name] = text;
                if (shape_error_of(more)) continue;  // by name
                if (name == "output" && !m.contains("role")) continue;  // of an item it may be the result
                CAPTURE(more.dump().substr(0, 200));
                CHECK(cost_of(more) > cost_of(m) + 2'400);
                CHECK(cost_of(more) < cost_of(m) + 2'600);
                ++count;
            }
            // In a block, and in what its one member holds.
            for (auto const* const key : {"content", "parts"}) {
                auto const* const blocks = detail::member_of(m, key);
                for (std::size_t at = 0; blocks != nullptr && blocks->is_array() && at < blocks->size(); ++at) {
                    if (!(*blocks)[at].is_object() || (*blocks)[at].contains("cachePoint")) continue;
                    auto more = m;
                    auto& block = more[key][at];
                    bool const is_inner = block.size() == 1 && block.front().is_object();
                    (is_inner ? block.front() : block)["zq_words"] = text;
                    if (shape_error_of(more)) continue;
                    CAPTURE(more.dump().substr(0, 300));
                    CHECK(cost_of(more) > cost_of(m) + 2'400);
                    CHECK(cost_of(more) < cost_of(m) + 2'600);
                    ++in_blocks;
                }
            }
        }
    CHECK(count > 200);
    CHECK(in_blocks > 60);
}

TEST_CASE("json_shape: only a dump is left to the reader", "[adapt][json]") {
    std::string seen;
    auto const m = read(R"({"role":"assistant","content":["a",{"type":"tool_use","id":"c1","input":"{}"},5],
        "tool_calls":[{"function":{"arguments":"{}"}},{"function":{"arguments":{}}},{"function":{}}]})");
    for (auto const& each : pieces_of(m)) {
        seen += each.is_dump ? 'd' : 's';
        if (each.is_dump) CHECK(each.part.text.empty());
    }
    CHECK(seen == "sddsds");
}

// With a part goes its block, or its member; with the last text of a tool_result its block. The content of a message of
// role tool stays an array.
TEST_CASE("json_shape: the text of a part, and what goes with it", "[adapt][json]") {
    for (auto const& row : table("places")) {
        CAPTURE(row.dump());
        auto const value_at = [](auto const& place) { return place.find() == nullptr ? json{} : *place.find(); };
        auto out = json::array({row[0]});
        for (auto const& each : pieces_of(row[0]))
            out.push_back(json::array({value_at(each.text), value_at(each.removable)}));
        CHECK(out == row);
    }
}

TEST_CASE("json_shape: a piece has the index at which it is enumerated", "[adapt][json]") {
    auto m = read(R"({"content":["a",{"type":"image"},{"type":"tool_result","content":["b","c"]}],
        "refusal":"d","reasoning_content":"e","tool_calls":[{"id":"c1","function":{"arguments":"f"}}]})");
    std::size_t index = 0;
    std::string texts;
    for (auto const& each : pieces_of(m)) {
        auto const found = detail::piece_at(m, index++);
        texts += found.part.text;
        CHECK(found.part.kind == each.part.kind);
        CHECK(found.text.find() == each.text.find());
        CHECK(found.removable.find() == each.removable.find());
        CHECK(found.removable.find() != nullptr);
    }
    CHECK(index == 7);
    CHECK(texts == "abcedf");
    CHECK(detail::piece_at(m, 7).text.parent == nullptr);
    CHECK(detail::piece_at(m, 7).removable.parent == nullptr);
    auto nothing = read("[1]");
    CHECK(detail::piece_at(nothing, 0).removable.parent == nullptr);
}

TEST_CASE("json_media: what each shape of block says", "[adapt][json]") {
    CHECK(types_of_media_are_known());
    for (auto const& row : table("media")) {
        CAPTURE(row.dump());
        auto const text = row[1].get<std::string>();
        CHECK(detail::media_text(row[0]) == text);
        if (row[0].is_object() && row[0].contains("type") && row[0]["type"] != "resource")
            CHECK(shown(row[0].dump()) == text);
    }
    CHECK(shown(R"({"type":"document","source":{"type":"content","content":[]}})") == "not media");  // blocks of text
    // Whatever their bytes, the cost is flat.
    for (std::string const type : {"image", "image_url", "input_image", "input_audio", "audio", "document", "file",
                                   "input_file", "video", "video_url"})
        CHECK(shown(R"({"data":"AAAAAAAAAAAAAAAAAAAA","type":")" + type + "\"}").ends_with(", 15 bytes"));
}

TEST_CASE("json_media: base64 stands for so many bytes, with its padding and without", "[adapt][json]") {
    for (std::size_t size = 0; size < 50; ++size) {
        CAPTURE(size);
        std::string spelt;
        detail::base64::append(spelt, std::string(size, 'x'));
        CHECK(detail::decoded_size(spelt) == size);
        CHECK(detail::decoded_size(spelt.substr(0, spelt.find('='))) == size);
    }
}

TEST_CASE("json_media: what is of the wrong type is not looked at", "[adapt][json]") {
    CHECK(words(R"({"type":"image","source":"here","image_url":[],"data":7,"filename":{},"media_type":null})") ==
          "image");
    CHECK(words(R"({"type":"image","source":{"media_type":[],"data":{},"url":1}})") == "image");
    for (auto const* const block : {R"({"type":7})", "[]", "null"}) CHECK(words(block).empty());
    for (auto const* const value :
         {"null", "7", "[]", "{}", "[[]]", R"({"url":{}})", R"({"data":7,"media_type":[]})", "\"\""})
        for (auto const* const field : {"source", "image", "url", "data", "media_type", "filename"})
            CHECK(shown(R"({"type":"image",")" + std::string{field} + "\":" + value + "}") == "image");
}

TEST_CASE("json_media: what is long or does not print is not shown", "[adapt][json]") {
    std::string const many(1'000'000, 'm');
    auto const source = [](std::string const& members) { return R"({"type":"image","source":{)" + members + "}}"; };
    auto const link = [](std::string const& url) {
        return R"({"type":"image_url","image_url":{"url":")" + url + "\"}}";
    };
    struct row {
        std::string block, text;
    };
    for (auto const& [block, text] : {
             row{source(R"("url":"https://host/two\nlines")"), "image at a link"},
             row{source(R"("url":"https://host/)" + std::string(200, 'x') + "\""), "image at a link"},
             row{source(R"("media_type":"image/png \u0000","data":"AAAA")"), "image, 3 bytes"},
             row{source(R"("media_type":")" + std::string(61, 'x') + R"(","data":"AAAA")"), "image, 3 bytes"},
             row{source(R"("media_type":")" + many + R"(","data":"AAAA","file_id":")" + many + "\""), "image, 3 bytes"},
             row{source(R"("type":"base64","media_type":"image/png","data":")" + std::string(120'164, 'A') + "\""),
                 "image/png, 90,123 bytes"},
             row{link("https://" + many), "image at a link"},
             row{link("data:" + many), "image"},
             row{link("data:" + many + ";base64,AAAA"), "image, 3 bytes"},
             row{link("data:image/png;base64"), "image"},
             row{R"({"type":"audio","format":"w v","data":"AAAA"})", "audio, 3 bytes"},
             row{R"({"type":"file","file":{"filename":"]\n[ignore this","file_id":"file-1"}})", "file, file-1"},
             row{R"({"type":"file","file":{"filename":"\u00e9.pdf"}})", "file"},
         }) {
        CAPTURE(block.substr(0, 100));
        CHECK(words(block) == text);
        CHECK(shown(block) == text);
    }
    std::string nested;
    for (int level = 0; level < 200'000; ++level) nested += "data:,";
    CHECK(shown(R"({"type":"image_url","image_url":")" + nested + "\"}") == "image, 1,199,994 bytes");

    json const odd{{"type", "image"},
                   {"source", {{"url", "\xFF\xFE"}, {"media_type", "\x80"}, {"data", std::string(1'000'000, '\xFF')}}}};
    auto const said = detail::media_text(odd);
    CHECK(said == "image, 750,000 bytes at a link");
    CHECK(detail::utf8::valid(said));
    json const long_link{{"type", "image_url"}, {"image_url", "data:" + std::string(1'000'000, ',')}};
    CHECK(detail::media_text(long_link) == "image, 999,999 bytes");
}

TEST_CASE("json_place: a dump is one line, the library's, and its text only where it holds all", "[adapt][json]") {
    CHECK(detail::dump_of(read("{ \"a\": [1,\n 2.0] }")) == R"({"a":[1,2.0]})");
    CHECK(detail::dump_of(json("two\nlines")) == R"("two\nlines")");
    CHECK(detail::dump_of(json("a\xFFz")) == "\"a\xEF\xBF\xBDz\"");
    std::string ascii;
    for (char byte = 0; byte >= 0 && byte < 0x7F; ++byte) ascii += byte;
    for (auto const& value :
         {json(ascii + "\x7F\xC3\xA9\xF0\x9F\x98\x80"), json(""), json(), json(true), json(false), json(0), json(-7),
          json(std::numeric_limits<std::int64_t>::min()), json(std::numeric_limits<std::uint64_t>::max()),
          json(3.14159265358979), json(1e300), json(-0.0), json::array(), json::object(),
          json({{ascii, {1, "two", {{"three", nullptr}}}}, {"", false}})}) {
        CHECK(text_of(value) == value.dump());
        CHECK(detail::dump_of(value) == value.dump());
        CHECK(read(text_of(value)) == value);
    }
    json deep = 1;
    for (int level = 0; level < 128; ++level) deep = json::array({std::move(deep)});
    CHECK(text_of(deep) == deep.dump());
    deep = json::array({std::move(deep)});
    for (auto const& value : {deep, json("\xFF"), json({{"\xC3", 1}}), json({1, {2, "\xED\xA0\x80"}}),
                              json(std::numeric_limits<double>::infinity()),
                              json(std::numeric_limits<double>::quiet_NaN()), json::binary({1, 2})}) {
        CHECK(text_of(value) == "none");
        CHECK(detail::dump_of(value) == adapt_tests::dump(value));
    }
}

TEST_CASE("json_place: a string is spelled as the library does, wherever its bytes stand", "[adapt][json]") {
    for (std::string_view const piece : {"\n", "\"", "\x01", "\xC3\xA9", "\xF0\x9F\x98\x80", "\xFF", "\xF0\x9F\x98"})
        for (std::size_t before = 0; before < 300; ++before) {
            // In plain text, and behind a run of the widest escapes with seven bytes between.
            for (auto text : {std::string(before, 'x') + std::string{piece} + "yz",
                              std::string(before, '\x02') + "1234567" + std::string{piece}}) {
                std::string out{"["};
                bool const valid = condense::utf8::valid(text);
                REQUIRE(detail::append_string(out, text) == valid);
                if (valid) REQUIRE(out == "[" + json(text).dump());
            }
        }
}

TEST_CASE("json_place: a place need not exist", "[adapt][json]") {
    auto object = read(R"({"a":1})");
    auto array = read("[1,2]");
    CHECK(place{}.find() == nullptr);
    CHECK(place{&object, "a"}.find() == &object.at("a"));
    CHECK(place{&object, "b"}.find() == nullptr);
    CHECK(place{&array, "a"}.find() == nullptr);
    CHECK(place{&array, nullptr, 0}.find() == &array[0]);
    CHECK(place{&array, nullptr, 1}.find() == &array[1]);
    CHECK(place{&array, nullptr, 2}.find() == nullptr);
    for (auto const& nowhere : {place{}, place{&object, "b"}, place{&array, nullptr, 2}}) nowhere.erase();
    CHECK(array.size() == 2);
    CHECK(object.size() == 1);
}

TEST_CASE("json_place: what is erased is gone, and content is empty") {
    for (auto const* const content : {R"("text")", R"([{"type":"image"}])", R"({"a":1})", "null", R"("")"}) {
        CAPTURE(content);
        json message{{"role", "user"}, {"content", read(content)}, {"id", 7}};
        place{&message, "content"}.erase();
        CHECK(message.dump() == R"({"role":"user","content":"","id":7})");
    }
    auto array = read(R"(["one",{"content":"two"},"three"])");
    place{&array, nullptr, 1}.erase();
    CHECK(array.dump() == R"(["one","three"])");
}

TEST_CASE("json_text: a string is shown where it is, all else as its dump") {
    json const text = "as it \"is\"";
    detail::json_text_part const held{{.kind = condense::part_kind::tool_call, .tool = "t", .call = "c"}, text};
    condense::part_view const part = held;
    CHECK(static_cast<void const*>(part.text.data()) ==
          static_cast<void const*>(text.get_ref<std::string const&>().data()));
    CHECK((part.kind == condense::part_kind::tool_call && part.tool == "t" && part.call == "c"));
    CHECK(shown_of(json{{"b", 1}, {"a", {1, nullptr}}}) == "{\"b\":1,\"a\":[1,null]}");
    CHECK(shown_of(json{}) == "null");
    CHECK(shown_of(json::array({"\xFF"})) == "[\"\xEF\xBF\xBD\"]");
    auto const copy = held;
    condense::part_view const of_copy = copy;
    CHECK(of_copy.text == "as it \"is\"");
}

TEST_CASE("json_text: a text is written as what the value was, as JSON, or not") {
    CHECK(written("old", "[1]", false) == json("[1]"));
    CHECK(written(json{{"a", 1}}, "[1]", false) == json::array({1}));
    CHECK(written(json{{"a", 1}}, "no JSON", false) == json{{"a", 1}});
    CHECK(written(json{{"a", 1}}, "no JSON", true) == json("no JSON"));
    CHECK(written(json{{"a", 1}}, "", false) == json{{"a", 1}});
    std::string const deep = std::string(100'000, '[') + std::string(100'000, ']');
    CHECK(written(json{{"a", 1}}, deep, false) == json{{"a", 1}});
    CHECK(written(json{{"a", 1}}, deep, true) == json(deep));
}

// Those of the table "rounds" are in json_conversations.test.cpp.
TEST_CASE("json_understood: messages of every shape", "[adapt][json]") {
    auto const check = [](json const& m) {
        CAPTURE(m.dump());
        CHECK(shape_error_of(m).reason == "");
        CHECK_FALSE(shape_error_of(m));
    };
    for (auto const& m : table("understood")) check(m);
    for (auto const& row : table("parts")) check(row[0]);
}

// Of other programs, such as Cohere, ShareGPT and coding agents, and what is nearly right.
TEST_CASE("json_understood: other shapes are errors, message by message", "[adapt][json]") {
    auto const check = [](json const& m) {
        CAPTURE(m.dump());
        CHECK(shape_error_of(m));
        CHECK_THROWS_AS(adapt_tests::each_part(m, [](condense::part_view const&) { FAIL("a part was shown"); }),
                        condense::unknown_shape);
    };
    for (auto const& m : table("strange")) check(m);
    for (auto const& row : table("odd")) check(row[0]);
}

TEST_CASE("json_understood: an error names the message and its members, and nothing that is hostile", "[adapt][json]") {
    auto const of = [](std::string_view text) { return shape_error_of(read(text), 7).text(); };
    CHECK(of(R"({"role":"model","parts":[{"functionCalls":{"name":"f"},"thoughtSignature":"x"}]})") ==
          "condense: json: message 7 with members (role, parts) is not understood: block 0 (members functionCalls, "
          "thoughtSignature) names a call or a result; the nearest shape is gemini");
    CHECK(of(R"({"role":"assistant","content":["a",{"type":"tool-cal","toolCallId":"c1","toolName":"f"}]})") ==
          "condense: json: message 7 with members (role, content) is not understood: block 1 (type tool-cal; members "
          "type, toolCallId, toolName) names a call or a result; the nearest shape is ai_sdk");
    CHECK(
        of(R"({"from":"human","value":"hi"})") ==
        "condense: json: message 7 with members (from, value) is not understood: it has no content; no shape has such "
        "members");
    CHECK(of("5").find("(none, a JSON number)") != std::string::npos);
    auto const hostile = of("{\"role\":\"user\",\"\\u001b[2J\":1,\"" + std::string(500, 'x') + R"(":1,"parts":[7]})");
    CHECK(hostile.find("(role, ?, ?, parts)") != std::string::npos);
    CHECK(
        of(R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":"1"})").find("k, l, ...)") !=
        std::string::npos);
    CHECK(shape_error_of(read("5")).text().starts_with("condense: json: message with members"));
}

TEST_CASE("json_understood: neither a session nor a reduction reads what it does not understand", "[adapt][json]") {
    condense::pipeline const mix{condense::sliding_window{.when = condense::used >= 90_pct}};
    condense::session session{std::vector<json>{}, mix, condense::budget{.window = 1'000_tokens}};
    session.push(read(R"({"role":"user","content":"hi"})"));
    auto const foreign = read(R"({"role":"model","parts":[{"toolThing":{"name":"f"}}]})");
    CHECK_THROWS_AS(session.push(foreign), condense::unknown_shape);
    CHECK(session.history().size() == 1);

    std::vector<json> history{read(R"({"role":"user","content":"hi"})"), foreign};
    auto const before = history;
    CHECK_THROWS_AS(condense::reduce(history, mix, {.window = 1'000_tokens}), condense::unknown_shape);
    CHECK(history == before);
    // To a program that knows of exceptions alone, it says why.
    std::string said;
    try {
        session.push(foreign);
    } catch (std::exception const& thrown) { said = thrown.what(); }
    CHECK(said == shape_error_of(foreign).text());
    CHECK(said.find("with members (role, parts) is not understood") != std::string::npos);
}

TEST_CASE("json_understood: a part stays where nothing that is understood would be left", "[adapt][json]") {
    auto const m = read(R"({"role":"assistant","content":[{"type":"thinking","thinking":"a"},{"type":"later"}]})");
    CHECK(condense::without_part(m, 0) == m);
    CHECK(condense::without_part(m, 1) != m);
}

TEST_CASE("json_understood: a shape can be demanded", "[adapt][json]") {
    auto const is = [](std::string_view text, json_shape shape) { return !shape_error_of(read(text), 0, shape); };
    auto const* const plain = R"({"role":"user","content":"hi"})";
    CHECK((is(plain, json_shape::openai) && is(plain, json_shape::anthropic) && is(plain, json_shape::responses)));
    CHECK_FALSE((is(plain, json_shape::gemini) || is(plain, json_shape::bedrock) || is(plain, json_shape::ai_sdk_ui)));
    auto const* const call = R"({"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]})";
    CHECK((is(call, json_shape::anthropic) && !is(call, json_shape::openai)));
    auto const* const old = R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"f"}}]})";
    CHECK((is(old, json_shape::openai) && !is(old, json_shape::anthropic) && !is(old, json_shape::responses)));
    CHECK(shape_error_of(read(plain), 3, json_shape::gemini).text() ==
          "condense: json: message 3 with members (role, content) is not understood: it is of openai, responses, "
          "anthropic, ai_sdk, ollama or pi, not of gemini");
    CHECK(shape_error_of(read(call), 3, json_shape::openai).reason == "it is of anthropic or mcp, not of openai");
    auto const* const mixed = R"({"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}],)"
                              R"("tool_calls":[{"id":"d","function":{"name":"f","arguments":"{}"}}]})";
    CHECK(shape_error_of(read(mixed), 3, json_shape::openai).reason ==
          "it is of several shapes at once, not of openai");
    CHECK(shape_error_of(read(R"({"role":"user","parts":[{"toolCall":1}]})"), 3, json_shape::openai).nearest ==
          "gemini");
    CHECK_FALSE(is(R"({"role":"user","content":[{"text":"hi"}]})", json_shape::gemini));
    CHECK((is(R"({"role":"user","parts":[]})", json_shape::gemini) &&
           !is(R"({"role":"user","parts":[]})", json_shape::openai)));
    auto body = read(R"({"contents":[{"role":"user","parts":[{"text":"hi"}]}]})");
    CHECK(condense::messages_of(body, json_shape::gemini));
    CHECK_FALSE(condense::messages_of(body, json_shape::bedrock));
}
