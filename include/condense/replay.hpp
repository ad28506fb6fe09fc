// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/condense.hpp>
#include <condense/replay/compare.hpp>
#include <condense/replay/figures.hpp>
#include <condense/replay/mix.hpp>
#include <condense/replay/model.hpp>
#include <condense/replay/reading.hpp>
#include <condense/replay/replay_one.hpp>
#include <condense/replay/script.hpp>
#include <condense/replay/sent.hpp>
#include <condense/replay/sum.hpp>
#include <condense/replay/transcript.hpp>
