// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <condense/core/quantity.hpp>
#include <condense/detail/ascii.hpp>
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
    overflow_wording{"input characters and requested*context length is only % tokens"},
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
    overflow_wording{"context size has been exceeded", true},
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
    overflow_wording{"too many tokens: size limit exceeded by*limit for this model is % tokens"},
    overflow_wording{"too many tokens: size limit exceeded by"},
    overflow_wording{"inputs~must have less than % tokens. given: #"},
    overflow_wording{"inputs~tokens + ~max_new_tokens~must be <= %. given: #~inputs~tokens and #"},
    // DashScope, TabbyAPI, gateways.
    overflow_wording{"range of input length should be [1, %]"},
    overflow_wording{"request length # + # is greater than max_seq_len %"},
    overflow_wording{"total tokens of image and text exceed"},
    overflow_wording{"max_tokens must be at least 1, got -"},
    overflow_wording{"reduce the length of the messages"},
    // Others are read by overflow_statement, but this says of no excess.
    overflow_wording{.phrase = "maximum context length is % tokens", .generic = true},
    overflow_wording{.phrase = "maximum context*of % tokens", .generic = true},
};

/// Phrases of errors that limit a rate, a quota or the answer instead of the request, or refuse something else in it.
inline constexpr std::array<std::string_view, 21> other_limits = {
    "rate limit", "rate_limit", "ratelimit", "per minute",  "per day",   "per hour",      "per month",
    "daily",      "monthly",    "today",     "quota",       "(tpm)",     "billing",       "api key",
    "throttl",    "enqueued",   "organi",    "please wait", "signature", "invalid value", "batch size"};

/// True if the text mentions another limit than the window, or quotes what it refuses. Linear; called only where no
/// provider's wording was found.
constexpr bool limits_something_else(std::string_view text) noexcept {
    for (; !text.empty(); text.remove_prefix(1))
        for (auto const words : other_limits)
            if (lowered(text[0]) == words[0] && phrase_at(text, words)) return true;
    return false;
}

/// 2^40 tokens, more than any window: a larger number does not count tokens.
inline constexpr std::uint64_t tokens_ceiling = std::uint64_t{1} << 40;

/// Words of Chinese errors, and those that they count as.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 19> chinese_words = {
    {{"\u4e0a\u4e0b\u6587", "context"},
     {"\u63d0\u793a", "prompt"},
     {"\u8f93\u5165", "input"},
     {"\u8d85\u8fc7", "exceeds"},
     {"\u8d85\u51fa", "exceeds"},
     {"\u8d85\u957f", "overlong"},
     {"\u8fc7\u957f", "overlong"},
     {"\u6700\u5927", "max"},
     {"\u957f\u5ea6", "length"},
     {"\u9650\u5236", "limit"},
     {"\u7a97\u53e3", "window"},
     {"\u8f93\u51fa", "output"},
     {"\u989d\u5ea6", "credit"},
     {"\u4f59\u989d", "credit"},
     {"\u56fe\u7247", "image"},
     {"\u9891\u7387", "credit"},
     {"\u6bcf\u5206\u949f", "credit"},
     {"\u5e76\u53d1", "credit"},
     {"\u4e0a\u9650", "limit"}}};

