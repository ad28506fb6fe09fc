// SPDX-License-Identifier: BSL-1.0
#include <condense/recovery/original.hpp>

#include <random>

#include <condense/store/file.hpp>
#include <condense/store/sqlite_journal.hpp>
#include <condense/store/sqlite_store.hpp>

#if __has_include(<hiredis/hiredis.h>)
#include <condense/store/redis_store.hpp>

#include "store/redis_server.hpp"
#endif
#include "recovery/desk.hpp"
#include "support/effort.hpp"

// Whatever is taken out of a conversation, and whatever fails meanwhile, all of it can be had back.

namespace {

using namespace vocabulary;
using condense::artifact_folder, condense::each_original, condense::journal_entry, condense::journal_folder;
using condense::reference, condense::store_error;

/// When calls fail; copies share it.
struct weather {
    std::mt19937_64 random;
    unsigned percent = 0;
    std::uint64_t failures = 0;

    bool fails() {
        bool const now = random() % 100 < percent;
        failures += now ? 1 : 0;
        return now;
    }
};

template <class Journal>
struct flaky_journal {
    Journal to;
    std::shared_ptr<weather> sky;
    reference name(std::string_view content) const { return to.name(content); }
    store_error append(std::string_view conversation, journal_entry const& entry, std::string_view content) const {
        if (!sky->fails()) return to.append(conversation, entry, content);
        // It may have been written all the same.
        if (sky->random() % 2 == 0) static_cast<void>(static_cast<bool>(to.append(conversation, entry, content)));
        return {"the journal fails"};
    }
    store_error flush(std::string_view conversation) const {
        return sky->fails() ? store_error{"the flush fails"} : to.flush(conversation);
    }
    store_error read(std::string_view conversation, auto&& f) const { return to.read(conversation, f); }
};

template <class Store>
struct flaky_store {
    Store to;
    std::shared_ptr<weather> sky;
    reference name(std::string_view content) const { return to.name(content); }
    store_error put(reference const& name, std::string_view content) const {
        return sky->fails() ? store_error{"the store fails"} : to.put(name, content);
    }
    std::optional<std::string> get(reference const& name) const { return to.get(name); }
};

/// One program after the other goes on with the conversation. Returns how many messages were released.
template <class Journal, class Store>
std::size_t check_conserved(Journal const& journal, Store const& store, std::uint64_t seed) {
    CAPTURE(seed);
    auto const sky = std::make_shared<weather>(weather{std::mt19937_64{seed}, 30});
    auto& random = sky->random;
    auto const mix_of = [&] {
        return pipeline{record{.to = flaky_journal<Journal>{journal, sky}},
                        offload{.over = 500_chars,
                                .preview = head_tail{50_chars, 50_chars, {}},
                                .into = flaky_store<Store>{store, sky}},
                        summarize{.when = used >= 80_pct},
                        sliding_window{.when = used >= 90_pct, .until = used <= 50_pct}};
    };
    auto const open = [&] {
        auto mix = mix_of();
        using session = condense::session<std::vector<chat_message>, decltype(mix)>;
        return std::make_unique<session>(std::vector<chat_message>{}, std::move(mix),
                                         condense::budget{.window = 3'000_tokens}, condense::default_estimator<>{},
                                         run_options{.conversation = "one/" + std::to_string(seed)});
    };
    std::vector<std::string> all;
    auto const check = [&](auto& session) {
        std::size_t next = 0;
        bool same = true;
        auto const problem = condense::restore_original(session, [&](chat_message const& m) {
            same = same && next < all.size() && condense::to_bytes(m) == all[next];
            ++next;
        });
        INFO(std::string_view{problem.reason});
        CHECK_FALSE(problem);
        CHECK(same);
        CHECK(next == all.size());
    };
    auto session = open();
    check(*session);
    std::size_t released = 0;
    for (int step = 0; step < 120; ++step) {
        auto const push = [&](chat_message m) {
            all.push_back(condense::to_bytes(m));
            session->push(std::move(m));
        };
        auto const id = std::to_string(step);
        switch (random() % 10) {
            case 0:
            case 1:
            case 2: push(chat_message::user("say " + id)); break;
            case 3:
            case 4:
            case 5:
                push(chat_message::call(id, "shell", "{\"n\":" + id + "}"));
                push(chat_message::result(id, id + std::string(random() % 2'000, 'x')));
                push(chat_message::assistant("done " + id));
                break;
            case 6: static_cast<void>(session->prepare()); break;
            case 7: released += session->release(sequence{session->outline().size()}); break;
            case 8: session->undo(); break;
            default: {
                auto saved = session->state();
                REQUIRE_FALSE(saved.error);
                session = open();
                REQUIRE_FALSE(session->adopt(std::move(saved.state)));
            }
        }
        if (step % 10 == 9) check(*session);
    }
    CHECK(sky->failures > 5);
    // In good weather everything is recorded, and a reader who has nothing but the journal finds it.
    sky->percent = 0;
    static_cast<void>(session->run());
    static_cast<void>(session->run());
    check(*session);
    std::vector<std::string> recorded;
    CHECK_FALSE(each_original(journal, "one/" + std::to_string(seed),
                              [&](auto const&, std::string_view content) { recorded.emplace_back(content); }));
    CHECK(recorded == all);
    return released;
}

template <class Make>
void check_back_end(Make const& make) {
    std::size_t released = 0;
    for (std::uint64_t seed = 0; seed < rounds(100); ++seed) {
        auto const [journal, store] = make();
        released += check_conserved(journal, store, seed);
    }
    CHECK(released >= rounds(100) * 10);
}

}  // namespace

TEST_CASE("restore_original: gives back what was pushed, whatever fails", "[law-6][row-X4]") {
    scratch::folder const root{scratch::memory()};
    SECTION("from memory") {
        check_back_end([] { return std::pair{condense::memory_journal{}, condense::memory_store{}}; });
    }
    SECTION("from folders") {
        check_back_end(
            [&] { return std::pair{journal_folder{root / "journals"}, artifact_folder{root / "artifacts"}}; });
    }
    SECTION("from databases") {
        check_back_end(
            [&] { return std::pair{condense::sqlite_journal{root / "j.db"}, condense::sqlite_store{root / "a.db"}}; });
    }
#if __has_include(<hiredis/hiredis.h>)
    SECTION("with artifacts in Redis") {
        redis_tests::server const real;
        check_back_end(
            [&] { return std::pair{journal_folder{root / "journals"}, condense::redis_store{real.options()}}; });
    }
#endif
}

TEST_CASE("restore_original: says which message is missing") {
    desk things;
    auto first = things.open();
    things.work(first, 0, 120);
    CHECK(release_all(first) > 50);
    auto saved = first.state();
    desk empty;
    auto second = empty.open();
    REQUIRE_FALSE(second.adopt(std::move(saved.state)));
    auto const problem = condense::restore_original(second, [](chat_message const&) {});
    CHECK(std::string_view{problem.reason}.starts_with("the journal does not hold message "));
}

TEST_CASE("expand: puts an artifact back if it fits, and nothing for a name that is not there", "[row-V10]") {
    desk things;
    auto session = things.open();
    std::string const small(6'000, 'x');
    std::string const large(80'000, 'y');
    things.push(session, {U("task"), C("1", "shell"), R("1", small), C("2", "shell"), R("2", large), A("done")});
    auto const text_at = [&](std::size_t place) { return words(sent(session).at(place)); };
    REQUIRE(text_at(2).size() < 1'000);
    auto const before = session.used();
    CHECK(condense::expand(session, things.store.name(large)) == condense::refusal::no_room);
    CHECK(condense::expand(session, things.store.name("never put")) == condense::refusal::gone);
    CHECK(condense::expand(session, {}) == condense::refusal::gone);
    CHECK(session.used() == before);
    CHECK(condense::expand(session, things.store.name(small)) == condense::refusal::none);
    CHECK(text_at(2) == small);
    CHECK(session.used().tokens > before.tokens);
    CHECK(condense::expand(session, things.store.name(small)) == condense::refusal::gone);
    CHECK(session.undo());
    CHECK(text_at(2).size() < 1'000);
}

TEST_CASE("expand: an artifact comes back whose message has left", "[row-V10]") {
    condense::memory_store const store;
    condense::session session{conversation{},
                              condense::pipeline{mixes::head_and_tail(store), mixes::window_to(90_pct, 20_pct)},
                              condense::budget{.window = 4'000_tokens}};
    std::string const original(3'000, '\n');
    for (auto const& m : {U("task"), C("1", "shell"), R("1", original)}) session.push(m);
    auto const shows = [&] {
        for (auto const& m : session.request())
            if (m.parts[0].text == original) return true;
        return false;
    };
    for (int turn = 0; session.edits().present(condense::group{1}); ++turn) {
        REQUIRE(turn < 1'000);
        for (auto const& m : {A("So it goes."), A("On and on."), U("Go on, please, as long as it takes.")})
            session.push(m);
        static_cast<void>(session.prepare());
    }
    REQUIRE_FALSE(shows());
    CHECK(condense::expand(session, store.name(original)) == condense::refusal::none);
    CHECK(shows());
    CHECK(condense::expand(session, store.name(original)) == condense::refusal::gone);
}

TEST_CASE("append_markdown: a heading for each message, cut, and nothing ends its block", "[row-V4]") {
    condense::memory_journal const journal;
    auto const add = [&](std::uint64_t number, std::string_view content) {
        CHECK_FALSE(journal.append("c", {journal.name(content), number}, content));
    };
    add(0, "short");
    add(0, "short");
    CHECK_FALSE(journal.append("c", {{}, 1, true}, ""));
    add(1, "```` not the end\n# no heading");
    add(2, std::string(2'500, 'x'));
    std::string text;
    CHECK_FALSE(condense::append_markdown(text, journal, "c"));
    CHECK(text.find("## Message 0") == text.rfind("## Message 0"));
    CHECK(text.find("\n\n```text\nshort\n```\n") != std::string::npos);
    CHECK(text.find("\n`````text\n```` not the end\n# no heading\n`````\n") != std::string::npos);
    CHECK(text.find("\n```text\n" + std::string(2'000, 'x') + "\n```\n\n500 more characters.\n") != std::string::npos);
    std::string other;
    CHECK_FALSE(condense::append_markdown(other, journal, "other"));
    CHECK(other.empty());
}
