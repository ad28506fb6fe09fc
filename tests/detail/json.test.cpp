// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/detail/json_members.hpp>
#include <condense/detail/json_quote.hpp>
#include <condense/detail/json_scan.hpp>
#include <condense/detail/json_strings.hpp>
#include <condense/detail/text_type.hpp>

#include "core/constant.hpp"
#include "support/effort.hpp"

namespace {

namespace json = condense::detail::json;
using condense::detail::type_of_text;
using row = std::pair<std::string_view, std::string_view>;

/// "name=value;" for each member, "-" where the text is no object.
std::string members(std::string_view text) {
    std::string out;
    bool const object = json::each_member(text, [&](std::string_view name, std::string_view value) {
        out.append(name).append("=").append(value).append(";");
    });
    return object ? out : out + "-";
}

TEST_CASE("json_members: each member as it is written; a text that is no object has none") {
    CHECK((members("{}") == "" && members(" { \n} ") == "" && members(R"({"a":1})") == "a=1;"));
    CHECK(members(" {\n \"a\" : -1.5e3 ,\t\"b\":null , \"c\" : \"x\" }\n") == "a=-1.5e3;b=null;c=\"x\";");
    CHECK(members(R"({"a":{"a":[{"b":"}]"}]},"b":[[],"[,{"],"c":true})") ==
          R"(a={"a":[{"b":"}]"}]};b=[[],"[,{"];c=true;)");
    CHECK(members(R"({"a\"b":"\\","":"\"}"})") == R"(a\"b="\\";="\"}";)");
    CHECK(members(R"({"a":1,"a":2})") == "a=1;a=2;");
    for (auto const* const text : {"", " ", "[]", "[1]", "\"a\"", "1", "null", "{", "{\"a\"}", "{\"a\":1,}",
                                   "{\"a\":1}}", "{\"a\":\"\xFF\"}", "{'a':1}"}) {
        CAPTURE(text);
        CHECK(members(text) == "-");
    }
    CHECK((members(std::string(1'000'000, '{')) == "-" && members("{\"a\":" + std::string(1'000'000, '[')) == "-"));
    auto const wide = "{\"a\":[" + std::string(1'000'000, ' ') + "]}";
    CHECK(members(wide).size() == wide.size() - 3);
}

TEST_CASE("json_members: strings say what they mean") {
    for (auto const& [quoted, said] :
         {row{R"("")", ""}, row{R"("a/b.c")", "a/b.c"}, row{R"("\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t"},
          row{R"("\u0041\u00e9\u20AC")", "A\xC3\xA9\xE2\x82\xAC"}, row{R"("\u0000")", {"\0", 1}},
                                       // Pairs of surrogates, and halves of them.
          row{R"("\ud83d\ude00!")", "\xF0\x9F\x98\x80!"}, row{R"("\ud83d")", "\xEF\xBF\xBD"},
          row{R"("\ude00x")", "\xEF\xBF\xBDx"}, row{R"("\ud83d\n\ud83d\u0041")", "\xEF\xBF\xBD\n\xEF\xBF\xBD\x41"}}) {
        CAPTURE(quoted);
        CHECK(json::string_value(quoted) == said);
    }
}

TEST_CASE("json_quote: text comes back, a parser reads it, and other escapes are refused") {
    for (auto const& [text, escaped] :
         {row{"", ""}, row{"plain / text", "plain / text"}, row{"\"\\", "\\\"\\\\"},
          row{"\n\r\t\b", "\\n\\r\\t\\u0008"}, row{{"\0\x1F\x7F", 3}, "\\u0000\\u001f\\u007f"},
          row{"\xE2\x82\xAC\xF0\x9F\x98\x80", "\xE2\x82\xAC\xF0\x9F\x98\x80"}}) {
        std::string out;
        json::append_escaped(out, text);
        CHECK(out == escaped);
        out.clear();
        CHECK((json::append_unescaped(out, escaped) && out == text));
    }
    for (std::string_view const escaped :
         {"\"", "a\"b", "\\", "\\x", "\\/", "\\b", "\\u", "\\u00", "\\u000", "\\u00g0", "\\u000g", "\\u0080", "\\u0100",
          "\\u1000", "\\U0000", "\\u00A0", "\\u000A"}) {
        CAPTURE(escaped);
        std::string out;
        CHECK_FALSE(json::append_unescaped(out, escaped));
    }
    std::string text;
    for (int byte = 0; byte < 128; ++byte) text.push_back(static_cast<char>(byte));
    text.append("\xC2\x85\xE2\x80\xA8\xED\x9F\xBF");
    std::string escaped;
    json::append_escaped(escaped, text);
    CHECK(nlohmann::json::parse('"' + escaped + '"') == text);
    std::string back;
    CHECK((json::append_unescaped(back, escaped) && back == text));
    for (char const byte : escaped) CHECK((static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7F));
}

TEST_CASE("json_strings: the strings that are values, in place; a surrogate pair is one character") {
    std::string_view const text = R"({ "a": "x", "b" :["y", {"c":"z"}], "d": 1, "e": "" })";
    std::string found;
    json::each_string(text, [&](json::spelt_string const& one) {
        found.append(one.key).append("=").append(one.text).append("@").append(std::to_string(one.depth)).append(" ");
        CHECK((text.substr(one.begin, one.text.size()) == one.text && text[one.begin - 1] == '"'));
    });
    CHECK(found == "a=x@1 =y@2 c=z@3 e=@1 ");

    // All that is between stays as it was.
    auto const shorter = [](json::spelt_string const& one) {
        return one.text.size() > 3 ? std::optional<std::string>{one.text.substr(0, 1)} : std::nullopt;
    };
    CHECK(json::with_strings(R"({"a":  "long one", "a": 1e0, "b":["s", "long"]})", shorter) ==
          R"({"a":  "l", "a": 1e0, "b":["s", "l"]})");
    CHECK((!json::with_strings(R"({"a":"s"})", shorter) && !json::with_strings(R"({"a":"long one")", shorter)));
    // Half of a pair is a character, too.
    constexpr std::string_view spelt = R"(a\n\ud83d\ude00\ud83d\u00e9)";
    CHECK(json::count_spelt(spelt) == 5);
    CHECK((json::prefix_spelt(spelt, 2) == 3 && json::prefix_spelt(spelt, 3) == 15));
    CHECK((json::prefix_spelt(spelt, 4) == 21 && json::prefix_spelt(spelt, 9) == spelt.size()));
}

TEST_CASE("text_type: a document alone is JSON, beside other lines the text is mixed") {
    CHECK_CONSTANT(type_of_text(R"({"a": [1, 2]})") == "json" && type_of_text("3 rows\n[1, 2]\n") == "mixed");
    for (auto const& [text, type] :
         {row{"", "text"}, row{" \n", "text"}, row{"12", "text"}, row{"{\n  \"a\": 1\n}\n", "json"},
          row{"{\"a\":1}\r\n\r\n{\"a\":2}\r\n", "json"}, row{"HTTP 200\n{\n  \"a\": 1\n}\ndone", "mixed"},
          row{"[12:30:45] begun\n[12:30:46] done", "text"}, row{"[1] is the first, [2] the second", "text"},
          row{"{\"a\": [1,\n2,", "text"}, row{"{\n\"a\": oops\n}\n{\"b\": 1}", "mixed"}}) {
        CAPTURE(text);
        CHECK(type_of_text(text) == type);
    }
    // A text that never closes what it opens is read once.
    std::string open;
    for (int line = 0; line < 200'000; ++line) open += "[\n";
    CHECK(type_of_text(open) == "text");
}

using condense::detail::json::valid;

/// Texts between bars, of which none holds one.
constexpr std::string_view values =
    R"(null|true|false|0|-0|12|-3.25|1e5|1E+5|2.5e-3|""|"a\n\u00e4\\"|[]|{}|[1]|[1, "a", [], {}]|{"a":1}|)"
    R"({"a":{"b":[null]},"a":2}|{ "a" : 1 , "b" : [ ] })"
    "| \t\r\n [ ] \n|\"\xF0\x9F\x98\x80\"";
constexpr std::string_view no_values =
    R"(| |nul|nulll|True|01|-|1.|.5|1e|1e+|+1|0x1|NaN|'a'|"|"a|"\x"|"\u12g4"|"\u123"|"\|[|]|[1|)"
    R"([1,|[1,]|[,1]|[1 2]|[1}|{|}|{a:1}|{"a"}|{"a":}|{"a":1,}|{"a":1 "b":2}|{"a" 1}|{1:2}|{"a":1]|1 2|[] [])"
    "|// c\n1|\"\x01\"|\"\n\"|\"\x7F|\xEF\xBB\xBF\x31|\"\xFF\"|\"\xED\xA0\x80\"|\"\xC0\x80\"|\"\xE2\x82\"";

constexpr bool all_are(bool expected, std::string_view texts) {
    for (std::size_t begin = 0; begin <= texts.size();) {
        auto const end = texts.find('|', begin) < texts.size() ? texts.find('|', begin) : texts.size();
        if (valid(texts.substr(begin, end - begin)) != expected) return false;
        begin = end + 1;
    }
    return true;
}

std::string nested(std::size_t depth, std::string_view open, std::string_view middle, std::string_view close) {
    std::string text;
    for (std::size_t level = 0; level < depth; ++level) text.append(open);
    text.append(middle);
    for (std::size_t level = 0; level < depth; ++level) text.append(close);
    return text;
}

class numbers {
public:
    explicit numbers(std::uint64_t seed) : state_{seed * 0x9E3779B97F4A7C15u + 1} {}
    std::uint64_t below(std::uint64_t limit) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return (state_ >> 33) % limit;
    }
    template <std::size_t Count>
    std::string_view one_of(std::string_view const (&choices)[Count]) {
        return choices[below(Count)];
    }

private:
    std::uint64_t state_;
};

constexpr std::string_view scalars[] = {
    "null", "true", "false", "0", "-1", "12.5", "1e9", "\"\"", "\"a b\"", "\"\\u00e4\\n\"", "\"\xE2\x82\xAC\""};
constexpr std::string_view keys[] = {"\"a\"", "\"b c\"", "\"\"", "\"\\\"\"", "\"\xC3\xA4\""};
constexpr std::string_view spaces[] = {"", "", "", " ", "\n", "\t\r\n"};

void write(std::string& out, numbers& random, int depth) {
    out.append(random.one_of(spaces));
    auto const kind = random.below(depth > 5 ? 1 : 3);
    if (kind == 0) out.append(random.one_of(scalars));
    else {
        out.push_back(kind == 1 ? '[' : '{');
        for (auto left = random.below(4); left != 0; --left) {
            if (kind == 2) out.append(random.one_of(keys)).append(random.one_of(spaces)).push_back(':');
            write(out, random, depth + 1);
            if (left > 1) out.push_back(',');
        }
        out.append(random.one_of(spaces)).push_back(kind == 1 ? ']' : '}');
    }
    out.append(random.one_of(spaces));
}

/// Such numbers are JSON, though that parser has no value for them.
bool has_large_exponent(std::string_view text) {
    std::size_t digits = 0;
    bool counts = false;
    for (char const byte : text) {
        if (byte == 'e' || byte == 'E') counts = true, digits = 0;
        else if (counts && byte >= '0' && byte <= '9') ++digits;
        else if (byte != '+' && byte != '-') counts = false;
        if (counts && digits == 3) return true;
    }
    return false;
}

/// A change that may or may not break the text.
void damage(std::string& text, numbers& random) {
    static constexpr std::string_view bytes = "{}[],:\"\\ \n0123456789-+.eEtrufalsn/bx\xC3\xA4\xFF\x01";
    auto const at = random.below(text.size() + 1);
    switch (random.below(4)) {
        case 0: text.insert(at, 1, bytes[random.below(bytes.size())]); break;
        case 1:
            if (at < text.size()) text.erase(at, 1);
            break;
        case 2:
            if (at < text.size()) text[at] = bytes[random.below(bytes.size())];
            break;
        default: text.resize(at);
    }
}

/// A generated document with fewer than `most` places damaged.
std::string damaged_json(numbers& random, std::size_t most) {
    std::string text;
    write(text, random, 0);
    for (auto left = random.below(most); left != 0; --left) damage(text, random);
    return text;
}

TEST_CASE("json_scan: says of generated text what a parser says") {
    std::size_t accepted = 0;
    std::size_t refused = 0;
    for (std::uint64_t seed = 1; seed <= rounds(30'000); ++seed) {
        numbers random{seed};
        auto const text = damaged_json(random, 4);
        if (has_large_exponent(text)) continue;
        bool const parses = nlohmann::json::accept(text);
        CAPTURE(seed, text);
        REQUIRE(valid(text) == parses);
        ++(parses ? accepted : refused);
    }
    CHECK(accepted > rounds(30'000) / 3);
    CHECK(refused > rounds(30'000) / 3);
}

TEST_CASE("json_scan: strings of any bytes, and nesting to its limit and no further") {
    for (unsigned first = 0; first < 256; ++first)
        for (unsigned second = 0; second < 256; ++second) {
            std::string const text{'"', static_cast<char>(first), static_cast<char>(second), '"'};
            // A NUL ends the text for that parser.
            if (first == 0 || second == 0) REQUIRE_FALSE(valid(text));
            else REQUIRE(valid(text) == nlohmann::json::accept(text));
        }
    for (auto const& [open, middle, close] : {std::array<std::string_view, 3>{"[", "", "]"},
                                              {"[", "1", "]"},
                                              {"{\"a\":", "1", "}"},
                                              {"[{\"a\":", "{}", "}]"}}) {
        auto const levels = open == "[{\"a\":" ? 2u : 1u;
        auto const inner = middle == "{}" ? 1u : 0u;
        auto const most = (128 - inner) / levels;
        CHECK((valid(nested(most, open, middle, close)) && !valid(nested(most + 1, open, middle, close))));
        CHECK_FALSE(valid(nested(1'000'000, open, middle, close)));
    }
    CHECK_FALSE(valid(std::string(10'000'000, '[')));
}

using condense::detail::json::scanner, condense::detail::json::token;

/// One letter a token, in the order of `token`.
constexpr char letter(token kind) { return "{[}kstyn0.!"[static_cast<std::size_t>(kind)]; }

constexpr bool tokens_have_their_bytes() {
    constexpr std::string_view text = R"( {"a" : [1.50, "x\"y", {} ] , "a":-0, "":[ ], "b" :true } )";
    constexpr std::string_view spelled[] = {"{",     "\"a\"", "[",    "1.50", "\"x\\\"y\"", "{",     "}",    "]",
                                            "\"a\"", "-0",    "\"\"", "[",    "]",          "\"b\"", "true", "}"};
    scanner scan{text};
    for (auto const& wanted : spelled)
        if (scan.next() == token::bad || scan.text() != wanted) return false;
    return scan.depth() == 0 && scan.next() == token::done;
}

constexpr bool containers_are_skipped() {
    scanner scan{R"([{"a":[1,[2]]}, 3])"};
    if (scan.next() != token::array || scan.next() != token::object) return false;
    if (scan.skip() != R"({"a":[1,[2]]})" || scan.depth() != 1) return false;
    if (scan.next() != token::number || scan.next() != token::close || scan.next() != token::done) return false;
    scanner known{R"([{"]}\\\"":[1,"[\u00e9\\",{}]}, 3])"};
    if (known.next() != token::array || known.next() != token::object) return false;
    if (known.skip_known() != R"({"]}\\\"":[1,"[\u00e9\\",{}]})" || known.depth() != 1) return false;
    if (known.next() != token::number || known.next() != token::close || known.next() != token::done) return false;
    scanner broken{"[[1 2]]"};
    return broken.next() == token::array && broken.next() == token::array && broken.skip().empty();
}

