// SPDX-License-Identifier: BSL-1.0
#include <condense/policy/known_secrets.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include <nlohmann/json.hpp>

#include <condense/core/redaction.hpp>

#include "core/constant.hpp"
#include "laws/generator.hpp"
#include "support/canaries.hpp"
#include "support/effort.hpp"
#include "support/repetition.hpp"

namespace {

using canaries::run;

static_assert(condense::redactor<condense::known_secrets>);

constexpr condense::known_secrets redact;

std::string redacted(std::string text) {
    redact(text);
    return text;
}
std::string label(std::string_view kind) { return "[redacted: " + std::string{kind} + "]"; }

constexpr bool finds_what_is_a_secret() {
    condense::detail::secrets::finder finder{"the token is PASSWORD=hunter22!, so"};
    auto const secret = finder.next(0);
    return secret && secret->begin == 22 && secret->end == 31 && secret->label == "password" && !finder.next(31);
}

/// The texts are left alone.
void check_plain(auto const&... texts) {
    for (auto const& text : {std::string{texts}...}) {
        CAPTURE(text);
        CHECK(redacted(text) == text);
    }
}

/// The texts between blanks.
std::vector<std::string> words(std::string const& text) {
    std::istringstream in{text};
    return {std::istream_iterator<std::string>{in}, {}};
}

}  // namespace

TEST_CASE("known_secrets: each kind, by itself and where it may stand") {
    CHECK_CONSTANT(finds_what_is_a_secret());
    using place = std::pair<std::string, std::string>;
    for (auto const& [before, after] :
         {place{"", ""}, place{"key: ", ", and more"}, place{"a\n", "\nb"},
          place{R"({"content":"first\n)", R"(\nlast"})"}, place{R"({"content":"\u001b)", R"(\u001b"})"},
          place{"\x1b[1;32m", "\x1b[0m"}, place{"https://host/?next=%2F%3D", "&b"},
          place{"\xE5\xAF\x86\xE9\x92\xA5", "\xE3\x80\x82"}, place{"(", ")."}, place{"`", "`"}})
        for (auto const& canary : canaries::all(1)) {
            auto const begin = canary.text.find(canary.secret);
            auto const expected = before + canary.text.substr(0, begin) + label(canary.label) +
                                  canary.text.substr(begin + canary.secret.size()) + after;
            auto text = before + canary.text + after;
            CAPTURE(text);
            CHECK(redact(text) == 1);
            CHECK(text == expected);
            CHECK(redact(text) == 0);
        }
}

TEST_CASE("known_secrets: many in one text are counted") {
    std::string text, expected;
    auto const all = canaries::all(2);
    for (auto const& canary : all) {
        text += canary.text + ";\n";
        expected += redacted(canary.text) + ";\n";
    }
    CHECK(redact(text) == all.size());
    CHECK(text == expected);
}

TEST_CASE("known_secrets: a name and its value, in the ways of configuration, code and JSON") {
    struct example {
        std::string before, after, kind;
    };
    for (auto const& [before, after, kind] :
         {example{"DB_PASSWORD=", "\nPORT=1", "password"}, example{"spring.datasource.password: ", "", "password"},
          example{"password := \"", "\"", "password"}, example{":password => '", "',", "password"},
          example{"config['password'] = '", "'", "password"}, example{"const accessToken = \"", "\";", "token"},
          example{"X-Api-Key: ", "\r\n", "api key"}, example{"https://host/?a=b&token=", "&c=d", "token"},
          example{R"({"password":")", R"("})", "password"},
          example{R"({"arguments":"{\"api_key\": \")", R"(\"}"})", "api key"},
          example{R"({"a":"{\"b\":\"{\\\"secret\\\":\\\")", R"(\\\"}\"}"})", "secret"},
          example{R"({"SecretAccessKey": ")", R"(","x":1})", "aws secret key"},
          example{"AWS_SECRET_ACCESS_KEY=", "", "aws secret key"},
          example{R"({"headers":{"Authorization":"Bearer )", R"("}})", "authorization"},
          example{R"(-H \"Proxy-Authorization: Basic )", R"(\")", "authorization"},
          example{R"(https:\/\/me:)", R"(@host\/)", "url password"},
          example{"git clone https://x-access-token:", "@github.com/a/b", "url password"}}) {
        CAPTURE(before);
        CHECK(redacted(before + run(16, 3) + after) == before + label(kind) + after);
    }
    // In capitals, as the environment has them, words too.
    CHECK(redacted("ADMIN_PASSWORD=correcthorse") == "ADMIN_PASSWORD=" + label("password"));
    CHECK(redacted("password = \"correcthorse\"") == "password = \"" + label("password") + "\"");
    // The dot is that of the sentence.
    CHECK(redacted("It is glpat-" + run(20, 4) + "...") == "It is " + label("gitlab token") + "...");
    // A form of its own is more exact than the name.
    CHECK(redacted("https://ghp_" + run(36, 4) + ":x-oauth-basic@github.com") ==
          "https://" + label("github token") + ":" + label("url password") + "@github.com");
    CHECK(redacted("TOKEN=ghp_" + run(36, 4)) == "TOKEN=" + label("github token"));
    CHECK(redacted("Authorization: Bearer " + canaries::web_token(5)) == "Authorization: Bearer " + label("jwt"));
}

