// SPDX-License-Identifier: BSL-1.0

// The curl edge brings libcurl and the JSON edge with it.

#include <condense/client/openai_client.hpp>

int main() {
    condense::openai_client const client{{.model = "m", .base_url = "http://a.host.elsewhere/v1"}};
    return !client.problem().empty() && client({.data = "text"}).error ? 0 : 1;
}
