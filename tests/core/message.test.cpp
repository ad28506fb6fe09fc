// SPDX-License-Identifier: BSL-1.0
#include <condense/core/message.hpp>

#include <memory>

#include "support/catch.hpp"

namespace {

using condense::composable, condense::message, condense::part_kind, condense::part_view, condense::role;
using condense::shortenable, condense::detail::markable, condense::detail::part_removable;

/// "user text: hello"
template <message Message>
std::string spelt(Message const& m) {
    std::string out{name(condense::role_of(m))};
    condense::each_part(
        m, [&](part_view const& part) { out.append(" ").append(name(part.kind)).append(": ").append(part.text); });
    return out;
}

// The one-line adapter

struct with_strings {
    std::string who;
    std::string what;
};
struct with_roles {
    role who = role::other;
    std::string what;
};
struct with_functions {
    explicit with_functions(std::string text) : what_{std::move(text)} {}
    std::string_view who() const { return "assistant"; }
    std::string const& what() const { return what_; }

private:
    std::string what_;
};
struct move_only {
    role who = role::user;
    std::string what;
    std::unique_ptr<int> held;
};
struct immutable {
    std::string const who;
    std::string const what;
};
struct unadapted {};

/// Finds the role as a callable on the message.
constexpr auto always_user = [](auto const&) { return role::user; };
struct silent {
    std::string what;
};
struct wrapped {
    std::string words;
};
constexpr auto words_of = [](wrapped const& m) { return std::string_view{m.words}; };

}  // namespace

template <>
struct condense::message_traits<with_strings> : condense::role_and_text<&with_strings::who, &with_strings::what> {};
template <>
struct condense::message_traits<with_roles> : condense::role_and_text<&with_roles::who, &with_roles::what> {};
template <>
struct condense::message_traits<with_functions> : condense::role_and_text<&with_functions::who, &with_functions::what> {
};
template <>
struct condense::message_traits<move_only> : condense::role_and_text<&move_only::who, &move_only::what> {};
template <>
struct condense::message_traits<immutable> : condense::role_and_text<&immutable::who, &immutable::what> {};
template <>
struct condense::message_traits<silent> : condense::role_and_text<always_user, &silent::what> {};
template <>
struct condense::message_traits<wrapped> : condense::role_and_text<always_user, words_of> {};

namespace {

static_assert(message<with_strings> && shortenable<with_strings> && composable<with_strings>);
static_assert(message<with_roles> && shortenable<with_roles> && composable<with_roles>);
static_assert(message<with_functions> && !shortenable<with_functions> && !composable<with_functions>);
static_assert(message<move_only> && !shortenable<move_only> && composable<move_only>);
static_assert(message<immutable> && !shortenable<immutable> && !composable<immutable>);
static_assert(message<silent> && shortenable<silent> && !composable<silent>);
static_assert(message<wrapped> && !shortenable<wrapped> && !composable<wrapped>);
static_assert(!message<unadapted> && !message<int> && !message<std::vector<with_roles>> && !message<with_roles*>);
static_assert(!part_removable<with_roles> && !markable<with_roles>);

}  // namespace

TEST_CASE("message: role and text are read through members and callables") {
    CHECK(spelt(wrapped{"hello"}) == "user text: hello");
    CHECK(spelt(with_strings{"developer", "be nice"}) == "system text: be nice");
    CHECK(spelt(with_roles{role::user, "hello"}) == "user text: hello");
    CHECK(spelt(with_functions{"hello"}) == "assistant text: hello");
    CHECK((spelt(immutable{"user", "hello"}) == "user text: hello" && spelt(silent{"hello"}) == "user text: hello"));
    CHECK(spelt(move_only{role::user, "hello", std::make_unique<int>(1)}) == "user text: hello");
}

TEST_CASE("message: a tool's text is a result, no text is no part, and both are written where they can be") {
    CHECK(spelt(with_strings{"tool", "output"}) == "tool tool result: output");
    CHECK(spelt(with_strings{"assistant", ""}) == "assistant");
    CHECK(spelt(condense::with_part(with_strings{"tool", "output"}, 0, "out")) == "tool tool result: out");
    CHECK(spelt(condense::detail::make_fn::make<with_strings>(role::user, "so far")) == "user text: so far");
    CHECK(spelt(condense::detail::make_fn::make<with_roles>(role::assistant, "so far")) == "assistant text: so far");
    CHECK(spelt(condense::detail::make_fn::make<move_only>(role::user, "so far")) == "user text: so far");
}

namespace {

/// Everything that the traits may say, nested in the type.
struct rich {
    std::string text;
    std::string kept_mark;
    bool pin = false;

