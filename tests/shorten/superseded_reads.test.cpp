// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/superseded_reads.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <condense/shorten/first_of.hpp>

#include "core/toy.hpp"
#include "laws/generator.hpp"
#include "shorten/around.hpp"

namespace {

using namespace around;
using condense::file_of_call;
using condense::part_view;
using condense::superseded_reads;
using condense::tools;

static_assert(condense::shortener<superseded_reads<>>);
static_assert(superseded_reads<>{} == superseded_reads{});

/// One call and its result for each "tool arguments", every result different, 500 bytes and up.
conversation calls(std::initializer_list<std::pair<std::string, std::string>> given) {
    conversation made{U("task")};
    std::size_t id = 0;
    for (auto const& [tool, arguments] : given) {
        made += {C(std::to_string(id), tool, arguments), R(std::to_string(id), letters(500 + id, 'r'))};
        ++id;
    }
    made += {A(), U()};
    return made;
}
std::string path(std::string_view file) { return "{\"path\":\"" + std::string{file} + "\"}"; }

}  // namespace

TEST_CASE("superseded_reads: of reads of one file the newest stays whole") {
    auto const messages = calls({{"read", path("a")}, {"read", path("b")}, {"read", path("a")}, {"read", path("a")}});
    CHECK(kept(messages, superseded_reads{}) == "0101");
    auto const after = texts(settled(messages, mix_of(superseded_reads{})));
    CHECK(after[0] == "[... 500 of 500 characters omitted; a was read again further on ...]");
    CHECK(after[2] == "[... 502 of 502 characters omitted; a was read again further on ...]");
}

TEST_CASE("superseded_reads: a write makes reads old, and is itself left alone") {
    auto const messages = calls({{"read", path("a")},
                                 {"write_file", path("a")},
                                 {"edit", path("a")},
                                 {"edit", path("b")},
                                 {"read", path("b")}});
    CHECK(kept(messages, superseded_reads{}) == "01111");
    CHECK(texts(settled(messages, mix_of(superseded_reads{})))[0] ==
          "[... 500 of 500 characters omitted; a was written since, read it again ...]");
    // Read again, then written: only the write says how the file is.
    auto const after = texts(
        settled(calls({{"read", path("a")}, {"read", path("a")}, {"write", path("a")}}), mix_of(superseded_reads{})));
    CHECK(after[0].find("written since") != std::string::npos);
    CHECK(after[1].find("written since") != std::string::npos);
    CHECK(texts(settled(calls({{"read", path("a")}, {"write", path("a")}, {"read", path("a")}}),
                        mix_of(superseded_reads{})))[0]
              .find("read again") != std::string::npos);
}

TEST_CASE("superseded_reads: a piece gives way to the same piece, to the whole, or to a write") {
    std::string const first = R"({"path":"a","offset":0,"limit":10})";
    std::string const second = R"({"path":"a","offset":10,"limit":10})";
    superseded_reads const shorten;
    CHECK(kept(calls({{"read", first}, {"read", second}}), shorten) == "11");
    CHECK(kept(calls({{"read", first}, {"read", second}, {"read", first}}), shorten) == "011");
    CHECK(kept(calls({{"read", first}, {"read", second}, {"read", path("a")}}), shorten) == "001");
    CHECK(kept(calls({{"read", path("a")}, {"read", first}}), shorten) == "11");
    CHECK(kept(calls({{"read", path("a")}, {"read", first}, {"write", path("a")}}), shorten) == "001");
    CHECK(kept(calls({{"read", path("a")}, {"read", R"({"path":"a","chunk":3})"}}), shorten) == "11");
    CHECK(kept(calls({{"read", path("a")}, {"read", R"({"limit":null,"path":"a","explanation":"to see"})"}}),
               shorten) == "01");
}

TEST_CASE("superseded_reads: other tools neither give way nor make old") {
    superseded_reads const shorten;
    CHECK(kept(calls({{"grep", path("a")}, {"grep", path("a")}, {"read", path("a")}, {"grep", path("a")}}), shorten) ==
          "1111");
    CHECK(kept(calls({{"read_file", path("a")}, {"read_outline", path("a")}}), shorten) == "11");
    CHECK(kept(calls({{"view", R"({"path":"a","page":2})"}, {"read", path("a")}}), shorten) == "11");
    CHECK(kept(calls({{"show", path("a")}, {"show", path("a")}, {"read", path("b")}, {"read", path("b")}}),
               superseded_reads{.reads = tools("show")}) == "0111");
    CHECK(kept(calls({{"show", path("a")}, {"save", path("a")}}),
               superseded_reads{.reads = tools("show"), .writes = tools("save")}) == "01");
    auto const views = [](part_view const& part) {
        return part.tool == "editor" && part.text.find("\"view\"") != std::string_view::npos;
    };
    CHECK(kept(calls({{"editor", R"({"command":"view","path":"a"})"},
                      {"editor", R"({"command":"replace","path":"b"})"},
                      {"editor", R"({"command":"replace","path":"a"})"}}),
               superseded_reads{.reads = views, .writes = tools("editor")}) == "011");
}

