// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include <condense/core/store.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/posix_file.hpp>
#include <condense/detail/scope_exit.hpp>

// One SQLite database that threads and processes share: opened on first use, in WAL mode, and synced at each commit.

namespace condense {
inline namespace v1 {

/// Where the file of a database may be, and how long others may use it alone.
struct sqlite_options {
    bool allow_open_folder = false;  ///< also in a folder in which everybody may replace the files of others
    std::chrono::milliseconds patience{10'000};  ///< for another process that writes, or has it locked; at most a day
};

namespace detail::sqlite {

/// The text of a result code, with what has to be otherwise: "SQLite: database or disk is full: the disk must have
/// room".
inline store_error fault(int code) noexcept {
    small_text<96> text;
    text += "SQLite: ";
    text += ::sqlite3_errstr(code);
    auto const rule = (code & 0xFF) == SQLITE_FULL       ? posix::rule_of(ENOSPC)
                      : (code & 0xFF) == SQLITE_READONLY ? std::string_view{"file and folder must be writable"}
                                                         : std::string_view{};
    if (!rule.empty()) text += ": ", text += rule;
    return {text};
}

/// A prepared statement. Values are bound, never part of its text. Bound bytes must live as long as it.
class statement {
public:
    statement(::sqlite3* database, std::string_view sql) noexcept {
        status_ = ::sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &handle_, nullptr);
    }
    statement(statement const&) = delete;
    statement& operator=(statement const&) = delete;
    ~statement() { ::sqlite3_finalize(handle_); }

    statement& bind(std::string_view bytes) noexcept {
        // An empty view may have no address, which would bind NULL.
        auto const* const data = bytes.empty() ? "" : bytes.data();
        note(::sqlite3_bind_blob64(handle_, ++bound_, data, bytes.size(), SQLITE_STATIC));
        return *this;
    }
    statement& bind_text(std::string_view text) noexcept {
        note(::sqlite3_bind_text64(handle_, ++bound_, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
        return *this;
    }
    statement& bind(std::uint64_t number) noexcept {
        note(::sqlite3_bind_int64(handle_, ++bound_, static_cast<::sqlite3_int64>(number)));
        return *this;
    }
    statement& bind(reference const& name) noexcept {
        return bind(std::string_view{reinterpret_cast<char const*>(name.digest.data()), name.digest.size()});
    }

    /// True if there is a row.
    bool step() noexcept {
        if (status_ != SQLITE_OK) return false;
        auto const result = ::sqlite3_step(handle_);
        if (result != SQLITE_ROW && result != SQLITE_DONE) status_ = result;
        return result == SQLITE_ROW;
    }
    /// SQLITE_OK, or the first failure.
    int status() const noexcept { return status_; }

    std::string_view bytes(int column) noexcept {
        auto const* const data = static_cast<char const*>(::sqlite3_column_blob(handle_, column));
        auto const size = static_cast<std::size_t>(::sqlite3_column_bytes(handle_, column));
        return data == nullptr ? std::string_view{} : std::string_view{data, size};
    }
    std::uint64_t number(int column) noexcept {
        return static_cast<std::uint64_t>(::sqlite3_column_int64(handle_, column));
    }
    /// Empty for bytes that are none.
    reference name(int column) noexcept {
        reference result;
        auto const blob = bytes(column);
        if (blob.size() == result.digest.size())
            for (std::size_t index = 0; index < blob.size(); ++index)
                result.digest[index] = static_cast<std::uint8_t>(blob[index]);
        return result;
    }

private:
    void note(int result) noexcept {
        if (status_ == SQLITE_OK) status_ = result;
    }

    ::sqlite3_stmt* handle_ = nullptr;
    int status_ = SQLITE_OK;
    int bound_ = 0;
};

/// Runs a statement without rows.
inline int run(::sqlite3* database, std::string_view sql) noexcept {
    statement once{database, sql};
    while (once.step()) {}
    return once.status();
}

/// What is kept in a file, and how a file of another program is told.
struct schema {
    std::int32_t application_id = 0;
    char const* tables = "";  ///< statements that create what is missing
};

/// What the copies of a handle share.
class database {
public:
    /// Opens nothing yet.
    database(std::string path, schema const& what, sqlite_options options)
        : path_{std::move(path)}, schema_{what}, options_{options} {
        auto& others = connections();
        std::lock_guard const lock{others.guard};
        others.all.push_back(this);
    }
    database(database const&) = delete;
    database& operator=(database const&) = delete;
    ~database() {
        auto& others = connections();
        std::lock_guard const lock{others.guard};
        std::erase(others.all, this);
        close();
    }

    /// Calls f(sqlite3*), which returns a result code or a store_error, for one thread at a time. Without `create` a
    /// file that does not exist is no error, and `f` is not called. After a failed fsync every later call fails,
    /// because nobody knows what has reached the medium.
    template <class Function>
    store_error use(bool create, Function&& f) {
        return locked(create, [&](::sqlite3* handle) -> store_error { return checked(f(handle)); });
    }

    /// The same in one transaction, which is durable once no error is returned.
    template <class Function>
    store_error change(bool create, Function&& f) {
        return transaction(create, [&](::sqlite3* handle) -> store_error { return checked(f(handle)); });
    }

    /// How often the file was moved or removed by somebody else while it was open: what was committed before is not at
    /// the path.
    std::uint64_t generation() {
        static_cast<void>(use(false, [](::sqlite3*) { return SQLITE_OK; }));
        std::lock_guard const lock{guard_};
        return generation_;
    }

private:
    using work = callable_ref<store_error(::sqlite3*)>;

    store_error locked(bool create, work f) {
        std::lock_guard const lock{guard_};
        if (sync_error_) return sync_error_;
        auto const problem = open(create);
        if (problem) return problem;
        return handle_ == nullptr ? store_error{} : f(handle_);
    }

    store_error transaction(bool create, work f) {
        return locked(create, [&](::sqlite3* handle) -> store_error {
            if (auto const code = run(handle, "BEGIN IMMEDIATE"); code != SQLITE_OK) return checked(code);
            scope_exit failure{[handle]() noexcept { static_cast<void>(run(handle, "ROLLBACK")); }};
            auto problem = f(handle);
            if (!problem) problem = checked(run(handle, "COMMIT"));
            if (!problem) failure.release();
            return problem;
        });
    }

    store_error checked(store_error const& problem) noexcept { return problem; }
    store_error checked(int code) noexcept {
        if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return {};
        if (code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC) return sync_error_ = fault(code);
        return fault(code);
    }

    void close() noexcept {
        ::sqlite3_close_v2(handle_);
        handle_ = nullptr;
    }

    /// All of this process. The child of a process closes what it has inherited before it opens any: locks are not
    /// inherited, but SQLite would take them as held.
    struct connection_list {
        std::mutex guard;
        std::vector<database*> all;
    };
    static connection_list& connections() {
        static connection_list all;
        return all;
    }

    /// True if the file at the path is the one that was opened.
    bool is_current() const noexcept {
        struct stat status = {};
        return owner_ == ::getpid() && ::stat(path_.c_str(), &status) == 0 && status.st_ino == opened_.st_ino &&
               status.st_dev == opened_.st_dev;
    }

    /// True if the disk could not be written to when the file was opened. It is opened anew until that has changed.
    bool is_read_only() const noexcept { return ::sqlite3_db_readonly(handle_, "main") == 1; }

    store_error open(bool create) {
        bool const current = is_current();
        if (handle_ != nullptr && current && !is_read_only()) return {};
        if (handle_ != nullptr && owner_ == ::getpid() && !current) ++generation_;
        // A descriptor of this process that is closed releases every lock that the process has on the file, those of
        // other connections too: so the file is opened here only if it is new, and one at a time.
        auto& others = connections();
        std::lock_guard const lock{others.guard};
        for (auto* const each : others.all)
            if (each->handle_ != nullptr && each->owner_ != ::getpid()) each->close();
        close();
        auto const begin = path_.find_last_of('/') + 1;
        auto const parent =
            posix::open_folder(begin == 0 ? "." : path_.substr(0, begin), create,
                               posix::rule_unless(options_.allow_open_folder, posix::folder_rule::shared));
        if (parent.error == ENOENT && !create) return {};
        if (parent.error != 0) return {posix::fault("open folder", parent.error)};
        if (begin == path_.size()) return {posix::fault("open", EISDIR)};
        if (create) {
            // Readable by its owner alone; SQLite gives its other files the same mode.
            auto const file = posix::open_file(parent.file, path_.substr(begin), O_RDWR | O_CREAT | O_EXCL);
            if (file.error != 0 && file.error != EEXIST) return {posix::fault("open", file.error)};
        }
        if (::fstatat(parent.file.number(), path_.c_str() + begin, &opened_, AT_SYMLINK_NOFOLLOW) != 0)
            return errno == ENOENT && !create ? store_error{} : store_error{posix::fault("open", errno)};
        if (!S_ISREG(opened_.st_mode)) return {posix::fault("open", S_ISLNK(opened_.st_mode) ? ELOOP : EINVAL)};
        if (opened_.st_nlink > 1) return {posix::fault("open", posix::file_has_links)};
        owner_ = ::getpid();
        scope_exit failure{[this]() noexcept { close(); }};
        auto const code = ::sqlite3_open_v2(
            path_.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
        auto problem = code == SQLITE_OK ? set_up() : checked(code);
        // The entries of the database and of its log: SQLite passes over a failure of its own sync of the folder.
        if (auto const error = problem || is_read_only() ? 0 : posix::sync(parent.file))
            problem = sync_error_ = {posix::fault("fsync", error)};
        if (!problem) failure.release();
        return problem;
    }

    store_error set_up() {
        constexpr std::chrono::milliseconds day{std::chrono::hours{24}};
        auto const patience = std::clamp(options_.patience, std::chrono::milliseconds{0}, day);
        auto const until = std::chrono::steady_clock::now() + patience;
        for (auto const* const sql : {"PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON",
                                      "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "BEGIN IMMEDIATE"})
            if (auto const code = run_until(sql, until); code != SQLITE_OK) return checked(code);
        ::sqlite3_busy_timeout(handle_, static_cast<int>(patience.count()));
        auto problem = check_and_create();
        if (!problem) problem = checked(run(handle_, "COMMIT"));
        return problem;
    }

    /// Switching to WAL does not wait for others that do the same, whatever the timeout.
    int run_until(char const* sql, std::chrono::steady_clock::time_point until) noexcept {
        while (true) {
            auto const left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
            ::sqlite3_busy_timeout(handle_, left.count() > 0 ? static_cast<int>(left.count()) : 0);
            auto const code = run(handle_, sql);
            if ((code & 0xFF) != SQLITE_BUSY || left.count() <= 0) return code;
            ::sqlite3_sleep(10);
        }
    }

    /// The file is new, or one of this kind.
    store_error check_and_create() {
        auto const figure = [&](std::string_view sql) {
            statement question{handle_, sql};
            return question.step() ? static_cast<std::int64_t>(question.number(0)) : std::int64_t{-1};
        };
        auto const id = figure("PRAGMA application_id");
        auto const version = figure("PRAGMA user_version");
        if (id == schema_.application_id && version == format) return {};
        if (id == schema_.application_id && version > format) return {"written by a newer version"};
        if (id != 0 || version != 0 || figure("SELECT count(*) FROM sqlite_master") != 0)
            return {"a database of another program"};
        if (auto const code = ::sqlite3_exec(handle_, schema_.tables, nullptr, nullptr, nullptr); code != SQLITE_OK)
            return checked(code);
        auto const marks = "PRAGMA application_id = " + std::to_string(schema_.application_id) +
                           "; PRAGMA user_version = " + std::to_string(format);
        return checked(::sqlite3_exec(handle_, marks.c_str(), nullptr, nullptr, nullptr));
    }

    static constexpr std::int64_t format = 1;

    std::string path_;
    schema schema_;
    sqlite_options options_;
    std::mutex guard_;
    ::sqlite3* handle_ = nullptr;
    struct stat opened_ = {};
    ::pid_t owner_ = 0;
    std::uint64_t generation_ = 0;
    store_error sync_error_ = {};
};

}  // namespace detail::sqlite
}  // namespace v1
}  // namespace condense
