// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Command lines of the programs here, in one style: `--help` is answered on standard output with exit status 0; what
// is wrong is one line on standard error that ends with the usage, exit status 2. The library that reads them is
// compiled once, in command_line/command_line.cpp.

namespace command_line {

/// Why a value is refused; empty where it is not. May rewrite the text before it is read.
using check = std::function<std::string(std::string& text)>;

/// A whole number within limits; the limits and what was given are said.
check whole_number(std::uint64_t least, std::uint64_t most, std::string_view of);
/// One of some names.
check one_of(std::vector<std::string> known);
check not_empty();

/// Where a value goes: a flag, a value, a list to which each adds one, or a function of it.
using target =
    std::variant<bool*, std::string*, std::uint64_t*, std::optional<std::string>*, std::optional<std::uint64_t>*,
                 std::vector<std::string>*, std::vector<std::uint64_t>*, std::function<void(std::string const&)>>;

/// A row of the table of options.
struct option {
    std::string name;  ///< such as "--window"; without dashes that of an argument; "!--no-x" is a flag that means false
    target to;
    std::string help;
    check accepts = {};
    std::string type = {};  ///< of a value, as the help names it, unless by its type
    std::string excludes = {};  ///< an option before it that may not be given as well
    bool required = false;
};

struct program {
    std::string name;
    std::string help;
    std::string usage;  ///< the text behind the options
};

/// A text of the user, for a terminal.
std::string shown(std::string_view given);

/// Writes the line on standard error; returns 2.
int refuse(program const& of, std::string_view problem);

/// Reads the command line into what the options are bound to. The exit status where the program has to end.
std::optional<int> read(program const& of, std::vector<option> const& options, int count, char const* const* given);

}  // namespace command_line
