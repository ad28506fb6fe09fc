// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/config/settings.hpp>

// Settings of which none is the default, for all that reads settings.

inline constexpr condense::settings every_setting{.context_limit = condense::tokens{128'000},
                                                  .output_reserve = condense::tokens{4'096},
                                                  .system_overhead = condense::tokens{1},
                                                  .tools_overhead = condense::tokens{0},
                                                  .threshold = condense::percent{7'050},
                                                  .cache_hint = true,
                                                  .cache_relax = condense::percent{525},
                                                  .truncate_to = condense::chars{5'000},
                                                  .result_cap = condense::chars{20'000},
                                                  .artifact_threshold = condense::chars{12'000},
                                                  .window_messages = condense::messages{60},
                                                  .preserve_first = condense::messages{2},
                                                  .preserve_last = condense::messages{12}};
