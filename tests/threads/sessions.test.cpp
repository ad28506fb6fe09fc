// SPDX-License-Identifier: BSL-1.0
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include <condense/store/artifact_folder.hpp>
#include <condense/store/journal_folder.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "laws/checker.hpp"
#include "laws/generator.hpp"
#include "store/scratch.hpp"
#include "support/mixes.hpp"

// Built with the thread sanitizer: what several threads may do at once. Checks are made by the first thread
// alone; others say what they saw.

namespace {

using namespace vocabulary;

/// Hands values from thread to thread.
template <class Value>
class channel {
public:
    void put(Value value) {
        std::lock_guard const lock{guard_};
        held_.push_back(std::move(value));
        changed_.notify_one();
    }
    void close() {
        std::lock_guard const lock{guard_};
        closed_ = true;
        changed_.notify_all();
    }
    /// Waits for one; nothing once it is closed and empty.
    std::optional<Value> take() {
        std::unique_lock lock{guard_};
        changed_.wait(lock, [&] { return closed_ || !held_.empty(); });
        return next();
    }
    /// One that is there already.
    std::optional<Value> poll() {
        std::lock_guard const lock{guard_};
        return next();
    }

private:
    std::optional<Value> next() {
        if (held_.empty()) return std::nullopt;
        std::optional<Value> value{std::move(held_.front())};
        held_.pop_front();
        return value;
    }

    std::mutex guard_;
    std::condition_variable changed_;
    std::deque<Value> held_;
    bool closed_ = false;
};

/// A pure function of the prompt, so that a session comes to the same whenever it runs.
std::string answer_to(std::string_view prompt) { return "in short " + tapes::name_of(prompt).text(); }
struct quiet_model {
    std::string operator()(std::string_view prompt) const { return answer_to(prompt); }
};

}  // namespace

