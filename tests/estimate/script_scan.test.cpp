// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/script_scan.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::detail::scan_scripts_scalar;
using condense::detail::script_class;
using condense::detail::text_counts;
using condense::detail::text_feature;

struct point_counts {
    std::array<std::uint64_t, condense::detail::script_classes> chars = {};
    std::array<std::uint64_t, condense::detail::script_classes> runs = {};

    constexpr void operator()(script_class which, std::uint64_t points, std::uint64_t begins) {
        auto const at = static_cast<std::size_t>(which);
        chars[at] += points;
        runs[at] += begins;
    }
    friend constexpr bool operator==(point_counts const&, point_counts const&) = default;
};

constexpr std::uint64_t counted(std::string_view text, text_feature which) {
    point_counts points;
    return scan_scripts_scalar(text, points)[static_cast<std::size_t>(which)];
}
constexpr std::uint64_t chars(std::string_view text, script_class which) {
    point_counts points;
    scan_scripts_scalar(text, points);
    return points.chars[static_cast<std::size_t>(which)];
}
constexpr std::uint64_t runs(std::string_view text, script_class which) {
    point_counts points;
    scan_scripts_scalar(text, points);
    return points.runs[static_cast<std::size_t>(which)];
}

constexpr bool words_and_their_letters() {
    using enum text_feature;
    constexpr std::string_view text = "An estimation of theHTTP (x) 2b";
    return counted(text, word) == 6 && counted(text, letter3) == 13 && counted(text, letter5) == 9 &&
           counted(text, letter9) == 2 && counted(text, title) == 1 && counted(text, hump) == 1 &&
           counted(text, shout) == 3 && counted(text, glued) == 1 && counted(text, digit_letter) == 1 &&
           counted("sofa kiwi no", open_end) == 2 && counted("saa boo", twin) == 2 && counted("jazz", rare) == 3;
}
static_assert(words_and_their_letters());

constexpr bool digits_signs_and_blanks() {
    using enum text_feature;
    return counted("12345 x7 9", digit) == 7 && counted("12345 x7 9", digit_run) == 3 &&
           counted("1 2", digit_spaced) == 1 && counted("==-- ;", sign) == 3 && counted("==-- ;", sign_repeat) == 2 &&
           counted("==-- ;", sign_run) == 2 && counted("==-- ;", sign_spaced) == 1 &&
           counted("a\r\n\nb\n", line_end) == 4 && counted("a\r\n\nb\n", line_run) == 2 &&
           counted("a    b  c", space_run) == 2 && counted("a    b  c", space_more) == 2 &&
           counted("\t\ta", tab) == 1 && counted("\t\ta", tab_more) == 1 && counted("\x1b\x7f", control) == 2;
}
static_assert(digits_signs_and_blanks());

constexpr bool latin_letters_continue_words() {
    return counted("na\u00EFve caf\u00E9", text_feature::word) == 2 &&
           chars("na\u00EFve", script_class::latin_one) == 1 &&
           counted("\u0438\u043C\u044F a", text_feature::word) == 1;
}
static_assert(latin_letters_continue_words());

constexpr bool runs_are_of_one_script() {
    return chars("\u0438\u043C\u044F \u0438\u043C", script_class::cyrillic) == 5 &&
           runs("\u0438\u043C\u044F \u0438\u043C", script_class::cyrillic) == 2 &&
           runs("\u4E2D\u6587\u3042\u30AB", script_class::han) == 1 &&
           runs("\u4E2D\u6587\u3042\u30AB", script_class::hiragana) == 1 &&
           runs("\u4E2D\u6587\u3042\u30AB", script_class::kana) == 0 &&
           chars("\u4E2D\u6587\u3042\u30AB", script_class::kana) == 1;
}
static_assert(runs_are_of_one_script());

constexpr bool bytes_of_no_code_point_are_stray() {
    return chars("\xFF\xFE", script_class::stray) == 1 &&  // the last may yet be continued
           chars("\xFF\xFE.", script_class::stray) == 2 && chars("\x80\x80", script_class::stray) == 2 &&
           chars("\xC3(", script_class::stray) == 1 && chars("\xE4\xB8", script_class::han) == 1 &&
           chars("\xE4\xB8\xAD\xAD", script_class::stray) == 1;
}
static_assert(bytes_of_no_code_point_are_stray());

