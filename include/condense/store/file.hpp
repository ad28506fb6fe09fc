// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/store/artifact_folder.hpp>
#include <condense/store/journal_folder.hpp>
