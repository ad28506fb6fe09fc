// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
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

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>
#include <condense/estimate/models.hpp>
#include <condense/llm/overflow.hpp>
#include <condense/store/content_hash.hpp>

#include "../json_document.hpp"
#include "../kept/kept.hpp"
#include "headers.hpp"
#include "keeping.hpp"
#include "recall.hpp"
#include "status.hpp"

// What is sent in place of a request. A client sends its conversation whole each time; a session is kept for each of
// the latest conversations, so that what was reduced once stays the same bytes, and the provider finds it in its cache.

namespace proxy {

/// Who sends a request: a hash of its key, with a secret of this process or of all at one server, so that no key is
/// kept.
using client_id = condense::reference;

/// Lessons of a provider's answers about a model, as one client has it.
struct lesson {
    using clock = std::chrono::system_clock;

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

    std::string text() const {
        return json{{"window", window ? window->count : 0},
                    {"named", named.time_since_epoch() / std::chrono::seconds{1}},
                    {"scale", has_scale ? scale : 0.0}}
            .dump();
    }
    /// Of a text that may be anything.
    static lesson of(std::string_view text) {
        auto const read = condense::parse_json<json>(text).value;
        lesson learnt;
        if (auto const& window = member(read, "window"); window.is_number_unsigned() && window != 0)
            learnt.window = {window.get<std::uint64_t>()};
        if (auto const& named = member(read, "named"); named.is_number_unsigned())
            learnt.named = clock::time_point{std::chrono::seconds{named.get<std::uint64_t>() & 0xFFFF'FFFFu}};
        if (auto const& scale = member(read, "scale"); scale.is_number() && scale > 0) {
            learnt.scale = std::clamp(scale.get<double>(), 0.25, 8.0);
            learnt.has_scale = true;
        }
        return learnt;
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

/// The messages of one conversation as a journal and a store that are only read. What a model finds there is its own,
/// whatever else has the conversation's name where it is kept.
struct own_past {
    json::array_t const* messages;
    static constexpr std::size_t least_artifact = 2'000;  ///< bytes of a result that may have been too long

    condense::reference name(std::string_view content) const { return condense::content_hash{}(content, 0); }
    condense::store_error append(std::string_view, condense::journal_entry const&, std::string_view) const {
        return {"it is only read"};
    }
    condense::store_error flush(std::string_view) const { return {}; }
    condense::store_error read(std::string_view, auto const& f) const {
        for (std::size_t at = 0; at < messages->size(); ++at)
            f(condense::journal_entry{.number = at}, std::string_view{condense::to_bytes((*messages)[at])});
        return {};
    }
    condense::store_error each_conversation(auto const& f) const {
        f(condense::journal_conversation{.entries = messages->size()});
        return {};
    }
    condense::store_error put(condense::reference const&, std::string_view, auto const&...) const {
        return {"it is only read"};
    }
    std::optional<std::string> get(condense::reference const& wanted) const {
        std::optional<std::string> found;
        each_result([&](condense::part_view const& part) {
            if (!found && name(part.text) == wanted) found = part.text;
        });
        return found;
    }
    std::optional<condense::artifact_source> source(condense::reference const& wanted, std::string_view) const {
        std::optional<condense::artifact_source> found;
        each_result([&](condense::part_view const& part) {
            if (!found && name(part.text) == wanted) found = condense::artifact_source{.tool = std::string{part.tool}};
        });
        return found;
    }
    condense::store_error each_source(auto const& f) const {
        each_result([&](condense::part_view const& part) {
            f(name(part.text), condense::bytes{part.text.size()},
              condense::artifact_source{.tool = std::string{part.tool}});
        });
        return {};
    }

private:
    void each_result(auto const& f) const {
        for (auto const& message : *messages)
            condense::each_part(message, [&](condense::part_view const& part) {
                if (part.kind == condense::part_kind::tool_result && part.text.size() >= least_artifact) f(part);
            });
    }
};

/// A conversation of some client, and what its provider has taught about it.
struct conversation {
    client_id client;
    std::string model;
    std::string name;  ///< in the journal
    condense::session<json::array_t, mix, condense::family_estimator> chat;
    std::optional<condense::tokens> window = {};  ///< smaller than that of the model after a refusal
    std::optional<double> scale = {};  ///< larger than that of the model after a refusal
    std::size_t bytes = 0;  ///< that it takes
    std::size_t read = 0;  ///< messages that are in `bytes`
    std::vector<std::size_t> sent = {};  ///< hashes of what was sent last, system texts first
    std::optional<counted_request> counted = {};
    double rate = 0;  ///< tokens of the provider for one more of the messages; 0 where that is not known
    std::vector<hidden_rounds> rounds = {};  ///< in the order of their places
    std::size_t came = 0;  ///< messages of the client's latest request
    std::string place = {};  ///< where it is shared; empty for nowhere
    std::string before = {};  ///< where it was shared before
    std::uint64_t version = 0;  ///< of what is shared

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
        kept::any_journal journal = {};  ///< where messages are kept
        kept::any_store store = {};  ///< and the whole of large results
        kept::memory memory = {};  ///< of conversations, shared with other processes
        bool recall = false;  ///< the proxy has the model read what is kept
    };

    explicit shelf(settings chosen)
        : chosen_{std::move(chosen)}, mixes_{mix_named(chosen_.mix, chosen_.journal, chosen_.store, false),
                                             mix_named(chosen_.mix, chosen_.journal, chosen_.store, true)},
          secret_{random_number()} {
        if (chosen_.memory) share_secret();
    }

    settings const& chosen() const noexcept { return chosen_; }
    /// The layers for a request; `reads`: its tools find what is kept.
    mix const& mix_for(bool reads) const { return mixes_[reads && chosen_.journal ? 1 : 0]; }
    /// The name of a new conversation in the journal.
    std::string next_name() {
        if (chosen_.memory) share_secret();  // which a server that was emptied has lost
        return names_ + std::to_string(++numbered_);
    }

    /// Of the headers in which keys are sent, and of where the request goes.
    client_id client_of(header_list const& headers, std::string_view target) const {
        std::string keys{target};
        for (auto const* const name : {"Authorization", "x-api-key", "api-key", "x-goog-api-key"})
            keys.append(value_of(headers, name)).push_back('\n');
        return hash()(keys, 0);
    }
    /// The names under which a conversation is shared, once it has come to so many of these messages.
    std::vector<std::string> places_of(client_id client, std::string_view model, json::array_t const& messages) const {
        std::vector<std::string> places{client.text() + "/" + std::string{model}};
        for (auto const& each : messages) {
            auto const text = each.dump(-1, ' ', false, json::error_handler_t::replace);
            auto const link = places.back() + "/" + text;
            places.push_back(hash()(link, 0).text() + hash()(link, 1).text());
        }
        return places;
    }

    /// The one that these messages of the client continue. All of them are compared: nobody gets a conversation that is
    /// not theirs.
    std::unique_ptr<conversation> take(client_id client, std::string_view model, json::array_t const& messages) {
        std::lock_guard const lock{mutex_};
        // How many answers of the client are not those that it was given; nothing where it is another conversation.
        auto const others_in = [&](conversation const& one) -> std::optional<std::size_t> {
            auto const& history = one.chat.history();
            if (one.client != client || one.model != model || one.came > messages.size() ||
                history.front() != messages.front())
                return std::nullopt;
            auto const starts = [&](json::array_t const& all) {
                return history.size() <= all.size() &&
                       std::equal(history.rbegin(), history.rend(), std::prev(all.rend(), std::ssize(history)));
            };
            if (one.rounds.empty()) return starts(messages) ? std::optional<std::size_t>{0} : std::nullopt;
            auto all = messages;
            auto const others = insert_rounds(all, one.rounds);
            return others < hidden_rounds::asked_anew && starts(all) ? std::optional{others} : std::nullopt;
        };
        auto best = kept_.end();
        std::size_t fewest = 0;
        for (auto at = kept_.begin(); at != kept_.end(); ++at) {
            auto const others = others_in(**at);
            if (!others) continue;
            bool const is_longer = best == kept_.end() || (*best)->chat.history().size() < (*at)->chat.history().size();
            if (best != kept_.end() && (*others > fewest || (*others == fewest && !is_longer))) continue;
            best = at;
            fewest = *others;
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
        share(*one);
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
    void count(std::string_view name, counted_request const& request) {
        std::string place, text;
        {
            std::lock_guard const lock{mutex_};
            for (auto const& each : kept_)
                if (each->name == name) {
                    each->count(request);
                    place = each->place;
                    text = text_of_count(*each);
                }
        }
        if (!place.empty()) chosen_.memory.put(place + "/count", text);
    }

    /// A conversation as another process has shared it, with as many messages of the client as `from` or more.
    struct shared {
        std::string name = {};
        std::uint64_t version = 0;
        json record = {};
        json count = {};
        std::size_t came = 0;
    };
    std::optional<shared> find_shared(std::vector<std::string> const& places, conversation const* known) const {
        auto const from = known == nullptr ? std::size_t{1} : known->came;
        for (auto at = places.size(), tries = most_tries; at-- > from && tries-- != 0;) {
            auto const text = chosen_.memory.get(places[at]);
            if (!text) continue;
            shared found{.record = condense::parse_json<json>(*text).value, .came = at};
            found.name = text_at(found.record, "name");
            if (auto const& version = member(found.record, "version"); version.is_number_unsigned())
                found.version = version.get<std::uint64_t>();
            bool const is_newer = known == nullptr || at > known->came || found.version > known->version;
            if (found.name.empty() || !is_newer) continue;
            if (auto const count = chosen_.memory.get(places[at] + "/count"))
                found.count = condense::parse_json<json>(*count).value;
            return found;
        }
        return std::nullopt;
    }

    kept_now kept() const {
        std::lock_guard const lock{mutex_};
        return {kept_.size(), bytes_};
    }

    /// The lesson of a model for a client. A window that a refusal has named counts for a day.
    lesson lesson_of(client_id client, std::string_view model) const {
        auto const told = chosen_.memory.get(lesson_name(client, model));
        std::lock_guard const lock{mutex_};
        auto const found = lessons_.find({client, std::string{model}});
        if (found == lessons_.end() && !told) return {};
        auto learnt = told ? lesson::of(*told) : found->second;
        if (learnt.window && lesson::clock::now() - learnt.named > std::chrono::hours{24}) learnt.window.reset();
        return learnt;
    }
    void learn(client_id client, std::string const& model, auto const& f) {
        auto const before = lesson_of(client, model);
        std::string text;
        {
            std::lock_guard const lock{mutex_};
            auto& learnt = lessons_[{client, model}];
            if (chosen_.memory) learnt = before;
            learnt.used = lesson::clock::now();
            f(learnt);
            text = learnt.text();
            forget_lessons();
        }
        chosen_.memory.put(lesson_name(client, model), text);
    }

private:
    static constexpr std::size_t most_conversations = 64;
    static constexpr std::size_t most_bytes = std::size_t{512} << 20;
    static constexpr std::size_t most_lessons = 1'000;
    static constexpr std::size_t of_message = 500;  ///< what a session notes of one, with its parts
    static constexpr std::size_t most_tries = 64;  ///< places where a conversation is looked for

    static std::string lesson_name(client_id client, std::string_view model) {
        return "lesson/" + client.text() + "/" + std::string{model};
    }
    void forget_lessons() {
        if (lessons_.size() > most_lessons)
            lessons_.erase(std::min_element(lessons_.begin(), lessons_.end(), [](auto const& one, auto const& other) {
                return one.second.used < other.second.used;
            }));
    }

    /// Puts a conversation where another process finds it: all but what clients send again.
    void share(conversation& one) const {
        if (one.place.empty()) return;
        ++one.version;
        auto taken = one.chat.state();
        if (!taken) return;
        taken.state.messages.clear();
        auto rounds = json::array();
        for (auto const& each : one.rounds) rounds.push_back(each.to_json());
        json const record{{"name", one.name},
                          {"version", one.version},
                          {"messages", one.chat.history().size()},
                          {"rounds", std::move(rounds)},
                          {"window", one.window ? one.window->count : 0},
                          {"scale", one.scale.value_or(0)},
                          {"state", kept::state_text(std::move(taken.state))}};
        chosen_.memory.put(one.place, record.dump(-1, ' ', false, json::error_handler_t::replace));
        chosen_.memory.put(one.place + "/count", text_of_count(one));
        // Another conversation with this beginning is another one.
        if (!one.before.empty() && one.before != one.place) chosen_.memory.put(one.before, "{}");
        one.before = one.place;
    }
    static std::string text_of_count(conversation const& one) {
        if (!one.counted) return "{}";
        return json{{"reported", one.counted->reported.count},
                    {"fixed", one.counted->fixed.count},
                    {"messages", one.counted->messages.count},
                    {"rate", one.rate}}
            .dump();
    }

    /// Of the client that has most here, so that nobody's conversations make room for those of another.
    std::list<std::unique_ptr<conversation>>::iterator oldest_of_largest() {
        std::map<client_id, std::size_t> sums;
        for (auto const& each : kept_) sums[each->client] += each->bytes + most_bytes / most_conversations;
        auto found = std::prev(kept_.end());
        for (auto at = kept_.begin(); at != kept_.end(); ++at)
            if (sums[(*at)->client] >= sums[(*found)->client]) found = at;
        return found;
    }

    static std::uint64_t random_number() {
        std::random_device random;
        return (std::uint64_t{random()} << 32) | random();
    }
    /// Takes the first that somebody has put into the journal, so that all processes know clients by the same hash.
    void share_secret() {
        constexpr std::string_view conversation = "the secret of the proxies";
        std::optional<std::string> first;
        auto const look = [&] {
            return chosen_.journal.read(conversation, [&](condense::journal_entry const&, std::string_view text) {
                if (!first) first = text;
            });
        };
        auto const own = std::to_string(secret_.load());
        if (look()) return;
        if (!first) {
            if (chosen_.journal.append(conversation, {.name = chosen_.journal.name(own)}, own)) return;
            if (chosen_.journal.flush(conversation) || look()) return;
        }
        if (first) secret_ = std::strtoull(first->c_str(), nullptr, 10);
    }
    condense::content_hash hash() const { return {secret_.load()}; }

    settings chosen_;
    std::array<mix, 2> mixes_;
    std::atomic<std::uint64_t> secret_;
    std::string const names_ =
        std::to_string(std::chrono::system_clock::now().time_since_epoch() / std::chrono::seconds{1}) + "-" +
        std::to_string(random_number() % 1'000'000) + "-";
    std::atomic<std::uint64_t> numbered_ = 0;
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
    static std::unique_ptr<request> read(std::string_view body, shelf& kept, bool alternate, client_id client = {},
                                         std::optional<protocol> which = std::nullopt) {
        auto parsed = condense::parse_json<json>(body);
        if (!parsed) throw std::runtime_error{parsed.error};
        auto const messages = condense::messages_of(parsed.value);
        if (!parsed.value.is_object() || messages->empty()) throw std::runtime_error{"it has no messages"};
        return std::unique_ptr<request>{new request{body, parsed.value, *messages, kept, alternate, client, which}};
    }
    request(request const&) = delete;
    request& operator=(request const&) = delete;
    /// Keeps the conversation for the next request, a new one if it was accepted.
    ~request() {
        if (held_ && (!is_new_ || is_accepted_)) try {
                kept_.put_back(std::move(held_));
            } catch (std::exception const&) {}  // then the next request begins anew
    }

    /// The body to send: what did not change is there byte for byte.
    std::string body() const {
        constexpr auto drop = R"("block_binding":{"prefix_mismatch_behavior":"drop_block"})";
        auto text = reduced();
        if (recalls_) text = json_document::with_elements(std::move(text), "tools", definitions());
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

    /// The protocol of the answer where it may call hidden tools.
    std::optional<protocol> recalls() const noexcept { return recalls_; }
    /// The client may go on by an id, under which the provider has what the client does not know.
    bool is_stored() const noexcept { return is_stored_; }
    /// Answers the calls of hidden tools in an answer, so that the provider can go on. The client sees nothing of it,
    /// and its own calls, if there are any, are put off.
    void answer_calls(spliced_answer const& answer) {
        auto& rounds = rounds_now();
        auto const first = rounds.before.size();
        for (auto const& message : answer.written()) rounds.before.push_back(message);
        auto results = results_of(answer, true);
        for (auto const& call : answer.own())
            results.push_back(
                result_of(*recalls_, call, "error: not done yet; call it again behind the other results"));
        if (rounds.which == protocol::anthropic) results = {json{{"role", "user"}, {"content", std::move(results)}}};
        for (auto& each : results) rounds.before.push_back(std::move(each));
        for (auto at = first; at < rounds.before.size(); ++at) {
            held_->bytes += memory_of(rounds.before[at]);
            static_cast<void>(held_->chat.push(json(rounds.before[at])));
        }
        static_cast<void>(held_->chat.prepare());
    }
    /// The client gets this answer. Calls of hidden tools in it are answered if `reads`, else refused.
    void conclude(spliced_answer const& answer, bool reads) {
        bool const has_rounds = !held_->rounds.empty() && held_->rounds.back().place == held_->came;
        if (answer.hidden().empty() && !has_rounds) return;
        auto& rounds = rounds_now();
        rounds.last = answer.written();
        rounds.results = results_of(answer, reads);
        rounds.seen = answer.seen();
        held_->bytes += memory_of(rounds.last) + memory_of(rounds.results);
    }
    /// The provider has refused what the rounds have made of the request: the next one begins without them.
    void abandon() noexcept { held_.reset(); }

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
        std::string conversation = {};
        counted_request estimate = {};
    };
    sender sent_by() const {
        return {held_->client, held_->model, held_->name, {{}, fixed(), held_->chat.used().tokens}};
    }
    /// The conversation is new here.
    bool is_new() const noexcept { return is_new_; }

private:
    request(std::string_view body, json const& document, json::array_t const& messages, shelf& kept, bool alternate,
            client_id client, std::optional<protocol> which)
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
        bool const has_tools = has_recovery_tools(document);
        auto const& choices = member(document, "n");
        if (kept.chosen().recall && !has_tools && (choices.is_null() || choices == 1)) recalls_ = which;
        is_stored_ = which == protocol::responses && member(document, "store") != false;
        auto plain = messages;
        breakpoint_ = without_breakpoints(plain);
        take_lead(plain);
        take_fixed(document, count);
        if (kept.chosen().memory) places_ = kept.places_of(client, name, plain);
        held_ = kept.take(client, name, plain);
        bool const drops = asks_to_drop_ || drops_bound(document);
        auto const make = [&](std::string label, json::array_t first) {
            condense::run_options<> const options{.conversation = label,
                                                  .bound = drops ? condense::bound_parts::stay : facts_.bound};
            return std::unique_ptr<conversation>{
                new conversation{client,
                                 name,
                                 std::move(label),
                                 {std::move(first), kept.mix_for(recalls_ || has_tools), budget(), count, options}}};
        };
        if (kept.chosen().memory) take_shared(plain, make);
        if (held_ && held_->window) facts_.window = std::min(facts_.window, *held_->window);
        if (held_ && held_->scale) scale_ = std::max(scale_, *held_->scale);
        is_new_ = !held_;
        auto const came = plain.size();
        if (held_) {
            auto const limits = budget();
            if (held_->chat.limits() != limits) held_->chat.set_limits(limits);
            static_cast<void>(insert_rounds(plain, held_->rounds));
            for (auto at = held_->chat.history().size(); at < plain.size(); ++at)
                static_cast<void>(held_->chat.push(std::move(plain[at])));
        } else held_ = make(kept.next_name(), std::move(plain));
        held_->came = came;
        if (!places_.empty()) held_->place = places_.back();
        static_cast<void>(held_->chat.prepare());
    }

    /// Goes on with what another process has shared, where that has come further.
    void take_shared(json::array_t const& plain, auto const& make) {
        auto const found = kept_.find_shared(places_, held_.get());
        if (!found) return;
        std::vector<hidden_rounds> rounds;
        for (auto const& each : member(found->record, "rounds")) rounds.push_back(hidden_rounds::of(each));
        condense::session_state state;
        if (kept::read_state(text_at(found->record, "state"), state)) return;
        auto all = plain;
        auto const& known = member(found->record, "messages");
        if (insert_rounds(all, rounds) >= hidden_rounds::asked_anew || !known.is_number_unsigned() ||
            known > all.size())
            return;
        for (std::size_t at = 0; at < known.get<std::size_t>(); ++at)
            state.messages.push_back(condense::to_bytes(all[at]));
        auto one = make(found->name, json::array_t{});
        if (one->chat.adopt(std::move(state))) return;
        auto const figure = [](json const& from, char const* name) {
            auto const& value = member(from, name);
            return value.is_number() ? value.get<double>() : 0.0;
        };
        auto const tokens = [&](json const& from, char const* name) {
            return condense::tokens{static_cast<std::uint64_t>(std::clamp(figure(from, name), 0.0, 1e12))};
        };
        one->rounds = std::move(rounds);
        one->version = found->version;
        one->before = places_[found->came];
        one->rate = std::clamp(figure(found->count, "rate"), 0.0, 4.0);
        if (tokens(found->count, "messages").count != 0)
            one->counted = {tokens(found->count, "reported"), tokens(found->count, "fixed"),
                            tokens(found->count, "messages")};
        if (tokens(found->record, "window").count != 0) one->window = tokens(found->record, "window");
        if (figure(found->record, "scale") > 0) one->scale = std::min(figure(found->record, "scale"), 8.0);
        held_ = std::move(one);
    }

    std::string definitions() const {
        auto const text = own_tools().definitions(format_of(*recalls_));
        return text.substr(1, text.size() - 2);
    }
    /// The tools that read what came of this conversation.
    kept::tools own_tools() const {
        own_past const past{held_ ? &held_->chat.history() : &none_};
        return {kept::any_store::of(past), kept::any_journal::of(past), {}};
    }
    hidden_rounds& rounds_now() {
        auto& all = held_->rounds;
        bool const is_new = all.empty() || all.back().place != held_->came || !all.back().last.empty();
        if (is_new) all.push_back({.which = *recalls_, .place = held_->came});
        return all.back();
    }
    json::array_t results_of(spliced_answer const& answer, bool reads) const {
        json::array_t results;
        auto const tools = own_tools();
        for (auto const& call : answer.hidden())
            results.push_back(result_of(*recalls_, call,
                                        reads ? tools.call(call.tool, call.arguments).text
                                              : "error: too many calls for one answer; go on without this one"));
        return results;
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
        if (recalls_)
            tools_ = tools_ + condense::overhead_of(
                                  json{{"tools", condense::parse_json<json>("[" + definitions() + "]").value}}, count);
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
        // Who asks for more than half of the window cannot mean all of it: a quarter is kept, and the provider judges.
        auto asked = output_;
        if (asked && *asked > condense::tokens{facts_.window.count / 2})
            asked = condense::tokens{facts_.window.count / 4};
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
        if (held_->rounds.empty() &&
            std::equal(chat.request().begin(), chat.request().end(), chat.history().begin(), chat.history().end()))
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
    std::vector<std::string> places_ = {};  ///< where the conversation may be shared
    std::optional<protocol> recalls_ = {};
    bool is_stored_ = false;
    json::array_t const none_ = {};
    std::optional<json> breakpoint_;
    bool asks_to_drop_ = false;
    bool is_new_ = false;
    bool is_accepted_ = false;
};

}  // namespace proxy
