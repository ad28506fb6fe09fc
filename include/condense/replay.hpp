// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/condense.hpp>
#include <condense/replay/any_mix.hpp>
#include <condense/replay/arguments.hpp>
#include <condense/replay/checker.hpp>
#include <condense/replay/compare.hpp>
#include <condense/replay/edits.hpp>
#include <condense/replay/fidelity_meter.hpp>
#include <condense/replay/figures.hpp>
#include <condense/replay/item_index.hpp>
#include <condense/replay/lines.hpp>
#include <condense/replay/mix.hpp>
#include <condense/replay/model.hpp>
#include <condense/replay/oracle.hpp>
#include <condense/replay/pairing.hpp>
#include <condense/replay/reading.hpp>
#include <condense/replay/replay_one.hpp>
#include <condense/replay/script.hpp>
#include <condense/replay/sent.hpp>
#include <condense/replay/shelf.hpp>
#include <condense/replay/sum.hpp>
#include <condense/replay/told.hpp>
#include <condense/replay/transcript.hpp>
#include <condense/replay/turns.hpp>
