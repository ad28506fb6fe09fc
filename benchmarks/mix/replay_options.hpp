// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <condense/adapt/json_parse.hpp>
#include <condense/detail/figure.hpp>
#include <condense/detail/text.hpp>
#include <condense/replay/figures.hpp>

// What `replay` is asked for: its arguments, and the file of prices.

namespace replay {

/// Wrong usage: one line, exit status 2, nothing done.
struct complaint : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct options {
    std::vector<condense::tokens> windows = {};  ///< 8,000 and 32,000 unless given
    std::vector<std::string> mixes = {};         ///< all unless given
    std::vector<std::filesystem::path> paths = {};
    std::string prices_file = {};
    std::string json_file = {};
    std::string html_file = {};
    std::size_t jobs = 0;  ///< 0 is one for each processor
    std::size_t keep = 20;
    bool help = false;
};

inline constexpr std::string_view usage_line =
    "usage: replay [--window N]... [--mix NAME]... [--prices FILE] [--json FILE] [--html FILE] [--jobs N] [--keep N] PATH...";

inline constexpr std::string_view help_text = R"(
Plays recorded conversations again, request by request, under each mix of layers, and compares what was sent, what it
costs, what the prompt cache held, and what later answers needed and could still see.

PATH         a file or a folder, which is searched for .json, .jsonl and .ndjson files; of the first a file is a
             conversation: an array of messages, or an object with 'messages' (and 'system'), in OpenAI chat, Anthropic
             messages or pi-agent shape; of the others each line is one
--window N   the context window in tokens; may be given again; 8000 and 32000 unless given
--mix NAME   only this mix; may be given again; all unless given
--prices F   JSON with what a million tokens cost: {"input": 3.0, "output": 15.0, "cached": 0.3, "written": 3.75,
             "currency": "$"}; cached and written are the input price unless given
--json F     writes every figure as JSON
--html F     writes one page with plots and a table, which needs nothing else to be read
--jobs N     conversations replayed at once; as many as there are processors unless given; each is held in memory
--keep N     so many of the longest conversations are in the reports one by one; 20 unless given

Exit status: 0, or 1 when a report could not be written, 2 for wrong usage, 3 when some conversations could not be read:
these are named and skipped.
)";

/// What the user gave, for a terminal.
inline std::string shown(std::string_view given) { return condense::detail::printable(given, 300); }

inline std::uint64_t read_count(std::string const& option, std::string const& text, std::uint64_t most) {
    auto const read = condense::detail::read_count(text);
    if (read.fault != condense::detail::figure_fault::none || read.value == 0 || read.value > most)
        throw complaint{option + ": a whole number from 1 to " + condense::detail::grouped(most) + " is wanted, not '" + shown(text) + "'"};
    return read.value;
}

inline options read_arguments(std::vector<std::string> const& arguments) {
    options chosen;
    bool plain = false;  // after --
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        auto const& option = arguments[at];
        if (plain || !option.starts_with("-") || option == "-") {
            chosen.paths.emplace_back(option);
            continue;
        }
        if (option == "--") {
            plain = true;
            continue;
        }
        if (option == "--help" || option == "-h") {
            chosen.help = true;
            return chosen;
        }
        bool const known = option == "--window" || option == "--mix" || option == "--prices" || option == "--json" || option == "--html" ||
                           option == "--jobs" || option == "--keep";
        if (!known) throw complaint{shown(option) + ": unknown option; " + std::string{usage_line}};
        if (at + 1 == arguments.size()) throw complaint{option + ": a value is missing; " + std::string{usage_line}};
        auto const& value = arguments[++at];
        if (option == "--window") {
            condense::tokens const window{read_count(option, value, 1'000'000'000)};
            if (std::find(chosen.windows.begin(), chosen.windows.end(), window) == chosen.windows.end()) chosen.windows.push_back(window);
        } else if (option == "--mix") chosen.mixes.push_back(value);
        else if (option == "--prices") chosen.prices_file = value;
        else if (option == "--json") chosen.json_file = value;
        else if (option == "--html") chosen.html_file = value;
        else if (option == "--jobs") chosen.jobs = static_cast<std::size_t>(read_count(option, value, 1'024));
        else chosen.keep = static_cast<std::size_t>(read_count(option, value, 10'000));
    }
    if (chosen.paths.empty()) throw complaint{"no PATH is given; " + std::string{usage_line}};
    if (chosen.windows.empty()) chosen.windows = {condense::tokens{8'000}, condense::tokens{32'000}};
    if (chosen.jobs == 0) chosen.jobs = std::max(1u, std::thread::hardware_concurrency());
    return chosen;
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
        if (!(amount >= 0 && amount <= 1e6)) throw wrong(std::string{key} + ": a price from 0 to 1,000,000 for a million tokens is wanted");
        return {static_cast<std::uint64_t>(std::llround(amount * 1e6))};
    };
    for (auto const* key : {"input", "output"})
        if (!parsed.value.contains(key)) throw wrong(std::string{key} + ": is wanted");
    out.prices.input = price("input", {});
    out.prices.output = price("output", {});
    out.prices.cached = price("cached", out.prices.input);
    out.prices.written = price("written", out.prices.input);
    for (auto const& [key, value] : parsed.value.items()) {
        if (key == "currency" && value.is_string() && !value.empty()) out.currency = condense::detail::printable(value.get<std::string>(), 8);
        else if (key == "currency") throw wrong("currency: a text is wanted");
        else if (key != "input" && key != "output" && key != "cached" && key != "written") throw wrong(shown(key) + ": unknown key");
    }
    return out;
}

}  // namespace replay
