// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/arrival_memory.hpp>

#include "core/sessions.hpp"
#include "layer/shared.hpp"

// What layers with `.when = always` do in a session about messages that they were not free to edit on arrival.

namespace {

using namespace layers;

constexpr budget limits{.window = 100'000_tokens};

template <class Mix>
auto session_with(Mix const& mix) {
    return sessions::session_of<Mix>{{}, mix, limits};
}
template <class Session>
void round(Session& session, int number) {
    auto const id = std::to_string(number);
    push(session, {C(id, "read"), R(id, id + letters(20'000)), A("ok")});
}
template <class Session>
std::size_t large_results(Session const& session) {
    std::size_t found = 0;
    for (auto const& m : sent(session)) found += m.parts[0].text.size() > 10'000 ? 1u : 0u;
    return found;
}

}  // namespace

TEST_CASE("arrival_memory: without a journal a result is shortened once its round is over") {
    auto session = session_with(pipeline{compress{.when = always}});
    push(session, {U("go"), C("1", "read"), R("1", letters(20'000))});
    CHECK(large_results(session) == 1);  // the round is open
    session.push(A("ok"));
    CHECK(large_results(session) == 0);
}

TEST_CASE("arrival_memory: what a tail protects is shortened or stored when it is behind the tail no more") {
    condense::memory_journal const journal;
    condense::memory_store const store;
    auto const check = [](auto session) {
        session.push(U("go"));
        for (int number = 0; number < 8; ++number) round(session, number);
        CHECK(large_results(session) == 1);
        CHECK(session.used().fits());
        CHECK(session.draft().after == session.used());
        CHECK_FALSE(session.due());
    };
    check(session_with(pipeline{record{.to = journal}, compress{.when = always, .protect = task | last(4_messages)}}));
    check(session_with(pipeline{record{.to = journal}, offload{.protect = last(4_messages), .into = store}}));
}

TEST_CASE("arrival_memory: a large message of the user's is left until another is the latest") {
    condense::memory_store const store;
    auto session = session_with(pipeline{offload{.into = store}});
    push(session, {U("go"), C("1", "read"), joined(U("look"), R("1", letters(20'000))), A("ok")});
    auto const used = session.used().tokens;
    session.push(U("more"));
    CHECK(session.used().tokens < used);
}

TEST_CASE("arrival_memory: an edit that was undone is not made again") {
    auto session = session_with(pipeline{compress{.when = always, .protect = last(2_messages)}});
    session.push(U("go"));
    round(session, 0);
    session.push(U("go on"));
    REQUIRE(large_results(session) == 0);
    REQUIRE(session.undo());
    session.push(A("ok"));
    CHECK(large_results(session) == 1);
}

TEST_CASE("arrival_memory: a saved session goes on with what it had deferred") {
    auto const mix = pipeline{compress{.when = always, .protect = last(4_messages)}};
    auto first = session_with(mix);
    first.push(U("go"));
    round(first, 0);
    auto taken = first.state();
    REQUIRE(taken);
    auto second = session_with(mix);
    REQUIRE_FALSE(second.adopt(taken.state));
    CHECK(large_results(second) == 1);
    round(second, 1);
    CHECK(large_results(second) == 1);
}

TEST_CASE("arrival_memory: where the request does not fit, a layer that always acts is due") {
    auto session = session_with(pipeline{compress{.when = always}});
    session.push(U("go"));
    CHECK_FALSE(session.due());
    session.push(U(letters(150'000, 'u')));
    CHECK(session.due());
}

TEST_CASE("arrival_memory: a memory is read as it was written, or not at all") {
    condense::detail::deferred_messages kept;
    for (std::string_view const good : {"", "1:9,", "1:9,1:3,1:8,"}) CHECK(kept.load(good, 9));
    CHECK(kept.save() == "1:9,1:3,1:8,");
    for (std::string_view const bad : {"x", "2:10,", "1:9,1:9,", "1:9,1:3,1:3,", "1:9,1:8,1:3,", "1:9,1:-,"})
        CHECK_FALSE(kept.load(bad, 9));
    CHECK(kept.save() == "1:9,1:3,1:8,");
    kept.rewind(8);
    CHECK(kept.save() == "1:8,1:3,");
}
