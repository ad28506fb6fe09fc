// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <thread>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <condense/client/http_client.hpp>
#include <condense/core/run_options.hpp>

#include "store/scratch.hpp"

// Servers of models on this machine, which model_server.py plays: by default well-behaved, and hostile by the first
// word of the path. Nothing leaves the machine.

namespace client_tests {

using json = nlohmann::ordered_json;
using namespace condense::literals;

constexpr std::uint64_t millisecond = 1'000'000;
constexpr std::uint64_t second = 1'000 * millisecond;

inline condense::instant now() { return condense::steady_clock{}(); }

/// Runs until the end of the program, or of this.
class server {
public:
    explicit server(std::vector<std::string> const& arguments = {}) {
        int out[2] = {}, in[2] = {};
        REQUIRE(::pipe(out) == 0);
        REQUIRE(::pipe(in) == 0);
        std::vector<std::string> words{"python3", CONDENSE_MODEL_SERVER};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> pointers;
        for (auto& word : words) pointers.push_back(word.data());
        pointers.push_back(nullptr);
        id_ = ::fork();
        REQUIRE(id_ >= 0);
        if (id_ == 0) {
            ::dup2(in[0], 0);
            ::dup2(out[1], 1);
            for (int const end : {in[0], in[1], out[0], out[1]}) ::close(end);
            ::execvp(pointers[0], pointers.data());
            ::_exit(127);
        }
        ::close(in[0]);
        ::close(out[1]);
        input_ = in[1];
        for (char byte = 0; ::read(out[0], &byte, 1) == 1 && byte != '\n';) port_ += byte;
        ::close(out[0]);
        if (port_.empty()) FAIL("these tests need python3: apt-get install python3");
        scheme_ = arguments.empty() ? "http" : "https";
    }
    server(server const&) = delete;
    server& operator=(server const&) = delete;
    ~server() {
        ::close(input_);
        ::waitpid(id_, nullptr, 0);
    }

    std::string url(std::string_view mode, std::string_view host = "127.0.0.1") const {
        return scheme_ + "://" + std::string{host} + ":" + port_ + "/" + std::string{mode} + "/v1";
    }
    /// What came since the last time: [{path, mode, headers, body}].
    json seen() const {
        auto const answer =
            condense::send_request({.method = "GET", .url = scheme_ + "://127.0.0.1:" + port_ + "/seen"});
        REQUIRE(answer.status == 200);
        return json::parse(answer.body);
    }
    /// The same, once there are so many: a client that gives up early may be here before the server has noted it.
    json seen(std::size_t count) const {
        auto all = seen();
        for (int tries = 0; all.size() < count && tries < 500; ++tries) {
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
            for (auto& each : seen()) all.push_back(std::move(each));
        }
        return all;
    }

private:
    ::pid_t id_ = -1;
    int input_ = -1;
    std::string port_, scheme_;
};

/// One for the whole program, which nobody has asked anything yet.
inline server const& fresh_server() {
    static server const one;
    static_cast<void>(one.seen());
    return one;
}

/// A certificate for 127.0.0.1 alone, which nobody vouches for, and its key.
class certificate {
public:
    certificate() {
        auto const command = "openssl req -x509 -newkey rsa:2048 -nodes -keyout '" + key() + "' -out '" + file() +
                             "' -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 2>/dev/null";
        if (std::system(command.c_str()) != 0) FAIL("this test needs openssl: apt-get install openssl");
    }
    std::string file() const { return folder_ / "certificate.pem"; }
    std::string key() const { return folder_ / "key.pem"; }

private:
    scratch::folder folder_;
};

}  // namespace client_tests
