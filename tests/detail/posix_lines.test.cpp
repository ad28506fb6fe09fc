// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/posix_lines.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>

#include "store/scratch.hpp"
#include "support/catch.hpp"

namespace {

namespace posix = condense::detail::posix;

std::vector<std::string> lines_in(std::string const& bytes, std::size_t most, std::size_t size) {
    scratch::folder const root;
    scratch::write(root / "f", bytes);
    posix::descriptor const file{::open((root / "f").c_str(), O_RDONLY | O_CLOEXEC)};
    std::vector<std::string> lines;
    std::size_t next = 0;
    CHECK(posix::each_line(file, size, most, [&](std::string_view line, std::size_t offset, std::size_t length) {
              CHECK(offset == next);
              next = offset + length + 1;
              if (length <= most) lines.emplace_back(line);
              CHECK((length <= most ? bytes.substr(offset, length) == line : line.empty()));
          }) == 0);
    auto const end = std::min(size, bytes.size());
    CHECK(next == end + (end != 0 && bytes[end - 1] != '\n'));
    return lines;
}
std::vector<std::string> lines_in(std::string const& bytes, std::size_t most = 1'000'000) {
    return lines_in(bytes, most, bytes.size());
}

}  // namespace

TEST_CASE("posix_lines: lines with and without a break at the end") {
    CHECK(lines_in("").empty());
    CHECK(lines_in("a") == std::vector<std::string>{"a"});
    CHECK(lines_in("a\n\nb\n") == std::vector<std::string>{"a", "", "b"});
    CHECK(lines_in("a\nb") == std::vector<std::string>{"a", "b"});
    CHECK(lines_in(std::string("\0\n\0", 3)) == std::vector<std::string>{std::string(1, '\0'), std::string(1, '\0')});
    CHECK(lines_in("a\nb\nc\n", 10, 3) == std::vector<std::string>{"a", "b"});
    CHECK(lines_in("a\nb\n", 10, 1'000) == std::vector<std::string>{"a", "b"});
}

TEST_CASE("posix_lines: lines of any length, wherever a block of the file ends") {
    std::string bytes;
    std::vector<std::string> expected;
    for (std::size_t const size : {65'530u, 0u, 4u, 0u, 65'535u, 65'536u, 1u, 65'537u, 200'000u, 0u, 3u}) {
        expected.emplace_back(size, static_cast<char>('a' + expected.size()));
        bytes.append(expected.back()).push_back('\n');
    }
    CHECK((lines_in(bytes) == expected));
    bytes.pop_back();
    CHECK((lines_in(bytes) == expected));
}

TEST_CASE("posix_lines: lines that are too long are left out, and only those") {
    for (std::size_t const most : {0u, 3u, 65'536u, 100'000u}) {
        std::string const fits(most, 'x');
        auto const over = fits + 'y';
        auto const far_over = fits + std::string(300'000, 'z');
        CHECK((lines_in(fits + '\n' + over + '\n' + fits + '\n' + far_over + "\n" + fits + "\n", most) ==
               std::vector{fits, fits, fits}));
        CHECK((lines_in(fits + '\n' + over, most) == std::vector{fits}));
        CHECK((lines_in(far_over, most).empty()));
    }
}

TEST_CASE("posix_lines: an error is told") {
    posix::descriptor const folder{::open("/", O_RDONLY | O_CLOEXEC)};
    CHECK(posix::each_line(folder, 10, 10, [](auto&&...) {}) == EISDIR);
}
