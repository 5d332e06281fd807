# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
#
# `cmake --install`: library, headers, tool, completion, the schema of model files for editors, and the package that
# find_package(trammel) finds.

include(CMakePackageConfigHelpers)

set(trammel_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/trammel")

install(TARGETS trammel trammel-kernels EXPORT trammelTargets)
foreach(level IN LISTS kernel_levels)
  install(TARGETS trammel-kernels-${level} LIBRARY NAMELINK_SKIP
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/glibc-hwcaps/${level}")
endforeach()
if(EXISTS "${PROJECT_SOURCE_DIR}/include")
  install(DIRECTORY include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
endif()
install(EXPORT trammelTargets NAMESPACE trammel:: DESTINATION "${trammel_package_dir}")

configure_package_config_file(cmake/trammelConfig.cmake.in "${PROJECT_BINARY_DIR}/trammelConfig.cmake"
  INSTALL_DESTINATION "${trammel_package_dir}")
# Before 1.0 a minor version may break callers.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/trammelConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/trammelConfig.cmake" "${PROJECT_BINARY_DIR}/trammelConfigVersion.cmake"
  cmake/FindTrammelHdf5.cmake
  DESTINATION "${trammel_package_dir}")

install(FILES docs/formats/native.schema.json DESTINATION "${CMAKE_INSTALL_DATADIR}/trammel")

if(TARGET trammel-tool)
  install(TARGETS trammel-tool)
  install(FILES apps/trammel/completion/trammel.bash
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME trammel OPTIONAL)
endif()
