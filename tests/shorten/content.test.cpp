// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/content.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::content;
using condense::content_of;

static_assert(condense::content_detector<condense::default_detector>);
static_assert(condense::content_detector<decltype(&content_of)>);
static_assert(!condense::content_detector<int> && !condense::content_detector<decltype([](std::string_view) {})>);

constexpr bool json_is_what_is_valid() {
    return content_of(" \n{\"a\": [1, 2]}\n") == content::json && content_of("[]") == content::json &&
           content_of("[1, 2") == content::prose && content_of("[see below] it is") == content::prose &&
           content_of("{\"level\":\"info\"}\n{\"level\":\"warn\"}\n") == content::log;
}
static_assert(json_is_what_is_valid());

constexpr bool logs_have_times_levels_or_steps() {
    return content_of("2024-05-01T12:30:45Z started\n2024-05-01T12:30:46Z done\n") == content::log &&
           content_of("12:30:45.123 a\n12:30:45.124 b\r\n") == content::log &&
           content_of("[INFO] Scanning\n[INFO] Building x\n[WARNING] old\n") == content::log &&
           content_of("[ 12%] Building CXX object a.o\n[ 25%] Linking\n") == content::log &&
           content_of("src/a.c:12:5: error: no\nsrc/a.c:19:5: warning: x\n") == content::log &&
           content_of(
               "worker 1 up\nworker 2 up\nworker 3 up\nworker 4 up\nworker 5 up\nworker 6 up\nworker 7 up\n"
               "worker 8 up\n") == content::log;
}
static_assert(logs_have_times_levels_or_steps());

constexpr bool diffs_have_hunks() {
    return content_of("diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n") == content::diff &&
           content_of("--- a\n+++ b\n@@ -1,2 +1,2 @@ f\n") == content::diff &&
           content_of("--- a\n+++ b\n") != content::diff;
}
static_assert(diffs_have_hunks());

constexpr bool hits_have_a_path_and_a_line() {
    return content_of("src/a.c:12: int x;\nsrc/b.c:7:return\n") == content::search_hits &&
           content_of("a.h-11-x\na.h:12:y\na.h-13-z\n--\nb.h:1:w\n") == content::search_hits &&
           content_of("C:\\src\\a.c:12:x\nC:\\src\\a.c:13:y\n") == content::search_hits &&
           content_of("12:30: tea\n13:45: cake\n") != content::search_hits;
}
static_assert(hits_have_a_path_and_a_line());

constexpr bool code_and_prose() {
    return content_of("#include <x>\n\nint main() {\n    return 0;\n}\n") == content::code &&
           content_of("def f(x):\n    y = x + 1\n    if y:\n        return y\n") == content::code &&
           content_of("     1\tint x;\n     2\tint y;\n") == content::code &&
           content_of("It is a fine day.\nWe walk along the river (the long way).\nThen home.\n") == content::prose &&
           content_of("今天天气很好。\n我们去散步。\n") == content::prose && content_of("") == content::prose &&
           content_of(" \n\t\r\n") == content::prose;
}
static_assert(code_and_prose());

constexpr bool binary_is_what_is_no_text() {
    return content_of(std::string_view{"PK\3\4\0\0", 6}) == content::binary &&
           content_of("\xFF\xFE\x80\x81 abc") == content::binary && content_of("\x1B[31mred\x1B[0m") == content::prose;
}
static_assert(binary_is_what_is_no_text());

}  // namespace

TEST_CASE("content: what texts look like") {
    CHECK(json_is_what_is_valid());
    CHECK(logs_have_times_levels_or_steps());
    CHECK(diffs_have_hunks());
    CHECK(hits_have_a_path_and_a_line());
    CHECK(code_and_prose());
    CHECK(binary_is_what_is_no_text());
}

TEST_CASE("content: only the beginning counts, unless it may be JSON") {
    std::string prose;
    while (prose.size() < 5'000)
        prose += "So " + std::string(prose.size() % 97, 'o') + "it goes, and no end can be seen\n";
    CHECK(content_of(prose + std::string(100, '\0')) == content::prose);
    CHECK(content_of(prose + "diff --git a/x b/x\n@@ -1 +1 @@\n") == content::prose);
    CHECK(content_of("{\"a\": \"" + std::string(1'000'000, 'x') + "\"}") == content::json);
    CHECK(content_of("{\"a\": \"" + std::string(1'000'000, 'x') + "\"") == content::prose);
    CHECK(content_of(std::string(1'000'000, '[')) == content::prose);
    // A code point that the look cuts makes no text binary.
    for (std::size_t before = 0; before < 3; ++before) {
        auto text = std::string(before, 'x');
        while (text.size() < 6'000) text += "\xE6\xBC\xA2";
        CHECK(content_of(text) == content::prose);
    }
}

TEST_CASE("content: the names") {
    CHECK(condense::name(content::json) == "json");
    CHECK(condense::name(content::search_hits) == "search hits");
    CHECK(condense::name(content::binary) == "binary");
}

TEST_CASE("content: any bytes are something") {
    std::uint64_t state = 1;
    std::size_t kinds = 0;
    for (int round = 0; round < 3'000; ++round) {
        std::string text;
        for (int left = round % 200; left != 0; --left) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            auto const pick = state >> 40;
            text += pick % 3 == 0 ? static_cast<char>(pick >> 8) : "\n:-1a/. {[@"[pick % 11];
        }
        kinds |= std::size_t{1} << static_cast<unsigned>(content_of(text));
    }
    CHECK(kinds > 1);
    CHECK(kinds < 128);
}