    struct condense_traits {
        static constexpr role role_of(rich const&) { return role::user; }
        static void each_part(rich const& m, auto&& sink) {
            sink(part_view{.text = m.text});
            sink(part_view{.kind = part_kind::media});
        }
        static rich with_part(rich const& m, std::size_t index, std::string text) {
            auto shorter = m;
            if (index == 0) shorter.text = std::move(text);
            return shorter;
        }
        static rich without_part(rich const& m, std::size_t) { return m; }
        static rich make(role, std::string text) { return {std::move(text), {}}; }
        static std::string name_of(rich const&) { return "rich"; }
        static bool pinned(rich const& m) { return m.pin; }
        static bool joins_previous(rich const& m) { return m.text == "joins"; }
        static std::string mark_of(rich const& m) { return m.kept_mark; }
        static void set_mark(rich& m, std::string_view mark) { m.kept_mark = mark; }
    };
};
static_assert(message<rich> && shortenable<rich> && composable<rich> && part_removable<rich> && markable<rich>);

/// Traits of a message of the user without parts.
template <class Message>
struct empty_traits {
    static constexpr role role_of(Message const&) { return role::user; }
    static constexpr void each_part(Message const&, auto&&) {}
};

/// A specialisation goes before what is nested.
struct both {
    using condense_traits = empty_traits<both>;
};

struct loses_parts {
    struct condense_traits {
        static constexpr role role_of(loses_parts const&) { return role::user; }
    };
};
struct wrong_role {
    struct condense_traits {
        static constexpr int role_of(wrong_role const&) { return 1; }
        static constexpr void each_part(wrong_role const&, auto&&) {}
    };
};
struct wrong_copy {
    struct condense_traits : empty_traits<wrong_copy> {
        static void with_part(wrong_copy const&, std::size_t, std::string);
        static std::string make(role, std::string);
    };
};

/// Says how it is changed in place.
struct in_place {
    std::string first;
    std::string second;

    struct condense_traits {
        static constexpr role role_of(in_place const&) { return role::user; }
        static constexpr void each_part(in_place const& m, auto&& sink) {
            sink(part_view{.text = m.first});
            sink(part_view{.text = m.second});
        }
        static constexpr void with_part(in_place& m, std::size_t index, std::string text) {
            (index == 0 ? m.first : m.second) = std::move(text);
        }
        static constexpr void without_part(in_place& m, std::size_t index) {
            (index == 0 ? m.first : m.second).clear();
        }
        static constexpr std::string to_bytes(in_place const& m) { return m.first + '|' + m.second; }
        static constexpr bool from_bytes(in_place& m, std::string_view bytes) {
            auto const bar = bytes.find('|');
            m.first = bytes.substr(0, bar);
            if (bar == std::string_view::npos) return false;
            m.second = bytes.substr(bar + 1);
            return true;
        }
    };
};
static_assert(shortenable<in_place> && part_removable<in_place> && condense::storable<in_place>);

/// In place needs a copy to change.
struct in_place_alone {
    std::unique_ptr<int> owned;

    struct condense_traits : empty_traits<in_place_alone> {
        static void with_part(in_place_alone&, std::size_t, std::string);
        static std::string to_bytes(in_place_alone const&);
        static void from_bytes(in_place_alone&, std::string_view);
    };
};
static_assert(message<in_place_alone> && !shortenable<in_place_alone> && !condense::storable<in_place_alone>);

static_assert(!message<loses_parts> && !message<wrong_role>);
static_assert(message<wrong_copy> && !shortenable<wrong_copy> && !composable<wrong_copy>);

}  // namespace

template <>
struct condense::message_traits<both> : empty_traits<both> {
    static constexpr role role_of(both const&) { return role::tool; }
};

TEST_CASE("message: a specialisation goes before nested traits") { CHECK(condense::role_of(both{}) == role::tool); }

TEST_CASE("message: traits that change in place are given a copy") {
    in_place const m{"one", "two"};
    auto const shorter = condense::with_part(m, 1, "2");
    CHECK((shorter.first == "one" && shorter.second == "2"));
    auto const thinner = condense::without_part(m, 0);
    CHECK((thinner.first.empty() && thinner.second == "two"));
    CHECK(condense::to_bytes(m) == "one|two");

    auto const read = condense::from_bytes<in_place>("one|two");
    REQUIRE(read);
    CHECK(read->second == "two");
    CHECK_FALSE(condense::from_bytes<in_place>("one"));
}

TEST_CASE("message: what the traits may say beside role and parts") {
    rich m{"text", "short.0", true};
    CHECK(spelt(m) == "user text: text media: ");
    CHECK(condense::is_pinned(m));
    CHECK(condense::name_of(m) == "rich");
    CHECK(condense::mark_of(m) == "short.0");
    CHECK((!condense::joins_previous(m) && condense::joins_previous(rich{"joins", {}})));
    condense::set_mark(m, "summary");
    CHECK(m.kept_mark == "summary");
}

TEST_CASE("message: what the traits do not say") {
    with_roles const m{role::user, "text"};
    CHECK_FALSE(condense::is_pinned(m));
    CHECK_FALSE(condense::joins_previous(m));
    CHECK(condense::name_of(m).empty());
    CHECK(condense::mark_of(m).empty());
}
