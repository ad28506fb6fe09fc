// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <condense/core/quantity.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/text.hpp>

// Where originals go: references to what is stored, and the concepts of artifact stores, which keep content under its
// name, and of journals, which keep every message as it first was. Both are handles: cheap to copy, usable through
// const and by any thread.

namespace condense {
inline namespace v1 {

/// The name of a stored original, a hash of its content: 12 bytes, spelt as 24 hexadecimal digits; all zero for none.
struct reference {
    std::array<std::uint8_t, 12> digest = {};

    constexpr explicit operator bool() const noexcept { return *this != reference{}; }

    constexpr std::string text() const {
        std::string out;
        append_to(out);
        return out;
    }
    constexpr void append_to(std::string& out) const {
        for (auto const byte : digest)
            for (auto const half : {byte >> 4, byte & 15}) out.push_back("0123456789abcdef"[half]);
    }
    /// The reference that text() has spelt so; nothing for any other text.
    static constexpr std::optional<reference> of(std::string_view spelt) noexcept {
        reference result;
        if (spelt.size() != 2 * result.digest.size()) return std::nullopt;
        for (std::size_t index = 0; index < spelt.size(); ++index) {
            auto const digit = std::string_view{"0123456789abcdef"}.find(spelt[index]);
            if (digit == std::string_view::npos) return std::nullopt;
            result.digest[index / 2] = static_cast<std::uint8_t>(16u * result.digest[index / 2] + digit);
        }
        return result;
    }
    friend constexpr auto operator<=>(reference const&, reference const&) = default;
};

/// Why a store or a journal failed; converts to false where it did not. Must not be ignored.
struct [[nodiscard]] store_error {
    detail::small_text<96> reason = {};
    bool gone = false;  ///< of a journal: lines that it had kept are lost, so that it has to be read again
    constexpr explicit operator bool() const noexcept { return !std::string_view{reason}.empty(); }
};

namespace detail {

// The members of a store, one by one, so that a diagnostic can name the one that is missing.

template <class Store>
concept store_names = requires(Store const& store, std::string_view content) {
    { store.name(content) } -> std::same_as<reference>;
};
template <class Store>
concept store_puts = requires(Store const& store, reference const& name, std::string_view content) {
    { store.put(name, content) } -> std::same_as<store_error>;
};
template <class Store>
concept store_gets = requires(Store const& store, reference const& name) {
    { store.get(name) } -> std::same_as<std::optional<std::string>>;
};

/// For listings of artifacts: any callable with these arguments.
using artifact_sink = callable_ref<void(reference const&, bytes)>;

}  // namespace detail

/// Keeps bytes under names derived from their content: `name(content)`. When `put(name, content)` returns no error they
/// are kept, across restarts where the store is `durable`; it may refuse a name that is not the content's. `get(name)`
/// returns the content, or nothing where the name is unknown. Exceptions count as failures of the layer that stores.
template <class Store>
concept artifact_store = std::copy_constructible<Store> && detail::store_names<Store> && detail::store_puts<Store> &&
                         detail::store_gets<Store>;

/// Can list what it keeps: `each(f)` calls f(reference, bytes) once for each artifact, in any order, with its size.
template <class Store>
concept listable_store = artifact_store<Store> && requires(Store const& store, detail::artifact_sink f) {
    { store.each(f) } -> std::same_as<store_error>;
};

/// Where an artifact comes from. Conversation, tool and call may be any bytes.
struct artifact_source {
    std::string conversation = {};  ///< `run_options::conversation`
    std::string tool = {};  ///< whose result it is; empty if unknown
    std::string call = {};  ///< the id of the call, empty if it has none
    std::string type = {};  ///< json, text, or mixed for JSON among other lines
    std::uint64_t time = 0;  ///< of the first put, in seconds since 1970 (UTC); the store sets it where it is 0
    /// Within that second, where the store has set the time and keeps as much.
    std::uint64_t nanoseconds = 0;

    friend bool operator==(artifact_source const&, artifact_source const&) = default;
};

namespace detail {

using source_sink = callable_ref<void(reference const&, bytes, artifact_source const&)>;

}  // namespace detail

/// Knows where its artifacts come from, once for each conversation that has put one, so that a conversation can be kept
/// to its own: `put(name, content, source)`, of which the first one counts; `source(name, conversation)`, nothing if
/// that conversation has not put it; `each_source(f)` calls f(reference, bytes, artifact_source const&), in any order.
/// `erase` removes the sources, too.
template <class Store>
concept traceable_store =
    artifact_store<Store> && requires(Store const& store, reference const& name, std::string_view text,
                                      artifact_source const& source, detail::source_sink f) {
        { store.put(name, text, source) } -> std::same_as<store_error>;
        { store.source(name, text) } -> std::same_as<std::optional<artifact_source>>;
        { store.each_source(f) } -> std::same_as<store_error>;
    };

/// Can remove artifacts: `erase(name)`; no error where there is none of that name.
template <class Store>
concept erasable_store = artifact_store<Store> && requires(Store const& store, reference const& name) {
    { store.erase(name) } -> std::same_as<store_error>;
};

namespace detail {

/// Asserts artifact_store in the body of a template, so that the compiler says which member is wrong.
template <class Store>
constexpr bool check_store() noexcept {
    static_assert(
        std::copy_constructible<Store>,
        "condense: store: it must be copyable, a handle whose copies share what is kept (see artifact_store)");
    static_assert(store_names<Store>,
                  "condense: store: it must have a const name(std::string_view content) that returns a reference (see "
                  "artifact_store)");
    static_assert(store_puts<Store>,
                  "condense: store: it must have a const put(reference const&, std::string_view content) that returns "
                  "a store_error (see artifact_store)");
    static_assert(store_gets<Store>,
                  "condense: store: it must have a const get(reference const&) that returns a "
                  "std::optional<std::string> (see artifact_store)");
    return true;
}

/// A store with a file for each artifact, named as the reference is spelt: `has_file(name)` says whether there is one.
/// By that, reports and statistics tell which files a run has created.
template <class Store>
concept store_of_files = requires(Store const& store, reference const& name) {
    { store.has_file(name) } -> std::same_as<bool>;
};

}  // namespace detail

/// One line of a journal, without its content.
struct journal_entry {
    reference name = {};  ///< of the content
    std::uint64_t number = 0;  ///< the message's place among those of its conversation
    /// Not an original, and without content: a message that a run derived from message `number`; or, where `number` is
    /// still to come, a digest of all messages that a run left.
    bool is_derived = false;
    std::uint64_t time = 0;  ///< of the append, in seconds since 1970 (UTC); the journal sets it where it is 0

    /// Whether they say the same of the same message, whenever they were appended.
    friend constexpr bool operator==(journal_entry const& left, journal_entry const& right) noexcept {
        return left.name == right.name && left.number == right.number && left.is_derived == right.is_derived;
    }
};

namespace detail {

using entry_sink = callable_ref<void(journal_entry const&, std::string_view)>;

}  // namespace detail

/// Appends lines to one record for each conversation, whose id may be any text. Appended lines are kept when `flush`
/// returns no error, across restarts where the journal is `durable`. A line whose append failed may have been written
/// all the same, so readers must accept equal lines. `read` calls f(entry, content) for each line, in order, and leaves
/// out damaged ones.
template <class Journal>
concept journal = std::copy_constructible<Journal> &&
                  requires(Journal const& to, std::string_view conversation, journal_entry const& line,
                           std::string_view content, detail::entry_sink f) {
                      { to.name(content) } -> std::same_as<reference>;
                      { to.append(conversation, line, content) } -> std::same_as<store_error>;
                      { to.flush(conversation) } -> std::same_as<store_error>;
                      { to.read(conversation, f) } -> std::same_as<store_error>;
                  };

/// A conversation of which a journal has entries.
struct journal_conversation {
    std::string id = {};
    std::uint64_t entries = 0;
    std::uint64_t time = 0;  ///< of the latest append, in seconds since 1970 (UTC); 0 if unknown
};

/// An entry of a journal with its content.
struct journal_hit {
    std::string conversation = {};
    journal_entry entry = {};
    std::string content = {};
};

namespace detail {

using conversation_sink = callable_ref<void(journal_conversation const&)>;
using hit_sink = callable_ref<void(journal_hit const&)>;

}  // namespace detail

/// Knows its conversations: `each_conversation(f)` calls f(journal_conversation const&), the one with the latest append
/// first.
template <class Journal>
concept listable_journal = journal<Journal> && requires(Journal const& from, detail::conversation_sink f) {
    { from.each_conversation(f) } -> std::same_as<store_error>;
};

/// Has an index: `search(words, conversation, most, f)` calls f(journal_hit const&) for the entries that hold most of
/// these words, the best first and `most` at most. Others are read from the beginning.
template <class Journal>
concept searchable_journal =
    journal<Journal> && requires(Journal const& from, std::string_view text, std::size_t most, detail::hit_sink f) {
        { from.search(text, text, most, f) } -> std::same_as<store_error>;
    };

/// The name of a cached text: a cryptographic hash of what the text was made from.
using cache_key = std::array<std::uint8_t, 32>;
/// The longest text that caches take.
inline constexpr std::size_t most_cached_bytes = std::size_t{1} << 20;

/// Keeps texts as long as it likes: `get(key)` returns what was put last, or nothing; `put(key, text, seconds)` keeps
/// it for so long at most, where 0 is for ever. A handle, usable through const.
template <class Cache>
concept text_cache = std::copy_constructible<Cache> &&
                     requires(Cache const& cache, cache_key const& key, std::string_view text, std::uint64_t seconds) {
                         { cache.get(key) } -> std::same_as<std::optional<std::string>>;
                         { cache.put(key, text, seconds) } -> std::same_as<store_error>;
                     };

}  // namespace v1
}  // namespace condense
