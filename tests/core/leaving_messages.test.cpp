// SPDX-License-Identifier: BSL-1.0
#include <condense/core/leaving_messages.hpp>

#include <iterator>
#include <list>
#include <ranges>

#include <condense/core/any_pipeline.hpp>

#include "support/catch.hpp"
#include "support/mixes.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::used, fakes::roomy;
using numbers = std::vector<std::uint64_t>;
using names = std::vector<int>;
using runs = std::vector<names>;

using leaving_of_chat = condense::leaving_messages<chat_message>;
static_assert(std::forward_iterator<leaving_of_chat::iterator>);
static_assert(std::ranges::forward_range<leaving_of_chat const>);
static_assert(std::is_empty_v<condense::no_before_drop> &&
              std::is_same_v<decltype(condense::run_options{}.before_drop), condense::no_before_drop>);

template <class Hook>
auto options_with(Hook hook) {
    return condense::run_options{.before_drop = hook};
}

/// Drops the oldest groups until four messages are left.
auto const four_left = condense::pipeline{mixes::window_of(4_messages)};

/// Shortens every text of an assistant to one letter.
struct abbreviate {
    static constexpr auto effects = condense::shortens;
    void reduce(auto& draft, auto& pass) const {
        for (auto const which : draft.groups())
            draft.each_part_of(which, [&](condense::part_ref part) {
                if (draft.outline().message_at(part.message_index).speaker == condense::role::assistant)
                    pass.note(draft.shorten(part, "s"));
            });
    }
};

/// Drops the first three groups, the newest of them first.
struct drop_three {
    static constexpr auto effects = condense::drops;
    void reduce(auto& draft, auto& pass) const {
        for (unsigned index = 3; index-- > 0;) pass.note(draft.drop(condense::group{index}));
    }
};

/// A hook that fails, in each way in which it may.
template <class Failure>
auto report_of_failing(Failure const& fail, conversation& messages) {
    return fakes::reduced(messages, four_left, roomy, options_with([&](auto const&) { return fail(); }));
}

TEST_CASE("before_drop: a hook sees whole groups that leave, in order, as they were first pushed, once") {
    fakes::hook const all;
    conversation messages = numbered({S(), U("q0"), CC("1", "2"), R("1", "one"), R("2", "two"), A("answer"), U("q1"),
                                      A("again"), U("q2"), A("last")});
    condense::pipeline const mix{
        abbreviate{},
        condense::sliding_window{.when = used > 5_messages, .until = used <= 4_messages, .protect = condense::nothing}};
    auto const report = fakes::reduced(messages, mix, roomy, options_with(all));
    CHECK(indices(messages) == names{0, 8, 9});
    CHECK((all.held->runs == runs{{1, 2, 3, 4, 5, 6, 7}} && all.held->numbers == numbers{1, 2, 3, 4, 5, 6, 7}));
    CHECK((all.held->texts[4] == "answer" && all.held->texts[6] == "again"));
    CHECK((report.before_drop.messages == 7_messages && report.before_drop.failure.empty()));
}

TEST_CASE("before_drop: no call where nothing leaves, in a dry run, or for parts that are shortened") {
    fakes::hook const all;
    auto const options = options_with(all);
    auto messages = turns(8);
    static_cast<void>(fakes::reduced(messages, condense::pipeline{mixes::window_of(8_messages)}, roomy, options));
    static_cast<void>(fakes::reduced(messages, condense::pipeline{abbreviate{}}, roomy, options));
    auto const dry = condense::dry_run(messages, four_left, roomy, per_byte{}, options);
    CHECK((dry.report().changed() && dry.report().before_drop.messages == 0_messages));
    static_cast<void>(fakes::reduced(messages, four_left, {.window = 1_tokens, .output = 2_tokens}, options));
    CHECK(all.held->runs.empty());
}

TEST_CASE("before_drop: every form of reduce gives the same messages") {
    auto const all = turns(8);
    fakes::hook const hook;
    auto const options = options_with(hook);
    auto const run = [&](auto&& messages, auto const& mix) {
        static_cast<void>(condense::reduce(messages, mix, roomy, per_byte{}, options));
    };
    auto messages = all;
    run(messages, four_left);
    run(all, four_left);
    std::list<chat_message> list{all.begin(), all.end()};
    run(list, four_left);
    static_cast<void>(condense::reduce_into([](auto const&) {}, messages = all, four_left, roomy, per_byte{}, options));
    condense::any_pipeline<chat_message> const hidden = four_left;
    run(messages = all, hidden);
    // A history that gives its messages by value.
    run(all | std::views::transform([](chat_message const& m) { return m; }), four_left);
    CHECK(hook.held->runs == runs(6, names{0, 1, 2, 3}));
}

TEST_CASE("before_drop: a pipeline whose type is hidden costs nothing without a hook, and has its failures") {
    condense::any_pipeline<chat_message> const hidden = four_left;
    auto messages = turns(8);
    auto const report =
        fakes::reduced(messages, hidden, roomy, options_with([](auto const&) { return condense::failed{"full"}; }));
    CHECK(std::string_view{report.before_drop.failure} == "full");
    CHECK(indices(messages) == names{4, 5, 6, 7});
    messages = turns(8);
    CHECK(fakes::reduced(messages, hidden).before_drop.messages == 0_messages);
}

