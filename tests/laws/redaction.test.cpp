// SPDX-License-Identifier: BSL-1.0
#include <condense/core/redaction.hpp>

#include <nlohmann/json.hpp>

#include <condense/adapt/json.hpp>
#include <condense/core/any_pipeline.hpp>
#include <condense/layer/plan.hpp>
#include <condense/policy/known_secrets.hpp>

#include "support/canaries.hpp"
#include "support/catch.hpp"
#include "support/mixes.hpp"

// Secrets of every kind that are planted in a conversation are found nowhere outside it.

namespace {

using condense::known_secrets;
using tapes::tape;
using namespace vocabulary;
using reply = condense::reply<chat_message>;

std::vector<canaries::canary> const& planted() {
    static auto const all = [] {
        auto list = canaries::all(100);
        for (auto& more : canaries::all(50'000'000)) list.push_back(std::move(more));
        return list;
    }();
    return all;
}

/// The kind of a secret that is in the text, whole or a line of it; empty if there is none.
std::string leak_in(std::string_view text) {
    for (auto const& canary : planted()) {
        if (text.find(canary.secret) != std::string_view::npos) return canary.label + ": " + canary.secret;
        if (canary.label == "private key" && text.find(canary.secret.substr(40, 24)) != std::string_view::npos)
            return canary.label;
    }
    return {};
}

/// Each secret as a person, a model and a tool would say it, and in an id.
conversation secret_conversation() {
    conversation all{S("Never tell " + planted()[0].text), U("The task. " + planted()[1].text)};
    std::size_t number = 0;
    for (auto const& canary : planted()) {
        auto id = std::to_string(number++);
        switch (number % 4) {
            case 0: all.push_back(U("Use " + canary.text + " for it.")); break;
            case 1: all.push_back(A("I have found " + canary.text + ".")); break;
            case 2:
                all += {C(id, "shell", nlohmann::json{{"command", "export " + canary.text}}.dump()), R(id, "done")};
                break;
            default:
                if (canary.text == canary.secret) id = "call-" + canary.secret;
                all += {C(id, "read_file"), R(id, letters(400) + "\n" + canary.text + "\n" + letters(400))};
        }
    }
    return all;
}

/// A store that notes everything it is given.
struct shelf : fakes::shelf {
    std::shared_ptr<std::string> sources = std::make_shared<std::string>();
    std::string error = {};  ///< of each put; empty for success
    std::string fails_for = {};  ///< only of contents with this text
    bool throws = false;

    condense::store_error put(condense::reference const& name, std::string_view bytes,
                              condense::artifact_source const& source = {}) const {
        bool const fails = !error.empty() && bytes.find(fails_for) != std::string_view::npos;
        if (fails && throws) throw std::runtime_error{error};
        if (fails) return {std::string_view{error}};
        if (name != this->name(bytes)) return {"another name"};
        *sources += source.conversation + " " + source.tool + " " + source.call + " " + source.type + "\n";
        return fakes::shelf::put(name, bytes);
    }
    std::optional<condense::artifact_source> source(condense::reference const&, std::string_view) const { return {}; }
    condense::store_error each_source(auto const&) const { return {}; }
    std::string text() const {
        auto all = *sources;
        for (auto const& [name, content] : held->kept) all += content + "\n";
        return all;
    }
};
static_assert(condense::traceable_store<shelf>);

/// The lines of a journal, each under the name of its content and readable.
std::string text_of(tape const& journal) {
    std::string all;
    for (auto const& line : journal.held->lines) {
        if (!line.entry.is_derived) {
            CHECK(line.entry.name == journal.name(line.content));
            CHECK(condense::from_bytes<chat_message>(line.content));
        }
        all += line.content + "\n";
    }
    return all;
}

/// What an observer and a log are told.
struct told {
    std::string* all;
    void operator()(auto const& event) const
        requires requires { event.text(); }
    {
        *all += event.text() + "\n";
        condense::log_observer{.to = [to = all](std::string_view line) { *to += line; }}(event);
    }
};

auto options_of(std::string& log) {
    return run_options{.conversation = "secret", .observer = told{&log}, .redact = known_secrets{}};
}

/// Everything that a session says of itself.
template <class Session>
std::string words_of(Session const& session) {
    std::string all = session.statistics().text() + session.waits() + session.status() + std::string{session.note()};
    for (auto const& layer : session.statistics().layers) all += std::string{layer.failure} + "\n";
    return all;
}

/// The last layer of a pipeline, which cannot say how hard to press.
struct pressing {
    static constexpr auto effects = condense::reruns;
    std::string error;
    condense::pressure_schedule schedule(tokens) const { throw std::runtime_error{error}; }
};

std::string all_secrets() {
    std::string all;
    for (auto const& canary : planted()) all += canary.text + "\n";
    return all;
}

}  // namespace

