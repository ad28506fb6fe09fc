// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "headers.hpp"

// HTTP/1.1 for clients that nobody vouches for: one request for each connection, so that nothing that is left of one is
// taken for the next. What is read is bounded in time and size. Boost.Beast parses it, which refuses what is no HTTP.

namespace proxy {

/// A request, or why there is none.
struct incoming {
    std::string method = {};
    std::string target = {};
    header_list headers = {};
    std::string body = {};
    bool is_old = false;  ///< HTTP/1.0, which knows no chunks
    bool is_gone = false;  ///< the client has left, or the program ends: nobody is answered
    int status = 0;  ///< of the refusal; 0 for none
    std::string problem = {};
};

struct request_limits {
    std::chrono::seconds patience{60};  ///< for all of a request, from its first line to the end of its body
    std::uint64_t body = std::uint64_t{64} << 20;  ///< bytes
};

/// A connection of a client, which ends with this object.
class connection {
public:
    /// `stop` ends all waiting within a quarter of a second. A client may take `patience` until it reads on.
    connection(int socket, std::chrono::seconds patience, std::atomic<bool> const& stop) noexcept
        : socket_{socket}, patience_{patience}, stop_{stop} {}
    connection(connection const&) = delete;
    connection& operator=(connection const&) = delete;
    ~connection();

    incoming read(request_limits const& limits);

    /// Begins an answer. With a length the body is as long; without one its end is marked.
    bool begin(incoming const& asked, int status, header_list const& headers, std::optional<std::uint64_t> length);
    /// A piece of the body; false once the client has left, and for more than the length.
    bool write(std::string_view piece);
    /// The whole body was written. An answer without this does not look whole to the client.
    void end();
    /// An answer that is there already.
    void answer(incoming const& asked, int status, header_list headers, std::string_view body);

    /// The client has closed the connection, or its half of it.
    bool has_left() const noexcept;
    /// Something of an answer was sent.
    bool has_begun() const noexcept { return has_begun_; }

private:
    using clock = std::chrono::steady_clock;

    bool wait(short events, clock::time_point until) const noexcept;
    std::size_t receive(char* to, std::size_t size, clock::time_point until);
    bool send(std::string_view bytes);

    int socket_;
    std::chrono::seconds patience_;
    std::atomic<bool> const& stop_;
    enum class framing { none, length, chunks, close } framing_ = framing::none;
    std::uint64_t left_ = 0;  ///< of the length
    bool is_open_ = true;  ///< for what is still to be written
    bool has_begun_ = false;
};

/// Listens, and hands each connection to one of some threads.
class server {
public:
    server() = default;
    server(server const&) = delete;
    server& operator=(server const&) = delete;
    ~server();

    /// The port, or nothing where that address cannot be had. Port 0 is any that is free.
    std::optional<int> listen(std::string const& host, int port);
    /// Serves until `close`, and then what has come before. `serve` takes a socket, which is then its own.
    void run(std::size_t threads, std::function<void(int)> const& serve);
    /// Takes no more connections; from any thread.
    void close() noexcept { closing_ = true; }

private:
    int listener_ = -1;
    std::atomic<bool> closing_ = false;
};

}  // namespace proxy
