// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <condense/detail/unset.hpp>
#include <condense/session/observer.hpp>

// One line for each event: log_observer{.to = [](std::string_view line) { std::cerr << line << '\n'; }}.

namespace condense {
inline namespace v1 {

/// Calls `to` with the text of every event: one line without its break, no control characters, at most events::longest
/// bytes. The view is valid during the call. Costs an allocation an event.
template <class To = detail::unset>
struct log_observer {
    To to = detail::slot_default<To>();

    static_assert(
        !std::same_as<To, detail::unset> && std::invocable<To const&, std::string_view>,
        "condense: log_observer: `to` must be callable, while const, with a std::string_view (see log_observer)");

    template <class Event>
        requires requires(Event const& event) {
            { event.text() } -> std::same_as<std::string>;
        }
    void operator()(Event const& event) const {
        auto const line = event.text();
        static_cast<void>(to(std::string_view{line}));
    }
};

}  // namespace v1
}  // namespace condense
