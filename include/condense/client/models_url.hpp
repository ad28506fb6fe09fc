// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <condense/client/http_client.hpp>
#include <condense/config/models_json.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/run_options.hpp>
#include <condense/detail/calendar.hpp>
#include <condense/detail/posix_publish.hpp>

// The published list of models, downloaded at most once a day: `auto const read = fetch_model_catalog({.file =
// "cache/models.json"}); read.catalog.find("openai/gpt-5");`. Nothing else in the library downloads a list. POSIX.

namespace condense {
inline namespace v1 {

/// Where a list of models comes from, and where its copy is.
struct catalog_source {
    std::string url = "https://models.dev/api.json";  ///< https, or http on this machine
    std::string file = {};  ///< of the copy, which is the list as it came; empty for none. One file for each address
    instant lifetime = {86'400'000'000'000};  ///< of the copy, from its download: a day
    instant within = {30'000'000'000};  ///< for the download
    bytes most = {std::uint64_t{16} << 20};  ///< of the list
    std::string ca_file = {};  ///< certificates to trust beside the system's, for a private server
    bool allow_open_folder = false;  ///< the file may be in a folder in which everybody may replace the files of others
};

/// Where the models of a catalogue are from.
enum class catalog_origin : std::uint8_t {
    built_in,  ///< there is no list: the catalogue has what the built-in table has
    old_copy,  ///< the file, which has outlived its lifetime
    copy,  ///< the file
    download,
};

/// A catalogue that can be used in any case, and what went wrong.
struct [[nodiscard]] catalog_fetch {
    model_catalog catalog = {};
    catalog_origin origin = catalog_origin::built_in;
    catalog_error error = {};  ///< why there is no newer list; none for `copy` and `download`
    catalog_error file_error = {};  ///< why the file holds no list, or not this one; none if it is not there yet
};

namespace detail {

inline posix::folder_rule rule_of(catalog_source const& from) noexcept {
    return posix::rule_unless(from.allow_open_folder, posix::folder_rule::shared);
}
/// The list in the file, if there is one.
inline catalog_fetch catalog_copy(catalog_source const& from) {
    catalog_fetch result;
    if (from.file.empty()) return result;
    auto const file = posix::read_file(from.file, from.most.count, rule_of(from));
    auto read = file.problem.error == EFBIG
                    ? catalog_reader::failed(catalog_fault::too_large, "the file", "be no larger than the limit")
                : file.problem.error != 0
                    ? catalog_reader::failed(catalog_fault::file, "the file", "be readable",
                                             std::string_view{posix::fault(file.problem.call, file.problem.error)})
                    : read_model_catalog(file.text, from.most);
    if (file.problem.error != ENOENT) result.file_error = std::move(read.error);
    if (!read) return result;
    result.catalog = std::move(read.catalog);
    // A file from the future is old: the clock was set back, and nobody knows how long the list would stay. By up to a
    // minute it is new: clocks of file servers differ, and `std::time` may be some milliseconds behind the file's time.
    auto const now = static_cast<std::int64_t>(calendar_seconds());
    auto const changed = file.changed > now + 60 ? 0 : std::clamp(file.changed, std::int64_t{0}, now);
    auto const age = static_cast<std::uint64_t>(now - changed);
    result.origin = age < from.lifetime.count / 1'000'000'000 ? catalog_origin::copy : catalog_origin::old_copy;
    return result;
}

/// The list at the address, and its text.
inline catalog_read catalog_download(catalog_source const& from, std::string& text) {
    auto response = send_request({.method = "GET",
                                  .url = from.url,
                                  .headers = {"Accept: application/json"},
                                  .ca_file = from.ca_file,
                                  .deadline = steady_clock{}() + from.within,
                                  .most = from.most});
    if (response.problem == http_problem::too_large)
        return catalog_reader::failed(catalog_fault::too_large, "the list", "be no larger than the limit");
    if (!response.good())
        return catalog_reader::failed(
            catalog_fault::download, "the address", "answer with a list",
            response.problem == http_problem::none ? "status " + std::to_string(response.status) : response.text);
    text = std::move(response.body);
    return read_model_catalog(text, from.most);
}

}  // namespace detail

/// The list of the file, if it is younger than its lifetime; else the list at the address, which then replaces the
/// file; else that of the file, however old; else the built-in table. Only a list that can be read replaces another.
///
/// Sends at most one request, which follows no redirect and waits no longer than `within`. Costs reading the list, and
/// its size in memory some times over. The file is readable by its owner alone, written beside and renamed, so that
/// processes may share it. Call it once, where the program starts.
inline catalog_fetch fetch_model_catalog(catalog_source const& from = {}) {
    auto result = detail::catalog_copy(from);
    if (result.origin == catalog_origin::copy) return result;
    std::string text;
    auto read = detail::catalog_download(from, text);
    result.error = std::move(read.error);
    if (result.error) return result;
    result.catalog = std::move(read.catalog);
    result.origin = catalog_origin::download;
    result.file_error = {};
    if (from.file.empty()) return result;
    if (auto const problem = detail::posix::replace_file(from.file, text, detail::rule_of(from)); problem.error != 0)
        result.file_error =
            detail::catalog_reader::failed(catalog_fault::file, "the file", "be writable",
                                           std::string_view{detail::posix::fault(problem.call, problem.error)})
                .error;
    return result;
}

}  // namespace v1
}  // namespace condense
