// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <condense/core/edit.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>

// The markers in place of omitted content: how much is missing, and where to find it. A shortener ends with
// omission(missing, total, "lines", context.how). The library makes no decision by reading markers; a second cut only
// takes over the first one's figures.

namespace condense {
inline namespace v1 {

/// The texts of markers beside their figures: compress{.words = {.otherwise = "ask for another run"}}. Must outlive
/// the layer; UTF-8 on one line, so that a marker stays within its limit.
struct wording {
    /// Before the reference, at most 40 bytes; "the whole is the file artifacts/" for agents that read files: what ends
    /// with a slash and the reference are one path.
    std::string_view stored = "the whole is stored as";
    std::string_view recorded = "the journal holds the whole";  ///< at most 64 bytes, as is the next
    std::string_view otherwise = {};  ///< if neither has it, and the shortener itself has no text for that
    /// head, tail, head_tail and json_sample name the type of the original and the share that is left: "json, 12 %
    /// left". For a text that was cut before only the type, if the earlier marker names it.
    bool type_and_share = false;

    constexpr void validate() const {
        auto const is_valid = [](std::string_view words, std::size_t size_limit) {
            return words.size() <= size_limit && detail::utf8::valid(words) &&
                   words.find_first_of("\r\n") == std::string_view::npos;
        };
        detail::reject_unless(
            !stored.empty() && is_valid(stored, 40) && is_valid(recorded, 64) && is_valid(otherwise, 64),
            "condense: words: a marker's words must be UTF-8 on one line of at most 40 bytes before "
            "a reference, else 64 (see wording)");
    }
    friend constexpr bool operator==(wording const&, wording const&) = default;
};

/// For agents that have recovery_tools: offload{.words = tool_words}.
inline constexpr wording tool_words{.stored = "read_artifact gives the whole of",
                                    .recorded = "search_history finds the whole"};

/// How to get omitted content back; false if it was not stored.
struct recovery {
    reference stored = {};
    bool recorded = false;  ///< a journal holds the original
    bool shortened = false;  ///< the text is the result of an earlier cut
    wording words = {};
    std::uint64_t original = 0;  ///< characters of the original of such a text; 0 if unknown
    constexpr explicit operator bool() const noexcept { return static_cast<bool>(stored); }
};

namespace detail {

/// The longest `omission` with the line breaks around it, in bytes.
inline constexpr std::size_t omission_limit = 192;

/// Where the rest is. `otherwise`, which may be empty, is the text if neither a store nor a journal has it.
constexpr std::string way_back(recovery const& origin, std::string_view otherwise = {}) {
    if (origin)
        return std::string{origin.words.stored} + (origin.words.stored.ends_with('/') ? "" : " ") +
               origin.stored.text();
    if (origin.recorded && !origin.words.recorded.empty()) return std::string{origin.words.recorded};
    return std::string{otherwise.empty() ? origin.words.otherwise : otherwise};
}
/// Closes a marker, after where the rest is.
constexpr void append_way(std::string& out, std::string_view way) {
    if (!way.empty()) out.append("; ").append(way);
    out.append(" ...]");
}

/// How much of how much is missing. `of_rest`: the total is that of the text after an earlier cut.
struct omitted {
    std::uint64_t missing = 0;
    std::uint64_t total = 0;
    bool of_rest = false;
    std::string_view type = {};  ///< of the original, if the marker names it: text, json, mixed
};
/// With which every marker begins that find_cut or read_gap may read.
inline constexpr std::string_view opening = "[... ";
/// "[... 44 of 300 lines omitted", the first part of a marker.
constexpr void append_count(std::string& out, omitted const& count, std::string_view what) {
    out.append(opening).append(grouped(count.missing)).append(count.of_rest ? " of the remaining " : " of ");
    out.append(grouped(count.total)).append(" ").append(what).append(" omitted");
}

/// "; json, 12 % left", rounded down; without the share if the original's size is unknown.
constexpr void append_type(std::string& out, std::string_view type, std::uint64_t remaining, std::uint64_t original) {
    if (type.empty()) return;
    out.append("; ").append(type);
    if (original == 0) return;
    auto const share = original > u64_limit / 100 ? remaining / (original / 100) : remaining * 100 / original;
    out.append(", ").append(share == 0 && remaining != 0 ? "under 1" : grouped(share)).append(" % left");
}

/// "[... 44 of 300 lines omitted; the journal holds the whole ...]"; after a cut of unknown size,
/// "[... 44 of the remaining 300 lines omitted ...]"; with its type "[... 44 of 300 lines omitted; text, 85 % left
/// ...]".
constexpr void append_omission(std::string& out, omitted const& count, std::string_view what, std::string_view way) {
    append_count(out, count, what);
    append_type(out, count.type, count.total - count.missing, count.of_rest ? 0 : count.total);
    append_way(out, way);
}
/// The same as a text of its own: `missing` of `total`, counted in `what`. With an origin it says where the rest is,
/// and whether the total is that of the original.
constexpr std::string omission(std::uint64_t missing, std::uint64_t total, std::string_view what,
                               std::string_view way) {
    std::string text;
    append_omission(text, {missing, total}, what, way);
    return text;
}
constexpr std::string omission(std::uint64_t missing, std::uint64_t total, std::string_view what,
                               recovery const& origin) {
    std::string text;
    append_omission(text, {missing, total, origin.shortened}, what, way_back(origin));
    return text;
}

/// A marker of `append_omission` in a text, whose figures agree with the text around it.
struct earlier_cut {
    std::size_t begin = 0;  ///< bytes
    std::size_t end = 0;
    omitted count = {};
};

/// Reads the markers that the functions here write, word by word. Each function moves past what it has read, if it
/// matches.
class marker_reader {
public:
    constexpr marker_reader(std::string_view text, std::size_t offset) noexcept : text_{text}, offset_{offset} {}

    constexpr bool word(std::string_view expected) noexcept {
        bool const matches = text_.substr(offset_).starts_with(expected);
        if (matches) offset_ += expected.size();
        return matches;
    }
    /// A number with commas between its digits; capped at the largest.
    constexpr bool figure(std::uint64_t& value) noexcept {
        auto const start = offset_;
        for (; offset_ < text_.size() && (text_[offset_] == ',' || (text_[offset_] >= '0' && text_[offset_] <= '9'));
             ++offset_)
            if (text_[offset_] != ',')
                value = add_capped(mul_capped(value, 10), static_cast<std::uint64_t>(text_[offset_] - '0'));
        return offset_ != start;
    }
    /// "44 of 300" or "44 of the remaining 300", without the first figure.
    constexpr bool total(omitted& count) noexcept {
        if (!word(" of ")) return false;
        count.of_rest = word("the remaining ");
        return figure(count.total) && count.missing <= count.total;
    }
    /// The type that `append_type` wrote; empty if the marker names none.
    constexpr std::string_view type() const noexcept {
        auto reader = *this;
        for (std::string_view const type_name : {"; text", "; json", "; mixed"})
            if (reader.word(type_name) && (reader.word(", ") || reader.word("; ") || reader.word(" ...]")))
                return type_name.substr(2);
        return {};
    }
    /// The end of the marker; 0 if it has none.
    constexpr std::size_t end() const noexcept {
        auto const close = text_.substr(offset_, omission_limit).find(" ...]");
        return close == std::string_view::npos ? 0 : offset_ + close + 5;
    }

private:
    std::string_view text_;
    std::size_t offset_;
};

/// The marker of an earlier cut in a text of `present` characters or lines, marker included; nothing if no figures
/// agree with the text. Its figures go into the next marker and decide nothing else.
constexpr std::optional<earlier_cut> find_cut(std::string_view text, std::string_view what,
                                              std::uint64_t present) noexcept {
    for (auto begin = text.find(opening); begin != std::string_view::npos; begin = text.find(opening, begin + 1)) {
        marker_reader reader{text, begin + opening.size()};
        earlier_cut match{.begin = begin};
        if (!reader.figure(match.count.missing) || !reader.total(match.count) || !reader.word(" ") ||
            !reader.word(what) || !reader.word(" omitted"))
            continue;
        match.end = reader.end();
        if (match.end == 0) continue;
        match.count.type = reader.type();
        bool const by_lines = what == "lines";
        auto const marker = by_lines ? 1 : utf8::count(text.substr(begin, match.end - begin));
        auto const least = add_capped(match.count.total - match.count.missing, marker);
        if (least <= present && present - least <= (by_lines ? 0u : 2u))
            return match;  // two line breaks may belong to the marker
    }
    return std::nullopt;
}

/// One gap of several: "[... 37 lines omitted ...]", where `alike` of them, the first ones, resemble the
/// line above.
constexpr std::string gap(std::uint64_t missing, std::uint64_t alike) {
    auto const lines = [](std::uint64_t count) { return count == 1 ? " line" : " lines"; };
    if (alike == 0) return "[... " + grouped(missing) + lines(missing) + " omitted ...]";
    auto text = "[... " + grouped(alike) + " more" + lines(alike) + " like this";
    if (alike != missing) text += " and " + grouped(missing - alike) + " others";
    return text + " omitted ...]";
}

/// True for a line that is a gap, of `line_count` lines; sets `total` for the gap that gives the sum of all.
constexpr bool read_gap(std::string_view line, std::uint64_t& line_count, omitted& total) noexcept {
    marker_reader reader{line, 0};
    std::uint64_t others = 0;
    omitted sum;
    if (!reader.word(opening) || !reader.figure(line_count)) return false;
    sum.missing = line_count;
    if (reader.total(sum)) {
        if (!reader.word(" lines omitted")) return false;
        total = sum;
        return reader.end() == line.size();
    }
    reader.word(" more");
    if (!reader.word(" lines") && !reader.word(" line")) return false;
    if (reader.word(" like this and ") && (!reader.figure(others) || !reader.word(" others"))) return false;
    reader.word(" like this");
    line_count = add_capped(line_count, others);
    if (!reader.word(" omitted")) return false;
    sum.missing = 0;
    if (reader.word(", ") && (!reader.figure(sum.missing) || !reader.total(sum) || !reader.word(" in all")))
        return false;
    if (sum.total != 0) total = sum;
    return reader.end() == line.size();
}

/// A line without its line break.
constexpr std::string_view without_line_end(std::string_view line) noexcept {
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

/// The sum of the gaps that an earlier cut has left, if their figures agree with the lines of the text; else its total
/// is 0.
constexpr omitted find_gaps(std::string_view text) noexcept {
    omitted all;
    if (text.find(opening) == std::string_view::npos) return all;
    std::uint64_t lines = 0;
    std::uint64_t missing = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        auto const stop = text.find('\n', begin);
        auto const end = stop == std::string_view::npos ? text.size() : stop + 1;
        std::uint64_t size = 0;
        if (read_gap(without_line_end(text.substr(begin, end - begin)), size, all)) missing = add_capped(missing, size);
        else ++lines;
        begin = end;
    }
    return missing == all.missing && all.total - missing == lines ? all : omitted{};
}

/// The first gap of several: "[... 37 lines omitted, 980 of 1,200 in all; the journal holds the whole ...]"
constexpr std::string gap(std::uint64_t missing, std::uint64_t alike, std::uint64_t in_all, std::uint64_t total,
                          recovery const& origin) {
    auto text = gap(missing, alike);
    text.resize(text.size() - std::string_view{" ...]"}.size());
    text += ", " + grouped(in_all) + (origin.shortened ? " of the remaining " : " of ") + grouped(total) + " in all";
    append_way(text, way_back(origin));
    return text;
}

/// The longest `excerpt` marker for less than a terabyte, in bytes.
inline constexpr std::size_t excerpt_limit = 144;

/// Without a reference, which is given once for the whole: "[... 150 of 250 characters omitted ...]"
constexpr std::string excerpt(std::uint64_t missing, std::uint64_t total, std::string_view what) {
    auto text = "[... " + grouped(missing) + " of " + grouped(total) + " ";
    return text.append(what).append(" omitted ...]");
}

/// "[... 7 of 10 keys omitted from 2,740 bytes; the journal holds the whole ...]", or, if all members are there but
/// shortened, "[... values shortened, 3 keys from 2,740 bytes ...]"
constexpr std::string excerpt_front(std::uint64_t missing, std::uint64_t total, std::string_view what,
                                    std::uint64_t size, bool of_rest) {
    std::string text = "[... ";
    if (missing == 0) text.append("values shortened, ").append(grouped(total)).append(" ").append(what);
    else
        text.append(grouped(missing)).append(" of ").append(grouped(total)).append(" ").append(what).append(" omitted");
    text.append(of_rest ? " from the remaining " : " from ").append(grouped(size)).append(" bytes");
    return text;
}
/// The whole marker of an outermost container of `size` bytes, with where the rest is.
constexpr std::string excerpt(std::uint64_t missing, std::uint64_t total, std::string_view what, std::uint64_t size,
                              recovery const& origin) {
    auto text = excerpt_front(missing, total, what, size, origin.shortened);
    append_way(text, way_back(origin));
    return text;
}

/// Reads an earlier `excerpt` marker of the outermost container, `text` without quotes. `present`: members beside the
/// marker. False if the figures do not agree with that.
constexpr bool read_excerpt(std::string_view text, std::string_view what, std::uint64_t present, omitted& count,
                            std::uint64_t& size) noexcept {
    marker_reader reader{text, 0};
    count = {};
    size = 0;
    if (!reader.word(opening)) return false;
    bool const all = reader.word("values shortened, ");
    if (!reader.figure(all ? count.total : count.missing) || !(all || reader.total(count)) || !reader.word(" ") ||
        !reader.word(what))
        return false;
    if (!all && !reader.word(" omitted")) return false;
    if (!reader.word(" from ")) return false;
    count.of_rest = reader.word("the remaining ");
    return reader.figure(size) && reader.word(" bytes") && reader.end() == text.size() &&
           count.total - count.missing == present;
}

/// Says that the text above occurs `more` times again.
constexpr std::string repetition(std::uint64_t more) {
    return "[... " + grouped(more) + (more == 1 ? " more time ...]" : " more times ...]");
}

/// The marker in place of all of `text`, at most omission_limit bytes on one line: "[... 5,000 of 5,000 characters
/// omitted; src/a.cpp was read again further on ...]". `name` comes from outside: only its printable characters are
/// shown, and its end if it is too long.
constexpr std::string omission_of_all(std::string_view text, std::string_view name, std::string_view what_of_it,
                                      recovery const& origin) {
    auto total = utf8::count(text);
    auto const earlier = find_cut(text, "characters", total);
    bool of_rest = earlier ? earlier->count.of_rest : origin.shortened;
    if (earlier) total = earlier->count.total;
    else if (origin.original != 0) total = origin.original, of_rest = false;
    std::string beginning;
    append_count(beginning, {total, total, of_rest}, "characters");
    beginning += "; ";
    auto ending = std::string{what_of_it};
    if (origin) ending += "; " + way_back(origin);
    ending += " ...]";
    auto const fixed_size = beginning.size() + ending.size() + 2;
    auto const room = fixed_size < omission_limit ? omission_limit - fixed_size : 0;
    name = name.substr(name.size() > room ? utf8::ceil(name, name.size() - room) : 0);
    std::string printable;
    append_printable(printable, name);
    if (printable.size() > room) printable.erase(0, utf8::ceil(printable, printable.size() - room));
    return beginning + printable + ending;
}

/// In place of media, of which no part can stay: "[image/png, 90,123 bytes, omitted; ask for it again if it is needed]"
constexpr std::string omission(std::string_view what, recovery const& origin) {
    std::string text{"["};
    auto const otherwise = origin.words.otherwise.empty() ? "ask for it again if it is needed" : origin.words.otherwise;
    return text.append(what).append(", omitted; ").append(way_back(origin, otherwise)).append("]");
}

}  // namespace detail

// Public names, for shorteners outside the library; see extend.hpp.
using detail::append_omission;
using detail::excerpt;
using detail::gap;
using detail::omission;
using detail::omission_limit;
using detail::omission_of_all;
using detail::omitted;
using detail::repetition;
using detail::way_back;

}  // namespace v1
}  // namespace condense