/// These letters from the events of a parser.
struct events {
    std::string seen;
    bool add(char event) { return seen.push_back(event), true; }
    bool null() { return add('0'); }
    bool boolean(bool value) { return add(value ? 'y' : 'n'); }
    bool number_integer(nlohmann::json::number_integer_t) { return add('t'); }
    bool number_unsigned(nlohmann::json::number_unsigned_t) { return add('t'); }
    bool number_float(nlohmann::json::number_float_t, std::string const&) { return add('t'); }
    bool string(std::string&) { return add('s'); }
    bool binary(nlohmann::json::binary_t&) { return add('b'); }
    bool start_object(std::size_t) { return add('{'); }
    bool key(std::string&) { return add('k'); }
    bool end_object() { return add('}'); }
    bool start_array(std::size_t) { return add('['); }
    bool end_array() { return add('}'); }
    bool parse_error(std::size_t, std::string const&, nlohmann::json::exception const&) { return false; }
};

TEST_CASE("json_scan: values, tokens, and what RFC 8259 allows beyond what a parser can hold") {
    CHECK_CONSTANT(all_are(true, values));
    CHECK_CONSTANT(all_are(false, no_values));
    CHECK_CONSTANT(tokens_have_their_bytes());
    CHECK_CONSTANT(containers_are_skipped());
    CHECK((valid("1e999") && valid("-123456789012345678901234567890.5E-400") && valid("\"\\ud800\"")));
    CHECK((!valid(std::string_view{"1\0", 2}) && !valid(std::string_view{"[1,\0 2]", 7})));
}

