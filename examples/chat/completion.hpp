// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/json_parse.hpp>
#include <condense/detail/utf8.hpp>

#include "model.hpp"

// One answer of an OpenAI-compatible server, put together from a whole body or from the events of a stream.
// A field of an unexpected type counts as missing.

namespace repl {

/// What went wrong, from the body of an error: its message and code, else its beginning.
inline std::string error_text(std::string_view body) {
    constexpr std::size_t most = 2'000;
    auto const read = condense::parse_json<json>(condense::utf8::scrubbed(std::string{body}));
    auto const& error = member(read.value, "error");
    std::string text{error.is_string() ? text_member(read.value, "error") : text_member(error, "message")};
    if (auto const code = text_member(error, "code"); !code.empty()) text += " (" + std::string{code} + ")";
    if (text.empty()) text = body;
    text.resize(condense::utf8::floor(text, most));
    return text;
}

class completion {
public:
    /// One event of a stream.
    void add_event(std::string_view data, sink const& piece) {
        if (data == "[DONE]") ended_ = true;
        else add(data, "delta", piece);
    }
    /// The body of an answer that is no stream.
    void add_body(std::string_view body, sink const& piece) {
        add(body, "message", piece);
        ended_ = true;
    }

    reply finish(int status) && {
        if (!problem_.empty()) return failed(status, std::move(problem_));
        if (!ended_) return failed(status, "the answer was cut off");
        for (std::size_t index = 0; index < calls_.size(); ++index)  // a server may leave ids out
            if (calls_[index].id.empty()) calls_[index].id = "call-" + std::to_string(index);
        return {.message = answer(std::move(text_), calls_), .usage = usage_};
    }

private:
    static constexpr std::size_t most_calls = 64;

    void add(std::string_view data, char const* where, sink const& piece) {
        auto const read = condense::parse_json<json>(condense::utf8::scrubbed(std::string{data}));
        if (!read) return note("the server sent what is not JSON: " + read.error);
        if (!member(read.value, "error").is_null()) return note(error_text(data));
        note_usage(member(read.value, "usage"));
        auto const& choices = member(read.value, "choices");
        if (!choices.is_array() || choices.empty()) return;
        if (!text_member(choices[0], "finish_reason").empty()) ended_ = true;
        auto const& said = member(choices[0], where);
        for (auto const* const key : {"content", "refusal"}) {
            auto const text = text_member(said, key);
            text_.append(text);
            if (!text.empty()) piece(text);
        }
        auto const& calls = member(said, "tool_calls");
        if (!calls.is_array()) return;
        for (std::size_t at = 0; at < calls.size(); ++at) add_call(calls[at], at);
    }

    /// A piece of a call, which comes in several; the first one has its id and name.
    void add_call(json const& given, std::size_t otherwise) {
        auto const& index = member(given, "index");
        auto const at = index.is_number_unsigned() ? index.get<std::uint64_t>() : otherwise;
        if (at >= most_calls) return note("the answer calls too many tools");
        if (calls_.size() <= at) calls_.resize(static_cast<std::size_t>(at) + 1);
        auto& call = calls_[static_cast<std::size_t>(at)];
        auto const& function = member(given, "function");
        if (call.id.empty()) call.id = text_member(given, "id");
        if (call.name.empty()) call.name = text_member(function, "name");
        call.arguments.append(text_member(function, "arguments"));
    }

    /// Cached tokens are a part of OpenAI's `prompt_tokens`; here they are counted apart.
    void note_usage(json const& given) {
        if (!given.is_object()) return;
        auto const figure = [](json const& from, char const* key) {
            auto const& value = member(from, key);
            return condense::tokens{value.is_number_unsigned() ? value.get<std::uint64_t>() : 0};
        };
        usage_.cache_read = figure(member(given, "prompt_tokens_details"), "cached_tokens");
        usage_.input = figure(given, "prompt_tokens") - usage_.cache_read;
        usage_.output = figure(given, "completion_tokens");
    }

    void note(std::string problem) {
        if (problem_.empty()) problem_ = std::move(problem);
    }

    std::string text_;
    std::vector<tool_call> calls_;
    condense::provider_usage usage_;
    std::string problem_;
    bool ended_ = false;
};

}  // namespace repl
