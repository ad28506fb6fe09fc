// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <condense/store/file.hpp>
#include <condense/store/sqlite_journal.hpp>
#include <condense/store/sqlite_store.hpp>

#include "transcript.hpp"

// Stores and journals that the command line can name, as one type each: the tools are compiled once, not for each pair.

namespace recall {

/// A store of any kind.
struct any_store {
    std::variant<condense::artifact_folder, condense::sqlite_store> of;

    condense::reference name(std::string_view content) const {
        return std::visit([&](auto const& store) { return store.name(content); }, of);
    }
    template <class... Source>
    condense::store_error put(condense::reference const& name, std::string_view content,
                              Source const&... source) const {
        return std::visit([&](auto const& store) { return store.put(name, content, source...); }, of);
    }
    std::optional<std::string> get(condense::reference const& name) const {
        return std::visit([&](auto const& store) { return store.get(name); }, of);
    }
    std::optional<condense::artifact_source> source(condense::reference const& name,
                                                    std::string_view conversation) const {
        return std::visit([&](auto const& store) { return store.source(name, conversation); }, of);
    }
    condense::store_error each_source(std::function<void(condense::reference const&, condense::bytes,
                                                         condense::artifact_source const&)> const& f) const {
        return std::visit([&](auto const& store) { return store.each_source(f); }, of);
    }
};

/// A journal of any kind, or transcripts.
struct any_journal {
    std::variant<condense::journal_folder, condense::sqlite_journal, transcripts> of;

    condense::reference name(std::string_view content) const {
        return std::visit([&](auto const& journal) { return journal.name(content); }, of);
    }
    condense::store_error append(std::string_view conversation, condense::journal_entry const& entry,
                                 std::string_view content) const {
        return std::visit([&](auto const& journal) { return journal.append(conversation, entry, content); }, of);
    }
    condense::store_error flush(std::string_view conversation) const {
        return std::visit([&](auto const& journal) { return journal.flush(conversation); }, of);
    }
    condense::store_error read(std::string_view conversation,
                               std::function<void(condense::journal_entry const&, std::string_view)> const& f) const {
        return std::visit([&](auto const& journal) { return journal.read(conversation, f); }, of);
    }
    condense::store_error each_conversation(std::function<void(condense::journal_conversation const&)> const& f) const {
        return std::visit([&](auto const& journal) { return journal.each_conversation(f); }, of);
    }
    /// Those without an index find nothing; the tools then read them.
    condense::store_error search(std::string_view words, std::string_view conversation, std::size_t most,
                                 std::function<void(condense::journal_hit const&)> const& f) const {
        auto const* const indexed = std::get_if<condense::sqlite_journal>(&of);
        return indexed == nullptr ? condense::store_error{} : indexed->search(words, conversation, most, f);
    }
};

/// Of a transcript the message as it is shown; of a journal what its content says.
struct any_text {
    bool is_shown = false;
    std::string operator()(std::string_view content) const {
        return is_shown ? std::string{content} : content_text{}(content);
    }
};

inline any_store store_at(std::string const& path) {
    if (path.ends_with(".db")) return {condense::sqlite_store{path}};
    return {condense::artifact_folder{path}};
}

inline any_journal journal_at(std::string const& path) {
    if (path.ends_with(".db")) return {condense::sqlite_journal{path}};
    return {condense::journal_folder{path}};
}

}  // namespace recall
