// expect: condense: views.window: condense/layer/sliding_window.hpp must be included (see sliding_window)
#include <cstddef>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/adapt/ranges.hpp>

std::size_t run(std::vector<condense::chat_message> const& history) {
    return (history | condense::views::window(condense::messages{3})).size();
}
