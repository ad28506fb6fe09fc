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

// Checks a layer or a pipeline against the laws that a layer can break, on random conversations:
// assert(condense::testing::check_layer_laws(my_layer{}).empty()). Needs no test framework.

namespace condense {
inline namespace v1 {
namespace testing {

/// The laws, each by what breaks it.
enum class layer_law : std::uint8_t {
    pairs,          ///< a call without its result, or half of a group of calls and results
    smaller,        ///< a request that has grown, or an edited text that is not shorter
    idempotent,     ///< a second run changes the output of a completed run
    conserved,      ///< an artifact that differs from the original
    strong,         ///< a run that failed has changed the conversation
    deterministic,  ///< the same input gave two outputs
    active,         ///< the layer changed none of the conversations, so that the check shows nothing
};

/// The enumerator as text.
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

/// A law that was broken, and where.
struct layer_violation {
    layer_law law = layer_law::pairs;
    std::uint64_t seed = 0;  ///< conversation(seed) makes the conversation again
    std::string what = {};   ///< names messages by conversation(seed)

    /// One line for display.
    std::string text() const { return std::string{name(law)} + ", conversation " + std::to_string(seed) + ": " + what; }
    friend bool operator==(layer_violation const&, layer_violation const&) = default;
};

/// How much to check.
struct layer_law_options {
    std::size_t rounds = 50;   ///< conversations, each reduced at four budgets
    std::uint64_t seed = 1;    ///< of the first one
    std::size_t most = 20;     ///< violations after which the check ends
};

/// An agent's conversation: one to five tasks of up to seven steps, each with one or two calls, texts of up to 15,000
/// bytes. The same for the same seed on every platform. Messages are named m0, m1 and so on; tools are
/// `read_file`, `search`, `run_tests` and `set_task`; some calls never get a result, some messages are pinned.
inline std::vector<chat_message> conversation(std::uint64_t seed) {
    // A generator of its own: those of the standard library have distributions that differ between platforms.
    auto next = [state = seed * 0x9E3779B97F4A7C15u](std::uint64_t limit) mutable {  // splitmix64
        auto mixed = state += 0x9E3779B97F4A7C15u;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
        return (mixed ^ (mixed >> 31)) % limit;
    };
    // Tool output, prose, multi-byte text, JSON and logs: what shorteners tell apart.
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
            chat_message call_message{.role = role::assistant};
            std::vector<chat_message> results;
            if (next(4) == 0) call_message.parts.push_back({.kind = part_kind::reasoning, .text = text(300)});
            for (auto parallel = 1 + next(6) / 4; parallel != 0; --parallel) {
                auto const id = "call_" + std::to_string(calls++);
                auto const tool = std::string{tools[next(tools.size())]};
                call_message.parts.push_back({.kind = part_kind::tool_call,
                                              .text = "{\"path\":\"src/f" + std::to_string(next(5)) + ".cpp\"}",
                                              .tool = tool,
                                              .call = id});
                if (next(15) == 0) continue;  // an open call
                results.push_back(chat_message::result(id, text(sizes[next(sizes.size())]),
                                                       next(8) == 0 ? part_status::error : part_status::ok));
                results.back().parts[0].tool = tool;
            }
            add(std::move(call_message));
            for (auto& result : results) add(std::move(result));
        }
        if (next(6) != 0) add(chat_message::assistant("done " + text(400)));
    }
    return all;
}

namespace detail {

/// A token for every four bytes, rounded up, and four for a message. Counts its calls, and throws at one of them.
struct counting_estimator {
    std::size_t* calls = nullptr;  ///< outlives the estimator; null if calls are not counted
    std::size_t fails_at = 0;      ///< number of the call that throws; 0 for none

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

/// The messages by name; summaries have none. Refers to `all`.
inline std::map<std::string_view, chat_message const*> by_name(std::vector<chat_message> const& all) {
    std::map<std::string_view, chat_message const*> result;
    for (auto const& m : all)
        if (!m.name.empty()) result.emplace(m.name, &m);
    return result;
}

/// For each message the index of the first one in its group, which calls and their results join. Written without the
/// outline, so that the check does not share its faults.
inline std::vector<std::size_t> groups_of(std::vector<chat_message> const& all) {
    std::vector<std::size_t> group(all.size());
    std::map<std::string_view, std::size_t> calls;
    for (std::size_t index = 0; index < all.size(); ++index) {
        group[index] = index;
        for (auto const& part : all[index].parts)
            if (part.kind == part_kind::tool_call) calls[part.call] = index;
            else if (part.kind == part_kind::tool_result && calls.contains(part.call))
                group[index] = group[calls[part.call]];
    }
    return group;
}

/// What holds of the output of any layer: `after` was made of `before`. `repairs`: the layer may also remove results
/// that have no call. Refers to both.
class output_check {
public:
    output_check(std::vector<chat_message> const& before, std::vector<chat_message> const& after, bool repairs)
        : before_{before}, after_{after}, after_by_name_{by_name(after)}, repairs_{repairs} {}

