# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
#
# libtrammel-kernels.so, once for every instruction-set level, laid out as glibc's loader looks for them, in the build
# tree as when installed:
#   lib/libtrammel-kernels.so.*                            baseline; target trammel-kernels, which others link
#   lib/glibc-hwcaps/x86-64-v3/libtrammel-kernels.so.*     AVX2 and FMA
#   lib/glibc-hwcaps/x86-64-v4/libtrammel-kernels.so.*     AVX-512
# The loader takes the best that the CPU has; nothing of ours chooses. To try a level: GLIBC_TUNABLES, see CONTRIBUTING.

option(TRAMMEL_KERNEL_LEVELS "Build fast kernels, also for x86-64-v3 and v4 (off with sanitizers and coverage)" ON)

# Both compilers build the kernels; clang's are 1.5 times as fast, in lanes 1.7 times (it keeps vectors in registers where g++ 12 moves
# them through memory), so it is taken when it is there. Empty: the compiler of everything else.
if(NOT DEFINED TRAMMEL_KERNEL_CXX AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  find_program(TRAMMEL_KERNEL_CXX NAMES clang++ clang++-14 DOC "Compiler of the kernels; empty: that of everything else")
endif()
mark_as_advanced(TRAMMEL_KERNEL_CXX)

set(kernel_levels)
if(TRAMMEL_KERNEL_LEVELS AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(kernel_levels x86-64-v3 x86-64-v4)
endif()

file(GLOB kernel_sources CONFIGURE_DEPENDS src/kernel_library/*.cpp)

# add_kernel_library(<target> <level> <folder under lib>)
function(add_kernel_library target level folder)
  add_library(${target} SHARED ${kernel_sources})
  target_include_directories(${target} PRIVATE src include)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:trammel_flags>)
  target_compile_definitions(${target} PRIVATE TRAMMEL_KERNEL_LEVEL="${level}"
    $<$<BOOL:${TRAMMEL_KERNEL_LEVELS}>:TRAMMEL_FLATTEN>)
  # Registers wider than the level's are passed in its own way; that concerns nobody, since none leave the library.
  target_compile_options(${target} PRIVATE -Wno-psabi)
  # Structs stay in registers where all is inlined, in lanes a tenth faster. The baseline is for CPUs that hardly anybody
  # has: compile it quickly.
  if(level STREQUAL "x86-64")
    set(inline_threshold 1000)
  else()
    set(inline_threshold 10000)
  endif()
  if(TRAMMEL_KERNEL_CXX)
    set_property(TARGET ${target} PROPERTY CXX_COMPILER_LAUNCHER
      "${PROJECT_SOURCE_DIR}/tools/other_compiler.sh" "${CMAKE_CXX_COMPILER_LAUNCHER} ${TRAMMEL_KERNEL_CXX}")
    target_compile_options(${target} PRIVATE -mllvm -inline-threshold=${inline_threshold})
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE -mllvm -inline-threshold=${inline_threshold})
  endif()
  # Hidden names and an export map: no inline function compiled for this level may serve anyone else.
  target_link_options(${target} PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/src/kernel_library/exports.map")
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME trammel-kernels
    SOVERSION ${PROJECT_VERSION}
    LINK_DEPENDS "${PROJECT_SOURCE_DIR}/src/kernel_library/exports.map"
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib${folder}")
endfunction()

add_kernel_library(trammel-kernels x86-64 "")
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set_property(TARGET trammel-kernels PROPERTY COMPILE_DEFINITIONS TRAMMEL_KERNEL_LEVEL="generic")
endif()
foreach(level IN LISTS kernel_levels)
  add_kernel_library(trammel-kernels-${level} ${level} "/glibc-hwcaps/${level}")
  set_target_properties(trammel-kernels-${level} PROPERTIES TRAMMEL_FMA ON)  # multiply and add in one operation
  # g++ 12 takes its own AVX-512 intrinsics for uses of uninitialised values.
  target_compile_options(trammel-kernels-${level} PRIVATE -march=${level} $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_dependencies(trammel-kernels trammel-kernels-${level})
endforeach()
