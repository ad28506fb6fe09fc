// SPDX-License-Identifier: BSL-1.0

// What does the agent still know of what has left? What was done, and the names that later turns need.

#include <string>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/llm/name_index.hpp>
#include <condense/llm/user_words.hpp>
#include <condense/llm/work_record.hpp>

#include "check.hpp"

using condense::chat_message;

namespace {

std::string prose(int sentences) {
    std::string text;
    for (; sentences > 0; --sentences) text += "There is nothing to see in this line.\n";
    return text;
}

}  // namespace

int main() {
    using namespace condense::literals;
    using condense::used;

    auto const mix = condense::pipeline{condense::summarize{
        .when = used >= 85_pct,
        .until = used <= 5_pct,
        .protect = condense::task | condense::unanswered,
        .with = condense::no_prose{},
        .leaves = condense::both{condense::both{condense::user_words{.share = 5_pct}, condense::work_record{}},
                                 condense::name_index{.share = 15_pct, .lines = 100_pct}}}};

    condense::session session{std::vector<chat_message>{}, mix, {.window = 4'000_tokens}};
    session.push(chat_message::user("Tidy up the orders."));
    session.push(chat_message::call("1", "read_file", R"({"path": "src/orders.cpp"})"));
    session.push(chat_message::result("1", "auto refund_order(order_id id) {\n" + prose(190) + "}\n"));
    session.push(chat_message::assistant("Order W482217 is refunded by refund_order."));
    session.push(chat_message::user("Use tabs."));
    session.push(chat_message::assistant("I will.\n" + prose(220)));
    session.push(chat_message::user("Which order was it?"));
    check(session.prepare().changed());

    std::string const summary = session.request()[1].parts[0].text;
    check(summary.find("> Use tabs.") != std::string::npos);
    check(summary.find("Files read: src/orders.cpp") != std::string::npos);
    check(summary.find("> Order W482217 is refunded by refund_order.") != std::string::npos);
}
