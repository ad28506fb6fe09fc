// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/estimator.hpp>
#include <condense/core/part.hpp>
#include <condense/core/provider_usage.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/time_limit.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/llm/fence.hpp>
#include <condense/plan/artifact.hpp>
#include <condense/plan/artifact_list.hpp>
#include <condense/plan/asking.hpp>
#include <condense/plan/execution.hpp>
#include <condense/plan/planner.hpp>
#include <condense/plan/ranking.hpp>
#include <condense/plan/rule_planner.hpp>
#include <condense/shorten/placeholder.hpp>

// The context for a question, out of documents and results that are not in the conversation:
// plan_context{}(artifacts, {.question = "...", .budget = 8'000_tokens}).text.

namespace condense {
inline namespace v1 {

/// What the context is for. The texts must outlive the call.
struct context_request {
    std::string_view question = {};
    std::string_view goal = {};  ///< what the question is asked for; its words weigh half
    tokens budget = {};  ///< of the whole text
};

/// The context, and what became of each artifact.
struct planned_context {
    std::string text = {};  ///< to be sent with the question: the artifacts in order of arrival, fenced
    tokens used = {};  ///< what `text` takes, never more than the budget
    std::vector<artifact_record> records = {};  ///< in order of arrival
    std::uint64_t unnamed = 0;  ///< artifacts of which not even a reference fits; the text says how many
    plan_faults faults = {};  ///< what was wrong with the plan, and has been mended
    std::string problem = {};  ///< why there was no plan: the newest artifacts that fit are in the text
    provider_usage planning = {};  ///< of the planner's model
    provider_usage summarizing = {};
    std::uint64_t cache_hits = 0;  ///< summaries that came from a cache
    std::uint64_t cache_misses = 0;  ///< summaries that a model was asked for

    provider_usage model_usage() const noexcept {
        auto sum = planning;
        sum += summarizing;
        return sum;
    }
    /// A table for people, one line for each artifact.
    std::string report() const {
        std::string out;
        auto const add = [&out](std::string_view before, std::string_view words) {
            if (!words.empty()) out.append(before).append(printable(words, detail::preview_points));
        };
        for (auto const& each : records) {
            add("", name(each.done));
            add(", ", each.id);
            add(" (", each.source);
            out.append("): ").append(grouped(each.before.count)).append(" -> ").append(grouped(each.after.count));
            out.append(" tokens");
            add("; ", each.reason);
            add("; ", each.problem);
            out.append(each.cached ? "; from the cache\n" : "\n");
        }
        add("no plan: ", problem);
        if (!problem.empty()) out.push_back('\n');
        if (unnamed != 0) out.append(grouped(unnamed)).append(" have no reference, for lack of room\n");
        if (faults.all() != 0) out.append(grouped(faults.all())).append(" faults of the plan were mended\n");
        return out;
    }
};

namespace detail {

/// An attribute of a fence, on one line, which nothing in the value can end.
inline void append_attribute(std::string& out, std::string_view name, std::string_view value) {
    out.append(" ").append(name).append("=\"");
    for (char const byte : printable(value, 2 * preview_points))
        out.push_back(byte == '"' || byte == '<' || byte == '>' ? '\'' : byte);
    out.push_back('"');
}
inline void append_fence(std::string& out, artifact const& facts, std::string_view content) {
    out.append("<artifact");
    append_attribute(out, "id", facts.id);
    append_attribute(out, "source", facts.source);
    append_attribute(out, "content", content);
}

/// The fenced artifact: one line before and one behind its text.
inline void append_artifact(std::string& out, artifact const& facts, std::string_view text, strategy what) {
    append_fence(out, facts,
                 what == strategy::extract     ? "passages"
                 : what == strategy::summarize ? "summary"
                                               : "whole");
    out.append(">\n");
    append_neutral(out, text);
    if (out.back() != '\n') out.push_back('\n');
    out.append("</artifact>\n");
}

/// How texts become part of a context, and what they cost there.
template <class Estimator>
struct context_environment {
    artifact_list<Estimator> const& list;
    v1::wording const& words;

    tokens measure_plain(std::string_view text) const {
        return text.empty() ? tokens{} : part_cost(list.estimator(), part_view{.text = text}).tokens();
    }
    std::string fenced(std::size_t index, std::string_view text, strategy what) const {
        std::string out;
        append_artifact(out, list.all()[index], utf8::scrubbed_copy(text), what);
        return out;
    }
    tokens measure(std::size_t index, std::string_view text, strategy what) const {
        return measure_plain(fenced(index, text, what));
    }
    std::string way(std::size_t index) const { return way_back({.stored = list.stored(index), .words = words}); }
    /// A fence without content, so that no text can imitate it.
    std::string reference_line(std::size_t index) const {
        auto const& facts = list.all()[index];
        std::string out;
        auto const where = way(index);
        append_fence(out, facts, grouped(facts.size.count) + " bytes left out" + (where.empty() ? "" : "; ") + where);
        return out.append("/>\n");
    }
};

/// The pieces of a context, in order of arrival, with their records. An empty one is left out.
struct context_pieces {
    std::vector<artifact_record>& records;
    std::vector<std::string> texts;
    std::vector<bool> left_out = {};

    /// Leaves out what does not fit behind what is more urgent, references first, so that the rest costs no more than
    /// `room`. Returns how many.
    template <class Measure>
    std::uint64_t fit(std::uint64_t room, Measure const& measure) {
        left_out.assign(texts.size(), false);
        std::uint64_t count = 0;
        std::uint64_t sum = 0;
        for (std::size_t index = 0; index < texts.size(); ++index) {
            left_out[index] = texts[index].empty();
            count += left_out[index] ? 1u : 0u;
            sum = add_capped(sum, records[index].after.count);
        }
        if (add_capped(sum, count == 0 ? 0 : measure(last_line(count)).count) <= room) return count;
        auto const before = [&](std::size_t left, std::size_t right) {
            auto const key = [&](std::size_t index) {
                return std::pair{records[index].done == strategy::exclude, records[index].priority};
            };
            return key(left) != key(right) ? key(left) < key(right) : left > right;
        };
        sum = measure(last_line(texts.size())).count;
        for (auto const index : sorted_indices(texts.size(), before)) {
            if (left_out[index]) continue;
            auto const more = add_capped(sum, records[index].after.count);
            left_out[index] = more > room;
            if (left_out[index]) ++count;
            else sum = more;
        }
        return count;
    }
    std::string joined(std::uint64_t count) const {
        std::string out;
        for (std::size_t index = 0; index < texts.size(); ++index)
            if (!left_out[index]) out.append(texts[index]);
        return count == 0 ? out : out.append(last_line(count));
    }
    static std::string last_line(std::uint64_t count) {
        return "<artifacts content=\"" + grouped(count) + " more, left out\"/>\n";
    }
};

}  // namespace detail

/// Plans, and assembles the context. Asks models only where the planner or `summaries` is one. Reads each artifact a
/// few times, and copies what is included twice. The text never costs more than the budget: where the references alone
/// would, not all have one.
template <planner Planner = rule_planner, class Summarizer = no_summaries, class Executor = in_turn>
struct plan_context {
    Planner with = {};
    /// Writes summaries, as that of `summarize`, such as `cached{...}`; by default nobody, and passages are extracted.
    Summarizer summaries = {};
    tokens summary_size = {400};  ///< the longest summary of an artifact; never more than a third of it
    time_limit within = instant{60'000'000'000};  ///< for one summary
    Executor executor = {};  ///< for summaries side by side; the result is the same
    v1::wording words = {};  ///< before a reference

    template <token_estimator Estimator, class Calls = direct_calls<>>
    planned_context operator()(artifact_list<Estimator> const& list, context_request const& wanted,
                               Calls calls = Calls{}) const {
        words.validate();
        detail::context_environment<Estimator> const environment{list, words};
        auto const read_list = [&](plan_request::wanted_texts const& some, plan_request::text_sink const& sink) {
            list.read(some, sink);
        };
        auto artifacts = list.all();
        plan_request::text_reader const reader{read_list};
        plan_request request{artifacts, wanted.budget, reader};
        request.question = wanted.question;
        request.goal = wanted.goal;
        request.reference_cost = {};  // lines of references come last, where there is room
        std::uint64_t whole = 0;
        request.each_text([&](std::size_t index, std::string_view text) {
            artifacts[index].cost = environment.measure(index, text, strategy::include_full);
            whole = detail::add_capped(whole, artifacts[index].cost.count);
        });
        if (whole > wanted.budget.count)
            request.budget.count = detail::sub_capped(
                wanted.budget.count,
                environment.measure_plain(detail::context_pieces::last_line(artifacts.size())).count);

        planned_context result;
        auto plan = detail::plan_with(with, request, calls, calls.stop_token());
        detail::plan_execution execution{request, environment, calls, summaries, executor, summary_size, within};
        assemble(result, execution.run(plan), wanted.budget, environment);
        result.faults = plan.faults;
        result.problem = printable(plan.problem, detail::preview_points);
        result.planning = plan.usage;
        result.summarizing = execution.usage;
        result.cache_hits = execution.hits;
        result.cache_misses = execution.misses;
        return result;
    }

private:
    template <class Estimator>
    static void assemble(planned_context& result, std::vector<detail::planned_text> done, tokens budget,
                         detail::context_environment<Estimator> const& environment) {
        auto& records = result.records;
        detail::context_pieces pieces{records, std::vector<std::string>(done.size())};
        for (std::size_t index = 0; index < done.size(); ++index) {
            records.push_back(std::move(done[index].record));
            if (!done[index].text) continue;
            auto& text = *done[index].text;
            bool const is_line = records[index].done == strategy::exclude;
            pieces.texts[index] = is_line ? std::move(text) : environment.fenced(index, text, records[index].done);
        }
        auto const is_whole = [&](std::size_t index) { return !done[index].text; };
        auto const keep_whole = [&](std::size_t index, std::string_view text) {
            if (is_whole(index)) pieces.texts[index] = environment.fenced(index, text, strategy::include_full);
        };
        environment.list.read(plan_request::wanted_texts{is_whole}, plan_request::text_sink{keep_whole});
        for (std::size_t index = 0; index < records.size(); ++index) {
            auto& record = records[index];
            if (pieces.texts[index].empty() && !done[index].text) {
                record.done = strategy::exclude;
                record.problem = "it cannot be read";
                pieces.texts[index] = environment.reference_line(index);
                record.after = environment.measure_plain(pieces.texts[index]);
            }
        }
        // The estimator may count more for the whole than for its pieces.
        for (auto room = budget.count;; room = room / 8 * 7) {
            result.unnamed = pieces.fit(room, [&](std::string_view text) { return environment.measure_plain(text); });
            bool const says_so = result.unnamed != records.size() || room != 0;
            result.text = says_so ? pieces.joined(result.unnamed) : std::string{};
            result.used = environment.measure_plain(result.text);
            if (result.used <= budget || result.text.empty()) break;
        }
        for (std::size_t index = 0; index < records.size(); ++index) {
            if (!pieces.left_out[index]) continue;
            records[index].done = strategy::exclude;
            records[index].after = {};
            if (records[index].problem.empty()) records[index].problem = "no room is left for a reference";
        }
    }
};

}  // namespace v1
}  // namespace condense
