// SPDX-License-Identifier: BSL-1.0

// How do I get a conversation file under a token window?
// reduce_file INPUT.json --window 8000 --output FILE; `reduce_file --help` lists the options, `-` is standard input.
// What does not change is written as it came, byte for byte.

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>
#include <condense/core/any_pipeline.hpp>
#include <condense/shorteners.hpp>

#include "command_line.hpp"
#include "json_document.hpp"
#include "kept/kept.hpp"
#include "output_file.hpp"
#include "shape_option.hpp"

namespace {

using json = nlohmann::ordered_json;
using namespace condense::literals;
using condense::used;

/// Bad input: one line, exit status 2, nothing written.
struct complaint : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct settings {
    std::string input;
    std::string output;
    std::string mix = "default";
    condense::images images = condense::budget{}.images;  ///< without a limit
    std::string family = "other";
    std::string report = "table";
    std::string store;
    std::string journal;
    std::string conversation;  ///< by which the journal tells conversations apart; the input's path unless given
    condense::tokens window = 200'000_tokens;
    std::optional<condense::json_shape> shape;  ///< each message may have its own unless given
    bool request = false;
};

/// The exit status where the program has to end.
std::optional<int> read_arguments(int count, char const* const* given, settings& chosen) {
    using command_line::one_of;
    command_line::program const program{
        "reduce_file",
        "Reduces a conversation in a JSON file, in any shape that the library reads, to a token window.\n"
        "Exit status: 0, 2 for wrong usage or input, 3 where it does not fit.",
        "INPUT"};
    std::vector<command_line::option> const options{
        {.name = "INPUT",
         .to = &chosen.input,
         .help = "an array of messages, or a request body that holds one; - is standard input",
         .required = true},
        {"--window", &chosen.window.count, "the context window in tokens; 200000 unless given",
         command_line::whole_number(1, 1'000'000'000, "tokens")},
        {"--mix", &chosen.mix, "default, window, compress, shorten or summarize",
         one_of({"default", "window", "compress", "shorten", "summarize"})},
        {"--images", &chosen.images.count, "how many images the provider takes; the oldest of more become notes",
         command_line::whole_number(0, 1'000'000, "images")},
        {"--family", &chosen.family,
         "of models, whose tokens are estimated: claude, claude_4_7, gpt, kimi, gemini or other",
         one_of({"claude", "claude_4_7", "gpt", "kimi", "gemini", "other"})},
        command_line::shape_option(chosen.shape),
        {"--request", &chosen.request,
         "writes what is to be sent, with neighbours of one role joined and without the library's marks, by "
         "which a later run knows what was done"},
        {"--output", &chosen.output, "the file to write; standard output unless given", command_line::not_empty()},
        {"--report", &chosen.report, "on standard error: table or json", one_of({"table", "json"})},
        {"--store", &chosen.store,
         "a folder, a file that ends in .db, or redis://HOST, for what is taken out of large results"},
        {"--journal", &chosen.journal, "such a place for every message as it came"},
        {"--conversation", &chosen.conversation,
         "by which the journal tells conversations apart; the input's path unless given"}};
    if (auto const status = command_line::read(program, options, count, given)) return status;
    std::error_code unknown;
    if (!chosen.conversation.empty()) return std::nullopt;
    if (chosen.input == "-" && !chosen.journal.empty())
        return command_line::refuse(program, "--journal: standard input has no name; --conversation is missing");
    chosen.conversation = std::filesystem::weakly_canonical(chosen.input, unknown).string();
    return std::nullopt;
}

/// The recommended order: cheap and local first, whole messages last. The ceiling is the window itself.
/// One result may take about an eighth of a small window, and 10,000 characters of a large one.
condense::any_pipeline<json> mix_for(settings const& chosen) {
    condense::chars const most{std::clamp(chosen.window.count / 2, std::uint64_t{400}, std::uint64_t{10'000})};
    condense::chars const end{most.count * 2 / 5};
    auto const store = chosen.store.empty() ? kept::any_store{} : kept::store_at(chosen.store);
    condense::offload const offload{.over = store ? most : condense::chars{~std::uint64_t{0}},
                                    .preview = condense::head_tail{end, end},
                                    .into = store};
    condense::compress const compress{.when = used >= 65_pct, .over = most, .with = condense::head_tail{end, end}};
    condense::compress const shorten{
        .when = used >= 65_pct,
        .over = most,
        .with = condense::first_of(condense::old_reasoning{}, condense::media_note{}, condense::superseded_reads{},
                                   condense::duplicate_results{}, condense::point_to_file{},
                                   condense::shorten_arguments{}, condense::collapse_repeats{}, condense::json_minify{},
                                   condense::by_content{.json = condense::json_sample{.at_most = most},
                                                        .log = condense::compact_log{.at_most = most}},
                                   condense::head_tail{end, end})};
    condense::summarize const summarize{.when = used >= 80_pct};
    constexpr condense::sliding_window window{.when = used >= 90_pct};
    constexpr condense::escalate escalate{.when = used >= 90_pct, .ceiling = 100_pct};
    auto const recorded = [&](auto const& mix) -> condense::any_pipeline<json> {
        if (chosen.journal.empty()) return mix;
        return condense::pipeline{condense::record{.to = kept::journal_at(chosen.journal)}, mix};
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

/// What a provider takes.
json::array_t as_sent(json::array_t const& messages) {
    json::array_t sent;
    condense::each_alternating(messages, [&](json const& m) { sent.push_back(m); });
    condense::without_marks(sent);
    return sent;
}

result reduce(json::array_t& messages, settings const& chosen, condense::budget limits,
              condense::family_estimator count) {
    condense::run_options<> options;
    options.marks = !chosen.request;  // a second run on the output knows what was done
    options.conversation = chosen.conversation;
    auto report = condense::reduce(messages, mix_for(chosen), limits, count, options);
    for (auto& layer : report.layers)
        if (chosen.store.empty() && layer.name == "offload") layer.name = {};
    return {report.fits(), chosen.report == "json" ? as_json(report, limits.window).dump(2) + "\n" : report.text()};
}

int run(settings const& chosen) {
    auto const name = chosen.input == "-" ? std::string{"standard input"} : command_line::shown(chosen.input);
    auto const text = read_whole(chosen.input);
    if (text.error != 0) throw complaint{name + ": cannot be read: " + std::strerror(text.error)};
    auto parsed = condense::parse_json<json>(text.content);
    if (!parsed) throw complaint{name + ": " + parsed.error};
    auto const messages = condense::messages_of(parsed.value, chosen.shape);
    if (messages.error) throw complaint{name + ": " + messages.error.text()};
    json_document const original{text.content, parsed.value, *messages};
    condense::family_estimator const count{condense::family_of(chosen.family)};
    condense::budget const limits{.window = chosen.window,
                                  .output = std::min(condense::output_of(parsed.value).value_or(0_tokens),
                                                     condense::tokens{chosen.window.count / 2}),
                                  .overhead = condense::overhead_of(parsed.value, count),
                                  .images = chosen.images};
    auto const done = reduce(*messages, chosen, limits, count);
    auto const output = original.with(chosen.request ? as_sent(*messages) : *messages);
    if (chosen.output.empty()) {
        std::cout << output << std::flush;
        if (!std::cout) throw complaint{"standard output: cannot be written"};
    } else if (auto const error = replace_file(chosen.output, output))
        throw complaint{command_line::shown(chosen.output) + ": cannot be written: " + std::strerror(error)};
    std::cerr << done.report;
    return done.fits ? 0 : 3;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        settings chosen;
        if (auto const status = read_arguments(count, arguments, chosen)) return *status;
        return run(chosen);
    } catch (std::exception const& problem) {
        std::cerr << "reduce_file: " << problem.what() << '\n';
        return 2;
    }
}
