// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <condense/core/store.hpp>
#include <condense/detail/posix_file.hpp>

// One conversation's journal file in a folder: lines are appended as a whole, by one writer at a time.

namespace condense {
inline namespace v1 {
namespace detail {

/// An exclusive lock on a file against other processes, and against other descriptors in this one, while the object
/// lives. Waits for it. The kernel releases the lock of a process that dies.
class file_lock {
public:
    explicit file_lock(posix::descriptor const& file) noexcept
        : number_{file.number()}, error_{posix::error_of([&] { return ::flock(number_, LOCK_EX); })} {}
    file_lock(file_lock const&) = delete;
    file_lock& operator=(file_lock const&) = delete;
    ~file_lock() {
        if (error_ == 0) ::flock(number_, LOCK_UN);
    }
    int error() const noexcept { return error_; }

private:
    int number_;
    int error_;
};

/// Thread-safe. Opened on first use, and again if the name no longer leads to the open file, which was then moved or
/// removed, maybe with another file in its place.
class journal_file {
public:
    explicit journal_file(std::string name) : name_{std::move(name)} {}

    /// Appends a line with its break, or nothing. A torn line at the file's end is left as a line of its own; the
    /// remains of a failed write are truncated.
    store_error append(posix::folder& in, std::string line) {
        std::lock_guard const lock{guard_};
        if (sync_error_) return sync_error_;
        if (auto error = close_if_moved()) return error;
        if (auto const error = open(in, O_CREAT)) return {posix::fault("open", error)};
        file_lock const process_lock{file_};
        if (process_lock.error() != 0) return {posix::fault("flock", process_lock.error())};
        auto const size = posix::about(file_).st_size;
        std::string last(size > 0 ? 1 : 0, '\n');
        auto const read = posix::read_at(file_, last, static_cast<std::size_t>(size) - last.size());
        if (read.error != 0) return {posix::fault("read", read.error)};
        if (!last.empty() && last != "\n") line.insert(0, "\n");  // ends the torn line of a writer that was killed
        dirty_ = appended_ = true;
        auto const error = posix::write_all(file_, line);
        if (error == 0) return {};
        static_cast<void>(posix::error_of([&] { return ::ftruncate(file_.number(), size); }));
        return {posix::fault("write", error)};
    }

    /// Waits until the medium holds all appended lines, whoever wrote them, and the file's entry in the folder. After a
    /// failure nothing more is appended through this object.
    store_error flush(posix::folder& in) {
        std::lock_guard const lock{guard_};
        if (sync_error_) return sync_error_;
        if (dirty_)
            if (auto error = close_if_moved()) return error;
        if (auto const error = open(in, 0))
            return error == ENOENT ? store_error{} : store_error{posix::fault("open", error)};
        return sync_all();
    }

    /// Closes the descriptor; true if the object can be destroyed. Syncs first, because a descriptor opened later may
    /// not be told of an earlier failure.
    bool close() {
        std::lock_guard const lock{guard_};
        if (file_ && dirty_ && !sync_error_) static_cast<void>(sync_all());
        file_ = {};
        appended_ = false;
        return !sync_error_;
    }

private:
    /// Closes a file that was moved. An error, once, if lines were appended to it, because they are no longer where
    /// readers look.
    store_error close_if_moved() {
        if (!file_ || posix::is_named(file_, *folder_, name_)) return {};
        file_ = {};
        dirty_ = false;
        return std::exchange(appended_, false) ? store_error{{"the journal's file was moved or removed"}, true}
                                               : store_error{};
    }

    /// Opens the file unless it is open; returns errno or 0. Creates folder and file if `flags` has O_CREAT.
    int open(posix::folder& in, int flags) {
        if (file_) return 0;
        auto folder = in.use(flags != 0);
        if (folder.error != 0) return folder.error;
        auto opened = posix::open_file(*folder.directory, name_, O_RDWR | O_APPEND | flags);
        file_ = std::move(opened.file);
        folder_ = std::move(folder.directory);
        entry_synced_ = false;
        return opened.error;
    }

    /// Syncs the lines, and the folder's entry once after the file was opened: a new file is lost without it.
    store_error sync_all() {
        auto error = posix::sync(file_);
        if (error == 0 && !entry_synced_) error = posix::sync(*folder_);
        if (error != 0) sync_error_ = {posix::fault("fsync", error)};
        entry_synced_ = error == 0;
        dirty_ = false;
        return sync_error_;
    }

    std::mutex guard_;
    std::string name_;
    posix::descriptor file_;
    std::shared_ptr<posix::descriptor const> folder_;
    bool entry_synced_ = false;  ///< the folder's entry is on the medium
    bool dirty_ = false;  ///< some lines may not be
    bool appended_ = false;  ///< lines were appended to the open file
    store_error sync_error_ = {};  ///< a failed fsync is final
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
