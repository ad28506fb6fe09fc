// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/adapt/json_parse.hpp>
#include <condense/adapt/json_place.hpp>
#include <condense/adapt/json_shape.hpp>
#include <condense/core/message.hpp>

// Edits of a JSON message: texts are written and parts erased at the places at which one walk has shown them, so that
// many edits of one message cost what it holds, not its square.

namespace condense {
inline namespace v1 {
namespace detail {

/// The parts of one message, to be edited. Refers to the message.
template <json_type Json>
class json_editor {
public:
    explicit json_editor(Json& message) : message_{message} { look(); }

    /// Writes the text of a part. Changes nothing if the part is sealed, or if it holds JSON and `text` does not parse.
    void write(std::size_t index, std::string text) {
        if (index >= pieces_.size()) return;
        auto const& [piece, is_alone] = pieces_[index];
        if (piece.part.kind == part_kind::media) return write_in_place_of_media(piece, is_alone, std::move(text));
        if (piece.text.parent == nullptr || piece.part.sealed) return;
        auto const* const value = piece.text.find();
        bool const exists = value != nullptr;
        if (!piece.is_dump) {
            if (text == piece.part.text) return;
            piece.text.write(Json(std::move(text)));
        } else {
            // A dump loses ill-formed UTF-8 and NaN, so an equal text keeps the value.
            if (exists && dump_of(*value) == text) return;
            auto parsed = parse_json<Json>(text);
            if (!parsed) return;
            piece.text.write(std::move(parsed.value));
        }
        if (!exists) look();  // the new value may have moved others
    }

    /// Erases the parts that the edits remove, as if one by one, results last. False, and nothing is changed, where
    /// parts that are known only by the message's other members would be left: each step then depends on the one
    /// before.
    bool remove(std::vector<part_edit> const& edits) {
        std::vector<bool> goes(pieces_.size());
        for (auto const& edit : edits)
            if (edit.removed && edit.index < pieces_.size()) goes[edit.index] = true;
        bool known = false;
        for (std::size_t index = 0; index < pieces_.size(); ++index) {
            auto const& piece = pieces_[index].piece;
            known =
                known || (!goes[index] && piece.part.kind != part_kind::other && piece.removable.parent != &message_);
        }
        if (!known) return false;
        auto* const content = member_of(message_, "content");
        auto* const calls = member_of(message_, "tool_calls");
        std::vector<std::size_t> blocks;
        std::vector<std::size_t> call_places;
        std::vector<json_place<Json>> members;
        std::size_t block = 0;  // of content, the holder of the array looked at last
        for (std::size_t index = 0; index < pieces_.size();) {
            auto const& place = pieces_[index].piece.removable;
            auto const first = index++;
            if (place.parent == nullptr) continue;
            if (place.parent == &message_ || place.parent == content || place.parent == calls) {
                if (!goes[first]) continue;
                if (place.parent == &message_) members.push_back(place);
                else (place.parent == content ? blocks : call_places).push_back(place.index);
                continue;
            }
            // Parts in one block: it goes with the last of them.
            while (index < pieces_.size() && pieces_[index].piece.removable.parent == place.parent) ++index;
            std::vector<std::size_t> elements;
            for (auto inner = first; inner < index; ++inner)
                if (goes[inner]) elements.push_back(pieces_[inner].piece.removable.index);
            if (elements.size() != index - first) {
                erase(*place.parent, elements);
                continue;
            }
            while (member_of((*content)[block], "content") != place.parent) ++block;
            blocks.push_back(block);
        }
        if (!blocks.empty()) erase(*content, blocks);
        if (!call_places.empty()) erase(*calls, call_places);
        for (auto const& place : members) place.erase();
        return true;
    }

private:
    struct known_piece {
        json_piece<Json> piece;
        bool alone = false;  ///< media whose answer shows no result of its own, so that a text there would become one
    };

    /// Reads the message. The part that is shown for an answer of media alone has its place behind them.
    void look() {
        pieces_.clear();
        each_piece(message_, [this](json_piece<Json> const& piece) { pieces_.push_back({piece}); });
        Json const* without_result = nullptr;
        for (auto index = pieces_.size(); index-- > 0;) {
            auto& [piece, is_alone] = pieces_[index];
            auto const& text = piece.text;
            if (piece.part.kind == part_kind::media) is_alone = piece.removable.parent == without_result;
            else if (text.parent != nullptr && text.key == nullptr && text.index == text.parent->size())
                without_result = text.parent;
        }
    }

    /// Replaces a block of media by a block of text. Not where the number of parts would change (in a result of media
    /// alone the text would become the result) or where the part would become a user's text (in a result without id):
    /// there an Anthropic tool_result gets a document of plain text, and other results stay as they are. So do blocks
    /// of shapes whose text is not of type `text`.
    void write_in_place_of_media(json_piece<Json> const& piece, bool is_alone, std::string text) {
        auto& block = *piece.removable.find();
        auto const type = text_member(block, "type");
        if (type == "input_image" || type == "input_file" || media_text(block) == text) return;
        bool const is_tool = role_named(text_member(message_, "role")) == role::tool;
        bool const in_result = is_tool || piece.removable.parent != member_of(message_, "content");
        bool const fits = !in_result || (!is_alone && !piece.part.call.empty());
        if (!fits && is_tool) return;
        auto const media = std::exchange(block, Json::object());
        if (fits) {
            block["type"] = "text";
            block["text"] = std::move(text);
        } else {
            block["type"] = "document";
            auto& source = block["source"] = Json::object();
            source["type"] = "text";
            source["media_type"] = "text/plain";
            source["data"] = std::move(text);
        }
        if (auto const* const cache_control = member_of(media, "cache_control"))
            block["cache_control"] = *cache_control;
    }

    /// Erases elements of an array, given in ascending order; those past its end are none.
    static void erase(Json& array, std::vector<std::size_t> const& indices) {
        auto& values = array.template get_ref<typename Json::array_t&>();
        auto next = indices.begin();
        std::size_t to = 0;
        for (std::size_t from = 0; from < values.size(); ++from) {
            if (next != indices.end() && *next == from) {
                ++next;
                continue;
            }
            if (to != from) values[to] = std::move(values[from]);
            ++to;
        }
        values.resize(to);
    }

    Json& message_;
    std::vector<known_piece> pieces_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
