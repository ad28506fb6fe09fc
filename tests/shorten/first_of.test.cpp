// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/first_of.hpp>

#include "shorten/around.hpp"

namespace {

using namespace around;
using condense::first_of, condense::head, condense::head_tail, condense::part_kinds, condense::part_view;

/// Texts that begin with `letter`, as `size` of it; says nothing of others.
struct only {
    char letter = 'x';
    std::size_t size = 10;
    constexpr std::optional<std::string> operator()(part_view const& part, condense::cut) const {
        if (part.text.empty() || part.text.front() != letter || part.text.size() <= size) return std::nullopt;
        return std::string(size, letter);
    }
    friend constexpr bool operator==(only const&, only const&) = default;
};
struct of_calls : only {
    static constexpr part_kinds applies_to = condense::part_kind::tool_call;
};
struct with_limit : only {
    condense::text_limit over = 100_chars;
};
struct strict : only {
    constexpr void validate() const {
        condense::detail::reject_unless(size != 0, "condense: strict: the size must not be 0 (see strict)");
    }
};
struct keeping_everything {
    using needs_conversation = void;
    auto bind(auto const& seen) const {
        return [count = seen.outline().size()](condense::part_ref, part_view const& part, condense::cut) {
            auto note = std::to_string(count);
            return part.text.size() > note.size() ? std::optional{note} : std::nullopt;
        };
    }
};

static_assert(condense::shortener<only> && condense::shortener<decltype(first_of(only{}, head_tail{}))>);
static_assert(std::is_same_v<decltype(first_of(only{})), only>);
static_assert(first_of(only{'a'}, only{'b'}) == first_of(only{'a'}, only{'b'}));
static_assert(!(first_of(only{'a'}, only{'b'}) == first_of(only{'b'}, only{'a'})));

std::string cut(auto const& shorten, std::string text, condense::cut how = {.over = 20_chars}) {
    return shorten(part_view{.kind = part_kind::tool_result, .text = text}, how).value_or("-");
}

}  // namespace

TEST_CASE("first_of: the first that comes within the limit; where none does, the one that leaves least") {
    auto const shorten = first_of(only{'x', 10}, only{'y', 11}, only{'x', 5});
    CHECK(cut(shorten, letters(100)) == letters(10));
    CHECK(cut(shorten, letters(100, 'y')) == letters(11, 'y'));
    CHECK(cut(shorten, letters(100, 'z')) == "-");
    CHECK(cut(shorten, letters(20)) == "-");  // within the layer's limit
    CHECK(cut(first_of(only{'x', 50}, only{'x', 40}, only{'x', 45}), letters(100)) == letters(40));
    CHECK(cut(first_of(only{'x', 40}, only{'x', 40}), letters(100)) == letters(40));
    CHECK(cut(first_of(only{'x', 40}, only{'y'}), letters(100)) == letters(40));
    CHECK(cut(first_of(only{'x', 50}, only{'x', 20}), letters(100)) == letters(20));
    // Without a limit anything will do.
    CHECK(cut(first_of(only{'x', 50}, only{'x', 40}), letters(100), {}) == letters(50));
}

TEST_CASE("first_of: each has its own kinds and its own limit, and the values of all are checked") {
    auto const shorten = first_of(of_calls{{'x', 7}}, with_limit{{'x', 8}}, only{'x', 9});
    auto const of = [&](part_kind kind, std::size_t size) {
        auto const text = letters(size);
        return shorten(part_view{.kind = kind, .text = text}, {.over = 20_chars}).value_or("-");
    };
    CHECK(of(part_kind::tool_call, 200) == letters(7));
    CHECK(of(part_kind::tool_result, 200) == letters(8));
    CHECK(of(part_kind::tool_result, 100) == letters(9));
    CHECK(of(part_kind::text, 200) == "-");
    CHECK(decltype(shorten)::applies_to.holds(part_kind::tool_call));
    CHECK(decltype(shorten)::applies_to.holds(part_kind::tool_result));
    CHECK_FALSE(decltype(shorten)::applies_to.holds(part_kind::text));
    CHECK_NOTHROW(mix_of(first_of(only{}, strict{{'x', 1}})));
    CHECK_THROWS_AS(mix_of(first_of(only{}, strict{{'x', 0}})), condense::invalid_configuration);
    CHECK_THROWS_AS(mix_of(first_of(strict{{'x', 0}}, only{})), condense::invalid_configuration);
    CHECK_THROWS_AS(mix_of(first_of(only{}, only{}, strict{{'x', 0}})), condense::invalid_configuration);
}

TEST_CASE("first_of: one that looks at the whole conversation, and one that does not") {
    conversation const messages{U(), C("1", "ls"), R("1", letters(20'000)), C("2", "ls"), R("2", letters(20'000, 'y')),
                                A(), U()};
    condense::compress const layer{.when = condense::always, .with = first_of(only{}, keeping_everything{})};
    CHECK(texts(settled(messages, condense::pipeline{layer})) == std::vector<std::string>{letters(10), "7"});
    condense::compress const other{.when = condense::always, .with = first_of(keeping_everything{}, only{})};
    CHECK(texts(settled(messages, condense::pipeline{other})) == std::vector<std::string>{"7", "7"});
    // By itself there is no conversation to look at.
    CHECK(cut(first_of(keeping_everything{}, only{}), letters(100)) == letters(10));
    CHECK(cut(first_of(keeping_everything{}, only{}), letters(100, 'y')) == "-");
}
