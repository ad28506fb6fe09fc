// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/core/handles.hpp>
#include <condense/core/provider_usage.hpp>
#include <condense/core/store.hpp>
#include <condense/core/usage.hpp>
#include <condense/detail/json_quote.hpp>
#include <condense/detail/text.hpp>

// The outcome of a run and the work of each layer, as measured by the engine, not as claimed by the layer. A report
// holds no heap memory, so that copying it cannot fail.

namespace condense {
inline namespace v1 {

/// How a run ended.
enum class outcome : std::uint8_t {
    fits,  ///< the request may be sent: it is within the limit
    over,  ///< over the limit; the layers of this pipeline could do no more
    passes,  ///< still over escalate's line after all of its passes, or layers have work left
    time,  ///< still over escalate's line when its time was up
    exhausted,  ///< over the limit, and all that is left may not be dropped
};

constexpr std::string_view name(outcome which) noexcept {
    switch (which) {
        case outcome::fits: return "fits";
        case outcome::over: return "over";
        case outcome::passes: return "passes";
        case outcome::time: return "time";
        case outcome::exhausted: break;
    }
    return "exhausted";
}

/// How one layer ended.
enum class layer_outcome : std::uint8_t {
    idle,  ///< not due, or nothing to do
    stored,  ///< nothing to edit, but something was written to a journal or a store
    applied,  ///< its edits made the request smaller
    declined,  ///< its edits were rolled back or refused, or it waits for its model
    failed,  ///< it threw or reported a failure, and was applied in no other call
};

constexpr std::string_view name(layer_outcome which) noexcept {
    switch (which) {
        case layer_outcome::idle: return "idle";
        case layer_outcome::stored: return "stored";
        case layer_outcome::applied: return "applied";
        case layer_outcome::declined: return "declined";
        case layer_outcome::failed: break;
    }
    return "failed";
}

/// One layer's own work over all sweeps and passes of a run.
struct layer_report {
    std::string_view name = {};  ///< the layer's `label`, else its `name`, else that of its type
    layer_outcome outcome = layer_outcome::idle;
    tokens before = {};  ///< usage when it was first called
    tokens saved = {};  ///< by its own edits
    tokens restored = {};  ///< growth by restored messages and written results, not part of `saved`
    std::uint32_t runs = 0;  ///< times one of its hooks was called
    std::uint32_t groups_dropped = 0;  ///< dropped or summarised
    std::uint32_t parts_shortened = 0;
    std::uint32_t bound_removed = 0;  ///< parts that left because their provider binds them to what it has changed
    tokens bound_tokens = {};  ///< of these, part of `saved`
    std::optional<std::uint64_t> first_changed = {};  ///< index of the first message that its edits change
    std::uint32_t artifacts = 0;  ///< originals stored
    std::uint32_t refused = 0;  ///< edits that the draft refused and the layer noted
    std::uint32_t failures = 0;  ///< times that it or a store threw or reported a failure
    std::uint32_t asked = 0;  ///< calls of a model; in a dry run, calls that would be made
    provider_usage model_usage = {};  ///< of these calls, as the models report it
    bool summarizes = false;  ///< the layer puts summaries in the place of groups
    std::uint32_t passes = 0;  ///< times it ran the layers before it again, under pressure
    std::uint32_t redactions = 0;  ///< secrets replaced in what it gave to journals, stores and models
    bool threw = false;  ///< it ended by an exception in this run: no escalation runs it again
    bool waits = false;  ///< deferred: its edits are not worth it yet, or its model was called recently
    std::uint32_t files = 0;  ///< new files for what was stored, where the store has files
    std::array<reference, 4> file_names = {};  ///< names of the first of them
    detail::small_text<96> note = {};  ///< why it did nothing, or what failed

    constexpr void add_file(reference const& file) noexcept {
        if (files < file_names.size()) file_names[files] = file;
        ++files;
    }
    /// Usage that the layer's own edits would have left, without those of other layers.
    constexpr tokens after() const noexcept { return before - saved; }
};

namespace detail {

// The pieces of report::text, free of the number of layers so that each is compiled once.

inline void append_padded(std::string& out, std::string_view text, std::size_t width, bool right = false) {
    auto const gap = text.size() < width ? width - text.size() : 1;
    if (right) out.append(gap, ' ');
    out.append(text);
    if (!right) out.append(gap, ' ');
}

/// Tokens that models were sent and answered, if they report it.
inline void append_usage(std::string& out, provider_usage const& used) {
    if (used != provider_usage{})
        out.append("  model: ")
            .append(grouped(used.request().count))
            .append(" in, ")
            .append(grouped(used.output.count))
            .append(" out");
}

/// `width`: of the column of names.
inline void append_row(std::string& out, layer_report const& layer, std::size_t width) {
    if (layer.name.empty()) return;  // any_pipeline has room for more layers than it holds
    append_padded(out, layer.name, width);
    append_padded(out, name(layer.outcome), 10);
    for (auto const figure : {layer.saved.count, std::uint64_t{layer.groups_dropped},
                              std::uint64_t{layer.parts_shortened}, std::uint64_t{layer.artifacts}})
        append_padded(out, grouped(figure), 12, true);
    if (layer.passes != 0)
        out.append("  ").append(grouped(layer.passes)).append(layer.passes == 1 ? " pass" : " passes");
    if (layer.redactions != 0) out.append("  ").append(grouped(layer.redactions)).append(" redacted");
    if (layer.bound_removed != 0)
        out.append("  ")
            .append(grouped(layer.bound_removed))
            .append(" bound to it went along (")
            .append(grouped(layer.bound_tokens.count))
            .append(" tokens)");
    append_usage(out, layer.model_usage);
    if (!layer.note.empty()) out.append("  ").append(std::string_view{layer.note});
    out.push_back('\n');
}

inline void append_head(std::string& out, std::string_view result, usage const& before, usage const& after,
                        std::uint64_t lost, std::size_t width) {
    out.append(result).append(": ").append(grouped(before.tokens.count)).append(" -> ");
    out.append(grouped(after.tokens.count)).append(" of ").append(grouped(after.input.count)).append(" tokens");
    if (before.source != usage_source::estimated || after.source != before.source)
        out.append(" (").append(name(before.source)).append(" -> ").append(name(after.source)).append(")");
    out.append(", ");
    out.append(grouped(before.messages.count)).append(" -> ").append(grouped(after.messages.count)).append(" messages");
    if (lost != 0)
        out.append("; the summary failed, and ")
            .append(grouped(lost))
            .append(lost == 1 ? " group was" : " groups were")
            .append(" dropped without one");
    out.push_back('\n');
    append_padded(out, "layer", width);
    append_padded(out, "outcome", 10);
    for (std::string_view const title : {"saved", "dropped", "shortened", "stored"})
        append_padded(out, title, 12, true);
    out.append("\n");
}

}  // namespace detail

/// The messages that run_options::before_drop was given in a run, and how that ended.
struct before_drop_report {
    v1::messages messages = {};  ///< that were given to it; 0 where it was not called
    std::uint64_t redactions = 0;  ///< secrets replaced in what it gave away
    detail::small_text<96> failure = {};  ///< why it failed; the messages left all the same
};

/// The figures of a run, whatever its pipeline: the base of every report. It has no entries of layers.
struct run_report {
    v1::outcome outcome = v1::outcome::fits;
    usage before = {};
    usage after = {};
    tokens limit = {};  ///< what a request may hold: the input, or escalate's ceiling of it
    /// Usage that no pipeline could drop or shorten, set when the outcome is `exhausted`; this one leaves `after`.
    tokens floor = {};
    std::optional<std::uint64_t> first_changed = {};  ///< index of the first message that differs
    tokens prefix = {};  ///< tokens before that, overhead included: they stay byte-identical, and in a prompt cache
    tokens reread = {};  ///< tokens behind it that were sent before and still are: a prompt cache serves them no more
    instant time = {};  ///< how long the run took
    std::string_view refused = {};  ///< why no layer ran, where the budget is impossible; else empty
    before_drop_report before_drop = {};

    /// The request may be sent.
    constexpr bool fits() const noexcept { return after.tokens <= limit && refused.empty(); }
    constexpr bool changed() const noexcept { return first_changed.has_value(); }
    /// Tokens after the run as a share of those before, rounded up to hundredths of a per cent; 100 % where nothing was
    /// saved.
    constexpr percent ratio() const noexcept {
        if (after.tokens >= before.tokens) return {percent::one_hundred};
        unsigned shift = 0;  // the product below has to be below 2^64
        while (before.tokens.count >> shift >= std::uint64_t{1} << 48) ++shift;
        auto const [remaining, total] = std::pair{after.tokens.count >> shift, before.tokens.count >> shift};
        return {static_cast<std::uint32_t>((remaining * percent::one_hundred + total - 1) / total)};
    }
};

namespace detail {

// The pieces of report::json. Each member ends with a comma, which the end of its object overwrites.

inline void append_member(std::string& out, std::string_view key, std::uint64_t value) {
    out.append("\"").append(key).append("\":").append(std::to_string(value)).push_back(',');
}
inline void append_member(std::string& out, std::string_view key, std::string_view value) {
    out.append("\"").append(key).append("\":\"");
    json::append_escaped(out, printable(value, 256));
    out.append("\",");
}
inline void append_member(std::string& out, std::string_view key, usage const& value) {
    out.append("\"").append(key).append("\":{");
    append_member(out, "tokens", value.tokens.count);
    append_member(out, "input", value.input.count);
    append_member(out, "messages", value.messages.count);
    append_member(out, "turns", value.turns.count);
    append_member(out, "source", name(value.source));
    out.back() = '}';
    out.push_back(',');
}

inline void append_member(std::string& out, std::string_view key, provider_usage const& value) {
    out.append("\"").append(key).append("\":{");
    append_member(out, "input", value.input.count);
    append_member(out, "output", value.output.count);
    append_member(out, "cache_read", value.cache_read.count);
    append_member(out, "cache_write", value.cache_write.count);
    out.back() = '}';
    out.push_back(',');
}

/// From the opening brace to the bracket of the layers.
inline void append_members(std::string& out, run_report const& report, std::uint64_t dropped_unsummarized) {
    out.push_back('{');
    append_member(out, "outcome", name(report.outcome));
    append_member(out, "before", report.before);
    append_member(out, "after", report.after);
    append_member(out, "limit", report.limit.count);
    append_member(out, "floor", report.floor.count);
    if (report.first_changed) append_member(out, "first_changed", *report.first_changed);
    append_member(out, "prefix", report.prefix.count);
    append_member(out, "reread", report.reread.count);
    append_member(out, "nanoseconds", report.time.count);
    append_member(out, "dropped_unsummarized", dropped_unsummarized);
    if (!report.refused.empty()) append_member(out, "refused", report.refused);
    if (!report.before_drop.failure.empty())
        append_member(out, "before_drop", std::string_view{report.before_drop.failure});
    out.append("\"layers\":[");
}

inline void append_object(std::string& out, layer_report const& layer) {
    out.push_back('{');
    append_member(out, "name", layer.name);
    append_member(out, "outcome", name(layer.outcome));
    append_member(out, "saved", layer.saved.count);
    append_member(out, "restored", layer.restored.count);
    append_member(out, "runs", layer.runs);
    append_member(out, "groups_dropped", layer.groups_dropped);
    append_member(out, "parts_shortened", layer.parts_shortened);
    if (layer.bound_removed != 0) {
        append_member(out, "bound_removed", layer.bound_removed);
        append_member(out, "bound_tokens", layer.bound_tokens.count);
    }
    append_member(out, "artifacts", layer.artifacts);
    append_member(out, "failures", layer.failures);
    append_member(out, "asked", layer.asked);
    if (layer.model_usage != provider_usage{}) append_member(out, "model_usage", layer.model_usage);
    append_member(out, "passes", layer.passes);
    if (layer.redactions != 0) append_member(out, "redactions", layer.redactions);
    if (!layer.note.empty()) append_member(out, "note", std::string_view{layer.note});
    out.back() = '}';
}

}  // namespace detail

/// The figures of a run, with one entry for each layer, in the order of the pipeline. Must not be ignored: a request
/// that does not fit should not be sent.
template <std::size_t Layers>
struct [[nodiscard]] report : run_report {
    std::array<layer_report, Layers> layers = {};

    /// Number of groups that were dropped without a summary in a run whose summary failed.
    constexpr std::uint64_t dropped_unsummarized() const noexcept {
        bool failed = false;
        bool summarized = false;
        std::uint64_t dropped = 0;
        for (auto const& layer : layers) {
            failed = failed || (layer.summarizes && layer.failures != 0);
            summarized = summarized || (layer.summarizes && layer.outcome == layer_outcome::applied);
            dropped += layer.summarizes ? 0 : layer.groups_dropped;
        }
        return failed && !summarized ? dropped : 0;
    }

    /// Secrets replaced in what all layers and before_drop gave to journals, stores and models. One that went to two of
    /// them counts twice.
    constexpr std::uint64_t redactions() const noexcept {
        auto sum = before_drop.redactions;
        for (auto const& layer : layers) sum += layer.redactions;
        return sum;
    }

    /// Tokens that all layers' calls of models have used, as the models report it.
    constexpr provider_usage model_usage() const noexcept {
        provider_usage sum;
        for (auto const& layer : layers) sum += layer.model_usage;
        return sum;
    }

    /// A table for humans: one line for the run, which warns where a summary failed and groups were dropped without
    /// one, and one line for each layer.
    std::string text() const {
        std::string out;
        if (!refused.empty()) out.append(refused).push_back('\n');
        std::size_t width = 16;
        for (auto const& layer : layers) width = layer.name.size() < width ? width : layer.name.size() + 1;
        detail::append_head(out, name(outcome), before, after, dropped_unsummarized(), width);
        for (auto const& layer : layers) detail::append_row(out, layer, width);
        if (outcome == v1::outcome::exhausted) {
            out.append("floor: ").append(detail::grouped(floor.count)).append(" tokens cannot be reduced");
            if (floor < after.tokens)
                out.append(" by any mix; this one leaves ").append(detail::grouped(after.tokens.count));
            out.push_back('\n');
        }
        if (!before_drop.failure.empty())
            out.append("before_drop failed: ").append(std::string_view{before_drop.failure}).push_back('\n');
        return out;
    }
    /// These figures as one JSON object. Names and notes are escaped; layers without a name are left out.
    std::string json() const {
        std::string out;
        detail::append_members(out, *this, dropped_unsummarized());
        bool first = true;
        for (auto const& layer : layers)
            if (!layer.name.empty()) detail::append_object(out.append(std::exchange(first, false) ? "" : ","), layer);
        return out.append("]}");
    }
    template <class Stream>
        requires requires(Stream& stream, std::string const& text) { stream << text; }
    friend Stream& operator<<(Stream& stream, report const& value) {
        stream << value.text();
        return stream;
    }
};

/// The rest of one part that a layer left, and where its original is: the audit trail of what the model did not see. A
/// part that two layers cut has an entry for each, in their order.
struct truncation {
    sequence message = {};  ///< its number in the history, and in journals
    std::uint32_t part = 0;  ///< in each_part order
    part_kind kind = part_kind::text;
    std::string_view layer = {};  ///< its name in the report
    chars before = {};  ///< length of the text that the layer was given; of media that of their description
    chars after = {};  ///< 0 where the part was removed
    reference stored = {};  ///< of the original in a store; empty where no store has it
    bool recorded = false;  ///< a journal has the message

    /// One sentence for a log.
    std::string text() const {
        auto out = "truncated: message " + detail::grouped(message.number) + ", part " + detail::grouped(part) + " (";
        out.append(name(kind)).append(") by ").append(detail::printable(layer, 64)).append(": ");
        out += detail::grouped(before.count) + " -> " + detail::grouped(after.count) + " characters, the original is ";
        if (stored) return out + "stored as " + stored.text();
        return out + (recorded ? "in the journal" : "in the history alone");
    }
    friend constexpr bool operator==(truncation const&, truncation const&) = default;
};

namespace events {

/// A part was cut by the run, or on arrival. Observers get one for each such part, before the event `reduced`.
using truncated = truncation;

/// run_options::before_drop has failed: so many messages have left, and what they say may not be remembered.
struct before_drop_failed {
    v1::messages messages = {};
    detail::small_text<96> reason = {};  ///< from outside, unlike the text below

    std::string text() const {
        return "before_drop failed: " + detail::grouped(messages.count) + " messages left without it";
    }
    friend constexpr bool operator==(before_drop_failed const&, before_drop_failed const&) = default;
};

}  // namespace events

}  // namespace v1
}  // namespace condense
