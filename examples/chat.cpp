// SPDX-License-Identifier: BSL-1.0

// How do I write an agent that talks with a model for as long as it likes, and recovers when the window is full?
// chat [--endpoint URL] [--model NAME] [--window TOKENS] [--state FILE] [--no-stream] [--timeout SECONDS]
//      [--script plain|overflow] FOLDER        (`chat/` holds its parts)
// Without an endpoint a scripted model answers. The key of an endpoint comes from OPENAI_API_KEY.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <condense/adapt/json.hpp>
#include <condense/adapt/state_file.hpp>
#include <condense/condense.hpp>
#include <condense/store/memory.hpp>

#include "chat/arguments.hpp"
#include "chat/conversation.hpp"
#include "chat/model.hpp"
#include "chat/scripted.hpp"
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

constexpr std::string_view system_prompt =
    "You help with the files of one folder. Use the tools list, read and search; their paths are relative to the folder.";

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

    condense::family_estimator const estimate{condense::family_of(chosen.model)};
    condense::budget const limits{.window = {chosen.window}, .output = {chosen.window / 8}, .overhead = estimate(schemas.dump()).tokens()};
    condense::session chat{std::vector<json>{}, mix_for(chosen.window), limits, estimate, condense::run_options<>{}};
    if (!chosen.state.empty() && ::access(chosen.state.c_str(), F_OK) == 0) {
        if (auto const error = condense::restore_file(chat, chosen.state)) return complain(chosen.state + ": " + std::string{error.reason});
    } else chat.push({{"role", "system"}, {"content", system_prompt}});

    repl::tools const tools{folder};
    repl::conversation talk{chat, std::move(model), tools, chosen};
    repl::show(chosen.endpoint.empty() ? "a scripted model answers" : repl::one_line(chosen.model) + " answers");
    repl::show(CHAT_HAS_CURL != 0 ? "; /help lists the commands\n" : " (built without libcurl); /help lists the commands\n");
    bool const terminal = ::isatty(STDIN_FILENO) != 0;
    for (;;) {
        if (terminal) repl::show("> ");
        auto const line = repl::read_line();
        if (line.too_long) repl::show("that line is too long: it is left out\n");
        else if (line.ended || !talk.take(line.text)) break;
    }
    return chosen.state.empty() || talk.save(chosen.state) ? 0 : 1;
}
