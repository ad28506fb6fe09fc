// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <optional>

#include <condense/condense.hpp>
#include <condense/preset/planned.hpp>
#include <condense/preset/recommended.hpp>
#include <condense/shorteners.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"

// What a reduction costs: it reads messages that are live or new, however many have left. Counts, no times. Sessions
// over the program's container are left to the benchmarks: builds with assertions look at all of its messages.

namespace {

std::uint64_t reads = 0;
std::uint64_t touched = 0;  ///< parts shown, copied or edited

/// A message that counts how often it is read, and what that and its copies cost.
struct counted {
    condense::chat_message m;

    counted(condense::chat_message from) : m{std::move(from)} {}
    counted(counted const& other) : m{other.m} { touched += m.parts.size(); }
    counted(counted&&) = default;
    counted& operator=(counted const&) = default;
    counted& operator=(counted&&) = default;
};

}  // namespace

template <>
struct condense::message_traits<counted> {
    using plain = condense::message_traits<condense::chat_message>;

    static role role_of(counted const& c) { return plain::role_of(c.m); }
    static void each_part(counted const& c, auto&& sink) {
        ++reads;
        touched += c.m.parts.size();
        plain::each_part(c.m, sink);
    }
    static counted with_part(counted const& c, std::size_t index, std::string text) {
        return touched += c.m.parts.size(), counted{condense::with_part(c.m, index, std::move(text))};
    }
    static counted without_part(counted const& c, std::size_t index) {
        return touched += c.m.parts.size(), counted{condense::without_part(c.m, index)};
    }
    static void with_edits(counted& c, auto const& edits) {
        touched += c.m.parts.size(), plain::with_edits(c.m, edits);
    }
    static counted make(role speaker, std::string text) { return {plain::make(speaker, std::move(text))}; }
    static counted make_result(counted const& c, part_view const& call, std::string text) {
        return {plain::make_result(c.m, call, std::move(text))};
    }
    static std::string to_bytes(counted const& c) { return ++reads, plain::to_bytes(c.m); }
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
    using namespace condense;
    SECTION("drops") {
        check_growth([&] { return pipeline{record{.to = journal()}, sliding_window{}}; });
    }
    SECTION("shortens") {
        check_growth([] { return pipeline{compress{.over = 500_chars}, sliding_window{}}; });
    }
    SECTION("stores, mends, escalates") {
        check_growth([&] {
            return pipeline{offload{.over = 500_chars, .preview = head{100_chars}, .into = store()},
                            drop_superseded{.transient = tools("read_file")}, repair{}, sliding_window{}, escalate{}};
        });
    }
    SECTION("summarises") {
        check_growth([&] { return pipeline{summarize{.with = model}}; });
    }
    SECTION("planned") {
        check_growth([&] { return presets::planned(journal(), store()); });
    }
    SECTION("recommended") {
        check_growth([&] { return presets::recommended(journal(), store(), model); });
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

namespace {

/// n parts in one message, n calls with or without ids, and so on: what a reduction of them touches.
template <class Make, class Mix>
std::uint64_t touched_by(Make const& make, Mix const& mix, std::size_t parts) {
    std::vector<counted> history;
    for (auto& m : make(parts)) history.emplace_back(std::move(m));
    touched = 0;
    auto const report = condense::reduce(history, mix, {.window = 1'000'000'000_tokens});
    CHECK(report.changed());
    return touched;
}

std::vector<condense::chat_message> around(condense::chat_message first, condense::chat_message second) {
    return {U("go"), std::move(first), std::move(second), A("done")};
}
condense::chat_message many(std::size_t count, auto const& make) {
    auto m = make(std::size_t{0});
    for (std::size_t number = 1; number < count; ++number) m = joined(std::move(m), make(number));
    return m;
}
condense::chat_message calls(std::size_t count, bool ids = true) {
    return many(count, [&](std::size_t number) { return C(ids ? std::to_string(number) : ""); });
}
condense::chat_message results(std::size_t count, bool ids = true) {
    return many(count, [&](std::size_t number) { return R(ids ? std::to_string(number) : "", letters(300)); });
}

/// Eight times as many parts cost eight times as much.
template <class Make, class Mix>
void check_parts(Make const& make, Mix const& mix) {
    auto const few = touched_by(make, mix, 50);
    auto const more = touched_by(make, mix, 400);
    CAPTURE(few, more);
    CHECK(more <= few * 8);
}

}  // namespace

TEST_CASE("parts of one message cost their number", "[cost]") {
    condense::pipeline const pairs{condense::repair{}};
    SECTION("results") {
        check_parts([](std::size_t n) { return around(calls(n), results(n)); },
                    condense::pipeline{condense::compress{
                        .when = condense::always, .over = 100_chars, .with = condense::head{50_chars}}});
    }
    SECTION("results without a call") {
        check_parts([](std::size_t n) { return around(C("c"), joined(R("c"), results(n))); }, pairs);
    }
    SECTION("repeated results") {
        check_parts(
            [](std::size_t n) {
                auto all = around(calls(n), results(n));
                all.insert(all.end() - 1, results(n));
                return all;
            },
            pairs);
    }
    SECTION("calls without a result") {
        check_parts([](std::size_t n) { return around(calls(n), U("leave it")); }, pairs);
    }
    SECTION("images") {
        check_parts(
            [](std::size_t n) {
                auto const image = [](std::size_t) {
                    return condense::chat_message{.parts = {{.kind = condense::part_kind::media,
                                                             .text = "image/png",
                                                             .sealed = true,
                                                             .cost = condense::cost::of(1'600_tokens)}}};
                };
                auto all = around(A("what?"), joined(U("see"), many(n, image)));
                all.push_back(U("go on"));
                return all;
            },
            condense::pipeline{condense::compress{.when = condense::always, .with = condense::media_note{}}});
    }
}
