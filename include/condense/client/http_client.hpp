// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if defined(__unix__)
#include <signal.h>
#endif

#include <curl/curl.h>

#include <condense/core/quantity.hpp>
#include <condense/core/run_options.hpp>
#include <condense/detail/ascii.hpp>

// One HTTP request through libcurl: `send_request({.url = ..., .body = ...})`. The server may be hostile: certificates
// are verified, redirects are not followed, and what it sends is bounded in time and size. None of that can be turned
// off.

namespace condense {
inline namespace v1 {
namespace detail::http {

template <auto Free>
struct deleter {
    void operator()(auto* pointer) const noexcept { Free(pointer); }
};
using easy_handle = std::unique_ptr<CURL, deleter<&curl_easy_cleanup>>;
using header_list = std::unique_ptr<curl_slist, deleter<&curl_slist_free_all>>;
using url_handle = std::unique_ptr<CURLU, deleter<&curl_url_cleanup>>;
using text_handle = std::unique_ptr<char, deleter<&curl_free>>;

/// True where a header can hold the text: no line ends or other control characters.
inline bool fits_header(std::string_view text) noexcept {
    return std::none_of(text.begin(), text.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) < 0x20 && byte != '\t') || byte == 0x7F;
    });
}

/// A message of libcurl, without the user and password of an address such as a proxy's. They may end with the text, as
/// it cuts long ones.
inline std::string without_login(std::string text) {
    auto const end = text.size() + 8 < CURL_ERROR_SIZE ? text.rfind('@') : text.size();
    if (end == text.npos) return text;
    auto begin = text.find("//");
    begin = begin < end ? begin + 2 : text.find_first_of("'\"") + 1;  // 0 if there is none
    if (begin > end) begin = 0;
    return text.replace(begin, end - begin, "[login]");
}

/// Names of headers are equal but for their case.
inline bool is_name(std::string_view name, std::string_view wanted) noexcept {
    return std::equal(name.begin(), name.end(), wanted.begin(), wanted.end(),
                      [](char a, char b) { return lowered(a) == lowered(b); });
}

}  // namespace detail::http

/// Where requests go, or why none may.
struct http_address {
    std::string url = {};
    bool local = false;        ///< on this machine
    std::string problem = {};  ///< quotes nothing of the address

    /// `base` is such as "https://api.openai.com/v1"; `path` is appended unless it ends with that, its query is kept,
    /// and `query` is appended to it. It must be https, or http to localhost, 127.0.0.1 or [::1], and hold no password.
    static http_address of(std::string const& base, std::string_view path = {}, std::string const& query = {}) {
        detail::http::url_handle const parsed{curl_url()};
        auto const part = [&](CURLUPart which) {
            char* text = nullptr;
            if (curl_url_get(parsed.get(), which, &text, 0) != CURLUE_OK) return std::string{};
            detail::http::text_handle const owner{text};
            return std::string{text};
        };
        http_address result;
        auto const read = curl_url_set(parsed.get(), CURLUPART_URL, base.c_str(), 0);
        auto const scheme = read == CURLUE_OK ? part(CURLUPART_SCHEME) : std::string{};
        auto const host = part(CURLUPART_HOST);
        result.local = detail::http::is_name(host, "localhost") || host == "127.0.0.1" || host == "[::1]";
        if (read != CURLUE_OK && read != CURLUE_UNSUPPORTED_SCHEME) result.problem = "the address is malformed";
        else if (scheme != "https" && !(scheme == "http" && result.local))
            result.problem = "the address must be https, or http on this machine";
        else if (!part(CURLUPART_USER).empty() || !part(CURLUPART_PASSWORD).empty())
            result.problem = "the address must not hold a password";
        if (!result.problem.empty()) return result;
        auto full_path = part(CURLUPART_PATH);
        while (full_path.ends_with('/')) full_path.pop_back();
        if (!full_path.ends_with(path)) full_path += path;
        curl_url_set(parsed.get(), CURLUPART_PATH, full_path.c_str(), 0);
        curl_url_set(parsed.get(), CURLUPART_FRAGMENT, nullptr, 0);
        if (!query.empty()) curl_url_set(parsed.get(), CURLUPART_QUERY, query.c_str(), CURLU_APPENDQUERY);
        result.url = part(CURLUPART_URL);
        return result;
    }
};

