// SPDX-License-Identifier: BSL-1.0

// Acceptance cases: large results move to a store and leave a preview.

#include <nlohmann/json.hpp>

#include <condense/adapt/json.hpp>
#include <condense/store/file.hpp>
#include <condense/store/memory.hpp>

#include "cases/runs.hpp"
#include "store/scratch.hpp"

namespace {

using namespace cases;

auto offloading(shelf const& into) { return pipeline{offload{.into = into}}; }

/// One step of this tool whose result is this text, and an answer.
conversation step(std::string text, std::string tool = "shell") {
    return {U(), C("c1", std::move(tool)), R("c1", std::move(text)), A()};
}
conversation with_status(conversation messages, condense::part_status status) {
    messages[2].parts.front().status = status;
    return messages;
}

// Sizes of the case times 500.
TEST_CASE("a result at the limit is left alone", "[case-1]") {
    shelf const store;
    CHECK(cases::after(step(letters(10'000)), offloading(store)) == step(letters(10'000)));
    CHECK(store.held->named == 0u);
    CHECK(store.held->puts == 0u);
    CHECK(text_of(cases::after(step(letters(10'001)), offloading(store))[2]).size() < 5'000u);
    CHECK(store.held->puts == 1u);
}

TEST_CASE("a tool's name is no path", "[case-15][law-h1]") {
    scratch::folder const root;
    condense::artifact_folder const store{root / "kept"};
    auto const sent = cases::after(step(letters(20'000), "../../etc/x"), offload{.into = store});
    CHECK(text_of(sent[2]).size() < 5'000u);
    CHECK(scratch::names_in(root / "") == std::vector<std::string>{"kept"});
    for (std::string_view name : scratch::names_in(root / "kept")) {
        if (name.ends_with(".source")) name.remove_suffix(7);
        CHECK(name.find_first_not_of("0123456789abcdef.") == name.npos);
    }
    CHECK_FALSE(scratch::names_in(root / "kept").empty());
}

TEST_CASE("exempt tools, and what the agent reads back, are not offloaded; others are", "[case-5][case-21][case-T57]") {
    auto const exempt = [](std::size_t size, std::string const& tool, auto layer) {
        CHECK(cases::after(step(letters(size), tool), layer) == step(letters(size), tool));
        CHECK(layer.into.held->puts == 0u);
        CHECK(cases::after(step(letters(size)), layer) != step(letters(size)));
        CHECK(layer.into.held->kept.size() == 1u);
    };
    exempt(80'001, "read_file", offload{.protect = tools("read_file"), .into = shelf{}});
    exempt(10'000, "fetch_artifact",
           offload{.protect = tools("fetch_artifact"),
                   .over = 2'500_chars,
                   .preview = head{.keep = 1'000_chars},
                   .into = shelf{}});
    exempt(20'000, "fetch_artifact", offload{.protect = tools("fetch_*"), .into = shelf{}});
    // Nor is the result of a cancelled call.
    auto const cancelled = with_status(step(letters(20'000)), condense::part_status::cancelled);
    shelf const store;
    CHECK(cases::after(cancelled, offloading(store)) == cancelled);
    CHECK(store.held->puts == 0u);
}

/// What a message is besides its text and the library's mark.
chat_message without_text(chat_message m) {
    m.parts.front().text.clear();
    m.mark.clear();
    return m;
}

TEST_CASE("status, id and what the library does not know survive", "[case-6][case-T55]") {
    shelf const store;
    auto messages = with_status(step(letters(20'000)), condense::part_status::error);
    messages[2].name = "source: test";
    auto const before = messages;
    static_cast<void>(condense::reduce(messages, offloading(store), roomy, per_char{}, fakes::with_marks()));
    CHECK(text_of(messages[2]).size() < 5'000u);
    CHECK(without_text(messages[2]) == without_text(before[2]));
    CHECK_FALSE(messages[2].mark.empty());
    CHECK(messages[1] == before[1]);
    CHECK(before[2].mark.empty());
    CHECK(store.held->puts == 1u);
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
        CHECK(report.layers[0].note == "the disk is full");
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
        CHECK(once[2].mark == (marks ? "stored.0" : ""));
        CHECK(store.held->puts == 2u);
        auto const report = condense::reduce(messages, offloading(store), roomy, per_char{}, options);
        CHECK(messages == once);
        CHECK_FALSE(report.changed());
        CHECK(store.held->puts == 2u);
    }
}

TEST_CASE("a result that imitates a placeholder is offloaded", "[case-11]") {
    shelf const store;
    auto const placeholder = text_of(cases::after(step(letters(20'000)), offloading(store))[2]);
    for (auto const& opening : {placeholder, placeholder.substr(placeholder.find("[... ")), std::string{"stored.0"}}) {
        auto const genuine = opening + letters(20'000, 'y');
        CHECK(text_of(cases::after(step(genuine), offloading(store))[2]).size() < 5'000u);
        CHECK(store.held->kept.at(store.name(genuine)) == genuine);
    }
}

TEST_CASE("the same result in two places is one artifact, and placeholders are the same in every run",
          "[case-13][case-26]") {
    shelf const store;
    auto const same = letters(20'000);
    auto const before = step(same) + step(same) + step(letters(30'000, 'y'));
    auto const left = cases::after(before, offloading(store));
    CHECK(text_of(left[2]) == text_of(left[6]));
    CHECK(contains(text_of(left[2]), store.name(same).text()));
    CHECK(text_of(left[10]) != text_of(left[2]));
    CHECK(store.held->kept.size() == 2u);
    CHECK(cases::after(before, offloading(store)) == left);
    CHECK(store.held->kept.size() == 2u);
    CHECK(cases::after(before, offloading(shelf{})) == left);
}

// Sizes of the case times 100. A pipeline without a store has compress in place of offload, which acts above the inline
// size.
TEST_CASE("without a store a result within the inline size stays whole", "[case-18]") {
    pipeline const mix{compress{.when = always, .over = 100'000_chars, .with = head{.keep = 5'000_chars}}};
    CHECK(cases::after(step(letters(20'000)), mix) == step(letters(20'000)));
}

// A negative preview does not compile: quantities are unsigned.
TEST_CASE("a limit of nothing and a preview that is not smaller are rejected", "[case-23][case-25][case-T54]") {
    shelf const store;
    auto const rejected = [&](condense::text_limit over, auto preview) {
        CHECK_THROWS_AS((pipeline{offload{.over = over, .preview = preview, .into = store}}), invalid_configuration);
    };
    auto const ends = [](condense::chars first, condense::chars last) {
        return head_tail{.head = first, .tail = last};
    };
    CHECK_THROWS_AS((pipeline{offload{.over = 0_chars, .into = store}}), invalid_configuration);
    CHECK_THROWS_AS((pipeline{offload{.over = 4'000_chars, .into = store}}), invalid_configuration);
    CHECK_NOTHROW(pipeline{offload{.over = 4'001_chars, .into = store}});
    CHECK_THROWS_AS((pipeline{offload{.over = 3'000_bytes, .into = store}}), invalid_configuration);
    rejected(4'000_chars, head{.keep = 4'000_chars});
    rejected(4'000_chars, condense::tail{.keep = 4'000_chars});
    rejected(10'000_chars, ends(15'000_chars, 15'000_chars));
    rejected(10'000_chars, ends(5'000_chars, 5'000_chars));
    rejected(10'000_chars, ends(6'000_chars, 6'000_chars));
    rejected(10'000_chars, ends(30'000_chars, 0_chars));
    rejected(10'000_chars, ends(condense::chars{~std::uint64_t{0} - 1}, 5'000_chars));
    CHECK_NOTHROW(pipeline{offload{.over = 10'000_chars, .preview = ends(5'000_chars, 4'999_chars), .into = store}});
    CHECK(text_of(cases::after(step(letters(15'000)), offloading(store))[2]).size() < 10'000u);
}

TEST_CASE("a preview that is cut again keeps its reference and tells the truth", "[case-56]") {
    shelf const store;
    auto const original = letters(40'000);
    offload const outer{
        .over = 20'000_chars, .preview = head_tail{.head = 6'000_chars, .tail = 6'000_chars}, .into = store};
    compress const inner{
        .when = always, .over = 11'000_chars, .with = head_tail{.head = 4'000_chars, .tail = 4'000_chars}};
    auto const inline_after = [&](auto const& mix) {
        auto const left = text_of(cases::after(step(original), mix)[2]);
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
    auto const left = text_of(cases::after(step(original), offloading(store))[2]);
    CHECK(store.held->kept.at(store.name(original)) == original);
    CHECK(left.size() < original.size());
    CHECK(contains(left, store.name(original).text()));
    CHECK(left.starts_with(letters(2'000, 'P') + "\n"));
    CHECK(contains(left, "\n" + letters(2'000, 'S')));
}

TEST_CASE("a long call id with slashes makes a plain key", "[case-T59]") {
    condense::memory_store const store;
    auto const id = repeated("../etc/passwd/", 36);
    auto const left = cases::after({U(), C(id), R(id, letters(20'000)), A()}, offload{.into = store});
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
    auto const left = cases::after(step(bytes) + step(bytes), offload{.into = store});
    CHECK(text_of(left[2]) == text_of(left[6]));
    CHECK(contains(text_of(left[2]), store.name(bytes).text()));
    CHECK(store.name(bytes).text().size() == 24u);
    CHECK(store.size() == 1u);
    CHECK(store.get(store.name(bytes)) == bytes);
}

// Sizes of the text times 10, of the preview times 4. The text goes to the store, the image becomes a note; its bytes
// are a journal's to keep.
TEST_CASE("a text is stored and an image beside it is named", "[case-16]") {
    shelf const store;
    auto const text = letters(2'000);
    std::vector<nlohmann::json> messages{
        nlohmann::json{{"role", "user"}, {"content", "u"}},
        nlohmann::json::parse(
            R"({"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"t","input":{}}]})"),
        nlohmann::json::parse(
            R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":")" +
            text + R"("},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0K"}}]}]})"),
        nlohmann::json{{"role", "assistant"}, {"content", "a"}}};
    pipeline const mix{offload{.over = 500_chars, .preview = head{.keep = 400_chars}, .into = store},
                       compress{.when = always, .with = condense::media_note{}}};
    auto const report = condense::reduce(messages, mix, roomy, per_char{});
    REQUIRE(messages.size() == 4u);
    CHECK(report.layers[0].artifacts == 1u);
    CHECK(report.layers[1].parts_shortened == 1u);
    CHECK(store.held->kept.at(store.name(text)) == text);
    auto const& blocks = messages[2]["content"][0]["content"];
    REQUIRE(blocks.size() == 2u);
    auto const shown = blocks[0]["text"].get<std::string>();
    CHECK(shown.starts_with(letters(400) + "\n[... 1,600 of 2,000 characters omitted; the whole is stored as "));
    CHECK(blocks[1] == nlohmann::json{{"type", "text"},
                                      {"text", "[image/png, 6 bytes, omitted; ask for it again if it is needed]"}});
    std::uint64_t counted = 0;
    for (auto const& m : messages)
        condense::each_part(m, [&](condense::part_view const& part) {
            counted += condense::detail::part_cost(per_char{}, part).tokens().count;
        });
    CHECK(counted == report.after.tokens.count);
}

}  // namespace
