// SPDX-License-Identifier: BSL-1.0
#include <deque>

#include <condense/shorteners.hpp>

#include "laws/message_types.hpp"
#include "support/messages/json.hpp"
#include "support/messages/post.hpp"

// The laws of a conversation, with every shortener at work on it.

namespace {

using namespace condense::literals;
using laws::random_source;

struct few_lines {
    condense::content operator()(std::string_view text) const {
        return text.size() % 2 == 0 ? condense::content_of(text) : condense::content::log;
    }
};

/// Calls f(mix) for one of three orders, with limits that random conversations reach.
template <class Function>
void with_shorteners(random_source& random, Function&& f) {
    using condense::used;
    auto const low = laws::share(random, 1'000, 6'000);
    auto const line = laws::share(random, 6'001, 9'800);
    condense::chars const over{100 + random.below(3'000)};
    condense::chars const at_most{384 + random.below(2'000)};
    condense::text_limit const end = condense::chars{1 + random.below(over.count)};
    auto const shorten = condense::first_of(
        condense::old_reasoning{.keep = {random.below(4)}, .wanted = condense::reasoning_wanted::open_round},
        condense::media_note{}, condense::superseded_reads{}, condense::duplicate_results{}, condense::point_to_file{},
        condense::shorten_arguments{.over = 200_chars}, condense::collapse_repeats{}, condense::json_minify{},
        condense::by_content{.json = condense::json_sample{.at_most = at_most},
                             .log = condense::compact_log{.at_most = at_most},
                             .detect = few_lines{}},
        condense::salient_lines{.at_most = at_most}, condense::head_tail{end, end});
    auto const mix = [&](auto order, auto worth) {
        auto const compress = condense::compress<condense::trigger, condense::task_t, decltype(worth),
                                                 std::remove_const_t<decltype(shorten)>>{
            used >= low, {}, {}, worth, order, over, shorten};
        auto const window = condense::sliding_window{.when = used >= line};
        f(condense::pipeline{compress, window, condense::escalate{.when = used >= line, .passes = 3}});
    };
    switch (random.below(3)) {
        case 0: return mix(condense::oldest_first, condense::least_gain{});
        case 1: return mix(condense::newest_first, condense::pays_off{.turns = {1 + random.below(30)}});
        default: return mix(condense::largest_first, condense::least_gain{});
    }
}

template <class History>
void check_shortened() {
    using message_type = std::remove_cvref_t<decltype(*std::declval<History&>().begin())>;
    auto const rounds = (laws::rounds_asked() + 9) / 10;
    laws::tally tallied;
    laws::run_seeds(rounds, tallied, [](std::uint64_t seed, laws::tally& into) {
        auto const original = forms::projected<message_type>(laws::conversation_generator{seed}.make());
        random_source random{seed ^ 0x5B0Au};
        auto const limits = laws::random_budget(original, random);
        bool const marks = random.chance(50) && condense::detail::markable<message_type>;
        laws::broken found;
        with_shorteners(random, [&](auto const& mix) {
            found = laws::run_one<History>(original, mix, limits, laws::byte_estimator{}, marks, into);
        });
        return found;
    });
    CHECK(tallied.runs > 0);
    if (rounds < 400) return;
    WARN(tallied.figures());
    CHECK(tallied.applied["compress"] >= rounds / 3);
}

}  // namespace

TEST_CASE("the laws hold with every shortener", "[laws]") { check_shortened<std::vector<condense::chat_message>>(); }
TEST_CASE("the laws hold with every shortener in JSON", "[laws]") { check_shortened<forms::json::array_t>(); }
TEST_CASE("the laws hold with every shortener for messages of variants", "[laws]") {
    check_shortened<std::deque<forms::post>>();
}
