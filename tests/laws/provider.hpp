// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stdexcept>

#include <condense/llm/model_call.hpp>

#include "laws/generator.hpp"
#include "support/messages/form.hpp"

// A provider with a tokenizer of its own and a real window, which refuses, fails and answers as providers do.

namespace laws {

/// What an overflow is called, with `#` for what was sent and `%` for what is allowed.
struct refusal_wording {
    int status;
    std::string_view text;
};

inline constexpr refusal_wording refusal_wordings[] = {
    // OpenAI
    {400,
     R"({"error":{"message":"This model's maximum context length is % tokens. However, your messages resulted in # tokens. )"
     R"(Please reduce the length of the messages.","type":"invalid_request_error","code":"context_length_exceeded"}})"},
    {400,
     R"({"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.",)"
     R"("type":"invalid_request_error","param":"input","code":"context_length_exceeded"}})"},
    // Anthropic
    {400,
     R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: # tokens > % maximum"}})"},
    // Gemini
    {400,
     R"({"error":{"code":400,"message":"The input token count (#) exceeds the maximum number of tokens allowed (%).",)"
     R"("status":"INVALID_ARGUMENT"}})"},
    // Bedrock
    {400, R"({"message":"Input is too long for requested model.","__type":"ValidationException"})"},
    // llama.cpp
    {400, R"({"error":{"code":400,"message":"the request exceeds the available context size, try increasing it",)"
          R"("type":"exceed_context_size_error","n_prompt_tokens":#,"n_ctx":%}})"},
    {500, "the request exceeds the available context size. try increasing the context size or enable context shift"},
    // vLLM
    {400,
     R"({"object":"error","message":"This model's maximum context length is % tokens. However, you requested # tokens )"
     R"((# in the messages, 0 in the completion). Please reduce the length of the messages or completion.","code":400})"},
    // Ollama
    {400, R"({"error":"the input length exceeds the context length"})"},
};

/// Failures that have nothing to do with the size, though some speak of tokens.
inline constexpr refusal_wording other_failures[] = {
    {429, "Rate limit reached for tokens per minute (TPM): limit 30000, requested 45000"},
    {429, "This model's maximum context length is fine, but you have sent too many requests"},
    {500, "internal server error"},
    {503, "overloaded_error"},
    {401, "invalid api key"},
    {400, "tools.0.name: string does not match pattern"},
    {0, "connection reset by peer"},
};

inline std::string filled(std::string_view wording, std::uint64_t sent, std::uint64_t limit) {
    std::string out;
    for (char const letter : wording) {
        if (letter == '#') out += std::to_string(sent);
        else if (letter == '%') out += std::to_string(limit);
        else out += letter;
    }
    return out;
}

/// Not a std::exception, as some programs throw.
struct odd_failure {
    int number;
};

/// Counts four tokens a message and one for every four bytes, as byte_estimator does, but for its own factors:
/// one for ASCII and one for all other bytes, in hundredths.
struct foreign_tokenizer {
    std::uint64_t plain = 100;
    std::uint64_t other = 100;

    std::uint64_t operator()(std::vector<chat_message> const& all) const {
        std::uint64_t quarters = 0;  // of a hundredth
        for (auto const& m : all) {
            quarters += 16 * plain;
            for (auto const& part : m.parts) {
                if (part.cost) {
                    quarters += (*part.cost).tokens().count * 4 * plain;
                    continue;
                }
                std::uint64_t ascii = 0;
                for (char const byte : part.text) ascii += static_cast<unsigned char>(byte) < 0x80 ? 1u : 0u;
                quarters += ascii * plain + (part.text.size() - ascii) * other;
                quarters += part.text.empty() ? 0 : 3 * plain;
            }
        }
        return quarters / 400 + 1;
    }
};

enum class behaviour : std::uint8_t {
    answers,
    refuses,
    refuses_after_a_piece,
    fails,
    throws_error,
    throws_odd,
    silent
};

