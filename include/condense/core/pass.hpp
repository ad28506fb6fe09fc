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
#include <condense/core/model_prompt.hpp>
#include <condense/core/provider_usage.hpp>
#include <condense/core/redaction.hpp>
#include <condense/core/report.hpp>
#include <condense/core/run_options.hpp>
#include <condense/core/store.hpp>
#include <condense/detail/address.hpp>
#include <condense/detail/text_type.hpp>

// The rights of a layer: the effects that it declares, and the pass and draft that it is given, which have a verb for
// each of them. An undeclared verb does not compile, so the properties of a pipeline follow from the declarations.

namespace condense {
inline namespace v1 {

/// A set of effects, combined by `|`. A layer declares what it may do: static constexpr auto effects = shortens | asks;
enum class effect : std::uint16_t {
    none = 0,
    shortens = 1,  ///< replaces or removes parts; the original is lost to the conversation
    externalizes = 2,  ///< replaces parts whose original is stored
    drops = 4,  ///< takes groups out
    summarizes = 8,  ///< writes one message in place of groups
    keeps = 16,  ///< writes content to a store or a journal
    asks = 32,  ///< calls a model
    reads_clock = 64,  ///< its result may depend on time
    restores = 256,  ///< undoes drops and edits of messages, inside the budget
    reruns = 128,  ///< has the layers before it run again, under pressure
    repairs = 512,  ///< writes results for dead calls, removes orphaned results
};

constexpr effect operator|(effect left, effect right) noexcept {
    return static_cast<effect>(static_cast<unsigned>(left) | static_cast<unsigned>(right));
}
/// True where the two sets have an effect in common; not their intersection.
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

/// Effects that remove content from the conversation without storing it.
inline constexpr effect losing = shortens | drops | summarizes;

template <class Layer>
concept declares_effects = requires {
    { Layer::effects } -> std::convertible_to<effect>;
};

}  // namespace detail

/// The limits of one call of a model. A model that does not take them is called with the prompt alone.
struct ask_limits {
    tokens answer = {};  ///< length of the answer, at most
    instant deadline = {detail::u64_limit};  ///< of the clock of the run; a model is told the earlier of both limits
    instant within = {120'000'000'000};  ///< nanoseconds from the call on: two minutes
};

/// Thrown by a model or a store, also nested in another exception, to end the run: it reaches the caller, no
/// alternative of a fallback is tried, and the run is rolled back. The same holds for any exception while
/// `run_options::stop` asks to stop.
class cancelled : public std::exception {
public:
    char const* what() const noexcept override { return "cancelled"; }
};

/// Returned by a hook that could not do its work: its edits are rolled back, and the reason becomes the note of its
/// entry, cut to 96 bytes. An empty reason is no failure.
struct failed {
    detail::small_text<96> reason = {};
};

namespace detail {

#if defined(__cpp_exceptions)
/// The exception nests a cancellation, at any depth. Without RTTI nested exceptions cannot be found.
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

/// A put that is made when the layer's edits stand. Stores are held by address and called through a function pointer,
/// so that one list holds puts into stores of any type.
struct pending_put {
    void const* store = nullptr;
    store_error (*put)(void const*, reference const&, part_view const&, std::string_view conversation,
                       bool& created) = nullptr;
    reference name = {};
    std::string content = {};
    std::optional<part_ref> part = {};  ///< its original is put in place of `content`, read only then
};

/// The use of a run's result: a session keeps it as its view, or only looks at it, a caller walks over it, or it
/// replaces the history.
enum class run_kind : std::uint8_t { session, rehearsal, walk, commit };

/// Demands of a session on a run, beyond what the layers' triggers say.
struct run_demand {
    bool forced = false;  ///< after the sweeps, press up to the last resort until `target` is reached
    tokens target = {};
    bool may_ask = true;  ///< models may be asked
    std::uint64_t may_ask_layers = 0;  ///< by these layers in any case: one bit each, in the order of the report
    bool untriggered = false;  ///< each layer runs once, whether it is due or not, until its target
    std::optional<tokens> until = {};  ///< the target of all layers in that first sweep, in place of their own
};

/// The state of one run of a pipeline, shared by all of its layers; `entries` are those of the report, which outlives
/// it.
struct run_state {
    layer_report* entries = nullptr;
    bool dry = false;
    std::size_t first_step = 0;  ///< the view's number of steps when the run began
    unsigned pressure = 0;
    bool top = false;
    tokens target = {};  ///< under pressure: where every layer stops
    tokens ceiling = {u64_limit};  ///< under pressure: the most that a request may take
    instant deadline = {u64_limit};
    std::uint32_t keep_count = 0;  ///< calls of keep and append in the present batch
    std::string_view idle_reason = {};  ///< why the present batch has nothing to do
    std::uint64_t idle_messages = 0;  ///< a number of messages to append to that; 0 for none
    bool resumes = false;  ///< the messages were there before the run or the session
    bool one_call = false;  ///< no session goes on from here
    bool recorded = false;  ///< some journal holds everything
    bool unrecorded = false;  ///< there are journals, and none holds everything
    bool journals_only = false;  ///< only layers that record are called for new messages
    bool stopped = false;
    bool may_ask = true;
    std::uint64_t may_ask_layers = 0;
    bool untriggered = false;
    std::optional<tokens> until = {};
    std::uint32_t model_waits = 0;  ///< times a layer waited for its model
    std::vector<pending_put> puts = {};
};

/// One run. Refers to the draft and the options, which outlive it.
template <class Draft, class Options>
struct run : run_state {
    static_assert(
        redactor<decltype(Options::redact)>,
        "condense: run_options: redact must take a std::string&, while const, and return a std::size_t (see redactor)");

