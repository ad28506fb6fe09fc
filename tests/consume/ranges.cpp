// SPDX-License-Identifier: BSL-1.0

// The ranges edge brings its package with it.

#include <vector>

#include <range/v3/iterator/operations.hpp>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/ranges.hpp>

int main() {
    using condense::chat_message;
    std::vector<chat_message> const history{chat_message::call("1", "list", "{}"), chat_message::result("1", "a.txt"),
                                            chat_message::assistant("One file.")};
    return ranges::distance(history | condense::views::groups) == 2 ? 0 : 1;
}
