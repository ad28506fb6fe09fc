// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <condense/detail/fnv.hpp>
#include <condense/detail/json_scan.hpp>
#include <condense/detail/rarity.hpp>

// Finds rows of a JSON array that differ from the rest, by structure alone: keys, types, values that few rows have,
// words, sizes. Uses no list of words, so it works for any language and wording. Rarity and surprise: rarity.hpp.

namespace condense {
inline namespace v1 {
namespace detail::json {

/// Statistics of the values that the rows have under one path, such as `.user.name`.
struct column_record {
    std::uint64_t rows = 0;                    ///< that have the path
    std::uint64_t latest = ~std::uint64_t{0};  ///< the latest row that has it
    bool accompanied = false;  ///< it was new in the same row as another path: one event, not two
    std::uint32_t rare = 0;     ///< surprise at having it
    std::uint32_t missing = 0;  ///< surprise at not having it
    bool uniform = false;       ///< none of its values is surprising
    tally<16> kinds = {};  ///< types of JSON, with signs and empty values
    tally<64> values = {};
    tally<128> words = {};
    tally<32> shapes = {};  ///< sets of character classes in strings
    magnitudes numbers = {};
    magnitudes lengths = {};  ///< of strings, and of containers in elements
};

/// Call `add_row` for every row, then `settle`, then `weigh` for any row to learn how surprising it is. Both passes are
/// linear in the text. Memory is bounded by the limit on paths, about half a megabyte.
class outliers {
public:
    static constexpr std::size_t path_limit = 96;  ///< further paths are counted together as lost
    static constexpr std::size_t level_limit = 4;  ///< deeper values are not examined
    static constexpr std::size_t text_limit = 160;  ///< bytes of a string whose words are examined

    constexpr outliers() { columns_.reserve(16); }

    /// Counts the row that starts with the token `first`; false if it is not JSON.
    constexpr bool add_row(scanner& scan, token first) {
        row_has_new_path_ = row_has_lost_path_ = false;
        bool const read =
            each_value(scan, first, [&](std::uint64_t path, token kind, std::string_view text, std::uint64_t size) {
                auto* const column = column_at(path);
                if (column == nullptr) return;
                if (kind == token::close) return column->lengths.add(quarter_octaves(size + 1, 0));
                if (column->latest != rows_) {
                    column->latest = rows_;
                    ++column->rows;
                }
                visit_features(*column, kind, text, counting{});
            });
        rows_lost_ += row_has_lost_path_ ? 1u : 0u;
        ++rows_;
        return read;
    }

    /// Turns the counts into surprises; call once, after the last row.
    constexpr void settle() {
        rank ranks;
        for (auto const& column : columns_)
            if (!column.accompanied) ranks.add(column.rows);
        ranks.settle(rows_lost_);
        for (auto& column : columns_) {
            column.rare = ranks.surprise(column.rows, rows_);
            column.missing = surprise(rows_ - column.rows, rows_);
            column.kinds.settle(column.kinds.total());
            column.values.settle(column.values.total());
            column.words.settle(column.shapes.total());
            column.shapes.settle(column.shapes.total());
            column.numbers.settle();
            column.lengths.settle();
            column.uniform = column.kinds.most() < least && column.values.most() < least &&
                             column.words.most() < least && column.shapes.most() < least &&
                             column.numbers.most() < least && column.lengths.most() < least;
            if (column.missing >= least) expected_.push_back(static_cast<std::uint8_t>(&column - columns_.data()));
        }
    }

    /// The surprise of the rarest feature of a row, in eighths of a bit; 0 if nothing in it is rare. A missing path is
    /// a feature too, if `with_missing`: not where only one value of a row is weighed, whose path is then `root`.
    constexpr std::uint32_t weigh(scanner& scan, token first, bool with_missing = true,
                                  std::uint64_t root = root_path) {
        weight greatest;
        // Columns remember the row that they were in latest: a number of no other row tells which paths this row has.
        auto const row = ++rows_;
        each_value(
            scan, first,
            [&](std::uint64_t path, token kind, std::string_view text, std::uint64_t size) {
                auto* const column = column_at(path, false);
                if (column == nullptr) return;
                column->latest = row;
                if (column->uniform) return greatest.add(column->rare);
                if (kind == token::close) return greatest.add(column->lengths.surprise(quarter_octaves(size + 1, 0)));
                greatest.add(column->rare);
                visit_features(*column, kind, text, weighing{greatest});
            },
            root);
        if (with_missing)
            for (auto const index : expected_)
                if (columns_[index].latest != row) greatest.add(columns_[index].missing);
        return greatest.best;
    }

    /// The path under which the value of a key is counted.
    static constexpr std::uint64_t path_of(std::string_view key) noexcept { return mix(root_path, fnv1a(key)); }

    /// True for a surprise of at least four bits: one row in sixteen or rarer.
    static constexpr bool stands_out(std::uint32_t weight) noexcept { return weight >= 32; }

private:
    static constexpr std::uint64_t root_path = 1;
    /// The least surprise that counts, three bits. Below, every row would have something rare.
    static constexpr std::uint32_t least = 24;

    /// The greatest surprise so far.
    struct weight {
        std::uint32_t best = 0;
        constexpr void add(std::uint32_t surprise) noexcept {
            if (surprise >= least && surprise > best) best = surprise;
        }
    };

    // The two passes visit the same features: the first counts each, the second looks up its surprise.
    struct counting {
        static constexpr bool counts = true;
        template <class Tally>
        constexpr bool wants(Tally const& tally) const noexcept {
            return !tally.given_up();
        }
        /// True if the value is new to the tally.
        template <class Tally>
        constexpr bool operator()(Tally& tally, std::uint64_t value, std::uint32_t,
                                  bool accompanied = false) const noexcept {
            return tally.add(value, accompanied);
        }
        constexpr void size(magnitudes& tally, std::size_t bucket) const noexcept { tally.add(bucket); }
    };
    struct weighing {
        static constexpr bool counts = false;
        weight& greatest;
        template <class Tally>
        constexpr bool wants(Tally const& tally) const noexcept {
            return tally.most() >= least;
        }
        /// `eighths` of the surprise count: words and shapes are less telling than values.
        template <class Tally>
        constexpr bool operator()(Tally& tally, std::uint64_t value, std::uint32_t eighths,
                                  bool = false) const noexcept {
            greatest.add(tally.surprise(value) * eighths / 8);
            return false;
        }
        constexpr void size(magnitudes& tally, std::size_t bucket) const noexcept {
            greatest.add(tally.surprise(bucket));
        }
    };

    /// Calls the visitor for each feature of one value.
    template <class Visitor>
    static constexpr void visit_features(column_record& column, token kind, std::string_view text,
                                         Visitor visitor) noexcept {
        // Zero, the empty string and negative numbers are types of their own.
        auto const size = kind == token::number ? magnitude_of(text) : 0;
        auto const form = kind == token::number ? (text[0] == '-' ? 2u
                                                   : size == 0    ? 1u
                                                                  : 0u)
                                                : (kind == token::string && text.size() == 2 ? 1u : 0u);
        if (visitor.wants(column.kinds)) visitor(column.kinds, static_cast<std::uint64_t>(kind) * 3 + form, 8);
        if (kind == token::number) {
            if (visitor.wants(column.values)) visitor(column.values, fnv1a(text), 8);
            visitor.size(column.numbers, size);
        } else if (kind == token::string) {
            // The words of a repeated value add nothing to the value itself.
            bool const fresh =
                !visitor.wants(column.values) || visitor(column.values, fnv1a(text), 8) || !Visitor::counts;
            visitor.size(column.lengths, quarter_octaves(text.size() - 1, 0));
            if (fresh && (visitor.wants(column.words) || visitor.wants(column.shapes)))
                visit_words(column, text.substr(1, text.size() - 2), visitor);
        }
    }

    /// Visits the words of a string that have no digits, and then its set of character classes. Words are compared by
    /// hash. Of several new words in one string only the first is an event of its own.
    template <class Visitor>
    static constexpr void visit_words(column_record& column, std::string_view text, Visitor visitor) noexcept {
        bool accompanied = false;
        std::uint64_t shape = 0;
        std::uint64_t word = 0;
        unsigned classes = 0;
        auto const end_word = [&] {
            if (word != 0 && (classes & 4u) == 0)
                accompanied = visitor(column.words, word, 7, accompanied) || accompanied;
            word = classes = 0;
        };
        text = text.substr(0, text_limit);
        for (std::size_t index = 0; index < text.size(); ++index) {
            auto const class_bit = classes_of_bytes[static_cast<unsigned char>(text[index])];
            shape |= class_bit;
            if (class_bit <= 16) {
                word = (word ^ static_cast<unsigned char>(text[index])) * 0x100000001B3u;
                classes |= class_bit;
            } else {
                if (word != 0) end_word();
                index += text[index] == '\\' ? 1u : 0u;
            }
        }
        end_word();
        visitor(column.shapes, shape, 6);
    }

    /// One bit for each class: lower case 1, upper case 2, digit 4, outside ASCII 8, underscore 16, space 32,
    /// others 64. Bytes of words have the bits up to 16.
    static constexpr auto classes_of_bytes = [] {
        std::array<std::uint8_t, 256> classes{};
        for (unsigned byte = 0; byte < 256; ++byte)
            classes[byte] = byte >= 'a' && byte <= 'z'   ? 1
                            : byte >= 'A' && byte <= 'Z' ? 2
                            : byte >= '0' && byte <= '9' ? 4
                            : byte >= 0x80               ? 8
                            : byte == '_'                ? 16
                            : byte == ' '                ? 32
                                                         : 64;
        return classes;
    }();

    /// Calls `sink(path, token, text, 0)` for each value of a row down to level_limit, and
    /// `sink(path, close, {}, count)` for each container when it ends. Reads the row to its end; false if it is no
    /// JSON.
    template <class Sink>
    static constexpr bool each_value(scanner& scan, token kind, Sink sink, std::uint64_t path = root_path) {
        struct frame {
            std::uint64_t path = 0;
            std::uint64_t count = 0;
            bool object = false;
        } frames[level_limit];
        sink(path, kind, scan.text(), 0);
        std::size_t level = 0;
        if (opens(kind)) frames[level++] = {path, 0, kind == token::object};
        while (level != 0) {
            kind = scan.next();
            if (kind == token::bad) return false;
            bool const examined = level <= level_limit;
            auto* const parent = examined ? &frames[level - 1] : nullptr;
            if (kind == token::close) {
                --level;
                if (examined) sink(parent->path, kind, {}, parent->count);
            } else if (kind == token::key) {
                if (examined) path = mix(parent->path, fnv1a(scan.text()));
            } else {
                if (examined) {
                    // Elements of a row that is an array are like the members of an object, each with a path of its
                    // own, up to 32 of them; those of lists within it share one path.
                    if (!parent->object)
                        path =
                            mix(parent->path, parent->path == root_path && parent->count < 32 ? parent->count + 2 : 1);
                    ++parent->count;
                    sink(path, kind, scan.text(), 0);
                }
                if (opens(kind) && ++level <= level_limit) frames[level - 1] = {path, 0, kind == token::object};
            }
        }
        return true;
    }

    /// The column of a path, which is added if it is new; null if it may not be. Rows mostly have the same paths in the
    /// same order, so the column after the latest one is tried first.
    constexpr column_record* column_at(std::uint64_t path, bool add = true) {
        if (++cursor_ < paths_.size() && paths_[cursor_] == path) return &columns_[cursor_];
        for (cursor_ = 0; cursor_ < paths_.size(); ++cursor_)
            if (paths_[cursor_] == path) return &columns_[cursor_];
        if (!add) return nullptr;
        if (paths_.size() == path_limit) {
            row_has_lost_path_ = true;
            return nullptr;
        }
        paths_.push_back(path);
        columns_.emplace_back().accompanied = row_has_new_path_;
        row_has_new_path_ = true;
        return &columns_.back();
    }

    std::vector<std::uint64_t> paths_;  ///< of the columns; apart from them because it is searched
    std::vector<column_record> columns_;
    std::vector<std::uint8_t> expected_;  ///< indices of columns that are surprising to miss
    std::size_t cursor_ = 0;
    std::uint64_t rows_ = 0;
    std::uint64_t rows_lost_ = 0;  ///< rows with a path beyond path_limit
    bool row_has_new_path_ = false;
    bool row_has_lost_path_ = false;
};

}  // namespace detail::json
}  // namespace v1
}  // namespace condense
