// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <condense/detail/text.hpp>

// Files in a directory that stays open. Only allocation throws; calls that can fail return an errno, 0 for success. The
// program chooses the path of the directory, the library the names in it.

namespace condense {
inline namespace v1 {
namespace detail::posix {

// strerror_r returns an int or a text, depending on the C library.
inline char const* error_text(int, char const* buffer) noexcept { return buffer; }
inline char const* error_text(char const* text, char const*) noexcept { return text; }

/// "write: No space left on device".
inline small_text<96> fault(std::string_view call, int error) noexcept {
    char buffer[72] = "unknown error";
    small_text<96> out{call};
    out += ": ";
    out += error_text(::strerror_r(error, buffer, sizeof buffer), buffer);
    return out;
}

/// Repeats a call as long as signals interrupt it.
template <class Call>
auto uninterrupted(Call call) noexcept {
    auto result = call();
    while (result == -1 && errno == EINTR) result = call();
    return result;
}

/// The errno of a call that returns -1 on failure.
template <class Call>
int error_of(Call call) noexcept {
    return uninterrupted(call) == -1 ? errno : 0;
}

/// A file descriptor, closed by the destructor. Errors of close are ignored, because sync reports them before.
class descriptor {
public:
    descriptor() = default;
    explicit descriptor(int number) noexcept : number_{number} {}
    descriptor(descriptor&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
    descriptor& operator=(descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int number() const noexcept { return number_; }
    int release() noexcept { return std::exchange(number_, -1); }
    explicit operator bool() const noexcept { return number_ >= 0; }

private:
    int number_ = -1;
};

/// A descriptor, or an error.
struct opened {
    descriptor file;
    int error = 0;

    explicit opened(int number) noexcept : file{number}, error{number < 0 ? errno : 0} {}
};

inline opened refused(int error) noexcept {
    opened out{-1};
    out.error = error;
    return out;
}

/// The file's status; zeros on failure. `st_nlink` is 0 once the file has no name any more.
inline struct stat about(descriptor const& file) noexcept {
    struct stat found = {};
    if (error_of([&] { return ::fstat(file.number(), &found); }) != 0) found = {};
    return found;
}

/// True if `name` in the folder still leads to the file, or if that is unknown.
inline bool is_named(descriptor const& file, descriptor const& folder, std::string const& name) noexcept {
    struct stat named = {};
    auto const held = about(file);
    if (auto const error =
            error_of([&] { return ::fstatat(folder.number(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW); }))
        return error != ENOENT;
    return held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/// Writes all bytes; after an error an unknown part is written.
inline int write_all(descriptor const& file, std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        auto const count = uninterrupted([&] { return ::write(file.number(), bytes.data(), bytes.size()); });
        if (count <= 0) return count < 0 ? errno : EIO;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return 0;
}

struct bytes_read {
    std::string_view bytes;
    int error = 0;
};

/// Reads from offset `at` into `room`; fewer bytes only at the end of the file or on an error.
inline bytes_read read_at(descriptor const& file, std::string& room, std::size_t at) noexcept {
    std::size_t done = 0;
    while (done < room.size()) {
        auto const count = uninterrupted([&] {
            return ::pread(file.number(), room.data() + done, room.size() - done, static_cast<off_t>(at + done));
        });
        if (count <= 0) return {{room.data(), done}, count < 0 ? errno : 0};
        done += static_cast<std::size_t>(count);
    }
    return {room, 0};
}

/// Waits until the file is on the medium. A failure is final: a second call may succeed although the bytes are lost.
inline int sync(descriptor const& file) noexcept {
    return error_of([&] { return ::fsync(file.number()); });
}

/// Opens a regular file; with O_CREAT in `flags` creates it, readable by its owner alone. Follows no link and waits for
/// no pipe: anything but a regular file is an error, ENOENT only if the name does not exist.
inline opened open_file(descriptor const& folder, std::string const& name, int flags) noexcept {
    flags |= O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    opened found{uninterrupted([&] { return ::openat(folder.number(), name.c_str(), flags, 0600); })};
    if (found.file && !S_ISREG(about(found.file).st_mode)) return refused(ENOTSUP);
    return found;
}

inline int remove_file(descriptor const& folder, std::string const& name) noexcept {
    return error_of([&] { return ::unlinkat(folder.number(), name.c_str(), 0); });
}

/// Opens a directory; with `make` creates missing parts of its path, readable by their owner alone and durable on
/// return.
inline opened open_folder(std::string const& path, bool make) {
    if (path.find('\0') != std::string::npos) return refused(EINVAL);
    constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    opened found{uninterrupted([&] { return ::open(path.c_str(), flags); })};
    auto const end = path.find_last_not_of('/') + 1;
    if (found.error != ENOENT || !make || end == 0 || path == ".") return found;
    auto const begin = path.find_last_of('/', end - 1) + 1;
    auto const above = open_folder(begin == 0 ? "." : path.substr(0, begin), true);
    if (above.error != 0) return refused(above.error);
    auto const name = path.substr(begin, end - begin);
    auto const at = above.file.number();
    auto const error = error_of([&] { return ::mkdirat(at, name.c_str(), 0700); });
    if (error != 0 && error != EEXIST) return refused(error);
    if (auto const lost = sync(above.file)) {
        if (error == 0) ::unlinkat(at, name.c_str(), AT_REMOVEDIR);
        return refused(lost);
    }
    return opened{uninterrupted([&] { return ::openat(at, name.c_str(), flags); })};
}

/// A directory that is opened on first use, and again after it was removed or could not be opened. A relative path is
/// resolved when it is opened. Thread-safe.
class folder {
public:
    explicit folder(std::string path) : path_{std::move(path)} {}

    struct place {
        std::shared_ptr<descriptor const> at;  ///< null on error
        int error = 0;
    };

    place use(bool make) {
        std::lock_guard const lock{guard_};
        if (held_ && about(*held_).st_nlink == 0) held_.reset();
        if (held_) return {held_, 0};
        auto found = open_folder(path_, make);
        if (found.error == 0) held_ = std::make_shared<descriptor const>(std::move(found.file));
        return {held_, found.error};
    }

private:
    std::mutex guard_;
    std::string path_;
    std::shared_ptr<descriptor const> held_;
};

}  // namespace detail::posix

/// For tools that read files below one directory, and no others.
namespace posix = detail::posix;

}  // namespace v1
}  // namespace condense
