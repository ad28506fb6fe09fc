// SPDX-License-Identifier: BSL-1.0
#include <condense/config/json_settings.hpp>

#include <limits>

#include "adapt/every_setting.hpp"
#include "support/catch.hpp"

namespace {

using namespace condense::literals;
using condense::settings, condense::settings_error, condense::settings_fault, condense::settings_from_json;
using condense::settings_kind;

settings_error refusal_of(std::string_view text) {
    INFO(text.substr(0, 200));
    auto const read = settings_from_json(text);
    REQUIRE_FALSE(read);
    CHECK(read.error().text().size() < 500);
    return read.error();
}

settings_fault fault_of(std::string_view text) { return refusal_of(text).fault; }

std::string object_of(std::string_view key, std::string_view value) {
    return std::string{"{\""}.append(key).append("\": ").append(value).append("}");
}

}  // namespace

TEMPLATE_TEST_CASE("settings_from_json: every key is read", "", nlohmann::json, nlohmann::ordered_json) {
    auto const document = TestType::parse(R"({"preserve_last": 12, "preserve_first": 2, "window_messages": 60,
        "artifact_threshold": 12000, "result_cap": 20000, "truncate_to": 5000, "cache_relax": "5.25 %", "cache_hint": true,
        "threshold": 0.705, "tools_overhead": 0, "system_overhead": 1, "output_reserve": 4096, "context_limit": 128000})");
    CHECK(document.size() == condense::settings_fields.size());
    CHECK(settings_from_json(document).value() == every_setting);
    CHECK(settings_from_json(document.dump()).value() == every_setting);
    CHECK(settings_from_json(TestType::object()).value() == settings{});
    // Numbers that a program has put there need not be unsigned.
    TestType built = TestType::object();
    built["context_limit"] = 50'000;
    built["threshold"] = 1;
    CHECK(settings_from_json(built).value() == settings{.context_limit = 50'000_tokens, .threshold = 100_pct});
    CHECK(settings_from_json(TestType(7)).error().fault == settings_fault::unreadable);
}

TEST_CASE("settings_from_json: every share of two places is exact") {
    for (unsigned points = 1; points <= 10'000; ++points) {
        auto const digits = std::to_string(10'000 + points % 10'000).substr(1);
        auto const read = settings_from_json(object_of("threshold", (points == 10'000 ? "1." : "0.") + digits));
        // What is below 0.0001 of 1 has an exponent in its shortest spelling; 0.0001 has none.
        REQUIRE(read);
        REQUIRE(read->threshold.basis_points == points);
    }
}

TEST_CASE("settings_from_json: values of another type or out of range are refused by key") {
    for (auto const& field : condense::settings_fields) {
        for (std::string_view const value :
             {"null", "[]", "{}", "[[[1]]]", "\"x\"", "true", "1.5", "1e3", "3", "\"3\"", "\"on\""}) {
            bool const fits = field.kind == settings_kind::on_or_off ? value == "true" || value.front() == '"'
                              : field.kind == settings_kind::count
                                  ? value == "3"
                                  : value.find_first_of("[{nt") == value.npos || value.front() == '"';
            if (fits) continue;
            auto const bad = refusal_of(object_of(field.key, value));
            CHECK((bad.fault == settings_fault::wrong_type && bad.name == field.key));
            CHECK(bad.rule == (field.kind == settings_kind::on_or_off ? "must be true or false, or a text: on or off"
                                                                      : field.rule()));
        }
    }
    CHECK(refusal_of(R"({"context_limit": "200000"})").text() ==
          "condense: settings: context_limit must be a whole number of tokens from 1 to 1,000,000,000,000, not "
          "\"200000\" (see settings)");
    CHECK(refusal_of(R"({"context_limit": [1, 2]})").value == "an array");
    CHECK(fault_of(R"({"threshold": "much"})") == settings_fault::malformed);
    for (std::string_view const value : {"0", "-1", "1000000000001", "18446744073709551615", "-9223372036854775808"})
        CHECK(refusal_of(object_of("context_limit", value)).fault == settings_fault::out_of_range);
    for (std::string_view const value : {"0", "0.0", "-0.5", "1.0001", "65", "\"101%\"", "-1"})
        CHECK(refusal_of(object_of("threshold", value)).fault == settings_fault::out_of_range);
    for (std::string_view const value : {"0.65001", "0.30000000000000004", "\"0.001%\""})
        CHECK(refusal_of(object_of("threshold", value)).fault == settings_fault::too_fine);
    // One digit more than 64 bits makes a double of it.
    CHECK(fault_of(object_of("context_limit", "18446744073709551616")) == settings_fault::wrong_type);
    CHECK(fault_of(object_of("threshold", "1e-300")) == settings_fault::malformed);
    auto document = nlohmann::json::object();
    document["threshold"] = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(settings_from_json(document));
    document["threshold"] = std::numeric_limits<double>::infinity();
    CHECK_FALSE(settings_from_json(document));
}

TEST_CASE("settings_from_json: unknown and repeated keys are refused, and values are checked together") {
    CHECK(refusal_of(R"({"treshold": 0.5})").text() ==
          "condense: settings: treshold must be the name of a setting (see settings)");
    CHECK(fault_of(R"({"CONDENSE_THRESHOLD": 0.5})") == settings_fault::unknown);
    CHECK(fault_of(R"({"": 0.5})") == settings_fault::unknown);
    CHECK(fault_of(R"({"Threshold": 0.5})") == settings_fault::unknown);
    CHECK(refusal_of(R"({"threshold": 0.5, "threshold": 0.5})").text() ==
          "condense: settings: threshold must be there only once (see settings)");
    CHECK(fault_of(R"({"threshold": 0.5, "window_messages": 50, "\u0074hreshold": 0.6})") == settings_fault::duplicate);
    CHECK(fault_of(R"({"colour": 1, "colour": 1})") == settings_fault::duplicate);
    std::string many = "{";
    for (int key = 0; key < 5'000; ++key) many += "\"k" + std::to_string(key) + "\":0,";
    many.back() = '}';
    CHECK(fault_of(many) == settings_fault::unknown);
    // Inside of a value nothing is a key of ours.
    CHECK(fault_of(R"({"threshold": {"a": 1, "a": 2}})") == settings_fault::wrong_type);
    auto const bad = refusal_of(R"({"truncate_to": 20000})");
    CHECK(bad.fault == settings_fault::conflict);
    CHECK(bad.text() ==
          "condense: settings: truncate_to must be below artifact_threshold (10,000), not \"20,000\" (see settings)");
}

TEST_CASE("settings_from_json: any text is survived") {
    for (std::string_view const text :
         {"", " ", "{", "nothing", "{\"threshold\": 0.5,}", "{\"threshold\": 1e999}", "\xFF", "{\"\xFF\": 1}", "{} {}"})
        CHECK(fault_of(text) == settings_fault::unreadable);
    for (std::string_view const text : {"[]", "null", "1", "\"threshold\"", "true"}) {
        auto const bad = refusal_of(text);
        CHECK((bad.fault == settings_fault::unreadable && bad.rule == "must be a JSON object"));
    }
    CHECK(refusal_of("{\"threshold\": }").text().find("condense: settings: the document must be JSON: byte 15") == 0);
    CHECK(fault_of(std::string(1'000'000, '[')) == settings_fault::unreadable);
    CHECK(fault_of("{\"threshold\": " + std::string(100, '[') + std::string(100, ']') + "}") ==
          settings_fault::wrong_type);
    auto const loud = refusal_of("{\"\\u001b[31m\\u0000\\u009b" + std::string(1'000'000, 'k') + "\": 1}");
    CHECK((loud.name.size() < 100 && loud.name.starts_with(" [31m  kkk")));
    CHECK(refusal_of("{\"threshold\": \"" + std::string(1'000'000, '9') + "\"}").fault == settings_fault::out_of_range);
    CHECK(settings_from_json("\xEF\xBB\xBF{\"threshold\": 0.5}").value() == settings{.threshold = 50_pct});
    CHECK(settings_from_json(" \n{ } ").value() == settings{});
}

TEST_CASE("json_settings: switches are also texts, and what is neither is told what is wanted") {
    for (auto const* const on : {"true", R"("on")", R"("On")", R"("true")"})
        CHECK(condense::settings_from_json(std::string{R"({"cache_hint": )"} + on + "}")->cache_hint);
    for (auto const* const off : {"false", R"("off")", R"("FALSE")"})
        CHECK_FALSE(condense::settings_from_json(std::string{R"({"cache_hint": )"} + off + "}")->cache_hint);
    CHECK(condense::settings_from_json(R"({"cache_hint": 1})").error().text() ==
          "condense: settings: cache_hint must be true or false, or a text: on or off, not \"1\" (see settings)");
    CHECK(condense::settings_from_json(R"({"cache_hint": "perhaps"})").error().text() ==
          "condense: settings: cache_hint must be on or off, not \"perhaps\" (see settings)");
}
