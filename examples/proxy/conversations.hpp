// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>
#include <condense/estimate/models.hpp>
#include <condense/llm/overflow.hpp>

#include "../json_document.hpp"
#include "headers.hpp"
#include "keeping.hpp"
#include "status.hpp"

// What is sent in place of a request. A client sends its conversation whole each time; a session is kept for each of
// the latest conversations, so that what was reduced once stays the same bytes, and the provider finds it in its cache.

namespace proxy {

/// Who sends a request: a hash of its key, with a salt of this process, so that no key is kept.
using client_id = std::pair<std::size_t, std::size_t>;

/// Lessons of a provider's answers about a model, as one client has it.
struct lesson {
    using clock = std::chrono::steady_clock;

    std::optional<condense::tokens> window = {};  ///< that a refusal has named
    clock::time_point named = {};
    clock::time_point used = {};
    double scale = 1;  ///< tokens that the provider reports for one that is estimated
    bool has_scale = false;

    /// Whether a report can be a count of these messages: of fewer tokens, a few that nobody counts are a large part,
    /// and some servers leave out what their cache has.
    static bool is_plausible(std::uint64_t estimated, std::uint64_t reported) {
        return estimated >= 1'000 && reported >= estimated / 2 && reported <= estimated * 4;
    }
    /// Rises to a plausible report at once and falls slowly, so that no request is taken for smaller than the latest
    /// was.
    void observe(std::uint64_t estimated, std::uint64_t reported) {
        auto const now = static_cast<double>(reported) / static_cast<double>(estimated);
        scale = has_scale ? std::max(now, scale * 0.9 + now * 0.1) : now;
        has_scale = true;
        if (window && reported > window->count) window.reset();  // it takes more by now
    }
};

/// The bytes that a value takes.
inline std::size_t memory_of(json const& value) {
    auto const of_text = [](std::string const& text) {
        return text.capacity() < sizeof(std::string) / 2 ? 0 : text.capacity() + 16;
    };
    auto sum = sizeof(json);
    if (value.is_string()) sum += sizeof(std::string) + 16 + of_text(value.get_ref<std::string const&>());
    for (auto const& [key, member] : value.items()) {
        if (value.is_object()) sum += sizeof(std::string) + of_text(key);
        if (value.is_structured()) sum += memory_of(member);
    }
    return value.is_structured() ? sum + 64 : sum;
}

/// A request that a provider has counted: what is fixed in it is known with it, however badly it is estimated.
struct counted_request {
    condense::tokens reported = {};  ///< by the provider
    condense::tokens fixed = {};  ///< by the estimator, as the next
    condense::tokens messages = {};
};

/// A conversation of some client, and what its provider has taught about it.
struct conversation {
    client_id client;
    std::string model;
    std::uint64_t number;
    condense::session<json::array_t, mix, condense::family_estimator> chat;
    std::optional<condense::tokens> window = {};  ///< smaller than that of the model after a refusal
    std::optional<double> scale = {};  ///< larger than that of the model after a refusal
    std::size_t bytes = 0;  ///< that it takes
    std::size_t read = 0;  ///< messages that are in `bytes`
    std::vector<std::size_t> sent = {};  ///< hashes of what was sent last, system texts first
    std::optional<counted_request> counted = {};
    double rate = 0;  ///< tokens of the provider for one more of the messages; 0 where that is not known

    /// Takes a request that the provider has counted.
    void count(counted_request const& request) {
        constexpr double least = 256;  // of less the difference says little
        auto const figure = [](condense::tokens count) { return static_cast<double>(count.count); };
        if (counted) {
            auto const more = figure(request.messages) - figure(counted->messages);
            auto const overall = figure(request.reported) / figure(request.messages + request.fixed);
            auto const fixed = (figure(request.fixed) - figure(counted->fixed)) * overall;
            auto const now = (figure(request.reported) - figure(counted->reported) - fixed) / more;
            if (std::abs(more) >= least) rate = std::clamp(rate == 0 ? now : (rate + now) / 2, 0.25, 4.0);
        }
        counted = request;
    }
};

/// The latest conversations, within bounds. Whoever works on one has taken it out, so no two threads have the same.
class shelf {
public:
    struct settings {
        std::optional<condense::tokens> window = {};
        std::optional<condense::tokens> most_output = {};  ///< what a client may ask for
        condense::percent least_free{2'500};  ///< of the window, for messages; less is said
        bool drop_bound = false;  ///< ask a provider to drop thinking whose beginning has changed
        std::string mix = "recommended";
        std::string folder = {};  ///< where what leaves is kept; empty for nowhere
    };

