// SPDX-License-Identifier: BSL-1.0

// How do I know that a store of my own keeps the laws?

#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <condense/core/store.hpp>
#include <condense/store/content_hash.hpp>
#include <condense/testing/store_laws.hpp>

#include "check.hpp"

// Stands for a client of your database: copies share what they keep, and any thread may call it.
class map_store {
public:
    condense::reference name(std::string_view content) const { return condense::content_hash{}(content, 0); }

    condense::store_error put(condense::reference const& name, std::string_view content) const {
        std::lock_guard const lock{shared_->guard};
        auto const [place, inserted] = shared_->contents.try_emplace(name, content);
        if (!inserted && place->second != content) return {"the name holds other content"};
        return {};
    }

    std::optional<std::string> get(condense::reference const& name) const {
        std::lock_guard const lock{shared_->guard};
        auto const place = shared_->contents.find(name);
        if (place == shared_->contents.end()) return std::nullopt;
        return place->second;
    }

private:
    struct state {
        std::mutex guard;
        std::map<condense::reference, std::string> contents;
    };
    std::shared_ptr<state> shared_ = std::make_shared<state>();
};

int main() {
    auto const violations = condense::testing::check_store_laws([] { return map_store{}; });
    for (auto const& each : violations) std::cerr << each.text() << '\n';
    check(violations.empty());
}
