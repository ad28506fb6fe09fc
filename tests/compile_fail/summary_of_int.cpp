// expect: condense: summarize: `with` must be a rule, or have a const operator()(std::string_view prompt) that returns
// a text (see summarizer) SPDX-License-Identifier: BSL-1.0
#include <string>
#include <string_view>

#include <condense/condense.hpp>

struct my_model {
    int operator()(std::string_view) const { return {}; }
};

auto const layer = condense::summarize{.with = my_model{}};
