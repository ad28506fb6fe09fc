// SPDX-License-Identifier: BSL-1.0

// How many tokens do these files have?
// count_tokens [--vocab FILE | --estimate FAMILY] [--conversation] FILE...; `count_tokens --help` lists the options.
// A line for each file, in order; `-` where one could not be read, and the reason on standard error.

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

#include <condense/adapt/json.hpp>
#include <condense/bpe.hpp>
#include <condense/condense.hpp>
#include <condense/estimate/script_aware.hpp>

#include "command_line.hpp"
#include "shape_option.hpp"

namespace {

/// Files are read in portions, so that any size and any pipe will do. Estimates are sums of their portions, of
/// which each may be a word or a run of base64 in two: some tokens in millions.
constexpr std::size_t portion = std::size_t{1} << 18;
constexpr std::size_t estimate_portion = std::size_t{1} << 24;

/// Ends the program with exit status 2; nothing was counted.
struct wrong_usage : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// A file that is not what it should be: exit status 1, after the others were counted.
struct wrong_file : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct lost_output : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct settings {
    std::optional<std::string> vocabulary;
    std::optional<std::string> encoding;
    std::optional<std::string> image;
    std::optional<std::string> family;
    std::optional<condense::json_shape> shape;
    bool conversation = false;
    bool ids = false;
    bool time = false;
    std::vector<std::string> inputs;
};

/// A name as it may be printed.
std::string shown(std::string name) {
    for (char& each : name)
        if (static_cast<unsigned char>(each) < 0x20 || each == 0x7F) each = '?';
    return name;
}

void check_together(settings const& chosen) {
    if (std::count(chosen.inputs.begin(), chosen.inputs.end(), "-") > 1)
        throw wrong_usage{"-: standard input can be read once"};
    if (chosen.ids && chosen.conversation) throw wrong_usage{"--ids and --conversation: one of them"};
    if (chosen.shape && !chosen.conversation) throw wrong_usage{"--shape: --conversation is missing"};
    if (chosen.family && chosen.vocabulary) throw wrong_usage{"--estimate and --vocab: one of them"};
    if (!chosen.vocabulary && (chosen.encoding || chosen.image || chosen.ids))
        throw wrong_usage{std::string{chosen.encoding ? "--encoding"
                                      : chosen.image  ? "--image"
                                                      : "--ids"} +
                          ": --vocab FILE is missing; no vocabulary comes with the library"};
}

command_line::program const program{
    "count_tokens",
    "Counts the tokens of files: exactly by a vocabulary, else by an estimate.\n"
    "A line for each file; - where one cannot be read. Exit status: 0, 1 for a file, 2 for wrong usage.",
    "FILE..."};

std::vector<command_line::option> options_of(settings& chosen) {
    using command_line::one_of;
    return {{.name = "FILE",
             .to = &chosen.inputs,
             .help = "what to count, one line for each; - is standard input",
             .required = true},
            {"--vocab", &chosen.vocabulary,
             "a vocabulary for exact counts: a rank file, a tokenizer.json or an image of one"},
            {"--encoding", &chosen.encoding, "cl100k_base or o200k_base, where the name of a rank file does not say it",
             one_of({"cl100k_base", "o200k_base"})},
            {"--image", &chosen.image, "read from this file, or written to it, so that the next start is fast"},
            {"--conversation", &chosen.conversation,
             "files hold messages as JSON, or a request body with them: counts what the model reads of them, with "
             "system prompt and tools, instead of the file"},
            command_line::shape_option(chosen.shape),
            {"--ids", &chosen.ids, "the ids of the tokens instead of their number"},
            {"--estimate", &chosen.family,
             "without a vocabulary, the family: other, claude, claude_4_7, gpt, kimi or gemini",
             one_of({"other", "claude", "claude_4_7", "gpt", "kimi", "gemini"})},
            {"--time", &chosen.time, "bytes a second behind each count"}};
}

/// By its name, where none was given: what splits text is not in a rank file.
condense::bpe_encoding encoding_of(settings const& chosen) {
    auto const& said = chosen.encoding ? *chosen.encoding : *chosen.vocabulary;
    for (auto const& known : {condense::encodings::cl100k_base, condense::encodings::o200k_base})
        if (said.find(known.name, said.find_last_of('/') + 1) != std::string::npos) return known;
    throw wrong_usage{shown(said) + ": its name does not say which encoding it is of; --encoding is missing"};
}

enum class vocabulary_form { ranks, json, image };

vocabulary_form form_of(std::string const& path) {
    std::ifstream file{path, std::ios::binary};
    char begin[8] = {};
    file.read(begin, sizeof begin);
    std::string_view const read{begin, static_cast<std::size_t>(file.gcount())};
    if (read == "cndsbpe\n") return vocabulary_form::image;
    auto const text = read.find_first_not_of(" \t\r\n");
    return text != std::string_view::npos && read[text] == '{' ? vocabulary_form::json : vocabulary_form::ranks;
}

condense::bpe_vocabulary vocabulary_of(settings const& chosen) {
    auto const& path = *chosen.vocabulary;
    std::error_code problem;
    if (!std::filesystem::is_regular_file(path, problem))
        throw wrong_file{shown(path) + ": the vocabulary must be a regular file" +
                         (problem ? ": " + problem.message() : "")};
    auto const form = form_of(path);
    auto const load = [&]() -> condense::cached_vocabulary {
        if (form == vocabulary_form::image) {
            if (chosen.image) throw wrong_usage{"--image: " + shown(path) + " is an image already"};
            return {condense::open_vocabulary_image(path)};
        }
        if (form == vocabulary_form::json)
            return chosen.image ? condense::load_tokenizer_json(path, *chosen.image)
                                : condense::cached_vocabulary{condense::load_tokenizer_json(path)};
        auto const encoding = encoding_of(chosen);
        return chosen.image ? condense::load_vocabulary(path, encoding, *chosen.image)
                            : condense::cached_vocabulary{condense::load_vocabulary(path, encoding)};
    };
    auto const result = load();
    if (!result) throw wrong_file{shown(path) + ": " + result.error.text()};
    if (result.image_error != 0)
        std::fprintf(stderr, "count_tokens: %s: no image is written: %s\n", shown(*chosen.image).c_str(),
                     std::strerror(result.image_error));
    auto vocabulary = *result.vocabulary;
    if (chosen.encoding && vocabulary.scheme() != encoding_of(chosen).scheme)
        throw wrong_file{shown(path) + ": this is no vocabulary of " + *chosen.encoding};
    return vocabulary;
}

class input {
public:
    explicit input(std::string const& name)
        : name_{name == "-" ? "standard input" : shown(name)},
          file_{name == "-" ? stdin : std::fopen(name.c_str(), "rb")} {
        if (file_ == nullptr) fail();
    }
    input(input const&) = delete;
    input& operator=(input const&) = delete;
    ~input() {
        if (file_ != nullptr && file_ != stdin) std::fclose(file_);
    }

