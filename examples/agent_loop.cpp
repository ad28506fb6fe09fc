// SPDX-License-Identifier: BSL-1.0

// What does an agent send that keeps its conversation in a session? Replays recorded conversations message by
// message: agent_loop [--window N]... [--requests FILE] PATH...

#include <exception>
#include <iostream>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>

#include "check.hpp"
#include "recording.hpp"

namespace {

using namespace condense::literals;
using condense::used;
using recording::json;

/// Before each answer that was recorded an agent has sent a request.
void replay(std::filesystem::path const& path, json::array_t const& recorded, condense::budget limits,
            recording::request_log& log) {
    condense::pipeline const mix{
        condense::compress{.when = used >= 65_pct, .over = condense::chars{limits.window.count / 2}},
        condense::summarize{.when = used >= 80_pct}, condense::sliding_window{.when = used >= 90_pct},
        condense::escalate{.when = used >= 90_pct, .ceiling = 100_pct}};
    condense::session session{json::array_t{}, mix, limits};
    condense::session whole{json::array_t{}, condense::pipeline{}, limits};  // as without the library
    recording::sums all;
    for (auto const& m : recorded) {
        if (condense::role_of(m) == condense::role::assistant && !session.history().empty()) {
            auto report = session.prepare();
            if (!session.used().fits()) report = session.run();  // says what can not be reduced
            log.note(path, session, report.outcome, report.floor);
            auto const now = session.used();
            check(now.fits() || report.outcome == condense::outcome::exhausted);
            now.fits() ? all.add(now.tokens.count, whole.used().tokens.count) : all.refuse(report.floor.count);
        }
        session.push(m);
        whole.push(m);
    }
    check(all.peak <= limits.input().count && all.sent <= all.otherwise);
    std::cout << path.filename().string() << " in " << limits.window.count << ": " << session.statistics().changed
              << " reductions, " << all.text() << '\n';
}

}  // namespace

int main(int count, char** arguments) try {
    auto const chosen = recording::read_arguments(count, arguments);
    recording::request_log log{chosen.requests};
    for (auto const& path : chosen.files)
        for (auto const window : chosen.windows) {
            auto document = recording::read_document(path);
            condense::budget const limits{.window = window,
                                          .overhead = condense::overhead_of(document, condense::default_estimator<>{})};
            replay(path, *condense::messages_of(document), limits, log);
        }
} catch (std::exception const& problem) {
    std::cerr << "agent_loop: " << problem.what() << '\n';
    return 2;
}
