// SPDX-License-Identifier: BSL-1.0
#include <condense/store/journal_folder.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/testing/journal_laws.hpp>

#include "store/journal_lines.hpp"
#include "store/kills.hpp"
#include "store/processes.hpp"
#include "store/recorded_talk.hpp"
#include "store/scratch.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/sanitized.hpp"
#include "support/violations.hpp"

namespace {

namespace fs = std::filesystem;
using condense::journal_folder;
using store_tests::add;
using store_tests::lines;
using store_tests::lines_of;

static_assert(condense::listable_journal<journal_folder>);
static_assert(journal_folder::durable);

/// Two lines a file, or three.
constexpr condense::journal_folder_options small{.most_file_bytes = condense::bytes{300}};

/// Journals in folders of their own, which last as long as the maker, with few files or many.
class maker {
public:
    journal_folder operator()() {
        folders_.emplace_back(scratch::memory());
        return reopen();
    }
    journal_folder reopen() const { return {folders_.back() / "a/sessions", options_}; }

private:
    condense::journal_folder_options options_ = GENERATE(condense::journal_folder_options{}, small);
    std::list<scratch::folder> folders_;
};

std::string reason(condense::store_error const& problem) { return std::string{std::string_view{problem.reason}}; }

/// Numbers from 0 on, with content of every kind.
std::string content_of(std::uint64_t number) {
    auto const text = std::to_string(number) + std::string(number % 5 * 10, 'x');
    switch (number % 3) {
        case 0: return "{\"n\":" + std::to_string(number) + ".00,\"s\":\"" + text + "\"}";
        case 1: return text + "\n\"" + text;
        default: return text + "\xFF";
    }
}

std::string file_of(std::string_view conversation, std::string_view number = "") {
    return condense::content_hash{}(conversation, 0).text().append(number) + ".jsonl";
}

/// The folder's files for the conversation, in order.
std::vector<std::string> files_in(std::string const& folder, std::string_view conversation = "c") {
    std::vector<std::string> files;
    for (auto name = file_of(conversation); fs::exists(folder + "/" + name);
         name = file_of(conversation, "." + std::to_string(files.size())))
        files.push_back(name);
    return files;
}

/// File, offset and length of each line that is reported.
using places = std::vector<std::tuple<std::string, std::uint64_t, std::uint64_t>>;

places damage_in(std::string const& folder, std::string_view conversation = "c") {
    places all;
    CHECK_FALSE(journal_folder{folder}.damage(conversation, [&](condense::journal_damage const& each) {
        all.emplace_back(each.file, each.offset, each.bytes);
    }));
    return all;
}

/// What is between two line breaks of the file, and not a line of `whole`.
places pieces_not_in(std::string whole, std::string const& folder, std::string const& name) {
    places all;
    whole.insert(0, "\n");
    auto const bytes = scratch::bytes_of(folder + "/" + name);
    for (std::size_t at = 0; at < bytes.size();) {
        auto const end = std::min(bytes.find('\n', at), bytes.size());
        if (end != at && whole.find('\n' + bytes.substr(at, end - at) + '\n') == std::string::npos)
            all.emplace_back(name, at, end - at);
        at = end + 1;
    }
    return all;
}

std::size_t bytes_per_line(std::string const& file) {
    auto const bytes = scratch::bytes_of(file);
    return bytes.find('\n') + 1;
}

/// The numbers that are read, which are right in every other respect.
std::vector<std::uint64_t> numbers_in(std::string const& folder, std::string_view conversation = "c") {
    std::vector<std::uint64_t> numbers;
    for (auto const& [entry, content] : lines_of(journal_folder{folder}, conversation)) {
        if (!entry.is_derived) CHECK((content == content_of(entry.number)));
        numbers.push_back(entry.number);
    }
    return numbers;
}

std::vector<std::uint64_t> up_to(std::uint64_t end) {
    std::vector<std::uint64_t> numbers(end);
    for (std::uint64_t number = 0; number < end; ++number) numbers[number] = number;
    return numbers;
}

std::string add(journal_folder const& to, std::uint64_t number) { return add(to, "c", number, content_of(number)); }

}  // namespace

TEST_CASE("journal_folder: keeps the laws of journals") {
    maker make;
    CHECK(text_of(condense::testing::check_journal_laws(make, [&] { return make.reopen(); })) == "");
}

