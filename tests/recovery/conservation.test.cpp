// SPDX-License-Identifier: BSL-1.0
// Whatever is taken out of a conversation, and whatever fails meanwhile, all of it can be had back.
#include <condense/recovery/original.hpp>

#include <random>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/store/file.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>
#include <condense/store/sqlite_journal.hpp>
#include <condense/store/sqlite_store.hpp>

#if __has_include(<hiredis/hiredis.h>)
#include <condense/store/redis_store.hpp>

#include "store/redis_server.hpp"
#endif
#include "store/scratch.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using namespace condense::literals;
using condense::chat_message, condense::reference, condense::store_error;

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
    store_error append(std::string_view conversation, condense::journal_entry const& entry,
                       std::string_view content) const {
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
        return condense::pipeline{
            condense::record{.to = flaky_journal<Journal>{journal, sky}},
            condense::offload{.over = 500_chars,
                              .preview = condense::head_tail{50_chars, 50_chars, {}},
                              .into = flaky_store<Store>{store, sky}},
            condense::summarize{.when = condense::used >= 80_pct},
            condense::sliding_window{.when = condense::used >= 90_pct, .until = condense::used <= 50_pct}};
    };
    auto const open = [&] {
        auto mix = mix_of();
        using session = condense::session<std::vector<chat_message>, decltype(mix)>;
        return std::make_unique<session>(std::vector<chat_message>{}, std::move(mix),
                                         condense::budget{.window = 3'000_tokens}, condense::default_estimator<>{},
                                         condense::run_options{.conversation = "one/" + std::to_string(seed)});
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
            case 7: released += session->release(condense::sequence{session->outline().size()}); break;
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
    CHECK_FALSE(
        condense::each_original(journal, "one/" + std::to_string(seed),
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

TEST_CASE("restore_original: gives back what was pushed, whatever fails, from memory", "[law-6]") {
    check_back_end([] { return std::pair{condense::memory_journal{}, condense::memory_store{}}; });
}
TEST_CASE("restore_original: gives back what was pushed, whatever fails, from folders", "[law-6]") {
    scratch::folder const root{scratch::memory()};
    check_back_end([&] {
        return std::pair{condense::journal_folder{root / "journals"}, condense::artifact_folder{root / "artifacts"}};
    });
}
TEST_CASE("restore_original: gives back what was pushed, whatever fails, from databases", "[law-6]") {
    scratch::folder const root{scratch::memory()};
    check_back_end(
        [&] { return std::pair{condense::sqlite_journal{root / "j.db"}, condense::sqlite_store{root / "a.db"}}; });
}
#if __has_include(<hiredis/hiredis.h>)
TEST_CASE("restore_original: gives back what was pushed, whatever fails, with artifacts in Redis", "[law-6]") {
    scratch::folder const root{scratch::memory()};
    redis_tests::server const real;
    check_back_end(
        [&] { return std::pair{condense::journal_folder{root / "journals"}, condense::redis_store{real.options()}}; });
}
#endif
