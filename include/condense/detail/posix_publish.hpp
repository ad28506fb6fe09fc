// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#if __has_include(<sys/random.h>)
#include <sys/random.h>
#endif

#include <condense/detail/callable_ref.hpp>
#include <condense/detail/posix_file.hpp>

// Files that appear complete or not at all, and replace another file only on request.

namespace condense {
inline namespace v1 {
namespace detail::posix {

/// Temporary files are named ".condense-<32 hexadecimal digits>.tmp", as other programs name none.
inline constexpr std::string_view temporary_begin = ".condense-";
inline constexpr std::string_view temporary_end = ".tmp";

/// Sets a name with 32 unpredictable digits, so that nobody can plant a file of that name. Returns an errno.
inline int make_temporary_name(std::string& name) {
    std::array<unsigned char, 16> random;
    if (::getentropy(random.data(), random.size()) != 0) return errno;
    name = temporary_begin;
    for (unsigned const byte : random)
        for (auto const half : {byte >> 4, byte & 15u}) name.push_back("0123456789abcdef"[half]);
    name.append(temporary_end);
    return 0;
}

/// True for names of the library's temporary files, the only ones that it removes.
inline bool is_temporary_name(std::string_view name) noexcept {
    if (!name.starts_with(temporary_begin) || !name.ends_with(temporary_end)) return false;
    name.remove_prefix(temporary_begin.size());
    return name.find_first_not_of("0123456789abcdef") == 32 && name.size() == 32 + temporary_end.size();
}

/// A new file, readable by its owner alone and locked while it is written, so that clear_away spares it. The destructor
/// removes it unless it was published.
class temporary {
public:
    explicit temporary(descriptor const& folder) : folder_{&folder} {
        // Another process may clear the file away before it is locked, not after that: then a new one is made.
        for (int tries = 100; tries > 0; --tries) {
            error_ = make_temporary_name(name_);
            if (error_ != 0) return;
            auto created = open_file(folder, name_, O_WRONLY | O_CREAT | O_EXCL);
            error_ = created.error;
            file_ = std::move(created.file);
            if (error_ != 0) return;
            // Where a file system has no locks, clear_away gets none either, and removes nothing.
            static_cast<void>(error_of([&] { return ::flock(file_.number(), LOCK_EX); }));
            if (is_named(file_, folder, name_)) return;
        }
        error_ = ENOENT;
    }
    temporary(temporary const&) = delete;
    temporary& operator=(temporary const&) = delete;
    ~temporary() {
        if (file_ && !published_) remove_file(*folder_, name_);
    }

    /// The errno of creating the file.
    int error() const noexcept { return error_; }
    descriptor const& file() const noexcept { return file_; }

    /// Publishes the file under a name; EEXIST if the name exists. Renames without replacement, or, where the file
    /// system cannot, links and unlinks.
    int publish(std::string const& name) noexcept {
        auto const directory = folder_->number();
#if defined(RENAME_NOREPLACE)
        auto const error =
            error_of([&] { return ::renameat2(directory, name_.c_str(), directory, name.c_str(), RENAME_NOREPLACE); });
        published_ = error == 0;
        if (error != EINVAL && error != ENOSYS) return error;  // else the file system cannot do it
#endif
        return error_of([&] { return ::linkat(directory, name_.c_str(), directory, name.c_str(), 0); });
    }

    /// Publishes the file under a name, replacing a file of that name.
    int replace(std::string const& name) noexcept {
        auto const directory = folder_->number();
        auto const error = error_of([&] { return ::renameat(directory, name_.c_str(), directory, name.c_str()); });
        published_ = error == 0;
        return error;
    }

private:
    descriptor const* folder_;
    std::string name_;
    int error_ = 0;
    descriptor file_;
    bool published_ = false;
};

/// Calls f(name) for each entry of the folder; returns an errno if it cannot be listed. Opens the folder again, because
/// a listing moves the position of its descriptor, which threads share.
inline int each_file(descriptor const& folder, callable_ref<void(std::string_view)> f) {
    opened reopened{uninterrupted([&] { return ::openat(folder.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); })};
    if (reopened.error != 0) return reopened.error;
    std::unique_ptr<DIR, int (*)(DIR*)> const listing{::fdopendir(reopened.file.number()),
                                                      [](DIR* stream) { return ::closedir(stream); }};
    if (!listing) return errno;
    reopened.file.release();
    for (errno = 0; auto const* const entry = ::readdir(listing.get()); errno = 0) f(std::string_view{entry->d_name});
    return errno;
}

/// Removes the temporary files of writers that were killed: files that no process has locked. Errors are ignored, since
/// the next call tries again. Costs a listing of the folder.
inline void clear_away(descriptor const& folder) {
    each_file(folder, [&](std::string_view entry) {
        if (!is_temporary_name(entry)) return;
        std::string const name{entry};
        auto const opened = open_file(folder, name, O_RDWR);
        if (opened.error == 0 && error_of([&] { return ::flock(opened.file.number(), LOCK_EX | LOCK_NB); }) == 0)
            remove_file(folder, name);
    });
}

/// The call that failed, and its errno; 0 for success.
struct failure {
    std::string_view call;
    int error = 0;
};

/// Writes the content under that name, durable except for the folder's entry. Errors: EEXIST if the name exists, ENOENT
/// if somebody removed the folder or the temporary file. No error leaves a file behind.
inline failure publish(descriptor const& folder, std::string const& name, std::string_view content) {
    temporary created{folder};
    if (created.error() != 0) return {"create", created.error()};
    if (auto const error = write_all(created.file(), content)) return {"write", error};
    if (auto const error = sync(created.file())) return {"fsync", error};
    return {"rename", created.publish(name)};
}

/// A path as folder and name of a file.
struct file_path {
    std::string folder;
    std::string name;

    explicit file_path(std::string_view path) {
        auto const begin = path.find_last_of('/') + 1;  // npos + 1 is 0
        folder = begin == 0 ? "." : std::string{path.substr(0, begin)};
        name = path.substr(begin);
    }
    /// False for a name that is no name of a file in a folder.
    bool is_valid() const noexcept {
        return !name.empty() && name != "." && name != ".." && name.find('\0') == name.npos;
    }
};

/// Replaces the file or leaves it unchanged: writes a temporary file, syncs it, renames it. Readable by its owner
/// alone; creates missing folders. A link of that name, also a hard one, is replaced, not followed.
inline failure replace_file(std::string_view path, std::string_view content, folder_rule rule = folder_rule::any) {
    file_path const location{path};
    if (!location.is_valid()) return {"open", EINVAL};
    for (int tries = 8;; --tries) {
        auto const folder = open_folder(location.folder, true, rule);
        if (folder.error != 0) return {"open folder", folder.error};
        temporary created{folder.file};
        if (created.error() != 0) return {"create", created.error()};
        if (auto const error = write_all(created.file(), content)) return {"write", error};
        if (auto const error = sync(created.file())) return {"fsync", error};
        auto const error = created.replace(location.name);
        if (error == ENOENT && tries > 1) continue;  // somebody removed the folder or the file
        if (error != 0) return {"rename", error};
        // The new name is durable only with its folder; the old file is gone already.
        return {"fsync", sync(folder.file)};
    }
}

/// What a file holds, when it was changed, and why it could not be read.
struct file_content {
    std::string text = {};
    std::int64_t changed = 0;  ///< seconds since 1970 (UTC)
    failure problem = {};
};

/// Reads a regular file; follows no link. EFBIG, before anything is read, if it has more bytes than `most`. Removes
/// temporary files that killed processes left beside it.
inline file_content read_file(std::string_view path, std::uint64_t most, folder_rule rule = folder_rule::any) {
    file_content result;
    auto const failed = [&result](std::string_view call, int error) {
        result.problem = {call, error};
        return std::move(result);
    };
    file_path const location{path};
    if (!location.is_valid()) return failed("open", EINVAL);
    auto const folder = open_folder(location.folder, false, rule);
    if (folder.error != 0) return failed("open folder", folder.error);
    clear_away(folder.file);
    auto const file = open_file(folder.file, location.name, O_RDONLY);
    if (file.error != 0) return failed("open", file.error);
    auto const status = about(file.file);
    if (status.st_size < 0 || static_cast<std::uint64_t>(status.st_size) > most) return failed("read", EFBIG);
    result.changed = status.st_mtime;
    result.text.resize(static_cast<std::size_t>(status.st_size));
    auto const read = read_at(file.file, result.text, 0);
    result.text.resize(read.bytes.size());
    return read.error == 0 ? std::move(result) : failed("read", read.error);
}

}  // namespace detail::posix
}  // namespace v1
}  // namespace condense
