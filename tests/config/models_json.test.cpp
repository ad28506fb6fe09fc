// SPDX-License-Identifier: BSL-1.0
#include <condense/config/models_json.hpp>

#include <random>

#include "support/catch.hpp"

using namespace condense::literals;
using condense::catalog_fault, condense::find_model, condense::model_match, condense::read_model_catalog;

namespace {

constexpr std::string_view sample = R"({
  "openai": {"id": "openai", "models": {
    "gpt-4o": {"limit": {"context": 99000, "output": 9000}, "cost": {"input": 2.5, "output": 10, "cache_read": 1.25}},
    "gpt-99": {"limit": {"context": 5e5, "input": 400000, "output": 100000}, "cost": {"input": 0.0028, "output": 4.1, "cache_write": 0.003625}},
    "gpt-free": {"limit": {"context": 1000, "output": 100}}}},
  "anthropic": {"models": {
    "claude-opus-7-1": {"limit": {"context": 3000000, "output": 200000}, "cost": {"input": 5, "output": 25}}}},
  "someone": {"models": {
    "gpt-4o": {"limit": {"context": 32000, "output": 4000}},
    "vendor/own-model": {"limit": {"context": 64000, "output": 4000}, "cost": {"input": 0, "output": 0}}}}
})";

condense::catalog_fault fault_of(std::string_view text) {
    auto const read = read_model_catalog(text);
    CHECK(static_cast<bool>(read) == (read.error.fault == catalog_fault::none));
    CHECK(read.error.reason.empty() == static_cast<bool>(read));
    for (char const byte : read.error.reason) CHECK(static_cast<unsigned char>(byte) >= 0x20);
    return read.error.fault;
}

condense::model_catalog loaded(std::string_view text = sample) {
    auto read = read_model_catalog(text);
    REQUIRE(read);
    return std::move(read.catalog);
}

}  // namespace

TEST_CASE("models_json: a catalogue adds and overrides") {
    auto const catalog = loaded();
    CHECK((catalog.size() == 6 && catalog.skipped() == 0));

    auto const known = catalog.find("gpt-4o");
    CHECK((known.match == model_match::exact && known.facts.name == "gpt-4o" && known.facts.window == 99'000_tokens));
    CHECK(known.facts.tokenizer == "o200k_base");  // what the file does not say stays as built in
    CHECK(known.facts.image == find_model("gpt-4o").facts.image);
    CHECK(known.facts.price == condense::prices{2.5_per_million, 1.25_per_million, 2.5_per_million, 10_per_million});

    auto const added = catalog.find("openai/GPT-99").facts;
    CHECK((added.window == 500'000_tokens && added.input == 400'000_tokens));
    CHECK(added.family == condense::model_family::gpt);
    CHECK(added.price ==
          condense::prices{0.0028_per_million, 0.0028_per_million, 0.003625_per_million, 4.1_per_million});
    CHECK(budget_for(catalog.find("gpt-99")).input() == 400'000_tokens);
    CHECK_FALSE(catalog.find("gpt-free").facts.price);
    CHECK(catalog.find("someone/vendor/own-model").facts.price->output == condense::price{});
}

TEST_CASE("models_json: whether a model reasons is read, or stays as it is built in", "[row-C12]") {
    using condense::reasoning_use;
    auto const catalog = loaded(R"({"openai": {"models": {
        "gpt-4o": {"limit": {"context": 99000}, "reasoning": true},
        "gpt-5": {"limit": {"context": 99000}, "reasoning": false},
        "gpt-4.1": {"limit": {"context": 99000}, "reasoning": "yes"},
        "gpt-99": {"limit": {"context": 99000}}}}})");
    CHECK(catalog.find("gpt-4o").facts.reasoning == reasoning_use::takes_back);
    CHECK(catalog.find("gpt-5").facts.reasoning == reasoning_use::none);
    CHECK(catalog.find("gpt-4.1").facts.reasoning == reasoning_use::none);
    CHECK(catalog.find("gpt-99").facts.reasoning == reasoning_use::unknown);
}

