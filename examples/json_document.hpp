// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/adapt/json_parse.hpp>

// How does a program write back what did not change as it came? A tree of JSON has lost the spelling of numbers and
// all space; the text that it was read from has both.

/// The text of a conversation that parses, and where its messages stand in it.
class json_document {
public:
    using json = nlohmann::ordered_json;

    /// `messages` is an array of the document that the text holds.
    json_document(std::string_view text, json const& document, json::array_t const& messages) : text_{text} {
        std::vector<std::string> path;
        if (find_path(document, messages, path)) take(first(), path, 0);
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

    /// The text of a document with this member put first into the object under `key`; as it is where there is none.
    static std::string with_member(std::string text, std::string_view key, std::string_view member) {
        json_document const read{text, {}, {}};
        auto const begin = read.place_of(key);
        if (begin == std::string::npos || text[begin] != '{') return text;
        bool const is_empty = text[read.skip_space(begin + 1)] == '}';
        return text.insert(begin + 1, std::string{member}.append(is_empty ? "" : ","));
    }

    /// The text of a document with this text as the value under `key`; as it is where there is none.
    static std::string with_value(std::string text, std::string_view key, std::string_view value) {
        json_document const read{text, {}, {}};
        auto const begin = read.place_of(key);
        return begin == std::string::npos ? text : text.replace(begin, read.past_value(begin) - begin, value);
    }

    /// The text of a document with these elements at the end of the array under `key`, which is made where there is
    /// none.
    static std::string with_elements(std::string text, std::string_view key, std::string_view elements) {
        json_document const read{text, {}, {}};
        auto const begin = read.place_of(key);
        auto const array = "[" + std::string{elements} + "]";
        if (begin == std::string::npos) {
            auto const inside = read.first() + 1;
            bool const is_empty = text[read.skip_space(inside)] == '}';
            return text.insert(inside, "\"" + std::string{key} + "\":" + array + (is_empty ? "" : ","));
        }
        if (text[begin] != '[') return text.replace(begin, read.past_value(begin) - begin, array);
        bool const is_empty = text[read.skip_space(begin + 1)] == ']';
        return text.insert(read.past_value(begin) - 1, (is_empty ? "" : ",") + std::string{elements});
    }

private:
    struct span {
        std::string_view text;
        json value;
    };

    std::size_t find(json const& m, std::size_t from) const {
        auto const hash = std::hash<json>{}(m);
        auto at = std::lower_bound(places_.begin(), places_.end(), std::pair{hash, from});
        while (at != places_.end() && at->first == hash && spans_[at->second].value != m) ++at;
        return at != places_.end() && at->first == hash ? at->second : spans_.size();
    }

    /// The names of the members that lead to an array: none, or up to two.
    static bool find_path(json const& value, json::array_t const& array, std::vector<std::string>& path) {
        if (value.is_array()) return value.get_ptr<json::array_t const*>() == &array;
        if (!value.is_object() || path.size() == 2) return false;
        for (auto const& [key, member] : value.items()) {
            path.push_back(key);
            if (find_path(member, array, path)) return true;
            path.pop_back();
        }
        return false;
    }

    std::size_t first() const { return skip_space(text_.starts_with("\xEF\xBB\xBF") ? 3 : 0); }

    /// Calls f(key, place of the value) for each member of an object that begins there.
    template <class Function>
    void each_member(std::size_t at, Function const& f) const {
        if (text_[at] != '{') return;
        for (at = skip_space(at + 1); text_[at] != '}';) {
            auto const end = past_value(at);
            auto const key = condense::parse_json<json>(text_.substr(at, end - at)).value;
            at = skip_space(skip_space(end) + 1);  // the colon
            f(key, at);
            at = skip_space(past_value(at));
            if (text_[at] == ',') at = skip_space(at + 1);
        }
    }

    /// Of the value under this key; of equal keys the last counts.
    std::size_t place_of(std::string_view key) const {
        auto found = std::string::npos;
        each_member(first(), [&](json const& name, std::size_t at) {
            if (name == key) found = at;
        });
        return found;
    }

    void take(std::size_t at, std::vector<std::string> const& path, std::size_t depth) {
        if (depth == path.size()) return take_array(at);
        each_member(at, [&](json const& key, std::size_t value) {
            if (key == path[depth]) take(value, path, depth + 1);  // of equal keys the last counts
        });
    }

    void take_array(std::size_t begin) {
        if (text_[begin] != '[') return;
        spans_.clear();
        places_.clear();
        begin_ = begin;
        auto at = skip_space(begin + 1);
        while (text_[at] != ']') {
            auto const end = past_value(at);
            auto const text = text_.substr(at, end - at);
            spans_.push_back({text, condense::parse_json<json>(text).value});
            places_.emplace_back(std::hash<json>{}(spans_.back().value), spans_.size() - 1);
            at = skip_space(end);
            if (text_[at] == ',') at = skip_space(at + 1);
        }
        end_ = at + 1;
        std::sort(places_.begin(), places_.end());
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
    std::vector<std::pair<std::size_t, std::size_t>> places_;  ///< of each value's hash, sorted
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool lines_ = false;
};
