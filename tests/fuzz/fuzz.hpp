// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "support/byte_source.hpp"

// All that a target has. It is linked with libfuzzer.cpp and libFuzzer, or with run_corpus.cpp, which tries its seeds
// and some mutations.

namespace fuzz {

struct corpus {
    std::vector<std::string> seeds = {};  ///< the same in every run
    std::vector<std::string> words = {};  ///< that mutations put in
    std::uint64_t mutations = 10'000;     ///< in a run of full effort

    /// Each of these texts behind `begin`, which chooses what is done with it.
    void add(std::string const& begin, std::vector<std::string> const& texts) {
        for (auto const& text : texts) seeds.push_back(begin + text);
    }
};

// Defined by the target.
corpus make_corpus();
void try_input(byte_source bytes);

/// A list of corpus.json.
std::vector<std::string> listed(std::string_view target, std::string_view list);

/// Ends the program where something does not hold.
inline void require(bool holds, std::string_view what) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: not so: %.*s\n", static_cast<int>(what.size()), what.data());
    std::abort();
}
/// The same for a set of sentences.
template <class Sentences>
void require_none(Sentences const& broken, std::string const& story = {}) {
    if (broken.empty()) return;
    std::fputs(story.c_str(), stderr);
    std::string all;
    for (auto const& one : broken) all += one + "; ";
    require(false, all);
}

/// So many strings of bytes at random, of growing size, for targets that read choices from them.
inline std::vector<std::string> random_seeds(std::size_t count, std::size_t step, std::uint64_t state = 1) {
    std::vector<std::string> all;
    while (all.size() < count) {
        std::string one;
        while (one.size() < (all.size() + 1) * step) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            one += static_cast<char>(static_cast<unsigned char>(state >> 56));
        }
        all.push_back(std::move(one));
    }
    return all;
}

inline std::string bytes_of(std::string const& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}
inline void write(std::string const& path, std::string_view bytes) { std::ofstream{path, std::ios::binary} << bytes; }

/// Recorded conversations of these shapes, each behind so many bytes of choices.
inline std::vector<std::string> shape_seeds(std::vector<std::string> const& shapes, std::size_t choices) {
    std::vector<std::string> all;
    for (auto const& shape : shapes)
        for (int number = 1; number <= 12; number += 5) {
            auto const text =
                bytes_of(std::string{CONDENSE_SHAPES} + "/" + shape + "/" + std::to_string(number) + ".json");
            require(!text.empty(), shape);
            all.push_back(random_seeds(1, choices, static_cast<std::uint64_t>(number))[0] + text);
        }
    return all;
}

/// A folder in memory, if there is such a place, which lasts as long as the program.
inline std::string const& folder() {
    struct held {
        std::string path;
        held() {
            namespace fs = std::filesystem;
            auto const in = fs::is_directory("/dev/shm") ? fs::path{"/dev/shm"} : fs::temp_directory_path();
            path = (in / "condense-fuzz-XXXXXX").string();
            require(::mkdtemp(path.data()) != nullptr, "a folder for files can be made");
            path = fs::canonical(path).string();
        }
        ~held() {
            std::error_code ignored;
            std::filesystem::remove_all(path, ignored);
        }
    };
    static held const made;
    return made.path;
}

}  // namespace fuzz
