// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/journal_index.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "laws/generator.hpp"
#include "support/catch.hpp"
#include "support/tape.hpp"

namespace {

using condense::detail::journal_index;
constexpr auto none = journal_index::none;
using list = std::vector<std::uint64_t>;

condense::reference name(std::string_view text) { return tapes::tape{}.name(text); }

void came(journal_index& held, std::string_view text, std::uint64_t number) { held.add({name(text), number, false}); }
void made(journal_index& held, std::string_view text, std::uint64_t number) { held.add({name(text), number, true}); }

list find(journal_index& held, std::vector<std::string> const& history) {
    list out;
    for (auto const& text : history) out.push_back(held.find(name(text)));
    return out;
}

}  // namespace

TEST_CASE("journal_index: an empty journal knows nothing") {
    journal_index held;
    CHECK(held.next() == 0);
    CHECK(held.numbers().empty());
    CHECK_FALSE(held.holds(name("a"), 0));
    CHECK(held.find(name("a")) == none);
    CHECK(held.find({}) == none);
    CHECK_FALSE(held.has_derived(name("a"), 0));
}

TEST_CASE("journal_index: each message is found after the one before it") {
    journal_index held;
    for (std::uint64_t number = 0; number < 6; ++number) came(held, number % 2 == 0 ? "ok" : "go", number);
    CHECK(held.next() == 6);
    SECTION("a whole history") {
        CHECK(find(held, {"ok", "go", "ok", "go", "ok", "go"}) == list{0, 1, 2, 3, 4, 5});
        CHECK(held.find(name("ok")) == none);
        CHECK(held.find(name("go")) == none);
    }
    SECTION("one with gaps") { CHECK(find(held, {"go", "go", "ok", "ok"}) == list{1, 3, 4, none}); }
    SECTION("unknown ones between") {
        CHECK(find(held, {"ok", "new", "ok", "new", "go"}) == list{0, none, 2, none, 3});
    }
}

TEST_CASE("journal_index: what was made of a message stands for it") {
    journal_index held;
    came(held, "u", 0);
    came(held, "long", 1);
    came(held, "v", 2);
    came(held, "long", 3);
    came(held, "w", 4);
    SECTION("in the place of each") {
        made(held, "short", 1);
        made(held, "short", 3);
        CHECK(held.holds(name("long"), 3));
        CHECK(held.holds(name("short"), 3));
        CHECK_FALSE(held.holds(name("short"), 2));
        CHECK(held.numbers() == list{0, 1, 2, 3, 4});
        CHECK(find(held, {"u", "short", "v", "short", "w"}) == list{0, 1, 2, 3, 4});
        CHECK(held.find(name("short")) == none);
    }
    SECTION("noted in any order") {
        made(held, "short", 3);
        made(held, "short", 1);
        CHECK(held.holds(name("long"), 3));
        CHECK(held.holds(name("short"), 3));
        CHECK_FALSE(held.holds(name("short"), 2));
        CHECK(held.numbers() == list{0, 1, 2, 3, 4});
        CHECK(find(held, {"u", "short", "v", "short", "w"}) == list{0, 1, 2, 3, 4});
    }
    SECTION("beside it, once") {
        made(held, "answer", 1);
        CHECK(find(held, {"u", "long", "answer", "v", "answer"}) == list{0, 1, 1, 2, none});
    }
    SECTION("beside it, as often as it was noted") {
        made(held, "answer", 1);
        made(held, "answer", 1);
        made(held, "answer", 3);
        CHECK(find(held, {"u", "long", "answer", "answer", "v", "long", "answer", "w"}) ==
              list{0, 1, 1, 1, 2, 3, 3, 4});
    }
    SECTION("but not for a later message that is the same") {
        made(held, "short", 1);
        CHECK(find(held, {"u", "short", "v", "short", "w"}) == list{0, 1, 2, none, 4});
    }
    SECTION("also where it is the same as a later message") {
        made(held, "w", 1);
        CHECK(find(held, {"u", "w", "v", "w"}) == list{0, 1, 2, 4});
    }
    made(held, "known", 4);
    CHECK(held.next() == 5);
    CHECK(held.has_derived(name("known"), 4));
    CHECK_FALSE(held.has_derived(name("known"), 3));
    CHECK_FALSE(held.has_derived(name("w"), 4));
}

TEST_CASE("journal_index: numbers have gaps and repeat, and may be the largest there are") {
    journal_index held;
    came(held, "a", 7);
    came(held, "b", 3);
    CHECK(held.next() == 8);
    CHECK(find(held, {"b", "a"}) == list{3, 7});
    journal_index far;
    came(far, "a", none - 2);
    CHECK(far.next() == none - 1);
    CHECK(far.find(name("a")) == none - 2);
    CHECK(far.find(name("a")) == none);
    came(held, "c", none);
    made(held, "d", none);
    CHECK(held.next() == 8);
    CHECK(find(held, {"c", "d"}) == list{none, none});
}

TEST_CASE("journal_index: any subsequence of what it holds is found whole, and nothing else in it") {
    std::size_t longest = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        laws::random_source random{seed};
        journal_index held;
        std::vector<std::string> all;
        std::vector<std::string> reduced;
        auto const size = random.below(200);
        auto const kinds = 1 + random.below(60);
        for (std::uint64_t number = 0; number < size; ++number) {
            all.push_back(std::to_string(random.below(kinds)));
            came(held, all.back(), number);
            if (random.chance(20)) {
                reduced.push_back("made of " + all.back());
                made(held, reduced.back(), number);
            } else if (random.chance(60)) reduced.push_back(all.back());
        }
        reduced.push_back("new");
        auto const found = find(held, reduced);
        INFO("seed " << seed);
        CHECK(found.back() == none);
        bool known = true;
        for (std::size_t index = 0; index + 1 < found.size(); ++index)
            known = known && found[index] != none && (index == 0 || found[index - 1] < found[index]);
        CHECK(known);
        longest = reduced.size() > longest ? reduced.size() : longest;
    }
    CHECK(longest > 100);
}

TEST_CASE("journal_index: a line without a name is nobody's") {
    journal_index held;
    for (std::uint64_t number = 0; number < 10; ++number) held.add({{}, number, number % 2 == 0});
    CHECK(held.next() == 10);
    CHECK(held.find({}) == none);
    for (int text = 0; text < 200; ++text) CHECK(held.find(name(std::to_string(text))) == none);
    CHECK_FALSE(held.has_derived({}, 0));
}

TEST_CASE("journal_index: names that differ in their last byte only are different") {
    journal_index held;
    std::vector<condense::reference> names;
    for (int byte = 0; byte < 256; ++byte) {
        condense::reference next;
        next.digest.fill(1);
        next.digest.back() = static_cast<std::uint8_t>(byte);
        names.push_back(next);
        held.add({next, static_cast<std::uint64_t>(byte), false});
    }
    for (std::size_t byte = 0; byte < 256; ++byte) CHECK(held.find(names[byte]) == byte);
}
