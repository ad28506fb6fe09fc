// SPDX-License-Identifier: BSL-1.0
#include <condense/plan/rule_planner.hpp>

#include "plan/shelf.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using namespace condense::literals;
using condense::artifact_plan, condense::decision, condense::rule_planner, condense::strategy, condense::tokens;
using shelf::asked;

/// Lines about nothing that anyone asks for.
std::string filler(std::size_t lines, std::string_view word = "lorem") {
    std::string text;
    for (std::size_t line = 0; line < lines; ++line)
        text.append(word).append(" ipsum dolor sit amet number ").append(std::to_string(line)).append("\n");
    return text;
}

/// Lines of which one is about something.
std::string about(std::string const& line, std::size_t around = 100) {
    return filler(around) + line + "\n" + filler(around);
}

decision const& decided(artifact_plan const& plan, std::string_view id) {
    auto const found = std::find_if(plan.decisions.begin(), plan.decisions.end(),
                                    [&](decision const& each) { return each.artifact == id; });
    REQUIRE(found != plan.decisions.end());
    return *found;
}

strategy way_of(artifact_plan const& plan, std::string_view id) { return decided(plan, id).strategy; }
/// Which artifacts are included whole: "x--x".
std::string whole_of(artifact_plan const& plan, asked const& things) {
    std::string all;
    for (auto const& each : things.artifacts)
        all.push_back(way_of(plan, each.id) == strategy::include_full ? 'x' : '-');
    return all;
}

/// What the plan costs by its own figures.
std::uint64_t cost_of(artifact_plan const& plan, asked const& things, tokens reference) {
    std::uint64_t sum = 0;
    for (auto const& each : things.artifacts) {
        auto const& next = decided(plan, each.id);
        sum += next.strategy == strategy::include_full ? each.cost.count
               : next.strategy == strategy::extract    ? next.limit.count
                                                       : reference.count;
    }
    return sum;
}

std::string spelt(artifact_plan const& plan) {
    std::string out;
    for (auto const& each : plan.decisions) {
        out.append(each.artifact).append(" ").append(name(each.strategy)).append(" ");
        out.append(std::to_string(each.priority)).append(" ").append(std::to_string(each.limit.count)).append(" ");
        out.append(each.about).append(each.reason).append("\n");
    }
    return out;
}

}  // namespace