TEST_CASE("json_scan: text that stops within a string is skipped to its end") {
    for (std::size_t size = 0; size < 40; ++size)
        for (std::string_view const last : {"", "\"", "\\", "\\\\", "\\\""}) {
            auto const text = "[\"" + std::string(size, 'x') + std::string{last};
            std::vector<char> const exact(text.begin(), text.end());  // nothing after it may be read
            std::string_view const view{exact.data(), exact.size()};
            scanner scan{view};
            REQUIRE(scan.next() == token::array);
            REQUIRE(scan.skip_known() == view);
            REQUIRE(scan.text() == view);
        }
}

TEST_CASE("json_scan: hands out the tokens that a parser sees, up to where both refuse") {
    std::size_t whole = 0;
    for (std::uint64_t seed = 1; seed <= rounds(10'000); ++seed) {
        numbers random{seed};
        auto const text = damaged_json(random, 3);
        if (has_large_exponent(text)) continue;
        events parsed;
        bool const parses = nlohmann::json::sax_parse(text, &parsed);
        std::string seen;
        scanner scan{text};
        auto kind = scan.next();
        for (; kind < token::done; kind = scan.next()) seen.push_back(letter(kind));
        CAPTURE(seed, text);
        REQUIRE((kind == token::done) == parses);
        if (!parses) continue;
        REQUIRE(seen == parsed.seen);
        scanner known{text};
        for (scanner scan_again{text}; (kind = scan_again.next()) != token::done;) {
            REQUIRE(known.next() == kind);
            if (opens(kind) && random.below(3) == 0) REQUIRE(known.skip_known() == scan_again.skip());
            REQUIRE(known.depth() == scan_again.depth());
        }
        ++whole;
    }
    CHECK(whole > rounds(10'000) * 3 / 10);
}

TEST_CASE("json_scan: any bytes") {
    static constexpr std::string_view bytes = "{}[],:\"\\ \n\t019-+.eEtrufalsn/bx\xC3\xA4\xE2\x82\xAC\xFF\x80\x01\x7F";
    std::size_t accepted = 0;
    for (std::uint64_t seed = 1; seed <= rounds(60'000); ++seed) {
        numbers random{seed};
        std::string text;
        // Long strings too, so that every way of stepping through them meets every byte.
        bool const quoted = random.below(2) == 0;
        for (auto left = random.below(quoted ? 40 : 8); left != 0; --left)
            text.push_back(random.below(4) == 0 ? bytes[random.below(bytes.size())]
                           : quoted             ? 'a'
                                                : static_cast<char>(1 + random.below(255)));
        if (quoted) text = '"' + text + '"';
        if (has_large_exponent(text)) continue;
        bool const parses = nlohmann::json::accept(text);
        CAPTURE(seed, text);
        REQUIRE(valid(text) == parses);
        accepted += parses ? 1u : 0u;
    }
    CHECK(accepted > rounds(60'000) / 30);
}

}  // namespace
