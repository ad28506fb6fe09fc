// SPDX-License-Identifier: BSL-1.0
#include <condense/session/reported_baseline.hpp>

#include "support/catch.hpp"

namespace {

using condense::tokens;

constexpr std::uint64_t most = ~std::uint64_t{0};

/// With figures in place of costs and tokens.
struct baseline : condense::detail::reported_baseline {
    void send(std::uint64_t cost, std::uint64_t messages) { sending(condense::cost::of({cost}), messages); }
    void edit(std::uint64_t first, std::uint64_t cost, std::uint64_t used) {
        edited(first, condense::cost::of({cost}), {used});
    }
    std::uint64_t use(std::uint64_t cost) const { return used(condense::cost::of({cost})).count; }
};

/// One request of three messages that cost a hundred, and its report.
baseline reported(std::uint64_t figure) {
    baseline anchor;
    anchor.send(100, 3);
    CHECK(anchor.observe({figure}));
    return anchor;
}

}  // namespace

TEST_CASE("reported_baseline: a report stands for its request until an edit touches it") {
    baseline const none;
    CHECK_FALSE(none.holds());
    CHECK_FALSE(baseline{}.observe({500}));
    CHECK(none.use(10) == 10);
    auto anchor = reported(150);
    CHECK(anchor.holds());
    CHECK((anchor.use(100) == 150 && anchor.use(110) == 160 && anchor.use(90) == 140));
    anchor.edit(3, 110, 160);
    CHECK(anchor.is_exact());
    anchor.edit(2, 110, 160);
    CHECK_FALSE(anchor.is_exact());
    CHECK_FALSE(anchor.observe({150}));
}

TEST_CASE("reported_baseline: cleared tokens are no part of what is used, however many") {
    auto const used_of = [](std::uint64_t figure, std::uint64_t cleared) {
        baseline anchor;
        anchor.send(100, 3);
        CHECK(anchor.observe({figure}, {cleared}));
        return anchor.use(110);
    };
    CHECK((used_of(10, 90) == 20 && used_of(20, 100) == 30));
    CHECK((used_of(10, 20) == 40 && used_of(10, 0) == 60));  // half of the estimate, less what was cleared
    CHECK((used_of(1, 399) == 11 && used_of(10, 400) == 60 && used_of(10, most) == 60));
}

TEST_CASE("reported_baseline: after an edit sums count in proportion to the report before it") {
    auto anchor = reported(200);
    anchor.edit(1, 110, 220);
    CHECK(anchor.holds());
    CHECK((anchor.use(55) == 110 && anchor.use(110) == 220 && anchor.use(200) == 400));
    anchor.edit(0, 55, 110);
    CHECK(anchor.use(110) == 220);
    CHECK(anchor.used(condense::cost::of({60}), {10}) == tokens{115});  // ten of them count one for one
    anchor.send(55, 2);
    CHECK(anchor.observe({60}));
    CHECK((anchor.is_exact() && anchor.use(55) == 60));
    anchor.edit(0, 0, 0);  // where nothing was counted there is no proportion
    CHECK_FALSE(anchor.holds());
    CHECK(anchor.use(90) == 90);
}

TEST_CASE("reported_baseline: figures that can not be are clamped", "[law-t4]") {
    baseline anchor;
    anchor.send(100, 3);
    CHECK_FALSE(anchor.observe({0}));
    CHECK(anchor.observe({401}));
    CHECK(anchor.use(100) == 400);
    CHECK(anchor.observe({49}));
    CHECK(anchor.use(100) == 50);
    anchor.sending({most}, 3);
    CHECK(anchor.observe({most}));
    CHECK(anchor.used({most}).count != 0);
    CHECK(tokens{anchor.use(0)} <= anchor.used({most}));
}

TEST_CASE("reported_baseline: the latest report counts") {
    auto anchor = reported(150);
    anchor.send(120, 5);
    CHECK(anchor.use(120) == 170);
    CHECK(anchor.observe({180}));
    CHECK(anchor.use(120) == 180);
    anchor.send(200, 9);
    anchor.edit(6, 200, 250);  // the request that is on its way; the report before it stays
    CHECK(anchor.holds());
    CHECK_FALSE(anchor.observe({500}));
    CHECK(anchor.use(120) == 180);
}

TEST_CASE("reported_baseline: what is known apart moves what was counted and what was reported") {
    baseline anchor;
    anchor.overhead({10}, {40});
    CHECK_FALSE(anchor.holds());
    anchor = reported(150);
    anchor.overhead({10}, {40});
    CHECK(anchor.use(130) == 180);
    CHECK(anchor.observe({260}));
    CHECK(anchor.use(130) == 260);
    anchor.overhead({40}, {most});
    CHECK(anchor.use(most) == most);
    anchor.overhead({most}, {0});
    CHECK(anchor.use(90) == 90);
}
