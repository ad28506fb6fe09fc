// SPDX-License-Identifier: BSL-1.0

// Which mix of layers suits my conversations? replay --html report.html FOLDER plays them again under each mix of
// mixes.hpp and compares; replay --help says the rest.

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <condense/replay/replay_one.hpp>
#include <condense/replay/sum.hpp>

#include "mix_list.hpp"
#include "progress.hpp"
#include "replay_input.hpp"
#include "replay_options.hpp"
#include "replay_report.hpp"
#include "replay_summariser.hpp"
#include "report_html.hpp"
#include "report_json.hpp"
#include "report_table.hpp"

namespace {

using replay::complaint;

using mix = condense::any_mix<replay::json>;

/// Those asked for, or all, in the order of mixes.hpp.
std::vector<mix const*> mixes_of(std::vector<std::string> const& wanted) {
    std::vector<mix const*> chosen;
    std::string known;
    for (auto const& each : replay::mix_list()) {
        known.append(known.empty() ? "" : ", ").append(each.name);
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), each.name) != wanted.end())
            chosen.push_back(&each);
    }
    for (auto const& name : wanted)
        if (std::none_of(chosen.begin(), chosen.end(), [&](mix const* each) { return each->name == name; }))
            throw complaint{"--mix: '" + replay::shown(name) + "' is not one of " + known};
    return chosen;
}

/// A file that is the old one or the whole new one; that it can be written is known before the work begins.
class output_file {
public:
    output_file(std::string const& option, std::string path) : path_{std::move(path)} {
        if (path_.empty()) return;
        std::error_code absent;
        auto const there = std::filesystem::symlink_status(path_, absent).type();
        if (there == std::filesystem::file_type::directory)
            throw complaint{option + ": " + replay::shown(path_) + " is a folder"};
        if (there != std::filesystem::file_type::not_found && there != std::filesystem::file_type::regular)
            throw complaint{option + ": " + replay::shown(path_) + " is no file that may be replaced"};
        if (std::filesystem::exists(std::filesystem::symlink_status(path_ + ".new", absent)))
            throw complaint{option + ": " + replay::shown(path_ + ".new") + " is in the way"};
        file_.open(path_ + ".new", std::ios::binary);
        if (!file_) throw complaint{option + ": " + replay::shown(path_) + " cannot be written"};
    }
    ~output_file() {
        std::error_code ignored;
        if (file_.is_open()) std::filesystem::remove(path_ + ".new", ignored);
    }
    output_file(output_file const&) = delete;
    output_file& operator=(output_file const&) = delete;

    bool wanted() const { return file_.is_open(); }
    void write(std::string const& text) {
        file_ << text << std::flush;
        bool const good = static_cast<bool>(file_);
        file_.close();
        std::error_code problem;
        if (good) std::filesystem::rename(path_ + ".new", path_, problem);
        if (!good || problem) throw std::runtime_error{replay::shown(path_) + ": cannot be written"};
    }

private:
    std::string path_;
    std::ofstream file_;
};

/// What one conversation came to.
struct outcome {
    std::string name = {};
    std::string fault = {};
    std::vector<condense::replay_figures> figures = {};
    std::uint64_t bytes = 0;
};

/// Conversations go to threads as they come, and their figures into the report in the order of reading, so that it is
/// the same however many threads there are.
class work {
public:
    work(replay::options const& chosen, std::vector<mix const*> mixes, condense::replay_summarizer model,
         replay::conversations& input, replay::report& found)
        : chosen_{chosen}, mixes_{std::move(mixes)}, settings_{.model = std::move(model)}, input_{input}, found_{found},
          steps_{found.windows.size() * found.mixes.size()}, bar_{condense::mul_capped(input.bytes(), steps_)} {}

    void run() {
        std::vector<std::jthread> others;
        for (std::size_t job = 1; job < chosen_.jobs; ++job) others.emplace_back([this] { go(); });
        go();
        others.clear();
        if (failed_) std::rethrow_exception(failed_);
    }

private:
    /// So many finished ones may wait for one before them.
    static constexpr std::uint64_t ahead = 64;

    void go() {
        try {
            while (auto found = take()) {
                auto const place = found->place;
                put(place, replayed(std::move(*found)));
            }
        } catch (...) {
            std::lock_guard const lock{mutex_};
            if (!failed_) failed_ = std::current_exception();
            moved_.notify_all();
        }
    }

    std::optional<replay::found_conversation> take() {
        std::unique_lock lock{mutex_};
        moved_.wait(lock, [&] { return failed_ || taken_ < placed_ + ahead; });
        if (failed_) return std::nullopt;
        auto found = input_.next();
        if (found) taken_ = found->place + 1;
        return found;
    }

