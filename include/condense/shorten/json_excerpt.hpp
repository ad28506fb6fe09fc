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

// Writes less of a JSON text than there is, as JSON. What it writes is within the same limits when it is
// read again, markers included, so that nothing is cut twice and no marker need be known as one.

namespace condense {
inline namespace v1 {
namespace detail::json {

struct excerpt_limits {
    std::uint64_t keys = 0;      ///< members of an object
    std::uint64_t row_keys = 0;  ///< members of an object in an array
    std::uint64_t items = 0;     ///< first elements
    std::uint64_t last = 0;      ///< last elements
    std::uint64_t outliers = 0;  ///< elements that differ from the rest
    std::uint64_t value = 0;     ///< characters of a string
    bool drop_null = false;
};

/// A container's members or elements; one that is no container, or no JSON, is neither object nor array.
struct census {
    token kind = token::bad;
    std::uint64_t members = 0;
    std::uint64_t nulls = 0;
};

constexpr census count_members(std::string_view text) noexcept {
    scanner scan{text};
    census found{scan.next(), 0, 0};
    for (;;) {
        auto const kind = scan.next();
        if (kind == token::bad) return {};
        if (kind == token::done) return found;
        if (kind == token::key || kind == token::close || scan.depth() != (opens(kind) ? 2u : 1u)) continue;
        ++found.members;
        found.nulls += kind == token::null ? 1u : 0u;
    }
}

/// The same of a text that may be an array, whose rows are counted in the same pass.
constexpr census count_rows(std::string_view text, outliers& rows) {
    scanner scan{text};
    if (scan.next() != token::array) return count_members(text);
    census found{token::array, 0, 0};
    for (auto kind = scan.next(); kind != token::close; kind = scan.next(), ++found.members)
        if (kind >= token::done || !rows.note(scan, kind)) return {};
    rows.settle();
    return scan.next() == token::done ? found : census{};
}

/// The bytes of the value whose first token was just read.
constexpr std::string_view whole_value(scanner& scan, token first) noexcept {
    return opens(first) ? scan.skip() : scan.text();
}

class excerpt_writer {
public:
    constexpr excerpt_writer(excerpt_limits const& limits, recovery how) noexcept : limits_{limits}, how_{how} {}

    struct result {
        std::string text = {};
        bool json = false;  ///< the text is a JSON container; else there is no result
        bool less = false;  ///< more than white space is gone
    };

    /// Where something is left out the outermost container says so, if need be with one member less. What an
    /// earlier marker there says goes into the new one.
    constexpr result operator()(std::string_view given) {
        auto const shorter = without_marker(given);
        auto const text = shorter.empty() ? given : std::string_view{shorter};
        auto const top = limits_.outliers != 0 ? count_rows(text, top_rows_) : count_members(text);
        result made;
        made.json = opens(top.kind);
        if (!made.json) return made;
        marked_ = !shorter.empty();
        container(made.text, text, top, {});
        if (omitted_ && !marked_) {
            made.text.clear();
            marked_ = true;
            container(made.text, text, top, {});
        } else if (!omitted_ && !dropped_ && !shorter.empty()) {  // nothing more is gone, the marker stays where it is
            made.text.clear();
            append_minified(made.text, given);
        }
        made.less = omitted_ || dropped_;
        if (made.less && marked_) say_share(made.text, text.size());
        return made;
    }

    /// What is left where nothing else fits.
    static constexpr std::string only_marker(std::string_view text, recovery how) {
        excerpt_writer read{{}, how};
        bool const earlier = !read.without_marker(text).empty();
        auto const top = count_members(text);
        auto const members = top.members + read.before_ - (earlier ? 1 : 0);
        bool const object = top.kind == token::object;
        std::string out{object ? "{\"[...]\":\"" : "[\""};
        read.outer_marker(out, members, members, object ? "keys" : "items", text.size());
        out.append(object ? "\"}" : "\"]");
        read.say_share(out, text.size());
        return out;
    }

private:
    /// The text without the marker of an earlier excerpt, whose figures are noted; empty where there is none.
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
            auto const spelled = whole_value(scan, kind);
            omitted count;
            if (!named || kind != token::string ||
                !read_excerpt(spelled.substr(1, spelled.size() - 2), object ? "keys" : "items", top.members - 1, count,
                              size_))
                continue;
            auto end = static_cast<std::size_t>(spelled.data() + spelled.size() - text.data());
            auto const comma = text.find_first_not_of(" \t\r\n", end);
            auto from = begin;
            if (text[comma] == ',') end = comma + 1;
            else if (member != 0) from = text.rfind(',', begin);
            before_ = count.missing;
            how_.shortened = count.of_rest;
            out.append(text.substr(0, from)).append(text.substr(end));
            return out;
        }
        size_ = 0;
        return out;
    }

    static constexpr unsigned level_limit = 3;  ///< containers in deeper ones are whole or left out

    struct place {
        unsigned level = 0;
        bool in_array = false;  ///< an element
        bool below_array = false;  ///< an element, or within one
        outliers* rows = nullptr;  ///< of an element that differs: what the others are like
    };

    constexpr void value(std::string& out, token kind, std::string_view text, place at) {
        if (opens(kind)) container(out, text, count_members(text), at);
        else if (text.size() <= add_capped(limits_.value, excerpt_limit)) out.append(text);
        else if (kind == token::string) string(out, text.substr(1, text.size() - 2));
        else {
            // A number of so many digits becomes a string, because half of it would be another number.
            auto const kept = as_size(limits_.value);
            omitted_ = true;
            out.append("\"").append(text.substr(0, kept)).append(" ");
            out.append(excerpt(text.size() - kept, text.size(), "characters")).append("\"");
        }
    }

    /// Counts an escape as one character, and cuts none.
    constexpr void string(std::string& out, std::string_view text) {
        auto const next = [&](std::size_t at) {
            if (text[at] != '\\') return at + utf8::decode(text, at).size;
            if (text[at + 1] != 'u') return at + 2;
            // The halves of a surrogate pair stay together.
            bool const high = (text[at + 2] == 'd' || text[at + 2] == 'D') &&
                              std::string_view{"89abAB"}.find(text[at + 3]) != std::string_view::npos;
            return at + (high && text.substr(at + 6, 2) == "\\u" ? 12u : 6u);
        };
        std::uint64_t total = 0;
        std::size_t end = 0;
        for (std::size_t at = 0; at < text.size(); ++total) {
            if (total == limits_.value) end = at;
            at = next(at);
        }
        if (total <= add_capped(limits_.value, excerpt_limit)) out.append("\"").append(text).append("\"");
        else {
            omitted_ = true;
            out.append("\"").append(text.substr(0, end)).append(end == 0 ? "" : " ");
            out.append(excerpt(total - limits_.value, total, "characters")).append("\"");
        }
    }

    constexpr void container(std::string& out, std::string_view text, census const& seen, place at) {
        if (at.level >= level_limit) {
            auto const before = out.size();
            if (append_minified(out, text, as_size(add_capped(limits_.value, excerpt_limit)))) return;
            out.resize(before);
            omitted_ = true;
            auto const what = seen.kind == token::object ? "keys" : "items";
            out.append("\"").append(excerpt(seen.members, seen.members, what)).append("\"");
        } else if (seen.kind == token::object) object(out, text, seen, at);
        else array(out, text, seen, at);
    }

    /// Whether so many are cut down to `limit`; one more is where a marker stands.
    constexpr bool cuts(std::uint64_t present, std::uint64_t limit, place at) noexcept {
        bool const cut = present > add_capped(limit, 1) || (at.level == 0 && marked_ && present > limit);
        omitted_ = omitted_ || cut;
        marked_ = marked_ || (cut && at.level == 0);
        return cut;
    }

    constexpr void outer_marker(std::string& out, std::uint64_t missing, std::uint64_t total, std::string_view what,
                                std::size_t size) {
        auto const begin = out.size();
        append_escaped(out, excerpt_front(missing, total, what, size_ != 0 ? size_ : size, how_.shortened));
        share_at_ = out.size();
        std::string way;
        append_way(way, way_back(how_));
        append_escaped(out, way);
        marker_size_ = out.size() - begin;
    }

    /// What of the text is left is known when all is written.
    constexpr void say_share(std::string& out, std::size_t size) const {
        if (!how_.words.type_and_share) return;
        std::string said;
        append_type(said, "json", out.size() - marker_size_, how_.shortened ? 0 : size_ != 0 ? size_ : size);
        out.insert(share_at_, said);
    }

    constexpr void marker(std::string& out, std::uint64_t kept, std::uint64_t total, std::string_view what,
                          std::string_view text, place at) {
        if (out.back() != '[' && out.back() != '{') out.push_back(',');
        if (what == "keys") out.append("\"[...]\":");
        out.append("\"");
        if (at.level == 0) outer_marker(out, total + before_ - kept, total + before_, what, text.size());
        else out.append(excerpt(total - kept, total, what));
        out.append("\"");
    }

    constexpr void object(std::string& out, std::string_view text, census const& seen, place at) {
        auto const present = seen.members - (limits_.drop_null ? seen.nulls : 0);
        auto const limit = at.in_array ? limits_.row_keys : limits_.keys;
        bool const cut = cuts(present, limit, at);
        auto chosen = cut && at.rows != nullptr ? rarest_members(text, limit, *at.rows) : choice{0, limit};
        std::uint64_t kept = 0;
        out.push_back('{');
        scanner scan{text};
        scan.next();
        while (scan.next() == token::key) {
            auto const key = scan.text();
            auto const kind = scan.next();
            if (kind == token::null && limits_.drop_null) {
                dropped_ = true;
                continue;
            }
            auto const spelled = whole_value(scan, kind);
            if (cut && !chosen.take(at.rows == nullptr ? 0 : weight_of(*at.rows, key, spelled))) continue;
            if (kept++ != 0) out.push_back(',');
            out.append(key).push_back(':');
            value(out, kind, spelled, {at.level + 1, false, at.below_array, nullptr});
        }
        if (cut || (at.level == 0 && marked_)) marker(out, kept, seen.members, "keys", text, at);
        out.push_back('}');
    }

    /// The members above `least`, and the first ones that are equal to it.
    struct choice {
        std::uint32_t least = 0;
        std::uint64_t equal = 0;
        constexpr bool take(std::uint32_t weight) noexcept {
            if (weight != least) return weight > least;
            return equal != 0 && equal-- != 0;
        }
    };

    static constexpr std::uint32_t weight_of(outliers& rows, std::string_view key, std::string_view text) {
        scanner scan{text};
        auto const found = rows.weigh(scan, scan.next(), false, outliers::path_of(key));
        return found < 512 ? found : 511;
    }

    /// Of a row that differs, the members in which it does come first.
    static constexpr choice rarest_members(std::string_view text, std::uint64_t limit, outliers& rows) {
        std::uint64_t counts[512] = {};
        scanner scan{text};
        scan.next();
        while (scan.next() == token::key) {
            auto const key = scan.text();
            ++counts[weight_of(rows, key, whole_value(scan, scan.next()))];
        }
        std::uint32_t least = 511;
        for (; least != 0 && counts[least] <= limit; --least) limit -= counts[least];
        return {least, limit};
    }

    constexpr void array(std::string& out, std::string_view text, census const& seen, place at) {
        auto const last = at.below_array ? 0 : limits_.last;
        auto const outliers_limit = at.below_array ? 0 : limits_.outliers;
        auto const limit = add_capped(add_capped(limits_.items, last), outliers_limit);
        bool const cut = cuts(seen.members, limit, at);
        outliers inner_rows;
        auto& rows = at.level == 0 ? top_rows_ : inner_rows;
        if (cut && outliers_limit != 0 && at.level != 0) count_rows(text, rows);
        std::uint64_t row = 0;
        auto const put = [&](token first, std::string_view spelled, outliers* others) {
            if (row != 0) out.push_back(',');
            value(out, first, spelled, {at.level + 1, true, true, others});
        };
        out.push_back('[');
        scanner scan{text};
        scan.next();
        auto kind = scan.next();
        for (; kind != token::close && (!cut || row < limits_.items); kind = scan.next(), ++row)
            put(kind, whole_value(scan, kind), nullptr);
        if (cut) {
            best_rows best{outliers_limit};
            for (auto const tail = seen.members - last; row < tail; kind = scan.next(), ++row) {
                if (outliers_limit == 0) whole_value(scan, kind);
                else weigh_row(best, row, scan, kind, rows);
            }
            best.trim(as_size(outliers_limit - outliers_limit / 2));
            marker(out, limit - outliers_limit + best.size(), seen.members, "items", text, at);
            best.in_order([&](std::string_view spelled) {
                scanner one{spelled};
                put(one.next(), spelled, &rows);
            });
            for (; kind != token::close; kind = scan.next()) put(kind, whole_value(scan, kind), nullptr);
        } else if (at.level == 0 && marked_) marker(out, seen.members, seen.members, "items", text, at);
        out.push_back(']');
    }

    static constexpr void weigh_row(best_rows& best, std::uint64_t row, scanner& scan, token kind, outliers& rows) {
        auto const begin = scan.text().data();
        auto const weight = rows.weigh(scan, kind);
        auto const end = scan.text().data() + scan.text().size();
        if (outliers::stands_out(weight)) best.offer({weight, row, {begin, static_cast<std::size_t>(end - begin)}});
    }

    outliers top_rows_;
    excerpt_limits limits_;
    recovery how_;
    std::uint64_t before_ = 0;  ///< members that an earlier excerpt has left out
    std::uint64_t size_ = 0;  ///< bytes that it has had
    std::size_t share_at_ = 0;  ///< where the outermost marker says what is left
    std::size_t marker_size_ = 0;
    bool marked_ = false;  ///< the outermost container says that something is missing
    bool omitted_ = false;
    bool dropped_ = false;  ///< members that are null, which leaves no marker
};

}  // namespace detail::json
}  // namespace v1
}  // namespace condense
