// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/compress.hpp>

#include <condense/layer/exhausted_parts.hpp>

#include "layer/shared.hpp"

namespace {

using namespace layers;

static_assert(condense::layer<compress<>>);
static_assert(!condense::recoverable<pipeline<compress<>>> && condense::deterministic<pipeline<compress<>>>);

/// Applies to nothing that it is shown.
struct silent {
    std::optional<std::string> operator()(part_view const&, condense::cut) const { return std::nullopt; }
};
/// Is shown nothing here.
struct of_media : silent {
    static constexpr condense::part_kinds applies_to = part_kind::media;
};

/// The sizes of the results.
std::vector<std::size_t> sizes(conversation const& messages) {
    std::vector<std::size_t> found;
    for (auto const& text : texts(messages)) found.push_back(text.size());
    return found;
}
/// The results that a mix leaves.
template <class Mix>
std::vector<std::size_t> left(std::vector<std::string> const& results, Mix const& mix,
                              condense::tokens window = 100'000_tokens) {
    return sizes(fakes::after(rounds_of(results), mix, {.window = window}));
}

constexpr auto eager = mixes::head_and_tail();

TEST_CASE("compress: results over the limit are shortened once, the rest is left alone") {
    auto const before = rounds_of({letters(1'000), letters(1'001), letters(10), letters(5'000)});
    auto const dry = condense::dry_run(before, eager, {.window = 100'000_tokens}, per_byte{});
    CHECK(dry.report().layers[0].parts_shortened == 2);
    CHECK(dry.report().layers[0].saved.count > 4'000);
    bool const marks = GENERATE(false, true);
    auto messages = before;
    auto const report = reduced(messages, eager, 100'000_tokens, marks);
    CHECK(report.layers[0].parts_shortened == 2);
    CHECK(report.layers[0].saved == dry.report().layers[0].saved);
    REQUIRE(messages.size() == before.size());
    for (std::size_t index = 0; index < messages.size(); ++index)
        if (index != 4 && index != 8) CHECK(messages[index] == before[index]);
    for (std::size_t const index : {4u, 8u}) {
        CHECK(text_of(messages[index]).size() < 300);
        CHECK(contains(text_of(messages[index]), "omitted"));
    }
    auto const once = messages;
    CHECK_FALSE(reduced(messages, eager, 100'000_tokens, marks).changed());
    CHECK(messages == once);
}

TEST_CASE("compress: defaults are those of its table row") {
    auto const after =
        left({letters(10'000), letters(10'001), letters(100'000)}, compress{.when = always}, 1'000'000_tokens);
    CHECK(after[0] == 10'000);
    CHECK(after[1] > 8'000);
    CHECK(after[1] <= 8'192);
    CHECK(after[2] <= 8'192);
}

TEST_CASE("compress: acts at its trigger, oldest first, and no further than its target") {
    compress const layer{.when = used >= 65_pct, .over = 1'000_chars, .with = mixes::ends};
    auto few = rounds_of({letters(5'000)});
    auto const report = reduced(few, layer, 10'000_tokens);
    CHECK(report.layers[0].outcome == layer_outcome::idle);
    CHECK(report.layers[0].runs == 0);
    CHECK(few == rounds_of({letters(5'000)}));
    // In one call it stops a tenth below its trigger: 6,500 of 10,000 tokens fire, 5,850 are enough.
    std::vector<std::string> const three(3, letters(3'000));
    auto const after = left(three, layer, 10'000_tokens);
    CHECK(after[0] < 300);
    CHECK(after[1] < 300);
    CHECK(after[2] == 3'000);
    compress const own{.when = used >= 65_pct, .until = used <= 10_pct, .over = 1'000_chars, .with = mixes::ends};
    CHECK(left(three, own, 10'000_tokens)[2] < 300);
}

TEST_CASE("compress: what is protected stays") {
    auto messages = rounds_of({letters(5'000), letters(5'000), letters(5'000)});
    messages[4].parts[0].status = part_status::error;
    auto const after = [&](auto protect) {
        auto const copy = fakes::after(
            messages, compress{.when = always, .protect = protect, .over = 1'000_chars, .with = mixes::ends});
        std::string whole;
        for (auto const size : sizes(copy)) whole.push_back(size == 5'000 ? '1' : '0');
        return whole;
    };
    CHECK(after(nothing) == "000");
    CHECK(after(tools("read")) == "101");
    CHECK(after(condense::errors) == "010");
    CHECK(after(last(3_messages)) == "001");
    CHECK(after(task | first(3_messages)) == "100");
}

TEST_CASE("compress: sealed parts, pins and other kinds of parts are left alone") {
    auto messages = rounds_of({letters(5'000), letters(5'000)});
    messages[2].parts[0].sealed = true;
    messages[4].pinned = true;
    messages[5].parts[0].text = letters(5'000);
    messages[1].parts[0].text = "\"" + letters(5'000) + "\"";
    auto const before = messages;
    auto const report = reduced(messages, eager);
    CHECK(messages == before);
    CHECK(report.layers[0].note == "pinned");
}

TEST_CASE("compress: open groups lose content only under pressure") {
    conversation messages{U("task"), C("1", "read"), R("1", letters(5'000))};
    auto const before = messages;
    auto const report = reduced(messages, eager);
    CHECK(messages == before);
    CHECK(report.layers[0].note == "open group");
    CHECK(sizes(fakes::after(messages, pipeline{eager, toy::press{}}))[0] < 300);
}

TEST_CASE("compress: every pass keeps less") {
    compress const layer{.when = always, .over = 2'000_chars, .with = head_tail{500_chars, 500_chars}};
    auto const size_at = [&](unsigned pressure, bool top) {
        return left({letters(5'000)}, pipeline{layer, toy::press{.pressure = pressure, .top = top}})[0];
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
    run(messages, pipeline{store, eager});
    CHECK(contains(messages[2].parts[0].text, "stored as ab0000000000000000000000"));
    CHECK(sizes(messages)[0] < 300);
    // A preview of an earlier run is left alone.
    auto earlier = rounds_of({letters(5'000)});
    earlier[2].mark = "stored.0";
    CHECK(fakes::after(earlier, eager, fakes::roomy, fakes::with_marks()) == earlier);
}

TEST_CASE("compress: any callable can shorten") {
    auto const with = [](auto shortener) { return compress{.when = always, .over = 1'000_chars, .with = shortener}; };
    using text = std::optional<std::string>;
    auto messages = rounds_of({letters(5'000)});
    auto const before = messages;
    auto report = reduced(messages, with([](part_view const&, condense::cut) { return text{}; }));
    CHECK(messages == before);
    report = reduced(messages,
                     with([](part_view const& part, condense::cut) { return text{std::string{part.text} + "!"}; }));
    CHECK(messages == before);
    CHECK(report.layers[0].outcome == layer_outcome::declined);
    CHECK(report.layers[0].note == "not smaller: an edit would leave 5,001 of 5,000 tokens");
    report = reduced(
        messages, with([](part_view const& part, condense::cut) { return text{std::string{part.tool} + ": gone"}; }));
    CHECK(messages[2].parts[0].text == "read: gone");
    CHECK(report.layers[0].saved.count == 5'000 - 10);
}

TEST_CASE("compress: limits in lines, bytes, tokens and shares of the window") {
    auto const lines = fakes::repeated("test line\n", 300);
    auto after = left({lines, letters(2'000)},
                      compress{.when = always, .over = 256_lines, .with = head_tail{10_lines, 10_lines}});
    CHECK(after[0] < 400);
    CHECK(after[1] == 2'000);
    after = left({lines, letters(2'000)},
                 compress{.when = always, .over = 1'999_bytes, .with = head_tail{10_chars, 10_chars}});
    CHECK(after[1] < 200);
    compress const tokens{.when = always, .over = 2'000_tokens, .with = condense::first_of(silent{}, mixes::ends)};
    auto const two = rounds_of({letters(2'000), letters(2'001)});
    auto once = fakes::after(two, tokens, {.window = 100'000_tokens});
    CHECK(sizes(once)[0] == 2'000);
    CHECK(sizes(once)[1] < 300);
    CHECK_FALSE(reduced(once, tokens).changed());
    compress const shares{.when = always, .over = 2_pct, .with = head_tail{.head = 0.5_pct, .tail = 1_pct}};
    once = fakes::after(two, shares, {.window = 100'000_tokens});
    CHECK(sizes(once)[0] == 2'000);
    CHECK(sizes(once)[1] > 1'500);
    CHECK(sizes(once)[1] < 1'700);
    CHECK_FALSE(reduced(once, shares, 100'000_tokens).changed());
    // A share of another budget is another size, and its own limit may be a share, too.
    compress const own{.when = always, .with = condense::json_sample{.over = 1_pct, .at_most = 0.5_pct}};
    auto rows = rounds_of({"[" + std::string(1'998, ' ') + "]"});
    for (auto const window : {200'000_tokens, 100'000_tokens})
        CHECK(reduced(rows, own, window).changed() == (window == 100'000_tokens));
}

TEST_CASE("compress: in a session, what looks at all messages is always due where the trigger is always") {
    auto chat =
        holding(compress{.when = always, .with = condense::first_of(condense::duplicate_results{}, head_tail{})},
                rounds_of({letters(500), letters(500)}));
    REQUIRE(chat.due());
    CHECK(chat.prepare().layers[0].parts_shortened == 1);
    CHECK_FALSE(holding(compress{.when = always}, rounds_of({letters(500)})).due());
}

TEST_CASE("compress: takes what another layer made of a part too, as a second run would") {
    auto const cut = toy::layer<condense::shortens>([](auto& draft, auto& pass) {
        condense::part_ref const part{2, 0, draft.outline().message_at(2).first_part};
        auto const words = fakes::repeated("again and ", 200);
        if (!draft.about(part).edited && draft.about(part).original_size.count == 5'000)
            pass.note(draft.shorten(part, words));
    });
    pipeline const mix{cut, compress{.when = always, .over = 100_chars, .with = condense::collapse_repeats{}}};
    std::string mixed;
    for (unsigned at = 0; mixed.size() < 5'000; ++at) mixed += static_cast<char>('a' + at * at % 23 + at / 400);
    auto messages = rounds_of({mixed});
    run(messages, mix);
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
        run(copy, mix);
        auto const once = copy;
        CHECK_FALSE(reduced(copy, mix).changed());
        CHECK(copy == once);
        CHECK(copy[1].parts[0].text.size() < 400);
        CHECK(contains(copy[1].parts[0].text, "read a.txt"));
    };
    both(pipeline{pointed, cut});
    both(pipeline{cut, pointed});
    // Pressed again, each begins where it has begun: the second with what the first has left.
    auto const press = toy::press{};
    run(messages, pipeline{pointed, cut, press});
    CAPTURE(messages[1].parts[0].text);
    CHECK(contains(messages[1].parts[0].text, "of 1,900 characters omitted; read a.txt"));
    CHECK(contains(messages[1].parts[0].text, "of 2,600 characters omitted"));
}

TEST_CASE("compress: a second cut, in this run or a later one, says what is missing of the original") {
    compress const layer{.when = used >= 40_pct};
    pipeline const mix{layer, escalate{.when = used >= 60_pct}};
    for (bool const marks : {false, true}) {
        conversation messages{U("task"), C("1", "f"), R("1", letters(50'000)), A("done"), U("more")};
        run(messages, mix, 40'000_tokens, marks);
        CHECK(contains(messages[2].parts[0].text, "[... 42,000 of 50,000 characters omitted ...]"));
        messages += {A(letters(22'000)), U("and more")};
        run(messages, mix, 40'000_tokens, marks);
        CHECK(sizes(messages)[0] < 8'000);
        CHECK(contains(messages[2].parts[0].text, " of 50,000 characters omitted ...]"));
        CHECK(messages[2].parts[0].text.find("[... ") == messages[2].parts[0].text.rfind("[... "));
    }
}

TEST_CASE("compress: a marker says where the rest is, and nothing of another run of the tool") {
    auto const marker = [](auto const& mix) {
        auto messages = rounds_of({letters(5'000)});
        run(messages, mix);
        auto const& text = messages[2].parts[0].text;
        return text.substr(text.find("[... "), text.find(" ...]") + 5 - text.find("[... "));
    };
    CHECK(marker(pipeline{eager}) == "[... 4,800 of 5,000 characters omitted ...]");
    CHECK(marker(pipeline{record{.to = condense::memory_journal{}}, eager}) ==
          "[... 4,800 of 5,000 characters omitted; the journal holds the whole ...]");
    auto const worded = compress{.when = always,
                                 .over = 1'000_chars,
                                 .with = head_tail{100_chars, 100_chars},
                                 .words = {.recorded = "search_history has it", .otherwise = "ask for another run"}};
    CHECK(marker(pipeline{worded}) == "[... 4,800 of 5,000 characters omitted; ask for another run ...]");
    CHECK(marker(pipeline{record{.to = condense::memory_journal{}}, worded}) ==
          "[... 4,800 of 5,000 characters omitted; search_history has it ...]");
    auto wrong = worded;
    wrong.words.otherwise = "two\nlines";
    CHECK_THROWS_AS(pipeline{wrong}, invalid_configuration);
}

TEST_CASE("compress: values that cannot work are rejected") {
    CHECK_THROWS_AS((pipeline{compress{.when = used >= 65_pct, .until = used <= 65_pct}}), invalid_configuration);
    CHECK_THROWS_AS((pipeline{compress{.with = head_tail{.at_most = 10_bytes}}}), invalid_configuration);
    CHECK_NOTHROW(pipeline{compress{}});
}

TEST_CASE("compress: it says why it has nothing to do") {
    auto const said = [](auto const& layer, std::size_t size = 50'000) {
        return idle_note(layer, rounds_of({letters(size)}), 100'000_tokens);
    };
    auto const protecting = [](auto protect) { return compress{.when = always, .protect = protect}; };
    std::string const begin = "nothing to do: all that it could take is ";
    CHECK(said(compress{.when = always}, 5'000) == begin + "within `over`");
    CHECK(said(protecting(tools("read"))) == begin + "protected");
    CHECK(said(protecting(last(10_messages))) == begin + "within the newest 5 messages");
    CHECK(said(protecting(last(3_messages))) == begin + "within the newest 3 messages");
    CHECK(said(protecting(first(3_messages))) == begin + "protected");
    std::string const none = "nothing to do: no part is one that it shortens any further";
    CHECK(said(compress{.when = always, .with = silent{}}) == none);
    CHECK(said(compress{.when = always, .with = of_media{}}) == none);
    CHECK(said(compress{.when = used >= 1_messages, .until = used <= 90_pct}) ==
          "nothing to do: its target is reached");
}

TEST_CASE("compress: why it had nothing to do goes when it has") {
    auto messages = rounds_of({letters(9'000)});
    auto const report =
        reduced(messages, pipeline{compress{.when = always}, escalate{.when = used >= 10_pct}}, 10'000_tokens);
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(std::string_view{report.layers[0].note}.empty());
}

TEST_CASE("compress: a trigger in messages or turns acts, measured in tokens", "[law-18]") {
    auto const arguments = R"({"path":"a.txt","content":")" + letters(9'000) + "\"}";
    conversation messages{U("u"), C("1", "write_file", arguments), R("1", letters(90'000, 'y')), A("a"), U("u")};
    auto const mix = pipeline{compress{.when = used >= 3_messages, .with = condense::shorten_arguments{}},
                              compress{.when = used >= 1_turns}};
    auto const report = reduced(messages, mix, 1'000'000_tokens);
    for (auto const& layer : report.layers) {
        CHECK(layer.outcome == layer_outcome::applied);
        CHECK(layer.note.empty());
    }
    auto const once = messages;
    CHECK_FALSE(reduced(messages, mix, 1'000'000_tokens).changed());
    CHECK(messages == once);
}

TEST_CASE("compress: `over` below what head_tail holds bounds what is left", "[law-18]") {
    for (std::size_t const size : {7'900u, 20'000u}) {
        conversation messages{U("u"), C("1", "f"), R("1", letters(size)), A("a")};
        auto const mix = pipeline{compress{.when = always, .over = 2'000_chars}};
        CHECK(reduced(messages, mix, 100'000_tokens).changed());
        CHECK(messages[2].parts[0].text.size() <= 2'000);
        CHECK(messages[2].parts[0].text.size() > 1'500);
        CHECK_FALSE(reduced(messages, mix, 100'000_tokens).changed());
    }
}

using condense::detail::exhausted_parts, condense::detail::part_attempt;

/// Keeps the first half of a text of more than 100 bytes, and counts the texts that it is shown.
struct half {
    std::size_t* shown = nullptr;
    std::optional<std::string> operator()(part_view const& part, condense::cut) const {
        ++*shown;
        if (part.text.size() <= 100) return std::nullopt;
        return std::string{part.text.substr(0, part.text.size() / 2)};
    }
};

auto halves(std::size_t& shown) {
    return pipeline{compress{.when = used >= 10_pct, .over = 10_chars, .with = half{&shown}}};
}

TEST_CASE("exhausted_parts: a session reads what gave nothing once") {
    std::size_t shown = 0;
    auto chat = opened(halves(shown), {.window = 10'000_tokens});
    chat.push(U(letters(2'000)));
    for (auto const* const id : {"a", "b", "c"}) { push(chat, {C(id), R(id, letters(1'000))}); }
    chat.push(A("yes"));
    CHECK(chat.prepare().layers[0].parts_shortened == 3);
    auto const before = shown;
    for (int turn = 0; turn < 2; ++turn) {
        push(chat, {U(letters(900)), A("yes")});
        auto const report = chat.prepare();
        CAPTURE(turn, report.text());
        CHECK(report.layers[0].refused == 3);
        CHECK(report.layers[0].note == "not smaller: an edit would leave 62 of 62 tokens");
    }
    CHECK(shown == before);
    // Why an edit is refused may change with the conversation.
    REQUIRE_FALSE(chat.pin({2}));
    push(chat, {U(letters(2'000)), A("yes")});
    CHECK(chat.prepare().layers[0].note == "pinned");
    push(chat, {C("d"), R("d", letters(4'000)), A("yes")});
    CHECK(chat.prepare().layers[0].parts_shortened == 1);
    CHECK(shown > before);
}

TEST_CASE("exhausted_parts: a layer that stays due does not cut the same from the same again") {
    std::size_t shown = 0;
    auto const mix = pipeline{compress{.when = used > 2_messages, .over = 10_chars, .with = half{&shown}}};
    conversation history{U("task"), C("1"), R("1", letters(1'000)), A("done")};
    auto const report = reduced(history, mix, 10'000_tokens);
    CHECK(report.layers[0].parts_shortened == 1);
    CHECK(history[2].parts[0].text.size() == 62);
    CHECK(shown == 5 + 1);  // texts of 1,000 bytes to 62; in the second sweep what is there
}

TEST_CASE("exhausted_parts: what was just cut and is pinned now is refused as pinned") {
    std::size_t shown = 0;
    auto chat = opened(halves(shown), {.window = 10'000_tokens});
    push(chat, {U("task"), C("1"), R("1", letters(1'000)), A("yes")});
    REQUIRE(chat.prepare().layers[0].parts_shortened == 1);
    REQUIRE_FALSE(chat.pin({2}));
    push(chat, {U(letters(2'000)), A("yes")});
    CHECK(chat.prepare().layers[0].note == "pinned");
}

TEST_CASE("exhausted_parts: a session that forgets them sends the same") {
    std::size_t shown = 0;
    std::size_t shown_to_other = 0;
    budget const window{.window = 4'000_tokens};
    auto chat = opened(halves(shown), window);
    for (int turn = 0; turn < 12; ++turn) {
        auto const id = std::to_string(turn);
        for (auto const& m : {U("next"), C(id), R(id, letters(static_cast<std::size_t>(40 + turn * 70))), A("done")})
            chat.push(m);
        auto saved = chat.state();
        REQUIRE(saved);
        auto other = opened(halves(shown_to_other), window);
        REQUIRE_FALSE(other.adopt(std::move(saved.state)));
        static_cast<void>(chat.prepare());
        static_cast<void>(other.prepare());
        REQUIRE(sent(chat) == sent(other));
    }
    CHECK(shown < shown_to_other);
}

TEST_CASE("exhausted_parts: an attempt is the same only where all that it depends on is") {
    exhausted_parts parts;
    part_attempt const attempt{
        .part_id = 3, .present = {2, 7}, .input = {1, 6}, .cost = condense::cost::of(5_tokens), .halvings = 1};
    CHECK(parts.find(attempt) == nullptr);
    parts.replace(0, {{{.part_id = 9}}, {{.part_id = 1}}});
    CHECK(parts.find(attempt) == nullptr);
    parts.replace(1, {{{.part_id = 4, .halvings = 1}}, {attempt, condense::refusal::not_smaller, true}});
    REQUIRE(parts.find(attempt) != nullptr);
    CHECK(parts.find(attempt)->tried);
    CHECK(parts.find({.part_id = 1}) != nullptr);
    CHECK(parts.find({.part_id = 2}) == nullptr);
    CHECK(parts.find({.part_id = 10}) == nullptr);
    auto const differs = [&](auto change) {
        auto other = attempt;
        change(other);
        return parts.find(other) == nullptr;
    };
    CHECK(differs([](part_attempt& other) { other.present.step = 3; }));
    CHECK(differs([](part_attempt& other) { other.present.hash = 8; }));
    CHECK(differs([](part_attempt& other) { other.input.step = 0; }));
    CHECK(differs([](part_attempt& other) { other.input.hash = 8; }));
    CHECK(differs([](part_attempt& other) { other.cost = condense::cost::of(6_tokens); }));
    CHECK(differs([](part_attempt& other) { other.over = 10_chars; }));
    CHECK(differs([](part_attempt& other) { other.window = 10_bytes; }));
    CHECK(differs([](part_attempt& other) { other.halvings = 0; }));
    CHECK(differs([](part_attempt& other) { other.recorded = true; }));
    parts.replace(1, {});
    CHECK(parts.find(attempt) == nullptr);
    CHECK(parts.find({.part_id = 9}) != nullptr);
}

}  // namespace
