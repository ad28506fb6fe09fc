// SPDX-License-Identifier: BSL-1.0

// Claim: a session's total time grows in line with its messages, with every layer and preset but `planned`: exponent at
// most 1.05 from the smallest to the largest size. The second table has what may grow otherwise: parts of one message,
// members of one object, groups with one id, texts to 10 MB, and `planned`, which at each question reads up to 256 of
// the results that have left.
// ./bench_run_growth [-n LARGEST] [NAME...]   prints Markdown; sizes are LARGEST/100, LARGEST/10 and LARGEST (100,000)
// ./bench_run_growth --size MESSAGES NAME     one session and nothing else, for callgrind

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if __has_include(<nlohmann/json.hpp>)
#include <condense/adapt/json.hpp>
#include <condense/adapt/json_state.hpp>
#include <condense/config/json_settings.hpp>
#endif
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/presets.hpp>
#include <condense/shorteners.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

namespace {

using namespace condense::literals;
using condense::chat_message;
using condense::used;

/// Turns of an agent: a question, a call, its result, an answer. Text is cut from one long string, so that making
/// messages costs little.
class conversation {
public:
    chat_message next() {
        auto const number = count_++;
        switch (number % 4) {
            case 0: return chat_message::user(words(60, number));
            case 1:
                id_ = "call_" + std::to_string(number);
                return chat_message::call(id_, "read_file", R"({"path": "src/)" + std::to_string(number) + R"(.cpp"})");
            case 2: return chat_message::result(id_, words(number % 40 == 2 ? 12'000 : 900, number));
            default: return chat_message::assistant(words(200, number));
        }
    }

private:
    static std::string words(std::size_t size, std::size_t seed) {
        static std::string const all = [] {
            std::string out;
            for (std::size_t word = 0; out.size() < 200'000; ++word)
                out.append("line ")
                    .append(std::to_string(word * 7'919 % 100'003))
                    .append(word % 9 == 0 ? "\n" : " ok ");
            return out;
        }();
        return all.substr(seed * 613 % (all.size() - size), size);
    }

    std::size_t count_ = 0;
    std::string id_;
};

enum class way { keep, release, borrow };

/// Processor seconds of a session of so many messages.
template <class Mix>
double seconds_of(Mix const& mix, std::size_t messages, way how) {
    condense::budget const limits{.window = 9'000_tokens, .output = 1'000_tokens};
    conversation source;
    std::vector<chat_message> history;
    auto const drive = [&](auto& session, auto const& push) {
        auto const begin = std::clock();
        for (std::size_t index = 0; index < messages; ++index) {
            push(session, source.next());
            if (index % 4 != 0) continue;
            bool const changed = session.prepare().changed();
            for (auto const& m : session.request()) static_cast<void>(m);
            if constexpr (condense::recoverable<Mix> && requires { session.release(condense::sequence{}); })
                if (changed && how == way::release) session.release(condense::sequence{index + 1});
        }
        return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    };
    if (how == way::borrow) {
        condense::session session{std::ref(history), mix, limits};
        return drive(session, [&](auto&, chat_message m) { history.push_back(std::move(m)); });
    }
    condense::session session{std::vector<chat_message>{}, mix, limits};
    return drive(session, [](auto& to, chat_message m) { to.push(std::move(m)); });
}

struct options {
    std::size_t largest = 100'000;
    std::size_t only = 0;  ///< the size of the one session to run; 0 for tables
    std::vector<std::string_view> names;

    bool wants(std::string_view name) const {
        bool wanted = names.empty();
        for (auto const each : names) wanted = wanted || each == name;
        return wanted;
    }
};

double exponent(double less, double more, double factor) { return std::log(more / less) / std::log(factor); }

/// One line of the table for each way in which a session may hold its messages.
template <class Make>
void measure(options const& given, std::string_view name, Make const& make) {
    if (!given.wants(name)) return;
    if (given.only != 0) return static_cast<void>(seconds_of(make(), given.only, way::keep));
    for (auto const& [how, label] :
         {std::pair{way::keep, ""}, {way::release, ", released"}, {way::borrow, ", borrowed"}}) {
        if (how == way::release && !condense::recoverable<decltype(make())>) continue;  // nothing can be given back
        std::cout << "| " << name << label << " |";
        double seconds[3] = {};
        for (std::size_t step = 0, size = given.largest / 100; step < 3; ++step, size *= 10) {
            seconds[step] = seconds_of(make(), size, how);
            std::printf(" %.3f |", seconds[step]);
            std::fflush(stdout);
        }
        std::printf(" %.2f | %.2f |\n", exponent(seconds[0], seconds[1], 10), exponent(seconds[1], seconds[2], 10));
    }
}

template <class Function>
double seconds_in(Function const& act) {
    auto const begin = std::clock();
    act();
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// One line of the second table: run(n) gives the seconds for n, for 4 n and for 16 n.
template <class Function>
void grow(options const& given, std::string_view name, std::size_t smallest, Function const& run) {
    if (!given.wants(name) || given.only != 0) return;
    std::cout << "| " << name << " | " << smallest << " |" << std::flush;
    double seconds[3] = {};
    for (std::size_t step = 0, size = smallest; step < 3; ++step, size *= 4) {
        seconds[step] = run(size);
        std::printf(" %.4f |", seconds[step]);
        std::fflush(stdout);
    }
    std::printf(" %.2f | %.2f |\n", exponent(seconds[0], seconds[1], 4), exponent(seconds[1], seconds[2], 4));
}

std::string id_of(std::size_t number) { return "call_" + std::to_string(number); }

/// The messages of the second table: calls, results of 300 bytes, or images, as many as wanted in each. Without `ids`
/// all ids are empty.
struct plain_messages {
    using message = chat_message;
    static message user(std::string text) { return chat_message::user(std::move(text)); }
    static message assistant(std::string text) { return chat_message::assistant(std::move(text)); }
    static message calls(std::size_t count, bool ids = true) {
        chat_message m{.role = condense::role::assistant};
        for (std::size_t number = 0; number < count; ++number)
            m = std::move(m).and_call(ids ? id_of(number) : "", "read", "{}");
        return m;
    }
    static message results(std::size_t count, bool ids = true, std::size_t first = 0) {
        chat_message m{.role = condense::role::tool};
        for (std::size_t number = 0; number < count; ++number)
            m.parts.push_back(chat_message::result(ids ? id_of(first + number) : "", std::string(300, 'a')).parts[0]);
        return m;
    }
    static message images(std::size_t count) {
        auto m = chat_message::user("see");
        for (std::size_t number = 0; number < count; ++number)
            m.parts.push_back({.kind = condense::part_kind::media,
                               .text = "image/png",
                               .sealed = true,
                               .cost = condense::cost::of(1'600_tokens)});
        return m;
    }
};

#if __has_include(<nlohmann/json.hpp>)
/// The same in the shape of Anthropic.
struct json_messages {
    using message = nlohmann::json;
    static message user(std::string text) { return {{"role", "user"}, {"content", std::move(text)}}; }
    static message assistant(std::string text) { return {{"role", "assistant"}, {"content", std::move(text)}}; }
    static message calls(std::size_t count, bool ids = true) {
        auto blocks = message::array();
        for (std::size_t number = 0; number < count; ++number) {
            blocks.push_back({{"type", "tool_use"}, {"name", "read"}, {"input", message::object()}});
            if (ids) blocks.back()["id"] = id_of(number);
        }
        return {{"role", "assistant"}, {"content", std::move(blocks)}};
    }
    static message results(std::size_t count, bool ids = true, std::size_t first = 0) {
        auto blocks = message::array();
        for (std::size_t number = 0; number < count; ++number) {
            blocks.push_back({{"type", "tool_result"}, {"content", std::string(300, 'a')}});
            if (ids) blocks.back()["tool_use_id"] = id_of(first + number);
        }
        return {{"role", "user"}, {"content", std::move(blocks)}};
    }
    static message images(std::size_t count) {
        auto blocks = message::array();
        blocks.push_back({{"type", "text"}, {"text", "see"}});
        message const source{{"type", "base64"}, {"media_type", "image/png"}, {"data", std::string(400, 'A')}};
        for (std::size_t number = 0; number < count; ++number)
            blocks.push_back({{"type", "image"}, {"source", source}});
        return {{"role", "user"}, {"content", std::move(blocks)}};
    }
};
#endif

/// Seconds of one reduction of these messages.
template <class Messages, class Mix>
double reduce_once(Messages history, Mix const& mix) {
    return seconds_in([&] { static_cast<void>(condense::reduce(history, mix, {.window = 1'000'000'000_tokens})); });
}

/// Shortens each result to 50 characters, and pairs calls with results.
auto everything() {
    return condense::pipeline{
        condense::repair{},
        condense::compress{.when = condense::always, .over = 100_chars, .with = condense::head{50_chars}}};
}

/// The rows for messages of one type, all parts in one message; `where` names it.
template <class Kind>
void grow_in_one_message(options const& given, std::string const& where) {
    using message = typename Kind::message;
    auto const around = [](auto... middle) {
        std::vector<message> all;
        all.push_back(Kind::user("go"));
        (all.push_back(std::move(middle)), ...);
        all.push_back(Kind::assistant("ok"));
        return all;
    };
    auto const row = [&](std::string const& name, auto const& messages_of) {
        grow(given, name + where, 500, [&](std::size_t n) { return reduce_once(messages_of(n), everything()); });
    };
    row("n results", [&](std::size_t n) { return around(Kind::calls(n), Kind::results(n)); });
    row("n results without a call",
        [&](std::size_t n) { return around(Kind::calls(1), Kind::results(1), Kind::results(n, true, 1)); });
    row("n repeated results",
        [&](std::size_t n) { return around(Kind::calls(n), Kind::results(n), Kind::results(n)); });
    row("n calls without a result", [&](std::size_t n) { return around(Kind::calls(n), Kind::user("leave it")); });
    row("n calls without ids", [&](std::size_t n) { return around(Kind::calls(n, false), Kind::results(n, false)); });
    row("n calls without ids or results",
        [&](std::size_t n) { return around(Kind::calls(n, false), Kind::user("leave it")); });
    grow(given, "n images" + where, 500, [&](std::size_t n) {
        auto history = around(Kind::assistant("what?"), Kind::images(n));
        history.push_back(Kind::user("go on"));
        return reduce_once(std::move(history), condense::pipeline{condense::compress{.when = condense::always,
                                                                                     .with = condense::media_note{}}});
    });
}

void grow_in_one_group(options const& given) {
    auto const open_round = [](std::size_t n, condense::tokens window) {
        auto const model = [](std::string const&) { return std::string{"It was read."}; };
        condense::session session{
            std::vector<chat_message>{},
            condense::presets::recommended(condense::memory_journal{}, condense::memory_store{}, model),
            condense::budget{.window = window}};
        return seconds_in([&] {
            session.push(chat_message::user("go"));
            session.push(plain_messages::calls(n));
            for (std::size_t number = 0; number < n; ++number) {
                session.push(chat_message::result(id_of(number), "some result"));
                static_cast<void>(session.prepare());
                static_cast<void>(session.request().size());
            }
        });
    };
    grow(given, "n results of an open round, prepare after each", 500,
         [&](std::size_t n) { return open_round(n, 100'000'000_tokens); });
    // Each preparation looks at all that cannot be left out: the square of n, as with as many calls of reduce.
    grow(given, "n results of an open round over the limit", 125,
         [&](std::size_t n) { return open_round(n, 1'000_tokens); });
    grow(given, "n groups with one id", 500, [&](std::size_t n) {
        std::vector<chat_message> history{chat_message::user("go")};
        for (std::size_t number = 0; number < n; ++number) {
            history.push_back(chat_message::call("one", "read", "{}"));
            history.push_back(chat_message::result("one", std::string(300, 'a')));
        }
        return reduce_once(std::move(history), everything());
    });
    grow(given, "n marks", 2'500, [&](std::size_t n) {
        std::vector<chat_message> history{chat_message::user("go")};
        for (std::size_t number = 0; number < n; ++number) {
            history.push_back(chat_message::call(id_of(number), "read", "{}"));
            history.push_back(chat_message::result(id_of(number), std::string(300, 'a')));
        }
        condense::run_options<> options;
        options.marks = true;
        condense::budget const limits{.window = 1'000'000'000_tokens};
        static_cast<void>(condense::reduce(history, everything(), limits, {}, options));
        return seconds_in([&] { static_cast<void>(condense::reduce(history, everything(), limits, {}, options)); });
    });
}

void grow_saved(options const& given) {
    grow(given, "save and restore n messages", given.largest / 16, [&](std::size_t n) {
        auto const model = [](std::string const&) { return std::string{"It was read."}; };
        auto const mix = condense::presets::recommended(condense::memory_journal{}, condense::memory_store{}, model);
        condense::budget const limits{.window = 9'000_tokens, .output = 1'000_tokens};
        condense::session session{std::vector<chat_message>{}, mix, limits};
        conversation source;
        for (std::size_t index = 0; index < n; ++index) {
            session.push(source.next());
            if (index % 4 == 0) static_cast<void>(session.prepare());
        }
        return seconds_in([&] {
            auto saved = session.state();
            condense::session restored{std::vector<chat_message>{}, mix, limits};
            if (restored.adopt(std::move(saved.state)) || restored.history().size() != n) std::cout << " not restored";
        });
    });
#if __has_include(<nlohmann/json.hpp>)
    auto const object_of = [](std::size_t keys) {
        std::string text = "{";
        for (std::size_t key = 0; key < keys; ++key)
            text += (key == 0 ? "\"key" : ",\"key") + std::to_string(key) + "\":1";
        return text + "}";
    };
    grow(given, "parse_json of n keys", 10'000, [&](std::size_t n) {
        auto const text = object_of(n);
        return seconds_in([&] { static_cast<void>(condense::parse_json(text)); });
    });
    grow(given, "settings_from_json of n keys", 10'000, [&](std::size_t n) {
        auto const text = object_of(n);
        return seconds_in([&] { static_cast<void>(condense::settings_from_json(text)); });
    });
    grow(given, "read_state of n keys", 10'000, [&](std::size_t n) {
        auto const text = object_of(n);
        condense::session_state state;
        return seconds_in([&] { static_cast<void>(condense::read_state(text, state)); });
    });
#endif
}

/// Text of about `size` bytes: lines of a log, rows of JSON, or prose.
std::string text_of(std::string_view kind, std::size_t size) {
    std::string text = kind == "json" ? "[" : "";
    for (std::size_t number = 1; text.size() < size; ++number) {
        auto const varied = std::to_string(number * 7'919 % 100'003);
        if (kind == "log")
            text += "2026-01-01 12:00:" + std::to_string(number % 60) + " INFO step " + varied + " done\n";
        else if (kind == "json")
            text +=
                (number == 1 ? "" : ",") + ("{\"id\":" + std::to_string(number) + ",\"name\":\"item " + varied + "\"}");
        else text += "word" + varied + " and some more text. ";
    }
    return kind == "json" ? text + "]" : text;
}

template <class Shortener>
void grow_text(options const& given, std::string_view name, std::string_view kind, Shortener const& shortener) {
    grow(given, name, 625'000, [&](std::size_t size) {
        std::vector<chat_message> history{chat_message::user("go"), chat_message::call("a", "read", "{}"),
                                          chat_message::result("a", text_of(kind, size)),
                                          chat_message::assistant("ok")};
        return reduce_once(std::move(history), condense::pipeline{condense::compress{
                                                   .when = condense::always, .over = 10'000_chars, .with = shortener}});
    });
}

}  // namespace

int main(int count, char** arguments) {
    options given;
    for (int index = 1; index < count; ++index) {
        auto const is = [&](std::string_view option) { return option == arguments[index] && index + 1 < count; };
        if (is("-n")) given.largest = std::strtoul(arguments[++index], nullptr, 10);
        else if (is("--size")) given.only = std::strtoul(arguments[++index], nullptr, 10);
        else given.names.push_back(arguments[index]);
    }
    if (given.only == 0)
        std::cout << "| session of so many messages, seconds | " << given.largest / 100 << " | " << given.largest / 10
                  << " | " << given.largest << " | exponent, first step | second |\n|---|---:|---:|---:|---:|---:|\n"
                  << std::flush;
    auto const model = [](std::string const&) { return std::string{"The user asked for files; they were read."}; };
    auto const journal = [] { return condense::memory_journal{}; };
    auto const store = [] { return condense::memory_store{}; };

    measure(given, "sliding_window", [&] { return condense::pipeline{condense::sliding_window{}}; });
    measure(given, "sliding_window, recorded",
            [&] { return condense::pipeline{condense::record{.to = journal()}, condense::sliding_window{}}; });
    measure(given, "compress, sliding_window",
            [&] { return condense::pipeline{condense::compress{.over = 500_chars}, condense::sliding_window{}}; });
    measure(given, "offload, sliding_window", [&] {
        return condense::pipeline{
            condense::offload{.over = 500_chars, .preview = condense::head{100_chars}, .into = store()},
            condense::sliding_window{}};
    });
    measure(given, "drop_superseded, sliding_window", [&] {
        return condense::pipeline{condense::drop_superseded{.transient = condense::tools("read_file")},
                                  condense::sliding_window{}};
    });
    measure(given, "repair, sliding_window",
            [&] { return condense::pipeline{condense::repair{}, condense::sliding_window{}}; });
    measure(given, "summarize", [&] { return condense::pipeline{condense::summarize{.with = model}}; });
    measure(given, "sliding_window, escalate",
            [&] { return condense::pipeline{condense::sliding_window{}, condense::escalate{}}; });
    measure(given, "progressive", [&] { return condense::presets::progressive(journal(), store(), model); });
    measure(given, "harness", [&] { return condense::presets::harness(journal(), store(), model); });
    measure(given, "cascade", [&] { return condense::presets::cascade(journal(), store(), model); });
    measure(given, "coding_agent", [&] { return condense::presets::coding_agent(journal(), model); });
    measure(given, "no_model", [&] { return condense::presets::no_model(journal(), store()); });
    measure(given, "recommended", [&] { return condense::presets::recommended(journal(), store(), model); });

    if (given.only != 0) return 0;
    std::cout << "\n| seconds for n, 4 n and 16 n | n | n | 4 n | 16 n | exponent, first step | second |\n"
              << "|---|---:|---:|---:|---:|---:|---:|\n"
              << std::flush;
    grow_in_one_message<plain_messages>(given, " in one message");
#if __has_include(<nlohmann/json.hpp>)
    grow_in_one_message<json_messages>(given, " in one JSON message");
#endif
    grow_in_one_group(given);
    grow_saved(given);
    grow(given, "planned, a session of n messages", given.largest / 160,
         [&](std::size_t n) { return seconds_of(condense::presets::planned(journal(), store()), n, way::keep); });
    grow_text(given, "compact_log", "log", condense::compact_log{});
    grow_text(given, "json_sample", "json", condense::json_sample{});
    grow_text(given, "json_minify", "json", condense::json_minify{});
    grow_text(given, "collapse_repeats", "log", condense::collapse_repeats{});
    grow_text(given, "head_tail", "prose", condense::head_tail{});
    grow_text(given, "by_content", "prose", condense::by_content{});
}
