"""The types of the package, by mypy where it is installed."""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

import portatune

GOOD = """
import portatune

run: portatune.Run = portatune.fit("tiny", [{"text": "good", "label": 1}], 0.1, learning_rate=1e-5)
scores: dict[str, float] = run.evaluate({"text": ["good"], "label": [1]})
text: str = portatune.generate("gpt2", "Once").text
first: portatune.Completion = portatune.generate("gpt2", ["Once", "Twice"])[0]
for part in portatune.generate("gpt2", "Once", stream=True):
    part.upper()
ids: list[int] = portatune.Tokenizer("tiny").encode("a text").ids

class Mine(portatune.Task):
    inputs = {"text": portatune.Text(["text"]), "x": portatune.Numbers(["x"])}

    def forward(self, model: portatune.Model, batch):
        first: portatune.Value = model.encode(batch["text"])[:, 0]
        x = portatune.nn.linear(model / "head", portatune.ops.gelu(first), 1)[:, 0]
        return portatune.Forward((1 - x) ** 2, {"x": x.astype("float32").mean(-1, keepdims=True)})

trainer = portatune.Trainer("tiny", "train.csv", task=Mine(), learning_rate=1e-5)
for batch in trainer.batches():
    loss: float = trainer.step(batch, learning_rate=1e-4).loss
    names: list[str] = list(trainer.gradients(batch))
scores = trainer.evaluate()
rows: list[dict[str, object]] = trainer.predict(text=["good"])
"""
BAD = ["portatune.fit()", "portatune.fit('tiny', 'train.csv', task=3)", "portatune.Tokenizer('tiny').encode(3)",
       "portatune.evaluate('tiny', 'a.csv').accuracy", "portatune.Trainer('tiny', 'a.csv').step(3)"]  # fmt: skip


@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
class Types(unittest.TestCase):
    def check(self, code):
        """Returns the lines of mypy about the code, and all its output."""
        package = pathlib.Path(portatune.__file__).parent.parent
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "example.py"
            file.write_text(code)
            words = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", folder, file]
            done = subprocess.run(words, env={"MYPYPATH": str(package)}, capture_output=True, text=True, check=False)
        return [line for line in done.stdout.splitlines() if "example.py" in line], done.stdout + done.stderr

    def test_right_calls_pass(self):
        wrong, output = self.check(GOOD)
        self.assertEqual(wrong, [], output)

    def test_wrong_calls_do_not(self):
        wrong, output = self.check("import portatune\n" + "\n".join(BAD))
        self.assertEqual({int(line.split(":")[1]) for line in wrong}, {2, 3, 4, 5, 6}, output)


if __name__ == "__main__":
    unittest.main()