TEST_CASE("models_json: a provider speaks for itself, its maker for the model; all else is built in, or unknown") {
    auto const catalog = loaded();
    CHECK(catalog.find("someone/gpt-4o").facts.window == 32'000_tokens);
    CHECK(catalog.find("azure/gpt-4o").facts.window == 99'000_tokens);
    CHECK((!catalog.find("vendor/own-model").known() && !catalog.find("own-model").known()));
    CHECK(catalog.find("claude-opus-7-1-20270101").match == model_match::snapshot);
    CHECK(catalog.find("us.anthropic.claude-opus-7.1-v1:0").facts.window == 3'000'000_tokens);
    CHECK(catalog.find("chatgpt-4o-latest").match == model_match::alias);
    CHECK(catalog.find("chatgpt-4o-latest").facts.window == 99'000_tokens);
    CHECK(catalog.find("claude-opus-4-5") == find_model("claude-opus-4-5"));
    CHECK(catalog.find("claude-opus-4-5-20251101") == find_model("claude-opus-4-5-20251101"));
    for (std::string_view const name : {"", "/", "gpt", "gpt-9", "openai/", "someone/", "openai/gpt-4"}) {
        CAPTURE(name);
        CHECK(catalog.find(name) == find_model(name));
    }
    condense::model_catalog const none;
    CHECK(none.find("gpt-4o") == find_model("gpt-4o"));
}

TEST_CASE("models_json: figures that cannot be are not believed") {
    auto const of = [](std::string const& limit, std::string const& cost) {
        return loaded(R"({"openai":{"models":{"gpt-4":{"limit":)" + limit + R"(,"cost":)" + cost +
                      R"(},"new":{"limit":)" + limit + R"(,"cost":)" + cost +
                      R"(},"good":{"limit":{"context":5000}}}}})");
    };
    for (std::string const limit :
         {"null", "[]", "{}", R"({"context":0})", R"({"context":-1})", R"({"context":1e300})", R"({"context":"8192"})",
          R"({"context":18446744073709551615})", R"({"context":99999999999999999999999})", R"({"context":0.5})"}) {
        auto const catalog = of(limit, R"({"input":1,"output":2})");
        CAPTURE(limit);
        CHECK((catalog.size() == 2 && catalog.skipped() == 2));
        CHECK(catalog.find("gpt-4").facts.window == 8'192_tokens);  // as built in
        CHECK((catalog.find("gpt-4").facts.price->input == 1_per_million && !catalog.find("new").known()));
    }
    for (std::string const cost :
         {"null", "[]", "{}", R"({"input":1})", R"({"input":-1,"output":2})", R"({"input":1e300,"output":2})",
          R"({"input":"1","output":2})", R"({"input":1,"output":null})"}) {
        auto const catalog = of(R"({"context":7000,"output":99999999,"input":7000})", cost);
        CAPTURE(cost);
        CHECK((catalog.size() == 3 && catalog.skipped() == 2 && !catalog.find("gpt-4").facts.price));
        CHECK((catalog.find("new").facts.output == 7'000_tokens && catalog.find("new").facts.input == 0_tokens));
    }
}

TEST_CASE("models_json: a wrong text is an error with a sentence") {
    CHECK((fault_of("") == catalog_fault::malformed && fault_of("{") == catalog_fault::malformed));
    CHECK(fault_of(sample.substr(0, sample.size() / 2)) == catalog_fault::malformed);
    CHECK(fault_of(std::string(100'000, '[')) == catalog_fault::malformed);
    CHECK(fault_of("{\"a\x01\":\xFF}") == catalog_fault::malformed);
    CHECK((fault_of("[]") == catalog_fault::not_a_catalog && fault_of("null") == catalog_fault::not_a_catalog));
    CHECK(fault_of("{}") == catalog_fault::not_a_catalog);
    CHECK(fault_of(R"({"openai":[],"x":{"models":[]},"y":{"models":{"m":7,"":{"limit":{"context":5}}}}})") ==
          catalog_fault::not_a_catalog);
    CHECK(fault_of(sample) == catalog_fault::none);
    auto const big = read_model_catalog(sample, {10});
    CHECK(big.error.fault == catalog_fault::too_large);
    CHECK(big.error.reason == "condense: model_catalog: the text must be no larger than the limit (see model_catalog)");
}

TEST_CASE("models_json: bytes changed at random do no harm") {
    std::mt19937 random{7};
    for (int round = 0; round < 2'000; ++round) {
        std::string text{sample};
        for (int change = 0; change < 1 + round % 5; ++change) {
            auto const at = random() % text.size();
            if (random() % 2 == 0) text[at] = static_cast<char>(random());
            else text.erase(at, random() % 20);
        }
        auto const read = read_model_catalog(text);
        if (!read) continue;
        CHECK(read.catalog.size() != 0);
        auto const found = read.catalog.find("gpt-4o").facts;
        CHECK((found.output <= found.window && found.window.count <= 1'000'000'000'000));
    }
}

TEST_CASE("models_json: a copy finds its own names") {
    std::string name;
    {
        auto catalog = loaded();
        auto const copy = catalog;
        catalog = {};
        name = copy.find("openai/gpt-99").facts.name;
        auto const moved = std::move(catalog);
        CHECK(moved.size() == 0);
    }
    CHECK(name == "gpt-99");
}

TEST_CASE("models_json: files") {
    namespace fs = std::filesystem;
    auto const folder = fs::temp_directory_path() / ("condense_models_" + std::to_string(std::random_device{}()));
    fs::create_directory(folder);
    auto const path = folder / "api.json";
    CHECK(condense::read_model_catalog_file(path).error.fault == catalog_fault::file);
    CHECK(condense::read_model_catalog_file(folder).error.fault == catalog_fault::file);
    std::ofstream{path, std::ios::binary} << sample;
    auto const read = condense::read_model_catalog_file(path);
    CHECK((read && read.catalog.size() == 6));
    CHECK(condense::read_model_catalog_file(path, {100}).error.fault == catalog_fault::too_large);
    CHECK(condense::read_model_catalog_file(path, condense::bytes{sample.size()}));
    std::ofstream{path, std::ios::binary | std::ios::trunc};
    CHECK(condense::read_model_catalog_file(path).error.fault == catalog_fault::malformed);
    if (fs::exists("/dev/zero"))
        CHECK(condense::read_model_catalog_file("/dev/zero").error.fault == catalog_fault::file);
    fs::remove_all(folder);
}
