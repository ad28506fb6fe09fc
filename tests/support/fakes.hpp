// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <concepts>
#include <exception>
#include <functional>
#include <map>
#include <optional>

#include <condense/core/pass.hpp>
#include <condense/core/reduce.hpp>
#include <condense/core/run_options.hpp>
#include <condense/llm/model_call.hpp>

#include "support/notation.hpp"
#include "support/tape.hpp"

// Fakes of the program around the library. Handles share their state: a copy goes into a pipeline, the test
// looks through `held` and through the functions of its own copy.
//
//  shelf, volatile_shelf   a store of artifacts: keeps, counts; refuses, throws or is full from a put on
//  tapes::tape             a journal: shows every line; fails or throws at a call (support/tape.hpp)
//  model, saying(...)      a model: keeps prompts and limits; gives answers in turn, an error, or what `act` does
//  with_number             a model that answers "answer 1", "answer 2", …
//  moody                   an estimator that fails for the text "bad"
//  clock                   counts on by `step` at each look; a test sets `*now`
//  stop_flag               asks to stop while `*up`
//  no_keys                 a redactor: KEY becomes ***
//  heard<Events...>        an observer: the lines of these events, of all where none is named
//  hook                    a before_drop: indices, numbers and texts of what leaves, and what `act` returns
//  throw_nested(Problem)   the problem within another exception, as a transport wraps it
//
//  reduced, after          run a pipeline over a conversation, at one token a byte
//  outcomes(report)        "applied idle failed"
//  figures(sums)           "12 tokens, 3 messages, 1 turns"
//  drop(draft, most)       drops the oldest groups that may go, within a layer of a test's own
//  tool_rounds, word_turns conversations: calls with results and answers; turns of words
//  contains, occurrences, summaries_in, repeated, lines    texts
//
// Pipelines and sessions: support/mixes.hpp.

