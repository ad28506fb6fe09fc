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

// One conversation's file in a folder: lines are added whole, by one writer at a time.

namespace condense {
inline namespace v1 {
namespace detail {

/// Keeps other processes away from a file, and other openings of it in this one.
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

/// Any thread may use it, one at a time. Opened when first used, and again when its name is not that of the file
/// which is held: it was moved or removed, maybe with another in its place.
class journal_file {
public:
    explicit journal_file(std::string name) : name_{std::move(name)} {}

    /// Adds a line with its break, or nothing. What is torn at the file's end is set aside on a line of
    /// its own; what a write left that failed is taken away.
    store_error append(posix::folder& in, std::string line) {
        std::lock_guard const one{guard_};
        if (lost_) return lost_;
        if (auto gone = drop_moved()) return gone;
        if (auto const error = open(in, O_CREAT)) return {posix::fault("open", error)};
        file_lock const alone{held_};
        if (alone.error() != 0) return {posix::fault("flock", alone.error())};
        auto const size = posix::about(held_).st_size;
        std::string last(size > 0 ? 1 : 0, '\n');
        auto const read = posix::read_at(held_, last, static_cast<std::size_t>(size) - last.size());
        if (read.error != 0) return {posix::fault("read", read.error)};
        if (!last.empty() && last != "\n") line.insert(0, "\n");
        dirty_ = wrote_ = true;
        auto const error = posix::write_all(held_, line);
        if (error == 0) return {};
        static_cast<void>(posix::error_of([&] { return ::ftruncate(held_.number(), size); }));
        return {posix::fault("write", error)};
    }

    /// Waits until the medium holds what was appended, by whomever, and once also the file's entry in
    /// the folder. When that fails nothing more is appended through this object.
    store_error flush(posix::folder& in) {
        std::lock_guard const one{guard_};
        if (lost_) return lost_;
        if (dirty_)
            if (auto gone = drop_moved()) return gone;
        if (auto const error = open(in, 0))
            return error == ENOENT ? store_error{} : store_error{posix::fault("open", error)};
        return settle();
    }

    /// Gives the descriptor back, and says whether the object can be forgotten. What was appended is on
    /// the medium first: an opening that is new may not hear of what failed before it.
    bool close() {
        std::lock_guard const one{guard_};
        if (held_ && dirty_ && !lost_) static_cast<void>(settle());
        held_ = {};
        wrote_ = false;
        return !lost_;
    }

private:
    /// An error, once, where lines went with the file: who appended them has to learn that they are not there.
    store_error drop_moved() {
        if (!held_ || posix::is_named(held_, *folder_, name_)) return {};
        held_ = {};
        dirty_ = false;
        return std::exchange(wrote_, false) ? store_error{{"the journal's file was moved or removed"}, true}
                                            : store_error{};
    }

    int open(posix::folder& in, int flags) {
        if (held_) return 0;
        auto folder = in.use(flags != 0);
        if (folder.error != 0) return folder.error;
        auto found = posix::open_file(*folder.at, name_, O_RDWR | O_APPEND | flags);
        held_ = std::move(found.file);
        folder_ = std::move(folder.at);
        entry_kept_ = false;
        return found.error;
    }

    store_error settle() {
        auto error = posix::sync(held_);
        if (error == 0 && !entry_kept_) error = posix::sync(*folder_);
        if (error != 0) lost_ = {posix::fault("fsync", error)};
        entry_kept_ = error == 0;
        dirty_ = false;
        return lost_;
    }

    std::mutex guard_;
    std::string name_;
    posix::descriptor held_;
    std::shared_ptr<posix::descriptor const> folder_;
    bool entry_kept_ = false;  ///< the folder's entry is on the medium
    bool dirty_ = false;       ///< lines may not be
    bool wrote_ = false;       ///< lines were appended to what is held
    store_error lost_ = {};    ///< a failed fsync is final
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
