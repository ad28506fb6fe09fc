// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/reduction.hpp>
#include <condense/detail/address.hpp>

// The one call: reduce(history, mix, {.window = 200'000_tokens}). A history that can be changed is
// changed, at once or not at all; a const one gives a reduction to walk.

namespace condense {
inline namespace v1 {
namespace detail {

template <class History>
using element_of = std::remove_cvref_t<decltype(*begin_and_end::first(std::declval<History&>()))>;

template <class History>
concept erasable = !std::is_const_v<History> && std::is_nothrow_move_assignable_v<element_of<History>> &&
                   std::is_nothrow_move_constructible_v<element_of<History>> &&
                   std::same_as<decltype(*begin_and_end::first(std::declval<History&>())), element_of<History>&> &&
                   requires(History& history) {
                       history.erase(begin_and_end::first(history), begin_and_end::past(history));
                   };

template <class History>
concept refillable = !std::is_const_v<History> && std::default_initializable<History> &&
                     std::is_nothrow_swappable_v<History> && std::is_nothrow_move_constructible_v<element_of<History>> &&
                     requires(History& history, element_of<History>&& m) { history.push_back(std::move(m)); } &&
                     (std::copy_constructible<element_of<History>> ||
                      requires(History& history) { history.reserve(std::size_t{}); });

}  // namespace detail

/// A history that a reduction can be applied to: one with erase whose messages move without
/// throwing, or one that can be filled anew by push_back and swapped in without losing a message on
/// the way: it reserves, or its messages can be copied.
template <class History>
concept committable = detail::history<History> && (detail::erasable<History> || detail::refillable<History>);

namespace detail {

/// Everything that can fail happens here, before the history is touched.
template <class Message, class Reduction>
struct prepared {
    struct change {
        std::uint32_t index = 0;
        bool keeps = false;  ///< the message stays as it is; `made` is unused
        std::size_t made = 0;
    };
    std::vector<change> plan;  ///< from message `first` on
    std::vector<Message> made;
    std::uint32_t first = 0;
    std::size_t size = 0;  ///< of the history
    bool in_place = true;  ///< no message that is kept moves backward

    prepared(Reduction const& reduced, std::uint64_t from)
        : first(static_cast<std::uint32_t>(from)), size(reduced.outline().size()) {
        plan.reserve(size - first + 1);
        reduced.each_place(
            [&](std::uint32_t index) {
                if (index < first) return;
                in_place = in_place && first + plan.size() <= index;
                plan.push_back({index, true});
            },
            [&](Message&& next) {
                plan.push_back({.made = made.size()});
                made.push_back(std::move(next));
            });
    }
};

/// Puts the first `count` of the made messages at the end, all or none.
template <class History, class Message>
void append_made(History& history, std::vector<Message>& made, std::size_t size, std::size_t count) {
    if constexpr (requires { history.push_back(std::move(made.front())); }) {
        struct undo {
            History* on;
            std::size_t size;
            ~undo() {
                if (on == nullptr) return;
                auto from = begin_and_end::first(*on);
                std::advance(from, size);
                on->erase(from, begin_and_end::past(*on));
            }
        } unless_done{detail::address_of(history), size};
        for (std::size_t index = 0; index < count; ++index) history.push_back(std::move(made[index]));
        unless_done.on = nullptr;
    }
}

template <erasable History, class Prepared>
void apply(History& history, Prepared& changes) {
    using message_type = element_of<History>;
    if (changes.in_place && changes.first + changes.plan.size() <= changes.size) {
        auto from = begin_and_end::first(history);
        std::advance(from, changes.first);
        auto to = from;
        for (auto index = changes.first; auto const& change : changes.plan) {
            if (change.keeps) {
                for (; index != change.index; ++index) ++from;
                if (to != from) *to = std::move(*from);
            } else *to = std::move(changes.made[change.made]);
            ++to;
        }
        history.erase(to, begin_and_end::past(history));
        return;
    }
    std::vector<message_type> staged;
    staged.reserve(changes.plan.size());
    auto const rest = changes.size - changes.first;
    auto const more = changes.plan.size() > rest ? changes.plan.size() - rest : 0;
    if (more != 0) append_made(history, changes.made, changes.size, more);
    auto at = begin_and_end::first(history);  // nothing below throws
    std::advance(at, changes.first);
    auto to = at;
    auto from = changes.first;
    auto appended = at;
    std::advance(appended, more != 0 ? rest : 0);
    for (auto const& change : changes.plan) {
        if (!change.keeps) {
            auto const left_end = change.made >= more;
            staged.push_back(std::move(left_end ? changes.made[change.made] : *appended));
            if (!left_end) ++appended;
            continue;
        }
        for (; from != change.index; ++from) ++at;
        staged.push_back(std::move(*at));
    }
    for (auto& next : staged) *to++ = std::move(next);
    history.erase(to, begin_and_end::past(history));
}

template <refillable History, class Prepared>
    requires(!erasable<History>)
void apply(History& history, Prepared& changes) {
    History fresh;
    // Where push_back may fail, the messages are copied, so that the old history stays whole.
    constexpr bool reserves = requires { fresh.reserve(std::size_t{}); };
    auto const take = [](auto& m) -> decltype(auto) {
        if constexpr (reserves) return std::move(m);
        else return static_cast<std::remove_reference_t<decltype(m)> const&>(m);
    };
    if constexpr (reserves) fresh.reserve(changes.first + changes.plan.size());
    auto at = begin_and_end::first(history);
    std::uint32_t from = 0;
    for (; from != changes.first; static_cast<void>(++from), ++at) fresh.push_back(take(*at));
    for (auto const& change : changes.plan) {
        if (!change.keeps) {
            fresh.push_back(std::move(changes.made[change.made]));
            continue;
        }
        for (; from != change.index; ++from) ++at;
        fresh.push_back(take(*at));
    }
    using std::swap;
    swap(history, fresh);
}

}  // namespace detail

namespace detail {

/// Converts from any value, so that a call with a wrong one has a function to go to, which says what is wrong.
struct any_value {
    constexpr any_value() = default;
    template <class Value>
    constexpr any_value(Value const&) noexcept {}
};
/// A budget with values of any type, and with names that other libraries give its members.
struct wrong_budget {
    any_value limit, max_tokens, context, context_window, context_limit, max_input, max_input_tokens, window, input, reserve, reserved, output, max_output,
        max_output_tokens, overhead;
};

/// What every call that takes a history must be given, each with its sentence.
template <class History, class Estimator>
constexpr bool check_call() noexcept {
    static_assert(!holds_history<std::remove_const_t<History>>,
                  "condense: reduce: what messages_of gives must be dereferenced: auto messages = messages_of(document); reduce(*messages, ...) (see messages_of)");
    static_assert(history<History> || holds_history<std::remove_const_t<History>>,
                  "condense: reduce: the history must be a range of messages, such as std::vector (see committable)");
    return check_estimator<Estimator>();
}

/// The truncations of a one-shot run, for an observer that takes them; to be read before the history is changed.
template <class Options, class Reduction>
std::vector<truncation> trail_for(Options const&, Reduction const& reduced) {
    std::vector<truncation> all;
    if constexpr (hears<decltype(Options::observer) const, events::truncated>)
        reduced.each_truncation([&](truncation const& each) { all.push_back(each); });
    return all;
}
template <class Options>
void tell_trail(Options const& options, std::vector<truncation> const& trail) {
    if constexpr (hears<decltype(Options::observer) const, events::truncated>)
        for (auto const& each : trail) tell(options.observer, each);
}

}  // namespace detail

/// Reduces the history in place and says what was done. Reads every message once; strong exception
/// guarantee. Messages that no layer touched stay the same objects.
template <committable History, class Mix, class Estimator = default_estimator<>, class Options = run_options<>>
auto reduce(History& history, Mix const& mix, budget limits, Estimator const& count = {}, Options const& options = {}) {
    static_assert(detail::check_call<History, Estimator>());
    auto const& layers = detail::as_pipeline(mix);
    static_assert(!(Mix::effects & effect::repairs) || requires(detail::element_of<History>&& m) {
        history.push_back(std::move(m));
    }, "condense: reduce: a history into which answers are written must have push_back (see committable)");
    using reduced_type = reduction<History, Estimator, detail::pipeline_of<Mix>::size>;
    reduced_type reduced{history, count, limits, options};
    reduced.run(layers, options, false, detail::run_kind::commit);
    auto const trail = detail::trail_for(options, reduced);
    if (reduced.report().changed()) {
        detail::prepared<typename reduced_type::message_type, reduced_type> changes{reduced, *reduced.report().first_changed};
        detail::apply(history, changes);
    }
    detail::tell_trail(options, trail);
    return reduced.report();
}

/// The same for a history that cannot be changed: the reduction is there to be walked.
template <class History, class Mix, class Estimator = default_estimator<>, class Options = run_options<>>
    requires(!committable<History>)
[[nodiscard]] auto reduce(History& history, Mix const& mix, budget limits, Estimator const& count = {},
                          Options const& options = {}) {
    static_assert(detail::check_call<History, Estimator>());
    reduction<History, Estimator, detail::pipeline_of<Mix>::size> reduced{history, count, limits, options};
    reduced.run(detail::as_pipeline(mix), options, false);
    return reduced;
}

/// Refused: a temporary's messages would be gone with it.
template <class History, class Mix, class Estimator = default_estimator<>, class Options = run_options<>>
    requires(!std::is_reference_v<History>)
report<1> reduce(History&&, Mix const&, budget, Estimator const& = {}, Options const& = {}) {
    static_assert(detail::check_call<History, Estimator>());
    static_assert(!std::same_as<History, History>, "condense: reduce: the history must be a variable, not a temporary (see committable)");
    return {};
}
/// Refused: these are no budgets.
template <class History>
report<1> reduce(History&&, detail::any_value, detail::wrong_budget, detail::any_value = {}, detail::any_value = {}) {
    static_assert(!std::same_as<History, History>,
                  "condense: reduce: the budget must be given as .window, .output and .overhead, each in tokens such as 200'000_tokens (see budget)");
    return {};
}

/// Hands each message to send to the sink, in order: those that stay as the history gives them (a sink
/// may move from what is not const), those that were made as `Message&&`. For containers that are not
/// committable, and for histories to be kept. What can fail in here has been done before the first call.
template <class History, class Sink, class Mix, class Estimator = default_estimator<>, class Options = run_options<>>
auto reduce_into(Sink&& sink, History& history, Mix const& mix, budget limits, Estimator const& count = {},
                 Options const& options = {}) {
    static_assert(detail::check_call<History, Estimator>());
    using reduced_type = reduction<History, Estimator, detail::pipeline_of<Mix>::size>;
    reduced_type reduced{history, count, limits, options};
    reduced.run(detail::as_pipeline(mix), options, false, std::is_const_v<History> ? detail::run_kind::walk : detail::run_kind::commit);
    auto const trail = detail::trail_for(options, reduced);
    detail::prepared<typename reduced_type::message_type, reduced_type> changes{reduced, 0};
    for (auto const& change : changes.plan) {
        if (change.keeps) sink(reduced.original(change.index));
        else sink(std::move(changes.made[change.made]));
    }
    detail::tell_trail(options, trail);
    return reduced.report();
}

/// A dry run: nothing is asked, nothing is kept, the history stays as it is.
template <class History, class Mix, class Estimator = default_estimator<>, class Options = run_options<>>
[[nodiscard]] auto dry_run(History& history, Mix const& mix, budget limits, Estimator const& count = {},
                           Options const& options = {}) {
    static_assert(detail::check_call<History, Estimator>());
    reduction<History, Estimator, detail::pipeline_of<Mix>::size> reduced{history, count, limits, options};
    reduced.run(detail::as_pipeline(mix), options, true);
    return reduced;
}

}  // namespace v1
}  // namespace condense
