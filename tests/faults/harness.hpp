// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>

#include "faults/points.hpp"
#include "laws/checker.hpp"
#include "support/catch.hpp"

// Runs a scenario once for each of its points, which then fails, and judges what is left. A Kind says
// how a message type is made of chat messages and read back: message_type, history_type,
// `history(chat)`, `chat(history)`.

namespace faults {

using condense::chat_message;

/// Everything that layers act on, small: large results, parallel calls, an error, a dead call, an orphan,
/// early turns to drop.
inline std::vector<chat_message> conversation() {
    std::vector<chat_message> all;
    auto const add = [&](chat_message m) {
        m.name = "m" + std::to_string(all.size());
        all.push_back(std::move(m));
    };
    add(chat_message::system("You are terse."));
    add(chat_message::user("Rename the flag everywhere."));
    add(chat_message::call("1", "read_file", R"({"path":"a.cpp"})"));
    add(chat_message::result("1", std::string(900, 'a')));
    add(chat_message::assistant("Read."));
    add(chat_message::user("Now the tests."));
    add(chat_message::call("2", "shell", R"({"cmd":"ls"})").and_call("3", "shell", R"({"cmd":"make"})"));
    add(chat_message::result("2", std::string(700, 'b')));
    add(chat_message::result("3", "error: " + std::string(600, 'c'), condense::part_status::error));
    add(chat_message::assistant("It fails."));
    add(chat_message::call("4", "shell", R"({"cmd":"sleep"})"));
    add(chat_message::user("Never mind that."));
    add(chat_message::assistant("All right."));
    add(chat_message::user("Go on, then."));
    add(chat_message::call("5", "read_file", R"({"path":"b.cpp"})"));
    add(chat_message::result("5", std::string(500, 'd')));
    return all;
}

/// The pipelines: together they hold every layer. The first one is recoverable.
template <class Function>
void with_each_mix(touchy_journal const& journal, touchy_store const& store, Function&& f) {
    using namespace condense::literals;
    using condense::used;
    auto const ends = condense::head_tail{.head = 40_chars, .tail = 40_chars};
    f("record first", condense::pipeline{condense::record{.to = journal},
                                         condense::offload{.over = 600_chars, .preview = ends, .into = store},
                                         condense::compress{.when = used >= 30_pct, .over = 300_chars, .with = ends},
                                         condense::sliding_window{.when = used >= 50_pct, .protect = condense::task | touchy_predicate{}},
                                         condense::escalate{.when = used >= 60_pct}});
    f("a model, and a rule for when it fails",
      condense::pipeline{condense::offload{.when = used >= 20_pct, .over = 600_chars, .preview = ends, .into = store},
                         condense::fallback{condense::summarize{.when = used >= 40_pct, .protect = condense::task | condense::last(3_messages), .with = touchy_model{}},
                                            condense::summarize{.when = used >= 40_pct, .protect = condense::task | condense::last(3_messages)}},
                         condense::sliding_window{.when = used >= 70_pct}});
    f("a user's layer, nested", condense::pipeline{condense::pipeline{touchy_layer{}, condense::compress{.when = condense::always, .over = 300_chars, .with = ends}},
                                                   condense::sliding_window{.when = used > 12_messages},
                                                   condense::escalate{.when = used >= 60_pct}});
}

template <class Kind, class History>
void judge(std::vector<chat_message> const& before, History const& after, std::uint64_t failing) {
    auto const broken = laws::checker{before, Kind::chat(after)}.violations();
    std::string all;
    for (auto const& one : broken) all += one + "; ";
    if (!all.empty()) CHECK("point " + std::to_string(failing) + ": " + all == std::string{});
}

struct tally {
    std::uint64_t points = 0;
    std::uint64_t thrown = 0;  ///< reached the caller
    std::uint64_t changed = 0;
};

/// One-shot: the history is as it was, or reduced; what a layer failed to do is not half done.
template <class Kind, class Mix>
void reduce_with_faults(Mix const& mix, touchy_journal const& journal_used, bool recorded, bool marks, tally& counted) {
    auto const original = Kind::chat(Kind::history(conversation()));
    condense::run_options<> options;
    options.marks = marks;
    for (std::uint64_t failing = 0;; ++failing) {
        auto history = Kind::history(original);
        options.conversation = std::to_string(failing);
        bool threw = false;
        bool changed = false;
        std::uint64_t points = 0;
        {
            watch const on{failing};
            try {
                changed = condense::reduce(history, mix, {.window = {1'000}}, touchy_estimator{}, options).changed();
            } catch (injected const&) {
                threw = true;
            } catch (std::bad_alloc const&) {
                threw = true;
            }
            points = passed;
        }
        auto const after = Kind::chat(history);
        if (threw || !changed) {
            if (after != original) CHECK("point " + std::to_string(failing) + ": changed, but said not to be" == std::string{});
        } else judge<Kind>(original, history, failing);
        if (recorded) {
            touchy_journal view = journal_used;
            std::vector<std::string> lines;
            static_cast<void>(view.held.read(options.conversation, [&](condense::journal_entry const& line, std::string_view content) {
                if (!line.made) lines.emplace_back(content);
            }));
            auto const typed = Kind::history(original);
            std::size_t index = 0;
            for (auto const& m : typed) {
                auto const& was = original[index++];
                bool const there = std::find(after.begin(), after.end(), was) != after.end();
                if (!there && std::find(lines.begin(), lines.end(), condense::to_bytes(m)) == lines.end())
                    CHECK("point " + std::to_string(failing) + ": lost " + was.name == std::string{});
            }
        }
        counted.thrown += threw ? 1u : 0u;
        counted.changed += changed ? 1u : 0u;
        if (failing == 0) {
            counted.points += points;
            CHECK(changed);
            CHECK(points > 100);
        } else if (points < failing) return;  // all have failed once
    }
}

/// A session: whatever fails, no message is lost, the request obeys the laws, and it can go on.
template <class Kind, class Mix>
void session_with_faults(Mix const& mix, tally& counted) {
    auto const original = Kind::chat(Kind::history(conversation()));
    using message_type = typename Kind::message_type;
    for (std::uint64_t failing = 0;; ++failing) {
        auto fresh = Kind::history(original);
        std::vector<message_type> waiting;
        for (auto& m : fresh) waiting.push_back(std::move(m));
        condense::session session{std::vector<message_type>{}, mix, condense::budget{.window = {1'000}}, touchy_estimator{}};
        std::uint64_t points = 0;
        bool threw = false;
        std::vector<chat_message> pushed;
        {
            watch const on{failing};
            auto const guarded = [&](auto&& f) {
                try {
                    f();
                } catch (injected const&) {
                    threw = true;
                } catch (std::bad_alloc const&) {
                    threw = true;
                }
            };
            for (auto& m : waiting) {
                auto const size = session.history().size();
                guarded([&] { session.push(std::move(m)); });
                {
                    aside const here;
                    // A message that was not taken is lost to the caller's hands: what was taken is all there is.
                    if (session.history().size() != size) pushed.push_back(original[static_cast<std::size_t>(&m - waiting.data())]);
                }
                guarded([&] { static_cast<void>(session.prepare()); });
            }
            points = passed;
        }
        std::vector<chat_message> request;
        for (auto const& m : session.request()) request.push_back(Kind::chat_of(m));
        auto const broken = laws::checker{pushed, request}.violations();
        std::string all;
        for (auto const& one : broken) all += one + "; ";
        if (!all.empty()) CHECK("point " + std::to_string(failing) + ": " + all == std::string{});
        condense::cost sum;
        std::uint64_t count = 0;
        for (auto const& m : session.request()) {
            ++count;
            sum += condense::detail::frame_cost(touchy_estimator{}, condense::role_of(m));
            condense::each_part(m, [&](condense::part_view const& part) { sum += condense::detail::part_cost(touchy_estimator{}, part); });
        }
        if (session.used().tokens != sum.tokens() || session.used().messages.count != count)
            CHECK("point " + std::to_string(failing) + ": the usage is not that of the request" == std::string{});
        while (session.undo()) {}
        std::vector<chat_message> undone;
        for (auto const& m : session.request()) undone.push_back(Kind::chat_of(m));
        if (undone != pushed) CHECK("point " + std::to_string(failing) + ": undone, but not the originals" == std::string{});
        counted.thrown += threw ? 1u : 0u;
        if (failing == 0) {
            counted.points += points;
            CHECK(points > 100);
            CHECK(pushed == original);
        } else if (points < failing) return;
    }
}

/// All of it, for one kind of message.
template <class Kind>
void run_all(bool marks) {
    touchy_journal const journal;
    touchy_store const store;
    tally counted;
    with_each_mix(journal, store, [&](std::string const& name, auto const& mix) {
        INFO(name);
        reduce_with_faults<Kind>(mix, journal, name == "record first", marks, counted);
        session_with_faults<Kind>(mix, counted);
    });
    CHECK(counted.thrown > 0);
    CHECK(counted.changed > 0);
    WARN(std::to_string(counted.points) + " points, " + std::to_string(counted.thrown) + " failures reached the caller");
}

}  // namespace faults
