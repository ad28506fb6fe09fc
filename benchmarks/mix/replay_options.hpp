// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <condense/adapt/json_parse.hpp>
#include <condense/detail/text.hpp>
#include <condense/replay/figures.hpp>

#include "../../examples/command_line.hpp"
#include "../../examples/shape_option.hpp"

// What `replay` is asked for: its arguments, and the file of prices.

namespace replay {

/// Wrong usage: one line, exit status 2, nothing done.
struct complaint : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct options {
    std::vector<condense::tokens> windows = {};  ///< 8,000 and 32,000 unless given
    std::vector<std::string> mixes = {};         ///< all unless given
    std::vector<std::string> paths = {};
    std::optional<condense::json_shape> shape = {};
    std::string prices_file = {};
    std::string json_file = {};
    std::string html_file = {};
    std::string summariser = "rule";
    std::string summariser_model = {};
    std::uint64_t jobs = 0;  ///< 0 is one for each processor
    std::uint64_t keep = 20;
    std::vector<std::uint64_t> window_sizes = {};  ///< as they were given
};

/// What the user gave, for a terminal.
using command_line::shown;

inline command_line::program const program{
    "replay",
    "Plays recorded conversations again, request by request, under each mix of layers, and compares what was sent, "
    "what it\n"
    "costs, what the prompt cache held, and what later answers needed and could still see.\n"
    "Exit status: 0, or 1 when a report could not be written, 2 for wrong usage, 3 when some conversations could "
    "not be\n"
    "read: these are named and skipped.",
    "PATH..."};

inline std::vector<command_line::option> options_of(options& chosen) {
    using command_line::whole_number;
    return {
        {.name = "PATH",
         .to = &chosen.paths,
         .help = "a file, or a folder, which is searched for .json, .jsonl and .ndjson. A .json file is one "
                 "conversation: an array of messages, or a request body that holds one, in any shape that the "
                 "library reads. In .jsonl and .ndjson each line is one",
         .required = true},
        command_line::shape_option(chosen.shape),
        {"--window", &chosen.window_sizes,
         "the context window in tokens; may be given again; 8000 and 32000 unless given",
         whole_number(1, 1'000'000'000, "tokens")},
        {.name = "--mix",
         .to = &chosen.mixes,
         .help = "only this mix; may be given again; all unless given",
         .type = "NAME"},
        {"--summariser", &chosen.summariser,
         "who writes the summaries of mixes: rule, a stand-in, unless given; openai:URL or anthropic:URL, a "
         "server of that protocol, which gets what is summarised, or without the URL the provider's own; its "
         "key is in OPENAI_API_KEY or ANTHROPIC_API_KEY. summarize_on_prefix stays with the stand-in"
#if defined(REPLAY_WITHOUT_CURL)
         "; this program was built without libcurl, and has the stand-in alone"
#endif
        },
        {.name = "--summariser-model",
         .to = &chosen.summariser_model,
         .help = "the model asked there; unless given that of the environment's SUMMARIZER_MODEL, else gpt-4o-mini",
         .type = "NAME"},
        {.name = "--prices",
         .to = &chosen.prices_file,
         .help = "a JSON object with what a million tokens cost. input and output are required; cached (input read "
                 "from the prompt cache) and written (input written to it) cost as much as input unless given; "
                 "currency is a sign or short name, $ unless given. Without this option: {\"input\": 3.0, "
                 "\"output\": 15.0, \"cached\": 0.3, \"written\": 3.75}",
         .type = "FILE"},
        {.name = "--json", .to = &chosen.json_file, .help = "writes every figure as JSON", .type = "FILE"},
        {.name = "--html",
         .to = &chosen.html_file,
         .help = "writes one page with plots and a table, which needs nothing else to be read",
         .type = "FILE"},
        {"--jobs", &chosen.jobs,
         "conversations replayed at once; as many as there are processors unless given; each is held in memory",
         whole_number(1, 1'024, "conversations")},
        {"--keep", &chosen.keep, "how many of the longest conversations the reports show one by one; 20 unless given",
         whole_number(1, 10'000, "conversations")}};
}

/// What was not given, and windows once each.
inline void complete(options& chosen) {
    for (auto const size : chosen.window_sizes) {
        condense::tokens const window{size};
        if (std::find(chosen.windows.begin(), chosen.windows.end(), window) == chosen.windows.end())
            chosen.windows.push_back(window);
    }
    if (chosen.windows.empty()) chosen.windows = {condense::tokens{8'000}, condense::tokens{32'000}};
    if (chosen.jobs == 0) chosen.jobs = std::max(1u, std::thread::hardware_concurrency());
}

struct priced {
    condense::prices prices = {};
    std::string currency = "$";
};

inline priced read_prices(std::string const& path) {
    std::ifstream file{path, std::ios::binary};
    std::string const text{std::istreambuf_iterator<char>{file}, {}};
    auto const wrong = [&](std::string const& what) { return complaint{"--prices: " + shown(path) + ": " + what}; };
    if (!file || std::filesystem::is_directory(path)) throw wrong("cannot be read");
    auto const parsed = condense::parse_json<nlohmann::ordered_json>(text);
    if (!parsed) throw wrong(parsed.error);
    if (!parsed.value.is_object()) throw wrong("an object is wanted");
    priced out;
    auto const price = [&](char const* key, condense::price otherwise) -> condense::price {
        auto const found = parsed.value.find(key);
        if (found == parsed.value.end()) return otherwise;
        auto const amount = found->is_number() ? found->get<double>() : -1;
        if (!(amount >= 0 && amount <= 1e6))
            throw wrong(std::string{key} + ": a price from 0 to 1,000,000 for a million tokens is wanted");
        return {static_cast<std::uint64_t>(std::llround(amount * 1e6))};
    };
    for (auto const* key : {"input", "output"})
        if (!parsed.value.contains(key)) throw wrong(std::string{key} + ": is wanted");
    out.prices.input = price("input", {});
    out.prices.output = price("output", {});
    out.prices.cached = price("cached", out.prices.input);
    out.prices.written = price("written", out.prices.input);
    for (auto const& [key, value] : parsed.value.items()) {
        if (key == "currency" && value.is_string() && !value.empty())
            out.currency = condense::printable(value.get<std::string>(), 8);
        else if (key == "currency") throw wrong("currency: a text is wanted");
        else if (key != "input" && key != "output" && key != "cached" && key != "written")
            throw wrong(shown(key) + ": unknown key");
    }
    return out;
}

}  // namespace replay
