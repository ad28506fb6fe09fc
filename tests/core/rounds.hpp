// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/reduce.hpp>

#include "core/toy.hpp"
#include "support/notation.hpp"

// One conversation of four rounds, a layer that drops one of them, and a store that can fail: for tests of runs.

namespace calls_in_rounds {

using condense::group;
using condense::pipeline;
using namespace notation;
using toy::layer;

/// Tokens are bytes.
inline conversation four_rounds() {
    return {U("task"), C("1", "read"), R("1", "0123456789"), A("answer"), U("go on"), A("well"), U("latest")};
}
inline constexpr std::uint64_t whole = 4 + 2 + 10 + 6 + 5 + 4 + 6;

template <class... Layers>
auto reduced(conversation& messages, pipeline<Layers...> const& mix) {
    return condense::reduce(messages, mix, {.window = {1'000}}, per_byte{});
}

/// Drops the round with the tool: two messages, twelve tokens.
inline constexpr auto drop_round = [](auto& draft, auto& pass) { pass.note(draft.drop({1})); };
inline constexpr auto shorten_result = [](auto& draft, auto& pass) {
    draft.each_part_of(condense::sequence{2}, [&](condense::part_ref part) {
        if (!draft.about(part).edited) pass.note(draft.shorten(part, "0"));
    });
};
inline constexpr auto nothing = [](auto&, auto&) {};

/// Remembers what it was given; fails at one put.
struct shelf {
    struct state {
        std::vector<std::string> kept = {};
        std::size_t fails_at = 99;
        bool throws = false;
    };
    state* at;

    condense::reference name(std::string_view content) const {
        return {{static_cast<std::uint8_t>(content.size()), 1}};
    }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
    condense::store_error put(condense::reference const&, std::string_view content) const {
        if (at->kept.size() == at->fails_at) {
            if (at->throws) throw std::runtime_error{"the disk is gone"};
            return {"the disk is full"};
        }
        at->kept.emplace_back(content);
        return {};
    }
};
static_assert(condense::artifact_store<shelf>);

/// Keeps two texts and, where it is told so, drops the round.
inline auto keeper(shelf const& store, bool drops) {
    return layer < condense::keeps | condense::drops > ([&store, drops](auto& draft, auto& pass) {
                                         if (drops && draft.drop({1})) return;
                                         pass.keep(store, "one");
                                         pass.keep(store, "three");
                                     });
}

}  // namespace calls_in_rounds
