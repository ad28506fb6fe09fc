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
#include <variant>
#include <vector>

#include <condense/core/pass.hpp>
#include <condense/recovery/prompt.hpp>
#include <condense/recovery/tools.hpp>

#include "command_line.hpp"
#include "recall/protocol.hpp"
#include "recall/stores.hpp"
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
    condense::chars most = condense::recovery_options{}.most;
};

command_line::program const program{
    "recall_server",
    "An MCP server, on standard input and output, that gives an agent its own past.\n"
    "Exit status: 0 at the end of input, 1 if output cannot be written, 2 for wrong usage.",
    usage};

std::vector<command_line::option> options_of(settings& chosen) {
    auto const path = command_line::not_empty();
    return {
        {"--journal", &chosen.journal, "what `record` wrote: a folder, or a file that ends in .db", path},
        {"--store", &chosen.store, "what `offload` stored: a folder, or a file that ends in .db", path},
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
        {"--most", &chosen.most.count, "characters of an answer; 1000 unless given",
         command_line::whole_number(400, condense::most_recovered.count, "characters")}};
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

/// For the prompt: all that the tools offer may be missing from the conversation.
struct any_mix {
    static constexpr auto effects = condense::externalizes;
    static constexpr bool records = true;
    static constexpr bool journals = true;
};

/// `read`: the journal, or null; `latest`: the conversation with the latest entry there is the agent's own.
template <class Store, class Journal>
int serve(Store const& store, Journal const& journal, condense::recovery_options options, recall::any_text const& text,
          recall::any_journal const* read, bool latest) {
    auto const tools = [&] { return condense::recovery_tools{store, journal, options, text}; };
    auto const call = [&](std::string_view tool, std::string_view arguments) {
        if (auto const* const files = read == nullptr ? nullptr : std::get_if<recall::transcripts>(&read->of))
            files->refresh();
        if (latest && read != nullptr) {
            bool is_first = true;
            static_cast<void>(read->each_conversation([&](condense::journal_conversation const& each) {
                if (std::exchange(is_first, false)) options.conversation = each.id;
            }));
        }
        return tools().call(tool, arguments);
    };
    auto const offered = tools();
    return serve(
        recall::protocol{{.instructions = condense::recovery_prompt<any_mix>(offered),
                          .tools = condense::parse_json<json>(offered.definitions(condense::tool_format::mcp)).value,
                          .has = [&](std::string_view tool) { return offered.has(tool); },
                          .call = call}});
}

/// The journal or the transcripts of the command line; and how far the agent may see where these are transcripts.
std::optional<recall::any_journal> journal_of(settings const& chosen, condense::recovery_options& options) {
    if (!chosen.transcripts.empty()) {
        auto const all = transcripts_of(chosen);
        options.conversation = all.back().id();
        if (!chosen.all)
            options.granted = [all](std::string_view id) {
                return std::any_of(all.begin(), all.end(), [&](auto const& each) { return each.id() == id; });
            };
        return recall::any_journal{recall::transcripts{all}};
    }
    if (!chosen.journal) return std::nullopt;
    return recall::journal_at(*chosen.journal);
}

int run(settings const& chosen) {
    condense::recovery_options options{.conversation = chosen.conversation.value_or(""), .most = chosen.most};
    if (chosen.all) options.granted = [](std::string_view) { return true; };
    auto const journal = journal_of(chosen, options);
    recall::any_text const text{!chosen.transcripts.empty()};
    auto const* const read = journal ? &*journal : nullptr;
    if (!chosen.store) return serve(condense::no_store{}, *journal, options, text, read, chosen.latest);
    auto const store = recall::store_at(*chosen.store);
    if (!journal) return serve(store, condense::no_journal{}, options, text, read, chosen.latest);
    return serve(store, *journal, options, text, read, chosen.latest);
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
