// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/told.hpp>

#include "replay/talk.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using condense::replay_figures, condense::detail::told_index;
using script_type = condense::detail::replay_script<chat_message, per_byte>;

replay_figures counted(conversation const& history, conversation const& request, std::size_t end,
                       bool sendable = true) {
    script_type const script{history, {}};
    told_index const told{script};
    condense::detail::sent_requests<script_type> sent{script};
    sent.set_current(request, history, [](chat_message const&, std::uint64_t) {});
    std::unordered_map<std::uint64_t, std::vector<bool>> known;
    replay_figures out;
    told.count(sent, request, end, sendable, known, out);
    return out;
}

}  // namespace

TEST_CASE("told: the task, the user's words and what calls changed are visible where they can be read") {
    conversation const history{U("Mend it.\nThe second line."),
                               C("1", "cancel_order", R"({"id":"W17","why":"x"})"),
                               R("1"),
                               C("2", "get_order", R"({"id":"W18"})"),
                               R("2"),
                               U("use tabs"),
                               A("yes"),
                               U("go on")};
    auto const all = counted(history, history, history.size());
    CHECK((all.tasks == 1 && all.words == 2 && all.actions == 1));
    CHECK((all.tasks_visible == 1 && all.words_visible == 2 && all.actions_visible == 1));
    auto const early = counted(history, history, 5);
    CHECK((early.tasks == 1 && early.words == 0 && early.actions == 1));
    auto const refused = counted(history, history, history.size(), false);
    CHECK((refused.words == 2 && refused.tasks_visible == 0 && refused.words_visible == 0));
    auto const summary = counted(history, {U("> Mend it.\n> use tabs\nDone: cancel_order W17")}, history.size());
    CHECK((summary.tasks_visible == 1 && summary.words_visible == 1 && summary.actions_visible == 1));
    conversation const greeted{U("/mode"), A("?"), U("Mend it."), A("yes")};
    auto const behind = counted(greeted, {greeted[2]}, greeted.size());
    CHECK((behind.tasks == 1 && behind.tasks_visible == 1 && behind.words == 1 && behind.words_visible == 0));
    auto const less = counted(history, {U("Mend")}, history.size());
    CHECK((less.tasks_visible == 0 && less.words_visible == 0 && less.actions_visible == 0));
}
