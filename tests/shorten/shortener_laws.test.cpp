// SPDX-License-Identifier: BSL-1.0
#include "shorten/shortener_laws.hpp"

#include <set>

// The laws can be broken: each is, by a shortener made for it. And the texts are what they are said to be.

namespace {

using namespace condense::literals;
using laws::promises;
using made = std::optional<std::string>;

/// A shortener that makes `after` of `before` and leaves all else alone.
struct swap_texts {
    std::string before;
    std::string after;
    made operator()(condense::part_view const& part, condense::cut) const {
        return part.text == before ? made{after} : std::nullopt;
    }
};

std::string_view broken(swap_texts const& shorten, promises const& given = {}) {
    return laws::judge(shorten, given, {.kind = condense::part_kind::tool_result, .text = shorten.before}, {}).broken;
}

struct halves_again {
    made operator()(condense::part_view const& part, condense::cut) const {
        if (part.text.size() < 2) return std::nullopt;
        return std::string(part.text.size() / 2, 'x');
    }
};

struct changes_its_mind {
    mutable int calls = 0;
    made operator()(condense::part_view const& part, condense::cut) const {
        if (part.text.size() < 9) return std::nullopt;
        return std::string(++calls % 2 == 0 ? "a" : "b");
    }
};

struct keeps_one {
    made operator()(condense::part_view const& part, condense::cut) const {
        if (part.text.size() < 2) return std::nullopt;
        return "x";
    }
};

}  // namespace

