// SPDX-License-Identifier: BSL-1.0
#include <condense/store/quota_store.hpp>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/store/memory.hpp>
#include <condense/testing/store_laws.hpp>

#include "store/kit.hpp"

using condense::quota_store;

namespace {

constexpr std::string_view full = "the store is full: prune it, or raise its limits";

auto const put = [](auto const& store, std::string const& content, std::string const& conversation = "a") {
    return store_tests::reason(store.put(store.name(content), content, {.conversation = conversation}));
};

/// Cannot be listed once.
struct unlisted_once : condense::memory_store {
    condense::store_error each_source(auto&& f) const {
        if (std::exchange(*fails, false)) return {"no list"};
        return condense::memory_store::each_source(f);
    }
    std::shared_ptr<bool> fails = std::make_shared<bool>(true);
};

}  // namespace

TEST_CASE("quota_store: is the store behind it while there is room") {
    auto const make = [](auto hash) { return quota_store{condense::basic_memory_store{hash}, {}}; };
    CHECK(text_of(condense::testing::check_store_laws(make)) == "");
    static_assert(condense::traceable_store<decltype(make(condense::content_hash{}))>);
}

TEST_CASE("quota_store: refuses what is too much, in all and for one conversation", "[law-S7]") {
    condense::memory_store const behind;
    quota_store const few{behind, {.artifacts = 2}};
    CHECK(put(few, "one").empty());
    CHECK(put(few, "two").empty());
    CHECK(put(few, "one").empty());
    CHECK(put(few, "three") == full);
    CHECK(put(few, "two", "b").empty());  // adds nothing
    CHECK(behind.size() == 2);
    CHECK_FALSE(behind.erase(behind.name("one")));
    CHECK(put(few, "three").empty());

    quota_store const small{condense::memory_store{}, {.size = condense::bytes{10}}};
    CHECK(put(small, "12345").empty());
    CHECK(put(small, "123456") == full);
    CHECK(put(small, "54321").empty());

    quota_store const fair{condense::memory_store{}, {.artifacts_each = 1, .size_each = condense::bytes{5}}};
    CHECK(put(fair, "one", "a").empty());
    CHECK(put(fair, "two", "a") == full);
    CHECK(put(fair, "two", "b").empty());
    CHECK(put(fair, "too long", "c") == full);
}

TEST_CASE("quota_store: is not fuller than its limits where the store could not be listed", "[law-S7]") {
    unlisted_once const behind;
    CHECK(put(behind, "one").empty());
    CHECK(put(behind, "two").empty());
    quota_store const few{behind, {.artifacts_each = 2}};
    CHECK(put(few, "three") == "no list");
    CHECK(put(few, "three") == full);
    CHECK(put(few, "three", "b").empty());
}

TEST_CASE("quota_store: sees what others have put, after a while") {
    condense::memory_store const behind;
    quota_store const one{behind, {.artifacts = 600}};
    quota_store const other{behind, {.artifacts = 600}};
    int refused = 0;
    for (int number = 0; number < 500; ++number) {
        if (!put(one, "one " + std::to_string(number)).empty()) ++refused;
        if (!put(other, "other " + std::to_string(number)).empty()) ++refused;
    }
    CHECK(behind.size() >= 600);
    CHECK(behind.size() < 600 + 2 * 256);
    CHECK(refused > 0);
    CHECK(put(one, "more") == full);
}

TEST_CASE("quota_store: what does not fit stays in the conversation") {
    using namespace condense::literals;
    using condense::chat_message;
    condense::pipeline const mix{condense::offload{.over = 100_chars,
                                                   .preview = condense::head_tail{10_chars, 10_chars, {}},
                                                   .into = quota_store{condense::memory_store{}, {.artifacts = 1}}}};
    condense::session session{std::vector<chat_message>{}, mix, condense::budget{.window = 32'000_tokens}};
    session.push(chat_message::user("task"));
    for (auto const* const id : {"1", "2"}) {
        session.push(chat_message::call(id, "shell", "{}"));
        session.push(chat_message::result(id, id + std::string(1'000, 'x')));
    }
    auto const report = session.run();
    CHECK(std::string_view{report.layers[0].note} == full);
    std::vector<std::size_t> sizes;
    for (auto const& m : session.request()) sizes.push_back(m.parts[0].text.size());
    CHECK(sizes[2] < 200);
    CHECK(sizes[4] == 1'001);
}
