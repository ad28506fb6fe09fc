// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <condense/condense.hpp>

// Sums of a proxy's work since it began, for GET /condense/status: as JSON, or as a page for a person. Nothing of a
// conversation is in it.

namespace proxy {

/// Sums over requests that were accepted, and how many were not.
struct figures {
    std::uint64_t requests = 0;  ///< of all kinds
    std::uint64_t chats = 0;     ///< that were understood
    std::uint64_t refusals = 0;  ///< by the provider, as too long, which were answered by reducing further
    std::uint64_t unanswered = 0;  ///< without an answer of the provider, or with an error
    std::uint64_t breaks = 0;      ///< chats that do not begin as the one before did, so that no cache serves them
    std::uint64_t recalls = 0;  ///< calls by which models have read their past
    std::uint64_t tokens_in = 0;   ///< of chats as they came
    std::uint64_t tokens_sent = 0;  ///< and as they were sent
    /// Millionths of a dollar: what was left out, as if it had come from the provider's cache, less what broken
    /// beginnings cost.
    std::int64_t saved = 0;

    figures& operator+=(figures const& more) noexcept {
        requests += more.requests;
        chats += more.chats;
        refusals += more.refusals;
        unanswered += more.unanswered;
        breaks += more.breaks;
        recalls += more.recalls;
        tokens_in += more.tokens_in;
        tokens_sent += more.tokens_sent;
        saved += more.saved;
        return *this;
    }
};

/// Conversations that are kept at the moment.
struct kept_now {
    std::size_t conversations = 0;
    std::size_t bytes = 0;
};

class status {
public:
    void add(figures const& more) {
        std::lock_guard const lock{mutex_};
        sums_ += more;
    }

    std::string json(kept_now const& kept) const {
        auto const sums = read();
        return nlohmann::ordered_json{{"conversations", kept.conversations},
                                      {"bytes", kept.bytes},
                                      {"requests", sums.requests},
                                      {"chats", sums.chats},
                                      {"refusals", sums.refusals},
                                      {"unanswered", sums.unanswered},
                                      {"breaks", sums.breaks},
                                      {"recalls", sums.recalls},
                                      {"tokens", sums.tokens_in},
                                      {"tokens_sent", sums.tokens_sent},
                                      {"dollars_saved", static_cast<double>(sums.saved) / 1e6}}
            .dump();
    }

    std::string page(kept_now const& kept) const {
        using condense::grouped;
        auto const sums = read();
        auto const left_out = sums.tokens_in - sums.tokens_sent;
        auto const share = sums.tokens_in == 0 ? 0 : left_out * 100 / sums.tokens_in;
        auto const cents = sums.saved / 10'000;
        auto const digits = std::to_string(100 + (cents < 0 ? -cents : cents) % 100).substr(1);
        auto const dollars = std::string{cents < 0 ? "-" : ""} + "$" +
                             grouped(static_cast<std::uint64_t>((cents < 0 ? -cents : cents) / 100)) + "." + digits;
        std::array<std::pair<std::string_view, std::string>, 9> const rows = {{
            {"Conversations kept", grouped(kept.conversations) + ", " + grouped(kept.bytes >> 20) + " MiB"},
            {"Requests", grouped(sums.requests) + ", " + grouped(sums.chats) + " of them chats"},
            {"Tokens that came", grouped(sums.tokens_in)},
            {"Tokens sent", grouped(sums.tokens_sent)},
            {"Left out", grouped(left_out) + ", " + std::to_string(share) + " %"},
            {"Saved, by list prices", dollars},
            {"Beginnings that changed", grouped(sums.breaks)},
            {"Calls by which models read their past", grouped(sums.recalls)},
            {"Refused as too long; without an answer", grouped(sums.refusals) + "; " + grouped(sums.unanswered)},
        }};
        std::string text =
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"5\">"
            "<meta name=\"viewport\" content=\"width=device-width\"><title>condense proxy</title><style>"
            "body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:2rem auto;padding:0 1rem}"
            "table{border-collapse:collapse;width:100%}td,th{padding:.4rem 0;border-bottom:1px solid #8884}"
            "th{text-align:left;font-weight:400}td{text-align:right;font-variant-numeric:tabular-nums}"
            "@media(prefers-color-scheme:dark){body{background:#111;color:#eee}}</style>"
            "<h1>condense proxy</h1><table>";
        for (auto const& [name, value] : rows)
            text.append("<tr><th>").append(name).append("</th><td>").append(value).append("</td></tr>");
        return text.append("</table>\n");
    }

private:
    figures read() const {
        std::lock_guard const lock{mutex_};
        return sums_;
    }

    mutable std::mutex mutex_;
    figures sums_ = {};
};

}  // namespace proxy
