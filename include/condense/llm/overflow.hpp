// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <condense/core/quantity.hpp>
#include <condense/detail/phrase.hpp>
#include <condense/detail/saturate.hpp>

// Whether a provider refused a request because it exceeds the context window, from the HTTP status and the text of
// the answer: if (auto const over = overflow_of(status, body)) ...

namespace condense {
inline namespace v1 {

/// A context overflow as the provider reports it; 0 for a number that the error does not name.
struct overflow {
    tokens limit = {};  ///< of the window, or of the input where the provider limits that
    tokens requested = {};  ///< compared with `limit`; includes the reserved output if the provider adds it

    friend constexpr bool operator==(overflow, overflow) = default;
};

namespace detail {

/// A wording of some provider or server, in lower case. `*` skips text, `~` skips what is neither letter nor digit; see
/// `phrase_at`.
struct overflow_wording {
    std::string_view phrase;  ///< `#` is the requested number, `%` the limit
    bool by_server = false;  ///< comes with status 500 too
    bool generic = false;  ///< of no provider in particular: ignored if the text speaks of rates or of the answer
};

/// Among wordings that begin alike, the one that names more comes first.
inline constexpr std::array overflow_wordings = {
    // OpenAI, and with it vLLM, OpenRouter, DeepSeek and other servers of its protocol.
    overflow_wording{"maximum context length is % tokens*total of at least # tokens"},
    overflow_wording{"maximum context length is % tokens*requested # tokens"},
    overflow_wording{"maximum context length is % tokens*requested about # tokens"},
    overflow_wording{"maximum context length is % tokens*resulted in # tokens"},
    overflow_wording{"maximum context length is % tokens*request has # input tokens"},
    overflow_wording{"maximum context length is % tokens*however"},
    overflow_wording{"input tokens exceed the configured limit of % tokens*resulted in # tokens"},
    overflow_wording{"input exceeds the context window of this model"},
    overflow_wording{"context_length_exceeded"},
    // vLLM; its engine answers 500 where its front end lets a prompt pass.
    overflow_wording{"is too large: #. *maximum context length is % tokens and your request has # input tokens"},
    overflow_wording{"you passed # input tokens and requested # output tokens*context length is only %"},
    overflow_wording{"prompt (length #) is longer than the maximum model length of %", true},
    overflow_wording{"prompt length of # is longer than the maximum model length of %", true},
    overflow_wording{"(total length #) is too long to fit into the model (context length %)", true},
    // SGLang.
    overflow_wording{"input length (# tokens) exceeds the maximum allowed length (% tokens)"},
    overflow_wording{"input (# tokens) is longer than the model*s context length (% tokens)"},
    overflow_wording{"exceeds the model*s maximum context length of % tokens*total of # tokens"},
    // Anthropic, alone and on Bedrock. The last comes with 413, whose other texts are about bytes.
    overflow_wording{"prompt is too long: # tokens > % maximum"},
    overflow_wording{"input length and ~max_tokens~exceed context limit: # + # > %"},
    overflow_wording{"request size exceeds model context window"},
    // Bedrock.
    overflow_wording{"input is too long for requested model"},
    // Gemini and Vertex.
    overflow_wording{"input token count~#~exceeds the maximum number of tokens allowed~%"},
    overflow_wording{"input token count~exceeds the maximum number of tokens allowed~%"},
    overflow_wording{"input token count~exceeds the maximum number of tokens allowed"},
    overflow_wording{"input token count is # but model only supports up to %"},
    // llama.cpp, whose server first answered 500 and later 400.
    overflow_wording{"request (# tokens) exceeds the available context size (% tokens)", true},
    overflow_wording{"exceeds the available context size*n_prompt_tokens~#*n_ctx~%", true},
    overflow_wording{"exceeds the available context size", true},
    overflow_wording{"exceed_context_size_error*n_prompt_tokens~#*n_ctx~%", true},
    overflow_wording{"exceed_context_size_error", true},
    // Ollama.
    overflow_wording{"input length exceeds the context length", true},
    overflow_wording{"input length exceeds maximum context length", true},
    overflow_wording{"prompt too long; exceeded max context length", true},
    // Mistral, GitHub.
    overflow_wording{"prompt contains # tokens*too large for model with % maximum context length"},
    overflow_wording{"prompt token count of # exceeds the limit of %"},
    overflow_wording{"request body too large for * model. max size: % tokens"},
    // xAI, Moonshot and its Kimi, MiniMax (whose number in brackets is a code), z.ai and Zhipu, Volcano Engine.
    overflow_wording{"maximum prompt length is % but the request contains # tokens"},
    overflow_wording{"exceeded model token limit: % (requested: #)"},
    overflow_wording{"exceeded model token limit"},
    overflow_wording{"model max length exceeded, max length:~%"},
    overflow_wording{"context window exceeds limit"},
    overflow_wording{"prompt exceeds max length"},
    overflow_wording{"model_context_window_exceeded"},
    overflow_wording{"input length # exceeds the maximum length %"},
    // LM Studio.
    overflow_wording{"tokens to keep from the initial prompt is greater than the context length*n_keep~#*n_ctx~%"},
    overflow_wording{"tokens to keep from the initial prompt is greater than the context length"},
    overflow_wording{"trying to keep the first # tokens when context*overflows*context length of only % tokens"},
    // Cohere, Text Generation Inference.
    overflow_wording{"too many tokens: total number of tokens*cannot exceed % - received #"},
    overflow_wording{"too many tokens: size limit exceeded by"},
    overflow_wording{"inputs~must have less than % tokens. given: #"},
    overflow_wording{"inputs~tokens + ~max_new_tokens~must be <= %. given: #~inputs~tokens and #"},
    // Of gateways, and of those to come.
    overflow_wording{.phrase = "maximum context length is % tokens", .generic = true},
    overflow_wording{.phrase = "maximum context*of % tokens", .generic = true},
    overflow_wording{.phrase = "maximum context*exceeded", .generic = true},
    overflow_wording{.phrase = "exceeds*maximum context", .generic = true},
    overflow_wording{.phrase = "exceeded*maximum context", .generic = true},
    overflow_wording{.phrase = "longer than*maximum context", .generic = true},
    overflow_wording{.phrase = "token limit*exceeded", .generic = true},
    overflow_wording{.phrase = "exceeds*token limit", .generic = true},
    overflow_wording{.phrase = "exceeded*token limit", .generic = true},
};

/// Phrases of errors that limit a rate, a quota or the answer instead of the request.
inline constexpr std::array<std::string_view, 14> other_limits = {
    "rate limit", "rate_limit", "ratelimit", "per minute", "per day", "per hour",     "per month",
    "daily",      "monthly",    "today",     "quota",      "(tpm)",   "output token", "max_tokens must"};

/// True if the text mentions another limit than the window. Linear; called only for a wording of no provider in
/// particular.
constexpr bool limits_something_else(std::string_view text) noexcept {
    for (; !text.empty(); text.remove_prefix(1))
        for (auto const words : other_limits)
            if (lowered(text[0]) == words[0] && phrase_at(text, words)) return true;
    return false;
}

/// How libraries write the HTTP status into the text of an error.
inline constexpr std::array<std::string_view, 4> status_wordings = {"code~%", "error~%", "http~%", "status~%"};

/// True if an overflow may come with this HTTP status; 0 if it is not known. For the reasons see `overflow_of`.
constexpr bool overflow_status(int status, bool by_server) noexcept {
    return status == 0 || status == 400 || status == 413 || status == 422 || (status == 500 && by_server);
}

/// 2^40 tokens, more than any window: a larger number does not count tokens.
inline constexpr std::uint64_t tokens_ceiling = std::uint64_t{1} << 40;

/// Sets a number that no earlier wording has set.
constexpr void set_tokens(tokens& target, std::uint64_t count) noexcept {
    if (target.count == 0 && count <= tokens_ceiling) target = {count};
}

/// A hash of the first two bytes, of either case.
constexpr std::size_t start_of(std::string_view text) noexcept {
    return (static_cast<unsigned char>(lowered(text[0])) * 32u + static_cast<unsigned char>(lowered(text[1]))) % 1024;
}

/// Which pairs of bytes begin a wording, by hash, so that most of a text is skipped quickly.
inline constexpr auto wording_starts = [] {
    std::array<bool, 1024> starts{};
    for (auto const& wording : overflow_wordings) starts[start_of(wording.phrase)] = true;
    for (auto const wording : status_wordings) starts[start_of(wording)] = true;
    return starts;
}();

/// The status that a text states here, or 0.
constexpr int status_at(std::string_view text) noexcept {
    for (auto const wording : status_wordings)
        if (auto const match = phrase_at(text, wording); match && match->second >= 400 && match->second <= 599)
            return static_cast<int>(match->second);
    return 0;
}

}  // namespace detail

/// The beginning of an answer that is searched: real errors are short, and a body may be of any size.
inline constexpr bytes overflow_look = {64 * 1024};

/// The context overflow that a provider's answer reports, if any: from the body, the event of a stream, or the message
/// of a library's exception, in any case and escaped or not. `status` is the HTTP status; 0 if it is not known: then
/// the last one that the text states before the wording counts.
///
/// Overflows come with 400 (all providers), 413 (Anthropic and GitHub, if the text speaks of the window or of tokens),
/// 422 (gateways that validate), and 500 if the wording is that of llama.cpp, Ollama or vLLM's engine. Not with 2xx,
/// where a model may write about overflows; with 401, 403 and 404, whose texts may quote a prompt; with 429, where the
/// numbers are those of a rate and a shorter request need not help; nor with other server errors, where the request may
/// be valid. Wordings of no provider in particular, such as `maximum context` or `token limit` beside `exceeds`, count
/// only if the text does not mention rates, quotas or the answer. Pass an error in a stream that began with 200 with
/// status 0. A 400 that quotes a wording from a prompt is reported as an overflow.
///
/// Linear in the text, of which only the first `overflow_look` bytes count; allocates nothing. Numbers of 0 or above
/// 2^40 count as not named.
constexpr std::optional<overflow> overflow_of(int status, std::string_view text) noexcept {
    if (!detail::overflow_status(status, true)) return std::nullopt;
    text = text.substr(0, detail::as_size(overflow_look.count));
    std::optional<overflow> result;
    std::optional<bool> names_other_limit;  // searched once, for the first generic wording
    bool const status_known = status != 0;
    for (auto rest = text; rest.size() > 1; rest.remove_prefix(1)) {
        if (!detail::wording_starts[detail::start_of(rest)]) continue;
        if (auto const stated = status_known ? 0 : detail::status_at(rest); stated != 0) status = stated;
        for (auto const& wording : detail::overflow_wordings) {
            if (detail::lowered(rest[0]) != wording.phrase[0] || !detail::overflow_status(status, wording.by_server))
                continue;
            auto const match = detail::phrase_at(rest, wording.phrase);
            if (!match) continue;
            if (wording.generic && !names_other_limit) names_other_limit = detail::limits_something_else(text);
            if (wording.generic && *names_other_limit) continue;
            if (!result) result = overflow{};
            detail::set_tokens(result->limit, match->second);
            detail::set_tokens(result->requested, match->first);
            if (result->limit.count != 0 && result->requested.count != 0) return result;
            break;
        }
    }
    return result;
}

/// The provider refuses reasoning in the request because it is bound to another conversation than that before it (see
/// part_view::bound); no overflow. From the HTTP status, 0 if it is not known, and the text of the answer, in the words
/// of Anthropic's Messages and of what passes them on: https://platform.claude.com/docs, "Prefix checks".
constexpr bool is_bound_elsewhere(int status, std::string_view text) noexcept {
    if (status != 0 && status != 400) return false;
    text = text.substr(0, detail::as_size(overflow_look.count));
    for (; !text.empty(); text.remove_prefix(1))
        for (std::string_view const words :
             {"bound to a different conversation", "invalid~signature~in~thinking~block"})
            if (detail::lowered(text[0]) == words[0] && detail::phrase_at(text, words)) return true;
    return false;
}

}  // namespace v1
}  // namespace condense
