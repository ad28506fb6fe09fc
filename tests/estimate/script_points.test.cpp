// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/script_points.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::detail::add_points;
using condense::detail::script_block;
using condense::detail::script_class;
using condense::detail::script_run;
using tables = condense::detail::script_tables<>;

struct point_counts {
    std::array<std::uint64_t, condense::detail::script_classes> points = {};
    std::array<std::uint64_t, condense::detail::script_classes> runs = {};
    std::uint64_t most = 0;  ///< points at once

    constexpr void operator()(script_class which, std::uint64_t count, std::uint64_t begins) {
        points[static_cast<std::size_t>(which)] += count;
        runs[static_cast<std::size_t>(which)] += begins;
        if (which != script_class::stray && count > most) most = count;
    }
    constexpr bool same(point_counts const& other) const { return points == other.points && runs == other.runs; }
};

/// Passes the blocks of a text to `add`; returns the bytes of Latin letters.
template <class Add>
constexpr std::uint64_t each_block(std::string_view text, Add const& add) {
    script_run run;
    std::uint64_t latin = 0;
    for (std::size_t position = 0; position < text.size(); position += script_block) {
        std::uint64_t first_bytes = 0, tails = 0;
        for (std::size_t at = position; at < text.size() && at < position + script_block; ++at) {
            auto const byte = static_cast<unsigned char>(text[at]);
            (byte >= 0xC0 ? first_bytes : tails) |= std::uint64_t{byte >= 0x80} << (at - position);
        }
        latin = latin * 31 + add(first_bytes, tails, position, run);
    }
    return latin;
}

constexpr std::uint64_t by_look_up(std::string_view text, point_counts& counts) {
    return each_block(text, [&](auto first_bytes, auto tails, auto position, auto& run) {
        return add_points<tables>(first_bytes, tails, text, position, run, counts);
    });
}

constexpr bool runs_go_on_over_the_border_of_blocks() {
    std::string text(63, ' ');
    text += "\u0438\u043C\u044F \u4E2D\u6587";
    point_counts counts;
    by_look_up(text, counts);
    auto const of = [](script_class which) { return static_cast<std::size_t>(which); };
    return counts.points[of(script_class::cyrillic)] == 3 && counts.runs[of(script_class::cyrillic)] == 1 &&
           counts.points[of(script_class::han)] == 2 && counts.runs[of(script_class::han)] == 1;
}

void append(std::string& text, std::uint32_t point) {
    auto const tail = [](std::uint32_t bits) { return static_cast<char>(0x80 | (bits & 0x3F)); };
    if (point < 0x80) text += static_cast<char>(point);
    else if (point < 0x800) text += {static_cast<char>(0xC0 | point >> 6), tail(point)};
    else if (point < 0x10000) text += {static_cast<char>(0xE0 | point >> 12), tail(point >> 6), tail(point)};
    else text += {static_cast<char>(0xF0 | point >> 18), tail(point >> 12), tail(point >> 6), tail(point)};
}

#if CONDENSE_DETAIL_SCRIPT_X86
/// False if AVX2 gives anything else than look-ups do; `at_once` is the most code points that it took at a time.
bool same_by_avx2(std::string_view text, std::uint64_t& at_once) {
    point_counts wanted, found;
    auto const latin = by_look_up(text, wanted);
    auto const same =
        latin == each_block(text, [&](auto first_bytes, auto tails, auto position, auto& run) {
            return condense::detail::add_points_avx2<tables>(first_bytes, tails, text, position, run, found);
        });
    at_once = found.most;
    return same && found.same(wanted);
}
#endif

}  // namespace

TEST_CASE("code points are counted over the border of blocks", "[estimate]") {
    REQUIRE(runs_go_on_over_the_border_of_blocks());
}

TEST_CASE("code points by AVX2 are those by look-ups", "[estimate]") {
#if CONDENSE_DETAIL_SCRIPT_X86
    if (!condense::detail::has_script_avx2()) {
        WARN("skipped: this machine has no AVX2");
        return;
    }
    std::uint64_t at_once = 0;
    std::size_t differ = 0, fast = 0;
    // Each code point, several times in all places of a block, beside those that AVX2 knows.
    for (std::uint32_t point = 0x80; point < 0x11000; ++point) {
        std::string text;
        for (unsigned times = 0; times < 16; ++times) {
            append(text, point);
            append(text, times % 4 == 0 ? 0x20u : times % 4 == 1 ? 0x4E00u + point % 0x5000u : point);
        }
        differ += !same_by_avx2(text, at_once);
        fast += at_once > 1;
    }
    CHECK(differ == 0);
    CHECK(fast > 25'000);

    std::mt19937 random{11};
    static constexpr std::uint32_t firsts[] = {0x20,   0x400,  0x410,  0x430,  0x4E00, 0x7D00, 0x8A00,  0x9500, 0x3000,
                                               0x3040, 0x3080, 0x30C0, 0x3400, 0xAC00, 0xFF00, 0x2010,  0xE0,   0x3B1,
                                               0xD780, 0x3100, 0x61,   0xA700, 0x1E00, 0x2070, 0x1F600, 0x490};
    differ = fast = 0;
    for (int each = 0; each < 20'000; ++each) {
        std::string text;
        auto const scripts = 1 + random() % 4;
        auto const offset = random() % std::size(firsts);
        for (auto points = random() % 120; points != 0; --points) {
            append(text, firsts[(offset + random() % scripts) % std::size(firsts)] + random() % 64);
            if (random() % 500 == 0) text += static_cast<char>(random());
            if (random() % 500 == 0) text.pop_back();
        }
        differ += !same_by_avx2(text, at_once);
        fast += at_once > 1;
    }
    CHECK(differ == 0);
    CHECK(fast > 5'000);
#else
    WARN("skipped: AVX2 is for x86-64");
#endif
}
