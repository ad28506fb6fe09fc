// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/detail/address.hpp>
#include <condense/detail/fnv.hpp>
#include <condense/detail/sort.hpp>
#include <condense/shorten/shortener.hpp>

// Keeps the newest of tool results that are equal byte for byte; the others become a note that refers to it:
// compress{.with = duplicate_results{.over = 200_chars}}.

namespace condense {
inline namespace v1 {
namespace detail {

/// A result, and the newest result that seems to be equal.
struct result_copy {
    std::uint32_t part_id = 0;
    std::uint32_t newest = none32;
    std::uint64_t size = 0;
    std::uint64_t hash = 0;
};

/// Keeps the results of a sorted vector that are equal to another; the last of equal ones is the newest.
template <class Equal>
constexpr void keep_equal(std::vector<result_copy>& copies, Equal const& equal) {
    std::size_t count = 0;
    for (std::size_t begin = 0, end = 0; begin < copies.size(); begin = end) {
        for (end = begin + 1; end < copies.size() && equal(copies[begin], copies[end]);) ++end;
        if (end - begin == 1) continue;
        auto const newest = copies[end - 1].part_id;
        for (auto index = begin; index != end; ++index) {
            copies[count] = copies[index];
            copies[count++].newest = newest;
        }
    }
    copies.resize(count);
}

}  // namespace detail

/// Loses nothing: an equal result follows. Compares current texts of results with a call, errors included, because a
/// later run cannot see the originals. Reads only results that share a size with another, and each replaced one once
/// more: equal fingerprints alone decide nothing.
struct duplicate_results {
    using needs_conversation = void;

    text_limit over = chars{200};  ///< shorter results are left alone: the note would save little

    /// Finds candidates by size, then by fingerprint. The callable compares the texts themselves, with the newest
    /// result as it was and as it is now. It refers to the draft.
    template <class Draft>
    auto bind(Draft const& draft) const {
        using detail::result_copy;
        auto const& facts = draft.outline();
        std::vector<result_copy> copies;
        draft.each_message([&](sequence message) {
            draft.each_part_of(message, [&](part_ref part) {
                auto const& record = facts.part_at(part.part_id);
                if (record.kind != part_kind::tool_result || record.sealed || record.status == part_status::pending)
                    return;
                auto const* const edit = draft.edits().edit_of(part.part_id);
                auto const size = edit != nullptr ? draft.edits().text_at(edit->text).text.size() : record.size;
                if (facts.call_part_id(record) == detail::none32 || size <= detail::omission_limit) return;
                copies.push_back({.part_id = part.part_id, .size = size});
            });
        });
        // Only texts of the same size are read, each message once.
        detail::sort(copies, [](result_copy const& left, result_copy const& right) { return left.size < right.size; });
        detail::keep_equal(copies,
                           [](result_copy const& left, result_copy const& right) { return left.size == right.size; });
        by_part(copies);
        for (std::size_t position = 0; position < copies.size();) {
            auto const message = sequence{facts.part_at(copies[position].part_id).message_index};
            draft.each_part(message, [&](part_ref part, part_view const& text) {
                if (position < copies.size() && copies[position].part_id == part.part_id)
                    copies[position++].hash = detail::fnv1a(text.text);
            });
            while (position < copies.size() && facts.part_at(copies[position].part_id).message_index <= message.number)
                ++position;
        }
        detail::sort(copies, [](result_copy const& left, result_copy const& right) {
            return left.size != right.size ? left.size < right.size : left.hash < right.hash;
        });
        detail::keep_equal(copies, [](result_copy const& left, result_copy const& right) {
            return left.size == right.size && left.hash == right.hash;
        });
        by_part(copies);
        return [copies = std::move(copies), source = detail::address_of(draft)](part_ref ref, part_view const& part,
                                                                                cut const& context) {
            std::optional<std::string> note;
            auto const* const copy = detail::find_part(copies, ref.part_id);
            if (copy == nullptr || copy->newest == ref.part_id || part.text.size() <= detail::omission_limit)
                return note;
            auto const refer_to = [&](part_view const& later) {
                if (!note && later.text == part.text)
                    note = detail::omission_of_all(
                        part.text, later.tool,
                        later.tool.empty() ? "a later result is the same" : ": a later result of it is the same",
                        context.how);
            };
            auto const newest = source->part_at(copy->newest);
            source->original(newest, refer_to);
            source->each_part(sequence{newest.message_index}, [&](part_ref other, part_view const& later) {
                if (other.part_id == newest.part_id) refer_to(later);
            });
            return note;
        };
    }
    friend constexpr bool operator==(duplicate_results const&, duplicate_results const&) = default;

private:
    /// Sorts by part_id, as find_part and the walk over messages need.
    static constexpr void by_part(std::vector<detail::result_copy>& copies) {
        detail::sort(copies, [](detail::result_copy const& left, detail::result_copy const& right) {
            return left.part_id < right.part_id;
        });
    }
};

}  // namespace v1
}  // namespace condense
