// SPDX-License-Identifier: BSL-1.0

#include "kept.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <system_error>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/json.hpp>
#include <condense/adapt/json_state.hpp>
#include <condense/core/pass.hpp>
#include <condense/recovery/prompt.hpp>
#include <condense/recovery/text_of.hpp>
#include <condense/store/file.hpp>
#ifdef KEPT_WITH_SQLITE
#include <condense/store/sqlite_journal.hpp>
#include <condense/store/sqlite_store.hpp>
#endif
#ifdef KEPT_WITH_REDIS
#include <condense/store/redis_cache.hpp>
#include <condense/store/redis_journal.hpp>
#include <condense/store/redis_store.hpp>
#endif

namespace kept {
namespace {

constexpr std::string_view scheme = "redis://";

#ifdef KEPT_WITH_REDIS
template <class Number>
bool read_number(std::string_view digits, Number& to) {
    auto const [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), to);
    return problem == std::errc{} && end == digits.data() + digits.size();
}

/// Nobody shall wait long for a server that is gone.
condense::redis_options redis_at(std::string_view url) {
    condense::redis_options options{.connect_timeout = std::chrono::milliseconds{500},
                                    .reply_timeout = std::chrono::milliseconds{500},
                                    .patience = std::chrono::milliseconds{500}};
    url.remove_prefix(scheme.size());
    if (auto const at = url.rfind('@'); at != url.npos) {
        auto const colon = url.find(':');
        if (colon > at) throw std::runtime_error{"redis://USER:PASSWORD@HOST is wanted"};
        options.user = url.substr(0, colon);
        options.password = url.substr(colon + 1, at - colon - 1);
        url.remove_prefix(at + 1);
    }
    auto const slash = std::min(url.find('/'), url.size());
    auto const database = url.substr(std::min(slash + 1, url.size()));
    auto const host = url.substr(0, slash);
    auto const colon = std::min(host.rfind(':'), host.size());
    auto const port = host.substr(std::min(colon + 1, host.size()));
    options.host = host.substr(0, colon);
    if (options.host.empty() || (!port.empty() && !read_number(port, options.port)) ||
        (!database.empty() && !read_number(database, options.database)))
        throw std::runtime_error{"redis://HOST[:PORT][/DATABASE] is wanted"};
    return options;
}
#endif

/// For the prompt: all that the tools offer may be missing from the conversation.
struct any_mix {
    static constexpr auto effects = condense::externalizes;
    static constexpr bool records = true;
    static constexpr bool journals = true;
};

[[maybe_unused, noreturn]] void refuse(std::string_view library) {
    throw std::runtime_error{"this program was built without " + std::string{library}};
}

}  // namespace

any_store store_at(std::string const& place) {
    if (place.starts_with(scheme)) {
#ifdef KEPT_WITH_REDIS
        return any_store::of(condense::redis_store{redis_at(place)});
#else
        refuse("hiredis");
#endif
    }
    if (place.ends_with(".db")) {
#ifdef KEPT_WITH_SQLITE
        return any_store::of(condense::sqlite_store{place});
#else
        refuse("SQLite");
#endif
    }
    return any_store::of(condense::artifact_folder{place});
}

any_journal journal_at(std::string const& place) {
    if (place.starts_with(scheme)) {
#ifdef KEPT_WITH_REDIS
        return any_journal::of(condense::redis_journal{redis_at(place)});
#else
        refuse("hiredis");
#endif
    }
    if (place.ends_with(".db")) {
#ifdef KEPT_WITH_SQLITE
        return any_journal::of(condense::sqlite_journal{place});
#else
        refuse("SQLite");
#endif
    }
    return any_journal::of(condense::journal_folder{place});
}

#ifdef KEPT_WITH_REDIS
struct memory::server {
    using clock = std::chrono::steady_clock;
    static constexpr std::uint64_t day = 24 * 60 * 60;

    explicit server(std::string const& url) : cache{redis_at(url)} {}

    /// Calls f(cache), unless the server kept somebody waiting shortly before.
    void use(auto const& f) {
        auto const begin = clock::now();
        if (begin.time_since_epoch().count() < asleep) return;
        f(cache);
        auto const end = clock::now();
        if (end - begin > std::chrono::milliseconds{90})
            asleep = (end + std::chrono::seconds{5}).time_since_epoch().count();
    }
    /// A cache takes a MiB at most, so a text is in pieces.
    static condense::cache_key key_of(std::string_view name, std::size_t piece) {
        condense::cache_key key = {};
        auto at = key.begin();
        for (std::uint64_t const part : {0u, 1u}) {
            auto const hash = condense::content_hash{}(std::to_string(piece) + "/" + std::string{name}, part);
            at = std::copy(hash.digest.begin(), hash.digest.end(), at);
        }
        return key;
    }

    condense::redis_cache cache;
    std::atomic<clock::rep> asleep = clock::time_point::min().time_since_epoch().count();
};
memory::memory(std::string const& url) : of_{std::make_shared<server>(url)} {}

std::optional<std::string> memory::get(std::string_view name) const {
    std::optional<std::string> text;
    bool goes_on = of_ != nullptr;
    for (std::size_t at = 0; goes_on; ++at) {
        goes_on = false;
        std::optional<std::string> piece;
        of_->use([&](condense::redis_cache const& cache) { piece = cache.get(server::key_of(name, at)); });
        if (!piece) return std::nullopt;
        goes_on = piece->size() == condense::most_cached_bytes;
        if (!text) text.emplace();
        text->append(*piece);
    }
    return text;
}

void memory::put(std::string_view name, std::string_view text) const {
    if (of_ == nullptr) return;
    constexpr auto most = condense::most_cached_bytes;
    for (std::size_t at = 0; at <= text.size() / most; ++at)
        of_->use([&](condense::redis_cache const& cache) {
            static_cast<void>(cache.put(server::key_of(name, at), text.substr(at * most, most), server::day));
        });
}
#else
struct memory::server {};
memory::memory(std::string const&) { refuse("hiredis"); }
std::optional<std::string> memory::get(std::string_view) const { return std::nullopt; }
void memory::put(std::string_view, std::string_view) const {}
#endif

std::string state_text(condense::session_state state) { return condense::state_text(std::move(state)); }
condense::state_error read_state(std::string_view text, condense::session_state& state) {
    return condense::read_state(text, state);
}

std::string text_of(nlohmann::ordered_json const& message, std::string_view content) {
    if (message.is_object() && !condense::shape_error_of(message))
        return condense::message_text<nlohmann::ordered_json>{}(content);
    return condense::message_text<condense::chat_message>{}(content);
}

std::string content_text(std::string_view content) {
    return text_of(condense::parse_json<nlohmann::ordered_json>(content).value, content);
}

struct tools::offered : condense::recovery_tools<any_store, any_journal, text_function> {
    using recovery_tools::recovery_tools;
};

tools::tools(any_store store, any_journal journal, condense::recovery_options options, text_function text)
    : of_{std::make_shared<offered const>(std::move(store), std::move(journal), std::move(options), std::move(text))} {}

std::string tools::definitions(condense::tool_format format) const { return of_->definitions(format); }
std::string tools::prompt() const { return condense::recovery_prompt<any_mix>(*of_); }
bool tools::has(std::string_view tool) const { return of_->has(tool); }
condense::recovery_result tools::call(std::string_view tool, std::string_view arguments) const {
    return of_->call(tool, arguments);
}

}  // namespace kept
