// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <condense/condense.hpp>
#include <condense/core/any_pipeline.hpp>
#include <condense/core/recovery_names.hpp>
#include <condense/llm/name_index.hpp>
#include <condense/preset/recommended.hpp>
#include <condense/shorten/salient_lines.hpp>

#include "../kept/kept.hpp"

// Where what leaves a request is kept, and the mixes that keep it there.

namespace proxy {

using json = nlohmann::ordered_json;
using mix = condense::any_pipeline<json>;

/// Why the latest message or result could not be kept; empty where it could. The client has it all the same, so that
/// what is sent is reduced as ever.
class keeping_problem {
public:
    condense::store_error note(condense::store_error const& problem) {
        if (problem) {
            std::lock_guard const lock{mutex_};
            text_ = std::string{std::string_view{problem.reason}};
        }
        return problem.gone ? problem : condense::store_error{};  // then all of it is recorded anew
    }
    /// Empty again after the call.
    std::string take() {
        std::lock_guard const lock{mutex_};
        return std::exchange(text_, {});
    }

private:
    std::mutex mutex_;
    std::string text_;
};
inline keeping_problem not_kept;

/// A journal whose problems are noted, and keep no request from being sent.
struct noted_journal {
    static constexpr bool durable = true;
    kept::any_journal to = {};

    condense::reference name(std::string_view content) const { return to.name(content); }
    condense::store_error append(std::string_view conversation, condense::journal_entry const& entry,
                                 std::string_view content) const {
        return not_kept.note(to.append(conversation, entry, content));
    }
    condense::store_error flush(std::string_view conversation) const { return not_kept.note(to.flush(conversation)); }
    condense::store_error read(std::string_view conversation, kept::any_journal::entry_sink const& f) const {
        return not_kept.note(to.read(conversation, f));
    }
};

/// The layers of the presets with these names. Large results are cut before they are sent for the first time, in the
/// open round, too, as somebody always has the whole. All shares are of what is free beside tools, system texts and the
/// answer. `reads`: the model has tools that find what is kept.
inline mix mix_named(std::string_view name, kept::any_journal const& journal, kept::any_store const& store,
                     bool reads) {
    using namespace condense::literals;
    using condense::used;
    condense::wording words{.recorded = "ask for it again if it is needed"};
    if (reads) words = condense::tool_words;
    constexpr condense::salient_lines ends{.head = 5_pct, .tail = 5_pct, .at_most = 40_pct};
    condense::record const record{.to = noted_journal{journal}};
    condense::offload const offload{
        .over = store ? condense::part_limit{50_pct} : condense::part_limit{condense::chars{~std::uint64_t{0}}},
        .preview = ends,
        .into = store,
        .words = words};
    condense::compress const large{.when = condense::always, .over = 50_pct, .with = ends, .words = words};
    auto const summary = [&](auto leaves) {
        return condense::summarize{.when = relaxed(used >= 80_pct, 5_pct),
                                   .until = used <= 4_pct,
                                   .protect = condense::task | condense::unanswered,
                                   .size = 1_tokens,
                                   .with = condense::no_prose{},
                                   .leaves = leaves,
                                   .source_hint = reads ? condense::tool_sentence : std::string_view{}};
    };
    condense::sliding_window const window{.when = used >= 98_pct, .protect = condense::task | condense::unanswered};
    condense::compress const arguments{.when = condense::never, .with = condense::shorten_arguments<>{}};
    condense::escalate const escalate{.when = used >= 98_pct};
    if (name == "window") return condense::pipeline{record, window, escalate};
    auto const with = [&](auto const& leaves) {
        return mix{condense::pipeline{record, offload, large, summary(leaves), window, arguments, escalate}};
    };
    if (name == "no_model") return with(condense::name_index{.share = 25_pct, .lines = 33_pct});
    return with(condense::presets::recommended_index());
}

}  // namespace proxy
