// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <condense/adapt/json_blocks.hpp>

#include "command_line.hpp"

// The option of the programs here that read conversations.

namespace command_line {

/// `--shape NAME`. Unless it is given, each message may have a shape of its own.
inline option shape_option(std::optional<condense::json_shape>& shape) {
    std::vector<std::string> names;
    std::string all;
    for (std::size_t index = 0; index < condense::json_shape_count; ++index) {
        names.emplace_back(name(static_cast<condense::json_shape>(index)));
        all.append(index == 0 ? "" : index + 1 < condense::json_shape_count ? ", " : " or ").append(names.back());
    }
    return {.name = "--shape",
            .to = [&shape](std::string const& name) { shape = condense::json_shape_named(name); },
            .help = "refuses messages that are not of this shape: " + all,
            .accepts = one_of(std::move(names))};
}

}  // namespace command_line
