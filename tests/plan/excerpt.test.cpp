// SPDX-License-Identifier: BSL-1.0
#include <condense/plan/excerpt.hpp>

#include <optional>

#include "plan/shelf.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using shelf::numbers, shelf::take;
using namespace condense::literals;
using condense::tokens;
using condense::detail::excerpt_within, condense::detail::excerpt_writer, condense::detail::ranked_passage;

std::vector<ranked_passage> ranking(std::string_view question, std::string_view text) {
    condense::detail::passage_scores scores{condense::detail::query_terms{question}};
    scores.see(0, text);
    return scores.rank();
}
std::string written(std::string_view question, std::string_view text, std::size_t room, std::string_view way = {}) {
    auto const ranked = ranking(question, text);
    return excerpt_writer{text, ranked, way}.write(room);
}
constexpr tokens per_byte(std::string_view text) { return {text.size()}; }
std::string within(std::string_view question, std::string_view text, tokens limit, std::string_view way = {}) {
    return excerpt_within(text, ranking(question, text), way, limit, per_byte(text), per_byte);
}

/// Line `number` of 240 bytes, a passage of its own.
std::string line(std::size_t number, std::string_view words = {}) {
    auto text = "line " + std::to_string(number) + " " + std::string{words} + " ";
    text.resize(239, 'x');
    return text + "\n";
}
std::string lines(std::size_t count, std::size_t which, std::string_view words) {
    std::string text;
    for (std::size_t number = 0; number < count; ++number) text += line(number, number == which ? words : "");
    return text;
}

/// The size of the marker at a place of an excerpt, the line break included; 0 if there is none. The first one says how
/// much is missing, and where the whole is.
std::size_t marker_at(std::string_view out, std::size_t at, std::string const& first) {
    auto const rest = out.substr(at);
    for (auto const marker : {std::string_view{first}, std::string_view{"[...]"}})
        if (!marker.empty() && rest.starts_with(marker) &&
            (rest.size() == marker.size() || rest[marker.size()] == '\n'))
            return (std::min)(marker.size() + 1, rest.size());
    return 0;
}

/// Requires that an excerpt is passages of the text in their order, behind its first line if that is short, and that
/// its first marker says how many bytes are missing. Returns how many it shows.
std::size_t check_excerpt(std::string_view out, std::string_view text, std::string_view way) {
    REQUIRE(condense::utf8::valid(out));
    std::vector<std::string_view> units;
    condense::detail::each_unit(
        text, [&](std::size_t offset, std::size_t size) { units.push_back(text.substr(offset, size)); });
    auto const of = " of " + condense::grouped(text.size()) + " bytes omitted" + (way.empty() ? "" : "; ") +
                    std::string{way} + " ...]";
    auto const place = out.find(of);
    auto const begin = place == std::string_view::npos ? place : out.rfind("[... ", place);
    auto const first = place == std::string_view::npos ? "" : std::string{out.substr(begin, place - begin)} + of;
    std::size_t shown = 0;
    std::size_t next = 0;  // the unit behind what was found
    std::size_t markers = 0;
    for (std::size_t at = 0; at < out.size();) {
        if (auto const size = marker_at(out, at, first); size != 0) {
            REQUIRE((out.substr(at, 5) == "[...]") == (markers != 0));
            ++markers;
            at += size;
            continue;
        }
        auto end = at;
        while (end < out.size() && (end == at || out[end - 1] != '\n' || marker_at(out, end, first) == 0)) ++end;
        auto const piece = out.substr(at, end - at);
        auto const is = [&](std::string_view candidate) {
            return piece == candidate || (end != out.size() && piece == std::string{candidate} + "\n");
        };
        auto const line = text.substr(0, text.find('\n') + 1);
        bool found = at == 0 && line.size() <= 120 && is(condense::utf8::scrubbed_copy(line));
        std::size_t size = found ? line.size() : 0;
        for (auto from = next; !found && from < units.size(); ++from) {
            std::string run;
            size = 0;
            for (auto behind = from; !found && behind < units.size() && run.size() < piece.size(); ++behind) {
                run += condense::utf8::scrubbed_copy(units[behind]);
                size += units[behind].size();
                found = is(run);
                if (found) next = behind + 1;
            }
        }
        REQUIRE(found);
        shown += size;
        at = end;
    }
    REQUIRE((markers == 0) == (shown == text.size()));
    if (markers != 0) REQUIRE(first.starts_with("[... " + condense::grouped(text.size() - shown) + " of "));
    return shown;
}

