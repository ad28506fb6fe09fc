// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/shortener.hpp>

#include "core/toy.hpp"
#include "shorten/around.hpp"

namespace {

using namespace around;
using condense::cut, condense::part_kinds, condense::part_view, condense::text_limit;
namespace detail = condense::detail;

using text = std::optional<std::string>;

struct plain {
    constexpr text operator()(part_view const&, cut) const { return {}; }
};
struct removing : plain {
    static constexpr part_kinds applies_to = part_kind::media | part_kind::reasoning | part_kind::text;
    static constexpr bool any_size = true;
    static constexpr bool removes = true;
};
struct limited : plain {
    text_limit over = 100_chars;
};
struct by_lines : plain {
    condense::lines over = 3_lines;
};
struct around_all {
    using needs_conversation = void;
};
struct wrong_result {
    std::string operator()(part_view const&, cut) const { return {}; }
};
struct not_const {
    text operator()(part_view const&, cut) { return {}; }
};

static_assert(condense::text_shortener<plain> && condense::shortener<plain>);
static_assert(condense::conversation_shortener<around_all> && condense::shortener<around_all> &&
              !condense::text_shortener<around_all>);
static_assert(!condense::shortener<wrong_result> && !condense::shortener<not_const> && !condense::shortener<int>);

static_assert(part_kinds{part_kind::media}.holds(part_kind::media) &&
              !part_kinds{part_kind::media}.holds(part_kind::other));
static_assert((part_kind::text | part_kind::other | part_kind::media) ==
              (part_kind::media | part_kind::text | part_kind::other));
static_assert((part_kind::text | part_kind::other).holds(part_kind::other) &&
              !(part_kind::text | part_kind::other).holds(part_kind::media));

static_assert(detail::kinds_of<plain>() == part_kinds{part_kind::tool_result} &&
              detail::kinds_of<removing>().holds(part_kind::media));
static_assert(!detail::removes_parts<plain>() && detail::removes_parts<removing>());
static_assert(!detail::takes_any_size<plain>() && detail::takes_any_size<removing>());

constexpr bool the_limit_is_its_own_or_the_layers() {
    cut const how{.halvings = 1, .over = 500_chars};  // halved by the layer already
    return detail::limit_of(plain{}, how) == text_limit{500_chars} &&
           detail::limit_of(limited{}, how) == text_limit{50_chars} &&
           detail::limit_of(limited{}, {}) == text_limit{100_chars} &&
           detail::limit_of(by_lines{}, how) == text_limit{1_lines};
}
static_assert(the_limit_is_its_own_or_the_layers());

constexpr bool sizes_alone_rule_parts_out() {
    cut const how{.over = 100_chars};
    auto const may = [&](part_kind kind, bool sealed, condense::bytes size) {
        return detail::may_apply(plain{}, kind, sealed, size, how);
    };
    return may(part_kind::tool_result, false, 101_bytes) && !may(part_kind::tool_result, false, 100_bytes) &&
           !may(part_kind::tool_result, true, 101_bytes) && !may(part_kind::tool_call, false, 101_bytes) &&
           detail::may_apply(by_lines{}, part_kind::tool_result, false, 1_bytes, how);
}
static_assert(sizes_alone_rule_parts_out());

constexpr bool what_is_removed_may_be_sealed_and_of_any_size() {
    auto const may = [](part_kind kind, bool sealed) {
        return detail::may_apply(removing{}, kind, sealed, 0_bytes, {});
    };
    return may(part_kind::reasoning, true) && may(part_kind::media, true) && may(part_kind::text, false) &&
           !may(part_kind::tool_result, false);
}
static_assert(what_is_removed_may_be_sealed_and_of_any_size());

/// Shortens everything to one letter.
struct to_letter {
    constexpr text operator()(part_view const&, cut) const { return "l"; }
};

struct drop_media : removing {
    static constexpr part_kinds applies_to = part_kind::media;
    text operator()(part_view const&, cut) const { return ""; }
};

TEST_CASE("shortener: it is asked only where it may apply; media and reasoning go whole where it says so") {
    auto const asked = [](part_view const& part, cut how) {
        auto const shorten = to_letter{};
        return detail::bind_shortener(shorten, detail::no_conversation{})({}, part, how).has_value();
    };
    auto const long_text = letters(101);
    CHECK(asked({.kind = part_kind::tool_result, .text = long_text}, {.over = 100_chars}));
    CHECK_FALSE(asked({.kind = part_kind::tool_result, .text = long_text}, {.over = 101_chars}));
    // Two characters, four bytes.
    CHECK_FALSE(asked({.kind = part_kind::tool_result, .text = "\xC3\xA9\xC3\xA9"}, {.over = 2_chars}));
    CHECK(asked({.kind = part_kind::tool_result, .text = "a\nb\nc"}, {.over = 2_lines}));
    CHECK_FALSE(asked({.kind = part_kind::tool_result, .text = "a\nb"}, {.over = 2_lines}));
    CHECK_FALSE(asked({.kind = part_kind::text, .text = long_text}, {.over = 1_chars}));
    CHECK_FALSE(asked({.kind = part_kind::tool_result, .text = long_text, .sealed = true}, {.over = 1_chars}));
    auto pictured = A("words");
    pictured.parts.push_back({.kind = part_kind::media, .sealed = true, .cost = condense::cost::of({50})});
    auto const after = settled(conversation{U(), pictured, U()}, mix_of(drop_media{}));
    REQUIRE(after.size() == 3);
    CHECK(after[1].parts == A("words").parts);
}

TEST_CASE("shortener: every halving is told, and the limits shrink with it") {
    conversation const messages{U(), C("1", "ls"), R("1", letters(5'000)), A(), U()};
    struct telling {
        text operator()(part_view const&, cut how) const {
            return std::to_string(how.halvings) + " " + std::to_string(how.over.chars.count);
        }
    };
    auto const told = [&](unsigned pressure, bool top) {
        auto copy = messages;
        condense::pipeline const mix{
            condense::compress{.when = condense::always, .over = 4'000_chars, .with = telling{}},
            toy::press{.pressure = pressure, .top = top}};
        static_cast<void>(condense::reduce(copy, mix, roomy, per_byte{}));
        return texts(copy).front();
    };
    CHECK(told(0, false) == "0 4000");
    CHECK(told(3, false) == "3 500");
    CHECK(told(2, true) == "6 62");
}

// Markers in place of what is left out

using condense::recovery, detail::excerpt, detail::gap, detail::omission, detail::omitted, detail::repetition;

TEST_CASE("placeholder: says how much is missing and how to have it back") {
    recovery const stored{{{0xAB, 0xCD}}};
    CHECK(stored);
    CHECK_FALSE(recovery{});
    auto const marker = [](recovery const& how) { return omission(44, 300, "lines", how); };
    CHECK(marker({}) == "[... 44 of 300 lines omitted ...]");
    CHECK(marker({.recorded = true}) == "[... 44 of 300 lines omitted; the journal holds the whole ...]");
    CHECK(marker({.shortened = true}) == "[... 44 of the remaining 300 lines omitted ...]");
    CHECK(omission(1'000'000, 2'000'000, "characters", stored) ==
          "[... 1,000,000 of 2,000,000 characters omitted; the whole is stored as abcd00000000000000000000 ...]");
    condense::wording const words{.stored = "fetch", .recorded = "see the log", .otherwise = "gone"};
    CHECK(marker({.stored = stored.stored, .words = words}) ==
          "[... 44 of 300 lines omitted; fetch abcd00000000000000000000 ...]");
    CHECK(marker({.recorded = true, .words = words}) == "[... 44 of 300 lines omitted; see the log ...]");
    CHECK(marker({.words = words}) == "[... 44 of 300 lines omitted; gone ...]");
    CHECK(omission("image/png", recovery{.words = words}) == "[image/png, omitted; gone]");
}

TEST_CASE("placeholder: says of what type the original was and which share is left, where asked for", "[row-C3]") {
    auto const said = [](omitted const& count, std::string_view way = {}) {
        std::string made;
        detail::append_omission(made, count, "lines", way);
        return made;
    };
    auto const stated = said({.missing = 44, .total = 300, .type = "text"}, "the journal holds the whole");
    CHECK(stated == "[... 44 of 300 lines omitted; text, 85 % left; the journal holds the whole ...]");
    CHECK(said({.missing = 299, .total = 300, .type = "mixed"}) ==
          "[... 299 of 300 lines omitted; mixed, under 1 % left ...]");
    CHECK(said({.missing = 300, .total = 300, .type = "text"}) == "[... 300 of 300 lines omitted; text, 0 % left ...]");
    CHECK(said({.missing = 44, .total = 300, .of_rest = true, .type = "json"}) ==
          "[... 44 of the remaining 300 lines omitted; json ...]");
    auto const lines = stated + "\n" + fakes::repeated("x\n", 256);
    auto const read = detail::find_cut(lines, "lines", 257);
    REQUIRE(read);
    CHECK(read->count.type == "text");
    CHECK(read->end == stated.size());
}

TEST_CASE("placeholder: several gaps are told one by one, and all of them at the first; repetitions are counted") {
    CHECK(gap(37, 0) == "[... 37 lines omitted ...]");
    CHECK(gap(1, 0) == "[... 1 line omitted ...]");
    CHECK(gap(1, 1) == "[... 1 more line like this omitted ...]");
    CHECK(gap(1'509, 29) == "[... 29 more lines like this and 1,480 others omitted ...]");
    CHECK(gap(37, 0, 980, 1'200, recovery{}) == "[... 37 lines omitted, 980 of 1,200 in all ...]");
    CHECK(gap(2, 2, 2, 9, {{{0xAB}}}) ==
          "[... 2 more lines like this omitted, 2 of 9 in all; the whole is stored as ab0000000000000000000000 ...]");
    CHECK(repetition(1) == "[... 1 more time ...]");
    CHECK(repetition(9'999) == "[... 9,999 more times ...]");
}

TEST_CASE("placeholder: is never longer than its limit, nor is that of an excerpt of less than a terabyte") {
    constexpr auto most = ~std::uint64_t{0};
    constexpr auto limit = detail::omission_limit - 2;  // two line breaks may stand around it
    condense::reference const name{{255}};
    for (auto const& how : {recovery{}, recovery{name}}) CHECK(omission(most, most, "characters", how).size() <= limit);
    std::string const forty(40, 'x');
    std::string const longer(64, 'x');
    condense::wording const words{.stored = forty, .recorded = longer, .otherwise = longer};
    CHECK_NOTHROW(words.validate());
    for (auto const& stored : {condense::reference{}, name})
        CHECK(omission(most, most, "characters", recovery{stored, true, true, words}).size() <= limit);
    for (bool const of_rest : {false, true}) {
        std::string marker;
        detail::append_omission(marker, {.missing = most - 1, .total = most, .of_rest = of_rest, .type = "mixed"},
                                "characters", detail::way_back({.stored = name, .words = words}));
        CHECK(marker.size() <= limit);
    }
    CHECK_NOTHROW(condense::tool_words.validate());
    CHECK(detail::way_back({.stored = name, .words = {.stored = "the file artifacts/"}}) ==
          "the file artifacts/" + name.text());
    CHECK_THROWS_AS((condense::wording{.stored = longer}.validate()), condense::invalid_configuration);
    CHECK_THROWS_AS((condense::wording{.otherwise = "a\nb"}.validate()), condense::invalid_configuration);
    constexpr std::uint64_t terabyte = 999'999'999'999;
    CHECK(excerpt(3, 5, "items") == "[... 3 of 5 items omitted ...]");
    CHECK(excerpt(3, 5, "items", 2'740, recovery{}) == "[... 3 of 5 items omitted from 2,740 bytes ...]");
    CHECK(excerpt(0, 5, "keys", 2'740, recovery{}) == "[... values shortened, 5 keys from 2,740 bytes ...]");
    for (auto const kept : {terabyte / 2, std::uint64_t{0}})
        CHECK(excerpt(kept, terabyte / 2, "items", terabyte, {{{255}}}).size() <= detail::excerpt_limit);
    CHECK(excerpt(terabyte, terabyte, "characters").size() <= detail::excerpt_limit);
}

TEST_CASE("placeholder: gaps and excerpts are read as they are written, and nothing that only begins so") {
    using detail::read_excerpt, detail::read_gap;
    std::uint64_t lines = 0, size = 0;
    omitted sum;
    CHECK(read_gap(gap(1'509, 29), lines, sum));
    CHECK(lines == 1'509);
    CHECK(sum.total == 0);
    lines = 0;
    CHECK(read_gap(gap(37, 0, 980, 1'200, recovery{}), lines, sum));
    CHECK(lines == 37);
    CHECK(sum.missing == 980);
    CHECK(sum.total == 1'200);
    for (auto const* const other : {"[... 5 lines omitted, as is said below ...]", "[... 5 lines omitted, 5 of 9 ...]",
                                    "[... 5 lines omitted, 5 in all ...]", "[... 5 lines ...]",
                                    "[... 5 more times ...]", "[... lines omitted ...]"}) {
        CAPTURE(other);
        CHECK_FALSE(read_gap(other, lines, sum));
    }
    omitted count;
    CHECK(read_excerpt(excerpt(3, 5, "items", 2'740, recovery{}), "items", 2, count, size));
    CHECK(count.missing == 3);
    CHECK(size == 2'740);
    CHECK(read_excerpt(excerpt(0, 5, "keys", 2'740, recovery{}), "keys", 5, count, size));
    CHECK_FALSE(read_excerpt(excerpt(3, 5, "items", 2'740, recovery{}), "keys", 2, count, size));
    CHECK_FALSE(read_excerpt(excerpt(3, 5, "items", 2'740, recovery{}), "items", 3, count, size));
    CHECK_FALSE(read_excerpt("[... 3 items omitted from 2,740 bytes ...]", "items", 2, count, size));
    CHECK_FALSE(read_excerpt("[... values shortened, some keys from 2,740 bytes ...]", "keys", 5, count, size));
}

}  // namespace
