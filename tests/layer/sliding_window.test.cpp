// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/sliding_window.hpp>

#include "layer/shared.hpp"

namespace {

using namespace layers;
using condense::headroom;

static_assert(condense::layer<sliding_window<>>);
static_assert(!condense::recoverable<pipeline<sliding_window<>>> &&
              condense::deterministic<pipeline<sliding_window<>>>);
static_assert(sliding_window<>::last_resort);

/// A conversation in letters: System, User, Assistant, Call and Result with a digit, P for a pinned answer,
/// Z for a summary of an earlier run. Each name is its index, so that what remains can be read.
conversation spelt(std::string_view letters) {
    conversation made;
    for (std::size_t at = 0; at < letters.size(); ++at) {
        auto const id = at + 1 < letters.size() ? std::string{letters[at + 1]} : std::string{};
        switch (letters[at]) {
            case 'S': made.push_back(S("ten tokens")); break;
            case 'U': made.push_back(U("ten tokens")); break;
            case 'A': made.push_back(A("ten tokens")); break;
            case 'P': made.push_back(pinned(A("ten tokens"))); break;
            case 'Z':
                made.push_back(U("ten tokens"));
                made.back().mark = "summary";
                break;
            case 'C': made.push_back(C(id, "read", "{\"p\": \"f\"}")); break;
            case 'R': made.push_back(R(id, "ten tokens")); break;
            default: continue;
        }
        made.back().name = std::to_string(made.size() - 1);
    }
    return made;
}

/// The indices that remain: "0 5 6".
std::string left(conversation const& messages) {
    std::string out;
    for (auto const& m : messages) out.append(out.empty() ? "" : " ").append(m.name);
    return out;
}

template <class Window>
std::string after(std::string_view letters, Window const& window, condense::tokens input = 1'000'000_tokens) {
    auto messages = spelt(letters);
    static_cast<void>(condense::reduce(messages, pipeline{window}, {.window = input}, per_byte{}, fakes::with_marks()));
    return left(messages);
}

}  // namespace

TEST_CASE("sliding_window: pairs go together, and open groups stay") {
    CHECK(after("C1R1AU", window_of(1_messages)) == "3");
    // Until an assistant message follows the round goes on, whatever the window (L3).
    CHECK(after("C1R1U", window_of(1_messages)) == "0 1 2");
    CHECK(after("UC1R1AUC2R2", window_of(3_messages)) == "4 5 6");
    CHECK(after("UC1R1AUC2R2", window_of(1_messages)) == "4 5 6");
    CHECK(after("UC1R1AUC2", window_of(1_messages)) == "4 5");
    // A limit of nothing clears what may go.
    CHECK(after("SUAUAU", window_of(0_messages)) == "0 5");
    CHECK(after("UC1R1AU", window_of(0_messages)) == "4");
}

TEST_CASE("sliding_window: the task stays by default, and goes where it is not protected") {
    sliding_window const by_default{.when = used > 3_messages, .until = used <= 3_messages};
    CHECK(after("UAUAUA", by_default) == "0 4 5");
    CHECK(after("UAUAUA", window_of(3_messages)) == "4 5");
    CHECK(after("UAAAAU", by_default) == "0 4 5");
}

TEST_CASE("sliding_window: system messages, pins, and what must come before them stay") {
    CHECK(after("SUAUAU", window_of(1_messages)) == "0 5");
    CHECK(after("SUAUPUAU", window_of(1_messages)) == "0 3 4 7");
    CHECK(after("USAUAU", window_of(2_messages)) == "1 5");
}

TEST_CASE("sliding_window: stops at eight tenths of its trigger") {
    CHECK(after("UAUAUAUAUA", sliding_window{.when = used >= 10_messages, .protect = nothing}) == "2 3 4 5 6 7 8 9");
    CHECK(after("UAUAUAUAUA", sliding_window{.when = used >= 100_tokens, .protect = nothing}) == "2 3 4 5 6 7 8 9");
    CHECK(after("UAUAUAUAUA", sliding_window{.when = used >= 50_pct, .protect = nothing}, 200_tokens) ==
          "2 3 4 5 6 7 8 9");
    CHECK(after("UAUAUAUAUA", sliding_window{.when = used >= 5_turns, .protect = nothing}) == "2 3 4 5 6 7 8 9");
    CHECK(after("UAUAUAUAUA",
                sliding_window{.when = headroom < 20_tokens, .until = headroom >= 20_tokens, .protect = nothing},
                110_tokens) == "2 3 4 5 6 7 8 9");
}

TEST_CASE("sliding_window: the default trigger is nine tenths of the input") {
    CHECK(after("UAUAUAUAUA", sliding_window{}, 112_tokens) == "0 1 2 3 4 5 6 7 8 9");
    CHECK(after("UAUAUAUAUA", sliding_window{}, 111_tokens) == "0 4 5 6 7 8 9");
}

TEST_CASE("sliding_window: summaries stay while anything else may go") {
    CHECK(after("SZUAUAU", window_of(2_messages)) == "0 1 6");
    CHECK(after("ZUAUAU", window_of(1_messages)) == "0 5");
}

