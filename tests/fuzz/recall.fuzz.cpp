// SPDX-License-Identifier: BSL-1.0

// Queries and arguments of an agent that looks for its past, plainly and as messages of the Model Context Protocol:
// what is found holds a word of the query, what holds one is found, nothing of other conversations is shown, and each
// line gets the answer that JSON-RPC demands.

#include <nlohmann/json.hpp>

#include <condense/recovery/tools.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>
#include <condense/store/sqlite_journal.hpp>

#include "fuzz/fuzz.hpp"
#include "recall/protocol.hpp"

namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view documents[] = {
    "The server listens on port 8443, said the log.\nA second line: disk full.\n",
    "{\"path\": \"src/main.cpp\", \"text\": \"int main() { return 0; }\"}",
    "caf\xC3\xA9 na\xC3\xAFve \xE4\xB8\xAD\xE6\x96\x87 \xF0\x9F\x98\x80 \"quoted\" AND OR NOT NEAR(a b) col:x -y a*",
    "\xFF\xC3 bytes that are no text \x01\x1B[2J",
    "port port port it is as it was",
    "'; DROP TABLE entries; -- %s %n \\ ^ $ [a-z]+ (x|y)"};
constexpr std::string_view secret = "zanzibar-of-another";

/// The same past everywhere, and one of another agent.
struct past {
    condense::memory_store store;
    condense::memory_journal journal;
    condense::sqlite_journal database{fuzz::folder() + "/past.db"};

    past() {
        for (std::uint64_t number = 0; number < std::size(documents); ++number) keep("own", number, documents[number]);
        keep("other", 0, std::string{secret} + " port 8443 disk full");
    }
    void keep(std::string const& conversation, std::uint64_t number, std::string_view text) {
        bool const good = !store.put(store.name(text), text, {.conversation = conversation, .tool = "read"}) &&
                          !journal.append(conversation, {journal.name(text), number}, text) &&
                          !database.append(conversation, {database.name(text), number}, text);
        fuzz::require(good, "the past is kept");
    }
};
past const& kept() {
    static past const all;
    return all;
}
auto const& tools() {
    static condense::recovery_tools const all{kept().store, kept().journal, {.conversation = "own"}};
    return all;
}
recall::protocol const& protocol() {
    static recall::protocol const server{
        {.instructions = "Ask.",
         .tools = condense::parse_json<json>(tools().definitions(condense::tool_format::mcp)).value,
         .has = [](std::string_view tool) { return tools().has(tool); },
         .call = [](std::string_view tool, std::string_view arguments) { return tools().call(tool, arguments); }}};
    return server;
}

