// SPDX-License-Identifier: BSL-1.0
#pragma once

// For those who write a layer, a shortener, a protection, an estimator or a store of their own.
//
// Layer: the hooks and flags are listed in core/layer.hpp. `slot_default` and `unset` for members whose type is
// deduced, `check_target` in validate(), `bind_protection` for `protect`, `halvings_of` for pressure, `note_why_idle`
// for reports. Shortener: `omission` and its kin write the markers, `settled` makes a text that a later run leaves
// alone. Test: condense/testing/layer_laws.hpp.

#include <condense/core/estimator.hpp>
#include <condense/core/layer.hpp>
#include <condense/core/store.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/unset.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/layer/arrival_memory.hpp>
#include <condense/layer/slots.hpp>
#include <condense/policy/order.hpp>
#include <condense/policy/protect.hpp>
#include <condense/policy/trigger.hpp>
#include <condense/policy/worth.hpp>
#include <condense/shorten/placeholder.hpp>
#include <condense/shorten/shortener.hpp>
#include <condense/shorten/text_limit.hpp>
