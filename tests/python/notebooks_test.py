"""The notebooks of examples/python: their cells run on toy models and data."""

import base64
import importlib.util
import io
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


@unittest.skipUnless(HAS_PLOTS and all(map(importlib.util.find_spec, ("nbclient", "nbformat", "ipykernel"))),
                     "nbclient and ipykernel are not installed")
class Kernel(unittest.TestCase):
    def test_a_kernel_runs_them_and_shows_their_pictures(self):
        import nbclient
        import nbformat

        with tempfile.TemporaryDirectory() as folder:
            environment = cells.toy_folder(pathlib.Path(folder, "data"))
            del environment["MPLBACKEND"]  # a kernel shows pictures in the notebook
            for name, parameters in PARAMETERS.items():
                with self.subTest(notebook=name):
                    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
                    tagged = [cell.metadata.get("tags", []) for cell in notebook.cells]
                    place = next(index for index, tags in enumerate(tagged) if "parameters" in tags)
                    notebook.cells.insert(place + 1, nbformat.v4.new_code_cell(parameters))
                    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": f"{folder}/data"}}
                                            ).execute(env=environment)
                    drawn = [cell for cell in notebook.cells if "plot" in cell.metadata.get("tags", [])]
                    self.assertEqual([len(pictures_of(cell)) for cell in drawn], [1] * len(drawn))
                    for cell in drawn:
                        self.assertGreater(colours_of(pictures_of(cell)[0]), 10, "the picture is empty")


def pictures_of(cell):
    """The PNG files in the outputs of a cell."""
    return [base64.b64decode(output.data["image/png"]) for output in cell.outputs
            if "image/png" in output.get("data", {})]


def colours_of(picture):
    """The number of colours in a PNG file."""
    import matplotlib.image
    import numpy

    pixels = matplotlib.image.imread(io.BytesIO(picture))
    return len(numpy.unique(pixels.reshape(-1, pixels.shape[-1]), axis=0))


if __name__ == "__main__":
    toy.main()
