// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <condense/core/store.hpp>
#include <condense/detail/calendar.hpp>
#include <condense/store/content_hash.hpp>
#include <condense/store/journal_line.hpp>
#include <condense/store/redis_connection.hpp>

// Journals of many conversations in a Redis server, for agents on several hosts:
// record{.to = condense::redis_journal{{.host = "redis.internal", .password = secret}}}. POSIX.

namespace condense {
inline namespace v1 {

/// A handle: copies share their connections, any thread, process and host may append to the same conversation. The
/// lines are those of `journal_folder`, in pieces in a list of the server; `redis_options::expiry` does not count. How
/// durable it is the server decides, as for redis_store, whose check_durable() asks. Needs a server that allows EVAL.
class redis_journal {
public:
    static constexpr bool durable = true;
    /// The longest content, 64 MiB.
    static constexpr std::size_t most_bytes = std::size_t{64} << 20;
    /// Appended bytes after which a flush is made without being asked for.
    static constexpr std::size_t most_pending = std::size_t{4} << 20;

    explicit redis_journal(redis_options options = {}, content_hash hash = {})
        : shared_{std::make_shared<state>(std::move(options))}, hash_{hash} {}

    /// The name that an entry with this content must have.
    reference name(std::string_view content) const noexcept { return hash_(content, 0); }

    /// Appends all of the entry or nothing; kept by the server after `flush`. Costs a copy of the content. Errors: too
    /// long, a name that does not match the content, content for a derived entry, and those of a flush that became due.
    store_error append(std::string_view conversation, journal_entry entry, std::string_view content) const {
        if (entry.is_derived && !content.empty()) return {"derived entries must be empty"};
        if (!entry.is_derived && entry.name != name(content)) return {"content does not match its hash"};
        if (content.size() > most_bytes) return {"longer than 64 MiB"};
        std::lock_guard const lock{shared_->guard};
        auto& to = shared_->of(conversation);
        if (std::exchange(to.is_lost, false)) return gone;
        if (to.bytes > most_pending)
            if (auto const problem = write(conversation, to)) return problem;
        if (entry.time == 0) entry.time = detail::calendar_seconds();
        to.pending.push_back(detail::journal_line{conversation}.write(entry, content));
        to.bytes += to.pending.back().size();
        return {};
    }

    /// All appended entries of the conversation are kept by the server once it returns no error. Costs a round trip. A
    /// reply that is lost is no error, because everything is tried again, and what is there is not appended twice.
    /// Where the server has lost entries, the conversation is told so once, and appends all of them anew.
    store_error flush(std::string_view conversation) const {
        std::lock_guard const lock{shared_->guard};
        auto& to = shared_->of(conversation);
        return std::exchange(to.is_lost, false) ? gone : write(conversation, to);
    }

    /// Calls f(entry, content) for each entry appended before; f may append. Leaves out lines that are damaged.
    store_error read(std::string_view conversation, detail::entry_sink f) const {
        if (auto const problem = write_appended(conversation)) return problem;
        detail::journal_line const format{conversation};
        std::string buffer;
        return each_line(key("j:", conversation), ~std::size_t{0}, [&](std::string_view line) {
            if (auto const record = format.read(line, buffer);
                record && (record->entry.is_derived || record->entry.name == name(record->content)))
                f(record->entry, record->content);
        });
    }

    /// Calls f(journal_conversation const&) for each conversation, the one with the latest append first. Costs a round
    /// trip for each.
    store_error each_conversation(detail::conversation_sink f) const {
        std::vector<std::string> ids;
        {
            std::lock_guard const lock{shared_->guard};
            for (auto const& [id, to] : shared_->conversations)
                if (!to.pending.empty()) ids.push_back(id);
        }
        for (auto const& id : ids)
            if (auto const problem = write_appended(id)) return problem;
        std::vector<std::string> names;
        auto const latest = key("jl");
        auto problem = shared_->servers.use([&](connection& line) -> store_error {
            names.clear();
            auto const all = line.ask({{"ZREVRANGE", latest, "0", "-1"}});
            for (std::size_t at = 0; all[0][at]; ++at) names.emplace_back(all[0][at].text());
            return {};
        });
        std::vector<journal_conversation> found;
        for (auto const& each : names) {
            journal_conversation of;
            bool is_there = false;
            auto const counts = key("jn");
            auto const times = key("jt");
            if (!problem)
                problem = each_line(key("j:") + each, 1, [&](std::string_view line) {
                    auto id = detail::journal_line::conversation_of(line);
                    is_there = id.has_value();
                    of.id = std::move(id).value_or("");
                });
            if (!problem)
                problem = shared_->servers.use([&](connection& line) -> store_error {
                    auto const figures = line.ask({{"HGET", counts, each}, {"HGET", times, each}});
                    of.entries = number(figures[0].text());
                    of.time = number(figures[1].text());
                    return {};
                });
            if (problem) return problem;
            if (is_there && of.entries != 0) found.push_back(std::move(of));
        }
        for (auto const& each : found) f(each);
        return problem;
    }

private:
    using connection = detail::redis::connection;

    /// A line is in pieces, each an element of a list: a byte that says whether more follow, and at most so many.
    static constexpr std::size_t piece = 60'000;
    static constexpr std::size_t page = detail::redis::piece / (piece + 1);  ///< pieces that one reply may have
    static constexpr store_error gone{"the server has lost entries of the conversation", true};

    /// Appends pieces to KEYS[1] if it has so many elements as are known, ARGV[1], or more. A batch whose writer and
    /// number are those of the latest is there already, as after a reply that was lost. The status, 0 where elements
    /// are missing, and the length.
    static constexpr std::string_view script = R"(
local size = redis.call('LLEN', KEYS[1])
if size < tonumber(ARGV[1]) then return {0, size} end
if redis.call('HGET', KEYS[6], ARGV[5]) == ARGV[6] then return {1, size} end
if size == 0 then redis.call('HDEL', KEYS[4], ARGV[2]) end
for i = 7, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[i]) end
redis.call('ZADD', KEYS[2], redis.call('INCR', KEYS[3]), ARGV[2])
redis.call('HINCRBY', KEYS[4], ARGV[2], ARGV[3])
redis.call('HSET', KEYS[5], ARGV[2], ARGV[4])
redis.call('HSET', KEYS[6], ARGV[5], ARGV[6])
redis.call('EXPIRE', KEYS[6], 86400)
return {1, size + #ARGV - 6}
)";

    struct history {
        std::optional<std::uint64_t> known = {};  ///< elements of the list that were there after the latest write
        std::vector<std::string> pending = {};  ///< lines
        std::size_t bytes = 0;  ///< of these
        std::size_t sent = 0;  ///< of these, the first so many are a batch that may be there
        std::uint64_t batch = 0;  ///< its number
        bool is_lost = false;  ///< a reader has seen that entries are lost, which the session is to be told
    };

    struct state {
        explicit state(redis_options options) : servers{std::move(options)} {}

        /// A child of the process leaves what is pending to its parent. To be called under the lock.
        history& of(std::string_view conversation) {
            if (std::exchange(owner, ::getpid()) != ::getpid()) {
                conversations.clear();
                writer = random_name();
            }
            auto const found = conversations.find(conversation);
            return found != conversations.end() ? found->second : conversations[std::string{conversation}];
        }

        static std::string random_name() {
            std::random_device random;
            return std::to_string(random()) + "-" + std::to_string(random());
        }

        detail::redis::pool servers;
        std::mutex guard;  ///< of what follows
        std::string writer = random_name();
        std::map<std::string, history, std::less<>> conversations;
        ::pid_t owner = ::getpid();
    };

    std::string key(std::string_view kind) const { return shared_->servers.options().prefix + std::string{kind}; }
    std::string key(std::string_view kind, std::string_view conversation) const {
        return key(kind) + hash_(conversation, 0).text();
    }
    static std::uint64_t number(std::string_view digits) noexcept {
        std::uint64_t value = 0;
        for (char const digit : digits) value = value * 10 + static_cast<std::uint64_t>(digit - '0');
        return value;
    }

    store_error write_appended(std::string_view conversation) const {
        std::lock_guard const lock{shared_->guard};
        auto& to = shared_->of(conversation);
        auto const problem = to.pending.empty() ? store_error{} : write(conversation, to);
        to.is_lost = to.is_lost || problem.gone;
        return problem.gone ? store_error{} : problem;
    }

    /// Writes what is pending, in order. To be called under the lock.
    store_error write(std::string_view conversation, history& to) const {
        auto const list = key("j:", conversation);
        if (!to.known || to.pending.empty()) {
            std::uint64_t size = 0;
            auto const problem = shared_->servers.use([&](connection& line) -> store_error {
                size = line.ask({{"LLEN", list}})[0].number();
                return {};
            });
            if (problem) return problem;
            if (to.known && size < *to.known) return forget(to);
            if (!to.known && !to.pending.empty()) to.known = size;
        }
        while (!to.pending.empty()) {
            if (to.sent == 0) {  // else the batch is sent again as it was
                for (std::size_t size = 0; to.sent < to.pending.size() && (to.sent == 0 || size < most_pending);
                     ++to.sent)
                    size += to.pending[to.sent].size();
                ++to.batch;
            }
            if (auto const problem = push(conversation, list, to)) return problem;
            for (std::size_t at = 0; at < to.sent; ++at) to.bytes -= to.pending[at].size();
            to.pending.erase(to.pending.begin(), to.pending.begin() + static_cast<std::ptrdiff_t>(to.sent));
            to.sent = 0;
        }
        return {};
    }

    /// The batch, with its number.
    store_error push(std::string_view conversation, std::string const& list, history& to) const {
        auto const latest = key("jl"), counter = key("ja"), counts = key("jn"), times = key("jt");
        auto const batches = key("jb:", conversation);
        auto const id = hash_(conversation, 0).text();
        auto const known = std::to_string(*to.known);
        auto const entries = std::to_string(to.sent);
        auto const now = std::to_string(detail::calendar_seconds());
        auto const batch = std::to_string(to.batch);
        std::vector<std::string> pieces;
        for (std::size_t at = 0; at < to.sent; ++at)
            for (std::string_view left = to.pending[at]; !left.empty();
                 left.remove_prefix((std::min)(piece, left.size())))
                pieces.push_back((left.size() > piece ? "+" : ".") + std::string{left.substr(0, piece)});
        detail::redis::command words{"EVAL",  script, "6", list,    latest, counter,         counts, times,
                                     batches, known,  id,  entries, now,    shared_->writer, batch};
        words.insert(words.end(), pieces.begin(), pieces.end());
        bool is_written = false;
        std::uint64_t size = 0;
        auto const problem = shared_->servers.use([&](connection& line) -> store_error {
            auto const answers = line.ask({words});
            is_written = answers[0][0].number() == 1;
            size = answers[0][1].number();
            return {};
        });
        if (problem) return problem;
        if (!is_written) return forget(to);
        to.known = size;
        return {};
    }
    static store_error forget(history& to) {
        to = {.batch = to.batch};
        return gone;
    }

    /// Calls f(line) for the first `most` lines of a list.
    store_error each_line(std::string const& list, std::size_t most,
                          detail::callable_ref<void(std::string_view line)> f) const {
        std::string line_of;
        for (std::uint64_t at = 0;; at += page) {
            auto const first = std::to_string(at);
            auto const last = std::to_string(at + page - 1);
            std::vector<std::string> pieces;  // so that f is called without a connection
            auto const problem = shared_->servers.use([&](connection& line) -> store_error {
                pieces.clear();
                auto const answers = line.ask({{"LRANGE", list, first, last}});
                for (std::size_t each = 0; answers[0][each]; ++each) pieces.emplace_back(answers[0][each].text());
                return {};
            });
            if (problem) return problem;
            for (std::string_view const each : pieces) {
                line_of.append(each.substr((std::min)(each.size(), std::size_t{1})));
                if (each.starts_with('+')) continue;
                if (line_of.ends_with('\n')) line_of.pop_back();
                f(line_of);
                line_of.clear();
                if (--most == 0) return {};
            }
            if (pieces.size() < page) return {};
        }
    }

    std::shared_ptr<state> shared_;
    content_hash hash_;
};

}  // namespace v1
}  // namespace condense
