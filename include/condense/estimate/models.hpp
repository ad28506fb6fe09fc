// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <condense/estimate/model.hpp>
#include <condense/estimate/model_name.hpp>
#include <condense/estimate/model_table.hpp>

// Finds the facts of a model by its name: find_model("anthropic/claude-opus-4-5"). If `known()` of the result is false
// they are the documented defaults.

namespace condense {
inline namespace v1 {

/// When the facts of the built-in table were collected, as year-month-day.
inline constexpr std::string_view model_facts_date = detail::model_facts_date;

namespace detail {

/// The row with this name; null without one. Linear: the table has some 150 rows.
constexpr model const* find_in_table(std::string_view name) noexcept {
    for (auto const& entry : model_table)
        if (same_name(entry.name, name)) return &entry;
    return nullptr;
}

/// The name in the table that `name` is an alias of; empty without one.
constexpr std::string_view resolve_alias(std::string_view name) noexcept {
    for (auto const& entry : model_aliases)
        if (same_name(entry.name, name)) return entry.target;
    return {};
}

/// True for makers whose names with a date are snapshots of the same model. With other makers a date may mean another
/// window.
constexpr bool dates_snapshots(model_family which) noexcept {
    return which == model_family::claude || which == model_family::claude_4_7 || which == model_family::gpt;
}

/// Looks a bare name up as it is, then as an alias, then both without its date. `look_up` returns a pointer to the
/// model of a name, or null. A result with match unknown if all fail.
template <class LookUp>
constexpr found_model find_bare(std::string_view name, LookUp const& look_up) {
    if (auto const* const entry = look_up(name)) return {*entry, model_match::exact};
    if (auto const* const entry = look_up(resolve_alias(name))) return {*entry, model_match::alias};
    auto const date = date_behind(name);
    if (date.empty() || !dates_snapshots(family_of(name))) return {};
    name.remove_suffix(date.size());
    if (auto const* const entry = look_up(name)) return {*entry, model_match::snapshot};
    if (auto const* const entry = look_up(resolve_alias(name))) return {*entry, model_match::snapshot};
    return {};
}

/// The defaults, with the family, which the beginning of a name shows even if the model is unknown.
constexpr found_model unknown_model(std::string_view name) noexcept {
    return {{.family = family_of(name)}, model_match::unknown};
}

}  // namespace detail

/// Finds the facts of a model in the built-in table. A name matches as it is written there, or behind providers
/// ("anthropic/…", "us.anthropic.…-v1:0"), with a date ("…-20251101", "…@20251101"), as an alias, with a dot for a
/// hyphen between digits, in letters of either case. A part of a name never matches. Without a match the facts are the
/// defaults, such as a window of 128,000 tokens, and `known()` is false.
constexpr found_model find_model(std::string_view name) noexcept {
    auto const bare = detail::bare(name);
    // An unknown provider may serve something else under the same name.
    if (!bare.listed) return detail::unknown_model(name);
    auto const result =
        detail::find_bare(bare.name, [](std::string_view candidate) { return detail::find_in_table(candidate); });
    return result.known() ? result : detail::unknown_model(name);
}

}  // namespace v1
}  // namespace condense
