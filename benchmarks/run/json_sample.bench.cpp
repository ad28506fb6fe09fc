// SPDX-License-Identifier: BSL-1.0

// Claim: sampling an array of rows takes at most a third of the time that nlohmann::json::parse takes for it.
// ./bench_run_json_sample 20000

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>

#include <condense/shorten/json_sample.hpp>

namespace {

std::string log_of(unsigned long rows) {
    std::uint64_t state = 1;
    auto const below = [&](std::uint64_t limit) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return (state >> 33) % limit;
    };
    static char const* const levels[] = {"INFO", "INFO", "DEBUG"};
    std::string out;
    for (unsigned long row = 0; row < rows; ++row) {
        out += row == 0 ? "[" : ", ";
        out += R"({"timestamp": "2024-05-01T10:00:)" + std::to_string(row) + R"(Z", "level": ")" + levels[below(3)] +
               R"(", "request": ")" + std::to_string(below(1u << 30)) + R"(", "ok": true, "status": )" +
               std::to_string(row == rows / 2 ? 507 : 200) + R"(, "millis": )" + std::to_string(below(90)) +
               R"(.25, "user": {"id": )" + std::to_string(below(1'000)) +
               R"(, "name": "anna"}, "message": "Processed item )" + std::to_string(row) +
               R"( of the queue for the customer"})";
    }
    return out + "]";
}

/// The best of several, in microseconds; what is made is looked at, so that it is made.
template <class Work>
double best_of(Work const& work, std::size_t& size) {
    double best = 1e18;
    for (int round = 0; round < 15; ++round) {
        auto const begin = std::chrono::steady_clock::now();
        size += work();
        auto const taken = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
        best = taken < best ? taken : best;
    }
    return best;
}

}  // namespace

int main(int count, char** arguments) {
    auto const text = log_of(count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 1'000);
    std::size_t size = 0;
    auto const parse = best_of([&] { return nlohmann::json::parse(text).size(); }, size);
    auto const sample = best_of([&] { return condense::json_sample{}({.text = text}, {}).value_or("").size(); }, size);
    auto const valid = best_of([&] { return condense::is_json(text) ? 1u : 0u; }, size);
    std::printf("%zu bytes: parse %.0f us, sample %.0f us (%.1f times faster), valid %.0f us (%.1f times faster)\n",
                text.size(), parse, sample, parse / sample, valid, parse / valid);
    return size != 0 ? 0 : 1;
}
#else
int main() { std::puts("needs nlohmann/json.hpp"); }
#endif
