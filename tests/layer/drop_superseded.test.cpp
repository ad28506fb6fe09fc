// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/drop_superseded.hpp>

#include "laws/generator.hpp"
#include "layer/shared.hpp"
#include "shorten/around.hpp"

namespace {

using namespace layers;
using namespace around;
using condense::drop_superseded, condense::markers;

static_assert(condense::layer<drop_superseded<>>);
static_assert(condense::deterministic<pipeline<drop_superseded<>>> &&
              !condense::recoverable<pipeline<drop_superseded<>>>);

/// In letters: U and A say something, M and N are calls of markers with their results, T of a snapshot, C
/// of another tool; m is a marker whose call failed, and x one that was never answered. Names are indices.
conversation spelt(std::string_view letters) {
    conversation made;
    for (std::size_t at = 0; at < letters.size(); ++at) {
        auto const id = std::to_string(at);
        auto const round = [&](std::string tool, part_status status = part_status::ok) {
            made += {C(id, std::move(tool)), R(id, "ten tokens", status)};
        };
        switch (letters[at]) {
            case 'U': made.push_back(U("ten tokens")); break;
            case 'A': made.push_back(A("ten tokens")); break;
            case 'M': round("set_task"); break;
            case 'm': round("set_task", part_status::error); break;
            case 'x': made.push_back(C(id, "set_task")); break;
            case 'N': round("set_plan"); break;
            case 'T': round("snapshot"); break;
            default: round("ls"); break;
        }
        for (auto& m : made)
            if (m.name.empty()) m.name = letters.substr(at, 1);
    }
    return made;
}

constexpr drop_superseded marks{.key = markers("set_*"), .transient = tools("snapshot*")};

std::string letters_of(conversation const& messages) {
    std::string out;
    for (auto const& m : messages)
        if (m.parts[0].kind != part_kind::tool_result) out.append(m.name);
    return out;
}
std::string left(std::string_view letters) { return letters_of(settled(spelt(letters), pipeline{marks})); }

}  // namespace

TEST_CASE("drop_superseded: the newest marker of each kind stays") {
    CHECK(left("UMMAMAU") == "UAMAU");
    CHECK(left("UMNMNCNAU") == "UMCNAU");
    CHECK(left("UCCAU") == "UCCAU");
    CHECK(left("UMAU") == "UMAU");
    CHECK(settled(spelt("UMMAU"), pipeline{marks}).size() == 5);
    CHECK(settled(as_json(spelt("UMMAU")), pipeline{marks}).size() == 5);
}

TEST_CASE("drop_superseded: what passes goes, the newest too") {
    CHECK(left("UTTAU") == "UAU");
    CHECK(left("UTMTMTAU") == "UMAU");
    // While the round is open its end is not known.
    CHECK(left("UTT") == "UT");
}

TEST_CASE("drop_superseded: a marker without a good answer takes the place of none") {
    CHECK(left("UMmAU") == "UMmAU");
    CHECK(left("UMxAU") == "UMxAU");
    CHECK(left("UMmMAU") == "UMAU");
    CHECK(left("UmMAU") == "UMAU");
    CHECK(left("UMM") == "UM");
}

TEST_CASE("drop_superseded: what is said and thought with a call goes with it, other calls keep it") {
    auto messages = spelt("UMMAU");
    messages[1].parts.insert(messages[1].parts.begin(),
                             {{.kind = part_kind::reasoning, .text = "hm", .sealed = true}, {.text = "Now I set it."}});
    CHECK(letters_of(settled(messages, pipeline{marks})) == "UMAU");
    messages[1].parts.push_back({.kind = part_kind::tool_call, .text = "{}", .tool = "ls", .call = "other"});
    messages.insert(messages.begin() + 3, R("other", "r"));
    CHECK(settled(messages, pipeline{marks}) == messages);
}

TEST_CASE("drop_superseded: texts can be markers") {
    drop_superseded const layer{.key = [](part_view const& part) -> std::optional<std::string> {
        if (!part.text.starts_with("state of ")) return std::nullopt;
        return std::string{part.text.substr(0, part.text.find(':'))};
    }};
    conversation messages{U("task"), A("state of a: 1"), A("state of b: 1"), U("state of a: 2"),
                          A("done"), U("state of a: 3"), A("done"),          U("go on")};
    auto const after = settled(messages, pipeline{layer});
    CHECK(texts(after, part_kind::text) ==
          std::vector<std::string>{"task", "state of b: 1", "done", "state of a: 3", "done", "go on"});
    // A word of somebody's beside it keeps the message.
    messages[3].parts.push_back({.text = "And be quick."});
    CHECK(texts(settled(messages, pipeline{layer}), part_kind::text)[2] == "state of a: 2");
}

