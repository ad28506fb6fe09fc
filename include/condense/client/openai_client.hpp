// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/json_place.hpp>
#include <condense/client/model_client.hpp>
#include <condense/core/provider_usage.hpp>
#include <condense/llm/model_call.hpp>

// OpenAI, and every server of its protocol: openai_client{{.model = "gpt-5-mini", .key = ...}}. Chat completions, or
// the Responses API where the settings say `responses`.

namespace condense {
inline namespace v1 {
namespace detail {

struct openai_protocol {
    using json = client::json;

    static constexpr char const* base_url = "https://api.openai.com/v1";
    static constexpr char const* key_header = "Authorization";
    static constexpr char const* key_variable = "OPENAI_API_KEY";
    static constexpr bool has_items = true;
    static constexpr std::array of_agent = {"tools",         "tool_choice",     "parallel_tool_calls", "functions",
                                            "function_call", "response_format", "instructions"};

    static std::string path(client_settings const& settings, bool) {
        return settings.responses ? "/responses" : "/chat/completions";
    }
    static std::string query(bool) { return {}; }
    static void add_headers(std::vector<std::string>&, client_settings const&) {}
    static char const* list_name(client_settings const& settings) { return settings.responses ? "input" : "messages"; }

    static json user_message(std::string_view text) { return {{"role", "user"}, {"content", text}}; }
    template <class Json>
    static bool take_system(client::outgoing&, Json const&) {
        return false;  // they stay in their places
    }
    static void add_system(client::outgoing& sent, client_settings const& settings, std::string_view text) {
        if (settings.responses) sent.body["instructions"] = text;
        else sent.add(json{{"role", "system"}, {"content", text}});
        if (settings.responses && !sent.body.contains("store")) sent.body["store"] = false;
    }
    static void finish(client::outgoing& sent, client_settings const& settings, tokens length, bool stream) {
        auto& body = sent.body;
        body["model"] = settings.model;
        body["stream"] = stream;
        if (stream && !settings.responses) body["stream_options"] = {{"include_usage", true}};
        if (length == tokens{}) return;
        for (auto const* const name : {"max_tokens", "max_completion_tokens", "max_output_tokens"}) body.erase(name);
        body[settings.responses                                         ? "max_output_tokens"
             : !settings.limit_member.empty()                           ? settings.limit_member
             : settings.base_url.starts_with("https://api.openai.com/") ? "max_completion_tokens"
                                                                        : "max_tokens"] = length.count;
    }

    class reader {
    public:
        client::answer result = {};

        void read_whole(json const& value, delivery& show) {
            if (client::at(value, "output").is_array()) return read_response(value, &show);
            auto const* const choice = note_choice(value);
            if (choice == nullptr || !client::at(*choice, "message").is_object())
                return result.fail("the answer holds no message");
            message_ = *member_of(*choice, "message");
            message_["role"] = "assistant";
            show(text_of(client::at(message_, "content")));
            show(text_member(message_, "refusal"));
        }

        void read_event(json const& value, delivery& show) {
            auto const type = text_member(value, "type");
            if (type == "response.output_text.delta" || type == "response.refusal.delta")
                return show(text_member(value, "delta"));
            if (auto const* const response = object_member(value, "response");
                response != nullptr &&
                (type == "response.completed" || type == "response.incomplete" || type == "response.failed"))
                return read_response(*response, nullptr);
            auto const* const choice = note_choice(value);
            if (choice == nullptr) return;
            auto const& delta = client::at(*choice, "delta");
            for (auto const* const name : {"content", "refusal", "reasoning_content", "reasoning"}) {
                auto const text = text_of(client::at(delta, name));
                if (text.empty()) continue;
                auto& place = message_[name];
                if (!place.is_string()) place = "";
                place.get_ref<std::string&>().append(text);
                if (std::string_view{name} == "content" || std::string_view{name} == "refusal") show(text);
            }
            for (auto const& each : list(delta, "reasoning_details")) message_["reasoning_details"].push_back(each);
            auto const& calls = list(delta, "tool_calls");
            for (std::size_t place = 0; place < calls.size(); ++place) add_call(calls[place], place);
        }

        void finish() {
            if (is_response_) return;
            if (auto* const calls = member_of(message_, "tool_calls"); calls != nullptr && calls->is_array())
                for (std::size_t place = 0; place < calls->size(); ++place) {
                    result.acts = true;
                    auto& call = (*calls)[place];
                    if (call.is_object() && text_member(call, "id").empty())  // a server may leave ids out
                        call["id"] = "call-" + std::to_string(place);
                }
            result.acts = result.acts || client::at(message_, "function_call").is_object();
            result.text = text_of(client::at(message_, "content"));
            result.refusal = text_member(message_, "refusal");
            for (auto const* const name : {"reasoning_content", "reasoning"})
                result.reasons = result.reasons || !text_member(message_, name).empty();
            result.messages.push_back(std::move(message_));
        }

    private:
        static constexpr std::size_t most_calls = 128;

        /// An array member; an empty one if there is none.
        static json const& list(json const& value, std::string_view key) {
            static json const none = json::array();
            auto const& member = client::at(value, key);
            return member.is_array() ? member : none;
        }
        /// A text, or the texts of an array of blocks.
        static std::string text_of(json const& content) {
            if (auto const* const text = string_of(&content)) return *text;
            std::string all;
            if (content.is_array())
                for (auto const& block : content) all += text_member(block, "text");
            return all;
        }

        /// The first choice, with what stands beside it in a body or an event.
        json const* note_choice(json const& value) {
            if (auto const& usage = client::at(value, "usage"); usage.is_object())
                note_usage(usage, "prompt_tokens", "completion_tokens");
            auto const& choices = list(value, "choices");
            if (choices.empty()) return nullptr;
            if (auto const stop = text_member(choices[0], "finish_reason"); !stop.empty()) {
                result.stop = stop;
                result.complete = true;
            }
            return &choices[0];
        }
        /// `input` is "prompt_tokens" or "input_tokens": cached ones are a part of them.
        void note_usage(json const& usage, std::string const& input, std::string const& output) {
            result.usage = provider_usage::with_cached_in_input(
                client::count_at(usage, input), client::count_at(usage, output),
                client::count_at(client::at(usage, input + "_details"), "cached_tokens"));
            result.reasons = client::count_at(client::at(usage, output + "_details"), "reasoning_tokens") != tokens{};
        }

        /// A piece of a call, which comes in several; the first one has its id and name.
        void add_call(json const& piece, std::size_t otherwise) {
            auto const& index = client::at(piece, "index");
            auto const place = index.is_number_unsigned() ? index.get<std::uint64_t>() : otherwise;
            if (place >= most_calls) return result.fail("the answer calls too many tools");
            auto& calls = message_["tool_calls"];
            while (calls.size() <= place)
                calls.push_back({{"id", ""}, {"type", "function"}, {"function", {{"name", ""}, {"arguments", ""}}}});
            auto& call = calls[static_cast<std::size_t>(place)];
            auto& function = call["function"];
            auto const& more = client::at(piece, "function");
            if (text_member(call, "id").empty()) call["id"] = text_member(piece, "id");
            if (text_member(function, "name").empty()) function["name"] = text_member(more, "name");
            function["arguments"].get_ref<std::string&>().append(text_member(more, "arguments"));
            // Gemini behind this protocol wants its signature back.
            if (auto const& extra = client::at(piece, "extra_content"); !extra.is_null()) call["extra_content"] = extra;
        }

        void read_response(json const& response, delivery* show) {
            is_response_ = result.complete = true;
            if (auto const& usage = client::at(response, "usage"); usage.is_object())
                note_usage(usage, "input_tokens", "output_tokens");
            result.stop = text_member(response, "status");
            if (auto const why = text_member(client::at(response, "incomplete_details"), "reason"); !why.empty())
                result.stop = why;
            if (result.stop == "failed" || !client::at(response, "error").is_null()) {
                result.error = client::error_of(0, dump_of(response));
                return;
            }
            for (auto const& item : list(response, "output")) {
                if (!item.is_object()) return result.fail("the answer holds what is no item");
                auto const type = text_member(item, "type");
                for (auto const& block : list(item, "content")) {
                    if (type == "message") result.text += text_member(block, "text");
                    result.refusal += text_member(block, "refusal");
                }
                result.acts = result.acts || type.ends_with("_call");
                result.reasons = result.reasons || type == "reasoning";
                result.messages.push_back(item);
            }
            if (show != nullptr) (*show)(result.text + result.refusal);
        }

        json message_ = {{"role", "assistant"}, {"content", nullptr}};
        bool is_response_ = false;
    };
};

}  // namespace detail

/// Also for Ollama, llama.cpp, vLLM and others by `base_url`, such as "http://localhost:11434/v1", and for Azure by
/// {.base_url = "https://NAME.openai.azure.com/openai/deployments/MODEL?api-version=...", .key_header = "api-key"}.
using openai_client = model_client<detail::openai_protocol>;

}  // namespace v1
}  // namespace condense
