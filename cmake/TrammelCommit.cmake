# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
#
# Sets TRAMMEL_GIT_COMMIT to the commit at the time of configuring, for `trammel --version` and the provenance of
# results. Packagers may give it themselves (-DTRAMMEL_GIT_COMMIT=...). Never an error: without git it is empty.

if(NOT DEFINED TRAMMEL_GIT_COMMIT)
  set(TRAMMEL_GIT_COMMIT "")
  find_program(TRAMMEL_GIT git)
  mark_as_advanced(TRAMMEL_GIT)
  # The .git test keeps a source archive unpacked inside another repository from reporting that one's commit.
  if(TRAMMEL_GIT AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
    execute_process(COMMAND "${TRAMMEL_GIT}" rev-parse --short=10 HEAD WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
      OUTPUT_VARIABLE TRAMMEL_GIT_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    string(REGEX MATCH "^[0-9a-f]+$" TRAMMEL_GIT_COMMIT "${TRAMMEL_GIT_COMMIT}")
  endif()
endif()