    outcome replayed(replay::found_conversation found) {
        outcome out{replay::shown(found.name), {}, {}, found.bytes};
        auto const conversation = replay::read(std::move(found), chosen_.shape);
        out.fault = conversation.fault;
        if (!out.fault.empty()) return out;
        try {
            condense::replay_source const told{conversation.messages, settings_};
            for (auto const window : chosen_.windows)
                for (auto const* const each : mixes_) {
                    condense::budget const limits{.window = window, .overhead = conversation.overhead};
                    out.figures.push_back(condense::replay_one(told, out.name, limits, found_.prices, *each));
                    std::lock_guard const lock{mutex_};
                    bar_.add(out.bytes);
                }
        } catch (std::bad_alloc const&) { throw; } catch (std::exception const& problem) {
            out.fault = "cannot be replayed: " + replay::shown(problem.what());
        }
        return out;
    }

    void put(std::uint64_t place, outcome done) {
        std::lock_guard const lock{mutex_};
        waiting_.emplace(place, std::move(done));
        for (auto next = waiting_.begin(); next != waiting_.end() && next->first == placed_;
             next = waiting_.erase(next)) {
            settle(std::move(next->second));
            ++placed_;
        }
        moved_.notify_all();
    }

    void settle(outcome done) {
        if (!done.fault.empty()) {
            bar_.say("replay: " + done.name + ": " + done.fault + "; skipped");
            bar_.add(done.figures.empty() ? condense::mul_capped(done.bytes, steps_) : 0);
            found_.skip(std::move(done.name), std::move(done.fault));
            return;
        }
        bar_.count();
        for (std::size_t at = 0; at < done.figures.size(); ++at) {
            auto& total = found_.totals[at];
            total.figures = condense::sum_of(std::array{std::move(total.figures), done.figures[at]});
            total.along.add(done.figures[at].turns);
        }
        found_.keep_if_long({std::move(done.name), found_.conversations++, std::move(done.figures)});
    }

    replay::options const& chosen_;
    std::vector<mix const*> mixes_;
    condense::replay_options<> settings_;
    replay::conversations& input_;
    replay::report& found_;
    std::size_t steps_;
    replay::progress bar_;
    std::mutex mutex_ = {};
    std::condition_variable moved_ = {};
    std::map<std::uint64_t, outcome> waiting_ = {};
    std::uint64_t taken_ = 0;
    std::uint64_t placed_ = 0;
    std::exception_ptr failed_ = {};
};

int compare(replay::options const& chosen) {
    auto mixes = mixes_of(chosen.mixes);
    auto model = replay::summariser_of(chosen);
    auto [prices, currency] = chosen.prices_file.empty() ? replay::priced{} : replay::read_prices(chosen.prices_file);
    for (auto const& path : chosen.paths)
        if (!std::filesystem::exists(path)) throw complaint{replay::shown(path) + ": there is no such file or folder"};
    replay::conversations input{{chosen.paths.begin(), chosen.paths.end()}};
    if (input.empty()) throw complaint{"no .json, .jsonl or .ndjson file is there"};
    if (std::vector<std::string> const outputs{chosen.json_file, chosen.html_file}; true)
        for (std::size_t at = 0; at < outputs.size(); ++at) {
            auto const same = [&](std::string const& other) {
                std::error_code absent;
                return !outputs[at].empty() && !other.empty() &&
                       (other == outputs[at] || std::filesystem::equivalent(other, outputs[at], absent));
            };
            if (same(chosen.prices_file) || (at == 0 && same(outputs[1])) ||
                input.reads([&](auto const& file) { return same(file.string()); }))
                throw complaint{replay::shown(outputs[at]) + " is read or written already: name another report"};
        }
    output_file json_file{"--json", chosen.json_file};
    output_file html_file{"--html", chosen.html_file};

    replay::report found{.windows = chosen.windows,
                         .prices = prices,
                         .currency = currency,
                         .summariser = model.name,
                         .keep = chosen.keep};
    for (auto const* const each : mixes) found.mixes.push_back(each->name);
    found.totals.resize(found.windows.size() * found.mixes.size());
    for (auto& total : found.totals) total.figures.conversations = 0;
    work{chosen, std::move(mixes), std::move(model.ask), input, found}.run();

    std::cout << replay::text_of(found) << std::flush;
    if (json_file.wanted())
        json_file.write(replay::as_json(found).dump(1, ' ', false, replay::json::error_handler_t::replace) + "\n");
    if (html_file.wanted()) html_file.write(replay::html_of(found));
    if (!std::cout) throw std::runtime_error{"standard output: cannot be written"};
    return found.skipped == 0 ? 0 : 3;
}

}  // namespace

int main(int count, char** arguments) {
    replay::options chosen;
    try {
        if (auto const status = command_line::read(replay::program, replay::options_of(chosen), count, arguments))
            return *status;
        replay::complete(chosen);
        return compare(chosen);
    } catch (complaint const& problem) {
        std::cerr << "replay: " << problem.what() << '\n';
        return 2;
    } catch (std::exception const& problem) {
        std::cerr << "replay: " << problem.what() << '\n';
        return 1;
    }
}
