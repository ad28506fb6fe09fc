// SPDX-License-Identifier: BSL-1.0
#include <string>
#include <string_view>

#include <condense/condense.hpp>

struct my_model {
    std::string operator()(std::string_view) const { return {}; }
};

auto const layer = condense::summarize{.with = my_model{}};
