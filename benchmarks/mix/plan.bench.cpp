// SPDX-License-Identifier: BSL-1.0

// How much of what an answer needs is in a planned context, and what does planning cost?
// bench_mix_plan [FOLDER]: Markdown tables. FOLDER: recorded conversations; without it the generated questions alone.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>
#include <condense/detail/items.hpp>
#include <condense/llm/name_index.hpp>
#include <condense/llm/work_record.hpp>
#include <condense/plan.hpp>

#include "plan/planted_questions.hpp"

namespace {

using json = nlohmann::ordered_json;
using condense::tokens;
using condense::used;
using namespace condense::literals;
using estimator = condense::char_ratio<condense::family::claude>;
using artifact_list = condense::artifact_list<estimator>;

/// The newest that fit: up to the first that does not, or all that do.
template <class Text>
std::string newest_of(artifact_list const& list, tokens budget, bool greedy, Text const& text_of) {
    std::string out;
    for (auto index = list.size(); index-- != 0;) {
        auto const cost = list.all()[index].cost;
        if (cost <= budget) {
            budget = budget - cost;
            out += text_of(index) + "\n";
        } else if (!greedy) break;
    }
    return out;
}

tokens total_of(artifact_list const& list) {
    tokens sum;
    for (auto const& each : list.all()) sum = sum + each.cost;
    return sum;
}

void print_planted(std::uint64_t questions) {
    std::size_t planned = 0, newest = 0, greedy = 0, over = 0;
    for (std::uint64_t seed = 0; seed < questions; ++seed) {
        auto const asked = plan_tests::planted(seed);
        artifact_list list;
        for (auto const& each : asked.artifacts)
            static_cast<void>(list.attach({.content = each.text, .source = each.source}));
        tokens const budget{total_of(list).count / 10};
        auto const context = condense::plan_context{}(list, {.question = asked.question, .budget = budget});
        auto const text_of = [&](std::size_t index) { return asked.artifacts[index].text; };
        auto const has_answer = [&](std::string const& text) { return text.find(asked.answer) != text.npos; };
        planned += has_answer(context.text) ? 1u : 0u;
        newest += has_answer(newest_of(list, budget, false, text_of)) ? 1u : 0u;
        greedy += has_answer(newest_of(list, budget, true, text_of)) ? 1u : 0u;
        over += context.used > budget ? 1u : 0u;
    }
    auto const share = [&](std::size_t count) {
        return 100.0 * static_cast<double>(count) / static_cast<double>(questions);
    };
    std::printf("## %llu questions whose answer is in one of 5 to 40 artifacts, at a tenth of their size\n\n",
                static_cast<unsigned long long>(questions));
    std::printf("| context | has the answer |\n|---|---:|\n");
    std::printf("| `rule_planner` | %.1f %% |\n", share(planned));
    std::printf("| the newest, up to the first that does not fit | %.1f %% |\n", share(newest));
    std::printf("| the newest, all that fit | %.1f %% |\n\n", share(greedy));
    if (over != 0) std::printf("%zu contexts are above their budget.\n\n", over);
}

std::string text_of_message(json const& m) {
    std::string text;
    condense::each_part(m, [&](condense::part_view const& part) {
        if (!part.cost) text.append(part.text).append("\n");
    });
    return text;
}
bool holds(std::string const& text, std::string const& item) { return text.find(item) != text.npos; }

struct counts {
    std::size_t needed = 0;
    std::size_t planned = 0;
    std::size_t newest = 0;
    std::size_t listed = 0;

