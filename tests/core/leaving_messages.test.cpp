// SPDX-License-Identifier: BSL-1.0
#include <condense/core/leaving_messages.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <list>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/core/any_pipeline.hpp>

#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::used;

using leaving_of_chat = condense::leaving_messages<chat_message>;
static_assert(std::forward_iterator<leaving_of_chat::iterator>);
static_assert(std::ranges::forward_range<leaving_of_chat const>);
static_assert(std::is_empty_v<condense::no_before_drop> &&
              std::is_same_v<decltype(condense::run_options{}.before_drop), condense::no_before_drop>);

/// What one or more calls of a hook were given.
struct seen {
    std::size_t calls = 0;
    std::vector<int> names;
    std::vector<std::uint64_t> numbers;
    std::vector<std::string> texts;
};

/// A hook that notes what it is given.
auto noting(seen& all) {
    return [&all](auto const& leaving) {
        ++all.calls;
        for (std::size_t index = 0; index < leaving.size(); ++index)
            all.numbers.push_back(leaving.number(index).number);
        for (chat_message const& m : leaving) {
            all.names.push_back(index_of(m));
            all.texts.push_back(words(m));
        }
    };
}
template <class Hook>
auto options_with(Hook hook) {
    return condense::run_options{.before_drop = hook};
}

constexpr condense::budget roomy{.window = {1'000'000}};

/// Drops the oldest groups until so many messages are left.
auto window_of(condense::messages most) {
    return condense::pipeline{
        condense::sliding_window{.when = used > most, .until = used <= most, .protect = condense::nothing}};
}

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
    return condense::reduce(messages, window_of(4_messages), roomy, per_byte{},
                            options_with([&](auto const&) { return fail(); }));
}

}  // namespace

TEST_CASE("before_drop: a hook sees whole groups that leave, in order, as they were first pushed, once") {
    seen all;
    conversation messages = numbered({S(), U("q0"), CC("1", "2"), R("1", "one"), R("2", "two"), A("answer"), U("q1"),
                                      A("again"), U("q2"), A("last")});
    condense::pipeline const mix{
        abbreviate{},
        condense::sliding_window{.when = used > 5_messages, .until = used <= 4_messages, .protect = condense::nothing}};
    auto const report = condense::reduce(messages, mix, roomy, per_byte{}, options_with(noting(all)));
    CHECK(indices(messages) == std::vector<int>{0, 8, 9});
    CHECK(all.calls == 1u);
    CHECK(all.names == std::vector<int>{1, 2, 3, 4, 5, 6, 7});
    CHECK(all.numbers == std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7});
    CHECK(all.texts[4] == "answer");
    CHECK(all.texts[6] == "again");
    CHECK(report.before_drop.messages == 7_messages);
    CHECK(report.before_drop.failure.empty());
}

TEST_CASE("before_drop: no call where nothing leaves, in a dry run, or for parts that are shortened") {
    seen all;
    auto const options = options_with(noting(all));
    auto messages = turns(8);
    static_cast<void>(condense::reduce(messages, window_of(8_messages), roomy, per_byte{}, options));
    static_cast<void>(condense::reduce(messages, condense::pipeline{abbreviate{}}, roomy, per_byte{}, options));
    auto const dry = condense::dry_run(messages, window_of(4_messages), roomy, per_byte{}, options);
    CHECK(dry.report().changed());
    CHECK(dry.report().before_drop.messages == 0_messages);
    static_cast<void>(condense::reduce(messages, window_of(4_messages), {.window = 1_tokens, .output = 2_tokens},
                                       per_byte{}, options));
    CHECK(all.calls == 0u);
}

TEST_CASE("before_drop: every form of reduce gives the same messages") {
    auto const expected = std::vector<int>{0, 1, 2, 3};
    auto const mix = window_of(4_messages);
    auto const names_in = [&](auto&& run) {
        seen all;
        run(options_with(noting(all)));
        CHECK(all.calls == 1u);
        return all.names;
    };
    CHECK(names_in([&](auto const& options) {
              auto messages = turns(8);
              static_cast<void>(condense::reduce(messages, mix, roomy, per_byte{}, options));
          }) == expected);
    CHECK(names_in([&](auto const& options) {
              auto const messages = turns(8);
              static_cast<void>(condense::reduce(messages, mix, roomy, per_byte{}, options));
          }) == expected);
    CHECK(names_in([&](auto const& options) {
              auto const all = turns(8);
              std::list<chat_message> messages{all.begin(), all.end()};
              static_cast<void>(condense::reduce(messages, mix, roomy, per_byte{}, options));
          }) == expected);
    CHECK(names_in([&](auto const& options) {
              auto messages = turns(8);
              auto const sink = [](auto const&) {};
              static_cast<void>(condense::reduce_into(sink, messages, mix, roomy, per_byte{}, options));
          }) == expected);
    CHECK(names_in([&](auto const& options) {
              auto messages = turns(8);
              condense::any_pipeline<chat_message> const hidden = mix;
              static_cast<void>(condense::reduce(messages, hidden, roomy, per_byte{}, options));
          }) == expected);
    // A history that gives its messages by value.
    CHECK(names_in([&](auto const& options) {
              auto const all = turns(8);
              auto messages = all | std::views::transform([](chat_message const& m) { return m; });
              static_cast<void>(condense::reduce(messages, mix, roomy, per_byte{}, options));
          }) == expected);
}

