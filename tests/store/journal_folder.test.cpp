// SPDX-License-Identifier: BSL-1.0
#include <condense/store/journal_folder.hpp>

#include <limits>
#include <new>
#include <tuple>

#include <nlohmann/json.hpp>

#include "store/scenario.hpp"
#include "support/sanitized.hpp"

// Also of the files and lines themselves, which nothing else reads and writes.

namespace {

using namespace store_tests;
using condense::journal_folder;
using condense::detail::file_lock, condense::detail::journal_file, condense::detail::journal_line;
namespace posix = condense::detail::posix;
using numbers = std::vector<std::uint64_t>;

/// Two lines a file, or three.
constexpr condense::journal_folder_options small{.most_file_bytes = condense::bytes{300}};

template <bool Small = false>
struct folder_place : files_below {
    auto open() const { return journal_folder{path, Small ? small : condense::journal_folder_options{}}; }
};

condense::journal_entry entry_of(std::uint64_t number, std::string_view content, std::uint64_t time = 0) {
    return {condense::content_hash{}(content, 0), number, false, time};
}

std::string_view without_break(std::string_view line) { return line.substr(0, line.size() - 1); }

/// Lines of the conversation "c" in the earlier format, which has neither time nor conversation.
struct {
    std::string line;
    std::uint64_t number;
    std::string content;
} const earlier[] = {
    {R"({"number":12,"name":"1d01ab9bcd12a393cad94741","check":"49cbe33f01ca4c42","message":{"a":1.00}})", 12,
     "{\"a\":1.00}"},
    {R"({"number":13,"name":"75d9d981d8d89af0466dfe17","check":"1fdc6771e17d1d85","text":"a\n\"b\\\u0001"})", 13,
     "a\n\"b\\\x01"},
    {R"({"number":14,"name":"7e5dc90380f0640bd6bcec3c","check":"1d08bb733bd5fb24","base64":"/w=="})", 14, "\xFF"},
    {R"({"number":14,"name":"775a9e78fdf5aad7f2386670","check":"fd8d460252fccfc7","made":true})", 14, ""}};

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

/// The numbers that are read, which are right in every other respect.
numbers numbers_in(std::string const& folder, std::string_view conversation = "c") {
    numbers all;
    for (auto const& [entry, content] : lines_of(journal_folder{folder}, conversation)) {
        if (!entry.is_derived) CHECK((content == content_of(entry.number)));
        all.push_back(entry.number);
    }
    return all;
}

std::string add(journal_folder const& to, std::uint64_t number) {
    return store_tests::add(to, "c", number, content_of(number));
}
using store_tests::add;

/// A journal whose conversation "c" has the entries from 0 on.
struct recorded {
    scratch::folder root{scratch::memory()};
    std::string const path = root / "j";
    std::string const file = path + "/" + file_of("c");
    journal_folder const to{path};

    explicit recorded(std::uint64_t end) {
        for (std::uint64_t number = 0; number < end; ++number) REQUIRE(add(to, number).empty());
    }
};

static_assert(!std::is_copy_constructible_v<journal_file> && !std::is_copy_constructible_v<file_lock>);
constexpr std::string_view removed = "the journal's file was moved or removed";

/// A journal's file in a folder of its own.
struct one_file {
    scratch::folder root = scratch::folder{scratch::memory()};
    posix::folder in{root / "j"};
    journal_file file{"a"};
    std::string path() const { return root / "j/a"; }
    std::string add(std::string line) { return reason(file.append(in, std::move(line))); }
    std::string flush() { return reason(file.flush(in)); }
    std::string bytes() const { return scratch::bytes_of(path()); }
    void write(std::string_view bytes) const {
        fs::create_directory(root / "j");
        scratch::write(path(), bytes);
    }
};

