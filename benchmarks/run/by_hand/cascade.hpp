// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <condense/shorten/json_sample.hpp>

#include "conversation.hpp"
#include "summary.hpp"

// presets::cascade, by hand: large results are stored as they come, JSON is sampled at 65 % of the input or 70
// messages, until 52 % and 56 messages, over 100 messages the oldest go until 90, at 80 % the oldest become a summary
// until 56 %. Shorteners are the library's, as functions of text. What runs the layers harder above 90 % is not
// written: it is checked that nobody comes there.

namespace by_hand {

template <class Journal, class Store, class Model>
struct cascade_layers {
    Journal journal;
    Store store;
    Model model;

    bool arrive(run& r, std::uint32_t index, bool recorded) const {
        auto const& parts = r.history[index].parts;
        bool done = true;
        for (std::uint32_t place = 0; place < parts.size(); ++place) {
            if (parts[place].kind != part_kind::tool_result || parts[place].text.size() <= 10'000) continue;
            done = store_large(r, index, place, store) && done;
            if (recorded && r.may_cut(index)) cap(r, index, place);
        }
        return done;
    }

    bool due(run const& r) const { return r.reaches(65) || r.now.kept.count >= 70; }

    void reduce(run& r) const {
        if (r.reaches(65) || r.now.kept.count >= 70) sample_all(r);
        if (r.now.kept.count > 100) {
            zone const spared{after_first(r.now), newest(r.now, [](std::uint64_t count, cost) { return count <= 15; }),
                              r.now.kept.task};
            drop_oldest(r, spared, [&] { return r.now.kept.count <= 90; });
        }
        if (r.reaches(80)) summary_layer{r, zone_of(r), 56}.write(asked<Model>{model});
        if (r.reaches(90)) throw not_by_hand{"cascade by hand: over 90 % is left"};
    }

private:
    static cost half(run const& r) { return cost::of({floor_share(r.limits.input().count, 50)}); }

    /// The first message, and of the newest the last eight or 15 % of the input, but no more than 50 %.
    static zone zone_of(run const& r) {
        auto const some = cost::of({floor_share(r.limits.input().count, 15)});
        auto const most = half(r);
        auto const fits = [&](std::uint64_t count, cost sum) { return (count <= 8 || sum <= some) && sum <= most; };
        return {after_first(r.now), newest(r.now, fits), r.now.kept.task};
    }

    /// What could not be stored is cut to 30,000 characters.
    static void cap(run& r, std::uint32_t index, std::uint32_t place) {
        auto const& part = r.history[index].parts[place];
        auto const& note = r.now.part(index, place);
        if (note.edited || part.sealed || condense::text_limit{condense::chars{30'000}}.holds(part.text)) return;
        constexpr condense::head_tail ends{condense::chars{15'000}, condense::chars{15'000}, condense::chars{30'000}};
        if (auto cut = ends(view_of(part, part.text), {})) r.replace(index, place, std::move(*cut), note.stored);
    }

    static void sample_all(run& r) {
        zone const spared{after_first(r.now), newest(r.now, [](std::uint64_t count, cost) { return count <= 10; }),
                          r.now.kept.task};
        auto const enough = [&] { return r.within(52) && r.now.kept.count <= 56; };
        for (std::uint32_t index = 0; index < r.now.size() && !enough(); ++index) {
            if (!r.may_cut(index) || spared.holds(index)) continue;
            auto const parts = r.history[index].parts.size();
            for (std::uint32_t place = 0; place < parts && !enough(); ++place) sample(r, index, place);
        }
    }

    /// A preview of what is stored is shorter than a beginning of it would be: that is for the rest.
    static void sample(run& r, std::uint32_t index, std::uint32_t place) {
        constexpr condense::text_limit over{condense::chars{10'000}};
        auto const& part = r.history[index].parts[place];
        auto& note = r.now.part(index, place);
        if (note.settled || part.kind != part_kind::tool_result || part.sealed || over.holds(part.text)) return;
        constexpr condense::json_sample rows{.keys = 3, .items = 3, .value = condense::chars{100}};
        condense::cut const how{.how = {.stored = note.stored, .words = {.type_and_share = true}}, .over = over};
        auto const seen = view_of(part, part.text);
        auto shorter = rows(seen, how);
        if (!shorter && !note.stored) shorter = condense::head{condense::chars{8'000}, {}}(seen, how);
        if (shorter) r.replace(index, place, std::move(*shorter), note.stored);
        note.settled = true;
    }
};

template <class Journal, class Store, class Model>
cascade_layers(Journal, Store, Model) -> cascade_layers<Journal, Store, Model>;

}  // namespace by_hand
