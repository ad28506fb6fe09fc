// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/edited_texts.hpp>

#include <condense/llm/name_index.hpp>

#include "layer/shared.hpp"

namespace {

using namespace layers;
using condense::edited_texts;

auto mix() {
    return pipeline{summarize{.when = used >= 80_pct,
                              .until = used <= 10_pct,
                              .protect = task,
                              .size = 1_tokens,
                              .with = condense::no_prose{},
                              .leaves = edited_texts{.share = 30_pct}}};
}
auto new_session() { return session{conversation{}, mix(), budget{.window = 4'000_tokens}, per_byte{}}; }

/// "FILE:TEXT|" of what is known after calls with these arguments.
std::string known(std::initializer_list<std::string_view> calls) {
    edited_texts::memory log;
    std::uint64_t at = 0;
    for (auto const arguments : calls)
        edited_texts{}.see(log, {.kind = condense::part_kind::tool_call, .text = arguments}, ++at);
    std::string out;
    for (auto const& one : log.entries) out += one.label + ":" + one.text + "|";
    return out;
}

}  // namespace

TEST_CASE("edited_texts: a text is what it is by now, in each way to write one") {
    constexpr auto first = R"({"path":"a","old_string":"x","new_string":"one\ntwo"})";
    CHECK(known({first}) == "a:one\ntwo|");
    CHECK(known({first, R"({"path":"a","old_string":"two","new_string":"three"})"}) == "a:one\nthree|");
    CHECK(known({first, R"({"path":"a","old_str":"0\none\ntwo\n","new_str":"none"})"}) == "a:none|");
    CHECK(known({first, R"({"path":"b","old_string":"two","new_string":"three"})"}) == "a:one\ntwo|b:three|");
    CHECK(known({first, R"({"file_path":"a","content":"all"})"}) == "a:all|");
    CHECK(known({R"({"path":"a","edits":[{"oldText":"1","newText":"2"},{"oldText":"3","newText":"4"}]})"}) ==
          "a:2|a:4|");
    CHECK(
        known(
            {R"({"input":"*** Begin Patch\n*** Update File: a\n@@ f\n x\n-y\n+z\n@@\n+w\n*** Add File: b\n+q\n*** End Patch"})"}) ==
        "a:x\nz\n|a:w\n|b:q\n|");
    CHECK(known({R"({"command":["bash","-lc","cat > a.py <<'EOF'\nimport x\nEOF\ncat >> b <<E\ny\nE\necho <<E"]})"}) ==
          "a.py:import x\n|b:y\n|");
    CHECK(known({R"({"path":"a","old_string":"x","new_string":""})", R"({"query":"x"})", "no JSON",
                 R"({"content":"</summary>"})"}) == "");
    CHECK(known({R"({"path":"a","content":"x\nRecord of it:\nDecided: delete"})"}) == "");
    // Of a long text the lines around the latest edit are a text of their own.
    CHECK(known({R"({"path":"a","content":"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15"})",
                 R"({"path":"a","old_string":"\n4\n","new_string":"\nfour\n"})"}) ==
          "a:1\n2\n3\nfour\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15|a:1\n2\n3\nfour\n5\n6\n|");
    // Such lines that a later edit has changed in part are not quoted.
    constexpr auto all = R"({"path":"a","content":"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15"})";
    CHECK(known({all, R"({"path":"a","old_string":"4","new_string":"four"})",
                 R"({"path":"a","old_string":"6\n7","new_string":"six"})"}) ==
          "a:1\n2\n3\nfour\n5\nsix\n8\n9\n10\n11\n12\n13\n14\n15|a:four\n5\nsix\n8\n9\n|");
    CHECK(
        known({R"({"path":"a","old_string":"x","new_string":""})", R"({"path":"a","old_string":"y","new_string":""})"})
            .empty());
    edited_texts::memory log, loaded;
    for (std::uint64_t at = 1; at < 4; ++at)
        edited_texts{}.see(
            log,
            {.kind = condense::part_kind::tool_call,
             .text = at == 1 ? std::string{all}
                             : R"({"path":"a","old_string":")" + std::to_string(at + 6) + R"(","new_string":"eight"})"},
            at);
    REQUIRE(loaded.load(log.save(), 9));
    CHECK(loaded.save() == log.save());
    log.rewind(3);  // of the latest edit nothing stays
    for (auto const& one : log.entries) CHECK(one.text.find("eight") == one.text.npos);
    auto const large = R"({"path":"b","content":")" + std::string(8'001, 'x') + R"("})";
    CHECK(known({first, large}) == "a:one\ntwo|");
}

TEST_CASE(
    "edited_texts: are carried on, saved and restored, and taken from a summary's text; failed ones are left out") {
    auto session = new_session();
    session.push(U("the task"));
    push(session, {C("1", "edit", R"({"path":"a.c","old_string":"x","new_string":"int one;\n  int two;"})"), R("1"),
                   C("2", "edit", R"({"path":"b.c","new_string":"never"})"),
                   R("2", "no such text", condense::part_status::error), A(std::string(3'500, 'a')), U("on")});
    static_cast<void>(session.run());
    auto saved = session.state();
    REQUIRE(saved);
    auto restored = new_session();
    REQUIRE_FALSE(restored.adopt(std::move(saved.state)));
    for (auto* const each : {&session, &restored}) {
        push(*each, {C("3", "edit", R"({"path":"a.c","old_string":"two","new_string":"three"})"), R("3"),
                     A(std::string(3'500, 'b')), U("on")});
        static_cast<void>(each->run());
        CHECK(contains(summary_in(each->request()), "a.c [21 bytes]\nint one;\n  int three;\n"));
        CHECK_FALSE(contains(summary_in(each->request()), "never"));
    }
    conversation history;
    for (auto const& m : session.request()) history.push_back(m);
    for (auto& m : history)
        if (text_of(m).starts_with("Summary of")) m.mark = "summary";
    history += {A(std::string(3'500, 'c')), U("on")};
    static_cast<void>(condense::reduce(history, mix(), {.window = 4'000_tokens}, per_byte{}, fakes::with_marks()));
    CHECK(contains(summary_in(history), "a.c [21 bytes]\nint one;\n  int three;\n"));
}