/// One call of `session.call` as the provider saw it.
struct provider {
    foreign_tokenizer count = {};
    std::uint64_t window = 0;
    std::uint64_t overhead = 0;  ///< its own count of what stands beside the messages
    random_source random{0};
    bool reports = true;   ///< usage
    bool names = true;     ///< figures in refusals
    bool streams = false;
    unsigned failing = 0;  ///< per cent of the requests that fail otherwise

    // What it is to answer, and what has happened.
    chat_message answer = {};
    std::vector<std::vector<chat_message>> requests = {};
    std::vector<behaviour> did = {};
    condense::provider_usage reported = {};
    condense::provider_error told = {};
    std::uint64_t named = 0;  ///< the size that the latest refusal names
    bool has_named_a_size = false;  ///< in some refusal so far
    bool thrown = false;  ///< the latest was thrown and not returned

    void begin(chat_message next) {
        answer = std::move(next);
        requests.clear();
        did.clear();
        reported = {};
        told = {};
        named = 0;
        thrown = false;
    }
    bool refused_last() const {
        return !did.empty() && (did.back() == behaviour::refuses || did.back() == behaviour::refuses_after_a_piece);
    }

    template <class Message>
    condense::reply<Message> fail(behaviour which, refusal_wording const& wording, std::uint64_t sent) {
        did.push_back(which);
        named = wording.text.find('#') == std::string_view::npos ? 0 : sent;
        has_named_a_size = has_named_a_size || named != 0;
        told = {.status = wording.status, .text = filled(wording.text, sent, window)};
        thrown = random.chance(30);
        if (thrown) {
            told.status = 0;
            told.text = "HTTP " + std::to_string(wording.status) + ": " + told.text;
            throw std::runtime_error{told.text};
        }
        condense::reply<Message> out;
        out.error = told;
        return out;
    }

    template <class Message, class Request>
    condense::reply<Message> take(Request const& request, condense::delivery* sink) {
        thrown = false;
        auto& sent = requests.emplace_back();
        for (auto const& m : request) sent.push_back(forms::to_chat(m));
        auto const size = overhead + count(sent);
        if (random.chance(failing)) {
            if (random.chance(15)) {
                did.push_back(behaviour::throws_odd);
                throw odd_failure{static_cast<int>(requests.size())};
            }
            if (random.chance(15)) {
                did.push_back(behaviour::silent);
                return {};
            }
            auto const& wording = other_failures[random.below(std::size(other_failures))];
            return fail<Message>(behaviour::fails, wording, size);
        }
        if (size > window) {
            bool const late = sink != nullptr && random.chance(25);
            if (sink != nullptr && random.chance(25)) (*sink)("");
            if (late) (*sink)(piece(0));
            auto at = random.below(std::size(refusal_wordings));
            while (!names && refusal_wordings[at].text.find('#') != std::string_view::npos)
                at = random.below(std::size(refusal_wordings));
            auto const& wording = refusal_wordings[at];
            return fail<Message>(late ? behaviour::refuses_after_a_piece : behaviour::refuses, wording, size);
        }
        if (sink != nullptr)
            for (std::size_t at = 0; at < 3; ++at) (*sink)(piece(at));
        did.push_back(behaviour::answers);
        condense::reply<Message> out;
        out.message.emplace(forms::from_chat<Message>(answer));
        if (reports && random.chance(90)) {
            auto const cached = random.chance(40) ? size / 2 : 0;
            reported = {.input = {size - cached}, .output = {7}, .cache_read = {cached}};
            out.usage = reported;
        }
        return out;
    }
    std::string piece(std::size_t at) const { return answer.name + ":" + std::to_string(at) + ";"; }
    std::string pieces() const { return piece(0) + piece(1) + piece(2); }
};

/// As a session calls it; one that streams takes the delivery too.
template <class Message>
struct plain_client {
    provider* of;
    template <class Request>
    condense::reply<Message> operator()(Request const& request) const {
        return of->take<Message>(request, nullptr);
    }
};
template <class Message>
struct streaming_client {
    provider* of;
    template <class Request>
    condense::reply<Message> operator()(Request const& request, condense::delivery& sink) const {
        return of->take<Message>(request, &sink);
    }
};

}  // namespace laws
