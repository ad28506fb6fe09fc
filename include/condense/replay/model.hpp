// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <condense/core/pass.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/estimate/char_ratio.hpp>

// Stands in for the model of a layer where conversations are replayed: answers by rule, and counts what
// it was asked.

namespace condense {
inline namespace v1 {

/// What a stand-in was asked so far.
struct replay_model_figures {
    std::uint64_t calls = 0;
    tokens input = {};
    tokens output = {};

    friend constexpr bool operator==(replay_model_figures const&, replay_model_figures const&) = default;
};

/// A handle: copies share their figures. The same prompt has the same answer: of its lines the beginnings,
/// from all over it, as long as summaries are in practice, a tenth of the prompt but 300 to 1,500 tokens,
/// and no more than a third of it or than was allowed. For one thread at a time.
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
        for (auto const bound : {most.count, read.count / 3, limits.answer.count != 0 ? limits.answer.count : most.count})
            if (wanted > bound) wanted = bound;
        // As many bytes as hold so many tokens in the prompt itself.
        auto const room = read.count == 0 ? 0 : detail::scale_down(prompt.size(), wanted, read.count < detail::none32 ? read.count : detail::none32);
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

    /// Beginnings of lines, evenly from all over the text.
    static std::string excerpt(std::string_view text, std::size_t room) {
        std::string out;
        if (text.empty() || room == 0) return out;
        constexpr std::size_t line_most = 160;
        auto const wanted = room / line_most + 1;
        for (std::size_t place = 0; place < wanted && out.size() < room; ++place) {
            auto at = text.size() / wanted * place;
            if (at != 0) {
                auto const next = text.find('\n', at);
                auto const later = text.size() / wanted * (place + 1);
                at = next == std::string_view::npos || next + 1 >= later ? at : next + 1;
            }
            auto line = text.substr(at);
            while (!line.empty() && (static_cast<unsigned char>(line.front()) & 0xC0) == 0x80) line.remove_prefix(1);
            line = line.substr(0, line.find('\n'));
            auto const left = room - out.size() < line_most ? room - out.size() : line_most;
            out.append(line.substr(0, detail::utf8::floor(line, left)));
            if (out.size() < room) out.push_back('\n');
        }
        return out;
    }

    counter count_;
    std::shared_ptr<replay_model_figures> figures_;
};

}  // namespace v1
}  // namespace condense
