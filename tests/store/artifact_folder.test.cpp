// SPDX-License-Identifier: BSL-1.0
#include <condense/store/artifact_folder.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <condense/testing/store_laws.hpp>

#include "store/kills.hpp"
#include "store/processes.hpp"
#include "store/scratch.hpp"
#include "support/catch.hpp"
#include "support/violations.hpp"

namespace {

namespace fs = std::filesystem;
using condense::artifact_folder;

static_assert(condense::artifact_store<artifact_folder>);
static_assert(artifact_folder::durable);

/// Stores in folders of their own, which last as long as the maker.
class maker {
public:
    auto operator()(auto hash) {
        folders_.emplace_back();
        return reopen(hash);
    }
    auto reopen(auto hash) const { return condense::basic_artifact_folder{folders_.back() / "a/b/artifacts", hash}; }

private:
    std::list<scratch::folder> folders_;
};

std::string reason(condense::store_error const& problem) { return std::string{std::string_view{problem.reason}}; }

/// Another handle, as another process has it.
bool holds(std::string const& path, std::string const& content) {
    artifact_folder const store{path};
    return store.get(condense::content_hash{}(content, 0)) == content;
}

}  // namespace

TEST_CASE("artifact_folder: keeps the laws of stores") {
    maker make;
    CHECK(text_of(condense::testing::check_store_laws(make, [&](auto hash) { return make.reopen(hash); })) == "");
}

TEST_CASE("artifact_folder: its files are for their owner alone, whatever the umask") {
    scratch::folder const root;
    auto const before = ::umask(0);
    artifact_folder const store{root / "made/artifacts/"};
    auto const name = store.name("text");
    CHECK(scratch::names_in(root / "").empty());
    CHECK_FALSE(store.put(name, "text"));
    ::umask(before);
    CHECK(scratch::mode_of(root / "made") == 0700);
    CHECK(scratch::mode_of(root / "made/artifacts") == 0700);
    CHECK(scratch::names_in(root / "made/artifacts") == std::vector{name.text()});
    CHECK(scratch::mode_of(root / "made/artifacts/" + name.text()) == 0600);
    CHECK(scratch::bytes_of(root / "made/artifacts/" + name.text()) == "text");
}

