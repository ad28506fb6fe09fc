// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>
#include <condense/core/any_pipeline.hpp>
#include <condense/estimate/models.hpp>
#include <condense/llm/name_index.hpp>
#include <condense/llm/overflow.hpp>
#include <condense/preset/recommended.hpp>
#include <condense/shorten/salient_lines.hpp>

#include "../json_document.hpp"

// What is sent in place of a request. A client sends its conversation whole each time; a session is kept for each of
// the latest conversations, so that what was reduced once stays the same bytes, and the provider finds it in its cache.

namespace proxy {

using json = nlohmann::ordered_json;
using mix = condense::any_pipeline<json>;

/// The presets of these names, without what takes a place to keep things: the client has the originals, and its model
/// has no tool to read them by.
inline mix mix_named(std::string_view name) {
    using namespace condense::literals;
    using condense::used;
    condense::compress const large{.when = condense::always,
                                   .with = condense::salient_lines{.head = 5_pct, .tail = 5_pct, .at_most = 40_pct}};
    condense::sliding_window const window{.when = used >= 98_pct, .protect = condense::task | condense::unanswered};
    condense::escalate const escalate{.when = used >= 98_pct};
    auto const summary = [](auto leaves) {
        return condense::summarize{.when = relaxed(used >= 80_pct, 5_pct),
                                   .until = used <= 4_pct,
                                   .protect = condense::task | condense::unanswered,
                                   .size = 1_tokens,
                                   .with = condense::no_prose{},
                                   .leaves = leaves};
    };
    if (name == "window") return condense::pipeline{window, escalate};
    if (name == "no_model")
        return condense::pipeline{large, summary(condense::name_index{.share = 25_pct, .lines = 33_pct}), window,
                                  escalate};
    return condense::pipeline{large, summary(condense::presets::recommended_index()), window, escalate};
}

/// A conversation of some client, and what its provider has taught about it.
struct conversation {
    std::string model;
    condense::session<json::array_t, mix, condense::family_estimator> chat;
    std::optional<condense::tokens> window = {};  ///< as this conversation is counted; smaller after a refusal
    std::size_t bytes = 0;  ///< of its latest request
};

/// The latest conversations, within bounds. Whoever works on one has taken it out, so no two threads have the same.
class shelf {
public:
    explicit shelf(std::optional<condense::tokens> window, bool drop_bound = false)
        : window_{window}, drop_bound_{drop_bound} {}

    /// Whether a provider is asked to drop thinking whose beginning has changed, for a client that does not ask.
    bool drop_bound() const noexcept { return drop_bound_; }

    /// The one that these messages continue. All of them are compared: nobody gets a conversation that is not theirs.
    std::unique_ptr<conversation> take(std::string_view model, json::array_t const& messages) {
        std::lock_guard const lock{mutex_};
        auto best = kept_.end();
        for (auto at = kept_.begin(); at != kept_.end(); ++at) {
            auto const& history = (*at)->chat.history();
            if ((*at)->model == model && history.size() <= messages.size() &&
                (best == kept_.end() || (*best)->chat.history().size() < history.size()) &&
                std::equal(history.rbegin(), history.rend(), std::prev(messages.rend(), std::ssize(history))))
                best = at;
        }
        if (best == kept_.end()) return nullptr;
        auto taken = std::move(*best);
        bytes_ -= taken->bytes;
        kept_.erase(best);
        return taken;
    }
    void put_back(std::unique_ptr<conversation> one) {
        std::lock_guard const lock{mutex_};
        bytes_ += one->bytes;
        kept_.push_front(std::move(one));
        while (kept_.size() > most_conversations || (bytes_ > most_bytes && kept_.size() > 1)) {
            bytes_ -= kept_.back()->bytes;
            kept_.pop_back();
        }
    }

    /// The facts of a model, with the window that was given, or a smaller one that a refusal has named.
    condense::model facts_of(std::string_view name) const {
        auto facts = condense::find_model(name).facts;
        std::lock_guard const lock{mutex_};
        auto const learnt = learnt_.find(name);
        if (window_) facts.window = *window_;
        if (learnt != learnt_.end()) facts.window = std::min(facts.window, learnt->second);
        return facts;
    }
    void learn(std::string const& model, condense::tokens window) {
        std::lock_guard const lock{mutex_};
        if (learnt_.size() < most_models || learnt_.contains(model)) learnt_[model] = window;
    }

private:
    static constexpr std::size_t most_conversations = 64;
    static constexpr std::size_t most_bytes = 256u << 20;
    static constexpr std::size_t most_models = 1'000;

