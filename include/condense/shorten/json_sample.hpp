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

// Samples JSON and leaves it JSON: compress{.with = first_of(json_sample{}, head_tail{})}. Of a long array
// the rows that differ from the rest stay, whatever they differ in.

namespace condense {
inline namespace v1 {

/// Of an object keeps the first keys, of an array the first and last elements and between them those with
/// keys, types, values, words or sizes that few others have; of strings the beginning. Number spelling, key
/// order and repeated keys stay; white space goes. A marker, as the member "[...]" or an element where the
/// first gap is, says how many there were, of how many bytes, and how to have them back. Scalars, text that is
/// not JSON, and containers within the limits are left alone, one above a limit too, which is the marker's
/// place. Costs two passes over the text, more where the result is over `at_most`, which
/// holds for it with its markers; memory does not grow with the text.
struct json_sample {
    static constexpr part_kinds applies_to = part_kind::tool_result;

    std::uint64_t keys = 3;       ///< C3; of an object that is in no array
    std::uint64_t row_keys = 12;  ///< of an element that is an object; own figure, rows of logs have fewer
    std::uint64_t items = 3;      ///< C3; first elements of an array
    std::uint64_t last = 2;       ///< last elements of an array that is in no other, as `outliers` too
    std::uint64_t outliers = 10;  ///< T42: 15 rows with the first and last
    chars value = {100};          ///< C3; strings are cut where that saves more than a marker takes
    bool drop_null = false;       ///< members that are null go, and are not spoken of
    text_limit over =
        {};  ///< texts within it are left alone; unless given the layer's, which is C3's 10,000 characters there
    text_limit at_most = chars{8'000};  ///< C3; of the result, or `over` where that is less; where it is exceeded
                                        ///< values, then keys, then rows are halved

    constexpr std::optional<std::string> operator()(part_view const& part, cut how) const {
        auto const gate = detail::limit_of(*this, how);
        if (over.bounded() && gate.holds(part.text)) return std::nullopt;
        auto const most = at_most.halved(how.halvings);
        auto const limit = detail::no_less_than_marker(gate == text_limit{chars{0}} ? most : most && gate);
        bool const fits = limit.holds(part.text);
        std::string made;
        for (unsigned step = 0;; ++step) {
            if (step == 6) made = detail::json::excerpt_writer::only_marker(part.text, how.how);
            else {
                auto tried = detail::json::excerpt_writer{limits(how.halvings, step), how.how}(part.text);
                if (!tried.json || (!tried.less && fits)) return std::nullopt;
                made = std::move(tried.text);
            }
            if (step == 6 || limit.holds(made)) break;
        }
        if (made.size() >= part.text.size()) return std::nullopt;
        return made;
    }

    constexpr void validate() const {
        detail::check_room(at_most);
        detail::reject_unless(outliers <= 1'000,
                              "condense: json_sample: outliers must be at most 1,000 (see json_sample)");
    }
    friend constexpr bool operator==(json_sample const&, json_sample const&) = default;

private:
    constexpr detail::json::excerpt_limits limits(unsigned halvings, unsigned step) const noexcept {
        auto const less = [&](std::uint64_t count, unsigned more) {
            auto const times = halvings > 63 ? 63 : halvings + more;
            return times > 63 ? 0 : count >> times;
        };
        return {less(keys, step / 2),
                less(row_keys, step),
                less(items, step / 2),
                less(last, step / 2),
                less(outliers, step / 2),
                less(value.count, step),
                drop_null};
    }
};

}  // namespace v1
}  // namespace condense
