// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <cstdint>
#include <string_view>

#include <condense/adapt/json_state.hpp>
#include <condense/detail/posix_publish.hpp>

// A session saved in a file, which is the old or the new one if the process or the power fails:
// condense::save_file(session, "agent.state"), then condense::restore_file(session, "agent.state"). POSIX.

namespace condense {
inline namespace v1 {
/// Where the file of a session may be.
struct state_file_options {
    bool allow_open_folder = false;  ///< also in a folder in which everybody may replace the files of others
};

namespace detail {

/// The error of a failed system call, with what has to be otherwise.
inline state_error file_fault(std::string_view verb, posix::failure problem) noexcept {
    auto const rule = posix::rule_of(problem.error);
    state_error result{.fault = state_fault::file, .reason = std::string_view{"condense: "}};
    result.reason += verb;
    result.reason += ": ";
    result.reason += rule.empty() ? std::string_view{"the file must be there and open to its owner"} : rule;
    result.reason += ": ";
    result.reason += std::string_view{posix::words_of(problem.call, problem.error)};
    result.reason += " (see session_state)";
    return result;
}
inline posix::folder_rule rule_of(state_file_options options) noexcept {
    return posix::rule_unless(options.allow_open_folder, posix::folder_rule::shared);
}

}  // namespace detail

/// Replaces the file or leaves it unchanged: writes a temporary file, syncs it, renames it. Readable by its owner
/// alone; creates missing folders. A link of that name, also a hard one, is replaced, not followed.
template <savable Session>
state_error save_file(Session& session, std::string_view path, state_file_options options = {}) {
    auto const saved = save(session);
    if (!saved) return saved.error;
    auto const problem = detail::posix::replace_file(path, saved.text, detail::rule_of(options));
    return problem.error == 0 ? state_error{} : detail::file_fault("save_file", problem);
}

/// Restores the session from the file, which stays unchanged. Removes temporary files that killed processes left beside
/// it. Follows no link. A file above `size_limit` is refused before it is read.
template <savable Session>
state_error restore_file(Session& session, std::string_view path, bytes size_limit = {std::uint64_t{1} << 30},
                         state_file_options options = {}) {
    auto const file = detail::posix::read_file(path, size_limit.count, detail::rule_of(options));
    if (file.problem.error == EFBIG)
        return detail::unrestorable(state_fault::too_large, "the file", "be no larger than the limit");
    if (file.problem.error != 0) return detail::file_fault("restore_file", file.problem);
    return restore(session, file.text, size_limit);
}

}  // namespace v1
}  // namespace condense
