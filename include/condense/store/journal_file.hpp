// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <condense/core/store.hpp>
#include <condense/detail/posix_file.hpp>

// One conversation's journal in a folder, a file and its successors: lines are appended as a whole, by one writer at a
// time, to the newest file.

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

/// The name of a journal's file: `name` for the first, number 0, then with the number before its extension.
inline std::string journal_file_name(std::string name, std::uint64_t number) {
    if (number != 0) name.insert((std::min)(name.rfind('.'), name.size()), "." + std::to_string(number));
    return name;
}

/// Whether a name exists: 0, ENOENT, or another errno if that is unknown.
inline int find_name(posix::descriptor const& folder, std::string const& name) noexcept {
    struct stat status = {};
    return posix::error_of([&] { return ::fstatat(folder.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW); });
}

/// Appends the numbers of a journal's files, ascending; of the oldest, 64 may have been removed. Returns an errno or 0.
inline int find_journal_files(posix::descriptor const& folder, std::string const& name,
                              std::vector<std::uint64_t>& numbers) {
    for (std::uint64_t number = 0;; ++number) {
        auto const error = find_name(folder, journal_file_name(name, number));
        if (error == 0) numbers.push_back(number);
        else if (error != ENOENT) return error;
        else if (!numbers.empty() || number == 64) return 0;
    }
}

/// Thread-safe. Opened on first use, and again if the name no longer leads to the open file, which was then moved or
/// removed, maybe with another file in its place. A file of `most_bytes` gets no more lines: under its lock it is
/// synced and the next one created. So each writer finds, under the lock of the file that it has, whether that is still
/// the newest, lines stand in the order in which they were appended, and all files but the newest are on the medium.
class journal_file {
public:
    explicit journal_file(std::string name, std::uint64_t most_bytes = std::uint64_t{64} << 20)
        : name_{std::move(name)}, most_bytes_{most_bytes} {}

    /// Appends a line with its break, or nothing. A torn line at the file's end is left as a line of its own; the
    /// remains of a failed write are truncated.
    store_error append(posix::folder& in, std::string line) {
        std::lock_guard const lock{guard_};
        if (sync_error_) return sync_error_;
        if (auto error = close_if_moved()) return error;
        if (auto const error = open(in, O_CREAT)) return {posix::fault("open", error)};
        for (;;) {
            {
                file_lock const process_lock{file_};
                if (process_lock.error() != 0) return {posix::fault("flock", process_lock.error())};
                if (!has_next()) {
                    auto const size = posix::about(file_).st_size;
                    if (size == 0 || static_cast<std::uint64_t>(size) < most_bytes_) return write(line, size);
                    if (auto const problem = sync_all()) return problem;
                    auto const next = open_file(*folder_, number_ + 1, O_CREAT);
                    if (next.error != 0) return {posix::fault("open", next.error)};
                }
            }
            if (auto const problem = go_on()) return problem;
        }
    }

    /// Waits until the medium holds all appended lines, whoever wrote them, and the files' entries in the folder. After
    /// a failure nothing more is appended through this object.
    store_error flush(posix::folder& in) {
        std::lock_guard const lock{guard_};
        if (sync_error_) return sync_error_;
        if (dirty_)
            if (auto error = close_if_moved()) return error;
        if (auto const error = open(in, 0))
            return error == ENOENT ? store_error{} : store_error{posix::fault("open", error)};
        while (has_next())
            if (auto const problem = go_on()) return problem;
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
        if (!file_ || posix::is_named(file_, *folder_, journal_file_name(name_, number_))) return {};
        file_ = {};
        dirty_ = false;
        return std::exchange(appended_, false) ? store_error{{"the journal's file was moved or removed"}, true}
                                               : store_error{};
    }

    /// Opens the newest file unless one is open; returns errno or 0. Creates folder and file if `flags` has O_CREAT.
    int open(posix::folder& in, int flags) {
        if (file_) return 0;
        auto folder = in.use(flags != 0);
        if (folder.error != 0) return folder.error;
        std::vector<std::uint64_t> numbers;
        if (auto const error = find_journal_files(*folder.directory, name_, numbers)) return error;
        number_ = numbers.empty() ? 0 : numbers.back();
        auto opened = open_file(*folder.directory, number_, flags);
        file_ = std::move(opened.file);
        folder_ = std::move(folder.directory);
        entry_synced_ = false;
        return opened.error;
    }
    /// A file that has another name is not appended to, as that may be a file of somebody else.
    posix::opened open_file(posix::descriptor const& folder, std::uint64_t number, int flags) const {
        auto result = posix::open_file(folder, journal_file_name(name_, number), O_RDWR | O_APPEND | flags);
        return result.file && posix::about(result.file).st_nlink > 1 ? posix::refused(posix::file_has_links)
                                                                     : std::move(result);
    }

    bool has_next() const { return find_name(*folder_, journal_file_name(name_, number_ + 1)) != ENOENT; }

    /// Leaves a file for the next one. Syncs its own lines first, so that no failure to write them goes unseen.
    store_error go_on() {
        if (dirty_)
            if (auto const problem = sync_all()) return problem;
        auto next = open_file(*folder_, number_ + 1, 0);
        if (next.error != 0) return {posix::fault("open", next.error)};
        file_ = std::move(next.file);
        ++number_;
        entry_synced_ = appended_ = false;
        return {};
    }

    /// Appends to the open file, which has that size.
    store_error write(std::string& line, off_t size) {
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
    std::string name_;  ///< of the first file
    std::uint64_t most_bytes_;
    std::uint64_t number_ = 0;  ///< of the open file
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
