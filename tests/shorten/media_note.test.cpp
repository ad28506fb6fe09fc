// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/media_note.hpp>

#include <condense/condense.hpp>

#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::media_note;

static_assert(condense::shortener<media_note>);

std::string note(std::string_view text, condense::cut how = {}) {
    return media_note{}({.kind = part_kind::media, .text = text, .sealed = true, .cost = condense::cost::of({1'600})},
                        how)
        .value_or("");
}

chat_message picture(std::string what, condense::tokens cost = {1'600}) {
    return {.role = condense::role::user,
            .parts = {
                {.text = "look"},
                {.kind = part_kind::media, .text = std::move(what), .sealed = true, .cost = condense::cost::of(cost)}}};
}

TEST_CASE("media_note: says on one line what was there and how to have it back") {
    CHECK(note("image/png, 90,123 bytes") == "[image/png, 90,123 bytes, omitted; ask for it again if it is needed]");
    CHECK(note("image/png, 90,123 bytes", {.how = {{{0xAB}}}}) ==
          "[image/png, 90,123 bytes, omitted; the whole is stored as ab0000000000000000000000]");
    CHECK(note("") == "[media, omitted; ask for it again if it is needed]");
    for (std::string_view const unit : {"x", "\xC3\xA9", "\xF0\x9F\x98\x80", "\xFF", "\xE2\x82"}) {
        std::string many;
        while (many.size() < 100'000) many.append(unit);
        auto const out = note(many);
        CHECK(condense::detail::utf8::valid(out));
        CHECK(condense::detail::utf8::count(out) == 160 + note("x").size() - 1);
    }
    for (auto const kind :
         {part_kind::text, part_kind::tool_call, part_kind::tool_result, part_kind::reasoning, part_kind::other})
        CHECK_FALSE(media_note{}({.kind = kind, .text = "image/png, 90,123 bytes"}, {}));
    CHECK(note("a\x1B[2Jb\nc\x7F\xC2\x9B"
               "2J\xC2\xA0\xC3\xA9") == "[a [2Jb c  2J\xC2\xA0\xC3\xA9, omitted; ask for it again if it is needed]");
    CHECK(note(std::string_view{"\0", 1}) == "[ , omitted; ask for it again if it is needed]");
}

TEST_CASE("media_note: media of any size become a text once, where that is smaller") {
    auto messages = conversation{picture("image/png, 90,123 bytes"), A("a cat"), picture("tiny", 1_tokens)} +
                    conversation{A("a mite"), picture(""), A("a bat")} +
                    conversation{picture("image/gif"), A("a rat"), U("on")};
    auto const before = messages;
    auto const layer = condense::compress{.when = condense::always, .protect = condense::nothing, .with = media_note{}};
    condense::budget const roomy{.window = 100'000_tokens};
    auto const report = condense::reduce(messages, condense::pipeline{layer}, roomy);
    REQUIRE(messages.size() == before.size());
    CHECK(report.layers[0].parts_shortened == 2);
    CHECK(messages[0] == before[0]);  // the task
    CHECK(messages[2] == before[2]);
    CHECK(messages[4].parts == std::vector<condense::chat_part>{{.text = "look"}, {.text = note("")}});
    CHECK(messages[6].parts[1] == condense::chat_part{.text = note("image/gif")});
    auto const once = messages;
    CHECK_FALSE(condense::reduce(messages, condense::pipeline{layer}, roomy).changed());
    CHECK(messages == once);
}

/// Would shorten its note, were that media still.
struct twice {
    static constexpr condense::part_kinds applies_to = part_kind::media;
    static constexpr bool any_size = true;
    std::optional<std::string> operator()(condense::part_view const& part, condense::cut) const {
        return part.text == "image" ? "a note" : "short";
    }
};

TEST_CASE("media_note: a note is a text from then on, for the shortener too") {
    conversation messages{U("task"), picture("image"), A("a cat"), U("on")};
    condense::pipeline const mix{condense::compress{.when = condense::always, .with = twice{}}};
    static_cast<void>(condense::reduce(messages, mix, {.window = 100'000_tokens}));
    CHECK(messages[1].parts[1] == condense::chat_part{.text = "a note"});
}

}  // namespace
