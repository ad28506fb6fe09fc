// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/handles.hpp>
#include <condense/detail/fnv.hpp>
#include <condense/detail/items.hpp>
#include <condense/detail/netstring.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/sort.hpp>
#include <condense/detail/utf8.hpp>

// The names that have left a conversation, with what their score depends on: the memory of a name_index.

namespace condense {
inline namespace v1 {

/// A name that has left the request, as a score sees it.
struct name_facts {
    item_kind kind = item_kind::word;
    std::string_view text = {};
    std::string_view label = {};  ///< the key or the word that stood before it; empty for none
    std::uint64_t uses = 0;  ///< messages of the assistant that held it and have left
    std::uint64_t age = 0;   ///< tokens since the newest message with it that has left, as a percentage of the input
    std::uint64_t size = 0;  ///< what it costs in a list, in half tokens
};

/// Used often and lately, and short: 4 log2(uses) - 2 log2(age) - 2 log2(size), in integers. The factors are a fit on
/// recorded conversations: which names of what had left did later answers take?
struct name_score {
    constexpr std::int64_t operator()(name_facts const& name) const noexcept {
        return 4 * log2(name.uses) - 2 * log2(name.age) - 2 * log2(name.size);
    }

private:
    /// The logarithm of value + 1, rounded downward.
    static constexpr std::int64_t log2(std::uint64_t value) noexcept {
        std::int64_t result = 0;
        for (value = detail::add_capped(value, 1); value > 1; value /= 2) ++result;
        return result;
    }
};

namespace detail {

/// What a text costs in a list, in half tokens: two for each run of letters, and for each hump in it, one for each
/// digit and sign, one for the space. A mean error of 1.3 tokens against o200k, without looking at a vocabulary.
constexpr std::uint64_t half_tokens(std::string_view text) noexcept {
    std::uint64_t sum = 1;
    char previous = '\0';
    for (char const byte : text) {
        bool const letter = is_letter(byte);
        if (!letter) sum += 1;
        else if (!is_letter(previous) || (is_upper(byte) && !is_upper(previous))) sum += 2;
        previous = byte;
    }
    return sum;
}

/// Names by text, at most `most` of them after each pruning. Plain data: saved, restored and rewound with its session.
/// A template, so that a program that only includes this instantiates nothing.
template <class = void>
class basic_name_table {
public:
    struct entry {
        std::string text;
        std::string label;
        item_kind kind = item_kind::word;
        std::uint64_t uses = 0;
        std::uint64_t left = 0;  ///< tokens that had left when its newest message did
        std::uint64_t newest = 0;  ///< the number of that message
        std::uint64_t used = 0;  ///< the newest message of the assistant with it, plus one: it is counted once
        bool visible = false;  ///< it stands in what stays, or in what was listed; valid during one writing
    };

    static constexpr std::size_t most = 2'048;
    static constexpr std::size_t label_most = 40;

    std::vector<entry>& entries() noexcept { return entries_; }
    /// Tokens that have left so far.
    std::uint64_t left() const noexcept { return left_; }
    /// Calls stays(message) for each message before `end` that has not left, as far as is known; it returns false for
    /// one that has. Costs a look at the live ones and at those that came since the last time.
    template <class Stays>
    void each_staying(std::uint64_t end, Stays const& stays) {
        std::vector<std::uint64_t> staying;
        for (auto const message : staying_)
            if (stays(message)) staying.push_back(message);
        for (; next_ < end; ++next_)
            if (stays(next_)) staying.push_back(next_);
        staying_ = std::move(staying);
    }

    /// Counts the tokens of a message that leaves.
    void add_tokens(std::uint64_t tokens) noexcept { left_ += tokens; }
    /// Adds a name in a message that leaves, or updates what is known of it. Names that could not be told from the list
    /// around them are left out.
    template <class Label>
    void add(item_kind kind, std::string_view text, Label const& label, std::uint64_t message, bool by_assistant) {
        auto* known = find(text);
        if (known == nullptr) {
            if (!is_listable(text)) return;
            known = &at(kind, text);
            known->label = label();
        }
        auto& name = *known;
        if (by_assistant && name.used < message + 1) {
            ++name.uses;
            name.used = message + 1;
        }
        if (message >= name.newest) {
            name.newest = message;
            name.left = left_;
        }
    }
    /// The name, or null.
    entry* find(std::string_view text) noexcept {
        if (slots_.empty()) return nullptr;
        auto const number = slots_[slot_of(text)];
        return number == 0 ? nullptr : &entries_[number - 1];
    }

    /// Leaves the best `most` names by score_of(entry), as soon as there are twice as many.
    template <class Score>
    void prune(Score const& score_of, bool last = false) {
        if (entries_.size() <= (last ? most : 2 * most)) return;
        std::vector<std::pair<std::int64_t, std::uint32_t>> order;
        order.reserve(entries_.size());
        for (std::uint32_t index = 0; index < entries_.size(); ++index)
            order.push_back({score_of(entries_[index]), index});
        detail::sort(order, [](auto const& a, auto const& b) { return a.first > b.first; });
        order.resize(most);
        detail::sort(order, [](auto const& a, auto const& b) { return a.second < b.second; });
        std::vector<entry> best;
        best.reserve(most);
        for (auto const& place : order) best.push_back(std::move(entries_[place.second]));
        entries_ = std::move(best);
        index_all();
    }

    std::string save() const {
        std::string out;
        put_field(out, left_);
        put_field(out, next_);
        put_field(out, staying_.size());
        for (auto const message : staying_) put_field(out, message);
        for (auto const& name : entries_) {
            put_field(out, name.text);
            put_field(out, name.label);
            for (auto const number :
                 {static_cast<std::uint64_t>(name.kind), name.uses, name.left, name.newest, name.used})
                put_field(out, number);
        }
        return out;
    }
    /// False, and unchanged, unless `text` was saved for a conversation of `message_count` messages.
    bool load(std::string_view text, std::size_t message_count) {
        basic_name_table loaded;
        field_reader reader{text};
        if (!text.empty()) {
            loaded.left_ = reader.number(u64_limit);
            loaded.next_ = reader.number(message_count);
            for (auto count = reader.number(loaded.next_); count != 0 && !reader.broken(); --count) {
                auto const least = loaded.staying_.empty() ? 0 : loaded.staying_.back() + 1;
                loaded.staying_.push_back(reader.number(loaded.next_));
                if (loaded.staying_.back() < least || loaded.staying_.back() >= loaded.next_) return false;
            }
        }
        while (!reader.done()) {
            entry name;
            name.text = reader.text();
            name.label = reader.text();
            name.kind = static_cast<item_kind>(reader.number(item_kinds - 1));
            name.uses = reader.number(message_count);
            name.left = reader.number(loaded.left_);
            name.newest = reader.number(message_count);
            name.used = reader.number(message_count);
            if (reader.broken() || !is_listable(name.text) || !is_label(name.label) ||
                loaded.entries_.size() == 2 * most || loaded.find(name.text) != nullptr)
                return false;
            loaded.at(name.kind, name.text) = name;
        }
        if (reader.broken()) return false;
        *this = std::move(loaded);
        return true;
    }
    /// Forgets the names of messages from `first` on, which are others now.
    void rewind(std::uint64_t first) {
        std::size_t rest = 0;
        for (auto& name : entries_)
            if (name.newest < first && name.used <= first) {
                if (&entries_[rest] != &name) entries_[rest] = std::move(name);
                ++rest;
            }
        entries_.resize(rest);
        while (!staying_.empty() && staying_.back() >= first) staying_.pop_back();
        if (first < next_) next_ = first;
        index_all();
    }

    /// True for a name that a reader of the list can tell from what stands around it, and that cannot close its fence.
    static constexpr bool is_listable(std::string_view text) noexcept {
        if (text.empty() || text.size() > item_most) return false;
        for (std::size_t index = 0; index < text.size(); ++index) {
            auto const byte = static_cast<unsigned char>(text[index]);
            if (byte < 0x20 || byte == 0x7F || byte == '<' || byte == '"') return false;
            auto const next = index + 1 < text.size() ? static_cast<unsigned char>(text[index + 1]) : 0u;
            auto const third = index + 2 < text.size() ? static_cast<unsigned char>(text[index + 2]) : 0u;
            if (byte == 0xC2 && next < 0xA0) return false;  // control characters, U+0080 to U+009F
            // Marks that turn the direction of text or are not seen: U+200B to 200F, 2028 to 202E, 2060 to 206F, FEFF.
            if (byte == 0xE2 && next == 0x80 && ((third >= 0x8B && third <= 0x8F) || (third >= 0xA8 && third <= 0xAE)))
                return false;
            if (byte == 0xE2 && next == 0x81 && third >= 0xA0 && third <= 0xAF) return false;
            if (byte == 0xEF && next == 0xBB && third == 0xBF) return false;
        }
        return utf8::valid(text);
    }
    /// True for a word of ASCII letters, `_` and `-`, at most 40 bytes long: what has digits is a name itself.
    static constexpr bool is_label(std::string_view text) noexcept {
        if (text.size() > label_most) return false;
        for (char const byte : text)
            if (!is_label_byte(byte)) return false;
        return true;
    }
    static constexpr bool is_label_byte(char byte) noexcept {
        return (kind_of(byte) & (lower_letter | upper_letter | underscore_byte)) != 0 || byte == '-';
    }

private:
    /// The slot of the text, or the empty one where it belongs.
    std::size_t slot_of(std::string_view text) const noexcept {
        auto const mask = slots_.size() - 1;
        auto slot = static_cast<std::size_t>(mixed(fnv1a(text))) & mask;
        while (slots_[slot] != 0 && entries_[slots_[slot] - 1].text != text) slot = (slot + 1) & mask;
        return slot;
    }
    static constexpr std::uint64_t mixed(std::uint64_t hash) noexcept { return hash ^ hash >> 32; }

    entry& at(item_kind kind, std::string_view text) {
        if ((entries_.size() + 1) * 2 > slots_.size()) {
            entries_.reserve(entries_.size() * 2 + 64);
            index_all();
        }
        auto& slot = slots_[slot_of(text)];
        if (slot == 0) {
            entries_.push_back({.text = std::string{text}, .label = {}, .kind = kind});
            slot = static_cast<std::uint32_t>(entries_.size());
        }
        return entries_[slot - 1];
    }
    void index_all() {
        std::size_t size = 128;
        while (size < entries_.capacity() * 2) size *= 2;
        slots_.assign(size, 0);
        for (std::size_t index = 0; index < entries_.size(); ++index)
            slots_[slot_of(entries_[index].text)] = static_cast<std::uint32_t>(index + 1);
    }

    std::vector<entry> entries_;
    std::vector<std::uint32_t> slots_;  ///< open addressing; the index of an entry plus one, 0 for none
    std::uint64_t left_ = 0;
    std::uint64_t next_ = 0;  ///< messages before it have left, or are in staying_
    std::vector<std::uint64_t> staying_;  ///< ascending
};
using name_table = basic_name_table<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
