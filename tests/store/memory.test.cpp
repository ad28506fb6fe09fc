// SPDX-License-Identifier: BSL-1.0
#include <condense/store/memory.hpp>

#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace {

/// Gives every content the same name at the first attempts.
struct colliding_hash {
    condense::reference operator()(std::string_view content, std::uint64_t attempt) const {
        auto name = condense::content_hash{}(attempt < 2 ? "" : content, attempt);
        if (attempt < 2) name.digest[0] = static_cast<std::uint8_t>(attempt);
        return name;
    }
};

}  // namespace

TEST_CASE("the same content has the same name and is stored once", "[case-T60]") {
    condense::memory_store const store;
    auto const name = store.name("text");
    CHECK(name.text().size() == 24);
    CHECK(name == store.name("text"));
    CHECK_FALSE(store.put(name, "text"));
    CHECK_FALSE(store.put(name, "text"));
    CHECK(store.size() == 1);
    CHECK(store.get(name) == "text");
    CHECK(store.name("other text") != name);
    CHECK_FALSE(store.get(store.name("other text")).has_value());
}

TEST_CASE("copies of a store share what is stored") {
    condense::memory_store const store;
    auto const copy = store;
    CHECK_FALSE(copy.put(copy.name("x"), "x"));
    CHECK(store.get(store.name("x")) == "x");
}

TEST_CASE("different content never overwrites, not even under a collision") {
    condense::basic_memory_store const store{colliding_hash{}};
    std::vector<std::string> const contents{"one", "two", "three", std::string("\0\xFF", 2), ""};
    std::vector<condense::reference> names;
    for (auto const& content : contents) {
        names.push_back(store.name(content));
        CHECK_FALSE(store.put(names.back(), content));
    }
    for (std::size_t place = 0; place < contents.size(); ++place) {
        CHECK(store.get(names[place]) == contents[place]);
        CHECK(store.name(contents[place]) == names[place]);
    }
    CHECK(store.put(names[0], "else"));
    CHECK(store.get(names[0]) == "one");
}

TEST_CASE("threads may share a store") {
    condense::memory_store const store;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([store] {
            for (int entry = 0; entry < 200; ++entry) {
                auto const content = std::to_string(entry);
                static_cast<void>(store.put(store.name(content), content));
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(store.size() == 200);
}
