// SPDX-License-Identifier: BSL-1.0
#include <condense/core/render.hpp>

#include <algorithm>
#include <functional>
#include <type_traits>

#include <condense/condense.hpp>
#include <condense/shorten/old_reasoning.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::truncation, condense::used;

conversation with_results(std::size_t size) {
    return {U("task"),
            C("1", "read"),
            R("1", letters(size, 'a')),
            C("2", "read"),
            R("2", "\xc3\xa4" + letters(size, 'b')),
            A("done"),
            U("go on"),
            A("well")};
}

constexpr condense::budget room{.window = 100'000_tokens};
constexpr condense::head_tail short_ends{40_chars, 40_chars};
constexpr condense::head_tail long_ends{200_chars, 200_chars};
condense::compress const short_cut{.when = condense::always, .over = 300_chars, .with = short_ends};

/// What the request holds of a part, in characters.
template <class Session>
std::uint64_t characters_of(Session const& session, truncation const& told) {
    return condense::detail::utf8::count(
        sent(session)[condense::detail::as_size(told.message.number)].parts[told.part].text);
}

template <class Mix>
std::vector<truncation> trail_of(conversation const& messages, Mix const& mix) {
    auto const reduced = condense::dry_run(messages, mix, room, per_byte{});
    std::vector<truncation> all;
    reduced.each_truncation([&](truncation const& each) { all.push_back(each); });
    return all;
}

auto into(std::vector<truncation>& all) {
    return [&all](condense::events::truncated const& each) { all.push_back(each); };
}
template <class Observer>
auto heard_by(Observer observer) {
    return condense::run_options{.observer = std::move(observer)};
}

TEST_CASE("render: each says what was cut, by whom, and how much is left") {
    auto const messages = with_results(1'000);
    auto const reduced = condense::dry_run(messages, condense::pipeline{short_cut}, room, per_byte{});
    std::vector<truncation> trail;
    reduced.each_truncation([&](truncation const& each) { trail.push_back(each); });
    REQUIRE(trail.size() == 2);
    CHECK(trail.size() == reduced.report().layers[0].parts_shortened);
    conversation sent;
    reduced.each([&](chat_message const& m) { sent.push_back(m); });
    for (std::size_t at = 0; at < 2; ++at) {
        auto const& told = trail[at];
        CAPTURE(told.text());
        CHECK((told.message.number == 2 + 2 * at && told.part == 0 && told.kind == part_kind::tool_result));
        CHECK((told.layer == "compress" && told.before.count == 1'000 + at && !told.stored));
        CHECK(told.after.count == condense::detail::utf8::count(sent[2 + 2 * at].parts[0].text));
    }
    CHECK(trail[0].text() == "truncated: message 2, part 0 (tool result) by compress: 1,000 -> " +
                                 std::to_string(trail[0].after.count) +
                                 " characters, the original is in the history alone");
}

TEST_CASE("render: names the store or the journal that has the original") {
    condense::memory_store const store;
    auto const offloaded =
        trail_of(with_results(1'000),
                 condense::pipeline{condense::offload{.over = 300_chars, .preview = short_ends, .into = store}});
    REQUIRE(offloaded.size() == 2);
    CHECK(offloaded[0].stored == store.name(letters(1'000, 'a')));
    CHECK(offloaded[0].text().ends_with("the original is stored as " + offloaded[0].stored.text()));

    std::vector<truncation> told;
    auto messages = with_results(1'000);
    auto const report =
        condense::reduce(messages, condense::pipeline{condense::record{.to = condense::memory_journal{}}, short_cut},
                         room, per_byte{}, heard_by(into(told)));
    CHECK(report.changed());
    REQUIRE(told.size() == 2);
    CHECK((told[1].before.count == 1'001 && told[1].text().ends_with("the original is in the journal")));
}

TEST_CASE("render: a part that two layers cut has an entry for each") {
    condense::memory_store const store;
    auto const trail = trail_of(
        with_results(1'000),
        condense::pipeline{condense::offload{.over = 800_chars, .preview = long_ends, .into = store},
                           condense::compress{.when = used >= 1_tokens, .over = 300_chars, .with = short_ends}});
    REQUIRE(trail.size() == 4);
    CHECK((trail[0].layer == "offload" && trail[2].layer == "compress" && trail[2].message == trail[0].message));
    CHECK((trail[2].before == trail[0].after && trail[2].after < trail[2].before));
    CHECK(trail[2].stored == trail[0].stored);
}

TEST_CASE("render: what is not sent any more is not told") {
    auto messages = with_results(1'000);
    auto const trail = trail_of(
        messages, condense::pipeline{short_cut, condense::sliding_window{.when = used >= 4_messages,
                                                                         .protect = condense::last(2_messages)}});
    CHECK(trail.empty());
    CHECK(trail_of(with_results(100), condense::pipeline{short_cut}).empty());
}

TEST_CASE("render: a part that was taken out has nothing left") {
    auto messages = with_results(10);
    for (std::size_t const size : {400u, 500u})
        messages.insert(messages.begin() + 1, thinking(A("I shall read"), letters(size, 'r'), false));
    auto const trail =
        trail_of(messages, condense::pipeline{condense::compress{
                               .when = condense::always,
                               .over = 1_chars,
                               .with = condense::old_reasoning{.wanted = condense::reasoning_wanted::open_round}}});
    REQUIRE(trail.size() == 1);
    CHECK((trail[0].kind == part_kind::reasoning && trail[0].layer == "compress"));
    CHECK((trail[0].before == 500_chars && trail[0].after == 0_chars));
}

TEST_CASE("render: a session tells of arrivals and runs, before it says that it has reduced") {
    std::vector<std::string> lines;
    auto const log = heard_by([&lines](auto const& event) {
        if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(event)>, condense::events::arrived>)
            lines.push_back(event.text());
    });
    condense::session session{
        conversation{},
        condense::pipeline{
            condense::offload{.over = 2'000_chars, .preview = long_ends, .into = condense::memory_store{}},
            condense::compress{.when = used >= 20_pct, .over = 300_chars, .with = short_ends}},
        {.window = 10'000_tokens},
        per_byte{},
        log};
    push(session, with_results(2'500));
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].starts_with("truncated: message 2, part 0 (tool result) by offload: 2,500 -> "));
    push(session, with_results(1'500));
    REQUIRE(lines.size() == 2);
    auto const made = session.prepare();
    REQUIRE(made.changed());
    REQUIRE(lines.size() == 4 + made.layers[1].parts_shortened);
    CHECK(lines[2].starts_with("due: "));
    for (std::size_t at = 3; at + 1 < lines.size(); ++at) CHECK(lines[at].find(" by compress: ") != std::string::npos);
    CHECK(lines.back().starts_with("reduced: "));
    auto const before = lines.size();
    static_cast<void>(session.prepare());
    CHECK(lines.size() == before);
}

TEST_CASE("render: what a session tells is what it sends") {
    std::vector<truncation> told;
    condense::session session{
        conversation{}, condense::pipeline{short_cut}, {.window = 10'000_tokens}, per_byte{}, heard_by(into(told))};
    push(session, with_results(1'000));
    REQUIRE(told.size() == 2);
    for (auto const& each : told) CHECK(characters_of(session, each) == each.after.count);
}

TEST_CASE("render: an observer that pushes when it is told is told of that, too") {
    std::vector<truncation> told;
    std::function<void()> push_more;
    auto const observer = [&](condense::events::truncated const& each) {
        told.push_back(each);
        if (told.size() == 1) push_more();
    };
    condense::session session{
        conversation{}, condense::pipeline{short_cut}, {.window = 10'000_tokens}, per_byte{}, heard_by(observer)};
    push_more = [&] { push(session, {C("9", "read"), R("9", letters(700, 'c'))}); };
    push(session, with_results(1'000));
    REQUIRE(told.size() == 3);
    for (auto const size : {1'000u, 1'001u, 700u})
        CHECK(std::count_if(told.begin(), told.end(), [&](auto const& each) { return each.before.count == size; }) ==
              1);
}

/// Shows what would be sent to the sink, and edits nothing.
struct look {
    std::vector<std::string>* seen;
    std::vector<void const*>* addresses;
    static constexpr condense::effect effects = condense::no_effects;
    void reduce(auto& draft, auto&) const {
        seen->clear();
        addresses->clear();
        auto const request = condense::detail::rendered_request(draft);
        for (auto const& message : request) {
            seen->push_back(text_of(message));
            addresses->push_back(&message);
        }
    }
};

TEST_CASE("rendered_request: are the originals, the edited and the summary, as they would be sent") {
    std::vector<std::string> seen;
    std::vector<void const*> addresses;
    conversation messages{
        S("rules"), U("the task"),          A(letters(3'000)), C("1"),     R("1", letters(2'000)), A("done"), U("next"),
        C("2"),     R("2", letters(1'000)), A("yes"),          U("latest")};
    condense::pipeline const mix{
        condense::summarize{.when = condense::always, .until = used <= 70_pct, .protect = condense::last(6_messages)},
        condense::compress{.when = condense::always,
                           .protect = condense::nothing,
                           .over = 300_chars,
                           .with = condense::head{.keep = 100_chars}},
        look{&seen, &addresses}};
    condense::session session{messages, mix, condense::budget{.window = 3'600_tokens}, per_byte{}};
    auto const report = session.run();
    INFO(report.text());
    std::vector<std::string> sent;
    for (auto const& message : session.request()) sent.push_back(text_of(message));
    CHECK(seen == sent);
    REQUIRE(seen.size() > 4);
    auto const count = [&](auto const& wanted) { return std::count_if(seen.begin(), seen.end(), wanted); };
    CHECK(count([](auto const& text) { return text.starts_with("Summary of the earlier conversation"); }) == 1);
    CHECK(count([](auto const& text) { return text.starts_with(letters(100)) && text.size() < 200; }) == 2);
    // What has no edits is not copied.
    CHECK((addresses[0] == &session.history()[0] && addresses.back() == &session.history().back()));
}

}  // namespace
