// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <ctime>
#include <functional>

#include <nlohmann/json.hpp>

#include <condense/detail/json_scan.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/shorten/shortener.hpp>

#include "shorten/texts.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/sanitized.hpp"

// The laws that every shortener keeps, whatever the text and however hard it is to cut:
// shortener_laws(head{}, {.texts = any_texts(), .at_most = condense::chars{8'000}}).

namespace laws {

// Reads what markers claim and counts what is there. The texts may hold markers that somebody else wrote: a reader is
// content where one marker is right, and complains where none is.

/// A marker's claim and what can be counted, in one unit.
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

// Laws

/// Figures from a text and what was made of it; nothing where the marker states none.
using read_figures = std::function<std::optional<figures>(std::string_view before, std::string_view after)>;

/// What a shortener promises beside the laws for all.
struct promises {
    text_kinds texts = any_texts();
    unsigned share = 20;           ///< per cent of the texts that are shortened, at least
    condense::text_limit at_most = {};  ///< of what is made; halved as the cut says, but with room for a marker
    std::uint64_t beside = 0;       ///< characters and bytes above that which a marker may take
    bool keeps_json = false;        ///< of JSON makes JSON, with keys and spelling as they were
    bool in_place_of_media = false;  ///< makes a text part of another kind, measured in tokens only
    read_figures figures = {};
};

/// Tokens of JSON that are no string values, in order; a long number may have become a string.
inline std::vector<std::string_view> spelled(std::string_view text) {
    std::vector<std::string_view> out;
    for (std::size_t at = 0; at < text.size();) {
        auto const begin = at;
        if (text[at] == '"') {
            for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1u : 0u;
            ++at;
            auto const next = text.find_first_not_of(" \t\r\n", at);
            if (next != text.npos && text[next] == ':' && text.substr(begin, at - begin) != "\"[...]\"")
                out.push_back(text.substr(begin, at - begin));
        } else if (std::string_view{"{}[]:, \t\r\n"}.find(text[at]) != std::string_view::npos) ++at;
        else {
            at = std::min(text.find_first_of("{}[]:, \t\r\n\"", at), text.size());
            out.push_back(text.substr(begin, at - begin));
        }
    }
    return out;
}

inline bool is_subsequence(std::vector<std::string_view> const& less, std::vector<std::string_view> const& more) {
    auto at = more.begin();
    for (auto const& each : less) {
        at = std::find(at, more.end(), each);
        if (at == more.end()) return false;
        ++at;
    }
    return true;
}

inline condense::text_limit with_room(condense::text_limit limit, condense::cut const& how, std::uint64_t beside) {
    limit = limit.halved(how.halvings);
    for (auto* const count : {&limit.bytes.count, &limit.chars.count}) {
        if (*count == ~std::uint64_t{0}) continue;
        *count = beside == 0 ? std::max<std::uint64_t>(*count, 384) : *count + beside;
    }
    limit.lines.count = std::max<std::uint64_t>(limit.lines.count, 5);
    return limit;
}

struct verdict {
    std::string_view broken = {};  ///< the law
    bool shortened = false;
};

/// One text, one cut. The part is read from a buffer without anything behind it.
verdict judge(auto const& shorten, promises const& given, condense::part_view part, condense::cut const& how) {
    namespace utf8 = condense::detail::utf8;
    std::vector<char> const bytes(part.text.begin(), part.text.end());
    std::string const before{part.text};
    part.text = {bytes.data(), bytes.size()};
    auto const made = shorten(part, how);
    if (shorten(part, how) != made) return {"the same bytes twice", true};
    if (!made) return {};
    auto const clean = utf8::scrubbed(before);
    if (!given.in_place_of_media && made->size() >= before.size()) return {"strictly smaller", true};
    if (!utf8::valid(*made)) return {"valid UTF-8", true};
    auto again = part;
    again.text = *made;
    if (given.in_place_of_media) again.kind = part_kind::text;
    if (shorten(again, how)) return {"nothing on its own output", true};
    if (!with_room(given.at_most, how, given.beside).holds(*made)) return {"within its limit", true};
    if (given.keeps_json && condense::detail::json::valid(before)) {
        if (!condense::detail::json::valid(*made)) return {"JSON stays JSON", true};
        if (nlohmann::json::accept(before) && !nlohmann::json::accept(*made))
            return {"JSON stays JSON for another reader", true};
        if (!is_subsequence(spelled(*made), spelled(before))) return {"keys and numbers as they were", true};
    }
    if (given.figures)
        if (auto const found = given.figures(clean, *made); found && !found->agree())
            return {"kept + omitted = total", true};
    return {{}, true};
}

inline condense::cut random_cut(random_source& random) {
    condense::cut how{.halvings = static_cast<unsigned>(random.below(6))};
    if (random.chance(50)) how.how.stored.digest[random.below(12)] = static_cast<std::uint8_t>(1 + random.below(255));
    if (random.chance(50))
        how.over = condense::text_limit{condense::chars{400 + random.below(9'600)}}.halved(how.halvings);
    how.how.words.type_and_share = random.chance(50);
    return how;
}

/// A part of a kind that the shortener is for.
template <class Shortener>
condense::part_view random_part(random_source& random, std::string_view text) {
    static constexpr std::array<std::string_view, 5> tools{"write_file", "edit_file", "read_file", "shell", ""};
    condense::part_view part{.text = text, .tool = tools[random.below(5)], .call = "call_1"};
    do part.kind = static_cast<part_kind>(random.below(6));
    while (!condense::detail::kinds_of<Shortener>().holds(part.kind));
    if (random.chance(10)) part.status = part_status::error;
    return part;
}

/// What a layer makes with several shorteners: they are asked until they have nothing more to say.
template <class Shortener>
struct settled {
    static constexpr auto applies_to = condense::detail::kinds_of<Shortener>();
    Shortener shorten;

    std::optional<std::string> operator()(condense::part_view part, condense::cut how) const {
        std::optional<std::string> last;
        for (auto next = shorten(part, how); next && (!last || next->size() < last->size());
             next = shorten(part, how)) {
            last = std::move(next);
            part.text = *last;
        }
        return last;
    }
};
template <class Shortener>
settled(Shortener) -> settled<Shortener>;

struct text_tally {
    std::string broken = {};  ///< the first law that was broken, and for what
    std::uint64_t texts = 0;
    std::uint64_t shortened = 0;
};

/// One random text, which the seed makes.
template <class Shortener>
void try_random_text(Shortener const& shorten, promises const& given, std::uint64_t seed, text_tally& sum) {
    random_source random{seed * 0x51ED27u};
    auto const kind = given.texts[random.below(given.texts.size())];
    auto const text = text_generator{seed}.make(kind);
    auto const how = random_cut(random);
    auto const part = random_part<Shortener>(random, text);
    auto const found = judge(shorten, given, part, how);
    ++sum.texts;
    sum.shortened += found.shortened ? 1u : 0u;
    if (found.broken.empty() || !sum.broken.empty()) return;
    sum.broken = std::string{found.broken} + ": seed " + std::to_string(seed) + ", kind of text " +
                 std::to_string(static_cast<int>(kind)) + ", " + std::to_string(text.size()) + " bytes, " +
                 std::string{name(part.kind)} + ", " + std::to_string(how.halvings) + " halvings, over " +
                 std::to_string(how.over.chars.count);
}

text_tally try_random_texts(auto const& shorten, promises const& given, std::uint64_t most) {
    text_tally sum;
    for (std::uint64_t seed = 1; seed <= most && sum.broken.empty(); ++seed) try_random_text(shorten, given, seed, sum);
    return sum;
}

/// The laws for any values of a shortener: make(random) returns it and what it promises.
void laws_of_any(auto const& make, std::uint64_t usual, unsigned share) {
    text_tally sum;
    auto const count = std::max<std::uint64_t>(rounds(usual), 60);
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
        random_source random{seed};
        auto const [shorten, given] = make(random);
        try_random_text(shorten, given, seed, sum);
    }
    CAPTURE(sum.texts, sum.shortened);
    CHECK(sum.broken == "");
    CHECK(sum.shortened * 100 >= sum.texts * share);
}

/// Processor time that a shortener may take for a megabyte. It is far more than any takes, and far less
/// than what is quadratic does.
constexpr double seconds_for_a_megabyte = sanitized ? 20 : 1;

template <class Shortener>
std::string try_hostile_texts(Shortener const& shorten, promises const& given,
                              std::size_t size = effort() < 100 ? 50'000
                                                 : sanitized    ? 200'000
                                                                : 1'000'000,
                              double limit = seconds_for_a_megabyte) {
    std::string problems;
    random_source random{size};
    for (auto const& [name, text] : hostile_texts(size)) {
        auto const how = random_cut(random);
        auto const part = random_part<Shortener>(random, text);
        auto const begin = std::clock();
        static_cast<void>(shorten(part, how));
        auto const seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        auto const found = judge(shorten, given, part, how);
        if (seconds > limit) problems.append(name).append(": ").append(std::to_string(seconds)).append(" s; ");
        if (!found.broken.empty()) problems.append(name).append(": ").append(found.broken).append("; ");
    }
    return problems;
}

/// A line for each shortener: all the laws, on random and on hostile texts.
void shortener_laws(auto const& shorten, promises const& given = {}) {
    // A share of fewer texts says little.
    auto const sum = try_random_texts(shorten, given, std::max<std::uint64_t>(rounds(300), 60));
    CAPTURE(sum.texts, sum.shortened);
    CHECK(sum.broken == "");
    CHECK(sum.shortened * 100 >= sum.texts * given.share);
    CHECK(try_hostile_texts(shorten, given) == "");
}

}  // namespace laws
