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

    /// Nothing for an entry that could not stand in a summary as it is.
    void add(entry added) {
        if (!is_keepable(added)) return;
        entries.push_back(std::move(added));
        std::size_t sum = 0;
        for (auto at = entries.size(); at-- != 0;)
            if ((sum += entries[at].text.size()) > bytes_most)
                return void(entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(at + 1)));
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
        std::erase_if(entries, [&](entry const& one) { return one.message >= first; });
    }
};
using text_log = basic_text_log<>;

}  // namespace detail
}  // namespace v1
}  // namespace condense
