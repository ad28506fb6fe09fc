# SPDX-License-Identifier: BSL-1.0
# Warnings for our own code only: nothing that is installed or exported links this target. They are errors in the presets that
# check the project, and there with the compilers that it is checked with: a newer one may warn of more.
# -Wnull-dereference is not for g++, where it follows inlined code into other people's headers.

set(checked_compilers GNU-12 GNU-14 Clang-17 Clang-19 Clang-22)
set(CONDENSE_WERROR "")
string(REGEX MATCH "^[0-9]+" major "${CMAKE_CXX_COMPILER_VERSION}")
if(CONDENSE_WARNINGS_ARE_ERRORS AND "${CMAKE_CXX_COMPILER_ID}-${major}" IN_LIST checked_compilers)
    set(CONDENSE_WERROR -Werror)
elseif(CONDENSE_WARNINGS_ARE_ERRORS)
    message(STATUS "condense: warnings are not errors with ${CMAKE_CXX_COMPILER_ID} ${major}, only with ${checked_compilers}")
endif()

add_library(condense_warnings INTERFACE)
target_compile_options(condense_warnings INTERFACE
    -Wall -Wextra -Wpedantic ${CONDENSE_WERROR} -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
    -Wcast-align -Wcast-qual -Wnon-virtual-dtor -Woverloaded-virtual -Wformat=2 -Wundef
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wduplicated-branches -Wlogical-op>
    $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wextra-semi -Wdouble-promotion -Wimplicit-fallthrough -Wnull-dereference>)

# g++ 12 sees overlapping and overflowing copies in its own std::string operator+ (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(condense_warnings INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
