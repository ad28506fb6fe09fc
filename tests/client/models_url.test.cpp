// SPDX-License-Identifier: BSL-1.0
#include <condense/client/models_url.hpp>

#include <condense/estimate/models.hpp>

#include "client/server.hpp"

namespace {

using namespace std::chrono_literals;
using namespace client_tests;
using condense::catalog_fault, condense::catalog_fetch, condense::catalog_origin, condense::catalog_source,
    condense::fetch_model_catalog;

condense::tokens window_of(catalog_fetch const& read) { return read.catalog.find("openai/gpt-4o").facts.window; }
condense::tokens built_in() { return condense::find_model("gpt-4o").facts.window; }

using ages = std::vector<std::chrono::seconds>;

void set_age(std::string const& path, std::chrono::seconds age) {
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - age);
}

void is_plain(std::string_view text) {
    CHECK(text.find("127.0.0.1") == text.npos);  // an address may hold what is secret
    for (char const byte : text) CHECK((static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7F));
}

}  // namespace

TEST_CASE("models_url: a list is downloaded once in its lifetime", "[client]") {
    auto const& local = fresh_server();
    scratch::folder const in;
    auto const path = in / "cache/models.json";
    auto const from = [&](char const* mode) { return catalog_source{.url = local.url(mode), .file = path}; };
    auto const first = fetch_model_catalog(from("catalog-77000"));
    CHECK(first.origin == catalog_origin::download);
    CHECK_FALSE(first.error);
    CHECK_FALSE(first.file_error);
    CHECK(window_of(first) == 77'000_tokens);
    auto const seen = local.seen();
    REQUIRE(seen.size() == 1);
    CHECK(seen[0]["headers"]["accept"] == "application/json");
    CHECK(scratch::mode_of(path) == 0600);
    CHECK(scratch::mode_of(in / "cache") == 0700);
    CHECK(scratch::names_in(in / "cache").size() == 1);
    for (auto const age : ages{0s, -2s, -30s, 23h}) {
        CAPTURE(age.count());
        set_age(path, age);
        auto const again = fetch_model_catalog(from("catalog-88000"));
        CHECK(again.origin == catalog_origin::copy);
        CHECK_FALSE(again.error);
        CHECK(window_of(again) == 77'000_tokens);
        CHECK(local.seen().empty());
    }
    int window = 88'000;
    // By a minute more than its lifetime: the clock of the library may be some milliseconds behind this one.
    for (auto const age : ages{24h + 1min, 100'000h, -2min, -24h}) {
        CAPTURE(age.count());
        set_age(path, age);
        auto const next = fetch_model_catalog(from(("catalog-" + std::to_string(++window)).c_str()));
        CHECK(next.origin == catalog_origin::download);
        CHECK(window_of(next).count == static_cast<std::uint64_t>(window));
        CHECK(local.seen().size() == 1);
        CHECK(fetch_model_catalog(from("catalog-1")).origin == catalog_origin::copy);
        CHECK(scratch::mode_of(path) == 0600);
        CHECK(local.seen().empty());
    }
    // No lifetime, and no file.
    auto none = from("catalog-99000");
    none.lifetime = {};
    CHECK(fetch_model_catalog(none).origin == catalog_origin::download);
    none.file.clear();
    none.lifetime = {~std::uint64_t{0}};
    CHECK(fetch_model_catalog(none).origin == catalog_origin::download);
    CHECK(local.seen().size() == 2);
    CHECK(condense::read_model_catalog_file(path));
}

TEST_CASE("models_url: without a good list the old one holds, then the built-in table", "[client]") {
    auto const& local = fresh_server();
    struct {
        char const* mode;
        catalog_fault fault;
        char const* words;
    } const failures[] = {
        {"error-404", catalog_fault::download, "status 404"},
        {"flaky-503-999", catalog_fault::download, "status 503"},
        {"raw-200-sorry", catalog_fault::malformed, "must be JSON"},
        {"deepjson", catalog_fault::malformed, "must be JSON"},
        {"types", catalog_fault::not_a_catalog, "must"},
        {"endlessbody", catalog_fault::too_large, "the limit"},
        {"endlessheaders", catalog_fault::too_large, "the limit"},
        {"endlesserror", catalog_fault::download, "status 500"},
        {"elsewhere", catalog_fault::download, "the server redirects, which is not followed"},
        {"slow-30", catalog_fault::download, "in time"},
        {"stalls", catalog_fault::download, "in time"},
        {"drop-999", catalog_fault::download, "cut off"},
        {"cutbody", catalog_fault::download, "cut off"},
    };
    for (auto const& [mode, fault, words] : failures) {
        CAPTURE(mode);
        scratch::folder const in;
        auto const path = in / "models.json";
        static_cast<void>(local.seen());
        auto const within = std::string_view{words} == "in time" ? second / 2 : 30 * second;
        auto const start = now();
        catalog_source const from{
            .url = local.url(mode), .file = path, .within = {within}, .most = {std::uint64_t{1} << 20}};
        auto const nothing = fetch_model_catalog(from);
        CHECK(nothing.origin == catalog_origin::built_in);
        CHECK(nothing.error.fault == fault);
        CHECK(nothing.error.reason.find(words) != std::string::npos);
        is_plain(nothing.error.reason);
        CHECK_FALSE(nothing.file_error);
        CHECK(window_of(nothing) == built_in());
        CHECK(scratch::names_in(in / "").empty());
        REQUIRE(fetch_model_catalog({.url = local.url("catalog-77000"), .file = path}).origin ==
                catalog_origin::download);
        set_age(path, 10'000h);
        auto const old = fetch_model_catalog(from);
        CHECK(old.origin == catalog_origin::old_copy);
        CHECK(old.error.fault == fault);
        CHECK(window_of(old) == 77'000_tokens);
        CHECK(condense::read_model_catalog_file(path).catalog.find("openai/gpt-4o").facts.window == 77'000_tokens);
        CHECK(local.seen(3).size() == 3);  // one request each
        CHECK((now() - start).count < 5 * second + 2 * within);
    }
}

TEST_CASE("models_url: a list comes from a trusted server alone", "[client]") {
    certificate const of_server;
    server const local{{of_server.file(), of_server.key()}};
    auto const read = fetch_model_catalog({.url = local.url("catalog-77000")});
    CHECK(read.origin == catalog_origin::built_in);
    CHECK(read.error.fault == catalog_fault::download);
    auto const trusted = fetch_model_catalog({.url = local.url("catalog-77000"), .ca_file = of_server.file()});
    CHECK(trusted.origin == catalog_origin::download);
    for (auto const* const url : {"http://models.example/api.json", "file:///etc/passwd", "", "https://a:b@localhost/"})
        CHECK(fetch_model_catalog({.url = url}).error.reason.find("the address must") != std::string::npos);
    CHECK(fetch_model_catalog({.url = local.url("catalog-77000"), .within = {}}).error.fault ==
          catalog_fault::download);
}

TEST_CASE("models_url: a file that cannot be used costs nothing but the file", "[client]") {
    auto const& local = fresh_server();
    scratch::folder const in;
    auto const path = in / "models.json";
    catalog_source const from{.url = local.url("catalog-77000"), .file = path, .most = {1'000}};
    auto offline = from;
    offline.url = local.url("error-404");
    struct {
        std::string content;
        catalog_fault fault;
    } const files[] = {{"{\"openai\": ", catalog_fault::malformed},
                       {"", catalog_fault::malformed},
                       {"[]", catalog_fault::not_a_catalog},
                       {std::string(1'001, ' '), catalog_fault::too_large}};
    for (auto const& [content, fault] : files) {
        scratch::write(path, content);
        auto const broken = fetch_model_catalog(offline);
        CHECK(broken.origin == catalog_origin::built_in);
        CHECK(broken.file_error.fault == fault);
        CHECK(broken.error.fault == catalog_fault::download);
        CHECK(scratch::bytes_of(path) == content);
        auto const mended = fetch_model_catalog(from);
        CHECK(mended.origin == catalog_origin::download);
        CHECK_FALSE(mended.file_error);
        CHECK(fetch_model_catalog(from).origin == catalog_origin::copy);
    }
    // A folder of its name, and a folder that is a file.
    for (auto const* const name : {"", "models.json/inside"}) {
        auto to = from;
        to.file = in / name;
        auto const read = fetch_model_catalog(to);
        CHECK(read.origin == catalog_origin::download);
        CHECK(read.file_error.fault == catalog_fault::file);
        is_plain(read.file_error.reason);
    }
    // A link is replaced and not followed.
    scratch::write(in / "mine", "mine");
    std::filesystem::remove(path);
    std::filesystem::create_symlink(in / "mine", path);
    CHECK(fetch_model_catalog(offline).file_error.fault == catalog_fault::file);
    CHECK(fetch_model_catalog(from).origin == catalog_origin::download);
    CHECK(scratch::bytes_of(in / "mine") == "mine");
    CHECK(std::filesystem::is_regular_file(std::filesystem::symlink_status(path)));
}

TEST_CASE("models_url: several may fetch at once", "[client]") {
    auto const& local = fresh_server();
    scratch::folder const in;
    auto const path = in / "cache/models.json";
    std::vector<std::thread> all;
    std::vector<int> good(6);
    for (std::size_t each = 0; each < good.size(); ++each)
        all.emplace_back([&, each] {
            for (int round = 0; round < 5; ++round) {
                auto const read =
                    fetch_model_catalog({.url = local.url("catalog-77000"), .file = path, .lifetime = {}});
                good[each] += !read.error && !read.file_error && window_of(read) == 77'000_tokens;
            }
        });
    for (auto& one : all) one.join();
    CHECK(good == std::vector<int>(6, 5));
    CHECK(scratch::names_in(in / "cache").size() == 1);
    CHECK(condense::read_model_catalog_file(path));
}
