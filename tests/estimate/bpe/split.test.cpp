// SPDX-License-Identifier: BSL-1.0
#include <condense/bpe.hpp>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/repetition.hpp"
#include "support/rows.hpp"

// How text is split: classes of code points, rules, the splitters of each scheme, where text may be cut, and windows of
// 64 bytes, in which many cuts are found at once: as the splitter finds them, on every unit.

namespace {

using namespace std::string_view_literals;
using namespace condense::detail::bpe;
using condense::rules_of, condense::split_rules, condense::split_scheme, condense::vector_unit;

constexpr bool classes_are_those_of_the_categories() {
    return class_of('A') == char_class::upper && class_of('z') == char_class::lower &&
           class_of('0') == char_class::number && class_of(' ') == char_class::space &&
           class_of('_') == char_class::sign && class_of('+') == char_class::sign &&
           class_of(0x00) == char_class::other && class_of(0x1C) == char_class::other &&
           class_of(0x7F) == char_class::other && class_of(0x1C5) == char_class::upper &&
           class_of(0x2B0) == char_class::caseless && class_of(0x4E2D) == char_class::caseless &&
           class_of(0x301) == char_class::mark && class_of(0xB2) == char_class::number &&
           class_of(0x2160) == char_class::number && class_of(0x1F600) == char_class::sign &&
           class_of(0x10FFFF) == char_class::other;
}

constexpr bool white_space_is_that_of_unicode() {
    for (std::uint32_t const point :
         {0x9u, 0xDu, 0x85u, 0xA0u, 0x1680u, 0x2000u, 0x200Au, 0x2028u, 0x2029u, 0x202Fu, 0x205Fu, 0x3000u})
        if (class_of(point) != char_class::space) return false;
    for (std::uint32_t const point : {0x8u, 0xEu, 0x1Fu, 0x180Eu, 0x200Bu, 0x2060u, 0xFEFFu})
        if (class_of(point) != char_class::other) return false;
    return true;
}

constexpr bool glyphs_are_read_and_ill_formed_parts_told() {
    std::string_view const text = "a\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80\xE4\xB8";
    auto const last = glyph_at(text, 10);
    return glyph_at(text, 0).kind == char_class::lower && glyph_at(text, 1).size == 2 &&
           glyph_at(text, 3).kind == char_class::caseless && glyph_at(text, 3).size == 3 &&
           glyph_at(text, 6).kind == char_class::sign && glyph_at(text, 6).size == 4 && glyph_at(text, 6).valid &&
           !last.valid && last.size == 2 && last.kind == char_class::other;
}

constexpr bool blocks_that_are_named_are_within_the_digits() {
    for (auto const block : unicode_blocks)
        if ((std::size_t{block} + 1) * 128 > sizeof unicode_digits - 1) return false;
    return sizeof unicode_blocks * 128 == unicode_table_end;
}

constexpr bool each_scheme_has_rules_of_its_own() {
    for (auto const one : toy_bpe::schemes) {
        auto const visited = with_rules(one, []<split_rules Rules>() { return Rules; });
        if (visited != rules_of(one)) return false;
        for (auto const other : toy_bpe::schemes)
            if ((rules_of(one) == rules_of(other)) != (one == other)) return false;
    }
    return true;
}

static_assert(piece{}.valid && piece{}.end == 0);

constexpr bool ill_formed_parts_are_signs_and_are_told() {
    struct row {
        piece found;
        std::size_t end;
        bool valid;
    };
    splitter<rules_of(split_scheme::cl100k)> const small{"a\xFF\xE2\x82!b"sv};
    splitter<rules_of(split_scheme::o200k)> const large{"\x80word \xC3"sv};
    script_splitter const script{"a \xFF\xE4\xB8\n\x01\xC3"sv};
    for (auto const& [found, end, valid] :
         {row{small.next(0), 1, true}, row{small.next(1), 5, false}, row{large.next(0), 5, false},
          row{large.next(5), 7, false}, row{script.next(0), 1, true}, row{script.next(1), 6, false},
          row{script.next(6), 7, true}, row{script.next(7), 8, false}})
        if (found.end != end || found.valid != valid) return false;
    return true;
}

static_assert(last_cut("a word and"sv) == 6 && last_cut("abc"sv) == 0 && last_cut(""sv) == 0 && last_cut(" "sv) == 0);
static_assert(last_cut("a word and"sv, 7) == 0);
static_assert(may_cut("a1"sv, 1) && may_cut("x\ny"sv, 1) && may_cut("x\ny"sv, 2) &&
              may_cut("\xE4\xB8\xAD\xEF\xBC\x8C"sv, 3) && may_cut("\xE4\xB8\xAD\xE3\x80\x82"sv, 3) &&
              may_cut(";\n  "sv, 2));
static_assert(!may_cut("x's"sv, 1) && !may_cut("!\n"sv, 1) && !may_cut("\n/"sv, 1) && !may_cut(" 1"sv, 1) &&
              !may_cut("  "sv, 1) && !may_cut("a\xE4\xB8"sv, 1) && !may_cut("\xE4\xB8\xAD\xE3\x83\xBB"sv, 3) &&
              !may_cut(";\n\n"sv, 2) && !may_cut("\x01\n "sv, 2) && !may_cut("a\n "sv, 2));

/// The pieces of a text; `whole` is false if some of it was ill-formed.
template <class Splitter>
std::vector<std::string> pieces_by(std::string_view text, bool* whole = nullptr) {
    Splitter const split{text};
    std::vector<std::string> out;
    for (std::size_t at = 0; at < text.size(); at += out.back().size()) {
        auto const found = split.next(at);
        REQUIRE(found.end > at);
        if (whole != nullptr) *whole = *whole && found.valid;
        out.emplace_back(text.substr(at, found.end - at));
    }
    return out;
}

/// Rows of split.json: the pieces that the patterns of the encodings match in a text, one after the other, by the regex
/// module of Python. A key names all schemes that split the text so.
template <class Splitter>
void pieces_are_those_of_the_patterns(std::string_view scheme, std::size_t texts) {
    static auto const rows = rows_beside(__FILE__, "split.json");
    for (auto const& row : rows)
        for (auto const& [schemes, listed] : row.items()) {
            if (schemes.find(scheme) == std::string::npos) continue;
            auto const wanted = listed.template get<std::vector<std::string>>();
            std::string text;
            for (auto const& each : wanted) text += each;
            CAPTURE(scheme, text);
            bool whole = true;
            CHECK(pieces_by<Splitter>(text, &whole) == wanted);
            CHECK(whole);
            --texts;
        }
    CHECK(texts == 0);
}

template <class Splitter>
void a_long_run_costs_a_few_looks_at_each_place(std::string_view unit) {
    auto const text = repeated(unit, 1'000'000) + "x";
    Splitter const split{text};
    std::size_t at = 0;
    while (at < text.size()) at = split.next(at).end;
    CHECK(at == text.size());
}

TEST_CASE("split: categories, white space, ill-formed parts and line ends") {
    CHECK_TWICE(classes_are_those_of_the_categories());
    CHECK_TWICE(white_space_is_that_of_unicode());
    CHECK_TWICE(glyphs_are_read_and_ill_formed_parts_told());
    int line_ends = 0;
    for (int byte = -128; byte < 128; ++byte) line_ends += is_line_end(static_cast<char>(byte)) ? 1 : 0;
    CHECK(line_ends == 2);
    CHECK((is_line_end('\r') && is_line_end('\n')));
}

// The whole table is compared with the Unicode data by unicode_classes.py; these are figures of
// DerivedGeneralCategory 16.0.
TEST_CASE("split: as many code points of each class as Unicode 16 has") {
    CHECK_TWICE(blocks_that_are_named_are_within_the_digits());
    std::array<std::uint32_t, 8> counted{};
    for (std::uint32_t point = 0; point < 0x110000; ++point) ++counted[static_cast<std::size_t>(class_of(point))];
    auto const of = [&](char_class which) { return counted[static_cast<std::size_t>(which)]; };
    CHECK(of(char_class::upper) == 1'858 + 31);
    CHECK(of(char_class::lower) == 2'258);
    CHECK(of(char_class::caseless) == 404 + 136'477);
    CHECK(of(char_class::mark) == 2'501);
    CHECK(of(char_class::number) == 1'911);
    CHECK(of(char_class::space) == 25);
    CHECK(of(char_class::sign) == 855 + 8'514);
}

TEST_CASE("split: schemes are told apart, and pieces are those of their patterns") {
    CHECK_TWICE(each_scheme_has_rules_of_its_own());
    pieces_are_those_of_the_patterns<splitter<rules_of(split_scheme::cl100k)>>("cl100k", 34);
    pieces_are_those_of_the_patterns<splitter<rules_of(split_scheme::o200k)>>("o200k", 34);
    pieces_are_those_of_the_patterns<splitter<rules_of(split_scheme::llama3)>>("llama3", 34);
    pieces_are_those_of_the_patterns<splitter<rules_of(split_scheme::qwen)>>("qwen", 34);
    pieces_are_those_of_the_patterns<script_splitter>("deepseek", 10);
    CHECK_TWICE(ill_formed_parts_are_signs_and_are_told());
}

TEST_CASE("split: a long run costs a few looks at each place") {
    // Quadratic, these would take minutes.
    for (auto const unit :
         {"a"sv, "A"sv, " "sv, "\n "sv, "\xE4\xB8\xAD"sv, "\xCC\x81"sv, "\u0301A"sv, "\u4E2DA"sv, "-"sv, "!/\n"sv})
        a_long_run_costs_a_few_looks_at_each_place<splitter<rules_of(split_scheme::o200k)>>(unit);
    for (auto const unit : {"a"sv, " "sv, "\n "sv, "\xE4\xB8\xAD"sv, "\xCC\x81"sv, "-"sv, "\x01"sv, "\x01 "sv})
        a_long_run_costs_a_few_looks_at_each_place<script_splitter>(unit);
}

TEST_CASE("split: at a safe cut both parts have the pieces of the whole") {
    toy_bpe::each_scheme([]<split_scheme Scheme>() {
        using split = splitter<rules_of(Scheme)>;
        toy_bpe::numbers any{41};
        std::size_t cuts = 0;
        for (std::uint64_t round = 0; round < rounds(6'000); ++round) {
            auto const text = toy_bpe::text(any, 2 + any.below(40));
            auto const whole = pieces_by<split>(text);
            for (std::size_t at = 1; at < text.size(); ++at) {
                if (!may_cut(text, at)) continue;
                ++cuts;
                auto parts = pieces_by<split>(std::string_view{text}.substr(0, at));
                for (auto& part : pieces_by<split>(std::string_view{text}.substr(at))) parts.push_back(std::move(part));
                INFO(text);
                REQUIRE(parts == whole);
            }
        }
        CHECK(cuts > rounds(6'000) * 5 / 3);
    });
}

// Windows

template <split_scheme Scheme>
void windows_agree_with_the_reference() {
    constexpr auto rules = rules_of(Scheme);
    toy_bpe::numbers any{17};
    std::size_t cut = 0;
    for (std::uint64_t round = 0; round < rounds(4'000); ++round) {
        auto const text = toy_bpe::text(any, 64 + any.below(300));
        splitter<rules> const split{text};
        for (std::size_t at = 0; at + 64 < text.size(); at = split.next(at).end) {
            auto const window = text.data() + at;
            for (auto left = cuts<rules>(masks_of(window), window); left != 0; left &= left - 1) {
                // The pieces of the reference, as far as this cut.
                auto const here = at + static_cast<std::size_t>(std::countr_zero(left));
                auto next = at;
                while (next < here) next = split.next(next).end;
                INFO(text.substr(at, 70));
                REQUIRE(next == here);
                ++cut;
            }
        }
    }
    CHECK(cut > rounds(4'000) * 25);
}

template <split_scheme Scheme>
void units_agree_with_the_reference() {
    constexpr auto rules = rules_of(Scheme);
    toy_bpe::numbers any{23};
    for (int round = 0; round < 3'000; ++round) {
        auto text = toy_bpe::text(any, any.below(500));
        text.shrink_to_fit();
        splitter<rules> const split{text};
        std::vector<std::size_t> wanted;
        for (std::size_t at = 0; at < text.size();) wanted.push_back(at = split.next(at).end);
        for (auto const unit : vector_units) {
            auto const cut = has(unit) ? cutter<rules>(unit) : nullptr;
            if (cut == nullptr) continue;
            std::vector<std::size_t> found;
            for (std::size_t at = 0; at < text.size();) {
                std::size_t ends[64];
                auto const count = cut(text.data(), text.size(), at, ends, 64);
                REQUIRE(count <= 64);
                found.insert(found.end(), ends, ends + count);
                if (count == 0) found.push_back(split.next(at).end);
                at = found.back();
            }
            INFO(text);
            REQUIRE(found == wanted);
        }
    }
}

TEST_CASE("split: a cut in a window is where the reference cuts, and so cuts every vector unit of this machine") {
    toy_bpe::each_scheme([]<split_scheme Scheme>() {
        if constexpr (Scheme != split_scheme::deepseek) {  // which has no windows
            windows_agree_with_the_reference<Scheme>();
            units_agree_with_the_reference<Scheme>();
        }
    });
}

TEST_CASE("split: in a window runs from some of their first bits, on the best vector unit that this machine has") {
    CHECK(runs_from(0b1110'1100u, 0b0000'0100u) == 0b0000'1100u);
    CHECK(runs_from(0b1110'1100u, 0u) == 0u);
    CHECK(runs_from(~std::uint64_t{0}, 1u) == ~std::uint64_t{0});
    CHECK(has(condense::best_vector_unit()));
    CHECK(has(vector_unit::scalar));
    CHECK(has(vector_unit::neon) == bool{CONDENSE_DETAIL_BPE_NEON});
    CHECK(cutter<rules_of(split_scheme::o200k)>(vector_unit::scalar) == nullptr);
}

#if CONDENSE_DETAIL_BPE_X86 || CONDENSE_DETAIL_BPE_NEON
TEST_CASE("split: masks of a window are, for every byte, those of the reference") {
    for (int first = 0; first < 256; ++first) {
        std::string text;
        for (int each = 0; each < 64; ++each)
            text.push_back(static_cast<char>(static_cast<unsigned char>(first + each * 67)));
        auto const wanted = masks_of(text.data());
        auto const known = ~wanted.non_ascii;
        auto const same = [&](window_masks found) {
            CHECK(found.non_ascii == wanted.non_ascii);
            for (auto const mask :
                 {&window_masks::letters, &window_masks::capitals, &window_masks::digits, &window_masks::spaces,
                  &window_masks::line_ends, &window_masks::blanks, &window_masks::quotes, &window_masks::slashes})
                CHECK((found.*mask & known) == wanted.*mask);
        };
#if CONDENSE_DETAIL_BPE_NEON
        same(masks_by_neon(text.data()));
#else
        same(masks_by_sse2(text.data()));
        if (has(vector_unit::avx2)) same(masks_by_avx2(text.data()));
        if (has(vector_unit::avx512)) same(masks_by_avx512(text.data()));
#endif
    }
}
#endif

}  // namespace
