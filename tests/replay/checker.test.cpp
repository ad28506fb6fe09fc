// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/checker.hpp>

#include "replay/talk.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using texts = std::vector<std::string>;

conversation told() {
    return {S("be good"),
            U("first question"),
            thinking(A("looking")),
            C("a", "read", R"({"path":"x"})"),
            R("a", "long result of a"),
            pinned(A("the build needs clang")),
            U("second question"),
            C("b", "read"),
            R("b", "long result of b"),
            A("so it is"),
            U("third question"),
            C("c", "read"),
            R("c", "long result of c")};
}

texts judged(conversation const& request, conversation const& history = told()) {
    condense::request_checker checker;
    for (auto const& m : history) checker.push(m);
    return checker.judge(request);
}
bool says(texts const& all, std::string_view what) {
    for (auto const& one : all)
        if (one.find(what) != std::string::npos) return true;
    return false;
}
conversation without(conversation all, std::size_t at) {
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
    return all;
}
/// The checker's answer when one thing has been changed.
texts altered(auto const& change) {
    auto all = told();
    change(all);
    return judged(all);
}
conversation summarised(std::size_t first, std::size_t past) {
    auto all = told();
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(past));
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(first), U("Summary of all that"));
    return all;
}

TEST_CASE("what keeps the laws is let through") {
    CHECK(judged(told()).empty());
    CHECK(altered([](auto& all) {
              all[4].parts[0].text = "long";
              all[2].parts.erase(all[2].parts.begin());  // old reasoning
              all[3].parts[0].text = "{}";
          }).empty());
    CHECK(judged(without(without(told(), 3), 3)).empty());  // a pair
    CHECK(judged(summarised(1, 5)).empty());
    CHECK(judged(without(told(), 9)).empty());
    CHECK(judged({U("x")}, {U("x")}).empty());
}

TEST_CASE("half a pair is found") {
    CHECK(says(judged(without(told(), 3)), "L1 pairs: message 4"));
    CHECK(says(judged(without(told(), 4)), "L1 pairs: message 3"));
    CHECK(says(judged(without(told(), 11)), "L1 pairs: message 12"));
    CHECK(says(judged(without(told(), 12)), "L1 pairs: message 11"));
    CHECK(says(judged(without(without(told(), 11), 11)), "L3: message 11"));
    CHECK(altered([](auto& all) { all[4].parts.clear(); }).size() >= 2);
    conversation const both{U("a"), A("looking").and_call("x", "read", "{}"), R("x", "y"), A("b"), U("c")};
    auto silent = both;
    silent[1].parts.pop_back();
    CHECK(says(judged(silent, both), "changed beyond shortening"));
    silent = both;
    silent[1].parts.erase(silent[1].parts.begin());
    CHECK(judged(silent, both).empty());
}

TEST_CASE("what is gone or changed and may not be is found") {
    CHECK(says(judged(without(told(), 0)), "L2: message 0 of the system"));
    CHECK(says(judged(without(told(), 5)), "L2: message 5 is pinned"));
    CHECK(says(judged(without(told(), 10)), "L2: message 10 is the user's latest"));
    CHECK(judged(without(told(), 1)).size() == 1);  // then an answer comes first
    for (auto const at : {0u, 5u, 10u})
        CHECK(says(altered([&](auto& all) { all[at].parts[0].text.pop_back(); }), "gone or changed"));
}

TEST_CASE("the newest answer to the user's latest message stays, whole or shortened") {
    conversation const ended{U("a"), A("an answer"), U("b"), A("first of two"), A("the newest")};
    CHECK(judged(ended, ended).empty());
    CHECK(judged(without(ended, 1), ended).empty());
    CHECK(judged(without(ended, 3), ended).empty());
    CHECK(judged(without(ended, 4), ended) ==
          texts{"L16: message 4 is the newest answer to the user's latest, and gone"});
    auto shorter = ended;
    shorter[4].parts[0].text = "the";
    CHECK(judged(shorter, ended).empty());
    auto asked_again = ended;
    asked_again.push_back(U("c"));
    CHECK(judged(without(asked_again, 4), asked_again).empty());
}

