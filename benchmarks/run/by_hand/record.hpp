// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/layer/journal_index.hpp>

#include "ledger.hpp"

// Appends every message to a journal before anything is lost, by hand. The lines are those that the library writes, so
// that either goes on where the other stopped; the index over a journal's names is the library's.

namespace by_hand {

using condense::reference;

inline std::string bytes_of(chat_message const& m) { return condense::message_traits<chat_message>::to_bytes(m); }

/// A conversation that goes on: what comes is appended as it comes.
template <class Journal>
class recorder {
public:
    explicit recorder(Journal to) : to_{std::move(to)} {}

    /// Appends what the journal does not hold yet; false where it did not take all.
    bool catch_up(std::vector<chat_message> const& history) {
        if (recorded_ == history.size() && flushed_) return true;
        if (!opened_) {
            auto const past = [this](condense::journal_entry const& line, std::string_view) {
                if (!line.is_derived && line.number >= next_) next_ = line.number + 1;
            };
            if (to_.read({}, past)) return false;
            opened_ = true;
        }
        for (; recorded_ != history.size(); ++recorded_) {
            auto const content = bytes_of(history[recorded_]);
            if (to_.append({}, {to_.name(content), next_}, content)) return false;
            ++next_;
            flushed_ = false;
        }
        flushed_ = !to_.flush({});
        return flushed_;
    }

private:
    Journal to_;
    std::size_t recorded_ = 0;
    std::uint64_t next_ = 0;
    bool opened_ = false;
    bool flushed_ = true;
};

/// One call on a history, of which an earlier call may have recorded some.
template <class Journal>
class recorded_history {
public:
    explicit recorded_history(Journal const& to) : to_{&to} {}

    bool record(std::vector<chat_message> const& history) {
        if (to_->read({}, [this](condense::journal_entry const& line, std::string_view) { held_.add(line); }))
            return false;
        next_ = held_.next();
        names_.reserve(history.size());
        numbers_.reserve(history.size());
        if (next_ == 0)
            for (auto const& m : history) {
                auto const content = bytes_of(m);
                names_.push_back(to_->name(content));
                if (!append(content)) return false;
            }
        else if (!record_rest(history)) return false;
        return !to_->flush({});
    }

    // What this call has left, in order; then `close`. False where the journal did not take it.
    void left(std::uint32_t index) { digest_ = digest(digest_, names_[index]); }
    bool left(std::uint32_t from, chat_message const& made) {
        auto const name = to_->name(bytes_of(made));
        digest_ = digest(digest_, name);
        return held_.has_derived(name, numbers_[from]) || !to_->append({}, {name, numbers_[from], true}, {});
    }
    bool close() {
        if (digest_ && held_.after_view(digest_) != next_ && to_->append({}, {digest_, next_, true}, {})) return false;
        return !to_->flush({});
    }

private:
    static constexpr auto none = condense::journal_index::none;

    bool append(std::string const& content) {
        if (to_->append({}, {names_[numbers_.size()], next_}, content)) return false;
        numbers_.push_back(next_++);
        return true;
    }

    /// A message that is held is one that comes after those before it; what an earlier call has left is known by its
    /// digest.
    bool record_rest(std::vector<chat_message> const& history) {
        std::size_t seen = 0;
        std::uint64_t after = 0;
        reference all;
        for (auto const& m : history) {
            names_.push_back(to_->name(bytes_of(m)));
            all = digest(all, names_.back());
            if (auto const number = held_.after_view(all); number != none) {
                seen = names_.size();
                after = number;
            }
        }
        for (std::size_t index = 0; index < history.size(); ++index) {
            if (index == seen && index != 0) held_.seek(after);
            auto number = held_.find(names_[index]);
            if (number == none && index < seen) number = after - 1;
            if (number != none) numbers_.push_back(number);
            else if (!append(bytes_of(history[index]))) return false;
        }
        return true;
    }

    reference digest(reference const& before, reference const& name) const {
        std::array<char, 2 * 2 * std::tuple_size_v<decltype(reference::digest)>> spelt;
        std::size_t at = 0;
        for (auto const* const one : {&before, &name})
            for (auto const byte : one->digest) {
                spelt[at++] = "0123456789abcdef"[byte >> 4];
                spelt[at++] = "0123456789abcdef"[byte & 15];
            }
        return to_->name({spelt.data(), spelt.size()});
    }

    Journal const* to_;
    condense::journal_index held_;
    std::vector<reference> names_;
    std::vector<std::uint64_t> numbers_;
    std::uint64_t next_ = 0;
    reference digest_;
};

}  // namespace by_hand
