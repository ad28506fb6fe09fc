// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/json_sample.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/detail/json_scan.hpp>

#include "shorten/shortener_laws.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/fakes.hpp"

namespace {

using namespace condense::literals;
using condense::json_sample;
using fakes::contains;
using fakes::repeated;
using nlohmann::ordered_json;

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

}  // namespace

TEST_CASE("json_sample: a share of the window as the largest result") {
    std::string rows = "[";
    for (int row = 0; row < 400; ++row)
        rows += std::string(row == 0 ? "" : ",") + "{\"id\":" + std::to_string(row) + "}";
    rows += "]";
    json_sample const shorten{.items = 200, .at_most = 10_pct};
    CHECK(sampled(shorten, rows, {.window = 10'000_bytes}) ==
          sampled(json_sample{.items = 200, .at_most = 1'000_bytes}, rows));
    CHECK(sampled(shorten, rows, {.window = 10'000_bytes}) != sampled(shorten, rows));
}

TEST_CASE("json_sample: works in constants") { CHECK(works_in_constants()); }

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

TEST_CASE("json_sample: values that vary in every row make no row an outlier") {
    auto rows = ordered_json::array();
    numbers random{1};
    for (int index = 0; index < 200; ++index)
        rows.push_back({{"id", random.id()},
                        {"at", 1'700'000'000 + index * 60},
                        {"index", index},
                        {"name", "item " + random.id()}});
    auto const out = nlohmann::json::parse(sampled({}, rows.dump()));
    CHECK(out.size() <= 3 + 2 + 1 + 2);
}

TEST_CASE("json_sample: a counter makes no row an outlier, rising or falling") {
    for (bool const rises : {true, false}) {
        auto rows = ordered_json::array();
        for (int index = 0; index < 3'000; ++index)
            rows.push_back({{"count", 1 + (rises ? index : 2'999 - index)}, {"text", "the same"}});
        auto const out = nlohmann::json::parse(sampled({}, rows.dump()));
        CAPTURE(out.dump());
        CHECK(out.size() <= 3 + 2 + 1 + 2);
    }
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

TEST_CASE("json_sample: number spelling, key order and repeated keys stay") {
    auto const text = R"({"b": 1.50, "a": -0, "b": 1E+2, "list": [)" + std::string(300, ' ') +
                      R"(], "z": 123456789012345678901234567890})";
    CHECK(sampled({.keys = 3}, text) == R"({"b":1.50,"a":-0,"b":1E+2,"[...]":"[... 2 of 5 keys omitted from )" +
                                            std::to_string(text.size()) + R"( bytes ...]"})");
}

TEST_CASE("json_sample: strings are cut between characters, and say how much is gone") {
    auto const cut = [](std::string_view piece, std::size_t count) {
        auto const text = "[\"" + repeated(piece, count) + "\"]";
        return nlohmann::json::parse(sampled({.value = 10_chars}, text))[0].get<std::string>();
    };
    CHECK(cut("x", 400) == "xxxxxxxxxx [... 390 of 400 characters omitted ...]");
    CHECK(cut("\\n", 400) == std::string(10, '\n') + " [... 390 of 400 characters omitted ...]");
    CHECK(cut("\\ud83d\\ude00", 200).ends_with("\xF0\x9F\x98\x80 [... 190 of 200 characters omitted ...]"));
    CHECK(cut("\xC3\xA4", 200).ends_with("\xC3\xA4 [... 190 of 200 characters omitted ...]"));
}

TEST_CASE("json_sample: says where the whole is, once") {
    auto const out = sampled({}, "[[\"" + std::string(999, 'x') + "\"]]", {.how = {{{0xAB}}}});
    CHECK(out == "[[\"" + std::string(100, 'x') +
                     " [... 899 of 999 characters omitted ...]\"],\"[... values shortened, 1 items from 1,005 bytes; "
                     "the whole is "
                     "stored as ab0000000000000000000000 ...]\"]");
}

TEST_CASE("json_sample: the laws hold for any values") {
    laws::laws_of_any(
        [](laws::random_source& random) {
            condense::bytes const at_most{384 + random.below(2'000)};
            json_sample const shorten{.keys = random.below(6),
                                      .row_keys = random.below(6),
                                      .items = random.below(6),
                                      .last = random.below(4),
                                      .outliers = random.below(8),
                                      .value = condense::chars{random.below(60)},
                                      .drop_null = random.chance(50),
                                      .at_most = at_most};
            return std::pair{shorten,
                             laws::promises{.texts = laws::json_texts(), .at_most = at_most, .keeps_json = true}};
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
        CHECK((!out.empty() && out.size() <= 8'000 && condense::detail::json::valid(out)));
        CHECK(sampled({}, out).empty());
    }
}

TEST_CASE("json_sample: limits that cannot work are rejected") {
    CHECK_NOTHROW(json_sample{}.validate());
    CHECK_THROWS_AS(json_sample{.at_most = 383_bytes}.validate(), condense::invalid_configuration);
    CHECK_THROWS_AS(json_sample{.outliers = 1'001}.validate(), condense::invalid_configuration);
}

TEST_CASE("json_sample: cut again, it speaks of the first text") {
    auto const sampled = [](std::string const& text, unsigned halvings, bool shortened = false) {
        return json_sample{.keys = 8, .items = 8, .at_most = condense::chars{4'000}}(
                   {.kind = condense::part_kind::tool_result, .text = text},
                   {.halvings = halvings, .how = {.shortened = shortened}})
            .value();
    };
    std::string rows = "[";
    std::string members = "{";
    for (int at = 0; at < 40; ++at) {
        rows += (at == 0 ? "" : ", ") + ("{\"name\":\"" + std::string(200, static_cast<char>('a' + at % 26)) + "\"}");
        members += (at == 0 ? "" : ", ") + ("\"k" + std::to_string(at) + "\":\"" + std::string(200, 'x') + "\"");
    }
    rows += "]";
    members += "}";
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
        CHECK(sampled(forged, 2).find(" bytes ...]") != std::string::npos);
        CHECK(sampled(forged, 2).find(size) == std::string::npos);
        CHECK(sampled(text, 0, true).find(" from the remaining ") != std::string::npos);
    }
}

TEST_CASE("json_sample: the marker says the type and what is left, where that is asked for", "[row-C3]") {
    condense::cut const asked{.how = {.words = {.type_and_share = true}}};
    std::string rows = "[";
    for (int at = 0; at < 400; ++at) rows += (at == 0 ? "" : ",") + ("{\"row\":\"" + std::string(30, 'x') + "\"}");
    rows += "]";
    json_sample const few{.items = 20, .last = 0, .outliers = 0};
    auto const once = sampled(few, rows, asked);
    CAPTURE(once);
    CHECK(condense::detail::json::valid(once));
    CHECK(once.find("\"[... 380 of 400 items omitted from " + condense::detail::grouped(rows.size()) +
                    " bytes; json, 5 % left ...]\"") != once.npos);
    CHECK(sampled(few, once, asked).empty());
    // The second cut speaks of the original, too.
    auto again = asked;
    again.halvings = 1;
    auto const twice = sampled(few, once, again);
    CHECK(twice.find("\"[... 390 of 400 items omitted from " + condense::detail::grouped(rows.size()) +
                     " bytes; json, 2 % left ...]\"") != twice.npos);
    // Where its size is not known, neither is the share.
    auto rest = asked;
    rest.how.shortened = true;
    CHECK(sampled(few, rows, rest).find(" bytes; json ...]\"") != std::string::npos);
    CHECK(sampled(few, rows).find("json") == std::string::npos);
    // A marker alone
    std::string const wide = "{\"" + std::string(20'000, 'k') + "\":1}";
    CHECK(sampled({}, wide, asked) ==
          "{\"[...]\":\"[... 1 of 1 keys omitted from 20,006 bytes; json, under 1 % left ...]\"}");
}

TEST_CASE("json_sample: from which size it acts is one limit, and how large the result may be another", "[row-C3]") {
    json_sample const gated{.over = 6'000_chars, .at_most = 400_chars};
    auto const rows_of = [](std::size_t size) {
        std::string rows = "[\"" + std::string(40, 'a') + "\"";
        while (rows.size() + 48 < size)
            rows += ",\"" + std::string(40, static_cast<char>('a' + rows.size() % 26)) + "\"";
        rows += ",\"" + std::string(size - rows.size() - 4, 'z') + "\"]";
        return rows;
    };
    for (auto const layer : {500_chars, 20'000_chars}) {  // in place of the layer's
        condense::cut const how{.over = layer};
        auto const ready = condense::detail::bind_shortener(gated, condense::detail::no_conversation{});
        CHECK_FALSE(ready({}, {.kind = condense::part_kind::tool_result, .text = rows_of(6'000)}, how));
        auto const text = rows_of(6'001);
        auto const made = ready({}, {.kind = condense::part_kind::tool_result, .text = text}, how);
        REQUIRE(made);
        CHECK(made->size() <= 400);
    }
    CHECK(sampled(gated, rows_of(6'000)).empty());
    CHECK(sampled(gated, rows_of(6'001)).size() <= 400);
    // Without one of its own it has the layer's.
    json_sample const open{};
    for (auto const layer : {500_chars, 20'000_chars}) {
        auto const ready = condense::detail::bind_shortener(open, condense::detail::no_conversation{});
        auto const text = rows_of(15'000);
        CHECK(ready({}, {.kind = condense::part_kind::tool_result, .text = text}, {.over = layer}).has_value() ==
              (layer == 500_chars));
    }
    CHECK(json_sample{}.at_most == condense::text_limit{8'000_chars});
}
