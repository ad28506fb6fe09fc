// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <variant>

#include <condense/adapt/variant_parts.hpp>

#include "support/messages/form.hpp"

// Parts are a variant, nothing can be made of nothing, and results come from the user, several in one
// message and his words behind them.

namespace forms {

struct post {
    struct words {
        std::string text;
        bool thought = false;
        bool sealed = false;
    };
    struct call {
        std::string id;
        std::string tool;
        std::string arguments;
        part_status status = part_status::ok;
    };
    struct result {
        std::string id;
        std::string output;
        part_status status = part_status::ok;
        bool sealed = false;
    };
    struct image {
        std::string id;  ///< of the call that it came with
        std::string title;
        condense::own_cost cost;
    };
    using part = std::variant<words, call, result, image>;

    post() = delete;
    post(condense::role from, std::vector<part> all) : speaker{from}, parts{std::move(all)} {}

    condense::role speaker;
    std::vector<part> parts;
    std::string label = {};
    bool pinned = false;
    std::string mark = {};
};

template <>
struct form<post> {
    static std::string_view label(post const& m) { return m.label; }

    static post from_chat(chat_message const& m) {
        post made{m.role, {}};
        for (auto const& part : m.parts) made.parts.push_back(as_part(part));
        made.label = m.name;
        made.pinned = m.pinned;
        made.mark = m.mark;
        return made;
    }
    static std::vector<chat_message> arrange(std::vector<chat_message> all) {
        std::vector<chat_message> posts;
        for (auto& m : all) {
            if (m.role == role::tool) m.role = role::user;
            if (posts.empty() || m.role != role::user || !only_results(posts.back())) {
                posts.push_back(std::move(m));
                continue;
            }
            for (auto& part : m.parts) posts.back().parts.push_back(std::move(part));
            posts.back().pinned = posts.back().pinned || m.pinned;
        }
        return posts;
    }

private:
    static post::part as_part(chat_part const& part) {
        switch (part.kind) {
            case part_kind::tool_call: return post::call{part.call, part.tool, part.text, part.status};
            case part_kind::tool_result: return post::result{part.call, part.text, part.status, part.sealed};
            case part_kind::media: return post::image{part.call, part.text, part.cost};
            case part_kind::text:
            case part_kind::reasoning:
            case part_kind::other: break;
        }
        return post::words{part.text, part.kind == part_kind::reasoning, part.sealed};
    }
};

}  // namespace forms

template <>
struct condense::message_traits<forms::post> : condense::variant_parts<condense::message_traits<forms::post>>,
                                               forms::stored_traits<forms::post> {
    using post = forms::post;

    static role role_of(post const& m) { return m.speaker; }
    static auto& parts_of(auto& m) { return m.parts; }
    static post make(role speaker, std::string text) { return {speaker, {post::words{std::move(text)}}}; }
    static post make_result(post const&, part_view const& call, std::string text) {
        return {role::user, {post::result{std::string{call.call}, std::move(text)}}};
    }
    static bool pinned(post const& m) { return m.pinned; }
    static std::string_view mark_of(post const& m) { return m.mark; }
    static void set_mark(post& m, std::string_view mark) { m.mark = mark; }

    static part_view show(post::words const& held) {
        return {
            .kind = held.thought ? part_kind::reasoning : part_kind::text, .text = held.text, .sealed = held.sealed};
    }
    static part_view show(post::call const& held) {
        return {.kind = part_kind::tool_call,
                .text = held.arguments,
                .tool = held.tool,
                .call = held.id,
                .status = held.status};
    }
    static part_view show(post::result const& held) {
        return {.kind = part_kind::tool_result,
                .text = held.output,
                .call = held.id,
                .status = held.status,
                .sealed = held.sealed};
    }
    static part_view show(post::image const& held) {
        return {.kind = part_kind::media, .text = held.title, .call = held.id, .cost = held.cost};
    }
    static void write(post::words& held, std::string text) { held.text = std::move(text); }
    static void write(post::call& held, std::string text) { held.arguments = std::move(text); }
    static void write(post::result& held, std::string text) { held.output = std::move(text); }
    /// Words cannot say what call they came with.
    static post::part write(post::image const& held, std::string text) {
        if (!held.id.empty()) return held;
        return post::words{std::move(text)};
    }
};