    std::optional<condense::tokens> window_;
    bool drop_bound_;
    mutable std::mutex mutex_;
    std::list<std::unique_ptr<conversation>> kept_;  ///< the latest first
    std::size_t bytes_ = 0;
    std::map<std::string, condense::tokens, std::less<>> learnt_;
};

/// Takes the breakpoints of Anthropic's prompt cache out of the messages, and gives the last of them. Clients move them
/// with each request, and for that write a text now as a string, now as a block: with breakpoints both become a string,
/// so that the messages of an earlier request are known again.
inline std::optional<json> without_breakpoints(json::array_t& messages) {
    std::optional<json> last;
    auto const each_content = [&](auto&& act) {
        for (auto& message : messages)
            if (auto const content = message.find("content"); content != message.end() && content->is_array())
                act(*content);
    };
    each_content([&](json& content) {
        for (auto& block : content) {
            auto const found = block.find("cache_control");
            if (found == block.end()) continue;
            last = *found;
            block.erase(found);
        }
    });
    if (!last) return last;
    each_content([](json& content) {
        if (content.size() != 1 || content[0].size() != 2) return;
        auto const text = content[0].find("text");
        if (text == content[0].end() || !text->is_string() || !content[0].contains("type")) return;
        auto lone = std::move(*text);
        content = std::move(lone);
    });
    return last;
}

/// Sets a breakpoint at the end of the messages.
inline void set_breakpoint(json::array_t& messages, json const& breakpoint) {
    auto const content = messages.empty() ? json::iterator{} : messages.back().find("content");
    if (messages.empty() || content == messages.back().end()) return;
    if (content->is_string() && !content->get_ref<std::string const&>().empty()) {
        auto block = json::object({{"type", "text"}, {"text", *content}});
        *content = json::array();
        content->push_back(std::move(block));
    }
    if (content->is_array() && !content->empty() && content->back().is_object())
        content->back()["cache_control"] = breakpoint;
}

/// A request with the conversation that it continues. Throws what reading a message throws.
class request {
public:
    /// How large it is, by the estimate.
    struct size {
        std::size_t messages = 0;
        std::uint64_t tokens = 0;
    };

    /// Throws where the body is not one that is understood. `alternate`: neighbours of one role are joined, for
    /// templates that refuse two in a row.
    static std::unique_ptr<request> read(std::string_view body, shelf& kept, mix const& layers, bool alternate) {
        auto parsed = condense::parse_json<json>(body);
        if (!parsed) throw std::runtime_error{parsed.error};
        auto const messages = condense::messages_of(parsed.value);
        if (!parsed.value.is_object() || messages->empty()) throw std::runtime_error{"it has no messages"};
        return std::unique_ptr<request>{new request{body, parsed.value, *messages, kept, layers, alternate}};
    }
    request(request const&) = delete;
    request& operator=(request const&) = delete;
    /// What was learnt and reduced is there for the next request.
    ~request() {
        if (held_) kept_.put_back(std::move(held_));
    }

    /// The body to send: what did not change is there byte for byte.
    std::string body() const {
        constexpr auto drop = R"("block_binding":{"prefix_mismatch_behavior":"drop_block"})";
        return asks_to_drop_ ? json_document::with_member(reduced(), "thinking", drop) : reduced();
    }
    /// The value of the header `anthropic-beta` that the body needs; empty for none.
    std::string_view beta() const noexcept { return asks_to_drop_ ? "thinking-binding-controls-2026-08-01" : ""; }

    /// Reduces further after a refusal; false where that does not help. A window that the refusal names is that of the
    /// model; what else is concluded is of this conversation alone.
    bool shrink(condense::overflow const& refusal) {
        constexpr condense::tokens least_window{256};  // a smaller number is none
        auto& chat = held_->chat;
        auto limits = chat.limits();
        auto const counted = chat.used().tokens;
        bool const named = refusal.limit > std::max(least_window, limits.overhead) && refusal.limit < limits.window;
        if (named) limits.window = refusal.limit;
        // The provider counts more here than is estimated, which is for this conversation to know.
        auto window = limits.window.count;
        if (refusal.requested > counted && counted.count != 0)
            window = static_cast<std::uint64_t>(static_cast<double>(window) * static_cast<double>(counted.count) /
                                                static_cast<double>(refusal.requested.count));
        limits.output = std::min(limits.output, condense::tokens{window / 2});
        // Where the figures explain nothing: three quarters of what was too much.
        if (window - limits.output.count >= counted.count) window = counted.count * 3 / 4 + limits.output.count;
        if (named) kept_.learn(held_->model, refusal.limit);
        limits.window = condense::tokens{window};
        chat.set_limits(limits);
        static_cast<void>(chat.run());
        if (chat.used().tokens >= counted) return false;
        held_->window = limits.window;
        return true;
    }

