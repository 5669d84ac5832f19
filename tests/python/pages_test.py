"""The Python code of pages and docstrings runs on toy models and data."""

import importlib.util
import inspect
import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
import unittest

import cells
import portatune
import toy
from portatune import _command

DOCS = cells.ROOT / "docs"
NEEDS_OF_TRAINER = ("torch", "transformers", "datasets", "accelerate", "peft", "sklearn")
NOT_RUN = {"plan"}  # it needs the plugins of devices that a test lacks
# Names that examples use.
NAMES = """
import csv, portatune
rows = list(csv.DictReader(open("train.csv")))
texts, labels = ([row[name] for row in rows] for name in ("text", "label"))
frame = {"text": texts, "label": labels}
"""


# Those of the page about Python, beside these.
PYTHON_NAMES = """
import portatune.nn
frame = {"text": texts, "label": labels}
read_my_rows = lambda: iter(rows)
with open("reviews.csv", "w") as file:
    file.write("text,stars\\n" + "a fine film,5\\na bad film,1\\n" * 16)
"""


def python_blocks(text):
    return re.findall(r"(?ms)^```python\n(.*?)^```$", text)


def section(page, heading):
    """Returns the text below a heading of the second level."""
    return re.search(rf"(?ms)^## {heading}\n(.*?)(?=^## |\Z)", (DOCS / page).read_text())[1]


def compared(page):
    """Returns the left and the right blocks of the table that shows two programs side by side."""
    rows = re.findall(r"(?ms)^<tr><td>\n(.*?)^</td><td>\n(.*?)^</td></tr>", (DOCS / page).read_text())
    left, right = ("\n".join(side) for side in zip(*rows))
    return python_blocks(left), python_blocks(right)


def example_of(value):
    """Returns the indented code of a docstring; the lines of its arguments follow a name without an empty line."""
    text = value.__doc__ if inspect.ismodule(value) else inspect.getdoc(value)
    paragraphs = (text or "").split("\n\n")
    return "\n".join(textwrap.dedent(part) for part in paragraphs if part.startswith("    "))


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.data = pathlib.Path(temporary.name) / "data"
        cls.environment = cells.toy_folder(cls.data)
        shutil.copytree(cls.data / "bert", cls.data / "tiny")
        for name in ("train", "dev"):
            subprocess.run([_command.COMMAND, "tfrecord", "write", "--input", f"{name}.csv", "--output",
                            f"{name}.tfrecord"], cwd=cls.data, check=True, capture_output=True)

    def check(self, blocks):
        """Executes blocks in a copy of the toy data."""
        self.assertTrue(blocks)
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary) / "data"
            shutil.copytree(self.data, folder)
            code, printed = cells.run([NAMES, *blocks], folder, self.environment)
        self.assertEqual(code, 0, printed)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "NumPy is not installed")
    def test_the_page_about_python(self):
        page = (DOCS / "python.md").read_text().replace(section("python.md", "Estimators"), "")
        self.check([PYTHON_NAMES, *python_blocks(page)])

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "NumPy is not installed")
    def test_estimators(self):
        blocks = python_blocks(section("python.md", "Estimators"))
        has_scikit_learn = importlib.util.find_spec("sklearn") is not None
        self.check([block for block in blocks if has_scikit_learn or "from sklearn." not in block])

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "NumPy is not installed")
    def test_programs_beside_those_of_the_trainer(self):
        self.check(compared("from-trainer.md")[1])

    @unittest.skipUnless(all(map(importlib.util.find_spec, NEEDS_OF_TRAINER)), "transformers is not installed")
    def test_programs_of_the_trainer(self):
        self.check(compared("from-trainer.md")[0])

    def test_programs_beside_those_of_keras(self):
        left, right = compared("from-keras.md")
        self.check(right)
        for block in left:
            compile(block, "Keras", "exec")  # it is not executed: TensorFlow is no package of the tests

    def test_docstrings(self):
        values = [portatune, *(getattr(portatune, name) for name in portatune.__all__ if name not in NOT_RUN)]
        values += [method for value in values if isinstance(value, type) for method in vars(value).values()
                   if callable(method)]
        if importlib.util.find_spec("numpy"):
            values.append(importlib.import_module("portatune.sklearn"))
        examples = [example for example in map(example_of, values) if example]
        self.assertGreater(len(examples), 5)
        self.check(examples)


if __name__ == "__main__":
    toy.main()
