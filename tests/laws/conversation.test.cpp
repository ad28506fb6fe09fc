// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "laws/checker.hpp"
#include "laws/generator.hpp"
#include "laws/mixes.hpp"
#include "support/catch.hpp"

// The laws of a conversation over random conversations and random pipelines. A failure prints its
// seed; CONDENSE_SEED=<seed> runs that one, CONDENSE_ROUNDS=<n> as many as one likes.

namespace {

std::uint64_t from_environment(char const* name, std::uint64_t otherwise) {
    auto const* const given = std::getenv(name);
    return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
}

std::uint64_t rounds_asked() {
    return from_environment("CONDENSE_ROUNDS", std::getenv("CONDENSE_SEED") != nullptr ? 1 : 20'000);
}

struct tally {
    std::uint64_t runs = 0;
    std::uint64_t changed = 0;
    std::map<std::string, std::uint64_t> applied;
    std::map<std::string, std::uint64_t> outcomes;
};

template <class Estimator>
condense::cost recount(std::vector<laws::chat_message> const& all, Estimator const& count) {
    condense::cost sum;
    for (auto const& m : all) {
        sum += count.frame(m.role);
        for (auto const& part : m.parts) {
            sum += part.cost ? *part.cost : count(part.text);
            if constexpr (requires { count.frame(condense::part_view{}); })
                sum += count.frame(condense::part_view{.kind = part.kind, .tool = part.tool, .call = part.call});
        }
    }
    return sum;
}

template <class Report>
void check_report(Report const& report, laws::broken& broken) {
    std::uint64_t saved = 0;
    std::uint64_t restored = 0;
    for (auto const& layer : report.layers) {
        saved += layer.saved.count;
        restored += layer.restored.count;
        if ((layer.outcome == condense::layer_outcome::applied) !=
            (layer.saved.count + layer.groups_dropped + layer.parts_shortened > 0) && layer.name != "escalate")
            broken.insert("L4 applied without a decrease, or the reverse");
    }
    if (report.before.tokens.count + restored != report.after.tokens.count + saved) broken.insert("L14 savings do not add up");
    if (report.after.tokens > report.before.tokens) broken.insert("L4 larger");
    if (report.after.messages > report.before.messages) broken.insert("L4 more messages");
    if (report.outcome == condense::outcome::fits && !report.fits()) broken.insert("L8 said to fit");
    if (report.outcome == condense::outcome::over && report.fits()) broken.insert("L8 said to be over");
    if (report.outcome == condense::outcome::exhausted && (report.fits() || report.floor <= report.limit))
        broken.insert("L8 said to be exhausted");
}

template <class Mix, class Estimator>
laws::broken run_one(std::vector<laws::chat_message> const& original, Mix const& mix, condense::budget limits,
                     Estimator const& count, bool marks, tally& tallied) {
    condense::run_options<> options;
    options.marks = marks;
    auto reduced = original;
    auto const report = condense::reduce(reduced, mix, limits, count, options);

    laws::checker const first{original, reduced};
    auto broken = first.violations();
    check_report(report, broken);
    if (report.after.tokens != (recount(reduced, count) + condense::cost::of(limits.overhead)).tokens())
        broken.insert("the report's usage is not that of the output");
    if (report.before.tokens != (recount(original, count) + condense::cost::of(limits.overhead)).tokens())
        broken.insert("the report's usage is not that of the input");
    if (report.outcome == condense::outcome::exhausted) {
        if (!first.only_floor()) broken.insert("L8 exhausted, but something could go");
        if (report.floor != report.after.tokens) broken.insert("L8 the floor is not what is left");
    }
    if (condense::has_last_resort<Mix> && report.outcome != condense::outcome::fits && report.outcome != condense::outcome::exhausted)
        broken.insert("L8 a last resort that was none");
    auto place = std::size_t{0};
    while (place < original.size() && place < reduced.size() && original[place] == reduced[place]) ++place;
    if (report.changed() != (original != reduced)) broken.insert("first_changed is wrong");
    if (report.changed() && *report.first_changed != place) broken.insert("first_changed is not the first");

    auto twin = original;
    auto const same = condense::reduce(twin, mix, limits, count, options);
    if (twin != reduced || same.outcome != report.outcome) broken.insert("L11 not deterministic");

    bool const settled = report.outcome == condense::outcome::fits || report.outcome == condense::outcome::exhausted;
    auto again = reduced;
    auto const second = condense::reduce(again, mix, limits, count, options);
    // What failed may be tried again by a later run.
    auto const failed = std::any_of(report.layers.begin(), report.layers.end(), [](auto const& layer) { return layer.failures != 0; });
    if (settled && !failed && (marks || !condense::calls_model<Mix>) && (again != reduced || second.changed())) broken.insert("L5 a second run changes something");
    if (!settled && second.changed() && second.after.tokens >= report.after.tokens && second.after.messages >= report.after.messages)
        broken.insert("L5 a further run is not smaller");

    if (std::getenv("CONDENSE_SEED") != nullptr && rounds_asked() == 1) UNSCOPED_INFO(report.text() + second.text());
    ++tallied.runs;
    tallied.changed += report.changed() ? 1u : 0u;
    ++tallied.outcomes[std::string{name(report.outcome)}];
    for (auto const& layer : report.layers)
        if (layer.outcome == condense::layer_outcome::applied) ++tallied.applied[std::string{layer.name}];
    return broken;
}

condense::budget random_budget(std::vector<laws::chat_message> const& all, laws::random_source& random) {
    auto const whole = recount(all, laws::byte_estimator{}).tokens();
    condense::budget limits{.window = {1 + whole.count * (5 + random.below(130)) / 100}};
    if (random.chance(30)) limits.output = {limits.window.count / 10};
    if (random.chance(20)) limits.overhead = {random.below(200)};
    return limits;
}

laws::broken run_seed(std::uint64_t seed, tally& tallied) {
    auto const original = laws::conversation_generator{seed}.make();
    laws::random_source random{seed ^ 0xC0FFEEu};
    auto const limits = random_budget(original, random);
    bool const marks = random.chance(60);
    laws::broken broken;
    laws::with_random_mix(random, [&](auto const& mix) {
        broken = seed % 2 == 0 ? run_one(original, mix, limits, laws::byte_estimator{}, marks, tallied)
                               : run_one(original, mix, limits, condense::char_ratio<condense::family::claude>{}, marks, tallied);
    });
    return broken;
}


/// Stores, models, predicates and layers that fail: what is left obeys the laws all the same.
laws::broken run_faulty(std::uint64_t seed, tally& tallied) {
    auto const original = laws::conversation_generator{seed}.make();
    laws::random_source random{seed};
    auto const limits = random_budget(original, random);
    laws::broken broken;
    laws::with_faulty_mix(random, [&](auto const& mix) {
        auto reduced = original;
        auto const report = condense::reduce(reduced, mix, limits, laws::byte_estimator{});
        broken = laws::checker{original, reduced}.violations();
        check_report(report, broken);
        if (report.after.tokens != (recount(reduced, laws::byte_estimator{}) + condense::cost::of(limits.overhead)).tokens())
            broken.insert("the report's usage is not that of the output");
        ++tallied.runs;
        for (auto const& layer : report.layers) {
            if (layer.failures == 0) continue;
            ++tallied.applied[std::string{layer.name}];
            if (layer.outcome != condense::layer_outcome::applied && layer.note.empty()) broken.insert("L7 a failure without a reason");
            if (layer.outcome == condense::layer_outcome::failed && layer.saved.count + layer.groups_dropped + layer.parts_shortened > 0)
                broken.insert("L7 a failed layer left edits");
        }
    });
    return broken;
}

template <class Run>
void run_seeds(std::uint64_t rounds, tally& tallied, Run&& run) {
    auto const first = from_environment("CONDENSE_SEED", 1);
    std::size_t failures = 0;
    for (auto seed = first; seed < first + rounds && failures < 20; ++seed) {
        auto const broken = run(seed, tallied);
        if (broken.empty()) continue;
        ++failures;
        std::string all;
        for (auto const& one : broken) all += one + "; ";
        CHECK("CONDENSE_SEED=" + std::to_string(seed) + ": " + all == std::string{});
    }
}

}  // namespace

TEST_CASE("the laws hold for random conversations and pipelines", "[laws]") {
    auto const rounds = rounds_asked();
    tally tallied;
    run_seeds(rounds, tallied, run_seed);
    CHECK(tallied.runs > 0);
    if (rounds < 10'000) return;
    std::string figures = std::to_string(tallied.changed) + " of " + std::to_string(tallied.runs) + " changed";
    for (auto const& [name, count] : tallied.applied) figures += ", " + name + " " + std::to_string(count);
    for (auto const& [name, count] : tallied.outcomes) figures += ", " + name + " " + std::to_string(count);
    WARN(figures);
    CHECK(tallied.changed * 10 >= tallied.runs * 6);
    for (auto const* const layer : {"offload", "compress", "summarize", "sliding_window", "escalate"})
        CHECK(tallied.applied[layer] >= 1'000);
    for (auto const* const outcome : {"fits", "over", "exhausted"}) CHECK(tallied.outcomes[outcome] >= 100);
}

TEST_CASE("what fails changes nothing", "[laws]") {
    auto const rounds = rounds_asked() / 5 + 1;
    tally tallied;
    run_seeds(rounds, tallied, run_faulty);
    CHECK(tallied.runs > 0);
    if (rounds < 2'000) return;
    for (auto const* const layer : {"offload", "summarize", "sliding_window", "faulty_layer"}) CHECK(tallied.applied[layer] >= 300);
}
