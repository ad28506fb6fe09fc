// expect: condense: shortener: its own limit `over` must be a size such as 2'000_chars (see shortener)
// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

struct first_word {
    int over = 300;
    std::optional<std::string> operator()(condense::part_view const& part, condense::cut) const {
        return std::string{part.text.substr(0, part.text.find(' '))};
    }
};

void run(std::vector<condense::chat_message>& history) {
    static_cast<void>(
        condense::reduce(history, condense::pipeline{condense::compress{.with = first_word{}}}, {.window = {1'000}}));
}