namespace fakes {

using namespace notation;

/// More room than any test takes.
inline constexpr condense::budget roomy{.window = {1'000'000'000}};

// Texts

inline bool contains(std::string_view text, std::string_view words) {
    return text.find(words) != std::string_view::npos;
}
inline std::size_t occurrences(std::string_view text, std::string_view words) {
    std::size_t found = 0;
    for (auto at = text.find(words); at != std::string_view::npos; at = text.find(words, at + words.size())) ++found;
    return found;
}
/// How many summaries there are among messages.
std::size_t summaries_in(auto const& messages) {
    std::size_t count = 0;
    for (chat_message const& m : messages) count += occurrences(words(m), "<summary>");
    return count;
}
constexpr std::string repeated(std::string_view piece, std::size_t count) {
    std::string out;
    while (count-- != 0) out += piece;
    return out;
}
/// "line 0\nline 1\n…", or of other words.
inline std::string lines(std::size_t count, std::string_view word = "line", std::size_t first = 0) {
    std::string out;
    for (auto number = first; number < first + count; ++number)
        out.append(word).append(" ").append(std::to_string(number)).append("\n");
    return out;
}

// Stores

/// Names content by a hash of it.
template <bool Durable>
struct basic_shelf {
    struct state {
        std::map<condense::reference, std::string> kept = {};
        std::vector<std::string> contents = {};  ///< that were put, in order, also anew
        std::size_t named = 0;
        std::size_t puts = 0;           ///< also those that failed
        bool fails = false;             ///< every put gives an error
        bool throws = false;            ///< every put throws, or the one that `fails_at` names
        std::size_t fails_at = 0;       ///< the number of the one put that fails, from 1; 0 for none
        std::size_t room = ~std::size_t{0};  ///< bytes that it takes in all
        std::string reason = "the disk is full";
    };
    std::shared_ptr<state> held = std::make_shared<state>();
    static constexpr bool durable = Durable;

    condense::reference name(std::string_view content) const {
        ++held->named;
        return tapes::name_of(content);
    }
    std::optional<std::string> get(condense::reference const& name) const {
        auto const position = held->kept.find(name);
        return position == held->kept.end() ? std::nullopt : std::optional{position->second};
    }
    condense::store_error put(condense::reference const& name, std::string_view content) const {
        ++held->puts;
        bool const throws_now = held->throws && (held->fails_at == 0 || held->puts == held->fails_at);
        if (throws_now) throw std::runtime_error{held->reason};
        if (held->fails || held->puts == held->fails_at || content.size() > held->room)
            return {std::string_view{held->reason}};
        held->room -= content.size();
        held->kept.emplace(name, content);
        held->contents.emplace_back(content);
        return {};
    }
};
using shelf = basic_shelf<true>;
using volatile_shelf = basic_shelf<false>;
static_assert(condense::artifact_store<shelf>);

// Models

/// For summaries, plans and facts.
struct model {
    using answer = condense::reply<std::string>;
    struct state {
        std::vector<condense::model_prompt> prompts = {};
        std::vector<condense::ask_limits> limits = {};
        std::vector<std::string> answers = {"They worked."};  ///< in turn; the last one again and again
        condense::provider_usage usage = {};
        condense::provider_error error = {};  ///< in place of an answer
        std::string throws = {};              ///< the words of an exception in place of an answer
        std::function<answer()> act = {};     ///< in place of all of these
    };
    std::shared_ptr<state> held = std::make_shared<state>();

    answer operator()(condense::model_prompt const& prompt, condense::ask_limits limits) const {
        held->prompts.push_back(prompt);
        held->limits.push_back(limits);
        if (held->act) return held->act();
        if (!held->throws.empty()) throw std::runtime_error{held->throws};
        if (held->error) return {.usage = held->usage, .error = held->error};
        auto const place = (std::min)(held->prompts.size(), held->answers.size()) - 1;
        return {.message = held->answers[place], .usage = held->usage};
    }
    std::size_t calls() const { return held->prompts.size(); }
    /// Instructions and data of a prompt as one text.
    std::string asked(std::size_t which = 0) const { return held->prompts.at(which).text(); }
};

inline model saying(std::vector<std::string> answers, condense::provider_usage usage = {}) {
    model made;
    made.held->answers = std::move(answers);
    made.held->usage = usage;
    return made;
}
inline model acting(std::function<model::answer()> act) {
    model made;
    made.held->act = std::move(act);
    return made;
}
inline model throwing(std::string words = "429 too many requests") {
    model made;
    made.held->throws = std::move(words);
    return made;
}

/// Answers with the number of the call.
struct with_number {
    int* asked;
    std::string operator()(std::string_view) const { return "answer " + std::to_string(++*asked); }
};

// Estimators

/// Fails for one text.
struct moody : per_byte {
    condense::cost operator()(std::string_view text) const {
        return text == "bad" ? throw std::runtime_error{"no"} : per_byte::operator()(text);
    }
};

// Options of a run

/// Nanoseconds.
struct clock {
    std::uint64_t* now = nullptr;
    std::uint64_t step = 0;
    condense::instant operator()() const noexcept { return {*now += step}; }
};
struct stop_flag {
    bool const* up = nullptr;
    bool stop_requested() const noexcept { return *up; }
};
struct no_keys {
    std::size_t operator()(std::string& text) const {
        std::size_t count = 0;
        for (auto at = text.find("KEY"); at != std::string::npos; at = text.find("KEY"), ++count)
            text.replace(at, 3, "***");
        return count;
    }
};

template <class... Events>
struct heard {
    std::vector<std::string>* lines;
    template <class Event>
        requires(sizeof...(Events) == 0 || (std::same_as<Event, Events> || ...))
    void operator()(Event const& event) const {
        lines->push_back(event.text());
    }
};

struct hook {
    struct state {
        std::vector<std::vector<int>> runs = {};  ///< index_of each message, a list for each call
        std::vector<std::uint64_t> numbers = {};
        std::vector<std::string> texts = {};
        std::function<std::string()> act = [] { return std::string{}; };  ///< returns why it has failed
    };
    std::shared_ptr<state> held = std::make_shared<state>();

    condense::failed operator()(auto const& leaving) const {
        auto& names = held->runs.emplace_back();
        for (std::size_t index = 0; index < leaving.size(); ++index)
            held->numbers.push_back(leaving.number(index).number);
        for (condense::chat_message const& m : leaving) {
            names.push_back(index_of(m));
            held->texts.push_back(words(m));
        }
        return {held->act()};
    }
};

template <class Problem>
[[noreturn]] void throw_nested(Problem problem) {
    try {
        throw problem;
    } catch (...) { std::throw_with_nested(std::runtime_error{"the transport failed"}); }
}

// Runs

inline condense::run_options<> with_marks() { return {.marks = true}; }

template <class Messages, class Mix, class Estimator = per_byte, class Options = condense::run_options<>>
auto reduced(Messages& messages, Mix const& mix, condense::budget limits = roomy, Options const& options = {},
             Estimator const& count = {}) {
    return condense::reduce(messages, mix, limits, count, options);
}
/// What a conversation becomes.
template <class Mix, class Estimator = per_byte, class Options = condense::run_options<>>
conversation after(conversation messages, Mix const& mix, condense::budget limits = roomy, Options const& options = {},
                   Estimator const& count = {}) {
    static_cast<void>(reduced(messages, mix, limits, options, count));
    return messages;
}

template <class Report>
std::string outcomes(Report const& report) {
    std::string out;
    for (auto const& entry : report.layers) out.append(out.empty() ? "" : " ").append(name(entry.outcome));
    return out;
}
inline std::string figures(condense::usage const& sums) {
    return std::to_string(sums.tokens.count) + " tokens, " + std::to_string(sums.messages.count) + " messages, " +
           std::to_string(sums.turns.count) + " turns";
}

/// Call it within a layer's reduce; how many it has dropped.
std::size_t drop(auto& draft, std::size_t most = ~std::size_t{0}) {
    std::size_t done = 0;
    for (auto const which : draft.groups()) {
        if (done == most) break;
        if (!draft.drop(which)) ++done;
    }
    return done;
}

// Conversations

struct round_form {
    std::size_t size = 400;      ///< of each result
    std::size_t answers = 0;     ///< letters of each answer; 0 for "ok"
    std::string tool = "read";
    bool asked = false;  ///< a question before each
};
/// Rounds of a call, its result and an answer, with the round's number in each; ids are the numbers.
inline conversation tool_rounds(std::size_t first, std::size_t count, round_form const& form = {}) {
    conversation all;
    for (auto round = first; round < first + count; ++round) {
        auto const id = std::to_string(round);
        if (form.asked) all.push_back(U("question " + id));
        all += {C(id, form.tool, R"({"path": "file)" + id + R"("})"), R(id, "result " + id + " " + letters(form.size)),
                A(form.answers == 0 ? "ok" : "answer " + id + " " + letters(form.answers, 'a'))};
    }
    return all;
}
/// Turns of words: "question 0 qqq", "answer 0 aaa".
inline conversation word_turns(std::size_t first, std::size_t count, std::size_t size = 90) {
    conversation all;
    for (auto turn = first; turn < first + count; ++turn)
        all += {U("question " + std::to_string(turn) + " " + letters(size, 'q')),
                A("answer " + std::to_string(turn) + " " + letters(size, 'a'))};
    return all;
}

}  // namespace fakes
