// SPDX-License-Identifier: BSL-1.0
#include "../command_line.hpp"

#include <charconv>
#include <iostream>
#include <system_error>
#include <type_traits>
#include <utility>

#include <CLI/CLI.hpp>

#include <condense/detail/text.hpp>

namespace command_line {

std::string shown(std::string_view given) { return condense::printable(given, 300); }

check whole_number(std::uint64_t least, std::uint64_t most, std::string_view of) {
    return [=, what = std::string{of}](std::string& text) -> std::string {
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
}

check one_of(std::vector<std::string> known) {
    return [known = std::move(known)](std::string& text) -> std::string {
        std::string all;
        for (auto const& name : known) {
            if (text == name) return {};
            all.append(all.empty() ? "" : ", ").append(name);
        }
        return "'" + shown(text) + "' is not one of " + all;
    };
}

check not_empty() {
    return [](std::string& text) { return std::string{text.empty() ? "the value is empty" : ""}; };
}

int refuse(program const& of, std::string_view problem) {
    std::cerr << of.name << ": " << shown(problem) << "; usage: " << of.name << " [OPTIONS] " << of.usage << " ("
              << of.name << " --help lists the options)\n";
    return 2;
}

namespace {

CLI::Option* add(CLI::App& app, option const& row) {
    return std::visit(
        [&]<class To>(To const& to) {
            if constexpr (std::is_same_v<To, bool*>) return app.add_flag(row.name, *to, row.help);
            else if constexpr (std::is_pointer_v<To>) return app.add_option(row.name, *to, row.help);
            else return app.add_option_function<std::string>(row.name, to, row.help);
        },
        row.to);
}

bool is_list(target const& to) {
    return std::holds_alternative<std::vector<std::string>*>(to) ||
           std::holds_alternative<std::vector<std::uint64_t>*>(to);
}

}  // namespace

std::optional<int> read(program const& of, std::vector<option> const& options, int count, char const* const* given) {
    CLI::App app{of.help, of.name};
    for (auto const& row : options) {
        auto* const added = add(app, row)->required(row.required);
        if (row.accepts) added->transform(CLI::Validator{row.accepts, ""});
        if (!row.type.empty()) added->type_name(row.type);
        if (is_list(row.to) && row.name.starts_with('-')) added->take_all()->allow_extra_args(false);
        if (!row.excludes.empty()) added->excludes(app.get_option(row.excludes));
    }
    app.get_formatter()->column_width(28);
    try {
        app.parse(count, given);
    } catch (CLI::Success const&) {
        std::cout << app.help() << std::flush;
        return std::cout ? 0 : 1;
    } catch (CLI::ParseError const& problem) {
        for (auto const& rest : app.remaining())
            if (rest.starts_with("-") && rest != "-") return refuse(of, rest + ": unknown option");
        return refuse(of, problem.what());
    }
    return std::nullopt;
}

}  // namespace command_line
