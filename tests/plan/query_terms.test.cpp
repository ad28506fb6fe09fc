// SPDX-License-Identifier: BSL-1.0
#include <condense/plan/query_terms.hpp>

#include <initializer_list>

#include <condense/detail/saturate.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/repetition.hpp"

namespace {

using condense::detail::each_term, condense::detail::fnv1a, condense::detail::kind_of_point,
    condense::detail::lower_point, condense::detail::point_kind, condense::detail::query_terms,
    condense::detail::stem_hash, condense::detail::wide_terms;

// What binary searches rely on.

constexpr bool tables_are_sorted() {
    auto const disjoint = [](auto const& left, auto const& right) { return left.last >= right.first; };
    auto const ordered = [&](auto const& table) {
        return std::adjacent_find(std::begin(table), std::end(table), disjoint) == std::end(table) &&
               std::all_of(std::begin(table), std::end(table), [](auto const& row) { return row.first <= row.last; });
    };
    return ordered(condense::detail::capitals) && ordered(condense::detail::separators) &&
           ordered(condense::detail::unspaced_scripts);
}

constexpr bool common_words_are_sorted_and_short() {
    auto const& words = condense::detail::common_words;
    for (auto const word : words) {
        if (word.empty() || word.size() > 6) return false;  // longer ones are not looked up
        for (char const byte : word)
            if (byte < 'a' || byte > 'z') return false;
    }
    auto const same_or_later = [](std::string_view left, std::string_view right) { return left >= right; };
    return std::adjacent_find(std::begin(words), std::end(words), same_or_later) == std::end(words);
}

// Stems

constexpr bool are_one_term(std::initializer_list<std::string_view> words) {
    for (auto const word : words)
        if (stem_hash(word) != stem_hash(*words.begin())) return false;
    return true;
}

constexpr bool endings_make_no_difference() {
    return are_one_term({"listen", "listens", "listened", "listening", "Listen", "LISTENING"}) &&
           are_one_term({"port", "ports", "ported", "porting"}) && are_one_term({"stop", "stopped", "stopping"}) &&
           are_one_term({"make", "makes", "making"}) && are_one_term({"install", "installed", "installing"}) &&
           are_one_term({"process", "processes", "processed", "processing"}) &&
           are_one_term({"retry", "retries", "retried", "retrying"}) && are_one_term({"cookie", "cookies"}) &&
           are_one_term({"index", "indexes", "indexed"}) && are_one_term({"add", "adds", "added", "adding"}) &&
           are_one_term({"id", "ids"}) && are_one_term({"key", "keys", "keyed"}) && are_one_term({"day", "days"});
}

constexpr bool irregular_forms_are_one_term() {
    for (auto const& [form, base] : condense::detail::irregular_forms)
        if (form == base || stem_hash(form) != stem_hash(base)) return false;
    return are_one_term({"go", "goes", "going", "went", "Went", "gone"}) &&
           are_one_term({"write", "wrote", "written", "writing"}) && stem_hash("wend") != stem_hash("go");
}

constexpr bool what_only_looks_like_an_ending_stays() {
    for (std::string_view const word : {"status", "class", "bus", "this", "axis", "king", "ring", "red", "s", "as"})
        if (stem_hash(word) != fnv1a(word)) return false;
    return stem_hash("port") != stem_hash("part") && stem_hash("ids") != stem_hash("i");
}

// Terms

/// True if some term of the text is spelt so in it.
constexpr bool gives(std::string_view text, std::string_view spelt) {
    bool found = false;
    each_term(
        text, wide_terms::pairs, [](char, char) { return true; },
        [&](std::uint64_t, std::size_t begin, std::size_t end) {
            found = found || text.substr(begin, end - begin) == spelt;
        });
    return found;
}
constexpr bool gives_all(std::string_view text, std::initializer_list<std::string_view> spelt) {
    for (auto const each : spelt)
        if (!gives(text, each)) return false;
    return true;
}
constexpr std::size_t count_of(std::string_view text, wide_terms wide = wide_terms::pairs) {
    std::size_t count = 0;
    each_term(text, wide, [](char, char) { return true; }, [&](std::uint64_t, std::size_t, std::size_t) { ++count; });
    return count;
}

constexpr bool identifiers_are_terms_and_so_are_their_parts() {
    return gives_all("parse_json_file()", {"parse_json_file", "parse", "json", "file"}) &&
           count_of("parse_json_file()") == 4 &&
           gives_all("getServerPort;", {"getServerPort", "get", "Server", "Port"}) && count_of("getServerPort") == 4 &&
           gives_all("HTTPServer", {"HTTPServer", "HTTP", "Server"}) && count_of("HTTPServer") == 3 &&
           gives_all("readHTTPStatus", {"read", "HTTP", "Status"}) &&
           gives_all("sha256_sum", {"sha256_sum", "sha", "256", "sum"}) &&
           gives_all("__init__", {"__init__", "init"}) && gives_all("port8443", {"port", "8443"}) &&
           gives_all("getURLs", {"getURLs", "get", "URLs"}) &&
           // Single letters and digits are no parts, and plurals of capitals no humps.
           count_of("x86_64") == 3 && count_of("v2") == 1 && count_of("URLs IDs") == 2 && count_of("README") == 1;
}

constexpr bool paths_versions_and_numbers_are_terms() {
    return gives_all("in src/plan/ranking.hpp.", {"src/plan/ranking.hpp", "src", "plan", "ranking", "hpp"}) &&
           gives_all("(/usr/lib)", {"usr/lib", "usr", "lib"}) && gives_all("my-service", {"my-service", "my"}) &&
           gives_all("std::vector, a:b", {"std", "vector", "a:b"}) && gives("me@example.com!", "me@example.com") &&
           gives_all("g++ 12.2.0;", {"12.2.0", "12", "g"}) && gives("v1.2.3-rc1", "v1.2.3-rc1") &&
           gives("on 2024-05-06.", "2024-05-06") && gives_all("1,234,567 bytes", {"1,234,567", "234"}) &&
           gives("it is 42.", "42") && !gives("a,b", "a,b") && !gives("end. Next", "end. Next") &&
           !gives("1, 2", "1, 2") && !gives("a..b", "a..b");
}

constexpr bool escapes_of_json_end_words_and_begin_none() {
    return gives_all(R"({"text": "one\ntwo\tnew\\next"})", {"text", "one", "two", "new", "next"}) &&
           count_of(R"("one\ntwo")") == 2 && count_of("\\") == 0 && count_of("end\\") == 1;
}

constexpr bool quotes_dashes_and_blanks_of_any_kind_end_words() {
    return gives_all("\u201Cport\u201D\u2014server\u00A0name\u2026", {"port", "server", "name"}) &&
           count_of("\u201Cport\u201D\u2014server\u00A0name\u2026") == 3 && gives("server\u2019s", "server") &&
           gives_all("\u2022port\u2192host \U0001F600name", {"port", "host", "name"}) && gives("port\xFF\x80", "port");
}

/// In scripts without spaces pairs of neighbours are terms, and what stands between them as anywhere.
constexpr bool neighbours_are_terms_in_scripts_without_spaces() {
    return gives_all("\u670D\u52A1\u5668", {"\u670D\u52A1", "\u52A1\u5668"}) && count_of("\u670D\u52A1\u5668") == 2 &&
           gives_all("\u4F7F\u7528Python\u8BED\u8A00", {"\u4F7F\u7528", "Python", "\u8BED\u8A00"}) &&
           count_of("\u4F7F\u7528Python\u8BED\u8A00") == 3 && gives_all("\u7B2C3\u7AE0", {"\u7B2C", "3", "\u7AE0"}) &&
           count_of("\u7B2C3\u7AE0") == 3 && count_of("\u670D\u52A1\u3002\u5668") == 2 &&
           count_of("\u670D\u52A1\u5668", wide_terms::all) == 5 &&
           count_of("\u670D\u52A1\u5668x", wide_terms::none) == 1;
}

constexpr bool longer_runs_than_names_are_no_terms() {
    char run[512] = {};
    for (char& byte : run) byte = 'a';
    std::string_view const text{run, sizeof run};
    if (count_of(text.substr(0, 200)) != 1 || count_of(text.substr(0, 201)) != 0) return false;
    for (std::size_t index = 1; index < sizeof run; index += 2) run[index] = '.';
    return count_of(text.substr(0, 199)) == 101 && count_of(text.substr(0, 201)) == 101;  // the words alone
}

constexpr bool cases_of_scripts_are_one() {
    for (auto const& [capital, small] : std::initializer_list<std::pair<std::uint32_t, std::uint32_t>>{
             {'A', 'a'},     {'Z', 'z'},     {0xC4, 0xE4},   {0xDE, 0xFE},   {0x141, 0x142},   {0x17B, 0x17C},
             {0x160, 0x161}, {0x150, 0x151}, {0x218, 0x219}, {0x1AF, 0x1B0}, {0x1EEE, 0x1EEF}, {0x386, 0x3AC},
             {0x388, 0x3AD}, {0x38A, 0x3AF}, {0x38C, 0x3CC}, {0x38F, 0x3CE}, {0x391, 0x3B1},   {0x3A9, 0x3C9},
             {0x3C2, 0x3C3}, {0x3A3, 0x3C3}, {0x401, 0x451}, {0x410, 0x430}, {0x42F, 0x44F},   {0x490, 0x491},
             {0x4D8, 0x4D9}, {0x531, 0x561}})
        if (lower_point(capital) != small || lower_point(small) != small) return false;
    for (std::uint32_t const other : {0x40u, 0x5Bu, 0xD7u, 0xDFu, 0xF7u, 0x130u, 0x138u, 0x387u, 0x482u, 0x4E00u})
        if (lower_point(other) != other) return false;
    return true;
}

static_assert(kind_of_point(0xE9) == point_kind::letter && kind_of_point(0x43F) == point_kind::letter);
static_assert(kind_of_point(0x200C) == point_kind::letter && kind_of_point(0x301) == point_kind::letter);
static_assert(kind_of_point(0x4E2D) == point_kind::unspaced && kind_of_point(0x20000) == point_kind::unspaced);
static_assert(kind_of_point(0xA9) == point_kind::separator && kind_of_point(0xAA) == point_kind::letter);
static_assert(kind_of_point(0xFFFD) == point_kind::separator && kind_of_point(0x3001) == point_kind::separator);

// Questions

/// The places in a text where a term of the question occurs.
std::vector<std::size_t> places(query_terms const& terms, std::string_view text) {
    std::vector<std::size_t> all;
    terms.each(text, [&](std::size_t term, std::size_t offset) {
        REQUIRE(term < terms.size());
        REQUIRE(offset < text.size());
        all.push_back(offset);
    });
    std::sort(all.begin(), all.end());
    return all;
}
bool finds(std::string_view question, std::string_view text) { return !places(query_terms{question}, text).empty(); }

using list = std::vector<std::size_t>;

/// What costs: the calls, and the bytes of the terms that they are made with.
std::size_t work(std::string_view text) {
    std::size_t work = 0;
    each_term(
        text, wide_terms::all,
        [&](char, char) {
            ++work;
            return true;
        },
        [&](std::uint64_t, std::size_t begin, std::size_t end) { work += 1 + end - begin; });
    return work;
}

}  // namespace