struct http_request {
    std::string method = "POST";  ///< letters
    std::string url = {};  ///< as `http_address` allows
    std::vector<std::string> headers = {};  ///< "Name: value" each
    std::string body = {};
    std::string ca_file = {};  ///< certificates to trust beside the system's, for a private server
    instant deadline = {detail::u64_limit};  ///< of condense::steady_clock, for all of it
    instant connect_within = {15'000'000'000};
    bytes most = {4u << 20};  ///< of the answer; of its headers as well, and at most 256 KiB of them
};

/// Why there is no whole answer.
enum class http_problem : std::uint8_t {
    none,
    refused,  ///< nothing was sent: the address, a header or the deadline does not allow it
    unreachable,  ///< there is no connection
    untrusted,  ///< the certificate is of another host, or nobody who is trusted has signed it
    broken,  ///< the connection ended before the answer
    late,  ///< the deadline passed
    too_large,
    redirect,  ///< to somewhere else, which is not followed
    unwanted,  ///< the sink returned false
    cancelled,  ///< `stop` returned true
};

struct http_response {
    int status = 0;  ///< 0 without an answer
    std::string body = {};  ///< without what went to the sink; of an error the first 64 KiB
    std::string retry_after = {};  ///< the header of that name
    std::string retry_after_ms = {};  ///< and of this one, which OpenAI sends
    bool events = false;  ///< the answer is a stream, which went to the sink
    http_problem problem = http_problem::none;
    std::string text = {};  ///< what there is to say about the problem

    bool good() const noexcept { return problem == http_problem::none && status >= 200 && status < 300; }
};

namespace detail::http {

using sink = std::function<bool(std::string_view)>;
using stop = std::function<bool()>;

inline constexpr std::size_t most_of_error = 64u << 10;
inline constexpr std::size_t most_of_headers = 256u << 10;

/// State that libcurl's callbacks share with the request. No exception passes through libcurl: it is thrown again
/// behind it.
class transfer {
public:
    transfer(CURL* easy, http_request const& request, instant now, sink const& piece, stop const& stopped) noexcept
        : easy_{easy}, most_{as_size(request.most.count)},
          connects_briefly_{request.connect_within < request.deadline - now}, piece_{piece}, stopped_{stopped} {}

    static std::size_t on_body(char* data, std::size_t, std::size_t size, void* self) noexcept {
        auto& to = *static_cast<transfer*>(self);
        return to.guarded([&] { return to.take({data, size}); }) ? size : 0;
    }
    static std::size_t on_header(char* data, std::size_t, std::size_t size, void* self) noexcept {
        auto& to = *static_cast<transfer*>(self);
        return to.guarded([&] { return to.take_header({data, size}); }) ? size : 0;
    }
    static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
        auto& of = *static_cast<transfer*>(self);
        bool const goes_on = of.guarded([&] {
            if (of.stopped_ && of.stopped_()) of.response_.problem = http_problem::cancelled;
            return of.response_.problem != http_problem::cancelled;
        });
        return goes_on ? 0 : 1;
    }

    http_response finish(CURLcode result, char const* reason) {
#if defined(__cpp_exceptions)
        if (exception_) std::rethrow_exception(exception_);
#endif
        response_.status = status();
        if (!begun_) response_.events = is_stream();
        if (response_.problem == http_problem::none) response_.problem = problem_of(result);
        if (response_.problem != http_problem::none && response_.text.empty())
            response_.text =
                text_of(response_.problem, without_login(*reason != '\0' ? reason : curl_easy_strerror(result)));
        return std::move(response_);
    }

private:
    template <class Function>
    bool guarded(Function const& f) noexcept {
#if defined(__cpp_exceptions)
        try {
            return f();
        } catch (...) { exception_ = std::current_exception(); }
        return false;
#else
        return f();
#endif
    }

    int status() const noexcept {
        long code = 0;
        curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &code);
        return static_cast<int>(code);
    }
    bool connected() const noexcept {
        curl_off_t microseconds = 0;
        curl_easy_getinfo(easy_, CURLINFO_PRETRANSFER_TIME_T, &microseconds);
        return microseconds != 0;
    }
    bool has_status(int hundreds) const noexcept { return status() / 100 == hundreds; }
    bool ends_as(http_problem problem) {
        response_.problem = problem;
        return false;
    }
    bool counts(std::size_t& sum, std::size_t size, std::size_t limit) {
        sum += size;
        return sum <= limit || ends_as(http_problem::too_large);
    }

