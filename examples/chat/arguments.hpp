// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

// What the command line says.

namespace repl {

inline constexpr std::string_view usage_line =
    "usage: chat [--endpoint URL] [--model NAME] [--window TOKENS] [--state FILE] [--no-stream] [--timeout SECONDS] "
    "[--script plain|overflow] FOLDER\n";

struct arguments {
    std::string folder = {};
    std::string endpoint = {};  ///< none: the scripted model answers
    std::string model = "gpt-4o-mini";
    std::uint64_t window = 32'000;
    std::string state = {};
    std::uint64_t timeout = 300;
    bool stream = true;
    bool overflow = false;
    std::string problem = {};  ///< a sentence where the command line cannot be used
};

inline bool read_number(std::string_view text, std::uint64_t least, std::uint64_t most, std::uint64_t& number) {
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc{} && end == text.data() + text.size() && number >= least && number <= most;
}

inline arguments read_arguments(int count, char const* const* given) {
    arguments chosen;
    for (int at = 1; at < count && chosen.problem.empty(); ++at) {
        std::string_view const option{given[at]};
        if (!option.starts_with("-")) {
            if (!chosen.folder.empty()) chosen.problem = "more than one folder";
            chosen.folder = option;
            continue;
        }
        if (option == "--no-stream") {
            chosen.stream = false;
            continue;
        }
        bool const known = option == "--endpoint" || option == "--model" || option == "--window" || option == "--state" ||
                           option == "--timeout" || option == "--script";
        if (!known || at + 1 == count) {
            chosen.problem = std::string{option} + (known ? ": a value is missing" : ": unknown option");
            break;
        }
        std::string_view const value{given[++at]};
        if (value.empty()) chosen.problem = std::string{option} + ": the value is empty";
        else if (option == "--endpoint") chosen.endpoint = value;
        else if (option == "--model") chosen.model = value;
        else if (option == "--state") chosen.state = value;
        else if (option == "--window") {
            if (!read_number(value, 1'000, 100'000'000, chosen.window)) chosen.problem = "--window: a number of tokens from 1000 on is wanted";
        } else if (option == "--timeout") {
            if (!read_number(value, 1, 86'400, chosen.timeout)) chosen.problem = "--timeout: a number of seconds from 1 to 86400 is wanted";
        } else if (value == "overflow") chosen.overflow = true;
        else if (value != "plain") chosen.problem = "--script: plain or overflow is wanted";
    }
    if (chosen.problem.empty() && chosen.folder.empty()) chosen.problem = "a folder is wanted";
    if (chosen.problem.empty() && chosen.overflow && !chosen.endpoint.empty()) chosen.problem = "--script: there is an endpoint";
    return chosen;
}

}  // namespace repl
