// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>
#include <condense/core/recovery_names.hpp>
#include <condense/recovery/tools.hpp>

// How does an agent read its past without knowing of it? The recovery tools are put into its requests, and the
// provider's calls of them are answered here: a round of such calls and results never reaches the client, and stands in
// all later requests of the conversation.

namespace proxy {

using json = nlohmann::ordered_json;

enum class protocol { chat, responses, anthropic };

/// Of the requests to a path; nothing where they are not for chat.
inline std::optional<protocol> protocol_of(std::string_view path) noexcept {
    if (path.ends_with("/chat/completions")) return protocol::chat;
    if (path.ends_with("/responses")) return protocol::responses;
    if (path.ends_with("/messages")) return protocol::anthropic;
    return std::nullopt;
}

constexpr condense::tool_format format_of(protocol which) noexcept {
    using condense::tool_format;
    if (which == protocol::anthropic) return tool_format::anthropic;
    return which == protocol::chat ? tool_format::openai : tool_format::responses;
}

/// The member of a JSON object; null where it has none, or is no object.
inline json const& member(json const& object, char const* name) {
    static json const none;
    auto const found = object.is_object() ? object.find(name) : object.end();
    return found == object.end() ? none : *found;
}
inline std::string text_at(json const& object, char const* name) {
    auto const& found = member(object, name);
    return found.is_string() ? found.get<std::string>() : std::string{};
}

inline bool is_hidden(std::string_view tool) noexcept {
    return std::find(condense::recovery_tool_names.begin(), condense::recovery_tool_names.end(), tool) !=
           condense::recovery_tool_names.end();
}

/// Whether the tools of a request read what was kept, as those of `recall_server` do.
inline bool has_recovery_tools(json const& document) {
    for (auto const& tool : member(document, "tools")) {
        auto const& function = member(tool, "function");
        if (condense::is_recovery_tool(text_at(function.is_object() ? function : tool, "name"))) return true;
    }
    return false;
}

/// A call of a tool.
struct tool_call {
    std::string id = {};
    std::string tool = {};
    std::string arguments = {};  ///< as JSON
};

/// The result of such a call: a message or an item; for Anthropic a block of the next message of the user.
inline json result_of(protocol which, tool_call const& call, std::string const& text) {
    if (which == protocol::chat) return {{"role", "tool"}, {"tool_call_id", call.id}, {"content", text}};
    if (which == protocol::responses) return {{"type", "function_call_output"}, {"call_id", call.id}, {"output", text}};
    return {{"type", "tool_result"}, {"tool_use_id", call.id}, {"content", text}};
}

/// An answer that the client has seen a part of, and the rounds before it, of which it has seen nothing.
struct hidden_rounds {
    protocol which = protocol::chat;
    std::size_t place = 0;  ///< messages of the client before it
    json::array_t before = {};  ///< the rounds: answers of the provider, and results
    json::array_t last = {};  ///< the answer, as the provider wrote it; empty while it is not known
    json::array_t results = {};  ///< of its calls that the client does not know
    std::string seen = {};  ///< by which the client's version of it is known

    /// The part of answers that a client sees: the texts, whose spaces it may change, and its calls.
    template <class Iterator>
    static std::string seen_of(Iterator from, Iterator end) {
        std::string text, calls;
        for (; from != end; ++from) {
            if (condense::role_of(*from) != condense::role::assistant) continue;
            condense::each_part(*from, [&](condense::part_view const& part) {
                if (part.kind == condense::part_kind::tool_call && !is_hidden(part.tool))
                    calls.append("\n").append(part.call);
                if (part.kind != condense::part_kind::text) return;
                for (char const byte : part.text)
                    if (std::string_view{" \t\r\n"}.find(byte) == std::string_view::npos) text.push_back(byte);
            });
        }
        return text + calls;
    }

    /// The result of `insert_into` where the client asks anew for an answer that it has had.
    static constexpr std::size_t asked_anew = 1'000'000;

