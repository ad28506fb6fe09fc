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

// Of tool results that say the same, byte for byte, the newest stays and the others point to it:
// compress{.with = duplicate_results{.over = 200_chars}}.

namespace condense {
inline namespace v1 {
namespace detail {

/// A result, and the newest that seems to be the same.
struct twin {
    std::uint32_t part_id = 0;
    std::uint32_t newest = none32;
    std::uint64_t size = 0;
    std::uint64_t hash = 0;
};

/// Leaves those that some other in the sorted vector is like; the last of those alike is the newest.
template <class Alike>
constexpr void keep_alike(std::vector<twin>& found, Alike const& alike) {
    std::size_t kept = 0;
    for (std::size_t begin = 0, end = 0; begin < found.size(); begin = end) {
        for (end = begin + 1; end < found.size() && alike(found[begin], found[end]);) ++end;
        if (end - begin == 1) continue;
        auto const newest = found[end - 1].part_id;
        for (auto at = begin; at != end; ++at) {
            found[kept] = found[at];
            found[kept++].newest = newest;
        }
    }
    found.resize(kept);
}

}  // namespace detail

/// Loses nothing that does not stand further on, errors included. Takes results that have their call, as
/// they are at present, because a later run could not tell what was cut from what is whole; reads those of which
/// another has the same size, once more for each that is replaced. Texts forged to look alike to a fingerprint stay.
struct duplicate_results {
    using needs_conversation = void;

    text_limit over = chars{200};

    template <class Draft>
    constexpr auto bind(Draft const& seen) const {
        using detail::twin;
        auto const& facts = seen.outline();
        std::vector<twin> found;
        for (std::uint32_t index = 0; index < facts.size(); ++index) {
            if (!seen.present(sequence{index})) continue;
            seen.each_part_of(sequence{index}, [&](part_ref part) {
                auto const& known = facts.part_at(part.part_id);
                if (known.kind != part_kind::tool_result || known.sealed || known.status == part_status::pending)
                    return;
                auto const* const made = seen.edits().edit_of(part.part_id);
                auto const size = made != nullptr ? seen.edits().text_at(made->text).text.size() : known.size;
                if (facts.call_part_id(known) == detail::none32 || size <= detail::omission_limit) return;
                found.push_back({.part_id = part.part_id, .size = size});
            });
        }
        // Only texts of the same size are read, each message once.
        detail::sort(found, [](twin const& left, twin const& right) { return left.size < right.size; });
        detail::keep_alike(found, [](twin const& left, twin const& right) { return left.size == right.size; });
        by_part(found);
        for (std::size_t next = 0; next < found.size();) {
            auto const message = sequence{facts.part_at(found[next].part_id).message_index};
            seen.each_part(message, [&](part_ref part, part_view const& text) {
                if (next < found.size() && found[next].part_id == part.part_id)
                    found[next++].hash = detail::fnv1a(text.text);
            });
            while (next < found.size() && facts.part_at(found[next].part_id).message_index <= message.number) ++next;
        }
        detail::sort(found, [](twin const& left, twin const& right) {
            return left.size != right.size ? left.size < right.size : left.hash < right.hash;
        });
        detail::keep_alike(found, [](twin const& left, twin const& right) {
            return left.size == right.size && left.hash == right.hash;
        });
        by_part(found);
        return [found = std::move(found), all = detail::address_of(seen)](part_ref at, part_view const& part,
                                                                          cut const& how) {
            std::optional<std::string> note;
            auto const* const mine = detail::find_part(found, at.part_id);
            if (mine == nullptr || mine->newest == at.part_id || part.text.size() <= detail::omission_limit)
                return note;
            auto const fold = [&](part_view const& later) {
                if (!note && later.text == part.text)
                    note = detail::omission_of_all(
                        part.text, later.tool,
                        later.tool.empty() ? "a later result is the same" : ": a later result of it is the same",
                        how.how);
            };
            auto const newest = all->part_at(mine->newest);
            all->original(newest, fold);
            all->each_part(sequence{newest.message_index}, [&](part_ref other, part_view const& later) {
                if (other.part_id == newest.part_id) fold(later);
            });
            return note;
        };
    }
    friend constexpr bool operator==(duplicate_results const&, duplicate_results const&) = default;

private:
    static constexpr void by_part(std::vector<detail::twin>& found) {
        detail::sort(found,
                     [](detail::twin const& left, detail::twin const& right) { return left.part_id < right.part_id; });
    }
};

}  // namespace v1
}  // namespace condense
