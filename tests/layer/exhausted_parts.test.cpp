// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/exhausted_parts.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/reduce.hpp>
#include <condense/layer/compress.hpp>
#include <condense/session/session.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::compress;
using condense::pipeline;
using condense::used;
using condense::detail::exhausted_parts;
using condense::detail::part_attempt;

/// Keeps the first half of a text of more than 100 bytes, and counts the texts that it is shown.
struct half {
    std::size_t* shown = nullptr;
    std::optional<std::string> operator()(condense::part_view const& part, condense::cut) const {
        ++*shown;
        if (part.text.size() <= 100) return std::nullopt;
        return std::string{part.text.substr(0, part.text.size() / 2)};
    }
};

auto halves(std::size_t& shown) {
    return pipeline{compress{.when = used >= 10_pct, .over = 10_chars, .with = half{&shown}}};
}

}  // namespace

TEST_CASE("exhausted_parts: a session reads what gave nothing once") {
    std::size_t shown = 0;
    condense::session chat{conversation{}, halves(shown), {.window = 10'000_tokens}, per_byte{}};
    chat.push(U(letters(2'000)));
    for (auto const* const id : {"a", "b", "c"}) {
        chat.push(C(id));
        chat.push(R(id, letters(1'000)));
    }
    chat.push(A("yes"));
    CHECK(chat.prepare().layers[0].parts_shortened == 3);
    auto const before = shown;
    for (int turn = 0; turn < 2; ++turn) {
        chat.push(U(letters(900)));
        chat.push(A("yes"));
        auto const report = chat.prepare();
        CAPTURE(turn, report.text());
        CHECK(report.layers[0].refused == 3);
        CHECK(report.layers[0].note == "not smaller: an edit would leave 62 of 62 tokens");
    }
    CHECK(shown == before);
    // Why an edit is refused may change with the conversation.
    REQUIRE_FALSE(chat.pin({2}));
    for (auto const& m : {U(letters(2'000)), A("yes")}) chat.push(m);
    CHECK(chat.prepare().layers[0].note == "pinned");
    for (auto const& m : {C("d"), R("d", letters(4'000)), A("yes")}) chat.push(m);
    CHECK(chat.prepare().layers[0].parts_shortened == 1);
    CHECK(shown > before);
}

TEST_CASE("exhausted_parts: a layer that stays due does not cut the same from the same again") {
    std::size_t shown = 0;
    auto const mix = pipeline{compress{.when = used > 2_messages, .over = 10_chars, .with = half{&shown}}};
    conversation history{U("task"), C("1"), R("1", letters(1'000)), A("done")};
    auto const report = condense::reduce(history, mix, {.window = 10'000_tokens}, per_byte{});
    CHECK(report.layers[0].parts_shortened == 1);
    CHECK(history[2].parts[0].text.size() == 62);
    CHECK(shown == 5 + 1);  // texts of 1,000 bytes to 62; in the second sweep what is there
}

TEST_CASE("exhausted_parts: what was just cut and is pinned now is refused as pinned") {
    std::size_t shown = 0;
    condense::session chat{conversation{}, halves(shown), {.window = 10'000_tokens}, per_byte{}};
    for (auto const& m : {U("task"), C("1"), R("1", letters(1'000)), A("yes")}) chat.push(m);
    REQUIRE(chat.prepare().layers[0].parts_shortened == 1);
    REQUIRE_FALSE(chat.pin({2}));
    for (auto const& m : {U(letters(2'000)), A("yes")}) chat.push(m);
    CHECK(chat.prepare().layers[0].note == "pinned");
}

TEST_CASE("exhausted_parts: a session that forgets them sends the same") {
    std::size_t shown = 0;
    std::size_t shown_to_other = 0;
    condense::budget const window{.window = 4'000_tokens};
    condense::session chat{conversation{}, halves(shown), window, per_byte{}};
    for (int turn = 0; turn < 12; ++turn) {
        auto const id = std::to_string(turn);
        for (auto const& m : {U("next"), C(id), R(id, letters(static_cast<std::size_t>(40 + turn * 70))), A("done")})
            chat.push(m);
        auto saved = chat.state();
        REQUIRE(saved);
        condense::session other{conversation{}, halves(shown_to_other), window, per_byte{}};
        REQUIRE_FALSE(other.adopt(std::move(saved.state)));
        static_cast<void>(chat.prepare());
        static_cast<void>(other.prepare());
        conversation sent(chat.request().begin(), chat.request().end());
        conversation sent_by_other(other.request().begin(), other.request().end());
        REQUIRE(sent == sent_by_other);
    }
    CHECK(shown < shown_to_other);
}

TEST_CASE("exhausted_parts: an attempt is the same only where all that it depends on is") {
    exhausted_parts parts;
    part_attempt const attempt{
        .part_id = 3, .present = {2, 7}, .input = {1, 6}, .cost = condense::cost::of(5_tokens), .halvings = 1};
    CHECK(parts.find(attempt) == nullptr);
    parts.replace(0, {{{.part_id = 9}}, {{.part_id = 1}}});
    CHECK(parts.find(attempt) == nullptr);
    parts.replace(1, {{{.part_id = 4, .halvings = 1}}, {attempt, condense::refusal::not_smaller, true}});
    REQUIRE(parts.find(attempt) != nullptr);
    CHECK(parts.find(attempt)->tried);
    CHECK(parts.find({.part_id = 1}) != nullptr);
    CHECK(parts.find({.part_id = 2}) == nullptr);
    CHECK(parts.find({.part_id = 10}) == nullptr);
    auto const differs = [&](auto change) {
        auto other = attempt;
        change(other);
        return parts.find(other) == nullptr;
    };
    CHECK(differs([](part_attempt& other) { other.present.step = 3; }));
    CHECK(differs([](part_attempt& other) { other.present.hash = 8; }));
    CHECK(differs([](part_attempt& other) { other.input.step = 0; }));
    CHECK(differs([](part_attempt& other) { other.input.hash = 8; }));
    CHECK(differs([](part_attempt& other) { other.cost = condense::cost::of(6_tokens); }));
    CHECK(differs([](part_attempt& other) { other.over = 10_chars; }));
    CHECK(differs([](part_attempt& other) { other.window = 10_bytes; }));
    CHECK(differs([](part_attempt& other) { other.halvings = 0; }));
    CHECK(differs([](part_attempt& other) { other.recorded = true; }));
    parts.replace(1, {});
    CHECK(parts.find(attempt) == nullptr);
    CHECK(parts.find({.part_id = 9}) != nullptr);
}