    /// The answer as it was seen stands in the client's messages.
    bool is_answer_in(json::array_t const& messages) const {
        if (place >= messages.size() || last.empty()) return false;
        auto const first = messages.begin() + static_cast<std::ptrdiff_t>(place);
        return seen_of(first, end_of_answer(first, messages.end())) == seen;
    }

    /// Puts what the client does not know into its messages, and gives how many of its answers are others than it has
    /// seen, 0 or 1: behind the rounds such a one stays as it is. A request that ends here goes on with rounds that
    /// have no answer yet.
    std::size_t insert_into(json::array_t& messages) const {
        if (place > messages.size()) return 0;
        bool const is_known = is_answer_in(messages);
        auto first = messages.begin() + static_cast<std::ptrdiff_t>(place);
        auto const end = end_of_answer(first, messages.end());
        bool const has_answer = first != end;
        if (!has_answer && !last.empty()) return asked_anew;
        auto put = before;
        if (is_known) {
            put.insert(put.end(), last.begin(), last.end());
            first = messages.erase(first, end);
            if (which != protocol::anthropic) put.insert(put.end(), results.begin(), results.end());
            else if (!results.empty()) insert_blocks(messages, first);
        } else if (which == protocol::responses) {  // no id of an item stands twice
            auto const stands = [&](json const& item) {
                auto const& id = member(item, "id");
                return !id.is_null() && std::any_of(before.begin(), before.end(),
                                                    [&](json const& each) { return member(each, "id") == id; });
            };
            messages.erase(std::remove_if(first, end, stands), end);
            first = messages.begin() + static_cast<std::ptrdiff_t>(place);
        }
        messages.insert(first, put.begin(), put.end());
        return is_known || !has_answer ? 0 : 1;
    }

    json to_json() const {
        return {{"protocol", static_cast<int>(which)},
                {"place", place},
                {"before", before},
                {"last", last},
                {"results", results},
                {"seen", seen}};
    }
    /// Of a document that may be anything.
    static hidden_rounds of(json const& from) {
        auto const list = [&](char const* name) {
            auto const& found = member(from, name);
            return found.is_array() ? found.get<json::array_t>() : json::array_t{};
        };
        hidden_rounds rounds{.before = list("before"), .last = list("last"), .results = list("results")};
        rounds.which = member(from, "protocol") == 2   ? protocol::anthropic
                       : member(from, "protocol") == 1 ? protocol::responses
                                                       : protocol::chat;
        auto const& at = member(from, "place");
        rounds.place = at.is_number_unsigned() ? at.get<std::size_t>() : ~std::size_t{0};
        rounds.seen = text_at(from, "seen");
        return rounds;
    }

private:
    template <class Iterator>
    static Iterator end_of_answer(Iterator from, Iterator end) {
        return std::find_if(
            from, end, [](json const& message) { return condense::role_of(message) != condense::role::assistant; });
    }
    /// Results stand first in the message of the user that follows the calls.
    void insert_blocks(json::array_t& messages, json::array_t::iterator& at) const {
        if (at == messages.end() || condense::role_of(*at) == condense::role::assistant)
            at = messages.insert(at, json{{"role", "user"}, {"content", json::array()}});
        auto& content = (*at)["content"];
        if (!content.is_array()) content = json::array({{{"type", "text"}, {"text", content}}});
        auto& blocks = content.get_ref<json::array_t&>();
        blocks.insert(blocks.begin(), results.begin(), results.end());
    }
};

/// Puts all that the client does not know into its messages; how many of the answers are others than were seen. Of
/// rounds at one place those count whose answer follows.
inline std::size_t insert_rounds(json::array_t& messages, std::vector<hidden_rounds> const& rounds) {
    std::size_t others = 0;
    for (auto end = rounds.size(); end != 0;) {
        auto chosen = --end;
        bool is_known = rounds[chosen].is_answer_in(messages);
        for (; end != 0 && rounds[end - 1].place == rounds[chosen].place; --end)
            if (!is_known && (is_known = rounds[end - 1].is_answer_in(messages))) chosen = end - 1;
        others += rounds[chosen].insert_into(messages);
    }
    return others;
}

/// The answer to a client, out of one or more answers of the provider: all but the last call hidden tools alone. A
/// stream passes until a call begins or the answer ends; the rest waits until it is known whose calls they are.
class spliced_answer {
public:
    spliced_answer(protocol which, bool streams) : which_{which}, streams_{streams} {}

