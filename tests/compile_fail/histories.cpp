// SPDX-License-Identifier: BSL-1.0
// Kinds of histories.

#include "compile_fail/common.hpp"

#include <memory>
#include <ranges>

#include <condense/adapt/json.hpp>
#include <condense/core/any_pipeline.hpp>
#include <condense/replay.hpp>

// history_of_non_messages: `condense_traits` -> `traits`
// history_without_parts: `each_part` -> `each_parts`
//   condense: reduce: the elements of the history must be messages: give message_traits role_of and each_part (see
//   message)
struct note {
    role speaker = role::user;
    std::string text;
    struct condense_traits {
        static role role_of(note const& m) { return m.speaker; }
        static void each_part(note const& m, auto&& sink) { sink(part_view{.text = m.text}); }
    };
};
int const reduced_notes = run<note>(sliding_window{});

// const_history_of_non_messages: `chat_message` -> `int`
//   condense: reduce: the elements of the history must be messages: give message_traits role_of and each_part (see
//   message)
auto reduced_const(std::vector<chat_message> const& history) {
    return condense::reduce(history, pipeline{sliding_window{}}, {.window = {1'000}}).used();
}

// dry_run_of_non_messages: `chat_message` -> `long`
//   condense: reduce: the elements of the history must be messages: give message_traits role_of and each_part (see
//   message)
auto drafted(std::vector<chat_message> const& history) {
    return pipeline{sliding_window{}}.draft(history, {.window = {1'000}}).used();
}

// history_that_is_no_range: `history,` -> `history[0],`
//   condense: reduce: the history must be a range of messages, such as std::vector (see committable)
// history_that_is_temporary: `history,` -> `talk{},`
//   condense: reduce: the history must be a variable, not a temporary (see committable)
auto reduced(talk& history) { return condense::reduce(history, sliding_window{}, {.window = {1'000}}); }

// answers_without_push_back: `void push_back` -> `void append`
//   condense: reduce: a history into which answers are written must have push_back (see committable)
struct own_history {
    talk held;
    auto begin() { return held.begin(); }
    auto end() { return held.end(); }
    auto erase(auto from, auto to) { return held.erase(from, to); }
    void push_back(chat_message&& m) { held.push_back(std::move(m)); }
};
auto repaired(own_history& history) { return condense::reduce(history, pipeline{repair{}}, {.window = {1'000}}); }

// document_for_history: `*messages_of(document)` -> `document`
//   condense: reduce: a document must be given as the array of its messages (see messages_of)
auto reduced_document(nlohmann::json& document) {
    auto& history = *messages_of(document);
    return condense::reduce(history, pipeline{sliding_window{}}, {.window = {1'000}});
}

// messages_of_in_a_variable: `*messages` -> `messages`
//   condense: reduce: what messages_of gives must be dereferenced: auto messages = messages_of(document);
//   reduce(*messages, ...) (see messages_of)
auto reduced_messages(nlohmann::json& document) {
    auto const messages = messages_of(document);
    return condense::reduce(*messages, sliding_window{}, {.window = {1'000}});
}

// messages_of_not_dereferenced: `*messages_of` -> `messages_of`
//   condense: reduce: what messages_of gives must be dereferenced: auto messages = messages_of(document);
//   reduce(*messages, ...) (see messages_of)
auto reduced_at_once(nlohmann::json& document) {
    return condense::reduce(*messages_of(document), sliding_window{}, {.window = {1'000}});
}

// any_pipeline_of_values: `-> chat_message const&` -> `-> chat_message`
//   condense: any_pipeline: the history must give messages by reference (see any_pipeline)
any_pipeline<chat_message> const hidden_mix = pipeline{sliding_window{}};
auto reduced_view(talk const& history) {
    auto const seen = history | std::views::transform([](auto const& m) -> chat_message const& { return m; });
    return condense::reduce(seen, hidden_mix, {.window = {1'000}});
}

// replay_of_move_only: `std::shared_ptr` -> `std::unique_ptr`
//   condense: replay_one: the messages must be copyable: each mix gets its own (see transcript)
struct copied {
    role speaker = role::user;
    std::string text = {};
    std::shared_ptr<int> extra = {};
    using condense_traits = role_and_text<&copied::speaker, &copied::text>;
};
auto replayed(std::vector<copied> const& told) {
    return replay_one(told, "notes", {.window = {1'000}}, prices{}, named{"none", pipeline{}});
}
