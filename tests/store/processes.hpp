// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.hpp"

// Child processes that can be killed, and disks that are small.

namespace processes {

/// Runs body(say) in a child; what it says comes back when the child has ended, in order.
class child {
public:
    template <class Body>
    explicit child(Body body) {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        id_ = ::fork();
        REQUIRE(id_ >= 0);
        if (id_ == 0) {
            ::close(ends[0]);
            auto const say = [&](std::uint64_t number) {
                if (::write(ends[1], &number, sizeof number) != sizeof number) ::_exit(1);
            };
            body(say);
            ::_exit(0);
        }
        ::close(ends[1]);
        from_ = ends[0];
    }
    child(child&& other) noexcept : id_{std::exchange(other.id_, -1)}, from_{std::exchange(other.from_, -1)} {}
    child& operator=(child&&) = delete;
    ~child() {
        if (id_ > 0) {
            ::kill(id_, SIGKILL);
            ::waitpid(id_, nullptr, 0);
        }
        if (from_ >= 0) ::close(from_);
    }

    std::vector<std::uint64_t> join() {
        auto said = listen();
        CHECK(WIFEXITED(status()));
        return said;
    }
    /// Where a signal ends it.
    std::vector<std::uint64_t> join_killed() {
        auto said = listen();
        CHECK(WIFSIGNALED(status()));
        return said;
    }

    /// Waits until it has said that many numbers, though not for long, and then for a while.
    void let_run(unsigned microseconds, int numbers = 1) const {
        auto const wanted = numbers * static_cast<int>(sizeof(std::uint64_t));
        for (int waited = 0, ready = 0; waited < 20'000; ++waited) {
            if (::ioctl(from_, FIONREAD, &ready) == 0 && ready >= wanted) break;
            ::usleep(waited < 20 ? 20 : 100);
        }
        ::usleep(microseconds);
    }

    /// Kills it at some moment after it said that many numbers, or at once where it says nothing for long.
    std::vector<std::uint64_t> kill_after_microseconds(unsigned pause, int numbers = 1) {
        let_run(pause, numbers);
        ::kill(id_, SIGKILL);
        return join_killed();
    }

private:
    int status() {
        int ended = 0;
        CHECK(::waitpid(std::exchange(id_, -1), &ended, 0) > 0);
        return ended;
    }
    std::vector<std::uint64_t> listen() const {
        std::vector<std::uint64_t> said;
        std::uint64_t number = 0;
        while (::read(from_, &number, sizeof number) == sizeof number) said.push_back(number);
        return said;
    }

    ::pid_t id_ = -1;
    int from_ = -1;
};

/// Runs body(number, say) in so many children at once, and gives what each has said.
std::vector<std::vector<std::uint64_t>> at_once(std::uint64_t count, auto const& body) {
    std::vector<child> children;
    for (std::uint64_t number = 0; number < count; ++number)
        children.emplace_back([&body, number](auto const& say) { body(number, say); });
    std::vector<std::vector<std::uint64_t>> said;
    for (auto& each : children) said.push_back(each.join());
    return said;
}

/// For as long as it is there: no file grows beyond it, and the signal that tells so is ignored; or no descriptor gets
/// a number from it on.
template <auto Resource>
class limit_of {
public:
    explicit limit_of(std::size_t most) : handler_{std::signal(SIGXFSZ, SIG_IGN)} {
        REQUIRE(::getrlimit(Resource, &before_) == 0);
        auto less = before_;
        less.rlim_cur = most;
        REQUIRE(::setrlimit(Resource, &less) == 0);
    }
    limit_of(limit_of const&) = delete;
    limit_of& operator=(limit_of const&) = delete;
    ~limit_of() {
        ::setrlimit(Resource, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    ::rlimit before_ = {};
    void (*handler_)(int);
};
using file_size_limit = limit_of<RLIMIT_FSIZE>;

/// What f() returns where no file but the first four can be open. To be looked at after that: the sanitizers' own
/// checks open files.
auto with_few_files(auto const& f) {
    limit_of<RLIMIT_NOFILE> const limit{4};
    return f();
}

/// A file system in memory, of the given size, where this process may mount one; says so where it may not.
class small_disk {
public:
    small_disk(std::string path, char const* options) : path_{std::move(path)} {
        std::filesystem::create_directory(path_);
        mounted_ = ::mount("none", path_.c_str(), "tmpfs", 0, options) == 0;
        if (!mounted_) WARN("skipped: no file system can be mounted here");
    }
    small_disk(small_disk const&) = delete;
    small_disk& operator=(small_disk const&) = delete;
    ~small_disk() {
        if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
    }
    bool mounted() const noexcept { return mounted_; }
    bool make_read_only(bool wanted) const {
        unsigned long const flags = wanted ? MS_REMOUNT | MS_RDONLY : MS_REMOUNT;
        return ::mount("none", path_.c_str(), "tmpfs", flags, nullptr) == 0;
    }

private:
    std::string path_;
    bool mounted_ = false;
};

}  // namespace processes
