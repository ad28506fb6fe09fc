// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/limited.hpp>

#include <atomic>
#include <chrono>
#include <thread>

#include <condense/llm/overflow.hpp>

#include "layer/shared.hpp"

namespace {

using namespace layers;
using condense::ask_limits, condense::instant, condense::limited, condense::model_slots, std::chrono::milliseconds;

constexpr instant millisecond{1'000'000};
auto const says = [](std::string_view) { return std::string{"They read."}; };
condense::model_prompt const prompt{"Summarise.", "A long conversation."};
static_assert(condense::summarizer<limited<decltype(says)>>);

std::string problem_of(auto const& with, ask_limits limits) { return with(prompt, limits).error.text; }

}  // namespace

TEST_CASE("limited: no more calls at once than there are slots, and none is lost") {
    model_slots const slots{2};
    std::atomic<int> now = 0;
    std::atomic<int> most = 0;
    std::atomic<int> answered = 0;
    auto const slow = [&](std::string_view) {
        auto const count = ++now;
        for (int seen = most; seen < count && !most.compare_exchange_weak(seen, count);) {}
        std::this_thread::sleep_for(milliseconds{2});
        --now;
        return std::string{"They read."};
    };
    std::vector<std::thread> sessions;
    for (int session = 0; session < 6; ++session)
        sessions.emplace_back([&, with = limited{.model = slow, .limit = slots}] {
            for (int call = 0; call < 10; ++call)
                if (with(prompt, {}).message == "They read.") ++answered;
        });
    for (auto& session : sessions) session.join();
    CHECK(answered == 60);
    CHECK(most == 2);
    CHECK(slots.free() == 2);
}

TEST_CASE("limited: waits until the earlier of both limits, then says so") {
    model_slots const slots{1};
    REQUIRE(slots.acquire({}));
    limited const with{.model = says, .limit = slots};
    auto const waited = [&](ask_limits limits) {
        auto const start = std::chrono::steady_clock::now();
        CHECK(problem_of(with, limits) == condense::no_free_slot);
        return std::chrono::steady_clock::now() - start;
    };
    CHECK(waited({.within = {20 * millisecond.count}}) >= milliseconds{20});
    auto const before = std::chrono::steady_clock::now();
    auto const soon = condense::steady_clock{}() + instant{20 * millisecond.count};
    static_cast<void>(waited({.deadline = soon}));
    CHECK(std::chrono::steady_clock::now() - before >= milliseconds{20});
    CHECK(waited({.deadline = soon}) < milliseconds{1'000});  // it has passed
    CHECK(waited({.within = {}}) < milliseconds{1'000});
    CHECK(slots.free() == 0);
    CHECK_FALSE(condense::overflow_of(0, condense::no_free_slot));  // nothing to make smaller

    std::thread other{[&] {
        std::this_thread::sleep_for(milliseconds{20});
        slots.release();
    }};
    CHECK(with(prompt, {.within = {condense::detail::u64_limit}}).message == "They read.");
    other.join();
    CHECK(slots.free() == 1);
}

TEST_CASE("limited: without waiting") {
    model_slots const slots{1};
    limited const with{.model = says, .limit = slots, .waits = false};
    CHECK(with(prompt, {}).message == "They read.");
    CHECK(with(prompt, {.deadline = {}, .within = {}}).message == "They read.");
    REQUIRE(slots.acquire({}));
    auto const start = std::chrono::steady_clock::now();
    CHECK(problem_of(with, {}) == condense::no_free_slot);
    CHECK(std::chrono::steady_clock::now() - start < milliseconds{1'000});
}

TEST_CASE("limited: the slot is given back however the call ends") {
    model_slots const slots{1};
    limited const with{.model = [](std::string_view) -> std::string { throw std::runtime_error{"no"}; },
                       .limit = slots};
    CHECK_THROWS_AS(with(prompt, {}), std::runtime_error);
    CHECK_THROWS_AS(with(prompt, {}), std::runtime_error);
    CHECK(slots.free() == 1);
    limited const failing{.model = [](std::string_view) { return reply<std::string>{.error = {.status = 500}}; },
                          .limit = slots};
    CHECK(failing(prompt, {}).error.status == 500);
    CHECK(slots.free() == 1);
}

TEST_CASE("limited: a model within itself fails, and does not hang") {
    model_slots const slots{1};
    limited const inner{.model = says, .limit = slots};
    limited const outer{
        .model = [&](condense::model_prompt const& asked, ask_limits limits) { return inner(asked, limits); },
        .limit = slots};
    CHECK(problem_of(outer, {.within = {5 * millisecond.count}}) == condense::no_free_slot);
    CHECK(slots.free() == 1);
}

TEST_CASE("limited: the model is told what is left of its time") {
    model_slots const slots{1};
    REQUIRE(slots.acquire({}));
    ask_limits told;
    auto const model = [&](std::string_view, ask_limits limits) { return told = limits, std::string{"They read."}; };
    std::thread other{[&] {
        std::this_thread::sleep_for(milliseconds{200});  // many times what the call may begin late on a busy machine
        slots.release();
    }};
    ask_limits const given{.answer = {7}, .deadline = {~std::uint64_t{0} - 1}, .within = {60'000 * millisecond.count}};
    CHECK(limited{.model = model, .limit = slots}(prompt, given).message == "They read.");
    other.join();
    CHECK(told.answer == given.answer);
    CHECK(told.deadline == given.deadline);
    CHECK(told.within <= given.within - instant{15 * millisecond.count});
    CHECK(told.within > given.within - instant{30'000 * millisecond.count});
}

TEST_CASE("limited: the deadline is of the clock that it is given") {
    model_slots const slots{1};
    REQUIRE(slots.acquire({}));
    std::uint64_t now = 1'000;
    limited const with{.model = says, .limit = slots, .clock = fakes::clock{&now}};
    auto const start = std::chrono::steady_clock::now();
    CHECK(problem_of(with, {.deadline = {1'000 + 20 * millisecond.count}}) == condense::no_free_slot);
    CHECK(std::chrono::steady_clock::now() - start >= milliseconds{20});
}

TEST_CASE("limited: without a slot the layer fails, and says why") {
    model_slots const slots{1};
    REQUIRE(slots.acquire({}));
    conversation messages{S("rules"), U("the task")};
    for (int round = 0; round < 10; ++round) messages += {A(letters(500, 'w')), U(letters(500, 'v'))};
    auto const report = condense::reduce(
        messages, pipeline{summarize{.when = always, .with = limited{.model = says, .limit = slots, .waits = false}}},
        {.window = {20'000}}, per_byte{});
    CHECK(report.layers[0].outcome == layer_outcome::failed);
    CHECK(std::string_view{report.layers[0].note} == condense::no_free_slot);
}

TEST_CASE("model_slots: there is at least one") { CHECK_THROWS_AS(model_slots{0}, invalid_configuration); }
