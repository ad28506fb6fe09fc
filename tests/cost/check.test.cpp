// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/condense.hpp>
#include <condense/store/memory.hpp>

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

// What a turn costs: no allocation for a check below the limits, and the estimator called for new
// and changed parts only.

namespace {

std::size_t allocated = 0;

}  // namespace

bool allocations::next_fails() noexcept {
    ++allocated;
    return false;
}

namespace {

using namespace condense::literals;
using namespace notation;
using condense::used;

struct counting_estimator {
    std::uint64_t* calls;
    condense::cost operator()(std::string_view text) const {
        ++*calls;
        return condense::cost::of({text.size()});
    }
};

auto layers(condense::memory_store const& store) {
    return condense::pipeline{condense::offload{.over = 10'000_chars, .into = store},
                              condense::compress{.when = used >= 65_pct}, condense::summarize{.when = used >= 80_pct},
                              condense::sliding_window{.when = used >= 90_pct},
                              condense::escalate{.when = used >= 90_pct}};
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
                              condense::pipeline{condense::compress{
                                  .when = used >= 65_pct, .over = 1'000_chars, .with = condense::head{100_chars}}},
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
