// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/json_strings.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

namespace json = condense::detail::json;

constexpr bool each_string_value_is_found_where_it_stands() {
    std::string_view const text = R"({ "a": "x", "b" :["y", {"c":"z"}], "d": 1, "e": "" })";
    std::string found;
    bool in_place = true;
    json::each_string(text, [&](json::spelt_string const& one) {
        found.append(one.key)
            .append("=")
            .append(one.text)
            .append("@")
            .append(std::size_t{1}, static_cast<char>('0' + one.depth))
            .append(" ");
        in_place = in_place && text.substr(one.begin, one.text.size()) == one.text && text[one.begin - 1] == '"';
    });
    return in_place && found == "a=x@1 =y@2 c=z@3 e=@1 ";
}

constexpr bool what_is_between_stays_as_it_was() {
    auto const shorter = [](json::spelt_string const& one) {
        return one.text.size() > 3 ? std::optional<std::string>{one.text.substr(0, 1)} : std::nullopt;
    };
    return json::with_strings(R"({"a":  "long one", "a": 1e0, "b":["s", "long"]})", shorter) ==
               R"({"a":  "l", "a": 1e0, "b":["s", "l"]})" &&
           !json::with_strings(R"({"a":"s"})", shorter) && !json::with_strings(R"({"a":"long one")", shorter);
}

/// A surrogate pair is one character, half of one is a character too.
constexpr bool characters_are_counted_as_they_are_spelt() {
    std::string_view const text = R"(a\n\ud83d\ude00\ud83d\u00e9)";
    return json::count_spelt(text) == 5 && json::prefix_spelt(text, 2) == 3 && json::prefix_spelt(text, 3) == 15 &&
           json::prefix_spelt(text, 4) == 21 && json::prefix_spelt(text, 9) == text.size();
}

}  // namespace

TEST_CASE("json_strings: the strings that are values, in place") {
    CHECK(each_string_value_is_found_where_it_stands());
    CHECK(what_is_between_stays_as_it_was());
    CHECK(characters_are_counted_as_they_are_spelt());
}
