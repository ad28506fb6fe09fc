// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/stored_texts.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/json.hpp>

#include "laws/generator.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using condense::detail::rewrite_texts;

/// Writes "(gone)" for each "KEY".
std::size_t take_keys(std::string& text) {
    std::size_t count = 0;
    for (auto begin = text.find("KEY"); begin != std::string::npos; begin = text.find("KEY", begin), ++count)
        text.replace(begin, 3, "(gone)");
    return count;
}
std::string rewritten(std::string bytes, std::size_t expected) {
    CHECK(rewrite_texts(bytes, take_keys) == expected);
    return bytes;
}

}  // namespace

TEST_CASE("stored texts: any text is one text") {
    CHECK(rewritten("", 0) == "");
    CHECK(rewritten("a KEY, KEY", 2) == "a (gone), (gone)");
    CHECK(rewritten("3:KEY,", 1) == "6:(gone),");
    CHECK(rewritten("3:KEY", 1) == "3:(gone)");
    CHECK(rewritten("3:KEY,4:KEY,", 2) == "3:(gone),4:(gone),");
    CHECK(rewritten("1:a,2:KEY,KEY", 2) == "1:a,2:(gone),(gone)");
}

TEST_CASE("stored texts: a chat_message is read back, whatever its texts are") {
    auto const m = condense::chat_message::call("id KEY", "tool", "{\"a\":\"KEY\"}").and_call("2", "3:KEY,", "KEYKEY");
    auto const expected = condense::chat_message::call("id (gone)", "tool", "{\"a\":\"(gone)\"}")
                              .and_call("2", "3:(gone),", "(gone)(gone)");
    CHECK(condense::from_bytes<condense::chat_message>(rewritten(condense::to_bytes(m), 5)) == expected);
}

TEST_CASE("stored texts: JSON that is no UTF-8 is read back, with texts of any length") {
    using json = nlohmann::ordered_json;
    for (std::size_t const size : {0u, 5u, 20u, 21u, 23u, 24u, 250u, 252u, 255u, 256u, 65'530u, 65'535u, 65'536u}) {
        auto const text = [&](std::string_view key) { return std::string(size, 'x') + std::string{key} + "\xFF"; };
        json const m{{"role", "user"}, {"content", text("KEY")}, {"n", {1, -1, 1.5, true, nullptr, 70'000, "KEY"}}};
        json const expected{
            {"role", "user"}, {"content", text("(gone)")}, {"n", {1, -1, 1.5, true, nullptr, 70'000, "(gone)"}}};
        auto const bytes = condense::to_bytes(m);
        REQUIRE(bytes.starts_with(condense::detail::cbor_mark));
        CHECK(condense::from_bytes<json>(rewritten(bytes, 2)) == expected);
        // In a field of another format, as adapters with JSON inside write it.
        std::string field;
        condense::detail::put_field(field, bytes);
        std::string expected_field;
        condense::detail::put_field(expected_field, condense::to_bytes(expected));
        CHECK(rewritten(field, 2) == expected_field);
        // Torn, it is one text.
        auto torn = bytes.substr(0, bytes.size() - 1);
        CHECK(rewrite_texts(torn, take_keys) >= 1);
        CHECK(torn.find("KEY") == std::string::npos);
    }
}

TEST_CASE("stored texts: random bytes lose their keys and nothing else") {
    for (std::uint64_t seed = 0; seed < rounds(100'000); ++seed) {
        laws::random_source random{seed};
        std::string bytes{random.chance(50) ? condense::detail::cbor_mark : std::string_view{}};
        for (auto left = random.below(30); left != 0; --left) {
            if (random.chance(30)) bytes += "KEY";
            else if (random.chance(30)) bytes += random.chance(50) ? "3:KEY," : "\x63KEY";
            else bytes.push_back(static_cast<char>(random.next()));
        }
        auto const before = bytes;
        auto const count = rewrite_texts(bytes, take_keys);
        if (count == 0) REQUIRE(bytes == before);
        else REQUIRE(bytes != before);
    }
}
