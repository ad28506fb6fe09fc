// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <condense/detail/utf8.hpp>

// Reads what markers claim and counts what is there, for tests only. The texts may hold markers that
// somebody else wrote: a reader is content where one marker is right, and complains where none is.

namespace laws {

/// What a marker claims and what can be counted, in one unit.
struct figures {
    std::uint64_t kept = 0;
    std::uint64_t missing = 0;
    std::uint64_t total = 0;
    std::uint64_t present = 0;  ///< counted in the text before
    bool agree() const { return kept + missing == total && total == present; }
};
inline constexpr figures wrong_figures{.kept = 1};

inline std::uint64_t lines_in(std::string_view text) {
    auto const ends = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
    return ends + (text.empty() || text.back() == '\n' ? 0u : 1u);
}

inline std::uint64_t count_in(std::string_view text, std::string_view unit) {
    return unit == "characters" ? condense::detail::utf8::count(text) : lines_in(text);
}

/// A figure at `at`, which is moved behind it.
inline std::optional<std::uint64_t> read_count(std::string_view text, std::size_t& at) {
    auto const begin = at;
    std::uint64_t sum = 0;
    for (; at < text.size() && (text[at] == ',' || (text[at] >= '0' && text[at] <= '9')); ++at)
        if (text[at] != ',') sum = sum * 10 + static_cast<std::uint64_t>(text[at] - '0');
    if (at == begin) return std::nullopt;
    return sum;
}

/// "[... 44 of 300 lines omitted …]"
struct omission_marker {
    std::uint64_t missing = 0;
    std::uint64_t total = 0;
    std::string_view unit = {};
    std::size_t end = 0;
};

inline std::optional<omission_marker> marker_at(std::string_view text, std::size_t at) {
    if (!text.substr(at).starts_with("[... ")) return std::nullopt;
    at += 5;
    auto const missing = read_count(text, at);
    if (!missing || !text.substr(at).starts_with(" of ")) return std::nullopt;
    at += 4;
    auto const total = read_count(text, at);
    if (!total || !text.substr(at).starts_with(" ")) return std::nullopt;
    auto const unit = text.substr(at + 1, std::min(text.find(' ', at + 1), text.size()) - at - 1);
    auto const end = text.find(" ...]", at);
    if (end == text.npos) return std::nullopt;
    return omission_marker{*missing, *total, unit, end + 5};
}

/// Of a text of which one end or both were kept.
inline std::optional<figures> figures_of_ends(std::string_view before, std::string_view after) {
    auto wrong = wrong_figures;
    for (auto at = after.find("[... "); at != after.npos; at = after.find("[... ", at + 1)) {
        auto const found = marker_at(after, at);
        if (!found) continue;
        auto back = after.substr(found->end);
        if (back.starts_with('\n')) back.remove_prefix(1);
        if (!before.ends_with(back)) continue;
        // A line end before the marker is the text's own or the marker's.
        for (std::size_t added = 0; added <= (at != 0 && after[at - 1] == '\n' ? 1u : 0u); ++added) {
            auto const front = after.substr(0, at - added);
            if (!before.starts_with(front)) continue;
            wrong = {count_in(front, found->unit) + count_in(back, found->unit), found->missing, found->total,
                     count_in(before, found->unit)};
            if (wrong.agree()) return wrong;
        }
    }
    return wrong;
}

/// Of a text of which nothing was kept.
inline std::optional<figures> figures_of_all(std::string_view before, std::string_view after) {
    auto const found = marker_at(after, 0);
    if (!found) return wrong_figures;
    return figures{0, found->missing, found->total, count_in(before, found->unit)};
}

// JSON

/// String literals in order, with their quotes.
inline std::vector<std::string_view> literals(std::string_view text) {
    std::vector<std::string_view> out;
    for (auto at = text.find('"'); at < text.size(); at = text.find('"', at)) {
        auto const begin = at;
        for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1u : 0u;
        ++at;
        out.push_back(text.substr(begin, at - begin));
    }
    return out;
}

/// An escape is one character, and so are two that make a surrogate pair.
inline std::uint64_t spelled_characters(std::string_view text) {
    auto const surrogate = [&](std::size_t at, std::string_view second) {
        return text.substr(at).starts_with("\\u") && at + 6 <= text.size() &&
               (text[at + 2] == 'd' || text[at + 2] == 'D') && second.find(text[at + 3]) != second.npos;
    };
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < text.size(); ++sum) {
        if (text[at] != '\\') at += condense::detail::utf8::decode(text, at).size;
        else if (surrogate(at, "89abAB") && surrogate(at + 6, "cdefCDEF")) at += 12;
        else at += text.substr(at).starts_with("\\u") ? 6u : 2u;
    }
    return sum;
}

/// Of arguments whose long strings were cut, each by itself; all else is as it was.
inline std::optional<figures> figures_of_strings(std::string_view before, std::string_view after) {
    auto const old = literals(before);
    auto const now = literals(after);
    if (old.size() != now.size()) return wrong_figures;
    auto found = wrong_figures;
    for (std::size_t index = 0; index < old.size(); ++index) {
        if (old[index] == now[index]) continue;
        auto const at = now[index].rfind("[... ");
        auto const marker = at == now[index].npos ? std::nullopt : marker_at(now[index], at);
        if (!marker || !old[index].starts_with(now[index].substr(0, at))) return wrong_figures;
        found = {spelled_characters(now[index].substr(1, at - 1)), marker->missing, marker->total,
                 spelled_characters(old[index].substr(1, old[index].size() - 2))};
        if (!found.agree()) return found;
    }
    return found;
}

