// SPDX-License-Identifier: BSL-1.0

// Claim: what pipelines cost beside the same written by hand shows in time, too, as far as the machine is quiet.
// overhead.py prints the ratios of the means; ./bench_run_times

#if !__has_include(<catch2/catch_all.hpp>)  // version 2 wants both said before it is included
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#define CATCH_CONFIG_RUNNER
#endif
#include "support/catch.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pairs.hpp"

namespace {

using history_type = std::vector<condense::chat_message>;
using timed = Catch::Benchmark::Chronometer;

/// Whatever is made of a pair for each call, with the pair, whose journal and store are its own.
template <class Pair, class Made>
struct prepared {
    Pair both;
    Made made;

    template <class Make, class MakeOne>
    prepared(Make const& make, std::size_t messages, MakeOne const& one) : both{make(messages)}, made{one(both)} {}
};

/// Calls `f` with something of its own each time; what `one` makes of a pair is not timed.
template <class Make, class MakeOne, class Function>
void time(timed meter, Make const& make, std::size_t messages, MakeOne const& one, Function const& f) {
    using pair_type = decltype(make(messages));
    using made_type = decltype(one(std::declval<pair_type&>()));
    std::deque<prepared<pair_type, made_type>> all;
    for (int run = 0; run < meter.runs(); ++run) all.emplace_back(make, messages, one);
    meter.measure([&](int run) {
        auto& each = all[static_cast<std::size_t>(run)];
        return f(each.both, each.made);
    });
}

template <class Make>
void compare(std::string const& name, Make const& make, std::size_t messages) {
    auto const history = overhead::conversation(messages, make(messages).with_rows);
    auto const limits = overhead::limits_of(make(messages), history, true);
    auto const session = [&](auto& both) {
        auto made = std::make_unique<condense::session<history_type, std::remove_cvref_t<decltype(both.mix)>>>(
            history_type{}, both.mix, limits);
        for (auto const& m : history) made->push(m);
        static_cast<void>(made->request().size());  // as after the turn before
        return made;
    };
    auto const kept = [&](auto& both) {
        auto made = both.make_kept(limits);
        for (auto const& m : history) made.push(m);
        return made;
    };
    auto const copied = [&](auto&) { return history; };
    auto const title = name + ", " + std::to_string(messages) + ", ";
    BENCHMARK_ADVANCED(title + "kept, library")(timed meter) {
        time(meter, make, messages, session, [](auto&, auto& made) { return overhead::kept_by_library(*made); });
    };
    BENCHMARK_ADVANCED(title + "kept, hand")(timed meter) {
        time(meter, make, messages, kept, [](auto&, auto& made) { return overhead::kept_by_hand(made); });
    };
    BENCHMARK_ADVANCED(title + "once, library")(timed meter) {
        time(meter, make, messages, copied,
             [&](auto& both, auto& made) { return overhead::once_by_library(made, both.mix, limits); });
    };
    BENCHMARK_ADVANCED(title + "once, hand")(timed meter) {
        time(meter, make, messages, copied,
             [&](auto& both, auto& made) { return overhead::once_by_hand(made, both.once, limits); });
    };
}

template <class Make>
void compare(std::string const& name, Make const& make) {
    for (auto const messages : {std::size_t{100}, std::size_t{1'000}}) compare(name, make, messages);
}

}  // namespace

TEST_CASE("times of pipelines beside the same by hand") {
    compare("window", overhead::window);
    compare("compress", overhead::compress);
    compare("offload_window", overhead::offload_window);
    compare("cascade", overhead::cascade);
    compare("folding", overhead::folding);
}

int main(int count, char** arguments) {
    Catch::Session all;
    // A call needs a conversation of its own: warming up for a given time would make thousands of them.
    all.configData().benchmarkWarmupTime = 0;
    all.configData().benchmarkSamples = 20;
    all.configData().benchmarkResamples = 1'000;
    return all.run(count, arguments);
}
