// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/pass.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/items.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/estimate/script_aware.hpp>

// A stand-in for the model of a layer in replays: answers by rule, and counts its calls.

namespace condense {
inline namespace v1 {

/// The calls of a stand-in so far, in tokens of its counter.
struct replay_model_figures {
    std::uint64_t calls = 0;
    tokens input = {};
    tokens output = {};

    friend constexpr bool operator==(replay_model_figures const&, replay_model_figures const&) = default;
};

/// A handle: copies share their figures. Equal prompts have equal answers: names, paths and numbers that the prompt has
/// more than once, then pieces from all over it. The answer is as long as summaries are in practice: a tenth of the
/// prompt within 300 to 1,500 tokens, but no more than a third of the prompt or than the limit of the call. Does not
/// show how well a model summarises. For one thread at a time.
class replay_model {
public:
    using counter = std::function<tokens(std::string_view)>;

    /// The usual bounds of an answer.
    static constexpr tokens least = {300};
    static constexpr tokens most = {1'500};

    /// `count` returns the tokens of a prompt or an answer.
    explicit replay_model(counter count = [](std::string_view text) { return default_estimator<>{}(text).tokens(); })
        : count_{std::move(count)}, figures_{std::make_shared<replay_model_figures>()} {}

    /// Answers a prompt, and counts the call.
    std::string operator()(std::string_view prompt, ask_limits limits) const {
        auto const input = count_(prompt);
        // A tenth, raised to the least; the upper bounds below have the last word.
        auto wanted = input.count / 10;
        if (wanted < least.count) wanted = least.count;
        for (auto const limit :
             {most.count, input.count / 3, limits.answer.count != 0 ? limits.answer.count : most.count})
            if (wanted > limit) wanted = limit;
        // An answer has as many bytes to a token as the prompt has.
        auto const room = input.count == 0
                              ? 0
                              : detail::scale_down(prompt.size(), wanted,
                                                   input.count < detail::none32 ? input.count : detail::none32);
        auto answer = excerpt(data_of(prompt), detail::as_size(room));
        ++figures_->calls;
        figures_->input = figures_->input + input;
        figures_->output = figures_->output + count_(answer);
        return answer;
    }

    /// Of all copies together; valid as long as one of them lives.
    replay_model_figures const& figures() const noexcept { return *figures_; }

private:
    /// The conversation within a prompt: this library fences it behind the instructions. Else the whole prompt.
    static std::string_view data_of(std::string_view prompt) noexcept {
        auto const fence = prompt.find("\n<transcript-");
        if (fence == std::string_view::npos) return prompt;
        auto const begin = prompt.find('\n', fence + 1);
        auto const end = prompt.rfind("\n</transcript-");
        if (begin == std::string_view::npos || end == std::string_view::npos || end <= begin) return prompt;
        return prompt.substr(begin + 1, end - begin - 1);
    }

    /// Names, paths and numbers that come more than once, each once, the one mentioned last first, as fit `room` bytes.
    static std::string details(std::string_view text, std::size_t room) {
        struct mention {
            std::string_view item;
            std::size_t position;
        };
        std::vector<mention> all;
        each_item(text, [&](item_kind kind, std::string_view item) {
            if (kind != item_kind::quoted) all.push_back({item, static_cast<std::size_t>(item.data() - text.data())});
        });
        std::sort(all.begin(), all.end(), [](mention const& left, mention const& right) {
            return left.item != right.item ? left.item < right.item : left.position > right.position;
        });
        std::vector<mention> repeated;
        // Equal items are neighbours, the latest first: of each run of two or more, take its first.
        for (std::size_t index = 1; index < all.size(); ++index)
            if (all[index].item == all[index - 1].item && (index == 1 || all[index - 2].item != all[index].item))
                repeated.push_back(all[index - 1]);
        std::sort(repeated.begin(), repeated.end(),
                  [](mention const& left, mention const& right) { return left.position > right.position; });
        std::string out;
        for (auto const& [item, position] : repeated) {
            if (out.size() + item.size() + 2 > room) break;
            out.append(item).append(", ");
        }
        return out;
    }

    /// Details in half of `room` bytes, then pieces of equal size at even distances, each from the beginning of a line
    /// if one is near. Cut at code points.
    static std::string excerpt(std::string_view text, std::size_t room) {
        auto out = details(text, room / 2);
        if (!out.empty()) out.back() = '\n';
        if (text.empty() || room <= out.size()) return out;
        constexpr std::size_t piece_most = 160;
        auto const pieces = (room - out.size()) / piece_most + 1;
        auto const piece_size = (room - out.size()) / pieces;
        auto const step = text.size() / pieces;
        for (std::size_t index = 0; index < pieces; ++index) {
            auto begin = step * index;
            auto const line_end = begin == 0 ? std::string_view::npos : text.find('\n', begin);
            if (line_end != std::string_view::npos && line_end + 1 < begin + step) begin = line_end + 1;
            auto const rest = text.substr(detail::utf8::ceil(text, begin));
            out.append(rest.substr(0, detail::utf8::floor(rest, piece_size < rest.size() ? piece_size : rest.size())));
        }
        return out;
    }

    counter count_;
    std::shared_ptr<replay_model_figures> figures_;
};

}  // namespace v1
}  // namespace condense