    /// Calls f(law, text) for each violation.
    template <class Function>
    void each_problem(Function&& f) const {
        struct presence {
            bool some = false;
            bool missing = false;
        };
        auto const group = groups_of(before_);
        std::map<std::size_t, presence> groups;
        for (std::size_t index = 0; index < before_.size(); ++index) {
            auto const position = after_by_name_.find(before_[index].name);
            auto& messages_of_group = groups[group[index]];
            (position == after_by_name_.end() ? messages_of_group.missing : messages_of_group.some) = true;
            if (position != after_by_name_.end()) check_message(before_[index], *position->second, f);
        }
        if (!repairs_)
            for (auto const& [first, present] : groups)
                if (present.some && present.missing)
                    f(layer_law::pairs, "half of the group of " + before_[first].name + " is gone");
        // In all of the output, messages that the layer wrote included: a provider refuses a result before its call.
        std::set<std::string_view> calls;
        for (auto const& m : after_)
            for (auto const& part : m.parts)
                if (part.kind == part_kind::tool_call) calls.insert(part.call);
                else if (part.kind == part_kind::tool_result && !calls.contains(part.call))
                    f(layer_law::pairs, "the result of " + part.call + " has no call before it");
    }

private:
    /// Parts keep their order and kind; texts get shorter or stay. A part may be missing only if it is no call or
    /// result.
    template <class Function>
    void check_message(chat_message const& original, chat_message const& current, Function& f) const {
        auto position = original.parts.begin();
        for (auto const& part : current.parts) {
            auto const same = [&](chat_part const& other) {
                return other.kind == part.kind && other.call == part.call;
            };
            auto const match = std::find_if(position, original.parts.end(), same);
            if (match == original.parts.end())
                return f(layer_law::pairs, original.name + " has a part that was not there");
            if (match->text != part.text && part.text.size() >= match->text.size())
                f(layer_law::smaller, "a text of " + original.name + " was replaced by one that is not shorter");
            position = match + 1;
        }
        auto const count_paired = [](chat_message const& m) {
            return std::count_if(m.parts.begin(), m.parts.end(), [](auto const& part) {
                return part.kind == part_kind::tool_call || part.kind == part_kind::tool_result;
            });
        };
        if (!repairs_ && count_paired(original) != count_paired(current))
            f(layer_law::pairs, original.name + " has lost a call or a result");
    }

    std::vector<chat_message> const& before_;
    std::vector<chat_message> const& after_;
    std::map<std::string_view, chat_message const*> after_by_name_;
    bool repairs_;
};

/// Collects the violations of one layer.
template <class Layer>
class layer_check {
    // What the layer declares decides which laws apply to it.
    static constexpr effect effects = Layer::effects;
    static constexpr bool repairs = effects & (effect::repairs | effect::restores);
    static constexpr bool edits =
        effects & (effect::shortens | effect::externalizes | effect::drops | effect::summarizes | effect::repairs);
    // Models and clocks may answer differently each time.
    static constexpr bool repeats = !(effects & (effect::asks | effect::reads_clock));

public:
    layer_check(Layer const& layer, layer_law_options const& options) : layer_{layer}, options_{options} {}

    /// All checks on all conversations, until `most` violations are found.
    std::vector<layer_violation> run() {
        for (std::size_t round = 0; round < options_.rounds && violations_.size() < options_.most; ++round) {
            seed_ = options_.seed + round;
            auto const all = conversation(seed_);
            std::uint64_t size = 0;  // tokens, at least as many as the estimator counts
            for (auto const& m : all)
                for (auto const& part : m.parts) size += 5 + part.text.size() / 4;
            // Roomy, just large enough, and too small by a quarter and by two thirds.
            for (auto const window : {2 * size, size, size * 3 / 4, size / 3}) {
                budget const limits{.window = {window}};
                for (bool const marks : {true, false}) {
                    check_reduce(layer_, all, limits, marks);
                    // Under pressure, too: other paths of the layer run then.
                    if constexpr (!(effects & effect::reruns))
                        check_reduce(pipeline{layer_, escalate{}}, all, limits, marks);
                }
                check_strong(all, limits);
            }
            check_session(all, {.window = {size / 2}});
        }
        // A layer that never acts breaks no law; its trigger is probably out of reach.
        if (edits && !acted_ && violations_.empty())
            report(
                layer_law::active,
                "the layer changed none of the conversations: its trigger never held, none of their texts is one that "
                "it applies to, or its edits were refused, which layers[0].note of a report tells");
        return std::move(violations_);
    }

private:
    /// Adds a violation on the present conversation.
    void report(layer_law law, std::string what) {
        layer_violation violation{law, seed_, std::move(what)};
        if (violations_.size() < options_.most) violations_.push_back(std::move(violation));
    }
    /// Without marks a second run cannot know the first one's work, and must still change nothing; but a summary is a
    /// message like others to it where something is due again.
    static run_options<> with_marks(bool marks) {
        run_options<> options;
        options.marks = marks;
        return options;
    }

