// SPDX-License-Identifier: BSL-1.0
#include <string>
#include <variant>
#include <vector>

#include <condense/adapt/variant_parts.hpp>
#include <condense/condense.hpp>

struct words {
    std::string text;
};
struct image {
    std::string file;
};
struct note {
    std::vector<std::variant<words, image>> parts;
};
template <>
struct condense::message_traits<note> : condense::variant_parts<condense::message_traits<note>> {
    static role role_of(note const&) { return role::user; }
    static auto& parts_of(auto& m) { return m.parts; }
    static part_view show(words const& part) { return {.text = part.text}; }
    static part_view show(image const& part) { return {.kind = part_kind::media, .text = part.file, .sealed = true}; }
};

using namespace condense::literals;

int main() {
    std::vector<note> notes(3);
    static_cast<void>(condense::reduce(
        notes, condense::pipeline{condense::sliding_window{.when = condense::used >= 90_pct}}, {.window = 100_tokens}));
}
