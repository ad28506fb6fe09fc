// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/worth.hpp>

#include <initializer_list>

#include <condense/condense.hpp>

#include "core/constant.hpp"
#include "laws/generator.hpp"
#include "support/effort.hpp"
#include "support/notation.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::at_least, condense::tokens, condense::usage;

constexpr bool any_figures_are_harmless() {
    for (auto const figure : figures_of_any_size) {
        if (!at_least(tokens{figure}).pays({figure}, {}) || !at_least(100_pct).pays({figure}, {.input = {figure}}))
            return false;
        if (figure != 0 && at_least(100_pct).pays({figure - 1}, {.input = {figure}})) return false;
    }
    return true;
}

static_assert(at_least(5_tokens) == at_least(5_tokens) && at_least(5_pct) != at_least(6_pct));

using condense::gain, condense::pays_off;
static_assert(3.75_per_million == condense::price{3'750'000} && 3_per_million == condense::price{3'000'000});

constexpr gain batch(std::uint64_t saved, std::uint64_t before, std::uint64_t prefix_before,
                     std::uint64_t prefix_after) {
    return {.saved = {saved},
            .before = {.tokens = {before}},
            .prefix_before = {prefix_before},
            .prefix_after = {prefix_after}};
}

/// All is cached at a tenth of the price, and 10 requests are to come.
constexpr pays_off tenth{.input_price = 10_per_million, .cached_price = 1_per_million, .turns = 10_turns};

