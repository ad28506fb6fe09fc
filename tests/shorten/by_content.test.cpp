// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/by_content.hpp>

#include <condense/condense.hpp>
#include <condense/shorten/collapse_repeats.hpp>

#include "shorten/around.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::by_content, condense::content, condense::invalid_configuration;

/// Makes of any text the name of the slot.
struct says {
    char const* word = "?";
    static constexpr bool any_size = true;
    std::optional<std::string> operator()(condense::part_view const&, condense::cut) const { return word; }
};

/// For reasoning only, which it takes out.
struct empties {
    static constexpr condense::part_kinds applies_to = part_kind::reasoning;
    static constexpr bool removes = true;
    static constexpr bool any_size = true;
    std::optional<std::string> operator()(condense::part_view const&, condense::cut) const { return std::string{}; }
    friend bool operator==(empties const&, empties const&) = default;
};

static_assert(condense::shortener<by_content<>>);
static_assert(by_content<>::applies_to == condense::part_kinds{part_kind::tool_result});
static_assert(!by_content<>::removes);
using mixed = by_content<empties>;
static_assert(mixed::applies_to == (part_kind::tool_result | part_kind::reasoning));
static_assert(mixed::removes);

std::string made(auto const& shorten, std::string_view text, part_kind kind = part_kind::tool_result,
                 condense::cut how = {}) {
    return shorten({.kind = kind, .text = text}, how).value_or("(nothing)");
}

}  // namespace

TEST_CASE("by_content: each slot has the texts of its kind") {
    by_content const shorten{.json = says{"json"},
                             .log = says{"log"},
                             .diff = says{"diff"},
                             .search_hits = says{"hits"},
                             .code = says{"code"},
                             .prose = says{"prose"},
                             .binary = says{"binary"}};
    using row = std::pair<std::string_view, char const*>;
    for (auto const& [text, slot] :
         {row{"{\"a\": 1}", "json"}, row{"12:30:45 INFO a\n12:30:46 INFO b\n", "log"},
          row{"--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n", "diff"}, row{"src/a.c:12:x\nsrc/a.c:13:y\n", "hits"},
          row{"int main() {\n    return 0;\n}\n", "code"}, row{"It is a fine day.", "prose"},
          row{{"\0\1\2", 3}, "binary"}})
        CHECK(made(shorten, text) == slot);
    CHECK(made(shorten, "It is a fine day.", part_kind::text) == "(nothing)");
}

TEST_CASE("by_content: the detector is the user's where there is one") {
    by_content const all_diff{.diff = says{"diff"}, .detect = [](std::string_view) { return content::diff; }};
    CHECK(made(all_diff, "{}") == "diff");
    int asked = 0;
    auto const counts = [&asked](std::string_view text) {
        ++asked;
        return text.size() > 100'000 ? content::log : content::prose;
    };
    by_content const by_size{.log = says{"log"}, .detect = counts};
    CHECK(made(by_size, letters(100'001)) == "log");
    CHECK(made(by_size, letters(50'000)) == made(condense::head_tail{}, letters(50'000)));
    CHECK(asked == 2);
    // Nobody is for it, so it is not looked at.
    CHECK(made(by_size, letters(50'000), part_kind::tool_call) == "(nothing)");
    CHECK(asked == 2);
}

TEST_CASE("by_content: a slot keeps to its own kinds and limits, and joins others in first_of") {
    by_content const shorten{.json = empties{}, .prose = condense::collapse_repeats{.over = 20_chars}};
    CHECK(made(shorten, "{}", part_kind::reasoning) == "");
    CHECK(made(shorten, "{}", part_kind::tool_result) == "(nothing)");
    CHECK(made(shorten, "A B A B", part_kind::text) == "(nothing)");
    CHECK(made(shorten, "foo bar foo bar foo bar", part_kind::text) == "foo bar");
    CHECK(shorten == by_content{.json = empties{}, .prose = condense::collapse_repeats{.over = 20_chars}});
    CHECK_FALSE(shorten == by_content{.json = empties{}, .prose = condense::collapse_repeats{}});
    CHECK_THROWS_AS((by_content{.log = condense::compact_log{.at_most = 10_bytes}}.validate()), invalid_configuration);
    CHECK_THROWS_AS((by_content{.binary = condense::head{.at_most = 10_bytes}}.validate()), invalid_configuration);
    CHECK_NOTHROW(by_content{}.validate());
    auto const both = condense::first_of(empties{}, by_content{});
    auto const text = letters(50'000);
    CHECK(made(both, text) == made(condense::head_tail{}, text));
    CHECK(made(both, text, part_kind::reasoning) == "");
}

TEST_CASE("by_content: in a layer, logs keep their alarms and other texts their ends") {
    auto const log = fakes::repeated("12:00:01 INFO all is well\n", 400) + "12:00:02 ERROR disk is full\n" +
                     fakes::repeated("12:00:03 INFO all is well\n", 400);
    std::string prose;
    for (std::size_t line = 0; line < 400; ++line)
        prose += "It is a day like " + letters(line % 31) + ", and nothing is to be seen.\n";
    conversation messages{U("u"), C("1"), R("1", log), C("2"), R("2", prose), A("a")};
    auto const left = around::texts(around::settled(messages, around::mix_of(by_content{})));
    CHECK(left[0].size() < 500);
    CHECK(fakes::contains(left[0], "12:00:02 ERROR disk is full\n"));
    CHECK((left[1] == made(condense::head_tail{}, prose)));
}
