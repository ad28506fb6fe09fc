// SPDX-License-Identifier: BSL-1.0

// Acceptance cases: which tool results are shortened, which are left alone, and that it happens once.

#include "cases/runs.hpp"

namespace {

using namespace cases;

/// Steps with results of these sizes, oldest first, and an answer at the end.
conversation steps(std::initializer_list<std::size_t> sizes, std::string const& tool = "t") {
    conversation out{U()};
    for (auto const size : sizes) {
        auto const id = std::to_string(out.size());
        out += {C(id, tool), R(id, letters(size))};
    }
    out.push_back(A(""));
    return numbered(out);
}

/// Which results are not what they were, counted from 0.
list cut(conversation const& before, conversation const& after) {
    REQUIRE(before.size() == after.size());
    list out;
    int which = 0;
    for (std::size_t index = 0; index < before.size(); ++index) {
        if (before[index].role != role::tool) CHECK(before[index] == after[index]);
        else if (before[index] != after[index]) out.push_back(which++);
        else ++which;
    }
    return out;
}

template <class Layer>
list cut_by(Layer const& layer, conversation const& before) {
    return cut(before, cases::after(before, layer));
}

constexpr head_tail ends{.head = 1'000_chars, .tail = 1'000_chars};

TEST_CASE("the limit belongs to what is left alone", "[case-53]") {
    compress const layer{.when = always, .over = 9'999_chars};
    CHECK(cut_by(layer, steps({10'000})) == list{0});
    CHECK(cut_by(layer, steps({9'999})) == list{});
}

TEST_CASE("a conversation within the protected zones is left alone quietly", "[case-55]") {
    auto messages = steps({20'000});
    auto const before = messages;
    auto const report = run(messages, compress{.when = always, .protect = first(1_messages) | last(10_messages)});
    CHECK(messages.size() == 4u);
    CHECK(messages == before);
    CHECK_FALSE(report.changed());
    CHECK(report.outcome == outcome::fits);
    CHECK(report.layers[0].outcome != layer_outcome::failed);
    CHECK(report.layers[0].refused == 0u);
}

TEST_CASE("empty content is returned as it is", "[case-58]") {
    auto messages = steps({0, 20'000, 0});
    messages[4].parts.push_back({.kind = part_kind::text});
    chat_message const hollow{.role = role::tool};
    messages.push_back(hollow);
    auto const before = messages;
    auto const left = cases::after(messages, compress{.when = always});
    CHECK(cut(before, left) == list{1});
    CHECK(left[4].parts.back() == before[4].parts.back());
    CHECK(left.back() == hollow);
}

/// 50,000 characters at 2.5 a token, and 18 tokens for the message: 20,018.
struct wide {
    condense::cost operator()(std::string_view text) const { return {text.size() * 2 * condense::cost::per_token / 5}; }
    condense::cost frame(role speaker) const {
        return condense::cost::of(speaker == role::tool ? 18_tokens : 0_tokens);
    }
};

list pruned(std::size_t results, condense::tokens least) {
    auto before = steps({});
    before.pop_back();
    for (std::size_t index = 0; index < results; ++index) {
        auto const id = std::to_string(index);
        before += {C(id, "t", ""), R(id, letters(50'000))};
    }
    before.push_back(A(""));
    auto messages = before;
    auto const report = condense::reduce(messages,
                                         compress{.when = always,
                                                  .protect = covering(40'000_tokens),
                                                  .worth = at_least(least),
                                                  .over = 2'000_chars,
                                                  .with = ends},
                                         roomy, wide{});
    CHECK(report.before.tokens.count == 1u + results * 20'018u);
    return cut(before, messages);
}

// The minimum is of what is saved in truth, after the preview: 19,170 tokens a result, not 20,018.
TEST_CASE("the newest results are whole, the older ones are pruned", "[case-60]") {
    CHECK(pruned(5, 19'000_tokens) == list{0, 1, 2});
    CHECK(pruned(4, 19'000_tokens) == list{0, 1});
    CHECK(pruned(3, 19'000_tokens) == list{0});
    CHECK(pruned(2, 19'000_tokens) == list{});
}

TEST_CASE("pruning that gains too little is left", "[case-61]") {
    CHECK(pruned(3, 30'000_tokens) == list{});
    CHECK(pruned(4, 30'000_tokens) == list{0, 1});
}

/// Messages that stand as they were sent the last time.
std::size_t common_prefix(conversation const& previous, conversation const& next) {
    std::size_t same = 0;
    while (same < previous.size() && same < next.size() && previous[same] == next[same]) ++same;
    return same;
}

TEST_CASE("the order that preserves a cache begins nearest the protected messages and stops at its target",
          "[case-T102]") {
    constexpr auto layer = [](condense::candidate_order order) {
        return compress{.when = used >= 8'000_tokens,
                        .until = used <= 6'500_tokens,
                        .protect = last(3_messages),
                        .order = order,
                        .over = 500_chars,
                        .with = head{.keep = 100_chars}};
    };
    // Ten results of 1,000; the last of them and the answer are protected. Each cut saves about 800.
    auto const before = steps({1'000, 1'000, 1'000, 1'000, 1'000, 1'000, 1'000, 1'000, 1'000, 1'000});
    auto const left = cases::after(before, layer(condense::newest_first));
    CHECK(cut(before, left) == list{4, 5, 6, 7, 8});
    CHECK(cut(before, cases::after(before, layer(condense::oldest_first))) == list{0, 1, 2, 3, 4});
    CHECK(size_of(left) <= 6'500);
    CHECK(size_of(left) + 800 > 6'500);  // one less would not do

    // Any five of the nine that may be cut begin at the fifth or before it.
    CHECK(common_prefix(before, left) == 2u + 2u * 4u);

    // The conversation goes on, and what was sent stays as long as it can.
    auto grown = left;
    for (int round = 10; round < 13; ++round)
        grown += {C("n" + std::to_string(round)), R("n" + std::to_string(round), letters(1'000))};
    grown = numbered(grown + conversation{A("")});
    auto const sent = cases::after(grown, layer(condense::newest_first));
    CHECK(size_of(sent) <= 6'500);
    CHECK(cut(grown, sent) == list{9, 10, 11});
    CHECK(common_prefix(grown, sent) > common_prefix(grown, cases::after(grown, layer(condense::oldest_first))));
}

// Sizes of the case times 100.
TEST_CASE("a large call stays a call", "[case-131]") {
    auto const arguments = "{\"content\":\"" + letters(20'000) + "\"}";
    conversation const before{U(), C("1", "write", arguments), R("1", letters(20'000)), A()};
    auto const left = cases::after(before, compress{.when = always, .over = 5'000_chars, .with = ends});
    CHECK(cut(before, left) == list{0});
    CHECK(left[1].parts.front().kind == part_kind::tool_call);
    CHECK(broken(left) == "");
}

TEST_CASE("a small block is left alone", "[case-T44]") {
    compress const layer{.when = always, .over = 511_bytes, .with = head{.keep = 10_bytes}};
    CHECK(cut_by(layer, steps({511})) == list{});
    CHECK(cut_by(layer, steps({512})) == list{0});
}

TEST_CASE("a form that is not smaller leaves the original", "[case-T45]") {
    std::size_t size = 0;
    auto const fill = [&](condense::part_view const&, condense::cut) {
        return std::optional<std::string>{letters(size, 'y')};
    };
    auto const result = [&](std::size_t length) {
        size = length;
        auto messages = steps({20'000});
        auto const before = messages;
        auto const report = run(messages, compress{.when = always, .with = fill});
        CHECK((messages == before) == (length >= 20'000));
        CHECK((report.layers[0].outcome == layer_outcome::applied) == (length < 20'000));
        return messages;
    };
    result(20'001);
    result(20'000);
    CHECK(text_of(result(19'999)[2]) == letters(19'999, 'y'));
}

/// Of T47 and T49.
compress const mask{.when = always,
                    .protect = newest(50'000_tokens),
                    .worth = at_least(30'000_tokens),
                    .over = 2'000_chars,
                    .with = ends};

TEST_CASE("only what is older than the protected tokens is masked", "[case-T47]") {
    CHECK(cut_by(mask, steps({60'000, 20'000, 10'000})) == list{0});
}

TEST_CASE("too little to reclaim changes nothing", "[case-T49]") {
    auto messages = steps({15'000, 15'000, 25'000, 20'000});
    auto const before = messages;
    auto const report = run(messages, mask);
    CHECK(messages == before);
    CHECK(report.layers[0].outcome == layer_outcome::declined);
    CHECK(report.layers[0].saved.count == 0u);
    CHECK(cut_by(mask, steps({17'500, 17'500, 25'000, 20'000})) == list{0, 1});
}

TEST_CASE("masked results and exempt tools are skipped", "[case-T50]") {
    compress const exempting{.when = always, .protect = tools("keep_*"), .over = 2'000_chars, .with = ends};
    auto const before = steps({60'000, 20'000}) + conversation{C("k", "keep_notes"), R("k", letters(60'000)), A("")};
    auto const once = cases::after(before, exempting);
    CHECK(cut(before, once) == list{0, 1});
    CHECK(cut_by(exempting, once) == list{});
}

}  // namespace
