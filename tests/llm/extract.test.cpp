// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/extract.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include <condense/detail/utf8.hpp>
#include <condense/llm/fence.hpp>

#include "support/catch.hpp"

namespace {

using condense::extract, condense::part_kind, condense::part_status, condense::role;

/// Notes that are told of a conversation.
struct told {
    extract::notes notes = extract{}.open();

    told& user(std::string_view text) { return see(role::user, {.text = text}); }
    told& assistant(std::string_view text) { return see(role::assistant, {.text = text}); }
    told& call(std::string_view tool, std::string_view arguments) {
        return see(role::assistant, {.kind = part_kind::tool_call, .text = arguments, .tool = tool});
    }
    told& result(std::string_view tool, std::string_view text, part_status status = part_status::ok) {
        return see(role::tool, {.kind = part_kind::tool_result, .text = text, .tool = tool, .status = status});
    }
    told& summary(std::string_view text) {
        notes.see(role::user, {.text = text}, true);
        return *this;
    }
    told& see(role speaker, condense::part_view const& part) {
        notes.see(speaker, part, false);
        return *this;
    }
    std::string text(std::uint64_t limit = 10'000) const { return notes.text({limit}); }
};

}  // namespace

TEST_CASE("extract: what was asked, which tools ran, what was touched, what failed, what was said last") {
    told const all = told{}
                         .user("Rename the flag.")
                         .call("read", R"({"path": "a.cpp"})")
                         .result("read", "int a;")
                         .call("read", R"({"file_path":"b.cpp","limit":5})")
                         .result("read", "no such file", part_status::error)
                         .call("shell", R"({"command": "make"})")
                         .assistant("I renamed it.")
                         .user("And the tests?")
                         .assistant("Those, too.");
    CHECK(all.text() ==
          "First request: Rename the flag.\n"
          "Request: And the tests?\n"
          "Tools used: read x2, shell\n"
          "Files touched: a.cpp, b.cpp\n"
          "Error: read: no such file\n"
          "Last answer: Those, too.\n");
}

TEST_CASE("extract: nothing to tell is nothing told, and the last words of the assistant are its last text") {
    CHECK(told{}.text().empty());
    CHECK(told{}.user(" \n\t ").assistant("  ").result("read", "fine").text().empty());
    CHECK(told{}.assistant("first").assistant(" \n ").text() == "Last answer: first\n");
    CHECK(told{}.see(role::assistant, {.kind = part_kind::reasoning, .text = "hm"}).text().empty());
    CHECK(told{}.see(role::system, {.text = "rules"}).text().empty());
}

TEST_CASE("extract: the latest requests and errors are kept, three of each") {
    told all;
    for (int number = 0; number < 6; ++number) {
        all.user("request " + std::to_string(number));
        all.result("t", "error " + std::to_string(number), part_status::error);
    }
    CHECK(all.text() ==
          "First request: request 0\nRequest: request 3\nRequest: request 4\nRequest: request 5\n"
          "Error: t: error 3\nError: t: error 4\nError: t: error 5\n");
}

TEST_CASE("extract: every entry is one line within its limit") {
    auto const text = told{}.user("\n\n  a\nb\x1B[1m" + std::string(600, 'x')).user(std::string(300, 'y')).text();
    CHECK(text ==
          "First request: a b [1m" + std::string(500 - 7, 'x') + "...\nRequest: " + std::string(200, 'y') + "...\n");
}

TEST_CASE("extract: what matters most comes first when room is short") {
    told const all =
        told{}.user(std::string(400, 'u')).call("read", R"({"path": "a.cpp"})").assistant(std::string(150, 'a'));
    for (std::uint64_t limit = 0; limit < 800; ++limit) {
        auto const text = all.text(limit);
        REQUIRE(condense::detail::utf8::count(text) <= limit);
        if (limit >= 40) REQUIRE(text.starts_with("First request: u"));
        if (limit >= 500) REQUIRE(text.find("Tools used: read") != std::string::npos);
    }
}

TEST_CASE("extract: limits count code points, and cuts fall between them") {
    std::string euros;
    for (int sign = 0; sign < 1'000; ++sign) euros += "\xE2\x82\xAC";
    auto const text = told{}.user(euros).text();
    CHECK(condense::detail::utf8::valid(text));
    CHECK(condense::detail::utf8::count(text) == 15 + 500 + 3 + 1);
    CHECK(condense::detail::utf8::valid(told{}
                                            .user("a\xFF\xE2\x82")
                                            .call("\xFF", R"({"path": ")"
                                                          "\xFF"
                                                          R"("})")
                                            .text()));
}

