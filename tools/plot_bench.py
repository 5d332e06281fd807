#!/usr/bin/env python3
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Tables and plots of docs/performance.md, from what `./dev bench peers` and `./dev bench operations` have written.

    tools/plot_bench.py [PEERS.csv OPERATIONS.csv]

Without arguments the newest files of bench/results are taken. Writes docs/images/bench_*.svg, and in docs/performance.md
whatever stands between <!-- table NAME --> and <!-- end -->.
"""

import csv
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/performance.md"
IMAGES = ROOT / "docs/images"

ROBOTS = ["puma560", "arm7", "quadruped", "humanoid", "aquarobot"]
ALGORITHMS = ["forward dynamics", "inverse dynamics", "mass matrix", "Jacobian", "kinematics"]
LIBRARIES = ["trammel", "trammel lanes", "MuJoCo", "KDL", "DART"]
COLOURS = {"trammel": "#0b5fa5", "trammel lanes": "#5fb0e5", "MuJoCo": "#d1495b", "KDL": "#8d6a9f", "DART": "#e09f3e"}


# --- the figures ------------------------------------------------------------------------------------------------------


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    runs = {tuple(row.get(key) for key in ("date", "cpu", "kernel_level", "compiler", "trammel")) for row in rows}
    if len(runs) != 1 or any(None in row or None in row.values() for row in rows):
        sys.exit(f"plot_bench.py: {path} is not the figures of one run")
    return rows


def columns_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return set(next(csv.reader(file), []))


def is_operations(path):
    return "additions_per_link" in columns_of(path)


def is_of_peers(path):
    return {"algorithm", "ns_min"} <= columns_of(path) and not is_operations(path)


def day_and_level(path):
    level = re.search(r"x86-64(-v\d)?", path.stem)
    return path.name[:10], level[0] if level else "", path.name


def results(wanted):
    """Files of bench/results, oldest first; of one day the highest instruction-set level last."""
    files = sorted((path for path in (ROOT / "bench/results").glob("*.csv") if wanted(path)), key=day_and_level)
    if not files:
        sys.exit("plot_bench.py: nothing in bench/results; run ./dev bench report")
    return files


def newest(wanted):
    return results(wanted)[-1]


def maker_of(cpu):
    """AMD EPYC, Intel Xeon: of one maker's CPUs that machines name differently."""
    return re.sub(r"\((R|TM)\)|Processor.*|@.*", "", cpu).strip()


def newest_of_each_kind():
    """Of the peers: the newest run at each instruction-set level on each maker's CPUs, the lowest level first."""
    runs = {}
    for path in results(is_of_peers):
        rows = read(path)
        runs[rows[0]["kernel_level"], maker_of(rows[0]["cpu"])] = Peers(rows)
    return dict(sorted(runs.items()))


class Peers:
    """The lines of a peers file, found by model, algorithm and library."""

    def __init__(self, rows):
        self.rows = {(r["model"], r["algorithm"], r["implementation"]): r for r in rows}
        self.models = list(dict.fromkeys(r["model"] for r in rows))
        self.head = rows[0]

    def row(self, model, algorithm, library):
        return self.rows.get((model, algorithm, library))

    def number(self, model, algorithm, library, column="ns_min"):
        row = self.row(model, algorithm, library)
        return float(row[column]) if row and row[column] else None

    def chains(self):
        return sorted((m for m in self.models if re.fullmatch(r"chain\d+", m)), key=lambda m: int(m[5:]))

    def robots(self):
        return [m for m in ROBOTS if m in self.models]


# --- tables -----------------------------------------------------------------------------------------------------------


def table(head, lines):
    text = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return "\n".join(text + ["| " + " | ".join(line) + " |" for line in lines])


def duration(ns):
    if ns is None:
        return "–"
    if ns < 9.95e3:
        return f"{ns:.0f} ns"
    return f"{ns / 1e3:.3g} µs" if ns < 9.995e5 else f"{ns / 1e6:.3g} ms"


def machine_table(peers):
    head = peers.head
    keys = {"date": "date", "cpu": "CPU", "clock_ghz": "clock, GHz", "kernel_level": "kernels", "lanes": "lanes",
            "compiler": "compiler", "trammel": "trammel", "mujoco": "MuJoCo", "kdl": "Orocos KDL", "dart": "DART"}
    return table(["", ""], [[title, head[key]] for key, title in keys.items()])


