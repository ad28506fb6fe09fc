// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/shelf.hpp>

#include <condense/core/any_pipeline.hpp>
#include <condense/layer/sliding_window.hpp>

#include "replay/talk.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::detail::shelf_of;

TEST_CASE("journals and stores are found in a mix, however deep") {
    condense::replay_edges const edges;
    condense::memory_journal const own;
    condense::memory_store const kept;
    condense::pipeline const mix{condense::pipeline{condense::record{.to = own}}, condense::offload{.into = kept},
                                 condense::sliding_window{}};
    auto const shelf = shelf_of(mix, edges, "x");
    REQUIRE(shelf.journals.size() == 1);
    REQUIRE(shelf.stores.size() == 1);
    REQUIRE_FALSE(own.append("x", {.name = own.name("a"), .number = 5}, "a"));
    REQUIRE_FALSE(own.append("x", {.name = own.name("a"), .number = 5, .is_derived = true}, ""));
    REQUIRE_FALSE(own.append("y", {.name = own.name("a"), .number = 6}, "a"));
    std::vector<std::uint64_t> numbers;
    shelf.journals[0]([&](std::uint64_t number) { numbers.push_back(number); });
    CHECK(numbers == std::vector<std::uint64_t>{5});
    auto const name = kept.name("content");
    CHECK_FALSE(shelf.stores[0](name));
    REQUIRE_FALSE(kept.put(name, "content"));
    CHECK(shelf.stores[0](name) == "content");
}

TEST_CASE("a mix without them has none, one chosen at run time those of the edges") {
    condense::replay_edges const edges;
    CHECK(shelf_of(condense::pipeline{condense::sliding_window{}}, edges, "x").journals.empty());
    CHECK(shelf_of(condense::pipeline{}, edges, "x").stores.empty());
    condense::any_pipeline<chat_message> const chosen{condense::pipeline{condense::record{.to = edges.journal}}};
    auto const shelf = shelf_of(chosen, edges, "x");
    CHECK(shelf.journals.size() == 1);
    REQUIRE(shelf.stores.size() == 1);
    REQUIRE_FALSE(edges.store.put(edges.store.name("b"), "b"));
    CHECK(shelf.stores[0](edges.store.name("b")) == "b");
}

}  // namespace
