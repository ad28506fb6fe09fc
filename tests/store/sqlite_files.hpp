// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sqlite3.h>

#include "store/kit.hpp"

// Databases that somebody else changes, and disks that have no room for one.

namespace store_tests {

constexpr std::string_view cannot_open = "SQLite: unable to open database file";

/// As another program does; the first columns of what it finds.
inline std::string execute(std::string const& file, std::string const& sql) {
    ::sqlite3* other = nullptr;
    REQUIRE(::sqlite3_open(file.c_str(), &other) == SQLITE_OK);
    std::string found;
    auto const keep = [](void* into, int, char** columns, char**) {
        *static_cast<std::string*>(into) += columns[0];
        return 0;
    };
    REQUIRE(::sqlite3_exec(other, sql.c_str(), keep, &found, nullptr) == SQLITE_OK);
    CHECK(::sqlite3_close(other) == SQLITE_OK);
    return found;
}

/// A disk of two megabytes with no room for another file.
class full_disk : public processes::small_disk {
public:
    explicit full_disk(std::string const& path) : small_disk{path, "size=2m,nr_inodes=8"}, path_{path} {
        for (int file = 0; mounted() && file < 6; ++file) scratch::write(path_ + "/" + std::to_string(file), "");
    }
    void leave_little_room() const {
        for (int file = 0; file < 6; ++file) fs::remove(path_ + "/" + std::to_string(file));
        scratch::write(path_ + "/ballast", std::string(1'700'000, 'x'));
    }
    void leave_room() const { fs::remove(path_ + "/ballast"); }

private:
    std::string path_;
};

}  // namespace store_tests
