// SPDX-License-Identifier: BSL-1.0

// How do I shorten JSON, logs, old reads, arguments and reasoning each in its own way, stack traces in mine,
// and only when that is cheaper than what it throws out of the provider's prompt cache?

#include <optional>
#include <string>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/shorteners.hpp>

#include "check.hpp"

using condense::chat_message;

// Any callable from a part to a shorter text, or nothing; of what it made itself it makes nothing.
struct outer_frames {
    static constexpr condense::part_kinds applies_to = condense::part_kind::tool_result | condense::part_kind::text;
    condense::text_limit over = condense::chars{300};  // in place of the layer's

    std::optional<std::string> operator()(condense::part_view const& trace, condense::cut) const {
        auto const second = trace.text.find("\n  at ", trace.text.find("\n  at ") + 1);
        auto const last = trace.text.rfind("\n  at ");
        if (second >= last || last - second <= 20) return std::nullopt;
        return std::string{trace.text.substr(0, second)}.append("\n  [frames omitted]").append(trace.text.substr(last));
    }
};

namespace {

std::string rows(int count, int bad) {
    std::string text = "[";
    for (int row = 0; row < count; ++row)
        text += (row == 0 ? "" : ",") + std::string{R"({"at":)"} + std::to_string(1'700'000 + row) +
                (row == bad ? R"(,"ok":false,"text":"no such host"})" : R"(,"ok":true,"text":"request served"})");
    return text + "]";
}

}  // namespace

int main() {
    using namespace condense::literals;
    using condense::used;

    auto const mix = condense::pipeline{condense::compress{
        .when = used >= 50_pct,
        .until = used <= 20_pct,
        .protect = condense::task | condense::last(2_messages),
        .worth = condense::pays_off{.input_price = 3.0_per_million, .cached_price = 0.3_per_million, .turns = 20_turns},
        .order = condense::newest_first,
        .over = 2'000_chars,
        .with =
            condense::first_of(condense::old_reasoning{.keep = 1_messages}, condense::superseded_reads{},
                               condense::duplicate_results{}, condense::shorten_arguments{}, outer_frames{},
                               condense::by_content{.json = condense::json_sample{}, .log = condense::compact_log{}})}};

    std::vector<chat_message> history{chat_message::user("Why do requests fail?")};
    for (int read = 0; read < 3; ++read) {
        auto const id = "c" + std::to_string(read);
        history.push_back(chat_message::call(id, "read_file", R"({"path":"requests.json"})"));
        history.push_back(chat_message::result(id, rows(100, 67)));
    }
    std::string trace = "panic: no such host";
    for (int frame = 0; frame < 50; ++frame) trace += "\n  at frame" + std::to_string(frame);
    history.push_back(chat_message::call("t", "run_tests", "{}"));
    history.push_back(chat_message::result("t", trace));
    history.push_back(chat_message::assistant("One request fails."));
    history.push_back(chat_message::user("Which one?"));

    auto const report = condense::reduce(history, mix, {.window = 8'000_tokens, .overhead = 500_tokens});
    check(report.fits() && report.layers[0].parts_shortened == 4);
    check(report.prefix >= 500_tokens && report.first_changed == 2u);  // what the cache still holds
    check(history[2].parts[0].text.find("requests.json was read again") != std::string::npos);
    check(history[8].parts[0].text == "panic: no such host\n  at frame0\n  [frames omitted]\n  at frame49");
    check(history[6].parts[0].text.find("no such host") != std::string::npos);  // the row that differs stays
}
