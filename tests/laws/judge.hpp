// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "laws/checker.hpp"
#include "laws/mixes.hpp"
#include "support/messages/form.hpp"

// Judges what a pipeline makes of a history, for any message type, in its form as chat_messages. Needs no test
// framework.

namespace laws {

using notation::recount;

/// How often something happened, by name.
struct counts {
    std::map<std::string, std::uint64_t> all;

    std::uint64_t& operator[](std::string_view what) { return all[std::string{what}]; }
    std::string text() const {
        std::string out;
        for (auto const& [what, count] : all) out += (out.empty() ? "" : ", ") + what + " " + std::to_string(count);
        return out;
    }
};

struct tally {
    std::uint64_t runs = 0;
    std::uint64_t changed = 0;
    counts applied;
    counts outcomes;

    template <class Report>
    void add(Report const& report) {
        ++runs;
        changed += report.changed() ? 1u : 0u;
        ++outcomes[name(report.outcome)];
        for (auto const& layer : report.layers)
            if (layer.outcome == condense::layer_outcome::applied) ++applied[layer.name];
    }
    std::string figures() const {
        return std::to_string(changed) + " of " + std::to_string(runs) + " changed, " + applied.text() + ", " +
               outcomes.text();
    }
};

template <class Report>
void check_report(Report const& report, broken& found) {
    std::uint64_t saved = 0;
    std::uint64_t restored = 0;
    for (auto const& layer : report.layers) {
        saved += layer.saved.count;
        restored += layer.restored.count;
        if ((layer.outcome == condense::layer_outcome::applied) !=
                (layer.saved.count + layer.restored.count + layer.groups_dropped + layer.parts_shortened > 0) &&
            layer.name != "escalate")
            found.insert("L4 applied without a decrease, or the reverse");
    }
    if (report.before.tokens.count + restored != report.after.tokens.count + saved)
        found.insert("L14 savings do not add up");
    if (report.after.tokens.count > report.before.tokens.count + restored) found.insert("L4 larger");
    if (restored == 0 && report.after.messages > report.before.messages) found.insert("L4 more messages");
    if (report.outcome == condense::outcome::fits && !report.fits()) found.insert("L8 said to fit");
    if (report.outcome == condense::outcome::over && report.fits()) found.insert("L8 said to be over");
    if (report.outcome == condense::outcome::exhausted && report.fits()) found.insert("L8 said to be exhausted");
}

/// One line for each message, for a look at a failure.
inline std::string listing(std::vector<chat_message> const& all) {
    std::string out;
    for (auto const& m : all) {
        out.append(m.name)
            .append(" ")
            .append(name(m.role))
            .append(m.pinned ? " pinned" : "")
            .append(m.mark.empty() ? "" : " mark " + m.mark);
        for (auto const& part : m.parts) {
            out.append("; ").append(name(part.kind)).append(" ").append(part.call).append(" ").append(part.tool);
            out.append(" ").append(std::to_string(part.text.size())).append(part.sealed ? " sealed" : "");
            if (part.status != part_status::ok)
                out.append(" status ").append(std::to_string(static_cast<int>(part.status)));
        }
        out.append("\n");
    }
    return out;
}

/// Where to put what else there is to know of a run.
struct remains {
    std::vector<chat_message>* result = nullptr;  ///< what is left of the history
    std::string* story = nullptr;                 ///< for a look at a failure
};

/// `make` gives the same history at each call.
template <class Make, class Mix, class Estimator>
broken judge(Make const& make, Mix const& mix, condense::budget limits, Estimator const& count, bool marks,
             tally& tallied, remains left = {}) {
    condense::run_options<> options;
    options.marks = marks;
    auto history = make();
    auto const original = forms::all_to_chat(history);
    auto const report = condense::reduce(history, mix, limits, count, options);
    auto const reduced = forms::all_to_chat(history);

    checker const first{original, reduced};
    auto found = first.violations();
    check_report(report, found);
    if (report.after.tokens != (recount(reduced, count) + condense::cost::of(limits.overhead)).tokens())
        found.insert("the report's usage is not that of the output");
    if (report.before.tokens != (recount(original, count) + condense::cost::of(limits.overhead)).tokens())
        found.insert("the report's usage is not that of the input");
    if (report.outcome == condense::outcome::exhausted) {
        if (!first.only_floor()) found.insert("L8 exhausted, but something could go");
        if (report.floor > report.after.tokens || (report.floor < report.after.tokens && !first.has_open()))
            found.insert("L8 the floor is not what is left");
    }
    if (condense::has_last_resort<Mix> && report.outcome != condense::outcome::fits &&
        report.outcome != condense::outcome::exhausted)
        found.insert("L8 a last resort that was none");
    auto place = std::size_t{0};
    while (place < original.size() && place < reduced.size() && original[place] == reduced[place]) ++place;
    if (report.changed() != (original != reduced)) found.insert("first_changed is wrong");
    if (report.changed() && *report.first_changed != place) found.insert("first_changed is not the first");

    auto twin = make();
    auto const same = condense::reduce(twin, mix, limits, count, options);
    if (forms::all_to_chat(twin) != reduced || same.outcome != report.outcome) found.insert("L11 not deterministic");

    bool const settled = report.outcome == condense::outcome::fits || report.outcome == condense::outcome::exhausted;
    auto const second = condense::reduce(history, mix, limits, count, options);
    // What failed may be tried again by a later run.
    auto const failed =
        std::any_of(report.layers.begin(), report.layers.end(), [](auto const& layer) { return layer.failures != 0; });
    // Without marks a second run takes a summary for a message like others, where something is due again.
    bool const known = marks || !(Mix::effects & condense::effect::summarizes) ||
                       !(condense::calls_model<Mix> || mix.due(report.after));
    if (settled && !failed && known && (second.changed() || forms::all_to_chat(history) != reduced))
        found.insert("L5 a second run changes something");
    if (!settled && second.changed() && second.after.tokens >= report.after.tokens &&
        second.after.messages >= report.after.messages)
        found.insert("L5 a further run is not smaller");

    if (left.story != nullptr)
        *left.story =
            listing(original) + report.text() + listing(reduced) + second.text() + listing(forms::all_to_chat(history));
    tallied.add(report);
    if (left.result != nullptr) *left.result = reduced;
    return found;
}

inline condense::budget random_budget(std::vector<chat_message> const& all, random_source& random) {
    auto const whole = recount(all, byte_estimator{}).tokens();
    condense::budget limits{.window = {1 + whole.count * (5 + random.below(130)) / 100}};
    if (random.chance(30)) limits.output = {limits.window.count / 10};
    if (random.chance(20)) limits.overhead = {random.below(200)};
    return limits;
}

}  // namespace laws
