// SPDX-License-Identifier: BSL-1.0
// Layers, and where they may stand.

#include "compile_fail/common.hpp"

#include <chrono>
#include <ratio>

// layer_final: `struct shaped` -> `struct shaped final`
//   condense: pipeline: a layer must not be final, its hooks are found by name (see layer)
// layer_with_wrong_effects: `= drops` -> `= 4`
// layer_without_effects: `auto effects` -> `auto effect`
//   condense: pipeline: a layer must declare static constexpr auto effects (see effect)
// layer_without_hook: `reduce(` -> `reduces(`
//   condense: pipeline: a layer must have a hook reduce or arrive (see layer)
// pipeline_of_non_layer: `shaped{}` -> `shaped{}, 90`
//   condense: pipeline: what is given must be a layer, a class with effects and a hook (see layer)
struct shaped {
    static constexpr auto effects = drops;
    void reduce(auto&, auto&) const {}
};
auto const of_shaped = pipeline{shaped{}};

// call_of_non_layer: `reduce(auto` -> `reduced(auto`
//   condense: pipeline: a layer must have a hook reduce or arrive (see layer)
struct without_pipeline {
    static constexpr auto effects = drops;
    void reduce(auto&, auto&) const {}
};
auto by_a_layer(talk& history) { return condense::reduce(history, without_pipeline{}, {.window = {1'000}}); }

// hook_not_const: `auto&) const` -> `auto&)`
// hook_of_one_argument: `auto& draft, auto&` -> `auto& draft`
// hook_private: `failed reduce` -> `private: failed reduce`
// hook_constrained_away: `sizeof(draft) != 0` -> `sizeof(draft) == 0`
//   condense: pipeline: the layer's reduce hook must be const and accept (draft, pass) (see layer)
// hook_returns_bool: `failed reduce` -> `bool reduce`
//   condense: pipeline: a hook must return nothing or condense::failed (see layer)
struct hooked {
    static constexpr auto effects = drops;
    failed reduce(auto& draft, auto&) const
        requires(sizeof(draft) != 0)
    {
        return {};
    }
};
int const ran_hooked = run(hooked{});

// arrive_of_two_arguments: `auto&, sequence, auto&` -> `auto&, auto&`
//   condense: pipeline: the layer's arrive hook must be const and accept (draft, sequence, pass) (see layer)
struct arriving {
    static constexpr auto effects = drops;
    void arrive(auto&, sequence, auto&) const {}
};
int const ran_arriving = run(arriving{});

// arrive_beside_reduce: `auto&, sequence, auto&` -> `auto&, auto&`
//   condense: pipeline: the layer's arrive hook must be const and accept (draft, sequence, pass) (see layer)
struct with_both_hooks {
    static constexpr auto effects = drops;
    void arrive(auto&, sequence, auto&) const {}
    void reduce(auto&, auto&) const {}
};
int const ran_both_hooks = run(with_both_hooks{});

// due_that_may_throw: `const noexcept` -> `const`
//   condense: pipeline: a layer's due must be noexcept (see layer)
struct now_and_then {
    static constexpr auto effects = drops;
    bool due(usage const&) const noexcept { return true; }
    void reduce(auto&, auto&) const {}
};
bool is_due(usage const& now) { return pipeline{now_and_then{}}.due(now); }

// schedule_undeclared: `effects = reruns` -> `effects = no_effects`
//   condense: pipeline: a layer must have schedule(tokens) where it declares reruns, and only there (see layer)
struct pressing {
    static constexpr auto effects = reruns;
    pressure_schedule schedule(tokens) const { return {}; }
};
auto const pressed = pipeline{sliding_window{}, pressing{}};

// worth_of_a_share: `at_least(10_pct)` -> `10_pct`
//   condense: pipeline: a layer's worth must say whether a batch pays, such as at_least(10_pct) (see gain)
auto const worth_it = pipeline{compress{.worth = at_least(10_pct)}};

// fallback_of_one: `, sliding_window{}` -> ``
//   condense: fallback: there must be a layer to fall back to (see fallback)
// fallback_of_escalate: `, sliding_window{}` -> `, escalate{}`
//   condense: fallback: what is given must not run other layers again: put escalate behind it (see escalate)
auto const two_windows = fallback{sliding_window{}, sliding_window{}};

// escalate_alone: `pipeline{sliding_window{}, escalate` -> `pipeline{escalate`
// escalate_amid: `escalate{}` -> `escalate{}, sliding_window{}`
// escalate_not_last: `sliding_window{}, escalate{}` -> `escalate{}, sliding_window{}`
//   condense: pipeline: escalate must be the last layer, after others that it can run again (see escalate)
auto const escalated = pipeline{sliding_window{}, escalate{}};

// escalate_nested_amid: `sliding_window{}, inner` -> `inner, sliding_window{}`
//   condense: pipeline: escalate must be the last layer, after others that it can run again (see escalate)
pipeline const inner{compress{}, escalate{}};
pipeline const outer{sliding_window{}, inner};

// escalate_within_a_number: `std::chrono::seconds{30}` -> `30`
//   condense: escalate: `within` must be a duration such as 30s (see escalate)
constexpr escalate limited{.within = std::chrono::seconds{30}};

// escalate_within_picoseconds: `std::nano` -> `std::pico`
//   condense: `within` must be a duration of nanoseconds or longer (see time_limit)
int const ran_within = run(sliding_window{}, escalate{.within = std::chrono::duration<int, std::nano>{30}});

// escalate_above_the_whole: `100_pct` -> `101_pct`
//   condense: escalate: the ceiling must be above 0 and at most 100 % (see escalate)
constexpr pipeline below_a_ceiling{sliding_window{}, escalate{.ceiling = 100_pct}};

// escalate_without_passes: `.passes = 1` -> `.passes = 0`
//   condense: escalate: there must be 1 to 64 passes (see escalate)
constexpr pipeline one_pass{sliding_window{}, escalate{.passes = 1}};

// summary_of_int: `std::string operator` -> `int operator`
//   condense: summarize: `with` must be a rule, or have a const operator()(std::string_view prompt) that returns a text
//   (see summarizer)
struct empty_model {
    std::string operator()(std::string_view) const { return {}; }
};
auto const summarized = summarize{.with = empty_model{}};

// summary_of_no_size: `1_tokens` -> `0_tokens`
//   condense: summarize: the size of the summary must be above 0 (see summarize)
constexpr pipeline small_summary{summarize{.size = 1_tokens}};
