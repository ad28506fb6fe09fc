// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/layer.hpp>
#include <condense/detail/netstring.hpp>
#include <condense/detail/unset.hpp>
#include <condense/layer/journal_index.hpp>

// Appends every message to a journal before anything is lost: record{.to =
// condense::journal_folder{"sessions"}}. What comes after it in a pipeline is recoverable.

namespace condense {
inline namespace v1 {

/// Changes nothing; costs the bytes of each new message, once, and a flush for each arrival or run
/// that brought some. Row A6. Acts on arrival, and in `reduce` on what could not be recorded before:
/// while something is not, layers after it that lose content do not run. Conversations are told
/// apart by `run_options::conversation`; a history that was reduced before is known by what the
/// journal holds. So is one that a saved state brings: what the journal does not hold is recorded anew, as it is
/// when the journal says that its lines are gone. What was released and is not there fails as `foreign`.
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
        std::vector<reference> names;         ///< of those
        std::size_t seen = 0;                 ///< of those, how many an earlier run has left like this
        std::uint64_t after = 0;              ///< the number of the message that came after that run
        std::vector<std::uint64_t> numbers;   ///< in the journal, of the messages that are recorded
        std::uint64_t next = 0;
        bool opened = false;
        bool unflushed = false;
        bool follows = false;  ///< what the journal holds beyond `numbers` may be what comes again

        /// The numbers in runs: the first of each, and how many.
        std::string save() const {
            std::string out;
            for (std::size_t at = 0; at < numbers.size();) {
                auto const first = at++;
                while (at < numbers.size() && numbers[at] == in_run(numbers[first], at - first)) ++at;
                detail::put_field(out, numbers[first]);
                detail::put_field(out, std::uint64_t{at - first});
            }
            return out;
        }
        /// The journal is read again before the next message: what came after the state was saved is found there.
        bool load(std::string_view text, std::size_t most) {
            std::vector<std::uint64_t> found;
            for (detail::field_reader from{text}; !from.done();) {
                auto const first = from.number(detail::journal_index::none);
                auto const count = from.number(most - found.size());
                bool const none = first == detail::journal_index::none;
                if (from.broken() || count == 0 || (!none && first >= detail::journal_index::none - count))
                    return false;
                for (std::uint64_t at = 0; at < count; ++at) found.push_back(in_run(first, at));
            }
            *this = {};
            numbers = std::move(found);
            unflushed = follows = true;
            return true;
        }
        /// What the journal holds is to be looked up again, before the next message.
        void doubt() noexcept {
            opened = false;
            unflushed = follows = true;
            names.clear();
            seen = 0;
            after = 0;
        }
        /// Messages from `first` on are others now, and are recorded as such.
        void rewind(std::uint64_t first) noexcept {
            if (first < numbers.size()) numbers.resize(detail::as_size(first));
            if (first < resumed) resumed = detail::as_size(first);
            if (first < names.size()) names.resize(detail::as_size(first));
            follows = false;
        }

    private:
        static std::uint64_t in_run(std::uint64_t first, std::uint64_t place) noexcept {
            return first == detail::journal_index::none ? first : first + place;
        }
    };

    constexpr bool due(usage const&) const noexcept { return false; }

    failed arrive(auto& draft, sequence, auto& pass) const { return catch_up(draft, pass); }
    failed reduce(auto& draft, auto& pass) const { return catch_up(draft, pass); }

    /// Notes what a run has left, so that the next run does not take it for new messages: each that the
    /// run made, and a digest of all, which tells equal messages apart by what they follow. Where the
    /// history stays as it is, `commits` being false, the digest is of that.
    failed made(auto const& each, bool commits, auto& pass) const {
        auto& kept = pass.memory;
        if (kept.unflushed || kept.names.empty() || kept.numbers.size() != kept.names.size())
            return {};  // not all is recorded
        store_error problem;
        bool appended = false;
        auto const note = [&](reference const& name, std::uint64_t number) {
            if (!problem) problem = pass.append(to, {name, number, true}, {});
            appended = true;
        };
        reference left;
        each([&](sequence from, auto const&... content) {
            auto name = kept.names[from.number];
            if constexpr (sizeof...(content) != 0) {
                name = to.name(content...);
                if (!kept.held.knows_made(name, kept.numbers[from.number])) note(name, kept.numbers[from.number]);
            }
            left = digest(left, name);
        });
        if (!commits) {
            left = {};
            for (auto const& name : kept.names) left = digest(left, name);
        }
        if (left && kept.held.after_view(left) != kept.next) note(left, kept.next);
        if (!problem && appended) problem = pass.flush(to);
        return {problem.reason};
    }

    friend bool operator==(record const&, record const&) = default;

private:
    reference digest(reference const& before, reference const& name) const {
        std::string both;
        both.reserve(4 * name.digest.size());
        before.append_to(both);
        name.append_to(both);
        return to.name(both);
    }

