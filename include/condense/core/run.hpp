// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#include <type_traits>
#include <utility>

#include <condense/core/batch.hpp>
#include <condense/core/layer.hpp>

// How one layer runs: when it is due, what it is handed, and how its failures become an entry of the report.

#if defined(__cpp_exceptions)
#define CONDENSE_DETAIL_TRY try
#define CONDENSE_DETAIL_CATCH(fail, stopped)                \
    catch (cancelled const&) { throw; }                     \
    catch (std::exception const& problem) {                 \
        fail(problem.what());                               \
        if (stopped || wraps_cancellation(problem)) throw;  \
    }                                                       \
    catch (...) {                                           \
        fail("an exception of unknown type");               \
        if (stopped) throw;                                 \
    }
#else
#define CONDENSE_DETAIL_TRY
#define CONDENSE_DETAIL_CATCH(fail, stopped)
#endif

namespace condense {
inline namespace v1 {
namespace detail {

template <std::size_t Index, class... Types>
struct nth;
template <std::size_t Index, class First, class... Rest>
struct nth<Index, First, Rest...> : nth<Index - 1, Rest...> {};
template <class First, class... Rest>
struct nth<0, First, Rest...> { using type = First; };

/// Sets a run under pressure, for a scope.
template <class Run>
class pressed {
public:
    constexpr pressed(Run& shared, unsigned pressure, bool top, tokens target) noexcept
        : shared_{address_of(shared)}, pressure_{shared.pressure}, top_{shared.top}, target_{shared.target} {
        shared.pressure = pressure;
        shared.top = top;
        shared.target = target;
    }
    pressed(pressed const&) = delete;
    pressed& operator=(pressed const&) = delete;
    constexpr ~pressed() {
        shared_->pressure = pressure_;
        shared_->top = top_;
        shared_->target = target_;
    }

private:
    Run* shared_;
    unsigned pressure_;
    bool top_;
    tokens target_;
};

/// A layer that has a reduce hook and is due. One that has seen every message arrive and acts on each is so only
/// where the request does not fit: what it is not free to edit on arrival it remembers (see deferred_messages).
template <class Layer>
constexpr bool is_due(Layer const& layer, usage const& now) noexcept {
    if constexpr (requires { { layer.due(now) } -> std::same_as<bool>; }) {
        static_assert(noexcept(layer.due(now)), "condense: pipeline: a layer's due must be noexcept (see layer)");
        return layer.due(now);
    }
    else if constexpr (!names_reduce<Layer>) return false;
    else if constexpr (has_when<Layer>) {
        if constexpr (names_arrive<Layer> && requires { layer.when.unconditional; }) return !now.fits();
        else return layer.when.due(now);
    } else return true;
}

struct never_done {
    static constexpr bool unreachable = true;
    constexpr bool operator()(usage const&) const noexcept { return false; }
};

template <class Layer>
constexpr auto goal_of(Layer const& layer, tokens input) noexcept {
    if constexpr (requires { layer.until.bind(input); }) return layer.until.bind(input);
    else if constexpr (has_when<Layer>) return layer.when.target().bind(input);
    else return never_done{};
}

/// A run that asks no triggers leaves a layer alone whose target is met.
template <class Layer, class Run>
constexpr bool target_is_met(Layer const& layer, Run const& shared, usage const& now) noexcept {
    return shared.until ? now.tokens <= *shared.until : goal_of(layer, now.input)(now);
}

template <class Layer>
constexpr messages message_limit_of(Layer const& layer) noexcept {
    if constexpr (requires { layer.when.message_limit(); }) return layer.when.message_limit();
    else return {};
}

template <class Layer, class Message>
constexpr void check_tiers() {
    constexpr auto effects = effects_of<Layer>();
    static_assert(!(effects & (effect::shortens | effect::externalizes)) || shortenable<Message>,
                  "condense: pipeline: a layer that shortens must be given messages with with_part (see shortenable)");
    static_assert(!(effects & effect::summarizes) || composable<Message>,
                  "condense: pipeline: a layer that summarises must be given messages with make (see composable)");
    static_assert(!(effects & effect::repairs) || answerable<Message>,
                  "condense: pipeline: a layer that repairs must be given messages with make_result (see answerable)");
    static_assert(!flag_records<Layer>() || storable<Message>,
                  "condense: pipeline: a layer that records must be given messages with to_bytes and from_bytes (see storable)");
}

/// Calls a hook of a layer within one batch.
template <bool Recorded, class Layer, class Run, class Hook>
constexpr void attempt(Layer const& layer, Run& shared, layer_report& entry, measure fired, Hook&& hook) {
    batch made{shared, entry, fired};
    if constexpr (weighs_prefix<Layer>) made.note_prefix();
    auto const failures = entry.failures;
    [[maybe_unused]] auto const threw = [&](std::string_view reason) {
        made.fail(reason);
        entry.threw = true;
    };
    shared.draft.allow_open(Recorded || shared.pressure != 0);
    CONDENSE_DETAIL_TRY {
        if constexpr (std::is_void_v<decltype(hook())>) {
            hook();
            made.close(layer);
        } else {
            static_assert(std::same_as<decltype(hook()), failed>,
                          "condense: pipeline: a hook must return nothing or condense::failed (see layer)");
            auto const result = hook();
            if (std::string_view{result.reason}.empty()) made.close(layer);
            else made.fail(result.reason);
        }
    }
    CONDENSE_DETAIL_CATCH(threw, shared.options.stop.stop_requested())
    if constexpr (flag_records<Layer>()) {  // one journal that holds everything is enough
        shared.recorded = shared.recorded || entry.failures == failures;
        shared.unrecorded = !shared.recorded;
    }
}

/// What a journal should hold before it is lost is not in one yet.
template <bool Recorded, class Layer, class Run>
constexpr bool waits_for_record(Run const& shared, layer_report& entry) noexcept {
    if constexpr (Recorded && (Layer::effects & losing))
        if (shared.unrecorded) {
            ++entry.failures;
            if (entry.outcome != layer_outcome::applied) entry.outcome = layer_outcome::failed;
            entry.note = not_all_recorded;
            return true;
        }
    return false;
}

/// A stop was asked for: what has been done in this run will be taken back.
template <class Run>
constexpr bool stops(Run& shared) {
    shared.stopped = shared.stopped || shared.options.stop.stop_requested();
    return shared.stopped;
}

template <bool Recorded, class Layer, class Run, class Memory>
constexpr void run_reducing(Layer const& layer, Run& shared, layer_report& entry, Memory& kept) {
    using draft_type = std::remove_reference_t<decltype(shared.draft)>;
    check_tiers<Layer, typename draft_type::message_type>();
    auto const now = shared.draft.used();
    auto fired = measure::token_count;
    if (entry.runs == 0) entry.before = now.tokens;
    if (stops(shared)) return;
    // A model that failed in this run is not asked again.
    if ((Layer::effects & effect::asks) && entry.failures != 0) return;
    if (shared.pressure != 0) {
        if (now.tokens <= shared.target || entry.threw) return;
    } else if constexpr (has_when<Layer>) {
        bool const due = layer.when.due(now);
        if (!due && !shared.untriggered) return;
        if (shared.untriggered && target_is_met(layer, shared, now)) return;
        fired = due ? layer.when.fired(now) : measure::any;
        // One that lowers neither messages nor turns is measured in tokens, whatever has made it due.
        if constexpr (!(Layer::effects & (effect::drops | effect::summarizes | effect::repairs))) fired = fired | measure::token_count;
    } else fired = measure::any;
    auto const goal = goal_of(layer, now.input);
    draft_for<Layer::effects, draft_type> narrowed{shared.draft};
    pass<Layer::effects, Run, decltype(goal), Memory> hand{shared, entry, goal, message_limit_of(layer), kept};
    if constexpr (names_arrive<Layer>)  // a hook that is there is checked wherever the layer runs
        static_assert(requires { layer.arrive(narrowed, sequence{}, hand); },
                      "condense: pipeline: the layer's arrive hook must be const and accept (draft, sequence, pass) (see layer)");
    static_assert(requires { layer.reduce(narrowed, hand); },
                  "condense: pipeline: the layer's reduce hook must be const and accept (draft, pass) (see layer)");
    if (waits_for_record<Recorded, Layer>(shared, entry)) return;
    attempt<Recorded>(layer, shared, entry, fired, [&] { return layer.reduce(narrowed, hand); });
}

template <bool Recorded, class Layer, class Run, class Memory>
constexpr void run_arriving(Layer const& layer, Run& shared, layer_report& entry, Memory& kept, sequence arrived) {
    using draft_type = std::remove_reference_t<decltype(shared.draft)>;
    check_tiers<Layer, typename draft_type::message_type>();
    if (!flag_records<Layer>() && shared.journals_only) return;
    auto const now = shared.draft.used();
    auto fired = measure::any;
    if (entry.runs == 0) entry.before = now.tokens;
    if constexpr (has_when<Layer>) {
        if (!layer.when.due(now)) return;
        if constexpr (!requires { layer.when.unconditional; })
            if (!shared.draft.limits().is_possible()) return;
        fired = layer.when.fired(now);
        if constexpr (!(Layer::effects & (effect::drops | effect::summarizes | effect::repairs))) fired = fired | measure::token_count;
    }
    auto const goal = goal_of(layer, now.input);
    draft_for<Layer::effects, draft_type> narrowed{shared.draft};
    pass<Layer::effects, Run, decltype(goal), Memory> hand{shared, entry, goal, message_limit_of(layer), kept};
    static_assert(requires { layer.arrive(narrowed, arrived, hand); },
                  "condense: pipeline: the layer's arrive hook must be const and accept (draft, sequence, pass) (see layer)");
    if (waits_for_record<Recorded, Layer>(shared, entry)) return;
    attempt<Recorded>(layer, shared, entry, fired, [&] { return layer.arrive(narrowed, arrived, hand); });
}

/// Tells a journal what the run has left; false when it failed.
template <class Layer, class Run, class Memory, class Each>
constexpr bool run_noting(Layer const& layer, Run& shared, layer_report& entry, Memory& kept, Each const& each, bool commits) {
    never_done const goal;
    pass<Layer::effects, Run, never_done, Memory> hand{shared, entry, goal, {}, kept};
    auto const failures = entry.failures;
    attempt<true>(layer, shared, entry, measure::any, [&] { return layer.made(each, commits, hand); });
    return entry.failures == failures;
}

/// For layers that make no edits of their own: what happens below them is measured there.
template <class Layer, class Run, class Memory, class Rerun>
constexpr void run_rerunning(Layer const& layer, Run& shared, layer_report& entry, Memory& kept, Rerun& rerun) {
    using draft_type = std::remove_reference_t<decltype(shared.draft)>;
    auto const now = shared.draft.used();
    if (entry.runs == 0) entry.before = now.tokens;
    if constexpr (has_when<Layer>)
        if (!layer.when.due(now)) return;
    if (stops(shared)) return;
    ++entry.runs;
    auto const deadline = shared.deadline;
    auto const goal = goal_of(layer, now.input);
    draft_for<Layer::effects, draft_type> narrowed{shared.draft};
    pass<Layer::effects, Run, decltype(goal), Memory, Rerun> hand{shared, entry, goal, message_limit_of(layer), kept, address_of(rerun)};
    [[maybe_unused]] auto const fail = [&](std::string_view reason) {
        ++entry.failures;
        entry.outcome = layer_outcome::failed;
        entry.note = reason;
    };
    CONDENSE_DETAIL_TRY {
        static_assert(std::is_void_v<decltype(layer.reduce(narrowed, hand))>,
                      "condense: pipeline: a hook of a layer that reruns others must return nothing (see layer)");
        layer.reduce(narrowed, hand);
        if (shared.draft.used().tokens < now.tokens) entry.outcome = layer_outcome::applied;
        else if (entry.outcome != layer_outcome::applied) entry.outcome = layer_outcome::declined;
    }
    CONDENSE_DETAIL_CATCH(fail, shared.options.stop.stop_requested())
    shared.deadline = deadline;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense

#undef CONDENSE_DETAIL_TRY
#undef CONDENSE_DETAIL_CATCH
