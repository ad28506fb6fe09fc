// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <deque>
#include <type_traits>

#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "core/sessions.hpp"
#include "laws/checker.hpp"
#include "laws/generator.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

// Headers that nearly every test of sessions includes, and its short names.

namespace short_names {

using namespace sessions;
using namespace vocabulary;
using condense::chat_message, condense::memory_journal, condense::memory_store, condense::state_fault;
using tapes::tape;

}  // namespace short_names
