// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/adapt/chat_message.hpp>

// A chat_message as bytes and back, exact: fields as `size:bytes`, one after the other. Anything cut
// short, longer or changed in its sizes is no message.

namespace forms {

inline std::string pack(condense::chat_message const& m) {
    std::string out;
    auto const text = [&](std::string_view field) {
        out.append(std::to_string(field.size())).append(":").append(field);
    };
    auto const number = [&](std::uint64_t value) { text(std::to_string(value)); };
    number(static_cast<std::uint64_t>(m.role));
    text(m.name);
    number(m.pinned ? 1 : 0);
    text(m.mark);
    number(m.parts.size());
    for (auto const& part : m.parts) {
        number(static_cast<std::uint64_t>(part.kind));
        text(part.text);
        text(part.tool);
        text(part.call);
        number(static_cast<std::uint64_t>(part.status));
        number(part.sealed ? 1 : 0);
        if (part.cost) number((*part.cost).steps);
        else text("none");
    }
    return out;
}

namespace detail {

class unpacker {
public:
    explicit unpacker(std::string_view bytes) : left_{bytes} {}

    std::string text() {
        auto const colon = left_.find(':');
        auto const size = colon == left_.npos ? std::nullopt : read(left_.substr(0, colon));
        if (!size || *size > left_.size() - colon - 1) return fail();
        std::string field{left_.substr(colon + 1, static_cast<std::size_t>(*size))};
        left_.remove_prefix(colon + 1 + static_cast<std::size_t>(*size));
        return field;
    }
    std::uint64_t number(std::uint64_t most = ~std::uint64_t{0}) {
        auto const value = read(text());
        if (!value || *value > most) fail();
        return good_ ? *value : 0;
    }
    condense::own_cost cost() {
        auto const field = text();
        if (field == "none") return {};
        auto const value = read(field);
        if (!value) fail();
        return good_ ? condense::own_cost{condense::cost{*value}} : condense::own_cost{};
    }
    bool good() const { return good_; }
    bool done() const { return good_ && left_.empty(); }

private:
    std::string fail() {
        good_ = false;
        return {};
    }
    static std::optional<std::uint64_t> read(std::string_view digits) {
        std::uint64_t value = 0;
        auto const* const end = digits.data() + digits.size();
        auto const [stop, problem] = std::from_chars(digits.data(), end, value);
        if (digits.empty() || problem != std::errc{} || stop != end) return std::nullopt;
        return value;
    }

    std::string_view left_;
    bool good_ = true;
};

}  // namespace detail

inline std::optional<condense::chat_message> unpack(std::string_view bytes) {
    detail::unpacker from{bytes};
    condense::chat_message m;
    m.role = static_cast<condense::role>(from.number(4));
    m.name = from.text();
    m.pinned = from.number(1) == 1;
    m.mark = from.text();
    for (auto left = from.number(); left != 0 && from.good(); --left) {
        condense::chat_part part;
        part.kind = static_cast<condense::part_kind>(from.number(5));
        part.text = from.text();
        part.tool = from.text();
        part.call = from.text();
        part.status = static_cast<condense::part_status>(from.number(3));
        part.sealed = from.number(1) == 1;
        part.cost = from.cost();
        m.parts.push_back(std::move(part));
    }
    if (!from.done()) return std::nullopt;
    return m;
}

}  // namespace forms
