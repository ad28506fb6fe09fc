// SPDX-License-Identifier: BSL-1.0
#pragma once

// The planned context: which documents and tool results a question needs, inside a budget.

#include <condense/layer/plan.hpp>
#include <condense/plan/context.hpp>
#include <condense/plan/model_planner.hpp>
#include <condense/recovery/earlier_artifacts.hpp>
