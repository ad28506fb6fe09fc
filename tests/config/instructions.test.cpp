// SPDX-License-Identifier: BSL-1.0
#include <condense/config/instructions.hpp>

#include <nlohmann/json.hpp>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>

#include "store/scratch.hpp"
#include "support/notation.hpp"

namespace {

namespace fs = std::filesystem;
using namespace condense::literals;
using namespace notation;
using condense::instruction_fault, condense::instruction_level, condense::instructions, condense::instructions_pushed;

/// user/AGENTS.md, and repo with a mark and repo/src/tool below it; canonical paths.
struct tree {
    scratch::folder held;
    std::string top = fs::canonical(held / "").string();
    std::string global = top + "/user/AGENTS.md";
    std::string repo = top + "/repo";
    std::string tool = top + "/repo/src/tool";

    tree() {
        fs::create_directories(top + "/user");
        fs::create_directories(tool);
        fs::create_directories(repo + "/.git");
    }
    void write_all() const {
        scratch::write(global, "Be terse.\n");
        scratch::write(repo + "/AGENTS.md", "Use tabs.");
        scratch::write(tool + "/AGENTS.md", "Run make.\n");
    }
    void write_all_anew() const {
        for (auto const& folder : {repo, tool}) fs::remove(folder + "/AGENTS.md");
        write_all();
    }
    /// In the place of what is there.
    static void link(std::string const& target, std::string const& path) {
        fs::remove(path);
        fs::create_symlink(target, path);
    }
    instructions load(std::uint64_t limit = 32 * 1024) const {
        return instructions::load({.global = global, .working = tool, .limit = {limit}});
    }
    std::string heading(std::string const& folder) const { return "[Instructions from " + folder + "/AGENTS.md]\n"; }
};

std::string const mark = "[... the rest of this file is left out: the limit is ";

bool same(instructions const& read, std::vector<instruction_level> const& levels) {
    std::vector<instruction_level> found;
    for (auto const& source : read.sources) found.push_back(source.level);
    return found == levels;
}

TEST_CASE("instructions: all levels are merged in order, each introduced") {
    tree const at;
    CHECK(at.load() == instructions{});  // what does not exist is no error
    at.write_all();
    auto const read = at.load();
    CHECK(read.text == at.heading(at.top + "/user") + "Be terse.\n\n" + at.heading(at.repo) + "Use tabs.\n\n" +
                           at.heading(at.tool) + "Run make.\n");
    CHECK((read.errors.empty() && !read.truncated));
    REQUIRE(same(read, {instruction_level::global, instruction_level::project, instruction_level::working}));
    CHECK(read.sources[1] == condense::instruction_source{.level = instruction_level::project,
                                                          .path = at.repo + "/AGENTS.md",
                                                          .read = 9_bytes,
                                                          .used = 10_bytes,
                                                          .cut = false});
    fs::remove(at.repo + "/AGENTS.md");
    CHECK(same(at.load(), {instruction_level::global, instruction_level::working}));
    scratch::write(at.global, "");
    auto const without = at.load();
    CHECK((without.text == at.heading(at.tool) + "Run make.\n" && without.sources.at(0).used == 0_bytes));
    CHECK_FALSE(without.truncated);
    scratch::write(at.tool + "/RULES", "Other.");
    CHECK(instructions::load({.working = at.tool, .name = "RULES"}).text ==
          "[Instructions from " + at.tool + "/RULES]\nOther.\n");
}

TEST_CASE("instructions: the same file is there once") {
    tree const at;
    at.write_all();
    CHECK(same(instructions::load({.working = at.repo}), {instruction_level::project}));
    CHECK(same(instructions::load({.global = at.repo + "/src/../AGENTS.md", .working = at.repo}),
               {instruction_level::global}));
    tree::link("../../AGENTS.md", at.tool + "/AGENTS.md");
    CHECK(same(instructions::load({.working = at.tool}), {instruction_level::project}));
    fs::remove(at.tool + "/AGENTS.md");
    fs::create_hard_link(at.repo + "/AGENTS.md", at.tool + "/AGENTS.md");
    CHECK(same(instructions::load({.working = at.tool}), {instruction_level::project}));
    scratch::write(at.global, "Use tabs.");  // the same words in another file are another file
    CHECK(same(at.load(), {instruction_level::global, instruction_level::project}));
}

TEST_CASE("instructions: the project's root is the nearest folder with a mark") {
    tree const at;
    at.write_all();
    using condense::detail::project_root;
    for (auto const& from : {at.tool, at.repo}) CHECK(project_root(from, {".git"}) == at.repo);
    struct row {
        std::string from;
        std::vector<std::string> marks;
    };
    for (auto const& [from, marks] :
         {row{at.tool, {"no-such-mark-anywhere"}}, row{at.tool, {"", std::string{"\0x", 2}}}, row{at.tool, {}},
          row{"", {".git"}}, row{"/", {"no-such-mark-anywhere"}}})
        CHECK(project_root(from, marks).empty());
    CHECK(project_root(at.tool, {fs::path{at.top}.relative_path().begin()->string()}) == "/");
    scratch::write(at.repo + "/src/go.mod", "module x");
    CHECK(project_root(at.tool, condense::instruction_options{}.marks) == at.repo + "/src");
    fs::create_symlink("nowhere", at.tool + "/.hg");  // a mark is a name, whatever it leads to
    CHECK(project_root(at.tool, condense::instruction_options{}.marks) == at.tool);
    // 64 folders are looked into, the one to start from among them.
    auto deep = at.repo;
    for (int level = 0; level < 63; ++level) deep += "/d";
    fs::create_directories(deep + "/d");
    CHECK(project_root(deep, {".git"}) == at.repo);
    CHECK(project_root(deep + "/d", {".git"}).empty());
    // The search may start elsewhere than in the working folder.
    fs::create_directories(at.top + "/away");
    auto const read = instructions::load({.project = at.repo + "/src", .working = at.top + "/away", .marks = {".git"}});
    CHECK(same(read, {instruction_level::project}));
}

TEST_CASE("instructions: the limit holds for all of the text, and the nearest has its room first") {
    tree const at;
    scratch::write(at.global, letters(3'000, 'g'));
    scratch::write(at.repo + "/AGENTS.md", letters(3'000, 'p'));
    scratch::write(at.tool + "/AGENTS.md", letters(3'000, 'w'));
    auto const all = at.load().text.size();
    CHECK((!at.load(all).truncated && at.load(all).text.size() == all));
    auto const count = [](std::string const& text, char letter) {
        std::size_t run = 0;
        std::size_t longest = 0;
        for (char const each : text) longest = std::max(longest, run = each == letter ? run + 1 : 0);
        return longest;
    };
    auto const one_less = at.load(all - 1);
    CHECK(one_less.truncated);
    CHECK((count(one_less.text, 'w') == 3'000 && count(one_less.text, 'p') == 3'000));
    CHECK((count(one_less.text, 'g') < 3'000 && count(one_less.text, 'g') > 2'800));
    auto const half = at.load(5'000);
    CHECK((count(half.text, 'w') == 3'000 && count(half.text, 'p') > 1'000 && count(half.text, 'g') < 10));
    CHECK((half.sources.at(0).cut && half.sources.at(1).cut && !half.sources.at(2).cut));
    for (std::uint64_t limit = 0; limit < all + 3; limit += limit < 1'200 ? 1 : 97) {
        auto const read = at.load(limit);
        REQUIRE(read.text.size() <= limit);
        REQUIRE(read.truncated == (limit < all));
        REQUIRE(read.sources.size() == 3);
        std::size_t cut = 0;
        for (auto const& source : read.sources) {
            REQUIRE(source.read.count <= limit + 1);
            REQUIRE(source.used.count <= 3'001);
            cut += source.cut && source.used.count != 0 ? 1u : 0u;
        }
        std::size_t marks = 0;
        for (auto seen = read.text.find(mark); seen != read.text.npos; seen = read.text.find(mark, seen + 1)) ++marks;
        REQUIRE(marks >= cut);
        REQUIRE((read.text.empty() || read.text.back() == '\n'));
    }
    CHECK(at.load(~std::uint64_t{0}).text.size() == all);
}

TEST_CASE("instructions: a cut is at a code point, ill-formed bytes are replaced") {
    tree const at;
    std::string letters;
    for (int i = 0; i < 2'000; ++i) letters += "\xF0\x9F\x98\x80";
    scratch::write(at.tool + "/AGENTS.md", letters);
    for (std::uint64_t limit = 300; limit < 340; ++limit) {
        auto const read = at.load(limit);
        REQUIRE(condense::detail::utf8::valid(read.text));
        REQUIRE(read.text.find("\xEF\xBF\xBD") == read.text.npos);
        REQUIRE(read.text.size() <= limit);
        REQUIRE(read.sources.at(0).used.count % 4 == 0);
        REQUIRE(read.text.ends_with("bytes ...]\n"));
    }
    scratch::write(at.tool + "/AGENTS.md",
                   "\xEF\xBB\xBF"
                   "a\xFF\xC3(\xE2\x82");
    CHECK(at.load().text == at.heading(at.tool) + "a\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD\n");
    scratch::write(at.tool + "/AGENTS.md", std::string(32 * 1024 - 200, '\xFF'));  // three times as long when replaced
    auto const grown = at.load();
    CHECK((grown.truncated && grown.text.size() <= 32 * 1024));
    CHECK(condense::detail::utf8::valid(grown.text));
    // Of a huge file only the front is read.
    scratch::write(at.tool + "/AGENTS.md", std::string(500, 'x'));
    fs::resize_file(at.tool + "/AGENTS.md", std::uintmax_t{1} << 36);  // sparse
    auto const front = at.load(1'000);
    CHECK((front.truncated && front.sources.at(0).read == 1'001_bytes && front.text.size() <= 1'000));
    CHECK(front.text.find(std::string(500, 'x')) != std::string::npos);
}

TEST_CASE("instructions: what is no regular file is refused without waiting") {
    tree const at;
    at.write_all();
    auto const path = at.tool + "/AGENTS.md";
    auto const refused = [&](instruction_fault fault) {
        auto const read = at.load();
        REQUIRE(read.errors.size() == 1);
        CHECK((read.errors[0].fault == fault && read.errors[0].level == instruction_level::working));
        CHECK(read.errors[0].path == path);
        CHECK(same(read, {instruction_level::global, instruction_level::project}));  // the others are there
        return read.errors[0].text();
    };
    fs::remove(path);
    fs::create_directory(path);
    CHECK(refused(instruction_fault::not_regular) ==
          "condense: instructions: " + path + " must be a regular file (see instructions)");
    auto const first = at.load().errors;
    CHECK(at.load().errors == first);  // so that a program tells each only once
    auto other = first;
    other[0].path = at.global;
    CHECK(other != first);
    fs::remove(path);
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    refused(instruction_fault::not_regular);
    fs::rename(path, at.tool + "/pipe");
    fs::create_symlink("pipe", path);
    refused(instruction_fault::not_regular);
    for (auto const* const target : {"/dev/zero", "/dev/tty", "."}) {
        tree::link(target, path);
        refused(instruction_fault::not_regular);
    }
    tree::link("AGENTS.md", path);
    CHECK(refused(instruction_fault::unreadable).find("must be readable, not stat: ") != std::string::npos);
    tree::link("nowhere", path);
    refused(instruction_fault::unreadable);
    if (::geteuid() != 0) {
        fs::remove(path);
        scratch::write(path, "secret");
        fs::permissions(path, fs::perms::none);
        CHECK(refused(instruction_fault::unreadable).find("Permission denied") != std::string::npos);
    }
    fs::remove(path);
    scratch::write(at.tool + "/real", "Linked.\n");
    fs::create_symlink("real", path);
    CHECK(at.load().text.ends_with("Linked.\n"));
}

TEST_CASE("instructions: links lead no file of the project out of it, and nothing to /proc or /sys") {
    tree const at;
    at.write_all();
    scratch::write(at.top + "/id_rsa", "PRIVATE KEY\n");
    fs::create_directory(at.top + "/repo2");
    scratch::write(at.top + "/repo2/AGENTS.md", "PRIVATE KEY\n");
    for (auto const& [level, folder] :
         {std::pair{instruction_level::project, at.repo}, std::pair{instruction_level::working, at.tool}})
        for (std::string const& target :
             {at.top + "/id_rsa", std::string{"../"} + (folder == at.tool ? "../../" : "") + "id_rsa",
              at.top + "/repo2/AGENTS.md", std::string{"/proc/self/environ"}, std::string{"/proc/version"}}) {
            INFO(target);
            tree::link(target, folder + "/AGENTS.md");
            auto const read = at.load();
            CHECK(read.text.find("PRIVATE KEY") == std::string::npos);
            REQUIRE(read.errors.size() == 1);
            CHECK((read.errors[0].fault == instruction_fault::outside && read.errors[0].level == level));
            CHECK(read.errors[0].text() ==
                  "condense: instructions: " + folder +
                      "/AGENTS.md must be a file of the project, no link out of it (see instructions)");
            CHECK(read.sources.size() == 2);
            at.write_all_anew();
        }

    SECTION("without a root the working folder is one") {
        fs::create_directories(at.top + "/alone/below");
        fs::create_symlink("../id_rsa", at.top + "/alone/AGENTS.md");
        auto const read = instructions::load({.working = at.top + "/alone", .marks = {}});
        CHECK(read.text.empty());
        REQUIRE(read.errors.size() == 1);
        CHECK(read.errors[0].fault == instruction_fault::outside);
    }
    SECTION("not even where the root is that of the system") {
        tree::link("/proc/version", at.tool + "/AGENTS.md");
        auto const read = instructions::load({.working = at.tool, .marks = {"proc"}});
        REQUIRE_FALSE(read.errors.empty());
        CHECK(read.errors.back().fault == instruction_fault::outside);
    }
    SECTION("the user's own may be a link to anywhere") {
        tree::link("../id_rsa", at.global);
        CHECK(at.load().text.find("PRIVATE KEY") != std::string::npos);
    }
    SECTION("a working folder that is reached by a link is where it leads") {
        fs::create_symlink(at.tool, at.top + "/way");
        CHECK(instructions::load({.working = at.top + "/way"}).errors.empty());
    }
}

TEST_CASE("instructions: names and folders that cannot be are told") {
    tree const at;
    at.write_all();
    for (std::string const& name : {std::string{}, std::string{"."}, std::string{".."}, std::string{"../AGENTS.md"},
                                    std::string{"/etc/passwd"}, std::string{"AGENTS.md\0", 10}}) {
        auto const read = instructions::load({.global = at.global, .working = at.tool, .name = name});
        REQUIRE(read.errors.size() == 1);
        CHECK(read.errors[0].fault == instruction_fault::bad_name);
        CHECK(same(read, {instruction_level::global}));
    }
    for (auto const& folder : {at.top + "/nowhere", at.global, std::string{}, at.tool + std::string{"\0", 1}}) {
        auto const read = instructions::load({.global = at.global, .working = folder});
        REQUIRE(read.errors.size() == 1);
        CHECK(read.errors[0].fault == instruction_fault::no_folder);
        CHECK(same(read, {instruction_level::global}));
    }
    auto const read =
        instructions::load({.global = std::string{"a\0b", 3}, .project = at.top + "/nowhere", .working = at.tool});
    REQUIRE(read.errors.size() == 2);
    CHECK((read.errors[0].path == "a b" && read.errors[1].level == instruction_level::project));
    CHECK(same(read, {instruction_level::working}));
    fs::create_directory(at.top + "/\x1B[31m\n\xFF]");
    auto const odd = instructions::load({.global = at.top + "/\x1B[31m\n\xFF]/.", .working = at.tool});
    REQUIRE(odd.errors.size() == 1);
    CHECK(odd.errors[0].text().find_first_of("\x1B\n") == std::string::npos);
    CHECK(condense::detail::utf8::valid(odd.errors[0].text()));
    scratch::write(at.top + "/\x1B[31m\n\xFF]/AGENTS.md", "Odd.");
    auto const told = instructions::load({.working = at.top + "/\x1B[31m\n\xFF]"});
    CHECK(told.text == "[Instructions from " + at.top + "/ [31m \xEF\xBF\xBD]/AGENTS.md]\nOdd.\n");
}

std::size_t systems_in(auto const& history) {
    std::size_t count = 0;
    for (auto const& m : history) count += condense::role_of(m) == condense::role::system ? 1u : 0u;
    return count;
}

/// Adapters whose `make` is meant for summaries alone.
struct deaf {
    std::string text;
    struct condense_traits {
        static condense::role role_of(deaf const&) { return condense::role::user; }
        static void each_part(deaf const& m, auto&& sink) { sink(condense::part_view{.text = m.text}); }
        static deaf make(condense::role, std::string text) { return {std::move(text)}; }
    };
};

template <class Message>
struct plain_session {
    std::vector<Message> held;
    void push(Message m) { held.push_back(std::move(m)); }
    std::vector<Message> const& history() const { return held; }
};

TEST_CASE("instructions: are pushed once, and again when they have changed") {
    tree const at;
    condense::session session{conversation{}, condense::pipeline{condense::sliding_window{}},
                              condense::budget{.window = 100'000_tokens}};
    CHECK(at.load().push_to(session) == instructions_pushed::empty);
    at.write_all();
    auto const first = at.load();
    session.push(S("You are an agent."));
    CHECK(first.push_to(session) == instructions_pushed::yes);
    CHECK(session.history().at(1) == S(first.text));
    push(session, {U("[Instructions from nobody]\n"), S("Be kind.")});
    CHECK(first.push_to(session) == instructions_pushed::unchanged);
    scratch::write(at.tool + "/AGENTS.md", "Run ninja.\n");
    auto const second = at.load();
    CHECK(second.push_to(session) == instructions_pushed::yes);
    CHECK(at.load().push_to(session) == instructions_pushed::unchanged);
    CHECK(first.push_to(session) == instructions_pushed::yes);  // the newest are others
    CHECK(session.history().size() == 6);
    // Other messages will do, if they can be of the system.
    plain_session<nlohmann::json> documents;
    CHECK(first.push_to(documents) == instructions_pushed::yes);
    CHECK(first.push_to(documents) == instructions_pushed::unchanged);
    REQUIRE(documents.held.size() == 1);
    CHECK(condense::role_of(documents.held[0]) == condense::role::system);
    plain_session<deaf> others;
    CHECK(first.push_to(others) == instructions_pushed::unwritable);
    CHECK(others.held.empty());
}

TEST_CASE("instructions: stay byte for byte down to the floor, and no summary has them") {
    tree const at;
    at.write_all();
    scratch::write(at.tool + "/AGENTS.md", "Unmistakable.\n" + letters(20'000, 'i'));
    auto const read = at.load();
    std::vector<std::string> prompts;
    auto const model = [&prompts](std::string_view prompt) {
        prompts.emplace_back(prompt);
        return std::string{"They talked."};
    };
    auto const run = [&](auto const& mix) {
        condense::session session{conversation{}, mix, condense::budget{.window = 1'000_tokens}};
        push(session, {U("First."), A("Yes.")});
        REQUIRE(read.push_to(session) == instructions_pushed::yes);
        for (int turn = 0; turn < 40; ++turn) {
            push(session, {U("Read " + std::to_string(turn)), C(std::to_string(turn), "read"),
                           R(std::to_string(turn), letters(2'000, 'r')), A("Read.")});
            auto const report = session.prepare();
            CHECK_FALSE(report.fits());  // the instructions alone are too much
            CHECK(read.push_to(session) == instructions_pushed::unchanged);
        }
        std::size_t found = 0;
        for (auto const& m : session.request()) found += m == S(read.text) ? 1u : 0u;
        CHECK(found == 1);
        CHECK(systems_in(session.request()) == 1);
        CHECK(session.used().messages < 10_messages);  // of 163: this is the floor
    };
    run(condense::pipeline{condense::compress{}, condense::summarize{.when = condense::used >= 50_pct, .with = model},
                           condense::sliding_window{.when = condense::used >= 60_pct},
                           condense::escalate{.when = condense::used >= 70_pct}});
    run(condense::pipeline{condense::sliding_window{.when = condense::used >= 1_pct}});
    CHECK_FALSE(prompts.empty());
    for (auto const& prompt : prompts) CHECK(prompt.find("Unmistakable") == std::string::npos);
}

}  // namespace