TEST_CASE("artifact_folder: an unusable path is the first put's error, and is tried again") {
    scratch::folder const root;
    scratch::write(root / "taken", "a file");
    for (auto const& path : {root / "taken", root / "taken/below"}) {
        artifact_folder const store{path};
        auto const name = store.name("text");
        CHECK(reason(store.put(name, "text")) == "open folder: Not a directory");
        CHECK_FALSE(store.get(name).has_value());
        fs::rename(root / "taken", root / "moved");
        CHECK_FALSE(store.put(name, "text"));
        CHECK(store.get(name) == "text");
        fs::remove_all(root / "taken");
        fs::rename(root / "moved", root / "taken");
    }
    CHECK(scratch::bytes_of(root / "taken") == "a file");
    for (auto const& path : {std::string{}, std::string("a\0b", 3), std::string(5'000, 'x')})
        CHECK(artifact_folder{path}.put(condense::content_hash{}("text", 0), "text"));
}

TEST_CASE("artifact_folder: an existing folder that is open to others or a link is refused unless that is asked for") {
    scratch::folder const root;
    REQUIRE(fs::create_directory(root / "a"));
    std::string refused = "open folder: the folder must be closed to others (chmod go-w), or allow_open_folder be set";
    auto path = root / "a";
    SECTION("open to all") { REQUIRE(::chmod(path.c_str(), 0777) == 0); }
    SECTION("open to all, as /tmp") { REQUIRE(::chmod(path.c_str(), 01777) == 0); }
    SECTION("open to a group") { REQUIRE(::chmod(path.c_str(), 0770) == 0); }
    SECTION("a link") {
        path = root / "link/";
        REQUIRE_NOTHROW(fs::create_directory_symlink(root / "a", root / "link"));
        refused = "open folder: the folder must be no link, or allow_open_folder be set";
    }
    artifact_folder const store{path};
    auto const name = store.name("text");
    CHECK(reason(store.put(name, "text")) == refused);
    CHECK(reason(store.erase(name)) == refused);
    CHECK(reason(store.each([](auto&&...) {})) == refused);
    CHECK(scratch::names_in(root / "a").empty());
    artifact_folder const other{path, {.allow_open_folder = true}};
    CHECK_FALSE(other.put(name, "text"));
    CHECK(other.get(name) == "text");
    CHECK_FALSE(store.get(name).has_value());
    // The remedy helps without a new handle.
    if (path == root / "a") REQUIRE(::chmod(path.c_str(), 0755) == 0);
    else fs::remove(root / "link"), fs::rename(root / "a", root / "link");
    CHECK(store.get(name) == "text");
}

TEST_CASE("artifact_folder: a folder that was removed is made again") {
    scratch::folder const root;
    artifact_folder const store{root / "a"};
    CHECK_FALSE(store.put(store.name("one"), "one"));
    fs::remove_all(root / "a");
    CHECK_FALSE(store.get(store.name("one")).has_value());
    CHECK_FALSE(store.put(store.name("two"), "two"));
    CHECK(holds(root / "a", "two"));
}

TEST_CASE("artifact_folder: what is planted at a name is neither followed nor changed") {
    scratch::folder const root;
    artifact_folder const store{root / "a"};
    auto const first = condense::content_hash{}("text", 0);
    fs::create_directory(root / "a");
    auto const place = root / "a/" + first.text();
    scratch::write(root / "outside", "text");
    SECTION("link to a file") { REQUIRE_NOTHROW(fs::create_symlink(root / "outside", place)); }
    SECTION("link to nothing") { REQUIRE_NOTHROW(fs::create_symlink(root / "nothing", place)); }
    SECTION("folder") { REQUIRE(fs::create_directory(place)); }
    SECTION("pipe") { REQUIRE(::mkfifo(place.c_str(), 0600) == 0); }
    CHECK(store.put(first, "text"));
    CHECK_FALSE(store.get(first).has_value());
    auto const second = store.name("text");
    CHECK(second != first);
    CHECK_FALSE(store.put(second, "text"));
    CHECK(store.get(second) == "text");
    CHECK_FALSE(fs::is_regular_file(fs::symlink_status(place)));
    CHECK_FALSE(fs::exists(root / "nothing"));
    CHECK(scratch::names_in(root / "a").size() == 2);
    CHECK(scratch::bytes_of(root / "outside") == "text");
}

TEST_CASE("artifact_folder: damaged content is not given back and not taken for the content") {
    scratch::folder const root;
    artifact_folder const store{root / "a"};
    std::string const content(100'000, 'x');
    auto const name = store.name(content);
    REQUIRE_FALSE(store.put(name, content));
    auto const file = scratch::the_file_in(root / "a");
    auto damaged = content;
    switch (GENERATE(0, 1, 2, 3, 4)) {
        case 0: damaged[99'999] = 'y'; break;
        case 1: damaged.resize(99'999); break;
        case 2: damaged.push_back('x'); break;
        case 3: damaged.clear(); break;
        default: damaged.assign(content.size(), '\0');
    }
    scratch::write(file, damaged);
    CHECK_FALSE(store.get(name).has_value());
    CHECK(reason(store.put(name, content)) == "the name holds other content");
    CHECK(scratch::bytes_of(file) == damaged);
    auto const other = store.name(content);
    CHECK_FALSE(store.put(other, content));
    CHECK((store.get(other) == content));
}

TEST_CASE("artifact_folder: a name that does not match the content is refused, as a reader could not verify it") {
    scratch::folder const root;
    artifact_folder const store{root / "a"};
    for (auto const& name : {condense::reference{}, condense::reference{{1}}, store.name("other")})
        CHECK(reason(store.put(name, "text")) == "content does not match its hash");
    CHECK_FALSE(fs::exists(root / "a"));
}

TEST_CASE("artifact_folder: what is enormous is refused") {
    scratch::folder const root;
    artifact_folder const store{root / "a"};
    auto const size = artifact_folder::most_bytes + 1;
    auto* const zeros = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(zeros != MAP_FAILED);
    CHECK(reason(store.put({}, {static_cast<char const*>(zeros), size})) == "larger than 1 GiB");
    ::munmap(zeros, size);
    auto const one_name = [](std::string_view, std::uint64_t) { return condense::reference{{1}}; };
    condense::basic_artifact_folder const trusting{root / "a", one_name};
    REQUIRE_FALSE(trusting.put(one_name({}, 0), "text"));
    REQUIRE(::truncate(scratch::the_file_in(root / "a").c_str(), static_cast<off_t>(size)) == 0);
    CHECK_FALSE(trusting.get(one_name({}, 0)).has_value());
}

TEST_CASE("artifact_folder: names that are taken sixteen times leave the content where it is") {
    scratch::folder const root;
    auto const one_name = [](std::string_view, std::uint64_t) { return condense::reference{{1}}; };
    condense::basic_artifact_folder const store{root / "a", one_name};
    CHECK_FALSE(store.put(store.name("one"), "one"));
    CHECK(reason(store.put(store.name("two"), "two")) == "the name holds other content");
    CHECK(store.get(store.name("two")) == "one");
}

TEST_CASE("artifact_folder: a limit on file sizes is an error that leaves nothing behind") {
    scratch::folder const root;
    artifact_folder const store{root / "a"};
    std::string const large(300'000, 'x');
    REQUIRE_FALSE(store.put(store.name("small"), "small"));
    {
        processes::file_size_limit const limit{100'000};
        CHECK(reason(store.put(store.name(large), large)) ==
              "write: File too large: the file must be within the limit of file sizes (ulimit -f)");
        CHECK_FALSE(store.put(store.name("other"), "other"));
    }
    CHECK(scratch::names_in(root / "a").size() == 2);
    CHECK_FALSE(store.put(store.name(large), large));
    CHECK(holds(root / "a", large));
    CHECK(holds(root / "a", "small"));
}

TEST_CASE("artifact_folder: a full, then read-only, disk") {
    scratch::folder const root;
    processes::small_disk const disk{root / "disk", "size=256k,nr_inodes=8"};
    if (!disk.mounted()) {
        WARN("skipped: no file system can be mounted here");
        return;
    }
    artifact_folder const store{root / "disk/a"};
    std::vector<std::string> kept;
    std::string problem;
    for (char byte = 'a'; problem.empty() && byte <= 'z'; ++byte) {
        std::string const content(60'000, byte);
        problem = reason(store.put(store.name(content), content));
        if (problem.empty()) kept.push_back(content);
    }
    CHECK(problem == "write: No space left on device: the disk must have room");
    CHECK(kept.size() >= 2);
    CHECK(scratch::names_in(root / "disk/a").size() == kept.size());
    for (auto const& content : kept) CHECK((store.get(store.name(content)) == content));
    fs::remove(root / "disk/a/" + store.name(kept.back()).text());
    CHECK_FALSE(store.put(store.name(kept.back()), kept.back()));

    fs::remove_all(root / "disk/a");
    problem.clear();
    for (int entry = 0; problem.empty() && entry < 20; ++entry)
        problem = reason(store.put(store.name(std::to_string(entry)), std::to_string(entry)));
    CHECK(problem == "create: No space left on device: the disk must have room");

    fs::remove_all(root / "disk/a");
    CHECK_FALSE(store.put(store.name("one"), "one"));
    REQUIRE(disk.make_read_only(true));
    CHECK(reason(store.put(store.name("two"), "two")) ==
          "create: Read-only file system: the file system must be writable");
    CHECK(store.get(store.name("one")) == "one");
    REQUIRE(disk.make_read_only(false));
    CHECK_FALSE(store.put(store.name("two"), "two"));
    CHECK(holds(root / "disk/a", "two"));
}

TEST_CASE("artifact_folder: too many open files are an error that passes") {
    scratch::folder const root;
    artifact_folder const store{root / "a"};
    auto const problem = processes::with_few_files([&] { return reason(store.put(store.name("one"), "one")); });
    CHECK(problem.ends_with(": Too many open files: the process must be allowed more open files (ulimit -n)"));
    CHECK_FALSE(store.put(store.name("one"), "one"));
    CHECK(holds(root / "a", "one"));
}

TEST_CASE("artifact_folder: several processes put the same and different content at once") {
    scratch::folder const root;
    constexpr int writers = 6;
    std::vector<processes::child> children;
    for (int writer = 0; writer < writers; ++writer)
        children.emplace_back([&, writer](auto& say) {
            constexpr condense::testing::law_hash colliding{2};
            condense::basic_artifact_folder const store{root / "a", colliding};
            auto const own = std::to_string(writer);
            say(store.put(colliding("", 0), own) ? 0 : 1);
            artifact_folder const same{root / "same"};
            for (int entry = 0; entry < 20; ++entry)
                if (same.put(same.name(std::to_string(entry)), std::to_string(entry))) say(2);
        });
    int kept = 0;
    for (auto& child : children) {
        auto const said = child.join();
        REQUIRE(said.size() == 1);
        kept += static_cast<int>(said[0]);
    }
    CHECK(kept == 1);
    CHECK(scratch::names_in(root / "a").size() == 1);
    CHECK(scratch::names_in(root / "same").size() == 20);
    for (int entry = 0; entry < 20; ++entry) CHECK(holds(root / "same", std::to_string(entry)));
}

TEST_CASE("artifact_folder: a writer that is killed loses nothing it was told is kept") {
    store_tests::artifact_store_outlives_killed_writers([](std::string const& path) { return artifact_folder{path}; },
                                                        [](std::string const& path) {
                                                            artifact_folder const store{path};
                                                            REQUIRE_FALSE(store.put(store.name("after"), "after"));
                                                            for (auto const& name : scratch::names_in(path))
                                                                REQUIRE_FALSE(name.ends_with(".tmp"));
                                                        });
}

TEST_CASE("artifact_folder: clears away what killed writers left, and nothing else") {
    scratch::folder const root;
    fs::create_directory(root / "a");
    auto const left = "a/.condense-" + std::string(32, 'a') + ".tmp";
    auto const held = "a/.condense-" + std::string(32, 'b') + ".tmp";
    scratch::write(root / left, "half");
    scratch::write(root / held, "half");
    scratch::write(root / "a/notes.tmp", "mine");
    scratch::write(root / "a/abc.tmp", "mine");
    auto const other = std::string(32, 'a') + ".tmp";
    scratch::write(root / "a/" + other, "mine");
    scratch::write(root / "a/" + std::string(36, 'a'), "mine");
    scratch::write(root / "outside", "mine");
    fs::create_symlink(root / "outside", root / "a/.condense-" + std::string(32, 'c') + ".tmp");
    auto const writer = ::open((root / held).c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(::flock(writer, LOCK_EX) == 0);
    artifact_folder const store{root / "a"};
    CHECK_FALSE(store.put(store.name("text"), "text"));
    ::close(writer);
    CHECK_FALSE(fs::exists(root / left));
    CHECK(fs::exists(root / held));
    for (auto const& name : {std::string{"notes.tmp"}, std::string{"abc.tmp"}, std::string(36, 'a'), other})
        CHECK(scratch::bytes_of(root / "a/" + name) == "mine");
    CHECK(scratch::bytes_of(root / "outside") == "mine");
    CHECK_FALSE(store.get({}).has_value());
}