    explicit shelf(settings chosen)
        : chosen_{std::move(chosen)},
          mixes_{mix_named(chosen_.mix, chosen_.folder, false), mix_named(chosen_.mix, chosen_.folder, true)} {}

    settings const& chosen() const noexcept { return chosen_; }
    /// The layers for a request, whose tools may read what is kept.
    mix const& mix_for(json const& document) const {
        return mixes_[!chosen_.folder.empty() && has_recovery_tools(document) ? 1 : 0];
    }
    /// The number of a new conversation, and its name in the journal.
    std::uint64_t next_number() { return ++numbered_; }
    std::string name_of(std::uint64_t number) const { return names_ + std::to_string(number); }

    /// Of the headers in which keys are sent, and of where the request goes.
    client_id client_of(header_list const& headers, std::string_view target) const {
        std::string keys{target};
        for (auto const* const name : {"Authorization", "x-api-key", "api-key", "x-goog-api-key"})
            keys.append(value_of(headers, name)).push_back('\n');
        std::hash<std::string> const hash;
        return {hash(salt_ + keys), hash(keys + salt_)};
    }

    /// The one that these messages continue. All of them are compared: nobody gets a conversation that is not theirs.
    std::unique_ptr<conversation> take(client_id client, std::string_view model, json::array_t const& messages) {
        std::lock_guard const lock{mutex_};
        auto best = kept_.end();
        for (auto at = kept_.begin(); at != kept_.end(); ++at) {
            auto const& history = (*at)->chat.history();
            if ((*at)->client == client && (*at)->model == model && history.size() <= messages.size() &&
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
        auto const& history = one->chat.history();
        for (; one->read < history.size(); ++one->read) one->bytes += memory_of(history[one->read]) + of_message;
        std::lock_guard const lock{mutex_};
        bytes_ += one->bytes;
        kept_.push_front(std::move(one));
        while (kept_.size() > most_conversations || (bytes_ > most_bytes && kept_.size() > 1)) {
            auto const leaves = oldest_of_largest();
            bytes_ -= (*leaves)->bytes;
            kept_.erase(leaves);
        }
    }
    /// The provider has counted a request of a conversation; nothing where that is gone, or goes on already.
    void count(std::uint64_t number, counted_request const& request) {
        std::lock_guard const lock{mutex_};
        for (auto const& each : kept_)
            if (each->number == number) each->count(request);
    }
    kept_now kept() const {
        std::lock_guard const lock{mutex_};
        return {kept_.size(), bytes_};
    }

    /// The lesson of a model for a client. A window that a refusal has named counts for a day.
    lesson lesson_of(client_id client, std::string_view model) const {
        std::lock_guard const lock{mutex_};
        auto const found = lessons_.find({client, std::string{model}});
        if (found == lessons_.end()) return {};
        auto learnt = found->second;
        if (learnt.window && lesson::clock::now() - learnt.named > std::chrono::hours{24}) learnt.window.reset();
        return learnt;
    }
    void learn(client_id client, std::string const& model, auto const& f) {
        std::lock_guard const lock{mutex_};
        auto const now = lesson::clock::now();
        auto const place = lessons_.try_emplace({client, model}).first;
        place->second.used = now;
        f(place->second);
        if (lessons_.size() > most_lessons)
            lessons_.erase(std::min_element(lessons_.begin(), lessons_.end(), [](auto const& one, auto const& other) {
                return one.second.used < other.second.used;
            }));
    }

private:
    static constexpr std::size_t most_conversations = 64;
    static constexpr std::size_t most_bytes = std::size_t{512} << 20;
    static constexpr std::size_t most_lessons = 1'000;
    static constexpr std::size_t of_message = 500;  ///< what a session notes of one, with its parts

    /// Of the client that has most here, so that nobody's conversations make room for those of another.
    std::list<std::unique_ptr<conversation>>::iterator oldest_of_largest() {
        std::map<client_id, std::size_t> sums;
        for (auto const& each : kept_) sums[each->client] += each->bytes + most_bytes / most_conversations;
        auto found = std::prev(kept_.end());
        for (auto at = kept_.begin(); at != kept_.end(); ++at)
            if (sums[(*at)->client] >= sums[(*found)->client]) found = at;
        return found;
    }

    static std::string random_salt() {
        std::random_device random;
        std::string salt;
        while (salt.size() < 32) salt.push_back(static_cast<char>(random()));
        return salt;
    }

    settings chosen_;
    std::array<mix, 2> mixes_;
    std::string const names_ =
        std::to_string(std::chrono::system_clock::now().time_since_epoch() / std::chrono::seconds{1}) + "-" +
        std::to_string(::getpid()) + "-";
    std::atomic<std::uint64_t> numbered_ = 0;
    std::string salt_ = random_salt();
    mutable std::mutex mutex_;
    std::list<std::unique_ptr<conversation>> kept_;  ///< the latest first
    std::size_t bytes_ = 0;
    std::map<std::pair<client_id, std::string>, lesson> lessons_;
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
///
/// System messages at its beginning are no part of the conversation, as they stay whatever leaves: with tools, system
/// texts and the answer they are what is fixed. Everything is counted as the estimator does, and what a provider states
/// is divided by its scale.
class request {
public:
    /// How large it is, by the estimate, corrected by what the provider has reported.
    struct size {
        std::size_t messages = 0;
        std::uint64_t tokens = 0;
    };

    /// Throws where the body is not one that is understood. `alternate`: neighbours of one role are joined, for
    /// templates that refuse two in a row.
    static std::unique_ptr<request> read(std::string_view body, shelf& kept, bool alternate, client_id client = {}) {
        auto parsed = condense::parse_json<json>(body);
        if (!parsed) throw std::runtime_error{parsed.error};
        auto const messages = condense::messages_of(parsed.value);
        if (!parsed.value.is_object() || messages->empty()) throw std::runtime_error{"it has no messages"};
        return std::unique_ptr<request>{new request{body, parsed.value, *messages, kept, alternate, client}};
    }
    request(request const&) = delete;
    request& operator=(request const&) = delete;
    /// Keeps the conversation for the next request, a new one if it was accepted.
    ~request() {
        if (held_ && (!is_new_ || is_accepted_)) kept_.put_back(std::move(held_));
    }

    /// The body to send: what did not change is there byte for byte.
    std::string body() const {
        constexpr auto drop = R"("block_binding":{"prefix_mismatch_behavior":"drop_block"})";
        auto text = reduced();
        for (auto const& name : lowered_)
            text = json_document::with_value(std::move(text), name, std::to_string(output_->count));
        return asks_to_drop_ ? json_document::with_member(std::move(text), "thinking", drop) : text;
    }
    /// The value of the header `anthropic-beta` that the body needs; empty for none.
    std::string_view beta() const noexcept { return asks_to_drop_ ? "thinking-binding-controls-2026-08-01" : ""; }

    /// Reduces further after a refusal; false where that does not help. A window that the refusal names is that of the
    /// model; what else is concluded is of this conversation alone.
    bool shrink(condense::overflow const& refusal) {
        constexpr condense::tokens least_window{256};  // a smaller number is none
        auto& chat = held_->chat;
        auto const before = chat.used().tokens;
        auto const estimated = (before + fixed()).count;
        bool const named = refusal.limit > std::max(least_window, real(fixed())) && refusal.limit < facts_.window;
        if (named) {
            facts_.window = refusal.limit;
            kept_.learn(held_->client, held_->model, [&](lesson& learnt) {
                learnt.window = refusal.limit;
                learnt.named = lesson::clock::now();
            });
        }
        // Some providers add the answer that was asked for: whichever is nearer to what was expected.
        auto const expected = whole(before);
        auto const nearer = [&](condense::tokens one, condense::tokens other) {
            return std::abs(difference(one, expected)) < std::abs(difference(other, expected)) ? one : other;
        };
        auto const requested = nearer(refusal.requested, refusal.requested - output_.value_or(condense::tokens{}));
        // The provider counts more here than is estimated, which is for this conversation to know.
        if (requested > real({estimated}) && estimated != 0)
            scale_ = std::min(static_cast<double>(requested.count) / static_cast<double>(estimated), 8.0);
        held_->scale = scale_;
        if (!lesson::is_plausible(estimated, requested.count)) held_->counted.reset();
        else held_->count({requested, fixed(), before});
        auto limits = budget();
        if (limits.input() >= before) {  // the figures explain nothing: three quarters of what was too much
            limits.window = condense::tokens{before.count * 3 / 4} + limits.output;
            held_->window = whole(limits.input()) + reserved_;
        }
        chat.set_limits(limits);
        static_cast<void>(chat.run());
        return chat.used().tokens < before;
    }

    /// Takes out the reasoning that a refusal calls bound to another conversation, or the oldest media where it is for
    /// these; false for any other.
    bool answer(condense::provider_error const& refusal) {
        return held_->chat.recover(refusal) == condense::recover_outcome::retry;
    }

    /// The provider has taken the request as it was sent. What came of it, which is to be called once, before the
    /// client sees the answer: its next request wants the conversation.
    figures accept() {
        is_accepted_ = true;
        figures result{.chats = 1, .tokens_in = before().tokens, .tokens_sent = after().tokens};
        std::vector<std::size_t> sent;
        for (auto const& message : lead_) sent.push_back(std::hash<json>{}(message));
        for (auto const& message : held_->chat.request()) sent.push_back(std::hash<json>{}(message));
        auto const& last = held_->sent;
        bool const breaks = last.size() > sent.size() || !std::equal(last.begin(), last.end(), sent.begin());
        result.breaks = breaks ? 1 : 0;
        held_->sent = std::move(sent);
        if (!facts_.price) return result;
        auto const cost = [&](condense::provider_usage const& of) {
            return static_cast<std::int64_t>(condense::money_of(of, *facts_.price) & ~(std::uint64_t{1} << 63));
        };
        condense::tokens const whole{result.tokens_sent};
        result.saved = cost({.cache_read = {result.tokens_in - std::min(result.tokens_in, result.tokens_sent)}});
        if (breaks) result.saved -= cost({.input = whole}) - cost({.cache_read = whole});
        return result;
    }

    /// As it came.
    size before() const {
        auto const& chat = held_->chat;
        condense::cost sum;
        for (std::size_t at = 0; at < chat.outline().size(); ++at) sum += chat.outline().message_at(at).frame;
        for (std::size_t at = 0; at < chat.outline().part_count(); ++at) sum += chat.outline().part_at(at).cost;
        return {chat.history().size() + lead_.size(), whole(sum.tokens()).count};
    }
    /// As it is sent.
    size after() const {
        auto const now = held_->chat.used();
        return {static_cast<std::size_t>(now.messages.count) + lead_.size(), whole(now.tokens).count};
    }

    /// Says to whoever set this up that little is left for messages, or that it does not fit. Empty where neither
    /// is so.
    std::string advice() const {
        auto const& chat = held_->chat;
        auto const free = real(free_);
        bool const fits = chat.used().tokens <= free_;
        if (fits && free >= kept_.chosen().least_free.of(facts_.window)) return {};
        using condense::grouped;
        auto text = "fixed " + grouped(real(fixed()).count) + " (tools " + grouped(real(tools_).count) + ", system " +
                    grouped(real(system_).count) + "), output " + grouped(reserved_.count) + " of " +
                    grouped(facts_.window.count) + ": " + grouped(free.count) +
                    " for messages; raise --window, or let " + "--max-output N lower what the client asks for";
        if (fits) return text;
        std::uint64_t largest = 0;
        std::size_t where = 0;
        for (std::size_t at = 0; at < chat.outline().size(); ++at) {
            condense::cost sum = chat.outline().message_at(at).frame;
            auto const first = chat.outline().message_at(at).first_part;
            for (std::uint32_t part = 0; part < chat.outline().message_at(at).part_count; ++part)
                sum += chat.outline().part_at(first + part).cost;
            if (sum.tokens().count <= largest) continue;
            largest = sum.tokens().count;
            where = at;
        }
        return "does not fit: " + text + "; message " + std::to_string(where + lead_.size()) + " is the largest with " +
               grouped(real({largest}).count);
    }
    /// Whose report of tokens the answer holds.
    struct sender {
        client_id client = {};
        std::string model = {};
        std::uint64_t conversation = 0;
        counted_request estimate = {};
    };
    sender sent_by() const {
        return {held_->client, held_->model, held_->number, {{}, fixed(), held_->chat.used().tokens}};
    }
    /// The conversation is new here.
    bool is_new() const noexcept { return is_new_; }

private:
    request(std::string_view body, json const& document, json::array_t const& messages, shelf& kept, bool alternate,
            client_id client)
        : text_{body}, original_{body, document, messages}, kept_{kept}, alternate_{alternate} {
        auto const model = document.find("model");
        auto const name = model != document.end() && model->is_string() ? model->get<std::string>() : std::string{};
        if (name.size() > 256) throw std::runtime_error{"the name of the model is too long"};
        facts_ = condense::find_model(name).facts;
        auto const learnt = kept.lesson_of(client, name);
        if (kept.chosen().window) facts_.window = *kept.chosen().window;
        if (learnt.window) facts_.window = std::min(facts_.window, *learnt.window);
        scale_ = learnt.scale;
        condense::family_estimator const count{facts_.family};

        asks_to_drop_ = kept.chosen().drop_bound && may_drop(document, facts_);
        auto plain = messages;
        breakpoint_ = without_breakpoints(plain);
        take_lead(plain);
        take_fixed(document, count);
        held_ = kept.take(client, name, plain);
        if (held_ && held_->window) facts_.window = std::min(facts_.window, *held_->window);
        if (held_ && held_->scale) scale_ = std::max(scale_, *held_->scale);
        is_new_ = !held_;
        auto const limits = budget();
        if (held_) {
            if (held_->chat.limits() != limits) held_->chat.set_limits(limits);
            for (auto at = held_->chat.history().size(); at < plain.size(); ++at)
                static_cast<void>(held_->chat.push(std::move(plain[at])));
        } else {
            bool const drops = asks_to_drop_ || drops_bound(document);
            auto const number = kept.next_number();
            condense::run_options<> const options{.conversation = kept.name_of(number),
                                                  .bound = drops ? condense::bound_parts::stay : facts_.bound};
            held_.reset(new conversation{
                client, name, number, {std::move(plain), kept.mix_for(document), limits, count, options}});
        }
        static_cast<void>(held_->chat.prepare());
    }

    /// System messages before all others, unless there are no others.
    void take_lead(json::array_t& plain) {
        auto const others = std::find_if(plain.begin(), plain.end(), [](json const& message) {
            return condense::role_of(message) != condense::role::system;
        });
        if (others == plain.end()) return;
        lead_.assign(std::make_move_iterator(plain.begin()), std::make_move_iterator(others));
        plain.erase(plain.begin(), others);
    }

    void take_fixed(json const& document, condense::family_estimator const& count) {
        auto tools = json::object();
        for (auto const* const name : {"tools", "toolConfig", "functions"})
            if (auto const found = document.find(name); found != document.end()) tools[name] = *found;
        tools_ = condense::overhead_of(tools, count);
        condense::cost lead;
        for (auto const& message : lead_) {
            lead += count.frame(condense::role::system);
            condense::each_part(message, [&](condense::part_view const& part) {
                lead += (part.cost ? *part.cost : count(part.text)) + part.beside;
            });
        }
        system_ = condense::overhead_of(document, count) - tools_ + lead.tokens();
        output_ = condense::output_of(document);
        if (kept_.chosen().most_output) lower_output(document, *kept_.chosen().most_output);
    }
    /// Thinking keeps its room, as the answer has to be longer.
    void lower_output(json const& document, condense::tokens most) {
        auto const budget = json::json_pointer{"/thinking/budget_tokens"};
        if (document.contains(budget) && document.at(budget).is_number_unsigned())
            most = std::max(most, condense::tokens{document.at(budget).get<std::uint64_t>()} + condense::tokens{1});
        for (auto const* const name : {"max_completion_tokens", "max_output_tokens", "max_tokens"}) {
            auto const found = document.find(name);
            if (found == document.end() || !found->is_number()) continue;
            auto const given = found->get<double>();
            if (given < 0 || given > static_cast<double>(most.count)) lowered_.emplace_back(name);
        }
        if (!lowered_.empty()) output_ = most;
    }

    condense::tokens fixed() const noexcept { return tools_ + system_; }
    /// Of the estimator's tokens those of the provider.
    condense::tokens real(condense::tokens counted) const noexcept {
        return {static_cast<std::uint64_t>(static_cast<double>(counted.count) * scale_ + 0.5)};
    }

    /// Of the provider, for messages that the estimator counts so, with what is fixed: as it counted the latest
    /// request, and the difference.
    condense::tokens whole(condense::tokens messages) const noexcept {
        auto const& last = held_->counted;
        if (!last) return real(messages + fixed());
        auto const rate = held_->rate == 0 ? scale_ : held_->rate;
        auto const sum = static_cast<double>(last->reported.count) + rate * difference(messages, last->messages) +
                         scale_ * difference(fixed(), last->fixed);
        return {static_cast<std::uint64_t>(std::max(sum, 0.0) + 0.5)};
    }
    static double difference(condense::tokens one, condense::tokens other) noexcept {
        return static_cast<double>(one.count) - static_cast<double>(other.count);
    }
    /// Messages that the estimator counts so fill this input, by the latest request that was counted. Where the rate is
    /// in doubt the one by which fewer fit.
    condense::tokens free_in(condense::tokens input) const noexcept {
        auto const& last = *held_->counted;
        auto const rate = held_->rate == 0 ? scale_ : held_->rate;
        auto const left = difference(input, last.reported) - scale_ * difference(fixed(), last.fixed);
        auto const more = left / (left > 0 ? std::max(rate, scale_) : std::min(rate, scale_));
        return {static_cast<std::uint64_t>(std::max(static_cast<double>(last.messages.count) + more, 0.0))};
    }

    /// Room for the conversation beside what is fixed, as the estimator counts. Where that is nothing, as by an
    /// estimate that may be wrong, a little: the provider is to judge what is left then.
    condense::budget budget() {
        // Half of the window at most: a larger one the provider has to judge.
        auto const asked = output_ ? std::min(*output_, condense::tokens{facts_.window.count / 2}) : output_;
        auto const stated = condense::budget_for(facts_, {}, asked);
        auto const counts_as = [this](condense::tokens of_provider) {
            return condense::tokens{static_cast<std::uint64_t>(static_cast<double>(of_provider.count) / scale_)};
        };
        reserved_ = stated.output;
        auto const output = counts_as(stated.output);
        free_ = counts_as(stated.window) - fixed() - output;
        if (held_ && held_->counted) free_ = free_in(stated.input());
        auto const known = held_ ? held_->chat.limits() : stated;  // a refusal lowers them
        return {.window = std::max(free_, condense::tokens{counts_as(stated.window).count / 16}) + output,
                .output = output,
                .images = std::min(stated.images, known.images),
                .bytes = std::min(stated.bytes, known.bytes)};
    }

    std::string reduced() const {
        auto const& chat = held_->chat;
        if (std::equal(chat.request().begin(), chat.request().end(), chat.history().begin(), chat.history().end()))
            return std::string{text_};
        auto sent = lead_;
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

    std::string_view text_;
    json_document original_;
    shelf& kept_;
    bool alternate_;
    condense::model facts_ = {};  ///< with the window that counts here
    double scale_ = 1;
    json::array_t lead_ = {};
    condense::tokens tools_ = {};  ///< as the estimator counts them
    condense::tokens system_ = {};  ///< so, too
    std::optional<condense::tokens> output_ = {};  ///< that the client asks for
    condense::tokens reserved_ = {};  ///< for the answer
    condense::tokens free_ = {};  ///< for messages, as the estimator counts
    std::vector<std::string> lowered_ = {};  ///< members that limit the answer to more than is allowed
    std::unique_ptr<conversation> held_;
    std::optional<json> breakpoint_;
    bool asks_to_drop_ = false;
    bool is_new_ = false;
    bool is_accepted_ = false;
};

}  // namespace proxy
