// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>
#include <vector>

#include <condense/core/store.hpp>

// Erases artifacts that nobody refers to any more:
// condense::prune(store, [&](condense::reference const& name) { return in_use.contains(name); }).

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

}  // namespace v1
}  // namespace condense
