// SPDX-License-Identifier: BSL-1.0

// Prints what the library makes of many conversations, by its public face alone: each request, report and error. Built
// twice, with the headers of this tree and of an earlier one, it shows what a change of the core has changed.
//   print N             a line for each case, "name hash", a Nth of all
//   print N NAME ...    all that these cases print

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>
#include <condense/presets.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "laws/mixes.hpp"

namespace {

using condense::chat_message, condense::sequence;
using laws::random_source;

struct no_clock {
    condense::instant operator()() const noexcept { return {}; }
};
using options_type = condense::run_options<no_clock>;

/// Text with the bytes that cannot be printed as they are written in C++.
std::string printed(std::string_view text) {
    std::string out;
    for (char const byte : text) {
        auto const value = static_cast<unsigned char>(byte);
        if (value >= 0x20 && value < 0x7F) {
            out += byte;
            continue;
        }
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\x%02x", value);
        out += escape;
    }
    return out;
}

/// The lines that a case prints.
struct story {
    std::string text;
    bool releases = false;  ///< a session gives messages back

    void say(std::string_view line) { text.append(line).append("\n"); }
    template <class Messages>
    void show(Messages const& messages) {
        for (auto const& m : messages) say("  " + printed(condense::to_bytes(m)));
    }
    void show(condense::usage const& used) {
        say("used " + std::to_string(used.tokens.count) + " tokens, " + std::to_string(used.messages.count) +
            " messages, " + std::to_string(used.turns.count) + " turns");
    }
};

// One call of `reduce`.

void one_call(std::uint64_t seed, story& out) {
    random_source random{seed};
    auto const all = laws::conversation_generator{random}.make();
    auto const reduce = [&](auto const& mix) {
        options_type options;
        options.marks = random.chance(30);
        auto history = all;
        // A second call reads what the first one left.
        for (int call = 0; call < 2; ++call) {
            auto const report =
                condense::reduce(history, mix, {.window = {500 + random.below(12'000)}, .output = {random.below(400)}},
                                 laws::byte_estimator{}, options);
            out.say(report.json());
            out.show(history);
        }
    };
    if (random.chance(20)) laws::with_faulty_mix(random, reduce);
    else laws::with_random_mix(random, reduce);
}

// Sessions, with operations in any order.

template <class Mix, class Messages>
class world {
    static constexpr bool borrowed = !std::is_same_v<Messages, std::vector<chat_message>>;
    using session_type = condense::session<Messages, Mix, laws::byte_estimator, options_type>;

public:
    world(random_source& random, Mix const& mix, story& out)
        : random_{random}, out_{out}, mix_{mix}, all_{laws::conversation_generator{random}.make()},
          limits_{.window = {500 + random.below(12'000)}, .output = {random.below(400)}} {
        open();
    }

    void run() {
        auto const acts = 20 + random_.below(100);
        for (std::size_t count = 0; count < acts; ++count) {
            act(random_.below(26));
            out_.show(session_->used());
            out_.show(session_->request());
        }
        while (session_->undo()) out_.show(session_->request());
    }

private:
    void open() {
        if constexpr (borrowed) session_.emplace(std::ref(held_), mix_, limits_, laws::byte_estimator{});
        else session_.emplace(Messages{}, mix_, limits_, laws::byte_estimator{});
    }
    void say(std::string_view verb, auto const& answer) {
        if constexpr (requires { condense::name(answer); })
            out_.say(std::string{verb} + ": " + std::string{condense::name(answer)});
        else if constexpr (requires { answer.json(); }) out_.say(std::string{verb} + ": " + answer.json());
        else out_.say(std::string{verb} + ": " + std::to_string(answer));
    }
    sequence some() { return {random_.below(session_->outline().size() + 1)}; }

    void act(std::size_t which) {
        switch (which) {
            case 0: return say("run", session_->run());
            case 1: {
                condense::force words;
                words.target = condense::tokens{random_.below(5'000)};
                return say("force", session_->run(words));
            }
            case 2: return say("draft", session_->draft());
            case 3: return say("undo", session_->undo());
            case 4: return say("pin", session_->pin(some()));
            case 5: return session_->unpin(some());
            case 6: return say("restore", session_->restore(some()));
            case 7: return say("abandon", session_->abandon("call_" + std::to_string(random_.below(12))));
            case 8:
                return session_->observe({.input = {random_.below(40'000)},
                                          .output = {random_.below(100)},
                                          .cache_read = {random_.below(500)}});
            case 9: return say("task", session_->task(some()));
            case 10: {
                limits_.window = {500 + random_.below(12'000)};
                return session_->set_limits(limits_);
            }
            case 11:
                if (auto const job = session_->begin_summary()) jobs_.push_back(job);
                return;
            case 12: return end_job();
            case 13: return change();
            case 14: return release();
            case 15: return restart();
            case 16:
            case 17:
            case 18: return say("prepare", session_->prepare());
            default:
                if (!all_.empty()) say("push", session_->push(all_[came_++ % all_.size()]));
        }
    }
    void end_job() {
        if (jobs_.empty()) return;
        auto const job = jobs_.back();
        jobs_.pop_back();
        if (random_.chance(30)) return say("end", session_->abandon(job));
        say("commit", static_cast<int>(session_->commit(job, "In short: " + std::to_string(random_.below(1'000)))));
    }
    void change() {
        if constexpr (borrowed) {
            if (held_.empty()) return;
            auto const index = random_.below(held_.size());
            if (random_.chance(30)) held_.resize(index);
            else held_[index] = all_[random_.below(all_.size())];
            session_->sync({index});
        }
    }
    void release() {
        if constexpr (!borrowed)
            if constexpr (condense::recoverable<Mix>) {
                auto const before = some();
                if (out_.releases) say("release", session_->release(before));
            }
    }
    /// A session that is saved, and another that goes on with what was saved.
    void restart() {
        if constexpr (!borrowed) {
            auto saved = session_->state();
            if (!saved) return out_.say("save: " + std::string{std::string_view{saved.error.reason}});
            jobs_.clear();
            open();
            auto const error = session_->adopt(std::move(saved.state));
            if (error) out_.say("restore: " + std::string{std::string_view{error.reason}});
        }
    }

    random_source& random_;
    story& out_;
    Mix mix_;
    std::vector<chat_message> all_;
    condense::budget limits_;
    std::vector<chat_message> held_;
    std::optional<session_type> session_;
    std::vector<condense::summary_job> jobs_;
    std::size_t came_ = 0;
};

void one_session(std::uint64_t seed, story& out) {
    using namespace condense;
    using namespace condense::literals;
    random_source random{seed};
    memory_journal const journal;
    memory_store const store;
    laws::mix_values const value{random};
    head_tail const ends{value.keep, value.keep};
    if (random.chance(50)) {
        pipeline const mix{record{.to = journal}, compress{.when = used >= value.low, .over = value.over, .with = ends},
                           summarize{.when = used >= value.high,
                                     .with = laws::reversing_model{},
                                     .leaves = both{work_record{}, name_index{}}},
                           sliding_window{.when = used >= value.high}};
        if (random.chance(50))
            world<std::remove_const_t<decltype(mix)>, std::reference_wrapper<std::vector<chat_message>>>{random, mix,
                                                                                                         out}
                .run();
        else world<std::remove_const_t<decltype(mix)>, std::vector<chat_message>>{random, mix, out}.run();
    } else {
        pipeline const mix{record{.to = journal},
                           repair{},
                           offload{.over = value.over && 15_pct, .preview = ends, .into = store},
                           fallback{summarize{.when = used >= value.low, .with = laws::faulty_model{}},
                                    summarize{.when = used >= value.low}},
                           sliding_window{.when = used >= value.high, .protect = nothing_t{}},
                           escalate{.when = used >= value.line}};
        world<std::remove_const_t<decltype(mix)>, std::vector<chat_message>>{random, mix, out}.run();
    }
}

// Conversations in the shapes of providers, and recorded ones, through presets.

using nlohmann::json;

void one_preset(std::vector<json> const& all, std::uint64_t window, std::string_view preset, story& out) {
    condense::memory_journal const journal;
    condense::memory_store const store;
    auto const run = [&](auto const& mix) {
        condense::session session{std::vector<json>{}, mix, condense::budget{.window = {window}},
                                  condense::default_estimator{}, options_type{}};
        for (auto const& m : all) {
            session.push(m);
            auto const report = session.prepare();
            if (!report.changed()) continue;
            out.say(report.json());
            out.show(session.used());
            for (auto const& sent : session.request())
                out.say("  " + sent.dump(-1, ' ', true, json::error_handler_t::replace));
        }
        auto at_once = all;
        auto const report = condense::reduce(at_once, mix, condense::budget{.window = {window}},
                                             condense::default_estimator{}, options_type{});
        out.say(report.json());
    };
    if (preset == "recommended") run(condense::presets::recommended(journal, store, laws::reversing_model{}));
    else if (preset == "coding_agent") run(condense::presets::coding_agent(journal, laws::reversing_model{}));
    else run(condense::presets::cascade(journal, store, laws::reversing_model{}));
}

std::vector<std::filesystem::path> files_in(std::string const& folder) {
    std::vector<std::filesystem::path> all;
    if (std::filesystem::is_directory(folder))
        for (auto const& each : std::filesystem::recursive_directory_iterator{folder})
            if (each.path().extension() == ".json") all.push_back(each.path());
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace

int main(int count, char** words) {
    auto const step = count > 1 ? std::strtoull(words[1], nullptr, 10) : 1;
    std::vector<std::string> const wanted(words + (std::min)(count, 2), words + count);
    std::uint64_t number = 0;
    auto const tell = [&](std::string const& name, auto const& run) {
        bool const chosen = std::find(wanted.begin(), wanted.end(), name) != wanted.end();
        if (wanted.empty() ? number++ % step != 0 : !chosen) return;
        story out;
        try {
            run(out);
        } catch (std::exception const& error) { out.say(std::string{"throws "} + error.what()); }
        if (chosen) std::printf("== %s\n%s", name.c_str(), out.text.c_str());
        else
            std::printf("%s %016llx\n", name.c_str(),
                        static_cast<unsigned long long>(std::hash<std::string>{}(out.text)));
    };
    for (std::uint64_t seed = 1; seed <= 4'000; ++seed) {
        tell("reduce." + std::to_string(seed), [&](story& out) { one_call(seed, out); });
        tell("session." + std::to_string(seed), [&](story& out) { one_session(seed, out); });
        if (seed % 2 != 0) continue;
        tell("released." + std::to_string(seed), [&](story& out) {
            out.releases = true;
            one_session(seed, out);
        });
    }
    for (std::string const folder : {CONDENSE_SHAPES, CONDENSE_TRANSCRIPTS})
        for (auto const& path : files_in(folder)) {
            auto document = json::parse(std::ifstream{path}, nullptr, false);
            for (auto const* const member : {"messages", "input", "contents"})
                if (document.is_object() && document.contains(member)) document = json(document[member]);
            if (!document.is_array()) continue;
            auto const all = document.get<std::vector<json>>();
            for (std::uint64_t const window : {3'000u, 8'000u, 32'000u})
                for (std::string const preset : {"recommended", "coding_agent", "cascade"})
                    tell(path.parent_path().filename().string() + "." + path.stem().string() + "." + preset + "." +
                             std::to_string(window),
                         [&](story& out) { one_preset(all, window, preset, out); });
        }
}
