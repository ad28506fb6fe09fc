// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <map>
#include <span>
#include <utility>

#include "laws/generator.hpp"
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

// Facts of which planted passages and questions speak, and how they are spelt.

namespace plan_tests {

/// Calls f for each term: the longest runs of letters, digits and underscores of ASCII, in lower case.
void each_term(std::string_view text, auto&& f) {
    std::string term;
    for (std::size_t index = 0; index <= text.size(); ++index) {
        char const byte = index < text.size() ? text[index] : ' ';
        bool const upper = byte >= 'A' && byte <= 'Z';
        if (upper || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_') {
            term.push_back(upper ? static_cast<char>(byte + ('a' - 'A')) : byte);
        } else if (!term.empty()) {
            f(std::string_view{term});
            term.clear();
        }
    }
}

/// A text by its terms, in order, each between spaces.
inline std::string terms_of(std::string_view text) {
    std::string out = " ";
    each_term(text, [&](std::string_view term) { out.append(term).push_back(' '); });
    return out;
}

/// True if a text has all terms of the key; `terms` as terms_of has those of the text.
inline bool holds(std::string_view terms, std::string_view key) {
    bool all = true;
    each_term(key, [&](std::string_view term) {
        all = all && terms.find(' ' + std::string{term} + ' ') != std::string_view::npos;
    });
    return all;
}

namespace planting {

/// 01, 02, …
inline std::string padded(std::uint64_t number, std::size_t digits) {
    auto out = std::to_string(number);
    return std::string(digits - (std::min)(digits, out.size()), '0') + out;
}

inline std::string lower(std::string_view text) {
    std::string out{text};
    for (char& byte : out)
        if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte + ('a' - 'A'));
    return out;
}

/// listen_port or listenPort of "listen port".
inline std::string identifier(std::string_view words, bool camel) {
    std::string out;
    bool raised = false;
    for (char const byte : words) {
        if (byte == ' ' || byte == '_') {
            raised = camel;
            if (!camel) out.push_back('_');
            continue;
        }
        out.push_back(raised && byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - ('a' - 'A')) : byte);
        raised = false;
    }
    return out;
}

/// "upload manifest" of upload_manifest or uploadManifest.
inline std::string in_words(std::string_view name) {
    std::string out;
    for (char const byte : name) {
        if (byte >= 'A' && byte <= 'Z') out.push_back(' ');
        out.push_back(byte == '_' ? ' ' : byte);
    }
    return lower(out);
}

/// A day of a year of 365 days.
struct calendar_day {
    explicit calendar_day(std::uint64_t number) : day{number % 365} {
        constexpr std::uint64_t sizes[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
        while (day >= sizes[month]) day -= sizes[month++];
    }
    std::string digits() const { return "2026-" + padded(month + 1, 2) + "-" + padded(day + 1, 2); }
    std::string words() const { return std::to_string(day + 1) + " " + words::of("months")[month]; }

    std::uint64_t day;
    std::size_t month = 0;
};

enum class fact_family : std::uint8_t { setting, limit, run, incident };

/// Indices into the words of its family. The value is taken by the size of the list that the third part has.
struct fact {
    fact_family family = fact_family::setting;
    std::array<std::size_t, 3> parts = {};
    std::size_t value = 0;
};

/// What the parts of a fact are taken from; a day for dates.
inline std::array<std::size_t, 3> ranges(fact_family family) {
    switch (family) {
        case fact_family::setting:
            return {words::of("services").size(), words::of("environments").size(), words::all().settings.size()};
        case fact_family::limit:
            return {words::of("functions").size(), words::of("targets").size(), words::all().parameters.size()};
        case fact_family::run: return {words::of("jobs").size(), words::of("databases").size(), 330};
        default: return {words::of("services").size(), words::of("endpoints").size(), words::of("errors").size()};
    }
}

inline words::attribute const& attribute_of(fact const& given) {
    return (given.family == fact_family::setting ? words::all().settings : words::all().parameters)[given.parts[2]];
}
inline bool has_attribute(fact_family family) { return family == fact_family::setting || family == fact_family::limit; }
inline std::string_view value_of(fact const& given) {
    auto const values = has_attribute(given.family)
                            ? attribute_of(given).values
                            : words::of(given.family == fact_family::run ? "reasons" : "causes");
    return values[given.value % values.size()];
}

/// How a fact is spelt. A question may differ from the passage in it.
struct spelling {
    bool camel = false;
    bool prose = false;  ///< days in words
    bool apart = false;  ///< names of functions in words
};

/// Fills patterns in. What is drawn depends on the pattern alone, so that two facts differ in their own words only.
class pattern_writer {
public:
    pattern_writer(fact const& given, spelling how, laws::random_source& random)
        : fact_{given}, how_{how}, random_{random} {}

