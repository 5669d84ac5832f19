"""Headers: portatune.h has all public ones, and a comment's sections begin on lines of their own."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PUBLIC = ROOT / "include" / "portatune"


class Headers(unittest.TestCase):
    def test_portatune_h_includes_every_public_header(self):
        there = {str(path.relative_to(PUBLIC)) for path in PUBLIC.rglob("*.h")} - {"portatune.h"}
        included = re.findall(r'^#include "portatune/(.+)"$', (PUBLIC / "portatune.h").read_text(), re.MULTILINE)
        self.assertEqual(set(included), there)

    # clang-format may join the first line of a section to the line above it.
    def test_sections_of_comments_begin_lines(self):
        within = re.compile(r"///.*[.] (errors|returns|source|where)(  |$)")
        for folder in (PUBLIC, ROOT / "src" / "portatune"):
            for path in folder.rglob("*.h"):
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    self.assertIsNone(within.search(line), f"{path.relative_to(ROOT)}:{number}")


if __name__ == "__main__":
    unittest.main()
