// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/core/provider_usage.hpp>
#include <condense/core/report.hpp>

// Sums over the runs and arrivals of a session, by layer.

namespace condense {
inline namespace v1 {

/// The sums of one layer's report entries. Plain data; sums of two sessions saturate.
struct layer_statistics {
    std::string_view name = {};
    tokens saved = {};         ///< before minus after of its own edits, by the estimator in force
    tokens restored = {};      ///< growth by restored or written messages
    std::uint64_t events = 0;  ///< runs and arrivals in which it edited or stored something
    std::uint64_t groups_dropped = 0;
    std::uint64_t parts_shortened = 0;
    tokens bound_tokens = {};  ///< of reasoning that left because it is bound to what was changed; of this process
    /// Runs in which it changed the first of the messages that changed: there a cached prefix breaks. Of this process;
    /// no part of a saved state.
    std::uint64_t prefix_breaks = 0;
    std::uint64_t artifacts = 0;  ///< originals and messages stored
    std::uint64_t latest_artifacts = 0;  ///< in its latest event
    std::uint64_t files = 0;  ///< created by stores with a file for each artifact
    std::uint64_t latest_files = 0;  ///< in the latest event
    /// Of the first files in the latest event; the text of a reference is the file's name.
    std::array<reference, 4> latest_file_names = {};
    std::uint64_t failures = 0;
    std::uint64_t asked = 0;  ///< calls of a model
    provider_usage model_usage = {};  ///< of these calls and of summaries made outside, as the models report it
    std::uint64_t redactions = 0;  ///< secrets replaced in what it gave to journals, stores and models
    detail::small_text<96> failure = {};  ///< the note of the latest report with a failure

    /// Adds the entry of a run or an arrival.
    constexpr void add(layer_report const& entry) noexcept {
        name = entry.name;
        saved = saved + entry.saved;
        restored = restored + entry.restored;
        groups_dropped += entry.groups_dropped;
        parts_shortened += entry.parts_shortened;
        bound_tokens = bound_tokens + entry.bound_tokens;
        artifacts += entry.artifacts;
        failures += entry.failures;
        model_usage += entry.model_usage;
        redactions += entry.redactions;
        asked += entry.asked;
        files += entry.files;
        if (entry.outcome == layer_outcome::applied || entry.artifacts != 0) {
            ++events;
            latest_artifacts = entry.artifacts;
            latest_files = entry.files;
            latest_file_names = entry.file_names;
        }
        if (entry.failures != 0) failure = entry.note;
    }
    /// Adds the sums of the same layer in another session, which is the later one.
    constexpr void add(layer_statistics const& more) noexcept {
        using detail::add_capped;
        saved = saved + more.saved;
        restored = restored + more.restored;
        events = add_capped(events, more.events);
        groups_dropped = add_capped(groups_dropped, more.groups_dropped);
        parts_shortened = add_capped(parts_shortened, more.parts_shortened);
        bound_tokens = bound_tokens + more.bound_tokens;
        prefix_breaks = add_capped(prefix_breaks, more.prefix_breaks);
        artifacts = add_capped(artifacts, more.artifacts);
        latest_artifacts = more.latest_artifacts;
        files = add_capped(files, more.files);
        latest_files = more.latest_files;
        latest_file_names = more.latest_file_names;
        failures = add_capped(failures, more.failures);
        asked = add_capped(asked, more.asked);
        model_usage += more.model_usage;
        redactions = add_capped(redactions, more.redactions);
        if (!more.failure.empty()) failure = more.failure;
    }
};

/// The sums of run_options::before_drop in this process; they are no part of a saved state.
struct before_drop_statistics {
    std::uint64_t messages = 0;  ///< that were given to it
    std::uint64_t redactions = 0;  ///< secrets replaced in what it gave away
    std::uint64_t failures = 0;  ///< runs in which it failed
    detail::small_text<96> failure = {};  ///< of the latest of them

    constexpr void add(before_drop_report const& entry) noexcept {
        messages += entry.messages.count;
        redactions += entry.redactions;
        if (entry.failure.empty()) return;
        ++failures;
        failure = entry.failure;
    }
};

/// One entry a layer, in the order of the pipeline. Undoing an edit does not subtract it.
template <std::size_t Layers>
struct statistics {
    std::uint64_t runs = 0;  ///< of the whole pipeline
    std::uint64_t changed = 0;  ///< runs that changed the request
    provider_usage agent_usage = {};  ///< of the answers to requests, as the provider reports it
    std::array<layer_statistics, Layers> layers = {};
    before_drop_statistics before_drop = {};

    /// Tokens saved by all layers.
    constexpr tokens saved() const noexcept {
        tokens sum;
        for (auto const& layer : layers) sum = sum + layer.saved;
        return sum;
    }

    /// What the layers' models have used beside the agent's, such as for summaries; `money_of(sum, prices)` is what it
    /// costs.
    constexpr provider_usage model_usage() const noexcept {
        provider_usage sum;
        for (auto const& layer : layers) sum += layer.model_usage;
        return sum;
    }
    /// Of the agent and the layers together.
    constexpr provider_usage total_usage() const noexcept { return agent_usage + model_usage(); }

    /// Secrets replaced in what all layers and before_drop gave away.
    constexpr std::uint64_t redactions() const noexcept {
        auto sum = before_drop.redactions;
        for (auto const& layer : layers) sum = detail::add_capped(sum, layer.redactions);
        return sum;
    }

    /// Adds a run that changed the request.
    constexpr void add_break(std::array<layer_report, Layers> const& entries) noexcept {
        auto const last = std::size_t{Layers};
        auto first = last;
        for (std::size_t index = 0; index < Layers; ++index)
            if (auto const at = entries[index].first_changed;
                at && (first == last || *at < *entries[first].first_changed))
                first = index;
        if (first != last) ++layers[first].prefix_breaks;
    }
    constexpr void add(std::array<layer_report, Layers> const& entries) noexcept {
        for (std::size_t index = 0; index < Layers; ++index) layers[index].add(entries[index]);
    }

    /// A table for display: one line for all, one for each layer, and below it the files of its latest event.
    std::string text() const {
        std::string out = "saved " + detail::grouped(saved().count) + " tokens in " + detail::grouped(changed) +
                          " of " + detail::grouped(runs) + " runs\n";
        detail::append_padded(out, "layer", 16);
        for (std::string_view const title : {"events", "saved", "dropped", "shortened", "stored", "files", "failures"})
            detail::append_padded(out, title, 12, true);
        out.push_back('\n');
        for (auto const& layer : layers) {
            if (layer.name.empty()) continue;
            detail::append_padded(out, layer.name, 16);
            for (auto const figure : {layer.events, layer.saved.count, layer.groups_dropped, layer.parts_shortened,
                                      layer.artifacts, layer.files, layer.failures})
                detail::append_padded(out, detail::grouped(figure), 12, true);
            if (layer.redactions != 0) out.append("  ").append(detail::grouped(layer.redactions)).append(" redacted");
            detail::append_usage(out, layer.model_usage);
            if (!layer.failure.empty()) out.append("  ").append(std::string_view{layer.failure});
            out.push_back('\n');
            if (layer.latest_files == 0) continue;
            out.append("  created:");
            for (auto const& file : layer.latest_file_names)
                if (file) out.append(" ").append(file.text());
            auto const named = layer.latest_file_names.size();
            if (layer.latest_files > named)
                out.append(" and ").append(detail::grouped(layer.latest_files - named)).append(" more");
            out.push_back('\n');
        }
        if (before_drop.failures != 0) {
            out.append("before_drop failed in ").append(detail::grouped(before_drop.failures)).append(" runs: ");
            out.append(std::string_view{before_drop.failure}).push_back('\n');
        }
        return out;
    }
};

}  // namespace v1
}  // namespace condense
