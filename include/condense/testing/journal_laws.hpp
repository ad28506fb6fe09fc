// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/store.hpp>
#include <condense/detail/calendar.hpp>
#include <condense/testing/store_laws.hpp>

// Checks a journal against the laws of journals:
// assert(condense::testing::check_journal_laws([] { return my_journal{}; }).empty()). Needs no test framework.

namespace condense {
inline namespace v1 {
namespace testing {

/// Ids of conversations that must not matter, of at most this size.
inline std::vector<std::string> hostile_conversations(std::size_t largest = store_law_options{}.largest) {
    std::vector<std::string> all{"c",
                                 "",
                                 "../../x",
                                 "/etc/passwd",
                                 ".",
                                 std::string("\0a", 2),
                                 std::string("\0b", 2),
                                 "\xF0\x9F\x98\x80",
                                 "\xFF\xFE",
                                 "a\nb",
                                 "%s%n; rm -rf *",
                                 std::string(1'000'000, 'i')};
    std::erase_if(all, [&](auto const& each) { return each.size() > largest; });
    return all;
}

namespace detail {

template <class Make, class Reopen>
class journal_check : violation_list {
    using journal_type = decltype(std::declval<Make&>()());
    static_assert(journal<journal_type>, "condense: check_journal_laws: make() must return a journal (see journal)");

public:
    journal_check(Make& make, Reopen& reopen, store_law_options const& options)
        : violation_list{options.most}, make_{make}, reopen_{reopen}, largest_{options.largest} {}

    std::vector<store_violation> run() {
        gives_back();
        notes();
        refuses();
        grows();
        threads();
        if constexpr (listable_journal<journal_type>) {
            lists();
            times();
        }
        if constexpr (searchable_journal<journal_type>) searches();
        return take();
    }

private:
    using lines = std::vector<std::pair<journal_entry, std::string>>;

    lines lines_of(journal_type const& from, std::string_view conversation) {
        lines all;
        expect_done(from.read(conversation, [&](journal_entry const& entry,
                                                std::string_view content) { all.emplace_back(entry, content); }),
                    "read");
        return all;
    }

    void expect_lines(journal_type const& from, std::string_view conversation, lines const& expected) {
        auto const all = lines_of(from, conversation);
        auto const what = "conversation \"" + printable(conversation) + "\" ";
        expect(all.size() == expected.size(),
               what + "has " + std::to_string(all.size()) + " lines, not " + std::to_string(expected.size()));
        auto const [line, other] = std::mismatch(all.begin(), all.end(), expected.begin(), expected.end());
        expect(line == all.end() || other == expected.end(),
               what + "gives back something else as line " + std::to_string(line - all.begin()));
    }

    static store_error append(journal_type const& to, std::string_view conversation, std::uint64_t number,
                              std::string_view content, std::uint64_t time = 0) {
        return to.append(conversation, {to.name(content), number, false, time}, content);
    }
    void add(journal_type const& to, std::string_view conversation, std::uint64_t number, std::string_view content,
             std::uint64_t time = 0) {
        expect_done(append(to, conversation, number, content, time), "append");
    }

    /// Every content in one conversation, every fifth in each of the others; flushed, and read by copies and other
    /// handles.
    void gives_back() {
        law("gives_back");
        auto const to = make_();
        auto const copy = to;
        auto const contents = hostile_contents(largest_);
        auto const ids = hostile_conversations(largest_);
        std::map<std::string, lines> expected;
        for (auto const& id : ids) {
            expect_lines(to, id, {});
            expect_done(to.flush(id), "flush of nothing");
        }
        for (std::size_t place = 0; place < contents.size(); ++place)
            for (std::size_t which = 0; which < ids.size(); ++which) {
                if (which > 0 && (place + which) % 5 != 0) continue;
                journal_entry const entry{to.name(contents[place]), place * 3, false};
                expect_done(to.append(ids[which], entry, contents[place]),
                            "append of " + label(place, contents[place]));
                expected[ids[which]].emplace_back(entry, contents[place]);
            }
        for (auto const& id : ids) {
            expect_lines(to, id, expected[id]);
            expect_done(to.flush(id), "flush");
            expect_lines(copy, id, expected[id]);
        }
        if constexpr (!std::same_as<Reopen, never>) {
            law("reopens");
            auto const again = reopen_();
            for (auto const& id : ids) expect_lines(again, id, expected[id]);
        }
    }

    void notes() {
        law("notes");
        auto const to = make_();
        constexpr auto most = ~std::uint64_t{0};
        lines const expected{{{to.name("a"), 0, false}, "a"},
                             {{to.name("another text"), most, true}, ""},
                             {{{}, 7, true}, ""},
                             {{to.name(""), most, false}, ""},
                             {{to.name("a"), 0, false}, "a"}};
        for (auto const& [entry, content] : expected) expect_done(to.append("c", entry, content), "append");
        expect_done(to.flush("c"), "flush");
        expect_lines(to, "c", expected);
    }

    void refuses() {
        law("refuses");
        auto const to = make_();
        expect(static_cast<bool>(to.append("c", {to.name("a"), 1, false}, "b")),
               "append under the name of another content is no error");
        expect(static_cast<bool>(to.append("c", {{}, 1, false}, "b")), "append without a name is no error");
        expect(static_cast<bool>(to.append("c", {to.name("b"), 1, true}, "b")),
               "append of a note with content is no error");
        expect_done(to.flush("c"), "flush");
        expect_lines(to, "c", {});
    }

    void grows() {
        law("grows");
        auto const to = make_();
        for (std::uint64_t number = 0; number < 3; ++number) add(to, "c", number, "a");
        std::size_t count = 0;
        expect_done(to.read("c",
                            [&](journal_entry const& entry, std::string_view) {
                                if (++count <= 3) add(to, "c", entry.number + 10, "b");
                            }),
                    "read");
        expect(count == 3, "read gives " + std::to_string(count) + " lines of 3 that were there when it began");
        expect(lines_of(to, "c").size() == 6, "lines that are appended during a read are lost");
    }

    /// Each thread's lines are whole, all there and in its order.
    void threads() {
        law("threads");
        auto const shared = make_();
        std::atomic<int> failures = 0;
        in_threads(8, [&, to = shared](std::size_t thread) {
            for (std::uint64_t line = 0; line < 100; ++line) {
                auto const content = thread_content(thread, line);
                if (append(to, "shared", thread * 1'000 + line, content)) ++failures;
                if (append(to, std::to_string(thread), line, content)) ++failures;
                if (line % 25 == 0 && (to.flush("shared") || to.read("shared", [](auto&&...) {}))) ++failures;
            }
        });
        expect(failures == 0, std::to_string(failures) + " calls in threads fail");
        std::map<std::uint64_t, std::uint64_t> next;
        for (auto const& [entry, content] : lines_of(shared, "shared")) {
            auto const thread = entry.number / 1'000;
            auto const line = next[thread]++;
            expect(
                entry.number % 1'000 == line && content == thread_content(thread, line),
                "line " + std::to_string(line) + " of thread " + std::to_string(thread) + " is not the one it wrote");
        }
        for (std::uint64_t thread = 0; thread < 8; ++thread)
            expect(next[thread] == 100 && lines_of(shared, std::to_string(thread)).size() == 100,
                   "lines of thread " + std::to_string(thread) + " are missing");
    }
    static std::string thread_content(std::uint64_t thread, std::uint64_t line) {
        return std::string(condense::detail::as_size(line * 7), static_cast<char>('a' + thread % 26));
    }

    std::vector<journal_conversation> listing(journal_type const& from) {
        std::vector<journal_conversation> all;
        expect_done(from.each_conversation([&](journal_conversation const& each) { all.push_back(each); }),
                    "each_conversation");
        return all;
    }

    void lists() {
        law("lists");
        auto const to = make_();
        expect(listing(to).empty(), "each_conversation gives something of an empty journal");
        auto const ids = hostile_conversations(largest_);
        auto time = condense::detail::calendar_seconds() - 1'000;  // appends of one second may be in any order
        auto const add_to = [&](std::string const& id) {
            add(to, id, 0, "a", ++time);
            expect_done(to.flush(id), "flush");
        };
        for (auto const& id : ids) add_to(id);
        add_to(ids.front());  // is the latest now
        auto const all = listing(to);
        expect(all.size() == ids.size(),
               std::to_string(all.size()) + " conversations are listed, not " + std::to_string(ids.size()));
        for (std::size_t place = 0; place < (std::min)(all.size(), ids.size()); ++place) {
            auto const what = "conversation " + std::to_string(place) + " of the list ";
            expect(all[place].id == ids[place == 0 ? 0 : ids.size() - place], what + "is not the next latest");
            expect(all[place].entries == (place == 0 ? 2 : 1), what + "has another number of entries");
            expect(all[place].time == 0 || is_present(all[place].time), what + "has a time that is none");
        }
    }

    void times() {
        law("times");
        auto const to = make_();
        add(to, "c", 0, "a");
        add(to, "c", 1, "a", 1'600'000'000);
        expect_done(to.flush("c"), "flush");
        auto const all = lines_of(to, "c");
        expect(all.size() == 2, std::to_string(all.size()) + " of 2 lines are read");
        if (all.size() != 2) return;
        expect(is_present(all[0].first.time), "the time of an entry is not set where it is 0");
        expect(all[1].first.time == 1'600'000'000, "the time that an entry was given is not kept");
    }

    /// What a search finds in one conversation, or in all if there is none.
    std::vector<journal_hit> hits(journal_type const& in, std::string_view words,
                                  std::optional<std::string_view> conversation, std::size_t most = 20) {
        std::vector<journal_hit> all;
        auto const collect = [&](journal_hit const& hit) { all.push_back(hit); };
        store_error problem;
        if constexpr (searches_all) problem = in.search(words, conversation, most, collect);
        else problem = in.search(words, conversation.value_or(""), most, collect);
        expect_done(problem, "search for \"" + printable(words) + "\"");
        expect(all.size() <= most, "search gives more than the most that was asked for");
        return all;
    }
    static constexpr bool searches_all = requires(journal_type const& in, condense::detail::hit_sink f) {
        in.search(std::string_view{}, std::nullopt, std::size_t{}, f);
    };

    void searches() {
        law("searches");
        auto const to = make_();
        expect(hits(to, "anything", "c").empty(), "search finds something in an empty journal");
        std::string const rare = "A rare word is Zyzzyva, a beetle.";
        add(to, "c", 3, rare);
        for (std::uint64_t number = 10; number < 15; ++number) add(to, "c", number, "one common text");
        add(to, "c", 20, "the best common text");
        add(to, "other", 0, "another text: \"quoted\" AND OR NOT NEAR ( * entry_words:a");
        expect_done(to.append("c", {{}, 30, true}, {}), "append");
        expect_done(to.flush("c"), "flush");
        expect_done(to.flush("other"), "flush");
        for (std::string_view const word : {"Zyzzyva", "zyzzyva", "ZYZZYVA"})
            for (std::optional<std::string_view> const where : {std::optional<std::string_view>{"c"}, {}}) {
                if (!where && !searches_all) continue;
                auto const all = hits(to, word, where);
                expect(all.size() == 1 && all[0].conversation == "c" && all[0].entry.number == 3 &&
                           all[0].entry.name == to.name(rare) && all[0].content == rare,
                       "not the one entry that holds a rare word is found " +
                           std::string{where ? "in its conversation" : "in all conversations"});
            }
        for (auto const* const conversation : {"other", "unknown"})
            expect(hits(to, "zyzzyva", conversation).empty(), "a word of another conversation is found");
        for (std::size_t const most : {0u, 1u, 4u, 6u, 20u})
            expect(hits(to, "common", "c", most).size() == std::min<std::size_t>(most, 6),
                   "not the most entries that hold a word are found");
        auto const best = hits(to, "best common", "c", 1);
        expect(!best.empty() && best[0].entry.number == 20, "the entry that holds all words is not found first");
        for (std::string_view const words : std::initializer_list<std::string_view>{"",
                                                                                    " ",
                                                                                    "\"",
                                                                                    "\"\"",
                                                                                    "\"quoted",
                                                                                    "quo\"ted",
                                                                                    "'; DROP TABLE entry; --",
                                                                                    "AND",
                                                                                    "OR NOT",
                                                                                    "NEAR(",
                                                                                    "(",
                                                                                    "*",
                                                                                    "text*",
                                                                                    "-text",
                                                                                    "^text",
                                                                                    "entry_words:a",
                                                                                    "[",
                                                                                    "(a+)+$",
                                                                                    "\\",
                                                                                    "%s%n",
                                                                                    "\xFF",
                                                                                    "\xE2\x82",
                                                                                    std::string_view{"\0", 1},
                                                                                    std::string_view{"te\0xt", 5}})
            expect_safe(to, words);
        std::string many;
        for (int word = 0; word < 1'000; ++word) many += "text ";
        expect_safe(to, many);
        for (char const byte : {'x', '"', '(', '\xFF'}) expect_safe(to, std::string(100 * 1'024, byte));
    }
    void expect_safe(journal_type const& in, std::string_view words) {
        static_cast<void>(hits(in, words, "c", 3));
        if constexpr (searches_all) static_cast<void>(hits(in, words, std::nullopt, 3));
    }

    Make& make_;
    Reopen& reopen_;
    std::size_t largest_;
};

}  // namespace detail

/// The violations; empty if all laws held. `make()` returns a new, empty journal. The laws of listable_journal and
/// searchable_journal are checked where the journal is one.
template <class Make>
    requires std::invocable<Make&>
std::vector<store_violation> check_journal_laws(Make&& make, store_law_options const& options = {}) {
    detail::never reopen;
    return detail::journal_check<std::remove_reference_t<Make>, detail::never>{make, reopen, options}.run();
}

/// The same for a durable journal: `reopen()` opens what the latest `make` has made once more, while that is still
/// open, as another process would.
template <class Make, class Reopen>
    requires std::invocable<Make&> && std::invocable<Reopen&>
std::vector<store_violation> check_journal_laws(Make&& make, Reopen&& reopen, store_law_options const& options = {}) {
    return detail::journal_check<std::remove_reference_t<Make>, std::remove_reference_t<Reopen>>{make, reopen, options}
        .run();
}

}  // namespace testing
}  // namespace v1
}  // namespace condense