TEST_CASE("extract: earlier summaries have a third of the room") {
    auto const text = told{}.summary("Once upon a time.").summary(std::string(5'000, 's')).user("Go on.").text(900);
    CHECK(text == "First request: Go on.\nEarlier: Once upon a time. " + std::string(300 - 18, 's') + "...\n");
}

TEST_CASE("extract: a summary of its own goes on, line by line") {
    auto const first = told{}
                           .user("Rename the flag.")
                           .user("And the tests?")
                           .call("read", R"({"path": "a.cpp"})")
                           .call("read", R"({"path": "a.cpp"})")
                           .result("read", "no such file", part_status::error)
                           .assistant("Done.")
                           .text();
    auto const again = [](std::string_view text) {
        return told{}
            .summary(condense::fenced_summary(text))
            .user("And now?")
            .call("read", R"({"path": "b.cpp"})")
            .text();
    };
    auto const rest = [](std::string_view reads, std::string_view files) {
        return "Tools used: read x" + std::string{reads} + "\nFiles touched: " + std::string{files} +
               "\nError: read: no such file\nLast answer: Done.\n";
    };
    auto const second = again(first);
    CHECK(second == "First request: Rename the flag.\nRequest: And the tests?\nRequest: And now?\n" +
                        rest("3", "a.cpp x2, b.cpp"));
    auto const third = again(second);
    CHECK(third == "First request: Rename the flag.\nRequest: And the tests?\nRequest: And now?\nRequest: And now?\n" +
                       rest("4", "a.cpp x2, b.cpp x2"));
    // The task may stand before it, too; a label that forges a count counts once; other words have their own line.
    told twice;
    twice.notes.see_task({.text = "Rename the flag."});
    CHECK(twice.summary(condense::fenced_summary(first)).text() == first);
    told cut;
    cut.notes.see_task({.text = "Rename the flag."});
    CHECK(cut.summary("First request: Rename the...\n").text() == "First request: Rename the flag.\n");
    CHECK(told{}.summary("Tools used: a x99999999999999999999999, b x, x 2, c x1,234\nIn short: all is well.").text() ==
          "Tools used: a x18,446,744,073,709,551,615, b x, x 2, c x1,234\nEarlier: In short: all is well.\n");
}

TEST_CASE("extract: only paths are files touched") {
    auto const files = [](std::string_view arguments) {
        auto const text = told{}.call("t", arguments).text();
        auto const at = text.find("Files touched: ");
        return at == std::string::npos ? std::string{} : text.substr(at + 15, text.find('\n', at) - at - 15);
    };
    for (auto const* const none :
         {R"({"profile": "admin"})", R"({"xpath": "//div[1]"})", R"({"path": "//div[1]"})",
          R"({"path": "$.store.book"})", R"({"path": "https://example.com/a"})", R"({"path": "src/**/*.cpp"})",
          R"({"path": ".", "file": "/"})", R"({"classpath": "a.jar", "breadcrumb_path_length": "4"})"})
        CHECK(files(none) == "");
    CHECK(files(R"({"command": "echo {\"path\": \"not.this\"}", "file_path": "this.txt"})") == "this.txt");
    CHECK(files(R"({"content": "a\nb", "filePath": "app/[id]/page.tsx"})") == "app/[id]/page.tsx");
    CHECK(files(R"({"edits": [{"file_path": "a.cpp"}, {"file_path": "b.cpp"}, {"file_path": "a.cpp"}]})") ==
          "a.cpp, b.cpp");
    CHECK(files(R"({"paths": ["a.cpp", "b.cpp"], "mode": "x"})") == "a.cpp, b.cpp");
    CHECK(files(R"({"old_path": "a \u00e4.cpp", "new_path": "C:\\b.cpp"})") == "a \xC3\xA4.cpp, C:\\b.cpp");
}

TEST_CASE("extract: arguments without a path tell of no file") {
    for (auto const* const arguments :
         {"{}", R"({"path": ""})", R"({"path": )", R"({"path)", R"({"path": 5, "mode": "fast"})",
          R"({"text": "the path\" is long", "n": "x"})"})
        CHECK(told{}.call("t", arguments).text() == "Tools used: t\n");
    CHECK(told{}.call("", "not JSON").text().empty());
}

TEST_CASE("extract: names beyond the fortieth are not kept") {
    told all;
    for (int number = 0; number < 60; ++number) all.call("tool" + std::to_string(number), "{}");
    CHECK(all.text().find("tool39") != std::string::npos);
    CHECK(all.text().find("tool40") == std::string::npos);
}

TEST_CASE("extract: limits of its own") {
    extract const brief{.request = {5}, .recent = {3}};
    auto notes = brief.open();
    notes.see(role::user, {.text = "abcdefgh"}, false);
    notes.see(role::user, {.text = "abcdefgh"}, false);
    CHECK(notes.text({1'000}) == "First request: abcde...\nRequest: abc...\n");
    auto later = brief.open();
    later.see_task({.kind = part_kind::media, .text = "a picture"});
    later.see_task({.text = "task"});
    later.see(role::user, {.text = "abcdefgh"}, false);
    CHECK(later.text({1'000}) == "First request: task\nRequest: abc...\n");
    CHECK(brief == extract{.request = {5}, .recent = {3}});
    CHECK_FALSE(brief == extract{});
}

TEST_CASE("extract: figures of any size are harmless") {
    auto const figure = GENERATE(as<std::uint64_t>{}, 0u, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
                                 std::uint64_t{1} << 63, ~std::uint64_t{0});
    auto notes = extract{.request = {figure}, .recent = {figure}}.open();
    notes.see(role::user, {.text = "request"}, false);
    notes.see(role::user, {.text = "old"}, true);
    CHECK(notes.text({figure}).size() < 100);
}
