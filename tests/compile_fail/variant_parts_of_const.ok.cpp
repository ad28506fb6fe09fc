// SPDX-License-Identifier: BSL-1.0
#include "compile_fail/variant_note.hpp"

struct note {
    std::vector<piece> parts;
};
template <>
struct condense::message_traits<note> : condense::variant_parts<condense::message_traits<note>> {
    static role role_of(note const&) { return role::user; }
    static auto& parts_of(auto& m) { return m.parts; }
    static part_view show(words const& part) { return as_text(part); }
    static part_view show(image const& part) { return as_media(part); }
};

int main() { reduce_notes<note>(); }
