// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json.hpp>

#include <map>

#include <condense/condense.hpp>
#include <condense/shorteners.hpp>

#include "adapt/foreign.hpp"
#include "adapt/json_fixtures.hpp"
#include "support/effort.hpp"

namespace {

using namespace condense::literals;
using adapt_tests::broken, adapt_tests::dump, adapt_tests::each_part, adapt_tests::list, adapt_tests::parts;
using adapt_tests::read, adapt_tests::rest_of, adapt_tests::table;
using condense::answerable, condense::composable, condense::message_traits, condense::part_kind, condense::part_view;
using condense::role, condense::role_of, condense::shortenable, condense::storable, condense::with_part;
using json = nlohmann::ordered_json;
using sorted = nlohmann::json;

template <class Json>
constexpr bool has_every_trait = shortenable<Json> && composable<Json> && answerable<Json> && storable<Json> &&
                                 condense::detail::part_removable<Json> && condense::detail::markable<Json>;
static_assert(has_every_trait<json> && has_every_trait<sorted> && !condense::message<std::vector<json>>);

/// One value of every JSON type, and some that nearly have a meaning.
template <class Json>
std::vector<Json> any_values() {
    std::vector<Json> out = read<Json>(
        R"([null, true, false, 0, -1, 18446744073709551615, 1.5, "", "text", [], {}, [null], ["a"], [1, "a", {}, []],
            {"a": {"b": [1]}}, [[["deep"]]], [{"type": "text"}], [{"type": "text", "text": "x"}], [{"type": "image"}],
            [{"type": "tool_result", "content": [{}]}], {"type": "text", "text": "x"},
            {"name": "f", "arguments": {"a": 1}}, [{"function": {"arguments": 7}}]])");
    out.push_back(Json(std::string{"\xFF\xC0 bytes"}));
    out.push_back(Json(std::numeric_limits<double>::quiet_NaN()));
    out.push_back(Json::binary({0, 255}));
    return out;
}

constexpr auto roles = {"user", "assistant", "system", "tool", "function", "toolResult", "narrator"};
constexpr auto block_types = {"text",         "thinking",    "redacted_thinking",      "tool_use", "server_tool_use",
                              "mcp_tool_use", "tool_result", "web_search_tool_result", "image",    "document",
                              "toolCall",     "_tool_result"};

std::vector<std::filesystem::path> transcripts() {
    std::vector<std::filesystem::path> found;
#ifdef CONDENSE_TRANSCRIPTS
    std::error_code failed;
    for (auto const& entry : std::filesystem::directory_iterator{CONDENSE_TRANSCRIPTS, failed})
        if (entry.path().extension() == ".json") found.push_back(entry.path());
    std::sort(found.begin(), found.end());
#endif
    return found;
}

/// The answers to all calls of a message.
std::vector<json> answers_to(json const& m) {
    std::vector<json> out;
    each_part(m, [&](part_view const& part) {
        if (part.kind == part_kind::tool_call) out.push_back(condense::make_result(m, part, "none"));
    });
    return out;
}

/// The parts of a message, and of the result that is made for its last call.
list parts_with_result(json const& m) {
    auto out = parts(m);
    auto call = part_view{.kind = part_kind::tool_call};
    each_part(m, [&](part_view const& part) {
        if (part.kind == part_kind::tool_call) call = {.kind = part.kind, .tool = part.tool, .call = part.call};
    });
    auto const answer = parts(condense::make_result(m, call, "no", 0));
    out.insert(out.end(), answer.begin(), answer.end());
    return out;
}

std::uint64_t touched = 0;  ///< members looked up, and objects copied

/// The object of a JSON value that counts what is done with it.
template <class Key, class Value, class Less, class Allocator>
struct counted_object : std::map<Key, Value, Less, Allocator> {
    using base = std::map<Key, Value, Less, Allocator>;
    using base::base;

    counted_object(counted_object const& other) : base(other) { ++touched; }
    counted_object(counted_object&&) = default;
    counted_object& operator=(counted_object const&) = default;
    counted_object& operator=(counted_object&&) = default;
    auto find(auto const& key) {
        ++touched;
        return base::find(key);
    }
    auto find(auto const& key) const {
        ++touched;
        return base::find(key);
    }
};
using counted = nlohmann::basic_json<counted_object>;

