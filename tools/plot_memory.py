#!/usr/bin/env python3
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/images/memory.svg, memory over the number of parts, and fills its table in docs/performance.md.

usage: plot_memory.py [CSV]

CSV is what memory_bench wrote; the newest in bench/results unless told otherwise.
"""

import csv
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STYLES = {("chain", "mechanism"): ("#0b5fa5", "o"), ("chain", "workspace"): ("#e09f3e", "s"),
          ("chain", "workspace of all lanes"): ("#7fb069", "^"), ("ladder", "loop dynamics, after a call"): ("#8d6a9f", "D"),
          ("ring", "loop dynamics, after a call"): ("#c0392b", "v")}


def series(rows, key):
    return sorted((int(r["parts"]), float(r["bytes"])) for r in rows if (r["mechanism"], r["what"]) == key)


def table(rows):
    sizes = sorted({int(r["parts"]) for r in rows})
    lines = ["| bytes per part | " + " | ".join(f"n = {n}" for n in sizes) + " |", "|---|" + "---:|" * len(sizes)]
    for key in STYLES:
        lines.append(f"| {key[0]}: {key[1]} | " + " | ".join(f"{bytes_ / n:.0f}" for n, bytes_ in series(rows, key)) + " |")
    return "\n".join(lines)


def main():
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    found = sorted((ROOT / "bench/results").glob("*_memory.csv"))
    if len(sys.argv) < 2 and not found:
        sys.exit("plot_memory.py: no bench/results/*_memory.csv; run memory_bench --results bench/results")
    path = Path(sys.argv[1]) if len(sys.argv) == 2 else found[-1]
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "trammel", "font.size": 9})  # same input, same file
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.2, 4), layout="constrained")
    figure.suptitle("Memory over the number of parts", fontsize=11, x=0.01, ha="left")
    for key, (colour, mark) in STYLES.items():
        axes.plot(*zip(*((n, bytes_ / 1e3) for n, bytes_ in series(rows, key))), marker=mark, markersize=4, color=colour,
                  label=f"{key[0]}: {key[1]}")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("parts n")
    axes.set_ylabel("kB")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(linewidth=0.4, color="#cccccc")
    axes.set_axisbelow(True)
    axes.legend(loc="upper left", frameon=False, fontsize=8)
    figure.savefig(ROOT / "docs/images/memory.svg", metadata={"Date": None, "Creator": None})

    page = ROOT / "docs/performance.md"
    text = page.read_text(encoding="utf-8")
    filled, count = re.subn(r"(<!-- table memory -->\n).*?(\n<!-- end -->)", lambda m: m[1] + table(rows) + m[2], text, flags=re.S)
    if count != 1:
        sys.exit("plot_memory.py: docs/performance.md has no place for the table")
    page.write_text(filled, encoding="utf-8")
    print(f"docs/images/memory.svg and its table: from {path.name}")


if __name__ == "__main__":
    main()
