// SPDX-License-Identifier: BSL-1.0
#pragma once

// Right code that the tables share, precompiled.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/json.hpp>
#include <condense/adapt/ranges.hpp>
#include <condense/condense.hpp>
#include <condense/core/any_pipeline.hpp>
#include <condense/replay.hpp>
#include <condense/shorteners.hpp>

using namespace condense;
using namespace condense::literals;

using talk = std::vector<chat_message>;

template <class Message = chat_message, class... Layers>
int run(Layers const&... layers) {
    std::vector<Message> history;
    static_cast<void>(condense::reduce(history, pipeline{layers...}, {.window = {1'000}}));
    return 0;
}

/// A layer that does what `act` says, and declares `Effects`.
template <auto Effects, class Act>
struct layer_that {
    static constexpr auto effects = Effects;
    Act act;
    void reduce(auto& draft, auto& pass) const { act(draft, pass); }
};

template <auto Effects, class Act>
int run_as(Act act) {
    return run(layer_that<Effects, Act>{act});
}

void every_part(auto& draft, auto&& f) {
    for (auto const which : draft.groups()) draft.each_part_of(which, f);
}

struct some_store {
    reference name(std::string_view) const { return {}; }
    std::optional<std::string> get(reference const&) const { return std::nullopt; }
    store_error put(reference const&, std::string_view) const { return {}; }
};

struct some_journal {
    reference name(std::string_view) const { return {}; }
    store_error append(std::string_view, journal_entry const&, std::string_view) const { return {}; }
    store_error flush(std::string_view) const { return {}; }
    store_error read(std::string_view, auto&&) const { return {}; }
};

/// Fields of messages, and traits with which they can only be read, for others to derive from.
struct line {
    role speaker = role::user;
    std::string text;
};
template <class Message>
struct reads {
    static role role_of(Message const& m) { return m.speaker; }
    static void each_part(Message const& m, auto&& sink) { sink(part_view{.text = m.text}); }
};
