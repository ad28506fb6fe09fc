// SPDX-License-Identifier: BSL-1.0

// Claim: keeping both ends of a text of ASCII takes at most 40 times what memcpy takes to copy it, under
// 2 ns a byte; of other text under 20 ns a byte, for its code points are decoded one by one. All of it is
// seeing that the text is well-formed and counting its characters.
// ./bench_run_head_tail 16 (MiB)

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <condense/condense.hpp>

namespace {

using namespace condense::literals;

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

}  // namespace

int main(int count, char** arguments) {
    auto const size = (count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 16) << 20;
    struct {
        char const* name;
        std::string text;
    } const inputs[] = {{"lines of ASCII", repeated("a line of some fifty bytes, like many of a tool's\n", size)},
                        {"one line", std::string(size, 'x')},
                        {"no ASCII", repeated("\xE6\xBC\xA2\xE5\xAD\x97\xD0\xBE\xD1\x88\n", size)}};
    constexpr condense::head_tail by_chars{};
    constexpr condense::head_tail by_lines{.head = 128_lines, .tail = 128_lines, .at_most = 10'240_bytes};
    for (auto const& input : inputs) {
        std::string target(input.text.size(), ' ');  // its pages are there before the first copy
        auto const copied = least(input.text, [&](std::string const& text) {
            std::memcpy(target.data(), text.data(), text.size());
            return target.data();
        });
        auto const cut = [&](auto const& shorten) {
            return least(input.text, [&](std::string const& text) {
                return shorten({.kind = condense::part_kind::tool_result, .text = text}, {});
            });
        };
        auto const chars = cut(by_chars);
        auto const lines = cut(by_lines);
        std::printf("%-15s memcpy %.3f ns a byte; by characters %.3f: %.1f times; by lines %.3f: %.1f times\n",
                    input.name, copied, chars, chars / copied, lines, lines / copied);
    }
}
