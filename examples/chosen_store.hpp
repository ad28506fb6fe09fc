// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <condense/core/store.hpp>
#include <condense/store/file.hpp>

/// A store where a folder was named; without one nothing may be put: `over` has to be larger than any result.
struct chosen_store {
    static constexpr bool durable = true;
    std::optional<condense::artifact_folder> folder = {};

    condense::reference name(std::string_view content) const { return folder->name(content); }
    condense::store_error put(condense::reference const& name, std::string_view content) const {
        return folder->put(name, content);
    }
    std::optional<std::string> get(condense::reference const& name) const { return folder->get(name); }
};
