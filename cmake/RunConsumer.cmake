# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
#
# The ctest `consumer`: does an installed trammel serve a project that knows nothing of our source tree?
# Installs BUILD_DIR into a temporary prefix, copies CONSUMER_DIR outside the tree, configures, builds, runs it.
# Called as: cmake -DBUILD_DIR=... -DCONSUMER_DIR=... -DCXX=... -DCXX_FLAGS=... -DBUILD_TYPE=... -P RunConsumer.cmake

string(RANDOM LENGTH 10 tag)
set(temp "/tmp")
if(DEFINED ENV{TMPDIR})
  set(temp "$ENV{TMPDIR}")
endif()
set(scratch "${temp}/trammel-consumer-${tag}")
set(prefix "${scratch}/prefix")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    file(REMOVE_RECURSE "${scratch}")
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${result}): ${command}\n${output}")
  endif()
  set(run_output "${output}" PARENT_SCOPE)
endfunction()

file(COPY "${CONSUMER_DIR}/" DESTINATION "${scratch}/source")
run(${CMAKE_COMMAND} --install "${BUILD_DIR}" --prefix "${prefix}")
run(${CMAKE_COMMAND} -G Ninja -S "${scratch}/source" -B "${scratch}/build" "-DCMAKE_PREFIX_PATH=${prefix}"
  "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}")
run(${CMAKE_COMMAND} --build "${scratch}/build")
run("${scratch}/build/consumer")
message("consumer printed:\n${run_output}")
if(EXISTS "${prefix}/bin/trammel")
  run("${prefix}/bin/trammel" --help)
endif()
file(REMOVE_RECURSE "${scratch}")
