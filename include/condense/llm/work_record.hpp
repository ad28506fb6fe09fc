// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/file_of_call.hpp>
#include <condense/core/handles.hpp>
#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/fnv.hpp>
#include <condense/detail/json_members.hpp>
#include <condense/detail/json_scan.hpp>
#include <condense/detail/netstring.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/llm/departures.hpp>
#include <condense/llm/edits_of_call.hpp>
#include <condense/llm/fence.hpp>
#include <condense/llm/name_list.hpp>
#include <condense/llm/names.hpp>
#include <condense/llm/record_line.hpp>

// The work before the present request: what was decided and changed, which commands ran, files read and written,
// what failed, what is open. One list inside the summary, without a model: summarize{.leaves =
// both{work_record{}, name_index{}}}.

namespace condense {
inline namespace v1 {
namespace detail {

/// What a work_record remembers, the newest of each. Plain data: saved, restored and rewound with its session. A
/// template, so that a program that only includes this instantiates nothing.
template <class = void>
class basic_work_log {
public:
    /// A line of the record, and the message from which it is.
    struct line {
        std::string text;
        std::uint64_t message = 0;
        std::uint64_t subject = 0;  ///< a hash of what it is about, or of its text
    };
    /// A file that a call named.
    struct file {
        std::string path;
        std::uint64_t message = 0;
        std::uint64_t lines = 0;  ///< of its newest result; 0 if it was written
        std::uint64_t bytes = 0;
        bool is_written = false;
    };

    static constexpr std::size_t lines_most = 12;  ///< of each kind
    static constexpr std::size_t changes_most = 48;  ///< but of these
    static constexpr std::size_t files_most = 200;

    std::vector<line> failed;
    std::vector<line> open;
    std::vector<line> decided;
    std::vector<line> ran;
    std::vector<line> shown;  ///< images and other media
    std::vector<line> changed;  ///< by calls, other than files
    std::vector<file> files;

    static void add(std::vector<line>& lines, std::string text, std::uint64_t message) {
        auto const subject = fnv1a(text);
        replace(lines, {std::move(text), message, subject});
    }
    /// Adds a line in the place of the earlier ones on its subject; an empty one only takes those out.
    static void replace(std::vector<line>& lines, line added, std::size_t most = lines_most) {
        for (auto const& one : lines)
            if (one.subject == added.subject && one.message > added.message) return;
        std::erase_if(lines, [&](line const& one) { return one.subject == added.subject; });
        if (added.text.empty()) return;
        if (lines.size() == most) lines.erase(lines.begin());
        lines.push_back(std::move(added));
    }
    void add(file added) {
        for (std::size_t index = 0; index < files.size(); ++index)
            if (files[index].path == added.path) {
                added.is_written = added.is_written || files[index].is_written;
                files.erase(files.begin() + static_cast<std::ptrdiff_t>(index));
                break;
            }
        if (files.size() == files_most) files.erase(files.begin());
        files.push_back(std::move(added));
    }

    std::string save() const {
        std::string out;
        for (auto const* const lines : {&failed, &open, &decided, &ran, &shown, &changed}) put_lines(out, *lines);
        for (auto const& one : files) {
            put_field(out, one.path);
            for (auto const number : {one.message, one.lines, one.bytes, std::uint64_t{one.is_written ? 1u : 0u}})
                put_field(out, number);
        }
        return out;
    }
    /// False, and unchanged, unless `text` was saved for a conversation of `message_count` messages.
    bool load(std::string_view text, std::size_t message_count) {
        basic_work_log loaded;
        field_reader reader{text};
        if (text.empty()) return *this = {}, true;
        for (auto* const lines : {&loaded.failed, &loaded.open, &loaded.decided, &loaded.ran, &loaded.shown})
            if (!read_lines(reader, *lines, message_count)) return false;
        if (!read_lines(reader, loaded.changed, message_count, changes_most)) return false;
        while (!reader.done()) {
            file one;
            one.path = reader.text();
            one.message = reader.number(message_count);
            one.lines = reader.number(u64_limit);
            one.bytes = reader.number(u64_limit);
            one.is_written = reader.number(1) != 0;
            if (reader.broken() || !is_listable(one.path) || loaded.files.size() == files_most) return false;
            loaded.files.push_back(std::move(one));
        }
        if (reader.broken()) return false;
        *this = std::move(loaded);
        return true;
    }
    /// Forgets what is from messages from `first` on, which are others now.
    void rewind(std::uint64_t first) {
        for (auto* const lines : {&failed, &open, &decided, &ran, &shown, &changed})
            std::erase_if(*lines, [&](line const& one) { return one.message >= first; });
        std::erase_if(files, [&](file const& one) { return one.message >= first; });
    }

private:
    static void put_lines(std::string& out, std::vector<line> const& lines) {
        put_field(out, lines.size());
        for (auto const& one : lines) {
            put_field(out, one.text);
            put_field(out, one.message);
            put_field(out, one.subject);
        }
    }
    static bool read_lines(field_reader& reader, std::vector<line>& lines, std::size_t message_count,
                           std::size_t most = lines_most) {
        for (auto count = reader.number(most); count != 0; --count) {
            line one{std::string{reader.text()}, reader.number(message_count), reader.number(u64_limit)};
            if (reader.broken() || !is_recordable(one.text)) return false;
            lines.push_back(std::move(one));
        }
        return !reader.broken();
    }
};
using work_log = basic_work_log<>;

/// True if the name contains one of the words, in letters of either case.
template <std::size_t Count>
constexpr bool names_one_of(std::string_view name, std::array<std::string_view, Count> const& words) noexcept {
    for (auto const word : words)
        for (std::size_t begin = 0; !word.empty() && begin + word.size() <= name.size(); ++begin)
            if (begins_with_word(name.substr(begin), word)) return true;
    return false;
}

}  // namespace detail

/// Lists what was done in all that has left a session: sentences of the assistant that name a decision, calls that
/// changed something, the newest of each tool on each subject, commands that ran and how they ended, but for searches,
/// files read and written, calls that failed and have not succeeded since, and what is open by the newest list of
/// tasks. A file that a command has removed is not listed; one that was read stands with its size, so that an agent can
/// tell whether to read it again. Costs a look at each message when it leaves; remembers the last 12 lines of each kind
/// and 200 files. In a run on its own (`reduce`) the earlier record is taken from its text.
struct work_record {
    percent share = {500};  ///< of the input; halved with each step of pressure
    chars line = {150};  ///< kept of each command, failure and task
    /// Words in the names of tools, in lower case: of those that write files, and of those that keep a list of tasks.
    std::array<std::string_view, 8> writes = {"write", "edit", "patch", "replace", "create", "delete", "insert", ""};
    std::array<std::string_view, 3> tasks = {"todo", "plan", "task_list"};
    /// Words of the names of tools that change something, and first words of those that only look, in lower case.
    std::string_view changes = detail::changing_words;
    std::string_view looks = detail::looking_words;
    /// Words of a sentence that names a decision, in lower case.
    std::array<std::string_view, 5> decisions = {"decision: ", "decided ", "agreed ", "go with ", "going with "};
    std::uint32_t commands = 3;  ///< the newest that are listed, at most 12

    using memory = detail::work_log;

    constexpr void validate() const {
        detail::reject_unless(share.basis_points > 0 && share.basis_points <= 5'000,
                              "condense: work_record: the share must be above 0 and at most 50 % (see work_record)");
        detail::reject_unless(line.count > 0 && line.count <= 200,
                              "condense: work_record: a line must have 1 to 200 characters (see work_record)");
        detail::reject_unless(commands <= memory::lines_most,
                              "condense: work_record: there can be 0 to 12 commands (see work_record)");
    }

    /// Notes what a part says of the work.
    void see(memory& log, leaving_part const& seen) const {
        if (seen.why == departure::summary && !seen.is_known) read(log, seen.part.text);
        if (seen.why != departure::left) return;
        bool has_call = false;
        if (seen.part.kind == part_kind::tool_result)
            seen.call([&](part_view const& call) {
                has_call = true;
                note_result(log, call, seen.part, seen.message);
            });
        if (!has_call) see(log, seen.part, seen.speaker, seen.message);
    }
    /// The record, of at most `room.limit`: the newest of each kind, as far as they fit. Files that were written stay
    /// longest.
    std::string write(memory const& log, index_room const& room) const {
        constexpr std::size_t files_kept = 8, files_least = 2;  // for each line of another kind
        for (std::size_t most = memory::files_most, files = files_kept * most;;) {
            auto text = written(log, most, files);
            if (room.tokens_of(text) <= room.limit.count) return text;
            if (files == 0) return {};
            if (most == 0 || (most == 1 && files > files_least)) files /= 2;
            else files = files_kept * (std::max)(most /= 2, std::size_t{1});
        }
    }

    /// Notes what one part of a message of this role says.
    void see(memory& log, part_view const& part, role speaker, std::uint64_t message) const {
        if (part.kind == part_kind::tool_call) note_call(log, part, message);
        else if (part.kind == part_kind::tool_result) note_result(log, {}, part, message);
        else if (part.kind == part_kind::text && speaker == role::assistant) note_decisions(log, part.text, message);
        else if (part.kind == part_kind::media) note(log.shown, part.text, message);
    }
    /// Notes what became of a call. It stands in the place of what became of a call with the same subject before: the
    /// command, the file, the first argument of a call that changes something, or else all arguments.
    void note_result(memory& log, part_view const& call, part_view const& result, std::uint64_t message) const {
        auto const path = file_of_call{}(call).value_or("");
        auto const command = command_in(call);
        auto const made = detail::changing_call_of(call, changes, looks);
        auto const end = detail::end_of(result);
        bool const searches = is_search(command);
        bool const failed = end.failed && !(end.is_silent && searches);
        auto const about = !command.empty() ? command : !path.empty() ? path : made.subject;
        auto const tool = detail::record_line(call.tool.empty() ? result.tool : call.tool, line);
        auto const outcome = end.line.empty() ? std::string{"(no output)"} : detail::record_line(end.line, line);
        std::string_view const known_by = !about.empty() ? about : !call.text.empty() ? call.text : outcome;
        auto const subject = detail::fnv1a(known_by, detail::fnv1a(tool));
        if (!call.text.empty() || failed) {
            auto const shown = detail::record_line(ends_of(about), {80});
            auto const text =
                detail::joined({tool, tool.empty() ? "" : ": ", shown, shown.empty() ? "" : ": ", outcome});
            memory::replace(log.failed, {failed ? detail::record_line(text, line) : std::string{}, message, subject});
        }
        if (auto const ran = detail::record_line(ends_of(command), line); !ran.empty() && !failed && !searches)
            memory::replace(log.ran,
                            {detail::joined({ran, ": ", detail::record_line(outcome, {60})}), message, subject});
        if (made.changes && !failed) note_change(log, tool, made, outcome, message);
        if (result.status == part_status::error || detail::is_error_text(result.text)) return;
        if (!detail::names_one_of(call.tool, writes))
            for (auto& file : log.files)
                if (file.path == path) {
                    file.lines = detail::count_lines(result.text);
                    file.bytes = result.text.size();
                }
        detail::each_edit(call, usual_edit_members, [&](file_edit const& edit) {
            // Behind `cd` it may be a file of another folder.
            if (!edit.writes && edit.text && !failed && command == detail::script_in(call))
                std::erase_if(log.files, [&](memory::file const& file) {
                    return file.path == edit.file && file.message <= message;
                });
            if (is_recorded(edit.file) && edit.writes)
                log.add({.path = std::string{edit.file}, .message = message, .is_written = true});
        });
    }
    /// Facts of it that are worth remembering when the work is over, one line each: decisions, calls that failed, and
    /// files written.
    static std::vector<std::string> facts_of(memory const& log) {
        std::vector<std::string> facts;
        facts.reserve(log.decided.size() + log.failed.size());
        for (auto const& one : log.decided) facts.push_back(std::string{decided_label} + one.text);
        for (auto const& one : log.failed) facts.push_back(std::string{failed_label} + one.text);
        for (auto const& one : log.files)
            if (one.is_written) facts.push_back("File written: " + one.path);
        return facts;
    }

    friend constexpr bool operator==(work_record const&, work_record const&) = default;

private:
    static constexpr std::string_view decided_label = "Decided: ";
    static constexpr std::string_view changed_label = "Done: ";
    static constexpr std::string_view ran_label = "Ran: ";
    static constexpr std::string_view failed_label = "Failed: ";
    static constexpr std::string_view open_label = "Open: ";
    static constexpr std::string_view shown_label = "Shown: ";
    static constexpr std::string_view written_label = "Files written: ";
    static constexpr std::string_view read_label = "Files read: ";

    /// True for a path that can be read again from the record, where commas and brackets stand behind paths.
    static constexpr bool is_recorded(std::string_view path) noexcept {
        return detail::is_listable(path) && path.find(", ") == std::string_view::npos &&
               path.find(" (") == std::string_view::npos && !path.ends_with(')');
    }
    void note(std::vector<memory::line>& entries, std::string_view text, std::uint64_t message) const {
        if (auto entry = detail::record_line(text, line); !entry.empty())
            memory::add(entries, std::move(entry), message);
    }
    void note_call(memory& log, part_view const& call, std::uint64_t message) const {
        if (detail::names_one_of(call.tool, tasks)) return note_tasks(log, call.text, message);
        auto path = file_of_call{}(call).value_or("");
        auto const verb = path.empty() ? std::string{} : detail::script_in(call);
        bool const is_written = detail::names_one_of(is_verb(verb) ? verb : call.tool, writes);
        if (is_recorded(path)) log.add({.path = std::move(path), .message = message, .is_written = is_written});
    }
    /// Of an editor with one tool a command is a verb: view, create, str_replace.
    static bool is_verb(std::string_view command) noexcept {
        return !command.empty() && command.find_first_of(" \t\n/.;|&") == command.npos;
    }
    /// The command that a call runs, without the folder in which it runs. Empty for the verb of an editor, and for a
    /// patch.
    static std::string command_in(part_view const& call) {
        auto const whole = detail::script_in(call);
        if ((is_verb(whole) && file_of_call{}(call)) || whole.starts_with("*** Begin Patch")) return {};
        return std::string{detail::without_folder(whole)};
    }
    /// True for a script of one command, which ends with the exit code 1 where it finds nothing.
    static bool is_search(std::string_view script) noexcept {
        char quote = 0;
        auto command = detail::take_command(script, quote);
        if (script.find_first_not_of("1 ") != script.npos || command.find('\n') != command.npos) return false;  // 2>&1
        auto tool = detail::take_word(command);
        tool.remove_prefix(tool.rfind('/') + 1);
        for (std::string_view const each : {"grep", "egrep", "fgrep", "rg", "ag", "pgrep"})
            if (tool == each) return true;
        return tool == "git" && detail::take_word(command) == "grep";
    }
    /// Of a text of many lines the first and the last.
    static std::string ends_of(std::string_view text) {
        while (text.ends_with('\n')) text.remove_suffix(1);
        auto const last = text.rfind('\n');
        auto const first = text.find('\n');
        if (first == last) return std::string{text};
        return detail::joined({text.substr(0, first), " ... ", text.substr(last + 1)});
    }
    /// A call that changed something and succeeded: the tool, its subject, the other arguments, and how it ended.
    void note_change(memory& log, std::string const& tool, detail::changing_call const& made, std::string_view outcome,
                     std::uint64_t message) const {
        constexpr chars of_arguments{60}, of_result{40};
        auto const head = detail::record_line(detail::joined({tool, " ", made.subject}), of_arguments);
        auto text = detail::joined(
            {head, detail::record_line(made.rest, of_arguments), ": ", detail::record_line(outcome, of_result)});
        if (!head.empty() && detail::is_recordable(text))
            memory::replace(log.changed, {std::move(text), message, detail::fnv1a(head)}, memory::changes_most);
    }

    /// Sentences and lines that name a decision; one that asks is none.
    void note_decisions(memory& log, std::string_view text, std::uint64_t message) const {
        while (!text.empty()) {
            std::size_t end = 0;
            auto const ends_sentence = [&](char byte) {
                return (byte == '.' || byte == '!' || byte == '?') &&
                       (end + 1 == text.size() || text[end + 1] == ' ' || text[end + 1] == '\n');
            };
            while (end < text.size() && text[end] != '\n' && !ends_sentence(text[end])) ++end;
            auto const is_question = end < text.size() && text[end] == '?';
            auto const sentence = text.substr(0, end);
            text.remove_prefix(end < text.size() ? end + 1 : end);
            if (!is_question && sentence.size() <= 400 && detail::names_one_of(sentence, decisions))
                note(log.decided, sentence, message);
        }
    }
    /// Tasks are objects, the innermost ones, with a text and a status that is not done.
    void note_tasks(memory& log, std::string_view arguments, std::uint64_t message) const {
        namespace json = detail::json;
        if (!json::valid(arguments)) return;
        log.open.clear();
        json::scanner scan{arguments};
        std::string_view key;
        std::string text;
        bool is_done = false;
        for (auto token = scan.next(); token != json::token::done; token = scan.next()) {
            if (token == json::token::key) key = scan.text().substr(1, scan.text().size() - 2);
            else if (token == json::token::string && key == "status") {
                auto const status = json::string_value(scan.text());
                is_done = status == "completed" || status == "done" || status == "cancelled";
            } else if (token == json::token::string && text.empty() && names_task(key))
                text = json::string_value(scan.text());
            else if (json::opens(token) || token == json::token::close) {
                if (token == json::token::close && !is_done) note(log.open, text, message);
                text.clear();
                is_done = false;
            }
        }
    }
    static constexpr bool names_task(std::string_view key) noexcept {
        for (std::string_view const name : {"content", "text", "step", "title", "task", "description"})
            if (key == name) return true;
        return false;
    }

    /// The record of at most `most` files that were read, `files_written` that were written, and of each kind 12 lines,
    /// or `most` where that is below 16.
    std::string written(memory const& log, std::size_t most, std::size_t files_written) const {
        std::string out{detail::record_head};
        out.push_back('\n');
        auto const empty = out.size();
        auto const lines_most = most >= 16 ? memory::lines_most : most;
        auto const add = [&](std::string_view label, std::vector<memory::line> const& entries) {
            auto const begin = entries.size() > lines_most ? entries.size() - lines_most : 0;
            for (auto index = begin; index < entries.size(); ++index)
                out.append(label).append(entries[index].text).push_back('\n');
        };
        add(decided_label, log.decided);
        // The newest state first.
        auto const changes_most = most >= 16 ? memory::changes_most : most;
        for (std::size_t count = 0; count < log.changed.size() && count < changes_most; ++count)
            out.append(changed_label).append(log.changed[log.changed.size() - 1 - count].text).push_back('\n');
        add(failed_label, log.failed);
        if (log.ran.size() > commands)
            add(ran_label, {log.ran.end() - static_cast<std::ptrdiff_t>(commands), log.ran.end()});
        else add(ran_label, log.ran);
        add(open_label, log.open);
        constexpr std::size_t media_most = 3;
        if (log.shown.size() > media_most)
            add(shown_label, {log.shown.end() - static_cast<std::ptrdiff_t>(media_most), log.shown.end()});
        else add(shown_label, log.shown);
        for (bool const is_written : {true, false}) {
            std::string names;
            std::size_t count = 0;
            for (auto file = log.files.rbegin();
                 file != log.files.rend() && count < (is_written ? files_written : most); ++file) {
                if (file->is_written != is_written) continue;
                names.append(names.empty() ? "" : ", ").append(file->path);
                if (!is_written && file->bytes != 0)
                    names.append(" (")
                        .append(detail::grouped(file->lines))
                        .append(file->lines == 1 ? " line, " : " lines, ")
                        .append(detail::grouped(file->bytes))
                        .append(" bytes)");
                ++count;
            }
            if (!names.empty()) out.append(is_written ? written_label : read_label).append(names).push_back('\n');
        }
        if (out.size() == empty) out.clear();
        return out;
    }
    /// Takes what is not known from the record in a summary.
    void read(memory& log, std::string_view text) const {
        text = detail::behind_head(text, detail::record_head);
        std::array<std::size_t, 6> counts{};  // read of each kind: they stand before what is known, in their order
        for (bool is_record = true; is_record && !text.empty();) {
            auto const first_line = detail::take_line(text);
            is_record = false;
            auto const behind = [&](std::string_view label) {
                bool const has_label = first_line.starts_with(label);
                is_record = is_record || has_label;
                return has_label ? first_line.substr(label.size()) : std::string_view{};
            };
            auto count = counts.begin();
            for (auto const& [label, entries] : {std::pair{decided_label, &log.decided},
                                                 {failed_label, &log.failed},
                                                 {ran_label, &log.ran},
                                                 {shown_label, &log.shown},
                                                 {changed_label, &log.changed},
                                                 {open_label, &log.open}}) {
                auto& place = *count++;
                if (auto const one = behind(label); detail::is_recordable(one)) {
                    bool known = false;
                    for (auto const& other : *entries) known = known || other.text == one;
                    auto const most = entries == &log.changed ? memory::changes_most : memory::lines_most;
                    if (known || entries->size() >= most) continue;
                    // The newest change stands first.
                    auto const at = entries == &log.changed ? 0 : place++;
                    entries->insert(entries->begin() + static_cast<std::ptrdiff_t>(at),
                                    {std::string{one}, 0, detail::fnv1a(one)});
                }
            }
            for (auto const label : {written_label, read_label}) read_files(log, behind(label), label == written_label);
        }
    }
    static void read_files(memory& log, std::string_view names, bool is_written) {
        while (!names.empty()) {
            auto const one = names.substr(0, names.find(", "));
            names.remove_prefix(one.size() + 2 < names.size() ? one.size() + 2 : names.size());
            auto const path = one.substr(0, one.find(" ("));
            bool known = log.files.size() == memory::files_most || !is_recorded(path);
            for (auto const& other : log.files) known = known || other.path == path;
            if (!known) log.files.insert(log.files.begin(), {.path = std::string{path}, .is_written = is_written});
        }
    }
};

/// Two indexes, the second behind the first: summarize{.leaves = both{work_record{}, name_index{}}}.
template <class First, class Second>
struct both {
    First first = {};
    Second second = {};

    struct memory {
        typename First::memory first;
        typename Second::memory second;

        std::string save() const {
            std::string out;
            detail::put_field(out, std::string_view{first.save()});
            detail::put_field(out, std::string_view{second.save()});
            return out;
        }
        bool load(std::string_view text, std::size_t message_count) {
            detail::field_reader reader{text};
            auto const one = text.empty() ? std::string_view{} : reader.text();
            auto const other = text.empty() ? std::string_view{} : reader.text();
            memory loaded;
            if (reader.broken() || !reader.done() || !loaded.first.load(one, message_count) ||
                !loaded.second.load(other, message_count))
                return false;
            *this = std::move(loaded);
            return true;
        }
        void rewind(std::uint64_t from) {
            first.rewind(from);
            second.rewind(from);
        }
    };

    /// Of both together.
    constexpr percent total_share() const noexcept { return {share_of(first) + share_of(second)}; }

    constexpr void validate() const {
        first.validate();
        second.validate();
        detail::reject_unless(total_share().basis_points <= percent::one_hundred,
                              "condense: both: the shares must be at most 100 % together (see both)");
    }
    void see(memory& of, leaving_part const& seen) const {
        first.see(of.first, seen);
        second.see(of.second, seen);
    }
    /// The second has what the first leaves of their room.
    std::string write(memory& of, index_room room) const {
        auto const whole = room.limit;
        room.limit = {detail::scale_down(whole.count, share_of(first), total_share().basis_points)};
        auto const text = first.write(of.first, room);
        auto const beside = std::string{room.beside} + text;
        room.beside = beside;
        room.limit = whole - room.limit;
        return text + second.write(of.second, room);
    }
    friend constexpr bool operator==(both const&, both const&) = default;

private:
    template <class Index>
    static constexpr std::uint32_t share_of(Index const& index) noexcept {
        if constexpr (requires { index.total_share(); }) return index.total_share().basis_points;
        else return index.share.basis_points;
    }
};
template <class First, class Second>
both(First, Second) -> both<First, Second>;

}  // namespace v1
}  // namespace condense
