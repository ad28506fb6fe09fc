// SPDX-License-Identifier: BSL-1.0

// Claim: a session's total time grows in line with its messages, with every layer and preset: exponent at most 1.05
// from the smallest to the largest size.
// ./bench_run_growth [-n LARGEST] [NAME...]   prints Markdown; sizes are LARGEST/100, LARGEST/10 and LARGEST (100,000)

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
    std::vector<std::string_view> names;
};

/// One line of the table for each way in which a session may hold its messages.
template <class Make>
void measure(options const& given, std::string_view name, Make const& make) {
    bool wanted = given.names.empty();
    for (auto const each : given.names) wanted = wanted || each == name;
    if (!wanted) return;
    for (auto const [how, label] :
         {std::pair{way::keep, ""}, {way::release, ", released"}, {way::borrow, ", borrowed"}}) {
        if (how == way::release && !condense::recoverable<decltype(make())>) continue;  // nothing can be given back
        std::cout << "| " << name << label << " |";
        double seconds[3] = {};
        for (std::size_t step = 0, size = given.largest / 100; step < 3; ++step, size *= 10) {
            seconds[step] = seconds_of(make(), size, how);
            std::printf(" %.3f |", seconds[step]);
            std::fflush(stdout);
        }
        std::printf(" %.2f | %.2f |\n", std::log10(seconds[1] / seconds[0]), std::log10(seconds[2] / seconds[1]));
    }
}

}  // namespace

int main(int count, char** arguments) {
    options given;
    for (int index = 1; index < count; ++index) {
        if (std::string_view{arguments[index]} == "-n" && index + 1 < count)
            given.largest = std::strtoul(arguments[++index], nullptr, 10);
        else given.names.push_back(arguments[index]);
    }
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
}
