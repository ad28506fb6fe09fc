// SPDX-License-Identifier: BSL-1.0
// What a summary by rule, with the record and the index behind it, still names of what later messages use.
#include <condense/llm/name_index.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>
#include <condense/estimate/script_aware.hpp>
#include <condense/llm/work_record.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"

namespace {

using namespace condense::literals;
using json = nlohmann::ordered_json;

std::string text_of(json const& m) {
    std::string text;
    condense::each_part(m, [&](condense::part_view const& part) {
        if (!part.cost) text.append(part.text).append("\n");
    });
    return text;
}

/// Every way to choose one of each list in braces: `src/{a,b}.cpp` is `src/a.cpp` and `src/b.cpp`.
void add_unfolded(std::string const& word, std::string& out) {
    auto const open = word.find('{');
    if (open == word.npos) {
        out.append(word).append("\n");
        return;
    }
    std::vector<std::string> choices{""};
    std::size_t end = open + 1;
    for (int depth = 1; end < word.size(); ++end) {
        if (word[end] == '{') ++depth;
        if (word[end] == '}' && --depth == 0) break;
        if (word[end] == ',' && depth == 1) choices.emplace_back();
        else choices.back().push_back(word[end]);
    }
    if (end == word.size()) {
        out.append(word).append("\n");
        return;
    }
    for (auto const& choice : choices) add_unfolded(word.substr(0, open) + choice + word.substr(end + 1), out);
}
std::string unfolded(std::string const& text) {
    std::string out = text + "\n";
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        if (at < text.size() && text[at] != ' ' && text[at] != '\n') continue;
        if (auto const word = text.substr(begin, at - begin); word.find('{') != word.npos) add_unfolded(word, out);
        begin = at + 1;
    }
    return out;
}

/// Words that the pattern matches, of 6 to 120 bytes.
std::set<std::string> words_of(std::string const& text, std::regex const& pattern) {
    std::set<std::string> found;
    for (std::sregex_iterator it{text.begin(), text.end(), pattern}, end; it != end; ++it)
        if (it->length() >= 6 && it->length() <= 120) found.insert(it->str());
    return found;
}
/// Paths of files, and URLs.
std::set<std::string> places_in(std::string const& text) {
    static std::regex const url{R"(https?://[A-Za-z0-9._~:/?#@!$&*+,;=%-]*[A-Za-z0-9/])"};
    static std::regex const path{
        R"((?:/?[A-Za-z0-9_.-]+)?(?:/[A-Za-z0-9_.-]*[A-Za-z0-9_])+\.[A-Za-z][A-Za-z0-9]{0,4}(?![A-Za-z0-9_])|)"
        R"([A-Za-z0-9_-]+\.(?:py|cpp|hpp|js|ts|md|json|txt|yml|yaml|toml|sh|html|css|csv|xml|pony)(?![A-Za-z0-9_]))"};
    auto found = words_of(text, url);
    found.merge(words_of(text, path));
    return found;
}
/// Letters and digits mixed.
std::set<std::string> ids_in(std::string const& text) {
    static std::regex const id{R"([A-Za-z0-9_-]*(?:[A-Za-z][0-9]|[0-9][A-Za-z])[A-Za-z0-9_-]*)"};
    return words_of(text, id);
}

/// How many names later messages use, and how many of them are in the summary.
struct figures {
    std::size_t used = 0;
    std::size_t seen = 0;
    std::string missing = {};

    void add(std::set<std::string> const& later, std::set<std::string> const& before, std::string const& text) {
        for (auto const& name : later) {
            if (!before.contains(name)) continue;
            ++used;
            if (text.find(name.substr(name.find_first_not_of("./"))) != text.npos) ++seen;
            else missing += " " + name;
        }
    }
};

/// Summarises 70 % of the conversation by rule within 1,000 tokens, and looks for what the assistant uses later.
void measure(json::array_t const& messages, figures& places, figures& ids) {
    auto const estimator = condense::script_aware<condense::family::claude>{};
    // Of 4,000 tokens: a fifth for the names, ids and paths first, and a tenth at most for prose and record.
    auto const names =
        condense::name_index{.share = 20_pct, .lines = 0_pct, .score = condense::name_score{.references = 24}};
    condense::session session{
        json::array_t{},
        condense::summarize{.when = condense::never,
                            .protect = condense::nothing,
                            .size = 40_tokens,
                            .leaves = condense::both{condense::work_record{.share = 3_pct}, names}},
        condense::budget{.window = 4'000_tokens}, estimator};
    auto const cut = messages.size() * 7 / 10;
    std::string before;
    std::string later;
    for (std::size_t index = 0; index < messages.size(); ++index) {
        if (index < cut) {
            session.push(messages[index]);
            before += text_of(messages[index]);
        } else if (condense::role_of(messages[index]) == condense::role::assistant) later += text_of(messages[index]);
    }
    static_cast<void>(session.run(condense::force{.target = 0_tokens}));
    std::string text;
    for (auto const& message : session.request()) {
        auto const words = text_of(message);
        if (words.starts_with("Summary of the earlier")) CHECK(estimator(words).tokens().count <= 1'000);
        text += unfolded(words);
    }
    places.add(places_in(later), places_in(before), text);
    ids.add(ids_in(later), ids_in(before), text);
}

}  // namespace

TEST_CASE("a summary by rule with its record names what later messages use") {
    figures all;
    std::size_t files = 0;
#ifdef CONDENSE_TRANSCRIPTS
    std::vector<std::filesystem::path> paths;
    for (auto const& file : std::filesystem::directory_iterator{CONDENSE_TRANSCRIPTS})
        if (file.path().extension() == ".json") paths.push_back(file.path());
    std::sort(paths.begin(), paths.end());
    for (std::size_t index = 3; index < paths.size() + 3; index += stride()) {  // in a short run few of them
        std::ifstream in{paths[index % paths.size()]};
        auto document = json::parse(in);
        auto const messages = condense::messages_of(document);
        REQUIRE(messages);
        figures places;
        measure(*messages, places, all);
        CAPTURE(paths[index % paths.size()].filename().string(), places.used, places.seen, places.missing);
        CHECK(places.seen * 10 >= places.used * 8);
        all.used += places.used;
        all.seen += places.seen;
        ++files;
    }
#endif
    json::array_t work{{{"role", "user"}, {"content", "Find out why build 4a7f03c fails."}}};
    for (int file = 0; file < 40; ++file) {
        auto const path = "src/part" + std::to_string(file) + "/main.cpp";
        work.push_back(
            {{"role", "assistant"}, {"content", "I look at " + path + ", order W" + std::to_string(52'000 + file)}});
        work.push_back(
            {{"role", "user"}, {"content", std::string(600, 'x') + " https://example.com/" + std::to_string(file)}});
    }
    work.push_back({{"role", "assistant"}, {"content", "src/part20/main.cpp broke 4a7f03c with W52021."}});
    figures places;
    measure(work, places, all);
    CHECK(places.used == 1);
    CHECK(places.seen == 1);
    CAPTURE(files, all.used, all.seen, all.missing);
    CHECK((files < 17 || all.used >= 50));
    CHECK(all.seen * 100 >= all.used * 85);
}
