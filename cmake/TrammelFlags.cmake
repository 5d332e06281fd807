# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
#
# Target trammel_flags: how every file of this project is compiled, library, tool, tests and benchmarks alike.
# (Alike, because inline functions compiled under different floating-point rules would be merged by the linker.)

add_library(trammel_flags INTERFACE)

# One set that g++ 12 and clang 14 both know. -Wconversion is left out: in index arithmetic and Eigen code it asks
# for casts that hide more than they show.
target_compile_options(trammel_flags INTERFACE
  -Wall -Wextra -Wpedantic
  -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Wcast-align -Wextra-semi
  -Wimplicit-fallthrough -Wformat=2
  # g++ 12 sees overlapping copies in "text" + std::string where there are none (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${TRAMMEL_WERROR}>:-Werror>)

# Same input, same bytes. No -ffast-math: NaN, infinity, signed zero and the order of operations keep their meaning.
# The first two flags change no result; they only give up errno and exception flags, which nobody here reads.
# Contraction to fused multiply-add is off, so that a baseline build gives the same numbers from g++ and clang and
# on CPUs whose baseline has FMA. A target for a higher instruction-set level sets its property TRAMMEL_FMA.
target_compile_options(trammel_flags INTERFACE -fno-math-errno -fno-trapping-math
  -ffp-contract=$<IF:$<BOOL:$<TARGET_PROPERTY:TRAMMEL_FMA>>,fast,off>)

find_program(TRAMMEL_CCACHE ccache DOC "Compiler cache, used when present")
mark_as_advanced(TRAMMEL_CCACHE)
if(TRAMMEL_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${TRAMMEL_CCACHE}")
endif()

# trammel_precompile(<target> <header>...): parses large headers of others once for the target. The presets of clang do
# without (CMAKE_DISABLE_PRECOMPILE_HEADERS), so that every file still has to say all that it includes.
# trammel_precompile(<target> REUSE_FROM <other>): takes those of another target that is compiled alike.
function(trammel_precompile target)
  if("${ARGV1}" STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>  # ccache asks for it
    # Collect garbage from 1 GiB on, not from 128 MiB: a tenth faster for a fifth more memory (1.3 GB at the most).
    "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=1048576>")
endfunction()
