// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <utility>

#include <condense/client/openai_client.hpp>
#include <condense/condense.hpp>

#include "interrupt.hpp"
#include "model.hpp"

// An OpenAI-compatible server, through the library's client. Ctrl-C ends its answer.

namespace repl {

class endpoint {
public:
    explicit endpoint(condense::client_settings settings)
        : client_{[&] {
              settings.stop = [] { return interrupts != 0; };
              return std::move(settings);
          }()} {}

    /// Why there can be no request; empty where there can.
    std::string const& problem() const noexcept { return client_.problem(); }

    reply operator()(json::array_t const& messages, sink const& piece) const {
        interruptible const ctrl_c;
        condense::delivery show{[](void* to, std::string_view text) {
                                    if (!text.empty()) (*static_cast<sink const*>(to))(text);
                                },
                                const_cast<sink*>(&piece)};
        try {
            return client_(messages, show);
        } catch (condense::cancelled const&) { return failed(0, "cancelled"); }
    }
    /// A summary; after Ctrl-C the rule behind it writes one.
    condense::reply<std::string> operator()(condense::model_prompt const& prompt, condense::ask_limits limits) const {
        interruptible const ctrl_c;
        try {
            return client_(prompt, limits);
        } catch (condense::cancelled const&) { return {.error = {0, "cancelled"}}; }
    }

private:
    condense::openai_client client_;
};

}  // namespace repl
