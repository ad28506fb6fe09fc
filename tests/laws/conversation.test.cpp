// SPDX-License-Identifier: BSL-1.0

#include "laws/harness.hpp"
#include "support/messages/chat.hpp"

// The laws of a conversation over random conversations and random pipelines, for the library's own
// message type; message_types.hpp has the others.

namespace {

using laws::recount;
using laws::tally;

laws::broken run_seed(std::uint64_t seed, tally& tallied) {
    using history = std::vector<laws::chat_message>;
    auto const original = laws::conversation_generator{seed}.make();
    laws::random_source random{seed ^ 0xC0FFEEu};
    auto const limits = laws::random_budget(original, random);
    bool const marks = random.chance(60);
    laws::broken broken;
    laws::with_random_mix(random, [&](auto const& mix) {
        broken = seed % 2 == 0
                     ? laws::run_one<history>(original, mix, limits, laws::byte_estimator{}, marks, tallied)
                     : laws::run_one<history>(original, mix, limits, condense::char_ratio<condense::family::claude>{},
                                              marks, tallied);
    });
    return broken;
}

/// Stores, models, predicates and layers that fail: what is left obeys the laws all the same.
laws::broken run_faulty(std::uint64_t seed, tally& tallied) {
    auto const original = laws::conversation_generator{seed}.make();
    laws::random_source random{seed};
    auto const limits = laws::random_budget(original, random);
    laws::broken broken;
    laws::with_faulty_mix(random, [&](auto const& mix) {
        auto reduced = original;
        auto const report = condense::reduce(reduced, mix, limits, laws::byte_estimator{});
        broken = laws::checker{original, reduced}.violations();
        laws::check_report(report, broken);
        if (report.after.tokens !=
            (recount(reduced, laws::byte_estimator{}) + condense::cost::of(limits.overhead)).tokens())
            broken.insert("the report's usage is not that of the output");
        ++tallied.runs;
        for (auto const& layer : report.layers) {
            if (layer.failures == 0) continue;
            ++tallied.applied[layer.name];
            if (layer.outcome != condense::layer_outcome::applied && layer.note.empty())
                broken.insert("L7 a failure without a reason");
            if (layer.outcome == condense::layer_outcome::failed &&
                layer.saved.count + layer.groups_dropped + layer.parts_shortened > 0)
                broken.insert("L7 a failed layer left edits");
        }
    });
    return broken;
}

}  // namespace

TEST_CASE("the laws hold for random conversations and pipelines", "[laws][law-5]") {
    auto const rounds = laws::rounds_asked();
    tally tallied;
    laws::run_seeds(rounds, tallied, run_seed);
    CHECK(tallied.runs > 0);
    if (rounds < 1'000) return;
    WARN(tallied.figures());
    CHECK(tallied.changed * 10 >= tallied.runs * 6);
    for (auto const* const layer : {"offload", "compress", "summarize", "sliding_window", "escalate"})
        CHECK(tallied.applied[layer] >= rounds / 20);
    for (auto const* const outcome : {"fits", "over", "exhausted"}) CHECK(tallied.outcomes[outcome] >= rounds / 200);
}

TEST_CASE("what fails changes nothing", "[laws]") {
    auto const rounds = laws::rounds_asked() / 5 + 1;
    tally tallied;
    laws::run_seeds(rounds, tallied, run_faulty);
    CHECK(tallied.runs > 0);
    if (rounds < 500) return;
    for (auto const* const layer : {"offload", "summarize", "sliding_window", "faulty_layer"})
        CHECK(tallied.applied[layer] >= rounds / 15);
}
