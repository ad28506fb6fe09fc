// SPDX-License-Identifier: BSL-1.0

// How does an agent in any language get its conversations reduced?
// proxy --forward https://api.openai.com, then its base URL is http://127.0.0.1:8080/v1; `proxy --help` lists the
// options, `proxy/` holds its parts. Requests for chat are reduced, all else passes as it is, and so do all answers.

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <httplib.h>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>

#include "command_line.hpp"
#include "proxy/address.hpp"
#include "proxy/conversations.hpp"
#include "proxy/exchange.hpp"

namespace {

using proxy::exchange;

struct settings {
    std::string listen = "127.0.0.1:8080";
    std::string forward = {};
    std::string mix = "recommended";
    std::optional<std::uint64_t> window = {};
    std::uint64_t body = 64;      ///< megabytes
    std::uint64_t silence = 600;  ///< seconds
    std::uint64_t patience = 60;  ///< seconds
    std::uint64_t threads = 32;
    bool is_public = false;
    bool alternate = false;
    bool drop_bound = false;
    std::string host = {};
    int port = 0;
    proxy::address to = {};
};

/// Splits HOST:PORT; why it cannot be listened on, or nothing.
std::string find_host(settings& chosen) {
    auto const colon = chosen.listen.rfind(':');
    auto const digits = colon == std::string::npos ? std::string{} : chosen.listen.substr(colon + 1);
    auto const [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), chosen.port);
    if (problem != std::errc{} || end != digits.data() + digits.size() || chosen.port < 0 || chosen.port > 65'535)
        return "HOST:PORT is wanted";
    chosen.host = chosen.listen.substr(0, colon);
    if (chosen.host.starts_with('[') && chosen.host.ends_with(']'))
        chosen.host = chosen.host.substr(1, chosen.host.size() - 2);
    if (chosen.host.empty()) return "HOST:PORT is wanted";
    bool const local = chosen.host == "localhost" || chosen.host == "127.0.0.1" || chosen.host == "::1";
    if (local || chosen.is_public) return {};
    return "others could use it: only 127.0.0.1, ::1 and localhost without --public";
}

/// The exit status where the program has to end.
std::optional<int> read_arguments(int count, char const* const* given, settings& chosen) {
    using command_line::whole_number;
    command_line::program const program{
        "proxy",
        "Forwards requests to an OpenAI or Anthropic compatible provider, and keeps their conversations inside the\n"
        "window of the model. Exit status: 0, 1 where it cannot listen, 2 for wrong usage.",
        "--forward URL"};
    std::vector<command_line::option> const options{
        {.name = "--forward",
         .to = &chosen.forward,
         .help = "the provider, such as https://api.openai.com",
         .required = true},
        {"--listen", &chosen.listen, "HOST:PORT, 127.0.0.1:8080 unless given; port 0 is any that is free"},
        {"--public", &chosen.is_public, "allows --listen to name an address that others can reach"},
        {"--window", &chosen.window, "the context window in tokens; that of the request's model unless given",
         whole_number(256, 1'000'000'000, "tokens")},
        {"--mix", &chosen.mix, "recommended, no_model or window",
         command_line::one_of({"recommended", "no_model", "window"})},
        {"--alternate", &chosen.alternate,
         "joins neighbours of one role in what it reduces, for templates that refuse two in a row"},
        {"--drop-bound", &chosen.drop_bound,
         "asks Anthropic to drop thinking whose beginning has changed, where the client does not"},
        {"--most", &chosen.body, "megabytes of a request; 64 unless given", whole_number(1, 1'000, "megabytes")},
        {"--silence", &chosen.silence, "seconds that the provider may say nothing; 600 unless given",
         whole_number(1, 86'400, "seconds")},
        {"--patience", &chosen.patience, "seconds that a client may take for a request; 60 unless given",
         whole_number(1, 86'400, "seconds")},
        {"--threads", &chosen.threads, "requests at a time; 32 unless given", whole_number(1, 500, "threads")}};
    if (auto const status = command_line::read(program, options, count, given)) return status;
    auto const refuse = [&](std::string const& problem) { return command_line::refuse(program, problem); };
    if (auto const problem = find_host(chosen); !problem.empty()) return refuse("--listen: " + problem);
    chosen.to = proxy::address_of(chosen.forward);
    if (!chosen.to.problem.empty()) return refuse("--forward: " + chosen.to.problem);
    if (chosen.to.url.find_first_of("?#") != std::string::npos) return refuse("--forward: no query is wanted");
    while (chosen.to.url.ends_with('/')) chosen.to.url.pop_back();
    return std::nullopt;
}

/// One line on standard error.
void log(std::string const& line) {
    auto const text = line + "\n";
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));  // locked and unbuffered: lines stay whole
}

/// The headers of the request that this thread works on, as the client gave them.
thread_local httplib::Headers given_headers;

/// Takes out of a request what httplib would act upon: it would compress answers, decompress bodies, read forms and
/// cut ranges, where all of that is for the provider to do.
httplib::Server::HandlerResponse take_headers(httplib::Request const& request) {
    given_headers = request.headers;
    auto& held = const_cast<httplib::Request&>(request);  // the object is httplib's and not const
    for (auto const* const name : {"Accept-Encoding", "Content-Encoding", "Content-Type", "Range"})
        held.headers.erase(name);
    held.ranges.clear();
    return httplib::Server::HandlerResponse::Unhandled;
}

/// Whether a target can only lead to what is under the base URL.
bool stays_inside(std::string_view target) {
    constexpr std::size_t most = 2'000;  // what is routed by a regular expression must not be long
    if (!target.starts_with('/') || target.size() > most) return false;
    for (char const byte : target)
        if (byte <= 0x20 || byte >= 0x7F || byte == '#' || byte == '\\') return false;
    std::string path;
    for (std::size_t at = 0; at < target.size() && target[at] != '?'; ++at) {
        auto const code = target.substr(at, 3);
        bool const dot = code == "%2e" || code == "%2E";
        bool const bar = code == "%2f" || code == "%2F" || code == "%5c" || code == "%5C";
        path.push_back(dot ? '.' : bar ? '/' : target[at]);
        if (dot || bar) at += 2;
    }
    path.push_back('/');
    return path.find("/./") == std::string::npos && path.find("/../") == std::string::npos;
}

bool is_one_of(std::string_view name, auto const& names) {
    return std::any_of(names.begin(), names.end(), [&](auto const& each) { return exchange::same_name(name, each); });
}

/// Of one connection alone, or made anew for the next.
bool is_of_connection(std::string_view name, std::string_view connection) {
    static constexpr std::array<std::string_view, 11> always = {"Connection",
                                                                "Keep-Alive",
                                                                "Proxy-Authenticate",
                                                                "Proxy-Authorization",
                                                                "Proxy-Connection",
                                                                "TE",
                                                                "Trailer",
                                                                "Upgrade",
                                                                "Transfer-Encoding",
                                                                "Content-Length",
                                                                "Host"};
    if (is_one_of(name, always)) return true;
    while (!connection.empty()) {  // what it names
        auto const end = std::min(connection.find(','), connection.size());
        auto each = connection.substr(0, end);
        while (each.starts_with(' ')) each.remove_prefix(1);
        while (each.ends_with(' ')) each.remove_suffix(1);
        if (exchange::same_name(name, each)) return true;
        connection.remove_prefix(std::min(end + 1, connection.size()));
    }
    return false;
}

bool is_clean(std::string_view text) {
    return std::none_of(text.begin(), text.end(),
                        [](char byte) { return (byte >= 0 && byte < 0x20 && byte != '\t') || byte == 0x7F; });
}

/// What the provider gets to see of the client's headers. Nothing is accepted compressed: a refusal has to be read.
proxy::header_list forwarded(httplib::Headers const& given) {
    static constexpr std::array<std::string_view, 6> own = {"REMOTE_ADDR", "REMOTE_PORT", "LOCAL_ADDR",
                                                            "LOCAL_PORT",  "Expect",      "Accept-Encoding"};
    proxy::header_list sent;
    auto const connection = given.find("Connection");
    for (auto const& [name, value] : given)  // httplib has decoded the values: a line break must not come out of one
        if (!is_of_connection(name, connection == given.end() ? "" : connection->second) && !is_one_of(name, own) &&
            is_clean(name) && is_clean(value))
            sent.emplace_back(name, value);
    return sent;
}

std::string value_of(proxy::header_list const& all, std::string_view name) {
    for (auto const& [key, value] : all)
        if (exchange::same_name(key, name)) return value;
    return {};
}

/// An answer of the proxy's own, in a shape that clients of both protocols show.
void refuse(httplib::Response& response, int status, std::string const& text) {
    nlohmann::ordered_json const body{{"type", "error"},
                                      {"error", {{"type", "proxy_error"}, {"message", "proxy: " + text}}}};
    response.status = status;
    response.set_content(body.dump(), "application/json");
}

class gateway {
public:
    gateway(settings const& chosen, std::atomic<bool> const& stop)
        : chosen_{chosen}, stop_{stop}, mix_{proxy::mix_named(chosen.mix)},
          shelf_{chosen.window ? std::optional{condense::tokens{*chosen.window}} : std::nullopt, chosen.drop_bound} {}

    /// `reader` is null where the method has no body.
    void serve(httplib::Request const& asked, httplib::ContentReader const* reader, httplib::Response& response) {
        if (!stays_inside(asked.target)) refuse(response, 400, "the path is not one that is forwarded");
        else if (auto body = read_body(asked, reader, response)) forward(asked, *body, response);
        if (notes_.empty()) note(response.status, nullptr);
        auto const path = std::string_view{asked.target}.substr(0, asked.target.find('?'));  // a query may hold a key
        log(condense::printable(asked.method, 20) + " " + condense::printable(path, 200) + " " +
            std::exchange(notes_, {}));
    }

private:
    /// The body whole; else the refusal is written.
    std::optional<std::string> read_body(httplib::Request const& asked, httplib::ContentReader const* reader,
                                         httplib::Response& response) const {
        std::string body;
        if (reader == nullptr || !(asked.has_header("Content-Length") || asked.has_header("Transfer-Encoding")))
            return body;
        auto const most = chosen_.body << 20;
        using clock = std::chrono::steady_clock;
        auto const until = clock::now() + std::chrono::seconds{chosen_.patience};
        bool fits = asked.get_header_value<std::uint64_t>("Content-Length") <= most;
        bool const whole = fits && (*reader)([&](char const* data, std::size_t size) {
                               fits = body.size() + size <= most;
                               if (fits) body.append(data, size);
                               return fits && clock::now() < until;
                           });
        if (whole) return body;
        if (fits) refuse(response, 408, "the body of the request did not come");
        else refuse(response, 413, "the body of the request is larger than --most allows");
        return std::nullopt;
    }

    void forward(httplib::Request const& asked, std::string const& body, httplib::Response& response) {
        constexpr int most_refusals = 4;
        std::string reason;
        auto const reduced = reduce(asked, body, reason);
        auto sent = reduced ? reduced->body() : body;
        auto headers = forwarded(given_headers);
        if (reduced && !reduced->beta().empty()) headers.emplace_back("anthropic-beta", reduced->beta());
        std::shared_ptr<exchange> answer;
        int refusals = 0;
        while (true) {
            answer.reset();  // the connection is free for the next
            answer = std::make_shared<exchange>(
                proxy::outgoing{asked.method, chosen_.to.url + asked.target, headers, std::move(sent), chosen_.to.local,
                                static_cast<long>(chosen_.silence)},
                stop_);
            if (!answer->begin()) return refuse(response, 502, "no answer of the provider: " + answer->problem());
            if (!reduced || answer->status() < 400 || refusals == most_refusals) break;
            while (!answer->ended() && answer->body.size() <= condense::overflow_look.count) answer->work();
            auto const over = condense::overflow_of(answer->status(), answer->body);
            if (!(over ? reduced->shrink(*over) : reduced->unbind({answer->status(), answer->body}))) break;
            ++refusals;
            sent = reduced->body();
        }
        note(answer->status(), reduced.get(), refusals);
        if (!reason.empty()) notes_ += ": passed on, " + condense::printable(reason, 300);
        pass_back(answer, asked.method == "HEAD", response);
    }

    /// Null where the request is none for chat, or is not understood: the provider is to judge it as it is.
    std::unique_ptr<proxy::request> reduce(httplib::Request const& asked, std::string_view body, std::string& reason) {
        auto const path = std::string_view{asked.target}.substr(0, asked.target.find('?'));
        bool const chat = asked.method == "POST" && (path.ends_with("/chat/completions") ||
                                                     path.ends_with("/messages") || path.ends_with("/responses"));
        if (!chat) return nullptr;
        try {
            return proxy::request::read(body, shelf_, mix_, chosen_.alternate);
        } catch (std::exception const& problem) {
            reason = problem.what();
            return nullptr;
        }
    }

    /// The answer, as it comes.
    void pass_back(std::shared_ptr<exchange> const& answer, bool head, httplib::Response& response) const {
        response.status = answer->status();
        auto const connection = value_of(answer->headers(), "Connection");
        auto const length = value_of(answer->headers(), "Content-Length");
        auto type = value_of(answer->headers(), "Content-Type");
        for (auto const& [name, value] : answer->headers())
            if (!is_of_connection(name, connection) && !exchange::same_name(name, "Content-Type"))
                response.set_header(name, value);
        if (head || response.status == 204 || response.status == 304 || length == "0") {
            if (!type.empty()) response.set_header("Content-Type", type);
            if (head && !length.empty()) response.set_header("Content-Length", length);
            return;
        }
        if (type.empty()) type = "application/octet-stream";
        auto const more = [answer](httplib::DataSink& sink) {
            if (answer->body.empty() && !answer->ended()) answer->work();
            if (!sink.is_writable()) return false;  // the client has left, and with the exchange its request goes
            auto const piece = std::exchange(answer->body, {});
            if (!piece.empty()) return sink.write(piece.data(), piece.size());
            if (answer->ended() && answer->problem().empty()) sink.done();
            return answer->problem().empty();  // what was cut must not look whole
        };
        std::uint64_t size = 0;
        std::from_chars(length.data(), length.data() + length.size(), size);
        if (size != 0)
            response.set_content_provider(
                size, type, [more](std::size_t, std::size_t, httplib::DataSink& sink) { return more(sink); });
        else
            response.set_chunked_content_provider(type,
                                                  [more](std::size_t, httplib::DataSink& sink) { return more(sink); });
    }

    static void note(int status, proxy::request const* reduced, int refusals = 0) {
        notes_ = std::to_string(status);
        if (reduced == nullptr) return;
        auto const before = reduced->before();
        auto const after = reduced->after();
        notes_ += ": messages " + std::to_string(before.messages) + " to " + std::to_string(after.messages) +
                  ", tokens " + condense::grouped(before.tokens) + " to " + condense::grouped(after.tokens);
        if (refusals != 0) notes_ += ", refused " + std::to_string(refusals);
    }

    settings const& chosen_;
    std::atomic<bool> const& stop_;
    proxy::mix mix_;
    proxy::shelf shelf_;
    static thread_local std::string notes_;
};
thread_local std::string gateway::notes_;

}  // namespace

int main(int count, char** given) {
    settings chosen;
    if (auto const status = read_arguments(count, given, chosen)) return *status;
    sigset_t endings;
    sigemptyset(&endings);
    for (int const signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&endings, signal);
    pthread_sigmask(SIG_BLOCK, &endings, nullptr);  // before there are threads, which have the same

    std::atomic<bool> stop = false;
    gateway way{chosen, stop};
    httplib::Server server;
    server.new_task_queue = [&] { return new httplib::ThreadPool(chosen.threads); };
    // One request for each connection: those that wait would occupy the threads, and nothing that is left of a body
    // can be taken for the next request.
    server.set_keep_alive_max_count(1);
    server.set_tcp_nodelay(true);
    server.set_socket_options([](socket_t listener) {  // httplib's own let two programs share a port
        int const yes = 1;
        ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server.set_read_timeout(std::chrono::seconds{std::min<std::uint64_t>(chosen.patience, 30)});
    server.set_write_timeout(std::chrono::seconds{chosen.patience});
    server.set_pre_routing_handler([](auto const& asked, auto&) { return take_headers(asked); });
    server.set_exception_handler(
        [](auto const&, auto& response, auto const&) { refuse(response, 500, "out of memory"); });
    auto const plain = [&](auto const& asked, auto& response) { way.serve(asked, nullptr, response); };
    auto const with_body = [&](auto const& asked, auto& response, auto const& reader) {
        way.serve(asked, &reader, response);
    };
    constexpr auto anything = R"([\s\S]*)";
    server.Get(anything, plain).Options(anything, plain);
    server.Post(anything, with_body).Put(anything, with_body);
    server.Patch(anything, with_body).Delete(anything, with_body);

    auto const port = chosen.port != 0 ? (server.bind_to_port(chosen.host, chosen.port) ? chosen.port : -1)
                                       : server.bind_to_any_port(chosen.host);
    if (port < 0) {
        log("proxy: cannot listen on " + condense::printable(chosen.listen, 200) + "; another program may do so");
        return 1;
    }
    auto const host = chosen.host.find(':') == std::string::npos ? chosen.host : "[" + chosen.host + "]";
    log("listens on http://" + host + ":" + std::to_string(port) + " for " + chosen.to.url);
    if (chosen.to.scheme == "http" && !chosen.to.local) log("keys go to the provider unencrypted");
    std::atomic<bool> over = false;
    std::thread ending{[&] {
        int signal = 0;
        sigwait(&endings, &signal);
        stop = true;
        // Before it listens, a stop would be lost.
        while (!server.is_running() && !over) std::this_thread::sleep_for(std::chrono::milliseconds{1});
        server.stop();
    }};
    bool const ended = server.listen_after_bind();
    over = true;
    ::kill(::getpid(), SIGTERM);  // where it ended by itself, for the thread that waits
    ending.join();
    return ended ? 0 : 1;
}
