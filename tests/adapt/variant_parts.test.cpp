// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/variant_parts.hpp>

#include <array>
#include <memory_resource>

#include "support/catch.hpp"

namespace {

using condense::part_kind, condense::part_view, condense::role;

struct words {
    std::string text;
};
struct call {
    std::string id;
    std::vector<int> arguments;  ///< shown as text of its own
};
struct image {
    std::string type;
};
struct stamp {
    int at = 0;
};

/// A part_view, and the text that it shows.
struct shown_call {
    std::string text;
    std::string const& id;
    operator part_view() const { return {.kind = part_kind::tool_call, .text = text, .tool = "sum", .call = id}; }
};

using piece = std::variant<words, call, image, stamp>;

struct note {
    role from = role::user;
    std::vector<piece> pieces = {};
    int color = 0;
};

struct arena_note {
    std::pmr::vector<std::variant<std::pmr::string, std::u8string>> pieces;
};

/// Of few alternatives, so that it can be a constant.
struct fixed_note {
    std::vector<std::variant<int, char>> pieces = {};
};

std::string spelt(auto const& m) {
    std::string out;
    condense::each_part(m, [&](part_view const& part) {
        out.append(name(part.kind)).append(part.call.empty() ? "" : "#").append(part.call).append("=");
        out.append(part.text).append("; ");
    });
    return out;
}

}  // namespace

template <>
struct condense::message_traits<note> : condense::variant_parts<condense::message_traits<note>> {
    static role role_of(note const& m) { return m.from; }
    static auto& parts_of(auto& m) { return m.pieces; }
    static part_view show(words const& part) { return {.text = part.text}; }
    static void write(words& part, std::string text) { part.text = std::move(text); }
    static shown_call show(call const& part) {
        std::string text;
        for (auto const number : part.arguments)
            text.append(std::to_string(number)).append(" + a long text of its own, ");
        return {text, part.id};
    }

    static part_view show(image const& part) {
        return {.kind = part_kind::media, .text = part.type, .sealed = true, .cost = condense::cost::of({500})};
    }
    static words write(image const&, std::string text) { return {std::move(text)}; }
    static part_view show(stamp const&) { return {.kind = part_kind::other, .sealed = true}; }
    static note make(role from, std::string text) { return {from, {words{std::move(text)}}}; }
};

template <>
struct condense::message_traits<arena_note> : condense::variant_parts<condense::message_traits<arena_note>> {
    static role role_of(arena_note const&) { return role::assistant; }
    static auto& parts_of(auto& m) { return m.pieces; }
    static part_view show(auto const& text) { return {.text = as_utf8(text)}; }
    static void write(auto& written, std::string text) { assign_utf8(written, std::move(text)); }
};

template <>
struct condense::message_traits<fixed_note> : condense::variant_parts<condense::message_traits<fixed_note>> {
    static constexpr role role_of(fixed_note const&) { return role::user; }
    static constexpr auto& parts_of(auto& m) { return m.pieces; }
    static constexpr part_view show(int const&) { return {.text = "number"}; }
    static constexpr part_view show(char const&) { return {.text = "letter"}; }
};

namespace {

static_assert(condense::shortenable<note> && condense::composable<note> && !condense::answerable<note>);
static_assert(condense::detail::part_removable<note> && condense::detail::edits_together<note>);
static_assert(condense::detail::replaces_in_place<note> && !condense::detail::replaces_in_copy<note>);
static_assert(condense::shortenable<arena_note>);

constexpr bool edits_constants() {
    fixed_note m{{1, 'a', 2}};
    condense::message_traits<fixed_note>::without_part(m, 0);
    std::size_t letters = 0;
    condense::message_traits<fixed_note>::each_part(m, [&](part_view const& part) { letters += part.text.size(); });
    return letters == 12 && m.pieces.size() == 2 && std::get<int>(m.pieces[1]) == 2;
}
static_assert(edits_constants());

note sample() {
    return {role::assistant, {words{"a"}, call{"1", {1, 2}}, image{"image/png"}, stamp{7}, words{"e"}}, 5};
}

}  // namespace

TEST_CASE("variant_parts: a message of each alternative") {
    auto const m = sample();
    SECTION("shows each alternative, in order") {
        CHECK(edits_constants());
        CHECK(spelt(m) ==
              "text=a; tool call#1=1 + a long text of its own, 2 + a long text of its own, ; media=image/png; other=; "
              "text=e; ");
        CHECK(spelt(note{}) == "");
    }
    SECTION("a text is written where the alternative takes it, and nowhere else") {
        CHECK(spelt(condense::with_part(m, 4, "new")).ends_with("other=; text=new; "));
        auto const described = condense::with_part(m, 2, "[a picture]");
        CHECK(std::get<words>(described.pieces[2]).text == "[a picture]");
        CHECK((described.pieces.size() == 5 && described.color == 5 && described.from == role::assistant));
        for (std::size_t const kept : {1u, 3u, 5u, 99u}) CHECK(spelt(condense::with_part(m, kept, "new")) == spelt(m));
    }
    SECTION("parts are removed, and edits done together") {
        CHECK(spelt(condense::without_part(m, 2)).find("media") == std::string::npos);
        CHECK(condense::without_part(m, 2).pieces.size() == 4);
        CHECK(spelt(condense::without_part(m, 4)).ends_with("; other=; "));
        CHECK(condense::without_part(m, 5).pieces.size() == 5);
        auto edited = m;
        condense::with_edits(edited, {{.index = 0, .text = "b"},
                                      {.index = 1, .removed = true},
                                      {.index = 2, .text = "c"},
                                      {.index = 4, .removed = true},
                                      {.index = 9, .removed = true}});
        CHECK(spelt(edited) == "text=b; text=c; other=; ");
        CHECK(edited.color == 5);
        condense::with_edits(edited, {});
        CHECK(spelt(edited) == "text=b; text=c; other=; ");
    }
}

TEST_CASE("variant_parts: a pmr::vector keeps its allocator") {
    std::array<std::byte, 4'096> room;
    std::pmr::monotonic_buffer_resource arena{room.data(), room.size(), std::pmr::null_memory_resource()};
    arena_note m{std::pmr::vector<std::variant<std::pmr::string, std::u8string>>{&arena}};
    m.pieces.emplace_back(std::pmr::string{"a text that is too long to be stored in place", &arena});
    m.pieces.emplace_back(std::u8string{u8"gr\u00FCn"});
    using traits = condense::message_traits<arena_note>;
    traits::with_part(m, 0, "another text that is too long to be stored in place");
    traits::with_edits(m, {{.index = 1, .text = "\xC3\xBC"}});
    CHECK(spelt(m) == "text=another text that is too long to be stored in place; text=\xC3\xBC; ");
    CHECK(m.pieces.get_allocator().resource() == &arena);
    CHECK(std::get<0>(m.pieces[0]).get_allocator().resource() == &arena);
    traits::without_part(m, 0);
    CHECK(spelt(m) == "text=\xC3\xBC; ");
}
