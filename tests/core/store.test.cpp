// SPDX-License-Identifier: BSL-1.0
#include <condense/core/store.hpp>

#include "core/constant.hpp"

namespace {

using condense::journal_entry, condense::reference, condense::store_error;

struct store {
    reference name(std::string_view) const { return {}; }
    std::optional<std::string> get(reference const&) const { return std::nullopt; }
    store_error put(reference const&, std::string_view) const { return {}; }
};
static_assert(condense::artifact_store<store>);

struct nameless {
    std::optional<std::string> get(reference const&) const { return std::nullopt; }
    store_error put(reference const&, std::string_view) const { return {}; }
};
struct put_of_bool : store {
    bool put(reference const&, std::string_view) const { return true; }
};
struct put_not_const : store {
    store_error put(reference const&, std::string_view) { return {}; }
};
struct not_copied : store {
    not_copied(not_copied const&) = delete;
};
static_assert(!condense::artifact_store<nameless> && !condense::artifact_store<put_of_bool> &&
              !condense::artifact_store<put_not_const> && !condense::artifact_store<not_copied> &&
              !condense::artifact_store<int>);

struct journal {
    reference name(std::string_view) const { return {}; }
    store_error append(std::string_view, journal_entry const&, std::string_view) const { return {}; }
    store_error flush(std::string_view) const { return {}; }
    template <class Function>
    store_error read(std::string_view, Function&& f) const {
        f(journal_entry{}, std::string_view{});
        return {};
    }
};
static_assert(condense::journal<journal> && !condense::artifact_store<journal> && !condense::journal<store>);

struct without_flush {
    reference name(std::string_view) const { return {}; }
    store_error append(std::string_view, journal_entry const&, std::string_view) const { return {}; }
    store_error read(std::string_view, auto&&) const { return {}; }
};
struct append_not_const : journal {
    store_error append(std::string_view, journal_entry const&, std::string_view) { return {}; }
};
struct read_without_content : journal {
    template <class Function>
        requires requires(Function f) { f(journal_entry{}); }
    store_error read(std::string_view, Function&&) const {
        return {};
    }
};
static_assert(!condense::journal<without_flush> && !condense::journal<append_not_const> &&
              !condense::journal<read_without_content>);

constexpr bool an_error_has_a_reason() {
    store_error const none;
    store_error some{"no space left"};
    return !none && some && std::string_view{some.reason} == "no space left";
}

constexpr bool entries_are_what_they_say() {
    journal_entry const entry{.name = {}, .number = 7, .is_derived = true};
    return entry == journal_entry{.number = 7, .is_derived = true} && entry != journal_entry{.number = 7} &&
           entry != journal_entry{.number = 8, .is_derived = true} && !journal_entry{}.is_derived;
}

TEST_CASE("store: an error has a reason, and it is cut to its room") {
    CHECK_CONSTANT(an_error_has_a_reason());
    CHECK_CONSTANT(entries_are_what_they_say());
    store_error const long_one{std::string(1'000, 'x')};
    CHECK(long_one);
    CHECK(std::string_view{long_one.reason}.size() <= 96);
}

constexpr reference sample{{0x00, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xF0, 0x0F, 0xFF}};

TEST_CASE("reference: 24 lower-case hexadecimal digits") {
    // A reference of zeros is none.
    CHECK_CONSTANT(!reference{} && sample && reference{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}} && reference{} < sample);
    // Only its own spelling is read.
    CHECK_CONSTANT(reference::of("000123456789abcdeff00fff") == sample &&
                   reference::of("000000000000000000000000") == reference{} && !reference::of("") &&
                   !reference::of("00123456789abcdeff00fff") && !reference::of("0000123456789abcdeff00fff") &&
                   !reference::of("g00123456789abcdeff00fff") && !reference::of("000123456789ABCDEFF00FFF"));
    CHECK(sample.text() == "000123456789abcdeff00fff");
    CHECK(reference{}.text() == "000000000000000000000000");
}

}  // namespace
