// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/core/store.hpp>
#include <condense/detail/calendar.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/scope_exit.hpp>

// A cache of texts in memory: cached{.model = my_model, .cache = condense::memory_cache{}}.

namespace condense {
inline namespace v1 {

/// How much a cache holds: above either, the oldest go.
struct cache_limits {
    std::uint64_t entries = 1'000;
    v1::bytes bytes = {std::uint64_t{64} << 20};  ///< of the texts

    /// Why no such text is kept; no error if it is.
    store_error refuse(std::string_view text) const noexcept {
        if (text.size() > most_cached_bytes) return {"larger than 1 MiB"};
        if (text.size() > bytes.count) return {"larger than the cache"};
        return {};
    }
    /// When a text ends that was put `now` for `seconds`.
    static constexpr std::uint64_t expiry(std::uint64_t now, std::uint64_t seconds) noexcept {
        return seconds == 0 ? detail::u64_limit : detail::add_capped(now, seconds);
    }
};

/// A handle: copies share the texts, any thread may use it. The least recently used go first. Clock: a callable that
/// returns seconds.
template <class Clock = detail::calendar_clock>
class basic_memory_cache {
public:
    explicit basic_memory_cache(cache_limits limits = {}, Clock clock = {})
        : shared_{std::make_shared<state>()}, limits_{limits}, clock_{std::move(clock)} {}

    /// A copy of the text; nothing if there is none, or its time is over.
    std::optional<std::string> get(cache_key const& key) const {
        std::lock_guard const lock{shared_->guard};
        auto const position = shared_->places.find(key);
        if (position == shared_->places.end()) return std::nullopt;
        if (position->second->expiry <= clock_()) return shared_->erase(position->second), std::nullopt;
        shared_->entries.splice(shared_->entries.begin(), shared_->entries, position->second);
        return position->second->text;
    }

    /// Error: longer than most_cached_bytes, or than all that it may hold.
    store_error put(cache_key const& key, std::string_view text, std::uint64_t seconds) const {
        if (auto const problem = limits_.refuse(text)) return problem;
        entry item{key, std::string{text}, cache_limits::expiry(clock_(), seconds)};
        std::lock_guard const lock{shared_->guard};
        if (auto const former = shared_->places.find(key); former != shared_->places.end())
            shared_->erase(former->second);
        auto const position = shared_->places.emplace(key, shared_->entries.end()).first;
        // Without memory for the entry there is none, as before.
        detail::scope_exit no_place{[&]() noexcept { shared_->places.erase(position); }};
        shared_->entries.push_front(std::move(item));
        no_place.release();
        shared_->bytes += text.size();
        position->second = shared_->entries.begin();
        while (shared_->entries.size() > limits_.entries || shared_->bytes > limits_.bytes.count)
            shared_->erase(std::prev(shared_->entries.end()));
        return {};
    }

    /// The number of texts.
    std::size_t size() const {
        std::lock_guard const lock{shared_->guard};
        return shared_->entries.size();
    }

private:
    struct entry {
        cache_key key;
        std::string text;
        std::uint64_t expiry;
    };
    using place = typename std::list<entry>::iterator;
    struct state {
        std::mutex guard;
        std::list<entry> entries;  ///< the most recently used first
        std::map<cache_key, place> places;
        std::uint64_t bytes = 0;

        void erase(place which) {
            bytes -= which->text.size();
            places.erase(which->key);
            entries.erase(which);
        }
    };

    std::shared_ptr<state> shared_;
    cache_limits limits_;
    Clock clock_;
};

using memory_cache = basic_memory_cache<>;

}  // namespace v1
}  // namespace condense