TEST_CASE("query_terms: words are known by their stem, and tables are sorted") {
    CHECK_TWICE(tables_are_sorted());
    CHECK_TWICE(common_words_are_sorted_and_short());
    CHECK_TWICE(endings_make_no_difference());
    CHECK_TWICE(irregular_forms_are_one_term());
    CHECK_TWICE(what_only_looks_like_an_ending_stays());
    CHECK(finds("Where did she go?", "she went out"));
    CHECK(finds("Who wrote it?", "they are writing"));
    CHECK(finds("Which ports does it listen on?", "listening on port 80"));
    CHECK_FALSE(finds("port", "sport important portal"));
    CHECK(stem_hash(std::string(1'000'000, 'a')) == stem_hash(std::string(32, 'a')));
    CHECK(finds(std::string(199, 'a') + "s", std::string(199, 'a') + "s"));
}

TEST_CASE("query_terms: identifiers, paths, versions and numbers stand whole and by their parts") {
    CHECK_TWICE(identifiers_are_terms_and_so_are_their_parts());
    CHECK_TWICE(paths_versions_and_numbers_are_terms());
    CHECK_TWICE(longer_runs_than_names_are_no_terms());
    CHECK(places(query_terms{"server port"}, "x = getServerPort()") == list{7, 13});
    CHECK(places(query_terms{"getServerPort"}, "getServerPort getserverport") == list{0, 3, 9, 14});
    CHECK(finds("user id", "{\"user_ids\": []}"));
    CHECK(finds("ranking.hpp", "src/plan/ranking.hpp"));
    CHECK(places(query_terms{"12.2.0"}, "12.2.1, 12.2.0") == list{0, 3, 8, 8, 11, 13});
    CHECK(finds("8443", "https://host:8443/"));
    CHECK_FALSE(finds("8443", "18443 84430"));
}

