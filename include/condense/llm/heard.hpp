// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/detail/text.hpp>
#include <condense/llm/answer.hpp>
#include <condense/llm/model_call.hpp>
#include <condense/llm/overflow.hpp>

// What a model's answer to a prompt for a summary comes to: a summary, or why it is none.

namespace condense {
inline namespace v1 {
namespace detail {

/// What a model gave for a prompt: a summary, or why it is none.
struct heard {
    std::string text = {};
    small_text<96> problem = {};
    std::optional<overflow> too_large = {};  ///< the prompt was, as the provider says
};

inline heard heard_of(reply<std::string> given) {
    heard made{.text = std::move(given.message).value_or(std::string{})};
    if (given.error) {
        made.too_large = overflow_of(given.error.status, given.error.text);
        made.problem =
            given.error.text.empty() ? std::string_view{"the model gave an error"} : std::string_view{given.error.text};
    } else if (!ended_by_itself(given.stop)) {
        made.problem = "the summary is not complete: ";
        made.problem += given.stop;
    } else if (auto const problem = wording::no_summary(made.text); !problem.empty()) {
        made.problem = problem;
        made.too_large = overflow_of(0, made.text);
    }
    return made;
}
inline heard heard_of(std::string text) { return heard_of(reply<std::string>{.message = std::move(text)}); }

}  // namespace detail
}  // namespace v1
}  // namespace condense
