// SPDX-License-Identifier: BSL-1.0

// A program with a message type of its own, built outside the project.

#include <string>
#include <vector>

#include <condense/condense.hpp>

struct note {
    std::string author;
    std::string words;
};

template <>
struct condense::message_traits<note> : condense::role_and_text<&note::author, &note::words> {};

int main() {
    using namespace condense::literals;

    // The library's own warnings refuse this cast; they must not reach a consumer.
    auto const turns = (std::size_t)20;

    std::vector<note> history{{"system", "Be brief."}};
    for (std::size_t turn = 0; turn < turns; ++turn) {
        history.push_back({"user", std::string(400, 'a')});
        history.push_back({"assistant", std::string(400, 'b')});
    }
    auto const before = history.size();
    auto const mix = condense::pipeline{condense::sliding_window{.when = condense::used >= 50_pct}};
    auto const report = condense::reduce(history, mix, {.window = 2'000_tokens});
    return report.fits() && history.size() < before && history.front().author == "system" ? 0 : 1;
}
