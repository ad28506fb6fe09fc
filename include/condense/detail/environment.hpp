// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// Environment variables, of the process or of a substitute that a program passes.

#if defined(__unix__) || defined(__APPLE__)
extern "C" char** environ;  // not every system declares it
#endif

namespace condense {
inline namespace v1 {
namespace detail {

/// The environment of the process. As with std::getenv, no other thread may change it meanwhile.
struct process_environment {
    std::optional<std::string> operator()(std::string const& name) const {
        auto const* const value = std::getenv(name.c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>{value};
    }
#if defined(__unix__) || defined(__APPLE__)
    /// The names of all variables, to find misspelt ones; only where the system lists them.
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (auto const* const* variable = ::environ; variable != nullptr && *variable != nullptr; ++variable) {
            std::string_view const entry{*variable};
            all.emplace_back(entry.substr(0, entry.find('=')));
        }
        return all;
    }
#endif
};

/// A callable that returns the value of a variable, if it is set. It may not return a pointer, which may be null.
template <class Lookup>
concept environment = requires(Lookup& look, std::string const& name) {
    { look(name) } -> std::convertible_to<std::optional<std::string>>;
    requires !std::is_pointer_v<std::remove_cvref_t<decltype(look(name))>>;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
