// SPDX-License-Identifier: BSL-1.0
#include "plan/planted_questions.hpp"

#include <set>

#include <condense/detail/json_scan.hpp>
#include <condense/estimate/char_ratio.hpp>
#include <condense/plan/context.hpp>
#include <condense/plan/ranking.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using plan_tests::artifact_kind, plan_tests::each_term, plan_tests::planted, plan_tests::planted_artifact,
    plan_tests::planted_question, plan_tests::terms_of;

std::uint64_t seeds() { return effort() < 100 ? rounds(150) : rounds(500); }
/// Calls f(question) for each of so many.
void each_question(auto const& f) {
    for (std::uint64_t seed = 0; seed < seeds(); ++seed) {
        CAPTURE(seed);
        f(planted(seed));
    }
}

struct range {
    std::size_t begin = 0, end = 0;
};

std::vector<range> lines_of(std::string_view text) {
    std::vector<range> out;
    for (std::size_t begin = 0; begin < text.size();) {
        auto const end = (std::min)(text.find('\n', begin), text.size());
        out.push_back({begin, end});
        begin = end + 1;
    }
    return out;
}

/// An answer may be two lines of code.
std::vector<range> pairs_of_lines(std::string_view text) {
    std::vector<range> out;
    auto const lines = lines_of(text);
    for (std::size_t index = 1; index < lines.size(); ++index)
        out.push_back({lines[index - 1].begin, lines[index].end});
    return out;
}

/// Sentences end with a full stop and white space, headings with an empty line.
std::vector<range> sentences_of(std::string_view text) {
    std::vector<range> out;
    for (std::size_t begin = 0, index = 0; index + 1 < text.size(); ++index) {
        bool const blank = text[index + 1] == ' ' || text[index + 1] == '\n';
        if ((text[index] != '.' && text[index] != '\n') || !blank || (text[index] == '\n' && text[index + 1] == ' '))
            continue;
        out.push_back({begin, index + 1});
        begin = index + 1;
    }
    return out;
}

std::vector<range> elements_of(std::string_view text) {
    std::vector<range> out;
    std::size_t const outer = text[0] == '[' ? 0 : 1;
    std::size_t depth = 0, begin = 0;
    bool quoted = false;
    for (std::size_t index = 0; index < text.size(); ++index) {
        if (text[index] == '"') quoted = !quoted;
        if (quoted) continue;
        if (text[index] == '{' && depth++ == outer) begin = index;
        if (text[index] == '}' && --depth == outer) out.push_back({begin, index + 1});
    }
    return out;
}

/// What could be taken for an answer.
std::vector<range> units_of(planted_artifact const& artifact) {
    switch (artifact.kind) {
        case artifact_kind::log: return lines_of(artifact.text);
        case artifact_kind::json: return elements_of(artifact.text);
        case artifact_kind::prose: return sentences_of(artifact.text);
        default: return pairs_of_lines(artifact.text);
    }
}

/// True if the bytes from `begin` on are a whole unit: white space aside, all of one that could be taken for an answer.
bool is_whole(planted_artifact const& artifact, std::size_t begin, std::size_t size) {
    std::string_view const text = artifact.text;
    if (artifact.kind == artifact_kind::code) {  // one line or two
        auto const before = text.substr(0, begin).find_last_not_of(' ');
        return text[before] == '\n' && text[begin] != ' ' && text[begin + size] == '\n';
    }
    auto const units = units_of(artifact);
    return std::any_of(units.begin(), units.end(), [&](range unit) {
        auto const first = text.find_first_not_of(" \n", unit.begin);
        return first == begin && unit.end == begin + size;
    });
}

/// How many of the keys have all their terms in a text, given by its terms.
std::size_t keys_in(std::string_view terms, std::vector<std::string> const& keys) {
    return static_cast<std::size_t>(
        std::count_if(keys.begin(), keys.end(), [&](std::string const& key) { return plan_tests::holds(terms, key); }));
}

/// With names in words: listen_port and listenPort are "listen port".
std::string in_words(std::string_view text) {
    std::string out;
    for (char const byte : text) {
        if (byte >= 'A' && byte <= 'Z' && !out.empty() && out.back() >= 'a' && out.back() <= 'z') out.push_back(' ');
        out.push_back(byte == '_' ? ' ' : byte);
    }
    return out;
}

