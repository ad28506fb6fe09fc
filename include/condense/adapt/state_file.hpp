// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <condense/adapt/json_state.hpp>
#include <condense/detail/posix_publish.hpp>

// A session saved in a file, which is the old or the new one if the process or the power fails:
// condense::save_file(session, "agent.state"), then condense::restore_file(session, "agent.state"). POSIX.

namespace condense {
inline namespace v1 {
namespace detail {

/// The error of a failed system call.
inline state_error file_fault(std::string_view verb, std::string_view call, int error) noexcept {
    state_error result{.fault = state_fault::file, .reason = std::string_view{"condense: "}};
    result.reason += verb;
    result.reason += ": the file must be there and open to its owner: ";
    result.reason += std::string_view{posix::fault(call, error)};
    result.reason += " (see session_state)";
    return result;
}

/// A path as folder and file name.
struct state_path {
    std::string folder;
    std::string name;

    explicit state_path(std::string_view path) {
        auto const begin = path.find_last_of('/') + 1;  // npos + 1 is 0
        folder = begin == 0 ? "." : std::string{path.substr(0, begin)};
        name = path.substr(begin);
    }
    /// False for a name that is no name of a file in a folder.
    bool is_valid() const noexcept {
        return !name.empty() && name != "." && name != ".." && name.find('\0') == name.npos;
    }
};

}  // namespace detail

/// Replaces the file or leaves it unchanged: writes a temporary file, syncs it, renames it. Readable by its owner
/// alone; creates missing folders. A link of that name is replaced, not followed.
template <savable Session>
state_error save_file(Session& session, std::string_view path) {
    auto const saved = save(session);
    if (!saved) return saved.error;
    namespace posix = detail::posix;
    detail::state_path const location{path};
    auto const fault = [](std::string_view call, int error) { return detail::file_fault("save_file", call, error); };
    if (!location.is_valid()) return fault("open", EINVAL);
    auto const folder = posix::open_folder(location.folder, true);
    if (folder.error != 0) return fault("open", folder.error);
    posix::temporary temporary{folder.file};
    if (temporary.error() != 0) return fault("create", temporary.error());
    if (auto const error = posix::write_all(temporary.file(), saved.text)) return fault("write", error);
    if (auto const error = posix::sync(temporary.file())) return fault("fsync", error);
    if (auto const error = temporary.replace(location.name)) return fault("rename", error);
    // The new name is durable only with its folder; the old file is gone already.
    if (auto const error = posix::sync(folder.file)) return fault("fsync", error);
    return {};
}

/// Restores the session from the file, which stays unchanged. Removes temporary files that killed processes left beside
/// it. Follows no link. A file above `size_limit` is refused before it is read.
template <savable Session>
state_error restore_file(Session& session, std::string_view path, bytes size_limit = {std::uint64_t{1} << 30}) {
    namespace posix = detail::posix;
    detail::state_path const location{path};
    auto const fault = [](std::string_view call, int error) { return detail::file_fault("restore_file", call, error); };
    if (!location.is_valid()) return fault("open", EINVAL);
    auto const folder = posix::open_folder(location.folder, false);
    if (folder.error != 0) return fault("open", folder.error);
    posix::clear_away(folder.file);
    auto const opened = posix::open_file(folder.file, location.name, O_RDONLY);
    if (opened.error != 0) return fault("open", opened.error);
    auto const size = posix::about(opened.file).st_size;
    if (size < 0 || static_cast<std::uint64_t>(size) > size_limit.count)
        return detail::unrestorable(state_fault::too_large, "the file", "be no larger than the limit");
    std::string text(static_cast<std::size_t>(size), '\0');
    auto const read = posix::read_at(opened.file, text, 0);
    if (read.error != 0) return fault("read", read.error);
    return restore(session, read.bytes, size_limit);
}

}  // namespace v1
}  // namespace condense
