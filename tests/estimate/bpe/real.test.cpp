// SPDX-License-Identifier: BSL-1.0
#include <condense/bpe.hpp>

#include <chrono>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "store/scratch.hpp"
#include "support/catch.hpp"

// With the vocabularies themselves, where CONDENSE_VOCABULARIES names a folder that has them; the library
// ships none. reference.py says where they come from, and writes more texts to compare.

namespace {

using condense::bpe_counter;

struct expected {
    std::string_view text;
    std::vector<std::uint32_t> cl100k;
    std::vector<std::uint32_t> o200k;
};

/// By tiktoken 0.14.0.
std::vector<expected> const& table() {
    static std::vector<expected> const rows{
        {"Hello, world! I'm here; don't go.",
         {9906, 11, 1917, 0, 358, 2846, 1618, 26, 1541, 956, 733, 13},
         {13225, 11, 2375, 0, 5477, 2105, 26, 4128, 810, 13}},
        {"HTTPServer camelCase DON'T x't's't",
         {9412, 5592, 50252, 4301, 45373, 17773, 865, 956, 596, 956},
         {17893, 6444, 83330, 6187, 153384, 1215, 1507, 885, 1507}},
        {"it'\xC5\xBF 'sand ''s", {275, 6, 129, 123, 364, 92346, 3436, 82}, {278, 6, 70067, 461, 163941, 8686, 82}},
        {"12345 \xC2\xB2\xC2\xBD 1,000",
         {4513, 1774, 220, 30556, 27154, 220, 16, 11, 931},
         {7633, 2548, 220, 13848, 27124, 220, 16, 11, 1302}},
        {"a  b \n  x \n\n", {64, 220, 293, 720, 220, 865, 4815}, {64, 220, 287, 793, 220, 1215, 1202}},
        {"!\n/!/\n//a", {4999, 14, 0, 6018, 322, 64}, {4175, 14, 0, 124040, 64}},
        {"\xC2\x85\xC2\x85"
         "a \xEF\xBB\xBF"
         "b",
         {126, 227, 126, 227, 64, 76880, 65},
         {126, 227, 126, 227, 64, 71280, 65}},
        {"\xD0\x9F\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82, "
         "\xE4\xBD\xA0\xE5\xA5\xBD\xEF\xBC\x8C\xE4\xB8\x96\xE7\x95\x8C",
         {54745, 28089, 8341, 11, 220, 57668, 53901, 3922, 3574, 244, 98220},
         {23881, 131903, 11, 220, 177519, 979, 28428}},
        {"\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7 e\xCC\x81",
         {9468, 239, 101, 378, 235, 9468, 239, 102, 378, 235, 9468, 239, 100, 384, 54939},
         {28823, 101, 2524, 28823, 102, 2524, 28823, 100, 319, 13430}},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         {70540, 70540, 70540, 70540, 70540, 70540, 70540, 70540},
         {117525, 117525, 117525, 117525, 117525, 117525, 117525, 117525}},
        {"<|endoftext|>", {27, 91, 8862, 728, 428, 91, 29}, {27, 91, 419, 1440, 919, 91, 29}},
        {"\xFF a\xE4\xB8", {5809, 264, 5809}, {3251, 261, 3251}},
    };
    return rows;
}

void with_vocabulary(condense::bpe_encoding const& encoding, auto check) {
    auto const folder = std::getenv("CONDENSE_VOCABULARIES");
    if (folder == nullptr) {
        WARN("SKIPPED: no vocabularies; set CONDENSE_VOCABULARIES to a folder with " << encoding.name << ".tiktoken");
        SUCCEED("a test without assertions counts as failed");
        return;
    }
    auto const path = std::string{folder} + "/" + std::string{encoding.name};
    auto const loaded = condense::load_vocabulary(path + ".tiktoken", encoding);
    INFO(loaded.error.text());
    REQUIRE(loaded);
    check(*loaded.vocabulary, path);
}

/// Where nothing is optimized each text is compared by one unit, the next by the next: all would take minutes.
#if defined(__OPTIMIZE__)
constexpr bool in_turn = false;
#else
constexpr bool in_turn = true;
#endif

void agrees_with_the_reference(condense::bpe_vocabulary const& vocabulary, std::string const& file) {
    auto const data = condense::detail::bpe::read_file(file);
    if (!data) {
        WARN("SKIPPED: no " << file << "; reference.py writes it");
        return;
    }
    std::vector<bpe_counter> counters;
    for (auto const unit : condense::detail::bpe::vector_units)
        if (condense::detail::bpe::has(unit)) counters.emplace_back(vocabulary, unit);
    std::size_t texts = 0, wrong = 0, at = 0;
    auto const number = [&] {
        std::uint32_t out = 0;
        std::memcpy(&out, data->data() + at, sizeof out);
        at += sizeof out;
        return out;
    };
    while (at < data->size()) {
        auto const size = number();
        std::string const text{*data, at, size};
        at += size;
        std::vector<std::uint32_t> ids(number());
        for (auto& id : ids) id = number();
        for (std::size_t which = 0; which < counters.size(); ++which) {
            if (in_turn && texts % counters.size() != which) continue;
            auto& each = counters[which];
            if (each.count(text) != ids.size() || each.encode(text) != ids) {
                if (++wrong < 10) UNSCOPED_INFO("differs: " << text.substr(0, 200));
            }
        }
        condense::bpe_running_count running;
        running.append(counters.back(), std::string_view{text}.substr(0, size / 3));
        running.append(counters.back(), std::string_view{text}.substr(size / 3));
        if (running.count() != ids.size()) ++wrong;
        ++texts;
    }
    CHECK(wrong == 0);
    CHECK(texts > 100'000);
}

void agrees_with_the_table(condense::bpe_vocabulary const& vocabulary, auto ids) {
    bpe_counter counter{vocabulary};
    for (auto const& row : table()) {
        INFO(row.text);
        CHECK(counter.encode(row.text) == row.*ids);
        CHECK(counter.count(row.text) == (row.*ids).size());
    }
}

}  // namespace

TEST_CASE("real: cl100k_base and o200k_base are tiktoken's") {
    auto const agrees = [](condense::bpe_encoding const& encoding, auto ids) {
        with_vocabulary(encoding, [&](condense::bpe_vocabulary const& vocabulary, std::string const& path) {
            CHECK(vocabulary.tables().shape.ordered);
            agrees_with_the_table(vocabulary, ids);
            agrees_with_the_reference(vocabulary, path + ".reference");
        });
    };
    agrees(condense::encodings::cl100k_base, &expected::cl100k);
    agrees(condense::encodings::o200k_base, &expected::o200k);
}

TEST_CASE("real: an image of a vocabulary is equal to it") {
    with_vocabulary(condense::encodings::o200k_base,
                    [](condense::bpe_vocabulary const& vocabulary, std::string const&) {
                        scratch::folder const root;
                        REQUIRE(condense::write_vocabulary_image(vocabulary, root / "image") == 0);
                        auto const mapped = condense::open_vocabulary_image(root / "image");
                        REQUIRE(mapped);
                        agrees_with_the_table(*mapped.vocabulary, &expected::o200k);
                    });
}
