// SPDX-License-Identifier: BSL-1.0
#pragma once

// Everything that needs the standard library and Boost.Hana only. Message shapes, stores and model
// clients have headers of their own.

#include <condense/core/fallback.hpp>
#include <condense/core/reduce.hpp>
#include <condense/core/session.hpp>
#include <condense/estimate/char_ratio.hpp>
#include <condense/layer/compress.hpp>
#include <condense/layer/drop_superseded.hpp>
#include <condense/layer/escalate.hpp>
#include <condense/layer/offload.hpp>
#include <condense/layer/record.hpp>
#include <condense/layer/repair.hpp>
#include <condense/layer/sliding_window.hpp>
#include <condense/layer/summarize.hpp>
#include <condense/policy/by_content.hpp>
#include <condense/policy/collapse_repeats.hpp>
#include <condense/policy/compact_log.hpp>
#include <condense/policy/duplicate_results.hpp>
#include <condense/policy/first_of.hpp>
#include <condense/policy/head_tail.hpp>
#include <condense/policy/json_minify.hpp>
#include <condense/policy/json_sample.hpp>
#include <condense/policy/media_note.hpp>
#include <condense/policy/old_reasoning.hpp>
#include <condense/policy/order.hpp>
#include <condense/policy/part_key.hpp>
#include <condense/policy/point_to_file.hpp>
#include <condense/policy/protect.hpp>
#include <condense/policy/shorten_arguments.hpp>
#include <condense/policy/superseded_reads.hpp>
#include <condense/policy/trigger.hpp>
#include <condense/policy/worth.hpp>
