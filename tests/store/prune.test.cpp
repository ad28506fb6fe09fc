// SPDX-License-Identifier: BSL-1.0
#include <condense/store/prune.hpp>

#include <condense/store/artifact_folder.hpp>
#include <condense/store/memory.hpp>

#include "store/kit.hpp"

namespace {

/// Fails where a test says so, and counts what is erased.
struct failing_store : condense::memory_store {
    bool lists = true;
    std::size_t erases = 0;  ///< before erase fails
    std::size_t* erased = nullptr;

    condense::store_error each(auto&& f) const {
        static_cast<void>(static_cast<bool>(condense::memory_store::each(f)));
        return lists ? condense::store_error{} : condense::store_error{"cannot list"};
    }
    condense::store_error erase(condense::reference const& name) const {
        if (*erased == erases) return {"cannot erase"};
        ++*erased;
        return condense::memory_store::erase(name);
    }
};

auto const nothing = [](condense::reference const&) { return false; };

}  // namespace

TEST_CASE("prune: erases what is not in use, and no more") {
    condense::memory_store const store;
    for (std::string_view const each : {"one", "two", "three"}) CHECK_FALSE(store.put(store.name(each), each));
    CHECK_FALSE(condense::prune(store, [&](condense::reference const& name) { return name == store.name("two"); }));
    CHECK(store.size() == 1);
    CHECK(store.get(store.name("two")) == "two");
    CHECK_FALSE(condense::prune(store, nothing));
    CHECK(store.size() == 0);
}

TEST_CASE("prune: erases nothing where the store cannot list, and stops where it cannot erase") {
    std::size_t erased = 0;
    failing_store store;
    store.erased = &erased;
    store.erases = 1;
    for (std::string_view const each : {"one", "two", "three"}) CHECK_FALSE(store.put(store.name(each), each));
    store.lists = false;
    CHECK(std::string_view{condense::prune(store, nothing).reason} == "cannot list");
    CHECK(erased == 0);
    store.lists = true;
    CHECK(std::string_view{condense::prune(store, nothing).reason} == "cannot erase");
    CHECK(erased == 1);
    CHECK(store.size() == 2);
}

TEST_CASE("prune: with a quota erases the oldest beyond it, and what has expired", "[law-S7][row-C2]") {
    condense::memory_store const store;
    auto const now = condense::detail::calendar_seconds();
    auto const content = [](int number) { return std::to_string(number) + std::string(9, '.'); };
    auto const put = [&](int number, std::uint64_t age, std::string const& conversation = "a") {
        auto const text = content(number);
        CHECK_FALSE(store.put(store.name(text), text, {.conversation = conversation, .time = now - age}));
    };
    auto const has = [&](int number) { return store_tests::holds(store, content(number)); };
    auto const unused = [](condense::reference const&, condense::artifact_source const&) { return false; };
    for (int number = 0; number < 150; ++number) put(number, 1'000 - static_cast<std::uint64_t>(number));
    CHECK_FALSE(condense::prune(store, condense::store_quota{}, unused));
    CHECK(store.size() == 150);
    put(150, 1);
    CHECK_FALSE(condense::prune(store, condense::store_quota{}, [&](condense::reference const& name, auto const&) {
        return name == store.name(content(7));
    }));
    CHECK(store.size() == 100);
    CHECK(has(7));
    CHECK_FALSE(has(0));
    CHECK_FALSE(has(51));
    CHECK(has(52));
    CHECK(has(150));
    CHECK_FALSE(condense::prune(store, condense::store_quota{.keep_bytes = {500}, .clean_at_bytes = {2'000}}, unused));
    CHECK(store.size() == 100);
    CHECK_FALSE(condense::prune(store, condense::store_quota{.keep_bytes = {500}, .clean_at_bytes = {1'000}}, unused));
    CHECK(store.size() < 50);
    CHECK(has(150));
    CHECK_FALSE(condense::prune(store, condense::store_quota{.expire_after = 500}, unused));
    CHECK(has(150));
    put(200, 501);
    put(201, 501, "b");
    CHECK_FALSE(condense::prune(store, condense::store_quota{.expire_after = 500, .conversation = "b"}, unused));
    CHECK(has(200));
    CHECK_FALSE(has(201));
}

TEMPLATE_TEST_CASE("prune: of one second the oldest go, too", "", condense::memory_store, condense::artifact_folder) {
    scratch::folder const root;
    auto const store = [&] {
        if constexpr (std::is_constructible_v<TestType, std::string>) return TestType{root / "s"};
        else return TestType{};
    }();
    std::vector<std::string> all;
    for (int number = 0; number < 30; ++number) {
        all.push_back(std::to_string(number) + " is kept");
        CHECK_FALSE(store.put(store.name(all.back()), all.back(), condense::artifact_source{}));
    }
    CHECK_FALSE(condense::prune(store, condense::store_quota{.keep = 10, .clean_at = 20},
                                [](condense::reference const&, condense::artifact_source const&) { return false; }));
    for (std::size_t number = 0; number < all.size(); ++number)
        CHECK(store_tests::holds(store, all[number]) == (number >= 20));
}

TEST_CASE("prune: what two conversations hold is in use if one of them uses it", "[law-S7]") {
    condense::memory_store const store;
    for (auto const* const conversation : {"a", "b"})
        CHECK_FALSE(store.put(store.name("both"), "both", {.conversation = conversation, .time = 1}));
    auto const used_by = [&](std::string conversation) {
        return [conversation](condense::reference const&, condense::artifact_source const& source) {
            return source.conversation == conversation;
        };
    };
    condense::store_quota const none{.keep = 0, .clean_at = 0};
    CHECK_FALSE(condense::prune(store, none, used_by("a")));
    CHECK_FALSE(condense::prune(store, none, used_by("b")));
    CHECK(store.size() == 1);
    CHECK_FALSE(condense::prune(store, none, used_by("c")));
    CHECK(store.size() == 0);
}
