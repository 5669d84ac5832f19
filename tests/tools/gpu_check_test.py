"""tools/gpu_check.py on the CPU, which takes the place of the GPU: outcomes, files and exit codes."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class GpuCheck(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def check(self, *options, root=ROOT, command=os.environ["PORTATUNE_COMMAND"]):
        """Returns (exit code, report, page)."""
        words = [sys.executable, root / "tools" / "gpu_check.py", "--command", command, "--device", "cpu", "--output",
                 self.folder / "out", *options]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        files = [self.folder / f"out.{ending}" for ending in ("json", "md")]
        self.assertTrue(all(file.exists() for file in files), done.stderr)
        return done.returncode, json.loads(files[0].read_text()), files[1].read_text()

    def test_runs_each_kind_of_check(self):
        names = ("device", "case bert_softmax", "fit", "task text-classification", "generation", "cuDNN attention", "kill",
                 "memory")
        code, report, page = self.check(*(word for name in names for word in ("--only", name)))
        outcomes = {check["name"]: check["outcome"] for check in report["checks"]}
        for name in ("cuDNN attention", "memory"):
            self.assertEqual(outcomes.pop(name), "skipped")
        self.assertEqual(set(outcomes.values()), {"passed"}, report)
        self.assertGreaterEqual(len(outcomes), 6)
        self.assertEqual(code, 0)
        self.assertIn("| case bert_softmax | passed", page)

    def test_reports_a_difference_with_its_command(self):
        copy = self.folder / "copy"
        (copy / "tests").mkdir(parents=True)
        for name in ("tools", "tests/data"):
            shutil.copytree(ROOT / name, copy / name)
        case = copy / "tests" / "data" / "models" / "bert_softmax"
        shutil.copy(case.parent / "bert_sigmoid" / "model.safetensors", case)
        code, report, page = self.check("--only", "case bert_softmax", root=copy)
        (check,) = report["checks"]
        self.assertEqual((code, check["outcome"]), (1, "failed"), check)
        self.assertIn("parity", check["commands"][0]["command"])
        self.assertIn("Command of a failed check: ", page)

    def test_stops_when_the_budget_is_used(self):
        code, report, _ = self.check("--budget", "1")
        self.assertEqual((code, report["checks"]), (0, []))
        self.assertRegex(report["outcome"], r"^\d+ no time$")


if __name__ == "__main__":
    unittest.main()
