// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <condense/estimate/bpe/build.hpp>
#include <condense/estimate/bpe/rank_file.hpp>
#include <condense/estimate/bpe/split_rules.hpp>
#include <condense/estimate/bpe/tables.hpp>
#include <condense/estimate/bpe/vocabulary_error.hpp>

// The tokens of an encoding, shared by all counters: load_vocabulary(path, encodings::o200k_base). The library comes
// without vocabularies; they are files that users bring.

namespace condense {
inline namespace v1 {

/// Immutable tables behind a shared pointer: copies are cheap, and any number of threads may read them. 13 to 26 MB for
/// published encodings.
class bpe_vocabulary {
public:
    /// `owner` owns the memory that `tables` point into.
    bpe_vocabulary(std::shared_ptr<void const> owner, detail::bpe::tables const& tables)
        : owner_{std::move(owner)}, tables_{tables} {}

    /// The number of tokens, without special ones.
    std::uint32_t size() const noexcept { return tables_.shape.tokens; }
    split_scheme scheme() const noexcept { return tables_.shape.scheme; }
    /// Bytes of memory that the tables take.
    std::uint64_t memory() const noexcept { return detail::bpe::layout{tables_.shape}.size; }
    detail::bpe::tables const& tables() const noexcept { return tables_; }

    /// True if both share the same tables, not if their contents are equal.
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
    vocabulary_error error;  ///< meaningless if there is a vocabulary

    explicit operator bool() const noexcept { return vocabulary.has_value(); }
};

namespace detail::bpe {

/// Builds the tables of these tokens, with the ranks as ids.
inline loaded_vocabulary build_vocabulary(token_list const& tokens, split_scheme scheme) {
    auto built = std::make_shared<built_tables>();
    if (auto error = builder{}(tokens, scheme, *built)) return {{}, *error};
    auto const in = views(built->shape, built->block.data());
    return {bpe_vocabulary{std::move(built), in}, {}};
}

/// All bytes of a regular file; nothing if it cannot be read.
inline std::optional<std::string> read_file(std::string const& path) {
    std::error_code problem;
    if (!std::filesystem::is_regular_file(path, problem)) return {};  // libc++ reads a folder as an empty file
    std::ifstream in{path, std::ios::binary};
    std::string bytes;
    char buffer[1 << 16];
    while (in.read(buffer, sizeof buffer) || in.gcount() > 0)
        bytes.append(buffer, static_cast<std::size_t>(in.gcount()));
    if (!in.is_open() || in.bad() || !in.eof()) return {};
    return bytes;
}

}  // namespace detail::bpe

/// Builds a vocabulary from the contents of a `.tiktoken` file. `encoding` says how text is split and how many tokens
/// are expected.
inline loaded_vocabulary parse_vocabulary(std::string_view ranks, bpe_encoding const& encoding) {
    detail::bpe::token_list list;
    if (auto error = detail::bpe::read_ranks(ranks, list)) return {{}, *error};
    if (encoding.tokens != 0 && list.size() < encoding.tokens) return {{}, {vocabulary_fault::torn, 0}};
    if (encoding.tokens != 0 && list.size() > encoding.tokens) return {{}, {vocabulary_fault::wrong_count, 0}};
    return detail::bpe::build_vocabulary(list, encoding.scheme);
}

/// Builds the vocabulary of a `.tiktoken` file: `load_vocabulary("cl100k_base.tiktoken", encodings::cl100k_base)`.
inline loaded_vocabulary load_vocabulary(std::string const& path, bpe_encoding const& encoding) {
    auto const ranks = detail::bpe::read_file(path);
    if (!ranks) return {{}, {vocabulary_fault::unreadable, 0}};
    return parse_vocabulary(*ranks, encoding);
}

}  // namespace v1
}  // namespace condense