    /// Names the messages that may be recorded, and finds the longest run of them that an earlier run left.
    void look_back(auto& draft, auto& kept) const {
        std::vector<reference> names;
        names.reserve(kept.resumed);
        reference left;
        std::size_t seen = 0;
        for (std::size_t index = 0; index < kept.resumed; ++index) {
            bool const there = !draft.outline().message_at(index).released;
            names.push_back(there ? to.name(v1::to_bytes(draft.message_at(sequence{index}))) : reference{});
            left = digest(left, names.back());
            auto const number = kept.held.after_view(left);
            if (number == detail::journal_index::none) continue;
            seen = index + 1;
            kept.after = number;
        }
        kept.seen = seen;
        kept.names = std::move(names);
    }

    failed catch_up(auto& draft, auto& pass) const {
        auto& kept = pass.memory;
        auto const size = draft.outline().size();
        if (pass.resumes()) kept.resumed = size;
        if (kept.numbers.size() == size && !kept.unflushed) return {};
        if (auto const problem = open(draft, pass)) return {problem.reason};
        // Where the journal was empty they are named as they are recorded.
        if (kept.names.size() != kept.resumed && !kept.held.empty()) look_back(draft, kept);
        if (kept.follows) keep_place(kept);
        kept.numbers.reserve(size);  // after an append nothing may fail
        kept.names.reserve(kept.resumed);
        while (kept.numbers.size() < size) {
            auto const index = kept.numbers.size();
            bool const to_name = index < kept.resumed && index == kept.names.size();
            if (draft.outline().message_at(index).released) {  // another journal has let it go
                if (to_name) kept.names.push_back({});
                kept.numbers.push_back(detail::journal_index::none);
                continue;
            }
            if (index == kept.seen && index != 0 && index < kept.resumed) kept.held.seek(kept.after);
            auto number = index < kept.names.size() ? kept.held.find(kept.names[index]) : detail::journal_index::none;
            if (number == detail::journal_index::none && index < kept.seen) number = kept.after - 1;
            else if (number == detail::journal_index::none) {
                auto const content = v1::to_bytes(draft.message_at(sequence{index}));
                auto const name = to.name(content);
                if (kept.follows && follows(kept, name, number)) {
                    kept.numbers.push_back(number);
                    continue;
                }
                number = kept.next;
                if (auto const problem = pass.append(to, {name, number}, content)) return lost(kept, problem);
                if (to_name) kept.names.push_back(name);
                kept.unflushed = true;
                ++kept.next;
            }
            kept.numbers.push_back(number);
        }
        if (!kept.unflushed) return {};
        if (auto const problem = pass.flush(to)) return lost(kept, problem);
        kept.unflushed = false;
        return {};
    }

    static failed lost(auto& kept, store_error const& problem) noexcept {
        if (problem.gone) kept.doubt();
        return {problem.reason};
    }

    /// A number counts only where the journal holds that line: messages from the first on that it does not hold are
    /// recorded anew. One that was released can not be.
    store_error believe_held(auto& draft, auto& kept, detail::journal_index const& held) const {
        auto const there = held.numbers();
        std::size_t next = 0;  // of a released message, whose numbers ascend
        auto known = kept.numbers.size();
        for (std::size_t index = 0; index < kept.numbers.size(); ++index) {
            auto const number = kept.numbers[index];
            if (number == detail::journal_index::none) continue;
            if (draft.outline().message_at(index).released) {
                while (next < there.size() && there[next] < number) ++next;
                if (next == there.size() || there[next] != number)
                    return {"foreign: the journal does not hold what was released"};
            } else if (index < known && !held.holds(to.name(v1::to_bytes(draft.message_at(sequence{index}))), number))
                known = index;
        }
        if (known < kept.numbers.size()) {
            kept.rewind(known);
            kept.follows = true;
        }
        return {};
    }

    /// The journal holds a message in the place of the one that has come: it has come before.
    static bool follows(auto& kept, reference const& name, std::uint64_t& number) noexcept {
        auto const found = kept.held.find(name);
        kept.follows = found == kept.after;
        if (kept.follows) number = kept.after++;
        return kept.follows;
    }
    static void keep_place(auto& kept) noexcept {
        if (kept.after != 0) return;
        for (auto const number : kept.numbers)
            if (number != detail::journal_index::none && number >= kept.after) kept.after = number + 1;
        kept.held.seek(kept.after);
    }

    store_error open(auto& draft, auto& pass) const {
        auto& kept = pass.memory;
        if (kept.opened) return {};
        detail::journal_index found;
        if (auto const problem =
                to.read(pass.conversation(), [&](journal_entry const& line, std::string_view) { found.add(line); }))
            return problem;
        if (kept.follows)
            if (auto const problem = believe_held(draft, kept, found)) return problem;
        kept.next = found.next();
        // A conversation that begins now has nothing to do with earlier ones of the same id.
        if (kept.resumed != 0 || kept.follows) kept.held = std::move(found);
        kept.opened = true;
        return {};
    }
};

}  // namespace v1
}  // namespace condense
