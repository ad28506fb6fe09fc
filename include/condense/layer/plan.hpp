// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/layer.hpp>
#include <condense/core/time_limit.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/fnv.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/text_type.hpp>
#include <condense/detail/unset.hpp>
#include <condense/layer/plan_memory.hpp>
#include <condense/layer/slots.hpp>
#include <condense/plan/artifact.hpp>
#include <condense/plan/asking.hpp>
#include <condense/plan/execution.hpp>
#include <condense/plan/planner.hpp>
#include <condense/plan/query_terms.hpp>
#include <condense/plan/rule_planner.hpp>
#include <condense/plan/when_planning_pays.hpp>
#include <condense/policy/worth.hpp>
#include <condense/shorten/placeholder.hpp>

// Decides anew for each question which tool results it needs: plan{.into = condense::memory_store{}}.

namespace condense {
inline namespace v1 {

/// The outcome of the latest plan of a layer. A handle: copies show the same. Used by one thread at a time, so sessions
/// on several threads need logs of their own.
class plan_log {
public:
    struct entry {
        std::vector<artifact_record> records = {};  ///< in order of arrival; `done` is what the request holds now
        planning_reason pays = planning_reason::no_artifacts;
        plan_faults faults = {};
        std::string problem = {};  ///< why there was no plan
        provider_usage planning = {};
        provider_usage summarizing = {};
    };

    plan_log() : latest_{std::make_shared<entry>()} {}
    entry const& latest() const noexcept { return *latest_; }
    void set(entry next) const { *latest_ = std::move(next); }
    friend bool operator==(plan_log const& left, plan_log const& right) { return left.latest_ == right.latest_; }

private:
    std::shared_ptr<entry> latest_;
};

namespace detail {

/// One plan of a layer: what it may decide about, the room, and the edits that carry it out.
template <class Layer, class Draft, class Pass>
class plan_run {
public:
    plan_run(Layer const& layer, Draft& draft, Pass& pass) : layer_{layer}, draft_{draft}, pass_{pass} {}

    void run() {
        if (!draft_.limits().is_possible()) return;  // there are no shares of nothing
        pass_.memory.see(draft_, layer_.over, layer_.most);
        read_question();
        // A one-shot run has nothing but its own cuts, and those of layers before this one would follow again.
        brings_back_ = pass_.memory.is_new(question_hash_) && !pass_.resumes();
        if (!act()) pass_.memory.set_asked(question_hash_);
    }

    // The environment of the execution.

    /// Of a line, whose artifact is not named: with the largest frame of them.
    tokens measure_plain(std::string_view text) const { return draft_.measured(cost_of(text, largest_frame_)); }
    tokens measure(std::size_t index, std::string_view text, strategy) const {
        return draft_.measured(cost_of(text, frames_[index]));
    }
    std::string way(std::size_t index) const {
        return way_back({.stored = names_[index], .recorded = pass_.recorded(), .words = layer_.words});
    }
    std::string reference_line(std::size_t index) const {
        auto const size = artifacts_[index].size.count;
        return omission(size, size, "bytes", way(index));
    }

private:
    /// False if nothing was planned.
    bool act() {
        select(brings_back_);
        if (parts_.empty()) return pass_.idle_as("nothing to do: no result over `over` is free"), false;
        auto const room = room_of_run();
        bool const all_fits = tokens_present() <= layer_.share.of(input()) && draft_.used().tokens <= target_;
        if (all_fits && !(brings_back_ && some_left_)) return pass_.idle_as("nothing to do: all of it fits"), false;
        if (pass_.memory.is_planned(question_hash_, hash_of_parts(), room.count))
            return pass_.idle_as("nothing to do: it is planned"), true;
        describe();
        auto const pays = facts();
        if (!has_target_ && !layer_.pays(pays)) return pass_.idle_as("nothing to do: planning does not pay"), false;
        if (!carry_out(layer_.pays.reason(pays), room)) return true;
        select(false);  // what a later run will find
        pass_.memory.set_planned(question_hash_, hash_of_parts(), room_of_run().count);
        return true;
    }

    tokens input() const noexcept { return draft_.limits().input(); }
    cost cost_of(std::string_view text, cost frame) const { return clamped(draft_.estimator()(text) + frame); }
    group group_of(std::size_t index) const noexcept {
        return {draft_.outline().group_of(parts_[index].message_index)};
    }
    bool is_present(std::size_t index) const noexcept { return draft_.present(group_of(index)); }
    /// An edit of this session, whose original can come back.
    bool is_edited(part_ref part) const noexcept { return draft_.edits().edit_of(part.part_id) != nullptr; }

    /// The question, and what the assistant has said and called since. One from the conversation is new with each
    /// message of the user, even if that says the same.
    void read_question() {
        auto const& request = pass_.request();
        auto const& facts = draft_.outline();
        question_ = request.question;
        goal_ = request.focus;
        auto const user = facts.latest_user();
        if (question_.empty() && user != none32)
            draft_.each_original(sequence{user}, [&](part_ref, part_view const& part) {
                if (part.kind == part_kind::text) question_.append(part.text).push_back('\n');
            });
        question_hash_ = fnv1a(fnv1a(question_), request.question.empty() ? user : none32);
        auto const answer = facts.latest_answer();
        if (goal_.empty() && answer != none32 && (user == none32 || answer > user))
            draft_.each_original(sequence{answer}, [&](part_ref, part_view const& part) {
                if (part.kind == part_kind::text || part.kind == part_kind::tool_call)
                    goal_.append(part.text.substr(0, utf8::floor(part.text, most_goal))).push_back('\n');
            });
    }

    /// The results that may be planned: large ones among the newest `most` that are in the request, and, of those that
    /// were dropped, as many as that leaves. What was dropped comes back for a new question only, so that no two layers
    /// undo each other's work. Reads no text of what is in the request, unless `protect` does.
    void select(bool with_dropped) {
        parts_.clear();
        present_ = {};
        some_left_ = false;
        auto const& outline = draft_.outline();
        auto const protected_set = bind_protection(layer_.protect, draft_, pass_);
        auto const add = [&](part_ref part, bool here) {
            if (!is_free(part) || protected_set.holds(part.message_index)) return;
            if constexpr (reads_parts<policy_of<std::remove_cvref_t<decltype(layer_.protect)>>>) {
                bool spared = false;
                draft_.original(part, [&](part_view const& content) { spared = protected_set.holds(content); });
                if (spared) return;
            }
            if (here) present_ += draft_.about(part).cost;
            some_left_ = some_left_ || !here || is_edited(part);
            parts_.push_back(part);
        };
        // Small results count, too: a later run may no longer know that one was large. By groups, as those leave: a
        // late result of an old one must not hide an older result.
        std::vector<std::uint32_t> results;
        auto left = layer_.most;
        for (auto place = draft_.previous_sent(static_cast<std::uint32_t>(2 * outline.size()));
             place != none32 && left != 0; place = draft_.previous_sent(place)) {
            if (place % 2 == 0) continue;  // a summary
            auto const group_id = outline.group_of(place / 2);
            if (outline.group_at(group_id).first != place / 2) continue;
            results.clear();
            draft_.each_member(group{group_id}, [&](std::uint32_t index) {
                for (auto const part_id : outline.message_at(index).parts())
                    if (outline.part_at(part_id).kind == part_kind::tool_result) results.push_back(part_id);
            });
            for (auto next = results.rbegin(); next != results.rend() && left != 0; ++next, --left)
                if (outline.part_at(*next).size > layer_.over.count) add(draft_.part_at(*next), true);
        }
        std::sort(parts_.begin(), parts_.end(), by_part);
        target_ = target_of_run();
        if (!with_dropped) return;
        query_terms const words{question_};
        auto const& places = pass_.memory.places();
        for (auto place = places.rbegin(); place != places.rend() && parts_.size() < layer_.most; ++place) {
            auto const& message = outline.message_at(place->message);
            if (message.released || place->part >= message.part_count ||
                draft_.present(group{outline.group_of(place->message)}))
                continue;
            auto const part = draft_.part_at(message.first_part + place->part);
            if (is_about(words, part)) add(part, false);
        }
        std::sort(parts_.begin(), parts_.end(), by_part);
    }
    static bool by_part(part_ref const& one, part_ref const& other) noexcept { return one.part_id < other.part_id; }
    /// Some word of the question is in it. The rule includes the newest for mere room, for which nothing has to come
    /// back; other planners may decide by meaning.
    bool is_about(query_terms const& words, part_ref part) const {
        if constexpr (!Layer::plans_by_words) return true;
        bool matches = false;
        draft_.original(part, [&](part_view const& content) {
            words.each(content.text, [&](std::size_t, std::size_t) { matches = true; });
        });
        return matches;
    }
    bool is_free(part_ref part) const noexcept {
        auto const& outline = draft_.outline();
        auto const group_id = outline.group_of(part.message_index);
        auto const& group_record = outline.group_at(group_id);
        // The user's own messages are not edited, even if results are in them.
        if (part.message_index == outline.latest_user() || part.message_index == outline.task()) return false;
        auto const known = draft_.about(part);
        return known.kind == part_kind::tool_result && known.status != part_status::cancelled && !known.sealed &&
               !known.stored_earlier && !draft_.is_removed(part) && !group_record.unsendable && !group_record.pinned &&
               !outline.open(group_id);
    }

    /// Makes artifacts of the parts. Reads each original once.
    void describe() {
        for (std::size_t index = 0; index < parts_.size(); ++index) {
            auto const known = draft_.about(parts_[index]);
            auto const message = parts_[index].message_index;
            artifact next{
                .id = "r" + std::to_string(message) + "." + std::to_string(parts_[index].index),
                .size = known.original_size,
                .cost = draft_.measured(known.original_cost),
                .arrived = message,
                .historical = draft_.outline().latest_user() != none32 && message < draft_.outline().latest_user(),
                .error = known.status == part_status::error};
            auto name = known.stored;
            cost frame;
            draft_.original(parts_[index], [&](part_view const& original) {
                next.source = pass_.memory.turn_of(message, parts_[index].index) +
                              printable(original.tool.empty() ? "a tool" : original.tool, source_points);
                next.preview = printable(original.text, preview_points);
                next.type = type_of_text(original.text.substr(0, utf8::floor(original.text, most_goal)));
                if constexpr (Layer::stores_originals) name = pass_.reference_of(layer_.into, original.text);
                frame = frame_cost(draft_.estimator(), original);
                auto const size = utf8::count(original.text);
                total_ = add_capped(total_, size);
                largest_ = (std::max)(largest_, size);
            });
            artifacts_.push_back(std::move(next));
            names_.push_back(name);
            frames_.push_back(frame);
            largest_frame_ = (std::max)(largest_frame_, frame);
        }
    }

    planning_facts facts() const noexcept {
        bool historical = false;
        tokens total;
        for (auto const& each : artifacts_) {
            historical = historical || each.historical;
            total = total + each.cost;
        }
        return {.artifacts = artifacts_.size(),
                .historical = historical,
                .total = {total_},
                .largest = {largest_},
                .request = tokens_of_others() + total,
                .input = input(),
                .input_price = layer_.input_price};
    }

    tokens tokens_present() const noexcept { return draft_.measured(present_); }
    /// Tokens of the request beside the results.
    tokens tokens_of_others() const noexcept {
        auto const& edits = draft_.edits();
        return edits.measured(edits.sums().cost - present_ + cost::of(draft_.limits().overhead));
    }
    /// Most tokens of planned results together: their share, and no more than leads to the target of the run.
    tokens room_of_run() const { return (std::min)(layer_.share.of(input()), target_ - tokens_of_others()); }
    /// The most that the layer may leave. Where nothing sets a target, the room that `pays` wants spare is free then,
    /// or half of what the rest of the request leaves, so that there is room for results beside much else.
    tokens target_of_run() {
        auto const spare = input() - layer_.pays.spare.of(input());
        auto probe = draft_.used();
        auto const is_enough = [&](std::uint64_t count) {
            probe.tokens = {count};
            return pass_.enough(probe);
        };
        has_target_ = is_enough(0);
        if (!has_target_) {
            auto const others = tokens_of_others();
            return (std::max)(spare, others + tokens{(input() - others).count / 2});
        }
        std::uint64_t enough = 0;
        for (auto too_much = add_capped(input().count, 1); too_much - enough > 1;) {
            auto const middle = enough + (too_much - enough) / 2;
            (is_enough(middle) ? enough : too_much) = middle;
        }
        return (std::min)(tokens{enough}, spare);
    }
    std::uint64_t hash_of_parts() const noexcept {
        auto hash = fnv_basis;
        for (auto const& part : parts_)
            if (draft_.present(group{draft_.outline().group_of(part.message_index)}))
                hash = fnv1a(fnv1a(hash, part.part_id), draft_.about(part).cost.steps);
        return hash;
    }

    /// False if the layer waits for its model, or the run is a dry one that would ask it.
    bool carry_out(planning_reason pays, tokens room) {
        plan_log::entry log{.pays = pays};
        auto const read_texts = [this](plan_request::wanted_texts const& wanted, plan_request::text_sink const& sink) {
            for (std::size_t index = 0; index < parts_.size(); ++index)
                if (wanted(index))
                    draft_.original(parts_[index], [&](part_view const& original) { sink(index, original.text); });
        };
        plan_request::text_reader const reader{read_texts};
        plan_request request{artifacts_, room, reader};
        request.question = question_;
        request.goal = goal_;
        request.reference_cost = {};
        for (std::size_t index = 0; index < artifacts_.size(); ++index)
            request.reference_cost = (std::max)(request.reference_cost, measure_plain(reference_line(index)));
        calls_in_run<Pass> calls{pass_};
        // A model is asked once for a question and its results: what has less room is cut by the same plan.
        artifact_plan const* earlier = nullptr;
        if constexpr (Layer::asks_model) earlier = pass_.memory.plan_for(question_hash_, artifacts_);
        if (Layer::asks_planner && earlier == nullptr && !pass_.may_ask() && pass_.pressure() == 0)
            return pass_.wait_for_model(), false;
        auto plan = earlier != nullptr ? *earlier : plan_with(layer_.with, request, calls, pass_.stop_token());
        if (pass_.dry() && earlier == nullptr && asks(plan)) return pass_.note("a model would be asked"), false;
        if constexpr (Layer::asks_model)
            if (earlier == nullptr && asks(plan) && pass_.may_ask())
                pass_.memory.keep_plan(question_hash_, artifacts_, plan);
        log.planning = earlier != nullptr ? provider_usage{} : plan.usage;
        std::vector<planned_text> texts;
        auto const execute = [&](auto const& summarizer) {
            plan_execution execution{request,      *this, calls, summarizer, layer_.executor, layer_.summary_size,
                                     layer_.within};
            texts = execution.run(plan);
            log.summarizing = execution.usage;
        };
        if (earlier != nullptr) execute(no_summaries{});
        else execute(layer_.summaries);
        if (earlier == nullptr) log.faults = plan.faults;
        apply(texts);
        note(plan.problem, log.faults);
        if (layer_.log) {
            for (std::size_t index = 0; index < texts.size(); ++index)
                log.records.push_back(record_of(index, texts[index]));
            log.problem = redacted(plan.problem);
            layer_.log->set(std::move(log));
        }
        return true;
    }
    static bool asks(artifact_plan const& plan) {
        bool summaries = false;
        for (auto const& each : plan.decisions) summaries = summaries || each.strategy == strategy::summarize;
        return Layer::asks_planner || (summaries && Layer::asks_model);
    }

    /// First what makes room, then what comes back, the most urgent first.
    void apply(std::vector<planned_text> const& texts) {
        for (std::size_t index = 0; index < texts.size(); ++index) replace(index, texts[index]);
        if (!brings_back_) return;
        std::vector<std::size_t> order;
        for (std::size_t index = 0; index < texts.size(); ++index)
            if (texts[index].record.done != strategy::exclude) order.push_back(index);
        auto const before = [&](std::size_t left, std::size_t right) {
            auto const [first, second] = std::pair{texts[left].record.priority, texts[right].record.priority};
            return first != second ? first < second : left < right;
        };
        std::sort(order.begin(), order.end(), index_order{before});
        for (auto const index : order)
            if (comes_back(index, texts[index])) bring_back(index, texts);
    }
    bool has_text(std::size_t index, std::string_view text) const {
        bool same = false;
        draft_.present_part(parts_[index], [&](part_view const& now) { same = now.text == text; });
        return same;
    }
    void replace(std::size_t index, planned_text const& next) {
        if (!next.text || !is_present(index) || has_text(index, *next.text)) return;
        if (draft_.about(parts_[index]).cost <= cost_of(*next.text, frames_[index])) return;
        refusal refused = refusal::none;
        if constexpr (Layer::stores_originals) refused = draft_.externalize(parts_[index], *next.text, names_[index]);
        else refused = draft_.shorten(parts_[index], *next.text);
        pass_.note(refused);
        if (!refused) keep(index);
    }
    void keep([[maybe_unused]] std::size_t index) {
        if constexpr (Layer::stores_originals) pass_.keep(layer_.into, names_[index], parts_[index]);
    }
    /// The plan wants more of it than there is.
    bool comes_back(std::size_t index, planned_text const& next) const {
        if (!is_present(index)) return true;
        return is_edited(parts_[index]) &&
               !(next.text && (has_text(index, *next.text) ||
                               draft_.about(parts_[index]).cost >= cost_of(*next.text, frames_[index])));
    }
    /// Of a group that was dropped all results come back as planned, of another this one.
    void bring_back(std::size_t index, std::vector<planned_text> const& texts) {
        auto const which = group_of(index);
        bool const dropped = !is_present(index);
        std::vector<std::size_t> beside;
        std::vector<returning_part> parts;
        for (std::size_t other = 0; other < texts.size(); ++other) {
            if (other != index && !(dropped && group_of(other) == which)) continue;
            beside.push_back(other);
            parts.push_back({.part = parts_[other], .text = texts[other].text, .stored = names_[other]});
        }
        auto const refused = draft_.restore(which, std::move(parts), target_);
        pass_.note(refused);
        if (refused) return static_cast<void>(++without_room_);
        for (auto const other : beside)
            if (texts[other].text && is_edited(parts_[other])) keep(other);
    }

    void note(std::string_view problem, plan_faults const& faults) {
        if (!problem.empty()) pass_.note("no plan: " + std::string{problem});
        else if (without_room_ != 0)
            pass_.note(grouped(without_room_) + (without_room_ == 1 ? " result has" : " results have") +
                       " no room to come back");
        else if (faults.all() != 0) pass_.note(grouped(faults.all()) + " faults of the plan were mended");
    }
    std::string redacted(std::string_view text) const {
        return pass_.with_redacted(text, [](std::string_view safe, std::size_t) { return std::string{safe}; });
    }
    /// With what the request holds now, whatever the plan was.
    artifact_record record_of(std::size_t index, planned_text const& planned) const {
        auto record = planned.record;
        record.problem = redacted(record.problem);
        record.reason = redacted(record.reason);
        bool const here = is_present(index);
        record.after = here ? draft_.measured(draft_.about(parts_[index]).cost) : tokens{};
        bool const in_full = here && !is_edited(parts_[index]);
        if (in_full || (here && planned.text && has_text(index, *planned.text))) {
            if (in_full) record.done = strategy::include_full;
            return record;
        }
        if (record.problem.empty() && record.done != strategy::exclude)
            record.problem =
                brings_back_ ? "it has no room to come back" : "what is there stays until the next question";
        record.done = here && record.done != strategy::exclude ? strategy::extract : strategy::exclude;
        return record;
    }

    static constexpr std::size_t most_goal = 2'000;  // bytes of each part

    Layer const& layer_;
    Draft& draft_;
    Pass& pass_;
    std::string question_;
    std::string goal_;
    std::uint64_t question_hash_ = 0;
    bool brings_back_ = false;  ///< what was dropped or cut before, as the question is new
    // Of each artifact, in order of arrival.
    std::vector<part_ref> parts_;
    std::vector<artifact> artifacts_;
    std::vector<v1::reference> names_;  ///< of its original; empty where no store has it
    std::vector<cost> frames_;  ///< what it costs beside its text
    cost largest_frame_ = {};
    cost present_ = {};  ///< of those that are in the request, as they are there
    tokens target_ = {};  ///< the most that the layer may leave
    bool has_target_ = false;  ///< set by `when`, `until` or the run
    bool some_left_ = false;  ///< one of them is not whole in the request
    std::uint64_t total_ = 0;  ///< characters of the originals
    std::uint64_t largest_ = 0;
    std::uint64_t without_room_ = 0;  ///< those that were to come back
};

}  // namespace detail

/// Results that the planner includes stay, or come back; those that it extracts, summarises or leaves out become
/// passages, a summary or a line. Plans for each new question, and when the results hold more than their share of the
/// window. Results of the open round, pins and protected ones are left alone. What an earlier run has dropped or
/// shortened comes back for a new question from the session's memory, inside the budget; by rule, what was dropped only
/// if a word of the question is in it. `release` ends that, and plan_context reads stores and journals. The question is
/// `request_info::question`, else the latest user message; the goal is `focus`, else what the assistant said and called
/// since. A plan reads each result a few times; without one it looks at the newest `most` only.
///
/// With `.when = always` it acts when a user's message arrives, and in runs of a request that does not fit. Never
/// fails: without a plan the newest results that fit stay whole, and the note says why. A cancellation passes through.
template <condition When = trigger, protection Protect = nothing_t, class Worth = least_gain,
          planner Planner = rule_planner, class Summarizer = no_summaries, class Store = detail::unset,
          class Executor = in_turn>
struct plan {
    When when = detail::slot_default<When>(always);
    target until = {};
    Protect protect = detail::slot_default<Protect>();
    Worth worth = detail::slot_default<Worth>();
    bytes over = {1'000};  ///< exclusive, at least 192: smaller results are left alone
    percent share = {5'000};  ///< of the input, which planned results hold together at most
    std::size_t most = 256;  ///< the newest results that are planned; older ones stay as they are
    when_planning_pays pays = {};  ///< asked where neither `when` nor `until` sets a target
    std::optional<price> input_price = {};  ///< of the model that reads the request, for `pays`
    Planner with = detail::slot_default<Planner>();
    /// Writes summaries where the plan asks for them, as that of `summarize`; by default passages are extracted.
    Summarizer summaries = detail::slot_default<Summarizer>();
    tokens summary_size = {400};  ///< the longest summary of a result; never more than a third of it
    time_limit within = instant{60'000'000'000};  ///< for one summary
    /// Keeps the originals of what is not whole. Without a store the request loses them, though not a journal.
    Store into = detail::slot_default<Store>();
    Executor executor = detail::slot_default<Executor>();  ///< for summaries side by side; the result is the same
    wording words = {};
    std::optional<plan_log> log = {};  ///< shows what each plan came to, if there is one
    std::string_view label = {};  ///< the layer's name in reports, which it must outlive

    static constexpr bool stores_originals = !std::is_same_v<Store, detail::unset>;
    static constexpr bool plans_by_words = std::is_same_v<Planner, rule_planner>;
    static constexpr bool asks_planner = detail::planner_asks<Planner>;
    static constexpr bool asks_model = asks_planner || !std::is_same_v<Summarizer, no_summaries>;
    static constexpr effect effects =
        (stores_originals ? externalizes | keeps : shortens) | restores | (asks_model ? asks : no_effects);
    static constexpr bool durable = !stores_originals || requires { requires Store::durable; };
    using memory = detail::plan_memory;

    static_assert([] {
        if constexpr (stores_originals) return detail::check_store<Store>();
        else return true;
    }());

    constexpr void validate() const {
        detail::check_target(when, until);
        words.validate();
        detail::reject_unless(over.count >= detail::omission_limit,
                              "condense: plan: `over` must be at least 192 bytes, the longest marker (see plan)");
        detail::reject_unless(share.basis_points > 0 && share.basis_points <= percent::one_hundred,
                              "condense: plan: the share must be above 0 and at most 100 % (see plan)");
        detail::reject_unless(most > 0, "condense: plan: `most` must be above 0 (see plan)");
    }

    void arrive(auto& draft, sequence arrived, auto& pass) const {
        if (arrived.number == draft.outline().latest_user()) detail::plan_run{*this, draft, pass}.run();
    }
    void reduce(auto& draft, auto& pass) const { detail::plan_run{*this, draft, pass}.run(); }

    friend bool operator==(plan const&, plan const&) = default;
};

}  // namespace v1
}  // namespace condense
