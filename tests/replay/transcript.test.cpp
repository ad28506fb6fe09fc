// SPDX-License-Identifier: BSL-1.0
#include <condense/replay/transcript.hpp>

#include <list>
#include <set>

#include <condense/replay/arguments.hpp>
#include <condense/replay/lines.hpp>
#include <condense/replay/pairing.hpp>
#include <condense/replay/script.hpp>

#include "replay/talk.hpp"
#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using condense::detail::cost_of_message, condense::detail::message_in, condense::detail::messages_of_transcript,
    condense::detail::name_of_transcript, condense::detail::none32, condense::detail::plain_arguments,
    condense::detail::read_message, condense::detail::replay_pairing, condense::detail::replay_script;
using talk::line, talk::role;
using list = std::vector<std::uint32_t>;

TEST_CASE("a transcript has its own name, a container its place") {
    condense::transcript const told{"ticket 12", std::vector{U("a")}};
    static_assert(std::same_as<decltype(told), condense::transcript<chat_message> const>);
    CHECK(name_of_transcript(told, 3) == "ticket 12");
    CHECK(messages_of_transcript(told).size() == 1);
    std::list<talk::line> const plain(2);
    CHECK(name_of_transcript(plain, 3) == "3");
    CHECK(&messages_of_transcript(plain) == &plain);
    static_assert(std::same_as<message_in<std::list<talk::line>>, talk::line>);
}

// Facts read of each message

TEST_CASE("messages that differ in anything read differently") {
    auto const base = R("c1", "words");
    auto status = base;
    status.parts[0].status = part_status::error;
    auto sealed = base;
    sealed.parts[0].sealed = true;
    auto tool = base;
    tool.parts[0].tool = "read";
    auto priced = base;
    priced.parts[0].cost = condense::cost{0};
    auto twice = base;
    twice.parts.push_back(base.parts[0]);
    std::set<std::uint64_t> prints;
    for (auto const& m : {base, status, sealed, tool, priced, twice, R("c2", "words"), R("c1", "word"), A("words"),
                          U("words"), C("c1", "read", "words"), U("")})
        prints.insert(read_message(m).print);
    CHECK(prints.size() == 12);
    CHECK(read_message(base).print == read_message(R("c1", "words")).print);
}

TEST_CASE("a plain user message says something that answers no call, and costs its parts") {
    CHECK(read_message(U("go on")).plain_user());
    CHECK_FALSE(read_message(U("")).plain_user());
    CHECK_FALSE(read_message(A("go on")).plain_user());
    auto answer = R("c1", "words");
    answer.role = talk::role::user;
    CHECK_FALSE(read_message(answer).plain_user());
    answer.parts.push_back({.text = "and go on"});
    CHECK(read_message(answer).plain_user());
    auto m = U("12345");
    m.parts.push_back({.kind = part_kind::media, .text = "image/png", .cost = condense::cost::of({100})});
    CHECK(cost_of_message(m, per_byte{}).tokens().count == 105);
    CHECK(read_message(m).parts[1].size == 9);
    CHECK(read_message(U("\xC3\xA4")).parts[0].points == 1);
}

// Arguments of calls

TEST_CASE("arguments are read as lines of keys and values, without escapes, or stay as they are") {
    CHECK(plain_arguments(R"({"path":"a.cpp","size":120,"deep":{"on":true}})") ==
          "\"path\": \"a.cpp\"\n\"size\": 120\n\"on\": true\n");
    CHECK(plain_arguments(R"({"ids":["1","2"]})") == "\"ids\": \"1\"\n\"ids\": \"2\"\n");
    CHECK(plain_arguments(R"({"text":"one\n\tthis.ui \u00e9"})") == "\"text\": one\n\tthis.ui \xC3\xA9\n");
    CHECK(plain_arguments(R"({"text":"say \"hello there\""})") == "\"text\": say \"hello there\"\n");
    CHECK(plain_arguments(R"({"text":")" + letters(81) + "\"}") == "\"text\": " + letters(81) + "\n");
    CHECK(plain_arguments("\"alone\"") == "\"alone\"\n");
    for (std::string const text : {"", "{", "edit 1:3\nnew\\n", "{\"a\":}"}) CHECK(plain_arguments(text) == text);
    for (auto const& text : talk::hostile_texts())
        if (!condense::is_json(text)) CHECK(plain_arguments(text) == text);
}

TEST_CASE("only calls have arguments, and media have no words") {
    auto m = joined(C("1", "t", R"({"a":"x\ny"})"), A(R"({"a":"x\ny"})"));
    m.parts.push_back({.kind = part_kind::media, .text = "shot.png"});
    std::vector<std::string> all;
    condense::detail::each_text(m, [&](std::string_view text) { all.emplace_back(text); });
    CHECK(all == std::vector<std::string>{"\"a\": x\ny\n", R"({"a":"x\ny"})"});
}

// Labels and lines of words

/// The label of the item that ends with the first occurrence of the word.
std::string label_in(std::string_view text, std::string_view item) {
    condense::detail::line_cursor cursor{text};
    std::string label;
    bool reached = false;
    condense::detail::each_word(text, [&](condense::detail::word_print const& word) {
        if (reached) return;
        cursor.next(word.text);
        reached = word.text == item;
        if (reached) label = cursor.label_of(word.text);
    });
    CHECK(reached);
    return label;
}

