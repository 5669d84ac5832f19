"""docs/training/reliability.md: every test that it names exists."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "training" / "reliability.md"


def promised():
    rows = re.findall(r"^\| .+ \| (.+) \|$", PAGE.read_text(), re.MULTILINE)
    tests = [test for row in rows[1:] for test in re.split(r"[,: ()]+", row) if re.search(r"_test\.cpp$|^\w+\.\w", test)]
    return sorted(set(tests))


class Promises(unittest.TestCase):
    def test_tests_exist(self):
        sources = list((ROOT / "tests").rglob("*_test.cpp"))
        files = {path.name for path in sources}
        cases = re.compile(r"TEST(?:_F|_P)?\((\w+),\s*(\w+)\)")
        names = {".".join(case) for path in sources for case in cases.findall(path.read_text())}
        self.assertGreater(len(promised()), 40)
        for test in promised():
            with self.subTest(test=test):
                self.assertIn(pathlib.Path(test).name, files if test.endswith(".cpp") else names)


if __name__ == "__main__":
    unittest.main()
