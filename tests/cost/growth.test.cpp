// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/condense.hpp>
#include <condense/preset/recommended.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"

// What a reduction costs: it reads messages that are live or new, however many have left. Counts, no times. Sessions
// over the program's container are left to the benchmarks: builds with assertions look at all of its messages.

namespace {

std::uint64_t reads = 0;

/// A message that counts how often it is read.
struct counted {
    condense::chat_message m;
};

}  // namespace

template <>
struct condense::message_traits<counted> {
    using plain = condense::message_traits<condense::chat_message>;

    static role role_of(counted const& c) { return plain::role_of(c.m); }
    static void each_part(counted const& c, auto&& sink) {
        ++reads;
        plain::each_part(c.m, sink);
    }
    static counted with_part(counted const& c, std::size_t index, std::string text) {
        return {condense::with_part(c.m, index, std::move(text))};
    }
    static counted without_part(counted const& c, std::size_t index) { return {condense::without_part(c.m, index)}; }
    static counted make(role speaker, std::string text) { return {plain::make(speaker, std::move(text))}; }
    static counted make_result(counted const& c, part_view const& call, std::string text) {
        return {plain::make_result(c.m, call, std::move(text))};
    }
    static std::string to_bytes(counted const& c) {
        ++reads;
        return plain::to_bytes(c.m);
    }
    static std::optional<counted> from_bytes(std::string_view bytes) {
        auto m = plain::from_bytes(bytes);
        return m ? std::optional<counted>{counted{std::move(*m)}} : std::nullopt;
    }
};

namespace {

using namespace condense::literals;
using namespace notation;

counted message_at(std::size_t index) {
    auto const round = std::to_string(index / 4);
    switch (index % 4) {
        case 0: return {U("Please look at file " + round + ".")};
        case 1: return {C(round, "read_file", R"({"path":"src/)" + round + R"(.cpp"})")};
        case 2: return {R(round, letters(index % 40 == 2 ? 6'000 : 700))};
        default: return {A("The file " + round + " has been read.")};
    }
}

struct readings {
    double most = 0;  ///< of one turn, for each message that was live or new
    std::size_t reductions = 0;
};

template <class Mix>
readings read_by(Mix const& mix, std::size_t messages, bool releases) {
    readings result;
    condense::session session{std::vector<counted>{}, mix, {.window = 4'000_tokens}};
    std::size_t live = 0;
    reads = 0;
    for (std::size_t index = 0; index < messages; ++index) {
        session.push(message_at(index));
        ++live;
        if (index % 4 != 0) continue;
        bool const changed = session.prepare().changed();
        for (auto const& m : session.request()) static_cast<void>(m);
        result.most = (std::max)(result.most, static_cast<double>(reads) / static_cast<double>(live));
        reads = 0;
        result.reductions += changed ? 1u : 0u;
        live = session.request().size();
        if constexpr (condense::recoverable<Mix>)
            if (releases) session.release(condense::sequence{index + 1});
    }
    return result;
}

/// With eight times as many messages, no reduction reads the live ones more often.
template <class Make>
void check_growth(Make const& make) {
    for (bool const releases : {false, true}) {
        auto const few = read_by(make(), 400, releases);
        auto const many = read_by(make(), 3'200, releases);
        CAPTURE(releases, few.most, many.most);
        CHECK(few.reductions > 3);
        CHECK(many.reductions >= few.reductions * 7);
        CHECK(many.most <= few.most * 1.1);
    }
}

}  // namespace

TEST_CASE("a reduction reads what is live, not what has been", "[cost]") {
    auto const journal = [] { return condense::memory_journal{}; };
    auto const store = [] { return condense::memory_store{}; };
    auto const model = [](std::string const&) { return std::string{"Files were read, one after another."}; };
    SECTION("record, sliding_window") {
        check_growth([&] { return condense::pipeline{condense::record{.to = journal()}, condense::sliding_window{}}; });
    }
    SECTION("compress, sliding_window") {
        check_growth(
            [] { return condense::pipeline{condense::compress{.over = 500_chars}, condense::sliding_window{}}; });
    }
    SECTION("offload, drop_superseded, repair, sliding_window, escalate") {
        check_growth([&] {
            return condense::pipeline{
                condense::offload{.over = 500_chars, .preview = condense::head{100_chars}, .into = store()},
                condense::drop_superseded{.transient = condense::tools("read_file")}, condense::repair{},
                condense::sliding_window{}, condense::escalate{}};
        });
    }
    SECTION("summarize") {
        check_growth([&] { return condense::pipeline{condense::summarize{.with = model}}; });
    }
    SECTION("recommended") {
        check_growth([&] { return condense::presets::recommended(journal(), store(), model); });
    }
}

TEST_CASE("a message of many parts is read as often as one of few", "[cost]") {
    auto const reads_of = [](std::size_t parts) {
        auto calls = C("call 0");
        auto results = joined(R("call 0", letters(1'000)), R("of no call"));
        for (std::size_t part = 1; part < parts; ++part) {
            auto const id = "call " + std::to_string(part);
            calls = joined(std::move(calls), C(id));
            results = joined(std::move(results), joined(R(id, letters(1'000)), R("of no call " + id)));
        }
        std::vector<counted> history{{U("go")}, {std::move(calls)}, {std::move(results)}, {A("done")}};
        condense::pipeline const mix{
            condense::repair{},
            condense::compress{.when = condense::always, .over = 200_chars, .with = condense::head{100_chars}}};
        reads = 0;
        auto const report = condense::reduce(history, mix, {.window = 10'000'000_tokens});
        CHECK(report.layers[1].parts_shortened == parts);
        CHECK(history[2].m.parts.size() == parts);
        return reads;
    };
    auto const few = reads_of(50);
    CHECK(few < 30);
    CHECK(reads_of(400) == few);
}
