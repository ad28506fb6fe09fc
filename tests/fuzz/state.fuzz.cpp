// SPDX-License-Identifier: BSL-1.0

// Saved states, changed as trees and sealed again, as a forger would: refused with an error, or a session that obeys
// the laws and saves again to what restores to the same.

#include <array>

#include "adapt/saved_sessions.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using saved_sessions::tree;

/// A session from the text, or none.
struct restored {
    saved_sessions::session_type session{{}, saved_sessions::mix(), saved_sessions::limits, {}};
    bool good;
    explicit restored(std::string_view text) : good{!condense::restore(session, text)} {}
};

/// With `all`, what can be done with the session then is done, which takes ten times as long.
void check(std::string const& text, bool all) {
    if (all) fuzz::require_none(saved_sessions::try_text(text).broken, text + "\n");
    restored first{text};
    if (!first.good) return;
    auto const saved = condense::save(first.session);
    fuzz::require(static_cast<bool>(saved), "what was restored is saved again");
    restored second{saved.text};
    fuzz::require(second.good, "what was saved is restored");
    fuzz::require(second.session.used() == first.session.used(), "its use is the same");
    fuzz::require(condense::save(second.session).text == saved.text, "it is saved to the same bytes");
}

}  // namespace

fuzz::corpus fuzz::make_corpus() { return {.seeds = random_seeds(40, 4), .words = {}, .mutations = 2'000}; }

void fuzz::try_input(byte_source bytes) {
    static std::array const seeds{tree::parse(saved_sessions::text_of(false)),
                                  tree::parse(saved_sessions::text_of(true))};
    laws::random_source random{bytes};
    bool const all = bytes.below(8) == 0;
    auto changed = seeds[random.below(2)];
    for (auto more = 1 + random.below(4); more > 0 && changed.is_object(); --more) {
        static constexpr std::array members{"edits", "released", "numbers", "undos", "pace", "anchor", "turns"};
        auto const which = random.below(members.size() + 3);
        if (which < members.size() && changed.contains(members[which]))
            saved_sessions::mutate(changed[members[which]], random);
        else saved_sessions::mutate(changed, random);
    }
    check(saved_sessions::sealed(changed.dump(-1, ' ', false, tree::error_handler_t::replace)), all);
}
