// SPDX-License-Identifier: BSL-1.0
#include <condense/plan/artifact.hpp>

#include <limits>
#include <set>
#include <utility>

#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::artifact, condense::plan_faults, condense::plan_request, condense::strategy;

constexpr bool strategies_are_spelt_as_plans_do() {
    return name(strategy::include_full) == "include_full" && name(strategy::summarize) == "summarize" &&
           name(strategy::extract) == "extract" && name(strategy::exclude) == "exclude";
}

/// Each figure may come from a model.
constexpr bool faults_add_up_whatever_they_are() {
    constexpr auto most = std::numeric_limits<std::uint32_t>::max();
    return plan_faults{}.all() == 0 && plan_faults{1, 20, 300, 4'000, 50'000}.all() == 54'321 &&
           plan_faults{most, most, most, most, most}.all() == 5 * std::uint64_t{most} &&
           plan_faults{.unknown = most, .repeated = 1}.all() != 0 && plan_faults{.missing = 1} != plan_faults{};
}

static_assert(condense::last_priority == 100);

/// Texts of which one cannot be read, and what was asked for.
struct shelf {
    std::vector<std::string> texts;
    std::size_t missing = 99;
    bool heedless = false;  ///< gives what is not wanted, too
    mutable std::vector<std::size_t> wanted = {};

    void operator()(plan_request::wanted_texts const& some, plan_request::text_sink const& sink) const {
        for (std::size_t index = texts.size(); index-- != 0;) {
            bool const is_wanted = some(index);
            if (is_wanted) wanted.push_back(index);
            if ((is_wanted || heedless) && index != missing) sink(index, texts[index]);
        }
    }
};

using list = std::vector<std::pair<std::size_t, std::string>>;

list all_of(plan_request const& request) {
    list seen;
    request.each_text([&](std::size_t index, std::string_view text) { seen.emplace_back(index, text); });
    return seen;
}
std::vector<std::string> one_of(plan_request const& request, std::size_t index) {
    std::vector<std::string> seen;
    request.text(index, [&](std::string_view text) { seen.emplace_back(text); });
    return seen;
}

static_assert(strategies_are_spelt_as_plans_do() && faults_add_up_whatever_they_are());

}  // namespace

TEST_CASE("artifact: strategies, priorities and faults") {
    CHECK(strategies_are_spelt_as_plans_do());
    CHECK(faults_add_up_whatever_they_are());
    std::set<std::string_view> names;
    for (auto const each : {strategy::include_full, strategy::summarize, strategy::extract, strategy::exclude})
        names.insert(name(each));
    CHECK(names.size() == 4);
    CHECK(condense::decision{}.strategy == strategy::exclude);
    CHECK(condense::decision{}.priority == condense::last_priority);
    CHECK(condense::decision{} == condense::decision{});
    CHECK(condense::decision{} != condense::decision{.limit = 1_tokens});
    CHECK(artifact{.id = "d1"} == artifact{.id = "d1"});
    CHECK(artifact{.id = "d1"} != artifact{.id = "d1", .error = true});
}

TEST_CASE("artifact: a request reads texts where they are, in the order of their source") {
    shelf const texts{{"zero", "one", "two"}};
    plan_request::text_reader const reader{texts};
    std::vector<artifact> const facts(3);
    plan_request const request{facts, 100_tokens, reader};
    CHECK(request.artifacts.data() == facts.data());
    CHECK(request.budget == 100_tokens);
    CHECK(all_of(request) == list{{2, "two"}, {1, "one"}, {0, "zero"}});
    texts.wanted.clear();
    CHECK(one_of(request, 1) == std::vector<std::string>{"one"});
    CHECK(texts.wanted == std::vector<std::size_t>{1});
    CHECK(one_of(request, 3).empty());
    // A copy reads the same.
    auto const copy = request;
    CHECK(all_of(copy) == all_of(request));
}

TEST_CASE("artifact: a text that cannot be read is passed over, and one that was not asked for") {
    shelf const texts{{"zero", "one", "two"}, 1, true};
    plan_request::text_reader const reader{texts};
    plan_request const request{{}, {}, reader};
    CHECK(all_of(request) == list{{2, "two"}, {0, "zero"}});
    CHECK(one_of(request, 0) == std::vector<std::string>{"zero"});
    CHECK(one_of(request, 1).empty());
}
