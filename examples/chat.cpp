// SPDX-License-Identifier: BSL-1.0

// How do I write an agent that talks with a model for as long as it likes, and recovers when the window is full?
// chat FOLDER; `chat --help` lists the options, and `chat/` holds its parts.
// Without an endpoint a scripted model answers. The key of an endpoint comes from OPENAI_API_KEY.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <condense/adapt/json.hpp>
#include <condense/adapt/state_file.hpp>
#include <condense/condense.hpp>
#include <condense/config/model_roles.hpp>
#include <condense/estimate/models.hpp>
#include <condense/recovery/tools.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "chat/arguments.hpp"
#include "chat/conversation.hpp"
#include "chat/interrupt.hpp"
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
    "You help with the files of one folder. Use the tools list, read and search; their paths are relative to the "
    "folder. Where a result says that the whole is stored, the tool stored gives it piece by piece. Earlier messages "
    "that "
    "are not shown any more are found by search_history, and read by read_message.";

#if CHAT_HAS_CURL
repl::endpoint endpoint_for(repl::arguments const& chosen, std::string_view model, json const& tools) {
    return repl::endpoint{condense::openai_client::settings_from_environment(
        {.model = std::string{model},
         .base_url = chosen.endpoint,
         .body = tools.empty() ? json::object() : json{{"tools", tools}},
         .stream = chosen.stream,
         .within = {chosen.timeout * 1'000'000'000}})};
}
#endif

/// Who answers; `problem` says why nobody does.
repl::model model_for(repl::arguments const& chosen, json const& tools, std::string& problem) {
    if (chosen.endpoint.empty()) return repl::scripted_model{chosen.overflow()};
#if CHAT_HAS_CURL
    auto there = endpoint_for(chosen, chosen.model, tools);
    problem = there.problem();
    return there;
#else
    static_cast<void>(tools);
    problem = "this program was built without libcurl: leave --endpoint out for the scripted model";
    return {};
#endif
}

/// Who summarises: the model that SUMMARIZER_MODEL names, else a cheap one if that which answers is expensive, else the
/// same. Nobody without an endpoint: then the rule behind it does.
repl::summariser summariser_for(repl::arguments const& chosen) {
#if CHAT_HAS_CURL
    auto const roles = condense::model_roles::from_environment(chosen.model);
    auto const facts = condense::find_model(chosen.model).facts;
    if (!chosen.endpoint.empty()) return endpoint_for(chosen, roles.model_for(roles.summariser, facts), json::object());
#endif
    static_cast<void>(chosen);
    return [](condense::model_prompt const&, condense::ask_limits) -> condense::reply<std::string> {
        return {.error = {0, "no model that writes summaries"}};
    };
}

/// One result may take about an eighth of a small window, and 10,000 characters of a large one.
auto mix_for(std::uint64_t window, repl::summariser const& model) {
    condense::chars const most{repl::most_in_one_result(window)};
    condense::head_tail const ends{condense::chars{most.count * 2 / 5}, condense::chars{most.count * 2 / 5}};
    return condense::pipeline{condense::offload{.over = most, .preview = ends, .into = condense::memory_store{}},
                              condense::compress{.when = used >= 65_pct, .over = most, .with = ends},
                              condense::fallback{condense::summarize{.when = used >= 80_pct, .with = model},
                                                 condense::summarize{.when = used >= 80_pct}},
                              condense::sliding_window{.when = used >= 90_pct},
                              condense::escalate{.when = used >= 90_pct}};
}

/// One line for each reduction that nobody asked for.
struct reductions {
    void operator()(condense::events::reduced const& event) const {
        if (!event.manual && event.after != event.before) repl::show("[" + event.text() + "]\n");
    }
};

using session = condense::session<
    std::vector<json>, decltype(mix_for(0, {})), condense::family_estimator,
    condense::run_options<condense::steady_clock, condense::never_stops, condense::no_pins, reductions>>;

condense::budget limits_for(std::uint64_t window, condense::tokens overhead) {
    return {.window = {window}, .output = {window / 8}, .overhead = overhead};
}

}  // namespace

int main(int count, char** given) {
    repl::arguments chosen;
    if (auto const status = command_line::read(repl::program, repl::options_of(chosen), count, given)) return *status;
    auto const complain = [&](std::string const& problem) {
        return command_line::refuse(repl::program, repl::one_line(problem));
    };
    if (chosen.overflow() && !chosen.endpoint.empty()) return complain("--script: there is an endpoint");
    repl::workspace const folder{chosen.folder};
    if (folder.error() != 0)
        return complain(chosen.folder + ": " + std::string{repl::posix::fault("open", folder.error())});
    if (!chosen.state.empty() && !repl::has_folder(chosen.state))
        return complain(chosen.state + ": there is no such folder");
    auto schemas = repl::tool_schemas();
    condense::recovery_tools const past{condense::no_store{}, condense::memory_journal{}};
    for (auto const& each : json::parse(past.definitions(condense::tool_format::openai)))
        if (each["function"]["name"] != "list_sessions") schemas.push_back(each);  // there is one
    std::string problem;
    auto model = model_for(chosen, schemas, problem);
    if (!problem.empty()) return complain("--endpoint: " + problem);

    condense::family_estimator const estimate{condense::family_of(chosen.model)};
    auto const overhead = estimate(schemas.dump()).tokens();
    auto window = chosen.window.value_or(32'000);
    auto const begin = [&] {
        return std::make_unique<session>(std::vector<json>{}, mix_for(window, summariser_for(chosen)),
                                         limits_for(window, overhead), estimate);
    };
    auto chat = begin();
    if (!chosen.state.empty() && ::access(chosen.state.c_str(), F_OK) == 0) {
        auto error = condense::restore_file(*chat, chosen.state);
        // The mix is of a window: without --window it is that of the state, else the state goes on in another.
        if (!error && !chosen.window && chat->limits().window.count != window) {
            window = chat->limits().window.count;
            chat = begin();
            error = condense::restore_file(*chat, chosen.state);
        }
        if (error) return complain(chosen.state + ": " + std::string{error.reason});
        if (chosen.window) chat->set_limits(limits_for(window, overhead));
    } else chat->push({{"role", "system"}, {"content", system_prompt}});

    repl::tools const tools{folder};
    repl::conversation talk{*chat, std::move(model), tools, chosen, window};
    repl::show(chosen.endpoint.empty() ? "a scripted model answers" : repl::one_line(chosen.model) + " answers");
    repl::show(CHAT_HAS_CURL != 0 ? "; /help lists the commands\n"
                                  : " (built without libcurl); /help lists the commands\n");
    repl::ending const on_interrupt;  // at the prompt it ends the program as /quit does
    repl::line_reader lines;
    while (!on_interrupt.wanted()) {
        auto const line = lines.next("> ");
        if (line.too_long) repl::show("that line is too long: it is left out\n");
        else if (line.ended || !talk.take(line.text)) break;
    }
    return chosen.state.empty() || talk.save(chosen.state) ? 0 : 1;
}
