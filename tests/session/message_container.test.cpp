// SPDX-License-Identifier: BSL-1.0
#include <condense/session/message_container.hpp>

#include <deque>
#include <functional>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

using namespace notation;
using condense::detail::digest_of;
using condense::detail::message_container;
using borrowed = message_container<std::reference_wrapper<conversation>>;

static_assert(borrowed::borrowed);
static_assert(!message_container<conversation>::borrowed);
static_assert(!condense::detail::refers_to_messages<conversation>);

conversation counted(std::size_t count) {
    conversation all;
    for (std::size_t index = 0; index < count; ++index) all.push_back(U(std::to_string(index)));
    return all;
}

borrowed noted(conversation& all) {
    borrowed held{std::ref(all)};
    for (auto const& m : all) {
        held.reserve();
        held.add_digest(m);
    }
    return held;
}

/// The places that are looked at unprompted.
bool looked_at(std::size_t index, std::size_t size) {
    for (std::size_t place = 0; place < 8; ++place)
        if (place * size / 8 == index) return true;
    return index + 1 == size;
}

bool digests_tell_messages_apart() {
    auto const one = toy::user("a");
    bool good = digest_of(one) == digest_of(toy::user("a"));
    good = good && digest_of(one) != digest_of(toy::user("b")) && digest_of(one) != digest_of(toy::assistant("a"));
    good = good && digest_of(toy::with(toy::role::user, {{.text = "ab"}})) !=
                       digest_of(toy::with(toy::role::user, {{.text = "a"}, {.text = "b"}}));
    good = good && digest_of(toy::with(toy::role::user, {{.text = "ab"}, {.text = ""}})) !=
                       digest_of(toy::with(toy::role::user, {{.text = "a"}, {.text = "b"}}));
    good = good && digest_of(toy::call("1", "tool")) != digest_of(toy::call("1", "fool"));
    good = good && digest_of(toy::call("1")) != digest_of(toy::call("2"));
    good = good && digest_of(toy::call("ab", "c")) != digest_of(toy::call("b", "ca"));
    good = good && digest_of(toy::result("1", "out")) != digest_of(toy::result("1", "out", toy::part_status::error));
    good = good && digest_of(toy::with(toy::role::user, {{.text = "a", .sealed = true}})) != digest_of(one);
    good = good &&
           digest_of(toy::with(toy::role::user, {{.kind = toy::part_kind::reasoning, .text = "a"}})) != digest_of(one);
    good = good &&
           digest_of(toy::with(toy::role::user, {{.text = "a", .cost = condense::cost::of({7})}})) != digest_of(one);
    good = good && digest_of(toy::with(toy::role::user, {})) != digest_of(toy::user(""));
    return good;
}

}  // namespace

TEST_CASE("digests tell messages apart by all that is read of them") { CHECK(digests_tell_messages_apart()); }

TEST_CASE("a container of one's own is held by value") {
    message_container<conversation> held{counted(3)};
    CHECK(held.get().size() == 3);
    held.get().push_back(U("more"));
    CHECK(std::as_const(held).get().size() == 4);
}

TEST_CASE("what is as it was noted does not differ, however it grows") {
    for (std::size_t size = 0; size < 40; ++size) {
        auto all = counted(size);
        auto const held = noted(all);
        CHECK(held.first_difference(false) == size);
        CHECK(held.first_difference(true) == size);
        all.push_back(U("more"));
        CHECK(held.size() == size + 1);
        CHECK(held.first_difference(false) == size);
        CHECK(held.first_difference(true) == size);
    }
}

TEST_CASE("a changed message is found: always when all are looked at, else in nine places") {
    for (std::size_t size = 1; size < 40; ++size)
        for (std::size_t index = 0; index < size; ++index) {
            auto all = counted(size);
            auto const held = noted(all);
            all[index].parts[0].text += "!";
            INFO(index << " of " << size);
            CHECK(held.first_difference(true) == index);
            CHECK(held.first_difference(false) == (looked_at(index, size) ? index : size));
            // Two that differ, one of them in a place that is looked at: the first of them.
            if (index + 1 == size) continue;
            all.back().parts[0].text += "!";
            CHECK(held.first_difference(false) == index);
        }
}

TEST_CASE("an erased or inserted message is found unprompted where it moves the last one or makes them fewer") {
    for (std::size_t size = 1; size < 40; ++size)
        for (std::size_t index = 0; index < size; ++index) {
            INFO(index << " of " << size);
            auto const found = [&](auto const& change) {
                auto all = counted(size);
                auto const held = noted(all);
                change(all, all.begin() + static_cast<std::ptrdiff_t>(index));
                return held.first_difference(false);
            };
            CHECK(found([](auto& all, auto at) { all.erase(at); }) == index);
            CHECK(found([](auto& all, auto at) { all.insert(at, U("new")); }) == index);
            CHECK(found([](auto& all, auto at) { all.erase(at), all.push_back(U("new")); }) == index);
            CHECK(found([](auto& all, auto at) { all.erase(at, all.end()); }) == index);
        }
}

TEST_CASE("messages noted anew, and taken back") {
    auto all = counted(20);
    auto held = noted(all);
    all[5].parts[0].text += "!";
    held.replace_digests(5, 20);
    CHECK(held.first_difference(true) == 20);
    all.resize(3);
    CHECK(held.first_difference(false) == 3);
    held.replace_digests(3, 3);
    CHECK(held.first_difference(true) == 3);
    held.add_digest(all[0]);
    held.remove_last_digest();
    CHECK(held.first_difference(true) == 3);
    all.clear();
    CHECK(held.first_difference(false) == 0);
    held.replace_digests(0, 0);
    CHECK(held.first_difference(true) == 0);
}
