// SPDX-License-Identifier: BSL-1.0

// How does an agent in any language get its conversations reduced?
// proxy --forward https://api.openai.com, then its base URL is http://127.0.0.1:8080/v1; `proxy --help` lists the
// options, `proxy/` holds its parts. Requests for chat are reduced, all else passes as it is, and so do all answers.

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condense/adapt/ask_provider.hpp>
#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>
#include <condense/policy/known_secrets.hpp>

#include "command_line.hpp"
#include "proxy/address.hpp"
#include "proxy/conversations.hpp"
#include "proxy/exchange.hpp"
#include "proxy/recall.hpp"
#include "proxy/server.hpp"
#include "proxy/usage_finder.hpp"

namespace {

using proxy::exchange;

struct settings {
    std::string listen = "127.0.0.1:8080";
    std::string forward = {};
    std::string mix = "recommended";
    std::optional<std::uint64_t> window = {};
    std::optional<std::uint64_t> most_output = {};
    std::optional<std::uint64_t> compact_at = {};
    std::uint64_t least_free = 25;  ///< per cent
    std::uint64_t body = 64;      ///< megabytes
    std::uint64_t silence = 600;  ///< seconds
    std::uint64_t patience = 60;  ///< seconds
    std::uint64_t threads = 32;
    bool is_public = false;
    bool alternate = false;
    bool drop_bound = false;
    std::string keep = {};
    std::string redis = {};
    bool recall = false;
    std::string log = {};
    char** command = nullptr;  ///< of a client to start, ended by null
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

/// Where lines go; null for nowhere.
std::FILE* log_file = stderr;

/// The exit status where the program has to end.
std::optional<int> read_arguments(int count, char** given, settings& chosen) {
    using command_line::whole_number;
    command_line::program const program{
        "proxy",
        "Forwards requests to an OpenAI or Anthropic compatible provider, and keeps their conversations inside the\n"
        "window of the model. `proxy wrap --forward URL -- COMMAND...` starts a client with its base URL set.\n"
        "Exit status: 0, 1 where it cannot listen, 2 for wrong usage; that of the client, where it has started one.",
        "[wrap] --forward URL [-- COMMAND...]"};
    std::vector<command_line::option> const options{
        {.name = "--forward",
         .to = &chosen.forward,
         .help = "the provider, such as https://api.openai.com",
         .required = true},
        {"--listen", &chosen.listen, "HOST:PORT, 127.0.0.1:8080 unless given; port 0 is any that is free"},
        {"--public", &chosen.is_public, "allows --listen to name an address that others can reach"},
        {"--window", &chosen.window, "the context window in tokens; that of the request's model unless given",
         whole_number(256, 1'000'000'000, "tokens")},
        {"--max-output", &chosen.most_output,
         "tokens that a client may ask for as the longest answer; no limit unless given",
         whole_number(1, 1'000'000'000, "tokens")},
        {"--least-free", &chosen.least_free,
         "per cent of the window that should be left for messages; less is said. 25 unless given",
         whole_number(0, 100, "per cent")},
        {"--compact-at", &chosen.compact_at,
         "tokens from which on a provider that keeps the history itself is asked to compact it",
         whole_number(1, 1'000'000'000, "tokens")},
        {"--mix", &chosen.mix, "recommended, no_model or window",
         command_line::one_of({"recommended", "no_model", "window"})},
        {"--keep", &chosen.keep, "a folder for every message, and for what is taken out of large results",
         command_line::not_empty()},
        {.name = "--redis",
         .to = &chosen.redis,
         .help = "redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]: keeps the same there, and all that is known of "
                 "conversations, so that proxies on several machines serve them by turns",
         .accepts = command_line::not_empty(),
         .excludes = "--keep"},
        {"--recall", &chosen.recall,
         "has the model read what left its conversation, which the client does not see; with --keep or --redis"},
        {"--log", &chosen.log, "a file to which lines go; standard error unless given", command_line::not_empty()},
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
    auto const refuse = [&](std::string const& problem) { return command_line::refuse(program, problem); };
    if (count > 1 && std::string_view{given[1]} == "wrap") {
        auto const is = [](std::string_view word) { return [word](char const* each) { return each == word; }; };
        auto** const end = std::find_if(given, given + count, is("--"));
        bool const helps = std::any_of(given, end, is("--help")) || std::any_of(given, end, is("-h"));
        if (given + count - end < 2 && !helps) return refuse("wrap: -- and a command are wanted");
        chosen.command = end + 1;
        chosen.listen = "127.0.0.1:0";
        count = static_cast<int>(end - ++given);
    }
    if (auto const status = command_line::read(program, options, count, given)) return status;
    if (chosen.command != nullptr) log_file = nullptr;  // the terminal is the client's
    if (!chosen.log.empty() && (log_file = std::fopen(chosen.log.c_str(), "ae")) == nullptr)
        return refuse("--log: " + command_line::shown(chosen.log) + " cannot be written");
    if (log_file != nullptr) std::setvbuf(log_file, nullptr, _IONBF, 0);
    if (auto const problem = find_host(chosen); !problem.empty()) return refuse("--listen: " + problem);
    chosen.to = proxy::address_of(chosen.forward);
    if (!chosen.to.problem.empty()) return refuse("--forward: " + chosen.to.problem);
    if (chosen.to.url.find_first_of("?#") != std::string::npos) return refuse("--forward: no query is wanted");
    while (chosen.to.url.ends_with('/')) chosen.to.url.pop_back();
    if (!chosen.redis.empty() && !chosen.redis.starts_with("redis://"))
        return refuse("--redis: redis://HOST is wanted");
    if (chosen.recall && chosen.keep.empty() && chosen.redis.empty())
        return refuse("--recall: there is nothing to read without --keep or --redis");
    if (!chosen.keep.empty()) {
        std::error_code problem;
        std::filesystem::create_directories(chosen.keep, problem);
        if (problem || ::access(chosen.keep.c_str(), W_OK | X_OK) != 0 ||
            !std::filesystem::is_directory(chosen.keep, problem))
            return refuse("--keep: " + command_line::shown(chosen.keep) + " is no folder that can be written");
    }
    return std::nullopt;
}

/// One line.
void log(std::string const& line) {
    if (log_file == nullptr) return;
    auto const text = line + "\n";
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), log_file));  // locked and unbuffered: lines stay whole
}

/// Whether a target can only lead to what is under the base URL.
bool stays_inside(std::string_view target) {
    if (!target.starts_with('/')) return false;
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
    if (proxy::is_one_of(name, always)) return true;
    while (!connection.empty()) {  // what it names
        auto const end = std::min(connection.find(','), connection.size());
        auto each = connection.substr(0, end);
        while (each.starts_with(' ') || each.starts_with('\t')) each.remove_prefix(1);
        while (each.ends_with(' ') || each.ends_with('\t')) each.remove_suffix(1);
        if (proxy::same_name(name, each)) return true;
        connection.remove_prefix(std::min(end + 1, connection.size()));
    }
    return false;
}

/// What the provider gets to see of the client's headers. Nothing is accepted compressed: a refusal has to be read.
proxy::header_list forwarded(proxy::header_list const& given) {
    static constexpr std::array<std::string_view, 2> own = {"Expect", "Accept-Encoding"};
    proxy::header_list sent;
    auto const connection = proxy::values_of(given, "Connection");
    for (auto const& [name, value] : given)
        if (!is_of_connection(name, connection) && !proxy::is_one_of(name, own)) sent.emplace_back(name, value);
    return sent;
}

/// The methods whose requests are passed on.
constexpr std::array<std::string_view, 7> methods = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};

/// The path of a target as it may be logged: what looks like a key or an id, with 16 letters and digits in a row, is
/// left out.
std::string loggable(std::string_view target) {
    auto const path = target.substr(0, target.find('?'));
    std::string shown;
    for (std::size_t at = 0; at < path.size();) {
        auto const end = std::min(path.find('/', at + 1), path.size());
        auto const segment = path.substr(at, end - at);
        std::size_t run = 0, digits = 0;
        bool hides = false;
        for (char const byte : segment) {
            bool const is_digit = proxy::is_digit(byte);
            run = is_digit || proxy::is_letter(byte) ? run + 1 : 0;
            digits = run == 0 ? 0 : digits + (is_digit ? 1 : 0);
            hides = hides || (run >= 16 && digits != 0);
        }
        shown += hides ? "/..." : std::string{segment};
        at = end;
    }
    condense::known_secrets{}(shown);
    return condense::printable(shown.empty() ? "-" : shown, 200);
}

class gateway {
public:
    gateway(settings const& chosen, std::atomic<bool> const& stop)
        : chosen_{chosen}, stop_{stop}, shelf_{shelf_settings(chosen)} {}

    /// Reads a request, and answers it. What goes wrong ends this request alone.
    void serve(proxy::connection& client) {
        proxy::incoming asked;
        try {
            asked = client.read({std::chrono::seconds{chosen_.patience}, chosen_.body << 20});
            if (asked.is_gone) return;
            if (asked.status != 0) refuse(client, asked, asked.status, asked.problem);
            else if (!proxy::is_one_of(asked.method, methods))
                refuse(client, asked, 501, "the method is not one that is forwarded");
            else if (!stays_inside(asked.target)) refuse(client, asked, 400, "the path is not one that is forwarded");
            else if (asked.method == "GET" && path_of(asked) == "/condense/status") show_status(client, asked);
            else forward(client, asked);
        } catch (std::exception const& problem) {
            if (client.has_begun()) return;
            try {
                refuse(client, asked, 500, problem.what());
            } catch (std::exception const&) { return; }  // of no memory for an answer
        }
    }

private:
    static proxy::shelf::settings shelf_settings(settings const& chosen) {
        proxy::shelf::settings made{.window = tokens_of(chosen.window),
                                    .most_output = tokens_of(chosen.most_output),
                                    .least_free = {static_cast<std::uint32_t>(chosen.least_free * 100)},
                                    .drop_bound = chosen.drop_bound,
                                    .mix = chosen.mix,
                                    .recall = chosen.recall};
        if (!chosen.redis.empty()) made.memory = kept::memory{chosen.redis};
        if (chosen.keep.empty() && chosen.redis.empty()) return made;
        made.journal = kept::journal_at(chosen.redis.empty() ? chosen.keep + "/journal" : chosen.redis);
        made.store = kept::store_at(chosen.redis.empty() ? chosen.keep + "/store" : chosen.redis);
        return made;
    }
    static std::optional<condense::tokens> tokens_of(std::optional<std::uint64_t> const& count) {
        return count ? std::optional{condense::tokens{*count}} : std::nullopt;
    }

    /// One line for each request, without its query and without keys in its path.
    static void log_request(proxy::incoming const& asked, std::string const& note) {
        log(condense::printable(asked.method.empty() ? "-" : asked.method, 20) + " " + loggable(asked.target) + " " +
            note);
    }

    /// An answer of the proxy's own, in a shape that clients of both protocols show.
    static void refuse(proxy::connection& client, proxy::incoming const& asked, int status, std::string const& text) {
        log_request(asked, std::to_string(status) + ": " + condense::printable(text, 300));
        nlohmann::ordered_json const body{{"type", "error"},
                                          {"error", {{"type", "proxy_error"}, {"message", "proxy: " + text}}}};
        client.answer(asked, status, {{"Content-Type", "application/json"}}, body.dump());
    }

    void show_status(proxy::connection& client, proxy::incoming const& asked) const {
        bool const is_page = proxy::value_of(asked.headers, "Accept").find("text/html") != std::string::npos;
        client.answer(asked, 200,
                      {{"Content-Type", is_page ? "text/html; charset=utf-8" : "application/json"},
                       {"Cache-Control", "no-store"},
                       {"Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"}},
                      is_page ? status_.page(shelf_.kept()) : status_.json(shelf_.kept()));
    }

    /// A request on its way.
    struct passage {
        proxy::incoming const& asked;
        std::unique_ptr<proxy::request> reduced = {};  ///< null where it passes as it is
        std::string reason = {};  ///< why it does
        bool is_elsewhere = false;  ///< the history, with the provider
        bool wishes = false;  ///< the provider is to compact it
        std::string body = {};
        proxy::header_list headers = {};
        std::unique_ptr<exchange> answer = {};
        std::string advice = {};
        int round = 0;  ///< answers of the provider that the client does not see
    };

    void forward(proxy::connection& client, proxy::incoming const& asked) {
        passage way{asked};
        way.reduced = reduce(asked, way.reason, way.is_elsewhere);
        way.body = way.reduced ? way.reduced->body() : asked.body;
        way.wishes = way.is_elsewhere && chosen_.compact_at && path_of(asked).ends_with("/responses") &&
                     wish_compacted(way.body, {*chosen_.compact_at});
        way.headers = forwarded(asked.headers);
        if (way.reduced && !way.reduced->beta().empty())
            way.headers.emplace_back("anthropic-beta", way.reduced->beta());
        if (!ask(client, way)) return;
        bool const is_taken = way.answer->status() < 400;
        if (way.reduced && way.reduced->recalls() && is_taken) return pass_rounds(client, way);
        auto const sender = way.reduced ? way.reduced->sent_by() : proxy::request::sender{};
        proxy::usage_finder usage;
        bool const reports = (way.reduced || way.is_elsewhere) && is_taken;
        way.reduced.reset();  // the client may go on with the conversation before the answer has ended here
        pass_back(client, way, reports ? &usage : nullptr);
        if (way.is_elsewhere && usage.tokens() != condense::tokens{})
            log("  the provider counts " + condense::grouped(usage.tokens().count) + " tokens");
        if (!way.is_elsewhere) learn(sender, usage.tokens());
    }

    /// Sends the body, and less of it where the provider refuses that as too long, until an answer begins. False where
    /// there is none, or nobody who waits for it.
    bool ask(proxy::connection& client, passage& way) {
        constexpr int most_refusals = 4;
        auto const gone = [&] { return log_request(way.asked, "the client has left before the answer"), false; };
        for (int refusals = 0;; ++refusals) {
            way.answer.reset();  // the connection is free for the next
            way.answer = std::make_unique<exchange>(
                proxy::outgoing{way.asked.method, chosen_.to.url + way.asked.target, way.headers, std::move(way.body),
                                chosen_.to.local, static_cast<long>(chosen_.silence)},
                stop_);
            auto& answer = *way.answer;
            while (!answer.begun() && !answer.ended()) {
                answer.work();
                if (!answer.begun() && client.has_left()) return gone();
            }
            if (!answer.begun()) {
                status_.add({.requests = 1, .unanswered = 1});
                auto const problem = "no answer of the provider: " + answer.problem();
                if (client.has_begun()) log_request(way.asked, condense::printable(problem, 300));
                else refuse(client, way.asked, 502, problem);
                return false;
            }
            if (!way.reduced || answer.status() < 400 || refusals == most_refusals) return settle(way, refusals);
            while (!answer.ended() && answer.body.size() <= condense::overflow_look.count) {
                answer.work();
                if (client.has_left()) return gone();
            }
            auto const over = condense::overflow_of(answer.status(), answer.body);
            if (!(over ? way.reduced->shrink(*over) : way.reduced->answer({answer.status(), answer.body})))
                return settle(way, refusals);
            way.body = way.reduced->body();
        }
    }

    /// Says what came of a request; true.
    bool settle(passage& way, int refusals) {
        auto line = note(way.answer->status(), way.reduced.get(), refusals);
        if (!way.reason.empty()) line += ": passed on, " + condense::printable(way.reason, 300);
        log_request(way.asked, line);
        if (auto const problem = proxy::not_kept.take(); !problem.empty())
            log("  not kept: " + condense::printable(problem, 200));
        if (way.reduced) way.advice = way.reduced->advice();
        else if (way.is_elsewhere) way.advice = way.reason + (way.wishes ? "; it is asked to compact it" : "");
        if (way.reduced && !way.advice.empty() && way.reduced->is_new()) log("  " + way.advice);
        bool const is_taken = way.answer->status() < 400;
        auto result = way.reduced && is_taken ? way.reduced->accept() : proxy::figures{};
        result.requests = 1;
        if (way.round != 0) result.requests = result.chats = 0;  // of the client it is the same
        result.refusals = static_cast<std::uint64_t>(refusals);
        result.unanswered = is_taken ? 0 : 1;
        status_.add(result);
        return true;
    }

    /// Learns from what a provider reports of a request; nothing where it reports nothing.
    void learn(proxy::request::sender const& sender, condense::tokens reported) {
        auto const& estimate = sender.estimate;
        auto const estimated = (estimate.fixed + estimate.messages).count;
        if (reported == condense::tokens{} || !proxy::lesson::is_plausible(estimated, reported.count)) return;
        shelf_.learn(sender.client, sender.model,
                     [&](proxy::lesson& learnt) { learnt.observe(estimated, reported.count); });
        shelf_.count(sender.conversation, {reported, estimate.fixed, estimate.messages});
    }

    /// Passes an answer whose calls of hidden tools are answered here: the provider is asked again with their results,
    /// until it has an answer for the client.
    void pass_rounds(proxy::connection& client, passage& way) {
        constexpr int most_rounds = 8;
        bool const streams =
            proxy::value_of(way.answer->headers(), "Content-Type").find("text/event-stream") != std::string::npos;
        proxy::spliced_answer spliced{*way.reduced->recalls(), streams};
        auto const show = [&](std::string_view text, std::optional<std::uint64_t> length) {
            if (client.has_left() || (!client.has_begun() && !begin(client, way, length))) return false;
            return text.empty() || client.write(text);
        };
        for (;; ++way.round) {
            proxy::usage_finder usage;
            auto& answer = *way.answer;
            while (true) {
                if (answer.body.empty() && !answer.ended()) answer.work();
                auto const piece = std::exchange(answer.body, {});
                if (piece.empty() && answer.ended()) break;
                usage.add(piece);
                auto const shown = spliced.add(piece);
                if (client.has_left() || (!shown.empty() && !show(shown, {}))) return;
            }
            bool const is_whole = answer.problem().empty();
            bool const reads = way.round < most_rounds;
            bool const goes_on = spliced.end(way.reduced->is_stored()) && is_whole && reads;
            auto const sender = way.reduced->sent_by();
            status_.add({.recalls = reads && is_whole ? spliced.hidden().size() : 0});
            if (goes_on) way.reduced->answer_calls(spliced);
            else {
                if (is_whole) way.reduced->conclude(spliced, reads);
                auto const rest = spliced.rest();
                way.reduced.reset();  // the client may go on with the conversation before it is told the end
                if (!is_whole && !streams) refuse(client, way.asked, 502, "the answer is cut: " + answer.problem());
                else if (show(rest, streams ? std::optional<std::uint64_t>{} : rest.size()) && is_whole) client.end();
            }
            learn(sender, usage.tokens());
            if (!goes_on) return;
            spliced.next();
            way.body = way.reduced->body();
            ++way.round;
            bool const has_answer = ask(client, way);
            --way.round;
            if (!has_answer) return;
            auto const status = way.answer->status();
            if (status < 400) continue;
            // A refusal may be of the rounds; what passes is tried again with them.
            if (status < 500 && status != 408 && status != 429) way.reduced->abandon();
            way.reduced.reset();
            if (!client.has_begun()) pass_back(client, way, nullptr);  // else the end of the answer is missing
            return;
        }
    }

    /// Adds to a request, whose history the provider keeps, the wish to compact that. False where it has one of its
    /// own.
    static bool wish_compacted(std::string& body, condense::tokens at) {
        auto parsed = condense::parse_json<proxy::json>(body);
        if (!parsed || !condense::ask_provider(parsed.value, condense::json_shape::responses, at)) return false;
        body.insert(body.find('{') + 1, R"("context_management":)" + parsed.value["context_management"].dump() + ",");
        return true;
    }

    /// Null where the request is none for chat, or is not understood: the provider is to judge it as it is.
    std::unique_ptr<proxy::request> reduce(proxy::incoming const& asked, std::string& reason, bool& is_elsewhere) {
        auto const protocol = proxy::protocol_of(path_of(asked));
        if (asked.method != "POST" || !protocol) return nullptr;
        try {
            return proxy::request::read(asked.body, shelf_, chosen_.alternate,
                                        shelf_.client_of(asked.headers, asked.target), protocol);
        } catch (condense::unknown_shape const& problem) {
            reason = problem.what();
            is_elsewhere = problem.error().is_elsewhere;
        } catch (std::exception const& problem) { reason = problem.what(); }
        return nullptr;
    }
    static std::string_view path_of(proxy::incoming const& asked) {
        return std::string_view{asked.target}.substr(0, asked.target.find('?'));
    }

    /// Begins an answer with the headers of the provider's.
    static bool begin(proxy::connection& client, passage const& way, std::optional<std::uint64_t> length) {
        proxy::header_list headers;
        auto const connection = proxy::values_of(way.answer->headers(), "Connection");
        for (auto const& [name, value] : way.answer->headers())
            if (!is_of_connection(name, connection)) headers.emplace_back(name, value);
        if (!way.advice.empty()) headers.emplace_back("X-Condense", way.advice);
        return client.begin(way.asked, way.answer->status(), headers, length);
    }

    /// The answer, as it comes. A client that leaves ends the request with it.
    static void pass_back(proxy::connection& client, passage& way, proxy::usage_finder* usage) {
        auto& answer = *way.answer;
        bool goes_on = begin(client, way, answer.length());
        while (goes_on) {
            if (answer.body.empty() && !answer.ended()) answer.work();
            auto const piece = std::exchange(answer.body, {});
            if (piece.empty() && answer.ended()) break;
            if (usage != nullptr) usage->add(piece);
            goes_on = !client.has_left() && client.write(piece);
        }
        if (goes_on && answer.problem().empty()) client.end();  // what was cut must not look whole
    }

    static std::string note(int status, proxy::request const* reduced, int refusals) {
        auto text = std::to_string(status);
        if (reduced == nullptr) return text;
        auto const before = reduced->before();
        auto const after = reduced->after();
        text += ": messages " + std::to_string(before.messages) + " to " + std::to_string(after.messages) +
                ", tokens " + condense::grouped(before.tokens) + " to " + condense::grouped(after.tokens);
        if (refusals != 0) text += ", refused " + std::to_string(refusals);
        return text;
    }

    settings const& chosen_;
    std::atomic<bool> const& stop_;
    proxy::shelf shelf_;
    proxy::status status_;
};

/// Starts a client with the address of the proxy as its base URL, in the variables that clients read. The process, or
/// -1.
::pid_t start(settings const& chosen, std::string const& url, sigset_t const& signals) {
    auto const child = ::fork();
    if (child != 0) return child;
    auto const versioned = chosen.to.url.ends_with("/v1") ? url : url + "/v1";
    for (auto const* const name : {"OPENAI_BASE_URL", "OPENAI_API_BASE"}) ::setenv(name, versioned.c_str(), 1);
    ::setenv("ANTHROPIC_BASE_URL", url.c_str(), 1);
    for (int const each : {SIGINT, SIGPIPE}) std::signal(each, SIG_DFL);
    sigprocmask(SIG_SETMASK, &signals, nullptr);
    ::execvp(chosen.command[0], chosen.command);
    std::perror(chosen.command[0]);
    ::_exit(127);
}

}  // namespace

int main(int count, char** given) {
    settings chosen;
    if (auto const status = read_arguments(count, given, chosen)) return *status;
    sigset_t endings, before;
    sigemptyset(&endings);
    if (chosen.command != nullptr) std::signal(SIGINT, SIG_IGN);  // for the client, which has the terminal
    for (int const signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction now = {};
        bool const is_ignored = sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;  // as by nohup
        if (!is_ignored || signal == SIGTERM) sigaddset(&endings, signal);
    }
    pthread_sigmask(SIG_BLOCK, &endings, &before);  // before there are threads, which have the same

    std::signal(SIGPIPE, SIG_IGN);  // libcurl may write to a connection that has ended
    std::atomic<bool> stop = false;  // at once
    std::optional<gateway> way;
    try {
        way.emplace(chosen, stop);
    } catch (std::exception const& problem) {
        std::fprintf(stderr, "proxy: %s: %s\n", chosen.redis.empty() ? "--keep" : "--redis", problem.what());
        return 2;
    }
    proxy::server server;
    auto const port = server.listen(chosen.host, chosen.port);
    if (!port) {
        log_file = stderr;
        log("proxy: cannot listen on " + condense::printable(chosen.listen, 200) + "; another program may do so");
        return 1;
    }
    auto const host = chosen.host.find(':') == std::string::npos ? chosen.host : "[" + chosen.host + "]";
    auto const url = "http://" + host + ":" + std::to_string(*port);
    log("listens on " + url + " for " + chosen.to.url);
    if (chosen.to.scheme == "http" && !chosen.to.local) log("keys go to the provider unencrypted");
    auto const child = chosen.command == nullptr ? ::pid_t{-1} : start(chosen, url, before);
    if (chosen.command != nullptr && child < 0) {
        std::perror("proxy: wrap");
        return 1;
    }
    int of_child = 0;
    std::atomic<bool> has_child = child > 0;
    std::thread waiting;
    if (child > 0)
        waiting = std::thread{[&] {
            ::siginfo_t which;
            while (::waitid(P_PID, static_cast<::id_t>(child), &which, WEXITED | WNOWAIT) < 0 && errno == EINTR) {}
            has_child = false;  // before its number can be that of another
            ::waitpid(child, &of_child, 0);
            ::kill(::getpid(), SIGTERM);
        }};
    std::thread ending{[&] {
        int signal = 0;
        sigwait(&endings, &signal);
        for (int sent = SIGTERM; has_child; sent = SIGKILL) {  // its end is a signal as well
            ::kill(child, sent);
            sigwait(&endings, &signal);
        }
        server.close();
        ::timespec const patience{.tv_sec = static_cast<::time_t>(chosen.patience), .tv_nsec = 0};
        static_cast<void>(sigtimedwait(&endings, nullptr, &patience));  // for what is under way, or until a second one
        stop = true;
    }};
    auto const patience = std::chrono::seconds{chosen.patience};
    server.run(chosen.threads, [&](int socket) {
        proxy::connection client{socket, patience, stop};
        way->serve(client);
    });
    ::kill(::getpid(), SIGTERM);  // for the thread that waits
    ending.join();
    if (child < 0) return 0;
    waiting.join();
    return WIFEXITED(of_child) ? WEXITSTATUS(of_child) : 128 + WTERMSIG(of_child);
}
