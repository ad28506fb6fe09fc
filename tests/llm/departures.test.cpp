// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/departures.hpp>

#include "layer/shared.hpp"

namespace {

using namespace layers;
using condense::detail::departures;

/// What one walk over departures has seen, in words.
struct visits {
    std::vector<std::string>* seen;

    void message(std::uint32_t index) const { seen->push_back("left " + std::to_string(index)); }
    void cut(condense::part_ref place, part_view const& original) const {
        seen->push_back("cut " + std::to_string(place.message_index) + " of " + std::to_string(original.text.size()));
    }
    void summary(condense::group) const { seen->push_back("summary"); }
};

/// Looks at what has left.
struct watching {
    static constexpr auto effects = condense::shortens;
    struct memory {
        departures gone;

        std::string save() const {
            std::string out;
            gone.save(out);
            return out;
        }
        bool load(std::string_view text, std::size_t messages) {
            condense::detail::field_reader reader{text};
            return text.empty() || (gone.load(reader, messages) && reader.done());
        }
        void rewind(std::uint64_t first) { gone.rewind(first); }
    };

    std::vector<std::string>* seen = nullptr;

    void reduce(auto& draft, auto& pass) const {
        std::vector<condense::group> leaving;
        condense::detail::leaving_groups const leaves{leaving};
        pass.memory.gone.visit(draft, leaves, visits{seen});
    }
    static bool due(condense::usage const&) noexcept { return true; }
};

auto session_of(std::vector<std::string>& seen) {
    return session{conversation{},
                   pipeline{compress{.when = used >= 50_pct,
                                     .until = used <= 10_pct,
                                     .over = 500_chars,
                                     .with = head_tail{50_chars, 50_chars}},
                            window_to(90_pct, 50_pct), watching{&seen}},
                   budget{.window = 2'000_tokens}, per_byte{}};
}

using list = std::vector<std::string>;

}  // namespace

TEST_CASE("departures: what other layers drop and cut is visited once") {
    std::vector<std::string> seen;
    auto session = session_of(seen);
    push(session,
         {U("the task"), C("1", "read"), R("1", std::string(900, 'x')), A("done"), U("next " + std::string(300, 'y'))});
    static_cast<void>(session.prepare());
    CHECK(seen == list{"cut 2 of 900"});
    push(session, {A("so " + std::string(600, 'z')), U("and " + std::string(900, 'z'))});
    seen.clear();
    static_cast<void>(session.prepare());
    CHECK(seen == list{"left 1", "left 2", "left 3", "left 4", "left 5"});
    seen.clear();
    push(session, {A("again"), U("more")});
    static_cast<void>(session.prepare());
    CHECK(seen.empty());
}

TEST_CASE("departures: what is remembered is saved, loaded, and refused where it cannot be") {
    std::vector<std::string> seen;
    auto session = session_of(seen);
    push(session, {U("the task"), A("one"), U("two")});
    static_cast<void>(session.prepare());
    auto const saved = session.state();
    REQUIRE(saved);
    auto const& text = saved.state.memories.back();
    auto const load = [&](std::string_view from, std::size_t messages) {
        departures loaded;
        condense::detail::field_reader reader{from};
        return loaded.load(reader, messages) && reader.done();
    };
    CHECK(load(text, 3));
    CHECK_FALSE(load(text, 2));
    for (std::size_t size = 0; size < text.size(); ++size) CHECK_FALSE(load(std::string_view{text}.substr(0, size), 3));
    std::string forged;  // two messages in the wrong order
    for (auto const number : {3u, 2u, 1u, 9u, 0u, 9u}) condense::detail::put_field(forged, std::uint64_t{number});
    CHECK_FALSE(load(forged, 3));
}

TEST_CASE("departures: groups are known among those that leave") {
    std::vector<condense::group> const groups{condense::group{3}, condense::group{7}, condense::group{20}};
    condense::detail::leaving_groups const leaves{groups};
    for (std::uint32_t id = 0; id < 30; ++id)
        CHECK(leaves.holds(condense::group{id}) == (id == 3 || id == 7 || id == 20));
}
