// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/preset/cascade.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "by_hand/cascade.hpp"
#include "by_hand/compress.hpp"
#include "by_hand/folding.hpp"
#include "by_hand/live.hpp"
#include "by_hand/offload_window.hpp"
#include "by_hand/window.hpp"
#include "folding.hpp"

// Pipelines, each beside a function written by hand that does the same, the conversation that both are given, and the
// four functions that are compared: by overhead.hpp in instructions and allocations, by times.bench.cpp in time.

namespace overhead {

inline std::string words(std::size_t size, std::size_t seed) {
    static char const* const all[] = {"reading", "the", "file", "again",  "error", "line",
                                      "value",   "of",  "test", "passed", "in",    "module"};
    std::string out;
    while (out.size() < size) {
        seed = (seed * 31 + 7) & 0xFFFF;
        out.append(all[seed % 12]).push_back(seed % 9 == 0 ? '\n' : ' ');
    }
    out.resize(size);
    return out;
}

/// A list of files, as JSON.
inline std::string rows(std::size_t size, std::size_t seed) {
    std::string out = "[";
    for (std::size_t row = 0; out.size() < size; ++row)
        out.append(row == 0 ? "" : ", ")
            .append("{\"id\": ")
            .append(std::to_string(seed * 1'000 + row))
            .append(", \"path\": \"src/")
            .append(std::to_string(row))
            .append(".cpp\", \"owner\": ")
            .append(row % 97 == 5 ? "null" : "\"build\"")
            .append("}");
    return out + "]";
}

/// Turns of an agent: a question, two calls with their results, an answer; every eighth result is large, of `with_rows`
/// some of those are JSON.
inline std::vector<condense::chat_message> conversation(std::size_t messages, bool with_rows = false) {
    using condense::chat_message;
    std::vector<chat_message> all{chat_message::system(words(2'000, 1))};
    for (std::size_t index = 1; all.size() < messages; ++index) {
        switch (index % 6) {
            case 1: all.push_back(chat_message::user(words(160, index))); break;
            case 2:
            case 4:
                all.push_back(chat_message::call("call_" + std::to_string(index), "read_file",
                                                 "{\"path\": \"" + words(30, index) + "\"}"));
                break;
            case 3:
            case 5: {
                bool const large = index % 8 == 5;
                auto output = large && with_rows && index % 6 == 3
                                  ? rows(24'000, index)
                                  : words(large ? 24'000 : 400 + index * 37 % 1'600, index);
                all.push_back(chat_message::result("call_" + std::to_string(index - 1), std::move(output)));
                break;
            }
            default: all.push_back(chat_message::assistant(words(300, index)));
        }
    }
    return all;
}

inline std::uint64_t tokens_of(std::vector<condense::chat_message> const& all) {
    condense::outline facts;
    condense::cost sum;
    for (auto const& m : all) {
        facts.append(m, condense::default_estimator<>{});
        auto const& found = facts.message_at(facts.size() - 1);
        sum += found.frame;
        for (auto at = found.first_part; at < facts.part_count(); ++at) sum += facts.part_at(at).cost;
    }
    return sum.tokens().count;
}

// Names that no compiler changes; each is entered once.
template <class Session>
[[gnu::noinline]] std::size_t kept_by_library(Session& session) {
    static_cast<void>(session.prepare());
    return session.request().size();
}
template <class Kept>
[[gnu::noinline]] std::size_t kept_by_hand(Kept& kept) {
    return kept.prepare();
}
template <class Kept>
[[gnu::noinline]] std::size_t kept_live(Kept& kept) {
    return kept.prepare();
}
// A whole conversation, with a request for each message of the user's; gives the sizes of all requests together. No
// lambdas, in whose names those of these functions would stand.
template <class Session>
[[gnu::noinline]] std::uint64_t whole_by_library(Session& session, std::vector<condense::chat_message> const& history) {
    std::uint64_t sizes = 0;
    for (auto const& m : history) {
        session.push(m);
        if (m.role != condense::role::user) continue;
        static_cast<void>(session.prepare());
        sizes += session.request().size();
    }
    return sizes;
}
template <class Kept>
[[gnu::noinline]] std::uint64_t whole_by_hand(Kept& kept, std::vector<condense::chat_message> const& history) {
    std::uint64_t sizes = 0;
    for (auto const& m : history) {
        kept.push(m);
        if (m.role == condense::role::user) sizes += kept.prepare();
    }
    return sizes;
}
template <class Kept>
[[gnu::noinline]] std::uint64_t whole_live(Kept& kept, std::vector<condense::chat_message> const& history) {
    std::uint64_t sizes = 0;
    for (auto const& m : history) {
        kept.push(m);
        if (m.role == condense::role::user) sizes += kept.prepare();
    }
    return sizes;
}
template <class Mix>
[[gnu::noinline]] bool once_by_library(std::vector<condense::chat_message>& history, Mix const& mix,
                                       condense::budget limits) {
    return condense::reduce(history, mix, limits).changed();
}
template <class Function>
[[gnu::noinline]] bool once_by_hand(std::vector<condense::chat_message>& history, Function const& function,
                                    condense::budget limits) {
    return function(history, limits);
}

/// `kept` is made of a budget, `once` is called with a history and a budget. Where a layer is to be due the input is
/// `share` per cent of the conversation. What a pair keeps elsewhere is its own.
template <class Mix, class MakeKept, class Once, class Same>
struct pair {
    Mix mix;
    MakeKept make_kept;
    Once once;
    std::uint64_t share = 100;
    bool with_rows = false;
    Same same = {};  ///< what was kept elsewhere is the same
};
struct nothing_elsewhere {
    bool operator()() const { return true; }
};
/// A pair with a second program by hand, which keeps a list of what is sent.
template <class Pair, class MakeLive>
struct live_pair : Pair {
    MakeLive make_live;
};
template <class Mix, class MakeKept, class Once>
pair(Mix, MakeKept, Once) -> pair<Mix, MakeKept, Once, nothing_elsewhere>;
template <class Mix, class MakeKept, class Once>
pair(Mix, MakeKept, Once, int) -> pair<Mix, MakeKept, Once, nothing_elsewhere>;

template <class Pair>
condense::budget limits_of(Pair const& both, std::vector<condense::chat_message> const& history, bool due) {
    auto const counted = tokens_of(history);
    return {.window = {due ? counted * both.share / 100 : 2 * counted}};
}

inline auto window(std::size_t) {
    using namespace condense::literals;
    pair const both{condense::pipeline{
                        condense::sliding_window{.when = condense::used >= 90_pct, .until = condense::used <= 50_pct}},
                    [](auto limits) { return by_hand::windowed{limits}; }, by_hand::window_once};
    return live_pair{both, [](auto limits) { return by_hand::live<>{limits}; }};
}

inline auto compress(std::size_t) {
    return pair{condense::pipeline{condense::compress{}}, [](auto limits) { return by_hand::compressed{limits}; },
                by_hand::compress_once};
}

inline auto offload_window(std::size_t) {
    using namespace condense::literals;
    condense::memory_store const store;
    condense::memory_store const other;
    pair const both{
        condense::pipeline{
            condense::offload{.into = store},
            condense::sliding_window{.when = condense::used >= 90_pct, .until = condense::used <= 50_pct}},
        [other](auto limits) { return by_hand::offloaded<condense::memory_store>{limits, other}; },
        [other](auto& history, auto limits) { return by_hand::offload_window_once(history, limits, other); }, 25};
    return live_pair{both, [other](auto limits) { return by_hand::live<condense::memory_store>{limits, other}; }};
}

/// Says again what it was asked; so summaries are the same where the prompts are.
struct echo {
    std::string operator()(std::string_view prompt) const { return std::string{prompt.substr(prompt.size() / 2, 800)}; }
};

/// The same lines in both journals, the same artifacts from the same calls in both stores.
struct same_records {
    condense::memory_journal journals[2];
    condense::memory_store stores[2];

    bool operator()() const {
        std::vector<std::pair<condense::journal_entry, std::string>> lines[2];
        std::map<condense::reference, condense::artifact_source> sources[2];
        for (int side = 0; side < 2; ++side) {
            auto const keep = [&](condense::journal_entry const& line, std::string_view content) {
                lines[side].emplace_back(line, content);
            };
            if (journals[side].read({}, keep)) return false;
            auto const note = [&](condense::reference const& name, condense::bytes, condense::artifact_source source) {
                source.time = 0;
                sources[side].emplace(name, std::move(source));
            };
            if (stores[side].each_source(note)) return false;
        }
        return lines[0] == lines[1] && sources[0] == sources[1];
    }
};

/// With a journal and a store for either side.
template <class Preset, class Layers>
auto preset_pair(Preset const& preset, Layers const& layers, std::uint64_t share) {
    same_records const kept;
    auto const by_hand = layers(kept.journals[1], kept.stores[1], echo{});
    auto const make_kept = [by_hand](auto limits) { return by_hand::conversation{limits, by_hand}; };
    auto const once = [by_hand](auto& history, auto limits) { return by_hand::reduce_once(history, limits, by_hand); };
    auto mix = preset(kept.journals[0], kept.stores[0], echo{});
    return pair<decltype(mix), decltype(make_kept), decltype(once), same_records>{std::move(mix), make_kept, once,
                                                                                  share,          true,      kept};
}

/// Tight enough for a summary beside storing and sampling, also of the 90 messages that the window leaves.
inline auto cascade(std::size_t messages) {
    return preset_pair([](auto... seams) { return condense::presets::cascade(seams...); },
                       [](auto... seams) { return by_hand::cascade_layers{seams...}; },
                       messages > 100 ? 2'500 / messages : 25);
}

/// Tight enough for a summary of what is left when all has been stored and shortened.
inline auto folding(std::size_t) {
    return preset_pair([](auto... seams) { return mixes::folding(seams...); },
                       [](auto... seams) { return by_hand::folding_layers{seams...}; }, 12);
}

}  // namespace overhead
