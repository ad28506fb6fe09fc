// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/adapt/json_parse.hpp>
#include <condense/adapt/json_place.hpp>
#include <condense/client/event_reader.hpp>
#include <condense/client/http_client.hpp>
#include <condense/client/retry.hpp>
#include <condense/core/model_prompt.hpp>
#include <condense/core/part.hpp>
#include <condense/core/pass.hpp>
#include <condense/core/provider_usage.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/run_options.hpp>
#include <condense/detail/ascii.hpp>
#include <condense/detail/environment.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/llm/model_call.hpp>
#include <condense/llm/overflow.hpp>

// Common to the clients of all providers: settings, requests with their retries, errors, and replies. A provider is a
// type that says how a body is written and how an answer is read, such as detail::anthropic_protocol.

namespace condense {
inline namespace v1 {

/// Which model, and how it is asked: client_settings{.model = "claude-haiku-4-5", .key = ...}.
struct client_settings {
    std::string model = {};
    std::string base_url = {};  ///< empty for the provider's own; a query, such as Azure's api-version, is kept
    std::string key = {};  ///< sent in a header; empty for none
    std::string key_header = {};  ///< empty for the provider's own; "api-key" for Azure
    /// "Name: value" each, such as "anthropic-beta: ...". One that the client would write itself, that of the key
    /// included, is sent in its place.
    std::vector<std::string> headers = {};
    std::string ca_file = {};  ///< certificates to trust beside the system's, for a private server
    /// Further members of every body: tools, temperature, effort of reasoning. Those of tools, and the
    /// agent's system text, are not sent with the prompt of a summary; the messages are never taken from here.
    nlohmann::ordered_json body = nlohmann::ordered_json::object();
    bool stream = true;  ///< the agent's answers come in pieces; summaries never do
    bool responses = false;  ///< OpenAI alone: the Responses API in place of chat completions
    /// OpenAI's chat alone: the member that limits an answer; empty for "max_completion_tokens" of OpenAI itself, and
    /// "max_tokens" of every other server.
    std::string limit_member = {};
    /// Anthropic alone: a conversation that is large enough is marked for the provider's cache, unless its messages
    /// have marks already; see set_cache_marks. Prompts are not, as they are sent once.
    bool cache = true;
    /// Anthropic alone: `stay` has the provider drop reasoning that is bound to another beginning of the conversation,
    /// where `body` has a `thinking` that is not disabled. Say the same in run_options::bound, and for all calls of a
    /// conversation. Nothing is asked with prompts.
    bound_parts bound = bound_parts::leave;
    tokens answer = {};  ///< longest answer of the agent; 0 for the provider's limit (Anthropic has none: 8,192)
    /// On top of the length of a summary, for a model that reasons: its reasoning counts as output.
    tokens reasoning_room = {};
    retry_policy retry = {};
    instant within = {600'000'000'000};  ///< for one call of the agent, its retries included
    bytes most = {4u << 20};  ///< of one answer, which can take 30 times as much while it is read
    /// Asked some times a second; true ends the call, which throws condense::cancelled. Without exceptions it is an
    /// error. Called from the thread of the call.
    std::function<bool()> stop = {};
};

namespace detail::client {

using json = nlohmann::ordered_json;

/// Null if there is no such member.
inline json const& at(json const& value, std::string_view key) {
    static json const none;
    auto const* const member = member_of(value, key);
    return member == nullptr ? none : *member;
}
inline tokens count_at(json const& value, std::string_view key) {
    auto const& member = at(value, key);
    return {member.is_number_unsigned() ? member.get<std::uint64_t>() : 0};
}

inline json parse(std::string_view text, std::string& problem) {
    auto read = parse_json<json>(utf8::scrubbed(std::string{text}));
    if (!read) problem = "the server sent what is not JSON: " + read.error;
    return std::move(read.value);
}

/// An error in a body or an event: its status, 0 if it names none, and its text: message and code, else all of it. A
/// body with the figures of an overflow stays if the message alone does not have them.
inline provider_error error_of(int status, std::string_view body) {
    auto const read = parse_json<json>(utf8::scrubbed(std::string{body.substr(0, std::size_t{64} << 10)}));
    auto const& document = read.value.is_array() && !read.value.empty() ? read.value[0] : read.value;
    auto const& given = at(document, "error");
    auto const& error = given.is_object() ? given : document;
    auto const& code = at(error, "code");
    if (status == 0 && code.is_number_unsigned() && code.get<std::uint64_t>() >= 400 && code.get<std::uint64_t>() < 600)
        status = code.get<int>();
    std::string text{given.is_string() ? text_member(document, "error") : text_member(error, "message")};
    for (auto const* const kind : {"code", "status", "type"})
        if (auto const word = text_member(error, kind); !text.empty() && !word.empty() && word != "error") {
            text += " (" + std::string{word} + ")";
            break;
        }
    auto const all = read ? dump_of(read.value) : std::string{body};
    if (text.empty() || overflow_of(status, text) != overflow_of(status, all)) text = all;
    if (text.empty()) text = "the server gives no reason";
    return {status, std::move(text)};
}

/// The result of an answer, in the shape of its provider.
struct answer {
    std::vector<json> messages = {};  ///< one; of the Responses API one for each item
    std::string text = {};  ///< what a person reads
    std::string refusal = {};
    std::string stop = {};
    provider_usage usage = {};
    provider_error error = {};
    bool complete = false;  ///< its end has come
    bool reasons = false;  ///< some of it is reasoning
    bool acts = false;  ///< it holds something beside text and reasoning, such as calls of tools

    void fail(std::string text_of_error, int status = 0) {
        if (!error) error = {status, std::move(text_of_error)};
    }
};

/// Hands a whole answer, or an event of a stream, to the reader of a protocol. Nothing more is read after an error.
void read_answer(auto& reader, std::string_view data, bool is_event, delivery& show) {
    if (reader.result.error) return;
    if (data == "[DONE]") {
        reader.result.complete = true;
        return;
    }
    std::string problem;
    auto const value = parse(data, problem);
    if (!problem.empty()) return reader.result.fail(std::move(problem));
    if (!at(value, "error").is_null() || text_member(value, "type") == "error") {
        reader.result.error = error_of(0, data);
        return;
    }
    if (is_event) return reader.read_event(value, show);
    reader.read_whole(value, show);
    reader.result.complete = true;
}

/// Adds a header of the library's, unless there is one of that name, in letters of either case: that of the settings.
inline void add_header(std::vector<std::string>& all, std::string line) {
    auto const name = [](std::string_view header) { return header.substr(0, header.find_first_of(":;")); };
    auto const same = [&](std::string_view other) { return http::is_name(name(other), name(line)); };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(std::move(line));
}

/// The request without its messages: those are text, so that a conversation is copied once.
struct outgoing {
    json body;
    std::vector<std::string> list = {};  ///< the messages
    std::size_t conversation = 0;  ///< the first so many are the agent's own
    json system = json::array();  ///< texts of system messages, for providers that have a place for them
    bool folds = false;  ///< asks for another history, not for an answer

    template <class Json>
    void add(Json const& message) {
        list.push_back(dump_of(message));
    }
    /// The body with the messages as its member `name`, whatever the settings say there.
    std::string text(std::string const& name) && {
        body.erase(name);
        auto object = dump_of(body);
        object.pop_back();
        if (object.size() > 1) object += ',';
        object.append("\"").append(name).append("\":[");
        for (auto& message : list) {
            object += std::exchange(message, {});
            object += ',';
        }
        if (!list.empty()) object.pop_back();
        return object.append("]}");
    }
};

/// Appends the text blocks of a system message, `{"text": ...}`, typed where the provider wants it. `content` is a
/// string, or an array of blocks, which stay as they are.
template <class Json>
void add_texts(json& blocks, Json const* content, bool typed) {
    if (auto const* const text = string_of(content)) blocks.push_back(text_block<json>(*text, typed));
    else if (content != nullptr && content->is_array())
        for (auto const& block : *content) blocks.push_back(json(block));
}

/// Appends what the settings say already, before all others.
inline void take_texts(json& body, char const* name, json& blocks, bool typed) {
    json first = json::array();
    auto const& given = at(body, name);
    add_texts(first, given.is_object() ? member_of(given, "parts") : &given, typed);
    first.insert(first.end(), blocks.begin(), blocks.end());
    blocks = std::move(first);
}

/// Replaces the key in a text of outside origin, and what the settings' headers say: each value and its last word,
/// which is what stands behind "Bearer", from 8 bytes on. Then cuts the text to a bound.
inline void clean(std::string& text, client_settings const& settings) {
    constexpr std::size_t most = 2'000, shortest = 8;
    std::vector<std::string_view> secrets{settings.key};
    for (std::string_view const line : settings.headers) {
        auto value = line.substr(line.find(':') + 1);
        value = value.substr(0, value.find_last_not_of(" \t") + 1);
        value.remove_prefix((std::min)(value.find_first_not_of(" \t"), value.size()));
        for (auto const secret : {value, value.substr(value.find_last_of(" \t") + 1)})
            if (secret.size() >= shortest) secrets.push_back(secret);
    }
    std::sort(secrets.begin(), secrets.end(),
              [](auto a, auto b) { return a.size() > b.size(); });  // one may hold another
    for (auto const secret : secrets)
        for (std::size_t place = 0; !secret.empty() && (place = text.find(secret, place)) != text.npos; place += 5)
            text.replace(place, secret.size(), "[key]");
    text = utf8::scrubbed(std::move(text));
    text.resize(utf8::floor(text, most));
}

template <class Range>
using message_type = std::remove_cvref_t<decltype(*std::declval<Range const&>().begin())>;

/// A conversation whose messages are JSON, such as the request of a session.
template <class Range>
concept json_messages = requires(Range const& all) {
    all.begin();
    all.end();
} && json_type<message_type<Range>>;

}  // namespace detail::client

/// A model behind HTTP: openai_client, anthropic_client, gemini_client. A copyable value that threads may share; each
/// call opens a connection of its own. Failures are errors in the reply, which never hold the key.
///
/// As the `with` of a summarize it takes a prompt. As the model of `session.call` it takes the messages, which are JSON
/// in the provider's own shape. System messages go to where the provider wants them.
template <class Protocol>
class model_client {
    using json = detail::client::json;
    using answer = detail::client::answer;
    using outgoing = detail::client::outgoing;

public:
    explicit model_client(client_settings settings) : settings_{std::move(settings)} {
        if (settings_.base_url.empty()) settings_.base_url = Protocol::base_url;
        if (settings_.key_header.empty()) settings_.key_header = Protocol::key_header;
        if (!settings_.body.is_object()) settings_.body = json::object();
        problem_ = address(false).problem;
        for (char const byte : settings_.key)
            if (byte <= 0x20 || byte == 0x7F || byte == '"' || byte == '\\')
                problem_ = "the key holds what no key holds";
    }

    /// With the key from the provider's variable (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY), unless there is
    /// one; a lookup may stand for the environment of the process.
    template <detail::environment Lookup = detail::process_environment>
    static client_settings settings_from_environment(client_settings settings = {}, Lookup look = {}) {
        if (settings.key.empty())
            settings.key = std::optional<std::string>{look(std::string{Protocol::key_variable})}.value_or("");
        return settings;
    }

    client_settings const& settings() const noexcept { return settings_; }
    /// Why there can be no request, such as an address that is neither https nor of this machine; empty if there can.
    std::string const& problem() const noexcept { return problem_; }

    /// Writes what a prompt asks for: the instructions as the system message, the data as the user's. The deadline is
    /// one of condense::steady_clock, the clock of a run unless its options have another.
    reply<std::string> operator()(model_prompt const& prompt, ask_limits limits = {}) const {
        outgoing sent{.body = settings_.body};
        for (auto const* const name : Protocol::of_agent) sent.body.erase(name);
        bool const two = !prompt.instructions.empty() && !prompt.data.empty();
        if (two) Protocol::add_system(sent, settings_, prompt.instructions);
        sent.add(Protocol::user_message(two ? prompt.data : prompt.text()));
        return as_text(ask(std::move(sent), limits));
    }

    /// Answers a conversation; `show` gets the text, in pieces if the settings say `stream`. Of several items, which
    /// only the Responses API has, there is no message: see `items`.
    template <detail::client::json_messages Messages>
    reply<detail::client::message_type<Messages>> operator()(Messages const& all, delivery& show) const {
        using Json = detail::client::message_type<Messages>;
        reply<Json> result;
        if (settings_.responses && Protocol::has_items) {
            result.error.text = "an answer of the Responses API has several items: call `items` and push each of them";
            return result;
        }
        auto all_items = items(all, show);
        if (all_items.message) result.message = std::move(all_items.message->front());
        result.usage = all_items.usage;
        result.error = std::move(all_items.error);
        result.stop = std::move(all_items.stop);
        return result;
    }

    /// For any provider: all messages of an answer, at least one.
    template <detail::client::json_messages Messages>
    reply<std::vector<detail::client::message_type<Messages>>> items(Messages const& all, delivery& show) const {
        using Json = detail::client::message_type<Messages>;
        auto sent = conversation(all);
        Protocol::finish(sent, settings_, settings_.answer, settings_.stream);
        auto from = run(std::move(sent), settings_.stream, steady_clock{}() + settings_.within, show);
        if (!from.error && from.text.empty() && from.refusal.empty() && !from.acts) from.fail(why_empty(from));
        return as_items<Json>(std::move(from));
    }

    /// Has OpenAI write a whole history in the place of this one, by `/responses/compact`: begin a session with it. The
    /// conversation must still fit, and the settings must say `responses`.
    template <detail::client::json_messages Messages>
        requires(Protocol::has_items)
    reply<std::vector<detail::client::message_type<Messages>>> compact(Messages const& all) const {
        auto sent = conversation(all);
        sent.folds = true;
        auto const body = std::exchange(sent.body, {{"model", settings_.model}});
        for (auto const* const name : {"instructions", "prompt_cache_key"})
            if (auto const& given = detail::client::at(body, name); !given.is_null()) sent.body[name] = given;
        delivery nowhere{nullptr, nullptr};
        auto from = settings_.responses ? run(std::move(sent), false, steady_clock{}() + settings_.within, nowhere)
                                        : answer{.error = {0, "only the Responses API folds a conversation"}};
        bool const is_folded = std::any_of(from.messages.begin(), from.messages.end(), [](json const& item) {
            return detail::text_member(item, "type").starts_with("compaction");
        });
        if (!is_folded) from.fail("the answer holds no compaction");
        return as_items<detail::client::message_type<Messages>>(std::move(from));
    }

    /// Asks for a text about a conversation: the body of the agent's own request, so that what the provider has in its
    /// cache is read from there, and the instruction as the user's latest message.
    template <detail::client::json_messages Messages>
    reply<std::string> ask_after(Messages const& all, std::string_view instruction, ask_limits limits = {}) const {
        auto sent = conversation(all);
        sent.add(Protocol::user_message(instruction));
        return as_text(ask(std::move(sent), limits));
    }

private:
    http_address address(bool stream) const {
        return http_address::of(settings_.base_url, Protocol::path(settings_, stream), Protocol::query(stream));
    }

    template <class Json>
    static reply<std::vector<Json>> as_items(answer from) {
        reply<std::vector<Json>> result{
            .usage = from.usage, .error = std::move(from.error), .stop = std::move(from.stop)};
        if (result.error) return result;
        auto& given = result.message.emplace();
        for (auto& message : from.messages) {
            if constexpr (std::is_same_v<Json, json>) given.push_back(std::move(message));
            else given.push_back(Json(message));
        }
        return result;
    }

    template <class Messages>
    outgoing conversation(Messages const& all) const {
        outgoing sent{.body = settings_.body};
        for (auto const& message : all)
            if (!Protocol::take_system(sent, message)) sent.add(message);
        sent.conversation = sent.list.size();
        return sent;
    }

    answer ask(outgoing sent, ask_limits const& limits) const {
        auto const length = limits.answer == tokens{} ? settings_.answer : limits.answer + settings_.reasoning_room;
        Protocol::finish(sent, settings_, length, false);
        delivery nowhere{nullptr, nullptr};
        return run(std::move(sent), false, (std::min)(limits.deadline, steady_clock{}() + limits.within), nowhere);
    }

    /// Sends and reads, again where that may help. Throws only for a cancellation, and what `show` throws.
    answer run(outgoing sent, bool stream, instant deadline, delivery& to) const {
        typename Protocol::reader reader;
        // Knows what this call has shown; `to` may have been used before.
        delivery show{[](void* sink, std::string_view text) { (*static_cast<delivery*>(sink))(text); }, &to};
        http_request request{
            .headers = settings_.headers, .ca_file = settings_.ca_file, .deadline = deadline, .most = settings_.most};
        request.url = address(stream).url;
        if (sent.folds) request.url.insert((std::min)(request.url.find('?'), request.url.size()), "/compact");
        detail::client::add_header(request.headers, "Content-Type: application/json");
        // libcurl would wait for the server's leave to send much
        detail::client::add_header(request.headers, "Expect:");
        Protocol::add_headers(request.headers, settings_);
        if (!settings_.key.empty())
            detail::client::add_header(
                request.headers, settings_.key_header + ": " +
                                     (detail::http::is_name(settings_.key_header, "authorization") ? "Bearer " : "") +
                                     settings_.key);
        request.body = std::move(sent).text(Protocol::list_name(settings_));
        auto const send = [&] {
            reader = {};
            event_reader events;
            auto const event = [&](std::string_view data) { detail::client::read_answer(reader, data, true, show); };
            auto const piece = [&](std::string_view data) {
                if (!events.feed(data, event)) reader.result.fail("the server sent an event that is too large");
                return !reader.result.error;
            };
            auto response = send_request(request, piece, settings_.stop);
            if (response.good() && response.events) events.finish(event);
            else if (response.good()) detail::client::read_answer(reader, response.body, false, show);
            else if (is_whole(reader.result, response)) response.problem = http_problem::none;
            // A stream may end at any moment without an error of the connection.
            if (response.good() && !reader.result.complete && !reader.result.error)
                response = {
                    .status = response.status, .problem = http_problem::broken, .text = "the answer was cut off"};
            return response;
        };
        auto response = problem_.empty() ? detail::send_with_retries(settings_.retry, deadline, settings_.stop, send,
                                                                     [&] { return show.delivered(); })
                                         : http_response{.problem = http_problem::refused, .text = problem_};
        auto result = outcome(std::move(reader), std::move(response));
        if (!result.error && deadline <= steady_clock{}()) {  // reading takes time as well
            result.fail("no whole answer came in time");
            result.stop = "incomplete";
        }
        return result;
    }

    /// True of a stream whose connection breaks behind the end of the answer.
    static bool is_whole(answer const& read, http_response const& response) {
        return response.problem == http_problem::broken && response.events && read.complete && !read.error;
    }

    answer outcome(auto reader, http_response response) const {
        auto& result = reader.result;
        if (response.problem == http_problem::cancelled) {
#if defined(__cpp_exceptions)
            throw cancelled{};
#endif
        }
        bool const accepted = response.status >= 200 && response.status < 300;
        if (!result.error && !response.good()) {
            if (response.problem == http_problem::none)
                result.error = detail::client::error_of(response.status, response.body);
            else result.error = {accepted ? 0 : response.status, response.text};
        }
        if (!result.error) reader.finish();
        if (accepted && (!response.good() || !result.complete)) result.stop = "incomplete";
        detail::client::clean(result.error.text, settings_);
        detail::client::clean(result.stop, settings_);
        return std::move(result);
    }

    static std::string why_empty(answer const& from) {
        if (from.acts) return "the model has called a tool in place of writing";
        auto const says = [&](std::string_view word) { return from.stop.find(word) != from.stop.npos; };
        bool const is_cut = says("length") || says("max_") || says("MAX_");
        std::string text = "the model has written nothing";
        if (is_cut || (from.reasons && detail::ended_by_itself(from.stop)))
            text += ": all of its output went to reasoning; allow it more (see client_settings::reasoning_room)";
        return from.stop.empty() ? text : text + " (" + from.stop + ")";
    }

    reply<std::string> as_text(answer from) const {
        if (!from.error && from.text.find_first_not_of(" \t\r\n") == std::string::npos)
            from.fail(from.refusal.empty() ? why_empty(from) : "the model refuses: " + from.refusal);
        detail::client::clean(from.error.text, settings_);
        reply<std::string> result{.usage = from.usage, .error = std::move(from.error), .stop = std::move(from.stop)};
        if (!result.error) result.message = std::move(from.text);
        return result;
    }

    client_settings settings_;
    std::string problem_;
};

}  // namespace v1
}  // namespace condense