    Draft& draft;
    Options const& options;
};

// Notes of the report. Those of idle layers begin with "nothing to do", by which they are recognised.

/// Why a layer has nothing to do, for those that do not say more.
inline constexpr std::string_view nothing_to_do = "nothing to do";
inline constexpr std::string_view target_reached = "nothing to do: its target is reached";
inline constexpr std::string_view all_bound =
    "nothing to do: all of it is system messages, pins, open calls or the latest message";
inline constexpr std::string_view all_protected = "nothing to do: all that it could take is protected";
inline constexpr std::string_view all_newest =
    "nothing to do: all that it could take is within the newest ";  // and how many messages
inline constexpr std::string_view all_within_over = "nothing to do: all that it could take is within `over`";
/// Why a layer waits: its model may not be called yet, or what it would do is not worth it.
inline constexpr std::string_view model_called_recently = "the model was asked lately";
inline constexpr std::string_view not_worth_it = "not worth it";
/// Why a layer that loses content has not run.
inline constexpr std::string_view not_all_recorded = "not all is recorded";

struct no_memory {};

/// Calls the model with as much as it takes: instructions and data apart or as one text, and the limits.
template <class Model>
constexpr decltype(auto) call_with_prompt(Model const& model, model_prompt const& prompt, ask_limits const& limits) {
    if constexpr (std::invocable<Model const&, model_prompt const&, ask_limits>) return model(prompt, limits);
    else if constexpr (std::invocable<Model const&, model_prompt const&>) return model(prompt);
    else if constexpr (std::invocable<Model const&, std::string const&, ask_limits>)
        return model(prompt.text(), limits);
    else if constexpr (std::invocable<Model const&, std::string const&>) return model(prompt.text());
    else if constexpr (std::invocable<Model const&, std::string_view, ask_limits>)
        return model(std::string_view{prompt.text()}, limits);
    else return model(std::string_view{prompt.text()});
}

}  // namespace detail

/// All that a layer may use besides its draft: pressure and target, its memory, and every effect on the outside. `Goal`
/// is a callable on usage that says when the layer has done enough. Created for one call of a hook; not to be kept.
template <effect Allowed, class Run, class Goal, class Memory>
class pass {
public:
    pass(Run& run, layer_report& entry, Goal const& goal, messages message_limit, Memory& layer_memory) noexcept
        : memory{layer_memory}, run_{detail::address_of(run)}, entry_{&entry}, goal_{detail::address_of(goal)},
          message_limit_{message_limit} {}

    /// The layer's own memory, kept by the session.
    Memory& memory;

