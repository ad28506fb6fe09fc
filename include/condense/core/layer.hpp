// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <condense/core/handles.hpp>
#include <condense/core/pass.hpp>

// What makes a type a layer: declared effects and at least one hook, `reduce` or `arrive`. A layer is a class that is
// copied into a pipeline and shared by threads: not final, hooks const, no state but its settings. All that the
// library asks of it, by name:
// clang-format off
//
// Required
//   static constexpr effect effects     What it may do; other verbs of draft and pass do not compile.
//
// Hooks, templates on their first arguments (`auto& draft, auto& pass`); at least one of `reduce`, `arrive`, `schedule`
//   void reduce(draft, pass)            Once a run, in the order of the layers, and again in each sweep and under each
//                                       step of pressure while it is due. May return condense::failed instead.
//   void arrive(draft, sequence, pass)  Once for each new message, before reduce; in a session when it is pushed.
//   bool due(usage const&) noexcept     Whether reduce has something to do. Reads no message, allocates nothing.
//                                       Without it `when.due(usage)` where there is a member `when`, else always.
//   pressure_schedule schedule(tokens)  Of a layer with effect reruns, which is the last: how hard to press on those
//                                       before it while it is due, for an input of so many tokens.
//   void validate()                     When a pipeline is constructed: throws invalid_configuration for settings
//                                       that cannot work (reject_unless); in a constant expression a compile error.
//
// Optional members
//   when, until                         When it is due, and when pass.enough() says that it has done enough.
//   worth                               Whether what it did pays; what does not is taken back.
//   name, static std::string_view       In reports, else the name of its type. `label`, a member, goes before it.
//   using memory = ...                  Kept by a session between runs as pass.memory, default-constructed otherwise.
//                                       Saved with the session where it has save() and load(text, message_count);
//                                       rewind(first) tells it that messages from `first` on are others now.
//
// Flags, all static constexpr bool, false where they are missing
//   records                             After it a journal holds all messages: what follows loses nothing. Needs the
//                                       hook `failed made(each_sent, commits, pass)`, called once after a one-shot
//                                       run: each_sent(f) calls f(sequence) for each original that is left and
//                                       f(sequence, bytes) for each message written by the run; `commits` where
//                                       the result takes the place of the history.
//   durable                             What it stores outlives the process. True where missing unless it stores.
//   last_resort                         At the top of pressure it drops all that may be dropped.
//   runs_layers                         It holds layers, each with an entry in the report, and has what a pipeline has
//                                       in place of hooks: size, memory, each, each_memory, due, run_hook (fallback).
//   plans_summaries                     A session can have its summary written elsewhere, by two hooks:
//                                       `summary_plan plan(draft, pass)`, what to ask and for which groups, and after
//                                       an overflow `plan(draft, pass, cost too_large, overflow const* said)`;
//                                       `failed conclude(draft, pass, groups, text, limit)` puts the text in place.
// clang-format on

