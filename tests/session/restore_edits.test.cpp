// SPDX-License-Identifier: BSL-1.0
#include <condense/session/restore_edits.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using condense::edit_kind;
using condense::view;
using steps = std::vector<view::step>;
using replacements = std::vector<view::replacement>;

/// s u a c r a u: the call and its result are group 3.
conversation const all = {
    S("system"), U("the task"),  A("an answer"), C("1", "shell", R"({"a":"b"})"), R("1", "a long output"),
    A("done"),   U("the latest")};

/// What of it is refused; empty where it is taken. `released`: the messages that the program has given back.
std::string_view refused(steps made, replacements written = {}, std::vector<std::uint32_t> const& released = {}) {
    condense::outline facts;
    for (auto const& m : all) facts.append(m, per_byte{});
    for (auto const index : released) facts.release(index);
    view edits;
    condense::detail::edit_restorer<conversation, per_byte> restorer{
        all, facts, edits, per_byte{}, {.window = {1'000}}};
    return restorer.restore(std::move(made), std::move(written));
}

view::step shorten(std::uint32_t part_id) {
    return {.kind = edit_kind::shorten, .on_part = true, .target = part_id, .text = 0};
}
view::step remove(std::uint32_t part_id) { return {.kind = edit_kind::remove, .on_part = true, .target = part_id}; }
view::step drop(std::uint32_t slot) { return {.kind = edit_kind::drop, .target = slot}; }
view::step summarize(std::uint32_t slot, std::uint32_t text) {
    return {.kind = edit_kind::summarize, .target = slot, .text = text};
}

}  // namespace

TEST_CASE("edit_restorer: an edit is counted anew, whatever is said of its cost") {
    condense::outline facts;
    for (auto const& m : all) facts.append(m, per_byte{});
    view edits;
    condense::detail::edit_restorer<conversation, per_byte> restorer{
        all, facts, edits, per_byte{}, {.window = {1'000}}};
    REQUIRE(restorer.restore({shorten(4)}, {{.text = "long"}}).empty());
    CHECK(edits.steps()[0].after == condense::cost::of({4}));
    CHECK(edits.steps()[0].before == condense::cost::of({13}));
}

TEST_CASE("edit_restorer: the laws of a draft hold for a state") {
    CHECK(refused({shorten(4)}, {{.text = "long"}}).empty());
    CHECK(refused({shorten(4)}, {{.text = "not shorter at all"}}) == "a step");
    CHECK(refused({shorten(4)}, {{.text = "\xFF"}}) == "a text");
    CHECK(refused({shorten(3)}, {{.text = "{}"}}).empty());
    CHECK(refused({shorten(3)}, {{.text = "{"}}) == "an edit of a part");
    for (std::uint32_t const bound : {0u, 1u, 6u})
        CHECK(refused({shorten(bound)}, {{.text = ""}}) == "an edit of a part");
    CHECK(refused({shorten(7)}, {{.text = ""}}) == "an edit of a part");
    CHECK(refused({remove(3)}) == "an edit of a part");
    CHECK(refused({remove(4)}) == "an edit of a part");
    CHECK(refused({remove(2)}) == "what is left of a message");
    CHECK(refused({drop(2), drop(3)}).empty());
    CHECK(refused({drop(0)}) == "what is dropped");
    CHECK(refused({drop(6)}) == "what is dropped");
    CHECK(refused({drop(1), drop(2), drop(3)}) == "the beginning of the request");
    CHECK(refused({drop(1), drop(2), summarize(1, 0)}, {{.text = "one"}}).empty());
    CHECK(refused({drop(1), drop(2), summarize(1, 0), summarize(2, 1)}, {{.text = "one"}, {.text = "two"}}) ==
          "the number of summaries");
    CHECK(refused({drop(1), drop(2), summarize(1, 0), summarize(2, 1), drop(condense::group{1}.summary().index)},
                  {{.text = "one"}, {.text = "two"}}) == "the number of summaries");
    CHECK(refused({{.kind = edit_kind::repair, .on_part = true, .target = 3, .text = 0}}, {{.text = "none"}}) ==
          "what is left of a message");
}

TEST_CASE("edit_restorer: what was released must be what a session would release") {
    CHECK(refused({drop(2)}, {}, {2}).empty());
    CHECK(refused({}, {}, {2}) == "what is dropped");
    CHECK(refused({drop(0)}, {}, {0}) == "what is dropped");
    CHECK(refused({drop(6)}, {}, {6}) == "what is dropped");
}

TEST_CASE("edit_restorer: what a draft has taken out of a repeated result can be restored") {
    auto history = all;
    auto again = R("1", "a long output");
    again.parts.insert(again.parts.begin(), {.kind = condense::part_kind::text, .text = "once more"});
    history.insert(history.begin() + 5, again);
    condense::outline facts;
    view edits;
    for (auto const& m : history) {
        edits.reserve_message(facts.read(m, per_byte{}));
        edits.on_message_placed(facts, facts.place());
    }
    per_byte const count;
    condense::budget const limits{.window = {1'000}};
    condense::draft whole{history, facts, edits, count, limits};
    REQUIRE_FALSE(whole.remove(whole.part_at(5)));
    REQUIRE_FALSE(whole.remove(whole.part_at(6)));
    view restored;
    condense::detail::edit_restorer<conversation, per_byte> restorer{history, facts, restored, count, limits};
    CHECK(restorer.restore(edits.steps(), edits.texts()).empty());
    CHECK(restored.sums() == edits.sums());
}
