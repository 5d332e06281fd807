#!/usr/bin/env python3
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Reads ninja's log of a clean build and says where the time went; fails when a limit is passed.

usage: compile_times.py build/.ninja_log [--max-file SECONDS] [--max-total SECONDS] [--show N]
"""

import argparse
import sys


def read_log(lines):
    """Returns {output: (start, end)} in seconds; the last entry of an output counts."""
    times = {}
    for line in lines:
        if line.startswith("#"):
            continue
        fields = line.rstrip("\n").split("\t")
        if len(fields) >= 4:
            times[fields[3]] = (int(fields[0]) / 1000, int(fields[1]) / 1000)
    return times


def main(arguments, out=sys.stdout):
    parser = argparse.ArgumentParser(description="Where a clean build's time went.")
    parser.add_argument("log")
    parser.add_argument("--max-file", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("--max-total", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("--show", type=int, default=10, metavar="N")
    options = parser.parse_args(arguments)

    with open(options.log, encoding="utf-8") as log:
        times = read_log(log)
    if not times:
        print(f"{options.log}: error: no build step in it", file=out)
        return 1

    by_duration = sorted(((end - start, output) for output, (start, end) in times.items()), reverse=True)
    total = max(end for _, end in times.values()) - min(start for start, _ in times.values())
    for duration, output in by_duration[: options.show]:
        print(f"{duration:8.1f} s  {output}", file=out)
    print(f"{total:8.1f} s  from first to last, {len(times)} steps", file=out)

    failures = [f"{output} took {duration:.1f} s, limit {options.max_file:g} s"
                for duration, output in by_duration if duration > options.max_file]
    if total > options.max_total:
        failures.append(f"the build took {total:.1f} s, limit {options.max_total:g} s")
    for failure in failures:
        print(f"error: {failure}", file=out)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
