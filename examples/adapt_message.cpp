// SPDX-License-Identifier: BSL-1.0

// How do I use the message type that my program has?

#include <list>
#include <string>
#include <vector>

#include <condense/condense.hpp>

#include "check.hpp"

namespace my {

struct line {
    std::string role;
    std::string text;
};

enum class who { human, bot, program };

struct tool_use {
    std::string id;
    std::string tool;
    std::string text;  ///< arguments, or what came out
};
struct post {
    who from = who::human;
    std::string text = {};
    std::vector<tool_use> calls = {};
    std::vector<tool_use> outputs = {};
    int color = 0;
};

}  // namespace my

// A role and a text: one line. It can be read, shortened and summarised.
template <>
struct condense::message_traits<my::line> : condense::role_and_text<&my::line::role, &my::line::text> {};

// Anything else: say what the parts are, and how one of them is replaced.
template <>
struct condense::message_traits<my::post> {
    static role role_of(my::post const& m) {
        return m.from == my::who::human ? role::user : m.from == my::who::bot ? role::assistant : role::tool;
    }
    static void each_part(my::post const& m, auto&& sink) {
        sink(part_view{.text = m.text});
        for (auto const& call : m.calls) sink(part_view{part_kind::tool_call, call.text, call.tool, call.id});
        for (auto const& out : m.outputs) sink(part_view{part_kind::tool_result, out.text, out.tool, out.id});
    }
    static void with_part(my::post& m, std::size_t index, std::string text) {
        if (index == 0) m.text = std::move(text);
        else if (--index < m.calls.size()) m.calls[index].text = std::move(text);
        else m.outputs[index - m.calls.size()].text = std::move(text);
    }
    static my::post make(role, std::string text) { return {.text = std::move(text)}; }
    static my::post make_result(my::post const&, part_view const& call, std::string text) {
        return {.from = my::who::program,
                .outputs = {{std::string{call.call}, std::string{call.tool}, std::move(text)}}};
    }
};

int main() {
    using namespace condense::literals;
    using condense::used;

    std::list<my::line> lines;
    for (int turn = 0; turn < 100; ++turn) {
        lines.push_back({"user", "What is " + std::to_string(turn) + " squared?"});
        lines.push_back({"assistant", "It is " + std::to_string(turn * turn) + "."});
    }
    auto const short_talk = condense::reduce(lines, condense::pipeline{condense::summarize{.when = used > 50_messages}},
                                             {.window = 8'000_tokens});
    check(short_talk.fits() && lines.size() <= 50);

    std::vector<my::post> posts{{.text = "Look."}};
    posts.push_back({.from = my::who::bot, .calls = {{"7", "look", "{}"}, {"8", "listen", "{}"}}});
    posts.push_back({.from = my::who::program, .outputs = {{"7", "look", std::string(20'000, '.')}}, .color = 3});
    posts.push_back({.text = "Never mind the rest."});
    posts.push_back({.from = my::who::bot, .text = "Dots."});
    auto const short_output =
        condense::reduce(posts, condense::pipeline{condense::compress{.when = condense::always}, condense::repair{}},
                         {.window = 8'000_tokens});
    check(short_output.fits() && posts.size() == 6);
    check(posts[2].outputs[0].id == "8");  // the call that will have no result any more has one now
    check(posts[3].outputs[0].text.size() < 10'000 && posts[3].color == 3);
}