TEST_CASE("superseded_reads: the key is the user's to choose") {
    auto const messages = calls({{"read", R"({"doc":"A"})"}, {"read", R"({"doc":"a"})"}});
    CHECK(kept(messages, superseded_reads{}) == "11");
    auto const range = [](part_view const&) { return ""; };
    CHECK(kept(messages, superseded_reads{.key = file_of_call{.members = {"doc"}}, .range = range}) == "11");
    CHECK(kept(messages,
               superseded_reads{.key = [](part_view const&) { return std::string{"one"}; }, .range = range}) == "01");
    CHECK(kept(messages,
               superseded_reads{.key = [](part_view const&) { return std::string_view{}; }, .range = range}) == "11");
    CHECK(kept(messages, superseded_reads{.key = [](part_view const&) { return std::optional<std::string>{}; }}) ==
          "11");
}

TEST_CASE("superseded_reads: what failed or is not there makes nothing old, and an old failure stays") {
    auto const with = [](part_status status, std::size_t which) {
        auto messages = calls({{"read", path("a")}, {"read", path("a")}});
        messages[which].parts[0].status = status;
        return kept(messages, superseded_reads{});
    };
    CHECK(with(part_status::ok, 4) == "01");
    for (auto const status : {part_status::error, part_status::cancelled, part_status::pending}) {
        CHECK(with(status, 4) == "11");
        CHECK(with(status, 2) == "11");
        CHECK(with(status, 3) == "11");
    }
    auto messages = calls({{"read", path("a")}, {"write", path("a")}});
    messages.erase(messages.begin() + 4);
    CHECK(kept(messages, superseded_reads{}) == "1");
    SECTION("what was dropped is not seen") {
        auto dropped = calls({{"read", path("a")}, {"read", path("a")}});
        auto const drop = toy::layer<condense::drops>([](auto& draft, auto& pass) { pass.note(draft.drop({3})); });
        static_cast<void>(condense::reduce(
            dropped, condense::pipeline{drop, condense::compress{.when = condense::always, .with = superseded_reads{}}},
            roomy, per_byte{}));
        CHECK(texts(dropped) == std::vector<std::string>{letters(500, 'r')});
    }
}

TEST_CASE("superseded_reads: both parts of one answer are as old as each other") {
    auto messages = calls({{"read", path("a")}});
    messages[2].parts.push_back(R("0", letters(600)).parts[0]);
    CHECK(kept(messages, superseded_reads{}) == "11");
    messages.insert(messages.begin() + 3, {C("1", "read", path("a")), R("1", letters(700))});
    CHECK(kept(messages, superseded_reads{}) == "001");
}

TEST_CASE("superseded_reads: parallel calls are told apart") {
    conversation const messages{
        U("task"),
        C("1", "read", path("a")).and_call("2", "read", path("b")).and_call("3", "read", path("a")),
        R("3", letters(503)),
        R("2", letters(502)),
        R("1", letters(501)),
        A(),
        U()};
    CHECK(kept(messages, superseded_reads{}) == "011");  // the one that came last stays
}

TEST_CASE("superseded_reads: small results and protected ones stay") {
    auto messages = calls({{"read", path("a")}, {"read", path("a")}});
    CHECK(kept(messages, superseded_reads{.over = 500_chars}) == "11");
    CHECK(kept(messages, superseded_reads{.over = 499_chars}) == "01");
    messages[2].parts[0].text = letters(192);
    CHECK(kept(messages, superseded_reads{.over = 0_chars}) == "11");
    messages[2].parts[0].text = letters(193);
    CHECK(kept(messages, superseded_reads{.over = 0_chars}) == "01");
    messages[2].pinned = true;
    auto const report = condense::reduce(messages, mix_of(superseded_reads{}), roomy, per_byte{});
    CHECK_FALSE(report.changed());
}