/// One sentence of an error, as it is read word by word.
class overflow_sentence {
public:
    constexpr void add_word(std::string_view word) noexcept {
        auto const is = [&](std::string_view words) { return is_one_of(word, words); };
        context_ = context_ || is("context prompt prompts sum");
        holds_ = holds_ || is("holds has contains fills supports");
        subject_ = subject_ || is("context prompt prompts input inputs token tokens sequence conversation");
        frame_ = frame_ || is("window maximum max limit limits model length size allowed supported") ||
                 (excess_ != 0 && is("context"));
        veto_ = veto_ ||
                is("deadline timeout stop byte bias logit batch embeddings image images pixel pixels dimensions bytes "
                   "mb credit credits "
                   "organisation organization");
        // Of an argument, a name or the answer, unless it speaks of the context.
        weak_ = weak_ || is("completion output response array string name description url title schema property tool "
                            "tools function field header session characters");
        weak_ = weak_ || (last_ == after_max && is("tokens"));
        if (is("exceed exceeds exceeding over beyond above surpasses fit") || (last_ == after_more && is("than"))) {
            found(1);
            frame_ = false;  // has to follow
        }
        if (is("exceeded full reached")) found(1);
        if (is("overlong") || (last_ == after_too && is("long large many big")) ||
            (last_ == after_reduce && is("length")))
            found(2);
        last_ = is("too")                                              ? after_too
                : is("longer larger greater more")                     ? after_more
                : is("reduce") || (last_ == after_reduce && is("the")) ? after_reduce
                : is("max maximum")                                    ? after_max
                                                                       : after_other;
        by_ = is("by");
    }
    constexpr void add_number(std::uint64_t number) noexcept {
        if (by_ || number < 1'000) return;  // an excess, or no count of tokens
        if (excess_ == 0 && count_ == 0) first_before_ = true;
        if (count_ >= 2 && numbers_[0] + numbers_[1] == number) {  // input and output, and their sum
            numbers_[0] = number;
            count_ = 1;
            return;
        }
        for (std::size_t at = 0; at < count_ && at < 2; ++at)
            if (numbers_[at] == number) return;
        if (count_ < 2) numbers_[count_] = number;
        ++count_;
    }
    /// One such as max_completion_tokens limits the answer; prompt_cache_key is no prompt.
    constexpr void end_identifier(std::string_view identifier) noexcept {
        veto_ = veto_ || identifier.ends_with("_key") || identifier.ends_with("_id") || identifier.ends_with("_name");
        weak_ =
            weak_ || is_one_of(identifier, "max_tokens max_completion_tokens max_output_tokens max_new_tokens num_ctx");
    }

    constexpr bool states_overflow() const noexcept {
        bool const compares = excess_ == 0 && frame_ && context_ && holds_ && count_ == 2;
        return subject_ && !veto_ && (!weak_ || context_) && (excess_ == 2 || (excess_ == 1 && frame_) || compares);
    }
    constexpr bool has_figures() const noexcept { return subject_ && !veto_ && count_ == 2; }
    /// Of two figures the larger was requested; of one what stands before the excess.
    constexpr overflow figures() const noexcept {
        auto const [one, other] = numbers_;
        if (count_ == 2) return {{one < other ? one : other}, {one < other ? other : one}};
        if (count_ != 1) return {};
        return first_before_ ? overflow{{}, {one}} : overflow{{one}, {}};
    }

private:
    constexpr void found(int kind) noexcept { excess_ = excess_ > kind ? excess_ : kind; }

    bool subject_ = false, frame_ = false, context_ = false, veto_ = false, weak_ = false, by_ = false;
    bool holds_ = false, first_before_ = false;
    int excess_ = 0;  ///< 1 beyond a limit, 2 too long
    enum { after_other, after_too, after_more, after_reduce, after_max } last_ = after_other;  ///< the word before
    std::uint64_t numbers_[2] = {};
    std::size_t count_ = 0;
};

/// The thousands or millions that stand behind a number, as in 128k and 1.2M; returns how many bytes that takes.
constexpr std::size_t take_unit(std::string_view text, std::uint64_t& number) noexcept {
    std::size_t at = 0;
    std::uint64_t tenth = 0;
    if (text.size() > 2 && text[0] == '.' && is_digit(text[1])) {
        tenth = static_cast<std::uint64_t>(text[1] - '0');
        at = 2;
    }
    auto rest = text.substr(at);
    constexpr std::string_view ten_thousand = "\u4e07";
    std::uint64_t unit = 0;
    if (rest.starts_with(' ') && rest.substr(1).starts_with(ten_thousand)) rest.remove_prefix(1);
    if (rest.starts_with(ten_thousand)) {
        unit = 10'000;
        rest.remove_prefix(ten_thousand.size());
    } else if (!rest.empty() && (rest.size() == 1 || !is_letter(rest[1]))) {
        unit = lowered(rest[0]) == 'k' ? 1'000 : rest[0] == 'M' ? 1'000'000 : 0;
        rest.remove_prefix(1);
    }
    if (unit == 0 || number > tokens_ceiling / unit) return 0;
    number = number * unit + tenth * (unit / 10);
    return text.size() - rest.size();
}

/// Reads a text word by word, and calls close(sentence) at the end of each sentence, which begins as a new one does. An
/// identifier is its words: context_length_exceeded, ContextWindowExceeded. Linear.
template <class Sentence, class Close>
constexpr void each_sentence(std::string_view text, Close const& close) noexcept {
    Sentence current;
    bool counts = true;  // not the digits of E1005 and of -3310
    auto const is_word = [](char byte) { return is_letter(byte) || byte == '_'; };
    while (!text.empty()) {
        std::size_t size = 1;
        bool const begins_word = is_word(text[0]);
        if (begins_word) {
            while (size < text.size() && is_word(text[size])) ++size;
            auto const identifier = text.substr(0, size);
            std::size_t begin = 0;
            for (std::size_t at = 1; at <= size; ++at) {
                auto const is_upper = [&](std::size_t place) {
                    return identifier[place] >= 'A' && identifier[place] <= 'Z';
                };
                if (at < size && identifier[at] != '_' && !(is_upper(at) && !is_upper(at - 1))) continue;
                current.add_word(identifier.substr(begin, at - begin));
                begin = at < size && identifier[at] == '_' ? at + 1 : at;
            }
            current.end_identifier(identifier);
        } else if (is_digit(text[0])) {
            std::uint64_t number = 0;
            auto rest = text;
            if (take_number(rest, number)) size = text.size() - rest.size();
            size += take_unit(text.substr(size), number);
            if (counts) current.add_number(number <= tokens_ceiling ? number : 0);
        } else if (static_cast<unsigned char>(text[0]) >= 0x80) {
            for (auto const& [word, meaning] : chinese_words)
                if (text.starts_with(word)) {
                    size = word.size();
                    current.add_word(meaning);
                }
        } else if (std::string_view{".!?\"\n{}"}.find(text[0]) != std::string_view::npos &&
                   !(text[0] == '.' && text.size() > 1 && is_digit(text[1]))) {
            close(current);
            current = {};
        }
        counts = !begins_word && text.substr(0, 2) != " -" && (counts || text[0] != '-');
        text.remove_prefix(size);
    }
    close(current);
}

/// The overflow that some sentence states in words of no provider in particular: of the context, the prompt or tokens,
/// and of a limit that they exceed. Linear.
constexpr std::optional<overflow> overflow_statement(std::string_view text) noexcept {
    std::optional<overflow> result;
    each_sentence<overflow_sentence>(text, [&](overflow_sentence const& current) {
        if (!result && current.states_overflow()) result = current.figures();
        else if (result == overflow{} && current.has_figures()) result = current.figures();
    });
    return result;
}

/// How libraries write the HTTP status into the text of an error.
inline constexpr std::array<std::string_view, 4> status_wordings = {"code~%", "error~%", "http~%", "status~%"};

/// True if an overflow may come with this HTTP status; 0 if it is not known. For the reasons see `overflow_of`.
constexpr bool overflow_status(int status, bool by_server) noexcept {
    return status == 0 || status == 400 || status == 413 || status == 422 || (status == 500 && by_server);
}

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
/// 422 (gateways that validate), and 500 if the wording is that of llama.cpp, Ollama or vLLM's engine. Of 2xx, where a
/// model may write about overflows, only with 200 and a body that begins with an error, as LM Studio answers. Not with
/// 401, 403 and 404, whose texts may quote a prompt; with 429, where the numbers are those of a rate and a shorter
/// request need not help; nor with other server errors, where the request may be valid. Where no provider's wording is
/// found, a sentence counts that says of the context, the prompt or tokens that they exceed a limit, unless it speaks
/// of images, names or the answer, or the text of rates, quotas, keys or a value that it quotes. Pass an error in a
/// stream that began with 200 with status 0. A 400 that quotes a wording from a prompt is reported as an overflow.
///
/// Linear in the text, of which only the first `overflow_look` bytes count; allocates nothing. Numbers of 0 or above
/// 2^40 count as not named.
constexpr std::optional<overflow> overflow_of(int status, std::string_view text) noexcept {
    if (status == 200 && text.starts_with("{\"error\":")) status = 400;  // as LM Studio and some gateways answer
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
    bool const is_bare = result == overflow{};  // a code without figures, which a sentence may have
    if ((!result || is_bare) && detail::overflow_status(status, false) && !detail::limits_something_else(text))
        if (auto const stated = detail::overflow_statement(text);
            stated && (!result || (stated->limit.count != 0 && stated->requested.count != 0)))
            return stated;
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
