// SPDX-License-Identifier: BSL-1.0

// Acceptance cases: what becomes of images beside text.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/adapt/json.hpp>
#include <condense/shorteners.hpp>

#include "cases/runs.hpp"
#include "cases/shelf.hpp"
#include "support/catch.hpp"

namespace {

using namespace cases;
using condense::compress;
using condense::head;
using condense::media_note;
using condense::offload;
using condense::pipeline;
using nlohmann::json;

// Sizes of the text times 10, of the preview times 4. The text goes to the store, the image becomes a note; its bytes
// are a journal's to keep.
TEST_CASE("a text is stored and an image beside it is named", "[case-16]") {
    shelf const store;
    auto const text = letters(2'000);
    std::vector<json> messages{
        json{{"role", "user"}, {"content", "u"}},
        json::parse(R"({"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"t","input":{}}]})"),
        json::parse(
            R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":")" +
            text + R"("},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0K"}}]}]})"),
        json{{"role", "assistant"}, {"content", "a"}}};
    pipeline const mix{offload{.over = 500_chars, .preview = head{.keep = 400_chars}, .into = store},
                       compress{.when = condense::always, .with = media_note{}}};
    auto const report = condense::reduce(messages, mix, roomy, per_char{});
    REQUIRE(messages.size() == 4u);
    CHECK(report.layers[0].artifacts == 1u);
    CHECK(report.layers[1].parts_shortened == 1u);
    CHECK(store.held->kept.at(store.name(text)) == text);
    auto const& blocks = messages[2]["content"][0]["content"];
    REQUIRE(blocks.size() == 2u);
    auto const shown = blocks[0]["text"].get<std::string>();
    CHECK(shown.starts_with(letters(400) + "\n[... 1,600 of 2,000 characters omitted; the whole is stored as "));
    CHECK(blocks[1] ==
          json{{"type", "text"}, {"text", "[image/png, 6 bytes, omitted; ask for it again if it is needed]"}});
    std::uint64_t counted = 0;
    for (auto const& m : messages)
        condense::each_part(m, [&](condense::part_view const& part) {
            counted += condense::detail::part_cost(per_char{}, part).tokens().count;
        });
    CHECK(counted == report.after.tokens.count);
}

}  // namespace
