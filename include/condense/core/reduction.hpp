// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/changes.hpp>
#include <condense/core/counted_sum.hpp>
#include <condense/core/pipeline.hpp>
#include <condense/core/scaled_sums.hpp>
#include <condense/core/truncation.hpp>
#include <condense/detail/source.hpp>

// One run over a history that is not changed: what would be sent, message by message, and the report.

namespace condense {
inline namespace v1 {

/// Defined beside the estimators; the one that is used where a user names none.
template <class = void>
struct default_estimator;

namespace detail {

/// A document that holds messages somewhere, and is itself a range of something else.
template <class History>
inline constexpr bool is_document = false;
/// Gives a history where there is one, and is none itself.
template <class History>
inline constexpr bool holds_history = false;

/// Takes back all edits of a run that is left by an exception. A template, as the view is.
template <class View>
class transaction {
public:
    constexpr transaction(outline const& facts, View& edits) noexcept
        : facts_{&facts}, edits_{&edits}, mark_{edits.steps().size()} {}
    transaction(transaction const&) = delete;
    transaction& operator=(transaction const&) = delete;
    constexpr ~transaction() {
        if (edits_ != nullptr) edits_->take_back(*facts_, mark_);
    }
    constexpr void keep() noexcept { edits_ = nullptr; }

private:
    outline const* facts_;
    View* edits_;
    std::size_t mark_;
};

/// The mark of a message after the edits in force: what it was, and what has been added.
template <class Message>
std::string new_mark(outline const& facts, view const& edits, std::uint32_t index) {
    std::string mark;
    auto const& found = facts.message_at(index);
    std::size_t place = 0;
    for (auto column = found.first_part; column < found.first_part + found.part_count; ++column) {
        auto earlier = facts.part_at(column).earlier;
        if (auto const* const changed = edits.edit_of(column)) {
            if (changed->kind == edit_kind::remove) continue;
            earlier = changed->kind == edit_kind::externalize ? earlier_edit::externalized : earlier_edit::shortened;
        }
        if (earlier != earlier_edit::none) {
            if (!mark.empty()) mark.push_back(',');
            mark.append(earlier == earlier_edit::externalized ? "stored." : "short.").append(std::to_string(place));
        }
        ++place;
    }
    return mark;
}

template <class View>
constexpr bool is_edited(outline const& facts, View const& edits, std::uint32_t index) noexcept {
    auto const& found = facts.message_at(index);
    for (auto column = found.first_part; column < found.first_part + found.part_count; ++column)
        if (edits.edit_of(column) != nullptr) return true;
    return false;
}

/// Calls kept(index), changed(index), summary(group) or answer(column of the call) for each message that
/// would be sent, in order.
template <class Kept, class Changed, class Summary, class Answer>
constexpr void each_place(outline const& facts, view const& edits, Kept& kept, Changed& changed, Summary& summary, Answer& answer) {
    for (std::uint32_t index = 0; index < facts.size(); ++index) {
        // Groups have the index of the message with which they began.
        if (edits.present(group{index}.summary())) summary(group{index}.summary());
        auto const slot = facts.group_of(index);
        if (edits.gone(slot) || edits.emptied(facts, index)) continue;
        if (is_edited(facts, edits, index)) changed(index);
        else kept(index);
        if (!edits.has_answers(slot)) continue;
        auto const& found = facts.message_at(index);
        for (auto column = found.first_part; column < found.first_part + found.part_count; ++column)
            if (edits.answer_at(column) != 0) answer(column);
    }
}

/// A message with its edits; it has some.
template <class Message>
constexpr Message render(Message const& original, outline const& facts, view const& edits, std::uint32_t index, bool marks) {
    auto const& found = facts.message_at(index);
    std::optional<Message> made;
    auto const now = [&]() -> Message const& { return made ? *made : original; };
    for (std::uint32_t part = 0; part < found.part_count; ++part) {
        auto const* const changed = edits.edit_of(found.first_part + part);
        if (changed == nullptr || changed->kind == edit_kind::remove) continue;
        if constexpr (shortenable<Message>) made.emplace(v1::with_part(now(), part, edits.text_at(changed->text).text));
    }
    // Results last, as what came with one has its place in it.
    auto const goes = [&](std::uint32_t part, bool results) {
        auto const* const changed = edits.edit_of(found.first_part + part);
        bool const is_result = facts.part_at(found.first_part + part).kind == part_kind::tool_result;
        return changed != nullptr && changed->kind == edit_kind::remove && is_result == results;
    };
    std::uint32_t gone = 0;
    if constexpr (thinnable<Message>) {
        for (auto part = found.part_count; part-- > 0;)
            if (goes(part, false)) made.emplace(v1::without_part(now(), part)), ++gone;
        for (auto part = found.part_count; part-- > 0;) {
            gone -= goes(part, false) ? 1u : 0u;  // to those below it
            if (goes(part, true)) made.emplace(v1::without_part(now(), part - gone));
        }
    }
    if constexpr (markable<Message>)
        if (marks && made) v1::set_mark(*made, new_mark<Message>(facts, edits, index));
    return std::move(*made);
}

template <class Message>
constexpr Message render_summary(view const& edits, group which, bool marks) {
    auto made = make_fn::make<Message>(role::user, edits.summary_text(which).text);
    if constexpr (markable<Message>)
        if (marks) v1::set_mark(made, "summary");
    return made;
}

/// The answer to a call, as the adapter makes it of the message with the call.
template <class Message>
constexpr Message render_answer(Message const& original, outline const& facts, view const& edits, std::uint32_t column) {
    std::optional<Message> made;
    auto at = facts.message_at(facts.part_at(column).message_index).first_part;
    v1::each_part(original, [&](part_view const& part) {
        if constexpr (answerable<Message>)
            if (at++ == column) made.emplace(v1::make_result(original, part, edits.answer_text(column).text));
    });
    return std::move(*made);
}

/// Calls f(sequence) for each message that would be sent as it is, f(sequence, bytes) for each other, in order.
template <class Draft, class Function>
constexpr void each_sent(Draft const& whole, bool marks, Function& f) {
    using message_type = typename Draft::message_type;
    auto const& facts = whole.outline();
    auto const& edits = whole.edits();
    auto const kept = [&](std::uint32_t index) { f(sequence{index}); };
    auto const changed = [&](std::uint32_t index) {
        f(sequence{index}, v1::to_bytes(render<message_type>(whole.message_at(sequence{index}), facts, edits, index, marks)));
    };
    auto const summary = [&](group which) {
        if constexpr (composable<message_type>)
            f(sequence{facts.group_at(which.slot()).first}, v1::to_bytes(render_summary<message_type>(edits, which, marks)));
    };
    auto const answer = [&](std::uint32_t column) {
        auto const index = facts.part_at(column).message_index;
        f(sequence{index}, v1::to_bytes(render_answer<message_type>(whole.message_at(sequence{index}), facts, edits, column)));
    };
    each_place(facts, edits, kept, changed, summary, answer);
}

/// Leaves the view, and the report, as if nothing had been done.
template <std::size_t Layers, class Draft>
constexpr void take_back(v1::report<Layers>& made, Draft& whole, std::size_t mark, std::string_view why) noexcept {
    whole.take_back(mark);
    for (auto& layer : made.layers) {
        auto const note = layer.note;
        bool const failed = layer.outcome == layer_outcome::failed;
        layer = {.name = layer.name, .before = made.before.tokens, .runs = layer.runs, .failures = layer.failures, .asked = layer.asked, .summarizes = layer.summarizes, .note = why};
        if (!failed) continue;
        layer.outcome = layer_outcome::failed;
        layer.note = note;
    }
    made.first_changed = {};
    made.prefix = made.before.tokens;
    made.after = made.before;
    made.limit = made.before.input;
    made.outcome = made.after.tokens <= made.limit ? outcome::fits : outcome::over;
}

/// Runs all layers under pressure, at last as escalate's last pass does, until the target is reached.
template <class Mix, class Run>
constexpr void press(Mix const& mix, Run& shared, typename Mix::memory& kept, tokens target, report<Mix::size>& made) {
    for (unsigned pressure = 1; pressure <= 2 && shared.draft.used().tokens > target && !shared.stopped; ++pressure) {
        pressed const while_running{shared, pressure, pressure == 2, target};
        mix.template reduce_all<false>(shared, 0, kept);
    }
    made.after = shared.draft.used();
    made.outcome = made.after.tokens <= shared.limit ? outcome::fits
                   : made.after.tokens <= shared.draft.floor() ? outcome::exhausted
                                                               : outcome::over;
}

/// Runs a pipeline on a draft, from its first layer to the outcome.
template <class Mix, class Draft, class Options>
constexpr report<Mix::size> run_layers(Mix const& mix, typename Mix::memory& kept, Draft& whole, Options const& options,
                                       bool dry, run_kind kind, run_demand demand = {}) {
    report<Mix::size> made;
    mix.name_entries(made.layers.data());
    made.before = whole.used();
    if (!whole.limits().is_possible()) {
        made.outcome = outcome::over;
        made.after = made.before;
        made.prefix = made.before.tokens;
        made.refused = budget_refused;
        return made;
    }
    auto const started = options.clock();
    auto const mark = whole.mark();
    run<Draft, Options> shared{.draft = whole, .options = options, .entries = made.layers.data(), .dry = dry, .begun = mark,
                               .may_ask = demand.may_ask, .may_ask_too = demand.may_ask_too,
                               .untriggered = demand.untriggered, .until = demand.until};
    shared.limit = made.before.input;
    shared.ends_in_last_resort = Mix::ends_in_last_resort;
    bool const one_shot = kind != run_kind::session;
    shared.resumes = one_shot;
    if (one_shot)
        for (std::uint32_t index = 0; index < whole.outline().size(); ++index)
            mix.template arrive_all<false, true>(shared, sequence{index}, 0, kept);
    // Later layers may open work for earlier ones. The run goes on until nothing changes, so that
    // another run on its result would change nothing.
    constexpr unsigned most_sweeps = 16;
    for (unsigned sweep = 0; sweep < most_sweeps; ++sweep) {
        auto const steps = whole.mark();
        shared.leaves_work = false;
        mix.template reduce_all<false>(shared, 0, kept);
        shared.untriggered = false;
        shared.until.reset();
        made.after = whole.used();
        // What an inner pipeline concluded no longer holds when later layers have changed something.
        bool const concluded = shared.concluded && shared.concluded_at == made.after.tokens;
        made.outcome = concluded ? shared.outcome : made.after.tokens <= shared.limit ? outcome::fits : outcome::over;
        bool const ended = made.outcome == outcome::passes || made.outcome == outcome::time || shared.stopped;
        bool const wanted = whole.wanted_room();
        if (ended || whole.mark() == steps || !(wanted || mix.due(made.after))) break;
        if (sweep + 1 == most_sweeps) made.outcome = outcome::passes;
        shared.concluded = false;
    }
    if (made.outcome == outcome::fits && shared.leaves_work) made.outcome = outcome::passes;
    if (demand.forced) press(mix, shared, kept, demand.target, made);
    if (shared.stopped) take_back(made, whole, mark, "stopped");
    else made.limit = shared.limit;
    if (made.outcome == outcome::exhausted) made.floor = whole.least();
    made.first_changed = first_changed(whole.outline(), whole.edits(), mark);
    made.prefix = made.first_changed ? kept_prefix(whole, mark) : made.after.tokens;
    if constexpr (properties_of<Mix>().journals && storable<typename Draft::message_type>)
        if (one_shot && !dry) {
            auto const each = [&](auto&& f) { each_sent(whole, options.marks, f); };
            // What could not be noted would be taken for new messages by the next run.
            if (!mix.note_made(shared, each, kind == run_kind::commit, 0, kept) && made.changed())
                take_back(made, whole, mark, not_all_recorded);
        }
    made.time = options.clock() - started;
    return made;
}

/// The same for a mix whose layers are known only at run time.
template <class Mix, class Draft, class Options>
constexpr report<Mix::size> run_pipeline(Mix const& mix, typename Mix::memory& kept, Draft& whole, Options const& options,
                                         bool dry, run_kind kind, run_demand demand = {}) {
    if constexpr (requires { mix.run_on(kept, whole, options, dry, kind, demand); })
        return mix.run_on(kept, whole, options, dry, kind, demand);
    else return run_layers(mix, kept, whole, options, dry, kind, demand);
}

}  // namespace detail

/// A message that would be sent, by what it comes from: a message of the history as it is or with edits, a
/// group that a summary stands for, or the column of a call that was answered.
enum class sent_kind : std::uint8_t { kept, changed, summary, answer };
struct sent_place {
    sent_kind kind = sent_kind::kept;
    std::uint32_t index = 0;
    friend constexpr bool operator==(sent_place, sent_place) = default;
};

/// A history as a run left it: the originals, untouched, and the edits in force.
template <detail::history History, token_estimator Estimator, std::size_t Layers>
class reduction {
    using source_type = detail::source<History>;

public:
    using message_type = typename source_type::message_type;
    static_assert(v1::message<message_type>,
                  "condense: reduce: the elements of the history must be messages: give message_traits role_of and each_part (see message)");

    static_assert(!detail::is_document<std::remove_const_t<History>>,
                  "condense: reduce: a document must be given as the array of its messages (see messages_of)");

    /// Reads every message once. The history must outlive the reduction.
    template <class Options>
    reduction(History& history, Estimator const& count, budget limits, Options const& options)
        : source_(history), count_(count), limits_{limits}, marks_{options.marks} {
        edits_.note_sent(options.sent.count);
        facts_.expect(source_.size());
        edits_.expect(source_.size());
        for (std::size_t index = 0; index < source_.size(); ++index) {
            auto&& m = source_[index];
            edits_.reserve_message(facts_.read(m, count_, {.marks = marks_, .pinned = detail::pins(options, sequence{index}, m)}));
            edits_.follow(facts_, facts_.place());
        }
    }

    template <class Mix, class Options>
    void run(Mix const& mix, Options const& options, bool dry, detail::run_kind kind = detail::run_kind::walk) {
        edits_.know_summaries(marks_);
        detail::transaction all{facts_, edits_};
        typename Mix::memory kept{};
        draft whole{source_, facts_, edits_, count_, limits_};
        auto const sums = edits_.sums();
        counted_sum const counted{.counted = sums.cost, .messages = sums.messages, .overhead = v1::cost::of(limits_.overhead)};
        detail::scaled_sums const as_expected{edits_, counted.total().tokens(), detail::corrected(count_, counted).tokens(), limits_.overhead};
        report_ = detail::run_pipeline(mix, kept, whole, options, dry, kind);
        recorded_ = !dry && detail::properties_of<Mix>().journals;
        if (sums.cost == v1::cost{} && sums.messages != 0) report_.before.source = report_.after.source = usage_source::none;
        all.keep();
    }

    v1::report<Layers> const& report() const noexcept { return report_; }
    v1::outline const& outline() const noexcept { return facts_; }
    view const& edits() const noexcept { return edits_; }
    usage used() const noexcept { return report_.after; }
    bool fits() const noexcept { return report_.fits(); }

    /// Calls f(message const&) for each message that would be sent, in order; those that a run made are
    /// made for the call.
    template <class Function>
    void each(Function&& f) const {
        auto const made = [&](message_type const& m) { f(m); };
        each_place([&](std::uint32_t index) { f(source_[index]); }, made);
    }

    /// Calls kept(index) for each message that would be sent as it is, made(message&&) for each other.
    template <class Kept, class Made>
    void each_place(Kept&& kept, Made&& made) const {
        each_sent([&](sent_place place) {
            if (place.kind == sent_kind::kept) kept(place.index);
            else made(make(place));
        });
    }

    /// Calls f(sent_place) for each message that would be sent, in order, and makes none.
    template <class Function>
    void each_sent(Function&& f) const {
        auto const kept = [&](std::uint32_t index) { f(sent_place{sent_kind::kept, index}); };
        auto const changed = [&](std::uint32_t index) { f(sent_place{sent_kind::changed, index}); };
        auto const summary = [&](group which) { f(sent_place{sent_kind::summary, which.index}); };
        auto const answer = [&](std::uint32_t column) { f(sent_place{sent_kind::answer, column}); };
        detail::each_place(facts_, edits_, kept, changed, summary, answer);
    }

    /// Calls f(truncation const&) for each part that a layer has cut: the audit trail of the run.
    template <class Function>
    void each_truncation(Function&& f) const {
        detail::each_truncation(source_, facts_, edits_, 0, report_.layers, recorded_, f);
    }

    /// Makes the message of a place whose message is not kept.
    message_type make(sent_place place) const {
        if constexpr (composable<message_type>)
            if (place.kind == sent_kind::summary)
                return detail::render_summary<message_type>(edits_, group{place.index}, marks_);
        if constexpr (answerable<message_type>)
            if (place.kind == sent_kind::answer) {
                auto const index = facts_.part_at(place.index).message_index;
                return detail::render_answer<message_type>(source_[index], facts_, edits_, place.index);
            }
        return detail::render<message_type>(source_[place.index], facts_, edits_, place.index, marks_);
    }

    /// The message as the history holds it.
    decltype(auto) original(std::uint32_t index) const { return source_[index]; }

private:
    source_type source_;
    Estimator count_;
    budget limits_;
    v1::outline facts_;
    view edits_;
    v1::report<Layers> report_;
    bool marks_ = false;
    bool recorded_ = false;
};

}  // namespace v1
}  // namespace condense