    /// Takes out the reasoning that a refusal calls bound to another conversation; false for any other.
    bool unbind(condense::provider_error const& refusal) {
        return held_->chat.recover(refusal) == condense::recover_outcome::retry;
    }

    /// As it came.
    size before() const {
        auto const& chat = held_->chat;
        auto sum = condense::cost::of(chat.limits().overhead);
        for (std::size_t at = 0; at < chat.outline().size(); ++at) sum += chat.outline().message_at(at).frame;
        for (std::size_t at = 0; at < chat.outline().part_count(); ++at) sum += chat.outline().part_at(at).cost;
        return {chat.history().size(), sum.tokens().count};
    }
    /// As it is sent.
    size after() const {
        auto const now = held_->chat.used();
        return {static_cast<std::size_t>(now.messages.count), now.tokens.count};
    }

private:
    request(std::string_view body, json const& document, json::array_t const& messages, shelf& kept, mix const& layers,
            bool alternate)
        : text_{body}, original_{body, document, messages}, kept_{kept}, alternate_{alternate} {
        auto const model = document.find("model");
        auto const name = model != document.end() && model->is_string() ? model->get<std::string>() : std::string{};
        auto const facts = kept.facts_of(name);
        condense::family_estimator const count{facts.family};

        asks_to_drop_ = kept.drop_bound() && may_drop(document, facts);

        auto plain = messages;
        breakpoint_ = without_breakpoints(plain);
        held_ = kept.take(name, plain);
        auto const limits = limits_of(document, facts, count);
        if (held_) {
            if (held_->chat.limits() != limits) held_->chat.set_limits(limits);
            for (auto at = held_->chat.history().size(); at < plain.size(); ++at)
                static_cast<void>(held_->chat.push(std::move(plain[at])));
        } else {
            bool const drops = asks_to_drop_ || drops_bound(document);
            condense::run_options<> const options{.bound = drops ? condense::bound_parts::stay : facts.bound};
            held_.reset(new conversation{name, {std::move(plain), layers, limits, count, options}});
        }
        held_->bytes = body.size();
        static_cast<void>(held_->chat.prepare());
    }

    std::string reduced() const {
        auto const& chat = held_->chat;
        if (std::equal(chat.request().begin(), chat.request().end(), chat.history().begin(), chat.history().end()))
            return std::string{text_};
        json::array_t sent;
        auto const send = [&sent](json const& message) { sent.push_back(message); };
        if (alternate_) condense::each_alternating(chat.request(), send);
        else
            for (auto const& message : chat.request()) send(message);
        if (breakpoint_) set_breakpoint(sent, *breakpoint_);
        return original_.with(sent);
    }

    /// A request that thinks, to a model of Anthropic that binds its thinking, and that says nothing of it.
    static bool may_drop(json const& document, condense::model const& facts) {
        using condense::model_family;
        auto const thinking = document.find("thinking");
        return (facts.family == model_family::claude || facts.family == model_family::claude_4_7) &&
               facts.bound == condense::bound_parts::leave && thinking != document.end() && thinking->is_object() &&
               !thinking->contains("block_binding") && thinking->value("type", json{}) != "disabled";
    }

    /// The client has told the provider to drop reasoning whose beginning has changed.
    static bool drops_bound(json const& document) {
        auto const asked = json::json_pointer{"/thinking/block_binding/prefix_mismatch_behavior"};
        return document.contains(asked) && document.at(asked) == "drop_block";
    }

    condense::budget limits_of(json const& document, condense::model facts,
                               condense::family_estimator const& count) const {
        if (held_ && held_->window) facts.window = std::min(facts.window, *held_->window);
        auto const overhead = condense::overhead_of(document, count);
        auto output = condense::output_of(document);
        // Half of the window at most: a larger one the provider has to judge.
        if (output) output = std::min(*output, condense::tokens{facts.window.count / 2});
        return condense::budget_for(facts, overhead, output);
    }

    std::string_view text_;
    json_document original_;
    shelf& kept_;
    bool alternate_;
    std::unique_ptr<conversation> held_;
    std::optional<json> breakpoint_;
    bool asks_to_drop_ = false;
};

}  // namespace proxy
