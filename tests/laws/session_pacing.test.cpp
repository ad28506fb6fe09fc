// SPDX-License-Identifier: BSL-1.0
#include "laws/generator.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/mixes.hpp"

// A session does not reduce again and again without getting anywhere: how often it runs, asks and warns over
// thousands of messages.

namespace {

using namespace vocabulary;

constexpr std::uint64_t window = 10'000;

enum class manner : std::uint8_t { answers, throws, says_nothing, repeats_twice, error_text };

/// Counts how often it is asked.
struct counting_model {
    std::uint64_t* calls;
    manner how = manner::answers;
    std::string operator()(std::string_view prompt) const {
        ++*calls;
        switch (how) {
            case manner::answers: return "In short: " + std::to_string(*calls);
            case manner::throws: throw std::runtime_error{"429"};
            case manner::says_nothing: return " \n";
            case manner::repeats_twice: return std::string{prompt} + std::string{prompt};
            case manner::error_text: break;
        }
        throw 7;
    }
};

/// Counts how often its hook is called; takes nothing out.
template <class When>
struct counting_layer {
    static constexpr auto effects = condense::shortens;
    When when;
    std::uint64_t* hooks;
    void reduce(auto&, auto&) const { ++*hooks; }
};
template <class When>
counting_layer(When, std::uint64_t*) -> counting_layer<When>;

struct tally {
    std::uint64_t pushes = 0;
    std::uint64_t growth = 0;
    std::uint64_t runs = 0;
    std::uint64_t changed = 0;
    std::uint64_t over = 0;  ///< requests over the window, and not said to be exhausted
};

/// Pushes turns, and prepares before each answer; a share of the window is pinned from the start.
template <class Mix>
tally drive(Mix mix, std::uint64_t seed, std::uint64_t pushes, std::uint64_t pinned, std::size_t largest) {
    laws::random_source random{seed};
    auto session = opened(std::move(mix), {.window = {window}});
    tally counted;
    auto const push = [&](chat_message m) {
        counted.growth += m.parts[0].text.size();
        ++counted.pushes;
        session.push(std::move(m));
    };
    if (pinned != 0) push(notation::pinned(U(letters(pinned, 'p'))));
    while (counted.pushes < pushes) {
        auto const size = 1 + random.below(largest);
        if (random.chance(30)) push(U(letters(size, 'u')));
        else push(A(letters(size, 'a')));
        auto const made = session.prepare();
        if (!session.used().fits() && made.outcome != outcome::exhausted && made.changed()) ++counted.over;
    }
    counted.runs = session.statistics().runs;
    counted.changed = session.statistics().changed;
    return counted;
}

/// Pushes, and reduces where that is due.
template <class Session>
auto arrive(Session& session, chat_message m) {
    session.push(std::move(m));
    return session.prepare();
}
chat_message said(int turn, std::size_t size) { return turn % 2 == 0 ? U(letters(size, 'u')) : A(letters(size, 'a')); }

std::uint64_t rounded_up(std::uint64_t whole, std::uint64_t part) { return (whole + part - 1) / part; }

auto with_model(counting_model model) { return pipeline{summarize{.when = used >= 80_pct, .with = model}}; }
auto five_layers(counting_model model) {
    return pipeline{offload{.over = 5'000_chars, .into = condense::memory_store{}},
                    compress{.when = used >= 65_pct, .over = 1'000_chars},
                    summarize{.when = used >= 80_pct, .with = model}, sliding_window{.when = used >= 90_pct},
                    escalate{.when = used >= 90_pct}};
}

}  // namespace

TEST_CASE("reductions are as far apart as the trigger is from the target", "[laws][law-9]") {
    auto const far = sliding_window{.when = used >= 90_pct}.when.target().bind({window}).one().limit;
    REQUIRE(far < window * 9 / 10);
    for (std::size_t const largest : {3u, 40u, 300u, 1'500u})
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            CAPTURE(largest, seed);
            auto const counted = drive(mixes::window, seed, rounds(10'000), 0, largest);
            CHECK(counted.changed <= rounded_up(counted.growth, window * 9 / 10 - far));
            CHECK(counted.runs == counted.changed);
            CHECK((counted.growth < window || counted.changed > 0));
            CHECK(counted.over == 0);
        }
}

TEST_CASE("where little can be gained a session reduces once for a share of the window", "[laws][law-9]") {
    for (std::uint64_t const pinned : {8'900u, 8'990u, 8'999u})
        for (std::size_t const largest : {3u, 40u}) {
            CAPTURE(pinned, largest);
            auto const counted = drive(mixes::window, 1, rounds(10'000), pinned, largest);
            CHECK(counted.runs <= 2 + counted.growth / (window / 50));
            CHECK(counted.changed > 0);
            CHECK(counted.over == 0);
        }
}

TEST_CASE("limits in messages or turns hold from message to message, however little that gains", "[laws][law-9]") {
    auto session = opened(pipeline{sliding_window{.when = used > 10_messages, .until = used <= 10_messages}},
                          {.window = {window}});
    for (int turn = 0; turn < 200; ++turn) {
        static_cast<void>(arrive(session, A("a")));
        CHECK(session.used().messages <= 10_messages);
    }
    CHECK(session.statistics().changed == 190);
}

TEST_CASE("over the trigger with nothing to gain a session runs once for a share of the window", "[laws][law-9]") {
    for (std::uint64_t const pinned : {9'001u, 9'500u, 9'900u})
        for (std::size_t const largest : {3u, 20u}) {
            CAPTURE(pinned, largest);
            auto const counted = drive(mixes::window, 1, 2'000, pinned, largest);
            // Above the window each message is a reason to run, as long as that helps.
            if (counted.growth < 4 * window)
                CHECK(counted.runs <= 2 + counted.changed + counted.growth / (window / 50));
            CHECK(counted.over == 0);
        }
}

TEST_CASE("a model is asked once for a quarter of the window, but where only it can make the request fit",
          "[laws][law-9]") {
    std::uint64_t combination = 0;
    for (auto const how :
         {manner::answers, manner::throws, manner::says_nothing, manner::repeats_twice, manner::error_text})
        for (std::uint64_t const pinned : {0u, 3'000u, 7'000u, 8'500u, 8'990u, 9'500u, 9'990u})
            for (std::size_t const largest : {20u, 300u, 1'500u}) {
                if (combination++ % stride() != 0) continue;
                CAPTURE(static_cast<int>(how), pinned, largest);
                std::uint64_t calls = 0;
                auto const alone = drive(with_model({&calls, how}), 1, 1'000, pinned, largest);
                auto const quarters = 1 + alone.growth / (window / 4);
                if (how != manner::answers || pinned <= 3'000) CHECK(calls <= quarters);
                CHECK(alone.over <= quarters);  // answers that left the request over the window
                CHECK(calls <= 2 + 2 * alone.growth / (window / 10));
                calls = 0;
                auto const mixed = drive(five_layers({&calls, how}), 1, 1'000, pinned, largest);
                CHECK(calls <= 1 + mixed.growth / (window / 4));
                CHECK((calls > 0 || pinned >= 7'000 || largest == 20));
            }
}

TEST_CASE("a model that fails opens the circuit after two runs, and a manual run passes it", "[law-9]") {
    for (auto const how : {manner::throws, manner::says_nothing, manner::repeats_twice, manner::error_text}) {
        CAPTURE(static_cast<int>(how));
        std::uint64_t calls = 0;
        std::vector<events::circuit> told;
        auto const observer = [&told](events::circuit const& event) { told.push_back(event); };
        auto session = opened(with_model({&calls, how}), {.window = {window}}, run_options{.observer = observer});
        std::uint64_t growth = 0;
        std::uint64_t opened_at = 0;
        for (int turn = 0; turn < 400; ++turn) {
            session.push(said(turn, 100));
            growth += 100;
            static_cast<void>(session.prepare());
            if (!told.empty() && opened_at == 0) opened_at = calls;
        }
        REQUIRE(told.size() == 1);
        CHECK(told[0].open);
        CHECK(told[0].ineffective == 2);
        CHECK(opened_at == 2);
        CHECK(calls <= 1 + growth / (window / 4));
        auto const before = calls;
        CHECK_FALSE(session.run().changed());
        CHECK(calls == before + 1);
    }
}

TEST_CASE("a wait for a model that answers does not open the circuit, and is no failure", "[law-9][law-18]") {
    std::uint64_t calls = 0;
    auto session = opened(with_model({&calls}), {.window = {window}});
    session.push(pinned(U(letters(7'500, 'p'))));
    bool waited = false;
    for (int turn = 0; turn < 2'000; ++turn) {
        auto const made = arrive(session, said(turn, 10));
        CHECK(session.used().fits());
        if (!made.layers[0].waits) continue;
        waited = true;
        CHECK(made.layers[0].outcome == layer_outcome::declined);
        CHECK(made.layers[0].note == "the model was asked lately");
    }
    CHECK(waited);
    CHECK(session.statistics().layers[0].failures == 0);
    CHECK(calls > 10);
}

TEST_CASE("a trigger in messages holds within one round, whatever the window, and its model may be asked", "[law-18]") {
    std::uint64_t calls = 0;
    auto session = opened(pipeline{summarize{.when = used >= 30_messages || used >= 84_pct,
                                             .until = used <= 11_messages && used <= 42_pct,
                                             .protect = last(10_messages),
                                             .with = counting_model{&calls}}},
                          {.window = 10'000'000_tokens});
    session.push(U("task"));
    for (int step = 0; step < 300; ++step) {
        auto const id = std::to_string(step);
        for (auto const& m : {C(id, "f"), R(id, letters(100)), A("done")}) {
            static_cast<void>(arrive(session, m));
            CHECK(session.used().messages <= 32_messages);
        }
    }
    CHECK(calls >= 900 / 22);
    CHECK(calls <= 900 / 18);
}

TEST_CASE("a trigger in messages holds once an open round that was longer than it is over", "[law-18]") {
    auto session = opened(pipeline{sliding_window{.when = used > 10_messages, .until = used <= 5_messages}},
                          {.window = 10'000'000_tokens});
    session.push(U("task"));
    auto many = A("");
    many.parts.clear();
    for (int call = 0; call < 40; ++call) many.parts.push_back(C(std::to_string(call), "f").parts[0]);
    session.push(many);
    for (int call = 0; call < 40; ++call) static_cast<void>(arrive(session, R(std::to_string(call), "out")));
    CHECK(session.used().messages > 40_messages);
    static_cast<void>(arrive(session, A("done")));
    CHECK(session.used().messages <= 10_messages);
}

TEST_CASE("a model that fails is asked ever less often where messages are due", "[law-9]") {
    std::uint64_t calls = 0;
    auto session = opened(
        pipeline{summarize{
            .when = used >= 30_messages, .protect = last(10_messages), .with = counting_model{&calls, manner::throws}}},
        {.window = 10'000'000_tokens});
    for (int turn = 0; turn < 2'000; ++turn) static_cast<void>(arrive(session, said(turn, 1)));
    CHECK(calls >= 5);
    CHECK(calls <= 13);
}

TEST_CASE("a batch that is not worth it yet waits for growth, not behind an open circuit, and is no failure",
          "[law-18]") {
    auto session =
        opened(pipeline{compress{.when = used >= 1'000_tokens,
                                 .protect = task | last(4_messages),
                                 .worth = condense::at_least(800_tokens),
                                 .over = 50_chars,
                                 .with = [](part_view const&, cut) { return std::optional<std::string>{"cut"}; }}},
               {.window = {window}});
    session.push(U("go"));
    int paid = -1;
    for (int step = 0; step < 40; ++step) {
        auto const id = std::to_string(step);
        push(session, {C(id, "f"), R(id, letters(200)), A("ok")});
        if (paid < 0 && session.draft().changed()) paid = step;
        auto const made = session.prepare();
        if (!made.changed()) continue;
        CHECK(step <= paid + 1);
        paid = -1;
    }
    CHECK(session.statistics().changed >= 6);
    CHECK(session.statistics().layers[0].failures == 0);
}

TEST_CASE("what has not changed is not tried again", "[law-9]") {
    std::uint64_t hooks = 0;
    for (bool const manual : {false, true}) {
        CAPTURE(manual);
        hooks = 0;
        auto session = opened(pipeline{counting_layer{used >= 90_pct, &hooks}}, {.window = {window}});
        for (int turn = 0; turn < 95; ++turn) session.push(A(letters(100, 'a')));
        static_cast<void>(manual ? session.run() : session.prepare());
        auto const once = hooks;
        CHECK(once == 1);
        for (int again = 0; again < 100; ++again) static_cast<void>(session.prepare());
        CHECK(hooks == once);
        session.push(A("a"));  // too little to try again
        static_cast<void>(session.prepare());
        CHECK(hooks == once);
        static_cast<void>(arrive(session, A(letters(200, 'a'))));
        CHECK(hooks == once + 1);
    }
}

TEST_CASE("where all is pinned and over the window hooks are called a few times, though messages keep coming",
          "[law-9]") {
    std::uint64_t hooks = 0;
    auto session =
        opened(pipeline{counting_layer{used >= 80_pct, &hooks}, sliding_window{.when = used >= 90_pct}, escalate{}},
               {.window = {window}});
    for (int turn = 0; turn < 2'000; ++turn) static_cast<void>(arrive(session, pinned(said(turn, 100))));
    CHECK(hooks <= 40);
    CHECK(session.outline().size() == 2'000);
}

TEST_CASE("over the window with what no layer takes out hooks are called once for a share of the window", "[law-9]") {
    std::uint64_t hooks = 0;
    auto session = opened(pipeline{counting_layer{used >= 80_pct, &hooks}}, {.window = {window}});
    for (int turn = 0; turn < 2'000; ++turn) static_cast<void>(arrive(session, A(letters(20, 'a'))));
    CHECK(hooks <= 5 + 2'000 * 20 / (window / 50));
}

TEST_CASE("a layer that becomes due is tried at once, though an earlier one was in vain", "[law-9]") {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    auto session = opened(pipeline{counting_layer{used >= 50_pct, &first}, counting_layer{used >= 60_pct, &second}},
                          {.window = {window}});
    static_cast<void>(arrive(session, A(letters(5'950, 'a'))));
    CHECK(first == 1);
    CHECK(second == 0);
    static_cast<void>(arrive(session, A(letters(49, 'a'))));
    CHECK(first == 1);
    static_cast<void>(arrive(session, A("a")));
    CHECK(first == 2);
    CHECK(second == 1);
}
