// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/draft.hpp>
#include <condense/core/engine.hpp>
#include <condense/core/estimator.hpp>
#include <condense/core/pipeline.hpp>
#include <condense/core/render.hpp>
#include <condense/detail/scope_exit.hpp>
#include <condense/detail/source.hpp>

// The one call: reduce(history, mix, {.window = 200'000_tokens}). A history that can be changed is changed, completely
// or not at all; a const one gives a reduction to walk.

namespace condense {
inline namespace v1 {
namespace detail {

/// A document with messages inside that is itself a range of something else, such as a JSON object.
template <class History>
inline constexpr bool is_document = false;
/// What gives a history when dereferenced, such as the result of messages_of; not a history itself.
template <class History>
inline constexpr bool holds_history = false;

}  // namespace detail

/// A history as a run left it: the untouched originals, and the edits in force on them. Messages are rendered on
/// demand. Refers to the history, which must outlive it and must not change meanwhile.
template <detail::history History, token_estimator Estimator, std::size_t Layers>
class reduction {
    using source_type = detail::source<History>;

public:
    using message_type = typename source_type::message_type;
    static_assert(v1::message<message_type>,
                  "condense: reduce: the elements of the history must be messages: give message_traits role_of and "
                  "each_part (see message)");

    static_assert(!detail::is_document<std::remove_const_t<History>>,
                  "condense: reduce: a document must be given as the array of its messages (see messages_of)");

    /// Reads every message once and counts its tokens.
    template <class Options>
    reduction(History& history, Estimator const& estimator, budget limits, Options const& options)
        : source_(history), estimator_(estimator), limits_{limits}, marks_{options.marks} {
        edits_.note_sent(options.sent.count);
        edits_.bind(outline_, options.bound == bound_parts::leave);
        outline_.expect(source_.size());
        edits_.expect(source_.size());
        for (std::size_t index = 0; index < source_.size(); ++index) {
            auto&& m = source_[index];
            edits_.reserve_message(
                outline_.read(m, estimator_, {.marks = marks_, .pinned = detail::pins(options, sequence{index}, m)}));
            edits_.on_message_placed(outline_, outline_.place());
        }
    }

    /// Runs the pipeline, once. If it throws, the edits are rolled back and the reduction shows the history as it is.
    template <class Mix, class Options>
    void run(Mix const& mix, Options const& options, bool dry, detail::run_kind kind = detail::run_kind::walk) {
        auto rollback = detail::rollback_on_exit(outline_, edits_);
        typename Mix::memory memories{};
        v1::draft draft{source_, outline_, edits_, estimator_, limits_};
        auto const sums = edits_.sums();
        request_count const count{
            .counted = sums.cost, .messages = sums.messages, .overhead = v1::cost::of(limits_.overhead)};
        auto const as_expected = detail::calibration_scope(
            edits_, count.total().tokens(), detail::corrected(estimator_, count).tokens(), limits_.overhead);
        report_ = detail::run_pipeline(mix, memories, draft, options, dry, kind);
        recorded_ = !dry && detail::properties_of<Mix>().journals;
        // Messages for which the estimator gives nothing: usage is not known, which reports must not show as 0.
        if (sums.cost == v1::cost{} && sums.messages != 0)
            report_.before.source = report_.after.source = usage_source::none;
        rollback.release();
    }

    v1::report<Layers> const& report() const noexcept { return report_; }
    v1::outline const& outline() const noexcept { return outline_; }
    view const& edits() const noexcept { return edits_; }
    usage used() const noexcept { return report_.after; }
    bool fits() const noexcept { return report_.fits(); }

    /// Calls f(message const&) for each message to send, in order. Those that are not in the history are rendered for
    /// the call and live only that long.
    template <class Function>
    void each(Function&& f) const {
        auto const rendered = [&](message_type const& m) { f(m); };
        each_place([&](std::uint32_t index) { f(source_[index]); }, rendered);
    }

    /// Calls unchanged(index) for each message to send as it is, rendered(message&&) for each other, in order.
    template <class Unchanged, class Rendered>
    void each_place(Unchanged&& unchanged, Rendered&& rendered) const {
        auto const made = [&](sent_place, message_type&& m) { rendered(std::move(m)); };
        detail::render_into<message_type>(source_, outline_, edits_, marks_, unchanged, made);
    }

    /// Calls f(sent_place) for each message to send, in order, and renders none.
    template <class Function>
    void each_sent(Function&& f) const {
        detail::each_place(outline_, edits_, f);
    }

    /// Calls f(truncation const&) for each part that a layer has cut: the run's audit trail. Reads the texts.
    template <class Function>
    void each_truncation(Function&& f) const {
        detail::each_truncation(source_, outline_, edits_, 0, report_.layers, recorded_, f);
    }

    /// Renders the message of a place whose kind is not `kept`.
    message_type make(sent_place place) const {
        detail::part_copies copies;
        return detail::render_place<message_type>(source_, outline_, edits_, place, marks_, copies);
    }

    /// The original of a message, as the history gives it.
    decltype(auto) original(std::uint32_t index) const { return source_[index]; }

private:
    source_type source_;
    Estimator estimator_;
    budget limits_;
    v1::outline outline_;
    view edits_;
    v1::report<Layers> report_;
    bool marks_ = false;
    bool recorded_ = false;
};

namespace detail {

// The two ways to change a history without losing a message: move the messages within it and erase the rest, or fill
// another one and swap.

template <class History>
concept erasable =
    !std::is_const_v<History> && std::is_nothrow_move_assignable_v<element_of<History>> &&
    std::is_nothrow_move_constructible_v<element_of<History>> &&
    std::same_as<decltype(*ranges_access::begin_of(std::declval<History&>())), element_of<History>&> &&
    requires(History& history) { history.erase(ranges_access::begin_of(history), ranges_access::end_of(history)); };

template <class History>
concept refillable =
    !std::is_const_v<History> && std::default_initializable<History> && std::is_nothrow_swappable_v<History> &&
    std::is_nothrow_move_constructible_v<element_of<History>> &&
    requires(History& history, element_of<History>&& m) { history.push_back(std::move(m)); } &&
    (std::copy_constructible<element_of<History>> || requires(History& history) { history.reserve(std::size_t{}); });

}  // namespace detail

/// A history that `reduce` can change. Either it has erase, and its messages move without throwing; or it can be filled
/// by push_back and swapped without throwing, where it has reserve or its messages can be copied, so that a failure
/// halfway loses nothing.
template <class History>
concept committable = detail::history<History> && (detail::erasable<History> || detail::refillable<History>);

namespace detail {

/// The changes to a history, with all new messages rendered: everything that can fail happens here, before the history
/// is touched.
template <class Message, class Reduction>
struct prepared {
    struct change {
        std::uint32_t index = 0;
        bool keeps = false;  ///< the message stays as it is; `created` is unused
        std::size_t created = 0;  ///< index of the new message
    };
    std::vector<change> plan;  ///< one for each message to send, from message `first` on
    std::vector<Message> created;  ///< the new messages, in order
    std::uint32_t first = 0;  ///< messages before it stay where they are
    std::size_t size = 0;  ///< of the history
    bool in_place = true;  ///< every kept message moves toward the front or not at all, so that one pass will do

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
                plan.push_back({.created = created.size()});
                created.push_back(std::move(next));
            });
    }
};

