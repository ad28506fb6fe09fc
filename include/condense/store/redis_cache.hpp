// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/core/store.hpp>
#include <condense/store/redis_connection.hpp>

// A cache of texts in a Redis server, shared by several hosts:
// cached{.model = my_model, .cache = condense::redis_cache{{.host = "redis.internal"}}}. POSIX.

namespace condense {
inline namespace v1 {

/// A handle: copies share their connections, any thread, process and host may use the server, whose `maxmemory` bounds
/// what is kept. A key is the prefix and a hash. `patience` is a tenth of a second at most, as a miss costs less than
/// to wait, and `expiry` does not count.
class redis_cache {
public:
    explicit redis_cache(redis_options options = {})
        : shared_{std::make_shared<detail::redis::pool>(impatient(std::move(options)))} {}

    /// The text; nothing if there is none or an empty one, which the server does not tell from none, or if it cannot be
    /// asked. Costs a round trip.
    std::optional<std::string> get(cache_key const& key) const {
        std::optional<std::string> text;
        auto const name = name_of(key);
        auto const last = std::to_string(most_cached_bytes);
        auto const problem = shared_->use([&](detail::redis::connection& line) -> store_error {
            // Another program may have put more.
            auto const answers = line.ask({{"GETRANGE", name, "0", last}});
            auto const answer = answers[0].text();
            text.reset();
            if (!answer.empty() && answer.size() <= most_cached_bytes) text.emplace(answer);
            return {};
        });
        if (problem) text.reset();
        return text;
    }

    /// Costs a round trip. Errors: those of the server, longer than most_cached_bytes.
    store_error put(cache_key const& key, std::string_view text, std::uint64_t seconds) const {
        if (text.size() > most_cached_bytes) return {"larger than 1 MiB"};
        auto const name = name_of(key);
        constexpr std::uint64_t most = 100ull * 365 * 24 * 60 * 60;  // Redis refuses what its clock cannot hold
        auto const within = std::to_string((std::min)(seconds, most));
        detail::redis::command set{"SET", name, text};
        if (seconds != 0) set.insert(set.end(), {"EX", within});
        return shared_->use([&](detail::redis::connection& line) -> store_error {
            line.ask({set});
            return {};
        });
    }

private:
    static redis_options impatient(redis_options options) noexcept {
        options.patience = (std::min)(options.patience, std::chrono::milliseconds{100});
        return options;
    }
    std::string name_of(cache_key const& key) const {
        auto name = shared_->options().prefix + "c:";
        for (auto const byte : key)
            for (auto const half : {byte >> 4, byte & 15}) name.push_back("0123456789abcdef"[half]);
        return name;
    }

    std::shared_ptr<detail::redis::pool> shared_;
};

}  // namespace v1
}  // namespace condense
