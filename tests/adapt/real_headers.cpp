// SPDX-License-Identifier: BSL-1.0

// Whether an adapter reads the type of the library that defines it. CONDENSE_HEADER is that header, CONDENSE_ADAPTER
// ours, CONDENSE_MESSAGE the type. Compiled and run by real_headers.sh.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include CONDENSE_ADAPTER  // before the type, which it does not need
#include CONDENSE_HEADER

#include <condense/condense.hpp>

using message = CONDENSE_MESSAGE;
using traits = condense::message_traits<message>;

static_assert(condense::shortenable<message> && condense::composable<message> && condense::answerable<message> &&
              condense::storable<message>);

namespace {

void check(bool holds, char const* what) {
    if (holds) return;
    std::printf("not so: %s\n", what);
    std::exit(1);
}

/// What to_bytes gives back is the same, whatever the type can compare.
message stored(message const& m) {
    auto back = condense::from_bytes<message>(condense::to_bytes(m));
    check(back.has_value(), "bytes are read back");
    check(condense::to_bytes(*back) == condense::to_bytes(m), "bytes hold the message");
    return *std::move(back);
}

message call(std::string const& id) {
    auto m = traits::make(condense::role::assistant, "I look.");
#if defined(CONDENSE_LLAMA)
    m.reasoning_content = "hm";
    m.tool_calls.push_back({"look", "{\"at\":1}", id});
#elif defined(CONDENSE_AI)
    m.content.emplace_back(ai::ToolCallContentPart{id, "look", {{"at", 1}}});
#else
    m.channels["thought"] = "hm";
    m.parts.emplace_back(litert::lm::FunctionCallPart{"look", {{"at", 1}}, id});
#endif
    return m;
}

}  // namespace

int main() {
    using namespace condense::literals;
    using condense::used;
    std::vector<message> history{traits::make(condense::role::system, "rules")};
    for (int step = 0; step < 40; ++step) {
        auto const id = std::to_string(step);
        history.push_back(traits::make(condense::role::user, "Look " + id + " times."));
        history.push_back(stored(call(id)));
        std::string seen;
        condense::each_part(history.back(), [&](condense::part_view const& part) {
            seen.append(name(part.kind)).append("#").append(part.call).append("=").append(part.text).append("; ");
            if (part.kind == condense::part_kind::tool_call)
                history.push_back(stored(traits::make_result(history.back(), part, std::string(4'000, 'x'))));
        });
        check(seen.find("tool call#" + id + "={\"at\":1}; ") != seen.npos, "the call is shown");
        check(seen.find("text#=I look.; ") != seen.npos, "the text is shown");
        history.push_back(traits::make(condense::role::assistant, "Done."));
    }
    auto const report = condense::reduce(
        history,
        condense::pipeline{condense::compress{.when = used >= 40_pct}, condense::summarize{.when = used >= 80_pct}},
        {.window = 8'000_tokens});
    check(report.fits() && report.changed() && history.size() < 160, "the history fits");
    std::size_t calls = 0, results = 0;
    for (auto const& m : history)
        condense::each_part(m, [&](condense::part_view const& part) {
            calls += part.kind == condense::part_kind::tool_call ? 1u : 0u;
            results += part.kind == condense::part_kind::tool_result ? 1u : 0u;
        });
    check(calls == results && calls > 0, "each call has its result");
    std::printf("ok: %zu messages left\n", history.size());
}
