// SPDX-License-Identifier: BSL-1.0

// Claim: a whole session costs at most 1.05 times the instructions of one written by hand, whether the program by hand
// looks at all that has been or keeps a list of what is sent, can take a run back and reports what it did.
// overhead.py counts; ./bench_run_whole_session 4000 9000 window|offload_window

#include "overhead.hpp"

namespace {

template <class Pair>
int compare(std::size_t messages, Pair const& both, condense::budget limits) {
    auto const history = overhead::conversation(messages);
    condense::session session{std::vector<condense::chat_message>{}, both.mix, limits};
    auto kept = both.make_kept(limits);
    auto live = both.make_live(limits);
    auto const sizes = overhead::whole_by_library(session, history);
    overhead::check(sizes == overhead::whole_by_hand(kept, history), "the sizes of requests");
    overhead::check(sizes == overhead::whole_live(live, history), "the sizes of requests, with a list");
    std::size_t place = 0;
    for (auto const& m : session.request()) {
        overhead::check(m == kept.at(place), "a message");
        overhead::check(m == live.at(place++), "a message, with a list");
    }
    std::printf("%zu messages, %zu runs\n", messages, live.reports.size());
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    auto const messages = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 4'000;
    condense::budget const limits{.window = {count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 9'000}};
    bool const stores = count > 3 && std::strcmp(arguments[3], "offload_window") == 0;
    return stores ? compare(messages, overhead::offload_window(messages), limits)
                  : compare(messages, overhead::window(messages), limits);
}
