// SPDX-License-Identifier: BSL-1.0

// How do I write a layer of my own?

#include <string>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

#include "check.hpp"

// It says what it may do; a verb it has not declared does not compile, and a law is never broken: the
// draft refuses, and says why.
struct drop_pings {
    static constexpr auto effects = condense::drops;

    void reduce(auto& draft, auto& pass) const {
        for (auto const group : draft.groups())
            if (is_ping(draft, group))
                if (auto const refused = draft.drop(group)) pass.note(refused);
    }

private:
    static bool is_ping(auto& draft, condense::group which) {
        bool has_ping = false;
        draft.each_part(which, [&](condense::part_ref, condense::part_view const& part) {
            has_ping = has_ping || (part.kind == condense::part_kind::tool_call && part.tool == "ping");
        });
        return has_ping;
    }
};

int main() {
    using condense::chat_message;
    using namespace condense::literals;

    std::vector<chat_message> history{chat_message::user("Is it up?")};
    for (int call = 0; call < 5; ++call) {
        history.push_back(chat_message::call("p" + std::to_string(call), "ping", "{}"));
        history.push_back(chat_message::result("p" + std::to_string(call), "64 bytes"));
    }
    history.push_back(chat_message::assistant("Yes."));

    condense::pipeline const mix{drop_pings{}};
    static_assert(!condense::recoverable<decltype(mix)>);  // nothing records what it drops

    auto const report = condense::reduce(history, mix, {.window = 1'000_tokens});
    check(report.layers[0].groups_dropped == 5 && history.size() == 2);
}
