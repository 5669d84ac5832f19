"""The wheel: pip installs it; command and module train without files of this repository or of the user's cache."""

import importlib.util
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import zipfile

from package import DATA, ROOT, attempt, fit, run

sys.path.insert(0, str(ROOT / "tools"))

import gpu_check_archive

DEPS = pathlib.Path(os.environ["PORTATUNE_DEPS"])
# Reasons for which tests of the module may be skipped: packages that are too large for the tests.
ALLOWED_SKIPS = {"torch is not installed", "transformers is not installed", "pyright is not installed"}
ALL_SKIPPED = 77  # exit code of a file whose tests all need such a package


def wheel_of_plugin(folder):
    """Makes the package xla-cpu-pjrt from the plugin of the set-up, for a pip without a network."""
    (plugin,) = DEPS.glob("xla_cpu_pjrt-*/xla_cpu_pjrt.so")
    version = plugin.parent.name.rpartition("-")[2]
    information = f"xla_cpu_pjrt-{version}.dist-info"
    with zipfile.ZipFile(folder / f"xla_cpu_pjrt-{version}-py3-none-any.whl", "w") as archive:
        archive.write(plugin, "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so")
        archive.writestr(f"{information}/METADATA", f"Metadata-Version: 2.1\nName: xla-cpu-pjrt\nVersion: {version}\n")
        archive.writestr(f"{information}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{information}/RECORD", "".join(f"{name},,\n" for name in archive.namelist()))


def newer_pythons():
    """The interpreters from 3.12 on that can build and install a wheel, oldest first: those in PATH, and of pyenv."""
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    found = {}
    for minor in range(12, 20):
        name = f"python3.{minor}"
        for python in [shutil.which(name), *sorted(pyenv.glob(f"versions/*/bin/{name}"))]:
            # Pythons without a global lock have another stable interface.
            code = ("import ensurepip, pathlib, pip, sysconfig; pathlib.Path(sysconfig.get_path('include'), 'Python.h').stat(); "
                    "assert not sysconfig.get_config_var('Py_GIL_DISABLED')")
            if python and attempt(python, "-c", code).returncode == 0:
                found[minor] = python
    return list(found.values())


