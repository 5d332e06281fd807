#!/usr/bin/env bash
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs fuzz targets that are already built: tools/fuzz.sh BINARY_DIR SECONDS [yaml urdf mjcf kam dm compile ...]
# One process per core. What a target learnt stays in BINARY_DIR/corpus/TARGET and is where the next run begins; an input
# that breaks something stays in BINARY_DIR/crashes/, and the exit status is 1. FUZZ_JOBS: processes at a time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

binary_dir=$1 seconds=$2
shift 2
targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || targets=(yaml urdf mjcf kam dm compile)

# Seeds: the shipped models in each format, and the broken files of the tests, each under a name of its own.
gather_seeds() {
  local folder=$binary_dir/seeds file
  mkdir -p "$folder"/{yaml,urdf,mjcf,kam,dm,compile}
  "$binary_dir/fuzz/write_seeds" "$folder/urdf" "$folder/mjcf" models/*.yaml
  for file in models/*.yaml examples/*/*.yaml tests/readers/broken/*.yaml; do
    cp "$file" "$folder/yaml/${file//\//_}"
  done
  for file in tests/readers/broken_urdf/*.urdf; do cp "$file" "$folder/urdf/${file//\//_}"; done
  for file in tests/readers/{mjcf,broken_mjcf}/*.xml; do cp "$file" "$folder/mjcf/${file//\//_}"; done
  # A listing whose data are beside it gets them after END: the target reads one text.
  for file in models/kam/*.kam tests/readers/broken_kam/*.kam; do
    cat "$file" "${file%.kam}.dat" >"$folder/kam/${file//\//_}" 2>/dev/null || true
  done
  # A simulation is followed by its robot, environment and terrain, parted by form feeds.
  for file in models/dynamechs/*.dm tests/readers/broken_dm/*.dm; do cp "$file" "$folder/dm/${file//\//_}"; done
  for file in models/dynamechs/*.cfg; do
    { cat "$file"; printf '\f'; cat models/dynamechs/slider_crank.dm; printf '\f'; cat models/dynamechs/sea_floor.env; printf '\f'; cat models/dynamechs/sea_floor.dat; } \
      >"$folder/dm/${file//\//_}"
  done
}

# fuzz TARGET. A hang is a minute on the clock, for the machine may be shared; the targets themselves look at CPU time.
# Memory is that of the sanitizers in the main; one allocation of 200 MB is too much in any case.
fuzz() {
  local name=$1 options=()
  [[ ! -f fuzz/$name.dict ]] || options=("-dict=fuzz/$name.dict")
  mkdir -p "$binary_dir/corpus/$name" "$binary_dir/crashes"
  UBSAN_OPTIONS=print_stacktrace=1 "$binary_dir/fuzz/fuzz_$name" "${options[@]}" \
    -max_total_time="$seconds" -timeout=60 -report_slow_units=60 -rss_limit_mb=2048 -malloc_limit_mb=200 -max_len=16384 \
    -print_final_stats=1 -artifact_prefix="$binary_dir/crashes/$name-" \
    "$binary_dir/corpus/$name" "$binary_dir/seeds/$name" >"$binary_dir/fuzz-$name.log" 2>&1 </dev/null
}

# report TARGET STATUS
report() {
  local log=$binary_dir/fuzz-$1.log executions
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  if [[ $2 -eq 0 ]]; then
    printf '%-8s %12s executions, no crash, hang or leak\n' "$1" "$executions"
  else
    printf '%-8s %12s executions, then: %s\n' "$1" "${executions:-?}" \
      "$(grep -m 1 -E 'this does not hold|SUMMARY|ERROR|runtime error' "$log" || tail -n 1 "$log")"
    printf '         %s; log: %s\n' "$(grep -o 'Test unit written to .*' "$log" | tail -n 1)" "$log"
  fi
}

gather_seeds
waiting=("${targets[@]}")
declare -A names=()
status=0
while [[ ${#waiting[@]} -gt 0 || ${#names[@]} -gt 0 ]]; do
  while [[ ${#waiting[@]} -gt 0 && ${#names[@]} -lt ${FUZZ_JOBS:-$(nproc)} ]]; do
    [[ -x $binary_dir/fuzz/fuzz_${waiting[0]} ]] || { echo "no fuzz target '${waiting[0]}'" >&2; exit 2; }
    fuzz "${waiting[0]}" &
    names[$!]=${waiting[0]}
    waiting=("${waiting[@]:1}")
  done
  result=0
  wait -n -p ended "${!names[@]}" || result=$?
  report "${names[$ended]}" "$result"
  [[ $result -eq 0 ]] || status=1
  unset "names[$ended]"
done
exit "$status"
