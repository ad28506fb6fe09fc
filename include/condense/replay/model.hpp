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

#include <condense/core/estimator.hpp>
#include <condense/core/model_prompt.hpp>
#include <condense/core/pass.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/usage.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/items.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/estimate/script_aware.hpp>
#include <condense/llm/model_call.hpp>
#include <condense/llm/summary_reply.hpp>
#include <condense/replay/arguments.hpp>
#include <condense/replay/sent.hpp>

// A stand-in for the model of a layer in replays: answers by rule or passes prompts on, and counts its calls.

namespace condense {
inline namespace v1 {

/// A model in the stand-in's place; empty for none.
using replay_summarizer = std::function<reply<std::string>(model_prompt const&, ask_limits)>;

/// The calls of a stand-in so far, in tokens of its estimator, or as the model in its place reports them.
struct replay_model_figures {
    std::uint64_t calls = 0;
    tokens input = {};
    tokens output = {};
    std::uint64_t failures = 0;  ///< calls without a summary: errors, refusals, answers that were cut off

    friend constexpr bool operator==(replay_model_figures const&, replay_model_figures const&) = default;
};

/// A handle: copies share their figures. Equal prompts have equal answers: names, paths and numbers that the prompt has
/// more than once, then pieces from all over it. The answer is as long as summaries are in practice: a tenth of the
/// prompt within 300 to 1,500 tokens, but no more than a third of the prompt or than the limit of the call. Does not
/// show how well a model summarises. For one thread at a time.
///
/// Behind the agent's request, `on_prefix{edges.model}`, what that shares with the latest one is read from the prompt
/// cache, and a request that does not fit the window with its answer is refused.
class replay_model {
    /// Any estimator.
    struct counter {
        std::function<cost(std::string_view)> text;
        std::function<cost(role, std::string_view)> of_author;
        std::function<cost(part_view const&)> of_part;

        cost operator()(std::string_view content) const { return text(content); }
        cost frame(role speaker, std::string_view name) const { return of_author(speaker, name); }
        cost frame(part_view const& part) const { return of_part(part); }
    };
    struct state {
        replay_model_figures figures = {};
        std::vector<detail::sent_message> const* request = nullptr;  ///< the latest one
        budget limits = {};
    };

public:
    /// The usual bounds of an answer.
    static constexpr tokens least = {300};
    static constexpr tokens most = {1'500};

    replay_model() : replay_model{default_estimator<>{}, {}} {}
    /// Counts by `estimator`. Prompts go to `other` if there is one; what it throws passes through.
    template <token_estimator Estimator>
    replay_model(Estimator const& estimator, replay_summarizer other)
        : count_{.text = estimator,
                 .of_author =
                     [estimator](role speaker, std::string_view name) {
                         return detail::frame_cost(estimator, speaker, [&] { return name; });
                     },
                 .of_part = [estimator](part_view const& part) { return detail::frame_cost(estimator, part); }},
          other_{std::move(other)}, state_{std::make_shared<state>()} {}

    /// Answers a prompt, and counts the call.
    reply<std::string> operator()(model_prompt const& prompt, ask_limits limits) const {
        if (other_) return counted(other_(prompt, limits));
        auto const text = prompt.text();
        return answer(text, data_of(text), {.input = count_(text).tokens()}, limits);
    }
    reply<std::string> operator()(std::string_view prompt, ask_limits limits) const {
        return (*this)(model_prompt{.instructions = std::string{prompt}}, limits);
    }

    /// Answers by rule behind a request, whatever the other model is: the agent's requests are not sent, so no provider
    /// has them in its cache.
    template <class Messages>
    reply<std::string> ask_after(Messages const& all, std::string_view instruction, ask_limits limits = {}) const {
        static std::vector<detail::sent_message> const none;
        auto const& latest = state_->request == nullptr ? none : *state_->request;
        auto sum = cost::of(state_->limits.overhead);
        auto cached = latest.empty() ? cost{} : sum;
        auto next = latest.begin();
        std::string text;
        for (auto const& message : all) {
            auto const size = detail::cost_of_message(message, count_);
            if (next != latest.end() && next->print == detail::read_message(message).print) {
                cached += size;
                ++next;
            } else next = latest.end();
            sum += size;
            detail::each_text(message, [&](std::string_view part) { text.append(part).push_back('\n'); });
        }
        auto const input = (sum + count_(instruction)).tokens();
        auto const wanted = input + limits.answer;
        auto const window = state_->limits.window;
        if (window != tokens{} && window < wanted)
            return counted({.error = {.status = 400,
                                      .text = "prompt is too long: " + std::to_string(wanted.count) + " tokens > " +
                                              std::to_string(window.count) + " maximum"}});
        tokens const read{cached.steps / cost::per_token};
        return answer(text, text, {.input = input - read, .cache_read = read}, limits);
    }

    /// Of all copies together; valid as long as one of them lives.
    replay_model_figures const& figures() const noexcept { return state_->figures; }

    /// Tells the agent's latest request, which must outlive the replay, and its limits.
    void begin(std::vector<detail::sent_message> const& request, budget const& limits) const noexcept {
        state_->request = &request;
        state_->limits = limits;
    }

private:
    /// Counts a call.
    reply<std::string> counted(reply<std::string> summary) const {
        auto& figures = state_->figures;
        ++figures.calls;
        figures.input = figures.input + summary.usage.request();
        figures.output = figures.output + summary.usage.output;
        figures.failures += detail::summary_reply_of(summary).problem.empty() ? 0u : 1u;
        return summary;
    }

    /// The answer to a prompt about `data`, with the usage of both.
    reply<std::string> answer(std::string_view prompt, std::string_view data, provider_usage usage,
                              ask_limits limits) const {
        auto const input = usage.request();
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
        auto text = excerpt(data, detail::as_size(room));
        usage.output = count_(text).tokens();
        return counted({.message = std::move(text), .usage = usage});
    }

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
        using order = detail::callable_ref<bool(mention const&, mention const&)>;
        auto const by_item = [](mention const& left, mention const& right) {
            return left.item != right.item ? left.item < right.item : left.position > right.position;
        };
        std::sort(all.begin(), all.end(), order{by_item});
        std::vector<mention> repeated;
        // Equal items are neighbours, the latest first: of each run of two or more, take its first.
        for (std::size_t index = 1; index < all.size(); ++index)
            if (all[index].item == all[index - 1].item && (index == 1 || all[index - 2].item != all[index].item))
                repeated.push_back(all[index - 1]);
        auto const latest_first = [](mention const& left, mention const& right) {
            return left.position > right.position;
        };
        std::sort(repeated.begin(), repeated.end(), order{latest_first});
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
    replay_summarizer other_;
    std::shared_ptr<state> state_;
};

}  // namespace v1
}  // namespace condense
