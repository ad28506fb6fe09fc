// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <condense/adapt/json.hpp>

// Recorded conversations for the examples: a file of JSON with the messages, in the shapes of several agents.

namespace recording {

using json = nlohmann::ordered_json;

/// What agent_loop is asked for; without files the bundled conversation.
struct settings {
    std::vector<condense::tokens> windows;
    std::vector<std::filesystem::path> files;
    std::string requests;  ///< a file into which every request is written, a line of JSON each
};

inline settings read_arguments(int count, char** arguments) {
    settings chosen;
    for (int at = 1; at < count; ++at) {
        std::string const given = arguments[at];
        if (given.rfind("--", 0) != 0) {
            if (!std::filesystem::is_directory(given)) chosen.files.emplace_back(given);
            else
                for (auto const& entry : std::filesystem::directory_iterator{given})
                    if (entry.path().extension() == ".json") chosen.files.push_back(entry.path());
            continue;
        }
        if (++at == count) throw std::runtime_error{given + ": a value is missing"};
        std::string_view const value = arguments[at];
        if (given == "--requests") chosen.requests = value;
        else if (given == "--window") {
            auto& window = chosen.windows.emplace_back();
            auto const [end, problem] = std::from_chars(value.data(), value.data() + value.size(), window.count);
            if (problem != std::errc{} || end != value.data() + value.size() || window.count == 0)
                throw std::runtime_error{"--window: a whole number of tokens above 0 is wanted"};
        } else
            throw std::runtime_error{given +
                                     ": unknown option; usage: agent_loop [--window N]... [--requests FILE] PATH..."};
    }
    if (chosen.windows.empty()) chosen.windows = {condense::tokens{4'000}, condense::tokens{16'000}};
    if (chosen.files.empty()) chosen.files.emplace_back(CONDENSE_EXAMPLE_DATA "/session.json");
    std::sort(chosen.files.begin(), chosen.files.end());
    return chosen;
}

inline json read_document(std::filesystem::path const& path) {
    std::ifstream file{path, std::ios::binary};
    std::string const text{std::istreambuf_iterator<char>{file}, {}};
    if (!file || std::filesystem::is_directory(path)) throw std::runtime_error{path.string() + ": cannot be read"};
    auto parsed = condense::parse_json<json>(text);
    if (!parsed) throw std::runtime_error{path.string() + ": " + parsed.error};
    auto const messages = condense::messages_of(parsed.value);
    if (messages.error) throw std::runtime_error{path.string() + ": " + messages.error.text()};
    return std::move(parsed.value);
}

/// One line for each request, for whoever wants to look at it: how many messages there were, and what was sent.
class request_log {
public:
    explicit request_log(std::string const& path) {
        if (!path.empty()) file_.open(path, std::ios::binary);
    }
    template <class Session>
    void note(std::filesystem::path const& path, Session const& session, condense::outcome outcome,
              condense::tokens floor) {
        if (!file_.is_open()) return;
        json sent = json::array();
        for (auto const& m : session.request()) sent.push_back(m);
        auto const whole = session.history().size();
        file_ << json{{"file", path.filename().string()},
                      {"window", session.limits().window.count},
                      {"messages", whole},
                      {"outcome", name(outcome)},
                      {"tokens", session.used().tokens.count},
                      {"floor", floor.count},
                      {"sent", std::move(sent)}}
                     .dump(-1, ' ', false, json::error_handler_t::replace)
              << '\n';
        if (!file_) throw std::runtime_error{"--requests: cannot be written"};
    }

private:
    std::ofstream file_;
};

/// What was sent, and what would have been sent otherwise.
struct sums {
    std::uint64_t requests = 0;
    std::uint64_t sent = 0;
    std::uint64_t otherwise = 0;
    std::uint64_t peak = 0;
    std::uint64_t exhausted = 0;
    std::uint64_t floor = 0;

    void add(std::uint64_t tokens, std::uint64_t whole) {
        ++requests;
        sent += tokens;
        otherwise += whole;
        peak = std::max(peak, tokens);
    }
    void refuse(std::uint64_t least) {
        ++exhausted;
        floor = std::max(floor, least);
    }
    std::string text() const {
        auto out = std::to_string(requests) + " requests, " + std::to_string(sent) + " tokens sent instead of " +
                   std::to_string(otherwise) + ", peak " + std::to_string(peak);
        if (exhausted != 0)
            out += "; exhausted " + std::to_string(exhausted) + " times, floor up to " + std::to_string(floor);
        return out;
    }
};

}  // namespace recording
