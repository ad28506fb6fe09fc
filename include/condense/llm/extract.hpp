// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/part.hpp>
#include <condense/detail/ascii.hpp>
#include <condense/detail/json_members.hpp>
#include <condense/detail/phrase.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>

// A summary without a model, by rule: what the user asked, which tools ran, which files they named, what failed, and
// the last answer. Same messages, same bytes: summarize{} uses it unless it has a model.

namespace condense {
inline namespace v1 {

/// The rule-based summarizer. `open()` returns notes, which read every part of the messages and then write the text.
/// Loses everything that is no request, name, error or answer, such as the reasons for decisions. A summary that it
/// wrote itself goes on line by line, another one in a third of the room. Costs one pass over the parts, without a copy
/// of them.
struct extract {
    chars request = {500};  ///< kept of the first request, which is the task
    chars recent = {200};  ///< kept of each later request, of each error, and of the last answer

    /// What is noted of one summary: the first request, the last three requests and errors, and up to 40 names of tools
    /// and of files with their counts. Refers to nothing.
    template <class = void>
    class basic_notes {
    public:
        explicit basic_notes(extract const& rule) noexcept : request_{rule.request}, recent_limit_{rule.recent} {}

        /// Reads one part, in the order of the conversation; `summary`: it is the text of an earlier summary.
        void see(role speaker, part_view const& part, bool summary) {
            if (summary) add_earlier(part.text);
            else if (part.kind == part_kind::tool_call) add_call(part);
            else if (part.kind == part_kind::tool_result) add_result(part);
            else if (part.kind == part_kind::text && speaker == role::user) add_request(part.text);
            else if (part.kind == part_kind::text && speaker == role::assistant && !blank(part.text))
                answer_ = line(part.text, recent_limit_);
        }

        /// Reads the task where it is not summarised and so not among the parts. To be called before the first `see`.
        void see_task(part_view const& part) {
            if (part.kind == part_kind::text && first_.empty() && !blank(part.text)) first_ = line(part.text, request_);
        }

        /// The summary, of at most `limit` code points, most important lines first.
        std::string text(chars limit) const {
            std::string out;
            add(out, limit, labels[0], first_);
            for (auto const& entry : recent_) add(out, limit, labels[1], entry);
            add(out, limit, labels[2], list_of(tools_));
            add(out, limit, labels[3], list_of(files_));
            for (auto const& error : errors_) add(out, limit, labels[4], error);
            add(out, limit, labels[5], answer_);
            if (!earlier_.empty()) add(out, limit, labels[6], line(earlier_, {limit.count / 3}));
            return out;
        }

    private:
        /// What the lines of a summary begin with.
        static constexpr std::array<std::string_view, 7> labels{
            "First request: ", "Request: ", "Tools used: ", "Files touched: ", "Error: ", "Last answer: ", "Earlier: "};

        struct tally {
            std::string name;
            std::uint64_t count = 0;
        };

        /// True if there is nothing but white space.
        static bool blank(std::string_view text) noexcept {
            return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
        }

        /// The text as one line of at most `limit` code points, in valid UTF-8, with `...` if it was cut.
        static std::string line(std::string_view text, chars limit) {
            auto const begin = text.find_first_not_of(" \t\r\n");
            if (begin == std::string_view::npos) return {};
            text.remove_prefix(begin);
            auto const end = detail::utf8::prefix(text, limit.count);
            std::string out;
            detail::utf8::append_scrubbed(out, text.substr(0, end));
            for (auto& byte : out)
                if (static_cast<unsigned char>(byte) < 0x20) byte = ' ';
            if (end < text.size()) out.append("...");
            return out;
        }

        /// Appends a line, or nothing if fewer than 16 code points of it would fit.
        static void add(std::string& out, chars limit, std::string_view label, std::string_view text) {
            if (text.empty()) return;
            auto const room = detail::sub_capped(limit.count, detail::utf8::count(out) + label.size() + 4);
            if (room < 16) return;
            out.append(label).append(line(text, {room})).push_back('\n');
        }

        /// Counts a name; ignores new names beyond the limit. Linear, because there are few.
        static void count(std::vector<tally>& tallies, std::string_view name, std::uint64_t times = 1) {
            for (auto& entry : tallies)
                if (entry.name == name) {
                    entry.count = detail::add_capped(entry.count, times);
                    return;
                }
            if (tallies.size() < name_limit) tallies.push_back({std::string{name}, times});
        }

        /// Reads a summary, line by line if it is one of these, so that it goes on in the next one.
        void add_earlier(std::string_view text) {
            constexpr std::string_view open = "<summary>\n";
            if (auto const begin = text.find(open); begin != std::string_view::npos)
                text.remove_prefix(begin + open.size());
            text = text.substr(0, text.rfind("</summary>"));
            while (!text.empty()) {
                auto const end = text.find('\n');
                add_earlier_line(text.substr(0, end));
                text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
            }
        }
        void add_earlier_line(std::string_view text) {
            std::size_t which = 0;
            while (which < labels.size() && !text.starts_with(labels[which])) ++which;
            if (which < labels.size()) text.remove_prefix(labels[which].size());
            switch (which) {
                case 0:  // the task may be known, and may have been cut here
                    if (!first_.empty() && first_.starts_with(text.substr(0, text.rfind("...")))) break;
                    [[fallthrough]];
                case 1: add_request(text); break;
                case 2: add_counts(tools_, text); break;
                case 3: add_counts(files_, text); break;
                case 4: keep_newest(errors_, line(text, recent_limit_)); break;
                case 5: answer_ = line(text, recent_limit_); break;
                default: earlier_.append(earlier_.empty() || text.empty() ? "" : " ").append(text);
            }
        }
        /// Counts what `list_of` wrote: "read x12, shell".
        static void add_counts(std::vector<tally>& tallies, std::string_view list) {
            while (!list.empty()) {
                auto const end = list.find(", ");
                auto name = list.substr(0, end);
                list.remove_prefix(end == std::string_view::npos ? list.size() : end + 2);
                std::uint64_t times = 0;
                auto const mark = name.rfind(" x");
                auto figure = mark == std::string_view::npos ? std::string_view{} : name.substr(mark + 2);
                if (detail::take_number(figure, times) && figure.empty()) name = name.substr(0, mark);
                else times = 1;
                if (!name.empty()) count(tallies, name, times);
            }
        }

        /// The names, separated by commas, with counts above one.
        static std::string list_of(std::vector<tally> const& tallies) {
            std::string out;
            for (auto const& entry : tallies) {
                if (!out.empty()) out.append(", ");
                out.append(line(entry.name, {120}));
                if (entry.count > 1) out.append(" x").append(detail::grouped(entry.count));
            }
            return out;
        }

        void add_request(std::string_view text) {
            if (blank(text)) return;
            if (first_.empty()) first_ = line(text, request_);
            else keep_newest(recent_, line(text, recent_limit_));
        }

        void add_call(part_view const& part) {
            if (!part.tool.empty()) count(tools_, part.tool);
            add_files(part.text);
        }

        /// Counts paths in arguments: strings, at any depth, whose key names a path or a file.
        void add_files(std::string_view arguments) {
            namespace json = detail::json;
            if (!json::valid(arguments)) return;
            json::scanner scanner{arguments};
            bool file_key = false;
            std::vector<std::string> call_files;  // a file counts once a call
            for (auto token = scanner.next(); token != json::token::done; token = scanner.next()) {
                if (token == json::token::key) file_key = names_files(scanner.text());
                else if (token == json::token::object || token == json::token::close) file_key = false;
                else if (token == json::token::string && file_key) {
                    auto name = json::string_value(scanner.text());
                    bool is_new = is_path(name);
                    for (auto const& other : call_files) is_new = is_new && other != name;
                    if (!is_new) continue;
                    count(files_, name);
                    call_files.push_back(std::move(name));
                }
            }
        }
        /// True if values of this key are paths. `key` as written, with its quotes: "file_path", "filePath".
        static bool names_files(std::string_view key) {
            std::string letters;
            for (char const byte : key)
                if (detail::is_letter(byte)) letters.push_back(detail::lowered(byte));
            for (std::string_view const name : {"path", "paths", "file", "files", "filename", "filepath", "filepaths",
                                                "filenames", "targetfile", "absolutepath", "relativepath",
                                                "notebookpath", "oldpath", "newpath", "sourcepath", "destinationpath"})
                if (letters == name) return true;
            return false;
        }
        /// False for URLs, glob patterns, XPath, JSONPath and prose.
        static bool is_path(std::string_view name) noexcept {
            if (name.empty() || name.size() > 260 || name.starts_with("//") || name.starts_with("$") ||
                name.find("://") != std::string_view::npos || name.find("[@") != std::string_view::npos)
                return false;
            if (name.find_first_not_of("./\\~ ") == std::string_view::npos) return false;
            for (char const byte : name)
                if (static_cast<unsigned char>(byte) < 0x20 ||
                    std::string_view{"*?<>|\""}.find(byte) != std::string_view::npos)
                    return false;
            return true;
        }

        void add_result(part_view const& part) {
            if (part.status != part_status::error) return;
            auto error = std::string{part.tool};  // which tool failed says more than most error texts
            if (!error.empty()) error.append(": ");
            keep_newest(errors_, error + line(part.text, recent_limit_));
        }

        /// Appends a line and leaves the last three.
        static void keep_newest(std::vector<std::string>& newest, std::string line_text) {
            if (newest.size() == 3) newest.erase(newest.begin());
            newest.push_back(std::move(line_text));
        }

        static constexpr std::size_t name_limit = 40;  // names of tools, and of files

        chars request_;
        chars recent_limit_;
        std::string first_;
        std::string answer_;
        std::string earlier_;
        std::vector<std::string> recent_;
        std::vector<std::string> errors_;
        std::vector<tally> tools_;
        std::vector<tally> files_;
    };
    using notes = basic_notes<>;

    template <class Notes = notes>  // a template, so that a program that only includes this instantiates nothing
    Notes open() const {
        return Notes{*this};
    }
    friend constexpr bool operator==(extract const&, extract const&) = default;
};

}  // namespace v1
}  // namespace condense
