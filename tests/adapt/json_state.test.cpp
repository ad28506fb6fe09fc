// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/json_state.hpp>

#include <filesystem>
#include <fstream>

#include "adapt/saved_sessions.hpp"
#include "laws/harness.hpp"

namespace {

using condense::state_fault;
using saved_sessions::mutate, saved_sessions::sealed, saved_sessions::text_of, saved_sessions::try_text;
using tree = nlohmann::ordered_json;

std::string said(laws::broken const& broken) {
    std::string out;
    for (auto const& one : broken) out += one + "; ";
    return out;
}

/// A state as an earlier version wrote it: the first, of a session with one compressed result, the sixth, of a session
/// of saved_sessions with everything, and one of that version with late results of released calls, whose ids come
/// again.
std::string text_of_version(std::string const& version) {
    auto const name = "state_of_version_" + version + ".json";
    std::ifstream file{std::filesystem::path{__FILE__}.parent_path() / name, std::ios::binary};
    std::string text;
    REQUIRE(std::getline(file, text));
    return text;
}

/// A member "a" of this value, as it is written.
template <class Value>
std::string written(Value value) {
    std::string out;
    condense::detail::state_writer writer{out};
    writer("a", value);
    return "{" + out + "}";
}
template <class Value>
bool reads(std::string_view text, Value& value) {
    auto document = tree::parse(text);
    condense::detail::state_reader reader{document};
    reader("a", value);
    return reader.bad_member().empty() && reader.complete();
}
/// Whether the value is read from any of the texts.
template <class Value>
bool reads_any(std::initializer_list<char const*> texts) {
    Value value{};
    return std::any_of(texts.begin(), texts.end(), [&](char const* text) { return reads(text, value); });
}

}  // namespace

TEST_CASE("what is written of a member is read again") {
    condense::saved_edit const edit{.kind = condense::edit_kind::externalize,
                                    .message = ~std::uint64_t{0},
                                    .part = 2,
                                    .writes = true,
                                    .text = "\xFF\"\n",
                                    .stored = *condense::reference::of("00112233445566778899aabb")};
    condense::saved_edit again;
    REQUIRE(reads(written(edit), again));
    CHECK(again == edit);
    CHECK(written(condense::saved_edit{.message = 4}) == R"({"a":{"kind":"drop","message":4}})");
    CHECK(written(condense::undo_point{1, 2}) == R"({"a":[1,2]})");
    CHECK(written(std::string("\xFF")) == R"({"a":{"base64":"/w=="}})");
    condense::reference name;
    REQUIRE(reads(R"({"a":"00112233445566778899aabb"})", name));
    CHECK(name.text() == "00112233445566778899aabb");
}

