// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/adapt/json.hpp>
#include <condense/condense.hpp>

// Stands in for what condense::session is going to have: call, status, pin, save and restore.

namespace condense {
inline namespace v1 {

struct provider_usage {
    tokens input = {};
    tokens output = {};
    tokens cache_read = {};
    tokens cache_write = {};
};
struct provider_error {
    int status = 0;
    std::string text = {};
};
template <class Message>
struct reply {
    std::optional<Message> message = {};
    provider_usage usage = {};
    provider_error error = {};
};

}  // namespace v1
}  // namespace condense

namespace shim {

struct late_pins {
    std::vector<condense::sequence> const* which = nullptr;
    bool operator()(condense::sequence asked) const noexcept {
        for (auto const& each : *which)
            if (each == asked) return true;
        return false;
    }
};

template <class Messages, class Mix, class Estimator, class Options>
class session {
    using options_type = condense::run_options<condense::steady_clock, condense::never_stops, late_pins>;
    using held_type = condense::session<Messages, Mix, Estimator, options_type>;

public:
    using message_type = typename held_type::message_type;
    struct called {
        message_type const* answer = nullptr;
        condense::provider_error error = {};
        explicit operator bool() const noexcept { return answer != nullptr; }
    };

    session(Messages first, Mix mix, condense::budget limits, Estimator count, Options)
        : mix_{std::move(mix)}, limits_{limits}, count_{count} { renew(std::move(first)); }

    bool push(message_type m) { return held_->push(std::move(m)); }
    auto run() { return held_->run(); }
    bool undo() { return held_->undo(); }
    auto used() const { return held_->used(); }
    auto const& history() const { return held_->history(); }
    void pin(condense::sequence at) {
        pins_.push_back(at);
        renew(held_->history());
    }

    std::string status() const {
        auto const now = used();
        auto const each = now.turns.count == 0 ? now.tokens.count : now.tokens.count / now.turns.count;
        return std::to_string(now.tokens.count) + " of " + std::to_string(now.input.count) + " tokens (" +
               std::to_string(now.input.count == 0 ? 0 : now.tokens.count * 100 / now.input.count) + " %), reduces at 65 %, about " +
               std::to_string(each == 0 ? 0 : now.headroom().count / each) + " turns left";
    }

    template <class Model>
    called call(Model&& model) {
        for (bool again = false;; again = true) {
            if (held_->due()) static_cast<void>(held_->run());
            bool delivered = false;
            auto answered = [&] {
                auto const sink = [&](std::string_view) { delivered = true; };
                if constexpr (std::invocable<Model&, decltype(held_->request()), decltype(sink)>) return model(held_->request(), sink);
                else return model(held_->request());
            }();
            if (answered.message) {
                held_->push(std::move(*answered.message));
                return {&held_->history().back()};
            }
            auto const overflow = answered.error.text.find("maximum context length") != std::string::npos;
            if (again || delivered || !overflow) return {nullptr, std::move(answered.error)};
            limits_.window = condense::percent{7'500}.of(used().tokens + limits_.output);
            renew(held_->history());
        }
    }

    void renew(Messages all) { held_.emplace(Messages(std::move(all)), mix_, limits_, count_, options_type{.pins = {&pins_}}); }

private:
    Mix mix_;
    condense::budget limits_;
    Estimator count_;
    std::vector<condense::sequence> pins_;
    std::optional<held_type> held_;
};

}  // namespace shim

namespace condense {
inline namespace v1 {

template <class... Types>
std::string save(shim::session<Types...> const& chat) {
    return nlohmann::json(chat.history()).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
struct state_error {
    std::string text = {};
    explicit operator bool() const noexcept { return !text.empty(); }
};
template <class... Types>
state_error restore(shim::session<Types...>& chat, std::string_view text) {
    auto read = parse_json<nlohmann::json>(text);
    if (!read || !read.value.is_array()) return {"condense: restore: the text must be a saved session"};
    chat.renew({read.value.begin(), read.value.end()});
    return {};
}

}  // namespace v1
}  // namespace condense
