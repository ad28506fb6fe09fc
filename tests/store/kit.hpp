// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <chrono>
#include <list>
#include <map>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>

#include <condense/core/store.hpp>
#include <condense/store/content_hash.hpp>

#include "store/processes.hpp"
#include "store/scratch.hpp"
#include "support/effort.hpp"
#include "support/violations.hpp"

// All that tests of stores and journals have in common; they include only what they have beside it.

namespace store_tests {

namespace fs = std::filesystem;
using condense::journal_entry, condense::store_error;
using strings = std::vector<std::string>;

constexpr std::string_view open_to_others =
    "open folder: the folder must be closed to others (chmod go-w), or allow_open_folder be set";
constexpr std::string_view is_link = "open folder: the folder must be no link, or allow_open_folder be set";
constexpr std::string_view other_content = "the name holds other content";
constexpr std::string_view too_many_files =
    ": Too many open files: the process must be allowed more open files (ulimit -n)";
constexpr std::string_view too_large_file =
    "write: File too large: the file must be within the limit of file sizes (ulimit -f)";
constexpr std::string_view no_space = "No space left on device: the disk must have room";
constexpr std::string_view read_only_disk = "Read-only file system: the file system must be writable";

/// Empty where all went well.
inline std::string reason(store_error const& problem) { return std::string{std::string_view{problem.reason}}; }

/// Puts a content under the name that the store gives it.
inline std::string put(condense::artifact_store auto const& store, std::string_view content) {
    return reason(store.put(store.name(content), content));
}
inline bool holds(condense::artifact_store auto const& store, std::string_view content) {
    return store.get(condense::content_hash{}(content, 0)) == content;
}

using lines = std::vector<std::pair<condense::journal_entry, std::string>>;

inline lines lines_of(condense::journal auto const& from, std::string_view conversation) {
    lines all;
    auto const problem = from.read(
        conversation, [&](journal_entry const& entry, std::string_view content) { all.emplace_back(entry, content); });
    CHECK_FALSE(problem);
    return all;
}

/// The error where there is one.
inline std::string add(condense::journal auto const& to, std::string_view conversation, std::uint64_t number,
                       std::string_view content) {
    return reason(to.append(conversation, {to.name(content), number, false}, content));
}

/// Ids and numbers of entries.
using listing = std::vector<std::pair<std::string, std::uint64_t>>;

/// The latest append first.
inline listing conversations_in(condense::listable_journal auto const& from) {
    listing all;
    CHECK_FALSE(from.each_conversation(
        [&](condense::journal_conversation const& each) { all.emplace_back(each.id, each.entries); }));
    return all;
}

/// Text that no memory is taken for until it is read.
class zeros {
public:
    explicit zeros(std::size_t size)
        : size_{size}, bytes_{::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)} {
        REQUIRE(bytes_ != MAP_FAILED);
    }
    zeros(zeros const&) = delete;
    zeros& operator=(zeros const&) = delete;
    ~zeros() { ::munmap(bytes_, size_); }
    std::string_view text() const { return {static_cast<char const*>(bytes_), size_}; }

private:
    std::size_t size_;
    void* bytes_;
};

/// Each of what may be planted where a file is expected, at `place`; `outside` is a file and `nothing` none.
inline void plant(std::string const& place, std::string const& outside, std::string const& nothing) {
    auto const kind = GENERATE(as<std::string>{}, "link to a file", "link to nothing", "folder", "pipe");
    INFO("planted: " << kind);
    if (kind == "folder") REQUIRE(fs::create_directory(place));
    else if (kind == "pipe") REQUIRE(::mkfifo(place.c_str(), 0600) == 0);
    else REQUIRE_NOTHROW(fs::create_symlink(kind == "link to nothing" ? nothing : outside, place));
}

/// How many descriptors this process has.
inline std::size_t open_files() { return scratch::names_in("/proc/self/fd").size(); }

/// The numbers 0 to end - 1.
inline std::vector<std::uint64_t> up_to(std::uint64_t end) {
    std::vector<std::uint64_t> numbers(end);
    for (std::uint64_t number = 0; number < end; ++number) numbers[number] = number;
    return numbers;
}

}  // namespace store_tests
