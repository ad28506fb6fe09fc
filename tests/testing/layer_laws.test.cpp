// SPDX-License-Identifier: BSL-1.0
#include <condense/testing/layer_laws.hpp>

#include <exception>
#include <optional>

#include <condense/extend.hpp>
#include <condense/layer/offload.hpp>
#include <condense/store/memory.hpp>

#include "support/violations.hpp"

namespace {

using namespace condense::literals;
using condense::testing::check_layer_laws;
using condense::testing::layer_law;

template <class Layer>
bool breaks(layer_law law, Layer const& layer) {
    for (auto const& each : check_layer_laws(layer, {.rounds = 30}))
        if (each.law == law) return true;
    return false;
}

/// Clears every result but the newest, in words that change with what it finds.
struct clear_results {
    bool settles = false;
    static constexpr auto effects = condense::shortens;

    void reduce(auto& draft, auto& pass) const {
        std::vector<condense::part_ref> results;
        for (auto const group : draft.groups())
            draft.each_part_of(group, [&](condense::part_ref part) {
                if (draft.about(part).kind == condense::part_kind::tool_result) results.push_back(part);
            });
        if (!results.empty()) results.pop_back();
        for (auto const part : results) {
            if (draft.about(part).edited) continue;  // which a run without marks cannot know of an earlier one
            std::optional<std::string> shorter;
            draft.each_part(condense::sequence{part.message_index},
                            [&](condense::part_ref at, condense::part_view const& seen) {
                                if (!(at == part)) return;
                                shorter = settles ? condense::settled(seen, cleared) : cleared(seen);
                            });
            if (shorter) pass.note(draft.shorten(part, *shorter));
        }
    }

private:
    static std::optional<std::string> cleared(condense::part_view const& seen) {
        return condense::omission(seen.text.size(), seen.text.size(), "bytes", "an old result");
    }
};

struct swallows_failures {
    static constexpr auto effects = condense::drops;
    static inline int failures = 0;

    void reduce(auto& draft, auto& pass) const {
        for (auto const group : draft.groups()) {
            try {
                static_cast<void>(draft.estimator()("a word"));
            } catch (std::exception const&) { ++failures; }
            if (failures % 2 == 0) pass.note(draft.drop(group));
        }
    }
};

struct counts_runs {
    static constexpr auto effects = condense::drops;
    static inline std::size_t runs = 0;

    void reduce(auto& draft, auto& pass) const {
        if (++runs % 3 != 0) return;
        for (auto const group : draft.groups()) pass.note(draft.drop(group));
    }
};

struct idle {
    static constexpr auto effects = condense::drops;
    void reduce(auto&, auto&) const {}
};

/// Gives another content than it was given.
struct lossy_store : condense::memory_store {
    lossy_store() = default;
    std::optional<std::string> get(condense::reference const& name) const {
        auto content = condense::memory_store::get(name);
        if (content) content->pop_back();
        return content;
    }
};

}  // namespace

TEST_CASE("layer laws: a layer that shortens its own markers is caught") {
    CHECK(breaks(layer_law::idempotent, clear_results{}));
    CHECK(text_of(check_layer_laws(clear_results{.settles = true})) == "");
}
TEST_CASE("layer laws: a layer that does something else after a failure is caught") {
    CHECK(breaks(layer_law::strong, swallows_failures{}));
}
TEST_CASE("layer laws: a layer with a state of its own is caught") {
    CHECK(breaks(layer_law::deterministic, counts_runs{}));
}
TEST_CASE("layer laws: a store that gives back something else is caught") {
    CHECK(breaks(layer_law::conserved,
                 condense::offload{.over = 1'000_chars, .preview = condense::head{100_chars}, .into = lossy_store{}}));
}
TEST_CASE("layer laws: a layer that never acts has shown nothing") {
    auto const found = check_layer_laws(idle{}, {.rounds = 3});
    REQUIRE(found.size() == 1);
    CHECK(found[0].law == layer_law::active);
    CHECK(found[0].text().starts_with("active, conversation "));
}
TEST_CASE("layer laws: a violation is a line that names the law") {
    for (auto const& [law, named] : {std::pair{layer_law::idempotent, "idempotent"},
                                     {layer_law::smaller, "smaller"},
                                     {layer_law::pairs, "pairs"},
                                     {layer_law::deterministic, "deterministic"},
                                     {layer_law::strong, "strong"},
                                     {layer_law::conserved, "conserved"}})
        CHECK(condense::testing::layer_violation{.law = law, .seed = 3, .what = "why"}.text() ==
              std::string{named} + ", conversation 3: why");
}
TEST_CASE("layer laws: no more violations than were asked for") {
    CHECK(check_layer_laws(clear_results{}, {.most = 2}).size() == 2);
}
TEST_CASE("layer laws: a seed gives the same conversation") {
    CHECK(condense::testing::conversation(3) == condense::testing::conversation(3));
    CHECK(condense::testing::conversation(3) != condense::testing::conversation(4));
}
