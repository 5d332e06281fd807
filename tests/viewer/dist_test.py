# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""The page that is committed, viewer/dist/index.html, is what its sources give; these are formatted and have no type errors."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import node

PAGE = node.VIEWER / "dist" / "index.html"


class Dist(unittest.TestCase):
    def run_node(self, *command):
        done = subprocess.run(["node", *command], cwd=node.VIEWER, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_committed_page_is_current(self):
        with tempfile.TemporaryDirectory() as out:
            self.run_node("node_modules/vite/bin/vite.js", "build", "--outDir", out, "--emptyOutDir", "--logLevel", "warn")
            same = Path(out, "index.html").read_bytes() == PAGE.read_bytes()
        self.assertTrue(same, "viewer/dist/index.html is not what viewer/src gives; fix: cd viewer && npm run build, and commit it")

    def test_the_page_is_one_file_below_a_megabyte_with_one_place_for_data(self):
        text = PAGE.read_text(encoding="utf-8")
        self.assertLess(len(text.encode()), 1_000_000)
        self.assertEqual(text.count("<!--TRAMMEL-DATA-->"), 1)
        self.assertNotRegex(text.replace("http://www.w3.org", ""), r'(src|href)="(https?:|/)')
        self.assertEqual([path.name for path in PAGE.parent.iterdir()], ["index.html"])

    def test_types_and_format(self):
        self.run_node("node_modules/typescript/bin/tsc", "--noEmit")
        self.run_node("node_modules/prettier/bin/prettier.cjs", "--check", ".")

    def test_the_lock_file_names_no_registry_but_the_public_one(self):
        lock = json.loads((node.VIEWER / "package-lock.json").read_text(encoding="utf-8"))
        for name, package in lock["packages"].items():
            resolved = package.get("resolved", "https://registry.npmjs.org/")
            self.assertTrue(resolved.startswith("https://registry.npmjs.org/"), f"{name}: {resolved}")


if __name__ == "__main__":
    node.require("node", "npm")
    node.install_packages()
    unittest.main()
