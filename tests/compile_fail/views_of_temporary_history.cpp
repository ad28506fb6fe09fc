// expect: condense: views: the history must outlive the view: give a container that has a name, or a view (see message)
// SPDX-License-Identifier: BSL-1.0
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/ranges.hpp>

std::vector<condense::chat_message> load();

auto run() { return (load() | condense::views::groups).size(); }
