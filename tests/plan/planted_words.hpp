// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/rows.hpp"

// The words that planted_questions.hpp writes with, as planted_words.json has them: the words of a company's systems,
// and patterns of sentences, lines of logs, JSON elements and statements. In a pattern `<A>`, `<B>`, `<C>` and `<V>`
// stand for a fact, `<c>` for an identifier where `<C>` is the same in words, `<#V>` for a literal, and other names for
// what is drawn. A question must not hold what it asks for: counts are without the digits of environments and paths.

namespace plan_tests::words {

using list = std::span<std::string const>;

/// Something that is set, for a service or for a function.
struct attribute {
    std::string key;  ///< as an identifier
    std::string noun;  ///< in words
    std::string core;  ///< the word that `noun` and `said` share
    std::string said;  ///< what a sentence says of it
    std::string asked;  ///< how one asks for it, in other forms of the words
    std::string wanted;  ///< the same as a noun
    list values;
};

struct book {
    std::map<std::string, std::vector<std::string>, std::less<>> lists;
    std::map<std::string, std::string, std::less<>> drawn;  ///< the lists of the names in patterns
    std::vector<attribute> settings, parameters;
};

inline book const& all() {
    static book const words = [] {
        auto const data = rows_beside(__FILE__, "planted_words.json");
        book out;
        data.at("lists").get_to(out.lists);
        data.at("drawn").get_to(out.drawn);
        for (auto const& [name, rows] : {std::pair{"settings", &out.settings}, {"parameters", &out.parameters}})
            for (auto const& row : data.at(name))
                rows->push_back({row[0], row[1], row[2], row[3], row[4], row[5], out.lists.at(row[6])});
        return out;
    }();
    return words;
}

inline list of(std::string_view name) { return all().lists.find(name)->second; }

}  // namespace plan_tests::words
