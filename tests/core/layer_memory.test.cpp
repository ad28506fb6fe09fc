// SPDX-License-Identifier: BSL-1.0
#include <condense/core/pipeline.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/core/any_pipeline.hpp>

#include "core/toy.hpp"
#include "support/catch.hpp"

namespace {

/// Remembers a text, and how often it was told to go back.
template <int>
struct remembering {
    static constexpr auto effects = condense::no_effects;
    struct memory {
        std::string text = "new";
        std::uint64_t first = 99;
        std::string save() const { return text; }
        bool load(std::string_view saved, std::size_t most) {
            text = saved;
            return saved != "foreign" && most == 4;
        }
        void rewind(std::uint64_t to) { first = to; }
    };
    void reduce(auto&, auto& pass) const { pass.memory.text += "."; }
};
struct forgetful {
    static constexpr auto effects = condense::no_effects;
    struct memory {
        int seen = 0;
    };
    void reduce(auto&, auto& pass) const { ++pass.memory.seen; }
};
struct plain {
    static constexpr auto effects = condense::no_effects;
    void reduce(auto&, auto&) const {}
};

using list = std::vector<std::string>;

template <class Mix>
list saved(Mix const& mix, typename Mix::memory& kept) {
    list out;
    CHECK(condense::detail::save_memories(mix, kept, out));
    return out;
}

}  // namespace

TEST_CASE("layer_memory: saved in the order of the layers, through nested pipelines") {
    condense::pipeline const mix{remembering<0>{}, plain{}, condense::pipeline{remembering<1>{}, plain{}}};
    typename decltype(mix)::memory kept{};
    CHECK(saved(mix, kept) == list{"new", "", "new", ""});
    CHECK(condense::detail::load_memories(mix, kept, {"one", "", "two", ""}, 4));
    CHECK(saved(mix, kept) == list{"one", "", "two", ""});
    for (auto const& wrong :
         {list{}, list{"one", "", "two"}, list{"one", "", "two", "", ""}, list{"one", "x", "two", ""},
          list{"foreign", "", "two", ""}, list{"one", "", "foreign", ""}})
        CHECK_FALSE(condense::detail::load_memories(mix, kept, wrong, 4));
    CHECK_FALSE(condense::detail::load_memories(mix, kept, {"one", "", "two", ""}, 5));
}

TEST_CASE("layer_memory: one that can not be saved says so, and begins anew when it has to go back") {
    condense::pipeline const mix{forgetful{}, remembering<0>{}};
    typename decltype(mix)::memory kept{};
    list out;
    CHECK_FALSE(condense::detail::save_memories(mix, kept, out));
    int seen = -1;
    std::uint64_t first = 0;
    auto const look = [&](auto& one) {
        if constexpr (requires { one.seen; }) seen = std::exchange(one.seen, 5);
        else first = one.first;
    };
    mix.each_memory(kept, look);
    condense::detail::rewind_memories(mix, kept, 7);
    mix.each_memory(kept, look);
    CHECK(seen == 0);
    CHECK(first == 7);
}

TEST_CASE("layer_memory: of a mix chosen at run time") {
    condense::any_pipeline<condense::chat_message> const mix = condense::pipeline{remembering<0>{}, plain{}};
    decltype(mix)::memory kept{};
    CHECK(saved(mix, kept) == list{"new", ""});
    CHECK(condense::detail::load_memories(mix, kept, {"one", ""}, 4));
    CHECK(saved(mix, kept) == list{"one", ""});
    CHECK_FALSE(condense::detail::load_memories(mix, kept, {"foreign", ""}, 4));
    condense::detail::rewind_memories(mix, kept, 7);
    list out;
    condense::any_pipeline<condense::chat_message> const other = condense::pipeline{forgetful{}};
    decltype(other)::memory none{};
    CHECK_FALSE(condense::detail::save_memories(other, none, out));
}
