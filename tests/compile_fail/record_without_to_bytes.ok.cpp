// SPDX-License-Identifier: BSL-1.0
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <condense/condense.hpp>

struct my_journal {
    condense::reference name(std::string_view) const { return {}; }
    condense::store_error append(std::string_view, condense::journal_entry const&, std::string_view) const {
        return {};
    }
    condense::store_error flush(std::string_view) const { return {}; }
    condense::store_error read(std::string_view, auto&&) const { return {}; }
};

struct my_message {
    condense::role role = condense::role::user;
    std::string text;
};

template <>
struct condense::message_traits<my_message> {
    static role role_of(my_message const& m) { return m.role; }
    static void each_part(my_message const& m, auto&& sink) { sink(part_view{.text = m.text}); }
    static std::string to_bytes(my_message const& m) { return m.text; }
    static std::optional<my_message> from_bytes(std::string_view held) { return my_message{.text = std::string{held}}; }
};

void run(std::vector<my_message>& history) {
    static_cast<void>(
        condense::reduce(history, condense::pipeline{condense::record{.to = my_journal{}}}, {.window = {1'000}}));
}
