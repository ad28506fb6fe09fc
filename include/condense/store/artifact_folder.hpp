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
#include <condense/detail/posix_publish.hpp>
#include <condense/store/content_hash.hpp>

// Artifacts as files of one folder, which survive the process and the machine's power:
// offload{.into = condense::artifact_folder{"artifacts"}}. POSIX.

namespace condense {
inline namespace v1 {

/// A handle: copies share the folder, any thread and any number of processes may use it. The folder is
/// made when first used, for its owner alone. Same content, same name; different content never
/// overwrites. Hash: a callable from content and attempt to reference.
template <class Hash = content_hash>
class basic_artifact_folder {
public:
    static constexpr bool durable = true;
    /// One artifact is no larger.
    static constexpr std::size_t most_bytes = std::size_t{1} << 30;

    explicit basic_artifact_folder(std::string path, Hash hash = {})
        : shared_{std::make_shared<state>(std::move(path))}, hash_{std::move(hash)} {}

    /// The name under which this content is stored or would be. Costs an open, and a read where it is.
    reference name(std::string_view content) const {
        auto const folder = shared_->folder.use(false).at;
        auto name = hash_(content, 0);
        for (std::uint64_t attempt = 1; folder && attempt < attempts; ++attempt) {
            auto const found = look(*folder, name.text(), content);
            if (found.same || found.error == ENOENT) break;
            name = hash_(content, attempt);
        }
        return name;
    }

    /// Kept for good when it returns no error: costs two fsyncs. Errors: what the system says, other
    /// content under the name, a name that is not of the content, too large. A folder whose entries
    /// could not be written to the medium is not used again.
    store_error put(reference const& name, std::string_view content) const {
        if (content.size() > most_bytes) return {"larger than 1 GiB"};
        if (!is_name(name, content)) return {"the name is not that of the content"};
        if (auto const lost = shared_->lost_before()) return lost;
        auto const folder = shared_->folder.use(true);
        if (folder.error != 0) return {detail::posix::fault("open folder", folder.error)};
        shared_->clear_away_once(*folder.at);
        auto const file = name.text();
        for (bool again : {true, false}) {
            auto const found = look(*folder.at, file, content);
            if (found.error == 0 && !found.same) return {"the name holds other content"};
            if (found.same) return shared_->keep(*folder.at, &found.file);
            if (found.error != ENOENT) return {detail::posix::fault("look up", found.error)};
            auto const done = detail::posix::publish(*folder.at, file, content);
            if (done.error == 0) return shared_->keep(*folder.at, nullptr);
            if (!again || (done.error != EEXIST && done.error != ENOENT))
                return {detail::posix::fault(done.call, done.error)};
        }
        return {};
    }

    /// Something has the name of this artifact's file. Costs an open.
    bool has_file(reference const& name) const {
        auto const folder = shared_->folder.use(false).at;
        return folder && detail::posix::open_file(*folder, name.text(), O_RDONLY).error != ENOENT;
    }

    /// The content, or nothing where the name is unknown or what stands there is not what was put.
    std::optional<std::string> get(reference const& name) const {
        auto const folder = shared_->folder.use(false).at;
        if (!folder) return std::nullopt;
        auto const found = detail::posix::open_file(*folder, name.text(), O_RDONLY);
        if (found.error != 0) return std::nullopt;
        auto const size = static_cast<std::uint64_t>(detail::posix::about(found.file).st_size);
        if (size > most_bytes) return std::nullopt;
        std::string content(static_cast<std::size_t>(size), '\0');
        auto const read = detail::posix::read_at(found.file, content, 0);
        if (read.error != 0 || read.bytes.size() != size || !is_name(name, content)) return std::nullopt;
        return content;
    }

    /// Calls f(reference, bytes) for each artifact that is there now; `f` may use the store. Costs a listing of the
    /// folder and an open for each artifact.
    store_error each(auto&& f) const {
        auto const folder = shared_->folder.use(false);
        if (!folder.at)
            return folder.error == ENOENT ? store_error{}
                                          : store_error{detail::posix::fault("open folder", folder.error)};
        std::vector<reference> names;
        auto const note = [&](std::string_view file) {
            if (auto const name = reference::of(file)) names.push_back(*name);
        };
        if (auto const error = detail::posix::each_file(*folder.at, note)) return {detail::posix::fault("list", error)};
        for (auto const& name : names) {
            auto const found = detail::posix::open_file(*folder.at, name.text(), O_RDONLY);
            if (found.error == 0) f(name, bytes{static_cast<std::uint64_t>(detail::posix::about(found.file).st_size)});
        }
        return {};
    }

    /// Removed for good when it returns no error, also where there was none of that name.
    store_error erase(reference const& name) const {
        if (auto const lost = shared_->lost_before()) return lost;
        auto const folder = shared_->folder.use(false);
        if (!folder.at)
            return folder.error == ENOENT ? store_error{}
                                          : store_error{detail::posix::fault("open folder", folder.error)};
        auto const error = detail::posix::remove_file(*folder.at, name.text());
        if (error != 0 && error != ENOENT) return {detail::posix::fault("remove", error)};
        return shared_->keep(*folder.at, nullptr);
    }

private:
    /// How many contents may hold the names of one before it cannot be stored.
    static constexpr std::uint64_t attempts = 16;

    struct state {
        explicit state(std::string path) : folder{std::move(path)} {}

        /// Makes sure that the folder's entry, and the file where it was there before, are on the medium.
        store_error keep(detail::posix::descriptor const& in, detail::posix::descriptor const* file) {
            auto error = file == nullptr ? 0 : detail::posix::sync(*file);
            if (error == 0) error = detail::posix::sync(in);
            std::lock_guard const lock{guard};
            if (error != 0 && !lost) lost = {detail::posix::fault("fsync", error)};
            return lost;
        }

        store_error lost_before() {
            std::lock_guard const lock{guard};
            return lost;
        }

        /// Lists the folder at the first put: about a microsecond an artifact.
        void clear_away_once(detail::posix::descriptor const& in) {
            std::lock_guard const lock{guard};
            if (!std::exchange(cleared, true)) detail::posix::clear_away(in);
        }

        detail::posix::folder folder;
        std::mutex guard;
        store_error lost = {};  ///< a failed fsync is final
        bool cleared = false;
    };

    struct looked {
        detail::posix::descriptor file;
        int error = 0;
        bool same = false;
    };

    /// Whether the file holds this content; compared piece by piece, so that it is not read into memory.
    static looked look(detail::posix::descriptor const& folder, std::string const& file, std::string_view content) {
        auto found = detail::posix::open_file(folder, file, O_RDONLY);
        if (found.error != 0) return {{}, found.error};
        auto const size = static_cast<std::uint64_t>(detail::posix::about(found.file).st_size);
        if (size != content.size()) return {std::move(found.file)};
        std::string room;
        for (std::size_t at = 0; at < content.size(); at += room.size()) {
            room.resize(std::min<std::size_t>(content.size() - at, 65'536));
            auto const read = detail::posix::read_at(found.file, room, at);
            if (read.error != 0) return {{}, read.error};
            if (read.bytes != content.substr(at, room.size())) return {std::move(found.file)};
        }
        return {std::move(found.file), 0, true};
    }

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
