#!/usr/bin/env python3
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""docs/errors.md lists every message that can be raised, and no other."""

import os
import re
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("TRAMMEL_SOURCE_DIR", Path(__file__).resolve().parents[2]))
# The first text after error(, warning(, note(, complain…( or lose( that looks like one is the name (plain words may come
# before it, as in find("size")); some are kept in a table or a struct first.
CALL = re.compile(r'\b(?:error|warning|note|complain\w*|lose|fail|left_out\.add)\(\s*(?:[^";]|"\w*")*?"([a-z0-9]+(?:-[a-z0-9]+)+)"')
KEPT = re.compile(r'\btrouble_ = \{[^";]*?"([a-z0-9]+(?:-[a-z0-9]+)+)"')
HANDED = re.compile(r'\btell_what_linkages_lose\(model_, \{([^}]*)\}')  # ids handed to a shared piece
PRINTED = re.compile(r'\b(?:one_error|SceneError|StudyError)\(.*?,\s*"([a-z0-9]+(?:-[a-z0-9]+)+)"\)', re.DOTALL)
# Negative answers of eval: the first of {status, reason, fix} of a Refusal, or the status put into the report.
REFUSAL = re.compile(r'\breturn \{\s*"([a-z]+(?:-[a-z]+)*)",\s*(?:fmt::format\(|")')
STATUS = re.compile(r'"status"(?:\] =|,) "([a-z]+(?:-[a-z]+)*)"')
PLAIN = re.compile(r'\[([a-z0-9]+(?:-[a-z0-9]+)+)\]\\n"')  # written out at the end of a printed text
LISTED = re.compile(r"^\| `([a-z0-9-]+)` \|", re.MULTILINE)


def raised():
    """{name: file} of all messages in the library and the tool."""
    found = {}
    for folder in ("src", "apps"):
        for path in sorted((ROOT / folder).rglob("*.cpp")):
            text = path.read_text(encoding="utf-8")
            for pattern in (CALL, KEPT, PRINTED, PLAIN):
                for match in pattern.finditer(text):
                    found.setdefault(match.group(1), path.relative_to(ROOT))
            if path.name.startswith("eval"):
                for pattern in (REFUSAL, STATUS):
                    for match in pattern.finditer(text):
                        if match.group(1) != "ok":
                            found.setdefault(match.group(1), path.relative_to(ROOT))
            for match in HANDED.finditer(text):
                for name in re.findall(r'"([a-z0-9]+(?:-[a-z0-9]+)+)"', match.group(1)):
                    found.setdefault(name, path.relative_to(ROOT))
    return found


class ErrorsPage(unittest.TestCase):
    def setUp(self):
        self.listed = LISTED.findall((ROOT / "docs/errors.md").read_text(encoding="utf-8"))

    def test_finds_the_messages(self):
        found = raised()
        for name in ("mass-negative", "yaml-tab", "yaml-unclosed", "yaml-syntax", "too-many-messages", "not-yet",
                     "singular", "diverged", "open", "open-velocity", "open-acceleration", "inconsistent", "not-actuated",
                     "not-converged", "no-star"):
            self.assertIn(name, found)

    def test_lists_every_message(self):
        missing = {name: str(file) for name, file in raised().items() if name not in self.listed}
        self.assertEqual(missing, {}, "add these to docs/errors.md")

    def test_lists_no_other(self):
        self.assertEqual(sorted(set(self.listed) - set(raised())), [], "nothing raises these: delete them")

    def test_lists_each_once(self):
        self.assertEqual(len(self.listed), len(set(self.listed)))

    def test_no_message_without_literal_name(self):
        """A name that is computed would escape this test; the ways that exist are known."""
        computed = re.compile(r"\bmessages_?\.(?:error|warning)\(\s*[^,;]+,\s*([a-z_][\w.>-]*)\s*,")
        for path in sorted((ROOT / "src").rglob("*.cpp")):
            for match in computed.finditer(path.read_text(encoding="utf-8")):
                self.assertIn(match.group(1), ("trouble.id", "trouble->id", "kind.id", "wrong.id"), path)

    def test_the_tool_prints_no_name_that_is_computed_but_the_answers_of_eval(self):
        for path in sorted((ROOT / "apps").rglob("*.cpp")):
            text = path.read_text(encoding="utf-8")
            for start in (m.end() for m in re.finditer(r"\bone_error\(", text)):
                if text[start:].startswith("const "):
                    continue  # its definition
                depth, end = 1, start
                quoted = False
                while depth > 0:
                    c = text[end]
                    if c == "\\":
                        end += 1
                    elif c == '"':
                        quoted = not quoted
                    elif not quoted:
                        depth += (c == "(") - (c == ")")
                    end += 1
                call = text[start:end]
                self.assertRegex(call, r'"[a-z0-9-]+"\)$|, report\["status"\]\)$', path)


if __name__ == "__main__":
    unittest.main()
