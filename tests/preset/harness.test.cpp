// SPDX-License-Identifier: BSL-1.0
#include <condense/preset/harness.hpp>

#include "preset/stage.hpp"

namespace {

using namespace stage;

auto made(desk& things) { return condense::presets::harness(things.journal, things.store, things.asked()); }
using mix_type = mix_of<decltype(made)>;
static_assert(complete<mix_type>);

TEST_CASE("harness: keeps the laws, and the journal has all", "[laws][row-A6]") { keeps_the_laws(made); }

TEST_CASE("harness: 30 messages become the task, a summary and the last ten", "[row-A1][row-A6]") {
    staged session{made, 1'000'000_tokens};
    talk(session, 14, 50);
    session.push(U("wait"));
    CHECK_FALSE(session.prepare().changed());
    session.push(A("and now"));
    CHECK(session.prepare().changed());
    CHECK(session.things.calls == 1);
    auto const request = sent(session);
    REQUIRE(request.size() <= 13);
    CHECK(request.size() >= 12);  // ten messages, and the turn that they begin in
    CHECK(request[0] == session.history()[0]);
    CHECK(laws::words(request[1]).find("What came before, in short.") != std::string::npos);
    CHECK(laws::words(request.back()) == "and now");
    CHECK(session.things.recorded().size() == 30);
}

TEST_CASE("harness: whatever has left was given to before_drop, and no summary", "[row-A5]") {
    std::size_t given_count = 0;
    for (std::uint64_t seed = 1; seed <= 3 + rounds(57); ++seed) {
        desk things;
        laws::conversation_generator random{seed};
        auto const all = random.make();
        std::uint64_t size = 0;
        for (auto const& m : all) size += words(m).size();
        std::set<std::uint64_t> given;
        auto const hook = [&](auto const& leaving) {
            for (std::size_t index = 0; index < leaving.size(); ++index) {
                given.insert(leaving.number(index).number);
                CHECK(leaving[index] == all[static_cast<std::size_t>(leaving.number(index).number)]);
            }
        };
        condense::session session{conversation{}, made(things), condense::budget{.window = {size / 4 + 50}}, per_byte{},
                                  condense::run_options{.before_drop = hook}};
        for (auto const& m : all) {
            session.push(m);
            static_cast<void>(session.prepare());
        }
        CAPTURE(seed);
        for (std::uint32_t index = 0; index < all.size(); ++index)
            if (session.edits().is_dropped(session.outline().group_of(index))) CHECK(given.contains(index));
        given_count += given.size();
    }
    CHECK(given_count > 20);
}

TEST_CASE("harness: a count of tokens is a reason, too", "[row-A1]") {
    staged session{made, 10'000_tokens};
    talk(session, 10, 419);
    CHECK_FALSE(session.prepare().changed());
    talk(session, 1, 50);
    CHECK(session.prepare().changed());
    CHECK(session.things.calls == 1);
}

TEST_CASE("harness: a large result leaves both ends and a reference, but for tools that page themselves", "[row-A2]") {
    staged session{made, 1'000'000_tokens};
    run_tool(session, "1", "shell", letters(80'000));
    std::string id = "a";
    for (auto const* const tool : {"read_file", "write_file", "edit_file", "grep_files", "glob_files", "list_files",
                                   "memory_search", "session_list"})
        run_tool(session, id += "a", tool, letters(80'001));
    CHECK(session.things.store.size() == 0);
    auto const text = letters(40'000, 'a') + letters(40'001, 'b');
    push(session, {C("5", "shell"), R("5", text, condense::part_status::error)});
    CHECK(session.things.store.size() == 1);
    auto const request = sent(session);
    auto const& kept = request.back().parts[0];
    CHECK((kept.text.starts_with(letters(2'000, 'a')) && kept.text.ends_with(letters(2'000, 'b'))));
    CHECK(kept.text.find(session.things.store.name(text).text()) != kept.text.npos);
    CHECK((kept.status == condense::part_status::error && kept.call == "5"));
    for (std::size_t index = 0; index < 8; ++index) CHECK(request[index] == session.history()[index]);
}

TEST_CASE("harness: long arguments are cut before a summary, which may not be needed then", "[row-A4][case-71]") {
    staged session{made, 10'000_tokens, {U("task")}};
    run_tool(session, "1", "shell", "ok", R"({"cmd":")" + letters(6'000) + R"("})");
    talk(session, 6, 210);
    CHECK(session.prepare().changed());
    CHECK(session.things.calls == 0);
    auto const request = sent(session);
    CHECK((request.size() == 15 && request[1].parts.back().text.size() < 300));
    CHECK(condense::detail::json::valid(request[1].parts.back().text));
}

/// Case 60: two and a half characters a token, 18 tokens beside a result, so that one of 50,000 characters has 20,018.
struct two_and_a_half {
    condense::cost operator()(std::string_view text) const { return condense::cost::of({(text.size() * 2 + 4) / 5}); }
    condense::cost frame(condense::part_view const& part) const {
        return condense::cost::of({part.kind == condense::part_kind::tool_result ? 18u : 0u});
    }
};

TEST_CASE("harness: old results are pruned together, where enough can be gained", "[row-A11][case-60]") {
    for (std::size_t const results : {2u, 3u, 4u, 5u}) {
        CAPTURE(results);
        desk things;
        condense::session session{conversation{}, made(things), condense::budget{.window = 1'000'000_tokens},
                                  two_and_a_half{}};
        session.push(U("task"));
        for (std::size_t index = 0; index < results; ++index)
            push(session, {C(std::to_string(index), "shell"), R(std::to_string(index), letters(50'000))});
        static_cast<void>(session.prepare());
        auto const request = sent(session);
        for (std::size_t index = 0; index < results; ++index) {
            bool const cut = laws::words(request[2 + 2 * index]).size() < 50'000;
            CHECK(cut == (index + 2 < results));
            if (cut) CHECK(laws::words(request[2 + 2 * index]).size() < 2'200);
        }
        CHECK(things.calls == 0);
    }
}

TEST_CASE("harness: when the model reports an overflow it is pressed, and sent once more", "[row-A3]") {
    staged session{made, 100'000_tokens, {U("task")}};
    for (int turn = 0; turn < 12; ++turn) run_tool(session, std::to_string(turn), "shell", letters(4'000));
    session.push(U("and now"));
    auto const before = session.used().tokens;
    condense::provider_error const refused{
        .status = 400,
        .text =
            "This model's maximum context length is 30000 tokens. However, your messages resulted in 48200 tokens."};
    CHECK(session.recover(refused) == condense::recover_outcome::retry);
    CHECK(session.used().tokens < before);
    CHECK(session.recover(refused) == condense::recover_outcome::repeated);
}

}  // namespace
