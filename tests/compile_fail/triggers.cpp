// SPDX-License-Identifier: BSL-1.0
// When layers act: triggers, targets and what is protected.

#include "compile_fail/common.hpp"

// used_of_a_number: `90_pct` -> `0.9`
// used_of_lines: `90_pct` -> `100_lines`
//   condense: used: a limit must have a unit, such as 90_pct (not 0.9), 20'000_tokens, 100_messages or 10_turns (see
//   trigger)
auto const often_used = used >= 90_pct && used > 10_turns;

// used_above_the_whole: `100_pct` -> `150_pct`
//   condense: used: a share must be at most 100 % of the input (see trigger)
constexpr auto all_used = used >= 100_pct;

// used_at_least_nothing: `1_messages` -> `0_messages`
//   condense: used: a limit that is always reached must be written as always (see trigger)
constexpr auto one_used = used >= 1_messages;

// headroom_of_messages: `20'000_tokens` -> `100_messages`
//   condense: headroom: a limit must be a share or tokens, such as 10_pct (not 0.1) or 20'000_tokens (see trigger)
auto const little_room = headroom < 20'000_tokens;

// relaxed_by_messages: `> 100_tokens` -> `> 100_messages`
// relaxed_by_turns: `> 100_tokens` -> `>= 20_turns`
//   condense: relaxed: the trigger must be used >= or used > with tokens or a share (see trigger)
constexpr auto relaxed_use = relaxed(used > 100_tokens, 10_pct);

// until_of_a_share: `used <= 50_pct` -> `50_pct`
//   condense: until: it must be a target such as used <= 50_pct (see trigger)
auto const until_half = pipeline{compress{.when = used >= 80_pct, .until = used <= 50_pct}};

// until_above_when: `75_pct` -> `85_pct`
// until_is_no_target: `<= 75_pct` -> `>= 75_pct`
//   condense: until: the target must be below the trigger in `when` (see trigger)
constexpr pipeline windowed{sliding_window{.when = used >= 80_pct, .until = used <= 75_pct}};

// until_of_escalate_above_when: `75_pct` -> `85_pct`
//   condense: until: the target must be below the trigger in `when` (see trigger)
constexpr pipeline escalated{sliding_window{}, escalate{.when = used >= 80_pct, .until = used <= 75_pct}};

// escalate_by_messages: `used >= 90_tokens` -> `used >= 90_messages`
//   condense: escalate: `when` must compare used with tokens or a share (see escalate)
// escalate_by_headroom: `used >= 90_tokens` -> `headroom < 10_tokens`
//   condense: escalate: `when` must compare used with one limit (see escalate)
constexpr pipeline escalated_when{sliding_window{}, escalate{.when = used >= 90_tokens}};

// escalate_until_by_messages: `used <= 50_tokens` -> `used <= 50_messages`
//   condense: escalate: `until` must compare used with tokens or a share (see escalate)
// escalate_until_by_headroom: `used <= 50_tokens` -> `headroom > 10_pct`
//   condense: escalate: `until` must compare used with one limit (see escalate)
constexpr pipeline escalated_until{sliding_window{}, escalate{.until = used <= 50_tokens}};

// protected_above_the_whole: `100_pct` -> `101_pct`
//   condense: at_most: a share must be at most 100 % of the window (see protection)
constexpr auto spared = at_most(100_pct, last(8_messages));
