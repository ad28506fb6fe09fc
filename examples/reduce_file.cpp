// SPDX-License-Identifier: BSL-1.0

// How do I get a conversation file under a token window?
// reduce_file INPUT.json [--window N] [--mix NAME] [--family NAME] [--output FILE] [--report table|json]
//             [--store FOLDER] [--journal FOLDER] [--conversation ID]

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>
#include <condense/core/any_pipeline.hpp>
#include <condense/shorteners.hpp>
#include <condense/store/file.hpp>

#include "pi_message.hpp"

namespace {

using json = nlohmann::ordered_json;
using namespace condense::literals;
using condense::used;

constexpr std::string_view usage_line =
    "usage: reduce_file INPUT.json [--window N] [--mix default|window|compress|shorten|summarize] "
    "[--family claude|claude_4_7|gpt|kimi|gemini|other] [--output FILE] [--report table|json] "
    "[--store FOLDER] [--journal FOLDER] [--conversation ID]";

/// Bad input or usage: one line, exit status 2, nothing written.
struct complaint : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct settings {
    std::string input;
    std::string output;
    std::string mix = "default";
    std::string family = "other";
    std::string report = "table";
    std::string store;
    std::string journal;
    std::string conversation;  ///< by which the journal tells conversations apart; the input's path unless given
    condense::tokens window = 200'000_tokens;
};

condense::tokens read_window(std::string const& text) {
    condense::tokens window;
    auto const* const end = text.data() + text.size();
    auto const [at, problem] = std::from_chars(text.data(), end, window.count);
    if (problem != std::errc{} || at != end || window.count == 0)
        throw complaint{"--window: a whole number of tokens above 0 is wanted, not '" + text + "'"};
    return window;
}

void one_of(std::string const& option, std::string const& given, std::initializer_list<std::string_view> known) {
    for (auto const& name : known)
        if (given == name) return;
    std::string all;
    for (auto const& name : known) all.append(all.empty() ? "" : ", ").append(name);
    throw complaint{option + ": '" + given + "' is not one of " + all};
}

settings read_arguments(std::vector<std::string> const& arguments) {
    settings chosen;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        auto const& option = arguments[at];
        if (option.rfind("--", 0) != 0) {
            if (!chosen.input.empty()) throw complaint{"more than one input: '" + chosen.input + "' and '" + option + "'"};
            chosen.input = option;
            continue;
        }
        if (at + 1 == arguments.size()) throw complaint{option + ": a value is missing; " + std::string{usage_line}};
        auto const& value = arguments[++at];
        if (option == "--window") chosen.window = read_window(value);
        else if (option == "--mix") chosen.mix = value;
        else if (option == "--family") chosen.family = value;
        else if (option == "--output") chosen.output = value;
        else if (option == "--report") chosen.report = value;
        else if (option == "--store") chosen.store = value;
        else if (option == "--journal") chosen.journal = value;
        else if (option == "--conversation") chosen.conversation = value;
        else throw complaint{option + ": unknown option; " + std::string{usage_line}};
    }
    if (chosen.input.empty()) throw complaint{std::string{usage_line}};
    std::error_code unknown;
    if (chosen.conversation.empty()) chosen.conversation = std::filesystem::weakly_canonical(chosen.input, unknown).string();
    one_of("--mix", chosen.mix, {"default", "window", "compress", "shorten", "summarize"});
    one_of("--family", chosen.family, {"claude", "claude_4_7", "gpt", "kimi", "gemini", "other"});
    one_of("--report", chosen.report, {"table", "json"});
    return chosen;
}

json read_document(std::string const& path) {
    std::ifstream file{path, std::ios::binary};
    std::string const text{std::istreambuf_iterator<char>{file}, {}};
    if (!file || std::filesystem::is_directory(path)) throw complaint{path + ": cannot be read"};
    auto parsed = condense::parse_json<json>(text);
    if (!parsed) throw complaint{path + ": " + parsed.error};
    return std::move(parsed.value);
}

/// A store where a folder was named; else offload finds nothing to do.
struct chosen_store {
    static constexpr bool durable = true;
    std::optional<condense::artifact_folder> folder;

    condense::reference name(std::string_view content) const { return folder->name(content); }
    condense::store_error put(condense::reference const& name, std::string_view content) const { return folder->put(name, content); }
};

