"""docs/results/performance.svg is the picture of performance.md."""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Plot(unittest.TestCase):
    def test_it_has_the_ratios_of_the_page(self):
        done = subprocess.run([sys.executable, "-B", ROOT / "bench" / "plot.py", "--check"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
