// SPDX-License-Identifier: BSL-1.0
#include <condense/session/session.hpp>

#include "session/short_names.hpp"

namespace {

using namespace short_names;
using reply = condense::reply<chat_message>;

std::string too_long(std::uint64_t limit, std::uint64_t sent) {
    return R"({"error":{"message":"This model's maximum context length is )" + std::to_string(limit) +
           " tokens. However, your messages resulted in " + std::to_string(sent) +
           R"( tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}})";
}

conversation task_and(int count) {
    conversation all{U("task")};
    for (int turn = 0; turn < count; ++turn)
        all += {A("answer " + std::to_string(turn) + letters(40, 'a')),
                U("question " + std::to_string(turn) + letters(40, 'q'))};
    return all;
}

using mixes::window;
auto talk(int count, tokens size) { return holding(window, task_and(count), {.window = size}); }

/// The tokens of what is sent, as a provider with this tokenizer counts them.
template <class Request>
std::uint64_t tokens_in(Request const& request) {
    return recount({request.begin(), request.end()}).tokens().count;
}

reply overflowing() { return {.error = {.status = 400, .text = "Input is too long for requested model."}}; }

auto half_full() { return opened(window, {.window = 100'000_tokens}); }

/// Notes what is used when a message arrives.
struct sees_use {
    tokens* seen;
    static constexpr auto effects = condense::no_effects;
    void arrive(auto& draft, sequence, auto&) const { *seen = draft.used().tokens; }
};

}  // namespace

TEST_CASE("call reduces when that is due, sends the request, and keeps the answer") {
    auto chat = talk(10, 1'000_tokens);
    std::uint64_t sent = 0;
    auto const result = chat.call([&](auto const& request) {
        sent = tokens_in(request);
        return A("done");
    });
    REQUIRE(result);
    CHECK(result.attempts == 1);
    CHECK(sent < 900);
    CHECK(result.answer == &chat.history().back());
    CHECK(*result.answer == A("done"));
    CHECK(chat.history().size() == 22);
    CHECK(chat.turns().turns == 1);
}

TEST_CASE("an error that is no overflow is the caller's, as it came, and is not tried again") {
    auto chat = talk(4, 1'000_tokens);
    provider_error const refused{
        429, "Rate limit reached for tokens per min (TPM): Limit 30000, Used 29000, Requested 2000."};
    int calls = 0;
    auto const before = chat.used();
    auto const result = chat.call([&](auto const&) { return ++calls, reply{.error = refused}; });
    CHECK_FALSE(result);
    CHECK(result.outcome == call_outcome::failed);
    CHECK(result.error == refused);
    CHECK(result.answer == nullptr);
    CHECK(calls == 1);
    CHECK(chat.used() == before);
    CHECK_FALSE(chat.call([&](auto const&) { return reply{}; }));
}

TEST_CASE("what a model throws passes, but for an overflow") {
    auto chat = talk(4, 1'000_tokens);
    int calls = 0;
    CHECK_THROWS_AS(chat.call([&](auto const&) -> chat_message {
        ++calls;
        throw std::out_of_range{"connection reset"};
    }),
                    std::out_of_range);
    CHECK(calls == 1);
    auto const result = chat.call([&](auto const&) {
        if (++calls == 2) throw std::runtime_error{too_long(300, 412)};
        return A("done");
    });
    CHECK(result);
    CHECK(calls == 3);
    CHECK(chat.limits().window == 300_tokens);
    // Once more than once is the caller's.
    CHECK_THROWS_AS(chat.call([&](auto const&) -> chat_message {
        ++calls;
        throw std::runtime_error{too_long(300, 412)};
    }),
                    std::runtime_error);
    CHECK(calls == 5);
}

TEST_CASE("an overflow is recovered once, by a request that is strictly smaller") {
    auto chat = talk(8, 1'000_tokens);
    std::vector<std::uint64_t> sent;
    auto const answers_at = [&](std::size_t attempt) {
        return [&sent, attempt](auto const& request) {
            sent.push_back(tokens_in(request));
            if (sent.size() < attempt) return reply{.error = {400, too_long(500, sent.back())}};
            return reply{.message = A("done")};
        };
    };
    SECTION("and answered") {
        auto const result = chat.call(answers_at(2));
        REQUIRE(result);
        CHECK(result.attempts == 2);
        REQUIRE(sent.size() == 2);
        CHECK(sent[1] < sent[0]);
        CHECK(sent[1] <= 400);
        CHECK(chat.limits().window == 500_tokens);
        CHECK(chat.used().fits());
    }
    SECTION("also where it ends an answer in the middle; the second one is kept") {
        for (std::size_t const cut : {1u, 2u}) {
            sent.clear();
            auto again = talk(8, 1'000_tokens);
            auto const result = again.call([&](auto const& request) {
                sent.push_back(tokens_in(request));
                if (sent.size() > cut) return reply{.message = A("done"), .stop = "end_turn"};
                return reply{.message = A("cut"), .stop = "model_context_window_exceeded"};
            });
            REQUIRE(result);
            REQUIRE(sent.size() == 2);
            CHECK(sent[1] < sent[0]);
            CHECK(*result.answer == A(cut == 1 ? "done" : "cut"));
            CHECK(again.history().size() == 18);
        }
    }
    SECTION("and the second one goes to the caller") {
        auto const result = chat.call(answers_at(9));
        CHECK(result.outcome == call_outcome::overflow);
        CHECK(result.attempts == 2);
        CHECK(result.error.status == 400);
        REQUIRE(sent.size() == 2);
        CHECK(sent[1] < sent[0]);
        // The next turn may recover again.
        chat.push(U("go on"));
        sent.clear();
        CHECK(chat.call(answers_at(2)));
    }
    SECTION("a provider without figures") {
        auto const result = chat.call([&](auto const& request) {
            sent.push_back(tokens_in(request));
            if (sent.size() == 1) return reply{.error = {400, R"({"error":{"code":"context_length_exceeded"}})"}};
            return reply{.message = A("done")};
        });
        REQUIRE(result);
        CHECK(sent[1] * 2 < sent[0]);
        CHECK(chat.limits().window == 1'000_tokens);
    }
}

TEST_CASE("a limit that is learnt keeps the share of the answer, and one that can not be is not learnt", "[law-t4]") {
    auto chat = holding(window, task_and(60), {.window = 8'000_tokens, .output = 800_tokens});
    static_cast<void>(chat.request());
    CHECK(chat.recover({400, too_long(2'000, 5'800)}) == recover_outcome::retry);
    CHECK(chat.limits() == condense::budget{.window = 2'000_tokens, .output = 200_tokens});
    CHECK(chat.used().fits());
    chat.push(U("go on"));
    static_cast<void>(chat.recover({400, too_long(1, 5'800)}));
    CHECK(chat.limits().window == 2'000_tokens);
    chat.push(U("go on"));
    static_cast<void>(chat.recover({400, too_long(~std::uint64_t{0}, ~std::uint64_t{0})}));
    CHECK(chat.limits().window == 2'000_tokens);
    chat.set_limits({.window = 9'000_tokens});
    CHECK(chat.used().input == 9'000_tokens);
}

TEST_CASE("what can not be made smaller is not sent again") {
    auto chat = holding(window, {U(letters(500))}, {.window = 1'000_tokens});
    int calls = 0;
    auto const result = chat.call([&](auto const&) { return ++calls, reply{.error = {400, too_long(400, 500)}}; });
    CHECK(result.outcome == call_outcome::overflow);
    CHECK(calls == 1);
    // The window is known now.
    CHECK(chat.call([&](auto const&) { return ++calls, reply{}; }).outcome == call_outcome::too_large);
    CHECK(calls == 1);
}

TEST_CASE("a streaming model that has shown something is not called again") {
    auto chat = talk(8, 1'000_tokens);
    std::string shown;
    int calls = 0;
    auto const model = [&](bool speaks) {
        return [&calls, speaks](auto const&, condense::delivery& show) {
            show(speaks ? "Well, " : "");
            if (++calls == 1) return reply{.error = {400, too_long(500, 800)}};
            show("here.");
            return reply{.message = A("Well, here.")};
        };
    };
    SECTION("after a piece") {
        auto const result = chat.call(model(true), [&](std::string_view piece) { shown += piece; });
        CHECK(result.outcome == call_outcome::overflow);
        CHECK(calls == 1);
        CHECK(shown == "Well, ");
        CHECK(chat.limits().window == 1'000_tokens);
    }
    SECTION("before any") {
        CHECK(chat.call(model(false), [&](std::string_view piece) { shown += piece; }));
        CHECK(calls == 2);
        CHECK(shown == "here.");
    }
    SECTION("also where nobody looks") {
        CHECK_FALSE(chat.call(model(true)));
        CHECK(calls == 1);
    }
}

TEST_CASE("a request that does not fit is not sent") {
    auto chat = holding(window, {U(letters(500))}, {.window = 400_tokens});
    int calls = 0;
    auto const result = chat.call([&](auto const&) { return ++calls, A("done"); });
    CHECK(result.outcome == call_outcome::too_large);
    CHECK(result.attempts == 0);
    CHECK(calls == 0);
}

TEST_CASE(
    "reported usage stands for what was sent, the estimate for what came since, both in proportion after an edit") {
    auto chat = talk(4, 1'000_tokens);
    auto const counted = chat.used().tokens;
    REQUIRE(chat.call([&](auto const&) {
        return reply{.message = A("12345"),
                     .usage = {.input = counted + 100_tokens, .output = 5_tokens, .cache_read = 50_tokens}};
    }));
    CHECK(chat.used().tokens == counted + 155_tokens);
    CHECK(chat.used().cached == 50_tokens);
    CHECK(chat.statistics().agent_usage ==
          provider_usage{.input = counted + 100_tokens, .output = 5_tokens, .cache_read = 50_tokens});
    CHECK(chat.statistics().total_usage() == chat.statistics().agent_usage);
    chat.push(U("1234567890"));
    CHECK(chat.used().tokens == counted + 165_tokens);
    SECTION("in proportion after an edit") {
        CHECK(chat.run().after.tokens.count >= counted.count);  // nothing is due
        auto const before = chat.used().tokens.count;
        auto const counted_before = tokens_in(chat.request());
        static_cast<void>(chat.recover({400, R"({"code":"context_length_exceeded"})"}));
        CHECK(chat.used().source == condense::usage_source::estimated);
        CHECK(chat.used().tokens.count == (tokens_in(chat.request()) * before + counted_before - 1) / counted_before);
    }
    SECTION("a figure that can not be is taken for four times, or for half") {
        static_cast<void>(chat.request());
        auto const now = chat.edits().sums().cost.tokens();
        chat.observe({.input = {~std::uint64_t{0}}, .cache_write = {~std::uint64_t{0}}});
        CHECK(chat.used().tokens.count == now.count * 4);
        chat.observe({.input = 1_tokens});
        CHECK(chat.used().tokens.count == now.count / 2);
    }
    SECTION("nothing reported changes nothing") {
        auto const before = chat.used().tokens;
        chat.observe({});
        CHECK(chat.used().tokens == before);
    }
}

TEST_CASE("while a run lasts everything is measured as reported") {
    auto chat = talk(5, 1'000_tokens);  // 506 tokens by its count
    static_cast<void>(chat.request());
    chat.observe({.input = 950_tokens});
    CHECK(chat.due());
    auto const report = chat.prepare();
    CHECK(report.before.tokens == 950_tokens);
    CHECK(report.fits());
    // Down to half of 90 % as the provider counts, which is less than half of that by our count.
    CHECK(report.after.tokens <= 450_tokens);
    CHECK(report.after.tokens > 300_tokens);
    CHECK(chat.used() == report.after);
    CHECK(report.after.source == condense::usage_source::estimated);
    CHECK(report.before.tokens - report.after.tokens == report.layers[0].saved);
}

TEST_CASE("a report below the count is the scale of a run as well, and is not called one after it") {
    auto chat = talk(5, 400_tokens);  // 506 tokens by its count
    static_cast<void>(chat.request());
    chat.observe({.input = 370_tokens});
    auto const before = chat.used();
    auto const report = chat.prepare();
    CHECK(report.before == before);
    CHECK(report.before.source == condense::usage_source::reported);
    CHECK(report.changed());
    CHECK(report.after.source == condense::usage_source::estimated);
    CHECK(report.after.tokens > 120_tokens);  // down to 180, not to 180 by a count that says 506 for 370
    CHECK(report.after.tokens <= 180_tokens);
    CHECK(chat.used() == report.after);
    CHECK_FALSE(chat.due());
    CHECK(chat.draft().before == chat.used());
}

TEST_CASE("protections and summaries measure as the provider reports") {
    auto const model = [](std::string_view) { return std::string{"sum"}; };
    auto const reported_twice = [&](auto const& layer, tokens size) {
        auto chat = opened(pipeline{layer}, {.window = size});
        for (int number = 0; number < 90; ++number)
            chat.push(chat_message::text(number % 2 == 0 ? role::user : role::assistant, letters(1'000)));
        static_cast<void>(chat.request());
        chat.observe({.input = 180'000_tokens});
        static_cast<void>(chat.prepare());
        return std::pair{chat.used(), chat.request().size()};
    };
    auto const [used_after, size] =
        reported_twice(summarize{.when = used >= 80_pct, .protect = task | last(5_pct), .with = model}, 200'000_tokens);
    CHECK(used_after.tokens <= 80'000_tokens);  // 40 % of the window, not 22 %
    CHECK(used_after.tokens > 60'000_tokens);
    auto const newest = reported_twice(summarize{.when = used >= 80_pct,
                                                 .until = used <= 1_tokens,
                                                 .protect = condense::newest(20'000_tokens),
                                                 .with = model},
                                       200'000_tokens);
    CHECK(newest.second == 11);
    auto const covering = reported_twice(summarize{.when = used >= 80_pct,
                                                   .until = used <= 1_tokens,
                                                   .protect = condense::covering(19'000_tokens),
                                                   .with = model},
                                         200'000_tokens);
    CHECK(covering.second == 11);
}

TEST_CASE("layers that run on arrival measure as used() does") {
    tokens seen;
    auto chat = opened(pipeline{sees_use{&seen}}, {.window = 1'000_tokens});
    chat.push(U(letters(200)));
    CHECK(seen == 200_tokens);
    static_cast<void>(chat.request());
    chat.observe({.input = 300_tokens});
    chat.push(A("1234567890"));
    CHECK(seen == 310_tokens);
    CHECK(seen == chat.used().tokens);
}

TEST_CASE("the threshold is the least use at which a layer is due") {
    auto const chat = opened(pipeline{compress{.when = used >= 65_pct}, sliding_window{.when = used > 800_tokens}},
                             {.window = 1'000_tokens});
    CHECK(chat.threshold() == 650_tokens);
    auto const by_messages = opened(pipeline{sliding_window{.when = used > 10_messages}}, {.window = 1'000_tokens});
    auto const beside_one_without =
        opened(pipeline{drop_superseded{.key = condense::markers("plan")}, sliding_window{.when = used >= 90_pct}},
               {.window = 1'000_tokens});
    CHECK(beside_one_without.threshold() == 900_tokens);
    CHECK(by_messages.threshold() == 0_tokens);
    CHECK(by_messages.status() == "0 of 1,000 tokens (0.0 %)");
}

TEST_CASE("recover says what an error means") {
    auto chat = talk(8, 1'000_tokens);
    static_cast<void>(chat.request());
    auto const before = chat.used();
    CHECK(chat.recover({500, "overloaded"}) == recover_outcome::not_overflow);
    CHECK(chat.recover({400, too_long(500, 800)}, true) == recover_outcome::delivered);
    CHECK(chat.used() == before);
    CHECK(chat.recover({400, too_long(500, 800)}) == recover_outcome::retry);
    CHECK(chat.used().tokens < before.tokens);
    CHECK(chat.recover({400, too_long(500, 800)}) == recover_outcome::repeated);
}

TEST_CASE("a provider that takes fewer images gets notes of the oldest", "[row-X19]") {
    auto chat = opened(window, {.window = 100'000_tokens});
    for (auto const* const what : {"one", "two", "three", "four", "five"}) {
        auto seen = U("look");
        seen.parts.push_back({.kind = part_kind::media, .text = what, .sealed = true, .cost = cost::of({1'600})});
        seen.parts.back().data = 100'000;
        push(chat, {seen, A("yes")});
    }
    chat.push(U("which?"));
    auto const images = [&] { return texts(chat.request(), part_kind::media); };
    CHECK(chat.recover({400, "too many images: 5 > 3"}, true) == recover_outcome::delivered);
    CHECK(chat.recover({400, "too many images: 5 > 3"}) == recover_outcome::retry);
    CHECK(images() == std::vector<std::string>{"one", "four", "five"});  // the task is never edited
    CHECK(chat.recover({413, "request_too_large"}) == recover_outcome::retry);
    CHECK(chat.used().images == 1_images);
    CHECK(chat.recover({413, "request_too_large"}) == recover_outcome::exhausted);
    CHECK(chat.undo());
    CHECK((chat.used().images == 3_images && chat.due()));  // the limit has been learnt
    chat.set_limits({.window = 100'000_tokens});
    int calls = 0;
    auto const result = chat.call([&](auto const&) {
        return ++calls == 1 ? reply{.error = {400, "too many images: 3 > 2"}} : reply{.message = A("that one")};
    });
    CHECK((result && calls == 2 && chat.used().images == 2_images));
}

TEST_CASE("media that could not be noted are due again once something has changed", "[row-X19]") {
    auto chat = opened(window, {.window = 100'000_tokens, .images = {1}});
    auto seen = U("look");
    for (int number = 0; number < 3; ++number)
        seen.parts.push_back({.kind = part_kind::media, .text = "image", .sealed = true, .cost = cost::of({1'600})});
    push(chat, {U("the task"), A("go on"), seen});
    CHECK(chat.due());
    static_cast<void>(chat.prepare());
    CHECK((chat.used().images.count == 3 && !chat.due()));  // the user's newest words
    push(chat, {A("I see"), U("and now?")});
    CHECK(chat.due());
    CHECK(chat.prepare().changed());
    CHECK((chat.used().images.count == 1 && !chat.due()));
}

TEST_CASE("a model that pushes and overflows each time is called twice, whether it returns or throws that") {
    bool const throws = GENERATE(false, true);
    std::string const words{"prompt is too long: 210000 tokens > 200000 maximum"};
    auto session = half_full();
    for (int turn = 0; turn < 50; ++turn) session.push(U(letters(1'000)));
    int calls = 0;
    auto const model = [&](auto const&) {
        session.push(U(letters(10, 'p')));
        if (++calls == 9) return reply{.message = A("at last")};
        return throws ? throw std::runtime_error{words} : overflowing();
    };
    if (throws) CHECK_THROWS_WITH(static_cast<void>(session.call(model)), words);
    else {
        auto const made = session.call(model);
        CHECK(made.outcome == call_outcome::overflow);
        CHECK(made.attempts == 2);
        CHECK(session.history().size() == 52);
    }
    CHECK(calls == 2);
}

TEST_CASE("what is reported is of what was sent, also where somebody looks at the request on arrival") {
    std::function<void()> look = [] {};
    auto const observer = [&look](events::arrived const&) { look(); };
    auto const options = run_options{.observer = observer};
    auto session = opened(window, {.window = 100'000_tokens}, options);
    look = [&] { static_cast<void>(session.request()); };
    session.push(U(letters(1'000)));
    auto const made = session.call([](auto const&) {
        return reply{.message = A(letters(500, 'a')), .usage = {.input = 2'000_tokens, .output = 1'000_tokens}};
    });
    CHECK(made);
    CHECK(session.used().tokens == 2'500_tokens);
}

TEST_CASE("the answer is the model's, also where another message comes with it") {
    std::function<void()> more = [] {};
    auto const observer = [&more](events::arrived const& event) {
        if (event.at.number == 1) more();
    };
    auto const options = run_options{.observer = observer};
    auto session = opened(window, {.window = 100'000_tokens}, options);
    more = [&] { session.push(U("and another thing")); };
    session.push(U(letters(1'000)));
    auto const made = session.call([](auto const&) { return A("yes"); });
    REQUIRE(made);
    CHECK(session.history().size() == 3);
    CHECK(*made.answer == A("yes"));
}

TEST_CASE("a request that fits by the provider's count is not too large once it is reduced", "[law-8]") {
    // Estimates are four times what the provider counts.
    auto session = opened(window, {.window = 100'000_tokens});
    std::size_t counted = 0;
    int answered = 0;
    auto const model = [&](auto const& request) {
        counted = 0;
        for (auto const& m : request) counted += m.parts[0].text.size();
        return reply{.message = A(letters(900, 'a')), .usage = {.input = {counted / 4}}};
    };
    for (int turn = 0; turn < 1'000; ++turn) {
        session.push(U(letters(100)));
        auto const made = session.call(model);
        answered += made ? 1 : 0;
    }
    CHECK(answered == 1'000);
    CHECK(session.statistics().changed > 0);
}

TEST_CASE("a container that grows with each attempt does not make for a third one") {
    auto all = task_and(20);
    condense::session chat{std::ref(all), window, condense::budget{.window = 2'000_tokens}, per_byte{}};
    int calls = 0;
    auto const made = chat.call([&](auto const&) {
        for (int more = 0; more < 8; ++more) all.push_back(A(letters(90, 'b')));
        return ++calls < 20 ? overflowing() : reply{.message = A("at last")};
    });
    CHECK(made.outcome == call_outcome::overflow);
    CHECK(calls == 2);
}

TEST_CASE("a report of less than half of what was sent is told") {
    std::vector<condense::events::usage_low> seen;
    auto const hear = [&](condense::events::usage_low const& event) { seen.push_back(event); };
    auto chat = condense::session{task_and(8), window, condense::budget{.window = 10'000_tokens}, per_byte{},
                                  condense::run_options{.observer = hear}};
    auto const counted = chat.used().tokens;
    for (condense::provider_usage const usage :
         {condense::provider_usage{.input = {counted.count / 2}}, condense::provider_usage{},
          condense::provider_usage{.input = {1}, .cleared = {counted.count / 2}},
          condense::provider_usage{.input = {counted.count / 2 - 1}}}) {
        static_cast<void>(chat.request());
        chat.observe(usage);
    }
    CHECK(seen == std::vector{condense::events::usage_low{{counted.count / 2 - 1}, counted}});
}

TEST_CASE("an answer is kept whatever an observer throws") {
    auto const observer = [](events::usage_missing const&) { throw std::runtime_error{"no disk"}; };
    auto const options = run_options{.observer = observer};
    auto chat = holding(window, task_and(2), {.window = 1'000_tokens}, options);
    CHECK_THROWS_WITH(static_cast<void>(chat.call([](auto const&) { return A("paid for"); })), "no disk");
    CHECK(chat.history().back() == A("paid for"));
    CHECK(chat.turns().turns == 1);
}

namespace {

struct cancelled_in_words : cancelled {
    char const* what() const noexcept override { return "context_length_exceeded"; }
};

}  // namespace

TEST_CASE("a cancellation in a call reaches the caller, whatever its words", "[law-12]") {
    bool stop = false;
    auto chat = holding(window, task_and(8), {.window = 1'000_tokens}, run_options{.stop = stop_flag{&stop}});
    int calls = 0;
    auto const before = chat.used();
    auto const model = [&](auto const&) -> chat_message {
        switch (++calls) {
            case 1: throw cancelled_in_words{};
            case 2: try { throw cancelled{};
                } catch (cancelled const&) { std::throw_with_nested(std::runtime_error{"context_length_exceeded"}); }
            case 3: stop = true; throw std::runtime_error{"context_length_exceeded"};
            default: return A("never asked for");
        }
    };
    CHECK_THROWS_AS(static_cast<void>(chat.call(model)), cancelled_in_words);
    CHECK(calls == 1);
    CHECK_THROWS_AS(static_cast<void>(chat.call(model)), std::runtime_error);
    CHECK(calls == 2);
    CHECK_THROWS_AS(static_cast<void>(chat.call(model)), std::runtime_error);
    CHECK(calls == 3);
    CHECK(chat.used() == before);
}

namespace {

std::string on_screen;
void print(std::string_view piece) { on_screen += piece; }

}  // namespace

TEST_CASE("a function takes what a streaming model shows") {
    auto chat = talk(2, 1'000_tokens);
    on_screen.clear();
    CHECK(chat.call([](auto const&, condense::delivery& show) { return show("well"), A("well"); }, print));
    CHECK(on_screen == "well");
}

TEST_CASE("a call from within a run says why it was not made") {
    std::function<void()> act;
    auto const shorten = [&act](part_view const&, cut) { return act(), std::optional<std::string>{"short"}; };
    auto chat = holding(pipeline{compress{.when = used >= 10_pct, .over = 10_chars, .with = shorten}}, task_and(8),
                        {.window = 1'000_tokens});
    chat.push({.role = role::tool, .parts = {{.kind = condense::part_kind::tool_result, .text = letters(90, 'r')}}});
    push(chat, {A("seen"), U("so?")});
    provider_error why;
    act = [&] { why = chat.call([](auto const&) { return A("no"); }).error; };
    CHECK(chat.run().changed());
    CHECK(why.text == "condense: call: the session must not be in a run (see call_result)");
}

TEST_CASE("the status says why a reduction that is due waits") {
    auto const fresh = [](auto const& layer) {
        conversation all;
        for (int turn = 0; turn < 4; ++turn) all += {U(letters(100, 'q')), A(letters(100, 'a'))};
        return holding(pipeline{layer}, std::move(all), {.window = 1'000_tokens});
    };
    auto const waiting = [](auto& chat) {
        auto const before = chat.status();
        CHECK(chat.waits().empty());
        CHECK(before.find("waits") == std::string::npos);
        static_cast<void>(chat.prepare());
        return chat.status();
    };
    auto protecting = fresh(sliding_window{.when = used >= 50_pct, .protect = last(100_messages)});
    CHECK(waiting(protecting) ==
          "800 of 1,000 tokens (80.0 %), reduces at 500; a reduction is due and waits: nothing has come since the "
          "latest run "
          "(sliding_window: nothing to do: all that it could take is within the newest 8 messages)");
    protecting.push(U("more"));
    CHECK(protecting.waits().starts_with("16 tokens have to come first (sliding_window: "));
    protecting.push(U(letters(20, 'm')));
    CHECK(protecting.waits().empty());
    static_cast<void>(protecting.prepare());
    protecting.push(U("more"));
    CHECK(protecting.waits().starts_with("the circuit is open until 246 tokens more have come ("));
    auto unworthy = fresh(sliding_window{.when = used >= 78_pct, .worth = condense::at_least(600_tokens)});
    CHECK(waiting(unworthy).ends_with(" (sliding_window: not worth it)"));
    auto idle = fresh(
        offload{.over = 1'000_chars, .preview = head_tail{100_chars, 100_chars}, .into = condense::memory_store{}});
    static_cast<void>(idle.prepare());
    CHECK(idle.waits().empty());  // it is due at any use
    auto failing = fresh(summarize{
        .when = used >= 50_pct, .protect = last(2_messages), .with = [](std::string_view) { return std::string{}; }});
    CHECK(waiting(failing).find(" (summarize: ") != std::string::npos);
}

TEST_CASE("the status says that a summary is under way") {
    auto chat = opened(pipeline{summarize{.when = used >= 50_pct,
                                          .protect = last(2_messages),
                                          .with = [](std::string_view) { return std::string{}; }}},
                       {.window = 10'000_tokens});
    for (int turn = 0; turn < 30; ++turn) push(chat, {U(letters(100, 'q')), A(letters(100, 'a'))});
    static_cast<void>(chat.prepare());
    REQUIRE_FALSE(chat.waits().empty());
    auto const job = chat.begin_summary();
    REQUIRE(job);
    CHECK(chat.status().ends_with("; a summary is under way"));
    CHECK(chat.abandon(job));
    CHECK(chat.status().find("under way") == std::string::npos);
}
