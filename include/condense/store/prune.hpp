// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <condense/core/store.hpp>
#include <condense/detail/calendar.hpp>

// Erases artifacts that nobody refers to any more: all of them,
// condense::prune(store, [&](condense::reference const& name) { return in_use.contains(name); }), or the oldest beyond
// a quota, condense::prune(store, condense::store_quota{.keep = 100, .clean_at = 150}, in_use).

namespace condense {
inline namespace v1 {

/// Erases each artifact for which `in_use(reference)` is false, and stops at the first error, which it returns. Lists
/// all names first, so that `in_use` may look into the store; costs memory for the unused ones. An artifact that
/// another thread is about to refer to must be in use already.
template <class Store, class Function>
store_error prune(Store const& store, Function&& in_use) {
    static_assert(detail::check_store<Store>());
    static_assert(listable_store<Store>,
                  "condense: prune: the store must have a const each(f) that calls f(reference, bytes) and returns a "
                  "store_error (see listable_store)");
    static_assert(erasable_store<Store>,
                  "condense: prune: the store must have a const erase(reference const&) that returns a store_error "
                  "(see erasable_store)");
    std::vector<reference> unused;
    auto const problem = store.each([&](reference const& name, bytes) {
        if (!in_use(name)) unused.push_back(name);
    });
    if (problem) return problem;
    for (auto const& name : unused)
        if (auto const failed = store.erase(name)) return failed;
    return {};
}

/// How much a clean-up leaves. The defaults are those of the preset `cascade`.
struct store_quota {
    std::uint64_t keep = 100;  ///< artifacts that a clean-up leaves
    std::uint64_t clean_at = 150;  ///< artifacts above which it takes place
    bytes keep_bytes = {detail::u64_limit};
    bytes clean_at_bytes = {detail::u64_limit};
    std::uint64_t expire_after = detail::u64_limit;  ///< seconds; older artifacts go at any number
    /// Whose artifacts are counted and erased; without it those of all conversations together.
    std::optional<std::string> conversation = {};
};

namespace detail {

/// An artifact and what is known of it.
struct prunable_artifact {
    reference name = {};
    bytes size = {};
    /// Of the latest source: seconds, and nanoseconds within.
    std::pair<std::uint64_t, std::uint64_t> time = {};
    bool counts = false;  ///< it is of the quota's conversation
    bool in_use = false;
};

/// All artifacts, the oldest first; in one moment, in the order of the store.
template <class Store, class Function>
store_error list_prunable(Store const& store, store_quota const& quota, Function& in_use,
                          std::vector<prunable_artifact>& all) {
    std::map<reference, std::size_t> places;
    auto const problem = store.each_source([&](reference const& name, bytes size, artifact_source const& source) {
        auto const [position, inserted] = places.try_emplace(name, all.size());
        if (inserted) all.push_back({name, size});
        auto& artifact = all[position->second];
        artifact.time = (std::max)(artifact.time, {source.time, source.nanoseconds});
        artifact.counts = artifact.counts || !quota.conversation || source.conversation == *quota.conversation;
        artifact.in_use = artifact.in_use || in_use(name, source);
    });
    std::stable_sort(all.begin(), all.end(), [](prunable_artifact const& left, prunable_artifact const& right) {
        return left.time < right.time;
    });
    return problem;
}

}  // namespace detail

/// Where there are more than `clean_at` artifacts, erases the oldest down to `keep`, and in any case those that have
/// expired; never one for which in_use(reference, artifact_source const&) is true for any of its sources. Stops at the
/// first error, which it returns. `in_use` for a session: `artifacts_in_use`. Another process that puts the same
/// content again at that moment loses it.
template <traceable_store Store, class Function>
store_error prune(Store const& store, store_quota const& quota, Function&& in_use) {
    static_assert(erasable_store<Store>, "condense: prune: the store must be an erasable_store (see erasable_store)");
    std::vector<detail::prunable_artifact> all;
    if (auto const problem = detail::list_prunable(store, quota, in_use, all)) return problem;
    std::uint64_t count = 0;
    bytes size = {};
    for (auto const& each : all)
        if (each.counts) ++count, size.count = detail::add_capped(size.count, each.size.count);
    bool const crowded = count > quota.clean_at;
    bool const large = size > quota.clean_at_bytes;
    auto const now = detail::calendar_seconds();
    for (auto const& each : all) {
        bool const expired = each.time.first < now && now - each.time.first > quota.expire_after;
        bool const beyond = (crowded && count > quota.keep) || (large && size > quota.keep_bytes);
        if (!each.counts || each.in_use || !(expired || beyond)) continue;
        if (auto const problem = store.erase(each.name)) return problem;
        --count;
        size.count -= (std::min)(size.count, each.size.count);
    }
    return {};
}

}  // namespace v1
}  // namespace condense
