// SPDX-License-Identifier: BSL-1.0
// What an answer needs and no longer sees, an agent finds with the recovery tools.
#include <condense/recovery/tools.hpp>

#include <nlohmann/json.hpp>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>
#include <condense/preset/no_model.hpp>
#include <condense/replay/item_index.hpp>
#include <condense/replay/script.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>
#include <condense/store/sqlite_journal.hpp>
#include <condense/store/sqlite_store.hpp>

#include "store/scratch.hpp"
#include "support/effort.hpp"

namespace {

using namespace condense::literals;
using condense::script_aware, condense::sliding_window, condense::used;
using condense::detail::item_index, condense::escalate, condense::head_tail, condense::memory_store, condense::pipeline;
using json = nlohmann::ordered_json;
using conversation = json::array_t;

/// What an agent found, and what it took.
struct figures {
    std::uint64_t items = 0;  ///< needed and not in the request
    std::uint64_t found = 0;
    std::uint64_t most_tokens = 0;  ///< of one result
    std::map<std::string, std::uint64_t> found_by = {};  ///< by the tool that showed the item
};

std::string text_of(json const& m) {
    std::string text;
    condense::each_part(m, [&](condense::part_view const& part) { text.append(part.text).append("\n"); });
    return text;
}

/// An agent of fixed habits: it searches for the name that it is about to use, and if the passages do not show it reads
/// on where the best one is.
template <class Tools, class Estimator>
void look_up(Tools const& tools, Estimator const& estimator, item_index const& items, std::uint32_t item,
             std::string const& name, figures& out) {
    auto const run = [&](std::string const& tool, json const& arguments) {
        auto const result = tools.call(tool, arguments.dump(-1, ' ', false, json::error_handler_t::replace));
        out.most_tokens = std::max(out.most_tokens, estimator(result.text).tokens().count);
        auto const shown = items.in_text(result.text);
        bool const found = std::binary_search(shown.begin(), shown.end(), item);
        out.found += found ? 1u : 0u;
        out.found_by[tool] += found ? 1u : 0u;
        return std::pair{found, result.text};
    };
    ++out.items;
    auto const [found, text] = run("search_history", {{"query", name}});
    if (found) return;
    constexpr std::string_view first = "search_history:\nmessage ";
    if (!text.starts_with(first)) return static_cast<void>(run("search_artifacts", {{"query", name}}));
    auto const number = std::stoull(text.substr(first.size()));
    auto const offset = std::stoull(text.substr(text.find("offset ") + 7));
    run("read_message", {{"number", number}, {"offset", offset}});
}

/// Replays a conversation at a window of 8,000 tokens, and looks up all that an answer needs and does not see.
template <class Journal, class Store, class Mix>
void replay(conversation const& messages, Journal const& journal, Store const& store, Mix const& mix, figures& out) {
    auto const estimator = script_aware<condense::family::claude>{};
    condense::detail::replay_script<json, script_aware<condense::family::claude>> const script{messages, estimator};
    item_index const items{script};
    condense::session session{conversation{}, mix, condense::budget{.window = 8'000_tokens}, estimator,
                              condense::run_options{.conversation = "one"}};
    condense::recovery_tools const tools{store, journal, {.conversation = "one"}, condense::message_text<json>{}};
    std::size_t answer = 0;
    for (std::size_t index = 0; index < messages.size(); ++index) {
        if (answer < script.answers().size() && script.answers()[answer].first == index) {
            static_cast<void>(session.prepare());
            std::vector<std::uint32_t> visible;
            for (auto const& m : session.request())
                for (auto const item : items.in_derived(m, index).all) visible.push_back(item);
            std::sort(visible.begin(), visible.end());
            std::map<std::uint32_t, std::string> names;
            for (auto part = script.answers()[answer].first; part < script.answers()[answer].past; ++part)
                items.each_in(text_of(messages[part]),
                              [&](std::uint32_t item, std::string_view text) { names.try_emplace(item, text); });
            for (auto const item : items.needed(answer))
                if (!std::binary_search(visible.begin(), visible.end(), item) && names.contains(item))
                    look_up(tools, estimator, items, item, names[item], out);
            ++answer;
        }
        session.push(messages[index]);
    }
}

/// A conversation whose answers mention names from far back.
conversation generated() {
    conversation messages{{{"role", "user"}, {"content", "Look after the orders."}}};
    auto const order = [](int number) { return "W" + std::to_string(480'000 + number * 7); };
    for (int turn = 0; turn < 120; ++turn) {
        std::string rows;
        for (int row = 0; row < 8; ++row)
            rows += "order " + order(turn * 8 + row) + " is at src/depot_" + std::to_string(turn * row) + ".txt\n";
        messages.push_back({{"role", "user"}, {"content", rows}});
        messages.push_back({{"role", "assistant"}, {"content", "Seen. Still open: " + order(turn * 3) + "."}});
    }
    return messages;
}

/// The generated conversation, and the recorded ones where they are; in a short run few of them.
std::vector<conversation> conversations() {
    std::vector<conversation> all{generated()};
    std::vector<std::string> files;
#ifdef CONDENSE_TRANSCRIPTS
    for (auto const& entry : std::filesystem::directory_iterator{CONDENSE_TRANSCRIPTS})
        if (entry.path().extension() == ".json") files.push_back(entry.path().string());
#endif
    std::sort(files.begin(), files.end());
    for (std::size_t index = 3; index < files.size() + 3; index += stride()) {
        auto document = json::parse(scratch::bytes_of(files[index % files.size()]), nullptr, false);
        if (auto const messages = condense::messages_of(document)) all.push_back(*messages);
    }
    return all;
}

}  // namespace

TEST_CASE("recovery_tools: two calls find what an answer needs and no longer sees", "[row-X13][row-A7]") {
    scratch::folder const root{scratch::memory()};
    int number = 0;
    auto const measure = [&](auto const& open, auto const& mix) {
        figures all;
        for (auto const& messages : conversations()) {
            auto const [journal, store] = open(std::to_string(++number));
            replay(messages, journal, store, mix(journal, store), all);
        }
        std::string tools;
        for (auto const& [tool, count] : all.found_by) tools += tool + " " + std::to_string(count) + ", ";
        INFO("found " << all.found << " of " << all.items << ": " << tools << "at most " << all.most_tokens
                      << " tokens");
        CHECK(all.items >= 40);
        CHECK(all.found * 100 >= all.items * 95);
        CHECK(all.most_tokens <= 500);
    };
    auto const in_memory = [](std::string const&) { return std::pair{condense::memory_journal{}, memory_store{}}; };
    auto const in_databases = [&](std::string const& name) {
        return std::pair{condense::sqlite_journal{root / ("journal" + name)},
                         condense::sqlite_store{root / ("store" + name)}};
    };
    auto const listing = [](auto const& journal, auto const& store) {
        return condense::presets::no_model(journal, store, condense::agent_tools::recovery);
    };
    auto const dropping = [](auto const& journal, auto const& store) {
        return pipeline{
            condense::record{.to = journal},
            condense::offload{.over = 4'000_chars, .preview = head_tail{500_chars, 500_chars, {}}, .into = store},
            sliding_window{.when = used >= 80_pct, .until = used <= 35_pct}, escalate{.when = used >= 98_pct}};
    };
    measure(in_memory, dropping);
    measure(in_databases, dropping);
    measure(in_memory, listing);
    measure(in_databases, listing);
}