TEST_CASE("journal_folder: a line for any JSON tool") {
    scratch::folder const root;
    journal_folder const to{root / "j"};
    auto const all = condense::testing::hostile_contents();
    for (std::uint64_t number = 0; number < all.size(); ++number) REQUIRE(add(to, "c", number, all[number]).empty());
    REQUIRE_FALSE(to.append("c", {to.name("x"), 99, true}, {}));
    std::ifstream file{scratch::the_file_in(root / "j")};
    std::string line;
    std::uint64_t number = 0;
    std::size_t plain = 0;
    while (std::getline(file, line)) {
        if (number == all.size()) break;
        auto const& content = all[number];
        auto const parsed = nlohmann::json::parse(line);
        CHECK(parsed.at("number") == number);
        CHECK(parsed.at("name") == to.name(content).text());
        CHECK(parsed.at("conversation") == "c");
        CHECK(parsed.at("time") > 1'700'000'000);
        if (parsed.contains("message")) CHECK((line.ends_with(",\"message\":" + content + "}")));
        else if (parsed.contains("text")) CHECK((parsed.at("text") == content));
        else CHECK(parsed.at("base64").is_string());
        plain += parsed.contains("message");
        ++number;
    }
    CHECK(plain == 8);
    CHECK(number == all.size());
    auto const made = nlohmann::json::parse(line);
    CHECK(made.at("made") == true);
    CHECK(made.at("number") == 99);
    REQUIRE(add(to, "\xFF", 0, "a").empty());
    CHECK(nlohmann::json::parse(scratch::bytes_of(root / "j/" + file_of("\xFF"))).at("conversation64") == "/w==");
}

TEST_CASE("journal_folder: names of files are hashes, and files for their owner alone") {
    scratch::folder const root;
    auto const before = ::umask(0);
    journal_folder const to{root / "made/sessions"};
    auto const ids = condense::testing::hostile_conversations();
    for (auto const& id : ids) CHECK(add(to, id, 1, "a").empty());
    for (auto const& id : ids) CHECK_FALSE(to.flush(id));
    ::umask(before);
    CHECK(scratch::names_in(root / "") == std::vector<std::string>{"made"});
    CHECK(scratch::mode_of(root / "made") == 0700);
    CHECK(scratch::mode_of(root / "made/sessions") == 0700);
    auto const names = scratch::names_in(root / "made/sessions");
    CHECK(names.size() == ids.size());
    for (auto const& name : names) {
        CHECK(name.size() == 30);
        CHECK(name.find_first_not_of("0123456789abcdef") == 24);
        CHECK(name.ends_with(".jsonl"));
        CHECK(scratch::mode_of(root / "made/sessions/" + name) == 0600);
    }
}

TEST_CASE("journal_folder: a folder that is open to others or a link is refused unless that is asked for") {
    scratch::folder const root;
    REQUIRE(fs::create_directory(root / "j"));
    fs::create_directory_symlink(root / "j", root / "link");
    std::string refused = "open folder: the folder must be no link, or allow_open_folder be set";
    auto path = root / "link";
    SECTION("a link") { REQUIRE(fs::is_symlink(root / "link")); }
    SECTION("open to others") {
        path = root / "j";
        REQUIRE(::chmod(path.c_str(), 0777) == 0);
        refused = "open folder: the folder must be closed to others (chmod go-w), or allow_open_folder be set";
    }
    journal_folder const to{path};
    CHECK_FALSE(add(to, "c", 0, "a").empty());
    CHECK(reason(to.read("c", [](auto&&...) {})) == refused);
    CHECK(reason(to.each_conversation([](auto&&...) {})) == refused);
    CHECK(scratch::names_in(root / "j").empty());
    CHECK(add(journal_folder{path, {.allow_open_folder = true}}, "c", 0, "a").empty());
    CHECK(scratch::names_in(root / "j").size() == 1);
}

TEST_CASE("journal_folder: conversations that share a file read each their own lines") {
    scratch::folder const root;
    condense::basic_journal_folder const to{root / "j", condense::testing::law_hash{2}};
    for (std::uint64_t number = 0; number < 5; ++number) {
        CHECK(add(to, "one", number, "1").empty());
        CHECK(add(to, "two", number, "2").empty());
    }
    CHECK(scratch::names_in(root / "j").size() == 1);
    CHECK(lines_of(to, "one").size() == 5);
    for (auto const& [entry, content] : lines_of(to, "two")) CHECK(content == "2");
    CHECK(lines_of(to, "three").empty());
    std::ofstream{scratch::the_file_in(root / "j"), std::ios::app} << "torn";
    std::size_t damaged = 0;
    CHECK_FALSE(to.damage("two", [&](condense::journal_damage const& each) { damaged += each.bytes; }));
    CHECK(damaged == 4);
    std::map<std::string, std::uint64_t> entries;
    CHECK_FALSE(
        to.each_conversation([&](condense::journal_conversation const& each) { entries[each.id] += each.entries; }));
    CHECK(entries == std::map<std::string, std::uint64_t>{{"one", 5}, {"two", 5}});
}

TEST_CASE("journal_folder: lines of the earlier format are read and listed with those that follow") {
    scratch::folder const root;
    journal_folder const to{root / "j"};
    REQUIRE(fs::create_directory(root / "j"));
    // Of the conversations "c", which goes on, "", and "gone", whose id is nowhere.
    scratch::write(root / "j/" + file_of("c"),
                   "{\"number\":12,\"name\":\"1d01ab9bcd12a393cad94741\",\"check\":\"49cbe33f01ca4c42\",\"message\":"
                   "{\"a\":1.00}}\n{\"number\":14,\"name\":\"775a9e78fdf5aad7f2386670\",\"check\":\"fd8d460252fccfc7\","
                   "\"made\":true}\n");
    scratch::write(root / "j/" + file_of(""),
                   "{\"number\":1,\"name\":\"a96faf705af16834e6c632b6\",\"check\":"
                   "\"8f5b5f47d93eca02\",\"text\":\"a\"}\n");
    scratch::write(root / "j/" + file_of("gone"),
                   "{\"number\":1,\"name\":\"a96faf705af16834e6c632b6\",\"check\":"
                   "\"0ab92b0590a3a776\",\"text\":\"a\"}\n");
    CHECK(damage_in(root / "j").empty());
    CHECK(lines_of(to, "").size() == 1);
    CHECK(lines_of(to, "gone").size() == 1);
    REQUIRE_FALSE(to.append("c", {to.name("x"), 15, true}, {}));
    lines const expected{{{to.name("{\"a\":1.00}"), 12}, "{\"a\":1.00}"},
                         {{to.name("q"), 14, true}, ""},
                         {{to.name("x"), 15, true}, ""}};
    CHECK((lines_of(to, "c") == expected));
    CHECK(lines_of(to, "c")[0].first.time == 0);
    std::vector<std::pair<std::string, std::uint64_t>> const conversations{{"c", 3}, {"", 1}};
    CHECK(store_tests::conversations_in(to) == conversations);
}

TEST_CASE("journal_folder: what is no line of the conversation's own is not counted in a list") {
    scratch::folder const root;
    journal_folder const to{root / "j"};
    for (std::uint64_t number = 0; number < 3; ++number) REQUIRE(add(to, number).empty());
    REQUIRE(add(to, "d", 0, content_of(0)).empty());
    auto bytes = scratch::bytes_of(root / "j/" + file_of("c"));
    bytes[20] ^= 1;
    scratch::write(root / "j/" + file_of("c"),
                   scratch::bytes_of(root / "j/" + file_of("d")) + bytes + bytes.substr(0, 90));
    scratch::write(root / "j/" + file_of("e"), scratch::bytes_of(root / "j/" + file_of("d")));
    for (auto const* const name : {"x.jsonl", "0123456789abcdef01234567.txt", "0123456789abcdef01234567.jsonl"})
        scratch::write(root / "j/" + name, "{}\n");
    auto const expected = [](auto all) {
        return std::ranges::is_permutation(all, std::vector<std::pair<std::string, std::uint64_t>>{{"c", 2}, {"d", 1}});
    };
    CHECK(expected(store_tests::conversations_in(to)));
    // One file that cannot be read hides no other.
    REQUIRE(fs::create_directory(root / "j/" + file_of("f")));
    std::vector<std::pair<std::string, std::uint64_t>> all;
    CHECK(reason(to.each_conversation([&](auto const& each) {
              all.emplace_back(each.id, each.entries);
          })).starts_with("open: "));
    CHECK(expected(all));
}

TEST_CASE("journal_folder: an unusable path is an error, and is tried again") {
    scratch::folder const root;
    scratch::write(root / "taken", "a file");
    journal_folder const to{root / "taken"};
    CHECK(add(to, 0) == "open: Not a directory");
    CHECK(reason(to.flush("c")) == "open: Not a directory");
    CHECK(reason(to.read("c", [](auto&&...) {})) == "open folder: Not a directory");
    CHECK(scratch::bytes_of(root / "taken") == "a file");
    fs::remove(root / "taken");
    CHECK(lines_of(to, "c").empty());
    CHECK_FALSE(fs::exists(root / "taken"));
    CHECK(add(to, 0).empty());
    CHECK_FALSE(to.flush("c"));
    CHECK(numbers_in(root / "taken") == up_to(1));
}

TEST_CASE("journal_folder: what is planted at a name is neither followed nor changed") {
    scratch::folder const root;
    journal_folder const to{root / "j"};
    fs::create_directory(root / "j");
    bool const first = GENERATE(true, false);
    auto const place = root / "j/" + file_of("c", first ? "" : ".1");
    if (!first) REQUIRE(add(to, 0).empty());
    scratch::write(root / "outside", "mine\n");
    SECTION("link to a file") { REQUIRE_NOTHROW(fs::create_symlink(root / "outside", place)); }
    SECTION("link to nothing") { REQUIRE_NOTHROW(fs::create_symlink(root / "nothing", place)); }
    SECTION("folder") { REQUIRE(fs::create_directory(place)); }
    SECTION("pipe") { REQUIRE(::mkfifo(place.c_str(), 0600) == 0); }
    CHECK(add(to, 0).starts_with("open: "));
    CHECK(to.flush("c"));
    CHECK(to.read("c", [&](auto&&...) { CHECK_FALSE(first); }));
    CHECK(to.damage("c", [](auto&&...) { FAIL("nothing is to be read"); }));
    CHECK_FALSE(fs::exists(root / "nothing"));
    CHECK(scratch::bytes_of(root / "outside") == "mine\n");
    CHECK(add(to, "other", 0, "a").empty());
}

TEST_CASE("journal_folder: cut at any byte of its last three lines") {
    scratch::folder const root;
    for (bool const made_last : {false, true}) {
        fs::remove_all(root / "j");
        journal_folder const first{root / "j"};
        for (std::uint64_t number = 0; number < 6; ++number)
            if (made_last && number == 5) REQUIRE_FALSE(first.append("c", {first.name("x"), 5, true}, {}));
            else REQUIRE(add(first, number).empty());
        auto const file = scratch::the_file_in(root / "j");
        auto const bytes = scratch::bytes_of(file);
        std::vector<std::size_t> ends;  // of the lines, without their breaks
        for (std::size_t at = 0; at < bytes.size(); ++at)
            if (bytes[at] == '\n') ends.push_back(at);
        REQUIRE(ends.size() == 6);
        for (auto cut = ends[2] + 1; cut <= bytes.size(); ++cut) {
            scratch::write(file, bytes.substr(0, cut));
            auto const whole =
                static_cast<std::uint64_t>(std::ranges::count_if(ends, [&](auto end) { return end <= cut; }));
            CAPTURE(cut, whole);
            REQUIRE(numbers_in(root / "j") == up_to(whole));
            auto const begin = whole == 0 ? 0 : ends[whole - 1] + 1;
            places torn;
            if (cut > begin) torn.emplace_back(file_of("c"), begin, cut - begin);
            REQUIRE(damage_in(root / "j") == torn);
            journal_folder const again{root / "j"};
            for (auto number = whole; number < 7; ++number) REQUIRE(add(again, number).empty());
            REQUIRE(numbers_in(root / "j") == up_to(7));
            REQUIRE(damage_in(root / "j") == torn);
        }
    }
}

TEST_CASE("journal_folder: damaged bytes cost the lines they stand in") {
    scratch::folder const root{scratch::memory()};
    journal_folder const to{root / "j"};
    for (std::uint64_t number = 0; number < 6; ++number) REQUIRE(add(to, number).empty());
    REQUIRE_FALSE(to.append("c", {to.name("x"), 6, true}, {}));
    auto const file = scratch::the_file_in(root / "j");
    auto const bytes = scratch::bytes_of(file);
    std::size_t line = 0;
    for (std::size_t at = 0; at < bytes.size(); line += bytes[at] == '\n', ++at)
        for (int const change : {1, 2, 0x20, 0x80, bytes[at] ^ '\n', bytes[at] & 0xFF}) {
            auto damaged = bytes;
            damaged[at] = static_cast<char>(damaged[at] ^ change);
            if (damaged == bytes) continue;
            scratch::write(file, damaged);
            auto expected = up_to(7);
            if (bytes[at] == '\n' && at + 1 != bytes.size()) std::erase(expected, line + 1);
            std::erase(expected, line);
            CAPTURE(at, change);
            REQUIRE(numbers_in(root / "j") == expected);
            if (at % stride() == 0) REQUIRE(damage_in(root / "j") == pieces_not_in(bytes, root / "j", file_of("c")));
        }
}

TEST_CASE("journal_folder: runs of NUL, foreign lines and enormous lines are left out") {
    scratch::folder const root;
    journal_folder const to{root / "j"};
    for (std::uint64_t number = 0; number < 3; ++number) REQUIRE(add(to, number).empty());
    auto const file = scratch::the_file_in(root / "j");
    auto bytes = scratch::bytes_of(file);
    auto const sound = bytes;
    auto const second = bytes_per_line(file);
    auto const reports_pieces = [&] { return damage_in(root / "j") == pieces_not_in(sound, root / "j", file_of("c")); };
    SECTION("over a line") {
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(second), 20, '\0');
        scratch::write(file, bytes);
        CHECK(numbers_in(root / "j") == std::vector<std::uint64_t>{0, 2});
        CHECK(reports_pieces());
        CHECK(damage_in(root / "j").size() == 1);
    }
    SECTION("between lines, and over breaks") {
        bytes.insert(second, std::string(70'000, '\0'));
        scratch::write(file, bytes);
        CHECK(numbers_in(root / "j") == std::vector<std::uint64_t>{0, 2});
        CHECK(reports_pieces());
        bytes[second - 1] = '\0';
        scratch::write(file, bytes);
        CHECK(numbers_in(root / "j") == std::vector<std::uint64_t>{2});
        CHECK(reports_pieces());
    }
    SECTION("at the end") {
        scratch::write(file, bytes + std::string(5'000, '\0'));
        CHECK(numbers_in(root / "j") == up_to(3));
        CHECK(add(to, 3).empty());
        CHECK(numbers_in(root / "j") == up_to(4));
        CHECK(damage_in(root / "j") == places{{file_of("c"), bytes.size(), 5'000}});
    }
    SECTION("foreign") {
        scratch::write(file, "\n\n{}\n" + bytes + "{\"number\":3}\nnull\n\xFF\n[" + std::string(200'000, '['));
        CHECK(numbers_in(root / "j") == up_to(3));
        CHECK(reports_pieces());
        CHECK(damage_in(root / "j").size() == 5);
    }
    SECTION("another conversation's") {
        REQUIRE(add(to, "d", 9, content_of(9)).empty());
        scratch::write(file, scratch::bytes_of(root / "j/" + file_of("d")) + bytes);
        CHECK(numbers_in(root / "j") == up_to(3));
        CHECK(damage_in(root / "j").empty());
    }
    SECTION("enormous") {
        if (effort() < 100) {
            WARN("skipped: a line of two gigabytes in journal_folder (--full)");
            SUCCEED();
            return;
        }
        REQUIRE(::truncate(file.c_str(), off_t{1} << 31) == 0);
        CHECK(add(to, 3).empty());
        processes::child reader{[&](auto& say) {
            for (auto const& [entry, content] : lines_of(to, "c")) say(entry.number);
            if (damage_in(root / "j") != places{{file_of("c"), bytes.size(), (1u << 31) - bytes.size()}}) say(0);
            ::rusage used = {};
            ::getrusage(RUSAGE_SELF, &used);
            say(static_cast<std::uint64_t>(used.ru_maxrss));  // kilobytes
        }};
        auto said = reader.join();
        if (!sanitized) CHECK(said.back() < 1'000'000);
        said.pop_back();
        CHECK(said == up_to(4));
    }
}

TEST_CASE("journal_folder: content that no line can hold is refused") {
    if (effort() < 100) {
        WARN("skipped: content of 256 MiB for journal_folder (--full)");
        SUCCEED();
        return;
    }
    scratch::folder const root;
    journal_folder const to{root / "j"};
    auto const size = journal_folder::most_bytes + 1;
    auto* const zeros = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(zeros != MAP_FAILED);
    CHECK(add(to, "c", 0, {static_cast<char const*>(zeros), size}) == "longer than 256 MiB");
    CHECK(add(to, "c", 0, {static_cast<char const*>(zeros), size / 5}) == "longer than 256 MiB");
    ::munmap(zeros, size);
    CHECK_FALSE(fs::exists(root / "j"));
}

TEST_CASE("journal_folder: a limit on file sizes takes nothing that was there, and ends") {
    scratch::folder const root;
    journal_folder const to{root / "j"};
    std::uint64_t number = 0;
    for (; number < 3; ++number) REQUIRE(add(to, number).empty());
    auto const file = scratch::the_file_in(root / "j");
    auto const size = fs::file_size(file);
    for (std::size_t room = 0; room < 60; ++room) {
        processes::file_size_limit const limit{size + room};
        REQUIRE(add(to, number) ==
                "write: File too large: the file must be within the limit of file sizes (ulimit -f)");
        REQUIRE(fs::file_size(file) == size);
    }
    CHECK_FALSE(to.flush("c"));
    CHECK(numbers_in(root / "j") == up_to(3));
    for (; number < 6; ++number) REQUIRE(add(to, number).empty());
    CHECK(numbers_in(root / "j") == up_to(6));
}

TEST_CASE("journal_folder: a full, then read-only, disk leaves no hole") {
    scratch::folder const root;
    processes::small_disk const disk{root / "disk", "size=64k"};
    if (!disk.mounted()) {
        WARN("skipped: no file system can be mounted here");
        return;
    }
    auto const ballast = root / "disk/ballast";
    scratch::write(ballast, std::string(40'000, 'x'));
    journal_folder const to{root / "disk/j"};
    std::uint64_t number = 0;
    std::string problem;
    while (problem.empty() && number < 1'000) {
        problem = add(to, number);
        if (problem.empty()) ++number;
    }
    CHECK(problem == "write: No space left on device: the disk must have room");
    CHECK(add(to, number) == problem);
    CHECK(number > 10);
    CHECK_FALSE(to.flush("c"));
    CHECK(numbers_in(root / "disk/j") == up_to(number));
    CHECK(scratch::bytes_of(scratch::the_file_in(root / "disk/j")).ends_with("}\n"));
    fs::remove(ballast);
    for (auto const end = number + 20; number < end; ++number) REQUIRE(add(to, number).empty());
    CHECK_FALSE(to.flush("c"));
    CHECK(numbers_in(root / "disk/j") == up_to(number));
}

TEST_CASE("journal_folder: a disk without room for files, and a read-only one") {
    scratch::folder const root;
    processes::small_disk const disk{root / "disk", "size=64k,nr_inodes=4"};
    if (!disk.mounted()) {
        WARN("skipped: no file system can be mounted here");
        return;
    }
    {
        journal_folder const first{root / "disk/j"};
        REQUIRE(add(first, 0).empty());
        scratch::write(root / "disk/ballast", "");
        CHECK(add(first, "d", 0, "a") == "open: No space left on device: the disk must have room");
        fs::remove(root / "disk/ballast");
        CHECK(add(first, "d", 0, "a").empty());
    }
    REQUIRE(disk.make_read_only(true));
    journal_folder const to{root / "disk/j"};
    CHECK(add(to, 1) == "open: Read-only file system: the file system must be writable");
    CHECK(numbers_in(root / "disk/j") == up_to(1));
    REQUIRE(disk.make_read_only(false));
    CHECK(add(to, 1).empty());
    CHECK(numbers_in(root / "disk/j") == up_to(2));
}

TEST_CASE("journal_folder: too many open files are an error that passes") {
    scratch::folder const root;
    journal_folder const to{root / "j"};
    REQUIRE(add(to, 0).empty());
    auto const [other, same] =
        processes::with_few_files([&] { return std::pair{add(to, "other", 0, "a"), add(to, 1)}; });
    CHECK(other.ends_with(": Too many open files: the process must be allowed more open files (ulimit -n)"));
    CHECK(same.empty());
    CHECK(add(to, "other", 0, "a").empty());
    CHECK(numbers_in(root / "j") == up_to(2));
}

TEST_CASE("journal_folder: many conversations hold few files open") {
    scratch::folder const root;
    journal_folder const to{root / "j"};
    auto const open_files = [] { return scratch::names_in("/proc/self/fd").size(); };
    auto const before = open_files();
    constexpr std::size_t many = journal_folder::most_files + 30;
    for (std::uint64_t number = 0; number < 2; ++number)
        for (std::size_t which = 0; which < many; ++which)
            REQUIRE(add(to, std::to_string(which), number, content_of(number)).empty());
    CHECK(open_files() <= before + journal_folder::most_files + 1);
    for (std::size_t which = 0; which < many; ++which) {
        CHECK_FALSE(to.flush(std::to_string(which)));
        CHECK(numbers_in(root / "j", std::to_string(which)) == up_to(2));
    }
}

TEST_CASE("journal_folder: a removed file is told once") {
    scratch::folder const root;
    journal_folder const to{root / "j"};
    REQUIRE(add(to, 0).empty());
    fs::remove_all(root / "j");
    CHECK(reason(to.flush("c")) == "the journal's file was moved or removed");
    CHECK_FALSE(to.flush("c"));
    REQUIRE(add(to, 0).empty());
    fs::remove(scratch::the_file_in(root / "j"));
    CHECK(add(to, 1) == "the journal's file was moved or removed");
    REQUIRE(add(to, 0).empty());
    REQUIRE_FALSE(to.flush("c"));
    fs::remove_all(root / "j");
    CHECK(add(to, 0) == "the journal's file was moved or removed");
    CHECK(add(to, 0).empty());
    CHECK(numbers_in(root / "j") == up_to(1));
}

TEST_CASE("journal_folder: several processes append to one journal, also through a handle from before the fork") {
    scratch::folder const root;
    constexpr std::uint64_t each = 300;
    journal_folder const before{root / "j"};
    REQUIRE(add(before, "c", 9'999, content_of(9'999)).empty());
    std::vector<processes::child> children;
    for (std::uint64_t writer = 0; writer < 6; ++writer)
        children.emplace_back([&, writer](auto& say) {
            auto const to = writer >= 3 ? journal_folder{root / "j"} : before;
            for (std::uint64_t line = 0; line < each; ++line) {
                auto const number = writer * 1'000 + line;
                if (!add(to, number).empty()) say(number);
                if (line % 100 == 0 && to.flush("c")) say(number);
            }
        });
    for (auto& child : children) CHECK(child.join().empty());
    std::vector<std::uint64_t> next(6);
    for (auto const number : numbers_in(root / "j"))
        if (number != 9'999) CHECK(number % 1'000 == next[number / 1'000]++);
    CHECK(next == std::vector(6, each));
    auto const bytes = scratch::bytes_of(scratch::the_file_in(root / "j"));
    CHECK(std::ranges::count(bytes, '\n') == 6 * each + 1);
}

TEST_CASE("journal_folder: a full file is followed by another one, and all are read in order") {
    scratch::folder const root;
    journal_folder const first{root / "j", small};
    journal_folder const second{root / "j", small};
    for (std::uint64_t number = 0; number < 40; ++number) {
        REQUIRE(add(number % 3 == 0 ? second : first, number).empty());
        if (number % 5 == 0) REQUIRE_FALSE((number % 2 == 0 ? second : first).flush("c"));
        REQUIRE(numbers_in(root / "j") == up_to(number + 1));
    }
    auto const files = files_in(root / "j");
    CHECK(files.size() == scratch::names_in(root / "j").size());
    CHECK(files.size() > 10);
    for (auto const& name : files) {
        auto const bytes = scratch::bytes_of(root / "j/" + name);
        if (name != files.back()) CHECK(bytes.size() >= small.most_file_bytes.count);
        CHECK(bytes.rfind('\n', bytes.size() - 2) + 1 < small.most_file_bytes.count);
    }
    std::vector<std::pair<std::string, std::uint64_t>> const expected{{"c", 40}};
    CHECK(store_tests::conversations_in(first) == expected);
    SECTION("damage says in which file it is") {
        auto bytes = scratch::bytes_of(root / "j/" + files[3]);
        auto const second_line = bytes.find('\n') + 1;
        bytes.resize(bytes.size() - 2);
        scratch::write(root / "j/" + files[3], bytes);
        CHECK(damage_in(root / "j") == places{{files[3], second_line, bytes.size() - second_line}});
        CHECK(numbers_in(root / "j").size() == 39);
        CHECK(add(first, 40).empty());
        CHECK(numbers_in(root / "j").back() == 40);
    }
    SECTION("the others are read where the oldest were removed") {
        for (std::size_t which = 0; which < 5; ++which) fs::remove(root / "j/" + files[which]);
        auto const left = numbers_in(root / "j");
        CHECK(left.size() > 20);
        CHECK(left.back() == 39);
        CHECK(add(journal_folder{root / "j", small}, 40).empty());
        CHECK(numbers_in(root / "j").size() == left.size() + 1);
        CHECK(numbers_in(root / "j").back() == 40);
        CHECK(store_tests::conversations_in(first).at(0).second == left.size() + 1);
        CHECK_FALSE(fs::exists(root / "j/" + files[0]));
    }
}

TEST_CASE("journal_folder: a line that is being written is no damage") {
    scratch::folder const root;
    journal_folder const to{root / "j"};
    for (std::uint64_t number = 0; number < 2; ++number) REQUIRE(add(to, number).empty());
    auto const file = root / "j/" + file_of("c");
    auto const bytes = scratch::bytes_of(file);
    auto const half = bytes.size() - 20;
    scratch::write(file, bytes.substr(0, half));
    condense::detail::posix::descriptor const other{::open(file.c_str(), O_RDWR | O_APPEND | O_CLOEXEC)};
    REQUIRE(::flock(other.number(), LOCK_EX) == 0);
    std::thread writer{[&] {
        std::this_thread::sleep_for(std::chrono::milliseconds{100});
        static_cast<void>(condense::detail::posix::write_all(other, std::string_view{bytes}.substr(half)));
        ::flock(other.number(), LOCK_UN);
    }};
    auto const damage = damage_in(root / "j");
    writer.join();
    CHECK(damage.empty());
    CHECK(numbers_in(root / "j") == up_to(2));
}

TEST_CASE("journal_folder: six processes append while files end and begin, and lines stand as they were appended") {
    scratch::folder const root{scratch::memory()};
    constexpr std::uint64_t each = 150;
    auto* const shared = ::mmap(nullptr, 4'096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(shared != MAP_FAILED);
    auto* const moments = new (shared) std::atomic<std::uint64_t>{0};
    journal_folder const before{root / "j", small};
    std::vector<processes::child> children;
    for (std::uint64_t writer = 0; writer < 6; ++writer)
        children.emplace_back([&, writer](auto& say) {
            auto const to = writer % 2 == 0 ? journal_folder{root / "j", small} : before;
            for (std::uint64_t line = 0; line < each; ++line) {
                auto const number = writer * 1'000 + line;
                say(++*moments);
                if (!add(to, number).empty()) ::_exit(1);
                say(++*moments);
                if (line % 20 == 0 && to.flush("c")) ::_exit(1);
            }
        });
    std::vector<std::uint64_t> numbers;
    for (int tries = 0; numbers.size() < 6 * each && tries < 2'000; ++tries) {
        auto const before_that = std::exchange(numbers, numbers_in(root / "j"));
        // What was read once stays in its place.
        REQUIRE(std::ranges::mismatch(before_that, numbers).in1 == before_that.end());
    }
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> spans;  // when an append began and ended
    for (std::uint64_t writer = 0; writer < 6; ++writer) {
        auto const said = children[writer].join();
        REQUIRE(said.size() == 2 * each);
        for (std::uint64_t line = 0; line < each; ++line)
            spans[writer * 1'000 + line] = {said[2 * line], said[2 * line + 1]};
    }
    ::munmap(shared, 4'096);
    numbers = numbers_in(root / "j");
    REQUIRE(numbers.size() == 6 * each);
    std::uint64_t latest_begin = 0;
    std::size_t disorder = 0;
    for (auto const number : numbers) {
        disorder += spans.at(number).second < latest_begin;
        latest_begin = std::max(latest_begin, spans.at(number).first);
        spans.erase(number);
    }
    CHECK(disorder == 0);
    CHECK(spans.empty());
    CHECK(damage_in(root / "j").empty());
    CHECK(files_in(root / "j").size() > each);
}

TEST_CASE("journal_folder: a writer that is killed loses nothing it was told is kept") {
    for (auto const& options : {condense::journal_folder_options{}, small})
        store_tests::journal_outlives_killed_writers(
            [&](std::string const& path) { return journal_folder{path, options}; });
}

TEST_CASE("journal_folder: a session whose journal was moved or removed records everything anew, and says so once",
          "[law-6]") {
    scratch::folder const root;
    journal_folder const to{root / "j"};
    store_tests::recorded_talk talk{to};
    for (int number = 0; number < 3; ++number) talk.say(number);
    bool const moved = GENERATE(false, true);
    auto const file = scratch::the_file_in(root / "j");
    if (moved) fs::rename(file, root / "elsewhere");
    else fs::remove(file);
    talk.say(3);
    CHECK(talk.session.statistics().layers[0].failures == 1);
    static_cast<void>(talk.session.prepare());
    CHECK(talk.session.release({talk.session.outline().size()}) > 0);
    CHECK(store_tests::originals_in(to) == talk.all);
}
