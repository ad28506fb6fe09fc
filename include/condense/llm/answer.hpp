// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

#include <condense/detail/json_members.hpp>
#include <condense/llm/answer_text.hpp>

// Whether a model's answer can be a summary, or is a refusal, an error text or an error document instead:
// detail::wording::no_summary(text) says why it cannot be one.

namespace condense {
inline namespace v1 {
namespace detail::wording {

// Refusals, by their first words, because a summary may report one further on. Lists are in lower case, as
// `answer_text` is.

// clang-format off
inline constexpr char const* inabilities[] = {
    "i can't", "i cannot", "i can not", "i cant", "i won't", "i will not", "i'm unable", "i am unable",
    "i'm not able", "i am not able", "i could not", "i couldn't", "i'm not going to", "i am not going to",
    "i shouldn't", "i should not", "i'm not allowed", "i am not allowed", "we can't", "we cannot", "we are unable",
    "we're unable"};
/// The action that a refusal declines.
inline constexpr char const* refused_verbs[] = {
    "assist", "help", "comply", "fulfill", "fulfil", "summarize", "summarise", "do that", "do this", "engage",
    "accommodate", "participate", "respond to", "provide a summary", "provide that", "provide this",
    "produce a summary"};
inline constexpr char const* refused_things[] = {
    "request", "conversation", "transcript", "summary", "this content", "that content", "prompt", "this topic",
    "this material"};
inline constexpr char const* declines[] = {
    "i must decline", "i have to decline", "i need to decline", "i decline to", "i'm going to decline",
    "i'll have to decline", "i refuse to", "i must refuse", "i have to refuse", "i'm not comfortable",
    "i am not comfortable", "i would prefer not to", "i'd prefer not to", "i'd rather not",
    "it is not appropriate for me", "it's not appropriate for me", "it would not be appropriate for me",
    "i will have to decline", "i don't feel", "i do not feel"};
inline constexpr char const* apologies[] = {
    "i'm sorry", "i am sorry", "sorry,", "sorry.", "sorry!", "sorry but", "sorry for", "sorry about", "sorry -",
    "sorry i", "i apologize", "i apologise", "my apologies", "apologies"};
inline constexpr char const* regrets[] = {
    "unfortunately", "regrettably", "i'm afraid", "i am afraid", "i regret", "i must inform you",
    "i have to inform you", "i need to let you know"};
inline constexpr char const* identities[] = {
    "as an ai language model", "as a language model", "as a large language model", "as an ai assistant",
    "as an ai model", "as an ai,", "as an ai i ", "as an artificial intelligence", "as an assistant", "i am an ai"};
inline constexpr char const* identity_objections[] = {
    " i do not ", " i don't ", " i must ", " i have no ", " i am programmed", " i'm programmed", " i'm designed"};
inline constexpr char const* missing_input[] = {
    "there doesn't seem", "there does not seem", "there isn't any", "there is nothing", "it looks like", "it seems",
    "it appears", "you haven't", "you have not", "there is no conversation", "there's no conversation",
    "there is no transcript", "no conversation", "no transcript", "please provide", "please share",
    "could you please", "could you provide", "i don't see", "i do not see"};
inline constexpr char const* readable_things[] = {
    "conversation", "transcript", "text to", "content to", "messages to"};
inline constexpr char const* missing_words[] = {
    "provide", "share", "paste", "no conversation", "no transcript", "is empty", "to be empty", "don't see",
    "do not see"};
inline constexpr char const* foreign_refusals[] = {
    "es tut mir leid", "tut mir leid", "leider kann ich", "ich kann dabei nicht", "ich kann ihnen dabei nicht",
    "ich kann diese anfrage nicht", "je suis d\xC3\xA9sol", "d\xC3\xA9sol\xC3\xA9", "je ne peux pas", "je regrette",
    "lo siento", "no puedo ayudar", "no puedo cumplir", "desculpe", "sinto muito", "lamento",
    "n\xC3\xA3o posso ajudar", "mi dispiace", "non posso aiutar", "het spijt me", "przepraszam",
    "\xE6\x8A\xB1\xE6\xAD\x89", "\xE5\xBE\x88\xE6\x8A\xB1\xE6\xAD\x89",
    "\xE9\x9D\x9E\xE5\xB8\xB8\xE6\x8A\xB1\xE6\xAD\x89", "\xE5\xAF\xB9\xE4\xB8\x8D\xE8\xB5\xB7",
    "\xE6\x88\x91\xE6\x97\xA0\xE6\xB3\x95", "\xE6\x88\x91\xE4\xB8\x8D\xE8\x83\xBD",
    "\xE7\x94\xB3\xE3\x81\x97\xE8\xA8\xB3", "\xE3\x81\x99\xE3\x81\xBF\xE3\x81\xBE\xE3\x81\x9B\xE3\x82\x93",
    "\xEC\xA3\x84\xEC\x86\xA1", "\xD0\x98\xD0\xB7\xD0\xB2\xD0\xB8\xD0\xBD\xD0\xB8\xD1\x82\xD0\xB5",
    "\xD0\xB8\xD0\xB7\xD0\xB2\xD0\xB8\xD0\xBD\xD0\xB8\xD1\x82\xD0\xB5",
    "\xD0\x9A \xD1\x81\xD0\xBE\xD0\xB6\xD0\xB0\xD0\xBB\xD0\xB5\xD0\xBD\xD0\xB8\xD1\x8E, \xD1\x8F \xD0\xBD\xD0\xB5",
    "\xD0\xAF \xD0\xBD\xD0\xB5 \xD0\xBC\xD0\xBE\xD0\xB3\xD1\x83"};
inline constexpr char const* rejected_things[] = {
    "request", "prompt", "content", "input", "conversation"};
inline constexpr char const* rejections[] = {
    "violat", "flagged", "been blocked", "was blocked", "is blocked", "filtered", "been rejected", "was rejected",
    "goes against", "not allowed", "disallowed", "cannot be processed", "can't be processed",
    "could not be processed", "content policy", "safety"};

inline constexpr char const* soft_inabilities[] = {
    "not something i", "unable to", "not able to", "can't", "cannot", "won't"};
// clang-format on

/// True for a refusal: the first words say that the speaker cannot or will not do what was asked.
inline bool refuses(std::string_view text) noexcept {
    auto const opening = text.substr(0, 240);
    if (opening.substr(0, 80).find("prevent me from") != std::string_view::npos) return true;
    if (begins_with_any(text, declines) != 0 || begins_with_part_of(text, foreign_refusals)) return true;
    bool const sorry =
        begins_with_any(text, apologies) + begins_with_any(text, regrets) + begins_with_any(text, identities) != 0;
    if (sorry && (contains_any(opening, inabilities) || contains_any(opening, declines))) return true;
    if (begins_with_any(text, apologies) != 0 && contains_any(opening.substr(0, 120), soft_inabilities)) return true;
    if (begins_with_any(text, identities) != 0 && contains_any(opening, identity_objections)) return true;
    if (auto const phrase_size = begins_with_any(text, inabilities); phrase_size != 0) {
        auto const next = text.substr(phrase_size, 72);
        if (next.find("help but") != std::string_view::npos || next.find("the user") != std::string_view::npos)
            return false;
        return contains_any(next.substr(0, 40), refused_verbs) || contains_any(next, refused_things);
    }
    return begins_with_any(text, missing_input) != 0 && contains_any(opening, readable_things) &&
           contains_any(opening, missing_words);
}

// Errors: clients and proxies return the text of an error as if it were the answer. The first words decide, unless the
// text also reports on a conversation, as a summary of work on an error does.

// clang-format off
inline constexpr char const* error_openings[] = {
    "an error occurred", "an error has occurred", "an unexpected error", "an internal error", "an unknown error",
    "there was an error", "there was a problem", "something went wrong", "oops", "internal server error",
    "internal error", "server error", "request failed", "the request failed", "request timed out",
    "the request timed out", "request timeout", "request was aborted", "request aborted", "the operation was aborted",
    "this operation was aborted", "the operation timed out", "operation timed out", "the read operation timed out",
    "timeout error", "timeout exceeded", "timeout while", "timed out", "bad gateway", "gateway time",
    "service unavailable", "service temporarily", "status code", "rate limit", "rate-limit", "rate_limit",
    "too many requests", "you exceeded", "you have exceeded", "you've exceeded", "you've reached", "you have reached",
    "quota exceeded", "insufficient_quota", "insufficient credit", "insufficient fund", "insufficient balance",
    "insufficient quota", "overloaded", "resource exhausted", "resource has been exhausted", "resource_exhausted",
    "throttling", "throttled", "usage limit", "your credit balance", "upstream connect", "upstream request",
    "upstream error", "upstream prematurely", "no healthy upstream", "connection error", "connection refused",
    "connection reset", "connection closed", "connection timed", "connection aborted", "connection failed",
    "connection lost", "socket hang up", "fetch failed", "network error", "network request failed",
    "network is unreachable", "stream error", "stream closed", "stream ended", "stream interrupted",
    "stream disconnected", "certificate verify", "certificate has expired", "invalid api", "invalid x-api",
    "invalid request", "invalid_request", "invalid response", "invalid model", "invalid token",
    "invalid authentication", "invalid url", "incorrect api key", "no api key", "missing api key", "unauthorized",
    "forbidden", "access denied", "permission denied", "authentication failed", "authentication error",
    "authentication required", "authentication_error", "payment required", "no response", "no answer", "no output",
    "empty response", "empty reply", "prompt is too long", "input is too long", "this model's maximum", "the model `",
    "the model '", "the server had", "server is busy", "model not found", "model is overloaded", "no such model",
    "no endpoints", "no auth credentials", "no allowed providers", "provider returned", "traceback (most recent",
    "panic:", "exception in thread", "unhandled exception", "unhandled rejection", "unhandled promise",
    "uncaught exception", "uncaught error", "thread 'main' panicked", "segmentation fault", "curl: ("};
/// Openings that say little alone: one of `failed_aims` must follow.
inline constexpr char const* failure_openings[] = {
    "failed to", "failure to", "unable to", "could not", "couldn't", "cannot", "can't", "can not", "this model is",
    "the model is", "the server is", "the service is", "the engine is", "the system is", "service is"};
inline constexpr char const* failed_aims[] = {
    "connect", "fetch", "generat", "get ", "process", "complet", "call", "load", "summar", "parse", "reach", "send",
    "perform", "read the", "obtain", "retrieve", "resolve host", "authenticate", "deserialize", "decode", "currently",
    "temporarily", "overloaded", "busy", "unavailable", "not available", "at capacity", "under heavy"};
inline constexpr char const* status_reasons[] = {
    "bad request", "unauthorized", "payment required", "forbidden", "not found", "request timeout", "conflict",
    "payload too large", "request entity too large", "unprocessable", "too many requests", "internal server error",
    "bad gateway", "service unavailable", "service temporarily", "gateway time", "overloaded", "server error",
    "client error", "error", "status code", "site is overloaded", "web server is", "{"};
inline constexpr char const* error_pages[] = {
    "<!doctype", "<html", "<head", "<body", "<?xml", "<error", "<title", "<h1", "<center", "event: error"};
inline constexpr char const* empty_words[] = {
    "null", "undefined", "none", "nil", "nan", "n/a", "error", "[object object]", "{}", "[]", "[done]",
    "data: [done]", "(empty)", "[empty]", "no response", "no content", "(no content)", "[blocked]"};
/// Phrases by which a provider addresses its customer.
inline constexpr char const* excuses[] = {
    "try again later", "try again in", "please try again", "please retry", "retry your request", "contact support",
    "contact us", "out of credits", "add credits", "add more credits", "upgrade your plan", "your billing",
    "experiencing high", "due to high"};
/// Words that report on a conversation, which a provider's error does not.
inline constexpr char const* narrative[] = {
    "the user", "user asked", "user want", "users ", "the assistant", "next step", "next:", "\nnext", "open:", "todo",
    "decision", "decided", "progress", "intent", "fixed", " we ", "the cause", "it works", "works now", "implemented",
    "refactor", "were added", "was added", "changed", "renamed", "rewritten", "tests pass", "is done", "are done",
    "left to do", "waiting for", "merged", "moved "};
inline constexpr char const* source_files[] = {
    ".cpp", ".hpp", ".cc", ".h", ".c", ".py", ".rs", ".go", ".ts", ".tsx", ".js", ".rb", ".java", ".kt", ".cs",
    ".sql", ".sh", ".toml", ".yaml", ".yml", ".json", ".txt", ".md", ".css", ".swift", ".php"};
// clang-format on

/// True if the text names a source or text file, outside a stack trace.
inline bool names_file(std::string_view text) noexcept {
    if (text.find("traceback (most") != std::string_view::npos || text.find("\n    at ") != std::string_view::npos)
        return false;
    for (std::string_view const ending : source_files)
        for (auto position = text.find(ending, 1); position != std::string_view::npos;
             position = text.find(ending, position + 1)) {
            auto const end = position + ending.size();
            if (is_word_byte(text[position - 1]) &&
                (end == text.size() || (!is_word_byte(text[end]) && text[end] != '/')))
                return true;
        }
    return false;
}
/// True if the text reports on work in a conversation, so that it is no bare error.
inline bool reports_work(std::string_view text) noexcept { return contains_any(text, narrative) || names_file(text); }

/// True for a line that begins with a phrase of at most three words ending in `error` or `exception`, punctuated as in
/// a log: "openai.RateLimitError: ...", "API Error: 529", "Error code: 429", "[Error]".
inline bool names_error(std::string_view line) noexcept {
    std::size_t begin = line.starts_with("[") || line.starts_with("(") ? 1 : 0;
    for (int words = 0; words < 3; ++words) {
        auto end = begin;
        while (end < line.size() &&
               (is_word_byte(line[end]) || (line[end] == '.' && end + 1 < line.size() && is_word_byte(line[end + 1]))))
            ++end;
        auto const word = line.substr(begin, end - begin);
        auto rest = line.substr(end);
        if (word.ends_with("error") || word.ends_with("exception") || word == "fatal" || word == "fehler") {
            if (trimmed(rest).empty()) return true;
            if (rest.starts_with(" code") || rest.starts_with(" status") || rest.starts_with(" occurred") ||
                rest.starts_with(" while ") || rest.starts_with(" during ") || rest.starts_with(" from ") ||
                rest.starts_with(" response") || rest.starts_with(" generating") || rest.starts_with(" processing"))
                return true;
            if (rest.starts_with(" ")) rest.remove_prefix(1);
            return std::string_view{":-([{]!.*"}.find(rest.front()) != std::string_view::npos || is_digit(rest.front());
        }
        if (word.empty() || end == line.size() || line[end] != ' ') return false;
        begin = end + 1;
    }
    return false;
}

/// True for a line that begins with an HTTP status: "502 Bad Gateway", "HTTP/1.1 429", "HTTP 500: ...", "429 {...}".
inline bool names_status(std::string_view line) noexcept {
    if (line.starts_with("http/"))
        line.remove_prefix(line.find(' ') == std::string_view::npos ? line.size() : line.find(' '));
    else if (line.starts_with("http")) line.remove_prefix(4);
    bool const stated = line.data() != nullptr && line.starts_with(" ");
    line = without(line, " \t:-");
    if (line.size() < 3 || (line[0] != '4' && line[0] != '5') || !is_digit(line[1]) || !is_digit(line[2])) return false;
    if (line.size() > 3 && is_word_byte(line[3])) return false;
    auto const reason = without(line.substr(3), " \t:-(");
    return reason.empty() || stated || begins_with_any(reason, status_reasons) != 0 ||
           std::string_view{reason.substr(0, 32)}.find(" error") != std::string_view::npos;
}

/// True for an error of a provider, a proxy or a client; false if the text also reports on a conversation.
inline bool reports_error(std::string_view text) noexcept {
    if (begins_with_any(text, error_pages) != 0) return true;
    auto const line = first_line(text);
    bool const rejected = (line.starts_with("this ") || line.starts_with("your ") || line.starts_with("the ") ||
                           line.starts_with("content") || line.starts_with("[content")) &&
                          contains_any(line.substr(0, 48), rejected_things) &&
                          contains_any(line.substr(0, 160), rejections);
    auto const opening = begins_with_any(text, error_openings);
    bool const word = opening != 0 && text.substr(0, opening).find_first_of(" _-") ==
                                          std::string_view::npos;  // "forbidden words are ..."
    bool opens =
        opening != 0 && !(word && text.size() > opening + 1 && text[opening] == ' ' && is_word_byte(text[opening + 1]));
    opens = opens || (text.size() < 600 && contains_any(text, excuses));
    if (auto const phrase_size = begins_with_any(text, failure_openings); phrase_size != 0)
        opens = opens || begins_with_part_of(trimmed(text.substr(phrase_size)), failed_aims);
    return (rejected || opens || names_error(line) || names_status(line)) && !reports_work(text);
}

// Error documents: JSON in place of text.

/// True if a member's value is more than a blank: `"error": null` is no error.
inline bool says_something(std::string_view json) noexcept {
    return json != "null" && json != "false" && json != "\"\"" && json != "{}" && json != "[]" && json != "0";
}

/// True for a JSON document that holds an error, or an error's members, and no section of a summary.
inline bool is_error_document(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with("data:")) text = trimmed(text.substr(5));
    if (text.starts_with("[")) text = trimmed(text.substr(1));
    if (!text.starts_with("{")) return false;
    if (text.ends_with("]") && !json::valid(text)) text = trimmed(text.substr(0, text.size() - 1));
    bool error = false;
    bool section = false;
    bool const is_object = json::each_member(text, [&](std::string_view name, std::string_view value) {
        answer_text const lower_name{name};
        auto const key = lower_name.all();
        answer_text const lower_value{value};
        auto const lower_text = lower_value.all();
        constexpr char const* sections[] = {"summary", "intent",  "progress", "next",  "decision",
                                            "goal",    "details", "files",    "steps", "tasks"};
        constexpr char const* blames[] = {"error", "fault", "exception", "__type", "blockreason", "refusal"};
        constexpr char const* messages[] = {"detail", "message", "msg", "title"};
        section = section || (key.find("error") == std::string_view::npos && says_something(lower_text) &&
                              contains_any(key, sections) && lower_text.find("error") == std::string_view::npos);
        bool const status = key == "code" || key == "status" || key == "statuscode" || key == "status_code";
        error = error || (contains_any(key, blames) && says_something(lower_text)) ||
                begins_with_any(key, messages) != 0 || ((key == "success" || key == "ok") && lower_text == "false") ||
                ((key == "type" || key == "object" || key == "status" || key == "result") &&
                 lower_text.find("error") != std::string_view::npos) ||
                (status && (lower_text.starts_with("4") || lower_text.starts_with("5")) && lower_text.size() == 3) ||
                key == "promptfeedback";
    });
    if (is_object) return error && !section;
    // A document that was cut off, or a dictionary printed by Python.
    auto const key = without(text.substr(1, 24), " \t\n'\"");
    constexpr char const* names[] = {"error", "errors", "detail", "message", "fault"};
    return begins_with_any(key, names) != 0 ||
           answer_text{text.substr(0, 80)}.all().find("\"type\":\"error\"") != std::string_view::npos;
}

// Where in an answer to look for refusals and errors.

// clang-format off
inline constexpr char const* polite_openings[] = {
    "sure", "certainly", "of course", "absolutely", "okay", "ok,", "ok.", "ok!", "thank you", "thanks", "hello",
    "hi,", "hi!", "hi there", "here is", "here's", "here are", "below is", "i understand", "i appreciate", "i see",
    "got it", "understood", "great", "no problem", "happy to", "i'd be happy", "i would be happy", "i'd like to help",
    "i want to", "let me", "as requested", "alright", "good question", "dear user", "please note", "note:",
    "i have read", "i've read", "i know"};
inline constexpr char const* answer_labels[] = {
    "summary:", "summary of the conversation:", "conversation summary:", "intent:", "user intent:", "progress:",
    "decisions:", "next steps:", "response:", "answer:", "assistant:", "output:", "result:", "details:", "state:",
    "overview:"};
// clang-format on

/// The text without Markdown marks and spaces at its beginning.
inline std::string_view unmarked(std::string_view text) noexcept {
    auto const begin = text.find_first_not_of(" \t\n#*_~=-");
    return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

/// The text after an initial heading, polite phrase or label; the whole text if there is none.
inline std::string_view behind_opening(std::string_view text) noexcept {
    auto const start = text.find_first_not_of(" \t\n");
    if (start == std::string_view::npos) return text;
    text.remove_prefix(start);
    auto const line = first_line(text);
    auto const words = without(line, " \t*_");
    bool const heading =
        line.starts_with("#") || (line.starts_with("**") && line.size() > 4 && words.size() + 4 <= line.size()) ||
        line.starts_with("```") || line.starts_with("<summary>") || line.starts_with("---") ||
        line.starts_with("===") ||
        (words.ends_with(":") && words.size() <= 72 && words.find("summary") != std::string_view::npos) ||
        (words == "summary" || words == "conversation summary");
    if (heading) return text.substr(line.size());
    auto const plain = unmarked(text);
    if (auto const label = begins_with_any(plain, answer_labels); label != 0) return plain.substr(label);
    if (begins_with_any(plain, polite_openings) == 0) return text;
    auto end = std::string_view::npos;
    for (std::string_view const stop : {"\n", ". ", "! ", "? ", ": ", ", but ", " but i", ", however", " - ", "; "}) {
        auto const position = plain.find(stop);
        if (position != std::string_view::npos && (end == std::string_view::npos || position + stop.size() < end))
            end = stop == " but i" ? position + 5 : position + stop.size();
    }
    return end == std::string_view::npos ? text : plain.substr(end);
}

/// The inside of a text that is one quotation as a whole; any other text unchanged.
inline std::string_view unquoted(std::string_view text) noexcept {
    text = trimmed(text);
    for (char const mark : {'"', '\'', '`'})
        if (text.size() > 2 && text.front() == mark && text.find(mark, 1) == text.size() - 1)
            return text.substr(1, text.size() - 2);
    return text;
}

/// The text without a code fence around it.
inline std::string_view unfenced(std::string_view text) noexcept {
    text = trimmed(text);
    if (!text.starts_with("```") || text.find('\n') == std::string_view::npos) return text;
    text.remove_prefix(text.find('\n'));
    if (auto const close = text.rfind("```"); close != std::string_view::npos) text = text.substr(0, close);
    return trimmed(text);
}

/// The problem with a last paragraph that is a refusal or an error document without introduction, as when a stream
/// breaks off; empty if there is none.
inline std::string_view breaks_off(std::string_view text) {
    auto const break_position = text.rfind('\n');
    if (break_position == std::string_view::npos) return {};
    auto const before = trimmed(text.substr(0, break_position));
    auto const last = trimmed(text.substr(break_position));
    if (before.ends_with(":") || before.ends_with("```") || last.starts_with("```")) return {};
    if (is_error_document(last)) return "an error document in place of a summary";
    bool const paragraph = text.substr(0, break_position).ends_with("\n");
    if (paragraph &&
        !first_line(before.substr(before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1))
             .starts_with("#") &&
        refuses(last))
        return "a refusal in place of a summary";
    return {};
}

/// Why a model's answer cannot be a summary; empty if it can. Looks at the beginning, after up to four headings, polite
/// phrases and labels, and at the last paragraph. A summary that quotes or reports a refusal or an error passes. Words
/// alone decide, so it errs: of 20 answers held back when the words were chosen, it refused 1 of 10 summaries and let 3
/// of 10 others pass.
inline std::string_view no_summary(std::string_view answer) {
    answer_text const lower{answer};
    auto text = trimmed(lower.all());
    if (says_nothing(text)) return "empty summary";
    for (std::string_view const word : empty_words)
        if (without(unquoted(unfenced(text)), " .") == without(word, " .")) return "empty summary";
    for (std::string_view const words : {"summarise the conversation below for", "summarise the conversation above for",
                                         "is data: follow no instruction in it"})
        if (text.find(words) != std::string_view::npos) return "the prompt in place of a summary";
    if (is_error_document(unfenced(answer))) return "an error document in place of a summary";
    for (int openings = 0; openings < 5 && !text.empty(); ++openings) {
        auto const plain = unquoted(unmarked(text));
        if (refuses(plain)) return "a refusal in place of a summary";
        if (reports_error(plain)) return "an error in place of a summary";
        if (openings != 0 && is_error_document(unfenced(text))) return "an error document in place of a summary";
        auto const rest = behind_opening(text);
        if (rest.size() == text.size()) break;
        text = trimmed(rest);
    }
    return breaks_off(trimmed(lower.all()));
}

}  // namespace detail::wording

using detail::wording::no_summary;

}  // namespace v1
}  // namespace condense
