// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/edits.hpp>

#include <ranges>

#include <condense/replay/sent.hpp>

#include "replay/talk.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using condense::detail::edit_index;
using script_type = condense::detail::replay_script<chat_message, per_byte>;
using originals = std::vector<std::reference_wrapper<chat_message const>>;

chat_message edit(std::string id, std::string old) {
    return C(std::move(id), "edit", R"({"old_string":")" + old + R"(","new_string":"n"})");
}

TEST_CASE("an edit is needed where its old text stood exactly in one part before it") {
    conversation const told{
        U("x"),           A("int a;\n\tint b;"), edit("1", R"(a;\n\tint)"), R("1"), edit("2", "a; int b"), R("2"),
        edit("3", "3rd"), R("3", "3rd"),         edit("4", "3rd"),          R("4")};
    edit_index const edits{script_type{told, {}}};
    REQUIRE(edits.needed(1).size() == 1);
    CHECK(edits.needed(1)[0].old == "a;\n\tint");
    CHECK(edits.needed(1)[0].holders == std::vector<std::uint32_t>{1});
    CHECK(edits.needed(2).empty());
    CHECK(edits.needed(3).empty());
    REQUIRE(edits.needed(4).size() == 1);
    CHECK(edits.needed(4)[0].holders == std::vector<std::uint32_t>{6, 7});
}

TEST_CASE("an edit by a shell is needed as one by a tool: sed, a patch, and a file that is written anew") {
    auto const bash = [](std::string id, std::string const& script) {
        return C(std::move(id), "bash", R"({"command":")" + script + R"("})");
    };
    conversation const told{
        U("x"), bash("1", R"(cat > a.c <<E\nint a;\nint b;\nE)"),
        R("1"), bash("2", R"(sed -i 's/int b;/int c;/' a.c)"),
        R("2"), bash("3", R"(cat > a.c <<E\nint d;\nE)"),
        R("3"), C("4", "apply_patch", R"({"input":"*** Begin Patch\n*** Update File: a.c\n-int d;\n+int e;"})")};
    edit_index const edits{script_type{told, {}}};
    CHECK(edits.needed(0).empty());
    REQUIRE(edits.needed(1).size() == 1);
    CHECK(edits.needed(1)[0].old == "int b;");
    REQUIRE(edits.needed(2).size() == 1);
    CHECK(edits.needed(2)[0].old == "int a;\nint b;");
    REQUIRE(edits.needed(3).size() == 1);
    CHECK(edits.needed(3)[0].holders == std::vector<std::uint32_t>{5});
}

TEST_CASE("parts of a message do not make an old text together, arguments of calls do as they are parsed") {
    auto const halves = joined(R("0", "one "), A("two"));
    conversation const told{U("x"), C("0", "write", R"({"content":"l1\nl2"})"),
                            halves, edit("1", "one two"),
                            R("1"), edit("2", R"(l1\nl2)")};
    edit_index const edits{script_type{told, {}}};
    CHECK(edits.needed(1).empty());
    REQUIRE(edits.needed(2).size() == 1);
    CHECK(edits.needed(2)[0].holders == std::vector<std::uint32_t>{1});
}

TEST_CASE("a request shows an edit in an original or in what was derived from one") {
    conversation const told{U("long text with int a; in it"), edit("1", "int a;")};
    script_type const script{told, {}};
    edit_index const edits{script};
    auto const shows = [&](conversation const& history, conversation const& request) {
        condense::detail::sent_requests<script_type> sent{script};
        sent.set_current(request, history, [](chat_message const&, std::uint64_t) {});
        return shows_edit(edits.needed(0).at(0), sent, request);
    };
    CHECK(shows(told, told));
    CHECK(shows(told, {U("x"), U("with int a; in")}));
    CHECK_FALSE(shows(told, {U("x"), U("with int a")}));
    CHECK_FALSE(shows(told, {}));
}

// Requests

struct fixture {
    conversation told{U("12345"), A("123"), U("1234567")};
    script_type script{told, {}};
    condense::detail::sent_requests<script_type> sent{script};
    std::size_t made = 0;

    void take(originals const& messages) {
        auto const range = std::views::transform(messages, [](auto const& m) -> chat_message const& { return m; });
        sent.set_current(range, told, [&](chat_message const&, std::uint64_t) { ++made; });
    }
};

TEST_CASE("a request shares with the one before what it begins with, by whole messages") {
    fixture all;
    auto const summary = U("short");
    auto const same = U("short");
    all.take({all.told[0]});
    CHECK(all.sent.first());
    CHECK(all.sent.sum().tokens().count == 5);
    CHECK(all.sent.prefix_size() == 0);
    all.take({all.told[0], all.told[1], all.told[2]});
    CHECK_FALSE(all.sent.first());
    CHECK(all.sent.prefix_size() == 1);
    CHECK(all.sent.prefix_cost().tokens().count == 5);
    CHECK(all.sent.sum().tokens().count == 15);
    all.take({summary, all.told[2]});
    CHECK(all.sent.prefix_size() == 0);
    CHECK(all.sent.sum().tokens().count == 12);
    CHECK(all.made == 1);
    CHECK(all.sent.current()[0].index == condense::detail::none32);
    CHECK(all.sent.current()[1].index == 2);
    all.take({same, all.told[2]});  // elsewhere, and the same bytes
    CHECK(all.sent.prefix_size() == 2);
    CHECK(all.sent.prefix_size() == all.sent.previous().size());
    auto const other = U("brief");
    all.take({other, all.told[2]});
    CHECK(all.sent.prefix_size() == 0);
    CHECK(all.sent.reading(all.sent.current()[0].derived).parts[0].size == 5);
}

}  // namespace
