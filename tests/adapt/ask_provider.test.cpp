// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/ask_provider.hpp>

#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"

namespace {

using condense::json_shape, condense::provider_means;
using json = nlohmann::ordered_json;
using asked = std::pair<std::string, std::string>;  // body and header, "-" where the provider has no such means
asked ask(json_shape shape, std::uint64_t at, provider_means const& means = {}, std::string_view body = "{}") {
    auto document = json::parse(body);
    auto const header = condense::ask_provider(document, shape, {at}, means);
    return {document.dump(), std::string{header.value_or("-")}};
}

TEST_CASE("ask_provider: Anthropic") {
    auto const all = ask(json_shape::anthropic, 60'000);
    CHECK(all.second == "context-management-2025-06-27,compact-2026-01-12");
    CHECK(
        all.first ==
        R"({"context_management":{"edits":[{"type":"clear_tool_uses_20250919","trigger":{"type":"input_tokens","value":60000},"keep":{"type":"tool_uses","value":3}},{"type":"compact_20260112","trigger":{"type":"input_tokens","value":60000}}]}})");
    auto const compacted = ask(json_shape::anthropic, 9, {.clear_results = false});
    CHECK(compacted.second == "compact-2026-01-12");
    CHECK(
        compacted.first ==
        R"({"context_management":{"edits":[{"type":"compact_20260112","trigger":{"type":"input_tokens","value":50000}}]}})");
    auto const cleared =
        ask(json_shape::anthropic, 9, {.compact = false, .keep_results = 1}, R"({"thinking":{"type":"adaptive"}})");
    CHECK(cleared.second == "context-management-2025-06-27");
    CHECK(
        cleared.first ==
        R"({"thinking":{"type":"adaptive"},"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"},{"type":"clear_tool_uses_20250919","trigger":{"type":"input_tokens","value":9},"keep":{"type":"tool_uses","value":1}}]}})");
}

TEST_CASE("ask_provider: OpenAI, and who has no such means") {
    auto const all = ask(json_shape::responses, 9, {.truncate = true});
    CHECK((all.second.empty() &&
           all.first == R"({"truncation":"auto","context_management":[{"type":"compaction","compact_threshold":9}]})"));
    CHECK(ask(json_shape::responses, 9, {.compact = false, .truncate = true}).first == R"({"truncation":"auto"})");
    for (auto const& nothing :
         {ask(json_shape::openai, 9), ask(json_shape::gemini, 9), ask(json_shape::responses, 9, {.compact = false}),
          ask(json_shape::anthropic, 9, {.compact = false, .clear_results = false})})
        CHECK((nothing.second == "-" && nothing.first == "{}"));
    std::string_view const own = R"({"context_management":{"edits":[]}})";
    CHECK(
        (ask(json_shape::anthropic, 9, {}, own).second == "-" && ask(json_shape::anthropic, 9, {}, own).first == own));
    CHECK(ask(json_shape::anthropic, 9, {}, "[]").second == "-");
}

TEST_CASE("ask_for_compaction: at once, where no call is open") {
    auto const ask_at_once = [](json_shape shape, std::string_view body) {
        auto made = condense::parse_json<nlohmann::ordered_json>(body).value;
        auto const beta = condense::ask_for_compaction(made, shape);
        return std::pair{made.dump(), std::string{beta.value_or("-")}};
    };
    auto const one = ask_at_once(json_shape::anthropic, R"({"messages":[{"role":"user","content":"x"}]})");
    CHECK((one.second == "compact-2026-09-04" &&
           one.first == R"({"messages":[{"role":"user","content":"x"}],"compaction":{"type":"summarize"}})"));
    auto const other = ask_at_once(json_shape::responses, R"({"input":[{"role":"user","content":"x"}]})");
    CHECK((other.second.empty() &&
           other.first == R"({"input":[{"role":"user","content":"x"},{"type":"compaction_trigger"}]})"));
    for (std::string_view const body :
         {R"({"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1"}]}]})",
          R"({"messages":[{"role":"user","content":"x"}],"context_management":{}})", R"({"messages":[]})", "[]"})
        CHECK(ask_at_once(json_shape::anthropic, body).second == "-");
    for (std::string_view const body : {R"({"input":[{"type":"function_call"}]})",
                                        R"({"input":[{"type":"compaction_trigger"}]})", R"({"input":"x"})"})
        CHECK(ask_at_once(json_shape::responses, body).second == "-");
    CHECK(ask_at_once(json_shape::openai, R"({"messages":[{"role":"user","content":"x"}]})").second == "-");
}

}  // namespace
