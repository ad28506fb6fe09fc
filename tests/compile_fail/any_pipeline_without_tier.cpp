// expect: condense: pipeline: a layer that summarises must be given messages with make (see composable)
// SPDX-License-Identifier: BSL-1.0
#include <string>

#include <condense/condense.hpp>
#include <condense/core/any_pipeline.hpp>

struct my_message {
    condense::role role = condense::role::user;
    std::string text;
};

template <>
struct condense::message_traits<my_message> {
    static role role_of(my_message const& m) { return m.role; }
    static void each_part(my_message const& m, auto&& sink) { sink(part_view{.text = m.text}); }
};

condense::any_pipeline<my_message> const mix = condense::pipeline{condense::summarize{}};
