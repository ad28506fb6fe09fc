// SPDX-License-Identifier: BSL-1.0
#include <condense/core/reduce.hpp>

#include <deque>
#include <forward_list>
#include <list>
#include <memory>
#include <set>
#include <stdexcept>

#include <condense/layer/escalate.hpp>
#include <condense/layer/sliding_window.hpp>

#include "core/toy.hpp"
#include "laws/generator.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using namespace notation;
using condense::committable, condense::group, condense::pipeline, toy::layer;

/// A container that can only be filled anew, and has so much room for that.
template <class Element>
class refillable {
public:
    void push_back(Element&& element) {
        take_room();
        held_.push_back(std::move(element));
    }
    void push_back(Element const& element)
        requires std::copy_constructible<Element>
    {
        take_room();
        held_.push_back(element);
    }
    auto begin() { return held_.begin(); }
    auto end() { return held_.end(); }
    auto begin() const { return held_.begin(); }
    auto end() const { return held_.end(); }
    friend void swap(refillable& one, refillable& other) noexcept { one.held_.swap(other.held_); }

    static inline std::size_t left = 1'000;

protected:
    std::list<Element> held_;

private:
    static void take_room() {
        if (left == 0) throw std::runtime_error{"no room"};
        --left;
    }
};

/// The same, where room can be had beforehand.
template <class Element>
struct reserving : refillable<Element> {
    static void reserve(std::size_t room) {
        if (refillable<Element>::left < room) throw std::runtime_error{"no room"};
    }
    friend void swap(reserving& one, reserving& other) noexcept { one.held_.swap(other.held_); }
};

struct throws_when_moved {
    condense::role role = condense::role::user;
    std::string text;
    throws_when_moved(throws_when_moved&&) noexcept(false);
    throws_when_moved& operator=(throws_when_moved&&) noexcept(false);
};

static_assert(committable<conversation> && committable<std::deque<chat_message>>);
static_assert(committable<std::list<chat_message>> && committable<refillable<chat_message>> &&
              committable<reserving<chat_message>>);
static_assert(!committable<conversation const> && !committable<chat_message[3]>);
static_assert(!committable<std::forward_list<chat_message>> && !committable<std::vector<throws_when_moved>>);
static_assert(!committable<std::set<chat_message const*>>);

template <class History>
History filled() {
    History made;
    for (auto const& m : {S("rules"), U("task"), C("1", "read"), R("1", letters(100, 'r')), A(letters(50, 'a')),
                          U(letters(60, 'u')), A("well"), U("latest")})
        made.push_back(m);
    return made;
}

constexpr auto edits = condense::drops | condense::shortens | condense::summarizes;

/// Shortens the result, drops the long answer, puts a summary in place of two later messages.
auto const mix = pipeline{layer<edits>([](auto& draft, auto& pass) {
    if (!draft.edits().steps().empty()) return;
    pass.note(draft.shorten({3, 0, draft.outline().message_at(3).first_part}, "short"));
    pass.note(draft.drop({4}));
    pass.note(draft.summarize(std::vector<group>{{5}, {6}}, "sum"));
})};
auto const idle = pipeline{layer<condense::no_effects>([](auto&, auto&) {})};

