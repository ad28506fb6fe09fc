// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/handles.hpp>
#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/json_quote.hpp>
#include <condense/detail/json_strings.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/unset.hpp>
#include <condense/policy/protect.hpp>
#include <condense/shorten/arguments.hpp>
#include <condense/shorten/shortener.hpp>

// Replaces text that a call wrote into a file by a pointer to the file, with the path and a preview:
// compress{.with = point_to_file{.tools = tools("write_*"), .keys = {"content"}}}.

namespace condense {
inline namespace v1 {

/// Up to eight names of JSON members, in their JSON spelling. The characters must outlive it.
class member_names {
public:
    constexpr member_names(std::initializer_list<std::string_view> names) {
        detail::reject_unless(names.size() <= names_.size(),
                              "condense: member_names: the names must be eight at most (see point_to_file)");
        for (auto const name : names) names_[count_++] = name;
    }
    constexpr bool holds(std::string_view key) const noexcept {
        for (std::size_t index = 0; index < count_; ++index)
            if (names_[index] == key) return true;
        return false;
    }
    constexpr bool empty() const noexcept { return count_ == 0; }
    friend constexpr bool operator==(member_names const&, member_names const&) = default;

private:
    std::array<std::string_view, 8> names_ = {};
    std::size_t count_ = 0;
};

/// Keeps the path, a preview of the text and all other arguments byte for byte; of long results a preview. Loses the
/// rest, which is in the file if the write succeeded and nobody wrote since; the marker claims neither. The text of a
/// call without a successful result stays, because no file has it; under pressure it is cut, without a pointer. Results
/// with status error stay unchanged, as do arguments without a path and those that are no JSON object. Costs two passes
/// over the arguments.
template <detail::tool_choice Tools = tools_named<7>>
struct point_to_file {
    using needs_conversation = void;  // another message says whether the write succeeded

    /// The preset `progressive` needs write_file and edit_file, content and new_text; the other names are those of
    /// common agents.
    Tools tools = detail::slot_default<Tools>(
        v1::tools("write_file", "edit_file", "write", "edit", "Write", "Edit", "MultiEdit"));
    member_names keys = {"content", "new_text", "newText", "oldText", "new_string", "old_string", "new_str", "old_str"};
    member_names paths = {"path", "file_path", "filename", "file"};  ///< the first one present names the file
    chars preview = {100};  ///< as in the preset `progressive`
    chars result = {500};  ///< longer results are cut; as in the preset `progressive`

    static constexpr part_kinds applies_to = part_kind::tool_call | part_kind::tool_result;
    static constexpr bool any_size = true;

    constexpr void validate() const {
        detail::reject_unless(!keys.empty() && !paths.empty(),
                              "condense: point_to_file: keys and paths must have a name each (see point_to_file)");
        detail::reject_unless(preview < result,
                              "condense: point_to_file: preview must be below result (see point_to_file)");
    }

    /// The callable holds a copy of the shortener and asks the outline which calls have a result, and none with an
    /// error.
    template <class Draft>
    auto bind(Draft const& draft) const {
        return [shortener = *this, &conversation = draft.outline()](part_ref ref, part_view const& part,
                                                                    cut const& context) {
            bool const was_written =
                part.kind != part_kind::tool_call || conversation.succeeded(conversation.part_at(ref.part_id));
            if (!was_written && context.halvings == 0) return std::optional<std::string>{};
            return shortener.shorten(part, context, was_written);
        };
    }
    /// For a part without its conversation; assumes that the write succeeded.
    constexpr std::optional<std::string> operator()(part_view const& part, cut context) const {
        return shorten(part, context, true);
    }
    friend constexpr bool operator==(point_to_file const&, point_to_file const&) = default;

private:
    /// A call's arguments or a result. Without `was_written` the marker does not point to the file.
    constexpr std::optional<std::string> shorten(part_view const& part, cut const& context, bool was_written) const {
        auto const halved_size = [&context](chars size) {
            return text_limit{size}.halved(context.halvings).chars.count;
        };
        if (part.text.size() <= halved_size(preview) || part.sealed || !tools.holds(part)) return std::nullopt;
        if (part.kind == part_kind::tool_call)
            return arguments(part.text, halved_size(preview), context.how, was_written);
        if (part.kind != part_kind::tool_result || part.status != part_status::ok) return std::nullopt;
        return detail::string_cutter{halved_size(preview), halved_size(result), beside_file(context.how),
                                     pointer("the file")}
            .plain(part.text);
    }

    /// The marker points to the file, which is easier to read than a journal.
    static constexpr recovery beside_file(recovery origin) noexcept {
        origin.recorded = false;
        return origin;
    }

    /// Longer paths are not repeated in the pointer.
    static constexpr std::size_t path_limit = 80;

    static constexpr std::string pointer(std::string_view file) {
        std::string text{"read "};
        return text.append(file).append(" to see what it holds");
    }

    /// Cuts the strings named in `keys` at the top level of the arguments, if they name a path.
    constexpr std::optional<std::string> arguments(std::string_view text, std::uint64_t keep, recovery const& origin,
                                                   bool was_written) const {
        std::optional<std::string_view> path;
        bool const is_object = detail::json::each_string(text, [&](detail::json::spelt_string const& string) {
            if (!path && string.depth == 1 && !string.text.empty() && paths.holds(string.key)) path = string.text;
        });
        if (!is_object || !path) return std::nullopt;
        std::string file;
        if (path->size() > path_limit || !detail::json::append_unescaped(file, *path)) file = "the file";
        auto const fallback = was_written ? pointer(file) : std::string{};
        detail::string_cutter const cut_string{keep, keep, was_written ? beside_file(origin) : origin, fallback};
        return detail::json::with_strings(text, [&](detail::json::spelt_string const& string) {
            if (string.depth != 1 || !keys.holds(string.key)) return std::optional<std::string>{};
            return cut_string(string.text);
        });
    }
};

}  // namespace v1
}  // namespace condense