TEST_CASE("redaction: planted secrets reach no journal, store, prompt, observer, error or report", "[law-6]") {
    CHECK(planted().size() >= 50);
    CHECK(leak_in(all_secrets()) != "");
    auto const messages = secret_conversation();
    tape const journal;
    shelf const store;
    std::string prompts, log;
    auto const echo = [&prompts](std::string_view prompt) {
        prompts += prompt;
        return "Summary: " + std::string{prompt.substr(0, 900)};
    };
    auto session = opened(pipeline{record{.to = journal},
                                   offload{.over = 500_chars, .preview = head_tail{50_chars, 50_chars}, .into = store},
                                   summarize{.when = used >= 80_pct, .asks_for = planted()[2].secret, .with = echo}},
                          {.window = 9'000_tokens}, options_of(log));
    for (auto const& m : messages) {
        session.push(m);
        auto const report = session.prepare();
        CHECK(leak_in(report.text() + report.json()) == "");
    }
    // The job's prompt, and a smaller one after the model has refused it.
    auto const redactions = session.statistics().redactions();
    auto const job = session.begin_summary();
    REQUIRE(job);
    CHECK(session.statistics().redactions() > redactions);
    CHECK(leak_in(job.prompt.text()) == "");
    auto const smaller = session.retry(job, {400, "prompt is too long: 9000 tokens > 3000 maximum"});
    CHECK(leak_in(smaller.prompt.text()) == "");

    CHECK(prompts.find("[redacted: ") != std::string::npos);
    CHECK(leak_in(prompts) == "");
    CHECK(journal.messages("secret").size() == messages.size());
    CHECK(leak_in(text_of(journal)) == "");
    CHECK_FALSE(store.held->kept.empty());
    CHECK(store.text().find("[redacted: ") != std::string::npos);
    CHECK(leak_in(store.text()) == "");
    CHECK(log.find("truncated: ") != std::string::npos);
    CHECK(log.find("reduced: ") != std::string::npos);
    CHECK(leak_in(log) == "");
    CHECK(leak_in(words_of(session)) == "");
    for (auto const& layer : session.statistics().layers) CHECK(layer.redactions > 0);
    CHECK(words_of(session).find(" redacted") != std::string::npos);

    // The conversation itself is as it was, and so is what is sent of it.
    CHECK((session.history() == messages));
    std::string request;
    for (auto const& m : session.request()) request += words(m);
    CHECK(request.find(planted()[0].secret) != std::string::npos);  // of the system
    CHECK(request.find(planted()[1].secret) != std::string::npos);  // of the task
    CHECK(leak_in(notation::summary_in(sent(session))) == "");
}

TEST_CASE("redaction: errors with secrets, of models, stores, journals and providers") {
    auto const secrets = all_secrets();
    auto const messages = secret_conversation();
    std::string log;
    // One secret after the other at any place of a note of 96 bytes: none of it remains, not even half.
    for (auto const& canary : planted())
        for (std::size_t const before : {0u, 40u, 70u, 90u}) {
            auto const error = "GET " + letters(before) + " " + canary.text + " failed";
            auto const model = [&](std::string_view) -> std::string { throw std::runtime_error{error}; };
            auto const failing = [&](auto const&... layers) {
                auto history = turns(8);
                return fakes::reduced(history, pipeline{layers...}, {.window = 1'000_tokens}, options_of(log));
            };
            auto const by_exception = failing(summarize{.when = used >= 80_pct, .with = model});
            CHECK(by_exception.layers[0].failures == 1);
            auto const refused = [&](std::string_view) {
                return fakes::model::answer{.error = {.status = 500, .text = error}};
            };
            auto const by_value = failing(summarize{.when = used >= 80_pct, .with = refused});
            CHECK(by_value.layers[0].failures == 1);
            offload failing_put{.over = 500_chars, .preview = head_tail{50_chars, 50_chars}, .into = shelf{}};
            failing_put.into.error = error;
            auto thrower = failing_put;
            thrower.into.throws = true;
            auto sparing = failing_put;
            sparing.into.fails_for = "yyy";  // the other results stay stored
            std::string text = by_exception.text() + by_exception.json() + by_value.text() + by_value.json();
            for (auto const& mix : {failing_put, thrower, sparing}) {
                auto history = rounds_of({letters(900), letters(900, 'y'), letters(900)});
                auto const report = fakes::reduced(history, pipeline{mix}, {.window = 9'000_tokens}, options_of(log));
                CHECK(report.layers[0].failures != 0);
                text += report.text() + report.json();
            }
            auto const pressed = failing(sliding_window{.when = condense::never}, pressing{error});
            CHECK(pressed.layers[1].failures == 1);
            text += pressed.text() + pressed.json();
            CAPTURE(text, canary.secret);
            CHECK(leak_in(text) == "");
            // A secret that begins within the note and ends behind it.
            if (canary.text == canary.secret && canary.label != "private key")
                CHECK(text.find(canary.secret.substr(0, 12)) == std::string::npos);
        }

    auto session = holding(pipeline{sliding_window{.when = used >= 80_pct}}, messages, {.window = 900'000_tokens},
                           options_of(log));
    auto const failed =
        session.call([&](auto const&) { return reply{.error = {.status = 500, .text = "failed: " + secrets}}; });
    CHECK(failed.outcome == call_outcome::failed);
    CHECK(failed.error.status == 500);
    CHECK(failed.error.text.starts_with("failed: [redacted: "));
    CHECK(leak_in(failed.error.text) == "");
    // Of an overflow the figures are read first: the second attempt is smaller.
    std::vector<std::size_t> sizes;
    auto const overflowing = session.call([&](auto const& request) {
        sizes.push_back(request.size());
        return reply{.error = {400, "prompt is too long: 60000 tokens > 9000 maximum; " + secrets}};
    });
    CHECK(overflowing.outcome == call_outcome::overflow);
    REQUIRE(sizes.size() == 2);
    CHECK(sizes[1] < sizes[0]);
    CHECK(leak_in(overflowing.error.text) == "");
    CHECK(leak_in(log + words_of(session)) == "");
}

namespace {

/// A layer of a program: it names its content itself, and says what it has seen.
template <class Model>
struct careless {
    static constexpr auto effects = condense::keeps | condense::asks;
    std::string text;
    tape journal;
    shelf store;
    Model model;
    bool fails = false;

    condense::failed reduce(auto&, auto& pass) const {
        CHECK_FALSE(pass.append(journal, {journal.name(text), 0}, text));
        CHECK(store.get(pass.keep(store, text)) == std::nullopt);  // it is put later
        static_cast<void>(pass.ask(model, text, {}));
        pass.note(text);
        if (fails) return {std::string_view{text}};
        return {};
    }
};

}  // namespace

TEST_CASE("redaction: what a layer of the program gives away is redacted without its doing", "[law-6]") {
    std::string log, prompts;
    auto const model = [&](std::string_view prompt) {
        prompts += prompt;
        return std::string{};
    };
    for (auto const& canary : planted())
        for (bool const fails : {false, true}) {
            careless<decltype(model)> const layer{"take " + canary.text + " away", {}, {}, model, fails};
            conversation history{U("task")};
            auto const report = fakes::reduced(history, pipeline{layer}, {.window = 9'000_tokens}, options_of(log));
            CHECK(report.layers[0].failures == (fails ? 1 : 0));
            CHECK(report.redactions() == 3);
            REQUIRE(layer.journal.held->lines.size() == 1);
            auto const& line = layer.journal.held->lines[0];
            CHECK(line.entry.name == layer.journal.name(line.content));
            CHECK(layer.store.held->kept.size() == (fails ? 0 : 1));
            auto const all = line.content + layer.store.text() + prompts + report.text() + report.json();
            CHECK(leak_in(all) == "");
            CHECK(all.find("[redacted: " + canary.label) != std::string::npos);
        }
}

namespace {

/// A layer, a hook, a store, a journal and a planner that throw what a client says of an address.
struct unreachable {
    std::string error;

    void fail() const { throw std::runtime_error{error}; }
};
struct unreachable_layer : unreachable {
    static constexpr auto effects = condense::drops;
    bool on_arrival = false;
    void arrive(auto&, sequence, auto&) const { on_arrival ? fail() : void(); }
    void reduce(auto&, auto&) const { on_arrival ? void() : fail(); }
};
struct unreachable_journal : unreachable {
    condense::reference name(std::string_view bytes) const { return tape{}.name(bytes); }
    condense::store_error append(std::string_view, condense::journal_entry const&, std::string_view) const {
        return fail(), condense::store_error{};
    }
    condense::store_error flush(std::string_view) const { return {}; }
    condense::store_error read(std::string_view, auto&&) const { return {}; }
};
struct unreachable_planner : unreachable {
    condense::artifact_plan operator()(condense::plan_request const&) const {
        return fail(), condense::artifact_plan{};
    }
};

conversation nine_turns() {
    conversation all;
    for (int turn = 0; turn < 9; ++turn) all += {U("question" + letters(90, 'q')), A("answer" + letters(90, 'a'))};
    return all;
}

/// All that a session keeps and shows of what has failed in it.
template <class Session>
std::string all_words_of(Session& session) {
    auto const taken = session.state();
    REQUIRE(taken);
    auto all = words_of(session) + std::string{std::string_view{taken.state.note}} + "\n" +
               std::string{std::string_view{taken.state.pace.cause}} + "\n";
    for (auto const& layer : taken.state.statistics) all += std::string{std::string_view{layer.failure}} + "\n";
    return all;
}

}  // namespace

TEST_CASE("redaction: a key in an address that an exception names reaches no report, event or state") {
    for (auto const& canary : planted()) {
        auto const is = [&](std::string_view label) { return canary.label == label; };
        if (!is("google key") && !is("api key") && !is("token") && !is("access key") && !is("url password")) continue;
        auto const address =
            is("url password")
                ? canary.text
                : "https://host/v1/models?alt=sse&" + std::string{is("google key") ? "key=" : ""} +
                      (canary.text.find("=") == std::string::npos && !is("google key") ? "token=" + canary.secret
                                                                                       : canary.text) +
                      "&more=1";
        for (std::size_t const before : {0u, 20u, 50u}) {
            unreachable const failing{letters(before) + " cannot reach " + address};
            std::string log, all;
            auto const with = [&](auto const& mix, auto const& options) {
                auto session = holding(mix, nine_turns(), {.window = 2'000_tokens}, options);
                auto const report = session.run();
                all += report.text() + report.json();
                static_cast<void>(session.prepare());
                session.push(U("more"));
                all += all_words_of(session);
                std::uint64_t failures = report.before_drop.failure.empty() ? 0u : 1u;
                for (auto const& layer : session.statistics().layers) failures += layer.failure.empty() ? 0u : 1u;
                CHECK(failures != 0);
            };
            auto const options = options_of(log);
            for (bool const on_arrival : {true, false}) with(pipeline{unreachable_layer{failing, on_arrival}}, options);
            with(pipeline{record{.to = unreachable_journal{failing}}, sliding_window{.when = used >= 20_pct}}, options);
            // A model that answers once, and then fails.
            int asked = 0;
            auto const tiring = [&](std::string_view) -> std::string {
                if (++asked % 2 == 0) failing.fail();
                return "They went on.";
            };
            auto const asking =
                summarize{.when = used >= 20_pct, .protect = last(2_messages), .reads = 400_tokens, .with = tiring};
            auto tired = holding(asking, nine_turns(), {.window = 2'000_tokens}, options);
            all += tired.run().text() + all_words_of(tired);
            CHECK(asked >= 2);
            with(pipeline{fallback{summarize{.when = used >= 20_pct,
                                             .with = [&](std::string_view) -> std::string {
                                                 failing.fail();
                                                 return {};
                                             }},
                                   unreachable_layer{failing, false}}},
                 options);
            auto const hooked = run_options{
                .observer = told{&log}, .redact = known_secrets{}, .before_drop = [&](auto const&) { failing.fail(); }};
            with(pipeline{sliding_window{.when = used >= 20_pct}}, hooked);
            condense::plan_log plans;
            auto messages = rounds_of({letters(900), letters(900, 'y')});
            all += fakes::reduced(
                       messages,
                       pipeline{condense::plan{.over = 200_bytes, .with = unreachable_planner{failing}, .log = plans}},
                       {.window = 1'500_tokens}, options)
                       .text();
            CHECK(plans.latest().problem.find("no plan") == std::string::npos);
            all += plans.latest().problem;
            CAPTURE(all, log, canary.secret);
            CHECK(all.find("[redacted: ") != std::string::npos);
            CHECK(leak_in(all + log) == "");
            CHECK((all + log).find(canary.secret.substr(0, 10)) == std::string::npos);
        }
    }
}

TEST_CASE("redaction: what was replaced is counted, by layer and in statistics, and shown where it is not 0") {
    tape const journal;
    std::string log;
    auto const mix = pipeline{record{.to = journal}};
    auto messages = secret_conversation();
    auto history = messages;
    auto const report = fakes::reduced(history, mix, {.window = 900'000_tokens}, options_of(log));
    std::size_t expected = 2;
    for (std::size_t number = 1; number <= planted().size(); ++number)
        expected += number % 4 == 3 && planted()[number - 1].text == planted()[number - 1].secret ? 3u : 1u;
    CHECK(report.redactions() == expected);
    CHECK(report.layers[0].redactions == expected);
    CHECK(report.text().find("  " + std::to_string(expected) + " redacted") != std::string::npos);
    CHECK(report.json().find("\"redactions\":" + std::to_string(expected)) != std::string::npos);
    // A second run appends nothing.
    CHECK(fakes::reduced(history, mix, {.window = 900'000_tokens}, options_of(log)).redactions() == 0);

    auto session = holding(mix, messages, {.window = 900'000_tokens},
                           run_options{.conversation = "session", .redact = known_secrets{}});
    CHECK(session.statistics().redactions() == expected);
    session.push(U(planted()[0].text));
    CHECK(session.statistics().redactions() == expected + 1);

    // What was given away stays counted in a run that is taken back because its result cannot be noted.
    auto const lossy = pipeline{record{.to = journal}, sliding_window{.when = used >= 10_pct}};
    journal.fail_at(tapes::verb::append, messages.size() + 1);
    auto other = messages;
    auto const taken_back = fakes::reduced(other, lossy, {.window = 9'000_tokens},
                                           run_options{.conversation = "b", .redact = known_secrets{}});
    CHECK_FALSE(taken_back.changed());
    CHECK(taken_back.layers[0].failures == 1);
    CHECK(taken_back.redactions() == expected);

    auto plain = condense::reduce(messages, mix, {.window = 900'000_tokens}, per_byte{}, {.conversation = "plain"});
    CHECK(plain.redactions() == 0);
    CHECK(plain.text().find("redacted") == std::string::npos);
    CHECK(plain.json().find("redactions") == std::string::npos);
    CHECK(leak_in(text_of(journal)) != "");  // nobody asked for it
}

TEST_CASE("redaction: reduce again and again: every message is recorded once, under the name of what is stored",
          "[law-6]") {
    bool const in_place = GENERATE(true, false);
    bool const marks = GENERATE(true, false);
    std::string log;
    tape const plain_journal, journal;
    shelf const store;
    auto const mix_to = [&](tape const& to, shelf const& into) {
        return pipeline{record{.to = to},
                        offload{.over = 500_chars, .preview = head_tail{150_chars, 150_chars}, .into = into},
                        compress{.when = used >= 60_pct, .over = 50_chars, .with = head_tail{20_chars, 20_chars}},
                        summarize{.when = used >= 70_pct}, sliding_window{.when = used >= 80_pct}};
    };
    run_options<> plain_options;
    plain_options.marks = marks;
    auto options = run_options{.marks = marks, .redact = known_secrets{}};
    auto const messages = secret_conversation();
    conversation plain_history, history, pushed;
    std::size_t shorter = 0;
    for (std::size_t index = 0; index < messages.size(); ++index) {
        for (auto* const all : {&plain_history, &history, &pushed}) all->push_back(messages[index]);
        if (index % 3 != 0 && index + 1 != messages.size()) continue;
        auto request = history;
        auto plain_request = plain_history;
        static_cast<void>(fakes::reduced(request, mix_to(journal, store), {.window = 6'000_tokens}, options));
        static_cast<void>(
            fakes::reduced(plain_request, mix_to(plain_journal, shelf{}), {.window = 6'000_tokens}, plain_options));
        CHECK(request.size() == plain_request.size());
        shorter += request.size() < history.size() ? 1u : 0u;
        if (in_place) history = request, plain_history = plain_request;
        REQUIRE(journal.numbers() == tapes::counting(pushed.size()));
        CHECK(plain_journal.numbers() == tapes::counting(pushed.size()));
        CHECK(journal.made() == plain_journal.made());
    }
    CHECK(shorter > 3);
    CHECK((plain_journal.messages() == tapes::bytes_of(pushed)));
    std::vector<std::string> expected;
    for (auto content : tapes::bytes_of(pushed)) {
        condense::detail::rewrite_texts(content, known_secrets{});
        expected.push_back(content);
    }
    CHECK((journal.messages() == expected));
    CHECK(leak_in(text_of(journal) + store.text()) == "");
}

TEST_CASE("redaction: a session that goes on from a saved state goes on with its journal", "[law-7]") {
    std::string log;
    tape const journal;
    auto const mix = pipeline{record{.to = journal}, sliding_window{.when = used >= 80_pct}};
    auto const messages = secret_conversation();
    auto const fresh = [&] { return opened(mix, {.window = 6'000_tokens}, options_of(log)); };
    std::size_t const half = messages.size() / 2;
    auto first = fresh();
    for (std::size_t index = 0; index < half; ++index) first.push(messages[index]), static_cast<void>(first.prepare());
    auto taken = first.state();
    REQUIRE(taken);
    // Two messages more, which the journal knows and the state does not.
    first.push(messages[half]), first.push(messages[half + 1]);
    auto second = fresh();
    auto const redactions = taken.state.statistics[0].redactions;
    REQUIRE_FALSE(second.adopt(std::move(taken.state)));
    CHECK(second.statistics().redactions() == redactions);
    for (std::size_t index = half; index < messages.size(); ++index)
        second.push(messages[index]), static_cast<void>(second.prepare());
    CHECK(journal.numbers("secret") == tapes::counting(messages.size()));
    CHECK(leak_in(text_of(journal)) == "");
    CHECK((second.history() == messages));
    // The same in a new session that is given the history.
    auto third = holding(mix, messages, {.window = 6'000_tokens}, options_of(log));
    CHECK(journal.numbers("secret") == tapes::counting(messages.size()));
}

TEST_CASE("redaction: JSON messages stay readable, whatever their texts are") {
    using json = nlohmann::ordered_json;
    tape const journal;
    std::string log;
    std::vector<json> history;
    for (auto const& canary : planted()) {
        history.push_back({{"role", "user"}, {"content", canary.text}, {"extra", {{"note", canary.text}}}});
        history.push_back({{"role", "assistant"}, {"content", "\xFF" + canary.text}});  // no UTF-8: stored as CBOR
    }
    static_cast<void>(
        fakes::reduced(history, pipeline{record{.to = journal}}, {.window = 900'000_tokens}, options_of(log)));
    auto const lines = journal.messages("secret");
    REQUIRE(lines.size() == history.size());
    for (std::size_t index = 0; index < lines.size(); ++index) {
        CHECK(leak_in(lines[index]) == "");
        auto const m = condense::from_bytes<json>(lines[index]);
        REQUIRE(m);
        CHECK((*m)["content"].get<std::string>().find("[redacted: " + planted()[index / 2].label) != std::string::npos);
    }
}

TEST_CASE("redaction: behind any_pipeline") {
    tape const journal;
    shelf const store;
    std::string log, prompts;
    auto const model = [&](std::string_view prompt) {
        prompts += prompt;
        return std::string{"They went on."};
    };
    condense::any_pipeline<chat_message> const mix = pipeline{
        record{.to = journal}, offload{.over = 500_chars, .preview = head_tail{50_chars, 50_chars}, .into = store},
        summarize{.when = used >= 80_pct, .with = model}};
    auto session = opened(mix, {.window = 9'000_tokens}, options_of(log));
    auto const messages = secret_conversation();
    for (auto const& m : messages) session.push(m), static_cast<void>(session.prepare());
    CHECK(journal.messages("secret").size() == messages.size());
    CHECK_FALSE(prompts.empty());
    CHECK(leak_in(text_of(journal) + store.text() + prompts + log) == "");
    CHECK(session.statistics().redactions() > messages.size() / 2);
}

TEST_CASE("redaction: a secret where a prompt cuts a part in two is taken out before") {
    auto const& canary = planted()[3];
    REQUIRE(canary.label == "github token");
    std::string log;
    for (std::size_t before = 0; before < 2'000; before += 25) {
        std::string prompts;
        auto const model = [&](std::string_view prompt) {
            prompts += prompt;
            return std::string{"They went on."};
        };
        conversation history{U("task"),
                             A(letters(before, 'b') + " " + canary.text + " " + letters(2'000 - before, 'c')),
                             U("go on"), A("ok")};
        static_cast<void>(fakes::reduced(
            history, pipeline{summarize{.when = used >= 50_pct, .protect = task, .reads = 600_tokens, .with = model}},
            {.window = 3'000_tokens}, options_of(log)));
        REQUIRE(prompts.find(" characters left out] ") != std::string::npos);
        CHECK(prompts.find("ghp_") == std::string::npos);
        CHECK(prompts.find(canary.secret.substr(20)) == std::string::npos);
    }
}
