// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/handles.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/grow.hpp>
#include <condense/detail/item_vocabulary.hpp>
#include <condense/detail/items.hpp>
#include <condense/detail/netstring.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/llm/edits_of_call.hpp>
#include <condense/llm/name_list.hpp>
#include <condense/llm/names.hpp>

// The names that have left a conversation, with what their score depends on: the memory of a name_index.

namespace condense {
inline namespace v1 {

/// A name that has left the request, as a score sees it.
struct name_facts {
    item_kind kind = item_kind::word;
    std::string_view text = {};
    std::string_view label = {};  ///< the key or the word that stood before it; empty for none
    std::uint64_t uses = 0;  ///< messages of the assistant that held it and have left
    std::uint64_t age =
        0;   ///< tokens that have left since the newest message with it did, as a percentage of the input
    std::uint64_t size = 0;  ///< what it costs in a list, in half tokens
};

/// Used often and lately, and short: 4 log2(uses) - 2 log2(age) - 2 log2(size), in integers. The factors are a fit on
/// recorded conversations: which names of what had left did later answers take?
struct name_score {
    std::int64_t references = 0;  ///< added for ids, paths and URLs; 12 lists few other names before them

    constexpr std::int64_t operator()(name_facts const& name) const noexcept {
        auto const refers = name.kind == item_kind::id || name.kind == item_kind::path;
        return 4 * log2(name.uses) - 2 * log2(name.age) - 2 * log2(name.size) + (refers ? references : 0);
    }

private:
    /// The logarithm of value + 1, rounded downward.
    static constexpr std::int64_t log2(std::uint64_t value) noexcept {
        return static_cast<std::int64_t>(std::bit_width(detail::add_capped(value, 1))) - 1;
    }
};

namespace detail {

/// Where a name was met.
struct name_source {
    std::uint64_t message = 0;
    bool by_assistant = false;
    std::uint64_t file = 0;  ///< a hash of the file whose text it is; 0 for none
};

/// Names by text, of which their index leaves at most `most` at a time. Plain data: saved, restored and rewound with
/// its session. A template, so that a program that only includes this instantiates nothing.
template <class = void>
class basic_name_table {
public:
    struct entry {
        std::string text;
        std::string label;
        std::string line = {};  ///< the shortest one with it that may be quoted, of these the newest; empty for none
        item_kind kind = item_kind::word;
        std::uint64_t uses = 0;
        std::uint64_t left = 0;  ///< tokens that had left when its newest message did
        std::uint64_t newest = 0;  ///< the number of that message
        std::uint64_t quoted = 0;  ///< the message of the line
        std::uint64_t place = 0;  ///< its place there: the offset of the name
        std::uint64_t changed = 0;  ///< the latest message in which a call changed what it names: older lines are stale
        std::uint64_t file = 0;  ///< a hash of the file whose text the line is; 0 for none
        std::uint64_t used = 0;  ///< the newest message of the assistant with it, plus one: it is counted once
        std::uint32_t size = 0;  ///< in a list, in half tokens; of a path that of its last part, as paths are folded
        bool visible = false;  ///< it stands in what stays; valid during one writing, as the next
        bool listed = false;  ///< it stands in the list
    };
    static constexpr std::size_t most = 2'048;

    std::vector<entry>& entries() noexcept { return entries_; }
    /// Tokens that have left so far.
    std::uint64_t left() const noexcept { return left_; }
    /// Counts the tokens of a message that leaves.
    void add_tokens(std::uint64_t tokens) noexcept { left_ = add_capped(left_, tokens); }
    /// Adds a name in a message that leaves, or updates what is known of it. Names that could not be told from the list
    /// around them are left out.
    void add(item_kind kind, std::string_view text, name_context const& beside, std::string_view label,
             name_source const& from) {
        auto const message = from.message;
        auto* known = find(text);
        if (known == nullptr) return add_new(kind, text, beside, label.empty() ? beside.label() : label, from);
        auto& name = *known;
        if (from.by_assistant && name.used < message + 1) {
            ++name.uses;
            name.used = message + 1;
        }
        if (message < name.newest) return;
        if (message > name.newest) {
            auto const line = beside.line();
            if ((name.line.empty() || line.size() <= name.line.size() || name.changed > name.quoted) &&
                is_quotable(line))
                quote(name, line, from, beside.place());
        }
        name.newest = message;
        name.left = left_;
    }
    /// Forgets the lines that an edit of a file has replaced. Names in the new text have lines of it then.
    void see_edit(file_edit const& edit, name_source const& from) {
        auto const forget = [&](entry& name) {
            if (name.quoted <= from.message) name.line.clear();
        };
        if (!edit.old)
            for (auto& name : entries_)
                if (name.file == from.file) forget(name);
        std::string_view first, last;
        each_line(edit.old.value_or(""), [&](std::string_view line) {
            if (line.empty()) return;
            if (first.empty()) first = line;
            last = line;
            each_in(line, [&](std::uint32_t number) {
                if (entries_[number].line.find(line) != std::string::npos) forget(entries_[number]);
            });
        });
        // They may be parts of lines, and hold no name as a whole.
        constexpr std::size_t least = 4;
        for (auto const part : {first, last})
            for (auto& name : entries_)
                if (part.size() >= least && (name.file == 0 || from.file == 0 || name.file == from.file) &&
                    name.line.find(part) != std::string::npos)
                    forget(name);
        each_line(edit.text.value_or(""), [&](std::string_view line) {
            if (!is_quotable(line)) return;
            each_in(line, [&](std::uint32_t number) {
                auto& name = entries_[number];
                if (name.line.empty() || name.line == line)
                    quote(name, line, from, static_cast<std::size_t>(line.data() - edit.text->data()));
            });
        });
    }
    /// The name, or null.
    entry* find(std::string_view text) noexcept {
        auto const number = words_.number_of(text);
        return number == none32 ? nullptr : &entries_[number];
    }
    /// Marks a name, its label, and the names that are part of it as listed.
    void mark_listed(entry& name) {
        name.listed = true;
        bool several = false;
        for (char const byte : name.text) several = several || !is_word_byte(byte);
        if (several) mark(name.text, &entry::listed);
        if (auto const label = words_.number_of(name.label); label != none32) entries_[label].listed = true;
    }
    /// Calls f(number) for each name in a text, wherever it stands between words.
    [[gnu::noinline]] void each_in(std::string_view text, callable_ref<void(std::uint32_t)> f) const {
        words_.each_in(text, [&](std::uint32_t number, std::string_view) { f(number); });
    }
    /// Marks the names in a text.
    void mark(std::string_view text, bool entry::* flag) {
        each_in(text, [&](std::uint32_t number) { entries_[number].*flag = true; });
    }

    /// Half tokens of which the estimator makes 64 tokens, by the latest list.
    std::uint64_t halves_in_64 = 128;
    void learn(std::uint64_t halves, std::uint64_t tokens) noexcept {
        if (tokens < 64) return;
        auto const now = scale_down(64, halves, tokens);
        halves_in_64 = now < 32 ? 32 : now > 512 ? 512 : now;
    }

    /// Leaves the names of which stays(entry) is true, in their order.
    void keep(callable_ref<bool(entry const&)> stays) {
        item_vocabulary words;
        std::erase_if(entries_, [&](entry const& name) {
            bool const leaves = !stays(name);
            if (!leaves) words.add(name.kind, name.text);
            return leaves;
        });
        words_ = std::move(words);
    }

    std::string save() const {
        std::string out;
        put_field(out, left_);
        put_field(out, halves_in_64);
        for (auto const& name : entries_) {
            put_field(out, name.text);
            put_field(out, name.label);
            put_field(out, name.line);
            for (auto const number : {static_cast<std::uint64_t>(name.kind), name.uses, name.left, name.newest,
                                      name.used, name.quoted, name.changed, name.file, name.place})
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
            loaded.halves_in_64 = reader.number(512);
            if (loaded.halves_in_64 < 32) return false;
        }
        while (!reader.done()) {
            entry name;
            name.text = reader.text();
            name.label = reader.text();
            name.line = reader.text();
            name.kind = static_cast<item_kind>(reader.number(item_kinds - 1));
            name.uses = reader.number(message_count);
            name.left = reader.number(loaded.left_);
            name.newest = reader.number(message_count);
            name.used = reader.number(message_count);
            name.quoted = reader.number(message_count);
            name.changed = reader.number(message_count);
            name.file = reader.number(u64_limit);
            name.place = reader.number(u64_limit);
            name.size = list_size(name.kind, name.text);
            if (reader.broken() || !is_listable(name.text) || !is_name_label(name.label) ||
                (!name.line.empty() && !is_quotable(name.line)) || loaded.entries_.size() == 2 * most ||
                within_words(name.text) != name.text ||
                loaded.words_.add(name.kind, name.text) != loaded.entries_.size())
                return false;
            loaded.entries_.push_back(std::move(name));
        }
        if (reader.broken()) return false;
        *this = std::move(loaded);
        return true;
    }
    /// Forgets the names of messages from `first` on, which are others now.
    void rewind(std::uint64_t first) {
        keep([&](entry const& name) { return name.newest < first && name.used <= first; });
        for (auto& name : entries_) {
            if (name.changed >= first) name.changed = 0;
            if (name.quoted < first) continue;
            name.line.clear();
            name.quoted = name.newest;
            name.file = 0;
        }
    }

private:
    [[gnu::noinline]] static void quote(entry& name, std::string_view line, name_source const& from,
                                        std::size_t place) {
        name.line = line;
        name.quoted = from.message;
        name.file = from.file;
        name.place = place;
    }
    /// Calls f with each line of a text, without the space around it.
    static void each_line(std::string_view text, callable_ref<void(std::string_view)> f) {
        while (!text.empty()) f(without_space(take_line(text)));
    }
    static constexpr std::uint32_t list_size(item_kind kind, std::string_view text) noexcept {
        auto const part = kind == item_kind::path ? text.substr(text.rfind('/') + 1) : text;
        return static_cast<std::uint32_t>(half_tokens(part));
    }

    void add_new(item_kind kind, std::string_view text, name_context const& beside, std::string_view label,
                 name_source const& from) {
        if (!is_listable(text)) return;
        auto const line = beside.line();
        entry name{.text = std::string{text},
                   .label = std::string{label},
                   .kind = kind,
                   .uses = from.by_assistant ? 1u : 0u,
                   .left = left_,
                   .newest = from.message,
                   .used = from.by_assistant ? from.message + 1 : 0,
                   .size = list_size(kind, text)};
        quote(name, is_quotable(line) ? line : std::string_view{}, from, beside.place());
        grow(entries_, 1);
        words_.add(kind, text);
        entries_.push_back(std::move(name));
    }

    item_vocabulary words_;  ///< their texts, numbered by their places
    std::vector<entry> entries_;
    std::uint64_t left_ = 0;
};
using name_table = basic_name_table<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
