# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
#
# trammel_sundials: the libraries of SUNDIALS that src/simulation/erk_stepper.cpp and bdf_stepper.cpp use. Debian's own package file is not used: it asks
# for MPI and every solver that was packaged.

find_path(SUNDIALS_INCLUDE_DIR arkode/arkode_butcher_erk.h)
set(trammel_sundials)
foreach(library IN ITEMS arkode cvode nvecserial sunlinsoldense sunmatrixdense)
  find_library(SUNDIALS_${library}_LIBRARY sundials_${library} REQUIRED)
  mark_as_advanced(SUNDIALS_${library}_LIBRARY)
  list(APPEND trammel_sundials "${SUNDIALS_${library}_LIBRARY}")
endforeach()
mark_as_advanced(SUNDIALS_INCLUDE_DIR)
