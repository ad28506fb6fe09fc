// SPDX-License-Identifier: BSL-1.0
#pragma once

// All presets; apart from condense.hpp, as they reach shorteners that it does not.

#include <condense/preset/cascade.hpp>
#include <condense/preset/coding_agent.hpp>
#include <condense/preset/harness.hpp>
#include <condense/preset/no_model.hpp>
#include <condense/preset/planned.hpp>
#include <condense/preset/progressive.hpp>
#include <condense/preset/recommended.hpp>
