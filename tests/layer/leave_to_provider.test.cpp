// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/leave_to_provider.hpp>

#include "layer/shared.hpp"

namespace {

using namespace layers;
using condense::compaction_place, condense::leave_to_provider;

chat_message folded(compaction_place place) {
    auto m = A("so far");
    m.parts[0].kind = part_kind::other;
    m.parts[0].sealed = true;
    m.parts[0].compaction = place;
    return m;
}
/// The texts of the first parts.
std::string texts(conversation const& messages) {
    std::string all;
    for (auto const& m : messages) all.append(m.parts[0].text).append(" ");
    return all;
}
chat_message thought() {
    auto m = A("b");
    m.parts.insert(m.parts.begin(), {.kind = part_kind::reasoning, .text = "hm", .sealed = true, .bound = true});
    return m;
}

TEST_CASE("leave_to_provider: waits while the provider may act, then the next of a fallback does") {
    auto const mix = pipeline{fallback{leave_to_provider{}, sliding_window{.when = always, .until = used <= 50_pct}}};
    auto session = holding(mix, {U(letters(30)), A(letters(29))}, {.window = 100_tokens});
    CHECK_FALSE(session.prepare().changed());
    session.push(U(letters(20)));
    CHECK_FALSE(session.prepare().changed());
    // The provider's report says that it has reduced, although nothing was edited here.
    static_cast<void>(session.request());
    session.observe({.input = 45_tokens});
    session.push(A(letters(35)));
    CHECK_FALSE(session.prepare().changed());
    session.push(U(letters(10)));
    auto const report = session.prepare();
    CHECK(report.changed());
    CHECK(std::string_view{report.layers[0].note} == "the provider has not reduced");
    // Forced or under pressure it has no time for that.
    auto forced = holding(mix, {U(letters(30)), A(letters(20)), U(letters(9)), A("a")}, {.window = 100_tokens});
    CHECK(forced.run(condense::force{}).changed());
    conversation messages{U(letters(30)), A(letters(30)), U(letters(10))};
    auto const pressed =
        pipeline{fallback{leave_to_provider{}, sliding_window{.when = always, .until = used <= 1_tokens}},
                 escalate{.when = used >= 65_pct}};
    CHECK(reduced(messages, pressed, 100_tokens).changed());
}

TEST_CASE("leave_to_provider: what a compaction stands for leaves, and bound reasoning behind it stays") {
    auto const mix = pipeline{leave_to_provider{}};
    conversation const before{S("rules"), U("task"), C("1"), R("1"), A("a"), U("more"), thought()};
    auto const after = [&](compaction_place place) {
        auto messages = before + conversation{folded(place), thought(), U("go on")};
        messages[4].pinned = true;  // which holds only where the provider takes it
        CHECK(reduced(messages, mix).changed());
        return texts(messages);
    };
    CHECK(after(compaction_place::any) == "rules task a more so far hm go on ");
    CHECK(after(compaction_place::first) == "rules so far hm go on ");
    CHECK(idle_note(mix, before + conversation{U("go on")}, 1'000'000_tokens) ==
          "nothing to do: it is left to the provider");
    // The user's latest message leaves before one that must come first as soon as there is a newer one.
    auto asked = holding(mix, {S("rules"), U("task"), A("a"), U("more"), A("b")}, {.window = 1'000_tokens});
    asked.push(folded(compaction_place::first));
    asked.push(U("go on"));
    CHECK(texts(sent(asked)) == "rules so far go on ");
    // In a session as soon as it arrives; what waits for a result stays, behind a message that a request can begin
    // with.
    auto session = holding(mix, before + conversation{C("2")}, {.window = 1'000_tokens});
    session.push(folded(compaction_place::first));
    CHECK(texts(sent(session)) == "rules more {} so far ");
    static_cast<void>(session.prepare());
    session.push(thought());
    session.push(R("2"));
    session.push(U("go on"));
    static_cast<void>(session.prepare());
    CHECK(texts(sent(session)) == "rules more {} so far hm r go on ");
}

TEST_CASE("leave_to_provider: asks at its share, and rejects shares that leave the provider no chance") {
    CHECK(leave_to_provider{}.asks_at(1'001_tokens) == 601_tokens);
    CHECK_THROWS_AS(pipeline{leave_to_provider{.at = 90_pct}}, invalid_configuration);
    CHECK_THROWS_AS((pipeline{leave_to_provider{.until = condense::percent{10'001}}}), invalid_configuration);
}

}  // namespace
