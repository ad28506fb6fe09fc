// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/script_aware.hpp>

#include <array>
#include <iterator>
#include <random>
#include <type_traits>

#include "support/catch.hpp"
#include "support/parts.hpp"
#include "support/repetition.hpp"

namespace {

using condense::cost, condense::part_kind, condense::part_view, condense::role, condense::script_aware;
namespace family = condense::family;

static_assert(condense::token_estimator<script_aware<family::gpt>> &&
              condense::token_estimator<script_aware<family::other>>);
static_assert(condense::token_estimator<condense::default_estimator<>> &&
              condense::token_estimator<condense::family_estimator>);
static_assert(std::is_same_v<condense::estimator_for<family::kimi>, script_aware<family::kimi>>);
static_assert(std::is_empty_v<script_aware<family::claude>> && script_aware<family::claude>::deterministic);

/// case-161, case-163
constexpr bool text_that_is_not_empty_costs_a_token() {
    script_aware<family::gpt> const count;
    return count("") == cost{} && count("a") == cost::of({1}) && count(" ") == cost::of({1}) &&
           count("\xFF") == cost::of({1}) && count(std::string_view{"\0", 1}) >= cost::of({1});
}

/// One text of some hundred characters may be off by more than the tenth that holds for many.
template <class Family>
constexpr bool within_fifteen_percent(std::string_view text, std::uint64_t exact) {
    auto const found = script_aware<Family>{}(text).steps;
    auto const wanted = exact * cost::per_token;
    return found * 100 >= wanted * 85 && found * 100 <= wanted * 115;
}

constexpr std::string_view english =
    "Before the reports are sent, each of them is read by two people who did not write it. They look for claims "
    "without figures, for figures without a source, and for sentences that say the same thing twice. What they "
    "find goes back to the author, who has one day to answer. Most reports come through with small changes; a few "
    "are written again from the beginning, and nobody thinks the worse of anyone for that.";
constexpr std::string_view json =
    "{\"id\": 48213, \"name\": \"build-server-07\", \"status\": \"failed\", \"duration_ms\": 83125, \"started\": "
    "\"2026-03-14T09:26:53Z\", \"steps\": [{\"name\": \"configure\", \"code\": 0}, {\"name\": \"compile\", \"code\": "
    "2, "
    "\"message\": \"undefined reference to `parse_header'\"}], \"retries\": 3, \"owner\": \"platform-team\"}";
constexpr std::string_view chinese =
    "\u6587\u7AE0\u5E94\u5F53\u7B80\u660E\u6E05\u695A\uFF0C\u8BA9\u8BFB\u8005\u5F88\u5FEB\u660E\u767D\u4F5C\u8005\u60F3"
    "\u8BF4\u4EC0\u4E48\u3002\u5982\u679C\u4E00\u4E2A\u53E5\u5B50\u592A\u957F\uFF0C\u5C31\u628A\u5B83\u5206\u6210\u4E24"
    "\u4E2A\u3002";

/// Figures of the tokenizers that the weights were fitted to; claude's times 1.10.
constexpr bool tokens_of_exact_tokenizers() {
    return within_fifteen_percent<family::gpt>(english, 86) && within_fifteen_percent<family::claude>(english, 95) &&
           within_fifteen_percent<family::gemini>(english, 86) && within_fifteen_percent<family::other>(english, 86) &&
           within_fifteen_percent<family::gpt>(json, 102) && within_fifteen_percent<family::claude>(json, 110) &&
           within_fifteen_percent<family::gemini>(json, 120) && within_fifteen_percent<family::other>(json, 107) &&
           within_fifteen_percent<family::gpt>(chinese, 31) && within_fifteen_percent<family::claude>(chinese, 42) &&
           within_fifteen_percent<family::gemini>(chinese, 25) && within_fifteen_percent<family::other>(chinese, 25);
}

/// At every byte: a character that is cut off after a vowel neither ends the word nor goes on with it.
template <class Family>
constexpr bool more_text_never_costs_less() {
    constexpr std::string_view text =
        "Caf\u00E9 \u041F\u0440\u0438\u0432\u0435\u0442 \u4F60\u597D 12  x\n\n{} \xC3\xE4\xB8 HTTPServer go\u0101 "
        "ki\u1E01 0o\u1EBF nu\u01B0 a\xE1 si\u4E2D";
    cost last{};
    for (std::size_t size = 0; size <= text.size(); ++size) {
        auto const found = script_aware<Family>{}(text.substr(0, size));
        if (found < last) return false;
        last = found;
    }
    return true;
}
static_assert(more_text_never_costs_less<family::gpt>());  // each by itself, for the steps that clang allows
static_assert(more_text_never_costs_less<family::other>());

constexpr part_view call{.kind = part_kind::tool_call, .tool = "read_file"};

constexpr bool frames_are_those_of_the_family() {
    script_aware<family::claude> const count;
    return count.frame(role::user) == cost::of({2}) && script_aware<family::gpt>{}.frame(role::user) == cost::of({4}) &&
           count.frame(call) == count("read_file");
}

template <class Family>
constexpr bool is_of_family(std::string_view model) {
    condense::family_estimator const found{condense::family_of(model)};
    script_aware<Family> const wanted;
    return found(chinese) == wanted(chinese) && found(json) == wanted(json) &&
           found.frame(role::user) == wanted.frame(role::user) && found.frame(call) == wanted.frame(call);
}

constexpr bool families_may_be_known_late() {
    return is_of_family<family::claude>("claude-sonnet-4-5") &&
           is_of_family<family::claude_4_7>("anthropic/claude-opus-4-7") && is_of_family<family::gpt>("gpt-4o") &&
           is_of_family<family::gemini>("gemini-2.5-flash") && is_of_family<family::kimi>("kimi-k2") &&
           is_of_family<family::other>("") &&
           condense::family_estimator{}(json) == condense::default_estimator<>{}(json) &&
           !(condense::family_estimator{condense::model_family::gpt} == condense::family_estimator{});
}

static_assert(text_that_is_not_empty_costs_a_token() && frames_are_those_of_the_family() &&
              families_may_be_known_late());

}  // namespace

