// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/layer_run.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/index_iterator.hpp>
#include <condense/detail/sort.hpp>

// What run_options::before_drop is given: the messages that a run is about to take out, as they were first pushed, so
// that a program can remember what they say: [](auto const& leaving) { for (auto const& m : leaving) … }.

namespace condense {
inline namespace v1 {

/// A range of `Message const&` in the order of the conversation: whole groups that are dropped or summarised, without
/// summaries that the library knows. Refers to the conversation and to the run: valid during the call of the hook.
template <class Message>
class leaving_messages {
public:
    /// What a run makes it of: `at` by position, the others of its options.
    leaving_messages(std::vector<std::uint32_t> const& numbers, detail::callable_ref<Message const&(std::size_t)> at,
                     detail::callable_ref<void(std::string&)> redact, detail::callable_ref<bool()> stop,
                     detail::callable_ref<instant()> clock, std::string_view conversation) noexcept
        : numbers_{&numbers}, at_{at}, redact_{redact}, stop_{stop}, clock_{clock}, conversation_{conversation} {}

    std::size_t size() const noexcept { return numbers_->size(); }
    bool empty() const noexcept { return size() == 0; }
    Message const& operator[](std::size_t index) const { return at_(index); }
    using iterator = detail::index_iterator<leaving_messages, (&leaving_messages::operator[])>;
    iterator begin() const noexcept { return {*this, 0}; }
    iterator end() const noexcept { return {*this, size()}; }
    /// The number of the message at `index` in its conversation.
    sequence number(std::size_t index) const noexcept { return {(*numbers_)[index]}; }

    /// The id in the options.
    std::string_view conversation() const noexcept { return conversation_; }
    /// Takes secrets out of a text that is to leave the program, by run_options::redact; reports count them. To be
    /// called before a text is cut, as half a secret is not recognised.
    void redact(std::string& text) const { redact_(text); }
    bool stop_requested() const { return stop_(); }
    /// By the clock of the options.
    instant now() const { return clock_(); }

private:
    std::vector<std::uint32_t> const* numbers_;
    detail::callable_ref<Message const&(std::size_t)> at_;
    detail::callable_ref<void(std::string&)> redact_;
    detail::callable_ref<bool()> stop_;
    detail::callable_ref<instant()> clock_;
    std::string_view conversation_;
};

namespace detail {

/// False for the default. A hook whose type is hidden says itself whether it is one, by `active`.
template <class Hook>
inline constexpr bool may_hear_drops = !std::same_as<std::remove_cvref_t<Hook>, no_before_drop>;
template <class Hook>
constexpr bool hears_drops(Hook const& hook) noexcept {
    if constexpr (requires { hook.active; }) return hook.active;
    else return may_hear_drops<Hook>;
}

/// Calls the hook, and makes a failure of whatever it returns.
template <class Hook, class Message>
failed call_before_drop(Hook const& hook, leaving_messages<Message> const& leaving) {
    static_assert(std::invocable<Hook const&, leaving_messages<Message> const&>,
                  "condense: run_options: before_drop must be callable, while const, with the messages that leave (see "
                  "leaving_messages)");
    using result_type = decltype(hook(leaving));
    if constexpr (std::is_void_v<result_type>) return hook(leaving), failed{};
    else {
        auto const result = hook(leaving);
        static_assert(
            requires { std::string_view{result.reason}; },
            "condense: run_options: before_drop must return nothing, or a condense::failed or a "
            "condense::store_error (see leaving_messages)");
        return {std::string_view{result.reason}};
    }
}

/// The numbers of the messages of groups that steps of the run have taken out, ascending, without released ones and
/// earlier summaries. Costs the steps of the run and what they took out.
template <class Draft>
std::vector<std::uint32_t> numbers_leaving(Draft const& draft, std::size_t mark) {
    std::vector<std::uint32_t> numbers;
    auto const& edits = draft.edits();
    for (auto index = mark, end = edits.steps().size(); index < end; ++index) {
        auto const& step = edits.steps()[index];
        group const which{step.target};
        if (step.on_part || step.kind != edit_kind::drop || which.is_summary() || !edits.in_force(index) ||
            draft.outline().group_at(which.id()).summary)
            continue;
        draft.each_member(which, [&](std::uint32_t number) {
            if (!draft.outline().message_at(number).released) numbers.push_back(number);
        });
    }
    sort(numbers, [](std::uint32_t left, std::uint32_t right) { return left < right; });
    return numbers;
}

/// Calls run_options::before_drop with what the run takes out, unless it is nothing. A failure is for the report alone;
/// a cancellation is thrown, and a request to stop noted in the run.
template <class Run>
before_drop_report tell_leaving(Run& run) {
    before_drop_report result;
    if constexpr (may_hear_drops<decltype(run.options.before_drop)>) {
        auto const& hook = run.options.before_drop;
        if (run.dry || !hears_drops(hook)) return result;
        auto const numbers = numbers_leaving(run.draft, run.first_step);
        if (numbers.empty()) return result;
        result.messages = {numbers.size()};
        auto const act = [&] {
            using message_type = typename std::remove_reference_t<decltype(run.draft)>::message_type;
            // Histories that give messages by value give them once, as the hook refers to them.
            constexpr bool refers = std::is_lvalue_reference_v<decltype(run.draft.message_at(sequence{}))>;
            std::vector<message_type> copies;
            if constexpr (!refers)
                for (auto const number : numbers) copies.push_back(run.draft.message_at(sequence{number}));
            auto const at = [&](std::size_t index) -> message_type const& {
                if constexpr (refers) return run.draft.message_at(sequence{numbers[index]});
                else return copies[index];
            };
            auto const redact = [&](std::string& text) {
                if constexpr (may_redact<decltype(run.options.redact)>)
                    result.redactions += redacts(run.options.redact) ? rewrite_texts(text, run.options.redact) : 0;
                else static_cast<void>(text);
            };
            auto const stop = [&] { return run.options.stop.stop_requested(); };
            auto const clock = [&] { return run.options.clock(); };
            leaving_messages<message_type> const leaving{numbers, at, redact, stop, clock, run.options.conversation};
            auto const problem = call_before_drop(hook, leaving);
            result.failure = redacted_note<96>(run.options.redact, problem.reason);
        };
        guarded(run, act, [&](std::string_view reason) {
            result.failure = redacted_note<96>(run.options.redact, reason);
            if (result.failure.empty()) result.failure = "before_drop threw";
        });
        static_cast<void>(poll_stop(run));
    }
    return result;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
