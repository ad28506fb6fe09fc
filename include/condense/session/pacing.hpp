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

// When a session that is due runs, and when it waits: what keeps an agent from reducing again and again
// without getting anywhere. run_options{.pacing = {.fruitless = 3}}.

namespace condense {
inline namespace v1 {

namespace detail {

/// Why a session that is due does not run by itself.
struct pause {
    enum reason : std::uint8_t { none, unchanged, growth, circuit, stuck } why = none;
    tokens more = {};  ///< of `growth` and `circuit`: to be pushed before it does

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

/// What a session remembers of its runs; plain data, saved with it.
struct pace {
    v1::cost pushed = {};         ///< by all messages so far; grows only
    v1::cost at_run = {};         ///< pushed when it last ran by itself, or in vain
    v1::cost at_ask = {};         ///< pushed when a model was last asked
    std::uint64_t changes = 0;  ///< of what a run looks at
    std::uint64_t tried = u64_limit;   ///< changes at its latest run
    std::uint64_t due = 0;             ///< layers that ran for nothing, or next to it
    tokens stuck = {};            ///< what could have gone, but did not, in the latest run while the circuit is open
    std::uint32_t fruitless = 0;  ///< runs in a row without progress
    bool asked = false;
    bool answer_fitted = false;  ///< the request fitted when a model was last asked
    bool open = false;    ///< the circuit
    std::uint64_t rounds = 0;         ///< messages that may have ended one: of an assistant or plainly of a user
    std::uint64_t rounds_at_run = 0;  ///< of those, at its latest run
    std::uint32_t stayed = 0;         ///< runs in a row that left a layer due by messages or turns
    small_text<120> cause = {};       ///< why the latest run left a layer due: its name and its note

    constexpr void pushed_more(v1::cost more, bool ends_round = false) noexcept {
        pushed += more;
        rounds += ends_round ? 1u : 0u;
        ++changes;
    }
    /// The program has changed what a run works on: what was in vain may not be any more.
    constexpr void changed() noexcept {
        ++changes;
        due = 0;
    }

    /// A run by itself may make sense: a layer of `now_due` has not been tried in vain, or enough has come
    /// since. Of these layers `by_count` are due by messages or turns alone. `reducible` gives the tokens that no
    /// law protects; it is asked only while the circuit is open and the request does not fit.
    template <class Reducible>
    constexpr bool may_run(pacing const& limits, usage const& now, std::uint64_t now_due, std::uint64_t by_count,
                           Reducible const& reducible) const noexcept {
        return pause_of(limits, now, now_due, by_count, reducible).why == pause::none;
    }
    /// Why it may not.
    template <class Reducible>
    constexpr pause pause_of(pacing const& limits, usage const& now, std::uint64_t now_due, std::uint64_t by_count,
                             Reducible const& reducible) const noexcept {
        if ((now_due & ~due) != 0) return {};
        if (changes == tried) return {pause::unchanged};
        if (by_count != 0 && rounds_passed()) return {};
        auto const growth = limits.growth.of_rounded_up(now.input);
        if (open && !now.fits()) {
            if (reducible() >= stuck + (growth.count == 0 ? tokens{1} : growth)) return {};
            return {pause::stuck};
        }
        auto const least = open ? limits.asking.of_rounded_up(now.input) : growth;
        if ((!open && !now.fits()) || since(at_run) >= least) return {};
        return {open ? pause::circuit : pause::growth, least - since(at_run)};
    }

    /// A model may be asked: the first time, after enough growth, or where nothing else may make it fit and
    /// the latest answer did.
    constexpr bool may_ask(pacing const& limits, usage const& now) const noexcept {
        return !asked || since(at_ask) >= limits.asking.of_rounded_up(now.input) ||
               (!now.fits() && !open && answer_fitted);
    }

    /// Of the layers that are due by messages or turns, those that may ask whatever has been pushed since.
    constexpr std::uint64_t may_ask_of(std::uint64_t by_count) const noexcept {
        return rounds_passed() ? by_count : by_count & ~due;
    }

    /// What a run by itself came to, and which layers are due still, and which by messages or turns; true when that
    /// opens the circuit. One that `waited` for its model, or for enough to gain, is no reason to.
    constexpr bool ran(pacing const& limits, bool progress, bool waited, std::uint64_t still_due,
                       std::uint64_t by_count = 0) noexcept {
        tried = changes;
        at_run = pushed;
        due = still_due;
        rounds_at_run = rounds;
        stayed = by_count == 0 ? 0 : stayed < 32 ? stayed + 1 : stayed;
        if (progress) return fruitless = 0, open = false;
        if (waited) return false;
        if (fruitless < ~std::uint32_t{0}) ++fruitless;
        bool const opens = !open && fruitless >= limits.fruitless;
        open = open || opens;
        return opens;
    }
    /// The same of a manual run that got nowhere: no reason to give up, but none to try that again by itself.
    constexpr void tried_in_vain(std::uint64_t still_due) noexcept {
        tried = changes;
        at_run = pushed;
        rounds_at_run = rounds;
        due |= still_due;
    }
    /// The first of the layers that are due still and that has noted why, by the entries of the report.
    template <class Layers>
    constexpr void explain(Layers const& layers, std::uint64_t still_due) noexcept {
        cause = {};
        for (std::size_t at = 0; at < layers.size() && cause.empty(); ++at) {
            if ((still_due >> (at < 63 ? at : 63) & 1) == 0 || layers[at].note.empty()) continue;
            cause = layers[at].name;
            cause += ": ";
            cause += std::string_view{layers[at].note};
        }
    }
    constexpr void asked_now(bool fits) noexcept {
        asked = true;
        answer_fitted = fits;
        at_ask = pushed;
    }

    friend constexpr bool operator==(pace const&, pace const&) = default;

private:
    constexpr bool rounds_passed() const noexcept {
        return rounds - rounds_at_run >= std::uint64_t{1} << (stayed < 2 ? 0 : stayed < 33 ? stayed - 1 : 32);
    }
    constexpr tokens since(v1::cost then) const noexcept { return (pushed - then).tokens(); }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