    counts& operator+=(counts const& more) {
        needed += more.needed;
        planned += more.planned;
        newest += more.newest;
        listed += more.listed;
        return *this;
    }
    void print(std::string const& name) const {
        auto const share = [&](std::size_t count) {
            return 100.0 * static_cast<double>(count) / static_cast<double>(needed);
        };
        std::printf("| %s | %zu | %.1f %% | %.1f %% | %.1f %% |\n", name.c_str(), needed, share(planned), share(newest),
                    share(listed));
    }
};

/// The names in the results, listed by name_index alone within the budget.
std::string index_of(std::vector<std::string> const& results, tokens budget) {
    std::vector<json> history{{{"role", "user"}, {"content", "go on"}}};
    for (auto const& each : results) {
        auto const id = "call" + std::to_string(history.size());
        history.push_back({{"role", "assistant"},
                           {"content", nullptr},
                           {"tool_calls", json::array({{{"id", id},
                                                        {"type", "function"},
                                                        {"function", {{"name", "tool"}, {"arguments", "{}"}}}}})}});
        history.push_back({{"role", "tool"}, {"tool_call_id", id}, {"content", each}});
    }
    history.push_back({{"role", "user"}, {"content", "go on"}});
    condense::pipeline const mix{
        condense::summarize{.when = used >= 1_tokens,
                            .until = used <= 0_tokens,
                            .protect = condense::task,
                            .size = 1_tokens,
                            .with = condense::no_prose{},
                            .leaves = condense::name_index<>{.share = 50_pct, .lines = 33_pct}}};
    static_cast<void>(condense::reduce(history, mix, {.window = {budget.count * 2}}));
    std::string text;
    for (auto const& m : history) text += text_of_message(m);
    return text;
}

/// At each answer: which items does it take from results before the newest round that stand nowhere else?
counts replay(std::vector<json> const& messages) {
    counts sum;
    std::vector<std::string> results;
    std::vector<condense::artifact> facts;
    std::size_t old = 0;  // results before the newest round
    std::string visible, question, goal;
    for (std::size_t index = 0; index < messages.size(); ++index) {
        auto const& m = messages[index];
        auto const text = text_of_message(m);
        if (condense::role_of(m) == condense::role::assistant) {
            std::string recent = visible;
            for (auto place = old; place < results.size(); ++place) recent += results[place];
            std::set<std::string> needed;
            condense::each_item(text, [&](condense::item_kind, std::string_view item) {
                std::string const name{item};
                if (holds(recent, name)) return;
                for (std::size_t place = 0; place < old; ++place)
                    if (holds(results[place], name)) needed.insert(name);
            });
            if (!needed.empty()) {
                artifact_list list;
                for (std::size_t place = 0; place < old; ++place) {
                    list.add_source([&results, place](auto const& wanted, auto const& sink) {
                        if (wanted(0)) sink(0, results[place]);
                    });
                    list.add(facts[place], results[place]);
                }
                tokens const budget{total_of(list).count / 4};
                auto const planned =
                    condense::plan_context{}(list, {.question = question, .goal = goal, .budget = budget}).text;
                auto const newest = newest_of(list, budget, false, [&](std::size_t place) { return results[place]; });
                auto const listed =
                    index_of({results.begin(), results.begin() + static_cast<std::ptrdiff_t>(old)}, budget);
                sum.needed += needed.size();
                for (auto const& each : needed) {
                    sum.planned += holds(planned, each) ? 1u : 0u;
                    sum.newest += holds(newest, each) ? 1u : 0u;
                    sum.listed += holds(listed, each) ? 1u : 0u;
                }
            }
            old = results.size();
            goal = text.substr(0, 2'000);
        }
        bool has_result = false;
        condense::each_part(m, [&](condense::part_view const& part) {
            if (part.kind != condense::part_kind::tool_result) return;
            has_result = true;
            facts.push_back({.id = "r" + std::to_string(results.size()),
                             .source = std::string{part.tool},
                             .arrived = index,
                             .error = part.status == condense::part_status::error});
            results.emplace_back(part.text);
        });
        if (has_result) continue;
        visible += text;
        if (condense::role_of(m) == condense::role::user) question = text;
    }
    return sum;
}

void print_recorded(std::string const& folder) {
    std::vector<std::filesystem::path> paths;
    for (auto const& entry : std::filesystem::directory_iterator{folder})
        if (entry.path().extension() == ".json") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::printf("## Items of answers that stand in older results alone, at a quarter of the size of those results\n\n");
    std::printf(
        "| conversation | items | `rule_planner` | the newest that fit | `name_index` alone |\n"
        "|---|---:|---:|---:|---:|\n");
    counts all;
    for (auto const& path : paths) {
        std::ifstream file{path, std::ios::binary};
        auto document = condense::parse_json<json>(std::string{std::istreambuf_iterator<char>{file}, {}});
        auto const messages = condense::messages_of(document.value);
        if (!messages) continue;
        auto const figures = replay({messages->begin(), messages->end()});
        if (figures.needed != 0) figures.print(path.stem().string());
        all += figures;
    }
    if (all.needed != 0) all.print("all");
    std::printf("\n");
}

/// The best of some rounds.
template <class Function>
double seconds_of(Function const& f) {
    double best = 1e9;
    for (int round = 0; round < 5; ++round) {
        auto const start = std::chrono::steady_clock::now();
        f();
        best = (std::min)(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

void print_times() {
    constexpr std::size_t count = 1'000, size = 10'000;
    artifact_list list;
    std::vector<std::string> texts;
    std::string question;
    for (std::uint64_t seed = 0; texts.size() < count; ++seed) {
        auto const asked = plan_tests::planted(seed);
        question = asked.question;
        for (auto const& each : asked.artifacts) {
            auto text = each.text;
            while (text.size() < size) text += each.text;
            texts.push_back(text.substr(0, condense::utf8::floor(text, size)));
        }
    }
    texts.resize(count);
    std::vector<condense::artifact> facts;
    for (auto const& text : texts) {
        list.add_source([&text](auto const& wanted, auto const& sink) {
            if (wanted(0)) sink(0, text);
        });
        list.add({.id = "r" + std::to_string(list.size()), .arrived = list.size()}, text);
    }
    auto const read = [&](auto const& wanted, auto const& sink) { list.read(wanted, sink); };
    condense::plan_request::text_reader const reader{read};
    condense::plan_request request{list.all(), {total_of(list).count / 10}, reader};
    request.question = question;
    std::size_t decisions = 0;
    auto const planning = seconds_of([&] { decisions = condense::rule_planner{}(request).decisions.size(); });
    std::size_t lines = 0;
    auto const scan = seconds_of([&] {
        for (auto const& text : texts) lines += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    });
    auto const points = seconds_of([&] {
        for (auto const& text : texts) lines += condense::utf8::valid(text) ? 1u : 0u;
    });
    std::printf("## A plan for %zu artifacts of 10 KB\n\n", decisions);
    std::printf("| what | milliseconds | beside the plan |\n|---|---:|---:|\n");
    std::printf("| `rule_planner` | %.1f | 1 |\n", planning * 1e3);
    std::printf("| counting the lines | %.1f | %.3f |\n", scan * 1e3, scan / planning);
    std::printf("| checking the UTF-8 | %.1f | %.3f |\n", points * 1e3, points / planning);
    if (lines == 0) std::printf("\n");
}

}  // namespace

int main(int count, char** arguments) {
    try {
        print_planted(500);
        if (count > 1) print_recorded(arguments[1]);
        print_times();
    } catch (std::exception const& problem) {
        std::fprintf(stderr, "bench_mix_plan: %s\n", problem.what());
        return 1;
    }
}
