// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include <condense/detail/stored_texts.hpp>
#include <condense/detail/text.hpp>

// What may not leave the program: `run_options::redact` is called with every text that goes to a journal, a store or a
// summariser, and with the texts of errors and notes. Messages that are sent to the model are not touched.

namespace condense {
inline namespace v1 {

/// Replaces what must not leave the program, in place, and returns how many pieces it has replaced. Deterministic, and
/// changes nothing more when called again. Text may be JSON, and must be JSON afterwards: no quotes and backslashes in
/// what is written, none taken away. What it throws counts as a failure of the layer whose text it was.
template <class Redactor>
concept redactor = requires(Redactor const& redact, std::string& text) {
    { redact(text) } -> std::same_as<std::size_t>;
};

/// The default: everything may leave. No code is generated for it.
struct no_redaction {
    constexpr std::size_t operator()(std::string&) const noexcept { return 0; }
    friend constexpr bool operator==(no_redaction, no_redaction) = default;
};

namespace detail {

/// False for `no_redaction`. A redactor whose type is hidden says itself whether it is one, by `active`.
template <class Redactor>
inline constexpr bool may_redact = !std::same_as<std::remove_cvref_t<Redactor>, no_redaction>;
template <class Redactor>
constexpr bool redacts(Redactor const& redact) noexcept {
    if constexpr (requires { redact.active; }) return redact.active;
    else return may_redact<Redactor>;
}

/// Returns f(text, count): the text as it may leave, and how many pieces were replaced. Costs a copy where there is
/// something to call.
template <class Redactor, class Function>
constexpr decltype(auto) with_redacted(Redactor const& redact, std::string_view text, Function&& f) {
    if constexpr (may_redact<Redactor>)
        if (redacts(redact)) {
            std::string copy{text};
            auto const count = rewrite_texts(copy, redact);
            return f(std::string_view{copy}, count);
        }
    return f(text, std::size_t{0});
}

/// The words as a note that may leave. Words that may have been cut to the size of a note lose the last one, as half a
/// secret would not be recognised.
template <std::size_t Size, class Redactor>
constexpr small_text<Size> redacted_note([[maybe_unused]] Redactor const& redact, std::string_view words) noexcept {
    if constexpr (may_redact<Redactor>)
        if (redacts(redact)) {
#if defined(__cpp_exceptions)
            try {
#endif
                bool const cut = words.size() <= Size && words.size() + 3 >= Size;  // three bytes of a code point
                auto const space = words.find_last_of(" \t\n");
                std::string text{cut ? words.substr(0, space == words.npos ? 0 : space) : words};
                static_cast<void>(redact(text));
                return std::string_view{text};
#if defined(__cpp_exceptions)
            } catch (...) { return std::string_view{"the reason could not be redacted"}; }
#endif
        }
    return words;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