TEST_CASE("drop_superseded: what a request begins with stays, again and again") {
    drop_superseded const layer{.protect = nothing,
                                .key = [](part_view const& part) { return part.text.substr(0, 5); }};
    auto const after =
        settled(conversation{U("state 1"), A("done"), U("state 2"), A("done"), U("state 3")}, pipeline{layer});
    REQUIRE_FALSE(after.empty());
    CHECK(after.front().role == role::user);
    CHECK(after.back().parts[0].text == "state 3");
}

TEST_CASE("drop_superseded: pins, protected places and open rounds stay") {
    auto messages = spelt("UMMMAU");
    messages[2].pinned = true;
    CHECK(letters_of(settled(messages, pipeline{marks})) == "UMMAU");
    drop_superseded const spared{.protect = first(3_messages), .key = markers("set_*")};
    CHECK(letters_of(settled(spelt("UMMMAU"), pipeline{spared})) == "UMMAU");
}

TEST_CASE("drop_superseded: oldest first, and no further than its target") {
    drop_superseded const layer{.when = used > 10_messages, .until = used <= 8_messages, .key = markers("set_*")};
    CHECK(settled(spelt("UMMMMAU"), pipeline{layer}).size() == 7);
    CHECK(settled(spelt("UMMMAU"), pipeline{layer}).size() == 9);
    CHECK_THROWS_AS((pipeline{drop_superseded{.when = used > 10_messages, .until = used <= 11_messages}}),
                    invalid_configuration);
}

TEST_CASE("drop_superseded: without keys nothing goes") {
    CHECK(letters_of(settled(spelt("UMMTTAU"), pipeline{drop_superseded{}})) == "UMMTTAU");
}

TEST_CASE("drop_superseded: over random conversations the newest good marker stays, and pairs") {
    std::size_t dropped = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        auto const before = laws::conversation_generator{seed}.make();
        // The arguments are the marker: few files, so that many are old.
        drop_superseded const layer{.key = [](part_view const& part) {
            return part.kind == part_kind::tool_call && part.text.starts_with("{") ? part.text : std::string_view{};
        }};
        CAPTURE(seed);
        auto const after = settled(before, pipeline{layer});
        condense::outline facts;
        for (auto const& m : before) facts.append(m, per_byte{});
        dropped += before.size() - after.size();
        auto const stays = [&](std::size_t index) {
            for (auto const& m : after)
                if (m.name == before[index].name) return true;
            return false;
        };
        for (std::size_t index = 0; index < before.size(); ++index)  // groups go whole
            CHECK(stays(index) == stays(facts.group_at(facts.group_of(index)).first));
        // The last call of each key with a good answer.
        for (std::uint32_t part_id = 0; part_id < facts.part_count(); ++part_id) {
            auto const call_at = facts.call_part_id(facts.part_at(part_id));
            if (facts.part_at(part_id).kind != part_kind::tool_result || call_at == condense::detail::none32) continue;
            auto const index = facts.part_at(call_at).message_index;
            if (stays(index)) continue;
            auto const text_of = [&](std::uint32_t at) {
                auto const message = facts.part_at(at).message_index;
                return before[message].parts[at - facts.message_at(message).first_part].text;
            };
            bool newer = false;
            for (auto later = call_at + 1; later < facts.part_count(); ++later)
                newer = newer || (facts.part_at(later).kind == part_kind::tool_call &&
                                  text_of(later) == text_of(call_at) && stays(facts.part_at(later).message_index));
            CHECK(newer);
        }
    }
    CHECK(dropped > 100);
}

TEST_CASE("drop_superseded: it says why it has nothing to do") {
    drop_superseded const layer{.when = always, .key = markers("set_task")};
    CHECK(idle_note(layer, spelt("UMAU"), 10'000_tokens) == "nothing to do: nothing is superseded");
    drop_superseded const spared{.when = always, .protect = last(20_messages), .key = markers("set_task")};
    CHECK(idle_note(spared, spelt("UMAMAU"), 10'000_tokens) == "nothing to do: all that it could take is protected");
}
