// SPDX-License-Identifier: BSL-1.0

// Answers of a provider, whole and as streams, on their way through the proxy of the examples that has its model read
// what left: without a call of the tools for that they arrive byte for byte, with one none of its name arrives.

#include <nlohmann/json.hpp>

#include "fuzz/fuzz.hpp"
#include "proxy/recall.hpp"

fuzz::corpus fuzz::make_corpus() {
    corpus made{.words = listed("client", "words"), .mutations = 20'000};
    for (auto const* const list : {"bodies", "streams"})
        for (auto text : listed("client", list))
            for (char const which : {'\0', '\1', '\2'}) {
                made.seeds.push_back(std::string{which, list[0] == 's' ? '\0' : '\377', '\7'} + text);
                for (auto at = text.find("\"n\""); at != text.npos; at = text.find("\"n\"", at))
                    text.replace(at, 3, "\"read_message\"");
                made.seeds.push_back(std::string{which, list[0] == 's' ? '\0' : '\377', '\7'} + text);
            }
    return made;
}

void fuzz::try_input(byte_source bytes) {
    auto const which = static_cast<proxy::protocol>(bytes.below(3));
    bool const streams = bytes.chance(50);
    auto const piece = 1 + bytes.below(200);
    auto const text = std::string{bytes.rest()};
    proxy::spliced_answer answer{which, streams};
    for (int round = 0; round < 2; ++round) {  // the second answer is the same again
        std::string seen;
        for (std::size_t at = 0; at < text.size(); at += piece) seen += answer.add(text.substr(at, piece));
        bool const goes_on = answer.end();
        require(!goes_on || !answer.hidden().empty(), "it goes on for the sake of a call");
        for (auto const& call : answer.hidden()) require(proxy::is_hidden(call.tool), "a call of a hidden tool");
        auto const messages = answer.written();
        auto rounds =
            std::vector{proxy::hidden_rounds{.which = which, .place = 1, .before = messages, .last = messages}};
        try {
            rounds[0].seen = answer.seen();
            proxy::json::array_t all{{{"role", "user"}, {"content", "x"}}};
            all.insert(all.end(), messages.begin(), messages.end());
            static_cast<void>(proxy::insert_rounds(all, rounds));
            require(all.size() >= 1 + messages.size(), "rounds take nothing from a conversation");
        } catch (std::exception const&) {}  // of what no reader understands
        if (goes_on && round == 0) {
            answer.next();
            continue;
        }
        seen += answer.rest();
        if (!answer.hides_calls() && round == 0) require(seen == text, "what has no such call arrives as it is");
        if (!answer.hides_calls() || streams) return;
        auto const shown = condense::parse_json<proxy::json>(seen);
        require(shown.error.empty(), "what is changed is JSON");
        proxy::spliced_answer again{which, false};
        static_cast<void>(again.add(seen));
        static_cast<void>(again.end());
        require(!again.hides_calls(), "none of these calls arrives");
        return;
    }
}
