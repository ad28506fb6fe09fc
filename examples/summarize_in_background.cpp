// SPDX-License-Identifier: BSL-1.0

// How do I have a summary written while the conversation goes on?

#include <atomic>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

#include "check.hpp"

namespace {

/// One summary at a time, on a thread of its own. Destroying it cancels what is under way.
template <class Model>
class background_summary {
public:
    explicit background_summary(Model model) : model_{std::move(model)} {}

    bool idle() const noexcept { return !job_; }
    void begin(condense::summary_job job) {
        if (!job) return;
        thread_ = {};  // joined, as it ends behind `ready_`
        ready_ = false;
        job_ = std::move(job);
        thread_ = std::jthread{[this](std::stop_token const& stop) {
            text_ = model_(job_->prompt, {.answer = job_->limit}, stop);
            ready_ = true;
        }};
    }
    /// Puts an answer that has come in place; never waits.
    void commit_to(auto& session) {
        if (!job_ || !ready_) return;
        if (session.commit(*job_, text_) != condense::commit_outcome::busy) job_.reset();
    }

private:
    Model model_;
    std::optional<condense::summary_job> job_;
    std::string text_;
    std::atomic<bool> ready_ = false;
    std::jthread thread_;  // the last member: joined before the others are destroyed
};

}  // namespace

int main() {
    using condense::chat_message;
    using namespace condense::literals;
    using condense::used;

    // Stands for a slow model: it answers once told to.
    std::atomic<bool> may_answer = false;
    auto const model = [&](condense::model_prompt const& prompt, condense::ask_limits, std::stop_token const& stop) {
        while (!may_answer && !stop.stop_requested()) std::this_thread::yield();
        return stop.stop_requested() || prompt.empty() ? std::string{} : std::string{"They counted, step by step."};
    };
    background_summary summaries{model};

    condense::pipeline const mix{condense::summarize{.when = used >= 50_pct},
                                 condense::sliding_window{.when = used >= 95_pct}};
    condense::session session{std::vector<chat_message>{}, mix, condense::budget{.window = 40'000_tokens}};
    session.push(chat_message::user("Count."));
    for (int number = 0; summaries.idle(); ++number) {
        session.push(chat_message::assistant("Step " + std::to_string(number) + std::string(400, '.')));
        if (session.due()) summaries.begin(session.begin_summary());
    }

    // The turn is never blocked: these are pushed while the model writes.
    for (int number = 0; number < 231; ++number) {
        session.push(chat_message::user("Meanwhile " + std::to_string(number)));
        summaries.commit_to(session);
    }
    may_answer = true;
    while (!summaries.idle()) summaries.commit_to(session);

    int next = 0;
    for (auto const& message : session.request())
        if (message.parts[0].text == "Meanwhile " + std::to_string(next)) ++next;
    check(next == 231 && session.used().fits());

    // A summary that is not wanted any more is cancelled.
    may_answer = false;
    summaries.begin(session.begin_summary());
}