/// True if a word of the key occurs in the question, whatever its ending.
bool is_named(std::string_view question, std::string_view key) {
    auto const asked = terms_of(in_words(question));
    bool any = false;
    each_term(in_words(key), [&](std::string_view word) {
        any = any || asked.find(' ' + std::string{word.substr(0, 4)}) != std::string::npos;
    });
    return any;
}

/// The most terms in a row that both have.
std::size_t longest_common_run(std::string_view one, std::string_view other) {
    std::vector<std::string> terms;
    each_term(one, [&](std::string_view term) { terms.emplace_back(term); });
    auto const within = terms_of(other);
    std::size_t longest = 0;
    for (std::size_t begin = 0; begin < terms.size(); ++begin) {
        std::string run = " ";
        for (std::size_t end = begin; end < terms.size(); ++end) {
            run += terms[end] + ' ';
            if (within.find(run) == std::string::npos) break;
            longest = (std::max)(longest, end + 1 - begin);
        }
    }
    return longest;
}

TEST_CASE("a planted answer stands where the question says, among well-formed artifacts") {
    each_question([&](planted_question const& asked) {
        REQUIRE(asked.artifacts.size() >= 5);
        REQUIRE(asked.artifacts.size() <= 40);
        REQUIRE(asked.artifact < asked.artifacts.size());
        auto const& text = asked.artifacts[asked.artifact].text;
        CHECK(asked.answer.size() >= 24);
        CHECK(asked.answer.size() <= 400);
        CHECK(text.compare(asked.offset, asked.answer.size(), asked.answer) == 0);
        CHECK(is_whole(asked.artifacts[asked.artifact], asked.offset, asked.answer.size()));
        CHECK(asked.answer.find(asked.value.substr(0, asked.value.find(' '))) != std::string::npos);
        CHECK(condense::utf8::valid(asked.question));
        for (auto const& each : asked.artifacts) {
            CAPTURE(each.source);
            CHECK_FALSE(each.source.empty());
            CHECK(each.text.size() >= 1'000);
            CHECK(each.text.size() <= 21'000);
            CHECK(condense::utf8::valid(each.text));
            CHECK(condense::is_json(each.text) == (each.kind == artifact_kind::json));
        }
    });
}

TEST_CASE("no term of a planted answer is without use elsewhere") {
    each_question([&](planted_question const& asked) {
        std::set<std::string, std::less<>> alone;
        each_term(asked.answer, [&](std::string_view term) { alone.emplace(term); });
        auto const see = [&](std::string_view text) {
            each_term(text, [&](std::string_view term) {
                if (auto const at = alone.find(term); at != alone.end()) alone.erase(at);
            });
        };
        for (std::size_t index = 0; index < asked.artifacts.size() && !alone.empty(); ++index) {
            std::string_view const text = asked.artifacts[index].text;
            bool const has_answer = index == asked.artifact;
            see(text.substr(0, has_answer ? asked.offset : text.size()));
            if (has_answer) see(text.substr(asked.offset + asked.answer.size()));
        }
        CHECK(alone == std::set<std::string, std::less<>>{});
    });
}

TEST_CASE("no other unit holds all that a planted question names, and many hold all but one") {
    each_question([&](planted_question const& asked) {
        REQUIRE(asked.keys.size() == 3);
        CHECK(keys_in(terms_of(asked.answer), asked.keys) == 3);
        std::size_t others = 0, beside = 0, away = 0;
        for (std::size_t index = 0; index < asked.artifacts.size(); ++index) {
            bool const has_answer = index == asked.artifact;
            for (auto const [begin, end] : units_of(asked.artifacts[index])) {
                if (has_answer && begin < asked.offset + asked.answer.size() && end > asked.offset) continue;
                auto const terms = terms_of(std::string_view{asked.artifacts[index].text}.substr(begin, end - begin));
                auto const held = keys_in(terms, asked.keys);
                others += held == 3 ? 1u : 0u;
                if (held == 2) ++(has_answer ? beside : away);
            }
        }
        CHECK(others == 0);
        CHECK(beside >= 2);
        CHECK(away >= 2);
    });
}

TEST_CASE("a planted question names what it asks for in other words, and tells nothing of the answer") {
    each_question([&](planted_question const& asked) {
        CAPTURE(asked.question, asked.answer);
        for (auto const& key : asked.keys) CHECK(is_named(asked.question, key));
        CHECK(keys_in(terms_of(asked.question), asked.keys) >= 2);
        CHECK(terms_of(asked.question).find(terms_of(asked.value)) == std::string::npos);
        CHECK(longest_common_run(asked.question, asked.answer) <= 6);
        std::size_t own = 0;
        auto const terms = terms_of(asked.answer);
        each_term(asked.question, [&](std::string_view term) { own += plan_tests::holds(terms, term) ? 0u : 1u; });
        CHECK(own >= 2);
    });
}

TEST_CASE("planted answers are of all kinds and stand everywhere") {
    std::array<std::uint64_t, 4> kinds{}, quarters{};
    std::uint64_t oldest = 0, newest = 0, inner = 0, few = 0, many = 0;
    std::set<std::string> questions;
    each_question([&](planted_question const& asked) {
        auto const& artifact = asked.artifacts[asked.artifact];
        ++kinds[static_cast<std::size_t>(artifact.kind)];
        ++quarters[asked.offset * 4 / artifact.text.size()];
        oldest += asked.artifact == 0 ? 1u : 0u;
        newest += asked.artifact + 1 == asked.artifacts.size() ? 1u : 0u;
        inner += asked.offset > 1'000 && asked.offset + 1'000 < artifact.text.size() ? 1u : 0u;
        few += asked.artifacts.size() < 14 ? 1u : 0u;
        many += asked.artifacts.size() > 31 ? 1u : 0u;
        questions.insert(asked.question);
    });
    auto const share = [](std::uint64_t percent) { return seeds() * percent / 100; };
    CHECK(*std::max_element(kinds.begin(), kinds.end()) - *std::min_element(kinds.begin(), kinds.end()) <= 1);
    CHECK(*std::min_element(quarters.begin(), quarters.end()) >= share(12));
    CHECK(oldest >= share(3));
    CHECK(newest >= share(3));
    CHECK(inner >= share(35));
    CHECK(few >= share(15));
    CHECK(many >= share(15));
    CHECK(questions.size() >= share(99));
}

TEST_CASE("planted questions are the same everywhere") {
    auto hash = condense::detail::fnv_basis;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        auto const asked = planted(seed);
        for (auto const& each : asked.artifacts)
            hash = condense::detail::fnv1a(each.text, condense::detail::fnv1a(each.source, hash));
        hash = condense::detail::fnv1a(asked.answer, condense::detail::fnv1a(asked.question, hash));
        hash = condense::detail::fnv1a(condense::detail::fnv1a(hash, asked.artifact), asked.offset);
    }
    CHECK(hash == 0x802315E093D40707u);
}

TEST_CASE("95 of 100 answers are in a context of a tenth of all, and few in the newest that fit") {
    std::uint64_t in_context = 0, newest = 0;
    each_question([&](planted_question const& asked) {
        condense::artifact_list<condense::char_ratio<condense::family::claude>> list;
        for (auto const& each : asked.artifacts)
            REQUIRE_FALSE(list.attach({.content = each.text, .source = each.source}));
        condense::tokens total;
        for (auto const& each : list.all()) total = total + each.cost;
        condense::tokens const budget{total.count / 10};
        auto const context = condense::plan_context{}(list, {.question = asked.question, .budget = budget});
        CHECK(context.used <= budget);
        in_context += context.text.find(asked.answer) != std::string::npos ? 1u : 0u;
        auto left = budget;
        for (auto index = list.size(); index-- != 0 && list.all()[index].cost <= left;) {
            left = left - list.all()[index].cost;
            newest += index == asked.artifact ? 1u : 0u;
        }
    });
    CHECK(in_context * 100 >= seeds() * 95);
    CHECK(newest * 100 < seeds() * 20);
}

TEST_CASE("nine of ten answers are among the ten best passages") {
    std::uint64_t among = 0;
    each_question([&](planted_question const& asked) {
        condense::detail::passage_scores scores{condense::detail::query_terms{asked.question}};
        for (std::size_t index = 0; index < asked.artifacts.size(); ++index)
            scores.see(index, asked.artifacts[index].text);
        auto ranked = scores.rank();
        if (ranked.size() > 10) ranked.resize(10);
        auto const middle = asked.offset + asked.answer.size() / 2;
        bool const has = std::any_of(ranked.begin(), ranked.end(), [&](auto const& each) {
            return each.text == asked.artifact && each.offset <= middle && middle < each.offset + each.size;
        });
        among += has ? 1u : 0u;
    });
    CHECK(among * 10 >= seeds() * 9);
}

}  // namespace
