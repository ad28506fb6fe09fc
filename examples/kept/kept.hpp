// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <condense/core/store.hpp>
#include <condense/recovery/tools.hpp>
#include <condense/session/state.hpp>
#include <condense/store/content_hash.hpp>

// Where does a program keep what leaves a conversation, if its command line names the place? One type for stores of all
// kinds and one for journals, and the tools that read both, compiled in kept.cpp.

namespace kept {

/// A store of any kind; by default none, into which nothing may be put.
class any_store {
public:
    static constexpr bool durable = true;

    any_store() = default;
    template <class Store>
    static any_store of(Store store) {
        any_store made;
        made.of_ = std::make_shared<holder<Store> const>(std::move(store));
        return made;
    }
    explicit operator bool() const noexcept { return of_ != nullptr; }

    condense::reference name(std::string_view content) const { return of_->name(content); }
    condense::store_error put(condense::reference const& name, std::string_view content) const {
        return of_->put(name, content, nullptr);
    }
    condense::store_error put(condense::reference const& name, std::string_view content,
                              condense::artifact_source const& source) const {
        return of_->put(name, content, &source);
    }
    std::optional<std::string> get(condense::reference const& name) const { return of_->get(name); }
    std::optional<condense::artifact_source> source(condense::reference const& name,
                                                    std::string_view conversation) const {
        return of_->source(name, conversation);
    }
    using source_sink =
        std::function<void(condense::reference const&, condense::bytes, condense::artifact_source const&)>;
    condense::store_error each_source(source_sink const& f) const { return of_->each_source(f); }

private:
    struct base {
        virtual ~base() = default;
        virtual condense::reference name(std::string_view) const = 0;
        virtual condense::store_error put(condense::reference const&, std::string_view,
                                          condense::artifact_source const*) const = 0;
        virtual std::optional<std::string> get(condense::reference const&) const = 0;
        virtual std::optional<condense::artifact_source> source(condense::reference const&, std::string_view) const = 0;
        virtual condense::store_error each_source(source_sink const&) const = 0;
    };
    template <class Store>
    struct holder final : base {
        explicit holder(Store&& held) : store{std::move(held)} {}
        condense::reference name(std::string_view content) const override { return store.name(content); }
        condense::store_error put(condense::reference const& name, std::string_view content,
                                  condense::artifact_source const* source) const override {
            return source == nullptr ? store.put(name, content) : store.put(name, content, *source);
        }
        std::optional<std::string> get(condense::reference const& name) const override { return store.get(name); }
        std::optional<condense::artifact_source> source(condense::reference const& name,
                                                        std::string_view conversation) const override {
            return store.source(name, conversation);
        }
        condense::store_error each_source(source_sink const& f) const override { return store.each_source(f); }
        Store store;
    };

    std::shared_ptr<base const> of_;
};

/// A journal of any kind; by default none, which takes everything and keeps nothing.
class any_journal {
public:
    static constexpr bool durable = true;
    using entry_sink = std::function<void(condense::journal_entry const&, std::string_view)>;
    using conversation_sink = std::function<void(condense::journal_conversation const&)>;
    using hit_sink = std::function<void(condense::journal_hit const&)>;

    any_journal() = default;
    template <class Journal>
    static any_journal of(Journal journal) {
        any_journal made;
        made.of_ = std::make_shared<holder<Journal> const>(std::move(journal));
        return made;
    }
    explicit operator bool() const noexcept { return of_ != nullptr; }

    condense::reference name(std::string_view content) const {
        return of_ ? of_->name(content) : condense::content_hash{}(content, 0);
    }
    condense::store_error append(std::string_view conversation, condense::journal_entry const& entry,
                                 std::string_view content) const {
        return of_ ? of_->append(conversation, entry, content) : condense::store_error{};
    }
    condense::store_error flush(std::string_view conversation) const {
        return of_ ? of_->flush(conversation) : condense::store_error{};
    }
    condense::store_error read(std::string_view conversation, entry_sink const& f) const {
        return of_ ? of_->read(conversation, f) : condense::store_error{};
    }
    condense::store_error each_conversation(conversation_sink const& f) const {
        return of_ ? of_->each_conversation(f) : condense::store_error{};
    }
    /// Those without an index find nothing; the tools then read them.
    condense::store_error search(std::string_view words, std::string_view conversation, std::size_t most,
                                 hit_sink const& f) const {
        return of_ ? of_->search(words, conversation, most, f) : condense::store_error{};
    }

private:
    struct base {
        virtual ~base() = default;
        virtual condense::reference name(std::string_view) const = 0;
        virtual condense::store_error append(std::string_view, condense::journal_entry const&,
                                             std::string_view) const = 0;
        virtual condense::store_error flush(std::string_view) const = 0;
        virtual condense::store_error read(std::string_view, entry_sink const&) const = 0;
        virtual condense::store_error each_conversation(conversation_sink const&) const = 0;
        virtual condense::store_error search(std::string_view, std::string_view, std::size_t,
                                             hit_sink const&) const = 0;
    };
    template <class Journal>
    struct holder final : base {
        explicit holder(Journal&& held) : journal{std::move(held)} {}
        condense::reference name(std::string_view content) const override { return journal.name(content); }
        condense::store_error append(std::string_view conversation, condense::journal_entry const& entry,
                                     std::string_view content) const override {
            return journal.append(conversation, entry, content);
        }
        condense::store_error flush(std::string_view conversation) const override {
            return journal.flush(conversation);
        }
        condense::store_error read(std::string_view conversation, entry_sink const& f) const override {
            return journal.read(conversation, f);
        }
        condense::store_error each_conversation(conversation_sink const& f) const override {
            return journal.each_conversation(f);
        }
        condense::store_error search(std::string_view words, std::string_view conversation, std::size_t most,
                                     hit_sink const& f) const override {
            if constexpr (condense::searchable_journal<Journal>) return journal.search(words, conversation, most, f);
            else return {};
        }
        Journal journal;
    };

    std::shared_ptr<base const> of_;
};

/// A folder, a file that ends in .db, or a Redis server: redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]. Both throw
/// where there is no such place.
any_store store_at(std::string const& place);
any_journal journal_at(std::string const& place);

/// Texts by name, kept for a day in a Redis server; by default nowhere. Where the server does not answer, nothing is
/// known for some seconds, and nobody waits for it.
class memory {
public:
    memory() = default;
    /// Throws where that is no address of a server.
    explicit memory(std::string const& url);
    explicit operator bool() const noexcept { return of_ != nullptr; }

    std::optional<std::string> get(std::string_view name) const;
    void put(std::string_view name, std::string_view text) const;

private:
    struct server;
    std::shared_ptr<server> of_;
};

/// The state of a session as text, and from it, which may be anything.
std::string state_text(condense::session_state state);
condense::state_error read_state(std::string_view text, condense::session_state& state);

/// The text of a message that is shown and searched: its parts where its shape is known, else its strings and numbers.
std::string text_of(nlohmann::ordered_json const& message, std::string_view content);
/// Of a journal's content in this way: JSON, or a chat_message.
std::string content_text(std::string_view content);

/// The recovery tools over what is kept; those of which there is no store or journal are not offered.
class tools {
public:
    using text_function = std::function<std::string(std::string_view content)>;

    tools(any_store store, any_journal journal, condense::recovery_options options, text_function text = content_text);

    std::string definitions(condense::tool_format format) const;
    /// For the system message.
    std::string prompt() const;
    bool has(std::string_view tool) const;
    condense::recovery_result call(std::string_view tool, std::string_view arguments) const;

private:
    struct offered;
    std::shared_ptr<offered const> of_;
};

}  // namespace kept