    /// 0 in a routine run, then 1 and up.
    constexpr unsigned pressure() const noexcept { return run_->pressure; }
    /// The program has asked every layer to run, whatever its trigger says.
    constexpr bool untriggered() const noexcept { return run_->untriggered; }
    /// The last pass under pressure: protections by predicates are off, and only system messages, pins, open groups and
    /// the latest user message are left alone.
    constexpr bool top() const noexcept { return run_->top; }
    /// Under pressure: true if a request with this usage can be sent, though more was wanted.
    constexpr bool may_be_sent(usage const& current) const noexcept { return current.tokens <= run_->ceiling; }
    /// The limit of `when` in messages, of which the shares in `protect` are taken; 0 where it has none.
    constexpr messages message_limit() const noexcept { return message_limit_; }
    /// The layer may stop: its target, or that of the run under pressure, is reached.
    constexpr bool enough() const noexcept {
        // Layers ask after each edit: where tokens alone decide, it is one comparison with the sum of costs.
        return limit_.steps != no_limit ? run_->draft.edits().sums().cost <= limit_ : enough_by_usage();
    }
    /// Whether a usage would be enough, to which edits would lead.
    constexpr bool enough(usage const& current) const noexcept {
        if (run_->pressure != 0) return current.tokens <= run_->target;
        return run_->until ? current.tokens <= *run_->until : (*goal_)(current);
    }
    constexpr bool dry() const noexcept { return run_->dry; }
    constexpr request_info const& request() const noexcept { return run_->options.request; }
    constexpr std::string_view conversation() const noexcept { return run_->options.conversation; }
    /// Neighbouring user messages are sent as one.
    constexpr bool alternates() const noexcept { return run_->options.alternate; }
    /// A journal holds all messages, so that nothing is lost by shortening or dropping.
    constexpr bool recorded() const noexcept { return run_->recorded; }
    /// The messages existed before this run or session began, so a journal may hold them already.
    constexpr bool resumes() const noexcept { return run_->resumes; }
    constexpr bool stop_requested() const noexcept { return run_->options.stop.stop_requested(); }
    constexpr auto const& stop_token() const noexcept { return run_->options.stop; }
    constexpr instant deadline() const noexcept { return run_->deadline; }