TEST_CASE("what is not of its type or its range is not read") {
    CHECK_FALSE(reads_any<bool>({R"({"a":1})"}));
    CHECK_FALSE(reads_any<std::uint32_t>(
        {R"({"a":4294967296})", R"({"a":-1})", R"({"a":1.0})", R"({"b":1})", R"({"a":1,"b":1})"}));
    CHECK_FALSE(reads_any<std::string>({R"({"a":1})", R"({"a":{"base64":"?"}})", R"({"a":{"base64":"","b":1}})"}));
    CHECK_FALSE(reads_any<condense::role>({R"({"a":5})"}));
    CHECK_FALSE(reads_any<condense::edit_kind>({R"({"a":4})", R"({"a":"dropped"})"}));
    CHECK_FALSE(reads_any<condense::reference>({R"({"a":"0"})", R"({"a":"g0112233445566778899aabb"})"}));
    CHECK_FALSE(
        reads_any<condense::undo_point>({R"({"a":[1]})", R"({"a":[1,2,3]})", R"({"a":{"steps":1,"messages":2}})"}));
    CHECK_FALSE(reads_any<std::vector<std::uint64_t>>({R"({"a":[1,"2"]})"}));
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
    auto const text = text_of_version("1");
    REQUIRE_FALSE(condense::restore(session, text));
    CHECK(session.history().size() == 5);
    CHECK(session.used().messages == 5_messages);
    CHECK(session.edits().steps().size() == 1);
    auto const later = condense::save(session);
    REQUIRE(later);
    CHECK(later.text.find("\"condense_state\":7,") != std::string::npos);
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

TEST_CASE("a state of version 6, with released messages, sends what it sent") {
    using namespace saved_sessions;
    session_type session{{}, mix(), limits, {}};
    REQUIRE_FALSE(condense::restore(session, text_of_version("6")));
    session_type live{{}, mix(), limits, {}};
    fill(live, true);
    CHECK(session.used() == live.used());
    CHECK(session.outline().size() == live.outline().size());
    CHECK(session.outline().has_released());
    CHECK(sent(session) == sent(live));
    auto const later = condense::save(session);
    session_type again{{}, mix(), limits, {}};
    REQUIRE_FALSE(condense::restore(again, later));
    CHECK(condense::save(again).text == later.text);
    CHECK(said(try_text(text_of_version("6")).broken) == "");
    // What is said of released messages may be forged.
    condense::session_state state;
    REQUIRE_FALSE(condense::read_state(text_of_version("6"), state));
    auto const refused = [&](auto const& change) {
        auto forged = state;
        change(forged.earlier, forged);
        session_type other{{}, mix(), limits, {}};
        return other.adopt(forged).fault == state_fault::impossible;
    };
    CHECK_FALSE(refused([](auto&, auto&) {}));
    CHECK(refused([](auto& earlier, auto&) { earlier.released[0].index = 1'000; }));
    CHECK(refused([](auto& earlier, auto&) { earlier.released[1].index = earlier.released[0].index; }));
    CHECK(refused([](auto& earlier, auto&) { earlier.released[0].messages = 0; }));
    CHECK(refused([](auto& earlier, auto&) { earlier.steps[0].target = 1'000'000; }));
    CHECK(refused([](auto& earlier, auto&) { earlier.steps[0].on_part = true, earlier.steps[0].target = 1'000'000; }));
    CHECK(refused([](auto& earlier, auto&) { earlier.texts.pop_back(); }));
    CHECK(refused([](auto& earlier, auto&) { earlier.texts.push_back({}); }));
    CHECK(refused([](auto& earlier, auto&) {
        earlier.steps.push_back({.kind = condense::edit_kind::restore, .target = condense::group{0}.summary().index});
    }));
    CHECK(refused([](auto&, auto& all) { all.undos = {{1'000'000, 1}}; }));
    CHECK(refused([](auto&, auto& all) { all.abandoned.push_back({"none", 3}); }));
    CHECK(refused([](auto&, auto& all) { all.messages[0] = "none"; }));
}

TEST_CASE("a state of version 6 with late results of released calls sends what it sent") {
    using namespace condense::literals;
    using condense::used;
    auto const fresh = [] {
        return condense::session{
            std::vector<condense::chat_message>{},
            condense::pipeline{
                condense::record{.to = condense::memory_journal{}}, condense::repair{},
                condense::compress{
                    .when = condense::always, .over = 300_bytes, .with = condense::head_tail{50_bytes, 50_bytes}},
                condense::sliding_window{.when = used >= 70_pct}},
            condense::budget{.window = 4'000_tokens}, laws::byte_estimator{}};
    };
    auto session = fresh();
    auto const problem = condense::restore(session, text_of_version("6_late"));
    CHECK(std::string_view{problem.reason} == "");
    CHECK(session.used().messages == condense::messages{20});
    auto const later = condense::save(session);
    auto again = fresh();
    REQUIRE_FALSE(condense::restore(again, later));
    CHECK(condense::save(again).text == later.text);
    CHECK(notation::sent(again) == notation::sent(session));
}

TEST_CASE("the members of a version are those that it has") {
    auto document = tree::parse(text_of_version("1"));
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
    CHECK_FALSE(state.edits.empty());
    CHECK((state.released.latest != 0 && !state.released.dead_calls.empty() && state.numbers.size() < state.size));
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
    state.edited_since_sent = true;
    state.binds = false;
    state.model = ~std::uint64_t{0};
    state.task = 3;
    state.task_taken = state.settled = true;
    REQUIRE_FALSE(condense::read_state(condense::state_text(state), again));
    CHECK((again.edited_since_sent && !again.binds && again.model == state.model && again.task == 3 &&
           again.task_taken && again.settled));
    state.version = 3;  // as an earlier release has written it
    REQUIRE_FALSE(condense::read_state(condense::state_text(state), again));
    CHECK(again.statistics[0].redactions == 7);
    CHECK(again.statistics[0].model_usage == condense::provider_usage{});
    CHECK(again.agent_usage == condense::provider_usage{});
    CHECK((!again.edited_since_sent && again.binds && again.model == 0 && again.task == 0 && !again.task_taken &&
           !again.settled));
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
    struct row {
        std::string_view was;
        std::string is;
        state_fault fault;
    };
    for (auto const& [was, is, fault] : {
             row{"{\"condense_state\":7", "{\"condense_state\":8", state_fault::newer},
             row{"{\"condense_state\":7", "{\"condense_state\":0", state_fault::impossible},
             row{"{\"condense_state\":7", "{\"condense_state\":7.0", state_fault::damaged},
             row{"\"compress\"", "\"escalate\"", state_fault::foreign},
             row{"\"repair\"", "\"repair\",\"repair\"", state_fault::foreign},
             row{"\"conversation\":\"\"", "\"conversation\":\"other\"", state_fault::foreign},
             row{"\"note\":\"\"", "\"note\":\"\",\"note\":\"\"", state_fault::damaged},
             row{"\"note\":\"\"", "\"note\":\"\",\"more\":1", state_fault::damaged},
             row{"\"runs\":", "\"runs\":-", state_fault::damaged},
             row{"\"note\":\"\"", "\"note\":{\"base64\":\"?\"}", state_fault::damaged},
             row{"\"note\":\"\"", "\"note\":{\"base64\":\"\",\"base64\":\"\"}", state_fault::damaged},
             row{"\"note\":\"\"", "\"note\":" + std::string(200, '[') + std::string(200, ']'), state_fault::damaged},
         }) {
        CAPTURE(was, is);
        auto changed = text;
        auto const at = changed.find(was);
        REQUIRE(at != changed.npos);
        CHECK(try_text(sealed(changed.replace(at, was.size(), is))).fault == fault);
    }
    CHECK(try_text(sealed(text)).accepted);
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
        std::size_t offered = 0, tried = 0;
        auto const at_each = [&](auto const& self, tree const& here, tree::json_pointer const& path) -> void {
            for (auto const& [name, value] : here.items()) {
                auto const inner = path / name;
                auto const judge_with = [&](std::function<void(tree&)> const& change) {
                    if (offered++ % stride() != 0) return false;
                    auto changed = whole;
                    change(changed);
                    auto const judged = try_text(sealed(changed.dump()));
                    if (!judged.broken.empty()) FAIL(inner.to_string() + ": " + said(judged.broken));
                    ++tried;
                    return judged.accepted;
                };
                if (here.is_object() && name != "check") {
                    // An edit need not have what is empty in most of them.
                    bool const accepted = judge_with([&](tree& in) { in[path].erase(name); });
                    CHECK((!accepted || inner.to_string().starts_with("/edits/")));
                    CHECK_FALSE(judge_with([&](tree& in) { in[path].erase(name), in[path][name + "_"] = value; }));
                    for (auto const& other : {tree{}, tree(-1), tree(1.5), tree::object({{"a", 1}})})
                        CHECK_FALSE(judge_with([&](tree& in) { in[inner] = other; }));
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
                mutate(changed[random.chance(50)   ? "edits"
                               : random.chance(50) ? "released"
                               : random.chance(50) ? "numbers"
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
