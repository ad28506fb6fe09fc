// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json_shape.hpp>

#include <condense/detail/base64.hpp>

#include "adapt/json_fixtures.hpp"
#include "support/catch.hpp"

namespace {

using adapt_tests::dump, adapt_tests::list, adapt_tests::read, adapt_tests::table;
namespace detail = condense::detail;
using json = nlohmann::ordered_json;
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
