// SPDX-License-Identifier: BSL-1.0
#include <condense/session/restored_conversation.hpp>

#include "session/short_names.hpp"

namespace {

using namespace short_names;
using condense::state_fault;

/// Remembers what nobody can save.
struct forgetful {
    static constexpr auto effects = condense::drops;
    struct memory {
        int runs = 0;
    };
    void reduce(auto&, auto& pass) const { ++pass.memory.runs; }
};

auto windowed(condense::memory_journal const& journal) {
    return pipeline{record{.to = journal}, summarize{.when = used >= 60_pct, .protect = last(2_messages)},
                    sliding_window{.when = used >= 80_pct}};
}

template <class Mix>
auto fresh(Mix const& mix, run_options<> options = {}) {
    return opened(mix, {.window = 4'000_tokens}, std::move(options));
}

chat_message message(int number) { return U("message " + std::to_string(number) + letters(500, '.')); }

std::size_t lines(condense::memory_journal const& journal) {
    std::size_t count = 0;
    CHECK_FALSE(journal.read("", [&](condense::journal_entry const&, std::string_view) { ++count; }));
    return count;
}

TEST_CASE("a state is refused for another pipeline, another conversation, or a session that has begun") {
    condense::memory_journal const journal;
    auto session = fresh(windowed(journal));
    session.push(message(0));
    auto const kept = session.state();
    REQUIRE(kept);
    CHECK(session.adopt(kept.state).fault == state_fault::not_empty);
    auto other = fresh(pipeline{record{.to = journal}, sliding_window{.when = used >= 80_pct}});
    auto const problem = other.adopt(kept.state);
    CHECK(problem.fault == state_fault::foreign);
    CHECK(std::string_view{problem.reason} ==
          "condense: restore: the pipeline must have the layers of the one that was saved (see session_state)");
    run_options<> options;
    options.conversation = "another";
    CHECK(fresh(windowed(journal), options).adopt(kept.state).fault == state_fault::foreign);
    auto later = kept.state;
    ++later.version;
    CHECK(fresh(windowed(journal)).adopt(later).fault == state_fault::newer);
    CHECK_FALSE(fresh(windowed(journal)).adopt(kept.state));
}

TEST_CASE("who made an edit is known after a restart: it is cut again from the same text") {
    auto const mix =
        pipeline{compress{.when = used >= 10_pct, .over = 300_chars, .with = head_tail{100_chars, 100_chars}}};
    auto session = fresh(mix);
    auto twin = fresh(mix);
    auto const both = [&](auto const& f) { f(session), f(twin); };
    both([](auto& chat) {
        push(chat, {U("task"), C("1", "read"), R("1", letters(9'000, 'r')), A("done"), U("next")});
        static_cast<void>(chat.prepare());
    });
    REQUIRE(session.edits().steps().size() == 1);
    auto restored = fresh(mix);
    REQUIRE_FALSE(restored.adopt(session.state().state));
    CHECK(restored.edits().steps()[0].author == 1);
    provider_error const overflow{.status = 400, .text = "prompt is too long: 20000 tokens > 1000 maximum"};
    static_cast<void>(restored.recover(overflow));
    static_cast<void>(twin.recover(overflow));
    CHECK(sent(restored) == sessions::sent(twin));
}

TEST_CASE("an edit of a layer that is not there is refused") {
    auto const mix =
        pipeline{compress{.when = used >= 10_pct, .over = 300_chars, .with = head_tail{100_chars, 100_chars}}};
    auto session = fresh(mix);
    for (auto& m : conversation{U("task"), C("1", "read"), R("1", letters(900, 'r')), A("done"), U("next")})
        session.push(std::move(m));
    static_cast<void>(session.prepare());
    auto kept = session.state().state;
    REQUIRE_FALSE(kept.edits.empty());
    CHECK_FALSE(fresh(mix).adopt(kept));
    kept.edits.front().author = 2;
    CHECK(fresh(mix).adopt(kept).fault == state_fault::impossible);
}

TEST_CASE("any rounds of a state are harmless") {
    condense::memory_journal const journal;
    auto session = fresh(windowed(journal));
    for (int number = 0; number < 5; ++number) session.push(message(number));
    for (auto const any : {std::uint32_t{33}, std::uint32_t{64}, std::uint32_t{65}, ~std::uint32_t{0}}) {
        auto kept = session.state().state;
        kept.pace.runs_left_due = any;
        kept.pace.ineffective_layers = ~std::uint64_t{0};
        kept.pace.rounds_at_run = ~std::uint64_t{0} - any;
        auto later = fresh(windowed(journal));
        REQUIRE_FALSE(later.adopt(kept));
        for (int number = 5; number < 60; ++number) later.push(message(number));
        CHECK_NOTHROW(static_cast<void>(later.prepare()));
    }
}

TEST_CASE("a layer whose memory can not be saved is named as the reason, and so is a run") {
    auto session = fresh(pipeline{forgetful{}});
    auto const kept = session.state();
    CHECK(kept.error.fault == state_fault::unsavable);
    std::function<void()> act = [] {};
    auto busy = fresh(pipeline{sessions::on_arrival{&act}});
    state_fault inside = state_fault::none;
    act = [&] { inside = busy.state().error.fault; };
    busy.push(message(0));
    CHECK(inside == state_fault::busy);
    CHECK(busy.state());
}

TEST_CASE("a job of before is stale, and none of now has its number") {
    condense::memory_journal const journal;
    auto session = fresh(windowed(journal));
    for (int number = 0; number < 5; ++number) session.push(message(number));
    auto const before = session.begin_summary();
    REQUIRE(before);
    auto later = fresh(windowed(journal));
    REQUIRE_FALSE(later.adopt(session.state().state));
    CHECK(later.commit(before, "so far") == commit_outcome::stale);
    auto const now = later.begin_summary();
    REQUIRE(now);
    CHECK(now.id != before.id);
    CHECK(later.commit(before, "so far") == commit_outcome::stale);
    CHECK(later.commit(now, "so far") == commit_outcome::committed);
}

TEST_CASE("what a journal has taken since the state was saved is not taken twice, and what is new is not lost") {
    for (int const since : {0, 1, 3}) {
        condense::memory_journal const journal;
        auto session = fresh(windowed(journal));
        for (int number = 0; number < 4; ++number) session.push(message(number));
        auto const kept = session.state();
        REQUIRE(kept);
        for (int number = 4; number < 4 + since; ++number) session.push(message(number));
        SECTION("the same comes again, since " + std::to_string(since)) {
            auto later = fresh(windowed(journal));
            REQUIRE_FALSE(later.adopt(kept.state));
            for (int number = 4; number < 9; ++number) later.push(message(number));
            CHECK(lines(journal) == 9);
        }
        SECTION("other messages come, since " + std::to_string(since)) {
            auto later = fresh(windowed(journal));
            REQUIRE_FALSE(later.adopt(kept.state));
            for (int number = 10; number < 15; ++number) later.push(message(number));
            CHECK(lines(journal) == static_cast<std::size_t>(4 + since + 5));
        }
    }
}

TEST_CASE("a program's own container is filled") {
    condense::memory_journal const journal;
    auto session = fresh(windowed(journal));
    for (int number = 0; number < 12; ++number) {
        session.push(message(number));
        static_cast<void>(session.prepare());
    }
    auto const kept = session.state();
    conversation mine;
    condense::session later{std::ref(mine), windowed(journal), condense::budget{.window = 4'000_tokens}, per_byte{}};
    REQUIRE_FALSE(later.adopt(kept.state));
    CHECK(mine == session.history());
    mine.push_back(message(12));
    session.push(message(12));
    CHECK(later.request().size() == session.request().size());
    CHECK(later.used().tokens == session.used().tokens);
    mine.clear();
    condense::session empty{std::ref(mine), windowed(journal), condense::budget{.window = 4'000_tokens}, per_byte{}};
    session.release({12});
    auto const released = session.state();
    REQUIRE(released.state.released.latest != 0);
    CHECK(empty.adopt(released.state).fault == state_fault::foreign);
    CHECK(mine.empty());
}

TEST_CASE("a pin stays when what brought its message back is undone") {
    condense::memory_journal const journal;
    auto session = fresh(pipeline{record{.to = journal}, sliding_window{.when = used >= 80_pct}});
    for (int number = 0; number < 12; ++number) session.push(message(number));
    static_cast<void>(session.run());
    REQUIRE_FALSE(session.edits().present(group{2}));
    REQUIRE_FALSE(session.pin({2}));
    REQUIRE(session.undo());
    CHECK(session.edits().present(group{2}));
}

TEST_CASE("no undo of a state goes back to before a release") {
    condense::memory_journal const journal;
    auto session = fresh(windowed(journal));
    for (int number = 0; number < 12; ++number) session.push(message(number));
    static_cast<void>(session.run());
    REQUIRE(session.release({12}) != 0);
    auto const kept = session.state();
    CHECK(kept.state.undos.empty());
    auto later = fresh(windowed(journal));
    REQUIRE_FALSE(later.adopt(kept.state));
    CHECK_FALSE(later.undo());
    auto forged = kept.state;
    forged.undos = {{forged.edits.size(), 12}};
    CHECK(fresh(windowed(journal)).adopt(forged).fault == state_fault::impossible);
}

TEST_CASE("a state of a session that has released messages is held to what was left") {
    condense::memory_journal const journal;
    auto session = fresh(windowed(journal));
    for (int number = 0; number < 12; ++number) session.push(message(number));
    push(session, {C("", "shell"), R("", "output"), C("c", "shell")});
    static_cast<void>(session.run());
    REQUIRE(session.release({12}) != 0);
    auto const kept = session.state().state;
    REQUIRE(kept.released.matches.size() == 1);
    auto const refused = [&](auto const& change) {
        auto forged = kept;
        change(forged);
        return fresh(windowed(journal)).adopt(forged).fault == state_fault::impossible;
    };
    CHECK_FALSE(refused([](auto&) {}));
    CHECK(refused([](auto& state) { state.size = 1; }));
    CHECK(refused([](auto& state) { state.size = std::uint64_t{1} << 31; }));
    CHECK(refused([](auto& state) { state.released.latest = 0; }));
    CHECK(refused([](auto& state) { state.released.latest = state.size + 1; }));
    CHECK(refused([](auto& state) { state.numbers.pop_back(); }));
    CHECK(refused([](auto& state) { state.numbers.back() = state.size; }));
    CHECK(refused([](auto& state) { std::swap(state.numbers.front(), state.numbers.back()); }));
    CHECK(refused([](auto& state) { state.released.newest_calls = state.size + 1; }));
    CHECK(refused([](auto& state) { state.released.newest_calls = 1; }));
    CHECK(refused([](auto& state) {
        state.released.matches.clear();
        state.released.matches.push_back({});
    }));
    CHECK(refused([](auto& state) { state.released.matches.push_back(state.released.matches.front()); }));
    CHECK(refused([](auto& state) { state.released.dead_calls = {{{0, 0}, true}}; }));
    CHECK(refused([](auto& state) { state.released.dead_calls = {{{state.size, 0}, true}}; }));
    CHECK(refused([](auto& state) { state.released.gone.orphans = ~std::uint64_t{0}; }));
    CHECK(refused([](auto& state) { state.undos = {{0, 0}}; }));  // before messages that are gone
    CHECK(refused([](auto& state) { state.pins = {5, 5}; }));
}

// Edits of a state, as they come from outside.

using condense::edit_kind;
using condense::saved_edit;
using condense::view;

/// s u a c r a u: the call and its result are group 3.
conversation const all = {
    S("system"), U("the task"),  A("an answer"), C("1", "shell", R"({"a":"b"})"), R("1", "a long output"),
    A("done"),   U("the latest")};

/// What of it is refused; empty where it is taken.
std::string_view refused(std::vector<saved_edit> made) {
    condense::outline facts;
    for (auto const& m : all) facts.append(m, per_byte{});
    view edits;
    condense::detail::edit_restorer<conversation, per_byte> restorer{
        all, facts, edits, per_byte{}, {.window = {1'000}}};
    return restorer.restore(std::move(made));
}

saved_edit shorten(std::uint64_t message, std::string text) {
    return {.kind = edit_kind::shorten, .message = message, .part = 1, .writes = true, .text = std::move(text)};
}
saved_edit remove(std::uint64_t message) { return {.kind = edit_kind::remove, .message = message, .part = 1}; }
saved_edit drop(std::uint64_t message) { return {.kind = edit_kind::drop, .message = message}; }
saved_edit sum_up(std::uint64_t message, std::string text) {
    return {.kind = edit_kind::summarize, .message = message, .writes = true, .text = std::move(text)};
}

TEST_CASE("edit_restorer: an edit is counted anew") {
    condense::outline facts;
    for (auto const& m : all) facts.append(m, per_byte{});
    view edits;
    condense::detail::edit_restorer<conversation, per_byte> restorer{
        all, facts, edits, per_byte{}, {.window = {1'000}}};
    REQUIRE(restorer.restore({shorten(4, "long")}).empty());
    CHECK(edits.steps()[0].after == condense::cost::of({4}));
    CHECK(edits.steps()[0].before == condense::cost::of({13}));
}

TEST_CASE("edit_restorer: the laws of a draft hold for a state") {
    CHECK(refused({shorten(4, "long")}).empty());
    CHECK(refused({shorten(4, "not shorter at all")}) == "a step");
    CHECK(refused({shorten(4, "\xFF")}) == "a text");
    CHECK(refused({shorten(3, "{}")}).empty());
    CHECK(refused({shorten(3, "{")}) == "an edit of a part");
    for (std::uint64_t const bound : {0u, 6u}) CHECK(refused({shorten(bound, "")}) == "an edit of a part");
    CHECK(refused({shorten(1, "")}).empty());  // the task, which may have been another then
    CHECK(refused({shorten(7, "")}) == "an edit of a part");
    CHECK(refused({remove(3)}) == "an edit of a part");
    CHECK(refused({remove(4)}) == "an edit of a part");
    CHECK(refused({remove(2)}) == "what is left of a message");
    CHECK(refused({drop(2), drop(3)}).empty());
    CHECK(refused({drop(0)}) == "what is dropped");
    CHECK(refused({drop(6)}) == "what is dropped");
    CHECK(refused({drop(1), drop(2), drop(3)}) == "the beginning of the request");
    CHECK(refused({drop(1), drop(2), sum_up(1, "one")}).empty());
    CHECK(refused({drop(1), drop(2), sum_up(1, "one"), sum_up(2, "two")}) == "the number of summaries");
    CHECK(refused({{.kind = edit_kind::repair, .message = 3, .part = 1, .writes = true, .text = "none"}}) ==
          "what is left of a message");
}

TEST_CASE("edit_restorer: what a draft has taken out of a repeated result can be restored") {
    auto history = all;
    auto again = R("1", "a long output");
    again.parts.insert(again.parts.begin(), {.kind = condense::part_kind::text, .text = "once more"});
    history.insert(history.begin() + 5, again);
    condense::outline facts;
    view edits;
    for (auto const& m : history) {
        edits.reserve_message(facts.read(m, per_byte{}));
        edits.on_message_placed(facts, facts.place());
    }
    per_byte const count;
    condense::budget const limits{.window = {1'000}};
    condense::draft whole{history, facts, edits, count, limits};
    REQUIRE_FALSE(whole.remove(whole.part_at(5)));
    REQUIRE_FALSE(whole.remove(whole.part_at(6)));
    view restored;
    condense::detail::edit_restorer<conversation, per_byte> restorer{history, facts, restored, count, limits};
    CHECK(restorer.restore(condense::detail::saved_edits::of(facts, edits)).empty());
    CHECK(restored.sums() == edits.sums());
}

}  // namespace
