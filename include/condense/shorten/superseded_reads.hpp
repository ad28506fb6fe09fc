// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/file_of_call.hpp>
#include <condense/detail/json_members.hpp>
#include <condense/detail/sort.hpp>
#include <condense/policy/protect.hpp>
#include <condense/shorten/part_key.hpp>
#include <condense/shorten/shortener.hpp>

// Replaces results that show a file as it was, before it was read again or written, by a note:
// compress{.with = superseded_reads{}}, or superseded_reads{.reads = tools("show"), .writes = tools("save")}.

namespace condense {
inline namespace v1 {

/// The range of the file that a call reads: all its other arguments, except those that are null or in `idle`. Empty
/// means the whole file, so an unknown argument never passes for it.
struct range_of_call {
    std::array<std::string_view, 7> files = file_of_call{}.members;
    std::array<std::string_view, 3> idle = {"explanation", "description", "reason"};

    constexpr std::string operator()(part_view const& call) const {
        std::string out;
        detail::json::each_member(call.text, [&](std::string_view name, std::string_view value) {
            bool counts = value != "null";
            for (auto const other : files) counts = counts && name != other;
            for (auto const other : idle) counts = counts && name != other;
            if (counts) out.append(name).append("\":").append(value).append(",");
        });
        return out;
    }
    friend constexpr bool operator==(range_of_call const&, range_of_call const&) = default;
};

namespace detail {

// The names that common agents give to these tools.
inline constexpr auto file_readers = tools("read", "Read", "read_*", "*_read", "*read_file", "readFile", "view", "View",
                                           "view_file", "open_file", "cat");
inline constexpr auto file_writers =
    tools("write", "Write", "write_*", "*_write", "*write_file", "writeFile", "edit", "Edit", "MultiEdit", "edit_*",
          "*_edit", "*edit_file", "create_file", "str_replace", "apply_patch", "delete_file");

/// A call that reads or writes a file.
struct file_use {
    std::uint32_t part_id = 0;  ///< of the call
    std::uint32_t answer = none32;  ///< part_id of the newest result
    bool failed = false;
    bool writes = false;
    enum : std::uint8_t { current, read_again, rewritten } state = current;
    std::string file = {};
    std::string tool = {};  ///< empty for writes, so that they sort first
    std::string range = {};
};

/// Sets the state of each use: superseded by a later write, or by a later read of the same tool. Sorts by file, tool
/// and range, so that all that can supersede one another stands together, writes first.
constexpr void mark_superseded(std::vector<file_use>& uses) {
    std::vector<file_use*> order;
    for (auto& use : uses)
        if (use.answer != none32 && !use.failed) order.push_back(&use);
    sort(order, [](file_use const* left, file_use const* right) {
        if (auto const files = left->file <=> right->file; files != 0) return files < 0;
        if (auto const names = left->tool <=> right->tool; names != 0) return names < 0;
        return left->range < right->range;
    });
    std::uint32_t write = 0;  // one past the answer of the newest of each
    std::uint32_t whole_file = 0;
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        auto const& first = *order[begin];
        bool const same_file = begin != 0 && order[begin - 1]->file == first.file;
        if (!same_file) write = 0;
        if (!same_file || order[begin - 1]->tool != first.tool) whole_file = 0;
        std::uint32_t same_range = 0;
        for (end = begin; end < order.size() && order[end]->file == first.file && order[end]->tool == first.tool &&
                          order[end]->range == first.range;
             ++end)
            if (same_range <= order[end]->answer) same_range = order[end]->answer + 1;
        if (first.writes) {
            write = same_range;
            continue;
        }
        if (first.range.empty()) whole_file = same_range;
        auto const read = whole_file > same_range ? whole_file : same_range;
        for (auto index = begin; index != end; ++index) {
            auto const own = order[index]->answer + 1;
            if (read > own && read > write) order[index]->state = file_use::read_again;
            else if (write > own) order[index]->state = file_use::rewritten;
        }
    }
}

}  // namespace detail

/// Loses results of `reads` if the same tool read the same range or the whole file again later, or if a tool of
/// `writes` wrote the file later. The newest result of each stays. Calls without a successful result supersede nothing,
/// and failed results stay, because they may say why. Reads each call once; O(n log n) in calls. A tool that both reads
/// and writes, depending on an argument, needs predicates on the call's part_view.
template <part_key Key = file_of_call, protection Reads = std::remove_const_t<decltype(detail::file_readers)>,
          protection Writes = std::remove_const_t<decltype(detail::file_writers)>, part_key Range = range_of_call>
struct superseded_reads {
    using needs_conversation = void;

