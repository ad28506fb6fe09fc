// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/quantity.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/plan/passages.hpp>
#include <condense/plan/ranking.hpp>
#include <condense/shorten/placeholder.hpp>

// The passages of a text that answer a question, with their neighbours and the first line of the text.

namespace condense {
inline namespace v1 {
namespace detail {

/// Writes the best passages of one text, in their order, within a size in bytes, and before them its first line, which
/// tells of most texts what they are: their date, command or path.
class excerpt_writer {
public:
    /// `ranked`: the passages of this text alone, the best first. `way` says where the whole is; it may be empty.
    excerpt_writer(std::string_view text, std::vector<ranked_passage> const& ranked, std::string_view way)
        : text_{text}, ranked_{ranked}, way_{way} {
        each_unit(text, [&](std::size_t offset, std::size_t) { begins_.push_back(offset); });
        begins_.push_back(text.size());
        auto const end = text.substr(0, longest_head).find('\n');
        if (end == text.npos) return;
        head_ = end + 1;
        utf8::each_scrubbed(text.substr(0, head_), [&](std::string_view piece) { head_cost_ += piece.size(); });
    }

    /// The excerpt, as valid UTF-8 of at most `room` bytes; empty if there is no passage, or the best one does not fit.
    /// Seven eighths of the room are for the best passages, then come their neighbours, then what else has words of the
    /// question.
    std::string write(std::size_t room) {
        auto out = write(room, head_);
        return out.empty() && head_ != 0 ? write(room, 0) : out;
    }

private:
    static constexpr std::size_t longest_head = 120;
    static constexpr std::size_t first_marker = 64;  // bytes of "[... 12,000 of 15,000 bytes omitted ...]" with breaks
    static constexpr std::size_t gap = 7;  // of "[...]" with breaks

    std::string write(std::size_t room, std::size_t head) {
        chosen_.assign(begins_.size() - 1, false);
        head_in_room_ = head == 0 ? 0 : head_cost_;
        used_ = first_marker + way_.size() + head_in_room_;
        auto const best_room = room / 8 * 7;
        std::size_t count = 0;
        for (auto const& each : ranked_) {
            if (!take(place_of(each.offset), count == 0 ? room : best_room)) break;
            ++count;
        }
        if (count == 0) return {};
        for (std::size_t index = 0; index < count; ++index) {
            auto const place = place_of(ranked_[index].offset);
            if (place + 1 < chosen_.size() && !take(place + 1, room)) break;
            if (place != 0 && !take(place - 1, room)) break;
        }
        for (auto index = count; index < ranked_.size(); ++index)
            if (!take(place_of(ranked_[index].offset), room)) break;
        return text_of_chosen(head);
    }
    std::size_t place_of(std::size_t offset) const noexcept {
        return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), offset) - begins_.begin()) - 1;
    }

    /// Chooses a passage, if it fits; true also for one that is chosen already.
    bool take(std::size_t place, std::size_t room) {
        if (place >= chosen_.size()) return false;  // of a text that was longer when it was ranked
        if (chosen_[place]) return true;
        auto used = used_ + gap;
        utf8::each_scrubbed(passage(place), [&](std::string_view piece) { used += piece.size(); });
        if (place + 1 < chosen_.size() && chosen_[place + 1]) used -= gap;
        if (place != 0 && chosen_[place - 1]) used -= gap;
        if (place == 0) used -= head_in_room_;  // the first line is part of it
        if (used > room) return false;
        used_ = used;
        return chosen_[place] = true;
    }
    std::string_view passage(std::size_t place) const noexcept {
        return text_.substr(begins_[place], begins_[place + 1] - begins_[place]);
    }

    std::string text_of_chosen(std::size_t head) const {
        std::string out;
        std::size_t shown = 0;
        for (std::size_t place = 0; place < chosen_.size(); ++place)
            if (chosen_[place]) shown += passage(place).size();
        if (chosen_[0]) head = 0;
        utf8::append_scrubbed(out, text_.substr(0, head));
        bool first = true;
        auto const omit = [&](std::size_t begin, std::size_t end) {
            if (begin == end) return;
            if (!out.empty() && out.back() != '\n') out.push_back('\n');
            bool const says = std::exchange(first, false);
            out.append(says ? omission(text_.size() - head - shown, text_.size(), "bytes", way_) : "[...]");
            out.push_back('\n');
        };
        std::size_t behind = head;
        for (std::size_t place = 0; place < chosen_.size(); ++place) {
            if (!chosen_[place]) continue;
            omit(behind, begins_[place]);
            behind = begins_[place + 1];
            utf8::append_scrubbed(out, passage(place));
        }
        if (behind != text_.size()) {
            omit(behind, text_.size());
            out.pop_back();
        }
        return out;
    }

    std::string_view text_;
    std::vector<ranked_passage> const& ranked_;
    std::string_view way_;
    std::vector<std::size_t> begins_;  ///< of the passages, then the size of the text
    std::vector<bool> chosen_;
    std::size_t head_ = 0;  ///< bytes of the first line; 0 if it is no short one
    std::size_t head_cost_ = 0;  ///< its bytes as UTF-8
    std::size_t head_in_room_ = 0;  ///< of these, what is used
    std::size_t used_ = 0;
};

/// The excerpt of a text for at most `limit` tokens, by `measure(std::string_view) -> tokens`; empty if nothing of the
/// question is in it, or nothing fits. `total`: what the text costs.
template <class Measure>
std::string excerpt_within(std::string_view text, std::vector<ranked_passage> const& ranked, std::string_view way,
                           tokens limit, tokens total, Measure const& measure) {
    if (ranked.empty()) return {};
    excerpt_writer writer{text, ranked, way};
    auto room = limit >= total ? text.size() : as_size(scale_down(text.size(), limit.count, total.count));
    for (; room != 0; room = room / 8 * 7) {
        auto out = writer.write(room);
        if (out.empty() || measure(out) <= limit) return out;
        if (room < 8) break;
    }
    return {};
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
