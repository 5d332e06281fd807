#!/usr/bin/env python3
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Nothing that depends on the instruction-set level leaves the kernel library: it exports its few functions and no
inline code, no other target is compiled with a -m flag, and no Eigen type is near it. And the loader picks the level."""

import json
import os
import re
import subprocess
import unittest
from pathlib import Path

SOURCE = Path(os.environ["TRAMMEL_SOURCE_DIR"])
BUILD = Path(os.environ["TRAMMEL_BINARY_DIR"])
TOOL = os.environ["TRAMMEL_TOOL"]
EXPORTS = {"trammel_kernel_level", "trammel_double_kernels", "trammel_lane_kernels", "trammel_star_kernels",
           "trammel_fluid_kernel", "trammel_fluid_lane_kernel", "trammel_lane_step", "trammel_loop_lanes"}


def libraries():
    return sorted(path for path in (BUILD / "lib").rglob("libtrammel-kernels.so.*") if not path.is_symlink())


def level_in_use(**environment):
    answer = subprocess.run([TOOL, "doctor", "--json"], capture_output=True, text=True, check=True,
                            env={**os.environ, **environment})
    return json.loads(answer.stdout)["kernel_level"]


class Boundary(unittest.TestCase):
    def test_only_the_listed_functions_are_exported(self):
        self.assertTrue(libraries())
        for library in libraries():
            names = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
            found = {line.split()[-1] for line in names.stdout.splitlines()}
            self.assertEqual({name for name in found if not name.startswith("__")}, EXPORTS, library)

    def test_it_needs_nothing_of_the_other_library(self):
        for library in libraries():
            names = subprocess.run(["nm", "-D", "--undefined-only", "--demangle", library], capture_output=True, text=True,
                                   check=True)
            self.assertEqual([line for line in names.stdout.splitlines() if "trammel" in line], [], library)

    def test_only_the_kernel_library_is_compiled_for_a_level(self):
        commands = json.loads((BUILD / "compile_commands.json").read_text())
        self.assertTrue(any("/kernel_library/" in entry["file"] for entry in commands))
        for entry in commands:
            flags = [flag for flag in entry["command"].split() if re.match(r"-m(?!llvm$)", flag)]
            if "/src/kernel_library/" not in entry["file"]:
                self.assertEqual(flags, [], entry["file"])

    def test_no_header_of_the_kernels_includes_eigen(self):
        files = [*(SOURCE / "include").rglob("*.hpp"), *(SOURCE / "src" / "kernels").rglob("*.hpp"),
                 *(SOURCE / "src" / "kernel_library").rglob("*"), *(SOURCE / "src" / "kinematics").rglob("*.hpp"),
                 *(SOURCE / "src" / "dynamics").rglob("*.hpp")]
        self.assertGreater(len(files), 30)
        for file in files:
            self.assertNotIn("Eigen/", file.read_text(), file)


class Loader(unittest.TestCase):
    """glibc takes the best level that the CPU has, and less where it is told that the CPU has less."""

    def setUp(self):
        self.levels = {path.parent.name for path in libraries()} - {"lib"}
        if "x86-64-v3" not in self.levels:
            self.skipTest("only the baseline is built here")
        self.cpu = json.loads(subprocess.run([TOOL, "doctor", "--json"], capture_output=True, text=True,
                                             check=True).stdout)["cpu_level"]

    def test_the_best_level_of_the_cpu_is_used(self):
        self.assertEqual(level_in_use(), self.cpu)

    def test_a_cpu_without_avx2_gets_the_baseline(self):
        self.assertEqual(level_in_use(GLIBC_TUNABLES="glibc.cpu.hwcaps=-AVX2"), "x86-64")

    def test_a_cpu_without_avx512_gets_v3_at_most(self):
        expected = "x86-64-v3" if self.cpu == "x86-64-v4" else self.cpu
        self.assertEqual(level_in_use(GLIBC_TUNABLES="glibc.cpu.hwcaps=-AVX512F"), expected)


if __name__ == "__main__":
    unittest.main()
