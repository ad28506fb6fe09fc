// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/detail/best_rows.hpp>
#include <condense/detail/json_outliers.hpp>
#include <condense/detail/json_quote.hpp>
#include <condense/detail/json_scan.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/shorten/json_minify.hpp>
#include <condense/shorten/placeholder.hpp>

// Writes an excerpt of a JSON text, as JSON. The excerpt is within the same limits when it is read again, markers
// included, so that nothing is cut twice and no marker needs to be recognised.

namespace condense {
inline namespace v1 {
namespace detail::json {

/// How much of each container and string an excerpt keeps.
struct excerpt_limits {
    std::uint64_t keys = 0;      ///< members of an object
    std::uint64_t row_keys = 0;  ///< members of an object in an array
    std::uint64_t items = 0;     ///< first elements
    std::uint64_t last = 0;      ///< last elements
    std::uint64_t outliers = 0;  ///< elements that differ from the rest
    std::uint64_t value = 0;     ///< characters of a string
    bool drop_null = false;
};

/// The number of members or elements of a container. `kind` is neither object nor array for anything else.
struct member_counts {
    token kind = token::bad;
    std::uint64_t members = 0;
    std::uint64_t nulls = 0;
};

/// Counts the members of the outermost container; `bad` if the text is not JSON. `known`: it is known to be.
constexpr member_counts count_members(std::string_view text, bool known = false) noexcept {
    scanner scan{text};
    member_counts result{scan.next(), 0, 0};
    for (;;) {
        auto const kind = scan.next();
        if (kind == token::bad) return {};
        if (kind == token::done) return result;
        if (kind == token::key || kind == token::close || scan.depth() != (opens(kind) ? 2u : 1u)) continue;
        if (known && opens(kind)) scan.skip_known();
        ++result.members;
        result.nulls += kind == token::null ? 1u : 0u;
    }
}

/// The same for a text that may be an array, whose rows enter the statistics `rows` in the same pass.
constexpr member_counts count_rows(std::string_view text, outliers& rows) {
    scanner scan{text};
    if (scan.next() != token::array) return count_members(text);
    member_counts result{token::array, 0, 0};
    for (auto kind = scan.next(); kind != token::close; kind = scan.next(), ++result.members)
        if (kind >= token::done || !rows.add_row(scan, kind)) return {};
    rows.settle();
    return scan.next() == token::done ? result : member_counts{};
}

/// The text of the value whose first token was just read, in text that is known to be JSON.
constexpr std::string_view value_text(scanner& scan, token first) noexcept {
    return opens(first) ? scan.skip_known() : scan.text();
}

/// Writes excerpts of one text, which is checked and counted once. Reads it with a pull scanner, without building a
/// tree, so memory does not grow with the text. The text must outlive the writer.
class excerpt_writer {
public:
    /// `with_rows`: some excerpt keeps outliers.
    constexpr excerpt_writer(std::string_view json_text, recovery origin, bool with_rows)
        : json_text_{json_text}, origin_{origin}, unmarked_{without_marker(json_text)} {
        top_ = with_rows ? count_rows(text(), top_rows_) : count_members(text());
        plain_ = utf8::ascii_end(json_text, 0) == json_text.size();
    }

    /// False if the text is no JSON container; then there are no excerpts.
    constexpr bool is_json() const noexcept { return opens(top_.kind); }

    /// Writes an excerpt to `out`, and returns whether more than white space is missing. May stop as soon as the
    /// excerpt is certain to exceed `size_limit`: `out` then does so, too.
    ///
    /// Where something is omitted the outermost container gets a marker, if need be in place of one more member. The
    /// figures of an earlier marker go into the new one.
    constexpr bool operator()(std::string& out, excerpt_limits const& limits, v1::text_limit const& size_limit) {
        limits_ = limits;
        auto const most = plain_ ? size_limit.chars.count : mul_capped(size_limit.chars.count, 4);
        most_bytes_ = most < size_limit.bytes.count ? most : size_limit.bytes.count;
        has_omissions_ = dropped_null_ = false;
        has_marker_ = !unmarked_.empty();
        write(out);
        if (has_omissions_ && !has_marker_ && !is_over(out)) {
            has_marker_ = true;
            write(out);
        }
        if (is_over(out)) return true;
        if (!has_omissions_ && !dropped_null_ && has_marker_) {
            // Nothing more is omitted: the earlier marker stays.
            out.clear();
            append_minified(out, json_text_);
        }
        bool const omits = has_omissions_ || dropped_null_;
        if (omits && has_marker_) insert_share(out, text().size());
        return omits;
    }

    /// The marker alone, for where nothing else fits.
    constexpr std::string only_marker() {
        auto const members = top_.members + earlier_missing_;
        bool const object = top_.kind == token::object;
        std::string out{object ? "{\"[...]\":\"" : "[\""};
        outer_marker(out, members, members, object ? "keys" : "items", json_text_.size());
        out.append(object ? "\"}" : "\"]");
        insert_share(out, json_text_.size());
        return out;
    }

private:
    constexpr std::string_view text() const noexcept {
        return unmarked_.empty() ? json_text_ : std::string_view{unmarked_};
    }

    constexpr void write(std::string& out) {
        out.clear();
        marker_size_ = 0;
        container(out, text(), top_, {});
    }
    /// The excerpt has become too long, whatever follows. All but the marker is ASCII where the text is.
    constexpr bool is_over(std::string const& out) const noexcept {
        return may_stop_ && out.size() - marker_size_ > most_bytes_;
    }

    /// The text without the marker of an earlier excerpt, whose figures are kept for the new one; empty without a
    /// marker.
    constexpr std::string without_marker(std::string_view text) {
        std::string out;
        if (text.find("\"[... ") == std::string_view::npos) return out;
        auto const top = count_members(text);
        bool const object = top.kind == token::object;
        scanner scan{text};
        if (!opens(scan.next()) || !opens(top.kind)) return out;
        for (std::uint64_t member = 0; member < top.members; ++member) {
            auto kind = scan.next();
            auto const begin = static_cast<std::size_t>(scan.text().data() - text.data());
            bool const named = !object || scan.text() == "\"[...]\"";
            if (object) kind = scan.next();
            auto const spelling = value_text(scan, kind);
            omitted count;
            if (!named || kind != token::string ||
                !read_excerpt(spelling.substr(1, spelling.size() - 2), object ? "keys" : "items", top.members - 1,
                              count, size_))
                continue;
            auto end = static_cast<std::size_t>(spelling.data() + spelling.size() - text.data());
            auto const comma = text.find_first_not_of(" \t\r\n", end);
            auto from = begin;
            if (text[comma] == ',') end = comma + 1;
            else if (member != 0) from = text.rfind(',', begin);
            earlier_missing_ = count.missing;
            origin_.shortened = count.of_rest;
            out.append(text.substr(0, from)).append(text.substr(end));
            return out;
        }
        size_ = 0;
        return out;
    }

    static constexpr unsigned level_limit = 3;  ///< deeper containers are kept or omitted as a whole

    /// Where in the document a value stands.
    struct place {
        unsigned level = 0;
        bool in_array = false;  ///< an element
        bool below_array = false;  ///< an element, or within one
        outliers* rows = nullptr;  ///< of an element that differs: statistics of the others
    };

    /// Appends one value, shortened if it is over its limit.
    constexpr void value(std::string& out, token kind, std::string_view text, place position) {
        if (opens(kind) && position.level >= level_limit) deepest(out, text);
        else if (opens(kind)) container(out, text, count_members(text, true), position);
        else if (text.size() <= add_capped(limits_.value, excerpt_limit)) out.append(text);
        else if (kind == token::string) string(out, text.substr(1, text.size() - 2));
        else {
            // A number of so many digits becomes a string, because its beginning would be another number.
            auto const digits = as_size(limits_.value);
            has_omissions_ = true;
            out.append("\"").append(text.substr(0, digits)).append(" ");
            out.append(excerpt(text.size() - digits, text.size(), "characters")).append("\"");
        }
    }

    /// Appends a string, given without its quotes. Counts an escape as one character, and cuts through none.
    constexpr void string(std::string& out, std::string_view text) {
        auto const next = [&](std::size_t offset) {
            if (text[offset] != '\\') return offset + utf8::decode(text, offset).size;
            if (text[offset + 1] != 'u') return offset + 2;
            // The halves of a surrogate pair stay together.
            bool const high = (text[offset + 2] == 'd' || text[offset + 2] == 'D') &&
                              std::string_view{"89abAB"}.find(text[offset + 3]) != std::string_view::npos;
            return offset + (high && text.substr(offset + 6, 2) == "\\u" ? 12u : 6u);
        };
        std::uint64_t total = 0;
        std::size_t end = 0;
        for (std::size_t offset = 0; offset < text.size(); ++total) {
            if (total == limits_.value) end = offset;
            offset = next(offset);
        }
        if (total <= add_capped(limits_.value, excerpt_limit)) out.append("\"").append(text).append("\"");
        else {
            has_omissions_ = true;
            out.append("\"").append(text.substr(0, end)).append(end == 0 ? "" : " ");
            out.append(excerpt(total - limits_.value, total, "characters")).append("\"");
        }
    }

    /// Appends an object or array below the deepest level, minified if it is small, else replaced by a marker.
    constexpr void deepest(std::string& out, std::string_view text) {
        auto const before = out.size();
        if (append_minified(out, text, as_size(add_capped(limits_.value, excerpt_limit)))) return;
        out.resize(before);
        has_omissions_ = true;
        auto const counts = count_members(text, true);
        auto const what = counts.kind == token::object ? "keys" : "items";
        out.append("\"").append(excerpt(counts.members, counts.members, what)).append("\"");
    }

    constexpr void container(std::string& out, std::string_view text, member_counts const& counts, place position) {
        if (counts.kind == token::object) object(out, text, counts, position);
        else array(out, text, counts, position);
    }

    /// True if `present` members are cut down to `limit`; the marker takes the place of one more.
    constexpr bool cuts(std::uint64_t present, std::uint64_t limit, place position) noexcept {
        bool const is_cut = present > add_capped(limit, 1) || (position.level == 0 && has_marker_ && present > limit);
        // A marker that turns out to be needed would take the place of a member: without that one it may fit.
        if (position.level == 0) may_stop_ = is_cut || present <= limit;
        has_omissions_ = has_omissions_ || is_cut;
        has_marker_ = has_marker_ || (is_cut && position.level == 0);
        return is_cut;
    }

    /// True if a container that is not cut, with room for a marker, has to have one: the outermost after an omission.
    constexpr bool adds_marker(std::uint64_t present, std::uint64_t limit, place position) noexcept {
        if (position.level != 0) return false;
        has_marker_ = has_marker_ || (has_omissions_ && present <= limit);
        return has_marker_;
    }

    /// The marker of the outermost container: the only one with a way back, the original size, and an earlier marker's
    /// figures.
    constexpr void outer_marker(std::string& out, std::uint64_t missing, std::uint64_t total, std::string_view what,
                                std::size_t size) {
        auto const begin = out.size();
        append_escaped(out, excerpt_front(missing, total, what, size_ != 0 ? size_ : size, origin_.shortened));
        share_offset_ = out.size();
        std::string recovery_text;
        append_way(recovery_text, way_back(origin_));
        append_escaped(out, recovery_text);
        marker_size_ = out.size() - begin;
    }

    /// Inserts the type and the share that is left, which is known only after all is written.
    constexpr void insert_share(std::string& out, std::size_t size) const {
        if (!origin_.words.type_and_share) return;
        std::string share_text;
        append_type(share_text, "json", out.size() - marker_size_, origin_.shortened ? 0 : size_ != 0 ? size_ : size);
        out.insert(share_offset_, share_text);
    }

    /// Appends a marker as one more member or element.
    constexpr void marker(std::string& out, std::uint64_t kept_count, std::uint64_t total, std::string_view what,
                          std::string_view text, place position) {
        if (out.back() != '[' && out.back() != '{') out.push_back(',');
        if (what == "keys") out.append("\"[...]\":");
        out.append("\"");
        if (position.level == 0)
            outer_marker(out, total + earlier_missing_ - kept_count, total + earlier_missing_, what, text.size());
        else out.append(excerpt(total - kept_count, total, what));
        out.append("\"");
    }

    /// Keeps the first members; of a row that stands out those in which it differs from the others.
    constexpr void object(std::string& out, std::string_view text, member_counts const& counts, place position) {
        auto const present = counts.members - (limits_.drop_null ? counts.nulls : 0);
        auto const limit = position.in_array ? limits_.row_keys : limits_.keys;
        bool const is_cut = cuts(present, limit, position);
        auto selection =
            is_cut && position.rows != nullptr ? rarest_members(text, limit, *position.rows) : choice{0, limit};
        std::uint64_t kept_count = 0;
        out.push_back('{');
        scanner scan{text};
        scan.next();
        // Further members count only where one may differ more than the first ones.
        while (!(is_cut && position.rows == nullptr && kept_count == limit) && scan.next() == token::key) {
            if (is_over(out)) return;
            auto const key = scan.text();
            auto const kind = scan.next();
            if (kind == token::null && limits_.drop_null) {
                dropped_null_ = true;
                continue;
            }
            auto const spelling = value_text(scan, kind);
            if (is_cut && !selection.accepts(position.rows == nullptr ? 0 : weight_of(*position.rows, key, spelling)))
                continue;
            if (kept_count++ != 0) out.push_back(',');
            out.append(key).push_back(':');
            value(out, kind, spelling, {position.level + 1, false, position.below_array, nullptr});
        }
        if (is_cut || adds_marker(present, limit, position))
            marker(out, kept_count, counts.members, "keys", text, position);
        out.push_back('}');
    }

    /// The members of weight above `threshold`, and the first `equal` of that weight.
    struct choice {
        std::uint32_t threshold = 0;
        std::uint64_t equal = 0;
        constexpr bool accepts(std::uint32_t weight) noexcept {
            if (weight != threshold) return weight > threshold;
            return equal != 0 && equal-- != 0;
        }
    };

    /// How rare a member's value is among the rows; capped, so that weights can be counted in an array.
    static constexpr std::uint32_t weight_of(outliers& rows, std::string_view key, std::string_view text) {
        scanner scan{text};
        auto const weight = rows.weigh(scan, scan.next(), false, outliers::path_of(key));
        return weight < 512 ? weight : 511;
    }

    /// Chooses the members in which a row differs most from the others.
    static constexpr choice rarest_members(std::string_view text, std::uint64_t limit, outliers& rows) {
        std::uint64_t counts[512] = {};
        scanner scan{text};
        scan.next();
        while (scan.next() == token::key) {
            auto const key = scan.text();
            ++counts[weight_of(rows, key, value_text(scan, scan.next()))];
        }
        std::uint32_t threshold = 511;
        for (; threshold != 0 && counts[threshold] <= limit; --threshold) limit -= counts[threshold];
        return {threshold, limit};
    }

    /// Keeps the first elements, then a marker, the elements that stand out in their order, and the last ones.
    /// Of an array within another only the first elements stay, so that no statistics are needed there.
    constexpr void array(std::string& out, std::string_view text, member_counts const& counts, place position) {
        auto const last = position.below_array ? 0 : limits_.last;
        auto const outliers_limit = position.below_array ? 0 : limits_.outliers;
        auto const limit = add_capped(add_capped(limits_.items, last), outliers_limit);
        bool const is_cut = cuts(counts.members, limit, position);
        outliers inner_rows;
        auto& rows = position.level == 0 ? top_rows_ : inner_rows;
        if (is_cut && outliers_limit != 0 && position.level != 0) count_rows(text, rows);
        std::uint64_t row = 0;
        auto const write_row = [&](token first, std::string_view spelling, outliers* others) {
            if (row != 0) out.push_back(',');
            value(out, first, spelling, {position.level + 1, true, true, others});
        };
        out.push_back('[');
        scanner scan{text};
        scan.next();
        auto kind = scan.next();
        for (; kind != token::close && (!is_cut || row < limits_.items) && !is_over(out); kind = scan.next(), ++row)
            write_row(kind, value_text(scan, kind), nullptr);
        if (is_over(out)) return;
        if (is_cut) {
            best_rows best{outliers_limit};
            auto const tail = last == 0 && outliers_limit == 0 ? row : counts.members - last;
            for (; row < tail; kind = scan.next(), ++row) {
                if (outliers_limit == 0) value_text(scan, kind);
                else weigh_row(best, row, scan, kind, rows);
            }
            best.trim(as_size(outliers_limit - outliers_limit / 2));
            marker(out, limit - outliers_limit + best.size(), counts.members, "items", text, position);
            best.in_order([&](std::string_view spelling) {
                scanner row_scan{spelling};
                write_row(row_scan.next(), spelling, &rows);
            });
            for (; last != 0 && kind != token::close; kind = scan.next())
                write_row(kind, value_text(scan, kind), nullptr);
        } else if (adds_marker(counts.members, limit, position))
            marker(out, counts.members, counts.members, "items", text, position);
        out.push_back(']');
    }

    /// Offers a row to `best` if it stands out, and moves the scanner behind it.
    static constexpr void weigh_row(best_rows& best, std::uint64_t row, scanner& scan, token kind, outliers& rows) {
        auto const begin = scan.text().data();
        auto const weight = rows.weigh(scan, kind);
        auto const end = scan.text().data() + scan.text().size();
        if (outliers::stands_out(weight)) best.offer({weight, row, {begin, static_cast<std::size_t>(end - begin)}});
    }

    std::string_view json_text_;
    recovery origin_;
    std::uint64_t earlier_missing_ = 0;  ///< members omitted by an earlier excerpt
    std::uint64_t size_ = 0;  ///< bytes of the original of an earlier excerpt
    std::string unmarked_;  ///< the text without an earlier marker; empty without one
    outliers top_rows_;
    member_counts top_;
    bool plain_ = false;  ///< the text is ASCII
    // Of the latest excerpt.
    excerpt_limits limits_;
    std::uint64_t most_bytes_ = 0;  ///< what is longer, the marker apart, is over the limit
    bool may_stop_ = false;  ///< what is too long already only gets longer
    std::size_t share_offset_ = 0;  ///< where in the outermost marker the share goes
    std::size_t marker_size_ = 0;
    bool has_marker_ = false;  ///< the outermost container has a marker
    bool has_omissions_ = false;
    bool dropped_null_ = false;  ///< null members were dropped, which needs no marker
};

}  // namespace detail::json
}  // namespace v1
}  // namespace condense
