// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <condense/core/message.hpp>
#include <condense/detail/json_members.hpp>
#include <condense/detail/json_strings.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/llm/fence.hpp>
#include <condense/replay/arguments.hpp>
#include <condense/replay/figures.hpp>
#include <condense/replay/sent.hpp>

// How much of what a person said, and of what calls changed, can still be read in a request: the task, other messages
// of the user, and the subjects of calls.

namespace condense {
inline namespace v1 {
namespace detail {

/// True for a call whose name says that it changes something.
inline bool changes_something(std::string_view tool) noexcept {
    for (std::string_view const verb : {"write", "edit", "create", "update", "delete", "cancel", "modify", "exchange",
                                        "return", "book", "send", "insert", "replace", "patch"})
        for (std::size_t at = 0; at + verb.size() <= tool.size(); ++at)
            if (begins_with_word(tool.substr(at), verb)) return true;
    return false;
}

/// Messages of the user and calls that changed something. A message of the user can be read where it is sent, or where
/// the first 80 bytes of its first line stand in another; a call where it is sent, or where the first of its arguments
/// stands, if that is a short text.
class told_index {
public:
    told_index() = default;  ///< of no conversation
    template <class Script>
    explicit told_index(Script const& script) {
        bool has_task = false;
        for (std::size_t index = 0; index < script.size(); ++index) {
            auto const& m = script.at(index);
            bool const is_user = v1::role_of(m) == role::user;
            each_part(m, [&](part_view const& part) {
                if (is_user && part.kind == part_kind::text && part.call.empty()) {
                    bool const is_task = !has_task && !asks_nothing(part.text);
                    has_task = has_task || is_task;
                    add(index, is_task ? kind::task : kind::words, opening_of(part.text));
                } else if (part.kind == part_kind::tool_call && changes_something(part.tool)) {
                    std::string subject;
                    json::each_member(part.text, [&](std::string_view, std::string_view value) {
                        if (subject.empty() && value.starts_with('"')) subject = json::string_value(value);
                    });
                    if (subject.size() <= opening_most) add(index, kind::action, std::move(subject));
                }
            });
        }
    }

    /// Adds what was told before message `end` to `out`, and how much of it the request shows. None is shown by one
    /// that cannot be sent. `known` has what was found before in messages that are no originals, by their print.
    template <class Requests, class Request>
    void count(Requests const& sent, Request const& request, std::size_t end, bool sendable,
               std::unordered_map<std::uint64_t, std::vector<bool>>& known, replay_figures& out) const {
        std::vector<bool> shown(all_.size());
        auto each = sent.current().begin();
        for (auto const& m : request) {
            auto const& entry = *each++;
            if (entry.index != none32) {
                for (std::size_t at = 0; at < all_.size(); ++at)
                    shown[at] = shown[at] || all_[at].message == entry.index;
                continue;
            }
            auto const [found, is_new] = known.try_emplace(entry.print);
            if (is_new)
                for (auto const& one : all_) found->second.push_back(holds_text(m, one.text));
            for (std::size_t at = 0; at < all_.size(); ++at) shown[at] = shown[at] || found->second[at];
        }
        for (std::size_t at = 0; at < all_.size() && all_[at].message < end; ++at) {
            auto const [total, visible] = members_of(all_[at].is);
            ++(out.*total);
            out.*visible += sendable && shown[at] ? 1u : 0u;
        }
    }

private:
    enum class kind : std::uint8_t { task, words, action };
    struct told {
        std::size_t message;
        kind is;
        std::string text;
    };
    static constexpr std::size_t opening_most = 80;

    static std::string opening_of(std::string_view text) {
        auto const begin = text.find_first_not_of(" \t\r\n");
        if (begin == text.npos) return {};
        text = text.substr(begin, text.find_first_of("\r\n", begin) - begin);
        return std::string{text.substr(0, utf8::floor(text, opening_most))};
    }
    void add(std::size_t message, kind is, std::string text) {
        if (!text.empty()) all_.push_back({message, is, std::move(text)});
    }
    static std::pair<std::uint64_t replay_figures::*, std::uint64_t replay_figures::*> members_of(kind is) noexcept {
        if (is == kind::task) return {&replay_figures::tasks, &replay_figures::tasks_visible};
        if (is == kind::words) return {&replay_figures::words, &replay_figures::words_visible};
        return {&replay_figures::actions, &replay_figures::actions_visible};
    }

    std::vector<told> all_;  ///< by message
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
