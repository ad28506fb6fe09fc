// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/estimate/bpe/build.hpp>
#include <condense/estimate/bpe/char_class.hpp>
#include <condense/estimate/bpe/counter.hpp>
#include <condense/estimate/bpe/estimator.hpp>
#include <condense/estimate/bpe/hashing.hpp>
#include <condense/estimate/bpe/image.hpp>
#include <condense/estimate/bpe/memo.hpp>
#include <condense/estimate/bpe/merge.hpp>
#include <condense/estimate/bpe/piece_cache.hpp>
#include <condense/estimate/bpe/rank_file.hpp>
#include <condense/estimate/bpe/running.hpp>
#include <condense/estimate/bpe/safe_cut.hpp>
#include <condense/estimate/bpe/split.hpp>
#include <condense/estimate/bpe/split_rules.hpp>
#include <condense/estimate/bpe/table_block.hpp>
#include <condense/estimate/bpe/table_check.hpp>
#include <condense/estimate/bpe/tables.hpp>
#include <condense/estimate/bpe/tiling.hpp>
#include <condense/estimate/bpe/tokenizer_json.hpp>
#include <condense/estimate/bpe/unicode_table.hpp>
#include <condense/estimate/bpe/vocabulary.hpp>
#include <condense/estimate/bpe/vocabulary_error.hpp>
#include <condense/estimate/bpe/window.hpp>
#include <condense/estimate/bpe/window_simd.hpp>
