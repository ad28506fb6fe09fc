// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <condense/adapt/json_parse.hpp>
#include <condense/core/quantity.hpp>

// What an answer that passes through reports of its request: whole JSON or the events of a stream, of which only the
// objects under "usage" are read.

namespace proxy {

class usage_finder {
public:
    void add(std::string_view piece) {
        text_ += piece;
        while (true) {
            auto const found = text_.find(key);
            if (found == std::string::npos) break;
            auto const end = end_of(found + key.size());
            if (end == std::string::npos) {  // the rest is still to come
                text_.erase(0, found);
                if (text_.size() > most) text_.clear();
                return;
            }
            read(std::string_view{text_}.substr(found + key.size(), end - found - key.size()));
            text_.erase(0, end);
        }
        text_.erase(0, text_.size() - std::min(text_.size(), key.size()));  // the key may have begun
    }

    /// Of the request, those from the cache included; 0 where nothing was reported.
    condense::tokens tokens() const noexcept { return {tokens_}; }

private:
    // Inside of a text of the model its quotes would be escaped.
    static constexpr std::string_view key = "\"usage\":";
    static constexpr std::size_t most = 16u << 10;

    /// Behind the object that begins there; nothing where it is not whole. `null` ends at once.
    std::size_t end_of(std::size_t at) const {
        std::size_t depth = 0;
        for (; at < text_.size(); ++at) {
            if (text_[at] == '{') ++depth;
            else if (text_[at] == '}' && --depth == 0) return at + 1;
            else if (depth == 0 && text_[at] != ' ') return at;
        }
        return std::string::npos;
    }

    void read(std::string_view object) {
        auto const read = condense::parse_json<nlohmann::json>(object);
        if (!read || !read.value.is_object()) return;
        auto const at = [&](char const* name) {
            auto const found = read.value.find(name);
            auto const is_count = found != read.value.end() && found->is_number_unsigned();
            return is_count ? std::min(found->get<std::uint64_t>(), std::uint64_t{1} << 40) : std::uint64_t{0};
        };
        // Anthropic counts what comes from its cache and goes there apart; OpenAI has it in the input.
        auto const input = at("input_tokens") + at("cache_read_input_tokens") + at("cache_creation_input_tokens");
        tokens_ = std::max({tokens_, input, at("prompt_tokens")});
    }

    std::string text_ = {};
    std::uint64_t tokens_ = 0;
};

}  // namespace proxy
