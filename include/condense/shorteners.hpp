// SPDX-License-Identifier: BSL-1.0
#pragma once

// All shorteners for `compress`; apart from condense.hpp, whose compile time they would raise by a quarter.

#include <condense/shorten/by_content.hpp>
#include <condense/shorten/collapse_repeats.hpp>
#include <condense/shorten/compact_log.hpp>
#include <condense/shorten/duplicate_results.hpp>
#include <condense/shorten/first_of.hpp>
#include <condense/shorten/head_tail.hpp>
#include <condense/shorten/json_minify.hpp>
#include <condense/shorten/json_sample.hpp>
#include <condense/shorten/media_note.hpp>
#include <condense/shorten/old_reasoning.hpp>
#include <condense/shorten/part_key.hpp>
#include <condense/shorten/point_to_file.hpp>
#include <condense/shorten/salient_lines.hpp>
#include <condense/shorten/shorten_arguments.hpp>
#include <condense/shorten/superseded_reads.hpp>
