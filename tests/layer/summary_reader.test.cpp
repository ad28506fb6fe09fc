// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/summary_reader.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <condense/condense.hpp>
#include <condense/shorteners.hpp>
#include <condense/store/memory_journal.hpp>

#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::earlier_summary;
using condense::layer_outcome;
using condense::summarize;
using condense::used;

/// Remembers its prompts, and answers with their number.
struct model {
    std::vector<condense::model_prompt>* prompts;
    std::string operator()(condense::model_prompt const& prompt) const {
        prompts->push_back(prompt);
        return "summary " + std::to_string(prompts->size());
    }
};

template <class Mix>
auto session_of(Mix const& mix, condense::tokens window = 20'000_tokens) {
    return condense::session{conversation{S("rules"), U("the task")}, mix, condense::budget{.window = window},
                             per_byte{}};
}

void push_rounds(auto& session, int first, int count) {
    for (int round = first; round < first + count; ++round) {
        auto const id = std::to_string(round);
        session.push(C(id, "read", R"({"path": "file)" + id + R"("})"));
        session.push(R(id, "line " + id + ". " + letters(400)));
        session.push(A("read file " + id));
    }
}

bool holds(std::string const& text, std::string_view words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("summary_reader: an earlier summary is updated, or what it stands for read again") {
    for (auto const earlier : {earlier_summary::update, earlier_summary::reread}) {
        CAPTURE(earlier == earlier_summary::reread);
        std::vector<condense::model_prompt> prompts;
        auto session = session_of(condense::pipeline{summarize{
            .when = condense::always, .protect = condense::task, .with = model{&prompts}, .earlier = earlier}});
        push_rounds(session, 0, 4);
        static_cast<void>(session.run());
        push_rounds(session, 4, 4);
        static_cast<void>(session.run());
        REQUIRE(prompts.size() == 2);
        bool const reread = earlier == earlier_summary::reread;
        CHECK(holds(prompts[1].data, "[earlier summary] ") == !reread);
        CHECK(holds(prompts[1].data, "summary 1") == !reread);
        CHECK(holds(prompts[1].data, "line 0. ") == reread);
        CHECK(holds(prompts[1].data, "line 3. ") == reread);
        CHECK(holds(prompts[1].data, "line 4. "));
        CHECK_FALSE(holds(prompts[1].data, "the task"));  // it stays
        if (reread) CHECK(prompts[1].data.find("line 0. ") < prompts[1].data.find("line 5. "));
    }
}

TEST_CASE("summary_reader: originals that do not fit, or are gone, are not read again") {
    for (bool const release : {false, true}) {
        std::vector<condense::model_prompt> prompts;
        condense::memory_journal journal;
        auto session = session_of(condense::pipeline{condense::record{.to = journal},
                                                     summarize{.when = condense::always,
                                                               .protect = condense::task,
                                                               .reads = release ? 50'000_tokens : 3'000_tokens,
                                                               .with = model{&prompts},
                                                               .earlier = earlier_summary::reread}});
        push_rounds(session, 0, 4);
        static_cast<void>(session.run());
        if (release) CHECK(session.release(condense::sequence{8}) > 0);
        push_rounds(session, 4, 3);
        static_cast<void>(session.run());
        REQUIRE(prompts.size() >= 2);
        CHECK(holds(prompts.back().data, "[earlier summary] "));
        CHECK_FALSE(holds(prompts.back().data, "line 0. "));
    }
}

TEST_CASE("summary_reader: what a model reads is shortened, and the conversation is not") {
    std::vector<condense::model_prompt> prompts;
    auto session = session_of(condense::pipeline{summarize{
        .when = condense::always,
        .protect = condense::task,
        .with = model{&prompts},
        .input = condense::first_of(condense::json_sample{}, condense::head_tail{.head = 50_chars, .tail = 50_chars}),
        .input_over = 200_chars}});
    session.push(C("1", "list"));
    session.push(R("1", "begin " + letters(3'000) + " end"));
    session.push(A(letters(300)));
    session.push(U("latest"));
    static_cast<void>(session.run());
    REQUIRE(prompts.size() == 1);
    CHECK(prompts[0].data.size() < 800);
    CHECK(holds(prompts[0].data, "begin "));
    CHECK(holds(prompts[0].data, " end"));
    CHECK(holds(prompts[0].data, letters(300)));  // no result: the shortener is for those
    CHECK(holds(prompts[0].data, "[assistant tool call list] "));
    CHECK(session.undo());
    CHECK(text_of(session.history()[3]).size() > 3'000);
}
