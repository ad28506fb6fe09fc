// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <condense/adapt/json.hpp>
#include <condense/estimate/script_aware.hpp>

// Conversations from files and folders, one after the other; of a file of JSON Lines no more than one line is in
// memory.

namespace replay {

/// Of one conversation; what is longer is no conversation.
inline constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;

/// A conversation that was found, not yet read unless it is a line.
struct found_conversation {
    std::uint64_t place = 0;          ///< in the order of the paths given
    std::string name = {};            ///< of the file, with the line where lines are conversations
    std::filesystem::path file = {};  ///< to be read; empty when `text` or `fault` is set
    std::string text = {};
    std::string fault = {};
    std::uint64_t bytes = 0;
};

class conversations {
public:
    explicit conversations(std::vector<std::filesystem::path> const& paths) {
        for (auto const& path : paths) {
            // What is told of absolute paths are the last two names of a file, or the folder's and what is below it:
            // where they are on this machine is nobody's business.
            above_.clear();
            if (path.is_absolute()) {
                std::error_code problem;
                auto const whole = path.has_filename() ? path : path.parent_path();
                above_ = std::filesystem::is_directory(whole, problem) ? whole.parent_path()
                                                                       : whole.parent_path().parent_path();
            }
            add(path, true);
        }
    }

    std::uint64_t bytes() const { return bytes_; }
    bool empty() const { return files_.empty(); }
    /// Some file is one for which f(path) holds.
    template <class Function>
    bool reads(Function const& f) const {
        for (auto const& each : files_)
            if (f(each.path)) return true;
        return false;
    }

    std::optional<found_conversation> next() {
        while (at_ < files_.size()) {
            auto const& file = files_[at_];
            if (!file.fault.empty() || !file.lines) {
                ++at_;
                return found_conversation{place_++, file.name, file.path, {}, file.fault, file.bytes};
            }
            if (auto line = next_line(file)) return line;
            lines_ = {};
            line_ = 0;
            ++at_;
        }
        return std::nullopt;
    }

private:
    struct listed {
        std::filesystem::path path = {};
        std::string name = {};  ///< as it is told
        std::uint64_t bytes = 0;
        bool lines = false;
        std::string fault = {};
    };

    /// What the user names is a conversation whatever its ending; a folder's files have to have one. Links to folders
    /// inside a folder are not followed: they may lead back.
    void add(std::filesystem::path const& path, bool named) {
        std::error_code problem;
        if (named ? std::filesystem::is_directory(path, problem)
                  : std::filesystem::symlink_status(path, problem).type() == std::filesystem::file_type::directory) {
            std::vector<std::filesystem::path> inside;
            for (std::filesystem::directory_iterator at{path, problem}, end; !problem && at != end;
                 at.increment(problem))
                inside.push_back(at->path());
            if (problem) files_.push_back({path, name_of(path), 0, false, "cannot be read: " + problem.message()});
            std::sort(inside.begin(), inside.end());
            for (auto const& one : inside) add(one, false);
            return;
        }
        auto const ending = path.extension().string();
        bool const lines = ending == ".jsonl" || ending == ".ndjson";
        if (!named && !lines && ending != ".json") return;
        if (!named && !std::filesystem::is_regular_file(path, problem)) return;
        auto const size = std::filesystem::file_size(path, problem);
        files_.push_back({path, name_of(path), problem ? 0 : size, lines, {}});
        bytes_ += files_.back().bytes;
    }

    std::string name_of(std::filesystem::path const& path) const {
        return above_.empty() ? path.string() : path.lexically_relative(above_).string();
    }

    std::optional<found_conversation> next_line(listed const& file) {
        if (line_ == 0) {
            lines_ = std::ifstream{file.path, std::ios::binary};
            if (!lines_) {
                line_ = 1;
                return found_conversation{place_++, file.name, {}, {}, "cannot be read", 0};
            }
        }
        while (lines_ && lines_.peek() != std::ifstream::traits_type::eof()) {
            ++line_;
            found_conversation found{0, file.name + ":" + std::to_string(line_), {}, {}, {}, 0};
            found.bytes = take_line(found.text);
            if (found.bytes > most_bytes) {
                found.text = {};
                found.fault = "longer than " + std::to_string(most_bytes >> 20) + " MiB";
            } else if (found.text.find_first_not_of(" \t\r") == std::string::npos) continue;
            found.place = place_++;
            return found;
        }
        if (!lines_.bad()) return std::nullopt;
        lines_ = {};
        lines_.setstate(std::ios::failbit);
        return found_conversation{place_++, file.name, {}, {}, "cannot be read to its end", 0};
    }

    /// How long it is; of a line that is too long the rest is passed over.
    std::uint64_t take_line(std::string& text) {
        std::uint64_t size = 0;
        auto& bytes = *lines_.rdbuf();
        for (auto byte = bytes.sbumpc(); byte != std::ifstream::traits_type::eof(); byte = bytes.sbumpc()) {
            ++size;
            if (byte == '\n') break;
            if (size <= most_bytes) text.push_back(static_cast<char>(byte));
        }
        return size;
    }

    std::vector<listed> files_;
    std::filesystem::path above_;  ///< what names do not tell, while files are listed
    std::size_t at_ = 0;
    std::ifstream lines_;
    std::uint64_t line_ = 0;
    std::uint64_t place_ = 0;
    std::uint64_t bytes_ = 0;
};

/// A conversation, or why there is none.
struct read_conversation {
    std::vector<nlohmann::ordered_json> messages = {};
    condense::tokens overhead = {};  ///< of a system prompt outside the messages
    std::string fault = {};
};

/// Takes what was found: its text is not needed any more. Of all messages `shape` where one is given.
inline read_conversation read(found_conversation found, std::optional<condense::json_shape> shape = {}) {
    read_conversation out;
    auto const fault = [&](std::string why) -> read_conversation& {
        out.fault = std::move(why);
        return out;
    };
    if (!found.fault.empty()) return fault(std::move(found.fault));
    if (!found.file.empty()) {
        if (found.bytes > most_bytes) return fault("longer than " + std::to_string(most_bytes >> 20) + " MiB");
        std::error_code problem;
        if (!std::filesystem::is_regular_file(found.file, problem)) return fault("is no regular file");
        std::ifstream file{found.file, std::ios::binary};
        found.text.assign(std::istreambuf_iterator<char>{file}, {});
        if (!file) return fault("cannot be read");
    }
    auto document = condense::parse_json<nlohmann::ordered_json>(found.text);
    found.text = {};
    if (!document) return fault(document.error);
    auto const messages = condense::messages_of(document.value, shape);
    if (messages.list == nullptr && document.value.is_object() && document.value.contains("role"))
        return fault("this is one message; a conversation is an array of them, or a request body");
    if (messages.error) return fault(messages.error.text());
    if (messages->empty()) return fault("it has no messages");
    out.overhead = condense::overhead_of(document.value, condense::default_estimator<>{});
    out.messages = std::move(*messages);
    return out;
}

}  // namespace replay
