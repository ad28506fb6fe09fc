// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../command_line.hpp"

// What the command line says.

namespace repl {

struct arguments {
    std::string folder = {};
    std::string endpoint = {};  ///< none: the scripted model answers
    std::string model = "gpt-4o-mini";
    std::optional<std::uint64_t> window = {};  ///< 32,000, or that of the state, unless given
    std::string state = {};
    std::uint64_t timeout = 300;
    bool stream = true;
    std::string script = "plain";

    bool overflow() const { return script == "overflow"; }
};

inline command_line::program const program{
    "chat",
    "A conversation with a model about the files of one folder, for as long as one likes.\n"
    "Exit status: 0, 1 where the state could not be saved, 2 for wrong usage.",
    "FOLDER"};

inline std::vector<command_line::option> options_of(arguments& chosen) {
    using command_line::not_empty, command_line::one_of, command_line::whole_number;
    return {
        {.name = "FOLDER", .to = &chosen.folder, .help = "the tools read in it and nowhere else", .required = true},
        {"--endpoint", &chosen.endpoint,
         "of an API like OpenAI's, whose key is in OPENAI_API_KEY; without it a scripted model answers", not_empty()},
        {"--model", &chosen.model, "the model's name there; gpt-4o-mini unless given", not_empty()},
        {"--window", &chosen.window, "the context window in tokens; 32000, or that of the state, unless given",
         whole_number(1'000, 100'000'000, "tokens")},
        {"--state", &chosen.state, "a file to go on from, and to save to at the end", not_empty()},
        {"--timeout", &chosen.timeout, "how long an answer may take; 300 unless given",
         whole_number(1, 86'400, "seconds")},
        {"!--no-stream", &chosen.stream, "answers are asked for whole"},
        {"--script", &chosen.script, "of the scripted model: plain or overflow", one_of({"plain", "overflow"})}};
}

}  // namespace repl
