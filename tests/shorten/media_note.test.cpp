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

TEST_CASE("media_note: the oldest images become notes where a provider takes no more", "[row-X19]") {
    using condense::used;
    condense::compress const few{.when = used > 3_images, .until = used <= 2_images, .with = media_note{}};
    condense::budget const roomy{.window = 100'000_tokens};
    conversation all{U("task")};
    for (int number = 0; number < 6; ++number) {
        auto shown = R(std::to_string(number), "seen");
        shown.parts.push_back({.kind = part_kind::media,
                               .text = "image/png, " + std::to_string(number),
                               .call = std::to_string(number),
                               .sealed = true,
                               .cost = condense::cost::of({1'600})});
        all += conversation{C(std::to_string(number)), shown, A("go on")};
    }
    condense::session session{conversation{}, condense::pipeline{few}, roomy};
    std::uint64_t most = 0;
    for (auto const& m : all) {
        session.push(m);
        static_cast<void>(session.prepare());
        most = std::max(most, session.used().images.count);
    }
    CHECK(most == 3);
    CHECK(session.used().images == 2_images);
    auto const sent = texts(session.request(), part_kind::media);
    CHECK(sent == std::vector<std::string>{"image/png, 4", "image/png, 5"});
    auto const bytes_of = [](auto const& request) {
        std::uint64_t sum = 0;
        for (chat_message const& m : request)
            for (auto const& part : m.parts) sum += part.text.size();
        return sum;
    };
    CHECK(session.used().bytes.count == bytes_of(session.request()));
    while (session.undo()) {}
    CHECK(session.used().images == 6_images);
    CHECK(session.used().bytes.count == bytes_of(all));
    // Whole groups go where that is what the layer does, and only as many as have to.
    auto messages = all;
    condense::sliding_window const window{.when = used > 4_images};
    CHECK(condense::reduce(messages, condense::pipeline{window}, roomy).after.images == 3_images);
    auto folded = all;
    auto const summary = condense::summarize{.when = used > 4_images,
                                             .protect = condense::task,
                                             .with = [](std::string_view) { return std::string{"They looked."}; }};
    CHECK(condense::reduce(folded, condense::pipeline{summary}, roomy).after.images == 3_images);
    auto shorter = all;
    auto const size = bytes_of(all);
    condense::compress const small{.when = used > condense::bytes{size / 2}, .with = condense::head{1_chars}};
    auto const report = condense::reduce(
        shorter, condense::pipeline{small, condense::sliding_window{.when = used > condense::bytes{size / 2}}}, roomy);
    CHECK(report.after.bytes.count == bytes_of(shorter));
    CHECK(report.after.bytes.count <= size * 2 / 5);
    // A budget may say so as well: then no layer has to.
    auto noted = all;
    constexpr condense::pipeline nothing_else{condense::sliding_window{.when = condense::never}};
    CHECK(condense::reduce(noted, nothing_else, {.window = 100'000_tokens, .images = 2_images}).changed());
    CHECK(texts(noted, part_kind::media) == sent);
    auto heavy = all;
    for (auto& m : heavy)
        if (m.parts.back().kind == part_kind::media) m.parts.back().data = 10'000;
    condense::session limited{conversation{}, nothing_else, {.window = 100'000_tokens, .bytes = {25'000}}};
    for (auto const& m : heavy) {
        limited.push(m);
        static_cast<void>(limited.prepare());
        CHECK(limited.used().bytes.count <= 25'000);
    }
    CHECK(limited.used().images == 2_images);
    // Where texts alone are too much, leaving out images would be in vain.
    CHECK_FALSE(condense::reduce(heavy, nothing_else, {.window = 100'000_tokens, .bytes = {9}}).changed());
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
