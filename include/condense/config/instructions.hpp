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

/// Whose instructions a file has, from the most general to the most specific.
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
    bool cut = false;  ///< the end of the file is left out

    friend bool operator==(instruction_source const&, instruction_source const&) = default;
};

/// Why a file or folder could not be used.
enum class instruction_fault : std::uint8_t {
    bad_name,     ///< the name is no name of a file in a folder
    no_folder,    ///< the working folder, or the one to start from, cannot be resolved
    not_regular,  ///< a folder, a pipe, a device, or a link to one
    unreadable,   ///< the file exists and cannot be read
    outside       ///< a link out of the project, or into /proc or /sys, which is not read
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

/// What push_to did.
enum class instructions_pushed : std::uint8_t {
    yes,
    unchanged,  ///< the newest instructions in the history are these
    empty,      ///< there is no text
    unwritable  ///< the message type does not make a system message of this text; nothing was pushed
};

namespace detail {

/// The heading of each source, by which instructions in a history are recognised.
inline constexpr std::string_view instruction_heading = "[Instructions from ";

/// A file that was read, and its identity, by which a second path to it is recognised.
struct instruction_file {
    instruction_source about;
    std::string content;
    std::string heading;
    dev_t device = {};
    ino_t number = {};
};

/// Appends the first `size_limit` bytes of the file, or all; needs no memory for more. Returns an errno.
inline int read_front(posix::descriptor const& file, std::uint64_t size_limit, std::string& out) {
    std::string buffer;
    while (out.size() < size_limit) {
        buffer.resize(as_size(size_limit - out.size() < 65'536 ? size_limit - out.size() : 65'536));
        auto const [bytes, error] = posix::read_at(file, buffer, out.size());
        if (error != 0) return error;
        out.append(bytes);
        if (bytes.size() < buffer.size()) return 0;
    }
    return 0;
}

/// The nearest folder, from `folder` upward, that holds a mark; else "". `folder` is absolute and without links.
inline std::string project_root(std::string folder, std::vector<std::string> const& marks) {
    // More than any project needs; bounds the cost for a hostile path.
    constexpr int level_limit = 64;
    for (int level = 0; level < level_limit && !folder.empty(); ++level) {
        auto const prefix = folder == "/" ? folder : folder + "/";
        for (auto const& mark : marks) {
            struct stat mark_status = {};
            if (mark.empty() || mark.find('\0') != std::string::npos) continue;
            if (posix::error_of([&] { return ::lstat((prefix + mark).c_str(), &mark_status); }) == 0) return folder;
        }
        if (folder == "/") break;
        auto const slash = folder.find_last_of('/');
        folder.resize(slash == 0 ? 1 : slash);
    }
    return {};
}

/// The path without links; "" if it leads nowhere, with the cause in errno.
inline std::string resolved_path(std::string const& path) {
    auto* const resolved = ::realpath(path.c_str(), nullptr);
    std::string result{resolved != nullptr ? resolved : ""};
    std::free(resolved);
    return result;
}

/// True if the path is the folder or in it; both are absolute and without links.
inline bool is_beneath(std::string_view path, std::string_view folder) noexcept {
    if (folder == "/") return path.starts_with('/');
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace detail

/// The text of all instruction files that exist, each once: the user's, the project's, the working folder's. If the
/// limit is too small for all, the most specific file gets its space first; of the others the beginning stays, with a
/// mark where text was cut.
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
        instructions result;
        std::vector<detail::instruction_file> files;
        auto const& name = options.name;
        bool const is_file_name =
            !name.empty() && name != "." && name != ".." && name.find('/') == name.npos && name.find('\0') == name.npos;
        if (!options.global.empty()) result.read(files, instruction_level::global, options.global, options.limit, {});
        if (!is_file_name) result.refuse(instruction_level::working, instruction_fault::bad_name, name, 0, {});
        else {
            auto const working = result.resolved(instruction_level::working, options.working);
            auto const start =
                options.project.empty() ? working : result.resolved(instruction_level::project, options.project);
            auto const root = detail::project_root(start, options.marks);
            if (!root.empty()) result.read(files, instruction_level::project, in(root, name), options.limit, root);
            bool const inside = !root.empty() && detail::is_beneath(working, root);
            if (!working.empty())
                result.read(files, instruction_level::working, in(working, name), options.limit,
                            inside ? root : working);
        }
        result.merge(files, options.limit.count);
        for (auto& file : files) {
            result.truncated = result.truncated || file.about.cut;
            result.sources.push_back(std::move(file.about));
        }
        return result;
    }

