// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <condense/detail/posix_file.hpp>

// A folder that is held open, and files below it by relative path. Each component is opened from the
// one before it without following links, so nothing outside can be reached, also while somebody renames.

namespace repl {

namespace posix = condense::posix;

enum class entry_kind : std::uint8_t { file, folder, link, other };

struct entry {
    std::string name = {};
    entry_kind kind = entry_kind::other;
    std::uint64_t size = 0;
};

/// A descriptor, or a sentence why there is none.
struct reached {
    posix::descriptor at = {};
    std::string error = {};
};

/// What stands under this name, itself where it is a link; error is an errno.
struct looked {
    entry found = {};
    int error = 0;
};

inline looked look(posix::descriptor const& folder, std::string const& name) {
    struct stat about = {};
    auto const error =
        posix::error_of([&] { return ::fstatat(folder.number(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW); });
    if (error != 0) return {{name}, error};
    auto const kind = S_ISREG(about.st_mode)   ? entry_kind::file
                      : S_ISDIR(about.st_mode) ? entry_kind::folder
                      : S_ISLNK(about.st_mode) ? entry_kind::link
                                               : entry_kind::other;
    return {{name, kind, static_cast<std::uint64_t>(about.st_size)}};
}

/// What is in a folder, sorted by name; not `whole` where it could not be read to its end.
struct listing {
    std::vector<entry> entries = {};
    bool whole = false;
};

/// No more than `most` entries, so that a huge folder is no harm.
inline listing entries_of(posix::descriptor const& folder, std::size_t most = 10'000) {
    listing found;
    posix::descriptor again{
        posix::uninterrupted([&] { return ::openat(folder.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); })};
    auto* const open = again ? ::fdopendir(again.number()) : nullptr;
    if (open == nullptr) return found;
    again.release();  // closedir closes it
    errno = 0;
    while (auto const* const each = ::readdir(open)) {
        std::string const name{each->d_name};
        if (name == "." || name == "..") continue;
        if (found.entries.size() == most) break;
        found.entries.push_back(look(folder, name).found);
        errno = 0;
    }
    found.whole = errno == 0 && found.entries.size() < most;
    ::closedir(open);
    std::sort(found.entries.begin(), found.entries.end(),
              [](auto const& left, auto const& right) { return left.name < right.name; });
    return found;
}

class workspace {
public:
    explicit workspace(std::string const& path) : root_{posix::open_folder(path, false)} {}

    /// Why the folder itself could not be opened; 0 where it could.
    int error() const noexcept { return root_.error; }

    reached open_file(std::string_view path) const { return open(path, entry_kind::file); }
    reached open_folder(std::string_view path) const { return open(path, entry_kind::folder); }

    /// The entry `name` of an open folder, which must be of that kind.
    static reached step(posix::descriptor const& folder, std::string const& name, entry_kind wanted) {
        // Looked at before it is opened: opening a device or a pipe may do something.
        auto const there = look(folder, name);
        if (there.error != 0) return failed(there.error);
        if (there.found.kind == entry_kind::link) return {{}, "it is a link, and links are not followed"};
        if (there.found.kind != wanted)
            return {{}, wanted == entry_kind::file ? "it is no regular file" : "it is no folder"};
        auto found = wanted == entry_kind::file ? posix::open_file(folder, name, O_RDONLY) : open_below(folder, name);
        if (found.error != 0) return failed(found.error);
        return {std::move(found.file)};
    }

private:
    static constexpr std::size_t longest_path = 4'096;

    static reached failed(int error) { return {{}, std::string{posix::fault("it cannot be opened", error)}}; }

    static posix::opened open_below(posix::descriptor const& folder, std::string const& name) {
        return posix::opened{posix::uninterrupted(
            [&] { return ::openat(folder.number(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); })};
    }

    reached open(std::string_view path, entry_kind wanted) const {
        if (path.size() > longest_path || path.find('\0') != path.npos) return {{}, "it is no path"};
        if (path.starts_with('/')) return {{}, "the path must be relative to the folder"};
        std::vector<std::string> names;
        while (!path.empty()) {
            std::string name{path.substr(0, path.find('/'))};
            path.remove_prefix(std::min(path.size(), name.size() + 1));
            if (name == "..") return {{}, "the path must stay in the folder: '..' is not allowed"};
            if (!name.empty() && name != ".") names.push_back(std::move(name));
        }
        if (names.empty() && wanted == entry_kind::file) return {{}, "it is no regular file"};
        auto here = open_below(root_.file, ".");
        if (here.error != 0) return failed(here.error);
        reached at{std::move(here.file)};
        for (std::size_t index = 0; index < names.size() && at.error.empty(); ++index)
            at = step(at.at, names[index], index + 1 == names.size() ? wanted : entry_kind::folder);
        return at;
    }

    posix::opened root_;
};

}  // namespace repl
