// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <condense/detail/utf8.hpp>

#include "model.hpp"

// A model that plays along without a network: it does what the latest message says, word for word.

namespace repl {

class scripted_model {
public:
    /// `overflows`: it refuses one request of some length, as OpenAI does when its window is exceeded.
    explicit scripted_model(bool overflows = false) : overflows_{overflows} {}

    reply operator()(json::array_t const& messages, sink const& piece) {
        std::uint64_t size = 0;
        for (auto const& each : messages) size += each.dump(-1, ' ', false, json::error_handler_t::replace).size();
        if (messages.empty()) return failed(400, "there is no message");
        if (overflows_ && messages.size() > longest) {
            overflows_ = false;
            return failed(400, "This model's maximum context length is " + std::to_string(size / 8) +
                                   " tokens. However, your messages resulted in " + std::to_string(size / 4) +
                                   " tokens. Please reduce the length of the messages. (context_length_exceeded)");
        }
        auto made = answer_to(messages);
        std::string_view const text = text_member(made, "content");
        for (std::size_t at = 0; at < text.size();) {  // word by word, as a stream comes
            auto const end = std::min(text.find(' ', at), text.size() - 1) + 1;
            piece(text.substr(at, end - at));
            at = end;
        }
        return {.message = std::move(made), .usage = {.input = {size / 4}, .output = {text.size() / 4}}};
    }

private:
    static constexpr std::size_t longest = 12;

    json answer_to(json::array_t const& messages) {
        auto const& latest = messages.back();
        std::string_view const said = text_member(latest, "content");
        if (text_member(latest, "role") == "tool") {
            auto const lines = std::count(said.begin(), said.end(), '\n') + (said.ends_with('\n') ? 0 : 1);
            auto const begin = said.substr(0, condense::utf8::floor(said, 120));
            return answer("The tool gave " + std::to_string(lines) + (lines == 1 ? " line: " : " lines: ") +
                          std::string{begin} + (begin.size() < said.size() ? " ..." : ""));
        }
        auto const word = said.substr(0, said.find(' '));
        auto const rest = word.size() == said.size() ? std::string_view{} : said.substr(word.size() + 1);
        if (word == "list") return call("list", rest.empty() ? json::object() : json::object({{"folder", rest}}));
        if (word == "read" && !rest.empty()) return call("read", json::object({{"file", rest}}));
        if (word == "search" && !rest.empty()) return call("search", json::object({{"text", rest}}));
        if (word == "count" && !rest.empty()) {
            auto const holds = [&](json const& each) { return text_member(each, "content").find(rest) != rest.npos; };
            auto const found = std::count_if(messages.begin(), messages.end() - 1, holds);
            return answer("Of the messages before, " + std::to_string(found) + " of " +
                          std::to_string(messages.size() - 1) + " hold it.");
        }
        // `call NAME ARGUMENTS`: as written, also where that is no JSON.
        auto const name = rest.substr(0, rest.find(' '));
        if (word == "call" && name.size() < rest.size())
            return called(std::string{name}, std::string{rest.substr(name.size() + 1)});
        return answer("You said: " + std::string{said});
    }

    json call(std::string name, json const& arguments) {
        return called(std::move(name), arguments.dump(-1, ' ', false, json::error_handler_t::replace));
    }
    json called(std::string name, std::string arguments) {
        return answer("", {{"call-" + std::to_string(++calls_), std::move(name), std::move(arguments)}});
    }

    bool overflows_;
    std::size_t calls_ = 0;
};

}  // namespace repl
