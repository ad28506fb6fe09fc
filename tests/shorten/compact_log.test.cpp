// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/compact_log.hpp>

#include "core/constant.hpp"
#include "shorten/shortener_laws.hpp"
#include "support/fakes.hpp"

namespace {

using namespace condense::literals;
using condense::compact_log, condense::text_limit, condense::detail::facts_of_line, condense::detail::without_stamp;
using fakes::contains, fakes::repeated;

static_assert(condense::shortener<compact_log>);

std::string compacted(compact_log const& shorten, std::string_view text, condense::cut how = {}) {
    return shorten({.text = text}, how).value_or("");
}

constexpr bool shapes_ignore_figures_alone() {
    auto const same = [](std::string_view left, std::string_view right) {
        return facts_of_line(left).shape == facts_of_line(right).shape;
    };
    return same("2024-05-01T12:30:45.123Z GET /a/17 200 3ms", "2023-11-30T01:02:03Z GET /a/9999 404 12,345ms") &&
           same("[ 12%] key=3fa9b2", "[100%]  key=008a05a6\r") && same("from 10.0.0.1:80", "from 8") &&
           !same("cache hit 1", "cache miss 1") && !same("a b", "ab") && !same("", "1") && !same("a1 b", "a1 c");
}

constexpr bool alarms_are_found_in_any_case_and_place() {
    for (auto const line : {"ERROR: x", "TypeError", "a warning", "Tests failed", "java.lang.NullPointerException",
                            "PANIC", "it timed out", "connection refused"})
        if (!facts_of_line(line).alarming) return false;
    for (auto const line : {"", "err", "fai led", "terrific", "passed in time"})
        if (facts_of_line(line).alarming) return false;
    return facts_of_line(" \t-- ").blank == false && facts_of_line(" \t\r").blank;
}

constexpr bool a_small_log_is_compacted_at_compile_time() {
    std::string text = "begin\n";
    for (int line = 0; line < 40; ++line) text += "waiting for the server\n";
    text += "end\n";
    auto const out = compact_log{.at_most = 400_chars}({.text = text}, {});
    return out ==
           "begin\nwaiting for the server\n"
           "[... 39 more lines like this omitted, 39 of 42 in all ...]\nend\n";
}
#if !defined(__clang__) && !defined(_GLIBCXX_ASSERTIONS)  // libstdc++ 12 has no strings there with either
static_assert(a_small_log_is_compacted_at_compile_time());
#endif

/// A log with these lines at 1/4, 1/2 and 3/4.
std::string busy_log(std::size_t count, std::array<std::string_view, 3> odd, std::string_view end = "\n") {
    std::string out;
    for (std::size_t line = 0; line < count; ++line) {
        out += "12:00:" + std::to_string(10 + line % 50) + " ";
        if (line % (count / 4) == 0 && line != 0 && line / (count / 4) < 4) out += odd[line / (count / 4) - 1];
        else out += line % 3 == 0 ? "INFO GET /users/" + std::to_string(line * 37) : "DEBUG cache hit";
        out += end;
    }
    return out;
}

/// The number that stands before `words`, also with commas.
std::optional<std::uint64_t> figure_before(std::string_view text, std::string_view words) {
    auto const end = text.find(words);
    if (end == text.npos || end == 0) return std::nullopt;
    auto at = text.find_last_not_of("0123456789,", end - 1) + 1;
    return laws::read_count(text, at);
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> out;
    for (std::size_t at = 0; at < text.size(); at += out.back().size() + 1)
        out.push_back(text.substr(at, std::min(text.find('\n', at), text.size()) - at));
    return out;
}

/// "" where the lines that are kept stand in the text in this order, and what each marker says is missing is.
/// Lines that were cut themselves count as kept; no text of a test has a line that looks like a marker.
std::string untrue(std::string_view before, std::string_view after) {
    std::uint64_t missing = 0;
    std::size_t at = 0;
    auto const old = lines_of(before);
    for (auto const line : lines_of(after)) {
        if (line.starts_with("[... ")) {
            auto gap = figure_before(line, " line");
            if (auto const alike = figure_before(line, " more line")) gap = alike;
            if (auto const only = laws::marker_at(line, 0)) gap = only->missing;  // "3 of 9 lines omitted"
            if (!gap) return "a marker without a figure: " + std::string{line};
            *gap += figure_before(line, " others omitted").value_or(0);
            missing += *gap;
            at += static_cast<std::size_t>(*gap);
        } else {
            if (at == old.size()) return "more lines than there were";
            if (old[at] != line && !contains(line, " characters omitted")) return "not the line: " + std::string{line};
            ++at;
        }
    }
    if (at != old.size()) return "lines are missing without a word";
    auto const totals = laws::figures_of_gaps(before, after);
    if (!totals || !totals->agree() || totals->missing != missing) return "the totals are wrong";
    return {};
}

TEST_CASE("compact_log: shapes, alarms and stamps") {
    CHECK_CONSTANT(shapes_ignore_figures_alone());
    CHECK_CONSTANT(alarms_are_found_in_any_case_and_place());
    // Stamps are what stands before the first word.
    CHECK_CONSTANT(without_stamp("[2024-05-01T12:30:45.123Z] waiting 3") == "waiting 3" &&
                   without_stamp("17: x") == "x" && without_stamp("12 34") == "12 34" &&
                   without_stamp("Total 3") == "Total 3" && without_stamp("") == "");
    // Of an enormous line no more than its beginning is read.
    CHECK(facts_of_line(std::string(1'000, '-') + " error").alarming);
    CHECK_FALSE(facts_of_line(std::string(1'100, '-') + " error").alarming);
    CHECK(a_small_log_is_compacted_at_compile_time());
}

TEST_CASE("compact_log: keeps both ends and what is unlike the rest, in any language") {
    for (auto const* const end : {"\n", "\r\n"}) {
        auto const text = busy_log(4'000, {"ERROR disk 7 is full", "Fehlschlag: voll", "ошибка: нет места"}, end);
        auto const out = compacted({}, text);
        CHECK(out.size() < 3'500);
        CHECK(out.starts_with(text.substr(0, text.find("cache hit"))));
        CHECK(out.ends_with(text.substr(text.rfind("12:00"))));
        CHECK(contains(out, std::string{" ERROR disk 7 is full"} + end));
        CHECK(contains(out, " Fehlschlag: voll"));
        CHECK(contains(out, " ошибка: нет места"));
        CHECK(untrue(text, out) == "");
        CHECK(contains(out, " of 4,000 in all ...]\n"));
    }
}

TEST_CASE("compact_log: lines around an alarm") {
    auto text = busy_log(2'000, {"a", "b", "c"});
    auto const at = text.find('\n', text.size() / 3) + 1;
    text.insert(at, "near 1\nnear 2\nERROR\nnear 3\nnear 4\n");
    // Common shapes, so that nothing but the alarm keeps them.
    for (int more = 0; more < 5; ++more) text.insert(text.find('\n', text.size() / 2) + 1, "near 9\nx\nnear 8\n");
    auto const kept = [&](condense::lines context) { return compacted({.context = context}, text); };
    CHECK(contains(kept(0_lines), "]\nERROR\n["));
    CHECK(contains(kept(1_lines), "]\nnear 2\nERROR\nnear 3\n["));
    CHECK(contains(kept(2_lines), "near 1\nnear 2\nERROR\nnear 3\nnear 4\n"));
    CHECK(untrue(text, kept(3_lines)) == "");
}

TEST_CASE("compact_log: repetitions are counted") {
    std::string text = "begin\n";
    for (int line = 0; line < 500; ++line) text += "12:00:" + std::to_string(line) + " retry failed\n";
    text += "going on\n";
    for (int line = 0; line < 500; ++line)
        text += "12:10:" + std::to_string(line) + " sent " + std::to_string(line * 3) + "\n";
    auto const out = compacted({.head = 3_lines, .tail = 2_lines}, text);
    CHECK(out ==
          "begin\n12:00:0 retry failed\n"
          "[... 499 more lines like this omitted, 996 of 1,002 in all ...]\n"
          "going on\n12:10:0 sent 0\n[... 497 more lines like this omitted ...]\n"
          "12:10:498 sent 1494\n12:10:499 sent 1497\n");
    CHECK(untrue(text, out) == "");
}

TEST_CASE("compact_log: the ends leave room for alarms") {
    auto const text = busy_log(4'000, {"ERROR disk 7 is full", "WARN it is late", "failed"});
    auto const out = compacted({.head = 2'000_lines, .tail = 2'000_lines, .at_most = 2'000_chars}, text);
    for (auto const alarm : {" ERROR disk 7 is full\n", " WARN it is late\n", " failed\n"}) CHECK(contains(out, alarm));
    CHECK(out.size() > 1'400);
    CHECK(untrue(text, out) == "");

    std::string steps;
    for (int step = 0; step < 600; ++step) {
        steps += "step " + std::to_string(step) + " of many that are all the same\n";
        if (step == 300) steps += "it failed\n";
    }
    CHECK(contains(compacted({.head = 200_lines, .tail = 200_lines, .at_most = 4'000_chars}, steps), "\nit failed\n"));
}

TEST_CASE("compact_log: says where the whole is, and rejects limits without room") {
    auto const busy = busy_log(1'000, {"a", "b", "c"});
    CHECK(contains(compacted({}, busy, {.how = {{{0xAB}}}}),
                   " in all; the whole is stored as ab0000000000000000000000 ...]"));
    // One line like the last before many others.
    auto const out = compacted({.head = 11_lines}, busy);
    CHECK(contains(out, " lines omitted, "));
    CHECK_FALSE(contains(out, " and "));
    CHECK_NOTHROW(compact_log{}.validate());
    CHECK_NOTHROW(compact_log{.at_most = 384_bytes}.validate());
    CHECK_THROWS_AS(compact_log{.at_most = text_limit{}}.validate(), condense::invalid_configuration);
    CHECK_THROWS_AS(compact_log{.at_most = 383_bytes}.validate(), condense::invalid_configuration);
}

TEST_CASE("compact_log: where every line is an alarm, or one is huge, all is told of") {
    std::string alarms;
    for (std::size_t line = 0; line < 20'000; ++line) alarms += std::string(1 + line % 7, 'k') + " error\n";
    CHECK(untrue(alarms, compacted({}, alarms)) == "");
    CHECK(compacted({}, alarms).size() > 7'000);
    auto const huge = "begin\n" + std::string(1'000'000, 'x') + "\nERROR " + std::string(1'000'000, 'y') + "\r\nend";
    auto const out = compacted({}, huge);
    CHECK(untrue(huge, out) == "");
    CHECK(out.starts_with("begin\nxxx"));
    CHECK(contains(out, "xxx\nERROR yyy"));
    CHECK(contains(out, "x [... 999,000 of 1,000,000 characters omitted ...] x"));
    CHECK(out.ends_with("yyy\r\nend"));
    // The smallest limits, with lines that are distinct, wide or empty.
    std::string distinct;
    for (std::size_t line = 0; line < 20'000; ++line)
        distinct += "error " + std::string(1 + line % 26, 'a') + std::string(1 + line / 26 % 26, 'b') + "\n";
    auto const wide = "begin\n" + repeated("\xE6\xBC\xA2", 100'000) + "\nend\n";
    for (auto const& text : {alarms, distinct, huge, wide, std::string(1'000'000, '\n')})
        for (auto const& limit : {50_lines && 9'000_bytes, text_limit{384_bytes}}) {
            auto const shorter = compacted({.at_most = limit}, text);
            CHECK(shorter.size() > 40);
            CHECK(limit.holds(shorter));
        }
}

TEST_CASE("compact_log: leaves alone what fits and what is one line") {
    CHECK_FALSE(compact_log{}({.text = std::string(8'000, '\n')}, {}));
    CHECK_FALSE(compact_log{}({.text = ""}, {}));
    CHECK_FALSE(compact_log{}({.text = std::string(100'000, 'x') + "\n"}, {}));
    CHECK(compact_log{}({.text = std::string(8'001, '\n')}, {}));
    // 101 bytes over a limit on lines: a marker would be longer.
    CHECK_FALSE(compact_log{.at_most = 30_lines}({.text = std::string(31, '\n')}, {}));
    // Shares of the window are bytes once it is known.
    auto const busy = busy_log(400, {"a", "b", "c"});
    CHECK(compacted({.at_most = 10_pct}, busy, {.window = 10'000_bytes}) == compacted({.at_most = 1'000_bytes}, busy));
    CHECK(compacted({.at_most = 10_pct}, busy).empty());
}

TEST_CASE("compact_log: every halving keeps less, and characters of both ends where no line fits") {
    auto const text = busy_log(5'000, {"ERROR a", "b", "c"});
    auto last = text.size();
    for (unsigned halvings = 0; halvings < 4; ++halvings) {
        auto const size = compacted({.head = 30_lines, .tail = 60_lines}, text, {.halvings = halvings}).size();
        CHECK(size < last);
        CHECK(size > 40);
        last = size;
    }
    CHECK(compacted({}, text, {.halvings = 70}).size() <= 384);
    std::string broad;
    for (char line = 'a'; line < 'k'; ++line) broad += std::string(230, line) + "\n";
    auto const out = compacted({.at_most = 384_chars}, broad);
    CHECK(out.starts_with("aaaaaaaa"));
    CHECK(out.ends_with("jjjjjjjj\n"));
    CHECK(contains(out, " of 2,310 characters omitted"));
    CHECK(out.size() <= 384);
}

TEST_CASE("compact_log: ranks of lines are found from both ends") {
    using condense::detail::line_rank;
    for (std::uint64_t seed = 1; seed <= rounds(300); ++seed) {
        laws::random_source random{seed};
        auto const count = 1 + random.below(random.below(2) == 0 ? 5 : 400);
        std::string text;
        for (std::uint64_t line = 0; line < count; ++line) text += std::string(random.below(4), 'x') + "\n";
        if (random.below(2) == 0) text += "end";
        auto const lines = lines_of(text);
        std::vector<line_rank> ranks(lines.size());
        std::vector<bool> repeated(lines.size());
        condense::detail::ranked_lines ranked{text, lines.size()};
        auto const any_rank = [&] { return static_cast<line_rank>(random.below(random.below(2) == 0 ? 2 : 7)); };
        for (std::size_t line = 0; line < lines.size(); ++line) {
            ranks[line] = any_rank();
            repeated[line] = random.below(3) == 0;
            ranked.add(static_cast<std::size_t>(lines[line].data() - text.data()), ranks[line], repeated[line]);
        }
        CAPTURE(seed);
        REQUIRE(ranked.size() == lines.size());
        for (int turn = 0; turn < 100; ++turn) {
            auto const line = random.below(lines.size());
            if (random.below(2) == 0) ranked.rank(line, ranks[line] = any_rank());
            REQUIRE(ranked.rank(line) == ranks[line]);
            REQUIRE(ranked.repeated(line) == repeated[line]);
            REQUIRE(ranked[line].substr(0, lines[line].size()) == lines[line]);
            REQUIRE(ranked[line].size() - lines[line].size() ==
                    (lines[line].data() + lines[line].size() != text.data() + text.size()));
            auto const begin = random.below(lines.size() + 1);
            auto const end = begin + random.below(lines.size() + 1 - begin);
            auto const worth = any_rank();
            auto first = begin;
            while (first != end && ranks[first] != worth) ++first;
            REQUIRE(ranked.first(worth, begin, end) == first);
            auto past_last = end;
            while (past_last != begin && ranks[past_last - 1] != worth) --past_last;
            REQUIRE(ranked.past_last(worth, begin, end) == past_last);
        }
    }
}

TEST_CASE("compact_log: the laws hold for any values, and all lines are told of") {
    auto const figures = [](std::string_view before, std::string_view after) -> std::optional<laws::figures> {
        bool const plain = !contains(before, "[... ") && !contains(after, "characters omitted");
        if (plain && !untrue(before, after).empty()) return laws::wrong_figures;
        return laws::figures_of_gaps(before, after);
    };
    laws::laws_of_any(
        [&](laws::random_source& random) {
            auto at_most = text_limit{condense::chars{384 + random.below(3'000)}};
            if (random.chance(50))
                at_most = condense::bytes{384 + random.below(3'000)} && condense::lines{5 + random.below(60)};
            compact_log const shorten{.head = condense::lines{random.below(12)},
                                      .tail = condense::lines{random.below(12)},
                                      .at_most = at_most,
                                      .context = {random.below(3)}};
            auto texts = random.chance(70) ? laws::line_texts() : laws::any_texts();
            return std::pair{shorten, laws::promises{.texts = texts, .at_most = at_most, .figures = figures}};
        },
        2'000, 40);
}

TEST_CASE("compact_log: cut again, it speaks of the first text") {
    std::string log = "begin\n";
    for (int at = 0; at < 2'000; ++at) {
        log += "step " + std::to_string(at) + " done\n";
        if (at % 300 == 7) log += std::string("ERROR ") + static_cast<char>('a' + at / 300) + " failed\n";
    }
    log += "end\n";
    auto const total = condense::detail::grouped(condense::detail::count_lines(log));
    compact_log const shorten{.at_most = condense::chars{4'000}};
    auto const cut_of = [&](std::string const& text, unsigned halvings, bool shortened = false) {
        return shorten({.text = text}, {.halvings = halvings, .how = {.shortened = shortened}}).value();
    };
    auto const once = cut_of(log, 0);
    CHECK(contains(once, " of " + total + " in all ...]"));
    auto const twice = cut_of(once, 2);
    CAPTURE(twice);
    CHECK(twice.size() < once.size());
    CHECK(contains(twice, " of " + total + " in all ...]"));
    CHECK(untrue(log, twice) == "");
    CHECK(contains(cut_of(log, 0, true), " of the remaining " + total + " in all ...]"));
    // A line that looks like a gap, whose figures do not agree, is a line like others.
    auto const forged = "[... 5 lines omitted, 5 of 9 in all ...]\n" + log;
    CHECK(contains(cut_of(forged, 0),
                   " of " + condense::detail::grouped(condense::detail::count_lines(forged)) + " in all ...]"));
}

}  // namespace
