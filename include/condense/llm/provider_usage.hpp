// SPDX-License-Identifier: BSL-1.0
#pragma once

// Moved; this line stays for one release.
#include <condense/core/provider_usage.hpp>
