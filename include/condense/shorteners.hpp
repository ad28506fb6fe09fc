// SPDX-License-Identifier: BSL-1.0
#pragma once

// All shorteners for `compress`; apart from condense.hpp, whose compile time they would raise by a quarter.

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
#include <condense/policy/part_key.hpp>
#include <condense/policy/point_to_file.hpp>
#include <condense/policy/shorten_arguments.hpp>
#include <condense/policy/superseded_reads.hpp>
