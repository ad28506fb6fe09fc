// SPDX-License-Identifier: BSL-1.0

// What operators and others write: settings as JSON and as variables, catalogues of models, files of instructions.

#include <map>

#include <condense/adapt/chat_message.hpp>
#include <condense/config/instructions.hpp>
#include <condense/config/json_settings.hpp>
#include <condense/config/models_json.hpp>

#include "fuzz/fuzz.hpp"

namespace {

namespace fs = std::filesystem;
using condense::settings;

/// One line of UTF-8 without control characters.
bool printable(std::string_view text) {
    bool good = condense::detail::utf8::valid(text);
    for (char const byte : text) good = good && static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7F;
    return good;
}

void check_settings(condense::settings_result const& result) {
    if (!result) {
        auto const text = result.error().text();
        fuzz::require(printable(text) && text.starts_with("condense: settings: "), "an error is a sentence");
        return;
    }
    fuzz::require(!result->problem(), "settings that were read are valid");
    fuzz::require(result->budget().is_possible(), "their budget is possible");
    // Written and read again they are the same.
    auto spelt = nlohmann::json::object();
    for (auto const& field : condense::settings_fields)
        if (auto const value = field.get(*result)) {
            auto const key = std::string{field.key};
            if (field.kind == condense::settings_kind::on_or_off) spelt[key] = *value != 0;
            else if (field.kind == condense::settings_kind::share)
                spelt[key] = std::to_string(*value / 100) + "." + std::to_string(100 + *value % 100).substr(1) + "%";
            else spelt[key] = *value;
        }
    auto const again = condense::settings_from_json(spelt.dump());
    fuzz::require(static_cast<bool>(again) && *again == *result, "settings survive being written");
}

/// Variables of choice.
struct variables {
    std::map<std::string, std::string> all;
    std::optional<std::string> operator()(std::string const& name) const {
        auto const found = all.find(name);
        return found == all.end() ? std::nullopt : std::optional{found->second};
    }
    std::vector<std::string> names() const {
        std::vector<std::string> out;
        for (auto const& [name, value] : all) out.push_back(name);
        return out;
    }
};

void check_variables(byte_source& bytes) {
    variables chosen;
    while (!bytes.empty()) {
        auto const which = bytes.below(condense::settings_fields.size() + 2);
        auto const name = which < condense::settings_fields.size() ? condense::settings_fields[which].variable()
                                                                   : "CONDENSE_" + std::string{bytes.text(20)};
        auto value = std::string{bytes.text(24)};
        if (bytes.chance(50)) value = std::to_string(bytes.below(65'536));
        if (bytes.chance(20)) value += "%";
        chosen.all[name] = value;
    }
    auto const result = settings::from_environment("CONDENSE_", chosen);
    check_settings(result);
    for (auto const& warning : result.warnings()) fuzz::require(printable(warning), "a warning is a sentence");
}

void check_catalog(std::string_view text) {
    auto const read = condense::read_model_catalog(text);
    if (!read) return fuzz::require(printable(read.error.reason), "an error is a sentence");
    fuzz::require(read.catalog.size() != 0, "a catalogue has a model");
    auto const document = nlohmann::json::parse(text, nullptr, false);
    for (auto const& [provider, entry] : document.items()) {
        if (!entry.is_object() || !entry.contains("models") || !entry["models"].is_object()) continue;
        for (auto const& [id, model] : entry["models"].items())
            for (auto const& name : {provider + "/" + id, id}) {
                auto const found = read.catalog.find(name);
                fuzz::require(found.facts.window.count != 0, "a model has a window");
                fuzz::require(found.facts.output <= found.facts.window, "an answer fits its window");
                fuzz::require(found.facts.input <= found.facts.window, "so does what is sent");
                fuzz::require(condense::budget_for(found.facts).is_possible(), "its budget is possible");
            }
    }
}

/// Collects what is pushed.
struct list {
    std::vector<condense::chat_message> all;
    std::vector<condense::chat_message> const& history() const { return all; }
    void push(condense::chat_message m) { all.push_back(std::move(m)); }
};

void check_instructions(byte_source& bytes) {
    static auto const top = [] {
        auto const path = fuzz::folder() + "/instructions";
        fs::create_directories(path + "/repo/.git");
        fs::create_directories(path + "/repo/src");
        return path;
    }();
    std::string const files[] = {top + "/AGENTS.md", top + "/repo/AGENTS.md", top + "/repo/src/AGENTS.md"};
    auto const limit = bytes.below(2'000);
    std::size_t texts = 0;
    for (auto const& file : files) {
        std::error_code ignored;
        fs::remove(file, ignored);
        auto content = std::string{bytes.text(300)};
        for (auto more = bytes.below(4); more != 0; --more) content += content.substr(0, 500);
        if (bytes.chance(15)) continue;
        fuzz::write(file, content);
        texts += content.empty() || content == "\xEF\xBB\xBF" ? 0u : 1u;
    }
    auto const read =
        condense::instructions::load({.global = files[0], .working = top + "/repo/src", .limit = {limit}});
    fuzz::require(read.errors.empty(), "there is nothing wrong with these files");
    fuzz::require(read.text.size() <= limit, "the text keeps to its limit");
    fuzz::require(condense::detail::utf8::valid(read.text), "it is UTF-8");
    std::size_t cut = 0, used = 0;
    for (auto const& source : read.sources) {
        cut += source.cut ? 1u : 0u;
        used += source.used.count != 0 ? 1u : 0u;
    }
    fuzz::require(read.truncated == (cut != 0), "it says whether something is left out");
    fuzz::require(read.truncated || used == texts, "all files are in it, or it says so");
    list chat;
    auto const pushed = read.push_to(chat);
    fuzz::require((pushed == condense::instructions_pushed::empty) == read.text.empty(), "a text is pushed");
    if (read.text.empty()) return;
    fuzz::require(pushed == condense::instructions_pushed::yes && chat.all.size() == 1, "once");
    fuzz::require(read.push_to(chat) == condense::instructions_pushed::unchanged, "and not again");
}

}  // namespace

fuzz::corpus fuzz::make_corpus() {
    corpus made{.words = listed("config", "words"), .mutations = 20'000};
    made.add(std::string(1, '\0'), listed("config", "settings"));
    made.add("\1", listed("config", "catalogs"));
    for (auto const* const mode : {"\2", "\3"}) made.add(mode, random_seeds(8, 30));
    for (auto const& field : condense::settings_fields) made.words.push_back("\"" + std::string{field.key} + "\":");
    made.words.emplace_back("\xFF");
    return made;
}

void fuzz::try_input(byte_source bytes) {
    switch (bytes.below(256) % 4) {
        case 0: check_settings(condense::settings_from_json(bytes.rest())); break;
        case 1: check_catalog(bytes.rest()); break;
        case 2: check_variables(bytes); break;
        default: check_instructions(bytes);
    }
}
