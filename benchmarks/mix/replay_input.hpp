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

/// A message of the pi agent in the words that the library reads: role toolResult and blocks of type toolCall.
inline void translate_pi(nlohmann::ordered_json& message) {
    using nlohmann::ordered_json;
    auto const move_key = [](ordered_json& object, char const* from, char const* to) {
        if (auto const found = object.find(from); found != object.end()) {
            auto held = std::move(*found);
            object.erase(from);
            object[to] = std::move(held);
        }
    };
    if (message.value("role", ordered_json{}) == "toolResult") {
        auto const failed = message.value("isError", ordered_json{}) == true;
        ordered_json block{{"type", "tool_result"}, {"is_error", failed}};
        for (auto const& [from, to] : {std::pair{"toolCallId", "tool_use_id"}, std::pair{"content", "content"}})
            if (auto const found = message.find(from); found != message.end()) block[to] = std::move(*found);
        message = {{"role", "user"}, {"content", ordered_json::array({std::move(block)})}};
        return;
    }
    auto const content = message.find("content");
    if (content == message.end() || !content->is_array()) return;
    for (auto& block : *content)
        if (block.is_object() && block.value("type", ordered_json{}) == "toolCall") {
            block["type"] = "tool_use";
            move_key(block, "arguments", "input");
        }
}

/// Takes what was found: its text is not needed any more.
inline read_conversation read(found_conversation found) {
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
    if (document.value.is_object() && document.value.contains("role") && !document.value.contains("messages"))
        return fault("this is one message; a conversation is an array of them, or an object with 'messages'");
    auto* const messages = condense::messages_of(document.value).list;
    if (messages == nullptr) return fault("an array of messages is wanted, or an object with the member 'messages'");
    if (messages->empty()) return fault("it has no messages");
    out.overhead = condense::overhead_of(document.value, condense::default_estimator<>{});
    bool pi = false;
    for (std::size_t at = 0; at < messages->size(); ++at) {
        auto const& one = (*messages)[at];
        if (!one.is_object() || !one.contains("role"))
            return fault("message " + std::to_string(at) + " is not an object with a role");
        pi = pi || one["role"] == "toolResult";
    }
    for (auto& one : *messages) {
        if (pi) translate_pi(one);
        if (auto const wrong = condense::shape_error_of(one, out.messages.size())) return fault(wrong.text());
        out.messages.push_back(std::move(one));
    }
    return out;
}

}  // namespace replay
