// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <condense/core/store.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/store/artifact_source.hpp>
#include <condense/store/content_hash.hpp>
#include <condense/store/redis_connection.hpp>

// Artifacts in a Redis server, for agents on several hosts:
// offload{.into = condense::redis_store{{.host = "redis.internal", .password = secret}}}. POSIX.

namespace condense {
inline namespace v1 {

/// A handle: copies share their connections, any thread, process and host may use the server. Same content, same name;
/// different content never overwrites. A key is the prefix and a hash. Hash: a callable from content and attempt to
/// reference.
///
/// How durable it is the server decides: with `appendonly yes`, `appendfsync always` and `maxmemory-policy noeviction`
/// what is put survives, with weaker settings the last second may be lost, or all. check_durable() asks.
template <class Hash = content_hash>
class basic_redis_store {
public:
    static constexpr bool durable = true;
    /// The largest artifact, 512 MiB: that of Redis.
    static constexpr std::size_t most_bytes = std::size_t{512} << 20;

    explicit basic_redis_store(redis_options options = {}, Hash hash = {})
        : shared_{std::make_shared<detail::redis::pool>(std::move(options))}, hash_{std::move(hash)} {}

    /// The name under which this content is or would be stored. Costs a round trip, and a read if it is stored.
    reference name(std::string_view content) const {
        auto name = hash_(content, 0);
        static_cast<void>(shared_->use([&](connection& line) -> store_error {
            name = hash_(content, 0);
            for (std::uint64_t attempt = 1; attempt < attempts; ++attempt) {
                if (compare(line, name, content) != match::other) break;
                name = hash_(content, attempt);
            }
            return {};
        }));
        return name;
    }

    /// Kept by the server once it returns no error; costs a round trip, and a read if it is stored, whose time of
    /// expiry is then set anew. A reply that is lost is no error, because everything is tried again. Errors: those of
    /// the server, such as no memory, other content under the name, a name that does not match the content, too large.
    store_error put(reference const& name, std::string_view content) const { return keep(name, content, {}, {}); }

    /// The same, and notes where it comes from; costs a second round trip, and a write. The source may have 1 MiB.
    store_error put(reference const& name, std::string_view content, artifact_source const& source) const {
        return keep(name, content, field(source.conversation), detail::write_source(source));
    }

    /// Where the conversation has the artifact from; nothing if it has not put it.
    std::optional<artifact_source> source(reference const& name, std::string_view conversation) const {
        std::optional<artifact_source> source;
        auto const key = content_key(name);
        auto const sources = sources_key(name);
        auto const digits = field(conversation);
        static_cast<void>(shared_->use([&](connection& line) -> store_error {
            auto const answers = line.ask({{"HGET", sources, digits}, {"EXISTS", key}});
            source.reset();
            if (answers[1].number() != 0) source = detail::read_source(answers[0].text());
            return {};
        }));
        if (source && source->conversation != conversation) source.reset();
        return source;
    }

    /// The content; nothing if the name is unknown, if the server does not hold what was put, or if it cannot be asked.
    /// Costs a round trip for each MiB.
    std::optional<std::string> get(reference const& name) const {
        std::optional<std::string> content;
        auto const problem = shared_->use([&](connection& line) -> store_error {
            content.emplace();
            bool const exists = each_piece(line, name, [&](auto piece, auto size) {
                if (size > most_bytes) return false;
                content->reserve(static_cast<std::size_t>(size));
                content->append(piece.substr(0, detail::redis::piece));
                return true;
            });
            if (!exists) content.reset();
            return {};
        });
        if (problem || !content || !is_name(name, *content)) content.reset();
        return content;
    }

    /// Calls f(reference, bytes) for each artifact that was stored when the call began; `f` may use the store. Costs a
    /// walk over the keys of the database, and a round trip for each artifact.
    store_error each(detail::artifact_sink f) const {
        std::vector<std::pair<reference, bytes>> all;
        auto const problem = shared_->use([&](connection& line) -> store_error {
            all.clear();
            each_size(line, [&](reference const& name, bytes size) { all.emplace_back(name, size); });
            return {};
        });
        for (auto const& [name, size] : all) f(name, size);
        return problem;
    }

    /// Calls f(reference, bytes, artifact_source const&) in the same way.
    store_error each_source(detail::source_sink f) const {
        std::vector<std::tuple<reference, bytes, artifact_source>> all;
        auto const problem = shared_->use([&](connection& line) -> store_error {
            all.clear();
            each_size(line, [&](reference const& name, bytes size) {
                std::map<std::string, artifact_source, std::less<>> sources;  // a walk may come to a field twice
                auto const key = sources_key(name);
                each_page(line, {"HSCAN", key, "0", "COUNT", "8"}, 2, [&](detail::redis::answer page) {
                    for (std::size_t place = 0; page[place + 1]; place += 2) {
                        auto source = detail::read_source(page[place + 1].text());
                        auto const digits = page[place].text();
                        if (source && digits == field(source->conversation))
                            sources.insert_or_assign(std::string{digits}, std::move(*source));
                    }
                });
                for (auto& [digits, source] : sources) all.emplace_back(name, size, std::move(source));
            });
            return {};
        });
        for (auto const& [name, size, source] : all) f(name, size, source);
        return problem;
    }

    /// The artifact is gone once it returns no error; an unknown name is no error.
    store_error erase(reference const& name) const {
        auto const key = content_key(name);
        auto const sources = sources_key(name);
        return shared_->use([&](connection& line) -> store_error {
            line.ask({{"UNLINK", key, sources}});
            return {};
        });
    }

    /// No error if the server's settings keep what is put, also when it is killed; else which of them does not. Costs a
    /// round trip. Servers that do not allow CONFIG give an error.
    store_error check_durable() const {
        return shared_->use([&](connection& line) -> store_error {
            auto const answers = line.ask({{"CONFIG", "GET", "appendonly"},
                                           {"CONFIG", "GET", "appendfsync"},
                                           {"CONFIG", "GET", "maxmemory-policy"}});
            auto const is = [&](std::size_t place, std::string_view value) {
                return answers[place][1].text() == value;
            };
            if (!is(0, "yes")) return {"Redis: appendonly is not yes: what was put since a snapshot may be lost"};
            if (!is(1, "always")) return {"Redis: appendfsync is not always: the last second may be lost"};
            if (!is(2, "noeviction")) return {"Redis: maxmemory-policy is not noeviction: artifacts may be evicted"};
            return {};
        });
    }

private:
    using connection = detail::redis::connection;
    enum class match { none, same, other };

    /// Names tried for one content when others with the same hash are stored; then it is refused.
    static constexpr std::uint64_t attempts = 16;
    static constexpr std::size_t most_source = std::size_t{1} << 20;

    std::string content_key(reference const& name) const { return shared_->options().prefix + "a:" + name.text(); }
    std::string sources_key(reference const& name) const { return shared_->options().prefix + "s:" + name.text(); }
    std::string field(std::string_view conversation) const { return hash_(conversation, 0).text(); }

    store_error keep(reference const& name, std::string_view content, std::string const& field,
                     std::string const& source) const {
        if (content.size() > most_bytes) return {"larger than 512 MiB"};
        if (source.size() > most_source) return {"a source larger than 1 MiB"};
        if (!is_name(name, content)) return {"content does not match its hash"};
        auto const key = content_key(name);
        auto const sources = sources_key(name);
        auto const expiry = shared_->options().expiry.count();
        auto const seconds = std::to_string(expiry);
        detail::redis::command set{"SET", key, content, "NX"};
        if (expiry > 0) set.insert(set.end(), {"EX", seconds});
        auto const keep_on = [&](std::string const& which) {
            return expiry > 0 ? detail::redis::command{"EXPIRE", which, seconds}
                              : detail::redis::command{"PERSIST", which};
        };
        return shared_->use([&](connection& line) -> store_error {
            // It may be erased or expire between two steps: then once more.
            for (int attempt = 0; attempt < 3 && !line.problem(); ++attempt) {
                bool const is_new = line.ask({set})[0].text() == "OK";
                if (is_new && source.empty()) return {};
                auto const existing = is_new ? match::same : compare(line, name, content);
                if (existing == match::other) return {"the name holds other content"};
                if (existing == match::none) continue;
                std::vector<detail::redis::command> rest{keep_on(sources), keep_on(key), {"EXISTS", key}};
                if (!source.empty()) rest.insert(rest.begin(), {"HSETNX", sources, field, source});
                if (line.ask(rest)[rest.size() - 1].number() != 0) return {};
            }
            return {"erased while it was put"};
        });
    }

    /// Calls f(piece, size of the content) for each piece of it until that returns false. False if there is none, or if
    /// it was erased or put between two commands; both between the same two are not seen.
    bool each_piece(connection& line, reference const& name,
                    detail::callable_ref<bool(std::string_view piece, std::size_t size)> f) const {
        auto const key = content_key(name);
        for (std::size_t offset = 0;; offset += detail::redis::piece) {
            auto const first = std::to_string(offset);
            auto const last = std::to_string(offset + detail::redis::piece - 1);
            // EXISTS on both sides, as others may put or erase it between two commands.
            auto const answers =
                line.ask({{"EXISTS", key}, {"GETRANGE", key, first, last}, {"STRLEN", key}, {"EXISTS", key}});
            auto const text = answers[1].text();
            auto const size = answers[2].number();
            if (answers[0].number() == 0 || answers[3].number() == 0 || (text.empty() && size > offset)) return false;
            if (!f(text, size) || size <= offset + detail::redis::piece) return true;
        }
    }

    /// Piece by piece, so that it is never in memory as a whole.
    match compare(connection& line, reference const& name, std::string_view content) const {
        bool same = true;
        bool const exists = each_piece(line, name, [&, offset = std::size_t{0}](auto piece, auto size) mutable {
            same = size == content.size() && piece == content.substr(offset, detail::redis::piece);
            offset += piece.size();
            return same;
        });
        return !exists ? match::none : same ? match::same : match::other;
    }

    /// Calls f(page) for each page of a listing. The word at `cursor` says where the next one begins.
    static void each_page(connection& line, detail::redis::command words, std::size_t cursor,
                          detail::callable_ref<void(detail::redis::answer)> f) {
        std::string next;
        do {
            auto const answers = line.ask({words});
            next = answers[0][0].text();
            f(answers[0][1]);
            words[cursor] = next;
        } while (!next.empty() && next != "0");
    }

    /// Calls f(reference, bytes) for each artifact.
    void each_size(connection& line, detail::artifact_sink f) const {
        auto const prefix = shared_->options().prefix + "a:";
        auto const pattern = prefix + std::string(24, '?');
        std::vector<reference> names;
        each_page(line, {"SCAN", "0", "MATCH", pattern, "COUNT", "1000"}, 1, [&](detail::redis::answer page) {
            for (std::size_t place = 0; page[place]; ++place) {
                auto const key = page[place].text();
                auto const name = reference::of(key.substr((std::min)(key.size(), prefix.size())));
                if (name) names.push_back(*name);
            }
        });
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());  // a walk may come to a key twice
        for (auto const& name : names) {
            auto const key = content_key(name);
            auto const answers = line.ask({{"EXISTS", key}, {"STRLEN", key}, {"EXISTS", key}});
            if (answers[0].number() != 0 && answers[2].number() != 0) f(name, bytes{answers[1].number()});
        }
    }

    /// True if `name` is one of the names that this content may have.
    bool is_name(reference const& name, std::string_view content) const {
        for (std::uint64_t attempt = 0; attempt < attempts; ++attempt)
            if (hash_(content, attempt) == name) return true;
        return false;
    }

    std::shared_ptr<detail::redis::pool> shared_;
    Hash hash_;
};

using redis_store = basic_redis_store<>;

}  // namespace v1
}  // namespace condense
