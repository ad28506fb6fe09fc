# SPDX-License-Identifier: BSL-1.0
# The documentation site: cmake --build FOLDER --target docs, which writes FOLDER/docs/html. Needs Doxygen and Python.

set(CONDENSE_DOXYGEN "")  # what tests use; empty where there is no site
find_package(Doxygen 1.9.4 QUIET)
find_package(Python3 3.11 QUIET COMPONENTS Interpreter)
if(NOT DOXYGEN_FOUND OR NOT Python3_FOUND)
    message(STATUS "condense: no target docs (needs doxygen 1.9.4 and Python 3.11 or newer)")
    return()
endif()
set(CONDENSE_DOXYGEN "${DOXYGEN_EXECUTABLE}")

# With a replay, where that program can be had, and what benchmarks/run.sh has written, if it is there by then.
set(condense_site --doxygen "${CONDENSE_DOXYGEN}" --report "${PROJECT_SOURCE_DIR}/build/benchmarks/report.md")
if(TARGET replay)
    list(APPEND condense_site --replay $<TARGET_FILE:replay>)
endif()
add_custom_target(docs
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/.docs/build.py" --output "${PROJECT_BINARY_DIR}/docs"
        ${condense_site}
    USES_TERMINAL VERBATIM)
if(TARGET replay)
    add_dependencies(docs replay)
endif()
