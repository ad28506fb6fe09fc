// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json_state.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "adapt/saved_sessions.hpp"
#include "laws/generator.hpp"
#include "laws/restart.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/messages/json.hpp"
#include "support/sanitized.hpp"

namespace {

using condense::state_fault;
using saved_sessions::mutate;
using saved_sessions::sealed;
using saved_sessions::text_of;
using saved_sessions::try_text;
using tree = nlohmann::ordered_json;

auto const by_text = [](auto& from, auto& to) {
    auto const kept = condense::save(from);
    return condense::restore(to, kept);
};

std::string said(laws::broken const& broken) {
    std::string out;
    for (auto const& one : broken) out += one + "; ";
    return out;
}

/// What the first version wrote of a session with one compressed result.
std::string text_of_version_1() {
    std::string ring;
    for (int turn = 0; turn < 32; ++turn) ring += turn == 0 ? "[0,0,0,0,0,false]" : ",[0,0,0,0,0,false]";
    return R"({"condense_state":1,"pipeline":["compress"],"conversation":"","limits":{"window":1000,"output":0,"overhead":0})"
           R"(,"messages":["14:chat_message/1,4:user,0:,0:,1:0,1:1,1:0,4:task,0:,0:,1:0,1:0,0:,","14:chat_message/1,9:assist)"
           R"(ant,0:,0:,1:0,1:1,1:2,2:{},4:read,1:1,1:0,1:0,0:,","14:chat_message/1,4:tool,0:,0:,1:0,1:1,1:3,400:)" +
           std::string(400, 'r') +
           R"(,0:,1:1,1:0,1:0,0:,","14:chat_message/1,9:assistant,0:,0:,1:0,1:1,1:0,4:done,0:,0:,1:0,1:0,0:,","14:chat_messa)"
           R"(ge/1,4:user,0:,0:,1:0,1:1,1:0,4:next,0:,0:,1:0,1:0,0:,"],"released":[],"abandoned":[],"pins":[],"steps":[[0,tr)"
           R"(ue,2,0,0,102400,34048]],"texts":[{"text":"rrrrrrrrrrrrrrrrrrrrrrrrrrrrrr\n[... 340 of 400 characters omitted; )"
           R"(run the tool again to see them ...]\nrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr","stored":""}],"undos":[[0,5]],"sent":0,"c)"
           R"(ached":0,"runs":1,"changed":1,"statistics":[{"saved":267,"restored":0,"events":1,"groups_dropped":0,"parts_sho)"
           R"(rtened":1,"artifacts":0,"latest_artifacts":0,"failures":0,"asked":0,"failure":""}],"memories":[""],"pace":{"pu)"
           R"(shed":105984,"at_run":105984,"at_ask":0,"changes":5,"tried":5,"due":0,"stuck":0,"fruitless":0,"asked":false,"a)"
           R"(nswer_fitted":false,"open":false},"anchor":{"sent":0,"sent_messages":0,"sent_known":false,"reported":0,"counte)"
           R"(d":0,"messages":0},"turns":{"turns":0,"input":0,"output":0,"time":0,"under_way":false,"ring":[)" +
           ring +
           R"(]},"latest_job":0,"note":"","unrecorded":false,"overflowed":false,"warned":false,"check":"3e33de67a2fbf6d4"})";
}

}  // namespace

