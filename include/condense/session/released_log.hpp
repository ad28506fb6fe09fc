// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/outline_records.hpp>
#include <condense/detail/grow.hpp>

// What a session keeps of released messages for saved states: most of them are never looked at again, so that each is
// some 20 bytes and the ids of its calls.

namespace condense {
inline namespace v1 {
namespace detail {

/// Records in the order in which messages were released, packed: numbers of seven bits a byte, and an id or a tool that
/// is the same as the one before is one byte. A template, so that a program that only includes it instantiates nothing.
template <class = void>
class basic_released_log {
public:
    bool empty() const noexcept { return blocks_.empty(); }

    /// Appends the records; begins_group(index) says which of the messages are the first ones of their groups. Changes
    /// nothing if it fails. Costs at most a copy of a block beside them.
    template <class BeginsGroup>
    void append(std::vector<released_message> const& records, BeginsGroup const& begins_group) {
        if (records.empty()) return;
        bool const begins = blocks_.empty() || blocks_.back().size() >= block_size;
        packer next{.out = begins ? std::string{} : blocks_.back(), .before = latest_};
        for (auto const& record : records) next.put(record, begins_group(record.index));
        std::string block{next.out};  // without the room into which it has grown
        if (begins) grow(blocks_, 1), blocks_.emplace_back();
        blocks_.back().swap(block);
        latest_ = std::move(next.before);
    }
    /// Calls f(released_message&&, bool begins_group) for each.
    template <class Function>
    void each(Function&& f) const {
        context before;
        for (auto const& block : blocks_)
            for (unpacker from{block, before}; !from.rest.empty();) {
                bool begins_group = false;
                auto m = from.next(begins_group);
                f(std::move(m), begins_group);
            }
    }

private:
    static constexpr std::size_t block_size = 4'096;  ///< so many bytes are copied to append to them, at most

    /// What a record is written in relation to.
    struct context {
        std::uint64_t index = 0;
        std::uint64_t messages = 0;
        std::string call = {};
        std::string tool = {};
    };
    struct packer {
        std::string out;
        context before;

        void put(std::uint64_t number) {
            for (; number >= 0x80; number >>= 7) out.push_back(static_cast<char>(number | 0x80));
            out.push_back(static_cast<char>(number));
        }
        /// 0 for none, 1 for the same as the last one, else its size plus two.
        void put(std::string const& text, std::string& last) {
            if (text.empty() || text == last) return put(text.empty() ? 0u : 1u);
            put(text.size() + 2);
            out += text;
            last = text;
        }
        void put(released_message const& m, bool begins_group) {
            put(m.index - std::exchange(before.index, m.index));  // modulo 2^64, as messages may go in any order
            put(m.messages - std::exchange(before.messages, m.messages));
            put(static_cast<std::uint64_t>(m.speaker) << 3 | (begins_group ? 4u : 0u) | (m.plain_user ? 2u : 0u) |
                (m.joins_previous ? 1u : 0u));
            put(m.frame.steps);
            put(m.parts.size());
            for (auto const& part : m.parts) {
                put(static_cast<std::uint64_t>(part.kind) << 4 | static_cast<std::uint64_t>(part.status) << 1 |
                    (part.sealed ? 1u : 0u));
                put(part.size), put(part.cost.steps);
                put(part.call, before.call), put(part.tool, before.tool);
            }
        }
    };
    struct unpacker {
        std::string_view rest;
        context& before;

        std::uint64_t number() noexcept {
            std::uint64_t value = 0;
            for (unsigned shift = 0;; shift += 7) {
                auto const byte = static_cast<unsigned char>(rest.front());
                rest.remove_prefix(1);
                value |= std::uint64_t{byte & 0x7Fu} << shift;
                if (byte < 0x80) return value;
            }
        }
        std::string text(std::string& last) {
            auto const code = number();
            if (code == 0) return {};
            if (code != 1) {
                last = rest.substr(0, as_size(code - 2));
                rest.remove_prefix(last.size());
            }
            return last;
        }
        released_message next(bool& begins_group) {
            released_message m{.index = before.index += number(), .messages = before.messages += number()};
            auto const flags = number();
            m.speaker = static_cast<role>(flags >> 3);
            begins_group = (flags & 4) != 0;
            m.plain_user = (flags & 2) != 0;
            m.joins_previous = (flags & 1) != 0;
            m.frame.steps = number();
            m.parts.resize(as_size(number()));
            for (auto& part : m.parts) {
                auto const kinds = number();
                part.kind = static_cast<part_kind>(kinds >> 4);
                part.status = static_cast<part_status>(kinds >> 1 & 7);
                part.sealed = (kinds & 1) != 0;
                part.size = number(), part.cost.steps = number();
                part.call = text(before.call), part.tool = text(before.tool);
            }
            return m;
        }
    };

    std::vector<std::string> blocks_;  ///< none is empty; a record lies in one
    context latest_;
};
using released_log = basic_released_log<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
