// SPDX-License-Identifier: BSL-1.0

// Bytes of a client on the socket of the example proxy: a request of HTTP within its limits, a refusal, or nothing.
// A request that is taken has one end, and can be sent on as it is.

#include <algorithm>
#include <atomic>

#include <sys/socket.h>
#include <unistd.h>

#include "fuzz/fuzz.hpp"
#include "proxy/server.cpp"

namespace {

bool is_control(char byte) { return (static_cast<unsigned char>(byte) < 0x20 && byte != '\t') || byte == 0x7F; }
bool is_token(std::string_view text) {
    constexpr std::string_view none = "()<>@,;:\\\"/[]?={} \t";
    return !text.empty() && std::none_of(text.begin(), text.end(), [&](char byte) {
        return is_control(byte) || static_cast<unsigned char>(byte) >= 0x80 || none.find(byte) != none.npos;
    });
}

proxy::incoming read(std::string_view bytes, std::uint64_t most) {
    int ends[2] = {};
    fuzz::require(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "there are sockets");
    static std::atomic<bool> const stop = false;
    proxy::incoming asked;
    {
        proxy::connection from{ends[0], std::chrono::seconds{5}, stop};
        fuzz::require(::write(ends[1], bytes.data(), bytes.size()) == static_cast<::ssize_t>(bytes.size()),
                      "a socket takes it");
        ::shutdown(ends[1], SHUT_WR);
        asked = from.read({std::chrono::seconds{5}, most});
    }
    ::close(ends[1]);
    return asked;
}

}  // namespace

fuzz::corpus fuzz::make_corpus() {
    corpus made{.words = listed("server", "words"), .mutations = 20'000};
    made.add("\1", listed("server", "requests"));
    return made;
}

void fuzz::try_input(byte_source bytes) {
    auto const most = bytes.below(200);
    auto const text = bytes.rest();
    if (text.size() > 60'000) return;
    auto const asked = read(text, most);
    if (asked.is_gone || asked.status != 0) {
        require(asked.is_gone || (asked.status >= 400 && asked.status <= 501 && !asked.problem.empty()),
                "it is refused");
        return;
    }
    require(is_token(asked.method) && !asked.target.empty(), "it has a method and a target");
    require(asked.body.size() <= most, "its body is within the limit");
    for (auto const& [name, value] : asked.headers)
        require(is_token(name) && std::none_of(value.begin(), value.end(), is_control), "its headers can be sent on");
    auto const lengths = proxy::count_of(asked.headers, "Content-Length");
    bool const chunked = proxy::count_of(asked.headers, "Transfer-Encoding") != 0;
    require(!(chunked && lengths != 0), "it has one end");
    auto const digits = proxy::value_of(asked.headers, "Content-Length");
    for (auto const& [name, value] : asked.headers)
        require(!proxy::same_name(name, "Content-Length") || value == digits, "its lengths are one");
    require(chunked || asked.body.size() == (lengths == 0 ? 0 : std::stoull(digits)), "its body is as long as it says");
    require(text.find(asked.body) != text.npos || chunked, "its body is what came");
}
