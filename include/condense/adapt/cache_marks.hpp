// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/adapt/json.hpp>
#include <condense/adapt/json_blocks.hpp>
#include <condense/adapt/json_place.hpp>
#include <condense/adapt/json_understood.hpp>
#include <condense/core/estimator.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/text.hpp>

// Tells a provider what to hold in its prompt cache, in a request body of Anthropic, of Bedrock's Converse, or for
// newer models of OpenAI and for Qwen: `condense::set_cache_marks(body)`. Other providers find the prefix by
// themselves.

namespace condense {
inline namespace v1 {
namespace detail {

/// Four bytes a token, which is enough to compare with a minimum.
struct quarter_estimator {
    constexpr cost operator()(std::string_view text) const noexcept { return cost::of({text.size() / 4}); }
};

}  // namespace detail

/// Where marks are set.
struct cache_marks {
    /// The shortest prefix that is marked. Providers hold nothing shorter than 512 tokens of some models, such as
    /// Claude Opus 5.5, and 1,024 to 4,096 of others, by their documentation; shorter ones cost nothing.
    tokens least = {512};
    /// Of the body; nothing for what its messages, its system text and its tools say.
    std::optional<json_shape> shape = {};
};

namespace detail {

/// How a provider is told.
enum class mark_form : std::uint8_t {
    control,  ///< a member `cache_control` of a block
    point,  ///< a block of its own, in Bedrock's Converse
    breakpoint,  ///< a member `prompt_cache_breakpoint` of a block that the model has not written, for OpenAI
};

/// Sets and removes the marks of one form.
template <class Json>
class cache_marker {
public:
    static constexpr std::size_t most = 4;  ///< marks that a provider takes

    explicit constexpr cache_marker(mark_form form, bool in_items = false) noexcept
        : form_{form}, in_items_{in_items} {}

    /// Marks the end of what stands before the messages, unless there is a mark already. The number of its marks then.
    std::size_t mark_head(Json& body, bool is_long) const {
        auto* const holder = is_point() ? object_member(body, "toolConfig") : &body;
        auto const count =
            count_in(member_of(body, "system")) + (holder == nullptr ? 0 : count_in(member_of(*holder, "tools")));
        if (count != 0 || !is_long) return count;
        return mark_last(body, "system", false) || (holder != nullptr && mark_last(*holder, "tools", true)) ? 1 : 0;
    }

    /// Marks the newest message, and the one that the request before ended with, so that the provider finds it even
    /// behind an answer of many blocks. `at(index)` is a message, which `changed(index)` follows where it was marked.
    template <class At, class Changed>
    std::size_t mark_messages(std::size_t first, std::size_t end, std::size_t room, At&& at, Changed&& changed) const {
        std::size_t count = 0;
        for (bool answered = false; end > first && count < room && count < 2;) {
            auto& message = at(--end);
            bool const is_answer = message_traits<Json>::role_of(message) == role::assistant;
            answered = answered || is_answer;
            if (is_answer && form_ == mark_form::breakpoint) continue;
            if (count != 0 && (is_answer || !answered)) continue;
            bool const is_output = in_items_ && text_member(message, "type") == "function_call_output";
            if (!mark_last(message, is_output ? "output" : "content", false)) continue;
            changed(end);
            ++count;
            answered = is_answer;
        }
        return count;
    }

    /// Removes all marks of a message. False if it has none.
    bool clear(Json& message) const {
        bool const is_output = in_items_ && member_of(message, "output") != nullptr;
        auto* const content = member_of(message, is_output ? "output" : "content");
        bool cleared = content != nullptr && clear_list(*content);
        if (content != nullptr && content->is_array())
            for (auto& block : *content)
                for (auto* const holder : {&block, object_member(block, "toolResult")})
                    if (auto* const inner = holder == nullptr ? nullptr : member_of(*holder, "content"))
                        cleared = clear_list(*inner) || cleared;
        return cleared;
    }

private:
    bool is_mark(Json const& block) const { return block.is_object() && member_of(block, member()) != nullptr; }
    std::size_t count_in(Json const* list) const {
        std::size_t count = 0;
        if (list != nullptr && list->is_array())
            for (auto const& block : *list) count += is_mark(block) ? 1u : 0u;
        return count;
    }
    bool clear_list(Json& list) const {
        bool cleared = false;
        if (!list.is_array()) return cleared;
        for (auto index = list.size(); index-- != 0;) {
            if (!is_mark(list[index])) continue;
            cleared = true;
            if (is_point()) list.erase(index);
            else list[index].erase(member());
        }
        return cleared;
    }

    /// False for what providers refuse a mark on: reasoning, blank texts, and what is not known.
    bool takes_mark(Json const& block, bool is_tool) const {
        if (!block.is_object()) return false;
        if (is_tool) {
            auto const* const late = member_of(block, "defer_loading");
            return late == nullptr || !late->is_boolean() || !late->template get<bool>();
        }
        if (auto const* const text = string_of(member_of(block, "text")))
            return text->find_first_not_of(" \t\r\n") != text->npos;
        if (is_point()) {
            for (auto const* const word : {"toolUse", "toolResult", "image", "document"})
                if (member_of(block, word) != nullptr) return true;
            return false;
        }
        auto const type = text_member(block, "type");
        if (form_ == mark_form::breakpoint) return type.starts_with("input_") || type == "image_url" || type == "file";
        return type.ends_with("tool_use") || type.ends_with("tool_result") || type == "image" || type == "document";
    }

    /// Marks the last block that takes a mark. A text in place of blocks becomes a block.
    bool mark_last(Json& holder, char const* key, bool is_tool) const {
        auto* const list = member_of(holder, key);
        if (list == nullptr) return false;
        if (auto const* const text = is_point() ? nullptr : string_of(list)) {
            auto blocks = Json::array({text_block<Json>(*text, true)});
            if (in_items_) blocks[0]["type"] = "input_text";
            if (!takes_mark(blocks[0], false)) return false;
            *list = std::move(blocks);
        }
        for (auto index = list->is_array() ? list->size() : 0; index-- != 0;) {
            auto& block = (*list)[index];
            if (!takes_mark(block, is_tool)) continue;
            auto mark = Json::object();
            if (form_ == mark_form::breakpoint) mark["mode"] = "explicit";
            else mark["type"] = is_point() ? "default" : "ephemeral";
            if (!is_point()) block[member()] = std::move(mark);
            else {
                auto point = Json::object();
                point[member()] = std::move(mark);
                list->insert(list->begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(point));
            }
            return true;
        }
        return false;
    }

    constexpr char const* member() const noexcept {
        return is_point() ? "cachePoint" : form_ == mark_form::breakpoint ? "prompt_cache_breakpoint" : "cache_control";
    }

    constexpr bool is_point() const noexcept { return form_ == mark_form::point; }

    mark_form form_;
    bool in_items_;  ///< of OpenAI Responses
};

/// Models of OpenAI that hold what ends at a mark, from GPT-5.6 on (Prompt caching, 2026-11).
constexpr bool has_breakpoints(std::string_view asked) noexcept {
    asked.remove_prefix(asked.rfind('/') + 1);  // of gateways
    if (!asked.starts_with("gpt-")) return false;
    unsigned version[2] = {};  // before and behind the dot: "5.6-terra", "6-sol"
    std::size_t at = 0;
    for (char const byte : asked.substr(4)) {
        if (byte == '.' && at == 0) ++at;
        else if (byte < '0' || byte > '9' || version[at] > 99) break;
        else version[at] = version[at] * 10 + static_cast<unsigned>(byte - '0');
    }
    return (version[0] > 5 && version[0] < 35) || (version[0] == 5 && version[1] >= 6);  // Azure has "gpt-35-turbo"
}
/// Models of Qwen at their maker: those that others serve have names with a size or a colon.
constexpr bool is_qwen(std::string_view asked) noexcept {
    asked.remove_prefix(asked.rfind('/') + 1);
    return asked.starts_with("qwen") && asked.find(':') == asked.npos;
}

/// The shape of a request body that takes marks; nothing for others, and for one that may be of either kind.
template <class Json>
std::optional<json_shape> marked_shape(Json const& body, typename Json::array_t const& all) {
    auto shapes = shape_set::of(anthropic, bedrock, openai);
    for (auto const& message : all) {
        shape_check<Json> reading{message};
        if (!reading.reason().empty()) return std::nullopt;
        shapes = shapes & reading.shapes();
    }
    if (shapes == shape_set::of(bedrock)) return bedrock;
    if (shapes == shape_set::of(anthropic)) return anthropic;
    if (!shapes.contains(anthropic)) return std::nullopt;
    // Texts alone are the same elsewhere; these members are not.
    auto const* const tools = member_of(body, "tools");
    bool const has_schema = tools != nullptr && tools->is_array() && !tools->empty() &&
                            member_of(tools->front(), "input_schema") != nullptr;
    auto const* const system = member_of(body, "system");
    return has_schema || (system != nullptr && has_value(*system)) ? std::optional{anthropic} : std::nullopt;
}

}  // namespace detail

/// Marks a request body of Anthropic and of Qwen (`cache_control`), of Bedrock's Converse (`cachePoint`), or for
/// OpenAI's models from GPT-5.6 on (`prompt_cache_breakpoint`), which find no prefix that ends elsewhere: the end of
/// the system text or else of the tools, the end of the messages, and the message that the request before ended with.
/// Qwen and OpenAI are known by the body's `model`. Returns the number of marks in the body, at most 4; 0 for other
/// shapes and models, which stay as they are.
///
/// Providers charge a quarter more for what they put into the cache, and a tenth or less for what they read from there
/// (`find_model(name).facts.price`): a mark pays off if the prefix is sent once more. Marks of tools and of system
/// texts stay, those of messages are removed first, since old ones would use up what a request may have. A body with a
/// `cache_control` of its own stays as it is. Call it on the body that is sent, not on the history. Costs reading each
/// message.
template <json_type Json, token_estimator Estimator = detail::quarter_estimator>
std::size_t set_cache_marks(Json& body, cache_marks const& how = {}, Estimator const& estimator = {}) {
    if (!body.is_object() || detail::member_of(body, "cache_control") != nullptr) return 0;
    auto const asked = detail::text_member(body, "model");
    bool const is_items = detail::member_of(body, "messages") == nullptr;
    auto* const list = detail::member_of(body, is_items ? "input" : "messages");
    auto* const all = list == nullptr ? nullptr : list->template get_ptr<typename Json::array_t*>();
    if (all == nullptr) return 0;
    if (how.shape && how.shape != json_shape::anthropic && how.shape != json_shape::bedrock &&
        how.shape != json_shape::openai && how.shape != json_shape::responses)
        return 0;
    auto form = detail::mark_form::control;
    bool const has_head = !detail::has_breakpoints(asked) && !detail::is_qwen(asked);
    if (detail::has_breakpoints(asked)) form = detail::mark_form::breakpoint;
    else if (is_items) return 0;
    else if (has_head) {
        auto const shape = how.shape ? how.shape : detail::marked_shape(std::as_const(body), *all);
        if (shape == json_shape::bedrock) form = detail::mark_form::point;
        else if (shape != json_shape::anthropic) return 0;
    }

    detail::cache_marker<Json> const marker{form, is_items};
    for (auto& message : *all) marker.clear(message);
    auto size = cost::of(overhead_of(std::as_const(body), estimator));
    auto const head = has_head ? marker.mark_head(body, size.tokens() >= how.least) : 0;
    std::size_t first = 0;  // the first message that a long enough prefix ends with
    for (; first < all->size(); ++first) {
        detail::show_parts(std::as_const((*all)[first]),
                           [&](part_view const& part) { size += detail::part_cost(estimator, part); });
        if (size.tokens() >= how.least) break;
    }
    auto const room = head < marker.most ? marker.most - head : 0;
    return head +
           marker.mark_messages(
               first, all->size(), room, [&](std::size_t index) -> Json& { return (*all)[index]; }, [](std::size_t) {});
}

}  // namespace v1
}  // namespace condense
