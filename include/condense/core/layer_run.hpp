// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/cache_prefix.hpp>
#include <condense/core/layer.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/scope_exit.hpp>

// One call of one hook of a layer: when it is due, what it is given, and what its edits come to. They are kept where
// they make the request smaller and are worth it, else rolled back; stores are written when they stand.

namespace condense {
inline namespace v1 {
namespace detail {

// The two ways in which `worth` may judge a batch: by what it saves, or also by what it takes from the cached prefix,
// which costs a pass over the shorter side of the change.

template <class Layer>
concept has_worth = requires(Layer const& layer) { layer.worth; };
template <class Layer>
concept worth_needs_prefix = requires(Layer const& layer, gain const& measured) { layer.worth.pays(measured); };
template <class Layer>
concept weighs_tokens =
    requires(Layer const& layer, tokens saved, usage const& before) { layer.worth.pays(saved, before); };

/// Calls f, and fail(reason) where it throws. A cancellation is rethrown, and after a stop was requested so is every
/// exception. Without exceptions it only calls f.
template <class Run>
void guarded([[maybe_unused]] Run const& run, callable_ref<void()> f,
             [[maybe_unused]] callable_ref<void(std::string_view reason)> fail) {
#if defined(__cpp_exceptions)
    try {
        f();
    } catch (cancelled const&) { throw; } catch (std::exception const& problem) {
        fail(problem.what());
        if (run.options.stop.stop_requested() || wraps_cancellation(problem)) throw;
    } catch (...) {
        fail("an exception of unknown type");
        if (run.options.stop.stop_requested()) throw;
    }
#else
    f();
#endif
}

/// All steps from `mark` on, at least one, replace texts of parts. Such steps can be undone one by one.
template <class View>
constexpr bool are_independent(View const& edits, std::size_t mark) noexcept {
    bool independent = mark != edits.steps().size();
    for (auto index = mark; index < edits.steps().size(); ++index)
        independent = independent && (edits.steps()[index].kind == edit_kind::shorten ||
                                      edits.steps()[index].kind == edit_kind::externalize);
    return independent;
}

/// Undoes those of such steps that refer to one of `names`: rolls all of them back and makes the others again.
template <class View>
constexpr void discard_edits(View& edits, outline const& facts, std::size_t mark, std::vector<reference> const& names) {
    std::vector<typename View::step> steps{edits.steps().begin() + static_cast<std::ptrdiff_t>(mark),
                                           edits.steps().end()};
    std::vector<typename View::replacement> texts;
    texts.reserve(steps.size());
    for (auto const& step : steps) texts.push_back(edits.text_at(step.text));
    edits.take_back(facts, mark);
    for (std::size_t index = 0; index < steps.size(); ++index) {
        bool discarded = false;
        for (auto const& name : names) discarded = discarded || texts[index].stored == name;
        if (!discarded)
            edits.edit_part(facts, steps[index].kind, steps[index].target, steps[index].after, std::move(texts[index]),
                            steps[index].author);
    }
}

/// The edits of one call of a hook. They are kept or rolled back together, with one exception: where a store fails for
/// some of several independent parts, only the edits of those parts are undone. Writes the layer's entry in the report.
template <class Run>
class batch {
public:
    batch(Run& run, layer_report& entry, measure fired) noexcept
        : run_{address_of(run)}, entry_{&entry}, fired_{fired}, mark_{run.draft.mark()},
          before_{run.draft.edits().sums()}, used_{run.draft.used()}, refused_{entry.refused} {
        if (entry.runs++ == 0) entry.before = used_.tokens;
        run.draft.begin_batch(author());
        run.keep_count = 0;
        run.idle_reason = nothing_to_do;
        run.idle_messages = 0;
    }
    batch(batch const&) = delete;
    batch& operator=(batch const&) = delete;

    /// To be called before the hook, where its worth depends on the cached prefix.
    void note_prefix() noexcept { prefix_before_ = unchanged_prefix(run_->draft, run_->first_step); }

    /// Rolls the batch back and notes why; a layer that was applied before stays so.
    void fail(std::string_view reason) noexcept {
        run_->draft.take_back(mark_);
        ++entry_->failures;
        if (entry_->outcome != layer_outcome::applied) entry_->outcome = layer_outcome::failed;
        entry_->note = redacted_note<96>(run_->options.redact, reason);
        if (entry_->note.empty()) entry_->note = "failed";
    }

    /// Measures what the hook did, and keeps it or rolls it back. It must lower one of the measures that made the layer
    /// due and raise none; growth by restored messages is not held against it.
    template <bool WeighsPrefix>
    void close(effect effects, callable_ref<bool(gain const&)> is_worth_it) {
        auto& draft = run_->draft;
        if (draft.mark() != mark_) draft.settle_head();
        if (draft.mark() == mark_) return close_without_edits();
        auto after = draft.edits().sums();
        auto const restored = draft.restored();
        after -= restored;
        bool const smaller = ((fired_ & measure::token_count) && after.cost < before_.cost) ||
                             ((fired_ & measure::message_count) && after.messages < before_.messages) ||
                             ((fired_ & measure::turn_count) && after.turns < before_.turns) ||
                             ((fired_ & measure::image_count) && after.images < before_.images) ||
                             ((fired_ & measure::byte_count) && after.bytes < before_.bytes);
        bool const larger =
            after.cost > before_.cost || after.messages > before_.messages || after.turns > before_.turns;
        // A repair need not save anything: a result without a call that it removes may cost nothing.
        bool const only_mended =
            after.counts_as(before_) && ((effects & effect::repairs) || !restored.counts_as(view::totals{}));
        if (larger || !(smaller || only_mended)) return decline(not_smaller(after));
        auto const saved = tokens_with(restored.cost) - draft.used().tokens;
        if (run_->pressure == 0 && !is_worth_it(gain_of<WeighsPrefix>(saved))) {
            entry_->waits = true;
            return decline(not_worth_it);
        }
        if (!put_all()) return;
        auto const before_bound = draft.used().tokens;
        auto const end = draft.mark();
        remove_unbound(draft.outline(), draft.written(), mark_, author());
        entry_->bound_removed += static_cast<std::uint32_t>(draft.mark() - end);
        entry_->bound_tokens = entry_->bound_tokens + (before_bound - draft.used().tokens);
        count_edits(end, restored);
    }

private:
    /// The index of the layer's entry, plus one; 0 where it has none in the report.
    std::uint16_t author() const noexcept {
        return run_->entries == nullptr ? std::uint16_t{0} : static_cast<std::uint16_t>(entry_ - run_->entries + 1);
    }
    template <bool WeighsPrefix>
    gain gain_of(tokens saved) const {
        gain result{.saved = saved, .before = used_};
        if constexpr (WeighsPrefix) {
            result.prefix_before = prefix_before_;
            result.prefix_after = unchanged_prefix(run_->draft, run_->first_step);
            auto const& edits = run_->draft.edits();
            auto const& facts = run_->draft.outline();
            auto const first = first_unbound(facts, edits, mark_);
            cost sum;
            for (auto const part_id : edits.bound_parts())
                if (part_id >= first) sum += edits.part_cost(facts, part_id);
            result.bound = edits.measured(sum);
        }
        return result;
    }

    /// The usage before the batch plus what it restored, rounded once.
    tokens tokens_with(cost restored) const noexcept {
        return run_->draft.edits().measured(before_.cost + restored + cost::of(run_->draft.limits().overhead));
    }

    /// The note of a declined batch: the measure that grew, else the first that had to become smaller and did not.
    small_text<96> not_smaller(view::totals const& after) const {
        small_text<96> why = name(refusal{refusal::not_smaller});
        auto const describe = [&](std::uint64_t after_value, std::uint64_t before_value, std::string_view unit_name) {
            why += ": the request would be ";
            why += grouped(after_value);
            why += " of ";
            why += grouped(before_value);
            why += unit_name;
            return why;
        };
        auto const tokens_of = [&](cost sum) {
            return run_->draft.edits().measured(sum + cost::of(run_->draft.limits().overhead)).count;
        };
        bool const more_messages = after.messages > before_.messages;
        bool const more_turns = after.turns > before_.turns;
        bool const by_tokens =
            after.cost > before_.cost || (!more_messages && !more_turns && (fired_ & measure::token_count));
        if (by_tokens) return describe(tokens_of(after.cost), tokens_of(before_.cost), " tokens");
        if (more_messages || (!more_turns && (fired_ & measure::message_count)))
            return describe(after.messages, before_.messages, " messages");
        if (more_turns || (fired_ & measure::turn_count)) return describe(after.turns, before_.turns, " turns");
        if (fired_ & measure::image_count) return describe(after.images, before_.images, " images");
        return describe(after.bytes, before_.bytes, " bytes");
    }

    /// Puts one content into its store. A store that throws fails for this content only; a cancellation is rethrown.
    store_error put_content(pending_put const& put, part_view const& from, bool& created) {
        store_error problem;
        auto const call = [&] { problem = put.put(put.store, put.name, from, run_->options.conversation, created); };
        guarded(*run_, call, [&](std::string_view reason) {
            threw_ = true;
            problem = store_error{reason.empty() ? std::string_view{"the store threw"} : reason};
        });
        return problem;
    }

    /// Writes everything that the batch gave to stores. Where some of it fails, undoes the edits that refer to it if
    /// all edits are independent, else fails the batch. False where nothing of the batch is left.
    bool put_all() {
        if (run_->puts.empty()) return true;
        std::string content, tool, call;  // copies, as the store may be the program's, and change its container
        auto& draft = run_->draft;
        bool const independent = are_independent(draft.edits(), mark_);
        std::vector<reference> failed_names;
        small_text<96> reason;
        for (auto const& put : run_->puts) {
            // A store that has failed for a content is not asked again for the same one.
            bool skipped = false;
            for (auto const& name : failed_names) skipped = skipped || name == put.name;
            bool created = false;
            store_error problem{"the original is not there any more"};
            if (skipped) {
                --run_->keep_count;
                continue;
            }
            if (!put.part) problem = put_content(put, {.text = put.content}, created);
            else {
                bool readable = false;
                run_->draft.original(*put.part, [&](part_view const& original) {
                    content = original.text;
                    tool = original.tool;
                    call = original.call;
                    readable = true;
                });
                if constexpr (may_redact<decltype(run_->options.redact)>)
                    for (auto* const text : {&content, &tool, &call})
                        *text =
                            with_redacted(run_->options.redact, *text, [&](std::string_view safe, std::size_t count) {
                                entry_->redactions += static_cast<std::uint32_t>(count);
                                return std::string{safe};
                            });
                if (readable) problem = put_content(put, {.text = content, .tool = tool, .call = call}, created);
            }
            if (!problem) {
                if (created) entry_->add_file(put.name);
                continue;
            }
            if (failed_names.empty()) reason = problem.reason;
            failed_names.push_back(put.name);
            --run_->keep_count;
            if (!independent) break;  // the whole batch fails, so no more is stored for it
        }
        if (failed_names.empty()) return true;
        if (independent) discard_edits(draft.written(), draft.outline(), mark_, failed_names);
        if (!independent || draft.mark() == mark_) {
            fail(reason);
            entry_->threw = entry_->threw || threw_;
            return false;
        }
        ++entry_->failures;
        entry_->note = redacted_note<96>(run_->options.redact, reason);
        return true;
    }

    /// The hook proposed nothing, all of it was refused, or it only stored or recorded.
    void close_without_edits() {
        if (entry_->refused != refused_) decline(nothing_to_do);
        else if (put_all()) {
            entry_->artifacts += run_->keep_count;
            if (entry_->outcome == layer_outcome::idle && entry_->artifacts != 0)
                entry_->outcome = layer_outcome::stored;
            if (entry_->outcome == layer_outcome::idle && (entry_->note.empty() || is_idle(entry_->note))) note_idle();
        }
    }

    static constexpr bool is_idle(std::string_view note) noexcept { return note.starts_with(nothing_to_do); }
    void note_idle() {
        entry_->note = run_->idle_reason;
        if (run_->idle_messages == 0) return;
        entry_->note += grouped(run_->idle_messages);
        entry_->note += run_->idle_messages == 1 ? " message" : " messages";
    }

    /// Rolls the batch back without calling it a failure.
    void decline(std::string_view why) noexcept {
        run_->draft.take_back(mark_);
        if (entry_->outcome == layer_outcome::applied) return;
        entry_->outcome = layer_outcome::declined;
        if (entry_->note.empty()) entry_->note = why;
    }

    static constexpr bool is_shortening(view::step const& step) noexcept {
        return step.on_part && step.kind != edit_kind::restore && step.kind != edit_kind::repair;
    }
    /// Whether an earlier sweep of the run has counted the part that the layer edits again.
    bool has_shortened(view::step const& again) const noexcept {
        auto const& steps = run_->draft.edits().steps();
        for (auto number = again.previous; number > run_->first_step; number = steps[number - 1].previous) {
            auto const& step = steps[number - 1];
            if (number <= mark_ && is_shortening(step) && step.author == again.author) return true;
        }
        return false;
    }

    /// Adds what the batch did to the entry, by its steps before `end`. Only those still in force count: a layer may
    /// edit a part twice.
    void count_edits(std::size_t end, view::totals const& restored) noexcept {
        auto const& edits = run_->draft.edits();
        std::uint32_t groups_dropped = 0;
        std::uint32_t parts_shortened = 0;
        auto first = entry_->first_changed ? *entry_->first_changed : std::uint64_t{none32};
        for (auto index = mark_; index < end; ++index) {
            auto const& step = edits.steps()[index];
            if (!edits.in_force(index)) continue;
            first = std::min<std::uint64_t>(first, message_of(run_->draft.outline(), step));
            if (step.kind == edit_kind::drop) ++groups_dropped;
            else if (is_shortening(step) && !has_shortened(step)) ++parts_shortened;
        }
        entry_->groups_dropped += groups_dropped;
        entry_->parts_shortened += parts_shortened;
        if (first != none32) entry_->first_changed = first;
        entry_->artifacts += run_->keep_count;
        entry_->saved = entry_->saved + (tokens_with(restored.cost) - run_->draft.used().tokens);
        entry_->restored = entry_->restored + (tokens_with(restored.cost) - used_.tokens);
        for (auto const reason :
             {nothing_to_do, name(refusal{refusal::not_smaller}), not_worth_it, name(refusal::no_room)})
            if (std::string_view{entry_->note}.starts_with(reason)) entry_->note = {};
        entry_->outcome = layer_outcome::applied;
        entry_->waits = false;
    }

    Run* run_;
    layer_report* entry_;
    measure fired_;
    std::size_t mark_;
    view::totals before_;
    usage used_;
    tokens prefix_before_ = {};
    std::uint32_t refused_;
    bool threw_ = false;  ///< a store, in a put
};

// How one layer runs: when it is due, what it is given, and how its failures become an entry of the report.

/// The trigger fires at any usage, as `always` does.
template <class When>
constexpr bool fires_always(When const& when) noexcept {
    if constexpr (requires { when.is_always(); }) return when.is_always();
    else return false;
}

/// The layer's `reduce` or `schedule` has something to do. A layer with an `arrive` hook and a trigger that always
/// fires has handled every message on arrival, and remembers those that it could not edit then (see deferred_messages);
/// it is due only where the request does not fit.
template <class Layer>
constexpr bool is_due(Layer const& layer, usage const& current) noexcept {
    if constexpr (requires {
                      { layer.due(current) } -> std::same_as<bool>;
                  }) {
        static_assert(noexcept(layer.due(current)), "condense: pipeline: a layer's due must be noexcept (see layer)");
        return layer.due(current);
    } else if constexpr (!has_reduce_hook<Layer> && !has_schedule<Layer>) return false;
    else if constexpr (has_when<Layer>) {
        return has_arrive_hook<Layer> && fires_always(layer.when) ? !current.fits() : layer.when.due(current);
    } else return true;
}

/// The goal of a layer without target and trigger: it never has done enough.
struct never_done {
    constexpr bool unreachable() const noexcept { return true; }
    constexpr bool operator()(usage const&) const noexcept { return false; }
};

/// When the layer has done enough: its `until`, else the default target of its `when`, bound to token counts.
template <class Layer>
constexpr auto goal_of(Layer const& layer, tokens input, bool one_call) noexcept {
    if constexpr (requires { layer.until.goal(layer.when, input, one_call); })
        return layer.until.goal(layer.when, input, one_call);
    else if constexpr (requires { layer.until.bind(input); }) return layer.until.bind(input);
    else if constexpr (has_when<Layer>) return layer.when.target().bind(input);
    else return never_done{};
}

/// In a run that ignores triggers, a layer whose target is reached is not called.
template <class Layer, class Run>
bool target_is_met(Layer const& layer, Run const& run, usage const& current) noexcept {
    return run.until ? current.tokens <= *run.until : goal_of(layer, current.input, run.one_call)(current);
}

/// The limit of the layer's trigger in messages; 0 where it has none.
template <class Layer>
constexpr messages message_limit_of(Layer const& layer) noexcept {
    if constexpr (requires { layer.when.message_limit(); }) return layer.when.message_limit();
    else return {};
}

/// Asserts that the message type supports the verbs of the layer's effects.
template <class Layer, class Message>
constexpr void check_tiers() {
    constexpr auto effects = effects_of<Layer>();
    static_assert(!(effects & (effect::shortens | effect::externalizes)) || shortenable<Message>,
                  "condense: pipeline: a layer that shortens must be given messages with with_part (see shortenable)");
    static_assert(!(effects & effect::summarizes) || composable<Message>,
                  "condense: pipeline: a layer that summarises must be given messages with make (see composable)");
    static_assert(!(effects & effect::repairs) || answerable<Message>,
                  "condense: pipeline: a layer that repairs must be given messages with make_result (see answerable)");
    static_assert(
        !flag_records<Layer>() || storable<Message>,
        "condense: pipeline: a layer that records must be given messages with to_bytes and from_bytes (see storable)");
}

/// Whether a batch of the layer pays.
template <class Layer>
constexpr bool is_worth_it(Layer const& layer, gain const& measured) {
    if constexpr (worth_needs_prefix<Layer>) return layer.worth.pays(measured);
    else if constexpr (weighs_tokens<Layer>) return layer.worth.pays(measured.saved, measured.before);
    else return true;
}

/// Calls a hook within one batch. Exceptions and `failed` roll the batch back; puts that were not made are
/// forgotten. `recorded`: a journal stands before the layer; `records`: the layer is one.
template <bool WeighsPrefix, class Run>
void run_in_batch(Run& run, layer_report& entry, measure fired, bool recorded, bool records, effect effects,
                  callable_ref<failed()> hook, callable_ref<bool(gain const&)> is_worth_it) {
    detail::batch batch{run, entry, fired};
    if constexpr (WeighsPrefix) batch.note_prefix();
    auto const failures = entry.failures;
    scope_exit const end{[&] {
        run.puts.clear();
        run.draft.allow_open(false);
    }};
    // Open groups, which the model is about to read, may lose content only where a journal has it or room must be made.
    run.draft.allow_open(recorded || run.pressure != 0);
    auto const act = [&] {
        auto const result = hook();
        if (std::string_view{result.reason}.empty()) batch.template close<WeighsPrefix>(effects, is_worth_it);
        else batch.fail(result.reason);
    };
    guarded(run, act, [&](std::string_view reason) {
        batch.fail(reason);
        entry.threw = true;
    });
    if (records) {  // one journal that holds everything is enough
        run.recorded = run.recorded || entry.failures == failures;
        run.unrecorded = !run.recorded;
    }
}

/// Calls a hook of a layer within one batch: hook() returns nothing or `failed`.
template <class Layer, class Run, class Hook>
void attempt(Layer const& layer, Run& run, layer_report& entry, measure fired, bool recorded, Hook const& hook) {
    auto const call = [&]() -> failed {
        if constexpr (std::is_void_v<decltype(hook())>) {
            hook();
            return {};
        } else {
            static_assert(std::same_as<decltype(hook()), failed>,
                          "condense: pipeline: a hook must return nothing or condense::failed (see layer)");
            return hook();
        }
    };
    auto const pays = [&](gain const& measured) { return is_worth_it(layer, measured); };
    run_in_batch<worth_needs_prefix<Layer>>(run, entry, fired, recorded, flag_records<Layer>(), Layer::effects, call,
                                            pays);
}

/// Asks the stop token, and remembers its answer: after the first request to stop the whole run will be rolled back.
template <class Run>
bool poll_stop(Run& run) {
    run.stopped = run.stopped || run.options.stop.stop_requested();
    return run.stopped;
}

/// The measures that made the layer due, one of which it has to lower. A layer that can lower neither messages nor
/// turns may lower tokens instead.
template <class Layer>
constexpr measure fired_by(Layer const& layer, usage const& current) noexcept {
    auto const fired = layer.when.fired(current);
    if constexpr (Layer::effects & (effect::drops | effect::summarizes | effect::repairs)) return fired;
    else return fired | measure::token_count;
}

// The hooks that a run calls. Each says which layers have it (`is_of`), which measures a call must lower (`due`; none
// where the layer is not called), and how it is called (`call`). Those with `for_all` are called for every alternative
// of a fallback, the others until one alternative succeeds.

/// The work of a layer, once in each sweep and pass.
struct reduce_hook {
    static constexpr bool for_all = false;
    template <class Layer>
    static constexpr bool is_of = has_reduce_hook<Layer>;

    template <class Layer, class Run>
    measure due(Layer const& layer, Run& run, layer_report const& entry, usage const& current) const {
        if (poll_stop(run)) return measure::none;
        // A model that failed in this run is not asked again: it would most likely fail again, and costs money.
        if ((Layer::effects & effect::asks) && entry.failures != 0) return measure::none;
        // Under pressure triggers do not count: each layer works until the run's target, in tokens.
        if (run.pressure != 0)
            return current.tokens <= run.target || entry.threw ? measure::none : measure::token_count;
        if constexpr (has_when<Layer>) {
            bool const due = layer.when.due(current);
            if (!due && !run.untriggered) return measure::none;
            if (run.untriggered && target_is_met(layer, run, current)) return measure::none;
            return due ? fired_by(layer, current) : measure::any;
        } else return measure::any;
    }

    template <class Layer, class Draft, class Pass>
    auto call(Layer const& layer, Draft& narrowed, Pass& pass) const {
        if constexpr (has_arrive_hook<Layer>)  // a hook that is there is checked wherever the layer runs
            static_assert(
                requires { layer.arrive(narrowed, sequence{}, pass); },
                "condense: pipeline: the layer's arrive hook must be const and accept (draft, sequence, pass) (see "
                "layer)");
        static_assert(
            requires { layer.reduce(narrowed, pass); },
            "condense: pipeline: the layer's reduce hook must be const and accept (draft, pass) (see layer)");
        return layer.reduce(narrowed, pass);
    }
};

/// A new message. `ArriveOnly` skips layers that also reduce, for one-shot runs, whose reduce follows at once.
template <bool ArriveOnly = false>
struct arrive_hook {
    sequence arrived;

    static constexpr bool for_all = false;
    template <class Layer>
    static constexpr bool is_of = has_arrive_hook<Layer> && !(ArriveOnly && has_reduce_hook<Layer>);

    template <class Layer, class Run>
    measure due(Layer const& layer, Run& run, layer_report const&, usage const& current) const {
        if (!flag_records<Layer>() && run.journals_only) return measure::none;
        if constexpr (has_when<Layer>) {
            if (!layer.when.due(current)) return measure::none;
            // Shares of an impossible budget mean nothing; only a trigger that ignores usage may act on arrival.
            if (!fires_always(layer.when) && !run.draft.limits().is_possible()) return measure::none;
            return fired_by(layer, current);
        } else return measure::any;
    }

    template <class Layer, class Draft, class Pass>
    auto call(Layer const& layer, Draft& narrowed, Pass& pass) const {
        static_assert(
            requires { layer.arrive(narrowed, arrived, pass); },
            "condense: pipeline: the layer's arrive hook must be const and accept (draft, sequence, pass) (see layer)");
        return layer.arrive(narrowed, arrived, pass);
    }
};

/// The messages that a run left: each_sent(f) calls f(sequence) for each that is sent as it is, and f(sequence, bytes)
/// for each other, in order.
struct request_messages {
    using sink = callable_ref<void(sequence from, std::string const* bytes)>;
    callable_ref<void(sink)> show;

    template <class Function>
    constexpr void operator()(Function&& f) const {
        show([&](sequence from, std::string const* bytes) {
            if (bytes == nullptr) f(from);
            else f(from, *bytes);
        });
    }
};

/// The end of a one-shot run, for layers that record: they learn which messages the run left, and whether those take
/// the place of the history.
struct made_hook {
    request_messages const& each_sent;
    bool commits;

    static constexpr bool for_all = true;
    template <class Layer>
    static constexpr bool is_of = flag_records<Layer>();

    template <class Layer, class Run>
    measure due(Layer const&, Run&, layer_report const&, usage const&) const noexcept {
        return measure::any;
    }

    template <class Layer, class Draft, class Pass>
    auto call(Layer const& layer, Draft&, Pass& pass) const {
        return layer.append_derived(each_sent, commits, pass);
    }
};

/// Calls a hook of a layer where it is due, and measures what it does. `recorded`: a journal stands before the layer.
/// False where the layer failed or waits for its model, so that the next alternative of a fallback is tried.
template <class Layer, class Run, class Memory, class Hook>
bool run_layer(Layer const& layer, Run& run, layer_report& entry, Memory& memory, Hook const& hook, bool recorded) {
    using draft_type = std::remove_reference_t<decltype(run.draft)>;
    check_tiers<Layer, typename draft_type::message_type>();
    auto const before = run.draft.used();
    auto const failures = (Layer::effects & effect::asks) ? 0 : entry.failures;
    auto const model_waits = run.model_waits;
    if (entry.runs == 0) entry.before = before.tokens;
    if (auto const fired = hook.due(layer, run, entry, before); fired != measure::none) {
        auto const goal = goal_of(layer, before.input, run.one_call);
        draft_for<Layer::effects, draft_type> narrowed{run.draft};
        v1::pass<Layer::effects, Run, decltype(goal), Memory> pass{run, entry, goal, message_limit_of(layer), memory};
        // The pipeline promises that what is lost is recorded. Where the journal has failed, the layer must not run.
        if (recorded && (Layer::effects & losing) && run.unrecorded) {
            ++entry.failures;
            if (entry.outcome != layer_outcome::applied) entry.outcome = layer_outcome::failed;
            entry.note = not_all_recorded;
        } else attempt(layer, run, entry, fired, recorded, [&] { return hook.call(layer, narrowed, pass); });
    }
    return entry.failures == failures && run.model_waits == model_waits;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
