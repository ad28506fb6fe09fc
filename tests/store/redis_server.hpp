// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <csignal>
#include <functional>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condense/store/redis_connection.hpp>

#include "store/scratch.hpp"

// A Redis server of a test's own, and others that only seem to be one.

namespace redis_tests {

/// On a Unix socket in a folder of its own, with the settings that keep everything. Ends with the thread that starts
/// it.
class server {
public:
    server() { start(); }
    server(server const&) = delete;
    server& operator=(server const&) = delete;
    ~server() { kill(); }

    condense::redis_options options() const { return {.socket = folder_ / "socket"}; }

    /// What it replies, elements one a line.
    std::string ask(std::vector<std::string_view> const& words) const {
        std::string reply;
        condense::detail::redis::pool own{options()};
        CHECK_FALSE(own.use([&](condense::detail::redis::connection& line) -> condense::store_error {
            auto const answers = line.ask({words});
            reply = answers[0].text();
            if (reply.empty() && !answers[0][0]) reply = std::to_string(answers[0].number());
            for (std::size_t place = 0; answers[0][place]; ++place)
                reply.append(place == 0 ? "" : "\n").append(answers[0][place].text());
            return {};
        }));
        return reply;
    }

    /// What is on disk stays.
    void kill() {
        ::kill(id_, SIGKILL);
        ::waitpid(id_, nullptr, 0);
    }

    /// On the same folder as before.
    void start() {
        std::vector<std::string> words{
            "redis-server", "--port", "0", "--unixsocket", folder_ / "socket", "--appendonly", "yes", "--appendfsync",
            "always",       "--save", "",  "--dir",        folder_ / ""};
        std::vector<char*> pointers;
        for (auto& word : words) pointers.push_back(word.data());
        pointers.push_back(nullptr);
        auto const log = folder_ / "log";
        id_ = ::fork();
        REQUIRE(id_ >= 0);
        if (id_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            auto const file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
            ::dup2(file, 1);
            ::dup2(file, 2);
            ::execvp(pointers[0], pointers.data());
            ::_exit(127);
        }
        auto patient = options();
        patient.patience = std::chrono::milliseconds{20};
        condense::detail::redis::pool own{patient};
        auto const answers = [&] {
            return !own.use([](condense::detail::redis::connection& line) -> condense::store_error {
                line.ask({{"PING"}});
                return {};
            });
        };
        for (int attempt = 0; attempt < 500; ++attempt) {
            if (answers()) return;
            int status = 0;
            if (::waitpid(id_, &status, WNOHANG) != id_) continue;
            if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
                FAIL("this test needs redis-server: apt-get install redis-server");
            break;
        }
        FAIL("redis-server does not answer: " << scratch::bytes_of(log));
    }

private:
    scratch::folder folder_{scratch::memory()};
    ::pid_t id_ = -1;
};

/// Connected to a socket, or the end of one.
class end {
public:
    explicit end(int number) : number_{number} {}
    explicit end(std::string const& path) : number_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        auto const address = address_of(path);
        if (::connect(number_, reinterpret_cast<::sockaddr const*>(&address), sizeof address) != 0) close();
    }
    end(end const&) = delete;
    end& operator=(end const&) = delete;
    ~end() { close(); }

    static ::sockaddr_un address_of(std::string const& path) {
        ::sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
        return address;
    }
    int number() const noexcept { return number_; }
    /// Empty at the end.
    std::string read() const {
        std::string bytes(65'536, '\0');
        auto const count = ::read(number_, bytes.data(), bytes.size());
        bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
        return bytes;
    }
    bool write(std::string_view bytes) const {
        while (!bytes.empty()) {
            auto const count = ::send(number_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (count <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
        return true;
    }

private:
    void close() {
        if (number_ >= 0) ::close(std::exchange(number_, -1));
    }
    int number_;
};

/// Listens on a socket of its own, and has each connection served in a thread of its own by a function.
class peer {
public:
    explicit peer(std::function<void(end const&)> serve) : serve_{std::move(serve)} {
        auto const address = end::address_of(options().socket);
        REQUIRE(::bind(listener_.number(), reinterpret_cast<::sockaddr const*>(&address), sizeof address) == 0);
        REQUIRE(::listen(listener_.number(), 16) == 0);
        thread_ = std::thread{[this] {
            for (int number = accept(); number >= 0; number = accept()) {
                ++connections;
                threads_.emplace_back([this, number] { serve_(end{number}); });
            }
        }};
    }
    peer(peer const&) = delete;
    peer& operator=(peer const&) = delete;
    ~peer() {
        ::shutdown(listener_.number(), SHUT_RDWR);
        thread_.join();
        for (auto& thread : threads_) thread.join();
    }

    condense::redis_options options() const { return {.socket = folder_ / "socket"}; }
    std::atomic<int> connections = 0;

private:
    int accept() const { return ::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC); }

    scratch::folder folder_{scratch::memory()};
    std::function<void(end const&)> serve_;
    end listener_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    std::vector<std::thread> threads_;
    std::thread thread_;
};

/// Answers each request with the next of these texts, the last one again and again; an empty one closes the connection.
inline auto replies(std::vector<std::string> texts) {
    return [texts = std::move(texts), next = std::make_shared<std::atomic<std::size_t>>(0)](end const& client) {
        while (!client.read().empty()) {
            auto const place = std::min(next->fetch_add(1), texts.size() - 1);
            if (texts[place].empty() || !client.write(texts[place])) return;
        }
    };
}

/// Answers each command, of which none may hold a '*', with what the function gives for it.
inline auto replies_by(std::function<std::string(std::string_view)> reply) {
    return [reply = std::move(reply)](end const& client) {
        for (auto request = client.read(); !request.empty(); request = client.read())
            for (std::size_t begin = 0, next = 0; begin < request.size(); begin = next) {
                next = std::min(request.find('*', begin + 1), request.size());
                client.write(reply(std::string_view{request}.substr(begin, next - begin)));
            }
    };
}

/// True if the command has this word.
inline bool has_word(std::string_view command, std::string const& word) {
    return command.find("\r\n" + word + "\r\n") != std::string_view::npos;
}

/// For each of these words in a command, its text.
inline auto replies_to(std::vector<std::pair<std::string, std::string>> texts) {
    return replies_by([texts = std::move(texts)](std::string_view command) {
        std::string all;
        for (auto const& [word, text] : texts)
            if (has_word(command, word)) all += text;
        return all;
    });
}

/// Passes requests on to a server, and its replies back; closes the connection where a function returns false for one.
inline auto relay(std::string const& socket, std::function<bool(std::string_view)> request,
                  std::function<bool(std::string_view)> reply) {
    return [=](end const& client) {
        end const behind{socket};
        for (;;) {
            ::pollfd ready[] = {{client.number(), POLLIN, 0}, {behind.number(), POLLIN, 0}};
            ::poll(ready, 2, -1);
            bool const is_request = ready[0].revents != 0;
            auto const bytes = (is_request ? client : behind).read();
            if (bytes.empty() || !(is_request ? request : reply)(bytes)) return;
            if (!(is_request ? behind : client).write(bytes)) return;
        }
    };
}

/// A relay that loses the reply of this number, and the connection with it.
inline auto loses(std::string const& socket, int number) {
    auto const rest = std::make_shared<std::atomic<int>>(number);
    return relay(socket, [](auto) { return true; }, [rest](auto) { return rest->fetch_sub(1) != 0; });
}

}  // namespace redis_tests
