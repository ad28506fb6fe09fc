// SPDX-License-Identifier: BSL-1.0
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <condense/condense.hpp>

struct my_message {
    condense::role role = condense::role::user;
    std::string text;
};

template <>
struct condense::message_traits<my_message> {
    static role role_of(my_message const& m) { return m.role; }
    static void each_part(my_message const& m, auto&& sink) { sink(part_view{.text = m.text}); }
    static my_message make_result(my_message const&, part_view const&, std::string text) {
        return {role::tool, std::move(text)};
    }
};

void run(std::vector<my_message> const& history) {
    condense::outline facts;
    condense::view edits;
    condense::default_estimator<> const count;
    condense::budget const limits{.window = {1'000}};
    condense::draft draft{history, facts, edits, count, limits};
    static_cast<void>(draft.repair({}, "none"));
}
