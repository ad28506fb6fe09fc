// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
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
        // A dump loses ill-formed UTF-8 and NaN, so an equal text keeps the value.
        if (piece.is_dump ? exists && dump_of(*value) == text : text == piece.part.text) return;
        auto const& place = piece.written.parent != nullptr ? piece.written : piece.text;
        if (piece.form == text_form::json) {
            auto parsed = parse_json<Json>(text);
            if (!parsed) return;
            place.write(std::move(parsed.value));
        } else place.write(in_form(piece.form, std::move(text), piece.part.status));
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
        losses all_losses;
        for (std::size_t index = 0; index < pieces_.size();) {
            auto const block = pieces_[index].piece.block;
            auto const first = index++;
            if (block.parent == nullptr) {
                if (goes[first]) add(pieces_[first].piece.removable, all_losses);
                continue;
            }
            // Parts in one block: it goes with the last of them.
            bool all_go = goes[first];
            for (; index < pieces_.size() && is_same(pieces_[index].piece.block, block); ++index)
                all_go = all_go && goes[index];
            if (all_go) add(block, all_losses);
            else
                for (auto part = first; part < index; ++part)
                    if (goes[part]) add(pieces_[part].piece.removable, all_losses);
        }
        // From inside to outside, because blocks move when the array that holds them is emptied, and the members of an
        // object when one of them goes; keys may be the object's own.
        auto const erase_members = [&](bool of_message) {
            std::vector<std::pair<Json*, std::string>> members;
            for (auto const& place : all_losses.members)
                if ((place.parent == &message_) == of_message) members.emplace_back(place.parent, place.key);
            for (auto const& [parent, key] : members) json_place<Json>{parent, key.c_str()}.erase();
        };
        for (auto const& array : all_losses.inner) erase(*array.parent, array.indices);
        erase_members(false);
        for (auto const& array : all_losses.outer) erase(*array.parent, array.indices);
        erase_members(true);
        return true;
    }

private:
    struct known_piece {
        json_piece<Json> piece;
        bool alone = false;  ///< media whose answer shows no result of its own, so that a text there would become one
    };

    /// Elements of an array, by ascending index.
    struct elements {
        Json* parent = nullptr;
        std::vector<std::size_t> indices = {};
    };
    /// What is to be erased.
    struct losses {
        std::vector<json_place<Json>> members = {};
        std::vector<elements> outer = {};  ///< of arrays that are members of the message
        std::vector<elements> inner = {};  ///< of arrays inside a block
    };

    static bool is_same(json_place<Json> const& a, json_place<Json> const& b) {
        return a.parent == b.parent && a.key == b.key && a.index == b.index;
    }
    void add(json_place<Json> const& place, losses& all) const {
        if (place.parent == nullptr) return;
        if (place.key != nullptr) return all.members.push_back(place);
        bool outer = false;
        for (auto const* const key : {"content", "parts", "tool_calls", "images"})
            outer = outer || member_of(message_, key) == place.parent;
        auto& arrays = outer ? all.outer : all.inner;
        // Inner places come block by block; outer arrays are few.
        auto array = arrays.end();
        if (!outer && !arrays.empty() && arrays.back().parent == place.parent) --array;
        if (outer)
            array = std::find_if(arrays.begin(), arrays.end(),
                                 [&](elements const& each) { return each.parent == place.parent; });
        if (array == arrays.end()) array = arrays.insert(array, {place.parent});
        array->indices.push_back(place.index);
    }

    /// The value that holds `text` in a form other than JSON.
    static Json in_form(text_form form, std::string text, part_status status) {
        if (form == text_form::string) return Json(std::move(text));
        if (form == text_form::text_block || form == text_form::keyed_block)
            return text_block<Json>(std::move(text), form == text_form::text_block);
        auto result = Json::object();
        if (form == text_form::input_block) result["type"] = "input_text";
        if (form == text_form::typed_value) result["type"] = status == part_status::error ? "error-text" : "text";
        result[form == text_form::typed_value     ? "value"
               : form == text_form::output_member ? "output"
                                                  : "text"] = std::move(text);
        return result;
    }

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
    /// there an Anthropic tool_result gets a document of plain text, and other results stay as they are. So do media
    /// that are no blocks, those that are the message itself, and those in a result of Gemini, which takes no text
    /// beside them.
    void write_in_place_of_media(json_piece<Json> const& piece, bool is_alone, std::string text) {
        if (piece.removable.parent == nullptr) return;
        auto& block = *piece.removable.find();
        if (!block.is_object() || media_text(block) == text) return;
        auto const type = text_member(block, "type");
        bool const is_tool = is_result(message_);
        bool const in_result = is_tool || !is_same(piece.removable, piece.block);
        bool const fits = !in_result || (!is_alone && !piece.part.call.empty());
        if (in_result && piece.shapes == shape_set::of(json_shape::gemini)) return;
        if (!fits && (is_tool || !piece.shapes.contains(json_shape::anthropic))) return;
        bool const of_input = type == "input_image" || type == "input_file";
        auto const form = type.empty() ? text_form::keyed_block
                          : of_input   ? text_form::input_block
                                       : text_form::text_block;
        auto const media = std::exchange(block, Json::object());
        if (fits) block = in_form(form, std::move(text), {});
        else {
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
