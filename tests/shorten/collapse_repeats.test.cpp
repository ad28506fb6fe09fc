// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/collapse_repeats.hpp>

#include "laws/generator.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using condense::collapse_repeats, condense::part_kind;
namespace utf8 = condense::detail::utf8;

static_assert(condense::shortener<collapse_repeats>);
static_assert(condense::detail::kinds_of<collapse_repeats>().holds(part_kind::reasoning));
static_assert(!condense::detail::kinds_of<collapse_repeats>().holds(part_kind::tool_call));

constexpr std::optional<std::string> collapsed(std::string_view text, part_kind kind = part_kind::text) {
    return collapse_repeats{}({.kind = kind, .text = text}, {});
}

constexpr std::string repeated(std::string_view piece, std::size_t count, std::string_view between = " ") {
    std::string out;
    for (; count != 0; --count) out.append(piece).append(count == 1 ? "" : between);
    return out;
}

constexpr bool a_few_words_are_left_out_silently() {
    return collapsed("A B A B") == "A B" && collapsed("foo bar foo bar foo bar") == "foo bar" &&
           collapsed("A B\nA B\n") == "A B" && collapsed("раз два раз два") == "раз два" &&
           !collapsed("hello world hello world tail") && !collapsed("say A B A B") && !collapsed("no no no") &&
           !collapsed("1 2 1 2", part_kind::tool_result) && !collapsed("haha") && !collapsed("A B C") && !collapsed("");
}
#if !defined(__clang__) && !defined(_GLIBCXX_ASSERTIONS)  // libstdc++ 12 has no strings there with either
static_assert(a_few_words_are_left_out_silently());
#endif

TEST_CASE("collapse_repeats: a few words are left out silently, and little in a large text is left alone") {
    CHECK(a_few_words_are_left_out_silently());
    std::string large;
    for (int word = 0; word < 1'000; ++word) large += std::to_string(word * word) + " ";
    CHECK_FALSE(collapsed(large + repeated("I am done.", 50)));
    CHECK(collapsed(large + repeated("I am done.", 500)));
}

TEST_CASE("collapse_repeats: says how often a piece occurs again; what stands around it stays") {
    std::string_view const sentence = "The quick brown fox jumps over the lazy dog.";
    for (auto const kind : {part_kind::text, part_kind::reasoning, part_kind::tool_result}) {
        CHECK(collapsed(repeated(sentence, 100), kind) == std::string{sentence} + " [... 99 more times ...]");
        CHECK(collapsed(repeated(sentence, 4, ""), kind) == std::string{sentence} + " [... 3 more times ...]");
        CHECK(collapsed(repeated(std::string(96, 'a') + "b", 2, "\n\n"), kind) ==
              std::string(96, 'a') + "b\n[... 1 more time ...]");
        CHECK_FALSE(collapsed(repeated(std::string(94, 'a') + "b", 2, "\n\n"), kind));
    }
    CHECK(collapsed(repeated("你好吗？", 100, "")) == "你好吗？ [... 99 more times ...]");
    CHECK(collapsed(std::string(1'000, '=')) == "= [... 999 more times ...]");
    CHECK(collapsed(repeated("- one\n- two", 50, "\n") + "\n\n\n") == "- one\n- two\n[... 49 more times ...]");
    CHECK(collapsed("Here it is: " + repeated("I am done.", 50) + " I am") ==
          "Here it is: I am done. [... 49 more times ...] I am");
    CHECK(collapsed("Steps:\n" + repeated("go on\n", 40, "") + "go") == "Steps:\ngo on\n[... 39 more times ...]\ngo");
    CHECK_FALSE(collapsed(repeated("I am done.", 50) + " And now?"));
}

TEST_CASE("collapse_repeats: repetitions of repetitions, and long texts") {
    auto const inner = repeated("ab", 50) + " end.";
    auto const out = collapsed(repeated(inner, 200));
    REQUIRE(out);
    CHECK(out == inner + " [... 199 more times ...]");
    CHECK_FALSE(collapsed(*out));
    // The text imitates what is made of its end.
    auto const once = *collapsed(repeated("I go on and on.", 100));
    auto const nested = collapsed(repeated(once, 50) + " " + repeated("I go on and on.", 100));
    CHECK(nested == once + " [... 50 more times ...]");
    CHECK(collapsed("b" + std::string(999'999, 'a'))->size() < 50);
    CHECK(collapsed(repeated("漢字", 100'000, "")) == "漢字 [... 99,999 more times ...]");
    CHECK_FALSE(collapsed(std::string(1'000'000, '\n')));
}

/// The text again, where one marker, " [... n more times ...]" or the like, was put into it.
std::string restored(std::string const& out, std::string_view before) {
    auto const at = out.find("[... ");
    if (at == std::string::npos) return out;
    std::size_t copies = 0;
    for (auto digit = at + 5; out[digit] != ' '; ++digit)
        if (out[digit] != ',') copies = copies * 10 + static_cast<std::size_t>(out[digit] - '0');
    auto const begun = out.substr(0, at - 1);
    // The period is what the text itself has behind the piece.
    for (std::size_t unit = 1; unit <= before.size(); ++unit) {
        for (std::size_t begin = begun.size() < unit ? 0 : begun.size() - unit; begin <= begun.size(); ++begin) {
            if (begin + unit < begun.size() || begin + unit > before.size()) continue;
            auto const piece = before.substr(begin, unit);
            auto whole = std::string{before.substr(0, begin)};
            for (std::size_t copy = 0; copy <= copies; ++copy) whole += piece;
            auto const mark = out.find(" ...]", at) + 5;
            if (mark < out.size()) whole += out.substr(mark + 1);
            auto const trimmed = condense::detail::without_space_after(whole);
            if (trimmed == condense::detail::without_space_after(before)) return std::string{before};
        }
    }
    return out;
}

TEST_CASE("collapse_repeats: of any text the whole can be written again from what is left, and it is done once") {
    constexpr std::array<std::string_view, 10> pieces = {"a",   "b",  " ", "ab ",  "\n",
                                                         "c. ", "漢", "ä", "\xFF", "\xE2\x82"};
    std::size_t made = 0;
    for (std::uint64_t seed = 1; seed <= rounds(5'000); ++seed) {
        laws::random_source random{seed};
        auto const kinds = random.below(4) == 0 ? 10u : 8u;
        auto const some = [&](std::uint64_t most) {
            std::string out;
            for (auto left = random.below(most); left != 0; --left) out += pieces[random.below(kinds)];
            return out;
        };
        auto text = random.below(2) == 0 ? some(12) : "";
        auto const unit = some(20);
        for (auto left = random.below(40); left != 0; --left) text += unit;
        text += unit.substr(0, random.below(unit.size() + 1));
        CAPTURE(seed, text);
        auto const out = collapsed(text);
        if (!out) continue;
        ++made;
        REQUIRE(out->size() < text.size());
        REQUIRE(utf8::valid(*out));
        REQUIRE_FALSE(collapsed(*out));
        bool const said = out->find("[... ") != std::string::npos;
        if (said && utf8::valid(text)) REQUIRE(restored(*out, text) == text);
    }
    CHECK(made > rounds(5'000) * 2 / 5);
}

}  // namespace
