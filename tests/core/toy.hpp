// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include <condense/core/draft.hpp>
#include <condense/core/layer.hpp>
#include <condense/core/pass.hpp>

#include "support/notation.hpp"

// A message that lives in constant expressions, an estimator that counts one token a byte, a desk on
// which drafts are made of both, and layers made of callables.

namespace toy {

using condense::part_kind, condense::part_status, condense::part_view, condense::role, notation::per_byte;

struct message {
    role speaker = role::user;
    std::array<part_view, 4> parts = {};
    std::size_t count = 0;
    bool pin = false;
    bool joins = false;
    std::string_view mark = {};

    struct condense_traits {
        static constexpr role role_of(message const& m) { return m.speaker; }
        static constexpr void each_part(message const& m, auto&& sink) {
            for (std::size_t at = 0; at < m.count; ++at) sink(m.parts[at]);
        }
        static constexpr bool pinned(message const& m) { return m.pin; }
        static constexpr bool joins_previous(message const& m) { return m.joins; }
        static constexpr std::string_view mark_of(message const& m) { return m.mark; }
    };
};

constexpr message with(role speaker, std::initializer_list<part_view> parts) {
    message made{.speaker = speaker};
    for (auto const& part : parts) made.parts[made.count++] = part;
    return made;
}
constexpr message system(std::string_view text) { return with(role::system, {{.text = text}}); }
constexpr message user(std::string_view text) { return with(role::user, {{.text = text}}); }
constexpr message assistant(std::string_view text) { return with(role::assistant, {{.text = text}}); }
constexpr message pinned(message m) {
    m.pin = true;
    return m;
}
constexpr message joined(message m) {
    m.joins = true;
    return m;
}
constexpr message marked(message m, std::string_view mark) {
    m.mark = mark;
    return m;
}

constexpr part_view call_part(std::string_view id, std::string_view tool = {}, part_status status = part_status::ok) {
    return {.kind = part_kind::tool_call, .text = "{}", .tool = tool, .call = id, .status = status};
}
constexpr part_view result_part(std::string_view id, std::string_view text = "out",
                                part_status status = part_status::ok) {
    return {.kind = part_kind::tool_result, .text = text, .call = id, .status = status};
}
/// A result without id, of a tool.
constexpr part_view output_part(std::string_view tool) {
    return {.kind = part_kind::tool_result, .text = "out", .tool = tool};
}

constexpr message call(std::string_view id, std::string_view tool = {}, part_status status = part_status::ok) {
    return with(role::assistant, {call_part(id, tool, status)});
}
constexpr message result(std::string_view id, std::string_view text = "out", part_status status = part_status::ok) {
    return with(role::tool, {result_part(id, text, status)});
}

/// One token a byte, ten for each message, three for each part.
struct framed : per_byte {
    constexpr condense::cost frame(role) const { return condense::cost::of({10}); }
    constexpr condense::cost frame(part_view const&) const { return condense::cost::of({3}); }
};

/// The outline of a conversation, read with its marks.
struct outline_of : condense::outline {
    constexpr explicit outline_of(std::initializer_list<message> conversation) {
        for (auto const& m : conversation) {
            read(m, per_byte{}, {.marks = true});
            place();
        }
    }
};

template <auto Probe>
concept constant = requires { typename std::bool_constant<(Probe(), true)>; };

/// Strings, and with them outlines and drafts, do not live in the constant expressions of every compiler and
/// standard library. What needs them is then required at run time only.
inline constexpr bool run_time_only = !constant<[] { outline_of{{user("u")}}; }>;

/// A conversation of any messages with its outline, read with its marks, and its view.
template <class Message, class Estimator = per_byte>
struct desk_of {
    std::vector<Message> history = {};
    condense::budget limits;
    Estimator count = {};
    condense::outline facts = {};
    condense::view edits = {};

