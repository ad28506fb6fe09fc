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
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/json_parse.hpp>
#include <condense/recovery/tools.hpp>

#include "command_line.hpp"
#include "kept/kept.hpp"
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
    bool latest = false;
    condense::tokens most = condense::recovery_options{}.most;
};

command_line::program const program{
    "recall_server",
    "An MCP server, on standard input and output, that gives an agent its own past.\n"
    "Exit status: 0 at the end of input, 1 if output cannot be written, 2 for wrong usage.",
    usage};

std::vector<command_line::option> options_of(settings& chosen) {
    auto const path = command_line::not_empty();
    return {
        {"--journal", &chosen.journal, "what `record` wrote: a folder, a file that ends in .db, or redis://HOST", path},
        {"--store", &chosen.store, "what `offload` stored: a folder, a file that ends in .db, or redis://HOST", path},
        {.name = "--transcript",
         .to = &chosen.transcripts,
         .help = "a conversation as the agent program writes it, as JSON or JSON lines; several are several "
                 "conversations, the last one is the agent's own",
         .accepts = path,
         .excludes = "--journal"},
        {"--conversation", &chosen.conversation,
         "the agent's own conversation; the file's name of the last transcript, or empty, unless given"},
        {"--all", &chosen.all, "the agent may see every conversation"},
        {"--latest", &chosen.latest, "the agent's own conversation is the one with the latest entry in the journal"},
        {"--most", &chosen.most.count, "tokens of an answer; 450 unless given",
         command_line::whole_number(180, 3'600, "tokens")}};
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

/// The transcripts of the command line; the last is the agent's own, and it may see the others.
recall::transcripts transcripts_at(settings const& chosen, condense::recovery_options& options) {
    auto const all = transcripts_of(chosen);
    options.conversation = all.back().id();
    if (!chosen.all)
        options.granted = [all](std::string_view id) {
            return std::any_of(all.begin(), all.end(), [&](auto const& each) { return each.id() == id; });
        };
    return recall::transcripts{all};
}

int run(settings const& chosen) {
    condense::recovery_options options{.conversation = chosen.conversation.value_or(""), .most = chosen.most};
    if (chosen.all) options.granted = [](std::string_view) { return true; };
    std::optional<recall::transcripts> files;
    kept::any_journal journal;
    if (!chosen.transcripts.empty()) journal = kept::any_journal::of(files.emplace(transcripts_at(chosen, options)));
    else if (chosen.journal) journal = kept::journal_at(*chosen.journal);
    auto const store = chosen.store ? kept::store_at(*chosen.store) : kept::any_store{};
    kept::tools::text_function text = kept::content_text;
    if (files) text = [](std::string_view shown) { return std::string{shown}; };
    auto const tools = [&] { return kept::tools{store, journal, options, text}; };
    auto const call = [&](std::string_view tool, std::string_view arguments) {
        if (files) files->refresh();
        bool is_first = chosen.latest;
        if (is_first)
            static_cast<void>(journal.each_conversation([&](condense::journal_conversation const& each) {
                if (std::exchange(is_first, false)) options.conversation = each.id;
            }));
        return tools().call(tool, arguments);
    };
    auto const offered = tools();
    return serve(
        recall::protocol{{.instructions = offered.prompt(),
                          .tools = condense::parse_json<json>(offered.definitions(condense::tool_format::mcp)).value,
                          .has = [&](std::string_view tool) { return offered.has(tool); },
                          .call = call}});
}

}  // namespace

int main(int count, char** arguments) {
    settings chosen;
    std::signal(SIGPIPE, SIG_IGN);
    try {
        if (auto const status = command_line::read(program, options_of(chosen), count, arguments)) return *status;
        if (!chosen.journal && !chosen.store && chosen.transcripts.empty())
            return command_line::refuse(program, "there is nothing to read");
        if (chosen.latest && !chosen.journal) return command_line::refuse(program, "--latest: a journal is wanted");
        return run(chosen);
    } catch (std::exception const& problem) {
        std::cerr << "recall_server: " << problem.what() << '\n';
        return 1;
    }
}
