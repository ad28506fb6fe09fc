// SPDX-License-Identifier: BSL-1.0

// How do I give an agent the AGENTS.md files of its user, project and folder, so that no reduction takes them away?

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/config/instructions.hpp>

#include "check.hpp"

int main() {
    using condense::chat_message;
    using namespace condense::literals;
    using condense::used;

    std::filesystem::create_directories("repo/.git");
    std::filesystem::create_directories("repo/src");
    std::ofstream{"repo/AGENTS.md"} << "Use tabs.\n";
    std::ofstream{"repo/src/AGENTS.md"} << "Run make.\n";

    condense::session session{std::vector<chat_message>{},
                              condense::pipeline{condense::sliding_window{.when = used >= 90_pct}},
                              condense::budget{.window = 2'000_tokens}};

    auto const read = condense::instructions::load({.global = "user/AGENTS.md", .working = "repo/src"});
    for (auto const& error : read.errors) std::fprintf(stderr, "%s\n", error.text().c_str());
    check(read.push_to(session) == condense::instructions_pushed::yes);

    check(read.sources.size() == 2 && !read.truncated && read.errors.empty());
    for (int turn = 0; turn < 200; ++turn) {
        session.push(chat_message::user("What is " + std::to_string(turn) + " squared?"));
        session.push(chat_message::assistant("It is " + std::to_string(turn * turn) + "."));
        check(session.prepare().fits());
        check(read.push_to(session) == condense::instructions_pushed::unchanged);
    }
    check(*session.request().begin() == chat_message::system(read.text));
}
