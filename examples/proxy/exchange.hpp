// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <curl/curl.h>

#include "headers.hpp"

// One request to the provider and its answer, through libcurl, driven by the thread that needs it: whoever wants more
// of the answer calls `work`, so a client that reads slowly slows the provider down, and nothing piles up in between.

namespace proxy {

struct outgoing {
    std::string method = {};
    std::string url = {};
    header_list headers = {};
    std::string body = {};
    bool local = false;  ///< to this machine: no proxy of the environment is asked
    long silence = 600;  ///< seconds without a byte after which it is given up
};

class exchange {
    template <auto Free>
    struct freed {
        void operator()(auto* held) const noexcept { Free(held); }
    };

public:
    /// `stop` ends it early.
    exchange(outgoing what, std::atomic<bool> const& stop)
        : what_{std::move(what)}, stop_{stop}, easy_{curl_easy_init()} {
        for (auto const& [name, value] : what_.headers) add_header(value.empty() ? name + ";" : name + ": " + value);
        // What libcurl would add by itself.
        for (auto const* const name : {"Accept", "Content-Type", "Expect", "User-Agent"}) {
            bool given = false;
            for (auto const& each : what_.headers) given = given || same_name(each.first, name);
            if (!given) add_header(std::string{name} + ":");
        }
        if (easy_ && connections() != nullptr) set_up();
        else end("libcurl cannot be used");
    }
    exchange(exchange const&) = delete;
    exchange& operator=(exchange const&) = delete;
    ~exchange() {
        if (joined_) curl_multi_remove_handle(connections(), easy_.get());
    }

    /// Lets libcurl work until something has come, or for a quarter of a second.
    void work() {
        if (stop_) return end("the proxy is being stopped");
        auto const before = body.size();
        auto const had_begun = begun_;
        for (bool waited = false; !ended_; waited = true) {
            int running = 0;
            if (curl_multi_perform(connections(), &running) != CURLM_OK) return end("libcurl cannot go on");
            if (running == 0) return end(result());
            if (waited || body.size() != before || begun_ != had_begun) return;
            curl_multi_poll(connections(), nullptr, 0, 250, nullptr);
        }
    }
    /// The status and the headers have come.
    bool begun() const noexcept { return begun_; }
    bool ended() const noexcept { return ended_; }
    /// Why it ended before its time; empty where it is whole.
    std::string const& problem() const noexcept { return problem_; }
    int status() const noexcept {
        long code = 0;
        curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &code);
        return static_cast<int>(code);
    }
    header_list const& headers() const noexcept { return headers_; }
    /// Of the body, where the answer says it and does not come in chunks.
    std::optional<std::uint64_t> length() const noexcept { return is_chunked_ ? std::nullopt : length_; }

    std::string body = {};  ///< what has come and nobody has taken

private:
    static constexpr std::size_t most_of_headers = 256u << 10;

    /// Of this thread, so that its next request finds the connection open.
    static CURLM* connections() {
        static auto const ready = curl_global_init(CURL_GLOBAL_DEFAULT);
        thread_local std::unique_ptr<CURLM, freed<&curl_multi_cleanup>> const all{ready == CURLE_OK ? curl_multi_init()
                                                                                                    : nullptr};
        return all.get();
    }

    void add_header(std::string const& line) {
        if (auto* const longer = curl_slist_append(lines_.get(), line.c_str())) {
            static_cast<void>(lines_.release());
            lines_.reset(longer);
        }
    }

