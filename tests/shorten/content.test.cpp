// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/content.hpp>

#include "core/constant.hpp"
#include "laws/generator.hpp"

namespace {

using condense::content, condense::content_of;

static_assert(condense::content_detector<condense::default_detector>);
static_assert(condense::content_detector<decltype(&content_of)>);
static_assert(!condense::content_detector<int> && !condense::content_detector<decltype([](std::string_view) {})>);

struct row {
    content kind;
    std::string_view text;
};
constexpr row rows[] = {
    row{content::json, " \n{\"a\": [1, 2]}\n"}, row{content::json, "[]"}, row{content::prose, "[1, 2"},
    row{content::prose, "[see below] it is"}, row{content::log, "{\"level\":\"info\"}\n{\"level\":\"warn\"}\n"},
    // Logs have times, levels or steps.
    row{content::log, "2024-05-01T12:30:45Z started\n2024-05-01T12:30:46Z done\n"},
    row{content::log, "12:30:45.123 a\n12:30:45.124 b\r\n"},
    row{content::log, "[INFO] Scanning\n[INFO] Building x\n[WARNING] old\n"},
    row{content::log, "[ 12%] Building CXX object a.o\n[ 25%] Linking\n"},
    row{content::log, "src/a.c:12:5: error: no\nsrc/a.c:19:5: warning: x\n"},
    row{content::log, "job 1 up\njob 2 up\njob 3 up\njob 4 up\njob 5 up\njob 6 up\njob 7 up\njob 8 up\n"},
    // Diffs have hunks.
    row{content::diff, "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"},
    row{content::diff, "--- a\n+++ b\n@@ -1,2 +1,2 @@ f\n"},
    // Hits have a path and a line.
    row{content::search_hits, "src/a.c:12: int x;\nsrc/b.c:7:return\n"},
    row{content::search_hits, "a.h-11-x\na.h:12:y\na.h-13-z\n--\nb.h:1:w\n"},
    row{content::search_hits, "C:\\src\\a.c:12:x\nC:\\src\\a.c:13:y\n"},
    row{content::code, "#include <x>\n\nint main() {\n    return 0;\n}\n"},
    row{content::code, "def f(x):\n    y = x + 1\n    if y:\n        return y\n"},
    row{content::code, "     1\tint x;\n     2\tint y;\n"},
    row{content::prose, "It is a fine day.\nWe walk along the river (the long way).\nThen home.\n"},
    row{content::prose, "今天天气很好。\n我们去散步。\n"}, row{content::prose, ""}, row{content::prose, " \n\t\r\n"},
    row{content::prose, "\x1B[31mred\x1B[0m"}, row{content::binary, {"PK\3\4\0\0", 6}},
    row{content::binary, "\xFF\xFE\x80\x81 abc"}};

constexpr bool texts_are_what_they_look_like() {
    for (auto const& [kind, text] : rows)
        if (content_of(text) != kind) return false;
    return content_of("--- a\n+++ b\n") != content::diff &&
           content_of("12:30: tea\n13:45: cake\n") != content::search_hits;
}

}  // namespace

TEST_CASE("content: what texts look like, and the names") {
    for (auto const& [kind, text] : rows) {
        CAPTURE(text);
        CHECK(content_of(text) == kind);
    }
    CHECK_CONSTANT(texts_are_what_they_look_like());
    CHECK(condense::name(content::json) == "json");
    CHECK(condense::name(content::search_hits) == "search hits");
    CHECK(condense::name(content::binary) == "binary");
}

TEST_CASE("content: only the beginning counts, unless it may be JSON") {
    std::string prose;
    while (prose.size() < 5'000) prose += "So " + std::string(prose.size() % 97, 'o') + "it goes, and no end is seen\n";
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

TEST_CASE("content: any bytes are something") {
    laws::random_source random{1};
    std::size_t kinds = 0;
    for (int round = 0; round < 3'000; ++round) {
        std::string text;
        for (int left = round % 200; left != 0; --left)
            text += random.below(3) == 0 ? static_cast<char>(random.below(256)) : "\n:-1a/. {[@"[random.below(11)];
        kinds |= std::size_t{1} << static_cast<unsigned>(content_of(text));
    }
    CHECK(kinds > 1);
    CHECK(kinds < 128);
}
