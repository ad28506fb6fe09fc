// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/cache_marks.hpp>
#include <condense/adapt/json.hpp>
#include <condense/adapt/json_blocks.hpp>
#include <condense/adapt/json_parse.hpp>
#include <condense/adapt/json_place.hpp>
#include <condense/client/model_client.hpp>
#include <condense/core/quantity.hpp>
#include <condense/llm/model_call.hpp>

// Anthropic's Messages: anthropic_client{{.model = "claude-haiku-4-5", .key = ...}}.

namespace condense {
inline namespace v1 {
namespace detail {

struct anthropic_protocol {
    using json = client::json;

    static constexpr char const* base_url = "https://api.anthropic.com/v1";
    static constexpr char const* key_header = "x-api-key";
    static constexpr char const* key_variable = "ANTHROPIC_API_KEY";
    static constexpr bool has_items = false;
    static constexpr std::array of_agent = {"tools", "tool_choice", "system"};

    static std::string path(client_settings const&, bool) { return "/messages"; }
    static std::string query(bool) { return {}; }
    static void add_headers(std::vector<std::string>& all, client_settings const& settings) {
        client::add_header(all, "anthropic-version: 2023-06-01");
        // A header of its own: lines of one name are one list.
        if (settings.bound == bound_parts::stay) all.push_back("anthropic-beta: thinking-binding-controls-2026-08-01");
    }
    static char const* list_name(client_settings const&) { return "messages"; }

    static json user_message(std::string_view text) { return {{"role", "user"}, {"content", text}}; }
    template <class Json>
    static bool take_system(client::outgoing& sent, Json const& message) {
        if (text_member(message, "role") != "system") return false;
        client::add_texts(sent.system, member_of(message, "content"), true);
        return true;
    }
    static void add_system(client::outgoing& sent, client_settings const&, std::string text) {
        sent.system.push_back(text_block<json>(std::move(text), true));
    }
    static void finish(client::outgoing& sent, client_settings const& settings, tokens length, bool stream) {
        auto& body = sent.body;
        client::take_texts(body, "system", sent.system, true);
        if (!sent.system.empty()) body["system"] = std::move(sent.system);
        body["model"] = settings.model;
        body["stream"] = stream;
        if (length != tokens{}) body["max_tokens"] = length.count;
        else if (!body.contains("max_tokens")) body["max_tokens"] = 8'192;
        if (sent.conversation == 0) return;
        if (settings.bound == bound_parts::stay) {
            auto* const thinking = object_member(body, "thinking");
            if (thinking != nullptr && text_member(*thinking, "type") != "disabled")
                (*thinking)["block_binding"]["prefix_mismatch_behavior"] = "drop_block";
        }
        if (settings.cache) mark(sent);
    }
    /// As set_cache_marks, but in the texts of the messages. An instruction behind the conversation is not marked, so
    /// that the marks are those of the agent's own request.
    static void mark(client::outgoing& sent) {
        auto& body = sent.body;
        if (body.contains("cache_control")) return;
        cache_marker<json> const marker{mark_form::control};
        json message;
        auto const read = [&](std::size_t index) -> json& {
            return message = parse_json<json>(sent.list[index]).value;
        };
        for (std::size_t index = 0; index < sent.conversation; ++index)  // few have the word, fewer the mark
            if (sent.list[index].find("\"cache_control\":") != std::string::npos && marker.clear(read(index))) return;
        constexpr auto least = cache_marks{}.least;
        quarter_estimator const estimator;
        auto size = cost::of(overhead_of(std::as_const(body), estimator));
        auto const head = marker.mark_head(body, size.tokens() >= least);
        std::size_t first = 0;
        for (; first < sent.conversation; ++first)
            if ((size += estimator(sent.list[first])).tokens() >= least) break;
        marker.mark_messages(first, sent.conversation, marker.most - (std::min)(head, marker.most), read,
                             [&](std::size_t index) { sent.list[index] = dump_of(message); });
    }

    class reader {
    public:
        client::answer result = {};

        void read_whole(json const& value, delivery& show) {
            if (!client::at(value, "content").is_array()) return result.fail("the answer holds no message");
            blocks_ = *member_of(value, "content");
            for (auto const& block : blocks_)
                if (text_member(block, "type") == "text") show(text_member(block, "text"));
            note(value);
        }

        void read_event(json const& value, delivery& show) {
            auto const type = text_member(value, "type");
            if (type == "message_start") note(client::at(value, "message"));
            else if (type == "content_block_start") {
                auto const& block = client::at(value, "content_block");
                if (!block.is_object()) return result.fail("the answer holds what is no block");
                blocks_.push_back(block);
                inputs_.emplace_back();
                show(text_member(block, "text"));
            } else if (type == "content_block_delta") {
                auto const& index = client::at(value, "index");
                auto const place = index.is_number_unsigned() ? index.get<std::uint64_t>() : blocks_.size();
                if (place >= blocks_.size()) return result.fail("the answer holds a piece of no block");
                add(static_cast<std::size_t>(place), client::at(value, "delta"), show);
            } else if (type == "message_delta") {
                note(value);
                note(client::at(value, "delta"));
            } else if (type == "message_stop") result.complete = true;
        }

        void finish() {
            for (std::size_t place = 0; place < inputs_.size(); ++place) {
                if (inputs_[place].empty()) continue;
                std::string problem;
                blocks_[place]["input"] = client::parse(inputs_[place], problem);
                if (!problem.empty()) return result.fail("the input of a tool is not whole (" + result.stop + ")");
            }
            auto content = json::array();
            for (auto& block : blocks_) {
                auto const type = text_member(block, "type");
                auto const text = text_member(block, "text");
                if (type == "text" && text.empty()) continue;  // refused when it is sent back
                if (type == "text") result.text += text;
                else if (type == "thinking" || type == "redacted_thinking") result.reasons = true;
                else result.acts = true;
                content.push_back(std::move(block));
            }
            result.messages.push_back({{"role", "assistant"}, {"content", std::move(content)}});
        }

    private:
        void add(std::size_t place, json const& delta, delivery& show) {
            show(text_member(delta, "text"));
            inputs_[place] += text_member(delta, "partial_json");
            for (auto const* const name : {"text", "thinking", "signature"})
                if (auto const piece = text_member(delta, name); !piece.empty()) {
                    auto& text = blocks_[place][name];
                    if (!text.is_string()) text = "";
                    text.get_ref<std::string&>().append(piece);
                }
            if (auto const& citation = client::at(delta, "citation"); citation.is_object()) {
                auto& all = blocks_[place]["citations"];
                if (!all.is_array()) all = json::array();
                all.push_back(citation);
            }
        }
        /// A later report replaces the figures that it has.
        void note(json const& from) {
            if (auto const stop = text_member(from, "stop_reason"); !stop.empty()) result.stop = stop;
            auto const& usage = client::at(from, "usage");
            auto const figure = [&](tokens& to, std::string_view name) {
                if (client::at(usage, name).is_number_unsigned()) to = client::count_at(usage, name);
            };
            figure(result.usage.input, "input_tokens");
            figure(result.usage.output, "output_tokens");
            figure(result.usage.cache_read, "cache_read_input_tokens");
            figure(result.usage.cache_write, "cache_creation_input_tokens");
            if (auto const& changes = client::at(from, "input_transformations"); changes.is_array())
                result.usage.dropped =
                    static_cast<std::uint64_t>(std::count_if(changes.begin(), changes.end(), [](json const& each) {
                        return text_member(each, "type") == "thinking_dropped";
                    }));
            auto const& edits = client::at(client::at(from, "context_management"), "applied_edits");
            if (!edits.is_array()) return;
            result.usage.cleared = {};
            for (auto const& edit : edits)
                result.usage.cleared = result.usage.cleared + client::count_at(edit, "cleared_input_tokens");
        }

        json blocks_ = json::array();
        std::vector<std::string> inputs_;  ///< of the blocks of a stream, in pieces of JSON
    };
};

}  // namespace detail

/// System messages go into `system`, behind that of the settings. An answer of the agent is limited to 8,192 tokens
/// unless settings or `body` say otherwise, since Anthropic demands a limit.
using anthropic_client = model_client<detail::anthropic_protocol>;

}  // namespace v1
}  // namespace condense
