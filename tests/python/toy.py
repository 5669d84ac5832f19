"""Data and calls that the tests of this folder share."""

import csv
import importlib
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import portatune
from portatune import _command

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
MODEL = DATA / "tiny_bert"
TRAIN = DATA / "toy" / "train.csv"
VALIDATION = DATA / "toy" / "validation.csv"
SKIPPED = 77  # exit code of a file whose tests are all skipped
# Few steps that end fast, and no text on stderr.
OPTIONS = {"max_length": 16, "per_device_train_batch_size": 4, "max_steps": 6, "learning_rate": 1e-3, "quiet": True}


def installed(name):
    """Imports a package, or skips the test."""
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise unittest.SkipTest(f"{name} is not installed") from missing


def rows(path=TRAIN):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def command(*words):
    """Runs the command and returns its stdout."""
    return subprocess.run([_command.COMMAND, *map(str, words)], check=True, capture_output=True, text=True).stdout


def predictions(*words):
    """Returns the lines of `portatune predict` as dicts, for the batches of OPTIONS."""
    return list(map(json.loads, command("predict", *words, "--batch-size", 4, "--quiet").splitlines()))


def weights(folder):
    return (pathlib.Path(folder) / "model.safetensors").read_bytes()


def without_dropout(model, folder):
    """Copies a model folder; the config of the copy has no dropout."""
    folder.mkdir()
    for file in pathlib.Path(model).iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config.update(hidden_dropout_prob=0, attention_probs_dropout_prob=0)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


class InFolder(unittest.TestCase):
    """A test with an empty folder."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def fit(self, train=TRAIN, name="tuned", **options):
        return portatune.fit(MODEL, train, output=self.folder / name, **{**OPTIONS, **options})


class _Result(unittest.TextTestResult):
    """A result that counts the tests that ran."""

    count = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.count += 1


def main():
    """Runs the tests of the calling file, lists the skipped ones, and ends the process; with SKIPPED if none ran."""
    runner = unittest.TextTestRunner(resultclass=_Result)
    result = unittest.main(testRunner=runner, exit=False).result
    for test, reason in result.skipped:
        print(f"skipped: {reason}: {test}", file=sys.stderr)
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(0 if result.count > 0 else SKIPPED)
