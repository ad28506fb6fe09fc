// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/state_file.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>
#include <csignal>

#include <condense/store/journal_folder.hpp>

#include "adapt/saved_sessions.hpp"
#include "store/processes.hpp"
#include "store/scratch.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using condense::state_fault;
using saved_sessions::session_type;

session_type fresh() { return {{}, saved_sessions::mix(), saved_sessions::limits, {}}; }

/// A program that can be killed at any moment: each step pushes a message and saves, what was acknowledged
/// is what it said.
class script {
public:
    explicit script(scratch::folder const& in) : in_{in} {}

    static chat_message message(std::uint64_t number) {
        auto const text = "number " + std::to_string(number % 3) + letters(number % 7 * 40, 'n');  // some are equal
        auto m = number % 2 == 0 ? U(text) : A(text);
        if (number == 0) m.name = "first";
        return m;
    }

    /// Goes on after the newest state up to message `until`; says each number that is pushed and saved.
    template <class Say>
    std::string run(std::uint64_t until, Say&& say) const {
        auto const mix = condense::pipeline{
            condense::record{.to = condense::journal_folder{in_ / "journal"}},
            condense::compress{.when = condense::used >= condense::percent{3'000},
                               .over = condense::chars{100},
                               .with = condense::head_tail{condense::chars{20}, condense::chars{20}}},
            condense::sliding_window{.when = condense::used >= condense::percent{8'000}}};
        condense::session session{conversation{}, mix, condense::budget{.window = {500}}, laws::byte_estimator{}};
        if (std::filesystem::exists(in_ / "agent.state"))
            if (auto const problem = condense::restore_file(session, in_ / "agent.state"))
                return std::string{std::string_view{problem.reason}};
        for (auto number = session.outline().size(); number < until; number = session.outline().size()) {
            session.push(message(number));
            static_cast<void>(session.prepare());
            if (number % 10 == 9) session.release({number});
            if (auto const problem = condense::save_file(session, in_ / "agent.state"))
                return std::string{std::string_view{problem.reason}};
            say(number);
        }
        return {};
    }

    /// Each message exactly once, in order.
    bool recorded_once(std::uint64_t count) const {
        std::uint64_t next = 0;
        bool good = true;
        condense::journal_folder const journal{in_ / "journal"};
        auto const look = [&](condense::journal_entry const& line, std::string_view content) {
            good = good && line.number == next && content == condense::to_bytes(message(next));
            ++next;
        };
        if (journal.read("", look)) return false;
        return good && next == count;
    }

private:
    scratch::folder const& in_;
};

}  // namespace

TEST_CASE("a session goes on from a file", "[law-7]") {
    scratch::folder const in{scratch::memory()};
    auto session = fresh();
    saved_sessions::fill(session, true);
    auto const path = in / "a/b/agent.state";
    REQUIRE_FALSE(condense::save_file(session, path));
    CHECK(scratch::mode_of(path) == 0600);
    CHECK(scratch::mode_of(in / "a") == 0700);
    session.push(U("One more."));
    REQUIRE_FALSE(condense::save_file(session, path));
    CHECK(scratch::names_in(in / "a/b").size() == 1);
    CHECK(scratch::bytes_of(path) == condense::save(session).text);
    scratch::write(in / "a/b/.condense-00112233445566778899aabbccddeeff.tmp", "what a killed writer left");
    scratch::write(in / "a/b/0123456789abcdef0123456789abcdef.tmp", "mine");
    auto later = fresh();
    REQUIRE_FALSE(condense::restore_file(later, path));
    CHECK(condense::save(later).text == condense::save(session).text);
    CHECK(scratch::names_in(in / "a/b") ==
          std::vector<std::string>{"0123456789abcdef0123456789abcdef.tmp", "agent.state"});
}

TEST_CASE("a file that is not one of a session is refused and stays as it is") {
    scratch::folder const in{scratch::memory()};
    auto const path = in / "agent.state";
    auto session = fresh();
    CHECK(condense::restore_file(session, path).fault == state_fault::file);
    CHECK(condense::restore_file(session, in / "no/folder").fault == state_fault::file);
    for (auto const* const name : {"", "/", ".", "..", "a/"}) {
        CHECK(condense::restore_file(session, in / name).fault == state_fault::file);
        CHECK(condense::save_file(session, std::string{name}).fault == state_fault::file);
    }
    CHECK(condense::save_file(session, std::string("a\0b", 3)).fault == state_fault::file);
    for (std::string const bytes : {"", "{}", "not a state"}) {
        scratch::write(path, bytes);
        CHECK(condense::restore_file(session, path).fault == state_fault::damaged);
        CHECK(scratch::bytes_of(path) == bytes);
    }
    CHECK(condense::restore_file(session, path, {4}).fault == state_fault::too_large);
    std::filesystem::remove(path);
    std::filesystem::create_symlink(in / "elsewhere", path);
    REQUIRE_FALSE(condense::save_file(session, in / "elsewhere"));
    CHECK(condense::restore_file(session, path).fault == state_fault::file);
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    auto const problem = condense::save_file(session, path);
    CHECK(problem.fault == state_fault::file);
    CHECK(std::string_view{problem.reason}.starts_with("condense: save_file: the file must"));
    CHECK(scratch::names_in(in / "").size() == 2);
    CHECK(session.history().empty());
}

TEST_CASE("a file where everybody may replace it is neither written nor read unless that is asked for") {
    scratch::folder const in{scratch::memory()};
    REQUIRE(std::filesystem::create_directory(in / "all"));
    REQUIRE(::chmod((in / "all").c_str(), 0777) == 0);
    auto const path = in / "all/agent.state";
    auto session = fresh();
    saved_sessions::fill(session, true);
    auto const refused = condense::save_file(session, path);
    CHECK(refused.fault == state_fault::file);
    CHECK(std::string_view{refused.reason} ==
          "condense: save_file: the folder must be closed to others (chmod go-w), or allow_open_folder be set: open "
          "folder (see session_state)");
    CHECK(scratch::names_in(in / "all").empty());
    REQUIRE_FALSE(condense::save_file(session, path, {.allow_open_folder = true}));
    auto later = fresh();
    CHECK(condense::restore_file(later, path).fault == state_fault::file);
    CHECK(later.history().empty());
    CHECK_FALSE(condense::restore_file(later, path, {1u << 30}, {.allow_open_folder = true}));
    auto again = fresh();
    REQUIRE(::chmod((in / "all").c_str(), 01777) == 0);  // as /tmp
    CHECK_FALSE(condense::restore_file(again, path));
    // A hard link is replaced, not written through.
    std::filesystem::rename(path, in / "kept");
    std::filesystem::create_hard_link(in / "kept", path);
    auto const kept = scratch::bytes_of(in / "kept");
    again.push(U("One more."));
    REQUIRE_FALSE(condense::save_file(again, path));
    CHECK(scratch::bytes_of(in / "kept") == kept);
    CHECK(scratch::bytes_of(path) != kept);
}

TEST_CASE("the error of a file says what to do about its cause") {
    auto const reason_of = [](int error) {
        return std::string{std::string_view{condense::detail::file_fault("save_file", {"write", error}).reason}};
    };
    CHECK(reason_of(ENOSPC) ==
          "condense: save_file: the disk must have room: write: No space left on device (see "
          "session_state)");
    CHECK(reason_of(EDQUOT).find(": the quota of the user must have room: write: ") != std::string::npos);
    CHECK(reason_of(EROFS).find(": the file system must be writable: ") != std::string::npos);
    CHECK(reason_of(EMFILE).find(": the process must be allowed more open files (ulimit -n): ") != std::string::npos);
    CHECK(reason_of(EFBIG).find(": the file must be within the limit of file sizes (ulimit -f): ") !=
          std::string::npos);
    CHECK(reason_of(EACCES).find(": the file must be there and open to its owner: ") != std::string::npos);
    for (int const error : {ENOSPC, EDQUOT, EROFS, EMFILE, ENFILE, EFBIG})
        CHECK(reason_of(error).find("open to its owner") == std::string::npos);
}

TEST_CASE("a program that is killed at any moment goes on without a loss and without doing anything twice", "[law-7]") {
    constexpr std::uint64_t all = 40;
    std::uint64_t amid = 0;
    auto const rounds_of_kills = rounds(300);
    for (std::uint64_t round = 0; round < rounds_of_kills; ++round) {
        scratch::folder const in{scratch::memory()};
        script const program{in};
        std::uint64_t acknowledged = 0;
        for (int kills = 0; kills < 3 && acknowledged < all; ++kills) {
            bool const at_step = round % 4 == 0;
            auto const last = acknowledged + 1 + (round + static_cast<std::uint64_t>(kills)) % 13;
            processes::child running{[&](auto const& say) {
                auto const why = program.run(all, [&](std::uint64_t number) {
                    say(number);
                    if (at_step && number + 1 >= last) ::kill(::getpid(), SIGKILL);
                });
                if (!why.empty()) say(~std::uint64_t{0});
                if (at_step) ::kill(::getpid(), SIGKILL);
                ::pause();
            }};
            auto const said = at_step ? running.join_killed()
                                      : running.kill_after_microseconds(static_cast<unsigned>(50 + round * 37 % 9'000));
            for (auto const number : said) {
                REQUIRE(number >= acknowledged);  // also not the word for an error
                REQUIRE(number < all);
                acknowledged = number + 1;
            }
            amid += acknowledged != 0 && acknowledged < all ? 1u : 0u;
            if (acknowledged != 0) {
                auto const state = scratch::bytes_of(in / "agent.state");
                condense::session_state read;
                REQUIRE_FALSE(condense::read_state(state, read));
                REQUIRE(read.messages.size() + read.released.size() >= acknowledged);
            }
        }
        REQUIRE(program.run(all, [](std::uint64_t) {}) == "");
        REQUIRE(program.recorded_once(all));
        REQUIRE(scratch::names_in(in / "").size() == 2);
    }
    CHECK(amid * 10 >= rounds_of_kills * 3);
}
