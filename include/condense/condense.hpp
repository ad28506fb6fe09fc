// SPDX-License-Identifier: BSL-1.0
#pragma once

// Core, layers and policies: the standard library and Boost.Hana only. Shorteners beside head_tail are in
// shorteners.hpp; message shapes, stores and model clients have headers of their own.

#include <condense/core/fallback.hpp>
#include <condense/core/observer.hpp>
#include <condense/core/provider_usage.hpp>
#include <condense/core/reduce.hpp>
#include <condense/core/session.hpp>
#include <condense/core/turn_tracker.hpp>
#include <condense/core/usage_line.hpp>
#include <condense/estimate/char_ratio.hpp>
#include <condense/estimate/script_aware.hpp>
#include <condense/layer/compress.hpp>
#include <condense/layer/drop_superseded.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/offload.hpp>
#include <condense/layer/record.hpp>
#include <condense/layer/repair.hpp>
#include <condense/layer/sliding_window.hpp>
#include <condense/layer/summarize.hpp>
#include <condense/policy/first_of.hpp>
#include <condense/policy/head_tail.hpp>
#include <condense/policy/log_observer.hpp>
#include <condense/policy/order.hpp>
#include <condense/policy/protect.hpp>
#include <condense/policy/recent_events.hpp>
#include <condense/policy/relaxed.hpp>
#include <condense/policy/trigger.hpp>
#include <condense/policy/worth.hpp>
