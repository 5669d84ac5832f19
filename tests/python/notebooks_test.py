"""The notebooks of examples/python: their cells run on toy models and data."""

import importlib.util
import json
import pathlib
import sys
import tempfile
import unittest

import cells
import toy

FOLDER = cells.ROOT / "examples" / "python"
# What a test writes behind the cell of parameters.
PARAMETERS = {
    "movie_reviews": "MODEL = 'minilm'",
    "cola_devices": "MODEL, DEVICES, BATCH_SIZE = 'distilbert_softmax', 8, 1",
    "opt_wikitext": "MODEL, TRAIN, VALIDATION, MAX_LENGTH = 'opt_lm', 'corpus.txt', 'held-out.txt', 16",
    "quest": "MODEL, MAX_LENGTH, EPOCHS = 'roberta', 24, 1",
    "summarization": "MODEL, TRAIN, VALIDATION, TARGET_COLUMN, MAX_LENGTH = "
                     "'bart', 'articles.csv', 'articles.csv', 'summary', 24",
}  # fmt: skip
HAS_PLOTS = importlib.util.find_spec("matplotlib") is not None


def read(name):
    """Returns the code cells of a notebook."""
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text())
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def code_of(name, parameters=None):
    """Returns the code of the cells, with other parameters; without plots if matplotlib is missing."""
    for cell in read(name):
        tags = cell["metadata"].get("tags", [])
        if "plot" not in tags or HAS_PLOTS:
            yield "".join(cell["source"])
        if "parameters" in tags and parameters:
            yield parameters


class Notebooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name) / "data"
        cls.environment = cells.toy_folder(cls.folder)
        if not HAS_PLOTS:
            print("matplotlib is not installed: no plots", file=sys.stderr)

    def test_their_cells_run(self):
        for name, parameters in PARAMETERS.items():
            with self.subTest(notebook=name):
                code, printed = cells.run(list(code_of(name, parameters)), self.folder, self.environment)
                self.assertEqual(code, 0, printed)

    def test_all_are_here(self):
        self.assertEqual({file.stem for file in FOLDER.glob("*.ipynb")}, PARAMETERS.keys())

    def test_they_have_no_outputs(self):
        for name in PARAMETERS:
            for cell in read(name):
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), name)


if __name__ == "__main__":
    toy.main()
