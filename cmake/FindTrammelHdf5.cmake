# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
#
# Defines the target TrammelHdf5::hdf5, the C library of HDF5 in its serial flavour. CMake's own FindHDF5 compiles trial programs in C,
# a language that neither we nor our users need to enable, and takes the flavour for MPI where that is installed too. Installed
# beside trammelConfig.cmake, since a static libtrammel.a leaves the symbols of HDF5 open.

find_path(TrammelHdf5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(TrammelHdf5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
mark_as_advanced(TrammelHdf5_INCLUDE_DIR TrammelHdf5_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TrammelHdf5 REQUIRED_VARS TrammelHdf5_LIBRARY TrammelHdf5_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libhdf5-dev")

if(TrammelHdf5_FOUND AND NOT TARGET TrammelHdf5::hdf5)
  add_library(TrammelHdf5::hdf5 UNKNOWN IMPORTED)
  set_target_properties(TrammelHdf5::hdf5 PROPERTIES
    IMPORTED_LOCATION "${TrammelHdf5_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${TrammelHdf5_INCLUDE_DIR}")
endif()