    bool is_stream() const noexcept {
        char const* type = nullptr;
        curl_easy_getinfo(easy_, CURLINFO_CONTENT_TYPE, &type);
        return piece_ && has_status(2) && type != nullptr && std::string_view{type}.starts_with("text/event-stream");
    }

    bool take(std::string_view data) {
        if (!std::exchange(begun_, true)) response_.events = is_stream();
        if (!has_status(2)) {  // the beginning is enough: what ends the transfer here is no problem
            response_.body.append(data.substr(0, most_of_error - response_.body.size()));
            return response_.body.size() < (std::min)(most_of_error, most_);
        }
        if (!counts(size_, data.size(), most_)) return false;
        if (response_.events) return piece_(data) || ends_as(http_problem::unwanted);
        response_.body.append(data);
        return true;
    }

    bool take_header(std::string_view line) {
        if (!counts(size_of_headers_, line.size(), (std::min)(most_of_headers, most_))) return false;
        auto const colon = line.find(':');
        if (colon == line.npos) return true;
        auto value = line.substr(colon + 1);
        while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
        while (!value.empty() && static_cast<unsigned char>(value.back()) <= ' ') value.remove_suffix(1);
        auto const name = line.substr(0, colon);
        if (is_name(name, "retry-after")) response_.retry_after = value.substr(0, 64);
        if (is_name(name, "retry-after-ms")) response_.retry_after_ms = value.substr(0, 64);
        return true;
    }

    http_problem problem_of(CURLcode result) const noexcept {
        if (has_status(3)) return http_problem::redirect;
        if (status() >= 400) return http_problem::none;  // an error, whole or not
        switch (result) {
            case CURLE_OK: return http_problem::none;
            case CURLE_COULDNT_RESOLVE_HOST:
            case CURLE_COULDNT_RESOLVE_PROXY:
            case CURLE_COULDNT_CONNECT:
            case CURLE_SSL_CONNECT_ERROR: return http_problem::unreachable;
            case CURLE_PEER_FAILED_VERIFICATION:
            case CURLE_SSL_CERTPROBLEM:
            case CURLE_SSL_CACERT_BADFILE:
            case CURLE_SSL_ISSUER_ERROR: return http_problem::untrusted;
            case CURLE_OPERATION_TIMEDOUT:
                return connects_briefly_ && !connected() ? http_problem::unreachable : http_problem::late;
            case CURLE_OUT_OF_MEMORY:  // a header of more than 100 KB, before libcurl 8.6
#if LIBCURL_VERSION_NUM >= 0x080600
            case CURLE_TOO_LARGE:
#endif
                return http_problem::too_large;
            default: return http_problem::broken;
        }
    }
    static std::string text_of(http_problem problem, std::string_view reason) {
        switch (problem) {
            case http_problem::redirect: return "the server redirects, which is not followed";
            case http_problem::too_large: return "the server sent more than an answer may hold";
            case http_problem::cancelled: return "cancelled";
            case http_problem::unwanted: return "the answer was not read to its end";
            case http_problem::late: return "no whole answer came in time";
            case http_problem::broken: return "the answer was cut off: " + std::string{reason};
            default: return std::string{reason};
        }
    }

    CURL* easy_;
    std::size_t most_;
    bool connects_briefly_;  ///< the time to connect ends before the deadline
    sink const& piece_;
    stop const& stopped_;
    http_response response_ = {};
    std::size_t size_ = 0;
    std::size_t size_of_headers_ = 0;  ///< trailers included
    bool begun_ = false;
#if defined(__cpp_exceptions)
    std::exception_ptr exception_ = {};
#endif
};

inline http_response refusal(std::string text) { return {.problem = http_problem::refused, .text = std::move(text)}; }

