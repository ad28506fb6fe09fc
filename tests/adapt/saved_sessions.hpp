// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <nlohmann/json.hpp>

#include <condense/adapt/json_state.hpp>

#include "laws/checker.hpp"
#include "laws/mixes.hpp"

// Small sessions in which everything has happened that a state can hold, and a judge for states that
// somebody has made up.

namespace saved_sessions {

using namespace condense::literals;
using namespace notation;
using condense::used;

inline auto mix() {
    return condense::pipeline{
        condense::record{.to = condense::memory_journal{}},
        condense::compress{.when = used >= 30_pct, .over = 100_chars, .with = condense::head_tail{20_chars, 20_chars}},
        condense::summarize{.when = used >= 60_pct, .protect = condense::last(6_messages)},
        condense::sliding_window{.when = used >= 80_pct}, condense::repair{}};
}
using mix_type = decltype(mix());
using session_type = condense::session<conversation, mix_type, laws::byte_estimator>;
inline constexpr condense::budget limits{.window = {400}};

inline conversation four_turns() {
    conversation all{S("You are terse.")};
    for (int turn = 0; turn < 4; ++turn) {
        auto const id = std::to_string(turn);
        all += {U("Question " + id + " of the user."),
                C("a" + id, "read_file", R"({"path":"src/file.cpp"})").and_call("b" + id, "shell", "{}"),
                R("a" + id, letters(300, 'r'))};
        if (turn % 2 == 0) all.push_back(R("b" + id, "\xFF\xC3 no text"));
        all.push_back(A("Done with " + id + "."));
    }
    return numbered(std::move(all));
}

/// Everything but what a judge of requests does not know of: abandoned calls and released messages.
inline void fill(session_type& session, bool everything) {
    auto const all = four_turns();
    for (std::size_t index = 0; index < all.size(); ++index) {
        session.push(all[index]);
        if (index == 4) static_cast<void>(session.pin({1}));
        if (everything && index + 3 == all.size()) session.abandon("a3");
        if (index % 3 == 2) static_cast<void>(session.prepare());
        if (index == 7) session.observe({.input = 150_tokens, .output = 10_tokens, .cache_read = 20_tokens});
    }
    session.unpin({1});
    static_cast<void>(session.run());
    if (everything) session.release({8});
    auto const add = [&](chat_message m) { session.push(named(std::move(m), session.outline().size())); };
    add(U("The latest."));
    add(C("c", "shell"));
    add(R("c", letters(500, 's')));
    add(A("Seen."));
    static_cast<void>(session.run());
    static_cast<void>(session.request());
}

inline std::string text_of(bool everything) {
    session_type session{{}, mix(), limits, {}};
    fill(session, everything);
    return condense::save(session).text;
}

/// A state as a tree, to be changed at random.
using tree = nlohmann::ordered_json;

/// All values below and including this one.
inline void collect(tree& from, std::vector<tree*>& into) {
    into.push_back(&from);
    if (from.is_structured())
        for (auto& inner : from) collect(inner, into);
}

inline std::uint64_t some_number(laws::random_source& random, std::uint64_t now) {
    std::uint64_t const odd[] = {0, now + 1, now - 1, 0x7FFF'FFFFu, 0xFFFF'FFFFu, 0x1'0000'0000u, ~std::uint64_t{0}};
    auto const which = random.below(9);
    return which < std::size(odd) ? odd[which] : random.below(60);
}

inline void mutate(tree& whole, laws::random_source& random) {
    std::vector<tree*> all;
    collect(whole, all);
    auto& one = *all[random.below(all.size())];
    auto const& other = *all[random.below(all.size())];
    if (random.chance(10)) one = tree(other);
    else if (one.is_number_unsigned()) one = some_number(random, one.get<std::uint64_t>());
    else if (one.is_boolean()) one = !one.get<bool>();
    else if (one.is_string()) {
        auto text = one.get<std::string>();
        if (!text.empty() && random.chance(50)) text.resize(random.below(text.size()));
        else text += random.chance(50) ? "x" : "0+9";
        one = text;
    } else if (one.is_array() && !one.empty()) {
        auto const at = random.below(one.size());
        switch (random.below(4)) {
            case 0: one.erase(at); break;
            case 1: one.push_back(tree(one[at])); break;
            case 2:
                one.insert(one.begin() + static_cast<std::ptrdiff_t>(at), tree(one[random.below(one.size())]));
                break;
            default: std::swap(one[at], one[random.below(one.size())]);
        }
    } else if (one.is_object() && !one.empty()) {
        auto at = one.begin();
        for (auto steps = random.below(one.size()); steps > 0; --steps) ++at;
        auto const value = tree(at.value());
        auto const name = at.key();
        one.erase(name);
        if (random.chance(50)) one[name + "_"] = value;
    } else one = 7;
}

/// The check made anew, as a forger would.
inline std::string sealed(std::string text) {
    auto const at = text.rfind(condense::detail::check_member);
    if (at != text.npos) text.resize(at);
    return text + std::string{condense::detail::check_member} + condense::detail::check_of(text) + "\"}";
}

struct verdict {
    bool accepted = false;
    condense::state_fault fault = {};
    laws::broken broken;
};

inline void judge(session_type const& session, bool judged, laws::broken& found) {
    conversation before = session.history();
    for (std::size_t index = 0; judged && index < before.size(); ++index)
        before[index].pinned = session.outline().message_at(index).pinned;
    conversation after;
    std::size_t const size = session.request().size();
    for (auto const& m : session.request()) {
        after.push_back(m);
        for (auto const& was : before)
            if (was.name == m.name && !m.name.empty()) after.back().pinned = was.pinned;
    }
    if (after.size() != size) found.insert("a request of another size");
    if (judged) found.merge(laws::broken{laws::checker{before, after}.violations()});
}

/// Restores from the text into a new session: that is as it was, or lawful whatever is done with it then.
inline verdict try_text(std::string_view text) {
    verdict out;
    session_type session{{}, mix(), limits, {}};
    auto const problem = condense::restore(session, text);
    out.fault = problem.fault;
    if (problem) {
        auto const sentence = std::string_view{problem.reason};
        if (!sentence.starts_with("condense: restore: ") || !sentence.ends_with("(see session_state)"))
            out.broken.insert("reason: " + std::string{sentence});
        if (!session.history().empty() || session.outline().size() != 0 || !session.edits().steps().empty() ||
            session.request().size() != 0 || session.limits() != limits || session.statistics().runs != 0 ||
            session.undo())
            out.broken.insert("refused, but not as before");
        return out;
    }
    out.accepted = true;
    bool judged = session.history().size() == session.outline().size();
    condense::session_state state;
    if (condense::read_state(text, state)) out.broken.insert("accepted, but not read");
    judged = judged && state.abandoned.empty();
    for (auto const& edit : state.edits)
        judged = judged && !(edit.writes && edit.text.empty());  // an empty summary has no part
    for (std::size_t index = 0; judged && index < session.history().size(); ++index)
        judged = session.history()[index].name == "m" + std::to_string(index);
    judge(session, judged, out.broken);
    auto again = condense::save(session);
    if (!again) out.broken.insert("accepted, but not saved again");
    for (int undone = 0; undone < 40 && session.undo(); ++undone) judge(session, judged, out.broken);
    auto const more = U("m");
    session.push(more);
    push(session, {C("a9", "shell"), R("a9", letters(900, 'z'))});
    static_cast<void>(session.run());
    judge(session, false, out.broken);
    session.release({session.outline().size()});
    judge(session, false, out.broken);
    return out;
}

}  // namespace saved_sessions
