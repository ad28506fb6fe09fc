// SPDX-License-Identifier: BSL-1.0
// The views of adapt/ranges.hpp.

#include "compile_fail/common.hpp"

#include <istream>
#include <ranges>

#include <range/v3/view/transform.hpp>

#include <condense/adapt/json.hpp>
#include <condense/adapt/ranges.hpp>

// window_of_a_number: `100_messages` -> `100`
//   condense: views.window: the count must be in messages, such as 100_messages (see messages)
auto windowed(talk const& history) { return (history | views::window(100_messages)).size(); }

// views_of_document: `*messages_of(document)` -> `document`
//   condense: views: a document must be given as the array of its messages (see messages_of)
auto windowed_document(nlohmann::json& document) { return (*messages_of(document) | views::window(8_messages)).size(); }

// newest_within_a_number: `20'000_tokens` -> `20'000`
//   condense: views.newest_within: the limit must be in tokens, such as 20'000_tokens, or a budget (see tokens)
auto newest(talk const& history) { return (history | views::newest_within(20'000_tokens)).size(); }

// newest_within_by_a_size: `cost::of({text.size()})` -> `text.size()`
//   condense: views.newest_within: the estimator must take a text and give a cost (see token_estimator)
auto newest_by_bytes(talk const& history) {
    auto const count = [](std::string_view text) { return cost::of({text.size()}); };
    return (history | views::newest_within(9_tokens, count)).size();
}

// views_of_non_messages: `chat_message` -> `int`
//   condense: views: the elements of the history must be messages: give message_traits role_of and each_part (see
//   message)
auto newest_of(std::vector<chat_message> const& history) { return (history | views::newest_within(100_tokens)).size(); }

// views_of_made_messages: `m; }` -> `chat_message{m}; }`
//   condense: views: the elements of the history must be there to be referred to, not made when read (see message)
auto grouped(talk const& all) {
    auto const history = all | ranges::views::transform([](auto const& m) -> decltype(auto) { return m; });
    return (history | views::groups).size();
}

// views_of_single_pass: `(history` -> `(lines`
//   condense: views: the history must be a range that can be walked again and again (see message)
auto grouped_lines(talk const& history, std::istream& input) {
    auto const lines = std::views::istream<char>(input);
    return (history | views::groups).size();
}

// views_of_temporary_history: `(history` -> `(talk{}`
//   condense: views: the history must outlive the view: give a container that has a name, or a view (see message)
auto grouped_talk(talk const& history) { return (history | views::groups).size(); }

// view_of_history: `dry_run(history, pipeline{sliding_window{}}, {})` -> `history`
//   condense: views.of: what is given must be a reduction, as dry_run, draft, or reduce of a const history makes it
//   (see reduction)
auto viewed(talk const& history) { return views::of(dry_run(history, pipeline{sliding_window{}}, {})).size(); }

// view_of_made_history: `m; }` -> `chat_message{m}; }`
//   condense: views.of: the elements of the history must be there to be referred to, not made when read (see message)
auto viewed_parts(talk const& all) {
    auto const history = all | std::views::transform([](auto const& m) -> decltype(auto) { return m; });
    return views::of(dry_run(history, pipeline{sliding_window{}}, {})).size();
}
