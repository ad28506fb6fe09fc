// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

// How does a program write back what did not change as it came? A tree of JSON has lost the spelling of numbers and
// all space; the text that it was read from has both.

/// The text of a conversation that parses, and where its messages stand in it.
class json_document {
public:
    using json = nlohmann::ordered_json;

    explicit json_document(std::string_view text) : text_{text} {
        auto at = skip_space(text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
        if (text_[at] == '[') take_array(at);
        if (text_[at] != '{') return;
        for (at = skip_space(at + 1); text_[at] != '}';) {
            auto const end = past_value(at);
            auto const key = json::parse(text_.substr(at, end - at));
            at = skip_space(skip_space(end) + 1);  // the colon
            if (key == "messages" && text_[at] == '[') take_array(at);  // of equal keys the last counts
            at = past_value(at);
            at = skip_space(at);
            if (text_[at] == ',') at = skip_space(at + 1);
        }
    }

    /// The document with these messages. Each that was there before, in this order, has the text it had.
    std::string with(json::array_t const& messages) const {
        std::vector<std::string> out;
        bool same = messages.size() == spans_.size();
        std::size_t next = 0;
        for (auto const& m : messages) {
            auto const position = find(m, next);
            if (position != spans_.size()) out.emplace_back(spans_[position].text);
            else out.push_back(m.dump(lines_ ? 1 : -1, ' ', false, json::error_handler_t::replace));
            same = same && position == out.size() - 1;
            if (position != spans_.size()) next = position + 1;
        }
        if (same) return std::string{text_};
        std::string all{text_.substr(0, begin_)};
        all += lines_ ? "[\n" : "[";
        for (std::size_t at = 0; at < out.size(); ++at) all.append(at == 0 ? "" : lines_ ? ",\n" : ",").append(out[at]);
        return all.append(lines_ ? "\n]" : "]").append(text_.substr(end_));
    }

private:
    struct span {
        std::string_view text;
        json value;
    };

    std::size_t find(json const& m, std::size_t from) const {
        for (auto at = from; at < spans_.size(); ++at)
            if (spans_[at].value == m) return at;
        return spans_.size();
    }

    void take_array(std::size_t begin) {
        spans_.clear();
        begin_ = begin;
        auto at = skip_space(begin + 1);
        while (text_[at] != ']') {
            auto const end = past_value(at);
            auto const text = text_.substr(at, end - at);
            spans_.push_back({text, json::parse(text)});
            at = skip_space(end);
            if (text_[at] == ',') at = skip_space(at + 1);
        }
        end_ = at + 1;
        lines_ = text_.substr(begin_, end_ - begin_).find('\n') != std::string_view::npos;
    }

    std::size_t skip_space(std::size_t at) const { return text_.find_first_not_of(" \t\r\n", at); }

    std::size_t past_value(std::size_t at) const {
        std::size_t depth = 0;
        for (;; ++at) {
            auto const byte = text_[at];
            if (byte == '"') {
                for (++at; text_[at] != '"'; ++at) at += text_[at] == '\\' ? 1u : 0u;
            } else if (byte == '[' || byte == '{') {
                ++depth;
                continue;
            } else if (byte == ']' || byte == '}') {
                --depth;
            } else if (std::string_view{" \t\r\n,:"}.find(byte) != std::string_view::npos) {
                continue;
            } else at = text_.find_first_of(" \t\r\n,]}", at) - 1;  // a number or a word
            if (depth == 0) return at + 1;
        }
    }

    std::string_view text_;
    std::vector<span> spans_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool lines_ = false;
};
