// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/journal_index.hpp>
#include <condense/core/layer.hpp>
#include <condense/detail/unset.hpp>

// Appends every message to a journal before anything is lost: record{.to =
// condense::journal_folder{"sessions"}}. What comes after it in a pipeline is recoverable.

namespace condense {
inline namespace v1 {

/// Changes nothing; costs the bytes of each new message, once, and a flush for each arrival or run
/// that brought some. Row A6. Acts on arrival, and in `reduce` on what could not be recorded before:
/// while something is not, layers after it that lose content do not run. Conversations are told
/// apart by `run_options::conversation`; a history that was reduced before is known by what the
/// journal holds.
template <class Journal = detail::unset>
struct record {
    Journal to = detail::slot_default<Journal>();

    static_assert(!std::is_same_v<Journal, detail::unset>,
                  "condense: record: `to` must name a journal, such as condense::memory_journal{} (see journal)");
    static_assert(std::is_same_v<Journal, detail::unset> || journal<Journal>,
                  "condense: record: what `to` is given must be a journal (see journal)");

    static constexpr effect effects = keeps;
    static constexpr bool records = true;
    static constexpr bool durable = requires { requires Journal::durable; };

    struct memory {
        detail::journal_index held;           ///< what was there before
        std::size_t resumed = 0;              ///< messages that may be in it
        std::vector<std::uint64_t> numbers;   ///< in the journal, of the messages that are recorded
        std::uint64_t next = 0;
        bool opened = false;
        bool unflushed = false;
    };

    constexpr bool due(usage const&) const noexcept { return false; }

    failed arrive(auto& draft, sequence, auto& pass) const { return catch_up(draft, pass); }
    failed reduce(auto& draft, auto& pass) const { return catch_up(draft, pass); }

    /// Notes what a run made, `each(f)` with f(sequence, bytes), so that the next run on its output
    /// does not take it for new messages.
    failed made(auto const& each, auto& pass) const {
        auto& kept = pass.memory;
        store_error problem;
        each([&](sequence from, std::string const& content) {
            if (problem || from.number >= kept.numbers.size()) return;
            auto const name = to.name(content);
            auto const number = kept.numbers[from.number];
            if (!kept.held.knows_made(name, number)) problem = pass.append(to, {name, number, true}, {});
        });
        if (!problem) problem = pass.flush(to);
        return {problem.reason};
    }

    friend bool operator==(record const&, record const&) = default;

private:
    failed catch_up(auto& draft, auto& pass) const {
        auto& kept = pass.memory;
        auto const size = draft.outline().size();
        if (pass.resumes()) kept.resumed = size;
        if (kept.numbers.size() == size && !kept.unflushed) return {};
        if (auto const problem = open(pass)) return {problem.reason};
        kept.numbers.reserve(size);  // after an append nothing may fail
        while (kept.numbers.size() < size) {
            auto const index = kept.numbers.size();
            if (draft.outline().message_at(index).released) {  // another journal has let it go
                kept.numbers.push_back(detail::journal_index::none);
                continue;
            }
            auto const content = v1::to_bytes(draft.message_at(sequence{index}));
            auto const name = to.name(content);
            auto number = index < kept.resumed ? kept.held.find(name) : detail::journal_index::none;
            if (number == detail::journal_index::none) {
                number = kept.next;
                if (auto const problem = pass.append(to, {name, number}, content)) return {problem.reason};
                kept.unflushed = true;
                ++kept.next;
            }
            kept.numbers.push_back(number);
        }
        if (!kept.unflushed) return {};
        if (auto const problem = pass.flush(to)) return {problem.reason};
        kept.unflushed = false;
        return {};
    }

    store_error open(auto& pass) const {
        auto& kept = pass.memory;
        if (kept.opened) return {};
        detail::journal_index found;
        if (auto const problem = to.read(pass.conversation(), [&](journal_entry const& line, std::string_view) { found.add(line); }))
            return problem;
        kept.next = found.next();
        // A conversation that begins now has nothing to do with earlier ones of the same id.
        if (kept.resumed != 0) kept.held = std::move(found);
        kept.opened = true;
        return {};
    }
};

}  // namespace v1
}  // namespace condense
