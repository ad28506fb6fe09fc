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
#include <condense/detail/text.hpp>

// Where originals go: the reference to what is stored, and the concepts of artifact stores and journals.

// The name by which stored content can be had back.

namespace condense {
inline namespace v1 {

/// The content-derived name of a stored original: 24 hexadecimal digits, all zero when there is none.
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
    /// What text() has spelt, or nothing.
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

// The seams to what outlives a conversation: artifact stores keep content under its name, journals
// keep every message as it first was. Handles: cheap to copy, usable through const, by any thread.

/// Why a store or a journal did not do its work; false when it did.
struct [[nodiscard]] store_error {
    detail::small_text<96> reason = {};
    bool gone = false;  ///< of a journal: lines that were kept before are not there any more; it has to be read again
    constexpr explicit operator bool() const noexcept { return !std::string_view{reason}.empty(); }
};

namespace detail {

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

struct any_artifact_sink {
    constexpr void operator()(reference const&, bytes) const noexcept {}
};

}  // namespace detail

/// Keeps bytes under content-derived names. `put` has kept them when it returns no error, for good
/// where the store is `durable`; it may refuse a name that is not that of the content. `get` gives the content back,
/// or nothing where the name is unknown.
template <class Store>
concept artifact_store = std::copy_constructible<Store> && detail::store_names<Store> && detail::store_puts<Store> &&
                         detail::store_gets<Store>;

/// Lists what it keeps: `each(f)` calls f(reference, bytes) once for each artifact, in any order.
template <class Store>
concept listable_store = artifact_store<Store> && requires(Store const& store, detail::any_artifact_sink f) {
    { store.each(f) } -> std::same_as<store_error>;
};

/// Gives room back: `erase(name)` removes the artifact; no error where there is none of that name.
template <class Store>
concept erasable_store = artifact_store<Store> && requires(Store const& store, reference const& name) {
    { store.erase(name) } -> std::same_as<store_error>;
};

namespace detail {

/// For the bodies of what takes a store: says which member is wrong.
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

/// A store that has a file for each artifact, named as its reference is spelt, says whether one is there:
/// `has_file(name)`. By that statistics tell the files that a run has created.
template <class Store>
concept store_of_files = requires(Store const& store, reference const& name) {
    { store.has_file(name) } -> std::same_as<bool>;
};

}  // namespace detail

/// What one line of a journal says beside its content.
struct journal_entry {
    reference name = {};  ///< of the content
    std::uint64_t number = 0;  ///< the message's place among those of its conversation
    bool made = false;  ///< no message that came, but what a run made of message `number`; or, before
                        ///< that message has come, a digest of all that a run left. No content

    friend constexpr bool operator==(journal_entry const&, journal_entry const&) = default;
};

namespace detail {

struct any_entry_sink {
    constexpr void operator()(journal_entry const&, std::string_view) const noexcept {}
};

}  // namespace detail

/// Appends lines to one record a conversation, whose id may be any text. What was appended is kept
/// when `flush` returns no error, for good where the journal is `durable`; a line whose append failed
/// may stand there all the same, so equal lines are possible. A made line has no content. `read`
/// calls f(entry, content) for each line in order; damaged ones are left out.
template <class Journal>
concept journal = std::copy_constructible<Journal> &&
                  requires(Journal const& to, std::string_view conversation, journal_entry const& line,
                           std::string_view content, detail::any_entry_sink f) {
                      { to.name(content) } -> std::same_as<reference>;
                      { to.append(conversation, line, content) } -> std::same_as<store_error>;
                      { to.flush(conversation) } -> std::same_as<store_error>;
                      { to.read(conversation, f) } -> std::same_as<store_error>;
                  };

}  // namespace v1
}  // namespace condense
