// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/offload.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/pipeline.hpp>
#include <condense/core/reduce.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/estimate/char_ratio.hpp>
#include <condense/estimate/script_aware.hpp>
#include <condense/layer/compress.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/sliding_window.hpp>
#include <condense/session/session.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::always;
using condense::head_tail;
using condense::layer_outcome;
using condense::offload;
using condense::pipeline;
using condense::used;

/// Names content by its size and first byte, and remembers what it was given.
struct shelf {
    struct state {
        std::vector<std::string> kept = {};
        std::size_t named = 0;
        bool fails = false;
        std::size_t room = ~std::size_t{0};  ///< bytes that it takes in all
        std::size_t puts = 0;
    };
    state* at;
    static constexpr bool durable = true;

    condense::reference name(std::string_view content) const {
        ++at->named;
        return {{static_cast<std::uint8_t>(content.size() % 255 + 1), static_cast<std::uint8_t>(content[0])}};
    }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
    condense::store_error put(condense::reference const&, std::string_view content) const {
        ++at->puts;
        if (at->fails || content.size() > at->room) return {"the disk is full"};
        at->room -= content.size();
        at->kept.emplace_back(content);
        return {};
    }
};
struct forgetful_shelf : shelf {
    static constexpr bool durable = false;
};

using offload_to_shelf = decltype(offload{.into = shelf{}});
static_assert(condense::layer<offload_to_shelf>);
static_assert(condense::recoverable<pipeline<offload_to_shelf>> && condense::durable<pipeline<offload_to_shelf>>);
static_assert(!condense::durable<pipeline<decltype(offload{.into = forgetful_shelf{}})>>);
static_assert(condense::writes<pipeline<offload_to_shelf>> && condense::deterministic<pipeline<offload_to_shelf>>);

std::string& result_text(conversation& messages, std::size_t round) { return messages[2 + 2 * round].parts[0].text; }

template <class... Layers>
auto reduced(conversation& messages, pipeline<Layers...> const& mix, condense::tokens window = 1'000'000_tokens,
             bool marks = false) {
    return condense::reduce(messages, mix, {.window = window}, per_byte{}, condense::run_options<>{.marks = marks});
}

auto to(shelf const& store) {
    return offload{.over = 1'000_chars, .preview = head_tail{100_chars, 100_chars}, .into = store};
}

}  // namespace