counted user(std::string text) { return {{"role", "user"}, {"content", std::move(text)}}; }
counted assistant(std::string text) { return {{"role", "assistant"}, {"content", std::move(text)}}; }
/// A message of so many blocks, in which ID stands for the number.
counted blocks(char const* speaker, std::size_t count, std::string const& block) {
    auto content = counted::array();
    for (std::size_t number = 0; number < count; ++number) {
        auto numbered = block;
        if (auto const at = numbered.find("ID"); at != block.npos) numbered.replace(at, 2, std::to_string(number));
        content.push_back(counted::parse(numbered));
    }
    return {{"role", speaker}, {"content", std::move(content)}};
}
counted calls(std::size_t count) {
    return blocks("assistant", count, R"({"type":"tool_use","id":"call_ID","name":"read","input":{}})");
}
/// Results with a text and an image each.
counted results(std::size_t count) {
    return blocks("user", count,
                  R"({"type":"tool_result","tool_use_id":"call_ID","content":[{"type":"text","text":")" +
                      std::string(300, 'a') + R"("},{"type":"image","source":{"type":"base64","data":"AAAA"}}]})");
}
counted images(std::size_t count) {
    auto m =
        blocks("user", count, R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}})");
    m["content"].push_back({{"type", "text"}, {"text", "see"}});
    return m;
}

auto const editing = condense::pipeline{
    condense::compress{.when = condense::always, .over = 100_chars, .with = condense::head{50_chars}},
    condense::compress{.when = condense::always, .with = condense::media_note{}}, condense::repair{}};

/// The parts touched where the messages have so many.
std::uint64_t touched_by(std::vector<counted> history) {
    history.push_back(assistant("ok"));
    history.push_back(user("go on"));
    touched = 0;
    CHECK(condense::reduce(history, editing, {.window = 1'000'000'000_tokens}).changed());
    return touched;
}

}  // namespace

TEST_CASE("json: roles by their spelling, and names", "[adapt][json]") {
    for (auto const& [spelt, speaker] :
         {std::pair{R"("system")", role::system}, std::pair{R"("developer")", role::system},
          std::pair{R"("user")", role::user}, std::pair{R"("assistant")", role::assistant},
          std::pair{R"("tool")", role::tool}, std::pair{R"("function")", role::tool},
          std::pair{R"("narrator")", role::other}, std::pair{"7", role::other}})
        CHECK(role_of(read(R"({"role":)" + std::string{spelt} + "}")) == speaker);
    for (auto const* const other : {"{}", R"(["role","user"])", "null"}) CHECK(role_of(read(other)) == role::other);
    CHECK(condense::name_of(read(R"({"role":"user","name":"ann"})")) == "ann");
    CHECK(condense::name_of(read(R"({"role":"tool","name":"ls"})")).empty());
    CHECK(condense::name_of(read(R"({"role":"user","name":["ann"]})")).empty());
}

TEST_CASE("json: strings are shown where they are", "[adapt][json]") {
    auto const m = read(R"({"role":"assistant","content":[{"type":"text","text":"a text"}],
                            "tool_calls":[{"id":"c1","function":{"name":"ls","arguments":"{}"}}]})");
    std::vector<char const*> seen;
    each_part(m, [&](part_view const& part) { seen.push_back(part.text.data()); });
    auto const& text = m["content"][0]["text"].get_ref<std::string const&>();
    auto const& arguments = m["tool_calls"][0]["function"]["arguments"].get_ref<std::string const&>();
    CHECK(seen == std::vector<char const*>{text.data(), arguments.data()});
}

TEST_CASE("json: a new text goes to its place and nothing else changes", "[adapt][json]") {
    // The place is named by its text, TARGET; the expected message is the old one's dump with that replaced.
    for (auto const& m : table("targets")) {
        CAPTURE(m.dump());
        std::size_t index = 0, found = 0;
        each_part(m, [&](part_view const& part) {
            ++index;
            if (part.text == "TARGET") found = index;
        });
        REQUIRE(found != 0);
        auto wanted = m.dump();
        wanted.replace(wanted.find("TARGET"), 6, "short");
        CHECK(with_part(m, found - 1, "short").dump() == wanted);
    }
}

// Arguments that are JSON stay JSON, an empty result takes a text, and sealed parts but media stay. A text in place of
// media is in the form of its neighbours; in an answer it is part of the answer, or a document where no text is, unless
// there are no blocks.
TEST_CASE("json: a text is written in the form of its place, or not at all", "[adapt][json]") {
    for (auto const& row : table("written")) {
        CAPTURE(row.dump());
        auto const& m = row[0];
        auto const all_of = [](json const& of) { return of.is_array() ? of : json::array({of}); };
        for (auto const& index : all_of(row[1]))
            for (auto const& text : all_of(row[2]))
                CHECK(with_part(m, index.get<std::size_t>(), text).dump() == row[row.size() == 3 ? 0 : 3].dump());
    }
    auto const call = read(R"({"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"w","input":{}}]})");
    CHECK(with_part(call, 0, "\xFF") == call);
}

