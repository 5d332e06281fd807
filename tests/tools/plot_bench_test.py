# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of tools/plot_bench.py: tables from figures. (Plots need matplotlib, which tests do without.)"""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import plot_bench  # noqa: E402

HEAD = {"date": "2025-01-31", "cpu": "some CPU", "clock_ghz": "3.00", "kernel_level": "x86-64-v3", "lanes": "4",
        "compiler": "g++", "trammel": "0.1.0", "mujoco": "2.2.2", "kdl": "1.5.1", "dart": "6.12.1"}


def line(model, algorithm, library, ns, links=10):
    return HEAD | {"model": model, "links": str(links), "nv": str(links), "algorithm": algorithm,
                   "implementation": library, "ns_min": str(ns), "ns_median": str(1.5 * ns),
                   "ns_per_link": str(ns / links), "ratio_to_mujoco": "", "relative_error": "1e-15",
                   "error_against": "MuJoCo", "remark": ""}


PEERS = plot_bench.Peers([
    line("chain100", "forward dynamics", "trammel", 9000.0, 100),
    line("chain10", "forward dynamics", "trammel", 600.0),
    line("chain10", "forward dynamics", "trammel lanes", 150.0),
    line("chain10", "forward dynamics", "MuJoCo", 3000.0),
])


class Tables(unittest.TestCase):
    def test_ratios_are_those_of_the_least_times(self):
        text = plot_bench.algorithm_table(PEERS, "forward dynamics")
        self.assertIn("| chain10 (10 freedoms) | 600 ns | 150 ns | 3000 ns | – | – | 0.200 | 20.0 | 1e-15 |", text)

    def test_a_library_that_was_not_there_is_a_dash(self):
        text = plot_bench.algorithm_table(PEERS, "forward dynamics")
        self.assertIn("| chain100 (100 freedoms) | 9000 ns | – | – | – | – | – | – | 1e-15 |", text)

    def test_flatness_goes_by_length_and_leaves_out_incomplete_lines(self):
        lines = plot_bench.flatness_table(PEERS).splitlines()
        self.assertEqual(lines[0], "| ns per body | N = 10 | N = 100 | largest : least |")
        self.assertEqual(lines[2:], ["| forward dynamics, one state | 60.0 | 90.0 | 1.50 |"])

    def test_durations_have_fitting_units(self):
        self.assertEqual([plot_bench.duration(ns) for ns in (12.4, 9900, 12340, 2.5e6, None)],
                         ["12 ns", "9900 ns", "12.3 µs", "2.5 ms", "–"])

    def test_noise_is_median_over_least(self):
        self.assertIn("| trammel | 1.50 | 1.50 |", plot_bench.noise_table(PEERS))

    def test_a_table_replaces_what_stood_in_its_place(self):
        page = "before\n<!-- table a -->\nold\n<!-- end -->\nafter\n"
        once = plot_bench.filled(page, {"a": "new"})
        self.assertEqual(once, "before\n<!-- table a -->\nnew\n<!-- end -->\nafter\n")
        self.assertEqual(plot_bench.filled(once, {"a": "new"}), once)
        with self.assertRaises(SystemExit):
            plot_bench.filled(page, {"b": "new"})

    def test_figures_of_two_runs_in_one_file_are_refused(self):
        head = "date,cpu,kernel_level,compiler,trammel,model\n"
        good, other = "d,c,k,g++,0.1,arm7\n", "d,c,k,clang,0.1,arm7\n"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "figures.csv"
            path.write_text(head + good)
            self.assertEqual(len(plot_bench.read(path)), 1)
            for bad in (good + other, good + "d,c\n", good + good.strip() + ",more\n"):
                path.write_text(head + bad)
                with self.subTest(bad), self.assertRaises(SystemExit):
                    plot_bench.read(path)

    def test_the_page_shows_the_newest_results(self):
        peers = plot_bench.Peers(plot_bench.read(plot_bench.newest(plot_bench.is_of_peers)))
        operations = plot_bench.read(plot_bench.newest(plot_bench.is_operations))
        page = plot_bench.PAGE.read_text(encoding="utf-8")
        self.assertEqual(plot_bench.filled(page, plot_bench.all_tables(peers, operations)), page,
                         "run tools/plot_bench.py")


if __name__ == "__main__":
    unittest.main()
