// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sqlite3.h>

#include <condense/core/store.hpp>
#include <condense/detail/calendar.hpp>
#include <condense/store/memory_cache.hpp>
#include <condense/store/sqlite_database.hpp>

// A cache of texts in one SQLite database, which later processes find again:
// cached{.model = my_model, .cache = condense::sqlite_cache{"summaries.db"}}. POSIX.

namespace condense {
inline namespace v1 {

/// A handle: copies share the connection, any thread and any number of processes may use the file, which is created by
/// the first `put`, readable by its owner alone. The first that were put go first; those whose time is over go with the
/// next `put`. Clock: a callable that returns seconds.
template <class Clock = detail::calendar_clock>
class basic_sqlite_cache {
public:
    explicit basic_sqlite_cache(std::string path, cache_limits limits = {}, Clock clock = {},
                                sqlite_options options = {})
        : shared_{std::make_shared<detail::sqlite::database>(std::move(path), schema, options)}, limits_{limits},
          clock_{std::move(clock)} {}

    /// The text; nothing if there is none, if its time is over, or if the database cannot be read.
    std::optional<std::string> get(cache_key const& key) const {
        std::optional<std::string> text;
        static_cast<void>(shared_->use(false, [&](::sqlite3* database) {
            detail::sqlite::statement select{
                database, "SELECT text FROM entry WHERE name = ? AND expiry > ? AND length(text) <= ?"};
            if (select.bind(view(key)).bind(stored(clock_())).bind(most_cached_bytes).step())
                text.emplace(select.bytes(0));
            return select.status();
        }));
        return text;
    }

    /// Costs a commit, and a look at the sizes of all entries. Errors: those of SQLite, longer than most_cached_bytes,
    /// or than all that it may hold.
    store_error put(cache_key const& key, std::string_view text, std::uint64_t seconds) const {
        if (auto const problem = limits_.refuse(text)) return problem;
        auto const now = clock_();
        return shared_->change(true, [&](::sqlite3* database) {
            detail::sqlite::statement insert{database,
                                             "INSERT OR REPLACE INTO entry (name, text, expiry) VALUES (?, ?, ?)"};
            insert.bind(view(key)).bind(text).bind(stored(cache_limits::expiry(now, seconds))).step();
            if (insert.status() != SQLITE_OK) return insert.status();
            detail::sqlite::statement remove{
                database,
                "DELETE FROM entry WHERE expiry <= ? OR id IN (SELECT id FROM (SELECT id, count(*) OVER newest AS "
                "place, sum(length(text)) OVER newest AS size FROM entry WHERE expiry > ? "
                "WINDOW newest AS (ORDER BY id DESC)) WHERE place > ? OR size > ?)"};
            remove.bind(stored(now)).bind(stored(now)).bind(stored(limits_.entries));
            remove.bind(stored(limits_.bytes.count)).step();
            return remove.status();
        });
    }

private:
    static constexpr detail::sqlite::schema schema{
        0x636E6331,  // "cnc1"
        "CREATE TABLE entry (id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, text BLOB NOT NULL,"
        " expiry INTEGER NOT NULL)"};

    static std::string_view view(cache_key const& key) noexcept {
        return {reinterpret_cast<char const*>(key.data()), key.size()};
    }
    /// SQLite's numbers have a sign.
    static constexpr std::uint64_t stored(std::uint64_t number) noexcept {
        return number < detail::u64_limit / 2 ? number : detail::u64_limit / 2;
    }

    std::shared_ptr<detail::sqlite::database> shared_;
    cache_limits limits_;
    Clock clock_;
};

using sqlite_cache = basic_sqlite_cache<>;

}  // namespace v1
}  // namespace condense