TEST_CASE("json: removing a part", "[adapt][json]") {
    for (auto const& row : table("removed")) {
        CAPTURE(row.dump());
        CHECK(condense::without_part(row[0], row[1].get<std::size_t>()).dump() == row[row.size() == 2 ? 0 : 2].dump());
    }
}

TEST_CASE("json: media become notes in a conversation, and no cost is wrong", "[adapt][json]") {
    std::vector<json> messages = read(
        R"([{"role":"user","content":"look"},
            {"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"shot","arguments":"{}"}}]},
            {"role":"tool","tool_call_id":"c1",
             "content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]},
            {"role":"assistant","content":[{"type":"tool_use","id":"c2","name":"shot","input":{}},
                                           {"type":"tool_use","id":"c3","name":"shot","input":{}}]},
            {"role":"user","content":[
                {"type":"tool_result","tool_use_id":"c2","content":[{"type":"image"},{"type":"image"}]},
                {"type":"tool_result","tool_use_id":"c3","content":[{"type":"image"},"two",{"type":"image"}]},
                {"type":"image"}]},
            {"role":"assistant","content":"cats"}, {"role":"user","content":"thanks"}])");
    auto const before = messages;
    condense::pipeline const mix{condense::compress{.when = condense::always, .with = condense::media_note{}}};
    condense::default_estimator<> const count;
    auto const report = condense::reduce(messages, mix, {.window = 100'000_tokens}, count);
    CHECK(report.layers[0].parts_shortened == 5);
    CHECK(report.layers[0].refused == 1);
    REQUIRE(messages.size() == before.size());
    CHECK(messages[2] == before[2]);  // the image is all that answers the call
    auto const note = [](std::string const& how) { return how + "[image, omitted; ask for it again if it is needed]"; };
    CHECK(parts(messages[4]) == list{note("text #c2: "), note("text #c2: "),
                                     "tool result #c2: ", note("tool result #c3: "), "tool result #c3: two",
                                     note("tool result #c3: "), note("text: ")});
    condense::cost sum;
    for (auto const& m : messages) {
        sum += count.frame(role_of(m));
        each_part(m, [&](part_view const& part) { sum += condense::detail::part_cost(count, part); });
    }
    CHECK(sum.tokens() == report.after.tokens);
    auto const once = messages;
    CHECK_FALSE(condense::reduce(messages, mix, {.window = 100'000_tokens}, count).changed());
    CHECK(messages == once);
}

TEMPLATE_TEST_CASE("json: messages of the tables keep the law", "[adapt][json]", json, sorted) {
    auto const check = [](TestType const& m) {
        CAPTURE(m.dump());
        CHECK(broken(m) == "");
    };
    for (auto const* const rows : {"odd", "places", "removed"})
        for (auto const& row : table(rows)) check(row[0]);
    for (auto const* const messages : {"targets", "strange"})
        for (auto const& m : table(messages)) check(m);
}

TEMPLATE_TEST_CASE("json: any value in any field", "[adapt][json]", json, sorted) {
    list failures;
    std::size_t tried = 0;
    auto const check = [&](TestType const& m) {
        if (tried++ % stride() != 0) return;
        if (auto const what = broken(m); !what.empty() && failures.size() < 5)
            failures.push_back(what + " in " + dump(m));
    };
    auto const values = any_values<TestType>();
    auto const rich = read<TestType>(R"({"content":[{"type":"text","text":"a"},{"type":"image"},"b"],"name":"n",
        "tool_call_id":"c1","reasoning_content":"r","refusal":"f","tool_calls":[{"id":"c2","function":{"name":"g","arguments":"{}"}}],
        "function_call":{"name":"h","arguments":{"k":1}}})");

    for (auto const& value : values) check(value);
    for (auto const* const speaker : roles)
        for (auto const* const field : {"role", "content", "name", "tool_call_id", "tool_call_ids", "tool_calls",
                                        "function_call", "reasoning_content", "refusal", "condense"})
            for (auto const& value : values)
                for (auto m : {TestType::object(), rich}) {
                    m["role"] = speaker;
                    m[field] = value;
                    check(m);
                }
    for (auto const* const speaker : {"assistant", "tool"})
        for (auto const* const type : block_types)
            for (auto const* const field : {"type", "text", "thinking", "signature", "data", "id", "name", "input",
                                            "tool_use_id", "content", "is_error"})
                for (auto const& value : values) {
                    TestType block{{"type", type}};
                    block[field] = value;
                    TestType const nesting{{"type", "tool_result"}, {"content", TestType::array({block})}};
                    check({{"role", speaker}, {"content", TestType::array({block, nesting})}});
                }
    for (auto const* const field : {"id", "type", "function", "custom"})
        for (auto const* const inner : {"name", "arguments", "input"})
            for (auto const& value : values) {
                TestType m{{"role", "assistant"}, {"tool_calls", TestType::array({TestType{{field, value}}})}};
                check(m);
                TestType const within{{inner, value}};
                m["tool_calls"].push_back(TestType{{field, within}});
                m["function_call"] = within;
                check(m);
            }
    CHECK(failures == list{});
    CHECK(tried > 10'000);
}

TEST_CASE("json: ill-formed UTF-8", "[adapt][json]") {
    std::string const bytes{"a\xFF\xED\xA0\x80z"};
    auto m =
        read(R"({"role":"assistant","content":[{"type":"text"},{"type":"tool_use","id":"c1","name":"w","input":{}}]})");
    m["content"][0]["text"] = bytes;
    m["content"][1]["input"]["q"] = bytes;
    auto const seen = parts(m);
    REQUIRE(seen.size() == 2);
    CHECK(seen[0] == "text: " + bytes);
    CHECK(condense::detail::utf8::valid(seen[1]));
    auto const same = with_part(m, 1, seen[1].substr(seen[1].find('{')));
    CHECK(same["content"][1]["input"]["q"] == bytes);
}

TEST_CASE("json: marks", "[adapt][json]") {
    auto m = read(R"({"role":"user","content":"a"})");
    auto const plain = m;
    CHECK(condense::mark_of(m).empty());
    for (auto const* const mark : {"short.0", "summary"}) {
        condense::set_mark(m, mark);
        CHECK(m.at("condense") == mark);
        CHECK(condense::mark_of(m) == mark);
        CHECK(m.size() == 3);
    }
    auto const marked = m;
    for (int again = 0; again < 2; ++again) {
        condense::set_mark(m, "");
        CHECK(m == plain);
    }
    CHECK(condense::mark_of(read(R"({"condense":["short.0"]})")).empty());
    // They are taken from a message, an array and a container.
    auto one = marked;
    condense::without_marks(one);
    CHECK(one == plain);
    auto array = json::array({marked, 7, marked});
    condense::without_marks(array);
    CHECK(array == json::array({plain, 7, plain}));
    std::vector<json> history(2, marked);
    condense::without_marks(history);
    CHECK(history == std::vector<json>(2, plain));
}

TEST_CASE("json: messages that the library writes", "[adapt][json]") {
    using condense::detail::make_fn;
    CHECK(make_fn::make<json>(role::user, "a summary") == read(R"({"role":"user","content":"a summary"})"));
    for (auto const speaker : {role::system, role::user, role::assistant, role::tool, role::other})
        CHECK(role_of(make_fn::make<json>(speaker, "x")) == speaker);
    auto const beside = [](json const& neighbour) { return message_traits<json>::make(role::user, "hi", neighbour); };
    for (auto const& row : table("beside")) {
        CAPTURE(row.dump());
        CHECK(beside(row[0]).dump() == row[1].dump());
    }
    auto const ui = beside(read(R"({"id":"m","role":"user","parts":[{"type":"text","text":"a"}]})"));
    CHECK(ui["parts"] == read(R"([{"type":"text","text":"hi"}])"));
    CHECK(ui["id"].get<std::string>().starts_with("summary-"));
}

TEST_CASE("json: the messages of a document", "[adapt][json]") {
    auto array = read(R"([{"role":"user","content":"a"},{"role":"assistant","content":null}])");
    REQUIRE(condense::messages_of(array));
    CHECK(&*condense::messages_of(array) == array.get_ptr<json::array_t*>());
    auto body =
        read(R"({"model":"m","messages":[{"role":"user"},{"role":"user","content":[]},{"role":"user","content":""}]})");
    REQUIRE(condense::messages_of(body));
    CHECK(condense::messages_of(body)->size() == 3);
    condense::messages_of(body)->pop_back();
    for (auto const* const key : {"previous_response_id", "conversation", "previous_interaction_id"}) {
        auto turn = read(R"({"input":[{"role":"user","content":"and?"}]})");
        turn[key] = nullptr;
        CHECK(condense::messages_of(turn));
        turn[key] = "resp_1";
        CHECK(condense::messages_of(turn).error.text().find("kept by the provider (" + std::string{key}) !=
              std::string::npos);
    }
    CHECK(body.at("messages").size() == 2);
    for (auto const* const text : {"{}", R"({"messages":{}})", R"({"messages":"x"})", R"("messages")", "null", "1"}) {
        auto other = read(text);
        CHECK_FALSE(condense::messages_of(other));
        CHECK(condense::messages_of(other).list == nullptr);
        CHECK(condense::messages_of(other).error.text() ==
              "condense: json: an array of messages is wanted, or a request body that holds one as 'messages', "
              "'input', 'contents' or 'prompt'");
        CHECK_THROWS_AS(*condense::messages_of(other), condense::unknown_shape);
    }
    auto foreign = read(R"({"messages":[{"role":"user","content":"a"},{"from":"human","value":"hi"}]})");
    auto const found = condense::messages_of(foreign);
    CHECK_FALSE(found);
    CHECK(found.list != nullptr);
    CHECK(found.error.message == 1);
    CHECK_THROWS_AS(*found, condense::unknown_shape);
}

TEST_CASE("json: a result that is only an image answers its call", "[adapt][json]") {
    condense::outline facts;
    auto const add = [&](std::string_view text) { facts.append(read(text), condense::chars_per_token{100}); };
    add(R"({"role":"user","content":"look"})");
    add(R"({"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"shot","input":{}}]})");
    add(R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"image"}]}]})");
    CHECK(facts.group_of(2) == facts.group_of(1));
    CHECK(facts.open(facts.group_of(1)));
    add(R"({"role":"assistant","content":"a cat"})");
    CHECK_FALSE(facts.open(facts.group_of(1)));
}

