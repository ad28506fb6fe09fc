// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/json_sample.hpp>

#include "core/constant.hpp"
#include "shorten/shortener_laws.hpp"
#include "support/fakes.hpp"

namespace {

using namespace condense::literals;
namespace json = condense::detail::json;
using condense::json_sample, fakes::contains, fakes::repeated, nlohmann::ordered_json;

static_assert(condense::shortener<json_sample>);

/// What it makes of a text, or "" where it does not apply.
std::string sampled(json_sample const& shorten, std::string_view text, condense::cut how = {}) {
    return shorten({.text = text}, how).value_or("");
}

constexpr bool works_in_constants() {
    return json_sample{.items = 1, .last = 0, .outliers = 0}(
               {.text = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, "
                        "16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27]"},
               {}) == "[1,\"[... 26 of 27 items omitted from 99 bytes ...]\"]";
}
// libstdc++ 12 has no strings there with either of these, nor for i686, s390x and aarch64.
#if !defined(__clang__) && !defined(_GLIBCXX_ASSERTIONS) && defined(__x86_64__)
static_assert(works_in_constants());
#endif

struct numbers : laws::random_source {
    using random_source::random_source;
    std::uint64_t between(std::uint64_t least, std::uint64_t most) { return least + below(most - least + 1); }
    template <std::size_t Count>
    std::string one_of(std::string_view const (&choices)[Count]) {
        return std::string{choices[below(Count)]};
    }
    std::string id() {
        std::string out;
        while (out.size() < 12) out.push_back("0123456789abcdef"[below(16)]);
        return out;
    }
};

constexpr std::string_view people[] = {"anna", "bob", "carl", "dora", "emil", "fred", "gina", "hans", "ida", "jan"};
constexpr std::string_view verbs[] = {"Processed item", "Stored item", "Sent item to queue", "Checked item"};
constexpr std::string_view services[] = {"billing", "search", "mail"};
constexpr std::string_view levels[] = {"INFO", "INFO", "INFO", "DEBUG", "NOTICE"};

constexpr std::string_view words_of_text[] = {"the",  "order", "was",  "placed",  "by",   "customer", "and",
                                              "paid", "with",  "card", "in",      "shop", "at",       "noon",
                                              "then", "sent",  "to",   "address", "near", "station"};

/// Four sorts of rows in which much varies.
ordered_json row(numbers& random, std::uint64_t sort, std::uint64_t index) {
    auto const time = "2024-05-" + std::to_string(10 + index / 1'440 % 18) +
                      "T10:" + std::to_string(10 + index / 60 % 50) + ":" + std::to_string(10 + index % 50) + "Z";
    if (sort == 0)
        return {{"time", time},
                {"level", random.one_of(levels)},
                {"ok", true},
                {"service", random.one_of(services)},
                {"request", random.id()},
                {"status", random.below(10) == 0 ? 204 : 200},
                {"millis", random.between(20, 90)},
                {"message",
                 random.one_of(verbs) + " " + std::to_string(random.below(90'000)) + " for " + random.one_of(people)}};
    if (sort == 1)
        return {{"id", 1'000 + index},
                {"name", random.one_of(people) + std::to_string(random.below(500))},
                {"ok", true},
                {"status", 0},
                {"millis", random.between(100, 160)},
                {"message", "done in " + std::to_string(random.below(900)) + " steps"},
                {"result",
                 {{"count", random.between(10, 30)}, {"hash", random.id()}, {"tags", {"a", random.one_of(people)}}}}};
    if (sort == 3) {
        // Much noise: keys that come and go, long tails, many names, free text.
        ordered_json made{{"id", random.below(1'000'000)}, {"ok", true}, {"status", random.below(40) + 100}};
        std::uint64_t slow = 10;
        while (random.below(2) == 0 && slow < 2'000) slow *= 2;
        made["millis"] = slow + random.below(slow);
        std::string text;
        for (auto left = random.between(3, 9); left != 0; --left) text += random.one_of(words_of_text) + " ";
        made["message"] = text + random.one_of(people) + std::to_string(random.below(50));
        if (random.below(10) == 0) made["retry"] = random.below(3);
        if (random.below(8) == 0) made["note"] = random.one_of(people);
        if (random.below(30) == 0) made["parent"] = {{"id", random.id()}};
        made["region"] = "zone-" + std::to_string(random.below(30));
        return made;
    }
    return {{"id", random.id()},
            {"at", 1'700'000'000'000 + index * 1'000 + random.below(999)},
            {"user", {{"name", random.one_of(people)}, {"age", random.between(20, 70)}}},
            {"ok", true},
            {"status", random.below(3)},
            {"millis", static_cast<double>(random.between(1'000, 9'000)) / 100},
            {"message", random.one_of(people) + " " + random.one_of(verbs) + " " + random.one_of(services)}};
}

constexpr std::size_t forms = 8;

/// Makes the row one that a reader must see, without a word that a list would hold.
void spoil(ordered_json& row, std::size_t form, numbers& random) {
    static constexpr std::string_view foreign[] = {
        "Die Verbindung wurde abgelehnt", "la connexion a expir\xC3\xA9 apr\xC3\xA8s trop de temps",
        "\xE8\xBF\x9E\xE6\x8E\xA5\xE8\xA2\xAB\xE6\x8B\x92\xE7\xBB\x9D", "no se pudo abrir el archivo",
        "\xD0\xBE\xD1\x88\xD0\xB8\xD0\xB1\xD0\xBA\xD0\xB0 \xD0\xB4\xD0\xB8\xD1\x81\xD0\xBA\xD0\xB0"};
    switch (form) {
        case 0: row["status"] = 507 + random.below(90); break;
        case 1: row["cause"] = {{"origin", "disk7"}, {"detail", {{"sector", random.below(9'000)}}}}; break;
        case 2: row["message"] = random.one_of(foreign); break;
        case 3: row["ok"] = false; break;
        case 4: row.erase(random.below(2) == 0 ? "status" : "message"); break;
        case 5: row["message"] = row["message"].get<std::string>() + std::string(random.between(200, 600), 'x'); break;
        case 6:
            if (random.below(2) == 0) row["millis"] = "n/a";
            else row["millis"] = nullptr;
            break;
        default: row["millis"] = random.between(5'000, 90'000);
    }
}

/// A document of so many rows, in which rows[index] is of the form `odd[index]`. How many rows stay; `hits` counts
/// those among them that are odd.
std::size_t kept(numbers& random, std::uint64_t sort, std::uint64_t count,
                 std::map<std::uint64_t, std::size_t> const& odd, std::size_t& hits) {
    auto rows = ordered_json::array();
    std::vector<std::string> marks;  // no two rows share one
    for (std::uint64_t index = 0; index < count; ++index) {
        auto made = row(random, sort, index);
        made["span"] = random.id();
        if (auto const form = odd.find(index); form != odd.end()) {
            spoil(made, form->second, random);
            marks.push_back(made["span"].get<std::string>());
        }
        rows.push_back(made);
    }
    auto const out = sampled({}, rows.dump());
    REQUIRE_FALSE(out.empty());
    for (auto const& mark : marks) hits += contains(out, mark) ? 1u : 0u;
    auto const left = nlohmann::json::parse(out).size() - 1;
    REQUIRE(left <= 15);
    return left;
}

/// The values of `make` for 0, 1, … as the elements of an array.
std::string array_of(std::size_t count, auto const& make, std::string_view between = ",") {
    std::string out{"["};
    for (std::size_t index = 0; index < count; ++index) out.append(index == 0 ? "" : between).append(make(index));
    return out + "]";
}

TEST_CASE("json_sample: constants, limits that cannot work, and a share of the window as the largest result") {
    CHECK(works_in_constants());
    CHECK_NOTHROW(json_sample{}.validate());
    CHECK_THROWS_AS(json_sample{.at_most = 383_bytes}.validate(), condense::invalid_configuration);
    CHECK_THROWS_AS(json_sample{.outliers = 1'001}.validate(), condense::invalid_configuration);
    auto const rows = array_of(400, [](std::size_t id) { return "{\"id\":" + std::to_string(id) + "}"; });
    json_sample const shorten{.items = 200, .at_most = 10_pct};
    CHECK(sampled(shorten, rows, {.window = 10'000_bytes}) ==
          sampled(json_sample{.items = 200, .at_most = 1'000_bytes}, rows));
    CHECK(sampled(shorten, rows, {.window = 10'000_bytes}) != sampled(shorten, rows));
}

TEST_CASE("json_sample: rows that differ stay, whatever they differ in") {
    for (std::size_t form = 0; form < forms; ++form) {
        std::size_t hits = 0;
        std::size_t rows_left = 0;
        auto const documents = rounds(60);
        for (std::uint64_t seed = 1; seed <= documents; ++seed) {
            CAPTURE(form, seed);
            numbers random{seed * 100 + form};
            auto const count = random.between(100, 1'000);
            rows_left += kept(random, seed % 4, count, {{random.below(count), form}}, hits);
        }
        CAPTURE(form, hits, documents, rows_left);
        CHECK(rows_left < documents * 12);
        CHECK(hits * 100 >= documents * 95);
    }
}

TEST_CASE("json_sample: one row of each form among a thousand") {
    std::size_t wanted = 0;
    std::size_t hits = 0;
    for (std::uint64_t seed = 1; seed <= 10 + rounds(30); ++seed) {
        numbers random{seed};
        auto const count = random.between(100, 1'000);
        std::map<std::uint64_t, std::size_t> odd;
        for (std::size_t form = 0; form < forms; ++form)
            odd[random.between(form * count / 8, (form + 1) * count / 8 - 1)] = form;
        wanted += forms;
        static_cast<void>(kept(random, seed % 4, count, odd, hits));
    }
    CHECK(hits * 100 >= wanted * 95);
}

TEST_CASE("json_sample: values that vary in every row make no row an outlier, nor does a counter") {
    auto const alike = [](int count, auto const& make) {
        auto rows = ordered_json::array();
        for (int index = 0; index < count; ++index) rows.push_back(make(index));
        auto const out = nlohmann::json::parse(sampled({}, rows.dump()));
        CAPTURE(out.dump());
        CHECK(out.size() <= 3 + 2 + 1 + 2);
    };
    numbers random{1};
    alike(200, [&](int index) -> ordered_json {
        return {
            {"id", random.id()}, {"at", 1'700'000'000 + index * 60}, {"index", index}, {"name", "item " + random.id()}};
    });
    alike(3'000, [](int index) -> ordered_json { return {{"count", 1 + index}, {"text", "the same"}}; });
    alike(3'000, [](int index) -> ordered_json { return {{"count", 3'000 - index}, {"text", "the same"}}; });
}

TEST_CASE("json_sample: a row that differs shows in what") {
    auto rows = ordered_json::array();
    for (int index = 0; index < 100; ++index) {
        ordered_json made;
        for (int key = 0; key < 40; ++key) made["key" + std::to_string(key)] = index * key;
        if (index == 50) made["key39"] = "gone";
        rows.push_back(made);
    }
    auto const out = sampled({}, rows.dump());
    CAPTURE(out);
    CHECK(contains(out, R"("key39":"gone","[...]":"[... 28 of 40 keys omitted ...]"})"));
}

TEST_CASE("json_sample: strings are cut between characters; number spelling, key order and repeated keys stay") {
    auto const cut = [](std::string_view piece, std::size_t count) {
        auto const text = "[\"" + repeated(piece, count) + "\"]";
        return nlohmann::json::parse(sampled({.value = 10_chars}, text))[0].get<std::string>();
    };
    CHECK(cut("x", 400) == "xxxxxxxxxx [... 390 of 400 characters omitted ...]");
    CHECK(cut("\\n", 400) == std::string(10, '\n') + " [... 390 of 400 characters omitted ...]");
    CHECK(cut("\\ud83d\\ude00", 200).ends_with("\xF0\x9F\x98\x80 [... 190 of 200 characters omitted ...]"));
    CHECK(cut("\xC3\xA4", 200).ends_with("\xC3\xA4 [... 190 of 200 characters omitted ...]"));
    auto const text = R"({"b": 1.50, "a": -0, "b": 1E+2, "list": [)" + std::string(300, ' ') +
                      R"(], "z": 123456789012345678901234567890})";
    CHECK(sampled({.keys = 3}, text) == R"({"b":1.50,"a":-0,"b":1E+2,"[...]":"[... 2 of 5 keys omitted from )" +
                                            std::to_string(text.size()) + R"( bytes ...]"})");
    auto const out = sampled({}, "[[\"" + std::string(999, 'x') + "\"]]", {.how = {{{0xAB}}}});
    CHECK(out == "[[\"" + std::string(100, 'x') +
                     " [... 899 of 999 characters omitted ...]\"],\"[... values shortened, 1 items from 1,005 bytes; "
                     "the whole is stored as ab0000000000000000000000 ...]\"]");
}

TEST_CASE("json_sample: the laws hold for any values") {
    laws::laws_of_any(
        [](laws::random_source& random) {
            condense::bytes const most{384 + random.below(2'000)};
            json_sample const shorten{.keys = random.below(6),
                                      .row_keys = random.below(6),
                                      .items = random.below(6),
                                      .last = random.below(4),
                                      .outliers = random.below(8),
                                      .value = condense::chars{random.below(60)},
                                      .drop_null = random.chance(50),
                                      .at_most = most};
            return std::pair{shorten, laws::promises{.texts = laws::json_texts(), .at_most = most, .keeps_json = true}};
        },
        1'500, 33);
}

TEST_CASE("json_sample: hostile text") {
    CHECK(sampled({}, std::string(1'000'000, '[')).empty());
    CHECK(sampled({}, "[\"\xFF" + std::string(20'000, 'x') + "\"]").empty());
    CHECK(sampled({}, "\"" + std::string(20'000, 'x') + "\"").empty());
    CHECK(sampled({}, std::string(20'000, '1')).empty());
    CHECK(sampled({}, "[" + std::string(1'000'000, ' ') + "]") == "[]");
    // The laws have more of these.
    for (auto const& text :
         {"{" + repeated("\"\":[],", 200'000) + "\"\":0}", "[" + repeated("{\"\":[{}]},", 100'000) + "[]]",
          repeated("[", 128) + "\"" + std::string(100'000, 'y') + "\"" + repeated("]", 128),
          "[" + repeated("[[[[[[1,2],3],4],5],6],7],", 50'000) + "0]"}) {
        auto const out = sampled({}, text);
        CHECK((!out.empty() && out.size() <= 8'000 && json::valid(out)));
        CHECK(sampled({}, out).empty());
    }
}

TEST_CASE("json_sample: cut again, it speaks of the first text") {
    auto const sampled = [](std::string const& text, unsigned halvings, bool shortened = false) {
        return json_sample{.keys = 8, .items = 8, .at_most = condense::chars{4'000}}(
                   {.kind = condense::part_kind::tool_result, .text = text},
                   {.halvings = halvings, .how = {.shortened = shortened}})
            .value();
    };
    auto const rows = array_of(
        40, [](std::size_t at) { return "{\"name\":\"" + std::string(200, static_cast<char>('a' + at % 26)) + "\"}"; },
        ", ");
    auto members = array_of(
        40, [](std::size_t at) { return "\"k" + std::to_string(at) + "\":\"" + std::string(200, 'x') + "\""; }, ", ");
    members.front() = '{';
    members.back() = '}';
    for (auto const& text : {rows, members}) {
        auto const size = " from " + condense::detail::grouped(text.size()) + " bytes ...]\"";
        auto const once = sampled(text, 0);
        REQUIRE(contains(once, " of 40 "));
        REQUIRE(contains(once, size));
        auto const twice = sampled(once, 2);
        CAPTURE(twice);
        CHECK(twice.size() < once.size());
        CHECK(contains(twice, " of 40 "));
        CHECK(contains(twice, size));
        CHECK(twice.find(" bytes ...]") == twice.rfind(" bytes ...]"));
        CHECK(nlohmann::json::accept(twice));
        auto const least = sampled(once, 7);
        CHECK(contains(least, "40 of 40 "));
        CHECK(contains(least, size));
        // Where the marker says something that is not so, it is a member like others.
        auto forged = once;
        forged.replace(forged.find(" of 40 "), 7, " of 41 ");
        CHECK(contains(sampled(forged, 2), " bytes ...]"));
        CHECK_FALSE(contains(sampled(forged, 2), size));
        CHECK(contains(sampled(text, 0, true), " from the remaining "));
    }
}

TEST_CASE("json_sample: the marker says the type and what is left, where that is asked for", "[row-C3]") {
    condense::cut const asked{.how = {.words = {.type_and_share = true}}};
    auto const rows = array_of(400, [](auto) { return "{\"row\":\"" + std::string(30, 'x') + "\"}"; });
    auto const size = condense::detail::grouped(rows.size()) + " bytes; json";
    json_sample const twenty{.items = 20, .last = 0, .outliers = 0};
    auto const once = sampled(twenty, rows, asked);
    CAPTURE(once);
    CHECK(json::valid(once));
    CHECK(contains(once, "\"[... 380 of 400 items omitted from " + size + ", 5 % left ...]\""));
    CHECK(sampled(twenty, once, asked).empty());
    // The second cut speaks of the original, too.
    auto again = asked;
    again.halvings = 1;
    CHECK(contains(sampled(twenty, once, again), "\"[... 390 of 400 items omitted from " + size + ", 2 % left ...]\""));
    // Where its size is not known, neither is the share.
    auto rest = asked;
    rest.how.shortened = true;
    CHECK(contains(sampled(twenty, rows, rest), " bytes; json ...]\""));
    CHECK_FALSE(contains(sampled(twenty, rows), "json"));
    // A marker alone
    std::string const wide = "{\"" + std::string(20'000, 'k') + "\":1}";
    CHECK(sampled({}, wide, asked) ==
          "{\"[...]\":\"[... 1 of 1 keys omitted from 20,006 bytes; json, under 1 % left ...]\"}");
}

TEST_CASE("json_sample: from which size it acts is one limit, and how large the result may be another", "[row-C3]") {
    auto const within = [](json_sample const& shorten, std::string const& text, condense::chars layer) {
        auto const ready = condense::detail::bind_shortener(shorten, condense::detail::no_conversation{});
        return ready({}, {.kind = condense::part_kind::tool_result, .text = text}, {.over = layer});
    };
    json_sample const gated{.over = 6'000_chars, .at_most = 400_chars};
    auto const rows_of = [](std::size_t size) {
        std::string all = "[\"" + std::string(40, 'a') + "\"";
        while (all.size() + 48 < size) all += ",\"" + std::string(40, static_cast<char>('a' + all.size() % 26)) + "\"";
        all += ",\"" + std::string(size - all.size() - 4, 'z') + "\"]";
        return all;
    };
    for (auto const layer : {500_chars, 20'000_chars}) {  // in place of the layer's
        CHECK_FALSE(within(gated, rows_of(6'000), layer));
        auto const made = within(gated, rows_of(6'001), layer);
        REQUIRE(made);
        CHECK(made->size() <= 400);
    }
    CHECK(sampled(gated, rows_of(6'000)).empty());
    CHECK(sampled(gated, rows_of(6'001)).size() <= 400);
    // Without one of its own it has the layer's.
    for (auto const layer : {500_chars, 20'000_chars})
        CHECK(within({}, rows_of(15'000), layer).has_value() == (layer == 500_chars));
    CHECK(json_sample{}.at_most == condense::text_limit{8'000_chars});
}

// Excerpts, of which samples are made

using json::excerpt_limits, json::excerpt_writer, json::token;

/// 3 keys, 4 keys of a row, 2 + 1 elements, 1 that differs, 10 characters.
constexpr excerpt_limits few{3, 4, 2, 1, 1, 10, false};

struct excerpt_of {
    std::string text = {};
    bool json = false;
    bool omits = false;

    explicit excerpt_of(std::string_view json_text, excerpt_limits const& limits = few,
                        condense::text_limit const& size_limit = {}) {
        excerpt_writer write{json_text, {}, limits.outliers != 0};
        json = write.is_json();
        if (json) omits = write(text, limits, size_limit);
    }
};

std::string written(std::string_view text, excerpt_limits const& limits = few) {
    excerpt_of const made{text, limits};
    return made.json ? made.text : "no JSON";
}

constexpr bool members_are_counted() {
    auto const is = [](json::member_counts const& found, token kind, std::uint64_t members, std::uint64_t nulls) {
        return found.kind == kind && found.members == members && found.nulls == nulls;
    };
    return is(json::count_members(R"( {"a":null,"b":{"c":null},"a":[null,1],"d":null} )"), token::object, 4, 2) &&
           is(json::count_members("[1,[2,3],null,{\"a\":1},\"]\"]"), token::array, 5, 1) &&
           is(json::count_members("{}"), token::object, 0, 0) && is(json::count_members("[ ]"), token::array, 0, 0) &&
           json::count_members("[1,2").kind == token::bad && json::count_members("{} {}").kind == token::bad &&
           json::count_members("").kind == token::bad && !json::opens(json::count_members("12").kind);
}

TEST_CASE("json_excerpt: members and rows are counted in one pass") {
    CHECK_CONSTANT(members_are_counted());
    for (std::string_view const text : {"[1,[2,3],null]", "[]", R"({"a":1})", "[1,", "[1] 2", "[1 2]", "", "7"}) {
        CAPTURE(text);
        json::outliers rows;
        auto const found = json::count_rows(text, rows);
        CHECK(found.kind == json::count_members(text).kind);
        CHECK(found.members == json::count_members(text).members);
    }
}

TEST_CASE("json_excerpt: rows that differ from the rest stay; strings and numbers are cut where that is worth it") {
    auto text = array_of(40, [](auto) { return R"({"state":"open"})"; });
    text.insert(text.find("},{", 200) + 2, R"({"state":"lost","why":"no disk"},)");
    auto const made = written(text);
    CHECK(made.starts_with(R"([{"state":"open"},{"state":"open"},"[... 37 of 41 items omitted from )"));
    CHECK(made.ends_with(R"( ...]",{"state":"lost","why":"no disk"},{"state":"open"}])"));
    CHECK(written(text, {3, 4, 2, 1, 0, 10, false}).find("lost") == std::string::npos);
    auto const in_array = [](std::string const& value) { return written("[" + value + "]"); };
    CHECK(in_array('"' + std::string(154, 'x') + '"') == "[\"" + std::string(154, 'x') + "\"]");
    CHECK(in_array('"' + std::string(155, 'x') + '"')
              .starts_with("[\"xxxxxxxxxx [... 145 of 155 characters omitted ...]\","));
    CHECK(in_array(std::string(200, '7')).starts_with("[\"7777777777 [... 190 of 200 characters omitted ...]\","));
    auto const escapes = repeated("\\ud83d\\ude00", 200);
    CHECK(in_array('"' + escapes + '"')
              .starts_with("[\"" + escapes.substr(0, 120) + " [... 190 of 200 characters omitted ...]\","));
}

TEST_CASE("json_excerpt: a size limit changes nothing but what exceeds it") {
    std::size_t stopped = 0;
    auto const wanted = rounds(300);
    for (std::uint64_t seed = 0; seed < wanted; ++seed) {
        INFO("seed " << seed);
        laws::random_source random{seed};
        auto const text =
            laws::text_generator{seed}.make(random.chance(50) ? laws::text_kind::json : laws::text_kind::rows);
        excerpt_writer write{text, {}, true};
        if (!write.is_json()) continue;
        // One writer for all, with limits that go up and down.
        for (int round = 0; round < 4; ++round) {
            excerpt_limits const limits{random.below(5), random.below(5),  random.below(4),  random.below(3),
                                        random.below(4), random.below(60), random.chance(30)};
            excerpt_of const whole{text, limits};
            auto const size = whole.text.size() * (50 + random.below(100)) / 100;
            auto const limit = random.chance(50) ? condense::text_limit{condense::bytes{size}} : condense::chars{size};
            std::string limited;
            bool const omits = write(limited, limits, limit);
            REQUIRE(limit.holds(limited) == limit.holds(whole.text));
            if (limit.holds(limited)) REQUIRE((limited == whole.text && omits == whole.omits));
            // Without omissions it is no longer than the text.
            if (limit.holds(text)) REQUIRE(omits == whole.omits);
            stopped += limited.size() < whole.text.size() ? 1u : 0u;
        }
    }
    CHECK(stopped > wanted / 8);
}

}  // namespace
