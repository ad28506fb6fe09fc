// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/state_file.hpp>

#include <condense/store/journal_folder.hpp>

#include "adapt/saved_sessions.hpp"
#include "store/processes.hpp"
#include "store/scratch.hpp"
#include "support/effort.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::head_tail, condense::never, condense::restore_file, condense::save_file, condense::state_fault;
using condense::trigger, condense::used;
using saved_sessions::session_type;
session_type fresh() { return {{}, saved_sessions::mix(), saved_sessions::limits, {}}; }

}  // namespace

TEST_CASE("a session goes on from a file", "[law-7]") {
    scratch::folder const in{scratch::memory()};
    auto session = fresh();
    saved_sessions::fill(session, true);
    auto const path = in / "a/b/agent.state";
    REQUIRE_FALSE(save_file(session, path));
    CHECK(scratch::mode_of(path) == 0600);
    CHECK(scratch::mode_of(in / "a") == 0700);
    session.push(U("One more."));
    REQUIRE_FALSE(save_file(session, path));
    CHECK(scratch::names_in(in / "a/b").size() == 1);
    CHECK(scratch::bytes_of(path) == condense::save(session).text);
    scratch::write(in / "a/b/.condense-00112233445566778899aabbccddeeff.tmp", "what a killed writer left");
    scratch::write(in / "a/b/0123456789abcdef0123456789abcdef.tmp", "mine");
    auto later = fresh();
    REQUIRE_FALSE(restore_file(later, path));
    CHECK(condense::save(later).text == condense::save(session).text);
    CHECK(scratch::names_in(in / "a/b") ==
          std::vector<std::string>{"0123456789abcdef0123456789abcdef.tmp", "agent.state"});
}