char lower(char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte; }
bool in_word(char byte) {
    return (byte >= '0' && byte <= '9') || (lower(byte) >= 'a' && lower(byte) <= 'z') || byte == '_' ||
           static_cast<unsigned char>(byte) >= 0x80;
}
/// The words of a query, read plainly: between white space, without signs around them, sixteen at most.
std::vector<std::string> words_of(std::string_view query) {
    std::vector<std::string> words;
    std::string word;
    auto const end_word = [&] {
        constexpr std::string_view around = " \t\r\n.,;:!?\"'`()[]{}<>";
        while (!word.empty() && around.find(word.back()) != around.npos) word.pop_back();
        while (!word.empty() && around.find(word.front()) != around.npos) word.erase(0, 1);
        if (!word.empty() && words.size() < 16 && std::find(words.begin(), words.end(), word) == words.end())
            words.push_back(word);
        word.clear();
    };
    for (char const byte : query) {
        if (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n') end_word();
        else word += lower(byte);
    }
    end_word();
    return words;
}
/// Short words count only where they stand alone.
bool holds(std::string_view text, std::string const& word) {
    std::string all;
    for (char const byte : text) all += lower(byte);
    for (auto at = all.find(word); at != all.npos; at = all.find(word, at + 1)) {
        auto const end = at + word.size();
        bool const within = (at > 0 && in_word(all[at - 1])) || (end < all.size() && in_word(all[end]));
        if (word.size() > 3 || !within) return true;
    }
    return false;
}

void check_ranking(std::string_view query) {
    condense::detail::passage_ranking ranking{query};
    for (std::size_t index = 0; index < std::size(documents); ++index) ranking.see(index, documents[index]);
    auto const hits = ranking.best(100);
    auto const words = words_of(query);
    for (std::size_t index = 0; words.size() == 1 && index < std::size(documents); ++index) {
        bool const found = std::any_of(hits.begin(), hits.end(), [&](auto const& hit) { return hit.text == index; });
        fuzz::require(found || !holds(documents[index], words.front()), "what holds a word is found");
    }
    for (auto const& hit : hits) {
        auto const passage = documents[hit.text].substr(hit.offset, hit.size);
        fuzz::require(ranking.focus(passage) < passage.size(), "a passage is shown at a place within it");
    }
}

void check_result(condense::recovery_result const& result) {
    fuzz::require(condense::detail::utf8::valid(result.text), "an answer is UTF-8");
    fuzz::require(condense::detail::utf8::count(result.text) <= condense::most_recovered.count &&
                      condense::default_estimator<>{}(result.text).tokens() <= condense::recovery_options{}.most,
                  "it is bounded");
    fuzz::require(!result.text.empty(), "it says something");
    fuzz::require(result.text.find(secret) == std::string::npos, "nothing of another conversation is shown");
    fuzz::require(result.text.find("\x1B[") == std::string::npos || !result.is_error, "errors are printable");
}

void check_search(std::string_view query) {
    check_ranking(query);
    auto const arguments = json{{"query", query}}.dump(-1, ' ', false, json::error_handler_t::replace);
    for (auto const* const tool : {"search_history", "search_artifacts"}) check_result(tools().call(tool, arguments));
    auto const problem = kept().database.search(query, "own", 10, [](condense::journal_hit const& hit) {
        fuzz::require(hit.conversation == "own", "of its own conversation");
        fuzz::require(hit.entry.number < std::size(documents) && hit.content == documents[hit.entry.number],
                      "as it was kept");
    });
    fuzz::require(!problem, "no query is an error");
}

/// One answer of JSON-RPC to `sent`, which may be anything.
void check_reply(json const& reply, json const* sent) {
    fuzz::require(reply.is_object() && reply.value("jsonrpc", json{}) == "2.0", "an answer is of JSON-RPC 2.0");
    fuzz::require(reply.contains("result") != reply.contains("error"), "a result or an error");
    fuzz::require(reply.contains("id"), "with an id");
    if (sent == nullptr || reply["id"].is_null()) return fuzz::require(reply.contains("error"), "no id, no result");
    fuzz::require(reply["id"] == (*sent)["id"], "which is that of the request");
}

void check_line(std::string_view line) {
    auto const answer = protocol().answer(line);
    fuzz::require(answer == protocol().answer(line), "the same line has the same answer");
    fuzz::require(answer.find(secret) == std::string::npos, "nothing of another conversation is shown");
    auto const sent = condense::parse_json<json>(line);
    if (answer.empty()) return fuzz::require(static_cast<bool>(sent), "what is no JSON is answered");
    fuzz::require(answer.ends_with('\n') && answer.find('\n') == answer.size() - 1, "an answer is one line");
    auto const read = json::parse(answer, nullptr, false);
    fuzz::require(!read.is_discarded(), "of JSON");
    if (!read.is_array()) {
        auto const* const object = sent && sent.value.is_object() ? &sent.value : nullptr;
        return check_reply(read, object);
    }
    fuzz::require(sent && sent.value.is_array() && read.size() <= sent.value.size() && !read.empty(),
                  "a batch for a batch");
    for (auto const& reply : read) {
        fuzz::require(reply.contains("id"), "with an id");
        bool const known =
            reply["id"].is_null() || std::any_of(sent.value.begin(), sent.value.end(), [&](json const& each) {
                return each.is_object() && each.contains("id") && each["id"] == reply["id"];
            });
        fuzz::require(known, "which is that of a request");
    }
}

}  // namespace

fuzz::corpus fuzz::make_corpus() {
    corpus made{.words = listed("recall", "words"), .mutations = 10'000};
    made.add(std::string(1, '\0'), listed("recall", "queries"));
    for (char tool = 1; tool < 8; ++tool) made.add(std::string{'\1', tool}, listed("recall", "arguments"));
    made.add("\2", listed("recall", "lines"));
    return made;
}

void fuzz::try_input(byte_source bytes) {
    auto const mode = bytes.below(256) % 3;
    auto const tool = mode == 1 ? bytes.below(condense::recovery_tool_names.size()) : 0;
    auto const text = bytes.rest();
    if (text.find("zanzibar") != text.npos) return;
    switch (mode) {
        case 0: check_search(text); break;
        case 1: check_result(tools().call(condense::recovery_tool_names[tool], text)); break;
        default: check_line(text);
    }
}
