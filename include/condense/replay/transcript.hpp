// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/message.hpp>
#include <condense/core/reduce.hpp>

// A conversation to replay: transcript<my_message>{.name = "ticket 12", .messages = messages}, or any
// container of messages.

namespace condense {
inline namespace v1 {

/// A recorded conversation, in order, as it was before anything was reduced.
template <message Message>
struct transcript {
    std::string name = {};
    std::vector<Message> messages = {};

    friend bool operator==(transcript const&, transcript const&) = default;
};
template <message Message>
transcript(std::string, std::vector<Message>) -> transcript<Message>;

namespace detail {

/// transcript<Message>, or any type with a name and messages like it.
template <class Transcript>
concept named_transcript = requires(Transcript const& conversation) {
    { conversation.name } -> std::convertible_to<std::string_view>;
    conversation.messages.begin();
};

/// The messages of a transcript; a container of messages is its own.
template <class Transcript>
constexpr auto const& messages_of_transcript(Transcript const& conversation) {
    if constexpr (named_transcript<Transcript>) return conversation.messages;
    else return conversation;
}
/// Its own name, or its position among the others, from 1.
template <class Transcript>
std::string name_of_transcript(Transcript const& conversation, std::size_t position) {
    if constexpr (named_transcript<Transcript>) return std::string{std::string_view{conversation.name}};
    else return std::to_string(position);
}

/// The message type of a container.
template <class Messages>
using message_in = std::remove_cvref_t<decltype(*std::declval<Messages const&>().begin())>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