TEST_CASE("rule_planner: one decision for each artifact, the most important first") {
    asked things;
    for (int number = 0; number < 7; ++number) things.add(filler(40) + "the port is 8080\n");
    auto const plan = rule_planner{}(things.request(1'000_tokens, "which port?"));
    REQUIRE(plan.decisions.size() == 7);
    CHECK(plan.problem.empty());
    CHECK(plan.faults.all() == 0);
    std::uint32_t before = 1;
    for (auto const& each : plan.decisions) {
        CHECK(each.priority >= before);
        CHECK(each.priority <= condense::last_priority);
        CHECK_FALSE(each.reason.empty());
        before = each.priority;
    }
}

TEST_CASE("rule_planner: passages that have words of the question are extracted, and nothing else") {
    asked things{filler(200), about("The database listens on port 5432 of node-7."), filler(200)};
    auto const plan = rule_planner{}(things.request(2'000_tokens, "On which port does the database listen?"));
    auto const& found = decided(plan, "r1.0");
    CHECK(found.strategy == strategy::extract);
    CHECK(found.limit.count > 48);
    CHECK(plan.extends);
    CHECK(found.priority == 1);
    CHECK(found.about.empty());
    CHECK(way_of(plan, "r0.0") == strategy::exclude);
    CHECK(way_of(plan, "r2.0") == strategy::exclude);
}

TEST_CASE("rule_planner: what answers best comes first, also before what is newer") {
    asked things{about("The database of node-7 has port 5432, the port of the database."),
                 about("The database is large.")};
    auto const plan = rule_planner{}(things.request(4'000_tokens, "port of the database on node-7"));
    CHECK(plan.decisions.front().artifact == "r0.0");
    CHECK(decided(plan, "r0.0").priority < decided(plan, "r1.0").priority);
}

TEST_CASE("rule_planner: the words of the goal count, but for less") {
    asked things{about("Invoices are kept for ten years."), about("Backups are kept for a month.")};
    auto const first_for = [&](std::string_view question, std::string_view goal) {
        return rule_planner{}(things.request(3'000_tokens, question, goal)).decisions.front().artifact;
    };
    CHECK(first_for("invoices", "backups") == "r0.0");
    CHECK(first_for("backups", "invoices") == "r1.0");
    CHECK(first_for("", "invoices") == "r0.0");
    CHECK(first_for("", "backups") == "r1.0");
}

TEST_CASE("rule_planner: an artifact of which most would be extracted is included whole") {
    asked things{"The port of the database is 5432.\nThe port of the proxy is 8080.\n", filler(300)};
    auto const plan = rule_planner{}(things.request(1'000_tokens, "which ports?"));
    CHECK(way_of(plan, "r0.0") == strategy::include_full);
    CHECK(way_of(plan, "r1.0") == strategy::exclude);
    // So is what is shorter than its reference, whatever the question.
    asked small{"ok", filler(300), "done"};
    CHECK(whole_of(rule_planner{}(small.request(130_tokens, "lorem")), small) == "x-x");
}

TEST_CASE("rule_planner: of the rest errors are included first, then the newest, without a gap") {
    asked things;
    things.add(filler(10), {.error = true});  // 340 tokens each
    for (int number = 0; number < 4; ++number) things.add(filler(10));
    auto const size = things.artifacts[0].cost.count;
    auto const whole_with_room_for = [&](std::uint64_t count) {
        auto const budget = count * size + (5 - count) * 40;
        return whole_of(rule_planner{}(things.request({budget}, "which port?")), things);
    };
    CHECK(whole_with_room_for(0) == "-----");
    CHECK(whole_with_room_for(1) == "x----");
    CHECK(whole_with_room_for(2) == "x---x");
    CHECK(whole_with_room_for(3) == "x--xx");
    CHECK(whole_with_room_for(5) == "xxxxx");
    asked gap{filler(3), filler(60), filler(3)};  // the second newest does not fit, so that no older one is included
    auto const plan = rule_planner{}(gap.request(500_tokens, "which port?"));
    CHECK(whole_of(plan, gap) == "--x");
    for (auto const* const other : {"r0.0", "r1.0"}) CHECK(way_of(plan, other) == strategy::exclude);
}

TEST_CASE(
    "rule_planner: of equal passages those of errors and of newer artifacts rank before, by how much can be set") {
    auto const text = about("the port is 8080", 60);
    auto const order_of = [&](bool first_is_error) {
        asked things{text, text, text};
        things.artifacts[0].error = first_is_error;
        std::string order;
        for (auto const& each : rule_planner{}(things.request(3'000_tokens, "port")).decisions)
            order.push_back(each.artifact[1]);
        return order;
    };
    CHECK(order_of(false) == "210");
    CHECK(order_of(true) == "021");
    asked things{about("the port of a port is 8080", 60), about("the port of a node is 8080", 60)};
    auto const first_with = [&](condense::percent bonus) {
        return rule_planner{.recency_bonus = bonus}(things.request(3'000_tokens, "port")).decisions.front().artifact;
    };
    CHECK(first_with({}) == "r0.0");
    CHECK(first_with(100_pct) == "r1.0");
}

TEST_CASE("rule_planner: passages that answer far less than the best one are left out") {
    std::string ports;
    for (int line = 0; line < 60; ++line) ports.append("a port, and lorem ipsum dolor sit amet consectetur\n\n");
    asked things{ports, about("The database of the billing service listens on port 5432.", 60)};
    auto const extracts_ports = [&](condense::percent least) {
        auto const plan = rule_planner{.least_score = least}(
            things.request(1'500_tokens, "port of the database of the billing service"));
        return way_of(plan, "r0.0") == strategy::extract;
    };
    CHECK_FALSE(extracts_ports(30_pct));
    CHECK(extracts_ports({}));
}

TEST_CASE("rule_planner: keeps its share of the budget for the newest, whatever the question") {
    asked things;
    for (int number = 0; number < 5; ++number) things.add(filler(20) + "the port is 8080\n" + filler(20));
    things.add(filler(5));  // about nothing
    auto const newest_is_whole = [&](condense::percent recent) {
        auto const plan = rule_planner{.recent = recent}(things.request(900_tokens, "port"));
        return way_of(plan, "r5.0") == strategy::include_full;
    };
    CHECK_FALSE(newest_is_whole({}));
    CHECK(newest_is_whole(30_pct));
}

TEST_CASE("rule_planner: without a question it is the newest that fit") {
    asked things{filler(10), filler(10), filler(10), filler(10), filler(10)};
    auto const size = things.artifacts[0].cost.count;
    for (std::string_view const question : {"", " ", "?!", "\n\xFF"}) {
        auto const plan = rule_planner{}(things.request({2 * size + 3 * 40}, question));
        CHECK(whole_of(plan, things) == "---xx");
    }
}

TEST_CASE("rule_planner: facts and budgets of any size are harmless, and so is no artifact") {
    for (std::uint64_t const figure : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 31,
                                       std::uint64_t{1} << 32, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        asked things{"the port is 8080", filler(20)};
        for (auto& each : things.artifacts) {
            each.cost = {figure};
            auto request = things.request(500_tokens, "port");
            request.reference_cost = {figure};
            CHECK(rule_planner{}(request).decisions.size() == 2);
            each.size = {figure};
            CHECK(rule_planner{}(things.request({figure}, "port")).decisions.size() == 2);
        }
    }
    asked none;
    for (std::uint64_t const budget : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 63, ~std::uint64_t{0}})
        CHECK(rule_planner{}(none.request({budget}, "which port?")).decisions.empty());
    asked things{filler(40) + "the port is 8080\n", filler(40)};
    for (std::uint64_t const budget : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{79}})
        for (auto const& each : rule_planner{}(things.request({budget}, "which port?")).decisions)
            CHECK(each.strategy == strategy::exclude);
    for (std::uint64_t const budget :
         {std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 63, ~std::uint64_t{0}})
        for (auto const& each : rule_planner{}(things.request({budget}, "which port?")).decisions)
            // The answer to the question may be passages, though all would fit.
            CHECK(each.strategy != strategy::exclude);
}

TEST_CASE("rule_planner: never plans more than the budget, and plans the same again") {
    std::uint64_t extracted = 0, whole = 0, excluded = 0;
    for (std::uint64_t seed = 1; seed <= rounds(3'000); ++seed) {
        shelf::numbers random{seed};
        asked things;
        for (auto left = random.below(12); left != 0; --left)
            things.add(shelf::any_text(random, 3'000), {.historical = random.one_in(2), .error = random.one_in(4)});
        auto const question = random.one_in(5) ? std::string{} : shelf::any_text(random, 60);
        tokens const budget{random.below(random.one_in(3) ? 600 : 9'000)};
        auto request = things.request(budget, question, random.one_in(2) ? "retry after a timeout" : "");
        request.reference_cost = {random.below(90)};
        auto const plan = rule_planner{}(request);
        CAPTURE(seed, budget.count);
        REQUIRE(plan.decisions.size() == things.artifacts.size());
        auto const references = request.reference_cost.count * things.artifacts.size();
        REQUIRE(cost_of(plan, things, request.reference_cost) <= (std::max)(budget.count, references));
        REQUIRE(spelt(rule_planner{}(request)) == spelt(plan));
        for (auto const& each : plan.decisions) {
            extracted += each.strategy == strategy::extract ? 1u : 0u;
            whole += each.strategy == strategy::include_full ? 1u : 0u;
            excluded += each.strategy == strategy::exclude ? 1u : 0u;
        }
    }
    CHECK(extracted > rounds(3'000) / 3);
    CHECK(whole > rounds(3'000));
    CHECK(excluded > rounds(3'000));
}
