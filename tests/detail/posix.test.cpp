// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/posix_file.hpp>

#include <atomic>
#include <csignal>
#include <set>
#include <thread>

#include <pthread.h>

#include <condense/detail/posix_lines.hpp>
#include <condense/detail/posix_publish.hpp>

#include "store/scratch.hpp"

namespace {

namespace fs = std::filesystem;
namespace posix = condense::detail::posix;

bool is_open(int number) { return ::fcntl(number, F_GETFD) != -1; }

TEST_CASE("posix_file: a fault is the call and what the system says; each cause has a remedy of its own") {
    CHECK(std::string_view{posix::fault("write", ENOSPC)} == "write: No space left on device: the disk must have room");
    CHECK(std::string_view{posix::words_of("write", ENOSPC)} == "write: No space left on device");
    CHECK(std::string_view{posix::fault("open", EISDIR)} == "open: Is a directory");
    CHECK(std::string_view{posix::fault("open", 123'456)}.starts_with("open: "));
    CHECK(std::string_view{posix::fault(std::string(500, 'x'), EIO)}.size() == 96);
    std::set<std::string_view> seen;
    for (int const error : {ENOSPC, EDQUOT, EROFS, EFBIG, EMFILE, ENFILE, posix::folder_is_link, posix::folder_is_open,
                            posix::folder_is_foreign, posix::file_has_links}) {
        auto const rule = posix::rule_of(error);
        CAPTURE(error, rule);
        CHECK(seen.insert(rule).second);
        CHECK(rule.find(" must ") != std::string_view::npos);
        auto const text = posix::fault("open folder", error);
        CHECK((std::string_view{text}.starts_with("open folder: ") && std::string_view{text}.ends_with(rule)));
    }
    CHECK(posix::rule_of(ENOENT).empty());
}

TEST_CASE("posix_file: a descriptor is closed once, by whoever holds it last") {
    int number = -1;
    {
        posix::descriptor first{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
        number = first.number();
        REQUIRE(first);
        posix::descriptor second{std::move(first)};
        CHECK(second.number() == number);
        posix::descriptor third;
        third = std::move(second);
        CHECK(third.number() == number);
        CHECK(is_open(number));
    }
    CHECK_FALSE(is_open(number));
    posix::descriptor released{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    number = released.release();
    CHECK_FALSE(released);
    CHECK(is_open(number));
    ::close(number);
}

TEST_CASE("posix_file: interrupted calls are made again, and all is written through short writes and signals") {
    int calls = 0;
    CHECK(posix::error_of([&] {
              errno = ++calls < 4 ? EINTR : ENOENT;
              return -1;
          }) == ENOENT);
    CHECK(calls == 4);
    CHECK(posix::error_of([] { return 0; }) == 0);
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    posix::descriptor const in{ends[0]};
    posix::descriptor const out{ends[1]};
    struct sigaction noticed = {};
    noticed.sa_handler = [](int) {};
    struct sigaction before = {};
    REQUIRE(::sigaction(SIGUSR1, &noticed, &before) == 0);  // without SA_RESTART
    std::string sent;
    for (int byte = 0; byte < 500'000; ++byte) sent.push_back(static_cast<char>(byte % 251));
    int error = -1;
    std::thread writer{[&] { error = posix::write_all(out, sent); }};
    std::string got;
    while (got.size() < sent.size()) {
        if (got.size() % 7'000 < 1'000) ::pthread_kill(writer.native_handle(), SIGUSR1);
        char room[1'000];
        auto const count = ::read(in.number(), room, sizeof room);
        if (count > 0) got.append(room, static_cast<std::size_t>(count));
    }
    writer.join();
    ::sigaction(SIGUSR1, &before, nullptr);
    CHECK(error == 0);
    CHECK((got == sent));
    CHECK((posix::write_all(posix::descriptor{}, "x") == EBADF && posix::write_all(posix::descriptor{}, "") == 0));
}

TEST_CASE("posix_file: reads as far as the file goes") {
    scratch::folder const root;
    scratch::write(root / "f", "0123456789");
    auto const folder = posix::open_folder(root / "", false);
    REQUIRE(folder.error == 0);
    auto const file = posix::open_file(folder.file, "f", O_RDONLY);
    REQUIRE(file.error == 0);
    std::string room(4, '\0');
    CHECK((posix::read_at(file.file, room, 2).bytes == "2345" && posix::read_at(file.file, room, 8).bytes == "89"));
    CHECK(posix::read_at(file.file, room, 20).bytes.empty());
    CHECK(posix::read_at(folder.file, room, 0).error == EISDIR);
}

TEST_CASE("posix_file: opens regular files only, and follows no link") {
    scratch::folder const root;
    scratch::write(root / "f", "text");
    fs::create_symlink(root / "f", root / "link");
    fs::create_symlink(root / "absent", root / "dangling");
    fs::create_directory(root / "d");
    REQUIRE(::mkfifo((root / "pipe").c_str(), 0600) == 0);
    auto const folder = posix::open_folder(root / "", false);
    for (int const flags : {O_RDONLY, O_RDWR, O_RDWR | O_CREAT})
        for (auto const* const name : {"link", "dangling", "d", "pipe"}) {
            auto const found = posix::open_file(folder.file, name, flags);
            CAPTURE(name, flags);
            CHECK((!found.file && found.error != 0 && found.error != ENOENT));
        }
    CHECK_FALSE(fs::exists(root / "absent"));
    CHECK(posix::open_file(folder.file, "absent", O_RDWR).error == ENOENT);
    auto const before = ::umask(0);
    auto const made = posix::open_file(folder.file, "new", O_RDWR | O_CREAT);
    ::umask(before);
    REQUIRE(made.error == 0);
    CHECK(scratch::mode_of(root / "new") == 0600);
    CHECK((::fcntl(made.file.number(), F_GETFD) & FD_CLOEXEC) != 0);
    CHECK(posix::about(made.file).st_nlink == 1);
    CHECK(posix::remove_file(folder.file, "new") == 0);
    CHECK(posix::about(made.file).st_nlink == 0);
    CHECK(posix::remove_file(folder.file, "new") == ENOENT);
}

TEST_CASE("posix_file: makes what is missing of a path, for its owner alone") {
    scratch::folder const root;
    auto const before = ::umask(0);
    for (std::string const path : {"a/b/c", "d///e//", "f/./g", "h/../i", "a/b/c/j"}) {
        CAPTURE(path);
        CHECK(posix::open_folder(root / path, false).error == ENOENT);
        auto const made = posix::open_folder(root / path, true);
        CHECK(made.error == 0);
        CHECK((::fcntl(made.file.number(), F_GETFD) & FD_CLOEXEC) != 0);
        CHECK(fs::is_directory(root / path));
    }
    ::umask(before);
    for (auto const& entry : fs::recursive_directory_iterator{root / ""}) CHECK(scratch::mode_of(entry.path()) == 0700);

    auto const here = fs::current_path();
    fs::current_path(root / "a");
    CHECK((posix::open_folder("relative/path", true).error == 0 && posix::open_folder(".", true).error == 0));
    fs::current_path(here);
    CHECK(fs::is_directory(root / "a/relative/path"));
}

TEST_CASE("posix_file: paths that cannot be folders are errors") {
    scratch::folder const root;
    scratch::write(root / "f", "text");
    fs::create_symlink(root / "absent/below", root / "dangling");
    for (bool const make : {false, true}) {
        CHECK(posix::open_folder(root / "f", make).error == ENOTDIR);
        CHECK(posix::open_folder(root / "f/below", make).error == ENOTDIR);
        CHECK(posix::open_folder(root / "dangling", make).error == ENOENT);
        CHECK(posix::open_folder("", make).error == ENOENT);
        CHECK(posix::open_folder(std::string("a\0b", 3), make).error == EINVAL);
        CHECK(posix::open_folder(root / std::string(300, 'x'), make).error == ENAMETOOLONG);
        CHECK(posix::open_folder("/proc/absent/below", make).error == ENOENT);
    }
    CHECK(scratch::bytes_of(root / "f") == "text");
    CHECK_FALSE(fs::exists(root / "absent"));
}

TEST_CASE("posix_file: a folder of ours is no link, closed to others, and of the user or root") {
    using posix::folder_rule;
    scratch::folder const root;
    REQUIRE(fs::create_directory(root / "d"));
    fs::create_directory_symlink(root / "d", root / "link");
    fs::create_directory_symlink(root / "", root / "above");
    auto const error_of = [&](std::string_view path, folder_rule rule) {
        return posix::open_folder(root / path, false, rule).error;
    };
    for (auto const* const path : {"d", "d/", "d//", "above/d", "d/../d"}) {
        CAPTURE(path);
        CHECK(error_of(path, folder_rule::own) == 0);
    }
    for (auto const* const path : {"link", "link/", "above/link"}) {
        CAPTURE(path);
        CHECK(error_of(path, folder_rule::own) == posix::folder_is_link);
        CHECK((error_of(path, folder_rule::shared) == 0 && error_of(path, folder_rule::any) == 0));
    }
    struct {
        unsigned mode;
        bool own;
        bool shared;
    } const modes[] = {{0700, true, true},    {0750, true, true},   {0755, true, true},   {0770, false, true},
                       {0775, false, true},   {0702, false, false}, {0777, false, false}, {01777, false, true},
                       {02777, false, false}, {03777, false, true}, {02755, true, true}};
    for (auto const& each : modes) {
        REQUIRE(::chmod((root / "d").c_str(), each.mode) == 0);
        CAPTURE(each.mode);
        CHECK(error_of("d", folder_rule::own) == (each.own ? 0 : posix::folder_is_open));
        CHECK(error_of("d", folder_rule::shared) == (each.shared ? 0 : posix::folder_is_open));
        CHECK(error_of("d", folder_rule::any) == 0);
    }
    CHECK(error_of("none", folder_rule::own) == ENOENT);
    CHECK(posix::open_folder("/", false, folder_rule::own).error == 0);
    if (::geteuid() != 0) {
        WARN("skipped: the folder of another user, which only root can make");
        return;
    }
    REQUIRE(::chmod((root / "d").c_str(), 0755) == 0);
    REQUIRE(::chown((root / "d").c_str(), 12'345, 12'345) == 0);
    CHECK((error_of("d", folder_rule::own) == posix::folder_is_foreign && error_of("d", folder_rule::shared) == 0));
}

TEST_CASE("posix_file: a folder is opened when first used, and again when it was removed") {
    scratch::folder const root;
    posix::folder kept{root / "a"};
    CHECK(kept.use(false).error == ENOENT);
    CHECK_FALSE(fs::exists(root / "a"));
    auto const first = kept.use(true);
    REQUIRE(first.error == 0);
    CHECK(kept.use(false).directory == first.directory);
    fs::remove(root / "a");
    CHECK(kept.use(false).error == ENOENT);
    auto const second = kept.use(true);
    REQUIRE(second.error == 0);
    CHECK(second.directory != first.directory);
    CHECK(fs::is_directory(root / "a"));
    fs::rename(root / "a", root / "b");
    CHECK(kept.use(true).directory == second.directory);
}

std::vector<std::string> lines_in(std::string const& bytes, std::size_t most, std::size_t size) {
    scratch::folder const root;
    scratch::write(root / "f", bytes);
    posix::descriptor const file{::open((root / "f").c_str(), O_RDONLY | O_CLOEXEC)};
    std::vector<std::string> lines;
    std::size_t next = 0;
    CHECK(posix::each_line(file, size, most, [&](std::string_view line, std::size_t offset, std::size_t length) {
              CHECK(offset == next);
              next = offset + length + 1;
              if (length <= most) lines.emplace_back(line);
              CHECK((length <= most ? bytes.substr(offset, length) == line : line.empty()));
          }) == 0);
    auto const end = std::min(size, bytes.size());
    CHECK(next == end + (end != 0 && bytes[end - 1] != '\n'));
    return lines;
}
std::vector<std::string> lines_in(std::string const& bytes, std::size_t most = 1'000'000) {
    return lines_in(bytes, most, bytes.size());
}

TEST_CASE("posix_lines: lines with and without a break at the end, and errors") {
    CHECK((lines_in("").empty() && lines_in("a") == std::vector<std::string>{"a"}));
    CHECK(lines_in("a\n\nb\n") == std::vector<std::string>{"a", "", "b"});
    CHECK(lines_in("a\nb") == std::vector<std::string>{"a", "b"});
    CHECK(lines_in(std::string("\0\n\0", 3)) == std::vector<std::string>{std::string(1, '\0'), std::string(1, '\0')});
    CHECK(lines_in("a\nb\nc\n", 10, 3) == std::vector<std::string>{"a", "b"});
    CHECK(lines_in("a\nb\n", 10, 1'000) == std::vector<std::string>{"a", "b"});
    posix::descriptor const folder{::open("/", O_RDONLY | O_CLOEXEC)};
    CHECK(posix::each_line(folder, 10, 10, [](auto&&...) {}) == EISDIR);
}

TEST_CASE("posix_lines: lines of any length, wherever a block ends; those that are too long are left out") {
    std::string bytes;
    std::vector<std::string> expected;
    for (std::size_t const size : {65'530u, 0u, 4u, 0u, 65'535u, 65'536u, 1u, 65'537u, 200'000u, 0u, 3u}) {
        expected.emplace_back(size, static_cast<char>('a' + expected.size()));
        bytes.append(expected.back()).push_back('\n');
    }
    CHECK((lines_in(bytes) == expected));
    bytes.pop_back();
    CHECK((lines_in(bytes) == expected));
    for (std::size_t const most : {0u, 3u, 65'536u, 100'000u}) {
        std::string const fits(most, 'x');
        auto const over = fits + 'y';
        auto const far_over = fits + std::string(300'000, 'z');
        CHECK((lines_in(fits + '\n' + over + '\n' + fits + '\n' + far_over + "\n" + fits + "\n", most) ==
               std::vector{fits, fits, fits}));
        CHECK(((lines_in(fits + '\n' + over, most) == std::vector{fits}) && (lines_in(far_over, most).empty())));
    }
}

TEST_CASE("posix_publish: a file is whole and never in the place of another") {
    scratch::folder const root;
    auto const folder = posix::open_folder(root / "", false);
    REQUIRE(folder.error == 0);
    CHECK(posix::publish(folder.file, "f", "text").error == 0);
    auto const again = posix::publish(folder.file, "f", "other");
    CHECK((again.error == EEXIST && again.call == "rename"));
    CHECK(scratch::bytes_of(root / "f") == "text");
    CHECK(scratch::mode_of(root / "f") == 0600);
    CHECK(scratch::names_in(root / "") == std::vector<std::string>{"f"});
    CHECK(posix::publish(posix::descriptor{}, "f", "").call == "create");
}

TEST_CASE("posix_publish: temporary files have names of their own, and go unless they are published") {
    scratch::folder const root;
    auto const folder = posix::open_folder(root / "", false);
    {
        posix::temporary const first{folder.file};
        posix::temporary const second{folder.file};
        CHECK(first.error() == 0);
        CHECK(scratch::names_in(root / "").size() == 2);
        posix::clear_away(folder.file);
        auto const names = scratch::names_in(root / "");
        CHECK(names.size() == 2);
        for (auto const& name : names) {
            CHECK(posix::is_temporary_name(name));
            CHECK(scratch::mode_of(root / name) == 0600);
        }
    }
    CHECK(scratch::names_in(root / "").empty());
}

TEST_CASE("posix_publish: names that cannot be foreseen, and no others are taken for such") {
    std::set<std::string> seen;
    for (int entry = 0; entry < 500; ++entry) {
        std::string name;
        REQUIRE(posix::make_temporary_name(name) == 0);
        CHECK(posix::is_temporary_name(name));
        CHECK(seen.insert(name).second);
    }
    auto const digits = std::string(32, 'a');
    CHECK(posix::is_temporary_name(".condense-" + digits + ".tmp"));
    for (auto const& name :
         {digits, digits + ".TMP", digits + "a.tmp", digits.substr(1) + ".tmp", "A" + digits.substr(1) + ".tmp",
          digits.substr(1) + "g.tmp", digits + ".tmp ", digits + ".tmp.tmp", std::string{".tmp"}, std::string{}})
        CHECK_FALSE(posix::is_temporary_name(".condense-" + name));
    // Files that other programs may name so.
    for (auto const& name : {digits + ".tmp", "condense-" + digits + ".tmp", ".Condense-" + digits + ".tmp",
                             "." + digits + ".tmp", "x.condense-" + digits + ".tmp", std::string{}})
        CHECK_FALSE(posix::is_temporary_name(name));
}

TEST_CASE("posix_publish: a file is replaced as a whole and read back") {
    scratch::folder const root;
    auto const path = root / "a/b/f";
    CHECK(posix::read_file(path, 100).problem.error == ENOENT);
    CHECK((posix::replace_file(path, "text").error == 0 && posix::replace_file(path, "other").error == 0));
    scratch::write(root / "a/b/.condense-00112233445566778899aabbccddeeff.tmp", "what a killed writer left");
    scratch::write(root / "a/b/00112233445566778899aabbccddeeff.tmp", "mine");
    auto const read = posix::read_file(path, 5);
    CHECK((read.problem.error == 0 && read.text == "other" && read.changed > 1'700'000'000));
    CHECK(posix::read_file(path, 4).problem.error == EFBIG);
    CHECK((scratch::mode_of(path) == 0600 && scratch::mode_of(root / "a") == 0700));
    CHECK(scratch::names_in(root / "a/b") == std::vector<std::string>{"00112233445566778899aabbccddeeff.tmp", "f"});
    // A link is neither read nor written through.
    std::filesystem::create_symlink(path, root / "link");
    CHECK(posix::read_file(root / "link", 100).problem.error == ELOOP);
    CHECK(posix::replace_file(root / "link", "third").error == 0);
    CHECK(scratch::bytes_of(path) == "other");
    for (auto const* const name : {"", "/", ".", "..", "a/", "a"}) {
        CHECK(posix::read_file(root / name, 100).problem.error != 0);
        CHECK(posix::replace_file(root / name, "x").error != 0);
    }
    CHECK(posix::replace_file(std::string{"a\0b", 3}, "x").call == "open");
}

/// Threads that clear a folder away again and again while it lives.
struct clearing {
    std::atomic<bool> ended = false;
    std::vector<std::thread> threads = {};

    clearing(posix::descriptor const& folder, int count) {
        while (count-- > 0)
            threads.emplace_back([&] {
                while (!ended) posix::clear_away(folder);
            });
    }
    ~clearing() {
        ended = true;
        for (auto& each : threads) each.join();
    }
};

TEST_CASE("posix_publish: a file is replaced, and a temporary file is there once made, while others clear away") {
    scratch::folder const root{scratch::memory()};
    auto const folder = posix::open_folder(root / "", false);
    int failures = 0;
    {
        clearing const one{folder.file, 1};
        for (int round = 0; round < 1'000; ++round) failures += posix::replace_file(root / "f", "text").error != 0;
    }
    CHECK(failures == 0);
    CHECK(scratch::names_in(root / "") == std::vector<std::string>{"f"});
    {
        clearing const three{folder.file, 3};
        for (int round = 0; round < 10'000; ++round) {
            posix::temporary made{folder.file};
            failures += made.error() != 0 || made.replace("f") != 0;
        }
    }
    CHECK(failures == 0);
}

}  // namespace
