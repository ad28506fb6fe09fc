// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>

#include "replay_report.hpp"

// The report as JSON, every figure under its name in replay/figures.hpp; tokens, requests and items are counts,
// money and prices millionths of the currency, the latter for a million tokens.

namespace replay {

using json = nlohmann::ordered_json;

/// Names of files are bytes.
inline std::string text_of_bytes(std::string_view bytes) { return condense::printable(bytes, 2'000); }

/// Adds members, each a count. A list of them is data, where nested values would be code for each.
inline void add_counts(json& to, std::initializer_list<std::pair<char const*, std::uint64_t>> counts) {
    for (auto const& [name, count] : counts) to[name] = count;
}

inline json as_json(condense::fidelity const& items) {
    json made;
    add_counts(made, {{"visible", items.visible},
                      {"recoverable", items.recoverable},
                      {"lost", items.lost},
                      {"labelled", items.labelled},
                      {"in_line", items.in_line}});
    return made;
}

inline json as_json(condense::layer_statistics const& layer) {
    json made;
    made["name"] = layer.name;
    add_counts(made, {{"saved", layer.saved.count},
                      {"restored", layer.restored.count},
                      {"events", layer.events},
                      {"groups_dropped", layer.groups_dropped},
                      {"parts_shortened", layer.parts_shortened},
                      {"prefix_breaks", layer.prefix_breaks},
                      {"artifacts", layer.artifacts},
                      {"latest_artifacts", layer.latest_artifacts},
                      {"failures", layer.failures},
                      {"asked", layer.asked},
                      {"model_input", layer.model_usage.request().count},
                      {"model_output", layer.model_usage.output.count}});
    made["failure"] = text_of_bytes(layer.failure);
    return made;
}

/// All but the requests one by one.
inline json as_json(condense::replay_figures const& mix) {
    json made;
    made["mix"] = text_of_bytes(mix.mix);
    add_counts(made, {{"conversations", mix.conversations},
                      {"requests", mix.requests},
                      {"over", mix.over},
                      {"exhausted", mix.exhausted},
                      {"sent", mix.sent.count},
                      {"peak", mix.peak.count},
                      {"answered", mix.answered.count},
                      {"cached", mix.cached.count},
                      {"bound", mix.bound.count},
                      {"hits", mix.hits},
                      {"reductions", mix.reductions},
                      {"model_calls", mix.model_calls},
                      {"model_failures", mix.model_failures},
                      {"model_input", mix.model_input.count},
                      {"model_output", mix.model_output.count},
                      {"money", mix.money},
                      {"model_money", mix.model_money}});
    auto& items = made["items"];
    for (std::size_t kind = 0; kind < mix.items.size(); ++kind)
        items[std::string{item_name(kind)}] = as_json(mix.items[kind]);
    items["all"] = as_json(mix.all_items());
    add_counts(made, {{"edits", mix.edits},
                      {"edits_visible", mix.edits_visible},
                      {"tasks", mix.tasks},
                      {"tasks_visible", mix.tasks_visible},
                      {"words", mix.words},
                      {"words_visible", mix.words_visible},
                      {"actions", mix.actions},
                      {"actions_visible", mix.actions_visible}});
    auto& layers = made["layers"] = json::array();
    for (auto const& layer : mix.layers) layers.push_back(as_json(layer));
    add_counts(made, {{"nanoseconds", mix.time.count}, {"violations", mix.violations}});
    auto& violations = made["first_violations"] = json::array();
    for (auto const& violation : mix.first_violations) violations.push_back(text_of_bytes(violation));
    return made;
}

inline json as_json(course const& along) {
    json sent = json::array();
    json cached = json::array();
    if (along.conversations != 0)
        for (std::size_t at = 0; at < course::positions; ++at) {
            sent.push_back(along.sent[at] / along.conversations);
            cached.push_back(along.cached[at] / along.conversations);
        }
    json made;
    made["sent"] = std::move(sent);
    made["cached"] = std::move(cached);
    return made;
}

/// Each request, or, where `points` is not 0, what is sent in at most so many pieces of the conversation.
inline json requests_of(std::vector<condense::request_figures> const& turns, std::size_t points) {
    json all = json::array();
    if (points == 0)
        for (auto const& turn : turns) {
            add_counts(all.emplace_back(),
                       {{"message", turn.message}, {"sent", turn.sent.count}, {"cached", turn.cached.count}});
            all.back()["reduced"] = turn.reduced;
        }
    else
        each_piece(turns.size(), points, false, [&](std::size_t, std::size_t first, std::size_t end) {
            all.push_back(mean_of(turns, first, end, &condense::request_figures::sent));
        });
    return all;
}

/// `points` 0 is the whole report; else the requests of single conversations come as that many means at most.
inline json as_json(report const& found, std::size_t points = 0) {
    json made;
    made["format"] = "condense replay";
    made["version"] = 1;
    made["currency"] = text_of_bytes(found.currency);
    add_counts(made["prices"], {{"input", found.prices.input.millionths},
                                {"cached", found.prices.cached.millionths},
                                {"written", found.prices.written.millionths},
                                {"output", found.prices.output.millionths}});
    made["summariser"] = found.summariser.empty() ? json{} : json(text_of_bytes(found.summariser));
    add_counts(made, {{"conversations", found.conversations}, {"skipped", found.skipped}});
    auto& skipped = made["first_skipped"] = json::array();
    for (auto const& one : found.first_skipped) {
        auto& shown = skipped.emplace_back();
        shown["name"] = text_of_bytes(one.name);
        shown["reason"] = text_of_bytes(one.reason);
    }
    auto& names = made["mixes"] = json::array();
    for (auto const& name : found.mixes) names.push_back(text_of_bytes(name));
    auto const windows_of = [&](std::size_t mix_count, auto const& figures_of) {
        json windows = json::array();
        for (std::size_t window = 0; window < found.windows.size(); ++window) {
            windows.emplace_back()["window"] = found.windows[window].count;
            auto& compared = windows.back()["mixes"] = json::array();
            for (std::size_t mix = 0; mix < mix_count; ++mix) compared.push_back(figures_of(window, mix));
        }
        return windows;
    };
    made["windows"] =
        windows_of(found.conversations != 0 ? found.mixes.size() : 0, [&](std::size_t window, std::size_t mix) {
            auto const& total = found.total(window, mix);
            auto figures = as_json(total.figures);
            figures["along"] = as_json(total.along);
            auto const closed = found.gap_closed(window, mix);
            figures["gap_closed"] = closed ? json(*closed) : json{};
            return figures;
        });
    auto& kept = made["longest"] = json::array();
    for (auto const& one : found.kept) {
        auto& shown = kept.emplace_back();
        shown["name"] = text_of_bytes(one.name);
        shown["requests"] = one.requests();
        shown["windows"] = windows_of(found.mixes.size(), [&](std::size_t window, std::size_t mix) {
            auto const& figures = one.figures[window * found.mixes.size() + mix];
            auto single = as_json(figures);
            single["turns"] = requests_of(figures.turns, points);
            return single;
        });
    }
    return made;
}

}  // namespace replay