#if defined(__unix__)
/// Keeps SIGPIPE from this thread for as long as it exists. Without it a server that closes a connection at the wrong
/// moment ends the program where libcurl is older than 7.87 and writes TLS by `write`. CURLOPT_NOSIGNAL, which threads
/// need, keeps libcurl from ignoring that signal itself.
class broken_pipe_guard {
public:
    broken_pipe_guard() noexcept {
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    broken_pipe_guard(broken_pipe_guard const&) = delete;
    broken_pipe_guard& operator=(broken_pipe_guard const&) = delete;
    ~broken_pipe_guard() {
        timespec const none = {};
        while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &none) == -1 && errno == EINTR) {}
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

private:
    sigset_t pipe_ = {};
    sigset_t before_ = {};
    bool was_pending_ = false;
};
#else
class broken_pipe_guard {};
#endif

/// Milliseconds until just behind the deadline, as libcurl takes them.
inline long milliseconds_until(instant deadline, instant now) noexcept {
    constexpr std::uint64_t longest = 0x7FFF'FFFF;
    return static_cast<long>((std::min)((deadline - now).count / 1'000'000 + 1, longest));
}

}  // namespace detail::http

/// Sends the request and waits for the answer. `piece` takes the pieces of an answer with status 2xx that is
/// text/event-stream, and returns false to end it; any other answer is in `body`. `stop` is asked some times a second
/// whether to give up. Opens one connection; proxies of the environment are used for other machines alone. Throws what
/// the two functions throw. May be called by several threads. SIGPIPE is kept from this thread meanwhile, so that a
/// function that writes to a closed pipe gets EPIPE.
inline http_response send_request(http_request const& request, std::function<bool(std::string_view)> const& piece = {},
                                  std::function<bool()> const& stop = {}) {
    namespace http = detail::http;
    static bool const usable = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    [[maybe_unused]] http::broken_pipe_guard const guard;
    http::easy_handle const owner{usable ? curl_easy_init() : nullptr};
    auto* const easy = owner.get();
    if (easy == nullptr) return http::refusal("libcurl cannot be used");
    auto const to = http_address::of(request.url);
    if (!to.problem.empty()) return http::refusal(to.problem);
    auto const now = steady_clock{}();
    if (request.deadline <= now) return http::refusal("the deadline has passed");

    if (request.method.empty() || !std::all_of(request.method.begin(), request.method.end(), detail::is_letter))
        return http::refusal("a method is made of letters");

    http::header_list headers;
    for (auto const& line : request.headers) {
        if (!http::fits_header(line)) return http::refusal("a header must not hold control characters");
        auto* const longer = curl_slist_append(headers.get(), line.c_str());
        if (longer == nullptr) return http::refusal("libcurl cannot be used");
        static_cast<void>(headers.release());
        headers.reset(longer);
    }
    std::array<char, CURL_ERROR_SIZE> reason = {};
    http::transfer transfer{easy, request, now, piece, stop};
    auto const set = [easy](CURLoption option, auto value) { curl_easy_setopt(easy, option, value); };
    set(CURLOPT_URL, to.url.c_str());
    auto const* const scheme = to.url.starts_with("https:") ? "https" : "http";
#if LIBCURL_VERSION_NUM >= 0x075500
    set(CURLOPT_PROTOCOLS_STR, scheme);
#else
    set(CURLOPT_PROTOCOLS, static_cast<long>(std::string_view{scheme} == "https" ? CURLPROTO_HTTPS : CURLPROTO_HTTP));
#endif
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (!request.ca_file.empty()) set(CURLOPT_CAINFO, request.ca_file.c_str());
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    if (to.local) set(CURLOPT_NOPROXY, "*");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, http::milliseconds_until(now + request.connect_within, now));
    set(CURLOPT_TIMEOUT_MS, http::milliseconds_until(request.deadline, now));
    set(CURLOPT_HTTPHEADER, headers.get());
    if (request.method != "GET") {
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
        set(CURLOPT_POSTFIELDS, request.body.c_str());
        if (request.method != "POST") set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    }
    set(CURLOPT_ERRORBUFFER, reason.data());
    set(CURLOPT_WRITEFUNCTION, &http::transfer::on_body);
    set(CURLOPT_WRITEDATA, &transfer);
    set(CURLOPT_HEADERFUNCTION, &http::transfer::on_header);
    set(CURLOPT_HEADERDATA, &transfer);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &http::transfer::on_progress);
    set(CURLOPT_XFERINFODATA, &transfer);
    auto const result = curl_easy_perform(easy);
    return transfer.finish(result, reason.data());
}

}  // namespace v1
}  // namespace condense