    /// Takes what has come from the provider; gives what the client may see of it now. Throws where more than 64 MiB
    /// would have to wait.
    std::string add(std::string_view piece) {
        raw_.append(piece);
        size_ += piece.size();
        if (size_ > most_held) throw std::runtime_error{"the answer is too long"};
        if (!streams_) return {};
        std::string shown;
        std::size_t begin = 0;
        for (auto end = end_of_event(begin); end != raw_.npos; end = end_of_event(begin)) {
            take(raw_.substr(begin, end - begin), shown);
            searched_ = begin = end;
        }
        raw_.erase(0, begin);
        searched_ -= begin;
        if (!holds_) size_ = raw_.size();
        return shown;
    }

    /// The provider's answer has ended. True where it is whole, and calls hidden tools alone; `joins`: its calls of the
    /// client's tools are to be answered as well.
    bool end(bool joins = false) {
        if (streams_) join();
        else split();
        return !hidden_.empty() && (own_.empty() || joins);
    }
    /// Calls of the client's tools.
    std::vector<tool_call> const& own() const noexcept { return own_; }
    std::vector<tool_call> const& hidden() const noexcept { return hidden_; }
    /// It calls hidden tools, whether they are to be answered or it was cut before.
    bool hides_calls() const noexcept { return hides_; }
    /// The answer as messages that go back to the provider.
    json::array_t const& written() const noexcept { return written_; }

    /// The part of all answers that the client sees, once the last one has ended.
    std::string seen() const {
        auto all = streams_ ? shown_ : json::array_t{};
        all.insert(all.end(), written_.begin(), written_.end());
        return hidden_rounds::seen_of(all.begin(), all.end());
    }

    /// The provider is to go on: the rest of this answer stays here.
    void next() {
        shown_.insert(shown_.end(), passed_.begin(), passed_.end());
        passed_.clear();
        base_ += std::exchange(begun_, 0);
        ++round_;
        raw_.clear();
        held_.clear();
        holds_ = false;
        message_ = json::object();
        blocks_.clear();
        indexes_.clear();
        written_.clear();
        hidden_.clear();
        own_.clear();
        stop_.clear();
        hides_ = false;
        searched_ = size_ = 0;
    }

    /// The rest for the client, without hidden calls.
    std::string rest() {
        if (!streams_) return hides_ ? whole_without_hidden() : raw_;
        std::string shown;
        for (auto& each : held_) shown += round_ == 0 && !hides_ ? each.text : rewritten(each);
        return shown + raw_;
    }

private:
    struct event {
        std::string text = {};
        json data = {};  ///< null where it is no JSON
    };

    std::size_t end_of_event(std::size_t from) {
        from = std::max(from, searched_);
        for (auto at = raw_.find('\n', from); at != raw_.npos; at = raw_.find('\n', at + 1)) {
            auto const rest = std::string_view{raw_}.substr(at + 1, 2);
            if (rest.starts_with("\n")) return at + 2;
            if (rest == "\r\n") return at + 3;
            searched_ = rest.size() == 2 ? at + 1 : at;
        }
        return raw_.npos;
    }