TEST_CASE("what was moved, doubled or made up, and what is no shortening, is found") {
    CHECK(says(altered([](auto& all) { std::swap(all[2], all[5]); }), "L2 order"));
    auto const with = [](chat_message const& m) { return altered([&](auto& all) { all.insert(all.begin() + 3, m); }); };
    CHECK(says(with(told()[2]), "is there twice"));
    CHECK(says(with(A("never said")), "was never pushed"));
    CHECK(says(with(U("no summary")), "nothing was left out"));
    CHECK(says(with(R("z", "result of no call")), "was never pushed"));
    CHECK(says(with(S("a new rule")), "was never pushed"));
    CHECK(says(altered([](auto& all) { all[4].parts[0].text += " and more"; }), "changed beyond shortening"));
    CHECK(says(altered([](auto& all) { all[4].parts[0].call = "b"; }), "changed beyond shortening"));
    CHECK(says(altered([](auto& all) { all[2].parts[0].text = "h"; }), "changed beyond shortening"));  // sealed
    CHECK(says(altered([](auto& all) { all[9].parts[0].text.clear(); }), "is empty"));
}

TEST_CASE("a request begins with a user message or a summary") {
    auto headless = told();
    headless.erase(headless.begin() + 1, headless.begin() + 5);
    headless.erase(headless.begin() + 1);
    CHECK(says(judged(without(summarised(1, 5), 1)), "does not begin"));
    CHECK_FALSE(says(judged(headless), "does not begin"));
    CHECK(judged({A("hello"), U("x")}, {A("hello"), U("x")}).empty());
    CHECK(says(judged({S("be good")}), "L8"));
    CHECK(says(judged({}), "L8"));
    CHECK(judged({}, {}).empty());
}

TEST_CASE("an answer to a call without result is one of its own") {
    conversation const dead{U("a"), C("x", "read"), U("b"), A("c"), U("d")};
    auto answered = dead;
    answered.insert(answered.begin() + 2, R("x", "[no result]", condense::part_status::cancelled));
    CHECK(judged(answered, dead).empty());
    answered[2].parts[0].call = "y";
    CHECK(says(judged(answered, dead), "was never pushed"));
}

TEST_CASE("equal messages stand for one another, and those are found that keep the order") {
    conversation const same{U("go on"), A("done"), U("go on"), A("done"), U("go on")};
    CHECK(judged(same, same).empty());
    CHECK(judged({U("go on")}, same).empty());
    CHECK(judged({U("go on"), A("done"), U("go on")}, same).empty());
    auto more = same;
    more.push_back(U("go on"));
    CHECK(says(judged(more, same), "twice"));
    condense::request_checker checker;
    conversation const all{U("go on"), A("a"), U("go on"), A("b"), U("end")};
    for (auto const& m : all) checker.push(m);
    CHECK(checker.judge(conversation{all[0], all[1], all[4]}).empty());
    CHECK(checker.judge(conversation{all[2], all[3], all[4]}).empty());
    CHECK(says(checker.judge(conversation{all[3], all[0], all[1], all[4]}), "L2 order"));
}

TEST_CASE("a checker goes on with the conversation") {
    condense::request_checker checker;
    conversation request;
    for (auto const& m : told()) {
        checker.push(m);
        request.push_back(m);
        CHECK(checker.judge(request).empty());
    }
    CHECK_FALSE(checker.judge(without(request, 12)).empty());
    CHECK(checker.judge(request).empty());
}

TEST_CASE("an original is known by its number, and only those pushed have one") {
    condense::request_checker checker;
    checker.push(U("a"));
    using entry = condense::request_checker::entry;
    CHECK(checker.judge(std::vector{entry{.index = 0}}).empty());
    CHECK(says(checker.judge(std::vector{entry{.index = 0}, entry{.index = 7}}), "was not pushed"));
}

TEST_CASE("long requests of hostile messages cost what they are long") {
    condense::request_checker checker;
    conversation request;
    for (int at = 0; at < 20'000; ++at) {
        checker.push(U(letters(60) + std::to_string(at)));
        request.push_back(R("id", "y"));
    }
    CHECK(says(checker.judge(request), "not judged"));
    for (auto& m : request) m = U("y");
    CHECK_FALSE(checker.judge(request).empty());
}

}  // namespace
