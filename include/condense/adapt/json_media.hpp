// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/adapt/json_blocks.hpp>
#include <condense/adapt/json_place.hpp>
#include <condense/adapt/media_size.hpp>
#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>

// A text about a block of media, "image/png, 90,123 bytes", "image at https://host/cat.png", and what it costs.

namespace condense {
inline namespace v1 {
namespace detail {

/// The kind of media of a block type: "image" for "image_url", "image-data" and "input_image".
constexpr std::string_view media_name(std::string_view type) noexcept {
    if (type.substr(0, 6) == "input_") type.remove_prefix(6);
    if (type.substr(0, 6) == "inline") return "media";
    return type.substr(0, (std::min)(type.find_first_of("_-"), type.find("Data")));
}

/// True for members of a keyed block that hold media.
constexpr bool is_media_key(std::string_view key) noexcept {
    for (auto const& row : keyed_rows)
        if (row.word == key) return row.use == block_use::media;
    return false;
}

/// Bytes that base64 text decodes to; its padding may be missing.
constexpr std::size_t decoded_size(std::string_view base64) noexcept {
    for (int pads = 0; pads < 2 && !base64.empty() && base64.back() == '='; ++pads) base64.remove_suffix(1);
    return base64.size() / 4 * 3 + base64.size() % 4 * 3 / 4;
}

/// Type, size, link and name of a block of media, as far as they are short and printable: the text may reach a terminal
/// or a prompt. A string is an image in base64.
class media_words {
public:
    template <class Json>
    explicit media_words(Json const& block) {
        if (auto const* const data = string_of(&block)) {
            type_ = "image";
            set_data(*data, false);
            return;
        }
        auto const type = text_member(block, "type");
        auto const* body = &block;
        if (!type.empty() || !block.is_object()) {
            type_ = media_name(type);
            if (auto const* const nested = object_member(block, type)) body = nested;  // OpenAI, MCP
        } else
            for (auto const& [key, value] : block.items())
                if (is_media_key(key)) {  // Gemini, Bedrock
                    type_ = media_name(key);
                    body = &value;
                    break;
                }
        look(*body);
        if (auto const* const source = object_member(*body, "source")) look(*source);  // Anthropic, Bedrock
    }

    /// The cost by the first bytes, where they are here and tell it: of an image by its pixels, of a PDF by its pages.
    std::optional<cost> own_cost_of(media_rule rule) const {
        base64_bytes const data{data_};
        if (auto const pages = pages_of_pdf(data)) return cost::of(tokens_of_pages(pages, rule));
        auto const size = image_size_of(data);
        if (!size) return std::nullopt;
        constexpr tokens low{256};  // OpenAI, "low": less than any of its models documents is not counted
        auto const all = tokens_of(*size, rule);
        return cost::of(is_low_ && rule == media_rule::openai && low < all ? low : all);
    }

    /// The data in base64; empty where they are not here.
    std::string_view data() const noexcept { return data_; }

    std::string text() const {
        auto out = type_;
        if (has_size_) out.append(", ").append(grouped(size_)).append(" bytes");
        if (!link_.empty()) out.append(" at ").append(link_);
        if (!name_.empty()) out.append(", ").append(name_);
        return out;
    }

private:
    template <class Json>
    void look(Json const& holder) {
        if (auto const format = text_member(holder, "format");
            (type_ == "audio" || object_member(holder, "source") != nullptr) && is_plain(format, 20))
            type_.append("/").append(format);
        for (auto const* const key : {"media_type", "mediaType", "mimeType", "mime_type"})
            set_type(text_member(holder, key));
        for (auto const* const key : {"data", "file_data", "bytes", "blob", "image", "result"})
            set_data(text_member(holder, key), text_member(holder, "type") == "text");
        for (auto const* const key : {"url", "file_url", "image_url", "video_url", "fileUri", "file_uri", "uri"})
            set_link(text_member(holder, key));
        is_low_ = is_low_ || text_member(holder, "detail") == "low";
        for (auto const* const key : {"filename", "file_id", "displayName", "name"})
            if (auto const name = text_member(holder, key); name_.empty() && is_plain(name, 80)) name_ = name;
    }

    /// True for printable ASCII without spaces, of at most `size_limit` bytes.
    static bool is_plain(std::string_view text, std::size_t size_limit) {
        return !text.empty() && text.size() <= size_limit &&
               std::all_of(text.begin(), text.end(), [](char byte) { return byte > ' ' && byte < 0x7F; });
    }
    void set_type(std::string_view type) {
        if (is_plain(type, 60)) type_ = type;
    }
    /// `data` is base64, unless `plain`, or a URL. Of bytes only the number is kept.
    void set_data(std::string_view data, bool plain) {
        if (data.substr(0, 5) == "data:" || data.substr(0, 4) == "http") return set_link(data);
        if (data.empty()) return;
        set_size(plain ? data.size() : decoded_size(data));
        if (!plain) data_ = data;
    }
    void set_size(std::size_t bytes) {
        size_ = bytes;
        has_size_ = true;
    }
    /// `link` is a URL, or the media themselves as a data URL: "data:image/png;base64,iVBO".
    void set_link(std::string_view link) {
        if (link.substr(0, 5) != "data:") {
            if (!link.empty()) link_ = is_plain(link, 120) ? link : "a link";
            return;
        }
        auto const comma = link.find(',');
        if (comma == link.npos) return;
        auto const head = link.substr(5, comma - 5);
        set_type(head.substr(0, head.find(';')));
        auto const data = link.substr(comma + 1);
        set_size(head.ends_with(";base64") ? decoded_size(data) : data.size());
        if (head.ends_with(";base64")) data_ = data;
    }

    std::string type_;
    std::string link_;
    std::string name_;
    std::string_view data_;  ///< in base64
    std::size_t size_ = 0;
    bool has_size_ = false;
    bool is_low_ = false;  ///< few details are wanted
};

/// The text that stands for a block of media. Does not read the data, whatever their size.
template <class Json>
std::string media_text(Json const& block) {
    return media_words{block}.text();
}

/// Fills a part with what its block of media says: its description, its cost by the rule of its shapes, and its size.
/// Calls sink(part_view). Costs more than the walk that finds the block, so only readers do it.
template <class Json, class Sink>
void show_media(part_view part, Json const& block, shape_set shapes, Sink&& sink) {
    auto const is_of = [&](auto... which) {
        return shapes.size() != 0 && (shapes & shape_set::of(which...)) == shapes;
    };
    auto const rule = is_of(gemini)              ? media_rule::gemini
                      : is_of(openai, responses) ? media_rule::openai
                                                 : media_rule::anthropic;
    media_words const words{block};
    auto const text = words.text();
    part.text = text;
    part.cost = words.own_cost_of(rule).value_or(*part.cost);
    part.data = words.data().size();
    sink(std::as_const(part));
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
