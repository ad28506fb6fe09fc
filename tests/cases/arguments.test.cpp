// SPDX-License-Identifier: BSL-1.0

// Acceptance cases: long arguments of calls are shortened, and stay arguments.

#include <nlohmann/json.hpp>

#include "cases/runs.hpp"

namespace {

using namespace cases;
using condense::point_to_file, condense::shorten_arguments, nlohmann::json;

std::string writing(std::size_t size, char letter = 'x') {
    return R"({"path":"a.txt","content":")" + letters(size, letter) + R"("})";
}

/// Which messages are not what they were.
list changed(conversation const& before, conversation const& after) {
    REQUIRE(before.size() == after.size());
    list out;
    for (std::size_t index = 0; index < before.size(); ++index)
        if (before[index] != after[index]) out.push_back(static_cast<int>(index));
    return out;
}

std::string const& arguments_of(chat_message const& m) { return m.parts.front().text; }

TEST_CASE("a written file leaves its path and a pointer", "[case-63]") {
    conversation const before{U(), C("c1", "write_file", writing(2'200)), R("c1", "done"), A()};
    auto messages = before;
    auto const report = condense::reduce(messages, compress{.when = always, .with = point_to_file{}}, roomy, per_char{},
                                         fakes::with_marks());
    CHECK(changed(before, messages) == list{1});
    auto const& call = messages[1].parts.front();
    auto const left = json::parse(call.text);
    CHECK(left.at("path") == "a.txt");
    CHECK(contains(left.at("content").get<std::string>(), "2,100 of 2,200 characters omitted; read a.txt"));
    CHECK(left.size() == 2u);
    CHECK(call.call == "c1");
    CHECK(call.tool == "write_file");
    CHECK_FALSE(messages[1].mark.empty());
    CHECK(report.layers[0].parts_shortened == 1u);
}

TEST_CASE("a string at the limit stays, one over it becomes a prefix and a marker", "[case-65]") {
    pipeline const mix{compress{.when = always, .with = shorten_arguments{.over = 2'000_chars}}};
    auto const call = [](std::size_t size) { return conversation{U(), C("1", "write", writing(size)), R("1"), A()}; };
    CHECK(cases::after(call(2'000), mix) == call(2'000));
    auto const left = cases::after(call(2'001), mix);
    CHECK(changed(call(2'001), left) == list{1});
    CHECK(
        arguments_of(left[1]) ==
        R"({"path":"a.txt","content":"xxxxxxxxxxxxxxxxxxxx[... 1,981 of 2,001 characters omitted; the tool received all of them ...]"})");
}

TEST_CASE("the newest messages keep their arguments", "[case-66]") {
    conversation before{U(), A(), U(), A()};
    before += {C("1", "write", writing(5'000)).and_call("2", "write", writing(10)), C("3", "write", writing(5'000)),
               RR("1", "2"), R("3")};
    while (before.size() < 25) before.push_back(before.size() % 2 == 0 ? U() : A());
    auto const left = cases::after(
        before, compress{.when = always, .protect = task | last(20_messages), .with = shorten_arguments{}});
    CHECK(changed(before, left) == list{4});
    CHECK(json::accept(arguments_of(left[4])));
}

TEST_CASE("an argument that is an array or an object stays one", "[case-68]") {
    pipeline const mix{compress{.when = always, .with = shorten_arguments{}}};
    auto rows = json::array();
    while (rows.dump().size() < 9'000) rows.push_back({{"id", rows.size()}, {"note", "short"}});
    auto tree = json::object();
    tree["deep"]["er"] = letters(9'000);
    tree["deep"]["n"] = 1.5;
    for (auto const& [value, shortened] : {std::pair{rows, false}, std::pair{tree, true}}) {
        conversation const before{U(), C("1", "store", json{{"value", value}}.dump()), R("1"), A()};
        auto const left = cases::after(before, mix);
        CHECK(changed(before, left) == (shortened ? list{1} : list{}));
        auto const now = json::parse(arguments_of(left[1])).at("value");
        CHECK(now.type() == value.type());
        CHECK(now.size() == value.size());
    }
}

TEST_CASE("arguments older than the newest tokens are shortened", "[case-70]") {
    conversation const before{
        U(), C("1", "write", writing(5'000)), R("1"), C("2", "write", writing(4'000)), R("2"), U(), A(letters(500))};
    auto const left =
        cases::after(before, compress{.when = always, .protect = covering(100_tokens), .with = shorten_arguments{}});
    CHECK(changed(before, left) == list{1, 3});
    // The newest is a call of 500 tokens itself.
    auto const calling = before + conversation{U(), C("3", "write", writing(470)), R("3", ""), A("")};
    compress const layer{.when = always, .protect = covering(100_tokens), .with = shorten_arguments{.over = 200_chars}};
    CHECK(changed(calling, cases::after(calling, layer)) == list{1, 3});
}

TEST_CASE("arguments that shrink enough need no summary", "[case-71]") {
    int asked = 0;
    auto const ask = [&asked](std::string_view) {
        ++asked;
        return std::string{"in short"};
    };
    conversation before{U(letters(1'000))};
    for (auto const* const id : {"1", "2", "3"}) before += {C(id, "write", writing(5'000)), R(id, letters(9'000))};
    before += {A(letters(1'400)), U(letters(500)), A()};
    auto messages = before;
    auto const report =
        run(messages, pipeline{compress{.when = used >= 40'000_tokens, .with = shorten_arguments{.over = 2'000_chars}},
                               summarize{.when = used >= 40'000_tokens, .protect = last(2_messages), .with = ask}});
    CHECK(report.before.tokens.count > 44'900u);
    CHECK(report.before.tokens.count < 45'100u);
    CHECK(asked == 0);
    CHECK(report.layers[1].outcome != layer_outcome::applied);
    CHECK(report.after.tokens.count < 40'000u);
    CHECK(report.after.tokens.count == size_of(messages));
    CHECK(changed(before, messages).front() == 1);
    CHECK(broken(messages) == "");
    // Without the arguments in the way there is a summary.
    messages = before;
    static_cast<void>(
        run(messages, summarize{.when = used >= 40'000_tokens, .protect = last(2_messages), .with = ask}));
    CHECK(asked == 1);
}

TEST_CASE("a large argument alone counts, and is shortened under pressure", "[case-181]") {
    std::string words;
    while (words.size() < 100'000) words += "some words ";
    conversation messages{C("1", "write", R"({"path":"a.txt","content":")" + words + R"("})")};
    condense::budget const limits{.window = 16'000_tokens};
    auto const report = condense::reduce(messages, pipeline{compress{.with = shorten_arguments{}}, escalate{}}, limits);
    CHECK(report.before.tokens.count > 10'000u);
    CHECK(report.layers[0].saved.count > 10'000u);
    CHECK(report.fits());
    REQUIRE(messages.size() == 1u);
    CHECK(messages[0].parts.front().call == "1");
    CHECK(json::parse(arguments_of(messages[0])).at("path") == "a.txt");
}

TEST_CASE("calls of the named tools, older than the newest two messages", "[case-T40]") {
    auto const steps = [](std::string const& id) {
        return conversation{C(id, "write_file", writing(200)), R(id),
                            C("r" + id, "read_file", R"({"path":")" + letters(200, 'p') + R"("})"), R("r" + id)};
    };
    auto const before =
        conversation{U()} + steps("1") + steps("2") + conversation{C("3", "write_file", writing(200)), A()};
    compress const layer{.when = always,
                         .protect = last(2_messages),
                         .with = shorten_arguments{.over = 100_chars, .keep = 20_chars, .tools = tools("write_*")}};
    auto const left = cases::after(before, layer);
    CHECK(changed(before, left) == list{1, 5});
    auto const now = json::parse(arguments_of(left[1]));
    CHECK(now.at("path") == "a.txt");
    CHECK(now.at("content") == letters(20) + "[... 180 of 200 characters omitted; the tool received all of them ...]");
}

}  // namespace
