// SPDX-License-Identifier: BSL-1.0
#include <condense/client/http_client.hpp>

#include <csignal>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "client/server.hpp"

namespace {

using namespace client_tests;
using condense::http_address, condense::http_problem, condense::http_request, condense::instant, condense::send_request;

instant from_now(std::uint64_t milliseconds) { return now() + instant{milliseconds * millisecond}; }

/// What a call takes, in milliseconds.
template <class Function>
std::uint64_t time_of(Function const& f) {
    auto const start = now();
    f();
    return (now() - start).count / millisecond;
}

/// A port of this machine that takes connections and says nothing.
class silent_port {
public:
    silent_port() : socket_{::socket(AF_INET, SOCK_STREAM, 0)} {
        sockaddr_in address = {};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        ::socklen_t size = sizeof address;
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        REQUIRE(::bind(socket_, any, size) == 0);
        REQUIRE(::listen(socket_, 16) == 0);
        REQUIRE(::getsockname(socket_, any, &size) == 0);
        url = "https://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/";
    }
    silent_port(silent_port const&) = delete;
    silent_port& operator=(silent_port const&) = delete;
    ~silent_port() { ::close(socket_); }

    std::string url;

private:
    int socket_;
};

}  // namespace

TEST_CASE("an address is https, or http to this machine", "[client]") {
    for (auto const* const base :
         {"https://api.openai.com/v1", "http://localhost:11434/v1", "http://127.0.0.1/", "http://[::1]:8080/x"})
        CHECK(http_address::of(base).problem.empty());
    for (auto const* const base :
         {"http://api.openai.com/v1", "http://127.0.0.1.evil.example/", "http://localhost.evil.example/",
          "ftp://localhost/", "file:///etc/passwd", "localhost/v1", "", "https://", "https://a b/", "https://a\r\nb/",
          "http://192.0.2.1/", "http://localhost@evil.example/", "https://user:secret@127.0.0.1/",
          "https://user@host/"}) {
        auto const address = http_address::of(base);
        CHECK_FALSE(address.problem.empty());
        CHECK(address.url.empty());
        CHECK(address.problem.find("secret") == std::string::npos);
    }
    CHECK(http_address::of("https://h/v1/", "/chat/completions").url == "https://h/v1/chat/completions");
    CHECK(http_address::of("https://h/v1/chat/completions", "/chat/completions").url ==
          "https://h/v1/chat/completions");
    CHECK(http_address::of("https://h/d?api-version=1#x", "/p").url == "https://h/d/p?api-version=1");
    CHECK(http_address::of("https://h/d?a=1", "/p", "alt=sse").url == "https://h/d/p?a=1&alt=sse");
    CHECK(http_address::of("http://localhost/").local);
    CHECK(http_address::of("http://LocalHost:1/").local);
    CHECK_FALSE(http_address::of("https://localhost.example/").local);
    for (auto const* const base : {"", "https://", "localhost/v1", "http://localhost:99999/", "https://a b/"})
        CHECK(http_address::of(base).problem == "the address is malformed");
    for (auto const* const base : {"http://example.invalid/", "ftp://localhost/", "foo://localhost/"})
        CHECK(http_address::of(base).problem == "the address must be https, or http on this machine");
}

TEST_CASE("an answer comes back with the headers that count, and no redirect is followed", "[client]") {
    auto const& local = fresh_server();
    auto const answer = send_request({.url = local.url("echo"), .headers = {"X-Mine: yes"}, .body = "{\"a\":1}"});
    CHECK(answer.good());
    CHECK(answer.body == "here");
    CHECK(answer.retry_after == "7");
    CHECK(answer.retry_after_ms.empty());
    auto const seen = local.seen();
    REQUIRE(seen.size() == 1);
    CHECK(seen[0]["headers"]["x-mine"] == "yes");
    CHECK(seen[0]["body"]["a"] == 1);
    auto const error = send_request({.url = local.url("echo-500"), .body = "{}"});
    CHECK(error.status == 500);
    CHECK(error.problem == http_problem::none);
    CHECK(error.body == "here");
    static_cast<void>(local.seen());
    auto const elsewhere = send_request({.url = local.url("elsewhere"), .body = "{}"});
    CHECK(elsewhere.problem == http_problem::redirect);
    CHECK(elsewhere.status == 302);
    CHECK(local.seen().size() == 1);
}

