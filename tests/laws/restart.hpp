// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>

#include <condense/core/any_pipeline.hpp>

#include "laws/harness.hpp"

// A session that is stopped and restored again and again does what its twin does that never stops. How the
// state gets from one session to the next is the test's.

namespace laws {

struct standing_clock {
    condense::instant operator()() const { return {}; }
};
using restart_options = condense::run_options<standing_clock>;

struct restart_shelf {
    condense::memory_journal journal;
    condense::memory_store store;
};

template <class Message>
auto mending() {
    if constexpr (condense::answerable<Message>) return condense::repair{};
    else return condense::sliding_window{.when = condense::used > 10'000_messages};  // something harmless in its place
}

template <class Message, int Which>
auto restart_mix(mix_values const& value, restart_shelf const& shelf) {
    using condense::used;
    auto const ends = condense::head_tail{value.keep, value.keep};
    if constexpr (Which == 0)
        return condense::pipeline{
            condense::record{.to = shelf.journal},
            condense::offload{.over = value.over, .preview = ends, .into = shelf.store},
            condense::summarize{.when = used >= value.high,
                                .with = faulty_model{},
                                .leaves = condense::both{condense::work_record{}, condense::name_index{}}},
            condense::sliding_window{.when = used >= value.high}, mending<Message>()};
    else if constexpr (Which == 1)
        return condense::pipeline{condense::pipeline{condense::record{.to = shelf.journal}, mending<Message>()},
                                  condense::compress{.when = used >= value.low, .over = value.over, .with = ends},
                                  condense::sliding_window{.when = used >= value.low, .protect = condense::nothing_t{}},
                                  condense::escalate{.when = used >= value.high}};
    else if constexpr (Which == 2)
        return condense::any_pipeline<Message, 4>{
            condense::pipeline{condense::record{.to = shelf.journal}, mending<Message>(),
                               condense::compress{.when = condense::always, .over = value.over, .with = ends},
                               condense::sliding_window{.when = used >= value.high}}};
    else  // the same text may be the work of either `compress`
        return condense::pipeline{condense::record{.to = shelf.journal},
                                  condense::compress{.when = used >= value.high, .over = value.over, .with = ends},
                                  condense::compress{.when = used >= value.low, .over = value.over, .with = ends},
                                  condense::escalate{.when = used >= value.high}};
}

template <class Message, class Mix, class Transfer>
class restart_round {
    using session_type = condense::session<std::vector<Message>, Mix, byte_estimator, restart_options>;

public:
    restart_round(std::vector<chat_message> const& all, Mix const& mix, Mix const& twins_mix,
                  restart_shelf const& shelf, restart_shelf const& twins_shelf, condense::budget limits,
                  random_source& random, counts& counted, Transfer const& transfer)
        : all_{all}, mix_{mix}, shelf_{shelf}, twins_shelf_{twins_shelf}, limits_{limits}, random_{random},
          counted_{counted}, transfer_{transfer},
          twin_{std::vector<Message>{}, twins_mix, limits, byte_estimator{}, restart_options{}}, session_{fresh()} {}

    broken run() {
        ++counted_["rounds"];
        std::size_t came = 0;
        while (came < all_.size() && broken_.empty()) {
            push(all_[came++]);
            if (random_.chance(4)) push(late_result());
            for (auto acts = random_.below(3); acts-- > 0 && broken_.empty();) act();
            if (random_.chance(12)) restart();
            if (random_.chance(10)) compare_all();
        }
        restart();
        for (int acts = 0; acts < 4 && broken_.empty(); ++acts) act();
        while (undo()) {}
        compare_all();
        return broken_;
    }

private:
    auto fresh() const {
        return std::make_unique<session_type>(std::vector<Message>{}, mix_, limits_, byte_estimator{},
                                              restart_options{});
    }

    template <class Left, class Right>
    bool same(Left const& mine, Right const& twins, char const* what) {
        if (mine == twins) return true;
        broken_.insert(what);
        return false;
    }

    void push(chat_message const& m) {
        for (auto const& part : m.parts)
            if (part.kind == part_kind::tool_call) calls_.push_back(part.call);
        same(session_->push(forms::from_chat<Message>(m)), twin_.push(forms::from_chat<Message>(m)), "push");
        compare();
    }

    /// Of any call so far, which may have a result, or be gone.
    chat_message late_result() {
        auto const id = calls_.empty() ? std::string{"none"} : calls_[random_.below(calls_.size())];
        ++counted_["late"];
        return forms::projected<Message>({notation::R(id, "a late result")}).front();
    }

    void restart() {
        for (auto const& job : jobs_) twin_.abandon(job);
        auto next = fresh();
        auto const problem = transfer_(*session_, *next);
        if (problem) return void(broken_.insert("not restored: " + std::string{std::string_view{problem.reason}}));
        session_ = std::move(next);
        ++counted_["restored"];
        counted_["edited"] += session_->edits().steps().empty() ? 0u : 1u;
        undos_ = 0;
        compare_all();
    }

    template <class Report>
    static std::string told(Report const& made) {
        return made.text() + std::to_string(made.prefix.count) + " " +
               std::to_string(made.first_changed ? *made.first_changed : 0u) + std::string{name(made.outcome)} +
               std::to_string(made.limit.count);
    }

    void run(bool due) {
        auto const mine = due ? session_->prepare() : session_->run();
        same(told(mine), told(due ? twin_.prepare() : twin_.run()), "report");
        counted_["reduced"] += mine.changed() ? 1u : 0u;
        ++undos_;
    }
    bool undo() {
        bool const done = session_->undo();
        same(done, twin_.undo(), "undo");
        compare();
        counted_["undone"] += done ? 1u : 0u;
        counted_["undone_past"] += done && undos_ == 0 ? 1u : 0u;
        undos_ -= undos_ == 0 ? 0u : 1u;
        return done && broken_.empty();
    }

    condense::sequence some_message() { return {random_.below(session_->outline().size() + 1)}; }

    void act() {
        switch (random_.below(13)) {
            case 0:
            case 1: run(true); break;
            case 2: run(false); break;
            case 3: undo(); break;
            case 4: {
                auto const which = some_message();
                auto const refused = session_->pin(which);
                counted_["pinned"] += refused ? 0u : 1u;
                same(refused, twin_.pin(which), "pin");
                break;
            }
            case 5: {
                auto const which = some_message();
                session_->unpin(which), twin_.unpin(which);
                break;
            }
            case 6: {
                auto const id =
                    random_.chance(70) && !calls_.empty() ? calls_.back() : "call_" + std::to_string(random_.below(10));
                auto const found = session_->abandon(id);
                counted_["abandoned"] += found;
                same(found, twin_.abandon(id), "abandon");
                break;
            }
            case 7:
                if constexpr (condense::recoverable<Mix>) {
                    auto const before = some_message();
                    auto const gone = session_->release(before);
                    counted_["released"] += gone;
                    same(gone, twin_.release(before), "release");
                }
                break;
            case 8: {
                static_cast<void>(session_->request(), twin_.request());
                condense::provider_usage const told{.input = {random_.below(2 * limits_.window.count + 1)},
                                                    .output = {random_.below(100)},
                                                    .cache_read = {random_.chance(50) ? random_.below(1'000) : 0}};
                auto const told_or_not = random_.chance(15) ? condense::provider_usage{} : told;
                session_->observe(told_or_not), twin_.observe(told_or_not);
                ++counted_["observed"];
                break;
            }
            case 9: summarize(); break;
            case 10: {
                auto const limit = std::to_string(1 + random_.below(limits_.window.count + 1));
                condense::provider_error const error{.status = 400,
                                                     .text = "maximum context length is " + limit + " tokens"};
                bool const shown = random_.chance(10);
                same(session_->recover(error, shown), twin_.recover(error, shown), "recover");
                ++counted_["recovered"];
                break;
            }
            case 11:
                if (random_.chance(50)) {
                    auto limits = limits_;
                    limits.window =
                        condense::tokens{limits_.window.count / 2 + random_.below(limits_.window.count + 1)};
                    session_->set_limits(limits), twin_.set_limits(limits);
                }
                break;
            default: static_cast<void>(session_->request(), twin_.request());
        }
        compare();
    }

    void summarize() {
        if constexpr (condense::detail::has_planner<Mix>) {
            if (jobs_.empty() || random_.chance(30)) {
                auto const mine = session_->begin_summary();
                if (same(mine, twin_.begin_summary(), "begin_summary") && mine) jobs_.push_back(mine);
            }
            if (jobs_.empty() || random_.chance(40)) return;
            auto const job = jobs_.back();
            jobs_.pop_back();
            if (random_.chance(10)) return void(same(session_->abandon(job), twin_.abandon(job), "abandon a job"));
            std::string const text = random_.chance(80) ? "what was said" : "";
            auto const mine = session_->commit(job, text);
            same(mine, twin_.commit(job, text), "commit");
            counted_["committed"] += mine == condense::commit_outcome::committed ? 1u : 0u;
            counted_["stale"] += mine == condense::commit_outcome::stale ? 1u : 0u;
            ++undos_;
        }
    }

    static std::vector<std::string> recorded(restart_shelf const& shelf) {
        std::vector<std::string> all;
        auto const add = [&](condense::journal_entry const& line, std::string_view content) {
            all.push_back(std::to_string(line.number) + (line.is_derived ? "made" : "") + std::string{content});
        };
        if (shelf.journal.read("", add)) all.push_back("unreadable");
        return all;
    }

    void compare() {
        same(session_->used(), twin_.used(), "used");
        same(session_->due(), twin_.due(), "due");
        if (random_.chance(30)) same(forms::request_of(*session_), forms::request_of(twin_), "request");
    }
    void compare_all() {
        compare();
        same(forms::request_of(*session_), forms::request_of(twin_), "request");
        same(forms::all_to_chat(session_->history()), forms::all_to_chat(twin_.history()), "history");
        same(session_->statistics().text(), twin_.statistics().text(), "statistics");
        same(session_->status(), twin_.status(), "status");
        same(session_->limits(), twin_.limits(), "limits");
        same(session_->turns(), twin_.turns(), "turns");
        same(std::string_view{session_->note()}, std::string_view{twin_.note()}, "note");
        same(told(session_->draft()), told(twin_.draft()), "a dry run");
        same(recorded(shelf_), recorded(twins_shelf_), "journal");
        for (auto const& text : session_->edits().texts())
            if (text.stored) same(shelf_.store.get(text.stored), twins_shelf_.store.get(text.stored), "store");
    }

    std::vector<chat_message> const& all_;
    Mix const& mix_;
    restart_shelf const& shelf_;
    restart_shelf const& twins_shelf_;
    condense::budget limits_;
    random_source& random_;
    counts& counted_;
    Transfer const& transfer_;
    session_type twin_;
    std::unique_ptr<session_type> session_;
    std::vector<condense::summary_job> jobs_;
    std::vector<std::string> calls_;  ///< ids, in order
    std::size_t undos_ = 0;  ///< runs since the latest restart
    broken broken_;
};

template <int Which, class Message, class Transfer>
broken restart_one(std::vector<chat_message> const& all, condense::budget limits, random_source& random,
                   counts& counted, Transfer const& transfer) {
    mix_values const values{random};
    restart_shelf const shelf;
    restart_shelf const twins;
    auto const mix = restart_mix<Message, Which>(values, shelf);
    auto const twins_mix = restart_mix<Message, Which>(values, twins);
    return restart_round<Message, std::remove_const_t<decltype(mix)>, Transfer>{
        all, mix, twins_mix, shelf, twins, limits, random, counted, transfer}
        .run();
}

template <class Message, class Transfer>
void check_restarts(std::uint64_t usual, Transfer const& transfer) {
    auto const count = from_environment("CONDENSE_ROUNDS", std::getenv("CONDENSE_SEED") != nullptr ? 1 : rounds(usual));
    counts counted;
    run_seeds(count, [&](std::uint64_t seed) {
        auto const all = forms::projected<Message>(conversation_generator{seed}.make());
        random_source random{seed ^ 0x5A7Eu};
        auto const limits = random_budget(all, random);
        switch (random.below(4)) {
            case 0: return restart_one<0, Message>(all, limits, random, counted, transfer);
            case 1: return restart_one<1, Message>(all, limits, random, counted, transfer);
            case 2: return restart_one<2, Message>(all, limits, random, counted, transfer);
            default: return restart_one<3, Message>(all, limits, random, counted, transfer);
        }
    });
    check_least(counted, {{"rounds", 1}});
    if (count < 200) return;
    WARN(counted.text());
    auto const all = counted["rounds"];
    CHECK(counted["edited"] * 10 >= counted["restored"] * 6);
    check_least(counted, {{"restored", all},
                          {"released", all / 10},
                          {"abandoned", all / 10},
                          {"late", all / 2},
                          {"undone_past", all / 10},
                          {"pinned", all / 10},
                          {"reduced", all / 10},
                          {"observed", all / 10},
                          {"recovered", all / 10},
                          {"committed", all / 60},
                          {"stale", all / 150}});
}

}  // namespace laws
