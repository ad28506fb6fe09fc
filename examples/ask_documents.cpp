// SPDX-License-Identifier: BSL-1.0

// Which parts of my documents does a question need, inside a budget of tokens?
// ask_documents QUESTION BUDGET FILE...: prints the plan and the context; without arguments it asks about two texts.

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include <condense/condense.hpp>
#include <condense/plan.hpp>

#include "check.hpp"
#include "output_file.hpp"

namespace {

std::string lines_about(std::string const& service) {
    std::string text;
    for (int line = 0; line < 200; ++line)
        text += "The " + service + " service has answered " + std::to_string(line) + "\n";
    return text;
}

condense::planned_context ask(std::vector<std::string> const& names, std::vector<std::string> const& texts,
                              std::string const& question, std::uint64_t budget) {
    condense::artifact_list<condense::char_ratio<condense::family::claude>> documents;
    for (std::size_t index = 0; index < texts.size(); ++index)
        if (auto const problem = documents.attach({.content = texts[index], .source = names[index]}))
            std::cerr << names[index] << ": " << problem.text() << "\n";
    return condense::plan_context{}(documents, {.question = question, .budget = {budget}});
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 4) {
        auto const context = ask({"billing.log", "search.log"},
                                 {lines_about("billing") + "Billing listens on port 8443.\n", lines_about("search")},
                                 "On which port does billing listen?", 400);
        check(context.text.find("port 8443") != std::string::npos && context.used.count <= 400);
        return 0;
    }
    std::string const limit = arguments[2];
    std::uint64_t budget = 0;
    std::from_chars(limit.data(), limit.data() + limit.size(), budget);
    std::vector<std::string> const names(arguments + 3, arguments + count);
    std::vector<std::string> texts;
    texts.reserve(names.size());
    for (auto const& name : names) texts.push_back(read_whole(name).content);
    auto const context = ask(names, texts, arguments[1], budget);
    std::cout << context.report() << context.used.count << " tokens\n\n" << context.text;
}
