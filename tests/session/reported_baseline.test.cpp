// SPDX-License-Identifier: BSL-1.0
#include <condense/session/reported_baseline.hpp>

#include "support/catch.hpp"

namespace {

using condense::tokens;
using condense::detail::reported_baseline;

constexpr condense::cost of(std::uint64_t count) { return condense::cost::of({count}); }

constexpr bool stands_for_what_was_sent() {
    reported_baseline anchor;
    bool good = !anchor.holds() && !anchor.observe({500}) && anchor.used(of(10)) == tokens{10};
    anchor.sending(of(100), 3);
    good = good && anchor.observe({150}) && anchor.holds();
    good = good && anchor.used(of(100)) == tokens{150} && anchor.used(of(110)) == tokens{160} &&
           anchor.used(of(90)) == tokens{140};
    anchor.edited(3, of(110), {160});
    good = good && anchor.is_exact();
    anchor.edited(2, of(110), {160});
    return good && !anchor.is_exact() && !anchor.observe({150});
}
static_assert(stands_for_what_was_sent());

constexpr bool goes_on_in_proportion_after_an_edit() {
    reported_baseline anchor;
    anchor.sending(of(100), 3);
    bool good = anchor.observe({200});
    anchor.edited(1, of(110), {220});
    good = good && anchor.holds() && anchor.used(of(55)) == tokens{110} && anchor.used(of(110)) == tokens{220} &&
           anchor.used(of(200)) == tokens{400};
    anchor.edited(0, of(55), {110});
    good = good && anchor.used(of(110)) == tokens{220};
    good = good && anchor.used(of(60), {10}) == tokens{115};  // ten of them count one for one
    anchor.sending(of(55), 2);
    good = good && anchor.observe({60}) && anchor.is_exact() && anchor.used(of(55)) == tokens{60};
    anchor.edited(0, {}, {});  // where nothing was counted there is no proportion
    return good && !anchor.holds() && anchor.used(of(90)) == tokens{90};
}
static_assert(goes_on_in_proportion_after_an_edit());

constexpr bool figures_are_clamped() {
    reported_baseline anchor;
    anchor.sending(of(100), 3);
    bool good = !anchor.observe({0});
    good = good && anchor.observe({401}) && anchor.used(of(100)) == tokens{400};
    good = good && anchor.observe({49}) && anchor.used(of(100)) == tokens{50};
    anchor.sending({~std::uint64_t{0}}, 3);
    good = good && anchor.observe({~std::uint64_t{0}});
    return good && anchor.used({~std::uint64_t{0}}).count != 0 &&
           anchor.used(of(0)) <= anchor.used({~std::uint64_t{0}});
}
static_assert(figures_are_clamped());

/// What is sent while an older report holds does not disturb it.
constexpr bool the_latest_report_counts() {
    reported_baseline anchor;
    anchor.sending(of(100), 3);
    bool good = anchor.observe({150});
    anchor.sending(of(120), 5);
    good = good && anchor.used(of(120)) == tokens{170};
    good = good && anchor.observe({180}) && anchor.used(of(120)) == tokens{180};
    anchor.sending(of(200), 9);
    anchor.edited(6, of(200), {250});  // the request that is on its way; the report before it stays
    return good && anchor.holds() && !anchor.observe({500}) && anchor.used(of(120)) == tokens{180};
}
static_assert(the_latest_report_counts());

constexpr bool overhead_moves_both() {
    reported_baseline anchor;
    anchor.overhead({10}, {40});
    bool good = !anchor.holds();
    anchor.sending(of(100), 3);
    good = good && anchor.observe({150});
    anchor.overhead({10}, {40});
    good = good && anchor.used(of(130)) == tokens{180} && anchor.observe({260}) && anchor.used(of(130)) == tokens{260};
    anchor.overhead({40}, {~std::uint64_t{0}});
    good = good && anchor.used(of(~std::uint64_t{0})) == tokens{~std::uint64_t{0}};
    anchor.overhead({~std::uint64_t{0}}, {0});
    return good && anchor.used(of(90)) == tokens{90};
}
static_assert(overhead_moves_both());

}  // namespace

TEST_CASE("reported_baseline: what is known apart moves what was counted and what was reported") {
    CHECK(overhead_moves_both());
}

TEST_CASE("reported_baseline: a report stands for its request until an edit touches it") {
    CHECK(stands_for_what_was_sent());
}

TEST_CASE("reported_baseline: after an edit sums count in proportion to the report before it") {
    CHECK(goes_on_in_proportion_after_an_edit());
}

TEST_CASE("reported_baseline: figures that can not be are clamped", "[law-t4]") { CHECK(figures_are_clamped()); }

TEST_CASE("reported_baseline: the latest report counts") { CHECK(the_latest_report_counts()); }
