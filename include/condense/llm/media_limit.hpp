// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <condense/core/quantity.hpp>
#include <condense/detail/ascii.hpp>
#include <condense/llm/overflow.hpp>

// Whether a provider refused a request for its media or its bytes, from the HTTP status and the text of the answer:
// if (auto const limit = media_limit_of(status, body)) ...

namespace condense {
inline namespace v1 {

/// A limit on other things than tokens, as the provider names it.
struct media_limit {
    images most = {};  ///< how many a request may have; 0 where that is not named
    bool of_bytes = false;  ///< the body is too large

    friend constexpr bool operator==(media_limit, media_limit) = default;
};

namespace detail {

/// One sentence of a refusal, as it is read word by word.
struct media_sentence {
    bool media = false, excess = false, request = false, size = false, pages = false, veto = false;
    bool after_too = false;
    std::uint64_t least = 0;  ///< of its small numbers: of two the limit is the smaller one

    constexpr void add_word(std::string_view word) noexcept {
        auto const is = [&](std::string_view words) { return is_one_of(word, words); };
        media = media || is("image images photo photos picture pictures media attachments documents pages");
        pages = pages || is("page pages documents");
        excess = excess ||
                 is("exceed exceeds exceeded exceeding maximum max limit limited most over allows supports") ||
                 (after_too && is("many large big"));
        request = request || is("request body payload entity");
        size = size || (after_too && is("large big")) || is("mb bytes size");
        veto = veto || is("token tokens context prompt pixel pixels dimension dimensions patches width height "
                          "resolution format rate quota minute second day key");
        after_too = is("too");
    }
    constexpr void add_number(std::uint64_t number) noexcept {
        if (number > 0 && number < 10'000 && (least == 0 || number < least)) least = number;
    }
    constexpr void end_identifier(std::string_view) const noexcept {}

    constexpr std::optional<media_limit> limit() const noexcept {
        if (veto || !excess) return std::nullopt;
        if (media && !size) return media_limit{.most = {pages ? 0 : least}};
        if (request && size && !media) return media_limit{.of_bytes = true};
        return std::nullopt;
    }
};

}  // namespace detail

/// The limit on media or bytes that a provider's answer reports, if any, from its body or the message of a library's
/// exception: "too many images: 101 > 100", "request_too_large", a 413 that says nothing of tokens. Not the limit of a
/// single image, whose size or format is wrong. With 400, 413 and 422, or 0 where the status is not known.
///
/// Linear in the text, of which only the first `overflow_look` bytes count; allocates nothing.
constexpr std::optional<media_limit> media_limit_of(int status, std::string_view text) noexcept {
    if (status != 0 && status != 400 && status != 413 && status != 422) return std::nullopt;
    if (overflow_of(status, text)) return std::nullopt;
    text = text.substr(0, detail::as_size(overflow_look.count));
    std::optional<media_limit> result;
    detail::each_sentence<detail::media_sentence>(text, [&](detail::media_sentence const& current) {
        if (!result) result = current.limit();
    });
    if (!result && status == 413) result = media_limit{.of_bytes = true};
    return result;
}

}  // namespace v1
}  // namespace condense
