// SPDX-License-Identifier: BSL-1.0
#include <condense/core/part_copies.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using condense::part_kind;
using condense::part_view;
using condense::detail::part_copies;

/// Messages with parts "0 a", "0 b", ... and a count of how often they were read.
struct messages {
    int reads = 0;

    constexpr auto reader(std::uint32_t index) {
        return [this, index](auto const& sink) {
            ++reads;
            for (char const letter : {'a', 'b', 'c'}) {
                std::array<char, 3> const text{static_cast<char>('0' + index), ' ', letter};
                sink(part_view{.kind = part_kind::tool_result, .text = {text.data(), 3}, .call = {&text[2], 1}});
            }
        };
    }
};

constexpr bool parts_are_as_they_were_shown() {
    messages all;
    part_copies copies;
    bool good = true;
    bool const used = copies.use(7, all.reader(7), [&](auto const& parts) {
        good = parts.size() == 3 && parts.at(1).text == "7 b" && parts.at(1).call == "b" && parts.at(2).text == "7 c" &&
               parts.at(0).kind == part_kind::tool_result && parts.at(0).tool.empty();
    });
    return used && good;
}
static_assert(toy::run_time_only || parts_are_as_they_were_shown());

constexpr bool some_messages_are_read_once() {
    messages all;
    part_copies copies;
    bool good = true;
    for (int round = 0; round < 5; ++round)
        for (std::uint32_t index = 0; index < 4; ++index)
            good = copies.use(index, all.reader(index), [&](auto const& parts) {
                good = good && parts.at(0).text[0] == char('0' + index);
            }) && good;
    if (!good || all.reads != 4) return false;
    // The one that was used least recently makes room.
    copies.use(4, all.reader(4), [](auto const&) {});
    copies.use(1, all.reader(1), [](auto const&) {});
    copies.use(0, all.reader(0), [](auto const&) {});
    return all.reads == 6;
}
static_assert(toy::run_time_only || some_messages_are_read_once());

constexpr bool parts_stay_while_they_are_in_use() {
    messages all;
    part_copies copies;
    bool good = true;
    auto const use = [&](std::uint32_t index, auto const& inner) {
        return copies.use(index, all.reader(index), [&](auto const& parts) {
            inner();
            good = good && parts.at(2).text[0] == char('0' + index);
        });
    };
    bool fifth = true;
    bool again = false;
    use(0, [&] {
        use(1, [&] {
            use(2, [&] {
                use(3, [&] {
                    fifth = use(4, [] {});
                    again = use(0, [] {});
                });
            });
        });
    });
    return good && !fifth && again && all.reads == 4 && use(4, [] {});
}
static_assert(toy::run_time_only || parts_stay_while_they_are_in_use());

constexpr bool parts_have_their_call_ids() {
    part_copies copies;
    auto const read = [](auto const& sink) {
        for (auto const* const id : {"b", "", "a", "b", "ab", "a", "b"}) sink(part_view{.text = "t", .call = id});
    };
    auto const found = [&](std::string_view id) {
        std::vector<std::uint32_t> all;
        copies.use(0, read,
                   [&](auto& parts) { parts.each_with(id, [&](std::uint32_t index) { all.push_back(index); }); });
        return all;
    };
    return found("b") == std::vector<std::uint32_t>{0, 3, 6} && found("a") == std::vector<std::uint32_t>{2, 5} &&
           found("ab") == std::vector<std::uint32_t>{4} && found("").empty() && found("c").empty();
}
static_assert(toy::run_time_only || parts_have_their_call_ids());

}  // namespace

TEST_CASE("part_copies: the parts of long messages") {
    CHECK(parts_are_as_they_were_shown());
    CHECK(some_messages_are_read_once());
    CHECK(parts_stay_while_they_are_in_use());
    CHECK(parts_have_their_call_ids());
}

TEST_CASE("part_copies: a message that cannot be read is read again") {
    messages all;
    part_copies copies;
    auto const fails = [](auto const& sink) {
        sink(part_view{.text = "half"});
        throw 7;
    };
    CHECK_THROWS_AS(copies.use(0, fails, [](auto const&) {}), int);
    std::string text;
    CHECK(copies.use(0, all.reader(0), [&](auto const& parts) { text = parts.at(0).text; }));
    CHECK(text == "0 a");
}
