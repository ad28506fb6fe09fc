// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <condense/core/message.hpp>
#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/store.hpp>
#include <condense/detail/text.hpp>
#include <condense/plan/artifact.hpp>
#include <condense/plan/artifact_list.hpp>
#include <condense/recovery/original.hpp>

// Results of earlier turns as artifacts, for plan_context: add_results(list, session), add_recorded<Message>(list,
// journal, conversation), add_stored(list, store, conversation).

namespace condense {
inline namespace v1 {
namespace detail {

/// A result among the messages of a conversation.
struct result_place {
    std::uint64_t message = 0;
    std::uint32_t part = 0;
    friend bool operator==(result_place const&, result_place const&) = default;
};

/// Calls f(number of the part, part_view) for each result of a message.
template <class Message, class Function>
void each_result(Message const& m, Function const& f) {
    std::uint32_t number = 0;
    v1::each_part(m, [&](part_view const& part) {
        if (part.kind == part_kind::tool_result) f(number, part);
        ++number;
    });
}

/// True for a message with which a turn begins.
template <class Message>
bool begins_turn(Message const& m) {
    bool plain = v1::role_of(m) == role::user;
    each_result(m, [&](std::uint32_t, part_view const&) { plain = false; });
    return plain;
}

/// Ids that no artifact of a list has: "r12.0", or "r12.0-2" where another conversation has given that one.
class fresh_ids {
public:
    template <class List>
    explicit fresh_ids(List const& list) {
        for (auto const& each : list.all()) ++times_[each.id.substr(0, each.id.find('-'))];
    }
    std::string of(result_place const& place) {
        auto id = "r" + std::to_string(place.message) + "." + std::to_string(place.part);
        auto const count = ++times_[id];
        return count == 1 ? id : id + "-" + std::to_string(count);
    }

private:
    std::unordered_map<std::string, std::uint64_t> times_;
};

/// Adds the results that `each_message(f)` shows as f(number, message), in order, and later reads them there again.
template <class List, class Each>
store_error add_results_of(List& list, Each const& each_message) {
    auto const places = std::make_shared<std::vector<result_place>>();
    list.add_source([places, each_message](auto const& wanted, auto const& sink) {
        std::size_t next = 0;
        static_cast<void>(each_message([&](std::uint64_t number, auto const& m) {
            each_result(m, [&](std::uint32_t part, part_view const& result) {
                if (next == places->size() || (*places)[next] != result_place{number, part}) return;
                if (wanted(next)) sink(next, result.text);
                ++next;
            });
        }));
    });
    std::uint64_t turns = 0;
    // What cannot be read to its end has gone on: all that is read of it is of earlier turns.
    if (each_message([&](std::uint64_t, auto const& m) { turns += begins_turn(m) ? 1u : 0u; })) ++turns;
    fresh_ids ids{list};
    std::uint64_t turn = 0;
    std::unordered_map<std::string, std::string> tools;  // by the id of the latest call
    return each_message([&](std::uint64_t number, auto const& m) {
        turn += begins_turn(m) ? 1u : 0u;
        v1::each_part(m, [&](part_view const& part) {
            if (part.kind == part_kind::tool_call && !part.call.empty()) tools[std::string{part.call}] = part.tool;
        });
        each_result(m, [&](std::uint32_t part, part_view const& result) {
            auto tool = std::string{result.tool};
            if (auto const call = tools.find(std::string{result.call}); tool.empty() && call != tools.end())
                tool = call->second;
            places->push_back({number, part});
            list.add({.id = ids.of({number, part}),
                      .source = "turn " + std::to_string(turn) + ": " +
                                (tool.empty() ? "a tool" : printable(tool, source_points)),
                      .arrived = number,
                      .historical = turn < turns,
                      .error = result.status == part_status::error},
                     result.text);
        });
    });
}

}  // namespace detail

/// Adds the results of a session's conversation as they were pushed, also those that have left the request or, with a
/// journal, the memory. The session must outlive the list, and not change while that is used. Errors are those of
/// restore_original; results before the error are in the list.
template <class List, class Session>
store_error add_results(List& list, Session& session) {
    return detail::add_results_of(list, [&session](auto const& f) {
        std::uint64_t number = 0;
        return restore_original(session, [&](auto const& m) { f(number++, m); });
    });
}

/// Adds the results of a conversation that a journal holds. Other messages than those of this type are passed over.
template <storable Message, class List, journal Journal>
store_error add_recorded(List& list, Journal const& from, std::string_view conversation) {
    return detail::add_results_of(list, [from, id = std::string{conversation}](auto const& f) {
        return each_original(from, id, [&](journal_entry const& entry, std::string_view content) {
            std::optional<Message> const m = v1::from_bytes<Message>(content);
            if (m) f(entry.number, *m);
        });
    });
}

/// Adds what a store keeps for a conversation, the oldest first, but for what the list has already, which it reads.
template <class List, traceable_store Store>
store_error add_stored(List& list, Store const& from, std::string_view conversation) {
    struct entry {
        reference name;
        artifact_source source;
    };
    std::vector<entry> entries;
    auto const problem = from.each_source([&](reference const& name, bytes, artifact_source const& source) {
        if (source.conversation == conversation) entries.push_back({name, source});
    });
    if (problem) return problem;
    std::sort(entries.begin(), entries.end(), [](entry const& left, entry const& right) {
        return left.source.time != right.source.time ? left.source.time < right.source.time : left.name < right.name;
    });
    std::unordered_set<std::string> known;
    for (std::size_t index = 0; index < list.size(); ++index) known.insert(list.stored(index).text());
    auto const every = [](std::size_t) { return true; };
    auto const note = [&](std::size_t, std::string_view text) { known.insert(from.name(text).text()); };
    list.read(plan_request::wanted_texts{every}, plan_request::text_sink{note});
    for (auto const& [name, source] : entries) {
        auto id = name.text();
        auto const content = known.insert(id).second ? from.get(name) : std::nullopt;
        if (!content) continue;
        list.add_stored(
            {.id = std::move(id),
             .source = "earlier: " + (source.tool.empty() ? "a tool" : printable(source.tool, detail::source_points)),
             .type = printable(source.type, 40),
             .arrived = list.all().empty() ? 0 : list.all().back().arrived + 1,
             .historical = true},
            *content, name, from);
    }
    return {};
}

}  // namespace v1
}  // namespace condense
