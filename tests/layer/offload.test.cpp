// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/offload.hpp>

#include <condense/estimate/char_ratio.hpp>
#include <condense/estimate/script_aware.hpp>

#include "layer/shared.hpp"

namespace {

using namespace layers;
using mixes::head_and_tail;
using list = std::vector<std::string>;

using offload_to_shelf = decltype(offload{.into = shelf{}});
static_assert(condense::layer<offload_to_shelf>);
static_assert(condense::recoverable<pipeline<offload_to_shelf>> && condense::durable<pipeline<offload_to_shelf>>);
static_assert(!condense::durable<pipeline<decltype(offload{.into = fakes::volatile_shelf{}})>>);
static_assert(condense::writes<pipeline<offload_to_shelf>> && condense::deterministic<pipeline<offload_to_shelf>>);

std::string& result_text(conversation& messages, std::size_t round) { return messages[2 + 2 * round].parts[0].text; }

/// The contents of results that a layer stores.
template <class Layer>
list stored_of(std::vector<std::string> const& results, Layer const& layer,
               condense::tokens window = 1'000'000_tokens) {
    auto messages = rounds_of(results);
    run(messages, layer, window);
    return layer.into.held->contents;
}
auto over(condense::part_limit limit, head_tail preview = mixes::ends) {
    return offload{.over = limit, .preview = preview, .into = shelf{}};
}

}  // namespace