TEST_CASE("summaries are made in other threads while a session goes on", "[law-13]") {
    struct answer {
        condense::summary_job job;
        std::string text;
    };
    channel<condense::summary_job> jobs;
    channel<answer> answers;
    std::array<std::thread, 3> makers;
    for (auto& maker : makers)
        maker = std::thread{[&] {
            while (auto job = jobs.take()) {
                auto text = answer_to(job->prompt.text());
                answers.put({std::move(*job), std::move(text)});
            }
        }};

    auto const mix =
        pipeline{summarize{.when = used > 30_messages, .until = used <= 10_messages, .protect = last(6_messages)}};
    auto session = opened(mix, {.window = 100'000_tokens});
    conversation all;
    std::size_t asked = 0;
    std::size_t got = 0;
    std::array<std::size_t, 4> outcomes{};
    auto const commit = [&](answer const& made) {
        ++got;
        auto const outcome = session.commit(made.job, made.text);
        ++outcomes[static_cast<std::size_t>(outcome)];
        if (outcome != commit_outcome::committed) return;
        auto const request = sent(session);
        CHECK(words(request[0]).find(made.text) != std::string::npos);
        CHECK(laws::checker(all, request).violations().empty());
    };
    for (std::size_t index = 0; index < 600; ++index) {
        all.push_back(named(index % 2 == 0 ? U(letters(150, 'q')) : A(letters(150, 'a')), index));
        session.push(all.back());
        if (index % 50 == 49) static_cast<void>(session.run());  // some answers come too late
        if (auto job = session.begin_summary()) {
            ++asked;
            jobs.put(std::move(job));
        }
        if (index % 3 != 0) continue;
        if (auto const made = index % 12 == 0 && got < asked ? answers.take() : answers.poll()) commit(*made);
    }
    jobs.close();
    while (got < asked) commit(*answers.take());
    for (auto& maker : makers) maker.join();

    CHECK(session.history() == all);
    CHECK(laws::checker(all, sent(session)).violations().empty());
    CHECK(outcomes[static_cast<std::size_t>(commit_outcome::committed)] >= 10);
    CHECK(outcomes[static_cast<std::size_t>(commit_outcome::busy)] == 0);
    CHECK(outcomes[static_cast<std::size_t>(commit_outcome::declined)] == 0);
}

TEST_CASE("messages pushed while a summary is made are all there, in order", "[law-13]") {
    auto const mix = pipeline{summarize{.when = used > 30_messages, .until = used <= 10_messages}};
    auto session = opened(mix, {.window = 100'000_tokens});
    conversation all;
    auto const push = [&] {
        all.push_back(named(all.size() % 2 == 0 ? U(letters(150, 'q')) : A(letters(150, 'a')), all.size()));
        session.push(all.back());
    };
    for (int index = 0; index < 40; ++index) push();
    auto const job = session.begin_summary();
    REQUIRE(job);
    channel<std::string> told;
    channel<std::string> answers;
    std::thread maker{[&] {
        static_cast<void>(told.take());
        answers.put(answer_to(job.prompt.text()));
    }};
    for (int index = 0; index < 231; ++index) push();
    told.put("all are pushed");
    CHECK(session.commit(job, *answers.take()) == commit_outcome::committed);
    maker.join();
    CHECK(session.commit(job, "again") == commit_outcome::stale);  // what was paid for once is used once
    auto const request = sent(session);
    CHECK(laws::checker(all, request).violations().empty());
    REQUIRE(request.size() > 231);
    for (std::size_t index = 0; index < 231; ++index) CHECK(request[request.size() - 231 + index] == all[40 + index]);
}

namespace {

template <class Journal, class Store>
auto shared_mix(Journal const& journal, Store const& store) {
    return pipeline{record{.to = journal}, offload{.over = 600_chars, .preview = head{60_chars}, .into = store},
                    compress{.when = used >= 30_pct, .over = 300_chars, .with = head_tail{60_chars, 60_chars}},
                    summarize{.when = used >= 60_pct, .protect = task | last(4_messages), .with = quiet_model{}},
                    sliding_window{.when = used >= 90_pct}};
}

/// What one agent's session has come to.
struct course {
    std::vector<conversation> requests;
    std::uint64_t artifacts = 0;
    std::size_t changed = 0;
    std::size_t committed = 0;
    std::size_t declined = 0;
    std::size_t failures = 0;
    friend bool operator==(course const&, course const&) = default;
};

template <class Mix>
course run_agent(Mix const& mix, std::size_t number) {
    course seen;
    run_options<> options;
    options.conversation = "agent " + std::to_string(number);
    auto session = opened(mix, {.window = {3'000 + 500 * number}}, options);
    // Agents in pairs see the same contents, which are stored once.
    laws::conversation_generator generator{number / 2 + 3};
    for (int part = 0; part < 2; ++part)
        for (auto const& m : generator.make()) {
            session.push(m);
            auto const job = session.begin_summary();
            if (session.history().size() % 8 != 0) seen.changed += session.prepare().changed() ? 1u : 0u;
            if (job) {
                auto const outcome = session.commit(job, answer_to(job.prompt.text()));
                seen.committed += outcome == commit_outcome::committed ? 1u : 0u;
                seen.declined += outcome == commit_outcome::declined ? 1u : 0u;
            }
            if (session.history().size() % 8 == 0) seen.requests.push_back(sent(session));
        }
    seen.requests.push_back(sent(session));
    for (auto const& layer : session.statistics().layers) {
        seen.artifacts += layer.artifacts;
        seen.failures += layer.failures;
    }
    return seen;
}

template <class Journal>
std::vector<std::pair<condense::journal_entry, std::string>> lines_of(Journal const& journal, std::size_t number) {
    std::vector<std::pair<condense::journal_entry, std::string>> all;
    static_cast<void>(journal.read(
        "agent " + std::to_string(number),
        [&](condense::journal_entry const& line, std::string_view content) { all.emplace_back(line, content); }));
    return all;
}

/// Eight agents at once come to what each comes to alone.
template <class Journal, class Store>
void check_shared(Journal const& shared_journal, Store const& shared_store, Journal const& own_journal,
                  Store const& own_store) {
    constexpr std::size_t agents = 8;
    auto const mix = shared_mix(shared_journal, shared_store);
    std::array<course, agents> together;
    std::vector<std::thread> threads;
    for (std::size_t number = 0; number < agents; ++number)
        threads.emplace_back([&mix, &found = together[number], number] { found = run_agent(mix, number); });
    for (auto& thread : threads) thread.join();

    auto const alone_mix = shared_mix(own_journal, own_store);
    std::size_t changed = 0;
    std::size_t committed = 0;
    std::uint64_t artifacts = 0;
    for (std::size_t number = 0; number < agents; ++number) {
        INFO("agent " << number);
        auto const alone = run_agent(alone_mix, number);
        CHECK(together[number] == alone);
        CHECK(together[number].failures == together[number].declined);
        auto const lines = lines_of(shared_journal, number);
        CHECK(lines == lines_of(own_journal, number));
        CHECK(lines.size() > alone.requests.size());
        for (auto const& [line, content] : lines)
            if (auto const held = shared_store.get(shared_store.name(content))) CHECK(*held == content);
        changed += alone.changed;
        committed += alone.committed;
        artifacts += alone.artifacts;
    }
    CHECK(changed > agents);
    CHECK(committed > agents);
    CHECK(artifacts > agents);
}

}  // namespace

TEST_CASE("one pipeline and one store serve the sessions of eight threads: in memory") {
    check_shared(condense::memory_journal{}, condense::memory_store{}, condense::memory_journal{},
                 condense::memory_store{});
}

TEST_CASE("one pipeline and one store serve the sessions of eight threads: in folders") {
    scratch::folder const here{scratch::memory()};
    check_shared(condense::journal_folder{here / "shared journal"}, condense::artifact_folder{here / "shared store"},
                 condense::journal_folder{here / "own journal"}, condense::artifact_folder{here / "own store"});
}
