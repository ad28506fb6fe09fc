// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <condense/core/message.hpp>
#include <condense/core/part.hpp>
#include <condense/core/store.hpp>

// Which artifacts a session may still need: prune(store, {.keep = 100, .clean_at = 150}, artifacts_in_use{session}).

namespace condense {
inline namespace v1 {

/// Calls f(reference) for each run of exactly 24 hexadecimal digits in a text: every reference in it, whoever wrote it.
template <class Function>
void each_reference(std::string_view text, Function&& f) {
    auto const is_digit = [](char byte) { return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f'); };
    for (std::size_t begin = 0; begin < text.size();) {
        auto end = begin;
        while (end < text.size() && is_digit(text[end])) ++end;
        if (end - begin == 24)
            if (auto const name = reference::of(text.substr(begin, 24))) f(*name);
        begin = end + 1;
    }
}

/// A predicate for `prune`: true for what the request of a session names (previews, summaries, pins), for what it was
/// told of by `add`, for artifacts of other conversations, and, if the pipeline has no `record`, for all that the
/// session has stored, of which there may be no other copy. A snapshot, of the request as it is then.
class artifacts_in_use {
public:
    /// Costs a rendering of the request and a pass over it.
    template <class Session>
        requires requires(Session& session) { session.request(); }
    explicit artifacts_in_use(Session& session) : only_copies_{true} {
        session.with_journal([&](auto const&, std::string_view conversation, auto const&) {
            only_copies_ = false;
            conversation_ = conversation;
        });
        for (auto const& m : session.request()) v1::each_part(m, [&](part_view const& part) { add(part.text); });
    }

    /// Artifacts that a text names stay too, such as a saved state that is to be gone on from.
    void add(std::string_view text) {
        note(text);
        std::sort(names_.begin(), names_.end());
    }

    bool operator()(reference const& name, artifact_source const& source) const {
        return only_copies_ || source.conversation != conversation_ ||
               std::binary_search(names_.begin(), names_.end(), name);
    }

private:
    void note(std::string_view text) {
        each_reference(text, [&](reference const& name) { names_.push_back(name); });
    }

    std::vector<reference> names_;
    std::string conversation_;
    bool only_copies_;
};

}  // namespace v1
}  // namespace condense
