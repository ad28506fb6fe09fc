// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <condense/core/part.hpp>
#include <condense/detail/reject.hpp>
#include <condense/shorten/head_tail.hpp>
#include <condense/shorten/json_excerpt.hpp>
#include <condense/shorten/shortener.hpp>
#include <condense/shorten/text_limit.hpp>

// Samples JSON; the result is JSON: compress{.with = first_of(json_sample{}, head_tail{})}. Keeps the rows of a long
// array that differ from the rest.

namespace condense {
inline namespace v1 {

/// Keeps the first keys of an object; the first and last elements of an array, and between them those with keys, types,
/// values, words or sizes that few others have; the beginning of a string. The spelling of numbers, the order of keys
/// and repeated keys stay; white space is removed. A marker at the first gap, the member "[...]" or an element, says
/// how many members of how many bytes are missing and how to get them back. Leaves alone scalars, text that is not
/// JSON, and containers within the limits or one above, which would be the marker's place. Costs two passes over the
/// text, more if the result, markers included, is over `at_most`; memory does not grow with the text.
struct json_sample {
    static constexpr part_kinds applies_to = part_kind::tool_result;

    std::uint64_t keys = 3;  ///< of an object that is in no array; as in the preset `cascade`
    std::uint64_t row_keys = 12;  ///< of an element that is an object; rows of logs have fewer
    std::uint64_t items = 3;  ///< first elements of an array; as in the preset `cascade`
    std::uint64_t last = 2;  ///< last elements of an array that is in no other, as `outliers` too
    std::uint64_t outliers = 10;  ///< rows that differ; 15 with the first and last
    chars value = {100};  ///< strings are cut if that saves more than a marker takes; as in `cascade`
    bool drop_null = false;  ///< removes null members without a marker
    /// Texts within it are left alone; by default the layer's limit, 10,000 characters in `compress`.
    text_limit over = {};
    /// The largest result, or `over` if that is less. If a result exceeds it, values, then keys, then rows are halved.
    /// The default is that of the preset `cascade`.
    text_limit at_most = chars{8'000};

    constexpr std::optional<std::string> operator()(part_view const& part, cut context) const {
        auto const gate = detail::limit_of(*this, context);
        if (over.bounded() && gate.holds(part.text)) return std::nullopt;
        auto const size_limit = context.effective(at_most);
        auto const limit = detail::no_less_than_marker(gate == text_limit{chars{0}} ? size_limit : size_limit && gate);
        bool const fits = limit.holds(part.text);
        detail::json::excerpt_writer write{part.text, context.how, limits(context.halvings, 0).outliers != 0};
        if (!write.is_json()) return std::nullopt;
        std::string result;
        // Six attempts with ever smaller limits; after the last one the marker alone remains.
        for (unsigned step = 0; step == 0 || !limit.holds(result); ++step) {
            if (step == 6) {
                result = write.only_marker();
                break;
            }
            if (!write(result, limits(context.halvings, step), limit) && fits) return std::nullopt;
        }
        if (result.size() >= part.text.size()) return std::nullopt;
        return result;
    }

    constexpr void validate() const {
        detail::check_room(at_most);
        detail::reject_unless(outliers <= 1'000,
                              "condense: json_sample: outliers must be at most 1,000 (see json_sample)");
    }
    friend constexpr bool operator==(json_sample const&, json_sample const&) = default;

private:
    /// Values and the keys of rows shrink with each step, the other limits with every second.
    constexpr detail::json::excerpt_limits limits(unsigned halvings, unsigned step) const noexcept {
        auto const halved = [&](std::uint64_t count, unsigned extra_halvings) {
            auto const times = halvings > 63 ? 63 : halvings + extra_halvings;
            return times > 63 ? 0 : count >> times;
        };
        return {halved(keys, step / 2),
                halved(row_keys, step),
                halved(items, step / 2),
                halved(last, step / 2),
                halved(outliers, step / 2),
                halved(value.count, step),
                drop_null};
    }
};

}  // namespace v1
}  // namespace condense