/// Appends the first `count` of the new messages to the history, all or none: the only step of a change that can fail,
/// needed where the result is longer than the history.
template <class History, class Message>
void append_created(History& history, std::vector<Message>& created, std::size_t size, std::size_t count) {
    if constexpr (requires { history.push_back(std::move(created.front())); }) {
        scope_exit undo{[&] {
            auto from = ranges_access::begin_of(history);
            std::advance(from, size);
            history.erase(from, ranges_access::end_of(history));
        }};
        for (std::size_t index = 0; index < count; ++index) history.push_back(std::move(created[index]));
        undo.release();
    }
}

/// Changes the history in place. Strong guarantee: after append_created nothing throws, as messages only move.
template <erasable History, class Prepared>
void apply(History& history, Prepared& changes) {
    using message_type = element_of<History>;
    // The usual case: every kept message moves toward the front, so one pass does without a buffer.
    if (changes.in_place && changes.first + changes.plan.size() <= changes.size) {
        auto from = ranges_access::begin_of(history);
        std::advance(from, changes.first);
        auto to = from;
        for (auto index = changes.first; auto const& change : changes.plan) {
            if (change.keeps) {
                for (; index != change.index; ++index) ++from;
                if (to != from) *to = std::move(*from);
            } else *to = std::move(changes.created[change.created]);
            ++to;
        }
        history.erase(to, ranges_access::end_of(history));
        return;
    }
    // Otherwise new messages push kept ones back: all are moved out to a buffer in their new order, and back again.
    std::vector<message_type> staged;
    staged.reserve(changes.plan.size());
    auto const rest = changes.size - changes.first;
    auto const more = changes.plan.size() > rest ? changes.plan.size() - rest : 0;
    if (more != 0) append_created(history, changes.created, changes.size, more);
    auto position = ranges_access::begin_of(history);  // nothing below throws
    std::advance(position, changes.first);
    auto to = position;
    auto from = changes.first;
    auto appended = position;
    std::advance(appended, more != 0 ? rest : 0);
    for (auto const& change : changes.plan) {
        if (!change.keeps) {
            auto const in_created = change.created >= more;
            staged.push_back(std::move(in_created ? changes.created[change.created] : *appended));
            if (!in_created) ++appended;
            continue;
        }
        for (; from != change.index; ++from) ++position;
        staged.push_back(std::move(*position));
    }
    for (auto& next : staged) *to++ = std::move(next);
    history.erase(to, ranges_access::end_of(history));
}

