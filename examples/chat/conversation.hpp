// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/adapt/state_file.hpp>
#include <condense/core/store.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/recovery/original.hpp>
#include <condense/recovery/tools.hpp>
#include <condense/store/content_hash.hpp>
#include <condense/store/memory_journal.hpp>

#include <sys/stat.h>

#include "arguments.hpp"
#include "model.hpp"
#include "terminal.hpp"
#include "tools.hpp"

// What a line of the user does: a command, or a turn of the model and the tools that it calls.

namespace repl {

inline constexpr std::string_view help =
    "/turn          what the latest turn cost\n"
    "/stored REF    a stored original whole\n"
    "/find WORDS    where all that was said holds these words\n"
    "/read N [AT]   message N as it was, from byte AT on\n"
    "/restore N     message N, or the original of a reference, is sent again\n"
    "/tokens        what is used, and what the provider counted\n"
    "/compact [X]   reduces now to the layers' targets, due or not; summaries keep what concerns X above all\n"
    "/pin [N]       message N, or your latest one, stays as it is\n"
    "/undo          takes the newest reduction back\n"
    "/save [FILE]   writes the conversation, by default to the file of --state\n"
    "/quit          ends; so does the end of input\n"
    "anything else is said to the model; the scripted one knows: list [FOLDER], read FILE, search TEXT, count TEXT,\n"
    "call NAME ARGUMENTS\n";

inline bool read_number(std::string_view text, std::uint64_t least, std::uint64_t most, std::uint64_t& number) {
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc{} && end == text.data() + text.size() && number >= least && number <= most;
}

/// Whether the folder is there that a file is to be in: none is made.
inline bool has_folder(std::string const& path) {
    auto const end = path.find_last_of('/');
    auto const folder = end == std::string::npos ? std::string{"."} : path.substr(0, end + 1);
    struct stat found = {};
    return ::stat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

/// The messages of one conversation with all that acts on them.
template <class Session>
class conversation {
public:
    conversation(Session& chat, model asked, tools const& tools, arguments const& chosen, std::uint64_t window)
        : chat_{chat}, model_{std::move(asked)}, tools_{tools}, chosen_{chosen}, most_{most_in_one_result(window)} {}

    /// False when it is over.
    bool take(std::string const& line) {
        if (line.empty()) return true;
        if (line.front() != '/') {
            turn(line);
            return true;
        }
        auto const name = line.substr(0, line.find(' '));
        auto const argument = name.size() == line.size() ? std::string{} : line.substr(name.size() + 1);
        if (name == "/quit") return false;
        if (name == "/tokens") tokens();
        else if (name == "/compact") show(chat_.run(condense::force{.focus = argument}).text());
        else if (name == "/pin") pin(argument);
        else if (name == "/undo")
            show(chat_.undo() ? "the newest reduction is taken back\n" : "there is nothing to take back\n");
        else if (name == "/save") save(argument.empty() ? chosen_.state : argument);
        else if (name == "/turn") show(chat_.turns().line() + "\n");
        else if (name == "/stored") show_stored(argument);
        else if (name == "/find") show(past().call("search_history", json{{"query", argument}}.dump()).text + "\n");
        else if (name == "/read") read_message(argument);
        else if (name == "/restore") restore(argument);
        else if (name == "/help") show(help);
        else show("unknown command " + one_line(name) + "; /help lists what there is\n");
        return true;
    }

    bool save(std::string const& path) {
        if (path.empty()) return show("/save: a file is wanted\n"), false;
        if (!has_folder(path)) return show(one_line(path) + ": there is no such folder\n"), false;
        auto const problem = condense::save_file(chat_, path);
        show(problem ? one_line(path) + ": " + std::string{problem.reason} + "\n" : "saved\n");
        return !problem;
    }

private:
    static constexpr int most_rounds = 16;

    /// What the user says, and all that the model does about it.
    void turn(std::string const& said) {
        chat_.push({{"role", "user"}, {"content", condense::utf8::scrubbed(said)}});
        int rounds = 0;
        while (++rounds <= most_rounds && round()) {}
        if (rounds > most_rounds)
            show("[stopped: the model has used tools " + std::to_string(most_rounds) + " times]\n");
        show("[" + chat_.status() + "]\n");
    }

    /// One call of the model and the tools that it wants; false when it wants none.
    bool round() {
        refused_.clear();
        auto const result = ask();
        if (!result) {
            show("[no answer: " +
                 (result.error.status != 0 ? "status " + std::to_string(result.error.status) + ", " : std::string{}) +
                 one_line(result.error.text, 1'000) + "]\n");
            return false;
        }
        if (!refused_.empty()) show("[recovered from: " + one_line(refused_) + "]\n");
        auto const calls = calls_of(*result.answer);
        auto const text = text_member(*result.answer, "content");
        if (!chosen_.stream) show(text);
        if (!text.empty() && !text.ends_with('\n')) show("\n");
        if (text.empty() && calls.empty()) show("[an empty answer]\n");
        for (auto const& call : calls) {  // copies: a push may move the messages
            auto output = call.name == "stored"   ? read_stored(call.arguments)
                          : past().has(call.name) ? past().call(call.name, call.arguments).text
                                                  : tools_.run(call.name, call.arguments);
            show("[" + one_line(call.name, 40) + " " + one_line(call.arguments, 100) + ": " +
                 std::to_string(output.size()) + " bytes]\n");
            chat_.push({{"role", "tool"}, {"tool_call_id", call.id}, {"content", std::move(output)}});
        }
        return !calls.empty();
    }

    /// Reduces where that is due, recovers once where the window is full after all, and takes the answer in.
    auto ask() {
        auto const noted = [this](reply made) {
            refused_ = made.message ? refused_ : made.error.text;
            spent_.input = spent_.input + made.usage.input;
            spent_.output = spent_.output + made.usage.output;
            spent_.cache_read = spent_.cache_read + made.usage.cache_read;
            return made;
        };
        if (!chosen_.stream)
            return chat_.call(
                [&](auto const& request) { return noted(model_(copied(request), [](std::string_view) {})); });
        return chat_.call([&](auto const& request, auto&& shown) {
            return noted(model_(copied(request), [&](std::string_view piece) {
                show(piece);
                shown(piece);
            }));
        });
    }

    /// The tools of the whole conversation, whose messages go into a journal when they are first looked for.
    auto past() {
        for (auto const& all = chat_.history(); recorded_ < all.size(); ++recorded_) {
            auto const content = condense::to_bytes(all[recorded_]);
            if (journal_.append({}, {journal_.name(content), recorded_}, content)) break;
        }
        return condense::recovery_tools{
            condense::no_store{}, journal_, {.most = {most_ / 4}}, condense::message_text<json>{}};
    }
    void read_message(std::string const& argument) {
        auto const space = std::min(argument.find(' '), argument.size());
        json const wanted{{"number", argument.substr(0, space)},
                          {"offset", space == argument.size() ? "0" : argument.substr(space + 1)}};
        show(past().call("read_message", wanted.dump(-1, ' ', false, json::error_handler_t::replace)).text + "\n");
    }
    void restore(std::string const& argument) {
        std::uint64_t number = 0;
        auto const name = condense::reference::of(argument);
        if (!name && !read_number(argument, 0, ~std::uint64_t{0}, number))
            return show("/restore: the number of a message or a reference is wanted\n");
        auto const refused = name ? condense::expand(chat_, *name) : chat_.restore(condense::sequence{number});
        show(refused ? "nothing is restored: " + std::string{condense::name(refused)} + "\n" : "it is sent again\n");
    }

    /// The original of that name. It is in the history, of which nothing is released, also after a restart; what no
    /// message has is never found.
    std::optional<std::string> stored(std::string_view spelt) const {
        auto const wanted = condense::reference::of(spelt);
        std::optional<std::string> found;
        if (wanted)
            for (auto const& m : chat_.history())
                condense::each_part(m, [&](condense::part_view const& part) {
                    if (!found && part.kind == condense::part_kind::tool_result &&
                        condense::content_hash{}(part.text, 0) == *wanted)
                        found = std::string{part.text};
                });
        return found;
    }
    void show_stored(std::string_view spelt) const {
        auto const found = stored(spelt);
        show(found ? *found + (found->ends_with('\n') ? "" : "\n")
                   : "/stored: the reference of a stored original is wanted\n");
    }
    /// The same for the model: a piece that is not stored again.
    std::string read_stored(std::string_view arguments) const {
        namespace utf8 = condense::utf8;
        auto const read = condense::parse_json<json>(arguments);
        auto const from = read && read.value.is_object() ? read.value.value("from", json(0)) : json();
        if (!from.is_number_unsigned() && from != json(0))
            return "error: 'reference' must be a string, and 'from' a number of characters";
        auto const found = stored(text_member(read.value, "reference"));
        if (!found) return "error: nothing is stored under that reference";
        std::string_view rest{*found};
        rest.remove_prefix(utf8::prefix(rest, from.get<std::uint64_t>()));
        auto const piece = most_ - 100;
        auto const size = utf8::prefix(rest, piece);
        std::string out{rest.substr(0, size)};
        if (size != rest.size())
            out += "\n[" + std::to_string(utf8::count(rest) - piece) + " more characters: from " +
                   std::to_string(from.get<std::uint64_t>() + piece) + " on]";
        return out;
    }

    void tokens() {
        auto const now = chat_.used();
        auto const figure = [](auto quantity) { return std::to_string(quantity.count); };
        show(figure(now.tokens) + " of " + figure(now.input) + " tokens are used by " + figure(now.messages) +
             " messages in " + figure(now.turns) + " turns; " + std::to_string(chat_.history().size()) +
             " messages are kept\nthe provider counted " + figure(spent_.input) + " tokens in, " +
             figure(spent_.cache_read) + " from its cache, " + figure(spent_.output) + " out\n");
    }

    void pin(std::string const& which) {
        auto const& all = chat_.history();
        std::uint64_t at = all.size();
        if (which.empty()) {
            while (at != 0 && text_member(all[at - 1], "role") != "user") --at;
            if (at-- == 0) return show("/pin: you have said nothing yet\n");
        } else if (all.empty() || !read_number(which, 0, all.size() - 1, at))
            return show("/pin: the number of a message is wanted, below " + std::to_string(all.size()) + "\n");
        auto const refused = chat_.pin(condense::sequence{at});
        show("message " + std::to_string(at) +
             (refused ? " is not pinned: " + std::string{name(refused)} + "\n"
                      : " is pinned: " + one_line(text_member(all[at], "content"), 60) + "\n"));
    }

    Session& chat_;
    model model_;
    tools const& tools_;
    arguments const& chosen_;
    std::uint64_t most_;
    condense::provider_usage spent_ = {};
    condense::memory_journal journal_ = condense::memory_journal{};  ///< the first `recorded_` messages
    std::size_t recorded_ = 0;
    std::string refused_ = {};  ///< why the model refused the latest request that it refused in this round
};

}  // namespace repl
