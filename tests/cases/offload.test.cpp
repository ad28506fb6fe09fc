// SPDX-License-Identifier: BSL-1.0

// Acceptance cases: large results move to a store and leave a preview.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/store/file.hpp>
#include <condense/store/memory.hpp>

#include "cases/runs.hpp"
#include "cases/shelf.hpp"
#include "store/scratch.hpp"
#include "support/catch.hpp"

namespace {

using namespace cases;
using condense::head;
using condense::head_tail;
using condense::layer_outcome;
using condense::offload;
using condense::pipeline;
using condense::tools;

auto offloading(shelf const& into) { return pipeline{offload{.into = into}}; }

/// One step of this tool whose result is this text, and an answer.
conversation step(std::string text, std::string tool = "shell") {
    return {U(), C("c1", std::move(tool)), R("c1", std::move(text)), A()};
}

// Sizes of the case times 500.
TEST_CASE("a result at the limit is left alone", "[case-1]") {
    shelf const store;
    auto messages = step(letters(10'000));
    auto const before = messages;
    static_cast<void>(run(messages, offloading(store)));
    CHECK(messages == before);
    CHECK(store.held->puts == 0u);
    CHECK(text_of(after(step(letters(10'001)), offloading(store))[2]).size() < 5'000u);
    CHECK(store.held->puts == 1u);
}

TEST_CASE("a tool's name is no path", "[case-15][law-h1]") {
    scratch::folder const root;
    condense::artifact_folder const store{root / "kept"};
    auto const sent = after(step(letters(20'000), "../../etc/x"), pipeline{offload{.into = store}});
    CHECK(text_of(sent[2]).size() < 5'000u);
    CHECK(scratch::names_in(root / "") == std::vector<std::string>{"kept"});
    for (std::string_view name : scratch::names_in(root / "kept")) {
        if (name.ends_with(".source")) name.remove_suffix(7);
        CHECK(name.find_first_not_of("0123456789abcdef.") == name.npos);
    }
    CHECK_FALSE(scratch::names_in(root / "kept").empty());
}

TEST_CASE("exempt tools are not offloaded, others are", "[case-5]") {
    shelf const store;
    pipeline const mix{offload{.protect = tools("read_file"), .into = store}};
    CHECK(after(step(letters(80'001), "read_file"), mix) == step(letters(80'001), "read_file"));
    CHECK(store.held->puts == 0u);
    CHECK(after(step(letters(80'001)), mix) != step(letters(80'001)));
    CHECK(store.held->kept.size() == 1u);
}

/// What a message is besides its text and the library's mark.
chat_message without_text(chat_message m) {
    m.parts.front().text.clear();
    m.mark.clear();
    return m;
}

TEST_CASE("status, id and what the library does not know survive", "[case-6]") {
    shelf const store;
    auto messages = step(letters(20'000));
    messages[2].parts.front().status = condense::part_status::error;
    messages[2].name = "source: test";
    auto const before = messages;
    static_cast<void>(
        condense::reduce(messages, offloading(store), roomy, per_char{}, condense::run_options<>{.marks = true}));
    CHECK(text_of(messages[2]).size() < 5'000u);
    CHECK(without_text(messages[2]) == without_text(before[2]));
    CHECK_FALSE(messages[2].mark.empty());
    CHECK(messages[1] == before[1]);
    CHECK(before[2].mark.empty());
}

TEST_CASE("a store that fails leaves the conversation as it was", "[case-8]") {
    for (bool const throws : {false, true}) {
        CAPTURE(throws);
        shelf const store;
        store.held->fails = !throws;
        store.held->throws = throws;
        auto messages = step(letters(20'000)) + step(letters(30'000));
        auto const before = messages;
        auto const report = run(messages, offloading(store));
        CHECK(messages == before);
        CHECK(report.layers[0].outcome == layer_outcome::failed);
        CHECK(report.layers[0].artifacts == 0u);
        CHECK(report.layers[0].parts_shortened == 0u);
        CHECK(report.layers[0].saved.count == 0u);
        CHECK(std::string_view{report.layers[0].note} == (throws ? "no such place" : "disk full"));
        CHECK(report.before.tokens == report.after.tokens);
    }
}

TEST_CASE("a second run stores nothing", "[case-10]") {
    for (bool const marks : {false, true}) {
        CAPTURE(marks);
        shelf const store;
        condense::run_options<> const options{.marks = marks};
        auto messages = step(letters(20'000)) + step(letters(10'001));
        static_cast<void>(condense::reduce(messages, offloading(store), roomy, per_char{}, options));
        auto const once = messages;
        CHECK(store.held->puts == 2u);
        auto const report = condense::reduce(messages, offloading(store), roomy, per_char{}, options);
        CHECK(messages == once);
        CHECK_FALSE(report.changed());
        CHECK(store.held->puts == 2u);
    }
}

TEST_CASE("a result that imitates a placeholder is offloaded", "[case-11]") {
    shelf const store;
    auto const placeholder = text_of(after(step(letters(20'000)), offloading(store))[2]);
    for (auto const& opening : {placeholder, placeholder.substr(placeholder.find("[... ")), std::string{"stored.0"}}) {
        auto const genuine = opening + letters(20'000, 'y');
        auto const left = after(step(genuine), offloading(store));
        CHECK(text_of(left[2]).size() < 5'000u);
        CHECK(store.held->kept.at(store.name(genuine)) == genuine);
    }
}

TEST_CASE("the same result in two places is one artifact", "[case-13]") {
    shelf const store;
    auto const same = letters(20'000);
    auto const left = after(step(same) + step(same), offloading(store));
    CHECK(text_of(left[2]) == text_of(left[6]));
    CHECK(contains(text_of(left[2]), store.name(same).text()));
    CHECK(store.held->kept.size() == 1u);
    CHECK(text_of(after(step(same), offloading(store))[2]) == text_of(left[2]));
    CHECK(store.held->kept.size() == 1u);
}

// Sizes of the case times 100. A pipeline without a store has compress in place of offload, which acts above the inline
// size.
TEST_CASE("without a store a result within the inline size stays whole", "[case-18]") {
    pipeline const mix{
        condense::compress{.when = condense::always, .over = 100'000_chars, .with = head{.keep = 5'000_chars}}};
    CHECK(after(step(letters(20'000)), mix) == step(letters(20'000)));
}

TEST_CASE("what the agent reads back is not stored again", "[case-21]") {
    shelf const store;
    pipeline const mix{offload{
        .protect = tools("fetch_artifact"), .over = 2'500_chars, .preview = head{.keep = 1'000_chars}, .into = store}};
    CHECK(after(step(letters(10'000), "fetch_artifact"), mix) == step(letters(10'000), "fetch_artifact"));
    CHECK(store.held->puts == 0u);
    CHECK(after(step(letters(10'000)), mix) != step(letters(10'000)));
}

// A negative preview does not compile: quantities are unsigned.
TEST_CASE("a limit of nothing and a preview that is not smaller are rejected", "[case-23]") {
    shelf const store;
    using condense::invalid_configuration;
    CHECK_THROWS_AS((pipeline{offload{.over = 0_chars, .into = store}}), invalid_configuration);
    CHECK_THROWS_AS((pipeline{offload{.over = 4'000_chars, .into = store}}), invalid_configuration);
    CHECK_NOTHROW(pipeline{offload{.over = 4'001_chars, .into = store}});
    CHECK_THROWS_AS((pipeline{offload{.over = 4'000_chars, .preview = head{.keep = 4'000_chars}, .into = store}}),
                    invalid_configuration);
    CHECK_THROWS_AS(
        (pipeline{offload{.over = 4'000_chars, .preview = condense::tail{.keep = 4'000_chars}, .into = store}}),
        invalid_configuration);
    CHECK_THROWS_AS((pipeline{offload{.over = 3'000_bytes, .into = store}}), invalid_configuration);
}

TEST_CASE("a preview larger than the limit is rejected", "[case-25]") {
    shelf const store;
    CHECK_THROWS_AS(
        (pipeline{offload{
            .over = 10'000_chars, .preview = head_tail{.head = 15'000_chars, .tail = 15'000_chars}, .into = store}}),
        condense::invalid_configuration);
    CHECK(text_of(after(step(letters(15'000)), offloading(store))[2]).size() < 10'000u);
}

TEST_CASE("placeholders are the same in every run", "[case-26]") {
    auto const before = step(letters(20'000)) + step(letters(30'000, 'y'));
    CHECK(after(before, offloading(shelf{})) == after(before, offloading(shelf{})));
}

TEST_CASE("a preview that is cut again keeps its reference and tells the truth", "[case-56]") {
    shelf const store;
    auto const original = letters(40'000);
    offload const outer{
        .over = 20'000_chars, .preview = head_tail{.head = 6'000_chars, .tail = 6'000_chars}, .into = store};
    condense::compress const inner{
        .when = condense::always, .over = 11'000_chars, .with = head_tail{.head = 4'000_chars, .tail = 4'000_chars}};
    auto const inline_after = [&](auto const& mix) {
        auto const left = text_of(after(step(original), mix)[2]);
        auto const shown = occurrences(left, "x");
        CHECK(contains(left, store.name(original).text()));
        CHECK(occurrences(left, "[... ") == 1u);
        CHECK(contains(left, condense::detail::grouped(40'000 - shown) + " of 40,000 characters"));
        CHECK(left.size() - shown < 200u);
        return shown;
    };
    CHECK(inline_after(pipeline{outer}) == 12'000u);
    CHECK(inline_after(pipeline{outer, inner}) == 8'000u);
}

// Sizes of the case times 100.
TEST_CASE("the store holds the original, the message a key and a preview", "[case-T52]") {
    shelf const store;
    auto const original = letters(10'000, 'P') + letters(10'000, 'S');
    auto const left = after(step(original), offloading(store));
    CHECK(store.held->kept.at(store.name(original)) == original);
    CHECK(text_of(left[2]).size() < original.size());
    CHECK(contains(text_of(left[2]), store.name(original).text()));
    CHECK(text_of(left[2]).find(letters(2'000, 'P') + "\n") == 0u);
    CHECK(contains(text_of(left[2]), "\n" + letters(2'000, 'S')));
}

TEST_CASE("a preview at the threshold is rejected", "[case-T54]") {
    shelf const store;
    for (auto const preview : {5'000_chars, 6'000_chars})
        CHECK_THROWS_AS(
            (pipeline{
                offload{.over = 10'000_chars, .preview = head_tail{.head = preview, .tail = preview}, .into = store}}),
            condense::invalid_configuration);
    CHECK_NOTHROW(pipeline{
        offload{.over = 10'000_chars, .preview = head_tail{.head = 5'000_chars, .tail = 4'999_chars}, .into = store}});
}

TEST_CASE("an error result keeps its status and its id", "[case-T55]") {
    shelf const store;
    auto messages = step(letters(20'000));
    messages[2].parts.front().status = condense::part_status::error;
    static_cast<void>(run(messages, offloading(store)));
    CHECK(store.held->puts == 1u);
    CHECK(messages[2].parts.front().status == condense::part_status::error);
    CHECK(messages[2].parts.front().call == "c1");
}

TEST_CASE("what was read back and a cancelled call's result are skipped", "[case-T57]") {
    shelf const store;
    CHECK(
        after(step(letters(20'000), "fetch_artifact"), pipeline{offload{.protect = tools("fetch_*"), .into = store}}) ==
        step(letters(20'000), "fetch_artifact"));
    auto const before = [] {
        auto messages = step(letters(20'000));
        messages[2].parts.front().status = condense::part_status::cancelled;
        return messages;
    }();
    CHECK(after(before, offloading(store)) == before);
    CHECK(store.held->puts == 0u);
}

TEST_CASE("a long call id with slashes makes a plain key", "[case-T59]") {
    condense::memory_store const store;
    std::string id;
    while (id.size() < 500) id += "../etc/passwd/";
    auto const left = after({U(), C(id), R(id, letters(20'000)), A()}, pipeline{offload{.into = store}});
    CHECK(store.size() == 1u);
    CHECK(left[2].parts.front().call == id);
    auto const key = store.name(letters(20'000)).text();
    CHECK(key.size() == 24u);
    CHECK(key.find_first_not_of("0123456789abcdef") == std::string::npos);
    CHECK(contains(text_of(left[2]), key));
    CHECK_FALSE(contains(text_of(left[2]), "etc"));
}

TEST_CASE("the same bytes have one key and one object", "[case-T60]") {
    condense::memory_store const store;
    auto const bytes = letters(10'000) + std::string{"\0\xFF\xC3", 3} + letters(10'000, 'y');
    auto const left = after(step(bytes) + step(bytes), pipeline{offload{.into = store}});
    CHECK(text_of(left[2]) == text_of(left[6]));
    CHECK(contains(text_of(left[2]), store.name(bytes).text()));
    CHECK(store.name(bytes).text().size() == 24u);
    CHECK(store.size() == 1u);
    CHECK(store.get(store.name(bytes)) == bytes);
}

}  // namespace
