// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <condense/core/handles.hpp>
#include <condense/core/part.hpp>
#include <condense/detail/unset.hpp>
#include <condense/shorten/placeholder.hpp>
#include <condense/shorten/text_limit.hpp>

// What makes a value a shortener, and how several become one: first_of(json_sample{}, head_tail{}).
// A shortener says for which kinds of parts it is, and may have a limit of its own, `over`.

namespace condense {
inline namespace v1 {

/// A set of kinds: part_kind::reasoning | part_kind::media.
class part_kinds {
public:
    constexpr part_kinds(part_kind only) noexcept : bits_{bit(only)} {}
    constexpr bool holds(part_kind kind) const noexcept { return (bits_ & bit(kind)) != 0; }
    friend constexpr part_kinds operator|(part_kinds left, part_kinds right) noexcept {
        left.bits_ = static_cast<std::uint8_t>(left.bits_ | right.bits_);
        return left;
    }
    friend constexpr bool operator==(part_kinds, part_kinds) = default;

private:
    static constexpr std::uint8_t bit(part_kind kind) noexcept {
        return static_cast<std::uint8_t>(1u << static_cast<unsigned>(kind));
    }
    std::uint8_t bits_;
};
constexpr part_kinds operator|(part_kind left, part_kind right) noexcept {
    return part_kinds{left} | part_kinds{right};
}

/// How hard to cut, what the marker says of having the rest back, and the limit of the layer: shorteners
/// without one of their own leave texts within it alone.
struct cut {
    unsigned halvings = 0;
    recovery how = {};
    text_limit over = chars{0};
};

/// A callable `s(part_view, cut) -> std::optional<std::string>`: the shorter text, or nothing where it
/// does not apply. Applied to its own output it gives nothing.
template <class Shortener>
concept text_shortener = requires(Shortener const& shorten, part_view const& part, cut how) {
    { shorten(part, how) } -> std::same_as<std::optional<std::string>>;
};

/// Decides by what else the conversation holds, and says so with `using needs_conversation = void`:
/// `s.bind(draft)`, called once before a walk over the parts, gives a callable
/// `(part_ref, part_view, cut) -> std::optional<std::string>`, which keeps no view that it was shown.
template <class Shortener>
concept conversation_shortener = requires { typename Shortener::needs_conversation; };

namespace detail {
/// Made of others, which it asks one by one.
template <class Shortener>
concept composite_shortener = requires { typename Shortener::is_composite; };
}  // namespace detail

/// Optional members: `applies_to`, a part_kinds, tool results where it is missing; `over`, a text_limit in
/// place of the layer's where it is bounded; `any_size = true` where there is no limit; `removes = true` where an empty
/// text takes the whole part out, which may be a sealed one; `validate()`.
template <class Shortener>
concept shortener =
    text_shortener<Shortener> || conversation_shortener<Shortener> || detail::composite_shortener<Shortener>;

/// What `shorten(part_view)` gives for a part, then for its own output, until that gets no shorter; nothing where it
/// does not apply. A layer that writes this finds nothing to do in a later run, which may see no more than the output:
/// a marker that it would shorten again, it has shortened already.
template <class Function>
constexpr std::optional<std::string> settled(part_view part, Function&& shorten) {
    std::optional<std::string> shorter;
    for (auto next = shorten(part); next && (!shorter || next->size() < shorter->size()); next = shorten(part)) {
        shorter = std::move(next);
        part.text = *shorter;
        // What stands in place of media is a text.
        if (part.kind == part_kind::media) part = {.text = part.text, .tool = part.tool, .call = part.call};
    }
    return shorter;
}

namespace detail {

/// For the bodies of templates with a slot for a shortener: a constraint on the slot itself would make the compiler
/// say that deduction failed, and not why.
template <class Shortener>
constexpr bool check_shortener() noexcept {
    static_assert(shortener<Shortener>,
                  "condense: shortener: it must have a const operator()(part_view, cut) that returns "
                  "std::optional<std::string> (see shortener)");
    return true;
}

template <class Shortener>
constexpr part_kinds kinds_of() noexcept {
    if constexpr (requires { Shortener::applies_to; }) return Shortener::applies_to;
    else return part_kind::tool_result;
}
template <class Shortener>
constexpr bool removes_parts() noexcept {
    if constexpr (requires { Shortener::removes; }) return Shortener::removes;
    else return false;
}
/// What it makes of a part may change with the parts around it.
template <class Shortener>
constexpr bool sees_others() noexcept {
    if constexpr (composite_shortener<Shortener>) return Shortener::sees_others;
    else return conversation_shortener<Shortener>;
}
template <class Shortener>
constexpr bool takes_any_size() noexcept {
    if constexpr (requires { Shortener::any_size; }) return Shortener::any_size;
    else return false;
}

/// False where the size in bytes alone shows that a text is within the limits.
constexpr bool may_exceed(text_limit const& limit, bytes size) noexcept {
    return limit.by_lines() || size.count > limit.chars.count || size > limit.bytes;
}

/// Texts within it are left alone.
template <class Shortener>
constexpr text_limit limit_of(Shortener const& shorten, cut const& how) noexcept {
    if constexpr (requires { shorten.over; }) {
        static_assert(
            requires { text_limit{shorten.over}; },
            "condense: shortener: its own limit `over` must be a size such as 2'000_chars (see shortener)");
        auto const own = text_limit{shorten.over};
        return own.bounded() ? own.halved(how.halvings) : how.over;
    } else return how.over;
}

/// By what is known without reading it, the part may be one for the shortener.
template <class Shortener>
constexpr bool may_apply(Shortener const& shorten, part_kind kind, bool sealed, bytes size, cut const& how) noexcept {
    if constexpr (composite_shortener<Shortener>) return shorten.may_apply(kind, sealed, size, how);
    else {
        bool const whole = kind == part_kind::media || removes_parts<Shortener>();
        if (!kinds_of<Shortener>().holds(kind) || (sealed && !whole)) return false;
        return takes_any_size<Shortener>() || may_exceed(limit_of(shorten, how), size);
    }
}

/// In place of a draft: no conversation, the part alone.
struct alone {};

/// The shortener for one walk over a conversation, behind its limit: `(part_ref, part_view, cut)`.
template <class Shortener, class Draft>
constexpr auto ready(Shortener const& shorten, Draft const& seen) {
    if constexpr (composite_shortener<Shortener>) return shorten.bind(seen);
    else if constexpr (conversation_shortener<Shortener> && std::same_as<Draft, alone>)
        return [](part_ref, part_view const&, cut const&) { return std::optional<std::string>{}; };
    else {
        auto const behind_limit = [&shorten](part_view const& part, cut const& how) {
            return may_apply(shorten, part.kind, part.sealed, {part.text.size()}, how) &&
                   (takes_any_size<Shortener>() || !limit_of(shorten, how).holds(part.text));
        };
        if constexpr (conversation_shortener<Shortener>)
            return [behind_limit, chosen = shorten.bind(seen)](part_ref at, part_view const& part, cut const& how) {
                return behind_limit(part, how) ? chosen(at, part, how) : std::optional<std::string>{};
            };
        else
            return [behind_limit, &shorten](part_ref, part_view const& part, cut const& how) {
                return behind_limit(part, how) ? shorten(part, how) : std::optional<std::string>{};
            };
    }
}

}  // namespace detail

// For shorteners made of others.
using detail::kinds_of;
using detail::may_apply;
using detail::ready;
using detail::removes_parts;
using detail::sees_others;

}  // namespace v1
}  // namespace condense