    constexpr void note(std::string_view words) noexcept {
        entry_->note = detail::redacted_note<96>(run_->options.redact, words);
    }
    /// Sets the note for a batch that changes nothing: a string literal that begins with "nothing to do", and a number
    /// of messages to append to it, 0 for none.
    constexpr void idle_as(std::string_view why, std::uint64_t newest = 0) noexcept {
        run_->idle_reason = why;
        run_->idle_messages = newest;
    }
    /// Counts a refused edit, and notes why if there is no note yet.
    constexpr void note(refusal refused) noexcept {
        if (!refused) return;
        ++entry_->refused;
        if (refused == refusal{refusal::not_smaller} && entry_->outcome == layer_outcome::applied) return;
        if (!entry_->note.empty()) return;
        entry_->note = name(refused);
        if (refused.to == v1::cost{}) return;
        entry_->note += ": an edit would leave ";
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

    /// False while a session spaces out the calls of a model, after recent or failed ones. Layers that are due by
    /// messages or turns may ask in any case, as their limits must hold.
    constexpr bool may_ask() const noexcept {
        auto const place = static_cast<std::size_t>(entry_ - run_->entries);
        return run_->may_ask || (run_->may_ask_layers >> (place < 63 ? place : 63) & 1) != 0;
    }
    /// Notes that the layer waits because it may not ask: no failure, but in a fallback the next alternative acts.
    constexpr void wait_for_model() noexcept {
        ++run_->model_waits;
        entry_->waits = true;
        if (entry_->outcome == layer_outcome::applied) return;
        entry_->outcome = layer_outcome::declined;
        entry_->note = detail::model_called_recently;
    }

    /// The model's answer: a std::string where one can be made of what the model returns, else that. Empty where it may
    /// not ask, and in a dry run, which only counts the call. Blocks as long as the model does; what it throws passes
    /// through. A model takes a model_prompt or one text, and ask_limits if it wants them. An answer's member `usage`
    /// is added to the layer's entry in the report.
    template <class Model>
    constexpr auto ask(Model const& model, model_prompt const& prompt, ask_limits limits) {
        static_assert(Allowed & effect::asks,
                      "condense: pass.ask: the layer must declare condense::asks in its effects (see effect)");
        auto const call = [&](model_prompt const& sent) -> decltype(auto) {
            return detail::call_with_prompt(model, sent, limits);
        };
        using result_type = decltype(call(prompt));
        using answer = std::conditional_t<std::constructible_from<std::string, result_type>, std::string,
                                          std::remove_cvref_t<result_type>>;
        late_ = false;
        if (!may_ask()) return answer{};
        ++entry_->asked;
        if (run_->dry) return answer{};
        auto const end = run_->options.clock() + limits.within;
        for (auto const earlier : {run_->deadline, end})
            if (earlier < limits.deadline) limits.deadline = earlier;
        auto const redacted_answer = [&] {
            auto sent = prompt;
            redact(sent);
            return answer(call(sent));
        };
        answer result(detail::redacts(run_->options.redact) ? redacted_answer() : answer(call(prompt)));
        if constexpr (requires { provider_usage{result.usage}; }) entry_->model_usage += result.usage;
        late_ = limits.deadline < run_->options.clock();
        return result;
    }
    template <class Model>
    constexpr auto ask(Model const& model, std::string_view prompt, ask_limits limits) {
        return ask(model, model_prompt{.instructions = std::string{prompt}}, limits);
    }
    /// The latest answer came after its deadline: to be refused.
    constexpr bool is_late() const noexcept { return late_; }

    /// Returns f(text, count): the text as it may leave the program, and how many secrets were replaced. `ask`, `keep`
    /// and `append` do that by themselves; for a text that is cut before, as half a secret is not recognised.
    template <class Function>
    constexpr decltype(auto) with_redacted(std::string_view text, Function&& f) const {
        return detail::with_redacted(run_->options.redact, text, f);
    }
    /// The prompt as it may leave the program.
    constexpr void redact(model_prompt& prompt) {
        if constexpr (detail::may_redact<decltype(run_->options.redact)>)
            for (auto* const text : {&prompt.instructions, &prompt.data})
                *text = with_redacted(*text, [&](std::string_view redacted, std::size_t count) {
                    count_redactions(count);
                    return std::string{redacted};
                });
    }
    /// Adds them to the layer's entry in the report.
    constexpr void count_redactions(std::size_t count) noexcept {
        entry_->redactions += static_cast<std::uint32_t>(count);
    }
    /// The name under which `keep` and `append` put this content into the store or the journal: that of what may leave.
    template <class Store>
    constexpr reference reference_of(Store const& store, std::string_view content) const {
        return with_redacted(content, [&](std::string_view text, std::size_t) { return store.name(text); });
    }

    /// The reference by which the content can be read back. The put is made when the layer's edits stand; if it fails,
    /// they are rolled back. `store` must outlive the run; the content is copied.
    template <class Store>
    constexpr reference keep(Store const& store, std::string_view content) {
        static_assert(detail::check_store<Store>());
        static_assert(Allowed & effect::keeps,
                      "condense: pass.keep: the layer must declare condense::keeps in its effects (see effect)");
        return with_redacted(content, [&](std::string_view text, std::size_t count) {
            auto const name = store.name(text);
            ++run_->keep_count;
            if (run_->dry) return name;
            run_->puts.push_back({detail::address_of(store), put_into<Store>, name, std::string{text}});
            count_redactions(count);
            return name;
        });
    }
    /// Stores the original of a part, under the name that `reference_of` gave it. Not copied: it is
    /// read when it is put.
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

    /// Appends a line to the conversation's record at once, not when the edits stand. Does nothing in a dry run.
    template <journal Journal>
    constexpr store_error append(Journal const& to, journal_entry const& line, std::string_view content) {
        static_assert(Allowed & effect::keeps,
                      "condense: pass.append: the layer must declare condense::keeps in its effects (see effect)");
        if (!run_->dry)
            if (auto const problem = with_redacted(content, [&](std::string_view text, std::size_t count) {
                    if (count == 0) return to.append(conversation(), line, text);
                    count_redactions(count);
                    return to.append(conversation(), {to.name(text), line.number, line.is_derived, line.time}, text);
                }))
                return problem;
        if (!line.is_derived) ++run_->keep_count;
        return {};
    }
    /// Makes appended lines durable: they are kept if this returns no error. Does nothing in a dry run.
    template <journal Journal>
    constexpr store_error flush(Journal const& to) {
        static_assert(Allowed & effect::keeps,
                      "condense: pass.flush: the layer must declare condense::keeps in its effects (see effect)");
        if (run_->dry) return {};
        return to.flush(conversation());
    }

private:
    /// The put of one store type; `created` tells whether it has made a new file, where the store has files.
    template <class Store>
    static store_error put_into(void const* store, reference const& name, part_view const& from,
                                [[maybe_unused]] std::string_view conversation, [[maybe_unused]] bool& created) {
        auto const& into = *static_cast<Store const*>(store);
        if constexpr (detail::store_of_files<Store>) created = !into.has_file(name);
        if constexpr (traceable_store<Store>)
            return into.put(name, from.text,
                            {.conversation = std::string{conversation},
                             .tool = std::string{from.tool},
                             .call = std::string{from.call},
                             .type = std::string{detail::type_of_text(from.text)}});
        else return into.put(name, from.text);
    }

    static constexpr std::uint64_t no_limit = detail::u64_limit;

    /// Whether it is enough where the limit of the sum is not known yet, or where there is none.
    [[gnu::noinline]] constexpr bool enough_by_usage() const noexcept {
        if (!std::exchange(has_limit_, true)) {
            limit_ = sum_limit();
            if (limit_.steps != no_limit) return enough();
        }
        if constexpr (requires { goal_->unreachable(); })
            if (goal_->unreachable() && run_->pressure == 0 && !run_->until) return false;
        return enough(run_->draft.used());
    }

    /// The largest sum of costs, without the overhead, at which the layer may stop; no_limit where usage has to be
    /// looked at.
    constexpr cost sum_limit() const noexcept {
        std::optional<tokens> limit;
        if (run_->pressure != 0) limit = run_->target;
        else if (run_->until) limit = run_->until;
        else if constexpr (requires { goal_->token_limit(); }) limit = goal_->token_limit();
        auto const overhead = cost::of(run_->draft.limits().overhead);
        auto const sum = limit ? run_->draft.edits().scale().most(*limit) : std::nullopt;
        return sum && sum->steps < no_limit && overhead <= *sum ? *sum - overhead : cost{no_limit};
    }

    Run* run_;
    layer_report* entry_;
    Goal const* goal_;
    messages message_limit_;
    bool late_ = false;
    mutable bool has_limit_ = false;  ///< the next one is known; computed when it is first needed
    mutable cost limit_ = {no_limit};  ///< see sum_limit
};

/// A draft with the verbs of the declared effects only. Using another is a compile error that names the missing effect.
template <effect Allowed, class Draft>
class draft_for : public Draft::reader {
public:
    explicit draft_for(Draft& draft) noexcept : Draft::reader{draft}, draft_{detail::address_of(draft)} {}

    /// Parts of open groups may be shortened in this batch.
    constexpr bool open_allowed() const noexcept { return draft_->open_allowed(); }
    constexpr refusal unshortenable(part_ref part) const noexcept { return draft_->unshortenable(part); }
    constexpr std::uint32_t input_step(part_ref part) const noexcept { return draft_->input_step(part); }
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
    constexpr refusal summarize(Groups const& which, std::string text) {
        static_assert(
            Allowed & effect::summarizes,
            "condense: draft.summarize: the layer must declare condense::summarizes in its effects (see effect)");
        return draft_->summarize(which, std::move(text));
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
    constexpr refusal restore(group which, std::vector<returning_part> with, tokens most) {
        static_assert((Allowed & effect::restores) && (Allowed & (effect::shortens | effect::externalizes)),
                      "condense: draft.restore: the layer must declare condense::restores, and condense::shortens or "
                      "condense::externalizes, in its effects (see effect)");
        return draft_->restore(which, std::move(with), most);
    }
    /// Says that a last resort takes the task, which comes back as soon as there is room.
    constexpr void note_task_taken() noexcept { draft_->note_task_taken(); }

private:
    Draft* draft_;
};

}  // namespace v1
}  // namespace condense
