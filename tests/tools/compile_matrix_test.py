"""tools/compile_matrix.py: some of its steps, or all of them in `make test-all`; its exit codes."""

import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import compile_matrix


def run(*options, environment=None):
    words = [sys.executable, "-B", ROOT / "tools" / "compile_matrix.py", "--command", os.environ["PORTATUNE_COMMAND"]]
    return subprocess.run([*words, *options], capture_output=True, text=True, check=False,
                          env={**os.environ, **(environment or {})})


class CompileMatrix(unittest.TestCase):
    def test_steps_compile(self):
        # The distance has no divisor in common with the number of accelerators, so that the sample has several of them.
        done = run("--sample", "1" if "PORTATUNE_TEST_ALL" in os.environ else "251")
        if done.returncode == compile_matrix.UNAVAILABLE:
            self.skipTest("a compiler is missing")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_head_that_a_model_lacks_fails(self):
        self.assertIsNone(compile_matrix.compiled(os.environ["PORTATUNE_COMMAND"], ROOT / "tests" / "data" / "tiny_bert",
                                                  "causal-lm", "cpu")[0])

    def test_a_missing_compiler_has_its_exit_code(self):
        done = run("--only", "vit", "--targets", "tpu:v5e", environment={"PORTATUNE_TPU_PLUGIN": "/nowhere"})
        self.assertEqual(done.returncode, compile_matrix.UNAVAILABLE, done.stdout + done.stderr)
        self.assertIn("/nowhere", done.stdout)

    def test_heads_are_those_of_the_table(self):
        page = """
| model | `model_type` | heads |
| --- | --- | --- |
| [A](https://example.org) | `a`, also b | sequence, masked LM (of B), body; causal LM with `is_decoder` |  |
| C | `c` | as A, sliding window | |
"""
        names = ["sequence", "masked LM", "body"]
        self.assertEqual(compile_matrix.heads_by_architecture(page), {"a": names, "c": names})


if __name__ == "__main__":
    unittest.main()
