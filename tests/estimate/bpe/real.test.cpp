// SPDX-License-Identifier: BSL-1.0
#include <condense/bpe.hpp>

#include <chrono>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "store/scratch.hpp"
#include "support/effort.hpp"
#include "support/rows.hpp"

// With the vocabularies themselves, where CONDENSE_VOCABULARIES names a folder that has them; the library
// ships none. reference.py says where they come from, and writes more texts to compare.

namespace {

using condense::bpe_counter;

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

/// Where nothing is optimized a sample of the texts is compared, each by one unit, the next by the next.
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
    std::size_t texts = 0, tried = 0, wrong = 0, at = 0;
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
        if (texts++ % (in_turn ? stride() : 1) != 0) continue;
        for (std::size_t which = 0; which < counters.size(); ++which) {
            if (in_turn && tried % counters.size() != which) continue;
            auto& each = counters[which];
            if (each.count(text) != ids.size() || each.encode(text) != ids) {
                if (++wrong < 10) UNSCOPED_INFO("differs: " << text.substr(0, 200));
            }
        }
        condense::bpe_running_count running;
        running.append(counters.back(), std::string_view{text}.substr(0, size / 3));
        running.append(counters.back(), std::string_view{text}.substr(size / 3));
        if (running.count() != ids.size()) ++wrong;
        ++tried;
    }
    CHECK(wrong == 0);
    CHECK(texts > 100'000);
}

/// real.json has ids by tiktoken 0.14.0.
void agrees_with_the_table(condense::bpe_vocabulary const& vocabulary, condense::bpe_encoding const& encoding) {
    bpe_counter counter{vocabulary};
    for (auto const& row : rows_beside(__FILE__, "real.json")) {
        auto const text = row.at("text").get<std::string>();
        auto const ids = row.at(std::string{encoding.name}).get<std::vector<std::uint32_t>>();
        INFO(text);
        CHECK(counter.encode(text) == ids);
        CHECK(counter.count(text) == ids.size());
    }
    CHECK(counter.encode("\xFF a\xE4\xB8") == counter.encode("\uFFFD a\uFFFD"));  // whose ids are in the table
    CHECK(counter.count("\xFF a\xE4\xB8") == counter.count("\uFFFD a\uFFFD"));
}

}  // namespace

TEST_CASE("real: cl100k_base and o200k_base are tiktoken's") {
    for (auto const& encoding : {condense::encodings::cl100k_base, condense::encodings::o200k_base})
        with_vocabulary(encoding, [&](condense::bpe_vocabulary const& vocabulary, std::string const& path) {
            CHECK(vocabulary.tables().shape.ordered);
            agrees_with_the_table(vocabulary, encoding);
            agrees_with_the_reference(vocabulary, path + ".reference");
        });
}

TEST_CASE("real: an image of a vocabulary is equal to it") {
    with_vocabulary(condense::encodings::o200k_base,
                    [](condense::bpe_vocabulary const& vocabulary, std::string const&) {
                        scratch::folder const root;
                        REQUIRE(condense::write_vocabulary_image(vocabulary, root / "image") == 0);
                        auto const mapped = condense::open_vocabulary_image(root / "image");
                        REQUIRE(mapped);
                        agrees_with_the_table(*mapped.vocabulary, condense::encodings::o200k_base);
                    });
}
