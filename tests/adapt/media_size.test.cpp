// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/media_size.hpp>

#include <condense/adapt/json.hpp>
#include <condense/detail/base64.hpp>

#include "adapt/json_fixtures.hpp"
#include "support/catch.hpp"

namespace {

using namespace std::string_literals;
using condense::image_size, condense::image_size_of, condense::media_rule, condense::pages_of_pdf, condense::tokens_of;

std::string in_base64(std::string_view data) {
    std::string text;
    condense::detail::base64::append(text, data);
    return text;
}

/// The beginnings of images of 300 by 200 pixels.
std::vector<std::string> const images{
    "\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\x01\x2C\0\0\0\xC8\x08\x02"s,
    "GIF89a\x2C\x01\xC8\0\xF0\0"s,
    "\xFF\xD8\xFF\xE0\0\x04xx\xFF\xFF\xE1\0\x03z\xFF\xC4\0\x02\xFF\xC2\0\x11\x08\0\xC8\x01\x2C\x03"s,
    "RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0\x30\x01\0\x9D\x01\x2A\x2C\x01\xC8\0"s,
    "RIFF\x24\0\0\0WEBPVP8L\x18\0\0\0\x2F\x2B\xC1\x31\0"s,
    "RIFF\x24\0\0\0WEBPVP8X\x0A\0\0\0\0\0\0\0\x2B\x01\0\xC7\0\0"s};

std::string pdf(unsigned pages, bool is_compressed) {
    std::string out = "%PDF-1.5\n";
    for (unsigned page = 0; page < pages; ++page) {
        if (!is_compressed) out += "7 0 obj\n<< /Parent 1 0 R /Type /Page /MediaBox [0 0 9 9] >>\nendobj\n";
        out += "8 0 obj\n<< /Filter /FlateDecode /Length 9 >>\nstream\nx\nendstream endobj\n";
    }
    return out +
           "1 0 obj << /Type /Pages /Kids [] >> endobj 2 0 obj << /Type /ObjStm /N 9 >> stream x endstream endobj\n";
}

}  // namespace

TEST_CASE("media_size: images say how large they are, whole, cut and in base64") {
    for (auto const& data : images) {
        CAPTURE(data.substr(0, 12));
        CHECK(image_size_of(std::string_view{data}) == image_size{300, 200});
        auto const text = in_base64(data);
        condense::detail::base64_bytes const encoded{text};
        REQUIRE(encoded.size() == data.size() + (data.size() % 3 == 0 ? 0 : 3 - data.size() % 3));
        for (std::size_t at = 0; at < data.size(); ++at) REQUIRE(encoded[at] == static_cast<unsigned char>(data[at]));
        CHECK(image_size_of(encoded) == image_size{300, 200});
        for (std::size_t size = 0; size < data.size(); ++size)
            static_cast<void>(image_size_of(std::string_view{data}.substr(0, size)));
    }
    for (auto const& data : {""s, "text"s, "\x89PNG\r\n\x1A\n"s, "\xFF\xD8\xFF\xE0\0\0"s, "RIFF....WEBPVP9 "s})
        CHECK_FALSE(image_size_of(std::string_view{data}));
}

TEST_CASE("media_size: a PDF says how many pages it has, also where their tree is compressed") {
    for (bool const is_compressed : {false, true})
        for (unsigned const pages : {1u, 3u, 60u}) CHECK(pages_of_pdf(pdf(pages, is_compressed)) == pages);
    CHECK(pages_of_pdf("%PDF-1.4 1 0 obj << /Linearized 1 /N 12 >> /Type /Page"s) == 12);
    CHECK(pages_of_pdf("%PDF-1.4"s) == 1);
    CHECK(pages_of_pdf("a text about %PDF-1.4"s) == 0);
    auto const large = pdf(20'000, true);  // of which the ends are read
    CHECK(pages_of_pdf(large) == 10'000);
    auto const counted = pdf(1, true) + std::string(600'000, 'x') + "<< /Type /Pages /Count 321 >>";
    CHECK(pages_of_pdf(counted) == 321);
}

TEST_CASE("media_size: what providers count") {
    CHECK(tokens_of(image_size{1'000, 1'000}, media_rule::anthropic).count == 36 * 36);
    CHECK(tokens_of(image_size{8'000, 8'000}, media_rule::anthropic).count == 4'784);
    CHECK(tokens_of(image_size{1'024, 33}, media_rule::openai).count == 32 * 2);
    CHECK(tokens_of(image_size{~0u, ~0u}, media_rule::openai).count == 10'000);
    CHECK(tokens_of(image_size{1, 1}, media_rule::gemini).count == 1'120);
    CHECK(condense::tokens_of_pages(3, media_rule::anthropic).count == 7'002);
    CHECK(condense::tokens_of_pages(3, media_rule::gemini).count == 1'680);
}

TEST_CASE("media_size: blocks cost by what they hold, whatever the shape") {
    auto const costs = [](std::string const& message) {
        std::string all;
        adapt_tests::each_part(nlohmann::ordered_json::parse(message), [&](condense::part_view const& part) {
            if (part.cost) all += std::to_string((*part.cost).tokens().count) + " ";
        });
        return all;
    };
    auto const image = in_base64(images[0]), document = in_base64(pdf(3, false));
    CHECK(
        costs(
            R"({"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":")" +
            image + R"("}},{"type":"document","source":{"type":"base64","data":")" + document + R"("}}]})") ==
        "88 7002 ");
    CHECK(costs(R"({"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,)" + image +
                R"("}},{"type":"image_url","image_url":{"url":"https://example.org/x.png"}},{"type":"input_image",)" +
                R"("detail":"low","image_url":"data:image/jpeg;base64,)" + in_base64(images[2]) + R"("}]})") ==
          "70 1600 70 ");
    CHECK(costs(R"({"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":")" + image +
                R"("}},{"inlineData":{"mimeType":"application/pdf","data":")" + document + R"("}}]})") == "1120 1680 ");
    CHECK(costs(R"({"role":"user","content":[{"image":{"format":"png","source":{"bytes":")" + image + R"("}}}]})") ==
          "88 ");
    CHECK(costs(R"({"role":"user","content":"x","images":[")" + image + R"("]})") == "88 ");
}
