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
// words, sizes. Uses no list of words, so it works for any language and wording.

namespace condense {
inline namespace v1 {
namespace detail::json {

/// Statistics of one path of the rows.
struct column {
    std::uint64_t rows = 0;
    std::uint64_t latest = ~std::uint64_t{0};  ///< the latest row that has it
    bool along = false;  ///< first seen together with another new path: one event, not two
    std::uint32_t rare = 0;     ///< surprise at having it
    std::uint32_t missing = 0;  ///< surprise at not having it
    bool uniform = false;       ///< no value of it is surprising
    tally<16> kinds = {};
    tally<64> values = {};
    tally<128> words = {};
    tally<32> shapes = {};
    magnitudes numbers = {};
    magnitudes lengths = {};
};

/// Call `note` for every row, then `settle`, then `weigh` for any row to learn how surprising it is. Both passes are
/// linear in the text. Memory is bounded by the limit on paths, about half a megabyte.
class outliers {
public:
    static constexpr std::size_t path_limit = 96;
    static constexpr std::size_t level_limit = 4;   ///< deeper values are not examined
    static constexpr std::size_t text_limit = 160;  ///< bytes of a string whose words are examined

    constexpr outliers() { columns_.reserve(16); }

    /// Counts the row that starts with the token `first`; false if it is not JSON.
    constexpr bool note(scanner& scan, token first) {
        fresh_ = lost_ = false;
        bool const read =
            walk(scan, first, [&](std::uint64_t path, token kind, std::string_view text, std::uint64_t size) {
                auto* const seen = column_of(path);
                if (seen == nullptr) return;
                if (kind == token::close) return seen->lengths.add(quarter_octaves(size + 1, 0));
                if (seen->latest != rows_) {
                    seen->latest = rows_;
                    ++seen->rows;
                }
                look(*seen, kind, text, noting{});
            });
        rows_lost_ += lost_ ? 1u : 0u;
        ++rows_;
        return read;
    }

    constexpr void settle() {
        rank seen;
        for (auto const& each : columns_)
            if (!each.along) seen.add(each.rows);
        seen.settle(rows_lost_);
        for (auto& each : columns_) {
            each.rare = seen.surprise(each.rows, rows_);
            each.missing = surprise(rows_ - each.rows, rows_);
            each.kinds.settle(each.kinds.total());
            each.values.settle(each.values.total());
            each.words.settle(each.shapes.total());
            each.shapes.settle(each.shapes.total());
            each.numbers.settle();
            each.lengths.settle();
            each.uniform = each.kinds.most() < least && each.values.most() < least && each.words.most() < least &&
                           each.shapes.most() < least && each.numbers.most() < least && each.lengths.most() < least;
            if (each.missing >= least) usual_.push_back(static_cast<std::uint8_t>(&each - columns_.data()));
        }
    }

    /// The surprise of the rarest feature of the row, in eighths of a bit. With `whole` missing paths count, too.
    constexpr std::uint32_t weigh(scanner& scan, token first, bool whole = true, std::uint64_t root = root_path) {
        weight found;
        auto const row = ++rows_;  // a number of no other row
        walk(
            scan, first,
            [&](std::uint64_t path, token kind, std::string_view text, std::uint64_t size) {
                auto* const seen = column_of(path, false);
                if (seen == nullptr) return;
                seen->latest = row;
                if (seen->uniform) return found.add(seen->rare);
                if (kind == token::close) return found.add(seen->lengths.surprise(quarter_octaves(size + 1, 0)));
                found.add(seen->rare);
                look(*seen, kind, text, weighing{found});
            },
            root);
        if (whole)
            for (auto const each : usual_)
                if (columns_[each].latest != row) found.add(columns_[each].missing);
        return found.best;
    }

    /// The path under which the value of a key is counted.
    static constexpr std::uint64_t path_of(std::string_view key) noexcept { return mix(root_path, fnv1a(key)); }

    /// Rarer than one row in sixteen.
    static constexpr bool stands_out(std::uint32_t weight) noexcept { return weight >= 32; }

private:
    static constexpr std::uint64_t root_path = 1;
    static constexpr std::uint32_t least = 24;

    struct weight {
        std::uint32_t best = 0;
        constexpr void add(std::uint32_t surprise) noexcept {
            if (surprise >= least && surprise > best) best = surprise;
        }
    };

    struct noting {
        static constexpr bool counts = true;
        template <class Tally>
        constexpr bool wants(Tally const& counted) const noexcept {
            return !counted.given_up();
        }
        template <class Tally>
        constexpr bool operator()(Tally& counted, std::uint64_t what, std::uint32_t,
                                  bool along = false) const noexcept {
            return counted.add(what, along);
        }
        constexpr void size(magnitudes& counted, std::size_t bucket) const noexcept { counted.add(bucket); }
    };
    struct weighing {
        static constexpr bool counts = false;
        weight& found;
        template <class Tally>
        constexpr bool wants(Tally const& counted) const noexcept {
            return counted.most() >= least;
        }
        template <class Tally>
        constexpr bool operator()(Tally& counted, std::uint64_t what, std::uint32_t eighths,
                                  bool = false) const noexcept {
            found.add(counted.surprise(what) * eighths / 8);
            return false;
        }
        constexpr void size(magnitudes& counted, std::size_t bucket) const noexcept {
            found.add(counted.surprise(bucket));
        }
    };

    /// Passes all features of one value to `pass`.
    template <class Pass>
    static constexpr void look(column& at, token kind, std::string_view text, Pass pass) noexcept {
        // Zero, the empty string and negative numbers are types of their own.
        auto const size = kind == token::number ? magnitude_of(text) : 0;
        auto const form = kind == token::number ? (text[0] == '-' ? 2u
                                                   : size == 0    ? 1u
                                                                  : 0u)
                                                : (kind == token::string && text.size() == 2 ? 1u : 0u);
        if (pass.wants(at.kinds)) pass(at.kinds, static_cast<std::uint64_t>(kind) * 3 + form, 8);
        if (kind == token::number) {
            if (pass.wants(at.values)) pass(at.values, fnv1a(text), 8);
            pass.size(at.numbers, size);
        } else if (kind == token::string) {
            // The words of a repeated value add nothing to the value itself.
            bool const fresh = !pass.wants(at.values) || pass(at.values, fnv1a(text), 8) || !Pass::counts;
            pass.size(at.lengths, quarter_octaves(text.size() - 1, 0));
            if (fresh && (pass.wants(at.words) || pass.wants(at.shapes)))
                words(at, text.substr(1, text.size() - 2), pass);
        }
    }

    /// Words without digits, and the set of character classes.
    template <class Pass>
    static constexpr void words(column& at, std::string_view text, Pass pass) noexcept {
        bool along = false;
        std::uint64_t shape = 0;
        std::uint64_t word = 0;
        unsigned sorts = 0;
        auto const end_word = [&] {
            if (word != 0 && (sorts & 4u) == 0) along = pass(at.words, word, 7, along) || along;
            word = sorts = 0;
        };
        text = text.substr(0, text_limit);
        for (std::size_t index = 0; index < text.size(); ++index) {
            auto const sort = sorts_of_bytes[static_cast<unsigned char>(text[index])];
            shape |= sort;
            if (sort <= 16) {
                word = (word ^ static_cast<unsigned char>(text[index])) * 0x100000001B3u;
                sorts |= sort;
            } else {
                if (word != 0) end_word();
                index += text[index] == '\\' ? 1u : 0u;
            }
        }
        end_word();
        pass(at.shapes, shape, 6);
    }

    /// Lower case 1, upper case 2, digit 4, outside ASCII 8, underscore 16, space 32, others 64.
    static constexpr auto sorts_of_bytes = [] {
        std::array<std::uint8_t, 256> sorts{};
        for (unsigned byte = 0; byte < 256; ++byte)
            sorts[byte] = byte >= 'a' && byte <= 'z'   ? 1
                          : byte >= 'A' && byte <= 'Z' ? 2
                          : byte >= '0' && byte <= '9' ? 4
                          : byte >= 0x80               ? 8
                          : byte == '_'                ? 16
                          : byte == ' '                ? 32
                                                       : 64;
        return sorts;
    }();

    /// Calls `sink(path, token, text, 0)` for each value of a row, and `sink(path, close, {}, count)` for
    /// each container when it ends.
    template <class Sink>
    static constexpr bool walk(scanner& scan, token kind, Sink sink, std::uint64_t path = root_path) {
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
            bool const seen = level <= level_limit;
            auto* const in = seen ? &frames[level - 1] : nullptr;
            if (kind == token::close) {
                --level;
                if (seen) sink(in->path, kind, {}, in->count);
            } else if (kind == token::key) {
                if (seen) path = mix(in->path, fnv1a(scan.text()));
            } else {
                if (seen) {
                    // The places of a row that is an array are told apart, those of lists within it are not.
                    if (!in->object) path = mix(in->path, in->path == root_path && in->count < 32 ? in->count + 2 : 1);
                    ++in->count;
                    sink(path, kind, scan.text(), 0);
                }
                if (opens(kind) && ++level <= level_limit) frames[level - 1] = {path, 0, kind == token::object};
            }
        }
        return true;
    }

    /// Rows mostly have the same paths in the same order, so the next one is tried first.
    constexpr column* column_of(std::uint64_t path, bool add = true) {
        if (++cursor_ < paths_.size() && paths_[cursor_] == path) return &columns_[cursor_];
        for (cursor_ = 0; cursor_ < paths_.size(); ++cursor_)
            if (paths_[cursor_] == path) return &columns_[cursor_];
        if (!add) return nullptr;
        if (paths_.size() == path_limit) {
            lost_ = true;
            return nullptr;
        }
        paths_.push_back(path);
        columns_.emplace_back().along = fresh_;
        fresh_ = true;
        return &columns_.back();
    }

    std::vector<std::uint64_t> paths_;  ///< of the columns, apart because it is searched
    std::vector<column> columns_;
    std::vector<std::uint8_t> usual_;  ///< columns that surprise where they are missing
    std::size_t cursor_ = 0;
    std::uint64_t rows_ = 0;
    std::uint64_t rows_lost_ = 0;
    bool fresh_ = false;
    bool lost_ = false;
};

}  // namespace detail::json
}  // namespace v1
}  // namespace condense
