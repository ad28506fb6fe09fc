// SPDX-License-Identifier: BSL-1.0

// My agent program is not mine: how does it get its past back?
// recall_server --transcript FILE, or --journal PATH --store PATH, as an MCP server of Claude Code, Codex, opencode and
// the like: the agent reads and searches what has left its conversation. `recall_server --help` lists the options.

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/pass.hpp>
#include <condense/recovery/prompt.hpp>
#include <condense/recovery/tools.hpp>
#include <condense/store/file.hpp>
#include <condense/store/sqlite_journal.hpp>
#include <condense/store/sqlite_store.hpp>

#include "command_line.hpp"
#include "recall/protocol.hpp"
#include "recall/transcript.hpp"

namespace {

using recall::json;

constexpr auto usage = "--transcript FILE | --journal PATH | --store PATH";

struct settings {
    std::optional<std::string> journal;
    std::optional<std::string> store;
    std::optional<std::string> conversation;
    std::vector<std::string> transcripts;
    bool all = false;
    condense::chars most = condense::recovery_options{}.most;
};

void describe(CLI::App& app, settings& chosen) {
    auto const path = command_line::not_empty();
    auto* const journal =
        app.add_option("--journal", chosen.journal, "what `record` wrote: a folder, or a file that ends in .db");
    journal->check(path);
    app.add_option("--store", chosen.store, "what `offload` stored: a folder, or a file that ends in .db")->check(path);
    app.add_option("--transcript", chosen.transcripts,
                   "a conversation as the agent program writes it, as JSON or JSON lines; several are several "
                   "conversations, the last one is the agent's own")
        ->check(path)
        ->allow_extra_args(false)
        ->excludes(journal);
    app.add_option("--conversation", chosen.conversation,
                   "the agent's own conversation; the file's name of the last transcript, or empty, unless given");
    app.add_flag("--all", chosen.all, "the agent may see every conversation");
    app.add_option("--most", chosen.most.count, "characters of an answer; 1000 unless given")
        ->transform(command_line::whole_number(400, condense::most_recovered.count, "characters"));
}

/// The files by their names; of the same name by their paths.
std::vector<recall::transcript> transcripts_of(settings const& chosen) {
    std::vector<recall::transcript> all;
    for (auto const& path : chosen.transcripts) {
        auto id = std::filesystem::path{path}.filename().string();
        if (&path == &chosen.transcripts.back() && chosen.conversation) id = *chosen.conversation;
        if (std::any_of(all.begin(), all.end(), [&](auto const& each) { return each.id() == id; })) id = path;
        all.emplace_back(path, std::move(id));
    }
    return all;
}

/// Calls f(store) with what the path means.
template <class Folder, class Database, class None, class Function>
int with_place(std::optional<std::string> const& path, Function&& f) {
    if (!path) return f(None{});
    if (path->ends_with(".db")) return f(Database{*path});
    return f(Folder{*path});
}

/// Answers until standard input ends.
int serve(recall::protocol const& protocol) {
    while (auto const line = recall::next_line(recall::protocol::most_line)) {
        if (line->find_first_not_of(" \t\r") == line->npos) continue;
        auto const answer = protocol.answer(*line);
        std::fwrite(answer.data(), 1, answer.size(), stdout);
        if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) continue;
        std::cerr << "recall_server: standard output cannot be written\n";
        return 1;
    }
    return 0;
}

/// For the prompt: all that the tools offer may be missing from the conversation.
struct any_mix {
    static constexpr auto effects = condense::externalizes;
    static constexpr bool records = true;
    static constexpr bool journals = true;
};

template <class Tools, class Refresh>
int serve(Tools const& tools, Refresh const& refresh) {
    return serve(
        recall::protocol{{.instructions = condense::recovery_prompt<any_mix>(tools),
                          .tools = condense::parse_json<json>(tools.definitions(condense::tool_format::mcp)).value,
                          .has = [&](std::string_view tool) { return tools.has(tool); },
                          .call =
                              [&](std::string_view tool, std::string_view arguments) {
                                  refresh();
                                  return tools.call(tool, arguments);
                              }}});
}

int run(settings const& chosen) {
    condense::recovery_options options{.conversation = chosen.conversation.value_or(""), .most = chosen.most};
    if (chosen.all) options.granted = [](std::string_view) { return true; };
    using condense::no_store;
    return with_place<condense::artifact_folder, condense::sqlite_store, no_store>(
        chosen.store, [&](auto const& store) {
            if (chosen.transcripts.empty())
                return with_place<condense::journal_folder, condense::sqlite_journal, condense::no_journal>(
                    chosen.journal, [&](auto const& journal) {
                        return serve(condense::recovery_tools{store, journal, options, recall::content_text{}}, [] {});
                    });
            auto const all = transcripts_of(chosen);
            options.conversation = all.back().id();
            if (!chosen.all)
                options.granted = [all](std::string_view id) {
                    return std::any_of(all.begin(), all.end(), [&](auto const& each) { return each.id() == id; });
                };
            recall::transcripts const journal{all};
            auto const text = [](std::string_view content) { return std::string{content}; };
            return serve(condense::recovery_tools{store, journal, options, text}, [&] { journal.refresh(); });
        });
}

}  // namespace

int main(int count, char** arguments) {
    CLI::App app{
        "An MCP server, on standard input and output, that gives an agent its own past.\n"
        "Exit status: 0 at the end of input, 1 if output cannot be written, 2 for wrong usage.",
        "recall_server"};
    settings chosen;
    describe(app, chosen);
    std::signal(SIGPIPE, SIG_IGN);
    try {
        if (auto const status = command_line::read(app, count, arguments, usage)) return *status;
        if (!chosen.journal && !chosen.store && chosen.transcripts.empty())
            return command_line::refuse(app, usage, "there is nothing to read");
        return run(chosen);
    } catch (std::exception const& problem) {
        std::cerr << "recall_server: " << problem.what() << '\n';
        return 1;
    }
}
