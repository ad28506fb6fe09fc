// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include <condense/core/store.hpp>
#include <condense/store/artifact_source.hpp>
#include <condense/store/content_hash.hpp>
#include <condense/store/sqlite_database.hpp>

// Artifacts in one SQLite database, which survive the process and a power failure:
// offload{.into = condense::sqlite_store{"artifacts.db"}}. POSIX.

namespace condense {
inline namespace v1 {

/// A handle: copies share the connection, any thread and any number of processes may use the file. It is created on
/// first use, readable by its owner alone. Same content, same name; different content never overwrites. Hash: a
/// callable from content and attempt to reference.
template <class Hash = content_hash>
class basic_sqlite_store {
public:
    static constexpr bool durable = true;
    /// The largest artifact, 512 MiB.
    static constexpr std::size_t most_bytes = std::size_t{512} << 20;

    explicit basic_sqlite_store(std::string path, Hash hash = {})
        : basic_sqlite_store{std::move(path), sqlite_options{}, std::move(hash)} {}
    basic_sqlite_store(std::string path, sqlite_options options, Hash hash = {})
        : shared_{std::make_shared<detail::sqlite::database>(std::move(path), schema, options)},
          hash_{std::move(hash)} {}

    /// The name under which this content is or would be stored. Costs a look-up, and a read if it is stored.
    reference name(std::string_view content) const {
        auto name = hash_(content, 0);
        static_cast<void>(shared_->use(false, [&](::sqlite3* database) {
            for (std::uint64_t attempt = 1; attempt < attempts; ++attempt) {
                if (!compare(database, name, content).is_other) break;
                name = hash_(content, attempt);
            }
            return SQLITE_OK;
        }));
        return name;
    }

    /// Durable once it returns no error. Errors: those of SQLite, other content under the name, a name that does not
    /// match the content, too large. After a failed fsync every later `put` fails as well.
    store_error put(reference const& name, std::string_view content) const {
        return put_and(name, content, [](::sqlite3*) { return SQLITE_OK; });
    }

    /// The same, and notes where it comes from.
    store_error put(reference const& name, std::string_view content, artifact_source const& source) const {
        return put_and(name, content, [&](::sqlite3* database) {
            detail::sqlite::statement note{
                database,
                "INSERT OR IGNORE INTO source (artifact, conversation, tool, call, type, time) "
                "SELECT id, ?, ?, ?, ?, ? FROM artifact WHERE name = ?"};
            auto const cut = [](std::string_view text) { return text.substr(0, detail::most_source_bytes); };
            note.bind(source.conversation).bind(cut(source.tool)).bind(cut(source.call)).bind(cut(source.type));
            note.bind(source.time != 0 ? source.time : detail::calendar_seconds()).bind(name).step();
            return note.status();
        });
    }

    /// Where the conversation has the artifact from; nothing if it has not put it.
    std::optional<artifact_source> source(reference const& name, std::string_view conversation) const {
        std::optional<artifact_source> source;
        static_cast<void>(shared_->use(false, [&](::sqlite3* database) {
            detail::sqlite::statement select{
                database,
                "SELECT conversation, tool, call, type, time FROM source WHERE conversation = ? AND "
                "artifact = (SELECT id FROM artifact WHERE name = ?)"};
            if (select.bind(conversation).bind(name).step()) source = source_of(select, 0);
            return select.status();
        }));
        return source;
    }

    /// The content; nothing if the name is unknown, or if the database does not hold what was put.
    std::optional<std::string> get(reference const& name) const {
        std::optional<std::string> content;
        static_cast<void>(shared_->use(false, [&](::sqlite3* database) {
            detail::sqlite::statement select{database, "SELECT content FROM artifact WHERE name = ?"};
            if (select.bind(name).step()) content.emplace(select.bytes(0));
            return select.status();
        }));
        if (content && !is_name(name, *content)) content.reset();
        return content;
    }

    /// Calls f(reference, bytes) for each artifact that was stored when the call began; `f` may use the store.
    store_error each(detail::artifact_sink f) const {
        std::vector<std::pair<reference, bytes>> all;
        auto const problem = shared_->use(false, [&](::sqlite3* database) {
            detail::sqlite::statement select{database, "SELECT name, length(content) FROM artifact"};
            while (select.step()) all.emplace_back(select.name(0), bytes{select.number(1)});
            return select.status();
        });
        for (auto const& [name, size] : all) f(name, size);
        return problem;
    }

    /// Calls f(reference, bytes, artifact_source const&) in the same way, in the order of the first puts.
    store_error each_source(detail::source_sink f) const {
        std::vector<std::tuple<reference, bytes, artifact_source>> all;
        auto const problem = shared_->use(false, [&](::sqlite3* database) {
            detail::sqlite::statement select{database,
                                             "SELECT name, length(content), conversation, tool, call, type, time "
                                             "FROM source JOIN artifact ON artifact.id = source.artifact "
                                             "ORDER BY artifact.id"};
            while (select.step()) all.emplace_back(select.name(0), bytes{select.number(1)}, source_of(select, 2));
            return select.status();
        });
        for (auto const& [name, size, source] : all) f(name, size, source);
        return problem;
    }

    /// The artifact is gone once it returns no error; an unknown name is no error.
    store_error erase(reference const& name) const {
        return shared_->change(false, [&](::sqlite3* database) {
            for (auto const* const sql :
                 {"DELETE FROM source WHERE artifact = (SELECT id FROM artifact WHERE name = ?)",
                  "DELETE FROM artifact WHERE name = ?"}) {
                detail::sqlite::statement remove{database, sql};
                remove.bind(name).step();
                if (remove.status() != SQLITE_OK) return remove.status();
            }
            return SQLITE_OK;
        });
    }

private:
    /// Names tried for one content when others with the same hash are stored; then it is refused.
    static constexpr std::uint64_t attempts = 16;
    static constexpr detail::sqlite::schema schema{
        0x636E6131,  // "cna1"
        "CREATE TABLE artifact (id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, content BLOB NOT NULL);"
        "CREATE TABLE source (artifact INTEGER NOT NULL, conversation BLOB NOT NULL, tool BLOB NOT NULL,"
        " call BLOB NOT NULL, type BLOB NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (artifact, conversation))"
        " WITHOUT ROWID;"
        "CREATE INDEX source_by_conversation ON source (conversation, time)"};

    /// Stores the content, and calls after(sqlite3*) in the same transaction, which returns a result code.
    template <class Function>
    store_error put_and(reference const& name, std::string_view content, Function&& after) const {
        if (content.size() > most_bytes) return {"larger than 512 MiB"};
        if (!is_name(name, content)) return {"content does not match its hash"};
        return shared_->change(true, [&](::sqlite3* database) -> store_error {
            auto problem = insert(database, name, content);
            if (auto const code = problem ? SQLITE_OK : after(database); code != SQLITE_OK)
                problem = detail::sqlite::fault(code);
            return problem;
        });
    }

    static store_error insert(::sqlite3* database, reference const& name, std::string_view content) {
        detail::sqlite::statement statement{database, "INSERT OR IGNORE INTO artifact (name, content) VALUES (?, ?)"};
        statement.bind(name).bind(content).step();
        if (statement.status() != SQLITE_OK) return detail::sqlite::fault(statement.status());
        if (::sqlite3_changes(database) != 0) return {};
        auto const stored = compare(database, name, content);
        if (stored.code != SQLITE_OK) return detail::sqlite::fault(stored.code);
        return stored.is_same ? store_error{} : store_error{"the name holds other content"};
    }

    /// From five columns: conversation, tool, call, type, time.
    static artifact_source source_of(detail::sqlite::statement& row, int first) {
        return {std::string{row.bytes(first)}, std::string{row.bytes(first + 1)}, std::string{row.bytes(first + 2)},
                std::string{row.bytes(first + 3)}, row.number(first + 4)};
    }

    struct comparison {
        bool is_same = false;
        bool is_other = false;  ///< neither, if the name has no content or the look-up failed
        int code = SQLITE_OK;
    };

    static comparison compare(::sqlite3* database, reference const& name, std::string_view content) {
        detail::sqlite::statement select{database, "SELECT content IS ? FROM artifact WHERE name = ?"};
        if (!select.bind(content).bind(name).step()) return {.code = select.status()};
        bool const is_same = select.number(0) != 0;
        return {.is_same = is_same, .is_other = !is_same};
    }

    /// True if `name` is one of the names that this content may have.
    bool is_name(reference const& name, std::string_view content) const {
        for (std::uint64_t attempt = 0; attempt < attempts; ++attempt)
            if (hash_(content, attempt) == name) return true;
        return false;
    }

    std::shared_ptr<detail::sqlite::database> shared_;
    Hash hash_;
};

using sqlite_store = basic_sqlite_store<>;

}  // namespace v1
}  // namespace condense