TEST_CASE("query_terms: what JSON escapes, and what text is set in, ends words") {
    CHECK_TWICE(escapes_of_json_end_words_and_begin_none());
    CHECK_TWICE(quotes_dashes_and_blanks_of_any_kind_end_words());
    CHECK(places(query_terms{"two"}, R"("one\ntwo")") == list{6});
    CHECK(finds("What is the \u201Cport\u201D?", "port=1"));
    CHECK(finds("port", "the server\u2019s\u00A0port\u2014it is 1"));
}

TEST_CASE("query_terms: common words are left out, unless there are no others; a goal adds terms that weigh less") {
    CHECK(query_terms{"What is the port?"}.size() == 1);
    CHECK(query_terms{"What's the port?"}.size() == 1);
    CHECK(query_terms{"It's THE port that we\u2019re looking for"}.size() == 2);
    CHECK(query_terms{"what is it"}.size() == 3);
    CHECK(finds("what is it", "it rains"));
    CHECK_FALSE(finds("what port is it", "it rains"));
    for (std::string_view const nothing : {"", "  ", "?!", "\"\\\"", "\xFF\x80", "...//--"})
        CHECK(query_terms{nothing}.empty());
    CHECK(query_terms{}.empty());
    query_terms terms{"the port of the server"};
    terms.add("find the port and the host", 2);
    REQUIRE(terms.size() == 3);
    CHECK(terms.part(0) == 1);
    CHECK(terms.part(1) == 1);
    CHECK(terms.part(2) == 2);
    CHECK(places(terms, "the host") == list{4});
    terms.add("what is it", 2);
    CHECK(terms.size() == 3);
    query_terms of_common{"what is it"};
    of_common.add("the port", 2);
    CHECK(of_common.size() == 4);
    query_terms of_goal;
    of_goal.add("the port", 1);
    CHECK(places(of_goal, "the port") == list{4});
}