TEST_CASE("sliding_window: at the top summaries and the task go last") {
    auto const at_top = [](std::string_view letters, std::uint64_t target) {
        auto messages = spelt(letters);
        auto const press = toy::press{.pressure = 1, .top = true, .target = {target}};
        sliding_window const never{.when = used > 1'000'000_messages, .protect = task | last(5_messages)};
        static_cast<void>(condense::reduce(messages, pipeline{never, press}, {.window = 1'000'000_tokens}, per_byte{},
                                           fakes::with_marks()));
        return left(messages);
    };
    CHECK(at_top("SUAUAU", 40) == "0 1 4 5");
    CHECK(at_top("SUAUAU", 30) == "0 1 5");
    CHECK(at_top("SUAUAU", 29) == "0 5");
    CHECK(at_top("SZUAUAU", 40) == "0 1 2 6");
    CHECK(at_top("SZUAUAU", 20) == "0 6");
    CHECK(at_top("SUAUPU", 10) == "0 1 4 5");  // the pin needs a user message before it
}

TEST_CASE("sliding_window: limits of any size are harmless") {
    auto const figure = GENERATE(as<std::uint64_t>{}, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
                                 std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max());
    CHECK(after("UAUAUA", window_of({figure})) == "0 1 2 3 4 5");
    CHECK(after("UAUAUA", sliding_window{.when = used >= condense::tokens{figure}}) == "0 1 2 3 4 5");
    CHECK(after("UAUAUA", sliding_window{.when = headroom < condense::tokens{figure}, .protect = first({figure})}) ==
          "0 1 2 3 4 5");
    CHECK(after("UAUAUA", sliding_window{.when = headroom < condense::tokens{figure}, .protect = nothing}) == "4 5");
}

TEST_CASE("sliding_window: the newest answer goes no sooner than its question") {
    auto const all = [](std::string_view kinds) {
        return after(kinds, sliding_window{.when = headroom < condense::tokens{1u << 31}, .protect = nothing});
    };
    CHECK(all("UAUA") == "2 3");
    CHECK(all("UAUAA") == "2 4");
    CHECK(all("UAUAU") == "4");
}

TEST_CASE("sliding_window: fewer than `least` messages are never left, but at the top", "[row-C5]") {
    sliding_window const layer{
        .when = used >= 1_messages, .until = used <= 0_messages, .protect = nothing, .least = 3_messages};
    auto const after = [&](auto const& mix) {
        auto messages = spelt("UAUAUAU");
        static_cast<void>(condense::reduce(messages, mix, {.window = 10'000_tokens}, per_byte{}, fakes::with_marks()));
        return messages.size();
    };
    auto without = layer;
    without.least = {};
    CHECK(after(pipeline{without}) == 1);
    CHECK(after(pipeline{layer}) == 3);
    auto const press = [](bool top) { return toy::press{.pressure = 1, .top = top}; };
    CHECK(after(pipeline{layer, press(false)}) == 3);
    CHECK(after(pipeline{layer, press(true)}) == 1);
}

TEST_CASE("sliding_window: it says why it has nothing to do") {
    auto const said = [](auto const& layer, std::string_view letters = "SUAUAUA") {
        return idle_note(layer, spelt(letters), 10'000_tokens, fakes::with_marks());
    };
    auto const window = [](auto protect) { return sliding_window{.when = used >= 2_messages, .protect = protect}; };
    CHECK(said(window(last(10_messages))) == "nothing to do: all that it could take is within the newest 7 messages");
    CHECK(said(window(last(6_messages))) == "nothing to do: all that it could take is within the newest 6 messages");
    CHECK(said(window(first(5_messages))) == "nothing to do: all that it could take is protected");
    CHECK(said(sliding_window{.when = used >= 2_messages, .until = used <= 1'000_tokens}) ==
          "nothing to do: its target is reached");
    CHECK(said(sliding_window{.when = used >= 2_messages, .protect = nothing, .least = 7_messages}) ==
          "nothing to do: what is left belongs to what has to stay");
    CHECK(said(window(nothing), "SUA") ==
          "nothing to do: all of it is system messages, pins, open calls or the latest message");
}

TEST_CASE("sliding_window: in a session half of its trigger is enough, in one call 65 % of the input") {
    conversation messages{U("task")};
    for (int index = 0; index < 95; ++index) messages.push_back(index % 2 == 0 ? A(letters(10)) : U(letters(10)));
    auto const once = [&](auto const& mix) {
        auto copy = messages;
        return reduced(copy, pipeline{mix}, 1'000_tokens).after.tokens;
    };
    CHECK(once(sliding_window{}) == 644_tokens);
    CHECK(once(sliding_window{.until = used <= 30_pct}) <= 300_tokens);
    CHECK(once(sliding_window{.until = condense::for_session(used <= 30_pct)}) == 644_tokens);
    session goes_on{messages, pipeline{sliding_window{}}, budget{.window = 1'000_tokens}, per_byte{}};
    CHECK(goes_on.prepare().after.tokens == 444_tokens);
}
