// SPDX-License-Identifier: BSL-1.0

// Runs a target over its seeds and a few mutations of them, the same in every run, or over files:
// `fuzz_TARGET`, `fuzz_TARGET FILE...`. The input of a failure is written to `finding-TARGET` in the present folder.

#include <array>
#include <csignal>

#include <fcntl.h>

#include "fuzz/corpus_file.hpp"
#include "laws/generator.hpp"
#include "support/effort.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define FUZZ_HAS_DEATH_CALLBACK
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUZZ_HAS_DEATH_CALLBACK
#endif
#endif
#if defined(FUZZ_HAS_DEATH_CALLBACK)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
#endif

namespace {

std::string_view input;
std::string finding;

/// Also called amid a signal.
void keep_input() {
    int const file = ::open(finding.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return;
    bool const whole = ::write(file, input.data(), input.size()) == static_cast<::ssize_t>(input.size());
    ::close(file);
    if (whole) std::fprintf(stderr, "fuzz: the input is in %s\n", finding.c_str());
}
void on_abort(int) {
    keep_input();
    std::signal(SIGABRT, SIG_DFL);
}

void run(std::string_view bytes) {
    input = bytes;
    // From memory of exactly this size, so that the sanitizer sees what is read beyond its end.
    std::vector<char> const exact{bytes.begin(), bytes.end()};
    fuzz::try_input(byte_source{{exact.data(), exact.size()}});
}

std::string mutated(fuzz::corpus const& from, laws::random_source& random) {
    auto made = from.seeds[random.below(from.seeds.size())];
    for (auto left = 1 + random.below(4); left != 0; --left) {
        auto const at = random.below(made.size() + 1);
        auto const size = random.below(random.chance(50) ? 4 : 64);
        switch (random.below(9)) {
            case 0:
                if (at < made.size()) made[at] = static_cast<char>(made[at] ^ (1 << random.below(8)));
                break;
            case 1: {
                static constexpr std::array<char, 12> bytes{'\0', '"',  '{', '}',    '[',    ']',
                                                            '\\', '\n', '<', '\x7F', '\x80', '\xFF'};
                if (at < made.size()) made[at] = bytes[random.below(bytes.size())];
                break;
            }
            case 2: made.erase(at, size); break;
            case 3: made.resize(at); break;
            case 4: made.insert(at, made.substr(at, size)); break;
            case 5: {
                auto const& other = from.seeds[random.below(from.seeds.size())];
                made.insert(at, other.substr(random.below(other.size() + 1), size));
                break;
            }
            case 6: made.insert(at, fuzz::random_seeds(1, 1 + size % 8, random.next())[0]); break;
            default:
                if (!from.words.empty()) made.insert(at, from.words[random.below(from.words.size())]);
        }
    }
    return made;
}

}  // namespace

int main(int count, char** arguments) {
    std::string const program = arguments[0];
    finding = "finding-" + program.substr(program.rfind('/') + 1);
    std::signal(SIGABRT, &on_abort);
#if defined(FUZZ_HAS_DEATH_CALLBACK)
    __sanitizer_set_death_callback(&keep_input);
#endif
    if (count > 1) {
        for (int index = 1; index < count; ++index) run(fuzz::bytes_of(arguments[index]));
        return 0;
    }
    auto const corpus = fuzz::make_corpus();
    fuzz::require(!corpus.seeds.empty(), "there are seeds");
    for (auto const& seed : corpus.seeds) run(seed);
    auto const wanted = rounds(corpus.mutations);
    laws::random_source random{1};
    for (std::uint64_t done = 0; done < wanted; ++done) run(mutated(corpus, random));
    std::printf("%zu seeds and %llu mutations of them\n", corpus.seeds.size(), static_cast<unsigned long long>(wanted));
    return 0;
}
