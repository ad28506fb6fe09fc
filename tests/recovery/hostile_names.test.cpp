// SPDX-License-Identifier: BSL-1.0
// Whatever a tool, a call, a conversation or a reference is called, it reaches no path, no statement and no terminal.
#include <condense/recovery/tools.hpp>

#include <random>

#include <condense/store/file.hpp>
#include <condense/store/sqlite_journal.hpp>
#include <condense/store/sqlite_store.hpp>

#include "store/scratch.hpp"

namespace {

using condense::recovery_tools;

/// At least 500: traversal, absolute, NUL, line breaks, 64 KiB, escapes, overlong encodings, look-alikes, devices, SQL,
/// and joins of these.
std::vector<std::string> hostile_names() {
    std::vector<std::string> seeds{
        "",        ".",        "..",     "*",         "CON",         "-rf",           "`id`",           "COM1",
        "NUL.txt", "\xFF\xFE", "?[a-z]", "NEAR(a b)", "/etc/passwd", "~/.ssh/id_rsa", "$(touch owned)", "\" OR 1=1 --"};
    for (auto const* const longer : {"../../../outside/owned", "..\\..\\outside\\owned", "line\nbreak\r\n",
                                     "\x1B]0;owned\x07\x1B[2J", "%2e%2e%2foutside%2fowned", "\xC0\xAE\xC0\xAE\xC0\xAF",
                                     "\xE2\x80\xA4\xE2\x80\xA4/", "\xEF\xBC\x8E\xEF\xBC\x8E\xEF\xBC\x8F",
                                     "'; DROP TABLE artifact; --", "{\"reference\":1}", "\xE2\x80\xAEtxt.exe"})
        seeds.emplace_back(longer);
    seeds.insert(seeds.end(), {std::string("a\0../b", 6), std::string(65'536, 'n')});
    std::set<std::string> all{seeds.begin(), seeds.end()};
    std::mt19937_64 random{7};
    while (all.size() < 520) all.insert(seeds[random() % seeds.size()].substr(0, 200) + seeds[random() % seeds.size()]);
    return {all.begin(), all.end()};
}

/// Every name below a folder.
std::vector<std::string> names_below(std::string const& folder) {
    std::vector<std::string> names;
    for (auto const& entry : std::filesystem::recursive_directory_iterator{folder})
        names.push_back(entry.path().filename().string());
    return names;
}

bool is_plain_name(std::string_view name) {
    return !name.empty() && name.size() <= 80 &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") == std::string_view::npos;
}

std::string json_text(std::string_view text) {
    std::string out{"\""};
    condense::detail::json::append_escaped(out, condense::detail::utf8::scrubbed_copy(text));
    return out + "\"";
}

template <class Store, class Journal>
void check_names(Store const& store, Journal const& journal) {
    auto const names = hostile_names();
    CHECK(names.size() >= 500);
    std::uint64_t number = 0;
    for (auto const& name : names) {
        auto const content = "content " + std::to_string(number);
        REQUIRE_FALSE(store.put(store.name(content), content,
                                {.conversation = name, .tool = name, .call = name, .type = "text"}));
        REQUIRE_FALSE(journal.append(name, {journal.name(content), number++}, content));
    }
    REQUIRE_FALSE(journal.flush(names.front()));
    number = 0;
    bool alone = true, printable = true, refused = true;
    for (auto const& name : names) {
        auto const content = "content " + std::to_string(number++);
        alone = alone && store.source(store.name(content), name).has_value();
        std::size_t lines = 0;
        REQUIRE_FALSE(journal.read(name, [&](condense::journal_entry const&, std::string_view text) {
            ++lines;
            alone = alone && text == content;
        }));
        alone = alone && lines == 1;
        if (number % 8 != 0) continue;
        recovery_tools const tools{store, journal, {.conversation = name}};
        refused = refused && tools.call("read_artifact", R"({"reference":)" + json_text(name) + "}").is_error;
        for (auto const* const tool : {"list_artifacts", "list_sessions", "search_history", "recent_history"}) {
            auto const text = tools.call(tool, R"({"query":)" + json_text(name) + "}").text;
            for (char const byte : text)
                printable = printable && (byte == '\n' || static_cast<unsigned char>(byte) >= 0x20);
            printable = printable && condense::detail::utf8::valid(text);
        }
    }
    CHECK(alone);
    CHECK(printable);
    CHECK(refused);
}

}  // namespace

TEST_CASE("hostile names: folders have none of them in a path", "[law-H1]") {
    scratch::folder const root{scratch::memory()};
    std::filesystem::create_directory(root / "outside");
    check_names(condense::artifact_folder{root / "in/artifacts"}, condense::journal_folder{root / "in/journals"});
    CHECK(names_below(root / "outside").empty());
    CHECK(scratch::names_in(root / "").size() == 2);
    auto const names = names_below(root / "in");
    CHECK(names.size() > 1'500);
    for (auto const& name : names)
        if (!is_plain_name(name)) FAIL_CHECK(name);
}

TEST_CASE("hostile names: databases have none of them in a statement", "[law-H1]") {
    scratch::folder const root{scratch::memory()};
    check_names(condense::sqlite_store{root / "in/a.db"}, condense::sqlite_journal{root / "in/j.db"});
    CHECK(scratch::names_in(root / "").size() == 1);
    for (auto const& name : names_below(root / "in")) CHECK(is_plain_name(name));
}
