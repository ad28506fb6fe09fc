// SPDX-License-Identifier: BSL-1.0

// How do I use messages whose parts are std::variant, with text in std::u8string or in an arena?

#include <cstddef>
#include <memory_resource>
#include <string>
#include <variant>
#include <vector>

#include <condense/adapt/variant_parts.hpp>
#include <condense/condense.hpp>

#include "check.hpp"

namespace my {

struct words {
    std::u8string text;
};
struct call {
    std::string id, tool, arguments;
};
struct output {
    std::string id;
    std::pmr::string text;
    bool failed = false;
};
struct image {
    std::string file;
};
struct note {
    condense::role from = condense::role::user;
    std::pmr::vector<std::variant<words, call, output, image>> parts = {};
};

}  // namespace my

// How each alternative is shown, and how it takes another text: what has no `write` is not edited.
template <>
struct condense::message_traits<my::note> : condense::variant_parts<condense::message_traits<my::note>> {
    static role role_of(my::note const& m) { return m.from; }
    static auto& parts_of(auto& m) { return m.parts; }

    static part_view show(my::words const& part) { return {.text = as_utf8(part.text)}; }
    static void write(my::words& part, std::string text) { assign_utf8(part.text, std::move(text)); }
    static part_view show(my::call const& part) {
        return {.kind = part_kind::tool_call, .text = part.arguments, .tool = part.tool, .call = part.id};
    }
    static part_view show(my::output const& part) {
        return {.kind = part_kind::tool_result,
                .text = as_utf8(part.text),
                .call = part.id,
                .status = part.failed ? part_status::error : part_status::ok};
    }
    static void write(my::output& part, std::string text) { assign_utf8(part.text, std::move(text)); }
    static part_view show(my::image const& part) {
        return {.kind = part_kind::media, .text = part.file, .sealed = true, .cost = cost::of(tokens{1'600})};
    }

    static my::note make(role speaker, std::string text) {  // for summaries
        my::note result{speaker};
        my::words words;
        assign_utf8(words.text, std::move(text));
        result.parts.emplace_back(std::move(words));
        return result;
    }
};

int main() {
    using namespace condense::literals;
    using condense::role;
    std::vector<my::note> notes{{role::user, {my::words{u8"Was steht dort? \u00DCbersetze es."}}}};
    notes.push_back({role::assistant, {my::words{u8"I look."}, my::call{"7", "look", "{}"}}});
    notes.push_back({role::tool, {my::output{"7", std::pmr::string(20'000, '.')}}});
    notes.push_back({role::assistant, {my::words{u8"Dots."}}});
    notes.push_back({role::user, {my::words{u8"And this one?"}, my::image{"photo.png"}}});
    condense::pipeline const mix{condense::compress{.when = condense::always},
                                 condense::summarize{.when = condense::used >= 80_pct}};
    auto const report = condense::reduce(notes, mix, {.window = 8'000_tokens});
    check(report.fits() && notes.size() == 5);
    check(std::get<my::output>(notes[2].parts[0]).text.size() < 10'000);
    check(std::get<my::call>(notes[1].parts[1]).arguments == "{}");
}
