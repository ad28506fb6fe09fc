// SPDX-License-Identifier: BSL-1.0

// What does each shortener save on recorded conversations, and at what cost?
// bench_mix_shorteners FOLDER: Markdown tables; all but the times are the same on every machine.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>
#include <condense/shorteners.hpp>

namespace {

using json = nlohmann::ordered_json;
using namespace condense::literals;

struct conversation {
    std::string name;
    std::vector<json> messages = {};
};

std::vector<conversation> read_folder(std::string const& folder) {
    std::vector<std::filesystem::path> paths;
    for (auto const& entry : std::filesystem::directory_iterator{folder})
        if (entry.path().extension() == ".json") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<conversation> all;
    for (auto const& path : paths) {
        std::ifstream file{path, std::ios::binary};
        auto document = condense::parse_json<json>(std::string{std::istreambuf_iterator<char>{file}, {}});
        if (auto const messages = condense::messages_of(document.value))
            all.push_back({path.stem().string(), std::move(*messages)});
    }
    return all;
}

struct clock_and_scale {
    std::chrono::steady_clock::duration time = {};
    std::uint64_t bytes = 0;
};

/// Another shortener under a stopwatch. It goes for one that is made of others, so that the layer leaves
/// every decision to it.
template <class Shortener>
struct measured {
    using is_composite = void;
    static constexpr auto applies_to = condense::kinds_of<Shortener>();
    static constexpr bool removes = condense::removes_parts<Shortener>();
    static constexpr bool sees_others = condense::sees_others<Shortener>();

    Shortener shorten;
    clock_and_scale* figures;

    constexpr bool may_apply(condense::part_kind kind, bool sealed, condense::bytes size,
                             condense::cut const& how) const noexcept {
        return condense::may_apply(shorten, kind, sealed, size, how);
    }
    template <class Draft>
    auto bind(Draft const& seen) const {
        auto const begin = std::chrono::steady_clock::now();
        auto made = condense::bind_shortener(shorten, seen);
        figures->time += std::chrono::steady_clock::now() - begin;
        return [made = std::move(made), sum = figures](condense::part_ref at, condense::part_view const& part,
                                                       condense::cut const& how) {
            auto const start = std::chrono::steady_clock::now();
            auto shorter = made(at, part, how);
            sum->time += std::chrono::steady_clock::now() - start;
            sum->bytes += part.text.size();
            return shorter;
        };
    }
    friend bool operator==(measured const&, measured const&) = default;
};

struct result {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    std::uint64_t parts = 0;
};

template <class Layer>
result run(conversation const& seen, Layer const& layer, condense::tokens window) {
    auto messages = seen.messages;
    auto const made = condense::reduce(messages, condense::pipeline{layer}, {.window = window});
    return {made.before.tokens.count, made.after.tokens.count, made.layers[0].parts_shortened};
}

/// Hundredths of a per cent as "12.34 %".
std::string share(std::uint64_t part, std::uint64_t whole) {
    auto const hundredths = whole == 0 ? 0 : part * 10'000 / whole;
    return std::to_string(hundredths / 100) + "." + (hundredths % 100 < 10 ? "0" : "") +
           std::to_string(hundredths % 100) + " %";
}

class benches {
public:
    explicit benches(std::vector<conversation> all) : all_{std::move(all)} {}

    void alone_header() const {
        std::printf(
            "| shortener alone | tokens before | saved | share | parts | ms/MB | MB seen "
            "|\n|---|--:|--:|--:|--:|--:|--:|\n");
    }
    template <class Shortener>
    void alone(char const* name, Shortener const& shorten) const {
        clock_and_scale least;
        result sum;
        for (auto const& each : all_) {
            auto const found = best_of(shorten, least, [&](auto const& timed) {
                return run(each, condense::compress{.when = condense::always, .over = 500_chars, .with = timed}, roomy);
            });
            sum.before += found.before;
            sum.after += found.after;
            sum.parts += found.parts;
        }
        std::printf("| %s | %llu | %llu | %s | %llu | %s |\n", name, static_cast<unsigned long long>(sum.before),
                    static_cast<unsigned long long>(sum.before - sum.after),
                    share(sum.before - sum.after, sum.before).c_str(), static_cast<unsigned long long>(sum.parts),
                    cost(least).c_str());
    }

