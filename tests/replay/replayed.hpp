// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/core/pipeline.hpp>
#include <condense/replay/replay_one.hpp>

#include "replay/talk.hpp"
#include "support/notation.hpp"

namespace talk {

/// By one token a byte.
inline condense::replay_options<notation::per_byte> const bytes{};
inline condense::named const none{"none", condense::pipeline{}};

template <class Messages, class Mix = condense::pipeline<>>
condense::replay_figures replayed(Messages const& told, Mix mix = {}, condense::budget limits = {.window = {1'000}},
                                  condense::prices const& prices = {}) {
    return condense::replay_one(told, "x", limits, prices, condense::named{"m", mix}, bytes);
}

}  // namespace talk
