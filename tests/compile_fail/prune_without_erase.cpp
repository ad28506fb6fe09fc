// expect: condense: prune: the store must have a const erase(reference const&) that returns a store_error (see
// erasable_store) SPDX-License-Identifier: BSL-1.0
#include <condense/store/prune.hpp>

#include <optional>
#include <string>
#include <string_view>

struct my_store {
    condense::reference name(std::string_view) const { return {}; }
    condense::store_error put(condense::reference const&, std::string_view) const { return {}; }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
    condense::store_error each(auto&& f) const {
        f(condense::reference{}, condense::bytes{});
        return {};
    }
    condense::store_error remove(condense::reference const&) const { return {}; }
};

auto const problem = condense::prune(my_store{}, [](condense::reference const&) { return true; });
