// SPDX-License-Identifier: BSL-1.0
// Arguments of reduce beside the history and the layers: the budget, the estimator, the options.

#include "compile_fail/common.hpp"

// budget_of_max_tokens: `.window` -> `.max_tokens`
// budget_of_messages: `200'000_tokens` -> `100_messages`
// budget_with_reserve: `.output` -> `.reserve`
//   condense: reduce: the budget must be given as .window, .output and .overhead, each in tokens such as
//   200'000_tokens (see budget)
struct spent : talk {};
auto in_a_budget(spent& history) {
    return condense::reduce(history, sliding_window{}, {.window = 200'000_tokens, .output = 20'000_tokens});
}

// estimator_not_const: `std::string_view) const` -> `std::string_view)`
// estimator_returns_size: `cost operator` -> `std::size_t operator`
//   condense: token_estimator: it must have a const operator()(std::string_view) that returns a condense::cost (see
//   token_estimator)
// frame_of_wrong_type: `cost frame` -> `int frame`
//   condense: token_estimator: frame must give a cost (see token_estimator)
struct counts_nothing {
    cost operator()(std::string_view) const { return {}; }
    cost frame(role) const { return {}; }
};
auto counted(talk& history) {
    return condense::reduce(history, pipeline{sliding_window{}}, {.window = {1'000}}, counts_nothing{});
}

// estimator_of_dry_run: `cost operator` -> `std::size_t operator`
//   condense: token_estimator: it must have a const operator()(std::string_view) that returns a condense::cost (see
//   token_estimator)
struct counts_dryly {
    cost operator()(std::string_view) const { return {}; }
};
auto counted_dryly(talk const& history) {
    return dry_run(history, pipeline{sliding_window{}}, {.window = {1'000}}, counts_dryly{});
}

// estimator_of_session: `cost operator` -> `std::size_t operator`
//   condense: token_estimator: it must have a const operator()(std::string_view) that returns a condense::cost (see
//   token_estimator)
struct counts_in_a_session {
    cost operator()(std::string_view) const { return {}; }
};
auto counted_in_a_session(talk& history) {
    session counting{history, pipeline{sliding_window{}}, {.window = {1'000}}, counts_in_a_session{}};
    return counting.used();
}

// before_drop_of_texts: `leaving_messages<chat_message> const&` -> `char const*`
//   condense: run_options: before_drop must be callable, while const, with the messages that leave (see
//   leaving_messages)
// before_drop_returns_bool: `store_error operator` -> `bool operator`
//   condense: run_options: before_drop must return nothing, or a condense::failed or a condense::store_error (see
//   leaving_messages)
struct remembers {
    store_error operator()(leaving_messages<chat_message> const&) const { return {}; }
};
auto remembered(talk& history) {
    return condense::reduce(history, pipeline{sliding_window{}}, {.window = {1'000}}, default_estimator<>{},
                            run_options{.before_drop = remembers{}});
}

// pins_of_strings: `chat_message const&` -> `char const*`
//   condense: run_options: pins must be a predicate on a condense::sequence, a message, or both (see run_options)
struct pins_all {
    bool operator()(chat_message const&) const { return true; }
};
auto pinned(talk& history) {
    return condense::reduce(history, pipeline{sliding_window{}}, {.window = {1'000}}, default_estimator<>{},
                            run_options{.pins = pins_all{}});
}

// redact_of_views: `std::size_t operator()(std::string&)` -> `std::string operator()(std::string_view)`
//   condense: run_options: redact must take a std::string&, while const, and return a std::size_t (see redactor)
struct redacts_nothing {
    std::size_t operator()(std::string&) const { return {}; }
};
auto redacted(talk& history) {
    return condense::reduce(history, pipeline{sliding_window{}}, {.window = {1'000}}, default_estimator<>{},
                            run_options{.redact = redacts_nothing{}});
}
