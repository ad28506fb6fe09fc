// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <condense/core/pass.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/llm/answer.hpp>
#include <condense/llm/model_call.hpp>
#include <condense/llm/overflow.hpp>

// Calls a model that writes summaries, and checks its reply.

namespace condense {
inline namespace v1 {
namespace detail {

/// A summary, or why the reply is none.
struct summary_reply {
    std::string text = {};        ///< of the reply, whatever it is
    small_text<96> problem = {};  ///< empty for a summary
    std::optional<overflow> too_large = {};  ///< set if the provider refused the prompt as too large
};

/// The reply is no summary if it is an error, was cut off, or is a refusal or an error in the form of a text.
inline summary_reply summary_reply_of(reply<std::string> answer) {
    summary_reply result{.text = std::move(answer.message).value_or(std::string{})};
    if (answer.error) {
        result.too_large = overflow_of(answer.error.status, answer.error.text);
        result.problem = answer.error.text.empty() ? std::string_view{"the model gave an error"}
                                                   : std::string_view{answer.error.text};
    } else if (!ended_by_itself(answer.stop)) {
        result.problem = "the summary is not complete: ";
        result.problem += answer.stop;
    } else if (!utf8::valid(result.text)) result.problem = std::string_view{"the summary is not valid UTF-8"};
    else if (auto const problem = wording::no_summary(result.text); !problem.empty()) {
        result.problem = problem;
        result.too_large = overflow_of(0, result.text);
    }
    return result;
}
inline summary_reply summary_reply_of(std::string text) {
    return summary_reply_of(reply<std::string>{.message = std::move(text)});
}

/// Calls a model that takes a prompt in any form, and makes a reply of whatever it returns.
template <class Model>
reply<std::string> reply_to_prompt(Model const& model, model_prompt const& prompt, ask_limits const& limits) {
    using answer = std::remove_cvref_t<decltype(call_with_prompt(model, prompt, limits))>;
    if constexpr (std::same_as<answer, reply<std::string>>) return call_with_prompt(model, prompt, limits);
    else return {.message = std::string(call_with_prompt(model, prompt, limits))};
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
