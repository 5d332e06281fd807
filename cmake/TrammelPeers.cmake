# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
#
# Target trammel_peers: the other libraries our answers are compared with in tests/peer and bench. Only defined when
# all of them are there. Debian's own package files are not used: MuJoCo's asks for OpenGL, KDL's defines no target.

find_path(MUJOCO_INCLUDE_DIR mujoco/mujoco.h)
find_library(MUJOCO_LIBRARY mujoco)
find_path(KDL_INCLUDE_DIR kdl/chain.hpp)
find_library(KDL_LIBRARY orocos-kdl)
mark_as_advanced(MUJOCO_INCLUDE_DIR MUJOCO_LIBRARY KDL_INCLUDE_DIR KDL_LIBRARY)

if(MUJOCO_INCLUDE_DIR AND MUJOCO_LIBRARY AND KDL_INCLUDE_DIR AND KDL_LIBRARY)
  add_library(trammel_peers INTERFACE)
  target_include_directories(trammel_peers SYSTEM INTERFACE "${MUJOCO_INCLUDE_DIR}" "${KDL_INCLUDE_DIR}")
  target_link_libraries(trammel_peers INTERFACE "${MUJOCO_LIBRARY}" "${KDL_LIBRARY}" Eigen3::Eigen)
endif()

# Target trammel_simbody: Simbody, for tests/peer_simbody. By itself, so that the other peers do not need it.
find_path(SIMBODY_INCLUDE_DIR Simbody.h PATH_SUFFIXES simbody)
find_library(SIMBODY_LIBRARY SimTKsimbody)
find_library(SIMBODY_MATH_LIBRARY SimTKmath)
find_library(SIMBODY_COMMON_LIBRARY SimTKcommon)
mark_as_advanced(SIMBODY_INCLUDE_DIR SIMBODY_LIBRARY SIMBODY_MATH_LIBRARY SIMBODY_COMMON_LIBRARY)

if(SIMBODY_INCLUDE_DIR AND SIMBODY_LIBRARY AND SIMBODY_MATH_LIBRARY AND SIMBODY_COMMON_LIBRARY)
  set(simbody_peer "${PROJECT_SOURCE_DIR}/tests/peer_simbody/cxx17/simbody_peer.cpp")  # its headers are no C++20
  add_library(trammel_simbody STATIC EXCLUDE_FROM_ALL "${simbody_peer}")
  set_target_properties(trammel_simbody PROPERTIES CXX_STANDARD 17)
  target_include_directories(trammel_simbody PUBLIC "${PROJECT_SOURCE_DIR}/tests")
  target_include_directories(trammel_simbody SYSTEM PRIVATE "${SIMBODY_INCLUDE_DIR}")
  target_link_libraries(trammel_simbody PRIVATE trammel_flags
    "${SIMBODY_LIBRARY}" "${SIMBODY_MATH_LIBRARY}" "${SIMBODY_COMMON_LIBRARY}")
endif()