    /// Calls f(line) for each line of an event.
    static void each_line(std::string_view text, auto const& f) {
        while (!text.empty()) {
            auto const end = std::min(text.find('\n'), text.size());
            auto line = text.substr(0, end);
            if (line.ends_with('\r')) line.remove_suffix(1);
            f(line);
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }

    void take(std::string text, std::string& shown) {
        event now{std::move(text), {}};
        std::string data;
        each_line(now.text, [&](std::string_view line) {
            if (line.starts_with("data:")) data.append(line.substr(5));
        });
        if (auto read = condense::parse_json<json>(data); read && read.value.is_object())
            now.data = std::move(read.value);
        auto const type = text_at(now.data, "type");
        bool const begins = !holds_ && is_held(now.data);
        if (begins) passed_ = messages_so_far();
        holds_ = holds_ || begins;
        if (!now.data.is_null()) note(now.data);
        if (holds_) return held_.push_back(std::move(now));
        if (type == "content_block_start" || type == "response.output_item.added") ++begun_;
        if (type == "response.output_item.done") items_.push_back(member(now.data, "item"));
        if (round_ == 0 && which_ == protocol::chat) id_ = member(now.data, "id");
        if (auto const& number = member(now.data, "sequence_number"); round_ == 0 && number.is_number_unsigned())
            sequence_ = number.get<std::uint64_t>();
        shown += round_ == 0 ? now.text : rewritten(now);
    }

    /// As messages, as far as it has come.
    json::array_t messages_so_far() const {
        if (which_ == protocol::responses) return blocks_;
        if (which_ == protocol::anthropic) return {json{{"role", "assistant"}, {"content", blocks_}}};
        if (message_.empty()) return {};
        auto message = message_;
        message["role"] = "assistant";
        return {std::move(message)};
    }

    /// From this event on nothing passes: a call begins, or the answer ends.
    bool is_held(json const& data) const {
        auto const type = text_at(data, "type");
        if (which_ == protocol::anthropic) {
            auto const kind = text_at(member(data, "content_block"), "type");
            return kind == "tool_use" || type == "message_delta" || type == "message_stop" || type == "error";
        }
        if (which_ == protocol::responses)
            return !tool_of(member(data, "item")).empty() || type == "response.completed" ||
                   type == "response.incomplete" || type == "response.failed" || type == "error";
        auto const& choices = member(data, "choices");
        if (!choices.is_array()) return false;
        if (choices.empty()) return !member(data, "usage").is_null();
        auto const& calls = member(member(choices[0], "delta"), "tool_calls");
        return choices.size() != 1 || !member(choices[0], "finish_reason").is_null() ||
               (calls.is_array() && !calls.empty());
    }

    /// Joins the pieces of a message as the clients do.
    void note(json& data) {
        auto const type = text_at(data, "type");
        if (which_ == protocol::anthropic) return note_block(data, type);
        if (which_ == protocol::responses) {
            if (type == "response.output_item.added") blocks_.push_back(member(data, "item"));
            if (type == "response.output_item.done") finish_item(member(data, "item"));
            if (type == "response.completed" || type == "response.incomplete") stop_ = type.substr(type.find('.') + 1);
            return;
        }
        auto const choices = data.find("choices");
        if (choices == data.end() || !choices->is_array() || choices->size() != 1) return;
        if (auto const reason = text_at((*choices)[0], "finish_reason"); !reason.empty()) stop_ = reason;
        if (!member((*choices)[0], "delta").is_object()) return;
        for (auto& [key, value] : (*choices)[0]["delta"].items()) {
            if (value.is_null()) continue;
            auto const known = message_.find(key);
            if (key == "tool_calls" && value.is_array())
                for (auto& piece : value) note_call(piece);
            else if (known == message_.end() || key == "role") message_[key] = value;
            else if (known->is_string() && value.is_string())
                known->get_ref<std::string&>() += value.get_ref<std::string const&>();
            else if (known->is_array() && value.is_array()) known->insert(known->end(), value.begin(), value.end());
        }
    }
    void finish_item(json const& item) {
        auto const id = text_at(item, "id");
        if (!blocks_.empty() && !id.empty() && text_at(blocks_.back(), "id") == id) blocks_.back() = item;
        else blocks_.push_back(item);
    }
    /// Some providers number all calls alike: one with another id is another call. Its number is its place from then
    /// on.
    void note_call(json& piece) {
        if (!piece.is_object() || blocks_.size() >= most_calls) return;
        auto const index = number_at(piece, "index");
        auto const id = text_at(piece, "id");
        auto known =
            std::find_if(indexes_.rbegin(), indexes_.rend(), [&](auto const& each) { return each.first == index; });
        if (known == indexes_.rend() || (!id.empty() && text_at(blocks_[known->second], "id") != id)) {
            indexes_.emplace_back(index, blocks_.size());
            blocks_.push_back({{"id", id}, {"type", "function"}, {"function", json::object()}});
            known = indexes_.rbegin();
        }
        auto& function = blocks_[known->second]["function"];
        for (auto const* const name : {"name", "arguments"})
            function[name] = text_at(function, name) + text_at(member(piece, "function"), name);
        piece["index"] = known->second;
    }
    void note_block(json const& data, std::string_view type) {
        if (type == "content_block_start") {
            blocks_.push_back(member(data, "content_block"));
            inputs_.resize(blocks_.size());
            inputs_.back().clear();
        }
        if (type == "message_stop" && stop_.empty()) stop_ = "end";
        auto const& delta = member(data, "delta");
        if (auto const reason = text_at(delta, "stop_reason"); !reason.empty()) stop_ = reason;
        auto const at = number_at(data, "index");
        if (type != "content_block_delta" || at >= blocks_.size() || !blocks_[at].is_object()) return;
        for (auto const* const name : {"text", "thinking", "signature"})
            if (member(delta, name).is_string()) blocks_[at][name] = text_at(blocks_[at], name) + text_at(delta, name);
        inputs_[at] += text_at(delta, "partial_json");
        if (!member(delta, "citation").is_object()) return;
        auto& citations = blocks_[at]["citations"];
        if (!citations.is_array()) citations = json::array();
        citations.push_back(member(delta, "citation"));
    }

    /// The message that the events of a stream make, and its calls.
    void join() {
        if (which_ == protocol::anthropic)
            for (std::size_t at = 0; at < blocks_.size(); ++at)
                if (!inputs_[at].empty() && blocks_[at].is_object())
                    blocks_[at]["input"] = condense::parse_json<json>(inputs_[at]).value;
        if (which_ == protocol::chat && !blocks_.empty()) message_["tool_calls"] = blocks_;
        if (which_ == protocol::anthropic) message_ = {{"role", "assistant"}, {"content", blocks_}};
        settle();
    }
    /// The message of an answer that is whole.
    void split() {
        auto read = condense::parse_json<json>(raw_);
        if (!read) return;
        document_ = std::move(read.value);
        auto const& choices = member(document_, "choices");
        if (which_ == protocol::chat && choices.is_array() && choices.size() == 1) {
            for (auto const& [key, value] : member(choices[0], "message").items())
                if (!value.is_null()) message_[key] = value;
            blocks_ = array_at(message_, "tool_calls");
            stop_ = text_at(choices[0], "finish_reason");
        } else if (which_ == protocol::anthropic) {
            blocks_ = array_at(document_, "content");
            stop_ = text_at(document_, "stop_reason");
            message_ = {{"role", "assistant"}, {"content", blocks_}};
        } else if (which_ == protocol::responses) {
            blocks_ = array_at(document_, "output");
            stop_ = text_at(document_, "status");
        }
        settle();
    }
    static json::array_t array_at(json const& object, char const* name) {
        auto const& found = member(object, name);
        return found.is_array() ? found.get<json::array_t>() : json::array_t{};
    }
    static std::size_t number_at(json const& object, char const* name) {
        auto const& found = member(object, name);
        return found.is_number_unsigned() ? found.get<std::size_t>() : 0;
    }

    /// The name of the tool of the client, or of one that is hidden, which a block or an item calls; empty where it
    /// calls none. Those of a kind that is not known are the client's.
    std::string tool_of(json const& block) const {
        static constexpr std::array<std::string_view, 5> of_provider = {
            "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"};
        if (which_ == protocol::chat) {
            auto const name = text_at(member(block, "function"), "name");
            return name.empty() ? "a tool" : name;
        }
        auto const type = text_at(block, "type");
        if (type == (which_ == protocol::anthropic ? "tool_use" : "function_call")) return text_at(block, "name");
        bool const calls = which_ == protocol::responses && type.ends_with("_call") &&
                           std::find(of_provider.begin(), of_provider.end(), type) == of_provider.end();
        return calls ? type : std::string{};
    }
    /// Of an answer that was cut no call is answered, and none of a hidden tool goes on.
    void settle() {
        bool const is_whole =
            !stop_.empty() && stop_ != "length" && stop_ != "max_tokens" && stop_ != "incomplete" && stop_ != "failed";
        for (auto& block : blocks_) {
            auto const tool = tool_of(block);
            if (tool.empty()) continue;
            tool_call call{text_at(block, which_ == protocol::responses ? "call_id" : "id"), tool, {}};
            hides_ = hides_ || is_hidden(tool);
            if (which_ == protocol::anthropic) call.arguments = member(block, "input").dump();
            else call.arguments = text_at(which_ == protocol::chat ? member(block, "function") : block, "arguments");
            if (!is_hidden(tool)) own_.push_back(std::move(call));
            else if (is_whole) {
                make_legal(block, call.arguments);
                hidden_.push_back(std::move(call));
            }
        }
        auto const kept = hidden_.empty() && hides_ ? without_hidden(blocks_) : blocks_;
        if (which_ == protocol::responses) written_ = kept;
        else if (!message_.empty()) {
            message_["role"] = "assistant";
            if (which_ == protocol::anthropic) message_["content"] = kept;
            else if (!kept.empty()) message_["tool_calls"] = kept;
            else message_.erase("tool_calls");
            written_ = {message_};
        }
    }
    /// Arguments that are no object are refused by the tool, and a provider would refuse the request that holds them.
    void make_legal(json& block, std::string_view arguments) const {
        if (condense::parse_json<json>(arguments).value.is_object()) return;
        if (which_ == protocol::anthropic) block["input"] = json::object();
        else (which_ == protocol::chat ? block["function"] : block)["arguments"] = "{}";
    }

    bool hides(std::size_t at) const { return at < blocks_.size() && is_hidden(tool_of(blocks_[at])); }
    /// Where a block of this answer stands in the client's; nothing for a hidden one.
    std::optional<std::size_t> place_of(std::size_t at) const {
        if (hides(at)) return std::nullopt;
        at = std::min(at, blocks_.size());
        auto place = which_ == protocol::chat ? at : at + base_;
        for (std::size_t each = 0; each < at; ++each) place -= hides(each) ? 1u : 0u;
        return place;
    }

    json::array_t without_hidden(json::array_t blocks) const {
        std::erase_if(blocks, [&](json const& block) { return is_hidden(tool_of(block)); });
        return blocks;
    }
    /// An end for the sake of calls is one of the answer where no call is left.
    void end_without_calls(json& holder, char const* name) const {
        auto const reason = text_at(holder, name);
        if (own_.empty() && reason == "tool_calls") holder[name] = "stop";
        if (own_.empty() && reason == "tool_use") holder[name] = "end_turn";
    }

    std::string whole_without_hidden() {
        auto left = without_hidden(blocks_);
        if (which_ == protocol::chat) {
            auto& choice = document_["choices"][0];
            if (left.empty()) choice["message"].erase("tool_calls");
            else choice["message"]["tool_calls"] = std::move(left);
            end_without_calls(choice, "finish_reason");
        } else document_[which_ == protocol::anthropic ? "content" : "output"] = std::move(left);
        end_without_calls(document_, "stop_reason");
        return document_.dump(-1, ' ', false, json::error_handler_t::replace);
    }

    /// An event as it is a part of the client's answer; empty where it is none.
    std::string rewritten(event& now) {
        if (now.data.is_null()) return now.text;
        if (!(which_ == protocol::chat ? rewrite_chunk(now.data) : rewrite_event(now.data))) return {};
        std::string text;
        bool has_data = false;
        each_line(now.text, [&](std::string_view line) {
            if (!line.starts_with("data:")) text.append(line).append("\n");
            else if (!std::exchange(has_data, true))
                text.append("data: ")
                    .append(now.data.dump(-1, ' ', false, json::error_handler_t::replace))
                    .append("\n");
        });
        return text;
    }
    bool rewrite_chunk(json& data) {
        if (!id_.is_null()) data["id"] = id_;
        auto const choices = data.find("choices");
        if (choices == data.end() || !choices->is_array() || choices->size() != 1)
            return round_ == 0 || !member(data, "usage").is_null();
        auto& choice = (*choices)[0];
        end_without_calls(choice, "finish_reason");
        auto const delta = choice.find("delta");
        if (delta == choice.end() || !delta->is_object()) return true;
        if (round_ != 0) delta->erase("role");
        auto const calls = delta->find("tool_calls");
        if (calls == delta->end() || !calls->is_array()) return true;
        auto left = json::array();
        for (auto& piece : *calls)
            if (auto const place = place_of(number_at(piece, "index"))) {
                piece["index"] = *place;
                left.push_back(std::move(piece));
            }
        bool const is_part = !left.empty() || !member(choice, "finish_reason").is_null() || delta->size() > 1;
        if (left.empty()) delta->erase(calls);
        else *calls = std::move(left);
        return is_part;
    }
    bool rewrite_event(json& data) {
        auto const type = text_at(data, "type");
        bool const begins = type == "message_start" || type == "response.created" || type == "response.in_progress" ||
                            type == "response.queued";
        if (begins && round_ != 0) return false;
        if (auto const delta = data.find("delta"); delta != data.end() && delta->is_object())
            end_without_calls(*delta, "stop_reason");
        auto const index = which_ == protocol::anthropic ? "index" : "output_index";
        if (data.contains(index)) {
            auto const place = place_of(number_at(data, index));
            if (!place) return false;
            data[index] = *place;
        }
        if (auto const response = data.find("response"); response != data.end() && response->is_object() && !begins) {
            auto all = items_;
            auto const left = without_hidden(array_at(*response, "output"));
            auto const known = round_ == 0 ? all.size() : all.size() - std::min(all.size(), base_);
            all.insert(all.end(), left.begin() + static_cast<std::ptrdiff_t>(std::min(known, left.size())), left.end());
            (*response)["output"] = std::move(all);
        }
        if (data.contains("sequence_number")) data["sequence_number"] = ++sequence_;
        return true;
    }

    static constexpr std::size_t most_calls = 1'000;
    static constexpr std::size_t most_held = std::size_t{64} << 20;  ///< bytes

    protocol which_;
    bool streams_;
    // Of all answers of the provider.
    std::size_t round_ = 0;
    std::size_t base_ = 0;  ///< blocks or items that the client has of earlier ones
    json::array_t shown_ = {};  ///< messages of earlier ones
    json::array_t items_ = {};  ///< that the client of a stream has, whole
    json id_ = {};  ///< of the chunks
    std::uint64_t sequence_ = 0;  ///< number of the latest event
    // Of the one that comes.
    std::string raw_ = {};  ///< what is no whole event yet; without a stream all
    std::vector<event> held_ = {};
    bool holds_ = false;
    std::size_t searched_ = 0;  ///< bytes of `raw_` in which no event ends
    std::size_t size_ = 0;  ///< bytes that wait
    json::array_t passed_ = {};  ///< messages that the client of a stream has of it
    std::vector<std::pair<std::size_t, std::size_t>> indexes_ = {};  ///< numbers of calls, and their places
    std::string stop_ = {};  ///< why it ended; empty while it has not
    bool hides_ = false;  ///< it calls hidden tools
    std::size_t begun_ = 0;  ///< blocks or items that have passed
    json document_ = {};
    json message_ = json::object();
    json::array_t blocks_ = {};  ///< blocks, items, or calls of a chat
    std::vector<std::string> inputs_ = {};  ///< of the blocks, as text
    json::array_t written_ = {};
    std::vector<tool_call> hidden_ = {};
    std::vector<tool_call> own_ = {};  ///< calls of the client
};

}  // namespace proxy
