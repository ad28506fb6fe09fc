// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/compress.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/pipeline.hpp>
#include <condense/core/reduce.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/record.hpp>
#include <condense/session/session.hpp>
#include <condense/shorten/collapse_repeats.hpp>
#include <condense/shorten/duplicate_results.hpp>
#include <condense/shorten/first_of.hpp>
#include <condense/shorten/json_sample.hpp>
#include <condense/shorten/point_to_file.hpp>
#include <condense/shorten/shorten_arguments.hpp>
#include <condense/store/memory_journal.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::always;
using condense::compress;
using condense::head_tail;
using condense::layer_outcome;
using condense::pipeline;
using condense::used;

static_assert(condense::layer<compress<>>);
static_assert(!condense::recoverable<pipeline<compress<>>> && condense::deterministic<pipeline<compress<>>>);

/// Applies to nothing that it is shown.
struct silent {
    std::optional<std::string> operator()(condense::part_view const&, condense::cut) const { return std::nullopt; }
};
/// Is shown nothing here.
struct of_media : silent {
    static constexpr condense::part_kinds applies_to = condense::part_kind::media;
};

template <class... Layers>
auto reduced(conversation& messages, pipeline<Layers...> const& mix, condense::tokens window = 100'000_tokens,
             bool marks = false) {
    return condense::reduce(messages, mix, {.window = window}, per_byte{}, condense::run_options<>{.marks = marks});
}

/// The sizes of the results.
std::vector<std::size_t> sizes(conversation const& messages) {
    std::vector<std::size_t> found;
    for (auto const& text : texts(messages)) found.push_back(text.size());
    return found;
}

constexpr compress eager{.when = always, .over = 1'000_chars, .with = head_tail{100_chars, 100_chars}};

}  // namespace

