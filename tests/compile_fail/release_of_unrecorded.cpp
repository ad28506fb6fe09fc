// expect: condense: session.release: the pipeline must be recoverable, with record before what drops (see recoverable)
// SPDX-License-Identifier: BSL-1.0
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>

struct my_journal {
    condense::reference name(std::string_view) const { return {}; }
    condense::store_error append(std::string_view, condense::journal_entry const&, std::string_view) const {
        return {};
    }
    condense::store_error flush(std::string_view) const { return {}; }
    condense::store_error read(std::string_view, auto&&) const { return {}; }
};

auto const mix = condense::pipeline{condense::sliding_window{}};

void run(condense::session<std::vector<condense::chat_message>, std::remove_const_t<decltype(mix)>>& session) {
    static_cast<void>(session.release({7}));
}
