// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <condense/core/store.hpp>
#include <condense/store/prune.hpp>

#include "store/contents.hpp"
#include "support/catch.hpp"

// What holds for every artifact store. `make(hash)` gives one that is empty.

namespace store_tests {

void artifact_store_gives_back_what_it_was_given(auto make) {
    condense::artifact_store auto const store = make(condense::content_hash{});
    auto const all = contents();
    std::vector<condense::reference> names;
    for (auto const& content : all) {
        names.push_back(store.name(content));
        CHECK_FALSE(store.get(names.back()).has_value());
        CHECK_FALSE(store.put(names.back(), content));
        CHECK_FALSE(store.put(names.back(), content));
    }
    auto const copy = store;
    for (std::size_t place = 0; place < all.size(); ++place) {
        CHECK((copy.get(names[place]) == all[place]));
        CHECK(copy.name(all[place]) == names[place]);
    }
    CHECK_FALSE(store.get(store.name("never put")).has_value());
    CHECK_FALSE(store.get({}).has_value());
    CHECK(store.put(names[1], "else"));
    CHECK(store.get(names[1]) == "text");
}

void artifact_store_never_overwrites(auto make) {
    condense::artifact_store auto const store = make(colliding_hash{});
    std::vector<std::string> const all{"one", "two", "six", std::string("\0\xFF", 2), ""};
    std::vector<condense::reference> names;
    for (auto const& content : all) {
        names.push_back(store.name(content));
        CHECK_FALSE(store.put(names.back(), content));
    }
    CHECK(names[0] == colliding_hash{}("two", 0));
    CHECK(names[1] == colliding_hash{}("one", 1));
    for (std::size_t place = 0; place < all.size(); ++place) {
        CHECK(store.get(names[place]) == all[place]);
        CHECK(store.name(all[place]) == names[place]);
    }
    CHECK(store.put(names[0], "two"));
    CHECK(store.put(names[0], "onetwo"));
    CHECK(store.get(names[0]) == "one");
}

void artifact_store_lists_and_erases(auto make) {
    condense::erasable_store auto const store = make(condense::content_hash{});
    static_assert(condense::listable_store<decltype(make(condense::content_hash{}))>);
    auto const listed = [&] {
        std::map<condense::reference, std::uint64_t> all;
        CHECK_FALSE(store.each([&](condense::reference const& name, condense::bytes size) {
            CHECK(store.get(name).has_value());
            CHECK(all.emplace(name, size.count).second);
        }));
        return all;
    };
    CHECK(listed().empty());
    CHECK_FALSE(store.erase(store.name("never put")));
    std::map<condense::reference, std::uint64_t> expected;
    for (auto const& content : contents()) {
        CHECK_FALSE(store.put(store.name(content), content));
        expected[store.name(content)] = content.size();
    }
    CHECK(listed() == expected);
    auto const gone = store.name("text");
    CHECK_FALSE(store.erase(gone));
    CHECK_FALSE(store.erase(gone));
    CHECK_FALSE(store.get(gone).has_value());
    expected.erase(gone);
    CHECK(listed() == expected);
    CHECK_FALSE(condense::prune(store, [&](condense::reference const& name) { return expected.at(name) > 100; }));
    std::erase_if(expected, [](auto const& each) { return each.second <= 100; });
    CHECK(listed() == expected);
    CHECK_FALSE(store.put(gone, "text"));
    CHECK(store.get(gone) == "text");
}

/// Of eight contents for one name, put at once, one is kept and seven are refused.
void artifact_store_is_for_threads(auto make) {
    condense::artifact_store auto const shared = make(condense::content_hash{});
    condense::artifact_store auto const colliding = make(colliding_hash{});
    std::atomic<int> failed = 0;
    std::atomic<int> kept = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 8; ++thread)
        threads.emplace_back([&, thread, store = shared] {
            for (int entry = 0; entry < 12; ++entry) {
                auto const content = std::to_string(entry);
                if (store.put(store.name(content), content)) ++failed;
                if (store.get(store.name(content)) != content) ++failed;
            }
            auto const own = std::to_string(thread);
            if (!colliding.put(colliding_hash{}("", 0), own)) ++kept;
        });
    for (auto& thread : threads) thread.join();
    CHECK(failed == 0);
    CHECK(kept == 1);
    auto const one = colliding.get(colliding_hash{}("", 0));
    REQUIRE(one.has_value());
    CHECK(one->size() == 1);
}

}  // namespace store_tests
