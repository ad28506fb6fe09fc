// SPDX-License-Identifier: BSL-1.0

// Which roles map to what, and what happens to parts of kind `other` and to sealed parts?

#include <string>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/shorteners.hpp>

#include "check.hpp"

using namespace condense::literals;
using condense::chat_message;
using condense::part_kind;
using condense::role;
using condense::role_named;

int main() {
    check(role_named("developer") == role::system);
    check(role_named("human") == role::user);
    check(role_named("model") == role::assistant && role_named("ai") == role::assistant);
    check(role_named("function") == role::tool && role_named("toolResult") == role::tool);
    check(role_named("narrator") == role::other);  // an ordinary message: it may be dropped or summarised

    chat_message thought{.role = role::assistant};
    thought.parts = {
        {.kind = part_kind::reasoning, .text = std::string(20'000, 't'), .sealed = true},  // signed by the provider
        {.kind = part_kind::other, .text = std::string(20'000, 'o')},
        {.kind = part_kind::text, .text = "It is 4."}};
    std::vector<chat_message> history{chat_message::user("2 + 2?"), thought, chat_message::user("3 + 3?"),
                                      chat_message{.role = role::assistant, .parts = thought.parts}};

    // No shortener takes such a part by itself: it stays byte for byte.
    auto const cut = condense::pipeline{condense::compress{.when = condense::always}};
    check(!condense::reduce(history, cut, {.window = 100'000_tokens}).changed());

    // Signed reasoning can be taken out whole, of all but the newest message that has some.
    auto const forget = condense::pipeline{
        condense::compress{.when = condense::always, .with = condense::old_reasoning{.keep = 1_messages}}};
    check(condense::reduce(history, forget, {.window = 100'000_tokens}).changed());
    check(history[1].parts.size() == 2 && history[3].parts.size() == 3);

    // Whole messages go with all their parts.
    auto const drop = condense::pipeline{condense::sliding_window{
        .when = condense::used > 2_messages, .until = condense::used <= 2_messages, .protect = condense::nothing}};
    check(condense::reduce(history, drop, {.window = 100'000_tokens}).changed() && history.size() == 2);
}
