// SPDX-License-Identifier: BSL-1.0
#include <condense/core/reduce.hpp>

#include <deque>
#include <list>
#include <span>

#include "core/toy.hpp"
#include "support/catch.hpp"
#include "support/messages.hpp"

// Histories of message types that agree on little, in containers of several kinds.

namespace {

using namespace notation;
using condense::committable, condense::pipeline, forms::handle, forms::json, forms::line, forms::lookout, forms::note;
using forms::post, forms::shelf, forms::unnumbered, toy::layer;

// What can be changed in place

static_assert(committable<std::vector<line>> && committable<std::deque<line>> && committable<std::list<line>>);
static_assert(committable<std::vector<handle>> && committable<std::deque<handle>> && committable<std::list<handle>>);
static_assert(committable<std::vector<unnumbered>> && committable<std::vector<post>> && committable<std::deque<post>>);
static_assert(committable<json::array_t> && committable<std::list<json>>);

// Without assignment there is no erase; the messages are pushed into a new one.
static_assert(!condense::detail::erasable<std::vector<note>> && committable<std::vector<note>>);
static_assert(committable<std::deque<note>> && committable<std::list<note>>);
static_assert(committable<shelf<note>> && committable<shelf<line>> && committable<shelf<post>>);

// What can only be moved would be lost where the new one cannot be filled.
static_assert(!committable<shelf<handle>>);

static_assert(!committable<std::vector<line> const> && !committable<shelf<note> const> &&
              !committable<json::array_t const>);
static_assert(!committable<lookout<std::list<handle>>> && !committable<std::forward_list<line>>);
static_assert(!committable<std::span<line>> && !committable<line[3]>);

// They can be read all the same.
static_assert(condense::detail::history<std::vector<handle> const> && condense::detail::history<shelf<note> const>);
static_assert(condense::detail::history<lookout<shelf<note>>> &&
              !condense::detail::history<lookout<shelf<note>> const>);
static_assert(condense::detail::history<std::forward_list<line> const> &&
              condense::detail::history<std::span<line const>>);

conversation const original{S("rules"),          U("task"),           C("1", "read"), R("1", letters(100, 'r')),
                            A(letters(50, 'a')), U(letters(60, 'u')), A("well"),      U("latest")};

template <class History>
using message_of = std::remove_cvref_t<decltype(*std::declval<History&>().begin())>;

template <class History>
History held() {
    return forms::all_from_chat<History>(forms::arranged<message_of<History>>(original));
}

constexpr condense::budget limits{.window = {1'000}};
constexpr auto edits = condense::drops | condense::shortens | condense::summarizes;

/// Shortens the result, drops the long answer, puts a summary in place of the two messages after it.
auto const mix = pipeline{layer<edits>([](auto& draft, auto& pass) {
    if (!draft.edits().steps().empty()) return;
    condense::part_ref result;
    std::vector<condense::group> goes;
    std::vector<condense::group> told;
    for (auto const which : draft.groups())
        draft.each_part(which, [&](condense::part_ref part, condense::part_view const& seen) {
            if (seen.kind == condense::part_kind::tool_result) result = part;
            if (seen.text.starts_with("aa")) goes.push_back(which);
            if (seen.text.starts_with("uu") || seen.text == "well") told.push_back(which);
        });
    pass.note(draft.shorten(result, "short"));
    for (auto const which : goes) pass.note(draft.drop(which));
    pass.note(draft.summarize(told, "sum"));
})};
auto const idle = pipeline{layer<condense::no_effects>([](auto&, auto&) {})};

std::string spelt(conversation const& all) {
    std::string out;
    for (auto const& m : all)
        for (auto const& part : m.parts) out.append(part.text).append(" ");
    return out;
}

std::string const wanted = "rules task {} short sum latest ";

TEMPLATE_TEST_CASE("reduce: every message type, in containers of several kinds", "", std::deque<line>,
                   std::vector<handle>, std::list<note>, shelf<note>, std::vector<unnumbered>, shelf<post>,
                   json::array_t) {
    auto history = held<TestType>();
    auto const before = forms::all_to_chat(history);
    std::vector<void const*> places;
    for (auto const& m : history) places.push_back(&m);

    // Nothing to do: the messages stay where they are.
    static_cast<void>(condense::reduce(history, idle, limits, per_byte{}));
    std::size_t index = 0;
    for (auto const& m : history) CHECK(&m == places[index++]);
    CHECK(forms::all_to_chat(history) == before);

    // What cannot be changed is walked.
    auto const walk = [](auto const& reduced) {
        std::string out;
        reduced.each([&](message_of<TestType> const& m) { out += spelt(conversation{forms::to_chat(m)}); });
        return out;
    };
    CHECK(walk(condense::reduce(std::as_const(history), mix, limits, per_byte{})) == wanted);
    lookout<TestType> through{history};
    CHECK(walk(condense::reduce(through, mix, limits, per_byte{})) == wanted);
    CHECK(walk(mix.draft(history, limits, per_byte{})) == wanted);
    CHECK(forms::all_to_chat(history) == before);

    auto const report = condense::reduce(history, mix, limits, per_byte{});
    CHECK(spelt(forms::all_to_chat(history)) == wanted);
    CHECK(report.after.messages.count == forms::all_to_chat(history).size());
}

void const* identity(handle const& m) { return m.identity(); }
void const* identity(note const& m) { return m.operator->(); }

TEMPLATE_TEST_CASE("reduce: handles that no layer touched are the same handles", "", std::vector<handle>,
                   std::list<note>, shelf<note>) {
    auto history = held<TestType>();
    auto const before = forms::all_to_chat(history);
    std::vector<void const*> known;
    for (auto const& m : history) known.push_back(identity(m));
    static_cast<void>(condense::reduce(history, mix, limits, per_byte{}));
    std::size_t kept = 0;
    for (auto const& m : history) {
        auto const chat = forms::to_chat(m);
        if (chat.name.empty()) continue;
        auto const index = static_cast<std::size_t>(std::stoul(chat.name.substr(1)));
        CHECK((identity(m) == known[index]) == (chat == before[index]));
        kept += identity(m) == known[index] ? 1u : 0u;
    }
    CHECK(kept == (std::is_same_v<message_of<TestType>, handle> ? 3u : 4u));  // a handle holds the call as well
}

TEST_CASE("reduce: a message without default constructor is made and changed") {
    auto history = held<std::vector<post>>();
    static_cast<void>(condense::reduce(history, mix, limits, per_byte{}));
    REQUIRE(history.size() == 6);
    CHECK(std::get<post::words>(history[4].parts.at(0)).text == "sum");
    CHECK((history[4].label.empty() && history[4].speaker == condense::role::user));
    CHECK(std::get<post::result>(history[3].parts.at(0)).output == "short");
    CHECK(std::get<post::result>(history[3].parts.at(0)).id == "1");
}

}  // namespace
