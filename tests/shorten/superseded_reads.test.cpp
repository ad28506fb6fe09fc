// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/superseded_reads.hpp>

#include <condense/shorten/first_of.hpp>

#include "core/toy.hpp"
#include "laws/generator.hpp"
#include "shorten/around.hpp"

namespace {

using namespace around;
using condense::file_of_call, condense::part_key, condense::part_view, condense::superseded_reads, condense::tools,
    fakes::contains;

static_assert(condense::shortener<superseded_reads<>>);
static_assert(superseded_reads<>{} == superseded_reads{});

/// Calls and their results, every result different, 500 bytes and up: "read a; write b; read a[10]; read {...}" are of
/// the files a and b, the next of a piece of ten lines from line 10, the last with these arguments.
conversation calls(std::string_view given) {
    conversation made{U("task")};
    for (std::size_t id = 0; !given.empty(); ++id) {
        auto const end = std::min(given.find("; "), given.size());
        auto const one = given.substr(0, end);
        given.remove_prefix(std::min(end + 2, given.size()));
        std::string const tool{one.substr(0, one.find(' '))};
        std::string of{one.substr(tool.size() + 1)};
        if (of[0] != '{') {
            auto const piece = of.find('[');
            auto const file = of.substr(0, piece);
            of = "{\"path\":\"" + file + "\"" +
                 (piece == of.npos ? ""
                                   : ",\"offset\":" + of.substr(piece + 1, of.size() - piece - 2) + ",\"limit\":10") +
                 "}";
        }
        made += {C(std::to_string(id), tool, of), R(std::to_string(id), letters(500 + id, 'r'))};
    }
    made += {A(), U()};
    return made;
}
condense::compress const fold{.when = condense::always, .with = superseded_reads{}};

std::vector<std::string> left_of(conversation const& messages) {
    return texts(settled(messages, mix_of(superseded_reads{})));
}

TEST_CASE("superseded_reads: the newest read of a file stays whole, unless the file was written since") {
    struct row {
        std::string_view given;
        char const* whole;
    };
    for (auto const& [given, whole] :
         {row{"read a; read b; read a; read a", "0101"},
             // A write is itself left alone.
          row{"read a; write_file a; edit a; edit b; read b", "01111"},
             // A piece gives way to the same piece, to the whole, or to a write.
          row{"read a[0]; read a[10]", "11"}, row{"read a[0]; read a[10]; read a[0]", "011"},
          row{"read a[0]; read a[10]; read a", "001"}, row{"read a; read a[0]", "11"},
          row{"read a; read a[0]; write a", "001"}, row{R"(read a; read {"path":"a","chunk":3})", "11"},
          row{R"(read a; read {"limit":null,"path":"a","explanation":"to see"})", "01"},
             // Other tools neither give way nor make old.
          row{"grep a; grep a; read a; grep a", "1111"}, row{"read_file a; read_outline a", "11"},
          row{R"(view {"path":"a","page":2}; read a)", "11"},
             // Files are known however their names are spelt, and no name is none.
          row{R"(read {"path":"src/\u0061"}; read { "path" : "src\/a" })", "01"},
          row{R"(read {"path":""}; read {"path":""})", "11"}}) {
        CAPTURE(given);
        CHECK(kept_in_both(calls(given), superseded_reads{}) == whole);
    }
}

TEST_CASE("superseded_reads: the note says what has made the result old") {
    auto const read = left_of(calls("read a; read b; read a; read a"));
    CHECK(read[0] == "[... 500 of 500 characters omitted; a was read again further on ...]");
    CHECK(read[2] == "[... 502 of 502 characters omitted; a was read again further on ...]");
    CHECK(left_of(calls("read a; write_file a"))[0] ==
          "[... 500 of 500 characters omitted; a was written since, read it again ...]");
    // Read again, then written: only the write says how the file is.
    auto const written = left_of(calls("read a; read a; write a"));
    CHECK(contains(written[0], "written since"));
    CHECK(contains(written[1], "written since"));
    CHECK(contains(left_of(calls("read a; write a; read a"))[0], "read again"));
}

TEST_CASE("superseded_reads: tools and key are the user's to choose") {
    CHECK(kept(calls("show a; show a; read b; read b"), superseded_reads{.reads = tools("show")}) == "0111");
    CHECK(kept(calls("show a; save a"), superseded_reads{.reads = tools("show"), .writes = tools("save")}) == "01");
    auto const views = [](part_view const& part) { return part.tool == "editor" && contains(part.text, "\"view\""); };
    CHECK(kept(calls(R"(editor {"command":"view","path":"a"}; editor {"command":"replace","path":"b"}; )"
                     R"(editor {"command":"replace","path":"a"})"),
               superseded_reads{.reads = views, .writes = tools("editor")}) == "011");
    auto const messages = calls(R"(read {"doc":"A"}; read {"doc":"a"})");
    CHECK(kept(messages, superseded_reads{}) == "11");
    auto const range = [](part_view const&) { return ""; };
    auto const one = [](part_view const&) { return std::string{"one"}; };
    auto const none = [](part_view const&) { return std::optional<std::string>{}; };
    CHECK(kept(messages, superseded_reads{.key = file_of_call{.members = {"doc"}}, .range = range}) == "11");
    CHECK(kept(messages, superseded_reads{.key = one, .range = range}) == "01");
    CHECK(kept(messages, superseded_reads{.key = none}) == "11");
}

TEST_CASE("superseded_reads: what failed or is not there makes nothing old, and an old failure stays") {
    auto const with = [](part_status status, std::size_t which) {
        auto messages = calls("read a; read a");
        messages[which].parts[0].status = status;
        return kept(messages, superseded_reads{});
    };
    CHECK(with(part_status::ok, 4) == "01");
    for (auto const status : {part_status::error, part_status::cancelled, part_status::pending}) {
        CHECK(with(status, 4) == "11");
        CHECK(with(status, 2) == "11");
        CHECK(with(status, 3) == "11");
    }
    auto messages = calls("read a; write a");
    messages.erase(messages.begin() + 4);
    CHECK(kept(messages, superseded_reads{}) == "1");
    // Nor does what was dropped.
    auto const drop = toy::layer<condense::drops>([](auto& draft, auto& pass) { pass.note(draft.drop({3})); });
    CHECK(texts(fakes::after(calls("read a; read a"), condense::pipeline{drop, fold})) ==
          std::vector<std::string>{letters(500, 'r')});
}

TEST_CASE("superseded_reads: both parts of one answer are as old as each other, parallel calls are told apart") {
    auto messages = calls("read a");
    messages[2].parts.push_back(R("0", letters(600)).parts[0]);
    CHECK(kept(messages, superseded_reads{}) == "11");
    messages.insert(messages.begin() + 3, {C("1", "read", R"({"path":"a"})"), R("1", letters(700))});
    CHECK(kept(messages, superseded_reads{}) == "001");
    std::string const a = R"({"path":"a"})";
    auto const parallel = C("1", "read", a).and_call("2", "read", R"({"path":"b"})").and_call("3", "read", a);
    CHECK(kept({U("task"), parallel, R("3", letters(503)), R("2", letters(502)), R("1", letters(501)), A(), U()},
               superseded_reads{}) == "011");  // the one that came last stays
}

TEST_CASE("superseded_reads: small results and protected ones stay") {
    auto messages = calls("read a; read a");
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
    auto const messages = calls("read " + name + "; read " + name);
    auto const note = left_of(messages)[0];
    CHECK(note.size() <= 192);
    CHECK(note.find_first_of(std::string("\n\x1b\0", 3)) == std::string::npos);
    CHECK(contains(note, "nn  ]0; \xC3\xA9 was read again"));
    auto const stored = toy::layer<condense::externalizes>([](auto& draft, auto& pass) {
        condense::part_ref const part{2, 0, draft.outline().message_at(2).first_part};
        if (!draft.about(part).edited) pass.note(draft.externalize(part, letters(400), {{0xAB}}));
    });
    auto const elsewhere = texts(fakes::after(messages, condense::pipeline{stored, fold}))[0];
    CHECK(elsewhere.size() <= 192);
    CHECK(contains(elsewhere, "; the whole is stored as ab0000000000000000000000 ...]"));
    // Ill-formed names cannot make it longer or ill-formed.
    auto const key = [](part_view const&) { return std::string(300, '\xFF'); };
    auto const scrubbed = texts(settled(calls("read {}; read {}"), mix_of(superseded_reads{.key = key})))[0];
    CHECK(scrubbed.size() <= 192);
    CHECK(condense::detail::utf8::valid(scrubbed));
}

TEST_CASE("superseded_reads: joins others, and knows many files and many pieces") {
    CHECK(kept(calls("read a; read a; read b"),
               condense::first_of(superseded_reads{}, condense::head_tail{100_chars, 100_chars})) == "011");
    // Alone, on arrival, it can know nothing.
    CHECK_FALSE(condense::first_of(superseded_reads{}, superseded_reads{})(
        {.kind = part_kind::tool_result, .text = letters(900)}, {}));
    conversation messages{U("task")};
    for (std::size_t id = 0; id < 20'000; ++id)
        messages += {C(std::to_string(id), "read",
                       R"({"path":"f)" + std::to_string(id % 2 == 0 ? id % 100 : 1) + R"(","offset":)" +
                           std::to_string(id % 3 == 0 ? 0 : id) + "}"),
                     R(std::to_string(id), letters(300))};
    messages += {A(), U()};
    std::size_t whole = 0;
    for (auto const& text : left_of(messages)) whole += text.size() == 300 ? 1u : 0u;
    // Pieces of which there is one, the newest first piece of each of the fifty even files, and of f1.
    CHECK(whole == 13'333 + 50 + 1);
}

TEST_CASE("superseded_reads: over random conversations the newest answer stays, and pairs") {
    std::size_t replaced = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        CAPTURE(seed);
        auto const before = laws::conversation_generator{seed}.make();
        auto const after = settled(before, mix_of(superseded_reads{.reads = tools("*")}));
        REQUIRE(after.size() == before.size());
        condense::outline facts;
        for (auto const& m : before) facts.append(m, per_byte{});
        auto const part_at = [&](conversation const& of, std::uint32_t part_id) -> condense::chat_part const& {
            auto const index = facts.part_at(part_id).message_index;
            return of[index].parts[part_id - facts.message_at(index).first_part];
        };
        // The file asked for by the call that a result answers; empty where that names none.
        auto const asked = [&](std::uint32_t part_id) {
            auto const call_at = facts.call_part_id(facts.part_at(part_id));
            if (facts.part_at(part_id).kind != part_kind::tool_result || call_at == condense::detail::none32)
                return std::string{};
            auto const& call = part_at(before, call_at);
            return call.text.starts_with("{") ? call.tool + call.text : std::string{};
        };
        std::map<std::string, std::uint32_t> newest;  // good answer to each question
        for (std::uint32_t part_id = 0; part_id < facts.part_count(); ++part_id)
            if (part_at(before, part_id).status == part_status::ok && !asked(part_id).empty())
                newest[asked(part_id)] = part_id;
        for (std::uint32_t part_id = 0; part_id < facts.part_count(); ++part_id) {
            auto const& was = part_at(before, part_id);
            auto const& is = part_at(after, part_id);
            CHECK(is.call == was.call);
            if (is == was) continue;
            ++replaced;
            CHECK((was.kind == part_kind::tool_result && was.status == part_status::ok));
            CHECK(is.text.size() < was.text.size());
            REQUIRE(newest.contains(asked(part_id)));
            auto const later = newest[asked(part_id)];
            CHECK(later > part_id);
            CHECK(facts.part_at(later).call != facts.part_at(part_id).call);
            CHECK(part_at(after, later) == part_at(before, later));
        }
    }
    CHECK(replaced > 100);
}

// The keys of calls

template <class Text>
using giving = Text (*)(part_view const&);

static_assert(part_key<giving<std::string>> && part_key<giving<std::string_view>> && part_key<giving<char const*>>);
static_assert(part_key<giving<std::optional<std::string>>> && part_key<giving<std::optional<std::string_view>>>);
static_assert(part_key<giving<std::string const&>> && part_key<giving<std::string const*>>);
static_assert(!part_key<giving<int>> && !part_key<giving<void>> && !part_key<giving<bool>>);
static_assert(!part_key<giving<std::optional<int>>> && !part_key<giving<int*>>);
static_assert(!part_key<std::string (*)()> && !part_key<std::string (*)(int)> && !part_key<std::string>);

/// A key is asked as const.
struct unsteady {
    std::string operator()(part_view const&) { return "x"; }
};
static_assert(!part_key<unsteady>);

constexpr part_view some_call{.text = "arguments", .tool = "read", .call = "c1"};

bool gives(auto const& key, std::string_view wanted) { return condense::detail::key_of(key, some_call) == wanted; }

TEST_CASE("part_key: a text, or an optional one, and nothing is the empty text") {
    std::string const held(40, 'a');
    CHECK((gives([](part_view const& part) { return part.tool; }, "read") &&
           gives([](part_view const&) { return "fixed"; }, "fixed") &&
           gives([](part_view const& part) { return std::string(40, 'b').append(part.call); },
                 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbc1") &&
           gives([](part_view const& part) { return std::optional{part.text}; }, "arguments") &&
           gives([](part_view const&) { return std::optional{std::string(40, 'a')}; }, held) &&
           gives([&](part_view const&) -> std::string const& { return held; }, held) &&
           gives([&](part_view const&) { return &held; }, held)));
    CHECK((gives([](part_view const&) { return std::optional<std::string>{}; }, "") &&
           gives([](part_view const&) { return static_cast<std::string const*>(nullptr); }, "") &&
           gives([](part_view const&) { return std::string_view{}; }, "")));
    CHECK((gives([](part_view const&) { return std::optional{std::string_view{"a\0b", 3}}; }, {"a\0b", 3})));
}

}  // namespace
