// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <condense/adapt/json_parse.hpp>
#include <condense/core/quantity.hpp>

// Reads the usage that an answer reports on its way through: whole JSON or the events of a stream. Only the object
// under "usage" is read, of the answer itself or of its member "message" or "response", and not one that a model has
// written.

namespace proxy {

class usage_finder {
public:
    void add(std::string_view piece) {
        for (char const byte : piece) {
            if (is_taking_) object_.push_back(byte);
            if (byte == '\n') in_text_ = false;  // no text of JSON goes on behind it
            else if (in_text_) take_text(byte);
            else if (byte == '"') {
                in_text_ = true;
                text_.clear();
            } else if (byte == '{' || byte == '[') open(byte);
            else if ((byte == '}' || byte == ']') && depth_ != 0) close();
        }
    }

    /// Of the request, those from the cache included; 0 where nothing was reported.
    condense::tokens tokens() const noexcept { return {tokens_}; }

private:
    static constexpr std::size_t most = 16u << 10;  ///< bytes of an object

    void take_text(char byte) {
        if (std::exchange(is_escaped_, !is_escaped_ && byte == '\\')) return;
        if (byte == '"') in_text_ = false;
        else if (text_.size() < 16) text_.push_back(byte);
    }
    /// The text before it is its name, where it has one.
    void open(char byte) {
        bool const is_inside = depth_ == 1 || (depth_ == 2 && (holder_ == "message" || holder_ == "response"));
        if (depth_ == 1) holder_ = text_;
        if (!is_taking_ && is_inside && byte == '{' && text_ == "usage") {
            is_taking_ = true;
            object_ = "{";
            outside_ = depth_;
        }
        text_.clear();
        ++depth_;
    }
    void close() {
        --depth_;
        if (is_taking_ && object_.size() > most) is_taking_ = false;
        if (!is_taking_ || depth_ != outside_) return;
        is_taking_ = false;
        read();
    }

    void read() {
        auto const read = condense::parse_json<nlohmann::json>(object_);
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

    std::string text_ = {};    ///< the beginning of the latest text
    std::string holder_ = {};  ///< the name of what stands around, at the first level
    std::string object_ = {};
    std::size_t depth_ = 0;
    std::size_t outside_ = 0;
    bool in_text_ = false;
    bool is_escaped_ = false;
    bool is_taking_ = false;
    std::uint64_t tokens_ = 0;
};

}  // namespace proxy