    void set_up() {
        auto* const easy = easy_.get();
        curl_easy_setopt(easy, CURLOPT_URL, what_.url.c_str());
        curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
#if LIBCURL_VERSION_NUM >= 0x075500
        curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
        curl_easy_setopt(easy, CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
        curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
        curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
        curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        if (what_.local) curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
        curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, 15L);
        curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
        curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, what_.silence);
        if (what_.method == "HEAD") curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
        else {
            if (!what_.body.empty() || what_.method.starts_with('P')) {  // POST, PUT and PATCH say their length
                curl_easy_setopt(easy, CURLOPT_POSTFIELDS, what_.body.c_str());
                curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(what_.body.size()));
            }
            curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, what_.method.c_str());
        }
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, lines_.get());
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_body);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
        curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &on_header);
        curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
        joined_ = curl_multi_add_handle(connections(), easy) == CURLM_OK;
        if (!joined_) end("libcurl cannot be used");
    }

    static std::size_t on_body(char* data, std::size_t, std::size_t size, void* to) noexcept {
        static_cast<exchange*>(to)->body.append(data, size);
        return size;
    }
    static std::size_t on_header(char* data, std::size_t, std::size_t size, void* to) noexcept {
        return static_cast<exchange*>(to)->take_header({data, size}) ? size : 0;
    }
    bool take_header(std::string_view line) {
        size_of_headers_ += line.size();
        if (size_of_headers_ > most_of_headers) return false;
        if (begun_) return true;  // a trailer
        while (line.ends_with('\r') || line.ends_with('\n')) line.remove_suffix(1);
        auto const colon = line.find(':');
        if (line.starts_with("HTTP/")) {  // also after an interim answer
            headers_.clear();
            length_.reset();
            is_chunked_ = false;
        } else if (line.empty()) begun_ = status() >= 200;
        else if (colon != line.npos && colon != 0) {
            auto const name = line.substr(0, colon);
            auto value = line.substr(colon + 1);
            while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
            while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
            if (!std::all_of(name.begin(), name.end(), is_of_name) ||
                std::any_of(value.begin(), value.end(), is_control))
                return true;  // not one that a client could read
            if (same_name(name, "Transfer-Encoding")) is_chunked_ = true;
            if (same_name(name, "Content-Length")) return take_length(value);
            headers_.emplace_back(name, value);
        }
        return true;
    }
    /// RFC 9112, 6.3: lengths that differ, or are none, leave nothing of the answer that can be trusted.
    bool take_length(std::string_view digits) {
        std::uint64_t length = 0;
        auto const [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
        bool const is_one = problem == std::errc{} && end == digits.data() + digits.size() && !digits.empty();
        if (is_one && (!length_ || *length_ == length)) length_ = length;
        else refusal_ = "the answer's length is not to be trusted";
        return refusal_.empty();
    }
    /// RFC 9110, 5.6.2.
    static bool is_of_name(char byte) noexcept {
        return is_letter(byte) || is_digit(byte) ||
               std::string_view{"!#$%&'*+-.^_`|~"}.find(byte) != std::string_view::npos;
    }
    static bool is_control(char byte) noexcept {
        return (static_cast<unsigned char>(byte) < 0x20 && byte != '\t') || byte == 0x7F;
    }

    /// Why libcurl ended; empty for no reason.
    std::string result() const {
        int left = 0;
        while (auto const* const message = curl_multi_info_read(connections(), &left))
            if (message->msg == CURLMSG_DONE && message->easy_handle == easy_.get())
                return message->data.result == CURLE_OK ? std::string{} : curl_easy_strerror(message->data.result);
        return "the transfer has no result";
    }
    void end(std::string problem) {
        ended_ = true;
        problem_ = refusal_.empty() ? std::move(problem) : refusal_;
        if (!begun_ && problem_.empty()) problem_ = "the answer has no status";
    }

    outgoing what_;
    std::atomic<bool> const& stop_;
    std::unique_ptr<curl_slist, freed<&curl_slist_free_all>> lines_;
    std::unique_ptr<CURL, freed<&curl_easy_cleanup>> easy_;
    header_list headers_ = {};
    std::size_t size_of_headers_ = 0;
    std::string problem_ = {};
    std::string refusal_ = {};  ///< why the answer is not taken
    std::optional<std::uint64_t> length_ = {};
    bool is_chunked_ = false;
    bool joined_ = false;
    bool begun_ = false;
    bool ended_ = false;
};

}  // namespace proxy
