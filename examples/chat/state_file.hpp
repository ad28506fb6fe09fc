// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include <fcntl.h>

#include <condense/detail/posix_publish.hpp>

#include "workspace.hpp"

// The file that keeps a conversation between two runs: replaced whole or not at all, its owner's alone.

namespace repl {

struct held_state {
    std::string text = {};
    bool exists = false;
    std::string error = {};
};

struct state_place {
    posix::opened folder;
    std::string name;

    explicit state_place(std::string const& path)
        : folder{posix::open_folder(path.rfind('/') == path.npos ? "." : path.substr(0, path.rfind('/') + 1), false)},
          name{path.substr(path.rfind('/') + 1)} {}
};

inline held_state read_state(std::string const& path, std::size_t most = 256u << 20) {
    state_place const place{path};
    auto const found = place.folder.error == 0 ? posix::open_file(place.folder.file, place.name, O_RDONLY) : posix::refused(place.folder.error);
    if (found.error == ENOENT && place.folder.error == 0 && !place.name.empty()) return {};
    if (found.error != 0) return {{}, true, std::string{posix::fault("open", found.error)}};
    auto const size = static_cast<std::size_t>(posix::about(found.file).st_size);
    if (size > most) return {{}, true, "the file is too large"};
    held_state held{std::string(size, '\0'), true};
    auto const read = posix::read_at(found.file, held.text, 0);
    if (read.error != 0 || read.bytes.size() != size) return {{}, true, std::string{posix::fault("read", read.error)}};
    return held;
}

/// Empty where the file is written and stays.
inline std::string write_state(std::string const& path, std::string_view text) {
    state_place const place{path};
    if (place.folder.error != 0) return std::string{posix::fault("open", place.folder.error)};
    auto const at = place.folder.file.number();
    std::string fresh;
    if (auto const error = posix::make_temporary_name(fresh)) return std::string{posix::fault("name", error)};
    auto const made = posix::open_file(place.folder.file, fresh, O_WRONLY | O_CREAT | O_EXCL);
    auto error = made.error;
    if (error == 0) error = posix::write_all(made.file, text);
    if (error == 0) error = posix::sync(made.file);
    if (error == 0) error = posix::error_of([&] { return ::renameat(at, fresh.c_str(), at, place.name.c_str()); });
    if (error != 0 && made.error == 0) posix::remove_file(place.folder.file, fresh);
    if (error == 0) error = posix::sync(place.folder.file);
    return error == 0 ? std::string{} : std::string{posix::fault("write", error)};
}

}  // namespace repl