TEST_CASE("shortener laws: each can be broken") {
    CHECK(broken({"some text", "text"}).empty());
    CHECK(broken({"some text", "some text"}) == "strictly smaller");
    CHECK(broken({"some text", "a longer text"}) == "strictly smaller");
    CHECK(broken({"\xFF\xFF", "\xEF\xBF\xBD"}) == "strictly smaller");
    CHECK(broken({"a\xE6\xBC\xA2", "a\xE6\xBC"}) == "valid UTF-8");
    CHECK(broken({"some text", "text"}, {.in_place_of_media = true}).empty());
    CHECK(broken({"some text", "a longer text"}, {.in_place_of_media = true}).empty());
    CHECK(broken({std::string(1'000, 'x'), std::string(385, 'x')}, {.at_most = 10_chars}) == "within its limit");
    CHECK(broken({std::string(1'000, 'x'), std::string(384, 'x')}, {.at_most = 10_chars}).empty());
    CHECK(broken({std::string(1'000, 'x'), std::string(384, 'x')}, {.at_most = 10_chars, .beside = 9}) ==
          "within its limit");
    CHECK(laws::judge(halves_again{}, {}, {.text = "some text"}, {}).broken == "nothing on its own output");
    CHECK(laws::judge(changes_its_mind{}, {}, {.text = "some text"}, {}).broken == "the same bytes twice");
}

TEST_CASE("shortener laws: JSON stays what it was") {
    auto const with_json = [](std::string before, std::string after) {
        return broken({std::move(before), std::move(after)}, {.keeps_json = true});
    };
    CHECK(with_json(R"({"a": 1.50, "b": [2, null]})", R"({"a":1.50,"b":[2]})").empty());
    CHECK(with_json(R"({"a": 1.50, "b": 2, "c": 123456})", R"({"a":1.50,"[...]":"2 more"})").empty());
    CHECK(with_json("not JSON", "at all").empty());
    CHECK(with_json(R"({"a": 1.50, "b": 2})", R"({"a":1.50,)") == "JSON stays JSON");
    CHECK(with_json(R"({"a": 1.50, "b": 2})", R"({"a":1.5,"b":2})") == "keys and numbers as they were");
    CHECK(with_json(R"({"a": 1.50, "b": 2})", R"({"b":2,"a":1.50})") == "keys and numbers as they were");
    CHECK(with_json(R"({"a": 1.50, "a": 2})", R"({"c":2})") == "keys and numbers as they were");
    CHECK(with_json(R"([true, false, null])", R"([false,true])") == "keys and numbers as they were");
}

TEST_CASE("shortener laws: figures are counted again") {
    std::string const before =
        "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n" + std::string(200, 'x') + "\n";
    auto const with = [&](std::string marker) {
        return broken({before, "one\n" + marker + "\nten\n" + std::string(200, 'x') + "\n"},
                      {.figures = laws::figures_of_ends});
    };
    std::string_view const law = "kept + omitted = total";
    CHECK(with("[... 8 of 11 lines omitted; away ...]").empty());
    CHECK(with("[... 7 of 11 lines omitted; away ...]") == law);
    CHECK(with("[... 8 of 12 lines omitted; away ...]") == law);
    CHECK(with("[... 7 of 10 lines omitted; away ...]") == law);
    CHECK(with("[... lines omitted ...]") == law);
    CHECK(broken({before, "one\n[... 9 of 11 lines omitted; away ...]\nnine\n"}, {.figures = laws::figures_of_ends}) ==
          law);
    using laws::figures_of_gaps, laws::figures_of_repetition, laws::figures_of_sample, laws::figures_of_strings;
    auto const agree = [](std::optional<laws::figures> const& read) { return read && read->agree(); };
    auto const strings = [&](std::string_view after) {
        return agree(figures_of_strings(R"({"content":"\u00e4\ud83d\ude00abc","n":1})", after));
    };
    CHECK(strings(R"({"content":"\u00e4\ud83d\ude00[... 3 of 5 characters omitted; x ...]","n":1})"));
    CHECK_FALSE(strings(R"({"content":"\u00e4\ud83d\ude00[... 4 of 6 characters omitted; x ...]","n":1})"));
    CHECK_FALSE(strings(R"({"content":"\u00e4x[... 3 of 5 characters omitted; x ...]","n":1})"));
    CHECK_FALSE(strings(R"({"content":"\u00e4"})"));
    std::string const rows = R"([ {"a":"x,]"}, 2, 3, 4, 5 ])";
    CHECK(agree(figures_of_sample(rows, R"([{"a":"x,]"},"[... 3 of 5 items omitted from 27 bytes; x ...]",5])")));
    CHECK_FALSE(agree(figures_of_sample(rows, R"([{"a":"x,]"},"[... 3 of 5 items omitted from 28 bytes; x ...]",5])")));
    CHECK_FALSE(agree(figures_of_sample(rows, R"([{"a":"x,]"},"[... 4 of 6 items omitted from 27 bytes; x ...]",5])")));
    CHECK_FALSE(agree(figures_of_sample(rows, R"([{"a":"x,]"},5])")));
    std::string const lines = "a\nb\nc\nd\ne\nf\ng\n";
    CHECK(agree(figures_of_gaps(lines,
                                "a\n[... 2 lines omitted, 4 of 7 in all; x ...]\nd\n[... 1 more line like this and 1 "
                                "others omitted ...]\ng\n")));
    CHECK(agree(figures_of_gaps(lines, "a\n[... 5 of 7 lines omitted; x ...]\ng\n")));
    CHECK_FALSE(agree(
        figures_of_gaps(lines, "a\n[... 2 lines omitted, 4 of 7 in all; x ...]\nd\n[... 1 line omitted ...]\ng\n")));
    CHECK_FALSE(agree(figures_of_gaps(lines, "a\n[... 5 of 7 lines omitted; x ...]\nf\ng\n")));
    CHECK(agree(figures_of_gaps("a long line\nx\n", "a l [... 6 of 11 characters omitted; x ...] ne\nx\n")));
    CHECK_FALSE(agree(figures_of_gaps("a long line\nx\n", "a l [... 7 of 11 characters omitted; x ...] ne\nx\n")));
    CHECK_FALSE(agree(figures_of_gaps("a long line\nx\n", "a l [... 6 of 11 characters omitted; x ...] ne\n")));
    CHECK(agree(figures_of_repetition("so: la li la li la li la", "so: la li [... 2 more times ...] la")));
    CHECK_FALSE(agree(figures_of_repetition("so: la li la li la li la", "so: la li [... 3 more times ...] la")));
    CHECK_FALSE(agree(figures_of_repetition("so: la li la lu la li la", "so: la li [... 2 more times ...] la")));
}

TEST_CASE("shortener laws: slow ones and idle ones are found") {
    CHECK(laws::try_hostile_texts(keeps_one{}, {}, 2'000, 1.0) == "");
    CHECK(laws::try_hostile_texts(keeps_one{}, {}, 2'000, -1.0).find("one line: 0.") == 0);
    CHECK(laws::try_hostile_texts(halves_again{}, {}, 2'000, 1.0).find("one line: nothing on its own output; ") == 0);
    auto const sum = laws::try_random_texts(keeps_one{}, {}, 200);
    CHECK(sum.broken == "");
    CHECK(sum.shortened > 150);
    CHECK(sum.shortened < sum.texts);
    CHECK(laws::try_random_texts(halves_again{}, {}, 200).broken.find("nothing on its own output: seed ") == 0);
    CHECK(laws::try_random_texts(laws::settled{halves_again{}}, {}, 200).broken == "");
}

TEST_CASE("texts: of the kinds that they are said to be") {
    namespace utf8 = condense::detail::utf8;
    auto const share = [](laws::text_kind kind, auto const& holds) {
        int found = 0;
        for (std::uint64_t seed = 1; seed <= 200; ++seed) found += holds(laws::text_generator{seed}.make(kind)) ? 1 : 0;
        return found / 2;
    };
    for (auto const kind : laws::json_texts())
        CHECK(share(kind, [](std::string const& text) { return nlohmann::json::accept(text); }) > 85);
    for (auto const kind : laws::line_texts())
        CHECK(share(kind, [](std::string const& text) { return text.size() < 200 || text.find('\n') != text.npos; }) >
              90);
    CHECK(share(laws::text_kind::binary, [](std::string const& text) { return !utf8::valid(text); }) > 90);
    CHECK(share(laws::text_kind::binary, [](std::string const& text) { return text.find('\0') != text.npos; }) > 40);
    CHECK(share(laws::text_kind::wide,
                [](std::string const& text) { return utf8::valid(text) && utf8::count(text) * 2 < text.size(); }) > 80);
    CHECK(share(laws::text_kind::blank, [](std::string const& text) { return text.empty(); }) > 20);
    for (auto const kind : laws::any_texts()) {
        CHECK(laws::text_generator{7}.make(kind) == laws::text_generator{7}.make(kind));
        if (kind != laws::text_kind::blank)
            CHECK(share(kind, [](std::string const& text) { return text.size() > 2'000; }) > 20);
    }
    std::set<std::string_view> names;
    for (auto const& [name, text] : laws::hostile_texts(10'000)) {
        CAPTURE(name);
        CHECK(names.insert(name).second);
        CHECK(text.size() >= 10'000);
        CHECK(text.size() < 10'500);
    }
}
