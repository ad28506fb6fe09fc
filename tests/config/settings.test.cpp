// SPDX-License-Identifier: BSL-1.0
#include <condense/config/settings.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <condense/condense.hpp>
#include <condense/store/memory.hpp>

#include "adapt/every_setting.hpp"
#include "core/constant.hpp"
#include "support/fakes.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::settings, condense::settings_error, condense::settings_fault, condense::settings_result;

using variables = std::map<std::string, std::string>;

std::optional<std::string> value_in(variables const& given, std::string const& name) {
    auto const found = given.find(name);
    return found == given.end() ? std::nullopt : std::optional{found->second};
}
settings_result reading(variables const& given, std::string_view prefix = "CONDENSE_") {
    return settings::from_environment(prefix, [&](std::string const& name) { return value_in(given, name); });
}

settings_error refusal_of(variables const& given) {
    auto const read = reading(given);
    REQUIRE_FALSE(read);
    return read.error();
}

/// An environment that says what is in it.
struct told {
    variables held;
    std::optional<std::string> operator()(std::string const& name) const { return value_in(held, name); }
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (auto const& [name, value] : held) all.push_back(name);
        return all;
    }
};

constexpr bool the_last_messages_follow_the_window() {
    auto const of = [](std::uint64_t window, std::uint64_t first = 1) {
        return settings{.window_messages = {window}, .preserve_first = {first}}.last_preserved().count;
    };
    return of(100) == 15 && of(1'000) == 150 && of(50) == 8 && of(18) == 8 && of(17) == 7 && of(10) == 4 &&
           of(2) == 0 && of(1) == 0 && of(100, 40) == 10 && of(100, 50) == 0 &&
           of(~std::uint64_t{0}) == condense::percent{1'500}.of(condense::messages{~std::uint64_t{0}}).count &&
           settings{.preserve_last = 3_messages}.last_preserved() == 3_messages;
}

template <class Lookup>
concept looks = condense::detail::environment<Lookup>;
static_assert(looks<condense::detail::process_environment> && looks<std::optional<std::string> (*)(std::string_view)>);
static_assert(!looks<char const* (*)(std::string const&)> && !looks<int>);

bool is_printable(std::string_view text) {
    auto const is_control = [](char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F; };
    return std::ranges::none_of(text, is_control) && condense::detail::utf8::valid(text);
}

TEST_CASE("settings: defaults, shares and zones are worked out in integers") {
    // Defaults are the documented ones.
    constexpr settings made;
    CHECK_CONSTANT(made.budget() ==
                       condense::budget{.window = 200'000_tokens, .output = 20'000_tokens, .overhead = 11'000_tokens} &&
                   made.due_at() == 65_pct && made.truncate_to == 8'000_chars && made.result_cap == 30'000_chars &&
                   made.artifact_threshold == 10'000_chars && made.window_messages == 100_messages &&
                   made.preserve_first == 1_messages && made.last_preserved() == 15_messages &&
                   made.preview_end() == 2'000_chars);
    // The cache relaxes up to the ceiling.
    CHECK_CONSTANT(settings{.cache_hint = true}.due_at() == 75_pct &&
                   settings{.cache_relax = 20_pct}.due_at() == 65_pct &&
                   settings{.threshold = 95_pct, .cache_hint = true}.due_at() == 98_pct &&
                   settings{.threshold = 100_pct}.due_at() == 98_pct &&
                   settings{.threshold = {~0u}, .cache_hint = true, .cache_relax = {~0u}}.due_at() == 98_pct);
    CHECK_CONSTANT(the_last_messages_follow_the_window());
    // Previews stay below what is stored.
    CHECK_CONSTANT(settings{.artifact_threshold = 4'000_chars}.preview_end() == 1'000_chars &&
                   settings{.artifact_threshold = 8'000_chars}.preview_end() == 2'000_chars &&
                   settings{.artifact_threshold = 80'000_chars}.preview_end() == 2'000_chars);
    CHECK_FALSE(settings{}.problem());
}

TEST_CASE("settings: every variable is read, and no other") {
    using set = variables::value_type;
    auto const read = reading({set{"CONDENSE_CONTEXT_LIMIT", "128000"}, set{"CONDENSE_OUTPUT_RESERVE", "4096"},
                               set{"CONDENSE_SYSTEM_OVERHEAD", "1"}, set{"CONDENSE_TOOLS_OVERHEAD", "0"},
                               set{"CONDENSE_THRESHOLD", "0.705"}, set{"CONDENSE_CACHE_HINT", "on"},
                               set{"CONDENSE_CACHE_RELAX", "5.25 %"}, set{"CONDENSE_TRUNCATE_TO", "5000"},
                               set{"CONDENSE_RESULT_CAP", "20000"}, set{"CONDENSE_ARTIFACT_THRESHOLD", "12000"},
                               set{"CONDENSE_WINDOW_MESSAGES", "60"}, set{"CONDENSE_PRESERVE_FIRST", "2"},
                               set{"CONDENSE_PRESERVE_LAST", "12"}, set{"CONDENSE_UNHEARD_OF", "x"},
                               set{"THRESHOLD", "nonsense"}, set{"condense_threshold", "nonsense"}});
    REQUIRE(read);
    CHECK(*read == every_setting);
    CHECK(read->due_at() == condense::percent{7'575});
    CHECK(read->budget() == condense::budget{.window = 128'000_tokens, .output = 4'096_tokens, .overhead = 1_tokens});
    CHECK(condense::settings_fields.size() == 13);
}

TEST_CASE("settings: not set or empty is the default, and the process has an environment") {
    CHECK(reading({}).value() == settings{});
    variables empty;
    for (auto const& field : condense::settings_fields) empty[field.variable()] = "";
    CHECK(reading(empty).value() == settings{});
    CHECK(reading({{"MY_THRESHOLD", "50%"}}, "MY_").value() == settings{.threshold = 50_pct});
    CHECK(reading({{"THRESHOLD", "50%"}}, "").value() == settings{.threshold = 50_pct});
    CHECK(reading({{"CONDENSE_CONTEXT_LIMIT", "16000"}}).value().budget().output == 1'600_tokens);
    CHECK(reading({{"CONDENSE_PRESERVE_LAST", "0"}}).value().last_preserved() == 0_messages);
    CHECK_THROWS_AS(reading({}).error(), condense::invalid_configuration);
    CHECK_THROWS_AS(reading({{"CONDENSE_THRESHOLD", "0"}}).value(), condense::invalid_configuration);
    REQUIRE(::setenv("CONDENSE_TEST_SETTINGS_THRESHOLD", "70%", 1) == 0);
    CHECK(settings::from_environment("CONDENSE_TEST_SETTINGS_").value() == settings{.threshold = 70_pct});
    REQUIRE(::setenv("CONDENSE_TEST_SETTINGS_THRESHOLD", "70", 1) == 0);
    CHECK(settings::from_environment("CONDENSE_TEST_SETTINGS_").error().name == "CONDENSE_TEST_SETTINGS_THRESHOLD");
    REQUIRE(::unsetenv("CONDENSE_TEST_SETTINGS_THRESHOLD") == 0);
    CHECK(settings::from_environment("CONDENSE_TEST_SETTINGS_").value() == settings{});
}

TEST_CASE("settings: a refused value is named with its rule") {
    auto const bad = refusal_of({{"CONDENSE_THRESHOLD", "lots"}});
    CHECK(bad == settings_error{settings_fault::malformed, "CONDENSE_THRESHOLD", "lots",
                                "must be a share above 0 and at most 100 %"});
    CHECK(bad.text() ==
          "condense: settings: CONDENSE_THRESHOLD must be a share above 0 and at most 100 %, not \"lots\" (see "
          "settings)");
    CHECK(refusal_of({{"CONDENSE_WINDOW_MESSAGES", "0"}}).text() ==
          "condense: settings: CONDENSE_WINDOW_MESSAGES must be a whole number of messages from 1 to 1,000,000,000, "
          "not \"0\" (see settings)");
    CHECK(refusal_of({{"CONDENSE_CACHE_HINT", "perhaps"}}).rule == "must be on or off");
    CHECK(refusal_of({{"CONDENSE_CACHE_RELAX", "2"}}).rule == "must be a share of at most 100 %");
}

TEST_CASE("settings: every field has both its bounds") {
    for (auto const& field : condense::settings_fields) {
        INFO(field.key);
        auto const spelt = [&](std::uint64_t value) {
            return field.kind == condense::settings_kind::share
                       ? std::to_string(value / 100) + "." + std::to_string(value % 100 + 100).substr(1) + "%"
                       : std::to_string(value);
        };
        auto const fault = [&](std::string const& value) -> std::optional<settings_fault> {
            auto const read = reading({{field.variable(), value}});
            if (read) return std::nullopt;
            CHECK(read.error().name.starts_with("CONDENSE_"));
            return read.error().fault;
        };
        // A value may be in its range and not go with the defaults of the others.
        auto const in_range = [&](std::string const& value) {
            auto const found = fault(value);
            return !found || found == settings_fault::conflict;
        };
        CHECK((in_range(spelt(field.least)) && in_range(spelt(field.most))));
        if (field.kind == condense::settings_kind::on_or_off) CHECK(fault("2") == settings_fault::malformed);
        else {
            CHECK(fault(spelt(field.most + 1)) == settings_fault::out_of_range);
            if (field.least != 0) CHECK(fault(spelt(field.least - 1)) == settings_fault::out_of_range);
            CHECK(fault("18446744073709551616") == settings_fault::out_of_range);
            CHECK(fault(letters(1'000'000, '9')) == settings_fault::out_of_range);
        }
        for (std::string const given : {" ", "-1", "x", "1x", "0x1", "1e3", "\xFF", "1,5"})
            CHECK(fault(given) == settings_fault::malformed);
        if (field.kind == condense::settings_kind::share) CHECK(fault("0.65001") == settings_fault::too_fine);
        // What was set by hand passes through the same table.
        if (field.kind == condense::settings_kind::on_or_off) continue;
        settings made;
        field.set(made, field.most + 1);
        auto const problem = made.problem();
        REQUIRE(problem);
        CHECK((problem->fault == settings_fault::out_of_range && problem->name == field.key));
    }
}

TEST_CASE("settings: what cannot work together is refused by the names the user knows") {
    auto const sentence = [](variables const& given) { return refusal_of(given).text(); };
    CHECK(sentence({{"CONDENSE_CONTEXT_LIMIT", "12000"}}) ==
          "condense: settings: CONDENSE_CONTEXT_LIMIT must be above the output reserve and the overheads, together "
          "12,200 tokens, not \"12,000\" (see settings)");
    CHECK(sentence({{"CONDENSE_OUTPUT_RESERVE", "189000"}}).find("together 200,000 tokens") != std::string::npos);
    CHECK(reading({{"CONDENSE_OUTPUT_RESERVE", "188999"}}));
    CHECK(sentence({{"CONDENSE_TRUNCATE_TO", "10000"}}) ==
          "condense: settings: CONDENSE_TRUNCATE_TO must be below CONDENSE_ARTIFACT_THRESHOLD (10,000), not \"10,000\" "
          "(see settings)");
    CHECK(reading({{"CONDENSE_TRUNCATE_TO", "9999"}}));
    CHECK(sentence({{"CONDENSE_RESULT_CAP", "9999"}}) ==
          "condense: settings: CONDENSE_ARTIFACT_THRESHOLD must be at most CONDENSE_RESULT_CAP (9,999), not \"10,000\" "
          "(see settings)");
    CHECK(reading({{"CONDENSE_RESULT_CAP", "10000"}}));
    CHECK(sentence({{"CONDENSE_PRESERVE_FIRST", "51"}}) ==
          "condense: settings: CONDENSE_PRESERVE_FIRST must be at most half of CONDENSE_WINDOW_MESSAGES (100), not "
          "\"51\" (see settings)");
    CHECK(reading({{"CONDENSE_PRESERVE_FIRST", "50"}}));
    CHECK(sentence({{"CONDENSE_PRESERVE_LAST", "50"}}) ==
          "condense: settings: CONDENSE_PRESERVE_LAST with CONDENSE_PRESERVE_FIRST (1) must be at most half of "
          "CONDENSE_WINDOW_MESSAGES (100), not \"50\" (see settings)");
    CHECK(reading({{"CONDENSE_PRESERVE_LAST", "49"}}));
    CHECK(sentence({{"CONDENSE_PRESERVE_FIRST", "1"}, {"CONDENSE_WINDOW_MESSAGES", "1"}}).find("PRESERVE_FIRST must") !=
          std::string::npos);
    auto const by_hand = settings{.truncate_to = 10'000_chars}.problem();
    REQUIRE(by_hand);
    CHECK((by_hand->name == "truncate_to" && by_hand->fault == settings_fault::conflict));
}

TEST_CASE("settings: hostile values and names cannot spoil a terminal") {
    auto const hostile = "\x1B]0;x\x07\r\n\xC2\x9B\x33\x31m\xE2\x80\xAE\xFF" + letters(1, '\0') + letters(3'000'000);
    auto const read = reading({{"A\nB_THRESHOLD", hostile}}, "A\nB_");
    REQUIRE_FALSE(read);
    auto const bad = read.error();
    CHECK(is_printable(bad.text()));
    CHECK((bad.text().size() < 400 && bad.name == "A B_THRESHOLD"));
    CHECK((bad.value.find("\xC2\x9B") == std::string::npos && bad.value.find("\xE2\x80\xAE") == std::string::npos));
    CHECK(bad.value.ends_with("xxx..."));
}

static_assert(condense::detail::least_chars == 2 * condense::detail::omission_limit, "a marker has room");

/// A result of so many characters after the layers that settings are for.
std::uint64_t left_of(settings const& set, auto const& store, std::size_t size) {
    auto const within = [](condense::chars most) {
        return condense::head_tail{.head = most, .tail = most, .at_most = most};
    };
    condense::pipeline const mix{
        condense::offload{
            .over = set.artifact_threshold, .preview = {set.preview_end(), set.preview_end()}, .into = store},
        condense::compress{.when = condense::always, .over = set.result_cap, .with = within(set.result_cap)},
        condense::compress{
            .when = condense::used >= set.due_at(), .over = set.truncate_to, .with = within(set.truncate_to)}};
    conversation history{U("go"), C("1", "read"), R("1", letters(size)), A("done")};
    static_cast<void>(condense::reduce(history, mix, set.budget()));
    return condense::detail::utf8::count(history.at(2).parts.at(0).text);
}

TEST_CASE("settings: sizes go together at every limit") {
    condense::memory_store const store;
    fakes::shelf const full;
    full.held->fails = true;
    for (auto const& set :
         {settings{}, settings{.truncate_to = {384}, .artifact_threshold = {385}},
          settings{.truncate_to = {384}, .result_cap = {385}, .artifact_threshold = {385}},
          settings{.truncate_to = {50'000}, .result_cap = {90'000}, .artifact_threshold = {60'000}}}) {
        REQUIRE_FALSE(set.problem());
        CHECK(left_of(set, store, 200'000) < set.artifact_threshold.count);
        CHECK(left_of(set, full, 200'000) <= set.result_cap.count);
        CHECK(left_of(set, full, 200'000) > set.artifact_threshold.count / 2);
        CHECK(left_of(set, full, set.artifact_threshold.count) == set.artifact_threshold.count);
        auto tight = set;
        tight.context_limit = 11'300_tokens;  // too little: what is due at 65 % is due
        tight.output_reserve = 0_tokens;
        CHECK(left_of(tight, full, 200'000) <= tight.truncate_to.count);
        CHECK(left_of(tight, full, 200'000) > tight.truncate_to.count / 2);
    }
}

TEST_CASE("settings: the README has a row for each, with its default") {
    auto const path = std::filesystem::path{__FILE__}.parent_path().parent_path().parent_path() / "include" /
                      "condense" / "config" / "README.md";
    std::ifstream file{path, std::ios::binary};
    REQUIRE(file);
    std::string const readme{std::istreambuf_iterator<char>{file}, {}};
    auto const begin = readme.find("\n## How do operators set the limits?\n");
    REQUIRE(begin != std::string::npos);
    auto const section = readme.substr(begin, readme.find("\n## ", begin + 5) - begin);
    std::string table = "| variable | JSON key | default | meaning |\n|---|---|---|---|\n";
    for (auto const& field : condense::settings_fields)
        table += "| `" + field.variable() + "` | `" + std::string{field.key} + "` | " + std::string{field.fallback()} +
                 " | " + std::string{field.meaning} + " |\n";
    auto const from = section.find("| variable |");
    REQUIRE(from != std::string::npos);
    CHECK(section.substr(from, section.find("\n\n", from) + 1 - from) == table);
}

TEST_CASE("settings: a variable with the prefix that is no setting is named in a warning") {
    auto const warnings = [](variables const& given, std::string_view prefix = "CONDENSE_") {
        auto const read = settings::from_environment(prefix, told{given});
        REQUIRE(read);
        return read.warnings();
    };
    using list = std::vector<std::string>;
    CHECK(warnings({{"CONDENSE_THRESHOLD", "70%"}, {"PATH", "/bin"}, {"CONDENS_THRESHOLD", "1"}}) == list{});
    CHECK(warnings({{"CONDENSE_TRESHOLD", "70%"}}) ==
          list{"condense: settings: CONDENSE_TRESHOLD is no setting; is CONDENSE_THRESHOLD meant? (see settings)"});
    CHECK(
        warnings({{"CONDENSE_CONTEXTLIMIT", "1"}, {"CONDENSE_threshold", "1"}, {"CONDENSE_VERBOSE", ""}}) ==
        list{"condense: settings: CONDENSE_CONTEXTLIMIT is no setting; is CONDENSE_CONTEXT_LIMIT meant? (see settings)",
             "condense: settings: CONDENSE_VERBOSE is no setting (see settings)",
             "condense: settings: CONDENSE_threshold is no setting (see settings)"});
    CHECK(warnings({{"MY_RESULT_CAPS", "1"}, {"CONDENSE_X", "1"}}, "MY_") ==
          list{"condense: settings: MY_RESULT_CAPS is no setting; is MY_RESULT_CAP meant? (see settings)"});
    CHECK(warnings({{"CONDENSE_\x1B[31m", "1"}}).at(0).find('\x1B') == std::string::npos);
    CHECK(warnings({{"ANYTHING", "1"}}, "") == list{});
    CHECK(reading({{"CONDENSE_TRESHOLD", "70%"}}).warnings().empty());  // it does not say what there is

    ::setenv("CONDENSE_TEST_TRUNCATE_TOO", "1", 1);
    auto const of_the_process = settings::from_environment("CONDENSE_TEST_");
    ::unsetenv("CONDENSE_TEST_TRUNCATE_TOO");
    REQUIRE(of_the_process.warnings().size() == 1);
    CHECK(of_the_process.warnings()[0].find("CONDENSE_TEST_TRUNCATE_TO meant?") != std::string::npos);
}

}  // namespace
