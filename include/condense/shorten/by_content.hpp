// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>

#include <condense/core/part.hpp>
#include <condense/detail/unset.hpp>
#include <condense/shorten/compact_log.hpp>
#include <condense/shorten/content.hpp>
#include <condense/shorten/head_tail.hpp>
#include <condense/shorten/json_sample.hpp>
#include <condense/shorten/shortener.hpp>

// Chooses a shortener by the type of a text: by_content{.log = compact_log{.tail = 50_lines}}. `.detect` takes any
// callable from a std::string_view to content in place of content_of.

namespace condense {
inline namespace v1 {
namespace detail {

// What the shorteners of a composite have together.

template <class First, class... Rest>
constexpr part_kinds kinds_of_all() noexcept {
    return (kinds_of<First>() | ... | kinds_of<Rest>());
}
template <class... Slots>
constexpr bool some_removes() noexcept {
    return (removes_parts<Slots>() || ...);
}
template <class... Slots>
constexpr bool some_sees_others() noexcept {
    return (detail::sees_others<Slots>() || ...);
}

}  // namespace detail

/// One shortener for each type of text. Loses what the chosen one loses. Costs detecting the type of each part that one
/// of them may apply to. Applies to the kinds of parts of all of them together; each is used for its own kinds only, so
/// a part whose type has a shortener for other kinds is left alone.
template <class Json = json_sample, class Log = compact_log, class Diff = head_tail, class SearchHits = head_tail,
          class Code = head_tail, class Prose = head_tail, class Binary = head_tail,
          content_detector Detect = default_detector>
struct by_content {
    static_assert(detail::check_shortener<Json>() && detail::check_shortener<Log>() &&
                  detail::check_shortener<Diff>() && detail::check_shortener<SearchHits>() &&
                  detail::check_shortener<Code>() && detail::check_shortener<Prose>() &&
                  detail::check_shortener<Binary>());

    using is_composite = void;
    static constexpr part_kinds applies_to = detail::kinds_of_all<Json, Log, Diff, SearchHits, Code, Prose, Binary>();
    static constexpr bool removes = detail::some_removes<Json, Log, Diff, SearchHits, Code, Prose, Binary>();
    static constexpr bool sees_others = detail::some_sees_others<Json, Log, Diff, SearchHits, Code, Prose, Binary>();

    Json json = detail::slot_default<Json>();
    Log log = detail::slot_default<Log>();
    Diff diff = detail::slot_default<Diff>();
    SearchHits search_hits = detail::slot_default<SearchHits>();
    Code code = detail::slot_default<Code>();
    Prose prose = detail::slot_default<Prose>();
    Binary binary = detail::slot_default<Binary>();
    Detect detect = detail::slot_default<Detect>();

    constexpr void validate() const {
        each([](auto const& slot) {
            if constexpr (requires { slot.validate(); }) slot.validate();
            return false;
        });
    }
    /// True if one of them may apply. The type of the text is not known yet.
    constexpr bool may_apply(part_kind kind, bool sealed, bytes size, cut const& context) const noexcept {
        return each([&](auto const& slot) { return detail::may_apply(slot, kind, sealed, size, context); });
    }
    /// Binds each of them, since any may be chosen. Refers to this object and to the draft.
    template <class Draft>
    auto bind(Draft const& draft) const {
        return [this, for_json = detail::bind_shortener(json, draft), for_log = detail::bind_shortener(log, draft),
                for_diff = detail::bind_shortener(diff, draft), for_hits = detail::bind_shortener(search_hits, draft),
                for_code = detail::bind_shortener(code, draft), for_prose = detail::bind_shortener(prose, draft),
                for_binary = detail::bind_shortener(binary, draft)](part_ref ref, part_view const& part,
                                                                    cut const& context) -> std::optional<std::string> {
            if (!may_apply(part.kind, part.sealed, {part.text.size()}, context)) return std::nullopt;
            switch (detect(part.text)) {
                case content::json: return for_json(ref, part, context);
                case content::log: return for_log(ref, part, context);
                case content::diff: return for_diff(ref, part, context);
                case content::search_hits: return for_hits(ref, part, context);
                case content::code: return for_code(ref, part, context);
                case content::binary: return for_binary(ref, part, context);
                case content::prose: break;
            }
            return for_prose(ref, part, context);
        };
    }
    constexpr std::optional<std::string> operator()(part_view const& part, cut context) const {
        return bind(detail::no_conversation{})({}, part, context);
    }
    friend bool operator==(by_content const&, by_content const&) = default;

private:
    /// True as soon as ask(shortener) is.
    constexpr bool each(auto const& ask) const {
        return ask(json) || ask(log) || ask(diff) || ask(search_hits) || ask(code) || ask(prose) || ask(binary);
    }
};

}  // namespace v1
}  // namespace condense
