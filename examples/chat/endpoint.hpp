// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <curl/curl.h>

#include "address.hpp"
#include "completion.hpp"
#include "events.hpp"
#include "interrupt.hpp"
#include "model.hpp"
#include "terminal.hpp"

// An OpenAI-compatible server, through libcurl. The server may be hostile: its certificate is verified,
// it sends nobody elsewhere, and what it sends is bounded in time and size.

namespace repl {

struct endpoint_settings {
    std::string url = {};  ///< such as https://api.openai.com/v1
    std::string model = {};
    std::string key = {};  ///< sent over https or to this machine only, and never printed
    json tools = {};
    bool stream = true;
    long seconds = 300;  ///< for one answer
};

class endpoint {
    template <auto Free>
    struct freed {
        void operator()(auto* held) const noexcept { Free(held); }
    };
    using handle = std::unique_ptr<CURL, freed<&curl_easy_cleanup>>;
    using list = std::unique_ptr<curl_slist, freed<&curl_slist_free_all>>;

public:
    explicit endpoint(endpoint_settings settings) : settings_{std::move(settings)}, there_{address_of(settings_.url)} {
        static auto const ready = curl_global_init(CURL_GLOBAL_DEFAULT);
        if (ready != CURLE_OK) problem_ = "libcurl cannot be used";
        else problem_ = there_.problem;
        if (there_.scheme != "https" && !there_.local && !settings_.key.empty())
            problem_ = "a key is sent over https only, or to this machine";
        for (char const byte : settings_.key)
            if (byte <= 0x20 || byte == 0x7F) problem_ = "OPENAI_API_KEY holds what no key holds";
    }

    /// Why there can be no request; empty where there can.
    std::string const& problem() const noexcept { return problem_; }

    reply operator()(json::array_t const& messages, sink const& piece) const {
        handle const easy{curl_easy_init()};
        if (!easy || !problem_.empty()) return failed(0, easy ? problem_ : "libcurl cannot be used");
        auto const body = request(messages).dump(-1, ' ', false, json::error_handler_t::replace);
        interruptible const ctrl_c;
        transfer going{easy.get(), &piece, &ctrl_c};
        auto const headers = headers_for();
        set_up(easy.get(), body, headers.get(), going);
        auto const result = curl_easy_perform(easy.get());
        auto made = outcome(going, result);
        hide_key(made.error.text);
        return made;
    }

private:
    static constexpr std::size_t most_bytes = 4u << 20;  ///< of one answer, headers included
    static constexpr std::size_t most_of_error = 64u << 10;

    /// What libcurl's callbacks share with the request.
    struct transfer {
        CURL* easy;
        sink const* piece;
        interruptible const* ctrl_c;
        completion answer = {};
        event_reader events = {};
        std::string body = {};  ///< of an error, or of an answer that is no stream
        std::string problem = {};
        std::size_t bytes = 0;
        bool begun = false;  ///< some of the body has come, and all headers
        bool streams = false;
        std::array<char, CURL_ERROR_SIZE> reason = {};

        long status() const noexcept {
            long code = 0;
            curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &code);
            return code;
        }
        bool good() const noexcept { return status() >= 200 && status() < 300; }

        bool count(std::size_t size) {
            bytes += size;
            if (bytes > most_bytes) problem = "the server sent more than an answer may hold";
            return bytes <= most_bytes;
        }

        bool take(std::string_view given) {
            if (!count(given.size())) return false;
            if (!begun) {
                begun = true;
                char const* type = nullptr;
                curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
                streams = good() && type != nullptr && std::string_view{type}.starts_with("text/event-stream");
            }
            if (!streams) {
                body.append(given);
                return good() || body.size() <= most_of_error;
            }
            if (events.feed(given, [&](std::string_view data) { answer.add_event(data, *piece); })) return true;
            problem = "the server sent an event that is too large";
            return false;
        }
    };

    static std::size_t on_body(char* data, std::size_t, std::size_t size, void* to) noexcept {
        return static_cast<transfer*>(to)->take({data, size}) ? size : 0;
    }
    static std::size_t on_header(char*, std::size_t, std::size_t size, void* to) noexcept {
        return static_cast<transfer*>(to)->count(size) ? size : 0;
    }
    static int on_progress(void* of, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
        return static_cast<transfer*>(of)->ctrl_c->interrupted() ? 1 : 0;
    }

    json request(json::array_t const& messages) const {
        auto body = json::object({{"model", settings_.model}, {"messages", messages}});
        if (!settings_.tools.empty()) body["tools"] = settings_.tools;
        body["stream"] = settings_.stream;
        if (settings_.stream) body["stream_options"] = json::object({{"include_usage", true}});
        return body;
    }

    list headers_for() const {
        list all;
        auto const add = [&](std::string const& line) {
            if (auto* const longer = curl_slist_append(all.get(), line.c_str())) {
                static_cast<void>(all.release());
                all.reset(longer);
            }
        };
        add("Content-Type: application/json");
        add("Expect:");  // libcurl would wait for the server's leave to send much
        if (!settings_.key.empty()) add("Authorization: Bearer " + settings_.key);
        return all;
    }

    void set_up(CURL* easy, std::string const& body, curl_slist* headers, transfer& going) const {
        curl_easy_setopt(easy, CURLOPT_URL, there_.url.c_str());
#if LIBCURL_VERSION_NUM >= 0x075500
        curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, there_.scheme.c_str());
#else
        curl_easy_setopt(easy, CURLOPT_PROTOCOLS,
                         static_cast<long>(there_.scheme == "https" ? CURLPROTO_HTTPS : CURLPROTO_HTTP));
#endif
        curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
        curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
        curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
        if (there_.local) curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
        curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, 15L);
        curl_easy_setopt(easy, CURLOPT_TIMEOUT, settings_.seconds);
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.c_str());
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
        curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, going.reason.data());
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_body);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &going);
        curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &on_header);
        curl_easy_setopt(easy, CURLOPT_HEADERDATA, &going);
        curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
        curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, &on_progress);
        curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &going);
    }

    static reply outcome(transfer& going, CURLcode result) {
        auto const status = static_cast<int>(going.status());
        if (result == CURLE_ABORTED_BY_CALLBACK) return failed(status, "cancelled");
        if (!going.problem.empty()) return failed(status, std::move(going.problem));
        if (status >= 300 && status < 400) return failed(status, "the server redirects, which is not followed");
        if (status != 0 && !going.good()) return failed(status, error_text(going.body));  // also where it was cut
        if (result != CURLE_OK)
            return failed(status, going.reason[0] != '\0' ? going.reason.data() : curl_easy_strerror(result));
        if (going.streams)
            going.events.finish([&](std::string_view data) { going.answer.add_event(data, *going.piece); });
        else going.answer.add_body(going.body, *going.piece);
        return std::move(going.answer).finish(status);
    }

    /// Some servers quote the key that they do not like.
    void hide_key(std::string& text) const {
        for (std::size_t at = 0; !settings_.key.empty() && (at = text.find(settings_.key, at)) != text.npos;)
            text.replace(at, settings_.key.size(), "[key]");
    }

    endpoint_settings settings_;
    address there_;
    std::string problem_;
};

}  // namespace repl
