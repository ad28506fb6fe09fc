// SPDX-License-Identifier: BSL-1.0
#include <condense/core/fallback.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/core/reduce.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using condense::chat_message;
using condense::fallback;
using condense::layer_outcome;
using condense::pipeline;
using history = std::vector<chat_message>;
using toy::layer;

history conversation() {
    return {chat_message::user("task"), chat_message::assistant("first"), chat_message::assistant("second"), chat_message::user("latest")};
}

/// Drops one group, and counts how often it was called.
auto dropping(std::uint32_t which, int& calls) {
    return layer<condense::drops>([which, &calls](auto& draft, auto& pass) {
        ++calls;
        pass.note(draft.drop({which}));
    });
}

enum class end { throws, says_so };

/// Drops the first answer, then fails.
auto failing(end how, int& calls) {
    return layer<condense::drops>([how, &calls](auto& draft, auto& pass) {
        ++calls;
        pass.note(draft.drop({1}));
        if (how == end::throws) throw std::runtime_error{"no answer"};
        return condense::failed{"no answer"};
    });
}

template <class Mix>
auto reduced(history& messages, Mix const& mix) {
    return condense::reduce(messages, mix, {.window = {1'000}}, toy::per_byte{});
}

}  // namespace

TEST_CASE("fallback: where the first layer works the second does not run") {
    int first = 0;
    int second = 0;
    auto messages = conversation();
    auto const report = reduced(messages, pipeline{fallback{dropping(1, first), dropping(2, second)}});
    CHECK(first > 0);
    CHECK(second == 0);
    CHECK(messages == history{conversation()[0], conversation()[2], conversation()[3]});
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(report.layers[1].outcome == layer_outcome::idle);
}

TEST_CASE("fallback: where the first layer had nothing to do the second does not run") {
    int second = 0;
    auto messages = conversation();
    auto const idle = layer<condense::drops>([](auto&, auto&) {});
    auto const refused = layer<condense::drops>([](auto& draft, auto& pass) { pass.note(draft.drop({3})); });
    CHECK_FALSE(reduced(messages, pipeline{fallback{idle, dropping(2, second)}}).changed());
    CHECK_FALSE(reduced(messages, pipeline{fallback{refused, dropping(2, second)}}).changed());
    CHECK(second == 0);
}

TEST_CASE("fallback: where the first layer fails the second stands in for it, on what was there before") {
    for (auto const how : {end::throws, end::says_so}) {
        int first = 0;
        int second = 0;
        int third = 0;
        auto messages = conversation();
        auto const report = reduced(messages, pipeline{fallback{failing(how, first), dropping(2, second), dropping(1, third)}});
        CHECK(first > 0);
        CHECK(second > 0);
        CHECK(third == 0);
        CHECK(messages == history{conversation()[0], conversation()[1], conversation()[3]});
        CHECK(report.layers[0].outcome == layer_outcome::failed);
        CHECK(std::string_view{report.layers[0].note} == "no answer");
        CHECK(report.layers[1].outcome == layer_outcome::applied);
    }
}

TEST_CASE("fallback: where all fail nothing has changed") {
    int first = 0;
    int second = 0;
    auto messages = conversation();
    auto const report = reduced(messages, pipeline{fallback{failing(end::throws, first), failing(end::says_so, second)}});
    CHECK((first > 0 && second > 0));
    CHECK(messages == conversation());
    CHECK_FALSE(report.changed());
    CHECK(report.layers[0].failures == 1);
    CHECK(report.layers[1].failures == 1);
}

TEST_CASE("fallback: no layer stands in for one that was cancelled", "[law-12]") {
    for (bool const wrapped : {false, true}) {
        int second = 0;
        auto messages = conversation();
        auto const cancelled = layer<condense::drops>([wrapped](auto& draft, auto& pass) {
            pass.note(draft.drop({1}));
            try {
                throw condense::cancelled{};
            } catch (...) {
                if (wrapped) std::throw_with_nested(std::runtime_error{"the model's client gave up"});
                throw;
            }
        });
        CHECK_THROWS_AS(reduced(messages, pipeline{fallback{cancelled, dropping(2, second)}}), std::exception);
        CHECK(second == 0);
        CHECK(messages == conversation());
    }
}