    Key key = detail::slot_default<Key>();  ///< from a call's part_view to its file, or nothing
    Reads reads = detail::slot_default<Reads>(detail::file_readers);
    Writes writes = detail::slot_default<Writes>(detail::file_writers);
    Range range = detail::slot_default<Range>();  ///< the same for the range of the file; empty for the whole
    text_limit over = chars{200};

    /// Reads the arguments of calls, and of results only what the outline knows. The callable does not refer to the
    /// draft.
    template <class Draft>
    auto bind(Draft const& draft) const {
        struct result {
            std::uint32_t part_id;
            std::size_t use;
        };
        std::vector<detail::file_use> uses;
        std::vector<result> answers;
        auto const& facts = draft.outline();
        draft.each_message([&](sequence message) {
            bool calls = false;
            draft.each_part_of(message, [&](part_ref part) {
                auto const& record = facts.part_at(part.part_id);
                calls = calls || (record.kind == part_kind::tool_call && record.status == part_status::ok);
            });
            if (calls)
                draft.each_part(message, [&](part_ref ref, part_view const& part) { add_call(uses, ref, part); });
            draft.each_part_of(message, [&](part_ref part) {
                auto const& record = facts.part_at(part.part_id);
                if (record.kind != part_kind::tool_result) return;
                auto const* const use = detail::find_part(uses, facts.call_part_id(record));
                if (use == nullptr) return;
                auto& use_entry = uses[static_cast<std::size_t>(use - uses.data())];
                use_entry.answer = part.part_id;
                use_entry.failed = use_entry.failed || record.status != part_status::ok;
                answers.push_back({part.part_id, static_cast<std::size_t>(use - uses.data())});
            });
        });
        detail::mark_superseded(uses);
        return [uses = std::move(uses), answers = std::move(answers)](part_ref ref, part_view const& part,
                                                                      cut const& context) {
            std::optional<std::string> note;
            auto const* const entry = detail::find_part(answers, ref.part_id);
            if (entry == nullptr || uses[entry->use].state == detail::file_use::current ||
                part.text.size() <= detail::omission_limit)
                return note;
            bool const read_again = uses[entry->use].state == detail::file_use::read_again;
            note = detail::omission_of_all(
                part.text, uses[entry->use].file,
                read_again ? " was read again further on" : " was written since, read it again", context.how);
            return note;
        };
    }
    friend bool operator==(superseded_reads const&, superseded_reads const&) = default;

private:
    /// Adds a use if the part is a call that reads or writes a file whose name is known.
    constexpr void add_call(std::vector<detail::file_use>& uses, part_ref ref, part_view const& part) const {
        if (part.kind != part_kind::tool_call || part.status != part_status::ok) return;
        bool const reading = detail::policy_of<Reads>{reads}.holds(part);
        if (!reading && !detail::policy_of<Writes>{writes}.holds(part)) return;
        detail::file_use use{.part_id = ref.part_id, .writes = !reading, .file = detail::key_of(key, part)};
        if (use.file.empty()) return;
        if (reading) {
            use.tool = "+" + std::string{part.tool};
            use.range = detail::key_of(range, part);
        }
        uses.push_back(std::move(use));
    }
};

}  // namespace v1
}  // namespace condense