TEST_CASE("query_terms: letters of Latin, Greek and Cyrillic are known in either case") {
    CHECK_TWICE(cases_of_scripts_are_one());
    CHECK(finds("\u0421\u0415\u0420\u0412\u0415\u0420", "\u0441\u0435\u0440\u0432\u0435\u0440 x"));  // Cyrillic: server
    CHECK(finds("\u039A\u039F\u03A3\u039C\u039F\u03A3", "\u03BA\u03BF\u03C3\u03BC\u03BF\u03C2"));  // Greek: kosmos
    CHECK(finds("\u038C\u03BD\u03BF\u03BC\u03B1", "(\u03CC\u03BD\u03BF\u03BC\u03B1)"));
    CHECK(finds("CAF\u00C9", "caf\u00E9"));
    CHECK(finds("\u0141\u00D3D\u0179", "w \u0142\u00F3d\u017A."));
    CHECK_FALSE(finds("\u0441\u0435\u0440\u0432\u0435\u0440", "\u0441\u0435\u0440\u0432\u0435"));
    // Whatever the rows say, once is enough.
    for (std::uint32_t point = 0; point < 0x3000; ++point) {
        CAPTURE(point);
        REQUIRE(lower_point(lower_point(point)) == lower_point(point));
    }
}

TEST_CASE("query_terms: scripts without spaces are found by pairs, and by a character that is asked for alone") {
    CHECK_TWICE(neighbours_are_terms_in_scripts_without_spaces());
    CHECK(places(query_terms{"\u7AEF\u53E3"}, "\u670D\u52A1\u5668\u7684\u7AEF\u53E3\u662F8443") == list{12});  // Han
    CHECK_FALSE(finds("\u53E3\u7AEF", "\u670D\u52A1\u5668\u7684\u7AEF\u53E3"));
    CHECK(places(query_terms{"\u732B"}, "\u9ED2\u3044\u732B\u304C") == list{6});
    CHECK(places(query_terms{"\u7AEF\u53E3\uFF1F\u732B"}, "\u7AEF\u53E3\u732B") == list{0, 6});
    CHECK(places(query_terms{"\u732B\uFF1F\u7AEF\u53E3"}, "\u7AEF\u53E3\u732B") == list{0, 6});
    CHECK(finds("\uC11C\uBC84", "\uC6F9\uC11C\uBC84\uC758 \uD3EC\uD2B8"));  // Hangul: server, web server's
    CHECK(finds("\u0E20\u0E32\u0E29\u0E32",
                "\u0E40\u0E23\u0E35\u0E22\u0E19\u0E20\u0E32\u0E29\u0E32\u0E44\u0E17\u0E22"));  // Thai
    CHECK(places(query_terms{"python"}, "\u4F7F\u7528Python\u8BED\u8A00") == list{6});
    CHECK(finds("API", "API\uB97C \uC4F4\uB2E4"));
}