TEST_CASE("known_secrets: near misses") {
    check_plain("ghp_" + run(35, 1), "gho_" + run(35, 1), "ghu_" + run(35, 1), "ghs_" + run(35, 1), "ghr_" + run(35, 1),
                "npm_" + run(35, 1), "npm_" + run(37, 1), "hf_" + run(33, 1), "hf_" + run(35, 1), "AIza" + run(34, 1),
                "AKIA" + run(15, 1, canaries::capitals_and_digits), "AKIA" + run(17, 1, canaries::capitals_and_digits),
                "AKIA" + run(16, 1, canaries::capitals_and_digits) + "x", "sk-" + run(19, 1), "sk-ant-" + run(19, 1),
                "sk-proj-" + run(19, 1), "sk-" + run(300, 1), "ghp_" + run(256, 1), "ghp_" + run(36, 1) + "_x",
                "glpat-" + run(19, 1), "github_pat_" + run(30, 1), "xoxb-" + run(15, 1), "xoxz-" + run(40, 1),
                "sk_live_" + run(15, 1), "sk_test_" + run(24, 1), "pypi-" + run(49, 1), "eyJhbGciOi." + run(30, 1),
                "eyJhbGciOi." + run(30, 1) + "." + run(9, 1),
                "-----BEGIN PUBLIC KEY-----\n" + canaries::key_lines(1, "\n") + "-----END PUBLIC KEY-----",
                "-----BEGIN CERTIFICATE-----\n" + canaries::key_lines(1, "\n") + "-----END CERTIFICATE-----",
                "grep -r '-----BEGIN RSA PRIVATE KEY-----' .", "password=hunter2", "password: \"1234567\"",
                "token: abcdefghijk", "Authorization: Bearer abc1234", "Authorization: Bearer authentication",
                "Authorization: Digest " + run(20, 1), "bearer " + run(20, 1), "https://host:8080/path@x",
                "mailto:me@host", "https://me@host/");
    // In the middle of a longer word.
    for (auto const& canary : canaries::all(6))
        if (canary.text == canary.secret && canary.label != "private key") check_plain("x" + canary.text);
    check_plain("tokens: " + run(12, 1), "mypassword: " + run(12, 1), "token_type=" + run(9, 1));
    // What stands for a value.
    for (std::string const value : {"${DB_PASSWORD}", "$DB_PASSWORD1", "<your-password-1>", "{{ vault.password1 }}",
                                    "%(password1)s", "********", "os.environ[\"PASSWORD1\"]", "read_secret1(path)"})
        check_plain("password: " + value, "password=" + value);
    // The letter of an escape in JSON is none of the word.
    check_plain(R"({"a":"\npm_)" + run(36, 1) + R"("})", R"({"a":"\token=abc12345"})");
    // Several words are none, but what they say may hold one.
    check_plain("password: \"Enter-it here\"");
    CHECK(redacted(R"({"secret": "password: hunter22"})") == R"({"secret": "password: )" + label("password") + "\"}");
    check_plain(R"(["token=",12345678901,"x"])", "postgres://app:$PASSWORD@db/main", "postgres://%s:%s@%s/main",
                "https://{user}:{password}@host", "export OPENAI_API_KEY=sk-...");
}