TEST_CASE("compress: results over the limit are shortened, the rest is left alone") {
    auto messages = rounds_of({letters(1'000), letters(1'001), letters(10), letters(5'000)});
    auto const before = messages;
    auto const report = reduced(messages, pipeline{eager});
    auto const after = sizes(messages);
    CHECK(after[0] == 1'000);
    CHECK(after[1] < 300);
    CHECK(after[2] == 10);
    CHECK(after[3] < 300);
    CHECK(report.layers[0].parts_shortened == 2);
    CHECK(messages.size() == before.size());
    for (std::size_t index = 0; index < messages.size(); ++index)
        if (index != 4 && index != 8) CHECK(messages[index] == before[index]);
    CHECK(messages[4].parts[0].text.find("omitted") != std::string::npos);
}

TEST_CASE("compress: defaults are those of its table row") {
    auto messages = rounds_of({letters(10'000), letters(10'001), letters(100'000)});
    auto const report = reduced(messages, pipeline{compress{.when = always}}, 1'000'000_tokens);
    auto const after = sizes(messages);
    CHECK(after[0] == 10'000);
    CHECK(after[1] > 8'000);
    CHECK(after[1] <= 8'192);
    CHECK(after[2] <= 8'192);
    CHECK(report.layers[0].parts_shortened == 2);
}

TEST_CASE("compress: is not due below its trigger") {
    auto messages = rounds_of({letters(5'000)});
    auto const before = messages;
    compress const layer{.when = used >= 65_pct, .over = 1'000_chars};
    auto const report = reduced(messages, pipeline{layer}, 10'000_tokens);
    CHECK(report.layers[0].outcome == layer_outcome::idle);
    CHECK(report.layers[0].runs == 0);
    CHECK(messages == before);
}

TEST_CASE("compress: oldest first, and no further than its target") {
    compress const layer{.when = used >= 65_pct, .over = 1'000_chars, .with = head_tail{100_chars, 100_chars}};
    auto messages = rounds_of({letters(3'000), letters(3'000), letters(3'000)});
    SECTION("eight tenths of the trigger") {
        // 6,500 of 10,000 tokens fire, 5,200 are enough.
        static_cast<void>(reduced(messages, pipeline{layer}, 10'000_tokens));
        auto const after = sizes(messages);
        CHECK(after[0] < 300);
        CHECK(after[1] < 300);
        CHECK(after[2] == 3'000);
    }
    SECTION("one of its own") {
        compress const own{.when = used >= 65_pct, .until = used <= 10_pct, .over = 1'000_chars, .with = layer.with};
        static_cast<void>(reduced(messages, pipeline{own}, 10'000_tokens));
        CHECK(sizes(messages)[2] < 300);
    }
}

TEST_CASE("compress: what is protected stays") {
    auto messages = rounds_of({letters(5'000), letters(5'000), letters(5'000)});
    messages[4].parts[0].status = part_status::error;
    auto const after = [&](auto protect) {
        auto copy = messages;
        static_cast<void>(reduced(
            copy,
            pipeline{compress{
                .when = always, .protect = protect, .over = 1'000_chars, .with = head_tail{100_chars, 100_chars}}}));
        std::string whole;
        for (auto const size : sizes(copy)) whole.push_back(size == 5'000 ? '1' : '0');
        return whole;
    };
    CHECK(after(condense::nothing) == "000");
    CHECK(after(condense::tools("read")) == "101");
    CHECK(after(condense::errors) == "010");
    CHECK(after(condense::last(3_messages)) == "001");
    CHECK(after(condense::task | condense::first(3_messages)) == "100");
}

TEST_CASE("compress: sealed parts, pins and other kinds of parts are left alone") {
    auto messages = rounds_of({letters(5'000), letters(5'000)});
    messages[2].parts[0].sealed = true;
    messages[4].pinned = true;
    messages[5].parts[0].text = letters(5'000);
    messages[1].parts[0].text = "\"" + letters(5'000) + "\"";
    auto const before = messages;
    auto const report = reduced(messages, pipeline{eager});
    CHECK(messages == before);
    CHECK(std::string_view{report.layers[0].note} == "pinned");
}

TEST_CASE("compress: status, ids and unknown fields stay") {
    auto messages = rounds_of({letters(5'000)});
    messages[2].parts[0].status = part_status::error;
    messages[2].name = "metadata";
    static_cast<void>(reduced(messages, pipeline{eager}));
    CHECK(messages[2].parts[0].call == "0");
    CHECK(messages[2].parts[0].status == part_status::error);
    CHECK(messages[2].name == "metadata");
    CHECK(messages[2].parts[0].text.size() < 300);
}

TEST_CASE("compress: a second run changes nothing") {
    for (bool const marks : {false, true}) {
        auto messages = rounds_of({letters(5'000), letters(1'001)});
        static_cast<void>(reduced(messages, pipeline{eager}, 100'000_tokens, marks));
        auto const once = messages;
        auto const report = reduced(messages, pipeline{eager}, 100'000_tokens, marks);
        CHECK(messages == once);
        CHECK_FALSE(report.changed());
    }
}

TEST_CASE("compress: open groups lose content only under pressure") {
    conversation messages{U("task"), C("1", "read"), R("1", letters(5'000))};
    auto const before = messages;
    auto const report = reduced(messages, pipeline{eager});
    CHECK(messages == before);
    CHECK(std::string_view{report.layers[0].note} == "open group");
    auto const press = toy::press{};
    static_cast<void>(reduced(messages, pipeline{eager, press}));
    CHECK(sizes(messages)[0] < 300);
}

TEST_CASE("compress: every pass keeps less") {
    auto const size_at = [](unsigned pressure, bool top) {
        auto messages = rounds_of({letters(5'000)});
        auto const press = toy::press{.pressure = pressure, .top = top};
        static_cast<void>(reduced(
            messages,
            pipeline{compress{.when = always, .over = 2'000_chars, .with = head_tail{500_chars, 500_chars}}, press}));
        return sizes(messages)[0];
    };
    CHECK(size_at(1, false) < size_at(0, false));
    CHECK(size_at(2, false) < size_at(1, false));
    CHECK(size_at(2, true) < size_at(2, false));
}

TEST_CASE("compress: what was stored can still be had back when it is shortened again") {
    auto messages = rounds_of({letters(5'000)});
    auto const store = toy::layer<condense::externalizes>([](auto& draft, auto& pass) {
        condense::part_ref const part{2, 0, draft.outline().message_at(2).first_part};
        if (!draft.about(part).edited) pass.note(draft.externalize(part, letters(4'000), {{0xAB}}));
    });
    static_cast<void>(reduced(messages, pipeline{store, eager}));
    CHECK(messages[2].parts[0].text.find("stored as ab0000000000000000000000") != std::string::npos);
    CHECK(sizes(messages)[0] < 300);
    SECTION("what an earlier run stored is a preview, and is left alone") {
        auto earlier = rounds_of({letters(5'000)});
        earlier[2].mark = "stored.0";
        auto const before = earlier;
        static_cast<void>(reduced(earlier, pipeline{eager}, 100'000_tokens, true));
        CHECK(earlier == before);
    }
}

TEST_CASE("compress: any callable can shorten") {
    auto const with = [](auto shortener) { return compress{.when = always, .over = 1'000_chars, .with = shortener}; };
    using text = std::optional<std::string>;
    auto messages = rounds_of({letters(5'000)});
    auto const before = messages;
    auto report = reduced(messages, pipeline{with([](condense::part_view const&, condense::cut) { return text{}; })});
    CHECK(messages == before);
    report = reduced(messages, pipeline{with([](condense::part_view const& part, condense::cut) {
                         return text{std::string{part.text} + "!"};
                     })});
    CHECK(messages == before);
    CHECK(report.layers[0].outcome == layer_outcome::declined);
    CHECK(std::string_view{report.layers[0].note} == "not smaller: an edit would leave 5,001 of 5,000 tokens");
    report = reduced(messages, pipeline{with([](condense::part_view const& part, condense::cut) {
                         return text{std::string{part.tool} + ": gone"};
                     })});
    CHECK(messages[2].parts[0].text == "read: gone");
    CHECK(report.layers[0].saved.count == 5'000 - 10);
}

TEST_CASE("compress: limits in lines and bytes") {
    std::string lines;
    for (int line = 0; line < 300; ++line) lines += "test line\n";
    auto messages = rounds_of({lines, letters(2'000)});
    static_cast<void>(reduced(
        messages, pipeline{compress{.when = always, .over = 256_lines, .with = head_tail{10_lines, 10_lines}}}));
    CHECK(sizes(messages)[0] < 400);
    CHECK(sizes(messages)[1] == 2'000);
    static_cast<void>(reduced(
        messages, pipeline{compress{.when = always, .over = 1'999_bytes, .with = head_tail{10_chars, 10_chars}}}));
    CHECK(sizes(messages)[1] < 200);
}

TEST_CASE("compress: a limit in tokens") {
    auto messages = rounds_of({letters(2'000), letters(2'001)});
    compress const layer{
        .when = always, .over = 2'000_tokens, .with = condense::first_of(silent{}, head_tail{100_chars, 100_chars})};
    static_cast<void>(reduced(messages, pipeline{layer}));
    CHECK(sizes(messages)[0] == 2'000);
    CHECK(sizes(messages)[1] < 300);
    CHECK_FALSE(reduced(messages, pipeline{layer}).changed());
}

TEST_CASE("compress: a limit and what remains as shares of the window") {
    auto messages = rounds_of({letters(2'000), letters(2'001)});
    compress const layer{.when = always, .over = 2_pct, .with = head_tail{.head = 0.5_pct, .tail = 1_pct}};
    static_cast<void>(reduced(messages, pipeline{layer}));
    CHECK(sizes(messages)[0] == 2'000);
    CHECK(sizes(messages)[1] > 1'500);
    CHECK(sizes(messages)[1] < 1'700);
    CHECK_FALSE(reduced(messages, pipeline{layer}).changed());
    // A share of another budget is another size, and its own limit may be a share, too.
    compress const own{.when = always, .with = condense::json_sample{.over = 1_pct, .at_most = 0.5_pct}};
    auto rows = rounds_of({"[" + std::string(1'998, ' ') + "]"});
    for (auto const window : {200'000_tokens, 100'000_tokens}) {
        auto const report = reduced(rows, pipeline{own}, window);
        CHECK(report.changed() == (window == 100'000_tokens));
    }
}

TEST_CASE("compress: in a session, what looks at all messages is always due where the trigger is always") {
    condense::session chat{
        conversation{},
        pipeline{compress{.when = always, .with = condense::first_of(condense::duplicate_results{}, head_tail{})}},
        {.window = 100'000_tokens},
        per_byte{}};
    for (auto const& m : rounds_of({letters(500), letters(500)})) chat.push(m);
    REQUIRE(chat.due());
    CHECK(chat.prepare().layers[0].parts_shortened == 1);
    condense::session plain{
        rounds_of({letters(500)}), pipeline{compress{.when = always}}, {.window = 100'000_tokens}, per_byte{}};
    CHECK_FALSE(plain.due());
}

TEST_CASE("compress: takes what another layer made of a part too, as a second run would") {
    auto const cut = toy::layer<condense::shortens>([](auto& draft, auto& pass) {
        condense::part_ref const part{2, 0, draft.outline().message_at(2).first_part};
        std::string words;
        while (words.size() < 2'000) words += "again and ";
        if (!draft.about(part).edited && draft.about(part).original_size.count == 5'000)
            pass.note(draft.shorten(part, words));
    });
    pipeline const mix{cut, compress{.when = always, .over = 100_chars, .with = condense::collapse_repeats{}}};
    std::string mixed;
    for (unsigned at = 0; mixed.size() < 5'000; ++at) mixed += static_cast<char>('a' + at * at % 23 + at / 400);
    auto messages = rounds_of({mixed});
    static_cast<void>(reduced(messages, mix));
    CHECK(sizes(messages)[0] < 100);
    auto const once = messages;
    CHECK_FALSE(reduced(messages, mix).changed());
    CHECK(messages == once);
}

TEST_CASE("compress: two on one part compose") {
    auto const arguments =
        R"({"path":"a.txt","content":")" + letters(1'900, 'c') + R"(","notes":")" + letters(2'600, 'n') + "\"}";
    conversation messages{U("task"), C("1", "write_file", arguments), R("1", "ok"), A("done"), U("thanks")};
    compress const pointed{.when = always, .with = condense::point_to_file{}};
    compress const cut{.when = always, .with = condense::shorten_arguments{.over = 2'000_chars}};
    auto const both = [&](auto const& mix) {
        auto copy = messages;
        static_cast<void>(reduced(copy, mix));
        auto const once = copy;
        CHECK_FALSE(reduced(copy, mix).changed());
        CHECK(copy == once);
        CHECK(copy[1].parts[0].text.size() < 400);
        CHECK(copy[1].parts[0].text.find("read a.txt") != std::string::npos);
    };
    both(pipeline{pointed, cut});
    both(pipeline{cut, pointed});
    // Pressed again, each begins where it has begun: the second with what the first has left.
    auto const press = toy::press{};
    static_cast<void>(reduced(messages, pipeline{pointed, cut, press}));
    CAPTURE(messages[1].parts[0].text);
    CHECK(messages[1].parts[0].text.find("of 1,900 characters omitted; read a.txt") != std::string::npos);
    CHECK(messages[1].parts[0].text.find("of 2,600 characters omitted") != std::string::npos);
}

TEST_CASE("compress: a second cut, in this run or a later one, says what is missing of the original") {
    compress const layer{.when = used >= 40_pct};
    pipeline const mix{layer, condense::escalate{.when = used >= 60_pct}};
    for (bool const marks : {false, true}) {
        conversation messages{U("task"), C("1", "f"), R("1", letters(50'000)), A("done"), U("more")};
        static_cast<void>(reduced(messages, mix, 40'000_tokens, marks));
        CHECK(messages[2].parts[0].text.find("[... 42,000 of 50,000 characters omitted ...]") != std::string::npos);
        messages += {A(letters(22'000)), U("and more")};
        static_cast<void>(reduced(messages, mix, 40'000_tokens, marks));
        CHECK(sizes(messages)[0] < 8'000);
        CHECK(messages[2].parts[0].text.find(" of 50,000 characters omitted ...]") != std::string::npos);
        CHECK(messages[2].parts[0].text.find("[... ") == messages[2].parts[0].text.rfind("[... "));
    }
}

TEST_CASE("compress: a marker says where the rest is, and nothing of another run of the tool") {
    auto const marker = [](auto const& mix) {
        auto messages = rounds_of({letters(5'000)});
        static_cast<void>(reduced(messages, mix));
        auto const& text = messages[2].parts[0].text;
        return text.substr(text.find("[... "), text.find(" ...]") + 5 - text.find("[... "));
    };
    CHECK(marker(pipeline{eager}) == "[... 4,800 of 5,000 characters omitted ...]");
    CHECK(marker(pipeline{condense::record{.to = condense::memory_journal{}}, eager}) ==
          "[... 4,800 of 5,000 characters omitted; the journal holds the whole ...]");
    auto const worded = compress{.when = always,
                                 .over = 1'000_chars,
                                 .with = head_tail{100_chars, 100_chars},
                                 .words = {.recorded = "search_history has it", .otherwise = "ask for another run"}};
    CHECK(marker(pipeline{worded}) == "[... 4,800 of 5,000 characters omitted; ask for another run ...]");
    CHECK(marker(pipeline{condense::record{.to = condense::memory_journal{}}, worded}) ==
          "[... 4,800 of 5,000 characters omitted; search_history has it ...]");
    auto wrong = worded;
    wrong.words.otherwise = "two\nlines";
    CHECK_THROWS_AS(pipeline{wrong}, condense::invalid_configuration);
}

TEST_CASE("compress: values that cannot work are rejected") {
    CHECK_THROWS_AS((pipeline{compress{.when = used >= 65_pct, .until = used <= 65_pct}}),
                    condense::invalid_configuration);
    CHECK_THROWS_AS((pipeline{compress{.with = head_tail{.at_most = 10_bytes}}}), condense::invalid_configuration);
    CHECK_NOTHROW(pipeline{compress{}});
}

TEST_CASE("compress: a dry run says what would be saved") {
    auto const messages = rounds_of({letters(5'000)});
    auto const dry = pipeline{eager}.draft(messages, {.window = 100'000_tokens}, per_byte{});
    CHECK(dry.report().layers[0].parts_shortened == 1);
    CHECK(dry.report().layers[0].saved.count > 4'000);
    CHECK(sizes(messages)[0] == 5'000);
}

TEST_CASE("compress: it says why it has nothing to do") {
    auto const said = [](auto const& layer, std::size_t size) {
        auto messages = rounds_of({letters(size)});
        auto const report = reduced(messages, pipeline{layer});
        CHECK(report.layers[0].outcome == layer_outcome::idle);
        return std::string{std::string_view{report.layers[0].note}};
    };
    CHECK(said(compress{.when = always}, 5'000) == "nothing to do: all that it could take is within `over`");
    CHECK(said(compress{.when = always, .protect = condense::tools("read")}, 50'000) ==
          "nothing to do: all that it could take is protected");
    CHECK(said(compress{.when = always, .protect = condense::last(10_messages)}, 50'000) ==
          "nothing to do: all that it could take is within the newest 5 messages");
    CHECK(said(compress{.when = always, .protect = condense::last(3_messages)}, 50'000) ==
          "nothing to do: all that it could take is within the newest 3 messages");
    CHECK(said(compress{.when = always, .protect = condense::first(3_messages)}, 50'000) ==
          "nothing to do: all that it could take is protected");
    CHECK(said(compress{.when = always, .with = silent{}}, 50'000) ==
          "nothing to do: no part is one that it shortens any further");
    CHECK(said(compress{.when = always, .with = of_media{}}, 50'000) ==
          "nothing to do: no part is one that it shortens any further");
    CHECK(said(compress{.when = used >= 1_messages, .until = used <= 90_pct}, 50'000) ==
          "nothing to do: its target is reached");
}

TEST_CASE("compress: why it had nothing to do goes when it has") {
    auto messages = rounds_of({letters(9'000)});
    auto const report = reduced(
        messages, pipeline{compress{.when = always}, condense::escalate{.when = used >= 10_pct}}, 10'000_tokens);
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(std::string_view{report.layers[0].note}.empty());
}

TEST_CASE("compress: a trigger in messages or turns acts, measured in tokens", "[law-18]") {
    auto const arguments = R"({"path":"a.txt","content":")" + letters(9'000) + "\"}";
    conversation messages{U("u"), C("1", "write_file", arguments), R("1", letters(90'000, 'y')), A("a"), U("u")};
    auto const mix = condense::pipeline{
        condense::compress{.when = condense::used >= 3_messages, .with = condense::shorten_arguments{}},
        condense::compress{.when = condense::used >= 1_turns}};
    auto const report = condense::reduce(messages, mix, {.window = 1'000'000_tokens}, per_byte{});
    for (auto const& layer : report.layers) {
        CHECK(layer.outcome == condense::layer_outcome::applied);
        CHECK(layer.note.empty());
    }
    auto const reduced = messages;
    CHECK_FALSE(condense::reduce(messages, mix, {.window = 1'000'000_tokens}, per_byte{}).changed());
    CHECK(messages == reduced);
}

TEST_CASE("compress: `over` below what head_tail holds bounds what is left", "[law-18]") {
    for (std::size_t const size : {7'900u, 20'000u}) {
        conversation messages{U("u"), C("1", "f"), R("1", letters(size)), A("a")};
        auto const mix = condense::pipeline{condense::compress{.when = condense::always, .over = 2'000_chars}};
        CHECK(condense::reduce(messages, mix, {.window = 100'000_tokens}, per_byte{}).changed());
        CHECK(messages[2].parts[0].text.size() <= 2'000);
        CHECK(messages[2].parts[0].text.size() > 1'500);
        CHECK_FALSE(condense::reduce(messages, mix, {.window = 100'000_tokens}, per_byte{}).changed());
    }
}
