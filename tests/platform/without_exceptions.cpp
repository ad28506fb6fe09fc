// SPDX-License-Identifier: BSL-1.0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <source_location>

#include <condense/condense.hpp>
#include <condense/shorteners.hpp>
#if __has_include(<xxhash.h>)
#include <condense/store/memory.hpp>
#endif
#if __has_include(<nlohmann/json.hpp>)
#include <condense/adapt/json.hpp>
#endif

#include "support/notation.hpp"

// The library where exceptions and run-time type information are switched off: every layer does its
// work, and every failure is a value.

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "this program is to be compiled with -fno-exceptions -fno-rtti"
#endif

namespace {

using namespace condense::literals;
using namespace notation;
using condense::always, condense::compress, condense::headroom, condense::layer_outcome;
using condense::outcome, condense::pipeline, condense::reduce, condense::sliding_window, condense::store_error;
using condense::summarize, condense::used;

int failures = 0;

void expect(bool holds, std::source_location const at = std::source_location::current()) {
    if (holds) return;
    std::fprintf(stderr, "%s:%u: does not hold\n", at.file_name(), at.line());
    ++failures;
}

std::string lines(std::size_t count) {
    std::string out;
    for (std::size_t line = 0; line < count; ++line) out += "line " + std::to_string(line) + "\n";
    return out;
}

/// Ten turns, each with a call and a result of `size` lines.
conversation make_history(std::size_t size) {
    conversation all{S("Be brief.")};
    for (int turn = 0; turn < 10; ++turn) {
        auto const id = "call_" + std::to_string(turn);
        all += {U("Read file " + std::to_string(turn) + "."), C(id, "read_file", "{\"path\":\"src/f.cpp\"}"),
                R(id, lines(size) + id), A("Done, it holds " + std::to_string(size) + " lines.")};
    }
    return all;
}

bool contains(conversation const& all, std::string_view text) {
    return std::any_of(all.begin(), all.end(), [&](auto const& m) { return words(m).find(text) != std::string::npos; });
}

/// Keeps nothing, and says so.
struct full_store {
    condense::reference name(std::string_view) const { return {{1}}; }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
    store_error put(condense::reference const&, std::string_view) const { return {"disk full"}; }
};

/// Drops all it may.
struct drop_all {
    static constexpr auto effects = condense::drops;
    void reduce(auto& draft, auto& pass) const {
        for (auto const group : draft.groups()) pass.note(draft.drop(group));
    }
};

/// Then says that it could not do its work.
struct giving_up : drop_all {
    condense::failed reduce(auto& draft, auto& pass) const {
        drop_all::reduce(draft, pass);
        return {"no luck"};
    }
};

void shortens() {
    auto all = make_history(200);
    pipeline const mix{compress{.when = used >= 10_pct || headroom < 100_tokens,
                                .until = used <= 5_pct,
                                .protect = condense::last(1_turns) | condense::errors | condense::tools("shell_*"),
                                .worth = condense::at_least(10_tokens),
                                .over = 300_chars,
                                .with = condense::head_tail{.head = 3_lines, .tail = 100_chars}}};
    auto const made = reduce(all, mix, {.window = 20'000_tokens}, per_byte{});
    expect(made.fits() && made.layers[0].outcome == layer_outcome::applied && made.layers[0].parts_shortened == 9);
    expect(contains(all, "[... ") && all[3].parts[0].text.size() < 1'000 && all[39].parts[0].text.size() > 1'000);
    expect(made.text().find("compress        applied") != std::string::npos);

    auto const again = reduce(all, mix, {.window = 20'000_tokens}, per_byte{});
    expect(!again.changed());
}

void stores() {
    auto all = make_history(200);
    auto const before = all;
    pipeline const failing{
        condense::offload{.over = 300_chars, .preview = condense::head{100_chars}, .into = full_store{}}};
    auto const refused = reduce(all, failing, {.window = 20'000_tokens}, per_byte{});
    expect(!refused.changed() && all == before && refused.layers[0].outcome == layer_outcome::failed);
    expect(refused.layers[0].failures != 0 && std::string_view{refused.layers[0].note} == "disk full");
#if __has_include(<xxhash.h>)
    condense::memory_store const store;
    pipeline const mix{condense::offload{.over = 300_chars, .preview = condense::tail{100_chars}, .into = store}};
    auto const made = reduce(all, mix, {.window = 20'000_tokens}, per_byte{});
    expect(made.layers[0].outcome == layer_outcome::applied && made.layers[0].artifacts == 10 && store.size() == 10);
    auto const name = store.name(before[3].parts[0].text);
    expect(store.get(name) == before[3].parts[0].text && contains(all, name.text()));
    expect(store.put(name, "something else") && !store.get(condense::reference{{9}}));
#endif
}

void summarizes() {
    auto all = make_history(20);
    auto const before = all;
    auto const limits = condense::budget{.window = 4'000_tokens, .output = 500_tokens, .overhead = 100_tokens};

    auto const silent = [](std::string_view) { return std::string{}; };
    pipeline const failing{summarize{.when = used >= 50_pct, .with = silent}};
    auto const nothing = reduce(all, failing, limits, per_byte{});
    expect(all == before && nothing.layers[0].outcome == layer_outcome::failed && nothing.layers[0].asked == 1);
    expect(std::string_view{nothing.layers[0].note} == "empty summary");

    auto const wordy = [](std::string_view prompt) { return std::string{prompt} + std::string{prompt}; };
    pipeline const longer{summarize{.when = used >= 50_pct, .with = wordy}};
    auto const larger = reduce(all, longer, limits, per_byte{});
    expect(all == before && larger.layers[0].outcome == layer_outcome::failed);

    auto by_rule = before;
    pipeline const rule{summarize{.when = used >= 50_pct}};
    auto const ruled = reduce(by_rule, rule, limits, per_byte{});
    expect(ruled.layers[0].outcome == layer_outcome::applied && ruled.layers[0].asked == 0);
    expect(contains(by_rule, "<summary>\n") && contains(by_rule, "Tools used: read_file"));

    auto const model = [](std::string_view, condense::ask_limits how) {
        return how.answer.count != 0 ? std::string{"Nine files were read."} : std::string{};
    };
    pipeline const mix{summarize{.when = used >= 50_pct, .protect = condense::newest(500_tokens), .with = model}};
    auto const made = reduce(all, mix, limits, per_byte{});
    expect(made.fits() && made.layers[0].outcome == layer_outcome::applied && made.layers[0].asked == 1);
    expect(contains(all, "Nine files were read.") && all.size() < before.size());
}

void drops_and_escalates() {
    auto all = make_history(20);
    pipeline const window{sliding_window{.when = used > 20_messages, .until = used <= 10_messages}};
    auto const made = reduce(all, window, {.window = 100'000_tokens}, per_byte{});
    expect(made.layers[0].outcome == layer_outcome::applied && all.size() <= 10);
    expect(all[0] == S("Be brief."));

    all = make_history(60);
    pipeline const mix{
        compress{.when = used >= 90_pct, .over = 400_chars},
        pipeline{sliding_window{.when = used >= 95_pct,
                                .protect = condense::task | condense::at_most(98_pct, condense::last(98_pct))}},
        condense::escalate{.when = used >= 90_pct, .passes = 3, .within = std::chrono::seconds{30}}};
    auto const pressed = reduce(all, mix, {.window = 1'700_tokens}, per_byte{});
    expect(pressed.outcome == outcome::fits && pressed.fits() && pressed.layers[2].outcome == layer_outcome::applied);

    all = make_history(60);
    auto const floor = reduce(all, mix, {.window = 20_tokens}, per_byte{});
    expect(floor.outcome == outcome::exhausted && !floor.fits() && floor.floor == floor.after.tokens);
    expect(floor.text().find("floor: ") != std::string::npos);
}

void own_layers() {
    auto all = make_history(20);
    auto const before = all;
    pipeline const failing{giving_up{}};
    auto const given_up = reduce(all, failing, {.window = 1'000_tokens}, per_byte{});
    expect(all == before && !given_up.changed() && given_up.layers[0].outcome == layer_outcome::failed);
    expect(std::string_view{given_up.layers[0].note} == "no luck" && given_up.layers[0].name == "giving_up");

    pipeline const mix{giving_up{}, drop_all{}};
    auto const made = reduce(all, mix, {.window = 1'000_tokens}, per_byte{});
    expect(made.layers[0].outcome == layer_outcome::failed && made.layers[1].outcome == layer_outcome::applied &&
           all.size() < before.size());
}

void other_histories() {
    auto const fixed = make_history(200);
    pipeline const mix{compress{.when = always, .over = 300_chars, .with = condense::head{100_chars}}};
    auto const reduced = reduce(fixed, mix, {.window = 20'000_tokens});
    std::size_t seen = 0;
    reduced.each([&](chat_message const& m) { seen += m.parts.size(); });
    expect(seen == fixed.size() && reduced.fits() && reduced.report().layers[0].parts_shortened == 10);
    auto const dry = mix.draft(fixed, {.window = 20'000_tokens}, condense::char_ratio<condense::family::claude>{});
    expect(dry.report().layers[0].parts_shortened == 10);

    auto const whole = make_history(200);
    std::deque<chat_message> queue(whole.begin(), whole.end());
    expect(reduce(queue, mix, {.window = 20'000_tokens}).changed() && queue.size() == whole.size());

    auto const is_gpt = condense::with_family(
        "gpt-4o", [](auto family) { return std::is_same_v<decltype(family), condense::family::gpt>; });
    expect(is_gpt);
}

void sessions() {
    pipeline const mix{compress{.when = always, .over = 300_chars, .with = condense::head{100_chars}}, giving_up{},
                       sliding_window{.when = used >= 80_pct}, condense::escalate{.when = used >= 80_pct}};
    condense::session session{conversation{}, mix, condense::budget{.window = 1'500_tokens}, per_byte{}};
    int reductions = 0;
    for (auto const& m : make_history(60))
        if (session.push(m)) {
            auto const made = session.prepare();
            reductions += made.changed() ? 1 : 0;
            expect(made.layers[1].runs == 0 || made.layers[1].outcome == layer_outcome::failed);
        }
    std::size_t sent = 0, bytes = 0;
    for (chat_message const& m : session.request()) {
        ++sent;
        for (auto const& part : m.parts) bytes += part.text.size();
    }
    expect(reductions > 1 && sent == session.used().messages.count && bytes == session.used().tokens.count);
    expect(session.used().fits() && session.history() == make_history(60));
}

void documents() {
#if __has_include(<nlohmann/json.hpp>)
    auto parsed = condense::parse_json<nlohmann::json>(
        R"([{"role":"user","content":"Read it."},
            {"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"read","arguments":"{}"}}]},
            {"role":"tool","tool_call_id":"c","content":"x"},{"role":"assistant","content":"Done."}])");
    expect(parsed.error.empty());
    auto& all = parsed.value.get_ref<nlohmann::json::array_t&>();
    all[2]["content"] = lines(200);
    pipeline const mix{compress{.when = always, .over = 300_chars, .with = condense::tail{100_chars}}};
    auto const made = reduce(all, mix, {.window = 20'000_tokens});
    expect(made.layers[0].parts_shortened == 1 && all[2]["content"].get_ref<std::string const&>().size() < 300 &&
           all[2]["tool_call_id"] == "c");
    expect(!condense::parse_json<nlohmann::json>("[{").error.empty());
#endif
}

/// The end of the program where an exception would say that a configuration cannot work.
void terminates() {
    std::set_terminate([] { std::_Exit(failures == 0 ? 0 : 1); });
    auto const goal = condense::percent{static_cast<std::uint32_t>(9'500 + failures)};
    pipeline const wrong{sliding_window{.when = used >= 90_pct, .until = used <= goal}};
    static_cast<void>(wrong);
    std::fputs("an invalid configuration was taken\n", stderr);
    std::_Exit(1);
}

}  // namespace

int main() {
    shortens();
    stores();
    summarizes();
    drops_and_escalates();
    own_layers();
    other_histories();
    sessions();
    documents();
    terminates();
}
