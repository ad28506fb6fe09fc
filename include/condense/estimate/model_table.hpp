// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <condense/estimate/model.hpp>
#include <condense/estimate/reasoning_rules.hpp>

// The built-in models, one row each, and their aliases. For models newer than the table read a catalogue: see
// config/models_json.hpp.

namespace condense {
inline namespace v1 {
namespace detail {

/// When the facts were collected; condense::model_facts_date is the public name.
inline constexpr std::string_view model_facts_date = "2026-11-22";

// Facts: the public catalogues models.dev (states of 2026-05, 2026-08 and 2026-10) and LiteLLM (1.109.1), compared
// row by row. Where they differ on a window the smaller one stands, on a price the dearest hour; prices are those
// of usual requests, without the surcharge that some models ask for very long ones.

/// Prices from dollars for a million tokens. A price of 0 for reading or writing the cache is that of input. Consteval,
/// so that floating point never runs in a program.
consteval prices usd(double input, double cached, double written, double output) {
    constexpr auto fixed = [](double amount) { return price{static_cast<std::uint64_t>(amount * 1'000'000 + 0.5)}; };
    auto const usual = fixed(input);
    return {usual, cached > 0 ? fixed(cached) : usual, written > 0 ? fixed(written) : usual, fixed(output)};
}

// The most that one image costs, by the rule that its provider documents: at most 1,568 or 2,576 pixels a side and 750
// pixels a token (Claude), 85 tokens and 170 for each tile (GPT-4o), patches of 32 pixels a side (GPT-4.1), a fixed
// number for the level of detail (Gemini). The rules of other models are not published, or have no such bound.
inline constexpr tokens image_of_claude{1'600};
inline constexpr tokens image_of_claude_large{4'784};
inline constexpr tokens image_of_gpt_4o{1'445};
inline constexpr tokens image_of_gpt_4_1{1'536};
inline constexpr tokens image_of_gemini_2{2'304};
inline constexpr tokens image_of_gemini_3{1'120};

/// The shortest prefix that a prompt cache holds, as makers document it: https://platform.claude.com/docs ("Prompt
/// caching"), https://developers.openai.com, https://ai.google.dev/gemini-api/docs/caching, Alibaba's Model Studio
/// (2026-11). 0 where none is known.
constexpr tokens cache_least_of(std::string_view name) noexcept {
    auto const version = version_of(name);
    auto const has = [&](std::string_view word) { return name.find(word) != std::string_view::npos; };
    if (of_family(name, "claude")) {
        if (version >= 51 || (version == 50 && !has("sonnet"))) return {512};
        if (version == 47) return {2'048};
        if ((version == 45 && !has("sonnet")) || (version == 46 && has("opus"))) return {4'096};
        return {has("haiku") ? 2'048u : 1'024u};
    }
    if (of_family(name, "gpt") || is_openai_reasoner(name) || of_family(name, "qwen")) return {1'024};
    if (of_family(name, "gemini")) return {version >= 30 ? 4'096u : 2'048u};
    return {};
}

/// The most images or pages of a request: https://platform.claude.com/docs ("Vision": 600, or 100 where the window is
/// 200,000 tokens), https://cloud.google.com/vertex-ai ("Limits": 3,000). The largest number where none is known.
constexpr images most_images_of(std::string_view name, std::uint64_t window) noexcept {
    if (of_family(name, "claude")) return {window > 200'000 ? 600u : 100u};
    return {of_family(name, "gemini") ? 3'000u : u64_limit};
}
/// The most bytes of a request: 32 MB with its JSON (Claude, "Vision"), of which JSON may take the rest.
constexpr bytes most_bytes_of(std::string_view name) noexcept {
    return {of_family(name, "claude") ? 30'000'000u : u64_limit};
}

/// A row of the table; the family, what becomes of reasoning and the least that is cached follow from the name.
constexpr model row(std::string_view name, std::uint64_t window, std::uint64_t input, std::uint64_t output,
                    std::optional<prices> price, std::string_view tokenizer = {}, tokens image = {}) noexcept {
    auto const& reasoning = reasoning_rule_of(name);
    return {.name = name,
            .window = {window},
            .input = {input},
            .output = {output},
            .price = price,
            .family = family_of(name),
            .tokenizer = tokenizer,
            .image = v1::cost::of(image),
            .reasoning = reasoning.use,
            .bound = reasoning.bound,
            .wanted = reasoning.wanted,
            .images = most_images_of(name, window),
            .bytes = most_bytes_of(name),
            .cache_least = cache_least_of(name)};
}

/// Name, window, input, output, price (input, cached, written, output), tokenizer, image; limits in tokens, 0 if there
/// is none or it is unknown. One section a maker, newest models first; no name may stand twice in any spelling.
inline constexpr model model_table[] = {
    // Anthropic
    row("claude-haiku-5-5", 1'000'000, 0, 128'000, usd(0.1, 0.01, 0.125, 0.5), "", image_of_claude_large),
    row("claude-sonnet-5-5", 1'000'000, 0, 128'000, usd(2.0, 0.1, 2.5, 10.0), "", image_of_claude_large),
    row("claude-opus-5-5", 1'000'000, 0, 128'000, usd(4.0, 0.2, 5.0, 20.0), "", image_of_claude_large),
    row("claude-fable-5-1", 1'000'000, 0, 128'000, usd(10.0, 0.25, 12.5, 50.0), "", image_of_claude_large),
    row("claude-fable-5", 1'000'000, 0, 128'000, usd(10.0, 1.0, 12.5, 50.0), "", image_of_claude_large),
    row("claude-mythos-5-1", 1'000'000, 0, 128'000, usd(10.0, 0.25, 12.5, 50.0), "", image_of_claude_large),
    row("claude-mythos-5", 1'000'000, 0, 128'000, usd(10.0, 1.0, 12.5, 50.0), "", image_of_claude_large),
    row("claude-sonnet-5", 1'000'000, 0, 128'000, usd(2.0, 0.2, 2.5, 10.0), "", image_of_claude_large),
    row("claude-opus-5", 1'000'000, 0, 128'000, usd(5.0, 0.5, 6.25, 25.0), "", image_of_claude_large),
    row("claude-opus-4-8", 1'000'000, 0, 128'000, usd(5.0, 0.5, 6.25, 25.0), "", image_of_claude_large),
    row("claude-opus-4-7", 1'000'000, 0, 128'000, usd(5.0, 0.5, 6.25, 25.0), "", image_of_claude_large),
    row("claude-opus-4-6", 1'000'000, 0, 128'000, usd(5.0, 0.5, 6.25, 25.0), "", image_of_claude),
    row("claude-sonnet-4-6", 1'000'000, 0, 64'000, usd(3.0, 0.3, 3.75, 15.0), "", image_of_claude),
    row("claude-haiku-4-5", 200'000, 0, 64'000, usd(1.0, 0.1, 1.25, 5.0), "", image_of_claude),
    row("claude-sonnet-4-5", 200'000, 0, 64'000, usd(3.0, 0.3, 3.75, 15.0), "", image_of_claude),
    row("claude-opus-4-5", 200'000, 0, 64'000, usd(5.0, 0.5, 6.25, 25.0), "", image_of_claude),
    row("claude-opus-4-1", 200'000, 0, 32'000, usd(15.0, 1.5, 18.75, 75.0), "", image_of_claude),
    row("claude-opus-4-0", 200'000, 0, 32'000, usd(15.0, 1.5, 18.75, 75.0), "", image_of_claude),
    row("claude-sonnet-4-0", 200'000, 0, 64'000, usd(3.0, 0.3, 3.75, 15.0), "", image_of_claude),
    row("claude-3-7-sonnet", 200'000, 0, 64'000, usd(3.0, 0.3, 3.75, 15.0), "", image_of_claude),
    row("claude-3-5-sonnet", 200'000, 0, 8'192, usd(3.0, 0.3, 3.75, 15.0), "", image_of_claude),
    row("claude-3-5-haiku", 200'000, 0, 8'192, usd(0.8, 0.08, 1.0, 4.0), "", image_of_claude),
    row("claude-3-opus", 200'000, 0, 4'096, usd(15.0, 1.5, 18.75, 75.0), "", image_of_claude),
    row("claude-3-haiku", 200'000, 0, 4'096, usd(0.25, 0.03, 0.3, 1.25), "", image_of_claude),
    // OpenAI
    row("gpt-6.1-sol", 1'050'000, 922'000, 128'000, usd(2.0, 0.1, 2.5, 10.0)),
    row("gpt-6.1-terra", 1'050'000, 922'000, 128'000, usd(1.0, 0.05, 1.25, 5.0)),
    row("gpt-6-astra", 1'050'000, 922'000, 128'000, usd(10.0, 1.0, 12.5, 50.0)),
    row("gpt-6-sol", 1'050'000, 922'000, 128'000, usd(2.0, 0.2, 2.5, 10.0)),
    row("gpt-6-luna", 1'050'000, 922'000, 128'000, usd(0.1, 0.01, 0.125, 0.5)),
    row("gpt-5.6", 1'050'000, 922'000, 128'000, usd(4.0, 0.4, 5.0, 20.0), "o200k_base"),
    row("gpt-5.6-sol", 1'050'000, 922'000, 128'000, usd(4.0, 0.4, 5.0, 20.0), "o200k_base"),
    row("gpt-5.6-terra", 1'050'000, 922'000, 128'000, usd(2.0, 0.2, 2.5, 12.0), "o200k_base"),
    row("gpt-5.6-luna", 1'050'000, 922'000, 128'000, usd(0.2, 0.02, 0.25, 1.2), "o200k_base"),
    row("gpt-5.5", 1'050'000, 922'000, 128'000, usd(5.0, 0.5, 0.0, 30.0), "o200k_base"),
    row("gpt-5.5-pro", 1'050'000, 922'000, 128'000, usd(30.0, 0.0, 0.0, 180.0), "o200k_base"),
    row("gpt-5.4", 1'050'000, 922'000, 128'000, usd(2.5, 0.25, 0.0, 15.0), "o200k_base"),
    row("gpt-5.4-pro", 1'050'000, 922'000, 128'000, usd(30.0, 0.0, 0.0, 180.0), "o200k_base"),
    row("gpt-5.4-mini", 400'000, 272'000, 128'000, usd(0.75, 0.075, 0.0, 4.5), "o200k_base"),
    row("gpt-5.4-nano", 400'000, 272'000, 128'000, usd(0.2, 0.02, 0.0, 1.25), "o200k_base"),
    row("gpt-5.3-codex", 400'000, 272'000, 128'000, usd(1.75, 0.175, 0.0, 14.0), "o200k_base"),
    row("gpt-5.2", 400'000, 272'000, 128'000, usd(1.75, 0.175, 0.0, 14.0), "o200k_base"),
    row("gpt-5.2-codex", 400'000, 272'000, 128'000, usd(1.75, 0.175, 0.0, 14.0), "o200k_base"),
    row("gpt-5.2-pro", 400'000, 272'000, 128'000, usd(21.0, 0.0, 0.0, 168.0), "o200k_base"),
    row("gpt-5.1", 400'000, 272'000, 128'000, usd(1.25, 0.125, 0.0, 10.0), "o200k_base"),
    row("gpt-5.1-codex", 400'000, 272'000, 128'000, usd(1.25, 0.125, 0.0, 10.0), "o200k_base"),
    row("gpt-5.1-codex-max", 400'000, 272'000, 128'000, usd(1.25, 0.125, 0.0, 10.0), "o200k_base"),
    row("gpt-5.1-codex-mini", 400'000, 272'000, 128'000, usd(0.25, 0.025, 0.0, 2.0), "o200k_base"),
    row("gpt-5", 400'000, 272'000, 128'000, usd(1.25, 0.125, 0.0, 10.0), "o200k_base"),
    row("gpt-5-codex", 400'000, 272'000, 128'000, usd(1.25, 0.125, 0.0, 10.0), "o200k_base"),
    row("gpt-5-mini", 400'000, 272'000, 128'000, usd(0.25, 0.025, 0.0, 2.0), "o200k_base"),
    row("gpt-5-nano", 400'000, 272'000, 128'000, usd(0.05, 0.005, 0.0, 0.4), "o200k_base"),
    row("gpt-5-pro", 400'000, 272'000, 272'000, usd(15.0, 0.0, 0.0, 120.0), "o200k_base"),
    row("gpt-5.3-chat-latest", 128'000, 0, 16'384, usd(1.75, 0.175, 0.0, 14.0), "o200k_base"),
    row("gpt-5.2-chat-latest", 128'000, 0, 16'384, usd(1.75, 0.175, 0.0, 14.0), "o200k_base"),
    row("gpt-5.1-chat-latest", 128'000, 0, 16'384, usd(1.25, 0.125, 0.0, 10.0), "o200k_base"),
    row("gpt-5-chat-latest", 128'000, 0, 16'384, usd(1.25, 0.125, 0.0, 10.0), "o200k_base"),
    row("gpt-4.1", 1'047'576, 0, 32'768, usd(2.0, 0.5, 0.0, 8.0), "o200k_base", image_of_gpt_4_1),
    row("gpt-4.1-mini", 1'047'576, 0, 32'768, usd(0.4, 0.1, 0.0, 1.6), "o200k_base"),
    row("gpt-4.1-nano", 1'047'576, 0, 32'768, usd(0.1, 0.025, 0.0, 0.4), "o200k_base"),
    row("gpt-4o", 128'000, 0, 16'384, usd(2.5, 1.25, 0.0, 10.0), "o200k_base", image_of_gpt_4o),
    row("gpt-4o-2024-05-13", 128'000, 0, 4'096, usd(5.0, 0.0, 0.0, 15.0), "o200k_base", image_of_gpt_4o),
    row("gpt-4o-mini", 128'000, 0, 16'384, usd(0.15, 0.075, 0.0, 0.6), "o200k_base"),
    row("o4-mini", 200'000, 0, 100'000, usd(1.1, 0.275, 0.0, 4.4), "o200k_base"),
    row("o3", 200'000, 0, 100'000, usd(2.0, 0.5, 0.0, 8.0), "o200k_base"),
    row("o3-pro", 200'000, 0, 100'000, usd(20.0, 0.0, 0.0, 80.0), "o200k_base"),
    row("o3-mini", 200'000, 0, 100'000, usd(1.1, 0.55, 0.0, 4.4), "o200k_base"),
    row("o1", 200'000, 0, 100'000, usd(15.0, 7.5, 0.0, 60.0), "o200k_base"),
    row("o1-pro", 200'000, 0, 100'000, usd(150.0, 0.0, 0.0, 600.0), "o200k_base"),
    row("gpt-4-turbo", 128'000, 0, 4'096, usd(10.0, 0.0, 0.0, 30.0), "cl100k_base", image_of_gpt_4o),
    row("gpt-4", 8'192, 0, 4'096, usd(30.0, 0.0, 0.0, 60.0), "cl100k_base"),
    row("gpt-3.5-turbo", 16'385, 0, 4'096, usd(0.5, 0.0, 0.0, 1.5), "cl100k_base"),
    row("gpt-oss-120b", 131'072, 0, 131'072, {}, "o200k_harmony"),
    row("gpt-oss-20b", 131'072, 0, 131'072, {}, "o200k_harmony"),
    // Google
    row("gemini-4-argon", 1'048'576, 0, 65'536, usd(2.0, 0.1, 0.0, 10.0), "", image_of_gemini_3),
    row("gemini-3.8-flash", 1'048'576, 0, 65'536, usd(0.75, 0.075, 0.0, 3.75), "", image_of_gemini_3),
    row("gemini-3.7-flash", 1'048'576, 0, 65'536, usd(0.75, 0.075, 0.0, 3.75), "", image_of_gemini_3),
    row("gemini-3.6-flash", 1'048'576, 0, 65'536, usd(0.75, 0.075, 0.0, 3.75), "", image_of_gemini_3),
    row("gemini-3.5-flash", 1'048'576, 0, 65'536, usd(1.5, 0.15, 0.0, 9.0), "", image_of_gemini_3),
    row("gemini-3.5-flash-lite", 1'048'576, 0, 65'536, usd(0.3, 0.03, 0.0, 2.5), "", image_of_gemini_3),
    row("gemini-3.1-pro-preview", 1'048'576, 0, 65'536, usd(2.0, 0.2, 0.0, 12.0), "", image_of_gemini_3),
    row("gemini-3.1-flash-lite", 1'048'576, 0, 65'536, usd(0.25, 0.025, 0.0, 1.5), "", image_of_gemini_3),
    row("gemini-3-pro-preview", 1'048'576, 0, 65'536, usd(2.0, 0.2, 0.0, 12.0), "", image_of_gemini_3),
    row("gemini-3-flash-preview", 1'048'576, 0, 65'536, usd(0.5, 0.05, 0.0, 3.0), "", image_of_gemini_3),
    row("gemini-2.5-pro", 1'048'576, 0, 65'536, usd(1.25, 0.125, 0.0, 10.0), "", image_of_gemini_2),
    row("gemini-2.5-flash", 1'048'576, 0, 65'536, usd(0.3, 0.03, 0.0, 2.5), "", image_of_gemini_2),
    row("gemini-2.5-flash-lite", 1'048'576, 0, 65'536, usd(0.1, 0.01, 0.0, 0.4), "", image_of_gemini_2),
    row("gemini-2.0-flash", 1'048'576, 0, 8'192, usd(0.1, 0.025, 0.0, 0.4), "", image_of_gemini_2),
    row("gemini-2.0-flash-lite", 1'048'576, 0, 8'192, usd(0.075, 0.0, 0.0, 0.3), "", image_of_gemini_2),
    row("gemini-1.5-pro", 1'000'000, 0, 8'192, usd(1.25, 0.3125, 0.0, 5.0)),
    row("gemini-1.5-flash", 1'000'000, 0, 8'192, usd(0.075, 0.01875, 0.0, 0.3)),
    row("gemma-4-31b-it", 262'144, 0, 32'768, {}),
    row("gemma-3-27b-it", 131'072, 0, 8'192, {}, "gemma3"),
    // Moonshot
    row("kimi-k3.1-pro", 1'048'576, 0, 131'072, usd(2.0, 0.2, 2.0, 10.0)),
    row("kimi-k3", 1'048'576, 0, 131'072, usd(3.0, 0.3, 3.0, 15.0)),
    row("kimi-k2.7-code", 262'144, 0, 262'144, usd(0.95, 0.19, 0.0, 4.0)),
    row("kimi-k2.6", 262'144, 0, 262'144, usd(0.95, 0.16, 0.0, 4.0)),
    row("kimi-k2.5", 262'144, 0, 262'144, usd(0.6, 0.1, 0.0, 3.0)),
    row("kimi-k2-thinking", 262'144, 0, 262'144, usd(0.6, 0.15, 0.0, 2.5), "kimi_k2"),
    row("kimi-k2-thinking-turbo", 262'144, 0, 262'144, usd(1.15, 0.15, 0.0, 8.0), "kimi_k2"),
    row("kimi-k2-turbo-preview", 262'144, 0, 262'144, usd(2.4, 0.6, 0.0, 10.0), "kimi_k2"),
    row("kimi-k2-0905-preview", 262'144, 0, 262'144, usd(0.6, 0.15, 0.0, 2.5), "kimi_k2"),
    row("kimi-k2-0711-preview", 131'072, 0, 16'384, usd(0.6, 0.15, 0.0, 2.5), "kimi_k2"),
    // DeepSeek
    row("deepseek-v4-pro", 1'000'000, 0, 384'000, usd(1.32, 0.044, 0.0, 3.96)),
    row("deepseek-v4-flash", 1'000'000, 0, 384'000, usd(0.3, 0.006, 0.0, 1.2)),
    row("deepseek-flash", 1'000'000, 0, 384'000, usd(0.3, 0.006, 0.0, 1.2)),
    row("deepseek-chat", 131'072, 0, 8'192, usd(0.28, 0.028, 0.0, 0.42)),
    row("deepseek-reasoner", 131'072, 0, 65'536, usd(0.28, 0.028, 0.0, 0.42)),
    row("deepseek-v3.2", 163'840, 0, 65'536, usd(0.28, 0.028, 0.0, 0.42), "deepseek_v3"),
    // Qwen
    row("qwen3.8-max", 1'000'000, 0, 131'072, usd(2.0, 0.25, 2.5, 6.0)),
    row("qwen3.8-flash", 1'000'000, 0, 131'072, usd(0.15, 0.016, 0.2, 0.47)),
    row("qwen3.8-27b", 262'144, 0, 65'536, usd(0.5, 0.1, 0.625, 3.0)),
    row("qwen3.7-max", 1'000'000, 0, 65'536, usd(2.5, 0.5, 3.125, 7.5)),
    row("qwen3.7-plus", 1'000'000, 0, 65'536, usd(0.5, 0.1, 0.625, 3.0)),
    row("qwen3.6-plus", 1'000'000, 0, 65'536, usd(0.5, 0.05, 0.625, 3.0)),
    row("qwen3.6-flash", 1'000'000, 0, 65'536, usd(0.25, 0.025, 0.3125, 1.5)),
    row("qwen3.5-plus", 1'000'000, 0, 65'536, usd(0.4, 0.04, 0.5, 2.4)),
    row("qwen3.5-397b-a17b", 262'144, 0, 65'536, usd(0.6, 0.0, 0.0, 3.6)),
    row("qwen3-max", 262'144, 0, 65'536, usd(1.2, 0.24, 1.5, 6.0)),
    row("qwen3-coder-plus", 1'000'000, 0, 65'536, usd(1.0, 0.2, 1.25, 5.0), "qwen3"),
    row("qwen3-coder-flash", 1'000'000, 0, 65'536, usd(0.3, 0.06, 0.375, 1.5), "qwen3"),
    row("qwen3-coder-480b-a35b-instruct", 262'144, 0, 65'536, usd(1.5, 0.0, 0.0, 7.5), "qwen3"),
    row("qwen3-235b-a22b", 131'072, 0, 16'384, usd(0.7, 0.0, 0.0, 2.8), "qwen3"),
    row("qwen3-32b", 131'072, 0, 16'384, usd(0.7, 0.0, 0.0, 2.8), "qwen3"),
    row("qwen-max", 32'768, 0, 8'192, usd(1.6, 0.32, 0.0, 6.4)),
    row("qwen-plus", 1'000'000, 0, 32'768, usd(0.4, 0.08, 0.5, 1.2)),
    row("qwen-flash", 1'000'000, 0, 32'768, usd(0.05, 0.01, 0.0625, 0.4)),
    row("qwen-turbo", 1'000'000, 0, 16'384, usd(0.05, 0.01, 0.0, 0.2)),
    // Meta
    row("muse-wonder-1.0", 1'048'576, 0, 131'072, usd(4.0, 0.2, 0.0, 20.0)),
    row("muse-spark-1.3", 1'048'576, 0, 131'072, usd(1.25, 0.15, 0.0, 4.25)),
    row("muse-spark-1.2", 1'048'576, 0, 131'072, usd(1.25, 0.15, 0.0, 4.25)),
    row("muse-spark-1.1", 1'000'000, 0, 32'000, usd(1.25, 0.15, 0.0, 4.25)),
    row("llama-4-maverick", 1'000'000, 0, 8'192, {}, "llama4"),
    row("llama-4-scout", 10'000'000, 0, 8'192, {}, "llama4"),
    row("llama-3.3-70b-instruct", 128'000, 0, 4'096, {}, "llama3"),
    row("llama-3.2-90b-vision-instruct", 128'000, 0, 4'096, {}, "llama3"),
    row("llama-3.2-11b-vision-instruct", 128'000, 0, 4'096, {}, "llama3"),
    row("llama-3.2-3b-instruct", 128'000, 0, 4'096, {}, "llama3"),
    row("llama-3.2-1b-instruct", 128'000, 0, 4'096, {}, "llama3"),
    row("llama-3.1-405b-instruct", 128'000, 0, 4'096, {}, "llama3"),
    row("llama-3.1-70b-instruct", 128'000, 0, 4'096, {}, "llama3"),
    row("llama-3.1-8b-instruct", 128'000, 0, 4'096, {}, "llama3"),
    row("llama-3-70b-instruct", 8'192, 0, 2'048, {}, "llama3"),
    row("llama-3-8b-instruct", 8'192, 0, 2'048, {}, "llama3"),
    // Mistral
    row("mistral-large-4", 1'048'576, 0, 1'048'576, usd(1.36, 0.14, 0.0, 4.18)),
    row("mistral-large-2512", 262'144, 0, 262'144, usd(0.5, 0.05, 0.0, 1.5)),
    row("mistral-large-2411", 131'072, 0, 16'384, usd(2.0, 0.0, 0.0, 6.0)),
    row("mistral-medium-2604", 262'144, 0, 262'144, usd(1.5, 0.15, 0.0, 7.5)),
    row("mistral-medium-2508", 131'072, 0, 131'072, usd(0.4, 0.0, 0.0, 2.0)),
    row("mistral-small-2603", 256'000, 0, 256'000, usd(0.15, 0.015, 0.0, 0.6)),
    row("mistral-small-2506", 128'000, 0, 16'384, usd(0.1, 0.0, 0.0, 0.3), "tekken"),
    row("ministral-14b-2512", 262'144, 0, 262'144, usd(0.2, 0.02, 0.0, 0.2)),
    row("ministral-8b-2512", 262'144, 0, 262'144, usd(0.15, 0.015, 0.0, 0.15)),
    row("ministral-3b-2512", 131'072, 0, 131'072, usd(0.1, 0.01, 0.0, 0.1)),
    row("codestral-2508", 128'000, 0, 0, usd(0.3, 0.03, 0.0, 0.9)),
    row("devstral-2512", 256'000, 0, 256'000, usd(0.4, 0.04, 0.0, 2.0)),
    row("open-mistral-nemo", 128'000, 0, 128'000, usd(0.3, 0.03, 0.0, 0.3), "tekken"),
};

/// Another name of a model, and its name in the table.
struct model_alias {
    std::string_view name;
    std::string_view target;
};

/// Names that makers, clouds and gateways document for rows of the table. Names that differ only in provider, date,
/// case or a dot for a hyphen need no row here.
inline constexpr model_alias model_aliases[] = {
    // Anthropic: names without a version of the newest snapshot, and those of clouds and gateways
    {"claude-opus-4", "claude-opus-4-0"},
    {"claude-4-opus", "claude-opus-4-0"},
    {"claude-sonnet-4", "claude-sonnet-4-0"},
    {"claude-4-sonnet", "claude-sonnet-4-0"},
    {"claude-4.5-sonnet", "claude-sonnet-4-5"},
    {"claude-4.5-haiku", "claude-haiku-4-5"},
    {"claude-3-7-sonnet-latest", "claude-3-7-sonnet"},
    {"claude-3-5-sonnet-latest", "claude-3-5-sonnet"},
    {"claude-3-5-haiku-latest", "claude-3-5-haiku"},
    {"claude-haiku-3-5", "claude-3-5-haiku"},
    {"claude-3-opus-latest", "claude-3-opus"},
    // OpenAI
    {"gpt-4-0613", "gpt-4"},
    {"gpt-3.5-turbo-0125", "gpt-3.5-turbo"},
    {"chatgpt-4o-latest", "gpt-4o"},
    // Google
    {"gemini-3.1-pro", "gemini-3.1-pro-preview"},
    {"gemini-3.1-flash-lite-preview", "gemini-3.1-flash-lite"},
    {"gemini-2.0-flash-001", "gemini-2.0-flash"},
    {"gemini-1.5-pro-002", "gemini-1.5-pro"},
    {"gemini-1.5-flash-002", "gemini-1.5-flash"},
    // Moonshot and Qwen, as their makers name the open weights
    {"kimi-k2-instruct", "kimi-k2-0711-preview"},
    {"kimi-k2-instruct-0905", "kimi-k2-0905-preview"},
    {"qwen3-coder", "qwen3-coder-480b-a35b-instruct"},
    // Meta: Bedrock, Vertex and the open weights
    {"llama3-3-70b-instruct", "llama-3.3-70b-instruct"},
    {"llama3-1-405b-instruct", "llama-3.1-405b-instruct"},
    {"llama3-1-70b-instruct", "llama-3.1-70b-instruct"},
    {"llama3-1-8b-instruct", "llama-3.1-8b-instruct"},
    {"llama3-70b-instruct", "llama-3-70b-instruct"},
    {"llama3-8b-instruct", "llama-3-8b-instruct"},
    {"meta-llama-3-8b-instruct", "llama-3-8b-instruct"},
    {"meta-llama-3-70b-instruct", "llama-3-70b-instruct"},
    {"llama4-maverick-17b-instruct", "llama-4-maverick"},
    {"llama4-scout-17b-instruct", "llama-4-scout"},
    {"llama-4-maverick-17b-128e-instruct", "llama-4-maverick"},
    {"llama-4-scout-17b-16e-instruct", "llama-4-scout"},
    // Mistral
    {"mistral-large-4-0", "mistral-large-4"},
    {"mistral-large-latest", "mistral-large-2512"},
    {"mistral-medium-latest", "mistral-medium-2604"},
    {"mistral-medium-3.5", "mistral-medium-2604"},
    {"mistral-small-latest", "mistral-small-2603"},
    {"ministral-14b-latest", "ministral-14b-2512"},
    {"ministral-8b-latest", "ministral-8b-2512"},
    {"ministral-3b-latest", "ministral-3b-2512"},
    {"codestral-latest", "codestral-2508"},
    {"devstral-latest", "devstral-2512"},
    {"devstral-medium-latest", "devstral-2512"},
    {"mistral-nemo", "open-mistral-nemo"},
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
