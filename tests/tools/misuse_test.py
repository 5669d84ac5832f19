"""Misuse that must not compile: the lines of tests/misuse/misuse.cpp that the compiler refuses, and its messages."""

import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "tests" / "misuse" / "misuse.cpp"
EXPECTED = re.compile(r"// error: (.+)$")
ERROR = re.compile(r"misuse\.cpp:(\d+):\d+: error: (.+)$", re.MULTILINE)


def errors():
    """Line -> messages of the compiler."""
    command = [os.environ["CXX"], "-std=c++20", "-fsyntax-only", "-Werror=unused-result", "-I", ROOT / "include", FILE]
    output = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"}).stderr
    found = {}
    for line, message in ERROR.findall(output):
        found.setdefault(int(line), []).append(message)
    return found


class Misuse(unittest.TestCase):
    def test_is_refused_and_use_is_not(self):
        found = errors()
        for number, text in enumerate(FILE.read_text().splitlines(), 1):
            expected = EXPECTED.search(text)
            messages = "\n".join(found.get(number, []))
            with self.subTest(line=text.strip()):
                if expected:
                    self.assertIn(expected[1], messages)
                else:
                    self.assertEqual(messages, "")


if __name__ == "__main__":
    unittest.main()