TEST_CASE("before_drop: summaries of this run and of earlier ones are not given") {
    fakes::hook const all;
    condense::pipeline const mix{condense::summarize{.when = condense::always,
                                                     .protect = condense::last(2_messages),
                                                     .with = [](std::string_view) { return "in short"; }}};
    condense::run_options const options{.marks = true, .before_drop = all};
    auto messages = turns(6);
    static_cast<void>(fakes::reduced(messages, mix, roomy, options));
    messages += conversation{turn(6), turn(7), turn(8)};
    static_cast<void>(fakes::reduced(messages, mix, roomy, options));
    CHECK(all.held->runs == runs{{0, 1, 2, 3}, {4, 5, 6}});
}

TEST_CASE("before_drop: the order is that of the conversation, and no message is given that a run has put back") {
    fakes::hook const all;
    // The third message comes back, as the one behind it cannot be the first.
    auto const left = fakes::after(turns(6), condense::pipeline{drop_three{}}, roomy, options_with(all));
    CHECK(indices(left) == names{2, 3, 4, 5});
    CHECK(all.held->runs == runs{{0, 1}});
}

TEST_CASE("before_drop: its failure is reported and changes nothing else") {
    auto const expected = fakes::after(turns(8), four_left);
    auto const failure_of = [&](auto const& fail) {
        auto messages = turns(8);
        auto const report = report_of_failing(fail, messages);
        CHECK(messages == expected);
        CHECK((report.outcome == condense::outcome::fits && report.before_drop.messages == 4_messages));
        return std::string{std::string_view{report.before_drop.failure}};
    };
    CHECK(failure_of([] { return condense::failed{"the memory is full"}; }) == "the memory is full");
    CHECK(failure_of([] { return condense::store_error{"no space"}; }) == "no space");
    CHECK(failure_of([] { throw std::runtime_error{"out of reach"}; }) == "out of reach");
    CHECK(failure_of([] { throw std::runtime_error{""}; }) == "before_drop threw");
    CHECK(failure_of([] { throw 1; }) == "an exception of unknown type");
    CHECK(failure_of([] { return condense::failed{}; }).empty());
    auto messages = turns(8);
    auto const report = report_of_failing([] { return condense::failed{"full\n\"x\""}; }, messages);
    CHECK(fakes::contains(report.text(), "before_drop failed: full \"x\"\n"));
    CHECK(fakes::contains(report.json(), "\"before_drop\":\"full \\\"x\\\"\""));
}

TEST_CASE("before_drop: an observer of a single run is told of a failure after the change") {
    std::vector<std::string> lines;
    auto messages = turns(8);
    auto const observer = [&](condense::events::before_drop_failed const& event) {
        lines.push_back(event.text() + "|" + std::string{std::string_view{event.reason}});
        CHECK(messages.size() == 4u);
    };
    fakes::hook const hook;
    condense::run_options const options{.observer = observer, .before_drop = hook};
    static_cast<void>(fakes::reduced(messages, four_left, roomy, options));
    CHECK(lines.empty());
    hook.held->act = [] { return "full"; };
    messages = turns(8);
    static_cast<void>(fakes::reduced(messages, four_left, roomy, options));
    CHECK(lines == std::vector<std::string>{"before_drop failed: 4 messages left without it|full"});
}

TEST_CASE("before_drop: a cancellation reaches the caller and nothing has left") {
    auto messages = turns(8);
    CHECK_THROWS_AS(report_of_failing([] { throw condense::cancelled{}; }, messages), condense::cancelled);
    CHECK(messages == turns(8));
    CHECK_THROWS_AS(report_of_failing([] { fakes::throw_nested(condense::cancelled{}); }, messages),
                    std::runtime_error);
    CHECK(messages == turns(8));
}

TEST_CASE("before_drop: after a request to stop the run is rolled back, whatever the hook returns") {
    auto messages = turns(8);
    bool requested = false;
    auto const run = [&](auto const& hook) {
        return fakes::reduced(messages, four_left, roomy,
                              condense::run_options{.stop = fakes::stop_flag{&requested}, .before_drop = hook});
    };
    auto const report = run([&](auto const& leaving) {
        CHECK_FALSE(leaving.stop_requested());
        requested = true;
        CHECK(leaving.stop_requested());
        return condense::failed{"interrupted"};
    });
    CHECK((messages == turns(8) && !report.changed()));
    CHECK(std::string_view{report.layers[0].note} == "stopped");
    requested = false;
    auto const throwing = [&](auto const&) {
        requested = true;
        throw std::runtime_error{"interrupted"};
    };
    CHECK_THROWS_AS(run(throwing), std::runtime_error);
    CHECK(messages == turns(8));
}

TEST_CASE("before_drop: all that it gives away is redacted and counted, and so is its failure") {
    conversation messages = turns(8);
    messages[0] = U("KEY and KEY");
    std::string text;
    auto const hook = [&](auto const& leaving) {
        text = words(leaving[0]);
        leaving.redact(text);
        CHECK(leaving.conversation() == "c1");
        return condense::failed{"no KEY fits"};
    };
    auto const report =
        fakes::reduced(messages, four_left, roomy,
                       condense::run_options{.conversation = "c1", .redact = fakes::no_keys{}, .before_drop = hook});
    CHECK(text == "*** and ***");
    CHECK((report.before_drop.redactions == 2u && report.redactions() == 2u));
    CHECK(std::string_view{report.before_drop.failure} == "no *** fits");
}

}  // namespace
