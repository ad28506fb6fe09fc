// SPDX-License-Identifier: BSL-1.0

// How do I write an agent that talks with a model for as long as it likes, and recovers when the window is full?
// chat [--endpoint URL] [--model NAME] [--window TOKENS] [--state FILE] [--no-stream] [--timeout SECONDS]
//      [--script plain|overflow] FOLDER        (`chat/` holds its parts)
// Without an endpoint a scripted model answers. The key of an endpoint comes from OPENAI_API_KEY.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>
#include <condense/store/memory.hpp>

#include "chat/arguments.hpp"
#include "chat/model.hpp"
#include "chat/scripted.hpp"
#include "chat/state_file.hpp"
#include "chat/terminal.hpp"
#include "chat/tools.hpp"

#if __has_include(<curl/curl.h>) && !defined(CHAT_WITHOUT_CURL)
#include "chat/endpoint.hpp"
#define CHAT_HAS_CURL 1
#else
#define CHAT_HAS_CURL 0
#endif

namespace {

using namespace condense::literals;
using condense::used;
using repl::json;
using repl::show;

constexpr std::string_view system_prompt =
    "You help with the files of one folder. Use the tools list, read and search; their paths are relative to the folder.";

constexpr std::string_view help =
    "/tokens        what is used, and what the provider counted\n"
    "/compact       reduces now\n"
    "/pin [N]       message N, or your latest one, stays as it is\n"
    "/undo          takes the newest reduction back\n"
    "/save [FILE]   writes the conversation, by default to the file of --state\n"
    "/quit          ends; so does the end of input\n"
    "anything else is said to the model; the scripted one knows: list [FOLDER], read FILE, search TEXT, count TEXT,\n"
    "call NAME ARGUMENTS\n";

/// Who answers; `problem` says why nobody does.
repl::model model_for(repl::arguments const& chosen, json const& tools, std::string& problem) {
    if (chosen.endpoint.empty()) return repl::scripted_model{chosen.overflow};
#if CHAT_HAS_CURL
    auto const* const key = std::getenv("OPENAI_API_KEY");
    repl::endpoint there{{.url = chosen.endpoint,
                          .model = chosen.model,
                          .key = key == nullptr ? "" : key,
                          .tools = tools,
                          .stream = chosen.stream,
                          .seconds = static_cast<long>(chosen.timeout)}};
    problem = there.problem();
    return there;
#else
    static_cast<void>(tools);
    problem = "this program was built without libcurl: leave --endpoint out for the scripted model";
    return {};
#endif
}

/// One result may take about an eighth of a small window, and 10,000 characters of a large one.
auto mix_for(std::uint64_t window) {
    condense::chars const most{std::clamp(window / 2, std::uint64_t{400}, std::uint64_t{10'000})};
    condense::head_tail const ends{condense::chars{most.count * 2 / 5}, condense::chars{most.count * 2 / 5}};
    return condense::pipeline{condense::offload{.over = most, .preview = ends, .into = condense::memory_store{}},
                              condense::compress{.when = used >= 65_pct, .over = most, .with = ends},
                              condense::summarize{.when = used >= 80_pct},
                              condense::sliding_window{.when = used >= 90_pct},
                              condense::escalate{.when = used >= 90_pct}};
}

/// The messages of one conversation with all that acts on them.
template <class Session>
class conversation {
public:
    conversation(Session& chat, repl::model model, repl::tools const& tools, repl::arguments const& chosen)
        : chat_{chat}, model_{std::move(model)}, tools_{tools}, chosen_{chosen} {}

    /// False when it is over.
    bool take(std::string const& line) {
        if (line.empty()) return true;
        if (line.front() != '/') {
            turn(line);
            return true;
        }
        auto const name = line.substr(0, line.find(' '));
        auto const argument = name.size() == line.size() ? std::string{} : line.substr(name.size() + 1);
        if (name == "/quit") return false;
        if (name == "/tokens") tokens();
        else if (name == "/compact") show(chat_.run().text());
        else if (name == "/pin") pin(argument);
        else if (name == "/undo") show(chat_.undo() ? "the newest reduction is taken back\n" : "there is nothing to take back\n");
        else if (name == "/save") save(argument.empty() ? chosen_.state : argument);
        else if (name == "/help") show(help);
        else show("unknown command " + repl::one_line(name) + "; /help lists what there is\n");
        return true;
    }

    bool save(std::string const& path) {
        if (path.empty()) return show("/save: a file is wanted\n"), false;
        auto const problem = repl::write_state(path, condense::save(chat_));
        show(problem.empty() ? "saved\n" : repl::one_line(path) + ": " + problem + "\n");
        return problem.empty();
    }

private:
    static constexpr int most_rounds = 16;

    /// What the user says, and all that the model does about it.
    void turn(std::string const& said) {
        chat_.push({{"role", "user"}, {"content", condense::detail::utf8::scrubbed(said)}});
        int rounds = 0;
        while (++rounds <= most_rounds && round()) {}
        if (rounds > most_rounds) show("[stopped: the model has used tools " + std::to_string(most_rounds) + " times]\n");
        show("[" + chat_.status() + "]\n");
    }

    /// One call of the model and the tools that it wants; false when it wants none.
    bool round() {
        refused_.clear();
        auto const result = ask();
        if (!result) {
            show("[no answer: " + (result.error.status != 0 ? "status " + std::to_string(result.error.status) + ", " : std::string{}) +
                 repl::one_line(result.error.text, 1'000) + "]\n");
            return false;
        }
        if (!refused_.empty()) show("[recovered from: " + repl::one_line(refused_) + "]\n");
        auto const calls = repl::calls_of(*result.answer);
        auto const text = repl::text_member(*result.answer, "content");
        if (!chosen_.stream) show(text);
        if (!text.empty() && !text.ends_with('\n')) show("\n");
        if (text.empty() && calls.empty()) show("[an empty answer]\n");
        for (auto const& call : calls) {  // copies: a push may move the messages
            auto output = tools_.run(call.name, call.arguments);
            show("[" + repl::one_line(call.name, 40) + " " + repl::one_line(call.arguments, 100) + ": " + std::to_string(output.size()) + " bytes]\n");
            chat_.push({{"role", "tool"}, {"tool_call_id", call.id}, {"content", std::move(output)}});
        }
        return !calls.empty();
    }

    /// Reduces where that is due, recovers once where the window is full after all, and takes the answer in.
    auto ask() {
        auto const noted = [this](repl::reply made) {
            refused_ = made.message ? refused_ : made.error.text;
            spent_.input = spent_.input + made.usage.input;
            spent_.output = spent_.output + made.usage.output;
            spent_.cache_read = spent_.cache_read + made.usage.cache_read;
            return made;
        };
        if (!chosen_.stream)
            return chat_.call([&](auto const& request) { return noted(model_(repl::copied(request), [](std::string_view) {})); });
        return chat_.call([&](auto const& request, auto&& shown) {
            return noted(model_(repl::copied(request), [&](std::string_view piece) {
                show(piece);
                shown(piece);
            }));
        });
    }

    void tokens() {
        auto const now = chat_.used();
        show(chat_.status() + "\n" + std::to_string(now.messages.count) + " messages and " + std::to_string(now.turns.count) + " turns are sent; " +
             std::to_string(chat_.history().size()) + " messages are kept\nthe provider counted " + std::to_string(spent_.input.count) +
             " tokens in, " + std::to_string(spent_.cache_read.count) + " from its cache, " + std::to_string(spent_.output.count) + " out\n");
    }

    void pin(std::string const& which) {
        auto const& all = chat_.history();
        std::uint64_t at = all.size();
        if (which.empty()) {
            while (at != 0 && repl::text_member(all[at - 1], "role") != "user") --at;
            if (at-- == 0) return show("/pin: you have said nothing yet\n");
        } else if (all.empty() || !repl::read_number(which, 0, all.size() - 1, at))
            return show("/pin: the number of a message is wanted, below " + std::to_string(all.size()) + "\n");
        chat_.pin(condense::sequence{at});
        show("message " + std::to_string(at) + " is pinned: " + repl::one_line(repl::text_member(all[at], "content"), 60) + "\n");
    }

    Session& chat_;
    repl::model model_;
    repl::tools const& tools_;
    repl::arguments const& chosen_;
    condense::provider_usage spent_ = {};
    std::string refused_ = {};  ///< why the model refused the latest request that it refused in this round
};

int complain(std::string const& problem) {
    std::cerr << "chat: " << repl::one_line(problem) << '\n' << repl::usage_line;
    return 2;
}

}  // namespace

int main(int count, char** given) {
    auto const chosen = repl::read_arguments(count, given);
    if (!chosen.problem.empty()) return complain(chosen.problem);
    repl::workspace const folder{chosen.folder};
    if (folder.error() != 0) return complain(chosen.folder + ": " + std::string{repl::posix::fault("open", folder.error())});
    auto const schemas = repl::tool_schemas();
    std::string problem;
    auto model = model_for(chosen, schemas, problem);
    if (!problem.empty()) return complain("--endpoint: " + problem);

    auto const estimate = condense::with_family(chosen.model, [](auto family) { return condense::char_ratio<decltype(family)>::ratio(); });
    condense::budget const limits{.window = {chosen.window}, .output = {chosen.window / 8}, .overhead = estimate(schemas.dump()).tokens()};
    std::vector<json> first;
    first.push_back({{"role", "system"}, {"content", system_prompt}});
    shim::session chat{std::move(first), mix_for(chosen.window), limits, estimate, condense::run_options<>{}};
    if (!chosen.state.empty()) {
        auto const held = repl::read_state(chosen.state);
        if (!held.error.empty()) return complain(chosen.state + ": " + held.error);
        if (held.exists && condense::restore(chat, held.text)) return complain(chosen.state + ": it holds no conversation");
    }

    repl::tools const tools{folder};
    conversation talk{chat, std::move(model), tools, chosen};
    show(chosen.endpoint.empty() ? "a scripted model answers" : repl::one_line(chosen.model) + " answers");
    show(CHAT_HAS_CURL != 0 ? "; /help lists the commands\n" : " (built without libcurl); /help lists the commands\n");
    bool const terminal = ::isatty(STDIN_FILENO) != 0;
    for (;;) {
        if (terminal) show("> ");
        auto const line = repl::read_line();
        if (line.too_long) show("that line is too long: it is left out\n");
        else if (line.ended || !talk.take(line.text)) break;
    }
    return chosen.state.empty() || talk.save(chosen.state) ? 0 : 1;
}
