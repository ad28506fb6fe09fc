// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <condense/core/effect.hpp>
#include <condense/core/pass.hpp>

// What makes a type a layer: declared effects and at least one hook, `reduce(draft, pass)` or
// `arrive(draft, sequence, pass)`, both const and found by name.

namespace condense {
inline namespace v1 {
namespace detail {

/// Defined beside sliding_window, for what selects as it does and is written without it.
template <class = void>
struct window_layer;

struct hook_names {
    void reduce();
    void arrive();
};

// A name that both bases have is ambiguous, so asking for its address tells whether Layer has it,
// overloaded, constrained or a template.
template <class Layer, bool = std::is_class_v<Layer> && !std::is_final_v<Layer>>
struct hook_probe : Layer, hook_names {};
template <class Layer>
struct hook_probe<Layer, false> {};

template <class Layer>
concept names_reduce = std::is_class_v<Layer> && !requires { &hook_probe<Layer>::reduce; };
template <class Layer>
concept names_arrive = std::is_class_v<Layer> && !requires { &hook_probe<Layer>::arrive; };

template <class Layer>
concept has_hook = names_reduce<Layer> || names_arrive<Layer>;

template <class Layer>
concept has_when = requires(Layer const& layer, usage const& now) { layer.when.due(now); };

template <class Layer>
constexpr effect effects_of() noexcept {
    if constexpr (declares_effects<Layer>) return Layer::effects;
    else return effect::none;
}

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
struct memory_type { using type = no_memory; };
template <class Layer>
    requires requires { typename Layer::memory; }
struct memory_type<Layer> { using type = typename Layer::memory; };
template <class Layer>
using memory_of = typename memory_type<Layer>::type;

/// A type as the compiler spells it, which differs from one to the next.
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

/// What stands last in it: no namespace, function or class around it, no template arguments.
constexpr std::string_view last_name_of(std::string_view spelling) noexcept {
    auto end = spelling.size();
    for (int depth = 0; end != 0 && (depth != 0 || spelling[end - 1] == '>'); --end)
        depth += spelling[end - 1] == '>' ? 1 : spelling[end - 1] == '<' ? -1 : 0;
    auto const before = spelling.find_last_of(": )", end == 0 ? 0 : end - 1);
    return spelling.substr(before + 1, end - before - 1);  // npos + 1 is 0
}

/// Found by the compiler, not in each run.
template <class Layer>
inline constexpr std::string_view type_name = last_name_of(spelling_of<Layer>());

/// The layer's own `name`, else its type's.
template <class Layer>
constexpr std::string_view layer_name() noexcept {
    if constexpr (requires { { Layer::name } -> std::convertible_to<std::string_view>; }) return Layer::name;
    else return type_name<Layer>;
}

}  // namespace detail

/// A class with `static constexpr auto effects` and a hook; final classes cannot be searched for one.
template <class Layer>
concept layer = std::is_class_v<Layer> && !std::is_final_v<Layer> && detail::declares_effects<Layer> &&
                detail::has_hook<Layer>;

}  // namespace v1
}  // namespace condense
