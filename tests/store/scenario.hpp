// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/testing/journal_laws.hpp>
#include <condense/testing/store_laws.hpp>

#include "store/kills.hpp"

// Checks of every store of artifacts and every journal, whatever it keeps them in. An object of `Place` is a new place
// for one: open() gives a handle of it, and files() the names of its files, where it has some.

namespace store_tests {

/// Files in a folder of their own; names() of a folder that is not there is empty.
struct files_below {
    scratch::folder root{scratch::memory()};
    std::string const path = root / "a/b";
    strings files() const { return scratch::names_in(path); }
    void remove() const { fs::remove_all(root / "a"); }
};

template <class Place>
void check_laws_of_store() {
    std::list<Place> places;
    auto const reopen = [&](auto hash) { return places.back().open(hash); };
    auto const make = [&](auto hash) { return places.emplace_back().open(hash); };
    CHECK(text_of(condense::testing::check_store_laws(make, reopen)) == "");
}
template <class Place>
void check_laws_of_journal() {
    std::list<Place> places;
    auto const reopen = [&] { return places.back().open(); };
    auto const make = [&] { return places.emplace_back().open(); };
    CHECK(text_of(condense::testing::check_journal_laws(make, reopen)) == "");
}

/// Whatever the umask, and reading makes none of them.
void check_files_of_the_owner_alone(auto const& place, auto const& read, auto const& write) {
    auto const before = ::umask(0);
    read();
    CHECK(scratch::names_in(place.root / "").empty());
    write();
    ::umask(before);
    for (auto const* const folder : {"a", "a/b"}) CHECK(scratch::mode_of(place.root / folder) == 0700);
    CHECK_FALSE(place.files().empty());
    for (auto const& name : place.files()) CHECK(scratch::mode_of(place.path + "/" + name) == 0600);
}

/// Six processes put the same and different content at once, and none loses anything.
template <class Place>
void check_processes_put() {
    constexpr condense::testing::law_hash hash{2};
    Place const own, same;
    auto const content = [](std::uint64_t writer, std::uint64_t entry) { return std::to_string(writer % 3 * entry); };
    std::uint64_t first = 0;
    for (auto const &said : processes::at_once(6, [&](std::uint64_t writer, auto const& say) {
             say(own.open(hash).put(hash("", 0), std::to_string(writer)) ? 0u : 1u);
             auto const store = same.open();
             for (std::uint64_t entry = 0; entry < 20; ++entry) say(put(store, content(writer, entry)).empty());
         })) {
        REQUIRE(said.size() == 21);
        first += said[0];
        CHECK(std::vector(said.begin() + 1, said.end()) == std::vector<std::uint64_t>(20, 1));
    }
    CHECK(first == 1);  // of those whose name is the same
    auto const count = [](auto const& store) {
        std::size_t all = 0;
        CHECK_FALSE(store.each([&](auto&&...) { ++all; }));
        return all;
    };
    CHECK(count(own.open(hash)) == 1);
    std::map<std::string, int> contents;
    for (std::uint64_t writer = 0; writer < 3; ++writer)
        for (std::uint64_t entry = 0; entry < 20; ++entry) ++contents[content(writer, entry)];
    for (auto const& [each, times] : contents) CHECK(holds(same.open(), each));
    CHECK(count(same.open()) == contents.size());
}

/// The scenario of a store that outlives its process.
template <class Place>
void check_durable_store() {
    using store_type = decltype(std::declval<Place const&>().open());
    static_assert(condense::listable_store<store_type> && condense::erasable_store<store_type>);
    static_assert(condense::traceable_store<store_type> && store_type::durable);
    SECTION("the laws of stores") { check_laws_of_store<Place>(); }
    SECTION("several processes put at once") { check_processes_put<Place>(); }
    SECTION("a writer that is killed loses nothing it was told is kept") { store_outlives_killed_writers<Place>(); }
    SECTION("content that was changed is not given back and not taken for the content") {
        Place const place;
        auto const store = place.open();
        auto const name = store.name("two");
        REQUIRE(put(store, "two").empty());
        place.change(name, "twa");
        CHECK_FALSE(store.get(name));
        CHECK(reason(store.put(name, "two")) == other_content);
        CHECK(store.name("two") != name);
        CHECK(put(store, "two").empty());
        CHECK(store.get(store.name("two")) == "two");
    }
    SECTION("takes what offload takes out of a conversation") {
        using namespace condense::literals;
        using condense::chat_message;
        Place const place;
        auto const store = place.open();
        std::string const log(30'000, '.');
        std::vector<chat_message> history{chat_message::user("Read it."), chat_message::call("1", "read", "{}"),
                                          chat_message::result("1", log)};
        condense::pipeline const mix{condense::offload{.over = 10'000_chars, .into = store}};
        static_assert(condense::durable<decltype(mix)>);
        CHECK(condense::reduce(history, mix, {.window = 100'000_tokens}).layers[0].artifacts == 1);
        CHECK(holds(store, log));
        auto const source = store.source(store.name(log), "");
        REQUIRE(source);
        CHECK(source->tool == "read");
    }
    if constexpr (requires(Place const& place) { place.files(); }) {
        Place const place;
        auto const store = place.open();
        SECTION("files are for their owner alone") {
            check_files_of_the_owner_alone(
                place,
                [&] {
                    CHECK_FALSE(store.get(store.name("text")));
                    CHECK_FALSE(store.erase(store.name("text")));
                    CHECK_FALSE(store.each([](auto&&...) {}));
                },
                [&] { CHECK(put(store, "text").empty()); });
        }
        SECTION("what was removed is made again") {
            CHECK(put(store, "one").empty());
            place.remove();
            CHECK_FALSE(holds(store, "one"));
            CHECK(put(store, "two").empty());
            CHECK(holds(place.open(), "two"));
        }
        SECTION("a limit of file sizes is an error that leaves nothing behind") {
            std::string const large(300'000, 'x');
            REQUIRE(put(store, "small").empty());
            auto const before = place.files();
            {
                processes::file_size_limit const limit{100'000};
                CHECK(put(store, large).starts_with(Place::too_large));
                CHECK(place.files() == before);
                CHECK(put(store, "other").empty());
            }
            CHECK_FALSE(holds(store, large));
            CHECK(holds(store, "small"));
            CHECK(put(store, large).empty());
            CHECK(holds(place.open(), large));
        }
        SECTION("too many open files are an error that passes") {
            CHECK(processes::with_few_files([&] { return put(store, "one"); }).ends_with(too_many_files));
            CHECK(put(store, "one").empty());
            CHECK(holds(place.open(), "one"));
        }
    }
}

/// Contents of the entries that are messages.
inline strings originals_in(condense::journal auto const& from) {
    strings contents;
    for (auto const& [entry, content] : lines_of(from, ""))
        if (!entry.is_derived) contents.push_back(content);
    return contents;
}

/// The scenario of a journal that outlives its process. `Appends`: append writes, else the next flush does.
template <class Place, bool Appends>
void check_durable_journal() {
    using journal_type = decltype(std::declval<Place const&>().open());
    static_assert(condense::listable_journal<journal_type> && journal_type::durable);
    SECTION("the laws of journals") { check_laws_of_journal<Place>(); }
    SECTION("a writer that is killed loses nothing it was told is kept") { journal_outlives_killed_writers<Place>(); }
    Place const place;
    auto const to = place.open();
    SECTION("several processes append at once, also through a handle from before the fork") {
        constexpr std::uint64_t each = 300;
        REQUIRE(add(to, "c", 99'999, "a").empty());
        CHECK_FALSE(to.flush("c"));
        for (auto const &said : processes::at_once(6, [&](std::uint64_t writer, auto const& say) {
                 auto const own = writer >= 3 ? place.open() : to;
                 for (std::uint64_t line = 0; line < each; ++line)
                     if (!add(own, "c", writer * 1'000 + line, numbered(line, 50)).empty() ||
                         (line % 50 == 0 && own.flush("c")))
                         say(line);
                 if (own.flush("c")) say(each);
             }))
            CHECK(said.empty());
        std::vector<std::uint64_t> next(6);
        for (auto const& [entry, content] : lines_of(place.open(), "c")) {
            if (entry.number == 99'999) continue;
            auto const line = next.at(entry.number / 1'000)++;
            CHECK((entry.number % 1'000 == line && content == numbered(line, 50)));
        }
        CHECK(next == std::vector(6, each));
    }
    if constexpr (requires { place.files(); }) {
        SECTION("files are for their owner alone") {
            check_files_of_the_owner_alone(
                place,
                [&] {
                    CHECK(lines_of(to, "c").empty());
                    CHECK(conversations_in(to).empty());
                    CHECK_FALSE(to.flush("c"));
                },
                [&] {
                    for (auto const& id : condense::testing::hostile_conversations())
                        CHECK(add(to, id, 1, "a").empty());
                    for (auto const& id : condense::testing::hostile_conversations()) CHECK_FALSE(to.flush(id));
                });
        }
        SECTION("too many open files are an error that passes") {
            if (Appends) REQUIRE(add(to, "c", 0, "a").empty());  // whose file stays open
            auto const problems = processes::with_few_files(
                [&] { return strings{add(to, "c", 1, "a"), add(to, "other", 0, "a"), reason(to.flush("other"))}; });
            CHECK(problems[0].empty());
            CHECK(problems[Appends ? 1 : 2].ends_with(too_many_files));
            if (Appends) CHECK(add(to, "other", 0, "a").empty());
            for (auto const* const id : {"c", "other"}) CHECK_FALSE(to.flush(id));
            CHECK(lines_of(place.open(), "c").size() == (Appends ? 2 : 1));
            CHECK(lines_of(place.open(), "other").size() == 1);
        }
        SECTION("a session whose journal was moved or removed records everything anew, and says so once") {
            condense::session session{
                std::vector<condense::chat_message>{},
                condense::pipeline{condense::record{.to = to},
                                   condense::sliding_window{.when = condense::used > condense::messages{4}}},
                condense::budget{.window = {100'000}}};
            strings all;
            auto const talk = [&](int from, int to_end) {
                for (auto number = from; number < to_end; ++number)
                    for (auto const& m : {condense::chat_message::user("message " + std::to_string(number)),
                                          condense::chat_message::assistant("answer " + std::to_string(number))}) {
                        session.push(m);
                        all.push_back(condense::to_bytes(m));
                    }
            };
            talk(0, 3);
            static_cast<void>(session.prepare());
            bool const moved = GENERATE(false, true);
            for (auto const& name : place.files())
                if (moved) fs::rename(place.path + "/" + name, place.root / ("moved " + name));
                else fs::remove(place.path + "/" + name);
            talk(3, 6);
            for (int tries = 0; tries < 3; ++tries) static_cast<void>(session.run());
            CHECK(session.statistics().layers[0].failures == 1);
            CHECK(session.release({session.outline().size()}) > 0);
            CHECK(originals_in(place.open()) == all);
        }
    }
}

}  // namespace store_tests
