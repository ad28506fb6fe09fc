// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/state_file.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <unistd.h>
#include <csignal>

#include <condense/condense.hpp>
#include <condense/store/journal_folder.hpp>

#include "store/processes.hpp"
#include "store/scratch.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/notation.hpp"

// A program that summarises and is killed: each message is sent word for word or stands behind the one summary, never
// neither and never both, and the journal has all of them.

namespace {

using namespace condense::literals;
using namespace notation;
using condense::used;

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
struct model {
    std::function<void()> on_call;
    std::string operator()(condense::model_prompt const& prompt) const {
        on_call();
        std::string answer = "It stands for";
        for (auto const& [number, count] : numbers_in(prompt.data)) answer += " " + word_of(number);
        return answer;
    }
};

/// What the program says: 2n when message n is pushed and saved, and an odd number at each other step.
class script {
public:
    script(scratch::folder const& in, bool background) : in_{in}, background_{background} {}

    template <class Say>
    std::string run(std::uint64_t until, Say&& say) const {
        auto const step = [&] { say(1); };
        auto const mix = condense::pipeline{
            condense::record{.to = condense::journal_folder{in_ / "journal"}},
            condense::summarize{.when = background_ ? condense::trigger{condense::never} : used >= 60_pct,
                                .until = used <= 25_pct,
                                .protect = condense::last(2_messages),
                                .with = model{step}}};
        condense::session session{conversation{}, mix, condense::budget{.window = {4'000}}, per_byte{}};
        auto const path = in_ / "agent.state";
        if (std::filesystem::exists(path))
            if (auto const problem = condense::restore_file(session, path))
                return std::string{std::string_view{problem.reason}};
        if (auto const wrong = lost_or_doubled(session); !wrong.empty()) return wrong;
        for (auto number = session.outline().size(); number < until; number = session.outline().size()) {
            auto const text = word_of(number) + letters(300, 'n');
            session.push(number % 2 == 0 ? U(text) : A(text));
            step();
            static_cast<void>(session.prepare());
            step();
            if (background_ && number % 5 == 4)
                if (auto const job = session.begin_summary()) {
                    auto const answer = model{step}(job.prompt);
                    step();
                    static_cast<void>(session.commit(job, answer));
                    step();
                }
            if (auto const wrong = lost_or_doubled(session); !wrong.empty()) return wrong;
            if (auto const problem = condense::save_file(session, path))
                return std::string{std::string_view{problem.reason}};
            say(2 * number);
        }
        return {};
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
        return !condense::journal_folder{in_ / "journal"}.read("", look) && seen.size() >= count;
    }

private:
    scratch::folder const& in_;
    bool background_;
};

constexpr std::uint64_t message_count = 30;
constexpr std::uint64_t at_end = 3;  // said by a program that has done all

}  // namespace

TEST_CASE("summaries: a program that is killed at any step has each message once", "[law-6][law-7]") {
    for (bool const background : {false, true}) {
        // How many steps there are, and then a kill at each of them.
        std::uint64_t steps = 0;
        {
            scratch::folder const in{scratch::memory()};
            REQUIRE(script(in, background).run(message_count, [&](std::uint64_t) { ++steps; }) == "");
        }
        CHECK(steps > 3 * message_count);
        for (std::uint64_t last = 0; last < steps; last += stride()) {
            CAPTURE(background, last);
            scratch::folder const in{scratch::memory()};
            script const program{in, background};
            std::uint64_t count = 0;
            processes::child running{[&](auto const& say) {
                auto const why = program.run(message_count, [&](std::uint64_t word) {
                    say(word);
                    if (count++ == last) ::kill(::getpid(), SIGKILL);
                });
                if (!why.empty()) say(~std::uint64_t{0});
                ::kill(::getpid(), SIGKILL);
            }};
            std::uint64_t acknowledged = 0;
            for (auto const word : running.join_killed()) {
                REQUIRE(word != ~std::uint64_t{0});
                if (word % 2 == 0) acknowledged = word / 2 + 1;
            }
            REQUIRE(program.recorded(acknowledged));
            REQUIRE(program.run(message_count, [](std::uint64_t) {}) == "");
            REQUIRE(program.recorded(message_count));
        }
    }
}

TEST_CASE("summaries: a program that is killed at any moment has each message once", "[law-6][law-7]") {
    std::uint64_t interrupted = 0;
    for (std::uint64_t round = 0; round < rounds(300); ++round) {
        scratch::folder const in{scratch::memory()};
        script const program{in, round % 2 == 0};
        std::uint64_t acknowledged = 0;
        for (unsigned kill = 0; kill < 3; ++kill) {
            processes::child running{[&](auto const& say) {
                if (!program.run(message_count, say).empty()) say(~std::uint64_t{0});
                say(at_end);
                ::pause();
            }};
            bool ended = false;
            auto const pause = 20u << (round * 3 + kill) % 10;
            for (auto const word : running.kill_after_microseconds(pause)) {
                REQUIRE(word != ~std::uint64_t{0});
                ended = ended || word == at_end;
                if (word % 2 == 0) acknowledged = word / 2 + 1;
            }
            interrupted += ended ? 0u : 1u;
            REQUIRE(program.recorded(acknowledged));
        }
        REQUIRE(program.run(message_count, [](std::uint64_t) {}) == "");
        REQUIRE(program.recorded(message_count));
    }
    CHECK(interrupted != 0);
}
