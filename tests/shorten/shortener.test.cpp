// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/shortener.hpp>

#include <optional>
#include <string>

#include "core/toy.hpp"
#include "shorten/around.hpp"

namespace {

using namespace around;
using condense::cut;
using condense::part_kinds;
using condense::part_view;
using condense::text_limit;
namespace detail = condense::detail;

using text = std::optional<std::string>;

struct plain {
    constexpr text operator()(part_view const&, cut) const { return {}; }
};
struct removing : plain {
    static constexpr part_kinds applies_to = part_kind::media | part_kind::reasoning | part_kind::text;
    static constexpr bool any_size = true;
    static constexpr bool removes = true;
};
struct limited : plain {
    text_limit over = 100_chars;
};
struct by_lines : plain {
    condense::lines over = 3_lines;
};
struct around_all {
    using needs_conversation = void;
};
struct wrong_result {
    std::string operator()(part_view const&, cut) const { return {}; }
};
struct not_const {
    text operator()(part_view const&, cut) { return {}; }
};

static_assert(condense::text_shortener<plain> && condense::shortener<plain>);
static_assert(condense::conversation_shortener<around_all> && condense::shortener<around_all> &&
              !condense::text_shortener<around_all>);
static_assert(!condense::shortener<wrong_result> && !condense::shortener<not_const> && !condense::shortener<int>);

static_assert(part_kinds{part_kind::media}.holds(part_kind::media) &&
              !part_kinds{part_kind::media}.holds(part_kind::other));
static_assert((part_kind::text | part_kind::other | part_kind::media) ==
              (part_kind::media | part_kind::text | part_kind::other));
static_assert((part_kind::text | part_kind::other).holds(part_kind::other) &&
              !(part_kind::text | part_kind::other).holds(part_kind::media));

static_assert(detail::kinds_of<plain>() == part_kinds{part_kind::tool_result} &&
              detail::kinds_of<removing>().holds(part_kind::media));
static_assert(!detail::removes_parts<plain>() && detail::removes_parts<removing>());
static_assert(!detail::takes_any_size<plain>() && detail::takes_any_size<removing>());

constexpr bool the_limit_is_its_own_or_the_layers() {
    cut const how{.halvings = 1, .over = 500_chars};  // halved by the layer already
    return detail::limit_of(plain{}, how) == text_limit{500_chars} &&
           detail::limit_of(limited{}, how) == text_limit{50_chars} &&
           detail::limit_of(limited{}, {}) == text_limit{100_chars} &&
           detail::limit_of(by_lines{}, how) == text_limit{1_lines};
}
static_assert(the_limit_is_its_own_or_the_layers());

constexpr bool sizes_alone_rule_parts_out() {
    cut const how{.over = 100_chars};
    auto const may = [&](part_kind kind, bool sealed, condense::bytes size) {
        return detail::may_apply(plain{}, kind, sealed, size, how);
    };
    return may(part_kind::tool_result, false, 101_bytes) && !may(part_kind::tool_result, false, 100_bytes) &&
           !may(part_kind::tool_result, true, 101_bytes) && !may(part_kind::tool_call, false, 101_bytes) &&
           detail::may_apply(by_lines{}, part_kind::tool_result, false, 1_bytes, how);
}
static_assert(sizes_alone_rule_parts_out());

constexpr bool what_is_removed_may_be_sealed_and_of_any_size() {
    auto const may = [](part_kind kind, bool sealed) {
        return detail::may_apply(removing{}, kind, sealed, 0_bytes, {});
    };
    return may(part_kind::reasoning, true) && may(part_kind::media, true) && may(part_kind::text, false) &&
           !may(part_kind::tool_result, false);
}
static_assert(what_is_removed_may_be_sealed_and_of_any_size());

/// Shortens everything to one letter.
struct to_letter {
    constexpr text operator()(part_view const&, cut) const { return "l"; }
};

struct drop_media {
    static constexpr part_kinds applies_to = part_kind::media;
    static constexpr bool any_size = true;
    static constexpr bool removes = true;
    text operator()(part_view const&, cut) const { return ""; }
};

}  // namespace

TEST_CASE("shortener: it is asked only where it may apply") {
    auto const asked = [](part_view const& part, cut how) {
        auto const shorten = to_letter{};
        return detail::bind_shortener(shorten, detail::no_conversation{})({}, part, how).has_value();
    };
    auto const long_text = letters(101);
    CHECK(asked({.kind = part_kind::tool_result, .text = long_text}, {.over = 100_chars}));
    CHECK_FALSE(asked({.kind = part_kind::tool_result, .text = long_text}, {.over = 101_chars}));
    CHECK_FALSE(asked({.kind = part_kind::tool_result, .text = "\xC3\xA9\xC3\xA9"},
                      {.over = 2_chars}));  // two characters, four bytes
    CHECK(asked({.kind = part_kind::tool_result, .text = "a\nb\nc"}, {.over = 2_lines}));
    CHECK_FALSE(asked({.kind = part_kind::tool_result, .text = "a\nb"}, {.over = 2_lines}));
    CHECK_FALSE(asked({.kind = part_kind::text, .text = long_text}, {.over = 1_chars}));
    CHECK_FALSE(asked({.kind = part_kind::tool_result, .text = long_text, .sealed = true}, {.over = 1_chars}));
}

TEST_CASE("shortener: media and reasoning go whole where it says so") {
    conversation messages{
        U(),
        chat_message{
            .role = condense::role::assistant,
            .parts = {{.text = "words"}, {.kind = part_kind::media, .sealed = true, .cost = condense::cost::of({50})}}},
        U()};
    auto const after = settled(messages, mix_of(drop_media{}));
    REQUIRE(after.size() == 3);
    CHECK(after[1].parts == A("words").parts);
}

TEST_CASE("shortener: every halving is told, and the limits shrink with it") {
    conversation const messages{U(), C("1", "ls"), R("1", letters(5'000)), A(), U()};
    struct telling {
        text operator()(part_view const&, cut how) const {
            return std::to_string(how.halvings) + " " + std::to_string(how.over.chars.count);
        }
    };
    auto const told = [&](unsigned pressure, bool top) {
        auto copy = messages;
        auto const again = toy::press{.pressure = pressure, .top = top};
        condense::compress const layer{.when = condense::always, .over = 4'000_chars, .with = telling{}};
        static_cast<void>(condense::reduce(copy, condense::pipeline{layer, again}, roomy, per_byte{}));
        return texts(copy).front();
    };
    CHECK(told(0, false) == "0 4000");
    CHECK(told(3, false) == "3 500");
    CHECK(told(2, true) == "6 62");
}
