// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/core/store.hpp>
#include <condense/detail/saturate.hpp>

// A store that refuses what would make it too large: offload{.into = quota_store{artifact_folder{"artifacts"},
// {.artifacts = 10'000}}}. What is refused stays in the conversation.

namespace condense {
inline namespace v1 {

/// The most that a quota_store holds, of all conversations together and of each.
struct store_limits {
    std::uint64_t artifacts = detail::u64_limit;
    bytes size = {detail::u64_limit};
    std::uint64_t artifacts_each = detail::u64_limit;
    bytes size_each = {detail::u64_limit};
};

/// A handle on another store, with its tiers; copies share the count. It counts by listing the store: before the first
/// put, every 256 puts, and before it refuses one, so that `prune` makes room. Other processes that put at the same
/// time may exceed the limits meanwhile.
template <traceable_store Store>
class quota_store {
public:
    /// True if the store's content outlives the process.
    static constexpr bool durable = requires { requires Store::durable; };

    quota_store(Store store, store_limits limits)
        : store_{std::move(store)}, limits_{limits}, shared_{std::make_shared<state>()} {}

    reference name(std::string_view content) const { return store_.name(content); }
    std::optional<std::string> get(reference const& name) const { return store_.get(name); }
    std::optional<artifact_source> source(reference const& name, std::string_view conversation) const {
        return store_.source(name, conversation);
    }
    store_error each_source(detail::source_sink f) const { return store_.each_source(f); }
    store_error each(detail::artifact_sink f) const
        requires listable_store<Store>
    {
        return store_.each(f);
    }
    bool has_file(reference const& name) const
        requires detail::store_of_files<Store>
    {
        return store_.has_file(name);
    }
    store_error erase(reference const& name) const
        requires erasable_store<Store>
    {
        return store_.erase(name);
    }

    /// Error, beside those of the store: it is full.
    store_error put(reference const& name, std::string_view content) const {
        std::lock_guard const lock{shared_->guard};
        if (!shared_->sizes.contains(name))
            if (auto const problem = take_room(name, content.size(), nullptr)) return problem;
        return store_.put(name, content);
    }
    store_error put(reference const& name, std::string_view content, artifact_source const& source) const {
        std::lock_guard const lock{shared_->guard};
        if (!store_.source(name, source.conversation))
            if (auto const problem = take_room(name, content.size(), &source.conversation)) return problem;
        return store_.put(name, content, source);
    }

private:
    struct total {
        std::uint64_t artifacts = 0;
        std::uint64_t size = 0;
    };
    struct state {
        std::mutex guard;
        std::map<reference, std::uint64_t> sizes;
        std::uint64_t size = 0;  ///< the sum
        std::map<std::string, total, std::less<>> by_conversation;
        unsigned puts_left = 0;  ///< until the next count
    };

    /// Takes the room for a new artifact, of a conversation if it has one. To be called under the lock, as what
    /// follows.
    store_error take_room(reference const& name, std::uint64_t size, std::string const* conversation) const {
        if (shared_->puts_left == 0 || !has_room(name, size, conversation)) {
            if (auto const problem = count()) return problem;
            if (!has_room(name, size, conversation)) return {"the store is full: prune it, or raise its limits"};
        }
        --shared_->puts_left;
        add(name, size);
        if (conversation != nullptr) add_to(*conversation, size);
        return {};
    }

    /// Counts anew.
    store_error count() const {
        constexpr unsigned interval = 256;
        shared_->sizes.clear();
        shared_->by_conversation.clear();
        shared_->size = 0;
        shared_->puts_left = 0;  // until all is counted
        if constexpr (listable_store<Store>)
            if (auto const problem = store_.each([&](reference const& name, bytes size) { add(name, size.count); }))
                return problem;
        auto const problem = store_.each_source([&](reference const& name, bytes size, artifact_source const& source) {
            add(name, size.count);
            add_to(source.conversation, size.count);
        });
        if (!problem) shared_->puts_left = interval;
        return problem;
    }
    void add(reference const& name, std::uint64_t size) const {
        if (shared_->sizes.try_emplace(name, size).second) shared_->size = detail::add_capped(shared_->size, size);
    }
    void add_to(std::string const& conversation, std::uint64_t size) const {
        auto& each = shared_->by_conversation[conversation];
        ++each.artifacts;
        each.size = detail::add_capped(each.size, size);
    }
    bool has_room(reference const& name, std::uint64_t size, std::string const* conversation) const {
        auto const fits = [&](std::uint64_t artifacts, std::uint64_t sum, std::uint64_t most, bytes most_bytes) {
            return artifacts < most && detail::add_capped(sum, size) <= most_bytes.count;
        };
        if (!shared_->sizes.contains(name) &&
            !fits(shared_->sizes.size(), shared_->size, limits_.artifacts, limits_.size))
            return false;
        if (conversation == nullptr) return true;
        auto const position = shared_->by_conversation.find(*conversation);
        auto const each = position == shared_->by_conversation.end() ? total{} : position->second;
        return fits(each.artifacts, each.size, limits_.artifacts_each, limits_.size_each);
    }

    Store store_;
    store_limits limits_;
    std::shared_ptr<state> shared_;
};

}  // namespace v1
}  // namespace condense