posix::descriptor opened(std::string const& path) {
    return posix::descriptor{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
}

/// Whether no other opening of the file has it for itself.
bool is_free(posix::descriptor const& file) {
    bool const free = ::flock(file.number(), LOCK_SH | LOCK_NB) == 0;
    if (free) ::flock(file.number(), LOCK_UN);
    return free;
}

}  // namespace

TEST_CASE("journal_folder: is a durable journal", "[law-6]") { check_durable_journal<folder_place<>, true>(); }

TEST_CASE("journal_folder: is a durable journal also where files are small") {
    SECTION("the laws of journals") { check_laws_of_journal<folder_place<true>>(); }
    SECTION("a writer that is killed loses nothing it was told is kept") {
        journal_outlives_killed_writers<folder_place<true>>();
    }
}

TEST_CASE("journal_folder: a journal and its folder") {
    scratch::folder const root;
    journal_folder const to{root / "j"};
    SECTION("a line for any JSON tool") {
        auto const all = condense::testing::hostile_contents();
        for (std::uint64_t number = 0; number < all.size(); ++number)
            REQUIRE(add(to, "c", number, all[number]).empty());
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
    SECTION("lines of the earlier format are read and listed with those that follow") {
        REQUIRE(fs::create_directory(root / "j"));
        // Of the conversations "c", which goes on, "", and "gone", whose id is nowhere.
        scratch::write(root / "j/" + file_of("c"), earlier[0].line + "\n" + earlier[3].line + "\n");
        for (auto const& [id, check] : {std::pair{"", "8f5b5f47d93eca02"}, {"gone", "0ab92b0590a3a776"}})
            scratch::write(root / "j/" + file_of(id), R"({"number":1,"name":"a96faf705af16834e6c632b6","check":")" +
                                                          std::string{check} + "\",\"text\":\"a\"}\n");
        CHECK(damage_in(root / "j").empty());
        CHECK(lines_of(to, "").size() == 1);
        CHECK(lines_of(to, "gone").size() == 1);
        REQUIRE_FALSE(to.append("c", {to.name("x"), 15, true}, {}));
        lines const expected{{{to.name("{\"a\":1.00}"), 12}, "{\"a\":1.00}"},
                             {{to.name("q"), 14, true}, ""},
                             {{to.name("x"), 15, true}, ""}};
        CHECK((lines_of(to, "c") == expected));
        CHECK(lines_of(to, "c")[0].first.time == 0);
        CHECK(conversations_in(to) == listing{{"c", 3}, {"", 1}});
    }
    SECTION("what is planted at a name is neither followed nor changed") {
        fs::create_directory(root / "j");
        bool const first = GENERATE(true, false);
        auto const place = root / "j/" + file_of("c", first ? "" : ".1");
        if (!first) REQUIRE(add(to, 0).empty());
        scratch::write(root / "outside", "mine\n");
        plant(place, root / "outside", root / "nothing");
        CHECK(add(to, 0).starts_with("open: "));
        CHECK(to.flush("c"));
        CHECK(to.read("c", [&](auto&&...) { CHECK_FALSE(first); }));
        CHECK(to.damage("c", [](auto&&...) { FAIL("nothing is to be read"); }));
        CHECK_FALSE(fs::exists(root / "nothing"));
        CHECK(scratch::bytes_of(root / "outside") == "mine\n");
        CHECK(add(to, "other", 0, "a").empty());
    }
    SECTION("many conversations hold few files open") {
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
}

TEST_CASE("journal_folder: names of files are hashes") {
    folder_place<> const place;
    auto const ids = condense::testing::hostile_conversations();
    for (auto const& id : ids) CHECK(add(place.open(), id, 1, "a").empty());
    CHECK(place.files().size() == ids.size());
    for (auto const& name : place.files()) {
        CHECK(name.size() == 30);
        CHECK(name.find_first_not_of("0123456789abcdef") == 24);
        CHECK(name.ends_with(".jsonl"));
    }
}

TEST_CASE("journal_folder: a folder that is open to others or a link is refused unless that is asked for") {
    scratch::folder const root;
    REQUIRE(fs::create_directory(root / "j"));
    fs::create_directory_symlink(root / "j", root / "link");
    bool const link = GENERATE(true, false);
    auto const path = root / (link ? "link" : "j");
    auto const refused = link ? is_link : open_to_others;
    if (!link) REQUIRE(::chmod(path.c_str(), 0777) == 0);
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

TEST_CASE("journal_folder: what is no line of the conversation's own is not counted in a list") {
    auto const& [root, path, file, to] = recorded{3};
    REQUIRE(add(to, "d", 0, content_of(0)).empty());
    auto const foreign = scratch::bytes_of(path + "/" + file_of("d"));
    auto bytes = scratch::bytes_of(file);
    bytes[20] ^= 1;
    scratch::write(file, foreign + bytes + bytes.substr(0, 90));
    scratch::write(path + "/" + file_of("e"), foreign);
    for (auto const* const name : {"x.jsonl", "0123456789abcdef01234567.txt", "0123456789abcdef01234567.jsonl"})
        scratch::write(root / "j/" + name, "{}\n");
    auto const expected = [](auto all) { return std::ranges::is_permutation(all, listing{{"c", 2}, {"d", 1}}); };
    CHECK(expected(conversations_in(to)));
    // One file that cannot be read hides no other.
    REQUIRE(fs::create_directory(root / "j/" + file_of("f")));
    listing all;
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
            if (cut % stride() != 0 && std::ranges::find(ends, cut) == ends.end()) continue;
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
    auto const& [root, path, file, to] = recorded{6};
    REQUIRE_FALSE(to.append("c", {to.name("x"), 6, true}, {}));
    auto const bytes = scratch::bytes_of(file);
    std::size_t line = 0;
    for (std::size_t at = 0; at < bytes.size(); line += bytes[at] == '\n', ++at)
        for (int const change : {1, 2, 0x20, 0x80, bytes[at] ^ '\n', bytes[at] & 0xFF}) {
            if (at % stride() != 0 && bytes[at] != '\n') break;
            auto damaged = bytes;
            damaged[at] = static_cast<char>(damaged[at] ^ change);
            if (damaged == bytes) continue;
            scratch::write(file, damaged);
            auto expected = up_to(7);
            if (bytes[at] == '\n' && at + 1 != bytes.size()) std::erase(expected, line + 1);
            std::erase(expected, line);
            CAPTURE(at, change);
            REQUIRE(numbers_in(root / "j") == expected);
            REQUIRE(damage_in(root / "j") == pieces_not_in(bytes, root / "j", file_of("c")));
        }
}

TEST_CASE("journal_folder: runs of NUL, foreign lines and enormous lines are left out") {
    auto const& [root, path, file, to] = recorded{3};
    auto bytes = scratch::bytes_of(file);
    auto const sound = bytes;
    auto const second = bytes.find('\n') + 1;
    auto const reports_pieces = [&] { return damage_in(root / "j") == pieces_not_in(sound, root / "j", file_of("c")); };
    SECTION("over a line") {
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(second), 20, '\0');
        scratch::write(file, bytes);
        CHECK(numbers_in(root / "j") == numbers{0, 2});
        CHECK(reports_pieces());
        CHECK(damage_in(root / "j").size() == 1);
    }
    SECTION("between lines, and over breaks") {
        bytes.insert(second, std::string(70'000, '\0'));
        scratch::write(file, bytes);
        CHECK(numbers_in(root / "j") == numbers{0, 2});
        CHECK(reports_pieces());
        bytes[second - 1] = '\0';
        scratch::write(file, bytes);
        CHECK(numbers_in(root / "j") == numbers{2});
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
    zeros const enormous{journal_folder::most_bytes + 1};
    CHECK(add(to, "c", 0, enormous.text()) == "longer than 256 MiB");
    CHECK(add(to, "c", 0, enormous.text().substr(journal_folder::most_bytes / 5 * 4)) == "longer than 256 MiB");
    CHECK_FALSE(fs::exists(root / "j"));
}

TEST_CASE("journal_folder: a full, then read-only, disk leaves no hole") {
    scratch::folder const root;
    processes::small_disk const disk{root / "disk", "size=64k"};
    if (!disk.mounted()) return;
    auto const ballast = root / "disk/ballast";
    scratch::write(ballast, std::string(40'000, 'x'));
    journal_folder const to{root / "disk/j"};
    std::uint64_t number = 0;
    std::string problem;
    while (problem.empty() && number < 1'000) {
        problem = add(to, number);
        if (problem.empty()) ++number;
    }
    CHECK(problem == "write: " + std::string{no_space});
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
    if (!disk.mounted()) return;
    {
        journal_folder const first{root / "disk/j"};
        REQUIRE(add(first, 0).empty());
        scratch::write(root / "disk/ballast", "");
        CHECK(add(first, "d", 0, "a") == "open: " + std::string{no_space});
        fs::remove(root / "disk/ballast");
        CHECK(add(first, "d", 0, "a").empty());
    }
    REQUIRE(disk.make_read_only(true));
    journal_folder const to{root / "disk/j"};
    CHECK(add(to, 1) == "open: " + std::string{read_only_disk});
    CHECK(numbers_in(root / "disk/j") == up_to(1));
    REQUIRE(disk.make_read_only(false));
    CHECK(add(to, 1).empty());
    CHECK(numbers_in(root / "disk/j") == up_to(2));
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
    CHECK(conversations_in(first) == listing{{"c", 40}});
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
        CHECK(conversations_in(first).at(0).second == left.size() + 1);
        CHECK_FALSE(fs::exists(root / "j/" + files[0]));
    }
}

TEST_CASE("journal_folder: a line that is being written is no damage") {
    auto const& [root, path, file, to] = recorded{2};
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
    numbers read;
    for (int tries = 0; read.size() < 6 * each && tries < 2'000; ++tries) {
        auto const before_that = std::exchange(read, numbers_in(root / "j"));
        // What was read once stays in its place.
        REQUIRE(std::ranges::mismatch(before_that, read).in1 == before_that.end());
    }
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> spans;  // when an append began and ended
    for (std::uint64_t writer = 0; writer < 6; ++writer) {
        auto const said = children[writer].join();
        REQUIRE(said.size() == 2 * each);
        for (std::uint64_t line = 0; line < each; ++line)
            spans[writer * 1'000 + line] = {said[2 * line], said[2 * line + 1]};
    }
    ::munmap(shared, 4'096);
    read = numbers_in(root / "j");
    REQUIRE(read.size() == 6 * each);
    std::uint64_t latest_begin = 0;
    std::size_t disorder = 0;
    for (auto const number : read) {
        disorder += spans.at(number).second < latest_begin;
        latest_begin = std::max(latest_begin, spans.at(number).first);
        spans.erase(number);
    }
    CHECK(disorder == 0);
    CHECK(spans.empty());
    CHECK(damage_in(root / "j").empty());
    CHECK(files_in(root / "j").size() > each);
}

TEST_CASE("journal_line: lines of a conversation") {
    journal_line const format{"c"};
    SECTION("the layout is what earlier lines have") {
        CHECK(without_break(format.write(entry_of(12, "{\"a\":1.00}", 1'790'000'000), "{\"a\":1.00}")) ==
              R"({"number":12,"time":1790000000,"conversation":"c","name":"1d01ab9bcd12a393cad94741",)"
              R"("check":"bb0f0d35221d808f","message":{"a":1.00}})");
        CHECK(without_break(format.write(entry_of(13, "a\n\"b\\\x01", 5), "a\n\"b\\\x01")) ==
              R"({"number":13,"time":5,"conversation":"c","name":"75d9d981d8d89af0466dfe17",)"
              R"("check":"75f5424c41d3537f","text":"a\n\"b\\\u0001"})");
        CHECK(without_break(journal_line{"a\nb"}.write(entry_of(14, "\xFF", 5), "\xFF")) ==
              R"({"number":14,"time":5,"conversation":"a\nb","name":"7e5dc90380f0640bd6bcec3c",)"
              R"("check":"3f7ef37d362abda7","base64":"/w=="})");
        CHECK(journal_line{"\xFF"}.write({entry_of(14, "q").name, 14, true}, {}) ==
              R"({"number":14,"time":0,"conversation64":"/w==","name":"775a9e78fdf5aad7f2386670",)"
              R"("check":"0278aaaf24a19bff","made":true})"
              "\n");
    }
    SECTION("lines of the earlier format, without time and conversation, are read") {
        std::string room;
        for (auto const& [line, number, content] : earlier) {
            auto const found = format.read(line, room);
            REQUIRE(found.has_value());
            CHECK(found->entry.number == number);
            CHECK(found->entry.time == 0);
            CHECK((found->entry.is_derived || found->entry == entry_of(number, content)));
            CHECK((found->content == content));
            CHECK_FALSE(journal_line::conversation_of(line).has_value());
            CHECK_FALSE(journal_line{"d"}.read(line, room).has_value());
        }
    }
    SECTION("any content comes back") {
        std::string room = "left over";
        for (auto const& content : condense::testing::hostile_contents())
            for (std::uint64_t const number : {std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()}) {
                auto const line = format.write(entry_of(number, content, number), content);
                CHECK(line.find('\n') == line.size() - 1);
                auto const found = format.read(without_break(line), room);
                REQUIRE(found.has_value());
                CHECK(found->entry == entry_of(number, content));
                CHECK(found->entry.time == number);
                CHECK((found->content == content));
            }
        condense::journal_entry const made{{}, 3, true};
        auto const line = format.write(made, {});
        auto const found = format.read(without_break(line), room);
        REQUIRE(found.has_value());
        CHECK(found->entry == made);
        CHECK(found->content.empty());
    }
    SECTION("what is cut, changed or another conversation's is not read") {
        std::string room;
        for (std::string_view const content : {"{\"a\":[1,2]}", "text\n", "\xFF\xFE", ""}) {
            auto const line = format.write(
                content.empty() ? condense::journal_entry{{}, 307, true} : entry_of(307, content), content);
            auto const head = line.find("\",\"", line.find("\"check\""));
            REQUIRE(head != std::string::npos);
            for (std::size_t cut = 0; cut + 1 < line.size(); ++cut) {
                auto const found = format.read(std::string_view{line}.substr(0, cut), room);
                CHECK((!found || found->entry.name != condense::content_hash{}(found->content, 0)));
            }
            for (std::size_t at = 0; at < head; ++at)
                for (int const change : {1, 4, 0x20, 0x80}) {
                    auto changed = std::string{without_break(line)};
                    changed[at] = static_cast<char>(changed[at] ^ change);
                    CHECK_FALSE(format.read(changed, room).has_value());
                }
            CHECK_FALSE(format.read(line, room).has_value());
            CHECK_FALSE(format.read(' ' + line, room).has_value());
            CHECK_FALSE(journal_line{"d"}.read(without_break(line), room).has_value());
        }
        auto const line = format.write(entry_of(1, "a"), "a");
        for (std::string_view const number : {"01", "+1", "-1", "18446744073709551616", "1.0", "", " 1"})
            CHECK_FALSE(format.read(std::string{without_break(line)}.replace(10, 1, number), room).has_value());
    }
}

TEST_CASE("journal_line: a line names its conversation, whose id may be any bytes") {
    std::string room;
    for (auto const& id : condense::testing::hostile_conversations()) {
        auto const line = journal_line{id}.write(entry_of(1, "a", 7), "a");
        CHECK(line.find('\n') == line.size() - 1);
        auto const name = journal_line::conversation_of(without_break(line));
        REQUIRE(name.has_value());
        CHECK((*name == id));
        auto const found = journal_line{*name}.read(without_break(line), room);
        REQUIRE(found.has_value());
        CHECK(found->entry.time == 7);
    }
    std::string const begin = "{\"number\":1,\"time\":7,\"conversation";
    for (std::string_view const end :
         {"\":\"", "\":\"\\", "\":\"a\\x\"", "\":7", "64\":\"", "64\":\"a\"", "64\":\"/x==\"", "", "65\":\"\""})
        CHECK_FALSE(journal_line::conversation_of(begin + std::string{end}).has_value());
}

TEST_CASE("journal_file: a lock holds off other openings of the file until it goes") {
    scratch::folder const root;
    scratch::write(root / "a", "");
    auto const mine = opened(root / "a");
    auto const other = opened(root / "a");
    REQUIRE(is_free(other));
    {
        file_lock const alone{mine};
        CHECK(alone.error() == 0);
        CHECK_FALSE(is_free(other));
    }
    CHECK(is_free(other));
    CHECK(file_lock{posix::descriptor{}}.error() == EBADF);
}

TEST_CASE("journal_file: lines of one file") {
    one_file to;
    SECTION("lines are appended as they are, in a file that the first one makes") {
        CHECK_FALSE(fs::exists(to.root / "j"));
        CHECK(to.add("one\n").empty());
        CHECK(scratch::mode_of(to.path()) == 0600);
        CHECK(to.add("two\n").empty());
        CHECK(to.bytes() == "one\ntwo\n");
        CHECK(to.flush().empty());
        CHECK(to.add("three\n").empty());
        CHECK(reason(journal_file{"a"}.append(to.in, "four\n")).empty());
        CHECK(to.add("five\n").empty());
        CHECK(to.bytes() == "one\ntwo\nthree\nfour\nfive\n");
        CHECK(is_free(opened(to.path())));
    }
    SECTION("nothing is made to be flushed") {
        CHECK(to.flush().empty());
        CHECK_FALSE(fs::exists(to.root / "j"));
        REQUIRE(fs::create_directory(to.root / "j"));
        CHECK(to.flush().empty());
        CHECK(scratch::names_in(to.root / "j").empty());
    }
    SECTION("what is torn at the end stands on a line of its own") {
        for (std::string const before : {"one\ntw", "o", "\n", ""}) {
            to.write(before);
            CHECK(to.add("three\n").empty());
            CHECK(to.bytes() == before + (before.empty() || before.ends_with('\n') ? "" : "\n") + "three\n");
        }
    }
    SECTION("a file with another name is not written through") {
        REQUIRE(fs::create_directory(to.root / "j"));
        scratch::write(to.root / "mine", "mine\n");
        fs::create_hard_link(to.root / "mine", to.path());
        constexpr std::string_view refused =
            "open: the file must have no other name (hard link): put a copy in its place";
        CHECK(to.add("one\n") == refused);
        CHECK(to.flush() == refused);
        CHECK(scratch::bytes_of(to.root / "mine") == "mine\n");
        // The remedy.
        fs::copy_file(to.path(), to.root / "copy");
        fs::rename(to.root / "copy", to.root / "j/b");
        fs::remove(to.path());
        fs::rename(to.root / "j/b", to.path());
        CHECK(to.add("one\n").empty());
        CHECK(to.bytes() == "mine\none\n");
        CHECK(scratch::bytes_of(to.root / "mine") == "mine\n");
    }
    SECTION("what cannot be opened is an error, and is tried again") {
        REQUIRE(fs::create_directory(to.root / "j"));
        scratch::write(to.root / "outside", "mine");
        plant(to.path(), to.root / "outside", to.root / "nothing");
        CHECK(to.add("one\n").starts_with("open: "));
        CHECK(to.flush().starts_with("open: "));
        CHECK(to.file.close());
        fs::remove(to.path());
        CHECK(to.add("one\n").empty());
        CHECK(to.bytes() == "one\n");
    }
    SECTION("a closed file gives its descriptor back, and is opened again when used") {
        CHECK(to.file.close());
        auto const before = open_files();
        REQUIRE(to.add("one\n").empty());
        CHECK(open_files() > before);
        CHECK(to.file.close());
        CHECK(to.file.close());
        // The folder stays open.
        CHECK(open_files() == before + 1);
        CHECK(to.add("two\n").empty());
        CHECK(open_files() == before + 2);
        CHECK(to.bytes() == "one\ntwo\n");
        // A closed file was kept first, so its removal is no loss of this object's to tell.
        CHECK(to.file.close());
        fs::remove(to.path());
        CHECK(to.flush().empty());
        CHECK(to.add("three\n").empty());
        CHECK(to.bytes() == "three\n");
    }
    SECTION("is for threads") {
        constexpr int each = 5'000;
        std::atomic<int> failed = 0;
        std::vector<std::thread> threads;
        for (char letter = 'a'; letter < 'e'; ++letter)
            threads.emplace_back([&, letter] {
                for (int line = 0; line < each; ++line) {
                    if (!to.add(std::string(20, letter) + "\n").empty()) ++failed;
                    if (line % 2 == 0 && !to.file.close()) ++failed;
                    if (line % 50 == 0 && !to.flush().empty()) ++failed;
                }
            });
        for (auto& thread : threads) thread.join();
        CHECK(failed == 0);
        std::map<std::string, int> lines;
        auto const bytes = to.bytes();
        for (std::size_t at = 0; at < bytes.size(); at += 21) ++lines[bytes.substr(at, 21)];
        CHECK(lines.size() == 4);  // none is torn
        for (char letter = 'a'; letter < 'e'; ++letter) CHECK(lines[std::string(20, letter) + "\n"] == each);
    }
}

TEST_CASE("journal_file: what a write left that failed is taken away") {
    one_file to;
    REQUIRE(to.add("one\n").empty());
    auto const line = std::string(60, '2') + "\n";
    for (std::size_t room = 0; room < line.size(); ++room) {
        processes::file_size_limit const limit{4 + room};
        REQUIRE(to.add(line) == too_large_file);
        REQUIRE(to.bytes() == "one\n");
    }
    CHECK(is_free(opened(to.path())));
    CHECK(to.flush().empty());
    CHECK(to.add(line).empty());
    CHECK(to.bytes() == "one\n" + line);
}

TEST_CASE("journal_file: a file that is removed is told once, where lines went with it") {
    one_file to;
    REQUIRE(to.add("one\n").empty());
    SECTION("at the next line, which is not appended") {
        fs::remove(to.path());
        CHECK(to.add("two\n") == removed);
        CHECK_FALSE(fs::exists(to.path()));
    }
    SECTION("at the next flush") {
        fs::remove_all(to.root / "j");
        CHECK(to.flush() == removed);
        CHECK(to.flush().empty());
    }
    SECTION("at the next line also where they were flushed, and not at a flush") {
        REQUIRE(to.flush().empty());
        fs::remove(to.path());
        CHECK(to.flush().empty());
        CHECK(to.add("two\n") == removed);
        CHECK(to.add("two\n").empty());
        CHECK(to.bytes() == "two\n");
        fs::remove(to.path());
        CHECK(to.flush() == removed);
    }
    SECTION("as moved, with another in its place or none") {
        fs::rename(to.path(), to.path() + "_1");
        if (GENERATE(false, true)) scratch::write(to.path(), "");
        CHECK(to.add("two\n") == removed);
        CHECK(scratch::bytes_of(to.path() + "_1") == "one\n");
    }
    CHECK(to.add("three\n").empty());
    CHECK(to.bytes() == "three\n");
    CHECK(to.flush().empty());
}

TEST_CASE("journal_file: the first line after a full file goes to the next one, for all that write") {
    one_file to{.file = journal_file{"a.x", 8}};
    journal_file other{"a.x", 8};
    strings const bytes{"one\ntwo\n", "three, and more than fits\n", "four\nfive\n", "six\n"};
    auto const held = [&] {
        strings all;
        for (auto const* const name : {"a.x", "a.1.x", "a.2.x", "a.3.x"})
            all.push_back(scratch::bytes_of(to.root / "j/" + name));
        return all;
    };
    CHECK(to.add("one\n").empty());
    CHECK(to.add("two\n").empty());
    CHECK(scratch::names_in(to.root / "j").size() == 1);
    CHECK(reason(other.append(to.in, "three, and more than fits\n")).empty());
    CHECK(to.add("four\n").empty());
    CHECK(reason(journal_file{"a.x", 8}.append(to.in, "five\n")).empty());
    CHECK(reason(other.append(to.in, "six\n")).empty());
    CHECK(held() == bytes);
    CHECK(scratch::mode_of(to.root / "j/a.3.x") == 0600);
    CHECK(to.flush().empty());
    SECTION("also where a larger file would do") {
        journal_file large{"a.x"};
        CHECK(reason(large.append(to.in, "seven\n")).empty());
        CHECK(to.add("eight\n").empty());
        CHECK(reason(large.append(to.in, "nine\n")).empty());
        CHECK(held() == strings{bytes[0], bytes[1], bytes[2], bytes[3] + "seven\n"});
        CHECK(scratch::bytes_of(to.root / "j/a.4.x") == "eight\nnine\n");
    }
    SECTION("also where the oldest were removed") {
        fs::remove(to.root / "j/a.x");
        fs::remove(to.root / "j/a.1.x");
        CHECK(reason(journal_file{"a.x", 8}.append(to.in, "seven\n")).empty());
        CHECK(held() == strings{"", "", bytes[2], bytes[3] + "seven\n"});
        CHECK(scratch::names_in(to.root / "j").size() == 2);
    }
    SECTION("and the newest is told where it is removed") {
        CHECK(to.add("7\n").empty());
        fs::remove(to.root / "j/a.3.x");
        CHECK(to.add("8\n") == removed);
        CHECK(reason(other.append(to.in, "8\n")) == removed);
        CHECK(to.add("seven\n").empty());
        CHECK(held() == strings{bytes[0], bytes[1], bytes[2], "seven\n"});
    }
    SECTION("and nothing else is taken for it") {
        REQUIRE(to.add("7890\n").empty());
        REQUIRE(fs::create_directory(to.root / "j/a.4.x"));
        CHECK(to.add("x\n").starts_with("open: "));
        CHECK(to.flush().starts_with("open: "));
        fs::remove(to.root / "j/a.4.x");
        CHECK(to.add("x\n").empty());
        CHECK(scratch::bytes_of(to.root / "j/a.4.x") == "x\n");
    }
    CHECK(is_free(opened(to.root / "j/a.2.x")));
}

TEST_CASE("journal_file: files of no bytes hold a line each") {
    one_file to{.file = journal_file{"a", 0}};
    for (int line = 0; line < 3; ++line) CHECK(to.add("1\n").empty());
    CHECK(to.bytes() == "1\n");
    CHECK(scratch::bytes_of(to.path() + ".2") == "1\n");
}

TEST_CASE("journal_file: an append waits for another writer") {
    one_file to;
    REQUIRE(to.add("one\n").empty());
    auto const other = opened(to.path());
    REQUIRE(::flock(other.number(), LOCK_EX) == 0);
    std::atomic<bool> done = false;
    std::string problem;
    std::thread writer{[&] {
        problem = to.add("two\n");
        done = true;
    }};
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    CHECK_FALSE(done);
    CHECK(to.bytes() == "one\n");
    REQUIRE(::flock(other.number(), LOCK_UN) == 0);
    writer.join();
    CHECK(problem.empty());
    CHECK(to.bytes() == "one\ntwo\n");
}