/// Nothing depends on where blocks of 64 bytes end: as many of each before and behind any border.
bool borders_do_not_show() {
    for (std::string_view const unit :
         {"caf\u00E9s ", "\u4E2D\u6587 ", "\U0001F600 ", "foo12345 ", "a  b\n\n\t", "fooBAR== "}) {
        point_counts once;
        auto const first = scan_scripts_scalar(std::string{unit} + std::string{unit}, once);
        for (std::size_t ahead = 40; ahead < 70; ++ahead) {
            std::string const blank(ahead, '\x01');
            point_counts points;
            auto found = scan_scripts_scalar(blank + std::string{unit} + std::string{unit}, points);
            found[static_cast<std::size_t>(text_feature::control)] = 0;
            if (found != first || points != once) return false;
        }
    }
    return true;
}

constexpr std::string_view base64 =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
constexpr std::string_view hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

constexpr bool long_runs_of_base64_and_hex_are_found() {
    return counted(base64, text_feature::base64) == 39 && counted(base64, text_feature::hex) == 0 &&
           counted(hex, text_feature::hex) == hex.size() - 40 && counted(hex, text_feature::base64) == 0;
}
static_assert(long_runs_of_base64_and_hex_are_found());

constexpr bool words_paths_and_numbers_are_not_taken_for_them() {
    for (std::string_view const text :
         {"usr/local/share/applications/something/else/entirely/settings/default4",
          "a-very-long-name-of-a-page-that-has-words-and-2024-in-it-and-goes-on-and-on",
          "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
          "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
        if (counted(text, text_feature::base64) != 0 || counted(text, text_feature::hex) != 0) return false;
    return true;
}
static_assert(words_paths_and_numbers_are_not_taken_for_them());

/// Texts of every kind, cut and shuffled, with bytes that are no UTF-8.
std::string hostile(std::mt19937& random) {
    static constexpr std::array<std::string_view, 16> pieces{"the quick Brown fox ",
                                                             "HTTPServer",
                                                             "\u041F\u0440\u0438\u0432\u0435\u0442 ",
                                                             "\u4F60\u597D",
                                                             "12345",
                                                             "    ",
                                                             "\n\t",
                                                             "====",
                                                             "io\xC3",
                                                             "\x80\xBF",
                                                             "\xF0\x9F\x98\x80",
                                                             "kaf\u0101\u1E01 ",
                                                             "\u0E44\u0E17\u0E22",
                                                             "\xE4",
                                                             "{\"a\": ",
                                                             "\x1b[0m"};
    std::string out;
    auto const parts = random() % 60;
    for (std::size_t each = 0; each < parts; ++each) {
        auto const kind = random() % 20;
        if (kind < pieces.size()) out += pieces[kind];
        else if (kind == 16) out += base64.substr(random() % 40);
        else if (kind == 17) out += hex.substr(random() % 30);
        else out += static_cast<char>(random());
    }
    return out;
}

}  // namespace

TEST_CASE("features of texts", "[estimate]") {
    REQUIRE(words_and_their_letters());
    REQUIRE(long_runs_of_base64_and_hex_are_found());
    REQUIRE(borders_do_not_show());
}

TEST_CASE("a scan by vectors counts as the reference does", "[estimate]") {
    std::mt19937 random{3};
    std::size_t differ = 0;
    for (int each = 0; each < 20'000; ++each) {
        auto const text = hostile(random);
        // A copy of its own size, so that a sanitizer sees what reads beyond it.
        std::string const copy(text.data(), text.size());
        point_counts wanted_points;
        auto const wanted = scan_scripts_scalar(std::string_view{copy}, wanted_points);
        auto const compare = [&](auto scan) {
            point_counts points;
            if (scan(std::string_view{copy}, points) != wanted || points != wanted_points) ++differ;
        };
        compare([](std::string_view in, point_counts& points) { return condense::detail::scan_scripts(in, points); });
#if CONDENSE_DETAIL_SCRIPT_X86
        compare(
            [](std::string_view in, point_counts& points) { return condense::detail::scan_scripts_sse2(in, points); });
        if (condense::detail::has_script_avx2())
            compare([](std::string_view in, point_counts& points) {
                return condense::detail::scan_scripts_avx2(in, points);
            });
#endif
    }
    REQUIRE(differ == 0);
}

TEST_CASE("no count falls when text is appended", "[estimate]") {
    std::mt19937 random{5};
    std::size_t fell = 0;
    for (int each = 0; each < 300; ++each) {
        auto const text = hostile(random);
        text_counts last{};
        point_counts last_points;
        for (std::size_t size = 0; size <= text.size(); ++size) {
            point_counts points;
            auto const found = condense::detail::scan_scripts(std::string_view{text}.substr(0, size), points);
            for (std::size_t at = 0; at < found.size(); ++at) fell += found[at] < last[at];
            for (std::size_t at = 0; at < points.chars.size(); ++at)
                fell += points.chars[at] < last_points.chars[at] || points.runs[at] < last_points.runs[at];
            last = found;
            last_points = points;
        }
    }
    REQUIRE(fell == 0);
}
