// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <exception>

// How an invalid configuration is refused: an exception at run time, a compile error in a constant
// expression, and the end of the program where exceptions are switched off.

namespace condense {
inline namespace v1 {

/// Thrown when a value that a user configured cannot work, such as a target above its trigger.
class invalid_configuration : public std::exception {
public:
    explicit invalid_configuration(char const* sentence) noexcept : sentence_{sentence} {}
    char const* what() const noexcept override { return sentence_; }

private:
    char const* sentence_;
};

namespace detail {

/// Not constexpr on purpose: reaching it while constants are evaluated is the compile error.
[[noreturn]] inline void reject(char const* sentence) {
#if defined(__cpp_exceptions)
    throw invalid_configuration{sentence};
#else
    static_cast<void>(sentence);
    std::terminate();
#endif
}

constexpr void reject_unless(bool holds, char const* sentence) {
    if (!holds) reject(sentence);
}

}  // namespace detail

using detail::reject_unless;

}  // namespace v1
}  // namespace condense