/// 2,000 * 10 * 1 saved, 3,000 * (10 - 1) sent anew; with another write price, or fewer blocks, it turns.
constexpr bool each_figure_decides() {
    auto const made = batch(2'900, 100'000, 100'000, 94'100);
    auto bound = made;
    bound.bound = {1'000};  // 19 for each are saved
    auto dearer = tenth, longer = tenth, coarser = tenth, uncached = tenth;
    dearer.write_price = 12_per_million;
    longer.turns = 11_turns;
    coarser.block = 1'024_tokens;
    uncached.cached_price = 10_per_million;
    auto const model = pays_off::at({10_per_million, 1_per_million, 10_per_million, 99_per_million});
    return tenth.pays(made) && tenth.pays(bound) && model.pays(made) && !model.pays(bound) && !dearer.pays(made) &&
           longer.pays(made) && !coarser.pays(made) && uncached.pays(made);
}

/// Bills request by request: what a request has in common with the one before, message by message, in
/// whole blocks, is read from the cache while that lives.
struct provider {
    pays_off prices;
    std::uint64_t gap = 1;
    std::uint64_t lifetime = 5;
    std::vector<std::string> held = {};

    static std::uint64_t size(std::string const& message) { return message.size(); }

    std::uint64_t bill(std::vector<std::string> request) {
        std::uint64_t total = 0;
        std::uint64_t common = 0;
        bool same = gap <= lifetime;
        for (std::size_t at = 0; at < request.size(); ++at) {
            total += size(request[at]);
            same = same && at < held.size() && held[at] == request[at];
            if (same) common += size(request[at]);
        }
        auto const cached = common / prices.block.count * prices.block.count;
        auto const fresh = std::max(prices.write_price.millionths, prices.input_price.millionths);
        held = std::move(request);
        return cached * prices.cached_price.millionths + (total - cached) * fresh;
    }
};

/// What is sent, message by message.
std::vector<std::string> sent_texts(conversation const& history) {
    std::vector<std::string> all;
    for (auto const& m : history) all.push_back(words(m));
    return all;
}

conversation tool_rounds(laws::random_source& random) {
    conversation history{S(letters(1 + random.below(4'000), 's')), U("task")};
    for (auto left = 2 + random.below(30); left-- != 0;) {
        auto const id = std::to_string(left);
        history.push_back(joined(A("looking " + id), C(id, "look")));
        history.push_back(
            R(id, std::string(1 + random.below(random.chance(30) ? 12'000 : 600), static_cast<char>('a' + left % 26))));
    }
    history += {A("so far"), U("go on")};
    return history;
}

auto mix_with(auto worth, std::uint64_t keep) {
    condense::chars const end{keep};
    return condense::pipeline{condense::compress{.when = condense::always,
                                                 .worth = worth,
                                                 .over = condense::chars{2 * keep + 200},
                                                 .with = condense::head_tail{end, end}}};
}

}  // namespace

TEST_CASE("worth: pays_off is never the dearer side by more than 2 %, billed request by request") {
    laws::random_source random{2};
    unsigned made = 0;
    unsigned left = 0;
    for (unsigned round = 0; round < rounds(2'000); ++round) {
        auto const original = tool_rounds(random);
        pays_off real{.input_price = {1 + random.below(20'000'000)},
                      .turns = {1 + random.below(random.chance(60) ? 3 : 30)}};
        real.cached_price = {real.input_price.millionths / (1 + random.below(20))};
        if (random.chance(40)) real.write_price = {real.input_price.millionths * 5 / 4};
        if (random.chance(50)) real.block = {std::uint64_t{1} << random.below(9)};
        provider const asked{.prices = real, .gap = 1 + random.below(7)};
        auto known = real;
        if (asked.gap > asked.lifetime) known.cached_price = std::max(real.input_price, real.write_price);
        auto const seen = original.size() - (random.chance(50) ? random.below(original.size()) : 0);
        auto const keep = 100 + random.below(5'000);
        auto const run = [&](auto worth) {
            auto history = original;
            condense::run_options<> options{.sent = {seen}};
            static_cast<void>(
                condense::reduce(history, mix_with(worth, keep), {.window = 10'000'000_tokens}, per_byte{}, options));
            return sent_texts(history);
        };
        auto const all = sent_texts(original);
        auto const shortened = run(condense::least_gain{});
        auto const chosen = run(known);
        if (shortened == all) continue;
        auto const bill = [&](std::vector<std::string> request) {
            auto to = asked;
            to.held.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(seen));
            std::uint64_t sum = 0;
            for (std::uint64_t turn = 0; turn < real.turns.count; ++turn) {
                sum += to.bill(request);
                request.push_back(letters(500, 'g'));
            }
            return sum;
        };
        CAPTURE(round);
        REQUIRE((chosen == all || chosen == shortened));
        auto const price = bill(chosen);
        REQUIRE(price * 100 <= std::min(bill(all), bill(shortened)) * 102);
        ++(chosen == all ? left : made);
    }
    CHECK(made > rounds(2'000) * 3 / 20);
    CHECK(left > rounds(2'000) * 3 / 20);
}

TEST_CASE("worth: a session knows that nothing was sent before its first request") {
    for (bool const asked : {false, true}) {
        condense::session chat{
            conversation{},
            condense::pipeline{condense::compress{
                .when = condense::used >= 1'000_tokens,
                .worth = pays_off{.input_price = 10_per_million, .cached_price = 1_per_million, .turns = 1_turns},
                .over = 300_chars,
                .with = condense::head{20_chars}}},
            {.window = 100'000_tokens},
            per_byte{}};
        push(chat, {U("task"), C("1", "look"), R("1", letters(400)), A(letters(20'000, 'y'))});
        if (asked) static_cast<void>(chat.request());
        CHECK(chat.run().changed() == !asked);
    }
}

TEST_CASE("worth: what a batch must gain") {
    CHECK_CONSTANT(tenth.pays(batch(50'000, 100'000, 100'000, 50'000)) &&   // all behind the change is gone
                   tenth.pays(batch(50'000, 100'000, 100'000, 49'999)) &&   // 1 token sent anew
                   !tenth.pays(batch(1'000, 100'000, 100'000, 50'000)) &&   // 49,000 sent anew
                   tenth.pays(batch(1'000, 100'000, 50'000, 50'000)) &&     // they are anyway
                   !tenth.pays(batch(0, 100'000, 50'000, 50'000)));
    CHECK_CONSTANT(each_figure_decides());
    // Any gain pays.
    CHECK_CONSTANT(condense::least_gain{}.pays(1_tokens, {}) && condense::least_gain{}.pays(0_tokens, {}));
    CHECK_CONSTANT(at_least(20'000_tokens).pays(20'000_tokens, {}) &&
                   !at_least(20'000_tokens).pays(19'999_tokens, {.tokens = 1'000'000_tokens, .input = 5_tokens}));
    // A share is of the input, not of the use; never rounded down.
    constexpr usage before{.tokens = 10'000_tokens, .input = 101_tokens};
    CHECK_CONSTANT(at_least(10_pct).pays(11_tokens, before) && !at_least(10_pct).pays(10_tokens, before) &&
                   at_least(10_pct).pays(10_tokens, {.input = 100_tokens}));
    CHECK_CONSTANT(any_figures_are_harmless());
}
