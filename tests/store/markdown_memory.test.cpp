// SPDX-License-Identifier: BSL-1.0
#include <condense/store/markdown_memory.hpp>

#include "store/kills.hpp"

namespace {

using namespace store_tests;
using condense::markdown_memory;
static_assert(markdown_memory::durable && std::is_copy_constructible_v<markdown_memory>);

std::uint64_t day = 0;  ///< since 1970, of the clock below
std::uint64_t seconds() noexcept { return day * 86'400 + 50'000; }

markdown_memory memory_at(std::string const& path, std::uint64_t most_bytes = 100'000) {
    day = 20'000;  // 4 October 2024
    return markdown_memory{path, {.most_bytes = {most_bytes}, .seconds = seconds}};
}

std::string added(markdown_memory const& to, strings const& facts) { return reason(to.add(facts)); }
strings facts_in(markdown_memory const& from) {
    auto const all = from.facts();
    CHECK_FALSE(all.error);
    return all.facts;
}

}  // namespace

TEST_CASE("markdown_memory: a file of facts") {
    scratch::folder const root;
    SECTION("facts stand under the date of their day, each once, and are read back") {
        auto const to = memory_at(root / "notes/memory.md");
        CHECK(facts_in(to).empty());
        CHECK(added(to, {}).empty());
        CHECK(added(to, {"", " \n\t "}).empty());
        CHECK_FALSE(fs::exists(root / "notes"));
        CHECK(added(to, {"The user likes tea", "C++20", "The user likes tea"}).empty());
        CHECK(added(to, {"C++20", "Tests run with ctest"}).empty());
        ++day;
        CHECK(added(to, {"C++20"}).empty());
        CHECK(added(to, {"The user is called Ada", "C++20"}).empty());
        CHECK(scratch::bytes_of(root / "notes/memory.md") ==
              "## 2024-10-04\n\n- The user likes tea\n- C++20\n- Tests run with ctest\n"
              "\n## 2024-10-05\n\n- The user is called Ada\n");
        CHECK(facts_in(markdown_memory{root / "notes/memory.md"}) ==
              strings{"The user likes tea", "C++20", "Tests run with ctest", "The user is called Ada"});
        CHECK(scratch::mode_of(root / "notes") == 0700u);
        CHECK(scratch::mode_of(root / "notes/memory.md") == 0600u);
        CHECK(scratch::names_in(root / "notes").size() == 1u);
    }
    SECTION("no fact is more than one bullet, and each is read back as it was said") {
        auto const to = memory_at(root / "memory.md");
        strings const hostile = {"# heading",     "## 1999-01-01", "- bullet", "* bullet", "1. list",
                                 "12) list",      "> quote",       "```",      "~~~",      "[x](http://e)",
                                 "![](http://e)", "<script>",      "---",      "===",      "\\- escape",
                                 "a | b",         "`code` \\ <b>", "+ more",   "2024 was", "| table"};
        CHECK(added(to, hostile).empty());
        CHECK(facts_in(to) == hostile);
        CHECK(added(to, hostile).empty());
        CHECK(facts_in(to) == hostile);
        auto const bytes = scratch::bytes_of(root / "memory.md");
        CHECK(std::ranges::count(bytes, '\n') == static_cast<std::ptrdiff_t>(hostile.size()) + 2);
        CHECK(bytes.find("- \\# heading\n") != std::string::npos);
        CHECK(bytes.find("- 1\\. list\n") != std::string::npos);
        CHECK(bytes.find("- !\\[") == std::string::npos);
        CHECK(bytes.find("- \\!\\[](http://e)\n") != std::string::npos);
        CHECK(bytes.find("- \\<script>\n") != std::string::npos);

        auto const lines = memory_at(root / "lines.md");
        CHECK(added(lines, {"one\n## 2000-01-01\n- two\r\n", "\x1B[31mred",
                            "a\xE2\x80\xA8"
                            "b",
                            "bad \xFF byte"})
                  .empty());
        CHECK(facts_in(lines) == strings{"one ## 2000-01-01 - two", "[31mred", "a b", "bad \xEF\xBF\xBD byte"});
    }
    SECTION("a long fact is cut, and a file that would be too long is an error that changes nothing") {
        auto const to = memory_at(root / "memory.md", 200);
        CHECK(added(to, {std::string(150, 'a')}).empty());
        auto const before = scratch::bytes_of(root / "memory.md");
        CHECK(added(to, {"short", std::string(100, 'b')}) == "full: the file would be longer than most_bytes");
        CHECK(scratch::bytes_of(root / "memory.md") == before);
        CHECK(scratch::names_in(root / "").size() == 1u);
        CHECK(added(to, {"short"}).empty());
        CHECK(facts_in(to).size() == 2u);

        markdown_memory const brief{root / "brief.md", {.longest = condense::chars{5}}};
        CHECK(added(brief, {"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9 and more"}).empty());
        CHECK(facts_in(brief) == strings{"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9..."});

        scratch::write(root / "grown.md", std::string(201, '\n'));
        auto const grown = memory_at(root / "grown.md", 200);
        CHECK(added(grown, {"a"}) == "full: the file is longer than most_bytes");
        CHECK(std::string_view{grown.facts().error.reason} == "full: the file is longer than most_bytes");
    }
    SECTION("what people write stays, and counts as known") {
        std::string const mine =
            "# My notes\n\nSome prose.\n\n- Likes tea\r\n* other bullet\n  - nested\n- last, without a break";
        scratch::write(root / "memory.md", mine);
        ::chmod((root / "memory.md").c_str(), 0640);
        auto const to = memory_at(root / "memory.md");
        CHECK(facts_in(to) == strings{"Likes tea", "last, without a break"});
        CHECK(added(to, {"Likes tea", "last, without a break", "new"}).empty());
        CHECK(scratch::bytes_of(root / "memory.md") == mine + "\n\n## 2024-10-04\n\n- new\n");
        CHECK(scratch::mode_of(root / "memory.md") == 0640u);
    }
    SECTION("an unusable path is an error, and what is planted there is not followed") {
        scratch::write(root / "taken", "mine\n");
        CHECK(added(memory_at(root / "taken/memory.md"), {"a"}) == "open folder: Not a directory");
        CHECK(added(memory_at(root / ""), {"a"}).starts_with("open: "));
        CHECK(added(memory_at(std::string{"memory\0.md", 10}), {"a"}) == "open folder: Invalid argument");
        plant(root / "memory.md", root / "taken", root / "nothing");
        auto const to = memory_at(root / "memory.md");
        CHECK(added(to, {"a"}).starts_with("open: "));
        CHECK(to.facts().error);
        CHECK(scratch::bytes_of(root / "taken") == "mine\n");
        CHECK_FALSE(fs::exists(root / "nothing"));
    }
    SECTION("a folder in which everybody may replace files is refused unless that is asked for") {
        REQUIRE(fs::create_directory(root / "all"));
        REQUIRE(::chmod((root / "all").c_str(), 0777) == 0);
        auto const to = memory_at(root / "all/memory.md");
        CHECK(added(to, {"a"}) == open_to_others);
        CHECK(to.facts().error);
        CHECK(scratch::names_in(root / "all").empty());
        CHECK(added(markdown_memory{root / "all/memory.md", {.allow_open_folder = true}}, {"a"}).empty());
        REQUIRE(::chmod((root / "all").c_str(), 01777) == 0);  // as /tmp
        CHECK(added(to, {"b"}).empty());
    }
    SECTION("a file without a folder in its path stands where the program runs") {
        auto const before = fs::current_path();
        fs::current_path(root / "");
        CHECK(added(markdown_memory{"memory.md"}, {"a"}).empty());
        CHECK(fs::exists("memory.md"));
        fs::current_path(before);
    }
    SECTION("several processes add to one file, and each fact stands there once") {
        auto const path = root / "memory.md";
        markdown_memory const before{path};
        constexpr int each = 40;
        for (auto const &said : processes::at_once(4, [&](std::uint64_t writer, auto const& say) {
                 auto const to = writer >= 2 ? markdown_memory{path} : before;
                 for (int number = 0; number < each; ++number)
                     if (to.add({"shared " + std::to_string(number),
                                 std::to_string(writer) + " wrote " + std::to_string(number)}))
                         say(1);
             }))
            CHECK(said.empty());
        auto all = facts_in(before);
        CHECK(all.size() == 5u * each);
        std::ranges::sort(all);
        CHECK(std::ranges::adjacent_find(all) == all.end());
        CHECK(scratch::names_in(root / "").size() == 1u);
    }
}

