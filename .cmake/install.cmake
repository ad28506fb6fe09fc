# SPDX-License-Identifier: BSL-1.0
# The installed package: find_package(condense), then condense::condense and the edges made here.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

get_property(edges GLOBAL PROPERTY CONDENSE_EDGES)
get_property(packages GLOBAL PROPERTY CONDENSE_EDGE_PACKAGES)
list(REMOVE_DUPLICATES packages)
list(JOIN packages " " packages)
list(TRANSFORM edges PREPEND condense_)
set(folder "${CMAKE_INSTALL_DATADIR}/cmake/condense")

foreach(target IN ITEMS condense ${edges})
    install(TARGETS ${target} EXPORT condenseTargets FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endforeach()
install(EXPORT condenseTargets NAMESPACE condense:: DESTINATION "${folder}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/condenseConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/condenseConfig.cmake" INSTALL_DESTINATION "${folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/condenseConfigVersion.cmake"
    COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/condenseConfig.cmake" "${PROJECT_BINARY_DIR}/condenseConfigVersion.cmake"
    "${CMAKE_CURRENT_LIST_DIR}/Findhiredis.cmake" "${CMAKE_CURRENT_LIST_DIR}/FindxxHash.cmake" DESTINATION "${folder}")

# For builds without CMake; the libraries of the edges have files of their own.
set(includedir "\${prefix}")
cmake_path(APPEND includedir "${CMAKE_INSTALL_INCLUDEDIR}")  # which may be absolute
configure_file("${CMAKE_CURRENT_LIST_DIR}/condense.pc.in" "${PROJECT_BINARY_DIR}/condense.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/condense.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
