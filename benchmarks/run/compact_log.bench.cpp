// SPDX-License-Identifier: BSL-1.0

// Claim: a log is compacted in at most 100 times what memchr takes to walk over its usual lines, and in
// time linear in it whatever its lines are: 5 to 15 ns a byte, 100 for each line that is empty.
// ./bench_run_compact_log 16 (MiB)

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <condense/condense.hpp>
#include <condense/shorteners.hpp>

namespace {

std::string usual(std::size_t size) {
    std::string out;
    for (unsigned long line = 0; out.size() < size; ++line) {
        out += "2024-05-01T12:" + std::to_string(10 + line / 60 % 50) + ":" + std::to_string(10 + line % 50) + ".123Z ";
        if (line % 4'999 == 0) out += "ERROR upstream refused the connection of worker " + std::to_string(line % 7);
        else if (line % 3 == 0) out += "INFO GET /api/v1/users/" + std::to_string(line * 37 % 10'000) + " 200 12ms";
        else out += "DEBUG cache hit for key " + std::to_string(line * 7'919);
        out += "\n";
    }
    return out;
}

std::string repeated(std::string_view piece, std::size_t size) {
    std::string out;
    while (out.size() < size) out += piece;
    return out;
}

/// The least of five times, in nanoseconds a byte.
template <class Work>
double least(std::string const& text, Work const& work) {
    double best = 1e300;
    for (int round = 0; round < 5; ++round) {
        auto const begin = std::chrono::steady_clock::now();
        auto const made = work(text);
        auto const end = std::chrono::steady_clock::now();
        asm volatile("" : : "g"(&made) : "memory");  // what it made is looked at
        auto const took = std::chrono::duration<double, std::nano>(end - begin).count();
        best = took < best ? took : best;
    }
    return best / static_cast<double>(text.size());
}

std::size_t walk(std::string_view text) {
    std::size_t lines = 0;
    for (auto const* at = text.data(); at != nullptr; ++lines) {
        auto const left = text.size() - static_cast<std::size_t>(at - text.data());
        auto const* const stop = static_cast<char const*>(std::memchr(at, '\n', left));
        at = stop == nullptr || stop + 1 == text.data() + text.size() ? nullptr : stop + 1;
    }
    return lines;
}

}  // namespace

int main(int count, char** arguments) {
    auto const size = (count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 16) << 20;
    struct {
        char const* name;
        std::string text;
    } const inputs[] = {{"usual lines", usual(size)},
                        {"every line an alarm", repeated("12:00:00 error: no\n12:00:01 failed: yes\n", size)},
                        {"empty lines", std::string(size, '\n')},
                        {"one long line", "begin\n" + std::string(size, 'x') + "\nend\n"},
                        {"no ASCII", repeated("\xE6\xBC\xA2\xE5\xAD\x97 \xD0\xBE\xD1\x88\n", size)}};
    for (auto const& input : inputs) {
        auto const walked = least(input.text, walk);
        auto const made = least(input.text, [](std::string const& text) {
            return condense::compact_log{}({.kind = condense::part_kind::tool_result, .text = text}, {});
        });
        auto const looked = least(input.text, [](std::string const& text) { return condense::content_of(text); });
        std::printf("%-20s %7.3f ns a byte, memchr %6.3f: %6.1f times; content_of %.1f us in all\n", input.name, made,
                    walked, made / walked, looked * static_cast<double>(input.text.size()) / 1'000);
    }
}
