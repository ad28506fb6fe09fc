// SPDX-License-Identifier: BSL-1.0

#include "server.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>

namespace proxy {
namespace {

namespace http = boost::beast::http;

constexpr auto slice = std::chrono::milliseconds{250};  // of a wait, after which the end of the program is looked for
constexpr std::size_t most_of_target = 8'000;  // what RFC 9112, 3, wants to be read of a request line
constexpr std::uint32_t most_of_headers = 64u << 10;
constexpr std::size_t most_headers = 200;
constexpr std::size_t most_waiting = 1'000;  // connections that no thread has taken yet

/// Boost's views of text have changed their type between versions.
std::string copied(auto const& text) { return {text.data(), text.size()}; }

incoming refused(incoming&& asked, int status, std::string problem) {
    asked.status = status;
    asked.problem = std::move(problem);
    return std::move(asked);
}

/// Why headers that are well-formed each are none together, or 0. RFC 9112: 3.2, 6.1.
int framing_problem(incoming const& asked) {
    auto const hosts = count_of(asked.headers, "Host");
    if (hosts > 1 || (hosts == 0 && !asked.is_old)) return 400;
    auto const codings = count_of(asked.headers, "Transfer-Encoding");
    if (codings == 0) return 0;
    if (asked.is_old) return 400;
    return codings == 1 && same_name(value_of(asked.headers, "Transfer-Encoding"), "chunked") ? 0 : 501;
}

incoming refused(incoming&& asked, boost::system::error_code problem, std::string_view unread) {
    if (problem == http::error::body_limit)
        return refused(std::move(asked), 413, "the body of the request is larger than is allowed");
    if (problem == http::error::header_limit)
        return unread.find('\n') > most_of_target ? refused(std::move(asked), 414, "the request line is too long")
                                                  : refused(std::move(asked), 431, "the headers are too large");
    return refused(std::move(asked), 400, "this is no request of HTTP: " + problem.message());
}

}  // namespace

connection::~connection() {
    if (is_open_ && framing_ != framing::none) {  // what was cut must not look whole
        ::linger const now{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    } else {  // what the client still sends is read for a while: closed at once, it might not get to see the answer
        ::shutdown(socket_, SHUT_WR);
        std::array<char, 16384> unread;
        auto const until = clock::now() + std::chrono::seconds{1};
        for (int pieces = 0; pieces < 256 && receive(unread.data(), unread.size(), until) != 0; ++pieces) {}
    }
    ::close(socket_);
}

/// False at the given time, and where the program ends.
bool connection::wait(short events, clock::time_point until) const noexcept {
    while (!stop_) {
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now());
        if (left.count() <= 0) return false;
        ::pollfd watched{.fd = socket_, .events = events, .revents = 0};
        int const ready = ::poll(&watched, 1, static_cast<int>(std::min(left, slice).count()));
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
    }
    return false;
}

/// 0 where nothing comes any more.
std::size_t connection::receive(char* to, std::size_t size, clock::time_point until) {
    while (wait(POLLIN, until)) {
        auto const got = ::recv(socket_, to, size, MSG_DONTWAIT);
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR && errno != EAGAIN) return 0;
    }
    return 0;
}

bool connection::send(std::string_view bytes) {
    auto until = clock::now() + patience_;
    while (is_open_ && !bytes.empty()) {
        auto const sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(sent));
            until = clock::now() + patience_;
        } else if (!(errno == EINTR || (errno == EAGAIN && wait(POLLOUT, until)))) {
            return false;
        }
    }
    return is_open_;
}

bool connection::has_left() const noexcept {
    ::pollfd watched{.fd = socket_, .events = POLLRDHUP, .revents = 0};
    return ::poll(&watched, 1, 0) > 0;
}

incoming connection::read(request_limits const& limits) {
    incoming asked;
    http::request_parser<http::string_body> parser;
    parser.header_limit(most_of_headers);
    parser.body_limit(limits.body);
    std::string held;  // what came and the parser has not taken
    auto const until = clock::now() + limits.patience;
    auto piece = std::make_unique<std::array<char, 65536>>();
    bool is_begun = false;
    bool has_headers = false;
    while (!parser.is_done()) {
        if (!is_begun && held.size() >= 2) {
            if (held.starts_with("\r\n")) held.erase(0, 2);  // RFC 9112, 2.2
            is_begun = true;
        }
        boost::system::error_code problem;
        auto const taken = held.empty() || !is_begun ? 0 : parser.put(boost::asio::buffer(held), problem);
        if (problem && problem != http::error::need_more) return refused(std::move(asked), problem, held);
        held.erase(0, taken);
        if (parser.is_header_done() && !std::exchange(has_headers, true)) {
            auto const& request = parser.get();
            asked.is_old = request.version() < 11;
            asked.method = copied(request.method_string());
            asked.target = copied(request.target());
            for (auto const& field : request)
                asked.headers.emplace_back(copied(field.name_string()), copied(field.value()));
            if (asked.target.size() > most_of_target)
                return refused(std::move(asked), 414, "the request line is too long");
            if (asked.headers.size() > most_headers)
                return refused(std::move(asked), 431, "there are too many headers");
            if (auto const status = framing_problem(asked); status != 0)
                return refused(std::move(asked), status, "its headers do not say where the request ends, or for whom");
            parser.eager(true);
            if (!asked.is_old && same_name(value_of(asked.headers, "Expect"), "100-continue") && !parser.is_done() &&
                held.empty())
                send("HTTP/1.1 100 Continue\r\n\r\n");
            continue;
        }
        if (taken != 0) continue;
        if (held.size() > most_of_headers) return refused(std::move(asked), 400, "a line in the body is too long");
        auto const got = receive(piece->data(), piece->size(), until);
        if (got == 0) {
            bool const late = !stop_ && clock::now() >= until;
            if (late) return refused(std::move(asked), 408, "the request did not come in time");
            asked.is_gone = true;
            return asked;
        }
        held.append(piece->data(), got);
    }
    asked.body = std::move(parser.get().body());
    return asked;
}

