// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include <condense/core/reference.hpp>
#include <condense/detail/text.hpp>

// The seams to what outlives a conversation: artifact stores keep content under its name, journals
// keep every message as it first was. Handles: cheap to copy, usable through const, by any thread.

namespace condense {
inline namespace v1 {

/// Why a store or a journal did not do its work; false when it did.
struct [[nodiscard]] store_error {
    detail::small_text<96> reason = {};
    bool gone = false;  ///< of a journal: lines that were kept before are not there any more; it has to be read again
    constexpr explicit operator bool() const noexcept { return !std::string_view{reason}.empty(); }
};

/// Keeps bytes under content-derived names. `put` has kept them when it returns no error, for good
/// where the store is `durable`; it may refuse a name that is not that of the content.
template <class Store>
concept artifact_store = std::copy_constructible<Store> &&
                         requires(Store const& store, reference const& name, std::string_view content) {
                             { store.name(content) } -> std::same_as<reference>;
                             { store.put(name, content) } -> std::same_as<store_error>;
                         };

namespace detail {

/// A store that has a file for each artifact, named as its reference is spelt, says whether one is there:
/// `has_file(name)`. By that statistics tell the files that a run has created.
template <class Store>
concept store_of_files = requires(Store const& store, reference const& name) {
    { store.has_file(name) } -> std::same_as<bool>;
};

}  // namespace detail

/// What one line of a journal says beside its content.
struct journal_entry {
    reference name = {};       ///< of the content
    std::uint64_t number = 0;  ///< the message's place among those of its conversation
    bool made = false;         ///< no message that came, but what a run made of message `number`; or, before
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
