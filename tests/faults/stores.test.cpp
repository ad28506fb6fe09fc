// SPDX-License-Identifier: BSL-1.0
#include <array>

#include <condense/store/file.hpp>
#include <condense/store/markdown_memory.hpp>
#include <condense/store/quota_store.hpp>
#include <condense/store/redis_cache.hpp>
#include <condense/store/redis_store.hpp>
#include <condense/store/sqlite_cache.hpp>
#include <condense/store/sqlite_journal.hpp>
#include <condense/store/sqlite_store.hpp>

#include "faults/harness.hpp"
#include "store/cache_laws.hpp"
#include "store/redis_server.hpp"

// Each allocation of a store, a journal, a cache and a memory fails in turn: what was acknowledged is there and whole,
// nothing else is torn, and the same handle goes on.

namespace {

using condense::store_error;

/// Each operation of a course may fail; those behind it are made all the same.
struct course {
    /// True where it neither throws nor returns an error.
    template <class Operation>
    bool goes_well(Operation&& operation) {
        bool good = false;
        static_cast<void>(faults::throws([&] { good = !operation(); }));
        failures += good ? 0u : 1u;
        return good;
    }

    unsigned failures = 0;
};

/// Calls round(n, course) for each n, whose n-th point fails, none at 0; it returns how many points it has passed.
/// Where they are many, the run takes its share.
template <class Round>
void fail_each(Round const& round) {
    std::uint64_t failures = 0;
    std::uint64_t step = 1;
    for (std::uint64_t failing = 0;; failing += step) {
        course of;
        auto const points = round(failing, of);
        if (failing == 0 && points > 500) step = stride();
        faults::expect(of.failures <= (failing == 0 ? 0u : 1u), failing, "more than one operation failed");
        failures += of.failures;
        if (failing == 0) CHECK(points > 4);
        else if (points < failing) break;
    }
    CHECK(failures > 0);
}

std::array<std::string, 3> const& contents() {
    static std::array<std::string, 3> const all{std::string(900, 'a'), std::string(7'000, 'b'), "{\"c\":1}"};
    return all;
}

/// `open(path)` gives a store that keeps its data at that path; with `Outlives` another handle sees them.
template <bool Outlives = true>
void store_with_faults(auto const& open) {
    std::string const conversation = "a conversation, of a longer name";
    fail_each([&](std::uint64_t failing, course& of) {
        scratch::folder const root{scratch::memory()};
        auto const path = root / "a folder of a longer name";
        auto const store = open(path);
        std::array<std::optional<condense::reference>, 3> acknowledged;
        auto const points = faults::points_of(failing, [&] {
            for (std::size_t place = 0; place < contents().size(); ++place) {
                condense::reference name;
                bool const good = of.goes_well([&] {
                    condense::artifact_source const source{.conversation = conversation,
                                                           .tool = "a tool of a longer name"};
                    name = store.name(contents()[place]);
                    return store.put(name, contents()[place], source);
                });
                if (good) acknowledged[place] = name;
            }
            of.goes_well([&]() -> store_error {
                for (auto const& name : acknowledged)
                    if (name) static_cast<void>(store.source(*name, conversation));
                return {};
            });
            of.goes_well([&] { return store.each([](auto const&, auto) {}); });
            of.goes_well([&] { return store.each_source([](auto const&, auto, auto const&) {}); });
            if (acknowledged[0] && of.goes_well([&] { return store.erase(*acknowledged[0]); })) acknowledged[0].reset();
        });
        auto const expect_kept = [&](auto const& from, std::string const& where) {
            for (std::size_t place = 0; place < contents().size(); ++place) {
                if (!acknowledged[place]) continue;
                auto const content = from.get(*acknowledged[place]);
                bool const half_erased = place == 0;
                faults::expect(content == contents()[place] || (half_erased && !content), failing, where + ": lost");
                faults::expect(half_erased || from.source(*acknowledged[place], conversation), failing,
                               where + ": lost where it comes from");
            }
            std::size_t names = 0;
            CHECK_FALSE(from.each([&](condense::reference const& name, condense::bytes) {
                auto const content = from.get(name);
                faults::expect(content && std::ranges::find(contents(), *content) != contents().end(), failing,
                               where + ": torn");
                ++names;
            }));
            return names;
        };
        expect_kept(store, "the handle");
        if constexpr (Outlives) expect_kept(open(path), "another handle");
        for (auto const& file : scratch::names_in(path))
            faults::expect(!file.ends_with(".tmp"), failing, "a temporary file stays behind");
        for (std::size_t place = 0; place < contents().size(); ++place) {
            acknowledged[place] = store.name(contents()[place]);
            CHECK_FALSE(store.put(*acknowledged[place], contents()[place], {.conversation = conversation}));
        }
        CHECK(expect_kept(store, "afterwards") == contents().size());
        return points;
    });
}

/// The same for a journal.
template <bool Outlives = true>
void journal_with_faults(auto const& open) {
    std::string const first = "the first conversation, of a longer name";
    std::string const second = "the second conversation, of a longer name";
    fail_each([&](std::uint64_t failing, course& of) {
        scratch::folder const root{scratch::memory()};
        auto const path = root / "a folder of a longer name";
        auto const journal = open(path);
        auto const append = [&](std::string const& conversation, std::uint64_t number) {
            auto const& content = contents()[number % 3];
            return journal.append(conversation, {journal.name(content), number, false}, content);
        };
        std::vector<std::uint64_t> acknowledged;
        acknowledged.reserve(10);
        auto const points = faults::points_of(failing, [&] {
            for (std::uint64_t number = 0; number < 3; ++number)
                if (of.goes_well([&] { return append(first, number); })) acknowledged.push_back(number);
            of.goes_well([&] { return append(second, 0); });
            of.goes_well([&] { return journal.flush(first); });
            of.goes_well([&] { return journal.read(first, [](auto const&, auto) {}); });
            of.goes_well([&] { return journal.each_conversation([](auto const&) {}); });
        });
        for (std::uint64_t number = 3; number < 5; ++number) {
            faults::expect(!append(first, number), failing, "the handle does not go on");
            acknowledged.push_back(number);
        }
        faults::expect(!journal.flush(first), failing, "the handle does not flush");
        auto const expect_kept = [&](auto const& from, std::string const& where) {
            std::vector<std::uint64_t> numbers;
            CHECK_FALSE(from.read(first, [&](condense::journal_entry const& entry, std::string_view content) {
                faults::expect(content == contents()[entry.number % 3], failing, where + ": another content");
                numbers.push_back(entry.number);
            }));
            faults::expect(std::ranges::adjacent_find(numbers, std::greater_equal{}) == numbers.end(), failing,
                           where + ": out of order");
            faults::expect(std::ranges::includes(numbers, acknowledged), failing, where + ": lost");
        };
        expect_kept(journal, "the handle");
        if constexpr (Outlives) expect_kept(open(path), "another handle");
        return points;
    });
}

/// A cache may forget, but returns no other text.
void cache_with_faults(auto const& open) {
    using cache_tests::key_of;
    fail_each([&](std::uint64_t failing, course& of) {
        scratch::folder const root{scratch::memory()};
        auto const path = root / "a folder of a longer name";
        auto const cache = open(path);
        std::array<bool, 3> acknowledged = {};
        bool wrong = false;
        auto const points = faults::points_of(failing, [&] {
            for (std::size_t place = 0; place < contents().size(); ++place) {
                acknowledged[place] = of.goes_well([&] { return cache.put(key_of(place), contents()[place], 60); });
                of.goes_well([&]() -> store_error {
                    auto const text = cache.get(key_of(place));
                    wrong = wrong || (text && *text != contents()[place]);
                    return {};
                });
            }
        });
        faults::expect(!wrong, failing, "another text");
        for (std::size_t place = 0; place < contents().size(); ++place) {
            auto const text = cache.get(key_of(place));
            faults::expect(text ? *text == contents()[place] : !acknowledged[place], failing, "another text, or none");
            CHECK_FALSE(cache.put(key_of(place), contents()[place], 60));
            CHECK(cache.get(key_of(place)) == contents()[place]);
        }
        return points;
    });
}

}  // namespace

TEST_CASE("faults: memory_store", "[law-7]") {
    store_with_faults<false>([](auto const&) { return condense::memory_store{}; });
}
TEST_CASE("faults: artifact_folder", "[law-7]") {
    store_with_faults([](auto const& path) { return condense::artifact_folder{path}; });
}
TEST_CASE("faults: sqlite_store", "[law-7]") {
    store_with_faults([](auto const& path) { return condense::sqlite_store{path}; });
}
TEST_CASE("faults: quota_store", "[law-7]") {
    store_with_faults(
        [](auto const& path) { return condense::quota_store{condense::artifact_folder{path}, {.artifacts = 3}}; });
}
TEST_CASE("faults: a store is never fuller than its limits") {
    fail_each([&](std::uint64_t failing, course& of) {
        condense::memory_store const inner;
        for (auto const& content : contents())
            CHECK_FALSE(inner.put(inner.name(content), content, {.conversation = "earlier"}));
        condense::quota_store const store{inner, {.artifacts = 3}};
        std::string const more = "one more";
        auto const points = faults::points_of(failing, [&] {
            of.goes_well(
                [&] { return store.put(store.name(contents()[0]), contents()[0], {.conversation = "later"}); });
        });
        CHECK(store.put(store.name(more), more));
        faults::expect(inner.size() == 3, failing, "more than it may hold");
        return points;
    });
}
TEST_CASE("faults: memory_journal", "[law-7]") {
    journal_with_faults<false>([](auto const&) { return condense::memory_journal{}; });
}
TEST_CASE("faults: journal_folder", "[law-7]") {
    journal_with_faults([](auto const& path) { return condense::journal_folder{path}; });
}
TEST_CASE("faults: journal_folder, a file an entry", "[law-7]") {
    journal_with_faults([](auto const& path) {
        return condense::journal_folder{path, condense::journal_folder_options{.most_file_bytes = {100}}};
    });
}
TEST_CASE("faults: sqlite_journal", "[law-7]") {
    journal_with_faults([](auto const& path) { return condense::sqlite_journal{path}; });
}
TEST_CASE("faults: memory_cache") {
    cache_with_faults([](auto const&) { return condense::memory_cache{}; });
}
TEST_CASE("faults: sqlite_cache") {
    cache_with_faults([](auto const& path) { return condense::sqlite_cache{path}; });
}

TEST_CASE("faults: markdown_memory", "[law-7]") {
    std::vector<std::string> const facts{"the first fact, of some length", "the second fact, of some length"};
    fail_each([&](std::uint64_t failing, course& of) {
        scratch::folder const root{scratch::memory()};
        auto const path = root / "a folder of a longer name/memory.md";
        condense::markdown_memory const memory{path};
        std::array<bool, 2> acknowledged = {};
        auto const points = faults::points_of(failing, [&] {
            for (std::size_t place = 0; place < facts.size(); ++place)
                acknowledged[place] = of.goes_well([&] { return memory.add({facts[place]}); });
            of.goes_well([&]() -> store_error {
                static_cast<void>(memory.facts());
                return {};
            });
        });
        auto const known = condense::markdown_memory{path}.facts().facts;
        for (std::size_t place = 0; place < facts.size(); ++place)
            faults::expect(!acknowledged[place] || std::ranges::find(known, facts[place]) != known.end(), failing,
                           "lost");
        CHECK_FALSE(memory.add(facts));
        CHECK(condense::markdown_memory{path}.facts().facts.size() == 2);
        for (auto const& file : scratch::names_in(root / "a folder of a longer name"))
            faults::expect(!file.ends_with(".tmp"), failing, "a temporary file stays behind");
        return points;
    });
}

TEST_CASE("faults: redis_store and redis_cache", "[law-7]") {
    redis_tests::server const real;
    // A prefix of its own for each round, which the name of its folder makes.
    auto const options = [&](std::string const& path) {
        auto own = real.options();
        own.prefix = "t" + std::to_string(std::hash<std::string>{}(path));
        return own;
    };
    store_with_faults([&](auto const& path) { return condense::redis_store{options(path)}; });
    cache_with_faults([&](auto const& path) { return condense::redis_cache{options(path)}; });
}
