"""Files that name the version of Portatune name the one of CMakeLists.txt."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r"project\(portatune VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
MINOR_VERSION = VERSION.rsplit(".", 1)[0]


class Release(unittest.TestCase):
    def test_the_newest_release_of_the_changes_is_this_version(self):
        releases = re.findall(r"(?m)^## ([0-9.]+) \(\d{4}-\d\d-\d\d\)$", (ROOT / "CHANGELOG.md").read_text())
        self.assertEqual(releases[0], VERSION)

    def test_projects_ask_for_this_version(self):
        for file in ("docs/development/library.md", "tests/package/project/CMakeLists.txt"):
            self.assertEqual(re.findall(r"find_package\(portatune ([0-9.]+)", (ROOT / file).read_text()), [MINOR_VERSION])

    def test_the_page_about_installing_shows_this_version(self):
        text = (ROOT / "docs" / "install.md").read_text()
        self.assertEqual(set(re.findall(r"portatune_([0-9.]+)_|  version +([0-9.]+)", text)),
                         {(VERSION, ""), ("", VERSION)})


if __name__ == "__main__":
    unittest.main()
