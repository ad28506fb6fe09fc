// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/mixes.hpp"

// What tests of sessions share: models and layers that act as a test says, and a check of what is counted.

namespace sessions {

using namespace condense::literals;
using namespace notation;
using condense::layer_outcome, condense::used;

using fakes::moody, fakes::stop_flag, mixes::miscounted, mixes::session_of, mixes::three_layers;

/// A model whose work a test gives.
struct acting_model {
    std::function<std::string()>* act;
    std::string operator()(std::string_view) const { return (*act)(); }
};

inline auto asking(std::function<std::string()>& act) {
    return condense::summarize{.when = used >= 50_pct,
                               .protect = condense::task | condense::last(2_messages),
                               .reads = 10'000_tokens,  // all at once
                               .with = acting_model{&act}};
}

/// Calls what a test gives for each message that arrives.
struct on_arrival {
    std::function<void()>* act;
    static constexpr auto effects = condense::no_effects;
    void arrive(auto&, condense::sequence, auto&) const { (*act)(); }
};

inline auto long_turns(int count) {
    conversation all;
    for (int turn = 0; turn < count; ++turn)
        all += {U("question " + std::to_string(turn) + letters(90, 'q')),
                A("answer " + std::to_string(turn) + letters(90, 'a'))};
    return all;
}

/// Summarises the first group, or drops the session's own summary, as its program says.
struct layer_of_a_program {
    static constexpr auto effects = condense::drops | condense::summarizes;
    bool const* drops;

    void reduce(auto& draft, auto& pass) const {
        for (auto const which : draft.groups())
            if (*drops && which.is_summary()) return pass.note(draft.drop(which));
            else if (!*drops) return pass.note(draft.summarize(std::array{which}, "<summary>\nIn short."));
    }
};

/// No message of a user is before the summary of an earlier `reduce`, message 2.
inline conversation answers_first() {
    auto summary = U("<summary>\nEarlier.");
    summary.mark = "summary";
    return {A(letters(90, 'a')), A("and here"), summary, U("now?")};
}

/// Drops the summary of `answers_first` that was written while message 2 was pinned. `drops` is the layer's.
template <class Session>
void drop_beside_a_pin(Session& session, bool& drops) {
    static_cast<void>(session.pin({2}));
    static_cast<void>(session.run());
    session.unpin({2});
    drops = true;
    static_cast<void>(session.run());
}

}  // namespace sessions
