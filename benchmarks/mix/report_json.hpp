// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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

inline json as_json(condense::fidelity const& items) {
    return {{"visible", items.visible},
            {"recoverable", items.recoverable},
            {"lost", items.lost},
            {"labelled", items.labelled},
            {"in_line", items.in_line}};
}

inline json as_json(condense::layer_statistics const& layer) {
    return {{"name", layer.name},
            {"saved", layer.saved.count},
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
            {"model_output", layer.model_usage.output.count},
            {"failure", text_of_bytes(layer.failure)}};
}

/// All but the requests one by one.
inline json as_json(condense::replay_figures const& mix) {
    json items;
    for (std::size_t kind = 0; kind < mix.items.size(); ++kind)
        items[std::string{item_name(kind)}] = as_json(mix.items[kind]);
    items["all"] = as_json(mix.all_items());
    json layers = json::array();
    for (auto const& layer : mix.layers) layers.push_back(as_json(layer));
    json violations = json::array();
    for (auto const& violation : mix.first_violations) violations.push_back(text_of_bytes(violation));
    return {{"mix", text_of_bytes(mix.mix)},
            {"conversations", mix.conversations},
            {"requests", mix.requests},
            {"over", mix.over},
            {"exhausted", mix.exhausted},
            {"sent", mix.sent.count},
            {"peak", mix.peak.count},
            {"answered", mix.answered.count},
            {"cached", mix.cached.count},
            {"hits", mix.hits},
            {"reductions", mix.reductions},
            {"model_calls", mix.model_calls},
            {"model_failures", mix.model_failures},
            {"model_input", mix.model_input.count},
            {"model_output", mix.model_output.count},
            {"money", mix.money},
            {"model_money", mix.model_money},
            {"items", std::move(items)},
            {"edits", mix.edits},
            {"edits_visible", mix.edits_visible},
            {"layers", std::move(layers)},
            {"nanoseconds", mix.time.count},
            {"violations", mix.violations},
            {"first_violations", std::move(violations)}};
}

inline json as_json(course const& along) {
    json sent = json::array();
    json cached = json::array();
    if (along.conversations != 0)
        for (std::size_t at = 0; at < course::positions; ++at) {
            sent.push_back(along.sent[at] / along.conversations);
            cached.push_back(along.cached[at] / along.conversations);
        }
    return {{"sent", std::move(sent)}, {"cached", std::move(cached)}};
}

/// Each request, or, where `points` is not 0, what is sent in at most so many pieces of the conversation.
inline json requests_of(std::vector<condense::request_figures> const& turns, std::size_t points) {
    json all = json::array();
    if (points == 0)
        for (auto const& turn : turns)
            all.push_back({{"message", turn.message},
                           {"sent", turn.sent.count},
                           {"cached", turn.cached.count},
                           {"reduced", turn.reduced}});
    else
        each_piece(turns.size(), points, false, [&](std::size_t, std::size_t first, std::size_t end) {
            all.push_back(mean_of(turns, first, end, &condense::request_figures::sent));
        });
    return all;
}

/// `points` 0 is the whole report; else the requests of single conversations come as that many means at most.
inline json as_json(report const& found, std::size_t points = 0) {
    json windows = json::array();
    for (std::size_t window = 0; window < found.windows.size(); ++window) {
        json compared = json::array();
        for (std::size_t mix = 0; mix < found.mixes.size() && found.conversations != 0; ++mix) {
            auto const& total = found.total(window, mix);
            compared.push_back(as_json(total.figures));
            compared.back()["along"] = as_json(total.along);
            auto const closed = found.gap_closed(window, mix);
            compared.back()["gap_closed"] = closed ? json(*closed) : json{};
        }
        windows.push_back({{"window", found.windows[window].count}, {"mixes", std::move(compared)}});
    }
    json kept = json::array();
    for (auto const& one : found.kept) {
        json shown{{"name", text_of_bytes(one.name)}, {"requests", one.requests()}, {"windows", json::array()}};
        for (std::size_t window = 0; window < found.windows.size(); ++window) {
            json compared = json::array();
            for (std::size_t mix = 0; mix < found.mixes.size(); ++mix) {
                auto const& figures = one.figures[window * found.mixes.size() + mix];
                compared.push_back(as_json(figures));
                compared.back()["turns"] = requests_of(figures.turns, points);
            }
            shown["windows"].push_back({{"window", found.windows[window].count}, {"mixes", std::move(compared)}});
        }
        kept.push_back(std::move(shown));
    }
    json skipped = json::array();
    for (auto const& one : found.first_skipped)
        skipped.push_back({{"name", text_of_bytes(one.name)}, {"reason", text_of_bytes(one.reason)}});
    json names = json::array();
    for (auto const& name : found.mixes) names.push_back(text_of_bytes(name));
    return {{"format", "condense replay"},
            {"version", 1},
            {"currency", text_of_bytes(found.currency)},
            {"prices",
             {{"input", found.prices.input.millionths},
              {"cached", found.prices.cached.millionths},
              {"written", found.prices.written.millionths},
              {"output", found.prices.output.millionths}}},
            {"summariser", found.summariser.empty() ? json{} : json(text_of_bytes(found.summariser))},
            {"conversations", found.conversations},
            {"skipped", found.skipped},
            {"first_skipped", std::move(skipped)},
            {"mixes", std::move(names)},
            {"windows", std::move(windows)},
            {"longest", std::move(kept)}};
}

}  // namespace replay