class Installed(unittest.TestCase):
    """Tests of a wheel that pip has installed into the folder `packages`."""

    @classmethod
    def build(cls, python):
        """Builds the wheel with an interpreter."""
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name).resolve()
        run(ROOT / "tools" / "wheel.sh", cls.folder, python)
        (cls.wheel,) = cls.folder.glob("portatune-*.whl")
        cls.packages = cls.folder / "packages"
        # An empty home folder: no file may come from the cache of the user who built it.
        cls.environment = {"HOME": str(cls.folder / "home"), "XDG_CACHE_HOME": "", "PYTHONPATH": str(cls.packages)}

    @classmethod
    def install(cls, python):
        run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", cls.packages, cls.wheel)
        cls.link("xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", DEPS.glob("xla_cpu_pjrt-*/xla_cpu_pjrt.so"))

    @classmethod
    def link(cls, place, files):
        """Puts a file of the set-up where pip would put the package that has it."""
        (file,) = files
        path = cls.packages / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(file)

    def portatune(self, *words, environment=None):
        return attempt(self.packages / "bin" / "portatune", *words,
                       environment={**self.environment, **(environment or {})}, cwd=self.folder)

    def new_environment(self, python):
        """Makes a virtual environment, into which pip installs the wheel and what it needs. Returns its Python."""
        environment = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        run(python, "-m", "venv", environment)
        links = environment / "links"
        links.mkdir()
        wheel_of_plugin(links)
        shutil.copy(self.wheel, links)
        run(environment / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-index", "--find-links", links,
            "portatune", environment={"PYTHONPATH": ""})
        run(environment / "bin" / "python", "-m", "pip", "check", environment={"PYTHONPATH": ""})
        shutil.rmtree(links)
        return environment / "bin" / "python"

    def assert_an_environment_trains(self, python):
        environment = {**self.environment, "PYTHONPATH": ""}
        installed = self.new_environment(python)
        done = attempt(installed.parent / "portatune", *fit(self.folder / "in_environment"), environment=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        code = ("import portatune, sys; model = portatune.load(sys.argv[1]); "
                "print(model.predict('a film')[0]['label'], portatune.__file__)")
        done = attempt(installed, "-c", code, self.folder / "in_environment", environment=environment, cwd=self.folder)
        self.assertRegex(done.stdout, rf"^(good|bad) {installed.parent.parent}/", done.stderr)

    def assert_module_passes_its_tests(self, python):
        """All files pass in a new environment, with the packages of the tests beside it."""
        packages = run(ROOT / "tools" / "python_packages.sh", ROOT / "tests" / "python" / "requirements.txt",
                       "test-packages", python).strip()
        installed = self.new_environment(python)
        for file in sorted((ROOT / "tests" / "python").glob("*_test.py")):
            with self.subTest(file.name):
                done = attempt(installed, "-B", file, environment={**self.environment, "PYTHONPATH": packages})
                self.assertIn(done.returncode, (0, ALL_SKIPPED), done.stderr)
                reasons = set(re.findall(r"(?m)^skipped: ([^:]*)", done.stderr))
                self.assertLessEqual(reasons, ALLOWED_SKIPS)

    def assert_module_trains_as_command(self, python):
        self.portatune(*fit(self.folder / "command"))
        code = ("import sys, portatune; portatune.fit(*sys.argv[1:3], output=sys.argv[3], max_length=16, batch_size=4, "
                "max_steps=2)")
        done = attempt(python, "-c", code, DATA / "tiny_bert", DATA / "toy" / "train.csv", self.folder / "module",
                       environment=self.environment, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        command, module = ((self.folder / name / "model.safetensors").read_bytes() for name in ("command", "module"))
        self.assertEqual(module, command)


class NewerPython(Installed):
    """One wheel fits all versions of Python from 3.12 on: the oldest one here builds it, the newest one installs it."""

    @classmethod
    def setUpClass(cls):
        pythons = newer_pythons()
        if not pythons:
            raise unittest.SkipTest("no Python from 3.12 on with pip and headers")
        cls.build(pythons[0])
        cls.python = pythons[-1]
        cls.install(cls.python)

    def test_it_trains(self):
        self.assertIn("-cp312-abi3-", self.wheel.name)
        self.assert_module_trains_as_command(self.python)

    def test_a_new_environment_trains(self):
        self.assert_an_environment_trains(self.python)

    @unittest.skipUnless("PORTATUNE_TEST_ALL" in os.environ, "takes minutes: make test-all")
    def test_it_passes_the_tests_of_the_module(self):
        self.assert_module_passes_its_tests(self.python)


class Wheel(Installed):
    @classmethod
    def setUpClass(cls):
        cls.build(sys.executable)
        cls.install(sys.executable)

    def test_it_fits_this_python_and_glibc_2_35(self):
        tag = "cp312-abi3" if sys.version_info >= (3, 12) else "cp311-cp311"
        self.assertRegex(self.wheel.name, rf"-{tag}-manylinux_2_\d\d_x86_64\.whl$")
        self.assertLessEqual(int(self.wheel.name.split("manylinux_2_")[1][:2]), 35)
        self.assertLess(self.wheel.stat().st_size, 60e6)

    def test_it_trains(self):
        done = self.portatune(*fit(self.folder / "tuned"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "tuned" / "model.safetensors").exists())

    def test_the_module_trains_as_the_command_does(self):
        self.assert_module_trains_as_command(sys.executable)

    def test_a_new_environment_trains(self):
        self.assert_an_environment_trains(sys.executable)

    @unittest.skipUnless("PORTATUNE_TEST_ALL" in os.environ, "takes minutes: make test-all")
    def test_it_passes_the_tests_of_the_module(self):
        self.assert_module_passes_its_tests(sys.executable)

    def test_estimators_need_numpy_alone(self):
        code = ("import sys; sys.modules['sklearn'] = None; from portatune.sklearn import TextClassifier; "
                "model = TextClassifier(sys.argv[1], max_length=16, batch_size=4, epochs=1); "
                "print(model.fit(['good film', 'bad film'] * 8, [1, 0] * 8).predict(['good film']))")
        done = attempt(sys.executable, "-c", code, DATA / "tiny_bert", environment=self.environment, cwd=self.folder)
        if importlib.util.find_spec("numpy"):
            self.assertRegex(done.stdout, r"^\[[01]\]$", done.stderr)
        else:
            self.assertIn("portatune.sklearn needs NumPy: pip install 'portatune[sklearn]'", done.stderr)

    def test_the_module_has_its_types_and_no_other_symbol(self):
        (module,) = (self.packages / "portatune" / "lib").glob("_core.*.so")
        symbols = run("nm", "--dynamic", "--defined-only", "--format=just-symbols", module).split()
        self.assertEqual(symbols, ["PyInit__core"])
        self.assertTrue((module.parent / "_core" / "__init__.pyi").exists())
        self.assertTrue((self.packages / "portatune" / "py.typed").exists())

    def test_a_script_runs_with_the_allocator_of_the_command(self):
        script = self.folder / "script.py"
        script.write_text("import pathlib, portatune\nprint(pathlib.Path('/proc/self/maps').read_text())\n")
        done = self.portatune("run", script)
        self.assertIn(str(self.packages / "portatune" / "lib" / "portatune" / "libtcmalloc_minimal.so.4"), done.stdout,
                      done.stderr)

    def test_it_has_the_plugins_of_python_packages(self):
        plugin = self.packages / "xla_plugins" / "xla_cpu_pjrt" / "xla_cpu_pjrt.so"
        self.assertIn(str(plugin.resolve()), self.portatune("devices").stdout)

    def test_it_has_manual_pages_and_completions(self):
        share = self.packages / "share"
        for file in ("man/man1/portatune-fit.1", "bash-completion/completions/portatune", "zsh/site-functions/_portatune",
                     "fish/vendor_completions.d/portatune.fish", "portatune/recipe.schema.json"):
            self.assertTrue((share / file).exists(), file)

    def test_a_plugin_that_the_user_names_comes_first(self):
        done = self.portatune("devices", environment={"PORTATUNE_CPU_PLUGIN": "/nowhere.so"})
        self.assertEqual(done.returncode, 69)
        self.assertIn("/nowhere.so", done.stderr)

    def test_it_reads_parquet_only_with_pyarrow(self):
        words = ("tokenize", "--tokenizer", DATA / "tiny_bert", "--input", DATA / "arrow" / "rows.parquet")
        self.assertIn("pip install 'portatune[arrow]'", self.portatune(*words).stderr)
        self.link("pyarrow", DEPS.glob("pyarrow-*/pyarrow"))
        done = self.portatune(*words)
        self.assertEqual(len(done.stdout.splitlines()), 3000, done.stderr)

    def test_it_checks_a_device_from_an_archive(self):
        archive = self.folder / "archive"
        gpu_check_archive.fill(archive, self.wheel, *DEPS.glob("xla_cpu_pjrt-*/xla_cpu_pjrt.so"))
        done = attempt(archive / "run", "--device", "cpu", "--only", "device", "--only", "case bert_softmax", "--output",
                       self.folder / "check", environment={"HOME": str(self.folder / "home"), "XDG_CACHE_HOME": ""})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("2 passed", done.stdout)

    def test_it_has_the_libraries_for_audio_files(self):
        (plugin,) = self.packages.glob("portatune/lib/**/libportatune_audio.so")
        libraries = run("ldd", plugin)
        self.assertNotIn("not found", libraries)
        for name in ("sndfile", "soxr"):
            self.assertRegex(libraries, rf"lib{name}\S* => {self.packages}/\S*/portatune\.libs/")

    def test_it_needs_no_library_but_those_that_every_wheel_may_need(self):
        of_system = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "libz.so.1"}
        own = {file.name for file in (self.packages / "portatune.libs").iterdir()}
        for file in [*self.packages.glob("portatune*/**/*.so*"), self.packages / "portatune" / "bin" / "portatune"]:
            needed = set(re.findall(r"Shared library: \[(.*)\]", run("readelf", "--dynamic", "--wide", file)))
            optional = {name for name in needed if re.match(r"lib(arrow|parquet|mpi)", name)}
            self.assertLessEqual(needed - optional, of_system | own, file)
            self.assertTrue(not optional or file.name in ("libportatune_arrow.so", "libportatune_mpi.so"), file)

    def test_a_signal_reaches_the_command(self):
        words = ["fit", "--model", DATA / "tiny_bert", "--train", DATA / "toy" / "train.csv", "--epochs", "100000",
                 "--output", self.folder / "stopped"]
        process = subprocess.Popen([self.packages / "bin" / "portatune", *words], stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, **self.environment})
        for line in process.stderr:
            if line.startswith("compiled"):
                break
        process.send_signal(signal.SIGTERM)
        rest = process.communicate()[1]
        self.assertEqual(process.returncode, 75, rest)
        self.assertIn("--resume", rest)


if __name__ == "__main__":
    unittest.main()
