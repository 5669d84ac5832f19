"""The types of the package, by mypy, stubtest and pyright (or basedpyright) where they are installed."""

import ast
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import notebooks_test
import portatune
import toy
from portatune import _command
from portatune.lib import _core as core

PACKAGE = pathlib.Path(portatune.__file__).parent
GOOD = """
from collections.abc import Mapping
from typing import Any

from typing import Unpack

import portatune
from portatune.options import FitOptions
from portatune.sklearn import TextClassifier, TokenClassifier

run: portatune.Run = portatune.fit("tiny", [{"text": "good", "label": 1}], 0.1, learning_rate=1e-5)
scores: dict[str, float] = run.evaluate({"text": ["good"], "label": [1]})
losses: list[float] = [record["loss"] for record in run.history]
text: str = portatune.generate("gpt2", "Once").text
first: portatune.Completion = portatune.generate("gpt2", ["Once", "Twice"])[0]
for part in portatune.generate("gpt2", "Once", stream=True):
    part.upper()
ids: list[int] = portatune.Tokenizer("tiny").encode("a text").ids
page: portatune.Page = TextClassifier("tiny", epochs=2).fit(["a"], [1]).report()
tags: list[list[str]] = TokenClassifier("tiny").fit([["a"]], [["O"]]).predict([["a"]])

def train(path: str, **options: Unpack[FitOptions]) -> portatune.Run:
    return portatune.fit("tiny", path, **options)

train("train.csv", lr_scheduler_type="cosine", bf16=True, report_to="none", labels=["a", "b"], recipe="glue/cola",
      rename_columns={"old": "new"}, chat_template_kwargs={"enable_thinking": False}, resume=None)
portatune.predict("tiny", text=["a", "b"], task="text-classification").to_numpy()

class Mine(portatune.Task):
    inputs = {"text": portatune.Text(["text"]), "x": portatune.Numbers(["x"])}

    def forward(self, model: portatune.Model, batch: Mapping[str, Any]) -> portatune.Forward:
        first: portatune.Value = model.encode(batch["text"])[:, 0]
        x = portatune.nn.linear(model / "head", portatune.ops.gelu(first), 1)[:, 0]
        same: portatune.Value = x == 1
        return portatune.Forward((1 - x) ** 2, {"x": x.astype("float32").mean(-1, keepdims=True), "same": same != 0.5})

trainer = portatune.Trainer("tiny", "train.csv", task=Mine(), learning_rate=1e-5)
for batch in trainer.batches():
    loss: float = trainer.step(batch, learning_rate=1e-4).loss
    gradients: portatune.Gradients = trainer.gradients(batch)
    names: list[str] = list(gradients)
    loss = trainer.apply_gradients(gradients, learning_rate=1e-4).loss
    trainer.apply_gradients({name: 2 * array for name, array in gradients.items()})
version: str = portatune.__version__
portatune.fit("tiny", recipe="glue/cola")
scores = trainer.evaluate()
rows: list[dict[str, object]] = trainer.predict(text=["good"])
"""
BAD = ["portatune.fit()", "portatune.fit('tiny', 'train.csv', task=3)", "portatune.Tokenizer('tiny').encode(3)",
       "portatune.evaluate('tiny', 'a.csv').accuracy", "TextClassifier('tiny', 3)",
       "TextClassifier('tiny', epochs='3')", "TextClassifier('tiny').fit([])",
       "portatune.Trainer('tiny', 'a.csv').step(3)", "portatune.fit('tiny', 'a.csv', lerning_rate=1e-5)",
       "portatune.fit('tiny', 'a.csv', learning_rate='high')", "portatune.predict('tiny', 'a.csv', epochs=3)",
       "portatune.Trainer('tiny', 'a.csv', batchsize=3)", "portatune.generate('tiny', 'a', max_tokens=3)",
       "portatune.load('tiny', data='a.csv')"]  # fmt: skip