TEST_CASE("a session that is restored from text does what one does that never stopped: JSON messages", "[law-7]") {
    laws::check_restarts<forms::json>(400, by_text);
}
TEST_CASE("a state of an earlier version is read, what it does not hold has its default") {
    using condense::used;
    using namespace condense::literals;
    auto const fresh = [] {
        return condense::session{
            std::vector<condense::chat_message>{},
            condense::pipeline{condense::compress{
                .when = used >= 30_pct, .over = 100_chars, .with = condense::head_tail{30_chars, 30_chars}}},
            condense::budget{.window = 1'000_tokens}, laws::byte_estimator{}};
    };
    auto session = fresh();
    auto const text = text_of_version_1();
    REQUIRE_FALSE(condense::restore(session, text));
    CHECK(session.history().size() == 5);
    CHECK(session.used().messages == 5_messages);
    CHECK(session.edits().steps().size() == 1);
    auto const later = condense::save(session);
    REQUIRE(later);
    CHECK(later.text.find("\"condense_state\":4,") != std::string::npos);
    auto again = fresh();
    REQUIRE_FALSE(condense::restore(again, later));
    CHECK(again.used() == session.used());
    CHECK(session.undo());
    condense::session_state first;
    REQUIRE_FALSE(condense::read_state(text, first));
    CHECK(first.version == 1);
    CHECK(first.pace.rounds == 0);
    CHECK(condense::state_text(first) == text);
}

TEST_CASE("the members of a version are those that it has") {
    auto document = tree::parse(text_of_version_1());
    document["condense_state"] = 2;
    CHECK(try_text(sealed(document.dump())).fault == state_fault::damaged);
    document = tree::parse(text_of(true));
    document["condense_state"] = 1;
    CHECK(try_text(sealed(document.dump())).fault == state_fault::damaged);
    document["condense_state"] = condense::session_state::latest + 1;
    CHECK(try_text(sealed(document.dump())).fault == state_fault::newer);
    document["condense_state"] = 0;
    CHECK_FALSE(try_text(sealed(document.dump())).accepted);
}

TEST_CASE("a saved state holds what it is about to be tested with") {
    auto const text = text_of(true);
    condense::session_state state;
    REQUIRE_FALSE(condense::read_state(text, state));
    CHECK_FALSE(state.steps.empty());
    CHECK_FALSE(state.texts.empty());
    CHECK_FALSE(state.released.empty());
    CHECK_FALSE(state.abandoned.empty());
    CHECK_FALSE(state.undos.empty());
    CHECK(condense::state_text(state) == text);
    state.statistics[0].redactions = 7;
    condense::session_state again;
    REQUIRE_FALSE(condense::read_state(condense::state_text(state), again));
    CHECK(again.statistics[0].redactions == 7);

    condense::provider_usage const one{{1}, {2}, {3}, {~std::uint64_t{0}}};
    state.statistics[0].model_usage = state.agent_usage = one;
    REQUIRE_FALSE(condense::read_state(condense::state_text(state), again));
    CHECK(again.statistics[0].model_usage == one);
    CHECK(again.agent_usage == one);
    state.version = 3;  // as an earlier release has written it
    REQUIRE_FALSE(condense::read_state(condense::state_text(state), again));
    CHECK(again.statistics[0].redactions == 7);
    CHECK(again.statistics[0].model_usage == condense::provider_usage{});
    CHECK(again.agent_usage == condense::provider_usage{});
    state.version = condense::session_state::latest;
    CHECK(try_text(text).accepted);
    CHECK(said(try_text(text).broken) == "");
    CHECK(said(try_text(text_of(false)).broken) == "");
    CHECK(try_text(text + "\n").accepted);
    REQUIRE_FALSE(condense::read_state(text_of(false), state));
    CHECK_FALSE(state.undos.empty());
}

TEST_CASE("a text that is torn, or of which one byte is another, is refused") {
    auto const text = text_of(true);
    for (std::size_t size = 0; size < text.size(); size += stride()) {
        auto const judged = try_text(std::string_view{text}.substr(0, size));
        REQUIRE((judged.fault == state_fault::damaged && judged.broken.empty()));
    }
    auto changed = text;
    for (std::size_t at = 0; at < text.size(); at += stride())
        for (unsigned const flip : {1u, 32u, 128u}) {
            changed[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ flip);
            auto const judged = try_text(changed);
            REQUIRE((judged.fault == state_fault::damaged && judged.broken.empty()));
            changed[at] = text[at];
        }
}

TEST_CASE("the text is held to its form though its check is right") {
    auto const text = text_of(true);
    auto const with = [&](std::string_view was, std::string_view is) {
        auto changed = text;
        auto const at = changed.find(was);
        REQUIRE(at != changed.npos);
        return sealed(changed.replace(at, was.size(), is));
    };
    CHECK(try_text(sealed(text)).accepted);
    CHECK(try_text(with("{\"condense_state\":4", "{\"condense_state\":5")).fault == state_fault::newer);
    CHECK(try_text(with("{\"condense_state\":4", "{\"condense_state\":0")).fault == state_fault::impossible);
    CHECK(try_text(with("{\"condense_state\":4", "{\"condense_state\":4.0")).fault == state_fault::damaged);
    CHECK(try_text(with("\"compress\"", "\"escalate\"")).fault == state_fault::foreign);
    CHECK(try_text(with("\"repair\"", "\"repair\",\"repair\"")).fault == state_fault::foreign);
    CHECK(try_text(with("\"conversation\":\"\"", "\"conversation\":\"other\"")).fault == state_fault::foreign);
    CHECK(try_text(with("\"note\":\"\"", "\"note\":\"\",\"note\":\"\"")).fault == state_fault::damaged);
    CHECK(try_text(with("\"note\":\"\"", "\"note\":\"\",\"more\":1")).fault == state_fault::damaged);
    CHECK(try_text(with("\"runs\":", "\"runs\":-")).fault == state_fault::damaged);
    CHECK(try_text(with("\"note\":\"\"", "\"note\":{\"base64\":\"?\"}")).fault == state_fault::damaged);
    CHECK(try_text(with("\"note\":\"\"", "\"note\":{\"base64\":\"\",\"base64\":\"\"}")).fault == state_fault::damaged);
    CHECK(try_text(with("\"note\":\"\"", "\"note\":" + std::string(200, '[') + std::string(200, ']'))).fault ==
          state_fault::damaged);
    CHECK(try_text(sealed("[1")).fault == state_fault::damaged);
    CHECK(try_text("").fault == state_fault::damaged);
    CHECK(try_text("{}").fault == state_fault::damaged);
    condense::session_state state;
    CHECK(condense::read_state(text, state, {text.size() - 1}).fault == state_fault::too_large);
    CHECK_FALSE(condense::read_state(text, state, {text.size()}));
}

TEST_CASE("every member is needed, and of its type") {
    for (bool const everything : {false, true}) {
        auto const whole = tree::parse(text_of(everything));
        std::size_t offered = 0;
        std::size_t tried = 0;
        auto const at_each = [&](auto const& self, tree const& here, tree::json_pointer const& path) -> void {
            for (auto const& [name, value] : here.items()) {
                auto const inner = path / name;
                auto const judge_with = [&](auto&& change) {
                    if (offered++ % stride() != 0) return false;
                    auto changed = whole;
                    change(changed);
                    auto const judged = try_text(sealed(changed.dump()));
                    if (!judged.broken.empty()) FAIL(inner.to_string() + ": " + said(judged.broken));
                    ++tried;
                    return judged.accepted;
                };
                if (here.is_object() && name != "check") {
                    CHECK_FALSE(judge_with([&](tree& in) { in[path].erase(name); }));
                    CHECK_FALSE(judge_with([&](tree& in) { in[path].erase(name), in[path][name + "_"] = value; }));
                    CHECK_FALSE(judge_with([&](tree& in) { in[inner] = nullptr; }));
                    CHECK_FALSE(judge_with([&](tree& in) { in[inner] = -1; }));
                    CHECK_FALSE(judge_with([&](tree& in) { in[inner] = 1.5; }));
                    CHECK_FALSE(judge_with([&](tree& in) { in[inner] = tree::object({{"a", 1}}); }));
                }
                if (value.is_number())
                    for (auto const number : {std::uint64_t{0}, std::uint64_t{1} << 31, (std::uint64_t{1} << 32) - 1,
                                              std::uint64_t{1} << 63, ~std::uint64_t{0}})
                        static_cast<void>(judge_with([&](tree& in) { in[inner] = number; }));
                if (value.is_structured()) self(self, value, inner);
            }
        };
        at_each(at_each, whole, tree::json_pointer{});
        CHECK(tried > 1'000 / stride());
    }
}

TEST_CASE("a state that somebody has made up is refused, or gives a session that obeys the laws") {
    tree const seeds[] = {tree::parse(text_of(false)), tree::parse(text_of(true))};
    std::map<state_fault, std::uint64_t> refused;
    std::uint64_t accepted = 0;
    auto const first = laws::from_environment("CONDENSE_SEED", 1);
    for (auto seed = first; seed < first + rounds(6'000); ++seed) {
        laws::random_source random{seed};
        auto changed = seeds[random.below(2)];
        for (auto more = 1 + random.below(3); more > 0; --more) {
            if (random.chance(60))
                mutate(changed[random.chance(50)   ? "steps"
                               : random.chance(50) ? "released"
                               : random.chance(50) ? "texts"
                                                   : "undos"],
                       random);
            else mutate(changed, random);
            if (!changed.is_object()) break;
        }
        auto const judged = try_text(sealed(changed.dump(-1, ' ', false, tree::error_handler_t::replace)));
        if (judged.accepted) ++accepted;
        else ++refused[judged.fault];
        if (!judged.broken.empty()) {
            CHECK("CONDENSE_SEED=" + std::to_string(seed) + ": " + said(judged.broken) == "");
            break;
        }
    }
    WARN("accepted " << accepted << ", damaged " << refused[state_fault::damaged] << ", impossible "
                     << refused[state_fault::impossible]);
    CHECK(accepted > rounds(6'000) / 20);
    CHECK(refused[state_fault::damaged] > rounds(6'000) / 20);
    CHECK(refused[state_fault::impossible] > rounds(6'000) / 20);
}
