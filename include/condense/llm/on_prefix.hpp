// SPDX-License-Identifier: BSL-1.0
#pragma once

// A summariser that is asked behind the agent's own request: summarize{.with = on_prefix{client}}.

namespace condense {
inline namespace v1 {

/// The model reads the request as it would be sent next, and one instruction behind it. So the provider's cache pays
/// for the prompt, if system message, tools and settings are those of the agent and no layer before this one has edited
/// anything. The whole request must fit the model's window with the answer; it is not redacted, as the agent's own
/// request is not. A session cannot ask so in the background, nor with
/// `run_options::alternate`.
///
/// `client.ask_after(messages, std::string_view instruction, ask_limits)` is const and returns a text or a
/// reply<std::string>; `messages` is a range of `Message const&`, valid during the call.
template <class Client>
struct on_prefix {
    Client client;

    using asks_behind_request = void;
    friend bool operator==(on_prefix const&, on_prefix const&) = default;
};
template <class Client>
on_prefix(Client) -> on_prefix<Client>;

namespace detail {

template <class Summarizer>
concept asks_behind_request = requires { typename Summarizer::asks_behind_request; };

}  // namespace detail
}  // namespace v1
}  // namespace condense
