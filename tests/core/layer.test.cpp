// SPDX-License-Identifier: BSL-1.0
#include <condense/core/layer.hpp>

#include <condense/core/any_pipeline.hpp>
#include <condense/core/pipeline.hpp>

#include "core/constant.hpp"
#include "core/toy.hpp"

namespace outer::inner {

struct plain {
    static constexpr auto effects = condense::drops;
    void reduce(auto&, auto&) const {}
};

template <class, int>
struct with_arguments {
    static constexpr auto effects = condense::drops;
    void reduce(auto&, auto&) const {}
};

}  // namespace outer::inner

namespace {

using condense::layer, outer::inner::plain;

struct arrives {
    static constexpr auto effects = condense::keeps;
    void arrive(auto&, condense::sequence, auto&) const {}
};
struct does_both : plain {
    void arrive(auto&, condense::sequence, auto&) const {}
};
/// A hook is found by its name, whatever it takes.
struct overloads {
    static constexpr auto effects = condense::drops;
    void reduce(int, auto&) const {}
    void reduce(float, auto&) const {}
};
struct constrains {
    static constexpr auto effects = condense::drops;
    template <class Draft>
        requires(sizeof(Draft) > 1'000'000)
    void reduce(Draft&, auto&) const {}
};
class hides {
    void reduce(auto&, auto&) const {}

public:
    static constexpr auto effects = condense::drops;
};
struct inherits : plain {};
static_assert(layer<plain> && layer<arrives> && layer<does_both> && layer<overloads> && layer<constrains>);
static_assert(layer<hides> && layer<inherits> && layer<outer::inner::with_arguments<int, 3>>);

struct without_effects {
    void reduce(auto&, auto&) const {}
};
struct without_hooks {
    static constexpr auto effects = condense::drops;
};
struct misspells {
    static constexpr auto effects = condense::drops;
    void reduces(auto&, auto&) const {}
};
struct cannot_be_searched final {
    [[maybe_unused]] static constexpr auto effects = condense::drops;
    void reduce(auto&, auto&) const {}
};
static_assert(!layer<without_effects> && !layer<without_hooks> && !layer<misspells> && !layer<cannot_be_searched>);
static_assert(!layer<int> && !layer<plain*> && !layer<plain&>);

static_assert(condense::detail::has_reduce_hook<plain> && !condense::detail::has_arrive_hook<plain>);
static_assert(condense::detail::has_arrive_hook<arrives> && !condense::detail::has_reduce_hook<arrives>);
static_assert(condense::detail::has_reduce_hook<does_both> && condense::detail::has_arrive_hook<does_both>);

struct remembers : plain {
    struct memory {
        int count = 0;
    };
};
static_assert(std::same_as<condense::detail::memory_of<remembers>, remembers::memory>);
static_assert(std::same_as<condense::detail::memory_of<plain>, condense::detail::no_memory>);

// What a layer says of itself, and what is taken for said.

struct durable_store : arrives {
    static constexpr bool durable = true;
    static constexpr bool records = true;
};
static_assert(condense::detail::flag_durable<plain>() && !condense::detail::flag_durable<arrives>());
static_assert(condense::detail::flag_durable<durable_store>());
static_assert(condense::detail::flag_records<durable_store>() && !condense::detail::flag_records<arrives>());
static_assert(!condense::detail::flag_last_resort<plain>());

struct with_a_name : plain {
    static constexpr std::string_view name = "its own name";
};

/// Compilers spell the function around a type each in its own way.
template <class... Types>
constexpr auto local_to(std::vector<std::string> const*, bool (*)(Types...)) {
    struct in_a_function : plain {};
    return in_a_function{};
}
struct compared {
    constexpr auto operator<(int) const {
        struct in_an_operator : plain {};
        return in_an_operator{};
    }
};
template <class>
struct templated {
    struct nested : plain {};
};

constexpr bool layers_have_their_own_name_or_that_of_their_type() {
    using condense::detail::layer_name;
    return layer_name<with_a_name>() == "its own name" && layer_name<plain>() == "plain" &&
           layer_name<outer::inner::with_arguments<plain, 7>>() == "with_arguments" &&
           layer_name<inherits>() == "inherits" &&
           layer_name<decltype(local_to(nullptr, static_cast<bool (*)(int, plain)>(nullptr)))>() == "in_a_function" &&
           layer_name<decltype(compared{} < 1)>() == "in_an_operator" &&
           layer_name<templated<std::vector<int>>::nested>() == "nested";
}

TEST_CASE("layer: names") { CHECK_CONSTANT(layers_have_their_own_name_or_that_of_their_type()); }

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

using list = std::vector<std::string>;

template <class Mix>
list saved(Mix const& mix, typename Mix::memory& kept) {
    list out;
    CHECK(condense::detail::save_memories(mix, kept, out));
    return out;
}

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

}  // namespace