    /// Pushes the text as one system message, unless the newest instructions in the history are the same, byte for
    /// byte. System messages stay at any pressure, so older instructions stay, too: nothing rewrites a message.
    /// `session`: a session, or any type with push and history; not from within a run.
    template <class Session>
    instructions_pushed push_to(Session& session) const {
        using message_type = std::remove_cvref_t<decltype(*std::begin(session.history()))>;
        static_assert(composable<message_type>,
                      "condense: instructions.push_to: the messages must be composable: give message_traits make (see "
                      "composable)");
        if (text.empty()) return instructions_pushed::empty;
        auto const* newest = static_cast<message_type const*>(nullptr);
        for (auto const& m : session.history())
            if (are_instructions(m)) newest = std::addressof(m);
        if (newest != nullptr && holds(*newest)) return instructions_pushed::unchanged;
        auto message = detail::make_fn::make<message_type>(role::system, text);
        if (!holds(message)) return instructions_pushed::unwritable;
        session.push(std::move(message));
        return instructions_pushed::yes;
    }

    friend bool operator==(instructions const&, instructions const&) = default;

private:
    /// The path of a file in a folder.
    static std::string in(std::string const& folder, std::string const& name) {
        return folder.ends_with('/') ? folder + name : folder + "/" + name;
    }

    /// True for a system message with the heading of a source: instructions that some session has pushed.
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
        std::size_t matches = 0;
        std::size_t part_count = 0;
        each_part(m, [&](part_view const& part) {
            ++part_count;
            matches += part.kind == part_kind::text && part.text == text ? 1u : 0u;
        });
        return role_of(m) == role::system && matches == 1 && part_count == 1;
    }

    /// Adds an error; `error` is the errno of `call`, or 0.
    void refuse(instruction_level level, instruction_fault fault, std::string_view path, int error,
                std::string_view call) {
        errors.push_back(
            {level, fault, detail::printable(path, 1'000),
             error == 0 ? std::string{} : std::string{std::string_view{detail::posix::fault(call, error)}}});
    }

    /// The path of a folder without links; "" after adding an error.
    std::string resolved(instruction_level level, std::string const& folder) {
        bool const is_path = !folder.empty() && folder.find('\0') == std::string::npos;
        auto path = is_path ? detail::resolved_path(folder) : std::string{};
        auto error = !path.empty() ? 0 : is_path ? errno : EINVAL;
        struct stat status = {};
        if (error == 0) error = detail::posix::error_of([&] { return ::stat(path.c_str(), &status); });
        if (error == 0 && !S_ISDIR(status.st_mode)) error = ENOTDIR;
        if (error == 0) return path;
        refuse(level, instruction_fault::no_folder, folder, error, "realpath");
        return {};
    }

    /// Reads one file, if it exists and was not read before. `root`: the folder in which it must be, links resolved;
    /// empty for anywhere.
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
        auto remaining = limit;
        // Bytes of each content in the text; u64_limit: there is no space for the heading.
        std::vector<std::uint64_t> content_sizes(files.size(), detail::u64_limit);
        if (total_size <= limit)
            for (std::size_t index = 0; index < files.size(); ++index)
                content_sizes[index] = files[index].content.size();
        else {
            auto const needed = [&](std::size_t index) { return files[index].heading.size() + mark.size() + 2; };
            for (auto index = files.size(); index-- > 0;) {
                if (files[index].content.empty() || needed(index) > remaining) continue;
                remaining -= needed(index);
                content_sizes[index] = 0;
            }
            for (auto index = files.size(); index-- > 0;) {
                if (content_sizes[index] != 0) continue;
                auto const& content = files[index].content;
                content_sizes[index] = content.size() <= remaining + mark.size()
                                           ? content.size()
                                           : detail::utf8::floor(content, detail::as_size(remaining));
                remaining = content_sizes[index] == content.size() ? remaining + mark.size() - content.size()
                                                                   : remaining - content_sizes[index];
            }
        }
        for (std::size_t index = 0; index < files.size(); ++index) {
            // From here on in the order of the text: the most general file first.
            auto& [about, content, heading, device, number] = files[index];
            about.cut = !content.empty() && content_sizes[index] != content.size();
            if (content.empty() || content_sizes[index] == detail::u64_limit) continue;
            about.used = {content_sizes[index]};
            if (!text.empty()) text += '\n';
            text.append(heading).append(content, 0, detail::as_size(content_sizes[index]));
            if (!about.cut) continue;
            if (text.back() != '\n') text += '\n';
            text += mark;
        }
    }
};

}  // namespace v1
}  // namespace condense
