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

// Files in a directory that stays open, so that renaming it or its parents does no harm. Only allocation throws; calls
// that can fail return an errno, 0 for success. The program chooses the path of the directory, the library the names in
// it.

namespace condense {
inline namespace v1 {
namespace detail::posix {

// strerror_r returns an int or a text, depending on the C library.
inline char const* error_text(int, char const* buffer) noexcept { return buffer; }
inline char const* error_text(char const* text, char const*) noexcept { return text; }

// Codes of refusals by the library itself, in place of an errno, which is never below 0.
inline constexpr int folder_is_link = -1;
inline constexpr int folder_is_open = -2;  ///< others than its owner may write to it
inline constexpr int folder_is_foreign = -3;  ///< it belongs to another user, and not to root
inline constexpr int file_has_links = -4;  ///< it has more than one name

/// The condition that has to change, so that the call succeeds; empty where the system's words say all there is to say.
constexpr std::string_view rule_of(int error) noexcept {
    switch (error) {
        case folder_is_link: return "the folder must be no link, or allow_open_folder be set";
        case folder_is_open: return "the folder must be closed to others (chmod go-w), or allow_open_folder be set";
        case folder_is_foreign: return "the folder must be the user's or root's (chown), or allow_open_folder be set";
        case file_has_links: return "the file must have no other name (hard link): put a copy in its place";
        case ENOSPC: return "the disk must have room";
        case EDQUOT: return "the quota of the user must have room";
        case EROFS: return "the file system must be writable";
        case EFBIG: return "the file must be within the limit of file sizes (ulimit -f)";
        case EMFILE: return "the process must be allowed more open files (ulimit -n)";
        case ENFILE: return "the system must be allowed more open files";
        default: return {};
    }
}

/// The text of a failed call: "open: Is a directory". Never allocates; a long text is cut.
inline small_text<96> words_of(std::string_view call, int error) noexcept {
    char buffer[72] = "unknown error";
    small_text<96> text{call};
    if (error < 0) return text;
    text += ": ";
    text += error_text(::strerror_r(error, buffer, sizeof buffer), buffer);
    return text;
}

/// The error with that condition: "write: No space left on device: the disk must have room".
inline small_text<96> fault(std::string_view call, int error) noexcept {
    auto text = words_of(call, error);
    if (auto const rule = rule_of(error); !rule.empty()) {
        text += ": ";
        text += rule;
    }
    return text;
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
    /// Leaves closing to the caller.
    int release() noexcept { return std::exchange(number_, -1); }
    explicit operator bool() const noexcept { return number_ >= 0; }

private:
    int number_ = -1;
};

/// A descriptor, or an error. Construct it right after the call, while errno is that of the call.
struct opened {
    descriptor file;
    int error = 0;

    explicit opened(int number) noexcept : file{number}, error{number < 0 ? errno : 0} {}
};

/// An error that is not from errno.
inline opened refused(int error) noexcept {
    opened result{-1};
    result.error = error;
    return result;
}

/// The file's status; zeros on failure. `st_nlink` is 0 once the file has no name any more.
inline struct stat about(descriptor const& file) noexcept {
    struct stat status = {};
    if (error_of([&] { return ::fstat(file.number(), &status); }) != 0) status = {};
    return status;
}

/// True if `name` in the folder still leads to the file, or if that is unknown.
inline bool is_named(descriptor const& file, descriptor const& folder, std::string const& name) noexcept {
    struct stat named = {};
    auto const own = about(file);
    if (auto const error =
            error_of([&] { return ::fstatat(folder.number(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW); }))
        return error != ENOENT;
    return own.st_dev == named.st_dev && own.st_ino == named.st_ino;
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

/// The bytes that could be read, in the caller's buffer, and the error that ended reading.
struct bytes_read {
    std::string_view bytes;
    int error = 0;
};

/// Reads from `offset` until `buffer` is full; fewer bytes only at the end of the file or on an error.
inline bytes_read read_at(descriptor const& file, std::string& buffer, std::size_t offset) noexcept {
    std::size_t size = 0;
    while (size < buffer.size()) {
        auto const count = uninterrupted([&] {
            return ::pread(file.number(), buffer.data() + size, buffer.size() - size,
                           static_cast<off_t>(offset + size));
        });
        if (count <= 0) return {{buffer.data(), size}, count < 0 ? errno : 0};
        size += static_cast<std::size_t>(count);
    }
    return {buffer, 0};
}

/// Waits until the file is on the medium. A failure is final: a second call may succeed although the bytes are lost.
inline int sync(descriptor const& file) noexcept {
    return error_of([&] { return ::fsync(file.number()); });
}

/// Opens a regular file; with O_CREAT in `flags` creates it, readable by its owner alone. Follows no link and waits for
/// no pipe: anything but a regular file is an error, ENOENT only if the name does not exist.
inline opened open_file(descriptor const& folder, std::string const& name, int flags) noexcept {
    flags |= O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    opened result{uninterrupted([&] { return ::openat(folder.number(), name.c_str(), flags, 0600); })};
    if (result.file && !S_ISREG(about(result.file).st_mode)) return refused(ENOTSUP);
    return result;
}

/// Removes a name; ENOENT if there is none.
inline int remove_file(descriptor const& folder, std::string const& name) noexcept {
    return error_of([&] { return ::unlinkat(folder.number(), name.c_str(), 0); });
}

/// Opens a directory; with `create` creates missing parts of its path, readable by their owner alone and durable on
/// return. A part that cannot be made durable is removed again.
inline opened open_folder(std::string const& path, bool create) {
    if (path.find('\0') != std::string::npos) return refused(EINVAL);
    constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    opened existing{uninterrupted([&] { return ::open(path.c_str(), flags); })};
    auto const end = path.find_last_not_of('/') + 1;
    if (existing.error != ENOENT || !create || end == 0 || path == ".") return existing;
    auto const begin = path.find_last_of('/', end - 1) + 1;
    auto const parent = open_folder(begin == 0 ? "." : path.substr(0, begin), true);
    if (parent.error != 0) return refused(parent.error);
    auto const name = path.substr(begin, end - begin);
    auto const parent_number = parent.file.number();
    auto const error = error_of([&] { return ::mkdirat(parent_number, name.c_str(), 0700); });
    if (error != 0 && error != EEXIST) return refused(error);
    if (auto const sync_error = sync(parent.file)) {
        if (error == 0) ::unlinkat(parent_number, name.c_str(), AT_REMOVEDIR);
        return refused(sync_error);
    }
    return opened{uninterrupted([&] { return ::openat(parent_number, name.c_str(), flags); })};
}

/// Which existing directories may be used. Only the directory itself counts, not those above it.
enum class folder_rule : unsigned char {
    any,
    /// For a file of ours among others: not one in which everybody may replace the others' files.
    shared,
    /// For many files of ours: no link, of this user or of root, and nobody else may write to it.
    own,
};

/// The rule that an option `allow_open_folder` chooses.
constexpr folder_rule rule_unless(bool allow_open_folder, folder_rule rule) noexcept {
    return allow_open_folder ? folder_rule::any : rule;
}

/// Whether the directory, which was opened by this path, is as the rule wants it: 0, or an error.
inline int check_folder(descriptor const& opened, std::string path, folder_rule rule) {
    if (rule == folder_rule::any) return 0;
    struct stat status = {};
    if (auto const error = error_of([&] { return ::fstat(opened.number(), &status); })) return error;
    if (rule == folder_rule::shared)
        return (status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0 ? folder_is_open : 0;
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    struct stat named = {};
    if (auto const error = error_of([&] { return ::fstatat(AT_FDCWD, path.c_str(), &named, AT_SYMLINK_NOFOLLOW); }))
        return error;
    // Of another file than the open one the path is a link, or has just been changed.
    if (named.st_dev != status.st_dev || named.st_ino != status.st_ino) return folder_is_link;
    if (status.st_uid != ::geteuid() && status.st_uid != 0) return folder_is_foreign;
    return (status.st_mode & (S_IWGRP | S_IWOTH)) != 0 ? folder_is_open : 0;
}

/// As open_folder, for a directory as the rule wants it.
inline opened open_folder(std::string const& path, bool create, folder_rule rule) {
    auto result = open_folder(path, create);
    if (result.error != 0) return result;
    auto const error = check_folder(result.file, path, rule);
    return error == 0 ? std::move(result) : refused(error);
}

/// A directory that is opened on first use, and again after it was removed or could not be opened. A relative path is
/// resolved when it is opened. Thread-safe.
class folder {
public:
    /// Opens nothing yet.
    explicit folder(std::string path, folder_rule rule = folder_rule::own) : path_{std::move(path)}, rule_{rule} {}

    /// The open directory, which stays open as long as somebody holds it, or an error.
    struct place {
        std::shared_ptr<descriptor const> directory;  ///< null on error
        int error = 0;
    };

    /// The directory, opened if it is not open; with `create` created if it does not exist.
    place use(bool create) {
        std::lock_guard const lock{mutex_};
        // A removed directory still has a descriptor, but files in it would be lost.
        if (open_ && about(*open_).st_nlink == 0) open_.reset();
        if (open_) return {open_, 0};
        auto result = open_folder(path_, create, rule_);
        if (result.error == 0) open_ = std::make_shared<descriptor const>(std::move(result.file));
        return {open_, result.error};
    }

private:
    std::mutex mutex_;
    std::string path_;
    folder_rule rule_;
    std::shared_ptr<descriptor const> open_;
};

}  // namespace detail::posix

/// For tools that read files below one directory, and no others.
namespace posix = detail::posix;

}  // namespace v1
}  // namespace condense
