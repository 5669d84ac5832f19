"""A project that adds this repository as a folder builds a command with a task of its own."""

import unittest

from package import BUILD, DATA, PROJECT, ROOT, empty, run


class Subproject(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(empty, BUILD)
        run("cmake", "-S", PROJECT, "-B", empty(BUILD), "-G", "Ninja", f"-DPORTATUNE_SOURCE={ROOT}",
            f"-DEXAMPLES={ROOT / 'examples'}")
        run("cmake", "--build", BUILD, "--target", "my_portatune", "fine_tune")

    def test_its_command_trains_by_its_task(self):
        quest = DATA / "quest"
        run(BUILD / "my_portatune", "fit", "--task", "qa-regression", "--model", quest / "model", "--train",
            quest / "train.csv", "--max-length", 32, "--max-steps", 1, "--output", BUILD / "rated")
        self.assertTrue((BUILD / "rated" / "model.safetensors").exists())

    def test_its_command_has_the_plug_ins(self):
        run(BUILD / "my_portatune", "tokenize", "--tokenizer", DATA / "tiny_bert",
            "--input", DATA / "arrow" / "rows.parquet")


if __name__ == "__main__":
    unittest.main()
