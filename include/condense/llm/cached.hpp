// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <condense/core/model_prompt.hpp>
#include <condense/core/pass.hpp>
#include <condense/core/store.hpp>
#include <condense/detail/sha256.hpp>
#include <condense/llm/model_call.hpp>
#include <condense/llm/summary_reply.hpp>

// A model whose summaries are kept, so that the same prompt is not asked twice:
// summarize{.with = cached{.model = my_model, .cache = memory_cache{}, .name = "gpt-4o-mini"}}.

namespace condense {
inline namespace v1 {
/// How often a cache had what was asked for. A handle: copies count together, from any thread.
class cache_counts {
public:
    cache_counts() : all_{std::make_shared<figures>()} {}
    void add(bool hit) const noexcept { ++(hit ? all_->hits : all_->misses); }
    std::uint64_t hits() const noexcept { return all_->hits; }
    std::uint64_t misses() const noexcept { return all_->misses; }

private:
    struct figures {
        std::atomic<std::uint64_t> hits = 0;
        std::atomic<std::uint64_t> misses = 0;
    };
    std::shared_ptr<figures> all_;
};

/// A summarizer around another. A text is found again by the SHA-256 of the prompt, `name` and `version`; the prompt
/// has focus, sections, length and conversation in it. Only summaries that `summarize` would accept are kept, never
/// refusals or errors. What is read is checked, and damage is a miss, as is a cache that fails; but whoever can write
/// to the cache can write summaries. A hit costs no tokens, and calls no model. Threads that ask for the same at once
/// may each call it.
template <class Model, text_cache Cache>
struct cached {
    Model model;
    Cache cache;
    std::string name = {};  ///< of the model: others have other summaries in the same cache
    std::uint64_t version = 1;  ///< of your use of the model: with another one, earlier summaries are not found
    std::uint64_t lifetime = 0;  ///< seconds; 0 for ever
    cache_counts counts = {};

    std::uint64_t hits() const noexcept { return counts.hits(); }
    std::uint64_t misses() const noexcept { return counts.misses(); }

    reply<std::string> operator()(model_prompt const& prompt, ask_limits limits) const {
        auto const key = key_of(prompt);
        std::optional<std::string> framed;
        guarded([&] { framed = cache.get(key); });
        auto text = framed ? text_in(key, *std::move(framed)) : std::nullopt;
        counts.add(text.has_value());
        if (text) return {.message = std::move(text), .cached = true};
        auto answer = detail::reply_to_prompt(model, prompt, limits);
        if (is_worth_keeping(prompt, answer))
            guarded(
                [&] { static_cast<void>(cache.put(key, frame(key, *answer.message) + *answer.message, lifetime)); });
        return answer;
    }

private:
    cache_key key_of(model_prompt const& prompt) const {
        // Each with its size, so that no two requests are one text.
        detail::sha256 hash;
        hash.add("condense summary\n");
        for (std::string_view const field :
             {std::string_view{prompt.instructions}, std::string_view{prompt.data}, std::string_view{name}})
            hash.add(std::to_string(field.size())).add(":").add(field);
        return hash.add(std::to_string(version)).digest();
    }

    /// Stands before the text, so that damage, or the text of another key, is noticed.
    static std::string frame(cache_key const& key, std::string_view text) {
        std::string_view const name{reinterpret_cast<char const*>(key.data()), key.size()};
        auto const digest = detail::sha256{}.add(name).add(text).digest();
        return {digest.begin(), digest.end()};
    }
    static std::optional<std::string> text_in(cache_key const& key, std::string&& framed) {
        constexpr auto size = std::tuple_size_v<cache_key>;
        if (framed.size() < size || framed.size() > most_cached_bytes) return std::nullopt;
        auto text = framed.substr(size);
        if (framed.compare(0, size, frame(key, text)) != 0 || !is_summary({.message = text})) return std::nullopt;
        return text;
    }

    static bool is_summary(reply<std::string> answer) {
        return answer.message && detail::summary_reply_of(std::move(answer)).problem.empty();
    }
    /// A text that is not smaller than what it stands for would be refused each time; the prompt's data has labels and
    /// a fence besides, so that only what is shorter than half of it is certain to be smaller.
    static bool is_worth_keeping(model_prompt const& prompt, reply<std::string> const& answer) {
        auto const& replaced = prompt.data.empty() ? prompt.instructions : prompt.data;
        return is_summary(answer) && answer.message->size() < replaced.size() / 2;
    }

    /// No exception of a cache is worth a summary, except for one that cancels the run.
    static void guarded(auto&& f) {
#if defined(__cpp_exceptions)
        try {
            f();
        } catch (cancelled const&) { throw; } catch (std::exception const& problem) {
            if (detail::wraps_cancellation(problem)) throw;
        } catch (...) { return; }
#else
        f();
#endif
    }
};

}  // namespace v1
}  // namespace condense
