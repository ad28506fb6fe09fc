// SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>
#include <condense/shorteners.hpp>

struct my_message {
    condense::role role = condense::role::user;
    std::string text;
};

template <>
struct condense::message_traits<my_message> {
    static condense::role role_of(my_message const& m) { return m.role; }
    static void each_part(my_message const& m, auto&& sink) { sink(condense::part_view{.text = m.text}); }
    static my_message with_part(my_message const& m, std::size_t, std::string text) {
        return {m.role, std::move(text)};
    }
    static my_message without_part(my_message const& m, std::size_t) { return {m.role, {}}; }
};

void run(std::vector<my_message>& history) {
    condense::compress const layer{.when = condense::always, .with = condense::old_reasoning{}};
    static_cast<void>(condense::reduce(history, condense::pipeline{layer}, {.window = {1'000}}));
}