    /// Appends what comes next, at most `most` bytes; false at the end.
    bool read(std::string& to, std::size_t most) {
        auto const before = to.size();
        to.resize(before + most);
        auto const got = std::feof(file_) != 0 ? 0 : std::fread(to.data() + before, 1, most, file_);
        to.resize(before + got);
        if (std::ferror(file_) != 0) fail();
        bytes_ += got;
        return got != 0;
    }
    std::uint64_t bytes() const { return bytes_; }
    [[noreturn]] void fail(std::string const& reason) const { throw wrong_file{name_ + ": " + reason}; }

private:
    [[noreturn]] void fail() const { fail(std::string{"cannot be read: "} + std::strerror(errno)); }

    std::string name_;
    std::FILE* file_;
    std::uint64_t bytes_ = 0;
};

/// Standard output, numbers and words with a space between them; what it does not take is noticed.
class lines {
public:
    void add(std::string_view word) {
        if (begun_) ready_ += ' ';
        ready_ += word;
        begun_ = true;
        if (ready_.size() > 65'536) flush();
    }
    void add(std::uint64_t number) { add(std::string_view{std::to_string(number)}); }
    void end(std::string_view after) {
        ready_.append(after).append("\n");
        begun_ = false;
        flush();
    }

private:
    void flush() {
        if (std::fwrite(ready_.data(), 1, ready_.size(), stdout) != ready_.size() || std::fflush(stdout) != 0)
            throw lost_output{std::string{"standard output: cannot be written: "} + std::strerror(errno)};
        ready_.clear();
    }

    std::string ready_;
    bool begun_ = false;
};

class stopwatch {
public:
    template <class Work>
    void operator()(Work&& work) {
        auto const begin = std::chrono::steady_clock::now();
        work();
        spent_ += std::chrono::steady_clock::now() - begin;
    }
    std::uint64_t per_second(std::uint64_t bytes) const {
        auto const seconds = std::chrono::duration<double>(spent_).count();
        return seconds > 0 ? static_cast<std::uint64_t>(static_cast<double>(bytes) / seconds) : 0;
    }

private:
    std::chrono::steady_clock::duration spent_{};
};

/// The running count knows up to where the text is settled, and so do its ids. A text without a place to cut, such as
/// one word of a gigabyte, is read in ever greater portions: its end is counted again after each.
void count_exactly(input& from, bool ids, condense::bpe_counter& counter, lines& out, stopwatch& watch) {
    condense::bpe_running_count running;
    std::string open;  // of what was read, that whose ids are not written
    std::vector<std::uint32_t> token_ids;
    auto const write = [&](std::size_t size) {
        token_ids.clear();
        watch([&] { counter.encode(std::string_view{open}.substr(0, size), token_ids); });
        open.erase(0, size);
        for (auto const id : token_ids) out.add(std::uint64_t{id});
    };
    for (std::string part; from.read(part, std::max(portion, running.tail().size())); part.clear()) {
        watch([&] { running.append(counter, part); });
        if (!ids) continue;
        open += part;
        write(open.size() - running.tail().size());
    }
    if (ids) write(open.size());
    else out.add(running.count());
}

/// An estimate or an exact count, chosen at run time: what is counted by it is compiled once.
struct any_estimator {
    std::variant<condense::family_estimator, condense::bpe> chosen;

