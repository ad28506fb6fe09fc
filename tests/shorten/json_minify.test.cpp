// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/json_minify.hpp>

#include <condense/shorten/first_of.hpp>
#include <condense/shorten/head_tail.hpp>

#include <nlohmann/json.hpp>

#include "shorten/texts.hpp"
#include "support/catch.hpp"

namespace {

using condense::json_minify;
static_assert(condense::shortener<json_minify>);

constexpr bool minifies_to(std::string_view text, std::string_view wanted) {
    auto const made = json_minify{}({.text = text}, {});
    return made && *made == wanted && !json_minify{}({.text = *made}, {});
}
constexpr bool leaves(std::string_view text) { return !json_minify{}({.text = text}, {}); }

constexpr bool white_space_goes() {
    return minifies_to(" [ ] ", "[]") && minifies_to("{ }", "{}") && minifies_to("\t1.50\r\n", "1.50") &&
           minifies_to(R"({ "a b" : [ 1.0 , 1e0 , { } , "x , y" ] , "a b" : null })",
                       R"({"a b":[1.0,1e0,{},"x , y"],"a b":null})") &&
           minifies_to("[ [ ] , [ [ 1 ] , 2 ] ]", "[[],[[1],2]]");
}

constexpr bool the_rest_stays() {
    return leaves("") && leaves("  ") && leaves("[1, 2") && leaves("{a: 1}") && leaves("1 2") && leaves("\" \xFF\"") &&
           leaves("[1,2]") && leaves(R"({"a b":" c "})");
}
#if !defined(__clang__) && !defined(_GLIBCXX_ASSERTIONS)  // libstdc++ 12 has no strings there with either
static_assert(white_space_goes());
static_assert(the_rest_stays());
#endif

/// White space outside strings, by looking at quotes alone.
std::string without_space(std::string_view text) {
    std::string out;
    bool inside = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '"') inside = !inside;
        if (inside || std::string_view{" \t\r\n"}.find(text[at]) == std::string_view::npos) out.push_back(text[at]);
        if (inside && text[at] == '\\') out.push_back(text[++at]);
    }
    return out;
}

}  // namespace

TEST_CASE("json_minify: white space outside strings goes and nothing else; hostile text is refused") {
    CHECK(white_space_goes());
    CHECK(the_rest_stays());
    CHECK(leaves(std::string(1'000'000, '[')));
    CHECK(leaves(std::string(1'000'000, ' ')));
    CHECK(leaves(std::string("[1,\0 2]", 7)));
    auto const deep = " " + std::string(128, '[') + std::string(128, ']');
    CHECK(minifies_to(deep, deep.substr(1)));
}

TEST_CASE("json_minify: random documents keep every token") {
    std::size_t made = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed)
        for (auto const kind : laws::json_texts()) {
            auto const text = laws::text_generator{seed}.make(kind, 2'000);
            auto const minified = json_minify{}({.text = text}, {});
            if (!minified) continue;
            CAPTURE(seed);
            REQUIRE(*minified == without_space(text));
            ++made;
        }
    CHECK(made > 300);
}

TEST_CASE("json_minify: takes the place of a cut where that is enough") {
    auto const text = laws::replaced("[1" + std::string(100, '#') + "]", "#", ",          1");
    condense::cut const how{.over = condense::chars{300}};
    auto const both = condense::first_of(json_minify{}, condense::head_tail{condense::chars{50}, condense::chars{50}});
    auto const made = both({.kind = condense::part_kind::tool_result, .text = text}, how);
    REQUIRE(made);
    CHECK(nlohmann::json::parse(*made) == nlohmann::json::parse(text));
}
