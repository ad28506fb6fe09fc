// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/litert_lm.hpp>

#include <limits>

#include "adapt/foreign.hpp"
#include "support/messages/litert_lm.hpp"

// On a type of the same shape. real_headers.sh does it with LiteRT-LM's own header.

namespace {

using foreign::parts_of;
using forms::chat_message, forms::chat_part, forms::litert_audio, forms::litert_blob, forms::litert_call;
using forms::litert_image, forms::litert_json, forms::litert_path, forms::litert_response, forms::litert_sound;
using forms::litert_text, forms::part_kind, forms::part_status, forms::part_view, forms::role;
using json = nlohmann::ordered_json;
using message = forms::litert_message;

static_assert(condense::litert_lm_message<message> && condense::shortenable<message> && condense::composable<message> &&
              condense::answerable<message> && condense::storable<message>);
static_assert(condense::detail::part_removable<message> && condense::detail::edits_together<message> &&
              !condense::detail::markable<message>);
static_assert(!condense::litert_lm_message<litert_text> && !condense::litert_lm_message<chat_message> &&
              !condense::litert_lm_message<json>);
constexpr condense::cost media_cost = condense::cost::of(condense::tokens{1'600});

message sample() {
    return {.role = "model",
            .parts = {litert_text{"a", "", json{{"x", 1}}}, litert_image{litert_path{"/a.png"}},
                      litert_image{litert_blob{{1, 2, 3}, "image/png"}}, litert_audio{litert_sound{{0.5f, -1.0f}}},
                      litert_call{"read", json{{"at", 1}}, "7"}, litert_json{json{{"note", 1}}}},
            .channels = {{"thought", "t"}, {"analysis", "s"}, {"zeta", "z"}},
            .label = "kept"};
}

message answers() {
    return {.role = "tool",
            .parts = {litert_response{"read", "out", "7"}, litert_text{"plain", "it failed"},
                      litert_json{json{{"name", "write"}, {"response", {{"ok", true}}}}},
                      litert_json{json{{"type", "tool_response"},
                                       {"tool_response", {{"tool_name", "list"}, {"value", "of"}, {"id", "8"}}}}},
                      litert_json{json{{"name", "sum"}, {"total", 3}}}},
            .label = "kept"};
}

constexpr std::size_t channels = 3;

}  // namespace

TEST_CASE("litert_lm: a message of channels and each kind of part") {
    auto const m = sample();
    SECTION("channels are reasoning, by name, and each part is one") {
        CHECK(condense::role_of(m) == role::assistant);
        CHECK(parts_of(m) ==
              std::vector<chat_part>{
                  {.kind = part_kind::reasoning, .text = "s"},
                  {.kind = part_kind::reasoning, .text = "t"},
                  {.kind = part_kind::reasoning, .text = "z"},
                  {.text = "a"},
                  {.kind = part_kind::media, .text = "/a.png", .sealed = true, .cost = media_cost},
                  {.kind = part_kind::media, .text = "image, 3 bytes", .sealed = true, .cost = media_cost},
                  {.kind = part_kind::media, .text = "audio, 2 samples", .sealed = true, .cost = media_cost},
                  {.kind = part_kind::tool_call, .text = "{\"at\":1}", .tool = "read", .call = "7"},
                  {.kind = part_kind::other, .text = "{\"note\":1}", .sealed = true}});
        CHECK(parts_of(message{.role = "user"}).empty());
    }
    SECTION("one text is replaced, all else stays") {
        std::vector<message> expected(9, m);
        expected[0].channels["analysis"] = "new";
        expected[1].channels["thought"] = "new";
        expected[2].channels["zeta"] = "new";
        expected[3].parts[0] = litert_text{"new", "", json{{"x", 1}}};
        for (std::size_t part = 1; part < 4; ++part) expected[channels + part].parts[part] = litert_text{"new"};
        for (std::size_t index = 0; index < 9; ++index) CHECK(condense::with_part(m, index, "new") == expected[index]);
        auto with_json = m;
        with_json.parts[4] = litert_call{"read", json::array({1}), "7"};
        CHECK(condense::with_part(m, 7, "[1]") == with_json);
        CHECK(condense::with_part(m, 9, "new") == m);

        auto const a = answers();
        std::vector<message> shorter(5, a);
        shorter[0].parts[0] = litert_response{"read", "new", "7"};
        shorter[1].parts[1] = litert_text{"new", "it failed"};
        shorter[2].parts[2] = litert_json{json{{"name", "write"}, {"response", "new"}}};
        shorter[3].parts[3] = litert_json{
            json{{"type", "tool_response"}, {"tool_response", {{"tool_name", "list"}, {"value", "new"}, {"id", "8"}}}}};
        for (std::size_t index = 0; index < 5; ++index) CHECK(condense::with_part(a, index, "new") == shorter[index]);
        CHECK(condense::with_part(a, 5, "new") == a);
        message const none{.role = "tool"};
        CHECK(condense::with_part(none, 0, "new") == message{.role = "tool", .parts = {litert_text{"new"}}});
        CHECK(condense::with_part(none, 1, "new") == none);
    }
    SECTION("parts are removed, and edits done together") {
        for (std::size_t index = 0; index < 9; ++index) {
            auto parts = parts_of(m);
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(index));
            auto const thinner = condense::without_part(m, index);
            CHECK(parts_of(thinner) == parts);
            CHECK((thinner.label == "kept" && thinner.role == "model"));
        }
        CHECK(condense::without_part(m, 9) == m);
        auto edited = m;
        condense::with_edits(edited, {{.index = 0, .removed = true},
                                      {.index = 1, .text = "thin"},
                                      {.index = 4, .text = "[a.png]"},
                                      {.index = 5, .removed = true},
                                      {.index = 7, .text = "[]"},
                                      {.index = 9, .text = "nothing"}});
        auto expected = m;
        expected.channels.erase("analysis");
        expected.channels["thought"] = "thin";
        expected.parts[1] = litert_text{"[a.png]"};
        std::get<litert_call>(expected.parts[4]).arguments = json::array();
        expected.parts.erase(expected.parts.begin() + 2);
        CHECK(edited == expected);
        message of_media{.role = "tool", .parts = {litert_image{litert_path{"/a"}}}};
        auto const media_stay = of_media;
        condense::with_edits(of_media, {{.index = 0, .text = "[a picture]"}});
        CHECK(of_media == media_stay);
        message none{.role = "tool"};
        condense::with_edits(none, {{.index = 0, .text = "new"}});
        CHECK(none == message{.role = "tool", .parts = {litert_text{"new"}}});
    }
    SECTION("messages are composed, and calls answered") {
        CHECK(condense::detail::make_fn::make<message>(role::user, "so far") ==
              message{.role = "user", .parts = {litert_text{"so far"}}, .content_is_string = true});
        part_view const call{.kind = part_kind::tool_call, .tool = "read", .call = "7"};
        CHECK(condense::make_result(m, call, "none") ==
              message{.role = "tool", .parts = {litert_response{"read", "none", "7"}}});
    }
}

TEST_CASE("litert_lm: what a message of role tool holds are results") {
    auto const result = [](std::string text, std::string tool, std::string call, part_status status = part_status::ok,
                           bool sealed = false) {
        return chat_part{part_kind::tool_result, text, tool, call, status, sealed, {}};
    };
    CHECK(parts_of(answers()) ==
          std::vector<chat_part>{result("out", "read", "7"),
                                 {.text = "plain"},
                                 result("{\"ok\":true}", "write", ""),
                                 result("of", "list", "8"),
                                 result("{\"name\":\"sum\",\"total\":3}", "sum", "", part_status::ok, true)});
    CHECK(parts_of(message{.role = "tool"}) == std::vector<chat_part>{result("", "", "")});
    message const of_text{.role = "tool", .parts = {litert_text{"plain", "it failed"}, litert_text{"more"}}};
    CHECK(parts_of(of_text) == std::vector<chat_part>{result("plain", "", "", part_status::error), {.text = "more"}});
    message const of_media{.role = "tool", .parts = {litert_image{litert_path{"/a"}}}};
    CHECK(condense::with_part(of_media, 0, "[a picture]") == of_media);
    REQUIRE(parts_of(of_media).size() == 2);
    CHECK(parts_of(of_media)[1] == result("", "", ""));
    // A wrapped answer is one whoever gives it.
    message const wrapped{.role = "user", .parts = {litert_json{json{{"tool_response", {{"name", "f"}}}}}}};
    CHECK(parts_of(wrapped)[0].kind == part_kind::tool_result);
}

TEST_CASE("litert_lm: bytes hold all that the message has, and are refused when changed") {
    auto rich = sample();
    rich.label.clear();
    rich.content_is_object = true;
    rich.channels["\xFF"] = "3:a,";
    rich.parts.emplace_back(litert_audio{litert_blob{{0, 255}, "audio/wav"}});
    rich.parts.emplace_back(litert_audio{litert_path{"/a"}});
    rich.parts.emplace_back(litert_audio{litert_sound{{std::numeric_limits<float>::infinity(), 1e-40f, -0.0f}}});
    rich.parts.emplace_back(litert_response{"\xFF", "\xFF", "\xFF"});
    rich.parts.emplace_back(litert_json{json::array({"\xFF"})});
    auto results = answers();
    results.label.clear();
    for (auto const& m : {rich, results, message{}, message{.role = "user", .content_is_string = true}})
        foreign::bytes_of(m);
    std::string const head{"19:litert_lm_message/1,0:,1:0,1:0,"};
    CHECK(condense::from_bytes<message>(head + "1:0,1:0,") == message{});
    for (auto const* const rest : {"1:0,1:1,1:6,", "1:0,1:1,1:1,1:2,0:,", "1:0,1:1,1:5,1:x,", "1:0,1:1,1:3,0:,1:[,0:,",
                                   "1:0,20:18446744073709551615,", "20:18446744073709551615,1:0,",
                                   "1:0,1:1,1:2,1:2,20:18446744073709551615,", "1:0,1:1,1:2,1:2,1:1,10:4294967296,"})
        CHECK_FALSE(condense::from_bytes<message>(head + rest));
    CHECK_FALSE(condense::from_bytes<message>("19:litert_lm_message/2,0:,1:0,1:0,1:0,1:0,"));
}

TEST_CASE("litert_lm: hostile values are read, edited and stored") {
    for (auto const& text : foreign::hostile_texts())
        for (auto const* const speaker : {"tool", "user", "\xFF"}) {
            message const m{.role = speaker,
                            .parts = {litert_text{text, text, text}, litert_image{litert_path{text}},
                                      litert_image{litert_blob{{text.begin(), text.end()}, text}}, litert_audio{},
                                      litert_call{text, text, text}, litert_call{text, json{{text, text}}, text},
                                      litert_response{text, text, text}, litert_json{text},
                                      litert_json{json{{"tool_response", text}, {"name", 1}, {"value", text}}},
                                      litert_json{json{{"tool_response", {{"value", json::array({text})}}}}}},
                            .channels = {{text, text}, {"b", text}}};
            foreign::edit_and_store(m);
        }
}
