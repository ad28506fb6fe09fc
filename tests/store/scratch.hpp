// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <sys/stat.h>

#include "support/catch.hpp"

// Folders for tests of what is on disk.

namespace scratch {

namespace fs = std::filesystem;

/// Folders that a test makes are closed to others, as stores want theirs, whatever the program was started with.
inline ::mode_t const umask_before = ::umask(022);

/// Where an fsync costs nothing, if there is such a place.
inline fs::path memory() { return fs::is_directory("/dev/shm") ? fs::path{"/dev/shm"} : fs::temp_directory_path(); }

/// A new folder, removed with everything in it at the end.
class folder {
public:
    explicit folder(fs::path const& in = fs::temp_directory_path()) {
        auto pattern = (in / "condense-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
    }
    folder(folder const&) = delete;
    folder& operator=(folder const&) = delete;
    ~folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    std::string operator/(std::string_view name) const { return (path_ / name).string(); }

private:
    fs::path path_;
};

inline std::vector<std::string> names_in(std::string const& folder) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (auto const& entry : fs::directory_iterator{folder, ignored}) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

inline std::string the_file_in(std::string const& folder) {
    auto const names = names_in(folder);
    REQUIRE(names.size() == 1);
    return folder + "/" + names[0];
}

inline std::string bytes_of(std::string const& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

/// In place where there is a file: what is cut first is slow on some file systems.
inline void write(std::string const& path, std::string_view bytes) {
    if (!fs::exists(path)) std::ofstream{path, std::ios::binary};
    std::fstream{path, std::ios::binary | std::ios::in | std::ios::out} << bytes;
    fs::resize_file(path, bytes.size());
}

inline unsigned mode_of(std::string const& path) {
    struct stat found = {};
    return ::lstat(path.c_str(), &found) == 0 ? found.st_mode & 07777u : 0u;
}

}  // namespace scratch