/// Elements or members of the outermost container.
inline std::uint64_t top_members(std::string_view text) {
    std::uint64_t commas = 0;
    std::size_t depth = 0;
    bool any = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        any = any || (depth == 1 && std::string_view{"]} \t\r\n"}.find(text[at]) == std::string_view::npos);
        if (text[at] == '"')
            for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1u : 0u;
        else if (text[at] == '[' || text[at] == '{') ++depth;
        else if (text[at] == ']' || text[at] == '}') --depth;
        else if (text[at] == ',' && depth == 1) ++commas;
    }
    return any ? commas + 1 : 0;
}

/// Of sampled JSON: "[... 7 of 10 keys omitted from 2,740 bytes; …]" in the outermost container, or
/// "[... values shortened, 3 keys from 2,740 bytes; …]", and of strings how many characters.
inline std::optional<figures> figures_of_sample(std::string_view before, std::string_view after) {
    constexpr std::string_view shortened = "[... values shortened, ";
    auto whole = wrong_figures;
    auto const old = literals(before);
    if (literals(after) == old && top_members(after) == top_members(before))
        return std::nullopt;  // only white space went
    for (auto const literal : literals(after)) {
        auto const text = literal.substr(1, literal.size() - 2);
        auto const at = text.rfind("[... ");
        auto const found = at == text.npos ? std::nullopt : marker_at(text, at);
        if (found && found->unit == "characters" && text.ends_with(" omitted ...]") &&
            std::find(old.begin(), old.end(), literal) == old.end()) {
            figures const read{spelled_characters(text.substr(0, at == 0 ? 0 : at - 1)), found->missing, found->total,
                               found->total};
            if (!read.agree()) return read;
        }
        auto size_at = text.find(" from ");
        if (whole.agree() || size_at == text.npos || (!found && !text.starts_with(shortened))) continue;
        size_at += 6;
        if (read_count(text, size_at) != before.size()) continue;
        auto total_at = shortened.size();
        auto const kept = top_members(after) - 1;
        if (found) whole = {kept, found->missing, found->total, top_members(before)};
        else whole = {kept, 0, read_count(text, total_at).value_or(0), top_members(before)};
    }
    return whole;
}

// Lines

/// "front [... 9 of 12 characters omitted; …] back" on one line: true where the figures are right or
/// there are none.
inline bool cut_line_agrees(std::string_view line) {
    auto const at = line.find(" [... ");
    if (at == line.npos) return true;
    auto const found = marker_at(line, at + 1);
    if (!found || found->unit != "characters") return false;
    auto back = line.substr(found->end + 1);
    if (back.ends_with('\r')) back.remove_suffix(1);
    return count_in(line.substr(0, at), "characters") + count_in(back, "characters") + found->missing == found->total;
}

/// Of a log with gaps; nothing where lines look like gaps that are none.
inline std::optional<figures> figures_of_gaps(std::string_view before, std::string_view after) {
    if (before.find("[... ") != before.npos) return std::nullopt;
    figures sum{.present = lines_in(before)};
    std::uint64_t gaps = 0;
    for (std::size_t at = 0; at < after.size();) {
        auto const end = std::min(after.find('\n', at), after.size());
        auto const line = after.substr(at, end - at);
        at = end + 1;
        if (!line.starts_with("[... ")) {
            if (!cut_line_agrees(line)) return wrong_figures;
            ++sum.kept;
            continue;
        }
        if (auto const only = marker_at(line, 0)) {
            if (only->unit == "characters") return figures_of_ends(before, after);
            sum.missing = only->missing;
            sum.total = only->total;
            gaps += only->missing;
            continue;
        }
        std::size_t figure = 5;
        gaps += read_count(line, figure).value_or(0);
        if (auto const others = line.find(" and "); others != line.npos) {
            figure = others + 5;
            gaps += read_count(line, figure).value_or(0);
        }
        if (auto const all = line.find(" omitted, "); all != line.npos) {
            figure = all + 10;
            sum.missing = read_count(line, figure).value_or(0);
            figure += 4;
            sum.total = read_count(line, figure).value_or(0);
        }
    }
    if (gaps == 0) sum.total = sum.present;  // lines were cut, none was left out
    return gaps == sum.missing ? sum : wrong_figures;
}

/// Of a text whose end was repeated, once: "[... 12 more times ...]".
inline std::optional<figures> figures_of_repetition(std::string_view before, std::string_view after) {
    if (before.find("[... ") != before.npos) return std::nullopt;
    constexpr std::string_view spaces = " \t\n\v\f\r";
    auto const at = after.find("[... ");
    if (at == after.npos || after.find("[... ", at + 1) != after.npos) return std::nullopt;  // in turn
    auto figure = at + 5;
    auto const times = read_count(after, figure).value_or(0);
    auto const front = after.substr(0, at - 1);
    auto rest = after.substr(after.find("...]", at) + 4);
    if (!rest.empty()) rest.remove_prefix(1);
    auto middle = before.substr(0, before.find_last_not_of(spaces) + 1);
    if (times == 0 || !middle.starts_with(front) || !middle.ends_with(rest)) return wrong_figures;
    middle = middle.substr(front.size(), middle.size() - front.size() - rest.size());
    middle = middle.substr(0, middle.find_last_not_of(spaces) + 1);
    auto const unit = middle.size() / times;
    bool same = middle.size() % times == 0 && unit <= front.size() + spaces.size();
    for (std::size_t index = unit; index < middle.size(); ++index) same = same && middle[index] == middle[index - unit];
    return figures{1, times, times + 1, same ? times + 1 : 0};
}

}  // namespace laws