/// The recommended order: cheap and local first, whole messages last. The ceiling is the window itself.
/// One result may take about an eighth of a small window, and 10,000 characters of a large one.
template <class Message>
condense::any_pipeline<Message> mix_for(settings const& chosen) {
    condense::chars const most{std::clamp(chosen.window.count / 2, std::uint64_t{400}, std::uint64_t{10'000})};
    condense::chars const end{most.count * 2 / 5};
    chosen_store const store{chosen.store.empty() ? std::nullopt : std::optional{condense::artifact_folder{chosen.store}}};
    condense::offload const offload{.over = store.folder ? most : condense::chars{~std::uint64_t{0}},
                                    .preview = condense::head_tail{end, end},
                                    .into = store};
    condense::compress const compress{.when = used >= 65_pct, .over = most, .with = condense::head_tail{end, end}};
    condense::compress const shorten{
        .when = used >= 65_pct,
        .over = most,
        .with = condense::first_of(condense::old_reasoning{}, condense::media_note{}, condense::superseded_reads{},
                                   condense::duplicate_results{}, condense::point_to_file{}, condense::shorten_arguments{},
                                   condense::collapse_repeats{}, condense::json_minify{},
                                   condense::by_content{.json = condense::json_sample{.at_most = most},
                                                        .log = condense::compact_log{.at_most = most}},
                                   condense::head_tail{end, end})};
    condense::summarize const summarize{.when = used >= 80_pct};
    constexpr condense::sliding_window window{.when = used >= 90_pct};
    constexpr condense::escalate escalate{.when = used >= 90_pct, .ceiling = 100_pct};
    auto const recorded = [&](auto const& mix) -> condense::any_pipeline<Message> {
        if (chosen.journal.empty()) return mix;
        return condense::pipeline{condense::record{.to = condense::journal_folder{chosen.journal}}, mix};
    };
    if (chosen.mix == "window") return recorded(condense::pipeline{offload, window, escalate});
    if (chosen.mix == "compress") return recorded(condense::pipeline{offload, compress, window, escalate});
    if (chosen.mix == "shorten") return recorded(condense::pipeline{offload, shorten, window, escalate});
    if (chosen.mix == "summarize") return recorded(condense::pipeline{offload, summarize, window, escalate});
    return recorded(condense::pipeline{offload, compress, summarize, window, escalate});
}

template <class Report>
json as_json(Report const& report, condense::tokens window) {
    json layers = json::array();
    for (auto const& layer : report.layers)
        if (!layer.name.empty())
            layers.push_back({{"name", layer.name},
                          {"outcome", name(layer.outcome)},
                          {"tokens_before", layer.before.count},
                          {"tokens_after", layer.after().count},
                          {"groups_dropped", layer.groups_dropped},
                          {"parts_shortened", layer.parts_shortened},
                          {"artifacts", layer.artifacts},
                          {"note", std::string_view{layer.note}}});
    return {{"outcome", name(report.outcome)},
            {"window", window.count},
            {"tokens_before", report.before.tokens.count},
            {"tokens_after", report.after.tokens.count},
            {"tokens_source", name(report.after.source)},
            {"messages_before", report.before.messages.count},
            {"messages_after", report.after.messages.count},
            {"first_changed", report.first_changed ? json(*report.first_changed) : json()},
            {"floor", report.outcome == condense::outcome::exhausted ? json(report.floor.count) : json()},
            {"layers", std::move(layers)}};
}

struct result {
    bool fits;
    std::string report;
};

template <class Message>
result reduce(std::vector<Message>& messages, settings const& chosen, condense::budget limits,
              condense::family_estimator count) {
    condense::run_options<> options;
    options.marks = true;  // a second run on the output knows what was done
    options.conversation = chosen.conversation;
    auto report = condense::reduce(messages, mix_for<Message>(chosen), limits, count, options);
    for (auto& layer : report.layers)
        if (chosen.store.empty() && layer.name == "offload") layer.name = {};
    return {report.fits(), chosen.report == "json" ? as_json(report, limits.window).dump(2) + "\n" : report.text()};
}

result reduce_document(json& document, settings const& chosen) {
    auto const read = condense::messages_of(document);
    auto* const messages = read.list;
    if (messages == nullptr)
        throw complaint{chosen.input + ": an array of messages is wanted, or an object with the member 'messages'"};
    for (std::size_t index = 0; index < messages->size(); ++index)
        if (!(*messages)[index].is_object() || !(*messages)[index].contains("role"))
            throw complaint{chosen.input + ": message " + std::to_string(index) + " is not an object with a role"};
    condense::family_estimator const count{condense::family_of(chosen.family)};
    condense::budget const limits{.window = chosen.window, .overhead = condense::overhead_of(document, count)};
    bool const pi = is_pi(*messages);
    if (read.error && !pi) throw complaint{chosen.input + ": " + read.error.text()};
    if (!pi) return reduce(*messages, chosen, limits, count);
    std::vector<pi_message> foreign;
    for (auto& m : *messages) foreign.push_back({std::move(m)});
    auto const done = reduce(foreign, chosen, limits, count);
    messages->clear();
    for (auto& m : foreign) messages->push_back(std::move(m.value));
    return done;
}

void write_document(json const& document, std::string const& path) {
    auto const text = document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
    if (path.empty()) {
        std::cout << text << std::flush;
        if (!std::cout) throw complaint{"standard output: cannot be written"};
        return;
    }
    auto const fresh = path + ".new";
    std::ofstream file{fresh, std::ios::binary};
    file << text << std::flush;
    if (!file) throw complaint{path + ": cannot be written"};
    file.close();
    std::error_code problem;
    std::filesystem::rename(fresh, path, problem);
    if (problem) throw complaint{path + ": cannot be written: " + problem.message()};
}

}  // namespace

int main(int count, char** arguments) {
    try {
        auto const chosen = read_arguments({arguments + 1, arguments + count});
        auto document = read_document(chosen.input);
        auto const done = reduce_document(document, chosen);
        write_document(document, chosen.output);
        std::cerr << done.report;
        return done.fits ? 0 : 3;
    } catch (std::exception const& problem) {
        std::cerr << "reduce_file: " << problem.what() << '\n';
        return 2;
    }
}
