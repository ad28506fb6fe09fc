// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <ios>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/estimate/bpe/build.hpp>
#include <condense/estimate/bpe/rank_file.hpp>
#include <condense/estimate/bpe/split_rules.hpp>
#include <condense/estimate/bpe/tables.hpp>
#include <condense/estimate/bpe/vocabulary_error.hpp>

// The tokens of an encoding, shared by all that count with them. The library has none: they are a file
// of the user's.

namespace condense {
inline namespace v1 {

/// Tables that never change, behind a shared pointer: copies are cheap, any number of threads may read.
class bpe_vocabulary {
public:
    /// `owner` keeps what `tables` point into.
    bpe_vocabulary(std::shared_ptr<void const> owner, detail::bpe::tables const& tables)
        : owner_{std::move(owner)}, tables_{tables} {}

    std::uint32_t size() const noexcept { return tables_.of.tokens; }
    split_scheme scheme() const noexcept { return tables_.of.scheme; }
    /// Bytes of the tables.
    std::uint64_t memory() const noexcept { return detail::bpe::layout{tables_.of}.size; }
    detail::bpe::tables const& tables() const noexcept { return tables_; }

    /// Whether both are the same tables, not whether they are equal.
    friend bool operator==(bpe_vocabulary const& left, bpe_vocabulary const& right) noexcept {
        return left.owner_ == right.owner_;
    }

private:
    std::shared_ptr<void const> owner_;
    detail::bpe::tables tables_;
};

/// A vocabulary, or why there is none.
struct loaded_vocabulary {
    std::optional<bpe_vocabulary> vocabulary;
    vocabulary_error error;  ///< without meaning where there is a vocabulary

    explicit operator bool() const noexcept { return vocabulary.has_value(); }
};

namespace detail::bpe {

inline loaded_vocabulary vocabulary_of(token_list const& tokens, split_scheme scheme) {
    auto made = std::make_shared<built>();
    if (auto wrong = builder{}(tokens, scheme, *made)) return {{}, *wrong};
    auto const found = views(made->of, made->block.data());
    return {bpe_vocabulary{std::move(made), found}, {}};
}

/// All bytes of a regular file; nothing where it can not be read.
inline std::optional<std::string> whole_file(std::string const& path) {
    std::ifstream in{path, std::ios::binary};
    std::string out;
    char room[1 << 16];
    // A folder opens, and fails at the first read.
    while (in.read(room, sizeof room) || in.gcount() > 0) out.append(room, static_cast<std::size_t>(in.gcount()));
    if (!in.is_open() || in.bad() || !in.eof()) return {};
    return out;
}

}  // namespace detail::bpe

/// The vocabulary of the bytes of a `.tiktoken` file.
inline loaded_vocabulary parse_vocabulary(std::string_view ranks, bpe_encoding const& encoding) {
    detail::bpe::token_list found;
    if (auto wrong = detail::bpe::read_ranks(ranks, found)) return {{}, *wrong};
    if (encoding.tokens != 0 && found.size() < encoding.tokens) return {{}, {vocabulary_fault::torn, 0}};
    if (encoding.tokens != 0 && found.size() > encoding.tokens) return {{}, {vocabulary_fault::wrong_count, 0}};
    return detail::bpe::vocabulary_of(found, encoding.scheme);
}

/// The vocabulary of a `.tiktoken` file: `load_vocabulary("cl100k_base.tiktoken", encodings::cl100k_base)`.
inline loaded_vocabulary load_vocabulary(std::string const& path, bpe_encoding const& encoding) {
    auto const ranks = detail::bpe::whole_file(path);
    if (!ranks) return {{}, {vocabulary_fault::unreadable, 0}};
    return parse_vocabulary(*ranks, encoding);
}

}  // namespace v1
}  // namespace condense
