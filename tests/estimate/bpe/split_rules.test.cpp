// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/split_rules.hpp>

#include "support/catch.hpp"

namespace {

using condense::rules_of;
using condense::split_rules;
using condense::split_scheme;

constexpr bool each_scheme_has_rules_of_its_own() {
    constexpr split_scheme all[] = {split_scheme::cl100k, split_scheme::o200k, split_scheme::llama3, split_scheme::qwen,
                                    split_scheme::deepseek};
    for (auto const one : all) {
        auto const visited = condense::detail::bpe::with_rules(one, []<split_rules Rules>() { return Rules; });
        if (visited != rules_of(one)) return false;
        for (auto const other : all)
            if ((rules_of(one) == rules_of(other)) != (one == other)) return false;
    }
    return true;
}
static_assert(each_scheme_has_rules_of_its_own());

}  // namespace

TEST_CASE("split_rules: schemes are told apart and reach the compiler") { CHECK(each_scheme_has_rules_of_its_own()); }
