// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/core/quantity.hpp>
#include <condense/core/run_options.hpp>
#include <condense/core/usage.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/text.hpp>

// When a session in which a reduction is due runs it, and when it waits, so that an agent does not reduce again and
// again without progress. run_options{.pacing = {.fruitless = 3}}.

namespace condense {
inline namespace v1 {

namespace detail {

/// Why a session does not run a reduction that is due.
struct pause {
    enum reason : std::uint8_t {
        none,       ///< it may run
        unchanged,  ///< nothing has come since the latest run
        growth,     ///< the latest run helped, and too little has come since
        circuit,    ///< runs made no progress, and too little has come since
        stuck,      ///< the request does not fit, and no more can be removed than in the latest run
    } why = none;
    tokens more = {};  ///< to be pushed before the next run; for `growth` and `circuit`

    /// A sentence for display; empty for `none`.

    std::string text() const {
        switch (why) {
            case none: return {};
            case unchanged: return "nothing has come since the latest run";
            case growth: return grouped(more.count) + " tokens have to come first";
            case circuit: return "the circuit is open until " + grouped(more.count) + " tokens more have come";
            case stuck: break;
        }
        return "the circuit is open until more can be reduced";
    }
};

/// What a session remembers of its runs; plain data, saved with it. A layer has the bit of its place in the pipeline,
/// the 64th and all after it share the last one.
struct pace {
    v1::cost pushed = {};           ///< by all messages so far; grows only
    v1::cost pushed_at_run = {};    ///< `pushed` at the latest run that was not manual, or that got nowhere
    v1::cost pushed_at_ask = {};    ///< `pushed` when a model was last asked
    std::uint64_t revision = 0;     ///< grows with each change of what a run works on
    std::uint64_t last_attempt_revision = u64_limit;  ///< `revision` at the latest run
    std::uint64_t ineffective_layers = 0;  ///< still due after the latest run, or due again soon
    tokens stuck_at = {};  ///< what could have been removed but was not, in the latest run with an open circuit
    std::uint32_t fruitless = 0;  ///< runs in a row without progress
    bool model_asked = false;  ///< a model was asked in some run
    bool answer_fitted = false;  ///< the request fitted when a model was last asked
    bool open = false;  ///< the circuit: no run without growth or something new to reduce
    std::uint64_t rounds = 0;  ///< messages that may have ended one: of an assistant or plainly of a user
    std::uint64_t rounds_at_run = 0;  ///< `rounds` at the latest run
    std::uint32_t runs_left_due = 0;  ///< runs in a row that left a layer due by messages or turns
    small_text<120> cause = {};  ///< why the latest run left a layer due: its name and its note

    /// A message of this cost was appended; `ends_round` for one of the assistant or plainly of the user.
    constexpr void on_pushed(v1::cost more, bool ends_round = false) noexcept {
        pushed += more;
        rounds += ends_round ? 1u : 0u;
        ++revision;
    }
    /// The program changed the input of a run: runs that were ineffective may succeed now.
    constexpr void changed() noexcept {
        ++revision;
        ineffective_layers = 0;
    }

    /// True if a run that was not requested makes sense: one of the layers in `due_layers` was not ineffective in the
    /// latest run, or enough was pushed since. Layers in `by_count`, a part of them, are due by messages or turns
    /// alone. `reducible()` returns the tokens that no law protects; it reads the whole conversation, and is called
    /// only while the circuit is open and the request does not fit.
    template <class Reducible>
    constexpr bool may_run(pacing const& limits, usage const& current, std::uint64_t due_layers, std::uint64_t by_count,
                           Reducible const& reducible) const noexcept {
        return pause_of(limits, current, due_layers, by_count, reducible).why == pause::none;
    }
    /// Why `may_run` is false; `none` if it is true.
    template <class Reducible>
    constexpr pause pause_of(pacing const& limits, usage const& current, std::uint64_t due_layers,
                             std::uint64_t by_count, Reducible const& reducible) const noexcept {
        if ((due_layers & ~ineffective_layers) != 0) return {};
        if (revision == last_attempt_revision) return {pause::unchanged};
        if (by_count != 0 && rounds_passed()) return {};
        auto const growth = limits.growth.of_rounded_up(current.input);
        if (open && !current.fits()) {
            // Growth alone helps nothing here: the latest run could not remove what it was allowed to.
            if (reducible() >= stuck_at + (growth.count == 0 ? tokens{1} : growth)) return {};
            return {pause::stuck};
        }
        auto const least = open ? limits.asking.of_rounded_up(current.input) : growth;
        if ((!open && !current.fits()) || pushed_since(pushed_at_run) >= least) return {};
        return {open ? pause::circuit : pause::growth, least - pushed_since(pushed_at_run)};
    }

    /// True if a run may ask a model: the first time, after enough growth, or where nothing else may make the request
    /// fit and the latest answer did.
    constexpr bool may_ask(pacing const& limits, usage const& current) const noexcept {
        return !model_asked || pushed_since(pushed_at_ask) >= limits.asking.of_rounded_up(current.input) ||
               (!current.fits() && !open && answer_fitted);
    }

    /// The layers of `by_count` that may ask a model even where `may_ask` is false: a count of messages can be due
    /// again long before the tokens have grown.
    constexpr std::uint64_t may_ask_of(std::uint64_t by_count) const noexcept {
        return rounds_passed() ? by_count : by_count & ~ineffective_layers;
    }

    /// Records a run that was not manual, with the layers that are still due after it, of which those in `by_count` are
    /// due by messages or turns. Returns true if it opens the circuit. A run that is `waiting` for its model, or for
    /// more to gain, does not count as one without progress.
    constexpr bool ran(pacing const& limits, bool progress, bool waiting, std::uint64_t still_due,
                       std::uint64_t by_count = 0) noexcept {
        last_attempt_revision = revision;
        pushed_at_run = pushed;
        ineffective_layers = still_due;
        rounds_at_run = rounds;
        runs_left_due = by_count == 0 ? 0 : runs_left_due < 32 ? runs_left_due + 1 : runs_left_due;
        if (progress) return fruitless = 0, open = false;
        if (waiting) return false;
        if (fruitless < ~std::uint32_t{0}) ++fruitless;
        bool const opens = !open && fruitless >= limits.fruitless;
        open = open || opens;
        return opens;
    }
    /// Records a manual run without progress: it does not open the circuit, but the same is not tried again unasked.
    constexpr void ran_in_vain(std::uint64_t still_due) noexcept {
        last_attempt_revision = revision;
        pushed_at_run = pushed;
        rounds_at_run = rounds;
        ineffective_layers |= still_due;
    }
    /// Sets `cause` to the note of the first layer that is still due and has one; `layers` are the report's entries.
    template <class Layers>
    constexpr void explain(Layers const& layers, std::uint64_t still_due) noexcept {
        cause = {};
        for (std::size_t index = 0; index < layers.size() && cause.empty(); ++index) {
            if ((still_due >> (index < 63 ? index : 63) & 1) == 0 || layers[index].note.empty()) continue;
            cause = layers[index].name;
            cause += ": ";
            cause += std::string_view{layers[index].note};
        }
    }
    /// A model was asked; `fits`: the request fits after its answer.
    constexpr void on_model_asked(bool fits) noexcept {
        model_asked = true;
        answer_fitted = fits;
        pushed_at_ask = pushed;
    }

    friend constexpr bool operator==(pace const&, pace const&) = default;

private:
    /// Enough rounds since the latest run for a layer that is due by messages or turns: 1, 1, 2, 4 ... 2^31 rounds,
    /// which double with each run that leaves it due.
    constexpr bool rounds_passed() const noexcept {
        return rounds - rounds_at_run >= std::uint64_t{1} << (runs_left_due < 2    ? 0
                                                              : runs_left_due < 33 ? runs_left_due - 1
                                                                                   : 32);
    }
    constexpr tokens pushed_since(v1::cost mark) const noexcept { return (pushed - mark).tokens(); }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
