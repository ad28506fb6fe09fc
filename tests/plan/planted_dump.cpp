// SPDX-License-Identifier: BSL-1.0

// planted_dump [COUNT]: planted questions as lines of JSON, with the passages of their artifacts, which of them hold
// the answer, and where the best of these stands in our ranking, for others to be tried beside it.

#include <cstdio>
#include <cstdlib>

#include <condense/plan/ranking.hpp>

#include "plan/planted_questions.hpp"

namespace {

/// A passage is relevant that has half of the answer; if none has, the first with most of it.
std::string line_of(plan_tests::planted_question const& asked) {
    auto passages = nlohmann::ordered_json::array();
    std::vector<std::pair<std::size_t, std::size_t>> places;  // artifact and offset
    condense::detail::passage_scores scores{condense::detail::query_terms{asked.question}, true};
    std::vector<std::size_t> shares;
    for (std::size_t index = 0; index < asked.artifacts.size(); ++index) {
        std::string_view const text = asked.artifacts[index].text;
        scores.see(index, text);
        condense::detail::each_unit(text, [&](std::size_t offset, std::size_t size) {
            places.emplace_back(index, offset);
            passages.push_back(text.substr(offset, size));
            auto const begin = (std::max)(offset, asked.offset);
            auto const end = (std::min)(offset + size, asked.offset + asked.answer.size());
            shares.push_back(index == asked.artifact && begin < end ? end - begin : 0);
        });
    }
    auto const least = (std::min)(*std::max_element(shares.begin(), shares.end()), (asked.answer.size() + 1) / 2);
    auto const ranked = scores.rank();
    std::size_t rank = 0;
    for (; rank != ranked.size(); ++rank) {
        auto const place = std::find(places.begin(), places.end(), std::pair{ranked[rank].text, ranked[rank].offset});
        if (shares[static_cast<std::size_t>(place - places.begin())] >= least) break;
    }
    std::vector<std::size_t> relevant;
    for (std::size_t index = 0; index < shares.size(); ++index)
        if (shares[index] >= least) relevant.push_back(index);
    return nlohmann::ordered_json{{"question", asked.question},
                                  {"answer", asked.answer},
                                  {"passages", passages},
                                  {"relevant", relevant},
                                  {"rank", rank}}
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

int main(int count, char** arguments) {
    auto const seeds = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 500;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) std::puts(line_of(plan_tests::planted(seed)).c_str());
}