TEST_CASE("superseded_reads: a hostile name gives one short line of text") {
    auto const name = letters(100'000, 'n') + "\\n\\u001b]0;\\u0000\xC3\xA9";
    auto const messages = calls({{"read", path(name)}, {"read", path(name)}});
    auto const note = texts(settled(messages, mix_of(superseded_reads{})))[0];
    CHECK(note.size() <= 192);
    CHECK(note.find_first_of(std::string("\n\x1b\0", 3)) == std::string::npos);
    CHECK(note.find("nn  ]0; \xC3\xA9 was read again") != std::string::npos);
    auto const stored = toy::layer<condense::externalizes>([](auto& draft, auto& pass) {
        condense::part_ref const part{2, 0, draft.outline().message_at(2).first_part};
        if (!draft.about(part).edited) pass.note(draft.externalize(part, letters(400), {{0xAB}}));
    });
    auto kept_elsewhere = messages;
    static_cast<void>(condense::reduce(
        kept_elsewhere,
        condense::pipeline{stored, condense::compress{.when = condense::always, .with = superseded_reads{}}}, roomy,
        per_byte{}));
    CHECK(texts(kept_elsewhere)[0].size() <= 192);
    CHECK(texts(kept_elsewhere)[0].find("; the whole is stored as ab0000000000000000000000 ...]") != std::string::npos);
}

TEST_CASE("superseded_reads: ill-formed names cannot make the note longer or ill-formed") {
    auto const key = [](part_view const&) { return std::string(300, '\xFF'); };
    auto const note = texts(settled(calls({{"read", "{}"}, {"read", "{}"}}), mix_of(superseded_reads{.key = key})))[0];
    CHECK(note.size() <= 192);
    CHECK(condense::detail::utf8::valid(note));
}

TEST_CASE("superseded_reads: joins others") {
    auto const messages = calls({{"read", path("a")}, {"read", path("a")}, {"read", path("b")}});
    CHECK(kept(messages, condense::first_of(superseded_reads{}, condense::head_tail{100_chars, 100_chars})) == "011");
    // Alone, on arrival, it can know nothing.
    CHECK_FALSE(condense::first_of(superseded_reads{}, superseded_reads{})(
        {.kind = part_kind::tool_result, .text = letters(900)}, {}));
}

TEST_CASE("superseded_reads: many files and many pieces") {
    conversation messages{U("task")};
    for (std::size_t id = 0; id < 20'000; ++id)
        messages += {C(std::to_string(id), "read",
                       R"({"path":"f)" + std::to_string(id % 2 == 0 ? id % 100 : 1) + R"(","offset":)" +
                           std::to_string(id % 3 == 0 ? 0 : id) + "}"),
                     R(std::to_string(id), letters(300))};
    messages += {A(), U()};
    auto const after = texts(settled(messages, mix_of(superseded_reads{})));
    std::size_t whole = 0;
    for (auto const& text : after) whole += text.size() == 300 ? 1u : 0u;
    // Pieces of which there is one, the newest first piece of each of the fifty even files, and of f1.
    CHECK(whole == 13'333 + 50 + 1);
}

TEST_CASE("superseded_reads: over random conversations the newest answer stays, and pairs") {
    std::size_t replaced = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        auto messages = laws::conversation_generator{seed}.make();
        auto const before = messages;
        superseded_reads const shorten{.reads = tools("*")};
        static_cast<void>(condense::reduce(messages, mix_of(shorten), roomy, per_byte{}));
        CAPTURE(seed);
        REQUIRE(messages.size() == before.size());
        condense::outline facts;
        for (auto const& m : before) facts.append(m, per_byte{});
        auto const part_at = [&](conversation const& of, std::uint32_t part_id) -> condense::chat_part const& {
            auto const index = facts.part_at(part_id).message_index;
            return of[index].parts[part_id - facts.message_at(index).first_part];
        };
        // The newest good answer to each call of a tool with the same arguments.
        std::map<std::string, std::uint32_t> newest;
        auto const asked = [&](std::uint32_t part_id) {
            auto const call_at = facts.call_part_id(facts.part_at(part_id));
            if (facts.part_at(part_id).kind != part_kind::tool_result || call_at == condense::detail::none32)
                return std::string{};
            auto const& call = part_at(before, call_at);
            return call.text.starts_with("{") ? call.tool + call.text : std::string{};
        };
        for (std::uint32_t part_id = 0; part_id < facts.part_count(); ++part_id)
            if (part_at(before, part_id).status == part_status::ok && !asked(part_id).empty())
                newest[asked(part_id)] = part_id;
        for (std::uint32_t part_id = 0; part_id < facts.part_count(); ++part_id) {
            auto const& was = part_at(before, part_id);
            auto const& is = part_at(messages, part_id);
            CHECK(is.call == was.call);
            if (is == was) continue;
            ++replaced;
            CHECK(was.kind == part_kind::tool_result);
            CHECK(was.status == part_status::ok);
            CHECK(is.text.size() < was.text.size());
            REQUIRE(newest.contains(asked(part_id)));
            CHECK(newest[asked(part_id)] > part_id);
            auto const later = newest[asked(part_id)];
            CHECK(facts.part_at(later).call != facts.part_at(part_id).call);
            CHECK(part_at(messages, later) == part_at(before, later));
        }
        auto const once = messages;
        static_cast<void>(condense::reduce(messages, mix_of(shorten), roomy, per_byte{}));
        REQUIRE(messages == once);
    }
    CHECK(replaced > 100);
}

TEST_CASE("superseded_reads: files are known however their names are spelt, and no name is none") {
    CHECK(kept(calls({{"read", R"({"path":"src/\u0061"})"}, {"read", R"({ "path" : "src\/a" })"}}),
               superseded_reads{}) == "01");
    CHECK(kept(calls({{"read", R"({"path":""})"}, {"read", R"({"path":""})"}}), superseded_reads{}) == "11");
}
