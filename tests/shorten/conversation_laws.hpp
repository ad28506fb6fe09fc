// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/core/pipeline.hpp>
#include <condense/core/reduce.hpp>
#include <condense/estimate/char_ratio.hpp>
#include <condense/estimate/script_aware.hpp>
#include <condense/layer/compress.hpp>

#include "shorten/shortener_laws.hpp"

// The laws of shorteners that look at the whole conversation: conversation_laws(superseded_reads{}, …).

namespace laws {

/// Calls that read and write few files, results of few texts, and reasoning.
inline std::vector<chat_message> random_history(std::uint64_t seed) {
    random_source random{seed};
    text_generator texts{seed};
    auto const kinds = any_texts();
    std::vector<std::string> outputs;
    for (int count = 0; count < 4; ++count) outputs.push_back(texts.make(kinds[random.below(kinds.size())]));
    std::vector<chat_message> all{chat_message::user("go on")};
    for (auto left = 2 + random.below(30); left != 0; --left) {
        static constexpr std::array<std::string_view, 4> tools{"read_file", "write_file", "shell", "edit_file"};
        auto const id = "call_" + std::to_string(random.below(1'000));
        auto const path = R"({"path":"src/)" + std::string(1 + random.below(3), 'a') + R"(.cpp")" +
                          (random.chance(20) ? R"(,"offset":4})" : "}");
        auto asks = chat_message::call(id, std::string{tools[random.below(4)]}, random.chance(95) ? path : "{");
        if (random.chance(30))
            asks.parts.insert(
                asks.parts.begin(),
                {.kind = part_kind::reasoning, .text = texts.make(text_kind::prose, 900), .sealed = random.chance(30)});
        all.push_back(std::move(asks));
        auto const& output = random.chance(80) ? outputs[random.below(4)] : texts.make(text_kind::log);
        all.push_back(chat_message::result(id, output, random.chance(5) ? part_status::error : part_status::ok));
        if (random.chance(20)) all.push_back(chat_message::assistant("done"));
        if (random.chance(20)) all.push_back(chat_message::user("go on"));
    }
    return all;
}

/// A layer that edits nothing: it asks a shortener of every part that it is for.
template <class Shortener>
struct ask_of_each {
    static constexpr condense::effect effects = condense::shortens;
    Shortener shorten;
    promises const* given;
    std::uint64_t seed;
    text_tally* sum;

    void reduce(auto& draft, auto&) const {
        random_source random{seed};
        auto const asked = condense::detail::bind_shortener(shorten, draft);
        for (std::uint32_t index = 0; index < draft.outline().size(); ++index)
            draft.each_part(condense::sequence{index}, [&](condense::part_ref at, condense::part_view const& part) {
                auto const how = random_cut(random);
                auto const one = [&](condense::part_view const& seen, condense::cut const& cut) {
                    return asked(at, seen, cut);
                };
                if (!condense::detail::kinds_of<Shortener>().holds(part.kind)) return;
                ++sum->texts;
                auto const made = one(part, how);
                if (made && made->empty() && condense::detail::removes_parts<Shortener>()) {
                    ++sum->shortened;
                    return;
                }
                auto const found = judge(one, *given, part, how);
                sum->shortened += found.shortened ? 1u : 0u;
                if (!found.broken.empty() && sum->broken.empty())
                    sum->broken = std::string{found.broken} + ": conversation " + std::to_string(seed) + ", message " +
                                  std::to_string(index);
            });
    }
    friend bool operator==(ask_of_each const&, ask_of_each const&) = default;
};

struct history_tally {
    text_tally parts = {};
    std::uint64_t unsettled = 0;  ///< conversations that a second run changes
};

template <class Shortener>
history_tally try_random_histories(Shortener const& shorten, promises const& given, std::uint64_t count) {
    history_tally found;
    constexpr condense::budget roomy{.window = {1'000'000'000}};
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
        auto messages = random_history(seed);
        condense::pipeline const asking{ask_of_each<Shortener>{shorten, &given, seed, &found.parts}};
        static_cast<void>(condense::reduce(messages, asking, roomy));
        condense::pipeline const mix{condense::compress{.when = condense::always, .with = shorten}};
        static_cast<void>(condense::reduce(messages, mix, roomy));
        auto again = messages;
        found.unsettled += condense::reduce(again, mix, roomy).changed() || again != messages ? 1u : 0u;
    }
    return found;
}

/// A line for each shortener that looks at the whole conversation.
void conversation_laws(auto const& shorten, promises const& given = {}) {
    auto const found = try_random_histories(shorten, given, rounds(200));
    CAPTURE(found.parts.texts, found.parts.shortened);
    CHECK(found.parts.broken == "");
    CHECK(found.unsettled == 0);
    CHECK(found.parts.shortened * 100 >= found.parts.texts * given.share);
}

}  // namespace laws
