// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/image.hpp>

#include <cerrno>

#include <condense/detail/json_members.hpp>
#include <condense/estimate/bpe/counter.hpp>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "store/scratch.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using condense::bpe_counter, condense::split_scheme, condense::vocabulary_fault;

void put(std::string const& path, std::string const& bytes) { std::ofstream{path, std::ios::binary} << bytes; }

}  // namespace

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

TEST_CASE("image: it stands in for a tokenizer.json") {
    scratch::folder const root;
    auto const file = root / "tokenizer.json";
    auto const image = root / "json.image";
    auto const text = [](std::string const& merges) {
        std::string vocabulary;
        for (std::size_t byte = 0; byte < 256; ++byte) {
            std::string spelling;
            for (std::uint32_t point = 0; point < condense::detail::bpe::spelt_bytes.size(); ++point)
                if (condense::detail::bpe::spelt_bytes[point] == byte)
                    condense::detail::json::append_code_point(spelling, point);
            if (spelling == "\"" || spelling == "\\") spelling.insert(0, 1, '\\');
            vocabulary += "\"" + spelling + "\":" + std::to_string(byte) + ",";
        }
        return R"({"pre_tokenizer":{"pattern":{"Regex":"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|)"
               R"( ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"}},"model":{"type":"BPE","vocab":{)" +
               vocabulary + R"("ab":256,"cd":257},"merges":[)" + merges + "]}}";
    };
    put(file, text(R"("a b","c d")"));
    auto const first = condense::load_tokenizer_json(file, image);
    INFO(first.error.text());
    REQUIRE((first && !first.from_image && first.image_error == 0));
    auto const second = condense::load_tokenizer_json(file, image);
    REQUIRE((second && second.from_image));
    CHECK(bpe_counter{*second.vocabulary}.encode("abcd") == bpe_counter{*first.vocabulary}.encode("abcd"));
    CHECK(bpe_counter{*second.vocabulary}.count("abcd") == 2);
    put(file, text(R"("a b")"));
    auto const third = condense::load_tokenizer_json(file, image);
    REQUIRE((third && !third.from_image));
    CHECK(bpe_counter{*third.vocabulary}.count("abcd") == 3);
    put(file, "{}");
    CHECK(condense::load_tokenizer_json(file, image).error.fault == vocabulary_fault::bad_json);
    CHECK(condense::load_tokenizer_json(root / "absent", image).error.fault == vocabulary_fault::unreadable);
}
