// SPDX-License-Identifier: BSL-1.0
#include <condense/core/engine.hpp>

#include <list>

#include <condense/core/reduce.hpp>
#include <condense/policy/trigger.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::group, condense::pipeline, toy::layer;

/// Tokens are bytes.
conversation const original{U("task"),  C("1", "read"), R("1", "output"), A("answer"),
                            U("go on"), A("well"),      U("latest")};

constexpr condense::budget room{.window = 1'000_tokens};

/// What a pipeline of one callable makes of a history, which stays as it is.
template <condense::effect Effects, class History, class Act>
auto reduced(History const& messages, Act act, bool marks = false) {
    return condense::reduce(messages, pipeline{layer<Effects>(act)}, room, per_byte{},
                            condense::run_options<>{.marks = marks});
}

/// "task | {} | out | ", with the marks that were set.
std::string shown(auto const& from) {
    std::string out;
    from.each([&](chat_message const& m) {
        for (auto const& part : m.parts) out.append(part.text).append(" ");
        if (!m.mark.empty()) out.append("<").append(m.mark).append("> ");
        out.append("| ");
    });
    return out;
}

constexpr auto nothing = [](auto&, auto&) {};
/// Runs `act` in the first sweep only.
constexpr auto once = [](auto act) {
    return [act](auto& draft, auto& pass) {
        if (draft.edits().steps().empty()) act(draft, pass);
    };
};
constexpr auto all_verbs =
    condense::drops | condense::shortens | condense::externalizes | condense::summarizes | condense::restores;

condense::part_ref part_at(auto const& draft, std::uint32_t message, std::uint32_t part = 0) {
    return {message, part, draft.outline().message_at(message).first_part + part};
}

TEST_CASE("engine: without edits every message is sent, itself") {
    auto const made = reduced<condense::no_effects>(original, nothing);
    std::size_t index = 0;
    made.each([&](chat_message const& m) { CHECK(&m == &original[index++]); });
    CHECK(index == original.size());
    CHECK((!made.report().changed() && made.used() == made.report().before));
}

TEST_CASE("engine: edited messages are made, the others are the originals") {
    auto const made = reduced<all_verbs>(original, once([](auto& draft, auto& pass) {
                                             pass.note(draft.shorten(part_at(draft, 2), "out"));
                                             pass.note(draft.drop({3}));
                                             pass.note(draft.summarize(std::vector<group>{{4}, {5}}, "so far"));
                                         }));
    CHECK(shown(made) == "task | {} | out | so far | latest | ");
    CHECK(made.report().first_changed == 2u);
    std::vector<std::pair<char, std::uint32_t>> places;
    conversation fresh;
    made.each_place([&](std::uint32_t index) { places.emplace_back('k', index); },
                    [&](chat_message&& m) {
                        places.emplace_back('m', fresh.size());
                        fresh.push_back(std::move(m));
                    });
    CHECK(places == std::vector<std::pair<char, std::uint32_t>>{{'k', 0}, {'k', 1}, {'m', 0}, {'m', 1}, {'k', 6}});
    CHECK((fresh[0].parts[0].call == "1" && fresh[1] == U("so far")));

    using condense::sent_kind, condense::sent_place;
    std::vector<sent_place> sent_places;
    made.each_sent([&](sent_place place) { sent_places.push_back(place); });
    CHECK(sent_places == std::vector<sent_place>{{sent_kind::original, 0},
                                                 {sent_kind::original, 1},
                                                 {sent_kind::changed, 2},
                                                 {sent_kind::summary, group{4}.summary().index},
                                                 {sent_kind::original, 6}});
    CHECK((made.make(sent_places[2]) == fresh[0] && made.make(sent_places[3]) == fresh[1]));

    std::size_t originals = 0;
    made.each([&](chat_message const& m) { originals += &m == &original[0] || &m == &original[6]; });
    CHECK(originals == 2);
}

TEST_CASE("engine: a message is made with all its edits") {
    auto messages = original;
    messages[3].parts = {{.kind = condense::part_kind::reasoning, .text = "hm"},
                         {.text = "first text"},
                         {.kind = condense::part_kind::reasoning, .text = "well"},
                         {.text = "second text"}};
    auto const act = once([](auto& draft, auto& pass) {
        pass.note(draft.remove(part_at(draft, 3, 0)));
        pass.note(draft.shorten(part_at(draft, 3, 1), "first"));
        pass.note(draft.remove(part_at(draft, 3, 2)));
        pass.note(draft.externalize(part_at(draft, 3, 3), "2nd", {{9}}));
    });
    auto const made = reduced<all_verbs>(messages, act, true);
    CHECK(shown(made) == "task | {} | output | first 2nd <short.0,stored.1> | go on | well | latest | ");
    CHECK(messages[3].parts.size() == 4);
}

TEST_CASE("engine: marks are written where they are wanted, those of earlier runs stay on what is edited again") {
    auto const act = once([](auto& draft, auto& pass) {
        pass.note(draft.shorten(part_at(draft, 2), "out"));
        pass.note(draft.summarize(std::vector<group>{{3}, {4}}, "s"));
    });
    CHECK(shown(reduced<all_verbs>(original, act)) == "task | {} | out | s | well | latest | ");
    CHECK(shown(reduced<all_verbs>(original, act, true)) ==
          "task | {} | out <short.0> | s <summary> | well | latest | ");
    auto messages = original;
    messages[3].parts.push_back({.text = "more"});
    messages[3].mark = "stored.1";
    auto const again = once([](auto& draft, auto& pass) { pass.note(draft.shorten(part_at(draft, 3), "a")); });
    CHECK(shown(reduced<all_verbs>(messages, again, true)) ==
          "task | {} | output | a more <short.0,stored.1> | go on | well | latest | ");
}

TEST_CASE("engine: the first changed message is that of the earliest edit in force") {
    auto const changed = [](auto act) { return reduced<all_verbs>(original, act).report().first_changed; };
    CHECK(changed(once([](auto& draft, auto& pass) {
              for (auto const slot : {5u, 3u}) pass.note(draft.drop({slot}));
          })) == 3u);
    CHECK(changed(once([](auto& draft, auto& pass) {
              for (auto const slot : {5u, 1u}) pass.note(draft.drop({slot}));
              pass.note(draft.restore({1}));
          })) == 5u);
}

TEST_CASE("engine: forward ranges are read, too") {
    auto const drop_second = [](auto& draft, auto& pass) { pass.note(draft.drop({1})); };
    std::list<chat_message> const messages(original.begin(), original.end());
    CHECK(shown(reduced<all_verbs>(messages, drop_second)) == "task | answer | go on | well | latest | ");
    CHECK(messages.size() == 7);
    chat_message const array[] = {U("task"), A("answer"), U("latest")};
    CHECK(shown(reduced<all_verbs>(array, drop_second)) == "task | latest | ");
}

TEST_CASE("engine: an empty history is sent as it is") {
    auto const made = reduced<all_verbs>(conversation{}, [](auto& draft, auto& pass) { pass.note(draft.drop({0})); });
    CHECK((shown(made).empty() && made.report().fits() && !made.report().changed()));
}

/// Shortens the result once the answer is gone, at any usage.
template <class When>
struct patient {
    When when;
    static constexpr auto effects = condense::shortens;
    void reduce(auto& draft, auto& pass) const {
        auto const part = part_at(draft, 2);
        if (!draft.present(condense::sequence{3}) && !draft.about(part).edited) pass.note(draft.shorten(part, "out"));
    }
};
template <class When>
patient(When) -> patient<When>;

TEST_CASE("engine: a run goes on until its layers change nothing more") {
    pipeline const mix{patient{condense::always}, layer<condense::drops>([](auto& draft, auto& pass) {
                           if (draft.present(condense::sequence{3})) pass.note(draft.drop({3}));
                       })};
    auto messages = original;
    auto const first = condense::reduce(messages, mix, room, per_byte{});
    CHECK(first.layers[0].outcome == condense::layer_outcome::applied);
    CHECK((messages.size() == 6 && messages[2].parts[0].text == "out"));
}

/// Takes a byte off the result in each sweep until three are left.
template <class When>
struct gradual {
    When when;
    static constexpr auto effects = condense::shortens;
    void reduce(auto& draft, auto& pass) const {
        std::string shorter;
        draft.each_part(condense::sequence{2}, [&](condense::part_ref, condense::part_view const& part) {
            shorter = part.text.substr(0, part.text.size() - 1);
        });
        if (shorter.size() >= 3) pass.note(draft.shorten(part_at(draft, 2), shorter));
    }
};
template <class When>
gradual(When) -> gradual<When>;

TEST_CASE("engine: a part that several sweeps shorten is counted once for each layer") {
    auto messages = original;
    auto const twice =
        condense::reduce(messages, pipeline{gradual{condense::always}, gradual{condense::always}}, room, per_byte{});
    CHECK(messages[2].parts[0].text == "out");
    CHECK((twice.layers[0].runs > 1 && twice.layers[0].parts_shortened == 1 && twice.layers[1].parts_shortened == 1));
}

}  // namespace