TEST_CASE("what may not be sent is not", "[client]") {
    auto const& local = fresh_server();
    auto const url = local.url("echo");
    http_request const requests[] = {
        {.url = "http://example.invalid/"},
        {.method = "PUT /x HTTP/1.1\r\nX-Evil: 1", .url = url},
        {.method = "", .url = url},
        {.url = url, .headers = {"X-One: a\r\nX-Two: b"}},
        {.url = url, .headers = {std::string{"X-One: a\0b", 10}}},
        {.url = url, .deadline = {1}},
    };
    for (auto const& request : requests) {
        auto const answer = send_request(request);
        CHECK(answer.problem == http_problem::refused);
        CHECK_FALSE(answer.text.empty());
        CHECK_FALSE(answer.good());
    }
    CHECK(local.seen().empty());
}

TEST_CASE("an answer is bounded in size", "[client]") {
    auto const& local = fresh_server();
    for (auto const* const mode : {"endlessbody", "endlessheaders", "endlessjson"}) {
        CAPTURE(mode);
        auto const answer = send_request({.url = local.url(mode), .body = "{}", .most = {100'000}});
        CHECK(answer.problem == http_problem::too_large);
        CHECK(answer.body.size() <= 100'000);
    }
    auto const error = send_request({.url = local.url("endlesserror"), .body = "{}"});
    CHECK(error.status == 500);
    CHECK(error.problem == http_problem::none);
    CHECK(error.body.size() == 65'536);
    std::size_t size = 0;
    auto const count = [&](std::string_view piece) {
        size += piece.size();
        return true;
    };
    CHECK(send_request({.url = local.url("endlessevents"), .body = "{}", .most = {100'000}}, count).problem ==
          http_problem::too_large);
    CHECK(size > 10'000);
    CHECK(size <= 100'000);
    // One header is, by libcurl itself; a large answer may have trailers.
    CHECK(send_request({.url = local.url("longheader-90000"), .body = "{}"}).good());
    CHECK(send_request({.url = local.url("longheader-150000"), .body = "{}"}).problem == http_problem::too_large);
    auto const answer = send_request({.url = local.url("trailer-400000"), .body = "{}"});
    CHECK(answer.text.empty());
    CHECK(answer.good());
    CHECK(answer.body.size() == 400'000);
    CHECK(http_request{}.most == condense::bytes{4u << 20});
}

TEST_CASE("an answer is bounded in time; whoever does not connect is unreachable, unless the deadline came first",
          "[client]") {
    auto const& local = fresh_server();
    for (auto const* const mode : {"slow-30", "stalls"}) {
        CAPTURE(mode);
        auto const time = time_of([&] {
            auto const answer = send_request({.url = local.url(mode),
                                              .body = "{}",
                                              .deadline = from_now(1'000),
                                              .connect_within = {800 * millisecond}});
            CHECK(answer.problem == http_problem::late);
        });
        CHECK(time >= 900);
        CHECK(time < 5'000);
    }
    silent_port const silent;
    certificate const own;  // where the system has no list of its own, nothing is connected to without one
    auto const call = [&](std::uint64_t deadline, std::uint64_t connect_within) {
        return send_request({.url = silent.url,
                             .body = "{}",
                             .ca_file = own.file(),
                             .deadline = from_now(deadline),
                             .connect_within = {connect_within * millisecond}})
            .problem;
    };
    CHECK(call(30'000, 100) == http_problem::unreachable);
    CHECK(call(100, 30'000) == http_problem::late);
}

TEST_CASE("a call can be given up, and its exceptions pass through", "[client]") {
    auto const& local = fresh_server();
    auto const start = now();
    auto const time = time_of([&] {
        auto const answer = send_request({.url = local.url("slow-30"), .body = "{}"}, {},
                                         [&] { return start + instant{200 * millisecond} < now(); });
        CHECK(answer.problem == http_problem::cancelled);
    });
    CHECK(time < 5'000);
    auto const throws = [](auto...) -> bool { throw std::runtime_error{"of the program"}; };
    CHECK_THROWS_AS(send_request({.url = local.url("slow-1"), .body = "{}"}, {}, throws), std::runtime_error);
    CHECK_THROWS_AS(send_request({.url = local.url("stalls"), .body = "{}"}, throws), std::runtime_error);
    auto const enough = [](std::string_view) { return false; };
    CHECK(send_request({.url = local.url("stalls"), .body = "{}"}, enough).problem == http_problem::unwanted);
}

TEST_CASE("a broken pipe in a call does not end the program", "[client]") {
    auto const& local = fresh_server();
    auto* const earlier = std::signal(SIGPIPE, SIG_DFL);
    auto const is_pending = [] {
        sigset_t pending;
        sigpending(&pending);
        return sigismember(&pending, SIGPIPE) == 1;
    };
    // As an older libcurl writes to a connection that the server has closed.
    int error = 0;
    auto const breaks = [&](std::string_view) {
        int ends[2] = {};
        REQUIRE(::pipe(ends) == 0);
        ::close(ends[0]);
        error = ::write(ends[1], "x", 1) == -1 ? errno : 0;
        ::close(ends[1]);
        return false;
    };
    auto const call = [&] { return send_request({.url = local.url("stalls"), .body = "{}"}, breaks).problem; };
    CHECK(call() == http_problem::unwanted);
    CHECK(error == EPIPE);
    CHECK_FALSE(is_pending());
    sigset_t pipe, before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    CHECK(sigismember(&before, SIGPIPE) == 0);  // as it was
    ::pthread_kill(::pthread_self(), SIGPIPE);
    CHECK(call() == http_problem::unwanted);
    REQUIRE(is_pending());  // that of the program
    int signal = 0;
    CHECK(sigwait(&pipe, &signal) == 0);
    CHECK(signal == SIGPIPE);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    std::signal(SIGPIPE, earlier);
}

TEST_CASE("a broken connection and none at all are told apart", "[client]") {
    auto const& local = fresh_server();
    CHECK(send_request({.url = local.url("cutbody"), .body = "{}"}).problem == http_problem::broken);
    CHECK(send_request({.url = local.url("drop-9"), .body = "{}"}).problem == http_problem::broken);
    CHECK(send_request({.url = "http://127.0.0.1:1/", .body = "{}"}).problem == http_problem::unreachable);
    // Longer than a name may be, so that nobody is asked for it.
    auto const nobody = "https://" + std::string(64, 'x') + ".invalid/";
    CHECK(send_request({.url = nobody, .body = "{}"}).problem == http_problem::unreachable);
}

TEST_CASE("certificates are verified", "[client]") {
    certificate const own;
    server const safe{{own.file(), own.key()}};
    auto const refused = send_request({.url = safe.url("echo"), .body = "{}"});
    CHECK(refused.problem == http_problem::untrusted);
    CHECK(refused.status == 0);
    auto const trusted = send_request({.url = safe.url("echo"), .body = "{}", .ca_file = own.file()});
    CHECK(trusted.good());
    CHECK(trusted.body == "here");
    // The certificate is for 127.0.0.1, not for this name.
    auto const other = send_request({.url = safe.url("echo", "localhost"), .body = "{}", .ca_file = own.file()});
    CHECK(other.problem == http_problem::untrusted);
    CHECK(send_request({.url = safe.url("echo"), .body = "{}", .ca_file = own.key() + ".none"}).problem ==
          http_problem::untrusted);
    certificate const another;
    CHECK(send_request({.url = safe.url("echo"), .body = "{}", .ca_file = another.file()}).problem ==
          http_problem::untrusted);
}

TEST_CASE("no error quotes the password of a proxy, and none comes between this machine and itself", "[client]") {
    for (auto const& proxy : {std::string{"foo://user:secretpw@host"}, std::string{"http://user:secret/pw@h ost:1"},
                              "foo://user:secretpw" + std::string(400, 'x') + "@host"}) {
        ::setenv("https_proxy", proxy.c_str(), 1);
        auto const answer = send_request({.url = "https://example.invalid/", .body = "{}"});
        ::unsetenv("https_proxy");
        CAPTURE(answer.text);
        CHECK_FALSE(answer.good());
        CHECK_FALSE(answer.text.empty());
        CHECK(answer.text.find("secret") == std::string::npos);
    }
    CHECK(condense::detail::http::without_login("no 'foo://a:b@c@host' here") == "no 'foo://[login]@host' here");
    CHECK(condense::detail::http::without_login("no 'a:b@host'") == "no '[login]@host'");
    CHECK(condense::detail::http::without_login("cannot connect to host") == "cannot connect to host");
    auto const& local = fresh_server();
    ::setenv("http_proxy", "http://127.0.0.1:1/", 1);
    ::setenv("ALL_PROXY", "http://127.0.0.1:1/", 1);
    auto const answer = send_request({.url = local.url("echo"), .body = "{}"});
    ::unsetenv("http_proxy");
    ::unsetenv("ALL_PROXY");
    CHECK(answer.good());
}
