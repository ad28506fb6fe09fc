// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>
#include <string>

#include <curl/curl.h>

// Where the provider is: the address that requests go to, or why there can be none. Unlike those of a client, it may be
// http elsewhere, as the keys are not those of the proxy.

namespace proxy {

struct address {
    std::string url = {};
    std::string scheme = {};  ///< http or https
    bool local = false;  ///< on this machine
    std::string problem = {};
};

/// `base` is such as https://api.openai.com.
inline address address_of(std::string const& base) {
    struct freed {
        void operator()(CURLU* held) const noexcept { curl_url_cleanup(held); }
    };
    std::unique_ptr<CURLU, freed> const parsed{curl_url()};
    auto const part = [&](CURLUPart which) {
        char* text = nullptr;
        if (curl_url_get(parsed.get(), which, &text, 0) != CURLUE_OK) return std::string{};
        std::string copy{text};
        curl_free(text);
        return copy;
    };
    address found;
    if (curl_url_set(parsed.get(), CURLUPART_URL, base.c_str(), 0) == CURLUE_OK) found.scheme = part(CURLUPART_SCHEME);
    if (found.scheme != "http" && found.scheme != "https")
        found.problem = "the endpoint must be an http or https address";
    else if (!part(CURLUPART_USER).empty() || !part(CURLUPART_PASSWORD).empty())
        found.problem = "the endpoint must not hold a password";
    if (!found.problem.empty()) return found;
    auto path = part(CURLUPART_PATH);
    while (path.ends_with('/')) path.pop_back();
    curl_url_set(parsed.get(), CURLUPART_PATH, path.c_str(), 0);
    auto const host = part(CURLUPART_HOST);
    found.local = host == "localhost" || host == "127.0.0.1" || host == "[::1]";
    found.url = part(CURLUPART_URL);
    return found;
}

}  // namespace proxy