    condense::cost operator()(std::string_view text) const {
        return std::visit([&](auto const& count) { return count(text); }, chosen);
    }
    condense::cost frame(condense::role speaker) const {
        return std::visit([&](auto const& count) { return count.frame(speaker); }, chosen);
    }
    condense::cost frame(condense::part_view const& part) const {
        return std::visit([&](auto const& count) { return count.frame(part); }, chosen);
    }
};

void estimate(input& from, any_estimator const& count, lines& out, stopwatch& watch) {
    condense::cost sum;
    std::string text;
    auto const add = [&] {
        watch([&] { sum += count(text); });
        text.clear();
    };
    while (from.read(text, std::min(portion, estimate_portion - text.size())))
        if (text.size() == estimate_portion) add();
    add();
    out.add(sum.tokens().count);
}

/// Counts as `reduce` does: parts, frames of messages and what a request body holds beside them.
void count_conversation(input& from, settings const& chosen, any_estimator const& count, lines& out, stopwatch& watch) {
    using json = nlohmann::ordered_json;
    std::string text;
    while (from.read(text, portion)) {}
    auto parsed = condense::parse_json<json>(text);
    if (!parsed) from.fail(parsed.error);
    auto const messages = condense::messages_of(parsed.value, chosen.shape);
    if (messages.error) from.fail(messages.error.text());
    watch([&] {
        condense::budget const limits{.overhead = condense::overhead_of(parsed.value, count)};
        auto const& history = *messages;  // which stays as it is
        out.add(condense::reduce(history, condense::pipeline{}, limits, count).report().before.tokens.count);
    });
}

/// Calls `count(file, out, watch)` for each; whether all could be read.
bool each_input(settings const& chosen, std::function<void(input&, lines&, stopwatch&)> const& count) {
    bool all = true;
    lines out;
    for (auto const& name : chosen.inputs) {
        stopwatch watch;
        std::string rate;
        try {
            input from{name};
            count(from, out, watch);
            if (chosen.time) rate = "\t" + std::to_string(watch.per_second(from.bytes())) + " bytes/s";
        } catch (wrong_file const& wrong) {
            std::fprintf(stderr, "count_tokens: %s\n", wrong.what());
            out.add("-");
            all = false;
        }
        out.end(rate);
    }
    return all;
}

bool run(settings const& chosen) {
    if (chosen.vocabulary && !chosen.conversation) {
        condense::bpe_counter counter{vocabulary_of(chosen)};
        return each_input(chosen, [&](input& from, lines& out, stopwatch& watch) {
            count_exactly(from, chosen.ids, counter, out, watch);
        });
    }
    any_estimator count{condense::family_estimator{condense::family_of(chosen.family.value_or("other"))}};
    if (chosen.vocabulary) count.chosen = condense::bpe{vocabulary_of(chosen)};
    return each_input(chosen, [&](input& from, lines& out, stopwatch& watch) {
        if (chosen.conversation) count_conversation(from, chosen, count, out, watch);
        else estimate(from, count, out, watch);
    });
}

}  // namespace

int main(int count, char** arguments) {
    settings chosen;
    try {
        if (auto const status = command_line::read(program, options_of(chosen), count, arguments)) return *status;
        check_together(chosen);
        return run(chosen) ? 0 : 1;
    } catch (wrong_usage const& problem) {
        return command_line::refuse(program, problem.what());
    } catch (std::exception const& problem) {
        std::fprintf(stderr, "count_tokens: %s\n", problem.what());
        return 1;
    }
}