TEST_CASE("before_drop: a pipeline whose type is hidden costs nothing without a hook, and has its failures") {
    condense::any_pipeline<chat_message> const hidden = window_of(4_messages);
    auto messages = turns(8);
    auto const report = condense::reduce(messages, hidden, roomy, per_byte{},
                                         options_with([](auto const&) { return condense::failed{"full"}; }));
    CHECK(std::string_view{report.before_drop.failure} == "full");
    CHECK(indices(messages) == std::vector<int>{4, 5, 6, 7});
    messages = turns(8);
    CHECK(condense::reduce(messages, hidden, roomy, per_byte{}).before_drop.messages == 0_messages);
}

TEST_CASE("before_drop: summaries of this run and of earlier ones are not given") {
    seen all;
    condense::pipeline const mix{condense::summarize{.when = condense::always,
                                                     .protect = condense::last(2_messages),
                                                     .with = [](std::string_view) { return "in short"; }}};
    auto messages = turns(6);
    auto const run = [&] {
        static_cast<void>(condense::reduce(messages, mix, roomy, per_byte{},
                                           condense::run_options{.marks = true, .before_drop = noting(all)}));
    };
    run();
    CHECK(all.names == std::vector<int>{0, 1, 2, 3});
    messages += conversation{turn(6), turn(7), turn(8)};
    run();
    CHECK(all.calls == 2u);
    CHECK(all.names == std::vector<int>{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("before_drop: the order is that of the conversation, and what a run has put back is not given") {
    seen all;
    auto messages = turns(6);  // the third message comes back, as the one behind it cannot be the first
    static_cast<void>(
        condense::reduce(messages, condense::pipeline{drop_three{}}, roomy, per_byte{}, options_with(noting(all))));
    CHECK(indices(messages) == std::vector<int>{2, 3, 4, 5});
    CHECK(all.names == std::vector<int>{0, 1});
}

TEST_CASE("before_drop: its failure is reported and changes nothing else") {
    auto expected = turns(8);
    static_cast<void>(condense::reduce(expected, window_of(4_messages), roomy, per_byte{}));
    auto const failure_of = [&](auto const& fail) {
        auto messages = turns(8);
        auto const report = report_of_failing(fail, messages);
        CHECK(messages == expected);
        CHECK(report.outcome == condense::outcome::fits);
        CHECK(report.before_drop.messages == 4_messages);
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
    CHECK(report.text().find("before_drop failed: full \"x\"\n") != std::string::npos);
    CHECK(report.json().find("\"before_drop\":\"full \\\"x\\\"\"") != std::string::npos);
}

TEST_CASE("before_drop: an observer of a single run is told of a failure after the change") {
    std::vector<std::string> lines;
    auto messages = turns(8);
    auto const observer = [&](condense::events::before_drop_failed const& event) {
        lines.push_back(event.text() + "|" + std::string{std::string_view{event.reason}});
        CHECK(messages.size() == 4u);
    };
    bool fails = false;
    auto const hook = [&](auto const&) { return condense::failed{fails ? "full" : ""}; };
    auto const options = condense::run_options{.observer = observer, .before_drop = hook};
    static_cast<void>(condense::reduce(messages, window_of(4_messages), roomy, per_byte{}, options));
    CHECK(lines.empty());
    fails = true;
    messages = turns(9);
    messages.pop_back();
    static_cast<void>(condense::reduce(messages, window_of(4_messages), roomy, per_byte{}, options));
    CHECK(lines == std::vector<std::string>{"before_drop failed: 4 messages left without it|full"});
}

TEST_CASE("before_drop: a cancellation reaches the caller and nothing has left") {
    auto const before = turns(8);
    auto messages = before;
    CHECK_THROWS_AS(report_of_failing([] { throw condense::cancelled{}; }, messages), condense::cancelled);
    CHECK(messages == before);
    auto const nested = [] {
        try {
            throw condense::cancelled{};
        } catch (...) { std::throw_with_nested(std::runtime_error{"outer"}); }
    };
    CHECK_THROWS_AS(report_of_failing(nested, messages), std::runtime_error);
    CHECK(messages == before);
}

TEST_CASE("before_drop: after a request to stop the run is rolled back, whatever the hook returns") {
    struct stop_flag {
        bool const* requested;
        bool stop_requested() const { return *requested; }
    };
    auto const before = turns(8);
    auto messages = before;
    bool requested = false;
    auto const hook = [&](auto const& leaving) {
        CHECK_FALSE(leaving.stop_requested());
        requested = true;
        CHECK(leaving.stop_requested());
        return condense::failed{"interrupted"};
    };
    auto const report = condense::reduce(messages, window_of(4_messages), roomy, per_byte{},
                                         condense::run_options{.stop = stop_flag{&requested}, .before_drop = hook});
    CHECK(messages == before);
    CHECK_FALSE(report.changed());
    CHECK(std::string_view{report.layers[0].note} == "stopped");
    requested = false;
    auto const throwing = [&](auto const&) {
        requested = true;
        throw std::runtime_error{"interrupted"};
    };
    CHECK_THROWS_AS(condense::reduce(messages, window_of(4_messages), roomy, per_byte{},
                                     condense::run_options{.stop = stop_flag{&requested}, .before_drop = throwing}),
                    std::runtime_error);
    CHECK(messages == before);
}

TEST_CASE("before_drop: what it gives away is redacted and counted, and so is its failure") {
    auto const no_keys = [](std::string& text) {
        std::size_t count = 0;
        for (auto place = text.find("KEY"); place != text.npos; place = text.find("KEY")) {
            text.replace(place, 3, "***");
            ++count;
        }
        return count;
    };
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
        condense::reduce(messages, window_of(4_messages), roomy, per_byte{},
                         condense::run_options{.conversation = "c1", .redact = no_keys, .before_drop = hook});
    CHECK(text == "*** and ***");
    CHECK(report.before_drop.redactions == 2u);
    CHECK(report.redactions() == 2u);
    CHECK(std::string_view{report.before_drop.failure} == "no *** fits");
}
