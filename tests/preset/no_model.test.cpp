// SPDX-License-Identifier: BSL-1.0
#include <condense/preset/no_model.hpp>

#include "preset/stage.hpp"

namespace {

using namespace stage;

auto made(desk& things) { return condense::presets::no_model(things.journal, things.store); }
using mix_type = mix_of<decltype(made)>;
static_assert(complete<mix_type>);
static_assert(!condense::calls_model<mix_type>);
static_assert(condense::deterministic<mix_type>);

}  // namespace

TEST_CASE("no_model: keeps the laws, and the journal has all", "[laws]") { keeps_the_laws(made); }

TEST_CASE("no_model: the same input gives the same bytes", "[law-11]") {
    conversation first;
    for (int again = 0; again < 2; ++again) {
        desk things;
        conversation all{U("the task")};
        for (int turn = 0; turn < 40; ++turn)
            all += {C(std::to_string(turn), "shell"),
                    R(std::to_string(turn), numbered_lines(100 + static_cast<std::size_t>(turn))), A("seen")};
        auto const report = condense::reduce(all, made(things), {.window = 12'000_tokens}, per_byte{});
        CHECK((report.changed() && report.fits()));
        if (again == 0) first = all;
        else CHECK(all == first);
    }
}
