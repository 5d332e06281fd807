# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Every example does what its README shows."""

import unittest

from doc_runner import SOURCE, run_page


class Examples(unittest.TestCase):
    def test_every_folder_has_a_readme(self):
        folders = [f for f in (SOURCE / "examples").iterdir() if f.is_dir()]
        self.assertEqual([f.name for f in folders if not (f / "README.md").is_file()], [])

    def test_every_readme_prints_what_it_shows(self):
        pages = sorted((SOURCE / "examples").glob("*/README.md"))
        self.assertGreaterEqual(len(pages), 6)
        for page in pages:
            with self.subTest(example=page.parent.name):
                run_page(self, page.relative_to(SOURCE))


if __name__ == "__main__":
    unittest.main()