TEST_CASE("offload: a large result goes to the store and leaves a preview with a reference") {
    shelf::state state;
    auto messages = rounds_of({letters(5'000), letters(10)});
    auto const before = messages;
    auto const report = reduced(messages, pipeline{to(shelf{&state})});
    CHECK(state.kept == std::vector<std::string>{letters(5'000)});
    CHECK(result_text(messages, 0)
              .starts_with(letters(100) + "\n[... 4,800 of 5,000 characters omitted; the whole is stored as "));
    CHECK(result_text(messages, 0).ends_with(" ...]\n" + letters(100)));
    CHECK(result_text(messages, 0).find(shelf{&state}.name(letters(5'000)).text()) != std::string::npos);
    CHECK(result_text(messages, 1) == letters(10));
    CHECK(report.layers[0].artifacts == 1);
    CHECK(report.layers[0].parts_shortened == 1);
    CHECK(messages[1] == before[1]);
    CHECK(messages[2].parts[0].call == "0");
}

TEST_CASE("offload: within the limit the store is never called [case-1]") {
    shelf::state state;
    auto messages = rounds_of({letters(1'000), letters(999)});
    auto const before = messages;
    static_cast<void>(reduced(messages, pipeline{to(shelf{&state})}));
    CHECK(messages == before);
    CHECK(state.named == 0);
}

TEST_CASE("offload: defaults are those of its table row") {
    shelf::state state;
    auto messages = rounds_of({letters(10'000), letters(10'001)});
    static_cast<void>(reduced(messages, pipeline{offload{.into = shelf{&state}}}));
    CHECK(state.kept == std::vector<std::string>{letters(10'001)});
    CHECK(result_text(messages, 1).size() > 4'000);
    CHECK(result_text(messages, 1).size() <= 4'192);
}

TEST_CASE("offload: results of exempt tools stay [case-5] [case-21]") {
    shelf::state state;
    auto messages = rounds_of({letters(80'001), letters(80'001)});
    static_cast<void>(reduced(messages, pipeline{offload{.protect = condense::tools("read"), .into = shelf{&state}}}));
    CHECK(result_text(messages, 0) == letters(80'001));
    CHECK(result_text(messages, 1).size() < 5'000);
}

TEST_CASE("offload: status, ids and unknown fields stay [case-6]") {
    shelf::state state;
    auto messages = rounds_of({letters(5'000)});
    messages[2].parts[0].status = part_status::error;
    messages[2].name = "metadata";
    static_cast<void>(reduced(messages, pipeline{to(shelf{&state})}));
    CHECK(messages[2].parts[0].status == part_status::error);
    CHECK(messages[2].parts[0].call == "0");
    CHECK(messages[2].name == "metadata");
    CHECK(state.kept.size() == 1);
}

TEST_CASE("offload: cancelled and sealed results, arguments and text are left alone") {
    shelf::state state;
    auto messages = rounds_of({letters(5'000), letters(5'000)});
    messages[2].parts[0].status = part_status::cancelled;
    messages[4].parts[0].sealed = true;
    messages[5].parts[0].text = letters(5'000);
    messages[1].parts[0].text = "\"" + letters(5'000) + "\"";
    auto const before = messages;
    static_cast<void>(reduced(messages, pipeline{to(shelf{&state})}));
    CHECK(messages == before);
    CHECK(state.kept.empty());
}

TEST_CASE("offload: where the store fails nothing has changed [case-8]") {
    shelf::state state{.fails = true};
    auto messages = rounds_of({letters(5'000), letters(6'000)});
    auto const before = messages;
    auto const report = reduced(messages, pipeline{to(shelf{&state})});
    CHECK(messages == before);
    CHECK(report.layers[0].outcome == layer_outcome::failed);
    CHECK(report.layers[0].artifacts == 0);
    CHECK(report.layers[0].saved.count == 0);
}

TEST_CASE("offload: what a store has taken stands, what it has not taken stays inline") {
    shelf::state state{.room = 12'000};
    auto messages = rounds_of({letters(5'000, 'a'), letters(9'000, 'b'), letters(6'000, 'c'), letters(9'000, 'b')});
    // Two results in one round.
    messages[5].parts.push_back({.kind = condense::part_kind::tool_call, .text = "{}", .tool = "read", .call = "z"});
    messages.insert(messages.begin() + 7, R("z", letters(20'000, 'z')));
    pipeline const mix{to(shelf{&state})};
    auto const report = reduced(messages, mix);
    std::vector<std::string> const taken{letters(5'000, 'a'), letters(6'000, 'c')};
    CHECK(state.kept == taken);
    CHECK(state.puts == 4);  // the same content is not tried twice
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(report.layers[0].failures == 1);
    CHECK(std::string_view{report.layers[0].note} == "the disk is full");
    CHECK(report.layers[0].artifacts == 2);
    CHECK(report.layers[0].parts_shortened == 2);
    CHECK(report.layers[0].saved == report.before.tokens - report.after.tokens);
    CHECK(result_text(messages, 0).size() < 300);
    CHECK(result_text(messages, 1) == letters(9'000, 'b'));
    CHECK(result_text(messages, 2).size() < 300);
    CHECK(messages[7].parts[0].text == letters(20'000, 'z'));
    CHECK(messages[9].parts[0].text == letters(9'000, 'b'));
    // Nothing is in the store that nothing refers to.
    for (auto const& content : taken) {
        bool found = false;
        for (auto const& m : messages)
            for (auto const& part : m.parts)
                found = found || part.text.find(shelf{&state}.name(content).text()) != std::string::npos;
        CHECK(found);
    }
    // A later run is none the worse: where there is room again, the others follow.
    auto const again = reduced(messages, mix);
    CHECK_FALSE(again.changed());
    CHECK(state.kept == taken);
    state.room = 100'000;
    CHECK(reduced(messages, mix).layers[0].artifacts == 3);
    CHECK(result_text(messages, 1).size() < 300);
}

TEST_CASE("offload: a store that throws for some keeps what it has taken", "[law-4]") {
    struct throwing : shelf {
        condense::store_error put(condense::reference const& name, std::string_view content) const {
            if (content[0] == 'b') throw std::runtime_error{"the connection is gone"};
            if (content[0] == 'c') throw 7;
            return shelf::put(name, content);
        }
    };
    shelf::state state;
    auto const mix =
        pipeline{offload{.over = 1'000_chars, .preview = head_tail{100_chars, 100_chars}, .into = throwing{{&state}}}};
    auto messages = rounds_of({letters(5'000, 'a'), letters(9'000, 'b'), letters(6'000, 'c'), letters(7'000, 'd')});
    auto const report = reduced(messages, mix);
    CHECK(state.kept == std::vector<std::string>{letters(5'000, 'a'), letters(7'000, 'd')});
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(std::string_view{report.layers[0].note} == "the connection is gone");
    CHECK(report.layers[0].artifacts == 2);
    CHECK(report.layers[0].saved == report.before.tokens - report.after.tokens);
    CHECK(result_text(messages, 0).size() < 300);
    CHECK(result_text(messages, 1) == letters(9'000, 'b'));
    CHECK(result_text(messages, 2) == letters(6'000, 'c'));
    CHECK(result_text(messages, 3).size() < 300);
    // Where it takes nothing the layer has failed as one that throws.
    auto others = rounds_of({letters(9'000, 'b')});
    auto const before = others;
    auto const failed = reduced(others, mix);
    CHECK(others == before);
    CHECK(failed.layers[0].outcome == layer_outcome::failed);
    CHECK(failed.layers[0].threw);
}

TEST_CASE("offload: a store that cancels ends the run, and nothing has changed", "[law-12]") {
    struct cancelling : shelf {
        condense::store_error put(condense::reference const& name, std::string_view content) const {
            if (content[0] == 'b') throw condense::cancelled{};
            return shelf::put(name, content);
        }
    };
    shelf::state state;
    auto messages = rounds_of({letters(5'000, 'a'), letters(9'000, 'b')});
    auto const before = messages;
    CHECK_THROWS_AS(reduced(messages, pipeline{offload{.over = 1'000_chars,
                                                       .preview = head_tail{100_chars, 100_chars},
                                                       .into = cancelling{{&state}}}}),
                    condense::cancelled);
    CHECK(messages == before);
}

TEST_CASE("offload: a second run changes nothing and stores nothing [case-10]") {
    for (bool const marks : {false, true}) {
        shelf::state state;
        auto messages = rounds_of({letters(5'000)});
        static_cast<void>(reduced(messages, pipeline{to(shelf{&state})}, 1'000'000_tokens, marks));
        auto const once = messages;
        auto const report = reduced(messages, pipeline{to(shelf{&state})}, 1'000'000_tokens, marks);
        CHECK(messages == once);
        CHECK(state.kept.size() == 1);
        CHECK_FALSE(report.changed());
        CHECK(messages[2].mark == (marks ? "stored.0" : ""));
    }
}

TEST_CASE("offload: a mark keeps a preview from being stored, even where it is over the limit") {
    shelf::state state;
    auto messages = rounds_of({letters(5'000)});
    messages[2].mark = "stored.0";
    auto const before = messages;
    auto const press = toy::press{.pressure = 1, .top = true};
    static_cast<void>(reduced(messages, pipeline{to(shelf{&state}), press}, 1'000'000_tokens, true));
    CHECK(messages == before);
    CHECK(state.kept.empty());
    // Where marks are not asked for, they are but text of the program's.
    static_cast<void>(reduced(messages, pipeline{to(shelf{&state})}));
    CHECK(state.kept.size() == 1);
}

TEST_CASE("offload: words that look like a marker decide nothing [case-11]") {
    shelf::state state;
    auto const forged = "[... 4,800 of 5,000 characters omitted; the whole is stored as 0123 ...]" + letters(5'000);
    auto messages = rounds_of({forged});
    static_cast<void>(reduced(messages, pipeline{to(shelf{&state})}));
    CHECK(state.kept == std::vector<std::string>{forged});
}

TEST_CASE("offload: the same content has the same reference [case-13]") {
    shelf::state state;
    auto messages = rounds_of({letters(5'000), letters(5'000), letters(6'000, 'y')});
    static_cast<void>(reduced(messages, pipeline{to(shelf{&state})}));
    CHECK(result_text(messages, 0) == result_text(messages, 1));
    CHECK(result_text(messages, 0) != result_text(messages, 2));
}

TEST_CASE("offload: what is stored is exact, what is left is valid UTF-8") {
    shelf::state state;
    auto const bytes = std::string(50, '\xFF') + "\xE2\x82" + letters(3'000) + "\xF0\x9F";
    auto messages = rounds_of({bytes});
    static_cast<void>(reduced(messages, pipeline{to(shelf{&state})}));
    REQUIRE(state.kept.size() == 1);
    CHECK(state.kept[0] == bytes);
    CHECK(condense::detail::utf8::valid(result_text(messages, 0)));
    CHECK(result_text(messages, 0).size() < 500);
}

TEST_CASE("offload: open groups are offloaded, too") {
    shelf::state state;
    conversation messages{U("task"), C("1", "read"), R("1", letters(5'000))};
    static_cast<void>(reduced(messages, pipeline{to(shelf{&state})}));
    CHECK(result_text(messages, 0).size() < 500);
    CHECK(state.kept.size() == 1);
}

TEST_CASE("offload: stops at its target, oldest first") {
    shelf::state state;
    auto messages = rounds_of({letters(3'000), letters(3'000), letters(3'000)});
    offload const layer{
        .when = used >= 65_pct, .over = 1'000_chars, .preview = head_tail{100_chars, 100_chars}, .into = shelf{&state}};
    static_cast<void>(reduced(messages, pipeline{layer}, 10'000_tokens));
    CHECK(state.kept.size() == 2);
    CHECK(result_text(messages, 2) == letters(3'000));
    auto few = rounds_of({letters(3'000)});
    CHECK(reduced(few, pipeline{layer}, 10'000_tokens).layers[0].runs == 0);
}

TEST_CASE("offload: under pressure previews get shorter, and nothing is lost") {
    shelf::state state;
    auto messages = rounds_of({letters(5'000)});
    auto const press = toy::press{.pressure = 2};
    static_cast<void>(reduced(messages, pipeline{to(shelf{&state}), press}));
    CHECK(result_text(messages, 0)
              .starts_with(letters(25) + "\n[... 4,950 of 5,000 characters omitted; the whole is stored as "));
    for (auto const& kept : state.kept) CHECK(kept == letters(5'000));
}

TEST_CASE("offload: limits in lines and bytes") {
    shelf::state state;
    std::string lines;
    for (int line = 0; line < 300; ++line) lines += "line\n";
    auto messages = rounds_of({lines, letters(2'000)});
    static_cast<void>(reduced(
        messages, pipeline{offload{.over = 256_lines, .preview = head_tail{5_lines, 5_lines}, .into = shelf{&state}}}));
    CHECK(state.kept == std::vector<std::string>{lines});
    static_cast<void>(
        reduced(messages,
                pipeline{offload{.over = 1'999_bytes, .preview = head_tail{5_chars, 5_chars}, .into = shelf{&state}}}));
    CHECK(state.kept.size() == 2);
}

TEST_CASE("offload: a limit in tokens") {
    shelf::state state;
    auto messages = rounds_of({letters(2'000), letters(2'001), "short"});
    auto const by_tokens =
        offload{.over = 2'000_tokens, .preview = head_tail{100_chars, 100_chars}, .into = shelf{&state}};
    static_cast<void>(reduced(messages, pipeline{by_tokens}));
    CHECK(state.kept == std::vector<std::string>{letters(2'001)});
    CHECK_FALSE(reduced(messages, pipeline{by_tokens}).changed());
    // What counts, not what it looks like: four bytes a token.
    auto quarter = rounds_of({letters(7'996), letters(8'001)});
    state.kept.clear();
    static_cast<void>(
        condense::reduce(quarter, pipeline{by_tokens}, {.window = 100'000_tokens}, condense::chars_per_token{40, {}}));
    CHECK(state.kept == std::vector<std::string>{letters(8'001)});
    // Beside others the first that is exceeded counts.
    state.kept.clear();
    auto both = rounds_of({letters(1'500), letters(900)});
    auto const either =
        offload{.over = 1'000_chars && 2'000_tokens, .preview = head_tail{100_chars, 100_chars}, .into = shelf{&state}};
    static_cast<void>(reduced(both, pipeline{either}));
    CHECK(state.kept == std::vector<std::string>{letters(1'500)});
}

TEST_CASE("offload: a limit and a preview as shares of the window") {
    shelf::state state;
    auto const shares =
        offload{.over = 40_pct, .preview = head_tail{.head = 18_pct, .tail = 18_pct}, .into = shelf{&state}};
    auto messages = rounds_of({letters(4'000), letters(4'001)});
    static_cast<void>(reduced(messages, pipeline{shares}, 10'000_tokens));
    CHECK(state.kept == std::vector<std::string>{letters(4'001)});
    CHECK(result_text(messages, 1).starts_with(letters(4'001).substr(0, 1'800)));
    CHECK(result_text(messages, 1).size() > 3'600);
    CHECK(result_text(messages, 1).size() < 3'800);
    CHECK_FALSE(reduced(messages, pipeline{shares}, 10'000_tokens).changed());
    // Of what a request may hold, which is less than the window; and by what the text costs.
    state.kept.clear();
    auto quarter = rounds_of({letters(7'996), letters(8'001)});
    static_cast<void>(condense::reduce(quarter, pipeline{shares}, {.window = 10'000_tokens, .output = 5'000_tokens},
                                       condense::chars_per_token{40, {}}));
    CHECK(state.kept == std::vector<std::string>{letters(8'001)});
    CHECK(result_text(quarter, 1).starts_with(letters(8'001).substr(0, 3'590)));
    CHECK(result_text(quarter, 1).size() < 7'400);
    // Beside others the first that is exceeded counts.
    state.kept.clear();
    auto both = rounds_of({letters(1'500), letters(900)});
    static_cast<void>(reduced(
        both,
        pipeline{offload{.over = 1'000_chars && 40_pct, .preview = head_tail{9_pct, 9_pct}, .into = shelf{&state}}},
        5'000_tokens));
    CHECK(state.kept == std::vector<std::string>{letters(1'500)});
    // Of a budget without room for an input there are no shares.
    auto const small = offload{.over = 40_pct, .preview = head_tail{100_chars, 100_chars}, .into = shelf{&state}};
    condense::session none{conversation{}, pipeline{small}, {}, per_byte{}};
    for (auto& m : rounds_of({letters(1'500)})) none.push(std::move(m));
    CHECK(state.kept.size() == 1);
}

TEST_CASE("offload: with a limit as a share every request fits, however large the results") {
    shelf::state state;
    condense::session chat{
        conversation{},
        pipeline{offload{.over = 40_pct, .preview = head_tail{.head = 18_pct, .tail = 18_pct}, .into = shelf{&state}},
                 condense::sliding_window{}},
        {.window = 10'000_tokens},
        per_byte{}};
    for (auto const size : {3'000u, 9'000u, 30'000u, 4'100u, 1'000'000u, 3'999u, 12'000u}) {
        for (auto& m : rounds_of({letters(size)})) {
            chat.push(std::move(m));
            CHECK(chat.prepare().fits());
        }
    }
    CHECK(state.kept.size() == 5);
}

TEST_CASE("offload: pressure halves the limit, so that the newest results do not stay too large") {
    shelf::state state;
    auto const stored = [&](auto const&... last) {
        state.kept.clear();
        auto messages = rounds_of({letters(12'000)});
        messages.resize(3);  // the round is open
        auto const report = reduced(messages,
                                    pipeline{offload{.over = 20'000_tokens,
                                                     .preview = condense::head{10_lines && 4'096_bytes},
                                                     .into = shelf{&state}},
                                             condense::sliding_window{.when = used >= 98_pct}, last...},
                                    8'000_tokens);
        return report.fits() && state.kept == std::vector<std::string>{letters(12'000)};
    };
    CHECK(stored(condense::escalate{.when = used >= 98_pct}));
    CHECK_FALSE(stored());
}

TEST_CASE("a limit in tokens is in the scale of what was reported", "[law-19]") {
    shelf::state state;
    auto const shortened = [&](auto const& layer, double factor) {
        condense::session session{conversation{}, pipeline{layer}, condense::budget{.window = 100'000_tokens},
                                  per_byte{}};
        for (auto& m : rounds_of({letters(600)})) session.push(std::move(m));
        static_cast<void>(session.request());
        auto const counted = static_cast<double>(session.used().tokens.count);
        session.observe({.input = {static_cast<std::uint64_t>(counted * factor)}, .output = {1}});
        return session.run().layers[0].parts_shortened;
    };
    constexpr head_tail ends{100_chars, 100_chars};
    auto const stored = offload{.when = used >= 1_messages,
                                .until = used <= 1_tokens,
                                .over = 1'000_tokens,
                                .preview = ends,
                                .into = shelf{&state}};
    auto const cut =
        condense::compress{.when = used >= 1_messages, .until = used <= 1_tokens, .over = 1'000_tokens, .with = ends};
    CHECK(shortened(stored, 1.0) == 0);
    CHECK(shortened(stored, 2.0) == 1);
    CHECK(shortened(cut, 1.0) == 0);
    CHECK(shortened(cut, 2.0) == 1);
    auto large = stored;
    large.over = 1'300_tokens;
    CHECK(shortened(large, 2.0) == 0);
    large.over = 1_pct;
    CHECK(shortened(large, 1.0) == 0);
    CHECK(shortened(large, 2.0) == 1);
}

TEST_CASE("offload: previews that are not smaller are rejected [case-23] [case-25] [T54]") {
    shelf::state state;
    auto const with = [&](condense::text_limit over, head_tail preview) {
        return offload{.over = over, .preview = preview, .into = shelf{&state}};
    };
    CHECK_THROWS_AS((pipeline{with(10'000_chars, {5'000_chars, 5'000_chars})}), condense::invalid_configuration);
    CHECK_THROWS_AS((pipeline{with(10'000_chars, {30'000_chars, 0_chars})}), condense::invalid_configuration);
    CHECK_THROWS_AS((pipeline{with(0_chars, {1_chars, 1_chars})}), condense::invalid_configuration);
    CHECK_THROWS_AS((pipeline{with(10'000_chars, {condense::chars{~std::uint64_t{0} - 1}, 5'000_chars})}),
                    condense::invalid_configuration);
    CHECK_NOTHROW(pipeline{with(10'000_chars, {5'000_chars, 4'999_chars})});
    CHECK_NOTHROW(pipeline{with(256_lines, {5_lines, 5_lines})});
    CHECK_THROWS_AS((pipeline{with(40_pct, {20_pct, 20_pct})}), condense::invalid_configuration);
    CHECK_NOTHROW(pipeline{with(40_pct, {20_pct, 19_pct})});
    CHECK_NOTHROW(pipeline{with(40_pct, {2'000_chars, 2'000_chars})});
}

TEST_CASE("offload: a dry run stores nothing and says what it would") {
    shelf::state state;
    auto const messages = rounds_of({letters(5'000)});
    auto const dry = pipeline{to(shelf{&state})}.draft(messages, {.window = 1'000'000_tokens}, per_byte{});
    CHECK(state.kept.empty());
    CHECK(dry.report().layers[0].artifacts == 1);
    CHECK(dry.report().layers[0].saved.count > 4'000);
}

namespace {

/// Holds its text itself: a container that grows moves it.
struct flat {
    condense::role from = condense::role::user;
    condense::part_kind kind = condense::part_kind::text;
    char text[1'500] = {};

    static flat of(condense::role from, condense::part_kind kind, std::string_view text) {
        flat made{.from = from, .kind = kind};
        text.copy(made.text, sizeof made.text - 1);
        return made;
    }
};

/// Does what a test says before it keeps.
struct busy_shelf {
    std::function<void()>* act;
    std::string* kept;
    condense::reference name(std::string_view content) const { return {{static_cast<unsigned char>(content.size())}}; }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
    condense::store_error put(condense::reference const&, std::string_view content) const {
        (*act)();
        *kept = content;
        return {};
    }
};

}  // namespace

template <>
struct condense::message_traits<flat> {
    static role role_of(flat const& m) { return m.from; }
    static void each_part(flat const& m, auto&& sink) {
        sink(part_view{.kind = m.kind, .text = m.text, .tool = "run"});
    }
    static flat with_part(flat const& m, std::size_t, std::string_view text) { return flat::of(m.from, m.kind, text); }
};

TEST_CASE("a store may grow the program's container while it keeps an original", "[law-7]") {
    std::function<void()> act = [] {};
    std::string kept;
    std::vector<flat> messages{flat::of(condense::role::user, condense::part_kind::text, "task"),
                               flat::of(condense::role::assistant, condense::part_kind::tool_call, "{}")};
    auto const mix =
        pipeline{offload{.over = 1'000_chars, .preview = {100_chars, 100_chars}, .into = busy_shelf{&act, &kept}}};
    condense::session session{std::ref(messages), mix, condense::budget{.window = 8'000_tokens}};
    std::string const text(1'400, 'r');
    messages.push_back(flat::of(condense::role::tool, condense::part_kind::tool_result, text));
    messages.shrink_to_fit();
    act = [&] { messages.push_back(flat::of(condense::role::user, condense::part_kind::text, "noted")); };
    static_cast<void>(session.prepare());
    CHECK(messages.size() > 3);
    CHECK(kept == text);
}

TEST_CASE("offload: it says why it has nothing to do") {
    shelf::state state;
    auto messages = rounds_of({letters(5'000), letters(10)});
    auto const said = [&](auto const& layer) {
        auto const report = reduced(messages, pipeline{layer});
        CHECK_FALSE(report.changed());
        return std::string{std::string_view{report.layers[0].note}};
    };
    auto layer = offload{.when = used >= 1_messages,
                         .protect = condense::last(10_messages),
                         .over = 1'000_chars,
                         .preview = head_tail{100_chars, 100_chars},
                         .into = shelf{&state}};
    CHECK(said(layer) == "nothing to do: all that it could take is within the newest 7 messages");
    layer.over = 9'000_chars;
    CHECK(said(layer) == "nothing to do: no result over `over` is left");
    CHECK(said(offload{.when = used >= 1_messages,
                       .protect = condense::tools("read"),
                       .over = 1'000_chars,
                       .preview = head_tail{100_chars, 100_chars},
                       .into = shelf{&state}}) == "nothing to do: all that it could take is protected");
    CHECK(said(offload{.when = used >= 1_messages,
                       .until = used <= 90_pct,
                       .over = 1'000_chars,
                       .preview = head_tail{100_chars, 100_chars},
                       .into = shelf{&state}}) == "nothing to do: its target is reached");
    static_cast<void>(reduced(messages, pipeline{to(shelf{&state})}));
    CHECK(said(to(shelf{&state})) == "nothing to do: no result over `over` is left");
}
