// SPDX-License-Identifier: BSL-1.0

// How do I keep an agent loop inside the window, turn by turn?

#include <string>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/store/memory.hpp>

#include "check.hpp"

int main() {
    using condense::chat_message;
    using namespace condense::literals;
    using condense::used;

    condense::memory_store const store;
    condense::pipeline const mix{condense::offload{.over = 10'000_chars, .into = store},
                                 condense::summarize{.when = used >= 80_pct}};

    condense::session session{std::vector<chat_message>{}, mix, condense::budget{.window = 16'000_tokens},
                              condense::estimator_for<condense::family::claude>{}};
    session.push(chat_message::user("Read all the logs."));
    for (int call = 0; call < 40; ++call) {
        auto const id = std::to_string(call);
        session.push(chat_message::call(id, "read_log", "{\"name\":\"" + id + "\"}"));
        if (session.push(chat_message::result(id, std::string(12'000, static_cast<char>('a' + call % 26)))))
            check(session.prepare().fits());  // a reduction was due

        std::vector<chat_message> sent;
        for (auto const& m : session.request()) sent.push_back(m);
        check(session.used().fits() && sent.size() == session.used().messages.count);
    }
    check(session.history().size() == 81);  // the originals are all there
    check(store.size() == 26);
    check(session.statistics().layers[0].artifacts == 40);

    auto const before = session.used().tokens;
    check(session.undo() && session.used().tokens > before);  // the newest step is taken back
    check(session.prepare().fits());
}
