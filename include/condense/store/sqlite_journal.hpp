// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <sqlite3.h>

#include <condense/core/store.hpp>
#include <condense/detail/calendar.hpp>
#include <condense/detail/json_members.hpp>
#include <condense/detail/json_scan.hpp>
#include <condense/store/content_hash.hpp>
#include <condense/store/sqlite_database.hpp>

// Journals of many conversations in one SQLite database, with full-text search:
// record{.to = condense::sqlite_journal{"sessions.db"}}. POSIX.

namespace condense {
inline namespace v1 {

/// A handle: copies share the connection, any thread and any number of processes may use the file. It is created on
/// first use, readable by its owner alone. Hash: as for stores.
template <class Hash = content_hash>
class basic_sqlite_journal {
public:
    static constexpr bool durable = true;
    /// The longest content, 256 MiB.
    static constexpr std::size_t most_bytes = std::size_t{256} << 20;
    /// Appended bytes after which a flush is made without being asked for.
    static constexpr std::size_t most_pending = std::size_t{4} << 20;

    explicit basic_sqlite_journal(std::string path, Hash hash = {})
        : basic_sqlite_journal{std::move(path), sqlite_options{}, std::move(hash)} {}
    basic_sqlite_journal(std::string path, sqlite_options options, Hash hash = {})
        : shared_{std::make_shared<state>(std::move(path), options)}, hash_{std::move(hash)} {}

    /// The name that an entry with this content must have.
    reference name(std::string_view content) const { return hash_(content, 0); }

    /// Appends all of the entry or nothing; durable after `flush`. Costs a copy of the content. Errors: too long, a
    /// name that does not match the content, content for a derived entry, and those of a flush that became due.
    store_error append(std::string_view conversation, journal_entry const& entry, std::string_view content) const {
        if (entry.is_derived && !content.empty()) return {"derived entries must be empty"};
        if (!entry.is_derived && entry.name != name(content)) return {"content does not match its hash"};
        if (content.size() > most_bytes) return {"longer than 256 MiB"};
        std::lock_guard const lock{shared_->guard};
        auto const generation = shared_->generation();
        auto const [position, first] = shared_->generations.try_emplace(std::string{conversation}, generation);
        if (!first && shared_->forget(*position, generation)) return gone;
        if (shared_->pending_bytes > most_pending)
            if (auto const problem = write_pending()) return problem;
        shared_->pending.push_back({std::string{conversation}, entry, std::string{content}});
        if (entry.time == 0) shared_->pending.back().entry.time = detail::calendar_seconds();
        shared_->pending_bytes += content.size();
        return {};
    }

    /// All appended entries are durable once it returns no error; one sync for all conversations. Entries that could
    /// not be written are tried again by the next flush. Where the file was moved or removed, each conversation that
    /// has appended to it is told so once.
    store_error flush(std::string_view conversation) const {
        std::lock_guard const lock{shared_->guard};
        auto const position = shared_->generations.find(conversation);
        if (position != shared_->generations.end() && shared_->forget(*position, shared_->generation())) return gone;
        return write_pending();
    }

    /// Calls f(entry, content) for each entry appended before; f may append. Leaves out content that does not match its
    /// name; `damage` tells of it.
    store_error read(std::string_view conversation, detail::entry_sink f) const {
        return each_hit(conversation, [&](journal_hit const& hit) {
            if (is_intact(hit)) f(hit.entry, std::string_view{hit.content});
        });
    }

    /// Calls f(journal_hit const&) for each entry that `read` leaves out, in order, with the content as it is now.
    store_error damage(std::string_view conversation, detail::hit_sink f) const {
        return each_hit(conversation, [&](journal_hit const& hit) {
            if (!is_intact(hit)) f(hit);
        });
    }

    /// Calls f(journal_hit const&) for the entries that hold all of these words, the best by BM25 first, then those
    /// that hold some; `most` at most, of one conversation or of all. Words are taken as they are: no operators, no
    /// case, no accents; what stands between white space has to follow each other, as in "src/main.cpp". The first 32
    /// words count.
    store_error search(std::string_view words, std::optional<std::string_view> conversation, std::size_t most,
                       detail::hit_sink f) const {
        if (auto const problem = write_appended()) return problem;
        std::vector<std::uint64_t> ids;
        std::vector<journal_hit> hits;
        auto const problem = shared_->database.use(false, [&](::sqlite3* database) {
            for (std::string_view const between : {" ", " OR "}) {
                auto const query = quoted(words, between);
                detail::sqlite::statement select{
                    database,
                    "SELECT entry.id, number, made, entry.name, entry.content, time, conversation.name FROM "
                    "entry_words JOIN entry ON entry.id = entry_words.rowid JOIN conversation ON conversation.id = "
                    "entry.conversation WHERE entry_words MATCH ? AND (? OR conversation.name = ?) ORDER BY rank "
                    "LIMIT ?"};
                select.bind_text(query).bind(conversation ? 0u : 1u).bind(conversation.value_or("")).bind(most);
                while (!query.empty() && hits.size() < most && select.step()) {
                    auto const id = select.number(0);
                    if (std::find(ids.begin(), ids.end(), id) != ids.end()) continue;
                    ids.push_back(id);
                    hits.push_back(hit_of(select));
                    hits.back().conversation = select.bytes(6);
                }
                if (select.status() != SQLITE_OK || hits.size() >= most) return select.status();
            }
            return SQLITE_OK;
        });
        for (auto const& hit : hits)
            if (is_intact(hit)) f(hit);
        return problem;
    }

    /// Calls f(journal_conversation const&) for each conversation, the one with the latest entry first.
    store_error each_conversation(detail::conversation_sink f) const {
        if (auto const problem = write_appended()) return problem;
        std::vector<journal_conversation> all;
        auto const problem = shared_->database.use(false, [&](::sqlite3* database) {
            detail::sqlite::statement select{
                database,
                "SELECT conversation.name, count(*), max(time), max(entry.id) AS latest FROM entry JOIN conversation "
                "ON conversation.id = entry.conversation GROUP BY entry.conversation ORDER BY latest DESC"};
            while (select.step()) all.push_back({std::string{select.bytes(0)}, select.number(1), select.number(2)});
            return select.status();
        });
        for (auto const& each : all) f(each);
        return problem;
    }

private:
    static constexpr detail::sqlite::schema schema{
        0x636E6A31,  // "cnj1"
        "CREATE TABLE conversation (id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE);"
        "CREATE TABLE entry (id INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, number INTEGER NOT NULL,"
        " made INTEGER NOT NULL, name BLOB NOT NULL, content BLOB NOT NULL, time INTEGER NOT NULL);"
        "CREATE INDEX entry_by_conversation ON entry (conversation, id);"
        "CREATE VIRTUAL TABLE entry_words USING fts5 (words, content = '', tokenize = 'unicode61')"};

    struct state {
        state(std::string path, sqlite_options options) : database{std::move(path), schema, options} {}

        /// See `database::generation`. A child of the process leaves what is pending to its parent.
        std::uint64_t generation() {
            if (std::exchange(owner, ::getpid()) != ::getpid()) {
                pending.clear();
                pending_bytes = 0;
            }
            return database.generation();
        }
        /// True once if the conversation's entries were of an earlier generation: it appends all of them anew.
        bool forget(std::pair<std::string const, std::uint64_t>& known, std::uint64_t generation) {
            if (std::exchange(known.second, generation) == generation) return false;
            std::erase_if(pending, [&](journal_hit const& each) { return each.conversation == known.first; });
            return true;
        }

        detail::sqlite::database database;
        std::mutex guard;  ///< of what follows; taken before the database's own
        std::vector<journal_hit> pending;
        std::size_t pending_bytes = 0;
        std::map<std::string, std::uint64_t, std::less<>> generations;  ///< of conversations that have appended
        ::pid_t owner = ::getpid();
    };
    static constexpr store_error gone{"the database was moved or removed", true};

    /// All entries of a conversation, damaged or not.
    store_error each_hit(std::string_view conversation, detail::hit_sink f) const {
        if (auto const problem = write_appended()) return problem;
        std::uint64_t last = 0;
        std::uint64_t end = 0;
        auto problem = shared_->database.use(false, [&](::sqlite3* database) {
            detail::sqlite::statement select{database, "SELECT coalesce(max(id), 0) FROM entry"};
            if (select.step()) end = select.number(0);
            return select.status();
        });
        while (!problem && last < end) {
            std::vector<journal_hit> some;  // so that f is called without the lock
            problem = shared_->database.use(false, [&](::sqlite3* database) {
                detail::sqlite::statement select{
                    database,
                    "SELECT entry.id, number, made, entry.name, content, time FROM entry JOIN conversation "
                    "ON conversation.id = entry.conversation WHERE conversation.name = ? AND entry.id > ? AND "
                    "entry.id <= ? ORDER BY entry.id"};
                select.bind(conversation).bind(last).bind(end);
                last = end;
                for (std::size_t size = 0; size < most_pending && select.step();
                     size += some.back().content.size() + sizeof(journal_hit)) {
                    some.push_back(hit_of(select));
                    last = select.number(0);
                }
                if (some.empty()) last = end;
                return select.status();
            });
            for (auto& hit : some) {
                hit.conversation = conversation;
                f(hit);
            }
        }
        return problem;
    }

    /// Columns: id, number, made, name, content, time.
    static journal_hit hit_of(detail::sqlite::statement& row) {
        return {{}, {row.name(3), row.number(1), row.number(2) != 0, row.number(5)}, std::string{row.bytes(4)}};
    }
    bool is_intact(journal_hit const& hit) const { return hit.entry.is_derived || hit.entry.name == name(hit.content); }

    /// Words as a query of FTS5: each a phrase, with `between` between them.
    static std::string quoted(std::string_view words, std::string_view between) {
        constexpr std::size_t most_words = 32;  // the cost grows with their square
        std::string query;
        for (std::size_t at = 0, count = 0; at < words.size() && count < most_words;) {
            auto const end = (std::min)(words.find_first_of(" \t\r\n", at), words.size());
            if (end != at) {
                ++count;
                if (!query.empty()) query += between;
                query += '"';
                for (char const byte : words.substr(at, end - at)) {
                    if (byte == '\0') continue;
                    query += byte;
                    if (byte == '"') query += byte;
                }
                query += '"';
            }
            at = end + 1;
        }
        return query;
    }

    /// For readers, who are not told that entries are gone: their sessions are.
    store_error write_appended() const {
        std::lock_guard const lock{shared_->guard};
        static_cast<void>(shared_->generation());
        return write_pending();
    }

    /// Writes what is pending in one transaction. To be called under the lock.
    store_error write_pending() const {
        if (shared_->pending.empty()) return {};
        auto const problem = shared_->database.change(true, [&](::sqlite3* database) {
            for (auto const& each : shared_->pending)
                if (auto const code = insert(database, each); code != SQLITE_OK) return code;
            return SQLITE_OK;
        });
        if (problem) return problem;
        shared_->pending.clear();
        shared_->pending_bytes = 0;
        return {};
    }

    /// What is indexed: JSON without escapes, as the letter of one would be taken for that of a word.
    static std::string plain_words(std::string_view content) {
        bool const escaped = content.find('\\') != std::string_view::npos && detail::json::valid(content);
        return escaped ? detail::json::string_value(content) : std::string{content};
    }

    static int insert(::sqlite3* database, journal_hit const& each) {
        using detail::sqlite::statement;
        statement known{database, "INSERT OR IGNORE INTO conversation (name) VALUES (?)"};
        known.bind(std::string_view{each.conversation}).step();
        if (known.status() != SQLITE_OK) return known.status();
        statement entry{database,
                        "INSERT INTO entry (conversation, number, made, name, content, time) SELECT id, ?, ?, ?, ?, ? "
                        "FROM conversation WHERE name = ?"};
        entry.bind(each.entry.number).bind(each.entry.is_derived ? 1u : 0u).bind(each.entry.name);
        entry.bind(std::string_view{each.content}).bind(each.entry.time);
        entry.bind(std::string_view{each.conversation}).step();
        if (entry.status() != SQLITE_OK || each.content.empty()) return entry.status();
        statement words{database, "INSERT INTO entry_words (rowid, words) VALUES (last_insert_rowid(), ?)"};
        auto const text = plain_words(each.content);
        words.bind_text(text).step();
        return words.status();
    }

    std::shared_ptr<state> shared_;
    Hash hash_;
};

using sqlite_journal = basic_sqlite_journal<>;

}  // namespace v1
}  // namespace condense
