// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <condense/adapt/json_state.hpp>
#include <condense/detail/posix_publish.hpp>

// A session as a file that is the old one or the new one, whenever the process or the power fails:
// condense::save_file(session, "agent.state"), then condense::restore_file(session, "agent.state"). POSIX.

namespace condense {
inline namespace v1 {
namespace detail {

inline state_error file_fault(std::string_view verb, std::string_view call, int error) noexcept {
    state_error made{.fault = state_fault::file, .reason = std::string_view{"condense: "}};
    made.reason += verb;
    made.reason += ": the file must be there and open to its owner: ";
    made.reason += std::string_view{posix::fault(call, error)};
    made.reason += " (see session_state)";
    return made;
}

/// Where a file lies, and how it is called there.
struct state_path {
    std::string folder;
    std::string name;

    explicit state_path(std::string_view path) {
        auto const begin = path.find_last_of('/') + 1;  // npos + 1 is 0
        folder = begin == 0 ? "." : std::string{path.substr(0, begin)};
        name = path.substr(begin);
    }
    bool names_a_file() const noexcept {
        return !name.empty() && name != "." && name != ".." && name.find('\0') == name.npos;
    }
};

}  // namespace detail

/// Replaces the file, or leaves it as it was: written beside it, synchronised, renamed. For its owner alone;
/// folders that are missing are made. What a link at that name refers to is left alone.
template <savable Session>
state_error save_file(Session& session, std::string_view path) {
    auto const kept = save(session);
    if (!kept) return kept.error;
    namespace posix = detail::posix;
    detail::state_path const at{path};
    auto const fault = [](std::string_view call, int error) { return detail::file_fault("save_file", call, error); };
    if (!at.names_a_file()) return fault("open", EINVAL);
    auto const folder = posix::open_folder(at.folder, true);
    if (folder.error != 0) return fault("open", folder.error);
    posix::temporary made{folder.file};
    if (made.error() != 0) return fault("create", made.error());
    if (auto const error = posix::write_all(made.file(), kept.text)) return fault("write", error);
    if (auto const error = posix::sync(made.file())) return fault("fsync", error);
    if (auto const error = made.replace(at.name)) return fault("rename", error);
    if (auto const error = posix::sync(folder.file)) return fault("fsync", error);
    return {};
}

/// Reads the file and restores the session from it; the file stays as it is. Removes what writers that were
/// killed have left beside it. Follows no link.
template <savable Session>
state_error restore_file(Session& session, std::string_view path, bytes most = {std::uint64_t{1} << 30}) {
    namespace posix = detail::posix;
    detail::state_path const at{path};
    auto const fault = [](std::string_view call, int error) { return detail::file_fault("restore_file", call, error); };
    if (!at.names_a_file()) return fault("open", EINVAL);
    auto const folder = posix::open_folder(at.folder, false);
    if (folder.error != 0) return fault("open", folder.error);
    posix::clear_away(folder.file);
    auto const found = posix::open_file(folder.file, at.name, O_RDONLY);
    if (found.error != 0) return fault("open", found.error);
    auto const size = posix::about(found.file).st_size;
    if (size < 0 || static_cast<std::uint64_t>(size) > most.count)
        return detail::unrestorable(state_fault::too_large, "the file", "be no larger than the limit");
    std::string text(static_cast<std::size_t>(size), '\0');
    auto const read = posix::read_at(found.file, text, 0);
    if (read.error != 0) return fault("read", read.error);
    return restore(session, read.bytes, most);
}

}  // namespace v1
}  // namespace condense
