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

#include <condense/detail/json_members.hpp>
#include <condense/detail/sort.hpp>
#include <condense/policy/protect.hpp>
#include <condense/shorten/part_key.hpp>
#include <condense/shorten/shortener.hpp>

// Results that show a file as it was before it was read or written again give way to a short note:
// compress{.with = superseded_reads{}}, or superseded_reads{.reads = tools("show"), .writes = tools("save")}.

namespace condense {
inline namespace v1 {

/// The file that a call is about: what the first of these members of its JSON arguments that is a string says.
struct file_of_call {
    std::array<std::string_view, 7> members = {"path", "file_path", "filepath",     "filename",
                                               "file", "uri",       "notebook_path"};

    constexpr std::optional<std::string> operator()(part_view const& call) const {
        auto best = members.size();
        std::string_view found;
        detail::json::each_member(call.text, [&](std::string_view name, std::string_view value) {
            for (std::size_t rank = 0; rank <= best && rank < members.size(); ++rank)
                if (name == members[rank] && value.front() == '"') {
                    best = rank;
                    found = value;
                }
        });
        if (best == members.size()) return std::nullopt;
        return detail::json::string_value(found);
    }
    friend constexpr bool operator==(file_of_call const&, file_of_call const&) = default;
};

/// Which piece of the file a call reads: all its other arguments, except those that are null or in
/// `idle`. Nothing else means the whole, so an argument that nobody knows never makes a piece a whole.
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

inline constexpr auto file_readers = tools("read", "Read", "read_*", "*_read", "*read_file", "readFile", "view", "View",
                                           "view_file", "open_file", "cat");
inline constexpr auto file_writers =
    tools("write", "Write", "write_*", "*_write", "*write_file", "writeFile", "edit", "Edit", "MultiEdit", "edit_*",
          "*_edit", "*edit_file", "create_file", "str_replace", "apply_patch", "delete_file");

/// A call that reads or writes a file.
struct file_use {
    std::uint32_t part_id = 0;  ///< of the call
    std::uint32_t answer = none32;  ///< part_id of its newest result
    bool failed = false;
    bool writes = false;
    enum : std::uint8_t { stays, read_again, written } fate = stays;
    std::string file = {};
    std::string tool = {};  ///< none for writes, so that they come first
    std::string range = {};
};

/// Says of each use whether later ones make it old. A later read counts where it is one of the same tool.
constexpr void judge(std::vector<file_use>& uses) {
    std::vector<file_use*> order;
    for (auto& use : uses)
        if (use.answer != none32 && !use.failed) order.push_back(&use);
    sort(order, [](file_use const* left, file_use const* right) {
        if (auto const files = left->file <=> right->file; files != 0) return files < 0;
        if (auto const names = left->tool <=> right->tool; names != 0) return names < 0;
        return left->range < right->range;
    });
    std::uint32_t write = 0;  // one past the answer of the newest of each
    std::uint32_t whole = 0;
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        auto const& first = *order[begin];
        bool const same_file = begin != 0 && order[begin - 1]->file == first.file;
        if (!same_file) write = 0;
        if (!same_file || order[begin - 1]->tool != first.tool) whole = 0;
        std::uint32_t same = 0;
        for (end = begin; end < order.size() && order[end]->file == first.file && order[end]->tool == first.tool &&
                          order[end]->range == first.range;
             ++end)
            if (same <= order[end]->answer) same = order[end]->answer + 1;
        if (first.writes) {
            write = same;
            continue;
        }
        if (first.range.empty()) whole = same;
        auto const read = whole > same ? whole : same;
        for (auto at = begin; at != end; ++at) {
            auto const mine = order[at]->answer + 1;
            if (read > mine && read > write) order[at]->fate = file_use::read_again;
            else if (write > mine) order[at]->fate = file_use::written;
        }
    }
}

}  // namespace detail

/// Loses results of `reads` whose file the same tool read again later, the same piece or the whole, or
/// that a tool of `writes` wrote later. The newest of each stays whole; calls without a good answer
/// make nothing old, and results that failed stay, since they may say why. Reads the calls once;
/// O(n log n) in them. Tools that read and write by an argument need predicates on the call's part_view.
template <part_key Key = file_of_call, protection Reads = std::remove_const_t<decltype(detail::file_readers)>,
          protection Writes = std::remove_const_t<decltype(detail::file_writers)>, part_key Range = range_of_call>
struct superseded_reads {
    using needs_conversation = void;

    Key key = detail::slot_default<Key>();  ///< of a call's part_view: the file, or nothing
    Reads reads = detail::slot_default<Reads>(detail::file_readers);
    Writes writes = detail::slot_default<Writes>(detail::file_writers);
    Range range = detail::slot_default<Range>();  ///< the same for the piece of it, where not all is read
    text_limit over = chars{200};

    template <class Draft>
    constexpr auto bind(Draft const& seen) const {
        struct result {
            std::uint32_t part_id;
            std::size_t use;
        };
        std::vector<detail::file_use> uses;
        std::vector<result> answers;
        auto const& facts = seen.outline();
        for (std::uint32_t index = 0; index < facts.size(); ++index) {
            if (!seen.present(sequence{index})) continue;
            bool calls = false;
            seen.each_part_of(sequence{index}, [&](part_ref part) {
                auto const& found = facts.part_at(part.part_id);
                calls = calls || (found.kind == part_kind::tool_call && found.status == part_status::ok);
            });
            if (calls)
                seen.each_part(sequence{index}, [&](part_ref at, part_view const& part) { take_call(uses, at, part); });
            seen.each_part_of(sequence{index}, [&](part_ref part) {
                auto const& found = facts.part_at(part.part_id);
                if (found.kind != part_kind::tool_result) return;
                auto const* const use = detail::find_part(uses, facts.call_part_id(found));
                if (use == nullptr) return;
                auto& mine = uses[static_cast<std::size_t>(use - uses.data())];
                mine.answer = part.part_id;
                mine.failed = mine.failed || found.status != part_status::ok;
                answers.push_back({part.part_id, static_cast<std::size_t>(use - uses.data())});
            });
        }
        detail::judge(uses);
        return
            [uses = std::move(uses), answers = std::move(answers)](part_ref at, part_view const& part, cut const& how) {
                std::optional<std::string> note;
                auto const* const found = detail::find_part(answers, at.part_id);
                if (found == nullptr || uses[found->use].fate == detail::file_use::stays ||
                    part.text.size() <= detail::omission_limit)
                    return note;
                bool const again = uses[found->use].fate == detail::file_use::read_again;
                note = detail::omission_of_all(
                    part.text, uses[found->use].file,
                    again ? " was read again further on" : " was written since, read it again", how.how);
                return note;
            };
    }
    friend bool operator==(superseded_reads const&, superseded_reads const&) = default;

private:
    constexpr void take_call(std::vector<detail::file_use>& uses, part_ref at, part_view const& part) const {
        if (part.kind != part_kind::tool_call || part.status != part_status::ok) return;
        bool const reading = detail::policy_of<Reads>{reads}.holds(part);
        if (!reading && !detail::policy_of<Writes>{writes}.holds(part)) return;
        detail::file_use use{.part_id = at.part_id, .writes = !reading, .file = detail::key_of(key, part)};
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
