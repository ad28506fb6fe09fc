// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include <condense/adapt/json_place.hpp>
#include <condense/adapt/json_shape.hpp>
#include <condense/detail/ascii.hpp>

// Whether a JSON message has a shape that is read here. Of one that has not, calls and results would be
// counted as nothing or sent without each other, so it is an error and never a silent guess:
// `if (auto const wrong = condense::shape_error_of(message)) log(wrong.text());`

namespace condense {
inline namespace v1 {

/// Why a message is not understood: which it is, and the names of what it has. Names that are long or not
/// plain ASCII are left out, so the text may go to a terminal.
struct shape_error {
    static constexpr std::size_t alone = ~std::size_t{0};

    std::size_t message = alone;  ///< its index in the conversation; `alone` where it was read by itself
    std::string members = {};     ///< "role, parts"
    std::string reason = {};  ///< "block 1 (type, toolCallId) may be a call or a result"; empty when there is no error

    explicit operator bool() const noexcept { return !reason.empty(); }

    std::string text() const {
        return "condense: json: message " + (message == alone ? std::string{} : std::to_string(message) + " ") +
               "with members (" + members + ") is not understood: " + reason +
               "; the shapes of OpenAI chat and Anthropic messages are";
    }
};

/// Thrown when a JSON message is read whose shape is not understood; see shape_error_of to ask before.
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

[[noreturn]] inline void reject_shape(shape_error error) {
#if defined(__cpp_exceptions)
    throw unknown_shape{std::move(error)};
#else
    static_cast<void>(error);
    std::terminate();
#endif
}

/// Whether `name` has one of the words by which shapes call calls and results, in any case: at its begin, or anywhere.
constexpr bool names_call(std::string_view name, bool anywhere) noexcept {
    auto const same = [](char held, char letter) { return lowered(held) == letter; };
    for (std::string_view const word : {"tool", "function"}) {
        auto const found = std::search(name.begin(), name.end(), word.begin(), word.end(), same);
        if (found != name.end() && (anywhere || found == name.begin())) return true;
    }
    return false;
}

template <class Json>
bool holds_something(Json const& value) {
    auto const* const text = string_of(&value);
    return text != nullptr ? !text->empty() : !value.is_null() && !(value.is_structured() && value.empty());
}

/// A block whose type is unknown, and which has a type or a member that names a call or a result.
template <class Json>
bool block_names_call(Json const& block) {
    if (!block.is_object()) return false;
    if (names_call(text_member(block, "type"), true)) return true;
    for (auto const& [key, value] : block.items())
        if (names_call(key, false) && holds_something(value)) return true;
    return false;
}

inline void append_name(std::string& names, std::string_view name) {
    constexpr std::size_t longest = 40;
    bool plain = !name.empty() && name.size() <= longest;
    for (char const byte : name) plain = plain && byte > ' ' && byte < 0x7F;
    names.append(names.empty() ? "" : ", ").append(plain ? name : "?");
}

template <class Json>
std::string names_of_members(Json const& value) {
    if (!value.is_object()) return "none, a JSON " + std::string{value.type_name()};
    constexpr std::size_t most = 12;
    std::string names;
    std::size_t count = 0;
    for (auto const& [key, held] : value.items()) {
        if (++count > most) return names + ", ...";
        append_name(names, key);
    }
    return names.empty() ? "none" : names;
}

/// Reads one message as json_walk does, and keeps the first reason why that is not enough.
template <class Json>
class shape_check {
public:
    explicit shape_check(Json const& message) : message_{message} {}

    std::string reason() {
        if (!message_.is_object()) return "it is no object";
        content_ = member_of(message_, "content");
        calls_ = member_of(message_, "tool_calls");
        each_piece(message_, [this](json_piece<Json const> const& piece) { see(piece); });
        if (why_.empty()) see_members();
        if (!why_.empty() || understood_) return why_;
        if (unknown_) return "no block of its content is";
        return content_ == nullptr && !calls_only() && others_ ? "it has no content" : "";
    }

private:
    void see(json_piece<Json const> const& piece) {
        if (piece.part.kind != part_kind::other) {
            // An answer without content is shown as an empty one, whatever else it has.
            understood_ = understood_ || content_ != nullptr || piece.text.in != &message_ ||
                          piece.part.kind != part_kind::tool_result;
        } else if (piece.whole.in == calls_ && calls_ != nullptr)
            found("tool_calls has an element that is no object", nullptr);
        else if (piece.whole.in == content_ && content_ != nullptr) {
            unknown_ = true;
            auto const* const block = piece.whole.find();
            if (block_names_call(*block)) found("block " + std::to_string(piece.whole.at), block);
        } else if (piece.whole.in == &message_) unknown_ = true;
    }

    /// Members beside the content, which some shapes use for calls, results or for all blocks.
    void see_members() {
        for (auto const& [key, value] : message_.items()) {
            if (!why_.empty()) return;
            if (key == "tool_calls" || key == "function_call") {
                if (holds_something(value) && value.is_array() != (key == "function_call") && value.is_structured())
                    continue;
                if (holds_something(value)) found("member " + key + " has an unexpected type", nullptr);
                continue;
            }
            if (key == "role" || key == "content" || key == "name" || key == "condense" ||
                key.starts_with("tool_call_id"))
                continue;
            others_ = others_ || (holds_something(value) && (value.is_string() || value.is_structured()));
            // Definitions, which some keep in a message, are no calls.
            if (!value.is_structured() || key.ends_with("tools") || key.ends_with("functions")) continue;
            if (names_call(key, false) && holds_something(value)) found("member " + shown(key), nullptr);
            else if (value.is_array())
                for (std::size_t at = 0; at < value.size() && why_.empty(); ++at)
                    if (block_names_call(value[at]))
                        found("element " + std::to_string(at) + " of " + shown(key), &value[at]);
        }
    }

    bool calls_only() const { return calls_ != nullptr || member_of(message_, "function_call") != nullptr; }

    static std::string shown(std::string_view name) {
        std::string out;
        append_name(out, name);
        return out;
    }
    void found(std::string what, Json const* block) {
        if (!why_.empty()) return;
        why_ = std::move(what);
        if (block == nullptr) return;
        auto const type = text_member(*block, "type");
        why_ += " (" + (type.empty() ? std::string{} : "type " + shown(type) + "; ") + "members " +
                names_of_members(*block) + ")";
        why_ += " names a call or a result";
    }

    Json const& message_;
    Json const* content_ = nullptr;
    Json const* calls_ = nullptr;
    std::string why_;
    bool understood_ = false;
    bool unknown_ = false;
    bool others_ = false;
};

}  // namespace detail

/// Why `message` is not understood; false where it is. An error are: a value that is no object; a block that is
/// not understood and has a type or a member naming a call or a result (`tool...`, `function...`), in the
/// content or in a member beside it; no block that is understood. Understood are `content: null`, empty and
/// call-only messages, and unknown blocks beside ones that are known.
template <json_type Json>
shape_error shape_error_of(Json const& message, std::size_t index = shape_error::alone) {
    auto reason = detail::shape_check<Json>{message}.reason();
    if (reason.empty()) return {};
    return {index, detail::names_of_members(message), std::move(reason)};
}

}  // namespace v1
}  // namespace condense
