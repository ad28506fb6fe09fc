// SPDX-License-Identifier: BSL-1.0
// Prints what fit_script_aware.py fits weights to: for each text on standard input, its features, then characters
// and runs of each script, on one line. A text is four bytes of its size, lowest first, and its bytes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <condense/estimate/script_scan.hpp>

namespace {

struct script_counts {
    std::array<std::uint64_t, condense::detail::script_classes> chars = {};
    std::array<std::uint64_t, condense::detail::script_classes> runs = {};

    void operator()(condense::detail::script_class which, std::uint64_t points, std::uint64_t begins) {
        auto const at = static_cast<std::size_t>(which);
        chars[at] += points;
        runs[at] += begins;
    }
};

template <class Figures>
void print(Figures const& figures) {
    for (auto const each : figures) std::printf("%llu ", static_cast<unsigned long long>(each));
}

}  // namespace

int main() {
    unsigned char head[4];
    while (std::fread(head, 1, sizeof head, stdin) == sizeof head) {
        std::string text(head[0] | std::size_t{head[1]} << 8 | std::size_t{head[2]} << 16 | std::size_t{head[3]} << 24,
                         '\0');
        if (std::fread(text.data(), 1, text.size(), stdin) != text.size()) return 1;
        script_counts scripts;
        print(condense::detail::scan_scripts(std::string_view{text}, scripts));
        print(scripts.chars);
        print(scripts.runs);
        std::puts("");
    }
}
