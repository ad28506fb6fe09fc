// SPDX-License-Identifier: BSL-1.0
#include <condense/store/journal_folder.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

#include "store/journal_conformance.hpp"
#include "store/processes.hpp"
#include "store/scratch.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/sanitized.hpp"

namespace {

namespace fs = std::filesystem;
using condense::journal_folder;
using store_tests::add;
using store_tests::lines;
using store_tests::lines_of;

static_assert(condense::journal<journal_folder>);
static_assert(journal_folder::durable);

/// Journals in folders of their own, which last as long as the maker.
class maker {
public:
    journal_folder operator()() { return journal_folder{folders_.emplace_back() / "a/sessions"}; }

private:
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

std::size_t bytes_per_line(std::string const& file) {
    auto const bytes = scratch::bytes_of(file);
    return bytes.find('\n') + 1;
}

/// The numbers that are read, which are right in every other respect.
std::vector<std::uint64_t> numbers_in(std::string const& folder, std::string_view conversation = "c") {
    std::vector<std::uint64_t> numbers;
    for (auto const& [entry, content] : lines_of(journal_folder{folder}, conversation)) {
        if (!entry.made) CHECK((content == content_of(entry.number)));
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

TEST_CASE("journal_folder: gives back what it was given") {
    maker make;
    store_tests::journal_gives_back_what_it_was_given([&] { return make(); });
}
TEST_CASE("journal_folder: takes what a run made") {
    maker make;
    store_tests::journal_takes_what_a_run_made([&] { return make(); });
}
TEST_CASE("journal_folder: refuses what it could not give back") {
    maker make;
    store_tests::journal_refuses_what_it_could_not_give_back([&] { return make(); });
}
TEST_CASE("journal_folder: may grow while it is read") {
    maker make;
    store_tests::journal_may_grow_while_it_is_read([&] { return make(); });
}
TEST_CASE("journal_folder: is for threads") {
    maker make;
    store_tests::journal_is_for_threads([&] { return make(); });
}

TEST_CASE("journal_folder: a line for any JSON tool") {
    scratch::folder const root;
    journal_folder const to{root / "j"};
    auto const all = store_tests::contents();
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
        CHECK(line.starts_with("{\"number\":" + std::to_string(number) + ",\"name\":\""));
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
    CHECK(scratch::bytes_of(scratch::the_file_in(root / "j"))
              .starts_with("{\"number\":0,\"name\":\"99aa06d3014798d86001c324\",\"check\":\""));
}

TEST_CASE("journal_folder: names of files are hashes, and files for their owner alone") {
    scratch::folder const root;
    auto const before = ::umask(0);
    journal_folder const to{root / "made/sessions"};
    auto const ids = store_tests::conversations();
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

TEST_CASE("journal_folder: conversations that share a file read each their own lines") {
    scratch::folder const root;
    condense::basic_journal_folder const to{root / "j", store_tests::colliding_hash{}};
    for (std::uint64_t number = 0; number < 5; ++number) {
        CHECK(add(to, "one", number, "1").empty());
        CHECK(add(to, "two", number, "2").empty());
    }
    CHECK(scratch::names_in(root / "j").size() == 1);
    CHECK(lines_of(to, "one").size() == 5);
    for (auto const& [entry, content] : lines_of(to, "two")) CHECK(content == "2");
    CHECK(lines_of(to, "three").empty());
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
    auto const place = root / "j/" + condense::content_hash{}("c", 0).text() + ".jsonl";
    scratch::write(root / "outside", "mine\n");
    SECTION("link to a file") { REQUIRE_NOTHROW(fs::create_symlink(root / "outside", place)); }
    SECTION("link to nothing") { REQUIRE_NOTHROW(fs::create_symlink(root / "nothing", place)); }
    SECTION("folder") { REQUIRE(fs::create_directory(place)); }
    SECTION("pipe") { REQUIRE(::mkfifo(place.c_str(), 0600) == 0); }
    CHECK(add(to, 0).starts_with("open: "));
    CHECK(to.flush("c"));
    CHECK(to.read("c", [](auto&&...) { FAIL("nothing is to be read"); }));
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
            journal_folder const again{root / "j"};
            for (auto number = whole; number < 7; ++number) REQUIRE(add(again, number).empty());
            REQUIRE(numbers_in(root / "j") == up_to(7));
        }
    }
}

TEST_CASE("journal_folder: damaged bytes cost the lines they stand in") {
    scratch::folder const root;
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
        }
}

TEST_CASE("journal_folder: runs of NUL, foreign lines and enormous lines are left out") {
    scratch::folder const root;
    journal_folder const to{root / "j"};
    for (std::uint64_t number = 0; number < 3; ++number) REQUIRE(add(to, number).empty());
    auto const file = scratch::the_file_in(root / "j");
    auto bytes = scratch::bytes_of(file);
    auto const second = bytes_per_line(file);
    SECTION("over a line") {
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(second), 20, '\0');
        scratch::write(file, bytes);
        CHECK(numbers_in(root / "j") == std::vector<std::uint64_t>{0, 2});
    }
    SECTION("at the end") {
        scratch::write(file, bytes + std::string(5'000, '\0'));
        CHECK(numbers_in(root / "j") == up_to(3));
        CHECK(add(to, 3).empty());
        CHECK(numbers_in(root / "j") == up_to(4));
    }
    SECTION("foreign") {
        scratch::write(file, "\n\n{}\n" + bytes + "{\"number\":3}\nnull\n\xFF\n[" + std::string(200'000, '['));
        CHECK(numbers_in(root / "j") == up_to(3));
    }
    SECTION("another conversation's") {
        REQUIRE(add(to, "d", 9, content_of(9)).empty());
        auto const other = root / "j/" + condense::content_hash{}("d", 0).text() + ".jsonl";
        scratch::write(file, scratch::bytes_of(other) + bytes);
        CHECK(numbers_in(root / "j") == up_to(3));
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
        REQUIRE(add(to, number) == "write: File too large");
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
    CHECK(problem == "write: No space left on device");
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

TEST_CASE("journal_folder: a read-only disk") {
    scratch::folder const root;
    processes::small_disk const disk{root / "disk", "size=64k"};
    if (!disk.mounted()) {
        WARN("skipped: no file system can be mounted here");
        return;
    }
    REQUIRE(add(journal_folder{root / "disk/j"}, 0).empty());
    REQUIRE(disk.make_read_only(true));
    journal_folder const to{root / "disk/j"};
    CHECK(add(to, 1) == "open: Read-only file system");
    CHECK(numbers_in(root / "disk/j") == up_to(1));
    REQUIRE(disk.make_read_only(false));
    CHECK(add(to, 1).empty());
    CHECK(numbers_in(root / "disk/j") == up_to(2));
}

TEST_CASE("journal_folder: too many open files are an error that passes") {
    scratch::folder const root;
    journal_folder const to{root / "j"};
    REQUIRE(add(to, 0).empty());
    ::rlimit before = {};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    auto less = before;
    less.rlim_cur = 4;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &less) == 0);
    auto const problem = add(to, "other", 0, "a");
    auto const held = add(to, 1);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(problem == "open: Too many open files");
    CHECK(held.empty());
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
    for (std::uint64_t writer = 0; writer < 3; ++writer)
        children.emplace_back([&, writer](auto& say) {
            auto const to = writer == 2 ? journal_folder{root / "j"} : before;
            for (std::uint64_t line = 0; line < each; ++line) {
                auto const number = writer * 1'000 + line;
                if (!add(to, number).empty()) say(number);
                if (line % 100 == 0 && to.flush("c")) say(number);
            }
        });
    for (auto& child : children) CHECK(child.join().empty());
    std::vector<std::uint64_t> next(3);
    for (auto const number : numbers_in(root / "j"))
        if (number != 9'999) CHECK(number % 1'000 == next[number / 1'000]++);
    CHECK(next == std::vector{each, each, each});
    auto const bytes = scratch::bytes_of(scratch::the_file_in(root / "j"));
    CHECK(std::ranges::count(bytes, '\n') == 3 * each + 1);
}

TEST_CASE("journal_folder: a writer that is killed loses nothing it was told is kept") {
    std::size_t acknowledged = 0;
    for (unsigned round = 0; round < 100; ++round) {
        scratch::folder const root;
        processes::child writer{[&](auto& say) {
            journal_folder const to{root / "j"};
            for (std::uint64_t number = 0;; ++number) {
                if (!add(to, number).empty()) ::_exit(1);
                if (number % 4 == 3 && !to.flush("c")) say(number);
            }
        }};
        auto const said = writer.kill_after_microseconds(500 + round * 37);
        acknowledged += said.size();
        auto const kept = numbers_in(root / "j");
        CHECK(kept == up_to(kept.size()));
        if (!said.empty()) CHECK(kept.size() > said.back());
        CHECK(add(journal_folder{root / "j"}, kept.size()).empty());
        CHECK(numbers_in(root / "j") == up_to(kept.size() + 1));
    }
    CHECK(acknowledged > 100);
}

TEST_CASE("journal_folder: a session whose journal was moved or removed records everything anew, and says so once",
          "[law-6]") {
    scratch::folder const root;
    journal_folder const to{root / "j"};
    using condense::chat_message;
    condense::pipeline const mix{condense::record{.to = to},
                                 condense::sliding_window{.when = condense::used > condense::messages{4}}};
    condense::session session{std::vector<chat_message>{}, mix, condense::budget{.window = {100'000}}};
    std::vector<std::string> all;
    auto const say = [&](int number) {
        session.push(chat_message::user("message " + std::to_string(number)));
        all.push_back(condense::to_bytes(session.history().back()));
        session.push(chat_message::assistant("answer " + std::to_string(number)));
        all.push_back(condense::to_bytes(session.history().back()));
    };
    for (int number = 0; number < 3; ++number) say(number);
    bool const moved = GENERATE(false, true);
    auto const file = scratch::the_file_in(root / "j");
    if (moved) fs::rename(file, root / "elsewhere");
    else fs::remove(file);
    say(3);
    CHECK(session.statistics().layers[0].failures == 1);
    static_cast<void>(session.prepare());
    CHECK(session.release({session.outline().size()}) > 0);
    std::vector<std::string> held;
    REQUIRE_FALSE(to.read("", [&](condense::journal_entry const& line, std::string_view content) {
        if (!line.made) held.emplace_back(content);
    }));
    CHECK(held == all);
}
