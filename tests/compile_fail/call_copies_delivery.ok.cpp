// SPDX-License-Identifier: BSL-1.0
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

using namespace condense::literals;

int main() {
    condense::session session{std::vector<condense::chat_message>{},
                              condense::pipeline{condense::sliding_window{.when = condense::used >= 90_pct}},
                              condense::budget{.window = 1'000_tokens}};
    static_cast<void>(
        session.call([](auto const&, condense::delivery&) { return condense::chat_message::assistant("no"); }));
}