TEST_CASE("known_secrets: ordinary text has no secrets") {
    check_plain("550e8400-e29b-41d4-a716-446655440000",
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  empty.txt",
                "commit da39a3ee5e6b4b0d3255bfef95601890afd80709",
                "sha512-9f3a4bq8p2YxJv0mC1sN6tRkZ7uWfQ5eLhXoKdGyVbMnTjPwSrUcIaEzBgHlDqOx==",
                "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/"
                "w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==",
                "<div class=\"sk-toggleable__content-arrow sk-fading-circle-container\">",
                "the risk-adjusted-return-on-invested-capital and the task-scheduler-implementation-notes",
                "password: str | None = None,",
                "def login(username: str, password: str) -> Token:", "token = lexer.next_token()",
                "auto const token = tokenizer.next(text, position_1);", "secret = os.environ[\"CLIENT_SECRET_1\"]",
                "if (token == token_kind::open_brace_1) return;", "enum class token : std::uint8_t { open, close };",
                "const { access_token, refresh_token } = await response.json();",
                "prompt_tokens: 12345678, max_tokens = 100000000, token_count=123456789",
                "\"total_tokens\":123456789,\"token\":123456789,\"secret\":null,\"password\":true",
                "https://pypi.org/simple/pypi-attestations/ and npm_config_registry",
                "git clone git@github.com:org/repository.git && ssh user@host:22",
                "http://localhost:8080/api?page=2&sort=name#top",
                "SELECT password_hash FROM users WHERE id = 12345678;",
                "Authorization: Bearer $TOKEN, Authorization: Bearer <token>, Authorization: Bearer ${API_TOKEN}",
                "see the section \"Password: how to reset it\"", "npm ERR! code E404 npm_lifecycle_event",
                "AKIA is the prefix of access keys, eyJ that of web tokens, hf_ of Hugging Face");
#ifdef CONDENSE_TRANSCRIPTS
    std::error_code failed;
    std::size_t files = 0;
    for (auto const& entry : std::filesystem::directory_iterator{CONDENSE_TRANSCRIPTS, failed}) {
        std::ifstream in{entry.path(), std::ios::binary};
        std::string const text{std::istreambuf_iterator<char>{in}, {}};
        CAPTURE(entry.path().filename().string());
        CHECK(redacted(text) == text);
        ++files;
    }
    CHECK(files > 0);
#endif
}

