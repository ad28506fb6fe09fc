// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/part_key.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::part_key;
using condense::part_view;
using condense::detail::key_of;

template <class Text>
using giving = Text (*)(part_view const&);

static_assert(part_key<giving<std::string>> && part_key<giving<std::string_view>> && part_key<giving<char const*>>);
static_assert(part_key<giving<std::optional<std::string>>> && part_key<giving<std::optional<std::string_view>>>);
static_assert(part_key<giving<std::string const&>> && part_key<giving<std::string const*>>);
static_assert(!part_key<giving<int>> && !part_key<giving<void>> && !part_key<giving<bool>>);
static_assert(!part_key<giving<std::optional<int>>> && !part_key<giving<int*>>);
static_assert(!part_key<std::string (*)()> && !part_key<std::string (*)(int)> && !part_key<std::string>);

/// A key is asked as const.
struct unsteady {
    std::string operator()(part_view const&) { return "x"; }
};
static_assert(!part_key<unsteady>);

constexpr part_view const call{.text = "arguments", .tool = "read", .call = "c1"};

template <class Key>
bool gives(Key const& key, std::string_view wanted) {
    auto const made = key_of(key, call);
    return made == wanted;
}

bool a_key_is_the_text_that_it_gives() {
    std::string const held(40, 'a');
    return gives([](part_view const& part) { return part.tool; }, "read") &&
           gives([](part_view const&) { return "fixed"; }, "fixed") &&
           gives([](part_view const& part) { return std::string(40, 'b').append(part.call); },
                 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbc1") &&
           gives([](part_view const& part) { return std::optional{part.text}; }, "arguments") &&
           gives([](part_view const&) { return std::optional{std::string(40, 'a')}; }, held) &&
           gives([&](part_view const&) -> std::string const& { return held; }, held) &&
           gives([&](part_view const&) { return &held; }, held);
}

bool nothing_is_an_empty_key() {
    return gives([](part_view const&) { return std::optional<std::string>{}; }, "") &&
           gives([](part_view const&) { return static_cast<std::string const*>(nullptr); }, "") &&
           gives([](part_view const&) { return std::string_view{}; }, "");
}

bool bytes_of_zero_are_of_the_key() {
    return gives([](part_view const&) { return std::optional{std::string_view{"a\0b", 3}}; }, {"a\0b", 3});
}

}  // namespace

TEST_CASE("part_key: a text, or an optional one, and nothing is the empty text") {
    CHECK(a_key_is_the_text_that_it_gives());
    CHECK(nothing_is_an_empty_key());
    CHECK(bytes_of_zero_are_of_the_key());
}