constexpr condense::budget limits{.window = {1'000}};

template <class History, class... Layers>
auto reduced(History& history, pipeline<Layers...> const& with) {
    return condense::reduce(history, with, limits, per_byte{});
}
template <class Sink, class History, class... Layers>
auto reduced_into(Sink const& sink, History& history, pipeline<Layers...> const& with) {
    return condense::reduce_into(sink, history, with, limits, per_byte{});
}

std::string text_of(auto const& history) {
    std::string out;
    for (auto const& m : history) {
        condense::each_part(m, [&](condense::part_view const& part) { out.append(part.text); });
        out.append(" | ");
    }
    return out;
}
/// The messages that a reduction gives.
template <class Message>
std::vector<Message> walked(auto const& made) {
    std::vector<Message> all;
    made.each([&](Message const& m) { all.push_back(m); });
    return all;
}

}  // namespace

TEMPLATE_TEST_CASE("reduce: histories are changed in place", "", conversation, std::deque<chat_message>,
                   std::list<chat_message>, refillable<chat_message>, reserving<chat_message>) {
    auto history = filled<TestType>();
    auto const report = reduced(history, mix);
    CHECK(text_of(history) == "rules | task | {} | short | sum | latest | ");
    CHECK((report.after.messages.count == 6 && report.first_changed == 3u));
}

TEMPLATE_TEST_CASE("reduce: messages that no layer touched stay the same objects", "", conversation,
                   std::deque<chat_message>, std::list<chat_message>, reserving<chat_message>) {
    auto history = filled<TestType>();
    // Their parts are where they were: nothing was copied.
    std::set<chat_message const*> places;
    std::set<void const*> parts;
    for (auto const& m : history) {
        places.insert(&m);
        parts.insert(m.parts.data());
    }
    static_cast<void>(reduced(history, idle));
    for (auto const& m : history) CHECK(places.count(&m) == 1);
    static_cast<void>(reduced(history, mix));
    std::size_t kept = 0;
    for (auto const& m : history) kept += parts.count(m.parts.data());
    CHECK(kept == 4);
}

// Message types

namespace {

struct move_only {
    condense::role role = condense::role::user;
    std::string text = {};
    std::unique_ptr<int> held = {};
};
struct immutable {
    condense::role const role;
    std::string const text;
};

}  // namespace

template <>
struct condense::message_traits<move_only> : condense::role_and_text<&move_only::role, &move_only::text> {};
template <>
struct condense::message_traits<immutable> : condense::role_and_text<&immutable::role, &immutable::text> {};

namespace {

auto const drop_second = pipeline{layer<condense::drops>([](auto& draft, auto& pass) { pass.note(draft.drop({1})); })};
static_assert(committable<std::vector<move_only>> && !committable<std::list<immutable>>);
// A history is not filled anew where its messages could be lost on the way.
static_assert(!committable<refillable<move_only>> && committable<reserving<move_only>>);

}  // namespace

TEST_CASE("reduce: messages that cannot be changed") {
    std::vector<immutable> history{
        {condense::role::user, "task"}, {condense::role::assistant, "answer"}, {condense::role::user, "latest"}};
    auto const made = reduced(history, drop_second);
    CHECK(text_of(walked<immutable>(made)) == "task | latest | ");
    CHECK(history.size() == 3);
}

// Failures

namespace {

/// Cannot be made anew when it is told so.
struct stubborn {
    condense::role role = condense::role::user;
    std::string text = {};
    friend bool operator==(stubborn const&, stubborn const&) = default;
    static inline bool refuses = true;

    struct condense_traits {
        static condense::role role_of(stubborn const& m) { return m.role; }
        static void each_part(stubborn const& m, auto&& sink) { sink(condense::part_view{.text = m.text}); }
        static stubborn with_part(stubborn const& m, std::size_t, std::string text) {
            if (refuses) throw std::runtime_error{"no"};
            return {m.role, std::move(text)};
        }
    };
};

}  // namespace

TEST_CASE("reduce: where a message cannot be made, the history stays as it was") {
    std::vector<stubborn> history{{.text = "task"},
                                  {condense::role::assistant, "answer"},
                                  {condense::role::assistant, "well"},
                                  {.text = "latest"}};
    auto const before = history;
    constexpr auto cuts = condense::shortens | condense::drops;
    auto const act = pipeline{layer<cuts>([](auto& draft, auto& pass) {
        if (!draft.edits().steps().empty()) return;
        pass.note(draft.drop({1}));
        pass.note(draft.shorten({2, 0, 2}, "w"));
    })};
    CHECK_THROWS_AS(reduced(history, act), std::runtime_error);
    CHECK(history == before);
    stubborn::refuses = false;
    static_cast<void>(reduced(history, act));
    CHECK(text_of(history) == "task | w | latest | ");
}

TEMPLATE_TEST_CASE("reduce: where the new history cannot be filled, the old one stays as it was", "",
                   refillable<chat_message>, reserving<chat_message>) {
    auto history = filled<TestType>();
    auto const before = text_of(history);
    for (std::size_t room = 0; room < 6; ++room) {
        CAPTURE(room);
        refillable<chat_message>::left = room;
        CHECK_THROWS_AS(reduced(history, mix), std::runtime_error);
        refillable<chat_message>::left = 1'000;
        REQUIRE(text_of(history) == before);
    }
}

// Dry runs and estimators

TEST_CASE("reduce: a dry run says what would be done") {
    auto history = filled<conversation>();
    auto const before = history;
    auto const dry = condense::dry_run(history, mix, limits, per_byte{});
    CHECK(history == before);
    auto const report = reduced(history, mix);
    CHECK((dry.report().after == report.after && dry.report().first_changed == report.first_changed));
    CHECK(dry.report().layers[0].saved == report.layers[0].saved);
}

TEST_CASE("reduce: every part is counted once") {
    std::size_t counted = 0;
    auto const counts = [&](std::string_view text) {
        ++counted;
        return condense::cost{text.size()};
    };
    auto history = filled<conversation>();
    static_cast<void>(condense::reduce(history, idle, {.window = {1'000}}, counts));
    CHECK(counted == history.size());
}

TEST_CASE("reduce: figures of any size in a budget are harmless") {
    auto const figure = GENERATE(as<std::uint64_t>{}, 0u, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
                                 std::uint64_t{1} << 63, ~std::uint64_t{0});
    auto const other =
        GENERATE(as<std::uint64_t>{}, 0u, 100u, std::uint64_t{1} << 31, std::uint64_t{1} << 63, ~std::uint64_t{0});
    CAPTURE(figure, other);
    for (condense::budget const odd : {condense::budget{.window = {figure}, .output = {other}},
                                       condense::budget{.window = {other}, .overhead = {figure}},
                                       condense::budget{.window = {figure}, .output = {other}, .overhead = {figure}}}) {
        auto history = filled<conversation>();
        auto const report = condense::reduce(history, mix, odd, per_byte{});
        CHECK(history.size() == (odd.is_possible() ? 6 : 8));
        CHECK(report.refused.empty() == odd.is_possible());
        CHECK(report.fits() == (report.after.tokens <= odd.input() && odd.is_possible()));
        CHECK((report.outcome == condense::outcome::fits) == report.fits());
    }
}

namespace {

/// A call that has gone dead, twice, and what makes it so.
conversation with_dead_calls() { return {U("u"), C("1").and_call("2", "t", "{}"), U("v"), C("3"), U("w"), A("a")}; }

conversation listed(auto const& history) { return {history.begin(), history.end()}; }

/// Drops the second message's group, and answers what calls it can: some growth, some loss.
constexpr auto growth = condense::repairs | condense::drops;
auto const answering = layer<growth>([](auto& draft, auto& pass) {
    for (auto const part_id : draft.outline().dead_calls()) pass.note(draft.repair(draft.part_at(part_id), "none"));
});

/// Throws in the push_back that a test picks.
template <class Container>
class grudging : public Container {
public:
    using Container::Container;
    static inline std::size_t left = 1'000;
    void push_back(chat_message&& m) {
        if (left-- == 0) throw std::runtime_error{"no room"};
        Container::push_back(std::move(m));
    }
};

/// Can be walked only by those who may change it.
class walked_once {
public:
    explicit walked_once(conversation all) : held_(std::move(all)) {}
    auto begin() { return held_.begin(); }
    auto end() { return held_.end(); }

private:
    conversation held_;
};

}  // namespace

TEMPLATE_TEST_CASE("reduce: a history grows by the answers to its calls", "", conversation, std::deque<chat_message>,
                   std::list<chat_message>, refillable<chat_message>) {
    TestType history;
    for (auto& m : with_dead_calls()) history.push_back(std::move(m));
    auto const all = listed(history);
    auto const report = reduced(history, pipeline{answering});
    CHECK(report.first_changed == 2u);
    auto const made = listed(history);
    REQUIRE(made.size() == all.size() + 3);
    CHECK((made[1] == all[1] && made[4] == all[2] && made[5] == all[3] && made[7] == all[4] && made[8] == all[5]));
    CHECK((made[2].parts[0].call == "1" && made[3].parts[0].call == "2" && made[6].parts[0].call == "3"));
}

TEMPLATE_TEST_CASE("reduce: where the answers can not be appended, the history stays as it was", "", conversation,
                   std::deque<chat_message>, std::list<chat_message>) {
    using history_type = grudging<TestType>;
    auto const all = with_dead_calls();
    std::size_t thrown = 0;
    for (std::size_t room = 0; room < 4; ++room) {
        history_type history;
        for (auto const& m : all) history.TestType::push_back(m);
        std::vector<chat_message const*> places;
        for (auto const& m : history) places.push_back(&m);
        history_type::left = room;
        try {
            static_cast<void>(reduced(history, pipeline{answering}));
            CHECK(listed(history).size() == all.size() + 3);
        } catch (std::runtime_error const&) {
            ++thrown;
            CHECK(listed(history) == all);
        }
    }
    CHECK(thrown == 3);
}

TEST_CASE("reduce_into: the sink is given each message to send, in order") {
    auto history = with_dead_calls();
    auto const all = history;
    auto in_place = history;
    auto const expected = reduced(in_place, pipeline{answering});
    conversation out;
    std::size_t kept = 0;
    auto const sink = [&](auto&& m) {
        kept += std::is_lvalue_reference_v<decltype(m)> ? 1u : 0u;
        out.push_back(std::forward<decltype(m)>(m));
    };
    auto const report = reduced_into(sink, history, pipeline{answering});
    CHECK(out == in_place);
    CHECK(kept == all.size());
    CHECK(history == all);
    CHECK((report.after.tokens == expected.after.tokens && report.first_changed == expected.first_changed));
    SECTION("one that nothing is changed in") {
        out.clear();
        CHECK_FALSE(reduced_into(sink, all, pipeline{}).changed());
        CHECK(out == all);
    }
    SECTION("none at all") {
        out.clear();
        conversation nothing;
        CHECK_FALSE(reduced_into(sink, nothing, pipeline{answering}).changed());
        CHECK(out.empty());
    }
    SECTION("a sink may move from a history that is its own, but not from a const one") {
        conversation taken;
        static_cast<void>(condense::reduce_into([&](auto&& m) { taken.push_back(std::move(m)); }, history, pipeline{},
                                                limits, per_byte{}));
        CHECK(taken == all);
        CHECK(history[0].parts.empty());
        static_cast<void>(
            condense::reduce_into([](auto&& m) { static_assert(!std::same_as<decltype(m), chat_message&>); }, all,
                                  pipeline{answering}, limits, per_byte{}));
    }
    SECTION("a sink that throws leaves the history to the caller") {
        CHECK_THROWS_AS(condense::reduce_into([](auto const&) { throw std::runtime_error{"full"}; }, history,
                                              pipeline{answering}, limits, per_byte{}),
                        std::runtime_error);
        CHECK(history == all);
    }
}

TEST_CASE("reduce: histories that only those may walk who may change them") {
    auto const all = with_dead_calls();
    walked_once history{all};
    static_assert(!committable<walked_once> && condense::detail::history<walked_once> &&
                  !condense::detail::history<walked_once const> && !committable<int>);
    auto const answers = pipeline{answering};
    auto const dry = answers.draft(history, limits, per_byte{});
    CHECK(dry.report().after.messages.count == all.size() + 3);
    auto const again = condense::dry_run(history, answers, limits, per_byte{});
    CHECK(again.report().after.tokens == dry.report().after.tokens);
    conversation out;
    auto const report = reduced_into([&](chat_message const& m) { out.push_back(m); }, history, answers);
    CHECK(out.size() == all.size() + 3);
    CHECK(report.after.tokens == dry.report().after.tokens);
    CHECK(walked<chat_message>(reduced(history, answers)) == out);
    CHECK(conversation(history.begin(), history.end()) == all);
}

TEST_CASE("reduce: random conversations grow and shrink to the same in any container") {
    std::size_t grown = 0;
    auto const answers = pipeline{answering, layer<condense::drops>([](auto& draft, auto& pass) {
                                      for (auto const which : draft.groups())
                                          if (which.id() % 19 == 3) pass.note(draft.drop(which));
                                  })};
    for (std::uint64_t seed = 1; seed <= rounds(300); ++seed) {
        auto const all = laws::conversation_generator{seed}.make();
        conversation vector = all;
        std::list<chat_message> list(all.begin(), all.end());
        refillable<chat_message> fresh;
        refillable<chat_message>::left = 100'000;
        for (auto const& m : all) fresh.push_back(m);
        conversation sunk;
        condense::budget const roomy{.window = {1'000'000}};
        auto const report = condense::reduce(vector, answers, roomy, per_byte{});
        static_cast<void>(condense::reduce(list, answers, roomy, per_byte{}));
        static_cast<void>(condense::reduce(fresh, answers, roomy, per_byte{}));
        static_cast<void>(
            condense::reduce_into([&](chat_message const& m) { sunk.push_back(m); }, all, answers, roomy, per_byte{}));
        INFO("seed " << seed);
        CHECK((listed(list) == vector && listed(fresh) == vector));
        CHECK(sunk == vector);
        CHECK(report.after.messages.count == vector.size());
        grown += vector.size() > all.size() ? 1u : 0u;
    }
    CHECK(grown > rounds(10) / 2);
}

TEST_CASE("a budget that leaves nothing for the input changes nothing and says so", "[law-8]") {
    for (condense::budget const impossible :
         {condense::budget{.window = {8'000}, .output = {16'000}},
          condense::budget{.window = {8'000}, .output = {8'000}}, condense::budget{}}) {
        conversation messages{U("task"), A("a"), U("b"), A("c")};
        auto const before = messages;
        auto const report = condense::reduce(
            messages, condense::pipeline{condense::sliding_window{}, condense::escalate{}}, impossible, per_byte{});
        CHECK(messages == before);
        CHECK((!report.fits() && report.outcome == condense::outcome::over));
        CHECK(report.refused == "condense: budget: the output must be below the window (see budget)");
        CHECK(report.text().starts_with(report.refused));
    }
}
