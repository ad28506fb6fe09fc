// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <condense/detail/text.hpp>

// A bar on a terminal with what is done and what time is left; elsewhere nothing. Lines for the user go through it,
// so that they do not tear it. For one thread at a time.

namespace replay {

class progress {
public:
    /// `total` in any unit of work.
    explicit progress(std::uint64_t total) : total_{std::max<std::uint64_t>(total, 1)} {}
    ~progress() { clear(); }
    progress(progress const&) = delete;
    progress& operator=(progress const&) = delete;

    void add(std::uint64_t work) {
        done_ += work;
        draw();
    }
    void count() { ++conversations_; }

    void say(std::string const& line) {
        clear();
        std::fprintf(stderr, "%s\n", line.c_str());
    }

private:
    using clock = std::chrono::steady_clock;

    void draw() {
        if (!terminal_) return;
        auto const now = clock::now();
        if (now - drawn_ < std::chrono::milliseconds{100}) return;
        drawn_ = now;
        auto const part = std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
        auto const spent = std::chrono::duration<double>(now - began_).count();
        char share[16];
        std::snprintf(share, sizeof share, "%3.0f %%", 100 * part);
        auto text = std::string{share} + "  " + condense::grouped(conversations_) +
                    (conversations_ == 1 ? " conversation" : " conversations");
        if (spent >= 1 && part > 0) text += ", " + duration(spent / part - spent) + " left";
        winsize size{};
        std::size_t const width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
        std::string line;
        if (width >= text.size() + 14) {
            auto const bar = std::min<std::size_t>(width - text.size() - 4, 40);
            auto const full = static_cast<std::size_t>(part * static_cast<double>(bar));
            line = "[" + std::string(full, '#') + std::string(bar - full, '.') + "] ";
        }
        line += text;
        std::fprintf(stderr, "\r%s\x1b[K", line.substr(0, width - 1).c_str());
        std::fflush(stderr);
        shown_ = true;
    }

    void clear() {
        if (shown_) std::fputs("\r\x1b[K", stderr);
        shown_ = false;
    }

    static std::string duration(double seconds) {
        auto const whole = static_cast<std::uint64_t>(std::min(seconds, 1e9) + 0.5);
        if (whole < 60) return std::to_string(whole) + " s";
        if (whole < 3'600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
        return condense::grouped(whole / 3'600) + " h " + std::to_string(whole / 60 % 60) + " min";
    }

    std::uint64_t total_;
    std::uint64_t done_ = 0;
    std::uint64_t conversations_ = 0;
    bool terminal_ = isatty(STDERR_FILENO) == 1;
    bool shown_ = false;
    clock::time_point began_ = clock::now();
    clock::time_point drawn_ = {};
};

}  // namespace replay
