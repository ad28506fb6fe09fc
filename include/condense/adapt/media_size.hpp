// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <condense/core/quantity.hpp>
#include <condense/detail/ascii.hpp>

// How large media are, from their first bytes: image_size_of(data), pages_of_pdf(data); and what providers count for
// them: tokens_of(image, media_rule::anthropic). For `cost` of a part of a type of your own.

namespace condense {
inline namespace v1 {

/// Width and height in pixels.
struct image_size {
    std::uint32_t width = 0;
    std::uint32_t height = 0;

    friend constexpr bool operator==(image_size, image_size) = default;
};

/// Whose rule counts media.
enum class media_rule : std::uint8_t { anthropic, openai, gemini };

namespace detail {

/// The bytes that base64 text stands for, one by one; 0 behind its end and where it is none.
class base64_bytes {
public:
    explicit constexpr base64_bytes(std::string_view text) noexcept : text_{text} {}
    constexpr std::size_t size() const noexcept { return text_.size() / 4 * 3 + text_.size() % 4 * 3 / 4; }
    [[gnu::noinline]] constexpr unsigned char operator[](std::size_t index) const noexcept {
        auto const at = index / 3 * 4 + index % 3;
        if (at + 1 >= text_.size()) return 0;
        auto const bits = digit(text_[at]) << 6 | digit(text_[at + 1]);
        return static_cast<unsigned char>(bits >> (4 - 2 * (index % 3)));
    }

private:
    static constexpr unsigned digit(char byte) noexcept {
        if (byte >= 'A' && byte <= 'Z') return static_cast<unsigned>(byte - 'A');
        if (byte >= 'a' && byte <= 'z') return static_cast<unsigned>(byte - 'a') + 26;
        if (is_digit(byte)) return static_cast<unsigned>(byte - '0') + 52;
        return byte == '+' || byte == '-' ? 62 : byte == '/' || byte == '_' ? 63 : 0;
    }
    std::string_view text_;
};

/// Reads numbers and words at places of bytes that may be anything.
template <class Bytes>
struct media_header {
    Bytes const& data;

    [[gnu::noinline]] constexpr std::uint32_t at(std::size_t index) const noexcept {
        return index < data.size() ? static_cast<unsigned char>(data[index]) : 0u;
    }
    [[gnu::noinline]] constexpr std::uint32_t big(std::size_t index, unsigned count) const noexcept {
        std::uint32_t value = 0;
        for (unsigned byte = 0; byte < count; ++byte) value = value << 8 | at(index + byte);
        return value;
    }
    [[gnu::noinline]] constexpr std::uint32_t little(std::size_t index, unsigned count) const noexcept {
        std::uint32_t value = 0;
        for (unsigned byte = count; byte-- > 0;) value = value << 8 | at(index + byte);
        return value;
    }
    [[gnu::noinline]] constexpr bool has(std::size_t index, std::string_view word) const noexcept {
        for (std::size_t byte = 0; byte < word.size(); ++byte)
            if (at(index + byte) != static_cast<unsigned char>(word[byte])) return false;
        return true;
    }

    [[gnu::noinline]] constexpr image_size size() const noexcept {
        if (has(0, "\x89PNG\r\n\x1A\n")) return {big(16, 4), big(20, 4)};
        if (has(0, "GIF8")) return {little(6, 2), little(8, 2)};
        if (has(0, "\xFF\xD8")) return jpeg();
        if (!has(0, "RIFF") || !has(8, "WEBP")) return {};
        if (has(12, "VP8 ")) return {little(26, 2) & 0x3FFFu, little(28, 2) & 0x3FFFu};
        if (has(12, "VP8X")) return {little(24, 3) + 1, little(27, 3) + 1};
        if (!has(12, "VP8L")) return {};
        auto const bits = little(21, 4);
        return {(bits & 0x3FFFu) + 1, (bits >> 14 & 0x3FFFu) + 1};
    }
    /// In its first segment of a frame; those before it have their length.
    [[gnu::noinline]] constexpr image_size jpeg() const noexcept {
        std::size_t place = 2;
        for (int segments = 0; segments < 1'000 && at(place) == 0xFF; ++segments) {
            auto const marker = at(place + 1);
            if (marker == 0xFF) ++place;
            else if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC)
                return {big(place + 7, 2), big(place + 5, 2)};
            else place += marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8) ? 2 : 2 + big(place + 2, 2);
        }
        return {};
    }

    /// The number behind a key and white space, from there on; 0 for none.
    [[gnu::noinline]] constexpr std::uint32_t number(std::size_t place) const noexcept {
        place = skip(place);
        std::uint32_t value = 0;
        for (; is_digit(static_cast<char>(at(place))) && value < 1'000'000; ++place)
            value = value * 10 + at(place) - '0';
        return value;
    }
    [[gnu::noinline]] constexpr std::uint32_t pages() const noexcept {
        constexpr std::size_t window = std::size_t{256} << 10;
        constexpr std::uint32_t most = 10'000;
        if (!has(0, "%PDF-")) return 0;
        std::uint64_t objects = 0, contents = 0;
        std::uint32_t counted = 0, linearized = 0;
        bool is_linearized = false;  // then its first dictionary says how many
        auto const look = [&](std::size_t begin, std::size_t end) {
            for (auto place = begin; place < end; ++place) {
                if (at(place) == '>' && has(place, ">>") && has(skip(place + 2), "stream")) {
                    contents += is_content(place) ? 1u : 0u;
                    continue;
                }
                if (at(place) != '/') continue;
                if (has(place, "/Type")) {
                    auto const next = skip(place + 5);
                    bool const is_page = has(next, "/Page") && !is_letter(static_cast<char>(at(next + 5)));
                    objects += is_page ? 1u : 0u;
                } else if (has(place, "/Count")) {
                    auto const count = number(place + 6);
                    if (count <= most && count > counted) counted = count;
                } else if (place < 1'024 && has(place, "/Linearized")) is_linearized = true;
                else if (place < 1'024 && is_linearized && linearized == 0 && has(place, "/N "))
                    linearized = number(place + 3);
            }
        };
        auto const total = data.size();
        bool const is_small = total <= 2 * window;
        look(0, is_small ? total : window);
        if (!is_small) look(total - window, total);
        if (linearized != 0 && linearized <= most) return linearized;
        if (!is_small && counted != 0) return counted;
        // Where the tree of pages is compressed, each page has a stream of its own that says nothing of its kind.
        auto found = objects != 0 ? objects : contents;
        if (!is_small) found = found * (total / 1'024) / (2 * window / 1'024);
        return found == 0 ? 1 : found < most ? static_cast<std::uint32_t>(found) : most;
    }

    [[gnu::noinline]] constexpr std::size_t skip(std::size_t place) const noexcept {
        while (at(place) == ' ' || at(place) == '\r' || at(place) == '\n') ++place;
        return place;
    }
    /// The dictionary that ends here is that of drawing instructions, as it names neither a type nor what only others
    /// have.
    [[gnu::noinline]] constexpr bool is_content(std::size_t end) const noexcept {
        constexpr std::size_t most = 512;
        for (auto place = end; place-- > 0 && end - place < most;) {
            if (has(place, "obj")) return true;
            if (at(place) != '/') continue;
            for (std::string_view const key : {"/Type", "/Subtype", "/Length1", "/FunctionType", "/N ", "/Alternate"})
                if (has(place, key)) return false;
        }
        return false;
    }
};

/// Whole squares of so many pixels a side that cover an image, at most so many.
constexpr std::uint64_t patches(image_size of, std::uint64_t side, std::uint64_t most) noexcept {
    auto const across = (of.width + side - 1) / side;
    auto const down = (of.height + side - 1) / side;
    return across != 0 && down > most / across ? most : across * down < most ? across * down : most;
}

}  // namespace detail

/// The size of a PNG, JPEG, GIF or WebP by its header; nothing for other bytes. Reads no pixels.
template <class Bytes>
constexpr std::optional<image_size> image_size_of(Bytes const& data) noexcept {
    auto const found = detail::media_header<Bytes>{data}.size();
    if (found.width == 0 || found.height == 0) return std::nullopt;
    return found;
}

/// How many pages a PDF says that it has, at least 1 and at most 10,000; 0 for other bytes. A guess by its size where
/// its page tree is compressed. Reads no more than 512 KiB of it.
template <class Bytes>
constexpr std::uint32_t pages_of_pdf(Bytes const& data) noexcept {
    return detail::media_header<Bytes>{data}.pages();
}

/// The tokens that a provider counts for an image at its usual level of detail, as documented (2026-11): Anthropic
/// patches of 28 pixels, at most 4,784 (https://platform.claude.com/docs, "Vision"; before Opus 4.7 at most 1,600),
/// OpenAI patches of 32, at most 10,000 (https://developers.openai.com, "Images and vision"), Gemini 1,120 for any
/// (https://ai.google.dev/gemini-api/docs/media-resolution).
constexpr tokens tokens_of(image_size image, media_rule rule) noexcept {
    switch (rule) {
        case media_rule::anthropic: return {detail::patches(image, 28, 4'784)};
        case media_rule::openai: return {detail::patches(image, 32, 10'000)};
        case media_rule::gemini: break;
    }
    return {1'120};
}

/// The tokens that a provider counts for so many pages of a PDF: Anthropic 2,334 each, as it says 7,000 for three;
/// Gemini 560. OpenAI, which sends text and picture of each page, says no figure: as Anthropic.
constexpr tokens tokens_of_pages(std::uint32_t pages, media_rule rule) noexcept {
    return {std::uint64_t{pages} * (rule == media_rule::gemini ? 560u : 2'334u)};
}

}  // namespace v1
}  // namespace condense
