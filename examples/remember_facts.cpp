// SPDX-License-Identifier: BSL-1.0

// How does an agent remember in its next conversation what was said in this one?

#include <filesystem>
#include <string>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/llm/extract_facts.hpp>
#include <condense/store/markdown_memory.hpp>

#include "check.hpp"

int main() {
    using condense::chat_message;
    using namespace condense::literals;
    using condense::used;

    std::filesystem::remove_all("notes");

    condense::markdown_memory const memory{"notes/memory.md"};
    condense::pipeline const mix{
        condense::sliding_window{.when = used > 8_messages, .protect = condense::last(4_messages)}};
    auto const options = condense::run_options{.redact = condense::known_secrets{},
                                               .before_drop = condense::extract_facts{.to = memory}};

    condense::session session{std::vector<chat_message>{}, mix, condense::budget{.window = 16'000_tokens},
                              condense::default_estimator<>{}, options};
    for (std::string const words : {"I am Ada, and I like short answers.", "Log in with password=hunter22.",
                                    "Build the parser.", "Test it.", "Thank you."}) {
        session.push(chat_message::user(words));
        session.push(chat_message::assistant("Done."));
        auto const report = session.prepare();
        check(report.before_drop.failure.empty());
    }

    // A later conversation begins with what has left the earlier one.
    auto const known = memory.facts();
    check(!known.error && known.facts.front() == "User: I am Ada, and I like short answers.");
    auto const rules = chat_message::system("You are an assistant.\n" + condense::facts_prompt(known.facts));
    check(rules.parts[0].text.find("password=[redacted: password]") != std::string::npos);
}
