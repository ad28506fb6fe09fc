// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <condense/detail/base64.hpp>
#include <condense/estimate/bpe/vocabulary_error.hpp>

// Reads the tokens of a `.tiktoken` file: a line for each, with its bytes in base64, a space and its rank.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// Tokens are below this, because tables::pairs has 21 bits for each.
inline constexpr std::uint32_t token_limit = (1u << 21) - 1;
/// Bytes of the longest token that is accepted, far above those of published encodings. It bounds what a piece costs.
inline constexpr std::size_t longest_token = 1'024;

/// The bytes of tokens one after the other, in the order of their ranks.
struct token_list {
    std::string bytes;
    std::vector<std::uint32_t> begins{0};  ///< one entry more than there are tokens

    std::size_t size() const noexcept { return begins.size() - 1; }
    /// A view into `bytes`, valid until the next add.
    std::string_view operator[](std::size_t token) const noexcept {
        return std::string_view{bytes}.substr(begins[token], begins[token + 1] - begins[token]);
    }
    void add(std::string_view token) {
        bytes += token;
        begins.push_back(static_cast<std::uint32_t>(bytes.size()));
    }
};

/// The six bits of each base64 digit; 64 for any other byte.
inline constexpr auto base64_values = [] {
    std::array<std::uint8_t, 256> out{};
    out.fill(64);
    for (std::size_t digit = 0; digit < 64; ++digit)
        out[static_cast<unsigned char>(base64::digits[digit])] = static_cast<std::uint8_t>(digit);
    return out;
}();

/// As base64::append_decoded, but by a table, because a vocabulary has a million digits. At least four digits, padded,
/// and no bits set beyond the last byte. May append some bytes even if it returns false.
inline bool append_base64(std::string& out, std::string_view text) {
    if (text.empty() || text.size() % 4 != 0) return false;
    for (std::size_t position = 0; position < text.size(); position += 4) {
        auto const last = position + 4 == text.size();
        std::size_t const pads = !last || text[position + 3] != '=' ? 0 : text[position + 2] != '=' ? 1 : 2;
        std::uint32_t bits = 0;
        for (std::size_t place = 0; place < 4; ++place) {
            auto const value =
                place + pads < 4 ? base64_values[static_cast<unsigned char>(text[position + place])] : 0u;
            if (value > 63) return false;
            bits = bits << 6 | value;
        }
        if ((bits & ((1u << (8 * pads)) - 1u)) != 0) return false;
        for (std::size_t place = 0; place + pads < 3; ++place)
            out.push_back(static_cast<char>(static_cast<unsigned char>(bits >> (16 - 8 * place) & 255u)));
    }
    return true;
}

/// A decimal number of at most seven digits, below token_limit; nothing otherwise.
constexpr std::optional<std::uint32_t> rank_of(std::string_view digits) noexcept {
    if (digits.empty() || digits.size() > 7) return {};
    std::uint32_t out = 0;
    for (char const digit : digits) {
        if (digit < '0' || digit > '9') return {};
        out = out * 10 + static_cast<std::uint32_t>(digit - '0');
    }
    if (out >= token_limit) return {};
    return out;
}

/// Reads the text of a file into `out`, which stays as it is on an error. Lines may be in any order, empty, and end in
/// CR LF; ranks begin at 0 and have no gaps. Whether every byte is a token and none is there twice is checked where the
/// tables are built.
inline std::optional<vocabulary_error> read_ranks(std::string_view text, token_list& out) {
    /// Where the bytes of a rank are, since lines may be in any order.
    struct place {
        std::uint32_t begin = 0;
        std::uint32_t size = 0;  ///< 0: no token has this rank
    };
    std::string bytes;
    std::vector<place> places;
    std::uint64_t line = 0;
    auto const error = [&](vocabulary_fault fault) { return vocabulary_error{fault, line}; };
    while (!text.empty()) {
        ++line;
        auto const end = text.find('\n');
        auto line_text = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (!line_text.empty() && line_text.back() == '\r') line_text.remove_suffix(1);
        if (line_text.empty()) continue;
        auto const space = line_text.find(' ');
        if (space == std::string_view::npos)
            // A last line without a rank is that of a download that broke off.
            return error(end == std::string_view::npos ? vocabulary_fault::torn : vocabulary_fault::bad_line);
        // Before decoding, so that a huge line costs no memory.
        if (space > longest_token * 2) return error(vocabulary_fault::long_token);
        auto const begin = bytes.size();
        if (!append_base64(bytes, line_text.substr(0, space))) return error(vocabulary_fault::bad_base64);
        auto const size = bytes.size() - begin;
        if (size > longest_token) return error(vocabulary_fault::long_token);
        auto const rank = rank_of(line_text.substr(space + 1));
        if (!rank) return error(vocabulary_fault::bad_rank);
        if (*rank >= places.size()) places.resize(std::size_t{*rank} + 1);
        if (places[*rank].size != 0) return error(vocabulary_fault::duplicate_rank);
        // Begins of tokens have 32 bits.
        if (bytes.size() > 0xFFFF'FFFFu) return error(vocabulary_fault::long_token);
        places[*rank] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(size)};
    }
    if (places.empty()) return vocabulary_error{vocabulary_fault::empty, 0};
    token_list list;
    list.bytes.reserve(bytes.size());
    list.begins.reserve(places.size() + 1);
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
        auto const entry = places[rank];
        if (entry.size == 0) return vocabulary_error{vocabulary_fault::gap, rank};
        list.add(std::string_view{bytes}.substr(entry.begin, entry.size));
    }
    out = std::move(list);
    return {};
}

}  // namespace detail::bpe
}  // namespace v1
}  // namespace condense
