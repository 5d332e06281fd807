#!/usr/bin/env python3
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/images/loop_growth.svg: time and operations of forward dynamics with loops over the number of parts.

usage: plot_growth.py [CSV]

CSV is what growth_bench wrote; the newest in bench/results unless told otherwise.
"""

import csv
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STYLES = {("ladder", "elimination"): ("#0b5fa5", "o"), ("ring", "elimination"): ("#e09f3e", "s"),
          ("chain of four-bars", "elimination"): ("#7fb069", "^"), ("star", "elimination"): ("#8d6a9f", "D"),
          ("star", "lilly-orin"): ("#c0392b", "v")}


def main():
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    found = sorted((ROOT / "bench/results").glob("*_growth.csv"))
    if len(sys.argv) < 2 and not found:
        sys.exit("plot_growth.py: no bench/results/*_growth.csv; run growth_bench --results bench/results")
    path = Path(sys.argv[1]) if len(sys.argv) == 2 else found[-1]
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "trammel", "font.size": 9})  # same input, same file
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
    figure.suptitle("Forward dynamics with loops, n equal parts", fontsize=11, x=0.01, ha="left")
    for axes, column, label in zip(panels, ("us", "operations_6x6"), ("µs", "operations with 6×6 blocks")):
        for (mechanism, method), (colour, mark) in STYLES.items():
            points = [(int(r["parts"]), float(r[column])) for r in rows
                      if (r["mechanism"], r["method"]) == (mechanism, method) and r[column]]
            if points:
                axes.plot(*zip(*sorted(points)), marker=mark, markersize=4, color=colour, label=f"{mechanism}, {method}")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("parts n")
        axes.set_ylabel(label)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(linewidth=0.4, color="#cccccc")
        axes.set_axisbelow(True)
    panels[0].legend(loc="upper left", frameon=False, fontsize=8)
    images = ROOT / "docs/images"
    images.mkdir(parents=True, exist_ok=True)
    figure.savefig(images / "loop_growth.svg", metadata={"Date": None, "Creator": None})
    print(f"docs/images/loop_growth.svg: from {path.name}")


if __name__ == "__main__":
    main()
