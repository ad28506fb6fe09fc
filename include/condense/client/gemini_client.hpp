// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/json_place.hpp>
#include <condense/client/model_client.hpp>
#include <condense/core/provider_usage.hpp>
#include <condense/detail/ascii.hpp>
#include <condense/llm/model_call.hpp>

// Google's Gemini: gemini_client{{.model = "gemini-2.5-flash", .key = ...}}.

namespace condense {
inline namespace v1 {
namespace detail {

struct gemini_protocol {
    using json = client::json;

    static constexpr char const* base_url = "https://generativelanguage.googleapis.com/v1beta";
    static constexpr char const* key_header = "x-goog-api-key";
    static constexpr char const* key_variable = "GEMINI_API_KEY";
    static constexpr bool has_items = false;
    static constexpr std::array of_agent = {"tools", "toolConfig", "systemInstruction", "cachedContent"};

    static std::string path(client_settings const& settings, bool stream) {
        std::string name = settings.model.find('/') == std::string::npos ? "/models/" : "/";
        for (char const byte : settings.model)  // what no name holds could be read as another path or a query
            name += is_letter(byte) || is_digit(byte) || std::string_view{"-._/"}.find(byte) != std::string_view::npos
                        ? byte
                        : '_';
        return name + (stream ? ":streamGenerateContent" : ":generateContent");
    }
    static std::string query(bool stream) { return stream ? "alt=sse" : ""; }
    static void add_headers(std::vector<std::string>&, client_settings const&) {}
    static char const* list_name(client_settings const&) { return "contents"; }

    static json user_message(std::string_view text) {
        return {{"role", "user"}, {"parts", json::array({{{"text", text}}})}};
    }
    template <class Json>
    static bool take_system(client::outgoing& sent, Json const& message) {
        if (text_member(message, "role") != "system") return false;
        for (auto const* const name : {"parts", "content"})
            client::add_texts(sent.system, member_of(message, name), false);
        return true;
    }
    static void add_system(client::outgoing& sent, client_settings const&, std::string text) {
        sent.system.push_back(text_block<json>(std::move(text), false));
    }
    static void finish(client::outgoing& sent, client_settings const&, tokens length, bool) {
        client::take_texts(sent.body, "systemInstruction", sent.system, false);
        if (!sent.system.empty()) sent.body["systemInstruction"] = {{"parts", std::move(sent.system)}};
        if (length == tokens{}) return;
        auto& config = sent.body["generationConfig"];
        if (!config.is_object()) config = json::object();
        config["maxOutputTokens"] = length.count;
    }

    class reader {
    public:
        client::answer result = {};

        void read_whole(json const& value, delivery& show) { read_event(value, show); }
        /// Each event is a whole answer with a few more parts.
        void read_event(json const& value, delivery& show) {
            if (auto const& usage = client::at(value, "usageMetadata"); usage.is_object()) note_usage(usage);
            if (auto const why = text_member(client::at(value, "promptFeedback"), "blockReason"); !why.empty())
                return result.fail("the provider blocks the prompt: " + std::string{why});
            auto const& candidates = client::at(value, "candidates");
            if (!candidates.is_array() || candidates.empty()) return;
            if (auto const why = text_member(candidates[0], "finishReason"); !why.empty()) {
                result.stop = why;
                result.complete = true;
            }
            auto const& parts = client::at(client::at(candidates[0], "content"), "parts");
            if (parts.is_array())
                for (auto const& part : parts) add(part, show);
        }

        void finish() {
            for (auto const& part : parts_) {
                if (is_thought(part)) result.reasons = true;
                else if (client::at(part, "text").is_string()) result.text += text_member(part, "text");
                else result.acts = true;
            }
            result.messages.push_back({{"role", "model"}, {"parts", std::move(parts_)}});
        }

    private:
        static bool is_thought(json const& part) {
            auto const& mark = client::at(part, "thought");
            return mark.is_boolean() && mark.get<bool>();
        }
        /// Joins pieces of one text. A part with more than that, such as a signature, stays as it is.
        void add(json const& part, delivery& show) {
            if (!part.is_object()) return result.fail("the answer holds what is no part");
            auto const text = text_member(part, "text");
            if (!is_thought(part)) show(text);
            auto const plain = [](json const& one) {
                return one.size() == (is_thought(one) ? 2u : 1u) && client::at(one, "text").is_string();
            };
            if (!parts_.empty() && plain(part) && plain(parts_.back()) && is_thought(part) == is_thought(parts_.back()))
                parts_.back()["text"].get_ref<std::string&>().append(text);
            else parts_.push_back(part);
        }
        void note_usage(json const& usage) {
            auto const thoughts = client::count_at(usage, "thoughtsTokenCount");
            result.usage = provider_usage::with_cached_in_input(
                client::count_at(usage, "promptTokenCount") + client::count_at(usage, "toolUsePromptTokenCount"),
                client::count_at(usage, "candidatesTokenCount") + thoughts,
                client::count_at(usage, "cachedContentTokenCount"));
            result.reasons = result.reasons || thoughts != tokens{};
        }

        json parts_ = json::array();
    };
};

}  // namespace detail

/// System messages go into `systemInstruction`, behind that of the settings; the key goes into a header, never into the
/// address.
using gemini_client = model_client<detail::gemini_protocol>;

}  // namespace v1
}  // namespace condense
