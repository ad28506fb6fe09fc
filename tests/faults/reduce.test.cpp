// SPDX-License-Identifier: BSL-1.0
#include "faults/harness.hpp"

namespace {

struct chat_kind {
    using message_type = faults::touchy<condense::chat_message>;
    using history_type = std::vector<message_type>;

    static history_type history(std::vector<condense::chat_message> const& all) {
        history_type made;
        for (auto const& m : all) made.push_back({m});
        return made;
    }
    static condense::chat_message chat_of(message_type const& m) { return m.held; }
    static std::vector<condense::chat_message> chat(history_type const& all) {
        std::vector<condense::chat_message> made;
        for (auto const& m : all) made.push_back(chat_of(m));
        return made;
    }
};

}  // namespace

TEST_CASE("faults: chat_message", "[law-7]") { faults::run_all<chat_kind>(false); }
