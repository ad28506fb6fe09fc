// SPDX-License-Identifier: BSL-1.0
#include <condense/core/rendered_request.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <condense/condense.hpp>

#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace condense::literals;
using namespace notation;
using condense::used;

/// Shows what would be sent to the sink, and edits nothing.
struct look {
    std::vector<std::string>* seen;
    std::vector<void const*>* addresses;
    static constexpr condense::effect effects = condense::no_effects;
    void reduce(auto& draft, auto&) const {
        seen->clear();
        addresses->clear();
        auto const request = condense::detail::rendered_request(draft);
        for (auto const& message : request) {
            seen->push_back(text_of(message));
            addresses->push_back(&message);
        }
    }
};

}  // namespace

TEST_CASE("rendered_request: are the originals, the edited and the summary, as they would be sent") {
    std::vector<std::string> seen;
    std::vector<void const*> addresses;
    conversation messages{
        S("rules"), U("the task"),          A(letters(3'000)), C("1"),     R("1", letters(2'000)), A("done"), U("next"),
        C("2"),     R("2", letters(1'000)), A("yes"),          U("latest")};
    condense::pipeline const mix{
        condense::summarize{.when = condense::always, .until = used <= 70_pct, .protect = condense::last(6_messages)},
        condense::compress{.when = condense::always,
                           .protect = condense::nothing,
                           .over = 300_chars,
                           .with = condense::head{.keep = 100_chars}},
        look{&seen, &addresses}};
    condense::session session{messages, mix, condense::budget{.window = 3'600_tokens}, per_byte{}};
    auto const report = session.run();
    INFO(report.text());
    std::vector<std::string> sent;
    for (auto const& message : session.request()) sent.push_back(text_of(message));
    CHECK(seen == sent);
    REQUIRE(seen.size() > 4);
    auto const count = [&](auto const& wanted) { return std::count_if(seen.begin(), seen.end(), wanted); };
    CHECK(count([](auto const& text) { return text.starts_with("Summary of the earlier conversation"); }) == 1);
    CHECK(count([](auto const& text) { return text.starts_with(letters(100)) && text.size() < 200; }) == 2);
    // What has no edits is not copied.
    CHECK(addresses[0] == &session.history()[0]);
    CHECK(addresses.back() == &session.history().back());
}
