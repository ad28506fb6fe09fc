// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <thread>
#include <vector>

// Ways to make the calls of an executor other than in turn.

namespace executors {

/// All at once, each on a thread of its own.
struct on_threads {
    void operator()(std::size_t count, auto const& f) const {
        std::vector<std::thread> threads;
        for (std::size_t index = 0; index < count; ++index) threads.emplace_back([&f, index] { f(index); });
        for (auto& each : threads) each.join();
    }
};
/// The last one first.
struct backwards {
    void operator()(std::size_t count, auto const& f) const {
        while (count-- != 0) f(count);
    }
};
/// Makes no call.
struct idle {
    void operator()(std::size_t, auto const&) const {}
};

}  // namespace executors