IMPORTS = "import portatune\nfrom portatune.sklearn import TextClassifier\n"
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
STUBS = ["portatune.lib._core", "portatune.nn", "portatune.ops"]
# What stubtest says of each class and function of nanobind, which have no signature at run time: names are left.
OF_NANOBIND = re.compile(r"is not a function|metaclass differs|@disjoint_base|does not have \*args parameter")
PYRIGHT = shutil.which("pyright") or shutil.which("basedpyright")


class InFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write(self, codes):
        """Writes files of code and returns their paths."""
        for name, code in codes.items():
            (self.folder / f"{name}.py").write_text(code)
        return [self.folder / f"{name}.py" for name in codes]


def notebooks():
    """The code of each notebook by its name."""
    return {name: "\n".join(notebooks_test.code_of(name)) for name in notebooks_test.PARAMETERS}


class Options(unittest.TestCase):
    def test_the_types_of_keywords_are_those_of_the_options(self):
        script = toy.DATA.parents[1] / "tools" / "option_types.py"
        expected = subprocess.run([sys.executable, script, _command.COMMAND], capture_output=True, text=True,
                                  check=True)
        self.assertEqual((PACKAGE / "options.pyi").read_text(), expected.stdout,
                         f"run: {script} build/portatune > python/portatune/options.pyi")


class Signatures(unittest.TestCase):
    """The arguments, defaults and results in stubs are those that nanobind has at run time, or in its own stubs."""

    def test_those_of_the_compiled_module(self):
        stubs = functions_in((PACKAGE / "lib" / "_core" / "__init__.pyi").read_text())
        found = {}
        for name, value in vars(core).items():
            found.update(signatures_of(name, value))
            if isinstance(value, type) and value.__module__ == core.__name__:
                for method, function in vars(value).items():
                    if not method.startswith("_"):  # stubs have other forms of constructors and operators
                        found.update(signatures_of(f"{name}.{method}", function))
        self.assertGreater(len(found), 30)
        self.assertEqual({name: stubs.get(name) for name in found}, found)

    def test_those_that_are_written_by_hand(self):
        for name in ("nn", "ops"):
            ours = functions_in((PACKAGE / f"{name}.pyi").read_text())
            theirs = functions_in((PACKAGE / "lib" / "_core" / f"{name}.pyi").read_text())
            self.assertEqual({function: arguments_of(found) for function, found in ours.items()},
                             {function: arguments_of(found) for function, found in theirs.items()})


def functions_in(text):
    """The overloads of each function and method in a stub: name -> lines without types of modules."""
    found = {}
    for node in ast.parse(text).body:
        in_class = node.body if isinstance(node, ast.ClassDef) else [node]
        for function in in_class:
            if isinstance(function, ast.FunctionDef):
                name = (f"{node.name}." if isinstance(node, ast.ClassDef) else "") + function.name
                found.setdefault(name, []).append(signature(function))
    return found


def signatures_of(name, value):
    """The same for a function of nanobind; {} for other values."""
    overloads = getattr(value, "__nb_signature__", None)
    lines = [with_defaults(*one) + ": ..." for one in overloads or ()]
    return {name: [signature(ast.parse(line).body[0]) for line in lines]} if lines else {}


def with_defaults(line, _, defaults):
    """A signature in which nanobind has numbers in place of defaults: \\0 for a value, \\=0 for its text."""
    def text(match):
        value = defaults[int(match[2])]
        return value if match[1] else repr(value)

    return re.sub(r"\\(=?)(\d+)", text, line)


def signature(function):
    return re.sub(r"\b(portatune\.lib\._core|collections\.abc|typing)\.", "",
                  f"{ast.unparse(function.args)} -> {ast.unparse(function.returns) if function.returns else None}")


def arguments_of(overloads):
    """Names and defaults of arguments, without types, which are narrower in stubs that are written by hand."""
    lists = [ast.parse(f"def f({line.rpartition(' -> ')[0]}): ...").body[0].args for line in overloads]
    return [([argument.arg for argument in one.args], [ast.literal_eval(value) for value in one.defaults])
            for one in lists]


