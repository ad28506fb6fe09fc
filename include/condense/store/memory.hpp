// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <condense/core/store.hpp>
#include <condense/store/artifact_source.hpp>
#include <condense/store/content_hash.hpp>

// A store of artifacts in memory, for tests and for programs whose conversations end with the process:
// offload{.into = condense::memory_store{}}.

namespace condense {
inline namespace v1 {

/// A handle: copies share the artifacts, any thread may use it. Same content, same name; different
/// content never overwrites. Hash: a callable from content and attempt to reference.
template <class Hash = content_hash>
class basic_memory_store {
public:
    static constexpr bool durable = false;

    explicit basic_memory_store(Hash hash = {}) : shared_{std::make_shared<state>()}, hash_{std::move(hash)} {}

    /// The name under which this content is or would be stored.
    reference name(std::string_view content) const {
        std::lock_guard const lock{shared_->guard};
        return free_name(content);
    }

    /// Stores a copy under a name from `name(content)`; storing it again is no error. Error: other content under the
    /// name.
    store_error put(reference const& name, std::string_view content) const {
        std::lock_guard const lock{shared_->guard};
        auto const [position, inserted] = shared_->artifacts.try_emplace(name, content);
        if (inserted || position->second == content) return {};
        return {"the name holds other content"};
    }

    /// The same, and notes where it comes from.
    store_error put(reference const& name, std::string_view content, artifact_source source) const {
        if (auto const problem = put(name, content)) return problem;
        detail::stamp(source);
        std::lock_guard const lock{shared_->guard};
        auto key = std::pair{name, source.conversation};
        shared_->sources.try_emplace(std::move(key), std::move(source));
        return {};
    }

    /// Where the conversation has the artifact from; nothing if it has not put it.
    std::optional<artifact_source> source(reference const& name, std::string_view conversation) const {
        std::lock_guard const lock{shared_->guard};
        auto const position = shared_->sources.find({name, std::string{conversation}});
        if (position == shared_->sources.end()) return std::nullopt;
        return position->second;
    }

    /// A copy of the content; nothing if the name is unknown.
    std::optional<std::string> get(reference const& name) const {
        std::lock_guard const lock{shared_->guard};
        auto const position = shared_->artifacts.find(name);
        if (position == shared_->artifacts.end()) return std::nullopt;
        return position->second;
    }

    /// Calls f(reference, bytes) for each artifact that was stored when the call began; `f` may use the store.
    store_error each(detail::artifact_sink f) const {
        std::vector<std::pair<reference, bytes>> all;
        {
            std::lock_guard const lock{shared_->guard};
            for (auto const& [name, content] : shared_->artifacts) all.emplace_back(name, bytes{content.size()});
        }
        for (auto const& [name, size] : all) f(name, size);
        return {};
    }

    /// Calls f(reference, bytes, artifact_source const&) in the same way.
    store_error each_source(detail::source_sink f) const {
        std::vector<std::tuple<reference, bytes, artifact_source>> all;
        {
            std::lock_guard const lock{shared_->guard};
            for (auto const& [key, source] : shared_->sources)
                all.emplace_back(key.first, bytes{shared_->artifacts.at(key.first).size()}, source);
        }
        for (auto const& [name, size, source] : all) f(name, size, source);
        return {};
    }

    /// An unknown name is no error.
    store_error erase(reference const& name) const {
        std::lock_guard const lock{shared_->guard};
        shared_->artifacts.erase(name);
        auto const first = shared_->sources.lower_bound({name, {}});
        auto last = first;
        while (last != shared_->sources.end() && last->first.first == name) ++last;
        shared_->sources.erase(first, last);
        return {};
    }

    /// The number of artifacts.
    std::size_t size() const {
        std::lock_guard const lock{shared_->guard};
        return shared_->artifacts.size();
    }

private:
    struct state {
        std::mutex guard;
        std::map<reference, std::string> artifacts;
        std::map<std::pair<reference, std::string>, artifact_source> sources;  ///< by name and conversation
    };

    /// The first name of this content that is unused, or that it is already stored under. To be called under the lock.
    reference free_name(std::string_view content) const {
        constexpr std::uint64_t most_names = 16;  // then `put` says that the name holds other content
        for (std::uint64_t attempt = 0;; ++attempt) {
            auto const name = hash_(content, attempt);
            auto const position = shared_->artifacts.find(name);
            if (position == shared_->artifacts.end() || position->second == content || attempt + 1 == most_names)
                return name;
        }
    }

    std::shared_ptr<state> shared_;
    Hash hash_;
};

using memory_store = basic_memory_store<>;

}  // namespace v1
}  // namespace condense