bool connection::begin(incoming const& asked, int status, header_list const& headers,
                       std::optional<std::uint64_t> length) {
    auto head = "HTTP/1.1 " + std::to_string(status) + " ";
    head += copied(http::obsolete_reason(http::int_to_status(static_cast<unsigned>(status)))) + "\r\n";
    for (auto const& [name, value] : headers) head.append(name).append(": ").append(value).append("\r\n");
    bool const has_body = asked.method != "HEAD" && status != 204 && status != 304;
    framing_ = !has_body ? framing::none : length ? framing::length : asked.is_old ? framing::close : framing::chunks;
    left_ = length.value_or(0);
    if (length && status != 204) head += "Content-Length: " + std::to_string(*length) + "\r\n";
    if (framing_ == framing::chunks) head += "Transfer-Encoding: chunked\r\n";
    has_begun_ = true;
    return is_open_ = send(head + "Connection: close\r\n\r\n");
}

bool connection::write(std::string_view piece) {
    if (piece.empty() || framing_ == framing::none) return is_open_;
    if (framing_ == framing::length) {
        if (piece.size() > left_) return false;
        left_ -= piece.size();
        return send(piece);
    }
    if (framing_ == framing::close) return send(piece);
    std::array<char, 32> size;
    auto const digits = std::snprintf(size.data(), size.size(), "%zx\r\n", piece.size());
    return send({size.data(), static_cast<std::size_t>(digits)}) && send(piece) && send("\r\n");
}

void connection::end() {
    if (framing_ == framing::length && left_ != 0) return;
    if (framing_ == framing::chunks && !send("0\r\n\r\n")) return;
    framing_ = framing::none;
}

void connection::answer(incoming const& asked, int status, header_list headers, std::string_view body) {
    if (begin(asked, status, headers, body.size()) && write(body)) end();
}

server::~server() {
    if (listener_ >= 0) ::close(listener_);
}

std::optional<int> server::listen(std::string const& host, int port) {
    ::addrinfo wanted = {};
    wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    ::addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) return std::nullopt;
    std::unique_ptr<::addrinfo, decltype([](::addrinfo* all) { ::freeaddrinfo(all); })> const owner{found};
    for (auto const* each = found; each != nullptr && listener_ < 0; each = each->ai_next) {
        int const tried = ::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol);
        int const yes = 1;
        if (tried < 0) continue;
        ::setsockopt(tried, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        if (::bind(tried, each->ai_addr, each->ai_addrlen) == 0 && ::listen(tried, SOMAXCONN) == 0) listener_ = tried;
        else ::close(tried);
    }
    ::sockaddr_storage name{};
    ::socklen_t size = sizeof name;
    if (listener_ < 0 || ::getsockname(listener_, reinterpret_cast<::sockaddr*>(&name), &size) != 0)
        return std::nullopt;
    auto const big_endian = name.ss_family == AF_INET6 ? reinterpret_cast<::sockaddr_in6 const&>(name).sin6_port
                                                       : reinterpret_cast<::sockaddr_in const&>(name).sin_port;
    return ntohs(big_endian);
}

void server::run(std::size_t threads, std::function<void(int)> const& serve) {
    std::mutex mutex;
    std::condition_variable came;
    std::deque<int> waiting;
    bool ends = false;
    auto const work = [&] {
        while (true) {
            std::unique_lock lock{mutex};
            came.wait(lock, [&] { return ends || !waiting.empty(); });
            if (waiting.empty()) return;
            int const next = waiting.front();
            waiting.pop_front();
            lock.unlock();
            serve(next);
        }
    };
    std::vector<std::thread> workers;
    while (workers.size() < threads) workers.emplace_back(work);
    while (!closing_) {
        ::pollfd watched{.fd = listener_, .events = POLLIN, .revents = 0};
        if (::poll(&watched, 1, static_cast<int>(slice.count())) <= 0) continue;
        int const next = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (next < 0) {  // such as where there are no more files
            if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
                std::this_thread::sleep_for(std::chrono::milliseconds{50});
            continue;
        }
        int const yes = 1;
        ::setsockopt(next, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        std::lock_guard const lock{mutex};
        if (waiting.size() < most_waiting) waiting.push_back(next);
        else ::close(next);
        came.notify_one();
    }
    {
        std::lock_guard const lock{mutex};
        ends = true;
    }
    came.notify_all();
    for (auto& worker : workers) worker.join();
}

}  // namespace proxy