    constexpr explicit desk_of(std::vector<Message> const& conversation, condense::budget given = {.window = {1'000}})
        : limits{given} {
        for (auto const& m : conversation) push(m);
    }
    desk_of(desk_of const&) = delete;
    desk_of& operator=(desk_of const&) = delete;

    constexpr void push(Message const& m) {
        history.push_back(m);
        edits.reserve_message(facts.read(m, count, {.marks = true}));
        edits.on_message_placed(facts, facts.place());
    }
    constexpr auto draft() { return condense::draft{history, facts, edits, count, limits}; }
};
template <class Message>
desk_of(std::vector<Message>) -> desk_of<Message>;
template <class Message>
desk_of(std::vector<Message>, condense::budget) -> desk_of<Message>;

template <class Estimator = per_byte>
struct desk : desk_of<message, Estimator> {
    constexpr explicit desk(std::initializer_list<message> conversation, condense::budget given = {.window = {1'000}})
        : desk_of<message, Estimator>{std::vector<message>(conversation), given} {}
};
desk(std::initializer_list<message>) -> desk<per_byte>;
desk(std::initializer_list<message>, condense::budget) -> desk<per_byte>;

/// The part that is number `part` of message `index`.
constexpr condense::part_ref part_of(condense::outline const& facts, std::uint32_t index, std::uint32_t part = 0) {
    return {index, part, facts.message_at(index).first_part + part};
}

/// A layer made of a callable on draft and pass.
template <condense::effect Effects, class Act>
struct acting {
    Act act;
    static constexpr auto effects = Effects;
    constexpr auto reduce(auto& draft, auto& pass) const { return act(draft, pass); }
};
template <condense::effect Effects, class Act>
constexpr acting<Effects, Act> layer(Act act) {
    return {std::move(act)};
}

/// Has the layers before it run once more under a pressure, at the top or before it, down to a target.
struct press {
    std::uint32_t pressure = 1;
    bool top = false;
    condense::tokens target = {};
    static constexpr auto effects = condense::reruns;
    constexpr bool due(condense::usage const&) const noexcept { return pressure != 0; }
    constexpr condense::pressure_schedule schedule(condense::tokens input) const noexcept {
        return {.line = top ? target : condense::tokens{condense::detail::u64_limit},
                .target = target,
                .limit = input,
                .passes = top ? pressure : pressure + 1,
                .first = pressure};
    }
};

/// What the view's sums must be, counted anew from the outline's messages and the edits in force.
constexpr condense::view::totals recount(condense::outline const& facts, condense::view const& edits) {
    condense::view::totals sum;
    for (std::uint32_t index = 0; index < facts.size(); ++index) {
        auto const& found = facts.message_at(index);
        if (!edits.present({facts.group_of(index)})) continue;
        std::uint32_t removed = 0;
        for (auto part_id = found.first_part; part_id < found.first_part + found.part_count; ++part_id)
            removed += edits.edit_of(part_id) != nullptr && edits.edit_of(part_id)->kind == condense::edit_kind::remove
                           ? 1u
                           : 0u;
        if (removed != 0 && removed == found.part_count) continue;
        sum += {found.frame, 1, found.plain_user ? 1u : 0u};
        for (auto part_id = found.first_part; part_id < found.first_part + found.part_count; ++part_id) {
            auto const& part = facts.part_at(part_id);
            if (auto const* const edit = edits.edit_of(part_id)) {
                sum.cost += edit->after;
                if (edit->kind != condense::edit_kind::remove) sum.bytes += edits.text_at(edit->text).text.size();
            } else sum += {part.cost, 0, 0, part.kind == condense::part_kind::media ? 1u : 0u, part.size};
        }
    }
    for (std::uint32_t slot = 0; slot < facts.group_count(); ++slot)
        if (auto const summary = condense::group{slot}.summary(); edits.present(summary))
            sum += {edits.of(summary).cost, 1, 0, 0, edits.summary_text(summary).text.size()};
    return sum;
}

inline std::string spelt(condense::view::totals const& sums) {
    return std::to_string(sums.cost.steps) + " steps, " + std::to_string(sums.messages) + " messages, " +
           std::to_string(sums.turns) + " turns, " + std::to_string(sums.images) + " images, " +
           std::to_string(sums.bytes) + " bytes";
}

/// What would be sent, as text: "0: s | 1: {} out | *3: summary | ".
std::string shown(auto const& draft) {
    std::string out;
    for (auto const which : draft.groups()) {
        out.append(which.is_summary() ? "*" : "").append(std::to_string(which.id())).append(":");
        draft.each_part(which, [&](condense::part_ref, part_view const& part) { out.append(" ").append(part.text); });
        out.append(" | ");
    }
    return out;
}

}  // namespace toy
