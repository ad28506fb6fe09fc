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
#include <condense/detail/saturate.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/estimate/script_aware.hpp>
#include <condense/replay/items.hpp>

// A stand-in for the model of a layer in replays: answers by rule, and counts its calls.

namespace condense {
inline namespace v1 {

/// The calls of a stand-in so far.
struct replay_model_figures {
    std::uint64_t calls = 0;
    tokens input = {};
    tokens output = {};

    friend constexpr bool operator==(replay_model_figures const&, replay_model_figures const&) = default;
};

/// A handle: copies share their figures. The same prompt has the same answer: names, paths and figures that it
/// has more than once, and pieces from all over it, together as long as summaries are in practice: a tenth of
/// the prompt but 300 to 1,500 tokens, and no more than a third of it or than was allowed. Says nothing of how
/// well a model summarises. For one thread at a time.
class replay_model {
public:
    using counter = std::function<tokens(std::string_view)>;

    static constexpr tokens least = {300};
    static constexpr tokens most = {1'500};

    /// `count` says what prompts and answers cost.
    explicit replay_model(counter count = [](std::string_view text) { return default_estimator<>{}(text).tokens(); })
        : count_{std::move(count)}, figures_{std::make_shared<replay_model_figures>()} {}

    std::string operator()(std::string_view prompt, ask_limits limits) const {
        auto const read = count_(prompt);
        auto wanted = read.count / 10;
        if (wanted < least.count) wanted = least.count;
        for (auto const bound :
             {most.count, read.count / 3, limits.answer.count != 0 ? limits.answer.count : most.count})
            if (wanted > bound) wanted = bound;
        // As many bytes as hold so many tokens in the prompt itself.
        auto const room =
            read.count == 0
                ? 0
                : detail::scale_down(prompt.size(), wanted, read.count < detail::none32 ? read.count : detail::none32);
        auto out = excerpt(data_of(prompt), detail::as_size(room));
        ++figures_->calls;
        figures_->input = figures_->input + read;
        figures_->output = figures_->output + count_(out);
        return out;
    }

    replay_model_figures const& figures() const noexcept { return *figures_; }

private:
    /// What stands behind the instructions: a prompt of this library has it in a fence.
    static std::string_view data_of(std::string_view prompt) noexcept {
        auto const fence = prompt.find("\n<transcript-");
        if (fence == std::string_view::npos) return prompt;
        auto const begin = prompt.find('\n', fence + 1);
        auto const end = prompt.rfind("\n</transcript-");
        if (begin == std::string_view::npos || end == std::string_view::npos || end <= begin) return prompt;
        return prompt.substr(begin + 1, end - begin - 1);
    }

    /// Names, paths and figures that come more than once, the latest first, each once.
    static std::string details(std::string_view text, std::size_t room) {
        struct mention {
            std::string_view item;
            std::size_t at;
        };
        std::vector<mention> all;
        each_item(text, [&](item_kind kind, std::string_view item) {
            if (kind != item_kind::quoted) all.push_back({item, static_cast<std::size_t>(item.data() - text.data())});
        });
        std::sort(all.begin(), all.end(), [](mention const& left, mention const& right) {
            return left.item != right.item ? left.item < right.item : left.at > right.at;
        });
        std::vector<mention> repeated;
        for (std::size_t at = 1; at < all.size(); ++at)
            if (all[at].item == all[at - 1].item && (at == 1 || all[at - 2].item != all[at].item))
                repeated.push_back(all[at - 1]);
        std::sort(repeated.begin(), repeated.end(),
                  [](mention const& left, mention const& right) { return left.at > right.at; });
        std::string out;
        for (auto const& [item, at] : repeated) {
            if (out.size() + item.size() + 2 > room) break;
            out.append(item).append(", ");
        }
        return out;
    }

    /// Pieces from all over the text, evenly, each from the beginning of a line where there is one.
    static std::string excerpt(std::string_view text, std::size_t room) {
        auto out = details(text, room / 2);
        if (!out.empty()) out.back() = '\n';
        if (text.empty() || room <= out.size()) return out;
        constexpr std::size_t piece_most = 160;
        auto const wanted = (room - out.size()) / piece_most + 1;
        auto const piece = (room - out.size()) / wanted;
        auto const step = text.size() / wanted;
        for (std::size_t place = 0; place < wanted; ++place) {
            auto at = step * place;
            auto const next = at == 0 ? std::string_view::npos : text.find('\n', at);
            if (next != std::string_view::npos && next + 1 < at + step) at = next + 1;
            auto const rest = text.substr(detail::utf8::ceil(text, at));
            out.append(rest.substr(0, detail::utf8::floor(rest, piece < rest.size() ? piece : rest.size())));
        }
        return out;
    }

    counter count_;
    std::shared_ptr<replay_model_figures> figures_;
};

}  // namespace v1
}  // namespace condense
