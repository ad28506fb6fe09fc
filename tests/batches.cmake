# SPDX-License-Identifier: BSL-1.0
# Test files are compiled in batches: the files of one share the parsing of headers and the instantiation of templates.

set(CONDENSE_TEST_BATCH 6 CACHE STRING "How many test files are compiled at once; 1 compiles each alone")

# condense_batches(PROGRAM FILE...)   adds the files to the program, in batches. In a batch each file stands in a namespace of its
# own, after all that any of them includes, so files may use the same names as if each were compiled alone. One that has to stand
# at global scope, since it specialises a template of the library, defines a function of another namespace or has a name of C, is
# compiled alone.
function(condense_batches program)
    set(size ${CONDENSE_TEST_BATCH})
    if(program MATCHES "^(laws|faults)_")  # expensive to compile
        math(EXPR size "(${size} + 1) / 2")
    endif()
    set(batch "")
    foreach(file IN LISTS ARGN)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
        file(STRINGS ${file} global REGEX "^(template <>|extern |namespace condense|[a-z]+ [a-z_]+::[a-z_]+[(])")
        if(global OR size EQUAL 1)
            target_sources(${program} PRIVATE ${file})
        else()
            list(APPEND batch ${file})
        endif()
    endforeach()
    set(number 0)
    while(batch)
        list(SUBLIST batch 0 ${size} files)
        list(REMOVE_ITEM batch ${files})
        set(includes "")
        set(bodies "")
        foreach(file IN LISTS files)
            file(STRINGS ${file} lines REGEX "^#include ")
            list(APPEND includes ${lines})
            string(REGEX REPLACE "[^a-z0-9]" "_" name "${file}")
            string(APPEND bodies "namespace ${name} {\n#include \"${file}\"\n}\n")
        endforeach()
        list(REMOVE_DUPLICATES includes)
        list(JOIN includes "\n" includes)
        set(source "${CMAKE_CURRENT_BINARY_DIR}/batches/${program}_${number}.cpp")
        file(CONFIGURE OUTPUT "${source}" CONTENT "${includes}\n${bodies}" @ONLY)
        target_sources(${program} PRIVATE "${source}")
        math(EXPR number "${number} + 1")
    endwhile()
endfunction()