TEST_CASE("offload: cancelled and sealed results, arguments and text are left alone") {
    shelf const store;
    auto messages = rounds_of({letters(5'000), letters(5'000)});
    messages[2].parts[0].status = part_status::cancelled;
    messages[4].parts[0].sealed = true;
    messages[5].parts[0].text = letters(5'000);
    messages[1].parts[0].text = "\"" + letters(5'000) + "\"";
    auto const before = messages;
    run(messages, head_and_tail(store));
    CHECK(messages == before);
    CHECK(store.held->contents.empty());
}

TEST_CASE("offload: what a store has taken stands, what it has not taken stays inline") {
    shelf const store;
    store.held->room = 12'000;
    auto messages = rounds_of({letters(5'000, 'a'), letters(9'000, 'b'), letters(6'000, 'c'), letters(9'000, 'b')});
    // Two results in one round.
    messages[5].parts.push_back({.kind = part_kind::tool_call, .text = "{}", .tool = "read", .call = "z"});
    messages.insert(messages.begin() + 7, R("z", letters(20'000, 'z')));
    pipeline const mix{head_and_tail(store)};
    auto const report = reduced(messages, mix);
    list const taken{letters(5'000, 'a'), letters(6'000, 'c')};
    CHECK(store.held->contents == taken);
    CHECK(store.held->puts == 4);  // the same content is not tried twice
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(report.layers[0].failures == 1);
    CHECK(report.layers[0].note == "the disk is full");
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
        CHECK(std::ranges::any_of(messages,
                                  [&](auto const& m) { return contains(words(m), store.name(content).text()); }));
    }
    // A later run is none the worse: where there is room again, the others follow.
    auto const again = reduced(messages, mix);
    CHECK_FALSE(again.changed());
    CHECK(store.held->contents == taken);
    store.held->room = 100'000;
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
    throwing const store;
    auto const mix = pipeline{head_and_tail(store)};
    auto messages = rounds_of({letters(5'000, 'a'), letters(9'000, 'b'), letters(6'000, 'c'), letters(7'000, 'd')});
    auto const report = reduced(messages, mix);
    CHECK(store.held->contents == list{letters(5'000, 'a'), letters(7'000, 'd')});
    CHECK(report.layers[0].outcome == layer_outcome::applied);
    CHECK(report.layers[0].note == "the connection is gone");
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
    auto messages = rounds_of({letters(5'000, 'a'), letters(9'000, 'b')});
    auto const before = messages;
    CHECK_THROWS_AS(reduced(messages, head_and_tail(cancelling{})), condense::cancelled);
    CHECK(messages == before);
}

TEST_CASE("offload: a mark keeps a preview from being stored, even where it is over the limit") {
    shelf const store;
    auto messages = rounds_of({letters(5'000)});
    messages[2].mark = "stored.0";
    auto const before = messages;
    run(messages, pipeline{head_and_tail(store), toy::press{.pressure = 1, .top = true}}, 1'000'000_tokens, true);
    CHECK(messages == before);
    CHECK(store.held->contents.empty());
    // Where marks are not asked for, they are but text of the program's.
    run(messages, head_and_tail(store));
    CHECK(store.held->contents.size() == 1);
}

TEST_CASE("offload: stops at its target, oldest first") {
    auto const layer = [] {
        return offload{.when = used >= 65_pct,
                       .until = used <= 52_pct,
                       .over = 1'000_chars,
                       .preview = mixes::ends,
                       .into = shelf{}};
    };
    CHECK(stored_of({letters(3'000, 'a'), letters(3'000, 'b'), letters(3'000, 'c')}, layer(), 10'000_tokens) ==
          list{letters(3'000, 'a'), letters(3'000, 'b')});
    auto few = rounds_of({letters(3'000)});
    CHECK(reduced(few, layer(), 10'000_tokens).layers[0].runs == 0);
}

TEST_CASE("offload: under pressure previews get shorter, and nothing is lost") {
    shelf const store;
    auto messages = rounds_of({letters(5'000)});
    run(messages, pipeline{head_and_tail(store), toy::press{.pressure = 2}});
    CHECK(result_text(messages, 0)
              .starts_with(letters(25) + "\n[... 4,950 of 5,000 characters omitted; the whole is stored as "));
    for (auto const& kept : store.held->contents) CHECK(kept == letters(5'000));
}

TEST_CASE("offload: limits in lines, bytes and tokens, of which the first that is exceeded counts") {
    auto const lines = fakes::repeated("line\n", 300);
    CHECK(stored_of({lines, letters(2'000)}, over(256_lines, {5_lines, 5_lines})) == list{lines});
    CHECK(stored_of({lines, letters(2'000)}, over(1'999_bytes, {5_chars, 5_chars})) == list{letters(2'000)});
    auto const by_tokens = over(2'000_tokens);
    auto messages = rounds_of({letters(2'000), letters(2'001), "short"});
    run(messages, by_tokens);
    CHECK(by_tokens.into.held->contents == list{letters(2'001)});
    CHECK_FALSE(reduced(messages, by_tokens).changed());
    // What counts, not what it looks like: four bytes a token.
    auto const quarter = over(2'000_tokens);
    fakes::after(rounds_of({letters(7'996), letters(8'001)}), quarter, {.window = 100'000_tokens},
                 condense::run_options<>{}, condense::chars_per_token{40, {}});
    CHECK(quarter.into.held->contents == list{letters(8'001)});
    CHECK(stored_of({letters(1'500), letters(900)}, over(1'000_chars && 2'000_tokens)) == list{letters(1'500)});
}

TEST_CASE("offload: a limit and a preview as shares of the window") {
    auto const shares = over(40_pct, {.head = 18_pct, .tail = 18_pct});
    auto messages = rounds_of({letters(4'000), letters(4'001)});
    run(messages, shares, 10'000_tokens);
    CHECK(shares.into.held->contents == list{letters(4'001)});
    CHECK(result_text(messages, 1).starts_with(letters(1'800)));
    CHECK(result_text(messages, 1).size() > 3'600);
    CHECK(result_text(messages, 1).size() < 3'800);
    CHECK_FALSE(reduced(messages, shares, 10'000_tokens).changed());
    // Of what a request may hold, which is less than the window; and by what the text costs.
    auto const of_input = over(40_pct, {.head = 18_pct, .tail = 18_pct});
    auto const quarter = fakes::after(rounds_of({letters(7'996), letters(8'001)}), of_input,
                                      {.window = 10'000_tokens, .output = 5'000_tokens}, condense::run_options<>{},
                                      condense::chars_per_token{40, {}});
    CHECK(of_input.into.held->contents == list{letters(8'001)});
    CHECK(text_of(quarter[4]).starts_with(letters(3'590)));
    CHECK(text_of(quarter[4]).size() < 7'400);
    CHECK(stored_of({letters(1'500), letters(900)}, over(1'000_chars && 40_pct, {9_pct, 9_pct}), 5'000_tokens) ==
          list{letters(1'500)});
    // Of a budget without room for an input there are no shares.
    auto const small = over(40_pct);
    auto none = opened(small, {});
    push(none, rounds_of({letters(1'500)}));
    CHECK(small.into.held->contents.empty());
}

TEST_CASE("offload: with a limit as a share every request fits, however large the results") {
    shelf const store;
    auto chat =
        opened(pipeline{offload{.over = 40_pct, .preview = head_tail{18_pct, 18_pct}, .into = store}, sliding_window{}},
               {.window = 10'000_tokens});
    for (auto const size : {3'000u, 9'000u, 30'000u, 4'100u, 1'000'000u, 3'999u, 12'000u})
        for (auto const& m : rounds_of({letters(size)})) {
            chat.push(m);
            CHECK(chat.prepare().fits());
        }
    CHECK(store.held->contents.size() == 5);
}

TEST_CASE("offload: pressure halves the limit, so that the newest results do not stay too large") {
    shelf const store;
    auto const stored = [&](auto const&... last) {
        store.held->contents.clear();
        auto messages = rounds_of({letters(12'000)});
        messages.resize(3);  // the round is open
        auto const report = reduced(
            messages,
            pipeline{offload{.over = 20'000_tokens, .preview = head{10_lines && 4'096_bytes}, .into = shelf{store}},
                     window_to(98_pct), last...},
            8'000_tokens);
        return report.fits() && store.held->contents == list{letters(12'000)};
    };
    CHECK(stored(escalate{.when = used >= 98_pct}));
    CHECK_FALSE(stored());
}

TEST_CASE("a limit in tokens is in the scale of what was reported", "[law-19]") {
    shelf const store;
    auto const shortened = [&](auto const& layer, double factor) {
        auto session = opened(layer, {.window = 100'000_tokens});
        push(session, rounds_of({letters(600)}));
        static_cast<void>(session.request());
        auto const counted = static_cast<double>(session.used().tokens.count);
        session.observe({.input = {static_cast<std::uint64_t>(counted * factor)}, .output = {1}});
        return session.run().layers[0].parts_shortened;
    };
    auto const stored = [&](condense::part_limit limit) {
        return offload{.when = used >= 1_messages,
                       .until = used <= 1_tokens,
                       .over = limit,
                       .preview = mixes::ends,
                       .into = store};
    };
    auto const cut =
        compress{.when = used >= 1_messages, .until = used <= 1_tokens, .over = 1'000_tokens, .with = mixes::ends};
    CHECK(shortened(cut, 1.0) == 0);
    CHECK(shortened(cut, 2.0) == 1);
    CHECK(shortened(stored(1'300_tokens), 2.0) == 0);
    for (auto const& limit : {condense::part_limit{1'000_tokens}, condense::part_limit{1_pct}}) {
        CHECK(shortened(stored(limit), 1.0) == 0);
        CHECK(shortened(stored(limit), 2.0) == 1);
    }
}

TEST_CASE("offload: previews that are not smaller are rejected, also as shares of the window") {
    CHECK_THROWS_AS(pipeline{over(0_chars, {1_chars, 1_chars})}, invalid_configuration);
    CHECK_NOTHROW(pipeline{over(256_lines, {5_lines, 5_lines})});
    CHECK_THROWS_AS(pipeline{over(40_pct, {20_pct, 20_pct})}, invalid_configuration);
    CHECK_NOTHROW(pipeline{over(40_pct, {20_pct, 19_pct})});
    CHECK_NOTHROW(pipeline{over(40_pct, {2'000_chars, 2'000_chars})});
}

namespace {

/// Holds its text itself: a container that grows moves it.
struct flat {
    role from = role::user;
    part_kind kind = part_kind::text;
    char text[1'500] = {};

    static flat of(role from, part_kind kind, std::string_view text) {
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
    std::vector<flat> messages{flat::of(role::user, part_kind::text, "task"),
                               flat::of(role::assistant, part_kind::tool_call, "{}")};
    auto const mix =
        pipeline{offload{.over = 1'000_chars, .preview = {100_chars, 100_chars}, .into = busy_shelf{&act, &kept}}};
    condense::session session{std::ref(messages), mix, budget{.window = 8'000_tokens}};
    std::string const text(1'400, 'r');
    messages.push_back(flat::of(role::tool, part_kind::tool_result, text));
    messages.shrink_to_fit();
    act = [&] { messages.push_back(flat::of(role::user, part_kind::text, "noted")); };
    static_cast<void>(session.prepare());
    CHECK(messages.size() > 3);
    CHECK(kept == text);
}

TEST_CASE("offload: it says why it has nothing to do") {
    auto const messages = rounds_of({letters(5'000), letters(10)});
    auto const said = [&](auto protect, condense::target until, condense::part_limit limit) {
        return idle_note(offload{.when = used >= 1_messages,
                                 .until = until,
                                 .protect = protect,
                                 .over = limit,
                                 .preview = mixes::ends,
                                 .into = shelf{}},
                         messages, 1'000'000_tokens);
    };
    CHECK(said(last(10_messages), {}, 1'000_chars) ==
          "nothing to do: all that it could take is within the newest 7 messages");
    CHECK(said(last(10_messages), {}, 9'000_chars) == "nothing to do: no result over `over` is left");
    CHECK(said(tools("read"), {}, 1'000_chars) == "nothing to do: all that it could take is protected");
    CHECK(said(nothing, used <= 90_pct, 1'000_chars) == "nothing to do: its target is reached");
    auto const stored = head_and_tail(shelf{});
    CHECK(idle_note(stored, fakes::after(messages, stored), 1'000'000_tokens) ==
          "nothing to do: no result over `over` is left");
}

namespace {

/// The longest text of a request.
std::size_t longest(auto const& session) {
    std::size_t longest = 0;
    for (auto const& m : session.request())
        for (auto const& part : m.parts) longest = std::max(longest, part.text.size());
    return longest;
}
auto storing(condense::part_limit limit) {
    return pipeline{
        offload{.over = limit, .preview = head_tail{100_chars, 100_chars}, .into = condense::memory_store{}}};
}
/// A session with two large results, stored when they came, and a small one.
auto stored_session(condense::part_limit limit) {
    using session_type = condense::session<conversation, decltype(storing(limit)), notation::per_byte>;
    auto session =
        std::make_unique<session_type>(conversation{}, storing(limit), condense::budget{.window = 100'000_tokens});
    for (auto const& m : {U("task"), C("1", "read"), R("1", letters(9'000)), A("a"), C("2", "read"),
                          R("2", letters(8'000)), A("b"), C("3", "read"), R("3", letters(700)), A("c"), U("more")})
        session->push(m);
    return session;
}

}  // namespace

TEST_CASE("offload: what came back is stored again, though all was stored before") {
    auto const held = stored_session(1'000_chars);
    auto& session = *held;
    REQUIRE(longest(session) < 1'000);
    REQUIRE_FALSE(session.run().changed());
    REQUIRE_FALSE(session.restore({2}));
    CHECK(longest(session) == 9'000);
    CHECK(session.run().changed());
    CHECK(longest(session) < 1'000);
    REQUIRE(session.undo());
    CHECK(longest(session) == 9'000);
    CHECK(session.run().changed());
    CHECK(longest(session) < 1'000);
    REQUIRE_FALSE(session.restore({5}));
    session.push(A("d"));  // an arrival in between
    CHECK(session.run().changed());
    CHECK(longest(session) < 1'000);
}

TEST_CASE("offload: a limit that has become smaller holds for what was within the one before") {
    auto const held = stored_session(2_pct);
    auto& session = *held;
    REQUIRE(longest(session) == 700);
    REQUIRE_FALSE(session.run().changed());
    session.set_limits({.window = 20'000_tokens});
    CHECK(session.run().changed());
    CHECK(longest(session) < 700);
}

TEST_CASE("offload: a message that a program has put in the place of another is looked at") {
    conversation mine;
    auto const mix = pipeline{offload{.when = used >= 1_pct,
                                      .over = 1'000_chars,
                                      .preview = head_tail{100_chars, 100_chars},
                                      .into = condense::memory_store{}}};
    condense::session session{std::ref(mine), mix, condense::budget{.window = 100'000_tokens}, notation::per_byte{}};
    for (auto const& m : {U("task"), C("1", "read"), R("1", letters(900)), A("a"), U("more"), A("b")}) {
        mine.push_back(m);
        static_cast<void>(session.prepare());
    }
    REQUIRE_FALSE(session.run().changed());
    mine[2] = R("1", letters(9'000));
    session.sync({2});
    static_cast<void>(session.run());
    CHECK(longest(session) < 1'000);
}
