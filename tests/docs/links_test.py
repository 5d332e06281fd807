# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Links in the pages lead somewhere, and what the pages name exists.

Relative links and anchors of every *.md file of the tree are followed. On the pages that claim things (CLAIMING below) every
word in backticks must exist: a path as a file, `Suite.test` as a test, `folder/*Suite*` as suites of tests/folder, an
identifier as a word of the sources.
"""

import fnmatch
import re
import subprocess
import unittest
from functools import lru_cache
from pathlib import Path

from doc_runner import SOURCE

CLAIMING = ["docs/lineage.md", "docs/validation.md", "docs/theory.md", "README.md"]

TEST_MACRO = re.compile(r"\b(?:TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+),\s*(\w+)")
IDENTIFIER = re.compile(r"^[A-Za-z_]\w*(?:::\w+)*$")
SUITE_TEST = re.compile(r"^([A-Z]\w*)\.([a-z]\w*)$")
PATH = re.compile(r"^\.?[\w.-]+(?:/[\w.*-]+)*/?$")


def source_files(*suffixes):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=SOURCE, text=True,
                            capture_output=True, check=False)
    if listed.returncode == 0:
        files = [SOURCE / line for line in listed.stdout.splitlines()]
    else:  # an unpacked archive: no build folder either
        files = [p for p in SOURCE.rglob("*") if not p.relative_to(SOURCE).parts[0].startswith(("build", "."))]
    return [f for f in files if f.suffix in suffixes and f.is_file()]


@lru_cache
def words():
    found = set()
    for file in source_files(".cpp", ".hpp", ".py", ".yaml", ".bash"):
        if "broken" not in file.parts:
            found.update(re.findall(r"\w+", file.read_text(encoding="utf-8", errors="replace")))
    return found


@lru_cache
def tests():
    found = set()
    for file in source_files(".cpp", ".hpp"):
        if file.is_relative_to(SOURCE / "tests"):
            found.update(TEST_MACRO.findall(file.read_text(encoding="utf-8")))
    return found


def names_suites(pattern):
    """Whether `folder/*Suite*`, as ctest names tests, matches a suite in tests/folder."""
    folder, _, suite = pattern.partition("/")
    found = set()
    for file in source_files(".cpp"):
        if file.parent == SOURCE / "tests" / folder:
            found.update(name for name, _ in TEST_MACRO.findall(file.read_text(encoding="utf-8")))
    return any(fnmatch.fnmatchcase(name, suite) for name in found)


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchor_of(heading):
    """As GitHub makes them."""
    kept = re.sub(r"[^\w\- ]", "", re.sub(r"`|\*", "", heading.strip().lower()))
    return kept.replace(" ", "-")


def anchors(page):
    return {anchor_of(h) for h in re.findall(r"^#+ (.*)$", without_code(page.read_text(encoding="utf-8")), re.MULTILINE)}


def broken_links(page):
    text = re.sub(r"`[^`\n]*`", "", without_code(page.read_text(encoding="utf-8")))
    for target in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r"(?:src|href)=\"([^\"]+)\"", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"{page.relative_to(SOURCE)}: {target} is not there"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            yield f"{page.relative_to(SOURCE)}: {target} has no such heading"


def exists(name):
    """Whether a word in backticks names something in the tree; True for what is no name at all."""
    if "*" in name and names_suites(name):
        return True
    suite = SUITE_TEST.match(name)
    if suite and not (SOURCE / name).exists() and not name.endswith((".cpp", ".hpp", ".py", ".md", ".yaml", ".json")):
        return suite.groups() in tests()
    if IDENTIFIER.match(name):
        return all(part in words() for part in name.split("::")) or (SOURCE / name).exists()
    if PATH.match(name) and ("/" in name or re.search(r"\.(cpp|hpp|py|md|yaml|json|sh|txt)$", name)):
        return any(SOURCE.glob(name.rstrip("/"))) or any(SOURCE.glob(f"**/{name.rstrip('/')}"))
    return True


def missing_names(page):
    """Build products are no part of the tree: paths under build/ are not looked for."""
    for name in re.findall(r"`([^`\n]+)`", without_code(page.read_text(encoding="utf-8"))):
        if not name.startswith(("build/", "./dev")) and not exists(name):
            yield f"{page.relative_to(SOURCE)}: `{name}` is not in the source tree"


class Links(unittest.TestCase):
    def test_every_relative_link_leads_somewhere(self):
        pages = source_files(".md")
        self.assertGreater(len(pages), 10)
        self.assertEqual([link for page in pages for link in broken_links(page)], [])

    def test_what_the_claiming_pages_name_exists(self):
        pages = [SOURCE / page for page in CLAIMING if (SOURCE / page).is_file()]  # a missing one is a broken link above
        self.assertEqual([name for page in pages for name in missing_names(page)], [])

    def test_a_claim_in_lineage_has_both_a_name_and_a_test(self):
        for line in (SOURCE / "docs/lineage.md").read_text(encoding="utf-8").splitlines():
            cells = [c.strip() for c in line.strip("|").split("|")]
            if len(cells) == 3 and not cells[1].startswith(("to come", "here", "---")):
                self.assertRegex(cells[1], "`", line)
                self.assertRegex(cells[2], r"`\w+(\.\w+)?`", line)

    def test_lineage_announces_what_its_tables_wait_for_and_nothing_else(self):
        page = (SOURCE / "docs/lineage.md").read_text(encoding="utf-8")
        head = page[:page.index("\n## ")]
        table = head[head.index("| capability | brings |"):] if "| capability | brings |" in head else ""
        announced = re.findall(r"^\| ([a-z][^|]*?) \|", table, re.MULTILINE)[1:]
        self.assertEqual(set(announced), set(re.findall(r"to come: ([a-z][a-z -]*[a-z])", page)))

    def test_lineage_has_the_operations_that_example_05_counts(self):
        counted = re.search(r"forward dynamics: (\d+) multiplications, (\d+) additions",
                            (SOURCE / "examples/05_cpp/README.md").read_text(encoding="utf-8"))
        self.assertIn(f"takes {counted[1]} and {counted[2]} on the seven-joint arm",
                      (SOURCE / "docs/lineage.md").read_text(encoding="utf-8"))


class NameCheck(unittest.TestCase):
    """The check itself can fail."""

    def test_names_that_exist(self):
        for name in ("forward_dynamics", "Model::points", "Free.velocity_is_expressed_in_M", "models/aquarobot.yaml",
                     "articulated_body.hpp", "models/"):
            self.assertTrue(exists(name), name)

    def test_names_that_do_not(self):
        absent = "no_such_" + "function"  # in two parts, so that this file does not hold it
        for name in (absent, "Free.velocity_is_" + absent, "models/" + absent + ".yaml", absent + ".cpp"):
            self.assertFalse(exists(name), name)

    def test_headings_become_anchors_as_on_github(self):
        self.assertEqual(anchor_of("The point O"), "the-point-o")


if __name__ == "__main__":
    unittest.main()