TEST_CASE("a file that is not one of a session is refused and stays as it is") {
    scratch::folder const in{scratch::memory()};
    auto const path = in / "agent.state";
    auto session = fresh();
    CHECK(restore_file(session, path).fault == state_fault::file);
    CHECK(restore_file(session, in / "no/folder").fault == state_fault::file);
    for (auto const* const name : {"", "/", ".", "..", "a/"}) {
        CHECK(restore_file(session, in / name).fault == state_fault::file);
        CHECK(save_file(session, std::string{name}).fault == state_fault::file);
    }
    CHECK(save_file(session, std::string("a\0b", 3)).fault == state_fault::file);
    for (std::string const bytes : {"", "{}", "not a state"}) {
        scratch::write(path, bytes);
        CHECK(restore_file(session, path).fault == state_fault::damaged);
        CHECK(scratch::bytes_of(path) == bytes);
    }
    CHECK(restore_file(session, path, {4}).fault == state_fault::too_large);
    std::filesystem::remove(path);
    std::filesystem::create_symlink(in / "elsewhere", path);
    REQUIRE_FALSE(save_file(session, in / "elsewhere"));
    CHECK(restore_file(session, path).fault == state_fault::file);
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    auto const problem = save_file(session, path);
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
    auto const refused = save_file(session, path);
    CHECK(refused.fault == state_fault::file);
    CHECK(std::string_view{refused.reason} ==
          "condense: save_file: the folder must be closed to others (chmod go-w), or allow_open_folder be set: open "
          "folder (see session_state)");
    CHECK(scratch::names_in(in / "all").empty());
    REQUIRE_FALSE(save_file(session, path, {.allow_open_folder = true}));
    auto later = fresh();
    CHECK(restore_file(later, path).fault == state_fault::file);
    CHECK(later.history().empty());
    CHECK_FALSE(restore_file(later, path, {1u << 30}, {.allow_open_folder = true}));
    auto again = fresh();
    REQUIRE(::chmod((in / "all").c_str(), 01777) == 0);  // as /tmp
    CHECK_FALSE(restore_file(again, path));
    // A hard link is replaced, not written through.
    std::filesystem::rename(path, in / "kept");
    std::filesystem::create_hard_link(in / "kept", path);
    auto const kept = scratch::bytes_of(in / "kept");
    again.push(U("One more."));
    REQUIRE_FALSE(save_file(again, path));
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

// Programs that may be killed at any moment: each goes on after the newest state, and pushes and saves message after
// message. It says 2n when message n is saved, and other words between.

namespace {

constexpr std::uint64_t between = 1;
constexpr std::uint64_t at_end = 3;
constexpr std::uint64_t failed = ~std::uint64_t{0};
using say_function = std::function<void(std::uint64_t)>;

/// push(session, n) pushes message n and does what the program does then; it returns what is wrong.
template <class Mix, class Push>
std::string go_on(scratch::folder const& in, Mix const& mix, condense::tokens window, std::uint64_t until,
                  Push const& push, say_function const& say) {
    condense::session session{conversation{}, mix, condense::budget{.window = window}, per_byte{}};
    auto const path = in / "agent.state";
    // Also where there is none: a program may have been killed amid its first save.
    if (auto const problem = restore_file(session, path); problem && std::filesystem::exists(path))
        return std::string{std::string_view{problem.reason}};
    for (auto number = session.outline().size(); number < until; number = session.outline().size()) {
        if (auto const wrong = push(session, number); !wrong.empty()) return wrong;
        if (auto const problem = save_file(session, path)) return std::string{std::string_view{problem.reason}};
        say(2 * number);
    }
    return {};
}

/// Cuts results, drops and releases messages.
struct reducing {
    scratch::folder const& in;
    static constexpr std::uint64_t all = 40;

    static chat_message message(std::uint64_t number) {
        auto const text = "number " + std::to_string(number % 3) + letters(number % 7 * 40, 'n');  // some are equal
        auto m = number % 2 == 0 ? U(text) : A(text);
        if (number == 0) m.name = "first";
        return m;
    }
    std::string run(say_function const& say) const {
        auto const mix = condense::pipeline{
            condense::record{.to = condense::journal_folder{in / "journal"}},
            condense::compress{.when = used >= 30_pct, .over = 100_chars, .with = head_tail{20_chars, 20_chars}},
            condense::sliding_window{.when = used >= 80_pct}};
        auto const push = [](auto& session, std::uint64_t number) {
            session.push(message(number));
            static_cast<void>(session.prepare());
            if (number % 10 == 9) session.release({number});
            return std::string{};
        };
        return go_on(in, mix, 500_tokens, all, push, say);
    }
    /// Each message exactly once, in order, as many at least.
    bool recorded(std::uint64_t count) const {
        std::uint64_t next = 0;
        bool good = true;
        auto const look = [&](condense::journal_entry const& line, std::string_view content) {
            good = good && line.number == next && content == condense::to_bytes(message(next));
            ++next;
        };
        return !condense::journal_folder{in / "journal"}.read("", look) && good && next >= count && next <= all;
    }
};

std::string word_of(std::uint64_t number) { return "<" + std::to_string(number) + ">"; }

/// The numbers in the text that stand between `<` and `>`.
std::map<std::uint64_t, int> numbers_in(std::string_view text) {
    std::map<std::uint64_t, int> result;
    for (std::size_t end = text.find('>'); end != text.npos; end = text.find('>', end + 1)) {
        auto begin = end;
        while (begin != 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
        if (begin != end && begin != 0 && text[begin - 1] == '<')
            ++result[std::stoull(std::string{text.substr(begin, end - begin)})];
    }
    return result;
}

/// Summarises by naming every number that it read, and may be killed while it does.
struct naming_model {
    std::function<void()> on_call;
    std::string operator()(condense::model_prompt const& prompt) const {
        on_call();
        std::string answer = "It stands for";
        for (auto const& [number, count] : numbers_in(prompt.data)) answer += " " + word_of(number);
        return answer;
    }
};

/// Summarises, within a run or beside it: each message is sent word for word or stands behind the one summary, never
/// neither and never both, and the journal has all of them.
struct summarising {
    scratch::folder const& in;
    bool background = false;
    static constexpr std::uint64_t all = 30;

    std::string run(say_function const& say) const {
        auto const step = [&] { say(between); };
        auto const mix = condense::pipeline{condense::record{.to = condense::journal_folder{in / "journal"}},
                                            condense::summarize{.when = background ? trigger{never} : used >= 60_pct,
                                                                .until = used <= 25_pct,
                                                                .protect = condense::last(2_messages),
                                                                .with = naming_model{step}}};
        auto const push = [&](auto& session, std::uint64_t number) {
            if (auto const wrong = lost_or_doubled(session); !wrong.empty()) return wrong;
            auto const text = word_of(number) + letters(300, 'n');
            session.push(number % 2 == 0 ? U(text) : A(text));
            step();
            static_cast<void>(session.prepare());
            step();
            if (background && number % 5 == 4)
                if (auto const job = session.begin_summary()) {
                    auto const answer = naming_model{step}(job.prompt);
                    step();
                    static_cast<void>(session.commit(job, answer));
                    step();
                }
            return lost_or_doubled(session);
        };
        return go_on(in, mix, 4'000_tokens, all, push, say);
    }

    /// Every message is where it should be exactly once, in the order of the numbers.
    static std::string lost_or_doubled(auto const& session) {
        std::map<std::uint64_t, int> seen;
        int summaries = 0;
        for (auto const& message : session.request()) {
            auto const text = words(message);
            summaries += text.starts_with("Summary of the earlier conversation") ? 1 : 0;
            for (auto const& [number, count] : numbers_in(text)) seen[number] += count;
        }
        if (summaries > 1) return "two summaries";
        for (std::uint64_t number = 0; number < session.outline().size(); ++number)
            if (seen[number] != 1)
                return std::to_string(number) + " is there " + std::to_string(seen[number]) + " times";
        return seen.size() == session.outline().size() ? "" : "a number of no message";
    }
    /// What was pushed and not saved before a kill may be there twice.
    bool recorded(std::uint64_t count) const {
        std::map<std::uint64_t, int> seen;
        auto const look = [&](condense::journal_entry const&, std::string_view content) {
            for (auto const& [number, times] : numbers_in(content)) seen[number] += times;
        };
        return !condense::journal_folder{in / "journal"}.read("", look) && seen.size() >= count;
    }
};

/// Starts the program, in which on_word(w) may end it at a word, and takes down what it acknowledges.
template <class Program>
void acknowledge(Program const& program, say_function const& on_word, std::optional<unsigned> pause,
                 std::uint64_t& acknowledged) {
    processes::child running{[&](auto const& say) {
        auto const why = program.run([&](std::uint64_t word) {
            say(word);
            on_word(word);
        });
        say(why.empty() ? at_end : failed);
        if (!pause) ::kill(::getpid(), SIGKILL);
        ::pause();
    }};
    for (auto const word : pause ? running.kill_after_microseconds(*pause) : running.join_killed()) {
        REQUIRE(word != failed);
        if (word % 2 != 0) continue;
        REQUIRE(word / 2 >= acknowledged);
        acknowledged = word / 2 + 1;
    }
    REQUIRE(program.recorded(acknowledged));
    if (acknowledged == 0) return;
    condense::session_state read;
    REQUIRE_FALSE(condense::read_state(scratch::bytes_of(program.in / "agent.state"), read));
    REQUIRE(read.size >= acknowledged);
}
template <class Program>
void ends_well(Program const& program) {
    REQUIRE(program.run([](std::uint64_t) {}) == "");
    REQUIRE(program.recorded(Program::all));
    REQUIRE(scratch::names_in(program.in / "").size() == 2);
}

/// Three kills at most, at some message in every fourth round, else at some moment. How many came amid the work.
template <class Program>
std::uint64_t kill_and_go_on(Program const& program, std::uint64_t round) {
    std::uint64_t amid = 0, acknowledged = 0;
    for (unsigned kills = 0; kills < 3 && acknowledged < Program::all; ++kills) {
        auto const last = round % 4 == 0 ? acknowledged + (round + kills) % 13 : Program::all;
        auto const pause = round % 4 == 0 ? std::nullopt : std::optional{20u << (round * 3 + kills) % 10};
        acknowledge(
            program,
            [&](std::uint64_t word) {
                if (word % 2 == 0 && word / 2 >= last) ::kill(::getpid(), SIGKILL);
            },
            pause, acknowledged);
        amid += acknowledged != 0 && acknowledged < Program::all ? 1u : 0u;
    }
    ends_well(program);
    return amid;
}

}  // namespace

TEST_CASE("a program that is killed at any moment goes on without a loss and without doing anything twice", "[law-7]") {
    std::uint64_t amid = 0;
    auto const wanted = rounds(300);
    for (std::uint64_t round = 0; round < wanted; ++round) {
        scratch::folder const in{scratch::memory()};
        amid += kill_and_go_on(reducing{in}, round);
    }
    CHECK(amid * 10 >= wanted * 3);
}

TEST_CASE("summaries: a program that is killed at any moment has each message once", "[law-6][law-7]") {
    std::uint64_t amid = 0;
    for (std::uint64_t round = 0; round < rounds(300); ++round) {
        scratch::folder const in{scratch::memory()};
        amid += kill_and_go_on(summarising{in, round % 2 == 0}, round);
    }
    CHECK(amid != 0);
}

TEST_CASE("summaries: a program that is killed at any step has each message once", "[law-6][law-7]") {
    for (bool const background : {false, true}) {
        // How many steps there are, and then a kill at each of them.
        std::uint64_t steps = 0;
        {
            scratch::folder const in{scratch::memory()};
            REQUIRE(summarising{in, background}.run([&](std::uint64_t) { ++steps; }) == "");
        }
        CHECK(steps > 3 * summarising::all);
        for (std::uint64_t last = 0; last < steps; last += stride()) {
            CAPTURE(background, last);
            scratch::folder const in{scratch::memory()};
            std::uint64_t acknowledged = 0, count = 0;
            acknowledge(
                summarising{in, background},
                [&](std::uint64_t) {
                    if (count++ == last) ::kill(::getpid(), SIGKILL);
                },
                std::nullopt, acknowledged);
            ends_well(summarising{in, background});
        }
    }
}
