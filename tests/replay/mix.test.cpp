// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/mix.hpp>

#include <condense/core/pipeline.hpp>
#include <condense/layer/record.hpp>

#include "support/catch.hpp"

namespace {

using condense::detail::mix_for;

TEST_CASE("a mix is a pipeline, or made of the edges") {
    condense::replay_edges edges;
    condense::named const empty{"none", condense::pipeline{}};
    static_assert(std::same_as<decltype(empty.mix), condense::pipeline<>>);
    static_assert(std::same_as<decltype(mix_for(empty.mix, edges)), condense::pipeline<>>);

    condense::named const recording{
        "recording", [](auto& given) { return condense::pipeline{condense::record{.to = given.journal}}; }};
    auto const mix = mix_for(recording.mix, edges);
    std::size_t same = 0;
    mix.each([&](auto const& layer) {
        static_cast<void>(static_cast<bool>(layer.to.append("x", {.name = layer.to.name("words")}, "words")));
        static_cast<void>(static_cast<bool>(edges.journal.read("x", [&](auto const&, auto) { ++same; })));
    });
    CHECK(same == 1);
    CHECK(recording.name == "recording");
}

}  // namespace
