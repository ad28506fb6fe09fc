// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/overflow.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "laws/generator.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/rows.hpp"

namespace {

using condense::overflow, condense::overflow_of;

struct answer {
    int status;  ///< as the source names it; 0 where it names none
    std::string text;
    overflow expected;
};
std::vector<answer> answers_of(char const* list) {
    std::vector<answer> all;
    auto const rows = rows_beside(__FILE__, "overflow.json");
    for (auto const& each : rows.at(list))
        all.push_back({each["status"],
                       each["text"],
                       {.limit = {each.value<std::uint64_t>("limit", 0)},
                        .requested = {each.value<std::uint64_t>("requested", 0)}}});
    return all;
}
// Wordings as their sources give them, organisations and request ids shortened; and other errors, of which each must
// stay what it is with its own status and with none.
std::vector<answer> const& overflows() {
    static auto const all = answers_of("overflows");
    return all;
}
std::vector<answer> const& others() {
    static auto const all = answers_of("others");
    return all;
}

// Statuses with which a text with the wording is no overflow.
constexpr int never[] = {-1,  100, 200, 201, 204, 299, 301, 401, 402, 403, 404,
                         408, 409, 424, 429, 501, 502, 503, 504, 529, 599, 1000};

constexpr bool by_server(std::string_view text) { return overflow_of(500, text).has_value(); }

// Of 500 the wording decides.
static_assert(!by_server("prompt is too long: 2 tokens > 1 maximum") && !by_server("context_length_exceeded") &&
              by_server("exceed_context_size_error") && by_server("the input length exceeds the context length"));

constexpr bool a_stated_status_decides_where_none_is_given() {
    constexpr std::string_view stated[] = {
        R"=(Error code: 401 - {'error': {'message': 'no key for "prompt is too long: 2 tokens > 1 maximum"'}})=",
        "API Error: 429 prompt is too long: 2 tokens > 1 maximum",
        "HTTP 403 Forbidden: prompt is too long: 2 tokens > 1 maximum",
        "HTTP/1.1 403: prompt is too long: 2 tokens > 1 maximum (status: 403)",
        R"=({"error":{"code": "503", "message":"prompt is too long: 2 tokens > 1 maximum"}})=",
        "unexpected status 404: prompt is too long: 2 tokens > 1 maximum",
        "unexpected code=404, prompt is too long: 2 tokens > 1 maximum",
    };
    int found = 0;
    for (auto const text : stated) found += overflow_of(0, text) ? 1 : 0;
    return found == 1 && overflow_of(0, stated[3]) &&  // 1.1 is no status and what follows is too late
           overflow_of(400, stated[0]) &&  // the status of HTTP is the better witness
           overflow_of(0, "Error code: 429, again: Error code: 400 prompt is too long: 2 tokens > 1 maximum") &&
           overflow_of(0, "code: 399 code: 600 code: prompt is too long: 2 tokens > 1 maximum") &&
           overflow_of(0, "Error code: 500: exceed_context_size_error") &&
           !overflow_of(0, "Error code: 500: context_length_exceeded");
}
static_assert(a_stated_status_decides_where_none_is_given());

constexpr overflow numbers_of(std::string_view text) { return overflow_of(400, text).value_or(overflow{{99}, {99}}); }

// Numbers may have separators, and no sense.
static_assert(numbers_of("prompt is too long: 208,310 tokens > 200_000 maximum") == overflow{{200000}, {208310}} &&
              numbers_of("PROMPT IS TOO LONG: 7 TOKENS > 0 MAXIMUM") == overflow{{0}, {7}} &&
              numbers_of("prompt is too long: 00 tokens > 1099511627776 maximum") ==
                  overflow{{std::uint64_t{1} << 40}, {0}} &&
              numbers_of("prompt is too long: 1099511627777 tokens > 99999999999999999999999999 maximum") ==
                  overflow{} &&
              numbers_of("exceed context limit: input length and `max_tokens` exceed context limit: "
                         "18446744073709551615 + 18446744073709551615 > 8") == overflow{{8}, {0}} &&
              numbers_of("prompt is too long: -1 tokens > 8 maximum") == overflow{} &&
              numbers_of("prompt is too long: tokens > maximum") == overflow{});

// Later wordings name what earlier ones do not.
static_assert(
    numbers_of("context_length_exceeded: This model's maximum context length is 9 tokens. However, your messages "
               "resulted in 12 tokens.") == overflow{{9}, {12}} &&
    numbers_of("input token count exceeds the maximum number of tokens allowed (5). request (9 tokens) exceeds the "
               "available "
               "context size (7 tokens)") == overflow{{5}, {9}});

// A line may break within the first pair of words.
static_assert(numbers_of("you\npassed 9 input tokens and requested 2 output tokens, the context length is only 10") ==
                  overflow{{10}, {11}} &&
              numbers_of("too\nmany tokens: total number of tokens cannot exceed 7 - received 8") ==
                  overflow{{7}, {8}});

/// Without what could end a string: as a library would write it into a message of its own.
std::string escaped(std::string_view text, char quote) {
    std::string out;
    for (char const byte : text) {
        if (byte == quote || byte == '\\') out.push_back('\\');
        if (byte == '\n') out.append("\\n");
        else out.push_back(byte);
    }
    return out;
}

TEST_CASE("an overflow is recognised however it is wrapped", "[core][overflow]") {
    std::size_t number = 0;
    for (auto const& each : overflows()) {
        CAPTURE(each.text);
        std::string upper{each.text};
        for (auto& byte : upper)
            if (byte >= 'a' && byte <= 'z') byte = static_cast<char>(byte - 'a' + 'A');
        auto const python = "Error code: 400 - {'error': {'message': '" + escaped(each.text, '\'') +
                            "', 'type': 'invalid_request_error'}}";
        auto const json =
            "event: error\ndata: {\"error\":{\"message\":\"" + escaped(each.text, '"') + "\",\"code\":400}}\n\n";
        auto const nested = "litellm.BadRequestError: {\"detail\":\"" + escaped(json, '"') + "\"} Fallbacks=None";
        bool const in_a_dump = number++ % 64 == 0;  // long to read
        auto const dumped =
            std::string(in_a_dump ? 40'000 : 40, ' ') + each.text + '\n' + std::string(in_a_dump ? 1'000'000 : 10, 'm');
        CHECK(overflow_of(each.status, each.text) == each.expected);
        for (auto const& text : {each.text, upper, python, json, nested, dumped}) {
            for (auto const status : {0, 400, 413, 422}) CHECK(overflow_of(status, text) == each.expected);
            for (auto const status : never)
                CHECK(overflow_of(status, text).has_value() == (status == 200 && text.starts_with("{\"error\":")));
        }
        if (in_a_dump) CHECK_FALSE(overflow_of(400, std::string(64 * 1024, ' ') + each.text).has_value());
    }
}

TEST_CASE("other errors stay what they are however they are wrapped", "[core][overflow]") {
    for (auto const& each : others()) {
        CAPTURE(each.text);
        for (auto const status : {each.status, 0, 400}) CHECK_FALSE(overflow_of(status, each.text).has_value());
        auto const python = "Error code: 400 - {'error': {'message': '" + escaped(each.text, '\'') + "'}}";
        auto const json = "data: {\"error\":{\"message\":\"" + escaped(each.text, '"') + "\"}}";
        for (auto const& text : {python, json})
            for (auto const status : {0, 400, 413, 422, 500}) CHECK_FALSE(overflow_of(status, text).has_value());
    }
}

TEST_CASE("each wording is the first to read the numbers of an answer", "[core][overflow]") {
    constexpr auto& all = condense::detail::overflow_wordings;
    bool used[all.size()] = {};
    for (auto const& each : overflows())
        for (std::size_t at = 0; at < each.text.size(); ++at)
            for (std::size_t index = 0; index < all.size(); ++index)
                if (condense::detail::phrase_at(std::string_view{each.text}.substr(at), all[index].phrase)) {
                    used[index] = true;
                    break;
                }
    for (std::size_t index = 0; index < all.size(); ++index) {
        CAPTURE(all[index].phrase);
        CHECK(used[index]);
    }
}

/// Pieces of wordings, of answers and of noise in any order.
std::string mixed(laws::random_source& random) {
    std::string out;
    for (auto left = random.below(40); left != 0; --left) {
        auto const kind = random.below(4);
        auto const& wordings = condense::detail::overflow_wordings;
        std::string_view const whole = kind == 0   ? overflows()[random.below(overflows().size())].text
                                       : kind == 1 ? others()[random.below(others().size())].text
                                                   : wordings[random.below(wordings.size())].phrase;
        if (kind == 3) {
            for (auto bytes = random.below(20); bytes != 0; --bytes)
                out.push_back(static_cast<char>(random.below(256)));
            continue;
        }
        auto const from = random.below(whole.size() + 1);
        out.append(whole.substr(from, random.below(whole.size() + 1)));
    }
    return out;
}

TEST_CASE("no text breaks the search, and a text that ends early is no other text", "[core][overflow]") {
    laws::random_source random{20'261};
    std::uint64_t matches = 0;
    for (std::uint64_t round = 0; round < rounds(2'000); ++round) {
        auto const text = mixed(random);
        auto const found = overflow_of(400, text);
        matches += found ? 1u : 0u;
        if (found) CHECK(found->limit.count <= std::uint64_t{1} << 40);
        if (found)
            CHECK(overflow_of(0, "code: 400 " + text).has_value() ==
                  overflow_of(0, "code: 400 " + text + "!").has_value());
        // A block of its own, so that a read behind its end is seen.
        auto const cut = std::string{text, 0, random.below(text.size() + 1)};
        overflow_of(0, cut);
        CHECK((!overflow_of(200, text).has_value() || text.starts_with("{\"error\":")));
    }
    CHECK(matches > rounds(2'000) / 40);
}

TEST_CASE("a hostile megabyte costs no more than its beginning", "[core][overflow]") {
    std::size_t const size = effort() < 100 ? 128 * 1'024 : 1'024 * 1'024;
    std::size_t number = 0;
    for (auto const& wording : condense::detail::overflow_wordings) {
        if (number++ % 12 != 0 && effort() < 100) continue;
        auto const head = wording.phrase.substr(0, wording.phrase.find_first_of("#%~*"));
        std::string text;
        while (text.size() < size) text.append(head).append("1").append(wording.phrase.substr(head.size(), 8));
        CAPTURE(wording.phrase);
        CHECK(overflow_of(0, text) == overflow_of(0, std::string_view{text}.substr(0, 64 * 1024)));
    }
    for (char const byte : {'m', '1', ' ', '\0', '\xFF', 'c'})
        CHECK_FALSE(overflow_of(0, std::string(1'048'576, byte)).has_value());
}

}  // namespace

TEST_CASE("is_bound_elsewhere: reasoning of another conversation is told from an overflow") {
    std::string const refused =
        R"({"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid `signature` in )"
        R"(`thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding`"}})";
    CHECK(condense::is_bound_elsewhere(400, refused));
    CHECK(condense::is_bound_elsewhere(0, refused));
    CHECK(condense::is_bound_elsewhere(0, "Error code: 400 - Invalid `signature` in `thinking` block"));
    CHECK(!condense::is_bound_elsewhere(200, refused));
    CHECK(!condense::is_bound_elsewhere(429, refused));
    CHECK(!overflow_of(400, refused));
    for (auto const& other : overflows()) CHECK(!condense::is_bound_elsewhere(other.status, other.text));
    for (auto const& other : others()) CHECK(!condense::is_bound_elsewhere(other.status, other.text));
    CHECK(!condense::is_bound_elsewhere(400, ""));
}