def algorithm_table(peers, algorithm):
    lines = []
    for model in peers.models:
        ours, lanes, mujoco, kdl, dart = (peers.number(model, algorithm, library) for library in LIBRARIES)
        if ours is None:
            continue
        row = peers.row(model, algorithm, "trammel")
        lines.append([f"{model} ({row['nv']} freedoms)", duration(ours), duration(lanes), duration(mujoco),
                      duration(kdl), duration(dart), f"{ours / mujoco:.3f}" if mujoco else "–",
                      f"{mujoco / lanes:.1f}" if mujoco and lanes else "–", row["relative_error"]])
    return table(["model", "one state", "in lanes, a state", "MuJoCo", "KDL", "DART", "one state : MuJoCo",
                  "MuJoCo : lanes", "difference"], lines)


def full_matrix_table(peers):
    """Mass matrices with every entry on both sides."""
    lines = []
    for model in peers.models:
        ours, full = (peers.number(model, "mass matrix", library) for library in ("trammel", "MuJoCo full"))
        if ours and full:
            lines.append([model, duration(ours), duration(full), f"{ours / full:.3f}"])
    return table(["model", "one state", "MuJoCo with mj_fullM", "one state : MuJoCo"], lines)


def level_table(runs):
    """What the goals are about, at each level: the range over robots and chains up to thirty hinges."""
    lines = []
    for (level, maker), peers in runs.items():
        models = peers.robots() + [m for m in peers.chains() if int(m[5:]) <= 30]
        cells = []
        for algorithm in ("forward dynamics", "inverse dynamics", "mass matrix", "Jacobian"):
            ratios = [peers.number(m, algorithm, "trammel") / peers.number(m, algorithm, "MuJoCo") for m in models]
            cells.append(f"{min(ratios):.2f} to {max(ratios):.2f}")
        rates = [peers.number(m, "forward dynamics", "MuJoCo") / peers.number(m, "forward dynamics", "trammel lanes")
                 for m in models]
        cells.append(f"{min(rates):.1f} to {max(rates):.1f}")
        head = peers.head
        spans = [flatness(peers, algorithm, "trammel lanes") for algorithm in ("forward dynamics", "inverse dynamics", "kinematics")]
        cells.append(f"{min(spans):.2f} to {max(spans):.2f}" if {"chain10", "chain1000"} <= set(peers.models) else "–")
        lines.append([level, f"{head['date']}, {maker}, {head['clock_ghz']} GHz, {head['lanes']} lanes"] + cells)
    return table(["kernels", "run", "forward", "inverse", "mass matrix", "Jacobian", "forward in lanes, MuJoCo : ours",
                  "lanes, time per body from N = 10 to 1000, largest : least"], lines)


def noise_table(peers):
    lines = []
    for library in LIBRARIES:
        spreads = sorted(float(r["ns_median"]) / float(r["ns_min"]) for r in peers.rows.values()
                         if r["implementation"] == library)
        if spreads:
            lines.append([library, f"{spreads[len(spreads) // 2]:.2f}", f"{spreads[-1]:.2f}"])
    return table(["library", "median : least, typical", "worst"], lines)


def instructions(row):
    if not row["instructions_per_link"]:
        return "–"
    return row["instructions_per_link"] + (" (baseline)" if row["instructions_level"] == "x86-64" else "")


def operations_table(rows):
    lines = []
    for row in rows:
        one = row["implementation"] == "trammel"
        lines.append([row["model"] if one else "", row["algorithm"] if one else "", "one state" if one else "lanes",
                      row["multiplications_per_link"] if one else "", row["additions_per_link"] if one else "",
                      instructions(row), row["ns_per_link"],
                      f"{100 * float(row['fraction_of_peak']):.0f} %" if row["fraction_of_peak"] else "–"])
    return table(["model", "algorithm", "", "multiplications", "additions", "instructions", "ns", "of peak"], lines)


def per_body(peers, algorithm, library):
    """Of the chains; empty where one of them was not timed."""
    times = [peers.number(m, algorithm, library, "ns_per_link") for m in peers.chains()]
    return [] if None in times else times


def flatness(peers, algorithm, library):
    times = per_body(peers, algorithm, library)
    return max(times) / min(times)


def flatness_table(peers):
    lines = []
    for algorithm in ("forward dynamics", "inverse dynamics", "kinematics"):
        for library in ("trammel", "trammel lanes"):
            times = per_body(peers, algorithm, library)
            if times:
                lines.append([f"{algorithm}, {'one state' if library == 'trammel' else 'lanes'}"]
                             + [f"{ns:.1f}" for ns in times] + [f"{flatness(peers, algorithm, library):.2f}"])
    return table(["ns per body"] + [f"N = {m[5:]}" for m in peers.chains()] + ["largest : least"], lines)


