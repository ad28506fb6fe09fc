// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/plan_memory.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <condense/core/outline.hpp>
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using condense::detail::plan_memory;
using place = plan_memory::place;

struct reading {
    condense::outline facts;

    void append(conversation const& messages) {
        for (auto const& m : messages) facts.append(m, per_byte{});
    }
    condense::outline const& outline() const { return facts; }
};

}  // namespace

TEST_CASE("plan_memory: it notes the newest large results, each once") {
    reading on;
    plan_memory memory;
    on.append({U("task"), CC("1", "2"), joined(R("1", letters(101)), R("2", letters(100))), R("2", letters(102)), A()});
    memory.see(on, {100}, 3);
    std::vector<place> const first{{2, 0, 1}, {3, 0, 1}};
    CHECK(memory.places() == first);
    CHECK(memory.turn_of(3, 0) == "turn 1: ");
    CHECK(memory.turn_of(2, 1).empty());
    memory.see(on, {100}, 3);
    CHECK(memory.places() == first);
    on.append({U("more"), CC("3", "4"), R("3", letters(500)), R("4", letters(500))});
    memory.see(on, {100}, 3);
    CHECK(memory.places() == std::vector<place>{{3, 0, 1}, {7, 0, 2}, {8, 0, 2}});
    // After other messages have come in their place all are looked at again; the question is no new one.
    memory.set_planned(5, 6, 7);
    memory.rewind(2);
    CHECK(memory.places().empty());
    CHECK_FALSE(memory.is_new(5));
    memory.see(on, {100}, 9);
    CHECK(memory.places().size() == 4);
    CHECK(memory.turn_of(8, 0) == "turn 2: ");
}

TEST_CASE("plan_memory: a question is new until a run was about it") {
    plan_memory memory;
    CHECK(memory.is_new(0));
    memory.set_asked(0);
    CHECK_FALSE(memory.is_new(0));
    CHECK_FALSE(memory.is_planned(0, 0, 1'000'000));
    memory.set_planned(0, 8, 100);
    memory.set_asked(0);  // what was planned stays so
    CHECK(memory.is_planned(0, 8, 100));
    CHECK(memory.is_planned(0, 8, 101));
    CHECK_FALSE(memory.is_planned(0, 8, 99));
    CHECK_FALSE(memory.is_planned(0, 9, 100));
    CHECK_FALSE(memory.is_planned(1, 8, 100));
    CHECK(memory.is_new(1));
}

TEST_CASE("plan_memory: the plan of a model is good for the same question and no more results") {
    auto const results = [](std::vector<std::string> const& ids) {
        std::vector<condense::artifact> all;
        for (auto const& id : ids) all.push_back({.id = id});
        return all;
    };
    plan_memory memory;
    CHECK(memory.plan_for(1, results({})) == nullptr);
    memory.keep_plan(1, results({"r9.0", "r10.0"}), {.problem = "late"});
    REQUIRE(memory.plan_for(1, results({"r10.0", "r9.0"})) != nullptr);
    CHECK(memory.plan_for(1, results({"r9.0"}))->problem == "late");
    CHECK(memory.plan_for(1, results({"r9.0", "r11.0"})) == nullptr);
    CHECK(memory.plan_for(2, results({"r9.0"})) == nullptr);
    memory.rewind(0);
    CHECK(memory.plan_for(1, results({"r9.0"})) == nullptr);
}

TEST_CASE("plan_memory: it is saved and loaded, and forged texts are refused") {
    reading on;
    plan_memory memory;
    on.append({U("task"), CC("1", "2"), R("1", letters(500)), R("2", letters(500)), A()});
    memory.see(on, {100}, 3);
    memory.set_planned(~std::uint64_t{0}, 12, 13);
    auto const saved = memory.save();
    CHECK(saved == "1:5,1:1,1:1,20:18446744073709551615,2:12,2:13,1:2,1:0,1:1,1:3,1:0,1:1,");
    plan_memory loaded;
    REQUIRE(loaded.load(saved, 5));
    CHECK(loaded.places() == memory.places());
    CHECK(loaded.save() == saved);
    CHECK(loaded.is_planned(~std::uint64_t{0}, 12, 13));
    loaded.see(on, {100}, 3);
    CHECK(loaded.places() == memory.places());
    // Without a text it begins anew.
    plan_memory fresh;
    REQUIRE(fresh.load("", 5));
    fresh.see(on, {100}, 3);
    CHECK(fresh.places() == memory.places());
    for (std::string const forged : {"1:6,1:1,1:1,1:1,1:1,1:1,",  // more messages than there are
                                     "1:5,1:1,1:2,1:1,1:1,1:1,",  // no bool
                                     "1:5,1:1,1:1,1:1,1:1,",  // too few figures
                                     "1:5,1:1,1:1,1:1,1:1,1:1,1:2,1:0,",  // half a place
                                     "1:5,1:1,1:1,1:1,1:1,1:1,1:5,1:0,1:1,",  // a message that it has not seen
                                     "1:5,1:1,1:1,1:1,1:1,1:1,1:3,1:0,1:1,1:2,1:0,1:1,",  // in no order
                                     "1:5,1:1,1:1,1:1,1:1,1:1,1:3,1:0,1:1,1:3,1:0,1:1,",  // twice
                                     "1:5,1:1,1:1,1:1,1:1,1:1,1:3,11:99999999999,1:1,",  // a part beyond all
                                     "x"}) {
        CAPTURE(forged);
        CHECK_FALSE(loaded.load(forged, 5));
        CHECK(loaded.save() == saved);
    }
    CHECK_FALSE(loaded.load(saved, 4));
}
