// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <variant>

#include <nlohmann/json.hpp>

#include <condense/adapt/litert_lm.hpp>

#include "support/messages/form.hpp"

// A message of the shape of LiteRT-LM's Message, with one member more, which the library leaves alone.

namespace forms {

struct litert_blob {
    std::vector<std::uint8_t> bytes = {};
    std::string mime_type = {};
    friend bool operator==(litert_blob const&, litert_blob const&) = default;
};
struct litert_path {
    std::string path = {};
    friend bool operator==(litert_path const&, litert_path const&) = default;
};
struct litert_sound {
    std::vector<float> frames = {};
    friend bool operator==(litert_sound const&, litert_sound const&) = default;
};
struct litert_text {
    std::string text = {};
    std::string error = {};
    nlohmann::ordered_json extra_fields = {};
    friend bool operator==(litert_text const&, litert_text const&) = default;
};
struct litert_image {
    std::variant<litert_blob, litert_path> data = {};
    friend bool operator==(litert_image const&, litert_image const&) = default;
};
struct litert_audio {
    std::variant<litert_blob, litert_path, litert_sound> data = {};
    friend bool operator==(litert_audio const&, litert_audio const&) = default;
};
struct litert_call {
    std::string name = {};
    nlohmann::ordered_json arguments = {};
    std::string id = {};
    friend bool operator==(litert_call const&, litert_call const&) = default;
};
struct litert_response {
    std::string name = {};
    std::string response = {};
    std::string id = {};
    friend bool operator==(litert_response const&, litert_response const&) = default;
};
struct litert_json {
    nlohmann::ordered_json json_data = {};
    friend bool operator==(litert_json const&, litert_json const&) = default;
};

struct litert_message {
    using part = std::variant<litert_text, litert_image, litert_audio, litert_call, litert_response, litert_json>;

    std::string role = {};
    std::vector<part> parts = {};
    std::unordered_map<std::string, std::string> channels = {};
    bool content_is_string = false;
    bool content_is_object = false;
    std::string label = {};
    friend bool operator==(litert_message const&, litert_message const&) = default;
};

template <>
struct form<litert_message> {
    static std::string_view label(litert_message const& m) { return m.label; }

    static litert_message from_chat(chat_message const& m) {
        litert_message made{.role = std::string{name(m.role)}, .label = m.name};
        for (auto const& part : m.parts) switch (part.kind) {
                case part_kind::reasoning: made.channels["thought"] += part.text; break;
                case part_kind::tool_call: {
                    auto value = nlohmann::ordered_json::parse(part.text, nullptr, false);
                    if (value.is_discarded() || value.is_string()) value = part.text;
                    made.parts.emplace_back(litert_call{part.tool, std::move(value), part.call});
                    break;
                }
                case part_kind::tool_result:
                    made.parts.emplace_back(litert_response{part.tool, part.text, part.call});
                    break;
                case part_kind::media: made.parts.emplace_back(litert_image{litert_path{part.text}}); break;
                case part_kind::text:
                case part_kind::other: made.parts.emplace_back(litert_text{part.text}); break;
            }
        return made;
    }
    /// Media and words beside results have no id there.
    static std::vector<chat_message> arrange(std::vector<chat_message> all) {
        for (auto& m : all) {
            bool const answers = only_results(m);
            std::erase_if(m.parts, [&](auto const& part) {
                return part.kind != part_kind::tool_result && (answers || !part.call.empty()) &&
                       part.kind != part_kind::tool_call;
            });
            if (answers) m.role = role::tool;
        }
        return all;
    }
};

}  // namespace forms
