// SPDX-License-Identifier: BSL-1.0
#include <utility>

#include <nlohmann/json.hpp>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>
#include <condense/store/memory.hpp>

#include "laws/generator.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

// What a provider's prompt cache lives on: between reductions a request begins with the bytes of the one before,
// and the report of a reduction tells how much of it still does.

namespace {

using nlohmann::json;
using namespace condense::literals;
using condense::used;

constexpr std::uint64_t window = 20'000;
constexpr condense::tokens overhead{30};

struct bytes_as_tokens {
    condense::cost operator()(std::string_view text) const { return condense::cost::of({text.size()}); }
    condense::cost frame(condense::role) const { return condense::cost::of({4}); }
};

/// The first messages of a request, as the estimator counts them.
template <class Session>
condense::tokens cost_of(Session const& session, std::size_t count) {
    auto sum = condense::cost::of(overhead);
    for (auto const& m : session.request()) {
        if (count-- == 0) break;
        sum += bytes_as_tokens{}.frame(condense::role_of(m));
        condense::each_part(m, [&](condense::part_view const& part) { sum += bytes_as_tokens{}(part.text); });
    }
    return sum.tokens();
}

using bytes = std::vector<std::string>;  ///< of each message

template <class Session>
bytes sent(Session const& session) {
    bytes all;
    for (auto const& m : session.request()) all.push_back(m.dump());
    return all;
}

std::size_t same(bytes const& before, bytes const& after) {
    std::size_t at = 0;
    while (at < before.size() && at < after.size() && before[at] == after[at]) ++at;
    return at;
}

struct figures {
    std::uint64_t reductions = 0;
    std::uint64_t broken = 0;  ///< of these, that left something for the cache to read anew
    std::uint64_t later = 0;  ///< requests above the strict threshold that were left alone
};

/// An agent that reads files; the provider reports what it has read from its cache, if it has one.
template <class Mix>
void replay(std::uint64_t seed, Mix const& mix, bool caches, figures& counted) {
    laws::random_source random{seed};
    condense::session session{std::vector<json>{}, mix, condense::budget{.window = {window}, .overhead = overhead},
                              bytes_as_tokens{}};
    bytes before;
    session.push({{"role", "system"}, {"content", "be careful"}});
    for (int turn = 0; turn < 200; ++turn) {
        session.push(
            {{"role", "user"}, {"content", "question " + std::to_string(turn) + std::string(random.below(200), 'q')}});
        for (auto step = random.below(3); step > 0; --step) {
            auto const id = "call_" + std::to_string(turn) + "_" + std::to_string(step);
            session.push(
                {{"role", "assistant"},
                 {"content", nullptr},
                 {"tool_calls",
                  {{{"id", id}, {"type", "function"}, {"function", {{"name", "read"}, {"arguments", "{}"}}}}}}});
            session.push({{"role", "tool"}, {"tool_call_id", id}, {"content", std::string(random.below(3'000), 'r')}});
        }
        auto const pushed = sent(session);
        if (same(before, pushed) != before.size()) FAIL_CHECK("L10 a push changed what was sent");
        auto const made = session.prepare();
        auto const after = sent(session);
        auto const kept = same(pushed, after);
        CHECK(made.changed() == (pushed != after));
        CHECK(made.fits());
        if (made.changed()) {
            ++counted.reductions;
            CHECK(made.prefix.count == cost_of(session, kept).count);
            CHECK(*made.first_changed < session.outline().size());
            // A request has held all of it: `pushed`.
            CHECK(made.reread.count == cost_of(session, after.size()).count - made.prefix.count);
            counted.broken += made.reread != condense::tokens{} ? 1u : 0u;
            CHECK(std::any_of(made.layers.begin(), made.layers.end(),
                              [&](auto const& layer) { return layer.first_changed == made.first_changed; }));
            CHECK(std::none_of(made.layers.begin(), made.layers.end(), [&](auto const& layer) {
                return layer.first_changed && *layer.first_changed < *made.first_changed;
            }));
        } else {
            CHECK(made.prefix.count <= cost_of(session, kept).count);
            counted.later += made.after.tokens >= (70_pct).of_rounded_up(condense::tokens{window}) ? 1u : 0u;
        }
        auto const cached = caches ? cost_of(session, same(before, after)) : condense::tokens{};
        session.observe({.input = cost_of(session, after.size()) - cached, .output = 5_tokens, .cache_read = cached});
        session.push({{"role", "assistant"},
                      {"content", "answer " + std::to_string(turn) + std::string(random.below(100), 'a')}});
        before = after;
    }
}

}  // namespace

TEST_CASE("between reductions a request begins with the bytes of the one before, and reports tell the prefix",
          "[laws][law-10]") {
    figures cached;
    figures strict;
    for (std::uint64_t seed = 1; seed <= rounds(5); ++seed) {
        CAPTURE(seed);
        auto const window_mix =
            condense::pipeline{condense::sliding_window{.when = condense::relaxed(used >= 70_pct, 10_pct)}};
        auto const mix = condense::pipeline{
            condense::offload{
                .over = 2'500_chars, .preview = condense::head{200_chars}, .into = condense::memory_store{}},
            condense::compress{.when = condense::relaxed(used >= 70_pct, 10_pct),
                               .over = 1'000_chars,
                               .with = condense::head_tail{200_chars, 200_chars}},
            condense::summarize{.when = condense::relaxed(used >= 75_pct, 10_pct)},
            condense::sliding_window{.when = used >= 90_pct}, condense::escalate{}};
        for (bool const caches : {false, true}) {
            CAPTURE(caches);
            replay(seed, window_mix, caches, caches ? cached : strict);
            replay(seed, mix, caches, caches ? cached : strict);
        }
    }
    CHECK(strict.reductions > 10 * rounds(5));
    CHECK(strict.broken > 5 * rounds(5));
    CHECK(cached.reductions < strict.reductions);
    CHECK(cached.later > strict.later);
}
