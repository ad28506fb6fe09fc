// SPDX-License-Identifier: BSL-1.0
#include <condense/store/artifact_folder.hpp>

#include "store/scenario.hpp"

namespace {

using namespace store_tests;
using condense::artifact_folder;

struct folder_place : files_below {
    static constexpr std::string_view too_large = too_large_file;
    auto open(auto... hash) const { return condense::basic_artifact_folder{path, hash...}; }
    void change(condense::reference const& name, std::string_view bytes) const {
        scratch::write(path + "/" + name.text(), bytes);
    }
};

condense::reference one_name(std::string_view, std::uint64_t) { return {{1}}; }

}  // namespace

TEST_CASE("artifact_folder: is a durable store") { check_durable_store<folder_place>(); }

TEST_CASE("artifact_folder: files, their names and what they hold") {
    folder_place const place;
    SECTION("a file is named as its artifact, and holds its content alone") {
        CHECK(put(place.open(), "text").empty());
        CHECK(place.files() == strings{place.open().name("text").text()});
        CHECK(scratch::bytes_of(scratch::the_file_in(place.path)) == "text");
    }
    SECTION("damaged content is not given back and not taken for the content") {
        auto const store = place.open();
        std::string const content(100'000, 'x');
        auto const name = store.name(content);
        REQUIRE_FALSE(store.put(name, content));
        auto const damaged = GENERATE_COPY(content.substr(1) + 'y', content.substr(1), content + 'x', std::string{},
                                           std::string(content.size(), '\0'));
        place.change(name, damaged);
        CHECK_FALSE(store.get(name).has_value());
        CHECK(reason(store.put(name, content)) == other_content);
        CHECK(scratch::bytes_of(scratch::the_file_in(place.path)) == damaged);
        CHECK(store.name(content) != name);
        CHECK(put(store, content).empty());
        CHECK((store.get(store.name(content)) == content));
    }
    SECTION("a name that does not match the content is refused, as a reader could not verify it") {
        auto const store = place.open();
        for (auto const& name : {condense::reference{}, condense::reference{{1}}, store.name("other")})
            CHECK(reason(store.put(name, "text")) == "content does not match its hash");
        CHECK_FALSE(fs::exists(place.path));
    }
    SECTION("what is enormous is refused") {
        auto const size = artifact_folder::most_bytes + 1;
        CHECK(reason(place.open().put({}, zeros{size}.text())) == "larger than 1 GiB");
        auto const trusting = place.open(one_name);
        REQUIRE(put(trusting, "text").empty());
        REQUIRE(::truncate(scratch::the_file_in(place.path).c_str(), static_cast<off_t>(size)) == 0);
        CHECK_FALSE(trusting.get(one_name({}, 0)).has_value());
    }
    SECTION("names that are taken sixteen times leave the content where it is") {
        auto const store = place.open(one_name);
        CHECK(put(store, "one").empty());
        CHECK(put(store, "two") == other_content);
        CHECK(store.get(store.name("two")) == "one");
    }
}

TEST_CASE("artifact_folder: a folder and what is in it") {
    scratch::folder const root;
    SECTION("an unusable path is the first put's error, and is tried again") {
        scratch::write(root / "taken", "a file");
        for (auto const& path : {root / "taken", root / "taken/below"}) {
            artifact_folder const store{path};
            CHECK(put(store, "text") == "open folder: Not a directory");
            CHECK_FALSE(holds(store, "text"));
            fs::rename(root / "taken", root / "moved");
            CHECK(put(store, "text").empty());
            CHECK(holds(store, "text"));
            fs::remove_all(root / "taken");
            fs::rename(root / "moved", root / "taken");
        }
        CHECK(scratch::bytes_of(root / "taken") == "a file");
        for (auto const& path : {std::string{}, std::string("a\0b", 3), std::string(5'000, 'x')})
            CHECK_FALSE(put(artifact_folder{path}, "text").empty());
    }
    SECTION("an existing folder that is open to others or a link is refused unless that is asked for") {
        REQUIRE(fs::create_directory(root / "a"));
        auto const mode = GENERATE(as<::mode_t>{}, 0, 0777, 01777, 0770);  // 0 for a link; 01777 as /tmp
        CAPTURE(mode);
        auto const path = root / (mode == 0 ? "link/" : "a");
        if (mode == 0) REQUIRE_NOTHROW(fs::create_directory_symlink(root / "a", root / "link"));
        else REQUIRE(::chmod(path.c_str(), mode) == 0);
        auto const refused = mode == 0 ? is_link : open_to_others;
        artifact_folder const store{path};
        auto const name = store.name("text");
        CHECK(put(store, "text") == refused);
        CHECK(reason(store.erase(name)) == refused);
        CHECK(reason(store.each([](auto&&...) {})) == refused);
        CHECK(scratch::names_in(root / "a").empty());
        artifact_folder const other{path, {.allow_open_folder = true}};
        CHECK(put(other, "text").empty());
        CHECK(holds(other, "text"));
        CHECK_FALSE(holds(store, "text"));
        // The remedy helps without a new handle.
        if (mode != 0) REQUIRE(::chmod(path.c_str(), 0755) == 0);
        else fs::remove(root / "link"), fs::rename(root / "a", root / "link");
        CHECK(holds(store, "text"));
    }
    SECTION("what is planted at a name is neither followed nor changed") {
        artifact_folder const store{root / "a"};
        auto const first = condense::content_hash{}("text", 0);
        fs::create_directory(root / "a");
        auto const place = root / "a/" + first.text();
        scratch::write(root / "outside", "text");
        plant(place, root / "outside", root / "nothing");
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
    SECTION("clears away what killed writers left, and nothing else") {
        fs::create_directory(root / "a");
        auto const temporary = [&](char letter) { return root / ("a/.condense-" + std::string(32, letter) + ".tmp"); };
        for (char const letter : {'a', 'b'}) scratch::write(temporary(letter), "half");
        strings const mine{"a/notes.tmp", "a/abc.tmp", "a/" + std::string(32, 'a') + ".tmp",
                           "a/" + std::string(36, 'a'), "outside"};
        for (auto const& name : mine) scratch::write(root / name, "mine");
        fs::create_symlink(root / "outside", temporary('c'));
        auto const writer = ::open(temporary('b').c_str(), O_RDWR | O_CLOEXEC);
        REQUIRE(::flock(writer, LOCK_EX) == 0);
        artifact_folder const store{root / "a"};
        CHECK(put(store, "text").empty());
        ::close(writer);
        CHECK_FALSE(fs::exists(temporary('a')));
        CHECK(fs::exists(temporary('b')));
        for (auto const& name : mine) CHECK(scratch::bytes_of(root / name) == "mine");
        CHECK_FALSE(store.get({}).has_value());
    }
}

TEST_CASE("artifact_folder: a full, then read-only, disk") {
    scratch::folder const root;
    processes::small_disk const disk{root / "disk", "size=256k,nr_inodes=8"};
    if (!disk.mounted()) return;
    artifact_folder const store{root / "disk/a"};
    strings kept;
    std::string problem;
    for (char byte = 'a'; problem.empty() && byte <= 'z'; ++byte) {
        std::string const content(60'000, byte);
        problem = put(store, content);
        if (problem.empty()) kept.push_back(content);
    }
    CHECK(problem == "write: " + std::string{no_space});
    CHECK(kept.size() >= 2);
    CHECK(scratch::names_in(root / "disk/a").size() == kept.size());
    for (auto const& content : kept) CHECK(holds(store, content));
    fs::remove(root / "disk/a/" + store.name(kept.back()).text());
    CHECK(put(store, kept.back()).empty());

    fs::remove_all(root / "disk/a");
    problem.clear();
    for (int entry = 0; problem.empty() && entry < 20; ++entry) problem = put(store, std::to_string(entry));
    CHECK(problem == "create: " + std::string{no_space});

    fs::remove_all(root / "disk/a");
    CHECK(put(store, "one").empty());
    REQUIRE(disk.make_read_only(true));
    CHECK(put(store, "two") == "create: " + std::string{read_only_disk});
    CHECK(holds(store, "one"));
    REQUIRE(disk.make_read_only(false));
    CHECK(put(store, "two").empty());
    CHECK(holds(artifact_folder{root / "disk/a"}, "two"));
}
