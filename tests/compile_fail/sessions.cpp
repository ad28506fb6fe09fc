// SPDX-License-Identifier: BSL-1.0
// Arguments, calls and observers of sessions.

#include "compile_fail/common.hpp"

#include <deque>
#include <list>

// session_of_non_messages: `chat_message` -> `int`
//   condense: session: the elements of the container must be messages: give message_traits role_of and each_part (see
//   message)
// session_over_list: `std::deque` -> `std::list`
//   condense: session: the container must have random access, such as std::vector (see session)
session held{std::deque<chat_message>{}, pipeline{sliding_window{}}, budget{.window = {1'000}}};

// call_copies_delivery: `delivery&` -> `delivery`
//   condense: session.call: the model must take the request, or the request and a condense::delivery& (see reply)
auto called() {
    session calling{talk{}, pipeline{sliding_window{.when = used >= 90_pct}}, budget{.window = 1'000_tokens}};
    return calling.call([](auto const&, delivery&) { return chat_message::assistant("no"); });
}

// release_of_unrecorded: `record{.to = some_journal{}}, ` -> ``
//   condense: session.release: the pipeline must be recoverable, with record before what drops (see recoverable)
auto const recorded_first = pipeline{record{.to = some_journal{}}, sliding_window{}};
auto released(session<talk, std::remove_const_t<decltype(recorded_first)>>& releasing) {
    return releasing.release({7});
}

// log_observer_without_to: `.to = [](std::string_view) {}` -> ``
// log_observer_to_a_counter: `[](std::string_view) {}` -> `[lines = 0](std::string_view) mutable { ++lines; }`
//   condense: log_observer: `to` must be callable, while const, with a std::string_view (see log_observer)
log_observer const logged{.to = [](std::string_view) {}};

// observer_of_nothing: `events::reduced` -> `usage`
//   condense: session: the observer must be callable with an event, such as condense::events::reduced (see
//   event_observer)
struct told {
    void operator()(events::reduced const&) const {}
};
void tell_it(told const& mine) { condense::detail::tell(mine, events::due{}); }

// recent_events_of_none: `recent_events<1>` -> `recent_events<0>`
//   condense: recent_events: the capacity must be 1 to 1,000 (see recent_events)
recent_events<1> seen;