/// Any bytes, the word "port" now and then, and line breaks more or less often.
std::string any_text(numbers& any) {
    static constexpr std::string_view pieces[] = {"port",         "word", " ",        " ", ", ",  "\"},", "\xC3\xA4",
                                                  "\xE2\x82\xAC", "\xFF", "\xE2\x82", "]", "\\n", "\t"};
    auto const lines = any.index(40);
    auto const ports = any.index(30);
    std::string text;
    for (auto left = any.index(3'000); left != 0; --left) {
        if (lines != 0 && any.index(40) < lines / 4) text += "\n";
        auto const piece = pieces[any.index(std::size(pieces))];
        text += piece == "port" && any.index(30) >= ports ? "other" : piece;
    }
    return text;
}

}  // namespace

TEST_CASE("excerpt: the best passage, with its neighbours, what is missing around them and where the whole is") {
    auto const text = lines(10, 4, "the port");
    CHECK(written("port", text, 450, "read_artifact gives the whole of 0123") ==
          "[... 2,160 of 2,400 bytes omitted; read_artifact gives the whole of 0123 ...]\n" + line(4, "the port") +
              "[...]");
    CHECK(written("port", lines(10, 0, "the port"), 450) ==
          line(0, "the port") + "[... 2,160 of 2,400 bytes omitted ...]");
    CHECK(written("port", lines(10, 9, "the port"), 450) ==
          "[... 2,160 of 2,400 bytes omitted ...]\n" + line(9, "the port"));
    // Neighbours come with it, the next one first.
    auto const shows = [&](std::size_t room, std::size_t first, std::size_t count) {
        auto const out = written("port", text, room);
        CHECK(check_excerpt(out, text, "") == count * 240);
        return out.find(line(first, first == 4 ? "the port" : "")) != std::string::npos;
    };
    CHECK(shows(450, 4, 1));
    CHECK(shows(700, 5, 2));
    CHECK(shows(900, 3, 3));
    CHECK(shows(10'000, 3, 3));
}

TEST_CASE("excerpt: best passages take seven eighths, then neighbours, then what else has words of the question") {
    std::string text;
    for (std::size_t number = 0; number < 40; ++number)
        text += line(number, number == 20 ? "port host" : number % 4 == 0 ? "port" : "");
    // Seven passages fit into seven eighths of this; a neighbour takes the rest.
    auto const out = written("port host", text, 2'100);
    CHECK(check_excerpt(out, text, "") == 8 * 240);
    for (std::size_t const number : {20u, 0u, 4u, 8u, 12u, 16u, 24u, 21u})
        CHECK(out.find("line " + std::to_string(number) + " ") != std::string::npos);
    // All ten of them, and their neighbours.
    auto const all = written("port host", text, 20'000);
    CHECK(check_excerpt(all, text, "") == 29 * 240);
    // Ten of these and a neighbour, then five more.
    std::string alike;
    for (std::size_t number = 0; number < 20; ++number) alike += line(number, "port");
    CHECK(check_excerpt(written("port", alike, 4'000), alike, "") == 16 * 240);
}

TEST_CASE("excerpt: the first line stands before the passages, where it is a short one") {
    auto const behind = [](std::string const& head) { return head + lines(10, 4, "the port"); };
    auto const marker = [](std::size_t bytes) {
        return "[... 2,160 of " + condense::grouped(bytes) + " bytes omitted ...]\n";
    };
    std::string const date = "2026-03-09, a call\n";
    CHECK(written("port", behind(date), 340) == date + marker(2'419) + line(4, "the port") + "[...]");
    CHECK(check_excerpt(written("port", behind(date), 340), behind(date), "") == 259);
    CHECK(written("port", behind(std::string(119, '.') + "\n"), 600).starts_with(std::string(119, '.') + "\n[... "));
    CHECK(written("port", behind(std::string(120, '.') + "\n"), 600).starts_with("[... "));
    auto const invalid = std::string(100, '\xFF') + "\n" + lines(10, 4, "the port");
    for (std::size_t room = 300; room < 900; room += 50) CHECK(written("port", invalid, room).size() <= room);
    CHECK(written("port", behind(std::string(119, '.') + "\n"), 400).starts_with("[... "));  // there is no room for it
    CHECK(written("port", "port\n" + lines(3, 9, ""), 400).starts_with("port\n"));  // it is shown once
    CHECK(written("port", std::string_view{date}.substr(0, 5), 400).empty());
}

TEST_CASE("excerpt: a text of which everything is shown has no marker") {
    auto const text = line(0, "port") + line(1, "port");
    CHECK(written("port", text, 10'000) == text);
    CHECK(written("port", "a port", 1'000) == "a port");
    CHECK(written("port", "a port\xFF", 1'000) == "a port\xEF\xBF\xBD");
    // Content that looks like a marker is content.
    std::string const imitation = "[... 10 of 12 bytes omitted ...]\n";
    auto const imitating = line(0) + "port " + std::string(230, 'y') + "\n" + imitation;
    CHECK(written("port", imitating, 10'000) == imitating);
    // A gap behind it is told all the same.
    auto const longer = line(0, "port") + imitation + line(2);
    CHECK(written("port", longer, 340) == line(0, "port") + "[... 273 of 513 bytes omitted ...]");
}

TEST_CASE(
    "excerpt: nothing where nothing is found, or the best passage does not fit, what is left of a text that has become "
    "shorter") {
    auto const text = lines(10, 4, "the port");
    CHECK(written("absent", text, 10'000).empty());
    CHECK(written("port", "", 10'000).empty());
    CHECK(written("port", text, 310).empty());  // a passage and its markers: 240 + 64 + 7
    CHECK_FALSE(written("port", text, 311).empty());
    CHECK(written("port", text, 320, "way in ten").empty());
    CHECK_FALSE(written("port", text, 321, "way in ten").empty());
    CHECK(within("absent", text, 2'000_tokens).empty());
    CHECK(within("port", text, 0_tokens).empty());
    CHECK(within("port", text, 7_tokens).empty());
    CHECK(within("port", "", 100_tokens).empty());
    auto const ranked = ranking("port", text);
    CHECK(excerpt_writer{"", ranked, ""}.write(10'000).empty());
    CHECK(excerpt_writer{std::string_view{text}.substr(0, 500), ranked, ""}.write(10'000).empty());
    CHECK(excerpt_writer{std::string_view{text}.substr(0, 1'000), ranked, ""}.write(10'000).size() > 100);
}

TEST_CASE("excerpt: no limit is too large, and no text too cheap") {
    auto const text = lines(10, 4, "the port");
    auto const shown = [&](tokens limit, tokens whole) {
        return check_excerpt(excerpt_within(text, ranking("port", text), "", limit, whole, per_byte), text, "");
    };
    for (auto const limit : {std::uint64_t{3'000}, std::uint64_t{1} << 32, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        CAPTURE(limit);
        CHECK(shown({limit}, 2'400_tokens) == 3 * 240);
        CHECK(shown({limit}, 3'000_tokens) == 3 * 240);
        CHECK(shown({limit}, 0_tokens) == 3 * 240);
    }
}

TEST_CASE("excerpt: any text, any limit: valid, within both, true positions, the same again") {
    constexpr std::string_view way = "the whole is stored as 0123456789abcdef01234567";
    std::uint64_t cut = 0, several = 0;
    for (std::uint64_t round = 0; round < rounds(5'000); ++round) {
        CAPTURE(round);
        numbers any{round};
        auto const text = any_text(any);
        auto const ranked = ranking("port word", text);
        for (auto const room : {any.index(1'000), any.index(10'000), text.size()}) {
            excerpt_writer writer{text, ranked, way};
            auto const out = writer.write(room);
            REQUIRE(out.size() <= room);
            REQUIRE(writer.write(room) == out);
            if (out.empty()) continue;
            auto const shown = check_excerpt(out, text, way);
            REQUIRE(shown >= ranked.front().size);
            cut += shown < text.size() ? 1u : 0u;
            several += out.find("[...]\n", out.find(" ...]\n")) != std::string::npos ? 1u : 0u;
        }
        // Four bytes a token; invalid ones cost more when they are replaced.
        auto const measure = [](std::string_view piece) { return tokens{piece.size() / 4 + 1}; };
        tokens const limit{any.index(text.size() / 4 + 2)};
        auto const out = excerpt_within(text, ranked, way, limit, measure(text), measure);
        REQUIRE(out == excerpt_within(text, ranked, way, limit, measure(text), measure));
        if (out.empty()) continue;
        REQUIRE(measure(out) <= limit);
        check_excerpt(out, text, way);
    }
    CHECK(cut > rounds(5'000) / 2);
    CHECK(several > rounds(5'000) / 4);
}

TEST_CASE("excerpt: an estimator that is not in proportion to bytes is held to all the same") {
    auto const text = lines(200, 100, "the port");
    // Tokens for the middle alone: what is chosen by size costs too much at first.
    std::size_t calls = 0;
    auto const measure = [&](std::string_view piece) {
        ++calls;
        return tokens{piece.find("the port") == std::string_view::npos ? 1 : piece.size() * 10};
    };
    auto const out = excerpt_within(text, ranking("port", text), "", 4'000_tokens, 10'000_tokens, measure);
    REQUIRE_FALSE(out.empty());
    CHECK(measure(out) <= 4'000_tokens);
    CHECK(check_excerpt(out, text, "") >= 240);
    CHECK(calls > 2);
    // The room shrinks by an eighth each time.
    calls = 0;
    auto const costly = [&](std::string_view) {
        ++calls;
        return 1'000'000_tokens;
    };
    std::string const large(std::size_t{4} << 20, 'x');
    CHECK(
        excerpt_within("port " + large, ranking("port", "port " + large), "", 900'000_tokens, 1'000'000_tokens, costly)
            .empty());
    CHECK(calls < 120);
}