TEST_CASE("markdown_memory: several threads add through copies of one handle") {
    scratch::folder const root{scratch::memory()};
    markdown_memory const to{root / "memory.md"};
    std::atomic<int> errors = 0;
    std::vector<std::thread> threads;
    for (int writer = 0; writer < 4; ++writer)
        threads.emplace_back([&errors, writer, copy = to] {
            for (int number = 0; number < 25; ++number) {
                errors += copy.add({"shared", std::to_string(100 * writer + number)}) ? 1 : 0;
                errors += copy.facts().error ? 1 : 0;
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(errors == 0);
    CHECK(facts_in(to).size() == 101u);
}

TEST_CASE("markdown_memory: a writer that is killed loses nothing it was told is kept, and leaves nothing torn") {
    struct place {
        scratch::folder root{scratch::memory()};
        auto open() const { return markdown_memory{root / "a", {.most_bytes = {std::uint64_t{1} << 26}}}; }
    };
    auto const fact = [](std::uint64_t number) { return "fact " + std::to_string(number) + std::string(300, 'x'); };
    kill_writers<place>(
        [&](place const& in, std::uint64_t next, auto const& say) {
            auto const to = in.open();
            for (;; ++next) {
                say(2 * next);
                if (to.add({fact(next)})) return;
                say(2 * next + 1);
            }
        },
        [&](place const& in, std::vector<std::uint64_t> const& acknowledged) {
            auto const all = facts_in(in.open());
            bool in_order = true;
            for (std::size_t at = 0; at < all.size(); ++at) in_order = in_order && all[at] == fact(at);
            REQUIRE(in_order);
            REQUIRE((acknowledged.empty() || all.size() > acknowledged.back()));
            return static_cast<std::uint64_t>(all.size());
        });
}
