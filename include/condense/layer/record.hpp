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
#include <condense/layer/number_runs.hpp>

// Appends every message to a journal before anything is lost: record{.to = condense::journal_folder{"sessions"}}.
// Layers after it in a pipeline lose nothing that could not be read back.

namespace condense {
inline namespace v1 {

/// Edits nothing. Costs the bytes of each new message, once, and a flush for each arrival or run that appended some.
/// Acts on arrival, and in reduce on what could not be recorded then. While a message is not recorded, the layers after
/// this one that lose content do not run.
///
/// Conversations are told apart by `run_options::conversation`. A history that was reduced before is recognised by what
/// the journal holds, as is one restored from a saved state; messages that the journal does not hold, or reports as
/// gone, are recorded anew. Fails as `foreign` if such a message has been released and so cannot be.
template <class Journal = detail::unset>
struct record {
    Journal to = detail::slot_default<Journal>();

    static_assert(!std::is_same_v<Journal, detail::unset>,
                  "condense: record: `to` must name a journal, such as condense::memory_journal{} (see journal)");
    static_assert(std::is_same_v<Journal, detail::unset> || journal<Journal>,
                  "condense: record: what `to` is given must be a journal (see journal)");

    static constexpr effect effects = keeps;
    static constexpr bool records = true;
    /// True if the journal outlives the process.
    static constexpr bool durable = requires { requires Journal::durable; };

    /// What is known of the journal: messages have an index in the conversation, and a number in the journal.
    struct memory {
        detail::journal_index lookup;  ///< what the journal held before this run or session
        std::size_t resumed = 0;  ///< messages there were then, which it may hold
        std::vector<reference> names;  ///< of those messages, by index
        std::size_t matched = 0;  ///< of those, how many are what an earlier run left
        std::uint64_t expected = 0;  ///< number of the message that arrived after those
        detail::number_runs numbers;  ///< of the recorded messages, by index; none for one it does not hold
        std::uint64_t next = 0;  ///< number of the next message that is appended
        bool opened = false;  ///< the journal was read
        bool unflushed = false;
        bool may_repeat = false;  ///< the messages after `numbers` may be those that the journal holds after them

        /// Pairs of netstrings, one for each run of consecutive numbers: its first number and its length.
        std::string save() const {
            std::string out;
            numbers.each_run([&](std::uint64_t first, std::size_t count) {
                detail::put_field(out, first);
                detail::put_field(out, std::uint64_t{count});
            });
            return out;
        }
        /// False, and unchanged, if `text` does not describe a conversation of at most `message_count` messages. The
        /// journal is read again before the next message, to find what was recorded after the state was saved.
        bool load(std::string_view text, std::size_t message_count) {
            detail::number_runs loaded;
            for (detail::field_reader reader{text}; !reader.done();) {
                auto const first = reader.number(detail::journal_index::none);
                auto const count = reader.number(message_count - loaded.size());
                bool const none = first == detail::journal_index::none;
                if (reader.broken() || count == 0 || (!none && first >= detail::journal_index::none - count))
                    return false;
                loaded.append(first, detail::as_size(count));
            }
            *this = {};
            numbers = std::move(loaded);
            unflushed = may_repeat = true;
            return true;
        }
        /// The journal has lost entries: it is read again before the next message, and what it lacks recorded anew.
        void invalidate() noexcept {
            opened = false;
            unflushed = may_repeat = true;
            names.clear();
            matched = 0;
            expected = 0;
        }
        /// Forgets the messages from `first` on: others have taken their place and are recorded as new ones.
        void rewind(std::uint64_t first) noexcept {
            if (first < numbers.size()) numbers.cut(detail::as_size(first));
            if (first < resumed) resumed = detail::as_size(first);
            if (first < names.size()) names.resize(detail::as_size(first));
            may_repeat = false;
        }
    };

    /// Never by itself: reduce catches up whenever a run takes place.
    constexpr bool due(usage const&) const noexcept { return false; }

    failed arrive(auto& draft, sequence, auto& pass) const { return catch_up(draft, pass); }
    failed reduce(auto& draft, auto& pass) const { return catch_up(draft, pass); }

    /// After a one-shot run: appends an entry for each message that the run wrote, and a digest of the whole result, so
    /// that the next run takes neither for new messages. The digest tells equal messages apart by what they follow; if
    /// the history stays as it is (`commits` is false), it is that of the history. Entries have no content.
    failed append_derived(auto const& each, bool commits, auto& pass) const {
        auto& state = pass.memory;
        if (state.unflushed || state.names.empty() || state.numbers.size() != state.names.size())
            return {};  // some message is not recorded: the next run looks the history up message by message
        store_error problem;
        bool appended = false;
        auto const note = [&](reference const& name, std::uint64_t number) {
            if (!problem) problem = pass.append(to, {name, number, true}, {});
            appended = true;
        };
        reference sent_digest;
        each([&](sequence from, auto const&... content) {
            auto name = state.names[from.number];
            if constexpr (sizeof...(content) != 0) {
                name = pass.reference_of(to, content...);
                if (!state.lookup.has_derived(name, state.numbers[from.number])) note(name, state.numbers[from.number]);
            }
            sent_digest = digest(sent_digest, name);
        });
        if (!commits) {
            sent_digest = {};
            for (auto const& name : state.names) sent_digest = digest(sent_digest, name);
        }
        if (sent_digest && state.lookup.after_view(sent_digest) != state.next) note(sent_digest, state.next);
        if (!problem && appended) problem = pass.flush(to);
        return {problem.reason};
    }

    friend bool operator==(record const&, record const&) = default;

private:
    /// A name for a sequence of messages: that of all but the last, chained with the last one's.
    reference digest(reference const& before, reference const& name) const {
        std::string both;
        both.reserve(4 * name.digest.size());
        before.append_to(both);
        name.append_to(both);
        return to.name(both);
    }

    /// Names the messages that the journal may hold, and finds the longest prefix of them that is what an earlier run
    /// left. Renders each message to bytes once.
    void match_prefix(auto& draft, auto const& pass, auto& state) const {
        std::vector<reference> names;
        names.reserve(state.resumed);
        reference prefix;
        std::size_t matched = 0;
        for (std::size_t index = 0; index < state.resumed; ++index) {
            bool const present = !draft.outline().message_at(index).released;
            names.push_back(present ? pass.reference_of(to, v1::to_bytes(draft.message_at(sequence{index})))
                                    : reference{});
            prefix = digest(prefix, names.back());
            auto const number = state.lookup.after_view(prefix);
            if (number == detail::journal_index::none) continue;
            matched = index + 1;
            state.expected = number;
        }
        state.matched = matched;
        state.names = std::move(names);
    }

    /// Records the messages that are not recorded yet, and finds the numbers of those that are. The numbers of messages
    /// recorded before a failure are kept, so the next call goes on where this one stopped.
    failed catch_up(auto& draft, auto& pass) const {
        auto& state = pass.memory;
        auto const size = draft.outline().size();
        if (pass.resumes()) state.resumed = size;
        if (state.numbers.size() == size && !state.unflushed) return {};
        if (auto const problem = open(draft, pass)) return {problem.reason};
        // With an empty journal there is nothing to match; messages are named as they are recorded.
        if (state.names.size() != state.resumed && !state.lookup.empty()) match_prefix(draft, pass, state);
        if (state.may_repeat) seek_expected(state);
        state.names.reserve(state.resumed);
        while (state.numbers.size() < size) {
            state.numbers.reserve_one();  // an appended message must get its number, so nothing may throw after that
            auto const index = state.numbers.size();
            bool const to_name = index < state.resumed && index == state.names.size();
            if (draft.outline().message_at(index).released) {  // recorded elsewhere, and no longer in memory
                if (to_name) state.names.push_back({});
                auto const next = to_name ? index + 1 : detail::as_size(draft.outline().next_record(index + 1));
                state.numbers.append(detail::journal_index::none, next - index);
                continue;
            }
            if (index == state.matched && index != 0 && index < state.resumed) state.lookup.seek(state.expected);
            auto number =
                index < state.names.size() ? state.lookup.find(state.names[index]) : detail::journal_index::none;
            if (number == detail::journal_index::none && index < state.matched) number = state.expected - 1;
            else if (number == detail::journal_index::none) {
                auto const content = v1::to_bytes(draft.message_at(sequence{index}));
                auto const name = pass.reference_of(to, content);
                if (state.may_repeat && is_repeated(state, name, number)) {
                    state.numbers.push_back(number);
                    continue;
                }
                number = state.next;
                if (auto const problem = pass.append(to, {name, number}, content)) return failure_of(state, problem);
                if (to_name) state.names.push_back(name);
                state.unflushed = true;
                ++state.next;
            }
            state.numbers.push_back(number);
        }
        if (!state.unflushed) return {};
        if (auto const problem = pass.flush(to)) return failure_of(state, problem);
        state.unflushed = false;
        return {};
    }

    /// What the layer returns; after a loss of entries the journal is read again.
    static failed failure_of(auto& state, store_error const& problem) noexcept {
        if (problem.gone) state.invalidate();
        return {problem.reason};
    }

    /// Checks the numbers of a saved state against the journal. Forgets those from the first message on that the
    /// journal does not hold, so that they are recorded anew. A released message has no content to record: then it
    /// fails.
    store_error check_numbers(auto& draft, auto const& pass, auto& state, detail::journal_index const& entries) const {
        auto const numbers = entries.numbers();
        std::size_t next = 0;  // of a released message, whose numbers ascend
        auto valid = state.numbers.size();
        for (std::size_t index = 0; index < state.numbers.size(); ++index) {
            auto const number = state.numbers[index];
            if (number == detail::journal_index::none) continue;
            if (draft.outline().message_at(index).released) {
                while (next < numbers.size() && numbers[next] < number) ++next;
                if (next == numbers.size() || numbers[next] != number)
                    return {"foreign: the journal does not hold what was released"};
            } else if (index < valid &&
                       !entries.holds(pass.reference_of(to, v1::to_bytes(draft.message_at(sequence{index}))), number))
                valid = index;
        }
        if (valid < state.numbers.size()) {
            state.rewind(valid);
            state.may_repeat = true;
        }
        return {};
    }

    /// True if the journal holds this message right after the last known one: it was recorded before. Sets its number.
    static bool is_repeated(auto& state, reference const& name, std::uint64_t& number) noexcept {
        auto const held_number = state.lookup.find(name);
        state.may_repeat = held_number == state.expected;
        if (state.may_repeat) number = state.expected++;
        return state.may_repeat;
    }
    /// Starts looking behind the numbers that are known, unless an earlier run's digest has said where.
    static void seek_expected(auto& state) noexcept {
        if (state.expected != 0) return;
        state.numbers.each_run([&](std::uint64_t first, std::size_t count) {
            if (first != detail::journal_index::none && first + count > state.expected) state.expected = first + count;
        });
        state.lookup.seek(state.expected);
    }

    /// Reads the journal once, before the first message and after a loss of entries.
    store_error open(auto& draft, auto& pass) const {
        auto& state = pass.memory;
        if (state.opened) return {};
        detail::journal_index entries;
        if (auto const problem =
                to.read(pass.conversation(), [&](journal_entry const& entry, std::string_view) { entries.add(entry); }))
            return problem;
        if (state.may_repeat)
            if (auto const problem = check_numbers(draft, pass, state, entries)) return problem;
        state.next = entries.next();
        // A conversation that begins now does not continue earlier ones of the same id; only their numbers are taken.
        if (state.resumed != 0 || state.may_repeat) state.lookup = std::move(entries);
        state.opened = true;
        return {};
    }
};

}  // namespace v1
}  // namespace condense
