// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <thread>
#include <vector>

// Ways to make the calls of an executor other than in turn.

namespace executors {

/// All at once, each on a thread of its own.
struct on_threads {
    template <class Function>
    void operator()(std::size_t count, Function const& f) const {
        std::vector<std::thread> threads;
        for (std::size_t index = 0; index < count; ++index) threads.emplace_back([&f, index] { f(index); });
        for (auto& each : threads) each.join();
    }
};
/// The last one first.
struct backwards {
    template <class Function>
    void operator()(std::size_t count, Function const& f) const {
        while (count-- != 0) f(count);
    }
};
/// Makes no call.
struct idle {
    template <class Function>
    void operator()(std::size_t, Function const&) const {}
};

}  // namespace executors