TEST_CASE("json: every part of the recorded conversations", "[adapt][json][transcripts]") {
    auto const files = transcripts();
    if (files.empty()) {
        WARN("SKIPPED: no transcripts; set CONDENSE_TRANSCRIPTS to their folder");
        SUCCEED("a test without assertions counts as failed");
        return;
    }
    // Calls, results and characters of text, by the transcripts' own README; less the URL of an image,
    // and counting compact JSON and both blocks of a result of two.
    struct totals {
        std::size_t calls, results;
        std::uint64_t chars;
        bool operator==(totals const&) const = default;
    };
    std::map<std::string, totals> known{
        {"claude-code-share-wording.json", {31, 32, 100'980}}, {"deepseek-api-reasoning-parallel.json", {4, 4, 934}},
        {"mistral-api-image-url.json", {1, 1, 124}},           {"openhands-ponyc-4595.json", {23, 22, 89'430}},
        {"openhands-sdk-fncall-claude.json", {5, 5, 13'737}},  {"pi-large-session.json", {391, 373, 495'726}},
        {"swe-function-calling-simple.json", {5, 5, 8'244}},   {"tau-airline-cjk-fragment.json", {6, 6, 12'651}},
        {"tau-airline-long-62.json", {27, 27, 30'286}},        {"tau-airline-long-dense.json", {20, 20, 24'860}},
        {"tau-retail-long-62.json", {23, 23, 38'561}},
    };
    std::size_t parts_seen = 0;
    for (auto const& path : files) {
        auto const name = path.filename().string();
        CAPTURE(name);
        std::ifstream file{path, std::ios::binary};
        auto document = condense::parse_json(std::string{std::istreambuf_iterator<char>{file}, {}});
        REQUIRE(document.error == "");
        auto const messages = condense::messages_of(document.value);
        CHECK(messages.error.text() == condense::shape_error{}.text());
        REQUIRE(messages);
        REQUIRE_FALSE(messages->empty());
        totals sum{};
        for (auto const& m : *messages) {
            CHECK(broken(m) == "");
            CHECK(role_of(m) != role::other);
            each_part(m, [&](part_view const& part) {
                ++parts_seen;
                sum.calls += part.kind == part_kind::tool_call;
                sum.results += part.kind == part_kind::tool_result;
                if (part.kind != part_kind::media) sum.chars += condense::detail::utf8::count(part.text);
            });
        }
        if (known.contains(name)) CHECK(sum == known[name]);
        known.erase(name);
    }
    CHECK(known.empty());
    CHECK(parts_seen > 500);
}

TEST_CASE("json: bytes hold all of a message, as text where text can hold it", "[adapt][json]") {
    auto const back = [](json const& m) {
        auto const held = condense::to_bytes(m);
        auto const found = condense::from_bytes<json>(held);
        return found && *found == m && condense::to_bytes(*found) == held;
    };
    for (std::string_view const text :
         {R"({"role":"user","content":"hi"})", R"({"z":1,"a":{"b":[1,2.5,-3,true,null,"\u0000\ud83d\ude00"]}})",
          R"([])", R"({})", R"("")", "null", "1", "18446744073709551615", "-9223372036854775808", "0.1", "1e300",
          "-0.0", R"({"n":1.0})"}) {
        auto const m = read(text);
        INFO(text);
        CHECK(back(m));
        CHECK(condense::to_bytes(m).find('\n') == std::string::npos);
        CHECK(condense::to_bytes(m)[0] != '\xD9');
    }
    // What text can not hold.
    json const ill_formed{{"role", "user"}, {"content", "a\xFF\xC3"}};
    CHECK(condense::to_bytes(ill_formed).substr(0, 3) == "\xD9\xD9\xF7");
    json const infinite = std::numeric_limits<double>::infinity();
    json deep = 1;
    json far_down = infinite;
    for (int level = 0; level < 128; ++level) {
        deep = json::array({deep});
        far_down = json::array({far_down});
    }
    CHECK(condense::to_bytes(far_down)[0] == '\xD9');
    for (auto const& m : {ill_formed, json{{"n", infinite}}, json{{"b", json::binary({1, 2, 255})}}, deep, far_down})
        CHECK(back(m));
}

TEST_CASE("json: bytes that were cut, changed or made up give nothing, or another message", "[adapt][json]") {
    auto const text = read(R"({"role":"assistant","content":[{"type":"text","text":"so \u00e9"}],"n":[1,2.5,null]})");
    auto binary = text;
    binary["content"][0]["text"] = "ill-formed \xFF";
    for (auto const& m : {text, binary}) CHECK(foreign::refused_of_changed(m) > 100);
    CHECK_FALSE(condense::from_bytes<json>(""));
    CHECK_FALSE(condense::from_bytes<json>("\xD9\xD9\xF7"));
    // Text and binary each go by a parser with a limit on depth.
    CHECK_FALSE(condense::from_bytes<json>(std::string(129, '[') + std::string(129, ']')));
    CHECK_FALSE(condense::from_bytes<json>("\xD9\xD9\xF7" + std::string(129, '\x81') + '\x01'));
}

TEST_CASE("json: an answer to a call has the shape of the call", "[adapt][json]") {
    for (auto const& row : table("answers")) {
        CAPTURE(row.dump());
        auto const found = answers_to(row[0]);
        CHECK(json(found).dump() == json(json::array_t(row.begin() + 1, row.end())).dump());
        for (auto const& m : found) {
            REQUIRE(parts(m).size() == 1);
            CHECK(parts(m)[0].starts_with("tool result"));
        }
    }
    for (auto const& row : table("results")) {
        CAPTURE(row.dump());
        CHECK(parts_with_result(row[0]) == rest_of(row));
    }
    CHECK(parts_with_result(read(R"({"role":"assistant","tool_calls":[{}]})")).size() == 2);
    // What the provider runs itself, and what takes no result, is not for us to answer.
    auto const* const searches =
        R"({"role":"assistant","content":[{"type":"server_tool_use","id":"1","name":"f","input":{}}]})";
    CHECK(parts(answers_to(read(searches))[0]).empty());
    for (auto const& m : table("unanswered")) {
        CAPTURE(m.dump());
        auto const found = parts_with_result(m);
        REQUIRE(found.size() == 1);
        CHECK(found[0].starts_with("tool call"));
    }
    // Hostile: every field of another type.
    for (auto const* const odd : {R"({"role":"assistant","content":[{"type":"tool_use","id":7,"name":[],"input":3}]})",
                                  R"({"role":"assistant","content":[{"type":"tool_use"}]})",
                                  R"({"role":"assistant","tool_calls":[{"id":{},"function":{}}]})"})
        CHECK(answers_to(read(odd)).size() == 1);
}

// A summary joins what the user said, whichever comes first; other members are of one of two neighbours, or the same.
TEST_CASE("json: what neighbours hold is joined", "[adapt][json]") {
    for (auto const& row : table("joined")) {
        CAPTURE(row.dump());
        auto m = row[0];
        CHECK(condense::detail::append_message(m, row[1]) == (row.size() == 3));
        CHECK(m.dump() == row[row.size() == 3 ? 2 : 0].dump());
    }
}

TEST_CASE("json_editor: parts of one message cost their number", "[adapt][json]") {
    using history = std::vector<counted>;
    using maker = history (*)(std::size_t);
    for (auto const& [name, make] : std::initializer_list<std::pair<char const*, maker>>{
             {"results", [](std::size_t n) { return history{user("go"), calls(n), results(n)}; }},
             {"images", [](std::size_t n) { return history{user("go"), assistant("what?"), images(n)}; }},
             {"results without a call",
              [](std::size_t n) { return history{user("go"), calls(1), results(1), results(n)}; }},
             {"repeated results", [](std::size_t n) { return history{user("go"), calls(n), results(n), results(n)}; }},
             {"calls without a result", [](std::size_t n) { return history{user("go"), calls(n), user("leave it")}; }},
         }) {
        auto const few = touched_by(make(50));
        auto const many = touched_by(make(400));
        CAPTURE(name, few, many);
        CHECK(many <= few * 8);
    }
}

TEST_CASE("json_editor: a text that becomes a block of its own moves no other part", "[adapt][json]") {
    auto m = counted::parse(R"({"role":"tool","tool_call_id":"c","content":[{"type":"image"},{"type":"image"}]})");
    // The part behind the media has no place yet; those written after it have one that the new block may have moved.
    condense::with_edits(m, {{.index = 2, .text = "note"}});
    CHECK(m["content"].size() == 3);
    CHECK(m["content"][2]["text"] == "note");
    condense::detail::json_editor<counted> editor{m};
    editor.write(2, "notes");
    editor.write(0, "a cat");
    editor.write(7, "nothing");
    CHECK(m["content"][2]["text"] == "notes");
    CHECK(m["content"][0]["text"] == "a cat");
}
