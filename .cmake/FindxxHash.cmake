# SPDX-License-Identifier: BSL-1.0
# xxHash in header-only mode: xxhash.h is enough, no library is linked.

find_path(xxHash_INCLUDE_DIR xxhash.h)
mark_as_advanced(xxHash_INCLUDE_DIR)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(xxHash REQUIRED_VARS xxHash_INCLUDE_DIR)
if(xxHash_FOUND AND NOT TARGET xxHash::header_only)
    add_library(xxHash::header_only INTERFACE IMPORTED)
    target_include_directories(xxHash::header_only INTERFACE "${xxHash_INCLUDE_DIR}")
endif()
