// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <utility>

#include "laws/generator.hpp"

// Random conversations whose later messages name what earlier ones have brought: ids that look alike, paths, names of
// code, amounts; after few turns or many; values that are updated. The same for the same seed on every machine.

namespace laws {

class reference_generator {
public:
    explicit reference_generator(std::uint64_t seed) : random_{seed} {}

    /// One of so many turns: a request now and then, a call, its result, and an answer that names things.
    std::vector<chat_message> make(std::size_t turns) {
        all_.clear();
        facts_.clear();
        reach_ = std::array{5u, 20u, 100u}[random_.below(3)];
        all_.push_back(chat_message::user("Keep the orders in order. Begin with " + path() + "."));
        for (std::size_t turn = 0; turn < turns; ++turn) add_turn(turn);
        all_.push_back(chat_message::user("Go on."));
        return std::move(all_);
    }

private:
    /// A name, and the turn that brought it.
    struct fact {
        std::string text;
        std::size_t turn = 0;
    };

    std::string pick(std::initializer_list<std::string_view> words) {
        return std::string{words.begin()[random_.below(words.size())]};
    }
    std::string order() { return "W" + std::to_string(480'000 + random_.below(2'000)); }
    std::string amount() {
        return std::to_string(100 + random_.below(900)) + "." + std::to_string(10 + random_.below(89));
    }
    std::string code_name() {
        return pick({"read", "write", "find", "check"}) + "_" + pick({"order", "item", "refund", "line", "user"}) +
               "_" + std::to_string(random_.below(30));
    }
    std::string path() {
        return pick({"src", "lib/store", "tests/unit"}) + "/" + pick({"order", "refund", "user", "main"}) +
               std::to_string(random_.below(20)) + pick({".cpp", ".hpp", ".py"});
    }
    /// A new name, which later answers may take up.
    std::string bring(std::string text, std::size_t turn) {
        facts_.push_back({text, turn});
        return text;
    }
    /// A name of about `reach_` turns ago, or a recent one.
    std::string recall(std::size_t turn) {
        auto const back = random_.chance(50) ? reach_ : 2u;
        auto const wanted = turn < back ? 0 : turn - back;
        for (auto index = facts_.size(); index-- != 0;)
            if (facts_[index].turn <= wanted) return facts_[index - random_.below(index < 4 ? index + 1 : 4)].text;
        return facts_.front().text;
    }

    std::string rows(std::size_t turn) {
        std::string out = "[";
        for (auto left = 1 + random_.below(5); left != 0; --left)
            out += "{\"order_id\": \"" + bring(order(), turn) + "\", \"total\": " + bring(amount(), turn) +
                   ", \"note\": \"left at the door\"}" + (left == 1 ? "]" : ", ");
        return out;
    }
    std::string source(std::size_t turn) {
        std::string out;
        for (auto left = 4 + random_.below(40); left != 0; --left)
            out += random_.chance(20) ? "    auto const total = " + bring(code_name(), turn) + "(next);\n"
                                      : "    // the rest of the sum stays as it is\n";
        return out;
    }
    std::string hits(std::size_t turn) {
        std::string out;
        for (auto left = 2 + random_.below(8); left != 0; --left)
            out +=
                bring(path(), turn) + ":" + std::to_string(random_.below(400)) + ": " + bring(code_name(), turn) + "\n";
        return out;
    }

    void add_turn(std::size_t turn) {
        auto const id = "call_" + std::to_string(turn);
        if (turn != 0 && random_.chance(20))
            all_.push_back(
                chat_message::user("Now look at " + recall(turn) + ", and mind " + bring(order(), turn) + "."));
        auto const file = turn == 0 || random_.chance(40) ? bring(path(), turn) : recall(turn);
        chat_message call{.role = condense::role::assistant};
        call.parts.push_back({.text = "I look at " + file + "."});
        call.parts.push_back(
            {.kind = part_kind::tool_call,
             .text = "{\"path\": \"" + file + "\", \"text\": \"one\\ntwo " + (turn == 0 ? file : recall(turn)) + "\"}",
             .tool = "look",
             .call = id});
        all_.push_back(std::move(call));
        switch (random_.below(3)) {
            case 0: all_.push_back(chat_message::result(id, rows(turn))); break;
            case 1: all_.push_back(chat_message::result(id, source(turn))); break;
            default: all_.push_back(chat_message::result(id, hits(turn))); break;
        }
        auto answer = "It says " + recall(turn) + ", as " + recall(turn) + " did.";
        if (random_.chance(20)) answer += " The total of " + recall(turn) + " is " + bring(amount(), turn) + " now.";
        all_.push_back(chat_message::assistant(answer));
    }

    random_source random_;
    std::vector<chat_message> all_;
    std::vector<fact> facts_;
    std::size_t reach_ = 5;
};

}  // namespace laws
