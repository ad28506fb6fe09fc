// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <hiredis/hiredis.h>

#include <condense/core/store.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/posix_file.hpp>
#include <condense/detail/text.hpp>

// Connections to one Redis server that threads share. hiredis connects and reads the protocol; the bytes are sent and
// received here, within limits of size and time.

namespace condense {
inline namespace v1 {

/// Which Redis server, and how. There is no TLS: password and content are readable on the way, so use a Unix socket, a
/// network of your own, or a tunnel. A cluster is not supported, a primary with replicas is.
struct redis_options {
    std::string host = "127.0.0.1";
    std::uint16_t port = 6379;
    std::string socket = {};  ///< path of a Unix socket, used instead of host and port
    std::string user = {};  ///< of an access control list; empty for the default user
    std::string password = {};  ///< empty for none
    unsigned database = 0;
    /// Of every key. Whoever has another prefix sees nothing of this one; 1 to 64 letters, digits, or any of `._:-`.
    std::string prefix = "condense:";
    std::chrono::milliseconds connect_timeout{2'000};  ///< without the look-up of the host's name
    std::chrono::milliseconds reply_timeout{5'000};  ///< for a request and its reply, and as much for each MiB of it
    /// How long what may pass is tried again: no connection, a broken one, none free, a server that still loads.
    std::chrono::milliseconds patience{10'000};
    std::chrono::seconds expiry{0};  ///< artifacts are gone so long after their latest put; 0 for never
    std::size_t most_connections = 8;
};

namespace detail::redis {

using clock = std::chrono::steady_clock;

/// What the clock can reckon with.
inline std::chrono::milliseconds bounded(std::chrono::milliseconds wanted) noexcept {
    return std::clamp<std::chrono::milliseconds>(wanted, std::chrono::milliseconds{1}, std::chrono::hours{1});
}

/// Values are read in pieces of this size.
inline constexpr std::size_t piece = std::size_t{1} << 20;
/// A larger reply is refused while it arrives. Requests are such that none is.
inline constexpr std::size_t most_reply = 16 * piece;

/// "Redis: OOM command not allowed when used memory > 'maxmemory'." The server's words are cut, and printable.
inline store_error fault(std::string_view text) { return {"Redis: " + printable(text, 80)}; }

struct deleter {
    void operator()(::redisReply* reply) const noexcept { ::freeReplyObject(reply); }
    void operator()(::redisContext* context) const noexcept { ::redisFree(context); }
};

/// A reply or an element of one; none where there was no reply.
class answer {
public:
    explicit answer(::redisReply const* reply) noexcept : reply_{reply} {}
    explicit operator bool() const noexcept { return reply_ != nullptr; }
    bool is_error() const noexcept { return reply_ != nullptr && reply_->type == REDIS_REPLY_ERROR; }
    /// Empty where it is no text.
    std::string_view text() const noexcept {
        return reply_ == nullptr || reply_->str == nullptr ? std::string_view{}
                                                           : std::string_view{reply_->str, reply_->len};
    }
    /// 0 where it is no number.
    std::uint64_t number() const noexcept {
        return reply_ == nullptr || reply_->integer < 0 ? 0 : static_cast<std::uint64_t>(reply_->integer);
    }
    answer operator[](std::size_t index) const noexcept {
        return answer{reply_ == nullptr || index >= reply_->elements ? nullptr : reply_->element[index]};
    }

private:
    ::redisReply const* reply_;
};

/// What a server replied to some commands.
class answers {
public:
    explicit answers(std::size_t size) : all_(size) {}
    std::size_t size() const noexcept { return all_.size(); }
    void set(std::size_t index, ::redisReply* reply) noexcept { all_[index].reset(reply); }
    answer operator[](std::size_t index) const noexcept { return answer{all_[index].get()}; }

private:
    std::vector<std::unique_ptr<::redisReply, deleter>> all_;
};

/// The words of a command: any bytes, which must live as long as it.
using command = std::vector<std::string_view>;

/// One connection, for one thread at a time.
class connection {
public:
    explicit connection(redis_options const& options) : options_{options} {}

    /// Sends the commands, then reads a reply to each; connects first if need be. After the first failure all answers
    /// are none, so that callers look at problem() once, at the end.
    answers ask(std::vector<command> const& commands) {
        if (!problem_ && !context_) connect();
        return exchange(commands);
    }

    /// The first failure since begin().
    store_error const& problem() const noexcept { return problem_; }
    /// True if the problem may be gone at the next attempt.
    bool may_pass() const noexcept { return may_pass_; }
    /// True if it can be used again.
    bool is_usable() const noexcept { return context_ != nullptr && !amid_exchange_; }
    void begin() noexcept {
        problem_ = {};
        may_pass_ = false;
    }

private:
    void connect() {
        auto const milliseconds = bounded(options_.connect_timeout).count();
        ::timeval timeout = {};
        timeout.tv_sec = milliseconds / 1'000;
        timeout.tv_usec = milliseconds % 1'000 * 1'000;
        context_.reset(options_.socket.empty()
                           ? ::redisConnectWithTimeout(options_.host.c_str(), options_.port, timeout)
                           : ::redisConnectUnixWithTimeout(options_.socket.c_str(), timeout));
        if (!context_) return note("out of memory");
        if (context_->err != 0) return lose(context_->errstr);
        ::fcntl(context_->fd, F_SETFD, FD_CLOEXEC);  // a tool that the program runs must not have it
        auto const database = std::to_string(options_.database);
        std::vector<command> greeting;
        if (!options_.user.empty() || !options_.password.empty()) {
            greeting.push_back({"AUTH"});
            if (!options_.user.empty()) greeting.back().push_back(options_.user);
            greeting.back().push_back(options_.password);
        }
        if (options_.database != 0) greeting.push_back({"SELECT", database});
        exchange(greeting);
        if (problem_) context_.reset();  // else it would be used without them
    }

    answers exchange(std::vector<command> const& commands) {
        answers replies{commands.size()};
        if (problem_) return replies;
        std::size_t size = 0;
        for (auto const& words : commands)
            for (auto const word : words) size += word.size();
        until_ = clock::now() + bounded(options_.reply_timeout) * static_cast<std::int64_t>(1 + size / piece);
        amid_exchange_ = true;  // stays so where an allocation fails, with replies that nobody has read
        for (auto const& words : commands) send(words);
        for (std::size_t index = 0; index < replies.size(); ++index) {
            replies.set(index, receive());
            if (replies[index].is_error()) refuse(replies[index].text());
        }
        amid_exchange_ = false;
        return replies;
    }

    /// Not by hiredis, which copies the content twice, and raises SIGPIPE where the server has closed the connection.
    void send(command const& words) {
        std::string text = "*" + std::to_string(words.size()) + "\r\n";
        for (auto const word : words) {
            text += "$" + std::to_string(word.size()) + "\r\n";
            if (word.size() > 65'536) {
                write(text);
                write(word);
                text.clear();
            } else text += word;
            text += "\r\n";
        }
        write(text);
    }

    void write(std::string_view bytes) {
        while (context_ && !bytes.empty()) {
            auto const count =
                ::send(context_->fd, bytes.data(), (std::min)(bytes.size(), piece), MSG_DONTWAIT | MSG_NOSIGNAL);
            if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
            else wait(count, POLLOUT);
        }
    }

    ::redisReply* receive() {
        std::size_t size = 0;
        while (context_) {
            void* reply = nullptr;
            if (::redisReaderGetReply(context_->reader, &reply) != REDIS_OK) {
                lose(context_->reader->errstr);
            } else if (reply != nullptr) {
                return static_cast<::redisReply*>(reply);
            } else if (size > most_reply) {
                note("a reply larger than 16 MiB");
                context_.reset();
            } else {
                char buffer[65'536];
                auto const count = ::recv(context_->fd, buffer, sizeof buffer, MSG_DONTWAIT);
                if (count <= 0) {
                    wait(count, POLLIN);
                    continue;
                }
                size += static_cast<std::size_t>(count);
                ::redisReaderFeed(context_->reader, buffer, static_cast<std::size_t>(count));
            }
        }
        return nullptr;
    }

    /// After a call that returned `count`, which is not above 0: waits until the next one may do more. Gives the
    /// connection up where it cannot, or not in time.
    void wait(::ssize_t count, short event) {
        auto const error = errno;
        if (count == 0) return lose("the server closed the connection");
        if (error != EAGAIN && error != EINTR) return lose(posix::fault("socket", error));
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(until_ - clock::now()).count();
        if (left <= 0) return lose("no reply in time");
        ::pollfd ready{context_->fd, event, 0};
        ::poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
    }

    /// An error that the server replies.
    void refuse(std::string_view text) {
        may_pass_ = may_pass_ || text.starts_with("LOADING");
        note(text);
        if (text.starts_with("READONLY")) context_.reset();  // no primary any more: the next attempt connects anew
    }
    void lose(std::string_view text) {
        may_pass_ = true;
        note(text);
        context_.reset();
    }
    void note(std::string_view text) {
        if (!problem_) problem_ = fault(text);
    }

    redis_options const& options_;
    std::unique_ptr<::redisContext, deleter> context_;
    clock::time_point until_ = {};
    store_error problem_ = {};
    bool may_pass_ = false;
    bool amid_exchange_ = false;
};

/// What the copies of a handle share.
class pool {
public:
    /// Connects on first use.
    explicit pool(redis_options options) : options_{std::move(options)}, invalid_{refuse(options_)} {}
    pool(pool const&) = delete;
    pool& operator=(pool const&) = delete;

    redis_options const& options() const noexcept { return options_; }

    /// Calls f(connection&), which returns a store_error; again from the start while the connection fails in a way that
    /// may pass, at most for `patience`. So what it does must be idempotent.
    store_error use(callable_ref<store_error(connection&)> f) {
        if (invalid_) return invalid_;
        auto const until = clock::now() + bounded(options_.patience);
        for (auto pause = std::chrono::milliseconds{1};; pause = (std::min)(2 * pause, std::chrono::milliseconds{32})) {
            store_error problem = fault("all connections are in use");
            bool may_pass = true;
            if (lease const one{*this}; one.line) {
                one.line->begin();
                problem = f(*one.line);
                if (one.line->problem()) problem = one.line->problem();
                may_pass = one.line->may_pass();
            }
            if (!problem || !may_pass || clock::now() + pause > until) return problem;
            std::this_thread::sleep_for(pause);
        }
    }

private:
    /// A connection while it is in use; none where too many are.
    struct lease {
        explicit lease(pool& owner) : from{owner}, line{owner.take()} {}
        lease(lease const&) = delete;
        lease& operator=(lease const&) = delete;
        ~lease() {
            if (line) from.give_back(line);
        }
        pool& from;
        std::unique_ptr<connection> line;
    };

    std::unique_ptr<connection> take() {
        std::lock_guard const lock{guard_};
        if (auto const process = ::getpid(); process != process_) {
            // A child of the process must not use its parent's connections; closing its own copies does them no harm.
            idle_.clear();
            in_use_ = 0;
            process_ = process;
        }
        if (in_use_ >= std::max<std::size_t>(options_.most_connections, 1)) return nullptr;
        idle_.reserve(idle_.size() + in_use_ + 1);  // giving back must not allocate
        std::unique_ptr<connection> line;
        if (idle_.empty()) {
            line = std::make_unique<connection>(options_);
        } else {
            line = std::move(idle_.back());
            idle_.pop_back();
        }
        ++in_use_;
        return line;
    }

    /// Where one connection is broken the idle ones are likely to be.
    void give_back(std::unique_ptr<connection>& line) {
        std::lock_guard const lock{guard_};
        --in_use_;
        if (line->is_usable()) idle_.push_back(std::move(line));
        else idle_.clear();
    }

    static store_error refuse(redis_options const& options) {
        constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-";
        if (options.prefix.empty() || options.prefix.size() > 64 ||
            options.prefix.find_first_not_of(plain) != std::string::npos)
            return {"Redis: the prefix must be 1 to 64 letters, digits, or any of ._:-"};
        // hiredis would cut it.
        if (options.socket.size() >= sizeof ::sockaddr_un::sun_path) return {"Redis: the socket's path is too long"};
        return {};
    }

    redis_options const options_;
    store_error const invalid_;
    std::mutex guard_;
    std::vector<std::unique_ptr<connection>> idle_;
    std::size_t in_use_ = 0;
    ::pid_t process_ = ::getpid();
};

}  // namespace detail::redis
}  // namespace v1
}  // namespace condense
