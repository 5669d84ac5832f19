"""`portatune run`: scripts in Python with the allocator of the command."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

import portatune
import toy
from portatune import _command

ALLOCATOR = "libtcmalloc_minimal.so.4"
PACKAGES = pathlib.Path(portatune.__file__).parent.parent
PLACES = [pathlib.Path(_command.COMMAND).resolve().parent, PACKAGES / "portatune" / "lib" / "portatune"]
if not any((folder / ALLOCATOR).exists() for folder in PLACES):
    print(f"{ALLOCATOR} is not installed", file=sys.stderr)
    sys.exit(toy.SKIPPED)

SCRIPT = """
import json, os, pathlib, sys
maps = pathlib.Path("/proc/self/maps").read_text()
print(json.dumps({"arguments": sys.argv, "preloaded": "tcmalloc" in maps, "name": __name__, "python": sys.executable}))
sys.exit(7)
"""


class RunScript(toy.InFolder):
    def setUp(self):
        super().setUp()
        self.script = self.folder / "script.py"
        self.script.write_text(SCRIPT)

    def run_command(self, *words, **environment):
        environment = {"PORTATUNE_PYTHON": sys.executable, "PYTHONPATH": str(PACKAGES), **environment}
        return subprocess.run([_command.COMMAND, "run", *map(str, words)], env={**os.environ, **environment},
                              capture_output=True, text=True, check=False, cwd=self.folder)

    def test_the_script_gets_its_arguments_and_the_allocator(self):
        done = self.run_command("script.py", "--help", "--rate=1e-4", "a b", "")
        self.assertEqual(done.returncode, 7, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["arguments"], ["script.py", "--help", "--rate=1e-4", "a b", ""])
        self.assertEqual((found["preloaded"], found["name"]), (True, "__main__"))
        self.assertEqual(os.path.realpath(found["python"]), os.path.realpath(sys.executable))

    def test_a_training_has_the_bits_of_the_command(self):
        self.script.write_text(f"import sys, portatune\nportatune.fit({str(toy.MODEL)!r}, {str(toy.TRAIN)!r}, output="
                               f"sys.argv[1], **{toy.OPTIONS!r})\n")
        done = self.run_command(self.script, "tuned")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(toy.weights(self.folder / "tuned"), toy.weights(self.fit(name="plain").model))

    def test_the_command_works_inside_of_a_script(self):
        self.script.write_text(f"import subprocess\nsubprocess.run([{_command.COMMAND!r}, '--version'], check=True)\n")
        done = self.run_command(self.script)
        self.assertRegex(done.stdout, r"^portatune \d", done.stderr)

    def test_another_preloaded_library_stays(self):
        self.script.write_text("import os\nprint(os.environ['LD_PRELOAD'])\n")
        done = self.run_command(self.script, LD_PRELOAD="libm.so.6")
        self.assertRegex(done.stdout, rf"{ALLOCATOR}:libm\.so\.6$", done.stderr)

    def test_errors_name_what_is_missing(self):
        without_module = {"PYTHONPATH": ""}
        for words, environment, exit_code, text in [
            (["script.py"], {"PORTATUNE_PYTHON": "/nowhere/python3"}, 66, "no program /nowhere/python3"),
            (["script.py"], {"PORTATUNE_PYTHON": "", "PATH": "/nowhere"}, 66, "no program python3"),
            (["script.py"], without_module, 66, "without the module portatune"),
            (["absent.py"], {}, 66, "no file absent.py"),
            ([], {}, 2, "portatune run PATH"),
            (["--fast", "script.py"], {}, 2, "unknown option --fast"),
        ]:
            with self.subTest(words=words, environment=environment):
                done = self.run_command(*words, **environment)
                self.assertIn(text, done.stderr)
                self.assertEqual(done.returncode, exit_code)

    def test_its_help(self):
        done = self.run_command("--help")
        self.assertIn("portatune run train.py", done.stdout)


if __name__ == "__main__":
    toy.main()
