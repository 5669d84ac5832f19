"""`make build` in an empty build folder gives a command that can use each of its plug-ins."""

import os
import pathlib
import shutil
import socket
import tempfile
import unittest

from package import BUILD, DATA, MPI, attempt, empty, fit, make, run

COMMAND = BUILD / "portatune"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class MakeBuild(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        empty(BUILD)
        make("build")

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_it_reads_parquet(self):
        lines = run(COMMAND, "tokenize", "--tokenizer", DATA / "tiny_bert", "--input", DATA / "arrow" / "rows.parquet")
        self.assertEqual(len(lines.splitlines()), 3000)

    def test_it_trains_by_mpirun(self):
        words = ["mpirun", "-n", 2, COMMAND, *fit(self.folder / "tuned")]
        run(*words, environment=MPI)
        self.assertTrue((self.folder / "tuned" / "model.safetensors").exists())

    def test_it_trains_in_processes_that_the_environment_describes(self):
        world = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
        second = os.posix_spawn(COMMAND, [str(word) for word in [COMMAND, *fit(self.folder / "tuned")]],
                                {**os.environ, **world, "RANK": "1"})
        first = attempt(COMMAND, *fit(self.folder / "tuned"), environment={**world, "RANK": "0"})
        _, status = os.waitpid(second, 0)
        self.assertEqual((first.returncode, os.waitstatus_to_exitcode(status)), (0, 0), first.stderr)
        self.assertTrue((self.folder / "tuned" / "model.safetensors").exists())

    def test_without_a_plug_in_the_error_names_the_command_that_builds_it(self):
        alone = shutil.copy(COMMAND, self.folder)
        done = attempt(alone, "tokenize", "--tokenizer", DATA / "tiny_bert", "--input", DATA / "arrow" / "rows.parquet")
        self.assertEqual(done.returncode, 69)
        self.assertIn("libportatune_arrow.so", done.stderr)
        self.assertIn("make build", done.stderr)


if __name__ == "__main__":
    unittest.main()
