// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include "support/rows.hpp"

/// Lists of answers.json: what models, providers and proxies answer when they are asked for a summary.
///
/// `summaries` are some, many of which quote a refusal, an error, or a page of one; `no_summaries` are refusals, errors
/// and error documents. They were written before the rule that tells them apart; `later_summaries` and
/// `later_no_summaries` after it, to see how it does with what it was not made for, and `latest_…` a second time, after
/// it had been mended. `shapes` may stand in the place of a summary, at any of the `positions`; `quotations` quote one
/// of them, where @ is.
inline std::vector<std::string> answers_in(std::string const& list) {
    return rows_beside(__FILE__, "answers.json")[list];
}
