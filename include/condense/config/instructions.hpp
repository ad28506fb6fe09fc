// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/message.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/posix_file.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>

// Instruction files of the user, the project and the working folder as one system message, which no
// layer edits: condense::instructions::load({.global = path, .working = "."}).push_to(session).

namespace condense {
inline namespace v1 {

enum class instruction_level : std::uint8_t { global, project, working };

/// Where to look for instructions. Name, limit and marks of a project are those of the preset `coding_agent`.
struct instruction_options {
    std::string global = {};      ///< the user's own file; none if empty
    std::string project = {};     ///< where the search for the project's root begins; `working` if empty
    std::string working = ".";    ///< the folder whose file is the most specific one
    std::string name = "AGENTS.md";
    bytes limit = {32 * 1024};    ///< of the whole text
    /// The root is the nearest folder that holds something of one of these names.
    std::vector<std::string> marks = {".git",         ".hg",        ".svn",           ".jj",    "go.mod",
                                      "package.json", "Cargo.toml", "pyproject.toml", "pom.xml"};
};

/// A file that was read.
struct instruction_source {
    instruction_level level = instruction_level::global;
    std::string path = {};  ///< as it can be opened; in the text it is printable
    bytes read = {};  ///< of the file, no more than the limit and one
    bytes used = {};  ///< of the text
    bool cut = false;

    friend bool operator==(instruction_source const&, instruction_source const&) = default;
};

enum class instruction_fault : std::uint8_t {
    bad_name,     ///< no name of a file in a folder
    no_folder,    ///< the working folder, or the one to start from, cannot be found
    not_regular,  ///< a folder, a pipe, a device, or a link to one
    unreadable,   ///< there, and cannot be read
    outside       ///< a link out of the project, or into /proc or /sys; it is not read
};

/// A file or folder that exists or was asked for, and could not be used.
struct instruction_error {
    instruction_level level = instruction_level::global;
    instruction_fault fault = instruction_fault::unreadable;
    std::string path = {};    ///< printable
    std::string reason = {};  ///< of the system: "open: Permission denied"

    std::string text() const {
        auto out = "condense: instructions: " + path + " must be ";
        if (fault == instruction_fault::bad_name) out += "a file name without folders";
        else if (fault == instruction_fault::no_folder) out += "a folder that can be found";
        else if (fault == instruction_fault::not_regular) out += "a regular file";
        else if (fault == instruction_fault::outside) out += "a file of the project, no link out of it";
        else out += "readable";
        if (!reason.empty()) out += ", not " + reason;
        return out + " (see instructions)";
    }
    friend bool operator==(instruction_error const&, instruction_error const&) = default;
};

enum class instructions_pushed : std::uint8_t {
    yes,
    unchanged,  ///< the newest instructions in the history are these
    empty,      ///< there is no text
    unwritable  ///< the message type does not make a system message of this text; nothing was pushed
};

namespace detail {

/// The heading of each source, by which instructions in a history are recognised.
inline constexpr std::string_view instruction_heading = "[Instructions from ";

struct instruction_file {
    instruction_source about;
    std::string content;
    std::string heading;
    dev_t device = {};
    ino_t number = {};
};

/// Appends at most `size_limit` bytes of the file; needs no memory for more.
inline int read_front(posix::descriptor const& file, std::uint64_t size_limit, std::string& into) {
    std::string room;
    while (into.size() < size_limit) {
        room.resize(as_size(size_limit - into.size() < 65'536 ? size_limit - into.size() : 65'536));
        auto const [bytes, error] = posix::read_at(file, room, into.size());
        if (error != 0) return error;
        into.append(bytes);
        if (bytes.size() < room.size()) return 0;
    }
    return 0;
}

/// The nearest folder from `from` upward, which is absolute and without links, that holds a mark; else "".
inline std::string project_root(std::string from, std::vector<std::string> const& marks) {
    constexpr int most_levels = 64;
    for (int level = 0; level < most_levels && !from.empty(); ++level) {
        auto const folder = from == "/" ? from : from + "/";
        for (auto const& mark : marks) {
            struct stat mark_status = {};
            if (mark.empty() || mark.find('\0') != std::string::npos) continue;
            if (posix::error_of([&] { return ::lstat((folder + mark).c_str(), &mark_status); }) == 0) return from;
        }
        if (from == "/") break;
        auto const above = from.find_last_of('/');
        from.resize(above == 0 ? 1 : above);
    }
    return {};
}

/// The path without links; "" if it leads nowhere, with the cause in errno.
inline std::string resolved_path(std::string const& path) {
    auto* const resolved = ::realpath(path.c_str(), nullptr);
    std::string out{resolved != nullptr ? resolved : ""};
    std::free(resolved);
    return out;
}

/// Both are absolute and without links.
inline bool is_beneath(std::string_view path, std::string_view folder) noexcept {
    if (folder == "/") return path.starts_with('/');
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace detail

/// The text of all instruction files that exist, each once: the user's, the project's, the working folder's. If the
/// limit is too small for all, the nearest file, which is the most specific, gets its space first; of the others the
/// beginning stays, with a mark where text was cut.
///
/// Files of the project may be hostile: its file and the working folder's are read only if they are, links resolved,
/// beneath the project's root (the working folder if there is none), and never from /proc or /sys. The user's own file
/// may be a link to anywhere.
struct instructions {
    std::string text = {};  ///< valid UTF-8, at most the limit
    std::vector<instruction_source> sources = {};
    bool truncated = false;
    std::vector<instruction_error> errors = {};  ///< a file that does not exist is no error

    /// Reads no more of a file than the limit and one byte, waits for no pipe and opens no device. Costs one lstat for
    /// each mark in each folder upward, at most 64 folders. Throws only if memory runs out.
    static instructions load(instruction_options const& options) {
        instructions out;
        std::vector<detail::instruction_file> files;
        auto const& name = options.name;
        bool const sound =
            !name.empty() && name != "." && name != ".." && name.find('/') == name.npos && name.find('\0') == name.npos;
        if (!options.global.empty()) out.read(files, instruction_level::global, options.global, options.limit, {});
        if (!sound) out.refuse(instruction_level::working, instruction_fault::bad_name, name, 0, {});
        else {
            auto const here = out.resolved(instruction_level::working, options.working);
            auto const start =
                options.project.empty() ? here : out.resolved(instruction_level::project, options.project);
            auto const root = detail::project_root(start, options.marks);
            if (!root.empty()) out.read(files, instruction_level::project, in(root, name), options.limit, root);
            bool const inside = !root.empty() && detail::is_beneath(here, root);
            if (!here.empty())
                out.read(files, instruction_level::working, in(here, name), options.limit, inside ? root : here);
        }
        out.merge(files, options.limit.count);
        for (auto& file : files) {
            out.truncated = out.truncated || file.about.cut;
            out.sources.push_back(std::move(file.about));
        }
        return out;
    }

    /// Pushes the text as one system message, unless the newest instructions in the history are the same, byte for
    /// byte. System messages stay at any pressure, so older instructions stay, too: nothing rewrites a message. `into`:
    /// a session, or any type with push and history; not from within a run.
    template <class Session>
    instructions_pushed push_to(Session& into) const {
        using message_type = std::remove_cvref_t<decltype(*std::begin(into.history()))>;
        static_assert(composable<message_type>,
                      "condense: instructions.push_to: the messages must be composable: give message_traits make (see "
                      "composable)");
        if (text.empty()) return instructions_pushed::empty;
        auto const* newest = static_cast<message_type const*>(nullptr);
        for (auto const& m : into.history())
            if (are_instructions(m)) newest = std::addressof(m);
        if (newest != nullptr && holds(*newest)) return instructions_pushed::unchanged;
        auto message = detail::make_fn::make<message_type>(role::system, text);
        if (!holds(message)) return instructions_pushed::unwritable;
        into.push(std::move(message));
        return instructions_pushed::yes;
    }

    friend bool operator==(instructions const&, instructions const&) = default;

private:
    static std::string in(std::string const& folder, std::string const& name) {
        return folder.ends_with('/') ? folder + name : folder + "/" + name;
    }

    template <message Message>
    static bool are_instructions(Message const& m) {
        bool holds_heading = false;
        if (role_of(m) == role::system)
            each_part(m, [&](part_view const& part) {
                holds_heading = holds_heading || part.text.starts_with(detail::instruction_heading);
            });
        return holds_heading;
    }
    /// True for a system message with this text and nothing else.
    template <message Message>
    bool holds(Message const& m) const {
        std::size_t same = 0;
        std::size_t parts = 0;
        each_part(m, [&](part_view const& part) {
            ++parts;
            same += part.kind == part_kind::text && part.text == text ? 1u : 0u;
        });
        return role_of(m) == role::system && same == 1 && parts == 1;
    }

    void refuse(instruction_level level, instruction_fault fault, std::string_view path, int error,
                std::string_view call) {
        errors.push_back(
            {level, fault, detail::printable(path, 1'000),
             error == 0 ? std::string{} : std::string{std::string_view{detail::posix::fault(call, error)}}});
    }

    /// The folder without links; "" with an error noted.
    std::string resolved(instruction_level level, std::string const& folder) {
        bool const sound = !folder.empty() && folder.find('\0') == std::string::npos;
        auto out = sound ? detail::resolved_path(folder) : std::string{};
        auto error = !out.empty() ? 0 : sound ? errno : EINVAL;
        struct stat status = {};
        if (error == 0) error = detail::posix::error_of([&] { return ::stat(out.c_str(), &status); });
        if (error == 0 && !S_ISDIR(status.st_mode)) error = ENOTDIR;
        if (error == 0) return out;
        refuse(level, instruction_fault::no_folder, folder, error, "realpath");
        return {};
    }

    /// `root`: the folder in which the file must be, links resolved; empty for anywhere.
    void read(std::vector<detail::instruction_file>& files, instruction_level level, std::string const& path,
              bytes limit, std::string const& root) {
        using detail::posix::error_of;
        struct stat status = {};
        if (path.find('\0') != std::string::npos)
            return refuse(level, instruction_fault::unreadable, path, EINVAL, "open");
        if (auto const error = error_of([&] { return ::lstat(path.c_str(), &status); })) {
            if (error != ENOENT && error != ENOTDIR) refuse(level, instruction_fault::unreadable, path, error, "stat");
            return;
        }
        // A link may lead to a regular file. What is none is not opened, as opening may wait or do something.
        if (auto const error = error_of([&] { return ::stat(path.c_str(), &status); }))
            return refuse(level, instruction_fault::unreadable, path, error, "stat");
        if (!S_ISREG(status.st_mode)) return refuse(level, instruction_fault::not_regular, path, 0, {});
        // Opens the path that was checked, without links; no part of it may have become a link since.
        auto const resolved = root.empty() ? path : detail::resolved_path(path);
        bool const inside =
            root.empty() || (detail::is_beneath(resolved, root) && !detail::is_beneath(resolved, "/proc") &&
                             !detail::is_beneath(resolved, "/sys"));
        int const follow = root.empty() ? 0 : O_NOFOLLOW;
        if (!inside) return refuse(level, instruction_fault::outside, path, 0, {});
        detail::posix::opened const opened{detail::posix::uninterrupted(
            [&] { return ::open(resolved.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | follow); })};
        if (!root.empty() && detail::resolved_path(path) != resolved)
            return refuse(level, instruction_fault::outside, path, 0, {});
        if (opened.error != 0) return refuse(level, instruction_fault::unreadable, path, opened.error, "open");
        status = detail::posix::about(opened.file);
        if (!S_ISREG(status.st_mode)) return refuse(level, instruction_fault::not_regular, path, 0, {});
        for (auto const& file : files)
            if (file.device == status.st_dev && file.number == status.st_ino) return;
        detail::instruction_file file;
        file.about.level = level;
        file.about.path = path;
        file.device = status.st_dev;
        file.number = status.st_ino;
        if (auto const error = detail::read_front(opened.file, detail::add_capped(limit.count, 1), file.content))
            return refuse(level, instruction_fault::unreadable, path, error, "read");
        file.about.read = {file.content.size()};
        if (file.content.starts_with("\xEF\xBB\xBF")) file.content.erase(0, 3);
        file.content = detail::utf8::scrubbed(std::move(file.content));
        if (!file.content.empty() && file.content.back() != '\n') file.content += '\n';
        file.heading = std::string{detail::instruction_heading}.append(detail::printable(path, 1'000)).append("]\n");
        files.push_back(std::move(file));
    }

    /// Reserves space for headings and marks of cuts, then shares the rest among the contents, the nearest first.
    void merge(std::vector<detail::instruction_file>& files, std::uint64_t limit) {
        auto const mark =
            "[... the rest of this file is left out: the limit is " + detail::grouped(limit) + " bytes ...]\n";
        std::uint64_t total_size = 0;
        for (auto const& file : files)
            if (!file.content.empty())
                total_size += file.heading.size() + file.content.size() + (total_size != 0 ? 1u : 0u);
        auto room = limit;
        std::vector<std::uint64_t> content_sizes(
            files.size(),
            detail::u64_limit);  // of the content; that limit: no room for the heading
        if (total_size <= limit)
            for (std::size_t at = 0; at < files.size(); ++at) content_sizes[at] = files[at].content.size();
        else {
            auto const needed = [&](std::size_t at) { return files[at].heading.size() + mark.size() + 2; };
            for (auto at = files.size(); at-- > 0;) {
                if (files[at].content.empty() || needed(at) > room) continue;
                room -= needed(at);
                content_sizes[at] = 0;
            }
            for (auto at = files.size(); at-- > 0;) {
                if (content_sizes[at] != 0) continue;
                auto const& content = files[at].content;
                content_sizes[at] = content.size() <= room + mark.size()
                                        ? content.size()
                                        : detail::utf8::floor(content, detail::as_size(room));
                room = content_sizes[at] == content.size() ? room + mark.size() - content.size()
                                                           : room - content_sizes[at];
            }
        }
        for (std::size_t at = 0; at < files.size(); ++at) {
            auto& [about, content, heading, device, number] = files[at];
            about.cut = !content.empty() && content_sizes[at] != content.size();
            if (content.empty() || content_sizes[at] == detail::u64_limit) continue;
            about.used = {content_sizes[at]};
            if (!text.empty()) text += '\n';
            text.append(heading).append(content, 0, detail::as_size(content_sizes[at]));
            if (!about.cut) continue;
            if (text.back() != '\n') text += '\n';
            text += mark;
        }
    }
};

}  // namespace v1
}  // namespace condense
