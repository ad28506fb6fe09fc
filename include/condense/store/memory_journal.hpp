// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/store.hpp>
#include <condense/detail/calendar.hpp>
#include <condense/detail/sort.hpp>
#include <condense/store/content_hash.hpp>

// A journal in memory, for tests and for programs whose conversations end with the process:
// record{.to = condense::memory_journal{}}.

namespace condense {
inline namespace v1 {

/// A handle: copies share the entries, any thread may use it. Keeps a copy of each content.
class memory_journal {
public:
    static constexpr bool durable = false;

    explicit memory_journal(content_hash hash = {}) : shared_{std::make_shared<state>()}, hash_{hash} {}

    /// The name that an entry with this content must have.
    reference name(std::string_view content) const noexcept { return hash_(content, 0); }

    /// Appends a copy of the content. Errors: the name does not match the content, or a derived entry has content.
    store_error append(std::string_view conversation, journal_entry const& entry, std::string_view content) const {
        if (entry.is_derived && !content.empty()) return {"derived entries must be empty"};
        if (!entry.is_derived && entry.name != name(content)) return {"content does not match its hash"};
        auto copy = std::make_shared<std::string const>(content);
        std::lock_guard const lock{shared_->guard};
        auto position = shared_->conversations.find(conversation);
        if (position == shared_->conversations.end())
            position = shared_->conversations.try_emplace(std::string{conversation}).first;
        auto& target = position->second;
        target.lines.push_back({entry, std::move(copy)});
        auto& time = target.lines.back().entry.time;
        if (time == 0) time = detail::calendar_seconds();
        target.time = (std::max)(target.time, time);
        target.latest = ++shared_->appends;
        return {};
    }

    /// Nothing to wait for: entries live as long as a copy of the handle.
    store_error flush(std::string_view) const noexcept { return {}; }

    /// Calls f(entry, content) for each entry appended before; f may append.
    store_error read(std::string_view conversation, detail::entry_sink f) const {
        for (auto const& record : lines_of(conversation)) f(record.entry, std::string_view{*record.content});
        return {};
    }

    /// Calls f(journal_conversation const&) for each conversation, the one with the latest append first.
    store_error each_conversation(detail::conversation_sink f) const {
        std::vector<std::pair<std::uint64_t, journal_conversation>> all;
        {
            std::lock_guard const lock{shared_->guard};
            for (auto const& [id, past] : shared_->conversations)  // one without lines had no memory for them
                if (!past.lines.empty()) all.push_back({past.latest, {id, past.lines.size(), past.time}});
        }
        detail::sort(all, [](auto const& left, auto const& right) { return left.first > right.first; });
        for (auto const& [latest, each] : all) f(each);
        return {};
    }

private:
    struct line {
        journal_entry entry;
        std::shared_ptr<std::string const> content;  ///< shared with readers; never changed
    };

    struct history {
        std::vector<line> lines;
        std::uint64_t time = 0;  ///< of the latest append
        std::uint64_t latest = 0;  ///< how many appends there were then
    };

    struct state {
        std::mutex guard;
        std::map<std::string, history, std::less<>> conversations;
        std::uint64_t appends = 0;
    };

    /// Shares the contents, so that f is called without the lock.
    std::vector<line> lines_of(std::string_view conversation) const {
        std::lock_guard const lock{shared_->guard};
        auto const position = shared_->conversations.find(conversation);
        return position == shared_->conversations.end() ? std::vector<line>{} : position->second.lines;
    }

    std::shared_ptr<state> shared_;
    content_hash hash_;
};

}  // namespace v1
}  // namespace condense
