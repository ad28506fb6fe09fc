// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <condense/config/model_roles.hpp>
#include <condense/replay/model.hpp>
#if !defined(REPLAY_WITHOUT_CURL)
#include <condense/client/anthropic_client.hpp>
#include <condense/client/openai_client.hpp>
#endif

#include "replay_options.hpp"

// Who writes the summaries of mixes: `--summariser rule|openai:URL|anthropic:URL`, and `--summariser-model NAME`.

namespace replay {

/// Empty for the stand-in.
struct summariser {
    std::string name = {};  ///< of the model
    condense::replay_summarizer ask = {};
};

#if !defined(REPLAY_WITHOUT_CURL)
template <class Client>
summariser client_of(std::string const& model, std::string_view url) {
    Client const client{Client::settings_from_environment({.model = model, .base_url = std::string{url}})};
    if (!client.problem().empty()) throw complaint{"--summariser: " + shown(client.problem())};
    return {model, client};
}
#endif

inline summariser summariser_of(options const& chosen) {
    auto const colon = chosen.summariser.find(':');
    auto const protocol = chosen.summariser.substr(0, colon);
    if (chosen.summariser == "rule") {
        if (!chosen.summariser_model.empty())
            throw complaint{"--summariser-model: there is no model without --summariser"};
        return {};
    }
    if (protocol != "openai" && protocol != "anthropic")
        throw complaint{"--summariser: '" + shown(chosen.summariser) + "' is not rule, openai:URL or anthropic:URL"};
#if defined(REPLAY_WITHOUT_CURL)
    throw complaint{"--summariser: this program was built without libcurl, and has the stand-in alone"};
#else
    auto const url = colon == std::string::npos ? std::string{} : chosen.summariser.substr(colon + 1);
    auto const role = condense::model_roles::from_environment({}).summariser;
    auto const model = chosen.summariser_model.empty() ? role.name : chosen.summariser_model;
    if (protocol == "openai") return client_of<condense::openai_client>(model, url);
    if (chosen.summariser_model.empty() && !role.chosen)
        throw complaint{"--summariser: name a model by --summariser-model or SUMMARIZER_MODEL"};
    return client_of<condense::anthropic_client>(model, url);
#endif
}

}  // namespace replay
