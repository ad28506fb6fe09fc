// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/edit.hpp>
#include <condense/core/handles.hpp>
#include <condense/core/message.hpp>
#include <condense/core/report.hpp>
#include <condense/core/run_options.hpp>
#include <condense/core/store.hpp>
#include <condense/detail/address.hpp>

// What a layer is handed beside its draft: the effects that it declares, and the pass that has a verb for each.

// What a layer may do. It declares a set of these; its draft and pass have no other verbs, so the
// properties of a pipeline follow from the declarations.

namespace condense {
inline namespace v1 {

enum class effect : std::uint16_t {
    none = 0,
    shortens = 1,       ///< replaces or removes parts; the original is lost to the conversation
    externalizes = 2,   ///< replaces parts whose original is stored
    drops = 4,          ///< takes groups out
    summarizes = 8,     ///< writes one message in place of groups
    keeps = 16,         ///< keeps content in a store or a journal
    asks = 32,          ///< calls a model
    reads_clock = 64,   ///< its result may depend on time
    restores = 256,     ///< puts dropped or edited messages back, inside the budget
    reruns = 128,       ///< has the layers before it run again, under pressure
    repairs = 512,      ///< answers dead calls, takes out orphaned results
};

constexpr effect operator|(effect left, effect right) noexcept {
    return static_cast<effect>(static_cast<unsigned>(left) | static_cast<unsigned>(right));
}
/// True where the two sets have something in common.
constexpr bool operator&(effect left, effect right) noexcept {
    return (static_cast<unsigned>(left) & static_cast<unsigned>(right)) != 0;
}

inline constexpr effect no_effects = effect::none;
inline constexpr effect shortens = effect::shortens;
inline constexpr effect externalizes = effect::externalizes;
inline constexpr effect drops = effect::drops;
inline constexpr effect summarizes = effect::summarizes;
inline constexpr effect keeps = effect::keeps;
inline constexpr effect asks = effect::asks;
inline constexpr effect reads_clock = effect::reads_clock;
inline constexpr effect restores = effect::restores;
inline constexpr effect reruns = effect::reruns;
inline constexpr effect repairs = effect::repairs;

namespace detail {

/// Effects that take content away from the conversation without keeping it elsewhere.
inline constexpr effect losing = shortens | drops | summarizes;

template <class Layer>
concept declares_effects = requires {
    { Layer::effects } -> std::convertible_to<effect>;
};

}  // namespace detail

// What a layer may use besides its draft: pressure and target, its memory, and every effect on the
// outside. Verbs that the layer has not declared do not compile.

/// What a model may take for one answer.
struct ask_limits {
    tokens answer = {};  ///< longest useful answer
    instant deadline = {detail::u64_limit};
};

/// Thrown by a model or a store, also as the nested exception of another, to end the run: it reaches
/// the caller, no layer stands in for another, and what the run has done is taken back. The same holds
/// for any exception while `run_options::stop` asks to stop.
class cancelled : public std::exception {
public:
    char const* what() const noexcept override { return "cancelled"; }
};

/// Returned by a hook that could not do its work; the edits it made are taken back.
struct failed {
    detail::small_text<96> reason = {};
};

namespace detail {

#if defined(__cpp_exceptions)
/// A cancellation that user code has wrapped; without RTTI there is no finding it.
inline bool wraps_cancellation([[maybe_unused]] std::exception const& problem) noexcept {
#if defined(__cpp_rtti)
    try {
        std::rethrow_if_nested(problem);
    } catch (cancelled const&) { return true; } catch (std::exception const& inner) {
        return wraps_cancellation(inner);
    } catch (...) { return false; }
#endif
    return false;
}
#endif

struct pending_put {
    void const* store = nullptr;
    store_error (*put)(void const*, reference const&, std::string_view, bool& created) = nullptr;
    reference name = {};
    std::string content = {};
    std::optional<part_ref> part = {};  ///< whose original is read when it is put, in place of `content`
};

/// What becomes of the messages of a run: a session keeps them, a caller walks over what is left of them,
/// or puts that in their place.
enum class run_kind : std::uint8_t { session, walk, commit };

/// What a session asks of a run beside what its layers' triggers say.
struct run_demand {
    bool forced = false;  ///< under pressure, up to the last resort, until `target`
    tokens target = {};
    bool may_ask = true;  ///< models may be asked
    std::uint64_t may_ask_too = 0;  ///< by these layers at any rate, one bit each in the order of the report
    bool untriggered = false;       ///< each layer runs once, due or not, until its target
    std::optional<tokens> until = {};  ///< then until this one
};

/// One run of a pipeline: what all its layers share.
template <class Draft, class Options>
struct run {
    Draft& draft;
    Options const& options;
    layer_report* entries = nullptr;
    bool dry = false;
    std::size_t first_step = 0;  ///< steps there were when it began
    unsigned pressure = 0;
    bool top = false;
    tokens target = {};  ///< under pressure: where every layer stops
    instant deadline = {u64_limit};
    bool ends_in_last_resort = false;  ///< of the whole pipeline
    bool leaves_work = false;  ///< a later run on the result will find some
    std::uint32_t keep_count = 0;  ///< calls of keep and append in the present batch
    std::string_view idle_reason = {};      ///< why the present batch has nothing to do
    std::uint64_t idle_messages = 0;       ///< messages, at the end of that; 0 for none
    bool resumes = false;    ///< the messages were there before the run or the session
    bool recorded = false;   ///< some journal holds everything
    bool unrecorded = false; ///< there are journals, and none does
    bool journals_only = false;  ///< other layers are not told of messages
    bool stopped = false;
    bool may_ask = true;
    std::uint64_t may_ask_too = 0;
    bool untriggered = false;
    std::optional<tokens> until = {};
    std::uint32_t model_waits = 0;  ///< times a layer waited for its model
    std::vector<pending_put> puts = {};
};

/// Why a layer has nothing to do, as far as it says so.
inline constexpr std::string_view nothing_to_do = "nothing to do";
inline constexpr std::string_view target_reached = "nothing to do: its target is reached";
inline constexpr std::string_view all_bound =
    "nothing to do: all of it is system messages, pins, open calls or the latest";
inline constexpr std::string_view all_protected = "nothing to do: all that it could take is protected";
inline constexpr std::string_view all_newest =
    "nothing to do: all that it could take is within the newest ";  // and how many messages
inline constexpr std::string_view all_within_over = "nothing to do: all that it could take is within `over`";
/// Why a layer waits.
inline constexpr std::string_view asked_lately = "the model was asked lately";
inline constexpr std::string_view not_worth_it = "not worth it";
/// Why a layer that loses content has not run.
inline constexpr std::string_view not_all_recorded = "not all is recorded";

struct no_memory {};

}  // namespace detail

/// Goal: a callable on usage that says when the layer has done enough.
template <effect Allowed, class Run, class Goal, class Memory>
class pass {
public:
    constexpr pass(Run& run, layer_report& entry, Goal const& goal, messages message_limit,
                   Memory& layer_memory) noexcept
        : memory{layer_memory}, run_{detail::address_of(run)}, entry_{&entry}, goal_{detail::address_of(goal)},
          message_limit_{message_limit} {}

    /// The layer's own memory, kept by the session.
    Memory& memory;

    /// 0 in a routine run, then 1 and up.
    constexpr unsigned pressure() const noexcept { return run_->pressure; }
    /// The last resort: only system messages, pins, open groups and the latest user message bind.
    constexpr bool top() const noexcept { return run_->top; }
    /// The limit in `when`, where it has one in messages: what shares of `protect` are of.
    constexpr messages message_limit() const noexcept { return message_limit_; }
    /// The layer may stop: its target, or under pressure the run's, is reached.
    constexpr bool enough() const noexcept {
        if constexpr (requires { goal_->unreachable(); })
            if (goal_->unreachable() && run_->pressure == 0 && !run_->until) return false;
        return enough(run_->draft.used());
    }
    /// The same for a usage that edits would lead to.
    constexpr bool enough(usage const& current) const noexcept {
        if (run_->pressure != 0) return current.tokens <= run_->target;
        return run_->until ? current.tokens <= *run_->until : (*goal_)(current);
    }
    /// The pipeline ends in a layer that presses on such a one until the request fits or nothing is left.
    constexpr bool ends_in_last_resort() const noexcept { return run_->ends_in_last_resort; }
    constexpr bool dry() const noexcept { return run_->dry; }
    constexpr request_info const& request() const noexcept { return run_->options.request; }
    constexpr std::string_view conversation() const noexcept { return run_->options.conversation; }
    /// A journal holds all that has come.
    constexpr bool recorded() const noexcept { return run_->recorded; }
    /// The messages were there before this run or session began, so a journal may hold them.
    constexpr bool resumes() const noexcept { return run_->resumes; }
    constexpr bool stop_requested() const noexcept { return run_->options.stop.stop_requested(); }
    constexpr auto const& stop_token() const noexcept { return run_->options.stop; }
    constexpr instant deadline() const noexcept { return run_->deadline; }

    /// A later run on the result may go on where this one stops: it has not come to its end.
    constexpr void leaves_work() noexcept { run_->leaves_work = true; }
    constexpr void note(std::string_view words) noexcept { entry_->note = words; }
    /// Noted where the batch changes nothing: a constant text, which begins with "nothing to do", and where it ends
    /// with a number of messages that number.
    constexpr void idle_as(std::string_view why, std::uint64_t newest = 0) noexcept {
        run_->idle_reason = why;
        run_->idle_messages = newest;
    }
    constexpr void note(refusal refused) noexcept {
        if (!refused) return;
        ++entry_->refused;
        if (refused == refusal{refusal::not_smaller} && entry_->outcome == layer_outcome::applied) return;
        if (!entry_->note.empty()) return;
        entry_->note = name(refused);
        if (refused.to == v1::cost{}) return;
        entry_->note += ": it would be ";
        entry_->note += detail::grouped(run_->draft.measured(refused.to).count);
        entry_->note += " of ";
        entry_->note += detail::grouped(run_->draft.measured(refused.from).count);
        entry_->note += " tokens";
    }

    constexpr instant now() const {
        static_assert(Allowed & effect::reads_clock,
                      "condense: pass.now: the layer must declare condense::reads_clock in its effects (see effect)");
        return run_->options.clock();
    }

    /// A session that has asked a model lately, or in vain, waits: layers do without. Not where messages or turns
    /// have made the layer due, whose limits hold.
    constexpr bool may_ask() const noexcept {
        auto const place = static_cast<std::size_t>(entry_ - run_->entries);
        return run_->may_ask || (run_->may_ask_too >> (place < 63 ? place : 63) & 1) != 0;
    }
    /// The layer would ask and may not: it waits, which is no failure. In a fallback the next one acts.
    constexpr void wait_for_model() noexcept {
        ++run_->model_waits;
        entry_->waits = true;
        if (entry_->outcome == layer_outcome::applied) return;
        entry_->outcome = layer_outcome::declined;
        entry_->note = detail::asked_lately;
    }

    /// The model's answer, as text where it can be that; empty in a dry run, where nothing is asked, and where
    /// none may be asked.
    template <class Model>
    constexpr auto ask(Model const& model, std::string_view prompt, ask_limits limits) {
        static_assert(Allowed & effect::asks,
                      "condense: pass.ask: the layer must declare condense::asks in its effects (see effect)");
        auto const call = [&]() -> decltype(auto) {
            if constexpr (std::invocable<Model const&, std::string_view, ask_limits>) return model(prompt, limits);
            else if constexpr (std::invocable<Model const&, std::string_view>) return model(prompt);
            else if constexpr (std::invocable<Model const&, std::string const&, ask_limits>)
                return model(std::string{prompt}, limits);
            else return model(std::string{prompt});
        };
        using answer = std::conditional_t<std::constructible_from<std::string, decltype(call())>, std::string,
                                          std::remove_cvref_t<decltype(call())>>;
        if (!may_ask()) return answer{};
        ++entry_->asked;
        if (run_->dry) return answer{};
        if (run_->deadline < limits.deadline) limits.deadline = run_->deadline;
        return answer(call());
    }

    /// The name under which the bytes will be had again. They are put when the layer's edits stand;
    /// when that fails the edits are taken back. `store` must outlive the run.
    template <class Store>
    constexpr reference keep(Store const& store, std::string_view content) {
        static_assert(detail::check_store<Store>());
        static_assert(Allowed & effect::keeps,
                      "condense: pass.keep: the layer must declare condense::keeps in its effects (see effect)");
        auto const name = store.name(content);
        ++run_->keep_count;
        if (!run_->dry) run_->puts.push_back({detail::address_of(store), put_into<Store>, name, std::string{content}});
        return name;
    }
    /// The same for the original of a part, which is not copied, under the name that the store has given it.
    template <class Store>
    constexpr void keep(Store const& store, reference const& name, part_ref part) {
        static_assert(detail::check_store<Store>());
        static_assert(Allowed & effect::keeps,
                      "condense: pass.keep: the layer must declare condense::keeps in its effects (see effect)");
        ++run_->keep_count;
        if (!run_->dry)
            run_->puts.push_back(
                {.store = detail::address_of(store), .put = put_into<Store>, .name = name, .part = part});
    }

    /// Appends a line to the conversation's record; nothing in a dry run.
    template <journal Journal>
    constexpr store_error append(Journal const& to, journal_entry const& line, std::string_view content) {
        static_assert(Allowed & effect::keeps,
                      "condense: pass.append: the layer must declare condense::keeps in its effects (see effect)");
        if (!run_->dry)
            if (auto const problem = to.append(conversation(), line, content)) return problem;
        if (!line.made) ++run_->keep_count;
        return {};
    }
    /// What was appended is kept when this gives no error.
    template <journal Journal>
    constexpr store_error flush(Journal const& to) {
        static_assert(Allowed & effect::keeps,
                      "condense: pass.flush: the layer must declare condense::keeps in its effects (see effect)");
        if (run_->dry) return {};
        return to.flush(conversation());
    }

private:
    template <class Store>
    static store_error put_into(void const* store, reference const& name, std::string_view content,
                                [[maybe_unused]] bool& created) {
        auto const& into = *static_cast<Store const*>(store);
        if constexpr (detail::store_of_files<Store>) created = !into.has_file(name);
        return into.put(name, content);
    }

    Run* run_;
    layer_report* entry_;
    Goal const* goal_;
    messages message_limit_;
};

/// A draft with the verbs of the declared effects only.
template <effect Allowed, class Draft>
class draft_for : public Draft::reader {
public:
    explicit constexpr draft_for(Draft& draft) noexcept : Draft::reader{draft}, draft_{detail::address_of(draft)} {}

    /// Parts of open groups may be shortened in this run.
    constexpr bool open_allowed() const noexcept { return draft_->open_allowed(); }
    /// See `draft::layer_input`.
    template <class Function>
    constexpr void layer_input(part_ref part, Function&& f) const {
        draft_->layer_input(part, f);
    }

    constexpr refusal drop(group which) {
        static_assert(Allowed & effect::drops,
                      "condense: draft.drop: the layer must declare condense::drops in its effects (see effect)");
        return draft_->drop(which);
    }
    constexpr refusal shorten(part_ref part, std::string text) {
        static_assert(Allowed & effect::shortens,
                      "condense: draft.shorten: the layer must declare condense::shortens in its effects (see effect)");
        return draft_->shorten(part, std::move(text));
    }
    constexpr refusal remove(part_ref part) {
        static_assert((Allowed & effect::shortens) || ((Allowed & effect::repairs) && (Allowed & effect::drops)),
                      "condense: draft.remove: the layer must declare condense::shortens in its effects (see effect)");
        static_assert(detail::part_removable<typename Draft::message_type>,
                      "condense: draft.remove: the message must have without_part (see message_traits)");
        return draft_->remove(part);
    }
    constexpr refusal externalize(part_ref part, std::string text, reference stored) {
        static_assert(
            Allowed & effect::externalizes,
            "condense: draft.externalize: the layer must declare condense::externalizes in its effects (see effect)");
        return draft_->externalize(part, std::move(text), stored);
    }
    template <class Groups>
    constexpr refusal summarize(Groups const& which, std::string text, std::optional<group> before = {}) {
        static_assert(
            Allowed & effect::summarizes,
            "condense: draft.summarize: the layer must declare condense::summarizes in its effects (see effect)");
        return draft_->summarize(which, std::move(text), before);
    }
    constexpr refusal repair(part_ref call, std::string text) {
        static_assert(Allowed & effect::repairs,
                      "condense: draft.repair: the layer must declare condense::repairs in its effects (see effect)");
        return draft_->repair(call, std::move(text));
    }
    constexpr refusal restore(sequence message_seq) {
        static_assert(Allowed & effect::restores,
                      "condense: draft.restore: the layer must declare condense::restores in its effects (see effect)");
        return draft_->restore(message_seq);
    }

private:
    Draft* draft_;
};

}  // namespace v1
}  // namespace condense
