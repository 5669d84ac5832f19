"""Data and calls that the tests of this folder share."""

import csv
import json
import pathlib
import subprocess
import tempfile
import unittest

import portatune
from portatune import _command

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
MODEL = DATA / "tiny_bert"
TRAIN = DATA / "toy" / "train.csv"
VALIDATION = DATA / "toy" / "validation.csv"
SKIPPED = 77  # exit code of a test whose packages are not installed
# Few steps that end fast, and no text on stderr.
OPTIONS = {"max_length": 16, "per_device_train_batch_size": 4, "max_steps": 6, "learning_rate": 1e-3, "quiet": True}


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
