// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Secrets of every kind that known_secrets knows, none of which is real: each is made when the test runs, so that no
// scanner finds it here, and differs from all others.

namespace canaries {

constexpr std::string_view letters_and_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view capitals_and_digits = letters_and_digits.substr(0, 26);

/// `count` of the bytes, the same for the same seed; the first is a letter, the second a digit if there are any.
inline std::string run(std::size_t count, std::uint64_t seed, std::string_view bytes = letters_and_digits) {
    std::string out;
    for (auto state = seed * 2 + 1; out.size() < count;) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        out.push_back(bytes[static_cast<std::size_t>(state >> 33) % bytes.size()]);
    }
    if (count > 1) out[1] = bytes.find('7') == std::string_view::npos ? out[1] : '7';
    if (count != 0) out[0] = bytes[static_cast<std::size_t>(seed) % 26];
    return out;
}

struct canary {
    std::string label;
    std::string text;  ///< as a program or a person would write it
    std::string secret;  ///< the part of it that is one
};

/// Lines of base64 as of a key.
inline std::string key_lines(std::uint64_t seed, std::string_view line_break, std::size_t lines = 6) {
    std::string out;
    for (std::size_t line = 0; line < lines; ++line) out += run(64, seed + line * 1'000) + std::string{line_break};
    return out;
}
inline std::string key_block(std::string_view of, std::uint64_t seed, std::string_view line_break = "\n") {
    auto const label = std::string{of} + "PRIVATE KEY-----";
    return "-----BEGIN " + label + std::string{line_break} + key_lines(seed, line_break) + "-----END " + label;
}
inline std::string web_token(std::uint64_t seed) {
    return "eyJ" + run(33, seed) + "." + "eyJ" + run(61, seed + 1) + "." + run(43, seed + 2);
}

/// One of each kind. Other seeds give other secrets.
inline std::vector<canary> all(std::uint64_t seed) {
    std::vector<canary> out;
    auto const add = [&](std::string label, std::string secret, std::string before = {}, std::string after = {}) {
        out.push_back({std::move(label), before + secret + after, secret});
        seed += 100'000;
    };
    add("openai key", "sk-" + run(48, seed));
    add("openai key", "sk-proj-" + run(70, seed) + "_" + run(60, seed + 1));
    add("anthropic key", "sk-ant-api03-" + run(60, seed) + "-" + run(34, seed + 1) + "AA");
    for (std::string const prefix : {"ghp_", "gho_", "ghu_", "ghs_", "ghr_"})
        add("github token", prefix + run(36, seed));
    add("github token", "ghs_1234567_" + web_token(seed));
    add("github token", "github_pat_" + run(22, seed) + "_" + run(59, seed + 1));
    add("gitlab token", "glpat-" + run(20, seed));
    add("aws key id", "AKIA" + run(16, seed, capitals_and_digits));
    add("aws key id", "ASIA" + run(16, seed, capitals_and_digits));
    add("aws secret key", run(20, seed) + "/" + run(19, seed + 1), "aws_secret_access_key = ");
    add("google key", "AIza" + run(35, seed));
    for (std::string const prefix : {"xoxb-", "xoxp-", "xoxa-", "xapp-"})
        add("slack token", prefix + "123456789012-" + run(24, seed));
    add("stripe key", "sk_live_" + run(24, seed));
    add("stripe key", "rk_live_" + run(24, seed));
    add("hugging face token", "hf_" + run(34, seed));
    add("npm token", "npm_" + run(36, seed));
    add("pypi token", "pypi-AgEIcHlwaS5vcmc" + run(80, seed));
    add("jwt", web_token(seed));
    for (std::string const of : {"", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "}) add("private key", key_block(of, seed));
    add("authorization", run(40, seed), "Authorization: Bearer ");
    add("authorization", run(24, seed) + "==", "curl -H 'authorization: Basic ", "' https://host");
    add("url password", run(12, seed), "postgres://app:", "@db.example.com/main");
    add("url password", run(12, seed), "redis://:", "@cache:6379");
    add("password", run(12, seed), "password=");
    add("password", run(12, seed), "passwd: ");
    add("secret", run(12, seed), "client_secret = '", "'");
    add("token", run(12, seed), "{\"token\": \"", "\"}");
    add("api key", run(12, seed), "api_key=");
    add("api key", run(12, seed), "apikey: ");
    add("access key", run(12, seed), "access_key=");
    return out;
}

}  // namespace canaries
