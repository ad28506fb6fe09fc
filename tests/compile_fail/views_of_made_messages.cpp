// expect: condense: views: the elements of the history must be there to be referred to, not made when read (see
// message) SPDX-License-Identifier: BSL-1.0
#include <string>
#include <vector>

#include <range/v3/view/transform.hpp>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/ranges.hpp>

auto run(std::vector<std::string> const& texts) {
    auto const history =
        texts | ranges::views::transform([](std::string const& text) { return condense::chat_message::user(text); });
    return (history | condense::views::groups).size();
}
