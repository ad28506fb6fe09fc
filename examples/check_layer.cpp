// SPDX-License-Identifier: BSL-1.0

// How do I know that a layer of my own keeps the laws?

#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <condense/condense.hpp>
#include <condense/extend.hpp>
#include <condense/testing/layer_laws.hpp>

#include "check.hpp"

// Replaces each tool result but the newest by a note.
struct clear_old_results {
    static constexpr auto effects = condense::shortens;

    void reduce(auto& draft, auto& pass) const {
        std::vector<condense::part_ref> results;
        for (auto const group : draft.groups())
            draft.each_part_of(group, [&](condense::part_ref part) {
                if (draft.about(part).kind == condense::part_kind::tool_result) results.push_back(part);
            });
        if (!results.empty()) results.pop_back();
        for (auto const part : results) {
            std::optional<std::string> shorter;
            draft.each_part(condense::sequence{part.message_index},
                            [&](condense::part_ref at, condense::part_view const& seen) {
                                if (at == part) shorter = condense::settled(seen, cleared);
                            });
            if (shorter) pass.note(draft.shorten(part, *shorter));
        }
    }

private:
    static std::optional<std::string> cleared(condense::part_view const& seen) {
        return condense::omission(seen.text.size(), seen.text.size(), "bytes", "an old result");
    }
};

int main() {
    auto const violations = condense::testing::check_layer_laws(clear_old_results{}, {.rounds = 20});
    for (auto const& each : violations) std::cerr << each.text() << '\n';
    check(violations.empty());
}
