// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>

#include "replay_report.hpp"

// The report as text: one table for each window, one line for each mix.

namespace replay {

/// Halves go up, as on the page.
inline std::string decimal(double value, int places) {
    auto const scale = std::pow(10, places);
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", places, std::floor(value * scale + 0.5) / scale);
    return text;
}

/// "12.3 %", or "-" of nothing.
inline std::string share(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return "-";
    return decimal(100.0 * static_cast<double>(part) / static_cast<double>(whole), 1) + " %";
}

inline std::string money(std::uint64_t millionths, std::string const& currency) {
    auto const amount = static_cast<double>(millionths) / 1e6;
    return currency + (currency.size() > 1 ? " " : "") + decimal(amount, amount < 100 ? 4 : 2);
}

inline std::string milliseconds_each(condense::instant time, std::uint64_t requests) {
    return requests == 0 ? "-"
                         : decimal(static_cast<double>(time.count) / 1e6 / static_cast<double>(requests), 2) + " ms";
}

/// Columns as wide as what is in them, the first to the left, the others to the right.
inline std::string aligned(std::vector<std::vector<std::string>> const& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    auto const width = [](std::string const& cell) { return static_cast<std::size_t>(condense::utf8::count(cell)); };
    for (auto const& row : rows)
        for (std::size_t at = 0; at < row.size(); ++at) widths[at] = std::max(widths[at], width(row[at]));
    std::string out;
    for (auto const& row : rows) {
        for (std::size_t at = 0; at < row.size(); ++at) {
            std::string const pad(widths[at] - width(row[at]), ' ');
            out += at == 0 ? row[at] + pad : "  " + pad + row[at];
        }
        out += '\n';
    }
    return out;
}

/// Where requests stay in the window it says nothing.
inline std::string misfits(condense::replay_figures const& mix) {
    if (mix.fits()) return "all";
    auto const wrong = condense::add_capped(mix.over, mix.exhausted);
    return condense::grouped(mix.requests - std::min(mix.requests, wrong));
}

inline std::string text_of(report const& found) {
    using condense::grouped;
    std::string out = grouped(found.conversations) + (found.conversations == 1 ? " conversation" : " conversations");
    if (found.skipped != 0) out += ", " + grouped(found.skipped) + " skipped";
    if (!found.summariser.empty()) out += ", summaries by " + condense::printable(found.summariser, 80);
    out += '\n';
    if (found.conversations == 0) return out;
    for (std::size_t window = 0; window < found.windows.size(); ++window) {
        out += "\nwindow of " + grouped(found.windows[window].count) + " tokens, " +
               grouped(found.total(window, 0).figures.requests) + " requests\n";
        std::vector<std::vector<std::string>> rows{
            {"mix",  "fit",         "tokens sent",  "largest",    "cached",       "money",     "visible", "recoverable",
             "lost", "labelled",    "in line",      "edits",      "task",         "words",     "actions", "gap closed",
             "runs", "model calls", "failed calls", "for models", "time/request", "violations"}};
        for (std::size_t at = 0; at < found.mixes.size(); ++at) {
            auto const& mix = found.total(window, at).figures;
            auto const items = mix.all_items();
            auto const closed = found.gap_closed(window, at);
            rows.push_back({condense::printable(mix.mix, 40),
                            misfits(mix),
                            grouped(mix.sent.count),
                            grouped(mix.peak.count),
                            share(mix.cached.count, mix.sent.count),
                            money(mix.money, found.currency),
                            share(items.visible, items.total()),
                            share(items.recoverable, items.total()),
                            share(items.lost, items.total()),
                            share(items.labelled, items.total()),
                            share(items.in_line, items.total()),
                            share(mix.edits_visible, mix.edits),
                            share(mix.tasks_visible, mix.tasks),
                            share(mix.words_visible, mix.words),
                            share(mix.actions_visible, mix.actions),
                            closed ? decimal(100 * *closed, 1) + " %" : "-",
                            grouped(mix.reductions),
                            grouped(mix.model_calls),
                            grouped(mix.model_failures),
                            money(mix.model_money, found.currency),
                            milliseconds_each(mix.time, mix.requests),
                            grouped(mix.violations)});
        }
        out += aligned(rows);
    }
    for (auto const& total : found.totals)
        for (auto const& violation : total.figures.first_violations)
            out += "violation: " + condense::printable(total.figures.mix, 40) + ": " +
                   condense::printable(violation, 300) + '\n';
    return out;
}

}  // namespace replay
