// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <csignal>

#include <signal.h>

// While an `interruptible` lives, an interrupt (Ctrl-C) ends what asks `interrupted`, not the program.

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

inline volatile std::sig_atomic_t endings = 0;

/// While it lives, SIGINT, SIGTERM and SIGHUP are noted, and a read that waits ends: there is time to save.
class ending {
public:
    ending() noexcept {
        struct sigaction noted = {};
        noted.sa_handler = [](int) { endings = 1; };
        for (int const signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &noted, nullptr);
    }
    ending(ending const&) = delete;
    ending& operator=(ending const&) = delete;
    ~ending() {
        for (int const signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    }

    bool wanted() const noexcept { return endings != 0; }
};

}  // namespace repl