    std::string operator()(std::string_view pattern) const {
        std::string out;
        while (!pattern.empty()) {
            auto const begin = pattern.find('<');
            out.append(pattern.substr(0, begin));
            if (begin == std::string_view::npos) break;
            pattern.remove_prefix(begin);
            auto const end = pattern.find('>');
            if (end != std::string_view::npos && append(out, pattern.substr(1, end - 1))) {
                pattern.remove_prefix(end + 1);
            } else {
                out.push_back('<');
                pattern.remove_prefix(1);
            }
        }
        return out;
    }

    /// A part of the fact by its name in patterns.
    std::string part(char name) const {
        auto const [first, second, third] = fact_.parts;
        auto const service = [&] { return words::of("services")[first]; };
        switch (fact_.family) {
            case fact_family::setting:
                if (name == 'A' || name == 'a') return service();
                if (name == 'B' || name == 'b') return words::of("environments")[second];
                break;
            case fact_family::limit:
                if (name == 'A' || name == 'a')
                    return how_.apart ? in_words(words::of("functions")[first]) : words::of("functions")[first];
                if (name == 'B') return words::of("targets")[second];
                if (name == 'b') return lower(words::of("targets")[second]);
                break;
            case fact_family::run:
                if (name == 'A') return words::of("jobs")[first];
                if (name == 'a') return identifier(words::of("jobs")[first], how_.camel);
                if (name == 'B' || name == 'b') return words::of("databases")[second];
                return how_.prose ? calendar_day{third}.words() : calendar_day{third}.digits();
            default:
                if (name == 'A' || name == 'a') return service();
                if (name == 'B' || name == 'b') return words::of("endpoints")[second];
                if (name == 'C') return words::of("errors")[third];
                return identifier(words::of("errors")[third], how_.camel);
        }
        if (name == 'C') return attribute_of(fact_).noun;
        return identifier(attribute_of(fact_).key, how_.camel);
    }

private:
    bool append(std::string& out, std::string_view name) const {
        if (name.size() == 1 && std::string_view{"ABCabc"}.find(name[0]) != std::string_view::npos) {
            out += part(name[0]);
            return true;
        }
        if (name == "V") out += value_of(fact_);
        else if (name == "#V") out += literal(value_of(fact_));
        else if (name == "said") out += (*this)(attribute_of(fact_).said);
        else if (name == "Said") out += raised(attribute_of(fact_).said);
        else if (name == "asked") out += (*this)(attribute_of(fact_).asked);
        else if (name == "Asked") out += raised(attribute_of(fact_).asked);
        else if (name == "wanted") out += (*this)(attribute_of(fact_).wanted);
        else if (name == "count") out += std::to_string(3 + random_.below(900));
        else if (name == "digit") out += std::to_string(1 + random_.below(9));
        else return draw(out, name);
        return true;
    }

    bool draw(std::string& out, std::string_view name) const {
        auto const found = words::all().drawn.find(name);
        if (found == words::all().drawn.end()) return false;
        auto const all = words::of(found->second);
        out += all[random_.below(all.size())];
        return true;
    }

    static std::string literal(std::string_view value) {
        if (value.find_first_not_of("0123456789") == std::string_view::npos) return std::string{value};
        return '"' + std::string{value} + '"';
    }

    /// With a capital, unless a name comes first.
    std::string raised(std::string_view pattern) const {
        auto out = (*this)(pattern);
        if (pattern[0] >= 'a' && pattern[0] <= 'z') out[0] = static_cast<char>(out[0] - ('a' - 'A'));
        return out;
    }

    fact const& fact_;
    spelling how_;
    laws::random_source& random_;
};

}  // namespace planting
}  // namespace plan_tests
