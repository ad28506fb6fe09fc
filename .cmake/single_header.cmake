# SPDX-License-Identifier: BSL-1.0
# All headers as one, single_include/condense.hpp of the build.

find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_FOUND)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS include/condense/*.hpp)
    set(script "${CMAKE_CURRENT_LIST_DIR}/single_header.py")
    set(single_header "${PROJECT_BINARY_DIR}/single_include/condense.hpp")
    add_custom_command(OUTPUT "${single_header}" DEPENDS "${script}" ${headers}
        COMMAND Python3::Interpreter "${script}" "${single_header}")
    add_custom_target(single_header ALL DEPENDS "${single_header}")
endif()
