// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <new>

#include <condense/core/any_pipeline.hpp>
#include <condense/layer/drop_superseded.hpp>
#include <condense/layer/plan.hpp>
#include <condense/llm/name_index.hpp>
#include <condense/llm/work_record.hpp>

#include "faults/points.hpp"
#include "laws/checker.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

// Runs a scenario once for each of its points, which then fails, and judges what is left.

namespace faults {

using namespace notation;

/// Everything that layers act on, small: large results, parallel calls, an error, a dead call, an orphan,
/// early turns to drop.
inline conversation eventful_conversation() {
    return numbered({S("You are terse."), U("Rename the flag everywhere."), C("1", "read_file", R"({"path":"a.cpp"})"),
                     R("1", letters(900, 'a')), A("Read."), U("Now the tests."),
                     C("2", "shell", R"({"cmd":"ls"})").and_call("3", "shell", R"({"cmd":"make"})"),
                     R("2", letters(700, 'b')), R("3", "error: " + letters(600, 'c'), condense::part_status::error),
                     A("It fails."), C("4", "shell", R"({"cmd":"sleep"})"), U("Never mind that."), A("All right."),
                     U("Go on, then."), C("5", "read_file", R"({"path":"b.cpp"})"), R("5", letters(500, 'd'))});
}

/// Where messages of this type can be given an answer.
template <class Message, class Function>
void with_repair(Function&& f) {
    if constexpr (condense::answerable<Message>) f(condense::repair{});
    else f(condense::pipeline{touchy_layer{}});
}

/// The pipelines: together they hold every layer. The first one is recoverable.
template <class Message, class Function>
void with_each_mix(touchy_journal const& journal, touchy_store const& store, Function&& f) {
    using namespace condense::literals;
    using condense::used;
    auto const ends = condense::head_tail{.head = 40_chars, .tail = 40_chars};
    f("record first",
      condense::pipeline{
          condense::record{.to = journal}, condense::offload{.over = 600_chars, .preview = ends, .into = store},
          condense::compress{.when = used >= 30_pct, .over = 300_chars, .with = ends},
          condense::sliding_window{.when = used >= 50_pct, .protect = condense::task | touchy_predicate{}},
          condense::escalate{.when = used >= 60_pct}});
    f("a model, and a rule for when it fails",
      condense::pipeline{
          condense::offload{.when = used >= 20_pct, .over = 600_chars, .preview = ends, .into = store},
          condense::fallback{
              condense::summarize{.when = used >= 40_pct,
                                  .protect = condense::task | condense::last(3_messages),
                                  .with = touchy_model{}},
              condense::summarize{.when = used >= 40_pct, .protect = condense::task | condense::last(3_messages)}},
          condense::sliding_window{.when = used >= 70_pct}});
    f("what later results replace, a plan, and summaries with all that they may hold",
      condense::pipeline{condense::drop_superseded{.key = condense::markers("read_*")},
                         condense::plan{.when = used >= 30_pct, .over = {192}, .into = store},
                         condense::summarize{.when = used >= 30_pct,
                                             .protect = condense::task | condense::last(3_messages),
                                             .with = touchy_model{},
                                             .leaves = condense::both{condense::work_record{}, condense::name_index{}}},
                         condense::escalate{.when = used >= 60_pct}});
    with_repair<Message>([&](auto const& repair) {
        f("a user's layer, nested",
          condense::pipeline{
              condense::pipeline{touchy_layer{},
                                 condense::compress{.when = condense::always, .over = 300_chars, .with = ends}},
              condense::sliding_window{.when = used > 12_messages}, repair,
              condense::escalate{.when = used >= 60_pct}});
    });
}

/// Says so where the laws are broken.
inline void judge(conversation const& before, conversation const& after, std::uint64_t failing) {
    auto const broken = laws::checker{before, after}.violations();
    std::string all;
    for (auto const& one : broken) all += one + "; ";
    if (!all.empty()) CHECK("point " + std::to_string(failing) + ": " + all == std::string{});
}

inline void expect(bool holds, std::uint64_t failing, std::string const& what) {
    if (!holds) CHECK("point " + std::to_string(failing) + ": " + what == std::string{});
}

/// False for a message whose own destructor allocates, and ends the program where that fails.
template <class Message>
inline constexpr bool allocations_may_fail = true;

struct tally {
    std::uint64_t points = 0;
    std::uint64_t thrown = 0;  ///< reached the caller
    std::uint64_t changed = 0;
};

/// Runs f, whose failures are those of points; true when one got out.
template <class Function>
bool throws(Function&& f) {
    try {
        f();
    } catch (injected const&) { return true; } catch (std::bad_alloc const&) {
        return true;
    }
    return false;
}

/// What is not in the output as it was has to be in the journal.
template <class History>
void judge_recorded(History const& original, conversation const& after, touchy_journal const& journal,
                    std::string_view conversation, std::uint64_t failing) {
    std::vector<std::string> recorded;
    static_cast<void>(
        journal.held.read(conversation, [&](condense::journal_entry const& line, std::string_view content) {
            if (!line.is_derived) recorded.emplace_back(content);
        }));
    for (auto const& m : original)
        expect(std::find(after.begin(), after.end(), forms::to_chat(m)) != after.end() ||
                   std::find(recorded.begin(), recorded.end(), condense::to_bytes(m)) != recorded.end(),
               failing, "lost a message");
}

/// One-shot: the history is as it was, or reduced; what a layer failed to do is not half done.
template <class History, class Mix,
          class message_type = std::remove_cvref_t<decltype(*std::declval<History&>().begin())>>
void reduce_with_faults(conversation const& original, Mix const& mix, touchy_journal const& journal, bool recorded,
                        bool marks, tally& counted) {
    condense::run_options<> options;
    options.marks = marks;
    for (std::uint64_t failing = 0;; failing += stride()) {
        auto history = forms::all_from_chat<History>(original);
        options.conversation = std::to_string(counted.points) + " " + std::to_string(failing);
        bool changed = false;
        bool threw = false;
        auto const points = points_of(failing, allocations_may_fail<message_type>, [&] {
            threw = throws([&] {
                changed = condense::reduce(history, mix, {.window = {1'000}}, touchy_estimator{}, options).changed();
            });
        });
        auto const after = forms::all_to_chat(history);
        if (threw || !changed) expect(after == original, failing, "changed, though it says that it is not");
        else judge(original, after, failing);
        if (recorded)
            judge_recorded(forms::all_from_chat<History>(original), after, journal, options.conversation, failing);
        counted.thrown += threw ? 1u : 0u;
        counted.changed += changed ? 1u : 0u;
        if (failing == 0) {
            counted.points += points;
            CHECK(changed);
            CHECK(points > 100);
        } else if (points < failing) return;  // each has failed once
    }
}

template <class Session>
void judge_usage(Session const& session, std::uint64_t failing) {
    condense::cost sum;
    std::uint64_t count = 0;
    for (auto const& m : session.request()) {
        ++count;
        sum += touchy_estimator{}.frame(condense::role_of(m));
        condense::each_part(
            m, [&](condense::part_view const& part) { sum += condense::detail::part_cost(touchy_estimator{}, part); });
    }
    expect(session.used().tokens == sum.tokens() && session.used().messages.count == count, failing,
           "the usage is not that of the request");
}

/// A session: whatever fails, no message that it has taken is lost, the request obeys the laws, and
/// undoing gives the originals.
template <class message_type, class Mix>
void session_with_faults(conversation const& original, Mix const& mix, tally& counted) {
    for (std::uint64_t failing = 0;; failing += stride()) {
        auto waiting = forms::all_from_chat<std::vector<message_type>>(original);
        condense::session session{std::vector<message_type>{}, mix, condense::budget{.window = {1'000}},
                                  touchy_estimator{}};
        conversation taken;
        bool threw = false;
        auto const points = points_of(failing, allocations_may_fail<message_type>, [&] {
            for (std::size_t index = 0; index < waiting.size(); ++index) {
                auto const size = session.history().size();
                threw = throws([&] { session.push(std::move(waiting[index])); }) || threw;
                {
                    aside const here;
                    if (session.history().size() != size) taken.push_back(original[index]);
                }
                threw = throws([&] { static_cast<void>(session.prepare()); }) || threw;
                threw = throws([&] { static_cast<void>(session.request()); }) || threw;
            }
        });
        judge(taken, forms::request_of(session), failing);
        judge_usage(session, failing);
        while (session.undo()) {}
        expect(forms::request_of(session) == taken, failing, "undone, but not the originals");
        judge_usage(session, failing);
        counted.thrown += threw ? 1u : 0u;
        if (failing == 0) {
            counted.points += points;
            CHECK(points > 100);
            CHECK(taken == original);
        } else if (points < failing) return;
    }
}

/// All of it, for one kind of message. Direct keeps the pipelines' types, which costs the compiler much.
template <class History, bool Direct = false>
void run_all() {
    using message_type = std::remove_cvref_t<decltype(*std::declval<History&>().begin())>;
    auto const original = forms::projected<message_type>(eventful_conversation());
    touchy_journal const journal;
    touchy_store const store;
    tally counted;
    with_each_mix<message_type>(journal, store, [&](std::string const& name, auto const& mix) {
        INFO(name);
        auto const each = [&](auto const& given) {
            reduce_with_faults<History>(original, given, journal, condense::recoverable<decltype(mix)>,
                                        condense::detail::markable<message_type>, counted);
            session_with_faults<message_type>(original, given, counted);
        };
        if constexpr (Direct) each(mix);
        else each(condense::any_pipeline<message_type>{mix});
    });
    CHECK(counted.thrown > 0);
    CHECK(counted.changed > 0);
    WARN(std::to_string(counted.points) + " points, " + std::to_string(counted.thrown) +
         " failures reached the caller");
}

}  // namespace faults
