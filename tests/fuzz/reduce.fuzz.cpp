// SPDX-License-Identifier: BSL-1.0

// JSON of any shape, or conversations of choices, to reduce with every layer, twice: the laws of one run hold for what
// has a shape, the rest is refused and stays as it was.

#include <condense/layer/drop_superseded.hpp>
#include <condense/layer/plan.hpp>
#include <condense/shorteners.hpp>

#include "fuzz/fuzz.hpp"
#include "laws/judge.hpp"
#include "support/messages/json.hpp"

namespace {

using nlohmann::json;
using namespace condense::literals;
using condense::used;

/// Every layer, with values of choice.
auto mix_of(laws::random_source& random, condense::memory_journal const& journal, condense::memory_store const& store) {
    auto const low = laws::share(random, 1'000, 6'000);
    auto const high = laws::share(random, 6'001, 9'500);
    condense::chars const over{400 + random.below(6'000)};
    condense::text_limit const keep = condense::chars{1 + random.below(over.count / 2 - 1)};
    auto const ends = condense::head_tail{keep, keep};
    return condense::pipeline{
        condense::record{.to = journal},
        condense::offload{.over = over, .preview = ends, .into = store},
        condense::compress{
            .when = used >= low, .over = over, .with = condense::by_content{.code = ends, .prose = ends}},
        condense::drop_superseded{.key = condense::markers("set_*")},
        condense::plan{.when = used >= high, .over = {192 + over.count / 2}, .into = store},
        condense::summarize{.when = used >= high,
                            .with = laws::reversing_model{},
                            .leaves = condense::both{condense::work_record{}, condense::name_index{}}},
        condense::sliding_window{.when = used >= high},
        condense::repair{},
        condense::escalate{.when = used >= high, .passes = static_cast<std::uint32_t>(1 + random.below(3))}};
}

/// One of a shape that is not understood makes `reduce` refuse the history as it is.
void check_refused(std::vector<json> const& history, laws::random_source& random) {
    bool refused = false;
    auto same = history;
    try {
        static_cast<void>(condense::reduce(same, mix_of(random, condense::memory_journal{}, condense::memory_store{}),
                                           {.window = 100_tokens}, laws::byte_estimator{}));
    } catch (condense::unknown_shape const&) { refused = true; }
    fuzz::require(refused && same == history, "a message of no shape is refused, and nothing changes");
}

void judge(std::vector<json> const& history, laws::random_source& random) {
    for (std::size_t index = 0; index < history.size(); ++index)
        if (condense::shape_error_of(history[index], index)) return check_refused(history, random);
    condense::memory_journal const journal;
    condense::memory_store const store;
    auto const limits = laws::random_budget(forms::all_to_chat(history), random);
    bool const marks = random.chance(50);
    auto const mix = mix_of(random, journal, store);
    laws::tally unused;
    std::string story;
    fuzz::require_none(
        laws::judge([&] { return history; }, mix, limits, laws::byte_estimator{}, marks, unused, {nullptr, &story}),
        story);
}

/// Of a document that holds messages.
std::vector<json> messages_in(std::string_view text) {
    std::vector<json> history;
    auto read = condense::parse_json<json>(text);
    auto* const list = read ? condense::message_array(read.value) : nullptr;
    if (list == nullptr || list->size() > 60) return history;
    for (auto& m : *list) {
        if (m.is_object()) {  // what the judge knows it by; a mark of the library could only be forged
            m["label"] = "m" + std::to_string(history.size());
            m.erase("condense");
        }
        history.push_back(std::move(m));
    }
    return history;
}

}  // namespace

fuzz::corpus fuzz::make_corpus() {
    corpus made{.words = listed("reduce", "words"), .mutations = 3'000};
    made.add("\1", random_seeds(24, 40));
    made.add(std::string(1, '\0'),
             shape_seeds(
                 {"aisdk", "aisdk_ui", "anthropic", "bedrock", "gemini", "mcp", "ollama", "openai", "responses"}, 15));
    return made;
}

void fuzz::try_input(byte_source bytes) {
    bool const choices = bytes.below(256) % 2 == 1;
    if (choices) {
        laws::random_source random{bytes};
        auto const all = forms::projected<json>(laws::conversation_generator{random}.make());
        judge(forms::all_from_chat<std::vector<json>>(all), random);
    } else {
        byte_source values{bytes.take(15)};
        laws::random_source random{values};
        judge(messages_in(bytes.rest()), random);
    }
}