TEST_CASE("a label is the key, or else the nearest word of letters before it on the line") {
    CHECK(label_in("order_id: 123, 456", "456") == "order_id");
    CHECK(label_in("the order 12 of W34 and", "W34") == "of");
    CHECK(label_in(R"({"order_id": "123", "ids": ["a1 1", "77"], "x": 8})", "77") == "ids");
    CHECK(label_in(R"({"note": "call the man 555"})", "555") == "note");
    CHECK(label_in(R"({\"note\": \"call 555\"})", "555") == "note");
    CHECK(label_in("he said \"now\" to 555", "555") == "to");
    CHECK(label_in("12 34", "34").empty());
    CHECK(label_in("word\n555", "555").empty());
    CHECK(label_in("\"key\": 1\n555", "555").empty());
    CHECK(label_in("far " + letters(40, '.') + "555", "555").empty());
    CHECK(label_in("far" + letters(39, '.') + "555", "555") == "far");
}

std::uint64_t print_in(std::string_view text, std::string_view item) {
    condense::detail::line_cursor cursor{text};
    std::uint64_t print = 0;
    condense::detail::each_word(text, [&](condense::detail::word_print const& word) {
        cursor.next(word.text);
        if (word.text == item) print = cursor.line_print();
    });
    return print;
}

TEST_CASE("lines are equal without the space around them, as far as 160 bytes") {
    auto const print = print_in("int a;", "a");
    CHECK(print != 0);
    CHECK(print_in("x\n\t  int a; \r\ny", "a") == print);
    CHECK(print_in("int a; // b", "a") != print);
    CHECK(print_in(letters(100, ' ') + "int a;", "a") == print);
    CHECK(print_in("a " + letters(158) + "y", "a") == print_in("a " + letters(158) + "z", "a"));
    CHECK(print_in("a " + letters(157) + "y", "a") != print_in("a " + letters(157) + "z", "a"));
}

// Calls and their results

replay_pairing paired(conversation const& all) {
    replay_pairing pairs;
    for (auto const& m : all) pairs.push(condense::detail::read_message(m));
    return pairs;
}

TEST_CASE("a result belongs to the nearest call with its id that waits") {
    auto const pairs = paired({C("a", "read"), R("a", "1"), C("a", "read"), C("b", "read"), R("a", "2"), R("a", "3"),
                               R("b", "4"), R("c", "5")});
    CHECK(pairs.linked(0) == list{1});
    CHECK(pairs.linked(2) == list{4, 5});
    CHECK(pairs.linked(3) == list{6});
    CHECK(pairs.linked(7).empty());
    CHECK(pairs.has_orphan(7));
    CHECK_FALSE(pairs.has_orphan(6));
}

TEST_CASE("parallel calls share their message, and a result without id belongs to the newest with calls") {
    CHECK(paired({C("a", "read").and_call("b", "read", "{}"), R("b", "1"), R("a", "2")}).linked(0) == list{1, 2});
    auto const pairs =
        paired({C("", "read"), R("", "1"), C("", "read").and_call("", "read", "{}"), R("", "2"), R("", "3")});
    CHECK(pairs.linked(0) == list{1});
    CHECK(pairs.linked(2) == list{3, 4});
    CHECK(paired({R("", "1")}).has_orphan(0));
}

TEST_CASE("the newest calls are open until an answer follows") {
    conversation all{U("x"), C("a", "read")};
    CHECK(paired(all).open() == 1);
    all.push_back(R("a", "1"));
    CHECK(paired(all).open() == 1);
    all.push_back(A("so"));
    CHECK(paired(all).open() == none32);
    all.push_back(C("b", "read"));
    CHECK(paired(all).open() == 4);
    CHECK(paired({A("hello")}).open() == none32);
}

TEST_CASE("ten thousand calls with one id are passed by once each") {
    conversation all;
    for (int at = 0; at < 10'000; ++at) all.push_back(C("same", "read"));
    for (int at = 0; at < 10'000; ++at) all.push_back(R("same", "x"));
    auto const pairs = paired(all);
    CHECK(pairs.linked(0) == list{19'999});
    CHECK(pairs.linked(9'999) == list{10'000});
}

// Answers

TEST_CASE("each assistant message is an answer, joined ones are one together") {
    std::list<line> const told{{role::assistant, "hello"},   {role::user, "a"},      {role::assistant, "b"},
                               {role::assistant, "c", true}, {role::assistant, "d"}, {role::user, "e", true},
                               {role::assistant, "f", true}};
    replay_script<line, per_byte> const script{told, {}};
    CHECK(script.size() == 7);
    REQUIRE(script.answers().size() == 4);
    auto const spans = [&](std::size_t at) { return std::pair{script.answers()[at].first, script.answers()[at].past}; };
    CHECK(spans(0) == std::pair<std::size_t, std::size_t>{0, 1});
    CHECK(spans(1) == std::pair<std::size_t, std::size_t>{2, 4});
    CHECK(spans(2) == std::pair<std::size_t, std::size_t>{4, 5});
    CHECK(spans(3) == std::pair<std::size_t, std::size_t>{6, 7});  // joined to a user message is joined to nothing
    CHECK(&script.at(0) == &told.front());
    CHECK(script.cost(0).tokens().count == 5);
    CHECK(script.reading(2).speaker == role::assistant);
}

}  // namespace
