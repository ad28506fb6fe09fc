// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/media_limit.hpp>

#include "support/catch.hpp"

using condense::media_limit, condense::media_limit_of;

TEST_CASE("media_limit: refusals for the number of images, pages and for bytes") {
    struct row {
        std::string_view text;
        media_limit limit;
        int status = 400;
    };
    media_limit const body{.of_bytes = true};
    for (auto const& [text, limit, status] : std::initializer_list<row>{
             {R"({"error":{"message":"request contains 52 images, exceeding the maximum of 50 allowed per request"}})",
              {{50}}},
             {"messages: too many total images: 101 > 100", {{100}}},
             {R"({"error":{"message":"Too many images provided. This model supports up to 5 images"}})", {}},
             {"ValidationException: The model supports at most 20 images.", {{20}}, 0},
             {"A maximum of 100 PDF pages may be provided.", {}},
             {R"({"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}})",
              body, 413},
             {"413 Payload Too Large", body, 0},
             {"<html>nginx</html>", body, 413}}) {
        CAPTURE(text);
        CHECK(media_limit_of(status, text) == limit);
    }
}

TEST_CASE("media_limit: other refusals are none") {
    for (std::string_view const text :
         {"prompt is too long: 210000 tokens > 200000 maximum",
          "image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes",
          "At least one of the image dimensions exceed max allowed size: 8000 pixels",
          "The image requires 31000 patches after processing, exceeding the limit of 30000.",
          "Rate limit reached for images per minute: 10", "Could not process image", "", "invalid x-api-key"})
        for (int const status : {400, 422, 0}) {
            CAPTURE(text);
            CHECK_FALSE(media_limit_of(status, text));
        }
    for (int const status : {200, 401, 429, 500})
        CHECK_FALSE(media_limit_of(status, "messages: too many total images: 101 > 100"));
    CHECK_FALSE(media_limit_of(413, "prompt is too long: 210000 tokens > 200000 maximum"));
}
