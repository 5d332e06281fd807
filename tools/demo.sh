#!/usr/bin/env bash
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
#
# `./dev demo`: shows the tool at work on the shipped models. Expects a built build/trammel.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

show build/trammel --help
for model in models/*.yaml; do
  [[ -e $model ]] || continue
  show build/trammel check "$model"
done
