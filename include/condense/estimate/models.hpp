// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <condense/estimate/model.hpp>
#include <condense/estimate/model_name.hpp>
#include <condense/estimate/model_table.hpp>

// From a model's name to its facts: `auto const found = find_model("anthropic/claude-opus-4-5")`. If `found.known()` is
// false they are the documented defaults.

namespace condense {
inline namespace v1 {

/// When the facts of the built-in table were gathered, as year, month and day.
inline constexpr std::string_view model_facts_date = detail::model_facts_date;

namespace detail {

constexpr model const* in_table(std::string_view name) noexcept {
    for (auto const& each : model_table)
        if (same_name(each.name, name)) return &each;
    return nullptr;
}

constexpr std::string_view alias_of(std::string_view name) noexcept {
    for (auto const& each : model_aliases)
        if (same_name(each.name, name)) return each.of;
    return {};
}

/// A date behind the name is a snapshot of the same model with these makers; with others a date may mean another
/// window.
constexpr bool dates_snapshots(model_family which) noexcept {
    return which == model_family::claude || which == model_family::claude_4_7 || which == model_family::gpt;
}

/// Looks a bare name up by `look`, a callable from a name to a pointer: as it stands, as an alias, without its date.
template <class Look>
constexpr found_model find_bare(std::string_view name, Look const& look) {
    if (auto const* const found = look(name)) return {*found, model_match::exact};
    if (auto const* const found = look(alias_of(name))) return {*found, model_match::alias};
    auto const date = date_behind(name);
    if (date.empty() || !dates_snapshots(family_of(name))) return {};
    name.remove_suffix(date.size());
    if (auto const* const found = look(name)) return {*found, model_match::snapshot};
    if (auto const* const found = look(alias_of(name))) return {*found, model_match::snapshot};
    return {};
}

/// The defaults, with what the name shows all the same.
constexpr found_model unknown_model(std::string_view name) noexcept {
    return {{.family = family_of(name)}, model_match::unknown};
}

}  // namespace detail

/// The facts of the model, from the built-in table. A name counts as it is written there, or in the documented other
/// ways: behind providers ("anthropic/…", "us.anthropic.…-v1:0"), with a date ("…-20251101", "…@20251101"), as an
/// alias, with a dot for a hyphen between digits, in letters of either case. No name is ever found by a part of it;
/// what is not found has the default window of 128,000 tokens, and `known()` is false.
constexpr found_model find_model(std::string_view name) noexcept {
    auto const bare = detail::bare(name);
    if (!bare.listed) return detail::unknown_model(name);
    auto const found = detail::find_bare(bare.name, [](std::string_view each) { return detail::in_table(each); });
    return found.known() ? found : detail::unknown_model(name);
}

}  // namespace v1
}  // namespace condense