def filled(text, tables):
    """The page with its tables in their places; exits when a place is missing."""
    for name, content in tables.items():
        block = re.compile(rf"(<!-- table {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
        text, found = block.subn(lambda m, content=content: f"{m[1]}{content}\n{m[2]}", text)
        if found != 1:
            sys.exit(f"plot_bench.py: docs/performance.md has {found} places for the table '{name}'")
    return text


def all_tables(peers, operations):
    tables = {"machine": machine_table(peers), "levels": level_table(newest_of_each_kind()), "noise": noise_table(peers), "flatness": flatness_table(peers),
              "operations": operations_table(operations), "full mass matrix": full_matrix_table(peers)}
    return tables | {algorithm: algorithm_table(peers, algorithm) for algorithm in ALGORITHMS}


# --- plots ------------------------------------------------------------------------------------------------------------


def new_plot(plt, title, width=7.2, height=4):
    figure, axes = plt.subplots(figsize=(width, height), layout="constrained")
    axes.set_title(title, fontsize=11, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", linewidth=0.4, color="#cccccc")
    axes.set_axisbelow(True)
    return figure, axes


def save(figure, name):
    IMAGES.mkdir(parents=True, exist_ok=True)
    figure.savefig(IMAGES / name, metadata={"Date": None, "Creator": None})


def plot_flatness(plt, peers):
    figure, axes = new_plot(plt, "Forward dynamics of hinge chains: nanoseconds per body over N bodies")
    for library in LIBRARIES:
        points = [(int(m[5:]), peers.number(m, "forward dynamics", library, "ns_per_link")) for m in peers.chains()]
        points = [p for p in points if p[1] is not None]
        if points:
            axes.plot(*zip(*points), marker="o", markersize=4, label=library, color=COLOURS[library])
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("bodies")
    axes.set_ylabel("ns per body")
    axes.legend(frameon=False, fontsize=9)
    save(figure, "bench_flatness.svg")


def grouped_bars(axes, groups, series, value):
    """`value(group, name)` or None; one colour per name."""
    width = 0.8 / len(series)
    for k, (name, colour) in enumerate(series.items()):
        heights = [value(group, name) or 0 for group in groups]
        bars = axes.bar([g + (k - (len(series) - 1) / 2) * width for g in range(len(groups))], heights, width * 0.92,
                        label=name, color=colour)
        axes.bar_label(bars, [f"{h:.2g}" if h else "" for h in heights], fontsize=6, padding=1)
    axes.set_xticks(range(len(groups)), groups)
    axes.legend(frameon=False, fontsize=8, ncols=len(series))


def plot_ratio(plt, peers):
    figure, axes = new_plot(plt, "Time of one state relative to MuJoCo's (1 is as fast, less is faster)")
    colours = dict(zip(ALGORITHMS, ("#0b5fa5", "#3f8efc", "#7fb069", "#e09f3e", "#8d6a9f")))
    grouped_bars(axes, peers.robots(), colours,
                 lambda model, algorithm: peers.number(model, algorithm, "trammel", "ratio_to_mujoco"))
    axes.set_ylim(0, max(0.5, axes.get_ylim()[1] * 1.12))
    save(figure, "bench_ratio.svg")


def plot_lanes(plt, peers):
    figure, axes = new_plot(plt, "Forward dynamics: states per microsecond, one thread")
    models = peers.robots() + [m for m in peers.chains() if int(m[5:]) <= 30]
    series = {library: COLOURS[library] for library in LIBRARIES
              if any(peers.row(m, "forward dynamics", library) for m in models)}

    def rate(model, library):
        ns = peers.number(model, "forward dynamics", library)
        return 1e3 / ns if ns else None

    grouped_bars(axes, models, series, rate)
    axes.set_yscale("log")
    save(figure, "bench_lanes.svg")


def draw(peers):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "trammel", "font.size": 9})  # same input, same file
    import matplotlib.pyplot as plt

    plot_flatness(plt, peers)
    plot_ratio(plt, peers)
    plot_lanes(plt, peers)


def main():
    if len(sys.argv) not in (1, 3):
        sys.exit(__doc__)
    paths = [Path(p) for p in sys.argv[1:]] or [newest(is_of_peers), newest(is_operations)]
    peers, operations = Peers(read(paths[0])), read(paths[1])
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), all_tables(peers, operations)), encoding="utf-8")
    draw(peers)
    print(f"docs/performance.md and docs/images/bench_*.svg: from {paths[0].name} and {paths[1].name}")


if __name__ == "__main__":
    main()
