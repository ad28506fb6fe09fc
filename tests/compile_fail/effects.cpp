// SPDX-License-Identifier: BSL-1.0
// A layer does only what its effects declare.

#include "compile_fail/common.hpp"

// drop_undeclared: `drops` -> `shortens`
//   condense: draft.drop: the layer must declare condense::drops in its effects (see effect)
int const dropped = run_as<drops>([](auto& draft, auto& pass) {
    for (auto const which : draft.groups()) pass.note(draft.drop(which));
});

// arrive_effect_undeclared: `= drops` -> `= externalizes`
//   condense: draft.drop: the layer must declare condense::drops in its effects (see effect)
struct drops_arrivals {
    static constexpr auto effects = drops;
    void arrive(auto& draft, sequence arrived, auto& pass) const {
        pass.note(draft.drop({draft.outline().group_of(arrived.number)}));
    }
};
int const dropped_at_once = run(drops_arrivals{});

// shorten_undeclared: `shortens` -> `drops`
//   condense: draft.shorten: the layer must declare condense::shortens in its effects (see effect)
int const shortened = run_as<shortens>(
    [](auto& draft, auto& pass) { every_part(draft, [&](part_ref part) { pass.note(draft.shorten(part, "gone")); }); });

// remove_undeclared: `shortens` -> `externalizes`
//   condense: draft.remove: the layer must declare condense::shortens in its effects (see effect)
int const removed = run_as<shortens>(
    [](auto& draft, auto& pass) { every_part(draft, [&](part_ref part) { pass.note(draft.remove(part)); }); });

// remove_by_repairs_alone: `repairs | drops` -> `repairs`
//   condense: draft.remove: the layer must declare condense::shortens in its effects (see effect)
int const removed_for_repair = run_as<(repairs | drops)>(
    [](auto& draft, auto& pass) { every_part(draft, [&](part_ref part) { pass.note(draft.remove(part)); }); });

// externalize_undeclared: `externalizes` -> `shortens`
//   condense: draft.externalize: the layer must declare condense::externalizes in its effects (see effect)
int const externalized = run_as<externalizes>([](auto& draft, auto& pass) {
    every_part(draft, [&](part_ref part) { pass.note(draft.externalize(part, "kept", {})); });
});

// repair_undeclared: `repairs` -> `restores`
//   condense: draft.repair: the layer must declare condense::repairs in its effects (see effect)
int const repaired = run_as<repairs>([](auto& draft, auto& pass) {
    for (auto const column : draft.outline().dead_calls()) pass.note(draft.repair(draft.part_at(column), "none"));
});

// restore_undeclared: `restores` -> `drops`
//   condense: draft.restore: the layer must declare condense::restores in its effects (see effect)
int const restored = run_as<restores>([](auto& draft, auto& pass) { pass.note(draft.restore(sequence{0})); });

// restore_with_texts_undeclared: `restores | shortens` -> `restores`
//   condense: draft.restore: the layer must declare condense::restores, and condense::shortens or
//   condense::externalizes, in its effects (see effect)
int const restored_with_texts = run_as<(restores | shortens)>(
    [](auto& draft, auto& pass) { pass.note(draft.restore(group{0}, {{draft.part_at(0), "text", {}}}, {1'000})); });

// summarize_undeclared: `summarizes` -> `drops`
//   condense: draft.summarize: the layer must declare condense::summarizes in its effects (see effect)
int const summarized =
    run_as<summarizes>([](auto& draft, auto& pass) { pass.note(draft.summarize(draft.groups(), "They talked.")); });

// ask_undeclared: `summarizes | asks` -> `summarizes`
//   condense: pass.ask: the layer must declare condense::asks in its effects (see effect)
int const asked = run_as<(summarizes | asks)>([](auto&, auto& pass) {
    pass.note(pass.ask([](std::string_view) { return std::string{"answer"}; }, "question", {}));
});

// now_undeclared: `drops | reads_clock` -> `drops`
//   condense: pass.now: the layer must declare condense::reads_clock in its effects (see effect)
int const timed = run_as<(drops | reads_clock)>([](auto&, auto& pass) {
    if (pass.now() > instant{1}) pass.note("late");
});

// append_undeclared: `keeps` -> `drops`
//   condense: pass.append: the layer must declare condense::keeps in its effects (see effect)
int const appended = run_as<keeps>([](auto&, auto& pass) {
    if (auto const problem = pass.append(some_journal{}, {}, {})) pass.note(problem.reason);
});

// flush_undeclared: `keeps` -> `drops`
//   condense: pass.flush: the layer must declare condense::keeps in its effects (see effect)
int const flushed = run_as<keeps>([](auto&, auto& pass) {
    if (auto const problem = pass.flush(some_journal{})) pass.note(problem.reason);
});

// keep_undeclared: `externalizes | keeps` -> `externalizes`
//   condense: pass.keep: the layer must declare condense::keeps in its effects (see effect)
int const kept = run_as<(externalizes | keeps)>([](auto&, auto& pass) {
    static constexpr some_store store{};
    pass.keep(store, "content");
});
