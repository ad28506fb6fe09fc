// SPDX-License-Identifier: BSL-1.0

// Plans as a model writes them, read and carried out over artifacts of choice: the context keeps to its budget, each
// artifact has one record and at most one fence, what is included whole is there whole, and it comes out the same
// again.

#include <condense/detail/utf8.hpp>
#include <condense/plan/context.hpp>
#include <condense/plan/model_planner.hpp>

#include "fuzz/fuzz.hpp"
#include "plan/shelf.hpp"

namespace {

using condense::strategy;

std::size_t count(std::string_view text, std::string_view word) {
    std::size_t times = 0;
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++times;
    return times;
}

void check_plan(std::string_view answer) {
    auto const plan = condense::detail::plan_reader::read(answer);
    fuzz::require(plan.decisions.size() <= condense::detail::plan_reader::most_decisions, "a plan is bounded");
    fuzz::require(!plan.decisions.empty() || plan.faults.malformed != 0 || answer.find("\"decisions\"") != answer.npos,
                  "what is no plan is malformed");
    for (auto const& each : plan.decisions) {
        fuzz::require(!each.artifact.empty(), "a decision is about something");
        fuzz::require(each.priority >= 1 && each.priority <= condense::last_priority, "priorities are in their range");
        for (auto const* const text : {&each.about, &each.reason})
            fuzz::require(condense::detail::utf8::valid(*text) && text->find('\n') == text->npos &&
                              condense::detail::utf8::count(*text) <= condense::detail::preview_points,
                          "words of a model are short, and on one line");
    }
}

/// Answers with the same whatever it is asked.
struct parrot {
    std::string_view words;
    std::string operator()(condense::model_prompt const&) const { return std::string{words}; }
};

void check_context(byte_source& bytes) {
    shelf::listed<> shelf;
    shelf::numbers random{bytes.below(65'536)};
    std::vector<std::string> texts;
    for (auto left = 1 + bytes.below(5); left != 0; --left) {
        texts.push_back(shelf::any_text(random, 1'500));
        if (bytes.chance(10)) shelf.lost(texts.back(), {.id = "d" + std::to_string(texts.size()), .source = "lost"});
        else if (bytes.chance(50)) shelf.document(texts.back(), shelf::any_text(random, 60));
        else
            shelf.result(texts.back(), {.id = "r" + std::to_string(texts.size()) + ".0",
                                        .source = shelf::any_text(random, 60),
                                        .error = bytes.chance(20)});
    }
    condense::context_request const wanted{
        .question = bytes.text(60), .goal = bytes.text(20), .budget = {bytes.below(6'000)}};
    bool const summarizes = bytes.chance(50);
    auto const summary = bytes.text(200);
    auto const plan = bytes.rest();
    auto const make = [&] {
        if (summarizes)
            return condense::plan_context{.with = condense::model_planner{parrot{plan}}, .summaries = parrot{summary}}(
                shelf.list, wanted);
        return condense::plan_context{.with = condense::model_planner{parrot{plan}}, .summaries = parrot{" "}}(
            shelf.list, wanted);
    };
    auto const made = make();
    fuzz::require(made.used <= wanted.budget, "the context keeps to its budget");
    fuzz::require(made.used.count == made.text.size(), "it costs what it says");
    fuzz::require(condense::detail::utf8::valid(made.text), "it is UTF-8");
    fuzz::require(made.text == make().text, "it comes out the same again");
    fuzz::require(made.records.size() == texts.size(), "a record for each artifact");
    std::size_t whole = 0, unnamed = 0, lines = 0;
    for (std::size_t index = 0; index < texts.size(); ++index) {
        auto const& record = made.records[index];
        fuzz::require(record.id == shelf.list.all()[index].id, "in their order");
        bool const nameless = record.after.count == 0;
        unnamed += nameless ? 1u : 0u;
        if (record.done == strategy::exclude) {
            lines += nameless ? 0u : 1u;
            continue;
        }
        ++whole;
        if (record.done != strategy::include_full) continue;
        std::string content;
        condense::detail::append_neutral(content, condense::detail::utf8::scrubbed_copy(texts[index]));
        fuzz::require(made.text.find(content) != std::string::npos, "what is included whole is there");
    }
    fuzz::require(count(made.text, "\n</artifact>\n") == whole, "each that is included is fenced once");
    fuzz::require(count(made.text, "<artifact id=") == whole + lines, "and nothing else looks like a fence");
    fuzz::require(made.unnamed == unnamed, "it is said how many have no room");
    fuzz::require(made.unnamed == 0 || made.text.empty() || made.text.ends_with(" more, left out\"/>\n"),
                  "in the text as well");
}

}  // namespace

fuzz::corpus fuzz::make_corpus() {
    corpus made{.words = listed("plan", "words"), .mutations = 8'000};
    auto const plans = listed("plan", "plans");
    made.add(std::string(1, '\0'), plans);
    for (auto const& choices : random_seeds(12, 4))
        made.add("\1" + choices + std::string(48 - choices.size(), '\x20'), plans);
    return made;
}

void fuzz::try_input(byte_source bytes) {
    if (bytes.below(256) % 2 == 0) check_plan(bytes.rest());
    else check_context(bytes);
}
