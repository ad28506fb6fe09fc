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

// The concept of a shortener: a value that makes one part of a message shorter, compress{.with = head_tail{}}. It
// declares to which kinds of parts it applies, and may have a limit of its own, `over`. Several become one by
// first_of(json_sample{}, head_tail{}).

namespace condense {
inline namespace v1 {

/// A set of kinds of parts: part_kind::reasoning | part_kind::media.
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

/// The context in which a part is cut. The layer has checked kind and limit already; a shortener only has to halve what
/// it keeps `halvings` times, as effective() does, and to put into its marker how to get the rest back.
struct cut {
    unsigned halvings = 0;  ///< 0 in a routine run, more with each step of pressure
    recovery how = {};  ///< how to get the original back, for the marker
    text_limit over = chars{0};  ///< the layer's limit; shorteners without their own leave texts within it alone
    bytes window = {detail::u64_limit};  ///< how much text such as the original's the input would hold, if known

    /// A limit of the shortener as it holds for this part: halved under pressure, a share of the window in bytes.
    constexpr text_limit effective(text_limit const& limit) const noexcept {
        return limit.halved(halvings).within(window);
    }
};

/// A const callable `s(part_view, cut) -> std::optional<std::string>`: the shorter text, or nothing if it does not
/// apply. The views are valid during the call only. Applied to its own output it must return nothing, or else a text
/// would shrink with every run. The same input must give the same text, and a text that is not shorter is not used.
template <class Shortener>
concept text_shortener = requires(Shortener const& shorten, part_view const& part, cut context) {
    { shorten(part, context) } -> std::same_as<std::optional<std::string>>;
};

/// A shortener that looks at other parts of the conversation; declared by `using needs_conversation = void`. It acts in
/// runs only, not on arrival. `s.bind(draft)`, called once before a walk over the parts, returns a callable
/// `(part_ref, part_view, cut) -> std::optional<std::string>`. The callable may refer to the shortener and the draft,
/// which outlive it, but must not keep views of texts, because edits are made during the walk.
template <class Shortener>
concept conversation_shortener = requires { typename Shortener::needs_conversation; };

namespace detail {
/// A shortener made of others, such as first_of; declared by `using is_composite = void`. It has bind(draft) and
/// may_apply(kind, sealed, size, cut), which hand on to its parts, and `sees_others`.
template <class Shortener>
concept composite_shortener = requires { typename Shortener::is_composite; };
}  // namespace detail

/// What `compress{.with}` and `offload{.preview}` take: an aggregate that compares. A whole one of your own is
///
///     struct first_line {
///         std::optional<std::string> operator()(condense::part_view const& part, condense::cut context) const {
///             auto const end = part.text.find('\n');
///             if (end == std::string_view::npos) return std::nullopt;
///             auto const missing = part.text.size() - end;
///             return std::string{part.text.substr(0, end)} + " " +
///                    condense::omission(missing, part.text.size(), "bytes", context.how);
///         }
///         friend bool operator==(first_line, first_line) = default;
///     };
///
/// Optional members, found by name:
///
///     static constexpr part_kinds applies_to     the kinds of parts; tool results if it is missing
///     text_limit over                            a limit in place of the layer's, if it is bounded
///     static constexpr bool any_size = true      there is no limit; it is asked about each part of its kinds
///     static constexpr bool removes = true       an empty text removes the whole part, which may be a sealed one
///     void validate() const                      throws invalid_configuration when the pipeline is constructed
///     text_limit most() const                    the most that it keeps, so that `offload` can check its preview
template <class Shortener>
concept shortener =
    text_shortener<Shortener> || conversation_shortener<Shortener> || detail::composite_shortener<Shortener>;

/// Applies `shorten(part_view)` to a part, then to its own output, until that gets no shorter; nothing if it does not
/// apply. A later run, which may see only the output, then has nothing left to shorten, its own marker included.
template <class Function>
constexpr std::optional<std::string> settled(part_view part, Function&& shorten) {
    std::optional<std::string> shorter;
    for (auto next = shorten(part); next && (!shorter || next->size() < shorter->size()); next = shorten(part)) {
        shorter = std::move(next);
        part.text = *shorter;
        // Media are replaced by a text.
        if (part.kind == part_kind::media) part = {.text = part.text, .tool = part.tool, .call = part.call};
    }
    return shorter;
}

namespace detail {

/// For the bodies of templates with a member for a shortener. A constraint on the template parameter would only make
/// the compiler say that deduction failed.
template <class Shortener>
constexpr bool check_shortener() noexcept {
    static_assert(shortener<Shortener>,
                  "condense: shortener: it must have a const operator()(part_view, cut) that returns "
                  "std::optional<std::string> (see shortener)");
    return true;
}

// The optional members, or what holds without them.

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
/// True if its result for a part may depend on other parts.
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

/// False if the size in bytes alone proves that a text is within the limits.
constexpr bool may_exceed(text_limit const& limit, bytes size) noexcept {
    return limit.by_lines() || size.count > limit.chars.count || size > limit.bytes;
}

/// The limit within which texts are left alone: the shortener's own, halved under pressure, or else the layer's.
template <class Shortener>
constexpr text_limit limit_of(Shortener const& shorten, cut const& context) noexcept {
    if constexpr (requires { shorten.over; }) {
        static_assert(
            requires { text_limit{shorten.over}; },
            "condense: shortener: its own limit `over` must be a size such as 2'000_chars (see shortener)");
        auto const own_limit = text_limit{shorten.over};
        return own_limit.bounded() ? context.effective(own_limit) : context.over;
    } else return context.over;
}

/// False if kind, seal or size alone prove that the shortener leaves the part alone, so that its text need not be read.
template <class Shortener>
constexpr bool may_apply(Shortener const& shorten, part_kind kind, bool sealed, bytes size,
                         cut const& context) noexcept {
    if constexpr (composite_shortener<Shortener>) return shorten.may_apply(kind, sealed, size, context);
    else {
        bool const as_a_whole = kind == part_kind::media || removes_parts<Shortener>();
        if (!kinds_of<Shortener>().holds(kind) || (sealed && !as_a_whole)) return false;
        return takes_any_size<Shortener>() || may_exceed(limit_of(shorten, context), size);
    }
}

/// In place of a draft, for a part without its conversation: shorteners that need one then never apply.
struct no_conversation {};

/// The shortener as a callable `(part_ref, part_view, cut)` for one walk over a conversation, which applies it only to
/// parts of its kinds above its limit. Refers to the shortener and the draft.
template <class Shortener, class Draft>
auto bind_shortener(Shortener const& shorten, Draft const& draft) {
    if constexpr (composite_shortener<Shortener>) return shorten.bind(draft);
    else if constexpr (conversation_shortener<Shortener> && std::same_as<Draft, no_conversation>)
        return [](part_ref, part_view const&, cut const&) { return std::optional<std::string>{}; };
    else {
        auto const behind_limit = [&shorten](part_view const& part, cut const& context) {
            return may_apply(shorten, part.kind, part.sealed, {part.text.size()}, context) &&
                   (takes_any_size<Shortener>() || !limit_of(shorten, context).holds(part.text));
        };
        if constexpr (conversation_shortener<Shortener>)
            return
                [behind_limit, bound = shorten.bind(draft)](part_ref ref, part_view const& part, cut const& context) {
                    return behind_limit(part, context) ? bound(ref, part, context) : std::optional<std::string>{};
                };
        else
            return [behind_limit, &shorten](part_ref, part_view const& part, cut const& context) {
                return behind_limit(part, context) ? shorten(part, context) : std::optional<std::string>{};
            };
    }
}

}  // namespace detail

// For shorteners made of others.
using detail::bind_shortener;
using detail::kinds_of;
using detail::may_apply;
using detail::removes_parts;
using detail::sees_others;

}  // namespace v1
}  // namespace condense
