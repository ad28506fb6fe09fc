// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/cached.hpp>

#include <map>

#include <condense/detail/sha256.hpp>
#include <condense/store/memory_cache.hpp>

#include "layer/shared.hpp"

namespace {

using namespace layers;
using condense::ask_limits, condense::cache_key, condense::cached, condense::memory_cache, condense::model_prompt;
using condense::store_error;

/// Counts its calls, and always gives the same answer.
struct counting {
    reply<std::string> answer = {.message = "They read ten files.", .usage = {.input = 90_tokens}};
    std::shared_ptr<int> calls = std::make_shared<int>();
    reply<std::string> operator()(model_prompt const&, ask_limits) const { return ++*calls, answer; }
};

/// A cache whose bytes a test can see and change.
struct open_cache {
    std::shared_ptr<std::map<cache_key, std::string>> all = std::make_shared<std::map<cache_key, std::string>>();
    std::optional<std::string> get(cache_key const& key) const {
        auto const position = all->find(key);
        return position == all->end() ? std::nullopt : std::optional{position->second};
    }
    store_error put(cache_key const& key, std::string_view text, std::uint64_t) const {
        return all->insert_or_assign(key, text), store_error{};
    }
};

/// What a cache can do wrong.
struct failing_cache {
    bool throws = false;
    std::optional<std::string> get(cache_key const&) const {
        if (throws) throw std::runtime_error{"the cache is on fire"};
        return std::nullopt;
    }
    store_error put(cache_key const&, std::string_view, std::uint64_t) const {
        if (throws) throw 1;
        return {"the disk is full"};
    }
};
struct cancelling_cache {
    std::optional<std::string> get(cache_key const&) const { throw condense::cancelled{}; }
    store_error put(cache_key const&, std::string_view, std::uint64_t) const { return {}; }
};
static_assert(condense::text_cache<memory_cache> && condense::text_cache<open_cache> && !condense::text_cache<int>);
static_assert(condense::summarizer<cached<counting, memory_cache>>);

model_prompt const prompt{"Summarise this in 100 tokens.", "A long conversation, longer than its summary."};

std::string framed(cache_key const& key, std::string_view text) {
    std::string_view const name{reinterpret_cast<char const*>(key.data()), key.size()};
    auto const digest = condense::detail::sha256{}.add(name).add(text).digest();
    return std::string{digest.begin(), digest.end()}.append(text);
}

}  // namespace

TEST_CASE("cached: the second answer comes from the cache, and uses no tokens") {
    counting const model;
    cached const with{.model = model, .cache = memory_cache{}, .name = "small", .lifetime = 60};
    auto const copy = with;
    CHECK(with(prompt, {}).usage.input == 90_tokens);
    auto const again = copy(prompt, {});
    CHECK(again.message == "They read ten files.");
    CHECK(again.usage == condense::provider_usage{});
    CHECK(*model.calls == 1);
    CHECK(with.hits() == 1);
    CHECK(with.misses() == 1);
}

TEST_CASE("cached: every byte of the request, the model and the version are part of the name") {
    counting const model;
    open_cache const cache;
    cached const with{.model = model, .cache = cache, .name = "small"};
    with(prompt, {});
    with({prompt.instructions + prompt.data.substr(0, 1), prompt.data.substr(1)}, {});  // the same text
    with({prompt.instructions + ".", prompt.data}, {});
    with({prompt.instructions, prompt.data + "."}, {});
    with({prompt.instructions, std::string{prompt.data}.replace(0, 1, "\0", 1)}, {});
    cached{.model = model, .cache = cache, .name = "large"}(prompt, {});
    cached{.model = model, .cache = cache, .name = "small", .version = 2}(prompt, {});
    CHECK(*model.calls == 7);
    CHECK(cache.all->size() == 7);
    cached{.model = model, .cache = cache, .name = "small"}(prompt, {});
    CHECK(*model.calls == 7);
}

TEST_CASE("cached: what is no summary is asked for again") {
    std::vector<reply<std::string>> const answers{
        {.message = "I cannot help with that."},
        {.message = ""},
        {.message = " \n"},
        {},
        {.message = "They read te", .stop = "length"},
        {.message = "They read ten files.", .error = {.status = 500, .text = "busy"}},
        {.error = {.status = 429}},
        {.message = "They read \xFF files."},
        {.message = prompt.data},  // no smaller than what it stands for
        {.message = std::string(std::size_t{1} << 20, 'a')},
    };
    for (auto const& answer : answers) {
        counting const model{answer};
        open_cache const cache;
        cached const with{.model = model, .cache = cache};
        CHECK(with(prompt, {}).message == answer.message);
        CHECK(with(prompt, {}).error == answer.error);
        CHECK(*model.calls == 2);
        CHECK(cache.all->empty());
        CHECK(with.misses() == 2);
    }
}

