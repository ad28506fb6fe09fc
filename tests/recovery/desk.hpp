// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "support/mixes.hpp"

/// A session that records, stores and drops, and what was pushed.
struct desk {
    condense::memory_store store = condense::memory_store{};
    condense::memory_journal journal = condense::memory_journal{};
    notation::conversation all = {};
    std::vector<std::string> results = {};

    auto open(std::string conversation = "logs") const {
        return condense::session{notation::conversation{}, mixes::keeping(journal, store),
                                 condense::budget{.window = {8'000}}, condense::default_estimator<>{},
                                 condense::run_options{.conversation = std::move(conversation)}};
    }
    void push(auto& session, notation::conversation const& messages) {
        for (auto const& m : messages) {
            session.push(m);
            all.push_back(m);
        }
    }
    void work(auto& session, int from, int to) {
        using namespace notation;
        for (int turn = from; turn < to; ++turn) {
            auto const id = std::to_string(turn);
            results.push_back(letters(static_cast<std::size_t>(turn * 50)) + " result " + id);
            push(session, {U("turn " + id), C(id, "shell"), R(id, results.back()), A("done " + id)});
            static_cast<void>(session.prepare());
        }
    }
};

/// Takes all that is in the session out of memory, and returns how many messages.
std::size_t release_all(auto& session) { return session.release(condense::sequence{session.outline().size()}); }