@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
class Mypy(InFolder):
    @classmethod
    def setUpClass(cls):
        cache = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cache.cleanup)
        cls.cache = cache.name

    def check(self, files, *options):
        """Returns the lines of mypy about files, and all its output."""
        words = [sys.executable, "-m", "mypy", "--no-error-summary", "--ignore-missing-imports",
                 "--follow-imports=silent", "--cache-dir", self.cache, *options, *files]
        environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertEqual(done.stderr, "")
        names = {file.name for file in files}
        lines = [line for line in done.stdout.splitlines() if pathlib.Path(line.split(":")[0]).name in names]
        return lines, done.stdout + done.stderr

    def test_right_calls_pass_strict_checks(self):
        wrong, output = self.check(self.write({"good": GOOD}), "--strict")
        self.assertEqual(wrong, [], output)

    def test_wrong_calls_do_not(self):
        wrong, output = self.check(self.write({"bad": IMPORTS + "\n".join(BAD)}))
        self.assertEqual({int(line.split(":")[1]) for line in wrong}, set(range(3, 3 + len(BAD))), output)

    def test_notebooks_pass(self):
        wrong, output = self.check(self.write(notebooks()))
        self.assertEqual(wrong, [], output)

    def test_all_files_of_the_package_pass_strict_checks(self):
        # The base classes of estimators are unknown without stubs of scikit-learn.
        stubs = [*PACKAGE.glob("*.pyi"), *PACKAGE.glob("lib/_core/*.pyi")]
        files = [*stubs, *(file for file in PACKAGE.glob("*.py") if file.with_suffix(".pyi") not in stubs)]
        wrong, output = self.check(files, "--strict", "--allow-subclassing-any")
        self.assertEqual(wrong, [], output)

    def test_the_examples_pass_strict_checks(self):
        wrong, output = self.check(list(EXAMPLES.glob("*.py")), "--strict")
        self.assertEqual(wrong, [], output)

    def test_the_stubs_have_all_names_of_the_compiled_module(self):
        (self.folder / "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\n")
        words = [sys.executable, "-m", "mypy.stubtest", *STUBS, "--concise", "--mypy-config-file", "mypy.ini"]
        environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertIn("portatune.lib._core.fit ", done.stdout, done.stderr)  # it has compared the modules
        wrong = [line for line in done.stdout.splitlines() if not OF_NANOBIND.search(line)]
        self.assertEqual(wrong, [])


@unittest.skipUnless(PYRIGHT, "pyright is not installed")
class Pyright(InFolder):
    def check(self, **settings):
        """Returns the lines of pyright about errors in the files of the folder, and all its output."""
        (self.folder / "pyrightconfig.json").write_text(json.dumps({
            "typeCheckingMode": "standard", "extraPaths": [str(PACKAGE.parent)], "reportMissingImports": False,
            "reportMissingModuleSource": False, **settings}))
        done = subprocess.run([PYRIGHT, "--pythonpath", sys.executable, "--project", self.folder], capture_output=True,
                              text=True, check=False)
        return [line for line in done.stdout.splitlines() if " - error" in line], done.stdout

    def test_right_calls_examples_and_notebooks_pass_and_wrong_calls_do_not(self):
        examples = {file.stem + "_example": file.read_text() for file in EXAMPLES.glob("*.py")}
        self.write({**notebooks(), **examples, "good": GOOD, "bad": IMPORTS + "\n".join(BAD)})
        wrong, output = self.check()
        self.assertEqual([line for line in wrong if "bad.py" not in line], [], output)
        self.assertEqual({int(line.split(":")[1]) for line in wrong}, set(range(3, 3 + len(BAD))), output)

    def test_all_files_of_the_package_pass(self):
        shutil.copytree(PACKAGE, self.folder / "portatune", ignore=shutil.ignore_patterns("*.so*", "bin", "recipes"))
        wrong, output = self.check(extraPaths=[], reportAttributeAccessIssue=importlib.util.find_spec("sklearn") is not None)
        self.assertIn("0 errors", output)
        self.assertEqual(wrong, [], output)


if __name__ == "__main__":
    toy.main()
