// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <condense/adapt/json.hpp>
#include <condense/core/store.hpp>
#include <condense/detail/utf8.hpp>

#include "../command_line.hpp"
#include "../kept/kept.hpp"

// Conversation files that another program writes, read again whenever they have changed.

namespace recall {

using json = nlohmann::ordered_json;

/// A file that is a document with an array of messages, or has one JSON object a line.
class transcript {
public:
    transcript(std::string path, std::string id) : path_{std::move(path)}, id_{std::move(id)} {}

    std::string const& id() const noexcept { return id_; }
    /// The texts of its messages.
    std::vector<std::string> const& messages() const noexcept { return messages_; }
    std::filesystem::file_time_type time() const noexcept { return time_; }

    /// Reads what has changed: of lines what was appended, else all. A file that cannot be read leaves what there is.
    void refresh() {
        std::error_code problem;
        if (!std::filesystem::is_regular_file(path_, problem)) return note("there is no such file yet");
        auto const size = std::filesystem::file_size(path_, problem);
        auto const time = std::filesystem::last_write_time(path_, problem);
        if (problem || (size == size_ && time == time_)) return;
        if (size > most_bytes) return note("it is larger than 1 GiB");
        if ((size <= size_ || !read_appended(size)) && !read_whole(size)) return note("it cannot be read");
        size_ = size;
        time_ = time;
    }

private:
    static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
    static constexpr std::size_t most_tail = 256;

    void note(std::string_view problem) {
        if (!std::exchange(noted_, true))
            std::cerr << "recall_server: " << command_line::shown(path_) << ": " << problem << std::endl;
    }

    std::string read(std::uint64_t begin, std::uint64_t end) const {
        std::ifstream file{path_, std::ios::binary};
        std::string text(static_cast<std::size_t>(end - begin), '\0');
        file.seekg(static_cast<std::streamoff>(begin));
        file.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(file.gcount()));
        return text;
    }

    /// False if the file does not go on from where it was read to.
    bool read_appended(std::uint64_t size) {
        if (end_ == 0 || size < end_) return false;
        auto const text = read(end_ - tail_.size(), size);
        if (!text.starts_with(tail_)) return false;
        add_lines(std::string_view{text}.substr(tail_.size()));
        return true;
    }

    bool read_whole(std::uint64_t size) {
        auto const text = read(0, size);
        if (text.size() != size) return false;
        auto earlier = std::exchange(messages_, {});
        end_ = 0;
        tail_.clear();
        auto document = condense::parse_json<json>(text);
        if (auto const* const list = document ? condense::message_array(document.value) : nullptr)
            for (auto const& message : *list) add(message);
        else add_lines(text);
        if (messages_.empty() && !text.empty()) messages_ = std::move(earlier);  // a document that is being written
        return true;
    }

    /// A last line that is torn is left for the next time, and so is a text that does not begin with a line of JSON.
    void add_lines(std::string_view text) {
        std::size_t begin = 0;
        while (begin < text.size()) {
            auto const end = std::min(text.find('\n', begin), text.size());
            auto const line =
                condense::parse_json<json>(condense::utf8::scrubbed(std::string{text.substr(begin, end - begin)}));
            if (line && line.value.is_object()) add(line.value);
            else if (end == text.size() || end_ + begin == 0) break;
            begin = std::min(end + 1, text.size());
        }
        end_ += begin;
        tail_ += text.substr(0, begin).substr(begin - std::min(begin, most_tail));
        tail_.erase(0, tail_.size() - std::min(tail_.size(), most_tail));
    }

    /// Of a line of Claude Code or Codex, the message in it.
    void add(json const& entry) {
        auto const* message = &entry;
        for (auto const* const key : {"message", "payload"})
            if (auto const held = entry.is_object() ? entry.find(key) : entry.end();
                held != entry.end() && held->is_object())
                message = &*held;
        messages_.push_back(kept::text_of(*message, message->dump(-1, ' ', false, json::error_handler_t::replace)));
    }

    std::string path_;
    std::string id_;
    std::vector<std::string> messages_ = {};
    std::uint64_t size_ = 0;
    std::filesystem::file_time_type time_ = {};
    std::uint64_t end_ = 0;  ///< of the lines that were read; 0 for a document
    std::string tail_ = {};  ///< what stands before `end_`
    bool noted_ = false;
};

/// Transcripts as a journal that is only read.
class transcripts {
public:
    explicit transcripts(std::vector<transcript> all)
        : all_{std::make_shared<std::vector<transcript>>(std::move(all))} {}

    void refresh() const {
        for (auto& each : *all_) each.refresh();
    }

    condense::reference name(std::string_view) const { return {}; }
    condense::store_error append(std::string_view, condense::journal_entry const&, std::string_view) const {
        return {"transcripts are only read"};
    }
    condense::store_error flush(std::string_view) const { return {}; }

    template <class Function>
    condense::store_error read(std::string_view conversation, Function&& f) const {
        for (auto const& each : *all_)
            for (std::size_t number = 0; each.id() == conversation && number < each.messages().size(); ++number)
                f(condense::journal_entry{.number = number}, std::string_view{each.messages()[number]});
        return {};
    }

    template <class Function>
    condense::store_error each_conversation(Function&& f) const {
        std::vector<transcript const*> latest;
        for (auto const& each : *all_) latest.push_back(&each);
        std::sort(latest.begin(), latest.end(),
                  [](auto const* left, auto const* right) { return left->time() > right->time(); });
        for (auto const* const each : latest)
            f(condense::journal_conversation{.id = each->id(), .entries = each->messages().size()});
        return {};
    }

private:
    std::shared_ptr<std::vector<transcript>> all_;
};

}  // namespace recall
