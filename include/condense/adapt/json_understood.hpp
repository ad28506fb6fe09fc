// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/adapt/json_blocks.hpp>
#include <condense/adapt/json_place.hpp>
#include <condense/adapt/json_shape.hpp>
#include <condense/detail/ascii.hpp>

// Whether a JSON message has a shape that this adapter reads. Calls and results of another shape would not be counted,
// or be sent without each other, so it is an error and never a silent guess:
// `if (auto const wrong = condense::shape_error_of(message)) log(wrong.text());`

namespace condense {
inline namespace v1 {

/// Why a message is not understood, its index, and the names of its members. Names that are long or not plain ASCII are
/// left out, so the text may be printed to a terminal.
struct shape_error {
    static constexpr std::size_t alone = ~std::size_t{0};
    static constexpr std::size_t none = alone - 1;

    /// Its index in the conversation; `alone` if it was read by itself, `none` if a document has no messages.
    std::size_t message = alone;
    std::string members = {};  ///< "role, parts"
    std::string reason = {};  ///< "block 1 (type, toolCallId) may be a call or a result"; empty when there is no error
    std::string nearest = {};  ///< of an unknown message: the shape with most of its words; empty if none has any
    bool is_elsewhere = false;  ///< the provider keeps the history, of which the document has the newest turn

    explicit operator bool() const noexcept { return !reason.empty(); }

    std::string text() const {
        if (message == none) return "condense: json: " + reason;
        return "condense: json: message " + (message == alone ? std::string{} : std::to_string(message) + " ") +
               "with members (" + members + ") is not understood: " + reason +
               (nearest.empty() ? std::string{} : "; the nearest shape is " + nearest);
    }
};

/// Thrown when a JSON message of an unknown shape is read; shape_error_of checks without throwing.
class unknown_shape : public std::exception {
public:
    explicit unknown_shape(shape_error error) : error_{std::move(error)}, text_{error_.text()} {}

    char const* what() const noexcept override { return text_.c_str(); }
    shape_error const& error() const noexcept { return error_; }

private:
    shape_error error_;
    std::string text_;
};

namespace detail {

/// Throws; without exceptions it ends the program, because reading a message has no other way to report an error.
[[noreturn]] inline void reject_shape(shape_error error) {
#if defined(__cpp_exceptions)
    throw unknown_shape{std::move(error)};
#else
    static_cast<void>(error);
    std::terminate();
#endif
}

/// Calls f(word, shapes) for each word that the tables and the walk of a message know.
template <class Function>
void each_word(Function&& f) {
    auto const of_rows = [&f](auto const& rows) {
        for (auto const& row : rows) {
            f(row.word, row.shapes);
            for (auto const& members : {row.text, row.id, row.seal})
                for (auto const* const member : members)
                    if (member != nullptr && member != std::string_view{"content"})  // which messages have too
                        f(std::string_view{member}, row.shapes);
            if (row.tool != nullptr) f(std::string_view{row.tool}, row.shapes);
        }
    };
    of_rows(typed_rows);
    of_rows(keyed_rows);
    of_rows(item_rows);
    f(compaction_row.word, compaction_row.shapes);
    for (auto const* const key : {"tool_calls", "tool_call_id", "reasoning_content"}) f(key, shape_set::of(openai));
    for (auto const* const key : {"images", "tool_name"}) f(key, shape_set::of(ollama));
    f("content", content_shapes);
    f("parts", parts_shapes);
}

/// Counts the words of each shape in a message: names of members, and types, of the first thousand values and no deeper
/// than the blocks of a result.
class word_count {
public:
    template <class Json>
    void look(Json const& value, int levels = 6) {
        if (levels == 0 || !value.is_structured()) return;
        for (auto member = value.begin(); member != value.end() && values_ != 0; ++member) {
            --values_;
            if (value.is_object()) add(member.key());
            look(*member, levels - 1);
        }
        if (value.is_object()) add(text_member(value, "type"));
    }
    /// The shape with the most words, the first of equals; nothing if no shape has one.
    std::optional<json_shape> best() const {
        auto const most = std::max_element(counts_.begin(), counts_.end());
        if (*most == 0) return std::nullopt;
        return static_cast<json_shape>(most - counts_.begin());
    }

private:
    void add(std::string_view word) {
        shape_set all;  // of all rows with the word
        each_word([&](std::string_view known, shape_set shapes) {
            if (known == word) all = all | shapes;
        });
        for (std::size_t index = 0; index < json_shape_count; ++index)  // a word of few shapes says more
            if (all.contains(static_cast<json_shape>(index)))
                counts_[index] += 12 / (std::min)(all.size(), std::size_t{12});
    }
    std::array<std::size_t, json_shape_count> counts_{};
    std::size_t values_ = 1'000;  ///< to look at
};

/// True if `name` contains "tool" or "function", in letters of either case: at its beginning, or anywhere.
constexpr bool names_call(std::string_view name, bool anywhere) noexcept {
    auto const same = [](char name_letter, char letter) { return lowered(name_letter) == letter; };
    for (std::string_view const word : {"tool", "function"}) {
        auto const position = std::search(name.begin(), name.end(), word.begin(), word.end(), same);
        if (position != name.end() && (anywhere || position == name.begin())) return true;
    }
    return false;
}

/// False for null, and for an empty string, object or array, which some programs write for a missing value.
template <class Json>
bool has_value(Json const& value) {
    auto const* const text = string_of(&value);
    return text != nullptr ? !text->empty() : !value.is_null() && !(value.is_structured() && value.empty());
}

/// True for a block of unknown type if its type or one of its members names a call or a result.
template <class Json>
bool block_names_call(Json const& block) {
    if (!block.is_object()) return false;
    if (names_call(text_member(block, "type"), true)) return true;
    for (auto const& [key, value] : block.items())
        if (names_call(key, false) && has_value(value)) return true;
    return false;
}

/// Appends a member's name, or "?" for one that may not be printed.
inline void append_name(std::string& names, std::string_view name) {
    constexpr std::size_t longest = 40;
    bool plain = !name.empty() && name.size() <= longest;
    for (char const byte : name) plain = plain && byte > ' ' && byte < 0x7F;
    names.append(names.empty() ? "" : ", ").append(plain ? name : "?");
}

/// The names of the first twelve members.
template <class Json>
std::string names_of_members(Json const& value) {
    if (!value.is_object()) return "none, a JSON " + std::string{value.type_name()};
    constexpr std::size_t name_limit = 12;
    std::string names;
    std::size_t count = 0;
    for (auto const& [key, member] : value.items()) {
        if (++count > name_limit) return names + ", ...";
        append_name(names, key);
    }
    return names.empty() ? "none" : names;
}

/// "gemini", "anthropic or mcp"; "several shapes at once" for an empty set.
inline std::string names_of(shape_set shapes) {
    std::string names;
    auto left = shapes.size();
    for (std::size_t index = 0; index < json_shape_count; ++index)
        if (auto const shape = static_cast<json_shape>(index); shapes.contains(shape)) {
            names.append(names.empty() ? "" : left == 1 ? " or " : ", ").append(name(shape));
            --left;
        }
    return names.empty() ? "several shapes at once" : names;
}

/// Reads one message with json_walk, and keeps the first reason why its shape is not understood.
template <class Json>
class shape_check {
public:
    explicit shape_check(Json const& message) : message_{message} {}

    /// The first reason; empty if the message is understood. Call once.
    std::string reason() {
        if (!message_.is_object()) return "it is no object";
        content_ = member_of(message_, "parts");
        bool const has_parts = content_ != nullptr && content_->is_array();
        if (!has_parts) content_ = member_of(message_, "content");
        calls_ = member_of(message_, "tool_calls");
        if (content_ != nullptr) shapes_ = has_parts ? parts_shapes : content_shapes;  // also where it is empty
        each_piece(message_, [this](json_piece<Json> const& piece) { check_part(piece); });
        if (auto const type = text_member(message_, "type");
            reason_.empty() && !type.empty() && member_of(message_, "role") == nullptr && content_ != nullptr &&
            speaker_of(message_).empty() && row_of(item_rows, type) == nullptr && !is_compaction(message_))
            return "it has a type, " + printable(type) + ", and no role";
        if (reason_.empty()) check_members();
        if (!reason_.empty() || has_known_part_) return reason_;
        if (has_unknown_block_) return "no block of its content is";
        return content_ == nullptr && !calls_only() && has_others_ ? "it has no content" : "";
    }
    /// The shapes that a message which is understood may be of; empty where it mixes several.
    shape_set shapes() const noexcept { return shapes_; }

private:
    /// A part of kind `other` is unknown: harmless beside known ones, unless it may be a call or a result.
    void check_part(json_piece<Json> const& piece) {
        shapes_ = shapes_ & piece.shapes;
        if (piece.part.kind != part_kind::other || piece.known) {
            // A result without content is shown as an empty one, whatever else the message has.
            has_known_part_ = has_known_part_ || content_ != nullptr || piece.removable.parent == nullptr ||
                              piece.text.parent != &message_ || piece.part.kind != part_kind::tool_result;
        } else if (piece.removable.parent == calls_ && calls_ != nullptr)
            fail("tool_calls has an element that is no object", nullptr);
        else if (piece.removable.parent == content_ && content_ != nullptr && content_->is_array()) {
            has_unknown_block_ = true;
            auto const* const block = piece.removable.find();
            if (block_names_call(*block)) fail("block " + std::to_string(piece.removable.index), block);
        } else if (piece.removable.parent == &message_) has_unknown_block_ = true;
    }

    /// Checks the members beside the content, which some shapes use for calls, results or all blocks.
    void check_members() {
        for (auto member = message_.begin(); member != message_.end() && reason_.empty(); ++member) {
            std::string_view const key = member.key();
            auto const& value = *member;
            if (key == "tool_calls" || key == "function_call") {
                if (has_value(value) && value.is_array() != (key == "function_call") && value.is_structured()) continue;
                if (has_value(value)) fail("member " + std::string{key} + " has an unexpected type", nullptr);
                continue;
            }
            if (key == "role" || key == "content" || key == "name" || key == "condense" || key == "toolName" ||
                key == "toolCallId" || key == "tool_name" || key.starts_with("tool_call_id") || &value == content_)
                continue;
            has_others_ = has_others_ || (has_value(value) && (value.is_string() || value.is_structured()));
            // Definitions of tools, which some programs keep in a message, are no calls.
            if (!value.is_structured() || key.ends_with("tools") || key.ends_with("functions")) continue;
            if (names_call(key, false) && has_value(value)) fail("member " + printable(key), nullptr);
            else if (value.is_array())
                for (std::size_t index = 0; index < value.size() && reason_.empty(); ++index)
                    if (block_names_call(value[index]))
                        fail("element " + std::to_string(index) + " of " + printable(key), &value[index]);
        }
    }

    /// Messages with calls may lack content.
    bool calls_only() const { return calls_ != nullptr || member_of(message_, "function_call") != nullptr; }

    /// A name for an error text.
    static std::string printable(std::string_view name) {
        std::string result;
        append_name(result, name);
        return result;
    }
    /// Keeps the first problem. `block`: the block to describe, or null.
    void fail(std::string problem, Json const* block) {
        if (!reason_.empty()) return;
        reason_ = std::move(problem);
        if (block == nullptr) return;
        auto const type = text_member(*block, "type");
        reason_ += " (" + (type.empty() ? std::string{} : "type " + printable(type) + "; ") + "members " +
                   names_of_members(*block) + ")";
        reason_ += " names a call or a result";
    }

    Json const& message_;
    Json const* content_ = nullptr;
    Json const* calls_ = nullptr;
    shape_set shapes_ = shape_set::all();
    std::string reason_;
    bool has_known_part_ = false;
    bool has_unknown_block_ = false;
    bool has_others_ = false;
};

}  // namespace detail

/// Why `message` is not understood; false if it is. Errors: a value that is no object; an unknown block whose type or
/// member names a call or a result (`tool...`, `function...`), in the content or in a member beside it; no known block
/// at all. Understood are `content: null`, empty and call-only messages, and unknown blocks beside known ones.
/// With `only`, also a message that is not of that shape.
template <json_type Json>
shape_error shape_error_of(Json const& message, std::size_t index = shape_error::alone,
                           std::optional<json_shape> only = std::nullopt) {
    detail::shape_check<Json> check{message};
    shape_error error{.message = index, .reason = check.reason()};
    if (error) {
        detail::word_count words;
        words.look(message);
        if (auto const nearest = words.best()) error.nearest = name(*nearest);
        else error.reason += "; no shape has such members";
    } else if (only && !check.shapes().contains(*only))
        error.reason = "it is of " + detail::names_of(check.shapes()) + ", not of " + std::string{name(*only)};
    else return {};
    error.members = detail::names_of_members(message);
    return error;
}

}  // namespace v1
}  // namespace condense
