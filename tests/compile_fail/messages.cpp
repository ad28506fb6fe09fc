// SPDX-License-Identifier: BSL-1.0
// Traits of messages, and the layers that want them.

#include "compile_fail/common.hpp"

#include <variant>

#include <condense/adapt/variant_parts.hpp>
#include <condense/core/any_pipeline.hpp>

struct words {
    std::string text;
};
struct image {
    std::string file;
};
using words_or_image = std::variant<words, image>;

// joins_previous_of_wrong_type: `bool joins_previous` -> `std::string joins_previous`
//   condense: message_traits: joins_previous must be static, take a message and give bool (see message_traits)
// pinned_of_wrong_type: `pinned(marked const& m)` -> `pinned(marked& m)`
//   condense: message_traits: pinned must be static, take a message and give bool (see message_traits)
struct marked : line {
    struct condense_traits : reads<marked> {
        static bool joins_previous(marked const&) { return {}; }
        static bool pinned(marked const& m) { return m.text.empty(); }
    };
};
int const ran_marked = run<marked>(sliding_window{});

// role_of_wrong_type: `role who` -> `int who`
//   condense: role_and_text: the role must be a condense::role or a string (see message)
// text_of_u16string: `std::u8string text` -> `std::u16string text`
//   condense: role_and_text: the text must be UTF-8, such as a std::string or std::u8string (see message)
struct simple {
    role who;
    std::u8string text;
    using condense_traits = role_and_text<&simple::who, &simple::text>;
};
int const ran_simple = run<simple>(sliding_window{});

// shorten_without_with_part: `with_part` -> `with_parts`
//   condense: pipeline: a layer that shortens must be given messages with with_part (see shortenable)
struct replaced : line {
    struct condense_traits : reads<replaced> {
        static replaced with_part(replaced const& m, std::size_t, std::string text) {
            return {{m.speaker, std::move(text)}};
        }
    };
};
int const ran_replaced = run<replaced>(compress{});

// remove_without_without_part: `without_part` -> `without_parts`
//   condense: draft.remove: the message must have without_part (see message_traits)
struct removed : line {
    struct condense_traits : reads<removed> {
        static removed with_part(removed const& m, std::size_t, std::string) { return m; }
        static removed without_part(removed const& m, std::size_t) { return m; }
    };
};
auto const removes = [](auto& draft, auto& pass) {
    every_part(draft, [&](part_ref part) { pass.note(draft.remove(part)); });
};
int const ran_removed = run<removed>(layer_that<shortens, decltype(removes)>{removes});

// old_reasoning_without_without_part: `without_part` -> `without_parts`
//   condense: draft.remove: the message must have without_part (see message_traits)
struct reasoned : line {
    struct condense_traits : reads<reasoned> {
        static reasoned with_part(reasoned const& m, std::size_t, std::string) { return m; }
        static reasoned without_part(reasoned const& m, std::size_t) { return m; }
    };
};
int const ran_reasoned = run<reasoned>(compress{.when = always, .with = old_reasoning{}});

// summarize_without_make: `make(` -> `makes(`
//   condense: pipeline: a layer that summarises must be given messages with make (see composable)
struct made : line {
    struct condense_traits : reads<made> {
        static made make(role speaker, std::string text) { return {{speaker, std::move(text)}}; }
    };
};
int const ran_made = run<made>(summarize{});

// any_pipeline_without_tier: `make(` -> `makes(`
//   condense: pipeline: a layer that summarises must be given messages with make (see composable)
struct made_for_any : line {
    struct condense_traits : reads<made_for_any> {
        static made_for_any make(role speaker, std::string text) { return {{speaker, std::move(text)}}; }
    };
};
any_pipeline<made_for_any> const any_mix = pipeline{summarize{}};

// repair_without_make_result: `make_result` -> `make_results`
//   condense: pipeline: a layer that repairs must be given messages with make_result (see answerable)
struct answered : line {
    struct condense_traits : reads<answered> {
        static answered make_result(answered const&, part_view const&, std::string text) {
            return {{role::tool, std::move(text)}};
        }
    };
};
int const ran_answered = run<answered>(repair{});

// draft_repair_without_make_result: `make_result` -> `make_results`
//   condense: draft.repair: the message must have make_result (see answerable)
struct answered_in_a_draft : line {
    struct condense_traits : reads<answered_in_a_draft> {
        static answered_in_a_draft make_result(answered_in_a_draft const&, part_view const&, std::string text) {
            return {{role::tool, std::move(text)}};
        }
    };
};
void repaired(std::vector<answered_in_a_draft> const& history) {
    outline facts;
    view edits;
    default_estimator<> const count;
    budget const limits{.window = {1'000}};
    draft drafted{history, facts, edits, count, limits};
    static_cast<void>(drafted.repair({}, "none"));
}

// record_without_to_bytes: `to_bytes` -> `to_byte`
//   condense: pipeline: a layer that records must be given messages with to_bytes and from_bytes (see storable)
struct recorded : line {
    struct condense_traits : reads<recorded> {
        static std::string to_bytes(recorded const& m) { return m.text; }
        static std::optional<recorded> from_bytes(std::string_view bytes) {
            return recorded{{role::user, std::string{bytes}}};
        }
    };
};
int const ran_recorded = run<recorded>(record{.to = some_journal{}});

// variant_in_a_struct: `: words_or_image {` -> `{ words_or_image body;`
//   condense: variant_parts: the parts must be std::variant, or derived from it (see variant_parts)
// variant_parts_of_const: `auto& m)` -> `pieces const& m)`
//   condense: variant_parts: the traits, which are its argument, must have a static parts_of(auto& m) -> auto& that
//   returns the sequence of parts, const where `m` is (see variant_parts)
// variant_without_show: `show(image` -> `shows(image`
//   condense: variant_parts: the traits must have a static show(alternative const&) for each alternative of the variant
//   (see variant_parts)
struct piece_of_text : words_or_image {};
struct pieces {
    std::vector<piece_of_text> parts;
    struct condense_traits : variant_parts<condense_traits> {
        static role role_of(pieces const&) { return role::user; }
        static auto& parts_of(auto& m) { return m.parts; }
        static part_view show(words const& part) { return {.text = part.text}; }
        static part_view show(image const& part) {
            return {.kind = part_kind::media, .text = part.file, .sealed = true};
        }
    };
};
int const ran_pieces = run<pieces>(sliding_window{});
