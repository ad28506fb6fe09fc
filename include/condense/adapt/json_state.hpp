// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <condense/adapt/json_parse.hpp>
#include <condense/adapt/json_state_members.hpp>
#include <condense/detail/fnv.hpp>
#include <condense/session/state.hpp>

// A session as one line of JSON: `auto const saved = condense::save(session);`, and in a later process
// `if (auto const problem = condense::restore(session, saved.text)) log(problem.reason);`

namespace condense {
inline namespace v1 {

/// A type whose state can be saved: a session.
template <class Session>
concept savable = requires(Session& session, session_state state) {
    { session.state() } -> std::same_as<taken_state>;
    { session.adopt(std::move(state)) } -> std::same_as<state_error>;
};

/// The text, or an error.
struct [[nodiscard]] saved_text {
    std::string text = {};
    state_error error = {};
    explicit operator bool() const noexcept { return !error; }
};

namespace detail {

/// FNV-1a, 64 bits, in hexadecimal: detects text that was torn or changed by accident. No signature: whoever wants to
/// forge a state can compute it.
inline std::string check_of(std::string_view text) {
    auto const state = fnv1a(text);
    std::string result;
    for (int shift = 60; shift >= 0; shift -= 4) result.push_back("0123456789abcdef"[state >> shift & 15u]);
    return result;
}

/// How the check begins at the end of a saved text.
inline constexpr std::string_view check_member = ",\"check\":\"";
inline constexpr std::size_t check_size = check_member.size() + 16 + 2;  ///< and `"}`

/// Counts the members in a valid JSON text, duplicates included: a tree would keep only one of them.
constexpr std::size_t count_members(std::string_view text) noexcept {
    std::size_t count = 0;
    bool quoted = false;
    for (std::size_t index = 0; index < text.size(); ++index) {
        if (text[index] == '"') quoted = !quoted;
        else if (quoted) index += text[index] == '\\' ? 1u : 0u;
        else count += text[index] == ':' ? 1u : 0u;
    }
    return count;
}

}  // namespace detail

/// A state as one line of JSON, which ends in a check of everything before it.
inline std::string state_text(session_state state) {
    std::string out = "{";
    detail::state_writer write{out, state.version};
    each_member(write, state);
    auto const check = detail::check_of(out);
    return out.append(detail::check_member).append(check).append("\"}");
}

/// Reads a state into `out`, which stays unchanged on errors. Accepts what state_text writes or wrote in an earlier
/// version, whose missing members get their defaults, and a line break at the end. Text may be hostile: whatever it is,
/// reading costs time and memory linear in it.
inline state_error read_state(std::string_view text, session_state& out, bytes size_limit = {std::uint64_t{1} << 30}) {
    auto const damaged = [](std::string_view what, std::string_view rule) {
        return detail::unrestorable(state_fault::damaged, what, rule);
    };
    if (text.size() > size_limit.count)
        return detail::unrestorable(state_fault::too_large, "the text", "be no longer than the limit");
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (text.size() < detail::check_size) return damaged("the text", "be whole");
    auto const content = text.substr(0, text.size() - detail::check_size);
    if (text.substr(content.size()) !=
        std::string{detail::check_member}.append(detail::check_of(content)).append("\"}"))
        return damaged("the text", "be as it was saved");
    auto parsed = parse_json<nlohmann::ordered_json>(text);
    if (!parsed || !parsed.value.is_object())
        return damaged("the text", "be one JSON object, not nested deeper than 128");
    auto const version = parsed.value.find("condense_state");
    if (version == parsed.value.end() || !version->is_number_unsigned()) return damaged("the text", "name its version");
    auto const version_number = version->template get<std::uint64_t>();
    if (version_number > session_state::latest)
        return detail::unrestorable(state_fault::newer, "the version", "be one that this library knows");
    if (version_number == 0) return detail::impossible("the version", "be above 0");
    session_state state;
    detail::state_reader reader{parsed.value, version_number};
    each_member(reader, state);
    reader.note_member();  // the check
    if (!reader.bad_member().empty())
        return damaged(std::string{"the member "}.append(reader.bad_member()),
                       "be there, of its type and in its range");
    if (!reader.complete() || reader.members() != detail::count_members(text))
        return damaged("the members", "be those that save writes, once each");
    out = std::move(state);
    return {};
}

/// The whole session as text; the session stays usable. Costs a copy of its state, and the text.
template <savable Session>
saved_text save(Session& session) {
    auto snapshot = session.state();
    if (!snapshot) return {.error = snapshot.error};
    return {.text = state_text(std::move(snapshot.state))};
}

/// Restores a session that was constructed with an empty container and the same pipeline, estimator and options. The
/// text may be hostile; if it is refused, the session stays unchanged.
template <savable Session>
state_error restore(Session& session, std::string_view text, bytes size_limit = {std::uint64_t{1} << 30}) {
    session_state state;
    if (auto const problem = read_state(text, state, size_limit)) return problem;
    return session.adopt(std::move(state));
}
/// The same with the result of `save`; returns its error if it has one: restore(session, save(other)).
template <savable Session>
state_error restore(Session& session, saved_text const& saved, bytes size_limit = {std::uint64_t{1} << 30}) {
    return saved ? restore(session, std::string_view{saved.text}, size_limit) : saved.error;
}

}  // namespace v1
}  // namespace condense
