// SPDX-License-Identifier: BSL-1.0

// Linked with libFuzzer, a target writes its seeds to the folder CONDENSE_SEEDS, and its words to the file
// CONDENSE_WORDS, where these are set, and ends.

#include "fuzz/corpus_file.hpp"

extern "C" int LLVMFuzzerInitialize(int*, char***);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    fuzz::try_input(byte_source{{reinterpret_cast<char const*>(data), size}});
    return 0;
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    auto const* const seeds = std::getenv("CONDENSE_SEEDS");
    auto const* const words = std::getenv("CONDENSE_WORDS");
    if (seeds == nullptr || words == nullptr) return 0;
    auto const corpus = fuzz::make_corpus();
    for (std::size_t index = 0; index < corpus.seeds.size(); ++index)
        fuzz::write(std::string{seeds} + "/seed-" + std::to_string(index), corpus.seeds[index]);
    std::string dictionary;
    for (auto const& word : corpus.words) {
        dictionary += '"';
        for (char const byte : word) {
            static constexpr char const* digits = "0123456789ABCDEF";
            auto const value = static_cast<unsigned char>(byte);
            dictionary.append("\\x").append(1, digits[value >> 4]).append(1, digits[value & 15]);
        }
        dictionary += "\"\n";
    }
    fuzz::write(words, dictionary);
    std::exit(0);
}