template <refillable History, class Prepared>
    requires(!erasable<History>)
void apply(History& history, Prepared& changes) {
    History refilled;
    // Without reserve a push_back may fail halfway. Messages are then copied, so that the old history stays intact.
    constexpr bool reserves = requires { refilled.reserve(std::size_t{}); };
    auto const take = [](auto& m) -> decltype(auto) {
        if constexpr (reserves) return std::move(m);
        else return static_cast<std::remove_reference_t<decltype(m)> const&>(m);
    };
    if constexpr (reserves) refilled.reserve(changes.first + changes.plan.size());
    auto position = ranges_access::begin_of(history);
    std::uint32_t from = 0;
    for (; from != changes.first; static_cast<void>(++from), ++position) refilled.push_back(take(*position));
    for (auto const& change : changes.plan) {
        if (!change.keeps) {
            refilled.push_back(std::move(changes.created[change.created]));
            continue;
        }
        for (; from != change.index; ++from) ++position;
        refilled.push_back(take(*position));
    }
    using std::swap;
    swap(history, refilled);
}

/// Converts from any value, so that a call with a wrong argument finds an overload that says what is wrong.
struct any_value {
    constexpr any_value() = default;
    template <class Value>
    constexpr any_value(Value const&) noexcept {}
};
/// Takes budgets with values of any type, and with the names that other libraries give to the members of theirs.
struct wrong_budget {
    any_value limit, max_tokens, context, context_window, context_limit, max_input, max_input_tokens, window, input,
        reserve, reserved, output, max_output, max_output_tokens, overhead;
};

/// Asserts what every call that takes a history needs, with one sentence for each mistake.
template <class History, class Estimator>
constexpr bool check_call() noexcept {
    static_assert(!holds_history<std::remove_const_t<History>>,
                  "condense: reduce: what messages_of gives must be dereferenced: auto messages = "
                  "messages_of(document); reduce(*messages, ...) (see messages_of)");
    static_assert(history<History> || holds_history<std::remove_const_t<History>>,
                  "condense: reduce: the history must be a range of messages, such as std::vector (see committable)");
    return check_estimator<Estimator>();
}

/// The truncations of a one-shot run, for an observer that takes them. Collected before the history is changed, as they
/// are measured on the originals, and told after it, as is a failure of before_drop, so that an observer that throws
/// cannot stop the change.
template <class Options, class Reduction>
std::vector<truncation> trail_for(Options const&, Reduction const& reduced) {
    std::vector<truncation> all;
    if constexpr (hears<decltype(Options::observer) const, events::truncated>)
        reduced.each_truncation([&](truncation const& entry) { all.push_back(entry); });
    return all;
}
template <class Options>
void tell_trail(Options const& options, std::vector<truncation> const& trail, before_drop_report const& before_drop) {
    if constexpr (hears<decltype(Options::observer) const, events::truncated>)
        for (auto const& entry : trail) static_cast<void>(options.observer(entry));
    if constexpr (hears<decltype(Options::observer) const, events::before_drop_failed>)
        if (!before_drop.failure.empty())
            static_cast<void>(options.observer(events::before_drop_failed{before_drop.messages, before_drop.failure}));
}

}  // namespace detail

