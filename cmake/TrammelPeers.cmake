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
