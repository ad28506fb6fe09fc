// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json_media.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <condense/detail/base64.hpp>
#include <condense/detail/utf8.hpp>

#include "adapt/json_fixtures.hpp"
#include "support/catch.hpp"

namespace {

using adapt_tests::read;
using nlohmann::json;
using nlohmann::ordered_json;
namespace detail = condense::detail;

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

std::string words(std::string_view block) { return detail::media_text(read<json>(block)); }

}  // namespace

TEST_CASE("json_media: types and names", "[adapt][json]") { CHECK(types_of_media_are_known()); }

TEST_CASE("json_media: base64 stands for so many bytes, with its padding and without", "[adapt][json]") {
    for (std::size_t size = 0; size < 50; ++size) {
        CAPTURE(size);
        std::string spelt;
        detail::base64::append(spelt, std::string(size, 'x'));
        CHECK(detail::decoded_size(spelt) == size);
        CHECK(detail::decoded_size(spelt.substr(0, spelt.find('='))) == size);
    }
}

TEMPLATE_TEST_CASE("json_media: what each shape of block says", "[adapt][json]", json, ordered_json) {
    auto const expected = std::initializer_list<std::pair<char const*, char const*>>{
        {R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0K"}})",
         "image/png, 6 bytes"},
        {R"({"type":"image","source":{"type":"url","url":"https://host/cat.png"}})", "image at https://host/cat.png"},
        {R"({"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0="}})", "image/png, 5 bytes"},
        {R"({"type":"image_url","image_url":"https://host/cat.png"})", "image at https://host/cat.png"},
        {R"({"type":"input_image","image_url":"data:image/gif;charset=x;base64,R0lG"})", "image/gif, 3 bytes"},
        {R"({"type":"input_audio","input_audio":{"data":"UklG","format":"wav"}})", "audio/wav, 3 bytes"},
        {R"({"type":"image","data":"iVBO","format":"png"})", "image, 3 bytes"},
        {R"({"type":"document","source":{"type":"text","media_type":"text/plain","data":"12345"}})",
         "text/plain, 5 bytes"},
        {R"({"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,JVBE"}})",
         "application/pdf, 3 bytes, a.pdf"},
        {R"({"type":"input_file","file_id":"file-1"})", "file, file-1"},
        {R"({"type":"input_file","filename":"a.pdf","file_id":"file-1"})", "file, a.pdf"},
        {R"({"type":"video_url","video_url":{"url":"https://host/v"}})", "video at https://host/v"},
        {R"({"type":"image_url","image_url":{"url":"data:,four"}})", "image, 4 bytes"},
        {R"({"type":"image"})", "image"},
        {R"({"inlineData":{"mimeType":"image/png","data":"iVBORw0K"}})", "image/png, 6 bytes"},
        {R"({"fileData":{"mimeType":"application/pdf","fileUri":"gs://host/a.pdf"}})",
         "application/pdf at gs://host/a.pdf"},
        {R"({"image":{"format":"png","source":{"bytes":"iVBORw0K"}}})", "image/png, 6 bytes"},
        {R"({"document":{"format":"pdf","name":"report","source":{"bytes":"JVBE"}}})", "document/pdf, 3 bytes, report"},
        {R"({"type":"image","image":"iVBORw0K","mediaType":"image/png"})", "image/png, 6 bytes"},
        {R"({"type":"file","data":"https://host/a.pdf","mediaType":"application/pdf"})",
         "application/pdf at https://host/a.pdf"},
        {R"({"type":"file","url":"data:image/png;base64,iVBORw0=","mediaType":"image/png","filename":"a.png"})",
         "image/png, 5 bytes, a.png"},
        {R"({"type":"image","data":"iVBORw0K","mimeType":"image/png"})", "image/png, 6 bytes"},
        {R"({"type":"resource","resource":{"uri":"file:///a.bin","mimeType":"application/zip","blob":"UEsD"}})",
         "application/zip, 3 bytes at file:///a.bin"},
        {R"("iVBORw0K")", "image, 6 bytes"},
    };
    for (auto const& [block, text] : expected) {
        CAPTURE(block);
        CHECK(detail::media_text(read<TestType>(block)) == text);
    }
}

TEST_CASE("json_media: what is of the wrong type is not looked at", "[adapt][json]") {
    CHECK(words(R"({"type":"image","source":"here","image_url":[],"data":7,"filename":{},"media_type":null})") ==
          "image");
    CHECK(words(R"({"type":"image","source":{"media_type":[],"data":{},"url":1}})") == "image");
    CHECK(words(R"({"type":7})").empty());
    CHECK(words("[]").empty());
    CHECK(words("null").empty());
}

TEST_CASE("json_media: what is long or does not print is not shown", "[adapt][json]") {
    CHECK(words(R"({"type":"image","source":{"url":"https://host/two\nlines"}})") == "image at a link");
    CHECK(words(R"({"type":"image","source":{"url":"https://host/)" + std::string(200, 'x') + R"("}})") ==
          "image at a link");
    CHECK(words(R"({"type":"image","source":{"media_type":"image/png \u0000","data":"AAAA"}})") == "image, 3 bytes");
    CHECK(words(R"({"type":"image","source":{"media_type":")" + std::string(61, 'x') + R"(","data":"AAAA"}})") ==
          "image, 3 bytes");
    CHECK(words(R"({"type":"audio","format":"w v","data":"AAAA"})") == "audio, 3 bytes");
    CHECK(words(R"({"type":"file","file":{"filename":"]\n[ignore this","file_id":"file-1"}})") == "file, file-1");
    CHECK(words(R"({"type":"file","file":{"filename":"\u00e9.pdf"}})") == "file");
    CHECK(words(R"({"type":"image_url","image_url":{"url":"data:image/png;base64"}})") == "image");

    json odd{{"type", "image"},
             {"source", {{"url", "\xFF\xFE"}, {"media_type", "\x80"}, {"data", std::string(1'000'000, '\xFF')}}}};
    auto const said = detail::media_text(odd);
    CHECK(said == "image, 750,000 bytes at a link");
    CHECK(detail::utf8::valid(said));
    json long_link{{"type", "image_url"}, {"image_url", "data:" + std::string(1'000'000, ',')}};
    CHECK(detail::media_text(long_link) == "image, 999,999 bytes");
}
