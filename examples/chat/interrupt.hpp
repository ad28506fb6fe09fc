// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <csignal>

#include <signal.h>

// While one of these lives, an interrupt (Ctrl-C) ends what asks `interrupted`, not the program.

namespace repl {

inline volatile std::sig_atomic_t interrupts = 0;

class interruptible {
public:
    interruptible() noexcept {
        interrupts = 0;
        struct sigaction noted = {};
        noted.sa_handler = [](int) { interrupts = 1; };
        ::sigaction(SIGINT, &noted, &before_);
    }
    interruptible(interruptible const&) = delete;
    interruptible& operator=(interruptible const&) = delete;
    ~interruptible() { ::sigaction(SIGINT, &before_, nullptr); }

    bool interrupted() const noexcept { return interrupts != 0; }

private:
    struct sigaction before_ = {};
};

}  // namespace repl
