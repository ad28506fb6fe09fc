// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/model_call.hpp>

#include <set>
#include <string>
#include <string_view>

#include <condense/adapt/chat_message.hpp>

#include "support/catch.hpp"
#include "support/notation.hpp"

namespace {

using namespace notation;
using request = conversation;
using reply = condense::reply<chat_message>;

template <class Model>
reply ask(Model model) {
    condense::delivery quiet{nullptr, nullptr};
    return condense::detail::ask_model<chat_message>(model, request{U("hi")}, quiet);
}

}  // namespace

TEST_CASE("model_call: a model gives a message, or a reply") {
    auto const plain = ask([](request const& all) { return A(all.back().parts[0].text + "!"); });
    REQUIRE(plain.message);
    CHECK(*plain.message == A("hi!"));
    CHECK_FALSE(plain.error);
    CHECK_FALSE(plain.usage.reported());
    auto const refused = ask([](request const&) { return reply{.error = {503, "overloaded"}}; });
    CHECK_FALSE(refused.message);
    CHECK(refused.error == condense::provider_error{503, "overloaded"});
    // It may count its calls.
    auto const counts = ask([calls = 0](request const&) mutable { return A(std::to_string(++calls)); });
    CHECK(*counts.message == A("1"));
}

TEST_CASE("model_call: a delivery passes pieces on, and knows that it has") {
    std::string shown;
    condense::delivery show{[](void* of, std::string_view piece) { static_cast<std::string*>(of)->append(piece); },
                            &shown};
    show("");
    CHECK_FALSE(show.delivered());
    show("a");
    show("bc");
    CHECK(show.delivered());
    CHECK(shown == "abc");
    condense::delivery quiet{nullptr, nullptr};
    quiet("a");
    CHECK(quiet.delivered());
}

TEST_CASE("model_call: an error is something of a status or of a text, and outcomes have names of their own") {
    CHECK_FALSE(condense::provider_error{});
    CHECK(condense::provider_error{.status = 500});
    CHECK(condense::provider_error{.text = "broken"});
    using condense::call_outcome, condense::recover_outcome;
    std::set<std::string_view> names;
    for (auto const each :
         {call_outcome::answered, call_outcome::too_large, call_outcome::overflow, call_outcome::failed})
        names.insert(name(each));
    CHECK(names.size() == 4);
    for (auto const each : {recover_outcome::not_overflow, recover_outcome::retry, recover_outcome::delivered,
                            recover_outcome::repeated, recover_outcome::exhausted})
        names.insert(name(each));
    CHECK(names.size() == 9);
}