TEST_CASE("cached: a text longer than caches take is answered, and not kept") {
    counting const model{{.message = std::string(condense::most_cached_bytes, 'a')}};
    cached const with{.model = model, .cache = memory_cache{}};
    auto const long_prompt = model_prompt{"Summarise.", std::string(condense::most_cached_bytes + 1, 'a')};
    CHECK(with(long_prompt, {}).message == model.answer.message);
    CHECK(with(long_prompt, {}).message == model.answer.message);
    CHECK(with.hits() == 0);
}

TEST_CASE("cached: a damaged entry is a miss, and is replaced") {
    counting const model;
    open_cache const cache;
    cached const with{.model = model, .cache = cache};
    with(prompt, {});
    auto const key = cache.all->begin()->first;
    auto const whole = cache.all->begin()->second;
    auto const calls_after = [&](std::string bytes) {
        (*cache.all)[key] = std::move(bytes);
        *model.calls = 0;
        auto const misses = with.misses();
        CHECK(with(prompt, {}).message == "They read ten files.");
        CHECK(with.misses() - misses == static_cast<std::uint64_t>(*model.calls));
        if (*model.calls != 0) CHECK(cache.all->at(key) == whole);
        return *model.calls;
    };
    CHECK(calls_after(whole) == 0);
    for (std::size_t size = 0; size < whole.size(); ++size) CHECK(calls_after(whole.substr(0, size)) == 1);
    for (std::size_t index = 0; index < whole.size(); ++index) {
        auto bytes = whole;
        bytes[index] = static_cast<char>(bytes[index] ^ 1);
        CHECK(calls_after(bytes) == 1);
    }
    auto other = key;
    other[0] ^= 1;
    CHECK(calls_after(framed(other, "They read ten files.")) == 1);  // of another request
    CHECK(calls_after(framed(key, "They read ten files.")) == 0);
    // What an earlier version, or another program, has put as if it were a summary.
    for (std::string const text : {"", "I cannot help with that.", "They \xC3 read."})
        CHECK(calls_after(framed(key, text)) == 1);
    CHECK(calls_after(framed(key, std::string(condense::most_cached_bytes, 'a'))) == 1);
}

TEST_CASE("cached: a cache that fails is as none, unless it cancels the run") {
    for (bool const throws : {false, true}) {
        counting const model;
        cached const with{.model = model, .cache = failing_cache{throws}};
        CHECK(with(prompt, {}).message == "They read ten files.");
        CHECK(with(prompt, {}).message == "They read ten files.");
        CHECK(with.misses() == 2);
    }
    cached const with{.model = counting{}, .cache = cancelling_cache{}};
    CHECK_THROWS_AS(with(prompt, {}), condense::cancelled);
}

TEST_CASE("cached: models of every form") {
    auto const check_form = [](auto model) {
        cached const with{.model = model, .cache = memory_cache{}};
        return with(prompt, {}).message == "They read." && with(prompt, {}).message == "They read." && with.hits() == 1;
    };
    CHECK(check_form([](std::string_view) { return std::string{"They read."}; }));
    CHECK(check_form([](std::string, ask_limits) { return "They read."; }));
    CHECK(check_form([](model_prompt const&) { return reply<std::string>{.message = "They read."}; }));
    cached const throwing{.model = [](std::string_view) -> std::string { throw std::runtime_error{"no"}; },
                          .cache = memory_cache{}};
    CHECK_THROWS_AS(throwing(prompt, {}), std::runtime_error);
}

TEST_CASE("cached: a second reduction of the same conversation calls no model") {
    auto const calls_in = [](auto const& with, int& calls, std::string const& focus, condense::tokens size) {
        auto messages = conversation{S("rules"), U("the task")} + fakes::tool_rounds(0, 10) + conversation{U("latest")};
        auto const before = calls;
        auto const report = condense::reduce(messages, pipeline{summarize{.when = always, .size = size, .with = with}},
                                             {.window = 20'000_tokens}, per_byte{},
                                             condense::run_options<>{.request = {.focus = focus}});
        CHECK(report.layers[0].outcome == layer_outcome::applied);
        CHECK(text_of(messages[2]).find("They read ten files.") != std::string::npos);
        return calls - before;
    };
    counting const model;
    cached const with{.model = model, .cache = memory_cache{}, .name = "small"};
    CHECK(calls_in(with, *model.calls, "", 500_tokens) == 1);
    CHECK(calls_in(with, *model.calls, "", 500_tokens) == 0);
    CHECK(calls_in(with, *model.calls, "the parser", 500_tokens) == 1);
    CHECK(calls_in(with, *model.calls, "the parser", 500_tokens) == 0);
    CHECK(calls_in(with, *model.calls, "the parser", 100_tokens) == 1);
    CHECK(with.hits() == 2);
    CHECK(with.misses() == 3);
}