TEST_CASE("texts cost about what tokenizers say, and more text never costs less", "[estimate]") {
    CHECK_TWICE(tokens_of_exact_tokenizers());
    auto const all = script_aware<family::gpt>{}(english);
    REQUIRE(all == script_aware<family::kimi>{}(english));
    REQUIRE(all < script_aware<family::claude>{}(english));
    REQUIRE(script_aware<family::claude>{}(english) < script_aware<family::claude_4_7>{}(english));
    CHECK(more_text_never_costs_less<family::gpt>());
    CHECK(more_text_never_costs_less<family::claude>());
    CHECK(more_text_never_costs_less<family::claude_4_7>());
    CHECK(more_text_never_costs_less<family::gemini>());
    CHECK(more_text_never_costs_less<family::kimi>());
    CHECK(more_text_never_costs_less<family::other>());
}

TEST_CASE("no text costs more tokens than it has bytes, and megabytes of one thing cost in proportion", "[estimate]") {
    for (std::size_t const size : {1u, 2u, 3u, 200u, 5'000u})
        for (int byte = 0; byte < 256; ++byte) {
            std::string const text(size, static_cast<char>(byte));
            CAPTURE(size, byte);
            CHECK(script_aware<family::other>{}(text).tokens().count <= size);
            CHECK(script_aware<family::claude_4_7>{}(text).tokens().count <= size);
        }
    script_aware<family::gpt> const count;
    for (std::string_view const unit : {"a", " ", "\n", "7", "-", "\xFF", "\x80", "\u4E2D", "\U0001F600", "Ab1+"}) {
        auto const text = repeated(unit, 100'000 * unit.size());
        auto const once = count(text).steps;
        auto const twice = count(text + text).steps;
        INFO("unit " << static_cast<unsigned>(static_cast<unsigned char>(unit[0])));
        REQUIRE(once <= twice);
        // What begins a run costs once, and what comes before base64 is seen.
        REQUIRE(twice <= 2 * once + 64 * cost::per_token);
        REQUIRE(count(text).tokens().count <= text.size() * 4);
    }
}

// All that script_aware weighs: classes of scripts, the masks of a block of bytes, code points, features of texts,
// and the weights themselves.

namespace {

using namespace std::string_view_literals;
using condense::detail::add_points, condense::detail::scalar_script_masks, condense::detail::scan_scripts_scalar,
    condense::detail::script_block, condense::detail::script_class, condense::detail::script_classes,
    condense::detail::script_head, condense::detail::script_run, condense::detail::script_weights,
    condense::detail::text_counts, condense::detail::text_feature;
using tables = condense::detail::script_tables<>;

// Classes

constexpr script_class of(std::string_view text) {
    return condense::detail::script_of<tables>(static_cast<unsigned char>(text[0]),
                                               static_cast<unsigned char>(text[1]));
}

constexpr bool a_script_is_known_by_two_bytes() {
    return of("\u00E9") == script_class::latin_one && of("\u0142") == script_class::latin_more &&
           of("\u01B0") == script_class::latin_rare && of("\u1EBF") == script_class::latin_marked &&
           of("\u03B1") == script_class::greek && of("\u044F") == script_class::cyrillic &&
           of("\u0457") == script_class::cyrillic_more && of("\u0561") == script_class::armenian &&
           of("\u05D0") == script_class::hebrew && of("\u0628") == script_class::arabic &&
           of("\u067E") == script_class::arabic_more && of("\u0915") == script_class::devanagari &&
           of("\u0E01") == script_class::thai && of("\u10D0") == script_class::georgian &&
           of("\u1780") == script_class::khmer && of("\u2014") == script_class::quotes &&
           of("\u2500") == script_class::boxes && of("\u3042") == script_class::hiragana &&
           of("\u30AB") == script_class::kana && of("\u30E9") == script_class::katakana &&
           of("\u4E2D") == script_class::han && of("\u8A9E") == script_class::full_han &&
           of("\uAC00") == script_class::hangul && of("\uD55C") == script_class::hangul &&
           of("\U0001F600") == script_class::emoji && of("\U00020000") == script_class::rare_han &&
           of("\U0001D400") == script_class::rare_four;
}

constexpr bool what_begins_no_code_point_is_stray() {
    return of("\xC0\x80") == script_class::stray && of("\xC1\xBF") == script_class::stray &&
           of("\xE0\x80") == script_class::stray && of("\xE0\x9F") == script_class::stray &&
           of("\xED\xA0") == script_class::stray && of("\xF5\x80") == script_class::stray &&
           of("\xFF\xBF") == script_class::stray && of("\xC3(") == script_class::stray &&
           of("\xE4\xC3") == script_class::stray;
}

constexpr bool ranges_ascend_and_heads_are_heads_of_themselves() {
    std::uint32_t last = 0;
    for (auto const& each : condense::detail::script_ranges) {
        if (each.first < last || each.first % (each.first < 0x800 ? 16 : 64) != 0) return false;
        last = each.first;
    }
    for (std::size_t at = 0; at < script_classes; ++at) {
        auto const head = script_head(static_cast<script_class>(at));
        if (script_head(head) != head) return false;
    }
    return true;
}

/// A weight of 0 for characters would make megabytes of a script free.
constexpr bool every_script_costs_something(script_weights const& weights) {
    for (std::size_t at = 0; at < script_classes; ++at)
        if (weights.chars[at] + weights.runs[at] == 0) return false;
    return weights.text[0] != 0;
}
static_assert(every_script_costs_something(condense::detail::weights_of_gpt) &&
              every_script_costs_something(condense::detail::weights_of_claude) &&
              every_script_costs_something(condense::detail::weights_of_claude_4_7) &&
              every_script_costs_something(condense::detail::weights_of_gemini) &&
              every_script_costs_something(condense::detail::weights_of_other));

// Masks

constexpr bool each_byte_has_its_classes() {
    constexpr std::string_view text = "aZ7 \n\t\x01\xC3\xA9--_k";
    auto const in = scalar_script_masks(text.data(), text.size(), 'a');
    return in.lower == 0b1'0000'0000'0001u && in.upper == 0b10u && in.digits == 0b100u && in.spaces == 0b1000u &&
           in.line_ends == 0b1'0000u && in.tabs == 0b10'0000u && in.controls == 0b100'0000u &&
           in.non_ascii == 0b1'1000'0000u && in.lead_bytes == 0b1000'0000u && in.repeats == 0b100'0000'0001u &&
           in.joiners == 0b1110'0000'0000u && in.hex_digits == 0b101u && in.vowels == 1u &&
           in.rare_letters == 0b1'0000'0000'0000u;
}

constexpr bool zeros_behind_the_text_are_nothing() {
    constexpr std::string_view text{"aaaa\0\0\0\0", 8};
    return scalar_script_masks(text.data(), text.size(), 'a').padded(0b1111u) ==
               scalar_script_masks(text.data(), 4, 'a') &&
           scalar_script_masks(text.data(), text.size(), 'a').padded(0b1'1111u).controls == 0b1'0000u;
}

// Code points

struct point_counts {
    std::array<std::uint64_t, script_classes> chars = {};
    std::array<std::uint64_t, script_classes> runs = {};
    std::uint64_t most = 0;  ///< points at once

    constexpr void operator()(script_class which, std::uint64_t points, std::uint64_t begins) {
        auto const at = static_cast<std::size_t>(which);
        chars[at] += points;
        runs[at] += begins;
        if (which != script_class::stray && points > most) most = points;
    }
    friend constexpr bool operator==(point_counts const& left, point_counts const& right) {
        return left.chars == right.chars && left.runs == right.runs;
    }
};

/// Passes the blocks of a text to `add`; returns the bytes of Latin letters.
constexpr std::uint64_t each_block(std::string_view text, auto const& add) {
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

std::uint64_t by_look_up(std::string_view text, point_counts& counts) {
    return each_block(text, [&](auto first_bytes, auto tails, auto position, auto& run) {
        return add_points<tables>(first_bytes, tails, text, position, run, counts);
    });
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
    return same && found == wanted;
}
#endif

// Features

constexpr std::uint64_t counted(std::string_view text, text_feature which) {
    point_counts points;
    return scan_scripts_scalar(text, points)[static_cast<std::size_t>(which)];
}
constexpr point_counts points_of(std::string_view text) {
    point_counts points;
    scan_scripts_scalar(text, points);
    return points;
}
constexpr std::uint64_t chars(std::string_view text, script_class which) {
    return points_of(text).chars[static_cast<std::size_t>(which)];
}
constexpr std::uint64_t runs(std::string_view text, script_class which) {
    return points_of(text).runs[static_cast<std::size_t>(which)];
}

constexpr bool words_and_their_letters() {
    using enum text_feature;
    constexpr std::string_view text = "An estimation of theHTTP (x) 2b";
    return counted(text, word) == 6 && counted(text, letter3) == 13 && counted(text, letter5) == 9 &&
           counted(text, letter9) == 2 && counted(text, title) == 1 && counted(text, hump) == 1 &&
           counted(text, shout) == 3 && counted(text, glued) == 1 && counted(text, digit_letter) == 1 &&
           counted("sofa kiwi no", open_end) == 2 && counted("saa boo", twin) == 2 && counted("jazz", rare) == 3;
}

constexpr bool digits_signs_and_blanks() {
    using enum text_feature;
    return counted("12345 x7 9", digit) == 7 && counted("12345 x7 9", digit_run) == 3 &&
           counted("1 2", digit_spaced) == 1 && counted("==-- ;", sign) == 3 && counted("==-- ;", sign_repeat) == 2 &&
           counted("==-- ;", sign_run) == 2 && counted("==-- ;", sign_spaced) == 1 &&
           counted("a\r\n\nb\n", line_end) == 4 && counted("a\r\n\nb\n", line_run) == 2 &&
           counted("a    b  c", space_run) == 2 && counted("a    b  c", space_more) == 2 &&
           counted("\t\ta", tab) == 1 && counted("\t\ta", tab_more) == 1 && counted("\x1b\x7f", control) == 2;
}

constexpr bool latin_letters_continue_words() {
    return counted("na\u00EFve caf\u00E9", text_feature::word) == 2 &&
           chars("na\u00EFve", script_class::latin_one) == 1 &&
           counted("\u0438\u043C\u044F a", text_feature::word) == 1;
}

constexpr bool runs_are_of_one_script() {
    return chars("\u0438\u043C\u044F \u0438\u043C", script_class::cyrillic) == 5 &&
           runs("\u0438\u043C\u044F \u0438\u043C", script_class::cyrillic) == 2 &&
           runs("\u4E2D\u6587\u3042\u30AB", script_class::han) == 1 &&
           runs("\u4E2D\u6587\u3042\u30AB", script_class::hiragana) == 1 &&
           runs("\u4E2D\u6587\u3042\u30AB", script_class::kana) == 0 &&
           chars("\u4E2D\u6587\u3042\u30AB", script_class::kana) == 1;
}

constexpr bool bytes_of_no_code_point_are_stray() {
    return chars("\xFF\xFE", script_class::stray) == 1 &&  // the last may yet be continued
           chars("\xFF\xFE.", script_class::stray) == 2 && chars("\x80\x80", script_class::stray) == 2 &&
           chars("\xC3(", script_class::stray) == 1 && chars("\xE4\xB8", script_class::han) == 1 &&
           chars("\xE4\xB8\xAD\xAD", script_class::stray) == 1;
}

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

/// Texts of every kind, cut and shuffled, with bytes that are no UTF-8.
std::string hostile(std::mt19937& random) {
    static auto const pieces = parts_of(
        "the quick Brown fox |HTTPServer|\u041F\u0440\u0438\u0432\u0435\u0442 |\u4F60\u597D|12345|    "
        "|\n\t|====|io\xC3|"
        "\x80\xBF|\xF0\x9F\x98\x80|kaf\u0101\u1E01 |\u0E44\u0E17\u0E22|\xE4|{\"a\": |\x1b[0m");
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

static_assert(digits_signs_and_blanks() && latin_letters_continue_words() && runs_are_of_one_script() &&
              bytes_of_no_code_point_are_stray() && words_paths_and_numbers_are_not_taken_for_them());

}  // namespace

TEST_CASE("script_scan: classes, masks and features of texts", "[estimate]") {
    CHECK_TWICE(a_script_is_known_by_two_bytes());
    CHECK_TWICE(what_begins_no_code_point_is_stray());
    CHECK_TWICE(ranges_ascend_and_heads_are_heads_of_themselves());
    CHECK(every_script_costs_something(condense::detail::weights_of_other));
    CHECK_TWICE(each_byte_has_its_classes());
    CHECK_TWICE(zeros_behind_the_text_are_nothing());
    CHECK_TWICE(words_and_their_letters());
    CHECK_TWICE(long_runs_of_base64_and_hex_are_found());
    CHECK(borders_do_not_show());
}

TEST_CASE("script_scan: masks by vectors are those of the reference, and runs go on over the border of blocks",
          "[estimate]") {
    std::string text(1 + 256, '\0');
    for (std::size_t at = 0; at < 256; ++at) text[1 + at] = static_cast<char>(at);
    std::mt19937 random{7};
    for (int each = 0; each < 4000; ++each)
        text += static_cast<char>(random() % 3 == 0 ? text.back() : static_cast<char>(random()));
    bool same = true;
#if CONDENSE_DETAIL_SCRIPT_X86
    for (std::size_t at = 1; at + script_block <= text.size(); ++at) {
        auto const wanted = scalar_script_masks(text.data() + at, script_block, text[at - 1]);
        same = same && condense::detail::script_masks_by_sse2<>(text.data() + at) == wanted;
        if (condense::detail::has_script_avx2())
            same = same && condense::detail::script_masks_by_avx2<>(text.data() + at) == wanted;
        if (condense::detail::has_script_avx512())
            same = same && condense::detail::script_masks_by_avx512<>(text.data() + at) == wanted;
    }
#endif
    REQUIRE(same);
    point_counts counts;
    by_look_up(std::string(63, ' ') + "\u0438\u043C\u044F \u4E2D\u6587", counts);
    for (auto const& [script, size] : {std::pair{script_class::cyrillic, 3u}, {script_class::han, 2u}}) {
        CHECK(counts.chars[static_cast<std::size_t>(script)] == size);
        CHECK(counts.runs[static_cast<std::size_t>(script)] == 1);
    }
}

TEST_CASE("script_scan: code points by AVX2 are those by look-ups", "[estimate]") {
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

TEST_CASE("script_scan: a scan by vectors counts as the reference does", "[estimate]") {
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

TEST_CASE("script_scan: no count falls when text is appended", "[estimate]") {
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
