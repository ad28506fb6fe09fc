// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include <condense/adapt/chat_message.hpp>

#include "support/byte_source.hpp"

// Random conversations, the same for the same seed on every machine. Every message is named m0, m1, …
// so that it can be found again in an output.

namespace laws {

using condense::chat_message;
using condense::part_kind;
using condense::part_status;

/// splitmix64: small, seedable, the same everywhere; or the choices that are in some bytes.
class random_source {
public:
    explicit random_source(std::uint64_t seed) : state_{seed} {}
    /// Refers to the bytes' reader.
    explicit random_source(byte_source& bytes) : bytes_{&bytes} {}

    std::uint64_t next() {
        if (bytes_ != nullptr) return bytes_->next();
        auto mixed = state_ += 0x9E3779B97F4A7C15u;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
        return mixed ^ (mixed >> 31);
    }
    std::size_t below(std::size_t limit) {
        return bytes_ != nullptr ? bytes_->below(limit) : static_cast<std::size_t>(next() % limit);
    }
    bool chance(unsigned percent) { return below(100) < percent; }

private:
    std::uint64_t state_ = 0;
    byte_source* bytes_ = nullptr;
};

class conversation_generator {
public:
    explicit conversation_generator(std::uint64_t seed) : random_{seed} {}
    explicit conversation_generator(random_source random) : random_{random} {}

    std::vector<chat_message> make() {
        all_.clear();
        wild_ = random_.chance(30);
        if (random_.chance(80)) add(chat_message::system(text(200)));
        auto const turns = 1 + random_.below(7);
        for (std::size_t turn = 0; turn < turns; ++turn) make_turn();
        return std::move(all_);
    }

private:
    void add(chat_message m) {
        m.name = "m" + std::to_string(all_.size());
        if (random_.chance(2)) m.pinned = true;
        all_.push_back(std::move(m));
    }

    std::string piece() {
        switch (random_.below(wild_ ? 8 : 6)) {
            case 0: return "word ";
            case 1: return "a longer run of text, as a tool prints it\n";
            case 2: return "\xE6\xBC\xA2\xE5\xAD\x97";           // Han
            case 3: return "\xF0\x9F\x98\x80";                   // an emoji
            case 4: return "{\"row\": 12, \"ok\": true}\n";
            case 5: return "\xC3\xA9t\xC3\xA9 ";                 // accents
            case 6: return "\xFF\xC3";                           // ill-formed
            default: return std::string("\0\x1B[2J", 5);         // control bytes
        }
    }

    std::string text(std::size_t limit) {
        std::string out;
        auto const size = random_.below(limit + 1);
        while (out.size() < size) out += piece();
        return out;
    }

    std::string output() {
        static constexpr std::size_t sizes[] = {0, 40, 400, 2'000, 12'000, 30'000};
        return text(sizes[random_.below(6)]);
    }

    std::string id() {
        if (random_.chance(10)) return {};
        if (random_.chance(25)) return "call_" + std::to_string(random_.below(3));
        return "call_" + std::to_string(next_id_++);
    }

    void make_turn() {
        if (random_.chance(5)) add(chat_message::system(text(100)));
        if (random_.chance(95)) add(chat_message::user(text(random_.chance(10) ? 3'000 : 150)));
        if (!late_.empty() && random_.chance(30)) {
            add(chat_message::result(late_.back(), text(300)));
            late_.pop_back();
        }
        auto const steps = random_.below(6);
        for (std::size_t step = 0; step < steps; ++step) make_step();
        if (random_.chance(80)) add(chat_message::assistant(text(200)));
        if (random_.chance(4)) add(chat_message{.role = condense::role::other});
        if (random_.chance(3)) add(chat_message::result("nobody_asked", text(300)));
    }

    void make_step() {
        chat_message asks{.role = condense::role::assistant};
        if (random_.chance(20))
            asks.parts.push_back({.kind = part_kind::reasoning, .text = text(300), .sealed = random_.chance(50)});
        if (random_.chance(30)) asks.parts.push_back({.text = text(100)});
        auto const calls = 1 + (random_.chance(30) ? random_.below(3) : 0);
        std::vector<chat_message> results;
        bool const in_user = random_.chance(25);
        for (std::size_t call = 0; call < calls; ++call) {
            auto const name = id();
            auto const tool = random_.chance(50) ? "read_file" : "shell";
            asks.parts.push_back({.kind = part_kind::tool_call,
                                  .text = random_.chance(90)
                                              ? "{\"path\":\"src/f" + std::to_string(random_.below(9)) + ".cpp\"}"
                                              : text(50),
                                  .tool = tool,
                                  .call = name,
                                  .status = random_.chance(2) ? part_status::pending : part_status::ok});
            if (random_.chance(4)) {  // no answer, or a late one
                late_.push_back(name);
                continue;
            }
            auto const status = random_.chance(10) ? part_status::error : part_status::ok;
            auto answer = chat_message::result(name, output(), status);
            if (in_user) answer.role = condense::role::user;
            if (random_.chance(5)) answer.parts[0].sealed = true;
            if (random_.chance(10))
                answer.parts.push_back(
                    {.kind = part_kind::media, .call = name, .cost = condense::cost::of(condense::tokens{50})});
            if (random_.chance(10))
                answer.parts.push_back({.kind = part_kind::tool_result, .text = text(500), .call = name});
            if (in_user && random_.chance(10)) answer.parts.push_back({.text = text(60)});
            results.push_back(std::move(answer));
        }
        if (random_.chance(3) && !results.empty()) {  // the result sits beside the call
            for (auto& part : results.back().parts) asks.parts.push_back(std::move(part));
            results.pop_back();
        }
        add(std::move(asks));
        if (results.size() > 1 && random_.chance(40)) {  // one message for all
            for (std::size_t from = 1; from < results.size(); ++from)
                for (auto& part : results[from].parts) results[0].parts.push_back(std::move(part));
            results.resize(1);
        }
        if (random_.chance(5)) results.clear();
        for (auto& answer : results) add(std::move(answer));
    }

    random_source random_;
    std::vector<chat_message> all_;
    std::vector<std::string> late_;  ///< calls that have no answer yet
    std::size_t next_id_ = 0;
    bool wild_ = false;
};

}  // namespace laws