TEST_CASE("query_terms: however long a question is, a few terms are looked for, and any text is read in one pass") {
    std::string question;
    auto const words = rounds(1'000'000);
    for (std::uint64_t word = 0; word < words; ++word) question += "w" + std::to_string(word) + "x ";
    query_terms const terms{question};
    CHECK(terms.size() == query_terms::most);
    CHECK(places(terms, "w0x w" + std::to_string(words - 1) + "x") == list{0});
    auto const size = condense::detail::as_size(rounds(std::uint64_t{4} << 20));
    for (std::string_view const piece : {"a", "./-:", "a.", "a/b_", "_", "\"\\", "\\", "\xFF", "\xC3", "\xE4\xB8\xAD",
                                         "\xE4\xB8\xAD"
                                         "a",
                                         "\xD0\x96", "1,", "aB", "AAb", "a1", "\n", " a", "\xF0\x9F\x98\x80"}) {
        CAPTURE(piece);
        // A byte is of one word at most, of one part of it, and of what is joined.
        CHECK(work(repeated(piece, size)) <= 6 * size);
    }
    std::size_t hits = 0;
    query_terms{"a b aB 1"}.each(repeated("aB1 ", size), [&](std::size_t, std::size_t) { ++hits; });
    CHECK(hits <= 2 * size);
}
