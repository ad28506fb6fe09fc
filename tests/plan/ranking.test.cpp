// SPDX-License-Identifier: BSL-1.0
#include <condense/plan/ranking.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <tuple>

#include <condense/detail/utf8.hpp>

#include "plan/shelf.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/repetition.hpp"

// Passages of texts, and which of them answer a question best.

namespace {

using condense::detail::bm25, condense::detail::each_unit, condense::detail::passage_scores,
    condense::detail::query_terms, condense::detail::ranked_passage, condense::detail::unit_end,
    condense::detail::unit_least, condense::detail::unit_most, condense::detail::unit_target;
using shelf::numbers;
using place = std::pair<std::size_t, std::size_t>;  ///< text and offset
using texts = std::vector<std::string>;

constexpr bool of_equals_the_later_text_is_better_and_the_earlier_passage() {
    constexpr ranked_passage best{.text = 1, .offset = 5, .size = 9, .score = 2};
    return is_better(best, {.text = 1, .offset = 5, .score = 1}) && !is_better({.text = 9, .score = 1}, best) &&
           is_better(best, {.text = 0, .offset = 0, .score = 2}) &&
           is_better(best, {.text = 1, .offset = 6, .score = 2}) && !is_better(best, best);
}

std::vector<ranked_passage> ranking(query_terms terms, texts const& all) {
    passage_scores scores{std::move(terms)};
    for (std::size_t index = 0; index < all.size(); ++index) scores.see(index, all[index]);
    return scores.rank();
}
std::vector<ranked_passage> ranking(std::string_view question, texts const& all) {
    return ranking(query_terms{question}, all);
}
/// The numbers of the texts of which the passages are, the best first.
std::vector<std::size_t> order(std::string_view question, texts const& all) {
    std::vector<std::size_t> numbers;
    for (auto const& each : ranking(question, all)) numbers.push_back(each.text);
    return numbers;
}
using list = std::vector<std::size_t>;

/// What a line of other words weighs, so that what is looked for is rare.
texts with_others(texts all, std::size_t count = 20) {
    for (std::size_t each = 0; each < count; ++each)
        all.push_back("nothing of that kind is said in line " + std::to_string(each));
    return all;
}

/// BM25 over the same passages, by its formula, and half of the rarity of each word in the line that has most of them,
/// the first of those; words stand between blanks. Words of the goal weigh half.
std::map<place, double> scores_by_formula(texts const& all, std::vector<std::string> const& question,
                                          std::vector<std::string> const& goal) {
    struct passage {
        place at;
        double size;
        std::map<std::string, int> words;
        std::set<std::string> together = {};
    };
    std::vector<passage> passages;
    double bytes = 0;
    for (std::size_t index = 0; index < all.size(); ++index)
        each_unit(all[index], [&](std::size_t offset, std::size_t size) {
            passages.push_back({{index, offset}, static_cast<double>(size), {}});
            bytes += static_cast<double>(size);
            std::istringstream words{all[index].substr(offset, size)};
            for (std::string word; words >> word;) ++passages.back().words[word];
        });
    auto const count = static_cast<double>(passages.size());
    std::set<std::string> wanted{question.begin(), question.end()};
    wanted.insert(goal.begin(), goal.end());
    for (auto& each : passages) {
        std::istringstream text{all[each.at.first].substr(each.at.second, static_cast<std::size_t>(each.size))};
        for (std::string line; std::getline(text, line);) {
            std::istringstream words{line};
            std::set<std::string> here;
            for (std::string word; words >> word;) {
                if (wanted.count(word) != 0) here.insert(word);
                if (here.size() > each.together.size()) each.together = here;
            }
        }
    }
    std::map<place, double> scores;
    std::set<std::string> seen;
    for (auto const* const words : {&question, &goal})
        for (auto const& word : *words) {
            if (!seen.insert(word).second) continue;
            auto const has = [&](passage const& each) { return each.words.count(word) != 0; };
            auto const holders = static_cast<double>(std::count_if(passages.begin(), passages.end(), has));
            for (auto const& each : passages) {
                if (!has(each)) continue;
                auto const times = static_cast<double>(each.words.at(word));
                auto const length = each.size / (bytes / count);
                auto const rarity = std::log2(1 + (count - holders + 0.5) / (holders + 0.5));
                auto const weight = (words == &goal ? 0.5 : 1.0) * rarity;
                scores[each.at] += weight * times * (1.2 + 1) / (times + 1.2 * (1 - 0.75 + 0.75 * length)) +
                                   (each.together.count(word) != 0 ? weight / 2 : 0.0);
            }
        }
    return scores;
}

/// Words without endings that a stem would lose. The first ones are the most frequent.
std::string any_word(numbers& any) {
    static constexpr std::string_view words[] = {"kalo", "mip",  "dorun", "vat",  "quom", "lirp", "zun", "befo",
                                                 "hab",  "tonk", "rill",  "sopa", "gorm", "pluk", "dax", "fim"};
    return std::string{words[(std::min)(any.index(16), any.index(16))]};
}
texts any_texts(numbers& any) {
    texts all(1 + any.index(8));
    for (auto& text : all)
        for (auto lines = any.index(30); lines != 0; --lines) {
            for (auto words = any.index(60); words != 0; --words) text += any_word(any) + " ";
            text += "\n";
        }
    return all;
}

std::vector<std::tuple<std::size_t, std::size_t, std::size_t, std::uint64_t>> as_tuples(
    std::vector<ranked_passage> const& all) {
    std::vector<std::tuple<std::size_t, std::size_t, std::size_t, std::uint64_t>> tuples;
    for (auto const& each : all) tuples.emplace_back(each.text, each.offset, each.size, each.score);
    return tuples;
}

/// A text in which one byte stands over and over, and others at some places.
struct canvas {
    char bytes[1'024] = {};

    constexpr explicit canvas(char fill) {
        for (char& byte : bytes) byte = fill;
    }
    constexpr canvas& put(std::size_t at, std::string_view text) {
        for (std::size_t index = 0; index < text.size(); ++index) bytes[at + index] = text[index];
        return *this;
    }
    constexpr std::size_t end(std::size_t size = sizeof bytes) const { return unit_end({bytes, size}, 0); }
};

constexpr bool lines_are_taken_together_up_to_the_target() {
    return canvas{'x'}.put(99, "\n").put(199, "\n").put(299, "\n").end() == 200 &&
           canvas{'x'}.put(99, "\n").put(239, "\n").end() == 240 &&
           canvas{'x'}.put(99, "\n").put(240, "\n").end() == 100 && canvas{'x'}.put(99, "\n").end(150) == 150;
}

constexpr bool an_empty_line_ends_a_passage_that_is_long_enough() {
    return canvas{'x'}.put(79, "\n\n").put(120, "\n").end() == 81 &&
           canvas{'x'}.put(78, "\r\n\r\n").put(120, "\n").end() == 82 &&
           canvas{'x'}.put(9, "\n\n").put(120, "\n").end() == 121 && canvas{'\n'}.end() == 60;
}

constexpr bool a_line_is_whole_up_to_the_most() {
    return canvas{'x'}.put(479, "\n").end() == 480 && canvas{'x'}.put(100, " ").put(479, "\n").end() == 480 &&
           canvas{'x'}.end(480) == 480 && canvas{'x'}.end(481) == 480;
}

constexpr bool a_longer_line_is_cut_behind_elements_of_json() {
    return canvas{'x'}.put(100, "},").put(150, "],").put(200, ", ").put(210, "y. ").end() == 152 &&
           canvas{'x'}.put(300, "},").put(400, "},").put(200, ",").end() == 302 &&
           canvas{'x'}.put(20, "},").put(479, "},").put(200, ",").end() == 201;  // too near to the ends
}

constexpr bool else_behind_a_sentence_a_comma_or_a_word() {
    return canvas{'x'}.put(100, ". ").put(150, ",").put(200, " ").end() == 102 &&
           canvas{'x'}.put(100, "? ").put(130, ".5").put(200, " ").end() == 102 &&
           canvas{'x'}.put(150, ",").put(200, " ").end() == 151 &&
           canvas{'x'}.put(100, " ").put(200, "\t").end() == 201 &&
           canvas{'x'}.put(300, ";").put(400, "|").end() == 301;
}

constexpr bool else_between_characters() {
    return canvas{'x'}.put(478, "\xE2\x82\xAC").end() == 478 && canvas{'x'}.put(477, "\xE2\x82\xAC").end() == 480 &&
           canvas{'x'}.put(479, "\xF0\x9F\x98\x80").end() == 479 && canvas{'\x80'}.end() == 480;
}

/// Lines of given indentations and sizes.
struct page {
    char bytes[2'048] = {};
    std::size_t size = 0;

    constexpr page& put(std::size_t indent, std::size_t line_size, std::size_t times = 1, char first = 'x') {
        for (; times != 0; --times)
            for (std::size_t at = 0; at < line_size; ++at)
                bytes[size++] = at < indent ? ' ' : at + 1 == line_size ? '\n' : at == indent ? first : 'x';
        return *this;
    }
    constexpr std::size_t end() const { return unit_end({bytes, size}, 0); }
};

constexpr bool a_block_is_whole_up_to_the_most() {
    return page{}.put(0, 9).put(4, 50, 8).put(0, 9).put(4, 50, 8).end() == 409 &&
           page{}.put(0, 9).put(4, 50, 8).put(0, 2, 1, '}').put(0, 9).put(4, 50, 8).end() == 411 &&
           page{}.put(4, 9).put(8, 50, 9).put(0, 9).end() == 459 && page{}.put(0, 9).put(4, 50, 20).end() == 209;
}

constexpr bool a_longer_one_is_cut_before_the_least_indented_line() {
    return page{}.put(0, 9).put(4, 50).put(8, 50, 2).put(4, 50).put(8, 50, 20).end() == 159 &&
           page{}.put(0, 9).put(4, 50).put(8, 50, 2).put(4, 50, 1, ')').put(8, 50, 20).end() == 209 &&
           page{}.put(0, 70).put(0, 70).put(4, 70).put(4, 70).end() == 70;
}

/// A constant expression may not read past an array: so little is read of a text that is said to be long.
constexpr std::size_t end_in_long_text(std::size_t line_break) {
    char bytes[3 * unit_target] = {};
    for (char& byte : bytes) byte = 'x';
    bytes[line_break] = '\n';
    return unit_end({bytes, std::size_t{1} << 30}, 0);
}
static_assert(end_in_long_text(0) == 1 && end_in_long_text(unit_target - 2) == unit_target - 1);
static_assert(end_in_long_text(unit_most - 1) == unit_most && end_in_long_text(unit_most + 1) == unit_most);

/// Requires what holds of the passages of any text; returns their number.
std::size_t check(std::string_view text) {
    std::size_t next = 0, count = 0;
    each_unit(text, [&](std::size_t offset, std::size_t size) {
        REQUIRE(offset == next);
        REQUIRE(size > 0);
        REQUIRE(size <= unit_most);
        next = offset + size;
        REQUIRE(condense::utf8::floor(text, next) == next);
        ++count;
    });
    REQUIRE(next == text.size());
    REQUIRE(count <= text.size() / unit_least + 1);
    return count;
}

}  // namespace

TEST_CASE("ranking: rare words, more of them, shorter passages and terms in one line or sentence come first") {
    CHECK_TWICE(of_equals_the_later_text_is_better_and_the_earlier_passage());
    CHECK(order("port host", with_others({"the port", "the port", "the host"})) == list{2, 1, 0});
    CHECK(order("port host", with_others({"the port and the host", "the port", "host"})).front() == 0);
    CHECK(order("port", with_others({"one port and one line", "a port is a port here"})) == list{1, 0});
    CHECK(order("port", with_others({"a port", "a port with much more than that around it"})) == list{0, 1});
    CHECK(order("8443", {"listens on 443", "port: 8443", "84430"}) == list{1});
    CHECK(order("absent", {"the port"}).empty());
    CHECK(order("port", {}).empty());
    CHECK(order("", {"the port"}).empty());
    CHECK(passage_scores{query_terms{"?"}}.empty());
    CHECK(order("port host", with_others({"the port a host is. is", "the port is. a host is"})) == list{0, 1});
    CHECK(order("port host", with_others({"the port a host is\n is", "the port is\n a host is"})) == list{0, 1});
    CHECK(order("port host", with_others({"the port a host is, is", "the port is, a host is"})) == list{1, 0});
    // Only the line that has most of them counts.
    CHECK(order("port host key", with_others({"port\nhost key\nx y", "x\nhost y\nport key"})) == list{1, 0});
}

TEST_CASE(
    "ranking: equal passages stand with the later text first, and a term counts for the passage in which it stands") {
    CHECK(order("port", {"a port", "a port", "a port"}) == list{2, 1, 0});
    std::string const line = "the port " + std::string(231, 'x') + "\n";
    auto const ranked = ranking("port", {line + line, line});
    REQUIRE(ranked.size() == 3);
    CHECK(ranked[0].text == 1);
    CHECK(ranked[1].offset == 0);
    CHECK(ranked[2].offset == line.size());
    CHECK(ranked[2].size == line.size());
    // Cut amid a name, at 480 bytes.
    std::string const text = std::string(470, 'x') + ".serverport." + std::string(470, 'x');
    CHECK(ranking("serverport", {text}).empty());
    std::string const whole = std::string(400, 'x') + ".serverport." + std::string(470, 'x');
    REQUIRE(ranking("serverport", {whole}).size() == 1);
    CHECK(ranking("serverport", {whole}).front().offset == 0);
}

TEST_CASE("ranking: figures are those of the formula, to a thousandth, and none is too large") {
    for (std::uint64_t const passages : {1u, 2u, 10u, 1'000u, 60'000u})
        for (std::uint64_t const holders : {std::uint64_t{1}, passages / 2 + 1, passages}) {
            bm25 const weights{passages, passages * 200};
            auto const rarity = weights.rarity(holders);
            auto const n = static_cast<double>(passages);
            auto const df = static_cast<double>(holders);
            CAPTURE(passages, holders);
            CHECK(static_cast<double>(rarity) / 65'536 ==
                  Approx(std::log2(1 + (n - df + 0.5) / (df + 0.5))).epsilon(0.001).margin(0.001));
            for (std::uint64_t const times : {1u, 2u, 100u})
                for (std::uint64_t const size : {1u, 200u, 480u}) {
                    auto const length = static_cast<double>(size) / 200;
                    auto const tf = static_cast<double>(times);
                    auto const formula = static_cast<double>(rarity) * tf * 2.2 / (tf + 0.3 + 0.9 * length);
                    CHECK(static_cast<double>(weights.weight(rarity, times, size)) ==
                          Approx(formula).epsilon(0.001).margin(1));
                }
        }
    // And the same everywhere.
    texts const all{"the port of the server is 8443\n", "ports, servers and hosts: port 80\n\nport 443\n", "nothing\n"};
    std::vector<std::uint64_t> scores;
    for (auto const& each : ranking("Which port does the server use: 8443?", all)) scores.push_back(each.score);
    CHECK(scores == std::vector<std::uint64_t>{263'883, 142'217});
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    for (std::uint64_t const passages : {std::uint64_t{0}, std::uint64_t{1} << 32, std::uint64_t{1} << 54})
        for (std::uint64_t const bytes : {std::uint64_t{0}, std::uint64_t{1}, most}) {
            bm25 const weights{passages, bytes};
            CAPTURE(passages, bytes);
            CHECK(weights.rarity(0) >= weights.rarity(passages / 2));
            CHECK(weights.rarity(passages / 2) >= weights.rarity(passages));
            CHECK(weights.rarity(0) <= std::uint64_t{16} << 16);
            CHECK(weights.weight(weights.rarity(0), 480, 480) <= std::uint64_t{36} << 16);
            CHECK(weights.weight(weights.rarity(0), 2, 1) >= weights.weight(weights.rarity(0), 1, 1));
        }
}

TEST_CASE("ranking: the order is that of BM25 in floating point, whatever the order in which texts are seen") {
    std::uint64_t compared = 0, ranked_at_all = 0;
    for (std::uint64_t round = 0; round < rounds(2'000); ++round) {
        CAPTURE(round);
        numbers any{round};
        auto const all = any_texts(any);
        std::vector<std::string> question, goal;
        for (auto words = 1 + any.index(5); words != 0; --words) question.push_back(any_word(any));
        for (auto words = any.index(3); words != 0; --words) goal.push_back(any_word(any));
        auto const sentence = [](std::vector<std::string> const& words) {
            std::string text;
            for (auto const& word : words) text += word + ", ";
            return text + "please?";
        };
        query_terms terms{sentence(question)};
        terms.add(sentence(goal), 2);
        auto const ranked = ranking(std::move(terms), all);
        auto const wanted = scores_by_formula(all, question, goal);
        REQUIRE(ranked.size() == wanted.size());
        for (std::size_t index = 0; index < ranked.size(); ++index) {
            auto const mine = wanted.find({ranked[index].text, ranked[index].offset});
            REQUIRE(mine != wanted.end());
            REQUIRE(static_cast<double>(ranked[index].score) / 65'536 ==
                    Approx(mine->second).epsilon(0.001).margin(0.001));
            if (index == 0) continue;
            auto const before = wanted.at({ranked[index - 1].text, ranked[index - 1].offset});
            REQUIRE(before > mine->second - 0.001 - before * 0.001);
            compared += before > mine->second * 1.002 + 0.002 ? 1u : 0u;
        }
        ranked_at_all += ranked.empty() ? 0u : 1u;
    }
    CHECK(ranked_at_all > rounds(2'000) * 8 / 10);
    CHECK(compared > rounds(2'000) * 10);
    for (std::uint64_t round = 0; round < rounds(500); ++round) {
        CAPTURE(round);
        numbers any{round + 1'000'000};
        auto const all = any_texts(any);
        auto const question = any_word(any) + " " + any_word(any);
        std::vector<std::size_t> shuffled(all.size());
        std::iota(shuffled.begin(), shuffled.end(), std::size_t{0});
        for (auto left = shuffled.size(); left > 1; --left) std::swap(shuffled[left - 1], shuffled[any.index(left)]);
        passage_scores scores{query_terms{question}};
        for (auto const index : shuffled) scores.see(index, all[index]);
        REQUIRE(as_tuples(scores.rank()) == as_tuples(ranking(question, all)));
    }
}

TEST_CASE("ranking: lines are taken together to passages, longer ones are cut where they can be") {
    CHECK_TWICE(lines_are_taken_together_up_to_the_target());
    CHECK_TWICE(an_empty_line_ends_a_passage_that_is_long_enough());
    CHECK_TWICE(a_line_is_whole_up_to_the_most());
    CHECK_TWICE(a_block_is_whole_up_to_the_most());
    CHECK_TWICE(a_longer_one_is_cut_before_the_least_indented_line());
    CHECK(check("") == 0);
    CHECK(check("\n") == 1);
    CHECK(check("one\ntwo") == 1);
    CHECK_TWICE(a_longer_line_is_cut_behind_elements_of_json());
    CHECK_TWICE(else_behind_a_sentence_a_comma_or_a_word());
    CHECK_TWICE(else_between_characters());
}

TEST_CASE("ranking: of an array of JSON on one line each passage holds whole elements") {
    std::string json = "[";
    for (int each = 0; each < 500; ++each)
        json += (each == 0 ? "" : ",") + std::string{"{\"id\":"} + std::to_string(each) + ",\"name\":\"n " +
                std::string(static_cast<std::size_t>(each % 90), 'x') + "\"}";
    json += "]";
    std::size_t count = 0;
    each_unit(json, [&](std::size_t offset, std::size_t size) {
        CHECK(json[offset + (offset == 0 ? 1 : 0)] == '{');
        CHECK(json[offset + size - 2] == '}');
        ++count;
    });
    CHECK(count > 100);
}

TEST_CASE("ranking: any text is covered by passages without gaps, at characters, of bounded sizes") {
    static auto const pieces = parts_of(
        "\n|\n\n|\n    |\n  }|\n\t|\r\n| |. "
        "|,|},|],|word|\t|\xFF|\x80|\xC3\xA4|\xE2\x82\xAC|\xE2\x82|\xF0\x9F\x98\x80|\\n");
    numbers any{11};
    std::size_t cut = 0;
    for (std::uint64_t round = 0; round < rounds(10'000); ++round) {
        CAPTURE(round);
        std::string text;
        // Some kinds of pieces alone, so that there are long lines, and lines of nothing else.
        auto const kinds = 1 + any.index(pieces.size());
        auto const first = any.index(pieces.size());
        for (auto left = any.index(1'000); left != 0; --left) {
            auto const piece = pieces[(first + any.index(kinds)) % pieces.size()];
            text += any.index(20) == 0 ? repeated(piece, any.index(700)) : std::string{piece};
        }
        cut += check(text) > 1 ? 1u : 0u;
    }
    CHECK(cut > rounds(10'000) / 2);
}

TEST_CASE("ranking: the number of passages is bounded by the text's size, whatever it is") {
    auto const size = condense::detail::as_size(rounds(std::uint64_t{4} << 20));
    for (std::string_view const piece :
         {"a", "./-:", "a.", "_", "\"\\", "\xFF", "\xE4\xB8\xAD", "\n", "\r\n", "a\n", "a \n", "},", ". "}) {
        CAPTURE(piece);
        auto const text = repeated(piece, size);
        CHECK(check(text) >= size / unit_most);
        passage_scores scores{query_terms{"a b \xE4\xB8\xAD"}};
        scores.see(0, text);
        CHECK(scores.passages() <= size / unit_least + 1);
        CHECK(scores.rank().size() <= scores.passages());
    }
    // A short line before each long one.
    CHECK(check(repeated("a\n" + std::string(239, 'x') + "\n", size)) <= 2 * size / 240);
    CHECK(check(repeated("a\n\n" + std::string(485, 'x') + "\n\n", size)) <= 4 * size / 240);
}
