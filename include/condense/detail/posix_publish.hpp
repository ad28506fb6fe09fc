// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cerrno>
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

#include <condense/detail/posix_file.hpp>

// Files that appear whole or not at all, and only where it is asked for in the place of another.

namespace condense {
inline namespace v1 {
namespace detail::posix {

inline constexpr std::string_view temporary_end = ".tmp";

/// 32 digits that nobody can foresee, so that nothing is planted at the name.
inline int make_temporary_name(std::string& name) {
    std::array<unsigned char, 16> random;
    if (::getentropy(random.data(), random.size()) != 0) return errno;
    name.clear();
    for (unsigned const byte : random)
        for (auto const half : {byte >> 4, byte & 15u}) name.push_back("0123456789abcdef"[half]);
    name.append(temporary_end);
    return 0;
}

/// Nobody else's file has such a name, so that only the library's are ever removed.
inline bool is_temporary_name(std::string_view name) noexcept {
    return name.size() == 36 && name.ends_with(temporary_end) &&
           name.find_first_not_of("0123456789abcdef") == name.size() - temporary_end.size();
}

/// A new file that only its owner may open, locked while it is written so that clear_away leaves it.
/// Removed at the end unless it was published.
class temporary {
public:
    explicit temporary(descriptor const& folder) : folder_{&folder}, error_{make_temporary_name(name_)} {
        if (error_ != 0) return;
        auto made = open_file(folder, name_, O_WRONLY | O_CREAT | O_EXCL);
        error_ = made.error;
        file_ = std::move(made.file);
        if (error_ == 0) static_cast<void>(error_of([&] { return ::flock(file_.number(), LOCK_EX); }));
    }
    temporary(temporary const&) = delete;
    temporary& operator=(temporary const&) = delete;
    ~temporary() {
        if (file_ && !published_) remove_file(*folder_, name_);
    }

    int error() const noexcept { return error_; }
    descriptor const& file() const noexcept { return file_; }

    /// Gives it a name, or EEXIST where the name is taken: by a rename that replaces nothing, else by a
    /// second name, after which the first one goes.
    int publish(std::string const& name) noexcept {
        auto const at = folder_->number();
#if defined(RENAME_NOREPLACE)
        auto const error = error_of([&] { return ::renameat2(at, name_.c_str(), at, name.c_str(), RENAME_NOREPLACE); });
        published_ = error == 0;
        if (error != EINVAL && error != ENOSYS) return error;  // else the file system cannot do it
#endif
        return error_of([&] { return ::linkat(at, name_.c_str(), at, name.c_str(), 0); });
    }

    /// Gives it a name, in the place of what had it.
    int replace(std::string const& name) noexcept {
        auto const at = folder_->number();
        auto const error = error_of([&] { return ::renameat(at, name_.c_str(), at, name.c_str()); });
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

/// Calls f(name) for each entry of the folder; an errno where it cannot be listed.
template <class Function>
int each_file(descriptor const& folder, Function&& f) {
    opened again{uninterrupted([&] { return ::openat(folder.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); })};
    if (again.error != 0) return again.error;
    std::unique_ptr<DIR, int (*)(DIR*)> const listing{::fdopendir(again.file.number()),
                                                      [](DIR* all) { return ::closedir(all); }};
    if (!listing) return errno;
    again.file.release();
    for (errno = 0; auto const* const entry = ::readdir(listing.get()); errno = 0) f(std::string_view{entry->d_name});
    return errno;
}

/// Removes the temporary files of writers that were killed. Costs a listing of the folder.
inline void clear_away(descriptor const& folder) {
    each_file(folder, [&](std::string_view entry) {
        if (!is_temporary_name(entry)) return;
        std::string const name{entry};
        auto const left = open_file(folder, name, O_RDWR);
        if (left.error == 0 && error_of([&] { return ::flock(left.file.number(), LOCK_EX | LOCK_NB); }) == 0)
            remove_file(folder, name);
    });
}

/// The call that did not do its work; error 0 where all did.
struct failure {
    std::string_view call;
    int error = 0;
};

/// The content under that name, on the medium but for the folder's own entry. Errors: EEXIST when the
/// name is taken, ENOENT when somebody removed the folder or the temporary file. None leaves a file behind.
inline failure publish(descriptor const& folder, std::string const& name, std::string_view content) {
    temporary made{folder};
    if (made.error() != 0) return {"create", made.error()};
    if (auto const error = write_all(made.file(), content)) return {"write", error};
    if (auto const error = sync(made.file())) return {"fsync", error};
    return {"rename", made.publish(name)};
}

}  // namespace detail::posix
}  // namespace v1
}  // namespace condense
