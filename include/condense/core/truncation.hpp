// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <condense/core/message.hpp>
#include <condense/core/view.hpp>
#include <condense/detail/text.hpp>

// The audit trail of what was cut: one truncation for each part that a layer has shortened, stored or taken out,
// told to an observer, and by reduction.each_truncation(f).

namespace condense {
inline namespace v1 {

/// What a layer left of one part, and where the original is; row D6, as nobody should have to guess what a model
/// did not see. A part that two layers cut has an entry for each, in their order.
struct truncation {
    sequence message = {};    ///< its number in the history, and in journals
    std::uint32_t part = 0;   ///< in each_part order
    part_kind kind = part_kind::text;
    std::string_view layer = {};  ///< its name in the report
    chars before = {};        ///< as the layer found it; of media what stands for them
    chars after = {};         ///< 0 where it was taken out
    reference stored = {};    ///< by which a store has the original; none where no store has it
    bool recorded = false;    ///< a journal has the message

    std::string text() const {
        auto out = "truncated: message " + detail::grouped(message.number) + ", part " + detail::grouped(part) + " (";
        out.append(name(kind)).append(") by ").append(detail::printable(layer, 64)).append(": ");
        out += detail::grouped(before.count) + " -> " + detail::grouped(after.count) + " characters, the original is ";
        if (stored) return out + "stored as " + stored.text();
        return out + (recorded ? "in the journal" : "in the history alone");
    }
    friend constexpr bool operator==(truncation const&, truncation const&) = default;
};

namespace detail {

/// The step is one of those that led to what is left of its part: nothing has put the part back since.
template <class View>
constexpr bool led_to_present(View const& edits, std::size_t index) noexcept {
    auto at = edits.edit_at(edits.steps()[index].target);
    while (at > index + 1) at = edits.steps()[at - 1].previous;
    return at == index + 1;
}

/// Calls f(truncation) for each edit of a part that layers have made from step `mark` on, in their order, where
/// its message is still sent. Reads the texts. `layers` are the entries of the report.
template <class Source, class View, class Layers, class Function>
constexpr void each_truncation(Source const& source, outline const& facts, View const& edits, std::size_t mark,
                               Layers const& layers, bool recorded, Function&& f) {
    for (auto index = mark; index < edits.steps().size(); ++index) {
        auto const& cut = edits.steps()[index];
        bool const cuts = cut.kind == edit_kind::shorten || cut.kind == edit_kind::externalize || cut.kind == edit_kind::remove;
        if (!cuts || cut.author == 0 || cut.author > layers.size() || !led_to_present(edits, index)) continue;
        auto const& part = facts.part_at(cut.target);
        auto const number = part.message_index;
        if (edits.gone(facts.group_of(number)) || facts.message_at(number).released) continue;
        truncation made{.message = {number}, .part = cut.target - facts.message_at(number).first_part, .kind = part.kind,
                        .layer = layers[cut.author - 1].name, .recorded = recorded};
        auto const text_of = [&](auto const& one) -> auto const& { return edits.text_at(one.text); };
        if (cut.text != none32) {
            made.after = {utf8::count(text_of(cut).text)};
            made.stored = text_of(cut).stored;
        }
        if (cut.previous != 0) {
            auto const& found = text_of(edits.steps()[cut.previous - 1]);
            made.before = {utf8::count(found.text)};
            if (!made.stored) made.stored = found.stored;
        } else {
            auto&& m = source[number];
            std::uint32_t at = 0;
            v1::each_part(m, [&](part_view const& seen) {
                if (at++ == made.part) made.before = {utf8::count(seen.text)};
            });
        }
        f(made);
    }
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
