// SPDX-License-Identifier: BSL-1.0
#include <condense/session/request.hpp>

#include <condense/core/draft.hpp>

#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;

/// A conversation with a draft on it, and the request that is made of both.
struct stand {
    conversation all = {};
    condense::outline facts = {};
    condense::view edits = {};
    condense::detail::request<chat_message> sent = {};

    void push(chat_message m) {
        edits.reserve_message(facts.read(m, per_byte{}));
        sent.reserve_message();
        all.push_back(std::move(m));
        sent.add(static_cast<std::uint32_t>(facts.size()));
        edits.on_message_placed(facts, facts.place());
    }
    auto draft() {
        static per_byte const count;
        static condense::budget const limits{.window = {100'000}};
        return condense::draft{all, facts, edits, count, limits};
    }
    template <class Edit>
    void change(Edit edit) {
        auto const mark = edits.steps().size();
        auto made = draft();
        edit(made);
        sent.change(facts, edits, mark);
    }
    void shorten(std::uint32_t index, std::string text) {
        change([&](auto& made) { REQUIRE_FALSE(made.shorten({index, 0, index}, std::move(text))); });
    }
    void drop(condense::group which) {
        change([&](auto& made) { REQUIRE_FALSE(made.drop(which)); });
    }
    std::vector<std::string> words(bool amid = false) {
        sent.update(all, facts, edits, amid);
        std::vector<std::string> found;
        for (std::size_t at = 0; at < sent.size(); ++at) found.push_back(sent.at(all, at).parts.at(0).text);
        return found;
    }
    std::uint32_t newest() const { return static_cast<std::uint32_t>(facts.size() - 1); }
};

stand three() {
    stand made;
    for (auto const* const words : {"task", "go on", "last"}) push(made, {U(words), A(std::string{"so "} + words)});
    return made;
}

using list = std::vector<std::string>;

}  // namespace

TEST_CASE("request: originals are the same objects, what was edited is made once") {
    auto on = three();
    CHECK(on.words() == list{"task", "so task", "go on", "so go on", "last", "so last"});
    CHECK(&on.sent.at(on.all, 1) == &on.all[1]);
    on.shorten(1, "so");
    CHECK(on.words() == list{"task", "so", "go on", "so go on", "last", "so last"});
    auto const* const made = &on.sent.at(on.all, 1);
    CHECK(made != &on.all[1]);
    on.push(U("v"));
    CHECK(on.words().size() == 7);
    CHECK(&on.sent.at(on.all, 1) == made);
}

TEST_CASE("request: an edit of the newest message alone leaves the others as they were made") {
    auto on = three();
    on.shorten(1, "so");
    REQUIRE(on.words().at(1) == "so");
    on.push(A("a long answer"));
    on.shorten(on.newest(), "short");
    CHECK(on.words() == list{"task", "so", "go on", "so go on", "last", "so last", "short"});
    on.shorten(on.newest(), "s");  // now it is one that was made
    CHECK(on.words().back() == "s");
}

TEST_CASE("request: what was seen amid a run is made anew") {
    auto on = three();
    auto const mark = on.edits.steps().size();
    on.drop({3});
    CHECK(on.words(true).size() == 5);
    on.edits.take_back(on.facts, mark);
    CHECK(on.words().size() == 6);
}

TEST_CASE("request: the newest message, edited and restored by one run, is sent as it came") {
    auto on = three();
    REQUIRE(on.words().size() == 6);
    on.change([&](auto& draft) {
        REQUIRE_FALSE(draft.shorten({on.newest(), 0, on.newest()}, "so"));
        REQUIRE_FALSE(draft.restore({5}));
    });
    CHECK(on.words().back() == "so last");
    CHECK(&on.sent.at(on.all, 5) == &on.all[5]);
}

TEST_CASE("request: what was edited before a run, and seen amid it, is made anew, also where it was made before") {
    bool const made = GENERATE(false, true);
    auto on = three();
    if (!made) REQUIRE(on.words().size() == 6);
    auto const index = made ? 1 : on.newest();
    on.shorten(index, "short");
    if (made) {
        REQUIRE(on.words().at(1) == "short");
        on.drop({3});
    }
    auto const mark = on.edits.steps().size();
    auto draft = on.draft();
    REQUIRE_FALSE(draft.shorten({index, 0, index}, "s"));
    CHECK(on.words(true).at(index) == "s");
    on.edits.take_back(on.facts, mark);
    CHECK(on.words().at(index) == "short");
}

TEST_CASE("request: where only groups go, what stays is what it was") {
    auto on = three();
    on.change([&](auto& draft) {
        REQUIRE_FALSE(draft.shorten({1, 0, 1}, "so"));
        REQUIRE_FALSE(draft.shorten({3, 0, 3}, "on"));
    });
    REQUIRE(on.words() == list{"task", "so", "go on", "on", "last", "so last"});
    auto const* const made = &on.sent.at(on.all, 1);
    on.drop({2});
    CHECK(on.words() == list{"task", "so", "on", "last", "so last"});
    CHECK(&on.sent.at(on.all, 1) == made);
    on.push(A("and more"));
    on.shorten(on.newest(), "more");
    CHECK(on.words() == list{"task", "so", "on", "last", "so last", "more"});
    on.change([&](auto& draft) {
        REQUIRE_FALSE(draft.drop({1}));
        REQUIRE_FALSE(draft.drop({3}));
    });
    CHECK(on.words() == list{"task", "last", "so last", "more"});
    on.change([&](auto& draft) {
        REQUIRE_FALSE(draft.drop({5}));
        REQUIRE_FALSE(draft.restore({3}));
    });
    CHECK(on.words() == list{"task", "so go on", "last", "more"});
}

TEST_CASE("request: a summary that goes is taken out, whatever else goes with it") {
    auto on = three();
    REQUIRE(on.words().size() == 6);
    on.change([&](auto& draft) { REQUIRE_FALSE(draft.summarize(std::vector<condense::group>{{1}, {2}, {3}}, "s")); });
    REQUIRE(on.words() == list{"task", "s", "last", "so last"});
    on.push(A("more"));
    on.drop({5});
    CHECK(on.words() == list{"task", "s", "last", "more"});
    on.drop(condense::group{1}.summary());
    CHECK(on.words() == list{"task", "last", "more"});
}

TEST_CASE("request: after forget everything is made anew") {
    auto on = three();
    REQUIRE(on.words().size() == 6);
    on.drop({3});
    REQUIRE(on.words().size() == 5);
    on.edits.take_back(on.facts, 0);
    on.sent.forget();
    CHECK(on.words() == list{"task", "so task", "go on", "so go on", "last", "so last"});
}
