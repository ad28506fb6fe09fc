// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/file_of_call.hpp>
#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/figure.hpp>
#include <condense/detail/json_members.hpp>
#include <condense/detail/json_strings.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/text.hpp>
#include <condense/llm/departures.hpp>
#include <condense/llm/record_line.hpp>
#include <condense/llm/text_log.hpp>

// An agent edits next what it has just written, and an edit names the old text exactly: the new texts of the latest
// edits, as they stand by now. summarize{.leaves = both{edited_texts{}, name_index{}}}.

namespace condense {
inline namespace v1 {
/// Quotes the new texts of the latest edits in all that has left a session, word for word, the newest as far as they
/// fit whole. A text that was edited again stands as it is by now; one of an edit that failed is left out. Costs a look
/// at each message when it leaves; remembers 200,000 bytes. In a run on its own (`reduce`) the earlier ones are taken
/// from the summary's text.
struct edited_texts {
    percent share = {1'000};  ///< of the input; halved with each step of pressure
    /// Members of a call's arguments that hold a new text, and the old one that it stands for: pairs, in which an empty
    /// old name stands for all of a file.
    std::array<std::pair<std::string_view, std::string_view>, 10> members = {{{"new_string", "old_string"},
                                                                              {"new_str", "old_str"},
                                                                              {"new_text", "old_text"},
                                                                              {"newString", "oldString"},
                                                                              {"newStr", "oldStr"},
                                                                              {"newText", "oldText"},
                                                                              {"replace", "search"},
                                                                              {"file_text", ""},
                                                                              {"content", ""},
                                                                              {"", ""}}};

    using memory = detail::text_log;

    constexpr void validate() const {
        detail::reject_unless(share.basis_points > 0 && share.basis_points <= 5'000,
                              "condense: edited_texts: the share must be above 0 and at most 50 % (see edited_texts)");
    }

    /// Notes the texts that a call has written, when its result leaves and is no error.
    void see(memory& log, leaving_part const& seen) const {
        if (seen.why == departure::summary && !seen.is_known) return read(log, seen.part.text);
        if (seen.why != departure::left || seen.part.kind != part_kind::tool_result ||
            seen.part.status == part_status::error)
            return;
        seen.call([&](part_view const& call) { see(log, call, seen.message); });
    }
    /// The texts, of at most `room.limit`.
    std::string write(memory const& log, index_room const& room) const {
        auto const& cost_of = room.tokens_of;
        auto const limit = room.limit;
        auto rest = detail::sub_capped(limit.count, cost_of(detail::texts_head));
        std::vector<std::string> texts;
        for (auto one = log.entries.rbegin(); one != log.entries.rend(); ++one) {
            auto text = one->label;
            text.append(size_mark).append(std::to_string(one->text.size())).append(end_mark).append("\n");
            text.append(one->text).append("\n");
            auto const size = cost_of(text);
            if (size > rest) continue;  // a smaller one may fit
            rest -= size;
            texts.push_back(std::move(text));
        }
        if (texts.empty()) return {};
        std::string out{detail::texts_head};
        out.push_back('\n');
        for (auto one = texts.rbegin(); one != texts.rend(); ++one) out.append(*one);
        return out;
    }

    /// Notes what a call that succeeded has written: in the members of its arguments, in patches as `apply_patch` takes
    /// them, and in here-documents of a shell.
    void see(memory& log, part_view const& call, std::uint64_t message) const {
        auto const file = file_of_call{}(call).value_or("");
        std::string text, old;
        std::string_view partner;
        auto const end = [&] {
            auto const replaced = partner.empty() ? std::nullopt : std::optional{std::string_view{old}};
            if (!text.empty()) note(log, file, replaced, text, message);
            text.clear();
            old.clear();
        };
        detail::json::each_string(call.text, [&](detail::json::spelt_string const& string) {
            auto const value = [&] {
                return detail::json::string_value(call.text.substr(string.begin - 1, string.text.size() + 2));
            };
            if (string.text.find("*** Begin Patch") != string.text.npos) return see_patch(log, value(), message);
            for (auto const& [now, before] : members) {
                if (string.key.empty() || (string.key != now && string.key != before)) continue;
                auto& to = string.key == now ? text : old;
                if (before != partner || !to.empty()) end();  // of another edit
                partner = before;
                to = value();
                return;
            }
            if (string.text.find("<<") != string.text.npos) see_documents(log, value(), message);
        });
        end();
    }

    friend constexpr bool operator==(edited_texts const&, edited_texts const&) = default;

private:
    static constexpr std::string_view size_mark = " [";
    static constexpr std::string_view end_mark = " bytes]";

    /// A longer text is not kept, in bytes.
    static constexpr std::size_t text_most = 8'000;

    /// A text was written into a file in the place of `old`: of nothing, where that is empty, and of all of the file,
    /// where there is none. Known texts are what they are by now.
    static void note(memory& log, std::string_view file, std::optional<std::string_view> old, std::string_view text,
                     std::uint64_t message) {
        std::string whole{text};
        for (auto const& one : log.entries)  // what leaves late may be old
            if (one.label == file && one.message > message) return;
        log.remove_if([&](memory::entry const& one) {
            if (one.label != file || (old && old->empty())) return false;
            if (!old || old->find(one.text) != old->npos) return true;
            auto const at = one.text.find(*old);
            if (at == one.text.npos) return false;
            whole = std::string{one.text}.replace(at, old->size(), text);
            return true;
        });
        if (whole.size() <= text_most && !detail::has_head(whole))
            log.add({std::string{file}, std::move(whole), message});
    }

    static std::string_view next_line(std::string_view& text) noexcept {
        auto const line = text.substr(0, text.find('\n'));
        text.remove_prefix((std::min)(line.size() + 1, text.size()));
        return line;
    }
    /// Each hunk is an edit, with the lines around it.
    static void see_patch(memory& log, std::string_view text, std::uint64_t message) {
        std::string file, old, now;
        bool is_new = false;
        auto const end = [&] {
            auto const replaced = is_new ? std::nullopt : std::optional{std::string_view{old}};
            if (!now.empty()) note(log, file, replaced, now, message);
            old.clear();
            now.clear();
        };
        while (!text.empty()) {
            auto const line = next_line(text);
            if (line.starts_with("***") || line.starts_with("@@")) {
                end();
                for (std::string_view const label : {"*** Update File: ", "*** Add File: "})
                    if (line.starts_with(label)) {
                        file = line.substr(label.size());
                        is_new = label == "*** Add File: ";
                    }
                continue;
            }
            auto const rest = line.substr((std::min)(line.size(), std::size_t{1}));
            if (!line.starts_with('-')) now.append(rest).push_back('\n');
            if (!line.starts_with('+')) old.append(rest).push_back('\n');
        }
        end();
    }
    /// Documents that a shell writes into files: cat > FILE <<'END', up to a line END.
    static void see_documents(memory& log, std::string_view text, std::uint64_t message) {
        while (!text.empty()) {
            auto const line = next_line(text);
            auto const mark = line.find("<<");
            auto const arrow = line.find('>');
            if (mark == line.npos || arrow == line.npos) continue;
            auto const word_at = [&](std::size_t at) {
                at = (std::min)(line.find_first_not_of(" '\"-\\", at), line.size());
                return line.substr(at, line.find_first_of(" '\";&|>", at) - at);
            };
            auto const ending = word_at(mark + 2);
            bool const appends = line.substr(arrow).starts_with(">>");
            auto const file = word_at(arrow + (appends ? 2 : 1));
            std::string document;
            bool is_whole = false;
            while (!text.empty() && !is_whole) {
                auto const next = next_line(text);
                is_whole = next == ending;
                if (!is_whole) document.append(next).push_back('\n');
            }
            auto const replaced = appends ? std::optional{std::string_view{}} : std::nullopt;
            if (is_whole && !document.empty()) note(log, file, replaced, document, message);
        }
    }

    /// Takes the texts from an earlier summary.
    static void read(memory& log, std::string_view text) {
        text = detail::behind_head(text, detail::texts_head);
        while (!text.empty()) {
            auto const line = text.substr(0, text.find('\n'));
            auto const mark = line.rfind(size_mark);
            if (mark == std::string_view::npos || text.size() == line.size()) return;
            auto digits = line.substr(mark + size_mark.size());
            std::uint64_t size = 0;
            if (!digits.ends_with(end_mark)) return;
            digits.remove_suffix(end_mark.size());
            if (!detail::read_number(digits, size) || size >= text.size() - line.size() - 1) return;
            auto const length = detail::as_size(size);
            log.add({std::string{line.substr(0, mark)}, std::string{text.substr(line.size() + 1, length)}, 0});
            text.remove_prefix((std::min)(line.size() + 2 + length, text.size()));
        }
    }
};

}  // namespace v1
}  // namespace condense
