"""Other packages with large libraries in the same process: any order of imports works, with the same weights."""

import hashlib
import importlib.util
import subprocess
import sys
import unittest

import toy

PACKAGES = [name for name in ("torch", "numpy", "pandas", "pyarrow", "sklearn") if importlib.util.find_spec(name)]
SCRIPT = """
import hashlib, importlib, sys
for name in sys.argv[3:]:
    importlib.import_module(name)
import portatune
run = portatune.fit(*sys.argv[1:3], max_length=16, batch_size=4, max_steps=4, quiet=True)
if "torch" in sys.modules:
    import torch
    torch.nn.Linear(4, 4)(torch.ones(2, 4) @ torch.ones(4, 4)).sum().backward()
print(hashlib.sha256((run.model / "model.safetensors").read_bytes()).hexdigest())
"""


@unittest.skipUnless(PACKAGES, "no other package is installed")
class Coexistence(toy.InFolder):
    def test_any_order_of_imports(self):
        toy.command("fit", "--model", toy.MODEL, "--train", toy.TRAIN, "--max-length", 16, "--batch-size", 4,
                    "--max-steps", 4, "--output", self.folder / "tuned")
        expected = hashlib.sha256(toy.weights(self.folder / "tuned")).hexdigest()
        for order in (["portatune", *PACKAGES], [*PACKAGES, "portatune"]):
            with self.subTest(order=order):
                done = subprocess.run([sys.executable, "-c", SCRIPT, toy.MODEL, toy.TRAIN, *order], check=False,
                                      capture_output=True, text=True)
                self.assertEqual(done.stdout.strip(), expected, done.stderr)


if __name__ == "__main__":
    toy.main()
