// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/provider_usage.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/text.hpp>

// Tool results and documents as a planner sees them, by their facts and previews, and its decisions.

namespace condense {
inline namespace v1 {

enum class artifact_kind : std::uint8_t { tool_result, document };

/// The facts of a tool result or a document. Its content stays where it is.
struct artifact {
    std::string id = {};  ///< made by the library, unique among those of one request: "r12.0", "d1"
    artifact_kind kind = artifact_kind::tool_result;
    std::string source = {};  ///< on one line, such as "turn 12: web_search"
    std::string type = {};  ///< json, text, mixed, or what an attachment calls itself
    bytes size = {};
    tokens cost = {};  ///< of the whole
    std::string preview = {};  ///< the beginning, on one line, at most `preview_points` characters
    std::uint64_t arrived = 0;  ///< its place in the order of arrival, such as a sequence number
    bool historical = false;  ///< of an earlier turn
    bool error = false;

    friend bool operator==(artifact const&, artifact const&) = default;
};

namespace detail {

/// Characters of a preview and of a source: what planners are shown of texts from outside.
inline constexpr std::uint64_t preview_points = 240;
inline constexpr std::uint64_t source_points = 120;

}  // namespace detail

/// The ways to treat an artifact in one request.
enum class strategy : std::uint8_t {
    include_full,
    summarize,  ///< a model writes what matters of it
    extract,    ///< the passages that answer a query, word for word
    exclude,    ///< a line says where it is
};

/// As plans and reports spell it.
constexpr std::string_view name(strategy which) noexcept {
    switch (which) {
        case strategy::include_full: return "include_full";
        case strategy::summarize: return "summarize";
        case strategy::extract: return "extract";
        case strategy::exclude: break;
    }
    return "exclude";
}

/// The least urgent priority; 1 is the most urgent one.
inline constexpr std::uint32_t last_priority = 100;

struct decision {
    std::string artifact = {};  ///< its id
    v1::strategy strategy = v1::strategy::exclude;
    std::string about = {};  ///< focus of a summary, query of an extract; empty for the question
    std::uint32_t priority = last_priority;  ///< 1 to 100
    std::string reason = {};  ///< kept in the record
    tokens limit = {};  ///< what it may take at most; 0 for a fair share of what is left

    friend bool operator==(decision const&, decision const&) = default;
};

/// Faults of a plan, which have been mended.
struct plan_faults {
    std::uint32_t unknown = 0;  ///< decisions about artifacts that are not there
    std::uint32_t repeated = 0;  ///< about one that was decided before
    std::uint32_t missing = 0;  ///< artifacts without a decision, which a rule has decided
    std::uint32_t out_of_range = 0;  ///< priorities that were moved into their range
    std::uint32_t malformed = 0;  ///< decisions that could not be read; of a whole answer that is no plan, one

    constexpr std::uint64_t all() const noexcept {
        return std::uint64_t{unknown} + repeated + missing + out_of_range + malformed;
    }
    friend constexpr bool operator==(plan_faults const&, plan_faults const&) = default;
};

struct artifact_plan {
    std::vector<decision> decisions = {};
    plan_faults faults = {};
    provider_usage usage = {};  ///< of a model that planned
    std::string problem = {};  ///< why there is no plan: everything is then included as far as it fits, newest first
    bool extends = false;  ///< what is left in the end makes extracts longer than their limits, the most urgent first
};

/// The question to a planner.
class plan_request {
public:
    using text_sink = detail::callable_ref<void(std::size_t, std::string_view)>;
    using wanted_texts = detail::callable_ref<bool(std::size_t)>;
    /// Calls the sink with the texts that are wanted, in any order; with none that cannot be read.
    using text_reader = detail::callable_ref<void(wanted_texts const&, text_sink const&)>;

    plan_request(std::span<artifact const> all, tokens limit, text_reader const& from) noexcept
        : artifacts{all}, budget{limit}, read_{from} {}

    std::span<artifact const> artifacts;  ///< in order of arrival
    tokens budget;  ///< for all that is included, references to the rest among it
    std::string_view question = {};
    std::string_view goal = {};  ///< what the question is asked for
    tokens reference_cost = {40};  ///< of the line that an excluded artifact leaves; 0 if none has to stand

    /// Calls f(index, text) for each artifact, in any order. Each view is valid during its call.
    template <class Function>
    void each_text(Function const& f) const {
        auto const all = [](std::size_t) { return true; };
        read_(wanted_texts{all}, text_sink{f});
    }
    /// Calls f(text) with the content of one, unless it cannot be read.
    template <class Function>
    void text(std::size_t index, Function const& f) const {
        auto const one = [index](std::size_t candidate) { return candidate == index; };
        auto const sink = [&](std::size_t candidate, std::string_view content) {
            if (candidate == index) f(content);
        };
        read_(wanted_texts{one}, text_sink{sink});
    }

private:
    text_reader read_;
};

}  // namespace v1
}  // namespace condense