    /// The laws of one call of `reduce`, and of a second one on its output.
    template <class Mix>
    void check_reduce(Mix const& mix, std::vector<chat_message> const& all, budget limits, bool marks) {
        auto after = all;
        auto const first = reduce(after, mix, limits, counting_estimator{}, with_marks(marks));
        acted_ = acted_ || first.changed();
        if (!repairs && (first.after.tokens > first.before.tokens || first.after.messages > first.before.messages))
            report(layer_law::smaller, "the request has grown");
        output_check{all, after, repairs}.each_problem(
            [&](layer_law law, std::string what) { report(law, std::move(what)); });
        check_conserved(all, mix, limits, marks);
        if constexpr (repeats) {
            auto same = all;
            static_cast<void>(reduce(same, mix, limits, counting_estimator{}, with_marks(marks)));
            if (same != after) report(layer_law::deterministic, "two runs on one conversation differ");
            // After other outcomes the run has not completed, and a second one may go on.
            if (first.outcome != outcome::fits && first.outcome != outcome::exhausted) return;
            if (!marks && effects & effect::summarizes && pipeline{mix}.due(first.after)) return;
            auto again = after;
            static_cast<void>(reduce(again, mix, limits, counting_estimator{}, with_marks(marks)));
            for (std::size_t index = 0; again != after; ++index)
                if (index == again.size() || index == after.size() || again[index] != after[index])
                    return report(layer_law::idempotent, "a second run " + std::string{marks ? "" : "without marks "} +
                                                             "changes message " + std::to_string(index) +
                                                             " of its output");
        }
    }

    /// Reads stored originals again. Checks layers with a store in a member `into`; other layers pass.
    template <class Mix>
    void check_conserved([[maybe_unused]] std::vector<chat_message> const& all, [[maybe_unused]] Mix const& mix,
                         [[maybe_unused]] budget limits, [[maybe_unused]] bool marks) {
        if constexpr (requires(reference const& name) { layer_.into.get(name); }) {
            auto const reduced = reduce(all, mix, limits, counting_estimator{}, with_marks(marks));
            reduced.each_truncation([&](truncation const& edit) {
                if (!edit.stored) return;
                auto const& original = all[static_cast<std::size_t>(edit.message.number)].parts[edit.part].text;
                if (layer_.into.get(edit.stored) != original)
                    report(layer_law::conserved, "the store does not give back the original of message " +
                                                     std::to_string(edit.message.number));
            });
        }
    }

    /// Lets the estimator fail at some of its calls: the conversation must be unchanged, and a later run must give what
    /// a first one gives. A layer may also catch the failure and change the conversation; that is a run of its own.
    void check_strong([[maybe_unused]] std::vector<chat_message> const& all, [[maybe_unused]] budget limits) {
#if defined(__cpp_exceptions)
        if constexpr (repeats) {
            // A run that succeeds tells how many calls there are, and what later runs have to give.
            std::size_t calls = 0;
            auto expected = all;
            static_cast<void>(reduce(expected, layer_, limits, counting_estimator{&calls}));
            for (auto failing_call = 1 + seed_ % 7; failing_call <= calls; failing_call += 1 + calls / 5) {
                std::size_t call_count = 0;
                auto after = all;
                bool changed = false;
                try {
                    changed = reduce(after, layer_, limits, counting_estimator{&call_count, failing_call}).changed();
                } catch (std::runtime_error const&) {}
                if (!changed && after != all)
                    return report(layer_law::strong, "a run that failed has changed the conversation");
                if (changed) continue;  // the layer has handled the failure
                static_cast<void>(reduce(after, layer_, limits, counting_estimator{}));
                if (after != expected)
                    return report(layer_law::strong, "after a run that failed another gives something else");
            }
        }
#endif
    }

    /// The laws in a session to which the conversation is pushed message by message.
    void check_session(std::vector<chat_message> const& all, budget limits) {
        session chat{std::vector<chat_message>{}, layer_, limits, counting_estimator{}};
        for (auto const& m : all) chat.push(m);
        auto const first = chat.run();
        std::vector<chat_message> sent;
        for (auto const& m : chat.request()) sent.push_back(m);
        output_check{all, sent, repairs}.each_problem(
            [&](layer_law law, std::string const& what) { report(law, "in a session " + what); });
        if (!repeats || (first.outcome != outcome::fits && first.outcome != outcome::exhausted)) return;
        if (chat.run().changed()) report(layer_law::idempotent, "in a session a second run changes something again");
    }

    Layer const& layer_;
    layer_law_options options_;
    std::uint64_t seed_ = 0;  ///< of the present conversation
    bool acted_ = false;  ///< some run has changed something
    std::vector<layer_violation> violations_ = {};
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
