// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/image.hpp>

#include <condense/estimate/bpe/counter.hpp>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "store/scratch.hpp"
#include "support/effort.hpp"

namespace {

using condense::bpe_counter, condense::parse_tokenizer_json, condense::split_scheme, condense::vocabulary_fault;

void put(std::string const& path, std::string const& bytes) { std::ofstream{path, std::ios::binary} << bytes; }

TEST_CASE("image: what is mapped counts and encodes as what was built") {
    scratch::folder const root;
    for (auto const& tokens : {toy_bpe::trained(300), toy_bpe::wild(3)}) {
        auto const made = toy_bpe::vocabulary(tokens, split_scheme::o200k);
        REQUIRE(condense::write_vocabulary_image(made, root / "image") == 0);
        auto const mapped = condense::open_vocabulary_image(root / "image");
        REQUIRE(mapped);
        CHECK(mapped.vocabulary->scheme() == split_scheme::o200k);
        bpe_counter built{made}, opened{*mapped.vocabulary};
        toy_bpe::numbers any{6};
        for (std::uint64_t round = 0; round < rounds(100); ++round) {
            auto const text = toy_bpe::text(any, 300);
            REQUIRE(opened.count(text) == built.count(text));
            REQUIRE(opened.encode(text) == built.encode(text));
        }
    }
}

TEST_CASE("image: the old one stays readable when a new one takes its name") {
    scratch::folder const root;
    REQUIRE(condense::write_vocabulary_image(toy_bpe::vocabulary(300), root / "image") == 0);
    auto const old = condense::open_vocabulary_image(root / "image");
    REQUIRE(old);
    REQUIRE(condense::write_vocabulary_image(toy_bpe::vocabulary(0), root / "image") == 0);
    bpe_counter first{*old.vocabulary};
    bpe_counter second{*condense::open_vocabulary_image(root / "image").vocabulary};
    CHECK(first.count("the the the ") < second.count("the the the "));
}

TEST_CASE("image: a torn or changed file is refused") {
    scratch::folder const root;
    auto const made = toy_bpe::vocabulary(50);
    REQUIRE(condense::write_vocabulary_image(made, root / "image") == 0);
    auto const whole = *condense::detail::bpe::read_file(root / "image");
    auto const refused = [&](std::string const& bytes) {
        put(root / "other", bytes);
        return condense::open_vocabulary_image(root / "other").error.fault == vocabulary_fault::bad_image;
    };
    for (auto const size : {std::size_t{1}, std::size_t{127}, std::size_t{128}, std::size_t{5'000}, whole.size() - 1})
        CHECK(refused(whole.substr(0, size)));
    CHECK(refused(whole + "x"));
    CHECK(refused(std::string(200'000, '\0')));
    CHECK(refused(std::string(200'000, '\xFF')));
    // Every byte of the header, and some of the tables.
    for (std::size_t at = 0; at < whole.size(); at += at < 128 ? 1 : 4'999) {
        auto changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 0x10);
        CHECK(refused(changed));
    }
    CHECK(condense::open_vocabulary_image(root / "absent").error.fault == vocabulary_fault::unreadable);
    CHECK(condense::open_vocabulary_image(root / ".").error.fault == vocabulary_fault::unreadable);
    CHECK(condense::write_vocabulary_image(made, root / "absent/image") == ENOENT);
}

TEST_CASE("image: it stands in for its rank file, and for no other") {
    scratch::folder const root;
    auto const ranks = root / "toy.tiktoken";
    auto const image = root / "toy.image";
    condense::bpe_encoding const toy{"toy", split_scheme::cl100k, 0};
    put(ranks, toy_bpe::ranks(toy_bpe::trained(50)));
    auto const first = condense::load_vocabulary(ranks, toy, image);
    CHECK((first && !first.from_image && first.image_error == 0));
    auto const second = condense::load_vocabulary(ranks, toy, image);
    CHECK((second && second.from_image));
    CHECK_FALSE(condense::load_vocabulary(ranks, {"toy", split_scheme::qwen, 0}, image).from_image);
    put(ranks, toy_bpe::ranks(toy_bpe::trained(60)));
    auto const third = condense::load_vocabulary(ranks, toy, image);
    CHECK((third && !third.from_image && third.vocabulary->size() == 316));
    put(image, "damaged");
    CHECK_FALSE(condense::load_vocabulary(ranks, toy, image).from_image);
    CHECK(condense::load_vocabulary(ranks, toy, image).from_image);
    auto const nowhere = condense::load_vocabulary(ranks, toy, root / "absent/image");
    CHECK((nowhere && nowhere.image_error == ENOENT));
    CHECK(condense::load_vocabulary(root / "absent", toy, image).error.fault == vocabulary_fault::unreadable);
}

// Vocabularies of a tokenizer.json

// Patterns in JSON's escapes.

constexpr std::string_view qwen_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*)"
    R"(|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+)";

constexpr std::string_view llama3_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*)"
    R"(|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+)";

constexpr std::string_view o200k_pattern =
    R"([^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+)";

/// Three, one after the other.
constexpr std::string_view deepseek_pattern =
    R"(\\p{N}{1,3}"}},{"type":"Split","pattern":{"Regex":")"
    R"([\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"}},{"type":"Split","pattern":{"Regex":")"
    R"([!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|)"
    R"( ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+)";

/// As a byte-level tokenizer writes it, in JSON's escapes where it must.
std::string spelt(std::string_view token) {
    static auto const points = [] {
        std::map<std::uint16_t, std::uint32_t> out;
        for (std::uint32_t point = 0; point < condense::detail::bpe::spelt_bytes.size(); ++point)
            if (condense::detail::bpe::spelt_bytes[point] < 256) out[condense::detail::bpe::spelt_bytes[point]] = point;
        return out;
    }();
    std::string out;
    for (char const byte : token) {
        auto const point = points.at(static_cast<unsigned char>(byte));
        if (point == '"' || point == '\\') out += '\\';
        condense::detail::json::append_code_point(out, point);
    }
    return out;
}

struct file {
    std::vector<std::string> tokens;
    std::vector<std::pair<std::string, std::string>> merges;
    bool as_arrays = false, whole_first = false;
    std::string_view pattern = qwen_pattern;

    std::string text() const {
        std::string out =
            R"({"version":"1.0","added_tokens":[{"id":9,"content":"<|end|>"}],"normalizer":null,"pre_tokenizer":)"
            R"({"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":")";
        out += pattern;
        out += R"("}},{"type":"ByteLevel"}]},"model":{"type":"BPE","ignore_merges":)";
        out += whole_first ? "true" : "false";
        out += R"(,"vocab":{"<|\u4e2d|>":1)";
        for (std::size_t token = 0; token < tokens.size(); ++token)
            out += ",\"" + spelt(tokens[token]) + "\":" + std::to_string(5'000 - token);
        out += R"(},"merges":[)";
        for (auto const& [left, right] : merges) {
            if (out.back() != '[') out += ',';
            out += as_arrays ? "[\"" + spelt(left) + "\",\"" + spelt(right) + "\"]"
                             : "\"" + spelt(left) + " " + spelt(right) + "\"";
        }
        return out + "]}}";
    }
};

/// The merges of a vocabulary by ranks: for each token the one that makes it, or every split into two tokens.
file of(std::vector<std::string> const& tokens, bool every_split) {
    auto const made = toy_bpe::vocabulary(tokens, split_scheme::qwen);
    auto const& in = made.tables();
    file out{tokens, {}};
    for (std::uint32_t token = 0; token < made.size(); ++token) {
        if (in.is_byte(token) || in.parts[token].left == condense::detail::bpe::none) continue;
        if (!every_split) out.merges.emplace_back(tokens[in.parts[token].left], tokens[in.parts[token].right]);
        else
            for (std::size_t cut = 1; cut < tokens[token].size(); ++cut) {
                auto const left = tokens[token].substr(0, cut), right = tokens[token].substr(cut);
                if (in.find(left) != condense::detail::bpe::none && in.find(right) != condense::detail::bpe::none)
                    out.merges.emplace_back(left, right);
            }
    }
    return out;
}

/// Tokens of a text by the definition: the first merge of the list that is possible, at its first place.
std::size_t by_list(std::vector<std::pair<std::string, std::string>> const& merges, std::string_view text) {
    condense::detail::bpe::splitter<condense::rules_of(split_scheme::qwen)> const split{text};
    std::size_t total = 0;
    for (std::size_t at = 0; at < text.size();) {
        auto const end = split.next(at).end;
        std::vector<std::string> parts;
        for (; at < end; ++at) parts.emplace_back(1, text[at]);
        for (std::size_t merge = 0; merge < merges.size();) {
            bool found = false;
            for (std::size_t place = 0; place + 1 < parts.size() && !found; ++place) {
                if (parts[place] != merges[merge].first || parts[place + 1] != merges[merge].second) continue;
                parts[place] += parts[place + 1];
                parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place) + 1);
                found = true;
            }
            merge = found ? 0 : merge + 1;
        }
        total += parts.size();
    }
    return total;
}

TEST_CASE("tokenizer_json: merges in a list are those of ranks, in every spelling") {
    for (int kind = 0; kind < 8; ++kind) {
        auto const tokens = toy_bpe::trained(kind % 2 == 0 ? 60 : 300);
        auto given = of(tokens, kind >= 4);
        given.as_arrays = kind % 4 >= 2;
        auto const loaded = parse_tokenizer_json(given.text());
        INFO(loaded.error.text());
        REQUIRE(loaded);
        CHECK(loaded.vocabulary->scheme() == split_scheme::qwen);
        CHECK(loaded.vocabulary->size() == tokens.size());
        bpe_counter listed{*loaded.vocabulary}, ranked{toy_bpe::vocabulary(tokens, split_scheme::qwen)};
        toy_bpe::numbers any{81};
        for (std::uint64_t round = 0; round < rounds(100); ++round) {
            auto const text = toy_bpe::text(any, 300);
            auto wanted = ranked.encode(text);
            for (auto& id : wanted) id = 5'000 - id;
            REQUIRE(listed.encode(text) == wanted);
            REQUIRE(listed.count(text) == wanted.size());
        }
    }
}

TEST_CASE("tokenizer_json: a token that no merge gives is a piece as a whole, where the file says so") {
    auto given = of(toy_bpe::trained(20), false);
    given.tokens.push_back("zqzq");
    auto const by_merges = parse_tokenizer_json(given.text());
    given.whole_first = true;
    auto const whole = parse_tokenizer_json(given.text());
    REQUIRE(by_merges);
    REQUIRE(whole);
    CHECK(bpe_counter{*by_merges.vocabulary}.count("zqzq") == 4);
    CHECK(bpe_counter{*whole.vocabulary}.count("zqzq") == 1);
    CHECK(bpe_counter{*whole.vocabulary}.count("zqzqx") == 5);
    CHECK(bpe_counter{*whole.vocabulary}.encode("zqzq") == std::vector<std::uint32_t>{5'000 - 276});
}

TEST_CASE("tokenizer_json: the order of merges rules, not that of ids") {
    auto tokens = toy_bpe::trained(0);
    tokens.insert(tokens.end(), {"ab", "bc", "abc"});
    file given{tokens, {{"b", "c"}, {"a", "b"}, {"ab", "c"}, {"a", "bc"}}};
    bpe_counter counter{*parse_tokenizer_json(given.text()).vocabulary};
    CHECK(counter.encode("abc") == std::vector<std::uint32_t>{5'000 - 258});
    CHECK(counter.encode("abd").front() == 5'000 - 256);
    given.merges.pop_back();  // bc comes first, and then nothing takes it
    bpe_counter other{*parse_tokenizer_json(given.text()).vocabulary};
    CHECK(other.encode("abc").size() == 2);
}

// By the definition of merges in a list, one after the other. Most lists can be put in an order that the linear way
// needs.
TEST_CASE("tokenizer_json: merges that stand before those of their parts") {
    toy_bpe::numbers any{91};
    std::uint64_t ordered = 0, unordered = 0;
    for (std::uint64_t round = 0; round < rounds(400); ++round) {
        auto given = of(toy_bpe::trained(8 + any.below(30)), false);
        if (round % 2 == 0) {  // of few letters, so that places touch
            auto tokens = toy_bpe::trained(0);
            while (tokens.size() < 268) {
                std::string token;
                for (auto size = 2 + any.below(4); size != 0; --size) token += static_cast<char>('a' + any.below(2));
                if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(token);
            }
            std::sort(tokens.begin() + 256, tokens.end(),
                      [](auto const& a, auto const& b) { return a.size() < b.size(); });
            given = of(tokens, false);
        }
        if (given.merges.size() < 2) continue;
        for (auto moves = 1 + any.below(3); moves != 0; --moves) {
            auto const from = any.below(given.merges.size());
            auto const to = any.below(from + 1);
            auto const moved = given.merges[from];
            given.merges.erase(given.merges.begin() + static_cast<std::ptrdiff_t>(from));
            given.merges.insert(given.merges.begin() + static_cast<std::ptrdiff_t>(to), moved);
        }
        auto const loaded = parse_tokenizer_json(given.text());
        INFO(loaded.error.text());
        REQUIRE(loaded);
        ++(loaded.vocabulary->tables().shape.ordered ? ordered : unordered);
        bpe_counter counter{*loaded.vocabulary};
        for (int each = 0; each < 30; ++each) {
            std::string text;
            if (round % 2 == 0)
                for (auto size = 1 + any.below(60); size != 0; --size) text += static_cast<char>('a' + any.below(2));
            else text = toy_bpe::text(any, 60, true);
            REQUIRE(counter.count(text) == by_list(given.merges, text));
        }
    }
    CHECK(ordered > rounds(400) / 4);
    CHECK(unordered > rounds(400) / 40);
}

// The first merge of a token in the list need not be the one that gives it, and tokens that hold it depend on which
// does.
TEST_CASE("tokenizer_json: several merges may give a token, and which does is told by the whole list") {
    SECTION("bcd begins as bc, though b and cd stand first") {
        auto tokens = toy_bpe::trained(0);
        tokens.insert(tokens.end(), {"bc", "cd", "abc", "bcd", "abcd"});
        file const given{tokens, {{"b", "c"}, {"b", "cd"}, {"c", "d"}, {"a", "bc"}, {"bc", "d"}, {"abc", "d"}}};
        bpe_counter counter{*parse_tokenizer_json(given.text()).vocabulary};
        CHECK(counter.encode("abcd") == std::vector<std::uint32_t>{5'000 - 260});
        CHECK(counter.encode("bcd") == std::vector<std::uint32_t>{5'000 - 259});
    }
    SECTION("in lists of any order, where some merges are missing") {
        toy_bpe::numbers any{17};
        for (std::uint64_t round = 0; round < rounds(2'000); ++round) {
            auto tokens = toy_bpe::trained(0);
            auto const is_token = [&](std::string const& text) {
                return std::find(tokens.begin(), tokens.end(), text) != tokens.end();
            };
            for (int tries = 0; tries < 60; ++tries) {
                auto const longer = 2 * (tokens.size() - 256);
                auto const part = [&] {
                    auto const kind = any.below(2 + longer);
                    return kind < 2 ? std::string(1, "ab"[kind]) : tokens[256 + (kind - 2) / 2];
                };
                auto const token = part() + part();
                if (token.size() <= 8 && !is_token(token)) tokens.push_back(token);
            }
            file given{tokens, {}};
            for (std::size_t token = 256; token < tokens.size(); ++token)
                for (std::size_t cut = 1; cut < tokens[token].size(); ++cut) {
                    auto const left = tokens[token].substr(0, cut), right = tokens[token].substr(cut);
                    if (is_token(left) && is_token(right) && any.below(3) != 0) given.merges.emplace_back(left, right);
                }
            if (given.merges.empty()) continue;
            for (auto swaps = any.below(6); swaps != 0; --swaps)
                std::swap(given.merges[any.below(given.merges.size())], given.merges[any.below(given.merges.size())]);
            auto const loaded = parse_tokenizer_json(given.text());
            INFO(loaded.error.text());
            REQUIRE(loaded);
            bpe_counter counter{*loaded.vocabulary};
            for (int each = 0; each < 40; ++each) {
                std::string text;
                for (auto size = 1 + any.below(20); size != 0; --size) text += "ab"[any.below(2)];
                REQUIRE(counter.count(text) == by_list(given.merges, text));
            }
        }
    }
}

TEST_CASE("tokenizer_json: how text is split is told by the pattern") {
    auto given = of(toy_bpe::trained(20), false);
    auto const scheme = [&](std::string_view pattern) {
        given.pattern = pattern;
        auto const loaded = parse_tokenizer_json(given.text());
        INFO(loaded.error.text());
        REQUIRE(loaded);
        return loaded.vocabulary->scheme();
    };
    CHECK(scheme(qwen_pattern) == split_scheme::qwen);
    CHECK(scheme(llama3_pattern) == split_scheme::llama3);
    CHECK(scheme(o200k_pattern) == split_scheme::o200k);
    CHECK(scheme(deepseek_pattern) == split_scheme::deepseek);
    given.pattern = deepseek_pattern.substr(0, deepseek_pattern.size() - 1);
    CHECK(parse_tokenizer_json(given.text()).error.fault == vocabulary_fault::unknown_split);
}

TEST_CASE("tokenizer_json: what is none is told") {
    auto const whole = of(toy_bpe::trained(20), false);
    auto const fault = [](std::string const& text) { return parse_tokenizer_json(text).error.fault; };
    CHECK(fault("") == vocabulary_fault::bad_json);
    CHECK(fault("{}") == vocabulary_fault::bad_json);
    CHECK(fault("[1]") == vocabulary_fault::bad_json);
    CHECK(fault(std::string(100'000, '[')) == vocabulary_fault::bad_json);
    auto const text = whole.text();
    for (std::size_t size = 1; size < text.size(); size += 97)
        CHECK(fault(text.substr(0, size)) == vocabulary_fault::bad_json);
    auto const with = [&](std::string_view from, std::string_view to) {
        auto out = text;
        return out.replace(out.find(from), from.size(), to);
    };
    CHECK(fault(with("\"BPE\"", "\"Unigram\"")) == vocabulary_fault::bad_json);
    CHECK(fault(with("\"ignore_merges\":false", "\"byte_fallback\":true")) == vocabulary_fault::bad_json);
    CHECK(fault(with("{L}+", "{L}*")) == vocabulary_fault::unknown_split);
    CHECK(fault(with(":4990", ":-1")) == vocabulary_fault::bad_rank);
    CHECK(fault(with(":4990", ":\"x\"")) == vocabulary_fault::bad_rank);
    CHECK(fault(with(":4990", ":4991")) == vocabulary_fault::duplicate_rank);
    CHECK(fault(with("\"\u00E9\":", "\"\xE9\":")) == vocabulary_fault::bad_json);
    CHECK(fault(with("\"vocab\":", "\"vocab\":[],\"more\":")) == vocabulary_fault::bad_json);
    CHECK(fault(with("\"b\":", "\"a\":")) == vocabulary_fault::duplicate_token);
    CHECK(fault(with("\"b\":", "\"\\u0061\":")) == vocabulary_fault::duplicate_token);
    CHECK_FALSE(condense::detail::bpe::spelt_token("\xE9"));
    auto other = whole;
    other.merges.emplace_back("a", "zzz");
    CHECK(fault(other.text()) == vocabulary_fault::bad_merges);
    other = whole;
    other.merges.emplace_back("\x01", "\x02");
    CHECK(fault(other.text()) == vocabulary_fault::bad_merges);
    other = whole;
    other.tokens.erase(other.tokens.begin() + 7);
    CHECK(fault(other.text()) != vocabulary_fault::bad_json);
}

TEST_CASE("image: it stands in for a tokenizer.json") {
    scratch::folder const root;
    auto const path = root / "tokenizer.json";
    auto const image = root / "json.image";
    auto tokens = toy_bpe::trained(0);
    tokens.insert(tokens.end(), {"ab", "cd"});
    file given{tokens, {{"a", "b"}, {"c", "d"}}};
    put(path, given.text());
    auto const first = condense::load_tokenizer_json(path, image);
    INFO(first.error.text());
    REQUIRE((first && !first.from_image && first.image_error == 0));
    auto const second = condense::load_tokenizer_json(path, image);
    REQUIRE((second && second.from_image));
    CHECK(bpe_counter{*second.vocabulary}.encode("abcd") == bpe_counter{*first.vocabulary}.encode("abcd"));
    CHECK(bpe_counter{*second.vocabulary}.count("abcd") == 2);
    given.merges.pop_back();
    put(path, given.text());
    auto const third = condense::load_tokenizer_json(path, image);
    REQUIRE((third && !third.from_image));
    CHECK(bpe_counter{*third.vocabulary}.count("abcd") == 3);
    put(path, "{}");
    CHECK(condense::load_tokenizer_json(path, image).error.fault == vocabulary_fault::bad_json);
    CHECK(condense::load_tokenizer_json(root / "absent", image).error.fault == vocabulary_fault::unreadable);
}

}  // namespace
