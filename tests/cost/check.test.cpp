// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <array>
#include <cstdint>

#include <condense/condense.hpp>
#include <condense/store/content_hash.hpp>
#include <condense/store/memory.hpp>

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/mixes.hpp"

// What a turn costs: no allocation for a check below the limits, the estimator called for new
// and changed parts only, and few bytes of a message that has left.

namespace {

std::size_t allocated = 0;

}  // namespace

bool allocations::next_fails() noexcept {
    ++allocated;
    return false;
}

namespace {

using namespace vocabulary;

struct counting_estimator {
    std::uint64_t* calls;
    cost operator()(std::string_view text) const {
        ++*calls;
        return cost::of({text.size()});
    }
};

auto layers(condense::memory_store const& store) {
    return pipeline{offload{.over = 10'000_chars, .into = store}, compress{.when = used >= 65_pct},
                    summarize{.when = used >= 80_pct}, sliding_window{.when = used >= 90_pct},
                    escalate{.when = used >= 90_pct}};
}

void push_round(auto& session, std::size_t round) {
    auto const id = std::to_string(round);
    push(session, {U("and " + id), C(id, "read"), R(id, "text " + id), A("seen " + id)});
}

}  // namespace

TEST_CASE("a check below all limits allocates nothing, whatever the length", "[cost]") {
    condense::memory_store const store;
    condense::session session{conversation{}, layers(store), condense::budget{.window = 100'000'000_tokens}};
    for (std::size_t const rounds : {std::size_t{3}, std::size_t{3'000}}) {
        for (std::size_t round = 0; round < rounds; ++round) push_round(session, round);
        auto const before = allocated;
        bool const due = session.due();
        auto const report = session.prepare();
        auto const made = allocated - before;
        CHECK_FALSE(due);
        CHECK(before > 0);
        CHECK(made == 0);
        CHECK_FALSE(report.changed());
        CHECK(report.fits());
    }
}

TEST_CASE("a turn costs what it added", "[cost]") {
    condense::memory_store const store;
    std::uint64_t calls = 0;
    condense::session session{conversation{}, layers(store), condense::budget{.window = 100'000'000_tokens},
                              counting_estimator{&calls}};
    for (std::size_t round = 0; round < 500; ++round) {
        auto const before = calls;
        push_round(session, round);
        (void)session.prepare();
        CHECK(calls - before == 4);
    }
}

TEST_CASE("a reduction counts the texts that it puts in and no other", "[cost]") {
    condense::memory_store const store;
    std::uint64_t calls = 0;
    condense::session session{conversation{},
                              pipeline{compress{.when = used >= 65_pct, .over = 1'000_chars, .with = head{100_chars}}},
                              condense::budget{.window = 100'000_tokens}, counting_estimator{&calls}};
    for (std::size_t round = 0; round < 20; ++round) {
        push_round(session, round);
        push(session,
             {C("big" + std::to_string(round), "read"), R("big" + std::to_string(round), letters(4'000, '.'))});
    }
    calls = 0;
    auto const report = session.prepare();
    CHECK(report.layers[0].parts_shortened > 0);
    CHECK(calls == report.layers[0].parts_shortened);
}

TEST_CASE("below the limits a request consists of the messages themselves", "[cost]") {
    condense::memory_store const store;
    condense::session session{conversation{}, layers(store), condense::budget{.window = 100'000_tokens}};
    for (std::size_t round = 0; round < 10; ++round) push_round(session, round);
    std::size_t place = 0;
    for (auto const& m : session.request()) CHECK(&m == &session.history()[place++]);
    CHECK(place == 40);
}

namespace {

/// Keeps nothing: what a journal holds is no part of the session.
struct blank_journal {
    static condense::reference name(std::string_view content) { return condense::content_hash{}(content, 0); }
    static condense::store_error append(std::string_view, condense::journal_entry const&, std::string_view) {
        return {};
    }
    static condense::store_error flush(std::string_view) { return {}; }
    static condense::store_error read(std::string_view, auto const&) { return {}; }
};

/// The memory of a session that releases all but the newest messages: the most while so many messages came.
template <class Mix>
std::array<std::size_t, 2> most_live(Mix const& mix) {
    condense::session session{conversation{}, mix, {.window = 4'000_tokens}};
    std::array<std::size_t, 2> most{};
    constexpr std::size_t all = 24'576;
    std::size_t const before = allocations::live;
    for (std::size_t index = 0; index < all; index += 4) {
        auto const id = "call_" + std::to_string(100'000 + index) + "_of_some_length";
        session.push(U("please look at this file"));
        session.push(C(id, "read_file", R"({"path":"src/main.cpp"})"));
        session.push(R(id, letters(400)));
        session.push(A("it has been read"));
        if (session.prepare().changed()) session.release(sequence{index});
        for (std::size_t part = 0; part < 2; ++part)
            if (index >= (part == 0 ? 2'048 : all - 4'096) && index < (part == 0 ? 6'144 : all))
                most[part] = std::max<std::size_t>(most[part], allocations::live - before);
    }
    CHECK(session.history().size() < 200);
    CHECK(session.outline().size() == all);
    return most;
}

}  // namespace

TEST_CASE("nothing stays of a message that has left and was released", "[cost]") {
    auto const check_most = [](auto const& mix) {
        auto const [first, last] = most_live(mix);
        CHECK(first > 50'000);
        CHECK(last <= first + first / 100);
    };
    check_most(pipeline{record{.to = blank_journal{}}, sliding_window{}});
    check_most(pipeline{record{.to = blank_journal{}}, compress{.over = 300_chars}, sliding_window{}});
    auto const model = [](std::string const&) { return std::string{"Files were read, one after another."}; };
    check_most(pipeline{record{.to = blank_journal{}}, summarize{.with = model}});
}

TEST_CASE("a run of drops allocates as often for many groups as for few", "[cost]") {
    std::size_t least = 0;
    for (std::size_t const rounds : {std::size_t{100}, std::size_t{2'000}}) {
        condense::session session{conversation{}, pipeline{sliding_window{.when = used > 90_messages}},
                                  condense::budget{.window = 100'000'000_tokens}};
        for (std::size_t round = 0; round < rounds; ++round) push_round(session, round);
        auto const before = allocated;
        auto const report = session.prepare();
        auto const made = allocated - before;
        CHECK(report.layers[0].groups_dropped > rounds);
        if (rounds == 100) least = made;
        CHECK(made == least);
    }
}
