// SPDX-License-Identifier: BSL-1.0

// How do I await a summary in a coroutine?

#include <condition_variable>
#include <coroutine>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

#include "check.hpp"

namespace {

/// Stands for the event loop of your program: coroutines go on in the thread that runs it.
class event_loop {
public:
    void post(std::coroutine_handle<> next) {
        {
            std::lock_guard const lock{guard_};
            ready_.push_back(next);
        }
        changed_.notify_one();
    }
    void run_one() {
        std::unique_lock lock{guard_};
        changed_.wait(lock, [&] { return !ready_.empty(); });
        auto const next = ready_.front();
        ready_.pop_front();
        lock.unlock();
        next.resume();
    }

private:
    std::mutex guard_;
    std::condition_variable changed_;
    std::deque<std::coroutine_handle<>> ready_;
};

struct task {
    struct promise_type {
        task get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};

/// Awaits the answer of a model that blocks, which is asked on a thread of its own.
template <class Model>
struct model_answer {
    event_loop& loop;
    Model const& model;
    condense::summary_job const& job;
    std::string text = {};
    std::jthread thread = {};

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) {
        thread = std::jthread{[this, waiting] {
            text = model(job.prompt);
            loop.post(waiting);
        }};
    }
    std::string await_resume() {
        thread.join();
        return std::move(text);
    }
};

task summarize_when_due(auto& session, event_loop& loop, auto const& model, bool& done) {
    if (auto const job = session.begin_summary()) {
        model_answer answer{loop, model, job};  // named, as g++ 12 destroys an awaited temporary twice
        auto text = co_await answer;
        check(session.commit(job, std::move(text)) == condense::commit_outcome::committed);
    }
    done = true;
}

}  // namespace

int main() {
    using condense::chat_message;
    using namespace condense::literals;
    using condense::used;

    condense::session session{std::vector<chat_message>{}, condense::summarize{.when = used >= 50_pct},
                              condense::budget{.window = 20'000_tokens}};
    session.push(chat_message::user("Count."));
    for (int number = 0; !session.due(); ++number)
        session.push(chat_message::assistant("Step " + std::to_string(number) + std::string(400, '.')));

    event_loop loop;
    bool done = false;
    auto const model = [](condense::model_prompt const&) { return std::string{"They counted, step by step."}; };
    auto const before = session.used().tokens;
    summarize_when_due(session, loop, model, done);
    session.push(chat_message::user("Meanwhile."));  // the coroutine waits, the conversation goes on
    while (!done) loop.run_one();  // NOLINT(bugprone-infinite-loop): the coroutine sets it
    check(session.used().tokens < before && session.history().back().parts[0].text == "Meanwhile.");
}
