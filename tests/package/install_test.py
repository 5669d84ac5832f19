"""`make install`: the tree works after a move, and other projects build with it."""

import os
import pathlib
import tempfile
import unittest

from package import DATA, MPI, PROJECT, ROOT, fit, make, run


class Installation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name).resolve()
        make("install", f"PREFIX={cls.folder / 'first'}")
        cls.prefix = (cls.folder / "first").rename(cls.folder / "moved")
        # An empty home folder: no file may come from the cache of the user who built it.
        cls.home = {"HOME": str(cls.folder / "home"), "XDG_CACHE_HOME": ""}

    def work(self):
        return pathlib.Path(tempfile.mkdtemp(dir=self.folder))

    def portatune(self, *words, **settings):
        return run(self.prefix / "bin" / "portatune", *words, environment=self.home, **settings)

    def test_it_trains_by_a_recipe(self):
        work = self.work()
        data = work / "glue_data" / "CoLA"
        data.mkdir(parents=True)
        for name in ("train.tsv", "dev.tsv"):
            (data / name).write_text("".join(f"toy\t{i % 2}\t\tthe film was good\n" for i in range(32)))
        self.portatune("fit", "--recipe", "glue/cola", "--model", DATA / "tiny_bert", "--max-length", 16,
                       "--max-steps", 1, "--output", "tuned", cwd=work)
        self.assertTrue((work / "tuned" / "model.safetensors").exists())

    def test_it_reads_parquet(self):
        lines = self.portatune("tokenize", "--tokenizer", DATA / "tiny_bert",
                               "--input", DATA / "arrow" / "rows.parquet")
        self.assertEqual(len(lines.splitlines()), 3000)

    def test_it_has_what_the_command_prints(self):
        share = self.prefix / "share"
        self.assertIn("portatune-tfrecord-write.1", os.listdir(share / "man" / "man1"))
        for file, words in {"man/man1/portatune.1": ["man"], "man/man1/portatune-fit.1": ["man", "fit"],
                            "bash-completion/completions/portatune": ["completion", "bash"],
                            "zsh/site-functions/_portatune": ["completion", "zsh"],
                            "fish/vendor_completions.d/portatune.fish": ["completion", "fish"],
                            "portatune/recipe.schema.json": ["recipes", "--schema"]}.items():
            self.assertEqual((share / file).read_text(), self.portatune(*words), file)

    def test_it_trains_by_mpirun(self):
        command = self.prefix / "bin" / "portatune"
        run("mpirun", "-n", 2, command, *fit(self.work() / "tuned"), environment={**self.home, **MPI})

    def test_a_link_on_the_path_finds_the_files_of_the_installation(self):
        links = self.work()
        (links / "portatune").symlink_to(self.prefix / "bin" / "portatune")
        environment = {**self.home, "PATH": f"{links}:{os.environ['PATH']}"}
        told = run("portatune", "devices", environment=environment)
        self.assertIn(str(self.prefix / "lib" / "portatune" / "xla_cpu_pjrt.so"), told)
        run("portatune", "tokenize", "--tokenizer", DATA / "tiny_bert", "--input", DATA / "arrow" / "rows.parquet",
            environment=environment)

    def test_a_project_finds_the_package(self):
        build = self.work()
        run("cmake", "-S", PROJECT, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DEXAMPLES={ROOT / 'examples'}")
        run("cmake", "--build", build)
        quest = DATA / "quest"
        run(build / "my_portatune", "fit", "--task", "qa-regression", "--model", quest / "model", "--train",
            quest / "train.csv", "--max-length", 32, "--max-steps", 1, "--output", build / "rated",
            environment=self.home)
        self.train_by(build / "fine_tune", build / "tuned")

    def test_pkg_config_knows_how_to_link_the_library(self):
        work = self.work()
        pkg_config = {"PKG_CONFIG_PATH": str(self.prefix / "lib" / "pkgconfig")}
        flags = run("pkg-config", "--cflags", "--libs", "portatune", environment=pkg_config).split()
        run("c++", "-std=c++20", ROOT / "examples" / "fine_tune.cpp", *flags, "-o", work / "fine_tune")
        self.train_by(work / "fine_tune", work / "tuned")

    def train_by(self, program, output):
        plugin = {"PORTATUNE_CPU_PLUGIN": str(self.prefix / "lib" / "portatune" / "xla_cpu_pjrt.so")}
        scores = run(program, DATA / "tiny_bert", DATA / "toy" / "train.csv", DATA / "toy" / "validation.csv", output,
                     environment={**self.home, **plugin})
        self.assertIn("accuracy", scores)
        self.assertTrue((output / "model.safetensors").exists())


if __name__ == "__main__":
    unittest.main()
