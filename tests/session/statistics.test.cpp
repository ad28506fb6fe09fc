// SPDX-License-Identifier: BSL-1.0
#include <condense/session/statistics.hpp>

#include <condense/store/artifact_folder.hpp>
#include <condense/store/memory.hpp>

#include "store/scratch.hpp"
#include "support/mixes.hpp"

namespace {

using namespace vocabulary;
using condense::layer_report;
using condense::layer_statistics;

constexpr bool sums_are_those_of_the_entries() {
    layer_statistics all;
    all.add({.name = "offload",
             .outcome = layer_outcome::applied,
             .saved = {30},
             .restored = {2},
             .groups_dropped = 3,
             .parts_shortened = 4,
             .artifacts = 5,
             .failures = 1,
             .asked = 6,
             .redactions = 8,
             .note = "one store failed"});
    all.add({.name = "offload",
             .outcome = layer_outcome::applied,
             .saved = {12},
             .restored = {1},
             .groups_dropped = 1,
             .parts_shortened = 1,
             .artifacts = 2,
             .asked = 1,
             .redactions = 1});
    return all.name == "offload" && all.saved.count == 42 && all.restored.count == 3 && all.groups_dropped == 4 &&
           all.parts_shortened == 5 && all.artifacts == 7 && all.latest_artifacts == 2 && all.failures == 1 &&
           all.asked == 7 && all.redactions == 9 && all.events == 2 &&
           std::string_view{all.failure} == "one store failed";
}

constexpr bool sums_of_two_sessions_saturate() {
    layer_statistics all{.redactions = 2};
    all.add(layer_statistics{.redactions = 3});
    auto const sum = all.redactions;
    all.add(layer_statistics{.redactions = ~std::uint64_t{0}});
    return sum == 5 && all.redactions == ~std::uint64_t{0};
}

/// What saved or kept something is an event; what failed, declined or had nothing to do is none.
constexpr bool only_what_was_done_is_an_event() {
    layer_statistics all;
    all.add({.outcome = layer_outcome::failed, .failures = 1, .note = "no space"});
    all.add({.outcome = layer_outcome::declined, .note = "not smaller"});
    all.add({.outcome = layer_outcome::idle});
    bool const none = all.events == 0 && all.latest_artifacts == 0 && all.failures == 1;
    all.add({.outcome = layer_outcome::idle, .artifacts = 3});  // a journal
    all.add({.outcome = layer_outcome::failed, .failures = 2});
    return none && all.events == 1 && all.artifacts == 3 && all.latest_artifacts == 3 && all.failures == 3;
}

// At run time alone, as g++ 12 takes no class within arrays of defaults in a constant expression.
bool every_layer_has_its_own_sums() {
    condense::statistics<2> all;
    std::array<layer_report, 2> entries;
    entries[0].saved = {7};
    entries[1].saved = {5};
    entries[1].redactions = 2;
    all.add(entries);
    all.add(entries);
    return all.layers[0].saved.count == 14 && all.layers[1].saved.count == 10 && all.saved().count == 24 &&
           all.redactions() == 4;
}

bool usage_of_models_is_summed_apart_and_in_total() {
    condense::statistics<2> all{.agent_usage = {.input = {1'000}, .output = {100}}};
    std::array<layer_report, 2> entries;
    entries[0].model_usage = {.input = {10}, .cache_read = {1}};
    entries[1].model_usage = {.output = {5}, .cache_write = {2}};
    all.add(entries);
    all.add(entries);
    layer_statistics later{.model_usage = {.input = {7}}};
    later.add(all.layers[0]);
    return all.layers[0].model_usage == provider_usage{.input = {20}, .cache_read = {2}} &&
           later.model_usage == provider_usage{.input = {27}, .cache_read = {2}} &&
           all.model_usage() == provider_usage{{20}, {10}, {2}, {4}} &&
           all.total_usage() == provider_usage{{1'020}, {110}, {2}, {4}};
}

}  // namespace

TEST_CASE("statistics: the sums of each layer") {
    CHECK(usage_of_models_is_summed_apart_and_in_total());
    CHECK_TWICE(sums_are_those_of_the_entries());
    CHECK_TWICE(sums_of_two_sessions_saturate());
    CHECK_TWICE(only_what_was_done_is_an_event());
    CHECK(every_layer_has_its_own_sums());
}

TEST_CASE("statistics: print as a table") {
    condense::statistics<2> all{.runs = 12, .changed = 3};
    std::array<layer_report, 2> entries;
    entries[0].name = "offload";
    entries[0].outcome = layer_outcome::applied;
    entries[0].saved = {1'234};
    entries[0].artifacts = 2;
    all.add(entries);
    entries[0].failures = 1;
    entries[0].note = "no space";
    all.add(entries);
    auto const text = all.text();
    CHECK(text.substr(0, text.find('\n')) == "saved 2,468 tokens in 3 of 12 runs");
    CHECK(text.find("offload                    2       2,468           0           0           4           0          "
                    " 1  no space\n") != std::string::npos);
    all.layers[0].model_usage = {.input = {1'500}, .output = {20}};
    CHECK(all.text().find("1  model: 1,500 in, 20 out  no space\n") != std::string::npos);
    CHECK(text.back() == '\n');
    CHECK(std::count(text.begin(), text.end(), '\n') == 3);  // a layer without a name has no line
}

TEST_CASE("statistics: files that were created are counted and named", "[row-V6]") {
    layer_statistics all;
    layer_report entry{.name = "offload", .outcome = layer_outcome::applied, .artifacts = 6};
    for (std::uint8_t at = 1; at <= 6; ++at) entry.add_file({{at}});
    all.add(entry);
    CHECK(all.files == 6);
    CHECK(all.latest_files == 6);
    CHECK(all.latest_file_names == std::array<condense::reference, 4>{{{{1}}, {{2}}, {{3}}, {{4}}}});
    condense::statistics<1> table{.layers = {all}};
    CHECK(table.text().ends_with("\n  created: " + condense::reference{{1}}.text() + " " +
                                 condense::reference{{2}}.text() + " " + condense::reference{{3}}.text() + " " +
                                 condense::reference{{4}}.text() + " and 2 more\n"));
    all.add({.name = "offload", .outcome = layer_outcome::applied, .artifacts = 1});
    CHECK(all.files == 6);
    CHECK(all.latest_files == 0);
    CHECK_FALSE(all.latest_file_names[0]);
}

TEST_CASE("statistics: a folder's files are named as they are, a store without files has none", "[row-V6]") {
    scratch::folder const root;
    auto const talk = [](auto const& store, std::string const& text) {
        condense::session session{conversation{}, pipeline{offload{.over = 10'000_chars, .into = store}},
                                  condense::budget{.window = 1'000'000_tokens}};
        push(session, {U("run it"), C("1", "shell"), R("1", text)});
        CHECK(session.statistics().layers[0].artifacts == 1);
        return session.statistics().layers[0];
    };
    condense::artifact_folder const folder{root / "artifacts"};
    for (char const letter : {'a', 'b'}) {
        std::string const text(20'000, letter);
        auto const found = talk(folder, text);
        CHECK(found.files == 1);
        CHECK(found.latest_files == 1);
        CHECK(scratch::bytes_of(root / "artifacts/" + found.latest_file_names[0].text()) == text);
    }
    // What was there is stored again in the same file.
    auto const again = talk(folder, letters(20'000, 'a'));
    CHECK(again.files == 0);
    CHECK_FALSE(again.latest_file_names[0]);
    auto const names = scratch::names_in(root / "artifacts");
    CHECK(std::count_if(names.begin(), names.end(), [](auto const& name) { return name.size() == 24; }) == 2);
    auto const elsewhere = talk(condense::memory_store{}, letters(20'000, 'a'));
    CHECK(elsewhere.files == 0);
    CHECK_FALSE(elsewhere.latest_file_names[0]);
}

TEST_CASE("statistics: a layer has the breaks of the cached prefix that it began, an observer those that cost more") {
    for (bool const late : {true, false}) {  // where the long message is: behind what leaves, or in it
        std::vector<events::cache_broken> told;
        auto const observer = [&](events::cache_broken const& event) { told.push_back(event); };
        condense::session session{conversation{},
                                  pipeline{compress{.over = 100'000_chars},
                                           sliding_window{.when = used > 12_messages, .until = used <= 10_messages}},
                                  condense::budget{.window = 100'000_tokens},
                                  condense::char_ratio<condense::family::gpt>{}, run_options{.observer = observer}};
        auto const push = [&](int turn) {
            session.push(chat_message::user("question"));
            session.push(chat_message::assistant(turn == (late ? 4 : 1) ? std::string(3'000, 'a') : "answer"));
        };
        for (int turn = 0; turn < 6; ++turn) push(turn);
        CHECK_FALSE(session.prepare().changed());
        static_cast<void>(session.request());
        push(6);
        auto const report = session.prepare();
        CHECK(report.first_changed.value_or(0) == 1);  // behind the task
        CHECK(report.reread.count > (late ? 700 : 0));
        CHECK(report.reread.count < (late ? 1'000 : 200));
        CHECK(session.statistics().layers[0].prefix_breaks == 0);
        CHECK(session.statistics().layers[1].prefix_breaks == 1);
        CHECK(told.size() == (late ? 1 : 0));
        if (!told.empty())
            CHECK(told.front() == events::cache_broken{{1}, report.reread, report.before.tokens - report.after.tokens});
    }
}