namespace condense {
inline namespace v1 {
/// The groups that a layer would replace by one summary, and the prompt for it: what a session needs to have the
/// summary written elsewhere. A template, as `outline` is.
template <class = void>
struct basic_summary_plan {
    std::vector<group> groups = {};
    model_prompt prompt = {};  ///< self-contained: any model can answer it, on any thread
    tokens limit = {};  ///< length of the summary, at most
    v1::cost size = {};  ///< of the text to be summarised, which is the prompt without its instructions
};
using summary_plan = basic_summary_plan<>;

/// The passes under pressure over the layers before the one that returns this from `schedule(input)`: with more
/// pressure each, until no more than `line` is used. A pass that gains nothing is followed by the last one.
struct pressure_schedule {
    tokens line = {};  ///< where each layer stops in the last pass, and the run with it
    tokens target = {};  ///< where each layer stops in the passes before that
    tokens limit = {};  ///< the largest request that may be sent
    std::uint32_t passes = 2;  ///< pressure of the last pass, the top
    std::uint32_t first = 1;  ///< pressure of the first pass
    instant within = {detail::u64_limit};  ///< no pass begins later than this after the first; needs `reads_clock`
};

namespace detail {

// Finds hooks by name alone, whatever their parameters, so that a hook that does not fit is an error and not skipped.
struct hook_names {
    void reduce();
    void arrive();
};

// A name that both bases have is ambiguous, and taking its address fails. That tells whether Layer has a member of that
// name, even an overloaded, constrained or templated one.
template <class Layer, bool = std::is_class_v<Layer> && !std::is_final_v<Layer>>
struct hook_probe : Layer, hook_names {};
template <class Layer>
struct hook_probe<Layer, false> {};

template <class Layer>
concept has_reduce_hook = std::is_class_v<Layer> && !requires { &hook_probe<Layer>::reduce; };
template <class Layer>
concept has_arrive_hook = std::is_class_v<Layer> && !requires { &hook_probe<Layer>::arrive; };

/// A layer that runs other layers and has an entry in the report for each, such as `fallback`. It has the members of a
/// pipeline in place of hooks.
template <class Layer>
concept composite = requires { requires Layer::runs_layers; };

/// A layer that has those before it run again under pressure, such as `escalate`.
template <class Layer>
concept has_schedule = requires(Layer const& layer, tokens input) {
    { layer.schedule(input) } -> std::same_as<pressure_schedule>;
};

template <class Layer>
concept has_hook = has_reduce_hook<Layer> || has_arrive_hook<Layer> || has_schedule<Layer> || composite<Layer>;

/// How many entries of a report a layer has.
template <class Layer>
consteval std::size_t entries_of() {
    if constexpr (composite<Layer>) return Layer::size;
    else return 1;
}

template <class Layer>
concept has_when = requires(Layer const& layer, usage const& current) { layer.when.due(current); };

template <class Layer>
constexpr effect effects_of() noexcept {
    if constexpr (declares_effects<Layer>) return Layer::effects;
    else return effect::none;
}

// The flags of a layer, with the defaults that are documented above.

template <class Layer>
constexpr bool flag_records() noexcept {
    if constexpr (requires { Layer::records; }) return Layer::records;
    else return false;
}
template <class Layer>
constexpr bool flag_durable() noexcept {
    if constexpr (requires { Layer::durable; }) return Layer::durable;
    else return !(effects_of<Layer>() & effect::keeps);
}
template <class Layer>
constexpr bool flag_last_resort() noexcept {
    if constexpr (requires { Layer::last_resort; }) return Layer::last_resort;
    else return false;
}

template <class Layer>
concept plans_summaries = requires { requires Layer::plans_summaries; };

/// The layer's `memory`, or an empty one where it has none.
template <class Layer>
struct memory_type {
    using type = no_memory;
};
template <class Layer>
    requires requires { typename Layer::memory; }
struct memory_type<Layer> {
    using type = typename Layer::memory;
};
template <class Layer>
using memory_of = typename memory_type<Layer>::type;

/// A type as the compiler spells it; compilers differ in the details.
template <class Type>
constexpr std::string_view spelling_of() noexcept {
#if defined(__clang__) || defined(__GNUC__)
    std::string_view text = __PRETTY_FUNCTION__;
    text.remove_prefix(text.find("Type = ") + 7);
    std::size_t end = 0;
    for (int depth = 0; end < text.size() && (depth != 0 || (text[end] != ';' && text[end] != ']')); ++end)
        depth += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0;
    return text.substr(0, end);
#else
    std::string_view text = __FUNCSIG__;
    text.remove_prefix(text.find("spelling_of<") + 12);
    return text.substr(0, text.rfind(">(void)"));
#endif
}

/// The last name in a spelling, without the scopes around it and without template arguments.
constexpr std::string_view last_name_of(std::string_view spelling) noexcept {
    auto end = spelling.size();
    for (int depth = 0; end != 0 && (depth != 0 || spelling[end - 1] == '>'); --end)
        depth += spelling[end - 1] == '>' ? 1 : spelling[end - 1] == '<' ? -1 : 0;
    auto const before = spelling.find_last_of(": )", end == 0 ? 0 : end - 1);
    return spelling.substr(before + 1, end - before - 1);  // npos + 1 is 0
}

/// A constant, so that no run searches the spelling.
template <class Layer>
inline constexpr std::string_view type_name = last_name_of(spelling_of<Layer>());

/// The layer's own `name`, else its type's.
template <class Layer>
constexpr std::string_view layer_name() noexcept {
    if constexpr (requires {
                      { Layer::name } -> std::convertible_to<std::string_view>;
                  })
        return Layer::name;
    else return type_name<Layer>;
}

}  // namespace detail

/// A class with `static constexpr auto effects` and a hook; final classes cannot be searched for one.
template <class Layer>
concept layer =
    std::is_class_v<Layer> && !std::is_final_v<Layer> && detail::declares_effects<Layer> && detail::has_hook<Layer>;

}  // namespace v1
}  // namespace condense