TEST_CASE("known_secrets: private keys with other line breaks, and what is left of those that were cut") {
    for (std::string const line_break : {"\n", "\r\n", "\\n", "\\\\n", " ", ""}) {
        CAPTURE(line_break);
        auto const block = canaries::key_block("RSA ", 7, line_break);
        CHECK(redacted("\"" + block + line_break + "\"") == "\"" + label("private key") + line_break + "\"");
        auto const half = block.size() / 2;
        CHECK(redacted("\"" + block.substr(0, half) + " [... 400 characters omitted ...]") ==
              "\"" + label("private key") + " [... 400 characters omitted ...]");
        CHECK(redacted("[... 400 characters omitted ...]" + block.substr(half) + "\"") ==
              "[... 400 characters omitted ...]" + label("private key") + "\"");
    }
    auto const encrypted = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC," +
                           run(32, 8) + "\n\n" + canaries::key_lines(8, "\n") + "-----END RSA PRIVATE KEY-----";
    CHECK(redacted(encrypted) == label("private key"));
    auto const pgp = "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2 (GNU/Linux)\n\n" +
                     canaries::key_lines(9, "\n") + "=" + run(4, 9) + "\n-----END PGP PRIVATE KEY BLOCK-----";
    CHECK(redacted(pgp) == label("private key"));
    // A key without its end: no further than a limit.
    auto const endless = redacted("-----BEGIN PRIVATE KEY-----\n" + std::string(100'000, 'A') + " end");
    CHECK((endless.starts_with(label("private key")) && endless.size() > 80'000));
}

TEST_CASE("known_secrets: JSON stays JSON, no match crosses the end of a string, twice is once", "[law-6]") {
    auto const pieces = [] {
        auto all = words(
            R"( " ' ` \ \n \" = : : :// @ , . ] } [ ( $ %3D :: - _ x 7 n ----- => ... \u00 eyJ token password SECRET )"
            R"( apiKey access_key Authorization https://me: )"
            "\xC3\xA9 \xFF \x1b[31m");
        for (auto const* const spaced : {" ", "\n", "\t", ": ", "Bearer ", "Basic ", "-----BEGIN PRIVATE KEY-----",
                                         "-----END PRIVATE KEY-----", "[redacted: token]"})
            all.emplace_back(spaced);
        for (auto const& form : condense::detail::secrets::forms) all.emplace_back(form.prefix);
        for (std::size_t size : {1u, 7u, 8u, 16u, 20u, 34u, 35u, 36u, 60u, 300u}) all.push_back(run(size, size));
        for (auto const& canary : canaries::all(10)) all.push_back(canary.text), all.push_back(canary.secret);
        return all;
    }();
    std::size_t found = 0;
    for (std::uint64_t seed = 0; seed < rounds(30'000); ++seed) {
        laws::random_source random{seed};
        auto const soup = [&] {
            std::string out;
            for (auto left = 1 + random.below(12); left != 0; --left) out += pieces[random.below(pieces.size())];
            return out;
        };
        auto plain = soup();
        auto const count = redact(plain);
        auto again = plain;
        CAPTURE(seed, plain);
        REQUIRE(redact(again) == 0);
        REQUIRE(again == plain);
        // A document whose strings hold anything, one of them JSON itself, and names that are those of secrets.
        nlohmann::json const inner{{soup(), soup()}, {"password", soup()}, {"token", 123456789}};
        nlohmann::json const document{
            {"token", soup()},
            {"content", {soup(), 12345678901, soup(), nullptr, soup()}},
            {"arguments", inner.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)},
            {"secret", 12345678901}};
        auto text = document.dump(random.chance(50) ? -1 : 2, ' ', false, nlohmann::json::error_handler_t::replace);
        auto const before = nlohmann::json::parse(text);
        found += count + redact(text);
        CAPTURE(text);
        auto const after = nlohmann::json::parse(text, nullptr, false);
        REQUIRE_FALSE(after.is_discarded());
        REQUIRE(after["content"].size() == before["content"].size());
        REQUIRE(after.size() == before.size());
        REQUIRE_FALSE(nlohmann::json::parse(after["arguments"].get<std::string>(), nullptr, false).is_discarded());
        again = text;
        REQUIRE(redact(again) == 0);
    }
    CHECK(found > 100);
}

TEST_CASE("known_secrets: hostile text takes time in proportion to its size") {
    auto const seconds = [](std::string text) {
        auto const begin = std::chrono::steady_clock::now();
        redact(text);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    auto pieces = words(
        R"(sk- sk-ant- eyJ. eyJ- -eyJ eyJ _eyJ a - ----- :// ://a: a://b:c token= token:' token:"$ token=a/ TOKEN=)"
        R"( %20eyJ \n \neyJ [31m ghs_ eyJaaaaaaaaaa. glpat-. t_o_k_e_n secret_access_key)");
    for (auto const* const spaced :
         {"-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n!", "token \\",
          "Authorization: Bearer a ", "token "})
        pieces.emplace_back(spaced);
    for (auto const& form : condense::detail::secrets::forms) pieces.emplace_back(form.prefix);
    for (auto const& [piece, end] : {std::pair{"TOKEN=", "("}, {"token=1", "("}, {"token=1", "::"}, {"TOKEN='", " "}}) {
        CAPTURE(piece);
        auto const small = seconds(repeated(piece, 1u << 14) + end);
        CHECK(seconds(repeated(piece, 1u << 18) + end) < 64 * small + 0.5);
    }
    for (auto const& piece : pieces) {
        CAPTURE(piece);
        bool const named = piece == "sk-" || piece == "eyJ." || piece == "-----BEGIN PRIVATE KEY-----";
        std::size_t const size = named ? (effort() < 100 ? 1u << 18 : 4u << 20) : 1u << 16;
        auto const small = seconds(repeated(piece, size / 16));
        auto const large = seconds(repeated(piece, size));
        CAPTURE(small, large);
        CHECK(large < 64 * small + 0.5);  // not 256 times
        CHECK(seconds(repeated(piece, 64) + std::string(size / 4, 'a') + repeated(piece, 64)) < 64 * small + 0.5);
    }
}