/// Reduces the history in place and returns the report. Reads every message once; messages that no layer touched stay
/// the same objects. Strong exception guarantee, but for an observer of truncations, which is told after the change.
template <committable History, class Mix, class Estimator = default_estimator<>, class Options = run_options<>>
auto reduce(History& history, Mix const& mix, budget limits, Estimator const& estimator = {},
            Options const& options = {}) {
    static_assert(detail::check_call<History, Estimator>());
    auto const& layers = detail::as_pipeline(mix);
    static_assert(
        !(Mix::effects & effect::repairs) || requires(detail::element_of<History>&& m) {
            history.push_back(std::move(m));
        }, "condense: reduce: a history into which answers are written must have push_back (see committable)");
    using reduced_type = reduction<History, Estimator, detail::pipeline_of<Mix>::size>;
    reduced_type reduced{history, estimator, limits, options};
    reduced.run(layers, options, false, detail::run_kind::commit);
    auto const trail = detail::trail_for(options, reduced);
    if (reduced.report().changed()) {
        detail::prepared<typename reduced_type::message_type, reduced_type> changes{reduced,
                                                                                    *reduced.report().first_changed};
        detail::apply(history, changes);
    }
    detail::tell_trail(options, trail, reduced.report().before_drop);
    return reduced.report();
}

/// The same for a history that cannot be changed: returns a reduction to walk, which refers to the history.
template <class History, class Mix, class Estimator = default_estimator<>, class Options = run_options<>>
    requires(!committable<History>)
[[nodiscard]] auto reduce(History& history, Mix const& mix, budget limits, Estimator const& estimator = {},
                          Options const& options = {}) {
    static_assert(detail::check_call<History, Estimator>());
    reduction<History, Estimator, detail::pipeline_of<Mix>::size> reduced{history, estimator, limits, options};
    reduced.run(detail::as_pipeline(mix), options, false);
    return reduced;
}

/// Refused at compile time: the result would be lost with a temporary history.
template <class History, class Mix, class Estimator = default_estimator<>, class Options = run_options<>>
    requires(!std::is_reference_v<History>)
report<1> reduce(History&&, Mix const&, budget, Estimator const& = {}, Options const& = {}) {
    static_assert(detail::check_call<History, Estimator>());
    static_assert(!std::same_as<History, History>,
                  "condense: reduce: the history must be a variable, not a temporary (see committable)");
    return {};
}
/// Refused at compile time: calls whose budget has members of other names or types.
template <class History>
report<1> reduce(History&&, detail::any_value, detail::wrong_budget, detail::any_value = {}, detail::any_value = {}) {
    static_assert(!std::same_as<History, History>,
                  "condense: reduce: the budget must be given as .window, .output and .overhead, each in tokens such "
                  "as 200'000_tokens (see budget)");
    return {};
}

/// Hands each message to send to the sink, in order: unchanged ones as the history gives them (a sink may move from a
/// history that is not const), new ones as `Message&&`. For containers that are not committable, and for histories that
/// must stay as they are. Everything of the library that can fail is done before the first call of the sink.
template <class History, class Sink, class Mix, class Estimator = default_estimator<>, class Options = run_options<>>
auto reduce_into(Sink&& sink, History& history, Mix const& mix, budget limits, Estimator const& estimator = {},
                 Options const& options = {}) {
    static_assert(detail::check_call<History, Estimator>());
    using reduced_type = reduction<History, Estimator, detail::pipeline_of<Mix>::size>;
    reduced_type reduced{history, estimator, limits, options};
    reduced.run(detail::as_pipeline(mix), options, false,
                std::is_const_v<History> ? detail::run_kind::walk : detail::run_kind::commit);
    auto const trail = detail::trail_for(options, reduced);
    detail::prepared<typename reduced_type::message_type, reduced_type> changes{reduced, 0};
    for (auto const& change : changes.plan) {
        if (change.keeps) sink(reduced.original(change.index));
        else sink(std::move(changes.created[change.created]));
    }
    detail::tell_trail(options, trail, reduced.report().before_drop);
    return reduced.report();
}

/// A dry run: what `reduce` would do, without calling models, storing or changing the history. Returns a reduction that
/// refers to it.
template <class History, class Mix, class Estimator = default_estimator<>, class Options = run_options<>>
[[nodiscard]] auto dry_run(History& history, Mix const& mix, budget limits, Estimator const& estimator = {},
                           Options const& options = {}) {
    static_assert(detail::check_call<History, Estimator>());
    reduction<History, Estimator, detail::pipeline_of<Mix>::size> reduced{history, estimator, limits, options};
    reduced.run(detail::as_pipeline(mix), options, true);
    return reduced;
}

}  // namespace v1
}  // namespace condense
