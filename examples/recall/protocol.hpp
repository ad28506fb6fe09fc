// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/adapt/json_parse.hpp>
#include <condense/recovery/tools.hpp>
#include <condense/version.hpp>

// The Model Context Protocol as a server of tools speaks it: JSON-RPC 2.0, one message a line.

namespace recall {

using json = nlohmann::ordered_json;

/// The newest last.
inline constexpr std::array<std::string_view, 3> protocol_versions{"2024-11-05", "2025-03-26", "2025-06-18"};

/// What the server has to offer.
struct offer {
    std::string instructions = {};
    json tools = json::object();  ///< the result of tools/list
    std::function<bool(std::string_view tool)> has = {};
    std::function<condense::recovery_result(std::string_view tool, std::string_view arguments)> call = {};
};

class protocol {
public:
    static constexpr std::size_t most_line = std::size_t{16} << 20;
    static constexpr std::size_t most_batch = 100;  ///< so that a short line has no answer of gigabytes

    explicit protocol(offer what) : offer_{std::move(what)} {}

    /// The answer to a line; nothing where none is due.
    std::string answer(std::string_view line) const {
        if (line.size() > most_line) return text_of(failure(nullptr, wrong_request, "the line is longer than 16 MiB"));
        auto const message = condense::parse_json<json>(line);
        if (!message) return text_of(failure(nullptr, no_json, message.error));
        if (!message.value.is_array()) return text_of(reply(message.value, false));
        if (message.value.empty() || message.value.size() > most_batch)
            return text_of(failure(nullptr, wrong_request, "a batch must have 1 to 100 messages"));
        auto all = json::array();
        for (auto const& each : message.value)
            if (auto one = reply(each, true); !one.is_null()) all.push_back(std::move(one));
        return all.empty() ? std::string{} : text_of(all);
    }

private:
    static constexpr int no_json = -32700;
    static constexpr int wrong_request = -32600;
    static constexpr int unknown_method = -32601;
    static constexpr int wrong_parameters = -32602;
    static constexpr int internal_error = -32603;

    static std::string text_of(json const& message) {
        if (message.is_null()) return {};
        return message.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    }
    static json failure(json const& id, int code, std::string_view text) {
        return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", text}}}};
    }
    /// Null if there is none.
    static json const& member(json const& object, char const* name) {
        static json const none;
        auto const place = object.is_object() ? object.find(name) : object.end();
        return place == object.end() ? none : *place;
    }
    /// A number that does not keep its value here could not be echoed.
    static bool is_id(json const& id) {
        constexpr double most = 9'007'199'254'740'992;
        return id.is_string() || id.is_number_integer() || (id.is_number() && std::abs(id.get<double>()) < most);
    }

    /// Null where no answer is due.
    json reply(json const& message, bool in_batch) const {
        auto const& id = member(message, "id");
        auto const& method = member(message, "method");
        auto const echo = is_id(id) ? id : json{};
        if (member(message, "jsonrpc") != "2.0") return failure(echo, wrong_request, "JSON-RPC 2.0 is wanted");
        if (method.is_null() && (message.contains("result") || message.contains("error"))) return nullptr;
        if (!method.is_string()) return failure(echo, wrong_request, "method must be a string");
        if (!message.contains("id")) return nullptr;  // a notification
        if (echo.is_null()) return failure(echo, wrong_request, "id must be a string or a number");
        auto const& parameters = member(message, "params");
        if (!parameters.is_null() && !parameters.is_object())
            return failure(id, wrong_parameters, "params must be an object");
        if (in_batch && method == "initialize")
            return failure(id, wrong_request, "initialize must not be part of a batch");
        return run(id, method.get_ref<std::string const&>(), parameters);
    }

    json run(json const& id, std::string_view method, json const& parameters) const {
        auto const result = [&id](json value) -> json {
            return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(value)}};
        };
        if (method == "ping") return result(json::object());
        if (method == "tools/list") return result(offer_.tools);
        if (method == "initialize") {
            auto const& wanted = member(parameters, "protocolVersion");
            if (!wanted.is_string()) return failure(id, wrong_parameters, "protocolVersion must be a string");
            auto const known = std::find(protocol_versions.begin(), protocol_versions.end(),
                                         std::string_view{wanted.get_ref<std::string const&>()});
            return result({{"protocolVersion", known != protocol_versions.end() ? *known : protocol_versions.back()},
                           {"capabilities", {{"tools", json::object()}}},
                           {"serverInfo", {{"name", "recall"}, {"version", CONDENSE_VERSION_STRING}}},
                           {"instructions", offer_.instructions}});
        }
        if (method != "tools/call") return failure(id, unknown_method, "there is no such method");
        auto const& tool = member(parameters, "name");
        auto const& arguments = member(parameters, "arguments");
        if (!tool.is_string() || !offer_.has(tool.get_ref<std::string const&>()))
            return failure(id, wrong_parameters, "there is no such tool");
        if (!arguments.is_null() && !arguments.is_object())
            return failure(id, wrong_parameters, "arguments must be an object");
        try {
            auto const answer = offer_.call(tool.get_ref<std::string const&>(),
                                            arguments.is_null() ? std::string{"{}"} : arguments.dump());
            return result(
                {{"content", json::array({{{"type", "text"}, {"text", answer.text}}})}, {"isError", answer.is_error}});
        } catch (std::exception const& problem) { return failure(id, internal_error, problem.what()); }
    }

    offer offer_;
};

/// The next line of standard input without its end; one byte more than `most` of a line that is longer.
inline std::optional<std::string> next_line(std::size_t most) {
    std::string line;
    int byte = std::getc(stdin);
    if (byte == EOF) return std::nullopt;
    for (; byte != EOF && byte != '\n'; byte = std::getc(stdin))
        if (line.size() <= most) line.push_back(static_cast<char>(byte));
    return line;
}

}  // namespace recall
