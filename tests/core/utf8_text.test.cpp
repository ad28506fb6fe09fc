// SPDX-License-Identifier: BSL-1.0
#include <condense/core/utf8_text.hpp>

#include <array>
#include <cstddef>
#include <memory_resource>
#include <vector>

#include <condense/core/message.hpp>
#include <condense/core/reduce.hpp>
#include <condense/estimate/script_aware.hpp>
#include <condense/layer/compress.hpp>
#include <condense/layer/sliding_window.hpp>

#include "support/catch.hpp"

namespace {

using condense::as_utf8, condense::assign_utf8, condense::assignable_utf8_text, condense::role, condense::utf8_text;

static_assert(assignable_utf8_text<std::string> && assignable_utf8_text<std::u8string> &&
              assignable_utf8_text<std::pmr::string> && assignable_utf8_text<std::pmr::u8string>);
// Views can be read; to write them would leave them without the text.
static_assert(utf8_text<std::string_view> && utf8_text<std::u8string_view> && utf8_text<char const*> &&
              utf8_text<char8_t const*>);
static_assert(!assignable_utf8_text<std::string_view> && !assignable_utf8_text<std::u8string_view> &&
              !assignable_utf8_text<char const*> && !assignable_utf8_text<std::string const>);
static_assert(!utf8_text<std::u16string> && !utf8_text<std::wstring> && !utf8_text<int> &&
              !utf8_text<std::vector<char>>);

static_assert(as_utf8(std::string_view{"view"}) == "view" && as_utf8("") == "");

struct in_u8 {
    std::u8string who;
    std::u8string what;
    int color = 0;
};
struct in_u8_views {
    role who = role::user;
    std::u8string_view what;
};
struct in_views {
    role who = role::user;
    std::string_view what;
};
struct in_pmr {
    std::pmr::string who;
    std::pmr::string what;
};

std::string text_of(auto const& m) {
    std::string all;
    condense::each_part(m, [&](condense::part_view const& part) { all += part.text; });
    return all;
}

}  // namespace

template <>
struct condense::message_traits<in_u8> : condense::role_and_text<&in_u8::who, &in_u8::what> {};
template <>
struct condense::message_traits<in_u8_views> : condense::role_and_text<&in_u8_views::who, &in_u8_views::what> {};
template <>
struct condense::message_traits<in_views> : condense::role_and_text<&in_views::who, &in_views::what> {};
template <>
struct condense::message_traits<in_pmr> : condense::role_and_text<&in_pmr::who, &in_pmr::what> {};

static_assert(condense::shortenable<in_u8> && condense::composable<in_u8>);
static_assert(condense::shortenable<in_pmr> && condense::composable<in_pmr>);
static_assert(condense::message<in_u8_views> && !condense::shortenable<in_u8_views> &&
              !condense::composable<in_u8_views>);
static_assert(condense::message<in_views> && !condense::shortenable<in_views> && !condense::composable<in_views>);

TEST_CASE("utf8_text: is read where it is") {
    std::u8string const text{u8"na\u00EFve \u6F22\U0001F600"};
    auto const view = as_utf8(text);
    CHECK(view == "na\xC3\xAFve \xE6\xBC\xA2\xF0\x9F\x98\x80");
    CHECK(static_cast<void const*>(view.data()) == static_cast<void const*>(text.data()));
    std::pmr::string const other{"pmr"};
    CHECK((as_utf8(other).data() == other.data() && as_utf8(std::u8string_view{}).empty()));
}

TEST_CASE("utf8_text: any bytes are written, and read back") {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
    std::u8string text;
    assign_utf8(text, all);
    CHECK(text.size() == 256);
    CHECK(as_utf8(text) == all);
    assign_utf8(text, "");
    CHECK(text.empty());
}

TEST_CASE("utf8_text: messages in u8string are read, shortened and composed") {
    in_u8 const m{u8"assistant", u8"gr\u00FCn", 3};
    CHECK(condense::role_of(m) == role::assistant);
    CHECK(text_of(m) == "gr\xC3\xBCn");
    auto const shorter = condense::with_part(m, 0, "gr\xC3\xBC");
    CHECK((shorter.what == u8"gr\u00FC" && shorter.who == u8"assistant" && shorter.color == 3));
    auto const made = condense::detail::make_fn::make<in_u8>(role::user, "so far");
    CHECK((made.who == u8"user" && made.what == u8"so far"));
    CHECK(text_of(in_u8_views{role::user, u8"view"}) == "view");
}

TEST_CASE("utf8_text: a pmr::string keeps its allocator, in a history that is reduced as well") {
    std::array<std::byte, 65'536> room;
    std::pmr::monotonic_buffer_resource arena{room.data(), room.size(), std::pmr::null_memory_resource()};
    std::pmr::string text{"a text that is too long to be stored in place", &arena};
    assign_utf8(text, "another text that is too long to be stored in place");
    CHECK(text.get_allocator().resource() == &arena);
    CHECK(text == "another text that is too long to be stored in place");

    std::vector<in_pmr> history;
    auto const add = [&](std::string_view who, std::size_t size) {
        history.push_back({std::pmr::string{who, &arena}, std::pmr::string(size, 'x', &arena)});
    };
    add("user", 40);
    for (int step = 0; step < 3; ++step) add("assistant", 4'000), add("tool", step == 2 ? 90 : 9'000);
    add("user", 40);
    using namespace condense::literals;
    auto const mix = condense::pipeline{
        condense::compress{.when = condense::always, .over = 100_chars},
        condense::sliding_window{.when = condense::used > 4_messages, .until = condense::used <= 4_messages}};
    auto const report = condense::reduce(history, mix, {.window = 100'000_tokens}, condense::default_estimator<>{});
    CHECK(report.changed());
    CHECK(history.size() <= 4);
    for (auto const& m : history) CHECK(m.what.get_allocator().resource() == &arena);
}
