#!/usr/bin/env python3
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/images/work_precision.svg: error over evaluations and over time, of all integrators.

usage: plot_work_precision.py [CSV]

CSV is what work_precision_bench wrote; the newest in bench/results unless told otherwise.
"""

import csv
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STYLES = {"erk": ("#0b5fa5", "o"), "bdf": ("#e09f3e", "s"), "rk4": ("#7fb069", "^"), "midpoint": ("#8d6a9f", "D"),
          "semi-implicit": ("#c0392b", "v"), "implicit": ("#555555", "x")}


def main():
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    found = sorted((ROOT / "bench/results").glob("*_work_precision.csv"))
    if len(sys.argv) < 2 and not found:
        sys.exit("plot_work_precision.py: no bench/results/*_work_precision.csv; run work_precision_bench --results bench/results")
    path = Path(sys.argv[1]) if len(sys.argv) == 2 else found[-1]
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "trammel", "font.size": 9})  # same input, same file
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained", sharey=True)
    figure.suptitle("Andrews' squeezer: error of the angles at 0.03 s", fontsize=11, x=0.01, ha="left")
    for axes, column, label in zip(panels, ("evaluations", "cpu_seconds"), ("evaluations of the right side", "CPU time, s")):
        for integrator, (colour, mark) in STYLES.items():
            points = [(float(r[column]), float(r["error_rad"])) for r in rows if r["integrator"] == integrator]
            if points:
                axes.plot(*zip(*sorted(points)), marker=mark, markersize=4, color=colour, label=integrator)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel(label)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(linewidth=0.4, color="#cccccc")
        axes.set_axisbelow(True)
    panels[0].set_ylabel("error, rad")
    panels[1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False, fontsize=8)  # beside, not over the lines
    images = ROOT / "docs/images"
    images.mkdir(parents=True, exist_ok=True)
    figure.savefig(images / "work_precision.svg", metadata={"Date": None, "Creator": None})
    print(f"docs/images/work_precision.svg: from {path.name}")


if __name__ == "__main__":
    main()
