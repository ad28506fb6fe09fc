// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <charconv>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <condense/detail/text.hpp>

// Command lines of the programs here, in one style: `--help` is answered on standard output with exit status 0; what
// is wrong is one line on standard error that ends with the usage, exit status 2.

namespace command_line {

/// What the user gave, for a terminal.
inline std::string shown(std::string_view given) { return condense::printable(given, 300); }

/// A whole number within limits; the limits and what was given are said.
inline CLI::Validator whole_number(std::uint64_t least, std::uint64_t most, std::string_view of) {
    auto const check = [=, what = std::string{of}](std::string& text) -> std::string {
        std::uint64_t value = 0;
        auto const end = text.data() + text.size();
        auto const [rest, problem] = std::from_chars(text.data(), end, value);
        if (problem == std::errc{} && rest == end && value >= least && value <= most) {
            text = std::to_string(value);  // as a transformation: without digit separators and the like
            return {};
        }
        return "a whole number of " + what + " from " + condense::grouped(least) + " to " + condense::grouped(most) +
               " is wanted, not '" + shown(text) + "'";
    };
    return {check, ""};
}

/// One of some names.
inline CLI::Validator one_of(std::vector<std::string> known) {
    auto const check = [known = std::move(known)](std::string& text) -> std::string {
        std::string all;
        for (auto const& name : known) {
            if (text == name) return {};
            all.append(all.empty() ? "" : ", ").append(name);
        }
        return "'" + shown(text) + "' is not one of " + all;
    };
    return {check, ""};
}

inline CLI::Validator not_empty() {
    return {[](std::string& text) { return std::string{text.empty() ? "the value is empty" : ""}; }, ""};
}

inline int refuse(CLI::App const& app, std::string_view positional, std::string_view problem) {
    std::cerr << app.get_name() << ": " << shown(problem) << "; usage: " << app.get_name() << " [OPTIONS] "
              << positional << " (" << app.get_name() << " --help lists the options)\n";
    return 2;
}

/// Reads the command line into what the options are bound to. The exit status where the program has to end.
inline std::optional<int> read(CLI::App& app, int count, char const* const* given, std::string_view positional) {
    app.get_formatter()->column_width(28);
    try {
        app.parse(count, given);
    } catch (CLI::Success const&) {
        std::cout << app.help() << std::flush;
        return std::cout ? 0 : 1;
    } catch (CLI::ParseError const& problem) {
        for (auto const& rest : app.remaining())
            if (rest.starts_with("-") && rest != "-") return refuse(app, positional, rest + ": unknown option");
        return refuse(app, positional, problem.what());
    }
    return std::nullopt;
}

}  // namespace command_line
