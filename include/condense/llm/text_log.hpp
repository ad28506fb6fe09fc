// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/detail/netstring.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/llm/fence.hpp>
#include <condense/llm/name_list.hpp>

// Texts that have left a conversation, the newest of them: the memory of user_words and edited_texts.

namespace condense {
inline namespace v1 {
namespace detail {

/// Texts in the order in which they came, each under a label or none. Plain data: saved, restored and rewound with its
/// session. A template, so that a program that only includes this instantiates nothing.
template <class = void>
class basic_text_log {
public:
    struct entry {
        std::string label;
        std::string text;
        std::uint64_t message = 0;  ///< from which it is
    };
    static constexpr std::size_t bytes_most = 200'000;  ///< of all; what is older is forgotten

    std::vector<entry> entries;

    /// Nothing for an entry that could not stand in a summary as it is, or that is known from a later message. Entries
    /// are in the order of their messages.
    void add(entry added) {
        if (!is_keepable(added)) return;
        for (auto one = entries.begin(); one != entries.end(); ++one)
            if (one->text == added.text && one->label == added.label) {
                if (one->message >= added.message) return;
                size_ -= size_of(*one);
                entries.erase(one);
                break;
            }
        size_ += size_of(added);
        auto place = entries.end();
        while (place != entries.begin() && (place - 1)->message > added.message) --place;
        entries.insert(place, std::move(added));
        if (size_ <= bytes_most) return;
        std::size_t count = 0;
        for (; size_ > bytes_most / 4 * 3 && count + 1 < entries.size(); ++count) size_ -= size_of(entries[count]);
        entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(count));
    }
    /// Takes an entry out.
    void remove(std::size_t index) {
        size_ -= size_of(entries[index]);
        entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(index));
    }
    static bool is_keepable(entry const& one) {
        std::string neutral;
        append_neutral(neutral, one.text);
        return !one.text.empty() && one.text.size() <= bytes_most && neutral == one.text && utf8::valid(one.text) &&
               (one.label.empty() || is_listable(one.label));
    }

    std::string save() const {
        std::string out;
        for (auto const& one : entries) {
            put_field(out, one.label);
            put_field(out, one.text);
            put_field(out, one.message);
        }
        return out;
    }
    /// False, and unchanged, unless `text` was saved for a conversation of `message_count` messages.
    bool load(std::string_view text, std::size_t message_count) {
        basic_text_log loaded;
        field_reader reader{text};
        while (!reader.done()) {
            entry one{std::string{reader.text()}, std::string{reader.text()}, reader.number(message_count)};
            if (reader.broken() || !is_keepable(one)) return false;
            loaded.add(std::move(one));
        }
        *this = std::move(loaded);
        return true;
    }
    /// Forgets what is from messages from `first` on, which are others now.
    void rewind(std::uint64_t first) {
        remove_if([&](entry const& one) { return one.message >= first; });
    }
    template <class Predicate>
    void remove_if(Predicate const& leaves) {
        std::erase_if(entries, leaves);
        size_ = 0;
        for (auto const& one : entries) size_ += size_of(one);
    }

private:
    /// With what it takes beside its texts.
    static std::size_t size_of(entry const& one) noexcept { return one.label.size() + one.text.size() + 100; }

    std::size_t size_ = 0;  ///< of all entries
};
using text_log = basic_text_log<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
