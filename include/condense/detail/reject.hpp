// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <exception>

// Refuses an invalid configuration: by an exception at run time, by a compile error in a constant expression, and by
// std::terminate without exceptions.

namespace condense {
inline namespace v1 {

/// Thrown for a configured value that cannot work, such as a target above its trigger.
class invalid_configuration : public std::exception {
public:
    /// `sentence` is not copied: a string literal.
    explicit invalid_configuration(char const* sentence) noexcept : sentence_{sentence} {}
    char const* what() const noexcept override { return sentence_; }

private:
    char const* sentence_;
};

namespace detail {

/// Not constexpr on purpose: reaching it in a constant expression is the compile error.
[[noreturn]] inline void reject(char const* sentence) {
#if defined(__cpp_exceptions)
    throw invalid_configuration{sentence};
#else
    static_cast<void>(sentence);
    std::terminate();
#endif
}

/// Checks a rule of a configuration; `sentence` says what must hold, and where to read about it.
constexpr void reject_unless(bool holds, char const* sentence) {
    if (!holds) reject(sentence);
}

}  // namespace detail

using detail::reject_unless;

}  // namespace v1
}  // namespace condense
