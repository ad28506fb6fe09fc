// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// How does a program read a file whole, and replace one so that it is old or new, never half? POSIX.

struct whole_file {
    std::string content;
    int error = 0;  ///< an errno
};

/// `-` is standard input.
inline whole_file read_whole(std::string const& path) {
    auto const file = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {{}, errno};
    whole_file out;
    char room[65'536];
    for (;;) {
        auto const count = ::read(file, room, sizeof room);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) out.error = errno;
        if (count <= 0) break;
        out.content.append(room, static_cast<std::size_t>(count));
    }
    if (file != STDIN_FILENO) ::close(file);
    return out;
}

inline int write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        auto const count = ::write(file, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count < 0 ? errno : EIO;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return 0;
}

/// Where a link leads, also where nothing is there yet.
inline std::string followed(std::string path) {
    for (int links = 0; links < 40; ++links) {
        char target[4'096];
        auto const size = ::readlink(path.c_str(), target, sizeof target);
        if (size <= 0 || static_cast<std::size_t>(size) == sizeof target) break;
        std::string const to{target, static_cast<std::size_t>(size)};
        path = to.front() == '/' ? to : path.substr(0, path.find_last_of('/') + 1) + to;
    }
    return path;
}

/// Writes a new file beside the old one and renames it; an errno, and then the old one is as it was. A link stays one,
/// the file keeps its mode and, where the system lets it, its owner. What is no regular file is written as it is.
inline int replace_file(std::string const& path, std::string_view bytes) {
    auto const real = followed(path);
    struct stat old = {};
    bool const there = ::stat(real.c_str(), &old) == 0;
    if (there && !S_ISREG(old.st_mode)) {
        auto const file = ::open(real.c_str(), O_WRONLY | O_CLOEXEC);
        if (file < 0) return errno;
        auto error = write_all(file, bytes);
        if (::close(file) != 0 && error == 0) error = errno;
        return error;
    }
    auto fresh = real.substr(0, real.find_last_of('/') + 1) + ".condense-XXXXXX";
    auto const file = ::mkstemp(fresh.data());  // a name that nobody can foresee, of a file that was not there
    if (file < 0) return errno;
    auto const done = [&]() -> int {
        auto mode = old.st_mode & 07777;
        if (!there) {
            auto const mask = ::umask(0);
            ::umask(mask);
            mode = 0666 & ~mask;
        }
        if (auto const error = write_all(file, bytes)) return error;
        if (there && ::fchown(file, old.st_uid, old.st_gid) != 0 &&
            ::fchown(file, static_cast<uid_t>(-1), old.st_gid) != 0) {
            // Who may not give files away keeps the mode at least.
        }
        if (::fchmod(file, mode) != 0 || ::fsync(file) != 0) return errno;
        return ::rename(fresh.c_str(), real.c_str()) == 0 ? 0 : errno;
    }();
    ::close(file);
    if (done != 0) ::unlink(fresh.c_str());
    return done;
}
