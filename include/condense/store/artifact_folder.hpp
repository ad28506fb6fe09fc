// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/store.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/posix_publish.hpp>
#include <condense/store/artifact_source.hpp>
#include <condense/store/content_hash.hpp>

// Artifacts as files of one folder, which survive the process and a power failure:
// offload{.into = condense::artifact_folder{"artifacts"}}. POSIX.

namespace condense {
inline namespace v1 {

/// Which folders an artifact_folder uses.
struct artifact_folder_options {
    /// Also an existing folder that is reached by a link, belongs to another user, or to which others may write.
    bool allow_open_folder = false;
};

/// A handle: copies share the folder, any thread and any number of processes may use it. The folder is
/// created on first use, readable by its owner alone; an existing one must be as the options say. Same content, same
/// name; different content never overwrites. Hash: a callable from content and attempt to reference.
template <class Hash = content_hash>
class basic_artifact_folder {
public:
    static constexpr bool durable = true;
    /// The largest artifact, 1 GiB.
    static constexpr std::size_t most_bytes = std::size_t{1} << 30;

    explicit basic_artifact_folder(std::string path, Hash hash = {})
        : basic_artifact_folder{std::move(path), artifact_folder_options{}, std::move(hash)} {}
    basic_artifact_folder(std::string path, artifact_folder_options options, Hash hash = {})
        : shared_{std::make_shared<state>(std::move(path), options)}, hash_{std::move(hash)} {}

    /// The name under which this content is or would be stored. Costs an open, and a read if it is stored.
    reference name(std::string_view content) const {
        auto const folder = shared_->folder.use(false).directory;
        auto name = hash_(content, 0);
        for (std::uint64_t attempt = 1; folder && attempt < attempts; ++attempt) {
            auto const existing = compare_file(*folder, name.text(), content);
            if (existing.same || !is_taken(existing.error)) break;
            name = hash_(content, attempt);
        }
        return name;
    }

    /// Durable once it returns no error; costs two fsyncs. Errors: those of the system, other content under the name,
    /// a name that does not match the content, too large. After a failed fsync every later `put` fails as well, because
    /// nobody knows which earlier entries reached the medium.
    store_error put(reference const& name, std::string_view content) const {
        if (content.size() > most_bytes) return {"larger than 1 GiB"};
        if (!is_name(name, content)) return {"content does not match its hash"};
        if (auto const earlier = shared_->earlier_error()) return earlier;
        auto const folder = shared_->folder.use(true);
        if (folder.error != 0) return {detail::posix::fault("open folder", folder.error)};
        shared_->clean_up_once(*folder.directory);
        auto const file = name.text();
        // Another process may put or erase the same artifact between the look-up and the publication: look once more.
        for (bool may_retry : {true, false}) {
            auto const existing = compare_file(*folder.directory, file, content);
            if (existing.error == 0 && !existing.same) return {"the name holds other content"};
            if (existing.same) return shared_->sync_entry(*folder.directory, &existing.file);
            if (existing.error != ENOENT) return {detail::posix::fault("look up", existing.error)};
            auto const publication = detail::posix::publish(*folder.directory, file, content);
            if (publication.error == 0) return shared_->sync_entry(*folder.directory, nullptr);
            if (!may_retry || (publication.error != EEXIST && publication.error != ENOENT))
                return {detail::posix::fault(publication.call, publication.error)};
        }
        return {};
    }

    /// The same, and notes where it comes from: in a file of its own, which costs two fsyncs more for a new source.
    store_error put(reference const& name, std::string_view content, artifact_source const& source) const {
        auto const text = detail::write_source(source);
        if (text.size() > most_source_bytes) return {"the source is longer than 1 MiB"};
        auto const file = source_file(name, source.conversation);
        // Another handle may erase the content after it was put, and before its source is there.
        for (int tries = 0; tries < 3; ++tries) {
            if (auto const problem = put(name, content)) return problem;
            auto const folder = shared_->folder.use(true);
            if (folder.error != 0) return {detail::posix::fault("open folder", folder.error)};
            auto const publication = detail::posix::publish(*folder.directory, file, text);
            if (publication.error != 0 && publication.error != EEXIST)
                return {detail::posix::fault(publication.call, publication.error)};
            if (auto const problem = shared_->sync_entry(*folder.directory, nullptr)) return problem;
            if (size_of(*folder.directory, name.text()) && size_of(*folder.directory, file)) return {};
        }
        return {"the artifact was erased meanwhile"};
    }

    /// Where the conversation has the artifact from; nothing if it has not put it.
    std::optional<artifact_source> source(reference const& name, std::string_view conversation) const {
        auto const folder = shared_->folder.use(false).directory;
        if (!folder) return std::nullopt;
        auto source = read_source(*folder, source_file(name, conversation));
        if (source && source->conversation != conversation) source.reset();
        return source;
    }

    /// True if a file with this artifact's name exists, whatever it holds. Costs an open.
    bool has_file(reference const& name) const {
        auto const folder = shared_->folder.use(false).directory;
        return folder && detail::posix::open_file(*folder, name.text(), O_RDONLY).error != ENOENT;
    }

    /// The content; nothing if the name is unknown, or if the file does not hold what was put.
    std::optional<std::string> get(reference const& name) const {
        auto const folder = shared_->folder.use(false).directory;
        if (!folder) return std::nullopt;
        auto const opened = detail::posix::open_file(*folder, name.text(), O_RDONLY);
        if (opened.error != 0) return std::nullopt;
        auto const size = static_cast<std::uint64_t>(detail::posix::about(opened.file).st_size);
        if (size > most_bytes) return std::nullopt;
        std::string content(static_cast<std::size_t>(size), '\0');
        auto const read = detail::posix::read_at(opened.file, content, 0);
        if (read.error != 0 || read.bytes.size() != size || !is_name(name, content)) return std::nullopt;
        return content;
    }

    /// Calls f(reference, bytes) for each stored artifact; `f` may use the store. Costs a listing of the folder and an
    /// open for each artifact.
    store_error each(detail::artifact_sink f) const {
        return each_name([&](detail::posix::descriptor const& folder, std::string const& file) {
            auto const name = reference::of(file);
            if (auto const size = name ? size_of(folder, file) : std::nullopt) f(*name, *size);
        });
    }

    /// Calls f(reference, bytes, artifact_source const&) in the same way.
    store_error each_source(detail::source_sink f) const {
        return each_name([&](detail::posix::descriptor const& folder, std::string const& file) {
            auto const digits = file.substr(0, file.find('.'));
            auto const name = digits.size() == file.size() ? std::nullopt : reference::of(digits);
            auto const source = name ? read_source(folder, file) : std::nullopt;
            if (!source || file != source_file(*name, source->conversation)) return;
            if (auto const size = size_of(folder, digits)) f(*name, *size, *source);
        });
    }

    /// The artifact is gone for good once it returns no error; an unknown name is no error. Costs a listing.
    store_error erase(reference const& name) const {
        if (auto const earlier = shared_->earlier_error()) return earlier;
        auto const folder = shared_->folder.use(false);
        if (!folder.directory)
            return folder.error == ENOENT ? store_error{}
                                          : store_error{detail::posix::fault("open folder", folder.error)};
        auto const file = name.text();
        int error = 0;
        auto const problem = each_name([&](detail::posix::descriptor const& in, std::string const& other) {
            if (other.starts_with(file + '.') && (error == 0 || error == ENOENT))
                error = detail::posix::remove_file(in, other);
        });
        if (error == 0 || error == ENOENT) error = detail::posix::remove_file(*folder.directory, file);
        if (error != 0 && error != ENOENT) return {detail::posix::fault("remove", error)};
        if (problem) return problem;
        return shared_->sync_entry(*folder.directory, nullptr);
    }

private:
    /// Names tried for one content when others with the same hash are stored; then it is refused.
    static constexpr std::uint64_t attempts = 16;
    static constexpr std::uint64_t most_source_bytes = std::uint64_t{1} << 20;

    /// What the copies of a handle share. The mutex guards the error and the flag; files need none, because they are
    /// published as a whole and never changed.
    struct state {
        state(std::string path, artifact_folder_options chosen)
            : folder{std::move(path),
                     detail::posix::rule_unless(chosen.allow_open_folder, detail::posix::folder_rule::own)} {}

        /// Writes the folder's entry to the medium, and `file` too if another put wrote it.
        store_error sync_entry(detail::posix::descriptor const& in, detail::posix::descriptor const* file) {
            auto error = file == nullptr ? 0 : detail::posix::sync(*file);
            if (error == 0) error = detail::posix::sync(in);
            std::lock_guard const lock{guard};
            if (error != 0 && !sync_error) sync_error = {detail::posix::fault("fsync", error)};
            return sync_error;
        }

        /// The error of an earlier fsync; none if all succeeded.
        store_error earlier_error() {
            std::lock_guard const lock{guard};
            return sync_error;
        }

        /// Removes temporary files of killed processes at the first put: lists the folder, about a microsecond an
        /// artifact.
        void clean_up_once(detail::posix::descriptor const& in) {
            std::lock_guard const lock{guard};
            if (!std::exchange(cleaned_up, true)) detail::posix::clear_away(in);
        }

        detail::posix::folder folder;
        std::mutex guard;
        store_error sync_error = {};  ///< a failed fsync is final
        bool cleaned_up = false;
    };

    /// Calls f(folder, file name) for each file, listed before the first call.
    store_error each_name(detail::callable_ref<void(detail::posix::descriptor const&, std::string const&)> f) const {
        auto const folder = shared_->folder.use(false);
        if (!folder.directory)
            return folder.error == ENOENT ? store_error{}
                                          : store_error{detail::posix::fault("open folder", folder.error)};
        std::vector<std::string> files;
        if (auto const error =
                detail::posix::each_file(*folder.directory, [&](std::string_view file) { files.emplace_back(file); }))
            return {detail::posix::fault("list", error)};
        for (auto const& file : files) f(*folder.directory, file);
        return {};
    }

    static std::optional<bytes> size_of(detail::posix::descriptor const& folder, std::string const& file) {
        auto const opened = detail::posix::open_file(folder, file, O_RDONLY);
        if (opened.error != 0) return std::nullopt;
        return bytes{static_cast<std::uint64_t>(detail::posix::about(opened.file).st_size)};
    }

    /// "<reference>.<hash of the conversation>.source", so that no byte of an id gets into a path.
    std::string source_file(reference const& name, std::string_view conversation) const {
        return name.text() + "." + hash_(conversation, 0).text() + ".source";
    }

    static std::optional<artifact_source> read_source(detail::posix::descriptor const& folder,
                                                      std::string const& file) {
        auto const opened = detail::posix::open_file(folder, file, O_RDONLY);
        if (opened.error != 0) return std::nullopt;
        auto const size = static_cast<std::uint64_t>(detail::posix::about(opened.file).st_size);
        if (size > most_source_bytes) return std::nullopt;
        std::string text(static_cast<std::size_t>(size), '\0');
        auto const read = detail::posix::read_at(opened.file, text, 0);
        return read.error == 0 ? detail::read_source(read.bytes) : std::nullopt;
    }

    /// Whether a look-up that ended so has found something else under the name. Any other error tells nothing about
    /// what is there, and `put` reports it.
    static constexpr bool is_taken(int error) noexcept {
        return error == 0 || error == ELOOP || error == EMLINK || error == ENOTSUP || error == ENXIO;
    }

    struct comparison {
        detail::posix::descriptor file;  ///< open unless there is an error
        int error = 0;  ///< errno of the first call that failed; ENOENT if there is no file
        bool same = false;
    };

    /// Compares the file with the content piece by piece, so that it is never in memory as a whole.
    static comparison compare_file(detail::posix::descriptor const& folder, std::string const& file,
                                   std::string_view content) {
        auto opened = detail::posix::open_file(folder, file, O_RDONLY);
        if (opened.error != 0) return {{}, opened.error};
        auto const size = static_cast<std::uint64_t>(detail::posix::about(opened.file).st_size);
        if (size != content.size()) return {std::move(opened.file)};
        std::string buffer;
        for (std::size_t offset = 0; offset < content.size(); offset += buffer.size()) {
            buffer.resize(std::min<std::size_t>(content.size() - offset, 65'536));
            auto const read = detail::posix::read_at(opened.file, buffer, offset);
            if (read.error != 0) return {{}, read.error};
            if (read.bytes != content.substr(offset, buffer.size())) return {std::move(opened.file)};
        }
        return {std::move(opened.file), 0, true};
    }

    /// True if `name` is one of the names that this content may have. Costs a hash for each attempt up to the right
    /// one.
    bool is_name(reference const& name, std::string_view content) const {
        for (std::uint64_t attempt = 0; attempt < attempts; ++attempt)
            if (hash_(content, attempt) == name) return true;
        return false;
    }

    std::shared_ptr<state> shared_;
    Hash hash_;
};

using artifact_folder = basic_artifact_folder<>;

}  // namespace v1
}  // namespace condense