    template <class Shortener>
    void together(Shortener const& shorten) const {
        std::printf(
            "| all, at 65 %% | tokens before | goal | after | reached | share left | parts | ms/MB | MB seen "
            "|\n|---|--:|--:|--:|---|--:|--:|--:|--:|\n");
        for (auto const& each : all_) {
            auto const whole = run(each, condense::compress{}, roomy).before;
            clock_and_scale least;
            auto const found = best_of(shorten, least, [&](auto const& timed) {
                return run(each,
                           condense::compress{.when = condense::used > 65_pct,
                                              .until = condense::used <= 65_pct,
                                              .over = 500_chars,
                                              .with = timed},
                           {whole});
            });
            auto const goal = whole * 65 / 100;
            std::printf("| %s | %llu | %llu | %llu | %s | %s | %llu | %s |\n", each.name.c_str(),
                        static_cast<unsigned long long>(whole), static_cast<unsigned long long>(goal),
                        static_cast<unsigned long long>(found.after), found.after <= goal ? "yes" : "no",
                        share(found.after, whole).c_str(), static_cast<unsigned long long>(found.parts),
                        cost(least).c_str());
        }
    }

private:
    static constexpr condense::tokens roomy{1'000'000'000};

    /// Five times the same, of which the quickest counts.
    template <class Shortener, class Run>
    static result best_of(Shortener const& shorten, clock_and_scale& sum, Run const& once) {
        result found;
        clock_and_scale least;
        for (int time = 0; time < 5; ++time) {
            clock_and_scale figures;
            found = once(measured<Shortener>{shorten, &figures});
            if (time == 0 || figures.time < least.time) least = figures;
        }
        sum.time += least.time;
        sum.bytes += least.bytes;
        return found;
    }
    static std::string cost(clock_and_scale const& figures) {
        char text[64];
        auto const milliseconds = std::chrono::duration<double, std::milli>{figures.time}.count();
        auto const megabytes = static_cast<double>(figures.bytes) / 1e6;
        std::snprintf(text, sizeof text, "%.2f | %.2f", figures.bytes == 0 ? 0.0 : milliseconds / megabytes, megabytes);
        return text;
    }

    std::vector<conversation> all_;
};

}  // namespace

int main(int count, char** arguments) {
    using namespace condense;
    if (count != 2) return std::fprintf(stderr, "usage: %s FOLDER\n", arguments[0]), 2;
    try {
        benches const all{read_folder(arguments[1])};
        point_to_file const written{
            .tools = tools("write*", "Write", "edit*", "Edit", "str_replace*"),
            .keys = {"content", "new_text", "newText", "new_string", "oldText", "old_string", "new_str", "old_str"}};
        all.alone_header();
        all.alone("head_tail", head_tail{});
        all.alone("head_tail of 2,000 chars", head_tail{1'000_chars, 1'000_chars});
        all.alone("head of 2,000 chars", head{2'000_chars});
        all.alone("tail of 2,000 chars", tail{2'000_chars});
        all.alone("json_minify", json_minify{});
        all.alone("json_sample", json_sample{});
        all.alone("compact_log", compact_log{});
        all.alone("compact_log of 2,000 chars", compact_log{.at_most = 2'000_chars});
        all.alone("by_content", by_content{});
        all.alone("collapse_repeats", collapse_repeats{});
        all.alone("shorten_arguments", shorten_arguments{});
        all.alone("shorten_arguments over 500 chars", shorten_arguments{.over = 500_chars});
        all.alone("point_to_file", point_to_file{});
        all.alone("point_to_file of write, edit", written);
        all.alone("media_note", media_note{});
        all.alone("superseded_reads", superseded_reads{});
        all.alone("duplicate_results", duplicate_results{});
        all.alone("old_reasoning", old_reasoning{});
        std::printf("\n");
        all.together(first_of(old_reasoning{}, media_note{}, superseded_reads{}, duplicate_results{}, written,
                              shorten_arguments{.over = 500_chars}, collapse_repeats{}, json_sample{},
                              compact_log{.at_most = 2'000_chars}, head_tail{1'000_chars, 1'000_chars}));
    } catch (std::exception const& problem) { return std::fprintf(stderr, "%s\n", problem.what()), 1; }
}
