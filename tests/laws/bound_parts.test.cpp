// SPDX-License-Identifier: BSL-1.0

#include <condense/shorten/old_reasoning.hpp>

#include "laws/harness.hpp"
#include "support/messages.hpp"

// A provider that binds its reasoning to what stood before it: each part of it names the messages before its own, and
// the part of reasoning before it. Written from what such a provider documents; nothing of the library decides here.

namespace {

using namespace condense::literals;
using condense::chat_message, condense::part_kind, condense::used;
using laws::tally;
using request = std::vector<chat_message>;

constexpr std::uint64_t nothing = 0;

/// Goes on from `hash` with a message. Reasoning is no part of the prefix, nor are the names and marks of messages.
std::uint64_t with(std::uint64_t hash, chat_message const& m) {
    auto const mix = [&](std::string_view text) {
        for (char const byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 1'099'511'628'211u;
        hash = (hash ^ text.size()) * 1'099'511'628'211u;
    };
    if (m.parts.size() == 1 && m.parts[0].bound) return hash;  // as if it had not been there
    mix(condense::name(m.role));
    for (auto const& part : m.parts) {
        if (part.bound) continue;
        mix(part.text), mix(part.call), mix(part.tool);
        mix(std::string(1, static_cast<char>('0' + static_cast<int>(part.kind))));
    }
    return hash;
}

/// What a signature holds.
struct signature {
    std::uint64_t prefix = nothing;
    std::uint64_t previous = nothing;  ///< number of the part of reasoning before it
};

class binding_provider {
public:
    /// Reasoning for an answer to the request.
    condense::chat_part sign(request const& sent, std::string const& words) {
        signature next{.prefix = model};
        for (auto const& m : sent) {
            next.prefix = with(next.prefix, m);
            for (auto const& part : m.parts)
                if (part.bound) next.previous = number_of(part);
        }
        signatures_.push_back(next);
        return {.kind = part_kind::reasoning,
                .text = std::to_string(signatures_.size()) + " " + words,
                .sealed = true,
                .bound = true};
    }
    /// Why it refuses the request; empty where it does not.
    std::string refuses(request const& sent) const {
        auto prefix = model;
        auto previous = nothing;
        for (auto const& m : sent) {
            for (auto const& part : m.parts) {
                if (!part.bound) continue;
                auto const number = number_of(part);
                auto const& signed_for = signatures_[number - 1];
                if (signed_for.prefix != prefix) return "bound to another conversation: " + part.text;
                if (previous != nothing && signed_for.previous != previous) return "one is missing: " + part.text;
                previous = number;
            }
            prefix = with(prefix, m);
        }
        return {};
    }
    /// How many parts it takes of those in `sent`, if what it refuses were left out as it asks for.
    std::size_t valid(request const& sent) const {
        auto prefix = model;
        std::size_t count = 0;
        for (auto const& m : sent) {
            for (auto const& part : m.parts) count += part.bound && signatures_[number_of(part) - 1].prefix == prefix;
            prefix = with(prefix, m);
        }
        return count;
    }

    std::uint64_t model = nothing;  ///< it takes no reasoning of another

private:
    static std::uint64_t number_of(condense::chat_part const& part) {
        return std::strtoull(part.text.c_str(), nullptr, 10);
    }
    std::vector<signature> signatures_;
};

std::size_t count_bound(request const& all) {
    std::size_t count = 0;
    for (auto const& m : all)
        for (auto const& part : m.parts) count += part.bound ? 1u : 0u;
    return count;
}

struct figures {
    std::uint64_t requests = 0, kept = 0, restored = 0, undone = 0, committed = 0, adopted = 0, models = 0;
};

/// A history as such a provider has made it.
request signed_history(request all, binding_provider& provider, laws::random_source& random) {
    request before;
    for (auto& m : all) {
        if (m.role == condense::role::assistant && random.chance(70))
            m.parts.insert(m.parts.begin(), provider.sign(before, std::string(random.below(200), 't')));
        before.push_back(m);
    }
    return before;
}

laws::broken reduced_once(std::uint64_t seed, tally& tallied) {
    laws::random_source random{seed};
    binding_provider provider;
    auto const original = signed_history(laws::conversation_generator{seed}.make(), provider, random);
    auto const limits = laws::random_budget(original, random);
    laws::broken broken;
    laws::with_random_mix(random, [&](auto const& mix) {
        auto sent = original;
        auto const report = condense::reduce(sent, mix, limits, laws::byte_estimator{});
        if (auto const why = provider.refuses(sent); !why.empty()) broken.insert("L24 " + why);
        std::uint64_t told = 0;
        for (auto const& layer : report.layers) told += layer.bound_removed;
        std::map<std::string, chat_message> by_name;
        for (auto const& m : original) by_name[m.name] = m;
        auto whole = sent;  // with the reasoning of each message that is there
        for (auto& m : whole)
            if (auto const was = by_name.find(m.name); was != by_name.end() && count_bound({m}) == 0)
                for (auto const& part : was->second.parts)
                    if (part.bound) m.parts.insert(m.parts.begin(), part);
        tallied.applied["could stay"] += provider.valid(whole);
        ++tallied.runs;
        tallied.changed += report.changed();
        tallied.applied["told"] += told;
        tallied.applied["kept"] += count_bound(sent);
        tallied.applied["original"] += count_bound(original);
    });
    return broken;
}

auto tool_loop(condense::memory_journal const& journal, condense::memory_store const& store) {
    return condense::pipeline{
        condense::record{.to = journal},
        condense::offload{.over = 1'200_chars, .preview = condense::head_tail{200_chars, 100_chars}, .into = store},
        condense::compress{
            .when = used >= 60_pct, .over = 400_chars, .with = condense::head_tail{100_chars, 100_chars}},
        condense::compress{.when = used >= 50_pct, .with = condense::old_reasoning{.keep = 3_messages}},
        condense::summarize{.when = used >= 75_pct, .protect = condense::task | condense::last(4_messages)},
        condense::sliding_window{.when = used >= 90_pct, .until = used <= 70_pct},
        condense::escalate{.when = used >= 95_pct}};
}

/// Everything that a program does with a session, while a provider looks at each request.
laws::broken held_in_a_session(std::uint64_t seed, figures& counted) {
    laws::random_source random{seed};
    binding_provider provider;
    condense::memory_journal const journal;
    condense::memory_store const store;
    laws::broken broken;
    auto const mix = tool_loop(journal, store);
    condense::budget const limits{.window = {3'000 + random.below(6'000)}, .output = {100}};
    using session_type = condense::session<request, std::remove_const_t<decltype(mix)>, laws::byte_estimator>;
    std::optional<session_type> session;
    session.emplace(request{}, mix, limits);
    std::size_t calls = 0;
    std::vector<std::string> open;
    auto const sent = [&] {
        request all;
        for (auto const& m : session->request()) all.push_back(m);
        if (auto const why = provider.refuses(all); !why.empty()) broken.insert("L24 " + why);
        ++counted.requests;
        counted.kept += count_bound(all);
        return all;
    };
    session->push(chat_message::system("rules"));
    session->set_model("0", limits);
    std::optional<condense::summary_job> job;
    for (auto turn = 10 + random.below(30); turn > 0 && broken.empty(); --turn) {
        if (open.empty())
            session->push(chat_message::user("question " + std::to_string(turn) + std::string(random.below(300), 'q')));
        auto const asked = sent();
        if (random.chance(8)) {
            job = session->begin_summary();
            if (random.chance(50) && *job)
                counted.committed +=
                    session->commit(*job, "In short: all is well.") == condense::commit_outcome::committed,
                    job.reset();
        }
        chat_message answer{.role = condense::role::assistant};
        if (random.chance(80)) answer.parts.push_back(provider.sign(asked, std::string(random.below(400), 't')));
        if (random.chance(70)) answer.parts.push_back({.text = "words " + std::string(random.below(100), 'w')});
        open.clear();
        for (auto parallel = random.chance(75) ? 1 + random.below(3) : 0; parallel > 0; --parallel) {
            open.push_back("call_" + std::to_string(calls++));
            answer.parts.push_back(
                {.kind = part_kind::tool_call, .text = R"({"path":"a.cpp"})", .tool = "read", .call = open.back()});
        }
        if (answer.parts.empty()) answer.parts.push_back({.text = "done"});
        session->push(std::move(answer));
        for (auto const& id : open) session->push(chat_message::result(id, std::string(random.below(2'500), 'r')));
        if (job && *job && random.chance(30))
            counted.committed += session->commit(*job, "In short: all is well.") == condense::commit_outcome::committed,
                job.reset();
        switch (random.below(12)) {
            case 0: counted.undone += session->undo() ? 1u : 0u; break;
            case 1: counted.restored += !session->restore({random.below(session->history().size())}) ? 1u : 0u; break;
            case 5:
                provider.model += random.below(2);
                session->set_model(std::to_string(provider.model), limits);
                ++counted.models;
                break;
            case 2: static_cast<void>(session->pin({random.below(session->history().size())})); break;
            case 3:
                static_cast<void>(session->run(condense::force{.target = condense::tokens{limits.window.count / 3}}));
                break;
            case 4: {
                auto taken = session->state();
                REQUIRE(taken);
                session.emplace(request{}, mix, limits);
                auto const problem = session->adopt(std::move(taken.state));
                CAPTURE(std::string_view{problem.reason});
                REQUIRE(!problem);
                ++counted.adopted;
                job.reset();
                break;
            }
            default: static_cast<void>(session->prepare()); break;
        }
    }
    sent();
    return broken;
}

}  // namespace

TEST_CASE("bound parts: no request holds one behind a change, whatever the mix", "[laws]") {
    tally tallied;
    auto const rounds = laws::rounds_asked() / 4 + 1;
    laws::run_seeds(rounds, tallied, reduced_once);
    INFO(tallied.applied["told"] << " told, " << tallied.applied["kept"] << " kept of " << tallied.applied["original"]
                                 << ", " << tallied.applied["could stay"] << " could stay");
    CHECK(tallied.runs > 0);
    CHECK(tallied.applied["kept"] > 0);
    CHECK(tallied.applied["told"] > 0);
    CHECK(tallied.applied["kept"] * 10 >= tallied.applied["could stay"] * 9);
}

TEST_CASE("bound parts: nor any request of a session", "[laws]") {
    figures counted;
    laws::run_seeds(rounds(2'000) / (sanitized ? 2 : 1) + 1,
                    [&](std::uint64_t seed) { return held_in_a_session(seed, counted); });
    INFO(counted.requests << " requests, " << counted.kept << " kept, " << counted.restored << " restored, "
                          << counted.undone << " undone, " << counted.committed << " committed, " << counted.adopted
                          << " adopted, " << counted.models << " models");
    CHECK(counted.requests > 0);
    CHECK(counted.kept > 0);
}

TEST_CASE("bound parts: a refusal is answered once, by taking them out") {
    binding_provider provider;
    condense::pipeline const mix{condense::sliding_window{}};
    condense::session session{request{chat_message::user("task")}, mix, condense::budget{.window = {9'000}},
                              laws::byte_estimator{}, condense::run_options{.bound = condense::bound_parts::stay}};
    chat_message thought{.role = condense::role::assistant,
                         .parts = {provider.sign({}, "elsewhere"), {.text = "done"}}};
    session.push(thought);
    session.push(chat_message::user("next"));
    int calls = 0;
    auto const model = [&](auto const& sent) {
        request all;
        for (auto const& m : sent) all.push_back(m);
        ++calls;
        condense::reply<chat_message> reply;
        if (provider.refuses(all).empty()) reply.message = chat_message::assistant("fine");
        else
            reply.error = {
                .status = 400,
                .text =
                    R"({"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: )"
                    R"(Invalid `signature` in `thinking` block. The block is bound to a different conversation."}})"};
        return reply;
    };
    CHECK(session.call(model).outcome == condense::call_outcome::answered);
    CHECK(calls == 2);
    CHECK(count_bound(session.history()) == 1);
    CHECK(session.edits().binds());
    CHECK(session.undo());  // which does not bring it back
    session.push(chat_message::user("once more"));
    CHECK(session.call(model).outcome == condense::call_outcome::answered);
    CHECK(calls == 3);
    // There is nothing more to take out, and no second attempt.
    auto const refusing = [](auto const&) {
        return condense::reply<chat_message>{.error = {.status = 400, .text = "bound to a different conversation"}};
    };
    CHECK(session.call(refusing).outcome == condense::call_outcome::failed);
    condense::provider_error const again{.status = 400, .text = "The block is bound to a different conversation."};
    CHECK(session.recover(again) == condense::recover_outcome::exhausted);
}

TEST_CASE("bound parts: they stay where the provider drops them itself") {
    binding_provider provider;
    request history{chat_message::user("task"), chat_message::call("1", "read", "{}"),
                    chat_message::result("1", std::string(4'000, 'r'))};
    history.push_back({.role = condense::role::assistant, .parts = {provider.sign(history, "so"), {.text = "done"}}});
    history.push_back(chat_message::user("next"));
    auto const mix = condense::pipeline{
        condense::compress{.when = condense::always, .over = 100_chars, .with = condense::head{50_chars}}};
    condense::budget const limits{.window = {9'000}};
    auto stays = history;
    auto const kept = condense::reduce(stays, mix, limits, laws::byte_estimator{},
                                       condense::run_options{.bound = condense::bound_parts::stay});
    CHECK(kept.changed());
    CHECK(count_bound(stays) == 1);
    CHECK(!provider.refuses(stays).empty());
    auto leaves = history;
    auto const report = condense::reduce(leaves, mix, limits, laws::byte_estimator{});
    CHECK(count_bound(leaves) == 0);
    CHECK(report.layers[0].bound_removed == 1);
    CHECK(report.layers[0].bound_tokens.count > 0);
    CHECK(report.layers[0].bound_tokens + kept.layers[0].saved == report.layers[0].saved);
    CHECK(report.text().find("1 bound to it went along") != std::string::npos);
    CHECK(report.json().find("\"bound_removed\":1") != std::string::npos);
}

TEST_CASE("bound parts: what has left is not restored, and newer ones stay when that is asked for") {
    binding_provider provider;
    condense::pipeline const mix{
        condense::compress{.when = used >= 40_pct, .over = 100_chars, .with = condense::head{50_chars}}};
    condense::session session{request{chat_message::user("task"), chat_message::call("1", "read", "{}")}, mix,
                              condense::budget{.window = {2'000}}, laws::byte_estimator{}};
    auto const asked = [&] {
        request all;
        for (auto const& m : session.request()) all.push_back(m);
        return all;
    };
    auto const answer = [&](std::string words) {
        auto thought = provider.sign(asked(), words);
        session.push({.role = condense::role::assistant, .parts = {std::move(thought), {.text = std::move(words)}}});
    };
    session.push(chat_message::result("1", std::string(4'000, 'r')));
    answer("first");
    session.push(chat_message::user("next"));
    REQUIRE(count_bound(asked()) == 1);
    REQUIRE(session.run().changed());
    CHECK(count_bound(asked()) == 0);
    answer("second");
    CHECK(session.restore({3}) == condense::refusal::gone);
    CHECK(count_bound(asked()) == 1);
    CHECK(provider.refuses(asked()).empty());
}

TEST_CASE("bound parts: an answer to a request that the program has changed since loses its own") {
    binding_provider provider;
    request mine{chat_message::user("task"), chat_message::assistant("done"), chat_message::user("next")};
    condense::session session{std::ref(mine), condense::pipeline{condense::sliding_window{}},
                              condense::budget{.window = {9'000}}, laws::byte_estimator{}};
    auto const asked = [&] {
        request all;
        for (auto const& m : session.request()) all.push_back(m);
        return all;
    };
    auto thought = provider.sign(asked(), "so");
    mine[1].parts[0].text = "done, as was asked";
    session.sync({1});
    mine.push_back({.role = condense::role::assistant, .parts = {std::move(thought), {.text = "fine"}}});
    CHECK(count_bound(asked()) == 0);
    CHECK(provider.refuses(asked()).empty());
}
