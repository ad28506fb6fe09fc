// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/handles.hpp>
#include <condense/core/part.hpp>
#include <condense/detail/address.hpp>
#include <condense/llm/departures.hpp>
#include <condense/llm/prompt.hpp>
#include <condense/shorten/shortener.hpp>

// Shows what a summary replaces to a rule or to the prompt of a model: reader.see(role, part, is_summary).

namespace condense {
inline namespace v1 {

/// What a model reads where there is an earlier summary.
enum class earlier_summary : std::uint8_t {
    update,  ///< that summary, and what came after it
    reread,  ///< the original messages that it replaced, if they are in memory and fit; costs them again each time
};

/// The default of `summarize::input`: a model reads texts as they are in the conversation.
struct unshortened {
    friend constexpr bool operator==(unshortened, unshortened) = default;
};

namespace detail {

/// Shows the parts of the groups. Summaries of this run have no message of their own in the outline; their role is
/// user.
template <class Draft, class Reader>
void read_groups(Draft const& draft, std::vector<group> const& groups, Reader& reader) {
    for (auto const which : groups) {
        auto const facts = draft.about(which);
        draft.each_part(which, [&](part_ref ref, part_view const& part) {
            auto const speaker = facts.summary || which.is_summary()
                                     ? role::user
                                     : draft.outline().message_at(ref.message_index).speaker;
            reader.see(speaker, part, facts.summary, ref);
        });
    }
}

/// Shows, in the place of the session's own summaries among the groups, the originals of what has left before the last
/// of the groups. Returns false, and shows nothing, if there is no such summary or an original was released.
template <class Draft, class Reader>
bool read_originals(Draft const& draft, std::vector<group> const& groups, Reader& reader) {
    std::uint32_t end = 0;
    bool any = false;
    for (auto const which : groups) {
        if (which.is_summary()) any = true;
        else draft.each_member(which, [&](std::uint32_t index) { end = index >= end ? index + 1 : end; });
    }
    leaving_groups const leaving{groups};
    auto const has_left = [&](std::uint32_t index) {
        return draft.edits().is_dropped(draft.outline().group_of(index));
    };
    for (std::uint32_t index = 0; any && index < end; ++index)
        any = !has_left(index) || !draft.outline().message_at(index).released;
    for (std::uint32_t index = 0; any && index < end; ++index) {
        auto const& message = draft.outline().message_at(index);
        auto const show = [&](part_ref ref, part_view const& part) {
            reader.see(message.speaker, part, message.summary, ref);
        };
        if (has_left(index)) draft.each_original(sequence{index}, show);
        else if (leaving.holds(group{draft.outline().group_of(index)})) draft.each_part(sequence{index}, show);
    }
    return any;
}

/// Writes parts to a prompt, redacted first, as half of a secret would not be recognised, then shortened.
template <class Draft, class Pass, class Input>
class prompt_reader {
public:
    prompt_reader(Draft const& draft, Pass const& pass, Input const& input, chars over, chars part_limit)
        : draft_{detail::address_of(draft)}, pass_{detail::address_of(pass)}, input_{detail::address_of(input)},
          over_{over}, prompt_{part_limit} {}

    void see(role speaker, part_view part, bool summary, part_ref ref) {
        pass_->with_redacted(part.text, [&](std::string_view text, std::size_t count) {
            part.text = text;
            redactions_ += count;
            std::optional<std::string> shorter;
            if constexpr (!std::same_as<Input, unshortened>)
                if (!summary) shorter = bind_shortener(*input_, *draft_)(ref, part, {.over = over_});
            if (shorter && shorter->size() < part.text.size()) part.text = *shorter;
            prompt_.see(speaker, part, summary);
        });
    }
    summary_prompt const& prompt() const noexcept { return prompt_; }
    std::size_t redactions() const noexcept { return redactions_; }

private:
    Draft const* draft_;
    Pass const* pass_;
    Input const* input_;
    chars over_;
    summary_prompt prompt_;
    std::size_t redactions_ = 0;
};

/// Shows parts to a rule.
template <class Notes>
struct rule_reader {
    Notes& notes;
    void see(role speaker, part_view const& part, bool summary, part_ref) { notes.see(speaker, part, summary); }
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
