// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/part.hpp>
#include <condense/core/utf8_text.hpp>
#include <condense/detail/callable_ref.hpp>

// How the library reads and, where a layer needs it, writes the user's own message type. This is the only header that
// names message_traits; everything else uses the verbs below.

namespace condense {
inline namespace v1 {

/// Specialise it for a message type, or nest the same members as `condense_traits` in the type.
///
/// Required: `role_of(m) -> role`, `each_part(m, sink)` which calls `sink(part_view)` for each part.
/// To shorten: `with_part(m, index, text) -> M`, index in each_part order, all other parts unchanged, or `m` itself
/// where the text cannot be written there; optionally `without_part(m, index) -> M`. Either may return void and change
/// an `M&` in place, which is the library's copy; with_part may be overloaded for both, the one for `M&` being for
/// further edits. For messages of many parts `with_edits(m, edits)`, see part_edit. To write summaries: `make(role,
/// text) -> M`, or `make(role, text, neighbour) -> M`, in the form of another message of the conversation. To answer
/// dead calls: `make_result(m, call, text) -> M`, the message with the result of a call of `m`; where finding the call
/// is a search, a fourth parameter of type std::size_t, with a default, says which part it is. To be recorded:
/// `to_bytes(m) -> std::string`, and `from_bytes(bytes) -> M` or `std::optional<M>`, which is empty for bytes that are
/// not a message, or `from_bytes(m, bytes) -> bool` into a default-constructed `M&`. JSON on one line is the most
/// readable. Optional: `name_of(m)`, `pinned(m)`, `joins_previous(m)`, or `joins_previous(m, role)` with the role of
/// the message before (for messages that may not be separated, such as the steps of a thinking loop), `append(m, next)
/// -> bool` (adds to `m` what `next` holds, so that a template that wants roles to alternate gets one message; false,
/// and `m` unchanged, where that cannot be), `mark_of(m)` and `set_mark(m, text)` (a small string by which later runs
/// recognise earlier work). All are static. An exception that one of them throws while a layer runs fails that layer;
/// any other reaches the caller and leaves the history as it was.
template <class Message>
struct message_traits;

/// One of several edits of a message: the text that a part gets, or its removal. `with_edits(M& m,
/// std::vector<part_edit> const& edits)`, with indices ascending in each_part order, does what with_part would do for
/// each text, then without_part for each removal, results last. For messages of many parts, which cost the square of
/// their number where each edit alone costs a walk. Whether a part takes a text must not depend on other edits, nor,
/// unless it is the part's own, on the text.
struct part_edit {
    std::size_t index = 0;
    bool removed = false;
    std::string_view text = {};
};

namespace detail {

// The traits of a type: a specialisation of message_traits first, else those nested in it.

template <class Message>
concept specialises = requires { sizeof(message_traits<Message>); };

template <class Message>
concept nests = requires { typename Message::condense_traits; };

template <class Message>
struct find_traits {};
template <specialises Message>
struct find_traits<Message> {
    using type = message_traits<Message>;
};
template <class Message>
    requires(!specialises<Message> && nests<Message>)
struct find_traits<Message> {
    using type = typename Message::condense_traits;
};

template <class Message>
using traits_of = typename find_traits<Message>::type;

/// A callback for parts: any callable with this argument.
using view_sink = callable_ref<void(part_view const&)>;

template <class Message>
concept has_role = requires(Message const& m) {
    { traits_of<Message>::role_of(m) } -> std::same_as<role>;
};
template <class Message>
concept has_parts = requires(Message const& m, view_sink sink) { traits_of<Message>::each_part(m, sink); };

/// with_part returns a copy with the text.
template <class Message>
concept replaces_in_copy = requires(Message const& m, std::size_t index, std::string text) {
    { traits_of<Message>::with_part(m, index, std::move(text)) } -> std::same_as<Message>;
};
/// with_part changes the message that it is given. A function that accepts a const message for that cannot do so.
template <class Message>
concept replaces_in_place =
    std::copy_constructible<Message> && requires(Message& m, std::size_t index, std::string text) {
        { traits_of<Message>::with_part(m, index, std::move(text)) } -> std::same_as<void>;
    } && (replaces_in_copy<Message> || !requires(Message const& m, std::size_t index, std::string text) {
        traits_of<Message>::with_part(m, index, std::move(text));
    });
template <class Message>
concept removes_in_place = std::copy_constructible<Message> && requires(Message& m, std::size_t index) {
    { traits_of<Message>::without_part(m, index) } -> std::same_as<void>;
} && !requires(Message const& m, std::size_t index) { traits_of<Message>::without_part(m, index); };
template <class Message>
concept reads_in_place = std::default_initializable<Message> && std::move_constructible<Message> &&
                         requires(Message& m, std::string_view bytes) {
                             { traits_of<Message>::from_bytes(m, bytes) } -> std::same_as<bool>;
                         };

}  // namespace detail

/// Its traits have role_of and each_part, so that it can be read, dropped and counted.
template <class Message>
concept message = detail::has_role<Message> && detail::has_parts<Message>;

/// Its traits have with_part: a copy with one part's text replaced can be made.
template <class Message>
concept shortenable = message<Message> && (detail::replaces_in_place<Message> || detail::replaces_in_copy<Message>);

/// Its traits have make: a message can be written from a role and a text, as summaries are.
template <class Message>
concept composable = message<Message> && requires(role speaker, std::string text) {
    { detail::traits_of<Message>::make(speaker, std::move(text)) } -> std::same_as<Message>;
};

/// Its traits have make_result: the result of one of its calls can be written; `call` is the part as each_part shows
/// it.
template <class Message>
concept answerable = message<Message> && requires(Message const& m, part_view const& call, std::string text) {
    { detail::traits_of<Message>::make_result(m, call, std::move(text)) } -> std::same_as<Message>;
};

/// Its traits have to_bytes and from_bytes: it can be written to a journal and read back unchanged.
template <class Message>
concept storable = message<Message> && requires(Message const& m) {
    { detail::traits_of<Message>::to_bytes(m) } -> std::convertible_to<std::string>;
} && (detail::reads_in_place<Message> || requires(std::string_view bytes) {
                       { detail::traits_of<Message>::from_bytes(bytes) } -> std::convertible_to<std::optional<Message>>;
                   });

namespace detail {

/// Parts can be removed, in place or in a copy.
template <class Message>
concept part_removable =
    shortenable<Message> && (removes_in_place<Message> || requires(Message const& m, std::size_t index) {
        { traits_of<Message>::without_part(m, index) } -> std::same_as<Message>;
    });

/// Several edits can be done at once, in place.
template <class Message>
concept edits_together =
    part_removable<Message> && std::copy_constructible<Message> &&
    requires(Message& m, std::vector<part_edit> const& edits) { traits_of<Message>::with_edits(m, edits); };

/// Marks can be read and written.
template <class Message>
concept markable = message<Message> && requires(Message& m, Message const& read, std::string_view mark) {
    { traits_of<Message>::mark_of(read) } -> std::convertible_to<std::string_view>;
    traits_of<Message>::set_mark(m, mark);
};

// The verbs, as function objects, so that they are found without argument-dependent lookup. Those for an optional
// member of the traits return its default where it is missing.

struct role_of_fn {
    template <message Message>
    constexpr role operator()(Message const& m) const {
        return traits_of<Message>::role_of(m);
    }
};

struct each_part_fn {
    template <message Message>
    void operator()(Message const& m, view_sink sink) const {
        traits_of<Message>::each_part(m, sink);
    }
    /// For the two places in which drafts and outlines read messages: compiled anew for the sink, one call less a part.
    template <message Message, class Sink>
    static constexpr void inlined(Message const& m, Sink&& sink) {
        traits_of<Message>::each_part(m, sink);
    }
};

struct with_part_fn {
    template <shortenable Message>
    constexpr Message operator()(Message const& m, std::size_t index, std::string text) const {
        if constexpr (replaces_in_copy<Message>) return traits_of<Message>::with_part(m, index, std::move(text));
        else {
            Message copy(m);
            traits_of<Message>::with_part(copy, index, std::move(text));
            return copy;
        }
    }
};

struct with_edits_fn {
    template <edits_together Message>
    constexpr void operator()(Message& m, std::vector<part_edit> const& edits) const {
        traits_of<Message>::with_edits(m, edits);
    }
};

struct without_part_fn {
    template <part_removable Message>
    constexpr Message operator()(Message const& m, std::size_t index) const {
        if constexpr (removes_in_place<Message>) {
            Message copy(m);
            traits_of<Message>::without_part(copy, index);
            return copy;
        } else return traits_of<Message>::without_part(m, index);
    }
};

struct make_result_fn {
    template <answerable Message>
    constexpr Message operator()(Message const& m, part_view const& call, std::string text,
                                 std::size_t index = 0) const {
        if constexpr (requires {
                          { traits_of<Message>::make_result(m, call, std::move(text), index) } -> std::same_as<Message>;
                      })
            return traits_of<Message>::make_result(m, call, std::move(text), index);
        else return traits_of<Message>::make_result(m, call, std::move(text));
    }
};

struct to_bytes_fn {
    template <storable Message>
    constexpr std::string operator()(Message const& m) const {
        return traits_of<Message>::to_bytes(m);
    }
};

struct is_pinned_fn {
    template <message Message>
    constexpr bool operator()(Message const& m) const {
        if constexpr (requires {
                          { traits_of<Message>::pinned(m) } -> std::convertible_to<bool>;
                      })
            return traits_of<Message>::pinned(m);
        else {
            static_assert(
                !requires { &traits_of<Message>::pinned; },
                "condense: message_traits: pinned must be static, take a message and give bool (see message_traits)");
            return false;
        }
    }
};

struct joins_previous_fn {
    template <message Message>
    constexpr bool operator()(Message const& m, role previous = role::assistant) const {
        if constexpr (requires {
                          { traits_of<Message>::joins_previous(m, previous) } -> std::convertible_to<bool>;
                      })
            return traits_of<Message>::joins_previous(m, previous);
        else if constexpr (requires {
                               { traits_of<Message>::joins_previous(m) } -> std::convertible_to<bool>;
                           })
            return traits_of<Message>::joins_previous(m);
        else {
            static_assert(
                !requires { &traits_of<Message>::joins_previous; },
                "condense: message_traits: joins_previous must be static, take a message and give bool (see "
                "message_traits)");
            return false;
        }
    }
};

struct mark_of_fn {
    template <message Message>
    constexpr std::string operator()(Message const& m) const {
        if constexpr (requires {
                          { traits_of<Message>::mark_of(m) } -> std::convertible_to<std::string_view>;
                      })
            return std::string{std::string_view{traits_of<Message>::mark_of(m)}};
        else return {};
    }
};

struct name_of_fn {
    template <message Message>
    constexpr std::string operator()(Message const& m) const {
        if constexpr (requires {
                          { traits_of<Message>::name_of(m) } -> std::convertible_to<std::string_view>;
                      })
            return std::string{std::string_view{traits_of<Message>::name_of(m)}};
        else return {};
    }
};

struct set_mark_fn {
    template <markable Message>
    constexpr void operator()(Message& m, std::string_view mark) const {
        traits_of<Message>::set_mark(m, mark);
    }
};

}  // namespace detail

/// `role_of(m)`: the role of its author.
inline constexpr detail::role_of_fn role_of{};
/// `each_part(m, sink)`: calls sink(part_view) for each part; the views are valid only during that call.
inline constexpr detail::each_part_fn each_part{};
/// `with_part(m, index, text)`: a copy with the text of one part replaced.
inline constexpr detail::with_part_fn with_part{};
/// `without_part(m, index)`: a copy without one part, whose followers move up.
inline constexpr detail::without_part_fn without_part{};
/// `with_edits(m, edits)`: does several edits of one message in place.
inline constexpr detail::with_edits_fn with_edits{};
/// `make_result(m, call, text, index)`: a new message with the result of a call of `m`, which is its part `index`.
inline constexpr detail::make_result_fn make_result{};
/// `to_bytes(m)`: its bytes for a journal.
inline constexpr detail::to_bytes_fn to_bytes{};
/// `is_pinned(m)`: pinned by its traits; false where they do not say.
inline constexpr detail::is_pinned_fn is_pinned{};
/// `joins_previous(m, previous)`: it is kept and dropped with the message before it, which has this role; false where
/// its traits do not say.
inline constexpr detail::joins_previous_fn joins_previous{};
/// `mark_of(m)`: the mark of an earlier run; empty without one.
inline constexpr detail::mark_of_fn mark_of{};
/// `name_of(m)`: its author's name; empty without one.
inline constexpr detail::name_of_fn name_of{};
/// `set_mark(m, text)`: writes a mark into the message.
inline constexpr detail::set_mark_fn set_mark{};

/// A message of the bytes that to_bytes gave; nothing where they are not a message of this type.
template <storable Message>
constexpr std::optional<Message> from_bytes(std::string_view encoded) {
    if constexpr (detail::reads_in_place<Message>) {
        std::optional<Message> result{std::in_place};
        if (!detail::traits_of<Message>::from_bytes(*result, encoded)) result.reset();
        return result;
    } else return detail::traits_of<Message>::from_bytes(encoded);
}

namespace detail {

/// New messages take their form from another message of the conversation.
template <class Message>
concept composable_like = composable<Message> && requires(role speaker, std::string text, Message const& neighbour) {
    { traits_of<Message>::make(speaker, std::move(text), neighbour) } -> std::same_as<Message>;
};

/// What a message holds can be added to another.
template <class Message>
concept appendable = std::copy_constructible<Message> && requires(Message& m, Message const& next) {
    { traits_of<Message>::append(m, next) } -> std::same_as<bool>;
};

struct make_fn {
    template <composable Message>
    static constexpr Message make(role speaker, std::string text) {
        return traits_of<Message>::make(speaker, std::move(text));
    }
    template <composable_like Message>
    static constexpr Message make(role speaker, std::string text, Message const& neighbour) {
        return traits_of<Message>::make(speaker, std::move(text), neighbour);
    }
};

struct append_fn {
    template <appendable Message>
    static constexpr bool append(Message& m, Message const& next) {
        return traits_of<Message>::append(m, next);
    }
};

/// Reads a member through a pointer to data or function, or through a callable.
template <auto Member, class Message>
constexpr decltype(auto) project(Message& m) {
    if constexpr (std::is_member_object_pointer_v<decltype(Member)>) return (m.*Member);
    else if constexpr (std::is_member_function_pointer_v<decltype(Member)>) return (m.*Member)();
    else return Member(m);
}

/// Accepts a condense::role as it is, and strings by role_named.
template <class Value>
constexpr role as_role(Value const& value) {
    if constexpr (std::same_as<Value, role>) return value;
    else {
        static_assert(utf8_text<Value>,
                      "condense: role_and_text: the role must be a condense::role or a string (see message)");
        return role_named(as_utf8(value));
    }
}

/// A data member that takes a text.
template <class Message, auto Member>
concept writable_member = assignable_utf8_text<std::remove_reference_t<decltype(std::declval<Message&>().*Member)>>;

/// The class of a pointer to a member; void for a callable, so that `make` is absent.
template <class Member>
struct owner_of {
    using type = void;
};
template <class Owner, class Value>
struct owner_of<Value Owner::*> {
    using type = Owner;
};

}  // namespace detail

/// A one-line adapter for a message of a role and a text:
/// `struct condense::message_traits<my_message> : condense::role_and_text<&my_message::role, &my_message::text> {};`
/// Role and Text are pointers to members, or callables on the message; strings may be std::string, std::u8string or
/// std::pmr::string, or views. A message with role tool is read as a tool result without an id; an empty text is no
/// part. With pointers to data members it can also be shortened and composed.
template <auto Role, auto Text>
struct role_and_text {
    template <class Message>
    static constexpr role role_of(Message const& m) {
        return detail::as_role<std::remove_cvref_t<decltype(detail::project<Role>(m))>>(detail::project<Role>(m));
    }

    template <class Message, class Sink>
    static constexpr void each_part(Message const& m, Sink&& sink) {
        auto&& text = detail::project<Text>(m);
        static_assert(utf8_text<std::remove_cvref_t<decltype(text)>>,
                      "condense: role_and_text: the text must be UTF-8, such as a std::string or std::u8string (see "
                      "message)");
        auto const view = as_utf8(text);
        if (!view.empty())
            sink(part_view{.kind = role_of(m) == role::tool ? part_kind::tool_result : part_kind::text, .text = view});
    }

    template <class Message>
        requires std::copy_constructible<Message> && std::is_member_object_pointer_v<decltype(Text)> &&
                 detail::writable_member<Message, Text>
    static constexpr Message with_part(Message const& m, std::size_t, std::string text) {
        Message shorter(m);
        assign_utf8(shorter.*Text, std::move(text));
        return shorter;
    }

    template <class Message = typename detail::owner_of<decltype(Text)>::type>
        requires std::default_initializable<Message> && detail::writable_member<Message, Text> &&
                 (std::assignable_from<decltype(std::declval<Message&>().*Role), role> ||
                  detail::writable_member<Message, Role>)
    static constexpr Message make(role speaker, std::string text) {
        Message result{};
        if constexpr (std::assignable_from<decltype(result.*Role), role>) result.*Role = speaker;
        else assign_utf8(result.*Role, std::string{name(speaker)});
        assign_utf8(result.*Text, std::move(text));
        return result;
    }
};

}  // namespace v1
}  // namespace condense
