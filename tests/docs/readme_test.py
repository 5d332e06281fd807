# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""The commands and programs of the README and of the pages that teach do what the pages show."""

import unittest

from doc_runner import run_page, same_output


class Pages(unittest.TestCase):
    def test_readme_commands_print_what_it_shows(self):
        run_page(self, "README.md")

    def test_quickstart_runs_in_the_shell_and_in_cpp(self):
        run_page(self, "docs/quickstart.md")

    def test_command_line_page_shows_what_the_tool_prints(self):
        run_page(self, "docs/command_line.md")

    def test_urdf_page_shows_what_the_tool_prints(self):
        run_page(self, "docs/formats/urdf.md")

    def test_kam_page_shows_what_the_tool_prints(self):
        run_page(self, "docs/formats/kam.md")

    def test_dynamechs_page_shows_what_the_tool_prints(self):
        run_page(self, "docs/formats/dynamechs.md")

    def test_expressions_page_shows_what_its_program_prints(self):
        run_page(self, "docs/formats/expressions.md")


class Comparison(unittest.TestCase):
    """The comparison itself can fail."""

    def same(self, expected, printed):
        return same_output(expected.splitlines(), printed.splitlines())

    def test_a_changed_digit_is_seen(self):
        self.assertFalse(self.same("a = 1.25", "a = 1.26"))
        self.assertFalse(self.same("a = 1.23456789012345", "a = 1.23456789013345"))

    def test_the_last_digit_of_a_long_number_is_forgiven(self):
        self.assertTrue(self.same("a = 1.2345678901234567", "a = 1.2345678901234569"))

    def test_round_off_of_zero_is_forgiven_but_not_more(self):
        self.assertTrue(self.same("a  2.2e-16  0", "a  0  1e-17"))
        self.assertFalse(self.same("a  2.2e-11", "a  0"))

    def test_a_missing_line_or_one_too_many_is_seen(self):
        self.assertFalse(self.same("a\nb", "a"))
        self.assertFalse(self.same("a", "a\nb"))
        self.assertFalse(self.same("", "a"))

    def test_dots_stand_for_any_lines(self):
        self.assertTrue(self.same("a\n...\nz", "a\nb\nc\nz"))
        self.assertFalse(self.same("a\n...\nz", "a\nb\nc"))


if __name__ == "__main__":
    unittest.main()
