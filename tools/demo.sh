#!/usr/bin/env bash
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
#
# `./dev demo`: shows the tool at work on the shipped models, in about a minute of reading, and writes out/demo.html: the Aquarobot
# walking, in the viewer. Expects a built build/trammel and, for the walk, build/walk; TRAMMEL_TOOL and TRAMMEL_WALK name others.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tool=${TRAMMEL_TOOL:-build/trammel}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if [[ -t 1 ]]; then bold=$'\033[1m' dim=$'\033[2m' blue=$'\033[1;34m' off=$'\033[0m'; else bold='' dim='' blue='' off=''; fi

step=0
chapter() {
  step=$((step + 1))
  printf '\n%s%s. %s%s\n' "$blue" "$step" "$1" "$off"
  shift
  (($# == 0)) || printf '%s\n' "$@"
}
# Breaks lines of more than 100 characters at a space.
wrap() {
  awk '{
    while (length($0) > 100) {
      for (k = 100; k > 20 && substr($0, k, 1) != " "; --k) { }
      print substr($0, 1, k - 1)
      $0 = "      " substr($0, k + 1)
    }
    if ($0 == "") { ++empty; next }  # none at the end
    for (; empty > 0; --empty) print ""
    print
  }'
}
# Shows a command as a user would type it, then runs it with the tool that was built. Its exit code is not an error here.
try() {
  local code=0
  printf '\n%s$ %s%s\n' "$bold" "$1" "$off"
  (cd "$scratch" && PATH=$scratch:$PATH bash -c "$1") >"$scratch/printed" 2>&1 || code=$?
  wrap <"$scratch/printed"
  ((code == 0)) || printf '%s(exit code %s)%s\n' "$dim" "$code" "$off"
}
[[ $tool = /* ]] || tool=$PWD/$tool
ln -s "$tool" "$scratch/trammel"
ln -s "$PWD/models" "$PWD/examples" "$scratch"

printf '%strammel%s: one description of bodies and joints; kinematics and dynamics of how it moves.\n' "$bold" "$off"

chapter "What is installed"
try "trammel doctor"

chapter "A linkage, drawn as it is" \
  "Four joints, none of them special. trammel finds the loop and says how it reads the drawing."
try "grep -A4 '^joints' models/crank_rocker.yaml"
try "trammel check models/crank_rocker.yaml | grep -E 'moving links|loop closed|Grübler'"

chapter "A robot arm: the torques that hold it" \
  "PUMA 560, figures of Armstrong, Khatib and Burdick (1986). One of them belongs to no real body:" \
  "trammel says so, and uses it as it is."
try "trammel eval models/puma560.yaml --state examples/03_robot_arm/reach.json --compute inverse"

chapter "A humanoid that nothing holds" \
  "38 freedoms; its base is a joint like any other. What one knee swinging at 5 rad/s gives it:"
try "trammel check models/humanoid.yaml | grep -E 'kg in all|moving links|for all'"
try "echo '{\"v\": {\"left knee\": 5}}' > kick.json"
try "trammel eval models/humanoid.yaml --state kick.json --compute energy,momentum \\
    | sed -n '/^Energy/,\$p'"

chapter "Forces through a joint" \
  "A quadruped crouches; the floor pushes with 6 N at each foot. What the front left hip carries:"
try "cp examples/04_floating_quadruped/stand.json ."
try "trammel eval models/quadruped.yaml --state stand.json --compute inverse,reactions \\
    | grep -E 'force|FL [HK]FE.*leg'"

chapter "A file with mistakes" \
  "All of them at once, each with its place and a remedy."
cat >"$scratch/broken.yaml" <<'YAML'
trammel: 1
units: {length: milimetres}
points: {O: [0, 0, 0], tip: [600, 0]}
bodies:
  bar: {mass: -1.5, shape: {rod: [O, tipp], radius: 10}}
joints:
  hinge: {revolut: [ground, bar], at: O, axis: z}
  hinge: {fixed: [ground, bar]}
YAML
try "cat broken.yaml"
try "trammel check broken.yaml"

chapter "To look at: the Aquarobot walks" \
  "A tripod gait in C++ (examples/24_viewer) walks it over an uneven floor; the viewer makes one page of the recording."
mkdir -p out
ln -s "${TRAMMEL_WALK:-$PWD/build/walk}" "$scratch/walk"
ln -s "$PWD/out" "$scratch/out"
try "walk models/aquarobot_walking.yaml walk.h5 30"
try "trammel view walk.h5 --html out/demo.html"
printf '\nOpen %s%s/out/demo.html%s in a browser, or: xdg-open out/demo.html\n' "$bold" "$PWD" "$off"

chapter "Where to go next"
cat <<'TEXT'

  build/trammel --help              the verbs; each has its own --help
  build/trammel view MODEL          any model, live in the browser
  docs/quickstart.md                from a drawing to numbers in ten minutes
  examples/                         one folder for each thing shown here
  models/                           the mechanisms, with the source of every figure
  docs/formats/native.md            the file format, key by key
TEXT
