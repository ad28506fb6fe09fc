// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/cached.hpp>
#include <condense/store/file.hpp>
#include <condense/store/markdown_memory.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>
#include <condense/store/quota_store.hpp>
#include <condense/store/redis_cache.hpp>
#include <condense/store/redis_store.hpp>
#include <condense/store/sqlite_cache.hpp>
#include <condense/store/sqlite_journal.hpp>
#include <condense/store/sqlite_store.hpp>
#include <condense/testing/store_laws.hpp>

#include "store/cache_laws.hpp"
#include "store/redis_server.hpp"
#include "support/effort.hpp"

// Built with the thread sanitizer: one handle of a store, a journal, a cache or a memory in several threads. What
// each saw is judged by the first thread alone.

namespace {

constexpr std::size_t count = 8;

/// Bounded, as some rounds list all that is kept.
std::uint64_t most() { return std::min<std::uint64_t>(2 + rounds(200), 300); }

/// Runs work(number) in eight threads, which says what went wrong; what the first to fail said.
std::string in_threads(auto const& work) {
    std::vector<std::string> said(count);
    condense::testing::detail::in_threads(count, [&](std::size_t number) { said[number] = work(number); });
    for (auto const& each : said)
        if (!each.empty()) return each;
    return {};
}

std::string reason(condense::store_error const& problem) { return std::string{std::string_view{problem.reason}}; }

/// Threads share half of what they put.
std::string content_of(std::size_t number, std::uint64_t round) {
    return "content " + std::to_string(round % 2 == 0 ? round : round * 1'000 + number);
}

void share_store(auto const& store) {
    CHECK(in_threads([&](std::size_t number) -> std::string {
              auto const mine = "conversation " + std::to_string(number);
              for (std::uint64_t round = 0; round < most(); ++round) {
                  auto const content = content_of(number, round);
                  auto const name = store.name(content);
                  if (auto const problem = store.put(name, content, {.conversation = mine})) return reason(problem);
                  if (store.get(name) != content) return "lost: " + content;
                  if (!store.source(name, mine)) return "lost where it comes from: " + content;
                  if (round % 16 == 0)
                      if (auto const problem = store.each([](auto const&, auto) {})) return reason(problem);
                  if (round % 16 == 15)
                      if (auto const problem = store.erase(name)) return reason(problem);
              }
              return {};
          }) == "");
}

void share_journal(auto const& journal) {
    CHECK(in_threads([&](std::size_t number) -> std::string {
              auto const mine = "conversation " + std::to_string(number % 4);  // two threads to each
              for (std::uint64_t round = 0; round < most(); ++round) {
                  auto const content = content_of(number, round);
                  if (auto const problem = journal.append(mine, {journal.name(content), round, false}, content))
                      return reason(problem);
                  if (round % 8 != 7) continue;
                  if (auto const problem = journal.flush(mine)) return reason(problem);
                  std::uint64_t lines = 0;
                  if (auto const problem = journal.read(mine, [&](auto const&, auto) { ++lines; }))
                      return reason(problem);
                  if (lines < round + 1) return "lost of " + mine;
                  if (auto const problem = journal.each_conversation([](auto const&) {})) return reason(problem);
              }
              return reason(journal.flush(mine));
          }) == "");
    for (std::size_t number = 0; number < 4; ++number) {
        std::uint64_t lines = 0;
        CHECK_FALSE(journal.read("conversation " + std::to_string(number), [&](auto const&, auto) { ++lines; }));
        CHECK(lines == 2 * most());
    }
}

}  // namespace

TEST_CASE("stores in memory and in files are shared by threads") {
    scratch::folder const root{scratch::memory()};
    share_store(condense::memory_store{});
    share_store(condense::artifact_folder{root / "folder"});
    share_store(condense::sqlite_store{root / "store.db"});
    share_store(condense::quota_store{condense::memory_store{}, {.artifacts = 100'000}});
}

TEST_CASE("journals are shared by threads") {
    scratch::folder const root{scratch::memory()};
    share_journal(condense::memory_journal{});
    share_journal(condense::journal_folder{root / "folder"});
    share_journal(
        condense::journal_folder{root / "files", condense::journal_folder_options{.most_file_bytes = {2'000}}});
    share_journal(condense::sqlite_journal{root / "journal.db"});
}

TEST_CASE("caches and memories are shared by threads") {
    scratch::folder const root{scratch::memory()};
    cache_tests::threads_share(condense::memory_cache{{.entries = 8}}, most());
    cache_tests::threads_share(condense::sqlite_cache{root / "cache.db", {.entries = 8}}, most());
    condense::markdown_memory const memory{root / "memory.md"};
    CHECK(in_threads([&](std::size_t number) { return reason(memory.add({"fact " + std::to_string(number)})); }) == "");
    CHECK(memory.facts().facts.size() == count);
}

TEST_CASE("a store and a cache of a Redis server are shared by threads") {
    redis_tests::server const real;
    share_store(condense::redis_store{real.options()});
    cache_tests::threads_share(condense::redis_cache{real.options()}, most(), 1, true);
}

TEST_CASE("a model's cache is shared by threads, and asks once for what is there") {
    std::atomic<int> asked = 0;
    condense::cached const model{.model =
                                     [&](std::string_view prompt) {
                                         ++asked;
                                         return "about " + std::string{prompt.substr(0, 2)};
                                     },
                                 .cache = condense::memory_cache{}};
    condense::model_prompt const prompt{"Summarise.", "A long conversation of some words."};
    REQUIRE(model(prompt, {}).message);
    CHECK(in_threads([&](std::size_t) -> std::string {
              for (int round = 0; round < 20; ++round)
                  if (model(prompt, {}).message != "about Su") return "another answer";
              return {};
          }) == "");
    CHECK(asked == 1);
    CHECK(model.hits() == 8 * 20);
}
