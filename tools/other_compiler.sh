#!/bin/sh
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
#
# A compiler launcher for CMake that runs another compiler than the one it is given:
#   other_compiler.sh "[CCACHE] COMPILER" GIVEN_COMPILER ARGUMENTS...
# Flags that only the given one knows give no warnings.
other=$1
shift 2
# shellcheck disable=SC2086  # a launcher and a compiler, to be split
exec $other "$@" -Wno-unknown-warning-option
