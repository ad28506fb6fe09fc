// SPDX-License-Identifier: BSL-1.0
#pragma once

// Core, sessions, layers and policies: the standard library and Boost.Hana only. Shorteners beside head_tail and
// first_of are in shorteners.hpp; message shapes, stores, settings and models have headers of their own.

#include <condense/core/provider_usage.hpp>
#include <condense/core/reduce.hpp>
#include <condense/core/usage.hpp>
#include <condense/estimate/char_ratio.hpp>
#include <condense/estimate/script_aware.hpp>
#include <condense/layer/compress.hpp>
#include <condense/layer/drop_superseded.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/fallback.hpp>
#include <condense/layer/leave_to_provider.hpp>
#include <condense/layer/offload.hpp>
#include <condense/layer/record.hpp>
#include <condense/layer/repair.hpp>
#include <condense/layer/sliding_window.hpp>
#include <condense/layer/summarize.hpp>
#include <condense/policy/known_secrets.hpp>
#include <condense/policy/order.hpp>
#include <condense/policy/protect.hpp>
#include <condense/policy/trigger.hpp>
#include <condense/policy/worth.hpp>
#include <condense/session/log_observer.hpp>
#include <condense/session/observer.hpp>
#include <condense/session/recent_events.hpp>
#include <condense/session/session.hpp>
#include <condense/session/turn_tracker.hpp>
#include <condense/shorten/first_of.hpp>
#include <condense/shorten/head_tail.hpp>
#include <condense/version.hpp>
