// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/grow.hpp>
#include <condense/detail/netstring.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/plan/artifact.hpp>

// The memory of the layer plan: which results there are, and which question was planned last.

namespace condense {
inline namespace v1 {
namespace detail {

/// The memory of a plan: where its artifacts are, and what it was planned for last. Plain data, saved with its session,
/// but for the plan of a model, which is asked again after that.
class plan_memory {
public:
    struct place {
        std::uint32_t message = 0;
        std::uint32_t part = 0;  ///< of the message
        std::uint32_t turn = 0;
        friend constexpr auto operator<=>(place const&, place const&) = default;
    };

    /// Notes the results over the limit among the messages that it has not seen; at most `most` of them, the newest.
    template <class Draft>
    void see(Draft const& draft, bytes over, std::size_t most) {
        auto const& facts = draft.outline();
        for (next_ = static_cast<std::uint32_t>(facts.next_record(next_)); next_ < facts.size();
             next_ = static_cast<std::uint32_t>(facts.next_record(next_ + 1))) {
            auto const& message = facts.message_at(next_);
            grow(places_, message.part_count);  // what follows cannot fail halfway
            if (message.plain_user) ++turn_;
            for (std::uint32_t part = 0; part < message.part_count; ++part) {
                auto const& record = facts.part_at(message.first_part + part);
                if (record.kind == part_kind::tool_result && record.size > over.count)
                    places_.push_back({next_, part, turn_});
            }
        }
        if (places_.size() > most) places_.erase(places_.begin(), places_.end() - static_cast<std::ptrdiff_t>(most));
    }
    std::vector<place> const& places() const noexcept { return places_; }

    /// "turn 12: ", if it is among the places.
    std::string turn_of(std::uint32_t message, std::uint32_t part) const {
        auto const position = std::lower_bound(places_.begin(), places_.end(), place{message, part, 0});
        bool const known = position != places_.end() && position->message == message && position->part == part;
        return known ? "turn " + std::to_string(position->turn) + ": " : std::string{};
    }

    /// True if no run was about this question yet: the latest one was about another.
    bool is_new(std::uint64_t question) const noexcept { return !asked_ || question != question_; }
    /// True if the same artifacts were planned for the same question, with no more room than now.
    bool is_planned(std::uint64_t question, std::uint64_t artifacts, std::uint64_t room) const noexcept {
        return !is_new(question) && artifacts == artifacts_ && room >= room_;
    }
    /// A run was about the question, but nothing was planned.
    void set_asked(std::uint64_t question) noexcept {
        if (is_new(question)) set_planned(question, 0, u64_limit);
    }
    void set_planned(std::uint64_t question, std::uint64_t artifacts, std::uint64_t room) noexcept {
        asked_ = true;
        question_ = question;
        artifacts_ = artifacts;
        room_ = room;
    }

    /// The plan that was made for this question, with no artifact unknown to it; null if there is none.
    artifact_plan const* plan_for(std::uint64_t question, std::vector<artifact> const& all) const {
        if (!kept_ || kept_question_ != question) return nullptr;
        for (auto const& each : all)
            if (!std::binary_search(kept_ids_.begin(), kept_ids_.end(), each.id)) return nullptr;
        return &*kept_;
    }
    void keep_plan(std::uint64_t question, std::vector<artifact> const& all, artifact_plan const& plan) {
        kept_.reset();
        kept_ids_.clear();
        for (auto const& each : all) kept_ids_.push_back(each.id);
        std::sort(kept_ids_.begin(), kept_ids_.end());
        kept_question_ = question;
        kept_ = plan;
    }

    /// Figures as netstrings: those of the latest plan, then three for each place.
    std::string save() const {
        std::string out;
        for (auto const figure : {std::uint64_t{next_}, std::uint64_t{turn_}, std::uint64_t{asked_ ? 1u : 0u},
                                  question_, artifacts_, room_})
            put_field(out, figure);
        for (auto const& each : places_)
            for (auto const figure : {each.message, each.part, each.turn}) put_field(out, std::uint64_t{figure});
        return out;
    }
    /// False, and unchanged, for a text that was not saved for a conversation of so many messages.
    bool load(std::string_view text, std::size_t message_count) {
        plan_memory loaded;
        if (field_reader reader{text}; !reader.done()) {
            loaded.next_ = static_cast<std::uint32_t>(reader.number((std::min)(message_count, std::size_t{none32})));
            loaded.turn_ = static_cast<std::uint32_t>(reader.number(none32));
            loaded.asked_ = reader.number(1) == 1;
            for (auto* const figure : {&loaded.question_, &loaded.artifacts_, &loaded.room_})
                *figure = reader.number(u64_limit);
            while (!reader.done()) {
                place next;
                for (auto* const figure : {&next.message, &next.part, &next.turn})
                    *figure = static_cast<std::uint32_t>(reader.number(none32));
                bool const follows = loaded.places_.empty() || loaded.places_.back() < next;
                if (next.message >= loaded.next_ || !follows) return false;
                loaded.places_.push_back(next);
            }
            if (reader.broken()) return false;
        }
        *this = std::move(loaded);
        return true;
    }
    /// Other messages may have come in place of those that were seen: all are looked at again.
    void rewind(std::uint64_t) noexcept {
        places_.clear();
        next_ = turn_ = 0;
        kept_.reset();
    }

private:
    std::vector<place> places_;  ///< in order of arrival
    std::uint32_t next_ = 0;
    std::uint32_t turn_ = 0;
    bool asked_ = false;
    std::uint64_t question_ = 0;  ///< hashes
    std::uint64_t artifacts_ = 0;
    std::uint64_t room_ = 0;
    std::uint64_t kept_question_ = 0;
    std::vector<std::string> kept_ids_;  ///< sorted
    std::optional<artifact_plan> kept_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
