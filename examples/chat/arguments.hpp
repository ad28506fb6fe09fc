// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

inline void describe(CLI::App& app, arguments& chosen) {
    using command_line::not_empty, command_line::one_of, command_line::whole_number;
    app.add_option("FOLDER", chosen.folder, "the tools read in it and nowhere else")->required();
    app.add_option("--endpoint", chosen.endpoint,
                   "of an API like OpenAI's, whose key is in OPENAI_API_KEY; without it a scripted model answers")
        ->check(not_empty());
    app.add_option("--model", chosen.model, "the model's name there; gpt-4o-mini unless given")->check(not_empty());
    app.add_option("--window", chosen.window, "the context window in tokens; 32000, or that of the state, unless given")
        ->transform(whole_number(1'000, 100'000'000, "tokens"));
    app.add_option("--state", chosen.state, "a file to go on from, and to save to at the end")->check(not_empty());
    app.add_option("--timeout", chosen.timeout, "how long an answer may take; 300 unless given")
        ->transform(whole_number(1, 86'400, "seconds"));
    app.add_flag("!--no-stream", chosen.stream, "answers are asked for whole");
    app.add_option("--script", chosen.script, "of the scripted model: plain or overflow")
        ->check(one_of({"plain", "overflow"}));
}

}  // namespace repl
