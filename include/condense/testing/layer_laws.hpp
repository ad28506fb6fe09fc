// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/core/reduce.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/session/session.hpp>

// Checks a layer, or a pipeline, against the laws that a layer can break, on random conversations:
// assert(condense::testing::check_layer_laws(my_layer{}).empty()). Needs no test framework.

namespace condense {
inline namespace v1 {
namespace testing {

enum class layer_law : std::uint8_t {
    pairs,          ///< a call without its result, or half of a group of calls and results
    smaller,        ///< a request that has grown, or an edited text that is not shorter
    idempotent,     ///< a second run on the output of one that ended changes it again
    conserved,      ///< an original whose stored copy is not the original
    strong,         ///< a run that failed has left something behind
    deterministic,  ///< the same input gave two outputs
    active,         ///< no conversation of the check made the layer do anything, so that the check has shown nothing
};

constexpr std::string_view name(layer_law law) noexcept {
    switch (law) {
        case layer_law::pairs: return "pairs";
        case layer_law::smaller: return "smaller";
        case layer_law::idempotent: return "idempotent";
        case layer_law::conserved: return "conserved";
        case layer_law::strong: return "strong";
        case layer_law::deterministic: return "deterministic";
        case layer_law::active: break;
    }
    return "active";
}

/// A law that did not hold. conversation(seed) makes the conversation again.
struct layer_violation {
    layer_law law = layer_law::pairs;
    std::uint64_t seed = 0;
    std::string what = {};

    std::string text() const { return std::string{name(law)} + ", conversation " + std::to_string(seed) + ": " + what; }
    friend bool operator==(layer_violation const&, layer_violation const&) = default;
};

struct layer_law_options {
    std::size_t rounds = 50;   ///< conversations, each reduced at several budgets
    std::uint64_t seed = 1;    ///< of the first one
    std::size_t most = 20;     ///< violations after which the check ends
};

/// An agent's conversation, the same for the same seed everywhere. Messages are named m0, m1 and so on; tools are
/// `read_file`, `search`, `run_tests` and `set_task`; some calls never get a result, some messages are pinned.
inline std::vector<chat_message> conversation(std::uint64_t seed) {
    auto const below = [state = seed * 0x9E3779B97F4A7C15u](std::uint64_t limit) mutable {  // splitmix64
        auto mixed = state += 0x9E3779B97F4A7C15u;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
        return (mixed ^ (mixed >> 31)) % limit;
    };
    auto next = below;
    auto const text = [&](std::size_t most) {
        static constexpr std::array<std::string_view, 5> pieces{
            "as a tool prints it\n", "word ", "\xE6\xBC\xA2\xE5\xAD\x97 ", "{\"row\": 12, \"ok\": true}\n",
            "2026-01-01 12:00:00 INFO ready\n"};
        std::string out;
        for (auto const size = next(most + 1); out.size() < size;)
            out += pieces[next(next(3) == 0 ? pieces.size() : 2)];
        return out;
    };
    std::vector<chat_message> all;
    auto const add = [&](chat_message m) {
        m.name = "m" + std::to_string(all.size());
        m.pinned = next(30) == 0;
        all.push_back(std::move(m));
    };
    add(chat_message::system(text(200)));
    std::size_t calls = 0;
    for (auto turn = 1 + next(5); turn != 0; --turn) {
        add(chat_message::user("task " + text(200)));
        for (auto step = next(8); step != 0; --step) {
            static constexpr std::array<std::string_view, 4> tools{"read_file", "search", "run_tests", "set_task"};
            static constexpr std::array<std::size_t, 4> sizes{60, 600, 3'000, 15'000};
            chat_message asks{.role = role::assistant};
            std::vector<chat_message> results;
            if (next(4) == 0) asks.parts.push_back({.kind = part_kind::reasoning, .text = text(300)});
            for (auto parallel = 1 + next(6) / 4; parallel != 0; --parallel) {
                auto const id = "call_" + std::to_string(calls++);
                auto const tool = std::string{tools[next(tools.size())]};
                asks.parts.push_back({.kind = part_kind::tool_call,
                                      .text = "{\"path\":\"src/f" + std::to_string(next(5)) + ".cpp\"}",
                                      .tool = tool,
                                      .call = id});
                if (next(15) == 0) continue;
                results.push_back(chat_message::result(id, text(sizes[next(sizes.size())]),
                                                       next(8) == 0 ? part_status::error : part_status::ok));
                results.back().parts[0].tool = tool;
            }
            add(std::move(asks));
            for (auto& result : results) add(std::move(result));
        }
        if (next(6) != 0) add(chat_message::assistant("done " + text(400)));
    }
    return all;
}

namespace detail {

/// A token for every four bytes and four for a message; fails at the call with this number.
struct counting_estimator {
    std::size_t* calls = nullptr;
    std::size_t fails_at = 0;

    cost operator()(std::string_view text) const {
#if defined(__cpp_exceptions)
        if (calls != nullptr && ++*calls == fails_at) throw std::runtime_error{"the estimator failed"};
#else
        if (calls != nullptr) ++*calls;
#endif
        return {text.size() * 64 + (text.empty() ? 0 : 192)};
    }
    cost frame(role) const { return cost::of({4}); }
};

inline std::map<std::string_view, chat_message const*> by_name(std::vector<chat_message> const& all) {
    std::map<std::string_view, chat_message const*> found;
    for (auto const& m : all)
        if (!m.name.empty()) found.emplace(m.name, &m);
    return found;
}

/// Message numbers that go together: the first of each group, joined by the ids of calls.
inline std::vector<std::size_t> groups_of(std::vector<chat_message> const& all) {
    std::vector<std::size_t> group(all.size());
    std::map<std::string_view, std::size_t> calls;
    for (std::size_t at = 0; at < all.size(); ++at) {
        group[at] = at;
        for (auto const& part : all[at].parts)
            if (part.kind == part_kind::tool_call) calls[part.call] = at;
            else if (part.kind == part_kind::tool_result && calls.contains(part.call))
                group[at] = group[calls[part.call]];
    }
    return group;
}

/// What `after` may be of `before`, whatever the layer; `repairs` where it may take out what belongs nowhere.
class output_check {
public:
    output_check(std::vector<chat_message> const& before, std::vector<chat_message> const& after, bool repairs)
        : before_{before}, after_{after}, there_{by_name(after)}, repairs_{repairs} {}

    template <class Function>
    void each_problem(Function&& f) const {
        auto const group = groups_of(before_);
        std::map<std::size_t, std::pair<bool, bool>> seen;  // some of it is there, some is not
        for (std::size_t at = 0; at < before_.size(); ++at) {
            auto const found = there_.find(before_[at].name);
            auto& both = seen[group[at]];
            (found == there_.end() ? both.second : both.first) = true;
            if (found != there_.end()) check_message(before_[at], *found->second, f);
        }
        if (!repairs_)
            for (auto const& [first, both] : seen)
                if (both.first && both.second)
                    f(layer_law::pairs, "half of the group of " + before_[first].name + " is gone");
        std::set<std::string_view> calls;
        for (auto const& m : after_)
            for (auto const& part : m.parts)
                if (part.kind == part_kind::tool_call) calls.insert(part.call);
                else if (part.kind == part_kind::tool_result && !calls.contains(part.call))
                    f(layer_law::pairs, "the result of " + part.call + " has no call before it");
    }

private:
    template <class Function>
    void check_message(chat_message const& was, chat_message const& now, Function& f) const {
        auto at = was.parts.begin();
        for (auto const& part : now.parts) {
            auto const same = [&](chat_part const& other) {
                return other.kind == part.kind && other.call == part.call;
            };
            auto const match = std::find_if(at, was.parts.end(), same);
            if (match == was.parts.end()) return f(layer_law::pairs, was.name + " has a part that was not there");
            if (match->text != part.text && part.text.size() >= match->text.size())
                f(layer_law::smaller, "a text of " + was.name + " was replaced by one that is not shorter");
            at = match + 1;
        }
        auto const pairs = [](chat_message const& m) {
            return std::count_if(m.parts.begin(), m.parts.end(), [](auto const& part) {
                return part.kind == part_kind::tool_call || part.kind == part_kind::tool_result;
            });
        };
        if (!repairs_ && pairs(was) != pairs(now)) f(layer_law::pairs, was.name + " has lost a call or a result");
    }

    std::vector<chat_message> const& before_;
    std::vector<chat_message> const& after_;
    std::map<std::string_view, chat_message const*> there_;
    bool repairs_;
};

template <class Layer>
class layer_check {
    static constexpr effect effects = Layer::effects;
    static constexpr bool repairs = effects & (effect::repairs | effect::restores);
    static constexpr bool edits =
        effects & (effect::shortens | effect::externalizes | effect::drops | effect::summarizes | effect::repairs);
    static constexpr bool repeats = !(effects & (effect::asks | effect::reads_clock));

public:
    layer_check(Layer const& layer, layer_law_options const& options) : layer_{layer}, options_{options} {}

    std::vector<layer_violation> run() {
        for (std::size_t round = 0; round < options_.rounds && found_.size() < options_.most; ++round) {
            seed_ = options_.seed + round;
            auto const all = conversation(seed_);
            std::uint64_t whole = 0;
            for (auto const& m : all)
                for (auto const& part : m.parts) whole += 5 + part.text.size() / 4;
            for (auto const window : {2 * whole, whole, whole * 3 / 4, whole / 3}) {
                budget const limits{.window = {window}};
                for (bool const marks : {true, false}) {
                    one_shot(layer_, all, limits, marks);
                    if constexpr (!(effects & effect::reruns))
                        one_shot(pipeline{layer_, escalate{}}, all, limits, marks);
                }
                fail(all, limits);
            }
            grow(all, {.window = {whole / 2}});
        }
        if (edits && !acted_ && found_.empty())
            report(layer_law::active, "the layer changed none of the conversations");
        return std::move(found_);
    }

private:
    void report(layer_law law, std::string what) {
        layer_violation one{law, seed_, std::move(what)};
        if (found_.size() < options_.most) found_.push_back(std::move(one));
    }
    static run_options<> with_marks(bool marks) {
        run_options<> options;
        options.marks = marks;
        return options;
    }

    template <class Mix>
    void one_shot(Mix const& mix, std::vector<chat_message> const& all, budget limits, bool marks) {
        auto after = all;
        auto const first = reduce(after, mix, limits, counting_estimator{}, with_marks(marks));
        acted_ = acted_ || first.changed();
        if (!repairs && (first.after.tokens > first.before.tokens || first.after.messages > first.before.messages))
            report(layer_law::smaller, "the request has grown");
        output_check{all, after, repairs}.each_problem(
            [&](layer_law law, std::string what) { report(law, std::move(what)); });
        conserve(all, mix, limits, marks);
        if constexpr (repeats) {
            auto same = all;
            static_cast<void>(reduce(same, mix, limits, counting_estimator{}, with_marks(marks)));
            if (same != after) report(layer_law::deterministic, "two runs on one conversation differ");
            if (first.outcome != outcome::fits && first.outcome != outcome::exhausted) return;
            auto again = after;
            static_cast<void>(reduce(again, mix, limits, counting_estimator{}, with_marks(marks)));
            for (std::size_t at = 0; again != after; ++at)
                if (at == again.size() || at == after.size() || again[at] != after[at])
                    return report(layer_law::idempotent, "a second run " + std::string{marks ? "" : "without marks "} +
                                                             "changes message " + std::to_string(at) +
                                                             " of its output");
        }
    }

    /// Stored content can be read again. Checked for layers with a store in a member `into`.
    template <class Mix>
    void conserve([[maybe_unused]] std::vector<chat_message> const& all, [[maybe_unused]] Mix const& mix,
                  [[maybe_unused]] budget limits, [[maybe_unused]] bool marks) {
        if constexpr (requires(reference const& at) { layer_.into.get(at); }) {
            auto const reduced = reduce(all, mix, limits, counting_estimator{}, with_marks(marks));
            reduced.each_truncation([&](truncation const& cut) {
                if (!cut.stored) return;
                auto const& original = all[static_cast<std::size_t>(cut.message.number)].parts[cut.part].text;
                if (layer_.into.get(cut.stored) != original)
                    report(layer_law::conserved, "the store does not give back the original of message " +
                                                     std::to_string(cut.message.number));
            });
        }
    }

    /// An estimator that fails within the run: the conversation is unchanged, and the layer works as before.
    void fail([[maybe_unused]] std::vector<chat_message> const& all, [[maybe_unused]] budget limits) {
#if defined(__cpp_exceptions)
        if constexpr (repeats) {
            std::size_t calls = 0;
            auto expected = all;
            static_cast<void>(reduce(expected, layer_, limits, counting_estimator{&calls}));
            for (auto at = 1 + seed_ % 7; at <= calls; at += 1 + calls / 5) {
                std::size_t counted = 0;
                auto after = all;
                bool changed = false;
                try {
                    changed = reduce(after, layer_, limits, counting_estimator{&counted, at}).changed();
                } catch (std::runtime_error const&) {}
                if (!changed && after != all)
                    return report(layer_law::strong, "a run that failed has changed the conversation");
                if (changed) continue;
                static_cast<void>(reduce(after, layer_, limits, counting_estimator{}));
                if (after != expected)
                    return report(layer_law::strong, "after a run that failed another gives something else");
            }
        }
#endif
    }

    /// The same in a session, message by message.
    void grow(std::vector<chat_message> const& all, budget limits) {
        session growing{std::vector<chat_message>{}, layer_, limits, counting_estimator{}};
        for (auto const& m : all) growing.push(m);
        auto const first = growing.run();
        std::vector<chat_message> sent;
        for (auto const& m : growing.request()) sent.push_back(m);
        output_check{all, sent, repairs}.each_problem(
            [&](layer_law law, std::string what) { report(law, "in a session " + what); });
        if (!repeats || (first.outcome != outcome::fits && first.outcome != outcome::exhausted)) return;
        if (growing.run().changed()) report(layer_law::idempotent, "in a session a second run changes something again");
    }

    Layer const& layer_;
    layer_law_options options_;
    std::uint64_t seed_ = 0;
    bool acted_ = false;
    std::vector<layer_violation> found_ = {};
};

}  // namespace detail

/// The violations; empty if all laws held. Runs the layer alone and under pressure, with marks and without, in one shot
/// and in a session; costs about a second for the default number of rounds. Does not check that a layer which calls a
/// model or reads a clock repeats itself. `layer` may be a pipeline, if a layer needs others beside it.
template <class Layer>
std::vector<layer_violation> check_layer_laws(Layer const& layer, layer_law_options const& options = {}) {
    return detail::layer_check<Layer>{layer, options}.run();
}

}  // namespace testing
}  // namespace v1
}  // namespace condense
